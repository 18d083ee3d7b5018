"""What one must have to make a result anew, on any board: judge, prompts, data, code and every verdict by its key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from evaluator.behavior_alignment.result import BehaviorResult
from evaluator.personalized_evaluation.result import PersonalizedEvaluationResult
from evaluator.reproduce.behavior_alignment import behavior_facts
from evaluator.reproduce.editions import edition_facts
from evaluator.reproduce.personalized_evaluation import evaluator_facts
from evaluator.reproduce.robustness import robustness_facts
from evaluator.results import HEADLINE_VIEW, RobustnessResult
from evaluator.robustness.edition_results import ConsistencyResult, CulturalResult
from evaluator.statistics.version import stated_version
from submissions.store.queue import Ticket
from submissions.store.store import sha256_hex
from submissions.store.verdict_keys import verdict_keys

MANIFEST_VERSION = 1


def result_manifest(ticket: Ticket, result: str) -> dict[str, Any]:
    """The manifest of a stored result of any kind.

    `verdict_keys` are those of the board's own judge, sorted, each once; a submitted table of verdicts has none, for
    its verdicts are the file. Of the further judges of a panel the pins are named.

    A run whose answers are not public yet has none either: a key would confirm a short answer that somebody guesses.

    Args:
        result: JSON as it is stored.
    """
    body: dict[str, Any] = json.loads(result)
    return {
        "manifest_version": MANIFEST_VERSION,
        "ticket": ticket.id,
        "set": ticket.set_id,
        "names": {
            "team": ticket.names.team,
            "system": ticket.names.system,
            "model": ticket.names.model,
            "run": ticket.names.run,
        },
        "options": ticket.choices.as_json(),
        "received_at": ticket.received_at.isoformat(),
        "scored_at": ticket.status_at.isoformat(),
        "file": {"name": ticket.file_name, "sha256": ticket.file_sha256},
        "result_sha256": sha256_hex(result.encode()),
        "board": body["board"],
        "schema_version": body["schema_version"],
        "code_version": body.get("code_version") or body["results"][0]["code_version"],
        "statistics_version": stated_version(body),
        "prompt_set": body.get("prompt_set"),
        "judges": list(_judges(body)),
        "embedding": body.get("embedding"),
        "gate": body.get("gate"),
        "estimator": (body.get("implicit") or {}).get("estimator"),
        "verdict_keys": verdict_keys(result) if ticket.shows_answers else [],
        **_facts(body["board"], result),
    }


def _facts(board: str, result: str) -> dict[str, Any]:
    """What `python -m evaluator reproduce` compares: the headline and, of ELOQUENT, every figure and all files."""
    match board:
        case "robustness":
            return robustness_facts(RobustnessResult.model_validate_json(result), HEADLINE_VIEW)
        case "consistency":
            return edition_facts(ConsistencyResult.model_validate_json(result))
        case "cultural":
            return edition_facts(CulturalResult.model_validate_json(result))
        case "behavior":
            return behavior_facts(BehaviorResult.model_validate_json(result))
        case "personalized_evaluation":
            return evaluator_facts(PersonalizedEvaluationResult.model_validate_json(result))
    return {}


def _judges(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Pins of the judges, the board's own first; of verdicts a team sent, none."""
    panel = body.get("panel") or {}
    reports = (report for table in body.get("results", [body]) for report in table.get("judges", []))
    pins = [
        body.get("judge"),
        *(member["judge"] for member in panel.get("members", [])),
        *(report["pin"] for report in reports),
    ]
    yield from (pin for place, pin in enumerate(pins) if pin and pin not in pins[:place])
