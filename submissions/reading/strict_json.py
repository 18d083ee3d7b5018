"""Bytes to one JSON value, strictly: limits before parsing, every fault with its place, never an exception.

Python's own `json.loads` takes UTF-16, NaN, repeated keys and lone surrogates silently and answers deep nesting and
huge numbers with exceptions of other kinds; here each of these is a problem with a code. The syntax itself, and so the
line and column of a syntax error, is Python's.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from submissions.findings import Findings
from submissions.reading.limits import Limits
from submissions.reading.quoting import printable, quoted

JsonPath = tuple[str | int, ...]
"""Keys and list indices from the root to a value."""

ValueFaultCode = Literal["json_nan", "lone_surrogate", "control_char", "duplicate_key"]


class Absent:
    """What stands where there is no value: the text could not be read, or a key is missing."""


ABSENT: Final = Absent()


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Stands in a value for a number that cannot be one; the fault is reported where it is found."""

    literal: str
    code: Literal["json_nan", "huge_number"]


class RepeatedKeys(dict[str, object]):
    """An object in which keys stand more than once; it holds the last value of each, as Python's json does."""

    # A file can hold half a million of these: without an attribute dictionary they cost no more than a plain object.
    __slots__ = ("repeated",)
    repeated: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ValueFault:
    """A fault inside a value: which, where, and what was found."""

    code: ValueFaultCode
    path: JsonPath
    found: str


@dataclass(frozen=True, slots=True)
class Document:
    """What `read_json` made of the bytes."""

    value: object
    """The document (the first, where there are several); ABSENT where nothing could be read."""
    findings: Findings
    """Faults of the text. Faults of values come from `value_faults`, once the reader knows what they lie in."""
    is_clean: bool = False
    """Whether no text of it can hold half a character or a control character (`may_be_unclean`)."""


ENCODING_HINT = (
    'Write the file as UTF-8 (in Python: open(..., encoding="utf-8"); in PowerShell: Out-File -Encoding utf8).'
)

_SHARED_CHARACTERS = 64
_SHARED_TEXTS = 20_000

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]|[^\s\[\]{},:"]++', re.DOTALL)
_BLANKS = re.compile(r"[ \t\n\r]*+")
_NUMBER_START = frozenset("-+.0123456789")
_BASIC_PLANE = 0xFFFF
_STRETCH_BYTES = 64 * 1024
_BEYOND_BASIC = re.compile(rb"[\xf0-\xf4][\x80-\xbf]{3}")
_SURROGATE = re.compile("[\ud800-\udfff]")
# Unicode's control characters without tab, line feed and carriage return.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_MAY_BE_UNCLEAN = (b"\\u", b"\\b", b"\\f", b"\x7f", b"\xc2")
"""Half a character can only be an escape; a control character is one, or DEL, or begins with C2 (U+0080 to U+009F)."""
_PLAIN_KEY = re.compile(r"[A-Za-z_][\w-]{0,79}")

_BINARY_STARTS: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", "a zip archive"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"PK\x07\x08", "a zip archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"%PDF-", "a PDF"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\xd0\xcf\x11\xe0", "an old Office file"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"PAR1", "a Parquet file"),
    (b"\x93NUMPY", "a NumPy array"),
)

# UTF-32 first: its little-endian byte order mark begins with that of UTF-16.
_WIDE_ENCODINGS: tuple[tuple[re.Pattern[bytes], str], ...] = (
    (re.compile(rb"\xff\xfe\x00\x00|\x00\x00\xfe\xff|[^\x00]\x00\x00\x00|\x00\x00\x00[^\x00]"), "UTF-32"),
    (re.compile(rb"\xff\xfe|\xfe\xff|[^\x00]\x00|\x00[^\x00]"), "UTF-16"),
)


def binary_kind(data: bytes) -> str | None:
    """What a file that is not text begins like ("a zip archive", "a PDF"); None for anything else."""
    return next((kind for start, kind in _BINARY_STARTS if data.startswith(start)), None)


def wide_encoding(data: bytes) -> str | None:
    """The encoding of a text that begins as UTF-16 or UTF-32 does; None of anything else."""
    return next((label for pattern, label in _WIDE_ENCODINGS if pattern.match(data)), None)


def is_zip(data: bytes) -> bool:
    """Whether a file begins like a zip archive."""
    return data.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08"))


def path_text(path: JsonPath) -> str:
    """The path as problems show it.

    >>> path_text(("eloquent-robustness-results", "items", 3, "id"))
    '$.eloquent-robustness-results.items[3].id'
    >>> path_text(("a key.", 0))
    '$["a key."][0]'
    """
    return "$" + "".join(path_step(step) for step in path)


def read_json(data: bytes, name: str, limits: Limits, row_keys: frozenset[str] = frozenset()) -> Document:
    """Reads one JSON document from bytes.

    Args:
        data: The file.
        name: Its base name, for places `NAME:LINE:COLUMN`.
        limits: Size, nesting, number of values and length of numbers allowed.
        row_keys: Keys that many objects of this format share. Such a key is held in memory once, so it is not counted
            among the values; an object then counts three times.

    Returns:
        The value, or ABSENT, and the faults of the text. Never raises.
    """
    findings = Findings()
    text = _text(data, name, limits, findings)
    if text is None or not _within_limits(text, name, limits, row_keys, findings):
        return Document(ABSENT, findings)
    if _BEYOND_BASIC.search(data):
        # One emoji makes every character of a text take four bytes; not while the values are built beside it.
        del text
        value = _sound_value(_with_escapes(data), limits)
        if value is not ABSENT:
            return Document(value, findings, not may_be_unclean(data))
        text = decoded_text(data, name, findings) or ""
        text = text.removeprefix("\ufeff")
    return Document(_value(text, name, limits, findings), findings, not may_be_unclean(data))


def may_be_unclean(data: bytes) -> bool:
    """Whether a JSON text may hold half a character or a control character; a quick look at the bytes."""
    return any(mark in data for mark in _MAY_BE_UNCLEAN)


def is_clean(text: str) -> bool:
    """Whether a text is free of lone surrogates and of control characters other than tab, LF and CR."""
    return not (_SURROGATE.search(text) or _CONTROL.search(text))


def cleaned(text: str) -> str:
    r"""The text without what `is_clean` objects to.

    >>> cleaned("a\x07b\n")
    'ab\n'
    """
    return _CONTROL.sub("", _SURROGATE.sub("", text))


def value_faults(value: object) -> Iterator[ValueFault]:
    """Faults in the values of a document from `read_json`, in file order; one of each kind per value or key."""
    yield from _faults_below(value, ())


def repeated_keys(value: object) -> Iterator[JsonPath]:
    """Yields every key of a document from `read_json` that stands again in one object, of which Python keeps the last.

    Faster than `value_faults`, for documents of which nothing else is asked.

    >>> list(repeated_keys(strict_decoder(Limits()).decode('[{"a": 1, "a": 2}]')))
    [(0, 'a')]
    """
    waiting: list[tuple[JsonPath, object]] = [((), value)]
    while waiting:
        path, holder = waiting.pop()
        steps: Iterable[tuple[str | int, object]] = ()
        if isinstance(holder, dict):
            steps = holder.items()
            if isinstance(holder, RepeatedKeys):
                yield from ((*path, key) for key in holder.repeated)
        elif isinstance(holder, list):
            steps = enumerate(holder)
        inner = [((*path, step), member) for step, member in steps if isinstance(member, (dict, list))]
        waiting.extend(reversed(inner))


def path_step(step: str | int) -> str:
    """One key or index as it stands in a path: `.id`, `[3]`, `["a key."]`, `["a \\"key\\""]`."""
    if isinstance(step, int):
        return f"[{step}]"
    if _PLAIN_KEY.fullmatch(step):
        return f".{step}"
    escaped = step.replace("\\", "\\\\").replace('"', '\\"')
    return f"[{quoted(escaped)}]"


def _text(data: bytes, name: str, limits: Limits, findings: Findings) -> str | None:
    """The bytes as text; None after reporting what stands against it."""
    if len(data) > limits.json_bytes:
        findings.add(
            "file_too_big",
            "$",
            f"the file has {len(data):,} bytes; a JSON file may have {limits.json_bytes:,}",
            "Remove what the format does not ask for, or shorten the responses.",
        )
        return None
    if binary := binary_kind(data):
        findings.add(
            "binary",
            "$",
            f"this is {binary}, not a JSON text",
            "Send the JSON file itself, unpacked and as plain text.",
        )
        return None
    text = decoded_text(data, name, findings)
    if text is not None and not text.strip(" \t\r\n\ufeff"):
        findings.add(
            "empty_file",
            "$",
            "the file is empty" if not data else "the file holds nothing but blanks",
            "Check that the file was written completely, then send it again.",
        )
        return None
    if text is None:
        return None
    if "\r" in text:
        findings.add("crlf", "$", "lines end as on Windows (CR LF)", "Nothing to do: both line ends are read.")
    if text.startswith("\ufeff"):
        findings.add(
            "utf8_bom",
            "$",
            "the file begins with a byte order mark",
            'Write the file as plain UTF-8 (in Python: encoding="utf-8", not "utf-8-sig").',
        )
        return text[1:]
    return text


def decoded_text(data: bytes, name: str, findings: Findings) -> str | None:
    """The bytes as UTF-8, a byte order mark included; None after reporting why they are not."""
    if wide := wide_encoding(data):
        findings.add("encoding", "$", f"the file is {wide}, expected UTF-8", ENCODING_HINT)
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", "replace")
        findings.add(
            "encoding",
            _place(name, before, len(before)),
            f"the byte 0x{data[error.start]:02x} at position {error.start} is not UTF-8",
            ENCODING_HINT,
        )
        return None


def _within_limits(text: str, name: str, limits: Limits, row_keys: frozenset[str], findings: Findings) -> bool:
    """Nesting, number of values and length of numbers, before anything is built. False: do not parse."""
    row_key = re.compile(rf'"(?:{"|".join(map(re.escape, sorted(row_keys)))})"[ \t\n\r]*+:') if row_keys else None
    depth = values = 0
    for token in _TOKEN.finditer(text):
        start = text[token.start()]
        if start in "]}":
            depth -= 1
            continue
        if row_key and start == '"' and row_key.match(text, token.start()):
            continue
        values += 3 if row_key and start == "{" else 1
        if values > limits.json_values:
            _report_too_many_values(limits, findings)
            return False
        if start in "[{":
            depth += 1
            if depth > limits.json_depth:
                _report_too_deep(text, name, token.start(), limits, findings)
                return False
        elif start in _NUMBER_START and token.end() - token.start() > limits.number_characters:
            # Finding a line costs a pass over the text, too much for each of 100,000 numbers.
            if findings.is_full("huge_number"):
                findings.count("huge_number")
            else:
                _report_huge_number(text, name, token, limits, findings)
    return True


def _report_too_many_values(limits: Limits, findings: Findings) -> None:
    findings.add(
        "file_too_big",
        "$",
        f"the file holds more than {limits.json_values:,} JSON values",
        "Remove what the format does not ask for (a complete 2024 file has about 250 values), or send several files.",
    )


def _report_too_deep(text: str, name: str, position: int, limits: Limits, findings: Findings) -> None:
    findings.add(
        "too_deep",
        _place(name, text, position),
        f"here the nesting is {limits.json_depth + 1} levels deep; at most {limits.json_depth} are read",
        "Remove the deeply nested part; the formats need 6 levels at most.",
    )


def _report_huge_number(text: str, name: str, token: re.Match[str], limits: Limits, findings: Findings) -> None:
    findings.add(
        "huge_number",
        _place(name, text, token.start()),
        f"a number of {token.end() - token.start():,} characters ({printable(token.group()[:20])}…); "
        f"at most {limits.number_characters} are read",
        "Write it as a text in quotes if it belongs to an answer; otherwise remove it.",
    )


def _with_escapes(data: bytes) -> str:
    r"""A JSON text with the characters beyond U+FFFF written as escapes, which say the same.

    >>> _with_escapes('["\U0001f600"]'.encode())
    '["\\ud83d\\ude00"]'
    """

    text = bytearray()
    for stretch in _stretches(data.removeprefix(b"\xef\xbb\xbf")):
        text += stretch.decode("utf-8").translate(_Escapes()).encode("utf-8")
    return text.decode("utf-8")


class _Escapes(dict[int, str]):
    """What `str.translate` puts in place of a character: looked up once for each that a stretch holds."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        self[code] = json.dumps(character)[1:-1] if code > _BASIC_PLANE else character
        return self[code]


def _stretches(data: bytes) -> Iterator[bytes]:
    """UTF-8 in stretches of at most 64 KiB that part no character; all at once, escaping takes 40 times the memory."""
    begin = 0
    while begin < len(data):
        end = begin + _STRETCH_BYTES
        while end < len(data) and data[end] & 0b1100_0000 == 0b1000_0000:
            end -= 1
        yield data[begin:end]
        begin = end


def _sound_value(text: str, limits: Limits) -> object:
    """The one document of the text; ABSENT where it is none, or more than one."""
    try:
        return strict_decoder(limits).decode(text)
    except json.JSONDecodeError:
        return ABSENT


def _value(text: str, name: str, limits: Limits, findings: Findings) -> object:
    """The first document of the text; what follows it is reported."""
    try:
        value, end = strict_decoder(limits).raw_decode(text, _after_blanks(text, 0))
    except json.JSONDecodeError as error:
        _report_syntax(text, name, error, findings)
        return ABSENT
    rest = _after_blanks(text, end)
    if rest < len(text):
        _report_rest(text, name, rest, findings)
    return value


def _after_blanks(text: str, position: int) -> int:
    blanks = _BLANKS.match(text, position)
    return blanks.end() if blanks else position


def strict_decoder(limits: Limits) -> json.JSONDecoder:
    """A decoder that keeps repeated keys in sight, and numbers that are none or too long as `Unreadable`."""

    def whole(literal: str) -> object:
        return int(literal) if len(literal) <= limits.number_characters else Unreadable(literal[:40], "huge_number")

    def fraction(literal: str) -> object:
        if len(literal) > limits.number_characters:
            return Unreadable(literal[:40], "huge_number")
        number = float(literal)
        return number if math.isfinite(number) else Unreadable(literal, "json_nan")

    same_texts: dict[object, object] = {}

    def members(pairs: list[tuple[str, object]]) -> dict[str, object]:
        return _object([(key, _shared(value, same_texts)) for key, value in pairs])

    return json.JSONDecoder(
        object_pairs_hook=members,
        parse_int=whole,
        parse_float=fraction,
        parse_constant=lambda literal: Unreadable(literal, "json_nan"),
    )


def _shared(value: object, same_texts: dict[object, object]) -> object:
    """One copy of a short text that many objects hold, like the method of 60,000 rows."""
    if type(value) is not str or len(value) > _SHARED_CHARACTERS:
        return value
    if len(same_texts) < _SHARED_TEXTS:
        return same_texts.setdefault(value, value)
    return same_texts.get(value, value)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) == len(pairs):
        return members
    counts = Counter(key for key, _ in pairs)
    marked = RepeatedKeys(members)
    marked.repeated = tuple(key for key, count in counts.items() if count > 1)
    return marked


def _report_syntax(text: str, name: str, error: json.JSONDecodeError, findings: Findings) -> None:
    near = text[error.pos : error.pos + 30].split("\n", 1)[0]
    findings.add(
        "json_syntax",
        f"{name}:{error.lineno}:{error.colno}",
        f"not valid JSON: {error.msg[0].lower()}{error.msg[1:]} at line {error.lineno}, column {error.colno}, "
        + (f"near {quoted(near)}" if near.strip() else "at the end of the line or file"),
        _syntax_hint(text, error),
    )


def _syntax_hint(text: str, error: json.JSONDecodeError) -> str:
    """What most often leads to this kind of fault."""
    rest = text[error.pos : error.pos + 3]
    if text.lstrip()[:1] == "<":
        return "This is a web page: download the raw file, signed in if need be, and send that."
    if rest.startswith("'") or text.lstrip().startswith("{'"):
        return "JSON needs double quotes: write with json.dumps(...), not str(...) or print(...)."
    if rest.startswith(("//", "/*", "#")):
        return "JSON has no comments: remove them."
    if rest.startswith(("...", "…")):
        return 'Replace the "..." of the example with real entries, or remove it.'
    if error.msg.startswith("Invalid control character"):
        return "Inside a text write a line break as \\n and a tab as \\t; json.dumps(...) does it."
    if not rest.strip() and error.pos >= len(text.rstrip()) - 1:
        return "The file ends too early: check that it was written and uploaded completely."
    if "delimiter" in error.msg:
        return "A comma or bracket is missing just before this place, or a quote inside a text needs a backslash."
    return "Fix this line, or write the file with json.dumps(...), which never makes this fault."


def _report_rest(text: str, name: str, position: int, findings: Findings) -> None:
    place = _place(name, text, position)
    if text[position] in "{[":
        findings.add(
            "json_multiple_documents",
            place,
            "a second JSON document begins here; expected one document in the file",
            "Put everything into one object (see the template); JSON Lines is not the format of this edition.",
        )
        return
    findings.add(
        "json_syntax",
        place,
        f"not valid JSON: more text after the end of the document, {quoted(text[position : position + 30])}",
        "Remove what follows the last closing bracket; perhaps one bracket too many closes the document early.",
    )


def _place(name: str, text: str, position: int) -> str:
    """NAME:LINE:COLUMN of a position, counted as Python's json does."""
    line = text.count("\n", 0, position) + 1
    return f"{name}:{line}:{position - text.rfind(chr(10), 0, position)}"


def _faults_below(value: object, path: JsonPath) -> Iterator[ValueFault]:
    if isinstance(value, str):
        yield from _faults_of_text(value, path)
    elif isinstance(value, Unreadable):
        if value.code == "json_nan":
            yield ValueFault("json_nan", path, value.literal)
    elif isinstance(value, list):
        for index, member in enumerate(value):
            if not isinstance(member, (int, float)):
                yield from _faults_below(member, (*path, index))
    elif isinstance(value, dict):
        yield from _faults_of_object(value, path)


def _faults_of_object(value: dict[str, object], path: JsonPath) -> Iterator[ValueFault]:
    if isinstance(value, RepeatedKeys):
        for key in value.repeated:
            yield ValueFault("duplicate_key", (*path, key), printable(key))
    for key, member in value.items():
        yield from _faults_of_text(key, (*path, key))
        if not isinstance(member, (int, float)):
            yield from _faults_below(member, (*path, key))


def _faults_of_text(text: str, path: JsonPath) -> Iterator[ValueFault]:
    if text.isascii() and text.isprintable():
        return
    if surrogate := _SURROGATE.search(text):
        yield ValueFault("lone_surrogate", path, f"U+{ord(surrogate.group()):04X}")
    if control := _CONTROL.search(text):
        yield ValueFault("control_char", path, f"U+{ord(control.group()):04X}")
