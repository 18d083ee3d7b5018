from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest

from evaluator.judge_quality.human_check import ANCHORING
from evaluator.results import ItemResult, RobustnessResult
from evaluator.values import judge_digest
from leaderboard.boards.position_bias.cache import JudgeBoards
from leaderboard.boards.robustness.cache import Boards
from leaderboard.boards.robustness.screen import RobustnessScreen
from leaderboard.boards.robustness.state import RobustnessState
from leaderboard.page.human_check import HOW_TO_VOTE, NOBODY_SIGNS_IN, OWN_RUN, SIGN_IN_FIRST
from leaderboard.page.identity import LOCAL, Identity, Visitor
from leaderboard.page.judge_card import people_text
from leaderboard.page.judge_quality import JudgeQualities
from leaderboard.page.services import Services
from leaderboard.parts.item_values import ItemValue
from leaderboard.parts.vote_values import BallotValue
from leaderboard.web.browser_name import COOKIE
from submissions.store.quotas import Quotas
from submissions.store.store import StoreUnavailable
from submissions.store.votes import verdict_id
from tests.unit.leaderboard.boards.robustness.made_results import JUDGE, robustness_result
from tests.unit.leaderboard.conftest import Submit

ITEMS = {"901": 4.0, "902": 1.0}


def with_keys(result: RobustnessResult) -> RobustnessResult:
    """The result with verdict keys on every judged pair: the judge says "the same" of 901, "different" of 902."""

    def keyed(item: ItemResult) -> ItemResult:
        groups = tuple(
            group.model_copy(
                update={
                    "pairs": tuple(
                        pair.model_copy(
                            update={
                                "key_ab": f"{item.id} {pair.a}-{pair.b}",
                                "key_ba": f"{item.id} {pair.b}-{pair.a}",
                            }
                        )
                        for pair in group.pairs
                    )
                }
            )
            for group in item.groups
        )
        return item.model_copy(update={"groups": groups})

    return result.model_copy(update={"items": tuple(keyed(item) for item in result.items)})


def verdict(item: str, a: int, b: int) -> str:
    return verdict_id(f"{item} {a}-{b}", f"{item} {b}-{a}")


def browser(name: str) -> Any:
    """A request of a browser on a local installation."""
    return SimpleNamespace(request=SimpleNamespace(cookies={COOKIE: name}))


class Accounts(Identity):
    """A Space where requests are accounts, as signed sessions say."""

    def visitor(self, request: Any) -> Visitor | None:
        return Visitor(request, request) if isinstance(request, str) else None


def screen_of(services: Services, identity: Identity) -> RobustnessScreen:
    boards = Boards(services.store)
    of_identity = replace(services, identity=identity)
    return RobustnessScreen(
        of_identity, boards, JudgeBoards(services.store, boards).report_of, JudgeQualities(services.store)
    )


@pytest.fixture
def opened(score: Submit) -> Callable[[str], RobustnessState]:
    ticket = score(with_keys(robustness_result(ITEMS)), owner="anna")
    return lambda item: RobustnessState(set="demonstration", system=ticket, item=item)


def shown(value: ItemValue | None) -> list[BallotValue]:
    assert value is not None
    return [line["ballot"] for line in value["groups"][0]["pairs"]]


def chosen(value: ItemValue | None) -> list[str]:
    """What is pressed, pair by pair."""
    return ["".join(one["label"] for one in ballot["choices"] if one["is_chosen"]) for ballot in shown(value)]


def line(value: ItemValue | None) -> str:
    assert value is not None
    return value["checks"][0]["line"]


def test_every_scored_pair_has_the_judges_word_and_two_buttons(
    services: Services, opened: Callable[[str], RobustnessState]
) -> None:
    screen = screen_of(services, LOCAL)
    same, different = (screen.voted(opened(item), None, browser("b1")) for item in ITEMS)
    assert [ballot["says"] for ballot in shown(same)] == ["the same"] * 3
    assert [ballot["says"] for ballot in shown(different)] == ["different"] * 3
    first = shown(same)[0]["choices"]
    assert [(one["label"], one["name"], one["stance"], one["is_chosen"]) for one in first] == [
        ("Agree", "Agree: variants 1 and 2 say the same", "agree", False),
        ("Disagree", "Disagree: variants 1 and 2 say the same", "disagree", False),
    ]
    assert line(same) == "Nobody has checked it yet"


def test_a_vote_is_marked_replaced_and_taken_back(services: Services, opened: Callable[[str], RobustnessState]) -> None:
    screen = screen_of(services, LOCAL)

    def vote(stance: str) -> ItemValue | None:
        return screen.voted(opened("901"), {"verdict": verdict("901", 1, 3), "stance": stance}, browser("b1"))

    assert chosen(vote("agree")) == ["", "Agree", ""]
    assert chosen(vote("disagree")) == ["", "Disagree", ""]
    assert [vote.stance for vote in services.store.verdict_votes()] == ["disagree"]
    pressed = shown(vote("disagree"))[1]["choices"][1]
    assert (pressed["is_chosen"], pressed["stance"]) == (True, "none")
    assert chosen(vote("none")) == ["", "", ""]


def test_the_running_figure_stands_on_the_page_and_on_the_card(
    services: Services, opened: Callable[[str], RobustnessState]
) -> None:
    screen = screen_of(services, LOCAL)
    screen.voted(opened("901"), {"verdict": verdict("901", 1, 2), "stance": "agree"}, browser("b1"))
    one = screen.voted(opened("901"), {"verdict": verdict("901", 1, 3), "stance": "disagree"}, browser("b1"))
    assert line(one) == 'kappa n/a (the judge said "same" every time), 2 votes by 1 person on 2 verdicts, 1 agree'
    both = screen.voted(opened("902"), {"verdict": verdict("902", 1, 2), "stance": "agree"}, browser("b2"))
    # Judge same, same, different; people same, different, different: p_o = 2/3; p_e = 2/3 x 1/3 + 1/3 x 2/3 = 4/9.
    # kappa = (6/9 - 4/9) / (5/9) = 0.4
    assert line(both) == "kappa 0.40, 3 votes by 2 people on 3 verdicts, 2 agree"
    assert both is not None
    (card,) = both["groups"][0]["cards"]
    # The card was made after the vote was kept.
    assert {fact["name"]: fact["text"] for fact in card["facts"]}["People agree with it"] == line(both)
    assert both["checks"][0]["notes"] == [HOW_TO_VOTE, ANCHORING]


def test_browsers_have_votes_of_their_own_and_a_program_without_one_is_the_local_owner(
    services: Services, opened: Callable[[str], RobustnessState]
) -> None:
    screen, said = screen_of(services, LOCAL), {"verdict": verdict("901", 1, 2), "stance": "agree"}
    assert chosen(screen.voted(opened("901"), said, browser("b1")))[0] == "Agree"
    assert chosen(screen.voted(opened("901"), None, browser("b2")))[0] == ""
    screen.voted(opened("901"), said, None)
    people = {vote.person for vote in services.store.verdict_votes()}
    assert len(people) == 2
    assert "local" in people
    assert not any("b1" in person for person in people)  # the name that a browser proves itself with is not kept


@pytest.mark.parametrize(
    "carried",
    [
        None,
        "agree",
        [],
        {},
        {"verdict": "1-2", "stance": "agree"},
        {"verdict": ["x"], "stance": "agree"},
        {"verdict": verdict("902", 1, 2), "stance": "agree"},
        {"verdict": verdict("901", 1, 2), "stance": "maybe"},
        {"verdict": verdict("901", 1, 2), "stance": ["agree"]},
        {"verdict": verdict("901", 1, 2)},
        {"verdict": "${alert(1)}<script>", "stance": "agree"},
    ],
)
def test_what_names_no_verdict_of_the_item_or_no_stance_is_ignored(
    services: Services, opened: Callable[[str], RobustnessState], carried: object
) -> None:
    value = screen_of(services, LOCAL).voted(opened("901"), carried, browser("b1"))
    assert chosen(value) == ["", "", ""]
    assert services.store.verdict_votes() == []


def test_who_votes_and_what_the_judge_said_are_the_servers_to_say(
    services: Services, opened: Callable[[str], RobustnessState]
) -> None:
    carried = {
        "verdict": verdict("901", 1, 2),
        "stance": "disagree",
        "person": "anna",
        "reading": "different",
        "score": 0.0,
        "is_own": False,
    }
    screen_of(services, Accounts(is_public=True, signs_in=True)).voted(opened("901"), carried, account("ben"))
    (vote,) = services.store.verdict_votes()
    assert (vote.person, vote.pair.reading, vote.reading, vote.pair.score) == ("ben", "same", "different", 4.0)
    assert (vote.pair.judge, vote.pair.item) == (judge_digest(JUDGE), "demonstration 901")


def account(name: str) -> Any:
    return name


def test_on_a_space_voting_needs_an_account(services: Services, opened: Callable[[str], RobustnessState]) -> None:
    said = {"verdict": verdict("901", 1, 2), "stance": "agree"}
    for signs_in, sentence in ((True, SIGN_IN_FIRST), (False, NOBODY_SIGNS_IN)):
        value = screen_of(services, Accounts(is_public=True, signs_in=signs_in)).voted(opened("901"), said, None)
        assert [ballot["choices"] for ballot in shown(value)] == [[]] * 3
        assert value is not None
        assert sentence in value["checks"][0]["notes"]
        assert value["checks"][0]["said"] == sentence
    assert services.store.verdict_votes() == []


def test_votes_on_ones_own_run_are_kept_and_left_out(
    services: Services, opened: Callable[[str], RobustnessState]
) -> None:
    screen = screen_of(services, Accounts(is_public=True, signs_in=True))
    said = {"verdict": verdict("901", 1, 2), "stance": "agree"}
    own = screen.voted(opened("901"), said, account("anna"))
    assert own is not None
    assert line(own) == "Nobody has checked it yet"
    assert own["checks"][0]["notes"] == [HOW_TO_VOTE, "1 vote on a run of the voter's own is left out.", OWN_RUN]
    assert chosen(own)[0] == "Agree"
    others = screen.voted(opened("901"), said, account("ben"))
    assert line(others) == 'kappa n/a (the judge said "same" every time), 1 vote by 1 person on 1 verdict, 1 agree'
    assert [vote.is_own for vote in services.store.verdict_votes()] == [True, False]


def test_the_daily_limit_is_said_and_the_page_stays(
    services: Services, opened: Callable[[str], RobustnessState]
) -> None:
    screen = screen_of(services, Accounts(is_public=True, signs_in=True, quotas=Quotas(votes_per_day=1)))
    screen.voted(opened("901"), {"verdict": verdict("901", 1, 2), "stance": "agree"}, account("ben"))
    value = screen.voted(opened("901"), {"verdict": verdict("901", 1, 3), "stance": "agree"}, account("ben"))
    assert value is not None
    assert value["checks"][0]["said"].startswith("You have voted 1 time within 24 hours, and the limit is 1.")
    assert chosen(value) == ["Agree", "", ""]


def test_pairs_that_no_judge_was_asked_about_cannot_be_voted_on(services: Services, score: Submit) -> None:
    ticket = score(robustness_result(ITEMS))  # no verdict keys, as of identical answers
    state = RobustnessState(set="demonstration", system=ticket, item="901")
    value = screen_of(services, LOCAL).item(state)
    assert value is not None
    assert "checks" not in value
    assert all("ballot" not in line for line in value["groups"][0]["pairs"])


def test_a_hidden_run_takes_no_votes(services: Services, opened: Callable[[str], RobustnessState]) -> None:
    services.desk.act("hide", opened("901").system, actor="olga", reason="a test")
    said = {"verdict": verdict("901", 1, 2), "stance": "agree"}
    assert screen_of(services, LOCAL).voted(opened("901"), said, browser("b1")) is None
    assert services.store.verdict_votes() == []


def test_a_vote_is_in_the_archive_at_once(services: Services, opened: Callable[[str], RobustnessState]) -> None:
    said = {"verdict": verdict("901", 1, 2), "stance": "agree"}
    screen_of(services, LOCAL).voted(opened("901"), said, browser("b1"))
    archive = services.desk._archive
    (event,) = [event for event in archive.log().events if event["kind"] == "vote"]
    assert (event["stance"], event["pair"]["verdict"]) == ("agree", said["verdict"])
    assert archive.catch_up(services.store) == 1  # the result, which a worker records; not the vote again


def test_a_judge_that_changed_in_anything_has_not_been_checked(
    services: Services, opened: Callable[[str], RobustnessState]
) -> None:
    said = {"verdict": verdict("901", 1, 2), "stance": "agree"}
    screen_of(services, LOCAL).voted(opened("901"), said, browser("b1"))
    qualities = JudgeQualities(services.store)
    assert people_text(qualities.checked_by_people(JUDGE)).startswith("kappa n/a")
    other = JUDGE.model_copy(update={"prompt": "another"})
    assert people_text(qualities.checked_by_people(other)) == "nobody has checked it yet"


def test_the_request_is_not_what_an_event_says(services: Services) -> None:
    assert LOCAL.voter(None) == "local"
    # A page of another site makes the browser call.
    elsewhere: Any = SimpleNamespace(
        request=SimpleNamespace(cookies={COOKIE: "b1"}, headers={"sec-fetch-site": "cross-site"})
    )
    assert LOCAL.voter(elsewhere) is None
    assert Identity(is_public=True, signs_in=True).voter(gr.Request()) is None


def test_a_database_that_does_not_answer_is_not_taken_for_a_kept_vote(
    services: Services, opened: Callable[[str], RobustnessState], monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object, **__: object) -> None:
        raise StoreUnavailable("the database does not answer")

    screen, said = screen_of(services, LOCAL), {"verdict": verdict("901", 1, 2), "stance": "agree"}
    monkeypatch.setattr(services.store, "cast_vote", gone)
    with pytest.raises(StoreUnavailable):  # which the page says in one sentence (test_pages)
        screen.voted(opened("901"), said, browser("b1"))
    assert [event for event in services.desk._archive.log().events if event["kind"] == "vote"] == []
