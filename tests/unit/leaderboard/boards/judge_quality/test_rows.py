"""Rows of the board of judges: who is ranked, whose figures hold, and who was not measured."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from evaluator.judge_quality.injection import ALL_ATTACKS
from evaluator.judge_quality.measurement import JudgeQuality
from evaluator.judge_quality.people_values import Likeness, Sample
from evaluator.judge_quality.trials import measure_fully, trials_digest
from evaluator.judges.protocol import JudgeRequest
from evaluator.judges.scripted import ScriptedJudge
from evaluator.results import MetricValue, Pin
from evaluator.statistics.rank_bands import RankBand
from leaderboard.boards.judge_quality import rows
from leaderboard.boards.judge_quality.columns import JUDGE_QUALITY_COLUMNS
from leaderboard.boards.judge_quality.rows import MeasuredJudge, is_of, judge_rows, public_name
from leaderboard.parts.tables import column_of
from tests.unit.leaderboard.page.made_quality import PAIRS, made_people, measured_quality, tried_quality

PIN = Pin(
    name="scripted",
    model="rules",
    revision="1",
    tokenizer="-",
    prompt="none",
    dtype="-",
    engine="plumbline",
    languages=("en",),
)
MANY = tuple(pair.model_copy(update={"id": f"{n}", "topic": f"t{n % 8}"}) for n, pair in enumerate(PAIRS * 4))
"""48 pairs of 8 topics; half of them are of grade 5."""


def pin(name: str, **changes: str) -> Pin:
    return PIN.model_copy(update={"name": name, **changes})


def is_right(request: JudgeRequest) -> float:
    return 5.0 if number_of(request) < 6 else 0.0


def is_wrong(request: JudgeRequest) -> float:
    return 5.0 - is_right(request)


def number_of(request: JudgeRequest) -> int:
    """Of the pair, whatever was added: both answers end in it."""
    first, second = (set(re.findall(r"\b\d\d\b", request.fields[key])) for key in ("answer_a", "answer_b"))
    (number,) = first & second
    return int(number)


def by_name(
    known: Sequence[JudgeQuality],
    outdated: Sequence[JudgeQuality] = (),
    configured: Sequence[str] = (),
    shipped: Sequence[Pin] = (),
) -> dict[str, MeasuredJudge]:
    found = judge_rows(known, outdated, configured, shipped=shipped, texts=trials_digest())
    return {row.name: row for row in found}


@pytest.fixture(scope="module")
def right() -> JudgeQuality:
    return tried_quality(pin("right"), is_right, MANY)


def test_judges_that_the_pairs_tell_apart_have_ranks_of_their_own(right: JudgeQuality) -> None:
    found = by_name([right, tried_quality(pin("wrong"), is_wrong, MANY)])
    assert (found["right"].rank, found["wrong"].rank) == (RankBand(1, 1), RankBand(2, 2))
    # The wrong one is ahead on no question.
    deciding = found["right"].deciding
    assert deciding is not None
    assert (deciding.leaders, deciding.items, deciding.certainty) == ((found["right"].id,), (), "about")
    assert found["wrong"].deciding is None
    assert found["right"].languages == ("en",)
    assert found["right"].unscored_share == 0.0


def test_scores_that_understand_nothing_stand_there_without_a_rank(right: JudgeQuality) -> None:
    found = by_name([right])
    null_rows = {name for name, row in found.items() if row.style == "null-row"}
    assert null_rows == {"word overlap", "words beyond the question", "length ratio"}
    # every pair shares one word of three: nothing tells the two halves apart
    assert found["word overlap"].agreement is not None
    assert found["word overlap"].agreement.auc.value == 0.5
    assert (found["word overlap"].rank, found["word overlap"].trials) == (None, None)
    # and one that was measured on people's labels alone
    new_words = found["words beyond the question"]
    assert new_words.same_answer is not None
    assert (new_words.same_answer.value, new_words.agreement, new_words.data_set) == (0.5, None, "people's labels")


def test_a_judge_that_leaves_more_than_a_twentieth_unscored_is_not_ranked(right: JudgeQuality) -> None:
    def mostly(request: JudgeRequest) -> float | None:
        return None if number_of(request) == 0 else is_right(request)

    found = by_name([right, tried_quality(pin("shy"), mostly, MANY)])
    # number 0 is one of twelve, four times among 48
    assert found["shy"].note == "not ranked: scored 44 of 48 pairs of answers (at least 95%)"
    assert (found["shy"].rank, found["shy"].tier) == (None, 1)
    assert found["shy"].unscored_share == pytest.approx(1 / 12)
    assert found["right"].rank == RankBand(1, 1)


def test_a_stress_test_on_a_sample_is_shown_with_its_n_and_leaves_the_baselines_to_the_whole(
    right: JudgeQuality,
) -> None:
    few, _ = measure_fully(ScriptedJudge(is_right), PAIRS, adds_texts=False)
    sampled = few.model_copy(update={"judge": pin("slow"), "people": made_people(pin("slow"), is_right)})
    for known in ([right, sampled], [sampled, right]):
        found = by_name(known)
        row = found["slow"]
        assert row.state == "measured"
        assert row.note.endswith("stress test on 12 pairs drawn by hash, without added texts")
        assert (row.attack_shift(ALL_ATTACKS), row.talked_up, row.shared_text_shift) == (None, None, None)
        assert row.order_consistency is not None
        assert (row.order_consistency.value, row.order_consistency.n) == (1.0, 12)
        for column in JUDGE_QUALITY_COLUMNS:
            column.value(row)
        overlap, beyond = found["word overlap"], found["words beyond the question"]
        assert overlap.agreement is not None
        assert overlap.agreement.auc.n == 48
        assert beyond.same_answer is not None
        assert beyond.same_answer.n == 48
    assert "stress test on" not in found["right"].note


def test_a_stress_test_alone_is_shown_and_not_ranked() -> None:
    row = by_name([measured_quality(pin("old"))])["old"]
    assert row.agreement is not None
    assert (row.same_answer, row.likeness, row.likeness_others) == (None, None, None)
    assert row.note == (
        "not ranked: agreement with people was not measured; "
        "python -m evaluator judge-quality --judge J --people FOLDER --record"
    )


def test_judges_measured_on_other_questions_are_not_ranked_among_the_others(right: JudgeQuality) -> None:
    assert right.people is not None
    elsewhere = right.people.model_copy(update={"sample": Sample(questions="dev")})
    others = right.model_copy(update={"judge": pin("others"), "people": elsewhere})
    found = by_name([right, tried_quality(pin("wrong"), is_wrong, MANY), others])
    assert found["others"].note == (
        "not ranked: agreement with people was measured on other questions than that of most judges"
    )
    assert (found["others"].rank, found["right"].rank, found["wrong"].rank) == (None, RankBand(1, 1), RankBand(2, 2))


def test_the_test_split_of_sentence_pairs_is_shown_where_it_was_measured(right: JudgeQuality) -> None:
    assert right.people is not None
    splits = {
        split: Likeness(languages={"en": MetricValue(value=value, n=9)}, others=MetricValue(value=value / 2, n=9))
        for split, value in (("dev", 0.5), ("test", 0.75))
    }
    figures = right.people.figures.model_copy(update={"likeness": splits})
    quality = right.model_copy(update={"people": right.people.model_copy(update={"figures": figures})})
    row = by_name([quality])["right"]
    assert (row.likeness, row.likeness_others) == (MetricValue(value=0.75, n=9), MetricValue(value=0.375, n=9))


def test_what_is_not_as_it_is_now_is_never_shown(right: JudgeQuality, monkeypatch: pytest.MonkeyPatch) -> None:
    assert right.trials is not None
    other_texts = right.model_copy(
        update={"judge": pin("texts"), "trials": right.trials.model_copy(update={"texts": "others"})}
    )
    other_library = right.model_copy(update={"judge": pin("library", engine="transformers 1.0, torch 2.0")})
    versions = {"transformers": "1.1", "torch": "2.0"}
    monkeypatch.setattr(rows, "_installed", versions.get)
    found = by_name([right, other_texts, other_library], [right.model_copy(update={"judge": pin("pairs")})])
    assert {name: found[name].note.split(";")[0] for name in ("texts", "library", "pairs")} == {
        "texts": "measured with other added texts",
        "library": "measured with transformers 1.0, here 1.1",
        "pairs": "measured on other pairs",
    }
    for name in ("texts", "library", "pairs"):
        assert (found[name].state, found[name].agreement, found[name].rank) == ("not measured", None, None)
        assert "python -m evaluator judge-quality --judge J --record" in found[name].note
    assert found["right"].state == "measured"


def test_a_judge_nobody_measured_stands_there_with_the_command(right: JudgeQuality) -> None:
    qwen = "http:http://gpu-box:8000/v1#Qwen/Qwen3-8B@9c92;frame=chatml"
    found = by_name([right], configured=["auto", "pair", qwen, "transformers:/srv/secret/mine"])
    assert found["pair"].note == "python -m evaluator judge-quality --judge pair --record"
    assert found["Qwen/Qwen3-8B"].note == "python -m evaluator judge-quality --judge J --record"
    assert "mine" in found
    assert "auto" not in found
    assert not any("gpu-box" in f"{row}" or "/srv" in f"{row}" for row in found.values())
    # once it was measured it has its figures, under this revision alone
    measured = right.model_copy(update={"judge": pin("http", model="Qwen/Qwen3-8B", revision="9c92")})
    assert by_name([measured], configured=[qwen])["Qwen/Qwen3-8B"].state == "measured"
    other = right.model_copy(update={"judge": pin("http", model="Qwen/Qwen3-8B", revision="0000")})
    rows_of_both = judge_rows([other], [], [qwen], shipped=[], texts=trials_digest())
    states = [row.state for row in rows_of_both if row.name == "Qwen/Qwen3-8B"]
    assert sorted(states) == ["measured", "not measured"]


@pytest.mark.parametrize(
    ("name", "judge", "expected"),
    [
        ("pair", pin("pair"), True),
        ("pair:/srv/adapter", pin("pair"), True),
        ("pair", pin("embedding"), False),
        ("smollm2", pin("transformers", model="smollm2-135m-instruct-b179"), True),
        ("smollm2", pin("transformers", model="Qwen/Qwen3-8B"), False),
        ("transformers:/srv/models/mine", pin("transformers", model="mine"), True),
        ("transformers:a/b@" + "0" * 40, pin("transformers", model="a/b", revision="1" * 40), False),
    ],
)
def test_a_configured_judge_is_known_by_its_pin(name: str, judge: Pin, expected: bool) -> None:
    assert is_of(name, judge) is expected


def test_two_language_models_are_told_apart_by_their_models(right: JudgeQuality) -> None:
    both = [right.model_copy(update={"judge": pin("transformers", model=model)}) for model in ("a/small", "b/large")]
    assert {"a/small", "b/large"} <= by_name(both).keys()
    assert public_name("scripted:0.1") == "scripted"
    # A folder's name ends with a checksum of its weights.
    own = right.model_copy(update={"judge": pin("transformers", model="smollm2-135m-instruct-b179c9523d0e")})
    assert by_name([own])["smollm2-135m-instruct"].state == "measured"


def test_an_earlier_state_of_a_judge_of_this_program_is_not_shown_as_the_judge(right: JudgeQuality) -> None:
    now, before = pin("pair", prompt="calibration 3"), pin("pair", prompt="calibration 2")
    earlier = right.model_copy(update={"judge": before})
    row = by_name([earlier], shipped=[now])["pair"]
    assert (row.state, row.agreement) == ("not measured", None)
    assert row.note.startswith("measured under another pin than this judge has now; python")
    # an adapter of one's own has the name of the judge, and another pin
    assert by_name([earlier], configured=["pair:/srv/adapter"], shipped=[now])["pair"].state == "measured"
    # and where the judge was measured as it is now, what it was before says nothing more
    both = [earlier, right.model_copy(update={"judge": now})]
    found = judge_rows(both, [], [], shipped=[now], texts=trials_digest())
    assert [one.state for one in found if one.name == "pair"] == ["measured"]


def test_many_languages_are_counted_in_the_cell_and_named_where_one_points_at_it(right: JudgeQuality) -> None:
    reads = column_of(JUDGE_QUALITY_COLUMNS, "languages")
    many = right.judge.model_copy(update={"name": "many", "languages": ("ar", "de", "el", "en", "fi", "fr", "sv")})
    found = by_name([right, right.model_copy(update={"judge": many})])
    assert (reads.text(found["right"]), reads.text(found["many"])) == ("en", "7 languages")
    assert reads.hint is not None
    assert reads.hint(found["many"]) == "ar, de, el, en, fi, fr, sv"
