"""`python -m submissions pause|resume|hide|show|rejudge|rank|decisions`, and a database that cannot be opened."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

import pytest

from evaluator.__main__ import main as evaluator
from leaderboard.__main__ import main as leaderboard
from submissions.__main__ import main
from submissions.commands import organiser
from submissions.promptsets import example_submissions
from submissions.settings import Settings
from submissions.store.queue import JobStatus
from submissions.store.store import Store


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("PLUMBLINE_ELOQUENT_DIR", raising=False)
    return tmp_path / "data"


@pytest.fixture
def ticket(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """A scored run."""
    path = tmp_path / "keel.json"
    path.write_bytes(dict(example_submissions())["keel.json"])
    assert main(["submit", str(path)]) == 0
    store = Store.open(f"sqlite:///{data / 'plumbline.db'}")
    job = store.claim("w")
    assert job is not None
    store.finish(job.id, "w", "{}")
    store.close()
    return capsys.readouterr().out.split()[1]


def test_erasing_by_command_says_what_is_gone_and_where_something_may_still_be(
    data: Path, ticket: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    erase = ["erase", ticket, "--reason", "asked for by its team"]
    for arguments, said in (
        ([*erase[:3], "  "], "--reason is blank: say why, everybody can read it"),
        (erase, f"submission {ticket} is scored: what is erased never comes back, so withdraw, cancel or hide it"),
        (["erase", "nothing", "--reason", "x"], "'nothing'"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 2
        assert said in capsys.readouterr().err
    aside = data / "plumbline.db.damaged-20260101"
    aside.write_bytes(b"an older database")
    assert main(["withdraw", ticket]) == 0
    capsys.readouterr()
    assert main([*erase, "--by", "Olga"]) == 0
    act, *told = capsys.readouterr().out.splitlines()
    assert act.endswith(f"{ticket} its answers were erased, by Olga: asked for by its team")
    assert told == [
        "erased: its file, result, verdicts and embeddings; a page server forgets it at its restart",
        f"a database moved aside may have it: delete {aside}",
        "copies, exports and datasets made before have it: make them anew (docs/identity.md#erasing)",
    ]
    with pytest.raises(SystemExit):
        main(erase)
    assert "is erased already" in capsys.readouterr().err
    assert decisions(capsys) == [["erase", ticket, "Olga", "asked for by its team"]]
    # Of all that was sent only its tombstone is left: the database made anew has that, and boards have no row.
    assert main(["rebuild", "--anew"]) == 0
    assert "0 submissions restored, 1 in the database" in capsys.readouterr().out
    store = Store.open(f"sqlite:///{data / 'plumbline.db'}")
    assert (store.require(ticket).is_erased, store.results()) == (True, [])
    store.close()
    # It stays erased; another submission is restored beside it.
    other = tmp_path / "tide.json"
    other.write_bytes(dict(example_submissions())["tide.json"])
    assert main(["submit", str(other)]) == 0
    assert main(["rebuild", "--anew"]) == 0
    capsys.readouterr()
    assert main(["status", ticket]) == 0
    assert "withdrawn: its answers were erased: asked for by its team" in capsys.readouterr().out


def test_a_team_keeps_its_answers_by_command_and_the_archive_knows(
    data: Path, ticket: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["answers", ticket, "keep"]) == 0
    assert capsys.readouterr().out == f"ticket {ticket}: its team keeps its answers out of public exports\n"
    assert main(["rebuild", "--anew"]) == 0
    store = Store.open(f"sqlite:///{data / 'plumbline.db'}")
    assert store.answers_kept() == {ticket}
    store.close()
    with pytest.raises(SystemExit):
        main(["answers", ticket, "keep"])
    capsys.readouterr()
    assert main(["answers", ticket, "share"]) == 0
    # The option of `submit` says it of the team, once; also of a file that is known.
    path = tmp_path / "keel.json"
    for _ in range(2):
        assert main(["submit", str(path), "--keep-answers"]) == 0
    capsys.readouterr()
    assert [kind for kind, *_ in decisions(capsys)] == ["keep_answers", "share_answers", "keep_answers"]


def decisions(capsys: pytest.CaptureFixture[str]) -> list[list[str]]:
    assert main(["decisions", "--json"]) == 0
    return [[act["decision"], act["about"], act["by"], act["reason"]] for act in json.loads(capsys.readouterr().out)]


def test_what_is_done_by_command_is_done_and_logged(
    data: Path, ticket: str, capsys: pytest.CaptureFixture[str]
) -> None:
    because = ["--reason", "it quotes another team"]
    assert main(["rank", ticket, *because]) == 0
    assert main(["rank-latest", ticket, *because]) == 0
    assert main(["hide", ticket, *because, "--by", "Olga"]) == 0
    assert main(["show", ticket, *because]) == 0
    assert main(["rejudge", ticket, *because]) == 0
    assert main(["pause", *because]) == 0
    store = Store.open(f"sqlite:///{data / 'plumbline.db'}")
    assert store.require(ticket).status is JobStatus.QUEUED
    assert store.claim("w") is None
    assert main(["resume", *because]) == 0
    assert store.claim("w") is not None
    store.close()
    out = capsys.readouterr().out.splitlines()
    assert out[2].endswith(f"{ticket} hidden from the boards, by Olga: it quotes another team")
    assert out[5].endswith("paused the queue, by operator: it quotes another team")
    done = ["resume", "pause", "rerun", "show", "hide", "latest", "primary"]
    assert [kind for kind, *_ in decisions(capsys)] == done


def test_a_team_chooses_by_command_which_run_it_is_ranked_by(
    data: Path, ticket: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["choose", ticket]) == 0
    assert capsys.readouterr().out == f"ticket {ticket}: chosen as the run its system is ranked by\n"
    assert main(["choose", ticket, "--undo"]) == 0
    assert capsys.readouterr().out == f"ticket {ticket}: its system is ranked by its latest run again\n"
    for args, said in (([ticket, "--undo"], "is not the primary run"), (["nosuch"], "no submission has the ticket")):
        with pytest.raises(SystemExit):
            main(["choose", *args])
        assert said in capsys.readouterr().err
    assert [kind for kind, *_ in decisions(capsys)] == ["latest", "primary"]


def test_what_was_decided_survives_the_database(data: Path, ticket: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hide", ticket, "--reason", "it quotes another team"]) == 0
    capsys.readouterr()
    before = decisions(capsys)
    for path in data.glob("plumbline.db*"):
        path.unlink()
    assert main(["rebuild"]) == 0
    capsys.readouterr()
    assert decisions(capsys) == before == [["hide", ticket, "operator", "it quotes another team"]]
    store = Store.open(f"sqlite:///{data / 'plumbline.db'}")
    assert store.require(ticket).hidden == "it quotes another team"
    store.close()


RESULT = {"board": "consistency", "questions": [{"id": "7", "final": {"pairs": [{"key_ab": "k1", "key_ba": "k2"}]}}]}


def test_one_cell_is_judged_again_by_command_and_its_verdicts_are_kept(
    data: Path, ticket: str, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store.open(f"sqlite:///{data / 'plumbline.db'}")
    assert store.requeue(ticket, "to have a result with a cell")
    assert store.claim("w") is not None
    store.save_verdicts({"k1": "one", "k2": "two", "k3": "of another"})
    store.finish(ticket, "w", json.dumps(RESULT))
    assert main(["cells", ticket]) == 0
    assert capsys.readouterr().out == "question 7\n"
    assert main(["rejudge", ticket, "--cell", "question 7", "--reason", "its prompt was mended"]) == 0
    said = capsys.readouterr().out.strip()
    assert said.endswith(f"{ticket} to be judged again: the cell question 7, by operator: its prompt was mended")
    (act,) = store.acts()
    assert store.verdicts_set_aside(act.id) == {"k1": "one", "k2": "two"}
    assert store.load_verdicts(["k1", "k2", "k3"]) == {"k3": "of another"}
    assert store.result(ticket) == json.dumps(RESULT)
    store.close()
    with pytest.raises(SystemExit):
        main(["rejudge", ticket, "--cell", "question 8", "--reason", "x"])
    assert "is queued: only of a scored run one cell can be judged again" in capsys.readouterr().err


def test_runs_without_cells_say_why_by_command(data: Path, ticket: str, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, words in (
        (["cells", ticket], "nothing of it can be judged by itself"),
        (["cells", "nobody"], "no submission has the ticket 'nobody'"),
        (["rejudge", ticket, "--cell", "004 en", "--reason", "x"], "has no cell '004 en'"),
    ):
        with pytest.raises(SystemExit) as stopped:
            main(arguments)
        assert stopped.value.code == 2
        assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["hide", "nobody", "--reason", "x"], "no submission has the ticket 'nobody'"),
        (["pause", "--reason", "  "], "--reason is blank"),
        (["pause"], "required: --reason"),
        (["resume", "--reason", "x"], "the queue is not paused"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(
    data: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1


COMMANDS = {
    "status": (main, ["status"]),
    "withdraw": (main, ["withdraw", "t1"]),
    "pause": (main, ["pause", "--reason", "x"]),
    "verify": (evaluator, ["verify", "--judge", "scripted"]),
    "work": (evaluator, ["work", "--judge", "scripted"]),
    "export": (leaderboard, ["export", "out"]),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("mysql://host/db", "the database URL is not one of sqlite"),
        ("sqlite:////proc/nowhere/plumbline.db", "/proc/nowhere: "),
    ],
)
def test_a_database_that_cannot_be_opened_ends_a_command_with_one_sentence(
    data: Path,
    command: str,
    url: str,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PLUMBLINE_DATABASE_URL", url)
    monkeypatch.chdir(tmp_path)
    run, arguments = COMMANDS[command]
    with pytest.raises(SystemExit) as stopped:
        run(arguments)
    assert stopped.value.code == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1


def test_the_documented_commands_are_all_there_are() -> None:
    text = (Path(__file__).parents[4] / "docs" / "identity.md").read_text(encoding="utf-8")
    written = set(re.findall(r"^python -m submissions ([a-z-]+)", text, re.MULTILINE))
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers()
    organiser.add_commands(commands)
    assert written == {*commands.choices}


def test_the_documented_quotas_are_the_defaults() -> None:
    text = (Path(__file__).parents[4] / "docs" / "identity.md").read_text(encoding="utf-8")
    stated = {name: int(most) for most, name in re.findall(r"^\|[^|]+\| (\d+) \| `(\w+)` \|$", text, re.MULTILINE)}
    settings = Settings.from_env({})
    assert stated == {
        "PLUMBLINE_SUBMISSIONS_PER_DAY": settings.submissions_per_day,
        "PLUMBLINE_ACTIVE_RUNS": settings.active_runs,
        "PLUMBLINE_LAB_RUNS_PER_HOUR": settings.lab_runs_per_hour,
        "PLUMBLINE_VOTES_PER_DAY": settings.votes_per_day,
    }
