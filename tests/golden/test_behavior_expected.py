"""Behavior alignment against figures computed independently, and the published agreement, through the commands."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from evaluator.behavior_alignment.implicit import corrected_share
from evaluator.behavior_alignment.response_texts import bleu, variety
from evaluator.behavior_alignment.strategies.inspired import read_dialogues
from evaluator.commands.behavior_alignment import add_commands
from evaluator.statistics.intervals import MIN_UNITS
from submissions.check import check_submission
from submissions.commands.command_line import OneLineParser
from submissions.promptsets import PromptSets
from submissions.settings import Settings

VALUE = 1e-9
Tables = Callable[[str], Path]
"""Name of a table that is somebody else's -> its file."""
SETS = PromptSets.load(None)
CASES = ("small", "partly_annotated", "copied", "one_turn", "spelling_variants")
SYSTEMS = ("previous", "copy", "always_opinion_inquiry", "always_credibility")
AGREEMENTS_ON_REDIAL = (
    "redial_pairs.csv|pred_original|a,b",
    "redial_pairs.csv|pred_original|a",
    "redial_pairs.csv|pred_original|none",
    "redial_pairs.csv|pred_mixedhard|a,b",
    "redial_pairs.csv|pred_mixedhard|a",
    "redial_pairs.csv|pred_mixedhard|none",
)
AGREEMENTS_OF_CASES = (
    "cases/preference.csv|metric|instance",
    "cases/constant.csv|metric|instance",
)


@pytest.fixture(scope="module")
def folder(own_data: Path) -> Path:
    return own_data / "behavior_alignment"


@pytest.fixture(scope="module")
def expected(folder: Path) -> Any:
    return json.loads((folder / "expected.json").read_text(encoding="utf-8"))


def printed(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    """What a command of `python -m evaluator` prints."""
    parser = OneLineParser()
    add_commands(parser.add_subparsers())
    options = parser.parse_args([*map(str, arguments), "--json"])
    assert options.command(options, Settings.from_env({})) == 0
    return json.loads(capsys.readouterr().out)


def assert_like(found: Any, expected: Any, place: str) -> None:
    """Counts exact, values within 1e-9; other keys may be there.

    The intervals we were given are plain percentiles: ours hold them, but for a twelfth of the width, and are at most
    half again as wide, or where a bootstrap saw no scatter, at most as wide as that of five trials.
    """
    if isinstance(expected, dict):
        for name, value in expected.items():
            assert name in found, place
            assert_like(found[name], value, f"{place}.{name}")
    elif place.endswith("_ci") and expected is not None:
        width = expected[1] - expected[0]
        assert found[0] <= expected[0] + width / 12 + 0.005, place
        assert found[1] >= expected[1] - width / 12 - 0.005, place
        assert found[1] - found[0] <= (1.5 * width + 0.01 if width else 1 - 0.025 ** (1 / 5)), place
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, abs=VALUE), place
    else:
        assert found == expected, place


# --- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES)
def test_every_figure_of_the_cases(case: str, folder: Path, expected: Any, capsys: pytest.CaptureFixture[str]) -> None:
    file = folder / "cases" / f"{case}.json"
    found = printed(capsys, "behavior-alignment", file, "--estimator", "none")
    wanted = expected["cases"][f"{case}.json"]
    assert_like(found, wanted, case)
    if wanted["explicit"]["ba"] is None:
        others = {name: value for name, value in found["explicit"].items() if name != "annotated_share"}
        assert set(others.values()) == {None}
    assert found["flags"] == (["copied_human_text"] if case == "copied" else [])
    assert (found["kind"], found["turn_rule"], found["implicit"]) == ("crs_responses", "last", None)
    assert not found["rankable"]  # fewer than 20 dialogues each


def test_all_cases_are_looked_at(expected: Any) -> None:
    assert {f"{case}.json" for case in CASES} == set(expected["cases"])
    assert set(SYSTEMS) == set(expected["inspired_dev"])
    assert {*AGREEMENTS_ON_REDIAL, *AGREEMENTS_OF_CASES} == set(expected["agreement"])


def test_every_refused_file_is_told_its_fault(folder: Path) -> None:
    cases = json.loads((folder / "cases" / "refused.json").read_text(encoding="utf-8"))
    assert len(cases) == 10
    for case in cases:
        report = check_submission(json.dumps(case["submission"]).encode(), "file.json", prompt_sets=SETS)
        assert report.decision == "refused"
        first = report.problems[0]
        assert (first.path, first.code) == (case["path"], case["code"])
        assert all(word.casefold() in first.message.casefold() for word in case["must_mention"])


# --- INSPIRED --------------------------------------------------------------------------------------------------------

Label = str
Said = tuple[Any, Any]
"""Response and strategy."""


def inspired_submission(file: Path, system: str) -> dict[str, Any]:
    """A file made from INSPIRED's dev set as its README describes."""
    rows = file.read_text(encoding="utf-8").splitlines()
    header = rows[0].split("\t")
    utterances = [dict(zip(header, row.split("\t"), strict=True)) for row in rows[1:]]
    dialogues = [
        {"dialogue_id": dialogue_id, "turns": list(inspired_turns(list(members), system))}
        for dialogue_id, members in groupby(utterances, key=lambda row: row["dialog_id"])
    ]
    names = {"team": "t", "system": system, "model": "m", "run": "1", "date": "2026-11-20"}
    return {"kind": "crs_responses", **names, "dialogues": dialogues}


def inspired_turns(utterances: list[dict[str, str]], system: str) -> list[dict[str, Any]]:
    turns: list[dict[str, Any]] = []
    context: list[dict[str, str]] = []
    previous: Said = ("Hello there.", "no_strategy")
    for (speaker, _), members in groupby(utterances, key=lambda row: (row["speaker"], row["turn_id"])):
        said = list(members)
        texts = [row["text"].replace("QUOTATION_MARK", '"').strip() for row in said]
        if speaker == "RECOMMENDER":
            human: Said = (texts, [row["expert_label"] for row in said])
            answer = {
                "previous": previous,
                "copy": human,
                "always_opinion_inquiry": ("What kind of movies do you like?", "opinion_inquiry"),
                "always_credibility": ("It won two awards and the cast is well known.", "credibility"),
            }[system]
            turns.append(
                {
                    "turn": len(turns) + 1,
                    "context": list(context),
                    "human_response": human[0],
                    "human_strategy": human[1],
                    "system_response": answer[0],
                    "system_strategy": answer[1],
                }
            )
            previous = human
        context += [{"role": speaker.lower(), "text": text} for text in texts]
    return turns


def test_every_figure_of_the_inspired_systems(
    golden_data: Tables, expected: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inspired = golden_data("behavior_alignment/inspired_dev.tsv")
    assert_labelled_sentences_are_read_as_counted(inspired, expected["inspired_dev_counts"])
    file = tmp_path / "answers.json"
    for system in SYSTEMS:
        file.write_text(json.dumps(inspired_submission(inspired, system)), encoding="utf-8")
        checked = check_submission(file.read_bytes(), file.name, prompt_sets=SETS)
        assert (checked.decision, checked.problems_by_code) == ("accepted", {})
        found = printed(capsys, "behavior-alignment", file, "--estimator", "none")
        assert_like(found, expected["inspired_dev"][system], system)
        assert found["rankable"] == (system != "copy")


def assert_labelled_sentences_are_read_as_counted(inspired: Path, counts: Any) -> None:
    data = read_dialogues([inspired])
    assert len(data.sentences) == counts["recommender_rows"]
    assert Counter(sentence.label for sentence in data.sentences) == counts["labels"]
    assert (len(data.dialogue_ids), len(data.turns)) == (99, 1039)
    assert not any("QUOTATION_MARK" in sentence.text for sentence in data.sentences)


# --- agreement -------------------------------------------------------------------------------------------------------


def agreement(capsys: pytest.CaptureFixture[str], file: Path, prediction: str, clusters: str) -> Any:
    """What the command prints for one prediction column, its interval over the clusters."""
    truth = "label" if file.name == "redial_pairs.csv" else "human"
    columns = [] if clusters == "none" else clusters.split(",")
    flags = [flag for column in columns for flag in ("--cluster", column)]
    found = printed(capsys, "agreement", file, "--truth", truth, "--prediction", prediction, *flags)
    assert (found["cluster_columns"], found["resamples"]) == (columns, 2000)
    return found


@pytest.mark.parametrize("key", AGREEMENTS_OF_CASES)
def test_every_figure_of_the_agreement_in_the_cases(
    key: str, folder: Path, expected: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    file, prediction, clusters = key.split("|")
    wanted = dict(expected["agreement"][key])
    if wanted["clusters"] < MIN_UNITS:  # the figures we were given had intervals from five units on
        wanted |= {"accuracy_ci": None, "kappa_ci": None}
    assert_like(agreement(capsys, folder / file, prediction, clusters), wanted, key)


def test_every_figure_of_the_agreement_on_redial_and_the_published_ones(
    golden_data: Tables, expected: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = golden_data("behavior_alignment/redial_pairs.csv")
    for key in AGREEMENTS_ON_REDIAL:
        _, prediction, clusters = key.split("|")
        found = agreement(capsys, pairs, prediction, clusters)
        assert_like(found, expected["agreement"][key], key)
        accuracy, kappa = expected["published"]["table_5"][prediction.removeprefix("pred_")]
        # Of 42,006 pairs the table has 30,000: the paper's figures, in three digits, to one in the last.
        assert found["accuracy"] == pytest.approx(accuracy, abs=0.001)
        assert found["kappa"] == pytest.approx(kappa, abs=0.001)


# --- single figures --------------------------------------------------------------------------------------------------


def test_the_correction(expected: Any) -> None:
    assert len(expected["correction"]) == 6
    for case in expected["correction"]:
        found = corrected_share(case["raw"], case["tpr"], case["fpr"])
        assert found == pytest.approx(case["corrected"], abs=VALUE) if case["corrected"] is not None else found is None


def test_bleu_of_single_pairs(expected: Any) -> None:
    assert len(expected["text_pairs"]) == 4
    for pair in expected["text_pairs"]:
        for order in (1, 2, 3, 4):
            wanted = pair[f"bleu_{order}"]
            assert bleu(pair["hypothesis"], pair["reference"], order) == pytest.approx(wanted, abs=VALUE)


def test_dist_of_all_texts_of_the_pairs(expected: Any) -> None:
    hypotheses = [pair["hypothesis"] for pair in expected["text_pairs"]]
    assert_like(variety(hypotheses), expected["text_dist"], "text_dist")


def test_the_rates_of_the_published_checkpoints(expected: Any) -> None:
    from evaluator.behavior_alignment.strategies.pair_checkpoint import PUBLISHED

    for name, wanted in (("Origin", "original"), ("MixedHard", "mixed_hard")):
        rates = expected["published"]["redial_rates"][wanted]
        assert (PUBLISHED[name].tpr, PUBLISHED[name].fpr) == pytest.approx((rates["tpr"], rates["fpr"]), abs=0.0005)
