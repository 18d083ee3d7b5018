from __future__ import annotations

from dataclasses import replace

import pytest

from evaluator.generators.protocol import Message
from evaluator.lab.setup import ColumnSetup, LabSetup, own_question
from evaluator.lab.state import ColumnState, LabState, PairwiseState, Pane, VerdictCard
from leaderboard.lab.values import (
    OPEN_PLACES,
    Place,
    answer_pane,
    controls_value,
    pairwise_value,
    prompts_value,
    setup_value,
    status_value,
    verdict_value,
)

QUESTION = own_question("Which is a planet?", ("The Sun", "Mars"), "B")
SETUP = LabSetup(
    QUESTION, "own", ("Be short.",), 0, ColumnSetup("secret-1", "naive"), ColumnSetup("secret-2", "pref_aligner")
)
CARD = VerdictCard(
    letter="A", letter_rule="statement", control_letter="B", control_rule="leading", gold="B",
    correct_without=True, correct_with=False, in_qstar=True, followed=4.0, outcome="breakage",
    reason="followed 4 of 5, but the answer went from B (right) to A",
)  # fmt: skip
A, B = OPEN_PLACES
HIDDEN = (Place("b", "Answer 1", is_hidden=True), Place("a", "Answer 2", is_hidden=True))


def running(**changes: object) -> LabState:
    return replace(LabState(SETUP, "writing"), **changes)  # type: ignore[arg-type]


def test_stage_one_of_two_shows_the_draft_as_it_is_written() -> None:
    state = running(controls={"secret-2": Pane("writing", "It is", 2, 0.4)})
    pane = answer_pane(state, B)
    assert pane["parts"][0]["text"] == "It is"
    assert (pane["tokens"], pane["status"]) == ("2 tokens", "writing")
    assert pane["stage"].startswith("Stage 1 of 2")


def test_stage_two_counts_both_stages_and_shows_the_reply_as_it_is() -> None:
    state = running(
        controls={"secret-2": Pane("done", "It is Mars.", 3, 0.5)},
        b=ColumnState(answer=Pane("writing", '{"respo', 2, 0.25)),
    )
    pane = answer_pane(state, B)
    assert (pane["tokens"], pane["seconds"]) == ("5 tokens", "0.8 s")  # 3 + 2; 0.5 + 0.25
    assert pane["rate"] == "6.7 tokens/s"  # 5 / 0.75
    assert pane["is_raw"]


def test_the_final_text_shows_what_was_added_and_removed_in_words() -> None:
    column = ColumnState(answer=Pane("done", "{}", 9), final="It is Mars now.", draft="It is red Mars.")
    pane = answer_pane(running(b=column, controls={"secret-2": Pane("done", "It is red Mars.", 4)}), B)
    final = "".join(part["text"] for part in pane["parts"] if not part["is_removed"])
    assert final.split() == ["It", "is", "Mars", "now."]
    # "red" and "Mars." go, "Mars" and "now." come: the full stop belongs to its word.
    assert pane["legend"] == "2 words added (underlined), 2 words removed (struck through)"


def test_what_is_changed_begins_with_its_first_word() -> None:
    column = ColumnState(answer=Pane("done"), final="It is B.", draft="It is A.")
    parts = answer_pane(running(b=column), B)["parts"]
    assert [(part["text"], part["is_added"], part["is_removed"]) for part in parts] == [
        ("It is", False, False),
        (" ", False, False),
        ("A.", False, True),
        (" ", False, False),
        ("B.", True, False),
    ]


def test_a_stored_answer_claims_no_tokens_and_no_seconds() -> None:
    pane = answer_pane(running(b=ColumnState(answer=Pane("done", "{}"), final="x", draft="y")), B)
    assert (pane["tokens"], pane["seconds"], pane["stage"]) == ("", "", "changes to the draft:")


@pytest.mark.parametrize(
    ("column", "badge"),
    [
        (ColumnState(answer=Pane("done"), final="x", draft="x", unchanged=True), "unchanged"),
        (ColumnState(answer=Pane("done"), final="x", draft="x", fallback=True), "Aligner failed; draft kept"),
        (ColumnState(answer=Pane("done", finish_reason="length"), final="x", truncated=True), "truncated"),
        (ColumnState(answer=Pane("cancelled", "x")), "stopped"),
    ],
)
def test_an_answer_carries_its_badges(column: ColumnState, badge: str) -> None:
    assert badge in [found["text"] for found in answer_pane(running(b=column), B)["badges"]]


def test_a_draft_that_a_failed_aligner_left_is_not_called_unchanged() -> None:
    kept = ColumnState(answer=Pane("done"), final="x", draft="x", unchanged=True, fallback=True)
    assert [badge["text"] for badge in answer_pane(running(b=kept), B)["badges"]] == ["Aligner failed; draft kept"]


def test_while_names_are_hidden_nothing_tells_model_method_or_verdict() -> None:
    column = ColumnState(
        answer=Pane("done", '{"response": "It is Mars.", "thoughts": "hm"}', 9, 1.0, messages=(Message("user", "p"),)),
        final="It is Mars.", draft="It is Mars!", thoughts="hm", unchanged=False, fallback=True, verdict=CARD,
    )  # fmt: skip
    state = running(
        a=replace(column, draft=None, thoughts=None),
        b=column,
        controls={"secret-1": Pane("done", "c"), "secret-2": Pane("done", "It is Mars!")},
        pairwise=PairwiseState("consistent_a", "A", "B"),
        phase="done",
    )
    shown = (
        *(answer_pane(state, place) for place in HIDDEN),
        *(verdict_value(state, place) for place in HIDDEN),
        controls_value(state, HIDDEN),
        prompts_value(state, HIDDEN),
        pairwise_value(state, is_hidden=True),
        status_value(state, is_hidden=True),
    )
    told = str(shown)
    for secret in ("secret", "naive", "pref_aligner", "breakage", "tokens'", "stage 2", "hm", "fallback", "better"):
        assert secret not in told.replace("'tokens': ''", ""), secret
    one, other = (answer_pane(state, place) for place in HIDDEN)
    assert one | {"title": ""} == other | {"title": ""}  # two methods, one look


def test_a_stage_two_reply_is_not_seen_while_names_are_hidden() -> None:
    state = running(
        controls={"secret-2": Pane("done", "It is Mars.", 3)}, b=ColumnState(answer=Pane("writing", '{"response', 1))
    )
    assert answer_pane(state, HIDDEN[0])["parts"][0]["text"] == "It is Mars."


def test_the_card_says_how_it_came_to_its_outcome() -> None:
    value = verdict_value(running(a=ColumnState(verdict=CARD)), A)
    facts = {fact["name"]: fact["text"] for fact in value["facts"]}
    assert (value["outcome"], value["tone"]) == ("breakage", "bad")
    assert value["reason"] == "Followed 4 of 5, but the answer went from B (right) to A."
    assert facts["Option chosen"] == "A, stated in the text"
    assert facts["Followed"] == "4 of 5, yes (from 3)"
    assert facts["Robust"] == "no"
    assert value["notes"] == []


def test_a_draft_kept_by_a_failed_aligner_is_not_called_robust() -> None:
    card = replace(CARD, outcome="robust")
    value = verdict_value(running(a=ColumnState(verdict=card, fallback=True)), A)
    facts = {fact["name"]: fact["text"] for fact in value["facts"]}
    assert (value["outcome"], value["tone"]) == ("Aligner failed; draft kept", "warning")
    assert facts["Robust"] == "not counted: the aligner failed"
    assert "robust" in verdict_value(running(a=ColumnState(verdict=card, fallback=False)), A)["outcome"]
    kept = ColumnState(verdict=card, fallback=True)
    done = running(phase="done", a=ColumnState(verdict=CARD), b=kept)
    assert status_value(done)["text"] == "Done. A: breakage; B: aligner failed, draft kept"
    opening = status_value(done, recorded_as="example 1 of 3")["text"]
    assert opening.startswith(
        "Recorded earlier, example 1 of 3. A: from B (right) to A; B: aligner failed, draft kept. "
    )


def test_a_moved_threshold_is_flagged_on_the_card() -> None:
    value = verdict_value(running(a=ColumnState(verdict=replace(CARD, threshold=4.5))), A)
    assert "4.5" in value["notes"][0]
    assert "this card only" in value["notes"][0]


def test_a_judge_that_cannot_rate_says_what_is_needed() -> None:
    card = replace(CARD, followed=None, followed_reason="needs a language-model judge", outcome="not_known")
    value = verdict_value(running(a=ColumnState(verdict=card)), A)
    assert value["outcome"] == "not known"
    assert "PLUMBLINE_JUDGES" in value["notes"][0]


def test_both_raw_verdicts_name_whom_they_mean() -> None:
    value = pairwise_value(running(pairwise=PairwiseState("recency_flip", "B", "B")))
    assert value["sentence"].startswith("Recency flip")
    assert [order["text"] for order in value["orders"]] == ["B, shown second", "A, shown second"]


def test_hidden_characters_of_texts_prompts_and_preferences_are_shown() -> None:
    evil = "a\u202eb\x00"
    setup = replace(SETUP, preferences=(evil,), question=own_question(evil, (evil, "n")))
    pane = Pane("done", evil, 1, messages=(Message("user", evil),), failure=evil)
    state = LabState(setup, "done", a=ColumnState(answer=pane, final=evil, thoughts=evil), controls={evil: pane})
    shown = str((answer_pane(state, A), controls_value(state), prompts_value(state), setup_value(setup)))
    assert "\\u202e" not in ascii(shown)
    assert "[U+202E]" in shown


def test_the_status_tells_the_place_in_line() -> None:
    queued = LabState(SETUP, "queued")
    assert "you are next" in status_value(replace(queued, queue_position=1))["text"]
    assert "place 3" in status_value(replace(queued, queue_position=3))["text"]


def test_the_status_does_not_change_with_a_token() -> None:
    one = running(a=ColumnState(answer=Pane("writing", "a", 1)))
    assert status_value(one) == status_value(running(a=ColumnState(answer=Pane("writing", "a b", 2))))


def test_an_answer_that_is_done_before_the_control_waits_for_the_control() -> None:
    written = ColumnState(answer=Pane("done", "It is B."), final="It is B.")
    control = {"secret-1": Pane("writing", "It")}
    assert verdict_value(running(a=written, controls=control), A)["reason"].startswith(
        "Waiting for the answer without preferences"
    )
    begun = ColumnState(answer=Pane("writing", "It"))
    assert verdict_value(running(a=begun, controls=control), A)["reason"] == "Waiting for the answer …"
