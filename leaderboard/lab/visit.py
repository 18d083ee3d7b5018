"""One browser session in the lab: what runs, what ran, and how the visitor voted."""

from __future__ import annotations

import random
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from evaluator.lab.run import cancelled
from evaluator.lab.setup import Side
from evaluator.lab.state import LabState
from evaluator.lab.tally import HumanVote, SessionTally, VoteAgreement, vote_agreement
from evaluator.lab.verdicts import at_threshold
from evaluator.lab.votes import Cast, new_vote_id, words_shown
from leaderboard.lab.values import OPEN_PLACES, Place
from submissions.formats.personalization.submission import FOLLOW_THRESHOLD

MOST_VISITS = 200
"""A visit of a hundred runs is some megabytes."""
KEPT_S = 3600.0
"""Visits nobody has come back to for so long are forgotten."""
LEFT_WITHIN_S = 2.0
"""A run whose page was left ends at the next piece of text."""

_TAB = re.compile(r"[a-z0-9-]{20,60}")
"""What browser tabs are called (`ui.ARRIVES`)."""

BlindVote = HumanVote | None
"""None = skipped: names are shown, nothing is counted."""


@dataclass(slots=True)
class Ballot:
    """One blind run: which side is shown first, and what was voted."""

    first: Side
    is_cast: bool = False
    """Voted or skipped: names are shown."""
    vote: HumanVote | None = None
    consent: bool = False
    """May the visitor's own text be kept with the vote?"""
    state: LabState | None = None
    """The run as it stood when it was last looked at."""
    vote_id: str = field(default_factory=new_vote_id)
    since: float | None = None
    """When the first word of an answer stood on the page, by the visit's clock."""
    cast: Cast | None = None
    """How the vote came about."""

    @property
    def order(self) -> tuple[Side, Side]:
        return ("a", "b") if self.first == "a" else ("b", "a")


class Visit:
    """What one browser session has on the page and behind it.

    Mutable, unlike everything else here: a vote comes in while the run it is about is being streamed. No dataclass, for
    gradio takes those apart.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.run: LabState | None = None
        """The visitor's own latest run, as it stands."""
        self.stored: LabState | None = None
        """A run that is looked at again, from replay or from this session; it stands on the page instead."""
        self.is_replay = False
        """Whether the page shows stored submissions."""
        self.recorded = ""
        """Id of the recorded example that is shown beside the form; blank = none is."""
        self.recorded_as = ""
        """Its place among the recorded examples, in words: several ask the same question under other preferences."""
        self.shown = 0
        """How many runs were shown: when one more is, the form folds."""
        self.is_reader = False
        """Whether the page shows the mode that predicts one reader."""
        self.stop: threading.Event | None = None
        """Ends the run under way; None while nothing runs."""
        self.ballot: Ballot | None = None
        """Of the latest run, where it is blind."""
        self.ballots: list[Ballot] = []
        self.threshold: float = FOLLOW_THRESHOLD
        self.tally = SessionTally()
        self.runs: list[LabState] = []
        """Finished runs, oldest first."""

    def __deepcopy__(self, memo: object) -> Visit:
        """gradio makes every visitor's state by copying the first one: each begins with nothing."""
        return Visit()

    @property
    def is_running(self) -> bool:
        return self.stop is not None

    @property
    def is_stored(self) -> bool:
        """Whether the page shows something that was run before."""
        return self.is_replay or self.stored is not None

    @property
    def is_hidden(self) -> bool:
        """Whether names and verdicts are hidden."""
        return self.is_undecided and not self.is_stored

    @property
    def is_undecided(self) -> bool:
        """Whether the latest run is blind and waits for its vote."""
        return self.ballot is not None and not self.ballot.is_cast

    @property
    def places(self) -> tuple[Place, Place]:
        """Which side is shown where, under which name."""
        if self.ballot is None or self.is_stored:
            return OPEN_PLACES
        first, second = self.ballot.order
        if self.is_hidden:
            return Place(first, "Answer 1", is_hidden=True), Place(second, "Answer 2", is_hidden=True)
        return Place(first, f"{first.upper()} (Answer 1)"), Place(second, f"{second.upper()} (Answer 2)")

    @property
    def state(self) -> LabState | None:
        """What the page shows, with its cards under the visitor's threshold."""
        state = self.stored if self.is_stored else self.run
        if state is None or self.threshold == FOLLOW_THRESHOLD:
            return state
        return at_threshold(state, self.threshold)

    def begin(self, *, is_blind: bool, dice: random.Random) -> threading.Event:
        """A run begins; sides of a blind one are shuffled. Returns what stops it."""
        self.run = None
        self.look_at(None)
        self.shown += 1
        self.ballot = Ballot(dice.choice(("a", "b"))) if is_blind else None
        self.stop = threading.Event()
        return self.stop

    def take(self, state: LabState) -> None:
        """The run under way has got on."""
        self.run = state
        if self.ballot is not None:
            self.ballot.state = state
            if self.ballot.since is None and words_shown(state):
                self.ballot.since = self._clock()

    def end(self) -> None:
        """The run under way is over, one way or another."""
        if self.stop is not None:
            self.stop.set()
        self.stop = None
        if self.run is not None:
            self.take(cancelled(self.run))
        self._count()

    def cancel(self) -> None:
        """Asks the run under way to stop."""
        if self.stop is not None:
            self.stop.set()

    def cast(self, choice: str, *, consent: bool) -> Ballot | None:
        """A vote on the blind run, at any time of it: `first`, `second`, `tie`, `both_bad` or `skip`.

        Returns:
            The ballot; None where there is nothing to vote on.
        """
        ballot = self.ballot
        votes = _votes(ballot) if ballot else {}
        if ballot is None or ballot.is_cast or choice not in votes:
            return None
        ballot.is_cast, ballot.vote, ballot.consent = True, votes[choice], consent
        seconds = None if ballot.since is None else round(self._clock() - ballot.since, 1)
        ballot.cast = Cast(ballot.first, seconds, words_shown(ballot.state) if ballot.state else 0)
        if ballot.vote is not None:
            self.ballots.append(ballot)
        self._count()
        return ballot

    def _count(self) -> None:
        """A finished run enters the tally once its names may be seen."""
        run = self.run
        if self.is_running or self.is_undecided or run is None or run.phase != "done" or run in self.runs:
            return
        self.tally = self.tally.after(run)
        self.runs.append(run)

    def reset(self) -> None:
        """Forgets tally, runs and votes; what is on the page stays."""
        self.tally, self.runs, self.ballots = SessionTally(), [], []

    def replace_runs(self, runs: Sequence[LabState]) -> None:
        """A session from a file takes the place of this one."""
        self.reset()
        for run in runs:
            self.tally = self.tally.after(run)
        self.runs = list(runs)

    def look_at(
        self, state: LabState | None, *, is_replay: bool = False, recorded: str = "", recorded_as: str = ""
    ) -> None:
        """Shows a run that is over; None without replay = the latest own run again. Nothing is run or counted.

        Args:
            recorded: Id of the recorded example that it is, where it stands beside the form.
            recorded_as: Its place among them, in words.
        """
        self.stored, self.is_replay, self.recorded, self.recorded_as = state, is_replay, recorded, recorded_as
        if state is not None:
            self.shown += 1

    def is_left_within(self, seconds: float) -> bool:
        """Ends the run under way, whose page was left, and says whether that came to pass in time."""
        until = time.monotonic() + seconds
        self.cancel()
        while self.is_running and time.monotonic() < until:
            time.sleep(0.02)
        return not self.is_running

    def agreement(self) -> VoteAgreement:
        """How often the judge agreed with this visitor's votes of this session."""
        votes = ((vote.vote, vote.state.pairwise.result if vote.state else None) for vote in self.ballots)
        return vote_agreement([(vote, result) for vote, result in votes if vote is not None])


class Visits:
    """The visits of this page server by the names of browser tabs: whoever leaves the lab finds it as they left it.

    Nothing outlives the server, and only the latest visits are kept, for an hour.

    Args:
        clock: Seconds, from any start.
    """

    def __init__(self, most: int = MOST_VISITS, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        self._visits: OrderedDict[str, tuple[Visit, float]] = OrderedDict()
        """With the time somebody last came to it, the oldest first."""
        self._lock = threading.Lock()

    def of(self, browser_tab: str) -> Visit:
        """The visit of that tab, with no run under way; a new one where it has none.

        Args:
            browser_tab: A name nobody else can guess; with one that no browser makes here, nothing is kept.
        """
        if not _TAB.fullmatch(browser_tab):
            return Visit()
        with self._lock:
            self._forget_old()
            visit, _ = self._visits.pop(browser_tab, (Visit(), 0.0))
        if not visit.is_left_within(LEFT_WITHIN_S):
            visit = Visit()
        with self._lock:
            self._visits[browser_tab] = visit, self._clock()
            self._visits.move_to_end(browser_tab)
            while len(self._visits) > self._most:
                self._visits.popitem(last=False)
        return visit

    def _forget_old(self) -> None:
        now = self._clock()
        while self._visits and now - next(iter(self._visits.values()))[1] > KEPT_S:
            self._visits.popitem(last=False)


def _votes(ballot: Ballot) -> dict[str, BlindVote]:
    first, second = ballot.order
    return {"first": first, "second": second, "tie": "tie", "both_bad": "both_bad", "skip": None}
