"""Calls to a judge's server: tried again while a fault may pass, a clear refusal otherwise, never a made-up answer.

Where a call goes and what its headers say comes from the settings alone; submitted text only ever stands in the JSON
body. No redirect is followed and no proxy or credential is taken from the environment.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2
from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    stop_after_attempt,
    stop_any,
    stop_when_event_set,
    wait_exponential_jitter,
)

from evaluator.judges.protocol import JudgeAway, JudgeUnavailable

logger = logging.getLogger(__name__)

LONGEST_WAIT_S = 30.0
"""No longer than this between two attempts, unless the server asks for more."""
LONGEST_RETRY_AFTER_S = 120.0
"""A server that asks for a longer pause is not waited for: the job goes back to the queue and comes again later."""
LONGEST_MESSAGE = 200
"""Characters shown of what a server says."""

PASSING_STATUS = frozenset({408, 425, 429})
"""Besides 5xx: statuses that say "not now" rather than "not so"."""
HINTS = {
    401: "the API key is missing or wrong",
    403: "the API key does not allow it",
    404: "the model's name or the address is wrong",
}
TOO_LONG = re.compile(r"context[ _]length|^(?>.*?`inputs`).*tokens", re.IGNORECASE | re.MULTILINE)
"""How vLLM, SGLang, OpenAI and TGI say that a prompt does not fit."""
_NOT_YOUR_FAULT = "This is a matter of the judge's installation, not of the submitted file."


class CallRefused(JudgeUnavailable):
    """Raised when the server refuses a call for good (3xx, 4xx)."""

    def __init__(self, status: int, said: str) -> None:
        hint = f"; probably {HINTS[status]}" if status in HINTS else ""
        super().__init__(f"the judge's server refused with status {status}{hint}. It said: {said!r}. {_NOT_YOUR_FAULT}")
        self.status = status
        self.said = said


class NotJson(JudgeUnavailable):
    """Raised when the server accepts a call and answers with something else than JSON."""


class _PassingFault(Exception):
    """Raised for one failed attempt that another may mend."""

    def __init__(self, what: str, retry_after_s: float = 0.0) -> None:
        super().__init__(what)
        self.retry_after_s = retry_after_s


def _pause(given_up: threading.Event, seconds: float) -> None:
    given_up.wait(seconds)


class ServerCalls:
    """Calls to one server.

    Args:
        base_url: Scheme, host, port and path before `/v1`.
        api_key: Sent as a bearer token; shown nowhere, not even where the server repeats it.
        timeout_s: For connecting, and for each wait for a part of the answer.
        max_attempts: Per call, the first one included.
        first_wait_s: Before the second attempt; doubles with each further one, plus as much jitter at random.
        transport: Instead of the network, in tests.
        pause: Waits that many seconds, or until the event is set.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None,
        timeout_s: float,
        max_attempts: int,
        first_wait_s: float,
        transport: httpx2.BaseTransport | None = None,
        pause: Callable[[threading.Event, float], None] = _pause,
    ) -> None:
        self._api_key = api_key
        self._timeout_s = timeout_s
        self._max_attempts = max_attempts
        self._back_off = wait_exponential_jitter(multiplier=first_wait_s, max=LONGEST_WAIT_S, jitter=first_wait_s)
        self._pause = pause
        self._client = httpx2.Client(
            base_url=base_url,
            headers={"Authorization": f"Bearer {api_key}"} if api_key else {},
            timeout=timeout_s,
            follow_redirects=False,
            trust_env=False,
            transport=transport,
            # As many connections as there are callers: who may call at once is the judge's business.
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=None),
        )

    def close(self) -> None:
        """Closes all connections."""
        self._client.close()

    def get(self, path: str) -> Any:
        """The JSON answer to a GET; see `post`."""
        return self._call("GET", path, None, threading.Event())

    def post(self, path: str, body: Mapping[str, Any], given_up: threading.Event | None = None) -> Any:
        """The JSON answer to a POST.

        Args:
            path: From the base URL.
            body: Sent as JSON.
            given_up: When set, no further attempt is made.

        Raises:
            CallRefused: 3xx, 4xx or 501, but for "too many requests" and "timeout", which are tried again.
            NotJson: the answer cannot be read.
            JudgeAway: no usable answer after all attempts.
        """
        return self._call("POST", path, body, given_up or threading.Event())

    def _call(self, method: str, path: str, body: Mapping[str, Any] | None, given_up: threading.Event) -> Any:
        attempts = Retrying(
            retry=retry_if_exception_type(_PassingFault),
            stop=stop_any(stop_after_attempt(self._max_attempts), stop_when_event_set(given_up)),
            wait=self._wait_s,
            sleep=lambda seconds: self._pause(given_up, seconds),
            before_sleep=_log_attempt,
            reraise=True,
        )
        try:
            return attempts(self._attempt, method, path, body)
        except _PassingFault as fault:
            made = attempts.statistics["attempt_number"]
            raise JudgeAway(
                f"the judge's server did not answer in {made} of {made} attempts; the last time: {fault}. "
                f"What was judged so far is kept. {_NOT_YOUR_FAULT}"
            ) from fault

    def _attempt(self, method: str, path: str, body: Mapping[str, Any] | None) -> Any:
        try:
            response = self._client.request(method, path, json=body)
        except httpx2.TimeoutException as error:
            raise _PassingFault(f"no answer within {self._timeout_s:g} s") from error
        except httpx2.TransportError as error:
            raise _PassingFault(f"the connection failed ({self._shown(str(error)) or type(error).__name__})") from error
        if is_passing(response.status_code):
            raise self._passing_fault(response)
        if not response.is_success:
            raise CallRefused(response.status_code, self._shown(error_text(response)))
        try:
            return response.json()
        except ValueError as error:
            raise NotJson(f"the judge's server answered with something that is not JSON. {_NOT_YOUR_FAULT}") from error

    def _wait_s(self, state: RetryCallState) -> float:
        return max(self._back_off(state), _asked_pause_s(state))

    def _passing_fault(self, response: httpx2.Response) -> _PassingFault:
        said = self._shown(error_text(response))
        what = f"status {response.status_code}" + (f" ({said})" if said else "")
        pause_s = retry_after_s(response, datetime.now(UTC))
        if pause_s > LONGEST_RETRY_AFTER_S:
            raise JudgeAway(
                f"the judge's server asks for a pause of {pause_s:.0f} s: {what}. "
                f"What was judged so far is kept. {_NOT_YOUR_FAULT}"
            )
        return _PassingFault(what, pause_s)

    def _shown(self, text: str) -> str:
        return one_line(text, self._api_key)


def is_passing(status: int) -> bool:
    """Whether a status says "not now" rather than "not so"."""
    return status in PASSING_STATUS or (status >= 500 and status != 501)


def one_line(text: str, api_key: str | None) -> str:
    """What a server says, on one printable line of bounded length and without our key."""
    if api_key:
        text = text.replace(api_key, "[API key]")
    line = "".join(character if character.isprintable() else " " for character in text[: 10 * LONGEST_MESSAGE])
    line = " ".join(line.split())
    return line if len(line) <= LONGEST_MESSAGE else f"{line[: LONGEST_MESSAGE - 1]}…"


def error_text(response: httpx2.Response) -> str:
    """The message of an error answer: OpenAI's `error.message`, vLLM's `message`, FastAPI's `detail`, or the text."""
    try:
        message = response.json()
    except ValueError:
        return response.text
    for name in ("error", "message", "detail"):
        if isinstance(message, dict) and name in message:
            message = message[name]
    return message if isinstance(message, str) else str(message)


def retry_after_s(response: httpx2.Response, now: datetime) -> float:
    """The pause `Retry-After` asks for, in seconds or until a date (RFC 9110, section 10.2.3); 0 where it does not."""
    text = response.headers.get("Retry-After", "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        return max(0.0, (parsedate_to_datetime(text) - now).total_seconds())
    except (TypeError, ValueError):
        return 0.0  # not a date, or one without a time zone


def _asked_pause_s(state: RetryCallState) -> float:
    fault = state.outcome.exception() if state.outcome else None
    return fault.retry_after_s if isinstance(fault, _PassingFault) else 0.0


def _log_attempt(state: RetryCallState) -> None:
    fault = state.outcome.exception() if state.outcome else None
    logger.info(
        "judge server, attempt %d: %s; again in %.1f s",
        state.attempt_number,
        fault,
        state.next_action.sleep if state.next_action else 0.0,
    )
