"""What the relevance check took from a pair of answers and why, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from evaluator.results import PairResult, ResponseResult
from evaluator.robustness.answer_gate import THRESHOLDS
from submissions.schema import GATING_FLAGS, Count

NOT_CHECKED = "not checked"

_FLAG_WORDS = {
    "constant": "is the same text as to many questions",
    "off_topic": "is about another question",
    "echo": "repeats its prompt",
    "error_text": "is an error message",
    "verdict_text": "tells the judge its verdict",
}


def counted_share(pair: PairResult) -> float | None:
    """How much of a pair's score counts, 0-1; None where the gate could not be asked.

    A pair of which nobody asked what answers counts in full when it passes the guards.
    """
    if pair.passes is None or (pair.score is not None and pair.gated is None):
        return None
    if not pair.passes:
        return 0.0
    return 1.0 if pair.weight is None else pair.weight


def counted_in_full(pairs: Sequence[PairResult]) -> Count:
    """The pairs from which the gate took nothing, of all pairs."""
    return Count(len(pairs), sum(counted_share(pair) == 1.0 for pair in pairs))


def share_words(pair: PairResult) -> str:
    """How much of a pair counts, for a cell: "in full", "40%", "0" or "not checked"."""
    share = counted_share(pair)
    if share is None:
        return NOT_CHECKED
    return "in full" if share == 1.0 else _percent(share)


def counts_words(pairs: Sequence[PairResult]) -> str:
    """How many pairs count in full, in part and not at all, such as "1 of 3 pairs counts in full, 2 count 0"."""
    shares = [counted_share(pair) for pair in pairs]
    if all(share is None for share in shares):
        return "relevance not checked"
    kinds = Counter(
        "unknown" if share is None else "full" if share == 1.0 else "part" if share else "none" for share in shares
    )
    said = [f"{kinds['full']} of {len(pairs)} pairs {'counts' if kinds['full'] == 1 else 'count'} in full"]
    said += [f"{kinds['part']} in part"] if kinds["part"] else []
    said += [f"{kinds['none']} {'counts' if kinds['none'] == 1 else 'count'} 0"] if kinds["none"] else []
    said += [f"{kinds['unknown']} {NOT_CHECKED}"] if kinds["unknown"] else []
    return ", ".join(said)


def loss_words(pair: PairResult, responses: Mapping[int, ResponseResult], called: Mapping[int, str]) -> str:
    """What a pair lost at the gate and why; blank where it lost nothing or nothing is known.

    Args:
        pair: With its score.
        responses: By variant; those of the pair.
        called: What each answer is called, such as "answer 2".
    """
    share = counted_share(pair)
    if pair.score is None or share == 1.0:
        return ""
    both = [(called[variant], responses[variant]) for variant in (pair.a, pair.b)]
    if share is None:
        unknown = [name for name, response in both if response.answers is None]
        return f"not counted: not known whether {' or '.join(unknown)} answers its prompt" if pair.passes else ""
    known = [response.answers for _, response in both if response.answers is not None]
    least = min(known) if known and pair.weight is not None and pair.weight < 1.0 else None
    reasons = [reason for name, response in both for reason in _reasons(name, response, least)]
    return f"{'counted 0' if share == 0.0 else f'counts {_percent(share)}'}: {'; '.join(reasons)}"


def _reasons(name: str, response: ResponseResult, least: float | None) -> Iterator[str]:
    """Why a pair lost points by one of its answers; `least` is the lesser probability of the two, if it cost points."""
    for flag in response.flags:
        if flag in GATING_FLAGS and flag in _FLAG_WORDS:
            yield f"{name} {_FLAG_WORDS[flag]}"
    probability = response.answers
    # Stored results may have been weighed by other thresholds: then the lesser answer is the reason all the same.
    if probability is None or least is None or (probability > least and probability >= THRESHOLDS.full_from):
        return
    if probability >= THRESHOLDS.none_below:
        yield f"{name} only perhaps answers its prompt, p = {probability:.2f}"
    elif "wrong_language" in response.flags:
        yield f"{name} is in another language than its prompt"
    elif response.answers_key is None:
        yield f"{name} repeats a prompt of the set, says the same to several questions or answers another one"
    else:
        yield f"{name} does not answer its prompt, p = {probability:.2f}"


def _percent(share: float) -> str:
    """A share that is neither nothing nor all is never rounded to either.

    >>> _percent(0.0), _percent(0.004), _percent(0.4), _percent(0.999)
    ('0', '1%', '40%', '99%')
    """
    return "0" if share == 0.0 else f"{min(99, max(1, round(100 * share)))}%"
