"""The submission desk: check a file, take it in durably, cancel, withdraw."""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import BinaryIO

from submissions.archive.events import EndKind
from submissions.archive.record import Archive
from submissions.check import CheckReport, Content, check_submission
from submissions.problem_codes import CODES
from submissions.problems import NotTakenNow, Problem, SubmissionError
from submissions.promptsets import SETS_OF_2025, PromptSets
from submissions.schema import Names, VerdictChoices
from submissions.seasons.calendar import NO_SEASONS, Seasons
from submissions.seasons.frozen import frozen_boards
from submissions.seasons.refusals import RefusalCount
from submissions.seasons.season import Season
from submissions.seasons.terms import Terms, TermsNotAccepted
from submissions.settings import Durability
from submissions.store.accepted_terms import Acceptance
from submissions.store.attempts import AttemptRule
from submissions.store.erasing import Tombstone
from submissions.store.judge_reports import PublishedReport
from submissions.store.notices import Webhook
from submissions.store.queue import Act, ActKind, JobStatus, Role, Ticket
from submissions.store.quotas import NO_QUOTAS, QuotaExceeded, Quotas, run_key
from submissions.store.store import Clock, Store, StoreError
from submissions.store.votes import JudgedPair, Stance, VerdictVote
from submissions.webhooks.addresses import address_fault

LOCAL_OWNER = "local"
"""The one account of an installation without sign-in."""

HOUSE_OWNER = "plumbline"
"""Owns the baselines and our example systems."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a team gets for an accepted file."""

    ticket: Ticket
    report: CheckReport
    already_known: bool
    """The same file under the same names was submitted before: the ticket is the earlier one."""
    season: tuple[str, ...] = ()
    """What its season says of it: in time or late, and how many attempts are left; none where it has no season."""
    notify_secret: str = field(default="", repr=False)
    """What notices to the team's webhook are signed with, said here and never again; blank without a webhook."""


_WHERE_IT_IS: dict[Durability, str] = {
    "disk": "",
    "hub": "stored on this machine, not yet in the archive",
    "nowhere": "stored on this machine only, which forgets it when it restarts: it has no archive",
}
"""What the log of a ticket says of where its file is."""


def late_words(season: Season, lateness: str) -> str:
    """What is said of a file that missed the deadline."""
    return (
        f"Late by {lateness}: {season.title} closed at {season.when(season.closes)}. The run is scored and marked as "
        "late; it is never ranked with the season."
    )


def _remark(durability: Durability, season: Season | None, received_at: float) -> str:
    """What the log of a ticket says beside the name of the file."""
    lateness = season.lateness(received_at) if season else ""
    late = f"late for the season {season.title} by {lateness}" if season and lateness else ""
    return "; ".join(words for words in (_WHERE_IT_IS[durability], late) if words)


_NO_TEAM = Problem(
    code="source_missing",
    severity=CODES["source_missing"].severity,
    path="$",
    message="there is no team name; a table of verdicts does not state one",
    hint="Fill in the team in the form, or give --team.",
)


class WebhookRefused(NotTakenNow):
    """Raised when a file comes with a webhook that cannot be used; the text does not repeat its address."""


class ChoiceOver(StoreError):
    """Raised when the run that is ranked is chosen too late for its season; the text says until when it could be."""


class Desk:
    """Takes submissions in: nothing is queued that is not in the archive, and no acknowledgement comes before both.

    Args:
        durability: Where the archive survives. With `hub` a submission waits as `received` until it is there.
        seasons: When files are taken, and how many, of sets that have any.
    """

    def __init__(
        self,
        store: Store,
        archive: Archive,
        prompt_sets: PromptSets,
        clock: Clock = time.time,
        *,
        durability: Durability = "disk",
        seasons: Seasons = NO_SEASONS,
    ) -> None:
        self._store = store
        self._archive = archive
        self._prompt_sets = prompt_sets
        self._shown_prompt_sets = prompt_sets.shown
        self._clock = clock
        self._durability: Durability = durability
        self._seasons = seasons
        self._refused = RefusalCount(store, seasons)

    @property
    def seasons(self) -> Seasons:
        """The seasons whose rules hold here."""
        return self._seasons

    @property
    def clock(self) -> Clock:
        """What says when a file was received, in seconds since the epoch."""
        return self._clock

    @property
    def archive(self) -> Archive:
        """The record of all that was accepted and decided."""
        return self._archive

    @property
    def prompt_sets(self) -> PromptSets:
        """As they may be shown: without the texts of hidden ones."""
        return self._shown_prompt_sets

    @property
    def checking_prompt_sets(self) -> PromptSets:
        """Return the sets that files of visitors are checked against: no report or plan can quote a hidden prompt."""
        return self._prompt_sets.checking

    @property
    def whole_prompt_sets(self) -> PromptSets:
        """What files are scored by, hidden prompts included: nothing of it is ever shown."""
        return self._prompt_sets

    def check(
        self,
        data: Content,
        file_name: str,
        *,
        edition: str = "auto",
        names: Names = Names(),
        choices: VerdictChoices = VerdictChoices(),
        keep_rows: bool = False,
    ) -> CheckReport:
        """What the file is and everything that is wrong with it; stores nothing.

        Unless rows are to be kept, the report holds no personalized answers and no responses of ELOQUENT 2026.
        """
        return check_submission(
            data,
            file_name,
            edition=edition or "auto",
            names=names,
            choices=choices,
            prompt_sets=self._prompt_sets,
            keep_rows=keep_rows,
        )

    def submit(
        self,
        data: Content,
        file_name: str,
        *,
        owner: str,
        edition: str = "auto",
        names: Names = Names(),
        choices: VerdictChoices = VerdictChoices(),
        role: Role = "entry",
        owner_name: str = "",
        quotas: Quotas = NO_QUOTAS,
        checked: CheckReport | None = None,
        accepts_terms: bool = False,
        keeps_answers: bool = False,
        notify: str = "",
    ) -> Receipt:
        """Checks a file and takes it in.

        The same file under the same names, read the same way, is not taken twice while the earlier submission stands.

        Args:
            owner: The account it belongs to; `owner_name` is what people call it.
            quotas: Of that account.
            checked: The report of this very file, read in this very way, where it was checked in another process.
            accepts_terms: The owner accepts the terms that hold for this file; that stays, whatever becomes of it.
            keeps_answers: The team's answers, those of this and of its other files, stay out of public exports from now
                on (`keep_answers`); without it what the team said before holds.
            notify: Address of the webhook that is told how the submission ended, also one that was sent before; it
                stays in the store alone. Blank = none, or the one it has.

        Raises:
            SubmissionError: with every problem, when the file is refused.
            QuotaExceeded: when the owner may submit nothing now.
            SeasonNotOpen: before the season opens.
            TermsNotAccepted: when the owner has not accepted what holds for the file, and does not now.
            WebhookRefused: when the address of the webhook is of no use.
        """
        webhook = _webhook(notify)
        report = checked or self.check(data, file_name, edition=edition, names=names, choices=choices)
        entry = report.entry
        # The baseline of empty answers is the one file that is refused from teams and yet belongs on the board.
        errors = {problem.code for problem in report.problems if problem.severity == "error"}
        if entry is None or (errors and not (role == "baseline" and errors == {"all_empty"})):
            raise self._refusal(report, report.problems)
        if entry.names.team is None:
            raise self._refusal(report, [*report.problems, _NO_TEAM])
        # As read, not as asked: a flag that says what the file says must not make two submissions of one file.
        choices = report.reading.choices if report.reading else VerdictChoices()
        known = self._store.find(owner, entry.set_id, entry.names, entry.file_sha256, choices)
        if known is not None:
            self._keep_answers(known, owner_name, asked=keeps_answers)
            return self._receipt_again(known, report, webhook)
        received_at = self._clock()
        season = self._seasons.taking(entry.set_id, received_at) if role == "entry" else None
        if role == "entry":
            self._settle_terms(entry.set_id, owner, owner_name, received_at, accepts=accepts_terms)
        attempts = self._attempts(season, owner, received_at)
        run = run_key(report.edition or "", entry.set_id, entry.names)
        if attempts is not None:
            too_many = self._store.attempts_used(attempts, owner, entry.names.team).refusal(received_at, run)
            if too_many:
                raise QuotaExceeded(too_many)
        used_up = self._store.quota_use(owner).refusal(quotas, run)
        if used_up:
            raise QuotaExceeded(used_up)
        content = data if isinstance(data, bytes) else _whole(data)
        ticket_id = uuid.uuid4().hex[:16]
        accepted = self._durability != "hub"
        keep_in_store = partial(
            self._store.add,
            accepted=accepted,
            remark=_remark(self._durability, season, received_at),
            once=True,
            quotas=quotas,
            attempts=attempts,
            webhook=webhook,
        )
        try:
            for take_in in (self._archive.record_submission, keep_in_store):
                take_in(
                    ticket_id=ticket_id,
                    owner=owner,
                    role=role,
                    edition=report.edition or "",
                    set_id=entry.set_id,
                    names=entry.names,
                    choices=choices,
                    file_name=file_name,
                    data=content,
                    received_at=received_at,
                    owner_name=owner_name,
                    answers=report.reading.answers if report.reading else None,
                    answers_sha256=report.reading.answers_sha256 if report.reading else None,
                )
        except QuotaExceeded:
            # Another file of the owner was taken in since we looked: the archive must not bring this one back.
            self._archive.record_revocation(ticket_id, received_at, "the owner's quota was used up")
            raise
        known = self._store.find(owner, entry.set_id, entry.names, entry.file_sha256, choices)
        if known is not None and known.id != ticket_id:
            # Sent twice at the same moment: the archive has both, and must not bring the second one back.
            self._archive.record_revocation(ticket_id, received_at, f"sent twice: see {known.id}")
            return self._receipt_again(known, report, webhook)
        self._keep_answers(self._store.require(ticket_id), owner_name, asked=keeps_answers)
        told = self._season_words(season, attempts, owner, entry.names.team, received_at)
        secret = webhook.secret if webhook else ""
        return Receipt(self._store.require(ticket_id), report, already_known=False, season=told, notify_secret=secret)

    def _receipt_again(self, known: Ticket, report: CheckReport, webhook: Webhook | None) -> Receipt:
        """Of what was sent before; a webhook that comes with it takes the place of the one it had."""
        if webhook is None:
            return Receipt(known, report, already_known=True)
        self._store.set_webhook(known.id, webhook)
        return Receipt(known, report, already_known=True, notify_secret=webhook.secret)

    def count_refusal(self, report: CheckReport) -> None:
        """Counts a file that a check refused, for the report of its season: the codes of its errors, nothing else."""
        if report.decision == "refused":
            self._refused.count(report, report.problems, self._clock())

    def _refusal(self, report: CheckReport, problems: list[Problem]) -> SubmissionError:
        self._refused.count(report, problems, self._clock())
        return SubmissionError(problems)

    def _keep_answers(self, ticket: Ticket, owner_name: str, *, asked: bool) -> None:
        if asked and ticket.id not in self._store.answers_kept():
            self.act("keep_answers", ticket.id, actor=ticket.owner, actor_name=owner_name, owner=ticket.owner)

    def sent_by(self, owner: str, ticket_ids: Sequence[str]) -> dict[str, Ticket]:
        """Those of the tickets that are the owner's, as the owner sent them: also what a season shows nobody yet."""
        tickets = self._store.tickets_of(ticket_ids)
        return {ticket_id: ticket for ticket_id, ticket in tickets.items() if ticket.owner == owner}

    def unaccepted_terms(self, owner: str | None, set_id: str | None = None) -> tuple[Terms, ...]:
        """What the owner has still to accept now before a file is taken; everything where nobody is known.

        Args:
            set_id: Of the file; None = of any file that is taken now.
        """
        now = self._clock()
        sets = [set_id] if set_id is not None else sorted({season.set_id for season in self._seasons})
        asked = {terms: None for of_set in sets for terms in self._seasons.terms_of(of_set, now)}
        if self._seasons.terms is not None:
            asked = {self._seasons.terms: None, **asked}
        if not asked or owner is None:
            return tuple(asked)
        accepted = {(acceptance.terms, acceptance.sha256) for acceptance in self._store.acceptances(owner=owner)}
        return tuple(terms for terms in asked if (terms.name, terms.sha256) not in accepted)

    def _settle_terms(self, set_id: str, owner: str, owner_name: str, now: float, *, accepts: bool) -> None:
        """Records that the owner accepts what it has not accepted yet.

        Raises:
            TermsNotAccepted: when it does not.
        """
        asked = self.unaccepted_terms(owner, set_id)
        if asked and not accepts:
            raise TermsNotAccepted(asked)
        for terms in asked:
            given = Acceptance(owner, terms.name, terms.text, datetime.fromtimestamp(now, UTC), owner_name)
            self._archive.record_acceptance(self._store.add_acceptance(given))

    def _attempts(self, season: Season | None, owner: str, now: float) -> AttemptRule | None:
        """What limits a team's attempts; what is late is limited by the quotas of accounts alone."""
        if season is None or season.phase(now) != "open":
            return None
        return season.attempt_rule(by_team=owner == LOCAL_OWNER)

    def _season_words(
        self, season: Season | None, rule: AttemptRule | None, owner: str, team: str | None, now: float
    ) -> tuple[str, ...]:
        """What a season says of a file that was taken in."""
        if season is None:
            return ()
        lateness = season.lateness(now)
        if lateness:
            return (late_words(season, lateness),)
        taken = f"Received in time for {season.title}, which closes at {season.when(season.closes)}."
        left = self._store.attempts_used(rule, owner, team).left(now) if rule else ""
        return (taken, left) if left else (taken,)

    def cancel(self, ticket_id: str, owner: str) -> None:
        """Stops a submission that is not scored yet; where a cell is judged again, the former result stands.

        The other files of its run are judged again without it (ELOQUENT 2025).

        Raises:
            NotYours, StoreError: as `Store.cancel`.
        """
        self._store.cancel(ticket_id, owner)
        if self._store.require(ticket_id).status is JobStatus.CANCELLED:
            self._record_end("cancellation", ticket_id)
            self._judge_rest_of_run(ticket_id, "cancelled")
        else:
            self._record_result(ticket_id)

    def withdraw(self, ticket_id: str, owner: str) -> None:
        """Takes a submission off the boards; a tombstone stays.

        The other files of its run are judged again without it (ELOQUENT 2025).

        Raises:
            NotYours, StoreError: as `Store.withdraw`.
        """
        self._store.withdraw(ticket_id, owner)
        self._record_end("withdrawal", ticket_id)
        self._judge_rest_of_run(ticket_id, "withdrawn")

    def act(
        self,
        kind: ActKind,
        subject: str,
        *,
        actor: str,
        actor_name: str = "",
        reason: str = "",
        owner: str | None = None,
        quotas: Quotas = NO_QUOTAS,
        cell: str = "",
    ) -> Act:
        """What an organiser (`owner` is None) or an owner decides about a run or the queue; it stays in the record.

        Args:
            cell: The part of a scored run that is to be judged again; blank = all of it.

        Raises:
            ChoiceOver: when its season no longer lets the run that is ranked be chosen.
            NotYours, StoreError, QuotaExceeded: as `Store.act`.
        """
        if kind in ("primary", "latest"):
            kind = self._choice(kind, self._store.require(subject), owner)
        if cell:
            # The former result stands meanwhile: it must be in the record before what is done about it.
            self._record_result(subject)
        act = self._store.act(
            kind, subject, actor=actor, actor_name=actor_name, reason=reason, owner=owner, quotas=quotas, cell=cell
        )
        self._archive.record_act(act, self._store.verdicts_set_aside(act.id))
        return act

    def choice_refusal(self, ticket: Ticket, *, by_owner: bool) -> str:
        """Why the run that is ranked cannot be chosen now in the season of a submission; blank where it can.

        A team chooses while its season is open, as it sends; organisers until its board is frozen.
        """
        season = self._season_of(ticket)
        if season is None:
            return ""
        lateness = season.lateness(ticket.received_at.timestamp())
        if lateness:
            return f"submission {ticket.id} is late for the season {season.title} by {lateness}: it is not ranked"
        frozen = frozen_boards(self._store.acts(about=season.name)).get(season.name)
        if frozen is not None:
            return f"the board of the season {season.title} is frozen since {frozen.at:%Y-%m-%d %H:%M:%S} UTC"
        if by_owner and season.phase(self._clock()) != "open":
            ask = f"; ask its organisers: {season.contact}" if season.contact else ""
            return f"the season {season.title} closed at {season.when(season.closes)}: until then it was chosen{ask}"
        return ""

    def _choice(self, kind: ActKind, ticket: Ticket, owner: str | None) -> ActKind:
        """What choosing a run means: for its system, or for its team where the season ranks one run of each.

        Raises:
            ChoiceOver: when its season no longer lets it be chosen.
        """
        if owner is None or owner == ticket.owner:  # else the store says that it is not theirs
            refusal = self.choice_refusal(ticket, by_owner=owner is not None)
            if refusal:
                raise ChoiceOver(refusal)
        season = self._season_of(ticket)
        if season is None or not season.one_primary_run:
            return kind
        return "primary_of_team" if kind == "primary" else "latest_of_team"

    def _season_of(self, ticket: Ticket) -> Season | None:
        """The season that a submission was received in; None where there is none, and of rows of ours."""
        return self._seasons.current(ticket.set_id, ticket.received_at.timestamp()) if ticket.role == "entry" else None

    def freeze(self, season: Season, copy: bytes, *, actor: str, actor_name: str = "", reason: str = "") -> Act:
        """Keeps the board of a season as it is: the copy first, then that it was frozen, and by whom.

        Raises:
            StoreError: when it is frozen already.
        """
        sha256 = self._archive.keep_frozen(copy)
        act = self._store.act("freeze", season.name, actor=actor, actor_name=actor_name, reason=reason, cell=sha256)
        self._archive.record_act(act)
        return act

    def vote(
        self, person: str, pair: JudgedPair, stance: Stance, *, is_own: bool = False, per_day: int = 0
    ) -> VerdictVote | None:
        """What a person says of a judge's verdict, in place of what they said before; it stays in the record.

        Raises:
            QuotaExceeded: as `Store.cast_vote`.
        """
        vote = self._store.cast_vote(person, pair, stance, is_own=is_own, per_day=per_day)
        if vote is not None:
            self._archive.record_vote(vote)
        return vote

    def publish_judge_report(
        self, payload: str, *, owner: str, owner_name: str = "", per_day: int = 0
    ) -> PublishedReport:
        """Keeps the figures of a judge's log for everybody to read, in the store and in the record.

        Args:
            payload: JSON of `evaluator.judge_report.published`.

        Raises:
            QuotaExceeded, StoreError: as `Store.publish_judge_report`.
        """
        report = self._store.publish_judge_report(
            uuid.uuid4().hex[:16], owner=owner, owner_name=owner_name, payload=payload, per_day=per_day
        )
        self._archive.record_judge_report(report)
        return report

    def withdraw_judge_report(self, report_id: str, owner: str | None) -> PublishedReport:
        """Takes published figures back for good; the record keeps that.

        Raises:
            NotYours, StoreError: as `Store.withdraw_judge_report`.
        """
        report = self._store.withdraw_judge_report(report_id, owner)
        self._archive.record_report_withdrawal(report)
        return report

    def erase(self, ticket_id: str, *, actor: str, actor_name: str = "", reason: str, owner: str | None = None) -> Act:
        """Erases what a submission said, for good: from the database, then from the archive; a tombstone stays.

        A mirror of the archive follows within a minute (`submissions.archive.mirror.Mirror.forget`).

        Raises:
            NotYours, StoreError: as `Store.erase`.
        """
        before = self._store.require(ticket_id)
        act = self._store.erase(ticket_id, actor=actor, actor_name=actor_name, reason=reason, owner=owner)
        self._archive.erase(Tombstone.of(self._store.require(ticket_id)))
        self._archive.catch_up(self._store)
        if before.status is JobStatus.SCORED or before.status.is_open:  # it was hidden, and of its run until now
            self._judge_rest_of_run(ticket_id, "erased")
        return act

    def _judge_rest_of_run(self, ticket_id: str, ended: str) -> None:
        """A run of 2025 is its files: with one of them gone, the others' figures between languages are others."""
        if self._store.require(ticket_id).set_id not in SETS_OF_2025:
            return
        for other in self._store.run_files(ticket_id):
            why = f"judged again: a file of its run was {ended}"
            self._store.requeue(other.ticket_id, why, even_at_work=True)

    def _record_result(self, ticket_id: str) -> None:
        """Records what a scored submission scored; of others there is nothing to record."""
        scored, result = self._store.ticket(ticket_id), self._store.result(ticket_id)
        if scored is not None and result is not None and scored.status is JobStatus.SCORED:
            self._archive.record_result(ticket_id, result, scored.status_at.timestamp())

    def _record_end(self, kind: EndKind, ticket_id: str) -> None:
        # As the store has it, to the moment: whoever else records the same end writes the same event.
        ended = self._store.require(ticket_id)
        self._archive.record_end(kind, ticket_id, ended.owner, ended.status_at.timestamp(), ended.reason)


def _webhook(address: str) -> Webhook | None:
    if not address:
        return None
    fault = address_fault(address)
    if fault:
        raise WebhookRefused(f"The address of the webhook cannot be used: {fault}")
    return Webhook.at(address)


def _whole(file: BinaryIO) -> bytes:
    file.seek(0)
    return file.read()
