"""The record outlives kills, is written by one command at a time, and holds no text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluator.canary.pairs import own_pairs, pairs_digest
from evaluator.canary.record import RecordUnusable, folder_state, opened_record, read_record, record_path, records
from evaluator.judges.scripted import ScriptedJudge

PIN = ScriptedJudge().pin
DIGEST = pairs_digest(own_pairs())


def path_of(folder: Path) -> Path:
    return record_path(folder, PIN, DIGEST)


def test_what_was_asked_is_read_back(tmp_path: Path) -> None:
    with opened_record(tmp_path, PIN, DIGEST, 3) as record:
        found = record.add([4.00001, None, 2])
    assert found == read_record(path_of(tmp_path)) == records(tmp_path)[0]
    assert found.judge == PIN
    assert found.courses[0].asked[0].ratings == (4.0, None, 2.0)


def test_the_record_holds_no_text_of_a_pair(tmp_path: Path) -> None:
    with opened_record(tmp_path, PIN, DIGEST, 1) as record:
        record.add([3.0])
    written = path_of(tmp_path).read_text(encoding="utf-8")
    assert all(pair.a not in written and str(pair.id) not in written for pair in own_pairs())


def test_half_a_line_of_a_killed_command_is_overlooked_and_written_over(tmp_path: Path) -> None:
    with opened_record(tmp_path, PIN, DIGEST, 2) as record:
        record.add([1, 2])
    with path_of(tmp_path).open("ab") as stream:
        stream.write(b'{"at": "2026-')
    found = read_record(path_of(tmp_path))
    assert found is not None
    assert len(found.courses[0].asked) == 1
    with opened_record(tmp_path, PIN, DIGEST, 2) as record:
        assert len(record.add([1, 2]).courses[0].asked) == 2


def test_two_commands_do_not_ask_one_canary_at_a_time(tmp_path: Path) -> None:
    with (
        opened_record(tmp_path, PIN, DIGEST, 2),
        pytest.raises(RecordUnusable, match="another command"),
        opened_record(tmp_path, PIN, DIGEST, 2),
    ):
        pass


HEAD = json.dumps({"judge": PIN.model_dump(mode="json"), "pairs": DIGEST, "n": 2})


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[]\n", ":1: not a JSON object"),
        ('{"judge": {}}\n', ":1: expected the judge"),
        (f"{HEAD}\nnot JSON\n", ":2: not a JSON object"),
        (f'{HEAD}\n{{"at": "2026-09-01T00:00:00+00:00", "ratings": [1]}}\n', "1 ratings, expected 2"),
        (f'{HEAD}\n{{"at": "2026-09-01T00:00:00+00:00", "ratings": [1, 7]}}\n', "no number from 0 to 5"),
        (f'{HEAD}\n{{"at": "2026-09-01T00:00:00+00:00", "ratings": [1, NaN]}}\n', "no number from 0 to 5"),
        (f'{HEAD}\n{{"at": "yesterday", "ratings": [1, 2]}}\n', ":2: not a line this command writes"),
        (f"{HEAD}\n" + "[" * 100_000 + "\n", ":2: not a JSON object"),
    ],
)
def test_a_file_that_is_no_record_is_named_with_its_line(tmp_path: Path, text: str, place: str) -> None:
    path_of(tmp_path).write_text(text, encoding="utf-8")
    with pytest.raises(RecordUnusable) as raised:
        read_record(path_of(tmp_path))
    assert str(path_of(tmp_path)) in str(raised.value)
    assert place in str(raised.value)


def test_another_pin_or_other_pairs_have_a_record_of_their_own(tmp_path: Path) -> None:
    other = ScriptedJudge(script_version="2").pin
    assert len({record_path(tmp_path, *of) for of in ((PIN, DIGEST), (other, DIGEST), (PIN, "0" * 64))}) == 3


def test_the_state_of_a_folder_changes_with_every_line(tmp_path: Path) -> None:
    assert folder_state(tmp_path / "none") == ""
    states = set()
    with opened_record(tmp_path, PIN, DIGEST, 1) as record:
        for _ in range(3):
            record.add([1])
            states.add(folder_state(tmp_path))
    assert len(states) == 3
