"""A Space as the Hub starts one, and the sessions of people who have signed in there; nothing reaches the Hub."""

from __future__ import annotations

import base64
import hashlib
import json
import time

from itsdangerous import TimestampSigner

SECRET = "the OAuth secret of a test"
TOKEN = "hf_oauth_theTokenOfAVisitor"
SPACE = {
    "SYSTEM": "spaces",
    "SPACE_ID": "owner/plumbline",
    "OAUTH_CLIENT_ID": "client",
    "OAUTH_CLIENT_SECRET": SECRET,
    "OAUTH_SCOPES": "openid profile",
    "OPENID_PROVIDER_URL": "http://127.0.0.1:9",
    "PLUMBLINE_ORGANISERS": "olga",
    "PLUMBLINE_ACTIVE_RUNS": "1",
    "PLUMBLINE_DURABLE": "disk",
    "PLUMBLINE_WORKERS": "0",
    "PLUMBLINE_DEMONSTRATION": "0",
    "PLUMBLINE_RECORDED": "0",
    "PLUMBLINE_GENERATORS": "none",
    "PLUMBLINE_JUDGES": "scripted",
    "HF_TOKEN": "hf_theTokenOfThisSpace",
}
"""Environment of app.py."""


class _SignerAt(TimestampSigner):
    """Signs as if it were another time."""

    def __init__(self, key: str, now_s: float) -> None:
        super().__init__(key)
        self._now_s = now_s

    def get_timestamp(self) -> int:
        return int(self._now_s)


def signed_session(
    subject: str, name: str, *, secret: str = SECRET, lasts_s: float = 3600.0, now_s: float | None = None
) -> str:
    """The cookie gradio 6.31 gives whoever has signed in: what the Hub said, signed as Starlette does it.

    Args:
        now_s: By the server's clock, in seconds since the epoch; None = now.
    """
    now_s = time.time() if now_s is None else now_s
    info = {
        "access_token": TOKEN,
        "expires_at": int(now_s + lasts_s),
        "userinfo": {
            "sub": subject,
            "name": name.title(),
            "preferred_username": name,
            "profile": f"https://huggingface.co/{name}",
            "picture": "",
        },
    }
    key = hashlib.sha256(f"{secret}-v4".encode()).hexdigest()
    return _SignerAt(key, now_s).sign(base64.b64encode(json.dumps({"oauth_info": info}).encode())).decode()
