"""The shape of the official ELOQUENT 2024 test set: items, variations, and languages in test-set order.

The texts are CC BY-NC-SA 4.0 and never part of this repository; the shape is what a file can be checked with when they
are not installed.
"""

from __future__ import annotations

from submissions.schema import Item, PromptSet, Variant

ELOQUENT_2024 = "eloquent-2024"
DEMONSTRATION = "demonstration"

ELOQUENT_2024_SHAPE: tuple[tuple[str, str, tuple[tuple[str, int], ...]], ...] = (
    ("001", "vocabulary", (("en", 4), ("ar", 4), ("apc", 4))),
    ("002", "formality and relation", (("sv", 5), ("en", 4), ("ar", 4))),
    ("003", "terminology", (("en", 4), ("ar", 4), ("el", 3))),
    ("004", "formality", (("en", 2), ("ar", 2), ("apc", 2), ("fi", 2))),
    ("005", "closeness", (("en", 3), ("ar", 3))),
    ("006", "formality", (("en", 3), ("ar", 3))),
    ("007", "vocabulary", (("sv", 8), ("en", 6))),
    ("008", "vocabulary", (("en", 4), ("sv", 4))),
    ("009", "language", (("en", 1), ("sco", 1))),
    ("010", "terminology", (("sv", 2), ("en", 2))),
    ("011", "terminology and spelling variant", (("en", 2),)),
    ("012", "terminology", (("en", 4), ("sv", 3))),
    ("013", "terminology and perspective", (("en", 2),)),
    ("014", "topicalisation", (("en", 3),)),
    ("015", "involvement and standing", (("en", 2),)),
    ("016", "spelling and formality", (("en", 3),)),
)
"""Item id, variation, and runs of (language, variants) in test-set order: 16 items, 103 variants."""


def eloquent_2024_without_prompts() -> PromptSet:
    """The 2024 set as far as it is known without its texts: every variant has a language and no prompt."""
    return PromptSet(
        set_id=ELOQUENT_2024,
        edition="2024",
        title="ELOQUENT 2024",
        version="2024 task3.test.json of 27 April 2024, shape only: the prompts are not installed",
        sha256=None,
        items=tuple(_item(*row) for row in ELOQUENT_2024_SHAPE),
    )


def shape_faults(prompt_set: PromptSet) -> list[str]:
    """Where a set read from a file departs from the 2024 shape; an empty list where it fits."""
    expected = {item.id: item for item in eloquent_2024_without_prompts().items}
    items = {item.id: item for item in prompt_set.items}
    faults = [f"item {item_id} is missing" for item_id in expected if item_id not in items]
    faults += [f"item {item_id} is not one of the 16 items" for item_id in items if item_id not in expected]
    if len(items) != len(prompt_set.items):
        faults.append("an item id stands twice")
    if not faults and list(items) != list(expected):
        faults.append("the items stand in another order")
    for item_id in expected:
        if item_id in items:
            faults += _item_faults(expected[item_id], items[item_id])
    return faults


def _item(item_id: str, variation: str, runs: tuple[tuple[str, int], ...]) -> Item:
    languages = [language for language, count in runs for _ in range(count)]
    return Item(
        id=item_id,
        variation=variation,
        variants=tuple(Variant(number, language, None) for number, language in enumerate(languages, start=1)),
    )


def _item_faults(expected: Item, item: Item) -> list[str]:
    faults = []
    if item.variation != expected.variation:
        faults.append(f"item {expected.id}: expected the variation {expected.variation!r}, found {item.variation!r}")
    wanted = [variant.language for variant in expected.variants]
    languages = [variant.language for variant in item.variants]
    if len(languages) != len(wanted):
        faults.append(f"item {expected.id}: expected {len(wanted)} variants, found {len(languages)}")
    elif languages != wanted:
        first = next(index for index, pair in enumerate(zip(wanted, languages, strict=True)) if pair[0] != pair[1])
        faults.append(
            f"item {expected.id}: variant {first + 1}: expected language {wanted[first]!r}, found {languages[first]!r}"
        )
    return faults
