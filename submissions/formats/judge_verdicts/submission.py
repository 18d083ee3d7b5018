"""A table of judge verdicts that can be scored, and what it covers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from submissions.schema import Names, VerdictChoices
from submissions.verdicts.items import VerdictTable
from submissions.verdicts.parsing import VerdictFormat
from submissions.verdicts.swap_outcomes import Options

KIND = "judge_verdicts"

_SET = "judges"

CardFields = Mapping[str, str | float]
"""What is said about a judge: model_id, revision, family, parameters, precision, temperature, prompt_template."""


def verdict_set_id(benchmarks: tuple[str, ...]) -> str:
    """What a table is entered under: "judges:" and its benchmark, or "judges" where it holds several.

    >>> verdict_set_id(("mtbench",)), verdict_set_id(("devbench", "mtbench"))
    ('judges:mtbench', 'judges')
    """
    return f"{_SET}:{benchmarks[0]}" if len(benchmarks) == 1 else _SET


def is_verdict_set(set_id: str) -> bool:
    """Whether a submission of this set is a table of judge verdicts."""
    return set_id.split(":", 1)[0] == _SET


@dataclass(frozen=True, slots=True, eq=False)
class VerdictSubmission:
    """One table of judge verdicts of one team, read from one file."""

    set_id: str
    names: Names
    """The team is None as long as nobody stated it; nothing is submitted without."""
    options: Options
    reference_model: str | None
    verdict_format: VerdictFormat
    cards: Mapping[str, CardFields]
    """Judge -> its card, where the file has one."""
    file_sha256: str
    """Of the bytes as uploaded."""
    tables: Mapping[str, VerdictTable]
    """Benchmark -> its verdicts, in order of the names."""

    @property
    def choices(self) -> VerdictChoices:
        """How the file was read, whoever said so: reading it with these again gives the same."""
        return VerdictChoices(self.options, self.reference_model, self.verdict_format)


@dataclass(frozen=True, slots=True)
class VerdictCoverage:
    """What a table holds; also of a refused one, as far as its rows could be read."""

    n_rows: int
    """All rows of the file."""
    n_items: int
    n_pairs: int
    """Items with both orders in one repetition."""
    n_unpaired: int
    n_error_calls: int
    """Unusable verdicts over all rows."""
    judges: tuple[str, ...]
    benchmarks: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """The `coverage` of the report (docs/submit.md#judge-verdict-tables)."""
        return asdict(self)
