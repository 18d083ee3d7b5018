"""Which server a judge stands behind, which model it is, and in which words the model is addressed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from evaluator.judges.protocol import UnsuitableJudge
from evaluator.judges.written.formats import ReplyFormat, format_named, reply_faults

UNPINNED = "unpinned"
"""Revision of a judge of which only the name is known: its weights may change unseen, and the pin says so."""


REPLY_TIMEOUT_S = 600.0
"""Default of `timeout_s` for a judge that writes before it decides: a whole reply is one answer."""


class ChatFrame(NamedTuple):
    """What stands before and after the user's message; the tail of the rubric follows, then the judge's answer."""

    before: str
    after: str


CHAT_FRAMES: Mapping[str, ChatFrame] = {
    "plain": ChatFrame("", "\n"),
    "chatml": ChatFrame("<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n"),
    "llama-3": ChatFrame(
        "<|start_header_id|>user<|end_header_id|>\n\n",
        "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
    ),
    "mistral": ChatFrame("[INST] ", " [/INST]"),
    "gemma": ChatFrame("<start_of_turn>user\n", "<end_of_turn>\n<start_of_turn>model\n"),
}
"""Frames by name. The token that begins every sequence is not part of them: whoever tokenises adds it."""


@dataclass(frozen=True, slots=True)
class HttpJudgeSettings:
    """Which server, which model, and how it is called."""

    base_url: str
    """http or https, with or without `/v1`; no user, password or query."""
    model: str
    """As the server calls it."""
    revision: str = UNPINNED
    """Commit of the weights, as far as the operator knows it."""
    api_key: str | None = field(default=None, repr=False)
    """Never logged, never part of the pin."""
    frame: str = "plain"
    """One of `CHAT_FRAMES`."""
    tokenizer: Path | None = None
    """The model's tokenizer.json, or its folder: prompts are then sent as token ids."""
    concurrency: int = 8
    """Calls under way at once."""
    timeout_s: float = 30.0
    max_attempts: int = 6
    first_wait_s: float = 1.0
    """Before the second attempt of a call; doubles with each further one."""
    unproven: bool = False
    """Whether it judges without a proof (`evaluator.judges.proof`): the pin then says so."""
    reply: str = ""
    """The format of a judge that writes before it decides (`evaluator.judges.written.formats`); blank = it does not."""
    tokens: int | None = None
    """How many tokens such a reply may have; None = what its format needs."""

    def __post_init__(self) -> None:
        faults = _faults(self)
        if faults:
            raise UnsuitableJudge("; ".join(faults))

    @property
    def reply_format(self) -> ReplyFormat | None:
        """How the judge writes before it decides; None where it does not."""
        return format_named(self.reply) if self.reply else None

    @property
    def root_url(self) -> str:
        """The base URL without `/v1`."""
        return self.base_url.rstrip("/").removesuffix("/v1")

    @classmethod
    def from_text(cls, text: str, api_key: str | None = None) -> HttpJudgeSettings:
        """Reads `URL#MODEL[@REVISION][;NAME=VALUE]...`, the part of a judge's name after `http:`.

        Raises:
            UnsuitableJudge: listing what cannot be read.

        >>> settings = HttpJudgeSettings.from_text("http://gpu:8000/v1#Qwen/Qwen3-8B@9c925d64;frame=chatml")
        >>> settings.root_url, settings.model, settings.revision, settings.frame
        ('http://gpu:8000', 'Qwen/Qwen3-8B', '9c925d64', 'chatml')
        """
        try:
            url, model, revision, values = read_address(text, _OPTIONS)
        except ValueError as fault:
            raise UnsuitableJudge(str(fault)) from None
        if "reply" in values:
            values = {"timeout_s": REPLY_TIMEOUT_S, **values}
        return cls(url, model, revision, api_key or None, **values)


_OPTIONS: Mapping[str, Callable[[str], Any]] = {
    "frame": str,
    "tokenizer": Path,
    "concurrency": int,
    "timeout_s": float,
    "max_attempts": int,
    "first_wait_s": float,
    "reply": str,
    "tokens": int,
    "unproven": lambda text: {"yes": True, "no": False}[text],
}


def _faults(settings: HttpJudgeSettings) -> list[str]:
    faults = url_faults(settings.base_url)
    if not settings.model.strip():
        faults.append("the model is not named: expected URL#MODEL@REVISION")
    faults += key_faults(settings.api_key)
    if settings.frame not in CHAT_FRAMES:
        faults.append(f"frame: found {settings.frame!r}, expected one of {', '.join(CHAT_FRAMES)}")
    faults += reply_faults(settings.reply, settings.tokens)
    if settings.concurrency < 1 or settings.max_attempts < 1:
        faults.append("concurrency and max_attempts: expected 1 or more")
    if not (0 < settings.timeout_s < math.inf and 0 <= settings.first_wait_s < math.inf):
        faults.append("timeout_s: expected more than 0; first_wait_s: expected 0 or more")
    return faults


def read_address(text: str, options: Mapping[str, Callable[[str], Any]]) -> tuple[str, str, str, dict[str, Any]]:
    """URL, model, revision and options of `URL#MODEL[@REVISION][;NAME=VALUE]...`.

    Args:
        options: Name -> what reads its value.

    Raises:
        ValueError: saying what cannot be read.

    >>> read_address("http://gpu:8000#qwen;timeout_s=20", {"timeout_s": float})
    ('http://gpu:8000', 'qwen', 'unpinned', {'timeout_s': 20.0})
    """
    url, _, rest = text.partition("#")
    named, *stated = rest.split(";")
    model, _, revision = named.partition("@")
    values: dict[str, Any] = {}
    for option in stated:
        name, _, value = option.partition("=")
        if name not in options:
            raise ValueError(f"found the option {option!r}, expected one of {', '.join(options)} = a value")
        try:
            values[name] = options[name](value)
        except ValueError:
            raise ValueError(f"{name}: found {value!r}, expected a number") from None
        except KeyError:
            raise ValueError(f"{name}: found {value!r}, expected yes or no") from None
    return url, model, revision or UNPINNED, values


def key_faults(api_key: str | None) -> list[str]:
    """What is wrong with an API key; the key itself is not repeated."""
    if api_key is None or (api_key.isascii() and api_key.isprintable() and api_key and api_key.strip() == api_key):
        return []
    return ["the API key has characters that no header may carry (a line break at its end?)"]


def url_faults(base_url: str) -> list[str]:
    """What is wrong with a base URL; the URL itself is not repeated, for it might carry a password."""
    try:
        parts = urlsplit(base_url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable or not (base_url.isascii() and base_url.isprintable() and " " not in base_url):
        return ["the server's address: expected http://HOST:PORT or https://HOST"]
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        return ["the server's address: expected no user, password, query or fragment (an API key is its own setting)"]
    return []
