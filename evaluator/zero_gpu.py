"""ZeroGPU of Hugging Face Spaces: a graphics card for the seconds of one call.

The package `spaces`, which such a Space brings along, wraps a function. A call asks the Hub for a card, at the expense
of the visitor whose event it belongs to, forks this process and runs the function in the fork, with the models that are
in memory here. What goes in and comes out is pickled. Of an exception in the fork only the name comes back: what a
function wants to say it returns (`Fault`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, TypeVar

from submissions.settings import Settings

logger = logging.getLogger(__name__)

Function = TypeVar("Function", bound=Callable[..., Any])

START_S = 10
"""Of every call, before it computes: the fork starts, and the weights travel to the card. Assumed, not measured."""
TOKEN_S = 0.05
"""For each token a model writes, one after the other. Assumed; a card writes faster, and what is not used is not
charged."""

_NOT_IN_LAB = "Try re-running outside of examples if it happened after clicking one"
"""A sentence of the package's, of no use here."""


class CardRefused(Exception):
    """Raised when no card is lent, or it was taken back; the text is for the visitor."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a function on a card could not do what was asked, for people."""

    message: str


class Spaces(Protocol):
    """What is used of the package `spaces`."""

    zero: Any
    """Its `startup()` tells the Hub that the Space has started; gradio's own `launch` would call it."""

    def GPU(self, *, duration: Callable[..., int]) -> Callable[[Any], Any]: ...  # noqa: N802 - its name there


class ZeroGpu:
    """The cards of a Space; one per page server.

    Args:
        package: The module `spaces`.
    """

    def __init__(self, package: Spaces) -> None:
        self._package = package
        self._has_started = False

    @classmethod
    def of(cls, settings: Settings) -> ZeroGpu | None:
        """The cards of this Space; None where it has none, as everywhere else.

        Called before anything computes: the package puts itself between torch and the card that is not there yet.
        """
        if not settings.has_zero_gpu:
            return None
        try:
            return cls(import_module("spaces"))
        except ImportError as missing:
            logger.error("SPACES_ZERO_GPU is set, but models compute on the CPU: %s", missing)
            return None

    @property
    def has_started(self) -> bool:
        """Is everything loaded that the forks are to find in memory?"""
        return self._has_started

    def lent(self, function: Function, duration_s: Callable[..., int]) -> Function:
        """The function, or generator function, as it runs on a card.

        Args:
            function: Its arguments and what it returns can be pickled.
            duration_s: From the same arguments, the seconds it may take at most.
        """
        wrapped: Function = self._package.GPU(duration=duration_s)(function)
        return wrapped

    def start(self) -> None:
        """Tells the Hub that all models are loaded; called once, before the pages open."""
        self._package.zero.startup()
        self._has_started = True


@contextmanager
def refusals_in_words() -> Iterator[None]:
    """Whatever the package raises, in words for visitors.

    Raises:
        CardRefused: in place of gradio's own error, which has a title, and of the errors of its requests.
    """
    try:
        yield
    except RuntimeError as error:
        logger.error("ZeroGPU: %s", error)
        raise CardRefused("the Hub could not be asked for a graphics card; try again in a minute") from error
    except Exception as error:
        # gradio's Error: this package does not import gradio, which belongs to the pages.
        title, message = getattr(error, "title", None), getattr(error, "message", None)
        if title is None or message is None:
            raise
        raise CardRefused(_in_words(str(title), str(message))) from error


def _in_words(title: str, said: str) -> str:
    """What a refusal means here.

    >>> _in_words("ZeroGPU quota exceeded", "You have exceeded your free ZeroGPU quota (18s requested vs. 4s left).")
    'no graphics card is lent for this: You have exceeded your free ZeroGPU quota (18s requested vs. 4s left)'
    """
    said = said.replace(_NOT_IN_LAB, "").strip().rstrip(".")
    if said == "GPU task aborted":
        return (
            "the graphics card was taken back before the end, as happens to what takes longer than was asked for; "
            "run it again, or shorten the text"
        )
    if title == "ZeroGPU worker error":
        return f"the model stopped with an error on the graphics card ({said})"
    if title == "ZeroGPU quota exceeded" and said.startswith("Space app has reached"):
        # Said of visitors whom the Hub does not know: all of them share one quota.
        return (
            "no graphics card is lent for this: visitors without an account have used up what they share; sign in to "
            "Hugging Face, or come back later"
        )
    return f"no graphics card is lent for this: {said}"
