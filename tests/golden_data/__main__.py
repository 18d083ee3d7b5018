"""`make golden-data`: rebuilds the tables that are somebody else's from the public repositories they come from.

Every file is fetched at a fixed commit and held against its checksum, every table against that of the table which the
expected figures were computed from. About 530 MB are fetched, 25 MB kept. The figures of published judges that are part
of the project are computed once more from their tables.
"""

from __future__ import annotations

import argparse
import gzip
import sys
from collections.abc import Callable
from pathlib import Path

from evaluator.public_record.position_bias import changed_figures, kept_judges, published_judges
from tests.golden_data import REBUILT, TableChanged, require_expected
from tests.golden_data.alpaca_eval import gate_replies, preferences, ranking
from tests.golden_data.behavior_alignment import inspired, redial
from tests.golden_data.eloquent import official_2024
from tests.golden_data.human import likeness, prompted_answers, same_answer, task_outputs
from tests.golden_data.llm_bar import results
from tests.golden_data.personalization import answers
from tests.golden_data.position_bias import verdicts
from tests.golden_data.tables import Contents
from tests.golden_data.upstream import Fetch, SourceFailed, Upstream, downloaded, from_clones, listed_sources

REPOSITORIES: tuple[tuple[str, Callable[[Upstream], Contents]], ...] = (
    ("eloquent-lab/eloquent-lab.github.io", official_2024),
    ("sweetpeach/Inspired", inspired),
    ("dayuyang1999/Behavior-Alignment", redial),
    ("Slimshilin/Position-Bias-Analyzer", verdicts),
    ("chimaobi-okite/pref_aligner", answers),
    ("princeton-nlp/LLMBar", results),
    ("tatsu-lab/alpaca_eval", preferences),
    ("tatsu-lab/alpaca_eval", ranking),
    ("tatsu-lab/alpaca_eval", gate_replies),
    ("tatsu-lab/alpaca_eval", prompted_answers),
    ("wangcunxiang/QA-Eval", same_answer),
    ("PhilipMay/stsb-multi-mt", likeness),
    ("yizhongw/self-instruct", task_outputs),
)


def rebuilt(name: str, build: Callable[[Upstream], Contents], fetch: Fetch, folder: Path) -> list[str]:
    """Writes the tables of one repository; returns their names.

    Raises:
        SourceFailed: when a file of the repository cannot be had or is another one; nothing is written then.
        TableChanged: when a table is not the expected one; it is not written.
    """
    sources = listed_sources(Path(__file__).with_name("sources.txt").read_text(encoding="utf-8"))
    tables = build(Upstream(tuple(source for source in sources if source.repository == name), fetch))
    for table, content in tables.items():
        require_expected(table, gzip.decompress(content) if table.endswith(".gz") else content)
        path = folder / table
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return list(tables)


def published_figures_hold(folder: Path) -> bool:
    """Prints whether the kept figures of published judges are those of the tables in a folder, and which are not."""
    kept = kept_judges()
    changes = changed_figures(kept, published_judges(folder, kept.computed_on))
    for change in changes:
        print(f"  {change}", file=sys.stderr)
    print(f"figures of published judges: {f'{len(changes)} differ' if changes else 'as kept'}")
    return not changes


def main(arguments: list[str] | None = None) -> int:
    """Prints each table as it is written, and why another could not be.

    Returns:
        1 where a table is missing or a kept figure differs, else 0.
    """
    parser = argparse.ArgumentParser(prog="make golden-data", description=__doc__)
    parser.add_argument("--from", dest="clones", type=Path, metavar="FOLDER", help="clones to read, instead of GitHub")
    parser.add_argument("--into", type=Path, default=REBUILT, metavar="FOLDER", help="default: tests/data/rebuilt")
    options = parser.parse_args(arguments)
    fetch = from_clones(options.clones) if options.clones else downloaded
    failed = False
    for name, build in REPOSITORIES:
        print(f"{name} ...", flush=True)
        try:
            for table in rebuilt(name, build, fetch, options.into):
                print(f"  {table}: as expected")
        except (SourceFailed, TableChanged) as reason:
            failed = True
            print(f"  not rebuilt: {reason}", file=sys.stderr)
    released = options.into / "published" / "position_bias"
    is_whole = all((released / name).is_file() for name in kept_judges().tables)
    if is_whole and not published_figures_hold(released):
        failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
