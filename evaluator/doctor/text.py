"""The diagnosis as text, for a terminal and for the page."""

from __future__ import annotations

from collections.abc import Iterator

from evaluator.doctor.diagnosis import Diagnosis, Outcome
from submissions.reading.quoting import printable

OUTCOMES: dict[Outcome, str] = {
    "read": "read",
    "refused": "refused: see the faults",
    "read_in_part": "read, but not all of it",
    "unknown": "nothing here reads it",
    "too_slow": "known, and not read within the time of this look",
}


def diagnosis_text(found: Diagnosis) -> str:
    """The diagnosis for a terminal."""
    lines = [
        f"{printable(found.file, 200)}: {found.is_a} ({found.bytes:,} bytes)",
        f"Result: {OUTCOMES[found.outcome]}",
    ]
    for taker in found.takers:
        lines.append(f"Taken by: {taker.where}; {taker.command}" if taker.where else f"Taken by: {taker.command}")
    for title, sentences in (
        ("What can be said from it", found.says),
        ("What cannot, and what to record next time", found.cannot_say),
        ("Not read", tuple(unread_words(found))),
        ("Faults", tuple(_fault_words(found))),
        ("Labels", tuple(label_words(found))),
    ):
        if sentences:
            lines += ["", f"{title}:", *(f"  {sentence}" for sentence in sentences)]
    return "\n".join(lines)


def page_words(found: Diagnosis) -> tuple[str, ...]:
    """What the page says beside a report or instead of one: what the file is, first, and what else is of use.

    A report lists figures and what is missing for others itself.
    """
    title = f"This is {found.is_a}."
    if found.outcome in ("read", "read_in_part") and found.labels is not None:
        return title, *label_words(found)
    says = () if found.outcome == "unknown" else found.says[:8]
    doors = (f"It is taken by: {taker.where or taker.command}" for taker in found.takers)
    return title, *doors, *says, *found.cannot_say[:3], *_fault_words(found)


def label_words(found: Diagnosis) -> Iterator[str]:
    """How many labels would narrow the main figure; nothing where it needs none."""
    if (labels := found.labels) is not None:
        yield f"{labels.figure}: ±.05 takes about {labels.needed:,} labels; there are {labels.have:,}. {labels.how}"


def unread_words(found: Diagnosis) -> Iterator[str]:
    """What was left out of a log, by kind."""
    for unread in found.unread:
        yield f"{unread.count:,} {unread.what}, the first at {printable(unread.first, 200)}"


def _fault_words(found: Diagnosis) -> Iterator[str]:
    for fault in found.faults:
        yield f"{printable(fault.place, 200)}: {fault.message}" + (f". {fault.hint}" if fault.hint else "")
    if found.n_faults > len(found.faults):
        yield f"and {found.n_faults - len(found.faults):,} more"
