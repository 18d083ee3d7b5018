"""Where hidden prompts come from, what keeps them from being used, and how they are found in texts."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import huggingface_hub
import pytest
from huggingface_hub import close_session
from huggingface_hub.utils import _http

from submissions.check import check_submission
from submissions.promptsets import PromptSetError, PromptSets
from submissions.promptsets.available import prompt_sets_at_hand
from submissions.promptsets.hidden import HiddenTexts, hidden
from submissions.schema import Names
from submissions.seasons.season_file import SeasonsError, read_seasons
from submissions.settings import Settings
from tests.eloquent_files import write_official
from tests.service.fake_hub import READER, TOKEN, FakeHub
from tests.unit.submissions.seasons.made_seasons import AUTUMN, SPRING

OF_2024 = SPRING.replace('"demonstration"', '"eloquent-2024"')


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(_http, "time", SimpleNamespace(sleep=lambda seconds: None))
    with FakeHub() as fake:
        monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", fake.endpoint)
        template = fake.endpoint + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr(huggingface_hub.constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        yield fake
    close_session()


def settings(folder: Path, table: str, **environ: str) -> Settings:
    (folder / "seasons").mkdir()
    (folder / "seasons" / "spring.toml").write_text(f"{OF_2024}[hidden_prompts]\n{table}", encoding="utf-8")
    return Settings.from_env(
        {"PLUMBLINE_DATA": str(folder / "data"), "PLUMBLINE_SEASONS": str(folder / "seasons"), **environ}
    )


def test_hidden_prompts_of_a_private_dataset_are_fetched_at_their_commit_and_once(hub: FakeHub, tmp_path: Path) -> None:
    write_official(tmp_path / "official")
    data = (tmp_path / "official" / "task3.test.json").read_bytes()
    commit = hub.add("lab/hidden", {"data/task3.test.json": data, "run.py": b"raise SystemExit", "model.pkl": b"x"})
    hub.add("lab/hidden", {"data/task3.test.json": b"{}"})  # what comes later is not what was pinned
    table = f'repo = "lab/hidden"\nrevision = "{commit}"\n'
    found = prompt_sets_at_hand(settings(tmp_path, table, HF_TOKEN=READER), fetch=False)
    assert (found.eloquent_2024.is_hidden, found.eloquent_2024.has_prompts) == (True, True)
    kept = [path for path in (tmp_path / "data" / "hidden_prompts").rglob("*") if path.is_file()]
    assert [path.name for path in kept] == ["task3.test.json"]  # nothing that could be run
    assert kept[0].parent.stat().st_mode & 0o077 == 0
    asked = len(hub.requests)
    again = Settings.from_env(
        {"PLUMBLINE_DATA": str(tmp_path / "data"), "PLUMBLINE_SEASONS": str(tmp_path / "seasons"), "HF_TOKEN": READER}
    )
    assert prompt_sets_at_hand(again, fetch=False).eloquent_2024.sha256 == found.eloquent_2024.sha256
    assert len(hub.requests) == asked


@pytest.mark.parametrize(
    ("token", "said"),
    [
        ("", "set HF_TOKEN to read it"),
        ("hf_wrong", "the Hub answered with status 401; can HF_TOKEN read it?"),
        (TOKEN, "no file with prompts of eloquent-2024 is there"),
    ],
)
def test_without_them_nothing_is_used_in_their_place(hub: FakeHub, tmp_path: Path, token: str, said: str) -> None:
    commit = hub.add("lab/hidden", {"README.md": b"none"})
    table = f'repo = "lab/hidden"\nrevision = "{commit}"\n'
    with pytest.raises(PromptSetError) as caught:
        prompt_sets_at_hand(settings(tmp_path, table, HF_TOKEN=token), fetch=False)
    assert said in str(caught.value)
    assert token == "" or token not in str(caught.value)


def test_a_folder_without_them_is_named(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    with pytest.raises(PromptSetError, match="no prompts of eloquent-2024 are there, and its season hides them"):
        prompt_sets_at_hand(settings(tmp_path, f'folder = "{tmp_path / "secret"}"\n'), fetch=False)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("", "hidden_prompts: found neither folder nor repo, expected one of the two"),
        ('folder = "here"', "hidden_prompts.folder: found what is no absolute path"),
        ('repo = "lab/hidden"', "hidden_prompts.revision: found what is no commit"),
        ('repo = "lab/hidden"\nrevision = "main"', "hidden_prompts.revision: found what is no commit"),
        ('folder = "/srv"\nrepos = "lab/hidden"', "hidden_prompts.repos: found a key that it does not have"),
    ],
)
def test_what_is_wrong_with_the_table_is_told(tmp_path: Path, table: str, said: str) -> None:
    (tmp_path / "spring.toml").write_text(f"{OF_2024}[hidden_prompts]\n{table}\n", encoding="utf-8")
    with pytest.raises(SeasonsError) as caught:
        read_seasons(tmp_path)
    assert said in str(caught.value)


def test_a_set_is_hidden_in_all_its_seasons_or_in_none(tmp_path: Path) -> None:
    (tmp_path / "spring.toml").write_text(f'{OF_2024}[hidden_prompts]\nfolder = "/srv"\n', encoding="utf-8")
    (tmp_path / "autumn.toml").write_text(AUTUMN.replace("demonstration", "eloquent-2024"), encoding="utf-8")
    with pytest.raises(SeasonsError, match=r"autumn\.toml: hidden_prompts: found prompts that are hidden"):
        read_seasons(tmp_path)
    (tmp_path / "autumn.toml").write_text(f'{AUTUMN}[hidden_prompts]\nfolder = "/srv"\n', encoding="utf-8")
    with pytest.raises(SeasonsError, match="found hidden prompts of demonstration"):
        read_seasons(tmp_path)


# Finding them

KINDS = ("team", "system", "model", "run")
TEXTS = HiddenTexts((("7", "sv", "Hur kokar man ris på bästa sätt?"), ("8", "en", "Too short")))


@pytest.mark.parametrize(
    "text",
    [
        "Hur kokar man ris på bästa sätt?",
        "»HUR kokar\nman RIS -- på bästa sätt«, säger du",
        "Hur kokar man ris pa\u030a ba\u0308sta sa\u0308tt",  # letters and marks apart
        "Hur ko\u00adkar man ris p\u00e5 b\u00e4\u200bsta s\u00e4tt?",  # a soft hyphen and a blank without width
        "Hur\u200bkokar\u2060man\u00adris\ufeffp\u00e5 b\u00e4sta s\u00e4tt?",  # the same in the place of blanks
        "Hur k\u043ekar m\u0430n r\u0456s p\u00e5 b\u00e4sta s\u00e4tt?",  # o, a and i of Ukrainian
        "\u041dUR KOKAR MAN R\u0399S P\u00c5 B\u00c4STA S\u00c4TT",  # capitals of Cyrillic and Greek
        "Hur k\u0323okar m\u0336an ris p\u00e5 b\u00e4sta s\u00e4tt",  # a dot below, a stroke through
        "\uff28\uff55\uff52 kokar man ris p\u00e5 b\u00e4sta s\u00e4tt",  # full width
        "Hur ko\ufff9kar man\u2800 ris p\u00e5 b\u00e4\U0001bca0sta s\u00e4tt",  # an anchor, Braille, shorthand
    ],
)
def test_case_blanks_signs_and_forms_of_letters_hide_no_prompt(text: str) -> None:
    assert TEXTS.found(text) == ["7 sv"]
    assert "kokar" not in TEXTS.withheld(text).lower()


@pytest.mark.parametrize("text", ["", "Hur kokar man ris?", "Too short", "man ris på bästa sätt Hur kokar"])
def test_a_part_of_a_prompt_and_a_short_one_are_not_taken_for_it(text: str) -> None:
    assert TEXTS.found(text) == []
    assert TEXTS.withheld(text) is text


def test_it_is_found_in_any_field_of_a_file_and_in_the_files_of_a_zip() -> None:
    sets = PromptSets.load(None)
    sets = replace(sets, hidden_texts=replace(TEXTS))
    escaped = json.dumps({"notes": "Hur kokar man ris på bästa sätt?"}).encode()  # å as \\u00e5
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("submission_metadata.json", "{}")
        archive.writestr("sv_unspecific.jsonl", json.dumps({"id": "7", "answer": "Hur kokar man ris på bästa sätt?"}))
    for data, name in ((escaped, "a.json"), (packed.getvalue(), "a.zip")):
        report = check_submission(data, name, prompt_sets=sets)
        assert list(report.problems_by_code) == ["hidden_prompt"], name
        assert "7 sv" in report.problems[0].message
        assert "kokar" not in json.dumps(report.as_json())


def test_it_is_found_in_what_a_file_its_members_and_its_run_are_called() -> None:
    sets = replace(PromptSets.load(None), hidden_texts=replace(TEXTS))
    said = "Hur kokar man ris på bästa sätt?"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(f"{said}.jsonl", "{}")
    plain = check_submission(b"{}", "a.json", prompt_sets=sets)
    assert "hidden_prompt" not in plain.problems_by_code
    reports = [
        check_submission(packed.getvalue(), "a.zip", prompt_sets=sets),
        check_submission(b"{}", f"{said}.json", prompt_sets=sets),
        *(check_submission(b"{}", "a.json", names=Names(**{kind: said}), prompt_sets=sets) for kind in KINDS),
    ]
    for report in reports:
        assert list(report.problems_by_code) == ["hidden_prompt"]
        assert "hold 1 prompt of its season" in report.problems[0].message
        assert "kokar" not in repr(report.problems)


def test_what_may_be_shown_of_a_hidden_set_is_its_shape(tmp_path: Path) -> None:
    write_official(tmp_path / "official")
    whole = PromptSets.load(tmp_path / "official")
    sets = whole.with_hidden(dict.fromkeys(("eloquent-2024", "eloquent-2026"), tmp_path / "official"))
    assert sets.eloquent_2024 == hidden(whole.eloquent_2024)
    assert (sets.eloquent_2026.has_prompts, sets.shown.eloquent_2026.items) == (True, ())
    assert (sets.releases_2026, sets.shown.hidden_texts.prompts) == ((), ())
    assert [len(item.variants) for item in sets.shown.eloquent_2024.items] == [
        len(item.variants) for item in whole.eloquent_2024.items
    ]
    assert {one.prompt for item in sets.shown.eloquent_2024.items for one in item.variants} == {None}
    assert "Stands for" not in repr(sets.shown)
