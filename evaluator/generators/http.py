"""A language model behind a server: vLLM, SGLang, TGI, anything that speaks OpenAI's `/v1/chat/completions`.

Where a call goes and what its headers say comes from the settings alone; texts only ever stand in the JSON body, and
neither texts nor keys are logged. No redirect is followed, no proxy or credential taken from the environment.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Event
from typing import Any

import httpx2
from pydantic import BaseModel, ValidationError
from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception_type,
    stop_after_attempt,
    wait_exponential_jitter,
)

from evaluator.generators.background import Stopped, read_in_background
from evaluator.generators.http_settings import HttpGeneratorSettings
from evaluator.generators.protocol import MAX_NEW_TOKENS, Chunk, GeneratorUnavailable, Message
from evaluator.generators.shared_client import SharedClient
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


class _PassingFault(Exception):
    """Raised for one attempt that failed before the first token and that another may mend."""

    def __init__(self, what: str, retry_after_s: float = 0.0) -> None:
        super().__init__(what)
        self.retry_after_s = retry_after_s


class HttpGenerator:
    """A chat model behind a server.

    Args:
        settings: Which server and model.
        transport: Instead of the network, in tests.
    """

    def __init__(self, settings: HttpGeneratorSettings, *, transport: httpx2.AsyncBaseTransport | None = None) -> None:
        self._settings = settings
        self._address = httpx2.URL(f"{settings.root_url}/v1/chat/completions")
        certificates = httpx2.create_ssl_context(trust_env=False)  # takes longer than all the rest of a client
        self._client = SharedClient(
            lambda: httpx2.AsyncClient(
                headers={"Authorization": f"Bearer {settings.api_key}"} if settings.api_key else {},
                timeout=settings.timeout_s,
                # A stream must not wait for another to end: how many there are at once is its caller's to say.
                limits=httpx2.Limits(max_connections=None),
                follow_redirects=False,
                trust_env=False,
                verify=certificates,
                transport=transport,
            )
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
        yield from chunks_of(lambda: self._deltas(body), stop=stop, max_new_tokens=max_new_tokens)

    async def _deltas(self, body: dict[str, Any]) -> AsyncIterator[Delta]:
        async with self._client.lent() as client:
            response = await self._begun(client, body)
            try:
                async for line in response.aiter_lines():
                    if (delta := self._delta(line)) is not None:
                        yield delta
            except httpx2.TransportError as error:
                raise GeneratorUnavailable(
                    f"the connection to the model's server broke while it was writing ({type(error).__name__})"
                ) from error
            finally:
                await response.aclose()

    async def _begun(self, client: httpx2.AsyncClient, body: dict[str, Any]) -> httpx2.Response:
        """The answer once the server has begun it, after further attempts where a fault may pass."""
        attempts = AsyncRetrying(
            retry=retry_if_exception_type(_PassingFault),
            stop=stop_after_attempt(self._settings.max_attempts),
            wait=self._wait_s,
            before_sleep=_log_attempt,
            reraise=True,
        )
        try:
            return await attempts(self._attempt, client, body)
        except _PassingFault as fault:
            made = attempts.statistics["attempt_number"]
            raise GeneratorUnavailable(
                f"the model's server did not begin an answer in {made} of {made} attempts; the last time: {fault}"
            ) from fault

    async def _attempt(self, client: httpx2.AsyncClient, body: dict[str, Any]) -> httpx2.Response:
        request = client.build_request("POST", self._address, json=body)
        try:
            response = await client.send(request, stream=True)
            if not response.is_success:
                await response.aread()
        except httpx2.TimeoutException as error:
            raise _PassingFault(f"no answer within {self._settings.timeout_s:g} s") from error
        except httpx2.TransportError as error:
            raise _PassingFault(f"the connection failed ({type(error).__name__})") from error
        if response.is_success:
            return response
        said = one_line(error_text(response), self._settings.api_key)
        if is_passing(response.status_code):
            what = f"status {response.status_code}" + (f" ({said})" if said else "")
            raise _PassingFault(what, retry_after_s(response, datetime.now(UTC)))
        raise GeneratorUnavailable(_refusal(response.status_code, said))

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


def chunks_of(deltas: Callable[[], AsyncIterator[Delta]], *, stop: Event, max_new_tokens: int) -> Iterator[Chunk]:
    """The chunks of a streamed answer, the last one with its finish reason.

    Args:
        deltas: Makes the asynchronous iterator of `Delta`s.
        stop: Ends the stream as `cancelled`.
        max_new_tokens: What the server was asked for; one that writes far beyond is cut off (`length`).
    """
    tokens, characters = 0, 0
    finish_reason: FinishReason = "unknown"
    try:
        with closing(read_in_background(deltas, stop)) as arriving:
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
