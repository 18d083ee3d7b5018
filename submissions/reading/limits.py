"""Limits of an upload (docs/submit.md#limits)."""

from __future__ import annotations

from dataclasses import dataclass

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one upload; the defaults are the specification's."""

    upload_bytes: int = 32 * _MIB
    """Size of any uploaded file but personalized answers in JSON Lines."""
    json_bytes: int = 8 * _MIB
    """Size of a file that is one JSON document."""
    json_values: int = 2_500_000
    """Values in one document; keys count too, for a key costs as much memory as a text."""
    json_depth: int = 32
    """Objects and lists inside one another; the outermost counts as 1."""
    number_characters: int = 64
    """Length of one number as written."""
    response_characters: int = 65_536
    """Length of one response in Unicode code points."""
    name_characters: int = 200
    """Length of a team, system, model or run name."""
    verdict_columns: int = 1_000
    """Columns of a CSV of judge verdicts; the format knows ten."""
    verdict_rows: int = 200_000
    """Rows of a table of judge verdicts."""
    verdict_name_characters: int = 200
    """Length of a task, model or query in such a table; judge and benchmark have limits of their own."""
    judge_name_characters: int = 100
    benchmark_characters: int = 50
    raw_text_characters: int = 50_000
    """Length of one judge's reply."""
    verdict_judges: int = 200
    """Judges in one table: every two of them are compared."""
    verdict_benchmarks: int = 50
    verdict_groups: int = 20_000
    """Combinations of benchmark and judge with a task or a model: each has figures of its own."""
    personalized_lines_bytes: int = 256 * _MIB
    """Size of a file of personalized answers in JSON Lines, which is read line by line."""
    personalized_line_bytes: int = 4 * _MIB
    """Length of one line of it; five texts of the greatest length fit in even with every character escaped."""
    personalized_rows: int = 60_000
    preferences: int = 32
    """Preferences shown with one question."""
    preference_characters: int = 1_000
    crs_dialogues: int = 5_000
    """Human dialogues in one file of recommender answers."""
    perse_items: int = 50_000
    """Ratings or choices predicted in one file."""
    zip_entries: int = 120
    """Entries of a zip, folders and files of the system too."""
    zip_entry_bytes: int = 32 * _MIB
    """Size of one entry, expanded."""
    zip_bytes: int = 256 * _MIB
    """Size of all entries that are read, expanded."""
    metadata_bytes: int = _MIB
    """Size of submission_metadata.json in such a zip."""
    cultural_line_bytes: int = 2 * _MIB
    """Length of one row of a 2026 file; a response of the greatest length fits in with every character escaped."""
    cultural_lines: int = 50_000
    """Lines of one 2026 file, blank ones too; the official ones have 4,140 at most."""
