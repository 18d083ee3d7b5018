"""The lab's page without a browser: the real service behind it, with the scripted generator and judge."""

from __future__ import annotations

import asyncio
import json
import random
from contextlib import aclosing
from pathlib import Path

import pytest

from evaluator.generators.loading import allowed_generators
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge
from evaluator.lab.gate import LabVisitor
from evaluator.lab.judging import LabJudge
from evaluator.lab.replay import ReplayLibrary
from evaluator.lab.serving import LabService
from evaluator.lab.votes import MemoryVoteBook
from leaderboard.lab.form import Catalogue, Form, form_of
from leaderboard.lab.replays import NOTHING_COMMON, NOTHING_STORED, ReplayChoice, replay_view, row_id, stepped
from leaderboard.lab.screen import LabScreen, Picture, run_choices
from leaderboard.lab.visit import Visit
from leaderboard.page.judge_card import NOT_MEASURED
from leaderboard.page.services import Services
from submissions.check import check_submission
from submissions.promptsets import PromptSets
from submissions.questionsets import demonstration
from tests.unit.leaderboard.boards.personalization.made_personalization import document, large_file, pairs, put_into


def lab(services: Services, generators: tuple[str, ...] = ("scripted",)) -> LabService:
    judge = ScriptedJudge(followed=lambda _: 4.0, preference=lambda _: "A", letter=lambda _: "0")
    return LabService(
        allowed_generators(generators),
        LabJudge(lambda: RecordedJudge(judge, MemoryVerdicts())),
        replay=ReplayLibrary(services.store, services.desk.prompt_sets),
        votes=MemoryVoteBook(),
    )


@pytest.fixture
def service(services: Services) -> LabService:
    return lab(services)


@pytest.fixture
def screen(services: Services, service: LabService) -> LabScreen:
    catalogue = Catalogue(demonstration(), services.desk.prompt_sets)
    return LabScreen(service, catalogue, lambda pin: None, is_rated=True, dice=random.Random(1))


def form(screen: LabScreen) -> Form:
    return form_of(screen.first_setup(), screen.catalogue)


def run(screen: LabScreen, visit: Visit, asked: Form | None = None, *, is_blind: bool = False) -> list[Picture]:
    async def pictures() -> list[Picture]:
        running = screen.run(visit, asked or form(screen), is_blind=is_blind, visitor=LabVisitor("ann"))
        return [picture async for picture in running]

    return asyncio.run(pictures())


def test_a_run_fills_both_columns_verdicts_comparison_and_tally(screen: LabScreen) -> None:
    last = run(screen, Visit())[-1]
    assert last.status["text"].startswith("Done. A: ")
    assert all(pane["status"] == "done" and pane["parts"] for pane in (last.first, last.second))
    assert all(card["outcome"] for card in (last.first_verdict, last.second_verdict))
    # The judge says A, the one shown first, in both orders.
    assert last.pairwise["sentence"].startswith("Primacy flip")
    assert len(last.tally["rows"]) == 2
    assert len(last.prompts["prompts"]) == 3  # control, naive, stage 2


def test_beside_the_comparison_stands_a_judge_that_was_never_measured(screen: LabScreen) -> None:
    card = run(screen, Visit())[-1].judge_card
    assert card is not None
    facts = {fact["name"]: fact["text"] for fact in card["cards"][0]["facts"]}
    assert facts["Position bias"] == NOT_MEASURED


def test_closing_the_run_gives_the_place_back_and_counts_nothing(screen: LabScreen, service: LabService) -> None:
    visit = Visit()

    async def first_picture() -> None:
        async with aclosing(screen.run(visit, form(screen), is_blind=False, visitor=LabVisitor("ann"))) as pictures:
            async for _ in pictures:
                return

    asyncio.run(first_picture())
    assert visit.state is not None
    assert visit.state.phase == "cancelled"
    assert visit.tally.rows() == ()
    assert service.gate.join(LabVisitor("ann")).position is None


def test_a_vote_is_kept_with_the_verdict_and_own_text_only_with_consent(screen: LabScreen, service: LabService) -> None:
    own = form(screen)._replace(dataset="own", example="", text="Which one is it?", options="red\nblue", gold="A")
    for consent in (False, True):
        visit = Visit()
        pictures = run(screen, visit, own, is_blind=True)
        assert pictures[-1].first["who"] == "name hidden"
        screen.vote(visit, "first", consent=consent, visitor=LabVisitor("ann"))
        shown = screen.picture(visit, own)
        assert shown.ballot is not None
        assert "naive" in shown.ballot["lines"][0]
    without, with_consent = service.votes.votes()
    assert without.judged == "primacy_flip"
    assert without.first in ("a", "b")
    assert without.words is not None
    assert without.words > 0
    assert without.seconds is not None
    assert without.seconds >= 0
    assert without.text is None
    assert with_consent.text is not None
    assert "Which one is it?" in with_consent.text


def test_an_exported_session_is_a_valid_submission_and_loads_back(screen: LabScreen, tmp_path: Path) -> None:
    visit = Visit()
    run(screen, visit)
    file, said = screen.export(visit)
    assert said is None
    assert file is not None
    report = check_submission(file["text"].encode(), file["name"], prompt_sets=PromptSets.load(None))
    assert report.decision != "refused", [problem.message for problem in report.problems]
    assert "verdicts" in json.loads(file["text"])
    path = tmp_path / "session.json"
    path.write_text(file["text"], encoding="utf-8")
    other = Visit()
    assert screen.load(other, path)["kind"] == "good"
    assert [label for label, _ in run_choices(other.runs)] == [label for label, _ in run_choices(visit.runs)]
    assert other.tally.rows() == visit.tally.rows()
    assert screen.picture(other, form(screen)).setup is not None


def test_a_file_with_faults_changes_nothing(screen: LabScreen, tmp_path: Path) -> None:
    visit = Visit()
    run(screen, visit)
    path = tmp_path / "session.json"
    path.write_text('{"kind": "other"}')
    assert screen.load(visit, path)["kind"] == "bad"
    assert len(visit.runs) == 1


def test_nothing_is_exported_before_a_run_is_finished(screen: LabScreen) -> None:
    file, said = screen.export(Visit())
    assert file is None
    assert said is not None


def test_every_fault_of_the_form_is_named_and_hidden_characters_are_shown(screen: LabScreen) -> None:
    preferences = {"preferences": ["x" * 301, *(str(number) for number in range(8))], "relevant": None}
    asked = form(screen)._replace(text="x" * 4001, preferences=preferences, a_generator="no\u202esuch")
    found = screen.faults(asked)
    assert found is not None
    told = " ".join(found["lines"])
    for part in ("4,001", "301", "found 9", "column A"):
        assert part in told
    assert "\u202e" not in told


def test_without_generators_the_page_says_so_and_how_to_change_it(services: Services) -> None:
    catalogue = Catalogue(demonstration(), services.desk.prompt_sets)
    off = LabScreen(lab(services, ()), catalogue, lambda pin: None).live_off()
    assert off is not None
    assert off["title"] == "Live generation is off: no generator model is configured here. Replay works."
    assert "PLUMBLINE_GENERATORS" in off["lines"][0]


# Replay


def test_an_empty_store_says_how_it_fills(service: LabService) -> None:
    view = replay_view(service.replay, ReplayChoice())
    assert (view.state, view.notes) == (None, (NOTHING_STORED,))
    assert replay_view(None, ReplayChoice()).notes == (NOTHING_STORED,)


def test_two_methods_of_one_system_stand_side_by_side_with_their_stored_verdicts(
    services: Services, service: LabService
) -> None:
    ticket = put_into(services.store, large_file(lost=3, ignored=2, aligner_lost=1, size=6))
    view = replay_view(service.replay, ReplayChoice(a=row_id(ticket, "naive"), b=row_id(ticket, "pref_aligner")))
    assert view.notes == ()
    assert view.state is not None
    verdicts = [view.state.a.verdict, view.state.b.verdict]
    assert all(verdict is not None and verdict.outcome for verdict in verdicts)
    assert len(view.examples) == 6  # the relevant rows; only naive has irrelevant ones


def test_examples_are_stepped_through_and_round(services: Services, service: LabService) -> None:
    ticket = put_into(services.store, large_file(lost=1, ignored=1, aligner_lost=1, size=3))
    view = replay_view(service.replay, ReplayChoice(row_id(ticket, "naive"), row_id(ticket, "pref_aligner")))
    seen = []
    for _ in range(3):
        seen.append(view.choice.example)
        view = replay_view(service.replay, stepped(view, 1))
    assert len(set(seen)) == 3
    assert view.choice.example == seen[0]
    assert stepped(view, -1).example == seen[-1]


def test_rows_without_a_common_example_say_so(services: Services, service: LabService) -> None:
    first = put_into(services.store, document(pairs([(True, True, 5)])))
    second = put_into(services.store, large_file(lost=1, ignored=1, size=2, datasets=("other",), system="Second"))
    view = replay_view(service.replay, ReplayChoice(row_id(first, "naive"), row_id(second, "naive")))
    assert (view.state, view.notes) == (None, (NOTHING_COMMON,))


def test_a_row_that_is_not_stored_is_named_and_another_one_shown(services: Services, service: LabService) -> None:
    put_into(services.store, document(pairs([(True, True, 5)])))
    view = replay_view(service.replay, ReplayChoice(a="no\u202ebody.naive", example="gone"))
    assert view.state is not None
    assert "no[U+202E]body" in view.notes[0]
    assert "gone" in view.notes[1]


def test_the_next_example_is_a_recorded_breakage_with_its_answers_else_the_next_question(
    services: Services, screen: LabScreen
) -> None:
    visit, asked = Visit(), form(screen)
    following = screen.next_example(visit, asked)
    assert following.example != asked.example
    assert following.preferences == asked.preferences
    assert visit.state is None
    put_into(services.store, large_file(lost=2, ignored=0, aligner_lost=0, size=3), role="recorded")
    recorded = screen.next_example(visit, asked)
    assert visit.recorded
    picture = screen.picture(visit, recorded)
    assert picture.setup is not None
    assert picture.setup["question"] == recorded.text
    assert picture.line["shown"] == 1
    assert picture.status["text"].startswith("Recorded earlier, example 1 of 2. A: from A (right) to B")
    screen.next_example(visit, recorded)
    assert screen.picture(visit, recorded).status["text"].startswith("Recorded earlier, example 2 of 2. ")


def test_the_line_says_what_is_set_and_folds_the_form_with_every_run_that_is_shown(screen: LabScreen) -> None:
    visit = Visit()
    before = screen.picture(visit, form(screen)).line
    assert before["shown"] == 0
    assert before["facts"][1:] == ["6 preferences, one of them relevant", "naive / Pref-Aligner", "scripted"]
    assert before["facts"][0].startswith(form(screen).text[:30])
    shown = {picture.line["shown"] for picture in run(screen, visit)}
    assert shown == {1}
    assert run(screen, visit)[-1].line["shown"] == 2
