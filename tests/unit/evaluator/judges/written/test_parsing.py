"""The label of a written reply: unanimous or unusable, and never from inside thoughts."""

from __future__ import annotations

import pytest

from evaluator.judges.written.formats import FORMATS, ReplyFormat, format_named, format_shown_by
from evaluator.judges.written.parsing import has_marks, is_decided, read_reply

RATINGS = ("0", "1", "2", "3", "4", "5")
TO_TEN = tuple(str(score) for score in range(1, 11))
LETTERS = ("A", "B", "C")


@pytest.mark.parametrize(
    ("reply_format", "reply", "labels", "label"),
    [
        ("thoughts", "<think>\nBoth say nine.\n</think>\n\n<answer>4</answer>", RATINGS, "4"),
        ("thoughts", "<think></think><answer>B</answer>", LETTERS, "B"),
        ("thoughts", "<think>Is it <answer>1</answer>? No.</think><answer>5</answer>", RATINGS, "5"),
        ("thoughts", "<think>a</think><answer>10</answer>", TO_TEN, "10"),
        ("thoughts", "<think>a</think><answer>1</answer>", TO_TEN, "1"),
        ("thoughts", "<think>a</think>**<ANSWER> **4/5** </ANSWER>** as I said", RATINGS, "4"),
        ("thoughts", "<think>a</think><answer>4</answer> or so: <answer>4</answer>", RATINGS, "4"),
        ("prometheus", "Feedback: Both say nine. [RESULT] 5", RATINGS, "5"),
        ("prometheus", "Feedback: Well. [RESULT] B\n\n###Task: next", LETTERS, "B"),
        ("prometheus", "Feedback: Well. [RESULT]: **10**", TO_TEN, "10"),
        ("prometheus", "Feedback: Well. [RESULT] (1) since it is bad", TO_TEN, "1"),
        ("prometheus", "Feedback: Well. [RESULT] 4 out of 5. It is good.", RATINGS, "4"),
        ("prometheus", "Feedback: [RESULT] 4. Again: [RESULT] 4", RATINGS, "4"),
        ("prometheus", "Feedback: Well. [RESULT] A. B is worse.", LETTERS, "A"),
        ("score", "They agree.\n[[5]]", RATINGS, "5"),
        ("score", "I will write [[...]] at the end. They agree. Rating: [[10]].", TO_TEN, "10"),
        ("score", "Better: [[ A ]]", LETTERS, "A"),
        ("score", "\uff14 it is: [[\uff14]]", RATINGS, "4"),
    ],
)
def test_one_label_is_read(reply_format: str, reply: str, labels: tuple[str, ...], label: str) -> None:
    found = read_reply(format_named(reply_format), reply, labels)
    assert (found.label, found.reason) == (label, None)


@pytest.mark.parametrize(
    ("reply_format", "reply", "labels", "reason"),
    [
        ("thoughts", "", RATINGS, "thoughts: the reply has none"),
        ("thoughts", "<answer>4</answer>", RATINGS, "thoughts: the reply has none"),
        ("thoughts", "<think>\n", RATINGS, "thoughts: they are never closed"),
        ("thoughts", "<think>So <answer>4</answer>", RATINGS, "thoughts: they are never closed"),
        ("thoughts", "<think>a</think>4</think><answer>4</answer>", RATINGS, "thoughts: they are closed again"),
        ("thoughts", "<think>a<think>b</think><answer>4</answer>", RATINGS, "thoughts: they are opened again before"),
        ("thoughts", "<think>a</think><think>b</think><answer>4</answer>", RATINGS, "thoughts: they are opened again"),
        ("thoughts", "4 <think>a</think><answer>4</answer>", RATINGS, "thoughts: the reply does not begin"),
        ("thoughts", "<think>It is <answer>4</answer></think>", RATINGS, "none: the reply states no label after"),
        ("thoughts", "<think>a</think>4", RATINGS, "none: "),
        ("thoughts", "<think>a</think><answer>4</answer><answer>2</answer>", RATINGS, "ambiguous: the reply states"),
        ("thoughts", "<think>a</think><answer>A or B</answer>", LETTERS, "ambiguous: 'A or B' behind <answer>"),
        ("thoughts", "<think>a</think><answer>3.5</answer>", RATINGS, "ambiguous: '3.5'"),
        ("thoughts", "<think>a</think><answer>4", RATINGS, "ambiguous: '4'"),
        ("prometheus", "", RATINGS, "none: the reply states no label"),
        ("prometheus", "Feedback: It is a 5.", RATINGS, "none: the reply states no label"),
        ("prometheus", "[RESULT] 5 [RESULT] 3", RATINGS, "ambiguous: the reply states the labels 5, 3"),
        ("prometheus", "[RESULT] 1", RATINGS[:1], "ambiguous: '1' behind [RESULT]"),
        ("prometheus", "[RESULT] 10", RATINGS, "ambiguous: '10'"),
        ("prometheus", "[RESULT] 3-4", RATINGS, "ambiguous: '3-4'"),
        ("prometheus", "[RESULT] 3.5", RATINGS, "ambiguous: '3.5'"),
        ("prometheus", "[RESULT] 4/10", RATINGS, "ambiguous: '4/10'"),
        ("prometheus", "[RESULT] 80%", RATINGS, "ambiguous: '80%'"),
        ("prometheus", "[RESULT] A or B", LETTERS, "ambiguous: 'A or B'"),
        ("prometheus", "[RESULT] A good answer", LETTERS, "ambiguous: 'A good answer'"),
        ("prometheus", "[RESULT] C", LETTERS[:2], "ambiguous: 'C'"),
        ("prometheus", "[RESULT]", RATINGS, "ambiguous: ''"),
        ("score", "[[A]] is better than [[B]]", LETTERS, "ambiguous: the reply states the labels A, B"),
        ("score", "Rating: 4", RATINGS, "none: "),
        ("score", f"[[{'4' * 100}]]", RATINGS, "ambiguous: "),
    ],
)
def test_anything_else_is_unusable_with_its_reason(
    reply_format: str, reply: str, labels: tuple[str, ...], reason: str
) -> None:
    found = read_reply(format_named(reply_format), reply, labels)
    assert found.label is None
    assert (found.reason or "").startswith(reason), found.reason


@pytest.mark.parametrize(
    ("reply_format", "reply"),
    [
        ("thoughts", "<think>\nThey"),
        ("thoughts", "<think>a</think>"),
        ("thoughts", "<think>a</think><ans"),
        ("thoughts", "<think>a</think><answer>1"),
        ("prometheus", "Feedback: They"),
        ("prometheus", "Feedback: They [RESULT]"),
        ("prometheus", "Feedback: They [RESULT] 1"),
        ("score", "They [[1"),
        ("score", "They [[1]"),
    ],
)
def test_a_reply_that_was_cut_off_before_its_label_is_unusable(reply_format: str, reply: str) -> None:
    found = read_reply(format_named(reply_format), reply, TO_TEN, is_cut=True)
    assert found.label is None
    assert (found.reason or "").startswith("truncated: ")


@pytest.mark.parametrize(
    ("reply_format", "reply"),
    [("thoughts", "<think>a</think><answer>1</answer>"), ("prometheus", "[RESULT] 1 be"), ("score", "[[1]]")],
)
def test_a_reply_that_was_cut_off_behind_a_complete_label_is_read(reply_format: str, reply: str) -> None:
    assert read_reply(format_named(reply_format), reply, TO_TEN, is_cut=True).label == "1"


@pytest.mark.parametrize(
    ("reply_format", "reply", "decided"),
    [
        ("thoughts", "<think>\nIs it <answer>4</answer>\n", False),
        ("thoughts", "<think>\na</think>\n", False),
        ("thoughts", "<think>\na</think>\n<answer>4</answer>", False),
        ("thoughts", "<think>\na</think>\n<answer>4</answer>\n", True),
        ("thoughts", "<think>\na<think>\n", True),
        ("prometheus", "Feedback: They agree.\n", False),
        ("prometheus", "Feedback: They agree. [RESULT]\n", False),
        ("prometheus", "Feedback: They agree. [RESULT] 4\n", True),
        ("score", "[[4]] or [[5]]\n", True),
    ],
)
def test_writing_may_stop_at_the_end_of_the_line_with_the_label(reply_format: str, reply: str, decided: bool) -> None:
    assert is_decided(format_named(reply_format), reply, RATINGS) is decided


@pytest.mark.parametrize("reply_format", FORMATS, ids=lambda each: each.name)
def test_the_instruction_repeated_is_no_label(reply_format: ReplyFormat) -> None:
    told = reply_format.instruction.format(labels="A or B")
    beginning = "<think></think>" if reply_format.thoughts else ""
    assert read_reply(reply_format, f"{beginning}{told}", LETTERS).label is None


def test_a_text_with_a_mark_of_the_format_is_known() -> None:
    assert has_marks(format_named("prometheus"), "Good. [result] 5")
    assert has_marks(format_named("thoughts"), "x</THINK>")
    assert not has_marks(format_named("score"), "</think>[RESULT] 5")


def test_thoughts_are_found_in_a_template_or_a_vocabulary() -> None:
    thoughts = format_named("thoughts")
    assert format_shown_by("... '<think>' ... '</think>' ...", ()) == thoughts
    assert format_shown_by("", ("a", "</think>")) == thoughts
    assert format_shown_by("<|im_start|>", ("a",)) is None


@pytest.mark.parametrize("begins", ["<think>", "<think >", "<analysis>", "[THINK]", "<|channel|>analysis<|message|>"])
@pytest.mark.parametrize(
    ("reply_format", "before", "label"), [("score", "", "[[A]]"), ("prometheus", "Feedback: Hm. ", "[RESULT] A\n")]
)
def test_a_label_in_thoughts_that_a_judge_writes_unasked_is_none(
    reply_format: str, before: str, label: str, begins: str
) -> None:
    reading = read_reply(format_named(reply_format), f"{before}{begins}Maybe {label}", "AB", is_cut=True)
    assert (reading.label, reading.reason) == (None, "truncated: the thoughts were cut off")
    assert not is_decided(format_named(reply_format), f"{before}{begins}Maybe {label}\n", "AB")


def test_the_label_behind_thoughts_that_a_judge_writes_unasked_is_read() -> None:
    assert read_reply(format_named("score"), "[THINK]Maybe [[A]].[/THINK] [[B]]", "AB").label == "B"
