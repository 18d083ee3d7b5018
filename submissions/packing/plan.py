"""Which files belong to one run, what each run answers, and what only the team can know.

Two files are of one run where nothing but language, kind and words about no run tells their names and folders apart,
unless their metadata name different runs; files whose metadata name the same run are of one run whatever they are
called. Where two files of a run answer one prompt differently nobody but the team knows which is meant.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from submissions.formats.eloquent.languages import sure_language
from submissions.known_files import look_at, words_of_other
from submissions.packing.edition import PackEdition, counts_from_zero
from submissions.packing.editions import (
    EDITIONS,
    fitting,
    is_of_demonstration,
    likely_edition,
    pack_edition,
    sure_edition,
)
from submissions.packing.metadata_files import OF_A_FILE, MetadataContradict, MetadataFiles, is_stated, names_stated
from submissions.packing.naming import NameParts, model_in, name_parts
from submissions.packing.placing import OfficialPrompts, zero_fault
from submissions.packing.runs import NAME_FIELDS, FileChange, PlannedRun, Row, Slot
from submissions.packing.shapes import Entry, FileShape, StatedNames, shape_of
from submissions.packing.sources import LeftAside, Source
from submissions.promptsets import PromptSets
from submissions.promptsets.cultural import CULTURAL_KINDS
from submissions.promptsets.releases import Release
from submissions.reading.quoting import described, printable, quoted
from submissions.schema import Edition, Names

_PROMPTS_TO_TELL = 20
"""Prompts looked at to tell the language of a file that nothing else tells."""


_OF_DEMONSTRATION = (
    "its ids are those of the demonstration sets (from 901 on), which 2024, 2025 and 2026 have each, and nothing says "
    "of which: say --edition 2024, 2025 or 2026, or write the prompts beside the answers"
)


@dataclass(frozen=True, slots=True)
class Choices:
    """What the team said that its files do not."""

    names: Names = Names()
    """For runs that do not state them; `{run}` and `{model}` in a system or model stand for those of the run."""
    asked: Names = Names()
    """What was asked for because nothing else says it."""
    languages: Mapping[str, str] = field(default_factory=dict)
    """Part of a place -> language of its answers."""
    places: Mapping[str, str] = field(default_factory=dict)
    """Whole place -> language of its answers; wins over `languages`."""
    is_one_run: bool = False
    """All files are of one run, whatever they are called."""
    edition: Edition | None = None
    """Of all files, whatever they look like."""
    has_own_prompts: bool = False
    """The prompts beside the answers are the team's own wording of those of their ids."""


@dataclass(frozen=True, slots=True)
class PackingPlan:
    """What would be written, and what would not."""

    runs: tuple[PlannedRun, ...]
    aside: tuple[LeftAside, ...]
    guessed: tuple[str, ...] = ()
    """Places of files whose edition nothing tells: they were taken for the newest that they may be of."""
    is_edition_open: bool = False
    """Whether a file may be of another edition, though something may speak for the one it was taken for."""

    @property
    def untold(self) -> tuple[str, ...]:
        """Places of files that are left aside because nothing tells the language of their answers."""
        return tuple(dict.fromkeys(file.place for file in self.aside if file.option))

    @property
    def has_losses(self) -> bool:
        """Whether something that holds answers, or may, is in no run."""
        return any(file.has_answers for file in self.aside) or any(run.faults for run in self.runs)


@dataclass(slots=True)
class _Part:
    """The answers of one file that are of one run."""

    source: Source
    edition: Edition
    label: str
    metadata: Mapping[str, object]
    is_own_metadata: bool
    """Whether they stand in the file itself."""
    stated: StatedNames
    rows: list[Row]
    fault: str = ""
    """Why its answers can be placed nowhere; then the run they are of is not written, as its other files may have the
    same fault unseen."""

    def answers(self) -> Iterator[tuple[tuple[str, str], tuple[str, ...]]]:
        """Language and key of each answer, and its texts."""
        return (((row.language, row.key), row.answers) for row in self.rows)


def planned(
    sources: Sequence[Source], aside: Iterable[LeftAside] = (), choices: Choices = Choices(), *, prompt_sets: PromptSets
) -> PackingPlan:
    """What the files become.

    Args:
        sources: Files that may hold answers.
        aside: Files that were left aside before.
        choices: What the team says.
        prompt_sets: Place the answers of 2024, and tell the language of a file that states its prompts alone.
    """
    return _Planner(choices, prompt_sets, list(aside)).plan(sources)


@dataclass(slots=True)
class _Planner:
    choices: Choices
    sets: PromptSets
    aside: list[LeftAside]
    remarks: list[FileChange] = field(default_factory=list)
    guessed: list[str] = field(default_factory=list)
    is_edition_open: bool = False
    prompts: dict[Edition, OfficialPrompts] = field(default_factory=dict)

    def plan(self, sources: Sequence[Source]) -> PackingPlan:
        shapes = self._shapes(self._without_repeats(sources))
        metadata = MetadataFiles.of_shapes(shapes)
        parts = [
            part
            for source, shape, edition in self._with_editions(shapes, metadata)
            for part in self._parts(source, shape, edition, metadata)
        ]
        for source in metadata.untaken():
            _, known = look_at(source.data, source.name)
            why = "these metadata are of no file of answers here"
            if known is not None and known.key != "eloquent_metadata":
                why = f"this is {known.title}, without answers"
            self._leave(source, why)
        groups = _joined(parts, self.choices)
        runs = [self._run(label, group) for label, group in groups]
        runs = _without_copies([run for run in runs if run.rows or run.faults])
        _set_names(runs, self.choices.names, self.choices.asked)
        return PackingPlan(tuple(runs), tuple(self.aside), tuple(self.guessed), self.is_edition_open)

    def _without_repeats(self, sources: Sequence[Source]) -> Iterator[Source]:
        """Files of one name and the same bytes once, so that nothing is asked about each of them, unless the team said
        that they are in different languages."""
        met: dict[tuple[tuple[str, ...], str, str], Source] = {}
        for source in sources:
            first = met.setdefault((source.folders, source.name, source.sha256), source)
            if source is first or self._chosen_language(source) not in (None, self._chosen_language(first)):
                yield source
            else:
                self._leave(source, f"the same bytes as {first.place}")

    def _shapes(self, sources: Iterable[Source]) -> list[tuple[Source, FileShape]]:
        """What every file holds that can be read."""
        shapes = []
        for source in sources:
            if other := words_of_other(source.data, source.name, {"pack"}):
                self._leave(source, other)
                continue
            shape = shape_of(source)
            if shape.entries and not fitting(shape):
                first = next(iter(shape.entries.values()))[0]
                self._leave(source, f"its ids are those of no edition (first {described(first.id)} at {first.place})")
            elif shape.faults:
                self._leave(source, _with_count(shape.faults), has_answers=True)
            elif shape.entries or shape.metadata is not None:
                shapes.append((source, shape))
            else:
                self._leave(source, shape.why_none)
        return shapes

    def _with_editions(
        self, shapes: Sequence[tuple[Source, FileShape]], metadata: MetadataFiles
    ) -> Iterator[tuple[Source, FileShape, PackEdition]]:
        """The edition of every file with answers; first those that are sure, whose neighbours may be of it too."""
        sure: list[PackEdition | None] = []
        neighbours: dict[tuple[str, ...], set[Edition]] = defaultdict(set)
        for source, shape in shapes:
            own_edition = sure_edition(shape, self._stated_edition(source, shape, metadata)) if shape.entries else None
            sure.append(own_edition)
            if own_edition is not None:
                for end in range(len(source.folders) + 1):
                    neighbours[source.folders[:end]].add(own_edition.edition)
        for (source, shape), edition in zip(shapes, sure, strict=True):
            if not shape.entries:
                continue
            if edition is None:
                if stated := self._stated_edition(source, shape, metadata):
                    self._leave(source, f"its ids are not those of {stated}", has_answers=True)
                    continue
                self.is_edition_open = True
                edition, is_told = likely_edition(source, shape, neighbours, self._count_known)
                if not is_told and is_of_demonstration(shape):
                    self._leave(source, _OF_DEMONSTRATION, has_answers=True)
                    continue
                if not is_told:
                    self.guessed.append(source.place)
                    others = [other.edition for other in fitting(shape) if other is not edition]
                    what = f"nothing says its edition: taken for {edition.edition}; --edition {others[0]} says another"
                    self.remarks.append(FileChange(source.place, what))
            yield source, shape, edition

    def _count_known(self, edition: PackEdition, entries: Iterable[Entry]) -> int:
        return self._prompts(edition).count_known(entries)

    def _stated_edition(self, source: Source, shape: FileShape, metadata: MetadataFiles) -> Edition | None:
        try:
            return self.choices.edition or shape.edition or _labelled(metadata.of_file(source))
        except MetadataContradict:
            return None

    def _prompts(self, edition: PackEdition) -> OfficialPrompts:
        """The prompts of an edition, read once for all files."""
        if edition.edition not in self.prompts:
            self.prompts[edition.edition] = OfficialPrompts(edition.releases(self.sets))
        return self.prompts[edition.edition]

    def _leave(self, source: Source, why: str, *, has_answers: bool = False, option: str = "") -> None:
        self.aside.append(LeftAside(source.place, f"{why}: say {option}" if option else why, has_answers, option))

    def _parts(
        self, source: Source, shape: FileShape, edition: PackEdition, metadata: MetadataFiles
    ) -> Iterable[_Part]:
        levels = [name_parts(name, edition.language_word) for name in (*source.folders, source.name)]
        label = "/".join(level.label for level in levels if level.label)
        fault = ""
        around: Mapping[str, object] = shape.metadata or {}
        if not shape.metadata:
            try:
                around = metadata.of_file(source)
            except MetadataContradict as error:
                fault = str(error)
        for stated, stated_entries in shape.entries.items():
            language = self._language(source, levels, stated, stated_entries, edition)
            entries, misfit = self._placed(source, stated_entries, language, edition)
            fitted = edition.fitted(entries, language, self.sets)
            if fitted.faults:
                self._leave(source, _with_count(fitted.faults), has_answers=True)
                continue
            if language is None and edition.needs_language and not misfit:
                why = "nothing tells the language of its answers, neither name, folder, row nor prompt"
                self._leave(source, why, has_answers=True, option=f"--language {_quoted_end(source)}=xx")
                continue
            misfit = misfit or self._misplacement(edition, fitted.rows) or fault
            rows = [] if misfit else fitted.rows
            self._note_kind(source, levels[-1], rows)
            if stated.language and language and stated.language != language:
                what = f"the language {quoted(stated.language, 20)} is written as {language}"
                self.remarks.append(FileChange(source.place, what))
            if fitted.left_out and not misfit:
                self._leave(source, fitted.left_out, has_answers=True)
            self.remarks += [FileChange(source.place, remark) for remark in (*shape.remarks, *fitted.remarks)]
            yield _Part(source, edition.edition, label, around, bool(shape.metadata), stated, rows, misfit)

    def _misplacement(self, edition: PackEdition, rows: Sequence[Row]) -> str | None:
        return self._prompts(edition).misplacement(rows, is_own_wording=self.choices.has_own_prompts)

    def _placed(
        self, source: Source, entries: Sequence[Entry], language: str | None, edition: PackEdition
    ) -> tuple[Sequence[Entry], str]:
        """The entries under ids of the edition, and why not where ids begin at 0 and no prompt tells more."""
        if not any(counts_from_zero(entry.id) and edition.id_of(entry.id) is None for entry in entries):
            return entries, ""
        raised = self._prompts(edition).raised(entries, language, edition)
        if raised is None:
            return entries, zero_fault(entries)
        what = "its ids begin at 0: each is raised by one, as the prompt beside every answer is that of the next id"
        self.remarks.append(FileChange(source.place, what))
        return raised, ""

    def _language(
        self,
        source: Source,
        levels: Sequence[NameParts],
        stated: StatedNames,
        entries: Sequence[Entry],
        edition: PackEdition,
    ) -> str | None:
        """The language of some answers of a file, where anything tells it."""
        if chosen := self._chosen_language(source):
            return edition.stated_language(chosen)
        told = edition.stated_language(stated.language) if stated.language else None
        told = told or next((level.language for level in reversed(levels) if level.language), None)
        if told is None and edition.needs_language:
            return _language_of_prompts(entries, edition, self.sets)
        return told

    def _chosen_language(self, source: Source) -> str | None:
        """What the team said of a file's language; None where it said nothing."""
        parts = (language for part, language in self.choices.languages.items() if part in source.place)
        return self.choices.places.get(source.place) or next(parts, None)

    def _note_kind(self, source: Source, level: NameParts, rows: Sequence[Row]) -> None:
        kinds = {row.kind for row in rows}
        if level.kind is not None and kinds and kinds != {level.kind} and kinds <= set(CULTURAL_KINDS):
            what = f"its name says {level.kind}, its ids are {' and '.join(sorted(kinds))}: the ids count"
            self.remarks.append(FileChange(source.place, what))

    def _run(self, label: str, parts: Sequence[_Part]) -> PlannedRun:
        run = PlannedRun(label, parts[0].edition)
        run.faults = _faults_of_files(parts)
        _take_metadata(run, parts)
        seen: dict[tuple[str, StatedNames, frozenset[str]], str] = {}
        contradicting: list[tuple[Row, Row]] = []
        for part in parts:
            content = part.source.sha256, part.stated, frozenset(row.language for row in part.rows)
            copied = seen.setdefault(content, part.source.place)
            if copied != part.source.place:
                run.changes.append(FileChange(part.source.place, f"left out: the same bytes as {copied}"))
                continue
            contradicting += _take_rows(run, part)
        if contradicting:
            run.faults.append(_contradiction(contradicting))
        used = {part.source.place for part in parts}
        run.changes += [change for change in dict.fromkeys(self.remarks) if change.place in used]
        run.faults += pack_edition(run.edition).faults_of(run.rows)
        # Every part of a run states the same run and model, or none.
        names, stated = run.names, parts[0].stated.names
        run.names = Names(**{name: getattr(names, name) or getattr(stated, name) for name in NAME_FIELDS})
        if run.names.run and run.names.run.isdecimal():
            of_files = _own_label(parts[0]) or parts[0].label.replace("/", "_")
            run.names = replace(run.names, run=f"{of_files or 'run'}-{run.names.run}")
        return run


def _faults_of_files(parts: Iterable[_Part]) -> list[str]:
    """The faults of the files of a run, one for all files that have the same."""
    places: dict[str, dict[str, None]] = defaultdict(dict)
    for part in parts:
        if part.fault:
            places[part.fault][part.source.place] = None
    return [
        f"{', '.join(list(of)[:3])}{f' and {len(of) - 3:,} files more' if len(of) > 3 else ''}: {fault}"
        for fault, of in places.items()
    ]


def _quoted_end(source: Source) -> str:
    """The end of its place, for a shell: its name, and which it is of several files of that name."""
    return shlex.quote(source.place.rpartition("/")[2])


def _with_count(faults: Sequence[str]) -> str:
    return faults[0] + (f" (and {len(faults) - 1:,} more)" if len(faults) > 1 else "")


def _labelled(metadata: Mapping[str, object]) -> Edition | None:
    """The edition whose label metadata state."""
    return next((known.edition for known in EDITIONS if known.label and known.label == metadata.get("label")), None)


def _joined(parts: Sequence[_Part], choices: Choices) -> list[tuple[str, list[_Part]]]:
    """The parts of each run under its label."""
    groups: dict[tuple[str, ...], list[_Part]] = defaultdict(list)
    for part in parts:
        groups[(part.edition,) if choices.is_one_run else _run_key(part)].append(part)
    if choices.is_one_run:
        return [("", group) for group in groups.values()]
    runs = [run for group in groups.values() for run in _told_apart(group)]
    for run in [run for run in runs if not run[0].metadata]:
        # An archive without metadata beside one that has them, both of one name.
        same = [other for other in runs if other[0].metadata and _alike(other) == _alike(run)]
        if len(same) == 1 and not _contradict(same[0], run):
            same[0].extend(run)
            runs.remove(run)
    return list(zip(_short_labels([_label(run) for run in runs]), runs, strict=True))


def _alike(run: Sequence[_Part]) -> set[tuple[Edition, str]]:
    return {(part.edition, part.label) for part in run}


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
    known = {prompt: answers for part in some for prompt, answers in part.answers()}
    return any(known.get(prompt, answers) != answers for part in others for prompt, answers in part.answers())


def _run_key(part: _Part) -> tuple[str, ...]:
    """What parts of one run have in common."""
    names = part.stated.names
    own = (part.edition, *(getattr(names, name) or "" for name in NAME_FIELDS))
    said = names_stated(part.metadata)
    if said.run is not None:
        # The name of the file counts too: one archive with one metadata file may hold several runs.
        label = "" if part.is_own_metadata else _own_label(part)
        return ("metadata", *(_bare(getattr(said, name) or "") for name in NAME_FIELDS), label, *own)
    return ("names", part.label.casefold(), *own)


def _own_label(part: _Part) -> str:
    words = pack_edition(part.edition).language_word
    return name_parts(part.source.name, words).label.casefold()


def _bare(name: str) -> str:
    """A name without language, kind and words about no run: `llama-specific` and `llama-unspecific` are one run."""
    return name_parts(name).label.casefold() or name.casefold()


def _label(parts: Sequence[_Part]) -> str:
    first = parts[0]
    said = names_stated(first.metadata).run
    of_file = "" if first.is_own_metadata else _own_label(first)
    stated = first.stated.names
    own = [stated.team, stated.system, stated.run, stated.model, said and (name_parts(said).label or said), of_file]
    return "/".join(dict.fromkeys(part for part in own if part)) if any(own[:5]) else first.label


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
            if not is_stated(value):
                continue
            kept = run.metadata.setdefault(key, value)
            if kept != value and key not in OF_A_FILE:
                what = f"{key} is stated otherwise in the metadata of another file of the run; the first was kept"
                run.changes.append(FileChange(part.source.place, what))
    run.changes = list(dict.fromkeys(run.changes))
    run.names = names_stated(run.metadata)


def _take_rows(run: PlannedRun, part: _Part) -> list[tuple[Row, Row]]:
    """Takes the answers of a file into the run, and returns those that contradict one that is there already.

    The same answer to the same prompt again is left out.
    """
    again, place = 0, part.source.place
    contradicting = []
    for row in part.rows:
        slot: Slot = (row.language, row.kind)
        rows = run.rows.setdefault(slot, {})
        known, placed = rows.get(row.key), replace(row, place=f"{place}:{row.place}")
        if known is None:
            rows[row.key] = placed
            if place not in (places := run.places.setdefault(slot, [])):
                places.append(place)
        elif known.answers == row.answers:
            again += 1
        else:
            contradicting.append((known, placed))
    if again:
        run.changes.append(FileChange(place, f"{again:,} answers left out that are in the run already, word for word"))
    return contradicting


def _contradiction(pairs: Sequence[tuple[Row, Row]]) -> str:
    """The fault of prompts that have two different answers, with their count and the first places."""
    (known, other), *more = pairs
    apart = [
        key
        for key, value in other.beside
        if all(dict(first.beside).get(key) not in (None, dict(second.beside).get(key)) for first, second in pairs)
    ]
    if apart:
        values = ", ".join(dict.fromkeys(dict(row.beside)[apart[0]] for pair in pairs for row in pair))
        what = f'they differ in {quoted(apart[0])} ({printable(values, 60)}): call that key "run" if each is a run'
    else:
        what = "name the files of one run only, or leave one out with --without"
    first = f"prompt {known.key} in {known.language} has two different answers, at {known.place} and at {other.place}"
    return f"{first} (and {len(more):,} prompts more): {what}" if more else f"{first}: {what}"


def _without_copies(runs: Sequence[PlannedRun]) -> list[PlannedRun]:
    """The runs without those that hold the very answers of an earlier one and state no other name."""
    kept: list[PlannedRun] = []
    for run in runs:
        same = next((other for other in kept if _answers(other) == _answers(run) and not run.faults), None)
        if same is None or (run.names.run or "") != (same.names.run or ""):
            kept.append(run)
            continue
        for places in run.places.values():
            same.changes += [
                FileChange(place, f"left out: the same answers as the run {quoted(same.label)}") for place in places
            ]
    return kept


def _answers(run: PlannedRun) -> tuple[Edition, dict[Slot, dict[str, tuple[str, ...]]]]:
    return run.edition, {slot: {key: row.answers for key, row in rows.items()} for slot, rows in run.rows.items()}


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
        if (run.edition, team, system, run_name) in met:
            apart = _run_name(f"{run_name}_{run.label}")
            run.changes.append(
                FileChange("", f"submissionid {quoted(run_name)} became {quoted(apart)}: another run has it")
            )
            run_name = apart
        met.add((run.edition, team, system, run_name))
        run.names = Names(team, system, model, run_name)


def _filled(text: str | None, run: str, model: str | None) -> str | None:
    return text.replace("{run}", run).replace("{model}", model or run) if text else None


def _run_name(label: str) -> str:
    """A label as a submissionid: letters, digits, _, dot and -."""
    return re.sub(r"[^\w.-]+", "-", label).strip("-")


def _language_of_prompts(entries: Sequence[Entry], edition: PackEdition, sets: PromptSets) -> str | None:
    """The language whose official prompts a file states, or in which its prompts clearly are."""
    asked = {edition.id_of(entry.id) or "": prompt for entry in entries if (prompt := entry.said[0].prompt)}
    asked = {key: prompt for key, prompt in asked.items() if prompt.strip()}
    same = Counter(
        language
        for release in edition.releases(sets)
        for language in _languages_of(release)
        for key, prompt in asked.items()
        if release.prompt(language, key) == prompt
    )
    if same:
        (language, count), *others = same.most_common(2)
        return language if not others or others[0][1] < count else None
    some = list(asked.values())[:: max(1, len(asked) // _PROMPTS_TO_TELL)][:_PROMPTS_TO_TELL]
    votes = Counter(vote for prompt in some if (vote := sure_language(prompt)) is not None)
    if votes and votes.most_common(1)[0][1] > sum(votes.values()) / 2:
        return edition.stated_language(votes.most_common(1)[0][0])
    return None


def _languages_of(release: Release) -> set[str]:
    return {language for language, _ in release.prompts}


def open_names(plan: PackingPlan) -> dict[str, list[str]]:
    """Name that runs lack -> labels of these runs."""
    labels_of: dict[str, list[str]] = defaultdict(list)
    for run in plan.runs:
        for name in pack_edition(run.edition).needs:
            if getattr(run.names, name) is None:
                labels_of[name].append(run.names.run or run.label)
    return dict(labels_of)
