"""The lab's reader mode: what is asked, what it comes to, and how it ends."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace

import pytest

from evaluator.judges.protocol import Judge, JudgeRequest, JudgeUnavailable, Judgment
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge
from evaluator.lab.demo_readers import DEMO_READERS
from evaluator.lab.judging import LabJudge
from evaluator.lab.reader import MAX_REVIEWS, N_QUESTIONS, NO_JUDGE, ReaderRun, ReaderSetup, problems, reader_run
from submissions.formats.personalized_evaluation.submission import ASPECTS, ProfileReview

SETUP = ReaderSetup(
    (ProfileReview("A lamp burns.", "Dull.", 2), ProfileReview("A bridge sings.", "", 9)), "New a.", "New b."
)


def states(judge: LabJudge | None, setup: ReaderSetup = SETUP, stop: threading.Event | None = None) -> list[ReaderRun]:
    async def collected() -> list[ReaderRun]:
        return [state async for state in reader_run(setup, judge, stop=stop or threading.Event())]

    return asyncio.run(collected())


def lab_judge(judge: Judge) -> LabJudge:
    return LabJudge(lambda: RecordedJudge(judge, MemoryVerdicts()))


def prefers_b_unless_ending(request: JudgeRequest) -> str:
    """Text b wherever it stands; in the aspect Ending the plot shown first."""
    if "ending" in request.rubric.id:
        return "A"
    return "B" if request.fields["plot_b"] == "New b." else "A"


READER = ScriptedJudge(
    profile_rating=lambda request: 3.0 if request.fields["new_text"] == "New a." else 8.25,
    profile_choice=prefers_b_unless_ending,
)


def test_both_texts_are_rated_and_every_aspect_is_asked_in_both_orders() -> None:
    done = states(lab_judge(READER))[-1]
    assert (done.phase, done.n_judged) == ("done", N_QUESTIONS)
    assert [rating.rating for rating in done.ratings] == [3.0, 8.25]
    assert [verdict.aspect for verdict in done.verdicts] == list(ASPECTS)
    assert [verdict.agreed for verdict in done.verdicts] == ["B", "B", "B", "B", None]
    ending = done.verdicts[-1]
    assert (ending.choice, ending.choice_swapped, ending.is_flip) == ("A", "B", True)
    assert done.judge == READER.pin


def test_progress_is_told_after_every_answer() -> None:
    counts = [state.n_judged for state in states(lab_judge(READER)) if state.phase == "judging"]
    assert counts == [0, 2, 4, 6, 8, 10, 12]


def test_the_judge_sees_the_reviews_and_no_score_of_the_new_texts() -> None:
    seen: list[JudgeRequest] = []

    def rating(request: JudgeRequest) -> float:
        seen.append(request)
        return 5.0

    states(lab_judge(ScriptedJudge(profile_rating=rating, profile_choice=prefers_b_unless_ending)))
    assert dict(seen[0].fields) == {
        "earlier_text_1": "A lamp burns.",
        "earlier_review_1": "Dull.",
        "earlier_score_1": "2",
        "earlier_text_2": "A bridge sings.",
        "earlier_score_2": "9",
        "new_text": "New a.",
    }


def test_a_judge_that_compares_texts_says_in_words_that_it_cannot() -> None:
    failed = states(lab_judge(ScriptedJudge()))[-1]
    assert failed.phase == "failed"
    assert "reads no questions about a reader" in failed.failure
    assert "PLUMBLINE_JUDGES=transformers:REPO@COMMIT" in failed.failure


def test_without_a_judge_nobody_takes_the_readers_place() -> None:
    assert [(state.phase, state.failure) for state in states(None)] == [("failed", NO_JUDGE)]


def test_a_judge_that_goes_away_ends_the_run_with_its_reason() -> None:
    def gone() -> RecordedJudge:
        raise JudgeUnavailable("the server does not answer")

    failed = states(LabJudge(gone))[-1]
    assert (failed.phase, failed.failure) == ("failed", "The judge cannot be asked now: the server does not answer")


def test_a_cancelled_run_keeps_what_was_answered() -> None:
    stop = threading.Event()

    def rating(request: JudgeRequest) -> float:
        stop.set()
        return 5.0

    judge = lab_judge(ScriptedJudge(profile_rating=rating, profile_choice=prefers_b_unless_ending))
    ended = states(judge, stop=stop)[-1]
    assert (ended.phase, ended.n_judged) == ("cancelled", 2)


def test_an_answer_without_a_label_is_no_preference() -> None:
    mute = ScriptedJudge(profile_rating=lambda request: None, profile_choice=lambda request: None)
    verdict = states(lab_judge(mute))[-1].verdicts[0]
    assert (verdict.agreed, verdict.is_flip) == (None, False)


def test_the_same_question_is_asked_once() -> None:
    judge = ScriptedJudge(profile_rating=lambda request: 5.0, profile_choice=prefers_b_unless_ending)
    shared = lab_judge(judge)
    states(shared)
    states(shared)
    assert judge.calls == N_QUESTIONS


def test_every_fault_of_a_setup_is_told_at_once() -> None:
    reviews = (
        ProfileReview(" ", "Lost.", 3),
        ProfileReview("A lamp.", "", float("nan")),
        ProfileReview("A lamp.", "x" * 2_001, 11),
    )
    assert problems(ReaderSetup(reviews, "", "y" * 4_001)) == [
        "Review 1 has no text that was reviewed.",
        "Review 2 has no score.",
        "Review 3 has 2,001 characters; at most 2,000 are read.",
        "The score of review 3 is 11; it must lie from 1 to 10.",
        "Text A is empty.",
        "Text B has 4,001 characters; at most 4,000 are read.",
    ]
    too_many = replace(SETUP, reviews=(SETUP.reviews[0],) * (MAX_REVIEWS + 1))
    assert problems(too_many) == ["There are 6 reviews; at most 5 are shown."]


@pytest.mark.parametrize("demo", DEMO_READERS, ids=lambda demo: demo.id)
def test_demo_readers_can_be_asked_about(demo: object) -> None:
    found = next(one for one in DEMO_READERS if one is demo)
    assert problems(found.setup) == []
    assert found.setup.reviews


def test_probabilities_stay_with_their_order() -> None:
    class Sure(ScriptedJudge):
        def _judgment(self, request: JudgeRequest) -> Judgment:
            if request.rubric.is_rating:
                return Judgment(7.0, distribution=(0.0,) * 6 + (1.0, 0.0, 0.0, 0.0), label_mass=1.0)
            return Judgment(None, verdict="A", distribution=(0.7, 0.2), label_mass=0.9)

    sure = Sure(profile_rating=lambda request: 7.0, profile_choice=lambda request: "A")
    verdict = states(lab_judge(sure))[-1].verdicts[0]
    assert verdict.given.distribution == verdict.swapped.distribution == (0.7, 0.2)
    assert verdict.is_flip
