"""`python -m evaluator plan-items FILE.csv`: how many items, or labels, it takes to tell two systems apart."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from evaluator.commands.csv_table import CsvTable, TableUnreadable, read_csv
from evaluator.judge_logs.judgements import number
from submissions.commands.command_line import OneLineParser, stop
from submissions.reading.quoting import quoted
from submissions.settings import Settings

if TYPE_CHECKING:
    from argparse import _SubParsersAction

OF_SYSTEMS = ("first", "second")
OF_JUDGE = ("judged_first", "judged_second")


def add_commands(subparsers: _SubParsersAction[OneLineParser]) -> None:
    """Registers the command; it is called with (options, settings) and returns its exit code."""
    parser = subparsers.add_parser(
        "plan-items",
        help="how many items or labels tell two systems apart",
        description="From a CSV with a row for each item and the columns first and second, the values of two systems: "
        "how many items tell them apart by a paired t-test at 5%. With --judged-items and the columns judged_first and "
        "judged_second, a judge's values of the same items: how many labels do, beside a judge of so many items.",
    )
    parser.add_argument("file", type=Path, metavar="FILE.csv")
    parser.add_argument("--power", type=float, default=0.8, help="chance to see the difference (default 0.8)")
    parser.add_argument("--judged-items", type=int, metavar="N", help="items that the judge will score")
    parser.set_defaults(command=_plan_items)


def _plan_items(options: argparse.Namespace, settings: Settings) -> int:
    """Prints the plan with a simulated check; 1 where there is none."""
    from evaluator.statistics.corrected_scores import MIN_LABELS
    from evaluator.statistics.intervals import difference_interval
    from evaluator.statistics.sample_size import items_plan, labels_plan, simulated_label_power, simulated_power

    names = OF_SYSTEMS if options.judged_items is None else (*OF_SYSTEMS, *OF_JUDGE)
    try:
        table = read_csv(options.file, names)
        differences = _differences(table, OF_SYSTEMS)
        judged = None if options.judged_items is None else _differences(table, OF_JUDGE)
        if judged is None:
            plan, said = items_plan(differences, options.power), "items"
        else:
            plan = labels_plan(differences, judged, options.judged_items, options.power)
            said = f"labels beside a judge of {options.judged_items:,} items"
    except (TableUnreadable, ValueError) as error:
        stop(f"{options.file}: {error}")
    except OSError as error:
        stop(f"{options.file}: {error.strerror}")
    low, high = difference_interval(differences) or (plan.difference, plan.difference)
    ends = f"[{low:.3g}, {high:.3g}]"
    print(f"difference {plan.difference:.4g} {ends} over {plan.seen:,} items, scatter {plan.scatter:.4g}")
    if plan.needed is None:
        print("no number that can be had tells them apart: the difference is too small for its scatter")
        return 1
    print(f"{plan.needed:,} {said} tell them apart with a power of {plan.power:.0%}")
    if judged is None:
        checked = simulated_power(differences, plan.needed)
    else:
        checked = simulated_label_power(differences, judged, plan.needed, options.judged_items)
    print(f"simulated from these items: {checked:.1%} of 2,000 samples")
    if judged is not None and plan.needed < MIN_LABELS:
        print(f"label {MIN_LABELS}: judge-report gives no interval with fewer")
    return 0


def _differences(table: CsvTable, names: tuple[str, str]) -> list[float]:
    """First minus second of each row.

    Raises:
        ValueError: a cell is no number.
    """
    first, second = ([_number(cell, name, row) for row, cell in enumerate(table.column(name), 1)] for name in names)
    return [left - right for left, right in zip(first, second, strict=True)]


def _number(cell: str, name: str, row: int) -> float:
    value = number(cell)
    if value is None:
        raise ValueError(f"row {row}, column {name}: {quoted(cell)}; expected a number")
    return value
