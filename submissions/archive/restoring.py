"""From the archive back into a store: what is whole is restored, what is damaged is named and stepped over."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from submissions.archive.events import (
    EVIDENCE,
    OUTCOMES,
    DamagedFile,
    Event,
    EventName,
    event_name,
    hidden_by,
    moment_of,
    object_path,
)
from submissions.archive.record import END_KIND, REASON_DAMAGED, Archive, Log
from submissions.schema import Names, VerdictChoices
from submissions.store.accepted_terms import Acceptance
from submissions.store.database import KEYS_PER_QUERY
from submissions.store.erasing import Tombstone
from submissions.store.judge_reports import PublishedReport
from submissions.store.queue import QUEUE, Act, JobStatus, Ticket
from submissions.store.store import Store, identity
from submissions.store.votes import JudgedPair, VerdictVote

_END_STATUS = {kind: status for status, kind in END_KIND.items()}
_END_REASON: Mapping[str, str] = {"cancellation": "cancelled by its team", "withdrawal": "withdrawn by its team"}
"""Of ends that were recorded without one."""

_CONSEQUENCES: Mapping[str, str] = {
    "submission": "submission {} is missing",
    "revocation": "submission {} stays revoked",
    "result": "submission {} is judged again",
    "verdicts": "what the judge said of submission {} is asked again when it is needed",
    "failure": "submission {} stays failed, its reason is missing",
    "cancellation": "submission {} stays cancelled",
    "withdrawal": "submission {} stays withdrawn",
    "judge_quality": "one measurement of a judge is missing",
    "vote": "one vote on a verdict is missing",
    "judge_report": "the published judge report {} is missing",
    "report_withdrawal": "the published judge report {} stays withdrawn",
    "acceptance": "one account is asked once more to accept the terms",
    "erasure": "submission {} stays erased, its tombstone is missing",
}
"""By the kind of a damaged event: what comes of it. Its name is enough to tell how a submission ended."""
_DECISION_MISSING = "one decision is missing: a run that it hid may be shown again, hide it once more"
_ANYTHING_MISSING = "nobody can tell what it said: a run that was withdrawn or hidden may be shown again"


@dataclass(frozen=True, slots=True)
class Loss:
    """A damaged file of the archive and what comes of it."""

    fault: DamagedFile
    consequence: str

    def __str__(self) -> str:
        return f"{self.fault}; {self.consequence}"


@dataclass(frozen=True, slots=True)
class Restored:
    """What a store got from an archive."""

    added: int
    """Submissions it did not know."""
    tickets: int
    """Submissions it has now."""
    missing: tuple[str, ...]
    """Tickets that the archive names and cannot give back."""
    judged_again: tuple[str, ...]
    """Tickets that were scored, and whose result cannot be read."""
    losses: tuple[Loss, ...]
    """One for each damaged file that was met."""

    @property
    def is_complete(self) -> bool:
        return not self.losses


def restore(archive: Archive, store: Store, *, accepted: bool = True, log: Log | None = None) -> Restored:
    """Adds every submission the store does not know, in its last recorded state, and what else the archive holds.

    Restoring twice changes nothing; what was damaged the first time and is whole now is added.

    Args:
        accepted: False = what is not settled waits as `received` until `Store.accept`.
        log: What `Archive.log` gave just now; None = it is read here.
    """
    return _Restoration(archive, store, accepted).run(log or archive.log())


class _Restoration:
    def __init__(self, archive: Archive, store: Store, accepted: bool) -> None:
        self._archive = archive
        self._store = store
        self._accepted = accepted
        self._losses: dict[str, Loss] = {}
        self._missing: list[str] = []
        self._judged_again: list[str] = []
        self._outcomes: dict[str, Event] = {}
        """Submission -> how it ended last. One whose file cannot be read is `damaged`, and says no more."""
        self._evidence: dict[str, Event] = {}
        self._revoked: set[str] = set()
        """Uploads of which no submission comes, and erased ones: only their tombstones do."""

    def run(self, log: Log) -> Restored:
        taken_in, acts = self._sorted(log)
        known = self._known({*taken_in, *(name.subject for name in _names(log.damage))})
        new = [event for ticket_id, event in taken_in.items() if ticket_id not in known]
        new = self._told(new, may_record=not log.damage)
        added = [event for event in new if self._take_in(event)]
        self._withdraw(log.events, known)
        # The newest first: of a verdict that several runs rest on, what was said last is what counts.
        rested_on = [self._evidence[event["ticket"]] for event in added if event["ticket"] in self._evidence]
        for event in sorted(rested_on, key=lambda event: event["at"], reverse=True):
            self._carry_out(_restore_verdicts, event)
        for event in acts:  # first: decisions may be about a tombstone
            if event["kind"] == "erasure":
                self._carry_out(_restore_erasure, event)
        for event in acts:  # last: they may be about submissions
            # A decision about a run that is not here waits for it: once made, it would never be followed.
            is_of_no_run = event["kind"] != "act" or event["about"] == QUEUE or event["act"] == "freeze"
            if is_of_no_run or self._is_known(event["about"]):
                self._carry_out(_ACTS[event["kind"]], event)
        self._name_losses(log.damage, known)
        tickets = sum(self._store.counts().values())
        return Restored(
            len(added), tickets, tuple(self._missing), tuple(self._judged_again), tuple(self._losses.values())
        )

    def _is_known(self, subject: str) -> bool:
        """Whether a submission or a published judge report is here."""
        return self._store.ticket(subject) is not None or self._store.judge_report(subject) is not None

    def _sorted(self, log: Log) -> tuple[dict[str, Event], list[Event]]:
        """Submissions by ticket, and acts in their order; outcomes, evidence and revocations are noted."""
        taken_in: dict[str, Event] = {}
        acts: list[Event] = []
        for event in sorted([*log.events, *self._stand_ins(log.damage)], key=lambda event: event["at"]):
            kind = event["kind"]
            if kind == "submission":
                taken_in.setdefault(event["ticket"], event)
            elif kind == "revocation":
                self._revoked.add(event["ticket"])
            elif kind == "erasure":
                self._revoked.add(event["erased"])
                acts.append(event)
            elif kind in OUTCOMES:
                before = self._outcomes.get(event["ticket"])
                if before is None or before["kind"] != "withdrawal":  # a withdrawal is final
                    self._outcomes[event["ticket"]] = event
            elif kind in EVIDENCE:
                self._evidence[event["ticket"]] = event
            else:
                acts.append(event)
        self._evidence = {
            ticket: event
            for ticket, event in self._evidence.items()
            if not event.get("damaged") and ticket not in self._revoked
        }
        return {ticket: event for ticket, event in taken_in.items() if ticket not in self._revoked}, acts

    def _stand_ins(self, damage: Iterable[DamagedFile]) -> Iterable[Event]:
        """Events that cannot be read, as far as their names tell: nothing that was taken off the boards comes back."""
        for name in _names(damage):
            about = {"kind": name.kind, "ticket": name.subject, "at": name.at, "damaged": True}
            if name.kind in _END_STATUS:
                yield {**about, "reason": REASON_DAMAGED}
            elif name.kind in OUTCOMES | EVIDENCE | {"revocation"}:
                yield about
            elif name.kind == "erasure":
                yield {**about, "kind": "revocation"}
            elif name.kind == "report_withdrawal":
                yield {"kind": name.kind, "report": name.subject, "at": name.at}
            elif name.kind == "act" and (hidden := self._hidden_by(name)):
                said = {"act": "hide", "about": hidden, "actor": "", "actor_name": "unknown", "reason": REASON_DAMAGED}
                yield {"kind": "act", "id": name.subject, "at": name.at, **said}

    def _hidden_by(self, name: EventName) -> str | None:
        return hidden_by(self._archive.head(name.path))

    def _known(self, ticket_ids: Iterable[str]) -> dict[str, Ticket]:
        """Those of the tickets that the store has."""
        asked = sorted(ticket_ids)
        known: dict[str, Ticket] = {}
        for start in range(0, len(asked), KEYS_PER_QUERY):
            known |= self._store.tickets_of(asked[start : start + KEYS_PER_QUERY])
        return known

    def _told(self, new: Sequence[Event], *, may_record: bool) -> list[Event]:
        """Without uploads that nobody was given a ticket for: the same file stands under another one.

        A process that dies between archive and store leaves such an upload behind, and its team sends the file again.
        Of two that nothing came of yet the later one was acknowledged.

        Args:
            may_record: Whether that is recorded. Not where events cannot be read: something may have come of it.
        """
        standing = {_sameness(event): event["ticket"] for event in new if self._stands(event)}
        standing |= {_sameness(event): event["ticket"] for event in new if self._outcome(event) == "result"}
        told = []
        for event in new:
            is_told = self._outcome(event) is not None or (
                standing[_sameness(event)] == event["ticket"] and self._store.find(*_said(event)) is None
            )
            if is_told:
                told.append(event)
            elif may_record:
                reason = "sent again before anybody was told of it"
                self._archive.record_revocation(event["ticket"], event["at"], reason)
        return told

    def _outcome(self, event: Event) -> str | None:
        outcome = self._outcomes.get(event["ticket"])
        return None if outcome is None else outcome["kind"]

    def _stands(self, event: Event) -> bool:
        """Is a submission open, or on a board?"""
        return self._outcome(event) in (None, "result")

    def _take_in(self, event: Event) -> bool:
        """Adds a submission as it ended; False when its file cannot be read."""
        ticket_id, outcome = event["ticket"], self._outcomes.get(event["ticket"])
        if not self._carry_out(self._add, event):
            self._missing.append(ticket_id)
            return False
        if outcome is None:
            return True
        if outcome["kind"] in _END_STATUS:
            self._end(outcome)
        elif outcome.get("damaged") or not self._carry_out(_restore_result, outcome):
            self._judged_again.append(ticket_id)
        return True

    def _add(self, archive: Archive, store: Store, event: Event) -> None:
        store.add(
            ticket_id=event["ticket"],
            owner=event["owner"],
            role=event["role"],
            edition=event["edition"],
            set_id=event["set_id"],
            names=Names(**event["names"]),
            file_name=event["file_name"],
            data=archive.object(event["file_sha256"]),
            received_at=event["at"],
            choices=VerdictChoices(**event.get("options", {})),
            accepted=self._accepted,
            owner_name=event.get("owner_name", ""),
            answers=event.get("answers"),
            answers_sha256=event.get("answers_digest"),
        )

    def _end(self, outcome: Event) -> None:
        kind = outcome["kind"]
        reason = outcome.get("reason") or _END_REASON.get(kind, "")
        self._store.restore_end(outcome["ticket"], _END_STATUS[kind], reason, outcome["at"])

    def _withdraw(self, events: Iterable[Event], known: Mapping[str, Ticket]) -> None:
        """Withdrawals that a store does not know: it was restored while they could not be read."""
        for event in events:
            ticket = known.get(event["ticket"]) if event["kind"] == "withdrawal" else None
            if ticket is not None and ticket.status is not JobStatus.WITHDRAWN:
                self._end(event)

    # What is damaged

    def _carry_out(self, apply: Apply, event: Event) -> bool:
        """Does what an event says; False, and a loss, when an object it refers to cannot be read."""
        try:
            apply(self._archive, self._store, event)
        except DamagedFile as fault:
            self._lose(fault, _consequence(event["kind"], event.get("ticket", "")))
            return False
        return True

    def _lose(self, fault: DamagedFile, consequence: str) -> None:
        self._losses.setdefault(fault.path, Loss(fault, consequence))

    def _name_losses(self, damage: Iterable[DamagedFile], known: Mapping[str, Ticket]) -> None:
        for fault in damage:
            name = event_name(fault.path)
            if name is None:
                self._lose(fault, _ANYTHING_MISSING)
                continue
            if name.kind == "submission" and self._store.ticket(name.subject) is None:
                self._missing.append(name.subject)  # else another record of it is whole
            self._lose(fault, self._consequence_of(name, known))

    def _consequence_of(self, name: EventName, known: Mapping[str, Ticket]) -> str:
        if name.kind == "act":
            if any(act.id == name.subject and act.reason != REASON_DAMAGED for act in self._store.acts()):
                return "the database still knows this decision"
            hidden = self._hidden_by(name)
            if hidden is not None and self._is_known(hidden):
                what = "submission" if self._store.ticket(hidden) is not None else "the published judge report"
                return f"{what} {hidden} stays hidden, the reason is missing"
        if name.subject in known:
            return f"the database still knows submission {name.subject}"
        outcome = self._outcomes.get(name.subject)
        if name.kind in OUTCOMES and outcome is not None and outcome["at"] > name.at:
            return f"what became of submission {name.subject} later is known"
        return _consequence(name.kind, name.subject)


def _names(damage: Iterable[DamagedFile]) -> list[EventName]:
    names = (event_name(fault.path) for fault in damage)
    return [name for name in names if name is not None]


def _consequence(kind: str, subject: str) -> str:
    known = {**_CONSEQUENCES, "act": _DECISION_MISSING}
    return known.get(kind, _ANYTHING_MISSING).format(subject)


# --- what an event does to a store -----------------------------------------------------------------------------------

Apply = Callable[[Archive, Store, Event], None]


def _restore_result(archive: Archive, store: Store, event: Event) -> None:
    sha256 = event["result_sha256"]
    data = archive.object(sha256)
    _json_object(sha256, data, "a result")
    store.restore_result(event["ticket"], data.decode(), event["at"])


def _restore_verdicts(archive: Archive, store: Store, event: Event) -> None:
    store.save_verdicts(_verdicts(archive, event["verdicts_sha256"]))


def _restore_judge_quality(archive: Archive, store: Store, event: Event) -> None:
    sha256 = event["quality_sha256"]
    data = archive.object(sha256)
    _json_object(sha256, data, "a measurement of a judge")
    store.restore_judge_quality(event["judge"], data.decode(), event["at"])


def _restore_judge_report(archive: Archive, store: Store, event: Event) -> None:
    sha256 = event["report_sha256"]
    data = archive.object(sha256)
    _json_object(sha256, data, "a judge report")
    store.restore_judge_report(
        PublishedReport(event["report"], event["owner"], event["owner_name"], moment_of(event), data.decode())
    )


def _restore_report_withdrawal(archive: Archive, store: Store, event: Event) -> None:
    store.restore_withdrawn_judge_report(event["report"], event["at"])


def _restore_act(archive: Archive, store: Store, event: Event) -> None:
    said = (*(event[name] for name in ("act", "about", "actor", "actor_name", "reason")), event.get("cell", ""))
    set_aside = _verdicts(archive, event["verdicts_sha256"]) if event.get("verdicts_sha256") else {}
    store.restore_act(Act(event["id"], moment_of(event), *said), set_aside)


def _restore_erasure(archive: Archive, store: Store, event: Event) -> None:
    store.restore_erasure(
        Tombstone(
            ticket_id=event["erased"],
            owner=event["owner"],
            role=event["role"],
            edition=event["edition"],
            set_id=event["set_id"],
            names=Names(**event["names"]),
            choices=VerdictChoices(**event.get("options", {})),
            file_name=event["file_name"],
            file_sha256=event["file_digest"],
            received_at=event["received_at"],
            erased_at=event["at"],
            reason=event["reason"],
        )
    )


def _restore_vote(archive: Archive, store: Store, event: Event) -> None:
    pair = JudgedPair(**event["pair"])
    store.restore_vote(VerdictVote(event["person"], pair, event["stance"], event["is_own"], moment_of(event)))


def _restore_acceptance(archive: Archive, store: Store, event: Event) -> None:
    sha256 = event["text_sha256"]
    try:
        text = archive.object(sha256).decode()
    except UnicodeDecodeError:
        raise DamagedFile(object_path(sha256), "bytes that are no UTF-8", "the text of terms in UTF-8") from None
    store.add_acceptance(Acceptance(event["owner"], event["terms"], text, moment_of(event), event["owner_name"]))


_ACTS: Mapping[str, Apply] = {
    "judge_quality": _restore_judge_quality,
    "judge_report": _restore_judge_report,
    "report_withdrawal": _restore_report_withdrawal,
    "act": _restore_act,
    "vote": _restore_vote,
    "acceptance": _restore_acceptance,
    "erasure": _restore_erasure,
}
"""What kinds of `submissions.archive.events.ACTS` do."""


def _verdicts(archive: Archive, sha256: str) -> dict[str, str]:
    try:
        data = gzip.decompress(archive.object(sha256))
    except (OSError, EOFError, zlib.error):
        raise DamagedFile(object_path(sha256), "bytes that cannot be unpacked", "verdicts packed with gzip") from None
    verdicts = _json_object(sha256, data, "verdicts")
    if not all(isinstance(payload, str) for payload in verdicts.values()):
        raise DamagedFile(object_path(sha256), "JSON of another shape", "verdicts by their keys")
    return verdicts


def _json_object(sha256: str, data: bytes, what: str) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise DamagedFile(object_path(sha256), "bytes that are no JSON object", f"{what} as JSON")
    return value


def _said(event: Event) -> tuple[str, str, Names, str, VerdictChoices]:
    """Who sent what for which set, and how it is to be read."""
    choices = VerdictChoices(**event.get("options", {}))
    return event["owner"], event["set_id"], Names(**event["names"]), event["file_sha256"], choices


def _sameness(event: Event) -> str:
    """Equal for uploads that are one submission."""
    return identity(*_said(event))
