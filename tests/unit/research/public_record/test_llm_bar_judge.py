"""A judge of ours on LLMBar's pairs: asked in both orders, counted by hand, never ranked with LLMBar's own."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from evaluator.judge_loading import loading
from evaluator.judges.protocol import JudgeRequest
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge
from evaluator.public_record.records import MeasuredRecord
from research.public_record.commands import add_commands
from research.public_record.llm_bar import ROOT
from research.public_record.llm_bar_judge import TEXTS, LabelledPair, asked, labelled_pairs, measured_judge
from research.public_record.sources import SourceRefused
from submissions.commands.command_line import OneLineParser
from submissions.settings import Settings


def write(folder: Path, subset: str, labels: list[int]) -> None:
    path = folder / ROOT / subset / TEXTS
    path.parent.mkdir(parents=True)
    rows = [
        {"input": f"{subset} task {number}", "output_1": "good", "output_2": "bad", "label": label}
        for number, label in enumerate(labels)
    ]
    path.write_text(json.dumps(rows), encoding="utf-8")


def clone(folder: Path) -> Path:
    write(folder, "Natural", [1, 1, 2])
    write(folder, "Adversarial/Manual", [2])
    return folder


def test_pairs_stand_in_the_order_of_their_names_hashes(tmp_path: Path) -> None:
    pairs = labelled_pairs(clone(tmp_path))
    digests = [hashlib.sha256(pair.name.encode()).hexdigest() for pair in pairs]
    assert digests == sorted(digests)
    assert {pair.name for pair in pairs} == {"Natural 0", "Natural 1", "Natural 2", "Adversarial/Manual 0"}
    assert [pair.is_first_better for pair in pairs if pair.name == "Natural 2"] == [False]


def test_each_pair_is_asked_in_both_orders_with_our_rubric() -> None:
    pair = LabelledPair("Natural", 0, "task", ("one", "two"), True)
    first, second = pair.requests()
    assert (first.fields["answer_a"], first.fields["answer_b"]) == ("one", "two")
    assert (second.fields["answer_a"], second.fields["answer_b"]) == ("two", "one")
    assert {request.rubric.id for request in (first, second)} == {"preference-pair"}
    assert [(said.verdict, said.gold) for said in pair.judgements("AC")] == [("A", "A"), ("C", "B")]


def recorded(verdict: dict[tuple[str, str], str | None]) -> RecordedJudge:
    def preference(request: JudgeRequest) -> str | None:
        return verdict[request.fields["prompt_1"], request.fields["answer_a"]]

    return RecordedJudge(ScriptedJudge(preference=preference), MemoryVerdicts())


def test_figures_are_those_counted_by_hand_and_there_is_no_place(tmp_path: Path) -> None:
    pairs = labelled_pairs(clone(tmp_path))
    said: dict[tuple[str, str], str | None] = {
        ("Natural task 0", "good"): "A",  # right
        ("Natural task 0", "bad"): "B",  # right
        ("Natural task 1", "good"): "A",  # right
        ("Natural task 1", "bad"): "A",  # wrong: the first place again
        ("Natural task 2", "good"): "C",  # half
        ("Natural task 2", "bad"): "A",  # right: output 2 is better and stands first
        ("Adversarial/Manual task 0", "good"): "A",  # wrong
        ("Adversarial/Manual task 0", "bad"): None,
    }
    judge = recorded(said)
    verdicts = dict(asked(judge, pairs))
    assert verdicts == {"Natural 0": "AB", "Natural 1": "AA", "Natural 2": "CA", "Adversarial/Manual 0": "AN"}
    record = measured_judge(judge, pairs, verdicts, "abc", "2026-11-29").record
    assert record.places is None
    assert record.pairs == 4
    # Pairs: 2/2, 1/2, (1/2 + 1)/2, 0.
    assert record.natural.value == pytest.approx((1 + 0.5 + 0.75) / 3, abs=1e-6)
    assert record.adversarial.value == 0.0
    assert record.accuracy.value == pytest.approx((1 + 0.5 + 0.75) / 4, abs=1e-6)
    # Of three pairs with two verdicts AB is the same in both orders; AA and CA lean to the first place.
    assert record.same_in_both_orders.value == pytest.approx(1 / 3, abs=1e-6)
    assert record.unusable.value == 0.125  # one of eight calls


def test_figures_are_of_the_pairs_that_were_asked_about_alone(tmp_path: Path) -> None:
    pairs = labelled_pairs(clone(tmp_path))
    judge = recorded({})
    record = measured_judge(judge, pairs, {"Natural 0": "AB"}, "abc", "2026-11-29").record
    assert (record.pairs, record.accuracy.value) == (1, 1.0)
    assert record.adversarial.reason == "it judged no such pair"


def test_a_folder_without_pairs_and_a_file_with_another_label_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(SourceRefused, match="expected a clone"):
        labelled_pairs(tmp_path)
    write(tmp_path, "Natural", [3])
    with pytest.raises(SourceRefused, match=r"result\.json: KeyError\(3\)"):
        labelled_pairs(tmp_path)


def run_command(folder: Path, *flags: str) -> int:
    parser = OneLineParser(prog="python -m research")
    add_commands(parser.add_subparsers(required=True))
    line = ["public-record", "llm-bar-judges", str(folder), "--date", "2026-11-29", "--commit", "abc", *flags]
    options = parser.parse_args([*line, "--database-url", f"sqlite:///{folder / 'verdicts.db'}"])
    return int(options.command(options, Settings.from_env({})))


def test_the_command_makes_the_record_and_asks_nothing_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = ScriptedJudge(preference=lambda request: "A")
    monkeypatch.setattr(loading, "load_scorer", lambda name, **options: SimpleNamespace(judge=judge))
    clone(tmp_path)
    assert run_command(tmp_path, "--judge", "mine", "--pairs", "3") == 0
    made = capsys.readouterr()
    record = MeasuredRecord.model_validate_json(made.out)
    [own] = record.judges
    assert (record.pairs, own.record.pairs, set(own.verdicts.values()), own.commit) == (4, 3, {"AA"}, "abc")
    assert "3 of 3 pairs" in made.err
    assert "3 pairs: right 0.5" in made.err  # the first place is the better one in one of two orders
    assert judge.calls == 6
    assert run_command(tmp_path, "--judge", "mine") == 0
    assert judge.calls == 8  # the fourth pair alone


def test_a_judge_that_states_no_preferences_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run_command(clone(tmp_path), "--judge", "scripted")
    assert "does not say which of two answers is better" in capsys.readouterr().err
