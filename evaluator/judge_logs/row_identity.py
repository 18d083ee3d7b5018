"""What tells rows of a log apart beside the columns that its reader knows.

Two rows of one judge on the same answers to one question are a repetition only where nothing says that they are about
different things. A column that names a criterion, a task, a turn, a language, a second judge or a second system becomes
part of the names; one that differs as systematically and says nothing known refuses the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Literal

from evaluator.judge_logs.judgements import Added, Collector, Judgement, Record
from submissions.reading.quoting import printable, quoted

Role = Literal["criterion", "question", "item", "judge", "system"]

CRITERIA = ("criterion", "criteria", "metric", "aspect", "dimension", "rubric", "attribute", "trait")
"""Words in the name of a column of what was rated: each has a judge of its own, for one figure of all says nothing."""
TASKS = ("task", "task_name", "task_id", "subtask", "dataset", "dataset_name", "subset", "benchmark", "split", "domain")
"""What a question is of: ids may begin anew in each."""
PARTS = ("item", "turn", "language", "lang", "locale", "category", "topic")
"""What of a question was judged."""
CONDITIONS = (
    *("persona", "condition", "variant", "round", "template", "paraphrase", "scenario", "prompt", "prompt_id"),
    *("prompt_name", "prompt_version", "prompt_template", "question", "instruction", "input"),
)
"""How a question was put. A judge's own prompt holds the answers in their order, so that both orders are one here."""
JUDGES = (
    *("judge", "judge_model", "judge_name", "judge_id", "grader", "evaluator", "annotator", "annotator_id", "rater"),
    *("rater_id", "worker", "worker_id", "reviewer", "assessor", "expert", "voter", "participant", "participant_id"),
    *("judged_by", "rated_by", "scored_by", "grader_model", "evaluator_model", "annotator_name", "rater_name"),
)
SYSTEMS = (
    *("system", "system_name", "system_id", "model", "model_name", "model_id", "model_version", "generator", "llm"),
    "checkpoint",
)
ROLES: tuple[tuple[Role, tuple[str, ...]], ...] = (("question", TASKS), ("item", (*PARTS, *CONDITIONS)))
_REPEATED = frozenset(
    {
        *("repetition", "repetitions", "repeat", "rep", "replicate", "replicates", "run", "runs", "seed", "trial"),
        *("try", "attempt", "epoch", "iteration", "iter", "pass", "sample", "draw", "call", "request", "batch", "job"),
        *("row", "line", "index", "idx", "uuid", "guid", "hash"),
    }
)
"""Words in the name of a column that numbers repetitions or rows."""
_SAID = frozenset(
    {
        *("time", "date", "timestamp", "tstamp", "created", "updated", "started", "ended", "latency", "duration"),
        *("cost", "price", "tokens", "usage", "seconds", "ms", "comment", "comments", "note", "notes", "explanation"),
        *("reason", "reasons", "reasoning", "rationale", "feedback", "justification", "critique", "thought"),
        *("thoughts", "raw", "reply", "output", "response", "completion", "text", "content", "message", "analysis"),
        *("confidence", "logprob", "probability", "label", "verdict", "winner", "grade", "passed", "correct"),
        *("preference", "choice", "decision", "score", "rating", "error", "status", "finish", "valid", "parsed"),
        *("file", "path", "answer"),
    }
)
"""Words in the name of a column of what a judge said in one call, or when and at what price."""
MAX_CRITERIA = 20
"""Criteria that have a judge each; of more, as of rubrics written for single questions, all are one judge's."""
_SHORT = 60
"""Characters of a value that may be a level of a condition; a longer one is a text."""
_SHOWN = 5
"""How many values a note lists."""
_WORD = re.compile(r"[a-z]+")


@dataclass(slots=True)
class Identity:
    """What columns add to the names of rows."""

    added: dict[str, Added] = field(default_factory=dict)
    """By the place of a row."""
    columns: dict[str, Role] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def row_identity(records: Iterable[tuple[str, Record]], collector: Collector, *, by_hand: bool) -> Identity:
    """Finds the columns that tell rows apart which were read as one; refuses those that nobody can name.

    Args:
        records: Place and record of every row.
        collector: What a reader found in them.
        by_hand: Whether people write such files, in which a judge or a system may have several columns.
    """
    rows = dict(records)
    judged = [judgement for judgement in collector.judgements if judgement.place in rows]
    identity = Identity()
    names = dict.fromkeys(key for record in rows.values() for key in record)
    _find_conditions(rows, judged, [str(name) for name in names], identity)
    unread = [name for name in names if printable(name) in collector.unknown]
    judges = [name for name in unread if _plain(name) in JUDGES]
    if by_hand:
        _find_second_names(rows, judged, unread, identity, collector)
    refusable = [name for name in unread if name not in identity.columns and (by_hand or name not in judges)]
    _refuse_unknown(rows, _same(judged, identity, in_order=True), refusable, collector)
    return identity


def _find_conditions(
    rows: Mapping[str, Record], judged: Sequence[Judgement], names: Iterable[str], identity: Identity
) -> None:
    """Adds columns of a known meaning that differ between rows about the same answers, in whatever order shown."""
    known = {name: role for name in names if (role := _role(name)) is not None}
    groups: dict[bool, list[list[str]]] = {}
    for name, role in known.items():
        in_order = _plain(name) in CONDITIONS
        if in_order not in groups:
            groups[in_order] = _same(judged, identity, in_order=in_order)
        if any(_differ(rows, name, places) for places in groups[in_order]):
            groups.clear()
            if role == "criterion" and len(_values(rows, name)) > MAX_CRITERIA:
                role = "item"
            _join(rows, name, role, identity)
            identity.notes.append(f"{_differs(rows, name)}: {_MEANINGS[role]}.")


def _role(name: str) -> Role | None:
    """What a column is by its name; None of an unknown one.

    >>> _role("Aspect Name"), _role("task"), _role("criterion_score"), _role("facet")
    ('criterion', 'question', None, None)
    """
    words = _WORD.findall(_plain(name))
    if not _SAID.isdisjoint(words):
        return None
    if not {*CRITERIA}.isdisjoint(words):
        return "criterion"
    return next((role for role, listed in ROLES if _plain(name) in listed), None)


def _differ(rows: Mapping[str, Record], name: str, places: Sequence[str]) -> bool:
    first = rows[places[0]].get(name)
    return (
        any(rows[place].get(name) != first for place in places) and len({_value(rows[at], name) for at in places}) > 1
    )


def _same(judged: Iterable[Judgement], identity: Identity, *, in_order: bool) -> list[list[str]]:
    """Places of rows that would be one thing asked again, from two on; in the same order, or in any."""
    same: dict[tuple[object, ...], list[str]] = {}
    for judgement in judged:
        systems = judgement.systems if in_order else tuple(sorted(judgement.systems))
        key = (judgement.judge, judgement.question, judgement.item, systems, identity.added.get(judgement.place))
        same.setdefault(key, []).append(judgement.place)
    return [places for places in same.values() if len(places) > 1]


_MEANINGS: Mapping[Role, str] = {
    "criterion": "each is rated for itself and named with the judge, for one figure of all would say nothing",
    "question": "it is read as a part of the question",
    "item": "each is judged for itself, and none is a repetition of another",
    "judge": "it is read as a part of the judge's name",
    "system": "it is read as a part of the system's name",
}


def _find_second_names(
    rows: Mapping[str, Record],
    judged: Sequence[Judgement],
    unread: Iterable[str],
    identity: Identity,
    collector: Collector,
) -> None:
    """Joins a second column of judges, or of systems that were rated, to the first where that has several in it."""
    for name in unread:
        plain = _plain(name)
        role: Role | None = "judge" if plain in JUDGES else "system" if plain in SYSTEMS else None
        if role is None:
            continue
        named: dict[object, set[str]] = {}
        for judgement in judged:
            added = identity.added.get(judgement.place, Added())
            first = added.judge_of(judgement.judge) if role == "judge" else added.systems_of(judgement.systems)
            named.setdefault(first, set()).add(_value(rows[judgement.place], name))
        if all(len(values) < 2 for values in named.values()):
            continue
        compared = next((judgement for judgement in judged if judgement.is_comparison), None)
        if role == "system" and compared is not None:
            message = f"{_differs(rows, name)}, and who is called so is not said: the judge, or one of the two systems"
            hint = f"Name it: --column judge={name} where it is the judge, or leave the column out."
            collector.refuse("bad_repetition", compared.place, message, hint)
            continue
        _join(rows, name, role, identity)
        identity.notes.append(f"{_differs(rows, name)} beside one {role}: {_MEANINGS[role]}.")


def _refuse_unknown(
    rows: Mapping[str, Record], groups: Sequence[Sequence[str]], names: Iterable[str], collector: Collector
) -> None:
    """Refuses a column of no known meaning that has the same different values in all rows read as repetitions."""
    for name in names:
        words = set(_WORD.findall(_plain(name)))
        if words & (_REPEATED | _SAID) or words <= {"id", "no", "nr", "number"}:
            continue
        if groups and _is_condition([[rows[place].get(name) for place in places] for places in groups]):
            message = (
                f"{_differs(rows, name)}, in rows that would else be the same thing asked {len(groups[0])} times: "
                "whether it is one is not said"
            )
            hint = (
                "Rename the column: criterion, task, judge, system or item where such rows are about different things, "
                "repetition where they are the same thing asked again."
            )
            collector.refuse("bad_repetition", groups[0][0], message, hint)


def _is_condition(groups: Sequence[Sequence[object]]) -> bool:
    """Whether values are the levels of something that was varied on purpose.

    In every group they differ, and a group has at least half of all values; of one group alone only words say so.

    >>> _is_condition([["x", "y"], ["y", "x"]]), _is_condition([["x", "x"], ["x", "y"]]), _is_condition([[0.1, 0.2]])
    (True, False, False)
    """
    levels = [{_level(value) for value in values} - {""} for values in groups]
    if any(len(group) < 2 or None in group for group in levels):
        return False
    every = {level for group in levels for level in group if level is not None}
    if len(groups) == 1:
        return all(re.search(r"[^\W\d_]", level) for level in every)
    return 2 * sum(map(len, levels)) >= len(every) * len(groups)


def _level(value: object) -> str | None:
    """A value as the level of a condition; None of one that is a text or an object."""
    if value is None or isinstance(value, (bool, int, float)):
        return "" if value is None else str(value)
    return value.strip() if isinstance(value, str) and len(value) <= _SHORT and "\n" not in value else None


def _join(rows: Mapping[str, Record], name: str, role: Role, identity: Identity) -> None:
    identity.columns[name] = role
    for place, record in rows.items():
        value = _value(record, name)
        if value:
            known = identity.added.get(place, Added())
            shown = f"{name} {value}" if role == "item" and _plain(name) != "item" else value
            identity.added[place] = _extended(known, role, shown)


def _extended(known: Added, role: Role, value: str) -> Added:
    match role:
        case "criterion":
            return replace(known, criterion=_both(known.criterion, value), item=_both(known.item, value))
        case "question":
            return replace(known, question=_both(known.question, value))
        case "item":
            return replace(known, item=_both(known.item, value))
        case "judge":
            return replace(known, judge=_both(known.judge, value, " / "))
        case "system":
            return replace(known, system=_both(known.system, value, " / "))


def _both(first: str, second: str, between: str = ", ") -> str:
    return between.join(filter(None, (first, second)))


def _values(rows: Mapping[str, Record], name: str) -> list[str]:
    """The different values of a column, in the order of the file."""
    return list(dict.fromkeys(filter(None, (_value(record, name) for record in rows.values()))))


def _differs(rows: Mapping[str, Record], name: str) -> str:
    """The column and its values, as the beginning of a sentence."""
    values = _values(rows, name)
    shown = ", ".join(values[:_SHOWN]) + (f" and {len(values) - _SHOWN:,} more" if len(values) > _SHOWN else "")
    return f"Column {quoted(name)} has different values ({shown})"


def _plain(name: str) -> str:
    """A column's name as it is looked up.

    >>> _plain("Prompt Version"), _plain(" criterion ")
    ('prompt_version', 'criterion')
    """
    return re.sub(r"[\s-]+", "_", name.strip().casefold())


def _value(record: Record, name: str) -> str:
    """A value as a short name; blank where there is none."""
    value = record.get(name)
    text = "" if value is None else str(value).strip()
    if len(text) <= _SHORT:
        return printable(text)
    return f"{printable(text[:20])}... ({blake2b(text.encode('utf-8', 'replace'), digest_size=4).hexdigest()})"
