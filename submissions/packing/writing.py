"""Planned runs as files in the official form, and the log of what is otherwise than in the team's files."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from submissions.formats.eloquent.prompt_releases import ReleaseComparison
from submissions.packing.editions import pack_edition
from submissions.packing.plan import PackingPlan
from submissions.packing.runs import FileChange, PlannedRun, Slot
from submissions.packing.sources import CannotPack
from submissions.promptsets import PromptSets

LOG_FILE = "pack_log.jsonl"
MOST_STEM_BYTES = 200
"""Of the name of a file, before number and suffix: file systems take 255 bytes for a name, not characters."""


@dataclass(frozen=True, slots=True)
class PackedFile:
    """One file that is written: a run, or in an edition of a file per language a run in one language."""

    run: PlannedRun
    data: bytes
    slots: tuple[Slot, ...]


def packed_files(plan: PackingPlan, today: date, prompt_sets: PromptSets) -> dict[str, PackedFile]:
    """File name -> file, of the runs that can be written and whose names are complete."""
    named: dict[str, PackedFile] = {}
    for run in plan.runs:
        if run.faults:
            continue
        files = pack_edition(run.edition).files(run, today, prompt_sets)
        stem = plain = file_stem(run)
        number = 2
        while any(f"{stem}{file.suffix}" in named for file in files):
            stem, number = f"{plain}-{number}", number + 1
        named |= {f"{stem}{file.suffix}": PackedFile(run, file.data, file.slots) for file in files}
    return named


def file_stem(run: PlannedRun) -> str:
    """What its files are called, before language and suffix.

    >>> from submissions.schema import Names
    >>> file_stem(PlannedRun("cot", names=Names("Team A/B", "s", "m", "cot 1")))
    'cot-1'
    >>> len(file_stem(PlannedRun("", names=Names(run="𝔞" * 100))).encode())
    200
    """
    signs = "".join(sign if sign.isalnum() or sign in "_.-" else "-" for sign in run.names.run or "run")
    return _within(signs.strip(".-")[:100], MOST_STEM_BYTES).strip(".-") or "run"


def _within(text: str, most: int) -> str:
    """The longest beginning of a text that has at most so many bytes as UTF-8."""
    return text.encode("utf-8", "replace")[:most].decode("utf-8", "ignore")


def log_lines(
    plan: PackingPlan, written: dict[str, PackedFile], today: date, prompt_sets: PromptSets
) -> list[dict[str, Any]]:
    """One object for each file that was written, its prompts, each change, and each file that is in none.

    Args:
        plan: What was planned.
        written: File name -> file.
        today: The date stated in files that state none.
        prompt_sets: Whose prompts those of the files are compared with.
    """
    lines: list[dict[str, Any]] = []
    told: list[PlannedRun] = []
    for name, file in written.items():
        run = file.run
        sources = {place for slot in file.slots for place in run.places.get(slot, ())}
        answers = sum(len(run.rows[slot]) for slot in file.slots)
        sha256 = hashlib.sha256(file.data).hexdigest()
        lines.append({"file": name, "sha256": sha256, "answers": answers, "made_of": sorted(sources)})
        if any(run is other for other in told):
            continue
        told.append(run)  # what was changed is told once for all files of a run, with the first of them
        changes = [*run.changes, *_metadata_changes(run, today)]
        lines += [{"file": name, "prompts": line} for line in prompt_lines(run, prompt_sets)]
        lines += [{"file": name, "of": change.place, "change": change.what} for change in changes]
    lines += [{"of": unused_file.place, "left_aside": unused_file.why} for unused_file in plan.aside]
    return lines


def write_all(folder: Path, files: dict[str, bytes]) -> None:
    """Writes files into a folder; what is there with other content is never overwritten.

    Raises:
        CannotPack: where a file of that name has other content, or the folder cannot be written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            path = folder / name
            if path.exists() and name != LOG_FILE and path.read_bytes() != data:
                raise CannotPack(f"{path} is there already with other content: name another folder with --out")
        for name, data in files.items():
            unfinished = folder / f"{name}.unfinished"
            unfinished.write_bytes(data)
            unfinished.replace(folder / name)
    except OSError as error:
        raise CannotPack(f"{error.filename or folder}: {error.strerror}") from error


def log_bytes(lines: list[dict[str, Any]]) -> bytes:
    """The log as a file."""
    return "".join(json.dumps(line) + "\n" for line in lines).encode("ascii")


def prompt_lines(run: PlannedRun, prompt_sets: PromptSets) -> list[str]:
    """What is said of a run's prompts, language by language."""
    releases = pack_edition(run.edition).releases(prompt_sets)
    comparison = ReleaseComparison(releases)
    without_prompt, without_official = Counter[str](), Counter[str]()
    for (language, _), rows in run.rows.items():
        for row in rows.values():
            if row.prompt is None or not row.prompt.strip():
                without_prompt[language] += 1
            elif not any(release.prompt(language, row.key) for release in releases):
                without_official[language] += 1
            else:
                comparison.look(language, row.key, row.prompt, row.place)
    lines = [
        *(
            f"{language}: {count:,} prompts not compared: no known key beside the answer (prompt, question, messages, "
            "...), so their ids alone say which prompts are answered"
            for language, count in sorted(without_prompt.items())
        ),
        *(
            f"{language}: {count:,} prompts not compared: no release at hand has prompts with these ids"
            for language, count in sorted(without_official.items())
        ),
    ]
    for language in sorted(comparison.languages):
        nearest = comparison.nearest(language)
        if nearest is None:
            continue
        total = nearest.same + nearest.n_differing
        if nearest.n_differing:
            lines.append(
                f"{language}: nearest is {nearest.release.name}, of which {nearest.n_differing:,} of {total:,} prompts "
                f"differ. {nearest.words()}"
            )
        else:
            lines.append(f"{language}: all {total:,} prompts are those of {nearest.release.name}")
    return lines


def answers_in_words(run: PlannedRun, prompt_sets: PromptSets) -> str:
    """How many answers a run has, as its edition counts them."""
    return pack_edition(run.edition).answers_in_words(run.rows, prompt_sets) if run.rows else "none"


def _metadata_changes(run: PlannedRun, today: date) -> Iterator[FileChange]:
    """What the metadata say otherwise than those found."""
    edition, stated = pack_edition(run.edition), run.metadata
    if not stated:
        yield FileChange("", "the metadata were written anew: the files have none")
    if edition.states_date and not stated.get("date"):
        yield FileChange("", f"the date is the day of packing, {today.isoformat()}")
    if stated and "languages" in edition.header and stated.get("languages") != list(run.languages):
        yield FileChange("", f"languages became those answered: {', '.join(run.languages)}")
    if stated and edition.label and stated.get("label") != edition.label:
        yield FileChange("", f"the label became {edition.label}")
    for key in sorted(stated.keys() - edition.header):
        yield FileChange("", f"the key {key[:80]!r} of the metadata is no part of the form: left out")
