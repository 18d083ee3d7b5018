"""Prompt sets: the shape, files that do not fit it, the demonstration set, and fetching from the Hub."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

import submissions.promptsets as promptsets
from submissions.check import check_submission
from submissions.promptsets import (
    DownloadFailed,
    PromptSetError,
    PromptSets,
    download_official_2024,
    download_official_2026,
    eloquent_2024_without_prompts,
    example_submissions,
    load_demonstration,
    load_official_2024,
    load_official_2026,
)
from submissions.promptsets.available import prompt_sets_at_hand
from submissions.promptsets.cultural import CULTURAL_LANGUAGES, cultural_places
from submissions.settings import Settings


def shaped_file() -> dict[str, Any]:
    """A file of the 2024 shape with prompts of our own."""
    items = [
        {
            "id": item.id,
            "variation": item.variation,
            "variants": [
                {"language": variant.language, "prompt": f"{item.id} {variant.number}?"} for variant in item.variants
            ],
        }
        for item in eloquent_2024_without_prompts().items
    ]
    return {"eloquent-robustness-test": {"source": "test", "year": "2024", "items": items}}


def written(folder: Path, content: object) -> Path:
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / "task3.test.json").write_text(text, encoding="utf-8")
    return folder


def test_the_shape_is_that_of_the_specification() -> None:
    shape = eloquent_2024_without_prompts()
    assert not shape.has_prompts
    assert shape.sha256 is None
    assert [item.id for item in shape.items] == [f"{number:03}" for number in range(1, 17)]
    # 12 + 13 + 11 + 8 + 6 + 6 + 14 + 8 + 2 + 4 + 2 + 7 + 2 + 3 + 2 + 3
    assert sum(len(item.variants) for item in shape.items) == 103
    second = shape.item("002")
    assert second is not None
    assert [variant.language for variant in second.variants] == ["sv"] * 5 + ["en"] * 4 + ["ar"] * 4
    assert [variant.number for variant in second.variants] == list(range(1, 14))


def test_a_file_of_the_shape_is_read_and_its_version_recorded(tmp_path: Path) -> None:
    content = shaped_file()
    content["eloquent-robustness-test"]["items"][6]["variants"][1]["language"] = "sb"
    read = load_official_2024(written(tmp_path, content))
    assert read.has_prompts
    assert read.sha256 is not None
    assert read.sha256 in read.version
    seventh = read.item("007")
    assert seventh is not None
    assert seventh.variants[1].language == "sv"
    assert seventh.variants[1].prompt == "007 2?"


def test_a_file_of_another_shape_is_refused_with_every_difference(tmp_path: Path) -> None:
    content = shaped_file()
    items = content["eloquent-robustness-test"]["items"]
    items[11]["variants"].pop()
    items[2]["variants"][0]["language"] = "de"
    items[3]["variation"] = "mood"
    items.pop(15)
    with pytest.raises(PromptSetError) as refused:
        load_official_2024(written(tmp_path, content))
    message = str(refused.value)
    assert "task3.test.json" in message
    assert "item 012: expected 7 variants, found 6" in message
    assert "item 003: variant 1: expected language 'en', found 'de'" in message
    assert "item 004: expected the variation 'formality', found 'mood'" in message
    assert "item 016 is missing" in message


@pytest.mark.parametrize(
    "content",
    ["{", "[]", '{"eloquent-robustness-test": {"items": [{"id": 1}]}}', '{"eloquent-robustness-test": []}', "7"],
)
def test_a_broken_file_is_refused_clearly(tmp_path: Path, content: str) -> None:
    with pytest.raises(PromptSetError, match=r"task3\.test\.json"):
        load_official_2024(written(tmp_path, content))


def test_commas_are_not_mended_in_other_files(tmp_path: Path) -> None:
    text = json.dumps(shaped_file(), indent=1).replace("},", "}", 1)
    with pytest.raises(PromptSetError, match="not valid JSON"):
        load_official_2024(written(tmp_path, text))


def test_sets_are_loaded_with_what_is_at_hand(tmp_path: Path) -> None:
    assert not PromptSets.load(None).eloquent_2024.has_prompts
    assert not PromptSets.load(tmp_path).eloquent_2024.has_prompts
    sets = PromptSets.load(written(tmp_path, shaped_file()))
    assert sets.eloquent_2024.has_prompts
    assert sets.by_id("eloquent-2024") is sets.eloquent_2024
    assert sets.by_id("demonstration") is sets.demonstration
    with pytest.raises(KeyError):
        sets.by_id("eloquent-2031")


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PromptSetError, match="no such folder"):
        PromptSets.load(tmp_path / "nowhere")


def test_our_own_set_has_ids_from_901_and_three_languages() -> None:
    demonstration = load_demonstration()
    assert demonstration.has_prompts
    assert demonstration.set_id == "demonstration"
    assert all(int(item.id) >= 901 for item in demonstration.items)
    assert len({variant.language for item in demonstration.items for variant in item.variants}) >= 3


def test_every_example_is_accepted_for_our_own_set(bare_sets: PromptSets) -> None:
    examples = dict(example_submissions())
    assert examples
    for name, data in examples.items():
        report = check_submission(data, name, prompt_sets=bare_sets)
        assert report.decision != "refused", report.problems
        assert report.submission is not None
        assert report.submission.set_id == "demonstration"


def test_a_fetched_file_lies_where_it_is_read_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub

    asked: dict[str, Any] = {}

    def fake(repo_id: str, filename: str, *, local_dir: Path, **options: Any) -> str:
        asked.update(options, repo_id=repo_id, filename=filename)
        target = Path(local_dir) / filename
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(shaped_file()), encoding="utf-8")
        return str(target)

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", fake)
    path = download_official_2024(tmp_path / "sets", file_name="2024/test.json", revision="v1")
    assert path == tmp_path / "sets" / "task3.test.json"
    assert load_official_2024(path.parent).has_prompts
    assert asked["repo_id"] == "Eloquent/Robustness"
    assert asked["repo_type"] == "dataset"
    assert asked["revision"] == "v1"
    assert asked["etag_timeout"] <= 10


def test_a_failed_fetch_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub

    def fake(*arguments: Any, **options: Any) -> str:
        raise ConnectionError("no route\nto host")

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", fake)
    with pytest.raises(DownloadFailed, match="PLUMBLINE_ELOQUENT_DIR") as failed:
        download_official_2024(tmp_path)
    assert "no route to host" in str(failed.value)
    assert issubclass(DownloadFailed, promptsets.PromptSetError)


def test_without_a_network_the_hub_is_asked_once_and_its_client_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its client would try five times, and the page server would wait for it."""

    def never(*arguments: object, **options: object) -> str:
        raise AssertionError("the Hub client was called")

    monkeypatch.setattr("huggingface_hub.hf_hub_download", never)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")  # nothing listens there
    with pytest.raises(DownloadFailed, match="ConnectError"):
        download_official_2024(tmp_path)


def cultural_folder(folder: Path, **files: list[Any]) -> Path:
    """A folder with files of 2026, in rows as given."""
    for name, rows in files.items():
        text = "".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return folder


def test_the_shape_of_2026_is_that_of_the_specification() -> None:
    # 94 questions with 36 variants and 7 with 108: 3,384 + 756.
    assert len(cultural_places("specific")) == 4_140
    assert len(cultural_places("unspecific")) == 101
    assert len(CULTURAL_LANGUAGES) == 24
    assert cultural_places("specific")["44-108"] == ("44", 108)
    assert "45-37" not in cultural_places("specific")


def test_as_many_prompts_of_2026_are_read_as_there_are(tmp_path: Path) -> None:
    folder = cultural_folder(
        tmp_path,
        sv_unspecific=[{"id": "2", "prompt": "Te?"}],
        en_unspecific=[{"id": "2", "prompt": "Tea?"}, "", {"id": "1", "prompt": "Milk?"}],
        en_specific=[{"id": "7-108", "prompt": "Tea in Hanko?", "note": "more keys do no harm"}],
    )
    found = PromptSets.load(folder).eloquent_2026
    assert found.has_prompts
    assert [(item.id, item.variation, item.languages()) for item in found.items] == [
        ("1", "unspecific", ("en",)), ("2", "unspecific", ("en", "sv")), ("7-108", "specific", ("en",)),
    ]  # fmt: skip
    assert found.items[2].variants[0].number == 108
    assert found.version.startswith("2026 cultural prompts, 4 rows of 3 files in en, sv; sha256 ")
    named = sorted(tmp_path.glob("*.jsonl"))
    printed = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in named)
    assert found.sha256 == hashlib.sha256(printed.encode()).hexdigest()
    changed = cultural_folder(folder, sv_unspecific=[{"id": "2", "prompt": "Kaffe?"}])
    assert load_official_2026(changed).sha256 != found.sha256


@pytest.mark.parametrize(
    "row",
    [
        "{", "[]", {"id": "102", "prompt": "x"}, {"id": "1-1", "prompt": "x"}, {"id": "1"}, {"id": "1", "prompt": 7},
    ],
)  # fmt: skip
def test_rows_of_2026_that_do_not_fit_are_named(tmp_path: Path, row: Any) -> None:
    cultural_folder(tmp_path, en_unspecific=[{"id": "5", "prompt": "x"}, row])
    with pytest.raises(PromptSetError, match=r"en_unspecific\.jsonl:2: "):
        PromptSets.load(tmp_path)


def test_without_prompts_of_2025_and_2026_the_sets_have_their_names_alone(bare_sets: PromptSets) -> None:
    for set_id in ("eloquent-2025", "eloquent-2026"):
        found = bare_sets.by_id(set_id)
        assert (found.set_id, found.items, found.sha256, found.has_prompts) == (set_id, (), None, False)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A Hub dataset of both sets in folders of its own; the files that were fetched from it."""
    content = {
        "2024/task3.test.json": json.dumps(shaped_file()),
        "cultural/2026/sv_unspecific.jsonl": '{"id": "1", "prompt": "Te?"}\n',
        "cultural/2026/nl_unspecific.jsonl": "{}",
        "README.md": "",
    }
    fetched: list[str] = []

    def listing(repo_id: str, **options: Any) -> list[str]:
        return list(content)

    def download(repo_id: str, filename: str, *, local_dir: Path, **options: Any) -> str:
        fetched.append(filename)
        target = Path(local_dir) / filename
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content[filename], encoding="utf-8")
        return str(target)

    monkeypatch.setattr("huggingface_hub.list_repo_files", listing)
    monkeypatch.setattr("huggingface_hub.hf_hub_download", download)
    return fetched


def test_missing_sets_are_fetched_once_and_lie_where_they_are_read_from(tmp_path: Path, hub: list[str]) -> None:
    named = {"PLUMBLINE_DATA": str(tmp_path), "PLUMBLINE_ELOQUENT_2024_FILE": "2024/task3.test.json"}
    settings = Settings.from_env(named)
    sets = prompt_sets_at_hand(settings, fetch=True)
    assert sets.eloquent_2024.has_prompts
    assert [item.id for item in sets.eloquent_2026.items] == ["1"]
    assert hub == ["2024/task3.test.json", "cultural/2026/sv_unspecific.jsonl"]
    again = prompt_sets_at_hand(settings, fetch=True)
    assert again == sets
    assert len(hub) == 2
    assert prompt_sets_at_hand(settings, fetch=False) == sets


def test_a_dataset_without_prompts_of_2026_leaves_its_bare_shape(
    tmp_path: Path, hub: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.list_repo_files", lambda *_, **__: ["README.md"])
    with pytest.raises(DownloadFailed, match="no file named like xx_unspecific"):
        download_official_2026(tmp_path)
    assert hub == []
