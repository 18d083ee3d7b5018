"""Laws of the 2025 and 2026 readers: they never raise, place every refusal, and no fault hides another's."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from submissions.check import CheckReport, check_submission
from submissions.promptsets import PromptSets, eloquent_2024_without_prompts, load_demonstration
from tests.property.mutants import JSON_VALUES, places, put
from tests.property.test_check_properties import RANK
from tests.unit.submissions.formats.eloquent.cultural_files import (
    LANGUAGES,
    METADATA,
    lines,
    metadata,
    row,
    run_files,
    zipped,
)

SETS = PromptSets(eloquent_2024_without_prompts(), load_demonstration())

QUESTIONS: dict[str, Any] = {
    "team": "aurora",
    "system": "aurora-7b",
    "submissionid": "run-1",
    "language": "en",
    "date": "2025-05-10",
    "label": "eloquent-2025-robustness",
    "questions": [
        {"questionid": number, "turns": [{"question": f"{number}?", "answer": f"a {number}"}] * turns}
        for number, turns in ((12, 2), (13, 1), (14, 3))
    ],
}
RUN = run_files()
RUN_BYTES = zipped(RUN)


def check(data: bytes, *, edition: str = "auto", keep_rows: bool = True) -> CheckReport:
    return check_submission(data, "file", edition=edition, prompt_sets=SETS, keep_rows=keep_rows)


def is_answered(data: bytes, edition: str = "auto") -> CheckReport:
    """What holds for the report of any file; the same whenever it is asked for."""
    report = check(data, edition=edition)
    shown = json.loads(json.dumps(report.as_json(), ensure_ascii=False).encode("utf-8"))
    assert {problem["code"] for problem in shown["problems"]} == set(shown["problems_by_code"])
    assert (report.decision == "refused") == any(problem["severity"] == "error" for problem in shown["problems"])
    for problem in shown["problems"]:
        assert all(problem[key].strip() and "\n" not in problem[key] for key in ("path", "message", "hint"))
    assert report.decision == "refused" or report.submission is not None
    assert check(data, edition=edition) == report
    small = check(data, edition=edition, keep_rows=False)
    assert (small.decision, small.problems, small.coverage) == (report.decision, report.problems, report.coverage)
    return report


@given(st.lists(st.tuples(st.sampled_from(places(QUESTIONS)), JSON_VALUES), min_size=1, max_size=4))
@settings(max_examples=300)
def test_any_value_in_any_place_of_a_2025_file_is_answered(changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    document = copy.deepcopy(QUESTIONS)
    for path, value in changes:
        put(document, path, value)
    is_answered(json.dumps(document).encode())


@given(st.lists(st.tuples(st.sampled_from(places(metadata())), JSON_VALUES), min_size=1, max_size=4))
@settings(max_examples=150)
def test_any_value_in_any_place_of_the_metadata_is_answered(changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    document = metadata()
    for path, value in changes:
        put(document, path, value)
    is_answered(zipped(RUN | {METADATA: json.dumps(document)}))


@given(
    st.lists(st.tuples(st.sampled_from(["id", "answer", "prompt", "x"]), JSON_VALUES), max_size=3),
    JSON_VALUES,
    st.integers(0, 3),
)
@settings(max_examples=200)
def test_any_value_in_a_row_is_answered(members: list[tuple[str, Any]], whole: Any, place: int) -> None:
    rows: list[Any] = [row("1"), row("2"), row("3")]
    rows.insert(place, {**row("4"), **dict(members)} if members else whole)
    is_answered(zipped(RUN | {"sv_unspecific.jsonl": lines(rows)}))


MEMBERS = st.dictionaries(
    st.sampled_from([*RUN, "fr_specific.jsonl", "uk_specific.jsonl", "../x", "a/b.jsonl", "README.md", "x.zip", "é"])
    | st.text(st.characters(codec="utf-8"), min_size=1, max_size=12),
    st.binary(max_size=60)
    | st.sampled_from([text if isinstance(text, bytes) else text.encode() for text in RUN.values()]),
    min_size=1,
    max_size=6,
)


@given(MEMBERS, st.booleans(), st.sampled_from(["auto", "2025", "2026"]))
@settings(max_examples=200)
def test_any_members_under_any_names_are_answered(members: dict[str, bytes], is_whole: bool, edition: str) -> None:
    is_answered(zipped({**(RUN if is_whole else {}), **members}), edition)


@given(st.randoms(use_true_random=False), st.integers(1, 8))
@settings(max_examples=1_000)
def test_a_zip_with_some_bytes_changed_is_answered(source: random.Random, n_changes: int) -> None:
    data = bytearray(RUN_BYTES)
    for _ in range(n_changes):
        place = source.randrange(len(data))
        match source.randrange(3):
            case 0:
                data[place] = source.randrange(256)
            case 1:
                del data[place : place + source.randrange(40)]
            case _:
                data[place:place] = source.choice(
                    [b"PK\x01\x02", b"PK\x05\x06", b"\x00", b"\xff" * 4, b"en_specific.jsonl"]
                )
    report = check(bytes(data))
    assert report.decision == "refused" or report.submission is not None
    assert check(bytes(data), keep_rows=False).problems == report.problems


def told(report: CheckReport) -> set[tuple[str, str]]:
    return {(problem.code, problem.path) for problem in report.problems if problem.severity == "error"}


FAULTY_ROWS = (row("2", None), row("999"), {"id": "2", "response": "a"}, row("2", "\ud83d"), "text", {"answer": "a"})


@given(
    st.lists(
        st.tuples(st.sampled_from(LANGUAGES), st.sampled_from(FAULTY_ROWS)),
        min_size=2,
        unique_by=lambda fault: fault[0],
    )
)
@settings(max_examples=60)
def test_a_further_fault_hides_no_other_and_improves_nothing(faults: list[tuple[str, Any]]) -> None:
    files = dict(RUN)
    before = check(zipped(files))
    for language, faulty in faults:
        files[f"{language}_unspecific.jsonl"] = lines([row("1"), faulty, row("3")])
        after = check(zipped(files))
        assert RANK[after.decision] >= RANK[before.decision]
        assert told(before) <= told(after)
        before = after
    assert len(told(before)) == len(faults)


@given(st.permutations(list(RUN)), st.booleans(), st.booleans(), st.booleans())
@settings(max_examples=60)
def test_order_line_ends_marks_and_escapes_change_no_answer(
    order: list[str], crlf: bool, mark: bool, escaped: bool
) -> None:
    files = RUN | {"sv_unspecific.jsonl": lines([row("1", "Å, å \U0001f600")])}
    plain = check(zipped(files))
    changed: dict[str, str | bytes] = {}
    for name in order:
        rows = [json.dumps(json.loads(line), ensure_ascii=escaped) for line in str(files[name]).splitlines()]
        changed[name] = ("\ufeff" if mark else "") + ("\r\n" if crlf else "\n").join(rows)
    report = check(zipped(changed))
    assert plain.submission is not None
    assert report.submission is not None
    assert report.submission.items == plain.submission.items
    assert report.coverage == plain.coverage
    assert set(report.problems_by_code) - set(plain.problems_by_code) <= {"crlf", "utf8_bom"}


@given(st.lists(st.text(max_size=12), min_size=1, max_size=20))
@settings(max_examples=60)
def test_what_was_written_is_what_is_read(answers: list[str]) -> None:
    written = [row(str(number), answer) for number, answer in enumerate(answers, start=1)]
    report = check(zipped(RUN | {"sv_unspecific.jsonl": lines(written)}))
    if report.submission is None:
        assert "control_char" in report.problems_by_code
        return
    read = {
        response.item_id: response.response
        for response in report.submission.responses()
        if (response.kind, response.language) == ("unspecific", "sv")
    }
    assert read == {one["id"]: one["answer"] for one in written}
