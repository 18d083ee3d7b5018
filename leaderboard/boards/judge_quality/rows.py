"""Rows of the board of judges that run here: measured ones, scores that understand nothing, and those not measured."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypedDict

from evaluator.judges.kind import AUTO
from evaluator.judges.quality.human_check import HumanCheck
from evaluator.judges.quality.labelled_pairs import LabelledPair
from evaluator.judges.quality.measurement import JudgeQuality, Quality, pin_sha256
from evaluator.judges.quality.ranking import Scores, auc_bands
from evaluator.judges.quality.shipped import SHIPPED_JUDGES
from evaluator.judges.quality.trial_values import JudgeTrials
from evaluator.results import MetricValue, Pin
from leaderboard.page.board_row import BoardRow
from leaderboard.page.judge_quality import BASELINE_NAMES, HOW_TO_MEASURE
from leaderboard.page.measured import SELF_REPORTED
from leaderboard.page.published_reports import StandingReport
from leaderboard.parts.tables import NULL_ROW
from leaderboard.parts.visible_text import visible

LEAST_SCORED = 0.95
"""A judge that scores a smaller share of the pairs is not ranked: it would choose which ones count."""
BASELINES = ("word_overlap", "length_ratio")
"""The null rows, of those that every measurement brings along."""
MEASURED, NOT_MEASURED, NULL = "measured", "not measured", "null row"
REPORT_ID = "report/"
"""Begins the id of a row that shows a published report."""

_LIBRARIES = ("transformers", "torch")
"""Their versions are part of a pin, and can be compared with those installed here."""
_DIGITS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredJudge(BoardRow):
    """One judge, or a score that does not read meaning; why it is not ranked stands in its remark."""

    state: str
    """`measured`, `not measured`, `null row` or `self-reported`."""
    quality: JudgeQuality | None = None
    """The measurement; None where there is none that holds now."""
    agreement: Quality | None = None
    """Of the measurement, or of a null row."""
    people: MetricValue | None = None
    """Share of people's words that are the judge's; None = nobody was asked."""
    people_kappa: MetricValue | None = None
    reported: StandingReport | None = None
    """The published report that the row shows; None of a judge that runs here."""

    @property
    def style(self) -> str:
        if self.is_null:
            return NULL_ROW
        return "self-reported" if self.reported else ""

    @property
    def tier(self) -> int:
        """Judges without a rank are listed after the others."""
        return 0 if self.rank or self.is_null else 1

    @property
    def trials(self) -> JudgeTrials | None:
        return self.quality.trials if self.quality else None

    @property
    def languages(self) -> tuple[str, ...]:
        """Those it declares; "any" where it declares none; of a report those that its publisher states."""
        if self.reported is not None:
            return self.reported.figures.languages
        if self.quality is None:
            return ()
        return self.quality.judge.languages or ("any",)

    @property
    def unscored_share(self) -> float | None:
        """Share of the pairs without a score."""
        return self.quality.unscored / self.quality.pairs if self.quality else None

    def reported_figure(self, key: str) -> MetricValue | None:
        """A figure of the published report; None where it has none, and of a judge that runs here."""
        return _known(self.reported, key) if self.reported else None

    @property
    def order_consistency(self) -> MetricValue | None:
        """Share of pairs that it judges alike in both orders."""
        return self.trials.order_consistency if self.trials else self.reported_figure("position_consistency")

    @property
    def repetition(self) -> MetricValue | None:
        """Share of what it says again when it is asked the same again."""
        stability = self.reported_figure("repetition_stability")
        changed = self.reported_figure("flicker")
        if stability is not None or changed is None:
            return stability
        return MetricValue(value=_rest(changed.value), low=_rest(changed.high), high=_rest(changed.low), n=changed.n)

    @property
    def price(self) -> float | None:
        """US dollars for 1,000 verdicts, as its publisher states them."""
        return self.reported.figures.price_usd if self.reported else None

    @property
    def data_set(self) -> str:
        """What its figures are of."""
        if self.reported is not None:
            return self.reported.figures.data_set
        return "our labelled pairs" if self.agreement else ""

    def attack_shift(self, kind: str) -> MetricValue | None:
        """Mean shift by added texts of a kind."""
        return self.trials.injection[kind].shift if self.trials else None


def judge_rows(
    known: Sequence[JudgeQuality],
    outdated: Sequence[JudgeQuality],
    configured: Sequence[str],
    *,
    shipped: Sequence[Pin],
    texts: str,
    pairs: Sequence[LabelledPair],
) -> list[MeasuredJudge]:
    """All rows, in no particular order.

    Args:
        known: Measurements on the pairs as they are now.
        outdated: Measurements on other pairs.
        configured: Judges as this installation names them.
        shipped: The judges of this program as they are now.
        texts: Digest of the texts that are added now; trials with others do not hold.
        pairs: The pairs as they are now.
    """
    elsewhere = {name.partition(":")[0] for name in configured if ":" in name}  # `pair:FOLDER` is another judge
    own = {pin.name: pin for pin in shipped if pin.name in SHIPPED_JUDGES and pin.name not in elsewhere}
    why = {pin_sha256(quality.judge): _why_outdated(quality, texts, own) for quality in known}
    current = [quality for quality in known if not why[pin_sha256(quality.judge)]]
    measured = [_measured(quality) for quality in current]
    replaced = {quality.judge.name for quality in current if quality.judge.name in own}
    former = [
        *((quality, reason) for quality in known if (reason := why[pin_sha256(quality.judge)])),
        *((quality, "measured on other pairs") for quality in outdated),
    ]
    pins = [quality.judge for quality in known] + [quality.judge for quality in outdated]
    return [
        *_ranked(measured, pairs),
        *(_former(quality, reason) for quality, reason in former if quality.judge.name not in replaced),
        *(_unmeasured(name) for name in _distinct(configured) if not any(is_of(name, pin) for pin in pins)),
        *_null_rows(current),
    ]


def reported_rows(reports: Sequence[StandingReport]) -> list[MeasuredJudge]:
    """Rows of published reports: never ranked, since nothing of them was measured here."""
    return [
        MeasuredJudge(
            id=f"{REPORT_ID}{report.id}",
            name=visible(report.figures.judge),
            state=SELF_REPORTED,
            reported=report,
            remark=f"self-reported: a log of {visible(report.figures.data_set)}, published on "
            f"{report.published_at:%Y-%m-%d}{f' by {visible(report.by)}' if report.by else ''}; never ranked",
            people=_known(report, "label_accuracy"),
            people_kappa=_known(report, "label_kappa"),
        )
        for report in reports
    ]


def asked_people(row: MeasuredJudge, check: HumanCheck) -> MeasuredJudge:
    """A judge that runs here with what people say of its verdicts."""
    return replace(row, people=check.share, people_kappa=check.kappa) if check.votes else row


def _known(report: StandingReport, key: str) -> MetricValue | None:
    figure = report.figures.figure(key)
    return None if figure is None else MetricValue(value=figure.value, low=figure.low, high=figure.high, n=figure.n)


def _rest(share: float | None) -> float | None:
    return None if share is None else 1.0 - share


def _why_outdated(quality: JudgeQuality, texts: str, own: Mapping[str, Pin]) -> str:
    """Why a measurement on today's pairs does not hold; blank where it does.

    Args:
        own: Judges of this program by their names: another pin of that name is an earlier state of it.
    """
    if own.get(quality.judge.name, quality.judge) != quality.judge:
        return "measured under another pin than this judge has now"
    if quality.trials and quality.trials.texts != texts:
        return "measured with other added texts"
    others = [f"{name} {version}, here {here}" for name, version, here in other_versions(quality.judge)]
    return f"measured with {'; '.join(others)}" if others else ""


def other_versions(judge: Pin) -> list[tuple[str, str, str]]:
    """Libraries of a pin that have another version here: name, version of the pin, version here."""
    versions = []
    for part in judge.engine.split(", "):
        name, _, version = part.partition(" ")
        here = _installed(name) if name in _LIBRARIES else None
        if here not in (None, version):
            versions.append((name, version, str(here)))
    return versions


def _installed(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def row_id(judge: Pin) -> str:
    """What a judge is opened by; it tells no other state of that judge."""
    return pin_sha256(judge)[:_DIGITS]


def judge_name(judge: Pin) -> str:
    """What people call a judge: its own name, or that of its language model.

    Two language models are both called `transformers` by their pins.
    """
    return judge.model if judge.name in ("transformers", "http") else judge.name


def _measured(quality: JudgeQuality) -> MeasuredJudge:
    return MeasuredJudge(
        **_judge_fields(quality.judge),
        state=MEASURED,
        quality=quality,
        agreement=quality.quality,
        remark=_unranked(quality),
    )


class _JudgeFields(TypedDict):
    id: str
    name: str
    model: str


def _judge_fields(judge: Pin) -> _JudgeFields:
    return {"id": row_id(judge), "name": judge_name(judge), "model": judge.model}


def _unranked(quality: JudgeQuality) -> str:
    """Why a measured judge has no rank; blank where it has one."""
    if quality.trials is None or len(quality.trials.ratings) != quality.pairs:
        return f"not ranked: orders and added texts were not measured; {HOW_TO_MEASURE}"
    scored = quality.pairs - quality.unscored
    if scored < LEAST_SCORED * quality.pairs:
        return f"not ranked: scored {scored} of {quality.pairs} pairs (at least {LEAST_SCORED:.0%})"
    return ""


def _ranked(rows: Sequence[MeasuredJudge], pairs: Sequence[LabelledPair]) -> list[MeasuredJudge]:
    scores: Mapping[str, Scores] = {
        row.id: [_score(both) for both in row.trials.ratings] for row in rows if row.trials and not row.remark
    }
    bands = auc_bands(scores, pairs)
    return [replace(row, rank=bands.get(row.id)) for row in rows]


def _score(both: tuple[float | None, float | None]) -> float | None:
    """The mean of both orders, or of the one that was rated."""
    ratings = [rating for rating in both if rating is not None]
    return sum(ratings) / len(ratings) if ratings else None


def _former(quality: JudgeQuality, reason: str) -> MeasuredJudge:
    """A judge whose figures do not hold any more: they are not shown."""
    return MeasuredJudge(**_judge_fields(quality.judge), state=NOT_MEASURED, remark=f"{reason}; {HOW_TO_MEASURE}")


def _unmeasured(name: str) -> MeasuredJudge:
    known = name if name in SHIPPED_JUDGES else "J"
    return MeasuredJudge(
        id=f"configured/{public_name(name)}",
        name=public_name(name),
        state=NOT_MEASURED,
        remark=HOW_TO_MEASURE.replace(" J ", f" {known} "),
    )


def _null_rows(current: Sequence[JudgeQuality]) -> list[MeasuredJudge]:
    baselines = {
        name: quality.baselines[name] for quality in current for name in BASELINES if name in quality.baselines
    }
    return [
        MeasuredJudge(
            id=f"null/{name}",
            name=BASELINE_NAMES[name],
            state=NULL,
            is_null=True,
            agreement=quality,
            remark="does not read meaning",
        )
        for name, quality in baselines.items()
    ]


# --- judges as a configuration names them ----------------------------------------------------------------------------


def _distinct(configured: Sequence[str]) -> list[str]:
    """The judges of this program and those configured, each once; `auto` is one of them."""
    names = [*SHIPPED_JUDGES, *(name for name in configured if name != AUTO)]
    return list({public_name(name): name for name in reversed(names)}.values())[::-1]


def public_name(name: str) -> str:
    """A configured judge without folders and addresses, which are nobody's business.

    >>> public_name("http:http://gpu-box:8000/v1#Qwen/Qwen3-8B@9c92;frame=chatml"), public_name("pair:/srv/adapter")
    ('Qwen/Qwen3-8B', 'pair')
    >>> public_name("transformers:Qwen/Qwen2.5-1.5B-Instruct@989aa7980e4cf806f80c7fef2b1adb7bc71aa306")
    'Qwen/Qwen2.5-1.5B-Instruct'
    >>> public_name("transformers:/srv/models/mine"), public_name("transformers:/srv/models/mine;unproven")
    ('mine', 'mine')
    """
    return _stated(name)[1] or _stated(name)[0]


def is_of(name: str, judge: Pin) -> bool:
    """Whether a pin is that of a configured judge, as far as its name says."""
    key, model, revision = _stated(name)
    if key == "smollm2":
        return judge.name == "transformers" and judge.model.startswith("smollm2-")
    return judge.name == key and model in ("", judge.model) and revision in ("", judge.revision)


def _stated(name: str) -> tuple[str, str, str]:
    """Kind, model and revision that a configuration states; blank where it does not."""
    key, _, option = name.partition(":")
    if key == "http":
        model, _, revision = option.partition("#")[2].partition(";")[0].partition("@")
        return key, model, revision
    if key == "transformers":
        model, _, revision = option.partition(";")[0].partition("@")
        return key, (model if revision else Path(model).name), revision
    return key, "", ""
