"""A language model behind a server: vLLM, SGLang, TGI, anything that speaks OpenAI's `/v1/chat/completions`.

Where a call goes and what its headers say comes from the settings alone; texts only ever stand in the JSON body, and
neither texts nor keys are logged. No redirect is followed, no proxy or credential taken from the environment.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Event
from typing import Any

import httpcore2
import httpx2
from pydantic import BaseModel, ValidationError
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
from evaluator.generators.protocol import MAX_NEW_TOKENS, Chunk, GeneratorUnavailable, Message
from evaluator.judges.http.calls import HINTS, TOO_LONG, error_text, is_passing, one_line, retry_after_s
from evaluator.judges.http.judge import without_control_tokens
from evaluator.values import Pin
from submissions.formats.personalization.submission import FinishReason

logger = logging.getLogger(__name__)

LONGEST_WAIT_S = 10.0
"""No longer than this between two attempts, nor after a Retry-After: somebody watches."""
LONGEST_ANSWER = 64
"""Characters per token allowed; a server that goes on beyond is cut off."""

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
                {"role": message.role, "content": without_control_tokens(message.content)} for message in messages
            ],
            "max_tokens": max_new_tokens,
            "temperature": 0,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
        yield from chunks_of(self._deltas(content, stop), max_new_tokens=max_new_tokens)

    def _deltas(self, content: bytes, stop: Event) -> Generator[Delta]:
        with self._begun(content, stop) as answer:
            try:
                for line in answer.lines():
                    if stop.is_set():
                        raise Stopped
                    if (delta := self._delta(line)) is not None:
                        yield delta
            except (httpcore2.TimeoutException, *_BROKEN) as error:
                raise GeneratorUnavailable(
                    f"the connection to the model's server broke while it was writing ({type(error).__name__})"
                ) from error

    def _begun(self, content: bytes, stop: Event) -> Answer:
        """The answer once the server has begun it, after further attempts where a fault may pass."""
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

    def _attempt(self, content: bytes, stop: Event) -> Answer:
        if stop.is_set():
            raise Stopped
        try:
            answer = self._connections.post(content, stop)
            if answer.is_success:
                return answer
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

    def _delta(self, line: str) -> Delta | None:
        data = line.removeprefix("data:").strip()
        if not line.startswith("data:") or data in ("", "[DONE]"):
            return None
        try:
            event = _Event.model_validate(json.loads(data))
        except (ValueError, ValidationError) as error:
            raise GeneratorUnavailable(
                "the model's server does not stream as /v1/chat/completions does: found a line that cannot be read"
            ) from error
        if event.error is not None:
            said = event.error.get("message", "") if isinstance(event.error, dict) else event.error
            shown = one_line(str(said), self._settings.api_key)
            raise GeneratorUnavailable(f"the model's server gave up while it was writing. It said: {shown!r}")
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


class _Content(BaseModel):
    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None


class _Choice(BaseModel):
    delta: _Content = _Content()
    finish_reason: str | None = None


class _Usage(BaseModel):
    completion_tokens: int | None = None


class _Event(BaseModel):
    """The part of an event that is read; the rest is passed over."""

    choices: list[_Choice] = []
    usage: _Usage | None = None
    error: dict[str, Any] | str | None = None

    def delta(self) -> Delta:
        choice = self.choices[0] if self.choices else _Choice()
        written = choice.delta
        return Delta(
            text=written.content or "",
            is_token=bool(written.content or written.reasoning_content or written.reasoning),
            finish_reason=choice.finish_reason,
            tokens=self.usage.completion_tokens if self.usage else None,
        )


def chunks_of(deltas: Generator[Delta], *, max_new_tokens: int) -> Iterator[Chunk]:
    """The chunks of a streamed answer, the last one with its finish reason.

    Args:
        deltas: What the server sends, closed at the end; raises `Stopped` when the stream is to end as `cancelled`.
        max_new_tokens: What the server was asked for; one that writes far beyond is cut off (`length`).
    """
    tokens, characters = 0, 0
    finish_reason: FinishReason = "unknown"
    try:
        with closing(deltas) as arriving:
            for delta in arriving:
                tokens = delta.tokens if delta.tokens is not None else tokens + delta.is_token
                if delta.finish_reason is not None:
                    finish_reason = FINISH_REASONS.get(delta.finish_reason, "unknown")
                if delta.is_token:
                    # Half of a surrogate pair, which JSON can hold, could be neither shown nor stored.
                    yield Chunk(delta.text.encode("utf-8", "replace").decode("utf-8"), tokens)
                characters += len(delta.text)
                if characters > LONGEST_ANSWER * max_new_tokens:
                    finish_reason = "length"
                    break
    except Stopped:
        yield Chunk("", tokens, "cancelled")
        return
    yield Chunk("", tokens, finish_reason)


def _refusal(status: int, said: str) -> str:
    if TOO_LONG.search(said):
        return "the question with its preferences is longer than the model can read: shorten it"
    hint = f"; probably {HINTS[status]}" if status in HINTS else ""
    return f"the model's server refused with status {status}{hint}. It said: {said!r}"


def _log_attempt(state: RetryCallState) -> None:
    fault = state.outcome.exception() if state.outcome else None
    logger.info("model's server, attempt %d: %s; trying again", state.attempt_number, fault)
