"""One ranked row as a record of Every Eval Ever: the aggregate, and a line for each figure on each item.

Source of the fields: `every_eval_ever` 0.3.0, `schemas/eval.schema.json` and `schemas/instance_level_eval.schema.json`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from evaluator.results import MetricValue, Pin
from leaderboard.eval_results.tasks import BenchmarkTask
from leaderboard.every_eval_ever.identity import model_id, record_id, record_path
from leaderboard.every_eval_ever.items import has_given_items, item_scores
from leaderboard.page.board_row import BoardRow, ticket_of_row
from leaderboard.page.links import link_of
from leaderboard.parts.columns import Column, text_of
from leaderboard.parts.downloads import figure_record
from leaderboard.parts.manifests import result_manifest
from submissions.store.queue import Ticket
from submissions.version import VERSION

SCHEMA_VERSION = "0.3.0"
CONFIDENCE = 0.95

Details = dict[str, str]
"""What the schema has no field for; all values are texts."""


@dataclass(frozen=True, slots=True)
class StoredRun:
    """The submission behind a row."""

    ticket: Ticket
    result: str
    """As it is stored."""
    shows_file: bool
    """May everybody see what stands in its file, ids of items among it?"""


def row_files(task: BenchmarkTask, row: Any, run: StoredRun | None, retrieved_at: datetime) -> dict[str, bytes]:
    """Return the files of a ranked row: its record, and the scores of its items where there are any.

    Args:
        task: The board and choice the row stands on.
        row: It has a rank.
        run: None = the row is nobody's submission.
        retrieved_at: Of the newest result: equal results give equal bytes.
    """
    manifest = result_manifest(run.ticket, run.result) if run else None
    model = model_id(_stated_model(row), _name(task, row))
    path = record_path(model, record_id(task.id, row.id, manifest["result_sha256"] if manifest else ""))
    evaluation_id = f"{task.id}/{model.id}/{path.rpartition('/')[2]}/{int(retrieved_at.timestamp())}"
    results = list(_results(task, row, run, manifest["statistics_version"] if manifest else None))
    figures = {result["evaluation_result_id"] for result in results}
    samples = "".join(
        json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n"
        for line in _samples(task, row, run, evaluation_id, model.id, figures)
    ).encode()
    record: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": evaluation_id,
        "retrieved_timestamp": str(int(retrieved_at.timestamp())),
        "source_metadata": {
            "source_name": "Plumbline",
            "source_type": "evaluation_run" if samples else "documentation",
            "source_organization_name": "Plumbline",
            "evaluator_relationship": "third_party" if _is_measured_here(row) else "other",
            "additional_details": _source_details(task, row, run),
        },
        "eval_library": {
            "name": "plumbline",
            "version": manifest["code_version"] if manifest else VERSION,
            "additional_details": _texts(statistics_version=manifest["statistics_version"] if manifest else None),
        },
        "model_info": {
            "name": _stated_model(row) or _name(task, row),
            "id": model.id,
            "developer": model.developer,
            "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"},
        },
        "evaluation_results": results,
    }
    if run:
        record["evaluation_timestamp"] = run.ticket.status_at.isoformat()
    if not samples:
        return {f"{path}.json": _json(record)}
    record["detailed_evaluation_results"] = {
        "format": "jsonl",
        "file_path": f"{path}_samples.jsonl",
        "hash_algorithm": "sha256",
        "checksum": hashlib.sha256(samples).hexdigest(),
        "total_rows": samples.count(b"\n"),
    }
    return {f"{path}.json": _json(record), f"{path}_samples.jsonl": samples}


def result_id(task: BenchmarkTask, figure: str) -> str:
    """Return what joins a figure of a record with the scores of its items."""
    return f"{task.id}#{figure}"


# --- figures ---------------------------------------------------------------------------------------------------------


def _results(task: BenchmarkTask, row: Any, run: StoredRun | None, version: int | None) -> Iterator[dict[str, Any]]:
    """Yield every figure of the row that is better one way or the other, the headline first.

    Args:
        version: Of the statistics that made them; None = not known.
    """
    columns = sorted(task.table.columns, key=lambda column: column.key != task.headline.key)
    for column in columns:
        figure = figure_record(column, row)
        if figure is None or (column.better is None and column is not task.headline):
            continue
        is_headline = column.key == task.headline.key
        value = column.value(row)
        unscored = value.unscored if isinstance(value, MetricValue) else None
        rank = task.rank(row)
        yield {
            "evaluation_result_id": result_id(task, column.key),
            "evaluation_name": task.id,
            "source_data": {
                "dataset_name": run.ticket.set_id if run else task.id,
                "source_type": "other",
                "additional_details": _texts(**task.table.about(task.state)),
            },
            "metric_config": _metric(task, column, row, figure["value"]),
            "score_details": {
                "score": figure["value"],
                "details": _texts(
                    shown=column.value_text(row),
                    rank=text_of(rank, "rank") if rank and is_headline else None,
                    counted=task.table.kind.counted if is_headline else None,
                    unscored=unscored or None,
                ),
                **_uncertainty(figure["low"], figure["high"], figure["n"], _interval_method(column, version)),
            },
        }


def _metric(task: BenchmarkTask, column: Column[Any], row: Any, value: float) -> dict[str, Any]:
    is_headline = column.key == task.headline.key
    is_lower_better = task.is_lower_better if is_headline else column.better in ("lower", "nearer_zero")
    pin = _measured_by(task, row)
    judge = pin if task.table.kind.judge else None
    metric: dict[str, Any] = {
        "evaluation_description": column.tooltip,
        "metric_id": f"plumbline.{task.table.board}.{column.key}",
        "metric_name": column.label,
        "lower_is_better": is_lower_better,
        "additional_details": _texts(
            better=column.better,
            explained=f"docs/{column.docs_page}#{column.docs_anchor}" if column.docs_anchor else None,
            embedding=f"{pin.name}: {pin.model}, revision {pin.revision}" if pin and judge is None else None,
        ),
    }
    if column.scale and column.scale[0] <= value <= column.scale[1]:
        low, high = column.scale
        metric |= {"score_type": "continuous", "min_score": low, "max_score": high}
    if judge:
        metric["llm_scoring"] = {"judges": [{"model_info": _judge_info(judge)}], "input_prompt": judge.prompt}
    return metric


def _uncertainty(low: float | None, high: float | None, n: int | None, method: str) -> dict[str, Any]:
    known: dict[str, Any] = {}
    if low is not None and high is not None:
        interval = {"lower": low, "upper": high, "confidence_level": CONFIDENCE, "method": method}
        known["confidence_interval"] = {key: value for key, value in interval.items() if value != ""}
    if n is not None:
        known["num_samples"] = n
    return {"uncertainty": known} if known else {}


def _interval_method(column: Column[Any], version: int | None) -> str:
    """Return where the formula of a column's interval stands, and the version of the statistics that computed it."""
    if not column.docs_anchor:
        return ""
    return f"docs/{column.docs_page}#{column.docs_anchor}" + (f", statistics version {version}" if version else "")


def _judge_info(pin: Pin) -> dict[str, Any]:
    model = model_id(pin.model, pin.name)
    stated = _texts(judge=pin.name, revision=pin.revision, tokenizer=pin.tokenizer, dtype=pin.dtype, engine=pin.engine)
    return {
        "name": pin.model,
        "id": model.id,
        "developer": model.developer,
        "additional_details": {"deployment_type": "self_deployed", "model_availability": "unknown", **stated},
    }


# --- items -----------------------------------------------------------------------------------------------------------


def _samples(
    task: BenchmarkTask, row: Any, run: StoredRun | None, evaluation_id: str, model: str, figures: Collection[str]
) -> Iterator[dict[str, Any]]:
    """Yield a line for each figure on each item; texts are left out, and `results-dataset` says whose are public."""
    if run and not run.shows_file and not has_given_items(row):
        return
    for item in item_scores(task, row, run.result if run else None):
        if result_id(task, item.figure) not in figures:
            continue
        yield {
            "schema_version": SCHEMA_VERSION,
            "evaluation_id": evaluation_id,
            "model_id": model,
            "evaluation_name": task.id,
            "evaluation_result_id": result_id(task, item.figure),
            "sample_id": item.item,
            "interaction_type": "single_turn",
            "input": {"raw": "", "reference": list(item.reference)},
            "output": {"raw": []},
            "answer_attribution": [],
            "evaluation": {"score": item.score, "is_correct": item.is_best},
            "metadata": {"texts": "left out"},
        }


# --- whose it is -----------------------------------------------------------------------------------------------------


def _source_details(task: BenchmarkTask, row: Any, run: StoredRun | None) -> Details:
    names = run.ticket.names if run else None
    opened = task.table.opened
    return _texts(
        board=task.table.kind.title,
        row=_name(task, row),
        team=row.team if isinstance(row, BoardRow) else None,
        system=names.system if names else None,
        run=names.run if names else None,
        ticket=ticket_of_row(row) or None,
        measured=row.measured if isinstance(row, BoardRow) else None,
        note=row.note if isinstance(row, BoardRow) else None,
        link=link_of(opened(task.state, row.id)) if opened else None,
    )


def _measured_by(task: BenchmarkTask, row: Any) -> Pin | None:
    """Return the judge of the row's headline, or else the embedding model that it rests on."""
    judge = task.table.kind.judge
    if judge:
        return judge(row)
    is_about_judges = task.table.board in ("judges", "judge_quality")
    return row.judge if isinstance(row, BoardRow) and not is_about_judges else None


def _is_measured_here(row: Any) -> bool:
    return not isinstance(row, BoardRow) or row.is_measured_here


def _stated_model(row: Any) -> str:
    return row.model if isinstance(row, BoardRow) else ""


def _name(task: BenchmarkTask, row: Any) -> str:
    return next(str(column.value(row) or "") for column in task.table.columns if column.is_name)


def _texts(**values: object) -> Details:
    """Return what is known, as texts."""
    return {key: str(value) for key, value in values.items() if value not in (None, "")}


def _json(body: dict[str, Any]) -> bytes:
    return (json.dumps(body, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()
