"""Telling a webhook that a judge has changed: one POST within a bounded time, whose address no message repeats."""

from __future__ import annotations

import threading
from collections.abc import Mapping

import httpx

WITHIN_S = 15.0
"""For all of it: name, connection, and an answer that comes drop by drop."""
_OK = range(200, 300)


class NotTold(Exception):
    """Raised where the webhook did not take the message; says why, without the address, which may hold a secret."""


def tell(url: str, message: Mapping[str, str | int], *, within_s: float = WITHIN_S) -> None:
    """Posts a message as JSON; redirects are not followed.

    Args:
        url: As `submissions.settings` accepts it.
        within_s: For the whole call.

    Raises:
        NotTold: it did not answer in time, or not with 2xx.
    """
    outcome: list[str] = []
    # In a thread of its own: timeouts of a connection are for each step of it, and steps may be many.
    posting = threading.Thread(target=_post, args=(url, message, within_s, outcome), daemon=True)
    posting.start()
    posting.join(within_s)
    fault = outcome[0] if outcome else f"no answer within {within_s:g} s"
    if fault:
        raise NotTold(f"the webhook of PLUMBLINE_CANARY_WEBHOOK was not told: {fault}")


def _post(url: str, message: Mapping[str, str | int], within_s: float, outcome: list[str]) -> None:
    try:
        with (
            httpx.Client(timeout=within_s, follow_redirects=False, trust_env=False) as client,
            client.stream("POST", url, json=dict(message)) as response,
        ):
            code = response.status_code
        outcome.append("" if code in _OK else f"it answered {code}")
    except httpx.TimeoutException:
        outcome.append(f"no answer within {within_s:g} s")
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        # The class alone: the text of some of them repeats the address.
        outcome.append(f"it cannot be reached ({type(error).__name__})")
