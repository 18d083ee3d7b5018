"""The 2026 format: a zip with the metadata and two files of rows per language (docs/submit.md#the-format-of-2026).

The members are read one after the other, and a row is let go as soon as the guards have looked at it, unless rows are
to be kept: what a zip of 32 MiB holds, 256 MiB of text, need not be in memory.
"""

from __future__ import annotations

import io
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from submissions.findings import Findings, ProblemTally
from submissions.formats.eloquent.coverage import CULTURAL_MIN_LANGUAGES, cultural_coverage
from submissions.formats.eloquent.cultural_entry import CulturalEntry
from submissions.formats.eloquent.cultural_metadata import (
    METADATA_FILE,
    CulturalMetadata,
    cultural_language,
    given_metadata,
    metadata_place,
    no_metadata,
    read_metadata,
)
from submissions.formats.eloquent.cultural_rows import CulturalFile, CulturalRow, CulturalRows
from submissions.formats.eloquent.guards import Watch, flagged, prompts_of
from submissions.formats.eloquent.prompt_releases import ReleaseComparison
from submissions.formats.eloquent.result import AnswersDigest, CulturalReading, Slot, slot_of
from submissions.formats.eloquent.wording import MARKS as SHARED
from submissions.formats.eloquent.wording import report_empty, report_marks
from submissions.formats.file_kind import Upload
from submissions.formats.preview import FIRST_ROWS
from submissions.problems import Severity
from submissions.promptsets import PromptSets
from submissions.promptsets.cultural import (
    CULTURAL_KINDS,
    CULTURAL_LANGUAGES,
    DEMONSTRATION_2026,
    ELOQUENT_2026,
    CulturalKind,
    Place,
    cultural_places,
)
from submissions.promptsets.releases import release_of
from submissions.reading.limits import Limits
from submissions.reading.quoting import quoted
from submissions.reading.zip_members import Member, ZipMembers
from submissions.schema import Flag, Names, PromptSet, Response, ResponseSet, Submission

MARKS = {
    **SHARED,
    "id_normalised": (
        "ids in {mark.language} were read in the form of the prompt files: {mark.detail} ({times})",
        'Write ids as texts, like "7" or "7-3"; pandas keeps them with dtype=str.',
    ),
    "junk_file": (
        "files of the operating system were left aside, first {mark.detail} ({times})",
        "Nothing to do; on a Mac, zip -X without __MACOSX leaves them out.",
    ),
}
"""Code of a warning told once -> message with its `mark` and how many `times` it was met, and hint."""


_FILE_NAME = re.compile(r"([A-Za-z]{2,3}(?:-[A-Za-z]{2})?)_(unspecific|specific)(_?)\.jsonl", re.IGNORECASE)
_OLD_NAME = re.compile(
    r"[A-Za-z]+_(?:diversity|robustness)_responses\.jsonl|response_[a-z]{2}_\w+\.jsonl?", re.IGNORECASE
)

_HEAD_BYTES = 64 * 1024
"""Of a file, within which its first id is looked for."""

_NAMED_IDS = 8
"""Absent prompts that are named by their ids."""


def read_2026(data: bytes, upload: Upload, findings: Findings) -> CulturalReading:
    """Reads one 2026 zip.

    Args:
        data: The zip as uploaded.
        upload: What else is known. Prompts in the files are compared with the official ones, as many as are at hand.
        findings: Takes every fault.

    Returns:
        The submission, if everything could be read. Never raises on the content.
    """
    members = ZipMembers(data, findings, upload.limits)
    return _Reader(
        members,
        findings,
        upload.file_sha256,
        upload.names,
        upload.prompt_sets,
        upload.limits,
        upload.keep_rows,
    ).read()


@dataclass(slots=True)
class _Reader:
    """State of one reading; the methods follow the zip from the outside in."""

    members: ZipMembers
    findings: Findings
    file_sha256: str
    given: Names
    prompt_sets: PromptSets
    limits: Limits
    keep_rows: bool
    set_id: str = ELOQUENT_2026
    """Whose ids the rows have: the first row says."""
    prompts: PromptSet = field(init=False)
    comparison: ReleaseComparison = field(init=False)
    official: Mapping[tuple[str, int, str], str | None] = field(init=False)
    """The prompts of the set by place, made once for all files of a zip."""
    tally: ProblemTally = field(default_factory=ProblemTally)
    watch: Watch = field(default_factory=Watch)
    places: dict[Slot, str] = field(default_factory=dict)
    answered: Counter[tuple[CulturalKind, str]] = field(default_factory=Counter)
    present: dict[tuple[CulturalKind, str], CulturalFile] = field(default_factory=dict)
    """Kind and language -> its file."""
    ids: dict[tuple[CulturalKind, str], set[str]] = field(default_factory=dict)
    """Kind and language -> ids of the rows, of files that could be read as such."""
    n_read: int = 0
    first: list[Response] = field(default_factory=list)
    skipped: list[Response] = field(default_factory=list)
    """The first blank response, for its place."""
    n_skipped: int = 0
    kept: dict[str, list[Response]] = field(default_factory=lambda: defaultdict(list))
    is_complete: bool = True
    digest: AnswersDigest = field(default_factory=AnswersDigest)

    def __post_init__(self) -> None:
        self._answers_to(ELOQUENT_2026)

    def _answers_to(self, set_id: str) -> None:
        """The set that the rows are held against."""
        self.set_id, self.prompts = set_id, self.prompt_sets.by_id(set_id)
        is_ours = set_id == DEMONSTRATION_2026
        releases = (release_of(self.prompts.title, self.prompts),) if is_ours else self.prompt_sets.releases_2026
        self.comparison = ReleaseComparison(releases)
        self.official = prompts_of(self.prompts)

    def read(self) -> CulturalReading:
        files, metadata_member = self._files()
        metadata = self._metadata(metadata_member)
        for file, member in files:
            self._read_file(file, member)
        self._report_prompts()
        languages = self._languages(metadata)
        self._check_files(languages, metadata)
        self._check_emptiness()
        if not (self.prompts.has_prompts or self.prompts.is_hidden) and self.present:
            self._note_set_unavailable()
        flags = self.watch.flags(self.places, self.findings)
        report_marks(self.tally, MARKS, self.findings)
        is_complete = self.is_complete and self.members.is_complete and metadata.is_complete
        submission = self._submission(metadata, flags) if is_complete and self.keep_rows else None
        entry = self._entry(metadata, languages, flags) if is_complete else None
        coverage = cultural_coverage(languages, self.answered, self.set_id) if languages else None
        return CulturalReading(metadata.header.names, submission, coverage, self.digest.value(), entry)

    # The members of the zip

    def _files(self) -> tuple[list[tuple[CulturalFile, Member]], Member | None]:
        """The files of rows and the metadata; everything else is left aside, and told."""
        files: list[tuple[CulturalFile, Member]] = []
        metadata = None
        folders = []
        for member in self.members:
            if member.is_junk:
                self.tally.note("junk_file", lambda: "$", detail=quoted(member.name, 60))
                continue
            is_metadata = member.name.casefold() == METADATA_FILE
            file = None if is_metadata else cultural_file(member)
            if not is_metadata and file is None:
                self._note_left_aside(member)
                continue
            if is_metadata and metadata is None:
                metadata = member
                if member.name != METADATA_FILE:
                    self._note_file_name(member, f"was read as {METADATA_FILE}", "Write the name in small letters.")
            elif file and (file.kind, file.language) not in self.present:
                self.present[file.kind, file.language] = file
                files.append((file, member))
                self._note_name(member, file)
            else:
                self._report_duplicate(member, file)
                continue
            if member.folder:
                folders.append(member.folder)
        if folders:
            self._note_folder(folders)
        return files, metadata

    def _note_name(self, member: Member, file: CulturalFile) -> None:
        """Tells where the name of a file is not the official one."""
        stated = member.name.partition("_")[0]
        if stated != file.language:
            self.tally.note(
                "language_alias",
                lambda: member.name,
                group=file.language,
                detail=f"{quoted(stated, 20)} as {file.language}",
                language=file.language,
            )
        official = f"{file.language}_{file.kind}.jsonl"
        if member.name != f"{stated}_{file.kind}.jsonl":
            what, hint = f"was read as {official}", f"The official name is {official}."
            self._note_file_name(member, what, hint, language=file.language)

    def _note_left_aside(self, member: Member) -> None:
        hint = "Nothing to do: it is not needed."
        if member.name.casefold().endswith((".json", ".jsonl", ".ndjson")):
            hint = (
                "Keep it if it holds answers: `python -m submissions pack FILE` reads files of any name and writes "
                "them as submission_metadata.json, xx_unspecific.jsonl and xx_specific.jsonl per language."
            )
        if _OLD_NAME.fullmatch(member.name):
            hint = (
                "This is a name of before 27 January 2026: diversity files are now xx_unspecific.jsonl, robustness "
                'files xx_specific.jsonl, with rows {"id", "prompt", "answer"}.'
            )
        elif member.name.casefold().endswith(".zip"):
            hint = "A zip inside the zip is not opened here: `python -m submissions pack FILE` opens it."
        self._note_file_name(member, "is none of the format's files; it was left aside", hint)

    def _note_file_name(self, member: Member, what: str, hint: str, *, language: str | None = None) -> None:
        self.findings.add("file_name", member.name, f"the file {quoted(member.name)} {what}", hint, language=language)

    def _note_folder(self, folders: list[str]) -> None:
        self.findings.add(
            "nested_folder",
            "$",
            f"{len(folders)} files stand in a folder inside of the zip ({quoted(folders[0], 60)}); they were read",
            "Pack the files themselves, not the folder around them.",
        )

    def _report_duplicate(self, member: Member, file: CulturalFile | None) -> None:
        self.is_complete = False
        what = f"a second file of {file.kind} answers in {file.language}" if file else "a second file of metadata"
        self.findings.add(
            "zip_duplicate_entry",
            member.name,
            f"the zip holds {what}, {quoted(member.name)}; only the first was read",
            "Keep the one that is meant. `python -m submissions pack FILE` drops copies and tells several runs apart.",
            language=file.language if file else None,
        )

    # Metadata

    def _metadata(self, member: Member | None) -> CulturalMetadata:
        if member is None:
            if self.members.is_complete or self.present:
                self._report_no_metadata()
            return given_metadata(self.given, self.findings, self.limits)
        data = self.members.read(member, self.limits.metadata_bytes)
        return no_metadata(self.given) if data is None else read_metadata(data, self.given, self.findings, self.limits)

    def _report_no_metadata(self) -> None:
        hint = (
            "Add it, or give team, system, model and run in the form or as options; `python -m submissions pack FILE` "
            "writes it for you."
        )
        severity: Severity = "warning" if self.given.team else "error"
        said = "; the names are those given with it" if self.given.team else ", and no team is given with it"
        message = f"the zip has no {METADATA_FILE}{said}"
        self.findings.add("metadata_missing", METADATA_FILE, message, hint, severity=severity)

    def _languages(self, metadata: CulturalMetadata) -> tuple[str, ...]:
        """Listed or present, in the order of the official list."""
        used = {*metadata.languages, *(language for _, language in self.present)}
        return tuple(language for language in CULTURAL_LANGUAGES if language in used)

    # Rows

    def _read_file(self, file: CulturalFile, member: Member) -> None:
        data = self.members.read(member, self.limits.zip_entry_bytes)
        if data is None:
            return
        if not self.n_read and _is_of_demonstration(data):
            self._answers_to(DEMONSTRATION_2026)
        rows = CulturalRows(
            io.BytesIO(data), file, self.findings, self.tally, self.limits, self.official, self.comparison, self.set_id
        )
        # The stream shares the bytes; here they are not needed a second time.
        del data
        for row in rows:
            self._take(row)
        if rows.ids:
            self.ids[file.kind, file.language] = rows.ids
        self.is_complete = self.is_complete and rows.is_complete

    def _take(self, row: CulturalRow) -> None:
        response = row.response
        self.n_read += 1
        self.places[slot_of(response)] = row.place
        self.watch.look(response, self.official.get((response.item_id, response.variant, response.language)))
        if response.is_blank:
            self.n_skipped += 1
            self.skipped = self.skipped or [response]
        else:
            self.answered[row.kind, response.language] += 1
            self.digest.add(response)
            if len(self.first) < FIRST_ROWS:
                self.first.append(response)
        if self.keep_rows:
            self.kept[response.item_id].append(response)

    # What the files say together

    def _report_prompts(self) -> None:
        for language in self.comparison.languages:
            nearest = self.comparison.nearest(language)
            if nearest is None or not nearest.n_differing:
                continue
            first = nearest.differing[0]
            total = nearest.same + nearest.n_differing
            whose = "the official ones" if self.set_id == ELOQUENT_2026 else "those of the demonstration set"
            self.findings.add(
                "prompt_mismatch",
                first.place,
                f"{nearest.n_differing:,} of {total:,} prompts in {language} are not {whose} of their ids; "
                f"nearest is {nearest.release.name}: {nearest.words()}",
                "Nothing to do where you changed the prompts on purpose. Otherwise check that the file holds this "
                "language, and from which release its prompts are.",
                item=first.item_id,
                variant=self._places("specific" if "-" in first.item_id else "unspecific")[first.item_id][1],
                language=language,
            )

    def _check_files(self, languages: tuple[str, ...], metadata: CulturalMetadata) -> None:
        if not languages:
            self._report_no_files()
        for language in languages:
            kinds = [kind for kind in CULTURAL_KINDS if (kind, language) in self.present]
            if not kinds:
                self._report_file_missing(language, metadata.places[language])
                continue
            if len(kinds) == 1:
                self._note_kind_missing(language, kinds[0])
            if metadata.languages and language not in metadata.languages:
                self._note_unlisted(language, self.present[kinds[0], language])
            self._note_missing_items(language, kinds)
        if languages and len(languages) < CULTURAL_MIN_LANGUAGES:
            self.findings.add(
                "too_few_languages",
                metadata_place(("languages",)),
                f"the run has {len(languages)} of the {CULTURAL_MIN_LANGUAGES} languages a rank needs",
                "It is accepted as partial, and not ranked; add languages if you can.",
            )

    def _report_no_files(self) -> None:
        self.is_complete = False
        if self.members.is_complete:
            self.findings.add(
                "items_missing",
                "$",
                "the zip holds no answers: there is no xx_unspecific.jsonl and no xx_specific.jsonl of any language",
                "Add the files of at least one language; the template has the form.",
            )

    def _report_file_missing(self, language: str, place: str) -> None:
        self.is_complete = False
        self.findings.add(
            "file_missing",
            place,
            f"{language} is listed, but the zip has neither {language}_unspecific.jsonl nor {language}_specific.jsonl",
            f"Add its files under these names, or take {language} off the list.",
            language=language,
        )

    def _note_kind_missing(self, language: str, present: CulturalKind) -> None:
        absent = next(kind for kind in CULTURAL_KINDS if kind != present)
        self.findings.add(
            "kind_missing",
            f"{language}_{absent}.jsonl",
            f"{language} has no {absent} answers",
            "The run is accepted as partial, and not ranked; add the file if you can.",
            language=language,
        )

    def _note_unlisted(self, language: str, file: CulturalFile) -> None:
        self.findings.add(
            "language_unlisted",
            file.name,
            f"{language} is answered, but not listed in {METADATA_FILE}; it counts",
            'Add it to "languages".',
            language=language,
        )

    def _note_missing_items(self, language: str, kinds: list[CulturalKind]) -> None:
        missing = {
            kind: [item_id for item_id in self._places(kind) if item_id not in self.ids[kind, language]]
            for kind in kinds
            if (kind, language) in self.ids
        }
        first = next((kind for kind, ids in missing.items() if ids), None)
        if first is None:
            return
        gaps = [
            f"{len(ids):,} of {len(self._places(kind)):,} {kind} ({_named(ids)})"
            for kind, ids in missing.items()
            if ids
        ]
        absent = [item_id for ids in missing.values() for item_id in ids]
        nearest = self.comparison.nearest(language)
        hint = "They count as not answered: the run is partial. Add them if you can."
        if nearest and not any(nearest.release.prompt(language, item_id) for item_id in absent):
            hint = (
                f"Nothing to do: {nearest.release.name} of the prompts does not have these. They count as not answered."
            )
        self.findings.add(
            "missing_items",
            self.present[first, language].name,
            f"answers in {language} are absent: {' and '.join(gaps)}",
            hint,
            language=language,
        )

    def _check_emptiness(self) -> None:
        if not self.skipped:
            return
        first, is_whole = self.skipped[0], self.is_complete and self.members.is_complete
        place = self.places[slot_of(first)]
        report_empty(
            first, place, self.n_skipped, self.n_read, self.findings, noun="answers", root="$", is_whole=is_whole
        )

    def _note_set_unavailable(self) -> None:
        self.findings.add(
            "set_unavailable",
            "$",
            "no official prompts of 2026 are at hand: prompts in the files were not compared with them, and no run is "
            "ranked here",
            "Set PLUMBLINE_ELOQUENT_DIR to a folder with xx_unspecific.jsonl and xx_specific.jsonl to compare them.",
        )

    # The submission

    def _submission(self, metadata: CulturalMetadata, flags: Mapping[Slot, frozenset[Flag]]) -> Submission:
        order = {language: place for place, language in enumerate(CULTURAL_LANGUAGES)}
        items = []
        for kind in CULTURAL_KINDS:
            for item_id in self._places(kind):
                if responses := self.kept.get(item_id):
                    in_order = sorted(responses, key=lambda response: order[response.language])
                    items.append(ResponseSet(item_id, tuple(in_order)))
        submission = Submission(
            edition="2026",
            set_id=self.set_id,
            names=metadata.header.names,
            date=metadata.header.date,
            notes=metadata.notes,
            modifications=metadata.modifications,
            file_sha256=self.file_sha256,
            items=tuple(items),
        )
        return flagged(submission, flags)

    def _entry(
        self, metadata: CulturalMetadata, languages: tuple[str, ...], flags: Mapping[Slot, frozenset[Flag]]
    ) -> CulturalEntry:
        first = tuple(replace(response, flags=flags.get(slot_of(response), frozenset())) for response in self.first)
        counts = Counter(flag for own_flags in flags.values() for flag in own_flags)
        flagged_counts = dict(sorted(counts.items()))
        return CulturalEntry(metadata.header.names, self.file_sha256, languages, first, flagged_counts, self.set_id)

    def _places(self, kind: CulturalKind) -> Mapping[str, Place]:
        return cultural_places(kind, self.set_id)


_FIRST_ID = re.compile(rb'"id"\s*+:\s*+(?:"\s*+)?([0-9]{1,6})')


def _is_of_demonstration(data: bytes) -> bool:
    """Does the first row of a file have an id of the demonstration set?"""
    match = _FIRST_ID.search(data, 0, _HEAD_BYTES)
    return match is not None and match[1].decode() in cultural_places("unspecific", DEMONSTRATION_2026)


def _named(ids: Sequence[str]) -> str:
    """The first few ids, and how many more there are."""
    shown = ", ".join(ids[:_NAMED_IDS])
    return f"{shown} and {len(ids) - _NAMED_IDS:,} more" if len(ids) > _NAMED_IDS else shown


def cultural_file(member: Member) -> CulturalFile | None:
    """The file of rows a member is by its name; None of any other name."""
    match = _FILE_NAME.fullmatch(member.name)
    language = cultural_language(match[1]) if match else None
    if match is None or language is None:
        return None
    kind: CulturalKind = "unspecific" if match[2].casefold() == "unspecific" else "specific"
    return CulturalFile(member.name, kind, language)


def names_2026_files(data: bytes) -> bool:
    """Whether an archive names metadata or .jsonl files; the names stand in it as plain bytes, nothing is unpacked."""
    return METADATA_FILE.encode() in data or b".jsonl" in data
