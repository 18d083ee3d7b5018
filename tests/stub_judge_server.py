"""A loopback stand-in for vLLM's server: answers fixed by the prompt's text, and faults thrown by a seeded dice.

For tests, and for trying out an installation without a model: `python -m tests.stub_judge_server --failing
0.1`. Its ratings are word overlap, as the scripted judge's; it serves no board that people read.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
import math
import random
import re
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal, get_args

from evaluator.judges.prompts import FOLLOWED, PREFERENCE_PAIR, answer_letter_rubric

logger = logging.getLogger(__name__)

StubMode = Literal["label_ids", "top_logprobs", "text"]
"""What the server can do: as a recent vLLM; probabilities of the top tokens only and no `/tokenize`; replies only."""
Fault = Literal["too_many", "error", "late", "dropped"]
"""429 with Retry-After, 500, an answer that comes too late, a connection closed without one."""
FAULTS: tuple[Fault, ...] = get_args(Fault)

VERSION = "stub-1"
RATINGS = ("0", "1", "2", "3", "4", "5")
VERDICTS = ("A", "B", "C")

_LABEL_MASS = 0.96
_SPACED_SHARE = 0.75
"""Of a label's probability, how much falls on the token with a space before it."""
_OTHER_TOKENS = {" So": 0.02, " The": 0.01, "the": 0.01}
_SPACED = 0x110000
"""Id of a label with a space before it: beyond Unicode, plus the label's code point. Other tokens are code points."""
_TOKEN = re.compile(r" [0-9A-Z]|.", re.DOTALL)
_ANSWER = re.compile(r"\n(Answer [^\n]*):\n\[begin ([0-9a-f]{16})\]\n")
_TEXT = re.compile(r"\n([^\n]*):\n\[begin ([0-9a-f]{16})\]\n")
_END = re.compile(r"(?=\n\[end ([0-9a-f]{16})\]\n)")
"""A section begins with its title and a mark, and ends with the same mark."""
_VERDICT_TAIL = PREFERENCE_PAIR.tail
_FOLLOWED_TAIL = FOLLOWED.tail
_LETTER_TAIL = answer_letter_rubric(2).tail


class StubJudgeServer:
    """A server on a loopback port, running while it is entered (`with`).

    Args:
        mode: What the server can do.
        failing: Share of calls that fail, 0-1; which ones hangs on seed, content and how often it was sent before,
            not on the order of arrival.
        faults: The kinds to choose from.
        seed: Of the dice.
        answer_s: How long every answer takes.
        late_s: How long a `late` answer takes.
        retry_after_s: What a 429 asks for.
        writes: In the mode `text`, what is written in place of the label alone; `{label}` is where that stands.
        api_key: Demanded as a bearer token; None = none.
        port: 0 = a free one.
    """

    def __init__(
        self,
        *,
        mode: StubMode = "label_ids",
        failing: float = 0.0,
        faults: tuple[Fault, ...] = FAULTS,
        seed: int = 0,
        answer_s: float = 0.0,
        late_s: float = 60.0,
        retry_after_s: int = 0,
        writes: str | None = None,
        api_key: str | None = None,
        port: int = 0,
    ) -> None:
        self.mode: StubMode = mode
        self.failing = failing
        self.faults = faults
        self.arrivals: Counter[str] = Counter()
        """Prompt -> how often it was asked, failed calls included."""
        self.failed: Counter[Fault] = Counter()
        self._seed = seed
        self._answer_s = answer_s
        self._late_s = late_s
        self._retry_after_s = retry_after_s
        self._writes = writes
        self._api_key = api_key
        self._sent: Counter[bytes] = Counter()
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._server = _Server(("127.0.0.1", port), self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="stub-server")

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def calls(self) -> int:
        """Completions asked for, failed calls included."""
        return self.arrivals.total()

    def __enter__(self) -> StubJudgeServer:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    # --- called by the handlers, each in a thread of its own

    def throw(self, path: str, content: bytes) -> Fault | None:
        """The fault this arrival of a call meets, if any."""
        digest = hashlib.sha256(path.encode() + content).digest()
        with self._lock:
            self._sent[digest] += 1
            dice = random.Random(f"{self._seed} {digest.hex()} {self._sent[digest]}")
            fault = dice.choice(self.faults) if dice.random() < self.failing else None
            if fault is not None:
                self.failed[fault] += 1
        return fault

    def take_time(self, fault: Fault | None) -> None:
        """Lets the time of an answer pass, or the server end."""
        self._closing.wait(self._late_s if fault == "late" else self._answer_s)

    def refusal(self, fault: Fault) -> tuple[int, dict[str, str], dict[str, Any]]:
        """Status, headers and body of a fault that is an answer."""
        if fault == "too_many":
            return 429, {"Retry-After": str(self._retry_after_s)}, _error("too many requests")
        return 500, {}, _error("internal error")

    def answer(self, path: str, authorization: str | None, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Status and body of the answer to a call that does not fail."""
        if self._api_key is not None and authorization != f"Bearer {self._api_key}":
            return 401, _error("Unauthorized")
        if path == "/version":
            return 200, {"version": VERSION}
        if path == "/tokenize" and self.mode == "label_ids":
            tokens = _TOKEN.findall(body["prompt"])
            return 200, {"tokens": [_token_id(token) for token in tokens], "token_strs": tokens}
        if path == "/v1/completions":
            return self._completion(body)
        return 404, _error("Not Found")

    def arrived(self, prompt: str) -> None:
        """Counts a call for a completion."""
        with self._lock:
            self.arrivals[prompt] += 1

    def _completion(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        probabilities = _token_probabilities(body["prompt"])
        best = max(probabilities, key=lambda token: probabilities[token])
        choice: dict[str, Any] = {"index": 0, "text": best, "finish_reason": "length", "logprobs": None}
        if self.mode == "text" and self._writes:
            return 200, self._written(body, self._writes.format(label=best.strip()))
        if self.mode == "text":
            choice |= {"text": f"{best}\n", "finish_reason": "stop"}
        elif "logprobs" in body:
            choice["logprobs"] = {"tokens": [best], "top_logprobs": [self._top_logprobs(probabilities, body)]}
        return 200, {"object": "text_completion", "model": body["model"], "choices": [choice]}

    @staticmethod
    def _written(body: dict[str, Any], text: str) -> dict[str, Any]:
        tokens = _TOKEN.findall(text)
        kept = tokens[: body["max_tokens"]]
        choice = {"index": 0, "text": "".join(kept), "finish_reason": "stop" if kept == tokens else "length"}
        usage = {"completion_tokens": len(kept)}
        return {"object": "text_completion", "model": body["model"], "choices": [choice], "usage": usage}

    def _top_logprobs(self, probabilities: dict[str, float], body: dict[str, Any]) -> dict[str, float]:
        if self.mode == "label_ids" and "logprob_token_ids" in body:
            by_id = {_token_id(token): probability for token, probability in probabilities.items()}
            return {f"token_id:{token}": _log(by_id.get(token, 0.0)) for token in body["logprob_token_ids"]}
        ranked = sorted(probabilities.items(), key=lambda entry: -entry[1])[: body["logprobs"]]
        return {token: _log(probability) for token, probability in ranked}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a handler may sleep in a late answer; it ends by itself
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], stub: StubJudgeServer) -> None:
        self.stub = stub
        super().__init__(address, _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        logger.debug("a client went away", exc_info=True)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # header and body are two writes: else each answer waits for an acknowledgement
    server: _Server

    def do_GET(self) -> None:
        self._serve(b"")

    def do_POST(self) -> None:
        self._serve(self.rfile.read(int(self.headers["Content-Length"])))

    def _serve(self, content: bytes) -> None:
        stub = self.server.stub
        body = json.loads(content) if content else {}
        if self.path == "/v1/completions":
            stub.arrived(body["prompt"])
        fault = stub.throw(self.path, content)
        if fault == "dropped":
            self._drop()
        elif fault in ("too_many", "error"):
            self._send(*stub.refusal(fault))
        else:
            stub.take_time(fault)
            status, answer = stub.answer(self.path, self.headers.get("Authorization"), body)
            self._send(status, {}, answer)

    def _drop(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _send(self, status: int, headers: dict[str, str], answer: dict[str, Any]) -> None:
        data = json.dumps(answer).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        logger.debug(format, *args)


def _error(message: str) -> dict[str, Any]:
    return {"error": {"message": message}}


def _token_id(token: str) -> int:
    return ord(token) if len(token) == 1 else _SPACED + ord(token[1])


def _log(probability: float) -> float:
    return math.log(probability) if probability > 0 else -9999.0  # vLLM's floor


def _token_probabilities(prompt: str) -> dict[str, float]:
    """The distribution of the next token: labels with and without a space before them, and a few other tokens."""
    probabilities: dict[str, float] = dict(_OTHER_TOKENS)
    for label, share in _label_shares(prompt).items():
        probabilities[f" {label}"] = _LABEL_MASS * _SPACED_SHARE * share
        probabilities[label] = _LABEL_MASS * (1 - _SPACED_SHARE) * share
    return probabilities


def _label_shares(prompt: str) -> dict[str, float]:
    """Ratings lie around 5 x word overlap; the better answer is the one with more words.

    How an answer follows a preference is 1 + 4 x the share of the preference's words it holds; the option it chooses is
    the one with most of its words in the answer, and none where no option has any.
    """
    if prompt.endswith((_FOLLOWED_TAIL, _LETTER_TAIL)):
        return _shares_of_one_answer(prompt)
    words = [set(text.casefold().split()) for _, text in _sections(_ANSWER, prompt)]
    if prompt.endswith(_VERDICT_TAIL):
        weights = dict(zip(VERDICTS, [*(1.0 + len(word) for word in words[:2]), 1.0], strict=True))
    else:
        rating = 5 * len(set.intersection(*words)) / max(len(set.union(*words)), 1) if words else 0.0
        weights = {label: math.exp(-((int(label) - rating) ** 2)) for label in RATINGS}
    total = math.fsum(weights.values())
    return {label: weight / total for label, weight in weights.items()}


def _sections(beginning: re.Pattern[str], prompt: str) -> Iterator[tuple[str, str]]:
    """Title and text of each section that ends; one that does not is looked for no further than its first line."""
    last_ends = {end[1]: end.start() for end in _END.finditer(prompt)}
    place = 0
    while begin := beginning.search(prompt, place):
        title, mark = begin.groups()
        if last_ends.get(mark, -1) < begin.end():
            place = begin.start() + 1
            continue
        end = prompt.index(f"\n[end {mark}]\n", begin.end())
        yield title, prompt[begin.end() : end]
        place = end + len(f"\n[end {mark}]\n")


def _shares_of_one_answer(prompt: str) -> dict[str, float]:
    texts = {title: set(text.casefold().split()) for title, text in _sections(_TEXT, prompt)}
    answer = texts.get("The answer", set())
    if prompt.endswith(_FOLLOWED_TAIL):
        preference = texts.get("The user's preference", set())
        rating = 1 + 4 * len(preference & answer) / max(len(preference), 1)
        weights = {label: math.exp(-((int(label) - rating) ** 2)) for label in RATINGS[1:]}
    else:
        options = next((text for title, text in _sections(_TEXT, prompt) if title == "Its options"), "")
        shares = {
            line[0]: len(set(line[3:].casefold().split()) & answer) / max(len(line[3:].split()), 1)
            for line in options.splitlines()
            if line[1:3] == ". "
        }
        weights = {label: math.exp(10 * share) for label, share in (shares | {"0": 0.5}).items()}
    total = math.fsum(weights.values())
    return {label: weight / total for label, weight in weights.items()}


def main(arguments: list[str] | None = None) -> int:
    """Serves until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m tests.stub_judge_server", description=__doc__)
    parser.add_argument("--port", type=int, default=8001)
    parser.add_argument("--mode", choices=get_args(StubMode), default="label_ids")
    parser.add_argument("--failing", type=float, default=0.0, metavar="SHARE", help="of calls, 0-1")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--answer-s", type=float, default=0.0, help="seconds every answer takes")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    stub = StubJudgeServer(
        mode=options.mode,
        failing=options.failing,
        seed=options.seed,
        answer_s=options.answer_s,
        port=options.port,
    )
    with stub:
        logger.info("serving at %s", stub.base_url)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            logger.info("%d completions asked for, %s", stub.calls, dict(stub.failed))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
