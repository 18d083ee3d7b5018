"""Who may publish the figures of a report, withdraw and hide them, and what everybody sees of them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from evaluator.judge_report.published import JudgeFigures
from leaderboard.judge_report.job import ReportJob
from leaderboard.judge_report.publishing import (
    NO_REPORT,
    NOT_AN_ORGANISER,
    NOT_YOURS,
    SAY_WHY,
    SIGN_IN_FIRST,
    ReportPublishing,
    Stated,
)
from leaderboard.page.identity import Identity, Visitor
from leaderboard.page.published_reports import PublishedReports
from leaderboard.page.services import Services
from leaderboard.page.state import JudgeReportState
from submissions.promptsets import PromptSets
from submissions.promptsets.hidden import HiddenTexts
from submissions.store.quotas import Quotas

DATA = Path(__file__).parents[3] / "data" / "judge_logs"
ANNA, BEN, OLGA = Visitor("1", "anna"), Visitor("2", "ben"), Visitor("3", "olga")
STATED = Stated("gpt-4", "MT-bench", "en", "1.50")


@pytest.fixture(scope="module")
def figures() -> tuple[JudgeFigures, ...]:
    return ReportJob(DATA / "fastchat_pair.jsonl").answered(PromptSets.load(None)).figures


@pytest.fixture
def space(services: Services) -> Services:
    """A site where people sign in, and olga organises."""
    identity = Identity(True, True, Quotas(submissions_per_day=2), ("olga",))
    return replace(services, identity=identity)


def published(publishing: ReportPublishing, figures: tuple[JudgeFigures, ...], stated: Stated = STATED) -> str:
    said = publishing.publish(figures, "0", stated, ANNA)
    assert said["kind"] == "good"
    return said["link"].rpartition("=")[2]


def test_a_published_report_has_a_link_that_everybody_may_open(
    space: Services, figures: tuple[JudgeFigures, ...]
) -> None:
    publishing = ReportPublishing(space)
    report_id = published(publishing, figures)
    opened = publishing.opened(JudgeReportState(report=report_id), None)
    assert opened.report is not None
    assert opened.report["title"] == "Judge report: gpt-4 on MT-bench"
    assert opened.report["format"].startswith("Self-reported: ")
    assert opened.report["format"].endswith("by anna.")
    assert opened.acts == frozenset()
    assert opened.files is not None
    document = json.loads(opened.files["files"][1]["text"])
    assert (document["id"], document["self_reported"], document["judge"]) == (report_id, True, "gpt-4")
    assert [one.id for one in PublishedReports(space.store).standing()] == [report_id]


def test_nobody_publishes_without_an_account_or_a_report(space: Services, figures: tuple[JudgeFigures, ...]) -> None:
    publishing = ReportPublishing(space)
    assert publishing.publish(figures, "0", STATED, None) == SIGN_IN_FIRST
    assert publishing.publish((), "0", STATED, ANNA) == NO_REPORT
    refused = publishing.publish(figures, "0", Stated("", ""), ANNA)
    assert (refused["kind"], len(refused["lines"])) == ("bad", 2)
    assert space.store.judge_reports() == []


def test_a_hidden_prompt_is_no_name_of_a_report(
    space: Services, figures: tuple[JudgeFigures, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    prompt = "How long do I have to boil an egg?"
    hiding = replace(space.desk.whole_prompt_sets, hidden_texts=HiddenTexts((("7", "en", prompt),)))
    monkeypatch.setattr(space.desk, "_prompt_sets", hiding)
    for stated in (Stated(prompt, "MT-bench"), Stated("gpt-4", f"our {prompt.upper()}")):
        refused = ReportPublishing(space).publish(figures, "0", stated, ANNA)
        assert refused["kind"] == "bad"
        assert "boil" not in json.dumps(refused).lower()
    assert space.store.judge_reports() == []


def test_what_a_browser_made_up_of_the_choice_is_the_first_judge(
    space: Services, figures: tuple[JudgeFigures, ...]
) -> None:
    for place in ("-1", "7", None, 3, {"a": 1}):
        said = ReportPublishing(space).publish(figures, place, STATED, ANNA)
        assert said["kind"] == "good"  # and the same again is the same report
    assert len(space.store.judge_reports()) == 1


def test_the_quota_of_submissions_bounds_reports(space: Services, figures: tuple[JudgeFigures, ...]) -> None:
    publishing = ReportPublishing(space)
    for number in range(2):
        published(publishing, figures, replace(STATED, data_set=f"set {number}"))
    refused = publishing.publish(figures, "0", STATED, ANNA)
    assert "You have published 2 judge reports within 24 hours" in refused["lines"][0]
    assert publishing.publish(figures, "0", STATED, BEN)["kind"] == "good"


def test_only_its_publisher_withdraws_it_and_then_its_link_says_so(
    space: Services, figures: tuple[JudgeFigures, ...]
) -> None:
    publishing = ReportPublishing(space)
    state = JudgeReportState(report=published(publishing, figures))
    reports = PublishedReports(space.store)
    assert publishing.opened(state, ANNA).acts == {"withdraw"}
    assert publishing.done("withdraw", state.report, BEN) == NOT_YOURS
    assert publishing.done("withdraw", state.report, None) == SIGN_IN_FIRST
    assert len(reports.standing()) == 1
    assert publishing.done("withdraw", state.report, ANNA)["kind"] == "good"
    opened = publishing.opened(state, ANNA)
    assert (opened.report, opened.files, opened.acts) == (None, None, frozenset())
    assert opened.notice is not None
    assert "was withdrawn on" in opened.notice["title"]
    assert reports.standing() == ()
    kinds = [name.kind for name in sorted(space.desk.archive.names(), key=lambda name: name.order)]
    assert kinds == ["judge_report", "report_withdrawal"]


def test_organisers_hide_a_report_with_a_public_reason_and_show_it_again(
    space: Services, figures: tuple[JudgeFigures, ...]
) -> None:
    publishing = ReportPublishing(space)
    state = JudgeReportState(report=published(publishing, figures))
    assert publishing.done("hide", state.report, ANNA, "why not") == NOT_AN_ORGANISER
    assert publishing.done("hide", state.report, OLGA, "  ") == SAY_WHY
    assert publishing.opened(state, OLGA).acts == {"hide"}
    assert publishing.done("hide", state.report, OLGA, "it names a person")["kind"] == "good"
    for visitor in (None, ANNA, OLGA):
        opened = publishing.opened(state, visitor)
        assert opened.report is None
        assert opened.notice is not None
        assert opened.notice["lines"] == ["Reason: it names a person"]
    assert publishing.opened(state, OLGA).acts == {"show"}
    assert publishing.done("show", state.report, OLGA, "it does not")["kind"] == "good"
    assert publishing.opened(state, None).report is not None


def test_a_link_to_no_report_is_told_from_one_that_was_withdrawn(space: Services) -> None:
    opened = ReportPublishing(space).opened(JudgeReportState(report="nothing"), None)
    assert opened.notice is not None
    assert opened.notice["title"] == "No report was published as nothing."
    assert ReportPublishing(space).done("withdraw", "nothing", ANNA)["kind"] == "bad"


def test_what_another_version_published_is_kept_and_not_shown(space: Services) -> None:
    report = space.desk.publish_judge_report('{"version": 2}', owner="1")
    opened = ReportPublishing(space).opened(JudgeReportState(report=report.id), ANNA)
    assert opened.report is None
    assert opened.notice is not None
    assert "another version" in opened.notice["title"]
    assert PublishedReports(space.store).standing() == ()
