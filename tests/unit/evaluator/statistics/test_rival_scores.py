"""Corrected scores beside other packages: all get the same logs, and what one does not give counts as not given."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.rival_scores import (
    METHODS,
    OURS,
    Reached,
    answer_rows,
    our_intervals,
    reached,
    resampled,
    rival_intervals,
    rivals_table,
    simulated,
    verdict_rows,
)
from evaluator.statistics.corrected_scores import powered_mean

ROOT = Path(__file__).parents[4]
RIVALS = ROOT / ".venv-rivals" / "bin" / "python"


def test_coverage_and_length_are_of_the_intervals_given() -> None:
    # Two of three given; one holds 0.5; lengths 0.25 and 0.375.
    assert reached([(0.25, 0.5), None, (0.0, 0.375)], 0.5) == Reached(0.5, 0.3125, 2, 3)
    assert reached([None], 0.5) is None


def test_logs_drawn_from_a_real_one_have_its_labels_on_average() -> None:
    logs = resampled("made", [(1.0, 0.5), (0.0, 0.0), (0.0, 1.0), (1.0, 0.5)], 200)
    assert logs.truth == 0.5
    assert (logs.labels.shape, logs.others.shape) == ((200, 100), (200, 1_000))
    assert logs.labels.mean() == pytest.approx(0.5, abs=0.02)
    # Label and what the judge says stay together: 0.5 goes with a yes alone.
    assert set(logs.labels[logs.judged == 0.5]) == {1.0}


def test_an_answer_is_judged_by_the_words_of_the_reference_that_it_has(tmp_path: Path) -> None:
    row = {
        "gold": "Tide Lake/keel",
        "answers": {"a": {"text": "The tide.", "correct": True}, "b": {"text": "A KEEL", "correct": False}},
    }
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(row).encode()))
    assert list(answer_rows(path)) == [(1.0, 0.5), (0.0, 1.0)]


def test_what_is_no_log_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("no log")
    with pytest.raises(ValueError, match=r"text\.txt: no judge's log"):
        list(verdict_rows([path]))


def test_ours_are_those_of_the_report() -> None:
    logs = next(simulated(3))
    intervals = our_intervals(logs)[OURS]
    mean = powered_mean(logs.labels[0].tolist(), logs.judged[0].tolist(), logs.others[0].tolist())
    assert mean is not None
    assert intervals[0] == mean.interval
    table = rivals_table([(logs, {OURS: reached(intervals, logs.truth)})]).splitlines()
    assert table[0] == f"| logs | {' | '.join(METHODS)} |"
    assert table[2].count("|") == len(METHODS) + 2


@pytest.mark.skipif(not RIVALS.is_file(), reason="`make rivals` installs the other packages, which ask for Python 3.12")
def test_the_other_packages_get_the_same_logs() -> None:
    logs = next(simulated(5))
    [made], versions = rival_intervals([logs], str(RIVALS))
    assert set(versions) == {"truescore", "glide-py", "cje-eval"}
    assert {len(intervals) for intervals in made.values()} == {5}
    ours = np.array(our_intervals(logs)[OURS])
    for method in ("truescore", "glide-py", "cje-eval"):
        theirs = np.array(made[method], np.float64)
        # The same estimator or one near to it: no two intervals are further apart than they are long.
        assert np.abs(theirs - ours).max() < (ours[:, 1] - ours[:, 0]).max()
