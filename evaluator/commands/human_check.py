"""`python -m evaluator human-check`: what people say of judges, made anew from the stored votes."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import Any

from submissions.commands.command_line import opened_store
from submissions.settings import Settings


def add_commands(commands: Any) -> None:
    """Adds the command to the subparsers of `python -m evaluator`."""
    check = commands.add_parser("human-check", help="how far people agree with each judge, from the stored votes")
    check.add_argument("--json", action="store_true", help="print one JSON object: the figures by judge, and the votes")
    check.add_argument("--database-url", help="default: as `work` does")
    check.set_defaults(command=_human_check)


def _human_check(options: argparse.Namespace, settings: Settings) -> int:
    from evaluator.judge_quality.human_check import judge_figures, vote_records

    store = opened_store(settings, options.database_url or settings.resolved_database_url)
    votes = store.verdict_votes()
    store.close()
    figures = judge_figures(votes)
    if options.json:
        print(json.dumps({"judges": figures, "votes": [asdict(record) for record in vote_records(votes)]}))
        return 0
    for figure in figures:
        kappa = f"n/a ({figure['reason']})" if figure["kappa"] is None else f"{figure['kappa']:.3f}"
        interval = "" if figure["kappa_ci"] is None else " [{:.3f}, {:.3f}]".format(*figure["kappa_ci"])
        print(
            f"{figure['judge']} {figure['judge_sha256'][:12]}: kappa {kappa}{interval}, votes {figure['votes']}, "
            f"agree {figure['agreed']}, people {figure['people']}, verdicts {figure['verdicts']}, "
            f"own votes left out {figure['own_votes_left_out']}"
        )
    if not figures:
        print("nobody has voted")
    return 0
