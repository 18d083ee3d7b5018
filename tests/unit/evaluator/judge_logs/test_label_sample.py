"""Answers drawn to be labelled: every one as likely, by no verdict and no place in the file, and few texts kept."""

from __future__ import annotations

import json
import tracemalloc
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from evaluator.judge_logs import label_sample
from evaluator.judge_logs.judgements import Collector, Judgement
from evaluator.judge_logs.label_sample import LabelKey, LabelSample, Texts, texts_of, unit_of
from evaluator.judge_logs.registry import read_log
from submissions.findings import Findings

DATA = Path(__file__).parents[3] / "data" / "judge_logs"
TEXTS = Texts("p", ("a", "b"))
CHI_SQUARE_9 = 27.88
"""One value in 1,000 of chi-square with 9 degrees of freedom is above it, and with 1 above 10.83."""
CHI_SQUARE_1 = 10.83


def _pair(question: object, item: str = "") -> LabelKey:
    return LabelKey(str(question), item, ("x", "y"))


def _drawn(sample: LabelSample, pairs: list[LabelKey]) -> list[LabelKey]:
    for pair in pairs:
        sample.offer(pair, TEXTS)
    return [drawn.key for drawn in sample.drawn]


def test_every_set_of_pairs_is_drawn_as_often_as_any_other() -> None:
    pairs = [_pair(number) for number in range(5)]
    drawn = Counter(frozenset(_drawn(LabelSample(2, seed), pairs)) for seed in range(2_000))
    # 5 over 2 = 10 sets, 2,000 / 10 of each.
    sets = [frozenset(two) for two in combinations(pairs, 2)]
    assert sum((drawn[one] - 200) ** 2 / 200 for one in sets) < CHI_SQUARE_9


def test_neither_verdicts_nor_repetitions_nor_the_order_of_the_file_change_what_is_drawn() -> None:
    def drawn(*judgements: Judgement) -> list[LabelKey]:
        collector = Collector(Findings(), LabelSample(10))
        for judgement in judgements:
            collector.add(judgement, TEXTS if judgement.systems == ("x", "y") else Texts("p", ("b", "a")))
        assert collector.sample is not None
        return [one.key for one in collector.sample.drawn]

    log = [
        Judgement(judge="j", question=str(number), systems=("x", "y"), verdict="A" if number % 2 else "B", place="$")
        for number in range(100)
    ]
    others = [
        Judgement(judge="k", question=one.question, systems=("y", "x"), verdict="C", repetition=n, place="$")
        for one in reversed(log)
        for n in (1, 2, 3)
        if int(one.question) < 50
    ]
    assert drawn(*log) == drawn(*others, *log) == drawn(*log, *others)
    assert len(drawn(*log)) == 10


def test_a_question_of_many_turns_is_drawn_no_more_often_than_one_of_a_single_turn() -> None:
    many, single = [_pair("many", f"turn {n}") for n in range(9)], [_pair("single")]
    drawn = [_drawn(LabelSample(1, seed), [*many, *single])[0] for seed in range(1_000)]
    # Two units, 500 of each; of the nine turns each as often as any other, about 500 / 9.
    singles = sum(one.question == "single" for one in drawn)
    assert (singles - 500) ** 2 / 500 * 2 < CHI_SQUARE_1
    turns = Counter(one.item for one in drawn if one.question == "many")
    expected = turns.total() / 9
    assert sum((turns[pair.item] - expected) ** 2 / expected for pair in many) < CHI_SQUARE_9


def test_which_answer_stands_left_says_nothing_of_the_verdict() -> None:
    # The judge says x of every third question; x stands left of half of either kind.
    cells = Counter((number % 3 == 0, _pair(number).left_first()) for number in range(3_000))
    for says_x, n in ((True, 1_000), (False, 2_000)):
        assert (cells[says_x, True] - n / 2) ** 2 / (n / 4) < CHI_SQUARE_1


def test_an_id_names_its_unit_and_nothing_else() -> None:
    one, other = _pair("1", "turn 1"), _pair("1", "turn 2")
    assert one.id() != other.id()
    assert unit_of(one.id()) == unit_of(other.id()) == one.unit()
    assert [unit_of(text) for text in ("", "p", "x" * 33, "p" + "z" * 32)] == [None] * 4
    # Put together, these names would be one text.
    assert LabelKey("a", "bc", ("x", "y")).id() != LabelKey("ab", "c", ("x", "y")).id()


def test_pairs_that_have_a_label_are_not_drawn_again() -> None:
    pairs = [_pair(number) for number in range(20)]
    first = _drawn(LabelSample(5), pairs)
    second = _drawn(LabelSample(5, labelled=frozenset(pair.unit() for pair in first)), pairs)
    assert first + second == _drawn(LabelSample(10), pairs)


def test_what_cannot_be_labelled_is_counted_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_sample, "TEXT_CHARACTERS", 3)
    sample = LabelSample()
    sample.offer(_pair("long"), Texts("p", ("1234", "b")))
    sample.offer(LabelKey("same", "", ("x", "x")), TEXTS)
    sample.offer(_pair("differs"), TEXTS)
    sample.offer(_pair("differs"), Texts("p", ("a", "c")))
    sample.offer(_pair("good"), TEXTS)
    sample.offer(_pair("good"), TEXTS)
    assert [one.key.question for one in sample.drawn] == ["good"]
    assert (sample.offered, sample.too_long, sample.differing) == (2, 1, 1)


def test_texts_that_are_not_there_are_none() -> None:
    assert texts_of("p", "a", None) is None
    assert texts_of("p", " ", "") is None
    assert texts_of(None, "a", "") == Texts("", ("a", ""))
    assert texts_of("p", None) is texts_of("p", " ") is None
    assert texts_of("p", "a", criterion=["c"]) == Texts("p", ("a",))


def test_only_the_texts_of_drawn_pairs_are_kept() -> None:
    sample = LabelSample(10)
    tracemalloc.start()
    try:
        for number in range(20_000):
            sample.offer(_pair(number), Texts("", (f"{number:1000}", f"{number:1000}")))
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # 40 MB were offered. Kept are 20 kB of texts and the number of every unit: 36 bytes, and 16 in each of up to 6.6
    # times as many places of a set.
    assert kept < 20_000 * 142 + 200_000


@pytest.mark.parametrize(
    ("name", "prompt", "answers"),
    [
        ("alpaca_eval.json", "Name three fruits.", {"A considerably longer answer to the question, number 0"}),
        ("fastchat_pair.jsonl", "Question 0", {"A much longer answer.", "Short."}),
        ("judge_arena.parquet", "Do 2", {"short", "long text"}),
        ("judge_bench.jsonl", "Which?", {"one", "three"}),
        ("promptfoo.json", "What is H2O?", {"Short: What is H2O?"}),
        ("reward_bench.json", "Name a bird.", {"Right answer 4 with a reason", "Wrong answer 4"}),
        (
            "printed_by_reward_bench/tiny-rm_outputs.jsonl",
            "<|user|>\nName a bird.\n",
            {"Right answer 4 with a reason", "Wrong answer 4"},
        ),
        ("mt_bench_human.jsonl", "Name a river.", {"The Danube.", "Po."}),
        ("comparia_votes.jsonl", "Bonjour", {"Bonjour à vous.", "Salut."}),
    ],
)
def test_every_format_that_has_texts_gives_them_by_the_names_of_the_systems(
    name: str, prompt: str, answers: set[str]
) -> None:
    sample = LabelSample()
    reading = read_log((DATA / name).read_bytes(), name, sample=sample)
    assert reading.log is not None
    shown = next(one for one in sample.drawn if one.texts.prompt == prompt and answers <= set(one.texts.answers))
    # Whichever order the log has, the first text is that of the first system by name: the longer by model-long.
    by_system = dict(zip(shown.key.systems, shown.texts.answers, strict=True))
    for system, text in by_system.items():
        other = next(answer for one, answer in by_system.items() if one != system)
        assert "long" not in system or len(text) > len(other)


def test_a_csv_has_texts_in_columns_of_their_own_and_lengths_of_them() -> None:
    rows = "question,first,second,verdict,prompt,first_text,second_text\n1,y,x,A,Why?,of y,of x!\n2,y,x,B,Why?,,\n"
    sample = LabelSample()
    log = read_log(rows.encode(), "log.csv", sample=sample).log
    assert log is not None
    assert [one.lengths for one in log.judgements] == [(4, 5), (None, None)]
    assert [(one.key.question, one.texts) for one in sample.drawn] == [("1", Texts("Why?", ("of x!", "of y")))]
    assert log.unknown_columns == {}


def _second_turn(answer: str) -> str:
    shown = "".join(
        f"<|The Start of Assistant {letter}'s Conversation with User|>\n\n### User:\nQ1\n\n### Assistant {letter}:\n"
        f"{letter}1\n\n### User:\nQ2\n\n### Assistant {letter}:\n{text}\n\n"
        f"<|The End of Assistant {letter}'s Conversation with User|>\n\n\n"
        for letter, text in (("A", answer), ("B", "B2"))
    )
    return (
        '{"question_id": 81, "model_1": "x", "model_2": "y", "g1_winner": "tie", "judge": ["j", "p"], "turn": 2, '
        f'"g1_user_prompt": {json.dumps(shown)}}}\n'
    )


def test_a_second_turn_of_mt_bench_is_shown_with_the_first() -> None:
    sample = LabelSample()
    read_log(_second_turn("A2").encode(), "log.jsonl", sample=sample)
    mark = "\n\n[Second turn]\n"
    assert sample.drawn[0].texts == Texts(f"Q1{mark}Q2", (f"A1{mark}A2", f"B1{mark}B2"))
    # An answer that holds a heading of the template cannot be told from it.
    sample = LabelSample()
    read_log(_second_turn("A2\n\n### User:\nme").encode(), "log.jsonl", sample=sample)
    assert sample.drawn == []


def test_two_turns_of_mt_bench_rated_as_one_answer_are_shown_as_such() -> None:
    log = (DATA / "printed_by_fastchat" / "gpt-4_single.jsonl").read_bytes()
    sample = LabelSample(1_000)
    assert read_log(log, "log.jsonl", sample=sample).log is not None
    # Eight questions by three models; of the two turns of each one is drawn.
    assert len(sample.drawn) == 24
    assert all(len(drawn.texts.answers) == 1 for drawn in sample.drawn)
    first = next(drawn for drawn in sample.drawn if drawn.key.item == "turn 1" and drawn.key.question == "81")
    assert first.texts.prompt == "q81: name a river."
    second = next(drawn for drawn in sample.drawn if drawn.key.item == "turn 2")
    assert "[Second turn]" in second.texts.prompt
    assert "[Second turn]" in second.texts.answers[0]


def test_rows_that_compare_and_rows_that_rate_stand_in_one_csv() -> None:
    rows = "question,first,second,verdict,system,rating\n1,x,y,A,,\n1,,,,x,4\n2,x,,A,,\n"
    reading = read_log(rows.encode(), "log.csv")
    assert reading.log is None  # the last row compares x with nothing
    assert [problem.path for problem in reading.findings.problems] == ["log.csv:4"]
    log = read_log(rows.rsplit("2,", 1)[0].encode(), "log.csv").log
    assert log is not None
    assert [(one.systems, one.verdict, one.rating) for one in log.judgements] == [
        (("x", "y"), "A", None),
        (("x",), None, 4),
    ]
