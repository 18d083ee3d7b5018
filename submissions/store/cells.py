"""The cells of a scored run: parts small enough to be judged again by themselves, and the verdicts each rests on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from submissions.store.verdict_keys import verdict_keys_in


@dataclass(frozen=True, slots=True)
class Cells:
    """What can be judged again of one run."""

    keys: Mapping[str, tuple[str, ...]]
    """Cell -> keys of its verdicts, in the order of the result; cells without verdicts are left out."""
    reason: str
    """Why there is none; blank where there are some."""


def cells_of(result: str) -> Cells:
    """The cells of a result (JSON as it is stored).

    An item in one language (2024), a question (2025), a method on a data set (answers with preferences), a reader
    (predicted judgments of readers). Other results rest on no verdict of a judge of this installation.

    >>> pair = '{"key_ab": "k1", "key_ba": "k2"}'
    >>> cells_of('{"board": "consistency", "questions": [{"id": "7", "final": {"pairs": [' + pair + ']}}]}').keys
    {'question 7': ('k1', 'k2')}
    >>> cells_of('{"board": "cultural"}').reason
    'no judge was asked about it: its figures come from embeddings'
    """
    read = json.loads(result)
    parts = _PARTS.get(read.get("board"))
    if parts is None:
        return Cells({}, _NO_JUDGE.get(read.get("board"), "nothing of it can be judged by itself"))
    keys_of: dict[str, dict[str, None]] = {}
    for name, keys in parts(read):
        keys_of.setdefault(name, {}).update(dict.fromkeys(keys))
    asked = {name: tuple(keys) for name, keys in keys_of.items() if keys}
    return Cells(asked, "" if asked else "no judge was asked about it")


# --- what the results of each board are made of ----------------------------------------------------------------------

_Parts = Iterator[tuple[str, Iterable[str]]]


def _robustness(result: Mapping[str, Any]) -> _Parts:
    language_of: dict[tuple[str, int], str] = {}
    for item in result.get("items", ()):
        for group in item["groups"]:
            language_of |= {
                (item["id"], response["variant"]): group["language"] for response in group.get("responses", ())
            }
            yield f"{item['id']} {group['language']}", verdict_keys_in(group)
    for record in (result.get("pairwise") or {}).get("records", ()):
        language = language_of.get((record["item"], record["variant"]))
        if language is not None:
            yield f"{record['item']} {language}", verdict_keys_in(record)


def _consistency(result: Mapping[str, Any]) -> _Parts:
    for question in result["questions"]:
        yield f"question {question['id']}", verdict_keys_in(question)


_OUTCOME_KEYS = ("letter_key", "control_key", "repeat_key", "rating_key")


def _personalization(result: Mapping[str, Any]) -> _Parts:
    outcomes = result["outcomes"]
    columns = [outcomes[name] for name in _OUTCOME_KEYS if outcomes.get(name)]
    named = zip(outcomes["method"], outcomes["dataset"], outcomes["setting"], strict=True)
    for place, (method, dataset, setting) in enumerate(named):
        yield f"{method} on {dataset}, {setting}", [column[place] for column in columns if column[place]]


def _personalized_evaluation(result: Mapping[str, Any]) -> _Parts:
    items = result["ratings"] or result["pairs"] or {"reviewer": ()}
    readers, keys = items["reviewer"], result.get("asked_keys", ())
    # Every item has as many questions as any other, one after the other.
    width = len(keys) // len(readers) if readers else 0
    for place, reader in enumerate(readers):
        yield f"reader {reader}", keys[place * width : (place + 1) * width]


_PARTS: Mapping[str, Callable[[Mapping[str, Any]], _Parts]] = {
    "robustness": _robustness,
    "consistency": _consistency,
    "personalization": _personalization,
    "personalized_evaluation": _personalized_evaluation,
}

_VERDICTS_OF_THE_TEAM = "its verdicts are the team's own: no judge of this installation was asked"
_NO_JUDGE: Mapping[str, str] = {
    "cultural": "no judge was asked about it: its figures come from embeddings",
    "behavior": "no judge was asked about it: its figures come from the answers themselves",
    "judges": _VERDICTS_OF_THE_TEAM,
    "judges_by_benchmark": _VERDICTS_OF_THE_TEAM,
}
