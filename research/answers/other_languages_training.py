"""How the head for languages other than English is made and measured, and the bar it has to reach in a language."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from evaluator.embeddings.centres import Centres, shipped_centres
from evaluator.embeddings.language_codes import with_set_codes
from evaluator.embeddings.protocol import Embedder, text_vectors
from evaluator.judge_quality.answers.quality import LANGUAGE_QUALITIES, LANGUAGE_QUALITY, AnswerQuality, reaches_bar
from evaluator.judges.answers.other_languages import (
    CALIBRATION,
    TRAINED,
    WEIGHED,
    LanguagesCalibration,
    LinearHead,
    TrainedPart,
    answer_features_in,
    pair_features,
)
from evaluator.judges.answers.verdict import answer_probability
from evaluator.judges.prompts import ANSWERS
from evaluator.judges.protocol import Judge, JudgeRequest
from evaluator.values import MetricValue
from research.answers.examples import LabelledAnswer, labelled_answers
from research.answers.examples_by_language import example_runs, languages, written_in
from research.answers.fitting import fit_calibration
from research.answers.measurement import answer_quality

SETTLED_BY_THE_SET = frozenset({"other_item", "foreign_prompt"})
"""Kinds that a board tells by the other questions of its set; the head is not measured on them."""

ANSWERED = 0.85
"""Share of texts that answer, as the calibration takes it: to lose an answer is worse than to let an empty text by,
since every run is still compared with the baselines."""

_UNLEARNED = frozenset({"other_item", "other_language"})
"""Kinds of English texts that are told otherwise: by the other questions of a set, by the language of sentences."""
_PENALTY = 0.3
_VERSION = "4"
_CLAUSE = re.compile(r"[,.;:!?]")

Floats = npt.NDArray[np.float64]
InLanguage = tuple[LabelledAnswer, str]
"""An example and its language."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything training depends on beside the examples; the defaults made the shipped part."""

    answers: int = 500
    """English answers drawn from the training split: more take long to embed, and change little."""
    others: int = 750
    """English texts that answer nothing."""
    terse: int = 250
    """English answers cut to their first clause: answers in lists of customs and facts are that short."""
    longest: int = 300
    """Characters of an English text to train on."""
    times: int = 4
    """How often each text in another language counts, of which there are few."""


@dataclass(frozen=True, slots=True)
class MeasuredHead:
    """A head that was made, and how well it does in each language that has test texts."""

    trained: TrainedPart
    calibration: LanguagesCalibration
    quality: Mapping[str, AnswerQuality]


def trained_linear_head(embedder: Embedder, folder: Path, recipe: Recipe = Recipe()) -> MeasuredHead:
    """Trains on the training split, calibrates on the validation split, measures, and writes all three to `folder`.

    It gates where it reaches the bar on the test texts of a language. The same embeddings give the same bytes.

    Args:
        embedder: multilingual-e5-small.
        folder: Of the result: trained part, calibration and measurement.
        recipe: How it is trained.
    """
    from safetensors.numpy import save_file

    centres = shipped_centres()
    spoken = [(answer, language) for language in languages("train") for answer in written_in(language, "train")]
    english = [(answer, "en") for answer in _english(recipe)]
    shown = [*english, *spoken]
    times = np.array([1.0] * len(english) + [float(recipe.times)] * len(spoken))
    label = np.array([float(answer.is_answer) for answer, _ in shown])
    weights = _fitted(_design(shown, embedder, centres), label, times)
    trained = TrainedPart(weights.astype(np.float32).astype(np.float64))
    calibration = _calibrated(trained, embedder, centres)
    asked = languages("test")
    everywhere = calibration.model_copy(update={"gates": asked})
    measured = measure_languages(LinearHead(embedder, asked, trained, everywhere, centres), test_texts())
    calibration = calibration.model_copy(
        update={
            "gates": with_set_codes(
                language for language, language_quality in measured.items() if reaches_bar(language_quality)
            )
        }
    )
    pin = LinearHead(embedder, embedder.pin.languages or asked, trained, calibration, centres).pin
    quality = {
        language: language_quality.model_copy(update={"judge": pin}) for language, language_quality in measured.items()
    }
    save_file({"weights": weights.astype(np.float32)}, folder / TRAINED)
    (folder / CALIBRATION).write_text(calibration.model_dump_json(indent=2) + "\n", encoding="utf-8")
    (folder / LANGUAGE_QUALITY).write_bytes(LANGUAGE_QUALITIES.dump_json(quality, indent=1) + b"\n")
    return MeasuredHead(trained, calibration, quality)


def measure_languages(judge: Judge, examples: Mapping[str, Sequence[LabelledAnswer]]) -> dict[str, AnswerQuality]:
    """Asks the judge about every example in its language, and compares.

    Args:
        judge: One that can be asked (kind `answers`).
        examples: Language -> examples, usually `test_texts()`.
    """
    qualities: dict[str, AnswerQuality] = {}
    for language, of_language in examples.items():
        asked = [
            JudgeRequest(ANSWERS, {"prompt_1": example.prompt, "answer": example.text}, language)
            for example in of_language
        ]
        said = [answer_probability(judgment) for judgment in judge.judge(asked)]
        qualities[language] = answer_quality(judge.gate_pin, said, of_language)
    return qualities


def test_texts() -> dict[str, list[LabelledAnswer]]:
    """What the head is measured on: the test split of each language, and our example runs where they speak it."""
    return {
        language: [
            answer
            for answer in (*written_in(language, "test"), *example_runs(language))
            if answer.kind not in SETTLED_BY_THE_SET
        ]
        for language in languages("test")
    }


def language_quality_text(quality: Mapping[str, AnswerQuality]) -> str:
    """The measurement as a Markdown table."""
    lines = [
        "| language | texts | answers | AUC | right side of 0.5 | answers on it | gates |",
        "|---|---|---|---|---|---|---|",
    ]
    for language, measured in quality.items():
        figures = [_shown(metric) for metric in (measured.auc, measured.right, measured.kinds["written"].right)]
        gates = "yes" if reaches_bar(measured) else "no"
        lines.append(f"| {' | '.join([language, str(measured.examples), str(measured.answers), *figures, gates])} |")
    return "\n".join(lines)


def _shown(metric: MetricValue) -> str:
    if metric.value is None:
        return "n/a"
    return f"{metric.value:.3f}" + ("" if metric.low is None else f" [{metric.low:.3f}, {metric.high:.3f}]")


def _english(recipe: Recipe) -> list[LabelledAnswer]:
    """English examples of the training split: answers, answers cut short, and texts that answer nothing."""
    pool = [
        answer
        for answer in labelled_answers("train")
        if len(answer.text) < recipe.longest and answer.kind not in _UNLEARNED
    ]
    cut = [answer for answer in map(_first_clause, pool) if answer]
    dice = random.Random(1)
    return [
        *dice.sample([answer for answer in pool if answer.is_answer], recipe.answers),
        *dice.sample([answer for answer in pool if not answer.is_answer], recipe.others),
        *dice.sample(cut, recipe.terse),
    ]


def _first_clause(example: LabelledAnswer) -> LabelledAnswer | None:
    """An answer cut to its first clause; None where that is all of it, or hardly more than a word, or long."""
    clause = _CLAUSE.split(example.text)[0].strip()
    fits = 2 <= len(clause.split()) <= 10 and len(clause) < len(example.text) - 5
    return example._replace(text=f"{clause}.") if fits and example.kind in ("written", "from_pairs") else None


def _calibrated(trained: TrainedPart, embedder: Embedder, centres: Centres) -> LanguagesCalibration:
    held = [(answer, language) for language in languages("validation") for answer in written_in(language, "validation")]
    features = answer_features_in(
        embedder, centres, trained, [(answer.prompt, answer.text, language) for answer, language in held]
    )
    fitted = fit_calibration(features, [answer for answer, _ in held], WEIGHED, "other-languages-calibration", _VERSION)
    # From every second text an answer to a share of them: the odds change alike for all.
    shifted = fitted.intercept + float(np.log(ANSWERED / (1 - ANSWERED)))
    return LanguagesCalibration(**fitted.model_dump() | {"intercept": round(shifted, 6)}, gates=())


def _design(examples: Sequence[InLanguage], embedder: Embedder, centres: Centres) -> Floats:
    texts = list(dict.fromkeys(text for example, _ in examples for text in (example.prompt, example.text)))
    rows = dict(zip(texts, text_vectors(embedder, texts), strict=True))
    return np.stack(
        [
            pair_features(
                centres.taken_off(rows[example.prompt], language), centres.taken_off(rows[example.text], language)
            )
            for example, language in examples
        ]
    )


def _fitted(design: Floats, label: Floats, times: Floats) -> Floats:
    """Logistic regression on standardised features with an L2 penalty; the weights are of the features as they are.

    Args:
        design: A row of features for each text.
        label: 1 for an answer, 0 for any other text.
        times: How often each text counts.
    """
    from scipy.optimize import minimize

    share = times / times.sum()
    mean = share @ design
    scale = np.sqrt(share @ (design - mean) ** 2) + 1e-9
    scaled = np.hstack([(design - mean) / scale, np.ones((len(design), 1))])

    def loss(weights: Floats) -> tuple[float, Floats]:
        score = scaled @ weights
        penalised = np.append(weights[:-1], 0.0)
        value = float(share @ (np.logaddexp(0.0, score) - label * score) + 0.5 * _PENALTY * penalised @ penalised)
        residual = share * (1.0 / (1.0 + np.exp(-score)) - label)
        return value, scaled.T @ residual + _PENALTY * penalised

    optimum = minimize(loss, np.zeros(scaled.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 500}).x
    weights = optimum[:-1] / scale
    return np.append(weights, optimum[-1] - weights @ mean)
