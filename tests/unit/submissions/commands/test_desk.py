"""`python -m submissions submit|status|cancel|withdraw|rebuild`."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from submissions.__main__ import main
from submissions.promptsets import example_submissions
from submissions.store.notices import Webhook
from submissions.store.queue import FinishedRun
from submissions.store.store import Store


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("PLUMBLINE_ELOQUENT_DIR", raising=False)
    path = tmp_path / "keel.json"
    path.write_bytes(dict(example_submissions())["keel.json"])
    return path


def submitted(file: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["submit", str(file)]) == 0
    return capsys.readouterr().out.split()[1]


def status(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, object]]:
    assert main(["status", "--json", *arguments]) == 0
    found: list[dict[str, object]] = json.loads(capsys.readouterr().out)
    return found


def test_a_file_is_submitted_followed_and_withdrawn(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ticket = submitted(file, capsys)
    (row,) = status(capsys, ticket)
    assert (row["status"], row["position"], row["system"]) == ("queued", 1, "keel")
    assert main(["withdraw", ticket]) == 0
    assert capsys.readouterr().out == f"ticket {ticket} is withdrawn\n"
    assert [row["status"] for row in status(capsys)] == ["withdrawn"]


def test_a_webhook_is_given_with_the_file_and_its_secret_said_once(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    address = "https://hooks.example.org/T0"
    assert main(["submit", str(file), "--notify", address]) == 0
    secret = capsys.readouterr().out.splitlines()[-1].removeprefix("Secret of the webhook, said only now: ")
    store = Store.open(f"sqlite:///{file.parent / 'data' / 'plumbline.db'}")
    (ticket,) = store.tickets()
    store.cancel(ticket.id, "local")
    notice = store.take_notice()
    store.close()
    assert notice is not None
    assert notice.webhook == Webhook(address, secret)
    assert main(["status", ticket.id]) == 0
    assert main(["status", "--json"]) == 0
    shown = capsys.readouterr().out
    assert address not in shown
    assert secret not in shown


def test_a_webhook_that_cannot_be_used_is_refused_with_the_file(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["submit", str(file), "--notify", "http://hooks.example.org/T0"]) == 1
    said = "not submitted: The address of the webhook cannot be used: expected https://NAME/...\n"
    assert capsys.readouterr().err == said
    assert status(capsys) == []


SEASON = """
title = "All year"
set = "demonstration"
time_zone = "UTC"
opens = 2020-01-01T00:00:00
closes = 2999-12-30T00:00:00
freezes = 2999-12-31T00:00:00
terms = "Be fair."
"""


@pytest.fixture
def with_terms(file: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file, where a season states terms."""
    folder = file.parent / "seasons"
    folder.mkdir()
    (folder / "all_year.toml").write_text(SEASON, encoding="utf-8")
    monkeypatch.setenv("PLUMBLINE_SEASONS", str(folder))
    return file


def test_terms_are_accepted_by_an_option_and_asked_for_once(
    with_terms: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))  # nobody sits there: nobody is asked
    assert main(["submit", str(with_terms)]) == 1
    said = capsys.readouterr().err
    assert said.startswith("not submitted: Accept the terms of All year (version ")
    assert "/terms/all_year.txt) first" in said
    assert status(capsys) == []
    assert main(["submit", str(with_terms), "--accept-terms"]) == 0
    capsys.readouterr()
    assert main(["submit", str(with_terms), "--run", "again"]) == 0
    assert main(["season", "show", "all_year"]) == 0
    assert capsys.readouterr().out.splitlines()[-2].endswith("accepted by accounts: 1")


@pytest.mark.parametrize(("reply", "code"), [("y", 0), ("", 1), ("no", 1)])
def test_whoever_sits_at_a_terminal_is_shown_the_terms_and_asked(with_terms: Path, reply: str, code: int) -> None:
    person, terminal = pty.openpty()
    command = [sys.executable, "-m", "submissions", "submit", str(with_terms)]
    with subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, close_fds=True) as running:
        os.close(terminal)
        said = ""
        while "[y/N]" not in said:
            said += os.read(person, 4096).decode()
        assert "Be fair." in said
        os.write(person, f"{reply}\n".encode())
        with suppress(OSError):  # a terminal whose other side is gone
            while chunk := os.read(person, 4096):
                said += chunk.decode()
        assert running.wait() == code
    os.close(person)
    assert ("ticket " in said) == (code == 0)
    assert ("not submitted: Accept the terms" in said) == (code == 1)


def test_submit_and_status_say_about_when_it_will_be_scored(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["submit", str(file)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert "Expected to be scored in: no estimate yet: no worker is running" in said
    ticket = said[0].split()[1]
    store = Store.open(f"sqlite:///{file.parent / 'data' / 'plumbline.db'}")
    store.worker_seen("w", "pair")
    answers = store.require(ticket).answers
    assert answers
    store.close()
    # Nine runs of as many answers took 200, 313 and 400 s.
    finished = [FinishedRun("demonstration", "w", 50, 50, took, answers) for took in (200.0, 313.0, 400.0) * 3]
    monkeypatch.setattr(Store, "finished_runs", lambda self, newest: finished)
    assert main(["status", ticket]) == 0
    assert ", expected in about 5 min (3 min to 7 min)" in capsys.readouterr().out.splitlines()[0]
    (row,) = status(capsys, ticket)
    wait = row["wait"]
    assert isinstance(wait, dict)
    assert [wait[name] for name in ("low_s", "likely_s", "high_s")] == pytest.approx([200.0, 313.0, 400.0])
    assert main(["cancel", ticket]) == 0
    capsys.readouterr()
    (row,) = status(capsys, ticket)
    assert row["wait"] is None


def test_submit_says_whether_the_file_is_enough_for_a_rank_and_if_not_why(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["submit", str(file)]) == 0
    said = capsys.readouterr().out
    assert "enough for a rank: english yes, all yes" in said
    assert "will not be ranked" not in said
    document = json.loads(file.read_bytes())
    items = document["eloquent-robustness-results"]["items"]
    kept = len(items[0]["responses"])
    total = sum(len(item["responses"]) for item in items)
    for item in items[1:]:
        for response in item["responses"]:
            response["response"] = ""
    file.write_text(json.dumps(document))
    assert main(["submit", str(file)]) == 0
    said = capsys.readouterr().out
    assert f"coverage: {kept}/{total}" in said
    assert "enough for a rank: english no, all no" in said
    assert f"It will not be ranked: it answers {kept}/{total} prompts, too few in some groups" in said


def test_a_queued_submission_can_be_cancelled_once(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ticket = submitted(file, capsys)
    assert main(["cancel", ticket]) == 0
    with pytest.raises(SystemExit) as stopped:
        main(["cancel", ticket])
    assert stopped.value.code == 2
    assert "nothing left to cancel" in capsys.readouterr().err


def test_a_refused_file_ends_with_one_and_every_problem(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text('{"eloquent-robustness-results": {"source": "", "year": "1999", "items": [{"id": "901"}]}}')
    assert main(["submit", str(file)]) == 1
    said = capsys.readouterr().err
    assert all(code in said for code in ("source_missing", "year_mismatch", "responses_missing"))


@pytest.mark.parametrize(
    "arguments",
    [["submit"], ["submit", "nowhere.json"], ["status", "nobody"], ["withdraw", "nobody"], ["frobnicate"], ["rebuild"]],
)
def test_wrong_use_is_two_and_one_line(
    file: Path, arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLUMBLINE_DATA", str(file.parent / "untouched"))
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def known_of_answers(file: Path, ticket: str) -> tuple[int | None, str | None]:
    store = Store.open(f"sqlite:///{file.parent / 'data' / 'plumbline.db'}")
    found = store.require(ticket)
    store.close()
    return found.answers, found.answers_sha256


def test_a_deleted_database_is_rebuilt(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ticket = submitted(file, capsys)
    before = status(capsys)
    counted = known_of_answers(file, ticket)
    for path in (file.parent / "data").glob("plumbline.db*"):
        path.unlink()
    assert main(["rebuild"]) == 0
    assert "1 submissions restored" in capsys.readouterr().out
    after = status(capsys)
    assert [row["ticket"] for row in after] == [ticket]
    assert after[0]["received_at"] == before[0]["received_at"]
    assert after[0]["sha256"] == before[0]["sha256"]
    assert known_of_answers(file, ticket) == counted != (None, None)


def test_a_table_of_verdicts_is_submitted_with_its_flags(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = file.with_name("verdicts.csv")
    table.write_text(
        "judge,benchmark,task,model,query,order,raw_text\nj,demo,t,m,1,original,Choice: A\n"
        "j,demo,t,m,1,swapped,Choice: B\n"
    )
    flags = ["--options", "2", "--reference-model", "human", "--verdict-format", "choice"]
    assert main(["submit", str(table), *flags]) == 1
    assert "source_missing" in capsys.readouterr().err
    assert main(["submit", str(table), *flags, "--team", "aurora"]) == 0
    said = capsys.readouterr().out
    assert "Whether it is ranked is known when it is scored." in said
    (row,) = status(capsys, said.split()[1])
    assert (row["set"], row["team"]) == ("judges:demo", "aurora")
    assert row["options"] == {"options": 2, "reference_model": "human", "verdict_format": "choice"}


def test_who_reads_no_further_gets_no_traceback(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)  # as `head` does, here before anything is written
    with os.fdopen(writing, "wb") as unread:
        ended = subprocess.run(
            [sys.executable, "-m", "submissions", "template"],
            stdout=unread,
            stderr=subprocess.PIPE,
            env={**os.environ, "PLUMBLINE_DATA": str(tmp_path)},
            check=False,
        )
    assert (ended.stderr, ended.returncode) == (b"", 141)
