"""Publishing the figures of a report, and what may be done with them later; no components.

Whoever asks is checked at every act, not when buttons are drawn.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evaluator.judge_report.published import JudgeFigures, PublishedFigures, Unpublishable, published_figures
from evaluator.judge_report.text import published_html, published_title
from leaderboard.judge_report.screen import HTML, FilesValue
from leaderboard.judge_report.values import ReportValue, published_value
from leaderboard.page.identity import Visitor
from leaderboard.page.links import address_of
from leaderboard.page.published_reports import StandingReport, standing_report
from leaderboard.page.services import Services
from leaderboard.page.state import JudgeReportState
from leaderboard.parts.downloads import JSON, file_value
from leaderboard.parts.notices import NoticeValue, notice
from leaderboard.parts.visible_text import visible
from submissions.store.decisions import MOST_REASON
from submissions.store.judge_reports import PublishedReport
from submissions.store.queue import NotYours
from submissions.store.quotas import QuotaExceeded
from submissions.store.store import StoreError

ReportAct = Literal["withdraw", "hide", "show"]

NO_REPORT = notice("warning", "Make a report first: nothing has been read yet.")
SIGN_IN_FIRST = notice("bad", "Sign in first: what is published belongs to an account, which alone can withdraw it.")
NOT_YOURS = notice("bad", "Only the account that published this report can withdraw it.")
NOT_AN_ORGANISER = notice("bad", "Only organisers can do that.")
SAY_WHY = notice("warning", f"Say why, in at most {MOST_REASON} characters: everybody can read it.")
WHAT_IS_PUBLISHED = (
    "Published are the figures of one judge as they stand below, under the names you give here, with a link of their "
    "own and a row on the board *Which judge?*, marked self-reported. Not published are the file, prompts, answers, "
    "single verdicts, the names of systems, and corrected scores, which name them. You can withdraw it at any time."
)


@dataclass(frozen=True, slots=True)
class Stated:
    """What a publisher says of the figures, as it was typed."""

    judge: str
    data_set: str
    languages: str = ""
    price: str = ""
    """US dollars for 1,000 verdicts; blank = not stated."""


@dataclass(frozen=True, slots=True)
class OpenedReport:
    """What the page shows of a published report, and what its visitor may do with it."""

    notice: NoticeValue | None
    report: ReportValue | None = None
    files: FilesValue | None = None
    acts: frozenset[ReportAct] = frozenset()
    standing: StandingReport | None = None


class ReportPublishing:
    """What publishers and organisers do."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def publish(
        self, figures: Sequence[JudgeFigures], place: object, stated: Stated, visitor: Visitor | None
    ) -> NoticeValue:
        """Publishes the figures of one judge of a report; says under which link, or why not.

        Args:
            figures: Of the report that was read last.
            place: Number of the judge among them, as the browser sent it.
        """
        if not figures:
            return NO_REPORT
        if visitor is None:
            return SIGN_IN_FIRST
        judge_figures = figures[int(place)] if isinstance(place, str) and place in _places(figures) else figures[0]
        try:
            report, payload = self.kept(judge_figures, stated, visitor)
        except Unpublishable as error:
            return notice("bad", "Not published.", *map(visible, error.problems))
        except (QuotaExceeded, StoreError) as error:
            return notice("bad", "Not published.", visible(str(error)))
        return {
            **notice("good", "Published.", "It has a link of its own, and a row on the board “Which judge?”."),
            "link": address_of(JudgeReportState(report=report.id)),
            "link_text": visible(published_title(payload)),
        }

    def kept(self, figures: JudgeFigures, stated: Stated, visitor: Visitor) -> tuple[PublishedReport, PublishedFigures]:
        """Publishes figures in the name of an account.

        Raises:
            Unpublishable: where what is stated is wrong, or holds a hidden prompt.
            QuotaExceeded, StoreError: where the store does not take them.
        """
        payload = published_figures(
            figures, judge=stated.judge, data_set=stated.data_set, languages=stated.languages, price=stated.price
        )
        told = "\n".join((stated.judge, stated.data_set, stated.languages))
        if repeated := self._services.desk.whole_prompt_sets.hidden_texts.found(told):
            raise Unpublishable([f"What it is called holds a hidden prompt ({repeated[0]}): choose other names."])
        report = self._services.desk.publish_judge_report(
            payload.model_dump_json(),
            owner=visitor.owner,
            owner_name=visitor.name,
            per_day=self._services.identity.quotas.submissions_per_day,
        )
        return report, payload

    def opened(self, state: JudgeReportState, visitor: Visitor | None) -> OpenedReport:
        """The published report that a link names."""
        if not state.report:
            return OpenedReport(None)
        kept = self._services.store.judge_report(state.report)
        if kept is None:
            return OpenedReport(
                notice("warning", f"No report was published as {state.report}.", "Check the link for a typing error.")
            )
        acts = self._acts(kept, visitor)
        standing = standing_report(kept)
        if standing is None:
            return OpenedReport(_gone(kept), acts=acts)
        page = published_html(standing.figures, standing.stated)
        files: FilesValue = {
            "files": [
                file_value(f"judge-report-{kept.id}.html", HTML, page),
                file_value(f"judge-report-{kept.id}.json", JSON, _as_json(standing)),
            ],
            "has_labels": False,
        }
        return OpenedReport(None, published_value(standing.figures, standing.stated), files, acts, standing)

    def done(self, act: ReportAct, report_id: str, visitor: Visitor | None, reason: str = "") -> NoticeValue:
        """Withdraws, hides or shows a report again; says what came of it."""
        if act == "withdraw":
            return self._withdrawn(report_id, visitor)
        if visitor is None or not self._services.identity.is_organiser(visitor):
            return NOT_AN_ORGANISER
        why = reason.strip()
        if not why or len(why) > MOST_REASON:
            return SAY_WHY
        try:
            self._services.desk.act(act, report_id, actor=visitor.owner, actor_name=visitor.name, reason=why)
        except StoreError as error:
            return notice("bad", visible(str(error)))
        return notice("good", "Hidden; the reason is public." if act == "hide" else "Everybody can read it again.")

    def _withdrawn(self, report_id: str, visitor: Visitor | None) -> NoticeValue:
        if visitor is None:
            return SIGN_IN_FIRST
        try:
            self._services.desk.withdraw_judge_report(report_id, visitor.owner)
        except NotYours:
            return NOT_YOURS
        except StoreError as error:
            return notice("bad", visible(str(error)))
        return notice("good", "Withdrawn; its link says so, and nothing more.")

    def _acts(self, kept: PublishedReport, visitor: Visitor | None) -> frozenset[ReportAct]:
        acts: set[ReportAct] = set()
        if kept.withdrawn_at is None and visitor is not None:
            if visitor.owner == kept.owner:
                acts.add("withdraw")
            if self._services.identity.is_organiser(visitor):
                acts.add("show" if kept.hidden is not None else "hide")
        return frozenset(acts)


def _places(figures: Sequence[JudgeFigures]) -> list[str]:
    return [str(place) for place in range(len(figures))]


def _gone(kept: PublishedReport) -> NoticeValue:
    if kept.withdrawn_at is not None:
        return notice("plain", f"This report was withdrawn on {kept.withdrawn_at:%Y-%m-%d} by whoever published it.")
    if kept.hidden is not None:
        return notice("plain", "This report was hidden by the organisers.", f"Reason: {visible(kept.hidden)}")
    return notice("warning", "This report was published by another version of this site, which alone can show it.")


def _as_json(standing: StandingReport) -> str:
    about = {"id": standing.id, "published_at": standing.published_at.isoformat(), "published_by": standing.by}
    return json.dumps(about | {"self_reported": True, **standing.figures.model_dump(mode="json")}, allow_nan=False)
