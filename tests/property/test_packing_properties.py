"""Laws of packing: whatever shape a team keeps its answers in, every text comes out as it went in, byte for byte."""

from __future__ import annotations

import io
import itertools
import json
import tempfile
import zipfile
from collections import Counter
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from submissions.packing.plan import Choices, PackingPlan, planned
from submissions.packing.sources import Gathering
from submissions.packing.writing import packed_files
from submissions.promptsets import PromptSets
from submissions.promptsets.cultural import cultural_places
from submissions.promptsets.releases import Release
from submissions.schema import Edition, Names

BARE = PromptSets.load(None)
FEW = settings(max_examples=60)
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
    plan = planned(gathering.sources, gathering.aside, Choices(Names("T", "{run}", "m")), prompt_sets=BARE)
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
    written = packed_files(plan, date(2026, 5, 4), BARE).values()
    after = Counter(tuple(sorted(Counter(answers_in(file.data)).items())) for file in written)
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


questions = st.dictionaries(
    st.tuples(st.sampled_from(RUNS), st.sampled_from(("de", "en", "ga"))),
    st.dictionaries(st.integers(0, 300), st.lists(texts, min_size=1, max_size=3), min_size=1, max_size=5),
    min_size=1,
    max_size=4,
)
"""Of 2025: run and language -> question -> the answer of each turn."""


@FEW
@given(questions, st.data())
def test_no_answer_of_2025_is_lost_or_altered_in_whatever_shape_it_is_kept(
    delivery: dict[tuple[str, str], dict[int, list[str]]], data: st.DataObject
) -> None:
    files: dict[str, str] = {}
    for (run, language), asked in delivery.items():
        rows = [
            {"questionid": number, "turns": [{"question": "?", "answer": text} for text in turns]}
            for number, turns in asked.items()
        ]
        match data.draw(st.sampled_from(("official", "lines", "flat", "object"))):
            case "official":
                stated = {"team": "T", "submissionid": run, "language": language, "label": "eloquent-2025-robustness"}
                files[f"answers {len(files)}.json"] = json.dumps({**stated, "questions": rows})
            case "lines":
                files[f"{run}/irish.jsonl" if language == "ga" else f"{run}/{language}.jsonl"] = json_lines(rows)
            case "flat":
                flat = [
                    {"questionid": str(number), "turn": at, "answer": text, "language": language}
                    for number, turns in asked.items()
                    for at, text in data.draw(st.permutations(list(enumerate(turns))))
                ]
                files[f"{run}/{language}_flat.jsonl"] = json_lines(flat)
            case "object":
                asked = delivery[run, language] = {number: turns[:1] for number, turns in asked.items()}
                keyed = {str(number): text for number, (text,) in asked.items()}
                files[f"{run}/{language}.json"] = json.dumps({"year": 2025, "language": language, "answers": keyed})
    if len(files) < len(delivery):
        return  # two languages in one file of the same name
    before = Counter(
        (language, str(number), tuple(turns))
        for (_, language), asked in delivery.items()
        for number, turns in asked.items()
    )
    after: Counter[tuple[str, str, tuple[str, ...]]] = Counter()
    for text in packed(files, "2025"):
        document = json.loads(text)
        for row in document["questions"]:
            answers = tuple(turn["answer"] for turn in row["turns"])
            after[document["language"], str(row["questionid"]), answers] += 1
    assert set(after) == set(before)  # what two runs answer alike may be one run


ITEMS = [*BARE.demonstration.items[:3], *BARE.eloquent_2024.items[:3]]


@FEW
@given(st.data())
def test_every_answer_of_2024_stays_with_its_variant_in_whatever_shape_it_is_kept(data: st.DataObject) -> None:
    items = data.draw(st.sampled_from((ITEMS[:3], ITEMS[3:])))
    # Told apart by their variant, so that an answer in another place would be seen.
    answers = {
        item.id: [f"{item.id}-{variant.number} " + data.draw(texts) for variant in item.variants] for item in items
    }
    listed = [{"id": item_id, "responses": [{"response": text} for text in said]} for item_id, said in answers.items()]
    sheet = [
        {"n": variant.number, "language": variant.language, "response": answers[item.id][variant.number - 1]}
        for item in items
        for variant in item.variants
    ]
    ids = [item.id for item in items for _ in item.variants]
    files: dict[str, str] = {}
    match data.draw(st.sampled_from(("official", "list", "lines", "sheet", "rows", "keyed", "languages", "lists"))):
        case "official":
            results = {"source": "T", "items": data.draw(st.permutations(listed))}
            files["x.json"] = json.dumps({"eloquent-robustness-results": results})
        case "list":
            files["x.json"] = json.dumps(listed)
        case "lines":
            files["x.json"] = json_lines(listed)
        case "sheet":
            variants = [
                {"id": item.id, "variants": [row for row, id_ in zip(sheet, ids, strict=True) if id_ == item.id]}
                for item in items
            ]
            files["x.json"] = json.dumps({"items": variants})
        case "rows":
            rows = [
                {"id": item_id, "variant": row["n"], "answer": row["response"]}
                for item_id, row in zip(ids, sheet, strict=True)
            ]
            files["x.jsonl"] = json_lines(data.draw(st.permutations(rows)))
        case "keyed":
            files["x.json"] = json.dumps(
                {f"{item_id}-{row['n']}": row["response"] for item_id, row in zip(ids, sheet, strict=True)}
            )
        case "lists":
            files["x.json"] = json.dumps(answers)
        case "languages":
            for language in {str(row["language"]) for row in sheet}:
                of_language = [
                    {"id": item_id, "responses": [str(row["response"]) for _, row in kept]}
                    for item_id, group in itertools.groupby(zip(ids, sheet, strict=True), key=lambda pair: pair[0])
                    if (kept := [pair for pair in group if pair[1]["language"] == language])
                ]
                files[f"{language}.json"] = json.dumps(of_language)
    (text,) = packed(files, None)
    written = json.loads(text)["eloquent-robustness-results"]["items"]
    assert {item["id"]: [one["response"] for one in item["responses"]] for item in written} == answers


def json_lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def packed(files: dict[str, str], edition: Edition | None) -> list[bytes]:
    """What is written of files, none of which may be left out."""
    gathering = Gathering()
    for place, text in files.items():
        gathering.add(place, tuple(place.split("/")[:-1]), text.encode("ascii"))
    choices = Choices(Names("T", "{run}", "m"), edition=edition)
    plan = planned(gathering.sources, gathering.aside, choices, prompt_sets=BARE)
    assert not plan.has_losses, (plan.aside, [run.faults for run in plan.runs])
    return [file.data for file in packed_files(plan, date(2026, 5, 4), BARE).values()]


PROMPTED = {str(number): f"What do people in town {number} do on a Sunday?" for number in range(1, 13)}
PROMPT_SETS = replace(BARE, further_2026=(Release("r", {("de", key): prompt for key, prompt in PROMPTED.items()}),))


def planned_of(files: dict[str, bytes], sets: PromptSets = PROMPT_SETS) -> PackingPlan:
    gathering = Gathering()
    for place, data in files.items():
        gathering.add(place, (), data)
    return planned(gathering.sources, gathering.aside, Choices(Names("T", "S", "m", "r")), prompt_sets=sets)


def placed(plan: PackingPlan) -> dict[str, str]:
    """Id -> answer of what would be written."""
    return {
        key: row.answer
        for run in plan.runs
        if not run.faults
        for rows in run.rows.values()
        for key, row in rows.items()
    }


@FEW
@given(st.data())
def test_an_answer_stands_under_its_prompt_or_the_file_is_refused(data: st.DataObject) -> None:
    """Shuffled, doubled, with unknown keys, with ids moved: every answer that is written is that to its prompt."""
    moved = data.draw(st.integers(-2, 2))
    keys = data.draw(st.lists(st.sampled_from(sorted(PROMPTED, key=int)), min_size=1, unique=True))
    states = data.draw(st.booleans())
    rows = [
        {
            "id": int(key) + moved,
            **({"prompt": PROMPTED[key]} if states else {}),
            "answer": f"to {key}",
            **data.draw(st.dictionaries(st.sampled_from(("seed", "latency", "x")), st.integers() | texts, max_size=2)),
        }
        for key in keys
    ]
    rows = data.draw(st.permutations(rows + data.draw(st.lists(st.sampled_from(rows), max_size=3))))
    plan = planned_of({"de_unspecific.jsonl": json_lines(rows).encode()})
    if states:
        assert all(answer == f"to {key}" for key, answer in placed(plan).items())
    if not moved:
        assert placed(plan) == {key: f"to {key}" for key in keys}
        assert not plan.has_losses
    elif states or (min(map(int, keys)) + moved) < 1:
        assert plan.has_losses or not placed(plan) or placed(plan) == {key: f"to {key}" for key in keys}


@FEW
@given(st.data())
def test_a_file_cut_at_any_byte_gives_the_same_answers_or_says_what_is_lost(data: st.DataObject) -> None:
    shape = data.draw(st.sampled_from(("lines", "list", "object")))
    rows = [{"id": key, "prompt": prompt, "answer": f"to {key}"} for key, prompt in PROMPTED.items()]
    whole = {
        "lines": json_lines(rows),
        "list": json.dumps(rows),
        "object": json.dumps({key: f"to {key}" for key in PROMPTED}),
    }[shape].encode()
    cut = whole[: data.draw(st.integers(0, len(whole)))]
    plan = planned_of({"de_unspecific.json" if shape != "lines" else "de_unspecific.jsonl": cut})
    found = placed(plan)
    assert found.items() <= {key: f"to {key}" for key in PROMPTED}.items()
    # A file of lines that ends between two of them is a whole file of fewer answers.
    ends_between = shape == "lines" and (cut.endswith(b"\n") or whole[len(cut) : len(cut) + 1] in (b"\n", b""))
    assert len(found) == len(PROMPTED) or ends_between or not found
    assert found or plan.has_losses or plan.aside or not cut.strip()
