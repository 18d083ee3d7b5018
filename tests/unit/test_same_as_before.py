from __future__ import annotations

import json

from tests.same_as_before import differences, reason_of

BEFORE = {"code_version": "1", "mean": {"value": 3.0, "low": 2.0}, "items": [{"id": "901"}]}


def test_every_place_that_differs_is_told_and_versions_are_not() -> None:
    now = {"code_version": "2", "mean": {"value": 3.5, "low": 2.5}, "items": [{"id": "902"}], "gate": None}
    assert list(differences("evaluate keel.json", (0, json.dumps(BEFORE)), (0, json.dumps(now)))) == [
        "$.gate: is new",
        '$.items[].id: "901" before, "902" now',
        "$.mean.low: 2.0 before, 2.5 now",
        "$.mean.value: 3.0 before, 3.5 now",
    ]


def test_a_help_text_may_offer_more_and_never_less() -> None:
    old, new = "    check   reads --json and --run", "    check   reads --json and --team"
    assert list(differences("python -m submissions --help", (0, old), (0, new))) == ["--run is gone"]


def test_an_interval_may_have_moved_and_a_figure_may_not() -> None:
    assert reason_of("evaluate keel.json", "$.mean.low: 2.0 before, 2.5 now")
    assert not reason_of("evaluate keel.json", "$.mean.value: 3.0 before, 3.5 now")
    assert not reason_of("boards/robustness/demonstration/all.json", "$.rows[].score: is gone")
    assert not reason_of("evaluate keel.json", "exit 0 before, 1 now: Traceback")
