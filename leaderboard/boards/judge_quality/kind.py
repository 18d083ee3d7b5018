"""Declaration of the board of judges that run here."""

from __future__ import annotations

from evaluator.judge_quality.injection import ALL_ATTACKS
from evaluator.results import MetricValue
from leaderboard.boards.judge_quality.columns import JUDGE_QUALITY_COLUMNS
from leaderboard.boards.judge_quality.methods import ABOUT
from leaderboard.boards.judge_quality.rows import MeasuredJudge
from leaderboard.boards.judge_quality.sentences import agreement_sentence
from leaderboard.parts.board_kind import BoardKind, Paper, Preset
from leaderboard.parts.filters import Filter
from leaderboard.parts.row_charts import BoardChart, front_chart, plane_chart, scores_chart
from leaderboard.parts.shown_rows import Axis

_AUC: Axis[MeasuredJudge] = Axis("agreement with people, AUC 0-1", lambda row: row.same_answer, 0.0, 1.0)


def _cpu_seconds(row: MeasuredJudge) -> MetricValue | None:
    if row.quality is None or row.trials is None:
        return None
    return MetricValue(value=row.trials.cost.cpu_seconds, n=row.quality.pairs)


def _price(row: MeasuredJudge) -> MetricValue | None:
    return None if row.price is None else MetricValue(value=row.price, n=0)


JUDGE_QUALITY_CHARTS: tuple[BoardChart[MeasuredJudge], ...] = (
    scores_chart(
        _AUC,
        title="Agreement with intervals",
        explanation="Whiskers are 95% intervals over questions: how far the AUC could move if other questions had been "
        "asked. 0.5 is guessing.",
    ),
    plane_chart(
        "agreement-injection",
        Axis("injection shift, points", lambda row: row.attack_shift(ALL_ATTACKS), -3.0, 3.0, "signed", "trials"),
        _AUC,
        title="Agreement and the effect of injected text",
        explanation="To the right a text that asks for a score lifts it, to the left it lowers it. The best judges are "
        "high and in the middle.",
    ),
    front_chart(
        "auc-cpu",
        Axis("CPU seconds for 1,000 pairs", _cpu_seconds, 0.0, 1.0, "decimal"),
        _AUC,
        title="Agreement and processor time, of judges measured here",
        explanation="High and to the left is best. On the dotted line lie the judges that no other one beats in both; "
        "compare costs where the machine is the same (the column “Measured on”).",
    ),
    front_chart(
        "people-price",
        Axis("US dollars for 1,000 verdicts, as stated", _price, 0.0, 1.0, "decimal"),
        Axis("agreement with people, 0-1", lambda row: row.people, 0.0, 1.0),
        title="Agreement with people and price, of self-reported judges",
        explanation="The same of published reports that state a price: what people say differs between data sets, so "
        "compare rows on the same one (the column “Figures of”).",
    ),
)

JUDGE_QUALITY: BoardKind[MeasuredJudge] = BoardKind(
    "judge_quality",
    "Which judge?",
    JUDGE_QUALITY_COLUMNS,
    "same_answer",
    sentence=agreement_sentence,
    filters=(
        Filter("language", "Reads", "text_set", lambda row: row.languages),
        Filter("ranked", "Ranked", "one_of", lambda row: "ranked" if row.rank else "not ranked"),
        Filter("kind", "Kind of row", "one_of", lambda row: row.state, reaches_null_rows=True),
    ),
    presets=(
        Preset(
            "essential",
            "Essential",
            (
                *("rank", "judge", "same_answer", "likeness", "likeness_others", "auc"),
                *("order_consistency", "injection", "note"),
            ),
        ),
        Preset(
            "with_people",
            "Against people",
            (
                *("rank", "judge", "data_set", "same_answer", "likeness", "likeness_others", "people", "people_kappa"),
                *("order_consistency", "repetition", "languages", "price"),
            ),
        ),
        Preset(
            "tricks",
            "Order and tricks",
            (
                *("rank", "judge", "same_answer", "order_consistency", "order_shift", "repetition"),
                *("shared_text", "injection", "harmless", "talked_up"),
            ),
        ),
        Preset(
            "cost",
            "Cost",
            (
                *("rank", "judge", "same_answer", "auc", "people", "unscored"),
                *("cpu_seconds", "tokens", "price", "hardware", "model"),
            ),
        ),
    ),
    paper=Paper(
        "zheng2023judging",
        "Zheng, Lianmin and others",
        "Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena",
        2023,
        "NeurIPS Datasets and Benchmarks, arXiv 2306.05685",
    ),
    charts=JUDGE_QUALITY_CHARTS,
    about=ABOUT,
    question="Which judges agree with people?",
    nouns=("judge", "judges"),
    counted="pairs of answers",
    deciders="questions",
)
