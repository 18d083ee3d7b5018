"""The official 2024 test set: its one repair, its shape, and the published templates."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from submissions.formats.eloquent.template import answer_sheet, submission_template
from submissions.promptsets import (
    PromptSetError,
    PromptSets,
    eloquent_2024_without_prompts,
    load_official_2024,
)

# Both from the specification.
PUBLISHED = "ea89f726be30902e8240057e0649e7bce6028f9437f3b1934a94fe52f9786067"
REPAIRED = "afe5671f5987a9a1ee0a23b08f48c6ee33a791278f29cb361c1dbe17b557147b"


def test_the_published_file_is_not_json_gets_two_commas_and_has_the_shape_we_check_with_when_it_is_absent(
    golden_data: Callable[[str], Path], tmp_path: Path
) -> None:
    file = golden_data("eloquent/official/task3.test.json")
    published = file.read_bytes()
    assert hashlib.sha256(published).hexdigest() == PUBLISHED
    with pytest.raises(json.JSONDecodeError):
        json.loads(published)
    read = load_official_2024(file.parent)
    assert read.sha256 == REPAIRED
    assert PUBLISHED in read.version
    assert REPAIRED in read.version

    lines = published.split(b"\n")
    repaired = b"\n".join([*lines[:116], lines[116] + b",", lines[117] + b",", *lines[118:]])
    (tmp_path / "task3.test.json").write_bytes(repaired)
    again = load_official_2024(tmp_path)
    assert (again.items, again.sha256) == (read.items, REPAIRED)

    shape = eloquent_2024_without_prompts()
    assert sum(len(item.variants) for item in read.items) == 103
    assert [(item.id, item.variation) for item in read.items] == [(item.id, item.variation) for item in shape.items]
    assert [[(variant.number, variant.language) for variant in item.variants] for item in read.items] == [
        [(variant.number, variant.language) for variant in item.variants] for item in shape.items
    ]


def test_the_first_test_set_of_26_april_is_refused(golden_data: Callable[[str], Path]) -> None:
    file = golden_data("eloquent/official/task3.test.2024-04-26.json")
    with pytest.raises(PromptSetError, match="item 012: expected 7 variants, found 3"):
        load_official_2024(file.parent, file.name)


# --- without the official prompts: a test set of the same shape, with stand-ins --------------------------------------


def test_prompts_are_kept_to_the_letter(eloquent: Path) -> None:
    read = load_official_2024(eloquent / "official")
    text = json.loads((eloquent / "official/task3.test.json").read_text("utf-8"))
    assert [variant.prompt for item in read.items for variant in item.variants] == [
        variant["prompt"] for item in text["eloquent-robustness-test"]["items"] for variant in item["variants"]
    ]


def test_a_file_with_a_fault_that_is_not_the_published_one_is_not_repaired(eloquent: Path, tmp_path: Path) -> None:
    text = (eloquent / "official/task3.test.json").read_text("utf-8")
    (tmp_path / "task3.test.json").write_text(text.replace("},", "}", 1), "utf-8")
    with pytest.raises(PromptSetError, match="not valid JSON"):
        load_official_2024(tmp_path)


def test_a_set_with_a_shorter_item_is_refused(eloquent: Path, tmp_path: Path) -> None:
    document = json.loads((eloquent / "official/task3.test.json").read_text("utf-8"))
    # As the first release of 26 April 2024: item 012 has 3 of its 7 variants.
    del document["eloquent-robustness-test"]["items"][11]["variants"][3:]
    (tmp_path / "task3.test.json").write_text(json.dumps(document), "utf-8")
    with pytest.raises(PromptSetError, match="item 012: expected 7 variants, found 3"):
        load_official_2024(tmp_path)


def test_templates_are_the_published_ones(eloquent: Path) -> None:
    official = PromptSets.load(eloquent / "official").eloquent_2024
    template = json.loads((eloquent / "templates/2024_robustness_template.json").read_text("utf-8"))
    sheet = json.loads((eloquent / "templates/2024_answer_sheet.json").read_text("utf-8"))
    assert json.loads(submission_template(official)) == template
    # The published sheet repeats the test file's tag `sb` for a Swedish prompt; the specification has it read as sv.
    assert sheet["items"][6]["variants"][1]["language"] == "sb"
    sheet["items"][6]["variants"][1]["language"] = "sv"
    found = json.loads(answer_sheet(official))
    # It names the version of the test set, here that of the stand-ins.
    assert found.keys() == sheet.keys()
    assert official.version.startswith(found["test-set"])
    assert found["items"] == sheet["items"]
