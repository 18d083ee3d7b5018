from __future__ import annotations

from evaluator.personalized_evaluation.ratings import LEAST_PREDICTED, is_returned


def returned(n: int, wrong: int) -> list[tuple[int, int]]:
    """Gold ratings 1 to 5 in turn, of which the first few are predicted one too high or low."""
    golds = [1 + place % 5 for place in range(n)]
    return [(gold % 5 + 1 if place < wrong else gold, gold) for place, gold in enumerate(golds)]


def test_gold_that_is_sent_back_is_seen_also_with_some_changed() -> None:
    assert is_returned(returned(100, 0))
    # Of 100 answers 7 differ: kappa (0.93 - 0.2) / 0.8 = 0.91; with 8 it is 0.9.
    assert is_returned(returned(100, 7))
    assert not is_returned(returned(100, 9))


def test_a_good_prediction_is_no_gold() -> None:
    # Two of three exactly right is far above what any model reaches.
    assert not is_returned(
        [(gold if place % 3 else gold % 5 + 1, gold) for place, (gold, _) in enumerate(returned(99, 0))]
    )


def test_few_answers_or_one_value_alone_prove_nothing() -> None:
    assert not is_returned(returned(LEAST_PREDICTED - 1, 0))
    assert is_returned(returned(LEAST_PREDICTED, 0))
    assert not is_returned([(3, 3)] * 50)


def test_choices_are_read_alike() -> None:
    pairs = [("A", "A"), ("B", "B")] * 20
    assert is_returned(pairs)
    assert not is_returned([*pairs[:30], *[("A", "B")] * 10])
