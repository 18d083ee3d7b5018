"""What the readers of the editions hand back: the submission as far as it could be read, and where it stands."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from submissions.findings import Findings
from submissions.formats.eloquent.coverage import CULTURAL_MIN_LANGUAGES, RANK_MIN_COVERAGE
from submissions.formats.eloquent.cultural_entry import CulturalEntry
from submissions.formats.file_kind import Entry, FileReading
from submissions.schema import Count, Coverage, Kind, Response, Submission

FEWEST_ANSWERS = 10
"""Fewer may be the same by chance: runs of two systems may both say "Yes" a few times."""

Slot = tuple[Kind, str, int, str]
"""Kind, item id, variant and language: what names one response within a submission."""


def slot_of(response: Response) -> Slot:
    """The slot a response fills."""
    return response.kind, response.item_id, response.variant, response.language


@dataclass(frozen=True, slots=True)
class Reading:
    """One file as a reader saw it."""

    submission: Submission | None
    """With a blank response where none could be read, so that guards and coverage see the rest; None without items."""
    findings: Findings
    places: Mapping[Slot, str]
    """Where each response stands in the file; absent responses have no place."""
    is_complete: bool
    """Whether every part was read as it stands. If not, the submission serves the report only."""


@dataclass(frozen=True, slots=True)
class EloquentReading(FileReading):
    """One file of any edition, with the flags of the automatic checks."""

    submission: Submission | None = None
    """None unless every part of the file could be read as it stands, and of 2026 where rows were not to be kept."""
    coverage: Coverage | None = None
    """Of what could be read, also of a refused file; None where that is nothing."""
    fingerprint: str | None = None
    """Of its answers (`AnswersDigest`); None where they are too few."""

    @property
    def answers(self) -> int | None:
        return self.coverage.total.answered if self.coverage else None

    @property
    def answers_sha256(self) -> str | None:
        return self.fingerprint

    @property
    def entry(self) -> Entry | None:
        return self.submission

    def of_answers(self) -> tuple[Submission, Coverage]:
        """Submission and coverage of a file in which everything was read, and whose rows were kept."""
        assert self.submission is not None
        assert self.coverage is not None
        return self.submission, self.coverage

    def without_rows(self) -> EloquentReading:
        return replace(self, submission=self.submission and replace(self.submission, items=()))

    def coverage_json(self) -> dict[str, Any]:
        return _coverage_json(self.coverage) if self.coverage else {}

    def rank_words(self) -> str:
        """Whether what is answered is enough for a rank, and where it is not, what lacks; blank where nothing can be
        said."""
        held = self.coverage
        views = [view for view, may in held.rankable.items() if may is False] if held else []
        if held is None or not views:
            return ""
        thin = [
            f"{language} {item} {_share_text(count)}"
            for (item, language), count in held.by_item_language.items()
            if (count.share or 0.0) < RANK_MIN_COVERAGE
        ]
        if "cultural" in held.rankable:
            n_languages = len(held.by_language)
            is_few = n_languages < CULTURAL_MIN_LANGUAGES
            lacks = [f"{n_languages} of the {CULTURAL_MIN_LANGUAGES} languages a rank needs"] if is_few else []
            shown = ", ".join(thin[:_SHOWN_GAPS]) + (
                f" and {len(thin) - _SHOWN_GAPS} more" if len(thin) > _SHOWN_GAPS else ""
            )
            lacks += [f"less than {RANK_MIN_COVERAGE:.0%} of some answers ({shown})"] if thin else []
            return f"will not be ranked: it has {' and '.join(lacks)}"
        where = "" if len(views) == len(held.rankable) else f" in the view {' and '.join(views)}"
        return f"will not be ranked{where}: it answers {_share_text(held.total)} prompts, too few in some groups"

    def coverage_lines(self) -> list[str]:
        if self.coverage is None:
            return []
        held = self.coverage
        languages = ", ".join(f"{language} {_share_text(count)}" for language, count in held.by_language.items())
        views = ", ".join(f"{view} {_RANKABLE[may]}" for view, may in held.rankable.items())
        return [f"coverage: {_share_text(held.total)} ({languages})", f"enough for a rank: {views}"]


@dataclass(frozen=True, slots=True)
class CulturalReading(EloquentReading):
    """One zip of 2026."""

    entry: CulturalEntry | None = None
    """The run without its responses; None unless every part of the zip could be read as it stands."""


_SHOWN_GAPS = 4

_RANKABLE = {True: "yes", False: "no", None: "told by all files of the run together"}


def _coverage_json(coverage: Coverage) -> dict[str, Any]:
    by_kind = {kind: _count_json(count) for kind, count in coverage.by_kind.items()}
    return {
        **_count_json(coverage.total),
        "share": coverage.total.share,
        "by_language": {language: _count_json(count) for language, count in coverage.by_language.items()},
        **({"by_kind": by_kind} if by_kind else {}),
        "rankable": coverage.rankable,
    }


def _count_json(count: Count) -> dict[str, int | None]:
    return {"expected": count.expected, "answered": count.answered}


def _share_text(count: Count) -> str:
    return f"{count.answered}" if count.expected is None else f"{count.answered}/{count.expected}"


class AnswersDigest:
    """Digest of a run's answers: the same answers under other names are recognised (docs/identity.md).

    Takes answers one at a time, in any order, and holds 32 bytes of each.
    """

    def __init__(self) -> None:
        self._answers: list[bytes] = []

    def add(self, response: Response) -> None:
        """Adds an answer under its place; a blank one adds nothing, and white space does not count."""
        if response.is_blank:
            return
        said = [" ".join(answer.split()) for _, answer in response.turns] or [" ".join(response.response.split())]
        place = [response.kind, response.item_id, response.variant, response.language]
        text = json.dumps([place, said], ensure_ascii=False)
        self._answers.append(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())

    def value(self) -> str | None:
        """64 hex digits, the same for the same answers in the same places; None where they are fewer than ten."""
        if len(self._answers) < FEWEST_ANSWERS:
            return None
        return hashlib.sha256(b"".join(sorted(self._answers))).hexdigest()
