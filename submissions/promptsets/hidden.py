"""Hidden prompts: fetched or read on the server, used to check and score files, and never shown (docs/seasons.md)."""

from __future__ import annotations

import os
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path
from typing import Any

from submissions.promptsets.cultural import ELOQUENT_2025, ELOQUENT_2026, cultural_file_names
from submissions.promptsets.questions import QUESTION_FILES
from submissions.promptsets.set_file import OFFICIAL_2024_FILE, PromptSetError
from submissions.promptsets.shape import ELOQUENT_2024
from submissions.reading.look_alikes import prototypes
from submissions.reading.normal_forms import normal_form
from submissions.schema import PromptSet

TABLE = "hidden_prompts"
"""Of a season's file."""
HIDING = (ELOQUENT_2024, ELOQUENT_2025, ELOQUENT_2026)
"""Sets whose prompts may be hidden; the demonstration set is shipped with Plumbline."""
KEYS = ("folder", "repo", "revision")
WITHHELD = "[hidden prompt]"
"""What stands in the place of a prompt that a judge repeats."""
FEWEST_WORDS = 4
"""Shorter prompts cannot be told from what anybody may write, and are not looked for."""

_UNSEEN = (
    "\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890-\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U00016fe4"
    "\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""What is not drawn within a word: Default_Ignorable_Code_Point and the category Cf of Unicode 16
(DerivedCoreProperties.txt, UnicodeData.txt), and three fillers that are blank in fonts."""
_MARKS = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
"""Marks of no script in particular, which may stand on any letter (the five blocks of combining marks)."""
_WORD = re.compile(r"\w+")
_DRESSED_WORD = re.compile(rf"[\w{_UNSEEN}{_MARKS}]+")
_DRESS = re.compile(f"[{_UNSEEN}{_MARKS}]+")
_UNDRAWN = re.compile(f"[{_UNSEEN}]")

Index = Mapping[tuple[str, ...], Sequence[tuple[str, tuple[str, ...]]]]
"""First words -> name and all words of the prompts that begin so, the longest first."""
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_COMMIT = re.compile(r"[0-9a-f]{40}")
_REPO = re.compile(r"[\w.-]{1,96}/[\w.-]{1,96}")


@dataclass(frozen=True, slots=True)
class HiddenSource:
    """Where the hidden prompts of a set are."""

    set_id: str
    folder: Path | None = None
    """On the server; None = in a repository."""
    repo: str = ""
    """A private dataset of the Hub."""
    revision: str = ""
    """Its commit."""


def source_faults(table: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """What is wrong with a season's `[hidden_prompts]`: key, what was found, what was expected."""
    faults = [(key, "a key that it does not have", f"one of {', '.join(KEYS)}") for key in table if key not in KEYS]
    is_folder, is_repo = (key in table for key in ("folder", "repo"))
    if is_folder == is_repo:
        faults.append(("", "both folder and repo" if is_folder else "neither folder nor repo", "one of the two"))
    if is_folder and not (isinstance(table["folder"], str) and os.path.isabs(table["folder"])):
        faults.append(("folder", "what is no absolute path", 'the path of a folder of the server, like "/srv/hidden"'))
    if is_repo and not (isinstance(table["repo"], str) and _REPO.fullmatch(table["repo"])):
        faults.append(("repo", "what is no name of a dataset", 'one like "organisation/hidden-prompts"'))
    revision = table.get("revision")
    if is_repo and not (isinstance(revision, str) and _COMMIT.fullmatch(revision)):
        faults.append(("revision", "what is no commit", "the 40 hexadecimal digits of one, so that nothing changes"))
    if is_folder and revision is not None:
        faults.append(("revision", "a commit", "none: a folder has no commits"))
    return faults


def hidden_sources(seasons: Path) -> dict[str, HiddenSource]:
    """Set -> where its hidden prompts are, by the files of a folder's seasons.

    Files with a fault are passed over here: reading the seasons names it.
    """
    sources: dict[str, HiddenSource] = {}
    for path in sorted(seasons.glob("*.toml")):
        try:
            document = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        table, set_id = document.get(TABLE), document.get("set")
        if isinstance(table, dict) and set_id in HIDING and not source_faults(table):
            folder = Path(table["folder"]) if "folder" in table else None
            sources[set_id] = HiddenSource(set_id, folder, table.get("repo", ""), table.get("revision", ""))
    return sources


def files_of(set_id: str, names: Sequence[str]) -> list[str]:
    """Those of a repository's files that hold prompts of a set: JSON and JSON Lines, in whatever folder.

    >>> files_of("eloquent-2024", ["README.md", "data/task3.test.json", "run.py"])
    ['data/task3.test.json']
    """
    if set_id == ELOQUENT_2024:
        return [name for name in names if name.rpartition("/")[2] == OFFICIAL_2024_FILE]
    if set_id == ELOQUENT_2025:
        return [name for name in names if fnmatch(name.rpartition("/")[2], QUESTION_FILES)]
    return [name for name in names if name.rpartition("/")[2] in cultural_file_names()]


def hidden_folder(source: HiddenSource, kept: Path, token: str) -> Path:
    """The folder with the hidden prompts of a set; those of a repository are fetched once, with the Space's token.

    Args:
        kept: Folder of the data folder for what is fetched; nobody else on the machine may read it.

    Raises:
        PromptSetError: when they are not there or cannot be fetched. Nothing is ever used in their place.
    """
    if source.folder is not None:
        if not source.folder.is_dir():
            raise PromptSetError(f"{source.folder}: no such folder; a season of {source.set_id} names it")
        return source.folder
    folder = kept / source.set_id / source.revision
    if folder.is_dir():
        return folder
    if not token:
        raise PromptSetError(f"the hidden prompts of {source.set_id} are in {source.repo}: set HF_TOKEN to read it")
    _fetch(source, folder, token)
    return folder


def _fetch(source: HiddenSource, folder: Path, token: str) -> None:
    import tempfile

    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError

    place = f"{source.repo} at {source.revision[:12]}"
    folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    api = HfApi(token=token)
    try:
        listed = api.list_repo_files(source.repo, repo_type="dataset", revision=source.revision)
        wanted = files_of(source.set_id, listed)
        if not wanted:
            raise PromptSetError(f"{place}: no file with prompts of {source.set_id} is there")
        with tempfile.TemporaryDirectory(dir=folder.parent) as incoming:
            whole = Path(incoming) / "whole"
            whole.mkdir(mode=0o700)
            for name in wanted:
                fetched = api.hf_hub_download(
                    source.repo, name, repo_type="dataset", revision=source.revision, local_dir=Path(incoming) / "raw"
                )
                os.replace(fetched, whole / name.rpartition("/")[2])
            whole.rename(folder)
    except HfHubHTTPError as error:
        status = getattr(error.response, "status_code", "none")
        raise PromptSetError(f"{place}: the Hub answered with status {status}; can HF_TOKEN read it?") from None
    except (OSError, ValueError, RuntimeError) as error:
        raise PromptSetError(f"{place}: could not be fetched ({type(error).__name__})") from None


def hidden(prompt_set: PromptSet) -> PromptSet:
    """A set whose prompts are never shown."""
    version = f"{prompt_set.edition} prompts, hidden; sha256 {prompt_set.sha256}"
    return replace(prompt_set, is_hidden=True, version=version)


def without_texts(prompt_set: PromptSet) -> PromptSet:
    """A set as it may be shown: of a hidden one ids, variants and languages of 2024, nothing of the others."""
    if not prompt_set.is_hidden:
        return prompt_set
    if prompt_set.set_id != ELOQUENT_2024:
        return replace(prompt_set, items=())
    bare = tuple(
        replace(item, variants=tuple(replace(variant, prompt=None) for variant in item.variants))
        for item in prompt_set.items
    )
    return replace(prompt_set, items=bare)


@dataclass(frozen=True)
class HiddenTexts:
    """Finds hidden prompts in texts, whatever stands between their words.

    >>> rice = HiddenTexts((("12", "en", "How do I boil rice?"),))
    >>> rice.found('say: "how do I  BOIL, rice" - in water')
    ['12 en']
    >>> rice.withheld("You ask how do I boil rice? In water.")
    'You ask [hidden prompt]? In water.'
    """

    prompts: tuple[tuple[str, str, str], ...]
    """Id, language and text of each."""

    @classmethod
    def of(cls, prompt_sets: Sequence[PromptSet]) -> HiddenTexts:
        """The prompts of those sets that are hidden."""
        return cls(
            tuple(
                (item.id, variant.language, variant.prompt)
                for prompt_set in prompt_sets
                if prompt_set.is_hidden
                for item in prompt_set.items
                for variant in item.variants
                if variant.prompt is not None
            )
        )

    def found(self, text: str) -> list[str]:
        """Ids and languages of the prompts that a text repeats, each once."""
        if not self.prompts:
            return []
        # A sign that is not drawn may stand within a word, and in the place of a blank.
        texts = [text, _UNDRAWN.sub(" ", text)] if _UNDRAWN.search(text) else [text]
        names = (
            name for way in texts for name, _, _ in _repeated([(word, 0, 0) for word in _words_of(way)], self._by_start)
        )
        return list(dict.fromkeys(names))

    def withheld(self, text: str) -> str:
        """The text with other words in the place of every prompt; as it is where it has none."""
        if not self.prompts:
            return text
        given, text = text, normal_form("NFC", text)
        parts: list[str] = []
        after = 0
        for _, start, end in self._places(text):
            if start >= after:
                parts += [text[after:start], WITHHELD]
                after = end
        return "".join((*parts, text[after:])) if parts else given

    @cached_property
    def _by_start(self) -> Index:
        return _index((f"{item_id} {language}", _words_of(prompt)) for item_id, language, prompt in self.prompts)

    @cached_property
    def _by_placed_start(self) -> Index:
        """As `_by_start`, of words that were compared one by one: places are known, at six times the cost."""
        named = ((f"{item_id} {language}", prompt) for item_id, language, prompt in self.prompts)
        return _index((name, [word for word, _, _ in _placed_words(_DRESSED_WORD, prompt)]) for name, prompt in named)

    def _places(self, text: str) -> list[tuple[str, int, int]]:
        """Name, start and end of every prompt in a text, by start."""
        ways = (_DRESSED_WORD, _WORD) if _UNDRAWN.search(text) else (_DRESSED_WORD,)
        places = {place for way in ways for place in _repeated(list(_placed_words(way, text)), self._by_placed_start)}
        return sorted(places, key=lambda place: place[1])


NO_HIDDEN_TEXTS = HiddenTexts(())


def unescaped(text: str) -> str:
    r"""What a JSON text says, its strings read and its structure left: enough to look for words in it.

    >>> unescaped('{"a": "na\\u00efve\\nidea"}')
    '{"a": "naïve\nidea"}'
    """

    def said(escape: re.Match[str]) -> str:
        signs = escape[1]
        if len(signs) == 5:
            return chr(int(signs[1:], 16))
        return {"n": "\n", "t": "\t", "r": "\r", "b": " ", "f": " "}.get(signs, signs)

    joined = _ESCAPE.sub(said, text)
    # Two escapes may stand for one sign beyond the first plane.
    return joined.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _index(prompts: Iterable[tuple[str, Sequence[str]]]) -> Index:
    index: defaultdict[tuple[str, ...], list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
    for name, words in prompts:
        if len(words) >= FEWEST_WORDS:
            index[tuple(words[:FEWEST_WORDS])].append((name, tuple(words)))
    return {start: sorted(own, key=lambda named: -len(named[1])) for start, own in index.items()}


def _repeated(words: Sequence[tuple[str, int, int]], index: Index) -> Iterator[tuple[str, int, int]]:
    """Name, start and end of every prompt among words with their starts and ends."""
    said = tuple(word for word, _, _ in words)
    for place in range(len(said) - FEWEST_WORDS + 1):
        for name, prompt in index.get(said[place : place + FEWEST_WORDS], ()):
            last = place + len(prompt)
            if said[place:last] == prompt:
                yield name, words[place][1], words[last - 1][2]


def _words_of(text: str) -> list[str]:
    return _WORD.findall(_comparable(text))


def _placed_words(way: re.Pattern[str], text: str) -> Iterator[tuple[str, int, int]]:
    """Every word as it is compared, its start and its end."""
    for match in way.finditer(text):
        if word := _comparable(match[0]):
            yield word, match.start(), match.end()


def _comparable(text: str) -> str:
    """Equal for texts that look alike, whatever their case and what is put on or between their letters.

    >>> _comparable("r\u0456\u00adce") == _comparable("R\u00cdCE")  # a Cyrillic letter and a soft hyphen in the first
    True
    """
    # Letters are looked at twice: capitals are like others than small letters are, and an I like an l.
    drawn = _DRESS.sub("", normal_form("NFKD", text)).translate(prototypes())
    return drawn.casefold().translate(prototypes()).replace("i", "l")
