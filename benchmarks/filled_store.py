"""A data folder with as many scored systems as wanted, to measure pages with: like real results, made by chance."""

from __future__ import annotations

import random
from collections.abc import Callable

from evaluator.embeddings.minilm import MiniLMEmbedder
from evaluator.evaluate import evaluate_payload
from evaluator.judge_loading.loading import load_scorer
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.results import FigureSummary, RobustnessResult, ViewResult
from evaluator.robustness.figures import RATING_ENDS
from evaluator.statistics.intervals import mean_metric
from submissions.promptsets import PromptSets, example_submissions
from submissions.schema import Names
from submissions.settings import Settings
from submissions.store.store import Store

OLDEST_S = 1_750_000_000.0
SPREAD, NOISE = 0.5, 0.7
"""Standard deviations of a system's quality and of its items around it, on 0-5; as on our own boards."""
FAMILIES = ("Llama", "Mistral", "Qwen", "Gemma", "OLMo", "Viking", "Poro", "GPT-SW3")


def fill(settings: Settings, rows: int, *, seed: int = 0, on_row: Callable[[int], None] = lambda number: None) -> None:
    """Writes `rows` scored systems of the demonstration set into the store of these settings."""
    file_name, data = next(example_submissions())
    result = _evaluated(file_name, data)
    chance = random.Random(seed)
    store = Store.open(settings.resolved_database_url)
    try:
        for number in range(rows):
            ticket_id = f"{number:016x}"
            family = chance.choice(FAMILIES)
            names = Names(
                team=f"team {number // 5}",
                system=f"system {number}",
                model=f"{family}-{chance.choice((1, 3, 7, 8, 13, 70))}B",
                run="1",
            )
            store.add(
                ticket_id=ticket_id,
                owner=f"owner {number // 5}",
                role="entry",
                edition=result.edition,
                set_id=result.prompt_set.set_id,
                names=names,
                file_name=file_name,
                data=data,
                received_at=OLDEST_S + 60.0 * number,
            )
            made = another(result, chance)
            store.restore_result(ticket_id, made.model_dump_json(), OLDEST_S + 60.0 * number + 30.0)
            on_row(number + 1)
    finally:
        store.close()


def another(result: RobustnessResult, chance: random.Random) -> RobustnessResult:
    """The same result of a system of another quality: every item moves, means and intervals follow."""
    shift = chance.gauss(0.0, SPREAD)
    moved = {item.id: shift + chance.gauss(0.0, NOISE) for item in result.items}
    views = {view: _moved(view_result, moved) for view, view_result in result.views.items()}
    return result.model_copy(update={"views": views})


def _moved(view: ViewResult, moved: dict[str, float]) -> ViewResult:
    values = {
        figure: {item: min(5.0, max(0.0, value + moved[item])) for item, value in of_items.items()}
        for figure, of_items in view.item_values.items()
    }
    figures = {figure: _summary(summary, values.get(figure, {})) for figure, summary in view.figures.items()}
    return view.model_copy(update={"item_values": values, "figures": figures})


def _summary(summary: FigureSummary, values: dict[str, float]) -> FigureSummary:
    if not values:
        return summary
    return summary.model_copy(
        update={"mean": mean_metric({item: [value] for item, value in values.items()}, RATING_ENDS)}
    )


def _evaluated(file_name: str, data: bytes) -> RobustnessResult:
    embedder = MiniLMEmbedder()
    result = evaluate_payload(
        data,
        file_name,
        edition="auto",
        names=Names(),
        prompt_sets=PromptSets.load(None),
        judge=RecordedJudge(load_scorer("pair").judge, MemoryVerdicts()),
        embedder=embedder,
    )
    if not isinstance(result, RobustnessResult):
        raise TypeError(f"{file_name} is no Robustness submission")
    return result
