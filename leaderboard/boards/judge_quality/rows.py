"""Rows of the board of judges that run here: measured ones, scores that understand nothing, and those not measured."""

from __future__ import annotations

import importlib.metadata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypedDict

from evaluator.judge_quality.human_check import HumanCheck
from evaluator.judge_quality.injection import ALL_ATTACKS
from evaluator.judge_quality.measurement import JudgeQuality, Quality, pin_sha256
from evaluator.judge_quality.people_values import PeopleFigures, PeopleQuality
from evaluator.judge_quality.shared_text import ALL_SHARED
from evaluator.judge_quality.shipped import SHIPPED_JUDGES
from evaluator.judge_quality.trial_values import JudgeTrials
from evaluator.judges.kind import AUTO
from evaluator.results import MetricValue, Pin
from evaluator.statistics.deciding_items import deciding_items
from evaluator.statistics.rank_bands import rank_bands
from leaderboard.page.board_row import BoardRow
from leaderboard.page.judge_quality import BASELINE_NAMES, HOW_TO_MEASURE
from leaderboard.page.measured import SELF_REPORTED
from leaderboard.page.people_agreement import HOW_TO_ASK_PEOPLE, shown_likeness
from leaderboard.page.published_reports import StandingReport
from leaderboard.parts.tables import NULL_ROW
from leaderboard.parts.visible_text import visible, without_digest

LEAST_SCORED = 0.95
"""A judge that scores a smaller share of the pairs is not ranked: it would choose which ones count."""
BASELINES = ("word_overlap", "new_words", "length_ratio")
"""The baselines, of those that every measurement brings along; a cosine is added for each embedding model."""
COSINE = "cosine"
MEASURED, NOT_MEASURED, NULL = "measured", "not measured", "baseline"
REPORT_ID = "report/"
"""Begins the id of a row that shows a published report."""

_LIBRARIES = ("transformers", "torch")
"""Their versions are part of a pin, and can be compared with those installed here."""
_DIGITS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredJudge(BoardRow):
    """One judge, or a score that does not read meaning; why it is not ranked stands in its remark."""

    state: str
    """`measured`, `not measured`, `baseline` or `self-reported`."""
    quality: JudgeQuality | None = None
    """The measurement; None where there is none that holds now."""
    agreement: Quality | None = None
    """With our labelled pairs; of the measurement, or of a baseline."""
    with_people: PeopleFigures | None = None
    """Agreement with people; of the measurement, or of a baseline."""
    people: MetricValue | None = None
    """Share of votes that agree with its verdicts, or of labels of a report; None = nobody was asked."""
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
    def same_answer(self) -> MetricValue | None:
        """AUC of two right answers against a right one beside a wrong one."""
        return self.with_people.same_answer.auc if self.with_people and self.with_people.same_answer else None

    @property
    def likeness(self) -> MetricValue | None:
        """Correlation with people's scores of English sentence pairs."""
        shown = shown_likeness(self.with_people) if self.with_people else None
        return shown[1].english if shown else None

    @property
    def likeness_others(self) -> MetricValue | None:
        """The same as the mean of the other languages it reads."""
        shown = shown_likeness(self.with_people) if self.with_people else None
        return shown[1].others if shown else None

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
        parts = [("people's labels", self.with_people), ("our labelled pairs", self.agreement)]
        return ", ".join(name for name, figures in parts if figures is not None)

    def attack_shift(self, kind: str) -> MetricValue | None:
        """Mean shift by added texts of a kind."""
        effect = self.trials.injection.get(kind) if self.trials else None
        return effect.shift if effect else None

    @property
    def talked_up(self) -> MetricValue | None:
        """Share of the attacked pairs at or below 2.5 that came above it."""
        effect = self.trials.injection.get(ALL_ATTACKS) if self.trials else None
        return effect.talked_up if effect else None

    @property
    def shared_text_shift(self) -> MetricValue | None:
        """Mean shift of pairs that differ by words that both answers share."""
        effect = self.trials.shared_text.get(ALL_SHARED) if self.trials else None
        return effect.different if effect else None


def judge_rows(
    known: Sequence[JudgeQuality],
    outdated: Sequence[JudgeQuality],
    configured: Sequence[str],
    *,
    shipped: Sequence[Pin],
    texts: str,
) -> list[MeasuredJudge]:
    """All rows, in no particular order.

    Args:
        known: Measurements on the pairs as they are now.
        outdated: Measurements on other pairs.
        configured: Judges as this installation names them.
        shipped: The judges of this program as they are now.
        texts: Digest of the texts that are added now; trials with others do not hold.
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
        *map(_with_sample, _ranked(measured)),
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
    if quality.trials and quality.trials.texts not in ("", texts):
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
    return without_digest(judge.model) if judge.name in ("transformers", "http") else judge.name


def _measured(quality: JudgeQuality) -> MeasuredJudge:
    return MeasuredJudge(
        **_judge_fields(quality.judge),
        state=MEASURED,
        quality=quality,
        agreement=quality.quality,
        with_people=quality.people.figures if quality.people else None,
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
    people = quality.people
    if people is None or people.figures.same_answer is None:
        return f"not ranked: agreement with people was not measured; {HOW_TO_ASK_PEOPLE}"
    auc = people.figures.same_answer.auc
    pairs = auc.n + auc.unscored
    if auc.n < LEAST_SCORED * pairs:
        return f"not ranked: scored {auc.n} of {pairs} pairs of answers (at least {LEAST_SCORED:.0%})"
    return ""


def _ranked(rows: Sequence[MeasuredJudge]) -> list[MeasuredJudge]:
    """Rank judges by what each question adds to their AUC; those measured on other questions have no rank."""
    measured = {row.id: people for row in rows if not row.remark and (people := _people_of(row)) is not None}
    texts = Counter(people.same_answer_texts for people in measured.values())
    usual = max(texts, key=lambda measured_on: texts[measured_on], default=())
    units = {id_: people.by_question for id_, people in measured.items() if people.same_answer_texts == usual}
    bands, deciding = rank_bands(units), deciding_items(units)
    # An AUC is no mean over questions; what each question adds to it is, to first order.
    about = replace(deciding, certainty="about") if deciding else None
    others = "not ranked: agreement with people was measured on other questions than that of most judges"
    remarks = {id_: others for id_ in measured if id_ not in units}
    return [
        replace(
            row,
            rank=bands.get(row.id),
            deciding=about if about and about.leaders[0] == row.id else None,
            remark=remarks.get(row.id, row.remark),
        )
        for row in rows
    ]


def _with_sample(row: MeasuredJudge) -> MeasuredJudge:
    """A measured judge that says so where its stress test was a part of the pairs, without added texts."""
    if row.quality is None or row.trials is None or row.trials.texts:
        return row
    sample = f"stress test on {row.quality.pairs} pairs drawn by hash, without added texts"
    return replace(row, remark="; ".join(filter(None, (row.remark, sample))))


def _people_of(row: MeasuredJudge) -> PeopleQuality | None:
    return row.quality.people if row.quality else None


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
    agreement: dict[str, Quality] = {}
    with_people: dict[str, PeopleFigures] = {}
    for quality in sorted(current, key=_measured_on):  # of what several were measured on, the most stands
        agreement |= {name: baseline for name, baseline in quality.baselines.items() if name in BASELINES}
        for name, figures in (quality.people.baselines if quality.people else {}).items():
            with_people[name] = figures
            if name.startswith(COSINE) and COSINE in quality.baselines:  # of the same embedding model
                agreement[name] = quality.baselines[COSINE]
    names = [*BASELINES, *sorted(with_people.keys() - set(BASELINES))]
    return [
        MeasuredJudge(
            id=f"null/{name}",
            name=BASELINE_NAMES.get(name, name),
            state=NULL,
            is_null=True,
            agreement=agreement.get(name),
            with_people=with_people.get(name),
            remark="does not read meaning",
        )
        for name in names
        if name in agreement or name in with_people
    ]


def _measured_on(quality: JudgeQuality) -> tuple[int, int]:
    """How many of our pairs, and of people's pairs of answers, a measurement is of."""
    same = quality.people.figures.same_answer if quality.people else None
    return quality.pairs, same.auc.n if same else 0


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
