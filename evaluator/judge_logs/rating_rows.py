"""Rows of answers with a score: `id, prompt, answer, score`, as many scripts write them."""

from __future__ import annotations

from evaluator.judge_logs.judgements import DEFAULT_JUDGE, DEFAULT_SYSTEM, Collector, Record, number
from evaluator.judge_logs.opened import Opened
from evaluator.judge_logs.rated_answers import RatedAnswer, RatingAdder
from submissions.known_files import ANSWER_KEYS, ID_KEYS, SCORE_KEYS
from submissions.reading.quoting import described, keys_shown

_JUDGES = ("judge", "judge_model", "grader", "evaluator")
_SYSTEMS = ("system", "model", "model_name", "generator")
_PROMPTS = ("prompt", "question", "instruction", "input")
_CRITERIA = ("criterion", "reference", "target")
_IDS = tuple(sorted(ID_KEYS, key="id".__eq__))
"""Of a row that has both, `id` is its own and the other that of the question."""


def read(file: Opened, collector: Collector) -> None:
    """One rating per row; an empty score is no usable reply."""
    adder = RatingAdder(collector)
    for place, record in file.records:
        id_key, answer_key, score_key = (_first(record, keys) for keys in (_IDS, ANSWER_KEYS, SCORE_KEYS))
        if id_key is None or score_key is None or answer_key is None:
            absent = "id" if id_key is None else "score" if score_key is None else "answer"
            message = f'"{absent}" is absent; expected id, answer and score in every row'
            collector.refuse("missing_field", place, message, "Leave a score empty where the judge gave none.")
            continue
        if _says_two_things(record, ANSWER_KEYS, collector, place) or _says_two_things(
            record, SCORE_KEYS, collector, place
        ):
            continue
        question = collector.name(record, id_key, place)
        judge_key, system_key = _first(record, _JUDGES), _first(record, _SYSTEMS)
        judge = collector.name(record, judge_key, place) if judge_key else DEFAULT_JUDGE
        system = collector.name(record, system_key, place) if system_key else DEFAULT_SYSTEM
        score = record[score_key]
        rating = number(score)
        is_empty = score is None or (isinstance(score, str) and not score.strip())
        if rating is None and not is_empty:
            message = f"{score_key} is {described(score)}; expected a number, or nothing where the judge gave none"
            collector.refuse("missing_field", place, message, "Write a number; a category is none.")
            continue
        if question is None or judge is None or system is None:
            continue
        prompt_key, criterion_key = _first(record, _PROMPTS), _first(record, _CRITERIA)
        used = (id_key, answer_key, score_key, judge_key, system_key, prompt_key, criterion_key)
        collector.count_unknown(record, frozenset({*filter(None, used), *ANSWER_KEYS, *SCORE_KEYS}))
        prompt, criterion = (record.get(key) if key else None for key in (prompt_key, criterion_key))
        adder.add(judge, RatedAnswer(question, system, prompt, record[answer_key], criterion), rating, place)
    adder.finish()


def _first(record: Record, keys: tuple[str, ...]) -> str | None:
    return next((key for key in keys if key in record), None)


def _says_two_things(record: Record, keys: tuple[str, ...], collector: Collector, place: str) -> bool:
    """Whether a row has two values for one thing, after refusing to choose between them."""
    stated = [key for key in keys if key in record]
    if all(record[key] == record[stated[0]] for key in stated):
        return False
    message = f"{keys_shown(stated)} differ: which of them is meant cannot be told"
    collector.refuse("missing_field", place, message, "Leave all but one of them out of the rows.")
    return True
