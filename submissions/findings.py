"""Collecting problems: complete counts in little memory, and repeated warnings told once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from submissions.problem_codes import CODES
from submissions.problems import MAX_LISTED_PROBLEMS, Decision, Problem, Severity, decision

_FURTHER = "\0further"


class Findings:
    """Problems in the order they are found.

    All are counted; of each code only the first `MAX_LISTED_PROBLEMS` are kept, which is all a report can list, so that
    a file of a million faults costs no more than one of a few hundred.
    """

    def __init__(self) -> None:
        self._kept: list[Problem] = []
        self._counts: Counter[str] = Counter()

    def add(
        self,
        code: str,
        path: str,
        message: str,
        hint: str,
        *,
        severity: Severity | None = None,
        item: str | None = None,
        variant: int | None = None,
        language: str | None = None,
        within: str | None = None,
    ) -> None:
        """Adds one problem; its severity is that of the code unless said otherwise."""
        severity = severity or CODES[code].severity
        was_full = self.is_full(code)
        self._counts[code] += 1
        if was_full:
            return
        self._kept.append(
            Problem(
                code=code,
                severity=severity,
                path=path,
                item=item,
                variant=variant,
                language=language,
                message=message,
                hint=hint,
                within=within,
            )
        )

    def is_full(self, code: str) -> bool:
        """Whether further problems of this code are only counted, so that they need no words."""
        return self._counts[code] >= MAX_LISTED_PROBLEMS

    def count(self, code: str) -> None:
        """Counts one more problem of a code that `is_full`."""
        self._counts[code] += 1

    def extend(self, other: Findings) -> None:
        """Adds everything another collection holds."""
        for problem in other._kept:
            self.add(
                problem.code,
                problem.path,
                problem.message,
                problem.hint,
                severity=problem.severity,
                item=problem.item,
                variant=problem.variant,
                language=problem.language,
                within=problem.within,
            )
        kept = Counter(problem.code for problem in other._kept)
        self._counts.update(other._counts - kept)

    @property
    def problems(self) -> list[Problem]:
        """The problems kept, in the order found."""
        return list(self._kept)

    @property
    def counts(self) -> dict[str, int]:
        """How many problems carry each code, in order of the codes' names."""
        return dict(sorted(self._counts.items()))

    def without(self, code: str) -> Findings:
        """A copy that lacks the problems of one code."""
        copy = Findings()
        copy.extend(self)
        copy._kept = [problem for problem in copy._kept if problem.code != code]
        del copy._counts[code]
        return copy

    @property
    def decision(self) -> Decision:
        """An error refuses the file, a warning marks it, a note changes nothing."""
        return decision(self._kept)

    @property
    def has_error(self) -> bool:
        return self.decision == "refused"

    def has(self, code: str) -> bool:
        """Whether a problem of this code was found."""
        return self._counts[code] > 0


@dataclass(slots=True)
class Mark:
    """One warning that may repeat: its first place and how often it was met."""

    code: str
    detail: str
    path: str
    item: str | None = None
    variant: int | None = None
    language: str | None = None
    count: int = 1


class ProblemTally:
    """Warnings told once per code and group (a file, an item, a key), at the first place, with their count."""

    def __init__(self) -> None:
        self._marks: dict[tuple[str, str], Mark] = {}
        self._groups: Counter[str] = Counter()

    def note(
        self,
        code: str,
        path: Callable[[], str],
        *,
        group: str = "",
        detail: str = "",
        item: str | None = None,
        variant: int | None = None,
        language: str | None = None,
    ) -> None:
        """Counts one occurrence; `path` is asked for at the first only.

        After `MAX_LISTED_PROBLEMS` groups of one code all further ones share a group.
        """
        mark = self._marks.get((code, group))
        if mark is None and self._groups[code] >= MAX_LISTED_PROBLEMS:
            group, detail = _FURTHER, "and others"
            mark = self._marks.get((code, group))
        if mark is not None:
            mark.count += 1
            return
        self._groups[code] += 1
        self._marks[(code, group)] = Mark(code, detail, path(), item, variant, language)

    @property
    def marks(self) -> list[Mark]:
        """What was met, in order of the first places."""
        return list(self._marks.values())
