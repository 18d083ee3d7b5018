"""Agreement with people on small made files: each figure is worked out by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.judge_quality.labelled_pairs import LabelledPair
from evaluator.judge_quality.measurement import spearman
from evaluator.judge_quality.people import LikenessPair, PeopleFileError
from evaluator.judge_quality.people_measurement import (
    mean_spearman,
    measure_gate,
    measure_people,
    people_table,
    people_text,
    read_people,
    resampled_spearman,
    same_answer_figures,
    shared_new_words,
)
from evaluator.judge_quality.people_values import PeopleQuality, Sample
from evaluator.judges.protocol import JudgeRequest
from evaluator.judges.scripted import ScriptedJudge
from tests.unit.evaluator.judge_quality.made_people import write_people

EVERYTHING = Sample(questions="all")


def rated(language: str, *rows: tuple[float, float | None]) -> list[tuple[LikenessPair, float | None]]:
    """Pairs with people's score and the judge's."""
    return [
        (LikenessPair(id=f"{language}-dev-{number}", a="a", b="b", score=label, language=language), score)
        for number, (label, score) in enumerate(rows)
    ]


def second_text(request: JudgeRequest) -> float:
    """The number in either text of a sentence pair; of two answers 5 where both name Austen."""
    texts = request.fields["answer_a"], request.fields["answer_b"]
    numbers = [float(text) for text in texts if text.replace(".", "").isdigit()]
    return numbers[0] if numbers else 5.0 * all("Austen" in text for text in texts)


def gate(request: JudgeRequest) -> float | None:
    """Sure of real answers, of half the others, and of short ones with one word; mute on the first prompt."""
    if request.fields["prompt_1"] == "prompt 0":
        return None
    text = request.fields["answer"]
    if text == "other":
        return 0.5 if int(request.fields["prompt_1"].split()[1]) % 2 else 0.49
    return 0.9 if text == "real" or " " not in text else 0.1


# --- correlation with people's scores --------------------------------------------------------------------------------


def test_the_correlation_is_spearmans_and_few_pairs_have_no_interval() -> None:
    # Ranks 1 2 3 4 beside 1 2 4 3: 1 - 6 x (1 + 1) / (4 x 15) = 0.8
    found = mean_spearman({"en": rated("en", (0.0, 0.5), (1.0, 1.5), (3.0, 2.5), (2.0, 3.5))})
    assert (found.value, found.low, found.n, found.unscored) == (0.8, None, 4, 0)


def test_languages_count_alike_in_the_mean_and_unscored_pairs_in_none() -> None:
    same = rated("de", (0.0, 0.0), (1.0, 1.0), (2.0, 2.0), (3.0, None))
    other = rated("fr", (0.0, 0.5), (1.0, 1.5), (3.0, 2.5), (2.0, 3.5))
    found = mean_spearman({"de": same, "fr": other})
    assert (found.value, found.n, found.unscored) == (0.9, 7, 1)  # (1 + 0.8) / 2


def test_a_pair_is_drawn_with_its_translations() -> None:
    labels = [(number / 2, number / 2) for number in range(8)]
    rows = {language: rated(language, *labels) for language in ("de", "fr")}
    found = mean_spearman(rows)
    assert (found.value, found.low, found.high, found.n) == (1.0, 1.0, 1.0, 16)


def test_a_draw_has_the_correlation_of_its_rows_written_out() -> None:
    dice = np.random.default_rng(1)
    scores, labels = dice.integers(0, 6, 30).astype(float), dice.integers(0, 6, 30).astype(float)
    counts = dice.multinomial(30, np.full(30, 1 / 30), size=20).astype(float)
    found = resampled_spearman(counts, scores, labels)
    for row, value in zip(counts.astype(int), found, strict=True):
        assert value == pytest.approx(spearman(np.repeat(scores, row).tolist(), np.repeat(labels, row).tolist()))
    alone = np.zeros((1, 30))
    alone[0, 3] = 30  # one row alone does not vary
    assert np.isnan(resampled_spearman(alone, scores, labels)).all()


def test_scores_that_do_not_vary_have_no_correlation() -> None:
    found = mean_spearman({"en": rated("en", (0.0, 1.0), (5.0, 1.0))})
    assert (found.value, found.n, found.reason) == (None, 2, "scores or labels do not vary")


# --- the same answer -------------------------------------------------------------------------------------------------


def pair(question: str, grade: int) -> LabelledPair:
    """A pair of answers without their texts: scores are given."""
    return LabelledPair(
        id=f"{question} {grade}",
        topic=question,
        split="test",
        category="",
        prompt_a="",
        prompt_b="",
        a="",
        b="",
        grade=grade,
    )


def test_right_pairs_are_told_from_those_with_a_wrong_answer() -> None:
    pairs = [pair("nq1", 5), pair("nq2", 5), pair("nq1", 0), pair("nq2", 0), pair("nq3", 0)]
    figures, by_question = same_answer_figures([4.0, 3.0, 3.0, 1.0, None], pairs)
    # 4 beats 3 and 1, 3 ties with 3 and beats 1: 3.5 / 4; above 2.5 are 4, 3 and wrongly 3: 3 / 4.
    assert (figures.auc.value, figures.auc.n, figures.auc.unscored) == (0.875, 4, 1)
    assert (figures.accuracy.value, figures.accuracy.n) == (0.75, 4)
    # Without nq1: 3 beats 1, AUC 1; without nq2: 4 beats 3, AUC 1. Each adds 2 x 0.875 - 1 x 1 = 0.75.
    assert by_question == {"nq1": 0.75, "nq2": 0.75}


@pytest.mark.parametrize(
    ("question", "first", "second", "share"),
    [
        ("who wrote Emma", "Jane Austen wrote Emma", "Austen", 1.0),  # austen of austen
        ("who wrote Emma", "Jane Austen", "Jane Eyre, a novel", 0.5),  # jane of jane, austen
        ("who wrote Emma", "Emma", "Jane Austen", 0.0),  # nothing new in the first
        ("", "", "", 0.0),
    ],
)
def test_words_beyond_the_question_are_counted_of_the_answer_with_fewer(
    question: str, first: str, second: str, share: float
) -> None:
    assert shared_new_words(question, first, second) == shared_new_words(question, second, first) == share


# --- the whole measurement -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> PeopleQuality:
    people = read_people(write_people(tmp_path_factory.mktemp("people"), "en", "de", "fr"), EVERYTHING)
    judge = ScriptedJudge(second_text, answers=gate, languages=("en", "de"))
    return measure_people(judge, people, ScriptedEmbedder(languages=("en",)))


def test_a_judge_is_measured_in_the_languages_it_reads(measured: PeopleQuality) -> None:
    likeness = measured.figures.likeness["dev"]
    assert likeness.english is not None
    assert likeness.others is not None
    assert (likeness.english.value, likeness.english.n, likeness.others.value, likeness.others.n) == (1.0, 8, 1.0, 8)
    unread = likeness.languages["fr"]
    assert (unread.value, unread.n, unread.unscored, unread.reason) == (None, 0, 8, "it does not read fr")


def test_pairs_of_answers_are_told_apart_over_questions(measured: PeopleQuality) -> None:
    same_answer = measured.figures.same_answer
    assert same_answer is not None
    # Three pairs of each of 20 questions: both right once, exactly one right twice.
    assert (same_answer.auc.value, same_answer.auc.n, same_answer.accuracy.value) == (1.0, 60, 1.0)
    assert len(measured.by_question) == 20
    # 0.025 ** (1 / 20): what as many questions without a fault allow.
    assert same_answer.auc.low == pytest.approx(0.025 ** (1 / 20), abs=1e-6)


def test_the_gate_lets_through_what_it_gives_one_half_or_more(measured: PeopleQuality) -> None:
    answers = measured.figures.answers
    assert answers is not None
    assert (answers.real.value, answers.real.n, answers.real.unscored) == (1.0, 7, 1)
    assert answers.other_prompt.value == pytest.approx(4 / 7)  # 1, 3, 5 and 7 of 1 to 7
    # "Austen" and "Jane Austen" of each of 20 questions; one word passes.
    assert (answers.short.value, answers.short.n) == (0.5, 40)


def test_baselines_are_measured_on_the_same_pairs(measured: PeopleQuality) -> None:
    assert list(measured.baselines) == ["word_overlap", "new_words", "cosine_scripted"]
    new_words = measured.baselines["new_words"].same_answer
    assert new_words is not None
    # Austen of Jane Austen: 5 x 1; of George Eliot nothing.
    assert (new_words.auc.value, new_words.accuracy.value, new_words.auc.n) == (1.0, 1.0, 60)
    cosine = measured.baselines["cosine_scripted"].likeness["dev"]
    assert cosine.languages["de"].reason == "it does not read de"
    assert all(figures.answers is None for figures in measured.baselines.values())


def test_a_judge_that_is_not_asked_about_answers_has_no_figure_of_them(tmp_path: Path) -> None:
    people = read_people(write_people(tmp_path, "en"), EVERYTHING)
    assert measure_people(ScriptedJudge(), people).figures.answers is None
    alone = measure_gate(ScriptedJudge(answers=gate), people)
    assert alone.figures.same_answer is None
    assert alone.figures.answers is not None


def test_the_sample_is_drawn_by_hash_and_only_from_the_questions_asked_for(tmp_path: Path) -> None:
    write_people(tmp_path, "en", "de")
    few = read_people(tmp_path, Sample(questions="held-out", english=3, other_languages=2, same_answer=4))
    assert {language: len(rows) for language, rows in few.likeness["dev"].items()} == {"en": 3, "de": 2}
    assert len(few.pairs) == 4
    german = read_people(tmp_path, Sample(questions="all", languages=("de",), texts=3))
    assert {language: len(rows) for language, rows in german.likeness["dev"].items()} == {"de": 8}
    assert [row.is_answer for row in german.answers].count(True) == 3
    assert [row.is_answer for row in german.answers].count(False) == 3
    # Of 0-real to 7-real these have the lowest SHA-256 (`printf 0-real | sha256sum`), in the order of the file.
    assert [row.id for row in german.answers if row.is_answer] == ["0-real", "2-real", "7-real"]
    assert len(german.short) == 3
    assert "languages of STS: de\n" in people_text(measure_people(ScriptedJudge(), german), german)
    # Of nq0 to nq19 these are 0 modulo 5 by the first 8 digits of their SHA-256 (`sha256sum`).
    assert {one.topic for one in read_people(tmp_path, Sample()).pairs} == {"nq6", "nq9", "nq17"}


def test_every_file_that_cannot_be_read_is_named_at_once(tmp_path: Path) -> None:
    write_people(tmp_path, "en")
    for name in ("sts_dev.jsonl.gz", "answers_dev.jsonl.gz"):
        (tmp_path / name).write_bytes(b"plain")
    with pytest.raises(PeopleFileError) as raised:
        read_people(tmp_path, EVERYTHING)
    assert [line.partition(": ")[0].rpartition("/")[2] for line in str(raised.value).splitlines()] == [
        "sts_dev.jsonl.gz",
        "answers_dev.jsonl.gz",
    ]
    with pytest.raises(PeopleFileError, match=r"expected sts_dev\.jsonl\.gz, .*found none"):
        read_people(tmp_path / "nowhere", EVERYTHING)


def test_what_is_missing_and_left_out_is_said(measured: PeopleQuality, tmp_path: Path) -> None:
    write_people(tmp_path, "en")
    (tmp_path / "answers_dev.jsonl.gz").unlink()
    people = read_people(tmp_path, Sample(questions="all", same_answer=None))
    said = people_text(measure_people(ScriptedJudge(), people), people)
    assert "answers_dev.jsonl.gz: not in the folder, not measured" in said
    assert "sts_dev.jsonl.gz: 8 rows, 0 left out" in said
    assert "all English pairs of STS, 300 of every other language, all pairs of answers" in said
    assert "arXiv 2305.12421" in said


def test_the_table_has_a_column_for_each_judge_and_each_baseline_once(measured: PeopleQuality) -> None:
    again = measured.model_copy(update={"judge": measured.judge.model_copy(update={"name": "again"})})
    head, _, *lines = people_table([measured, again]).splitlines()
    columns = [cell.strip() for cell in head.split("|")[1:-1]]
    baselines = ["word overlap", "words beyond the question", "cosine_scripted"]
    assert columns == ["agreement with people", "n", "scripted", "again", *baselines]
    first = [cell.strip() for cell in lines[0].split("|")[1:-1]]
    assert first[:4] == ["same answer: AUC", "60", "1.00 [0.83, 1.00]", "1.00 [0.83, 1.00]"]
    assert PeopleQuality.model_validate_json(measured.model_dump_json()) == measured
