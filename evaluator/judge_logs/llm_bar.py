"""LLMBar's `result.json`: pairs with an objective label, asked in both orders, or rated one by one.

Source of the fields: princeton-nlp/LLMBar, `LLMEvaluator/evaluate.py` (`annotate`). The last of `results` holds the
verdicts; winners name the output, also of the exchanged order. A rating evaluator writes its two scores and, of a tie,
one winner for each order: such pairs are read by their scores.
"""

from __future__ import annotations

from evaluator.judge_logs.judgements import Collector, Judgement, Record, length, number
from evaluator.judge_logs.label_sample import texts_of
from evaluator.judge_logs.opened import Opened
from submissions.reading.quoting import described
from submissions.verdicts.swap_outcomes import Verdict

_KNOWN = frozenset({"input", "output_1", "output_2", "label", "results"})
_OUTPUTS = ("output_1", "output_2")
_ORDERS = ("swap = False", "swap = True")
_WINNERS: dict[str, Verdict] = {"1": "A", "2": "B"}
_EXCHANGED: dict[Verdict, Verdict] = {"A": "B", "B": "A", "C": "C", "N": "N"}
_JUDGE = "judge"


def read(file: Opened, collector: Collector) -> None:
    """Two comparisons per pair, one in each order; of a rating evaluator one, of the two scores."""
    for place, record in file.records:
        collector.count_unknown(record, _KNOWN)
        question = collector.asked_text(record, "input", place)
        label = _WINNERS.get(str(record.get("label")))
        results = record.get("results")
        last = results[-1] if isinstance(results, list) and results else None
        if label is None:
            message = f"label is {described(record.get('label'))}; expected 1 or 2"
            collector.refuse("bad_verdict", place, message, "1 = output_1 is better.")
        if not isinstance(last, dict):
            message = f"results is {described(results)}; expected a list that ends with the verdicts"
            collector.refuse("missing_field", place, message, "Send result.json of a finished run.")
        if question is None or label is None or not isinstance(last, dict):
            continue
        if {"score_1", "score_2"} <= last.keys():
            verdict = _by_scores(last)
            _add(record, collector, place, question, _OUTPUTS, verdict, label, is_order_known=False)
            collector.note("Pairs that were rated one by one are compared by their two scores; equal ones are a tie.")
            continue
        for order in _ORDERS:
            verdict_of_order = _verdict(last, order, collector, place)
            if verdict_of_order is not None:
                is_exchanged = order == _ORDERS[1]
                systems = (_OUTPUTS[1], _OUTPUTS[0]) if is_exchanged else _OUTPUTS
                by_place = _EXCHANGED[verdict_of_order] if is_exchanged else verdict_of_order
                gold = _EXCHANGED[label] if is_exchanged else label
                _add(record, collector, place, question, systems, by_place, gold, is_order_known=True)
    collector.note('LLMBar names the judge by its folder alone: it is called "judge" here.')


def _by_scores(last: Record) -> Verdict:
    scores = [number(said[0]) if isinstance(said := last[f"score_{n}"], list) and said else None for n in (1, 2)]
    if scores[0] is None or scores[1] is None:
        return "N"
    return "C" if scores[0] == scores[1] else "A" if scores[0] > scores[1] else "B"


def _verdict(last: Record, order: str, collector: Collector, place: str) -> Verdict | None:
    """Which output won in one order, by its number; None after reporting a fault."""
    said = last.get(order)
    winner = said.get("winner") if isinstance(said, dict) else said
    if isinstance(said, dict) and winner is None:
        return "N"
    if isinstance(said, dict) and str(winner) in _WINNERS:
        return _WINNERS[str(winner)]
    message = f"the winner of {order} is {described(winner)}; expected 1, 2 or null"
    collector.refuse("bad_verdict", place, message, "Keep the winners as evaluate.py writes them.")
    return None


def _add(
    record: Record,
    collector: Collector,
    place: str,
    question: str,
    systems: tuple[str, str],
    verdict: Verdict,
    gold: Verdict,
    *,
    is_order_known: bool,
) -> None:
    repetition = collector.repetition(_JUDGE, question, "", systems, place)
    if repetition is None:
        return
    collector.add(
        Judgement(
            judge=_JUDGE,
            question=question,
            systems=systems,
            verdict=verdict,
            repetition=repetition,
            order_known=is_order_known,
            lengths=tuple(length(record.get(system)) for system in systems),
            gold=gold,
            place=place,
        ),
        texts_of(record.get("input"), *(record.get(system) for system in systems)),
    )
