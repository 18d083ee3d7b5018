"""Stored answers given back as streams: what a submission says, without any model.

replay = Replay(submission)
key = ReplayKey("pref_aligner", "demonstration", "q01", "relevant", ("I like short answers.",))
row = replay.row(key)
for chunk in replay.answer(key).stream([], stop=stop): ...
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Event
from typing import NamedTuple

from evaluator.generators.protocol import MAX_NEW_TOKENS, Chunk, GeneratorUnavailable, Message
from evaluator.generators.scripted import written
from evaluator.values import Pin
from submissions.formats.personalization.submission import (
    NO_PREFERENCE,
    FinishReason,
    PersonalizedRow,
    PersonalizedSubmission,
    Setting,
)
from submissions.schema import Names


class ReplayKey(NamedTuple):
    """What a stored answer is found by; no prompt is part of it."""

    method: str
    dataset: str
    example_id: str
    setting: Setting
    preferences: tuple[str, ...]
    """As shown, in order."""

    @classmethod
    def of(cls, row: PersonalizedRow) -> ReplayKey:
        return cls(row.method, row.dataset, row.example_id, row.setting, row.preferences)

    @classmethod
    def control(cls, dataset: str, example_id: str) -> ReplayKey:
        """Of an example's control."""
        return cls(NO_PREFERENCE, dataset, example_id, "none", ())


class Replay:
    """The stored answers of one submission; of a control that was run again, the first run."""

    def __init__(self, submission: PersonalizedSubmission) -> None:
        self._names = submission.names
        self._sha256 = submission.file_sha256
        self._rows = {ReplayKey.of(row): row for row in submission.rows if row.repeat == 1}

    @property
    def keys(self) -> tuple[ReplayKey, ...]:
        """In file order."""
        return tuple(self._rows)

    def row(self, key: ReplayKey) -> PersonalizedRow | None:
        """The stored row; None where there is none."""
        return self._rows.get(key)

    def answer(self, key: ReplayKey, *, seconds_per_token: float = 0.0) -> ReplayGenerator:
        """A generator that writes the final text of a row, whatever it is asked.

        Raises:
            GeneratorUnavailable: when the submission has no such row.
        """
        row = self._require(key)
        return self._generator(key, row.final, row.finish_reason, seconds_per_token)

    def draft(self, key: ReplayKey, *, seconds_per_token: float = 0.0) -> ReplayGenerator:
        """The same for the draft of a row (stage 1), or its control where it has no draft.

        Raises:
            GeneratorUnavailable: when the submission has no such row, or the row neither.
        """
        row = self._require(key)
        text = row.draft if row.draft is not None else row.response_without_preference
        if text is None:
            raise GeneratorUnavailable(f"the submission has neither draft nor control of {_shown(key)}")
        return self._generator(key, text, None, seconds_per_token)

    def _require(self, key: ReplayKey) -> PersonalizedRow:
        row = self.row(key)
        if row is None:
            raise GeneratorUnavailable(f"the submission has no answer of {_shown(key)}")
        return row

    def _generator(
        self, key: ReplayKey, text: str, finish_reason: FinishReason | None, seconds_per_token: float
    ) -> ReplayGenerator:
        return ReplayGenerator(
            text, finish_reason or "unknown", _pin(self._names, self._sha256, key), seconds_per_token
        )


@dataclass(frozen=True, slots=True)
class ReplayGenerator:
    """Writes one stored text."""

    text: str
    finish_reason: FinishReason
    """As the file states it; `unknown` where it does not."""
    pin: Pin
    seconds_per_token: float = 0.0

    def stream(
        self, messages: Sequence[Message], *, stop: Event, max_new_tokens: int = MAX_NEW_TOKENS
    ) -> Iterator[Chunk]:
        """The stored text in full: what was once written is not cut anew by `max_new_tokens`."""
        pieces = written(self.text, stop=stop, max_new_tokens=len(self.text), seconds_per_token=self.seconds_per_token)
        for chunk in pieces:
            whole = chunk.finish_reason == "stop"
            yield Chunk(chunk.text, chunk.tokens, self.finish_reason) if whole else chunk


def _pin(names: Names, sha256: str, key: ReplayKey) -> Pin:
    return Pin(
        name="replay",
        model=names.model or "-",
        revision=sha256,
        tokenizer="-",
        prompt=key.method,
        dtype="-",
        engine="plumbline",
        languages=None,
    )


def _shown(key: ReplayKey) -> str:
    return f"{key.method} to {key.example_id} ({key.dataset}, {key.setting})"
