"""The page of judges that run here, without a browser."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from evaluator.canary.record import opened_record
from evaluator.judge_quality import shipped
from evaluator.judge_quality.measurement import pin_sha256
from evaluator.judge_report.figure import Figure
from evaluator.judge_report.published import PublishedFigures
from evaluator.values import judge_digest
from leaderboard.boards.judge_quality.columns import JUDGE_QUALITY_COLUMNS
from leaderboard.boards.judge_quality.rows import row_id
from leaderboard.boards.judge_quality.screen import JudgeQualityScreen
from leaderboard.boards.judge_quality.state import JudgeQualityState
from leaderboard.page.board_table import first_look
from leaderboard.page.canaries import Canaries
from leaderboard.page.judge_quality import JudgeQualities
from leaderboard.page.published_reports import PublishedReports
from leaderboard.page.services import Services
from leaderboard.page.state import chosen
from submissions.store.votes import JudgedPair, Reading, Stance
from tests.unit.leaderboard.boards.judge_quality.test_rows import is_right, pin
from tests.unit.leaderboard.page.made_quality import tried_quality

opened_judge = chosen("judge")

FIRST = JudgeQualityState()


@pytest.fixture
def screen(services: Services, monkeypatch: pytest.MonkeyPatch) -> JudgeQualityScreen:
    """A site on which one judge was measured, on twelve pairs."""
    measured = tried_quality(pin("right"), is_right)
    monkeypatch.setattr("leaderboard.page.judge_quality.current_pairs", lambda: measured.measured_on)
    monkeypatch.setattr("leaderboard.page.judge_quality.shipped_qualities", lambda: ())
    services.store.save_judge_quality(pin_sha256(measured.judge), measured.model_dump_json())
    return JudgeQualityScreen(
        JudgeQualities(services.store), ("pair",), lambda judge: None, PublishedReports(services.store)
    )


def test_measured_judges_stand_above_those_that_were_not(screen: JudgeQualityScreen) -> None:
    names = [row.name for row in screen.board.rows(FIRST)]
    assert names[0] == "right"
    assert set(names[-len(shipped.SHIPPED_JUDGES) :]) == set(shipped.SHIPPED_JUDGES)
    (row,) = [row for row in screen.board.value(FIRST)["rows"] if row["id"] == row_id(pin("right"))]
    assert "1.00 [0.54, 1.00]" in [cell["text"] for cell in row["cells"]]


def test_an_opened_judge_tells_what_moves_it_by_length_and_place(screen: JudgeQualityScreen) -> None:
    state = opened_judge(FIRST, row_id(pin("right")))
    attacks, shared = screen.attacks_table(state), screen.shared_table(state)
    assert attacks is not None
    assert shared is not None
    assert [row["id"] for row in attacks["rows"]] == [
        *("all attacks", "attack before", "attack after", "attack inside", "harmless sentences")
    ]
    # 60 attacks at 3 places on 2 pairs; is_right looks at the words of the pair alone
    assert [cell["text"] for cell in attacks["rows"][0]["cells"]][1:3] == ["360", "0.00 [0.00, 0.00]"]
    assert [row["id"] for row in shared["rows"]][1] == "12 words before"
    cards = screen.cards(state)
    assert cards is not None
    facts = {fact["name"]: fact["text"] for fact in cards["cards"][0]["facts"]}
    assert (facts["Calibration error"], facts["Order shift"]) == ("0.00", "0.00 [0.00, 0.00]")
    assert "CPU seconds" in facts["1,000 pairs"]
    here = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout
    commit = facts["Measured at commit"].removesuffix(" (stress test)").removesuffix("-dirty")
    assert len(commit) >= 8
    assert here.startswith(commit)
    assert screen.calibration(state) is not None
    said = screen.judge_notice(state)
    assert said is not None
    assert said["title"] == "right: measured"
    assert said["lines"][0].startswith("right scores two right answers above a right and a wrong one 100.0% [54.")


def test_a_null_row_has_a_card_and_a_judge_not_measured_a_notice(screen: JudgeQualityScreen) -> None:
    null, missing = opened_judge(FIRST, "null/word_overlap"), opened_judge(FIRST, "configured/pair")
    card = screen.cards(null)
    assert card is not None
    assert card["cards"][0]["notes"] == ["baseline: not a judge"]
    new_words = screen.cards(opened_judge(FIRST, "null/new_words"))
    assert new_words is not None
    (auc, _) = new_words["cards"][0]["facts"]
    assert (auc["name"], auc["text"]) == ("Agreement with people", "AUC 0.50 [0.50, 0.50] on 12 pairs of answers")
    assert (screen.attacks_table(null), screen.shared_table(null), screen.calibration(null)) == (None, None, None)
    assert screen.cards(missing) is None
    notice = screen.judge_notice(missing)
    assert notice is not None
    assert notice["lines"][1:] == ["python -m evaluator judge-quality --judge pair --record."]


def test_a_link_to_a_judge_that_is_gone_says_so(screen: JudgeQualityScreen) -> None:
    known, unknown = replace(FIRST, judge="null/length_ratio"), replace(FIRST, judge="gone")
    assert screen.understood(known) == (known, [])
    assert screen.understood(unknown) == (FIRST, ["The link's judge (gone) is unknown here and was ignored."])
    assert first_look(known) == FIRST
    assert opened_judge(known, None) == known


def test_a_newer_measurement_is_seen_without_a_restart(screen: JudgeQualityScreen, services: Services) -> None:
    assert "late" not in [row.name for row in screen.rows()]
    late = tried_quality(pin("late"), is_right)
    services.store.save_judge_quality(pin_sha256(late.judge), late.model_dump_json())
    assert "late" in [row.name for row in screen.rows()]


PUBLISHED = PublishedFigures(
    judge="gpt-4",
    data_set="MT-bench",
    languages=("en",),
    price_usd=1.5,
    format="any",
    questions=80,
    systems=2,
    comparisons=160,
    ratings=40,
    figures=(
        Figure("label_accuracy", "Agreement", 0.75, 0.6, 0.9, 100, "comparisons", "m"),
        Figure("position_consistency", "Consistency", 0.5, 0.4, 0.6, 80, "pairs", "m"),
        Figure("flicker", "Ratings that change", 0.25, 0.125, 0.5, 40, "answers", "m"),
    ),
    missing=(),
)


def cells_of(screen: JudgeQualityScreen, row: str) -> dict[str, str]:
    """Every column of a row as people read it."""
    found = next(one for one in screen.rows() if one.id == row)
    return {column.key: column.text(found) for column in JUDGE_QUALITY_COLUMNS}


def test_a_published_report_stands_beside_what_was_measured_until_it_is_withdrawn(
    services: Services, screen: JudgeQualityScreen
) -> None:
    before, marker = len(screen.rows()), screen.marker()
    report = services.store.publish_judge_report(
        "r1", owner="1", owner_name="anna", payload=PUBLISHED.model_dump_json()
    )
    assert screen.marker() != marker
    cells = cells_of(screen, "report/r1")
    assert cells["judge"] == "gpt-4 (self-reported)"
    assert (cells["data_set"], cells["languages"], cells["price"]) == ("MT-bench", "en", "1.50")
    assert (cells["people"], cells["order_consistency"]) == ("0.75 [0.60, 0.90]", "0.50 [0.40, 0.60]")
    # A quarter of the answers changed, between an eighth and a half: three quarters stayed, between half and 7/8.
    assert cells["repetition"] == "0.75 [0.50, 0.88]"
    # Nothing stands where nothing was measured, and nothing is ranked.
    empty = ("same_answer", "likeness", "likeness_others", "auc", "people_kappa", "shared_text", "injection")
    assert {cells[key] for key in empty} == {"not measured"}
    assert cells["rank"] == ""
    notice = screen.judge_notice(opened_judge(FIRST, "report/r1"))
    assert notice is not None
    assert notice["link"] == "?tab=judge_report&report=r1"
    assert screen.cards(opened_judge(FIRST, "report/r1")) is None
    services.store.withdraw_judge_report(report.id, "1")
    assert len(screen.rows()) == before


def test_a_cell_tells_its_n_or_why_it_is_empty(services: Services, screen: JudgeQualityScreen) -> None:
    services.store.publish_judge_report("r1", owner="1", payload=PUBLISHED.model_dump_json())
    hints = {column.key: column.hint for column in JUDGE_QUALITY_COLUMNS if column.hint}
    reported = next(row for row in screen.rows() if row.id == "report/r1")
    measured = next(row for row in screen.rows() if row.name == "right")
    assert [hints[key](reported) for key in ("people", "repetition")] == ["n = 100", "n = 40"]
    assert "without labels" in hints["people_kappa"](reported)
    assert "asked here" in hints["same_answer"](reported)
    assert hints["same_answer"](measured) == "n = 12"
    assert "added texts" in hints["injection"](reported)
    assert "nobody has voted" in hints["people"](measured)
    assert hints["injection"](measured) == "n = 360"


def test_votes_of_people_stand_beside_the_judge_they_are_about(services: Services, screen: JudgeQualityScreen) -> None:
    assert cells_of(screen, row_id(pin("right")))["people"] == "not measured"
    for number, (reading, stance) in enumerate((("same", "agree"), ("different", "agree"), ("different", "disagree"))):
        pair = JudgedPair(
            f"v{number}", judge_digest(pin("right")), "right", cast(Reading, reading), 1.0, f"item {number}", "ticket"
        )
        services.store.cast_vote("anna", pair, cast(Stance, stance))
    # Two of three agree; three items are too few for an interval.
    assert cells_of(screen, row_id(pin("right")))["people"] == "0.67"


def test_an_opened_judge_that_is_watched_has_the_course_of_its_canary(services: Services, tmp_path: Path) -> None:
    judge = shipped.shipped_qualities()[0].judge
    qualities = JudgeQualities(services.store, Canaries(tmp_path))
    screen = JudgeQualityScreen(qualities, (), lambda judge: None, PublishedReports(services.store))
    state = opened_judge(FIRST, row_id(judge))
    assert screen.opened(state) is not None
    assert screen.canary(state) is None
    with opened_record(tmp_path, judge, "0" * 64, 40) as record:
        for _ in range(9):  # a baseline of eight askings, and a round
            record.add([4.0] * 40)
    value = screen.canary(state)
    assert value is not None
    table = value["charts"][0]["table"]
    assert table is not None
    assert [row["cells"][-1]["text"] for row in table["rows"]] == ["no change"]
