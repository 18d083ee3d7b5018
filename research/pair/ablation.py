"""`make bench-ablation`: what each rule and each feature of the pair judge is worth.

Pairs that were kept for choosing are read and weighed anew without one rule or feature at a time, with weights fitted
anew: what people labelled (EVOUNA, STS) and our validation pairs. No weight is fitted on two further sets: sentences
that differ in one place (`tests/data/judges/near_copies.tsv`) and the recorded answers of the demonstration set.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any
from unittest.mock import patch

from scipy.stats import spearmanr

from benchmarks.provenance import commit
from evaluator.embeddings.minilm import MiniLMEmbedder
from evaluator.judge_quality.labelled_pairs import EQUIVALENT_GRADE
from evaluator.judge_quality.long_answers import all_pairs
from evaluator.judge_quality.measurement import auc
from evaluator.judge_quality.recorded_pairs import recorded_pairs
from evaluator.judges.calibration import Calibration, fitted, sharpened
from evaluator.judges.pair.judge import ADAPTER, AGREEMENT, CHECKS, FEATURES, SAME_SENTENCES, pair_features
from evaluator.judges.pair.network import PairNetwork, PairTokenizer, load_network
from evaluator.judges.pair.reading import Reading, reading
from evaluator.text.shared_text import Unshared, plain_sentences
from research.pair.training import ALIKE, calibration_examples
from submissions.commands.command_line import OneLineParser

NEAR_COPIES = Path(__file__).parents[2] / "tests" / "data" / "judges" / "near_copies.tsv"


@dataclass(frozen=True, slots=True)
class Row:
    """A pair with its grade, 0-5."""

    a: str
    b: str
    question: str
    grade: float
    of: str
    """The set that it belongs to."""


@contextmanager
def without_shared_text() -> Iterator[None]:
    """Read every sentence, those that stand in both answers too."""

    def whole(first: str, second: str) -> Unshared:
        return Unshared(tuple(plain_sentences(first)), tuple(plain_sentences(second)), ())

    with patch("evaluator.judges.pair.reading.unshared", whole):
        yield


READING_RULES: Mapping[str, Callable[[], Any]] = {
    "shared sentences are left out": without_shared_text,
    "the same quantities are written alike": lambda: patch(
        "evaluator.judges.pair.network.written_alike", lambda first, second: second
    ),
    "the question is read": lambda: patch(
        "evaluator.judges.pair.network.PairTokenizer.row",
        lambda self, first, second, question="", row=PairTokenizer.row: row(self, first, second),
    ),
}


def rows(people: Path) -> list[Row]:
    """Every pair that the table counts."""
    examples = [example for part in calibration_examples(all_pairs("validation"), people).values() for example in part]
    sets = {"kept": "changed", "broken": "changed"}
    fitted_on = [
        Row(
            example.a,
            example.b,
            example.question,
            example.grade,
            sets.get(example.source, example.source),
        )
        for example in examples
    ]
    with NEAR_COPIES.open(encoding="utf-8", newline="") as lines:
        copies = [
            Row(first, second, "", 5 if label == "same" else 0, "near copies")
            for label, first, second in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        ]
    recorded = [
        Row(pair.a, pair.b, min(pair.prompt_a or "", pair.prompt_b or "", key=len), pair.grade, "recorded")
        for pair in recorded_pairs()
    ]
    return [*fitted_on, *copies, *recorded]


Features = list[dict[str, float] | None]
"""Of each pair in both orders; None where every sentence of each answer stands in the other."""


class Reader:
    """Reads pairs, each distinct input once."""

    def __init__(self, network: PairNetwork) -> None:
        self._network = network
        self._tokenizer, self._embedder = PairTokenizer(), MiniLMEmbedder()

    def readings(self, pairs: Sequence[Row]) -> list[Reading | None]:
        """Return what is read of each pair, in both orders."""
        return [
            reading(*texts, self._tokenizer, self._embedder, pair.question)
            for pair in pairs
            for texts in ((pair.a, pair.b), (pair.b, pair.a))
        ]

    def features(self, readings: Sequence[Reading | None]) -> Features:
        """Return what the calibration weighs."""
        new = iter(pair_features(self._network, self._tokenizer, self._embedder, [read for read in readings if read]))
        return [next(new) if read else None for read in readings]

    def inputs(self, readings: Sequence[Reading | None]) -> list[Any]:
        """Return the token ids of each reading that fits at once, else its texts: what tells readings apart."""
        return [
            read and (tuple(self._tokenizer.row(read.first, read.second, read.question).tokens), read)
            for read in readings
        ]


def changed_features(reader: Reader, pairs: Sequence[Row], whole: Features, before: Sequence[Any], rule: str) -> Any:
    """Return the features without a rule and the number of pairs that are read differently then."""
    with READING_RULES[rule]():
        readings = reader.readings(pairs)
        after = reader.inputs(readings)
        places = [place for place, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
        new = dict(zip(places, reader.features([readings[place] for place in places]), strict=True))
    return [new.get(place, row) for place, row in enumerate(whole)], len({place // 2 for place in places})


def fit(
    pairs: Sequence[Row], features: Features, names: Sequence[str], sets: Sequence[str], alike: float
) -> Calibration:
    """Return weights of the named features, fitted on some sets."""
    chosen = [
        (row, pairs[place // 2].grade) for place, row in enumerate(features) if row and pairs[place // 2].of in sets
    ]
    kept = [{name: row[name] for name in names} for row, _ in chosen]
    grades = [grade for _, grade in chosen]
    calibration = fitted(kept, grades, agreement=AGREEMENT, id_="-", version="-", fitted_on="-", alike=alike)
    return sharpened(calibration, kept, grades)


def figures(
    pairs: Sequence[Row], features: Features, names: Sequence[str], alike: Mapping[str, float] = ALIKE
) -> dict[str, float]:
    """Return how well the ratings agree with the grades of each set."""
    surer = alike if "cosine" in names else dict.fromkeys(alike, 0.0)
    of_answers = fit(pairs, features, names, ("answers", "pairs"), surer["answers"])
    of_sentences = fit(pairs, features, names, ("sentences", "changed"), surer["sentences"])
    scores: dict[str, list[tuple[float, float]]] = {}
    for number, pair in enumerate(pairs):
        calibration = of_answers if pair.question else of_sentences
        ratings = [calibration.rating(row) if row else SAME_SENTENCES for row in features[2 * number : 2 * number + 2]]
        scores.setdefault(pair.of, []).append((sum(ratings) / 2, pair.grade))
    return {name: agreement(name, scored) for name, scored in scores.items()}


def agreement(name: str, scored: Sequence[tuple[float, float]]) -> float:
    """Return the rank correlation of scores and grades where grades are fine, else the AUC of "the same"."""
    if name in {"sentences", "recorded"}:
        return float(spearmanr([score for score, _ in scored], [grade for _, grade in scored]).statistic)
    same = [score for score, grade in scored if grade >= EQUIVALENT_GRADE]
    different = [score for score, grade in scored if grade < EQUIVALENT_GRADE]
    return auc(same, different) or 0.0


def main(arguments: list[str] | None = None) -> int:
    """Print one line for each rule and feature that is left out."""
    parser = OneLineParser(prog="bench-ablation", description=__doc__)
    parser.add_argument("--people", type=Path, required=True, metavar="FOLDER", help="texts that people labelled")
    parser.add_argument("--judge", type=Path, metavar="FOLDER", help="with the trained part (default the shipped one)")
    options = parser.parse_args(arguments)
    folder = options.judge or Path(str(files("evaluator.judges.pair")))
    reader, pairs = Reader(load_network(folder / ADAPTER)), rows(options.people)
    readings = reader.readings(pairs)
    before, whole = reader.inputs(readings), reader.features(readings)
    everything = figures(pairs, whole, FEATURES)
    print(f"commit {commit()}\n")
    print(f"| without | pairs read differently | {' | '.join(everything)} |")
    print("|---|---|" + "---|" * len(everything))

    def told(name: str, changed: str, values: Mapping[str, float]) -> None:
        print(f"| {name} | {changed} | {' | '.join(f'{value:.3f}' for value in values.values())} |", flush=True)

    told("nothing", "", everything)
    told("everything but the network", "", figures(pairs, whole, ("network",)))
    told("all checks", "", figures(pairs, whole, [name for name in FEATURES if name not in CHECKS]))
    for left_out in FEATURES:
        told(f"`{left_out}`", "", figures(pairs, whole, [name for name in FEATURES if name != left_out]))
    told("more certainty where texts are alike", "", figures(pairs, whole, FEATURES, dict.fromkeys(ALIKE, 0.0)))
    for rule in READING_RULES:
        features, changed = changed_features(reader, pairs, whole, before, rule)
        told(rule, str(changed), figures(pairs, features, FEATURES))
    return 0


if __name__ == "__main__":
    sys.exit(main())
