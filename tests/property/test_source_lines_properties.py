"""For any JSON and any place in it, the line that is told holds the value."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from submissions.reading.source_lines import json_spots
from submissions.reading.strict_json import JsonPath, path_text

# Keys differ in their first characters: a path shows no more than 80 of a key.
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=20,
)


def places(value: Any, path: JsonPath = ()) -> list[tuple[JsonPath, Any]]:
    found = [(path, value)]
    if isinstance(value, dict):
        for key, member in value.items():
            found += places(member, (*path, key))
    if isinstance(value, list):
        for index, member in enumerate(value):
            found += places(member, (*path, index))
    return found


@given(value=VALUES, indent=st.sampled_from([None, 0, 2]), ascii_only=st.booleans(), data=st.data())
def test_the_value_of_any_path_begins_in_the_line_that_is_told(
    value: Any, indent: int | None, ascii_only: bool, data: st.DataObject
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    every = places(value)
    path, wanted = data.draw(st.sampled_from(every))
    shown = path_text(path)
    # Control characters of keys are shown as escapes, so that two keys may look the same: any of them will do.
    alike = [found for other, found in every if path_text(other) == shown]
    spot = json_spots(text, [shown])[shown]
    begins, _ = json.JSONDecoder().raw_decode(text[spot.offset :].decode("utf-8", "surrogatepass"))
    assert begins in alike
    assert spot.line == text[: spot.offset].count(b"\n") + 1
    assert wanted in alike


@given(text=st.binary(max_size=60), path=st.sampled_from(["$", "$.a", "$[0]", "$[0].a[1]"]))
def test_no_bytes_make_it_fail(text: bytes, path: str) -> None:
    found = json_spots(text, [path]).get(path)
    assert found is None or 0 <= found.offset <= len(text)
