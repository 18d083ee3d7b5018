"""The 2026 reader: a zip of metadata and rows, read member by member."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from submissions.check import CheckReport, check_submission
from submissions.formats.eloquent.result import CulturalReading
from submissions.promptsets import PromptSets
from submissions.promptsets.cultural import ELOQUENT_2026
from submissions.promptsets.releases import release_of
from submissions.reading.limits import Limits
from submissions.schema import Item, Names, PromptSet, Variant
from tests.readings import read_as
from tests.unit.submissions.formats.eloquent.cultural_files import (
    LANGUAGES,
    METADATA,
    encrypted,
    lines,
    metadata,
    row,
    run_files,
    zipped,
)

Files = dict[str, str | bytes]
PARTIAL = {"missing_items", "set_unavailable"}
"""What the small run itself shows: it has 3 of 101 questions, and no official prompts are at hand."""


@pytest.fixture
def changed(check: Any) -> Callable[..., CheckReport]:
    """Checks the small run after a change of its files; the change may give other files back."""

    def changed(change: Callable[[Files], Files | None] = lambda _: None, **options: Any) -> CheckReport:
        files = run_files()
        report: CheckReport = check(zipped(change(files) or files), **options)
        return report

    return changed


def told(report: CheckReport) -> list[tuple[str, str]]:
    """Without the note that names a command: it has tests of its own."""
    apart = {*PARTIAL, "pack_would_mend"}
    return [(problem.code, problem.path) for problem in report.problems if problem.code not in apart]


def test_a_partial_run_is_accepted_and_read(changed: Any) -> None:
    report = changed()
    assert (report.decision, report.kind, report.edition) == ("accepted_with_warnings", "eloquent", "2026")
    assert told(report) == []
    submission = report.submission
    assert (submission.set_id, submission.date) == ("eloquent-2026", "2026-05-06")
    assert submission.names == Names("aurora", "aurora-7b", "aurora/7b", "run-1")
    assert dict(submission.modifications) == {"generation_params": '{"do_sample": false, "max_new_tokens": 200}'}
    # 3 unspecific and 6 specific prompts, each in 5 languages.
    assert [(item.item_id, len(item.responses)) for item in submission.items] == [
        (item_id, 5) for item_id in ("1", "2", "3", "1-1", "1-2", "2-1", "2-2", "3-1", "3-2")
    ]
    specific = submission.items[4].responses[2]
    assert (specific.item_id, specific.base_id, specific.kind, specific.variant) == ("1-2", "1", "specific", 2)
    assert (specific.language, specific.prompt, specific.response) == ("en", "Question 1-2?", "b 1")
    assert specific.turns == (("Question 1-2?", "b 1"),)
    assert submission.items[0].responses[0].kind == "unspecific"
    assert submission.items[0].responses[0].variant == 1


def test_missing_rows_are_told_once_per_language_and_counted(changed: Any) -> None:
    report = changed()
    missing = [problem for problem in report.problems if problem.code == "missing_items"]
    assert sorted(problem.language or "" for problem in missing) == ["de", "el", "en", "fi", "sv"]
    # 101 - 3 and 4,140 - 6.
    assert "98 of 101 unspecific (4, 5, 6, 7, 8, 9, 10, 11 and 90 more) and 4,134 of 4,140 spec" in missing[0].message
    assert report.as_json()["coverage"] | {"by_language": {}} == {
        "expected": 21_205,
        "answered": 45,
        "share": 45 / 21_205,
        "by_language": {},
        "by_kind": {"unspecific": {"expected": 505, "answered": 15}, "specific": {"expected": 20_700, "answered": 30}},
        "rankable": {"cultural": False},
    }


def test_without_its_rows_the_report_is_the_same_but_for_the_submission(check: Any, bare_sets: PromptSets) -> None:
    files = run_files()
    files["sv_unspecific.jsonl"] = lines([row("1", "HTTP 429"), row("2", ""), row("3", "ja")])
    data = zipped(files)
    whole, small = (
        check_submission(data, "run.zip", prompt_sets=bare_sets, keep_rows=keep_rows) for keep_rows in (True, False)
    )
    assert small.submission is None
    read, of_whole = read_as(CulturalReading, small), read_as(CulturalReading, whole)
    assert replace(small, reading=replace(read, submission=of_whole.submission)) == whole
    entry = read.entry
    assert entry is not None
    assert (entry.set_id, entry.languages, dict(entry.flags)) == (
        "eloquent-2026", ("de", "el", "en", "fi", "sv"), {"error_text": 1},
    )  # fmt: skip
    assert [response.response for response in entry.first_answers] == ["a 1", "a 2", "a 3", "b 1", "b 1"]
    assert small.entry is entry


def in_file(name: str, *rows: Any) -> Callable[[Files], None]:
    """A change that puts other rows into a file."""

    def change(files: Files) -> None:
        files[name] = lines(list(rows))

    return change


def metadata_with(**changes: Any) -> Callable[[Files], None]:
    def change(files: Files) -> None:
        files[METADATA] = json.dumps(metadata(**changes))

    return change


def renamed(old: str, new: str) -> Callable[[Files], Files]:
    return lambda files: {new if name == old else name: content for name, content in files.items()}


def without(*names: str) -> Callable[[Files], Files]:
    return lambda files: {name: content for name, content in files.items() if name not in names}


def adding(name: str, content: str | bytes) -> Callable[[Files], None]:
    return lambda files: files.update({name: content})


TWO_IDS = '{"id": "1", "id": "2", "answer": "a"}'
GENERATED = {"generation_params": {"max_new_tokens": 256}}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        # Metadata
        (without(METADATA), ("metadata_missing", METADATA)),
        (adding(METADATA, ""), ("empty_file", METADATA)),
        (adding(METADATA, "[]"), ("wrong_root", f"{METADATA}:$")),
        (adding(METADATA, '{"team": }'), ("json_syntax", f"{METADATA}:1:10")),
        (adding(METADATA, " " * 1_100_000), ("zip_too_big", METADATA)),
        (metadata_with(team=" "), ("source_missing", f"{METADATA}:$.team")),
        (metadata_with(team=[]), ("source_type", f"{METADATA}:$.team")),
        (metadata_with(date="YYYY-MM-DD"), ("source_placeholder", f"{METADATA}:$.date")),
        (metadata_with(model=None), ("metadata_field", f"{METADATA}:$.model")),
        (metadata_with(submissionid="run 1!"), ("submissionid_chars", f"{METADATA}:$.submissionid")),
        (metadata_with(label=None), ("label_missing", f"{METADATA}:$.label")),
        (metadata_with(label="eloquent-2025-robustness"), ("wrong_edition", f"{METADATA}:$.label")),
        (metadata_with(languages=None), ("metadata_field", f"{METADATA}:$.languages")),
        (metadata_with(languages="en"), ("metadata_field", f"{METADATA}:$.languages")),
        (metadata_with(languages=[*LANGUAGES, "nl"]), ("language_code", f"{METADATA}:$.languages[5]")),
        (metadata_with(languages=[*LANGUAGES, 7]), ("language_code", f"{METADATA}:$.languages[5]")),
        (metadata_with(languages=["en", "sv", "fi", "de", "EL"]), ("language_alias", f"{METADATA}:$.languages[4]")),
        (metadata_with(languages=["en", "sv", "fi", "de"]), ("language_unlisted", "el_unspecific.jsonl")),
        (metadata_with(modifications=7), ("metadata_field", f"{METADATA}:$.modifications")),
        (
            metadata_with(modifications={"system_prompt": 7}),
            ("metadata_field", f"{METADATA}:$.modifications.system_prompt"),
        ),
        (
            metadata_with(modifications=GENERATED),
            ("max_new_tokens", f"{METADATA}:$.modifications.generation_params.max_new_tokens"),
        ),
        (metadata_with(colour="blue"), ("extra_key", f"{METADATA}:$.colour")),
        # Files
        (without("el_unspecific.jsonl", "el_specific.jsonl"), ("file_missing", f"{METADATA}:$.languages[4]")),
        (without("el_specific.jsonl"), ("kind_missing", "el_specific.jsonl")),
        (renamed("el_specific.jsonl", "el_specific_.jsonl"), ("file_name", "el_specific_.jsonl")),
        (renamed("el_specific.jsonl", "EL_specific.jsonl"), ("language_alias", "EL_specific.jsonl")),
        (renamed(METADATA, METADATA.upper()), ("file_name", METADATA.upper())),
        (adding("README.txt", "hello"), ("file_name", "README.txt")),
        (adding("nl_specific.jsonl", "{}"), ("file_name", "nl_specific.jsonl")),
        (adding("inner.zip", zipped(run_files())), ("file_name", "inner.zip")),
        (adding("__MACOSX/._en_specific.jsonl", "x"), ("junk_file", "$")),
        (adding("sub/.DS_Store", "x"), ("junk_file", "$")),
        (renamed("el_specific.jsonl", "run/el_specific.jsonl"), ("nested_folder", "$")),
        (adding("../x.jsonl", "{}"), ("zip_path", "x.jsonl")),
        (adding("/etc/x.jsonl", "{}"), ("zip_path", "x.jsonl")),
        (adding("C:\\x.jsonl", "{}"), ("zip_path", "x.jsonl")),
        (adding("en_specific_.jsonl", "{}"), ("zip_duplicate_entry", "en_specific_.jsonl")),
        (adding("again/en_specific.jsonl", "{}"), ("zip_duplicate_entry", "en_specific.jsonl")),
        (adding("en_specific.jsonl", ""), ("empty_file", "en_specific.jsonl")),
        (adding("en_specific.jsonl", "\n \n"), ("empty_file", "en_specific.jsonl")),
        (adding("en_specific.jsonl", json.dumps([row("1-1")], indent=1)), ("not_jsonl", "en_specific.jsonl")),
        (adding("en_specific.jsonl", json.dumps({"1-1": "a"}, indent=1)), ("not_jsonl", "en_specific.jsonl")),
        (adding("en_specific.jsonl", "\ufeff" + lines([row("1-1")])), ("utf8_bom", "en_specific.jsonl")),
        (adding("en_specific.jsonl", lines([row("1-1")]).replace("\n", "\r\n")), ("crlf", "en_specific.jsonl")),
        (adding("en_specific.jsonl", lines([row("1-1")]).encode("utf-16")), ("encoding", "en_specific.jsonl")),
        (adding("en_specific.jsonl", b"\x1f\x8b\x08"), ("binary", "en_specific.jsonl")),
        (adding("en_specific.jsonl", b'{"id": "1-1", "answer": "\xff"}'), ("encoding", "en_specific.jsonl:1:26")),
        # Rows
        (in_file("en_specific.jsonl", row("1-1"), [row("1-2")]), ("id_missing", "en_specific.jsonl:2")),
        (in_file("en_specific.jsonl", {"answer": "a"}), ("id_missing", "en_specific.jsonl:1")),
        (in_file("en_specific.jsonl", row("  ")), ("id_missing", "en_specific.jsonl:1")),
        (in_file("en_specific.jsonl", row("1-1"), row("1-37")), ("unknown_id", "en_specific.jsonl:2")),
        (in_file("en_specific.jsonl", row("7-108"), row("7-109")), ("unknown_id", "en_specific.jsonl:2")),
        (in_file("en_specific.jsonl", row(1.5)), ("unknown_id", "en_specific.jsonl:1")),
        (in_file("en_unspecific.jsonl", row("101"), row("102")), ("unknown_id", "en_unspecific.jsonl:2")),
        (in_file("en_unspecific.jsonl", row("1-1")), ("unknown_id", "en_unspecific.jsonl:1")),
        (in_file("en_unspecific.jsonl", row("1"), row("1")), ("duplicate_id", "en_unspecific.jsonl:2")),
        (in_file("en_unspecific.jsonl", row("2"), row(7)), ("id_normalised", "en_unspecific.jsonl:2")),
        (in_file("en_specific.jsonl", row("7-03")), ("id_normalised", "en_specific.jsonl:1")),
        (in_file("en_unspecific.jsonl", {"id": "1", "response": "a"}), ("response_key", "en_unspecific.jsonl:1")),
        (in_file("en_unspecific.jsonl", row("1", None)), ("response_type", "en_unspecific.jsonl:1")),
        (in_file("en_unspecific.jsonl", row("1", "x" * 65_537)), ("response_too_long", "en_unspecific.jsonl:1")),
        (in_file("en_unspecific.jsonl", row("1", "\ud83d")), ("lone_surrogate", "en_unspecific.jsonl:1")),
        (in_file("en_unspecific.jsonl", row("1", "a\x07")), ("control_char", "en_unspecific.jsonl:1")),
        (in_file("en_unspecific.jsonl", row("1", float("inf"))), ("json_nan", "en_unspecific.jsonl:1")),
        (adding("sv_unspecific.jsonl", TWO_IDS), ("duplicate_key", "sv_unspecific.jsonl:1")),
        (adding("en_unspecific.jsonl", lines([row("1")]) + '{"id"'), ("json_syntax", "en_unspecific.jsonl:2:6")),
        (in_file("en_unspecific.jsonl", {**row("1"), "prompt": 7}), ("metadata_field", "en_unspecific.jsonl:1")),
        (in_file("en_unspecific.jsonl", row("1", model="x")), ("extra_key", "en_unspecific.jsonl:1")),
        (in_file("en_unspecific.jsonl", row("1", ""), row("2")), ("skipped_responses", "en_unspecific.jsonl:1")),
    ],
)  # fmt: skip
def test_one_fault_is_one_problem_at_its_place(changed: Any, change: Any, expected: tuple[str, str]) -> None:
    report = changed(change)
    assert told(report) == [expected]
    assert all(problem.message.strip() and problem.hint.strip() for problem in report.problems)
    assert (report.submission is None) == (report.decision == "refused" and report.entry is None)


def test_a_fault_of_a_row_names_its_prompt(changed: Any) -> None:
    problem = changed(in_file("sv_specific.jsonl", row("1-1"), row("7-40", 7))).problems[0]
    assert (problem.code, problem.item, problem.variant, problem.language) == ("response_type", "7-40", 40, "sv")


def test_a_broken_entry_stops_the_check_of_no_other(changed: Any) -> None:
    def broken(files: Files) -> None:
        files["en_specific.jsonl"] = ""
        files["sv_specific.jsonl"] = lines([row("1-1", 7)])
        files["fi_specific.jsonl"] = "[]"

    assert sorted(told(changed(broken))) == [
        ("empty_file", "en_specific.jsonl"),
        ("not_jsonl", "fi_specific.jsonl"),
        ("response_type", "sv_specific.jsonl:1"),
    ]


def test_a_zip_without_any_answers_is_refused(changed: Any) -> None:
    report = changed(lambda _: {METADATA: json.dumps(metadata(languages=[]))})
    assert told(report) == [("metadata_field", f"{METADATA}:$.languages"), ("items_missing", "$")]
    assert (report.decision, report.entry, report.coverage) == ("refused", None, None)


def test_ukrainian_is_ua_and_uk_is_read_as_it(changed: Any) -> None:
    def ukrainian(files: Files) -> None:
        files[METADATA] = json.dumps(metadata(languages=["en", "sv", "fi", "de", "el", "ua"]))
        files["uk_unspecific.jsonl"] = files["en_unspecific.jsonl"]
        files["ua_specific.jsonl"] = files["en_specific.jsonl"]

    report = changed(ukrainian)
    assert told(report) == [("language_alias", "uk_unspecific.jsonl")]
    assert "ua" in report.coverage.by_language


def test_fewer_than_five_languages_are_partial(check: Any) -> None:
    report = check(zipped(run_files(("en", "sv"))))
    assert (report.decision, told(report)) == (
        "accepted_with_warnings", [("too_few_languages", f"{METADATA}:$.languages")],
    )  # fmt: skip


def test_a_run_of_empty_answers_is_refused(check: Any) -> None:
    files = run_files()
    for name in files:
        if name != METADATA:
            kind = "1-1" if "_specific" in name else "1"
            files[name] = lines([row(kind, " ")])
    assert told(check(zipped(files))) == [("all_empty", "$")]


def test_prompts_are_compared_where_the_official_ones_are_at_hand(bare_sets: PromptSets) -> None:
    items = (
        Item("1", "unspecific", (Variant(1, "en", "Question 1?"), Variant(1, "sv", "Fråga 1?"))),
        Item("2", "unspecific", (Variant(1, "en", "Question\u200b  2?"),)),
    )
    sets = replace(bare_sets, eloquent_2026=PromptSet(ELOQUENT_2026, "2026", "2026", "1", None, items))
    report = check_submission(zipped(run_files()), "run.zip", prompt_sets=sets)
    mismatches = [problem for problem in report.problems if problem.code == "prompt_mismatch"]
    # Blanks and invisible signs do not count; the other prompts are not installed.
    assert [(problem.path, problem.item, problem.language) for problem in mismatches] == [
        ("sv_unspecific.jsonl:1", "1", "sv")
    ]
    assert "set_unavailable" not in report.problems_by_code


def test_the_form_fills_what_the_metadata_leave_open(changed: Any) -> None:
    form = Names(team="other", system="form", model="form", run="form")
    report = changed(metadata_with(system=None), names=form)
    assert report.names == Names("aurora", "form", "aurora/7b", "run-1")
    assert [code for code, _ in told(report)] == ["identity_conflict"] * 3


def test_a_language_in_one_text_is_constant_and_flagged(check: Any) -> None:
    files = run_files()
    files["sv_specific.jsonl"] = lines([row(f"{q}-{v}", "Nej.") for q in range(1, 8) for v in range(1, 4)])
    report = check(zipped(files))
    (problem,) = [problem for problem in report.problems if problem.code == "constant_response"]
    # 21 of 24 Swedish answers, in 7 base questions.
    assert (problem.path, problem.language) == ("sv_specific.jsonl:1", "sv")
    assert problem.message.startswith("21 of 24 ")
    flagged = [response for response in report.submission.responses() if "constant" in response.flags]
    assert {(response.language, response.response) for response in flagged} == {("sv", "Nej.")}


# --- hostile archives -------------------------------------------------------------------------------------------------


def test_a_zip_given_as_another_edition_is_binary(changed: Any) -> None:
    assert [problem.code for problem in changed(edition="2024").problems] == ["binary"]
    assert changed(edition="2026").decision == "accepted_with_warnings"


def test_an_encrypted_entry_is_told_and_the_others_are_read(check: Any) -> None:
    report = check(encrypted(zipped(run_files()), "sv_specific.jsonl"))
    assert told(report) == [("zip_encrypted", "sv_specific.jsonl")]
    assert report.coverage.by_language["en"].answered == 9


def test_a_damaged_entry_is_told_and_the_others_are_read(check: Any) -> None:
    data = bytearray(zipped(run_files(), zipfile.ZIP_STORED))
    data[data.find(b"Question 2-2") + 1] ^= 0xFF
    report = check(bytes(data))
    assert told(report) == [("zip_damaged", "en_specific.jsonl")]
    assert report.coverage.by_language["sv"].answered == 9


@pytest.mark.parametrize("part", [0.1, 0.5, 0.99])
def test_a_truncated_zip_is_damaged(check: Any, part: float) -> None:
    data = zipped(run_files())
    assert told(check(data[: int(len(data) * part)])) == [("zip_damaged", "$")]


def test_other_ways_of_packing_are_told(check: Any) -> None:
    report = check(zipped(run_files(), zipfile.ZIP_LZMA))
    assert {code for code, _ in told(report)} == {"zip_damaged"}
    assert "method 14" in report.problems[0].message


def test_headers_that_lie_about_sizes_cost_nothing(check: Any) -> None:
    data = bytearray(zipped(run_files()))
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        place = data.find(signature, data.find(signature) + 4)
        data[place + offset : place + offset + 4] = (2**31).to_bytes(4, "little")
    assert {code for code, _ in told(check(bytes(data)))} <= {"zip_damaged"}


def test_an_entry_that_expands_too_far_is_left_and_the_others_are_read(check: Any) -> None:
    files = run_files()
    files["sv_specific.jsonl"] = b" " * 3_000
    report = check(zipped(files), limits=replace(Limits(), zip_entry_bytes=2_000))
    assert told(report) == [("zip_too_big", "sv_specific.jsonl")]


def test_all_entries_together_are_bounded_and_told_once(check: Any) -> None:
    report = check(zipped(run_files()), limits=replace(Limits(), zip_bytes=2_000))
    assert [code for code, _ in told(report)] == ["zip_too_big"]


def test_more_entries_than_are_read_are_refused_unopened(check: Any) -> None:
    files = run_files() | {f"{number}.txt": "" for number in range(120)}
    assert told(check(zipped(files))) == [("zip_too_many", "$")]
    directory = b"PK\x03\x04 sv_specific.jsonl" + b"PK\x01\x02" * 200
    assert told(check(directory)) == [("zip_too_many", "$")]


def test_more_lines_than_are_read_are_refused_unread(check: Any) -> None:
    files = run_files()
    files["sv_specific.jsonl"] = lines([row("1-1")]) + "\n" * 50_000
    assert told(check(zipped(files))) == [("file_too_big", "sv_specific.jsonl")]


def test_an_entry_whose_name_is_a_blank_is_told_at_a_place_that_can_be_read(check: Any) -> None:
    assert ("file_name", '" "') in told(check(zipped({**run_files(), " ": b""})))


def test_the_same_name_twice_is_a_duplicate(check: Any) -> None:
    buffer = io.BytesIO(zipped(run_files()))
    with zipfile.ZipFile(buffer, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("sv_specific.jsonl", lines([row("1-1", "other")]))
    report = check(buffer.getvalue())
    assert told(report) == [("zip_duplicate_entry", "sv_specific.jsonl")]


def test_the_order_of_entries_and_rows_changes_no_response(check: Any) -> None:
    files = run_files()
    turned: Files = {}
    for name in reversed(files):
        content = files[name]
        assert isinstance(content, str)
        turned[name] = content if name == METADATA else "".join(content.splitlines(keepends=True)[::-1])
    one, other = check(zipped(files)), check(zipped(turned))
    assert other.submission.items == one.submission.items
    assert other.coverage == one.coverage


def test_names_given_with_a_zip_stand_in_for_its_metadata(check: Any) -> None:
    files = run_files()
    del files[METADATA]
    refused = check(zipped(files))
    assert refused.decision == "refused"
    assert "metadata_missing" in refused.problems_by_code
    accepted = check(zipped(files), names=Names("aurora", "aurora-7b", "aurora/7b", "run-1"))
    assert accepted.decision == "accepted_with_warnings"
    assert accepted.names == Names("aurora", "aurora-7b", "aurora/7b", "run-1")
    assert accepted.entry is not None
    (told_so,) = [problem for problem in accepted.problems if problem.code == "metadata_missing"]
    assert told_so.severity == "warning"


def test_prompts_are_compared_with_every_release_and_what_none_has_is_not_missing(bare_sets: PromptSets) -> None:
    def prompt_set(last: str) -> PromptSet:
        items = (
            Item("1", "unspecific", (Variant(1, "en", "Question 1?"),)),
            Item("2", "unspecific", (Variant(1, "en", last),)),
            Item("3", "unspecific", (Variant(1, "en", "Question 3?"),)),
        )
        return PromptSet(ELOQUENT_2026, "2026", "2026", "1", None, items)

    installed, further = prompt_set("Question 2"), release_of("2026-02-10", prompt_set("Question two?"))
    sets = replace(bare_sets, eloquent_2026=installed, further_2026=(further,))
    report = check_submission(zipped(run_files(("en",))), "run.zip", prompt_sets=sets)
    (mismatch,) = [problem for problem in report.problems if problem.code == "prompt_mismatch"]
    assert mismatch.message == (
        "1 of 3 prompts in en are not the official ones of their ids; nearest is the installed release: "
        '2: the file has "Question 2?", the release "Question 2"'
    )
    (missing,) = [problem for problem in report.problems if problem.code == "missing_items"]
    assert "98 of 101 unspecific (4, 5, 6, 7, 8, 9, 10, 11 and 90 more)" in missing.message
    assert missing.hint.startswith("Nothing to do: the installed release of the prompts does not have these.")


def test_no_hint_tells_a_team_to_remove_answers(check: Any) -> None:
    files = run_files() | {
        "de_specific_cot_llama.jsonl": "{}", "answers.json": "{}", "sv_Specific.jsonl": "{}", "fr_specific.jsonl": "x"
    }  # fmt: skip
    hints = [problem.hint for problem in check(zipped(files)).problems]
    assert not [hint for hint in hints if "emove" in hint]
    assert any("python -m submissions pack FILE" in hint for hint in hints)


def test_the_first_row_says_whose_prompts_a_zip_answers_and_the_ids_of_others_are_refused(check: Any) -> None:
    ours = {"xx_unspecific.jsonl": ("901", "902"), "xx_specific.jsonl": ("901-1", "901-2")}

    def zip_of(files: Mapping[str, tuple[str, ...]]) -> bytes:
        rows = {name.replace("xx", "en"): lines([row(one, "So.") for one in ids]) for name, ids in files.items()}
        return zipped({"submission_metadata.json": json.dumps(metadata(languages=["en"])), **rows})

    report = check(zip_of(ours))
    assert (report.decision, report.submission.set_id) == ("accepted_with_warnings", "demonstration-2026")
    report = check(zip_of({**ours, "xx_specific.jsonl": ("901-1", "7-3")}))
    (fault,) = [problem for problem in report.problems if problem.code == "unknown_id"]
    assert (fault.item, fault.message) == (
        "7-3",
        'there is no specific prompt the text "7-3"; the ids are "901-1" to "910-2"',
    )
