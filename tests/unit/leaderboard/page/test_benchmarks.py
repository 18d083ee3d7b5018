from __future__ import annotations

from evaluator.public_record.position_bias import kept_judges
from leaderboard.page.benchmarks import BENCHMARKS


def test_a_full_table_has_as_many_pairs_as_the_released_tables_have_for_each_judge() -> None:
    most: dict[tuple[str, int], int] = {}
    for result in kept_judges().results:
        counts = [judge.position_bias["n_pairs"] for judge in result.judges]
        key = (result.benchmark, result.options)
        most[key] = max([most.get(key, 0), *(count for count in counts if isinstance(count, int))])
    # 30 models x 80 questions; 10 models x 112 questions
    assert most == {("mtbench", 3): 2400, ("devbench", 2): 1120}
    assert {(one.name, one.options): one.n_items for one in BENCHMARKS} == most
