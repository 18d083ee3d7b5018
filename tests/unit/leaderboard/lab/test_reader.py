"""The lab's reader mode without a browser: form, picture, export, link."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from copy import deepcopy

import pytest

from evaluator.generators.loading import Generators
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge
from evaluator.lab.demo_readers import DEMO_READERS
from evaluator.lab.gate import LabVisitor
from evaluator.lab.judging import LabJudge
from evaluator.lab.replay import ReplayLibrary
from evaluator.lab.serving import LabService
from evaluator.lab.votes import StoredVoteBook
from evaluator.results import Pin
from leaderboard.lab.reader import (
    OWN,
    ReaderPicture,
    ReaderScreen,
    ReaderVisit,
    fields_of,
    form_of_fields,
    reader_asked,
    reader_link,
    setup_of,
)
from leaderboard.lab.state import LabState
from leaderboard.page.judge_card import card_beside_verdict
from leaderboard.page.links import parsed
from leaderboard.page.services import Services
from leaderboard.parts.card_values import JudgeCardsValue
from submissions.promptsets import PromptSets
from tests.unit.leaderboard.boards.personalized_evaluation.made_personalized_evaluation import LabelJudge

VERA = DEMO_READERS[0]
HOSTILE = "<img src=x onerror=alert(1)>\u202e"


def cards(pin: Pin) -> JudgeCardsValue:
    return {"cards": [card_beside_verdict(pin, None)]}


@pytest.fixture
def screen_of(services: Services) -> Callable[..., ReaderScreen]:
    def made(
        judge: ScriptedJudge | None = None, *, name: str = "transformers:m", is_rated: bool = True
    ) -> ReaderScreen:
        lab = LabService(
            Generators(()),
            LabJudge(lambda: RecordedJudge(judge, MemoryVerdicts())) if judge else None,
            replay=ReplayLibrary(services.store, PromptSets.load(None)),
            votes=StoredVoteBook(services.store),
        )
        return ReaderScreen(lab, cards, judge_name=name, is_rated=is_rated)

    return made


def asked(screen: ReaderScreen, visit: ReaderVisit, fields: tuple[object, ...]) -> list[ReaderPicture]:
    async def collected() -> list[ReaderPicture]:
        return [picture async for picture in screen.run(visit, form_of_fields(fields), LabVisitor("ann"))]

    return asyncio.run(collected())


def test_a_demo_reader_fills_the_form_and_comes_back_out_of_it() -> None:
    for demo in DEMO_READERS:
        assert setup_of(form_of_fields(fields_of(demo.setup))) == demo.setup


def test_a_client_may_send_anything_for_the_form() -> None:
    form = form_of_fields([None, 7, "nine", *[["x"], {}, True] * 4, 3, None])
    setup = setup_of(form)
    assert (setup.reviews, setup.text_a, setup.text_b) == ((), "", "")


def test_both_ratings_and_all_aspects_are_shown_and_flips_say_so(screen_of: Callable[..., ReaderScreen]) -> None:
    pictures = asked(screen_of(LabelJudge()), ReaderVisit(), fields_of(VERA.setup))
    status, value = pictures[-1]
    assert status == {"text": "Done: 12 questions answered.", "kind": "good"}
    assert [text["rating"] for text in value["texts"]] == ["6.7 of 10", "6.7 of 10"]  # (7 * .6 + 6 * .3) / .9 = 6.67
    assert [bar["text"] for bar in value["texts"][0]["bars"]][5:7] == ["0.30", "0.60"]
    assert [bar["is_chosen"] for bar in value["texts"][0]["bars"]].index(True) == 6
    assert value["aspects"][0] == {
        "aspect": "Interestingness",
        "given": "text A (0.60)",
        "swapped": "text B (0.60)",
        "outcome": "no preference to rely on: it chose the first text both times",
        "is_flip": True,
    }
    assert value["summary"] == "In no aspect is one text preferred in both orders; the order decided 5."
    assert value["cards"][0]["title"] == "scripted"


def test_a_text_preferred_wherever_it_stands_is_named(screen_of: Callable[..., ReaderScreen]) -> None:
    judge = ScriptedJudge(
        profile_rating=lambda request: 5.0,
        profile_choice=lambda request: "A" if request.fields["plot_a"] == VERA.setup.text_a else "B",
    )
    value = asked(screen_of(judge), ReaderVisit(), fields_of(VERA.setup))[-1].value
    assert value["aspects"][0]["outcome"] == "text A, in both orders"
    assert value["summary"] == "Preferred in both orders: text A in 5 of 5 aspects; no verdict changed with the order."


def test_a_judge_without_these_questions_is_told_before_and_after(screen_of: Callable[..., ReaderScreen]) -> None:
    screen = screen_of(ScriptedJudge(), name="embedding", is_rated=False)
    told = screen.unable()
    assert told is not None
    assert "(embedding) reads no questions about a reader" in told["title"]
    status = asked(screen, ReaderVisit(), fields_of(VERA.setup))[-1].status
    assert (status["kind"], "reads no questions about a reader" in status["text"]) == ("bad", True)
    assert screen_of(LabelJudge()).unable() is None
    assert screen_of(LabelJudge(), name="", is_rated=False).unable() is not None


def test_every_fault_of_the_form_is_told(screen_of: Callable[..., ReaderScreen]) -> None:
    found = screen_of(LabelJudge()).faults(form_of_fields([*["", "Only a review", None] * 5, "", HOSTILE]))
    assert found is not None
    assert len(found["lines"]) == 11  # five reviews without text, five without score, no text A
    assert screen_of(LabelJudge()).faults(form_of_fields(fields_of(VERA.setup))) is None


def test_a_visitor_has_one_run_at_a_time_and_finished_ones_are_kept(screen_of: Callable[..., ReaderScreen]) -> None:
    screen, visit = screen_of(LabelJudge()), ReaderVisit()
    visit.stop = threading.Event()
    assert asked(screen, visit, fields_of(VERA.setup)) == []
    visit.stop = None
    asked(screen, visit, fields_of(VERA.setup))
    assert [run.phase for run in visit.runs] == ["done"]
    assert deepcopy(visit).runs == []


def test_the_session_is_exported_with_every_answer(screen_of: Callable[..., ReaderScreen]) -> None:
    screen, visit = screen_of(LabelJudge()), ReaderVisit()
    file, said = screen.export(visit)
    assert file is None
    assert said is not None
    asked(screen, visit, fields_of(VERA.setup))
    file, said = screen.export(visit)
    assert file is not None
    (run,) = json.loads(file["text"])["runs"]
    assert run["profile"][0]["score"] == 9
    assert run["judge"]["name"] == "scripted"
    assert run["ratings"][1]["distribution"] == [0, 0, 0, 0, 0, 0.3, 0.6, 0, 0, 0]
    assert [one["agreed"] for one in run["aspects"]] == [None] * 5


def test_a_link_opens_the_mode_with_its_reader() -> None:
    assert reader_asked({"tab": "lab"}) is None
    assert reader_asked({"tab": "lab", "reader": "milo"}) == "milo"
    assert reader_asked({"tab": "lab", "reader": "nobody"}) == OWN
    assert reader_link(OWN) == "?tab=lab&reader=own"
    assert parsed({"reader": "vera"}, LabState).notes == ()


def test_a_setup_with_faults_is_refused_by_the_service_itself(screen_of: Callable[..., ReaderScreen]) -> None:
    (picture,) = asked(screen_of(LabelJudge()), ReaderVisit(), (*[None] * 15, "Only one text.", ""))[-1:]
    assert picture.status == {"text": "Text B is empty.", "kind": "bad"}
    assert not picture.value["is_shown"]
