"""The card of the dataset: front matter that names every table as a config, and what their columns say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from leaderboard.results_dataset.tables import TableOf
from submissions.version import VERSION

TITLE = "Plumbline results"


def dataset_card(tables: Sequence[TableOf], counts: Mapping[str, int], digests: Mapping[str, str]) -> str:
    """The README of the dataset; no word of a team stands in it.

    Args:
        tables: The first one is what the viewer shows at first.
        counts: Table -> rows.
        digests: Table -> SHA-256 of its file.
    """
    lines = [
        "---",
        f"pretty_name: {TITLE}",
        "tags:",
        *(f"- {tag}" for tag in ("leaderboard", "evaluation", "robustness", "llm-as-a-judge", "eloquent")),
        "configs:",
        *(line for place, table in enumerate(tables) for line in _config(table, is_default=place == 0)),
        "---",
        "",
        f"# {TITLE}",
        "",
        f"Written by Plumbline {VERSION} (`python -m leaderboard results-dataset`): what stands on its boards, down to",
        "every verdict. Equal results give equal bytes. Names are as the teams state them. `items` and `verdicts` are",
        "of every submission on the boards, replaced ones too; `boards` says which has a row. Verdicts that a team",
        "sent itself (the board of judges) are its file, and not in it.",
        "",
        "```python",
        "from datasets import load_dataset",
        "",
        f'boards = load_dataset("FOLDER_OR_REPOSITORY", "{tables[0].name}", split="train")',
        "```",
    ]
    for table in tables:
        lines += [
            "",
            f"## {table.name}",
            "",
            f"{table.about} Rows: {counts[table.name]:,}. SHA-256: `{digests[table.name]}`.",
            "",
            "| column | type | |",
            "|---|---|---|",
            *(f"| `{name}` | {kind} | {about} |" for name, (kind, about) in table.columns.items()),
        ]
    return "\n".join([*lines, ""])


def _config(table: TableOf, *, is_default: bool) -> list[str]:
    return [
        f"- config_name: {table.name}",
        *(["  default: true"] if is_default else []),
        "  data_files:",
        "  - split: train",
        f"    path: {table.name}/{table.name}.parquet",
    ]
