"""A verdict table from the desk to its stored result, with the figures of the commands."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluator.__main__ import main
from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.judge_loading.loading import Scorer
from evaluator.judges.scripted import ScriptedJudge
from evaluator.position_bias.evaluate import evaluate_judges, judge_queries
from evaluator.position_bias.judge_comparisons import quality_curve
from evaluator.results import JudgeReport, JudgesResult, JudgesResults, QualityCell, QueryCounts, judges_results
from evaluator.statistics.verdict_tables import read_verdicts
from evaluator.worker.loop import Worker
from submissions.archive.record import Archive
from submissions.check import check_submission
from submissions.desk import Desk
from submissions.promptsets import PromptSets
from submissions.schema import Names, VerdictChoices
from submissions.store.queue import JobStatus
from submissions.store.store import Store
from tests.readings import verdicts

HEADER = "judge,benchmark,task,model,query,order,repetition,verdict,raw_text\n"
CHOICES = VerdictChoices(options=2, reference_model="human", verdict_format="choice")


def table(benchmarks: tuple[str, ...] = ("demo",)) -> str:
    """Two judges, one of them asked three times, on twelve queries of two tasks; some verdicts only as text."""
    lines = []
    for benchmark in benchmarks:
        for judge, repetitions in (("gauge", 3), ("level", 1)):
            for query in range(12):
                for repetition in range(1, repetitions + 1):
                    for order in ("original", "swapped"):
                        number = query * 7 + repetition * 3 + len(judge + benchmark) + (order == "swapped")
                        letter = "ABBAC"[number % 5]
                        said = f",Choice: {letter}" if number % 3 else f"{letter},"
                        lines.append(f"{judge},{benchmark},t{query % 2},m,{query},{order},{repetition},{said}\n")
    return HEADER + "".join(lines)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}")
    yield opened
    opened.close()


def stored_result(store: Store, folder: Path, text: str) -> str:
    """What the worker stores for a table that went through the desk."""
    sets, archive = PromptSets.load(None), Archive(folder / "archive")
    desk = Desk(store, archive, sets)
    ticket = desk.submit(text.encode(), "v.csv", owner="local", names=Names("aurora"), choices=CHOICES).ticket
    Worker(
        name="w",
        store=store,
        archive=archive,
        prompt_sets=sets,
        scorer=Scorer(ScriptedJudge(), ScriptedEmbedder()),
        stop=threading.Event(),
    ).run(until_empty=True)
    assert store.require(ticket.id).status is JobStatus.SCORED
    return store.result(ticket.id) or ""


def printed(capsys: pytest.CaptureFixture[str], command: str, path: Path, *flags: str) -> Any:
    assert main([command, str(path), "--json", "--options", "2", "--verdict-format", "choice", *flags]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_stored_figures_are_those_of_the_commands_on_the_same_file(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "v.csv"
    path.write_text(table())
    (result,) = judges_results(stored_result(store, tmp_path, table()))
    assert (result.benchmark, result.options, result.reference_model) == ("demo", 2, "human")
    bias = printed(capsys, "position-bias", path, "--by", "task", "--by", "model")
    for report in result.judges:
        own = bias[report.judge]
        assert report.by_task == own.pop("by_task")
        assert report.by_model == own.pop("by_model")
        assert report.position_bias == own
    repetition = printed(capsys, "repetition", path)
    # Only one judge was asked twice.
    assert {one.judge: one.repetition for one in result.judges} == {"gauge": repetition["gauge"], "level": None}
    agreement = printed(capsys, "judge-agreement", path)
    assert {**result.agreement, "disagreement_histogram": result.disagreement_histogram} == agreement


def test_the_counts_of_queries_add_up_to_those_of_the_judge(store: Store, tmp_path: Path) -> None:
    (result,) = judges_results(stored_result(store, tmp_path, table()))
    for report in result.judges:
        counts = report.queries.values()
        figures = report.position_bias
        assert len(counts) == figures["n_queries"]
        assert sum(one.valid for one in counts) == figures["n_valid"]
        assert sum(one.primacy for one in counts) == figures["primacy"]
        assert sum(one.recency for one in counts) == figures["recency"]
        assert all(one.consistent + one.primacy + one.recency == one.valid for one in counts)


def test_queries_are_named_with_their_task(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text(
        "judge,task,model,query,verdict_original,verdict_swapped\n"
        "j,t,m,1,A,B\nj,t,n,1,A,A\nj,t,o,1,B,C\nj,u,m,1,N,A\nj,u,m,2,,A\n"
    )
    # AB consistent, AA primacy, BC recency; the queries of task u have no valid pair.
    expected = QueryCounts(consistent=1, valid=3, primacy=1, recency=1)
    assert judge_queries(read_verdicts(path)) == {"j": {"t / 1": expected}}


def test_several_benchmarks_have_a_result_each(store: Store, tmp_path: Path) -> None:
    payload = stored_result(store, tmp_path, table(("demo", "another")))
    assert JudgesResults.model_validate_json(payload).board == "judges_by_benchmark"
    another, demo = judges_results(payload)
    assert (another.benchmark, demo.benchmark) == ("another", "demo")
    report = check_submission(table().encode(), "v.csv", choices=CHOICES, prompt_sets=PromptSets.load(None))
    alone = evaluate_judges(verdicts(report))
    assert isinstance(alone, JudgesResult)
    assert demo.judges == alone.judges


def test_a_card_stands_with_its_judge_and_hard_queries_come_first() -> None:
    rows = [
        {"judge": judge, "task": "t", "model": "m", "query": query, "order": order, "verdict": verdict}
        for judge, verdicts in (("x", "ABAB"), ("y", "ABAA"), ("z", "ABBA"))
        for (query, order), verdict in zip(
            [(1, "original"), (1, "swapped"), (2, "original"), (2, "swapped")], verdicts, strict=True
        )
    ]
    document = {"kind": "judge_verdicts", "judge": "x", "benchmark": "demo", "options": 3, "verdicts": rows}
    document["judge_card"] = {"family": "plumb", "temperature": 0}
    report = check_submission(json.dumps(document).encode(), "v.json", prompt_sets=PromptSets.load(None))
    result = evaluate_judges(verdicts(report))
    assert isinstance(result, JudgesResult)
    assert [one.card.family for one in result.judges] == ["plumb", None, None]
    assert result.hardest == ("t / 2",)  # all agree on query 1


def evaluated(table: str) -> JudgesResult:
    """The result of rows written as "model task query AB", of one judge j."""
    lines = []
    for model, task, query, pair in (row.split() for row in table.split(";")):
        for order, letter in zip(("original", "swapped"), pair, strict=True):
            lines.append(f"j,demo,{task},{model},{query},{order},1,{letter},\n")
    report = check_submission(
        (HEADER + "".join(lines)).encode(),
        "v.csv",
        choices=VerdictChoices(options=3, reference_model="human", verdict_format="brackets"),
        prompt_sets=PromptSets.load(None),
    )
    result = evaluate_judges(verdicts(report))
    assert isinstance(result, JudgesResult)
    return result


def test_cells_and_their_parabola_by_hand() -> None:
    # a loses both, b wins one of two and flips, c wins: (win rate, PC) = (0, 1), (.75, .5), (1, 1); N leaves no cell.
    (report,) = evaluated("c t 1 BA;a t 1 AB;a t 2 AB;b t 1 BA;b t 2 AA;a u 1 NN").judges
    assert report.cells == (
        QualityCell(model="a", task="t", position_consistency=1.0, overall_win_rate=0.0, n_valid=2),
        QualityCell(model="b", task="t", position_consistency=0.5, overall_win_rate=0.75, n_valid=2),
        QualityCell(model="c", task="t", position_consistency=1.0, overall_win_rate=1.0, n_valid=1),
    )
    # 1 - k x (1 - x) passes the ends; .5 = 1 - k * 3/16 gives k = 8/3.
    assert report.quality_curve == pytest.approx({"n_cells": 3, "b0": 1, "b1": -8 / 3, "b2": 8 / 3, "r2": 1})


def test_two_win_rates_leave_cells_without_a_parabola() -> None:
    (report,) = evaluated("a t 1 AB;a u 1 AB;b t 1 BA").judges
    assert [(cell.model, cell.task) for cell in report.cells] == [("a", "t"), ("a", "u"), ("b", "t")]
    assert report.quality_curve is None


def test_the_stored_parabola_is_that_of_quality_curve_and_old_results_still_parse(store: Store, tmp_path: Path) -> None:
    letters = random.Random(4)
    text = HEADER + "".join(
        f"{judge},demo,t{query % 2},m{model},{query},{order},1,{letters.choice('AB')},\n"
        for judge in ("gauge", "level")
        for model in range(1, 6)
        for query in range(12)
        for order in ("original", "swapped")
    )
    path = tmp_path / "v.csv"
    path.write_text(text)
    (result,) = judges_results(stored_result(store, tmp_path, text))
    curves = quality_curve(path, options=2)
    for report in result.judges:
        curve = curves[report.judge]
        assert curve["own"] is not None
        assert report.quality_curve == {"n_cells": curve["n_cells"], **curve["own"]}
        assert len(report.cells) == curve["n_cells"]
        assert sum(cell.n_valid for cell in report.cells) == report.position_bias["n_valid"]
        old = report.model_dump(mode="json", exclude={"cells", "quality_curve"})
        read = JudgeReport.model_validate_json(json.dumps(old))
        assert (read.cells, read.quality_curve) == ((), None)
