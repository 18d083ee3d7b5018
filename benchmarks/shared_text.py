"""`make bench-shared`: how far a text that both answers share moves a judge's score.

Test pairs are scored as they are and with the same paragraph added to both answers, before or after them. The
paragraphs ask for nothing and say nothing about any topic, so that a careful reader's grade stays as it was.
"""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from benchmarks.provenance import commit
from evaluator.commands.judge import add_judge_flag, chosen_scorer
from evaluator.judge_quality.labelled_pairs import LabelledPair
from evaluator.judge_quality.long_answers import all_pairs
from evaluator.judge_quality.score_pairs import Pair, score_pairs
from evaluator.judges.protocol import Judge
from submissions.commands.command_line import OneLineParser
from submissions.settings import Settings

End = Literal["before", "after"]
ENDS: tuple[End, ...] = get_args(End)

SHARED_TEXTS = (
    "Thank you for your question; I am very happy to help today.",
    "Thank you for getting in touch. I have read your question with care and have tried to keep my reply as short and "
    "clear as I can. Should anything remain open, please write again, and I will gladly explain it.",
    "Thank you for getting in touch, and for the trust that you place in this service. I have read your question with "
    "care and have tried to keep my reply as short and as clear as I can. Please bear in mind that nobody here knows "
    "the details of your situation, so that you may have to adapt what you read to your own circumstances. Should "
    "anything remain open, or should you notice a mistake, please write again at any time, and I will gladly explain "
    "what I have meant.",
)
"""Of 12, 40 and 90 words."""

SEED = 2406
PAIRS = 60


@dataclass(frozen=True, slots=True)
class Shift:
    """What one shared text at one end of both answers does to the scores of some pairs."""

    words: int
    end: End
    pairs: int
    mean: float
    """Of score with the text - score without it."""
    mean_distance: float
    """Of the absolute differences."""
    largest: float
    """The largest absolute difference."""


def with_shared(pair: LabelledPair, text: str, end: End) -> Pair:
    """The pair with the text at one end of both answers."""
    first, second = (f"{text} {answer}" if end == "before" else f"{answer} {text}" for answer in (pair.a, pair.b))
    return Pair(pair.id, first, second, pair.prompt_a, pair.prompt_b)


def shifts(judge: Judge, pairs: Sequence[LabelledPair]) -> list[Shift]:
    """The shift by every shared text at either end; unscored pairs are left out."""
    bare = [Pair(pair.id, pair.a, pair.b, pair.prompt_a, pair.prompt_b) for pair in pairs]
    before = [scored.score for scored in score_pairs(bare, judge)]
    rows = []
    for text in SHARED_TEXTS:
        for end in ENDS:
            after = [scored.score for scored in score_pairs([with_shared(pair, text, end) for pair in pairs], judge)]
            moved = [new - old for old, new in zip(before, after, strict=True) if old is not None and new is not None]
            distances = [abs(shift) for shift in moved]
            rows.append(
                Shift(
                    words=len(text.split()),
                    end=end,
                    pairs=len(moved),
                    mean=sum(moved) / len(moved),
                    mean_distance=sum(distances) / len(distances),
                    largest=max(distances),
                )
            )
    return rows


def main() -> int:
    parser = OneLineParser(prog="bench-shared", description=__doc__)
    parser.add_argument("--pairs", type=int, default=PAIRS, help=f"test pairs, drawn by the seed (default {PAIRS})")
    parser.add_argument("--seed", type=int, default=SEED, help=f"of the draw (default {SEED})")
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    add_judge_flag(parser)
    options = parser.parse_args()
    judge = chosen_scorer(options, Settings.from_env(os.environ)).judge
    pairs = all_pairs("test")
    drawn = random.Random(options.seed).sample(pairs, min(options.pairs, len(pairs)))
    rows = shifts(judge, drawn)
    print(f"{judge.pin.name}, {len(drawn)} test pairs, seed {options.seed}, commit {commit()}")
    print("| words | place | mean shift | mean distance | largest |\n|---|---|---|---|---|")
    for row in rows:
        print(f"| {row.words} | {row.end} | {row.mean:+.3f} | {row.mean_distance:.3f} | {row.largest:.3f} |")
    if options.json:
        print(json.dumps([{name: getattr(row, name) for name in Shift.__slots__} for row in rows]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
