"""Which pairs a canary asks."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from evaluator.canary.pairs import OWN_PAIRS, PairsUnusable, canary_requests, own_pairs, pairs_digest, pairs_of_file
from evaluator.judge_quality.labelled_pairs import labelled_pairs


def write(path: Path, count: int) -> Path:
    path.write_text("".join(json.dumps({"id": n, "a": f"a {n}", "b": "b"}) + "\n" for n in range(count)))
    return path


def test_our_own_come_from_all_test_topics_alike() -> None:
    topic_of = {one.id: one.topic for one in labelled_pairs("test")}
    counts = Counter(topic_of[str(pair.id)] for pair in own_pairs())
    assert sum(counts.values()) == OWN_PAIRS == 200
    assert set(counts) == set(topic_of.values())
    assert max(counts.values()) - min(counts.values()) <= 1  # every topic has pairs enough


def test_every_pair_is_asked_once_in_its_order() -> None:
    pairs = own_pairs()[:3]
    asked = canary_requests(pairs, "en")
    assert [(one.fields["answer_a"], one.fields["answer_b"]) for one in asked] == [(one.a, one.b) for one in pairs]


def test_the_digest_is_that_of_texts_and_order() -> None:
    pairs = own_pairs()[:3]
    assert len({pairs_digest(pairs), pairs_digest(pairs[::-1]), pairs_digest(pairs[:2])}) == 3


def test_a_file_of_pairs_is_read_in_its_order(tmp_path: Path) -> None:
    assert [one.id for one in pairs_of_file(write(tmp_path / "p.jsonl", 59))] == list(range(59))


@pytest.mark.parametrize("count", [0, 58, 1_001])
def test_too_few_or_too_many_pairs_are_refused(tmp_path: Path, count: int) -> None:
    with pytest.raises(PairsUnusable, match=f"^{count} pairs; expected 59 to 1,000"):
        pairs_of_file(write(tmp_path / "p.jsonl", count))


def test_a_pair_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "p.jsonl", 70)
    path.write_text(path.read_text() + json.dumps({"id": "again", "a": "a 3", "b": "b"}) + "\n")
    with pytest.raises(PairsUnusable, match="71 pairs, 70 of them different"):
        pairs_of_file(path)
