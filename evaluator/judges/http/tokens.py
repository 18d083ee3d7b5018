"""Token ids for a judge behind a server: the model's own tokenizer at hand, or what the server says of its tokens."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic import BaseModel, ValidationError
from tokenizers import Tokenizer

from evaluator.judges.http.calls import CallRefused, NotJson, ServerCalls
from evaluator.judges.http.replies import SPACE_MARKS
from evaluator.judges.http.settings import ChatFrame
from evaluator.judges.prompt_layout import prompt_pieces
from evaluator.judges.protocol import JudgeRequest, UnsuitableJudge

TokenIds = tuple[int, ...]
LabelIds = tuple[TokenIds, ...]
"""For each label the tokens that are this label after stripping leading space marks."""


class LocalTokenizer:
    """The model's tokenizer.json at hand: prompts become token ids in which submitted characters stay characters.

    Raises:
        UnsuitableJudge: when the file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        file = path / "tokenizer.json" if path.is_dir() else path
        try:
            data = file.read_bytes()
            self._own = Tokenizer.from_buffer(data)
            self._plain = Tokenizer.from_buffer(data)
        except Exception as error:  # tokenizers raises nothing more specific
            raise UnsuitableJudge(f"{file}: cannot be read as a tokenizer.json ({error})") from error
        for tokenizer in (self._own, self._plain):
            tokenizer.no_truncation()
            tokenizer.no_padding()
        self._plain.encode_special_tokens = True  # as split_special_tokens in transformers: no special token is formed
        self.fingerprint = hashlib.sha256(data).hexdigest()
        self.first_ids: list[int] = self._own.encode("").ids
        """What every sequence begins with."""

    def own_ids(self, text: str) -> list[int]:
        """Tokens of our own text, control tokens included."""
        ids: list[int] = self._own.encode(text, add_special_tokens=False).ids
        return ids

    def plain_ids(self, text: str) -> list[int]:
        """Tokens of a text as plain characters."""
        ids: list[int] = self._plain.encode(text, add_special_tokens=False).ids
        return ids

    def label_ids(self, labels: Sequence[str]) -> dict[str, TokenIds]:
        """Every token of the vocabulary that is a label after stripping leading space marks; only labels with any."""
        vocabulary: dict[str, int] = self._own.get_vocab(with_added_tokens=False)
        return _groups(labels, vocabulary.items())

    def prompt_ids(self, request: JudgeRequest, frame: ChatFrame) -> list[int]:
        """The tokens of a question as the model is to read it."""
        ids = [token for piece in prompt_pieces(request) for token in self.plain_ids(piece.text)]
        return [
            *self.first_ids,
            *self.own_ids(frame.before),
            *ids,
            *self.own_ids(f"{frame.after}{request.rubric.tail}"),
        ]


class Tokens(BaseModel):
    """What `/tokenize` says of a text."""

    tokens: list[int]
    token_strs: list[str] | None = None
    """As the vocabulary spells them; older servers leave them out."""


class ServerTokenizer:
    """vLLM's `/tokenize`: it tells the tokens of labels and makes the tokenizer part of the pin."""

    def __init__(self, calls: ServerCalls, model: str) -> None:
        self._calls = calls
        self._model = model

    def tokens(self, text: str) -> Tokens | None:
        """The tokens of a text, without those that begin or end a sequence; None where the server does not tell."""
        body = {
            "model": self._model,
            "prompt": text,
            "add_special_tokens": False,
            "return_token_strs": True,
        }
        try:
            return Tokens.model_validate(self._calls.post("/tokenize", body))
        except (CallRefused, NotJson, ValidationError):
            return None

    def label_ids(self, labels: Sequence[str]) -> dict[str, TokenIds]:
        """The tokens that say a label at the start of a text, after a colon or a space; only labels with any."""
        tokenised = self.tokens("".join(f"{label}\n:{label}\n: {label}\n" for label in labels))
        if tokenised is None or tokenised.token_strs is None:
            return {}
        return _groups(labels, zip(tokenised.token_strs, tokenised.tokens, strict=False))


def _groups(labels: Sequence[str], tokens: Iterable[tuple[str, int]]) -> dict[str, TokenIds]:
    said: dict[str, set[int]] = {label: set() for label in labels}
    for token, index in tokens:
        label = token.lstrip(SPACE_MARKS)
        if label in said:
            said[label].add(index)
    return {label: tuple(sorted(ids)) for label, ids in said.items() if ids}
