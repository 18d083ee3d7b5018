"""The verdict on one column: which option was chosen, whether the preference was followed, and what both come to.

Rules first, the judge where they leave something open. What nobody could read stays unknown and says why; nothing is
guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from threading import Event

from evaluator.lab.judging import LabJudge
from evaluator.lab.setup import SIDES
from evaluator.lab.state import LabState, VerdictCard
from evaluator.personalization import extract_answer, outcome
from evaluator.personalization.answer_extraction import FOR_THE_JUDGE
from evaluator.personalization.bootstrap import is_judged_setting
from evaluator.personalization.evaluate import BY_JUDGE, NEEDS_LANGUAGE_MODEL
from evaluator.personalization.judging import (
    AnswerRequest,
    chosen_letter,
    followed_rating,
    followed_request,
    letter_request,
)
from submissions.formats.personalization.submission import Setting
from submissions.questionsets import Question

NO_RELEVANT_PREFERENCE = "no relevant preference"
NO_CONTROL = "the control is missing, which answers are compared with"

UNREADABLE: dict[str, str] = {
    "unfinished_thinking": "the text ends before the thinking does",
    "empty": "the text is empty",
    "no_rule": "the text names no option in a way that the rules read",
    "conflict": "the text names two options",
    "not_an_option": "the text names a letter that is no option",
}
"""Why a rule found no letter."""


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """One column's texts as they are judged."""

    question: Question
    setting: Setting
    """The column's own: `none` for a control."""
    preference: str | None
    """The relevant one; None where none is, or the column was shown none."""
    control: str | None
    """None where it failed."""
    answer: str


Report = Callable[[VerdictCard], None]
"""Takes the card as it grows."""


def card_by_rules(judged: JudgedAnswer) -> VerdictCard:
    """What can be said without a judge: letters that the rules settle, and right or wrong by them."""
    control, control_rule, control_reason = _letter_by_rules(judged.control, judged.question)
    letter, rule, reason = _letter_by_rules(judged.answer, judged.question)
    card = VerdictCard(
        letter=letter,
        letter_rule=rule,
        letter_reason=reason,
        control_letter=control,
        control_rule=control_rule,
        control_reason=control_reason,
        gold=judged.question.gold,
        followed_reason=_no_rating(judged),
    )
    return _with_correctness(card, open_is_wrong=False)


def _no_rating(judged: JudgedAnswer) -> str | None:
    """Why following is not judged at all; None where it is."""
    if not is_judged_setting(judged.setting) or judged.preference is None:
        return NO_RELEVANT_PREFERENCE
    return NO_CONTROL if judged.control is None else None


def judged_card(judged: JudgedAnswer, judge: LabJudge | None, stop: Event, report: Report) -> VerdictCard:
    """The whole verdict; `report` is told whenever something is added.

    Raises:
        JudgingStopped: when the run was cancelled.
        JudgeUnavailable: when the judge cannot be used; `unfinished_card` then says what is known.
    """
    card = card_by_rules(judged)
    open_texts = _open_texts(card, judged)
    is_rated = _no_rating(judged) is None
    # A judge takes a while to load: it is not, where there is nothing to ask it.
    kinds = judge.kinds(stop) if judge is not None and (open_texts or is_rated) else frozenset()
    if judge is not None and open_texts and "answer_letter" in kinds:
        card = _with_judged_letters(card, judged, open_texts, judge, stop)
    card = _with_correctness(card, open_is_wrong=True)
    report(card)
    if judge is not None and is_rated and "followed" in kinds:
        card = _with_rating(card, judged, judge, stop, report)
    elif is_rated:
        card = replace(card, followed_reason=NEEDS_LANGUAGE_MODEL)
    return concluded(card, judged.setting)


def unfinished_card(card: VerdictCard, judged: JudgedAnswer, failure: str) -> VerdictCard:
    """The card as far as it came when the judge failed: what only the judge could have said is not known."""
    if card.followed is None and card.followed_reason is None:
        card = replace(card, followed_reason=failure)
    if card.correct_with is None and card.letter_rule in FOR_THE_JUDGE:
        card = replace(card, letter_reason=failure)
    if card.correct_without is None and card.control_rule in FOR_THE_JUDGE:
        card = replace(card, control_reason=failure)
    return concluded(card, judged.setting)


# --- letters --------------------------------------------------------------------------------------------------------


def _letter_by_rules(text: str | None, question: Question) -> tuple[str | None, str | None, str | None]:
    """Letter, rule, and why there is no letter."""
    if text is None:
        return None, None, NO_CONTROL
    if not question.options:
        return None, None, "an open question has no options"
    letter, rule = extract_answer(text, question.options)
    return letter, rule, None if letter else UNREADABLE[rule]


def _open_texts(card: VerdictCard, judged: JudgedAnswer) -> tuple[str, ...]:
    """The different texts whose letter the rules leave to the judge."""
    pairs = ((card.control_rule, judged.control), (card.letter_rule, judged.answer))
    return tuple(dict.fromkeys(text for rule, text in pairs if rule in FOR_THE_JUDGE and text is not None))


def _with_judged_letters(
    card: VerdictCard, judged: JudgedAnswer, texts: Sequence[str], judge: LabJudge, stop: Event
) -> VerdictCard:
    """The card with what the judge reads where the rules settled nothing; the rule stays where it finds none too."""
    question = judged.question
    asked = [letter_request(question=question.text, options=question.options, answer=text) for text in texts]
    judgments = dict(zip(texts, judge.ask([request.request for request in asked], stop), strict=True))
    letters = {text: chosen_letter(judgment, len(question.options)) for text, judgment in judgments.items()}
    card = _noting_cuts(card, asked)
    if card.control_rule in FOR_THE_JUDGE and judged.control is not None:
        if letter := letters[judged.control]:
            card = replace(card, control_letter=letter, control_rule=BY_JUDGE, control_reason=None)
        else:
            card = replace(card, control_reason=f"{card.control_reason}, and the judge is not sure of one")
    if card.letter_rule in FOR_THE_JUDGE:
        if letter := letters[judged.answer]:
            card = replace(card, letter=letter, letter_rule=BY_JUDGE, letter_reason=None)
        else:
            card = replace(card, letter_reason=f"{card.letter_reason}, and the judge is not sure of one")
    return card


def _with_correctness(card: VerdictCard, *, open_is_wrong: bool) -> VerdictCard:
    """The card with right and wrong.

    Args:
        open_is_wrong: Whether what the rules left open was put to the judge, or this judge reads no letters: an
            unreadable answer is wrong, as on the board. Until then it is not known.
    """

    def is_right(letter: str | None, rule: str | None) -> bool | None:
        is_open = rule in FOR_THE_JUDGE and not open_is_wrong
        return None if card.gold is None or rule is None or is_open else letter == card.gold

    without = is_right(card.control_letter, card.control_rule)
    return replace(
        card, correct_without=without, correct_with=is_right(card.letter, card.letter_rule), in_qstar=without
    )


# --- following ------------------------------------------------------------------------------------------------------


def _with_rating(card: VerdictCard, judged: JudgedAnswer, judge: LabJudge, stop: Event, report: Report) -> VerdictCard:
    if judged.control is None or judged.preference is None:
        return card
    asked = followed_request(
        question=judged.question.text,
        options=judged.question.options,
        preference=judged.preference,
        control=judged.control,
        answer=judged.answer,
    )
    judgment = judge.ask([asked.request], stop)[0]
    rating = followed_rating(judgment)
    card = _noting_cuts(card, [asked])
    if rating.is_unparsable:
        return replace(card, followed_unreadable=True, followed_reason=f"unreadable: {rating.reason}")
    card = replace(card, followed=rating.rating)
    report(card)
    # The sentence comes after the rating, so that it cannot sway it.
    return replace(card, explanation=judge.explanation(asked.request, judgment, stop))


def _noting_cuts(card: VerdictCard, asked: Sequence[AnswerRequest]) -> VerdictCard:
    cut = (*card.cut, *(field for request in asked for field in request.cut))
    return replace(card, cut=tuple(dict.fromkeys(cut)))


# --- outcome --------------------------------------------------------------------------------------------------------


def concluded(card: VerdictCard, setting: Setting) -> VerdictCard:
    """The card with outcome and reason, as its letters, rating and threshold stand."""
    conclusion = outcome(card.correct_without, card.correct_with, card.is_followed, setting)
    return replace(card, outcome=conclusion, reason=_reason(card, setting))


def at_threshold(state: LabState, threshold: float) -> LabState:
    """The state with both cards as they were under another threshold. Changes cards only: no tally, no board."""
    changed = state
    for side in SIDES:
        column = state.column(side)
        if column.verdict is not None and column.verdict.outcome is not None:
            card = concluded(replace(column.verdict, threshold=threshold), state.setup.setting_of(side))
            changed = changed.with_column(side, replace(column, verdict=card))
    return changed


def _reason(card: VerdictCard, setting: Setting) -> str:
    """What the outcome rests on: "followed 4 of 5, but the answer went from B (right) to A"."""
    movement = _movement(card, setting)
    if not is_judged_setting(setting) or card.in_qstar is False:
        return movement
    is_contrast = card.is_followed is not None and card.is_followed != card.correct_with is not None
    return f"{_following(card)}, {'but' if is_contrast else 'and'} {movement}"


def _following(card: VerdictCard) -> str:
    if card.followed_unreadable:
        return "the rating is unreadable, which counts as not followed"
    if card.followed is None:
        return f"whether the preference is followed is not known ({card.followed_reason})"
    if card.is_followed:
        return f"followed {rating_text(card.followed)} of 5"
    return f"followed only {rating_text(card.followed)} of 5 ({rating_text(card.threshold)} counts as followed)"


def _movement(card: VerdictCard, setting: Setting) -> str:
    """What became of the choice."""
    if card.gold is None:
        return "the right option is not known"
    if card.correct_without is None:
        return f"what the control chose is not known ({card.control_reason})"
    if card.correct_with is None:
        return f"what the answer chose is not known ({card.letter_reason})"
    control = card.control_letter or "no readable option"
    answer = card.letter or "no readable option"
    if setting == "none":
        return f"the control is right ({control})" if card.correct_without else _wrong("the control is", control, card)
    if card.correct_without:
        went = f"stayed {answer} (right)" if card.correct_with else f"went from {control} (right) to {answer}"
        return f"the answer {went}"
    before = _wrong("the control was", control, card)
    if card.correct_with:
        return f"{before}, the answer is right ({answer}): outside Q*"
    return f"{before}, and so is the answer ({answer}): outside Q*"


def _wrong(what: str, letter: str, card: VerdictCard) -> str:
    return f"{what} wrong ({letter}; right is {card.gold})"


def rating_text(rating: float) -> str:
    """A rating as it is shown; to hundredths, so that 2.98 does not read as a 3 that is not enough.

    >>> rating_text(4.0), rating_text(2.98), rating_text(2.5)
    ('4', '2.98', '2.5')
    """
    return f"{rating:.2f}".rstrip("0").removesuffix(".")
