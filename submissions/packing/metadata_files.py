"""Which metadata are those of a file of answers, where they lie in files of their own."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from submissions.formats.names import is_placeholder
from submissions.packing.naming import language_word, name_parts
from submissions.packing.shapes import FileShape, text_or_number
from submissions.packing.sources import READ_SUFFIXES, Source
from submissions.reading.quoting import printable, quoted
from submissions.schema import Names

_METADATA_KEYS = {"team": "team", "system": "system", "model": "model", "run": "submissionid"}
_OTHER_KEYS = {"team": "source", "run": "run"}
"""What editions call them otherwise."""
OF_A_FILE = frozenset({"language", "languages", "date"})
"""What metadata of the files of one run may state differently."""
_ABOUT_METADATA = frozenset({"metadata", "meta", "info", "config"})
"""Words of the names of metadata files that name no run."""
_WORDS = re.compile(r"[^\W_]+")
_NAMED = 3
"""Values named where metadata contradict each other."""


@dataclass(frozen=True, slots=True)
class MetadataFile:
    """One file of metadata without answers."""

    source: Source
    stated: Mapping[str, object]

    @property
    def content(self) -> str:
        """What it states of a run, without what files of one run may state differently, and without paths."""
        kept = {
            key: value
            for key, value in self.stated.items()
            if key not in OF_A_FILE and not any(map(_is_path, _texts(value)))
        }
        return json.dumps(kept, sort_keys=True, default=str)

    def matching_path_parts(self, place: str) -> int:
        """How many parts of a place, from its end, a path in it has; 0 where it names another file or none."""
        wanted = place.casefold().split("/")
        return max((_shared_end(_path_parts(text), wanted) for text in _texts(self.stated)), default=0)

    def fit_of_name(self, source: Source) -> int | None:
        """How well its name or its submissionid fits the name of a file; None where it does not."""
        own, its = name_parts(source.name, language_word), name_parts(self.source.name, language_word)
        both = ((own.language, its.language), (own.kind, its.kind))
        if any(mine and other and mine != other for mine, other in both):
            return None
        run = names_stated(self.stated).run
        of_run = _label_words(name_parts(run, language_word).label) if run else ()
        if _label_words(own.label) not in (_label_words(its.label), of_run or None):
            return None
        return sum(mine is not None and mine == other for mine, other in both)


class MetadataContradict(Exception):
    """Raised when several metadata may be those of a file and say different things; the text is for the team."""


@dataclass(slots=True)
class MetadataFiles:
    """Every metadata file of a delivery, by its folder or archive."""

    by_folder: dict[tuple[str, ...], list[MetadataFile]] = field(default_factory=lambda: defaultdict(list))
    _taken: set[str] = field(default_factory=set)

    @classmethod
    def of_shapes(cls, shapes: Iterable[tuple[Source, FileShape]]) -> MetadataFiles:
        """Collects the files that hold metadata and no answers."""
        files = cls()
        for source, shape in shapes:
            if shape.metadata is not None and not shape.entries:
                files.by_folder[source.folders].append(MetadataFile(source, shape.metadata))
        return files

    def of_file(self, source: Source) -> Mapping[str, object]:
        """Return the metadata of a file of answers; {} where there are none.

        The first of these that there is: metadata with a path to the file; those of its folder or archive, else of the
        one around it, whose name or submissionid is that of the file; those that name no run.

        Raises:
            MetadataContradict: when several are left and say different things.
        """
        candidates = self._naming(source) or self._nearest(source)
        if len({file.content for file in candidates}) > 1:
            raise MetadataContradict(_contradiction(candidates))
        self._taken.update(file.source.place for file in candidates)
        return candidates[0].stated if candidates else {}

    def untaken(self) -> Iterator[Source]:
        """Metadata files that no file of answers took."""
        for files in self.by_folder.values():
            yield from (file.source for file in files if file.source.place not in self._taken)

    def _naming(self, source: Source) -> list[MetadataFile]:
        """The metadata with a path that ends as the place of the file does, of all folders."""
        shared = [(file.matching_path_parts(source.place), file) for files in self.by_folder.values() for file in files]
        most = max((number for number, _ in shared), default=0)
        return [file for number, file in shared if number == most] if most else []

    def _nearest(self, source: Source) -> list[MetadataFile]:
        folders = (source.folders[:end] for end in range(len(source.folders), -1, -1))
        files = next((self.by_folder[folder] for folder in folders if folder in self.by_folder), [])
        if len(files) < 2:
            return files
        fits = [(fit, file) for file in files if (fit := file.fit_of_name(source)) is not None]
        best = max((fit for fit, _ in fits), default=0)
        general = [file for file in files if not _label_words(name_parts(file.source.name, language_word).label)]
        return [file for fit, file in fits if fit == best] or general or files


def names_stated(metadata: Mapping[str, object]) -> Names:
    """Return the names that metadata state; those of the template are none."""

    def name(key: str) -> str | None:
        value = metadata.get(key)
        return text_or_number(value) if key in ("submissionid", "run") or isinstance(value, str) else None

    return Names(**{of: name(key) or name(_OTHER_KEYS.get(of, key)) for of, key in _METADATA_KEYS.items()})


def is_stated(value: object) -> bool:
    """Return whether metadata say something under a key, and not what the template says."""
    return value is not None and not (isinstance(value, str) and is_placeholder(value))


def _contradiction(files: Sequence[MetadataFile]) -> str:
    """Says in what the metadata differ, and what to do."""
    first, *others = (file.stated for file in files)
    keys = sorted(
        {key for key in first.keys() | others[0].keys() for other in others if other.get(key) != first.get(key)}
    )
    keys = [key for key in keys if key not in OF_A_FILE]
    values = ""
    if keys:
        key = next((key for key in ("system", "submissionid", "model", "team") if key in keys), keys[0])
        shown = list(dict.fromkeys(printable(str(file.stated.get(key)), 40) for file in files))
        values = f" ({quoted(key)}: {', '.join(shown[:_NAMED])}{', ...' if len(shown) > _NAMED else ''})"
    names = ", ".join(file.source.name for file in files[:_NAMED]) + (", ..." if len(files) > _NAMED else "")
    return (
        f"{len(files)} metadata files contradict each other{values}: {names}; nothing says which of them is of this "
        'file: name the file in its metadata ("output_path"), or put each run into a folder of its own'
    )


def _texts(value: object) -> Iterator[str]:
    """The texts of a value, two levels deep."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else (value,)
    for member in inner:
        if isinstance(member, str):
            yield member
        elif isinstance(member, (list, dict)) and member is not value:
            yield from (
                text for text in (member.values() if isinstance(member, dict) else member) if isinstance(text, str)
            )


def _is_path(text: str) -> bool:
    """Whether a text is the path of a file that may hold answers."""
    return text.strip().casefold().endswith(READ_SUFFIXES) and len(text) < 1_000


def _path_parts(text: str) -> list[str]:
    return text.strip().casefold().replace("\\", "/").split("/") if _is_path(text) else []


def _shared_end(parts: Sequence[str], others: Sequence[str]) -> int:
    """How many parts two paths share from their ends."""
    count = 0
    for mine, other in zip(reversed(parts), reversed(others), strict=False):
        if mine != other:
            break
        count += 1
    return count


def _label_words(label: str) -> tuple[str, ...]:
    """The words of a label that name a run: `variant_rewrite` and `metadata variant-rewrite` are the same."""
    return tuple(word for word in _WORDS.findall(label.casefold()) if word not in _ABOUT_METADATA)
