"""`python -m evaluator fill` with a model behind a server: what it is asked, and going on after the server was gone."""

from __future__ import annotations

import ssl
from pathlib import Path
from threading import Event
from typing import Any

import httpcore2
import pytest

from evaluator.__main__ import main
from evaluator.generators.http import HttpGenerator
from evaluator.generators.http_settings import HttpGeneratorSettings
from evaluator.generators.protocol import Message
from submissions.check import check_submission
from submissions.promptsets import PromptSets, load_demonstration
from tests.service.chat_stub import ChatStub

LIMIT = 4


def arguments(server: ChatStub, out: Path) -> list[str]:
    names = ["--team", "T", "--system", "S", "--model", "org/model", "--run", "1"]
    generator = f"http:{server.base_url}#org/model;max_attempts=1"
    asked = ["--set", "demonstration", "--limit", str(LIMIT), "--max-new-tokens", "40", "--out", str(out)]
    return ["fill", "--generator", generator, *asked, *names]


def test_a_server_is_asked_every_prompt_once_though_it_was_gone_in_between(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run.json"
    prompts = [variant.prompt for item in load_demonstration().items for variant in item.variants][:LIMIT]
    with ChatStub(("A short ", "answer."), refusals=[(503, {}, "busy")]) as server:
        assert main(arguments(server, out)) == 1
        assert "the same command goes on" in capsys.readouterr().err
        assert not out.exists()
        assert main(arguments(server, out)) == 0
        asked = [body["messages"][-1]["content"] for body in server.bodies]
        limits = {body.get("max_tokens") or body.get("max_completion_tokens") for body in server.bodies}
    # The first call was refused; then every prompt once.
    assert asked == [prompts[0], *prompts]
    assert limits == {40}
    report = check_submission(out.read_bytes(), out.name, prompt_sets=PromptSets.load(None))
    assert report.decision != "refused"
    assert report.submission is not None
    answers = [response.response for response in report.submission.responses() if not response.is_blank]
    assert answers == ["A short answer."] * LIMIT


def test_certificates_are_read_once_for_all_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    make = httpcore2.default_ssl_context

    def counted(*arguments: Any, **named: Any) -> ssl.SSLContext:
        made.append(arguments)
        return make(*arguments, **named)

    monkeypatch.setattr(httpcore2, "default_ssl_context", counted)
    with ChatStub(("A ", "word.")) as server:
        generator = HttpGenerator(HttpGeneratorSettings(server.base_url, "org/model"))
        for _ in range(3):
            written = [chunk.text for chunk in generator.stream([Message("user", "Say it.")], stop=Event())]
            assert "".join(written) == "A word."
    assert len(made) == 1
