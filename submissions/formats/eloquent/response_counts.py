"""What wrong numbers of responses say together (docs/submit.md#items-and-responses)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from submissions.schema import Item

OLD_TEST_COUNTS = {"012": 3}
"""Items that had another number of variants in the first test set, of 26 April 2024."""


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
