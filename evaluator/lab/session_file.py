"""A lab session as a file: valid personalized answers with the verdicts beside them; saved, checked, shown again.

`rows` is what `python -m submissions check` reads and a board could score. `verdicts` says which rows stood side by
side, who wrote them and what the judge said. An example asked again with another outcome (another model, other
preferences) becomes an example of its own, `ID~2`, for a file has one control for each.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from evaluator.answering.prompting import PROMPTS, aligner_messages, control_messages, naive_messages
from evaluator.generators.protocol import Message
from evaluator.lab.setup import SIDES, ColumnSetup, LabSetup, Side, problems
from evaluator.lab.state import ColumnState, LabState, PairwiseState, Pane, VerdictCard, is_unchanged
from evaluator.values import Pin
from submissions.check import check_submission
from submissions.formats.personalization.reader import PersonalizedReading
from submissions.formats.personalization.submission import KIND, NO_PREFERENCE, PREF_ALIGNER, PersonalizedRow
from submissions.promptsets import PromptSets
from submissions.questionsets import Question
from submissions.questionsets.option_order import option_order_hash
from submissions.reading.strict_json import is_clean

MAX_RUNS = 200
"""Runs kept in one file, the newest."""
MAX_BYTES = 16 * 1024 * 1024
"""Size of a file that is loaded; an export leaves out its oldest runs until it is no larger."""

SYSTEM = "Preference lab"
_PROMPT_NAMES = tuple(prompt.name for prompt in PROMPTS)
_MOST_NAME = 200
_UNCLEAN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


class NothingToExport(Exception):
    """Raised when no run of a session can be exported; the text is for the visitor."""


@dataclass(frozen=True, slots=True)
class LoadedSession:
    """What a file holds, or why it cannot be shown."""

    states: tuple[LabState, ...]
    """The runs as they ended, in order; nothing is generated or judged again. () where there are faults."""
    faults: tuple[str, ...]
    """Everything that is wrong with the file, in words: where, what was found, what is expected."""


# --- what stands beside the rows -------------------------------------------------------------------------------------


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Written(_Frozen):
    """A text that stands in a row, with what the row does not say of it."""

    row: int
    """Its place in `rows`."""
    tokens: int
    seconds: float
    finish_reason: str | None


class _Column(_Frozen):
    generator: str
    method: str
    example_id: str
    """As the lab knows the example."""
    control: _Written
    answer: _Written | None
    """None where it failed."""
    failure: str | None = None
    verdict: VerdictCard | None = None


class _Run(_Frozen):
    dataset: str
    preferences: tuple[str, ...]
    relevant_index: int | None
    is_twins: bool
    a: _Column
    b: _Column
    pairwise: PairwiseState
    judge: Pin | None
    generators: dict[str, Pin]

    def column(self, side: Side) -> _Column:
        return self.a if side == "a" else self.b


class _Verdicts(_Frozen):
    format: Literal[1]
    prompts: tuple[str, ...]
    """Names of the prompts the texts answered."""
    runs: tuple[_Run, ...]


# --- export ---------------------------------------------------------------------------------------------------------


def exported_session(states: Sequence[LabState], *, team: str = "Lab visitor", on: date | None = None) -> bytes:
    """The finished runs as UTF-8 JSON that `python -m submissions check` accepts.

    Runs that were cancelled or failed are left out, and columns that failed have no row. A run whose control failed has
    no place in this format. Control characters in model texts are replaced, as no file may hold them.

    Args:
        states: In order; only the newest `MAX_RUNS` are kept.
        team: Who is named as the file's author.
        on: Its date.

    Raises:
        NothingToExport: when none of the runs can be exported.
    """
    kept = [state for state in states if _is_exportable(state)][-MAX_RUNS:]
    if not kept:
        raise NothingToExport("There is no finished run to export yet.")
    while len(data := _document(kept, team, on)) > MAX_BYTES and len(kept) > 1:
        kept = kept[len(kept) // 2 :]
    return data


def _is_exportable(state: LabState) -> bool:
    return state.phase == "done" and all(pane.status == "done" for pane in state.controls.values())


def _document(states: Sequence[LabState], team: str, on: date | None) -> bytes:
    rows = _Rows()
    runs = [_run(state, rows) for state in states]
    models = dict.fromkeys(state.setup.column(side).generator for state in states for side in SIDES)
    document = {
        "kind": KIND,
        "team": _clean(team)[:_MOST_NAME],
        "system": SYSTEM,
        "model": _clean(" + ".join(models))[:_MOST_NAME],
        "run": f"session of {on.isoformat()}" if on else "session",
        **({"date": on.isoformat()} if on else {}),
        "notes": "Saved from the lab. Texts are greedy unless the pins say otherwise.",
        "rows": rows.rows,
        "verdicts": _cleaned(_Verdicts(format=1, prompts=_PROMPT_NAMES, runs=tuple(runs)).model_dump(mode="json")),
    }
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode("utf-8")


@dataclass(slots=True)
class _Rows:
    """The rows of the file as they are collected."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    _places: dict[tuple[str, str, str, str], int] = field(default_factory=dict)
    """Dataset, example_id, setting, method -> place."""
    _writers: dict[tuple[str, str], str] = field(default_factory=dict)
    """Dataset, example_id -> generator."""

    def add(self, generator: str, rows: Sequence[dict[str, Any]]) -> list[int]:
        """Adds a control and, where there is one, the answer that belongs to it; their places, in this order."""
        name, number = rows[0]["example_id"], 1
        while not self._fits(generator, rows):
            number += 1
            rows = [row | {"example_id": f"{name}~{number}"} for row in rows]
        self._writers[rows[0]["dataset"], rows[0]["example_id"]] = generator
        return [self._place(row) for row in rows]

    def _fits(self, generator: str, rows: Sequence[dict[str, Any]]) -> bool:
        """Whether no other row stands where these would, and no other model wrote the example."""
        writer = self._writers.get((rows[0]["dataset"], rows[0]["example_id"]), generator)
        places = [self._places.get(_row_key(row)) for row in rows]
        is_free = all(place is None or self.rows[place] == row for place, row in zip(places, rows, strict=True))
        return writer == generator and is_free

    def _place(self, row: dict[str, Any]) -> int:
        place = self._places.setdefault(_row_key(row), len(self.rows))
        if place == len(self.rows):
            self.rows.append(row)
        return place


def _row_key(row: dict[str, Any]) -> tuple[str, str, str, str]:
    return row["dataset"], row["example_id"], row["setting"], row["method"]


def _run(state: LabState, rows: _Rows) -> _Run:
    setup = state.setup
    return _Run(
        dataset=setup.dataset,
        preferences=setup.preferences,
        relevant_index=setup.relevant_index,
        is_twins=setup.twin is not None,
        a=_column(state, "a", rows),
        b=_column(state, "b", rows),
        pairwise=state.pairwise,
        judge=state.judge,
        generators=state.generators,
    )


def _column(state: LabState, side: Side, rows: _Rows) -> _Column:
    setup, shown = state.setup, state.column(side)
    asked, question, control = setup.column(side), setup.question_of(side), state.controls[setup.control_key(side)]
    is_control = setup.method_of(side) == NO_PREFERENCE
    answers = [] if is_control or shown.final is None else [_answer_row(state, side)]
    places = rows.add(asked.generator, [_control_row(state, side), *answers])
    return _Column(
        generator=asked.generator,
        method=asked.method,
        example_id=question.example_id,
        control=_written(control, places[0]),
        answer=_written(shown.answer, places[-1]) if is_control or answers else None,
        failure=shown.answer.failure,
        verdict=shown.verdict,
    )


def _written(pane: Pane, place: int) -> _Written:
    return _Written(row=place, tokens=pane.tokens, seconds=pane.seconds, finish_reason=pane.finish_reason)


def _control_row(state: LabState, side: Side) -> dict[str, Any]:
    control = state.controls[state.setup.control_key(side)]
    return {
        **_stem(state, side, NO_PREFERENCE),
        "response_without_preference": _clean(control.text),
        "finish_reason": control.finish_reason,
    }


def _answer_row(state: LabState, side: Side) -> dict[str, Any]:
    setup, column = state.setup, state.column(side)
    row = {
        **_stem(state, side, setup.method_of(side)),
        "response_with_preference": _clean(column.final or ""),
        "finish_reason": column.answer.finish_reason,
    }
    if column.draft is None:
        return row
    control = state.controls[setup.control_key(side)]
    return row | {
        "draft": _clean(column.draft),
        "aligner_raw": _clean(column.answer.text),
        "fallback": column.fallback,
        "thoughts": None if column.thoughts is None else _clean(column.thoughts),
        # Of the text that stands as the answer: where the reply was unreadable, that is the draft.
        "finish_reason": control.finish_reason if column.fallback else column.answer.finish_reason,
    }


def _stem(state: LabState, side: Side, method: str) -> dict[str, Any]:
    """What every row states."""
    setup, question = state.setup, state.setup.question_of(side)
    is_control = method == NO_PREFERENCE
    return {
        "example_id": question.example_id,
        "dataset": _dataset(setup.dataset),
        "setting": "none" if is_control else setup.setting,
        "method": method,
        "question": question.text,
        "options": list(question.options),
        "option_order_hash": option_order_hash(question.options),
        "gold": question.gold,
        "preferences": [] if is_control else list(setup.preferences),
        "relevant_index": None if is_control else setup.relevant_index,
    }


def _dataset(name: str) -> str:
    """The name as files may have it: `eloquent-2024` -> `eloquent_2024`; `full` is reserved there."""
    return "full_" if name == "full" else name.replace("-", "_")


def _clean(text: str) -> str:
    """The text without what no file may hold."""
    return _UNCLEAN.sub("\ufffd", text)


def _cleaned(value: Any) -> Any:
    """The same for every text in a JSON value."""
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, list):
        return [_cleaned(member) for member in value]
    return {key: _cleaned(member) for key, member in value.items()} if isinstance(value, dict) else value


# --- loading --------------------------------------------------------------------------------------------------------


def loaded_session(data: bytes, file_name: str = "session.json") -> LoadedSession:
    """Reads what `exported_session` wrote. Never raises on the content.

    Args:
        data: The file.
        file_name: Its name, for places in faults.
    """
    if len(data) > MAX_BYTES:
        return LoadedSession((), (f"the file has {len(data):,} bytes; at most {MAX_BYTES:,} are loaded",))
    report = check_submission(data, file_name, prompt_sets=PromptSets.load(None))
    faults = [f"{problem.path}: {problem.message}" for problem in report.problems if problem.severity == "error"]
    reading = report.of(PersonalizedReading)
    session = reading.submission if reading else None
    if session is None and not faults:
        faults.append(f"$: this is no saved session of the lab, but of the kind {report.kind or 'unknown'}")
    verdicts = _verdicts(data, faults) if report.kind == KIND else None
    if verdicts is None or session is None or faults:
        return LoadedSession((), tuple(faults))
    reader = _Reader(session.rows, verdicts)
    states = tuple(reader.state(run, f"verdicts.runs[{index}]") for index, run in enumerate(verdicts.runs))
    shown = tuple(state for state in states if state is not None)
    return LoadedSession((), tuple(reader.faults)) if reader.faults else LoadedSession(shown, ())


def _verdicts(data: bytes, faults: list[str]) -> _Verdicts | None:
    """What stands beside the rows; None after noting what is wrong with it."""
    try:
        document = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        if not faults:  # answers as JSON Lines pass the check
            faults.append("$: is more than one JSON value; a session saved from the lab is a single object")
        return None
    if not isinstance(document, dict) or "verdicts" not in document:
        faults.append(
            "verdicts: is missing; a session saved from the lab has it. A submission without it can be seen in replay"
        )
        return None
    try:
        verdicts = _Verdicts.model_validate_json(json.dumps(document["verdicts"]), strict=True)
    except ValidationError as error:
        faults += [f"verdicts{_place(fault['loc'])}: {fault['msg']}" for fault in error.errors(include_url=False)]
        return None
    if not verdicts.runs:
        faults.append("verdicts.runs: is empty, so there is nothing to show")
        return None
    if len(verdicts.runs) > MAX_RUNS:
        faults.append(f"verdicts.runs: found {len(verdicts.runs):,}, expected at most {MAX_RUNS}")
        return None
    return verdicts


def _place(steps: tuple[int | str, ...]) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)


class _Reader:
    """Makes states of runs, and notes what does not fit together."""

    def __init__(self, rows: Sequence[PersonalizedRow], verdicts: _Verdicts) -> None:
        self.faults: list[str] = []
        self._rows = rows
        self._has_prompts = verdicts.prompts == _PROMPT_NAMES

    def state(self, run: _Run, place: str) -> LabState | None:
        before = len(self.faults)
        for side in SIDES:
            self.faults += self._column_faults(run, run.column(side), f"{place}.{side}")
        if len(self.faults) > before:
            return None
        setup = self._setup(run)
        names = {run.a.generator, run.b.generator}
        self.faults += [f"{place}: {fault}" for fault in problems(setup, names)]
        if len(self.faults) > before:
            return None
        state = LabState(
            setup=setup,
            phase="done",
            controls={setup.control_key(side): self._control(setup, side, run.column(side)) for side in SIDES},
            pairwise=run.pairwise,
            judge=run.judge,
            generators=run.generators,
        )
        for side in SIDES:
            state = state.with_column(side, self._shown(state, side, run.column(side)))
        return state

    def _column_faults(self, run: _Run, column: _Column, place: str) -> Iterator[str]:
        """What keeps a column's rows from being those of this run."""
        if not (column.generator.strip() and len(column.generator) <= _MOST_NAME and is_clean(column.generator)):
            yield f"{place}.generator: is no name; expected 1 to {_MOST_NAME} characters"
        control = self._row(column.control.row)
        if control is None or not control.is_control:
            yield f"{place}.control.row: found {column.control.row}, expected the place of a control row"
        if column.answer is None:
            return
        answer = self._row(column.answer.row)
        is_control = column.method == NO_PREFERENCE or not run.preferences
        expected = ((), None) if is_control else (run.preferences, run.relevant_index)
        method = NO_PREFERENCE if is_control else column.method
        if answer is None or answer.method != method:
            yield f"{place}.answer.row: found {column.answer.row}, expected the place of a row of {method}"
        elif (answer.preferences, answer.relevant_index) != expected:
            yield f"{place}.answer.row: found row {column.answer.row}, whose preferences are not those of the run"
        elif control is not None and answer.example != control.example:
            yield f"{place}.answer.row: found row {column.answer.row}, which is of another example than its control"

    def _row(self, place: int) -> PersonalizedRow | None:
        return self._rows[place] if 0 <= place < len(self._rows) else None

    def _setup(self, run: _Run) -> LabSetup:
        return LabSetup(
            question=self._question(run.a),
            dataset=run.dataset,
            preferences=run.preferences,
            relevant_index=run.relevant_index,
            a=ColumnSetup(run.a.generator, run.a.method),
            b=ColumnSetup(run.b.generator, run.b.method),
            twin=self._question(run.b) if run.is_twins else None,
        )

    def _question(self, column: _Column) -> Question:
        row = self._rows[column.control.row]
        return Question(column.example_id, row.question, row.options, row.gold)

    def _control(self, setup: LabSetup, side: Side, column: _Column) -> Pane:
        text = self._rows[column.control.row].response_without_preference or ""
        messages = control_messages(setup.question_of(side)) if self._has_prompts else ()
        return _pane(column.control, text, messages)

    def _shown(self, state: LabState, side: Side, column: _Column) -> ColumnState:
        setup = state.setup
        control, method = state.controls[setup.control_key(side)], setup.method_of(side)
        if method == NO_PREFERENCE:
            is_cut = control.finish_reason == "length"
            return ColumnState(answer=control, final=control.text, truncated=is_cut, verdict=column.verdict)
        question = setup.question_of(side)
        is_aligned = method == PREF_ALIGNER
        asked = (
            aligner_messages(question, control.text, setup.preferences)
            if is_aligned
            else naive_messages(question, setup.preferences)
        )
        messages = asked if self._has_prompts else ()
        draft = control.text if is_aligned else None
        is_cut = "length" in (column.answer and column.answer.finish_reason, is_aligned and control.finish_reason)
        if column.answer is None:
            failed = Pane(status="failed", failure=column.failure, messages=tuple(messages))
            return ColumnState(answer=failed, draft=draft, truncated=is_cut)
        row = self._rows[column.answer.row]
        written = (row.aligner_raw or "") if is_aligned else row.final
        return ColumnState(
            answer=_pane(column.answer, written, messages),
            final=row.final,
            draft=draft,
            thoughts=row.thoughts,
            fallback=row.fallback,
            unchanged=is_unchanged(control.text, row.final),
            truncated=is_cut,
            verdict=column.verdict,
        )


def _pane(written: _Written, text: str, messages: Sequence[Message]) -> Pane:
    return Pane(
        status="done",
        text=text,
        tokens=written.tokens,
        seconds=written.seconds,
        finish_reason=written.finish_reason,
        messages=tuple(messages),
    )
