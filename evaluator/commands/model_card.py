"""`--card`: a result scored on one's own machine as entries for a model card.

`.eval_results/plumbline.yaml` is the Hub's evaluation results (https://huggingface.co/docs/hub/eval-results);
`model-index.yaml` goes into the front matter of the model's README. Nothing here is ranked, and the entries say so.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evaluator.commands.thresholds import UnknownFigure, headline_of
from evaluator.results import HEADLINE
from evaluator.robustness.edition_results import CONSISTENCY_HEADLINE, CULTURAL_HEADLINE
from submissions.version import VERSION

EVAL_RESULTS = ".eval_results/plumbline.yaml"
MODEL_INDEX = "model-index.yaml"
_EDITIONS = {"consistency": "2025", "cultural": "2026"}
_DEMONSTRATION = "demonstration"
_METRICS = {"robustness": HEADLINE, "consistency": CONSISTENCY_HEADLINE, "cultural": CULTURAL_HEADLINE}


class NoCard(Exception):
    """Raised where a result gives no entry; the text says why."""


def write_card(result: Mapping[str, Any], dataset: str, model: str, folder: Path, now: datetime) -> list[Path]:
    """Write both files below a folder; return their paths.

    Args:
        result: As the worker stores it, read as JSON.
        dataset: The benchmark's dataset repository, OWNER/NAME.
        model: What the model is called.
        folder: Made where it does not exist.
        now: When it was scored.

    Raises:
        NoCard: the headline has no value.
        UnknownFigure: the result has no headline for a whole file, or its board no such entry.
    """
    headline = headline_of(result)
    if result["board"] not in _METRICS:
        raise UnknownFigure(f"--card is of ELOQUENT and the demonstration set, not of {result['board']}")
    if headline["value"] is None:
        raise NoCard(f"the headline has no value ({headline.get('reason') or 'no reason is stated'}): no entry is made")
    written = {
        EVAL_RESULTS: _eval_results(result, headline, dataset, now),
        MODEL_INDEX: _model_index(result, headline, dataset, model),
    }
    for name, text in written.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in written]


def task_id(result: Mapping[str, Any]) -> str:
    """Return the task of the benchmark, as its `eval.yaml` lists it (docs/eval_results.md).

    >>> task_id({"board": "robustness", "prompt_set": {"set_id": "eloquent-2024"}})
    'robustness/eloquent-2024/english'
    >>> task_id({"board": "cultural", "prompt_set": {"set_id": "eloquent-2026"}})
    'cultural/2026'
    """
    board, set_id = result["board"], result["prompt_set"]["set_id"]
    if board == "robustness":
        return f"robustness/{set_id}/english"
    edition = f"{board}/{_EDITIONS[board]}"
    return f"{edition}/{set_id}" if set_id.startswith(_DEMONSTRATION) else edition


def _notes(result: Mapping[str, Any], headline: Mapping[str, Any]) -> str:
    pin = result.get("judge") or result["embedding"]
    low, high = headline.get("low"), headline.get("high")
    said = [
        f"{_METRICS[result['board']]} {headline['value']:.4g}",
        f"95% interval {low:.4g} to {high:.4g}" if low is not None and high is not None else "",
        f"n = {headline['n']}",
        "higher is better",
        f"read by {pin['name']} ({pin['model']}, revision {pin['revision'][:12]})",
        f"scored by its team with Plumbline {VERSION}, not ranked",
    ]
    return "; ".join(text for text in said if text)


def _eval_results(result: Mapping[str, Any], headline: Mapping[str, Any], dataset: str, now: datetime) -> str:
    # Here: its libraries take a while to load, and no other command needs them.
    from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

    entry = EvalResultEntry(
        dataset_id=dataset,
        task_id=task_id(result),
        value=headline["value"],
        date=now.astimezone(UTC).isoformat(timespec="seconds"),
        notes=_notes(result, headline),
    )
    return _yaml(eval_result_entries_to_yaml([entry]))


def _model_index(result: Mapping[str, Any], headline: Mapping[str, Any], dataset: str, model: str) -> str:
    from huggingface_hub import EvalResult
    from huggingface_hub.repocard_data import eval_results_to_model_index

    metric = _METRICS[result["board"]]
    entry = EvalResult(
        task_type="text-generation",
        dataset_type=dataset,
        dataset_name=task_id(result),
        metric_type=metric,
        metric_name=f"Plumbline {metric}",
        metric_value=headline["value"],
        metric_args={"low": headline.get("low"), "high": headline.get("high"), "n": headline["n"]},
        verified=False,
    )
    return _yaml({"model-index": eval_results_to_model_index(model, [entry])})


def _yaml(body: Any) -> str:
    from huggingface_hub.utils import yaml_dump  # type: ignore[attr-defined]

    return str(yaml_dump(body, sort_keys=False))
