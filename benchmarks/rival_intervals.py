"""Intervals of corrected scores by other packages, in an environment of their own: `rival_scores` runs this file.

For each `NAME.npz` of a folder it writes `NAME.json`: method -> the interval of each log, null where it gave none.
Imports nothing of this project.
"""

import json
import logging
import sys
import warnings
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

Method = Callable[[Any, Any, Any], tuple[float, float]]
"""Labels, the judge's values of the same items, those of the others -> interval."""

MOST_LOGS = {"cje-eval": 300}
"""Logs of a kind that a package gets, where it is slow: a tenth of a second for each."""


def truescore_ppi(labels: Any, judged: Any, others: Any) -> tuple[float, float]:
    """`truescore.ppi_estimate`."""
    values = np.concatenate([judged, others])
    estimate = import_module("truescore").ppi_estimate(values, labels, np.arange(len(labels)))
    return estimate.low, estimate.high


def truescore_rogan_gladen(labels: Any, judged: Any, others: Any) -> tuple[float, float]:
    """`truescore.rogan_gladen_estimate`, of a judge that says yes or no."""
    values = np.concatenate([judged, others])
    estimate = import_module("truescore").rogan_gladen_estimate(values, labels, np.arange(len(labels)))
    return estimate.low, estimate.high


def glide_ppi(labels: Any, judged: Any, others: Any) -> tuple[float, float]:
    """`glide.estimators.PPIMeanEstimator`, power tuned."""
    known = np.concatenate([labels, np.full(len(others), np.nan)])
    estimator = import_module("glide.estimators").PPIMeanEstimator()
    interval = estimator.estimate(known, np.concatenate([judged, others])).confidence_interval
    return interval.lower_bound, interval.upper_bound


def cje_calibrated(labels: Any, judged: Any, others: Any) -> tuple[float, float]:
    """`cje.calibrated_mean_ci` as it comes."""
    known = np.concatenate([labels, np.full(len(others), np.nan)])
    low, high = import_module("cje").calibrated_mean_ci(np.concatenate([judged, others]), known).ci
    return low, high


METHODS: dict[str, tuple[str, Method]] = {
    "truescore": ("truescore", truescore_ppi),
    "truescore, Rogan-Gladen": ("truescore", truescore_rogan_gladen),
    "glide-py": ("glide-py", glide_ppi),
    "cje-eval": ("cje-eval", cje_calibrated),
}


def intervals(method: str, logs: Any) -> list[tuple[float, float] | None]:
    """Return the interval of each log."""
    package, estimate = METHODS[method]
    made: list[tuple[float, float] | None] = []
    for labels, judged, others in zip(*(logs[key] for key in ("labels", "judged", "others")), strict=True):
        if len(made) == MOST_LOGS.get(package):
            break
        try:
            low, high = estimate(labels, judged, others)
        except ValueError:  # a package refuses labels that are all alike, or a judge that is no better than a coin
            made.append(None)
        else:
            made.append((float(low), float(high)) if np.isfinite([low, high]).all() else None)
    return made


def main(folder: Path) -> None:
    """Write the intervals of every file of a folder."""
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    for path in sorted(folder.glob("*.npz")):
        logs = np.load(path)
        is_binary = set(np.unique(logs["others"])) <= {0.0, 1.0}
        asked = [method for method in METHODS if is_binary or "Rogan-Gladen" not in method]
        path.with_suffix(".json").write_text(json.dumps({method: intervals(method, logs) for method in asked}))
    versions = {package: version(package) for package, _ in METHODS.values()}
    (folder / "versions.json").write_text(json.dumps(versions))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
