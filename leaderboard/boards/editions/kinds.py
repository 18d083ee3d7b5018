"""Declaration of the 2025 and 2026 boards."""

from __future__ import annotations

from collections.abc import Mapping

from evaluator.results import MetricValue
from evaluator.robustness.panel import family_of
from leaderboard.boards.editions.columns import CONSISTENCY_COLUMNS, CULTURAL_COLUMNS
from leaderboard.boards.editions.languages import LANGUAGES_CHART
from leaderboard.boards.editions.methods import CONSISTENCY_ABOUT, CULTURAL_ABOUT
from leaderboard.boards.editions.rows import EditionRow
from leaderboard.boards.editions.sentences import culture_sentence
from leaderboard.boards.robustness.charts import UNRELATED_TEXT, language_name
from leaderboard.page.kept_points import kept_points_sentence
from leaderboard.page.measured import is_ours
from leaderboard.page.row_columns import RECEIVED_FILTER, flags_filter
from leaderboard.parts.board_kind import BoardKind, Paper, Preset
from leaderboard.parts.filters import Filter
from leaderboard.parts.row_charts import BoardChart, parts_chart, plane_chart, scores_chart
from leaderboard.parts.shown_rows import Axis

_WHISKERS = (
    "Whiskers are 95% intervals over questions: how far the figure could move if other questions of this "
    "kind had been asked. n/a means not judged, not zero."
)


def _by_language(row: EditionRow) -> Mapping[str, MetricValue]:
    return {language_name(code): value for code, value in row.by_language.items()}


def _kind_of_row(row: EditionRow) -> str:
    if row.role == "baseline":
        return "baseline"
    return "entry" if row.role == "entry" else "our own example"


_FILTERS: tuple[Filter[EditionRow], ...] = (
    Filter("judge", "Judge or embedding model", "one_of", lambda row: f"{row.judge.name} ({row.judge.model})"),
    Filter("family", "Model family or model", "one_of", lambda row: family_of(row.model) or row.model),
    flags_filter(lambda row: (flag for flag, count in row.flags.items() if count)),
    RECEIVED_FILTER,
    Filter(
        "kind",
        "Kind of row",
        "one_of",
        _kind_of_row,
        reaches_null_rows=True,
    ),
)

_SCORE: Axis[EditionRow] = Axis(
    "score, 0-5", lambda row: row.figures.get("consistency_gated"), 0.0, 5.0, units="questions"
)
_RAW: Axis[EditionRow] = Axis(
    "consistency before the relevance check, 0-5",
    lambda row: row.figures.get("consistency"),
    0.0,
    5.0,
    units="questions",
)
_ON_TOPIC: Axis[EditionRow] = Axis(
    "answers on topic, share", lambda row: row.pass_share, 0.0, 1.0, units="checked answers"
)
_CULTURE: Axis[EditionRow] = Axis(
    "response to culture, -1 to 1", lambda row: row.figures.get("culture_gated"), -1.0, 1.0, units="questions"
)
_CD: Axis[EditionRow] = Axis(
    "difference where culture is open (CD)", lambda row: row.figures.get("cd_gated"), 0.0, 1.0, units="questions"
)
_CR: Axis[EditionRow] = Axis(
    "agreement where culture is named (CR)", lambda row: row.figures.get("cr_gated"), 0.0, 1.0, units="questions"
)

CONSISTENCY_CHARTS: tuple[BoardChart[EditionRow], ...] = (
    scores_chart(_SCORE, title="Scores with intervals", explanation=f"n counts judged questions. {_WHISKERS}"),
    plane_chart(
        "relevance",
        _ON_TOPIC,
        _RAW,
        title="Consistency against relevance",
        explanation="Good is the upper right corner. High and to the left are answers that agree with each other and "
        f"not with the question. {_WHISKERS}",
        threshold=UNRELATED_TEXT,
    ),
    parts_chart(
        "languages",
        _SCORE,
        _by_language,
        title="By language",
        explanation=f"The mean of the pairs a language is one of; n counts judged questions. {_WHISKERS}",
    ),
    LANGUAGES_CHART,
)

CULTURAL_CHARTS: tuple[BoardChart[EditionRow], ...] = (
    scores_chart(
        _CULTURE,
        title="Response to culture with intervals",
        explanation=f"Noise, and the same text everywhere, score 0. {_WHISKERS}",
    ),
    plane_chart(
        "planes",
        _CD,
        _CR,
        title="Difference against agreement",
        explanation="Good is the upper right corner: answers differ between languages where culture is left open (CD), "
        f"and agree where it is named (CR). Equal answers everywhere stand at the upper left. {_WHISKERS}",
    ),
    parts_chart(
        "languages",
        _ON_TOPIC,
        _by_language,
        title="On topic, by language",
        explanation="The share of a language's checked answers that are on topic; about one half is what unrelated "
        f"text reaches. {_WHISKERS}",
    ),
)

CONSISTENCY: BoardKind[EditionRow] = BoardKind(
    "consistency",
    "Consistency between languages",
    CONSISTENCY_COLUMNS,
    "score",
    sentence=lambda row: kept_points_sentence(
        row.name,
        row.figures.get("consistency_gated"),
        row.figures.get("consistency"),
        changes="language",
        is_null=row.is_null,
    ),
    filters=_FILTERS,
    presets=(
        Preset("essential", "Essential", ("rank", "system", "score", "raw", "worst", "judged", "flags", "note")),
        Preset(
            "evidence",
            "Evidence",
            ("rank", "system", "score", "first_turn", "languages", "pass_share", "control_pass_share", "judge"),
        ),
        Preset("origin", "Who and when", ("rank", "system", "score", "team", "model", "run", "attempts", "date")),
    ),
    paper=Paper(
        "karlgren2025eloquent",
        "Karlgren, Jussi and others",
        "Overview and Joint Report of the Robustness and Consistency Task of the ELOQUENT 2025 Lab for Evaluating "
        "Generative Language Model Quality",
        2025,
        "CLEF 2025 working notes, CEUR-WS Vol-4038",
    ),
    charts=CONSISTENCY_CHARTS,
    about=CONSISTENCY_ABOUT,
    question="Is the answer the same in every language?",
    nouns=("system", "systems"),
    counted="questions",
    is_example=is_ours,
    judge=lambda row: row.judge,
)

CULTURAL: BoardKind[EditionRow] = BoardKind(
    "cultural",
    "Culture in every language",
    CULTURAL_COLUMNS,
    "culture",
    sentence=lambda row: culture_sentence(row.name, row.figures.get("culture_gated")),
    filters=_FILTERS,
    presets=(
        Preset(
            "essential",
            "Essential",
            ("rank", "system", "culture", "named", "open", "pass_share", "judged", "flags", "note"),
        ),
        Preset(
            "raw",
            "Before and after the relevance check",
            ("rank", "system", "culture", "culture_raw", "csp", "csp_raw", "cd", "cd_raw", "cr", "cr_raw"),
        ),
        Preset(
            "evidence",
            "Evidence",
            (
                *(
                    "rank",
                    "system",
                    "culture",
                    "named",
                    "open",
                    "pass_share",
                    "control_pass_share",
                    "flags",
                    "languages",
                ),
                *("judged", "coverage", "judge"),
            ),
        ),
        Preset(
            "origin",
            "Who and when",
            ("rank", "system", "culture", "csp", "cd", "cr", "team", "model", "run", "attempts", "date"),
        ),
    ),
    paper=Paper(
        "eloquent2026cultural",
        "ELOQUENT lab organisers",
        "Measuring the Cultural Capabilities of LLMs across European Languages",
        2026,
        "lm-eval task cultural_robustness",
    ),
    charts=CULTURAL_CHARTS,
    about=CULTURAL_ABOUT,
    question="Do answers follow the culture only where they should?",
    nouns=("system", "systems"),
    counted="base questions",
    is_example=is_ours,
    judge=None,
)
