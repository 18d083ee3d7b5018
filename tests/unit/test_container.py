"""The container and its host sheet say what the code says: Python, locks, port, health, settings, tables."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]
from prometheus_client import Histogram

from leaderboard.site.health import Health, routes
from submissions.settings import Settings
from submissions.store.store import Store
from submissions.store.tables import metadata

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", "")
SHEET = (ROOT / "docs" / "host.md").read_text(encoding="utf-8")
DEFAULTS = {setting.metadata["env"]: setting.metadata["default"] for setting in fields(Settings)}


def instructions(word: str) -> list[str]:
    """What the Dockerfile says after one of its words, once for each time."""
    return re.findall(rf"^\s*{word}\s+(.+)$", DOCKERFILE, flags=re.MULTILINE)


def variables() -> dict[str, str]:
    """What the image sets for whatever runs in it; that of the first stage is gone with it."""
    return dict(re.findall(r"(\w+)=(\S+)", instructions("ENV")[-1]))


def health_command() -> list[str]:
    (check,) = instructions("HEALTHCHECK")
    command: list[str] = json.loads(check.partition("CMD ")[2])
    return command


def test_its_python_is_that_of_the_project() -> None:
    (base,) = re.findall(r"BASE=\S*/python:(\d+\.\d+)-slim-bookworm$", DOCKERFILE, flags=re.MULTILINE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    space = yaml.safe_load((ROOT / "README.md").read_text(encoding="utf-8").split("---")[1])
    assert (base, f">={base}") == (space["python_version"], project["project"]["requires-python"])


def test_it_installs_from_every_lock_that_make_run_installs_from() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (asked,) = re.findall(r"^\$\(VENV\)/\.run: (.+) \|", makefile, flags=re.MULTILINE)
    assert instructions("COPY")[0].split()[:-1] == asked.split()
    installed = re.findall(r"pip install (.+?)(?= &&|$)", DOCKERFILE, flags=re.MULTILINE)
    made = re.findall(
        r"^\t\$\(INSTALL\) (.+)$", makefile.partition(f"{asked} |")[2].partition("touch")[0], re.MULTILINE
    )
    assert [line.removeprefix("--quiet ") for line in installed] == made
    assert all((ROOT / name).is_file() for name in asked.split())


def test_what_is_sent_to_the_build_is_what_runs() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").split("\n")
    rules = [line for line in lines if line and not line.startswith("#")]
    assert rules[0] == "*"  # nothing but what is named: no data, no settings, no history
    sent = {rule[1:] for rule in rules if rule.startswith("!")}
    assert all((ROOT / name).exists() for name in sent)
    assert not {name for name in sent for hidden in (".*", "data", "tests") if fnmatch.fnmatch(name, hidden)}
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    run_by_app = set(re.findall(r"^from (\w+)\.", (ROOT / "app.py").read_text(encoding="utf-8"), re.MULTILINE))
    assert run_by_app & set(contract["root_packages"]) <= sent


def test_it_listens_where_the_sheet_and_the_health_check_say(tmp_path: Path) -> None:
    port = DEFAULTS["PORT"]
    assert (variables()["PORT"], instructions("EXPOSE"), instructions("VOLUME")) == (port, [port], ["/data"])
    assert (variables()["PLUMBLINE_DATA"], variables()["GRADIO_SERVER_NAME"]) == ("/data", "0.0.0.0")
    assert f"127.0.0.1:{port}:{port}" in SHEET
    seconds = Histogram("plumbline_event_seconds", "Of a test.", ("event", "outcome"), registry=None)
    (asked,) = re.findall(r"(/\w+)'", health_command()[-1])
    store = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}")
    assert asked in {route.path for route in routes(Health(store, tmp_path / "archive"), seconds)}
    store.close()
    assert f":{port}{asked}" in SHEET


@contextmanager
def answering(status: int) -> Iterator[str]:
    """A server that answers /healthz with a status, and everything else with 404; yields its port."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/healthz" else 404)
            self.end_headers()

    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield str(server.server_port)
        server.shutdown()


@pytest.mark.parametrize(("status", "is_well"), [(200, True), (503, False), (404, False)])
def test_the_health_check_ends_with_0_only_where_the_service_is_well(status: int, is_well: bool) -> None:
    program, *arguments = health_command()
    assert program == "python"
    with answering(status) as port:
        ended = subprocess.run(
            [sys.executable, *arguments], env={**os.environ, "PORT": port}, check=False, capture_output=True
        )
    assert (ended.returncode == 0) is is_well


def test_it_runs_as_a_user_and_is_told_to_stop_itself() -> None:
    assert re.search(r"useradd --uid \d{4} ", DOCKERFILE)
    assert instructions("USER") == ["plumbline"]
    assert json.loads(instructions("CMD")[-1]) == ["python", "app.py"]  # no shell that would keep the signal
    assert instructions("STOPSIGNAL") == ["SIGTERM"]


def test_every_setting_of_the_sheet_and_the_image_exists() -> None:
    named = set(re.findall(r"\b(?:PLUMBLINE_[A-Z_]+|GRADIO_SERVER_NAME|HF_TOKEN)\b", SHEET))
    assert named - set(DEFAULTS) == set()
    assert {name for name in variables() if name.startswith("PLUMBLINE_")} <= set(DEFAULTS)
    assert "PLUMBLINE_PSEUDONYM_KEY" in named  # what a restored database needs to keep the names of a season


def test_every_table_of_the_store_is_in_the_table_of_data_protection() -> None:
    part = SHEET.partition("\n## Data protection\n")[2].partition("\n## ")[0]
    rows = [line for line in part.split("\n") if line.startswith("| ")]
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row.split(" | ")[0])}
    assert set(metadata.tables) - named == set()
    assert all(len(re.split(r"(?<!\\) \| ", row.strip("| "))) == 4 for row in rows)  # what, of whom, how long, erased


def test_the_sheet_is_one_page() -> None:
    lines = SHEET.rstrip("\n").split("\n")
    assert len(lines) <= 110
    assert max(map(len, lines)) <= 140
