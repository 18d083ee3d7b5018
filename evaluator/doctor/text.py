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
    "needs_option": "can be read once you add an option to the command",
}


def diagnosis_text(diagnosis: Diagnosis) -> str:
    """The diagnosis for a terminal."""
    lines = [
        f"{printable(diagnosis.file, 200)}: {diagnosis.is_a} ({diagnosis.bytes:,} bytes)",
        f"Result: {OUTCOMES[diagnosis.outcome]}",
    ]
    for taker in diagnosis.takers:
        lines.append(f"Taken by: {taker.where}; {taker.command}" if taker.where else f"Taken by: {taker.command}")
    for title, sentences in (
        ("What can be said from it", diagnosis.says),
        ("What cannot, and what to record next time", diagnosis.cannot_say),
        ("Not read", tuple(unread_words(diagnosis))),
        ("Faults", tuple(_fault_words(diagnosis))),
        ("Labels", tuple(label_words(diagnosis))),
    ):
        if sentences:
            lines += ["", f"{title}:", *(f"  {sentence}" for sentence in sentences)]
    return "\n".join(lines)


def page_words(diagnosis: Diagnosis) -> tuple[str, ...]:
    """What the page says beside a report or instead of one: what the file is, first, and what else is of use.

    A report lists figures and what is missing for others itself.
    """
    title = f"This is {diagnosis.is_a}."
    if diagnosis.outcome in ("read", "read_in_part") and diagnosis.labels is not None:
        return title, *label_words(diagnosis)
    says = () if diagnosis.outcome == "unknown" else diagnosis.says[:8]
    doors = (f"It is taken by: {taker.where or taker.command}" for taker in diagnosis.takers)
    return title, *doors, *says, *diagnosis.cannot_say[:3], *_fault_words(diagnosis)


def label_words(diagnosis: Diagnosis) -> Iterator[str]:
    """How many labels would narrow the main figure; nothing where it needs none."""
    if (labels := diagnosis.labels) is not None:
        yield f"{labels.figure}: ±.05 takes about {labels.needed:,} labels; there are {labels.have:,}. {labels.how}"


def unread_words(diagnosis: Diagnosis) -> Iterator[str]:
    """What was left out of a log, by kind."""
    for unread in diagnosis.unread:
        yield f"{unread.count:,} {unread.what}, the first at {printable(unread.first, 200)}"


def _fault_words(diagnosis: Diagnosis) -> Iterator[str]:
    for fault in diagnosis.faults:
        place = "" if fault.place == "$" else f"{printable(fault.place, 200)}: "  # $ is the whole file
        yield f"{place}{fault.message}" + (f". {fault.hint}" if fault.hint else "")
    if diagnosis.n_faults > len(diagnosis.faults):
        yield f"and {diagnosis.n_faults - len(diagnosis.faults):,} more"
