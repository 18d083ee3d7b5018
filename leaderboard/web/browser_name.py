"""The name that a browser has, where nobody signs in."""

from __future__ import annotations

import hashlib

import gradio as gr

COOKIE = "plumbline_browser"


def browser_of(request: gr.Request | None) -> str | None:
    """A digest of the name of the browser that makes a request; None where it has none."""
    cookies = getattr(getattr(request, "request", None), "cookies", None) or {}
    name = cookies.get(COOKIE)
    return f"browser {hashlib.sha256(name.encode()).hexdigest()[:32]}" if name else None
