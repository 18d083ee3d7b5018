"""From the published lines of PerSE to a file of ours, unanswered: readers' names are replaced, titles left out.

Two line formats exist. Ratings have `examples`: reviews of one reader, the last of which is to be predicted. Choices
have a `prompt` in which plots stand between markers like `[The Start of Plot A]`, and a `completion` with the reader's
choice; the aspect stands in the name of the file, as in `PerDOC.I.sample.jsonl`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from submissions.formats.eloquent.template import TEAM_PLACEHOLDER
from submissions.formats.personalized_evaluation.submission import (
    PAIRS_KIND,
    RATINGS_KIND,
    Aspect,
    aspect_of,
    choice_of,
)
from submissions.reading.quoting import described

_PLOT_START = re.compile(r"\[The Start of Plot ([AB])\]")
_CHOICE = re.compile(r'"Choice"\s*:\s*"([^"]*)"')

Line = dict[str, object]


class ImportRefused(Exception):
    """Raised when lines cannot be read as either format; carries one message per fault, with file and line."""

    def __init__(self, faults: list[str]) -> None:
        self.faults = faults
        super().__init__("; ".join(faults))


class _Faulty(Exception):
    """One line that cannot be read, and why."""


class _Undecided(Exception):
    """A line whose reader chose both or neither; the benchmark leaves such lines out."""


@dataclass(frozen=True, slots=True)
class Imported:
    """A file of ours, and what was left out on the way."""

    document: dict[str, object]
    n_undecided: int


def import_perse(texts: Mapping[str, str]) -> Imported:
    """Turns published files into one file of ours without answers.

    Args:
        texts: File name -> its lines. Several files of choices, one per aspect, make one file.

    Raises:
        ImportRefused: with every line that cannot be read, when the lines are of both formats, or k differs.
    """
    faults: list[str] = []
    names, items, kinds, n_undecided = _Names(), [], set(), 0
    for file_name, text in texts.items():
        for number, line in _lines(text, file_name, faults):
            try:
                kind, item = _item(line, file_name, names)
            except _Faulty as fault:
                faults.append(f"{file_name}:{number}: {fault}")
            except _Undecided:
                n_undecided += 1
            else:
                kinds.add(kind)
                items.append(item)
    lengths = sorted({len(item["profile"]) for item in items})  # type: ignore[arg-type]
    if len(kinds) > 1:
        faults.append("some lines are ratings and some are choices; accepted: one of the two")
    if len(lengths) > 1:
        numbers = ", ".join(map(str, lengths))
        faults.append(f"profiles have {numbers} entries; accepted: the same number k in every line")
    if faults or not items:
        raise ImportRefused(faults or ["there is no line to import"])
    return Imported(_document(kinds.pop(), next(iter(texts)), lengths[0], items), n_undecided)


def _document(kind: str, file_name: str, k: int, items: list[dict[str, object]]) -> dict[str, object]:
    return {
        "kind": kind,
        "team": TEAM_PLACEHOLDER,
        "system": "YOUR SYSTEM NAME",
        "model": "MODEL IDENTIFIER",
        "run": "ID TO DISTINGUISH SUBMISSIONS",
        "dataset": Path(file_name).name.partition(".")[0],
        "k": k,
        "items": items,
    }


def _lines(text: str, file_name: str, faults: list[str]) -> Iterator[tuple[int, Line]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            faults.append(f"{file_name}:{number}: not valid JSON: {error}")
            continue
        if isinstance(value, dict):
            yield number, value
        else:
            faults.append(f"{file_name}:{number}: found {described(value)}; accepted: an object")


def _item(line: Line, file_name: str, names: _Names) -> tuple[str, dict[str, object]]:
    if isinstance(line.get("examples"), list):
        return RATINGS_KIND, _rating(line, names)
    if "prompt" in line:
        return PAIRS_KIND, _pair(line, _aspect_in(file_name), names)
    raise _Faulty(f"neither examples nor prompt is there; found {described(line)}")


class _Names:
    """Numbers for readers, in the order they are met, and ids that stand once."""

    def __init__(self) -> None:
        self._readers: dict[str, str] = {}
        self._used: Counter[tuple[str, ...]] = Counter()

    def reader(self, name: object) -> str:
        """A name that says nothing about the reader."""
        if not isinstance(name, str | int) or not str(name).strip():
            raise _Faulty(f"the reader is {described(name)}; accepted: a name")
        return self._readers.setdefault(str(name), f"reader-{len(self._readers) + 1:04d}")

    def once(self, name: str, *among: str) -> str:
        """The name, numbered from its second use on."""
        self._used[name, *among] += 1
        count = self._used[name, *among]
        return name if count == 1 else f"{name}-{count}"


# --- ratings ---------------------------------------------------------------------------------------------------------


def _rating(line: Line, names: _Names) -> dict[str, object]:
    reviews = line["examples"]
    if not isinstance(reviews, list) or not reviews or not all(isinstance(review, dict) for review in reviews):
        raise _Faulty("examples is no list of objects, of which the last is to be predicted")
    readers = {str(review.get("reviewer_name")) for review in reviews}
    if len(readers) > 1:
        raise _Faulty(f"the examples are of {len(readers)} readers; accepted: one")
    *profile, query = map(_review, reviews)
    return {
        "id": names.once("-".join(str(line[key]) for key in ("idx", "review_index") if key in line) or "line"),
        "reviewer": names.reader(reviews[-1].get("reviewer_name")),
        "profile": profile,
        "text": query["text"],
        "gold": query["score"],
        "item_id": query["item_id"],
        "score": None,
        "response": None,
        "reference_review": query["review"],
    }


def _review(review: Line) -> dict[str, object]:
    text, words, score = review.get("summ_plot"), review.get("clean_review"), review.get("score")
    if not isinstance(text, str) or not isinstance(words, str):
        raise _Faulty("an example lacks the text of summ_plot or clean_review")
    if not isinstance(score, int | float) or isinstance(score, bool):
        raise _Faulty(f"an example's score is {described(score)}; accepted: a number")
    item = review.get("movie_id", review.get("movie_index"))
    return {"text": text, "review": words, "score": score, "item_id": None if item is None else str(item)}


# --- choices ---------------------------------------------------------------------------------------------------------


def _aspect_in(file_name: str) -> Aspect:
    """The aspect that a part of the file's name stands for.

    >>> _aspect_in("PerDOC.I.sample.jsonl")
    'Interestingness'
    """
    aspects = {aspect for part in re.split(r"[._ -]+", Path(file_name).name) if (aspect := aspect_of(part))}
    if len(aspects) != 1:
        raise _Faulty("the file's name has no part that names one aspect, like the I of PerDOC.I.jsonl")
    return aspects.pop()


def _pair(line: Line, aspect: Aspect, names: _Names) -> dict[str, object]:
    prompt = line["prompt"]
    text = prompt[0] if isinstance(prompt, list) and prompt else prompt
    if not isinstance(text, str):
        raise _Faulty(f"prompt is {described(prompt)}; accepted: a text, or a list with one")
    *profile, query = _comparisons(text)
    reader = names.reader(line.get("review_id"))
    texts = query["text_a"], query["text_b"]
    digest = hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:12]
    comparison = names.once(digest, reader, aspect)
    gold = choice_of(_stated_choice(str(line.get("completion", ""))))
    if gold is None or any(choice_of(entry["choice"]) is None for entry in profile):
        raise _Undecided
    return {
        "id": f"{reader}-{comparison}-{aspect[0]}",
        "reviewer": reader,
        "comparison": comparison,
        "aspect": aspect,
        "profile": profile,
        "text_a": query["text_a"],
        "text_b": query["text_b"],
        "gold": gold,
        "choice": None,
        "response": None,
        "choice_swapped": None,
        "response_swapped": None,
    }


class _Plot(NamedTuple):
    """A plot of a prompt, and where it stands there with its markers."""

    letter: str
    text: str
    start: int
    end: int


def _plots(prompt: str) -> Iterator[_Plot]:
    """The plots between markers, in order; a marker without its counterpart behind it is text like any other."""
    last_ends = {letter: prompt.rfind(f"[The End of Plot {letter}]") for letter in "AB"}
    place = 0
    while start := _PLOT_START.search(prompt, place):
        letter = start[1]
        if last_ends[letter] < start.end():
            place = start.end()
            continue
        end = prompt.index(f"[The End of Plot {letter}]", start.end())
        place = end + len(f"[The End of Plot {letter}]")
        yield _Plot(letter, prompt[start.end() : end], start.start(), place)


def _comparisons(prompt: str) -> list[dict[str, str]]:
    """Every two plots of a prompt, with the choice stated behind them; the last two are to be compared."""
    plots = list(_plots(prompt))
    if len(plots) < 2 or [plot.letter for plot in plots] != ["A", "B"] * (len(plots) // 2):
        raise _Faulty("the prompt does not hold plots A and B in turn between [The Start of Plot A]-like markers")
    ends = [*(plot.start for plot in plots[2::2]), len(prompt)]
    return [
        {
            "text_a": first.text.strip(),
            "text_b": second.text.strip(),
            "choice": _stated_choice(prompt[second.end : end]),
        }
        for first, second, end in zip(plots[::2], plots[1::2], ends, strict=True)
    ]


def _stated_choice(text: str) -> str:
    """The choice in a reply of the published form; blank where there is none."""
    match = _CHOICE.search(text)
    return match[1] if match else ""


def lines_shown(faults: Iterable[str], most: int = 20) -> str:
    """The first faults, one per line, and how many more there are."""
    listed = list(faults)
    rest = [f"… and {len(listed) - most:,} more"] if len(listed) > most else []
    return "\n".join([*listed[:most], *rest])
