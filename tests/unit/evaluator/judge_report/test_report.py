"""The report on a log: figures derived by hand from the logs in tests/data/judge_logs, and a page that runs nothing."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path

import pytest

from evaluator.__main__ import main
from evaluator.judge_logs.judgements import Judgement, JudgementLog
from evaluator.judge_logs.registry import read_log
from evaluator.judge_report.figure import Figure
from evaluator.judge_report.report import JudgeLogReport, LogReport, log_report
from evaluator.judge_report.text import report_html, report_text, sentence_of

DATA = Path(__file__).parents[3] / "data" / "judge_logs"


def figures_of(name: str) -> dict[str, Figure]:
    log = read_log((DATA / name).read_bytes(), name).log
    assert log is not None
    return {figure.key: figure for figure in log_report(log, name).judges[0].figures}


def test_the_figures_of_an_mt_bench_log() -> None:
    # By place: 4 x AB, BA, CC, 2 x AA, BB, AN; in order of names every pair begins with m-long, as game 1 does.
    figures = figures_of("fastchat_pair.jsonl")
    assert (figures["unusable"].value, figures["unusable"].n) == (1 / 20, 20)
    assert (figures["position_consistency"].value, figures["position_consistency"].n) == (6 / 9, 9)
    assert figures["preference_fairness"].value == pytest.approx(
        (1 - 2) / 9
    )  # one flip to the second, two to the first
    # m-long is longer. Games won by it: 8 of the AB, 0 of BA, one each of AA AA BB, the first of AN: 12 of 17 decided.
    assert (figures["longer_wins"].value, figures["longer_wins"].n) == (12 / 17, 17)
    assert figures["ties"].value == 2 / 19


def test_the_figures_of_single_ratings() -> None:
    figures = figures_of("fastchat_single.jsonl")  # 10 9 10 7 none 10 8 10
    assert figures["mean_rating"].value == 64 / 7
    assert figures["ceiling"].value == 4 / 7


def test_flicker_counts_answers_whose_epochs_differ_among_usable_grades() -> None:
    flicker = figures_of("inspect.eval")["flicker"]  # CCICICCI and CCIII?CI: q4 changes, q6 has one usable grade
    assert (flicker.value, flicker.n) == (1 / 7, 7)


def test_labels_that_stand_in_the_log_give_accuracy() -> None:
    # AB AA BA BB NA against labels AB AB BA AB AB: 2 + 1 + 2 + 1 + 0 of nine usable.
    accuracy = figures_of("judge_bench.jsonl")["accuracy"]
    assert (accuracy.value, accuracy.n) == (6 / 9, 9)


def test_what_an_alpaca_eval_log_cannot_say_is_said() -> None:
    log = read_log((DATA / "alpaca_eval.json").read_bytes(), "annotations.json").log
    assert log is not None
    missing = " ".join(log_report(log, "annotations.json").judges[0].missing)
    assert "does not say which answer was shown first" in missing


def test_a_judge_that_prefers_its_own_family_is_seen() -> None:
    own = [
        Judgement(judge="gpt-4", question=f"q{n}", systems=("gpt-4", "claude-2"), verdict="A", place="$")
        for n in range(8)
    ]
    figures = {one.key: one for one in log_report(JudgementLog("csv", "t", tuple(own), {}, ()), "f").judges[0].figures}
    assert (figures["own_wins"].value, figures["family_wins"].value) == (1.0, 1.0)


def test_names_that_differ_by_blanks_or_by_where_a_slash_stands_stay_apart() -> None:
    rows = ["question,first,second,verdict,item"]
    rows += ["q,a / b,c,A,x", "q,a,b / c,A,x", "q,a,c,A,x", "q,a,c,A,x ", "q,a,c,A,", "q,a,c,A,-"]
    log = read_log("\n".join(rows).encode(), "log.csv").log
    assert log is not None
    assert "no pair has usable verdicts in both orders" in " ".join(log_report(log, "log.csv").judges[0].missing)


def figure(key: str, value: float | None, low: float | None, high: float | None, title: str = "T") -> Figure:
    return Figure(key, title, value, low, high, 40, "verdicts", "meaning")


LABELS = figure("label_accuracy", 0.816, 0.704, 0.898)
CONSISTENT = figure("position_consistency", 0.5, 0.25, 0.75)


@pytest.mark.parametrize(
    ("figures", "sentence"),
    [
        (
            [LABELS, CONSISTENT, figure("preference_fairness", -0.4, -0.6, -0.2)],
            "j agrees with people on 82% [70, 90] of 40 verdicts, and gives the same verdict in both orders for 50% "
            "[25, 75] of 40 pairs; where it changes, it prefers the first answer.",
        ),
        (
            [CONSISTENT, figure("preference_fairness", 0.4, 0.2, 0.6)],
            "j gives the same verdict in both orders for 50% [25, 75] of 40 pairs; where it changes, it prefers the "
            "second answer.",
        ),
        (
            [figure("position_consistency", 1.0, None, None), figure("preference_fairness", 0.0, None, None)],
            "j gives the same verdict in both orders for 100% of 40 pairs.",  # without an interval nothing is claimed
        ),
        (
            [CONSISTENT, figure("preference_fairness", 0.2, 0.0, 0.4)],  # the interval holds 0
            "j gives the same verdict in both orders for 50% [25, 75] of 40 pairs; it has no clear preference for a "
            "place.",
        ),
        # Labels that stand in a log need not be people's: those of JudgeBench are ground truth.
        ([figure("accuracy", 0.5, 0.25, 0.75)], "j agrees with the log's labels on 50% [25, 75] of 40 verdicts."),
        ([figure("mean_rating", 7.5, 7.0, 8.0, "Mean rating")], "j: mean rating 7.500 [7.000, 8.000] of 40 verdicts."),
        ([], "This log gives no figure of j."),
    ],
)
def test_a_judge_begins_with_what_its_figures_say(figures: list[Figure], sentence: str) -> None:
    judge = JudgeLogReport("j", 40, 0, tuple(figures), ())
    assert sentence_of(judge) == sentence
    report = LogReport("f", "csv", "t", 1, (), (judge,), (), {})
    assert escape(sentence) in report_html(report)
    assert f"  {sentence}" in report_text(report).splitlines()


def test_names_of_a_hostile_log_run_nothing_on_the_page() -> None:
    hostile = "<script>alert(1)</script>\u202e"
    one = Judgement(judge=hostile, question="q", systems=(hostile, "b"), verdict="A", place="$")
    report = log_report(JudgementLog("csv", "t", (one,), {hostile: 1}, ()), hostile)
    page = report_html(report)
    assert "<script" not in page
    assert "\u202e" not in page + report_text(report)


def test_the_command_prints_figures_and_writes_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "report.html"
    code = main(["judge-report", str(DATA / "fastchat_pair.jsonl"), "--json", "--html", str(out)])
    printed = json.loads(capsys.readouterr().out)
    values = {figure["key"]: figure["value"] for figure in printed["judges"][0]["figures"]}
    assert (code, values["position_consistency"]) == (0, 6 / 9)
    assert "0.667" in out.read_text("utf-8")


def test_the_command_reads_a_csv_by_its_columns(capsys: pytest.CaptureFixture[str]) -> None:
    columns = [f"--column={one}" for one in ("question=prompt_id", "first=left", "second=right", "verdict=winner")]
    assert main(["judge-report", str(DATA / "table.csv"), *columns]) == 0
    assert "comment (4)" in capsys.readouterr().out


def test_the_command_tells_every_fault_of_a_bad_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text('{"question_id": 1, "judge": "j", "model": "m", "score": "x"}\n{"question_id": 2, "score": 1}\n')
    assert main(["judge-report", str(log)]) == 1
    told = capsys.readouterr().err
    assert "log.jsonl:1" in told
    assert "log.jsonl:2" in told
