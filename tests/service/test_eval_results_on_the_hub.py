"""Evaluation results as a pull request on a model repository of the Hub. It is a fake one."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import huggingface_hub
import pytest
import yaml  # type: ignore[import-untyped]
from huggingface_hub import EvalResultEntry, close_session, eval_result_entries_to_yaml, parse_eval_result_entries

from leaderboard.__main__ import main
from leaderboard.eval_results.model_card import FILE, TITLE
from leaderboard.eval_results.pull_request import SCOPE, TOKENS, NotOpened, StillOpen, open_pull_request
from tests.service.fake_hub import READER, TOKEN, FakeHub
from tests.unit.leaderboard.boards.editions.test_screen import House, question_file

MODEL = "harbour/keel-7b"
DATASET = "harbour/plumbline-results"
ENTRY = EvalResultEntry(dataset_id=DATASET, task_id="consistency/2025", value=10 / 3, date="2026-03-10T12:00:00+00:00")
OTHER = EvalResultEntry(dataset_id="cais/hle", task_id="hle", value=20.9, notes="no-tools")


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_DISABLE_XET", True)
    with FakeHub() as fake:
        yield fake
    close_session()


def proposed(hub: FakeHub) -> list[EvalResultEntry]:
    """What the newest pull request adds, as the Hub's own client reads it."""
    (path,) = hub.pull_requests[-1].files
    assert path == FILE
    return parse_eval_result_entries(yaml.safe_load(hub.pull_requests[-1].files[path]))


def opened(hub: FakeHub, *entries: EvalResultEntry, token: str = TOKEN, repo_id: str = MODEL) -> str:
    return open_pull_request(repo_id, entries or (ENTRY,), "What was measured.", token=token, endpoint=hub.endpoint)


def test_a_pull_request_is_opened_and_the_repository_stays_as_it_is(hub: FakeHub) -> None:
    commit = hub.add(MODEL, {"README.md": b"# Keel"})
    assert opened(hub) == f"{hub.endpoint}/{MODEL}/discussions/1"
    made = hub.pull_requests[0]
    assert (made.repo_id, made.title, made.description, made.parent) == (MODEL, TITLE, "What was measured.", commit)
    assert proposed(hub) == [ENTRY]
    assert set(hub.files(MODEL)) == {"README.md"}
    assert hub.unknown == []


def test_entries_of_other_benchmarks_in_the_file_stay_and_our_former_value_is_replaced(hub: FakeHub) -> None:
    former = EvalResultEntry(dataset_id=DATASET, task_id=ENTRY.task_id, value=1.0)
    present = yaml.safe_dump(eval_result_entries_to_yaml([OTHER, former])).encode()
    hub.add(MODEL, {FILE: present})
    opened(hub)
    assert proposed(hub) == [OTHER, ENTRY]


def test_what_the_repository_says_already_is_not_proposed_again(hub: FakeHub) -> None:
    hub.add(MODEL, {})
    opened(hub)
    hub.add(MODEL, hub.pull_requests[0].files, "merged")
    assert opened(hub) == ""
    assert len(hub.pull_requests) == 1


def test_while_one_is_open_no_second_one_is_opened_and_its_address_is_told(hub: FakeHub) -> None:
    hub.add(MODEL, {})
    opened(hub)
    newer = replace(ENTRY, value=3.5)
    with pytest.raises(StillOpen) as waiting:
        opened(hub, newer)
    assert waiting.value.address == f"{hub.endpoint}/{MODEL}/discussions/1"
    assert str(waiting.value).startswith(f"still open: {waiting.value.address} (")
    assert len(hub.pull_requests) == 1
    # Closed, it is out of the way.
    hub.pull_requests[0] = replace(hub.pull_requests[0], status="closed")
    assert opened(hub, newer) == f"{hub.endpoint}/{MODEL}/discussions/2"
    assert proposed(hub) == [newer]
    assert hub.unknown == []


def test_pull_requests_of_others_and_about_other_things_are_in_nobodys_way(hub: FakeHub) -> None:
    hub.add(MODEL, {})
    opened(hub)
    first = hub.pull_requests[0]
    # Somebody else's in our words; three of the same account's in others; one on another model.
    hub.pull_requests[:] = [
        replace(first, author="ben"),
        *(replace(first, title=f"Mend the card {number}") for number in range(3)),
        replace(first, repo_id="harbour/mast-7b"),
    ]
    opened(hub)
    assert len(hub.pull_requests) == 6
    # And ours is found behind them, on the second page of the answer.
    hub.pull_requests[:] = [first, *(replace(first, title=f"Mend the card {number}") for number in range(3))]
    with pytest.raises(StillOpen, match="/discussions/1 "):
        opened(hub)


@pytest.mark.parametrize("present", [b"- [", b"just words", b"- value: 1"])
def test_a_file_that_is_something_else_is_not_overwritten(hub: FakeHub, present: bytes) -> None:
    hub.add(MODEL, {FILE: present})
    with pytest.raises(NotOpened, match="is no list of evaluation results"):
        opened(hub)
    assert hub.pull_requests == []


def test_a_token_without_the_scope_is_told_which_and_where_to_give_it(hub: FakeHub) -> None:
    hub.add(MODEL, {})
    with pytest.raises(NotOpened) as refused:
        opened(hub, token=READER)
    said = str(refused.value)
    assert "status 403" in said
    assert SCOPE in said
    assert TOKENS in said
    assert READER not in said
    assert hub.pull_requests == []


def test_a_token_nobody_knows_is_told_so(hub: FakeHub) -> None:
    hub.add(MODEL, {})
    with pytest.raises(NotOpened, match=r"does not know this token \(status 401\)") as refused:
        opened(hub, token="hf_nobodys")
    assert "hf_nobodys" not in str(refused.value)


def test_a_repository_that_is_not_there_and_a_name_that_is_none(hub: FakeHub) -> None:
    with pytest.raises(NotOpened, match="the Hub has no model repository harbour/nobody, or it is private"):
        opened(hub, repo_id="harbour/nobody")
    with pytest.raises(NotOpened, match="is no name of a repository"):
        opened(hub, repo_id="harbour/../keel")


def test_a_hub_that_fails_or_is_not_there_is_one_sentence(hub: FakeHub) -> None:
    hub.add(MODEL, {})
    hub.inject("commit", "refused", 400)
    with pytest.raises(NotOpened, match="the Hub opened no pull request: "):
        opened(hub)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nowhere = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(NotOpened, match="the Hub cannot be reached: "):
        open_pull_request(MODEL, [ENTRY], "words", token=TOKEN, endpoint=nowhere)


# --- by command ------------------------------------------------------------------------------------------------------


@pytest.fixture
def command(
    hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    monkeypatch.setenv("PLUMBLINE_DATABASE_URL", f"sqlite:///{tmp_path / 'plumbline.db'}")
    monkeypatch.setenv("PLUMBLINE_DATA_DIR", str(tmp_path))
    # The client reads HF_ENDPOINT once, when it is imported.
    there = partial(open_pull_request, endpoint=hub.endpoint)
    monkeypatch.setattr("leaderboard.commands.eval_results.open_pull_request", there)

    def run(token: str, *arguments: str) -> tuple[int, str, str]:
        monkeypatch.setenv("HF_TOKEN", token)
        try:
            code = main(["eval-results", *arguments, "--dataset", DATASET, "--address", "https://example.org/"])
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture
def ticket(tmp_path: Path) -> str:
    """A ranked run of 2025: 4 of 6 words are shared between its languages, 5 * 4 / 6 = 10 / 3."""
    house = House(tmp_path)
    house.submit(question_file("keel", "en", 3), "en.json")
    ranked = house.submit(question_file("keel", "fi", 3), "fi.json")
    house.store.close()
    return ranked


def test_the_command_opens_it_with_our_figures(
    hub: FakeHub, command: Callable[..., tuple[int, str, str]], ticket: str
) -> None:
    hub.add(MODEL, {})
    code, out, err = command(TOKEN, ticket, "--model", MODEL, "--pull-request")
    assert (code, out) == (0, f"opened: {hub.endpoint}/{MODEL}/discussions/1\n")
    (entry,) = proposed(hub)
    assert (entry.dataset_id, entry.task_id) == (DATASET, "consistency/2025")
    assert entry.value == pytest.approx(10 / 3)
    made = hub.pull_requests[0]
    assert "**3.333**, 95% interval " in made.description
    assert "n = 20 questions" in made.description
    assert f"system={ticket}" in made.description
    assert "evaluation_framework" in err
    assert TOKEN not in out + err


def test_the_command_tells_of_the_one_that_is_open(
    hub: FakeHub, command: Callable[..., tuple[int, str, str]], ticket: str
) -> None:
    hub.add(MODEL, {})
    arguments = (ticket, "--model", MODEL, "--pull-request")
    assert command(TOKEN, *arguments)[0] == 0
    code, out, _ = command(TOKEN, *arguments)
    assert code == 0
    assert out.startswith(f"still open: {hub.endpoint}/{MODEL}/discussions/1 (an earlier pull request of yours")
    assert len(hub.pull_requests) == 1


def test_the_command_tells_what_the_token_lacks(
    hub: FakeHub, command: Callable[..., tuple[int, str, str]], ticket: str
) -> None:
    hub.add(MODEL, {})
    code, out, err = command(READER, ticket, "--model", MODEL, "--pull-request")
    assert (code, out) == (2, "")
    assert f"the scope {SCOPE} is missing" in err
    assert len(err.splitlines()) == 1
    assert READER not in err


def test_the_command_asks_for_a_token_where_there_is_none(
    command: Callable[..., tuple[int, str, str]], ticket: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(huggingface_hub.constants, "HF_TOKEN_PATH", str(tmp_path / "none"))
    code, _, err = command("", ticket, "--model", MODEL, "--pull-request")
    assert code == 2
    assert "there is none here" in err
    assert SCOPE in err
