"""The official 2024 test set: its one repair, its shape, and the published templates."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from submissions.promptsets import (
    PromptSetError,
    PromptSets,
    eloquent_2024_without_prompts,
    load_official_2024,
)
from submissions.templates import answer_sheet, submission_template

# Both from the specification and the data's README.
PUBLISHED = "ea89f726be30902e8240057e0649e7bce6028f9437f3b1934a94fe52f9786067"
REPAIRED = "afe5671f5987a9a1ee0a23b08f48c6ee33a791278f29cb361c1dbe17b557147b"


@pytest.fixture(scope="module")
def eloquent(shared_data: Path) -> Path:
    return shared_data / "eloquent"


def test_the_published_file_is_not_json_and_gets_two_commas(eloquent: Path) -> None:
    published = (eloquent / "official/task3.test.json").read_bytes()
    assert hashlib.sha256(published).hexdigest() == PUBLISHED
    with pytest.raises(json.JSONDecodeError):
        json.loads(published)
    read = load_official_2024(eloquent / "official")
    assert read.sha256 == REPAIRED
    assert PUBLISHED in read.version
    assert REPAIRED in read.version


def test_the_repaired_file_is_read_as_the_same_set(eloquent: Path) -> None:
    published = load_official_2024(eloquent / "official")
    repaired = load_official_2024(eloquent / "official", "task3.test.repaired.json")
    assert published.items == repaired.items
    assert repaired.sha256 == REPAIRED


def test_it_has_the_shape_we_check_with_when_it_is_absent(eloquent: Path) -> None:
    official = load_official_2024(eloquent / "official")
    shape = eloquent_2024_without_prompts()
    assert len(official.items) == 16
    assert sum(len(item.variants) for item in official.items) == 103
    assert [(item.id, item.variation) for item in official.items] == [(item.id, item.variation) for item in shape.items]
    assert [[(variant.number, variant.language) for variant in item.variants] for item in official.items] == [
        [(variant.number, variant.language) for variant in item.variants] for item in shape.items
    ]


def test_prompts_are_kept_to_the_letter(eloquent: Path) -> None:
    official = load_official_2024(eloquent / "official")
    text = json.loads((eloquent / "official/task3.test.repaired.json").read_text("utf-8"))
    assert [variant.prompt for item in official.items for variant in item.variants] == [
        variant["prompt"] for item in text["eloquent-robustness-test"]["items"] for variant in item["variants"]
    ]


def test_the_first_test_set_of_26_april_is_refused(eloquent: Path) -> None:
    with pytest.raises(PromptSetError, match="item 012: expected 7 variants, found 3"):
        load_official_2024(eloquent / "official", "task3.test.2024-04-26.json")


def test_the_published_file_with_any_other_fault_is_not_repaired(eloquent: Path, tmp_path: Path) -> None:
    published = (eloquent / "official/task3.test.json").read_bytes()
    (tmp_path / "task3.test.json").write_bytes(published + b"\n")
    with pytest.raises(PromptSetError, match="not valid JSON"):
        load_official_2024(tmp_path)


def test_templates_are_the_published_ones(eloquent: Path) -> None:
    official = PromptSets.load(eloquent / "official").eloquent_2024
    template = json.loads((eloquent / "templates/2024_robustness_template.json").read_text("utf-8"))
    sheet = json.loads((eloquent / "templates/2024_answer_sheet.json").read_text("utf-8"))
    assert json.loads(submission_template(official)) == template
    # The published sheet repeats the test file's tag `sb` for a Swedish prompt; the specification has it read as sv.
    assert sheet["items"][6]["variants"][1]["language"] == "sb"
    sheet["items"][6]["variants"][1]["language"] = "sv"
    assert json.loads(answer_sheet(official)) == sheet
