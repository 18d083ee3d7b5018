"""Files of predicted ratings and choices: one JSON object (docs/personalized_evaluation.md#predicted-ratings)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from submissions.findings import Findings
from submissions.formats.envelope import Envelope, read_envelope
from submissions.formats.file_kind import FileReading, Upload
from submissions.formats.personalized_evaluation.fields import is_number
from submissions.formats.personalized_evaluation.items import (
    COMPARISON_FIELDS,
    PAIR_FIELDS,
    PLACES,
    RATING_FIELDS,
    REVIEW_FIELDS,
    Expected,
    PairItems,
    RatingItems,
)
from submissions.formats.personalized_evaluation.submission import (
    DEFAULT_SCALE,
    RATINGS_KIND,
    AnyPerseSubmission,
    PairItem,
    PairsSubmission,
    PerseCoverage,
    RatingItem,
    RatingsSubmission,
    Scale,
    coverage_of_items,
)
from submissions.reading.limits import Limits
from submissions.reading.quoting import described
from submissions.reading.strict_json import ABSENT, Document, Unreadable

_COMMON_FIELDS = ("kind", "team", "system", "model", "run", "dataset", "date", "notes", "k")
RATINGS_ENVELOPE_FIELDS = (*_COMMON_FIELDS, "scale", "gold_scale", "items")
PAIRS_ENVELOPE_FIELDS = (*_COMMON_FIELDS, "items")

ROW_KEYS: frozenset[str] = frozenset(
    {*RATINGS_ENVELOPE_FIELDS, *RATING_FIELDS, *REVIEW_FIELDS, *PAIR_FIELDS, *COMPARISON_FIELDS}
)


@dataclass(frozen=True, slots=True)
class PerseReading(FileReading):
    """One file as it was read."""

    submission: AnyPerseSubmission | None = None
    """None unless everything could be read as it stands."""
    coverage: PerseCoverage | None = None
    """Of the items that could be read; None where there is none."""
    items: tuple[RatingItem | PairItem, ...] = ()
    """Those that could be read, in the order of the file."""

    @property
    def entry(self) -> AnyPerseSubmission | None:
        return self.submission

    def without_rows(self) -> PerseReading:
        return replace(self, submission=self.submission and self.submission.without_items(), items=())

    def coverage_lines(self) -> list[str]:
        held = self.coverage
        return (
            []
            if held is None
            else [
                f"predictions: {held.n_items:,} items of {held.n_reviewers:,} reviewers, "
                f"{held.n_with_answer:,} answered, {'k unknown' if held.k is None else f'k = {held.k}'}"
            ]
        )


def read_perse_document(value: dict[str, object], text: Document, upload: Upload, findings: Findings) -> PerseReading:
    """Reads a file of either kind.

    Args:
        value: The object read; its `kind` is one of the two.
        text: What reading it as JSON found.
        upload: What else is known.
        findings: Takes every fault.

    Returns:
        The submission, if everything could be read. Never raises on the content.
    """
    limits = upload.limits
    findings.extend(text.findings)
    are_ratings = value.get("kind") == RATINGS_KIND
    fields = RATINGS_ENVELOPE_FIELDS if are_ratings else PAIRS_ENVELOPE_FIELDS
    envelope = read_envelope(value, PLACES, upload.names, limits, findings, fields=fields, listed="items")
    dataset, k = _dataset(value, limits, findings), _k(value, findings)
    scales = (_scale("scale", value, findings), _scale("gold_scale", value, findings)) if are_ratings else (None, None)
    items: RatingItems | PairItems
    items = RatingItems(Expected(k, *scales)) if are_ratings else PairItems(Expected(k))
    _read_items(value.get("items", ABSENT), items, limits, findings)
    findings.extend(items.finish())
    submission = None
    if not findings.has_error and dataset is not None and k is not None:
        submission = _submission(envelope, dataset, k, scales, items, upload.file_sha256)
    coverage = coverage_of_items(items.read, k) if items.read else None
    return PerseReading(envelope.names, submission, coverage, tuple(items.read))


def _read_items(listed: object, items: RatingItems | PairItems, limits: Limits, findings: Findings) -> None:
    if not isinstance(listed, list) or not listed:
        description = "missing" if listed is ABSENT else described(listed)
        message = f"items is {description}; accepted: a list with one object per prediction, 1 or more"
        findings.add("no_items", "items", message, "Send the file with its items; the template shows them.")
        return
    for number, value in enumerate(listed[: limits.perse_items]):
        items.add(value, number)
    if len(listed) > limits.perse_items:
        message = f"there are {len(listed):,} items; those after the first {limits.perse_items:,} were not read"
        findings.add("file_too_big", PLACES.row(limits.perse_items), message, "Send fewer items.")


def _submission(
    envelope: Envelope,
    dataset: str,
    k: int,
    scales: tuple[Scale | None, Scale | None],
    items: RatingItems | PairItems,
    file_sha256: str,
) -> AnyPerseSubmission:
    if isinstance(items, PairItems):
        return PairsSubmission(
            envelope.names, dataset, k, envelope.date, envelope.notes, file_sha256, items=tuple(items.read)
        )
    scale, gold_scale = scales
    return RatingsSubmission(
        envelope.names,
        dataset,
        k,
        envelope.date,
        envelope.notes,
        file_sha256,
        items=tuple(items.read),
        scale=scale or DEFAULT_SCALE,
        gold_scale=gold_scale or DEFAULT_SCALE,
    )


# --- what holds for the whole file ------------------------------------------------------------------------------------


def _dataset(document: dict[str, object], limits: Limits, findings: Findings) -> str | None:
    name = document.get("dataset", ABSENT)
    if isinstance(name, str) and name.strip() and len(name) <= limits.name_characters:
        return name.strip()
    accepted = f"a text that is not blank, of at most {limits.name_characters} characters"
    _refuse("dataset", name, accepted, "Name the data that the ratings come from.", findings)
    return None


def _k(document: dict[str, object], findings: Findings) -> int | None:
    k = document.get("k", ABSENT)
    if type(k) is int and k >= 0:
        return k
    hint = "Write how many earlier reviews were shown with each item; 0 = none."
    _refuse("k", k, "a whole number, 0 or more", hint, findings)
    return None


def _scale(field: str, document: dict[str, object], findings: Findings) -> Scale | None:
    """A scale; the usual one where the file states none."""
    ends = document.get(field)
    if ends is None:
        return DEFAULT_SCALE
    if isinstance(ends, list) and len(ends) == 2 and all(map(is_number, ends)) and ends[0] < ends[1]:
        return Scale(float(ends[0]), float(ends[1]))
    _refuse(field, ends, "[low, high], two numbers in rising order", "Write it like [1, 10].", findings)
    return None


def _refuse(field: str, value: object, accepted: str, hint: str, findings: Findings) -> None:
    if not isinstance(value, Unreadable):  # told as what it is
        description = "missing" if value is ABSENT else described(value)
        findings.add("envelope_field", PLACES.envelope(field), f"{field} is {description}; accepted: {accepted}", hint)
