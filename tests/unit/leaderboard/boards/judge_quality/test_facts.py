"""What the Overview says of scores that do not read meaning."""

from __future__ import annotations

from evaluator.judge_quality.people_values import PeopleFigures, SameAnswer
from evaluator.results import MetricValue
from leaderboard.boards.judge_quality.board import baseline_facts
from leaderboard.boards.judge_quality.rows import NULL, MeasuredJudge


def baseline(name: str, accuracy: MetricValue, *, is_null: bool = True) -> MeasuredJudge:
    people = PeopleFigures(same_answer=SameAnswer(auc=MetricValue(value=0.5, n=1200), accuracy=accuracy))
    return MeasuredJudge(id=f"null/{name}", name=name, state=NULL, is_null=is_null, with_people=people)


def test_the_baseline_that_is_right_least_often_is_told_with_its_interval_and_where_it_stands() -> None:
    few = baseline("word overlap", MetricValue(value=0.42, low=0.38, high=0.46, n=1200))
    most = baseline("words beyond the question", MetricValue(value=0.74, low=0.71, high=0.77, n=1200))
    judge = baseline("pair", MetricValue(value=0.1, low=0.05, high=0.2, n=1200), is_null=False)
    [fact] = baseline_facts([most, few, judge])
    assert fact.claim.startswith("Judging by word overlap alone agrees with people's labels on 42% of pairs")
    assert (fact.interval, fact.source) == ("95% interval 38% to 46%", "1,200 pairs of answers")
    assert fact.link == "judge_quality?judge=null%2Fword+overlap"


def test_nothing_is_told_without_an_interval_or_without_labels_of_people() -> None:
    bare = MeasuredJudge(id="null/one", name="one", state=NULL, is_null=True)
    assert baseline_facts([bare, baseline("two", MetricValue(value=0.4, n=10))]) == []
