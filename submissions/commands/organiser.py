"""`python -m submissions pause|resume|hide|show|rejudge|rank|rank-latest|cells|decisions`: what organisers do."""

from __future__ import annotations

import argparse
import json
from typing import Any

from submissions.archive.record import Archive
from submissions.commands.command_line import opened_store, stop
from submissions.desk import Desk
from submissions.promptsets import PromptSets
from submissions.seasons.season_file import seasons_of
from submissions.settings import Settings
from submissions.store.cells import cells_of
from submissions.store.database_file import database_file
from submissions.store.queue import QUEUE, Act, ActKind, Ticket
from submissions.store.store import Store, StoreError

OPERATOR = "operator"
"""Whoever has the machine: the account of what is done by command."""

_ABOUT_A_RUN: dict[str, tuple[ActKind, str]] = {
    "hide": ("hide", "keep a run, or a published judge report, off the boards, for a public reason"),
    "show": ("show", "put a hidden run or judge report on the boards again"),
    "rejudge": ("rerun", "judge a scored or failed run again; stored verdicts are kept, but those of --cell"),
    "rank": ("primary", "rank a system, or a team where its season ranks one run of each, by this run"),
    "rank-latest": ("latest", "rank the system, or the team, of this run by its latest run again"),
}
_ABOUT_THE_QUEUE: dict[str, tuple[ActKind, str]] = {
    "pause": ("pause", "begin no further run; those at work go on"),
    "resume": ("resume", "let the queue go on"),
}


def add_commands(commands: Any) -> None:
    """Adds the organisers' commands to the subparsers of `python -m submissions`."""
    for name, (kind, help_text) in (_ABOUT_A_RUN | _ABOUT_THE_QUEUE).items():
        act = commands.add_parser(name, help=help_text)
        if name in _ABOUT_A_RUN:
            act.add_argument("ticket")
        act.add_argument("--reason", required=True, help="why; everybody can read it")
        act.add_argument("--by", default="", help="who decided it, for the public log (default: the operator)")
        act.set_defaults(command=_act, kind=kind, ticket=QUEUE, cell="")
        if kind == "rerun":
            act.add_argument(
                "--cell",
                default="",
                help="ask for the verdicts of this cell again (see `cells`); its result stands meanwhile",
            )

    erase = commands.add_parser(
        "erase", help="erase what a withdrawn, cancelled, failed or hidden run said, for good; a tombstone stays"
    )
    erase.add_argument("ticket")
    erase.add_argument("--reason", required=True, help="why; everybody can read it")
    erase.add_argument("--by", default="", help="who decided it, for the public log (default: the operator)")
    erase.set_defaults(command=_erase)

    cells = commands.add_parser("cells", help="the cells of a scored run that can be judged again, one a line")
    cells.add_argument("ticket")
    cells.set_defaults(command=_cells)

    decisions = commands.add_parser("decisions", help="what was decided, by whom and why, the newest first")
    decisions.add_argument("--json", action="store_true")
    decisions.set_defaults(command=_decisions)


def _act(options: argparse.Namespace, settings: Settings) -> int:
    # Acting reads no prompts.
    seasons = seasons_of(settings)
    desk = Desk(opened_store(settings), Archive(settings.archive), PromptSets.load(None), seasons=seasons)
    if not options.reason.strip():
        stop("--reason is blank: say why, everybody can read it")
    try:
        act = desk.act(
            options.kind,
            options.ticket,
            actor=OPERATOR,
            actor_name=options.by,
            reason=options.reason.strip(),
            cell=options.cell,
        )
    except StoreError as refused:
        stop(str(refused))
    print(_line(act))
    return 0


def _erase(options: argparse.Namespace, settings: Settings) -> int:
    store = opened_store(settings)
    desk = Desk(store, Archive(settings.archive), PromptSets.load(None))
    if not options.reason.strip():
        stop("--reason is blank: say why, everybody can read it")
    try:
        act = desk.erase(options.ticket, actor=OPERATOR, actor_name=options.by, reason=options.reason.strip())
    except StoreError as refused:
        stop(str(refused))
    print(_line(act))
    print("\n".join(still_kept(store, settings, store.require(options.ticket))))
    return 0


def still_kept(store: Store, settings: Settings, erased: Ticket) -> list[str]:
    """Where something of an erased submission may still be, and what to do about it."""
    said = ["erased: its file, result, verdicts and embeddings; a page server forgets it at its restart"]
    same = [
        ticket.id for ticket in store.tickets() if ticket.file_sha256 == erased.file_sha256 and not ticket.is_erased
    ]
    if same:
        said.append(f"the same file stays, sent under another ticket: {', '.join(same)}")
    if settings.archive_repo:
        said.append(f"{settings.archive_repo} and its history follow within a minute, while the page server runs")
    file = database_file(settings.resolved_database_url)
    if file is None:
        said.append("PostgreSQL overwrites it when it vacuums: `VACUUM (FULL)` does so at once")
    else:
        aside = sorted(file.parent.glob(f"{file.name}.damaged-*")) + sorted(file.parent.glob(f"{file.name}.replaced-*"))
        said += [f"a database moved aside may have it: delete {path}" for path in aside]
    return [*said, "copies, exports and datasets made before have it: make them anew (docs/identity.md#erasing)"]


def _cells(options: argparse.Namespace, settings: Settings) -> int:
    store = opened_store(settings)
    try:
        ticket = store.require(options.ticket)
    except StoreError as unknown:
        stop(str(unknown))
    result = store.result(ticket.id)
    if result is None:
        stop(f"submission {ticket.id} is {ticket.status}: only scored runs have cells")
    cells = cells_of(result)
    if cells.reason:
        stop(f"no cell of submission {ticket.id} can be judged again: {cells.reason}")
    for cell in cells.keys:
        print(cell)
    return 0


def _decisions(options: argparse.Namespace, settings: Settings) -> int:
    acts = opened_store(settings).acts()
    if options.json:
        print(json.dumps([_as_json(act) for act in acts], ensure_ascii=False))
        return 0
    for act in acts:
        print(_line(act))
    return 0


def _line(act: Act) -> str:
    about = "" if act.subject == QUEUE else f" {act.subject}"
    return f"{act.at:%Y-%m-%d %H:%M:%S}{about} {act.words}, by {act.who}: {act.reason}"


def _as_json(act: Act) -> dict[str, object]:
    return {
        "at": act.at.isoformat(),
        "decision": act.kind,
        "about": act.subject,
        "account": act.actor,
        "by": act.who,
        "reason": act.reason,
        "cell": act.cell,
    }
