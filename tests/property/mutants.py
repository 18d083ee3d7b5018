"""Files that nearly are submissions: real ones of every kind, with bytes, values, lines or members changed."""

from __future__ import annotations

import copy
import io
import json
import random
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from evaluator.lab.session_file import exported_session
from submissions.formats.behavior_alignment.template import crs_responses_template
from submissions.formats.eloquent.template import submission_template
from submissions.formats.personalization.template import personalized_template
from submissions.formats.personalized_evaluation.template import pairs_template, ratings_template
from submissions.promptsets import example_submissions, load_demonstration
from tests.unit.evaluator.lab.test_session_file import SETUP, finished
from tests.unit.submissions.formats.behavior_alignment.dialogue_files import good_document as good_dialogues
from tests.unit.submissions.formats.personalization.answer_files import as_lines, good_document
from tests.unit.submissions.formats.personalized_evaluation.prediction_files import pairs, ratings

DATA = Path(__file__).parents[1] / "data"

MOST_BYTES = 60_000
"""Larger files are left out: a hundred thousand of them would take a day, and their parts are in smaller ones."""

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(["\ud800", "\x00", "\u202e", "\u200b", "=1+1", "<b>", "A", "en", "2024", "0" * 400, 10**30]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
"""Any small value, and those that readers stumble over."""

EVIL: tuple[bytes, ...] = (
    *(b'"', b"\\", b"\x00", b"\xff", b"\xed\xa0\x80", b"\\ud800", b"\\u0000", b"\xef\xbb\xbf", b"\r", b"\n", b"\t"),
    *(b"{", b"}", b"[", b"]", b",", b":", b"[" * 200, b'{"a":' * 100, b"null", b"true", b"NaN", b"-Infinity"),
    *(b"1e999", b"-0", b"0.1e-400", b"9" * 400, b"1" * 5_000, b"/*", b"//", b"'", b"None", b"...", b";", b"=cmd()"),
    *(text.encode() for text in ("\u202e", "\u200b", "\u0301", "\U0001f600", "\u00e9", "\ufdfa" * 40)),
)
"""What is put into files: it ends, opens, escapes, turns or overflows something."""

Place = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Seed:
    """A file that mutants are made of."""

    name: str
    data: bytes

    @property
    def document(self) -> Any:
        """Its JSON; None where it is none."""
        try:
            return json.loads(self.data)
        except (ValueError, RecursionError):
            return None


def seeds(eloquent: Path) -> list[Seed]:
    """Our examples, templates and good files of every kind, and the files and cases of the acceptance data."""
    own = [*_own(), *_acceptance(eloquent)]
    return [seed for seed in own if 0 < len(seed.data) <= MOST_BYTES]


def _own() -> Iterator[Seed]:
    yield from (Seed(name, data) for name, data in example_submissions())
    yield Seed("template.json", submission_template(load_demonstration()).encode())
    documents = {"personalized": good_document(), "dialogues": good_dialogues(), "ratings": ratings(), "pairs": pairs()}
    yield from (Seed(f"{name}.json", _json(document)) for name, document in documents.items())
    yield Seed("personalized.jsonl", as_lines(good_document()))
    templates = (personalized_template, crs_responses_template, ratings_template, pairs_template)
    yield from (Seed(f"{template.__name__}.json", template().encode()) for template in templates)
    yield Seed("session.json", exported_session([finished(SETUP)]))
    yield Seed("verdicts.csv", _verdicts_csv())
    yield Seed("verdicts.json", _json({"kind": "judge_verdicts", "options": 3, "verdicts": _verdict_rows()}))


def _verdict_rows() -> list[dict[str, Any]]:
    names = {"judge": "gauge", "benchmark": "demo", "task": "writing", "model": "aurora"}
    return [
        {**names, "query": f"q{query}", "order": order, "repetition": 1, "verdict": verdict, "raw_text": "[[A]]"}
        for query in range(6)
        for order, verdict in (("original", "B"), ("swapped", "A"))
    ]


def _verdicts_csv() -> bytes:
    rows = _verdict_rows()
    return "\n".join([",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]).encode()


def _acceptance(eloquent: Path) -> Iterator[Seed]:
    cases = [DATA / name / "cases" for name in ("behavior_alignment", "personalized_evaluation")]
    folders = [eloquent / "fixtures", eloquent / "templates", *cases]
    for path in sorted(path for folder in folders for path in folder.rglob("*") if path.is_file()):
        if path.name == "refused.json":
            cases = json.loads(path.read_bytes())
            yield from (Seed(f"refused_{number}.json", _json(case["submission"])) for number, case in enumerate(cases))
        else:
            yield Seed(path.name, path.read_bytes())
    yield Seed("cases.json", _json(json.loads((DATA / "personalization/submission_cases.json").read_bytes())["base"]))


def _json(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode()


# --- values of a document --------------------------------------------------------------------------------------------


def places(value: Any, path: Place = ()) -> list[Place]:
    """Every place of a document a value can be put in."""
    found = [path] if path else []
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        found += places(member, (*path, key))
    return found


def put(document: Any, path: Place, value: Any) -> None:
    """Puts a value in a place, if an earlier change left that place there."""
    for key in path[:-1]:
        if not (isinstance(document, dict) and key in document) and not (
            isinstance(document, list) and isinstance(key, int) and key < len(document)
        ):
            return
        document = document[key]
    if isinstance(document, dict) or (
        isinstance(document, list) and isinstance(path[-1], int) and path[-1] < len(document)
    ):
        document[path[-1]] = value


@st.composite
def changed_documents(draw: st.DrawFn, kinds: list[list[tuple[Any, list[Place]]]]) -> bytes:
    """A document of one of the kinds with one to four values replaced by any others, or by others of its own."""
    original, everywhere = draw(st.sampled_from(draw(st.sampled_from(kinds))))
    document = copy.deepcopy(original)
    for _ in range(draw(st.integers(1, 4))):
        path = draw(st.sampled_from(everywhere))
        elsewhere = draw(st.sampled_from(everywhere))
        value = draw(JSON_VALUES) if draw(st.booleans()) else copy.deepcopy(_at(original, elsewhere))
        put(document, path, value)
        if draw(st.integers(0, 9)) == 0 and isinstance(path[-1], str):
            put(document, (*path[:-1], draw(st.text(max_size=8))), value)
    return json.dumps(document, ensure_ascii=draw(st.booleans())).encode("utf-8", "surrogatepass")


def _at(document: Any, path: Place) -> Any:
    for key in path:
        document = document[key]
    return document


# --- bytes -----------------------------------------------------------------------------------------------------------

Mutation = Callable[[bytes, bytes, random.Random], bytes]
"""File, another file, dice -> file."""


def byte_mutant(seed: Seed, other: Seed, dice: random.Random) -> bytes:
    """A file with one to five changes of its bytes, lines or, in an archive, members."""
    data = seed.data
    for _ in range(dice.choice((1, 1, 1, 2, 2, 3, 5))):
        mutation = dice.choice(MUTATIONS)
        data = mutation(data, other.data, dice) or data
    return data


def _bytes_changed(data: bytes, _other: bytes, dice: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(dice.randrange(1, 9)):
        changed[dice.randrange(len(changed))] = dice.randrange(256)
    return bytes(changed)


def _evil_put_in(data: bytes, _other: bytes, dice: random.Random) -> bytes:
    evil = dice.choice(EVIL)
    start = dice.randrange(len(data) + 1)
    end = start + dice.choice((0, 0, 1, 20))
    return data[:start] + evil + data[end:]


def _stretch_left_out(data: bytes, _other: bytes, dice: random.Random) -> bytes:
    start = dice.randrange(len(data))
    return data[:start] + data[start + dice.randrange(1, 200) :]


def _stretch_repeated(data: bytes, _other: bytes, dice: random.Random) -> bytes:
    start = dice.randrange(len(data))
    stretch = data[start : start + dice.randrange(1, 400)]
    return data[:start] + stretch * dice.randrange(2, 5) + data[start:]


def _cut_off(data: bytes, _other: bytes, dice: random.Random) -> bytes:
    return data[: dice.randrange(1, len(data) + 1)]


def _spliced(data: bytes, other: bytes, dice: random.Random) -> bytes:
    return (data[: dice.randrange(len(data))] + other[dice.randrange(len(other)) :])[:MOST_BYTES]


def _lines_shuffled(data: bytes, _other: bytes, dice: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    dice.shuffle(lines)
    return b"".join(lines[: dice.randrange(1, len(lines) + 1)])


def _word_swapped(data: bytes, _other: bytes, dice: random.Random) -> bytes:
    """A quoted word stands for another one everywhere: a key, an id, a language, a verdict."""
    words = data.split(b'"')[1::2]
    if not words:
        return data
    return data.replace(b'"' + dice.choice(words) + b'"', b'"' + dice.choice(words) + b'"', dice.choice((1, -1)))


def _member_changed(data: bytes, other: bytes, dice: random.Random) -> bytes:
    """Of a ZIP file: a member's bytes, name or number of copies."""
    members = _members(data)
    if not members:
        return data
    place = dice.randrange(len(members))
    name, content = members[place]
    inside = dice.choice([mutation for mutation in MUTATIONS if mutation is not _member_changed])
    members[place] = (name, inside(content, other, dice) if content else other)
    if dice.randrange(4) == 0:
        members[place] = (
            dice.choice((f"../{name}", f"folder/{name}", name.upper(), "metadata.json", "\u202e")),
            content,
        )
    if dice.randrange(4) == 0:
        members.append((f"copy_{members[place][0]}", members[place][1]))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, text in members:
            archive.writestr(member, text)
    return buffer.getvalue()


def _members(data: bytes) -> list[tuple[str, bytes]]:
    """Names and bytes of an archive's members; none of what is no archive, or a broken one."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return [(info.filename, archive.open(info).read(MOST_BYTES)) for info in archive.infolist()]
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, OSError, ValueError, EOFError):
        return []


MUTATIONS: tuple[Mutation, ...] = (
    _bytes_changed,
    _evil_put_in,
    _evil_put_in,
    _stretch_left_out,
    _stretch_repeated,
    _cut_off,
    _spliced,
    _lines_shuffled,
    _word_swapped,
    _member_changed,
    _member_changed,
)
