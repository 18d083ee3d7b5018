"""Comparability of rows with the control run: the same question, options, order, gold and control text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from submissions.findings import ProblemTally
from submissions.formats.personalization.facts import RowFacts
from submissions.reading.places import RowFaults
from submissions.reading.quoting import printable, quoted

WITHOUT = "response_without_preference"
CONTROL_HASH = "control_option_order_hash"


def check_controls(rows: Sequence[RowFacts], faults: RowFaults, tally: ProblemTally) -> dict[bytes, RowFacts]:
    """Compares every row with the control of its example.

    Args:
        rows: All rows that could be read, in file order.
        faults: Takes control_missing, control_hash_missing, control_text_differs, question_changed, gold_changed and
            option_order_changed.
        tally: Takes draft_is_not_control.

    Returns:
        Example -> the row of its first control run.
    """
    controls: dict[bytes, RowFacts] = {}
    for row in rows:
        if row.is_control and row.repeat == 1:
            controls.setdefault(row.example, row)
    for row in rows:
        control = controls.get(row.example)
        if control is row:
            continue
        if control is not None:
            _compare(row, control, faults)
        elif not row.is_control:
            _check_inline_control(row, faults)
        elif row.repeat > 1:
            what = f"repeat {row.repeat} of the control, but the file has no control row with repeat 1 for this example"
            faults.add("control_missing", row.number, row.example_id, (), what, "Add it, or number this run 1.")
        _check_draft(row, control, faults, tally)
    return controls


def _compare(row: RowFacts, control: RowFacts, faults: RowFaults) -> None:
    """A row, or another control run, beside the control row of the file."""
    where = faults.places.row(control.number)
    if row.question != control.question:
        what = (
            f"found {quoted(row.question_start)}, but the control run ({where}) was asked "
            f"{quoted(control.question_start)}; accepted: the same text"
        )
        hint = "Ask both runs the same question, or give the example an id of its own."
        faults.add("question_changed", row.number, row.example_id, ("question",), what, hint)
    if row.option_order_hash != control.option_order_hash:
        _report_order(row, row.option_order_hash, control.option_order_hash, faults)
    elif row.control_option_order_hash not in (None, control.option_order_hash):
        _report_order(row, str(row.control_option_order_hash), control.option_order_hash, faults)
    if row.option_order_hash == control.option_order_hash and row.gold != control.gold:
        what = (
            f"gold is {_shown(row.gold)}, but {_shown(control.gold)} in the control run ({where}) with the same "
            "options in the same order; accepted: the same"
        )
        faults.add("gold_changed", row.number, row.example_id, ("gold",), what, "Correct the wrong one of the two.")
    if _states_another_text(row, control):
        what = (
            f"found {quoted(row.control_start)}, but the control row ({where}) has {quoted(control.control_start)}; "
            "accepted: the same text"
        )
        hint = "Leave the field out: it is filled in from the control row."
        faults.add("control_text_differs", row.number, row.example_id, (WITHOUT,), what, hint)


def _states_another_text(row: RowFacts, control: RowFacts) -> bool:
    if row.is_control or row.control_text is None or control.control_text is None:
        return False
    return row.control_text != control.control_text


def _check_inline_control(row: RowFacts, faults: RowFaults) -> None:
    """A row whose example has no control row: it must bring the control's text and the order it saw."""
    if row.control_text is None:
        what = (
            "this example has no control row (setting none, method no_preference, repeat 1), and the row brings no "
            f"{WITHOUT}; accepted: either"
        )
        hint = f"Add the control row, or give {WITHOUT} together with {CONTROL_HASH}."
        faults.add("control_missing", row.number, row.example_id, (), what, hint)
    elif row.control_option_order_hash is None:
        what = (
            f"{CONTROL_HASH} is missing; accepted: the hash of the options in the order the control saw, as this "
            "example has no control row"
        )
        hint = "Add it, or add the control row."
        faults.add("control_hash_missing", row.number, row.example_id, (CONTROL_HASH,), what, hint)
    elif row.control_option_order_hash != row.option_order_hash:
        _report_order(row, row.option_order_hash, row.control_option_order_hash, faults)


def _check_draft(row: RowFacts, control: RowFacts | None, faults: RowFaults, tally: ProblemTally) -> None:
    words = row.control_words if control is None else control.control_words
    if row.is_control or row.draft_words is None or words is None or row.draft_words == words:
        return
    path = partial(faults.places.row, row.number, ("draft",))
    tally.note("draft_is_not_control", path, item=printable(row.example_id, 200))


def _report_order(row: RowFacts, order_hash: str, control: str, faults: RowFaults) -> None:
    what = (
        f"options in another order than in the control run (hash {printable(order_hash)}, "
        f"control {printable(control)}); letters cannot be compared. Answer both runs in one order."
    )
    hint = "Show the options in the order of the control run and answer again; relabelling the letters is not enough."
    faults.add("option_order_changed", row.number, row.example_id, (), what, hint)


def _shown(gold: str | None) -> str:
    return "null" if gold is None else quoted(gold)
