"""A language model proves that it can judge: plain questions of each kind, whose answers nobody would dispute.

Eight questions of a kind, four plainly one way and four plainly the other; where two answers are compared, in both
orders. A judge passes if at least half of its probability is on the labels each time, and if it scores each of the ones
above each of the others. It proves a kind of question the first time it is asked one
(docs/judges.md#a-judge-proves-itself).
"""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from evaluator.judges.label_distribution import LOWEST_LABEL_MASS
from evaluator.judges.profile_prompts import choice_rubric, rating_rubric
from evaluator.judges.prompts import (
    ANSWERS,
    FOLLOWED,
    PREFERENCE_PAIR,
    SIMILARITY_GROUP,
    SIMILARITY_PAIR,
    answer_letter_rubric,
)
from evaluator.judges.protocol import Judge, JudgeRequest, Judgment, RequestKind, Rubric, UnsuitableJudge

logger = logging.getLogger(__name__)

LEAST_GAP = 0.02
"""How far apart the means of the two sides must be, as a share of the scale, so that no rounding error passes."""

WANTED_TOKENS = 5
"""How many of the tokens a model wanted in place of a label are named."""


@dataclass(frozen=True, slots=True)
class ProofQuestion:
    """One plain question."""

    request: JudgeRequest
    is_high: bool
    """Whether its figure must be above that of the others."""
    label: str | None = None
    """The label whose probability is the figure; None = the rating is."""
    pair: int | None = None
    """Which pair it shows in one of its orders: the mean of both orders counts, as on the boards."""

    def figure(self, judgment: Judgment) -> float | None:
        """Return the rating, or the share of the label among all labels; None where the judgment is unscored."""
        if self.label is None:
            return judgment.rating
        if judgment.verdict is None:
            return None
        if not judgment.distribution or not judgment.label_mass:
            return float(judgment.verdict == self.label)
        return judgment.distribution[self.request.rubric.labels.index(self.label)] / judgment.label_mass


@dataclass(frozen=True, slots=True)
class Proof:
    """How a judge answered the plain questions of one rubric."""

    rubric: str
    """Its id and version."""
    questions: int
    unscored: int
    lowest_mass: float | None
    """Of the probability on labels; None for judges that give none."""
    high: tuple[float, ...]
    """Figures of the questions that must be above the others; a pair's is the mean of its orders."""
    low: tuple[float, ...]
    scale: float = 1.0
    """From the least figure to the greatest."""
    wanted: tuple[tuple[str, float], ...] = ()
    """Of a judge that fails, where the least was on labels: the most probable tokens there."""
    reason: str = ""
    """Why the first unscored question is."""

    @property
    def fault(self) -> str | None:
        """Say why the judge cannot be asked this; None where it can."""
        return self.label_fault or self.order_fault

    @property
    def label_fault(self) -> str | None:
        """Say how the judge did not answer with labels; None where it did each time."""
        if self.unscored:
            mass = (
                ""
                if self.lowest_mass is None
                else f"; lowest label mass {self.lowest_mass:.2g}, {LOWEST_LABEL_MASS} is needed"
            )
            return (
                f"it cannot answer {self.rubric}: {self.unscored} of {self.questions} plain questions are unscored "
                f"({self.reason}{mass}{self._wanted_words('it')})"
            )
        return None

    @property
    def order_fault(self) -> str | None:
        """Say that plain cases were not told apart, with the score of each; None where they were.

        Each that must be above is above each of the others. A judge whose scores have nothing to do with the texts
        passes once in C(8, 4) = 70 times.
        """
        if not self.high or not self.low:
            return f"it cannot tell plain cases apart in {self.rubric}: it scored none of them"
        if min(self.high) <= max(self.low):
            rule = "each must be above each of the others"
        elif fmean(self.high) - fmean(self.low) < LEAST_GAP * self.scale:
            rule = f"their means must be {LEAST_GAP * self.scale:.2g} apart"
        else:
            return None
        wanted = self._wanted_words("where label mass was lowest, it")
        return (
            f"it cannot tell plain cases apart in {self.rubric}: those that must be above have {_listed(self.high)}, "
            f"the others {_listed(self.low)} ({self._mass_words}{rule}{wanted})"
        )

    @property
    def _mass_words(self) -> str:
        return "" if self.lowest_mass is None else f"label mass {self.lowest_mass:.3f} or more, "

    def _wanted_words(self, who: str) -> str:
        wanted = ", ".join(f"{token!r} {share:.2g}" for token, share in self.wanted)
        return f"; {who} wanted {wanted}" if wanted else ""

    def __str__(self) -> str:
        return self.fault or f"{self.rubric}: {self._mass_words}{_listed(self.high)} above {_listed(self.low)}"


def _listed(figures: Sequence[float]) -> str:
    return ", ".join(f"{figure:.3g}" for figure in figures)


class FailedProof(UnsuitableJudge):
    """Raised when a judge fails its proof; the judge can be asked what else it can do."""

    def __init__(self, message: str, judge: ProvenJudge) -> None:
        super().__init__(message)
        self.judge = judge

    def __reduce__(self) -> tuple[type[UnsuitableJudge], tuple[str]]:
        """Leave the judge, which may be a model, in the process it is in."""
        return UnsuitableJudge, (str(self),)


class ProvenJudge(Judge):
    """A language model that answers only the kinds of question it has proved it can answer, once it was told to prove.

    Without `demand_proof` it answers everything it is asked.
    """

    _proofs: dict[RequestKind, Proof] | None = None
    _is_measured = False

    def demand_proof(self, rubric: Rubric = SIMILARITY_PAIR, *, is_measured: bool = False) -> None:
        """Prove one rubric now, and every other kind of question before it is first answered.

        Args:
            rubric: What is proved now.
            is_measured: Whether the judge is loaded to find out how good it is: one that answers with labels is then
                taken and warned of, however badly it tells plain cases apart.

        Raises:
            FailedProof: when the judge fails; the text names rubric, label mass, the tokens it wanted, and scores.
        """
        self._proofs, self._is_measured = {}, is_measured
        if fault := self._fault(rubric):
            raise FailedProof(f"{self.pin.model} cannot judge: {fault}", self)

    def _fault(self, rubric: Rubric) -> str | None:
        proof = self.proof(rubric)
        return proof.label_fault if self._is_measured else proof.fault

    def proof(self, rubric: Rubric) -> Proof:
        """Return how the judge answers the plain questions of a rubric's kind; asked once for each kind."""
        known = {} if self._proofs is None else self._proofs
        if rubric.kind not in known:
            known[rubric.kind] = prove(self, rubric)
            logger.log(
                logging.WARNING if known[rubric.kind].fault else logging.INFO,
                "judge %s was asked plain questions: %s",
                self.pin.model,
                known[rubric.kind],
            )
        return known[rubric.kind]

    @property
    def proofs(self) -> tuple[Proof, ...]:
        """What was proved so far."""
        return tuple((self._proofs or {}).values())

    def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        """One judgment per request, in order; unscored with the reason where the judge failed the proof of its kind."""
        rubrics = {request.rubric.kind: request.rubric for request in requests if request.rubric.labels}
        faults = {} if self._proofs is None else {kind: self._fault(rubric) for kind, rubric in rubrics.items()}
        answers = iter(self.answer([request for request in requests if not faults.get(request.rubric.kind)]))
        return [
            Judgment(None, reason=f"the judge failed its proof: {fault}")
            if (fault := faults.get(request.rubric.kind))
            else next(answers)
            for request in requests
        ]

    @abstractmethod
    def answer(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        """Answer requests as they stand, whatever was proved."""

    @abstractmethod
    def wanted_tokens(self, request: JudgeRequest, n: int) -> tuple[tuple[str, float], ...]:
        """Return the most probable next tokens after a request, with their probabilities; empty where none are told."""


def proof_lines(judge: Judge) -> Iterator[str]:
    """Say for each kind of question whether a language model passed, and with what; nothing for others."""
    for proof in every_proof(judge):
        yield f"{'failed' if proof.fault else 'passed'}: {proof}"


def every_proof(judge: Judge) -> list[Proof]:
    """Return the proof of each kind of question, asking what was not asked yet; none for a judge that is no model."""
    return [judge.proof(rubric) for rubric in RUBRICS] if isinstance(judge, ProvenJudge) else []


def prove(judge: ProvenJudge, rubric: Rubric) -> Proof:
    """Ask a judge the plain questions of a rubric's kind."""
    questions = QUESTIONS[rubric.kind]()
    if rubric.kind in ("similarity_pair", "similarity_group"):  # the questions of the others need their own rubric
        questions = [replace(question, request=replace(question.request, rubric=rubric)) for question in questions]
    judgments = judge.answer([question.request for question in questions])
    figures = [question.figure(judgment) for question, judgment in zip(questions, judgments, strict=True)]
    unscored = [place for place, figure in enumerate(figures) if figure is None]
    masses = {place: judgment.label_mass for place, judgment in enumerate(judgments) if judgment.label_mass is not None}
    at = min(masses, key=lambda place: masses[place], default=0)

    def side(is_high: bool) -> tuple[float, ...]:
        by_case: dict[int, list[float]] = {}
        for place, (question, figure) in enumerate(zip(questions, figures, strict=True)):
            if question.is_high is is_high and figure is not None:
                by_case.setdefault(place if question.pair is None else question.pair, []).append(figure)
        return tuple(map(fmean, by_case.values()))

    proof = Proof(
        rubric=f"{questions[0].request.rubric.id} {questions[0].request.rubric.version}",
        questions=len(questions),
        unscored=len(unscored),
        lowest_mass=masses.get(at),
        high=side(True),
        low=side(False),
        scale=float(rubric.labels[-1]) - float(rubric.labels[0]) if rubric.is_rating else 1.0,
        reason=judgments[unscored[0]].reason or "no label" if unscored else "",
    )
    return replace(proof, wanted=judge.wanted_tokens(questions[at].request, WANTED_TOKENS)) if proof.fault else proof


# --- the questions ---------------------------------------------------------------------------------------------------

_SAME = (
    ("How often should a cactus be watered?", "About every two weeks in summer.", "In summer, about every two weeks."),
    ("What is the capital of France?", "The capital of France is Paris.", "Paris is the capital of France."),
    ("How many legs does a spider have?", "A spider has eight legs.", "Every spider has eight legs."),
    ("When does the shop open?", "The shop opens at nine in the morning.", "It opens at nine in the morning."),
)
_DIFFERENT = (
    ("How often should a cactus be watered?", "About every two weeks in summer.", "The train to Oslo was late."),
    ("What is the capital of France?", "The capital of France is Paris.", "I had soup for lunch."),
    ("How many legs does a spider have?", "A spider has eight legs.", "Gold costs more than silver."),
    ("When does the shop open?", "The shop opens at nine in the morning.", "My sister plays the violin."),
)
_LOVED = (
    "A dragon guards a tower.",
    "Two dragons fight over a city.",
    "A girl rides a dragon.",
    "A dragon learns to sing.",
)
_HATED = (
    "A clerk sorts receipts.",
    "A man files his taxes.",
    "Two auditors check a ledger.",
    "An office moves its desks.",
)
_READER = {
    "earlier_text_1": "A knight and a dragon become friends.",
    "earlier_review_1": "I love dragons. Wonderful!",
    "earlier_score_1": "10",
    "earlier_text_2": "An accountant checks a bill.",
    "earlier_review_2": "I hate stories about offices. Terrible!",
    "earlier_score_2": "1",
}
_CHOOSER = {
    "earlier_plot_a_1": "A knight and a dragon become friends.",
    "earlier_plot_b_1": "An accountant checks a bill.",
    "earlier_choice_1": "Plot A",
    "earlier_plot_a_2": "A tax form gets lost.",
    "earlier_plot_b_2": "A dragon flies to the moon.",
    "earlier_choice_2": "Plot B",
}
_OPTIONS = (
    ("What is the capital of France?", "A. Rome\nB. Paris\nC. Oslo", "It is Paris, so I choose B. Paris.", "B", "C"),
    ("Which of these is a fruit?", "A. apple\nB. hammer\nC. chair", "An apple is a fruit: A. apple.", "A", "B"),
    ("Which animal barks?", "A. cow\nB. cat\nC. dog", "A dog barks. The answer is C. dog.", "C", "A"),
    ("What colour is snow?", "A. black\nB. white\nC. green", "Snow is white, so B. white.", "B", "A"),
)


def _pairs(rubric: Rubric, fields: Callable[[str, str], Mapping[str, str]]) -> Iterator[ProofQuestion]:
    for is_high, cases in ((True, _SAME), (False, _DIFFERENT)):
        for place, (prompt, first, second) in enumerate(cases):
            for a, b in ((first, second), (second, first)):
                request = JudgeRequest(rubric, {**fields(a, b), "prompt_1": prompt}, "en")
                yield ProofQuestion(request, is_high, pair=place)


def _similarity_pairs() -> list[ProofQuestion]:
    return list(_pairs(SIMILARITY_PAIR, lambda a, b: {"answer_a": a, "answer_b": b}))


def _similarity_groups() -> list[ProofQuestion]:
    return list(_pairs(SIMILARITY_GROUP, lambda a, b: {"answer_1": a, "answer_2": b}))


def _answers() -> list[ProofQuestion]:
    yes = ANSWERS.labels[0]
    return [
        ProofQuestion(JudgeRequest(ANSWERS, {"prompt_1": prompt, "answer": text}, "en"), is_high, yes)
        for prompt, answer, other in _DIFFERENT
        for text, is_high in ((answer, True), (other, False))
    ]


def _preference_pairs() -> list[ProofQuestion]:
    """The answer beside a text that has nothing to do with the question, in both orders."""
    return [
        ProofQuestion(
            JudgeRequest(PREFERENCE_PAIR, {"answer_a": a, "answer_b": b, "prompt_1": prompt}, "en"),
            is_high=a == answer,
            label="A",
        )
        for prompt, answer, other in _DIFFERENT
        for a, b in ((answer, other), (other, answer))
    ]


def _followed() -> list[ProofQuestion]:
    cases = (
        (
            "Where should I go on holiday?",
            "I like the sea.",
            "Go to the mountains.",
            "You like the sea: go to the sea.",
        ),
        ("What should I eat tonight?", "I like soup.", "Eat some rice.", "You like soup, so eat hot soup."),
        ("What should I read?", "I like stories about dragons.", "Read the news.", "Read stories about dragons."),
        ("How should I travel?", "I prefer the train.", "Take a bus.", "Take the train that you prefer."),
    )
    return [
        ProofQuestion(
            JudgeRequest(
                FOLLOWED, {"question": question, "preference": wish, "control": control, "answer": answer}, "en"
            ),
            is_high,
        )
        for question, wish, control, good in cases
        for answer, is_high in ((good, True), (control, False))
    ]


def _answer_letters() -> list[ProofQuestion]:
    """The probability of the letter that the answer names, above that of a letter it does not name."""
    return [
        ProofQuestion(
            JudgeRequest(answer_letter_rubric(3), {"question": question, "options": options, "answer": answer}, "en"),
            is_high,
            label,
        )
        for question, options, answer, named, other in _OPTIONS
        for label, is_high in ((named, True), (other, False))
    ]


def _profile_ratings() -> list[ProofQuestion]:
    rubric = rating_rubric(has_profile=True)
    return [
        ProofQuestion(JudgeRequest(rubric, {**_READER, "new_text": text}, "en"), is_high)
        for texts, is_high in ((_LOVED, True), (_HATED, False))
        for text in texts
    ]


def _profile_choices() -> list[ProofQuestion]:
    rubric = choice_rubric("Interestingness", has_profile=True)
    return [
        ProofQuestion(JudgeRequest(rubric, {**_CHOOSER, "plot_a": a, "plot_b": b}, "en"), is_high=a == loved, label="A")
        for loved, hated in zip(_LOVED, _HATED, strict=True)
        for a, b in ((loved, hated), (hated, loved))
    ]


QUESTIONS: Mapping[RequestKind, Callable[[], list[ProofQuestion]]] = {
    "similarity_pair": _similarity_pairs,
    "similarity_group": _similarity_groups,
    "answers": _answers,
    "preference_pair": _preference_pairs,
    "followed": _followed,
    "answer_letter": _answer_letters,
    "profile_rating": _profile_ratings,
    "profile_choice": _profile_choices,
}
"""The plain questions of every kind whose answer is a label."""

RUBRICS: tuple[Rubric, ...] = (
    SIMILARITY_PAIR,
    SIMILARITY_GROUP,
    ANSWERS,
    PREFERENCE_PAIR,
    FOLLOWED,
    answer_letter_rubric(3),
    rating_rubric(has_profile=True),
    choice_rubric("Interestingness", has_profile=True),
)
"""One rubric of each kind."""
