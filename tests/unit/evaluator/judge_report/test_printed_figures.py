"""What FastChat, JudgeArena and RewardBench print of their own files, the report says of them, to the last digit.

The files and the texts beside them were written by the programs themselves (tests/data/judge_logs/README.md).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from evaluator.__main__ import main

DATA = Path(__file__).parents[3] / "data" / "judge_logs"
FASTCHAT, JUDGE_ARENA = DATA / "printed_by_fastchat", DATA / "printed_by_judge_arena"
REWARD_BENCH = DATA / "printed_by_reward_bench"

Figures = dict[str, dict[str, Any]]
Report = Callable[..., Figures]


@pytest.fixture
def report(capsys: pytest.CaptureFixture[str]) -> Report:
    """Figures of the one judge of a log, as the command prints them."""

    def figures(*arguments: str | Path) -> Figures:
        assert main(["judge-report", "--json", *map(str, arguments)]) == 0
        [judge] = json.loads(capsys.readouterr().out)["judges"]
        return {figure["key"]: figure for figure in judge["figures"]}

    return figures


def only(path: Path, folder: Path, is_wanted: Callable[[dict[str, Any]], bool]) -> Path:
    """Some of a file's records, in a file of their own."""
    text = path.read_text("utf-8")
    records = json.loads(text) if path.suffix == ".json" else map(json.loads, text.splitlines())
    kept = folder / f"{path.stem}.jsonl"
    kept.write_text("\n".join(json.dumps(record) for record in records if is_wanted(record)), encoding="utf-8")
    return kept


def printed_win_rates(name: str) -> Iterable[tuple[str, list[int], str]]:
    """System; won, lost and tied; win_rate_adjusted."""
    rows = re.findall(r"^(m-\w+) +(\d+) +(\d+) +(\d+) .* ([\d.]+)$", (FASTCHAT / name).read_text("utf-8"), re.MULTILINE)
    return [(system, [int(one) for one in counts], share) for system, *counts, share in rows]


def assert_as_fastchat_prints(figures: Figures, name: str, systems: int) -> None:
    printed = list(printed_win_rates(name))
    assert len(printed) == systems
    for system, counts, share in printed:
        figure = figures[f"settled_win_rate {system}"]
        assert f"{figure['value']:.6f}" == share
        assert [int(one) for one in re.findall(r"(\d+) (?:won|lost|tied)", figure["meaning"])] == counts


def test_win_rates_are_those_that_fastchats_show_result_prints(report: Report, tmp_path: Path) -> None:
    log = FASTCHAT / "gpt-4_pair.jsonl"
    assert_as_fastchat_prints(report(log), "pairwise_all.txt", systems=3)
    against_baseline = only(log, tmp_path, lambda pair: "m-small" in (pair["model_1"], pair["model_2"]))
    assert_as_fastchat_prints(report(against_baseline), "pairwise_baseline.txt", systems=2)


def test_mean_ratings_are_those_that_fastchats_show_result_prints(report: Report, tmp_path: Path) -> None:
    log = FASTCHAT / "gpt-4_single.jsonl"
    first, second, average = (FASTCHAT / "single.txt").read_text("utf-8").split("##########\n")[1:]
    for table, figures in (
        (first, report(only(log, tmp_path, lambda rating: rating["turn"] == 1))),
        (second, report(only(log, tmp_path, lambda rating: rating["turn"] == 2))),
        (average, report(log)),
    ):
        printed = re.findall(r"^(m-\w+) .* ([\d.]+)$", table, re.MULTILINE)
        assert len(printed) == 3
        for system, mean in printed:
            value = figures[f"mean_rating {system}"]["value"]
            assert f"{value:.{len(mean.partition('.')[2])}f}" == mean


@pytest.mark.parametrize("turn", [1, 2])
def test_agreement_is_what_fastchats_compute_agreement_prints(report: Report, tmp_path: Path, turn: int) -> None:
    judge, people = (
        only(FASTCHAT / name, tmp_path, lambda vote: vote["turn"] == turn)
        for name in ("gpt4_judgments.json", "human_judgments.json")
    )
    with_people = report(judge, "--labels", people)
    among_people = report(people, "--labels", people)  # so that every pair on which people voted is in the log
    for name, key, figures in (
        ("agreement.txt", "vote_agreement", with_people),
        ("agreement_of_people.txt", "people_agreement", among_people),
    ):
        text = (FASTCHAT / name).read_text("utf-8")
        for ties, suffix in (("with", ""), ("without", "_decided")):
            match = re.search(rf"turn {turn} {ties} tie. #total: (\d+), #agree: (\d+), ratio: ([\d.]+)", text)
            assert match
            figure = figures[key + suffix]
            assert figure["n"] == int(match[1])
            assert round(figure["value"] * figure["n"]) == int(match[2])
            assert f"{figure['value']:.2f}" == match[3]


@pytest.mark.parametrize("name", ["both", "fixed"])
def test_the_win_rate_is_what_judge_arena_prints(report: Report, name: str) -> None:
    figures = report(JUDGE_ARENA / f"{name}.csv")
    text = (JUDGE_ARENA / f"{name}.txt").read_text("utf-8")
    battles, *printed = re.findall(r"(?:Battles|Rate \(A\)|Wins|Losses|Ties): +([\d.%]+)", text)
    figure = figures["win_rate m-new"]
    assert f"{figure['value']:.1%}" == printed[0]
    assert re.findall(r"(\d+) (?:won|lost|tied)", figure["meaning"]) == printed[1:]
    # A battle without two scores counts in no share.
    unusable = figures["unusable"]
    assert figure["n"] == round(int(battles) * (1 - unusable["value"]))


def test_the_share_of_right_answers_is_what_reward_bench_writes(report: Report) -> None:
    judged = json.loads((REWARD_BENCH / "gpt-4.json").read_bytes())
    by_subset = [share for share in judged.values() if isinstance(share, float)]
    # Three subsets of four pairs; RewardBench counts a reply that names neither half, the report in no win rate.
    assert len(by_subset) == 3
    figures = report(DATA / "reward_bench.json")
    unusable = figures["unusable"]["value"]
    counted_half = figures["win_rate chosen"]["value"] * (1 - unusable) + unusable / 2
    assert counted_half == pytest.approx(sum(by_subset) / 3)
    rewarded = json.loads((REWARD_BENCH / "tiny-rm.json").read_bytes())
    figure = report(REWARD_BENCH / "tiny-rm_outputs.jsonl")["accuracy"]
    assert (figure["value"], figure["n"]) == (rewarded["accuracy"], rewarded["num_prompts"])
