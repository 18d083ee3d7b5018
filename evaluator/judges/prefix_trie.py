"""Token sequences as a trie of shared prefixes, cut into packs that one forward pass computes.

Pairwise judging asks about every ordered pair of a group: the prompts begin with the same rubric and question, and all
pairs (A, x) go on with the same answer A. A trie holds each shared stretch once. A pack is a part of the trie laid out
flat, parents before children; a token sees itself, the earlier tokens of its own stretch and its ancestors' tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

TokenIds = tuple[int, ...]


@dataclass(slots=True)
class Node:
    """A stretch of tokens that a set of sequences share."""

    tokens: TokenIds
    children: list[Node] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    """Indices of the sequences that end with this stretch."""
    size: int = 0
    """Tokens of this node and everything below it."""


@dataclass(frozen=True, slots=True)
class Pack:
    """A part of the trie, laid out flat for one forward pass behind a prefix whose keys and values are known."""

    tokens: TokenIds
    positions: tuple[int, ...]
    """Position of each token in its own sequence, the prefix counted."""
    subtree_ends: tuple[int, ...]
    """Token j is seen by token i iff j <= i < subtree_ends[j]."""
    answers: tuple[tuple[int, int], ...]
    """(sequence index, place in this pack) where a sequence's last token stands."""


@dataclass(frozen=True, slots=True)
class TrieStep:
    """One prefix and the packs behind it; prefixes nest, so a step may lead to further ones."""

    prefix: TokenIds
    """To be computed behind the prefix of the step above; empty at the top."""
    packs: tuple[Pack, ...]
    inner: tuple[TrieStep, ...]


def prefix_trie(sequences: Sequence[TokenIds]) -> Node:
    """The trie of some token sequences; its root is the stretch all of them share (maybe empty).

    >>> root = prefix_trie([(1, 2, 3), (1, 2, 4, 5), (1, 2, 3)])
    >>> root.tokens, [child.tokens for child in root.children], root.children[0].ends, root.size
    ((1, 2), [(3,), (4, 5)], [0, 2], 5)
    """
    order = sorted(range(len(sequences)), key=lambda index: sequences[index])
    return _node(sequences, order, start=0)


def _node(sequences: Sequence[TokenIds], order: Sequence[int], start: int) -> Node:
    """The trie of sorted sequences from token `start` on, where all of them agree before it."""
    end = _agreement(sequences[order[0]], sequences[order[-1]], start)
    node = Node(sequences[order[0]][start:end])
    node.ends = [index for index in order if len(sequences[index]) == end]
    rest = order[len(node.ends) :]  # a sequence sorts before those it is a prefix of
    first = 0
    for place in range(1, len(rest) + 1):
        if place == len(rest) or sequences[rest[place]][end] != sequences[rest[first]][end]:
            node.children.append(_node(sequences, rest[first:place], end))
            first = place
    node.size = len(node.tokens) + sum(child.size for child in node.children)
    return node


def _agreement(first: TokenIds, last: TokenIds, start: int) -> int:
    """Length of the common prefix of the lexicographically first and last of some sequences: that of them all."""
    end = start
    while end < len(first) and end < len(last) and first[end] == last[end]:
        end += 1
    return end


def plan(root: Node, budget: int) -> TrieStep:
    """Cuts a trie into packs of at most `budget` tokens.

    Whole subtrees are packed together; one that is larger gets its own stretch computed as a prefix, and its children
    are packed behind it. A single stretch longer than the budget becomes a prefix as well, so a pack is larger than
    the budget only where one sequence's last token alone is left.
    """
    return _step(root.tokens[:-1] if root.ends else root.tokens, _beheaded(root), 0, budget)


def plan_behind(root: Node, depth: int, budget: int) -> TrieStep:
    """The same behind `depth` tokens whose keys and values are known: one pack where the trie fits into it.

    >>> plan_behind(prefix_trie([(7, 8), (7, 9)]), 100, budget=512).packs[0].positions
    (100, 101, 101)
    """
    return _step((), [root], depth, budget)


def _beheaded(node: Node) -> list[Node]:
    """What remains of a node once its stretch is a prefix: its children, and its last token where sequences end."""
    if not node.ends:
        return node.children
    last = Node(node.tokens[-1:], node.children, node.ends, 1 + sum(child.size for child in node.children))
    return [last]


def _step(prefix: TokenIds, nodes: Sequence[Node], depth: int, budget: int) -> TrieStep:
    depth += len(prefix)
    packs: list[Pack] = []
    inner: list[TrieStep] = []
    waiting: list[Node] = []
    size = 0
    for node in nodes:
        if node.size > budget and (node.children or len(node.tokens) > 1):
            cut = node.tokens[:-1] if node.ends else node.tokens
            if cut:
                inner.append(_step(cut, _beheaded(node), depth, budget))
                continue
        if waiting and size + node.size > budget:
            packs.append(_pack(waiting, depth))
            waiting, size = [], 0
        waiting.append(node)
        size += node.size
    if waiting:
        packs.append(_pack(waiting, depth))
    return TrieStep(prefix, tuple(packs), tuple(inner))


def _pack(nodes: Sequence[Node], depth: int) -> Pack:
    tokens: list[int] = []
    positions: list[int] = []
    ends: list[int] = []
    answers: list[tuple[int, int]] = []
    for node, at in _preorder(nodes, depth):
        tokens += node.tokens
        positions += range(at, at + len(node.tokens))
        ends += [len(ends) + node.size] * len(node.tokens)
        answers += [(index, len(tokens) - 1) for index in node.ends]
    return Pack(tuple(tokens), tuple(positions), tuple(ends), tuple(answers))


def _preorder(nodes: Sequence[Node], depth: int) -> Iterator[tuple[Node, int]]:
    """Parents before children, each with the position of its first token."""
    for node in nodes:
        yield node, depth
        yield from _preorder(node.children, depth + len(node.tokens))


def whole_passes(root: Node, budget: int) -> list[Pack]:
    """Cuts a trie into passes that need no prefix from elsewhere: what a cut-off part shares is computed again in it.

    For hardware that wants few, large passes of one size. Subtrees are kept whole where they fit, and parts of
    different groups fill a pass together. A pass exceeds the budget only where one sequence alone does.
    """
    parts = sorted(_whole_parts(root, (), budget), key=lambda part: len(part.tokens), reverse=True)
    passes: list[list[Pack]] = []
    room: list[int] = []
    for part in parts:
        place = next((index for index, left in enumerate(room) if left >= len(part.tokens)), len(passes))
        if place == len(passes):
            passes.append([])
            room.append(budget)
        passes[place].append(part)
        room[place] -= len(part.tokens)
    return [_side_by_side(pass_) for pass_ in passes]


def _whole_parts(node: Node, path: TokenIds, budget: int) -> Iterator[Pack]:
    """Parts of a subtree, each with the path that leads to it; siblings that fit together stay together."""
    if len(path) + node.size <= budget or not node.children:
        yield _pack([Node(path, [node], [], len(path) + node.size)], 0)
        return
    path = path + node.tokens
    if node.ends:
        yield _pack([Node(path, [], node.ends, len(path))], 0)
    waiting: list[Node] = []
    for child in node.children:
        if len(path) + child.size > budget:
            yield from _whole_parts(child, path, budget)
            continue
        if waiting and len(path) + sum(turn.size for turn in waiting) + child.size > budget:
            yield _whole_part(waiting, path)
            waiting = []
        waiting.append(child)
    if waiting:
        yield _whole_part(waiting, path)


def _whole_part(nodes: list[Node], path: TokenIds) -> Pack:
    return _pack([Node(path, nodes, [], len(path) + sum(node.size for node in nodes))], 0)


def _side_by_side(packs: Sequence[Pack]) -> Pack:
    """Packs that do not see each other, as one."""
    tokens: list[int] = []
    positions: list[int] = []
    ends: list[int] = []
    answers: list[tuple[int, int]] = []
    for pack in packs:
        start = len(tokens)
        tokens += pack.tokens
        positions += pack.positions
        ends += [start + end for end in pack.subtree_ends]
        answers += [(index, start + place) for index, place in pack.answers]
    return Pack(tuple(tokens), tuple(positions), tuple(ends), tuple(answers))
