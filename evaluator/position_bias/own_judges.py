"""How the judges of this installation stand: their card, from the preference verdicts they gave on the boards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from evaluator.judges.prompts import PREFERENCE_PAIR
from evaluator.position_bias.evaluate import evaluate_judges
from evaluator.position_bias.label_bias import LABELS, Label
from evaluator.position_bias.repetition import EXPECTED_DRAWS, expected_repetition, floor_share
from evaluator.results import JudgesResult, PairwiseRecord, RobustnessResult
from evaluator.robustness.pairwise import OPTIONS
from evaluator.statistics.verdict_tables import read_verdicts
from evaluator.values import Pin
from submissions.formats.judge_verdicts.submission import VerdictSubmission
from submissions.schema import Names

REVISION_DIGITS = 12


def judge_label(pin: Pin) -> str:
    """What a judge of ours is called on the board: model and the beginning of its revision."""
    return f"{pin.model} @ {pin.revision[:REVISION_DIGITS]}"[:100]


def own_judges_result(set_id: str, results: Mapping[str, RobustnessResult]) -> JudgesResult | None:
    """The judges' figures over all comparisons with the reference on one prompt set; None where there are none.

    Task = variation, model = system, query = item and variant; the reference stands first in the original order.

    Args:
        set_id: The prompt set, which is the benchmark's name.
        results: System (a name unique on the board) -> its result.
    """
    rows: list[dict[str, str]] = []
    cards: dict[str, dict[str, str]] = {}
    pins: dict[str, set[Pin]] = {}
    references: set[str] = set()
    records: dict[str, list[PairwiseRecord]] = {}
    for system, result in results.items():
        if result.pairwise is None or result.prompt_set.set_id != set_id:
            continue
        judge = judge_label(result.judge)
        cards[judge] = _card(result.judge)
        pins.setdefault(judge, set()).add(result.judge)
        references.add(result.pairwise.reference)
        records.setdefault(judge, []).extend(result.pairwise.records)
        rows += [
            {
                "judge": judge,
                "task": record.variation,
                "model": system,
                "query": f"{record.item}.{record.variant}",
                "verdict_original": record.original,
                "verdict_swapped": record.swapped,
            }
            for record in result.pairwise.records
        ]
    if not rows:
        return None
    import pandas as pd  # here: a worker needs no tables

    submission = VerdictSubmission(
        set_id=f"judges:{set_id}",
        names=Names(team="Plumbline"),
        options=OPTIONS,
        reference_model=", ".join(sorted(references)),
        verdict_format="brackets",
        cards=cards,
        file_sha256="",
        tables={set_id: read_verdicts(pd.DataFrame(rows, dtype=str))},
    )
    judged = evaluate_judges(submission)
    assert isinstance(judged, JudgesResult)  # one benchmark, one result
    reports = tuple(
        report.model_copy(
            update={"repetition": _expected_repetition(records[report.judge]), "pin": _only(pins[report.judge])}
        )
        for report in judged.judges
    )
    return judged.model_copy(update={"source": "evaluator", "judges": reports})


def _only(pins: Set[Pin]) -> Pin | None:
    """The pin all results share; None where one label covers judges that differ."""
    return next(iter(pins)) if len(pins) == 1 else None


def _expected_repetition(records: Sequence[PairwiseRecord]) -> dict[str, float | int | None] | None:
    """What three draws from the label distributions would show; None for judges without label probabilities.

    A deterministic judge asked again says the same, which is no repetition (docs/position_bias.md#repetition).
    """
    pairs = [(record.distribution_original, record.distribution_swapped) for record in records]
    items = [(_by_label(original), _by_label(swapped)) for original, swapped in pairs if original and swapped]
    if not items:
        return None
    expected = expected_repetition(items, options=OPTIONS)
    figures: dict[str, float | int | None] = {
        "n_items": expected["n_items"],
        "n_items_skipped": expected["n_items_skipped"],
        "repetition_stability": expected["repetition_stability"],
        "same_order_agreement": expected["same_order_agreement"],
        "cross_order_agreement": expected["cross_order_agreement"],
        "positional_excess": expected["positional_excess"],
    }
    return figures | {"repetition_stability_floor": floor_share(EXPECTED_DRAWS, OPTIONS)}


def _by_label(distribution: Sequence[float]) -> dict[Label, float]:
    return dict(zip(LABELS[OPTIONS], distribution, strict=True))


def _card(pin: Pin) -> dict[str, str]:
    return {
        "model_id": pin.model,
        "revision": pin.revision,
        "precision": pin.dtype,
        "prompt_template": f"{PREFERENCE_PAIR.id} {PREFERENCE_PAIR.version}",
    }
