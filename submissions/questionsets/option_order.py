"""The order in which a run saw the options of a question, as a short hash (docs/submit.md#personalized-answers)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from submissions.reading.normal_forms import normal_form

HASH_CHARACTERS = 16


def normalised_option(option: str) -> str:
    """The option in NFC without outer blanks: two options that agree in it are one."""
    return normal_form("NFC", option).strip()


def option_order_hash(options: Sequence[str]) -> str:
    """The first 16 hex digits of the SHA-256 of the options as a compact JSON array of normalised texts.

    >>> option_order_hash(["the sun", "the moon"])
    'f3c1c0d4d4a09073'
    >>> option_order_hash(["the moon", "the sun"])
    '809cb5ca130efd57'
    """
    text = json.dumps([normalised_option(option) for option in options], ensure_ascii=False, separators=(",", ":"))
    # Half a character is refused elsewhere, with its place; here it must not raise.
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_CHARACTERS]
