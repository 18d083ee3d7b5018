from __future__ import annotations

import errno
import socket
from types import SimpleNamespace
from typing import Any

import gradio as gr
import pytest
from gradio.events import api as endpoint
from gradio.routes import App

from leaderboard.web.pace import Pace
from leaderboard.web.pages import MOST_LEVELS, Pages, only_uploads, refusal
from leaderboard.web.server import PageServer, listening_at
from submissions.store.store import StoreUnavailable
from tests.unit.leaderboard.conftest import in_own_loop

META = {"_type": "gradio.FileData"}


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:9/x.json",
        "https://example.org/x.json",
        "HTTP://169.254.169.254/latest/meta-data",
        "file:///etc/passwd",
        "ftp://example.org/x",
        "http://example.org/?x=/gradio_api/file=/etc/passwd",
    ],
)
@pytest.mark.parametrize("wrapped", [lambda file: [file], lambda file: [1, {"files": [[file]]}]])
def test_no_address_is_fetched_wherever_it_stands(address: str, wrapped: Any) -> None:
    with pytest.raises(gr.Error, match="Addresses are not fetched"):
        only_uploads(wrapped({"path": address, "meta": META}))


def test_the_address_of_an_upload_becomes_its_path() -> None:
    file = {"path": "https://site/gradio_api/file=/tmp/gradio/ab/my%20team.json", "meta": META}
    only_uploads([file])
    assert file["path"] == "/tmp/gradio/ab/my team.json"


def test_what_no_page_sends_is_refused() -> None:
    with pytest.raises(gr.Error, match="without what gradio says"):
        only_uploads([{"path": "/tmp/x", "meta": "gradio.FileData"}])
    nested: list[Any] = []
    for _ in range(MOST_LEVELS):
        nested = [nested]
    only_uploads(nested[0])
    with pytest.raises(gr.Error, match="nested more than 32 levels deep"):
        only_uploads([nested])


def test_texts_and_answers_with_a_path_are_left_alone() -> None:
    values = ["https://example.org", {"path": "https://example.org"}, {"meta": {}}, 5, None]
    before = [dict(value) if isinstance(value, dict) else value for value in values]
    only_uploads(values)
    assert values == before


def test_a_refusal_is_short_and_visible() -> None:
    message: str = refusal("a\u202e" + "b" * 600).message
    assert message.startswith("a\\u202eb")
    assert len(message) < 520


def test_every_event_is_timed_by_its_outcome_and_whatever_fails_is_said_in_a_sentence() -> None:
    def public(text: str) -> str:
        if text == "database":
            raise StoreUnavailable("postgresql://user:secret@host does not answer")
        if text == "bug":
            raise ZeroDivisionError
        return text

    async def called() -> list[str]:
        with Pages() as pages:
            endpoint(public)
        said = []
        for value in ("fine", "database", "bug", {"path": "http://127.0.0.1/", "meta": META}):
            try:
                answer = await pages.process_api(0, [value])
                said.append(answer["data"][0])
            except gr.Error as error:
                said.append(error.message)
        samples = (sample for family in pages.event_seconds.collect() for sample in family.samples)
        counts = {sample.labels["outcome"]: sample.value for sample in samples if sample.name.endswith("_count")}
        assert counts == {"done": 1, "refused": 1, "failed": 2}
        return said

    assert in_own_loop(called) == [
        "fine",
        "The database does not answer; try again in a minute.",
        "This failed on our side; the log of this installation says where.",
        "Addresses are not fetched: upload the file to this site.",
    ]


def test_files_that_came_in_messages_are_swept_like_uploads() -> None:
    def with_files(arguments: dict[str, Any], positions: list[list[str]]) -> dict[str, Any]:
        return {name: {"path": f"/tmp/gradio/{name}", "meta": META} for name in arguments if [name] in positions}

    async def swept() -> set[str]:
        pages = Pages()
        pages.sweep_messages()  # without MCP there is nothing to do
        server: Any = SimpleNamespace(convert_strings_to_filedata=with_files)
        pages.mcp_server_obj = server
        pages.sweep_messages()
        server.convert_strings_to_filedata({"file": "data:,x", "team": "x"}, [["file"]])
        assert any(kept is pages.upload_file_set for kept in pages.temp_file_sets)
        return set(pages.upload_file_set)

    assert in_own_loop(swept) == {"/tmp/gradio/file"}


def test_a_full_disk_is_said_to_who_meets_it_and_other_faults_of_the_system_to_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def public(number: int) -> str:
        raise OSError(number, "no")

    async def called(number: int) -> None:
        with Pages() as pages:
            endpoint(public)
        await pages.process_api(0, [number])

    with pytest.raises(gr.Error, match="The disk of this installation is full, so nothing was stored"):
        in_own_loop(lambda: called(errno.ENOSPC))
    with pytest.raises(gr.Error, match="This failed on our side"):
        in_own_loop(lambda: called(errno.EACCES))
    assert caplog.messages[-1].startswith("event 0 failed: PermissionError: [Errno 13] no (web/test_pages.py:")


def test_what_a_list_no_longer_offers_is_not_chosen_on_a_page_and_refused_to_a_program() -> None:
    async def taken(visibility: Any) -> list[Any]:
        with Pages() as pages:
            fields = [gr.Dropdown(["a", "b"]), gr.Dropdown(["a", "b"], multiselect=True), gr.Radio(["a"]), gr.Textbox()]
            gr.Button().click(lambda *_: None, fields, None, api_visibility=visibility)
        values: list[Any] = await pages.preprocess_data(pages.fns[0], ["d", ["a", "d"], "d", "d"], None)
        return values

    assert in_own_loop(lambda: taken("private")) == [None, ["a"], None, "d"]
    with pytest.raises(gr.Error, match="not in the list of choices"):
        in_own_loop(lambda: taken("public"))


def test_a_value_that_changed_is_sent_whole_so_that_skipping_it_next_takes_nothing_back() -> None:
    async def streamed() -> list[Any]:
        with Pages() as pages:
            button, status, pane = gr.Button(), gr.JSON(), gr.JSON()
            button.click(lambda: None, None, [status, pane])
        frames: list[list[Any]] = [
            [{"text": "waiting"}, {"tokens": 0}],
            [{"text": "waiting"}, {"tokens": 1}],
            [{"text": "done"}, gr.skip()],
            [None, None],
        ]
        last = len(frames) - 1
        return [
            pages.handle_streaming_diffs(pages.fns[0], frame, "session", "run", final=place == last)
            for place, frame in enumerate(frames)
        ]

    assert in_own_loop(streamed) == [
        [{"text": "waiting"}, {"tokens": 0}],
        # Inside the value the change would be [["replace", ["tokens"], 1]]; what stands still is none.
        [[], [["replace", [], {"tokens": 1}]]],
        [[["replace", [], {"text": "done"}]], [["replace", [], gr.skip()]]],
        [{"text": "done"}, gr.skip()],
    ]


def test_one_application_is_made_before_the_one_that_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    # Each takes a fifth of a second or more of a start. gradio makes one when Blocks are left, whatever comes of it.
    made: list[App] = []
    make = App.create_app

    def noted(*given: Any, **options: Any) -> App:
        made.append(make(*given, **options))
        return made[-1]

    monkeypatch.setattr(App, "create_app", noted)

    async def served() -> tuple[int, Pages]:
        with Pages() as pages:
            gr.Markdown("a page")
        pages.take_turns(at_once=1, pace=Pace(60))
        before = len(made)
        PageServer(pages, "127.0.0.1", 0)
        return before, pages

    before, pages = in_own_loop(served)
    assert (before, len(made)) == (1, 2)
    assert pages.app is made[-1]


def test_the_end_of_an_answer_waits_for_no_acknowledgement_of_its_beginning() -> None:
    with listening_at("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname()):
        connection, _ = listening.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
