"""A run of the lab -> what its components show. Pure; every text of strangers passes through `visible`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Literal, TypedDict

from evaluator.lab.setup import SIDES, LabSetup, Side, setting_explanation
from evaluator.lab.state import ColumnState, LabState, PairwiseState, Pane, Status, SwapResult, VerdictCard
from evaluator.lab.verdicts import rating_text
from evaluator.personalization.evaluate import BY_JUDGE
from evaluator.personalization.figures import Outcome
from leaderboard.parts.card_values import CardFactValue
from leaderboard.parts.text_difference import DifferencePart, amount, difference_parts, same_part
from leaderboard.parts.visible_text import visible
from submissions.formats.personalization.submission import FOLLOW_THRESHOLD, PREF_ALIGNER

NOT_KNOWN = "not known"

Tone = Literal["good", "warning", "bad", "plain"]

IDLE = "Press Run: both columns are written here, word by word."

HOW_TO_JUDGE = (
    "To get ratings and comparisons here, configure a language model as judge: PLUMBLINE_JUDGES, see docs/judges.md."
)


class BadgeValue(TypedDict):
    """A short mark on an answer."""

    text: str
    tooltip: str
    kind: str


class PaneValue(TypedDict):
    """One text being written, for `components.AnswerPane`."""

    title: str
    who: str
    status: str
    status_text: str
    tokens: str
    seconds: str
    rate: str
    stage: str
    parts: list[DifferencePart]
    is_raw: bool
    is_writing: bool
    placeholder: str
    badges: list[BadgeValue]
    legend: str
    thoughts: str
    failure: str


class ControlsValue(TypedDict):
    """The strip of controls."""

    explanation: str
    panes: list[PaneValue]


class VerdictValue(TypedDict):
    """One verdict card."""

    title: str
    tone: Tone
    outcome: str
    reason: str
    facts: list[CardFactValue]
    explanation: str
    notes: list[str]


class NamedText(TypedDict):
    """A fact in two words."""

    name: str
    text: str


class PairwiseValue(TypedDict):
    """A against B."""

    title: str
    sentence: str
    orders: list[NamedText]


class PromptTurn(TypedDict):
    """One turn of a prompt."""

    role: str
    content: str


class PromptValue(TypedDict):
    """One prompt, word for word."""

    title: str
    messages: list[PromptTurn]


class PromptsValue(TypedDict):
    """All prompts of a run."""

    prompts: list[PromptValue]
    none: str
    """What to say where there is none."""


class SettingValue(TypedDict):
    """What list and flag come to."""

    setting: str
    meaning: str
    formula: str
    notes: list[str]


class OptionValue(TypedDict):
    """One option as the models saw it."""

    letter: str
    text: str
    is_gold: bool


class PreferenceValue(TypedDict):
    """One preference as it was shown."""

    text: str
    is_relevant: bool


class SetupValue(TypedDict):
    """Question and preferences of a run that is looked at again."""

    origin: str
    question: str
    twin: str
    options: list[OptionValue]
    preferences: list[PreferenceValue]
    setting: str


class SetupLineValue(TypedDict):
    """What is set, for `components.SetupLine`."""

    facts: list[str]
    """Question, preferences, systems, model."""
    shown: int | None
    """Number of the run that is shown; 0 = none is, None = left as it is."""


class StatusValue(TypedDict):
    """One sentence about the run."""

    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a column is shown, and what may be told there."""

    side: Side
    """Of the setup."""
    title: str
    """"A", "B", or while names are hidden "Answer 1", "Answer 2"."""
    is_hidden: bool = False
    """Whether names, verdicts and everything that gives a method away stay hidden."""


OPEN_PLACES = (Place("a", "A"), Place("b", "B"))


# --- texts ------------------------------------------------------------------------------------------------------------


_STATUS: dict[Status, str] = {
    "waiting": "waiting",
    "writing": "writing…",
    "done": "done",
    "cancelled": "stopped",
    "failed": "failed",
}


def idle_pane(title: str, who: str) -> PaneValue:
    """A column before anything was run."""
    return _pane(title, who, Pane(), placeholder=IDLE) | {"status_text": ""}


def answer_pane(state: LabState, place: Place) -> PaneValue:
    """One column of a run as it stands."""
    column = state.column(place.side)
    if place.is_hidden:
        return _hidden_pane(state, column, place)
    shown = _current(state, place.side)
    value = _pane(f"{place.title}", shown_name(state.setup, place.side), shown.pane, stage=shown.stage)
    value["is_raw"] = shown.is_raw
    value["failure"] = visible(shown.pane.failure or "")
    if column.final is not None:
        value["parts"] = _final_parts(column)
        value["is_raw"] = False
        value["legend"] = _legend(value["parts"])
    value["thoughts"] = visible(column.thoughts or "")
    value["badges"] = _badges(state, column, shown.pane)
    return value


@dataclass(frozen=True, slots=True)
class _Current:
    """What a column shows at this moment: its draft, its answer, or the reply of stage 2."""

    pane: Pane
    stage: str
    is_raw: bool = False


def _current(state: LabState, side: Side) -> _Current:
    column, setup = state.column(side), state.setup
    control = state.controls.get(setup.control_key(side), Pane())
    if setup.method_of(side) != PREF_ALIGNER:
        return _Current(column.answer, "")
    both = _together(control, column.answer)
    if column.final is not None:
        outcome = "the draft is kept" if column.unchanged else "changes to the draft:"
        counts = f"Draft {control.tokens} + edit {column.answer.tokens} tokens; " if both.tokens else ""
        return _Current(both, f"{counts}{outcome}")
    if column.answer.status == "waiting":
        return _Current(control, "Stage 1 of 2: the draft, without preferences")
    return _Current(both, "Stage 2 of 2: the reply as the model writes it (JSON)", is_raw=True)


def _together(draft: Pane, edit: Pane) -> Pane:
    """Both stages as one: the text of the second, the tokens and seconds of both."""
    return Pane(
        status=edit.status,
        text=edit.text,
        tokens=draft.tokens + edit.tokens,
        seconds=draft.seconds + edit.seconds,
        finish_reason=edit.finish_reason,
        failure=edit.failure or draft.failure,
    )


def _hidden_pane(state: LabState, column: ColumnState, place: Place) -> PaneValue:
    """Text and nothing else: counts, stages, badges and changes would tell the method."""
    current = _current(state, place.side)
    text = column.final if column.final is not None else current.pane.text
    if current.is_raw and column.final is None:
        text = state.controls.get(state.setup.control_key(place.side), Pane()).text
    value = _pane(place.title, "name hidden", Pane(status=current.pane.status, text=text))
    return value | {"tokens": "", "seconds": "", "rate": ""}


def _pane(title: str, who: str, pane: Pane, *, stage: str = "", placeholder: str = "") -> PaneValue:
    # Stored answers say neither how many tokens they took nor how long.
    is_counted = pane.status == "writing" or pane.tokens > 0
    return {
        "title": title,
        "who": visible(who),
        "status": pane.status,
        "status_text": _STATUS[pane.status],
        "tokens": f"{pane.tokens} tokens" if is_counted else "",
        "seconds": f"{pane.seconds:.1f} s" if is_counted else "",
        "rate": f"{pane.tokens / pane.seconds:.1f} tokens/s" if pane.tokens and pane.seconds else "",
        "stage": stage,
        "parts": [same_part(pane.text)] if pane.text else [],
        "is_raw": False,
        "is_writing": pane.status == "writing",
        "placeholder": placeholder,
        "badges": [],
        "legend": "",
        "thoughts": "",
        "failure": visible(pane.failure or ""),
    }


def _final_parts(column: ColumnState) -> list[DifferencePart]:
    final = column.final or ""
    if column.draft is None or column.unchanged:
        return [same_part(final)] if final else []
    return difference_parts(column.draft, final)


def _legend(parts: Sequence[DifferencePart]) -> str:
    if not any(part["is_added"] or part["is_removed"] for part in parts):
        return ""
    added, removed = amount(parts)
    return f"{added} added (underlined), {removed} removed (struck through)"


def _badges(state: LabState, column: ColumnState, pane: Pane) -> list[BadgeValue]:
    badges: list[BadgeValue] = []
    if column.unchanged and not column.fallback:
        badges.append(_badge("unchanged", "The final text is the draft, white space aside.", "plain"))
    if column.fallback:
        badges.append(_badge(ALIGNER_FAILED, "The aligner's reply could not be read, so the draft is kept.", "warning"))
    if column.truncated:
        badges.append(
            _badge("truncated", "The text was cut at the longest length allowed (finish_reason length).", "warning")
        )
    if pane.status == "cancelled" or (state.phase == "cancelled" and column.final is None):
        badges.append(_badge("stopped", "Stopped before its end; nothing of it is counted.", "bad"))
    return badges


def _badge(text: str, tooltip: str, kind: str) -> BadgeValue:
    return {"text": text, "tooltip": tooltip, "kind": kind}


def column_name(setup: LabSetup, side: Side) -> str:
    """`pref_aligner, scripted`: method and generator of a column, as votes name a system."""
    column = setup.column(side)
    return f"{column.method}, {column.generator}"


def shown_name(setup: LabSetup, side: Side) -> str:
    """`Pref-Aligner, scripted`: the same as people read it."""
    column = setup.column(side)
    return f"{_METHODS.get(column.method, column.method)}, {column.generator}"


def controls_value(state: LabState | None, places: Sequence[Place] = OPEN_PLACES) -> ControlsValue | None:
    """The third strip; None before a run, and while names are hidden: the control is the draft of one side."""
    if state is None or any(place.is_hidden for place in places):
        return None
    panes = [
        _pane(visible(_control_title(key)), "", pane) | {"badges": _control_badges(pane)}
        for key, pane in state.controls.items()
    ]
    return {"explanation": "no preferences; run once per model, and the draft of Pref-Aligner", "panes": panes}


def _control_title(key: str) -> str:
    name, mark, twin = key.rpartition("#")
    return f"{name}, twin wording" if mark and twin == "b" else key


def _control_badges(pane: Pane) -> list[BadgeValue]:
    if pane.status == "cancelled":
        return [_badge("stopped", "Stopped before its end.", "bad")]
    if pane.finish_reason == "length":
        return [_badge("truncated", "Cut at the longest length allowed.", "warning")]
    return []


def prompts_value(state: LabState | None, places: Sequence[Place] = OPEN_PLACES) -> PromptsValue:
    """Every prompt of the run that has been sent; none while names are hidden."""
    if state is None:
        return {"prompts": [], "none": "They appear here word for word once a run begins."}
    if any(place.is_hidden for place in places):
        return {"prompts": [], "none": "Hidden until you vote or skip."}
    controls = [_prompt(f"Control, {_control_title(key)}", pane) for key, pane in state.controls.items()]
    columns = [_prompt(f"{side.upper()}, {shown_name(state.setup, side)}", state.column(side).answer) for side in SIDES]
    sent = [prompt for prompt in (*controls, *columns) if prompt["messages"]]
    return {"prompts": sent, "none": "" if sent else "Stored answers come without their prompts."}


def _prompt(title: str, pane: Pane) -> PromptValue:
    turns: list[PromptTurn] = [{"role": turn.role, "content": visible(turn.content)} for turn in pane.messages]
    return {"title": visible(title), "messages": turns}


# --- verdicts ---------------------------------------------------------------------------------------------------------


ALIGNER_FAILED = "Aligner failed; draft kept"
"""Stands where an answer is the draft because stage 2 was unreadable: it shows nothing about the method."""
_FAILED_REASON = "The reply of stage 2 could not be read. This answer is the draft, so it is not counted as robust."

OUTCOMES: dict[Outcome, tuple[str, Tone]] = {
    "robust": ("robust", "good"),
    "breakage": ("breakage", "bad"),
    "alignment_failure": ("alignment failure", "bad"),
    "breakage_and_alignment_failure": ("breakage and alignment failure", "bad"),
    "recovered": ("recovered: wrong to right", "plain"),
    "never_right": ("never right", "plain"),
    "not_known": (NOT_KNOWN, "plain"),
}


def verdict_value(state: LabState | None, place: Place) -> VerdictValue:
    """The verdict card of one column; what is not known yet says so, so that nothing jumps."""
    title = f"Verdict on {place.title}"
    if place.is_hidden:
        return _no_verdict(title, "Hidden until you vote or skip.")
    card = state.column(place.side).verdict if state else None
    if state is None or card is None:
        return _no_verdict(title, _why_no_verdict(state, place))
    outcome, tone = OUTCOMES[card.outcome] if card.outcome else ("", "plain")
    reason = _sentence(card.reason) if card.outcome else "The judge is working …"
    has_failed = bool(state.column(place.side).fallback)
    if has_failed and card.outcome:
        outcome, tone, reason = ALIGNER_FAILED, "warning", _FAILED_REASON
    return {
        "title": title,
        "tone": tone,
        "outcome": outcome,
        "reason": reason,
        "facts": _facts(card, has_failed=has_failed),
        "explanation": visible(card.explanation or ""),
        "notes": _card_notes(card),
    }


def _no_verdict(title: str, reason: str) -> VerdictValue:
    return {
        "title": title,
        "tone": "plain",
        "outcome": "",
        "reason": reason,
        "facts": [],
        "explanation": "",
        "notes": [],
    }


def _why_no_verdict(state: LabState | None, place: Place) -> str:
    if state is None:
        return "Option chosen, right or wrong, followed, robust: shown once the answer is complete."
    if state.phase in ("cancelled", "failed"):
        return "No verdict: the run did not finish."
    if state.phase == "done":
        return "Not judged."
    control = state.controls.get(state.setup.control_key(place.side), Pane())
    if state.column(place.side).answer.status == "done" and control.status in ("waiting", "writing"):
        return "Waiting for the answer without preferences, which this one is compared with …"
    return "Waiting for the answer …"


def _sentence(reason: str) -> str:
    shown = visible(reason)
    return f"{shown[:1].upper()}{shown[1:]}." if shown else ""


def _facts(card: VerdictCard, *, has_failed: bool) -> list[CardFactValue]:
    return [
        _fact(
            "Option chosen",
            _letter(card.letter, card.letter_rule, card.letter_reason),
            "The letter of the option that this answer chooses.",
        ),
        _fact(
            "Option without preferences",
            _letter(card.control_letter, card.control_rule, card.control_reason),
            "The letter of the option that the control chooses.",
        ),
        _fact("Right option", card.gold or NOT_KNOWN, "The gold letter, where the question has one."),
        _fact("Right without preferences", _yes(card.correct_without), "c0: is the control right?"),
        _fact("Right with preferences", _yes(card.correct_with), "c1: is this answer right?"),
        _fact(
            "Counted",
            _yes(card.in_qstar),
            "Only questions whose control is right (Q*) count for breakage and robustness.",
        ),
        _fact("Followed", _followed(card), f"Rated 1 to 5 by the judge; from {card.threshold:g} on it is followed."),
        _fact(
            "Robust",
            "not counted: the aligner failed" if has_failed else _robust(card),
            "Still right, and where a preference is relevant, followed.",
        ),
    ]


def _fact(name: str, text: str, tooltip: str) -> CardFactValue:
    return {"name": name, "text": visible(text), "tooltip": tooltip, "is_faint": text.startswith((NOT_KNOWN, "none"))}


_RULES = {
    "statement": "stated in the text",
    "leading": "the text begins with it",
    "option_text": "named by its text",
    BY_JUDGE: "read by the judge",
}


def _letter(letter: str | None, rule: str | None, reason: str | None) -> str:
    if letter is None:
        return f"none: {reason}" if reason else "none"
    return f"{letter}, {_RULES.get(rule or '', rule or 'not said how it was found')}"


def _yes(value: bool | None) -> str:
    return NOT_KNOWN if value is None else "yes" if value else "no"


def _followed(card: VerdictCard) -> str:
    reported = (
        "" if card.reported_rating is None else f"; reported by the team: {rating_text(card.reported_rating)} of 5"
    )
    if card.followed is None:
        return f"none: {card.followed_reason or 'not judged'}{reported}"
    return f"{rating_text(card.followed)} of 5, {_yes(card.is_followed)} (from {card.threshold:g}){reported}"


def _robust(card: VerdictCard) -> str:
    if card.is_robust is None and card.outcome in ("recovered", "never_right"):
        return "not counted: the control was wrong"
    return _yes(card.is_robust)


def _card_notes(card: VerdictCard) -> list[str]:
    notes = []
    if card.threshold != FOLLOW_THRESHOLD:
        notes.append(
            f"Threshold moved to {card.threshold:g}: this card only. Tally and boards count from {FOLLOW_THRESHOLD}."
        )
    if "needs a language-model judge" in f"{card.followed_reason} {card.letter_reason} {card.control_reason}":
        notes.append(HOW_TO_JUDGE)
    if card.cut:
        notes.append(f"Cut for the judge at its longest length: {', '.join(card.cut)}.")
    return notes


_PAIRWISE: dict[SwapResult, str] = {
    "consistent_a": "A is better in both orders.",
    "consistent_b": "B is better in both orders.",
    "consistent_tie": "A tie in both orders.",
    "primacy_flip": "Primacy flip: whichever is shown first wins. This is about the judge, not A or B.",
    "recency_flip": "Recency flip: whichever is shown last wins. This is about the judge, not A or B.",
    "error": "No usable verdict in at least one order.",
}


def pairwise_value(state: LabState | None, *, is_hidden: bool = False) -> PairwiseValue:
    """The comparison in both orders."""
    title = "A against B, judged in both orders"
    if is_hidden:
        return {"title": title, "sentence": "Hidden until you vote or skip.", "orders": []}
    if state is None:
        return {"title": title, "sentence": "Compared once both answers are complete.", "orders": []}
    return {"title": title, "sentence": _pairwise_sentence(state), "orders": _orders(state.pairwise)}


def _pairwise_sentence(state: LabState) -> str:
    pairwise = state.pairwise
    if pairwise.result is not None:
        reason = f" ({pairwise.reason})" if pairwise.reason and pairwise.result == "error" else ""
        return f"{_PAIRWISE[pairwise.result]}{visible(reason)}"
    if pairwise.reason:
        needs = f" {HOW_TO_JUDGE}" if "needs a language-model judge" in pairwise.reason else ""
        return f"{_sentence(pairwise.reason)}{needs}"
    return "Waiting for both answers …" if state.phase in ("queued", "writing", "judging") else "Not judged."


_SLOTS = {
    "A": ("A, shown first", "B, shown first"),
    "B": ("B, shown second", "A, shown second"),
    "C": ("a tie", "a tie"),
    "N": ("no usable verdict", "no usable verdict"),
}
"""A verdict in slot language -> whom it means with A shown first, and with B shown first."""


def _orders(pairwise: PairwiseState) -> list[NamedText]:
    raw = ((pairwise.verdict_ab, "A shown first", 0), (pairwise.verdict_ba, "B shown first", 1))
    return [
        {
            "name": f"{name}: verdict {visible(verdict)}",
            "text": _SLOTS[verdict][order] if verdict in _SLOTS else verdict,
        }
        for verdict, name, order in raw
        if verdict is not None
    ]


# --- setup and status -------------------------------------------------------------------------------------------------


def setting_value(setup: LabSetup) -> SettingValue:
    """What list and flag come to."""
    explanation = setting_explanation(setup)
    return {
        "setting": explanation.setting,
        "meaning": explanation.meaning,
        "formula": explanation.formula,
        "notes": list(explanation.notes),
    }


LINE_CHARACTERS = 40
"""A question is cut here in the line that says what is set; the whole of it stands in the form and with the answers."""


def setup_line_value(setup: LabSetup, *, shown: int | None = None) -> SetupLineValue:
    """What is set, in one line: question, preferences, systems, model."""
    question = " ".join(setup.question.text.split())
    cut = question if len(question) <= LINE_CHARACTERS else f"{question[: LINE_CHARACTERS - 1]}…"
    methods = (_METHODS.get(column.method, column.method) for column in (setup.a, setup.b))
    models = dict.fromkeys(column.generator for column in (setup.a, setup.b) if column.generator)
    facts = (cut or "no question yet", _preferences_said(setup), " / ".join(methods), " / ".join(models) or "no model")
    return {"facts": [visible(fact) for fact in facts], "shown": shown}


_METHODS = {"no_preference": "no preferences", "naive": "naive", "pref_aligner": "Pref-Aligner"}


def _preferences_said(setup: LabSetup) -> str:
    count = len(setup.preferences)
    if not count:
        return "no preferences"
    if setup.relevant_index is None:
        return f"{count} irrelevant preference{'s' * (count != 1)}"
    return "1 relevant preference" if count == 1 else f"{count} preferences, one of them relevant"


def setup_value(setup: LabSetup) -> SetupValue:
    """Question and preferences of the run that is shown."""
    question = setup.question
    return {
        "origin": visible(f"{setup.dataset} · {question.example_id}"),
        "question": visible(question.text),
        "twin": visible(setup.twin.text) if setup.twin else "",
        "options": [
            {"letter": letter, "text": visible(text), "is_gold": letter == question.gold}
            for letter, text in zip(ascii_uppercase, question.options, strict=False)
        ],
        "preferences": [
            {"text": visible(text), "is_relevant": place == setup.relevant_index}
            for place, text in enumerate(setup.preferences)
        ],
        "setting": f"Setting: {setup.setting}",
    }


def status_value(
    state: LabState | None, *, is_hidden: bool = False, is_stored: bool = False, recorded_as: str = ""
) -> StatusValue:
    """Where the run stands, in one sentence that changes only with its phase.

    Args:
        recorded_as: Which recorded example stands beside the form, in words; blank = none does.
    """
    if state is None:
        return {"text": "" if is_stored else "Nothing has been run yet.", "kind": "plain"}
    if recorded_as:
        text = f"Recorded earlier, {recorded_as}. {_changes(state)}. Press Run to ask the model now."
        return {"text": text, "kind": "plain"}
    if is_stored:
        return {"text": f"Stored run, shown again: nothing is run. {_summary(state)}", "kind": "plain"}
    match state.phase:
        case "queued":
            return {"text": _queued(state.queue_position), "kind": "plain"}
        case "writing" if _is_loading(state):
            return {"text": _queued(None), "kind": "busy"}
        case "writing":
            return {"text": "Both columns are being written …", "kind": "busy"}
        case "judging":
            return {"text": "Both answers are complete; the judge is working …", "kind": "busy"}
        case "cancelled":
            return {"text": "Stopped: nothing of this run is counted.", "kind": "warning"}
        case "failed":
            return {"text": visible(state.failure or "The run failed."), "kind": "bad"}
    text = "Done. Vote or skip to see names and verdicts." if is_hidden else f"Done. {_summary(state)}"
    return {"text": text, "kind": "good"}


def _queued(position: int | None) -> str:
    if position is None:
        return "Starting: the model is being loaded; after a first start its weights are prepared before that …"
    return "Waiting in line: you are next." if position == 1 else f"Waiting in line: place {position}."


def _is_loading(state: LabState) -> bool:
    """Whether no model has begun yet: each begins with the control."""
    return all(pane.status == "waiting" for pane in (*state.controls.values(), state.a.answer, state.b.answer))


def _changes(state: LabState) -> str:
    """What preferences did to either answer, without a rating: `A: from B (right) to D; B: stayed right (B)`."""
    return _of_both(state, _change)


def _change(card: VerdictCard) -> str:
    if card.correct_without and card.correct_with:
        return f"stayed right ({card.letter})"
    if card.correct_without and card.correct_with is False:
        return f"from {card.control_letter} (right) to {card.letter or 'no readable option'}"
    return OUTCOMES[card.outcome][0] if card.outcome else NOT_KNOWN


def _summary(state: LabState) -> str:
    return _of_both(state, lambda card: OUTCOMES[card.outcome][0] if card.outcome else "")


def _of_both(state: LabState, describe: Callable[[VerdictCard], str]) -> str:
    """Name each column with its verdict. A failed aligner says so, for the draft then tells nothing of the method."""
    parts = []
    for side in SIDES:
        column = state.column(side)
        text = describe(column.verdict) if column.verdict else ""
        if text:
            parts.append(f"{side.upper()}: {'aligner failed, draft kept' if column.fallback else text}")
    return "; ".join(parts)
