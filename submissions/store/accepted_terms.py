"""Terms that accounts accepted, and when: never changed, and never shown on a page."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, select

from submissions.store.database import Database, repeatable
from submissions.store.rows import time_of
from submissions.store.tables import accepted_terms


@dataclass(frozen=True, slots=True)
class Acceptance:
    """One account's acceptance of one version of some terms."""

    owner: str
    """The account; `owner_name` is what it was called then."""
    terms: str
    """The season they are of; blank for those of the installation."""
    text: str
    """What was accepted, to the letter."""
    at: datetime
    owner_name: str = ""

    @property
    def sha256(self) -> str:
        """Of the text in UTF-8: its version."""
        return hashlib.sha256(self.text.encode()).hexdigest()


class AcceptedTerms(Database):
    """Acceptances of terms."""

    @repeatable
    def add_acceptance(self, acceptance: Acceptance) -> Acceptance:
        """Keeps an acceptance, or finds the earlier one of the same account and version; gives the one that stands."""
        own = (
            (accepted_terms.c.owner == acceptance.owner)
            & (accepted_terms.c.terms == acceptance.terms)
            & (accepted_terms.c.sha256 == acceptance.sha256)
        )
        row = {
            "owner": acceptance.owner,
            "terms": acceptance.terms,
            "sha256": acceptance.sha256,
            "text": acceptance.text,
            "at": acceptance.at.timestamp(),
            "owner_name": acceptance.owner_name,
        }
        with self._write() as transaction:
            # Of two at once the second one changes nothing.
            transaction.upsert(accepted_terms, row, sha256=acceptance.sha256)
            return acceptance_of(transaction.execute(select(accepted_terms).where(own)).one())

    @repeatable
    def acceptances(self, *, owner: str | None = None) -> list[Acceptance]:
        """All of them, or those of one account, in the order they were given."""
        query = select(accepted_terms).order_by(accepted_terms.c.at, accepted_terms.c.owner, accepted_terms.c.terms)
        if owner is not None:
            query = query.where(accepted_terms.c.owner == owner)
        with self._read() as connection:
            return [acceptance_of(row) for row in connection.execute(query)]


def accounts_by_version(acceptances: Collection[Acceptance], terms: str) -> dict[str, int]:
    """How many accounts accepted each version (SHA-256) of the terms of that name."""
    owners: dict[str, set[str]] = {}
    for acceptance in acceptances:
        if acceptance.terms == terms:
            owners.setdefault(acceptance.sha256, set()).add(acceptance.owner)
    return {sha256: len(accepted) for sha256, accepted in owners.items()}


def acceptance_of(row: Row[Any]) -> Acceptance:
    """The acceptance of a row of `accepted_terms`."""
    return Acceptance(row.owner, row.terms, row.text, time_of(row.at), row.owner_name)
