"""The calibration curve: what was stated against what people said, with the table behind it."""

from __future__ import annotations

from evaluator.judge_report.figure import Figure
from leaderboard.judge_report.charts import calibration_value


def point(number: int, stated: float, share: float, n: int) -> Figure:
    return Figure(f"label_calibration_{number}", "t", share, share - 0.1, share + 0.1, n, "labels", "m", stated=stated)


OTHER = Figure("ties", "Ties", 0.5, None, None, 4, "comparisons", "m")


def test_every_judge_that_states_probabilities_has_its_curve_and_its_numbers() -> None:
    judged = [
        ("sure", [OTHER, point(2, 0.75, 0.5, 10), point(1, 0.25, 0.5, 12)]),
        ("silent", [OTHER]),
        ("sober", [point(1, 0.5, 0.5, 20)]),
    ]
    value = calibration_value(judged, is_dark=False)
    assert value is not None
    assert [chart["title"] for chart in value["charts"]] == ["Calibration of sure", "Calibration of sober"]
    curve = value["figures"]["calibration-0"].data[1]
    # From the least that was stated to the most.
    assert (list(curve.x), list(curve.y), list(curve.text)) == ([0.25, 0.75], [0.5, 0.5], ["12", "10"])
    table = value["charts"][0]["table"]
    assert table is not None
    assert [[cell["text"] for cell in row["cells"]] for row in table["rows"]] == [
        ["1", "0.25", "0.50 [0.40, 0.60]", "12"],
        ["2", "0.75", "0.50 [0.40, 0.60]", "10"],
    ]


def test_without_probabilities_there_is_no_chart() -> None:
    assert calibration_value([("silent", [OTHER])], is_dark=False) is None
    assert calibration_value([], is_dark=True) is None
