"""Stage 2 of Pref-Aligner written within its format."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence

import pytest

from evaluator.answering.aligner_writing import BEGINNING, stream_reply
from evaluator.generators.protocol import MAX_NEW_TOKENS, Chunk, Message
from evaluator.personalization import parse_aligner
from evaluator.values import Pin
from submissions.formats.personalization.submission import FinishReason

CHAT = [Message("user", "Edit the draft."), Message("assistant", BEGINNING)]


class Letters:
    """Writes a text letter by letter, behind the given beginning or not, and counts how many were wanted."""

    def __init__(self, text: str, ends: FinishReason = "stop", *, is_local: bool = True) -> None:
        self._text = text
        self._ends = ends
        self._is_local = is_local
        self.written = 0
        self.is_closed = False

    @property
    def pin(self) -> Pin:
        raise NotImplementedError

    def stream(
        self, messages: Sequence[Message], *, stop: threading.Event, max_new_tokens: int = MAX_NEW_TOKENS
    ) -> Iterator[Chunk]:
        try:
            if self._is_local:
                yield Chunk(messages[-1].content, 0)
            for letter in self._text:
                self.written += 1
                yield Chunk(letter, self.written)
            yield Chunk("", self.written, self._ends)
        finally:
            self.is_closed = True


def reply_of(generator: Letters) -> tuple[str, str | None]:
    """The whole reply and how it ended."""
    chunks = list(stream_reply(generator, CHAT, stop=threading.Event(), max_new_tokens=MAX_NEW_TOKENS))
    assert generator.is_closed
    assert all(chunk.finish_reason is None for chunk in chunks[:-1])
    return "".join(chunk.text for chunk in chunks), chunks[-1].finish_reason


@pytest.mark.parametrize(
    ("written", "response"),
    [
        ('B. a river"}', "B. a river"),
        ('B. a river"\n}', "B. a river"),
        ('B. a river", "thoughts": "Short, as wished."}', "B. a river"),
        ("B. a river", "B. a river"),  # the model ended its turn
        ('B. a river"', "B. a river"),
        ('B. a river", "thou', "B. a river"),
        ('The \\"moon\\" \\u00e9 \\\\"}', 'The "moon" \u00e9 \\'),
        ("Two\nlines", "Two\nlines"),
        ('A "}', "A "),
    ],
)
def test_a_response_that_is_whole_closes_the_object(written: str, response: str) -> None:
    reply, ended = reply_of(Letters(written))
    assert json.loads(reply, strict=False) == {"response": response}
    assert parse_aligner(reply) == response
    assert ended == "stop"


@pytest.mark.parametrize("behind", ['", "thoughts": "and so on without end', '"}, {"response": "no"}'])
def test_nothing_behind_the_response_is_waited_for(behind: str) -> None:
    generator = Letters(f"A. Mars{behind}", "length")
    assert reply_of(generator) == ('{"response": "A. Mars"}', "stop")
    assert generator.written <= len('A. Mars", "thoughts":')


@pytest.mark.parametrize(
    "written",
    [
        'The "moon" is far and so on',  # a quote inside the response
        'The "moon", the "sun" and so on',
        "It\\'s far and so on",  # JSON knows no such escape
        "\\u12x4 and so on",
    ],
)
def test_a_broken_reply_ends_at_once_and_is_not_read(written: str) -> None:
    generator = Letters(written)
    reply, ended = reply_of(generator)
    assert parse_aligner(reply) is None
    assert (BEGINNING + written).startswith(reply)
    assert generator.written < len(written) - len("and so on")
    assert ended == "stop"


@pytest.mark.parametrize("written", ["The answer is the riv", "half an escape \\u00", 'The moon"', "\\"])
def test_a_reply_that_was_cut_off_in_its_response_is_not_read(written: str) -> None:
    assert reply_of(Letters(written, "length")) == (BEGINNING + written, "length")
    assert parse_aligner(BEGINNING + written) is None


@pytest.mark.parametrize("written", ["", "  ", '"}'])
def test_a_blank_response_is_not_read(written: str) -> None:
    reply, _ = reply_of(Letters(written))
    assert parse_aligner(reply) is None


@pytest.mark.parametrize("text", ['{"response": "A", "thoughts": "kept"}', "I would leave it.", ""])
def test_a_reply_that_was_given_no_beginning_is_taken_as_it_comes(text: str) -> None:
    assert reply_of(Letters(text, is_local=False)) == (text, "stop")


def test_what_was_shown_is_never_taken_back() -> None:
    shown = ""
    for chunk in stream_reply(Letters('A "}'), CHAT, stop=threading.Event(), max_new_tokens=9):
        shown += chunk.text
        assert '{"response": "A "}'.startswith(shown)
