"""Reading `seasons/*.toml`: strict, and every fault of every file at once."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, tzinfo
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from submissions.formats.behavior_alignment.submission import SET_ID as RECOMMENDERS
from submissions.formats.personalization.submission import SET_ID as PERSONALIZATION
from submissions.formats.personalized_evaluation.submission import SET_ID as PERSONALIZED_EVALUATION
from submissions.moments import moment_words
from submissions.own_tasks.task import is_own_set
from submissions.promptsets import DEMONSTRATION, ELOQUENT_2024, ELOQUENT_2025, ELOQUENT_2026
from submissions.promptsets.cultural import DEMONSTRATION_2026
from submissions.promptsets.demonstrations import DEMONSTRATION_2025
from submissions.promptsets.hidden import HIDING, TABLE, source_faults
from submissions.reading.quoting import described, printable, quoted
from submissions.seasons.calendar import Seasons
from submissions.seasons.season import Announcement, Season
from submissions.seasons.terms import Terms
from submissions.settings import DEFAULT_SEASONS, Settings, SettingsError

VERDICTS = "judges"
"""Tables of judge verdicts, whatever their benchmark."""

PROMPT_SETS = (ELOQUENT_2024, ELOQUENT_2025, ELOQUENT_2026, DEMONSTRATION, DEMONSTRATION_2025, DEMONSTRATION_2026)
SETS = (*PROMPT_SETS, VERDICTS, PERSONALIZATION, PERSONALIZED_EVALUATION, RECOMMENDERS)
"""What a season may be of."""

MOST_NAME = 32
"""Characters of a season's name: what the log of decisions holds."""
MOST_TITLE = 120
MOST_TEXT = 4_000
"""Of an announcement, and of the terms."""
TERMS_FILE = "terms.txt"
"""Beside the files of the seasons: what every account accepts once, whatever it sends."""

_NAME_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_")
_AT_ONCE = "at once"
_KEYS = (
    *("title", "set", "time_zone", "opens", "closes", "freezes", "attempts_per_day", "attempts_in_all"),
    *("one_primary_run", "contact", "terms", "public", "announcements", TABLE),
)
_PUBLIC_KEYS = ("names", "scores", "answers")


@dataclass(frozen=True, slots=True)
class SeasonFault:
    """One thing that is wrong with a season's file."""

    file: str
    key: str
    """Dotted, as TOML writes it; blank for the whole file."""
    found: str
    expected: str

    def __str__(self) -> str:
        place = f"{self.file}: {self.key}" if self.key else self.file
        return f"{place}: found {self.found}, expected {self.expected}"


class SeasonsError(SettingsError):
    """Raised when the files of the seasons cannot be used; carries every fault."""

    def __init__(self, faults: list[SeasonFault]) -> None:
        self.faults = faults
        super().__init__("; ".join(map(str, faults)))


def seasons_of(settings: Settings) -> Seasons:
    """The seasons of an installation.

    Raises:
        SeasonsError: as `read_seasons`, and when the folder that was named is not there.
    """
    folder = settings.seasons
    if not folder.is_dir() and folder != Path(DEFAULT_SEASONS):
        expected = "a folder with a file NAME.toml for each season"
        raise SeasonsError([SeasonFault("PLUMBLINE_SEASONS", "", f"{folder}, which is no folder", expected)])
    seasons = read_seasons(folder)
    faults = [
        SeasonFault(
            f"{season.name}.toml",
            "set",
            f"{quoted(season.set_id)}, a task that is not installed in {settings.own_tasks}",
            "one that `python -m leaderboard task-from` installed there",
        )
        for season in seasons
        if is_own_set(season.set_id) and not (settings.own_tasks / season.set_id.partition(":")[2]).is_dir()
    ]
    if faults:
        raise SeasonsError(faults)
    return seasons


def read_seasons(folder: Path) -> Seasons:
    """The seasons of a folder's `*.toml` files, and the terms of its `terms.txt`; none where the folder is not there.

    Raises:
        SeasonsError: naming file, key, what was found and what was expected, of every fault.
    """
    faults: list[SeasonFault] = []
    seasons = [season for path in sorted(folder.glob("*.toml")) if (season := _season(path, faults)) is not None]
    faults += _overlaps(seasons)
    terms = _terms(folder / TERMS_FILE, faults)
    if faults:
        raise SeasonsError(faults)
    return Seasons(seasons, terms)


def _terms(path: Path, faults: list[SeasonFault]) -> Terms | None:
    """The terms of the installation; None where it has no such file."""
    try:
        text = path.read_text(encoding="utf-8-sig").strip()
    except FileNotFoundError:
        return None
    except OSError as error:
        faults.append(SeasonFault(path.name, "", f"a file that cannot be read ({error.strerror})", "a text in UTF-8"))
        return None
    except UnicodeDecodeError:
        faults.append(SeasonFault(path.name, "", "bytes that are no UTF-8", "a text in UTF-8"))
        return None
    if not 0 < len(text) <= MOST_TEXT or "\x00" in text:
        expected = f"a text of 1 to {MOST_TEXT:,} characters, or no such file"
        description = "the character U+0000" if "\x00" in text else f"{len(text):,} characters"
        faults.append(SeasonFault(path.name, "", description, expected))
        return None
    return Terms("", "this installation", text)


def _overlaps(seasons: list[Season]) -> Iterator[SeasonFault]:
    """A file must belong to one season: those of one set follow each other."""
    in_order = sorted(seasons, key=lambda season: (season.set_id, season.opens))
    for earlier, later in pairwise(in_order):
        if earlier.set_id == later.set_id and earlier.hides_prompts != later.hides_prompts:
            yield SeasonFault(
                f"{later.name}.toml",
                TABLE,
                "prompts that are hidden in one season and not in the other" + f" ({earlier.name}.toml)",
                f"the same in every season of {later.set_id}: a set has one text, and what is hidden stays hidden",
            )
        if earlier.set_id == later.set_id and later.opens.timestamp() < earlier.ends_at:
            yield SeasonFault(
                f"{later.name}.toml",
                "opens",
                later.when(later.opens),
                f"a moment after {earlier.when(earlier.closes)}, when {earlier.name}.toml closes: both are of the set "
                f"{later.set_id}",
            )


def _season(path: Path, faults: list[SeasonFault]) -> Season | None:
    """The season of a file; None, and its faults, where it cannot be used."""
    reader = _Reader(path.name, faults)
    if not (0 < len(path.stem) <= MOST_NAME and _NAME_SIGNS.issuperset(path.stem)):
        reader.fault(
            "",
            f"the file name {quoted(path.name)}",
            f"at most {MOST_NAME} of a-z, 0-9 and _ before .toml, like eloquent_2026.toml",
        )
    try:
        document = tomllib.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        reader.fault("", f"a file that cannot be read ({error.strerror})", "a file that may be read")
        return None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        reader.fault("", f"what is no TOML ({printable(str(error), 200)})", "TOML in UTF-8")
        return None
    season = reader.season(path.stem, document)
    return None if any(fault.file == path.name for fault in faults) else season


class _Reader:
    """Reads the values of one file and notes what is wrong with them."""

    def __init__(self, file: str, faults: list[SeasonFault]) -> None:
        self._file = file
        self._faults = faults
        self._zone: tzinfo = UTC

    def fault(self, key: str, description: str, expected: str) -> None:
        """Notes one."""
        self._faults.append(SeasonFault(self._file, key, description, expected))

    def season(self, name: str, document: Mapping[str, Any]) -> Season | None:
        """The season; None where a value it cannot do without is not in order."""
        self._only(document, _KEYS, "")
        self._zone = self._time_zone(document)
        title = self._text(document, "title", MOST_TITLE, is_needed=True)
        stated = document.get("set")
        own = (stated,) if isinstance(stated, str) and is_own_set(stated) else ()
        set_id = self._one_of(document, "set", (*SETS, *own))
        opens, closes = (self._moment(document, key) for key in ("opens", "closes"))
        freezes = self._moment(document, "freezes")
        self._in_order(opens=opens, closes=closes)
        self._in_order(closes=closes, freezes=freezes)
        per_day, in_all = (self._count(document, key) for key in ("attempts_per_day", "attempts_in_all"))
        one_primary_run = self._one_primary_run(document, set_id)
        contact = self._text(document, "contact", MOST_TITLE)
        terms = self._text(document, "terms", MOST_TEXT)
        is_hidden = self._hidden_prompts(document, set_id)
        public = self._table(document, "public")
        self._only(public, _PUBLIC_KEYS, "public.")
        names, scores, answers = (self._reveal(public, key) for key in _PUBLIC_KEYS)
        if "answers" not in public:
            answers = scores  # they are read in the row of their run
        if scores is not None and (answers is None or answers < scores):
            description = moment_words(answers, self._zone) if answers else f'"{_AT_ONCE}"'
            expected = f"{moment_words(scores, self._zone)} (public.scores) or later: answers are read in their row"
            self.fault("public.answers", description, expected)
        told = self._announcements(document)
        if opens is None or closes is None or freezes is None:
            return None
        return Season(
            *(name, title, set_id, opens, closes, freezes, self._zone, per_day, in_all, one_primary_run),
            *(names, scores, answers, contact, terms, told, is_hidden),
        )

    # Values

    def _only(self, table: Mapping[str, Any], known: tuple[str, ...], prefix: str) -> None:
        for key in table:
            if key not in known:
                near = get_close_matches(key, known, n=1)
                expected = f"{prefix}{near[0]}" if near else f"one of {', '.join(known)}"
                self.fault(f"{prefix}{printable(key)}", "a key that seasons do not have", expected)

    def _text(self, table: Mapping[str, Any], key: str, most: int, *, is_needed: bool = False, prefix: str = "") -> str:
        expected = f"a text of at most {most:,} characters"
        value = table.get(key)
        if value is None and key not in table:
            if is_needed:
                self.fault(f"{prefix}{key}", "nothing", expected)
            return ""
        # PostgreSQL keeps no NUL: what was accepted would not be what was asked.
        is_text = isinstance(value, str) and "\x00" not in value
        if not isinstance(value, str) or not is_text or len(value) > most or (is_needed and not value.strip()):
            description = (
                f"{len(value):,} characters" if isinstance(value, str) and len(value) > most else described(value)
            )
            self.fault(f"{prefix}{key}", description, expected)
            return ""
        return value.strip()

    def _one_of(self, table: Mapping[str, Any], key: str, known: tuple[str, ...]) -> str:
        value = table.get(key)
        if isinstance(value, str) and value in known:
            return value
        self.fault(key, described(value) if key in table else "nothing", f"one of {', '.join(known)}")
        return ""

    def _count(self, table: Mapping[str, Any], key: str) -> int:
        value = table.get(key, 0)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 100_000:
            return value
        self.fault(key, described(value), "a whole number from 0 (as many as they like) to 100,000")
        return 0

    def _one_primary_run(self, table: Mapping[str, Any], set_id: str) -> bool:
        value: object = table.get("one_primary_run", False)
        if not isinstance(value, bool):
            self.fault("one_primary_run", described(value), "true or false")
            return False
        if value and set_id and set_id not in PROMPT_SETS:
            expected = f"false: one run of a team is ranked on the boards of {', '.join(PROMPT_SETS)} only"
            self.fault("one_primary_run", "true", expected)
        return value

    def _hidden_prompts(self, document: Mapping[str, Any], set_id: str) -> bool:
        """Are the prompts of its set hidden? Where they are is read with the prompt sets."""
        if TABLE not in document:
            return False
        table = self._table(document, TABLE)
        for key, description, expected in source_faults(table):
            self.fault(f"{TABLE}.{key}" if key else TABLE, description, expected)
        if set_id and set_id not in HIDING:
            self.fault(TABLE, f"hidden prompts of {set_id}", f"a season of {', '.join(HIDING)}")
        return True

    def _table(self, table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        value = table.get(key, {})
        if isinstance(value, dict):
            return value
        self.fault(key, described(value), f"a table [{key}]")
        return {}

    def _time_zone(self, table: Mapping[str, Any]) -> tzinfo:
        value = table.get("time_zone")
        expected = "the name of a time zone like Europe/Berlin, UTC, or Etc/GMT+12 (anywhere on Earth)"
        if not isinstance(value, str):
            self.fault("time_zone", described(value) if "time_zone" in table else "nothing", expected)
            return UTC
        try:
            return ZoneInfo(value)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            self.fault("time_zone", described(value), expected)
            return UTC

    def _moment(self, table: Mapping[str, Any], key: str, prefix: str = "") -> datetime | None:
        """A moment with its zone: that of the value, else the season's."""
        value, place = table.get(key), f"{prefix}{key}"
        if not isinstance(value, datetime):
            description = _toml_words(value) if key in table else "nothing"
            self.fault(place, description, "a date and time to the second, like 2026-05-15T23:59:59")
            return None
        if value.microsecond:
            self.fault(place, value.isoformat(), "a date and time in whole seconds")
            return None
        if value.tzinfo is not None:
            return value
        moments = {value.replace(tzinfo=self._zone, fold=fold).astimezone(UTC) for fold in (0, 1)}
        if len(moments) > 1:
            # The hour that a clock put back passes twice, and the one that a clock put forward leaves out.
            self.fault(place, f"{value.isoformat()}, which is no single moment in this time zone", _with_offset(value))
            return None
        return moments.pop().astimezone(self._zone)

    def _reveal(self, public: Mapping[str, Any], key: str) -> datetime | None:
        """When something becomes public; None = at once."""
        value = public.get(key, _AT_ONCE)
        if value == _AT_ONCE:
            return None
        if isinstance(value, datetime):
            return self._moment(public, key, "public.")
        self.fault(f"public.{key}", _toml_words(value), f'"{_AT_ONCE}", or a date and time like 2026-06-01T12:00:00')
        return None

    def _announcements(self, table: Mapping[str, Any]) -> tuple[Announcement, ...]:
        value = table.get("announcements", [])
        if not isinstance(value, list) or not all(isinstance(subtable, dict) for subtable in value):
            self.fault("announcements", described(value), "tables [[announcements]] with at and text")
            return ()
        told = []
        for number, subtable in enumerate(value):
            prefix = f"announcements[{number}]."
            self._only(subtable, ("at", "text"), prefix)
            at = self._moment(subtable, "at", prefix)
            text = self._text(subtable, "text", MOST_TEXT, is_needed=True, prefix=prefix)
            if at is not None:
                told.append(Announcement(at, text))
        return tuple(sorted(told, key=lambda announcement: announcement.at))

    def _in_order(self, **moments: datetime | None) -> None:
        (before, early), (after, late) = moments.items()
        if early is not None and late is not None and late <= early:
            self.fault(
                after, moment_words(late, self._zone), f"a moment after {before}, {moment_words(early, self._zone)}"
            )


def _with_offset(value: datetime) -> str:
    return f"one with its offset, like {value.isoformat()}+01:00"


_NAMED: tuple[tuple[type, Callable[[Any], str]], ...] = (
    (datetime, lambda value: value.isoformat()),
    (date, lambda value: f"{value.isoformat()}, a day without a time"),
    (time, lambda value: f"{value.isoformat()}, a time without a day"),
)


def _toml_words(value: object) -> str:
    """What a value is, also where JSON has no such kind."""
    return next((words(value) for kind, words in _NAMED if isinstance(value, kind)), described(value))
