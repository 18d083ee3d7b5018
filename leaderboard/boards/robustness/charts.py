"""The charts of the Robustness board."""

from __future__ import annotations

from collections.abc import Mapping

from evaluator.results import HEADLINE, MetricValue
from leaderboard.boards.robustness.rows import RobustnessRow
from leaderboard.parts.row_charts import BoardChart, parts_chart, plane_chart, runs_chart, scores_chart
from leaderboard.parts.shown_rows import Axis, Threshold

LANGUAGES = {
    "apc": "North Levantine Arabic",
    "ar": "Arabic",
    "bg": "Bulgarian",
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "et": "Estonian",
    "fa": "Persian",
    "fi": "Finnish",
    "fr": "French",
    "hi": "Hindi",
    "hr": "Croatian",
    "hu": "Hungarian",
    "is": "Icelandic",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "lt": "Lithuanian",
    "lv": "Latvian",
    "nb": "Norwegian Bokmål",
    "nl": "Dutch",
    "no": "Norwegian",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sco": "Scots",
    "sk": "Slovak",
    "sl": "Slovenian",
    "sv": "Swedish",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "zh": "Chinese",
}
"""Languages of submissions, as people call them."""

INTERVAL_WORDS = (
    "Whiskers are 95% intervals over items: how far the mean could move if other items of this kind had "
    "been asked. A hollow marker rests on fewer than six items and has none; n/a means not judged, not zero."
)


def language_name(code: str) -> str:
    """What a language is called; its code where we know no name."""
    return LANGUAGES.get(code, code)


def by_language(row: RobustnessRow) -> Mapping[str, MetricValue]:
    """Language -> headline over its groups."""
    return {language_name(code): value for code, value in row.by_language.items()}


def by_variation(row: RobustnessRow) -> Mapping[str, MetricValue]:
    """Type of variation -> headline over its items."""
    return row.figures[HEADLINE].by_variation


SCORE: Axis[RobustnessRow] = Axis("score, 0-5", lambda row: row.figures[HEADLINE].mean, 0.0, 5.0, units="items")
CONSISTENCY: Axis[RobustnessRow] = Axis(
    "consistency before the relevance check, 0-5", lambda row: row.figures["pair_mean"].mean, 0.0, 5.0, units="items"
)
RELEVANCE: Axis[RobustnessRow] = Axis(
    "answers on topic, share", lambda row: row.pass_share, 0.0, 1.0, units="checked answers"
)
UNRELATED_TEXT = Threshold(0.5, "Chance level")
"""An unrelated answer beats the median other item half the time (docs/metrics.md, control_pass_share)."""

CHARTS: tuple[BoardChart[RobustnessRow], ...] = (
    scores_chart(SCORE, title="Scores with intervals", explanation=f"n counts judged items. {INTERVAL_WORDS}"),
    plane_chart(
        "relevance",
        RELEVANCE,
        CONSISTENCY,
        title="Consistency against relevance",
        explanation="Good is the upper right corner. High and to the left are answers that agree with each other and "
        "not with the question: the relevance check takes their score away. Whiskers are 95% intervals over items.",
        threshold=UNRELATED_TEXT,
    ),
    parts_chart(
        "languages",
        SCORE,
        by_language,
        title="By language",
        explanation=f"n counts judged items in the language. {INTERVAL_WORDS} Languages differ in their items too: "
        "compare systems within a panel, not panels.",
    ),
    parts_chart(
        "variations",
        SCORE,
        by_variation,
        title="By type of variation",
        explanation=f"n counts judged items of the type, in the chosen view. {INTERVAL_WORDS}",
    ),
    runs_chart(
        SCORE,
        title="Runs over time",
        explanation="Every scored run of each system by the time it was received. The filled marker is the run on the "
        "board, hollow ones came before it; whiskers are 95% intervals over items. Baselines are left out, "
        "withdrawn runs have no score.",
    ),
)
"""In the order of the page."""
