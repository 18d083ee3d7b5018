from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import gradio as gr
import pytest

from leaderboard.desk.queue_screen import QueueScreen, opened_ticket
from leaderboard.desk.ticket_decisions import ORGANISER_ACTS, OWNER_ACTS, OwnerAct
from leaderboard.page.identity import Identity, Visitor
from leaderboard.page.services import Services
from leaderboard.page.state import QueueState
from submissions.schema import Names
from submissions.seasons.season_store import PublicStore
from submissions.settings import Settings
from submissions.store.eta import WaitEstimate
from submissions.store.queue import FinishedRun
from tests.unit.leaderboard.boards.personalized_evaluation.made_personalized_evaluation import encoded, ratings
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result
from tests.unit.leaderboard.conftest import Submit
from tests.unit.submissions.seasons.made_seasons import SPRING, made_seasons

ITEMS = [f"90{number}" for number in range(1, 8)]
US = Visitor("local", "")
ANNA = Visitor("subject-of-anna", "anna")
OLGA = Visitor("subject-of-olga", "olga")


@pytest.fixture
def screen(services: Services) -> QueueScreen:
    return QueueScreen(services)


@pytest.fixture
def waiting(services: Services, demonstration_file: Callable[[str], bytes]) -> QueueState:
    """A submission in the queue, opened."""
    names = Names(system="Patience")
    receipt = services.desk.submit(demonstration_file("Team"), "team.json", owner="local", names=names)
    return QueueState(ticket=receipt.ticket.id)


@pytest.fixture
def public(services: Services) -> Services:
    """The same services on a Space whose visitors can sign in."""
    settings = Settings.from_env({"SPACE_ID": "team/plumbline"})
    return replace(services, settings=settings, identity=Identity(True, True, organisers=("Olga",)))


@pytest.fixture
def anna(public: Services, demonstration_file: Callable[[str], bytes]) -> QueueState:
    """Anna's submission, opened."""
    receipt = public.desk.submit(
        demonstration_file("Team"), "team.json", owner=ANNA.owner, owner_name="anna", names=Names(system="Patience")
    )
    return QueueState(ticket=receipt.ticket.id)


def test_a_file_without_a_prompt_set_is_called_as_its_board_is(screen: QueueScreen, services: Services) -> None:
    receipt = services.desk.submit(encoded(ratings()), "ratings.json", owner="local")
    table = screen.tickets_table(QueueState())
    assert table is not None
    assert "Personal raters" in [cell["text"] for cell in table["rows"][0]["cells"]]
    opened = screen.opened(QueueState(ticket=receipt.ticket.id), US).value
    assert opened is not None
    assert {"name": "Prompt set", "text": "Personal raters"} in opened["facts"]


def test_every_state_is_listed_with_its_sentence(screen: QueueScreen, waiting: QueueState) -> None:
    rows = {row["id"]: [cell["text"] for cell in row["cells"]] for row in screen.states_table()["rows"]}
    assert list(rows) == ["received", "queued", "running", "scored", "failed", "cancelled", "withdrawn"]
    assert rows["queued"] == ["queued", "1", "The submission waits for a worker."]


def test_without_a_worker_the_page_says_what_that_means(screen: QueueScreen) -> None:
    assert "No worker is running" in screen.workers_table()["empty"]


def test_a_ticket_follows_its_submission(screen: QueueScreen, services: Services, waiting: QueueState) -> None:
    queued = screen.opened(waiting, US).value
    assert queued is not None
    assert queued["status"] == "queued"
    assert queued["place"].startswith("It is number 1 in the queue, which is taken by turns: ")
    job = services.store.claim("worker")
    assert job is not None
    services.store.progress(job.id, "worker", judged=12, to_judge=40, newly_stored=12)
    running = screen.opened(waiting, US).value
    assert running is not None
    assert (running["progress"], running["has_progress"]) == ("12 of 40 judgements", True)
    result = robustness_result(dict.fromkeys(ITEMS, 3.0))
    services.store.finish(job.id, "worker", result.model_dump_json())
    scored = screen.opened(waiting, US).value
    assert scored is not None
    assert scored["row_link"] == f"robustness?set=demonstration&system={waiting.ticket}"
    assert any("scored" in line for line in scored["log"])


def test_open_submissions_stand_before_those_that_ended(
    screen: QueueScreen, score: Submit, services: Services, demonstration_file: Callable[[str], bytes]
) -> None:
    done = score(robustness_result(dict.fromkeys(ITEMS, 3.0)), team="Done")
    receipt = services.desk.submit(
        demonstration_file("Open"), "open.json", owner="local", names=Names(system="Patience")
    )
    table = screen.tickets_table(QueueState())
    assert table is not None
    assert [row["id"] for row in table["rows"]] == [receipt.ticket.id, done]
    assert screen.tickets_table(QueueState(ticket=done)) is None


def test_pages_of_the_queue_go_over_from_open_to_ended_submissions(
    screen: QueueScreen,
    services: Services,
    demonstration_file: Callable[[str], bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("leaderboard.desk.queue_screen.PAGE_ROWS", 2)
    tickets = [
        services.desk.submit(demonstration_file(f"T{number}"), "a.json", owner="local", names=Names()).ticket.id
        for number in range(5)
    ]
    for ended in tickets[:2]:
        services.desk.cancel(ended, "local")
    # Three open, in the order of the queue, then two ended, the newest first: pages of 2, 2 and 1.
    order = [*tickets[2:], tickets[1], tickets[0]]
    for page, shown in enumerate((order[:2], order[2:4], order[4:]), start=1):
        table = screen.tickets_table(QueueState(queue_page=page))
        assert table is not None
        assert [row["id"] for row in table["rows"]] == shown
        assert (table["page"], table["has_pages"]) == (f"Page {page} of 3", True)
    last = screen.tickets_table(QueueState(queue_page=9))  # beyond the end: the last page
    assert last is not None
    assert last["summary"] == "Rows 5 to 5 of 5"
    assert (last["previous"], last["next"]) == (2, 0)


def test_a_running_submission_shows_how_far_it_is_and_when_it_will_be_done(
    screen: QueueScreen, services: Services, waiting: QueueState
) -> None:
    assert screen.worker_line()["text"].startswith("No worker is running")
    unknown = screen.opened(waiting, US).value
    assert unknown is not None
    assert unknown["eta"] == "no estimate yet: no worker is running"
    services.store.worker_seen("w1", "pair", judgements=50, judging_s=5.0)  # 10 judgements a second
    job = services.store.claim("w1")
    assert job is not None
    services.store.progress(job.id, "w1", judged=10, to_judge=40, newly_stored=10)
    assert screen.worker_line()["text"] == "1 worker, pair judge, 10 judgements/s"
    running = screen.opened(waiting, US).value
    assert running is not None
    assert running["eta"].startswith("no estimate yet: fewer than 9 submissions of its kind")
    table = screen.tickets_table(QueueState())
    assert table is not None
    (bar,) = [cell for cell in table["rows"][0]["cells"] if cell["has_bar"]]
    assert (bar["judged"], bar["to_judge"], bar["text"]) == (10, 40, "10/40")


def test_after_nine_submissions_of_the_same_kind_a_ticket_says_about_how_long(
    screen: QueueScreen, services: Services, waiting: QueueState, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = services.store.claim("w1")
    assert first is not None
    answers = services.store.require(first.id).answers
    assert answers
    finished = [FinishedRun(first.set_id, "w1", 40, 40, pace * answers, answers) for pace in (15.0, 30.0, 60.0) * 3]
    services.store.worker_seen("w1", "pair")
    services.store.release(first.id, "w1")
    monkeypatch.setattr(services.store, "finished_runs", lambda newest: finished)
    value = screen.opened(waiting, US).value
    assert value is not None
    # Nine runs of as many answers, three of each speed: 15, 30 and 60 s an answer.
    minutes = answers / 2
    assert minutes > 3  # so that all three are told in whole minutes or hours
    assert value["eta"] == WaitEstimate(minutes * 30, minutes * 60, minutes * 120).words


def test_a_failed_submission_says_why_and_what_to_do(
    screen: QueueScreen, services: Services, waiting: QueueState
) -> None:
    job = services.store.claim("w1")
    assert job is not None
    services.store.fail(job.id, "w1", "the judge has no memory left")
    failed = screen.opened(waiting, US).value
    assert failed is not None
    assert failed["reason"] == "the judge has no memory left"
    assert "submit it again" in failed["next_step"]
    assert failed["eta"] == ""


def test_the_owner_cancels_and_withdraws_once(screen: QueueScreen, waiting: QueueState) -> None:
    assert screen.opened(waiting, US).owner_acts == {"cancel", "withdraw", "keep_answers"}
    assert screen.acts.by_owner("keep_answers", waiting.ticket, US)["kind"] == "good"
    assert screen.opened(waiting, US).owner_acts == {"cancel", "withdraw", "share_answers"}
    assert screen.acts.by_owner("keep_answers", waiting.ticket, US)["kind"] == "warning"
    assert screen.acts.by_owner("cancel", waiting.ticket, US)["kind"] == "good"
    assert screen.opened(waiting, US).owner_acts == {"withdraw", "erase"}
    assert screen.acts.by_owner("withdraw", waiting.ticket, US)["kind"] == "good"
    assert screen.opened(waiting, US).owner_acts == {"erase"}
    assert screen.acts.by_owner("withdraw", waiting.ticket, US)["kind"] == "warning"
    assert screen.acts.by_owner("erase", waiting.ticket, US)["title"] == "Its answers are erased; a tombstone stays."
    assert screen.opened(waiting, US).owner_acts == set()
    assert screen.acts.by_owner("erase", waiting.ticket, US)["kind"] == "warning"


@pytest.mark.parametrize("act", OWNER_ACTS)
@pytest.mark.parametrize("visitor", [Visitor("subject-of-ben", "ben"), Visitor("", "anna"), None], ids=str)
def test_nobody_else_does_what_only_the_owner_may(
    public: Services, anna: QueueState, act: OwnerAct, visitor: Visitor | None
) -> None:
    screen = QueueScreen(public)
    before = public.store.require(anna.ticket)
    assert screen.opened(anna, visitor).owner_acts == set()
    assert screen.opened(anna, visitor).organiser_acts == set()
    assert screen.acts.by_owner(act, anna.ticket, visitor)["kind"] == "bad"
    assert public.store.require(anna.ticket) == before
    assert public.store.acts() == []


def test_a_user_name_is_no_account(public: Services, anna: QueueState) -> None:
    # Ben took the name that Anna had when she submitted.
    impostor = Visitor("subject-of-ben", "anna")
    assert QueueScreen(public).acts.by_owner("withdraw", anna.ticket, impostor)["kind"] == "bad"
    assert public.store.require(anna.ticket).status.is_open
    assert (
        QueueScreen(public).acts.by_owner("cancel", anna.ticket, Visitor("subject-of-anna", "renamed"))["kind"]
        == "good"
    )


def test_whoever_has_not_signed_in_on_a_space_is_nobody(public: Services, anna: QueueState) -> None:
    screen = QueueScreen(public)
    assert screen.visitor(gr.Request()) is None
    assert screen.acts.by_owner("cancel", anna.ticket, screen.visitor(gr.Request()))["title"].startswith("Sign in")


# Organisers


def test_only_organisers_see_and_do_what_organisers_do(public: Services, anna: QueueState) -> None:
    screen, queue = QueueScreen(public), QueueState()
    for visitor in (ANNA, Visitor("subject-of-ben", "ben"), None):
        assert screen.opened(queue, visitor).organiser_acts == set()
        for act in ORGANISER_ACTS:
            assert screen.acts.by_organiser(act, anna.ticket, visitor, "because")["kind"] == "bad"
    assert public.store.acts() == []
    assert screen.opened(queue, OLGA).organiser_acts == {"pause"}
    assert screen.opened(anna, OLGA).organiser_acts == {"hide"}


def test_the_local_owner_is_no_organiser_of_the_page(screen: QueueScreen, waiting: QueueState) -> None:
    assert screen.opened(waiting, US).organiser_acts == set()
    assert screen.acts.by_organiser("pause", "", US, "because")["kind"] == "bad"


def test_an_act_without_a_reason_is_not_done(public: Services, anna: QueueState) -> None:
    screen = QueueScreen(public)
    for reason in ("", "  ", None, 5, "x" * 301):
        assert screen.acts.by_organiser("hide", anna.ticket, OLGA, reason)["kind"] == "warning"
    assert public.store.require(anna.ticket).hidden is None


def test_a_paused_queue_says_by_whom_and_why_until_it_goes_on(public: Services, anna: QueueState) -> None:
    screen, queue = QueueScreen(public), QueueState()
    assert screen.pause_notice() is None
    assert screen.acts.by_organiser("pause", "", OLGA, " the judge is replaced ")["kind"] == "good"
    said = screen.pause_notice()
    assert said is not None
    assert said["lines"] == ["olga: the judge is replaced"]
    assert public.store.claim("w") is None
    assert screen.opened(queue, OLGA).organiser_acts == {"resume"}
    assert screen.acts.by_organiser("pause", "", OLGA, "again")["kind"] == "warning"
    assert screen.acts.by_organiser("resume", "", OLGA, "it is here")["kind"] == "good"
    assert screen.pause_notice() is None
    assert public.store.claim("w") is not None


def test_what_was_decided_is_public_with_who_and_why(public: Services, anna: QueueState) -> None:
    screen = QueueScreen(public)
    screen.acts.by_organiser("hide", anna.ticket, OLGA, "it quotes another team\u202e")
    screen.acts.by_organiser("pause", "", OLGA, "the judge is replaced")
    table = screen.acts_table(QueueState())
    assert table is not None
    rows = [[cell["text"] for cell in row["cells"]][1:] for row in table["rows"]]
    assert rows == [
        ["paused the queue", "", "olga", "the judge is replaced"],
        ["hidden from the boards", f"Patience ({anna.ticket[:8]})", "olga", "it quotes another team[U+202E]"],
    ]
    own = screen.acts_table(anna)
    assert own is not None
    assert len(own["rows"]) == 1
    value = screen.opened(anna, None).value
    assert value is not None
    assert value["reason"] == "hidden from the boards: it quotes another team\u202e"


def test_an_unknown_ticket_is_named(screen: QueueScreen) -> None:
    state = QueueState(ticket="nowhere")
    said = screen.opened(state, US).notice
    assert said is not None
    assert "nowhere" in said["title"]
    assert screen.opened(state, US).value is None
    assert screen.opened(QueueState(), US).notice is None


def test_what_is_no_row_opens_nothing() -> None:
    assert opened_ticket(QueueState(), {"row": 1}) == QueueState()


def cells(screen: QueueScreen, state: QueueState, visitor: Visitor | None) -> tuple[list[str], str, bool] | None:
    again = screen.opened(state, visitor).again
    return None if again is None else ([label for label, _ in again.choices], again.reason, again.asks_why)


def test_owners_choose_a_cell_and_say_why_organisers_may_take_the_whole_run(public: Services, anna: QueueState) -> None:
    screen = QueueScreen(public)
    assert cells(screen, anna, ANNA) is None  # not scored yet
    job = public.store.claim("w")
    assert job is not None
    result = robustness_result(dict.fromkeys(ITEMS, 3.0))
    with_keys = json.loads(result.model_dump_json())
    first = with_keys["items"][0]
    first["groups"][0]["group_key"] = "k1"
    public.store.finish(job.id, "w", json.dumps(with_keys))
    cell = f"{first['id']} {first['groups'][0]['language']}"
    assert cells(screen, anna, ANNA) == (["choose a cell", cell], "", True)
    assert cells(screen, anna, OLGA) == (["the whole run", cell], "", False)
    assert cells(screen, anna, Visitor("subject-of-ben", "ben")) is None
    assert "rerun" in screen.opened(anna, ANNA).owner_acts
    offer = screen.offer(anna)
    said = screen.acts.by_owner("rerun", anna.ticket, ANNA, cell=cell, reason="a typing error")
    assert said["kind"] == "good"
    assert screen.offer(anna) != offer
    queued = screen.opened(anna, ANNA).value
    assert queued is not None
    assert "the former result stays on the board" in queued["sentence"]
    assert queued["row_link"]


def test_organisers_get_a_review_link_of_a_scored_run_and_its_team_once_the_score_is_public(
    public: Services, anna: QueueState, tmp_path: Path
) -> None:
    key = "made by chance, in a test only: 0f"
    keyed = replace(public, settings=replace(public.settings, pseudonym_key=key))

    def links(services: Services, *visitors: Visitor | None) -> list[str]:
        screen = QueueScreen(services)
        values = [screen.opened(anna, visitor).value for visitor in visitors]
        return [value["review_link"] if value else "" for value in values]

    assert links(keyed, ANNA, OLGA) == ["", ""]  # nothing is scored yet
    job = public.store.claim("w")
    assert job is not None
    public.store.finish(job.id, "w", robustness_result(dict.fromkeys(ITEMS, 3.0)).model_dump_json())
    anybody = (None, Visitor("subject-of-ben", "ben"))
    ours, theirs, *others = links(keyed, ANNA, OLGA, *anybody)
    assert ours == theirs
    assert ours.startswith("review?run=")
    assert anna.ticket not in ours
    assert others == ["", ""]
    assert links(public, ANNA, OLGA) == ["", ""]  # without a key there is no link
    private = SPRING.replace("2026-", "2099-") + "[public]\nscores = 2099-05-01T00:00:00\n"
    received_at = public.store.require(anna.ticket).received_at
    started = private.replace("2099-03-01T00:00:00", f"{received_at - timedelta(days=1):%Y-%m-%dT%H:%M:%S}")
    shown = PublicStore(public.store, made_seasons(tmp_path / "seasons", spring=started), key=key)
    assert links(replace(keyed, store=shown), ANNA, OLGA) == ["", theirs]


def test_where_nobody_signs_in_no_visitor_gets_a_review_link_as_each_would_be_the_team(
    services: Services, score: Submit
) -> None:
    keyed = replace(services, settings=replace(services.settings, pseudonym_key="made by chance, in a test only: 0f"))
    ticket_id = score(robustness_result(dict.fromkeys(ITEMS, 3.0)))
    shown = QueueScreen(keyed).opened(QueueState(ticket=ticket_id), services.identity.visitor(None)).value
    assert shown is not None
    assert services.identity.visitor(None) == Visitor(services.store.require(ticket_id).owner, "")
    assert shown["review_link"] == ""


def test_a_run_no_judge_was_asked_about_says_why_no_cell_is_offered(public: Services, anna: QueueState) -> None:
    screen = QueueScreen(public)
    job = public.store.claim("w")
    assert job is not None
    public.store.finish(job.id, "w", '{"board": "cultural"}')
    because = "One cell alone: no judge was asked about it: its figures come from embeddings."
    assert cells(screen, anna, ANNA) == (["not offered"], because, False)
    assert cells(screen, anna, OLGA) == (["the whole run"], because, False)
    assert "rerun" not in screen.opened(anna, ANNA).owner_acts
