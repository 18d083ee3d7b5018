"""The one protocol of all generators: messages in, text out piece by piece."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Literal, Protocol

from evaluator.values import Pin
from submissions.formats.personalization.submission import FinishReason

MAX_NEW_TOKENS = 512
"""Longest answer (docs/lab.md#limits)."""


class UnsuitableGenerator(Exception):
    """Raised when a model cannot be loaded as pinned, or has no chat template."""


class GeneratorUnavailable(Exception):
    """Raised when a generator cannot be used now or as it is set up; the text is for the person who waits."""


Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """What came since the last chunk."""

    text: str
    """May be empty: some tokens complete no character."""
    tokens: int
    """Tokens written so far, this chunk included."""
    finish_reason: FinishReason | Literal["cancelled"] | None = None
    """Set on the last chunk only; `cancelled` when `stop` was set, and the text is then incomplete."""


def without_beginning(messages: Sequence[Message]) -> Sequence[Message]:
    """Return the chat up to the last turn of the user."""
    return messages[:-1] if messages[-1].role == "assistant" else messages


class TextGenerator(Protocol):
    """A generator writes one answer at a time, greedily unless it says otherwise in its pin."""

    @property
    def pin(self) -> Pin: ...

    def stream(
        self, messages: Sequence[Message], *, stop: Event, max_new_tokens: int = MAX_NEW_TOKENS
    ) -> Iterator[Chunk]:
        """Yields chunks as they are written; always ends with one chunk that has a finish_reason.

        A last message of the assistant is the beginning of its reply. A local model goes on from it; servers and
        providers, of which not all can, are asked without it. Either way the text is the whole reply.

        Safe to call from several threads at once. Setting `stop` from another thread ends it within a second or two;
        so does closing the iterator.

        Raises:
            GeneratorUnavailable: when it cannot write, or can write no more.
        """
        ...
