"""What a file is told to be, from its content alone."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest

from submissions.check import check_submission
from submissions.formats.eloquent.kind import JSON_EDITIONS
from submissions.kinds import stated_kinds

ROOT_KEY = "eloquent-robustness-results"
FILE_2025 = {"team": "aurora", "label": "eloquent-2025-robustness", "questions": []}
OF_2025 = ["items_missing", "language_code", "metadata_field"]
"""What such a file lacks."""


def packed(*names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, "{}")
    return buffer.getvalue()


def answer(check: Any, content: Any, edition: str = "auto") -> tuple[str | None, str | None, list[str]]:
    report = check(content, edition=edition)
    assert report.decision == "refused"
    assert report.submission is None
    codes = {problem.code for problem in report.problems} - {"pack_would_mend"}  # names a command: tried elsewhere
    return report.kind, report.edition, sorted(codes)


def test_another_edition_is_named(check: Any, document: Any) -> None:
    assert answer(check, FILE_2025) == ("eloquent", "2025", OF_2025)
    assert answer(check, {"label": "eloquent-2025-robustness"}) == ("eloquent", "2025", [*OF_2025, "source_missing"])
    assert answer(check, FILE_2025, "2024") == ("eloquent", "2025", ["wrong_edition"])
    assert answer(check, document, "2026") == ("eloquent", "2024", ["wrong_edition"])
    assert "2025" in check(FILE_2025, edition="2024").problems[0].message


def test_a_2024_file_asked_for_as_such_is_read(check: Any, document: Any) -> None:
    assert check(document, edition="2024").decision == "accepted"


def test_the_first_format_that_recognises_a_document_has_it(check: Any, document: Any) -> None:
    assert check({**document, "questions": []}).edition == "2024"
    assert [known.edition for known in JSON_EDITIONS] == ["2024", "2025"]


def test_zips_are_of_2026_or_nothing(check: Any) -> None:
    zip_2026 = packed("submission_metadata.json", "sv_specific.jsonl")
    assert answer(check, zip_2026)[:2] == ("eloquent", "2026")
    assert answer(check, zip_2026, "2026")[:2] == ("eloquent", "2026")
    assert answer(check, zip_2026, "2024") == (None, None, ["binary"])
    assert answer(check, packed("aurora.json")) == (None, None, ["binary"])
    assert answer(check, zip_2026[:60] + b".jsonl") == ("eloquent", "2026", ["zip_damaged"])


def test_a_zip_of_a_million_names_is_not_opened(check: Any) -> None:
    directory = b"PK\x03\x04 sv_specific.jsonl" + b"PK\x01\x02" * 200
    assert answer(check, directory) == ("eloquent", "2026", ["zip_too_many"])


def test_single_files_of_2026_are_told_to_be_zipped(check: Any) -> None:
    rows = '{"id": "1", "prompt": "p", "answer": "a"}\n{"id": "2", "prompt": "p", "answer": "a"}\n'
    assert answer(check, rows) == ("eloquent", "2026", ["not_zip"])
    assert answer(check, rows.splitlines()[0]) == ("eloquent", "2026", ["not_zip"])
    assert answer(check, {"label": "eloquent-2026-cultural"}) == ("eloquent", "2026", ["not_zip"])
    assert answer(check, rows.splitlines()[0], "2024") == ("eloquent", "2026", ["wrong_edition"])


@pytest.mark.parametrize("kind", sorted(stated_kinds()))
def test_the_kinds_of_the_other_boards_are_read_by_their_readers(check: Any, kind: str) -> None:
    found_kind, edition, codes = answer(check, {"kind": kind, "rows": []})
    assert (found_kind, edition) == (kind, None)
    assert "envelope_field" in codes
    assert "wrong_kind" not in codes


def test_an_unknown_kind_is_told_the_known_ones(check: Any) -> None:
    assert answer(check, {"kind": "recipes"}) == (None, None, ["wrong_kind"])
    assert "judge_verdicts" in check({"kind": "recipes"}).problems[0].message
    assert "personalized_answers" in check({"kind": "recipes"}).problems[0].message


def test_a_table_of_verdicts_is_recognised_by_its_header(check: Any) -> None:
    table = "judge,task,model,query,benchmark,order,verdict\ngpt,coding,a,1,mt,original,A\n"
    assert answer(check, table) == ("judge_verdicts", None, ["envelope_field"])  # nobody said how many options
    assert answer(check, "judge,raw_text\n")[0] == "judge_verdicts"
    assert answer(check, "a,b\n1,2\n") == (None, None, ["wrong_kind"])


def test_any_other_table_is_named_by_its_columns_and_sent_where_it_is_read(bare_sets: Any) -> None:
    report = check_submission(b"a,b\n1,2\n", "some.CSV", prompt_sets=bare_sets)
    assert report.kind is None
    [problem] = report.problems
    assert problem.message == 'this is a table with the columns "a", "b", no submission'
    assert "judge, benchmark, task, model, query, order and verdict" in problem.hint
    assert problem.hint.endswith("python -m evaluator judge-report some.CSV")
    for data, code in ((b"", "empty_file"), (b"{", "json_syntax"), (b"\x1f\x8b\x08", "binary")):
        assert check_submission(data, "some.csv", prompt_sets=bare_sets).problems_by_code == {code: 1}


def test_the_test_set_is_recognised_filled_in_or_not(check: Any) -> None:
    assert answer(check, {"eloquent-robustness-test": {}}) == ("eloquent", "2024", ["is_test_set"])


@pytest.mark.parametrize(
    "key", ["eloquent_robustness_results", "Eloquent-Robustness-Results", "eloquent-robustness-result"]
)
def test_a_key_that_is_nearly_right_is_named(check: Any, document: Any, key: str) -> None:
    problem, note = check({key: document[ROOT_KEY]}).problems
    assert (problem.code, note.code) == ("wrong_root", "pack_would_mend")
    assert key in problem.message
    assert ROOT_KEY in problem.hint


def test_missing_wrappers_are_named(check: Any, document: Any) -> None:
    items = check(document[ROOT_KEY]["items"]).problems[0]
    assert items.message.startswith("your file is a list of ")
    assert items.message.endswith("; a submission starts with {...}")
    assert ROOT_KEY in items.hint  # what to put it into
    assert "outermost" in check(document[ROOT_KEY]).problems[0].message
    assert "your file is one item" in check(document[ROOT_KEY]["items"][0]).problems[0].message


@pytest.mark.parametrize("value", [7, "text", None, True, [], [1], {}, {"a": 1}])
def test_anything_else_has_a_wrong_root(check: Any, value: Any) -> None:
    # As JSON text: a bare text would be taken as the file's content.
    assert answer(check, json.dumps(value)) == (None, None, ["wrong_root"])


def test_lines_of_json_are_one_problem(check: Any, document: Any) -> None:
    lines = "\n".join(json.dumps(item) for item in document[ROOT_KEY]["items"])
    assert answer(check, lines) == (None, None, ["json_multiple_documents"])


def test_a_second_document_does_not_hide_the_faults_of_the_first(check: Any, document: Any) -> None:
    document[ROOT_KEY]["source"] = ""
    assert answer(check, json.dumps(document) + "{}")[2] == [
        "json_multiple_documents",
        "set_unavailable",
        "source_missing",
    ]
