"""Which files belong to one run, what each run answers, and what only the team can know.

Two files are of one run where nothing but language, kind and words about no run tells their names and folders apart,
unless their metadata name different runs; files whose metadata name the same run are of one run whatever they are
called. Where two files of a run answer one prompt differently nobody but the team knows which is meant.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from submissions.formats.eloquent.languages import sure_language
from submissions.formats.names import is_placeholder
from submissions.packing.naming import NameParts, model_in, name_parts
from submissions.packing.shapes import FileShape, Row, StatedNames, shape_of
from submissions.packing.sources import LeftAside, Source
from submissions.promptsets.cultural import CULTURAL_LANGUAGES, CulturalKind
from submissions.promptsets.releases import Release
from submissions.reading.quoting import quoted
from submissions.schema import Names

Slot = tuple[str, CulturalKind]
"""Language and kind: one file of a submission."""

_PROMPTS_TO_TELL = 20
"""Prompts looked at to tell the language of a file that nothing else tells."""

NAME_FIELDS = ("team", "system", "model", "run")
_METADATA_KEYS = {"team": "team", "system": "system", "model": "model", "run": "submissionid"}


@dataclass(frozen=True, slots=True)
class FileChange:
    """One thing that is otherwise than in the team's files, for the log."""

    place: str
    what: str


@dataclass(frozen=True, slots=True)
class Choices:
    """What the team said that its files do not."""

    names: Names = Names()
    """For runs that do not state them; `{run}` and `{model}` in a system or model stand for those of the run."""
    asked: Names = Names()
    """What was asked for because nothing else says it."""
    languages: Mapping[str, str] = field(default_factory=dict)
    """Part of a place -> language of its answers."""
    is_one_run: bool = False
    """All files are of one run, whatever they are called."""


@dataclass(slots=True)
class PlannedRun:
    """One run: what it answers, whose it is, and what was done to its files."""

    label: str
    """What tells it from the others; blank where there is only one."""
    names: Names = Names()
    """As far as they are known."""
    metadata: dict[str, object] = field(default_factory=dict)
    """Of its metadata files; {} where there is none."""
    rows: dict[Slot, dict[str, Row]] = field(default_factory=dict)
    """Language and kind -> id -> answer."""
    places: dict[Slot, list[str]] = field(default_factory=dict)
    changes: list[FileChange] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    """Why it cannot be written."""

    @property
    def languages(self) -> tuple[str, ...]:
        """In the order of the official list."""
        return tuple(code for code in CULTURAL_LANGUAGES if any(code == language for language, _ in self.rows))

    @property
    def missing_names(self) -> tuple[str, ...]:
        """Names that nothing says."""
        return tuple(name for name in NAME_FIELDS if getattr(self.names, name) is None)

    def n_answers(self, kind: CulturalKind) -> int:
        return sum(len(rows) for (_, of_kind), rows in self.rows.items() if of_kind == kind)


@dataclass(frozen=True, slots=True)
class PackingPlan:
    """What would be written, and what would not."""

    runs: tuple[PlannedRun, ...]
    aside: tuple[LeftAside, ...]

    @property
    def has_losses(self) -> bool:
        """Whether something that holds answers, or may, is in no run."""
        return any(put_aside.has_answers for put_aside in self.aside) or any(run.faults for run in self.runs)


@dataclass(slots=True)
class _Part:
    """The answers of one file that are of one run and in one language."""

    source: Source
    label: str
    metadata: Mapping[str, object]
    language: str
    rows: list[Row]
    stated: StatedNames


def planned(
    sources: Sequence[Source],
    aside: Iterable[LeftAside] = (),
    choices: Choices = Choices(),
    releases: Sequence[Release] = (),
) -> PackingPlan:
    """What the files become.

    Args:
        sources: Files that may hold answers.
        aside: Files that were left aside before.
        choices: What the team says.
        releases: Tell the language of a file that states its prompts and nothing else.
    """
    return _Planner(choices, releases, list(aside)).plan(sources)


@dataclass(slots=True)
class _Planner:
    choices: Choices
    releases: Sequence[Release]
    aside: list[LeftAside]
    remarks: list[FileChange] = field(default_factory=list)

    def plan(self, sources: Sequence[Source]) -> PackingPlan:
        shapes = self._shapes(sources)
        metadata = _metadata_by_folder(shapes)
        parts = [part for source, shape in shapes for part in self._parts(source, shape, metadata)]
        groups = _joined(parts, self.choices)
        runs = [self._run(label, group) for label, group in groups]
        runs = _without_copies([run for run in runs if run.rows or run.faults])
        _set_names(runs, self.choices.names, self.choices.asked)
        return PackingPlan(tuple(runs), tuple(self.aside))

    def _shapes(self, sources: Sequence[Source]) -> list[tuple[Source, FileShape]]:
        """What every file holds that is no copy of another one of its run."""
        shapes = []
        for source in sources:
            shape = shape_of(source)
            if shape.faults:
                more = f" (and {len(shape.faults) - 1:,} more)" if len(shape.faults) > 1 else ""
                self._leave(source, shape.faults[0] + more, has_answers=True)
            elif shape.rows or shape.metadata is not None:
                shapes.append((source, shape))
            else:
                self._leave(source, shape.why_none)
        return shapes

    def _leave(self, source: Source, why: str, *, has_answers: bool = False) -> None:
        self.aside.append(LeftAside(source.place, why, has_answers))

    def _parts(
        self, source: Source, shape: FileShape, metadata: Mapping[tuple[str, ...], Mapping[str, object]]
    ) -> Iterable[_Part]:
        levels = [name_parts(name) for name in (*source.folders, source.name)]
        label = "/".join(level.label for level in levels if level.label)
        of_folder = next(
            (
                metadata[source.folders[:end]]
                for end in range(len(source.folders), -1, -1)
                if source.folders[:end] in metadata
            ),
            {},
        )
        for stated, rows in shape.rows.items():
            language, why = self._language(source, levels, stated, rows)
            if language is None:
                self._leave(source, why, has_answers=True)
                continue
            self._note_kind(source, levels[-1], rows)
            self.remarks += [FileChange(source.place, remark) for remark in shape.remarks]
            yield _Part(source, label, shape.metadata or of_folder, language, rows, stated)

    def _language(
        self, source: Source, levels: Sequence[NameParts], stated: StatedNames, rows: Sequence[Row]
    ) -> tuple[str | None, str]:
        """The language of some answers of a file, or why it is not known."""
        for part, language in self.choices.languages.items():
            if part in source.place:
                return language, ""
        named = next((level.language for level in reversed(levels) if level.language), None)
        told = stated.language or named or _language_of_prompts(rows, self.releases)
        why = "nothing tells the language of its answers, neither name, folder, row nor prompt"
        return told, f"{why}: say --language {source.name}=xx"

    def _note_kind(self, source: Source, level: NameParts, rows: Sequence[Row]) -> None:
        kinds = {row.kind for row in rows}
        if level.kind is not None and kinds != {level.kind}:
            what = f"its name says {level.kind}, its ids are {' and '.join(sorted(kinds))}: the ids count"
            self.remarks.append(FileChange(source.place, what))

    def _run(self, label: str, parts: Sequence[_Part]) -> PlannedRun:
        run = PlannedRun(label)
        _take_metadata(run, parts)
        seen: dict[tuple[str, str], str] = {}
        for part in parts:
            copied = seen.setdefault((part.source.sha256, part.language), part.source.place)
            if copied != part.source.place:
                run.changes.append(FileChange(part.source.place, f"left out: the same bytes as {copied}"))
                continue
            _take_rows(run, part)
        used = {part.source.place for part in parts}
        run.changes += [change for change in dict.fromkeys(self.remarks) if change.place in used]
        # Every part of a run states the same run and model, or none.
        names, stated = run.names, parts[0].stated
        run.names = replace(names, model=names.model or stated.model, run=names.run or stated.run)
        return run


def _metadata_by_folder(shapes: Iterable[tuple[Source, FileShape]]) -> dict[tuple[str, ...], Mapping[str, object]]:
    """Folders and archives -> the metadata that lie in them, without answers beside."""
    return {source.folders: shape.metadata for source, shape in shapes if shape.metadata is not None and not shape.rows}


def _joined(parts: Sequence[_Part], choices: Choices) -> list[tuple[str, list[_Part]]]:
    """The parts of each run under its label."""
    if choices.is_one_run:
        return [("", list(parts))] if parts else []
    groups: dict[tuple[str, ...], list[_Part]] = defaultdict(list)
    for part in parts:
        groups[_run_key(part)].append(part)
    runs = [run for group in groups.values() for run in _told_apart(group)]
    for run in [run for run in runs if not run[0].metadata]:
        # An archive without metadata beside one that has them, both of one name.
        same = [one for one in runs if one[0].metadata and {part.label for part in one} == {part.label for part in run}]
        if len(same) == 1 and not _contradict(same[0], run):
            same[0].extend(run)
            runs.remove(run)
    return list(zip(_short_labels([_label(run) for run in runs]), runs, strict=True))


def _told_apart(group: list[_Part]) -> list[list[_Part]]:
    """A group of one name; by folders and archives where their answers contradict each other: then somebody copied the
    metadata of one run into another."""
    by_label: dict[str, list[_Part]] = defaultdict(list)
    for part in group:
        by_label[part.label].append(part)
    kept: list[list[_Part]] = []
    for parts in by_label.values():
        fitting = next((run for run in kept if not _contradict(run, parts)), None)
        if fitting is None:
            kept.append(list(parts))
        else:
            fitting.extend(parts)
    return kept


def _contradict(some: Iterable[_Part], others: Iterable[_Part]) -> bool:
    """Whether two files answer one prompt differently."""
    known = {(part.language, row.item_id): row.answer for part in some for row in part.rows}
    return any(
        known.get((part.language, row.item_id), row.answer) != row.answer for part in others for row in part.rows
    )


def _run_key(part: _Part) -> tuple[str, ...]:
    """What parts of one run have in common."""
    own = (part.stated.run or "", part.stated.model or "")
    said = _names_of(part.metadata)
    if said.run is not None:
        # The name of the file counts too: one archive with one metadata file may hold several runs.
        return ("metadata", *(_bare(getattr(said, name) or "") for name in NAME_FIELDS), _own_label(part), *own)
    return ("names", part.label.casefold(), *own)


def _own_label(part: _Part) -> str:
    return name_parts(part.source.name).label.casefold()


def _bare(name: str) -> str:
    """A name without language, kind and words about no run: `llama-specific` and `llama-unspecific` are one run."""
    return name_parts(name).label.casefold() or name.casefold()


def _label(parts: Sequence[_Part]) -> str:
    first = parts[0]
    said = _names_of(first.metadata).run
    own = [first.stated.run, first.stated.model, said and (name_parts(said).label or said), _own_label(first)]
    return "/".join(dict.fromkeys(part for part in own if part)) if any(own[:3]) else first.label


def _short_labels(labels: Sequence[str]) -> list[str]:
    """The labels without what all have in common, each of them once.

    >>> _short_labels(["delivery/llama", "delivery/qwen"]), _short_labels(["a", "a"]), _short_labels(["x/only"])
    (['llama', 'qwen'], ['a', 'a-2'], ['only'])
    """
    split = [label.split("/") for label in labels]
    shared = 0
    while all(len(parts) > shared + 1 for parts in split) and len({parts[shared] for parts in split}) == 1:
        shared += 1
    short, met = [], Counter[str]()
    for parts in split:
        label = "_".join(parts[shared:])
        met[label] += 1
        short.append(label if met[label] == 1 else f"{label}-{met[label]}")
    return short


def _take_metadata(run: PlannedRun, parts: Sequence[_Part]) -> None:
    """The metadata of the run: of several files the first that states a value."""
    for part in parts:
        for key, value in part.metadata.items():
            if value is None or (isinstance(value, str) and is_placeholder(value)):
                continue
            kept = run.metadata.setdefault(key, value)
            if kept != value and key not in ("languages", "date"):
                what = f"{key} is stated otherwise in the metadata of another file of the run; the first was kept"
                run.changes.append(FileChange(part.source.place, what))
    run.changes = list(dict.fromkeys(run.changes))
    run.names = _names_of(run.metadata)


def _names_of(metadata: Mapping[str, object]) -> Names:
    """The names that metadata state; those of the template are none."""

    def name(key: str) -> str | None:
        value = metadata.get(key)
        is_name = isinstance(value, str) and value.strip() and not is_placeholder(value)
        return str(value).strip() if is_name else None

    return Names(
        **{field: name(key) or (name("run") if field == "run" else None) for field, key in _METADATA_KEYS.items()}
    )


def _take_rows(run: PlannedRun, part: _Part) -> None:
    """The answers of a file into the run; the same answer to the same prompt again is left out."""
    again, place = 0, part.source.place
    for row in part.rows:
        slot: Slot = (part.language, row.kind)
        rows = run.rows.setdefault(slot, {})
        known = rows.get(row.item_id)
        if known is None:
            rows[row.item_id] = replace(row, place=f"{place}:{row.place}")
            if place not in (places := run.places.setdefault(slot, [])):
                places.append(place)
        elif known.answer == row.answer:
            again += 1
        else:
            run.faults.append(
                f"prompt {row.item_id} in {part.language} has two different answers, at {known.place} and at "
                f"{place}:{row.place}: name the files of one run only, or leave one out with --without"
            )
    if again:
        run.changes.append(FileChange(place, f"{again:,} answers left out that are in the run already, word for word"))


def _without_copies(runs: Sequence[PlannedRun]) -> list[PlannedRun]:
    """The runs without those that hold the very answers of an earlier one and state no other name."""
    kept: list[PlannedRun] = []
    for run in runs:
        same = next((one for one in kept if _answers(one) == _answers(run) and not run.faults), None)
        if same is None or (run.names.run or "") != (same.names.run or ""):
            kept.append(run)
            continue
        for places in run.places.values():
            same.changes += [
                FileChange(place, f"left out: the same answers as the run {quoted(same.label)}") for place in places
            ]
    return kept


def _answers(run: PlannedRun) -> dict[Slot, dict[str, str]]:
    return {slot: {item_id: row.answer for item_id, row in rows.items()} for slot, rows in run.rows.items()}


def _set_names(runs: Sequence[PlannedRun], given: Names, asked: Names) -> None:
    """What files state wins over what is given, that over what their names say, and that over what was asked for."""
    met: set[tuple[str | None, ...]] = set()
    for run in runs:
        said = run.names
        run_name = said.run or (given.run if len(runs) == 1 else None) or _run_name(run.label) or "run-1"
        model = said.model or _filled(given.model, run_name, None) or model_in(run.label)
        model = model or _filled(asked.model, run_name, None)
        if model and not (said.model or given.model or asked.model):
            run.changes.append(FileChange("", f"the model {quoted(model)} was read from the names of the files"))
        team = said.team or given.team or asked.team
        system = said.system or _filled(given.system or asked.system, run_name, model)
        if (team, system, run_name) in met:
            apart = _run_name(f"{run_name}_{run.label}")
            run.changes.append(
                FileChange("", f"submissionid {quoted(run_name)} became {quoted(apart)}: another run has it")
            )
            run_name = apart
        met.add((team, system, run_name))
        run.names = Names(team, system, model, run_name)


def _filled(text: str | None, run: str, model: str | None) -> str | None:
    return text.replace("{run}", run).replace("{model}", model or run) if text else None


def _run_name(label: str) -> str:
    """A label as a submissionid: letters, digits, _, dot and -."""
    return re.sub(r"[^\w.-]+", "-", label).strip("-")


def _language_of_prompts(rows: Sequence[Row], releases: Sequence[Release]) -> str | None:
    """The language whose official prompts a file states, or in which its prompts clearly are."""
    asked = {row.item_id: row.prompt for row in rows if row.prompt and row.prompt.strip()}
    same = Counter(
        language
        for release in releases
        for language in CULTURAL_LANGUAGES
        for item_id, prompt in asked.items()
        if release.prompt(language, item_id) == prompt
    )
    if same:
        (language, count), *others = same.most_common(2)
        return language if not others or others[0][1] < count else None
    some = list(asked.values())[:: max(1, len(asked) // _PROMPTS_TO_TELL)][:_PROMPTS_TO_TELL]
    votes = Counter(vote for prompt in some if (vote := sure_language(prompt)) is not None)
    if votes and votes.most_common(1)[0][1] > sum(votes.values()) / 2:
        vote = votes.most_common(1)[0][0]
        code = "ua" if vote == "uk" else vote
        return code if code in CULTURAL_LANGUAGES else None
    return None


def open_names(plan: PackingPlan) -> dict[str, list[str]]:
    """Name that runs lack -> labels of these runs."""
    found: dict[str, list[str]] = defaultdict(list)
    for run in plan.runs:
        for name in run.missing_names:
            found[name].append(run.label or run.names.run or "")
    return dict(found)
