"""A language model behind a server: vLLM, SGLang, TGI, anything that speaks OpenAI's `/v1/chat/completions`.

Where a call goes and what its headers say comes from the settings alone; texts only ever stand in the JSON body, and
neither texts nor keys are logged. No redirect is followed, no proxy or credential taken from the environment.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from threading import Event
from typing import Any

import httpcore2
import httpx2
from pydantic import BaseModel
from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    sleep_using_event,
    stop_after_attempt,
    wait_exponential_jitter,
)

from evaluator.generators.background import Stopped
from evaluator.generators.connections import Answer, Connections
from evaluator.generators.http_settings import HttpGeneratorSettings
from evaluator.generators.protocol import MAX_NEW_TOKENS, Chunk, GeneratorUnavailable, Message, without_beginning
from evaluator.judges.http.calls import HINTS, TOO_LONG, error_text, is_passing, one_line, retry_after_s
from evaluator.judges.http.judge import without_control_tokens
from evaluator.values import Pin
from submissions.formats.personalization.submission import FinishReason

logger = logging.getLogger(__name__)

LONGEST_WAIT_S = 10.0
"""No longer than this between two attempts, nor after a Retry-After: somebody watches."""
LONGEST_ANSWER = 64
"""Characters per token allowed; a server that goes on beyond is cut off."""

LONGEST_BODY = 1_000_000
"""Characters read of an answer that is no stream."""
_DONE = "[DONE]"
_ABOUT_STREAM = re.compile(r":|event:|id:|retry:")
"""How a line of a stream begins that holds no data."""
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_BYTES = re.compile("[\udc80-\udcff]+")
"""Bytes that are no UTF-8 by themselves (`surrogateescape`)."""
_UNFINISHED = re.compile("(?:[\ud800-\udbff]|[\udcc2-\udcf4][\udc80-\udcbf]{0,2})\\Z")

FINISH_REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "eos_token": "stop",  # TGI
    "stop_sequence": "stop",  # TGI
    "length": "length",
    "max_tokens": "length",
    "content_filter": "content_filter",
    "error": "error",
    "abort": "error",  # vLLM, SGLang
}
"""What servers say, and what it means; anything else is `unknown`."""


_BROKEN = (httpcore2.NetworkError, httpcore2.ProtocolError)
"""How a connection fails, besides by silence."""


class _PassingFault(Exception):
    """Raised for one attempt that failed before the first token and that another may mend."""

    def __init__(self, what: str, retry_after_s: float = 0.0) -> None:
        super().__init__(what)
        self.retry_after_s = retry_after_s


class HttpGenerator:
    """A chat model behind a server.

    Args:
        settings: Which server and model.
    """

    def __init__(self, settings: HttpGeneratorSettings) -> None:
        self._settings = settings
        self._connections = Connections(
            f"{settings.root_url}/v1/chat/completions",
            headers=[("Authorization", f"Bearer {settings.api_key}")] if settings.api_key else [],
            timeout_s=settings.timeout_s,
        )
        self._back_off = wait_exponential_jitter(
            multiplier=settings.first_wait_s, max=LONGEST_WAIT_S, jitter=settings.first_wait_s
        )
        self._pin = Pin(
            name="http",
            model=settings.model,
            revision=settings.revision,
            tokenizer="the server's",
            prompt="the server's chat template",
            dtype="the server's",
            engine="OpenAI-compatible server, temperature 0",
            languages=None,
        )

    @property
    def pin(self) -> Pin:
        return self._pin

    def stream(
        self, messages: Sequence[Message], *, stop: Event, max_new_tokens: int = MAX_NEW_TOKENS
    ) -> Iterator[Chunk]:
        """See `TextGenerator`. Control tokens in the texts are broken by a space, for the server tokenises them.

        Tokens are counted by the parts the server sends, and on the last chunk as it states them, where it does.
        """
        body = {
            "model": self._settings.model,
            "messages": [
                {"role": message.role, "content": without_control_tokens(message.content)}
                for message in without_beginning(messages)
            ],
            "max_tokens": max_new_tokens,
            "temperature": 0,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
        yield from chunks_of(self._deltas(content, stop), max_new_tokens=max_new_tokens)

    def _deltas(self, content: bytes, stop: Event) -> Generator[Delta]:
        answer, lines = self._begun(content, stop)
        is_whole = False
        with answer:
            try:
                for line in lines:
                    if stop.is_set():
                        raise Stopped
                    if (delta := self._delta(line)) is not None:
                        is_whole |= bool(delta.finish_reason)
                        yield delta
                    is_whole |= _data(line) == _DONE
            except (httpcore2.TimeoutException, *_BROKEN) as error:
                raise GeneratorUnavailable(
                    f"the connection to the model's server broke while it was writing ({type(error).__name__})"
                ) from error
        if not is_whole:
            raise GeneratorUnavailable(
                "the answer of the model's server ended before it was whole: neither a finish_reason nor [DONE] came"
            )

    def _begun(self, content: bytes, stop: Event) -> tuple[Answer, Iterator[str]]:
        """The answer and its lines once the server has begun it, after further attempts where a fault may pass."""
        attempts = Retrying(
            retry=retry_if_exception_type(_PassingFault),
            stop=stop_after_attempt(self._settings.max_attempts),
            wait=self._wait_s,
            sleep=sleep_using_event(stop),
            before_sleep=_log_attempt,
            reraise=True,
        )
        try:
            return attempts(self._attempt, content, stop)
        except _PassingFault as fault:
            made = attempts.statistics["attempt_number"]
            raise GeneratorUnavailable(
                f"the model's server did not begin an answer in {made} of {made} attempts; the last time: {fault}"
            ) from fault

    def _attempt(self, content: bytes, stop: Event) -> tuple[Answer, Iterator[str]]:
        if stop.is_set():
            raise Stopped
        try:
            answer = self._connections.post(content, stop)
            if answer.is_success:
                with ExitStack() as fault:
                    fault.callback(answer.close)
                    lines = self._begun_lines(answer)
                    fault.pop_all()
                return answer, lines
            with answer:
                refusal = httpx2.Response(answer.status, headers=answer.headers, content=answer.read())
        except httpcore2.TimeoutException as error:
            raise _PassingFault(f"no answer within {self._settings.timeout_s:g} s") from error
        except _BROKEN as error:
            raise _PassingFault(f"the connection failed ({type(error).__name__})") from error
        said = one_line(error_text(refusal), self._settings.api_key)
        if is_passing(refusal.status_code):
            what = f"status {refusal.status_code}" + (f" ({said})" if said else "")
            raise _PassingFault(what, retry_after_s(refusal, datetime.now(UTC)))
        raise GeneratorUnavailable(_refusal(refusal.status_code, said))

    def _begun_lines(self, answer: Answer) -> Iterator[str]:
        """The lines of a stream; those of one event where the server sent a whole answer instead.

        Raises:
            _PassingFault: the answer is empty, or an error that may pass.
            GeneratorUnavailable: it is neither a stream nor an answer.
        """
        lines = answer.lines()
        first = next((line for line in lines if line.strip() and not _ABOUT_STREAM.match(line)), "")
        if first.startswith("data:"):
            return chain([first], lines)
        rest = "\n".join(_within(chain([first], lines), LONGEST_BODY))
        try:
            document = json.loads(rest) if rest.strip() else None
        except (ValueError, RecursionError):
            document = rest
        if document is None:
            raise _PassingFault("the answer was empty")
        if isinstance(document, dict) and document.get("choices") and not _error_of(document):
            return iter([f"data: {json.dumps(document)}", f"data: {_DONE}"])
        if isinstance(document, dict) and (error := _error_of(document)):
            what = f"status {answer.status} with an error ({self._shown(error)})"
            if _is_for_good(document):
                raise GeneratorUnavailable(f"the model's server refused: {what}")
            raise _PassingFault(what)
        raise GeneratorUnavailable(
            "the model's server does not stream as /v1/chat/completions does: with status "
            f"{answer.status} it sent {self._shown(rest)!r}. Is this the address of the model, and is nothing to be "
            "signed in to before it?"
        )

    def _shown(self, text: str) -> str:
        return one_line(whole_characters(text)[0], self._settings.api_key)

    def _delta(self, line: str) -> Delta | None:
        data = _data(line)
        if data in ("", _DONE):
            return None
        try:
            document = json.loads(data)
            event = _Event.model_validate(document)
        except (ValueError, RecursionError) as error:
            raise GeneratorUnavailable(
                "the model's server does not stream as /v1/chat/completions does: found a line that cannot be read"
            ) from error
        if said := _error_of(document):
            raise GeneratorUnavailable(
                f"the model's server gave up while it was writing. It said: {self._shown(said)!r}"
            )
        return event.delta()

    def _wait_s(self, state: RetryCallState) -> float:
        fault = state.outcome.exception() if state.outcome else None
        asked = fault.retry_after_s if isinstance(fault, _PassingFault) else 0.0
        return min(max(self._back_off(state), asked), LONGEST_WAIT_S)


@dataclass(frozen=True, slots=True)
class Delta:
    """What one part of a stream adds."""

    text: str = ""
    is_token: bool = False
    """Whether something was written, be it only thoughts that are not shown."""
    finish_reason: str | None = None
    """As the server says it."""
    tokens: int | None = None
    """Tokens of the whole answer, where the server counts them."""
    is_tool_call: bool = False


class _Part(BaseModel):
    """One part of a content that is a list."""

    type: str = "text"
    text: str | None = None


class Written(BaseModel):
    """What one part of a stream, or a whole message, says."""

    content: str | list[_Part | str] | None = None
    refusal: str | None = None
    """What a model says that declines to answer."""
    reasoning_content: Any = None
    reasoning: Any = None
    thinking: Any = None
    tool_calls: Any = None

    @property
    def thoughts(self) -> Any:
        return self.reasoning_content or self.reasoning or self.thinking

    @property
    def text(self) -> str:
        parts = self.content if isinstance(self.content, list) else [self.content or self.refusal or ""]
        return "".join(
            part if isinstance(part, str) else (part.text or "") if part.type in ("text", "output_text") else ""
            for part in parts
        )

    def delta(self, finish_reason: str | None, tokens: int | None) -> Delta:
        """What it adds to an answer."""
        return Delta(
            text=self.text,
            is_token=bool(self.content or self.refusal or self.thoughts),
            finish_reason=finish_reason,
            tokens=tokens,
            is_tool_call=bool(self.tool_calls),
        )


class _Choice(BaseModel):
    delta: Written | None = None
    message: Written | None = None
    """Of an answer that is not streamed."""
    finish_reason: str | None = None


class _Usage(BaseModel):
    completion_tokens: int | None = None


class _Event(BaseModel):
    """The part of an event that is read; the rest is passed over."""

    choices: list[_Choice] | None = None
    usage: _Usage | None = None

    def delta(self) -> Delta:
        choice = self.choices[0] if self.choices else _Choice()
        written = choice.delta or choice.message or Written()
        return written.delta(choice.finish_reason, self.usage.completion_tokens if self.usage else None)


def _data(line: str) -> str:
    """The data of a line of a stream; blank of any other line."""
    return line.removeprefix("data:").strip() if line.startswith("data:") else ""


def _within(lines: Iterator[str], characters: int) -> Iterator[str]:
    """Lines until so many characters are read."""
    read = 0
    for line in lines:
        yield line
        read += len(line)
        if read > characters:
            return


def _error_of(document: object) -> str:
    """What a server says went wrong, in any of the forms of OpenAI, vLLM, FastChat and FastAPI; blank of no error."""
    if not isinstance(document, dict):
        return ""
    error = document.get("error")
    if error:
        said = error.get("message") or error.get("detail") if isinstance(error, dict) else error
        return str(said or error)
    is_error = document.get("object") == "error" or document.get("type") == "error" or document.get("error_code")
    if is_error or not ("choices" in document or "usage" in document):
        said = next((document[key] for key in ("message", "detail", "text") if document.get(key)), "")
        return str(said or ("an error without a message" if is_error else ""))
    return ""


def _is_for_good(document: dict[str, Any]) -> bool:
    """Whether an error says that asking again is of no use: by a code that is a status such as 401."""
    error = document.get("error")
    code = error.get("code") or error.get("status") if isinstance(error, dict) else document.get("code")
    return isinstance(code, int) and 400 <= code < 500 and not is_passing(code)


def whole_characters(text: str) -> tuple[str, str]:
    """Puts halves of characters together; returns the text, and the halves at its end whose rest may follow.

    JSON may hold a character as two escapes, and a server may send the bytes of one in two events.

    >>> whole_characters("so \\ud83d\\ude00"), whole_characters("so \\ud83d"), whole_characters("\\udce2\\udc82\\udcac")
    (('so 😀', ''), ('so ', '\\ud83d'), ('€', ''))
    """
    text = _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)
    text = _BYTES.sub(_of_bytes, text)
    end = _UNFINISHED.search(text)
    return (text[: end.start()], end[0]) if end else (text, "")


def _of_bytes(halves: re.Match[str]) -> str:
    """Bytes that stand as halves of characters, as far as they are UTF-8."""
    return halves[0].encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")


def chunks_of(deltas: Generator[Delta], *, max_new_tokens: int) -> Iterator[Chunk]:
    """The chunks of a streamed answer, the last one with its finish reason.

    Args:
        deltas: What the server sends, closed at the end; raises `Stopped` when the stream is to end as `cancelled`.
        max_new_tokens: What the server was asked for; one that writes far beyond is cut off (`length`).
    """
    tokens, characters = 0, 0
    held = ""
    is_tool_call = False
    finish_reason: FinishReason = "unknown"
    try:
        with closing(deltas) as arriving:
            for delta in arriving:
                tokens = delta.tokens if delta.tokens is not None else tokens + delta.is_token
                is_tool_call |= delta.is_tool_call
                if delta.finish_reason:
                    finish_reason = FINISH_REASONS.get(delta.finish_reason, "unknown")
                if delta.is_token:
                    text, held = whole_characters(held + delta.text)
                    yield Chunk(_storable(text), tokens)
                characters += len(delta.text)
                if characters > LONGEST_ANSWER * max_new_tokens:
                    finish_reason = "length"
                    break
    except Stopped:
        yield Chunk("", tokens, "cancelled")
        return
    if is_tool_call and not characters:
        raise GeneratorUnavailable("the model called a tool instead of answering, and it was offered none")
    # Half a character that is still held has no other half: it is left off.
    yield Chunk("", tokens, finish_reason)


def _storable(text: str) -> str:
    """A text whose halves of characters, which could be neither shown nor stored, are question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _refusal(status: int, said: str) -> str:
    if TOO_LONG.search(said):
        return "the question with its preferences is longer than the model can read: shorten it"
    hint = f"; probably {HINTS[status]}" if status in HINTS else ""
    return f"the model's server refused with status {status}{hint}. It said: {said!r}"


def _log_attempt(state: RetryCallState) -> None:
    fault = state.outcome.exception() if state.outcome else None
    logger.info("model's server, attempt %d: %s; trying again", state.attempt_number, fault)
