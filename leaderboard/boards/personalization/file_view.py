"""The desk's words on a file of personalized answers before it is submitted."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboard.parts.columns import Column
from leaderboard.parts.file_previews import FileView, Preview, cut
from leaderboard.parts.tables import TableValue, table_value
from submissions.formats.personalization.coverage import PersonalizedCoverage, PersonalizedGroup
from submissions.formats.personalization.reader import PersonalizedReading
from submissions.formats.personalization.submission import PREF_ALIGNER, PersonalizedRow
from submissions.formats.preview import expected_ratings


@dataclass(frozen=True, slots=True)
class PersonalizedCoverageRow:
    """One data set, setting and method."""

    id: str
    group: PersonalizedGroup
    tier: int = 0

    @property
    def style(self) -> str:
        """A group that gives no figure, as none of its rows can be right or wrong, stands out."""
        return "" if self.group.n_with_gold else "incomplete-row"

    @property
    def method(self) -> str:
        return f"{self.group.method}, run again" if self.group.is_repeat else self.group.method

    @property
    def scored_as(self) -> str:
        """What is computed from the group."""
        group = self.group
        if not group.n_with_gold:
            return "nothing: without gold no answer is right or wrong"
        if group.is_repeat:
            return "noise floor: what breaks without any preference"
        if group.setting == "none":
            return "control: what was right without preferences"
        figures = "breakage, variation"
        if group.setting in ("relevant", "mixed"):
            figures += ", preference followed, robustness"
        return f"{figures}, unchanged" + (", fallback" if group.method == PREF_ALIGNER else "")


def personalized_coverage_rows(coverage: PersonalizedCoverage) -> tuple[PersonalizedCoverageRow, ...]:
    """One row per group, in the order of the report."""
    return tuple(PersonalizedCoverageRow(str(number), group) for number, group in enumerate(coverage.groups, start=1))


PERSONALIZED_COVERAGE_COLUMNS: tuple[Column[PersonalizedCoverageRow], ...] = (
    Column("dataset", "Data set", "text", lambda row: row.group.dataset, "As the rows name it.", sortable=False),
    Column(
        "setting",
        "Setting",
        "text",
        lambda row: row.group.setting,
        "Which preferences were shown: none, one relevant, irrelevant ones, or one relevant among others.",
        sortable=False,
    ),
    Column("method", "Method", "text", lambda row: row.method, "How it was answered.", is_name=True, sortable=False),
    Column("rows", "Rows", "whole", lambda row: row.group.n_rows, "Rows that could be read.", sortable=False),
    Column("examples", "Examples", "whole", lambda row: row.group.n_examples, "Different questions.", sortable=False),
    Column("gold", "With gold", "whole", lambda row: row.group.n_with_gold, "Rows that state it.", sortable=False),
    Column("scored", "Scored as", "text", lambda row: row.scored_as, "What is computed from it.", sortable=False),
)


_HEADS = ["Data set", "Example", "Setting", "Method", "Options", "Gold", "Answer, as it was read"]
_NAMED_DATASETS = 5
_LISTED_DATASETS = 8


def _read_as(reading: PersonalizedReading) -> str:
    held = reading.coverage
    if held is None:
        return ""
    datasets = _datasets(held)
    more = f" and {len(datasets) - _NAMED_DATASETS} more" if len(datasets) > _NAMED_DATASETS else ""
    answered = held.n_rows - held.n_controls - held.n_repeats
    return (
        f"Read as personalized answers on {', '.join(datasets[:_NAMED_DATASETS])}{more}: {held.n_examples:,} examples, "
        f"{answered:,} answers with preferences, {held.n_controls:,} control rows, {held.n_repeats:,} of further "
        "control runs"
    )


def _datasets(held: PersonalizedCoverage) -> list[str]:
    return list(dict.fromkeys(group.dataset for group in held.groups))


def _preview(reading: PersonalizedReading) -> Preview | None:
    held = reading.coverage
    if held is None:
        return None
    datasets, ratings = _datasets(held), expected_ratings(held)
    more = ", …" if len(datasets) > _LISTED_DATASETS else ""
    facts = {
        "Rows": f"{held.n_rows:,}",
        "Examples": f"{held.n_examples:,}",
        "Data sets": f"{len(datasets)}: {', '.join(datasets[:_LISTED_DATASETS])}{more}",
        "Methods": f"{len({group.method for group in held.groups if group.setting != 'none'})}",
        "Work": f"up to {ratings:,} ratings of how well a preference is followed, by judges that read language, and "
        "one judgement for each answer whose letter no rule settles",
    }
    return Preview(facts, _HEADS, [_first_row(row) for row in reading.first_rows])


def _first_row(row: PersonalizedRow) -> list[str]:
    return [
        row.dataset,
        cut(row.example_id),
        row.setting,
        row.method,
        str(len(row.options)) if row.options else "open question",
        row.gold or "none",
        cut(row.final) or "(blank)",
    ]


def _held(reading: PersonalizedReading) -> TableValue | None:
    held = reading.coverage
    if held is None or not held.groups:
        return None
    return table_value(
        personalized_coverage_rows(held),
        PERSONALIZED_COVERAGE_COLUMNS,
        caption=f"What the file holds: {held.n_rows:,} rows of {held.n_examples:,} examples",
        empty="",
        opens=False,
    )


PERSONALIZED_VIEW = FileView(PersonalizedReading, _read_as, _preview, _held)
