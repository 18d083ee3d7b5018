"""How a request becomes a prompt: our own words, and submitted texts that can neither end early nor give orders.

The order makes sharing possible: rubric, question, first answer, second answer, and a very short tail; nothing that
differs per system stands before the answers. Every submitted text stands between delimiters that carry the first 16
hex digits of the SHA-256 of the prompt up to and including that text: no text can contain its own, and the same prompt
always has the same tokens (docs/judges.md#what-judges-are-asked).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from evaluator.judges.protocol import JudgeRequest

DIGEST_DIGITS = 16

_TITLES = {
    "question": "The question:",
    "options": "Its options:",
    "preference": "The user's preference:",
    "control": "The control, written without knowing the preference:",
    "answer": "The answer:",
}
"""Fields of requests about one answer, in the order they are shown."""

_PROFILES = {
    "earlier_text_": {
        "earlier_text_": "Earlier text {}:",
        "earlier_review_": "What this reader wrote about earlier text {}:",
        "earlier_score_": "The score this reader gave earlier text {}:",
    },
    "earlier_plot_a_": {
        "earlier_plot_a_": "Earlier comparison {}, plot A:",
        "earlier_plot_b_": "Earlier comparison {}, plot B:",
        "earlier_choice_": "This reader's choice in earlier comparison {}:",
    },
}
"""Fields of a reader's earlier judgments, each with its number behind it, in the order they are shown."""

_NEW_TEXTS = {"new_text": "The new text:", "plot_a": "Plot A:", "plot_b": "Plot B:"}


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a prompt."""

    text: str
    is_submitted: bool
    """Submitted text is tokenised as plain characters: no special token can come of it."""


def prompt_pieces(request: JudgeRequest) -> list[Piece]:
    """The user message of a request, piece by piece; the tail, which the judge's answer follows, is not part of it."""
    pieces: list[Piece] = []
    so_far = hashlib.sha256()

    def own(text: str) -> None:
        pieces.append(Piece(text, is_submitted=False))
        so_far.update(text.encode())

    own(f"{request.rubric.text}\n")
    for title, text in _sections(request):
        own(f"\n{title}\n")
        including = so_far.copy()
        including.update(text.encode())
        digest = including.hexdigest()[:DIGEST_DIGITS]
        own(f"[begin {digest}]\n")
        pieces.append(Piece(text, is_submitted=True))
        so_far.update(text.encode())
        own(f"\n[end {digest}]\n")
    return pieces


def prompt_text(request: JudgeRequest) -> str:
    """The user message as one text, for servers that tokenise themselves."""
    return "".join(piece.text for piece in prompt_pieces(request))


def _sections(request: JudgeRequest) -> Iterator[tuple[str, str]]:
    """Titles and texts in the order they are shown."""
    fields = request.fields
    prompts = _numbered(fields, "prompt_")
    yield from _profile_sections(fields)
    if "note" in fields:
        yield "What to overlook here:", fields["note"]
    for number, prompt in enumerate(prompts, start=1):
        yield ("The question:" if len(prompts) == 1 else f"The question, wording {number}:"), prompt
    for name, title in _TITLES.items():
        if name in fields:
            yield title, fields[name]
    answers = _numbered(fields, "answer_")
    for number, answer in enumerate(answers, start=1):
        yield f"Answer {number}:", answer
    if "answer_a" in fields:
        yield "Answer A:", fields["answer_a"]
        yield "Answer B:", fields["answer_b"]


def _profile_sections(fields: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """A reader's earlier judgments, then the new text or texts."""
    for stem, titles in _PROFILES.items():
        for number in range(1, len(_numbered(fields, stem)) + 1):
            for name, title in titles.items():
                if (text := fields.get(f"{name}{number}")) is not None:
                    yield title.format(number), text
    for name, title in _NEW_TEXTS.items():
        if name in fields:
            yield title, fields[name]


def _numbered(fields: Mapping[str, str], stem: str) -> list[str]:
    """Fields named stem1, stem2, ... in order."""
    texts: list[str] = []
    while (text := fields.get(f"{stem}{len(texts) + 1}")) is not None:
        texts.append(text)
    return texts
