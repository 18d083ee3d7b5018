"""The trie of shared prefixes: what is shared, how it is cut, who sees whom."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evaluator.judges.prefix_trie import Pack, TrieStep, plan, prefix_trie, whole_passes

Sequences = list[tuple[int, ...]]


def seen_by(pack: Pack, place: int, prefix: tuple[int, ...]) -> tuple[int, ...]:
    """The tokens a token of a pack sees, in order: by the rule the mask is made of."""
    return prefix + tuple(
        token for before, token in enumerate(pack.tokens[: place + 1]) if place < pack.subtree_ends[before]
    )


def answers(step: TrieStep, above: tuple[int, ...] = ()) -> dict[int, tuple[tuple[int, ...], int]]:
    """Sequence index -> what its last token sees, and that token's position."""
    prefix = above + step.prefix
    found = {
        index: (seen_by(pack, place, prefix), pack.positions[place])
        for pack in step.packs
        for index, place in pack.answers
    }
    for inner in step.inner:
        found |= answers(inner, prefix)
    return found


def sizes(step: TrieStep) -> list[int]:
    return [len(pack.tokens) for pack in step.packs] + [size for inner in step.inner for size in sizes(inner)]


def test_three_answers_in_all_ordered_pairs_share_question_and_first_answer() -> None:
    question, first, second, third = (1, 2, 3, 4), (10, 11), (20, 21), (30, 31)
    texts = [first, second, third]
    sequences = [question + a + b for a in texts for b in texts if a is not b]
    root = prefix_trie(sequences)
    # question once (4), each first answer once (3 x 2), each second answer per pair (6 x 2): 22 instead of 6 x 8 = 48
    assert root.size == 22


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=12).map(tuple), min_size=1, max_size=12),
    st.integers(1, 40),
)
def test_every_last_token_sees_exactly_its_own_sequence_at_its_own_position(sequences: Sequences, budget: int) -> None:
    found = answers(plan(prefix_trie(sequences), budget))
    assert found == {index: (sequence, len(sequence) - 1) for index, sequence in enumerate(sequences)}


@given(st.lists(st.lists(st.integers(0, 3), min_size=5, max_size=5).map(tuple), min_size=1, max_size=12))
def test_sequences_of_one_length_never_exceed_the_budget(sequences: Sequences) -> None:
    assert max(sizes(plan(prefix_trie(sequences), 6))) <= 6


def test_a_large_budget_needs_one_pass() -> None:
    step = plan(prefix_trie([(1, 2, 3), (1, 2, 4), (5, 6)]), 100)
    assert (len(step.packs), step.inner, step.prefix) == (1, (), ())


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=12).map(tuple), min_size=1, max_size=12),
    st.integers(1, 40),
)
def test_whole_passes_give_every_last_token_its_own_sequence_too(sequences: Sequences, budget: int) -> None:
    passes = whole_passes(prefix_trie(sequences), budget)
    found = {index: (seen_by(one, place, ()), one.positions[place]) for one in passes for index, place in one.answers}
    assert found == {index: (sequence, len(sequence) - 1) for index, sequence in enumerate(sequences)}
    longest = max(len(sequence) for sequence in sequences)
    assert all(len(one.tokens) <= max(budget, longest) for one in passes)
