"""Short plain answers in five languages: what the heads are measured on, and nothing else is made of."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from evaluator.judge_quality.answers.quality import shipped_language_quality, shipped_quality
from evaluator.judge_quality.labelled_pairs import Split
from evaluator.judges.answers.non_answers import native_sentences
from evaluator.judges.answers.other_languages import joined_pin
from evaluator.judges.scripted import ScriptedJudge
from research.answers.examples import FACTS, labelled_answers
from research.answers.examples_by_language import OF_EXAMPLES, example_runs, written_in
from research.answers.plain_answers import (
    EMPTY_KINDS,
    LANGUAGES,
    PARTS,
    measure_plain,
    plain_answers,
    plain_quality_text,
    shipped_plain_quality,
)

DOCS = Path(__file__).parents[4] / "docs" / "answer_gate.md"
SPLITS: tuple[Split, ...] = ("train", "validation", "test")


def test_every_language_answers_60_everyday_questions_once_and_30_about_customs_twice_in_4_to_15_words() -> None:
    for language in LANGUAGES:
        for part, questions in zip(PARTS, (60, 30), strict=True):
            texts = plain_answers(language, part)
            answers = [text for text in texts if text.is_answer]
            assert len({text.topic for text in texts}) == questions
            assert len(answers) == len({text.text for text in answers}) == 60
            assert all(4 <= len(text.text.split()) <= 15 for text in answers)
            of_kinds = {kind: sum(text.kind == kind for text in texts) for kind in (*EMPTY_KINDS, FACTS)}
            assert of_kinds == dict.fromkeys((*EMPTY_KINDS, FACTS), 60)


def test_nothing_that_a_head_was_trained_calibrated_or_measured_on_is_among_them() -> None:
    seen = {text for split in SPLITS for answer in labelled_answers(split) for text in (answer.prompt, answer.text)}
    for language in OF_EXAMPLES:
        of_language = [*(answer for split in SPLITS for answer in written_in(language, split)), *example_runs(language)]
        seen |= {text for answer in of_language for text in (answer.prompt, answer.text)}
    null = {sentence for language in LANGUAGES for some in native_sentences(language).values() for sentence in some}
    sentences = files("research.answers").joinpath("plain_non_answers.tsv").read_text(encoding="utf-8")
    assert null.isdisjoint(line.split("\t")[2].replace("{subject}", "{}") for line in sentences.splitlines())
    for language in LANGUAGES:
        for part in PARTS:
            texts = plain_answers(language, part)
            assert seen.isdisjoint({text for answer in texts for text in (answer.prompt, answer.text)})


def test_an_answer_of_the_other_questions_stands_beside_each() -> None:
    for text in plain_answers("sv", "customs"):
        if text.kind == "other_item":
            own = {one.text for one in plain_answers("sv", "customs") if one.is_answer and one.topic == text.topic}
            assert text.text not in own


def test_a_judge_that_knows_restated_prompts_alone_is_measured_as_such() -> None:
    judge = ScriptedJudge(answers=lambda asked: float(asked.fields["prompt_1"] not in asked.fields["answer"]))
    measured = measure_plain(judge)
    assert [(one.part, one.language) for one in measured] == [(part, one) for part in PARTS for one in LANGUAGES]
    for one in measured:
        assert one.answers_above == 1.0
        nothing = dict.fromkeys(("refusal", "hedge", "promise", FACTS, "other_item"), 0.0)
        assert one.below == {"own_prompt": 1.0, **nothing}
        # Of the 240 texts that answer nothing, 60 lie below the answers and 180 beside them: (60 + 180 / 2) / 240.
        assert one.auc == 0.625
    rows = plain_quality_text(measured).splitlines()
    assert rows[2] == "| everyday | de | 60 | 1.000 | 0.625 | 1.000 | 0.000 | 0.000 | 0.000 | 0.000 |"


def test_a_judge_that_does_not_read_a_language_is_told_so() -> None:
    english = ScriptedJudge(answers=lambda asked: 1.0 if asked.language == "en" else None)
    with pytest.raises(ValueError, match=r"de, everyday: .* was left unscored"):
        measure_plain(english)


def test_the_page_shows_what_was_measured_of_the_heads_that_ship() -> None:
    shipped = shipped_plain_quality()
    page = DOCS.read_text(encoding="utf-8")
    titles = {
        "own_prompt": "below 0.5: the prompt itself",
        "refusal": "refusals",
        "hedge": "hedges",
        "promise": "promises",
        "subject_facts": "facts about the subject",
    }
    parts = [[one for one in shipped if one.part == part] for part in PARTS]
    shown = {title: [[one.below[kind] for one in ones] for ones in parts] for kind, title in titles.items()}
    shown["answers above 0.5"] = [[one.answers_above for one in ones] for ones in parts]
    shown["AUC"] = [[one.auc for one in ones] for ones in parts]
    for title, columns in shown.items():
        ranges = [f"{min(values):.3f} to {max(values):.3f}" for values in columns]
        assert f"| {title} | {' | '.join(ranges)} |" in page
    heads = joined_pin(shipped_quality().judge, shipped_language_quality()["de"].judge)
    assert {one.head for one in shipped} == {heads.prompt}
