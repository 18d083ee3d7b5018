"""The store as the seasons let it be seen: what is late is marked, and what is not public yet is left out.

Every page, export and endpoint reads through `PublicStore`, so that nothing has to be hidden in many places. It denies
by default: a method of `Store` that it neither guards nor names in `HARMLESS` or `CHANGES` raises `NotForVisitors`.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NoReturn

from submissions.formats.judge_verdicts.submission import is_verdict_set
from submissions.schema import Names
from submissions.seasons.calendar import Seasons
from submissions.seasons.season import Season
from submissions.store.database import Clock, StoreDamaged, StoreError
from submissions.store.queue import Act, SeasonMark, Ticket
from submissions.store.rows import TICKETS, ticket_of
from submissions.store.runs import RunFile
from submissions.store.store import Store
from submissions.store.tables import submissions


class AnswersPrivate(StoreError):
    """Raised when a file is asked for whose season does not show its answers yet."""


class NotForVisitors(Exception):
    """Raised where a page asks the store for something that nobody has decided visitors may see: a fault of ours."""


HARMLESS: Mapping[str, str] = MappingProxyType(
    {
        "answers_kept": "ticket ids alone, of teams that keep their answers out of exports",
        "check": "whether the database is whole",
        "close": "reads nothing",
        "counts": "how many submissions stand in each state",
        "finished_runs": "set, worker and how long a run took",
        "judge_qualities": "figures of judges of this installation on our own labelled pairs",
        "judge_qualities_marker": "a number that grows",
        "judge_report": "figures that an account published under its name",
        "judge_reports": "the same",
        "judge_reports_marker": "a number that grows",
        "lab_runs_started": "a number about the visitor who asks",
        "lease_s": "a setting",
        "load_embeddings": "vectors, by keys of texts that the asking visitor of the lab wrote",
        "load_verdicts": "by keys of texts that the asking visitor of the lab wrote",
        "oldest_wait_s": "seconds",
        "open": "opens a database, and reads nothing of it",
        "pause": "who paused the queue, and why",
        "quota_use": "numbers about the account that asks",
        "shown_verdicts": "by keys of results; `Services.judgments` asks for runs with open answers alone",
        "refused": "how often each problem was found in files of a season",
        "require": "through `_tickets`, which is guarded",
        "ticket": "through `_tickets`, which is guarded",
        "tickets": "through `_tickets`, which is guarded",
        "verdict_votes": "on verdicts that stood open; its readers name nobody (`human_check_files`)",
        "verdict_votes_marker": "a number that grows",
        "votes": "of the lab, under pseudonyms",
        "votes_of": "the asking person's own votes",
        "workers": "names and judges of workers",
    }
)
"""Methods of `Store` that say nothing a season hides, each with the reason."""
CHANGES: Mapping[str, str] = MappingProxyType(
    {
        "begin_lab_run": "counts a run of the asking visitor",
        "end_lab_run": "the same",
        "notice_failed": "by id, of a notice that was taken",
        "notice_sent": "by id, of a notice that was taken",
        "save_embeddings": "of the lab's judge: writes, and answers nothing",
        "save_verdicts": "of the lab's judge: says how many were new",
        "save_vote": "of the lab: writes, and answers nothing",
    }
)
"""Methods by which pages change something. Every other change goes through the desk, which has the whole store."""


class SeasonStore(Store):
    """The same database with the same answers, but for what its subclasses say of tickets."""

    def __init__(self, store: Store) -> None:
        super().__init__(store._engine, lease_s=store._lease_s, max_attempts=store._max_attempts, clock=store._clock)
        self._whole = store

    def damaged(self, damage: str) -> StoreDamaged:
        """As the store has it: whoever watches that one learns of it."""
        self.damage = self._whole.damaged(damage)
        return self.damage

    def _seen(self, ticket: Ticket) -> Ticket | None:
        """The ticket as it is shown; None where it is not."""
        raise NotImplementedError

    def _shown(self, tickets: Sequence[Ticket]) -> list[Ticket]:
        return [seen for ticket in tickets if (seen := self._seen(ticket)) is not None]

    def _tickets(self, *asked: Any, **which: Any) -> list[Ticket]:
        return self._shown(super()._tickets(*asked, **which))

    def tickets_of(self, ticket_ids: Sequence[str]) -> dict[str, Ticket]:
        return {ticket.id: ticket for ticket in self._shown(list(super().tickets_of(ticket_ids).values()))}

    def open_tickets(self) -> list[Ticket]:
        return self._shown(super().open_tickets())

    def ended_tickets(self, start: int, count: int) -> list[Ticket]:
        return self._shown(super().ended_tickets(start, count))

    def result(self, ticket_id: str) -> str | None:
        ticket = self.tickets_of([ticket_id]).get(ticket_id)
        return super().result(ticket_id) if ticket is not None and _has_public_scores(ticket) else None

    def results(self) -> list[tuple[Ticket, str]]:
        return [(ticket, result) for ticket, result in super().results() if _has_public_scores(ticket)]


class PublicStore(SeasonStore):
    """The store as anybody may see it now.

    Args:
        store: The whole one.
        seasons: Whose rules hold.
        clock: What time it is.
        key: Makes the pseudonyms of a season, the same wherever it is the same; blank = new ones at each start.
    """

    def __init__(self, store: Store, seasons: Seasons, clock: Clock = time.time, *, key: str = "") -> None:
        super().__init__(store)
        self._seasons = seasons
        self._now = clock
        # Nobody can find out names by trying likely ones.
        self._key = key.encode() or secrets.token_bytes(32)

    def change_marker(self) -> int:
        """Grows also when a season opens or closes, and when something becomes public."""
        return super().change_marker() + self._seasons.moments_passed(self._now())

    def teams(self) -> list[tuple[str, str]]:
        """Every owner with every team name they used that is public: nothing tells whether a private one is taken."""
        with self._read() as connection:
            tickets = [ticket_of(row) for row in connection.execute(TICKETS)]
        named = (ticket for ticket in tickets if not self._hides_names(ticket))
        return sorted({(ticket.owner, ticket.names.team) for ticket in named if ticket.names.team is not None})

    def attempts(self, ticket_id: str) -> list[str]:
        """As the store has them, those alone whose names are as public: none ties a pseudonym to a name."""
        return self._as_public_as(ticket_id, super().attempts(ticket_id))

    def run_files(self, ticket_id: str) -> list[RunFile]:
        """As the store has them, under the names that are public, of files whose names are as public."""
        files = {file.ticket_id: file for file in super().run_files(ticket_id)}
        seen = self.tickets_of(list(files))
        return [
            replace(files[id_], file_name=seen[id_].file_name, names=seen[id_].names)
            for id_ in self._as_public_as(ticket_id, files)
        ]

    def result(self, ticket_id: str) -> str | None:
        text = super().result(ticket_id)
        ticket = self._whole.tickets_of([ticket_id]).get(ticket_id)
        return self._as_public(ticket, text) if text is not None and ticket is not None else text

    def results(self) -> list[tuple[Ticket, str]]:
        results = super().results()
        sent = self._whole.tickets_of([ticket.id for ticket, _ in results])
        return [(ticket, self._as_public(sent[ticket.id], text)) for ticket, text in results if ticket.id in sent]

    def acts(self, *, about: str | None = None, newest: int | None = None) -> list[Act]:
        """Whose account decided something about a run is not said while the run's names are not public."""
        acts = super().acts(about=about, newest=newest)
        tickets = self._whole.tickets_of([act.subject for act in acts])
        return [self._unsigned(act, tickets.get(act.subject)) for act in acts]

    def payload(self, sha256: str) -> bytes:
        """The bytes of a file whose answers are public.

        Raises:
            AnswersPrivate: when they are not.
            StoreError: when they are not stored.
        """
        with self._read() as connection:
            sent = [ticket_of(row) for row in connection.execute(TICKETS.where(submissions.c.file_sha256 == sha256))]
        marks = [self._mark(ticket) for ticket in sent]
        if marks and all(mark is not None and mark.answers_from is not None for mark in marks):
            raise AnswersPrivate("the answers of this file are not public yet")
        return super().payload(sha256)

    def _unsigned(self, act: Act, ticket: Ticket | None) -> Act:
        mark = self._mark(ticket) if ticket and act.actor == ticket.owner else None
        return replace(act, actor="", actor_name="its team" if mark and mark.names_from else act.actor_name)

    def _mark(self, ticket: Ticket) -> SeasonMark | None:
        return self._seasons.mark(ticket.set_id, ticket.role, ticket.received_at.timestamp(), self._now())

    def _hides_names(self, ticket: Ticket) -> bool:
        mark = self._mark(ticket)
        return mark is not None and mark.names_from is not None

    def _as_public_as(self, ticket_id: str, ids: Iterable[str]) -> list[str]:
        """Those of the tickets whose names are hidden by the same season as those of one, or public as its are."""
        tickets = self._whole.tickets_of([ticket_id, *ids])
        hidden_by = {id_: self._hiding_season(ticket) for id_, ticket in tickets.items()}
        return [id_ for id_ in ids if id_ in hidden_by and hidden_by[id_] == hidden_by.get(ticket_id)]

    def _hiding_season(self, ticket: Ticket) -> str | None:
        mark = self._mark(ticket)
        return mark.name if mark is not None and mark.names_from is not None else None

    def _seen(self, ticket: Ticket) -> Ticket | None:
        mark = self._mark(ticket)
        if mark is None or mark.names_from is None:
            return replace(ticket, season=mark, names=shown_names(ticket))
        names = self._pseudonyms(ticket)
        said = _Unsaid(ticket, names)
        return replace(
            ticket,
            season=mark,
            names=names,
            owner_name="",
            file_name=_FILE,
            reason=said.without(ticket.reason) if ticket.reason else ticket.reason,
            log=tuple(map(said.without, ticket.log)),
        )

    def _pseudonyms(self, ticket: Ticket) -> Names:
        """Names of the same kind that say nothing, the same for the same."""
        names = ticket.names
        return Names(
            self._pseudonym(ticket, "team", names.team),
            self._pseudonym(ticket, "system", names.system),
            self._pseudonym(ticket, "model", names.model),
            self._pseudonym(ticket, "run", names.run),
        )

    def _pseudonym(self, ticket: Ticket, kind: str, name: str | None) -> str | None:
        if name is None:
            return None
        # With the season: what becomes known of a team in one season says nothing of it in another.
        said = json.dumps([self._hiding_season(ticket), ticket.owner, kind, name]).encode()
        return f"{kind} {hmac.new(self._key, said, hashlib.sha256).hexdigest()[:6]}"

    def _as_public(self, ticket: Ticket, text: str) -> str:
        """A result without a table's names of judges, and without its verdicts on single pairs, before their dates."""
        mark = self._mark(ticket) if is_verdict_set(ticket.set_id) else None
        if mark is None or (mark.names_from is None and mark.answers_from is None):
            return text
        body = json.loads(text)
        for result in body.get("results", [body]):
            if mark.answers_from is not None:
                _withhold_pairs(result)
            if mark.names_from is not None:
                self._unname(ticket, result)
        return json.dumps(body)

    def _unname(self, ticket: Ticket, result: dict[str, Any]) -> None:
        names = {report["judge"]: self._pseudonym(ticket, "judge", report["judge"]) for report in result["judges"]}
        for report in result["judges"]:
            report |= {"judge": names[report["judge"]], "card": {}}
        result["agreement"] = {
            way: {names[judge]: {names[other]: value for other, value in row.items()} for judge, row in rows.items()}
            for way, rows in result["agreement"].items()
        }


def _withhold_pairs(result: dict[str, Any]) -> None:
    """Leave of a table's result the figures over all of its pairs.

    Groups would tell single pairs: small ones by themselves, large ones when one is subtracted from another.
    """
    result["hardest"] = []
    for report in result["judges"]:
        report |= {"by_task": {}, "by_model": {}, "cells": []}


class OneSeasonStore(SeasonStore):
    """The store as organisers see one season: its files that came in time, with all that is known of them, and the
    rows of ours beside them."""

    def __init__(self, store: Store, season: Season) -> None:
        super().__init__(store)
        self._season = season

    def _seen(self, ticket: Ticket) -> Ticket | None:
        season = self._season
        if ticket.role != "entry":
            return replace(ticket, names=shown_names(ticket))
        received_at = ticket.received_at.timestamp()
        if not season.covers(ticket.set_id) or season.phase(received_at) != "open":
            return None
        mark = season.mark("", is_late=False, now=received_at)
        return replace(ticket, season=replace(mark, names_from=None, scores_from=None, answers_from=None))


class _Unsaid:
    """Takes what a ticket is called out of sentences about it."""

    def __init__(self, ticket: Ticket, names: Names) -> None:
        own = ((getattr(ticket.names, kind), getattr(names, kind)) for kind in ("team", "system", "model", "run"))
        stated = [(ticket.file_name, _FILE), (ticket.owner_name, "its account"), *own]
        self._said = {name: said or "" for name, said in stated if name}
        # The longest first: one name may be the beginning of another.
        named = "|".join(map(re.escape, sorted(self._said, key=len, reverse=True)))
        self._names = re.compile(rf"(?<!\w)(?:{named})(?!\w)")

    def without(self, text: str) -> str:
        """The sentence with pseudonyms."""
        return self._names.sub(lambda name: self._said[name[0]], text)


def shown_names(ticket: Ticket) -> Names:
    """Return the names that pages show: a baseline is called so, and not "Null: ...", as the files of baselines state.

    Their stored names stay as they are: a file is known by its bytes and its names.
    """
    if ticket.role != "baseline":
        return ticket.names
    system, model = (name and baseline_name(name) for name in (ticket.names.system, ticket.names.model))
    return replace(ticket.names, system=system, model=model)


def baseline_name(name: str) -> str:
    """Return the shown name of a stored one.

    >>> baseline_name("Null: prompt echo")
    'Baseline: prompt echo'
    """
    return f"Baseline: {name.removeprefix('Null: ')}" if name.startswith("Null: ") else name


def public_methods(*kinds: type) -> frozenset[str]:
    """Everything that classes offer by a public name of their own."""
    return frozenset(name for kind in kinds for name in vars(kind) if not name.startswith("_"))


def _denial(name: str) -> Callable[..., NoReturn]:
    def denied(*_: object, **__: object) -> NoReturn:
        raise NotForVisitors(f"Store.{name} is neither guarded nor named as harmless in {__name__}")

    return denied


GUARDED = public_methods(SeasonStore, PublicStore)
"""Methods of `Store` that `PublicStore` answers in its own way."""


def unlisted(store: type[Store]) -> frozenset[str]:
    """What a store offers that nobody has decided visitors may see."""
    return public_methods(*store.__mro__[:-1]) - GUARDED - HARMLESS.keys() - CHANGES.keys()


DENIED = unlisted(Store)
"""Each raises `NotForVisitors`."""
for _name in DENIED:
    setattr(PublicStore, _name, _denial(_name))


def _has_public_scores(ticket: Ticket) -> bool:
    return ticket.season is None or ticket.season.scores_from is None


_FILE = "(a file whose name is not public yet)"
