"""`--fail-below` and `--fail-above`: bounds on figures of a result, for CI."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from evaluator import tasks
from submissions.reading.quoting import quoted

EXIT_BELOW = 3
"""A figure is beyond its bound, or has no value."""
FIGURES_NAMED = 12
"""So many figures are named to somebody who asks for an unknown one."""


class UnknownFigure(Exception):
    """Raised where a result has no figure of that name; the text names some that it has."""


@dataclass(frozen=True, slots=True)
class Bound:
    """What a figure must not be beyond."""

    figure: str
    """Its path in the result, `figures.culture_gated`; blank = the headline."""
    side: Literal["below", "above"]
    limit: float


def bound(text: str, side: Literal["below", "above"]) -> Bound:
    """Read `3.5` or `FIGURE=3.5`.

    Raises:
        ArgumentTypeError: it is neither.

    >>> bound("figures.raw=.5", "below")
    Bound(figure='figures.raw', side='below', limit=0.5)
    """
    figure, _, number = text.rpartition("=")
    try:
        limit = float(number)
    except ValueError:
        limit = math.nan
    if not math.isfinite(limit):
        raise argparse.ArgumentTypeError(f"found {quoted(text)}, expected a number, or FIGURE=NUMBER")
    return Bound(figure.strip(), side, limit)


def add_bounds(parser: argparse.ArgumentParser) -> None:
    """Add the flags; both may stand several times."""
    for side in ("below", "above"):
        parser.add_argument(
            f"--fail-{side}",
            action="append",
            default=[],
            metavar="[FIGURE=]X",
            type=lambda text, side=side: bound(text, side),  # type: ignore[misc]
            help=f"end with {EXIT_BELOW} where the headline, or the figure at that path of --json, is {side} X",
        )


def beyond(result: Mapping[str, Any], bounds: Sequence[Bound]) -> list[str]:
    """Return a line for each bound that does not hold. A figure without a value holds no bound: it is not 0.

    Args:
        result: As the worker stores it, read as JSON.
        bounds: To be held.

    Raises:
        UnknownFigure: of the first one that the result does not have.
    """
    lines = []
    for limit_of in bounds:
        name = limit_of.figure or "the headline"
        value, reason = _value(headline_of(result) if not limit_of.figure else _at(result, limit_of.figure), limit_of)
        if value is None:
            lines.append(
                f"{name} has no value{f' ({reason})' if reason else ''}, so it is not known to reach {limit_of.limit:g}"
            )
        elif (value < limit_of.limit) if limit_of.side == "below" else (value > limit_of.limit):
            lines.append(f"{name} is {value:.6g}, {limit_of.side} {limit_of.limit:g}")
    return lines


def headline_of(result: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the headline of a result: value, low, high, n.

    Raises:
        UnknownFigure: its board has none for a whole file.
    """
    (task,) = (task for task in tasks.TASKS if result["board"] in task.boards)
    node = task.headline(result)
    if node is None:
        raise UnknownFigure(
            f"results of the board {result['board']} have no headline for a whole file: name a figure by its path in "
            f"--json, like {', '.join(_named(result))}"
        )
    return node


def _at(result: Mapping[str, Any], path: str) -> Any:
    node: Any = result
    for part in path.split("."):
        if isinstance(node, Mapping) and part in node:
            node = node[part]
        elif isinstance(node, list) and part.isdecimal() and int(part) < len(node):
            node = node[int(part)]
        else:
            raise UnknownFigure(f"the result has no {quoted(path)}; it has {', '.join(_named(result))}, ...")
    return node


def _value(node: Any, limit_of: Bound) -> tuple[float | None, str]:
    """Return a figure's value, or None with the reason."""
    reason = ""
    if isinstance(node, Mapping) and "value" in node:
        node, reason = node["value"], str(node.get("reason") or "")
    if node is None:
        return None, reason
    if isinstance(node, bool) or not isinstance(node, (int, float)):
        raise UnknownFigure(f"{quoted(limit_of.figure)} is no figure: expected a number at that path of --json")
    return float(node), ""


def _named(result: Mapping[str, Any]) -> list[str]:
    """Return the first figures of a result, by their paths."""
    return [path for path, _ in zip(_figures(result, ""), range(FIGURES_NAMED), strict=False)]


def _figures(node: Any, path: str) -> Iterator[str]:
    if isinstance(node, Mapping) and {"value", "n"} <= node.keys():
        yield path
    elif isinstance(node, Mapping):
        for key, value in node.items():
            yield from _figures(value, f"{path}.{key}" if path else str(key))
    elif isinstance(node, list):
        for place, value in enumerate(node[:FIGURES_NAMED]):
            yield from _figures(value, f"{path}.{place}")
