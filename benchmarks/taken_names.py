"""`make bench-taken-names`: whether the time or the words of a submission tell that a team's name is taken.

One app as a Space, on loopback, with a season whose names are private and a run of each of `--tries` teams. Another
account submits over HTTP under each of these names and under as many free ones, a file of its own each time, the two
of a pair in a random order. Timed is the call of `submit`, from its request to its answer.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import httpx2

from benchmarks.provenance import commit
from benchmarks.served import PRIVATE, ROOT, free_port, running
from submissions.promptsets import example_submissions
from submissions.schema import Names
from submissions.settings import Settings
from submissions.store.store import Store
from tests.service.space_sessions import SPACE, signed_session

SEASON = """
title = "Season with private names"
set = "demonstration"
time_zone = "UTC"
opens = 2026-01-01T00:00:00
closes = 2098-12-31T23:59:59
freezes = 2099-01-10T12:00:00
[public]
names = 2099-02-01T12:00:00
"""
SUBJECT = "1f0e3dad99908345f7439f8f"
UNLIMITED = {
    "PLUMBLINE_SUBMISSIONS_PER_DAY": "0",
    "PLUMBLINE_ACTIVE_RUNS": "0",
    "PLUMBLINE_FILES_PER_MINUTE": "0",
    "PLUMBLINE_VISITOR_UPLOADS_MB": "4096",
}
OWN = re.compile(r"[0-9a-f]{12,}|\d[\d.:T+-]*|\b(?:quokka|wombat) syndicate\b", re.IGNORECASE)
"""What is of one submission alone in its answer: digests, tickets, moments, places in line, and the name asked for."""


@dataclass(frozen=True, slots=True)
class Mean:
    """Milliseconds, with the 95% interval of their mean by the normal distribution."""

    mean: float
    low: float
    high: float
    deviation: float


def main() -> int:
    options = _options()
    with tempfile.TemporaryDirectory(prefix="plumbline-names-") as name:
        folder = Path(name)
        (folder / "seasons").mkdir()
        (folder / "seasons" / "season.toml").write_text(SEASON, encoding="utf-8")
        settings = Settings.from_env({"PLUMBLINE_DATA": str(folder / "data"), **PRIVATE})
        _take_names(settings, options.tries)
        port = free_port()
        address = f"http://127.0.0.1:{port}"
        environment = os.environ | PRIVATE | SPACE | UNLIMITED | {
            "PORT": str(port),
            "PLUMBLINE_DATA": str(settings.data),
            "PLUMBLINE_SEASONS": str(folder / "seasons"),
            "GRADIO_TEMP_DIR": str(folder / "uploads"),
        }  # fmt: skip
        with running([sys.executable, "app.py"], environment, address):
            seconds, answers = _tried(address, options.tries)
    alike = sum(OWN.sub("", a) == OWN.sub("", b) for a, b in zip(answers["taken"], answers["free"], strict=True))
    differences = [a - b for a, b in zip(seconds["taken"], seconds["free"], strict=True)]
    difference = _mean(differences)
    report = {
        "commit": commit(ROOT),
        "tries": options.tries,
        "answers_alike": alike,
        "taken_ms": asdict(_mean(seconds["taken"])),
        "free_ms": asdict(_mean(seconds["free"])),
        "difference_ms": asdict(difference),
    }
    print(json.dumps(report, indent=1))
    return 0 if alike == options.tries and difference.low <= 0 <= difference.high else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.taken_names", description=__doc__)
    parser.add_argument("--tries", type=int, default=200, help="submissions under either kind of name (default 200)")
    return parser.parse_args()


def _take_names(settings: Settings, count: int) -> None:
    settings.data.mkdir(parents=True)
    store = Store.open(settings.resolved_database_url)
    try:
        for number in range(count):
            store.add(
                ticket_id=f"taken{number:011}",
                owner=f"owner{number}",
                owner_name=f"owner{number}",
                role="entry",
                edition="2024",
                set_id="demonstration",
                names=Names(f"Quokka Syndicate {number}", "keel", "m", "r"),
                file_name="run.json",
                data=b"%d" % number,
                received_at=time.time(),
            )
    finally:
        store.close()


def _tried(address: str, count: int) -> tuple[dict[str, list[float]], dict[str, list[str]]]:
    """Seconds and answers of every submission, by the kind of its name."""
    seconds: dict[str, list[float]] = {"taken": [], "free": []}
    answers: dict[str, list[str]] = {"taken": [], "free": []}
    chance = random.Random(49)
    headers = {"cookie": f"session={signed_session(SUBJECT, 'eve')}"}
    with httpx2.Client(base_url=address, timeout=120, headers=headers) as client:
        _submitted(client, "Numbat Syndicate", 0, is_first=True)
        for number in range(count):
            kinds = [("taken", f"Quokka Syndicate {number}"), ("free", f"Wombat Syndicate {number}")]
            chance.shuffle(kinds)
            for kind, team in kinds:
                took_s, answer = _submitted(client, team, number)
                seconds[kind].append(took_s)
                answers[kind].append(answer)
    return seconds, answers


def _submitted(client: httpx2.Client, team: str, number: int, *, is_first: bool = False) -> tuple[float, str]:
    """Seconds that the call took, and its answer.

    Raises:
        RuntimeError: when the file is not taken.
    """
    document = json.loads(next(data for _, data in example_submissions()))
    root = document["eloquent-robustness-results"]
    root |= {"source": "", "system": "", "model": "", "run": ""}
    root["items"][0]["responses"][0]["response"] += f" That is told of {team}."
    sent = client.post("/gradio_api/upload", files={"files": ("run.json", json.dumps(document).encode())})
    file = {"path": sent.raise_for_status().json()[0], "meta": {"_type": "gradio.FileData"}}
    values = [file, team, "keel", "m", f"r{number}", "auto", None, "", "", is_first, ""]
    begin = time.perf_counter()
    joined = client.post("/gradio_api/call/submit", json={"data": values}).raise_for_status()
    event = joined.json()["event_id"]
    answer = client.get(f"/gradio_api/call/submit/{event}").text
    took_s = time.perf_counter() - begin
    if "event: complete" not in answer:
        raise RuntimeError(f"{team} was not taken: {answer}")
    return took_s, answer


def _mean(seconds: Sequence[float]) -> Mean:
    mean, deviation = 1000 * statistics.fmean(seconds), 1000 * statistics.stdev(seconds)
    half = 1.96 * deviation / math.sqrt(len(seconds))
    return Mean(*(round(value, 2) for value in (mean, mean - half, mean + half, deviation)))


if __name__ == "__main__":
    sys.exit(main())
