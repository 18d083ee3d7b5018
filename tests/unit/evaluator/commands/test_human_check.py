from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from evaluator.__main__ import main
from leaderboard.page.human_check_files import human_check_files
from submissions.store.store import Store
from submissions.store.votes import JudgedPair, Reading, Stance, VerdictVote

VOTES: tuple[tuple[str, Reading, Stance], ...] = (
    ("anna", "same", "agree"),
    ("ben", "same", "disagree"),
    ("anna", "different", "agree"),
    ("ben", "different", "agree"),
)
"""p_o = 3/4; the judge says same 2/4, people 1/4: p_e = 1/2; kappa 1/2."""


@pytest.fixture
def votes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[VerdictVote]:
    """Stored votes: four, the same on seven items; one on an own run; one taken back."""
    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path))
    store = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}")
    for item in range(7):
        for person, reading, stance in VOTES:
            verdict = JudgedPair(f"{item}-{reading}", "ab" * 32, "embedding", reading, 4.0, f"set 90{item}", "t1")
            store.cast_vote(person, verdict, stance)
    own = JudgedPair("own", "ab" * 32, "embedding", "same", 4.0, "set 901", "t1")
    store.cast_vote("owner", own, "agree", is_own=True)
    store.cast_vote("carl", own, "agree")
    store.cast_vote("carl", own, "none")
    found = store.verdict_votes()
    store.close()
    return found


def test_the_figures_are_made_anew_from_the_stored_votes(
    votes: list[VerdictVote], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["human-check"]) == 0
    assert capsys.readouterr().out == (
        "embedding abababababab: kappa 0.500 [0.500, 0.500], votes 28, agree 21, people 2, verdicts 14, "
        "own votes left out 1\n"
    )
    assert main(["human-check", "--json"]) == 0
    said = capsys.readouterr().out
    assert len(json.loads(said)["votes"]) == 28
    assert "anna" not in said


def test_without_votes_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path))
    assert main(["human-check"]) == 0
    assert capsys.readouterr().out == "nobody has voted\n"
    assert human_check_files([]) == {}


def test_an_exported_file_gives_the_same_kappa_by_the_agreement_command(
    votes: list[VerdictVote], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = human_check_files(votes)
    assert sorted(files) == ["human_check/abababababababab.csv", "human_check/judges.json"]
    (figures,) = json.loads(files["human_check/judges.json"])
    path = tmp_path / "votes.csv"
    path.write_bytes(files["human_check/abababababababab.csv"])
    columns = ["--truth", "person_says", "--prediction", "judge_says", "--cluster", "item"]
    assert main(["agreement", str(path), *columns, "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert (again["kappa"], again["kappa_ci"]) == (figures["kappa"], figures["kappa_ci"])
    assert again["n"] == figures["votes"] == 28


def test_files_name_nobody_and_no_moment_and_disarm_formulas() -> None:
    pair = JudgedPair("v1", "cd" * 32, '=HYPERLINK("x")', "same", 4.0, "set 901", "t1")
    files = human_check_files([VerdictVote("anna", pair, "agree", False, datetime(2026, 11, 21, tzinfo=UTC))])
    (row,) = csv.DictReader(io.StringIO(files["human_check/cdcdcdcdcdcdcdcd.csv"].decode()))
    assert set(row) == {"person", "judge", "judge_sha256", "verdict", "item", "judge_says", "person_says", "score"}
    assert row["person"] == "person 1"
    assert row["judge"].startswith("'=")
