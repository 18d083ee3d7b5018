"""`python -m submissions import-perse`: published lines of PerSE become an unanswered file of ours."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from submissions.commands.command_line import EXIT_USAGE, stop
from submissions.formats.personalized_evaluation.published_lines import (
    Imported,
    ImportRefused,
    import_perse,
    lines_shown,
)
from submissions.settings import Settings


def add_commands(commands: Any) -> None:
    """Adds `import-perse` to the subparsers of `python -m submissions`."""
    command = commands.add_parser("import-perse", help="turn published PerSE lines into an unanswered file")
    command.add_argument("files", metavar="FILE.jsonl", nargs="+", help="choices: one file per aspect")
    command.add_argument("--output", metavar="OUT.json", required=True, type=Path)
    command.set_defaults(command=_import)


def _import(options: argparse.Namespace, settings: Settings) -> int:
    try:
        imported = import_perse({name: _text(name) for name in options.files})
    except ImportRefused as refused:
        sys.stderr.write(lines_shown(refused.faults) + "\n")
        return EXIT_USAGE
    try:
        options.output.write_text(json.dumps(imported.document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        stop(f"import-perse: {options.output}: {error.strerror}")
    sys.stdout.write(_told(imported, options.output) + "\n")
    return 0


def _text(name: str) -> str:
    try:
        return Path(name).read_text(encoding="utf-8-sig")
    except OSError as error:
        stop(f"import-perse: {name}: {error.strerror}")
    except UnicodeDecodeError as error:
        stop(f"import-perse: {name}: not UTF-8 at byte {error.start}")


def _told(imported: Imported, output: Path) -> str:
    document = imported.document
    items = document["items"]
    left_out = f"; {imported.n_undecided:,} undecided choices left out" if imported.n_undecided else ""
    return f"{output}: {document['kind']}, {len(items):,} items, k = {document['k']}{left_out}"  # type: ignore[arg-type]
