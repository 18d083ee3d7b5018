"""Ids of items and numbers of responses as files of 2024 have them, and what wrong ones say together.

The paper leaves out the test file's item 009, so from 09 on its numbers are one off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from submissions.reading.quoting import printable
from submissions.schema import Item

PAPER_ENGLISH_COUNTS = (4, 4, 4, 2, 3, 3, 6, 4, 2, 2, 4, 2, 3, 2, 3)
"""English variants of the paper's items 01 to 15: the file's without 009, which the paper leaves out."""

OLD_TEST_COUNTS = {"012": 3}
"""Items that had another number of variants in the first test set, of 26 April 2024."""

_ID_DIGITS = 3


def id_number(stated: object) -> int | None:
    """The number an id means: 1, "1" and "001" mean 1; None for anything else."""
    if isinstance(stated, int) and not isinstance(stated, bool):
        return stated if stated > 0 else None
    if isinstance(stated, str) and re.fullmatch(r"\s*[0-9]{1,3}\s*", stated):
        return int(stated)
    return None


def normal_id(number: int) -> str:
    """The id of a number as the test set writes it: three digits."""
    return str(number).zfill(_ID_DIGITS)


def id_label(stated: object) -> str | None:
    """An id as problems name it; None where the entry has none to show."""
    return printable(str(stated), 40) if isinstance(stated, (str, int, float)) and str(stated).strip() else None


def two_digit_ids(ids: list[object]) -> set[int]:
    """Indices of ids of two digits, as the paper writes them.

    "01" always is one. "10" is one too, unless "1" to "9" stand beside it: then the ids are numbers without zeros.
    """
    texts = {index: stated.strip() for index, stated in enumerate(ids) if isinstance(stated, str)}
    padded = {index for index, text in texts.items() if re.fullmatch(r"0[0-9]", text)}
    two_digits = padded | {index for index, text in texts.items() if re.fullmatch(r"[1-9][0-9]", text)}
    has_one_digit = any(re.fullmatch(r"[1-9]", text) for text in texts.values())
    return padded if has_one_digit and not padded else two_digits


def looks_like_paper(entries: list[object], ids: list[object]) -> bool:
    """Ids 1 to 15 as numbers, each with as many responses as the paper's item of that number has English prompts."""
    counts: dict[int, int] = {}
    for entry, stated in zip(entries, ids, strict=True):
        number = id_number(stated)
        responses = entry.get("responses") if isinstance(entry, dict) else None
        if number is None or (isinstance(stated, str) and stated.startswith("0")) or not isinstance(responses, list):
            return False
        counts[number] = len(responses)
    return counts == dict(enumerate(PAPER_ENGLISH_COUNTS, start=1))


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A likely cause of wrong counts, in words."""

    code: str
    message: str
    hint: str
    item: str | None = None
    """Where it is about one item."""


def diagnoses(counts: Mapping[str, int], items: Mapping[str, Item]) -> Iterator[Diagnosis]:
    """Likely causes of wrong numbers of responses.

    Args:
        counts: Item id -> responses found, for every item of the file that has a list.
        items: Item id -> item of the set.
    """
    wrong = {item_id: count for item_id, count in counts.items() if count != len(items[item_id].variants)}
    if not wrong:
        return
    if all(count == _english(items[item_id]) for item_id, count in wrong.items()):
        yield Diagnosis(
            "english_only_lists",
            f"every wrong list ({len(wrong)}) has as many responses as its item has English prompts: the other "
            "languages seem to be left out",
            'Keep one place per variant in test-set order and write "" for the prompts you skip; the template has '
            "them all.",
        )
    if wrong == OLD_TEST_COUNTS:
        yield Diagnosis(
            "old_test_version",
            "only item 012 differs, with 3 responses: that is the test set of 26 April 2024, replaced on 27 April",
            "Answer the 4 further prompts of item 012 in the newer test set.",
            item="012",
        )
    if samples := _samples(counts, items):
        yield Diagnosis(
            "several_samples",
            f"every list has {samples} times as many responses as its item has variants",
            f"Send {samples} files, one sample each, told apart by a key run; a file is one run.",
        )


def _english(item: Item) -> int:
    return sum(variant.language == "en" for variant in item.variants)


def _samples(counts: Mapping[str, int], items: Mapping[str, Item]) -> int | None:
    """How many samples per prompt every list holds, where that is one number above 1."""
    multiples = set()
    for item_id, count in counts.items():
        samples, rest = divmod(count, len(items[item_id].variants))
        multiples.add(0 if rest else samples)
    return multiples.pop() if len(multiples) == 1 and max(multiples) > 1 else None
