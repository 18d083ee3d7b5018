"""The report of a season for its overview paper: tables, who took part, how sure ranks are, judges, BibTeX."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from evaluator.results import Pin
from evaluator.statistics.rank_bands import RankBand
from leaderboard.page.board_row import ticket_of_row
from leaderboard.page.judge_quality import quality_sentence
from leaderboard.page.latex import PREAMBLE, typeset
from leaderboard.parts.columns import text_of
from leaderboard.parts.downloads import neutralised
from leaderboard.parts.manifests import result_manifest
from leaderboard.seasons.figures import headline_spans, interval_figure, rank_spans
from leaderboard.seasons.season_boards import SeasonBoards
from submissions.archive.record import Archive
from submissions.seasons.frozen import frozen_boards
from submissions.seasons.season import Season
from submissions.store.accepted_terms import Acceptance, accounts_by_version
from submissions.store.queue import JobStatus, Ticket
from submissions.store.refusals import Refused
from submissions.store.store import Store

_ENDINGS = (".json", ".jsonl", ".zip", ".csv")


@dataclass(frozen=True, slots=True)
class Participation:
    """Who took part, counted from what was received."""

    accounts: int
    teams: int
    systems: int
    in_time: int
    """Submissions received between opening and deadline."""
    late: int
    states: Mapping[str, int]
    """Of those in time: state -> how many."""
    reasons: Mapping[str, int]
    """Why submissions in time failed, were hidden, or were refused after they had been kept -> how many."""
    refused: Refused
    """What the check refused while the season was open."""
    registered: int | None
    """Accounts that accepted the season's terms, whatever they sent; None where it states none."""
    accepted: Mapping[str, int]
    """The same by version of the terms."""


def season_report(store: Store, boards: SeasonBoards, folder: Path, now: float) -> list[str]:
    """Writes the report; returns the paths below the folder.

    Args:
        store: The whole one.
        boards: Of the season.
        folder: Made where it does not exist.
        now: When it is made, in seconds since the epoch.
    """
    season, today = boards.season, datetime.fromtimestamp(now, UTC).date()
    late = [ticket for ticket in store.tickets() if ticket.role == "entry" and _is_late(season, ticket)]
    revoked, refused = refusals(boards.services.desk.archive, season), store.refused(season.name)
    took_part = participation(season, boards.tickets, late, revoked, refused, store.acceptances())
    keeping = store.answers_kept()
    files: dict[str, bytes] = {
        "participation.csv": _csv(("what", "count"), _participation_lines(took_part)),
        "submissions.csv": _csv(_LEDGER, [_ledger_line(season, ticket) for ticket in [*boards.tickets, *late]]),
        "ranks.csv": _csv(("board", "ticket", "system", "team", "best", "worst", "choices"), rank_ranges(boards)),
        "judges.csv": _csv(_JUDGES, _judge_lines(boards)),
    }
    tables: list[str] = []
    figures: list[tuple[str, str]] = []
    entries: dict[str, None] = {}
    for board in boards.boards:
        name = board.table.file_name(board.state).removeprefix("plumbline-").replace("/", "-")
        tables.append(f"tables/{name}.tex")
        files[f"tables/{name}.tex"] = board.table.latex(board.state, today).encode()
        files[f"tables/{name}.csv"] = board.table.csv(board.state).encode()
        headline = next(column for column in board.table.kind.columns if column.key == board.table.kind.headline)
        for what, spans, label in (
            ("scores", headline_spans(board), headline.label),
            ("ranks", rank_spans(board), "places it may hold"),
        ):
            if spans:
                files[f"figures/{name}-{what}.pdf"] = interval_figure(spans, label)
                figures.append((f"figures/{name}-{what}.pdf", f"{', '.join(board.about.values())}: {label}"))
        _, bibtex = board.table.citation(board.state, "", today)
        entries |= dict.fromkeys(entry.strip() for entry in bibtex.split("\n\n") if entry.strip())
    for ticket, result in boards.results():
        files[f"manifests/{ticket.id}.json"] = _json(result_manifest(ticket, result))
        are_public = season.answers_from is None or now >= season.answers_from.timestamp()
        if are_public and ticket.id not in keeping:
            files[f"answers/{ticket.id}{_ending(ticket)}"] = store.payload(ticket.file_sha256)
    frozen = frozen_boards(store.acts()).get(season.name)
    kept = f"The board was frozen on {frozen.at:%Y-%m-%d}, SHA-256 {frozen.sha256}." if frozen else ""
    files["season.bib"] = ("\n\n".join(entries) + "\n").encode()
    ranks, judges = rank_ranges(boards), _judge_lines(boards)
    ethics = ethics_lines(season, boards)
    files["report.tex"] = _document(season, took_part, ranks, judges, tables, figures, ethics, kept, today)
    files["index.json"] = _json(
        {
            "season": season.name,
            "made_on": today.isoformat(),
            "frozen_sha256": frozen.sha256 if frozen else None,
            "sha256": {path: hashlib.sha256(data).hexdigest() for path, data in sorted(files.items())},
        }
    )
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return sorted(files)


def participation(
    season: Season,
    tickets: Sequence[Ticket],
    late: Sequence[Ticket],
    revoked: Mapping[str, int],
    refused: Refused,
    acceptances: Collection[Acceptance],
) -> Participation:
    """Who took part.

    Args:
        tickets: Submissions that came in time.
        late: Those that came after the deadline.
        revoked: Why files were refused after they had been kept -> how many.
        refused: What the check refused, of which nothing was kept.
        acceptances: Of any terms.
    """
    states = Counter(ticket.status.value for ticket in tickets)
    failed = Counter(
        ticket.reason or "no reason is recorded" for ticket in tickets if ticket.status is JobStatus.FAILED
    )
    hidden = Counter(f"hidden: {ticket.hidden}" for ticket in tickets if ticket.hidden is not None)
    named = [(ticket.owner, ticket.names) for ticket in tickets]
    registered = {given.owner for given in acceptances if given.terms == season.name}
    return Participation(
        accounts=len({owner for owner, _ in named}),
        teams=len({(owner, names.team) for owner, names in named}),
        systems=len({(owner, names.team, names.system, names.model) for owner, names in named}),
        in_time=len(tickets),
        late=len(late),
        states={status.value: states[status.value] for status in JobStatus if states[status.value]},
        reasons=dict((failed + hidden + Counter(revoked)).most_common()),
        refused=refused,
        registered=len(registered) if season.stated_terms else None,
        accepted={sha256[:8]: count for sha256, count in accounts_by_version(acceptances, season.name).items()},
    )


def refusals(archive: Archive, season: Season) -> dict[str, int]:
    """Why files of the season were refused after they had been kept -> how many."""
    events = archive.log().events
    of_season = {
        event["ticket"]
        for event in events
        if event["kind"] == "submission" and season.covers(event["set_id"]) and season.phase(event["at"]) == "open"
    }
    revoked = (event for event in events if event["kind"] == "revocation" and event["ticket"] in of_season)
    return dict(Counter(f"refused: {event['reason']}".partition(": see ")[0] for event in revoked))


def rank_ranges(boards: SeasonBoards) -> list[tuple[str, str, str, str, int, int, int]]:
    """Of every ranked run the best and the worst place it may hold over all choices of its board, best first.

    Each choice gives the places that the intervals of its paired differences leave; the last value counts the choices.
    """
    by_run: dict[tuple[str, str], list[RankBand]] = {}
    names: dict[str, tuple[str, str]] = {ticket.id: _named(ticket) for ticket in boards.tickets}
    for board in boards.boards:
        rank = board.table.kind.rank
        for row in board.rows if rank else ():
            band = rank.value(row) if rank else None
            if isinstance(band, RankBand) and ticket_of_row(row) in names:
                by_run.setdefault((board.table.board, ticket_of_row(row)), []).append(band)
    lines = [
        (board, ticket, *names[ticket], min(band.low for band in bands), max(band.high for band in bands), len(bands))
        for (board, ticket), bands in by_run.items()
    ]
    return sorted(lines, key=lambda line: (line[0], line[4], line[5], line[1]))


_JUDGES = ("judge", "model", "revision", "measured", "people", "votes", "agreed", "kappa")


def _judge_lines(boards: SeasonBoards) -> list[tuple[Any, ...]]:
    """Who judged the season's runs, how well that judge was measured, and what people say of its verdicts."""
    qualities = boards.tools.qualities
    pins: dict[Pin, None] = {}
    for board in boards.boards:
        judge = board.table.kind.judge
        pins |= {pin: None for row in board.rows if judge and (pin := judge(row)) is not None}
    lines = []
    for pin in pins:
        measured, checked = qualities.of(pin), qualities.checked_by_people(pin)
        quality = quality_sentence(measured) if measured else "not measured"
        kappa = text_of(checked.kappa, "interval") if checked.votes else "no votes"
        lines.append((pin.name, pin.model, pin.revision, quality, checked.people, checked.votes, checked.agreed, kappa))
    return lines


def ethics_lines(season: Season, boards: SeasonBoards) -> list[str]:
    """What an overview paper has to say of consent, of people and of licences, as far as it is known here."""
    terms = season.stated_terms
    agreed = (
        f"Every account accepted the terms of the season before its first file (version {terms.version}): {terms.text}"
        if terms
        else "The season stated no terms."
    )
    answers = (
        f"Answers are public from {season.when(season.answers_from)}."
        if season.answers_from
        else "Answers are public as soon as they are scored."
    )
    kept = boards.services.store.answers_kept()
    keeping = {(ticket.owner, ticket.names.team) for ticket in boards.tickets if ticket.id in kept}
    if keeping:
        teams = "1 team keeps its" if len(keeping) == 1 else f"{len(keeping)} teams keep their"
        answers += f" {teams} answers out of public exports: they are in no file of this report."
    votes = sum(int(line[5]) for line in _judge_lines(boards))
    people = (
        f"People who have signed in agreed or disagreed with {votes} verdicts; who voted is published nowhere."
        if votes
        else "No votes of people on verdicts were counted."
    )
    hidden = (
        ["The prompts of the season are hidden: they are in no file of this report."] if season.hides_prompts else []
    )
    abouts = (board.table.kind.about for board in boards.boards)
    licences = dict.fromkeys(about.licence for about in abouts if about is not None)
    removed = "A team may withdraw a run, and have its answers erased; a tombstone stays in the record."
    return [agreed, answers, *hidden, people, removed, *licences]


_LEDGER = (
    *("ticket", "team", "system", "model", "run", "primary", "account", "received_at", "late_by", "state", "reason"),
    "sha256",
)
"""`primary` says yes of the run that its team chose to be ranked by."""


def _ledger_line(season: Season, ticket: Ticket) -> tuple[Any, ...]:
    names = ticket.names
    return (
        *(ticket.id, names.team, names.system, names.model, names.run, "yes" if ticket.is_primary else ""),
        *(ticket.owner_name or ticket.owner,),
        *(ticket.received_at.isoformat(), season.lateness(ticket.received_at.timestamp()), ticket.status.value),
        *(ticket.hidden if ticket.hidden is not None else ticket.reason, ticket.file_sha256),
    )


def _is_late(season: Season, ticket: Ticket) -> bool:
    seasons = season.covers(ticket.set_id)
    return seasons and bool(season.lateness(ticket.received_at.timestamp()))


def _named(ticket: Ticket) -> tuple[str, str]:
    return (ticket.names.system or "", ticket.names.team or "")


def _ending(ticket: Ticket) -> str:
    ending = Path(ticket.file_name).suffix.lower()
    return ending if ending in _ENDINGS else ".bin"


def _participation_lines(participation: Participation) -> list[tuple[str, int]]:
    registered = participation.registered
    return [
        *([("registered accounts: they accepted the terms", registered)] if registered is not None else []),
        ("accounts", participation.accounts),
        ("teams", participation.teams),
        ("systems", participation.systems),
        ("submissions in time", participation.in_time),
        *((f"of these {state}", count) for state, count in participation.states.items()),
        ("late submissions", participation.late),
        *((f"accounts that accepted terms version {version}", n) for version, n in participation.accepted.items()),
        *participation.reasons.items(),
        ("files that the check refused", participation.refused.files),
        *((f"of these with the error {code}", count) for code, count in participation.refused.by_code.items()),
    ]


# --- the document ----------------------------------------------------------------------------------------------------


def _document(
    season: Season,
    took_part: Participation,
    ranks: Sequence[tuple[Any, ...]],
    judges: Sequence[tuple[Any, ...]],
    tables: Sequence[str],
    figures: Sequence[tuple[str, str]],
    ethics: Sequence[str],
    kept: str,
    today: date,
) -> bytes:
    """The report as a LaTeX document that pdflatex sets; its tables may be taken into a paper one by one."""
    parts = [
        f"\\documentclass[twocolumn]{{article}}\n{PREAMBLE}\n\\usepackage{{longtable,graphicx}}",
        f"\\title{{{typeset(season.title)}: report of the season}}\n\\author{{}}\n\\date{{{today.isoformat()}}}",
        "\\begin{document}\n\\maketitle",
        "\\section{Season}",
        typeset(
            f"Files were taken from {season.when(season.opens)} to {season.when(season.closes)}. {kept} Contact: "
            f"{season.contact or 'not stated'}."
        ),
        "\\section{Participation}",
        _tabular("lr", ("", "count"), [(what, str(count)) for what, count in _participation_lines(took_part)]),
        typeset(
            "Of files that the check refuses nothing is stored; the codes of their errors are counted. A file that is "
            "checked again unchanged counts once. The counts are in the database alone: where it was made anew during "
            "the season, those from before are missing."
        ),
        "\\section{Boards}",
        typeset(f"{len(tables)} tables, each in a file of its own."),
        *(f"\\input{{{path.removesuffix('.tex')}}}" for path in tables),
        "\\clearpage\n\\section{Figures}",
        *(
            f"\\noindent\\includegraphics[width=\\columnwidth]{{{path}}}\\\\ {typeset(said)}\\par\\medskip"
            for path, said in figures
        ),
        "\\clearpage\\onecolumn\n\\section{How sure the ranks are}",
        typeset("The best and the worst place a run may hold over every choice its board offers."),
        _long(
            "p{6cm}p{5cm}rr",
            ("system", "team", "best", "worst"),
            [(*rank[2:4], *map(str, rank[4:6])) for rank in ranks],
        ),
        "\\section{Judges and people}",
        _long(
            "p{5cm}p{6cm}p{4cm}",
            ("judge", "measured", "people's votes"),
            [
                (f"{judge[0]} ({judge[1]})", judge[3], f"{judge[5]} votes of {judge[4]} people, kappa {judge[7]}")
                for judge in judges
            ],
        ),
        "\\section{Ethics and licences}",
        *map(typeset, ethics),
        "\\nocite{*}\n\\bibliographystyle{plain}\n\\bibliography{season}",
        "\\end{document}\n",
    ]
    return "\n\n".join(parts).encode()


def _tabular(shape: str, heads: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    # The first column wraps: reasons are whole sentences.
    body = [f"{' & '.join(typeset(cell) for cell in line)} \\\\" for line in lines]
    shape = shape.replace("l", "p{0.75\\columnwidth}", 1)
    head = f"{' & '.join(map(typeset, heads))} \\\\"
    rules = (f"\\begin{{tabular}}{{{shape}}}\n\\toprule", head, "\\midrule", *body, "\\bottomrule\n\\end{tabular}")
    return "\\noindent " + "\n".join(rules)


def _long(shape: str, heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A table over as many pages as it needs."""
    if not lines:
        return typeset("There is none.")
    body = [f"{' & '.join(typeset(cell) for cell in line)} \\\\" for line in lines]
    head = f"\\toprule {' & '.join(map(typeset, heads))} \\\\ \\midrule \\endhead"
    return "\n".join((f"\\begin{{longtable}}{{{shape}}}", head, *body, "\\bottomrule\n\\end{longtable}"))


def _csv(heads: Sequence[str], lines: Iterable[Sequence[Any]]) -> bytes:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows([neutralised(value) if isinstance(value, str) else value for value in line] for line in lines)
    return buffer.getvalue().encode()


def _json(body: Mapping[str, Any]) -> bytes:
    return (json.dumps(body, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()
