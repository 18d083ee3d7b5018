"""One text for every prompt, at our gate: AlpacaEval's NullModel beside replies of real systems.

`python -m research public-record alpaca-gate` asks a judge whether each text answers its prompt, as the gate of our
boards does (docs/answer_gate.md).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from evaluator.judge_report.effect_records import DIGITS
from evaluator.judges.answers.verdict import answer_probability
from evaluator.judges.prompts import ANSWERS
from evaluator.judges.protocol import Judge, JudgeRequest
from evaluator.public_record.records import (
    BASELINE,
    NULL_MODEL,
    CrossFitted,
    GateCut,
    GatePart,
    GateRecord,
    Repeated,
    rounded,
)
from evaluator.robustness.answer_gate import NO_ANSWER_BELOW, recurring
from evaluator.statistics.intervals import mean_metric
from evaluator.values import MetricValue
from research.public_record.alpaca_eval import (
    CITATION,
    LICENCE,
    LINK,
    NOT_REAL,
    SOURCE,
    annotation_paths,
    annotations_of,
)
from research.public_record.sources import digest_of
from submissions.schema import Response
from submissions.version import VERSION

REPLIES = 32
"""Of each real system, evenly over the prompts and beginning at another one for each."""
WANTED = 0.985
"""Share of real replies that a threshold lets through in the half of the prompts that sets it: half a point above the
98% that are asked for, as much as two samples of this size differ by."""

CUTS = (0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6)
"""Probabilities that the gate might ask for."""
WORDS = ((0, 3), (4, 15), (16, 49), (50, 199), (200, None))
"""From and to: parts of the real replies."""


class Reply(NamedTuple):
    """A prompt and the text beside it."""

    prompt: str
    text: str
    collection: str = ""
    """That the prompt is from."""


class Asked(NamedTuple):
    """A reply and the probability that it answers; None = unscored."""

    reply: Reply
    probability: float | None


def gate_record(folder: Path, judge: Judge, computed_on: str) -> GateRecord:
    """Ask a judge about NullModel's text beside every prompt, and about replies of real systems.

    Args:
        folder: A clone of AlpacaEval.
        judge: One that says whether a text answers a prompt.
        computed_on: The day to state.

    Raises:
        SourceRefused: a file is missing or cannot be read.
    """
    paths = annotation_paths(folder)
    names = real_systems(paths)
    texts = [reply for place, name in enumerate(names) for reply in drawn(paths[name], place)]
    null_texts = replies(paths[NULL_MODEL])
    real, other, null_model = (asked(judge, part) for part in (texts, beside_others(texts), null_texts))
    return GateRecord(
        citation=CITATION,
        link=LINK,
        source=SOURCE,
        licence=LICENCE,
        files_sha256=digest_of(sorted(paths.values()), folder),
        computed_on=computed_on,
        code_version=VERSION,
        judge=judge.gate_pin,
        null_model=let_through(null_model),
        real=let_through(real),
        other=let_through(other),
        systems=len(names),
        cuts=tuple(
            GateCut(at=at, real=_share(real, at), other=_share(other, at), null_model=_share(null_model, at))
            for at in CUTS
        ),
        cross_fitted=cross_fitted(real, other, null_model),
        parts=tuple(GatePart(part=part, share=let_through(own)) for part, own in _parts(real)),
        repeated_null_model=repeated([null_texts]),
        repeated_real=repeated([replies(paths[name]) for name in names]),
    )


def real_systems(names: Iterable[str]) -> list[str]:
    """Those that answer, with what they are compared with, in their order."""
    return sorted(set(names) - (NOT_REAL - {BASELINE}))


def replies(path: Path) -> list[Reply]:
    """Every prompt of a file of annotations with the judged system's reply."""
    return replies_in(annotations_of(path))


def replies_in(annotations: Iterable[Mapping[str, Any]]) -> list[Reply]:
    """Every prompt of annotations with the judged system's reply."""
    return [Reply(str(row["instruction"]), str(row["output_2"]), str(row.get("dataset", ""))) for row in annotations]


def drawn(path: Path, place: int) -> Iterator[Reply]:
    """`REPLIES` of them, evenly, from one that depends on the system's place."""
    everything = replies(path)
    step = max(1, len(everything) // REPLIES)
    for number in range(min(REPLIES, len(everything))):
        yield everything[(place + number * step) % len(everything)]


def beside_others(texts: Sequence[Reply]) -> list[Reply]:
    """Each text beside the prompt that stands half the list away, or the next one behind that which is another."""
    moved = []
    for place, reply in enumerate(texts):
        behind = (texts[(place + len(texts) // 2 + step) % len(texts)] for step in range(len(texts)))
        other = next((other for other in behind if other.prompt != reply.prompt), None)
        if other is not None:
            moved.append(Reply(other.prompt, reply.text, other.collection))
    return moved


def asked(judge: Judge, texts: Sequence[Reply]) -> list[Asked]:
    """What a judge makes of each text beside its prompt."""
    requests = [JudgeRequest(ANSWERS, {"prompt_1": reply.prompt, "answer": reply.text}, "en") for reply in texts]
    return [
        Asked(reply, answer_probability(judgment)) for reply, judgment in zip(texts, judge.judge(requests), strict=True)
    ]


def let_through(texts: Sequence[Asked], threshold: Callable[[Reply], float] = lambda _: NO_ANSWER_BELOW) -> MetricValue:
    """The share of texts with at least the threshold's probability beside their prompts; the interval is over prompts.

    Args:
        texts: Texts with their probabilities.
        threshold: The least probability that is let through, of each; the gate's own unless stated.
    """
    by_prompt: dict[str, list[float]] = {}
    for reply, probability in texts:
        if probability is not None:
            by_prompt.setdefault(reply.prompt, []).append(float(probability >= threshold(reply)))
    unscored = sum(probability is None for _, probability in texts)
    return rounded(mean_metric(by_prompt).model_copy(update={"unscored": unscored}))


def cross_fitted(real: Sequence[Asked], other: Sequence[Asked], null_model: Sequence[Asked]) -> CrossFitted:
    """What passes where a threshold is set for the real replies, and never on the prompts it is used for.

    Each half of the prompts gets the highest threshold at which `WANTED` of the real replies of the *other* half pass.
    The intervals take the two thresholds as given.
    """
    thresholds = (_highest_threshold(real, half=1), _highest_threshold(real, half=0))

    def threshold(reply: Reply) -> float:
        return thresholds[half_of(reply.prompt)]

    return CrossFitted(
        wanted=WANTED,
        thresholds=(round(thresholds[0], DIGITS), round(thresholds[1], DIGITS)),
        real=let_through(real, threshold),
        other=let_through(other, threshold),
        null_model=let_through(null_model, threshold),
    )


def half_of(prompt: str) -> int:
    """0 or 1 by the SHA-256 of a prompt, so that nobody chooses what stands in which half."""
    return hashlib.sha256(prompt.encode()).digest()[0] % 2


def _highest_threshold(real: Sequence[Asked], half: int) -> float:
    """The highest threshold at which `WANTED` of the scored replies of a half pass; 0 where the half has none."""
    known = sorted(
        probability for reply, probability in real if probability is not None and half_of(reply.prompt) == half
    )
    return known[math.floor((1 - WANTED) * len(known))] if known else 0.0


def _share(texts: Sequence[Asked], at: float) -> float:
    """The share of scored texts with at least that probability."""
    known = [probability for _, probability in texts if probability is not None]
    return round(sum(probability >= at for probability in known) / max(1, len(known)), DIGITS)


def _parts(texts: Sequence[Asked]) -> Iterator[tuple[str, list[Asked]]]:
    """The texts by the collection of their prompt, then by their words."""
    for collection in sorted({text.reply.collection for text in texts}):
        yield f"prompts of {collection}", [text for text in texts if text.reply.collection == collection]
    for least, most in WORDS:
        own = [text for text in texts if least <= len(text.reply.text.split()) <= (most or len(text.reply.text))]
        if own:
            yield f"{least} to {most} words" if most else f"{least} words or more", own


def repeated(systems: Iterable[Sequence[Reply]]) -> Repeated:
    """How many replies the guard of our boards marks that say the same to several prompts, system by system."""
    marked = count = 0
    for own in systems:
        responses = [
            Response(str(place), str(place), "variant", 1, "en", reply.prompt, (("", reply.text),), reply.text)
            for place, reply in enumerate(own)
            if reply.text.strip()
        ]
        prompts = {(response.item_id, "en", 1): response.prompt for response in responses}
        marked += len(recurring(responses, prompts))
        count += len(responses)
    return Repeated(marked=marked, replies=count)
