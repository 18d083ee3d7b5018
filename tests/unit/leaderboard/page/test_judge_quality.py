"""Which measurements the boards show, and of whom."""

from __future__ import annotations

import hashlib

import pytest

from evaluator.judge_quality.labelled_pairs import labelled_pairs, pairs_digest
from evaluator.judge_quality.measurement import JudgeQuality, pin_sha256
from evaluator.judge_quality.shipped import shipped_qualities
from evaluator.judges.protocol import JudgeRequest
from evaluator.results import Pin
from leaderboard.page.judge_quality import JudgeQualities, quality_sentence
from leaderboard.page.quality_chart import CALIBRATION
from leaderboard.page.services import Services
from tests.unit.leaderboard.boards.robustness.made_results import JUDGE
from tests.unit.leaderboard.page.made_quality import grade_of, made_people, measured_quality

LOCAL = JUDGE.model_copy(update={"name": "transformers", "model": "tiny"})


def current() -> str:
    """The pairs that the shipped measurements were made on."""
    return shipped_qualities()[0].measured_on


def record(services: Services, quality: JudgeQuality) -> None:
    services.store.save_judge_quality(pin_sha256(quality.judge), quality.model_dump_json())


def test_the_shipped_measurements_are_known_without_anything_recorded(services: Services) -> None:
    qualities = JudgeQualities(services.store)
    for shipped in shipped_qualities():
        assert qualities.of(shipped.judge) == shipped
    assert qualities.of(LOCAL) is None
    assert qualities.of(None) is None


def test_a_recorded_measurement_is_shown_for_exactly_the_judge_it_was_made_with(services: Services) -> None:
    qualities = JudgeQualities(services.store)
    assert qualities.of(LOCAL) is None
    measured = measured_quality(LOCAL, measured_on=current())
    record(services, measured)
    assert qualities.of(LOCAL) == measured
    for change in ({"revision": "new"}, {"prompt": "similarity 2"}, {"dtype": "bfloat16"}, {"engine": "other"}):
        assert qualities.of(Pin.model_validate(LOCAL.model_dump() | change)) is None


def test_a_measurement_on_other_pairs_is_not_shown(services: Services) -> None:
    record(services, measured_quality(LOCAL, measured_on="10 labelled pairs, sha256 of long ago"))
    assert JudgeQualities(services.store).of(LOCAL) is None


def test_a_measurement_on_a_sample_is_shown_while_it_is_the_one_that_would_be_drawn(services: Services) -> None:
    pairs = labelled_pairs("test")
    by_hash = sorted(pairs, key=lambda pair: hashlib.sha256(pair.id.encode()).hexdigest())
    first = [pair for pair in pairs if pair in by_hash[:12]]
    for sample, is_shown in ((first, True), (pairs[:12], False)):
        judge = LOCAL.model_copy(update={"revision": str(is_shown)})
        measured = measured_quality(judge, measured_on=pairs_digest(sample))
        record(services, measured)
        assert (JudgeQualities(services.store).of(judge) == measured) is is_shown


def test_a_measurement_of_another_version_does_not_take_the_pages_down(services: Services) -> None:
    services.store.save_judge_quality(pin_sha256(LOCAL), '{"judge": {}, "auc": 1}')
    assert JudgeQualities(services.store).of(LOCAL) is None


def test_a_newer_measurement_takes_the_place_of_the_older_one(services: Services) -> None:
    def always_five(_request: JudgeRequest) -> float:
        return 5.0

    qualities = JudgeQualities(services.store)
    for script, auc in ((grade_of, 1.0), (always_five, 0.5)):  # one score for all pairs: every contest is a tie
        record(services, measured_quality(LOCAL, script, measured_on=current()))
        found = qualities.of(LOCAL)
        assert found is not None
        assert found.quality.auc.value == auc


def test_the_sentence_beside_verdicts_names_accuracy_and_agreement() -> None:
    quality = measured_quality(LOCAL)
    stress = "accuracy 1.00 [0.54, 1.00], AUC 1.00 [0.54, 1.00] on 12 pairs of our stress test"
    assert quality_sentence(quality) == f"transformers judge: agreement with people not measured; {stress}"
    asked = quality.model_copy(update={"people": made_people(LOCAL)})
    assert quality_sentence(asked) == (
        "transformers judge: agrees with people with accuracy 1.00 [0.54, 1.00], AUC 1.00 [0.54, 1.00] on 12 pairs of "
        f"answers; {stress}"
    )
    assert quality_sentence(measured_quality(JUDGE)).startswith("embedding judge: agreement")


def test_a_measurement_recorded_without_people_keeps_the_agreement_that_ships(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = made_people(LOCAL)
    monkeypatch.setattr("leaderboard.page.judge_quality.shipped_people", {LOCAL: people}.get)
    record(services, measured_quality(LOCAL, measured_on=current()))
    found = JudgeQualities(services.store).of(LOCAL)
    assert found is not None
    assert found.people == people


def test_a_chart_of_the_calibration_has_a_point_for_every_bin_and_a_table_behind_it() -> None:
    figure, table = CALIBRATION.values(measured_quality(LOCAL), is_dark=False)
    points = figure.data[1]
    # scores are the grades: 0 in the first bin, 5 in the last, six pairs each
    assert (list(points.x), list(points.y), list(points.text)) == ([0.0, 5.0], [0.0, 5.0], ["6", "6"])
    assert [[cell["text"] for cell in row["cells"]] for row in table["rows"]] == [
        ["0.0 to 0.5", "6", "0.00", "0.00"],
        ["4.5 to 5.0", "6", "5.00", "5.00"],
    ]


def test_a_judge_that_scored_nothing_has_a_chart_that_says_so() -> None:
    quality = measured_quality(LOCAL).model_copy(update={"calibration": ()})
    figure, _ = CALIBRATION.values(quality, is_dark=True)
    assert "No labelled pair was scored." in figure.layout.annotations[0].text.replace("<br>", " ")
