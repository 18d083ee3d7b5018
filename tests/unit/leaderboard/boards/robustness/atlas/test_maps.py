from __future__ import annotations

import csv
import io
from collections.abc import Mapping

import pytest

from evaluator.results import MetricValue
from leaderboard.boards.robustness.atlas.maps import (
    MEAN,
    NOBODY,
    NOT_THERE,
    HeatMap,
    MapPart,
    MapSystem,
    cells_csv,
    hardest_first,
    mean_over_systems,
)
from leaderboard.boards.robustness.atlas.values import PAGE_PARTS, hardest_sentence, hint, map_value, shown_map

SYSTEMS = (
    MapSystem("t1", "Keel", "Keel · rank 1", is_null=False),
    MapSystem("t2", "Tide", "Tide · rank 2", is_null=False),
    MapSystem("t0", "Null: refusal", "baseline", is_null=True),
)


def judged(value: float | None) -> MetricValue:
    return MetricValue(value=value, n=0 if value is None else 4, reason=None if value is not None else "no answer")


def heat_map(values: Mapping[str, Mapping[str, float | None]], **changes: object) -> HeatMap:
    fields: dict[str, object] = {
        "key": "items",
        "title": "Items",
        "part_word": "item",
        "parts_word": "items",
        "units": "answers",
        "parts": tuple(MapPart(part, part) for part in values),
        "cells": {part: {system: judged(value) for system, value in of.items()} for part, of in values.items()},
    }
    return HeatMap(**(fields | changes))  # type: ignore[arg-type]


def test_a_part_is_as_hard_as_the_systems_find_it_and_null_rows_are_no_systems() -> None:
    one = heat_map({"001": {"t1": 4.0, "t2": 1.0, "t0": 0.0}})
    assert mean_over_systems(one, "001", SYSTEMS) == MetricValue(value=2.5, n=2)  # (4 + 1) / 2


def test_who_was_not_judged_is_counted_and_in_no_mean() -> None:
    one = heat_map({"001": {"t1": 4.0, "t2": None}, "002": {"t0": 0.0}})
    assert mean_over_systems(one, "001", SYSTEMS) == MetricValue(value=4.0, n=1, unscored=1)
    assert mean_over_systems(one, "002", SYSTEMS) == MetricValue(value=None, n=0, unscored=2, reason=NOBODY)


def test_the_hardest_part_stands_on_top_and_what_nobody_was_judged_on_comes_last() -> None:
    one = heat_map({"001": {"t1": 4.0}, "002": {"t1": None}, "003": {"t1": 1.0}, "004": {"t1": 4.0}})
    assert [part.id for part in hardest_first(one, SYSTEMS)] == ["003", "001", "004", "002"]


def test_of_a_figure_that_is_best_at_0_the_largest_distance_is_hardest() -> None:
    one = heat_map(
        {"en - sv": {"t1": 0.25, "t2": -0.25}, "en - fi": {"t1": -0.75}}, better="nearer_zero", scale=(0.0, 1.0)
    )
    assert [part.id for part in hardest_first(one, SYSTEMS)] == ["en - fi", "en - sv"]
    assert mean_over_systems(one, "en - sv", SYSTEMS).value == 0.25  # not 0: the mean of 0.25 and -0.25
    value = map_value(shown_map(one, SYSTEMS, "hardest"), SYSTEMS, lambda *place: "", order="hardest", page=1)
    assert value["lines"][0]["cells"][0]["at"] == "0.75"


def test_the_sentence_names_the_hardest_and_the_easiest_part_by_their_means() -> None:
    one = heat_map({"001": {"t1": 4.0, "t2": 3.0, "t0": 0.0}, "002": {"t1": 1.0}, "003": {"t1": None}})
    assert hardest_sentence(one, SYSTEMS) == (
        "Hardest item: 002, 1.00 on average over 1 system; easiest: 001, 3.50 on average over 2 systems."
    )
    near_zero = heat_map({"a": {"t1": -0.75}, "b": {"t1": 0.25}}, better="nearer_zero")
    assert hardest_sentence(near_zero, SYSTEMS).startswith("Hardest item: a, 0.75 on average")
    assert hardest_sentence(heat_map({"001": {"t1": 4.0}, "002": {"t1": 4.0}}), SYSTEMS) == ""
    assert hardest_sentence(heat_map({"001": {"t1": None}}), SYSTEMS) == ""


def test_colours_are_places_on_the_scale_and_what_was_not_judged_has_none() -> None:
    one = heat_map({"001": {"t1": 0.0, "t2": None, "t0": 5.0}, "002": {"t1": 5.0, "t2": 1.0}})
    value = map_value(shown_map(one, SYSTEMS, "name"), SYSTEMS, lambda *place: "?x", order="name", page=1)
    first, second = (line["cells"] for line in value["lines"])
    assert [(cell["text"], cell["at"]) for cell in first] == [("0.00", "0"), ("n/a", ""), ("5.00", "")]
    assert [(cell["text"], cell["at"]) for cell in second] == [("5.00", "1"), ("1.00", "0.2"), ("n/a", "")]
    assert first[1]["hint"] == "n/a: no answer"
    assert second[2] == {"text": "n/a", "at": "", "hint": f"n/a: {NOT_THERE.reason}", "href": "", "tab": "-1"}
    assert (value["order_by_name"], value["order_by_mean"]) == ("ascending", "none")


def test_one_cell_of_a_map_is_reached_with_tab() -> None:
    one = heat_map({"001": {"t1": 1.0, "t2": 1.0}, "002": {"t1": 5.0}})
    value = map_value(shown_map(one, SYSTEMS, "name"), SYSTEMS, lambda *place: "?x", order="name", page=1)
    assert [cell["tab"] for line in value["lines"] for cell in line["cells"]] == ["0", *5 * ["-1"]]


@pytest.mark.parametrize(
    ("metric", "told"),
    [
        (MetricValue(value=3.25, low=2.9, high=3.61, n=8, unscored=1), "3.25 [2.90, 3.61]; n = 8 items, 1 not judged"),
        (MetricValue(value=0.0, n=4), "0.00; n = 4 items"),
        (MetricValue(value=None, n=0, reason="the judge does not read sv"), "n/a: the judge does not read sv"),
    ],
)
def test_pointing_at_a_cell_tells_interval_and_n_or_why_there_is_none(metric: MetricValue, told: str) -> None:
    assert hint(heat_map({}), metric, "items") == told


def test_a_long_map_has_pages_and_a_shorter_one_beside_it_stays() -> None:
    long = shown_map(heat_map({f"{number:03}": {"t1": 1.0} for number in range(PAGE_PARTS + 2)}), SYSTEMS, "name")
    assert (long.pages, [part.id for part in long.page(2)]) == (2, ["025", "026"])
    assert long.page(9) == long.page(2)
    value = map_value(long, SYSTEMS, lambda *place: "", order="name", page=2)
    assert value["summary"] == "Items 26 to 27 of 27"
    short = shown_map(heat_map({"001": {"t1": 1.0}}), SYSTEMS, "name")
    assert [part.id for part in short.page(2)] == ["001"]
    assert map_value(short, SYSTEMS, lambda *place: "", order="name", page=2)["summary"] == "1 item"


def test_the_file_has_a_line_for_every_cell_and_every_mean_and_no_formula() -> None:
    systems = (MapSystem("t1", "=1+1", "", is_null=False), SYSTEMS[1])
    one = heat_map({"001": {"t1": 3.0, "t2": None}})
    records = list(csv.DictReader(io.StringIO(cells_csv([(one, one.parts)], systems))))
    assert [tuple(record.values()) for record in records] == [
        ("items", "001", "'=1+1", "t1", "3.0", "4", "", "", ""),
        ("items", "001", "Tide", "t2", "", "0", "", "", "no answer"),
        ("items", "001", MEAN, "", "3.0", "1", "", "", ""),
    ]
    assert list(records[0]) == ["map", "row", "system", "ticket", "value", "n", "low", "high", "reason"]
