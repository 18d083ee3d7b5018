"""`python -m research compare-bases`: what untrained encoders are worth as the base of the pair judge, and beside it.

Two answers to one question are compared word by word: how much of what an answer says beyond the question stands in the
other, by the vectors of its words in their context. What is fitted sees questions that train; figures are of those that
are for choosing (`people.part_of`), and of STS dev.
"""

from __future__ import annotations

import math
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import spearmanr
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from evaluator.embeddings.protocol import Vectors
from evaluator.embeddings.sentence_embedder import SentenceEmbedder
from evaluator.judge_quality.labelled_pairs import LabelledPair
from evaluator.judge_quality.measurement import auc_metric
from evaluator.judge_quality.people import SAME, LikenessPair, part_of, read_likeness, read_questions, same_answer_pairs
from evaluator.judge_quality.score_pairs import pair_of, score_pairs
from evaluator.judges.protocol import Judge
from evaluator.values import MetricValue, metric_text

MOST_TOKENS = 160
"""Of a text, those that are read."""
BATCH = 16
FOLDS = 10
_SPOKEN = re.compile(r"\S+")
_EDGES = re.compile(r"^\W+|\W+$")
COMMON_WORDS = """
a an and are as at be been by did do does for from had has have he her his how i in is it its me my not of on or she
that the their there they this to was were what when where which who with you your
"""
"""Words that say little by themselves."""

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ReadText:
    """A text as an encoder reads it."""

    whole: FloatArray
    """Mean of all token states, of unit length."""
    words: tuple[str, ...]
    """Lower case, without marks at their ends."""
    vectors: Vectors
    """One row for each word: the mean of its tokens' states, of unit length."""


@dataclass(frozen=True, slots=True)
class BaseFigures:
    """What one encoder is worth without any training of its own."""

    base: str
    seconds_per_1000_texts: float
    likeness: float
    """Spearman correlation of the cosine with people's scores, STS dev in English."""
    same_answer: Mapping[str, MetricValue]
    """AUC of each feature; of all together, weighed on questions that train; of the judge; and of both, weighed in
    folds of the questions for choosing."""


def read_texts(embedder: SentenceEmbedder, texts: Sequence[str], told: Callable[[int], None]) -> dict[str, ReadText]:
    """Read every text once, shortest first; at most `MOST_TOKENS` tokens of each."""
    import torch

    before, after = embedder._frame
    read: dict[str, ReadText] = {}
    ordered = sorted(set(texts), key=lambda text: (len(text), text))
    for start in range(0, len(ordered), BATCH):
        batch = ordered[start : start + BATCH]
        spoken = [_SPOKEN.findall(text) for text in batch]
        tokens = [[embedder._plain_tokens(word) for word in words] for words in spoken]
        rows = [
            [token for word in words for token in word][: MOST_TOKENS - len(before) - len(after)] for words in tokens
        ]
        length = max(map(len, rows)) + len(before) + len(after)
        ids = torch.full((len(rows), length), embedder._tokenizer.pad_token_id or 0)
        mask = torch.zeros(len(rows), length, dtype=torch.long)
        for place, row in enumerate(rows):
            framed = [*before, *row, *after]
            ids[place, : len(framed)], mask[place, : len(framed)] = torch.tensor(framed), 1
        with torch.inference_mode():
            states = embedder._model(input_ids=ids, attention_mask=mask).last_hidden_state
        for place, text in enumerate(batch):
            own = states[place, : int(mask[place].sum())]
            read[text] = _read(own.numpy(), spoken[place], [len(word) for word in tokens[place]], len(before))
        told(len(read))
    return read


def _read(states: Vectors, spoken: Sequence[str], widths: Sequence[int], start: int) -> ReadText:
    words, vectors = [], []
    for word, width in zip(spoken, widths, strict=True):
        own, plain = states[start : start + width], _EDGES.sub("", word).lower()
        start += width
        if plain and len(own):
            words.append(plain)
            vectors.append(_unit(own.mean(axis=0)))
    return ReadText(
        _unit(states.mean(axis=0)), tuple(words), np.array(vectors, np.float32).reshape(len(words), states.shape[1])
    )


def _unit(vector: Any) -> FloatArray:
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-12), np.float64)


FEATURES = ("cosine", "words that mean the same", "of the other answer", "same words", "same of the other answer")


def answer_features(
    question: str, first: ReadText, second: ReadText, weight: Callable[[str], float]
) -> tuple[float, ...]:
    """Return `FEATURES`, each 0-1 (the cosine -1 to 1) and the same for both orders.

    Of what an answer says beyond the question, each word counts by how rare it is. *Words that mean the same*: how near
    the nearest word of the other answer is, of the answer of which more is found; then of the other one. *Same words*:
    the weight of the words that stand in both, over that of the answer with less; then over that of the one with more.
    """
    asked = set(COMMON_WORDS.split()) | {_EDGES.sub("", word).lower() for word in _SPOKEN.findall(question)}
    cosine = float(first.whole @ second.whole)
    own, other = (_beyond(text, asked) for text in (first, second))
    if not own or not other:
        return cosine, 0.0, 0.0, 0.0, 0.0
    near = first.vectors[own] @ second.vectors[other].T
    found = sorted(
        float(np.average(near.max(axis=axis), weights=[weight(text.words[place]) for place in places]))
        for axis, text, places in ((1, first, own), (0, second, other))
    )
    words, others = {first.words[place] for place in own}, {second.words[place] for place in other}
    shared = sum(map(weight, words & others))
    less, more = sorted((sum(map(weight, words)), sum(map(weight, others))))
    return cosine, found[1], found[0], shared / less, shared / more


def _beyond(text: ReadText, asked: set[str]) -> list[int]:
    """Places of the words that the question does not have; of an answer that has no others, all."""
    return [place for place, word in enumerate(text.words) if word not in asked] or list(range(len(text.words)))


def rarity(texts: Sequence[ReadText]) -> Callable[[str], float]:
    """Return the weight of a word: the logarithm of how many texts there are for one that has it."""
    seen = Counter(word for text in texts for word in set(text.words))
    return lambda word: math.log((len(texts) + 1) / (seen[word] + 0.5))


def compare_base(
    name: str,
    embedder: SentenceEmbedder,
    people: People,
    ratings: FloatArray,
    told: Callable[[int], None],
) -> BaseFigures:
    """Measure one encoder.

    Args:
        name: What it is called in the report.
        embedder: What is measured.
        people: What people labelled.
        ratings: Of the judge, one for each pair for choosing, 0-5.
        told: Hears how many texts have been read.
    """
    started = time.perf_counter()
    read = read_texts(embedder, people.texts, told)
    seconds = time.perf_counter() - started
    weight = rarity([read[text] for text in people.answers])

    def features(pairs: Sequence[LabelledPair]) -> FloatArray:
        return np.array([answer_features(pair.prompt_a or "", read[pair.a], read[pair.b], weight) for pair in pairs])

    chosen, same = features(people.dev), np.array([pair.grade == SAME for pair in people.dev])
    fitted = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    fitted.fit(features(people.train), [pair.grade == SAME for pair in people.train])
    together = fitted.decision_function(chosen)
    scores = {**dict(zip(FEATURES, chosen.T, strict=True)), "together": together}
    logit = np.log((ratings + 0.02) / (5.02 - ratings))
    scores["the judge"] = ratings
    scores["the judge and together"] = cross_val_predict(
        make_pipeline(StandardScaler(), LogisticRegression()),
        np.column_stack([logit, together]),
        same,
        groups=[pair.topic for pair in people.dev],
        cv=GroupKFold(FOLDS),
        method="decision_function",
    )
    cosines = [float(read[pair.a].whole @ read[pair.b].whole) for pair in people.likeness]
    return BaseFigures(
        base=name,
        seconds_per_1000_texts=1000 * seconds / len(read),
        likeness=float(spearmanr(cosines, [pair.score for pair in people.likeness]).statistic),
        same_answer={key: auc_metric(list(map(float, values)), people.dev) for key, values in scores.items()},
    )


@dataclass(frozen=True, slots=True)
class People:
    """What people labelled, as far as a choice may see it."""

    train: Sequence[LabelledPair]
    dev: Sequence[LabelledPair]
    likeness: Sequence[LikenessPair]

    @classmethod
    def of(cls, folder: Path, questions: int) -> People:
        """Read a folder of `make golden-data`; `questions`: how many train."""
        rows = read_questions(folder).rows
        return cls(
            list(same_answer_pairs([row for row in rows if part_of(row.id) == "train"][:questions])),
            list(same_answer_pairs(row for row in rows if part_of(row.id) == "dev")),
            [pair for pair in read_likeness(folder, "dev").rows if pair.language == "en"],
        )

    @property
    def answers(self) -> list[str]:
        """Every answer once, in order."""
        return list(dict.fromkeys(text for pair in (*self.train, *self.dev) for text in (pair.a, pair.b)))

    @property
    def texts(self) -> list[str]:
        """Every text that is read."""
        return [*self.answers, *(text for pair in self.likeness for text in (pair.a, pair.b))]


def rated_pairs(judge: Judge, pairs: Sequence[LabelledPair]) -> tuple[list[LabelledPair], FloatArray]:
    """Return the pairs that the judge scores, and its rating of each, 0-5, mean of both orders."""
    scores = [scored.score for scored in score_pairs(map(pair_of, pairs), judge)]
    rated = [(pair, score) for pair, score in zip(pairs, scores, strict=True) if score is not None]
    return [pair for pair, _ in rated], np.array([score for _, score in rated])


def bases_table(figures: Sequence[BaseFigures]) -> str:
    """One column for each base, as Markdown; times are ratios to that of the first."""
    first = figures[0].seconds_per_1000_texts
    rows = [
        ("time of a text", [f"{one.seconds_per_1000_texts / first:.1f}" for one in figures]),
        ("STS dev: Spearman of the cosine", [f"{one.likeness:.3f}" for one in figures]),
        *(
            (f"same answer, AUC: {key}", [metric_text(one.same_answer[key], "{:.3f}".format) for one in figures])
            for key in figures[0].same_answer
        ),
    ]
    head = ["| | " + " | ".join(one.base for one in figures) + " |", "|---" * (len(figures) + 1) + "|"]
    return "\n".join([*head, *(f"| {label} | " + " | ".join(cells) + " |" for label, cells in rows)])


def report(figures: Sequence[BaseFigures]) -> list[dict[str, Any]]:
    """The figures as JSON values."""
    return [
        asdict(one) | {"same_answer": {key: value.model_dump() for key, value in one.same_answer.items()}}
        for one in figures
    ]
