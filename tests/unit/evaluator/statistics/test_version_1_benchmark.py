"""The benchmark of version 1: both versions are asked about the same draws, and each line has its Monte Carlo error."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from benchmarks.version_1 import ROWS, VERSION_1, Cell, both_answers, figure_text, holds, main, old_code, shown_lines
from benchmarks.version_1_answers import power
from submissions.schema import Names
from submissions.store.store import Store
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result

ROOT = Path(__file__).parents[4]


def generator() -> np.random.Generator:
    return np.random.default_rng(5)


def first_cell(row: int, kind: int = 0) -> Cell:
    make, cells = ROWS[row][kind]
    return make(*next(iter(cells)))


@pytest.mark.parametrize("row", [row for row in ROWS if row != 1])  # row 1 loads a judge
def test_the_present_code_answers_the_draws_of_every_row(row: int) -> None:
    for kind in range(len(ROWS[row])):
        cell = first_cell(row, kind)
        arguments, more = cell.draw(generator())
        answer = cell.answer(*arguments, *more)
        for figure in cell.figures.values():
            assert isinstance(figure(answer), bool | float | None)
        assert any(figure(answer) is not None for figure in cell.figures.values())
        # Version 1 cannot read classes that it lacks.
        assert b"benchmarks" not in pickle.dumps((*arguments,))
        assert b"evaluator" not in pickle.dumps(((*arguments,), answer))


def test_another_process_answers_the_same_draws() -> None:
    cell, drawn = first_cell(2), generator()
    draws = [cell.draw(drawn) for _ in range(3)]
    with old_code(ROOT) as old:  # the present code in the place of version 1
        before, now = both_answers(old, cell, draws)
    assert before == now
    assert len({low for low, _ in now}) == 3  # each draw is another one


def test_an_altered_canary_without_noise_hears_the_same_pairs_every_week() -> None:
    (weeks, altered, at_once), (by_day,) = first_cell(10).draw(generator())  # the first kind is a judge without noise
    assert not weeks.any()
    assert not at_once.any()
    assert not by_day.any()
    assert (altered == altered[0]).all()
    assert 0 < altered[0].sum() < 20  # 2% of 200 pairs


def test_only_the_present_code_is_told_attempts_and_topics() -> None:
    assert first_cell(8).draw(generator())[1] == ((10, 1),)
    log, clusters = first_cell(6).draw(generator())
    assert list(map(len, clusters)) == [len(log[0]), len(log[2])]


def test_an_interval_holds_its_ends_but_for_rounding() -> None:
    assert holds(0.5)((0.5 + 1e-12, 0.9))
    assert not holds(0.5)((0.51, 0.9))
    assert holds(0.5)(None) is None


def test_shares_and_means_have_their_monte_carlo_error() -> None:
    # (50 + 1) / (100 + 2) = 0.5; sqrt(0.25 / 100) = 0.05
    assert figure_text([True, False] * 50) == "50.0 ± 5.0%"
    assert figure_text([0.5, 1.5]) == "1.000 ± 0.354"  # standard deviation 0.5 / sqrt(2)
    assert figure_text([0.48]) == "0.48"
    assert figure_text([]) == "n/a"


def test_a_row_that_is_shown_has_its_score_and_both_intervals(tmp_path: Path) -> None:
    store = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}")
    store.add(
        ticket_id="keel",
        owner="local",
        role="entry",
        edition="2024",
        set_id="demonstration",
        names=Names("Team", "keel", "Model", "1"),
        file_name="keel.json",
        data=b"{}",
        received_at=0.0,
    )
    items = {f"9{number:02}": 4.0 for number in range(1, 13)}
    store.restore_result("keel", robustness_result(items).model_dump_json(), 0.0)
    store.close()
    with old_code(ROOT) as old:
        _, _, line, title, places = shown_lines(tmp_path, old)
    board, name, score, before, now, count = (part.strip() for part in line.strip("|").split("|"))
    assert (board, name, score, count) == ("Robustness", "keel 1", "4.00", "12")
    assert before == now  # the present code in the place of version 1
    assert (title.strip(), places) == ("Robustness, places of the entries, before and now:", "keel 1: 1-1 and 1-1")


def test_a_pair_of_systems_is_told_apart_where_their_places_do_not_meet() -> None:
    # Two of three lie whole points above the third on each of 30 items, and are the same themselves: 2 of 3 pairs.
    noise = 0.1 * generator().standard_normal(30)
    assert power(np.array([4.0 + noise, 4.0 + noise, 1.0 - noise])) == pytest.approx(2 / 3)


def test_a_folder_that_is_no_checkout_of_version_1_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([str(tmp_path)])
    assert capsys.readouterr().err == (
        f"{tmp_path}: found commit unknown, expected the root of a checkout of {VERSION_1}; "
        f"make one with git worktree add ../before {VERSION_1}\n"
    )
