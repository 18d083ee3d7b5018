"""Laws of packing: whatever shape a team keeps its answers in, every text comes out as it went in, byte for byte."""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from submissions.packing.plan import Choices, planned
from submissions.packing.sources import Gathering
from submissions.packing.writing import run_file
from submissions.promptsets.cultural import cultural_places
from submissions.schema import Names

FEW = settings(max_examples=60, deadline=None)
LANGUAGES = ("de", "el", "en", "ta", "ua")
IDS = [*list(cultural_places("unspecific"))[:6], *list(cultural_places("specific"))[:6]]
RUNS = ("cot_llama-3_3", "plain")

texts = st.text(max_size=30) | st.sampled_from(
    ("", " a ", "\u2028x\u2029", "\r\n", "\x00", "\ufeffBOM", "e\u0301", "\ud83d")
)
"""Also line separators, control characters, a byte order mark, letters taken apart and half a character."""

deliveries = st.dictionaries(
    st.tuples(st.sampled_from(RUNS), st.sampled_from(LANGUAGES)),
    st.dictionaries(st.sampled_from(IDS), texts, min_size=1, max_size=6),
    min_size=1,
    max_size=4,
)
"""Run and language -> id -> answer."""


@st.composite
def files_of(draw: st.DrawFn) -> tuple[dict[tuple[str, str], dict[str, str]], dict[str, bytes]]:
    """A delivery, and the files a team might keep it in."""
    delivery = draw(deliveries)
    files: dict[str, bytes] = {}
    for (run, language), answers in delivery.items():
        shape = draw(st.sampled_from(("lines", "list", "object", "objects", "zip", "nested")))
        ascii_only = draw(st.booleans()) or any("\ud83d" in text for text in answers.values())

        def dumped(value: Any, ascii_only: bool = ascii_only) -> bytes:
            return json.dumps(value, ensure_ascii=ascii_only).encode("utf-8")

        rows = [
            {"id": int(item) if item.isdigit() and draw(st.booleans()) else item, "prompt": "?", "answer": text}
            for item, text in answers.items()
        ]
        lines = b"".join(dumped(row) + b"\n" for row in rows)
        match shape:
            case "lines":
                files[f"{language}_specific_{run}.jsonl"] = lines
            case "list":
                files[f"{run}_{language}.json"] = dumped(rows)
            case "object":
                files[f"{language}_{run}.json"] = dumped(answers)
            case "objects":
                files[f"{language}_{run}.json"] = dumped({"language": language, "results": rows})
            case "zip":
                buffer = io.BytesIO()
                with zipfile.ZipFile(buffer, "w") as archive:
                    archive.writestr(f"{language}_answers.json", lines)
                files[f"{run}_{language}.zip"] = buffer.getvalue()
            case "nested":
                files[f"{run}/{language}/answers.jsonl"] = lines
        if draw(st.booleans()):
            copy = f"{language}_specific_{run} (1).jsonl"
            files[copy] = lines
    return delivery, files


@FEW
@given(files_of())
def test_the_multiset_of_answer_texts_of_every_run_is_the_same_before_and_after(
    made: tuple[dict[tuple[str, str], dict[str, str]], dict[str, bytes]],
) -> None:
    delivery, files = made
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files.items():
            path = Path(folder, "delivery", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        gathering = Gathering()
        gathering.add_paths([Path(folder, "delivery")])
    plan = planned(gathering.sources, gathering.aside, Choices(Names("T", "{run}", "m")))
    assert not plan.has_losses
    # A delivery of one run has no need of a label, and two runs with the same answers are one.
    before = Counter(
        tuple(
            sorted(
                Counter(
                    (language, item, text)
                    for (of_run, language), answers in delivery.items()
                    if of_run == run
                    for item, text in answers.items()
                ).items()
            )
        )
        for run in {run for run, _ in delivery}
    )
    after = Counter(tuple(sorted(Counter(answers_in(run_file(run, date(2026, 5, 4)))).items())) for run in plan.runs)
    assert set(after) == set(before)


def answers_in(data: bytes) -> list[tuple[str, str, str]]:
    """Language, id and text of every answer of a zip."""
    found = []
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            if name.endswith(".jsonl"):
                for line in archive.read(name).decode("utf-8").split("\n")[:-1]:
                    row = json.loads(line)
                    found.append((name.partition("_")[0], row["id"], row["answer"]))
    return found
