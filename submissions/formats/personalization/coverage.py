"""What a file of personalized answers holds, counted by data set, setting and method."""

from __future__ import annotations

from dataclasses import dataclass

from submissions.formats.personalization.submission import Setting


@dataclass(frozen=True, slots=True)
class PersonalizedGroup:
    """The rows of one data set, setting and method; further runs of the control are a group of their own."""

    dataset: str
    setting: Setting
    method: str
    is_repeat: bool
    n_rows: int
    n_examples: int
    n_with_gold: int
    """Rows that state the right option: only these can be right or wrong."""


@dataclass(frozen=True, slots=True)
class PersonalizedCoverage:
    """Also of a refused file, as far as its rows could be read."""

    n_rows: int
    """All rows of the file."""
    n_examples: int
    """Different pairs of data set and example_id among the rows that could be read, as in all counts below."""
    groups: tuple[PersonalizedGroup, ...]
    """By data set, setting and method; controls first."""

    @property
    def n_controls(self) -> int:
        """Rows of the first control run."""
        return sum(group.n_rows for group in self.groups if group.setting == "none" and not group.is_repeat)

    @property
    def n_repeats(self) -> int:
        """Rows of further control runs, from which the noise floor is measured."""
        return sum(group.n_rows for group in self.groups if group.is_repeat)
