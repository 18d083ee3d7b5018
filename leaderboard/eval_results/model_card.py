"""What a submission puts on a model card: entries in the Hub's form, their file, and the words of the pull request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from evaluator.results import Pin
from leaderboard.eval_results.results import RankedResult, RunResults
from leaderboard.page.copies import markdown_escaped
from leaderboard.page.latex import one_line
from leaderboard.parts.visible_text import visible
from submissions.version import VERSION

if TYPE_CHECKING:
    from huggingface_hub import EvalResultEntry

FILE = ".eval_results/plumbline.yaml"
"""Where it lies in the repository of the model."""
SOURCE = "Plumbline"
TITLE = "Add evaluation results of Plumbline"


def entries(results: RunResults, dataset: str, address: str) -> list[EvalResultEntry]:
    """One entry for each ranked result, in the Hub client's own class.

    Args:
        results: Of one submission.
        dataset: The benchmark's dataset repository, OWNER/NAME.
        address: Of the site, which the source of every entry leads to; blank = they name no source.
    """
    # Here: its libraries take a while to load, and no page needs them at first.
    from huggingface_hub import EvalResultEntry

    return [
        EvalResultEntry(
            dataset_id=dataset,
            task_id=result.task,
            value=result.record["value"],
            date=results.scored_at,
            source_url=f"{address}{result.link}" if address else None,
            source_name=SOURCE if address else None,
            notes=_notes(results, result),
        )
        for result in results.ranked
    ]


def yaml_of(result_entries: Sequence[EvalResultEntry]) -> str:
    """The entries as the file holds them; every text is one for YAML too, dates among them."""
    from huggingface_hub import eval_result_entries_to_yaml
    from huggingface_hub.utils import yaml_dump  # type: ignore[attr-defined]

    return str(yaml_dump(eval_result_entries_to_yaml(list(result_entries)), sort_keys=False))


def description(results: RunResults, address: str) -> str:
    """What a pull request says: what was measured, by whom, how sure it is, and where it stands. No word of a team.

    Args:
        address: Of the site.
    """
    lines = [
        f"Plumbline {VERSION} scored a run of this model on {results.scored_at[:10]}; `{FILE}` says so in the form of "
        "the Hub's evaluation results. Values are unrounded; they are those of the board at this moment.",
    ]
    for result in results.ranked:
        low, high, n = result.record["low"], result.record["high"], result.record["n"]
        lines += [
            "",
            f"- {_code(result.task)}: {markdown_escaped(result.figure)} **{result.record['value']:.4g}**"
            f"{'' if low is None or high is None else f', 95% interval {low:.4g} to {high:.4g}'}"
            f"{'' if n is None else f', n = {n} {markdown_escaped(result.counted)}'.rstrip()}, rank {result.rank}; "
            f"{_better(result)}.",
            f"  {markdown_escaped(_judged(result.judge))}.",
            f"  [The row, down to every verdict]({address}{result.link})",
        ]
    return "\n".join(lines)


def _notes(results: RunResults, result: RankedResult) -> str:
    n = result.record["n"]
    names = results.ticket.names
    said = [
        f"{result.board}: {result.figure} {result.shown}"
        + (" (95% interval)" if result.record["low"] is not None else ""),
        f"n = {n} {result.counted}".rstrip() if n is not None else "",
        _better(result),
        f"rank {result.rank}",
        _judged(result.judge),
        result.note,
        f"system {names.system}" if names.system else "",
        f"run {names.run}" if names.run else "",
        f"ticket {results.ticket.id}",
    ]
    return visible(one_line("; ".join(text for text in said if text)))


def _better(result: RankedResult) -> str:
    return "lower is better" if result.is_lower_better else "higher is better"


def _judged(judge: Pin | None) -> str:
    if judge is None:
        return "no judge of this installation was asked"
    return f"read by {judge.name} ({judge.model}, revision {judge.revision[:12]})"


def _code(text: str) -> str:
    """A code span: task ids hold neither backquotes nor line breaks."""
    return f"`{text}`"
