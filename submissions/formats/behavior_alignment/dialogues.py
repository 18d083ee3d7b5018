"""The dialogues of recommender answers: what each field must be, and the turns of a dialogue beside one another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from functools import partial
from typing import Any

from submissions.findings import Findings, ProblemTally
from submissions.formats.behavior_alignment.submission import (
    NO_STRATEGY,
    ROLES,
    STRATEGIES,
    TURN_LABELS,
    Answer,
    Dialogue,
    Turn,
    TurnLabel,
    Utterance,
    holds_words,
    plain_words,
    strategy_name,
    turn_label_of,
)
from submissions.reading.limits import Limits
from submissions.reading.places import FAULTY_VALUES
from submissions.reading.quoting import described, printable, quoted
from submissions.reading.strict_json import ABSENT, JsonPath, Unreadable, path_text, value_faults

DIALOGUE_FIELDS = ("dialogue_id", "turns", "human_success", "system_success")
TURN_FIELDS = (
    "turn",
    "context",
    "human_response",
    "system_response",
    "human_strategy",
    "system_strategy",
    "human_recommends",
    "system_recommends",
)
UTTERANCE_FIELDS = ("role", "text")

CONTEXT_DIFFERS_SHARE = 0.05
"""From more turns than this on whose context lacks the human's previous answer, the file is marked."""

_TEXT_OR_SENTENCES = "a text, or a list of sentences"
_FLAG = "true, false, null or left out"
_ROLES_ACCEPTED = "seeker (or user), recommender (or system, assistant), in any case"


class Dialogues:
    """Reads dialogue after dialogue, and collects every fault."""

    def __init__(self, limits: Limits) -> None:
        self.read: list[Dialogue] = []
        """Those without a fault, in the order of the file."""
        self._faults = _Faults()
        self._limits = limits
        self._first: dict[str, int] = {}
        self._context = _ContextCheck()

    def add(self, value: object, index: int) -> None:
        """Reads one dialogue, `index` counted from 0."""
        steps: JsonPath = ("dialogues", index)
        before = self._faults.count
        self._faults.add_values(value, steps)
        if not isinstance(value, dict):
            self._faults.add("missing_field", steps, f"found {described(value)}; accepted: an object", _OBJECT_HINT)
            return
        self._faults.note_unknown(value, DIALOGUE_FIELDS, steps)
        dialogue_id = self._dialogue_id(value.get("dialogue_id", ABSENT), index)
        faults = self._faults
        faults.dialogue_id = dialogue_id
        successes = [_flag(value, name, steps, faults) for name in ("human_success", "system_success")]
        turns = _turns(value.get("turns", ABSENT), (*steps, "turns"), faults, self._limits)
        if self._faults.count > before or dialogue_id is None:
            return
        dialogue = Dialogue(dialogue_id, tuple(sorted(turns, key=lambda turn: turn.number)), *successes)
        self._context.look_at(dialogue, turns, index)
        self.read.append(dialogue)

    def finish(self) -> Findings:
        """Everything found, once all dialogues are read."""
        self._faults.flush()
        self._context.report(self._faults.findings)
        return self._faults.findings

    def _dialogue_id(self, value: object, index: int) -> str | None:
        steps: JsonPath = ("dialogues", index, "dialogue_id")
        if not isinstance(value, str) or not value.strip():
            self._faults.refuse(value, steps, "a text that is not blank")
            return None
        dialogue_id = value.strip()
        first = self._first.setdefault(dialogue_id, index)
        if first != index:
            what = f"dialogues[{first}] has the id {quoted(dialogue_id)} too; accepted: each dialogue once"
            self._faults.add("duplicate_dialogue", steps, what, "Remove one of them, or correct its id.")
        return dialogue_id


_OBJECT_HINT = "Write an object with dialogue_id and turns."


# --- faults ----------------------------------------------------------------------------------------------------------


class _Faults:
    """Errors with their places; all are counted, and only those that are listed are worded."""

    def __init__(self) -> None:
        self.findings = Findings()
        self.count = 0
        self._unknown = ProblemTally()
        self.dialogue_id: str | None = None
        """Of the dialogue that is read; named in messages."""

    def add(self, code: str, steps: JsonPath, what: str, hint: str) -> None:
        """Adds one error: `what` says what was found and what is accepted."""
        self.count += 1
        if self.findings.is_full(code):
            self.findings.count(code)
            return
        path, item = _place(steps), self.dialogue_id and printable(self.dialogue_id, 200)
        words = f"{path} ({printable(self.dialogue_id)})" if self.dialogue_id else path
        self.findings.add(code, path, f"{words}: {what}", hint, item=item)

    def refuse(self, value: object, steps: JsonPath, accepted: str) -> None:
        """Adds a value that is absent or of the wrong type; one that is unreadable is told as a value."""
        if isinstance(value, Unreadable):
            return
        fault = "the field is missing" if value is ABSENT else f"found {described(value)}"
        self.add("missing_field", steps, f"{fault}; accepted: {accepted}", f"Write {accepted}.")

    def add_values(self, dialogue: object, steps: JsonPath) -> None:
        """Adds what stands against single values, wherever they stand in a dialogue."""
        self.dialogue_id = None
        for fault in value_faults(dialogue):
            what, hint = FAULTY_VALUES[fault.code]
            self.add(fault.code, (*steps, *fault.path), what.format(quoted(fault.found)), hint)

    def note_unknown(self, value: dict[str, Any], known: Sequence[str], steps: JsonPath) -> None:
        for name in value:
            if name not in known:
                self._unknown.note("unknown_field", partial(_place, (*steps, name)), group=name, detail=name)

    def flush(self) -> None:
        """Tells the unknown fields, once each."""
        for mark in self._unknown.marks:
            more = f" (so {mark.count:,} times)" if mark.count > 1 else ""
            what = f"the field {quoted(mark.detail)} is not one of this format; it is kept, not used"
            known = ", ".join((*DIALOGUE_FIELDS, *TURN_FIELDS, *UTTERANCE_FIELDS))
            hint = f"Check its spelling; known are {known}."
            self.findings.add(mark.code, mark.path, f"{mark.path}: {what}{more}", hint)


def _place(steps: JsonPath) -> str:
    """`dialogues[0].turns[2].system_strategy`."""
    return path_text(steps)[1:].removeprefix(".")


# --- turns -----------------------------------------------------------------------------------------------------------


def _turns(value: object, steps: JsonPath, faults: _Faults, limits: Limits) -> list[Turn]:
    """The turns that could be read, in the order of the file."""
    if not isinstance(value, list) or not value:
        if not isinstance(value, Unreadable):
            description = "missing" if value is ABSENT else described(value)
            what = f"turns is {description}; accepted: a list with one object per answer, 1 or more"
            faults.add("no_turns", steps, what, "List the recommender's turns of this dialogue, or leave it out.")
        return []
    _check_numbers(value, steps, faults)
    read = [_turn(member, (*steps, index), faults, limits) for index, member in enumerate(value)]
    return [turn for turn in read if turn is not None]


def _check_numbers(turns: list[object], steps: JsonPath, faults: _Faults) -> None:
    """The turns are exactly 1..N; told once they all are whole numbers."""
    numbers = [turn.get("turn") if isinstance(turn, dict) else None for turn in turns]
    stated = Counter(number for number in numbers if type(number) is int)
    due = range(1, len(turns) + 1)
    if stated.total() < len(turns) or set(stated) == set(due):
        return
    wrong = {
        "missing": [number for number in due if number not in stated],
        "repeated": sorted(number for number, count in stated.items() if count > 1),
        "out of range": sorted(number for number in stated if number not in due),
    }
    description = ", ".join(f"{word} {_numbers(numbers)}" for word, numbers in wrong.items() if numbers)
    what = f"there are {len(turns):,} turns: {description}; accepted: each number from 1 to {len(turns):,} once"
    hint = "Number the recommender's turns 1, 2, 3, ... without gaps (INSPIRED's turn_id has some), or add the turn."
    faults.add("turn_numbering", steps, what, hint)


def _numbers(numbers: Iterable[int], limit: int = 8) -> str:
    listed = [printable(str(number), 20) for number in numbers]
    return ", ".join(listed[:limit]) + (f" and {len(listed) - limit:,} more" if len(listed) > limit else "")


def _turn(value: object, steps: JsonPath, faults: _Faults, limits: Limits) -> Turn | None:
    """One turn; None after reporting why there is none."""
    if not isinstance(value, dict):
        accepted = "an object with turn, context, human_response and system_response"
        faults.refuse(value, steps, accepted)
        return None
    before = faults.count
    faults.note_unknown(value, TURN_FIELDS, steps)
    number = value.get("turn", ABSENT)
    if type(number) is not int:
        faults.refuse(number, (*steps, "turn"), "a whole number from 1")
    context = _context(value.get("context", ABSENT), (*steps, "context"), faults, limits)
    human, system = (_answer(side, value, steps, faults, limits) for side in ("human", "system"))
    if faults.count > before or type(number) is not int or human is None or system is None:
        return None
    return Turn(number, context, human, system)


def _context(value: object, steps: JsonPath, faults: _Faults, limits: Limits) -> tuple[Utterance, ...]:
    if not isinstance(value, list):
        faults.refuse(value, steps, "a list of {role, text}, or []")
        return ()
    read = (_utterance(member, (*steps, index), faults, limits) for index, member in enumerate(value))
    return tuple(utterance for utterance in read if utterance is not None)


def _utterance(value: object, steps: JsonPath, faults: _Faults, limits: Limits) -> Utterance | None:
    if not isinstance(value, dict):
        faults.refuse(value, steps, "an object with role and text")
        return None
    faults.note_unknown(value, UTTERANCE_FIELDS, steps)
    stated, text = value.get("role", ABSENT), value.get("text", ABSENT)
    role = ROLES.get(stated.strip().casefold()) if isinstance(stated, str) else None
    if not isinstance(stated, str):
        faults.refuse(stated, (*steps, "role"), _ROLES_ACCEPTED)
    elif role is None:
        what = f"there is no role {quoted(stated)}; accepted: {_ROLES_ACCEPTED}"
        faults.add("unknown_role", (*steps, "role"), what, "Write seeker or recommender.")
    if not isinstance(text, str):
        faults.refuse(text, (*steps, "text"), "a text")
        return None
    _check_length(text, (*steps, "text"), faults, limits)
    return None if role is None else Utterance(role, text)


# --- answers ---------------------------------------------------------------------------------------------------------


def _answer(side: str, turn: dict[str, Any], steps: JsonPath, faults: _Faults, limits: Limits) -> Answer | None:
    """The human's or the system's side of a turn; None after reporting why there is none."""
    place = (*steps, f"{side}_response")
    text, sentences = _response(turn.get(f"{side}_response", ABSENT), place, faults, limits)
    if text is not None and side == "human" and not text.strip():
        what = "the human's answer is blank; accepted: a text that is not"
        faults.add("empty_text", place, what, "Write what the human said, or leave the turn out and renumber.")
    strategies = _strategies(turn.get(f"{side}_strategy"), (*steps, f"{side}_strategy"), sentences, faults)
    recommends = _flag(turn, f"{side}_recommends", steps, faults)
    return None if text is None else Answer(text, sentences, strategies, recommends)


def _response(
    value: object, steps: JsonPath, faults: _Faults, limits: Limits
) -> tuple[str | None, tuple[str, ...] | None]:
    """The text, and its sentences where it was sent as a list."""
    if isinstance(value, list):
        wrong = [index for index, sentence in enumerate(value) if not isinstance(sentence, str)]
        for index in wrong:
            faults.refuse(value[index], (*steps, index), "a text")
        text = None if wrong else " ".join(value)
        sentences = None if wrong else tuple(value)
    elif isinstance(value, str):
        text, sentences = value, None
    else:
        faults.refuse(value, steps, _TEXT_OR_SENTENCES)
        return None, None
    if text is not None:
        _check_length(text, steps, faults, limits)
    return text, sentences


def _strategies(
    value: object, steps: JsonPath, sentences: tuple[str, ...] | None, faults: _Faults
) -> tuple[TurnLabel, ...] | None:
    """The strategies stated; None for not annotated."""
    if value is None:
        return None
    if isinstance(value, str):
        label = _strategy(value, steps, faults)
        return None if label is None else (label,)
    if not isinstance(value, list):
        faults.refuse(value, steps, "a strategy, a list of one per sentence, or null")
        return None
    if not value:
        what = f"found an empty list; accepted: null = not annotated, {quoted(NO_STRATEGY)} = none of the strategies"
        faults.add("empty_strategy_list", steps, what, f"Write null, or {quoted(NO_STRATEGY)}, whichever is meant.")
        return None
    if sentences is not None and len(sentences) != len(value):
        what = f"found {len(value)} strategies for {len(sentences)} sentences; accepted: one per sentence, in order"
        faults.add("strategy_count", steps, what, f"Label every sentence; {quoted(NO_STRATEGY)} where it has none.")
    labels = [_strategy(name, (*steps, index), faults) for index, name in enumerate(value)]
    return tuple(label for label in labels if label is not None)


def _strategy(value: object, steps: JsonPath, faults: _Faults) -> TurnLabel | None:
    if not isinstance(value, str):
        faults.refuse(value, steps, f"one of {', '.join(TURN_LABELS)}")
        return None
    label = turn_label_of(value)
    if label is None:
        # To find it takes a millisecond, too much for each of a million faults that are only counted.
        is_told = not faults.findings.is_full("unknown_strategy")
        nearest = get_close_matches(strategy_name(value[:80]), TURN_LABELS, n=1, cutoff=0.0)[0] if is_told else ""
        what = (
            f"there is no strategy {quoted(value)}, the nearest is {quoted(nearest)}; accepted: "
            f"{', '.join(STRATEGIES)}, {NO_STRATEGY}, or null"
        )
        faults.add("unknown_strategy", steps, what, f"Write {nearest} if it is meant; null where it is not known.")
    return label


def _flag(value: dict[str, Any], name: str, steps: JsonPath, faults: _Faults) -> bool | None:
    stated = value.get(name)
    if stated is None or isinstance(stated, bool):
        return stated
    faults.refuse(stated, (*steps, name), _FLAG)
    return None


def _check_length(text: str, steps: JsonPath, faults: _Faults, limits: Limits) -> None:
    most = limits.response_characters
    if len(text) > most:
        what = f"{len(text):,} characters ({quoted(text)}); accepted: at most {most:,}"
        faults.add("response_too_long", steps, what, "Shorten it, as it would not be read whole.")


# --- context ---------------------------------------------------------------------------------------------------------


class _ContextCheck:
    """Whether contexts are the human dialogue: each should hold what the human said one turn before."""

    def __init__(self) -> None:
        self._turns = 0
        self._differing = 0
        self._first: tuple[str, str] | None = None

    def look_at(self, dialogue: Dialogue, in_file: Sequence[Turn], index: int) -> None:
        """Looks at a dialogue whose turns stand `in_file` order."""
        places = {turn.number: place for place, turn in enumerate(in_file)}
        for before, turn in zip(dialogue.turns, dialogue.turns[1:], strict=False):
            self._turns += 1
            said = " ".join(utterance.text for utterance in turn.context if utterance.role == "recommender")
            if holds_words(plain_words(said), plain_words(before.human.text)):
                continue
            self._differing += 1
            path = _place(("dialogues", index, "turns", places[turn.number], "context"))
            self._first = self._first or (path, dialogue.dialogue_id)

    def report(self, findings: Findings) -> None:
        if self._first is None or self._differing <= CONTEXT_DIFFERS_SHARE * self._turns:
            return
        path, dialogue_id = self._first
        what = (
            f"the human's answer of the turn before does not stand in the context (so in {self._differing:,} of "
            f"{self._turns:,} turns)"
        )
        hint = "The context is the human dialogue up to this turn, never the system's own earlier answers."
        item = printable(dialogue_id, 200)
        findings.add("context_differs", path, f"{path} ({printable(dialogue_id)}): {what}", hint, item=item)
