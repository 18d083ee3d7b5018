"""`python -m submissions submit|status|cancel|withdraw|rebuild`: the desk from the command line."""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from submissions.archive.events import ArchiveError
from submissions.archive.hub import HubError
from submissions.archive.rebuilding import rebuild
from submissions.archive.record import Archive
from submissions.checking.job import Budget, CheckJob
from submissions.checking.once import checked_once
from submissions.commands.check import folder_words, line_words
from submissions.commands.command_line import opened_store, stop
from submissions.commands.verdict_flags import add_verdict_flags, verdict_choices
from submissions.desk import LOCAL_OWNER, Desk
from submissions.formats.file_kind import FileReading
from submissions.problems import NotTakenNow, SubmissionError, grouped, listed
from submissions.promptsets.available import prompt_sets_at_hand
from submissions.reading.limits import Limits
from submissions.schema import Names
from submissions.seasons.season_file import seasons_of
from submissions.seasons.terms import Terms, TermsNotAccepted
from submissions.settings import Settings, SettingsError
from submissions.store.eta import WaitEstimate, estimates_of
from submissions.store.queue import ActKind, NotYours, Ticket
from submissions.store.store import Store, StoreError

EXIT_INCOMPLETE = 3
"""Of `rebuild`: everything that is whole was restored, and something is not."""


def add_commands(commands: Any) -> None:
    """Adds the desk's commands to the subparsers of `python -m submissions`."""
    submit = commands.add_parser("submit", help="check a file and put it into the queue")
    submit.add_argument("file", type=Path)
    submit.add_argument("--edition", default="auto", choices=["auto", "2024", "2025", "2026"])
    for name in ("team", "system", "model", "run"):
        submit.add_argument(f"--{name}", help=f"the {name}, where the file does not state it")
    add_verdict_flags(submit)
    submit.add_argument(
        "--accept-terms",
        action="store_true",
        help="accept the terms of the season and of this installation, which an account does once",
    )
    submit.add_argument(
        "--keep-answers", action="store_true", help="your team's answers stay out of public exports; scores are shown"
    )
    submit.add_argument(
        "--notify",
        default="",
        metavar="URL",
        help="https address that the page server tells, signed, when the submission is scored or has failed",
    )
    submit.set_defaults(command=_submit)

    status = commands.add_parser("status", help="where submissions stand")
    status.add_argument("ticket", nargs="?", help="one ticket; without it, all of them")
    status.add_argument("--json", action="store_true")
    status.set_defaults(command=_status)

    for name, help_text in (
        ("cancel", "stop a submission that is not scored yet"),
        ("withdraw", "take a submission, or a published judge report, off the boards; a record of it stays"),
    ):
        end = commands.add_parser(name, help=help_text)
        end.add_argument("ticket")
        end.set_defaults(command=_end, end=name)

    choose = commands.add_parser("choose", help="let this run be the one that your system or team is ranked by")
    choose.add_argument("ticket")
    choose.add_argument(
        "--undo", action="store_true", help="take that back: the latest run with enough to be ranked is the one again"
    )
    choose.set_defaults(command=_choose)

    answers = commands.add_parser(
        "answers", help="keep your team's answers out of public exports, or let them in again; scores stay"
    )
    answers.add_argument("ticket", help="any submission of the team")
    answers.add_argument("choice", choices=["keep", "share"])
    answers.set_defaults(command=_answers)

    rebuild = commands.add_parser(
        "rebuild",
        help="restore from the archive what the database lacks; a damaged one is moved aside and made anew",
        description="Restores from the archive what the database lacks; a damaged database is moved aside and made "
        "anew. Exit codes: 0 = complete; 3 = done, but something in the archive is damaged; 1 = not possible; 2 = "
        "wrong use.",
    )
    rebuild.add_argument(
        "--archive",
        type=Path,
        help="an archive folder (default: the one in the data folder, with what the archive repository has besides)",
    )
    rebuild.add_argument("--anew", action="store_true", help="move a whole database aside too, and make it anew")
    rebuild.set_defaults(command=_rebuild)


def _desk(settings: Settings, store: Store) -> Desk:
    prompt_sets = prompt_sets_at_hand(settings, fetch=False)
    seasons = seasons_of(settings)
    return Desk(store, Archive(settings.archive), prompt_sets, durability=settings.durability, seasons=seasons)


def _file_bytes(path: Path) -> bytes:
    """The file, or one byte more than is taken of any."""
    with path.open("rb") as file:
        return file.read(Limits().personalized_lines_bytes + 1)


def _submit(options: argparse.Namespace, settings: Settings) -> int:
    try:
        data = _file_bytes(options.file)
    except IsADirectoryError:
        stop(f"submit: {folder_words(str(options.file))}")
    except OSError as error:
        stop(f"{options.file}: {error.strerror}")
    names = Names(team=options.team, system=options.system, model=options.model, run=options.run)
    store = opened_store(settings)
    desk = _desk(settings, store)
    job = CheckJob(options.file, options.file.name, options.edition, names, verdict_choices(options))
    try:
        take_in = partial(
            desk.submit,
            data,
            job.file_name,
            owner=LOCAL_OWNER,
            edition=job.edition,
            names=names,
            choices=job.choices,
            keeps_answers=options.keep_answers,
            notify=options.notify.strip(),
            checked=checked_once(io.BytesIO(data), job, desk.checking_prompt_sets, Budget.of(settings)),
        )
        try:
            receipt = take_in(accepts_terms=options.accept_terms)
        except TermsNotAccepted as asked:
            if not _accepts(asked.terms):
                raise
            receipt = take_in(accepts_terms=True)
    except SubmissionError as refused:
        for problem in grouped(listed(refused.problems)):
            place = problem.path + line_words(problem)
            sys.stderr.write(f"{problem.severity} {problem.code} at {place}: {problem.message} {problem.hint}\n")
        return 1
    except NotTakenNow as refused:
        sys.stderr.write(f"not submitted: {refused}\n")
        return 1
    known = " (this very file was submitted before; this is its ticket)" if receipt.already_known else ""
    print(f"ticket {receipt.ticket.id}{known}")
    print(f"sha256 {receipt.ticket.file_sha256}")
    print(receipt.ticket.status.sentence)
    wait = estimates_of(store).get(receipt.ticket.id)
    if wait is not None:
        print(f"Expected to be scored in: {wait.words}")
    print("\n".join([*receipt.season, *_rank_lines(receipt.report.reading)]))
    if receipt.notify_secret:
        print(f"Secret of the webhook, said only now: {receipt.notify_secret}")
    return 0


def _accepts(terms: Sequence[Terms]) -> bool:
    """Asks whoever sits at the terminal; where nobody does, nothing is accepted."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    for term in terms:
        sys.stderr.write(f"Terms of {term.title}, version {term.version}:\n\n{term.text}\n\n")
    sys.stderr.write("Do you accept them for your team? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _rank_lines(reading: FileReading | None) -> list[str]:
    """What the file holds and whether that is enough for a rank, as the page says it after a check."""
    if reading is None:
        return []
    held, ranks = list(reading.coverage_lines()), reading.rank_words()
    if ranks:
        held.append(f"It {ranks}")
    elif "rankable" not in reading.coverage_json():
        held.append("Whether it is ranked is known when it is scored.")
    return held


def _status(options: argparse.Namespace, settings: Settings) -> int:
    store = opened_store(settings)
    if options.ticket:
        named_ticket = store.ticket(options.ticket)
        if named_ticket is None:
            stop(f"no submission has the ticket {options.ticket!r}")
        tickets = [named_ticket]
    else:
        tickets = store.tickets()
    waits = estimates_of(store)
    if options.json:
        print(json.dumps([_as_json(ticket, waits.get(ticket.id)) for ticket in tickets], ensure_ascii=False))
        return 0
    for ticket in tickets:
        print(_line(ticket, waits.get(ticket.id)))
    if options.ticket:
        print("\n".join(f"  {line}" for line in tickets[0].log))
    return 0


def _line(ticket: Ticket, wait: WaitEstimate | None) -> str:
    names = " / ".join(name for name in (ticket.names.team, ticket.names.system, ticket.names.run) if name)
    place = f" (number {ticket.position} in the queue)" if ticket.position else ""
    judged = f", judged {ticket.judged} of {ticket.to_judge}" if ticket.to_judge is not None else ""
    reason = f": {ticket.reason}" if ticket.reason else ""
    reason += f", hidden: {ticket.hidden}" if ticket.hidden is not None else ""
    expected = f", expected in {wait.words}" if wait and wait.likely_s is not None else ""
    expected = expected or (f", {wait.words}" if wait else "")
    return f"{ticket.id} {ticket.status}{place}{judged}{expected}{reason} - {names} [{ticket.set_id}]"


def _as_json(ticket: Ticket, wait: WaitEstimate | None) -> dict[str, object]:
    return {
        "ticket": ticket.id,
        "status": ticket.status,
        "status_at": ticket.status_at.isoformat(),
        "received_at": ticket.received_at.isoformat(),
        "reason": ticket.reason,
        "hidden": ticket.hidden,
        "is_primary": ticket.is_primary,
        "position": ticket.position,
        "judged": ticket.judged,
        "to_judge": ticket.to_judge,
        "wait": asdict(wait) | {"words": wait.words} if wait else None,
        "attempts": ticket.attempts,
        "set": ticket.set_id,
        "team": ticket.names.team,
        "system": ticket.names.system,
        "model": ticket.names.model,
        "run": ticket.names.run,
        "options": ticket.choices.as_json(),
        "sha256": ticket.file_sha256,
        "log": list(ticket.log),
    }


def _end(options: argparse.Namespace, settings: Settings) -> int:
    store = opened_store(settings)
    desk = _desk(settings, store)
    try:
        if options.end == "withdraw" and store.judge_report(options.ticket) is not None:
            desk.withdraw_judge_report(options.ticket, LOCAL_OWNER)
            print(f"judge report {options.ticket} is withdrawn")
            return 0
        (desk.cancel if options.end == "cancel" else desk.withdraw)(options.ticket, LOCAL_OWNER)
    except (StoreError, NotYours) as refused:
        stop(str(refused))
    print(f"ticket {options.ticket} is {'cancelled' if options.end == 'cancel' else 'withdrawn'}")
    return 0


def _choose(options: argparse.Namespace, settings: Settings) -> int:
    desk = _desk(settings, opened_store(settings))
    try:
        act = desk.act("latest" if options.undo else "primary", options.ticket, actor=LOCAL_OWNER, owner=LOCAL_OWNER)
    except (StoreError, NotYours) as refused:
        stop(str(refused))
    print(f"ticket {options.ticket}: {act.words}")
    return 0


def _answers(options: argparse.Namespace, settings: Settings) -> int:
    desk = _desk(settings, opened_store(settings))
    kind: ActKind = "keep_answers" if options.choice == "keep" else "share_answers"
    try:
        act = desk.act(kind, options.ticket, actor=LOCAL_OWNER, owner=LOCAL_OWNER)
    except (StoreError, NotYours) as refused:
        stop(str(refused))
    print(f"ticket {options.ticket}: {act.words}")
    return 0


def _rebuild(options: argparse.Namespace, settings: Settings) -> int:
    try:
        rebuilt = rebuild(settings, print, folder=options.archive, anew=options.anew)
    except SettingsError as error:
        stop(str(error))
    except (ArchiveError, HubError, StoreError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    print("\n".join(rebuilt.lines))
    return 0 if rebuilt.restored.is_complete else EXIT_INCOMPLETE
