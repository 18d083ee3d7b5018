"""Reading JSON strictly: what Python's own reader would take silently or answer with odd exceptions."""

from __future__ import annotations

import json

import pytest

from submissions.reading.limits import Limits
from submissions.reading.strict_json import ABSENT, Document, RepeatedKeys, path_text, read_json, value_faults

SMALL = Limits(json_bytes=200, json_values=10, json_depth=3, number_characters=5)


def read(text: str | bytes, limits: Limits = Limits()) -> Document:
    return read_json(text.encode("utf-8") if isinstance(text, str) else text, "file.json", limits)


def codes(document: Document) -> list[str]:
    return [problem.code for problem in document.findings.problems]


def faults(text: str) -> list[tuple[str, str]]:
    return [(fault.code, path_text(fault.path)) for fault in value_faults(read(text).value)]


def test_a_sound_document_is_what_json_loads_gives() -> None:
    text = '{"a": [1, 2.5, true, null, "\\u00e5", {"b": "\\ud83d\\ude00"}]}'
    document = read(text)
    assert document.value == json.loads(text)
    assert codes(document) == []
    assert faults(text) == []


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty_file"),
        (b" \r\n\t", "empty_file"),
        (b"\xef\xbb\xbf", "empty_file"),
        (b"PK\x03\x04rest", "binary"),
        (b"\x1f\x8brest", "binary"),
        (b"%PDF-1.7", "binary"),
        (b"\x89PNG\r\n", "binary"),
        ("{}".encode("utf-16"), "encoding"),
        ("{}".encode("utf-16-be"), "encoding"),
        ("{}".encode("utf-32"), "encoding"),
        ("{}".encode("utf-32-le"), "encoding"),
        (b'{"a": "\xe9"}', "encoding"),
    ],
)
def test_bytes_that_are_no_json_text_are_named(data: bytes, code: str) -> None:
    document = read(data)
    assert document.value is ABSENT
    assert code in codes(document)


def test_wide_encodings_are_called_by_name() -> None:
    assert "UTF-16" in read("{}".encode("utf-16-le")).findings.problems[0].message
    assert "UTF-32" in read("{}".encode("utf-32")).findings.problems[0].message


def test_a_wrong_byte_is_placed() -> None:
    # Second line, after the four characters [, quote, a, ö.
    problem = read('[\n "aö'.encode() + b"\xff").findings.problems[0]
    assert problem.path == "file.json:2:5"
    assert "0xff" in problem.message


@pytest.mark.parametrize(
    "text", ['{"a" 1}', "[1,\n 2\n 3]", "{'a': 1}", '["a\nb"]', "[1, // one\n 2]", '{"a": tru', "nil"]
)
def test_a_syntax_error_stands_where_python_says(text: str) -> None:
    with pytest.raises(json.JSONDecodeError) as python:
        json.loads(text)
    problem = read(text).findings.problems[0]
    assert problem.code == "json_syntax"
    assert problem.path == f"file.json:{python.value.lineno}:{python.value.colno}"


def test_what_follows_the_document_is_a_second_one_or_a_fault() -> None:
    assert codes(read('{"a": 1}\n{"b": 2}')) == ["json_multiple_documents"]
    assert codes(read('{"a": 1}}')) == ["json_syntax"]
    assert read('{"a": 1}\n{"b": 2}').value == {"a": 1}


def test_limits_hold_at_their_edges() -> None:
    assert codes(read("[[[1]]]", SMALL)) == []
    assert codes(read("[[[[1]]]]", SMALL)) == ["too_deep"]
    # A list and nine numbers are ten values.
    assert codes(read("[1,1,1,1,1,1,1,1,1]", SMALL)) == []
    assert codes(read("[1,1,1,1,1,1,1,1,1,1]", SMALL)) == ["file_too_big"]
    # An object, five keys and five numbers are eleven.
    assert codes(read('{"a":1,"b":1,"c":1,"d":1,"e":1}', SMALL)) == ["file_too_big"]
    assert codes(read("[12345]", SMALL)) == []
    assert codes(read("[123456]", SMALL)) == ["huge_number"]
    assert codes(read('"' + "x" * 198 + '"', SMALL)) == []
    assert codes(read('"' + "x" * 199 + '"', SMALL)) == ["file_too_big"]


def test_brackets_and_numbers_inside_texts_do_not_count() -> None:
    assert codes(read('["[[[[[", "\\"[[[[[", "1234567890"]', SMALL)) == []


def test_deep_nesting_and_endless_numbers_raise_nothing() -> None:
    assert codes(read("[" * 100_000)) == ["too_deep"]
    assert codes(read('{"a":' * 100_000)) == ["too_deep"]
    assert codes(read("[" + "9" * 5_000 + "]")) == ["huge_number"]
    assert faults("[" + "9" * 5_000 + "]") == []


def test_numbers_json_does_not_know_are_faults_of_their_values() -> None:
    assert faults('{"a": [NaN, -Infinity, 1e999, -1e999, 1e99]}') == [
        ("json_nan", "$.a[0]"),
        ("json_nan", "$.a[1]"),
        ("json_nan", "$.a[2]"),
        ("json_nan", "$.a[3]"),
    ]


def test_half_characters_and_control_characters_are_found_in_texts_and_keys() -> None:
    assert faults('["\\ud83d", "a\\u0000", "\\t\\n\\r", "\\ud83d\\ude00"]') == [
        ("lone_surrogate", "$[0]"),
        ("control_char", "$[1]"),
    ]
    assert faults('{"\\u0001": 1}') == [("control_char", '$["\\u0001"]')]
    assert faults('["\\u007f", "\\u0085"]') == [("control_char", "$[0]"), ("control_char", "$[1]")]


def test_repeated_keys_keep_the_last_value_and_are_told() -> None:
    document = read('{"a": {"b": 1, "b": 2, "c": 3, "c": 4}}')
    assert isinstance(document.value, dict)
    inner = document.value["a"]
    assert isinstance(inner, RepeatedKeys)
    assert inner == {"b": 2, "c": 4}
    assert faults('{"a": {"b": 1, "b": 2, "c": 3, "c": 4}}') == [
        ("duplicate_key", "$.a.b"),
        ("duplicate_key", "$.a.c"),
    ]


def test_a_byte_order_mark_and_crlf_are_read_over() -> None:
    document = read('\ufeff{\r\n"a": 1}')
    assert document.value == {"a": 1}
    assert sorted(codes(document)) == ["crlf", "utf8_bom"]


def test_a_hundred_thousand_huge_numbers_are_counted_and_two_hundred_told() -> None:
    document = read("[" + ",".join(["1" * 70] * 100_000) + "]")
    assert document.findings.counts == {"huge_number": 100_000}
    assert len(document.findings.problems) == 200


def test_the_longest_run_of_escapes_is_read_in_modest_time() -> None:
    text = '["' + '\\"' * 4_000_000 + '"]'
    document = read(text)
    assert document.value == ['"' * 4_000_000]


def test_hints_name_what_most_often_leads_to_a_fault() -> None:
    def hint(text: str) -> str:
        return read(text).findings.problems[0].hint

    assert "web page" in hint("<!DOCTYPE html>")
    assert "json.dumps" in hint("{'a': 1}")
    assert "comments" in hint("[1, // one\n2]")
    assert "..." in hint("[\n...\n]")
    assert "\\n" in hint('["a\nb"]')
    assert "too early" in hint('{"a": [1, 2')
    assert "comma" in hint('{"a": 1 "b": 2}')


def test_an_emoji_changes_neither_what_is_read_nor_where_faults_are() -> None:
    assert read('{"a\U0001f600": ["\\u00e9 \U0001f600\\n", "\u20ac"]}').value == {
        "a\U0001f600": ["é \U0001f600\n", "€"]
    }
    assert read("\ufeff[1, \U0001f600]").findings.problems[-1].path == "file.json:1:5"
    # Columns count characters, so the emoji is one: brackets 1 and 5, quotes 2 and 4, the second document 7.
    assert read('["\U0001f600"] [1]').findings.problems[0].path == "file.json:1:7"
    assert read('["\U0001f600",\n"\U0001f600" 1]').findings.problems[0].path == "file.json:2:5"


def test_a_key_with_quotes_and_backslashes_is_escaped_in_a_path() -> None:
    assert path_text(("a\\", 'b"', 0)) == '$["a\\\\"]["b\\""][0]'
