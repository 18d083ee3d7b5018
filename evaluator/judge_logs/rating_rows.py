"""Rows of answers with a score: `id, prompt, answer, score`, as many scripts write them."""

from __future__ import annotations

from evaluator.judge_logs.judgements import Collector, Record, number
from evaluator.judge_logs.opened import Opened
from evaluator.judge_logs.rated_answers import RatedAnswer, RatingAdder
from submissions.known_files import ANSWER_KEYS, ID_KEYS, SCORE_KEYS
from submissions.reading.quoting import described

_JUDGES = ("judge", "judge_model", "grader", "evaluator")
_SYSTEMS = ("system", "model", "model_name", "generator")
_PROMPTS = ("prompt", "question", "instruction", "input")
_CRITERIA = ("criterion", "reference", "target")
_KNOWN = frozenset({*ID_KEYS, *ANSWER_KEYS, *SCORE_KEYS, *_JUDGES, *_SYSTEMS, *_PROMPTS, *_CRITERIA})


def read(file: Opened, collector: Collector) -> None:
    """One rating per row; an empty score is no usable reply."""
    adder = RatingAdder(collector)
    for place, record in file.records:
        collector.count_unknown(record, _KNOWN)
        id_key, answer_key, score_key = (_first(record, keys) for keys in (ID_KEYS, ANSWER_KEYS, SCORE_KEYS))
        if id_key is None or score_key is None or answer_key is None:
            absent = "id" if id_key is None else "score" if score_key is None else "answer"
            message = f'"{absent}" is absent; expected id, answer and score in every row'
            collector.refuse("missing_field", place, message, "Leave a score empty where the judge gave none.")
            continue
        question = collector.name(record, id_key, place)
        judge_key, system_key = _first(record, _JUDGES), _first(record, _SYSTEMS)
        judge = collector.name(record, judge_key, place) if judge_key else "judge"
        system = collector.name(record, system_key, place) if system_key else "system"
        score = record[score_key]
        rating = number(score)
        is_empty = score is None or (isinstance(score, str) and not score.strip())
        if rating is None and not is_empty:
            message = f"{score_key} is {described(score)}; expected a number, or nothing where the judge gave none"
            collector.refuse("missing_field", place, message, "Write a number; a category is none.")
            continue
        if question is None or judge is None or system is None:
            continue
        prompt, criterion = (
            record.get(key) if key else None for key in (_first(record, _PROMPTS), _first(record, _CRITERIA))
        )
        adder.add(judge, RatedAnswer(question, system, prompt, record[answer_key], criterion), rating, place)
    adder.finish()


def _first(record: Record, keys: tuple[str, ...]) -> str | None:
    return next((key for key in keys if key in record), None)
