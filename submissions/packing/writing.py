"""A planned run as a zip of 2026 in the official form, and the log of what is otherwise than in the team's files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from submissions.formats.eloquent.cultural_metadata import LABEL_2026
from submissions.formats.eloquent.prompt_releases import ReleaseComparison
from submissions.formats.eloquent.writing import cultural_zip
from submissions.packing.plan import FileChange, PackingPlan, PlannedRun
from submissions.packing.sources import CannotPack
from submissions.promptsets.cultural import CULTURAL_KINDS, cultural_places
from submissions.promptsets.releases import Release
from submissions.schema import Response

LOG_FILE = "pack_log.jsonl"

_OFFICIAL = frozenset({"team", "system", "model", "submissionid", "date", "label", "languages", "modifications"})
_MODIFICATIONS = ("system_prompt", "prompt_prefix_english", "prompt_suffix_english", "generation_params", "notes")


def run_file(run: PlannedRun, today: date) -> bytes:
    """The zip of a run whose names are complete; the same bytes for the same answers, names and day."""
    return cultural_zip(_metadata(run, today), _responses(run))


def file_name(run: PlannedRun) -> str:
    """What its file is called.

    >>> from submissions.schema import Names
    >>> file_name(PlannedRun("cot", Names("Team A/B", "s", "m", "cot-1")))
    'cot-1.zip'
    """
    signs = "".join(sign if sign.isalnum() or sign in "_.-" else "-" for sign in run.names.run or "run")
    return f"{signs.strip('.-')[:100] or 'run'}.zip"


def named_runs(plan: PackingPlan) -> dict[str, PlannedRun]:
    """File name -> run, of those that can be written."""
    named: dict[str, PlannedRun] = {}
    for run in plan.runs:
        if run.faults:
            continue
        name = plain = file_name(run)
        number = 2
        while name in named:
            name, number = f"{plain.removesuffix('.zip')}-{number}.zip", number + 1
        named[name] = run
    return named


def log_lines(plan: PackingPlan, written: dict[str, tuple[PlannedRun, bytes]], today: date) -> list[dict[str, Any]]:
    """One object for each file that was written, each change, and each file that is in none.

    Args:
        plan: What was planned.
        written: File name -> run and bytes.
        today: The date stated in files that state none.
    """
    lines: list[dict[str, Any]] = []
    for name, (run, data) in written.items():
        sources = {place for places in run.places.values() for place in places}
        answers = sum(map(len, run.rows.values()))
        sha256 = hashlib.sha256(data).hexdigest()
        lines.append({"file": name, "sha256": sha256, "answers": answers, "made_of": sorted(sources)})
        changes = [*run.changes, *_metadata_changes(run, today)]
        lines += [{"file": name, "of": change.place, "change": change.what} for change in changes]
    lines += [{"of": put_aside.place, "left_aside": put_aside.why} for put_aside in plan.aside]
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


def prompt_lines(run: PlannedRun, releases: tuple[Release, ...]) -> list[str]:
    """What is said of a run's prompts, language by language."""
    comparison = ReleaseComparison(releases)
    for (language, _), rows in run.rows.items():
        for row in rows.values():
            if row.prompt is not None:
                comparison.look(language, row.item_id, row.prompt, row.place)
    lines = []
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


def _responses(run: PlannedRun) -> Iterator[Response]:
    """Every answer, in the order of the prompt files."""
    for language in run.languages:
        for kind in CULTURAL_KINDS:
            rows = run.rows.get((language, kind), {})
            for item_id, (base_id, variant) in cultural_places(kind).items():
                if row := rows.get(item_id):
                    turns = ((row.prompt or "", row.answer),)
                    yield Response(item_id, base_id, kind, variant, language, row.prompt, turns, row.answer)


def _metadata(run: PlannedRun, today: date) -> bytes:
    names, stated = run.names, run.metadata
    changed = stated.get("modifications")
    kept = changed if isinstance(changed, dict) else {}
    document = {
        "team": names.team,
        "system": names.system,
        "model": names.model,
        "submissionid": names.run,
        "date": stated.get("date") or today.isoformat(),
        "label": LABEL_2026,
        "languages": list(run.languages),
        "modifications": {**{key: kept.get(key) for key in _MODIFICATIONS}, **kept},
    }
    if stated.get("notes"):
        document["notes"] = stated["notes"]
    text = json.dumps(document, ensure_ascii=False, indent=1, default=lambda number: number.literal)
    return (text + "\n").encode("utf-8", "backslashreplace")


def _metadata_changes(run: PlannedRun, today: date) -> Iterator[FileChange]:
    """What the metadata say otherwise than those found."""
    stated = run.metadata
    if not stated:
        yield FileChange("", "the metadata were written anew: the files have none")
    if not stated.get("date"):
        yield FileChange("", f"the date is the day of packing, {today.isoformat()}")
    if stated and stated.get("languages") != list(run.languages):
        yield FileChange("", f"languages became those answered: {', '.join(run.languages)}")
    if stated and stated.get("label") != LABEL_2026:
        yield FileChange("", f"the label became {LABEL_2026}")
    for key in stated.keys() - _OFFICIAL - {"notes"}:
        yield FileChange("", f"the key {key[:80]!r} of the metadata is no part of the form: left out")
