"""A log that names the cluster of each question has its intervals over clusters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluator.__main__ import main
from evaluator.judge_logs.registry import read_log
from evaluator.judge_report.figure import Figure
from evaluator.judge_report.labels import labels_of
from evaluator.judge_report.of_files import LogFile, report_of_files
from evaluator.judge_report.report import LogReport, log_report
from evaluator.statistics.intervals import mean_interval


def _csv(rows: list[tuple[str, str]], clusters: dict[str, str] | None, column: str = "cluster") -> bytes:
    """Questions and verdicts on the systems x and y."""
    head = f"question,first,second,verdict{f',{column}' if clusters else ''}"
    lines = [f"{question},x,y,{verdict}{f',{clusters[question]}' if clusters else ''}" for question, verdict in rows]
    return "\n".join([head, *lines, ""]).encode()


def _report(log: bytes, labels: bytes | None = None, mapping: dict[str, str] | None = None) -> LogReport:
    read = read_log(log, "log.csv", mapping=mapping).log
    assert read is not None
    people = None if labels is None else read_log(labels, "labels.csv").log
    return log_report(read, "log.csv", labels_of(people) if people else None)


def _figures(report: LogReport) -> dict[str, Figure]:
    return {figure.key: figure for figure in report.judges[0].figures}


LABELLED = 100
QUESTIONS = [f"q{number}" for number in range(160)]
TOPICS = {question: f"topic {number // 5}" for number, question in enumerate(QUESTIONS)}
SAID = [(question, "AB"[number % 2]) for number, question in enumerate(QUESTIONS)]
"""The judge favours either system half of the time, whatever is right."""
RIGHT = [(question, "AABB"[number // 5 % 4]) for number, question in enumerate(QUESTIONS[:LABELLED])]
"""People say the same of all questions of a topic: 20 topics, of which every second pair goes to x."""


def test_labels_of_whole_topics_count_as_few() -> None:
    alone = _figures(_report(_csv(SAID, None), _csv(RIGHT, None)))["corrected x / y"]
    clustered = _figures(_report(_csv(SAID, TOPICS), _csv(RIGHT, None)))["corrected x / y"]
    assert alone.value == clustered.value == pytest.approx(0.5)
    # 100 independent labels of which half are yes: 0.5 -+ 1.96 x 0.05. As 19.2 labels and Student's t of 19 degrees,
    # with 6 more mixed in: 0.5 -+ 0.22 by the Beta distribution of the worked example of powered_mean.
    assert (alone.low, alone.high) == pytest.approx((0.40, 0.60), abs=0.005)
    assert (clustered.low, clustered.high) == pytest.approx((0.28, 0.72), abs=0.005)
    # 1 / 4 of a label by 1 / 76 of the mean is 19: with the mixed variances 19.1.
    assert "With the judge 100 labels of 20 clusters are worth 19 independent ones alone." in clustered.meaning


def test_every_corrected_score_has_an_interval_over_clusters() -> None:
    right = [
        (question, "A" if (verdict == "A") != (number % 5 == 0) else "B")
        for number, (question, verdict) in enumerate(SAID[:LABELLED])
    ]
    figures = _figures(_report(_csv(SAID, TOPICS), _csv(right, None)))
    rates = figures["rogan_gladen x / y"]
    assert rates.low is not None
    assert rates.high is not None
    assert rates.low < (rates.value or 0.0) < rates.high
    assert "Delta interval" not in rates.meaning  # it is the interval itself


def test_whole_topics_are_not_taken_for_labels_chosen_by_the_verdict() -> None:
    # The judge says the same of all questions of a topic, and A more often where it is labelled: 14 of 20, and 4 of 12.
    verdicts = ["A"] * 14 + ["B"] * 6 + ["A"] * 4 + ["B"] * 8
    said = [(question, verdicts[number // 5]) for number, question in enumerate(QUESTIONS)]
    alone = _figures(_report(_csv(said, None), _csv(said[:LABELLED], None)))["corrected x / y"]
    clustered = _figures(_report(_csv(said, TOPICS), _csv(said[:LABELLED], None)))["corrected x / y"]
    # .70 of 100 beside .33 of 60 questions is 4.8 standard errors; of 20 topics beside 12 it is 2.2.
    assert "no random sample" in alone.meaning
    assert "no random sample" not in clustered.meaning


def test_with_few_clusters_a_score_has_no_interval_and_says_why() -> None:
    halves = {question: f"half {number % 5}" for number, question in enumerate(QUESTIONS)}
    report = _report(_csv(SAID, halves), _csv(RIGHT, None))
    corrected = _figures(report)["corrected x / y"]
    assert corrected.low is None
    assert corrected.meaning.endswith("No interval below 6 clusters with and without labels.")
    assert "Intervals of corrected scores: no score has one, for the reason beside each." in report.judges[0].missing


def test_other_figures_draw_whole_clusters_too() -> None:
    # Of 12 questions in 6 clusters of two that are alike, half are ties.
    said = [(f"q{number}", "CB"[number // 2 % 2]) for number in range(12)]
    clusters = {question: f"c{number // 2}" for number, (question, _) in enumerate(said)}
    ties = _figures(_report(_csv(said, clusters)))["ties"]
    assert (ties.low, ties.high) == mean_interval({f"c{place}": [float(place % 2 == 0)] * 2 for place in range(6)})
    assert _figures(_report(_csv(said, None)))["ties"] != ties


def test_a_column_of_another_name_is_the_cluster_where_it_is_said() -> None:
    report = _report(_csv(SAID, TOPICS, "subject"), None, {"cluster": "subject"})
    assert any("160 questions stand in 32 clusters" in note for note in report.notes)
    assert "subject" not in report.unknown_columns
    assert "32 clusters" not in " ".join(_report(_csv(SAID, TOPICS, "subject")).notes)


def test_rows_of_ratings_name_clusters_too() -> None:
    rows = [{"id": f"q{n}", "answer": f"a{n}", "score": n % 5, "cluster": n // 2} for n in range(12)]
    read = read_log("\n".join(map(json.dumps, rows)).encode(), "log.jsonl").log
    assert read is not None
    assert {judgement.cluster for judgement in read.judgements} == {"0", "1", "2", "3", "4", "5"}


def test_a_question_in_two_clusters_refuses_the_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "log.csv"
    log.write_text("question,first,second,verdict,cluster\nq1,x,y,A,a\nq2,x,y,A,\nq1,y,x,B,b\n")
    assert main(["judge-report", str(log)]) == 1
    told = capsys.readouterr()
    shown = told.out + told.err
    assert '"cluster" is "b"; expected "a", as at' in shown
    assert 'question "q1"' in shown


def test_clusters_of_the_labels_alone_are_asked_for_in_the_log() -> None:
    named = dict.fromkeys(dict(RIGHT), "one")
    outcome = report_of_files(LogFile("log.csv", _csv(SAID, None)), LogFile("labels.csv", _csv(RIGHT, named))).outcome
    assert isinstance(outcome, LogReport)
    assert any("write the column cluster into the log" in note for note in outcome.notes)
