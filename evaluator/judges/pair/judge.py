"""The trained pair judge: MiniLM reads both answers at once; the embedded default. English only.

docs/judges.md says how it was trained, how often it is right, and where it fails.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from evaluator.embeddings.protocol import Embedder, text_cosines
from evaluator.judges.calibration import Calibration
from evaluator.judges.pair.alignment import SplitAnswer, Window, aligned_windows, sentence_pairs, split_answer
from evaluator.judges.pair.base_weights import BaseWeightsDiffer, check_base_weights
from evaluator.judges.pair.reading import Reading, reading
from evaluator.judges.protocol import (
    Judge,
    JudgeRequest,
    Judgment,
    RequestKind,
    UnsuitableJudge,
    reads_language,
    text_key,
    unheard,
)
from evaluator.judges.trained_pin import trained_pin
from evaluator.text import content_checks
from evaluator.text.quantities import number_conflict
from evaluator.values import Pin

if TYPE_CHECKING:
    from evaluator.judges.pair.network import PairNetwork, PairTokenizer

Told = Callable[[int | None], None]

CHECKS = ("numbers", "negation", "opposites")
"""What `content_checks` and `quantities` find weighs beside the network, each 0-1, 0 = nothing found."""

AGREEMENT = frozenset({"network", "cosine"})
"""What speaks for a pair; everything else that is weighed speaks against it."""

ADAPTER = "pair_adapter.safetensors"
CALIBRATION = "pair_calibration.json"

READING = 7
"""The version of what is read of two answers (`reading`): part of the pin, whatever network and calibration are."""

UNREAD = ("unread_words_a", "unread_words_b")
"""Details that say how much of an answer was too long to be read; there only where something was."""

WORST_WINDOW = 0.5
"""Share of the worst window in the logit of answers too long to be read at once; the rest is the mean."""

SAME_SENTENCES = 5.0
"""Of two answers each of whose sentences stands in the other one, in whatever order and layout."""

EXPLAINED_BELOW = 3.5
"""Pairs rated lower are read once more sentence by sentence, to show what one answer says and the other does not."""

EXPLAINED_SENTENCES = 3
"""... where one of the answers has this many sentences: in shorter ones a reader sees it at once."""

_ALL_SHARED = Judgment(SAME_SENTENCES, details={"same_sentences": 1.0})

MOST_EXPLAINED_SENTENCES = 60
"""... and neither has more: each is a reading of its own."""


class PairCalibrations(BaseModel):
    """From what is seen of a pair to its rating, with the question that both answer and without.

    Two answers to a question say the same when they answer it alike, however much else they differ; two sentences are
    compared as a whole. People grade so, and one set of weights cannot do both.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    answers: Calibration
    """Of two answers whose question is known."""
    sentences: Calibration
    """Of two texts without a question."""

    def rating(self, features: Mapping[str, float], question: str) -> float:
        """Expected rating, strictly between 0 and 5."""
        return (self.answers if question else self.sentences).rating(features)


class PairJudge(Judge):
    """Rates pairs of answers; both orders are asked separately, so that the gap between them stays visible.

    Args:
        embedder: Aligns the sentences of long answers.
        adapter: The trained part.
        calibrations: From logit, cosine and checks to a rating.
    """

    def __init__(self, embedder: Embedder, adapter: Path, calibrations: PairCalibrations) -> None:
        self._embedder = embedder
        self._adapter = adapter
        self._calibrations = calibrations

    @cached_property
    def pin(self) -> Pin:
        """The embedder's pin under this judge's name; the revision is the SHA-256 of base weights and trained part."""
        return trained_pin(
            self._embedder.pin,
            self._adapter,
            name="pair",
            part="pair adapter",
            prompt=f"{self._calibrations.answers.id} {self._calibrations.answers.version}, reading {READING}",
        )

    @property
    def kinds(self) -> frozenset[RequestKind]:
        return frozenset({"similarity_pair"})

    def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        """One judgment per request, in order.

        Answers of the same sentences are 5; blank ones and other languages are unscored.
        """
        settled = [self._without_reading(request) for request in requests]
        is_open = [place for place, judgment in enumerate(settled) if judgment is None]
        asked = [requests[place] for place in is_open]
        read = iter(self._read(asked, lambda pair: self.on_request(None if pair is None else is_open[pair])))
        return [judgment if judgment is not None else next(read) for judgment in settled]

    def key(self, request: JudgeRequest) -> str:
        return text_key(self.pin, request)

    @cached_property
    def _network(self) -> PairNetwork:
        from evaluator.judges.pair.network import load_network

        return load_network(self._adapter)

    @cached_property
    def _tokenizer(self) -> PairTokenizer:
        from evaluator.judges.pair.network import PairTokenizer

        return PairTokenizer()

    def _without_reading(self, request: JudgeRequest) -> Judgment | None:
        """What is settled before any text is read."""
        if request.rubric.kind not in self.kinds:
            raise ValueError(f"the pair judge reads pairs only, not {request.rubric.kind}")
        if not reads_language(self.pin, request.language):
            languages = ", ".join(self.pin.languages or ())
            return Judgment(None, reason=f"this judge does not read {request.language!r} (it reads: {languages})")
        first, second = request.fields["answer_a"], request.fields["answer_b"]
        if not first.strip() or not second.strip():
            return Judgment(None, reason="an answer is blank")
        return Judgment(5.0) if first.split() == second.split() else None

    def _read(self, requests: Sequence[JudgeRequest], told: Told) -> list[Judgment]:
        if not requests:  # nothing is loaded for identical answers
            return []
        pairs = [(request.fields["answer_a"], request.fields["answer_b"]) for request in requests]
        readings = []
        for place, (pair, request) in enumerate(zip(pairs, requests, strict=True)):
            told(place)
            readings.append(reading(*pair, self._tokenizer, self._embedder, _question(request)))
        is_left = [place for place, read in enumerate(readings) if read]
        features = iter(
            pair_features(
                self._network,
                self._tokenizer,
                self._embedder,
                [reading for reading in readings if reading],
                lambda place: told(None if place is None else is_left[place]),
            )
        )
        judged = [self._rated(reading, next(features)) if reading else _ALL_SHARED for reading in readings]
        doubtful = [place for place, judgment in enumerate(judged) if _is_to_be_explained(pairs[place], judgment)]
        least = self._least_supported(sorted({_ordered(pairs[place]) for place in doubtful}), lambda: told(None))
        for place in doubtful:
            details = {**judged[place].details, **_least_details(pairs[place], least)}
            judged[place] = replace(judged[place], details=details)
        return judged

    def _rated(self, read: Reading, features: dict[str, float]) -> Judgment:
        unread = zip(UNREAD, (read.unread_first, read.unread_second), strict=True)
        return Judgment(
            self._calibrations.rating(features, read.question),
            details=features | {name: float(words) for name, words in unread if words},
        )

    def _least_supported(
        self, pairs: Sequence[tuple[str, str]], told: Callable[[], None]
    ) -> dict[tuple[str, str], int]:
        """(answer, other answer) -> the sentence of the answer that its counterpart supports least."""
        from evaluator.judges.pair.network import Texts, logits

        split: dict[str, SplitAnswer] = {}
        for text in dict.fromkeys(text for pair in pairs for text in pair):
            told()
            split[text] = split_answer(text, self._tokenizer, self._embedder)
        asked = [
            (answer, other)
            for pair in pairs
            for answer, other in (pair, pair[::-1])
            if len(set(split[answer].origins)) > 1
        ]
        windows = [sentence_pairs(split[answer], split[other]) for answer, other in asked]
        doubted = [Texts(*pair) for some in windows for pair in some if not _is_repeated(pair)]
        scored = iter(logits(self._network, self._tokenizer, doubted, told).tolist())
        return {
            pair: lowest
            for pair, some in zip(asked, windows, strict=True)
            if (
                lowest := _lowest(
                    split[pair[0]], [None if _is_repeated(sentence_pair) else next(scored) for sentence_pair in some]
                )
            )
            is not None
        }


FEATURES = ("network", "cosine", *CHECKS)

_MADE_ANEW = "name a folder made by `python -m research train-pair-judge`"


def pair_features(
    network: PairNetwork,
    tokenizer: PairTokenizer,
    embedder: Embedder,
    readings: Sequence[Reading],
    told: Told = unheard,
) -> list[dict[str, float]]:
    """What the calibration weighs, for each ordered pair: the network's logit, the cosine, and what the checks find.

    Args:
        network: With its trained part.
        tokenizer: Of the network.
        embedder: Aligns the sentences of long answers.
        readings: Of pairs of answers.
        told: Called each time it gets on, with the reading it is at; None where it is at several together.
    """
    from evaluator.judges.pair.network import Texts, logits

    cut = []
    for place, read in enumerate(readings):
        told(place)
        cut.append(_windows((read.first, read.second), tokenizer, embedder))
    windows = [Texts(*window, read.question) for read, pieces in zip(readings, cut, strict=True) for window in pieces]
    scored = iter(logits(network, tokenizer, windows, lambda: told(None)).tolist())
    cosines = text_cosines(embedder, [(read.first, read.second) for read in readings])
    features = []
    for place, (read, pieces, cosine) in enumerate(zip(readings, cut, cosines, strict=True)):
        told(place)
        features.append(
            {
                "network": _joined([next(scored) for _ in pieces]),
                "cosine": cosine,
                **pair_checks(read.first, read.second),
            }
        )
    told(None)
    return features


def _windows(pair: tuple[str, str], tokenizer: PairTokenizer, embedder: Embedder) -> list[Window]:
    """Both answers whole where they fit into the network together, else in aligned stretches."""
    if tokenizer.fits(*pair):
        return [pair]
    first, second = (split_answer(text, tokenizer, embedder) for text in pair)
    return aligned_windows(first, second)


def _question(request: JudgeRequest) -> str:
    """The shortest prompt of the pair, since prompts of an item are wordings of one question; "" where it has none."""
    prompts = [text for name, text in request.fields.items() if name.startswith("prompt_")]
    return min(prompts, key=lambda prompt: (len(prompt), prompt), default="")


def _is_to_be_explained(pair: tuple[str, str], judgment: Judgment) -> bool:
    return (
        judgment.rating is not None
        and judgment.rating < EXPLAINED_BELOW
        and EXPLAINED_SENTENCES <= max(map(_sentence_count, pair)) <= MOST_EXPLAINED_SENTENCES
    )


def _ordered(pair: tuple[str, str]) -> tuple[str, str]:
    return (min(pair), max(pair))


def _sentence_count(text: str) -> int:
    return len(content_checks.sentences(text))


def _is_repeated(pair: Window) -> bool:
    """Whether the other answer says a sentence word by word: nothing can support it better."""
    return pair[0].split() == pair[1].split()


def _lowest(answer: SplitAnswer, sentence_logits: Sequence[float | None]) -> int | None:
    """The sentence with the lowest logit; None where every sentence is repeated in the other answer."""
    scored = [(logit, place) for logit, place in zip(sentence_logits, answer.origins, strict=True) if logit is not None]
    return min(scored)[1] if scored else None


def _least_details(pair: tuple[str, str], least: dict[tuple[str, str], int]) -> dict[str, float]:
    places = {"least_supported_a": least.get(pair), "least_supported_b": least.get(pair[::-1])}
    return {name: float(place) for name, place in places.items() if place is not None}


def _joined(window_logits: Sequence[float]) -> float:
    """One logit for all windows: the mean, drawn to the worst, so that one contradiction in a long answer counts."""
    mean = sum(window_logits) / len(window_logits)
    return (1 - WORST_WINDOW) * mean + WORST_WINDOW * min(window_logits)


def pair_checks(first: str, second: str) -> dict[str, float]:
    """What the checks find in a pair, the same in both orders."""
    return {
        "numbers": number_conflict(first, second),
        "negation": content_checks.negation_conflict(first, second),
        "opposites": content_checks.opposite_words(first, second),
    }


def load_pair_judge(embedder: Embedder, folder: Path | None = None) -> PairJudge:
    """The shipped judge, or one that `train-pair-judge` left in a folder.

    Raises:
        UnsuitableJudge: when the folder lacks a part or holds a broken one, or the base weights are not those it was
            trained on.
    """
    where = folder or Path(str(files("evaluator.judges.pair")))
    missing = [name for name in (ADAPTER, CALIBRATION) if not (where / name).is_file()]
    if missing:
        raise UnsuitableJudge(f"{where} has no {' and no '.join(missing)}: {_MADE_ANEW}")
    try:
        check_base_weights()
    except BaseWeightsDiffer as error:
        raise UnsuitableJudge(str(error)) from None
    _check_adapter(where / ADAPTER)
    return PairJudge(embedder, where / ADAPTER, _calibrations(where / CALIBRATION))


def _check_adapter(path: Path) -> None:
    """Refuses at once what would fail, or judge at random, at the first pair."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="np") as file:
            has_head = any(name.startswith("head.") for name in file.keys())  # noqa: SIM118 (it is no mapping)
    except (OSError, SafetensorError) as error:
        raise UnsuitableJudge(f"{path} is no safetensors file ({error}): {_MADE_ANEW}") from None
    if not has_head:
        raise UnsuitableJudge(f"{path} is no pair adapter (it has no tensor head.*): {_MADE_ANEW}")


def _calibrations(path: Path) -> PairCalibrations:
    try:
        calibrations = PairCalibrations.model_validate_json(path.read_bytes())
    except (OSError, ValueError) as error:
        raise UnsuitableJudge(f"{path} is no calibration ({str(error).splitlines()[0]}): {_MADE_ANEW}") from None
    for calibration in (calibrations.answers, calibrations.sentences):
        if set(calibration.weights) != set(FEATURES):
            raise UnsuitableJudge(
                f"{path} weighs {', '.join(calibration.weights)}, this judge sees {', '.join(FEATURES)}: {_MADE_ANEW}"
            )
    return calibrations
