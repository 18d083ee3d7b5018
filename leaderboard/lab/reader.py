"""What the lab's reader mode shows; no components, so that it is tested without a browser."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict
from typing import NamedTuple, TypedDict
from urllib.parse import urlencode

from evaluator.judges.protocol import Judgment
from evaluator.lab.demo_readers import DEMO_READERS, DemoReader
from evaluator.lab.gate import LabVisitor
from evaluator.lab.reader import (
    ENDED,
    MAX_REVIEWS,
    N_QUESTIONS,
    WHO_CAN,
    AspectVerdict,
    ReaderRun,
    ReaderSetup,
    problems,
    unable,
)
from evaluator.lab.serving import LabService
from evaluator.results import Pin
from leaderboard.lab.values import StatusValue
from leaderboard.parts.card_values import FactValue, JudgeCardsValue, JudgeCardValue
from leaderboard.parts.downloads import JSON, FileValue, file_value
from leaderboard.parts.notices import NoticeValue, notice
from leaderboard.parts.visible_text import visible
from submissions.formats.personalized_evaluation.submission import CHOICES, DEFAULT_SCALE, ProfileReview

OWN = "own"
"""The choice of a reader of one's own."""
OWN_TITLE = "a reader of your own"
READER = "reader"
"""Query parameter of the mode: a demo reader's id, or `own`."""


class ReviewFields(NamedTuple):
    """One row of the form, as the page holds it."""

    text: str
    review: str
    score: float | None

    @property
    def is_blank(self) -> bool:
        return not (self.text.strip() or self.review.strip())

    def as_review(self) -> ProfileReview:
        """The review; without a score its score is NaN, which is told as a fault."""
        return ProfileReview(self.text.strip(), self.review.strip(), math.nan if self.score is None else self.score)


NO_REVIEW = ReviewFields("", "", None)


class ReaderForm(NamedTuple):
    """The form, as the page holds it."""

    reviews: tuple[ReviewFields, ...]
    text_a: str
    text_b: str


def form_of_fields(fields: Sequence[object]) -> ReaderForm:
    """The form from the values of its components: three of every review, then both texts. A client may send "
    "anything."""
    *reviews, text_a, text_b = fields
    rows = tuple(
        ReviewFields(_text(reviews[3 * n]), _text(reviews[3 * n + 1]), _score(reviews[3 * n + 2]))
        for n in range(len(reviews) // 3)
    )
    return ReaderForm(rows, _text(text_a), _text(text_b))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _score(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def fields_of(setup: ReaderSetup) -> tuple[str | float | None, ...]:
    """Values of the form's components for a setup; rows beyond its reviews are blank."""
    rows = [ReviewFields(review.text, review.review, review.score) for review in setup.reviews]
    rows += [NO_REVIEW] * (MAX_REVIEWS - len(rows))
    return (*(value for row in rows for value in row), setup.text_a, setup.text_b)


def setup_of(form: ReaderForm) -> ReaderSetup:
    """The setup of a form; blank rows are none."""
    reviews = tuple(row.as_review() for row in form.reviews if not row.is_blank)
    return ReaderSetup(reviews, form.text_a.strip(), form.text_b.strip())


# --- the picture -----------------------------------------------------------------------------------------------------


class LabelBarValue(TypedDict):
    """One label with its probability."""

    label: str
    share: str
    text: str
    is_chosen: bool


class RatedTextValue(TypedDict):
    """What the reader would give one text."""

    title: str
    rating: str
    """Blank until it is known."""
    note: str
    bars: list[LabelBarValue]


class AspectValue(TypedDict):
    """One aspect: both orders, and what they come to."""

    aspect: str
    given: str
    swapped: str
    outcome: str
    is_flip: bool


class ReaderValue(TypedDict):
    """Everything a run shows; every string is shown as text."""

    is_shown: bool
    texts: list[RatedTextValue]
    aspects: list[AspectValue]
    summary: str
    facts: list[FactValue]
    cards: list[JudgeCardValue]


NO_RUN: ReaderValue = {"is_shown": False, "texts": [], "aspects": [], "summary": "", "facts": [], "cards": []}


def reader_status(run: ReaderRun | None) -> StatusValue:
    """One sentence about the run."""
    if run is None:
        return {"text": "Nothing has been asked yet.", "kind": "plain"}
    match run.phase:
        case "queued":
            return {"text": f"Waiting: number {run.queue_position} in line.", "kind": "busy"}
        case "loading":
            return {"text": "The judge is being loaded …", "kind": "busy"}
        case "judging":
            return {"text": f"Asking the judge: {run.n_judged} of {N_QUESTIONS} questions answered.", "kind": "busy"}
        case "done":
            return {"text": f"Done: {N_QUESTIONS} questions answered.", "kind": "good"}
        case "cancelled":
            return {"text": f"Stopped after {run.n_judged} of {N_QUESTIONS} questions.", "kind": "warning"}
        case _:
            return {"text": visible(run.failure), "kind": "bad"}


def reader_value(run: ReaderRun | None, card: JudgeCardValue | None) -> ReaderValue:
    """The run as it stands."""
    if run is None or not (run.ratings or run.verdicts):
        return NO_RUN
    return {
        "is_shown": True,
        "texts": [_rated(name, rating) for name, rating in zip(CHOICES, run.ratings, strict=False)],
        "aspects": [_aspect(verdict) for verdict in run.verdicts],
        "summary": _summary(run.verdicts),
        "facts": _rating_facts(run.ratings),
        "cards": [card] if card else [],
    }


def _rated(name: str, judgment: Judgment) -> RatedTextValue:
    distribution = judgment.distribution or ()
    most = max(distribution, default=0.0)
    return {
        "title": f"Text {name}",
        "rating": "" if judgment.rating is None else f"{judgment.rating:.1f} of {DEFAULT_SCALE.high:g}",
        "note": visible(judgment.reason or ""),
        "bars": [
            {
                "label": str(label),
                "share": f"{share / most:.3f}" if most else "0",
                "text": f"{share:.2f}",
                "is_chosen": share == most,
            }
            for label, share in enumerate(distribution, start=1)
        ],
    }


def _aspect(verdict: AspectVerdict) -> AspectValue:
    if verdict.agreed:
        outcome = f"text {verdict.agreed}, in both orders"
    elif verdict.is_flip:
        place = "first" if verdict.choice == "A" else "second"
        outcome = f"no preference to rely on: it chose the {place} text both times"
    else:
        outcome = "no answer in at least one order"
    return {
        "aspect": verdict.aspect,
        "given": _order_words(verdict.choice, verdict.given, "A"),
        "swapped": _order_words(verdict.choice_swapped, verdict.swapped, "B"),
        "outcome": outcome,
        "is_flip": verdict.is_flip,
    }


def _order_words(choice: str | None, judgment: Judgment, first: str) -> str:
    """The text chosen, and how probable it was."""
    if choice is None:
        return visible(judgment.reason or "no answer")
    shares = judgment.distribution
    return f"text {choice}" if not shares else f"text {choice} ({shares[0 if choice == first else 1]:.2f})"


def _summary(verdicts: Sequence[AspectVerdict]) -> str:
    if not verdicts:
        return ""
    counts = {text: sum(verdict.agreed == text for verdict in verdicts) for text in CHOICES}
    flips = sum(verdict.is_flip for verdict in verdicts)
    parts = [f"text {text} in {count}" for text, count in counts.items() if count]
    said = f"Preferred in both orders: {', '.join(parts)} of {len(verdicts)} aspects"
    if not parts:
        said = "In no aspect is one text preferred in both orders"
    return f"{said}; the order decided {flips}." if flips else f"{said}; no verdict changed with the order."


def _rating_facts(ratings: Sequence[Judgment]) -> list[FactValue]:
    values = [rating.rating for rating in ratings]
    if len(values) < len(CHOICES) or any(value is None for value in values):
        return []
    first, second = (value or 0.0 for value in values)
    return [{"name": "Difference of the ratings (A less B)", "text": f"{first - second:+.1f}"}]


# --- the screen ------------------------------------------------------------------------------------------------------


class ReaderVisit:
    """What one browser session has asked in this mode. No dataclass, for gradio takes those apart."""

    def __init__(self) -> None:
        self.runs: list[ReaderRun] = []
        """Finished runs, oldest first."""
        self.stop: threading.Event | None = None
        """Ends the run under way; None while nothing runs."""

    def __deepcopy__(self, memo: object) -> ReaderVisit:
        """gradio makes every visitor's state by copying the first one: each begins with nothing."""
        return ReaderVisit()

    def cancel(self) -> None:
        """Ends the run under way, if there is one."""
        if self.stop is not None:
            self.stop.set()


class ReaderPicture(NamedTuple):
    """What a run shows: status and view."""

    status: StatusValue
    value: ReaderValue


class ReaderScreen:
    """Form and visit -> values of the mode's components.

    Args:
        lab: None = nothing can be asked here.
        card_of: The short card of a judge.
        judge_name: Of the first configured judge; blank = none is configured.
        is_rated: Whether that judge is a language model.
    """

    def __init__(
        self, lab: LabService | None, card_of: Callable[[Pin], JudgeCardsValue], *, judge_name: str, is_rated: bool
    ) -> None:
        self._lab = lab
        self._card_of = card_of
        self._judge_name = judge_name
        self._is_rated = is_rated

    def choices(self) -> list[tuple[str, str]]:
        """Readers to begin with: words, id."""
        return [*((demo.title, demo.id) for demo in DEMO_READERS), (OWN_TITLE, OWN)]

    def demo(self, reader: object) -> DemoReader | None:
        """The demo reader of that id."""
        return next((demo for demo in DEMO_READERS if demo.id == reader), None)

    def first_fields(self) -> tuple[str | float | None, ...]:
        """The form at first: the first demo reader."""
        return fields_of(DEMO_READERS[0].setup)

    def chosen_fields(self, reader: object) -> tuple[str | float | None, ...]:
        """The form of a reader; blank for one of one's own."""
        demo = self.demo(reader)
        return fields_of(demo.setup if demo else ReaderSetup((), "", ""))

    def unable(self) -> NoticeValue | None:
        """Why the judge of this site may not be able to answer; None where it is a language model."""
        if self._is_rated or self._judge_name == "auto":
            return None
        if not self._judge_name:
            return notice("warning", "No judge is configured here, so nobody can take the reader's place.")
        return notice("warning", unable(self._judge_name.partition(":")[0]), WHO_CAN)

    def faults(self, form: ReaderForm) -> NoticeValue | None:
        """Everything that keeps the form from being asked."""
        faults = problems(setup_of(form))
        return notice("bad", "This cannot be asked yet.", *(visible(fault) for fault in faults)) if faults else None

    async def run(
        self, visit: ReaderVisit, form: ReaderForm, visitor: LabVisitor
    ) -> AsyncGenerator[ReaderPicture, None]:
        """Asks the judge and yields what the page shows after every answer. Closing it cancels the run."""
        if self._lab is None or visit.stop is not None:
            return
        visit.stop = threading.Event()
        last: ReaderRun | None = None
        try:
            async with aclosing(self._lab.read_as(setup_of(form), visitor, stop=visit.stop)) as states:
                async for state in states:
                    last = state
                    yield self.picture(state)
        finally:
            visit.stop.set()
            visit.stop = None
            if last is not None and last.phase in ENDED and last.n_judged:
                visit.runs.append(last)

    def picture(self, run: ReaderRun | None) -> ReaderPicture:
        """The page as a run stands."""
        cards = self._card_of(run.judge)["cards"] if run and run.judge else []
        return ReaderPicture(reader_status(run), reader_value(run, cards[0] if cards else None))

    def export(self, visit: ReaderVisit) -> tuple[FileValue | None, NoticeValue | None]:
        """The session's runs as a file, or why there is none."""
        if not visit.runs:
            return None, notice("warning", "There is nothing to export yet.", "Ask the judge first.")
        body = {"kind": "reader_lab_session", "runs": [exported_run(run) for run in visit.runs]}
        text = json.dumps(body, ensure_ascii=False, indent=1) + "\n"
        return file_value("preference-lab-readers.json", JSON, text), None


def exported_run(run: ReaderRun) -> dict[str, object]:
    """A run as JSON: who was predicted, on what, by which judge, and every answer with its distribution."""
    return {
        "phase": run.phase,
        "profile": [
            {"text": review.text, "review": review.review, "score": review.score} for review in run.setup.reviews
        ],
        "text_a": run.setup.text_a,
        "text_b": run.setup.text_b,
        "judge": run.judge.model_dump(mode="json") if run.judge else None,
        "ratings": [_exported(judgment) for judgment in run.ratings],
        "aspects": [
            {
                "aspect": verdict.aspect,
                "choice": verdict.choice,
                "choice_swapped": verdict.choice_swapped,
                "agreed": verdict.agreed,
                "given": _exported(verdict.given),
                "swapped": _exported(verdict.swapped),
            }
            for verdict in run.verdicts
        ],
    }


def _exported(judgment: Judgment) -> dict[str, object]:
    return {**asdict(judgment), "details": dict(judgment.details)}


def reader_link(reader: str) -> str:
    """The query that opens the mode with a reader.

    >>> reader_link("vera")
    '?tab=lab&reader=vera'
    """
    return "?" + urlencode([("tab", "lab"), (READER, reader)])


def reader_asked(query: Mapping[str, str]) -> str | None:
    """The reader a query asks for; None where it asks for none, and one's own where it is unknown."""
    if READER not in query:
        return None
    return next((demo.id for demo in DEMO_READERS if demo.id == query[READER]), OWN)
