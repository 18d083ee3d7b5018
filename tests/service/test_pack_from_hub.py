"""Packing what lies in a dataset repository on the Hub, at a commit. It is a fake one."""

from __future__ import annotations

from collections.abc import Iterator

import huggingface_hub
import pytest
from huggingface_hub import close_session

from submissions.packing.hub import add_hub_files, hub_address
from submissions.packing.plan import planned
from submissions.packing.sources import CannotPack, Gathering, PackLimits
from submissions.promptsets import PromptSets
from tests.service.fake_hub import TOKEN, FakeHub

REPO = "harbour/answers"
ROW = b'{"id": "1-1", "answer": "%s"}\n'


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_DISABLE_XET", True)
    with FakeHub(page=2) as fake:
        yield fake
    close_session()


def gathered(hub: FakeHub, address: str, **limits: int) -> Gathering:
    gathering = Gathering(PackLimits(**limits))
    add_hub_files(gathering, hub_address(address), endpoint=hub.endpoint, token=TOKEN)
    return gathering


def test_the_answers_are_those_of_the_commit_and_not_of_what_came_after(hub: FakeHub) -> None:
    commit = hub.add(REPO, {"cot/de_specific.jsonl": ROW % b"then", "README.md": b"#", "cot/model.bin": b"\0"})
    hub.add(REPO, {"cot/de_specific.jsonl": ROW % b"now"}, "later")
    gathering = gathered(hub, f"hf://datasets/{REPO}@{commit}")
    (run,) = planned(gathering.sources, gathering.aside, prompt_sets=PromptSets.load(None)).runs
    assert run.label == "cot"
    assert run.rows["de", "specific"]["1-1"].answer == "then"
    assert run.rows["de", "specific"]["1-1"].place == f"hf://datasets/{REPO}@{commit[:8]}/cot/de_specific.jsonl:$"
    assert hub.statuses("resolve").count(200) == 2  # HEAD and GET of the one file that may hold answers


def test_a_folder_of_the_repository_is_enough(hub: FakeHub) -> None:
    commit = hub.add(REPO, {"a/de.jsonl": ROW % b"a", "ab/de.jsonl": ROW % b"b"})
    assert [source.folders for source in gathered(hub, f"hf://datasets/{REPO}@{commit}/a").sources] == [()]


def test_bounds_hold_before_anything_is_downloaded(hub: FakeHub) -> None:
    commit = hub.add(REPO, {f"{number}.jsonl": ROW for number in range(5)})
    with pytest.raises(CannotPack, match="more than 3 files"):
        gathered(hub, f"hf://datasets/{REPO}@{commit}", files=3)
    assert hub.statuses("resolve") == []


def test_a_repository_that_is_not_there_is_told_in_one_sentence(hub: FakeHub) -> None:
    with pytest.raises(CannotPack, match=r"^hf://datasets/harbour/answers@00000000 cannot be read: "):
        gathered(hub, f"hf://datasets/{REPO}@{'0' * 40}")


@pytest.mark.parametrize(
    ("address", "why"),
    [
        (f"hf://datasets/{REPO}", "names no commit"),
        (f"hf://datasets/{REPO}@main", "'main', a branch or tag that may move"),
        ("hf://models/x/y@" + "0" * 40, "expected hf://datasets/OWNER/NAME@COMMIT"),
    ],
)
def test_an_address_without_a_commit_is_refused(address: str, why: str) -> None:
    with pytest.raises(CannotPack, match=why):
        hub_address(address)
