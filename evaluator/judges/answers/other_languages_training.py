"""How the head for languages other than English was made and measured."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import TypeAdapter

from evaluator.embeddings.protocol import Embedder, text_vectors
from evaluator.judges.answers.calibration import fit_calibration
from evaluator.judges.answers.examples import LabelledAnswer, labelled_answers
from evaluator.judges.answers.measurement import AnswerQuality, answer_quality
from evaluator.judges.answers.non_answers import native_sentences
from evaluator.judges.answers.other_languages import (
    CALIBRATION,
    TRAINED,
    WEIGHED,
    TrainedPart,
    answer_features_in,
    pair_features,
)
from evaluator.judges.answers.verdict import answer_probability
from evaluator.judges.multilingual.judge import Reading, shipped_reading
from evaluator.judges.prompts import ANSWERS
from evaluator.judges.protocol import Judge, JudgeRequest

QUALITY = "other_languages_quality.json"
LANGUAGES = ("de", "es", "fr", "sv")
"""In which it is measured: those in which we have prompts with answers, and sentences that answer nothing."""

_TRAINING, _CALIBRATION = (1000, 1500), (200, 300)
"""Answers and other texts that are drawn from a split: more take long to embed, and change little."""
_LONGEST = 700
"""Characters of a text to train on."""
_PENALTY = 0.3
_OTHERS = 128

Floats = npt.NDArray[np.float64]


def trained_linear_head(embedder: Embedder, folder: Path) -> TrainedPart:
    """Trains on English examples, calibrates on the validation split, and writes both to `folder`.

    The same embeddings give the same bytes.
    """
    from safetensors.numpy import save_file

    reading = shipped_reading()
    train, validation = labelled_answers("train"), labelled_answers("validation")
    others = random.Random(0).sample(list(dict.fromkeys(one.prompt for one in train)), _OTHERS)
    shown = _sample([one for one in train if len(one.text) < _LONGEST], *_TRAINING, seed=1)
    held = _sample(validation, *_CALIBRATION, seed=0)
    of_others = np.stack([reading.centred(vector, "en") for vector in text_vectors(embedder, others)])
    weights = _fitted(_design(shown, embedder, reading), np.array([float(one.is_answer) for one in shown]))
    save_file({"weights": weights.astype(np.float32), "others": of_others.astype(np.float16)}, folder / TRAINED)
    trained = TrainedPart(
        weights.astype(np.float32).astype(np.float64), of_others.astype(np.float16).astype(np.float32)
    )
    features = answer_features_in(embedder, reading, trained, [(one.prompt, one.text, "en") for one in held])
    calibration = fit_calibration(features, held, WEIGHED, "other-languages-calibration")
    (folder / CALIBRATION).write_text(calibration.model_dump_json(indent=2) + "\n", encoding="utf-8")
    return trained


def measure_languages(judge: Judge, examples: Mapping[str, Sequence[LabelledAnswer]]) -> dict[str, AnswerQuality]:
    """Asks the judge about every example in its language, and compares.

    Args:
        judge: One that can be asked (kind `answers`).
        examples: Language -> examples, usually `examples_by_language()`.
    """
    found: dict[str, AnswerQuality] = {}
    for language, of_language in examples.items():
        asked = [JudgeRequest(ANSWERS, {"prompt_1": one.prompt, "answer": one.text}, language) for one in of_language]
        said = [answer_probability(judgment) for judgment in judge.judge(asked)]
        found[language] = answer_quality(judge.gate_pin, said, of_language)
    return found


def shipped_language_quality() -> dict[str, AnswerQuality]:
    """The measurement that ships with the head."""
    text = files("evaluator.judges.answers").joinpath(QUALITY).read_text(encoding="utf-8")
    return TypeAdapter(dict[str, AnswerQuality]).validate_json(text)


def examples_by_language() -> dict[str, list[LabelledAnswer]]:
    """Our example runs of 2025 and 2026 as answers, and beside their prompts texts that answer nothing.

    Nothing of them was trained or calibrated on. The topic is the base question.
    """
    return {language: [*_answers_of_2026(language), *_answers_of_2025(language)] for language in LANGUAGES}


def _answers_of_2026(language: str) -> list[LabelledAnswer]:
    rows: dict[str, Any] = _example("2026", "tide.json")["answers"][language]
    is_open = [item for item in rows if "-" not in item]
    topics = {item: _topic(rows[item]["prompt"], [rows[one]["prompt"] for one in is_open]) for item in is_open}
    found = [
        LabelledAnswer(item.partition("-")[0], "written", row["prompt"], row["answer"]) for item, row in rows.items()
    ]
    for turn, item in enumerate(is_open):
        prompt, following = rows[item]["prompt"], rows[is_open[(turn + 1) % len(is_open)]]
        texts = {"topic_words": topics[item], "foreign_prompt": following["prompt"], "other_item": following["answer"]}
        texts |= {
            kind: sentences[turn % len(sentences)].format(topics[item])
            for kind, sentences in native_sentences(language).items()
        }
        found += [LabelledAnswer(item, kind, prompt, text) for kind, text in texts.items()]
    return found


def _answers_of_2025(language: str) -> list[LabelledAnswer]:
    if language not in ("de", "sv"):
        return []
    questions = _example("2025", f"tide_{language}.json")["questions"]
    turns = [(f"2025 {one['questionid']}", one["turns"][0]) for one in questions]
    return [LabelledAnswer(topic, "written", turn["question"], turn["answer"]) for topic, turn in turns]


def _topic(prompt: str, prompts: Sequence[str]) -> str:
    """The words of a prompt of four letters and more that no other has."""
    others = {word for other in prompts if other != prompt for word in other.casefold().split()}
    words = (word.strip("?¿!.,:") for word in prompt.casefold().split() if word not in others)
    return " ".join(word for word in words if len(word) > 3) or prompt.rstrip(" ?")


def _example(year: str, name: str) -> dict[str, Any]:
    path = files("submissions.promptsets").joinpath("examples", year, name)
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _sample(examples: Sequence[LabelledAnswer], answers: int, others: int, *, seed: int) -> list[LabelledAnswer]:
    dice = random.Random(seed)
    real = [one for one in examples if one.is_answer]
    false = [one for one in examples if not one.is_answer]
    return [*dice.sample(real, answers), *dice.sample(false, others)]


def _design(examples: Sequence[LabelledAnswer], embedder: Embedder, reading: Reading) -> Floats:
    texts = list(dict.fromkeys(text for one in examples for text in (one.prompt, one.text)))
    rows = {
        text: reading.centred(vector, "en") for text, vector in zip(texts, text_vectors(embedder, texts), strict=True)
    }
    return np.stack([pair_features(rows[one.prompt], rows[one.text]) for one in examples])


def _fitted(design: Floats, label: Floats) -> Floats:
    """Logistic regression on standardised features with an L2 penalty; the weights are of the features as they are."""
    from scipy.optimize import minimize

    mean, scale = design.mean(axis=0), design.std(axis=0) + 1e-9
    scaled = np.hstack([(design - mean) / scale, np.ones((len(design), 1))])

    def loss(weights: Floats) -> tuple[float, Floats]:
        score = scaled @ weights
        penalised = np.append(weights[:-1], 0.0)
        value = float(np.mean(np.logaddexp(0.0, score) - label * score) + 0.5 * _PENALTY * penalised @ penalised)
        residual = (1.0 / (1.0 + np.exp(-score)) - label) / len(label)
        return value, scaled.T @ residual + _PENALTY * penalised

    found = minimize(loss, np.zeros(scaled.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 500}).x
    weights = found[:-1] / scale
    return np.append(weights, found[-1] - weights @ mean)
