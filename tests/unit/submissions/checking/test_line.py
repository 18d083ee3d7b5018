"""The line of checks: turns, places, and nobody who keeps the others out."""

from __future__ import annotations

import pytest

from submissions.checking.line import MOST_OF_ONE, MOST_WAITING, LineFull, WaitingLine


def line_of(*visitors: str) -> WaitingLine[str]:
    """Checks named a1, a2 of visitor a, and so on, in the order they came."""
    line: WaitingLine[str] = WaitingLine()
    counts: dict[str, int] = {}
    for visitor in visitors:
        counts[visitor] = counts.get(visitor, 0) + 1
        assert line.add(visitor, f"{visitor}{counts[visitor]}") is None
    return line


def all_taken(line: WaitingLine[str]) -> list[str]:
    """Every check in its order, each over before the next begins."""
    order = []
    while (taken := line.take()) is not None:
        order.append(taken[1])
        line.end(taken[0])
    return order


def test_visitors_take_turns_whatever_each_has_sent() -> None:
    assert all_taken(line_of("a", "a", "a", "b", "c", "b")) == ["a1", "b1", "c1", "a2", "b2", "a3"]


def test_a_visitor_has_one_check_at_a_time() -> None:
    line = line_of("a", "a", "b")
    assert [line.take(), line.take(), line.take()] == [("a", "a1"), ("b", "b1"), None]
    line.end("b")
    assert line.take() is None
    line.end("a")
    assert line.take() == ("a", "a2")


@pytest.mark.parametrize("running", [0, 1, 2])
def test_the_place_is_the_number_of_checks_that_come_before(running: int) -> None:
    line = line_of("a", "a", "a", "b", "c", "b")
    begun = [taken for taken in (line.take() for _ in range(running)) if taken]
    left = ["a1", "b1", "c1", "a2", "b2", "a3"][running:]
    # Those under way are ahead of everybody.
    assert [line.ahead(check[0], check) for check in left] == [running + place for place in range(len(left))]
    assert [line.ahead(visitor, check) for visitor, check in begun] == [0] * running


def test_whoever_leaves_moves_the_others_up() -> None:
    line = line_of("a", "b", "c")
    line.remove("b", "b1")
    line.remove("b", "b1")
    assert line.ahead("c", "c1") == 1
    assert all_taken(line) == ["a1", "c1"]


def test_a_visitor_has_only_so_many_waiting() -> None:
    line = line_of(*["a"] * MOST_OF_ONE)
    with pytest.raises(LineFull, match=f"{MOST_OF_ONE} files of yours"):
        line.add("a", "one more")
    assert line.add("b", "b1") is None


def test_in_a_full_line_the_last_check_of_whoever_has_most_gives_way() -> None:
    visitors = [f"v{number % 2}" for number in range(MOST_WAITING)]
    line: WaitingLine[str] = WaitingLine()
    for number, visitor in enumerate(visitors):
        line.add(visitor, f"{visitor} {number}")
    # Both have as many; of the first of them the last goes.
    assert line.add("honest", "mine") == f"v0 {MOST_WAITING - 2}"
    assert line.ahead("honest", "mine") == 2
    assert len(line) == MOST_WAITING


def test_where_nobody_has_more_than_the_newcomer_would_have_nobody_gives_way() -> None:
    line = line_of(*(chr(ord("a") + number) for number in range(MOST_WAITING)))
    with pytest.raises(LineFull, match="Too many files"):
        line.add("z", "mine")
