"""The doctor says of any file what it is, what can be said from it, and how many labels its main figure needs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from evaluator.__main__ import main
from evaluator.doctor.diagnosis import EXIT_CODES, Diagnosis, diagnose
from evaluator.doctor.label_count import share_labels
from evaluator.doctor.text import diagnosis_text
from submissions.known_files import FILE_TYPES, look_at
from submissions.promptsets import PromptSets

DATA = Path(__file__).parents[3] / "data"
LOGS = DATA / "judge_logs"
REPORTS = sorted(path for path in (DATA / "reports").rglob("*") if path.is_file() and path.suffix != ".py")
FILES = [path for path in sorted(LOGS.rglob("*")) if path.suffix in (".json", ".jsonl", ".csv", ".parquet", ".eval")]


@pytest.fixture(scope="module")
def found() -> Any:
    prompt_sets = PromptSets.load(None)
    return lambda data, name: diagnose(data, name, prompt_sets)


@pytest.mark.parametrize("path", [*REPORTS, *FILES], ids=lambda path: str(path.relative_to(DATA)))
def test_every_handed_file_and_every_log_is_named_and_answered(path: Path, found: Any) -> None:
    diagnosis: Diagnosis = found(path.read_bytes(), path.name)
    assert diagnosis.outcome in EXIT_CODES
    assert diagnosis.is_a
    if diagnosis.outcome == "refused":
        assert diagnosis.faults
    elif diagnosis.outcome != "unknown":
        assert diagnosis.says
        assert diagnosis.takers
    json.dumps(diagnosis.as_json(), allow_nan=False)
    assert diagnosis_text(diagnosis).startswith(path.name)


@pytest.mark.parametrize(
    ("name", "kind", "outcome", "needed"),
    [
        # No labels: 1.96^2 x .25 / .05^2 = 384.1.
        ("fastchat_pair.jsonl", "fastchat", "read", 385),
        # Mean 5 of 8 right, sd .5175 over a scale of 1: (1.96 x .5175 / .05)^2 = 411.5 for either filter together: 16
        # ratings 1 x 8, 0 x 8, and as many by `exact`, so sd .508 and 397.
        ("printed_by_lm_eval/samples_counting.jsonl", "lm_eval", "read", 397),
    ],
)
def test_labels_are_counted_by_the_normal_approximation(
    name: str, kind: str, outcome: str, needed: int, found: Any
) -> None:
    diagnosis: Diagnosis = found((LOGS / name).read_bytes(), Path(name).name)
    assert (diagnosis.kind, diagnosis.outcome) == (kind, outcome)
    assert diagnosis.labels is not None
    assert diagnosis.labels.needed == needed


def test_a_share_needs_most_labels_at_one_half() -> None:
    assert [share_labels(share) for share in (0.5, 0.9, 0.1)] == [385, 139, 139]


def test_labels_of_the_log_itself_shrink_the_interval_by_the_root(found: Any) -> None:
    diagnosis: Diagnosis = found((LOGS / "reward_bench.json").read_bytes(), "reward_bench.json")
    labels = diagnosis.labels
    assert labels is not None
    assert labels.have == 11  # of twelve pairs; one reply names neither answer
    half_width = float(labels.how.split("±")[1].split(" ")[0])
    assert labels.needed == pytest.approx(11 * (half_width / 0.05) ** 2, rel=0.02)


def test_what_is_left_out_has_an_exit_code_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    path = LOGS / "printed_by_lm_eval" / "samples_plain_choice.jsonl"
    assert main(["doctor", str(path), "--json"]) == 3
    printed = json.loads(capsys.readouterr().out)
    assert printed["outcome"] == "read_in_part"
    assert printed["unread"][0]["count"] == 6


@pytest.mark.parametrize(
    ("data", "code"),
    [(b"", 4), (b"hello", 4), (b"\x89PNG....", 4), (b"[" * 100_000, 4), (b'{"a": 1}', 4), (b"PK\x03\x04 damaged", 4)],
)
def test_a_file_that_nothing_reads_has_an_exit_code_of_its_own(
    data: bytes, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_bytes(data)
    assert main(["doctor", str(tmp_path / "file")]) == code
    assert "nothing here reads it" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["test_run.json", "evaluation_result.json"])
def test_a_large_test_run_is_known_though_its_last_keys_are_out_of_sight(name: str) -> None:
    run = json.loads((LOGS / "printed_by_deep_eval" / name).read_bytes())
    key = "testCases" if "testCases" in run else "test_results"
    run[key] *= 2_000  # some 15 MB; the keys that stand behind are beyond a look
    seen, known = look_at(json.dumps(run).encode(), name)
    assert known is not None
    assert (known.key, seen.has("metricsScores"), seen.has("confident_link")) == ("deep_eval", False, False)


def test_of_a_long_list_figures_are_of_the_first_records_and_the_diagnosis_says_so(found: Any) -> None:
    rows = [{"id": f"q{number}", "answer": "a", "score": number % 5} for number in range(10_003)]
    diagnosis: Diagnosis = found(json.dumps(rows).encode(), "rated.json")
    assert "Figures are of the first 10,000 judgements; judge-report reads all." in diagnosis.says
    assert diagnosis.outcome == "read_in_part"  # what stands further on may be at fault


def test_the_same_fault_in_many_places_is_said_once_with_the_first_of_them(found: Any) -> None:
    diagnosis: Diagnosis = found((DATA / "reports/15_csv_systems_called_by_letters/verdicts.csv").read_bytes(), "v.csv")
    # Eight verdicts B, where a system is called B: lines 3, 5, 7, ...
    said = [fault for fault in diagnosis.faults if 'verdict is "B"' in fault.message]
    assert len(said) == 1
    assert said[0].place.endswith("places, the first at v.csv:3")
    assert diagnosis.n_faults >= len(diagnosis.faults)


HEADER = "judge,benchmark,task,model,query,order,verdict\n"


def verdicts(*said: str) -> bytes:
    rows = [f"j,b,t,m,{at // 2},{('original', 'swapped')[at % 2]},{word}\n" for at, word in enumerate(said)]
    return (HEADER + "".join(rows)).encode()


@pytest.mark.parametrize(
    ("data", "option", "reason"),
    [
        (verdicts("A", "B", "C", "C"), "--options 3", "Verdicts are C"),
        (verdicts("A", "B", "B", "A"), "--options N", "No verdict is C"),
    ],
)
def test_a_verdict_table_that_does_not_say_its_options_is_read_and_asks_for_them(
    data: bytes, option: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "v.csv").write_bytes(data)
    assert main(["doctor", str(tmp_path / "v.csv"), "--json"]) == 6
    printed = json.loads(capsys.readouterr().out)
    assert (printed["outcome"], printed["is_a"]) == ("needs_option", "a table of judge verdicts")
    assert [taker["command"] for taker in printed["takers"]] == [
        f"python -m submissions check v.csv {option}",
        f"python -m evaluator position-bias v.csv {option}",
    ]
    assert any("--options 2" in sentence and "--options 3" in sentence for sentence in printed["cannot_say"])
    assert any(reason in sentence for sentence in printed["cannot_say"])
    assert "verdicts: 4 rows, 2 pairs of 2 items, 0 unusable" in printed["says"]
    assert not any("nobody said" in fault["message"] for fault in printed["faults"])


def test_a_verdict_table_as_json_that_states_no_options_asks_for_them_too(found: Any) -> None:
    row = {"judge": "j", "benchmark": "b", "task": "t", "model": "m", "query": 1, "order": "original", "verdict": "A"}
    table = {"kind": "judge_verdicts", "schema_version": 1, "verdicts": [row, {**row, "order": "swapped"}]}
    assert found(json.dumps(table).encode(), "v.json").outcome == "needs_option"
    assert found(json.dumps({**table, "options": 3}).encode(), "v.json").outcome == "read_in_part"


def test_faults_of_rows_stand_beside_the_option_that_is_missing(found: Any) -> None:
    diagnosis = found(verdicts("A", "maybe"), "v.csv")
    assert diagnosis.outcome == "refused"
    said = " ".join(fault.message for fault in diagnosis.faults)
    assert "2 options" in said
    assert "maybe" in said


def test_a_folder_and_a_missing_file_are_wrong_use(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(SystemExit) as stopped:
            main(["doctor", str(path)])
        assert stopped.value.code == 2


def test_a_reader_that_does_not_end_is_ended_and_the_look_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("evaluator.commands.doctor.WALL_S", 0.0)
    assert main(["doctor", str(LOGS / "alpaca_eval.json")]) == 5
    assert "known, and not read within the time of this look" in capsys.readouterr().out


def test_it_runs_alone_as_a_command() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "evaluator", "doctor", str(LOGS / "table.csv"), "--json"],
        capture_output=True,
        check=False,
        text=True,
    )
    # Its columns have names of their own: nobody said which is which.
    assert ran.returncode == 1, ran.stderr
    assert json.loads(ran.stdout)["is_a"].startswith('a table with the columns "prompt_id", "left"')


@pytest.mark.parametrize("path", FILES[:12], ids=lambda path: path.name)
def test_a_damaged_file_is_never_a_traceback(path: Path, found: Any) -> None:
    data = path.read_bytes()
    for cut in range(0, len(data), max(1, len(data) // 7)):
        for damaged in (data[:cut], data[cut:], data[:cut] + b"\x00\xff{" + data[cut:]):
            assert found(damaged, path.name).outcome in EXIT_CODES


def test_the_docs_name_every_exit_code() -> None:
    docs = (DATA.parents[1] / "docs" / "doctor.md").read_text(encoding="utf-8")
    for outcome, code in EXIT_CODES.items():
        assert f"| {code} | `{outcome}` |" in docs
    assert {known.key for known in FILE_TYPES} <= {part for line in docs.splitlines() for part in line.split("`")}
