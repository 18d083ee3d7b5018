"""Token ids for a judge behind a server: the model's own tokenizer at hand, or what the server says of its tokens."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ValidationError
from tokenizers import Tokenizer

from evaluator.judges.http.calls import CallRefused, NotJson, ServerCalls
from evaluator.judges.http.settings import ChatFrame
from evaluator.judges.label_forms import LEADS, tokens_of_forms
from evaluator.judges.prompt_layout import prompt_pieces
from evaluator.judges.protocol import JudgeRequest, UnsuitableJudge

TokenIds = tuple[int, ...]
Vocabulary = tuple[tuple[str, int], ...]
"""Tokens as the vocabulary spells them, with their ids."""


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

    def form_tokens(self, labels: Sequence[str]) -> Vocabulary:
        """Return every token of the vocabulary that may be part of a form of some labels."""
        vocabulary: dict[str, int] = self._own.get_vocab(with_added_tokens=False)
        return tokens_of_forms(vocabulary.items(), labels)

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

    def form_tokens(self, labels: Sequence[str]) -> Vocabulary:
        """Return the tokens the server makes of the labels' forms, each at the start of a text and after a colon."""
        forms = [f"{before}{lead}{label}" for label in labels for lead in LEADS for before in (";", ";:")]
        tokenised = self.tokens("".join(forms))
        if tokenised is None or tokenised.token_strs is None:
            return ()
        return tokens_of_forms(set(zip(tokenised.token_strs, tokenised.tokens, strict=False)), labels)
