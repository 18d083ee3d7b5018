"""Every figure of a run of 2025 and 2026 is made anew from its manifest and its files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.random_models import tiny_encoder
from evaluator.__main__ import main
from evaluator.reproduce.editions import RESPONSE_FIGURES, read_edition_manifest
from evaluator.reproduce.robustness import FigureMadeAnew, ManifestUnreadable
from evaluator.values import MetricValue
from leaderboard.parts.manifests import result_manifest
from tests.unit.leaderboard.boards.robustness.made_results import ticket
from tests.unit.submissions.formats.eloquent.cultural_files import LANGUAGES, lines, row, run_files, zipped

QUESTIONS = 22


def question_file(folder: Path, language: str, shared: int) -> Path:
    """Answers of four words to every question, of which `shared` are the same in every language."""
    questions = [
        {
            "questionid": number,
            "turns": [
                {
                    "question": f"what of topic{number} in {language}?",
                    "answer": " ".join(
                        [
                            f"topic{number}",
                            *(f"w{at}" if at < shared + number % 2 else f"{language}{at}" for at in range(4)),
                        ]
                    ),
                }
            ],
        }
        for number in range(QUESTIONS)
    ]
    path = folder / f"{language}.json"
    head = {"team": "aurora", "system": "aurora", "submissionid": "1", "language": language, "date": "2025"}
    path.write_text(json.dumps({**head, "label": "eloquent-2025-robustness", "questions": questions}))
    return path


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    return [str(question_file(tmp_path, language, shared=2)) for language in ("en", "fi")]


def kept(folder: Path, result: str) -> Path:
    """The manifest of a result as the board keeps it."""
    path = folder / "manifest.json"
    path.write_text(json.dumps(result_manifest(ticket("one"), result)), encoding="utf-8")
    return path


@pytest.fixture
def manifest(tmp_path: Path, files: list[str], capsys: pytest.CaptureFixture[str]) -> Path:
    assert main(["evaluate", *files, "--json", "--judge", "scripted"]) == 0
    return kept(tmp_path, capsys.readouterr().out)


def changed(manifest: Path, figure: str, **values: Any) -> None:
    document = json.loads(manifest.read_text(encoding="utf-8"))
    document["figures"][figure].update(values)
    manifest.write_text(json.dumps(document), encoding="utf-8")


def test_a_manifest_of_2025_names_every_file_and_every_figure_with_its_interval(manifest: Path) -> None:
    document = json.loads(manifest.read_text(encoding="utf-8"))
    assert [file["language"] for file in document["files"]] == ["en", "fi"]
    assert document["intervals"] == {"draws": 2000, "seed": 3740}
    # Six of the run, four of either language, the order gap, and two shares on topic.
    assert len(document["figures"]) == 6 + 2 * 4 + 1 + 2
    score = document["figures"]["consistency"]
    assert score["low"] < score["value"] < score["high"]
    assert score["n"] == QUESTIONS


def test_every_figure_of_a_run_of_2025_is_the_same_in_whatever_order_its_files_come(
    manifest: Path, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["reproduce", str(manifest), *reversed(files)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[-1] == "All 17 figures are the same."
    assert all(line.startswith("same ") for line in said[:-1])


def test_a_changed_figure_is_named(manifest: Path, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    score = json.loads(manifest.read_text(encoding="utf-8"))["figures"]["fi consistency"]
    changed(manifest, "fi consistency", value=score["value"] + 0.01)
    changed(manifest, "worst", low=0.0)
    assert main(["reproduce", str(manifest), *files]) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[-1] == "2 of 17 figures are different: worst, fi consistency."
    assert sum(line.startswith("different ") for line in said) == 2


def test_another_seed_or_code_version_is_said(
    manifest: Path, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    document = json.loads(manifest.read_text(encoding="utf-8"))
    document["intervals"]["seed"] = 1
    document["judges"][0]["revision"] = "f00"
    manifest.write_text(json.dumps(document), encoding="utf-8")
    assert main(["reproduce", str(manifest), *files]) == 0
    said = capsys.readouterr().out
    assert "differs    seed of the intervals: manifest 1, here 3740" in said
    assert "differs    judge revision: manifest f00, here" in said


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit):
        main(["reproduce", *arguments])
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    return error


def test_a_changed_or_missing_file_is_refused_by_its_sha256(
    manifest: Path, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert "1 of 2 files of this row are missing: fi " in refused([str(manifest), files[0]], capsys)
    path = Path(files[1])
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert f"{path} is no file of this row: its SHA-256 is " in refused([str(manifest), *files], capsys)


def test_a_judge_or_model_that_a_manifest_cannot_load_is_asked_for(
    manifest: Path, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    document = json.loads(manifest.read_text(encoding="utf-8"))
    for part, message in (
        ({"judges": [{**document["judges"][0], "name": "http"}]}, "with --judge"),
        ({"embedding": {**document["embedding"], "name": "embedding model"}}, "with --embedding"),
    ):
        manifest.write_text(json.dumps({**document, **part}), encoding="utf-8")
        assert message in refused([str(manifest), *files], capsys)


def test_other_boards_take_one_file(tmp_path: Path, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "other.json"
    path.write_text("{}")
    assert "made of one file" in refused([str(path), *files], capsys)


@pytest.mark.parametrize("data", [b'{"board": "consistency"}', b'{"board": "cultural", "files": []}'])
def test_half_a_manifest_says_what_it_lacks(data: bytes) -> None:
    with pytest.raises(ManifestUnreadable, match=r"no manifest of a row of the 202[56] board .*figures"):
        read_edition_manifest(data)


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b'{"board": "judges"}', b'{"board": 3}'])
def test_anything_else_is_left_to_the_other_boards(data: bytes) -> None:
    assert read_edition_manifest(data) is None


def value(number: float | None, **more: Any) -> MetricValue:
    return MetricValue(value=number, **{"n": 5, **more})


@pytest.mark.parametrize(
    ("name", "stated", "found", "is_same"),
    [
        ("cd", value(0.5), value(0.504), True),  # shown as 0.50 either way, give or take half a digit
        ("cd", value(0.5), value(0.506), False),
        ("pass_share", value(0.5), value(0.504), False),  # 50.0% and 50.4%
        ("fi pass_share", value(0.5), value(0.5004), True),
        ("cd", value(0.5, low=0.4, high=0.6), value(0.5, low=0.4, high=0.61), False),
        ("cd", value(0.5), value(0.5, n=6), False),
        ("cd", value(0.5), value(0.5, unscored=1), False),
        ("cd", value(None), value(None), True),
        ("cd", value(None), value(0.0), False),
        ("cd", value(0.5), None, False),
    ],
)
def test_figures_agree_to_the_digits_shown_and_in_what_they_rest_on(
    name: str, stated: MetricValue, found: MetricValue | None, is_same: bool
) -> None:
    assert FigureMadeAnew(name, stated, found).is_same is is_same


def test_every_figure_of_a_run_of_2026_is_the_same_with_its_embedding_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, archive = tmp_path / "tiny", tmp_path / "run.zip"
    tiny_encoder(model, languages=LANGUAGES)
    words = ("tea", "rice", "bread", "salt", "fish", "milk", "wood", "sand", "snow", "rain", "corn", "silk")
    answered = {
        f"{language}_{kind}.jsonl": lines(
            [
                row(f"{number}{suffix}", f"{language} {word} {words[(number * place) % 12]}")
                for number, word in enumerate(words, start=1)
                for suffix, place in suffixes
            ]
        )
        for place_of, language in enumerate(LANGUAGES, start=1)
        for kind, suffixes in (("unspecific", [("", place_of)]), ("specific", [("-1", 2), ("-2", 5 + place_of)]))
    }
    archive.write_bytes(zipped({**run_files(), **answered}))
    monkeypatch.setenv("PLUMBLINE_EMBEDDING", f"transformers:{model}")
    monkeypatch.setenv("PLUMBLINE_JUDGES", "scripted")
    assert main(["evaluate", str(archive), "--json"]) == 0
    manifest = kept(tmp_path, capsys.readouterr().out)
    assert json.loads(manifest.read_text(encoding="utf-8"))["figures"]["csp"]["value"] is not None

    monkeypatch.delenv("PLUMBLINE_EMBEDDING")
    assert "with --embedding" in refused([str(manifest), str(archive)], capsys)
    chosen = ["--embedding", f"transformers:{model}"]
    assert main(["reproduce", str(manifest), str(archive), *chosen]) == 0
    # Twelve of the run, two shares of every language and of the run.
    assert capsys.readouterr().out.endswith("All 24 figures are the same.\n")
    older = json.loads(manifest.read_text(encoding="utf-8"))
    older["figures"] = {name: value for name, value in older["figures"].items() if name not in RESPONSE_FIGURES}
    before = tmp_path / "older.json"
    before.write_text(json.dumps(older), encoding="utf-8")
    assert main(["reproduce", str(before), str(archive), *chosen]) == 0
    assert capsys.readouterr().out.endswith("All 18 figures are the same.\n")

    changed(manifest, "cd", value=0.9)
    assert main(["reproduce", str(manifest), str(archive), *chosen]) == 1
    assert capsys.readouterr().out.endswith("1 of 24 figures are different: cd.\n")
