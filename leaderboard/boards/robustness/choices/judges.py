"""Whose scores rank a board: the judges that have scored its runs, each alone, and their panels."""

from __future__ import annotations

import hashlib
from collections import Counter, OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock

from evaluator.results import Pin, RobustnessResult
from evaluator.robustness.figures import JudgedGroup, judged_groups
from evaluator.robustness.panel import NotScored, groups_of_judge, groups_of_panel
from evaluator.values import judge_digest
from submissions.store.queue import Ticket
from submissions.store.store import Store

AS_SCORED = ""
"""Every run by the judge it was scored by."""
KEY_SIGNS = 8
"""Signs of a digest in the name of a judge in links."""
KEPT_RUNS = 4_000
"""Runs whose groups are kept, each by one judge: about 25 kB a run."""


@dataclass(frozen=True, slots=True)
class JudgeChoice:
    """One judge, or the mean of a panel."""

    judges: tuple[Pin, ...]

    @property
    def key(self) -> str:
        """Its name in links: another one for another revision, prompt or engine."""
        digests = [judge_digest(judge) for judge in self.judges]
        if len(digests) == 1:
            return f"{self.judges[0].name}-{digests[0][:KEY_SIGNS]}"
        return f"panel-{hashlib.sha256(' '.join(sorted(digests)).encode()).hexdigest()[:KEY_SIGNS]}"

    @property
    def name(self) -> str:
        """In one word, which others may share."""
        return self.judges[0].name if len(self.judges) == 1 else "panel mean"

    @property
    def label(self) -> str:
        """In words."""
        if len(self.judges) == 1:
            return f"{self.judges[0].name} ({self.judges[0].model})"
        return f"panel mean of {' and '.join(sorted(judge.name for judge in self.judges))}"

    @property
    def pin(self) -> Pin:
        """What stands in the row of a run as its judge."""
        if len(self.judges) == 1:
            return self.judges[0]
        names = " and ".join(f"{judge.name} ({judge.model})" for judge in self.judges)
        same = {"revision": self.key, "tokenizer": "-", "prompt": "-", "dtype": "-", "engine": "-", "languages": None}
        return Pin.model_validate({"name": "panel mean", "model": names, **same})

    def groups(self, result: RobustnessResult) -> tuple[JudgedGroup, ...]:
        """What it made of a submission.

        Raises:
            NotScored: with the reason.
        """
        if len(self.judges) == 1:
            return groups_of_judge(result, self.judges[0])
        return groups_of_panel(result, self.judges)


def judge_choices(results: Iterable[RobustnessResult]) -> tuple[JudgeChoice, ...]:
    """The judges that have scored any of the runs, those of most runs first, then the panels.

    Without the judge that is every run's own, since that is how runs are scored: none where one judge has scored all.
    Results may come without their items.
    """
    scored: Counter[tuple[Pin, ...]] = Counter()
    own = set()
    for result in results:
        own.add(result.judge)
        members = tuple(member.judge for member in result.panel.members) if result.panel else ()
        scored.update({(judge,): 1 for judge in (result.judge, *members)})
        if len(members) > 1:
            scored[tuple(sorted(members, key=judge_digest))] += 1
    if len(own) == 1:
        del scored[(own.pop(),)]
    first = sorted(scored, key=lambda judges: (len(judges) > 1, -scored[judges], JudgeChoice(judges).key))
    return tuple(JudgeChoice(judges) for judges in first)


def names_of(choices: Iterable[JudgeChoice]) -> dict[str, str]:
    """Key -> the name alone where that tells the judges apart, else the label: for narrow places."""
    listed = list(choices)
    shared = Counter(choice.name for choice in listed)
    labels = labels_of(listed)
    return {choice.key: choice.name if shared[choice.name] == 1 else labels[choice.key] for choice in listed}


def labels_of(choices: Iterable[JudgeChoice]) -> dict[str, str]:
    """Key -> label; judges of one name and model are told apart by their keys.

    >>> labels_of([])
    {}
    """
    listed = list(choices)
    shared = Counter(choice.label for choice in listed)
    return {
        choice.key: f"{choice.label}, {choice.key.rpartition('-')[2]}" if shared[choice.label] > 1 else choice.label
        for choice in listed
    }


@dataclass(frozen=True, slots=True)
class Judged:
    """What a judge made of one run: its groups; without any figure, and why, where it has not scored the run."""

    groups: tuple[JudgedGroup, ...]
    reason: str | None = None


class JudgedRuns:
    """The groups of runs by any judge, read when somebody asks and kept while they last."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = Lock()
        self._kept: OrderedDict[tuple[object, ...], Judged] = OrderedDict()

    def of(self, ticket: Ticket, choice: JudgeChoice | None) -> Judged | None:
        """What the chosen judge, or the run's own, made of it; None when it was withdrawn meanwhile."""
        key = (ticket.id, ticket.status_at, choice)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        text = self._store.result(ticket.id)
        if text is None:
            return None
        judged = _judged(RobustnessResult.model_validate_json(text), choice)
        with self._lock:
            self._kept[key] = judged
            if len(self._kept) > KEPT_RUNS:
                self._kept.popitem(last=False)
        return judged


def _judged(result: RobustnessResult, choice: JudgeChoice | None) -> Judged:
    own = judged_groups(result.items)
    if choice is None:
        return Judged(own)
    try:
        return Judged(choice.groups(result))
    except NotScored as error:
        reason = str(error)
        return Judged(tuple(group.with_figures(dict.fromkeys(group.figures), reason) for group in own), reason)
