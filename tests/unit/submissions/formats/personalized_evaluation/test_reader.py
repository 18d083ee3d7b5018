"""Files of predicted ratings and choices: what is read of them, and every fault at its place."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from submissions.__main__ import main
from submissions.formats.personalized_evaluation import submission
from submissions.formats.personalized_evaluation.reader import PerseReading
from submissions.formats.personalized_evaluation.submission import (
    ASPECTS,
    Memorized,
    PairsSubmission,
    RatingsSubmission,
    Scale,
)
from submissions.formats.personalized_evaluation.template import pairs_template, ratings_template
from submissions.problem_codes import CODES, PERSE_CODES
from submissions.reading.limits import Limits
from submissions.schema import Names
from tests.readings import predictions, read_as
from tests.unit.submissions.formats.personalized_evaluation.prediction_files import (
    Document,
    check,
    pair_item,
    pairs,
    rating_item,
    ratings,
    told,
)

ROOT = Path(__file__).parents[5]

# --- what is read ----------------------------------------------------------------------------------------------------


def test_ratings_are_read_with_their_profiles_and_scales() -> None:
    item = rating_item(shuffled_scores=[6, None], review="x", reference_review="y", memorized=True, item_id="door")
    report = check(ratings([item], scale=[0, 100], gold_scale=None))
    assert report.problems == []
    read = predictions(report)
    assert isinstance(read, RatingsSubmission)
    assert (read.dataset, read.k, read.scale, read.gold_scale) == ("own", 2, Scale(0, 100), Scale(1, 10))
    assert read.names == Names("aurora", "aurora-reader", "org/aurora-7b", "greedy")
    (found,) = read.items
    assert [(one.text, one.review, one.score, one.item_id) for one in found.profile] == [
        ("A lamp burns for a year.", "Dull.", 3.0, None),
        ("A bridge learns to sing.", "", 9.0, "bridge"),
    ]
    assert (found.score, found.response, found.shuffled_scores, found.memorized) == (6.5, None, (6.0, None), True)
    assert report.entry is read
    assert read_as(PerseReading, report).coverage == submission.PerseCoverage(
        n_items=1, n_reviewers=1, n_with_answer=1, k=2
    )


def test_choices_are_read_under_canonical_names() -> None:
    item = pair_item(
        aspect="character", choice=None, response="Plot A", choice_swapped="B", memorized={"a": True, "b": False}
    )
    read = predictions(check(pairs([item])))
    assert isinstance(read, PairsSubmission)
    (found,) = read.items
    assert (found.aspect, found.gold, found.choice_swapped) == ("Character Development", "A", "B")
    assert (found.choice, found.response, found.memorized) == (None, "Plot A", Memorized(a=True, b=False))
    assert found.profile[0].choice == "B"


@pytest.mark.parametrize("name", ["I", "a", "Surprise", "CHARACTER DEVELOPMENT", " Character ", "ending"])
def test_aspects_have_many_spellings(name: str) -> None:
    assert check(pairs([pair_item(aspect=name)])).problems == []


def test_the_collection_is_that_of_the_golds_and_of_nothing_else() -> None:
    first, second = rating_item(0), rating_item(1)
    same = [ratings([first, second]), ratings([second, {**first, "score": 2, "text": "Another."}], k=2, run="other")]
    assert {predictions(check(document)).collection for document in same} == {collection_of_two()}
    other = predictions(check(ratings([first, {**second, "gold": 6}])))
    assert other.collection != collection_of_two()


def collection_of_two() -> str:
    """By the rule of the specification, section 3: id, reader and gold as a number with a point, sorted."""
    return hashlib.sha256(b'[["r0","reader 0",7.0],["r1","reader 1",7.0]]').hexdigest()[:16]


def test_a_file_without_answers_is_accepted() -> None:
    report = check(ratings([rating_item(score=None)]))
    assert report.decision == "accepted"
    coverage = read_as(PerseReading, report).coverage
    assert coverage is not None
    assert coverage.n_with_answer == 0


def test_names_of_the_form_fill_what_the_file_leaves_open() -> None:
    document = ratings()
    del document["team"]
    assert told(check(document)) == [("envelope_field", "team")]
    assert check(document, Names(team="boreas")).names.team == "boreas"


# --- faults ----------------------------------------------------------------------------------------------------------

FAULTS: list[tuple[str, str, Document]] = [
    ("envelope_field", "k", ratings(k=True)),
    ("envelope_field", "k", ratings(k=-1)),
    ("envelope_field", "dataset", ratings(dataset=" ")),
    ("envelope_field", "scale", ratings(scale=[10, 1])),
    ("envelope_field", "gold_scale", ratings(gold_scale=[1, "5"])),
    ("envelope_field", "date", ratings(date="yesterday")),
    ("no_items", "items", ratings([])),
    ("missing_field", "items[1]", ratings([rating_item(), 7])),  # type: ignore[list-item]
    ("missing_field", "items[0].reviewer", ratings([rating_item(reviewer=" ")])),
    ("missing_field", "items[0].text", ratings([rating_item(text=None)])),
    ("missing_field", "items[0].profile", ratings([rating_item(profile=None)])),
    ("missing_field", "items[0].profile[1]", ratings([rating_item(profile=[rating_item()["profile"][0], 4])])),
    (
        "missing_field",
        "items[0].profile[0].review",
        ratings([rating_item(profile=[{"text": "t", "score": 3}])], k=1),
    ),
    ("missing_field", "items[0].response", ratings([rating_item(response=5, score=None)])),
    ("missing_field", "items[0].shuffled_scores", ratings([rating_item(shuffled_scores="5, 6")])),
    ("missing_field", "items[0].shuffled_scores[1]", ratings([rating_item(shuffled_scores=[5, True])])),
    ("missing_field", "items[0].memorized", ratings([rating_item(memorized="no")])),
    ("missing_field", "items[0].item_id", ratings([rating_item(item_id=4)])),
    ("duplicate_id", "items[1].id", ratings([rating_item(), rating_item()])),
    ("profile_length", "items[0].profile", ratings([rating_item()], k=3)),
    ("score_out_of_range", "items[0].gold", ratings([rating_item(gold=10.5)])),
    ("score_out_of_range", "items[0].profile[1].score", ratings([rating_item()], gold_scale=[1, 8])),
    ("score_out_of_range", "items[0].shuffled_scores[0]", ratings([rating_item(shuffled_scores=[0, 1])])),
    ("score_and_response", "items[0].score", ratings([rating_item(response="")])),
    ("shuffle_count", "items[0].shuffled_scores", ratings([rating_item(shuffled_scores=[5])])),
    (
        "shuffle_count",
        "items[1].shuffled_scores",
        ratings([rating_item(0, shuffled_scores=[5, 6]), rating_item(1, shuffled_scores=[5, 6, 7])]),
    ),
    (
        "shuffles_need_two_reviews",
        "items[0].shuffled_scores",
        ratings([rating_item(profile=[], shuffled_scores=[])], k=0),
    ),
    ("unknown_field", "items[0].stars", ratings([rating_item(stars=5)])),
    (
        "unknown_field",
        "items[0].profile[0].stars",
        ratings([rating_item(profile=[{"text": "t", "review": "", "score": 1, "stars": 2}])], k=1),
    ),
    ("unknown_field", "colour", ratings(colour="red")),
    ("unknown_field", "scale", pairs(scale=[1, 10])),
    ("missing_field", "items[0].aspect", pairs([pair_item(aspect=None)])),  # type: ignore[arg-type]
    ("missing_field", "items[0].comparison", pairs([pair_item(comparison="")])),
    ("missing_field", "items[0].gold", pairs([pair_item(gold=None)])),
    ("missing_field", "items[0].memorized", pairs([pair_item(memorized={"a": True})])),
    ("missing_field", "items[0].choice", pairs([pair_item(choice=1)])),
    (
        "bad_choice",
        "items[0].profile[0].choice",
        pairs([pair_item(profile=[{"text_a": "a", "text_b": "b", "choice": "N/A"}])]),
    ),
    ("bad_choice", "items[0].choice_swapped", pairs([pair_item(choice_swapped="")])),
    ("choice_and_response", "items[0].choice", pairs([pair_item(response="A")])),
    ("unknown_aspect", "items[0].aspect", pairs([pair_item(aspect="Humour")])),
    ("duplicate_item", "items[1]", pairs([pair_item(), pair_item(id="other")])),
]


@pytest.mark.parametrize(("code", "path", "document"), FAULTS, ids=[f"{code} {path}" for code, path, _ in FAULTS])
def test_a_fault_is_told_alone_at_its_place(code: str, path: str, document: Document) -> None:
    report = check(json.loads(json.dumps(document)))
    assert told(report) == [(code, path)]
    (problem,) = report.problems
    assert problem.severity == CODES[code].severity
    assert problem.line == 1
    assert problem.message
    assert problem.hint
    assert (report.entry is None) == (problem.severity == "error")


def test_every_code_of_these_kinds_has_such_a_file() -> None:
    assert {code for code, _, _ in FAULTS} >= set(PERSE_CODES)


def test_all_faults_of_a_file_are_told_at_once() -> None:
    items = [rating_item(0, gold="7", score=11, memorized=3, profile=[]), rating_item(0, response="x")]
    assert told(check(ratings(items, k=2, dataset=None))) == [
        ("envelope_field", "dataset"),
        ("profile_length", "items[0].profile"),
        ("missing_field", "items[0].gold"),
        ("score_out_of_range", "items[0].score"),
        ("missing_field", "items[0].memorized"),
        ("duplicate_id", "items[1].id"),
        ("score_and_response", "items[1].score"),
    ]


def test_a_scale_that_cannot_be_read_makes_no_further_faults() -> None:
    assert told(check(ratings([rating_item(score=50, gold=60)], scale=5, gold_scale=[2]))) == [
        ("envelope_field", "scale"),
        ("envelope_field", "gold_scale"),
    ]


def test_a_number_that_json_does_not_know_is_told_once() -> None:
    data = json.dumps(ratings([rating_item(gold=123)])).replace("123", "NaN").encode()
    assert told(check(data)) == [("json_nan", "items[0].gold")]


def test_unknown_fields_are_told_once_with_their_number() -> None:
    report = check(ratings([rating_item(0, stars=1), rating_item(1, stars=2)]))
    assert told(report) == [("unknown_field", "items[0].stars")]
    assert "2 times" in report.problems[0].message
    assert report.decision == "accepted_with_warnings"


def test_more_items_than_are_read_are_refused() -> None:
    report = check(ratings(), limits=Limits(perse_items=1))
    assert told(report) == [("file_too_big", "items[1]")]


def test_these_kinds_may_be_larger_than_other_json() -> None:
    limits = Limits(json_bytes=500, upload_bytes=100_000, json_values=60)
    for document in (ratings(), pairs()):
        assert check(document, limits=limits).decision == "accepted"


# --- template and command --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("template", [ratings_template, pairs_template])
def test_a_template_is_valid_but_for_the_names(template: Any) -> None:
    data = template().encode()
    assert {code for code, _ in told(check(data))} == {"source_placeholder"}
    assert check(data, Names("aurora", "reader", "org/m", "1")).problems == []


def test_the_template_of_choices_asks_all_five_aspects() -> None:
    assert [item["aspect"] for item in json.loads(pairs_template())["items"]] == list(ASPECTS)


@pytest.mark.parametrize("kind", submission.PERSE_KINDS)
def test_the_commands_write_and_check_a_file(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "predictions.json"
    assert main(["template", "--set", kind, "--output", str(file)]) == 0
    names = ["--team", "aurora", "--system", "reader", "--model", "org/m", "--run", "1"]
    assert main(["check", str(file), *names]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"accepted: predictions.json ({kind})\n")
    assert "predictions: " in shown
    with pytest.raises(SystemExit):
        main(["template", "--set", kind, "--answer-sheet"])


def test_the_examples_of_the_documentation_are_accepted() -> None:
    text = (ROOT / "docs/personalized_evaluation.md").read_text("utf-8")
    examples = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    assert [json.loads(example)["kind"] for example in examples] == list(submission.PERSE_KINDS)
    for example in examples:
        assert check(example.encode()).problems == []


def test_a_fault_repeated_without_end_is_counted_without_end() -> None:
    item = rating_item(profile=[{}, 1] * 1_000)
    counts = check(ratings([item], k=2_000)).problems_by_code
    assert counts == {"missing_field": 4_000}  # text, review and score of each object; each number
