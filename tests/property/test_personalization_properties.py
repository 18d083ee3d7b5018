"""Laws of the personalization figures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from threading import Event
from types import SimpleNamespace
from typing import Any, get_args

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evaluator.answering.aligner_writing import BEGINNING, stream_reply
from evaluator.generators.protocol import Chunk
from evaluator.personalization import (
    Figures,
    OutcomeRow,
    group_figures,
    metrics,
    outcome,
    parse_aligner,
    parse_letter,
    parse_rating,
    row_figures,
)
from evaluator.personalization.answer_extraction import Rule, extract_answer
from evaluator.personalization.bootstrap import METRIC_NAMES, paired_method_difference
from submissions.formats.personalization.submission import SETTINGS, FinishReason, Setting

FEW = settings(max_examples=30)
MANY = settings(max_examples=150)
ROUNDING = 1e-12

settings_of_rows = st.sampled_from(SETTINGS)
judged_settings = st.sampled_from(["relevant", "mixed"])
triples = st.lists(st.tuples(st.booleans(), st.booleans(), st.one_of(st.none(), st.booleans())), max_size=30)
judged_triples = st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), max_size=30)
rated = st.one_of(st.none(), st.floats(1, 5))
pieces = (
    "the |answer| is|: |A|B|C|I|. |\n|**|(|)|\\boxed{|}|option |best |<think>|</think>|would be |sun|moon|'|because "
)
letters_and_words = st.lists(st.sampled_from(pieces.split("|")), max_size=20).map("".join)


@st.composite
def outcome_rows(draw: st.DrawFn, setting: Setting = "relevant") -> list[OutcomeRow]:
    """Rows of up to three data sets, several preferences per example."""
    rows = []
    for number in range(draw(st.integers(1, 25))):
        rating = draw(rated)
        rows.append(
            OutcomeRow(
                example_id=f"q{draw(st.integers(0, 9))}",
                dataset=draw(st.sampled_from(["mmlu", "csqa", "tqa"])),
                setting=setting,
                correct_no_pref=draw(st.booleans()),
                correct_pref=draw(st.booleans()),
                pref_id=str(number),
                rating=rating,
                unparsable=rating is None and draw(st.booleans()),
                correct_no_pref_repeat=draw(st.one_of(st.none(), st.booleans())),
                unchanged=draw(st.one_of(st.none(), st.booleans())),
            )
        )
    return rows


def same(first: Figures, second: Figures) -> bool:
    """Whether two sets of figures have equal metrics."""
    return all(first[name] == second[name] for name in METRIC_NAMES)


@MANY
@given(judged_triples, judged_settings)
def test_robustness_lies_between_the_larger_part_and_the_sum(
    rows: list[tuple[bool, bool, bool]], setting: Setting
) -> None:
    figures = metrics(rows, setting)
    breakage, alignment = figures["breakage_rate"], figures["alignment_failure"]
    robustness = figures["robustness_error"]
    assert (breakage is None) == (alignment is None) == (robustness is None) == (figures["n_qstar"] == 0)
    if breakage is not None and alignment is not None and robustness is not None:
        assert max(breakage, alignment) <= robustness <= breakage + alignment + ROUNDING


@MANY
@given(triples, settings_of_rows)
def test_variation_is_never_below_breakage_and_all_lie_between_0_and_1(
    rows: list[tuple[bool, bool, bool | None]], setting: Setting
) -> None:
    figures = metrics(rows, setting)
    if figures["breakage_rate"] is not None:
        assert figures["performance_variation"] is not None
        assert figures["performance_variation"] >= figures["breakage_rate"]
    assert all(0 <= (figures[name] or 0) <= 1 for name in METRIC_NAMES)


@MANY
@given(triples, st.sampled_from(["irrelevant", "none"]))
def test_where_no_preference_is_relevant_robustness_is_breakage(
    rows: list[tuple[bool, bool, bool | None]], setting: Setting
) -> None:
    figures = metrics(rows, setting)
    assert figures["robustness_error"] == figures["breakage_rate"]
    assert figures["alignment_failure"] is None


@MANY
@given(triples)
def test_mixed_is_scored_like_relevant(rows: list[tuple[bool, bool, bool | None]]) -> None:
    assert metrics(rows, "mixed") == metrics(rows, "relevant")


@FEW
@given(outcome_rows())
def test_full_lies_between_the_data_sets(rows: list[OutcomeRow]) -> None:
    *datasets, full = group_figures(rows)
    assert full["dataset"] == "full"
    assert full["n"] == sum(group["n"] for group in datasets)
    for name in ("breakage_rate", "alignment_failure", "robustness_error"):
        values = [value for group in datasets if (value := group[name]) is not None]
        pooled = full[name]
        if pooled is not None:
            assert min(values) - ROUNDING <= pooled <= max(values) + ROUNDING


@FEW
@given(outcome_rows(), st.data())
def test_the_order_of_rows_changes_nothing(rows: list[OutcomeRow], data: st.DataObject) -> None:
    assert group_figures(data.draw(st.permutations(rows))) == group_figures(rows)


@MANY
@given(outcome_rows())
def test_doubling_all_rows_under_new_ids_changes_no_metric(rows: list[OutcomeRow]) -> None:
    doubled = rows + [replace(row, example_id=f"copy of {row.example_id}") for row in rows]
    assert same(row_figures(doubled, "relevant"), row_figures(rows, "relevant"))


@MANY
@given(outcome_rows(), rated, settings_of_rows)
def test_rows_never_right_change_no_metric(rows: list[OutcomeRow], rating: float | None, setting: Setting) -> None:
    never_right = replace(rows[0], example_id="new", correct_no_pref=False, correct_pref=False, rating=rating)
    assert same(row_figures([*rows, never_right], setting), row_figures(rows, setting))


@MANY
@given(outcome_rows(), settings_of_rows)
def test_unchanged_correctness_means_no_breakage_and_no_variation(rows: list[OutcomeRow], setting: Setting) -> None:
    figures = row_figures([replace(row, correct_pref=row.correct_no_pref) for row in rows], setting)
    assume(figures["n_qstar"])
    assert (figures["breakage_rate"], figures["performance_variation"]) == (0, 0)


@MANY
@given(outcome_rows())
def test_an_aligner_that_returns_the_draft_is_unchanged_and_breaks_nothing(rows: list[OutcomeRow]) -> None:
    identity = [replace(row, correct_pref=row.correct_no_pref, unchanged=True, rating=1.0) for row in rows]
    figures = row_figures(identity, "relevant")
    assume(figures["n_qstar"])
    assert (figures["unchanged_rate"], figures["breakage_rate"], figures["alignment_failure"]) == (1, 0, 1)


@MANY
@given(outcome_rows(), st.floats(1, 5), st.floats(1, 5))
def test_a_higher_threshold_never_lowers_alignment_failure(rows: list[OutcomeRow], one: float, other: float) -> None:
    low, high = sorted([one, other])
    lenient = row_figures(rows, "relevant", threshold=low)["alignment_failure"]
    strict = row_figures(rows, "relevant", threshold=high)["alignment_failure"]
    assert (lenient is None) == (strict is None)
    assert (strict or 0) >= (lenient or 0)


@FEW
@given(outcome_rows())
def test_intervals_stand_beside_values_and_lie_in_range(rows: list[OutcomeRow]) -> None:
    for group in group_figures(rows):
        json.dumps(group, allow_nan=False)
        for name in METRIC_NAMES:
            interval = group["ci"][name]
            assert group[name] is not None or interval is None
            assert interval is None or 0 <= interval[0] <= interval[1] <= 1


@FEW
@given(outcome_rows(), outcome_rows())
def test_exchanging_two_methods_only_turns_the_sign_of_their_difference(
    first: list[OutcomeRow], second: list[OutcomeRow]
) -> None:
    there, back = paired_method_difference(first, second), paired_method_difference(second, first)
    for name in METRIC_NAMES:
        value, opposite = there[name].value, back[name].value
        assert (value is None) == (opposite is None)
        assert value is None or value == -(opposite or 0)
        assert there[name].n == back[name].n


@MANY
@given(triples, settings_of_rows)
def test_outcomes_count_up_to_the_metrics(rows: list[tuple[bool, bool, bool | None]], setting: Setting) -> None:
    outcomes = [outcome(*row, setting) for row in rows]
    figures = metrics(rows, setting)
    assert len(rows) - outcomes.count("recovered") - outcomes.count("never_right") == figures["n_qstar"]
    if figures["robustness_error"] is not None:
        robust = (1 - figures["robustness_error"]) * figures["n_qstar"]
        assert abs(outcomes.count("robust") - robust) < 1e-6


@MANY
@given(st.one_of(letters_and_words, st.text(max_size=60)), st.integers(0, 4))
def test_any_text_has_a_letter_of_an_option_or_a_reason_why_not(text: str, n_options: int) -> None:
    options = ["sun", "moon", "comet", "star"][:n_options]
    letter, rule = extract_answer(text, options)
    assert rule in get_args(Rule)
    assert (letter is not None) == (rule in ("statement", "leading", "option_text"))
    assert letter is None or letter in "ABCD"[:n_options]
    assert extract_answer(f"<think>The answer is A.</think>{text}", options)[0] == letter or "think>" in text


@MANY
@given(st.one_of(st.none(), st.text(max_size=60), st.text(alphabet="{}[]\"'aAnswer: <>/1234\n`", max_size=60)))
def test_no_reply_raises_and_unreadable_is_none(text: str | None) -> None:
    assert parse_letter(text, 2) in (None, "A", "B")
    assert parse_rating(text) in (None, 1, 2, 3, 4, 5)
    assert parse_aligner(text) is None or bool((parse_aligner(text) or "").strip())
    parse_letter(text, 2, "perg")
    parse_rating(text, "perg")


@MANY
@given(st.text(max_size=40).filter(str.strip), st.text(max_size=20), st.booleans(), st.integers(0, 5))
def test_a_reply_written_within_its_format_keeps_what_the_model_said(
    response: str, thoughts: str, is_ascii: bool, cut: int
) -> None:
    written = json.dumps({"response": response, "thoughts": thoughts}, ensure_ascii=is_ascii)[len(BEGINNING) :]
    end = written.index('", "thoughts": ')
    chunks = [Chunk(BEGINNING, 0), *(Chunk(letter, at + 1) for at, letter in enumerate(written))]

    def stream(of: Sequence[Chunk], ends: FinishReason) -> str:
        generator: Any = SimpleNamespace(stream=lambda *_, **__: (chunk for chunk in [*of, Chunk("", len(of), ends)]))
        return "".join(chunk.text for chunk in stream_reply(generator, [], stop=Event(), max_new_tokens=99))

    assert parse_aligner(stream(chunks, "stop")) == response
    # Cut off before the response has ended it is not read, and closed where the model ended its turn there.
    short = chunks[: 1 + max(end - cut, 0)]
    assert parse_aligner(stream(short, "length")) is None
    said = parse_aligner(stream(short, "stop"))
    assert said is None or response.startswith(said)


@MANY
@given(st.text(min_size=1).filter(str.strip), st.text())
def test_a_well_formed_aligner_reply_gives_its_response_back(response: str, thoughts: str) -> None:
    reply = json.dumps({"thoughts": thoughts, "response": response})
    assert parse_aligner(reply) == response
    assert parse_aligner(f"Here: {reply}") == response
