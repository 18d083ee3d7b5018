"""A cluster that is reached from outside, through `ray://`: judge, embedding model and generator."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.generators.loading import allowed_generators
from evaluator.generators.protocol import Message
from evaluator.generators.scripted import ScriptedGenerator
from evaluator.judge_loading.loading import load_embedder, load_scorer
from evaluator.judges.prompts import SIMILARITY_PAIR
from evaluator.judges.protocol import JudgeRequest
from tests.service.test_worker_killed import wait_for

ROOT = Path(__file__).parents[2]
TEXTS = [f"boat {number} of {number % 7}" for number in range(100)]
TOKEN_S = 0.05


def free_ports(count: int) -> list[int]:
    """Below those that ray gives its workers, 10,002 to 19,999."""
    found: list[int] = []
    for port in range(7100, 9900):
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) != 0:
                found.append(port)
        if len(found) == count:
            break
    return found


@pytest.mark.soak
def test_each_says_what_it_says_in_this_process(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("r")  # short: sockets lie deep in it, and their paths have 107 characters
    port, client = free_ports(2)
    # Read by ray when it is imported: the client is a process of its own, too.
    environ = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "RAY_raylet_start_wait_time_s": "150"}
    environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32), "RAY_USAGE_STATS_ENABLED": "0"}
    options = [f"--port={port}", f"--ray-client-server-port={client}", f"--temp-dir={folder}", "--num-cpus=2"]
    options += [f"--object-store-memory={100 * 2**20}", "--include-dashboard=false", "--disable-usage-stats"]
    head = subprocess.Popen(
        [Path(sys.executable).with_name("ray"), "start", "--head", "--block", "--node-ip-address=127.0.0.1", *options],
        env=environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert wait_for(lambda: is_open(client), 180.0)
        command = f"from tests.service.test_ray_client import compare; compare('ray://127.0.0.1:{client}')"
        done = subprocess.run(
            [sys.executable, "-c", command], env=environ, capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout == "the same\n"
    finally:
        head.terminate()
        head.wait(60)


def is_open(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def compare(address: str) -> None:
    """Says "the same" where all three of a cluster say what they say without."""
    on_ray = f"ray:{address};actors=2#"
    judge, alone = load_scorer(f"{on_ray}scripted").judge, load_scorer("scripted").judge
    requests = [JudgeRequest(SIMILARITY_PAIR, {"answer_a": text, "answer_b": TEXTS[0]}, "en") for text in TEXTS]
    assert judge.key(requests[0]) == alone.key(requests[0])
    assert judge.judge(requests) == alone.judge(requests)

    embedder = load_embedder(f"{on_ray}scripted")
    for found, expected in zip(embedder.windows(TEXTS), ScriptedEmbedder().windows(TEXTS), strict=True):
        assert np.array_equal(found, expected)

    name = f"{on_ray}scripted:{TOKEN_S}"
    generator, chat = allowed_generators((name,)).get(name), [Message("user", "Which is a planet?")]
    came = [(time.monotonic(), chunk) for chunk in generator.stream(chat, stop=threading.Event())]
    written = list(ScriptedGenerator(seconds_per_token=TOKEN_S).stream(chat, stop=threading.Event()))
    assert [chunk for _, chunk in came] == written
    # Word by word, not all at the end: ten words after the first take half a second.
    assert came[-1][0] - came[0][0] > 5 * TOKEN_S
    sys.stdout.write("the same\n")
