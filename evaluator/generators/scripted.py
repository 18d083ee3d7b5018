"""A generator that follows fixed rules, for tests and demonstrations: no model, no network, the same text every time.

Its answers to our demonstration set are mostly right, preferences make it lose some of them, and its second stage
edits only where a preference speaks of how to write: what the board and the lab are about can be seen without a model.
It serves no row that people read as a model's.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from string import ascii_uppercase
from threading import Event

from evaluator.generators.protocol import MAX_NEW_TOKENS, Chunk, Message, without_beginning
from evaluator.values import Pin

_TOKEN = re.compile(r"\S+\s*|\s+")
_QUESTION = re.compile(r"^Question: (.*?)(?:\n\nOptions:\n((?:.+\n?)+)|\n\n|\Z)", re.DOTALL | re.MULTILINE)
_OPTION = re.compile(r"^([A-Z])\. (.*)$", re.MULTILINE)
_PREFERENCE = re.compile(r"^\d+\. (.*)$", re.MULTILINE)
_ABOUT_WRITING = re.compile(
    r"\b(answers?|explain|explanations?|reply|replies|written|write|words?|sentences?|steps?|lists?|tone|language|"
    r"examples?|humou?r|formal|informal|short|brief|detail|summary|analog(?:y|ies))\b",
    re.IGNORECASE,
)

WRONG_EVERY = 5
"""About one in so many questions of the demonstration set is answered wrongly without preferences."""
BROKEN_EVERY = 4
"""Under preferences in one prompt about one answer in so many moves on to the next option."""


class ScriptedGenerator:
    """Writes what `script` makes of the messages, word by word.

    Args:
        script: Messages -> the whole answer; default: `fixed_rules`.
        seconds_per_token: Time each word takes, to stand for a slow model.
        script_version: Stands in the pin; change it with the script.
        name: The model's name in the pin.
    """

    def __init__(
        self,
        script: Callable[[Sequence[Message]], str] | None = None,
        *,
        seconds_per_token: float = 0.0,
        script_version: str = "fixed-rules-1",
        name: str = "scripted",
    ) -> None:
        self._script = script or fixed_rules
        self._seconds_per_token = seconds_per_token
        self._pin = Pin(
            name="scripted",
            model=name,
            revision=script_version,
            tokenizer="-",
            prompt="-",
            dtype="-",
            engine="plumbline",
            languages=None,
        )

    @property
    def pin(self) -> Pin:
        return self._pin

    def stream(
        self, messages: Sequence[Message], *, stop: Event, max_new_tokens: int = MAX_NEW_TOKENS
    ) -> Iterator[Chunk]:
        """The script's text, one word a token; `length` where it has more words than may be written."""
        yield from written(
            self._script(messages), stop=stop, max_new_tokens=max_new_tokens, seconds_per_token=self._seconds_per_token
        )


def written(text: str, *, stop: Event, max_new_tokens: int, seconds_per_token: float = 0.0) -> Iterator[Chunk]:
    """A known text as a stream, one word with the blanks after it a token."""
    words: list[str] = _TOKEN.findall(text)
    for number, word in enumerate(words[:max_new_tokens], start=1):
        # Waiting for `stop` rather than sleeping: a cancelled stream ends at once, however slow it is.
        if stop.wait(seconds_per_token) if seconds_per_token else stop.is_set():
            yield Chunk("", number - 1, "cancelled")
            return
        yield Chunk(word, number)
    yield Chunk("", min(len(words), max_new_tokens), "length" if len(words) > max_new_tokens else "stop")


def fixed_rules(messages: Sequence[Message]) -> str:
    """The default script. It reads our own prompts (`evaluator.answering.prompting`):

    - a question of the demonstration set is answered rightly, but for one in five; any other by its hash;
    - preferences in the same prompt move one answer in four on to the next option, and the first preference that
      speaks of writing is named in the answer;
    - the second stage returns JSON: the draft unchanged, or with one sentence more where a preference speaks of
      writing.
    """
    prompt = without_beginning(messages)[-1].content
    draft = _draft(prompt)
    if draft is not None:
        return _aligned(prompt, draft)
    match = _QUESTION.search(prompt)
    question, options = (match[1], _OPTION.findall(match[2] or "")) if match else (prompt, [])
    preferences = _PREFERENCE.findall(prompt[: match.start()]) if match else []
    wanted = _about_writing(preferences)
    opening = f"With your wish in mind ({wanted}): " if wanted else ""
    if not options:
        return f"{opening}This is a scripted answer; it knows nothing of the question."
    place = _choice(question, len(options), preferences)
    letter, text = options[place]
    return f"{opening}Among the options, {text} fits the question best.\nAnswer: {letter}"


def _choice(question: str, n_options: int, preferences: Sequence[str]) -> int:
    """Which option the rules choose, counted from 0."""
    gold = _known().get(question)
    dice = _hash(question)
    place = dice % n_options
    if gold is not None:
        place = ascii_uppercase.index(gold) + (1 if dice % WRONG_EVERY == 0 else 0)
    if preferences and _hash(question, *preferences) % BROKEN_EVERY == 0:
        place += 1
    return place % n_options


def _draft(prompt: str) -> str | None:
    """What stands between the first line that begins a draft and the last that ends one; None where it does not."""
    _, begin, rest = prompt.partition("\n[begin draft]\n")
    draft, end, _ = rest.rpartition("\n[end draft]\n")
    return draft if begin and end else None


def _aligned(prompt: str, draft: str) -> str:
    wanted = _about_writing(_PREFERENCE.findall(prompt[: prompt.index("\nQuestion: ")]))
    if wanted is None:
        return json.dumps({"response": draft, "thoughts": "No preference bears on this answer."}, ensure_ascii=False)
    edited = f"With your wish in mind: {draft}"
    return json.dumps({"response": edited, "thoughts": f"One preference bears on it: {wanted}"}, ensure_ascii=False)


def _about_writing(preferences: Sequence[str]) -> str | None:
    return next((text for text in preferences if _ABOUT_WRITING.search(text)), None)


@cache
def _known() -> dict[str, str | None]:
    from submissions.questionsets import demonstration

    return {question.text: question.gold for question in demonstration().questions}


def _hash(*texts: str) -> int:
    return int.from_bytes(hashlib.sha256("\n".join(texts).encode()).digest()[:8])
