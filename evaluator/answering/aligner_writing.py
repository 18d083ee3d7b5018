"""Stage 2 of Pref-Aligner, written within its format: the beginning of the JSON object is given, and its end.

A small model forgets the format it was told; one that goes on from `{"response": "` keeps it. Only local models do:
servers and providers are asked without a beginning, and their replies are taken as they come
(docs/personalization.md#profiles).
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from threading import Event
from typing import Literal, cast

from evaluator.generators.protocol import Chunk, Message, TextGenerator
from submissions.formats.personalization.submission import FinishReason

BEGINNING = '{"response": "'
"""What a local model goes on from."""

_STRING = re.compile(r'(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*')
"""Inside of a JSON string, as far as it goes; a raw line break is read, too."""
_HALF_ESCAPE = re.compile(r"\\(?:u[0-9A-Fa-f]{0,3})?")
_END = re.compile(r'"\s*(?:\}|,\s*"[A-Za-z_]{1,30}"\s*:)')
"""Behind the response: the end of the object, or the name of a further member."""
_HALF_END = re.compile(r'"\s*(?:,\s*(?:"[A-Za-z_]{0,30}(?:"\s*)?)?)?')


def stream_reply(
    generator: TextGenerator, messages: Sequence[Message], *, stop: Event, max_new_tokens: int
) -> Iterator[Chunk]:
    """Stream a text; a reply that goes on from `BEGINNING` ends with its response, or where it cannot be read.

    Where the response is whole, `"}` closes the object: a local model's thoughts are not waited for, as they come
    behind the response and change nothing in it. Where the model ends its turn inside the response, the object is
    closed as well. A reply that is cut off at `max_new_tokens` before its response has ended stays as it is, and so
    does one that is broken; neither is readable.

    Args:
        generator: Whoever writes.
        messages: A chat; with a last message of the assistant, the beginning of the reply.
        stop: Set to end the writing.
        max_new_tokens: Most tokens of the reply.

    Raises:
        GeneratorUnavailable: when the generator cannot write, or can write no more.
    """
    reply = ContinuedReply()
    chunks = generator.stream(messages, stop=stop, max_new_tokens=max_new_tokens)
    with closing(cast("Generator[Chunk]", chunks)):
        for chunk in chunks:
            if not reply.is_continued(chunk):
                yield chunk
                continue
            came = reply.add(chunk)
            yield came
            if came.finish_reason is not None:
                return


class ContinuedReply:
    """A reply while it is written."""

    def __init__(self) -> None:
        self._text = ""
        self._shown = 0
        self._is_given: bool | None = None

    def is_continued(self, chunk: Chunk) -> bool:
        """Whether the reply goes on from the beginning: its first chunk is that, at no token's cost."""
        if self._is_given is None:
            self._is_given = chunk.tokens == 0 and chunk.text == BEGINNING
        return self._is_given

    def add(self, chunk: Chunk) -> Chunk:
        """Take a chunk, and return what is to be shown of it; with a finish_reason where the reply ends."""
        self._text += chunk.text
        response = _STRING.match(self._text, len(BEGINNING))
        assert response is not None  # it matches the empty text
        response_end = response.end()
        rest = self._text[response_end:]
        is_half_ended = not rest or bool(_HALF_END.fullmatch(rest))
        if _END.match(rest) or (is_half_ended and chunk.finish_reason == "stop"):
            return self._news(f'{self._text[:response_end]}"}}', chunk.tokens, "stop")
        if not (is_half_ended or _HALF_ESCAPE.fullmatch(rest)):
            return self._news(self._text, chunk.tokens, "stop")
        # A quote that may end the response is held back: nothing that was shown is taken back.
        shown = self._text[:response_end] if chunk.finish_reason is None else self._text
        return self._news(shown, chunk.tokens, chunk.finish_reason)

    def _news(self, shown: str, tokens: int, finish_reason: FinishReason | Literal["cancelled"] | None) -> Chunk:
        news, self._shown = shown[self._shown :], len(shown)
        return Chunk(news, tokens, finish_reason)
