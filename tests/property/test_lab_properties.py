"""Laws of the lab: a diff loses no word, and any finished run survives its file."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from evaluator.answering.prompting import aligner_messages, control_messages, naive_messages
from evaluator.lab.session_file import exported_session, loaded_session
from evaluator.lab.setup import LabSetup, naive_vs_pref_aligner, problems
from evaluator.lab.state import ColumnState, LabState, Pane, VerdictCard, is_unchanged
from leaderboard.parts.text_difference import word_difference
from submissions.questionsets import Question

WORDS = st.lists(st.sampled_from(["a", "b", "the", "Answer:", "ü"]), max_size=40)
TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=60)
FILLED = TEXTS.filter(lambda text: bool(text.strip()))


@given(WORDS, WORDS)
def test_a_diff_holds_every_word_of_both_texts_in_order(old: list[str], new: list[str]) -> None:
    segments = word_difference(" ".join(old), "\n".join(new))
    kept = {"old": [], "new": []}  # type: dict[str, list[str]]
    for segment in segments:
        if segment.change != "added":
            kept["old"] += segment.text.split()
        if segment.change != "removed":
            kept["new"] += segment.text.split()
    assert kept == {"old": old, "new": new}


@given(WORDS, st.sampled_from([" ", "\n", "\t "]))
def test_white_space_alone_changes_nothing(words: list[str], blanks: str) -> None:
    one, other = " ".join(words), blanks.join(words)
    assert is_unchanged(one, other)
    assert {segment.change for segment in word_difference(one, other)} <= {"kept"}


@given(
    question=FILLED,
    options=st.lists(st.sampled_from(["one", "two", "three"]), min_size=2, max_size=3, unique=True),
    preferences=st.lists(FILLED, min_size=1, max_size=8),
    control=TEXTS,
    naive=TEXTS,
    reply=TEXTS,
    rating=st.none() | st.floats(1, 5),
)
def test_any_finished_run_loads_back_as_it_was(
    question: str,
    options: list[str],
    preferences: list[str],
    control: str,
    naive: str,
    reply: str,
    rating: float | None,
) -> None:
    asked = Question("q1", question, tuple(options), "B")
    setup = LabSetup(asked, "own", tuple(preferences), 0, *naive_vs_pref_aligner("small"))
    assert problems(setup, ["small"]) == []
    card = VerdictCard(gold="B", followed=rating, reason=reply)
    state = LabState(
        setup,
        "done",
        a=ColumnState(
            answer=Pane("done", naive, 3, 0.25, "stop", messages=tuple(naive_messages(asked, preferences))),
            final=naive,
            unchanged=is_unchanged(control, naive),
            verdict=card,
        ),
        b=ColumnState(
            answer=Pane("done", reply, 4, 1.5, "length", messages=tuple(aligner_messages(asked, control, preferences))),
            final=control,
            draft=control,
            fallback=True,
            unchanged=True,
            truncated=True,
            verdict=replace(card, outcome="robust"),
        ),
        controls={"small": Pane("done", control, 2, 0.1, "stop", messages=tuple(control_messages(asked)))},
    )
    loaded = loaded_session(exported_session([state]))
    assert loaded.faults == ()
    assert loaded.states == (state,)
