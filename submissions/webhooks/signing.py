"""Signatures by which a receiver knows that a message is ours."""

from __future__ import annotations

import hashlib
import hmac
import secrets

SIGNATURE = "Plumbline-Signature"
"""The header that carries it."""


def new_secret() -> str:
    """A secret for one address: 43 characters that nobody guesses."""
    return secrets.token_urlsafe(32)


def signature(secret: str, body: bytes) -> str:
    """HMAC-SHA256 of a message's bytes under the secret, as its header has it.

    >>> signature("Jefe", b"what do ya want for nothing?")  # RFC 4231, test case 2
    'sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'
    """
    return f"sha256={hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}"
