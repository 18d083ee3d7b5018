"""Every code: a file that shows it at its place, and its row in the documentation."""

from __future__ import annotations

import copy
import gzip
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from submissions.formats.eloquent.template import question_template
from submissions.problem_codes import BUDGET_CODES, CODES, CRS_CODES, PERSE_CODES, PERSONALIZED_CODES, VERDICT_CODES
from submissions.promptsets.cultural import eloquent_2025_set
from tests.unit.submissions.formats.eloquent.cultural_files import (
    LANGUAGES,
    METADATA,
    encrypted,
    metadata,
    run_files,
    zipped,
)

ROOT = Path(__file__).parents[3]
RESULTS = "$.eloquent-robustness-results"

Document = dict[str, Any]
Change = Callable[[Document], Document | list[Any] | str | bytes | None]


@dataclass(frozen=True)
class Case:
    """A change to the valid file, and the problem it must show."""

    code: str
    path: str
    change: Change
    item: str | None = None
    variant: int | None = None
    language: str | None = None
    severity: str = ""
    edition: str = "auto"


def results(document: Document) -> Document:
    found: Document = document["eloquent-robustness-results"]
    return found


def items(document: Document) -> list[Document]:
    found: list[Document] = results(document)["items"]
    return found


def setting(index: int, response: int, value: Any) -> Change:
    """Puts a response object in the place of one of the file's."""

    def change(document: Document) -> None:
        items(document)[index]["responses"][response] = value

    return change


def every_response(value: Any) -> Change:
    def change(document: Document) -> None:
        for entry in items(document):
            entry["responses"] = [value for _ in entry["responses"]]

    return change


def result_key(key: str, value: Any) -> Change:
    def change(document: Document) -> None:
        results(document)[key] = value

    return change


def english_only(document: Document) -> None:
    # English variants per item, counted in the table of the specification.
    english = [4, 4, 4, 2, 3, 3, 6, 4, 1, 2, 2, 4, 2, 3, 2, 3]
    for entry, count in zip(items(document), english, strict=True):
        entry["responses"] = entry["responses"][:count]


def two_samples(document: Document) -> None:
    for entry in items(document):
        entry["responses"] = entry["responses"] * 2


def two_digits(document: Document) -> None:
    for entry in items(document):
        entry["id"] = entry["id"][1:]


def swapped_items(document: Document) -> None:
    items(document).reverse()


def english_texts(text: str, count: int) -> Change:
    """Puts one text into the first responses of the English variants of items 001, 002, 003 and on."""

    def change(document: Document) -> None:
        # 001: variants 1-4 are English; 002: 6-9; 003: 1-4; 004: 1-2 (specification, shape).
        slots = [(0, v) for v in range(4)] + [(1, v) for v in range(5, 9)] + [(2, v) for v in range(4)] + [(3, 0)]
        for index, variant in slots[:count]:
            items(document)[index]["responses"][variant]["response"] = text

    return change


def demonstration_echoes(document: Document) -> Document:
    """A file for the demonstration set in which each response is its prompt."""
    test_set = json.loads((ROOT / "submissions/promptsets/demonstration.json").read_text("utf-8"))
    entries = [
        {"id": item["id"], "responses": [{"response": variant["prompt"]} for variant in item["variants"]]}
        for item in test_set["eloquent-robustness-test"]["items"]
    ]
    results(document)["items"] = entries
    return document


def demonstration_prompt(document: Document) -> Document:
    demonstration_echoes(document)
    for entry in items(document):
        entry["responses"] = [{"response": f"answer {entry['id']}"} for _ in entry["responses"]]
    items(document)[1]["responses"][2]["prompt"] = "Is this the question?"
    return document


def packed(change: Callable[[dict[str, str | bytes]], object]) -> Change:
    """A small 2026 run in place of the file, after a change of its files."""

    def pack(_: Document) -> bytes:
        files = run_files()
        change(files)
        return zipped(files)

    return pack


def described(**changes: Any) -> Change:
    """A small 2026 run with other metadata."""
    return packed(lambda files: files.update({METADATA: json.dumps(metadata(**changes))}))


def of_2025(**changes: Any) -> Change:
    """A file of 2025 in place of the file, with some fields changed."""
    turns = [{"question": "Tea?", "answer": "Yes."}]
    fields: Document = {
        "team": "aurora",
        "system": "aurora-7b",
        "submissionid": "run-1",
        "language": "en",
        "date": "2025-05-10",
        "label": "eloquent-2025-robustness",
        "questions": [{"questionid": 12, "turns": turns}],
    }
    return lambda _: {key: value for key, value in (fields | changes).items() if value is not None}


def in_text(old: str, new: str) -> Change:
    """Changes the first place of the file's text where something stands."""

    def change(document: Document) -> str:
        text = json.dumps(document)
        assert old in text
        return text.replace(old, new, 1)

    return change


ENGLISH_SENTENCE = "The weather is lovely today and we are going for a walk by the sea."

CASES = (
    # File
    Case("empty_file", "$", lambda _: b""),
    Case("file_too_big", "$", lambda document: json.dumps(document) + " " * 9_000_000),
    Case("binary", "$", lambda document: gzip.compress(json.dumps(document).encode())),
    Case("encoding", "$", lambda document: json.dumps(document).encode("utf-16")),
    Case("json_syntax", "file.json:1:2", lambda _: "{'source': 'aurora'}"),
    Case("json_multiple_documents", "file.json:2:1", lambda document: json.dumps(document) + "\n{}"),
    Case("duplicate_key", f"{RESULTS}.year", in_text('"year": "2024"', '"year": "2024", "year": "2023"')),
    # The object is level 1 and ends with column 4, so level 33 is the 32nd bracket, in column 36.
    Case("too_deep", "file.json:1:36", lambda _: '{"":' + "[" * 32 + "]" * 32 + "}"),
    Case("huge_number", "file.json:1:6", lambda _: '{"a":' + "1" * 65 + "}"),
    Case(
        "json_nan",
        f"{RESULTS}.items[0].responses[0]",
        in_text('"answer 001"', "NaN"),
        item="001",
        variant=1,
        language="en",
    ),
    Case(
        "lone_surrogate",
        f"{RESULTS}.items[0].responses[0]",
        in_text("answer 001", "\\ud83d"),
        item="001",
        variant=1,
        language="en",
    ),
    Case(
        "control_char",
        f"{RESULTS}.items[1].responses[0]",
        in_text("answer 002", "\\u0007"),
        item="002",
        variant=1,
        language="sv",
    ),
    # Root
    Case("wrong_root", "$", items),
    Case("is_test_set", "$.eloquent-robustness-test", lambda _: {"eloquent-robustness-test": {"items": []}}),
    Case("wrong_edition", "$", lambda _: None, edition="2025"),
    Case("wrong_kind", "$.kind", lambda _: {"kind": "recipes"}),
    Case("not_zip", "$", lambda _: '{"id": "1", "answer": "a"}\n{"id": "2", "answer": "b"}\n'),
    Case("label_missing", "$.label", of_2025(label=None)),
    Case("results_not_object", RESULTS, lambda _: {"eloquent-robustness-results": []}),
    Case("year_mismatch", f"{RESULTS}.year", result_key("year", "2023")),
    # Names
    Case("source_missing", f"{RESULTS}.source", result_key("source", "  ")),
    Case("source_type", f"{RESULTS}.source", result_key("source", 7)),
    Case("source_placeholder", f"{RESULTS}.source", result_key("source", "YOUR TEAM NAME")),
    Case("source_chars", f"{RESULTS}.source", result_key("source", "../aurora")),
    # Items
    Case("items_missing", f"{RESULTS}.items", result_key("items", [])),
    Case("items_type", f"{RESULTS}.items", result_key("items", {"001": []})),
    Case("id_missing", f"{RESULTS}.items[2].id", lambda document: items(document)[2].pop("id") and None),
    Case("unknown_id", f"{RESULTS}.items[2].id", lambda d: items(d)[2].update(id="017"), item="017"),
    Case("duplicate_id", f"{RESULTS}.items[2].id", lambda d: items(d)[2].update(id="001"), item="001"),
    Case("paper_numbering", f"{RESULTS}.items", two_digits),
    Case(
        "old_test_version",
        f"{RESULTS}.items",
        lambda d: items(d)[11].update(responses=[{"response": "a"}] * 3),
        item="012",
    ),
    Case("english_only_lists", f"{RESULTS}.items", english_only),
    Case("several_samples", f"{RESULTS}.items", two_samples),
    Case("responses_missing", f"{RESULTS}.items[3].responses", lambda d: items(d)[3].update(responses="a"), item="004"),
    Case(
        "response_count",
        f"{RESULTS}.items[3].responses",
        lambda d: items(d)[3].update(responses=[{"response": "a"}] * 7),
        item="004",
    ),
    Case(
        "response_key",
        f"{RESULTS}.items[0].responses[8]",
        setting(0, 8, {"answer": "a"}),
        item="001",
        variant=9,
        language="apc",
    ),
    Case(
        "response_type",
        f"{RESULTS}.items[0].responses[4].response",
        setting(0, 4, {"response": None}),
        item="001",
        variant=5,
        language="ar",
    ),
    Case(
        "response_too_long",
        f"{RESULTS}.items[13].responses[0]",
        setting(13, 0, {"response": "x" * 65_537}),
        item="014",
        variant=1,
        language="en",
    ),
    Case("turns_missing", "$.questions[0]", of_2025(questions=[{"questionid": 12, "answer": "Yes."}]), item="12"),
    Case("language_code", "$.language", of_2025(language="English")),
    Case("all_empty", f"{RESULTS}.items", every_response({"response": " "})),
    Case(
        "placeholder_response",
        f"{RESULTS}.items[1].responses[1]",
        setting(1, 1, {"response": "…"}),
        item="002",
        variant=2,
        language="sv",
    ),
    Case(
        "placeholder_response",
        f"{RESULTS}.items[0].responses[0]",
        every_response({"response": "..."}),
        item="001",
        variant=1,
        severity="error",
    ),
    Case(
        "placeholder_question",
        "$.questions[0].turns[0].question",
        lambda _: json.loads(question_template("de", eloquent_2025_set()).replace(b'"answer": ""', b'"answer": "Ja."')),
        item="1",
        language="de",
    ),
    # The zip of 2026
    Case("zip_damaged", "$", lambda _: zipped(run_files())[:-30]),
    Case(
        "zip_encrypted",
        "sv_specific.jsonl",
        lambda _: encrypted(zipped(run_files()), "sv_specific.jsonl"),
    ),
    Case("zip_path", "x.jsonl", packed(lambda files: files.update({"../x.jsonl": ""}))),
    Case(
        "zip_too_big", "sv_specific.jsonl", packed(lambda files: files.update({"sv_specific.jsonl": b" " * 33_554_433}))
    ),
    Case("zip_too_many", "$", packed(lambda files: files.update({f"{n}.txt": "" for n in range(120)}))),
    Case("zip_duplicate_entry", "EN_specific.jsonl", packed(lambda files: files.update({"EN_specific.jsonl": ""}))),
    Case("metadata_missing", METADATA, packed(lambda files: files.pop(METADATA))),
    Case("file_missing", f"{METADATA}:$.languages[5]", described(languages=[*LANGUAGES, "fr"]), language="fr"),
    Case("not_jsonl", "sv_specific.jsonl", packed(lambda files: files.update({"sv_specific.jsonl": "[]"}))),
    # Warnings
    Case("submissionid_chars", "$.submissionid", of_2025(submissionid="run 1")),
    Case("kind_missing", "sv_specific.jsonl", packed(lambda files: files.pop("sv_specific.jsonl")), language="sv"),
    Case("too_few_languages", f"{METADATA}:$.languages", lambda _: zipped(run_files(("en",)))),
    Case("language_unlisted", "el_unspecific.jsonl", described(languages=list(LANGUAGES[:4])), language="el"),
    Case("file_name", "README.txt", packed(lambda files: files.update({"README.txt": ""}))),
    Case("nested_folder", "$", lambda _: zipped({f"run/{name}": text for name, text in run_files().items()})),
    Case("junk_file", "$", packed(lambda files: files.update({"__MACOSX/._x": ""}))),
    Case(
        "max_new_tokens",
        f"{METADATA}:$.modifications.generation_params.max_new_tokens",
        described(modifications={"generation_params": {"max_new_tokens": 201}}),
    ),
    Case("utf8_bom", "$", lambda document: "\ufeff" + json.dumps(document)),
    Case("id_normalised", f"{RESULTS}.items[4].id", lambda d: items(d)[4].update(id=5), item="005"),
    Case("year_normalised", f"{RESULTS}.year", result_key("year", 2024)),
    Case(
        "responses_as_strings",
        f"{RESULTS}.items[0].responses[1]",
        setting(0, 1, "text"),
        item="001",
        variant=2,
        language="en",
    ),
    Case("extra_key", f"{RESULTS}.colour", result_key("colour", "blue")),
    Case("missing_items", f"{RESULTS}.items", lambda document: items(document).pop() and None),
    Case(
        "prompt_mismatch",
        f"{RESULTS}.items[1].responses[2]",
        demonstration_prompt,
        item="902",
        variant=3,
        language="en",
    ),
    Case(
        "language_mismatch",
        f"{RESULTS}.items[0].responses[0]",
        setting(0, 0, {"response": "a", "language": "sv"}),
        item="001",
        variant=1,
        language="en",
    ),
    Case(
        "language_alias",
        f"{RESULTS}.items[0].responses[0]",
        setting(0, 0, {"response": "a", "language": "EN"}),
        item="001",
        variant=1,
        language="en",
    ),
    Case("markup_in_source", f"{RESULTS}.source", result_key("source", "<b>aurora</b>")),
    Case("identity_conflict", f"{RESULTS}.system", result_key("system", "aurora-7b")),
    Case("metadata_field", f"{RESULTS}.model", result_key("model", 7)),
    # Guards: of 49 English responses 13 are one text (26.5 %, in items 001 to 004).
    Case("constant_response", f"{RESULTS}.items[0].responses[0]", english_texts("No.", 13), language="en"),
    Case("echoes_prompt", f"{RESULTS}.items[0].responses[0]", demonstration_echoes, item="901", variant=1),
    Case(
        "error_text",
        f"{RESULTS}.items[1].responses[0]",
        setting(1, 0, {"response": "HTTP 429 Too Many Requests"}),
        item="002",
        variant=1,
        language="sv",
    ),
    Case(
        "control_tokens",
        f"{RESULTS}.items[1].responses[0]",
        setting(1, 0, {"response": "<think>Hm</think> Ja."}),
        item="002",
        variant=1,
        language="sv",
    ),
    Case(
        "judge_verdict_in_response",
        f"{RESULTS}.items[1].responses[0]",
        setting(1, 0, {"response": "Similarity  score: 5"}),
        item="002",
        variant=1,
        language="sv",
    ),
    # Swedish: the 5 variants of 002 and none else have letters enough to vote; all five name English.
    Case(
        "wrong_language",
        f"{RESULTS}.items[1].responses[0]",
        lambda d: items(d)[1].update(responses=[{"response": f"{n}. {ENGLISH_SENTENCE}"} for n in range(13)]),
        item="002",
        variant=1,
        language="sv",
    ),
    # Notes
    Case("crlf", "$", lambda document: json.dumps(document, indent=1).replace("\n", "\r\n")),
    Case("item_order", f"{RESULTS}.items", swapped_items),
    Case(
        "skipped_responses",
        f"{RESULTS}.items[0].responses[4]",
        setting(0, 4, {"response": ""}),
        item="001",
        variant=5,
        language="ar",
    ),
    Case("set_unavailable", "$", lambda _: None),
    Case(
        "samples_read",
        "$",
        lambda _: json.dumps({"evaluation_id": "e", "sample_id": "1", "model_id": "a/b", "evaluation": {"score": 1}}),
    ),
    Case("pack_would_mend", "$", lambda _: json.dumps({"1-1": "An answer.", "1-2": "Another one."})),
)


def submitted(case: Case, document: Document) -> Any:
    """The document after the change: what the change gives back, or the document it changed."""
    changed = case.change(document)
    return document if changed is None else changed


@pytest.mark.parametrize("case", CASES, ids=[f"{case.code}-{index}" for index, case in enumerate(CASES)])
def test_a_file_shows_the_code_at_its_place(case: Case, check: Any, document: Document) -> None:
    from submissions.schema import Names

    names = Names(system="another") if case.code == "identity_conflict" else Names()
    report = check(submitted(case, copy.deepcopy(document)), edition=case.edition, names=names)
    found = [problem for problem in report.problems if problem.code == case.code]
    assert [problem.path for problem in found][:1] == [case.path]
    problem = found[0]
    assert problem.severity == (case.severity or CODES[case.code].severity)
    assert problem.item == case.item or case.item is None
    assert problem.variant == case.variant or case.variant is None
    assert problem.language == case.language or case.language is None
    assert problem.message.strip()
    assert problem.hint.strip()


def test_every_code_has_such_a_file() -> None:
    # formats/*/test_reader.py, formats/eloquent/test_edition_2025.py and test_guards.py, checking/test_pool.py
    others = {
        "question_not_registered",
        "language_sampled",
        *VERDICT_CODES,
        *PERSONALIZED_CODES,
        *CRS_CODES,
        *PERSE_CODES,
        *BUDGET_CODES,
        "hidden_prompt",  # tests/unit/submissions/promptsets/test_hidden.py: no set here hides its prompts
    }
    assert {case.code for case in CASES} == set(CODES) - others


def test_the_documentation_names_known_codes_and_links_to_the_list() -> None:
    listed = (ROOT / "docs/submit.md").read_text("utf-8").partition("## All codes")[2]
    assert "](../submissions/problem_codes.py)" in listed
    named = set(re.findall(r"^\| `(\w+)` \|", listed, re.MULTILINE))
    assert named
    assert named <= set(CODES)


def test_a_code_says_in_one_sentence_what_it_means() -> None:
    for code in CODES.values():
        assert code.meaning.endswith(".")
        assert "\n" not in code.meaning
