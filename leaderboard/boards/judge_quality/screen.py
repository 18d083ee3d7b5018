"""Values that the page of judges that run here shows; no components, so that it is tested without a browser."""

from __future__ import annotations

from dataclasses import replace
from threading import Lock

from evaluator.judge_quality.measurement import JudgeQuality
from evaluator.judge_quality.shipped import shipped_qualities
from evaluator.judge_quality.trial_values import Effect, JudgeTrials, SharedTextEffect
from evaluator.judge_quality.trials import trials_digest
from evaluator.results import MetricValue, Pin
from leaderboard.boards.judge_quality.rows import MeasuredJudge, asked_people, judge_rows, reported_rows
from leaderboard.boards.judge_quality.sentences import agreement_sentence
from leaderboard.boards.judge_quality.state import JudgeQualityState
from leaderboard.page.board_charts import BoardCharts
from leaderboard.page.board_table import BoardTable
from leaderboard.page.canary_chart import CANARY
from leaderboard.page.judge_card import JudgeReport, card_of_baseline, card_of_pin, fact
from leaderboard.page.judge_quality import HOW_TO_MEASURE, JudgeQualities
from leaderboard.page.links import ignored, link_of
from leaderboard.page.published_reports import PublishedReports
from leaderboard.page.quality_chart import CALIBRATION
from leaderboard.page.registered import BoardTools
from leaderboard.page.state import JudgeReportState
from leaderboard.parts.card_values import CardFactValue, JudgeCardsValue
from leaderboard.parts.chart import ChartRow, ChartSheet, ChartsValue, ChartTable, Head
from leaderboard.parts.columns import text_of
from leaderboard.parts.notices import NoticeValue, notice
from leaderboard.parts.tables import TableValue
from leaderboard.parts.visible_text import visible

CAPTION = "Judges by agreement with people (AUC; 0.5 is guessing), 95% interval, higher is better; then our stress test"


class JudgeQualityScreen:
    """Page state -> values of the page's components."""

    @classmethod
    def of(cls, tools: BoardTools) -> JudgeQualityScreen:
        """Of the site that the tools are of."""
        return cls(tools.qualities, tools.services.settings.judge_names, tools.report_of, tools.reports)

    def __init__(
        self, qualities: JudgeQualities, configured: tuple[str, ...], report_of: JudgeReport, reports: PublishedReports
    ) -> None:
        self._qualities = qualities
        self._reports = reports
        self._configured = configured
        self._report_of = report_of
        self._lock = Lock()
        self._marker: object = None
        self._rows: list[MeasuredJudge] = []
        self.board = BoardTable(
            JudgeQualityState,
            all_rows=lambda state: self.rows(),
            caption=lambda state: CAPTION,
            empty=lambda state: f"No judge has been measured: {HOW_TO_MEASURE}",
            about=lambda state: {},
        )
        self.board_charts = BoardCharts(self.board, self.marker)

    def rows(self) -> list[MeasuredJudge]:
        """Every row, made once per change of measurements, votes and published reports."""
        with self._lock:
            marker = self.marker()
            if marker != self._marker:
                measured = judge_rows(
                    self._qualities.known(),
                    self._qualities.outdated(),
                    self._configured,
                    shipped=[quality.judge for quality in shipped_qualities()],
                    texts=trials_digest(),
                )
                self._rows = [*map(self._asked, measured), *reported_rows(self._reports.standing())]
                self._marker = marker
            return self._rows

    def marker(self) -> str:
        """Changes whenever a row may have changed."""
        return f"{self._qualities.marker()} {self._qualities.votes_marker()} {self._reports.marker()}"

    def _asked(self, row: MeasuredJudge) -> MeasuredJudge:
        return asked_people(row, self._qualities.checked_by_people(row.quality.judge)) if row.quality else row

    def understood(self, state: JudgeQualityState) -> tuple[JudgeQualityState, list[str]]:
        """The state of a link without a judge that does not stand here, and what was left out, in words."""
        if not state.judge or self.opened(state):
            return state, []
        return replace(state, judge=""), [ignored("judge", state.judge)]

    def opened(self, state: JudgeQualityState) -> MeasuredJudge | None:
        """The opened row; None when none is open or it is gone."""
        return next((row for row in self.rows() if row.id == state.judge), None) if state.judge else None

    def judge_notice(self, state: JudgeQualityState) -> NoticeValue | None:
        """How far the opened judge agrees with people, and what is missing of it."""
        row = self.opened(state)
        if row is None:
            return None
        if row.reported is None:
            said = [agreement_sentence(row), f"{row.note}." if row.note else ""]
            return notice("plain", f"{row.name}: {row.state}", *filter(None, said))
        return {
            **notice("plain", f"{row.name} on {visible(row.data_set)}", visible(row.reported.stated)),
            "link": link_of(JudgeReportState(report=row.reported.id)),
            "link_text": "The published report",
        }

    def cards(self, state: JudgeQualityState) -> JudgeCardsValue | None:
        """The card of the opened judge, with its agreement by kind of pair."""
        row = self.opened(state)
        if row is None or not (row.agreement or row.with_people):
            return None
        if row.quality is None:
            return {"cards": [card_of_baseline(row.name, row.agreement, row.with_people)]}
        pin = row.quality.judge
        card = card_of_pin(
            pin,
            row.quality.order_gap,
            quality=row.quality,
            bias=self._report_of(pin),
            people=self._qualities.checked_by_people(pin),
            canary=self._qualities.canary(pin),
            is_open=True,
        )
        facts = [*card["facts"], *_trial_facts(row.trials), _tokenizer(pin), *_commit_facts(row.quality)]
        return {"cards": [{**card, "title": row.name, "facts": facts}]}

    def calibration(self, state: JudgeQualityState) -> ChartsValue | None:
        """What the scores of the opened judge mean."""
        row = self.opened(state)
        quality = row.quality if row else None
        return ChartSheet([CALIBRATION]).value(quality, is_dark=state.is_dark) if quality else None

    def canary(self, state: JudgeQualityState) -> ChartsValue | None:
        """The course of the opened judge's canaries; None where nobody watches it yet."""
        row = self.opened(state)
        rounds = self._qualities.watched(row.quality.judge) if row and row.quality else []
        return ChartSheet([CANARY], prefix="quality-").value(rounds, is_dark=state.is_dark) if rounds else None

    def attacks_table(self, state: JudgeQualityState) -> TableValue | None:
        """What added texts do to the opened judge, by place."""
        trials = self._trials(state)
        if trials is None or not trials.injection:
            return None
        rows = tuple(ChartRow(name, name, _effect_cells(effect)) for name, effect in trials.injection.items())
        caption = "Texts added to one answer of a pair: attacks that ask for a score, and harmless sentences"
        return ChartTable("Added text", _EFFECT_HEADS, rows).value(caption)

    def shared_table(self, state: JudgeQualityState) -> TableValue | None:
        """What words that both answers share do to the opened judge, by length and place."""
        trials = self._trials(state)
        if trials is None or not trials.shared_text:
            return None
        rows = tuple(ChartRow(name, name, _shared_cells(effect)) for name, effect in trials.shared_text.items())
        return ChartTable("Shared text", _SHARED_HEADS, rows).value("The same text added to both answers: mean shift")

    def _trials(self, state: JudgeQualityState) -> JudgeTrials | None:
        row = self.opened(state)
        return row.trials if row else None


_EFFECT_HEADS: tuple[Head, ...] = (
    ("Trials", "whole"),
    ("Mean shift", "signed"),
    ("Crossed 2.5", "interval"),
    ("Raised above 2.5", "interval"),
)
_SHARED_HEADS: tuple[Head, ...] = (
    ("Trials", "whole"),
    ("Pairs that differ", "signed"),
    ("Pairs that say the same", "signed"),
)


def _effect_cells(effect: Effect) -> tuple[int, MetricValue, MetricValue, MetricValue]:
    return effect.shift.n, effect.shift, effect.crossed, effect.talked_up


def _shared_cells(effect: SharedTextEffect) -> tuple[int, MetricValue, MetricValue]:
    return effect.different.n + effect.same.n, effect.different, effect.same


def _trial_facts(trials: JudgeTrials | None) -> list[CardFactValue]:
    if trials is None:
        return []
    cost = trials.cost
    tokens = f"{cost.tokens:,.0f} tokens, " if cost.tokens is not None else ""
    return [
        fact("Calibration error", text_of(trials.calibration_error, "interval"), "Points of a score of 0-5."),
        fact("Score − grade", text_of(trials.grade_shift, "signed"), "Above 0 it rates too high."),
        fact("Order shift", text_of(trials.order_shift, "signed"), "Rating with the first answer first - second."),
        fact("Same in both orders", text_of(trials.order_consistency, "interval"), "On one side of 2.5."),
        fact("1,000 pairs", f"{tokens}{cost.cpu_seconds:,.0f} CPU seconds ({cost.hardware})", "In both orders."),
    ]


def _commit_facts(quality: JudgeQuality) -> list[CardFactValue]:
    """Which state of this program measured; nothing where it was not kept."""
    commits = [(quality.commit, "stress test")]
    if quality.people:
        commits.append((quality.people.commit, "agreement with people"))
    said = ", ".join(f"{commit} ({of})" for commit, of in commits if commit)
    return [fact("Measured at commit", said, "Of this program.")] if said else []


def _tokenizer(pin: Pin) -> CardFactValue:
    return fact("Tokenizer", pin.tokenizer[:12], pin.tokenizer)
