"""Every column of the 2025 and 2026 boards and of the lists behind one row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evaluator.results import MetricValue
from leaderboard.boards.editions.rows import EditionRow
from leaderboard.page.ledger import ledger_columns
from leaderboard.page.row_columns import date_column, model_column, name_column, rank_column, run_column, team_column
from leaderboard.parts.columns import RATING_SCALE, SHARE_SCALE, Column, flag_text, flags_column, note_column
from leaderboard.parts.interval_bars import Scale
from submissions.schema import Count, Flag


def _figure(
    key: str, figure: str, label: str, tooltip: str, anchor: str, scale: Scale | None = None
) -> Column[EditionRow]:
    return Column(
        key,
        label,
        "interval",
        lambda row: row.figures.get(figure),
        tooltip,
        "higher",
        anchor,
        hint=lambda row: figure_hint(figure, row.figures.get(figure)),
        scale=scale,
    )


def figure_hint(figure: str, value: MetricValue | None) -> str:
    """What a figure rests on, or why there is none.

    >>> figure_hint("cd", MetricValue(value=0.2, n=101)), figure_hint("csp_gated", MetricValue(value=0.9, n=10))
    ('n = 101 base questions', 'n = 10 pairs of languages')
    >>> figure_hint("cd", MetricValue(value=None, n=0, reason="answers in one language (fi): nothing to compare"))
    'answers in one language (fi): nothing to compare'
    """
    if value is None or value.value is None:
        return (value.reason or "") if value else ""
    return f"n = {value.n} {_UNITS.get(figure.removesuffix('_gated'), 'questions')}"


_UNITS = {
    "csp": "pairs of languages",
    **dict.fromkeys(("cd", "cr", "culture", "named", "open"), "base questions"),
}

RESPONSE_SCALE: Scale = (-1, 1)
"""Of the figures that count comparisons won less those lost."""


def _rank(what: str) -> Column[EditionRow]:
    return rank_column(
        f"Places this system may hold, all ranks together with 95%: systems that their common {what} cannot tell apart "
        "share places. Baselines and unranked rows have none."
    )


_SYSTEM: Column[EditionRow] = name_column("system", "System", "Name of the system; opens its run.")
_WHOSE: tuple[Column[EditionRow], ...] = (
    team_column("Who submitted it, as the team calls itself."),
    model_column("The language model behind the system, as stated."),
    note_column(),
    flags_column(),
)
_ON_TOPIC: tuple[Column[EditionRow], ...] = (
    Column(
        "pass_share",
        "On topic",
        "interval",
        lambda row: row.pass_share,
        "Share of checked answers that lie nearer to their own question than to most others.",
        "higher",
        "pass_share",
    ),
    Column(
        "control_pass_share",
        "Control",
        "interval",
        lambda row: row.control_pass_share,
        "Chance level: the same answers against the next question. Read On topic against it.",
        docs_anchor="control_pass_share",
    ),
)
_LAST: tuple[Column[EditionRow], ...] = (
    run_column(),
    *ledger_columns("Runs of this system submitted so far; a language that was sent again is another attempt."),
    date_column("the run's newest file was"),
)

CONSISTENCY_COLUMNS: tuple[Column[EditionRow], ...] = (
    _rank("questions"),
    _SYSTEM,
    _figure(
        "score",
        "consistency_gated",
        "Score",
        "Headline, 0-5 with 95% interval: mean over questions of the similarity of the answers in every two languages, "
        "each pair counted as far as both answer the question: not at all where one is off topic, constant or the "
        "question itself.",
        "consistency_gated",
        RATING_SCALE,
    ),
    _figure(
        "raw",
        "consistency",
        "Before the relevance check",
        "The same mean before the relevance check: what answers that ignore the question can reach.",
        "consistency",
    ),
    _figure(
        "worst",
        "worst_gated",
        "Worst pair",
        "Mean over questions of the two languages that agree least, after the relevance check.",
        "worst",
    ),
    _figure(
        "first_turn",
        "first_turn_gated",
        "First turn",
        "The score of the answers to the first turn alone, before any clarifying question.",
        "first_turn",
    ),
    *_WHOSE,
    Column(
        "languages",
        "Languages",
        "text",
        lambda row: ", ".join(row.languages),
        "Languages whose files have come; a rank needs two of at least 20 questions each.",
    ),
    Column(
        "judged",
        "Judged",
        "whole",
        lambda row: row.judged,
        "Questions judged in two languages or more, of those answered in any.",
        "higher",
    ),
    *_ON_TOPIC,
    Column(
        "judge",
        "Judge",
        "text",
        lambda row: f"{row.judge.name} ({row.judge.model})",
        "Which judge rated the pairs.",
    ),
    *_LAST,
)
"""The board of 2025; the headline and the raw mean stand side by side."""

CULTURAL_COLUMNS: tuple[Column[EditionRow], ...] = (
    _rank("base questions"),
    _SYSTEM,
    _figure(
        "culture",
        "culture_gated",
        "Culture",
        "Headline, -1 to 1 with 95% interval: does the culture decide what is answered, and not the language or "
        "chance? The lesser of Named and Open in each pair of languages. Noise, and the same text everywhere, score 0.",
        "culture",
        RESPONSE_SCALE,
    ),
    _figure(
        "named",
        "named_gated",
        "Named",
        "Is the other language's answer about the same culture nearer than its answers about other cultures? Share of "
        "comparisons won less the share lost.",
        "named",
    ),
    _figure(
        "open",
        "open_gated",
        "Open",
        "Are the answers of two languages further apart where no culture is named than where one is? Share of "
        "comparisons won less the share lost.",
        "open",
    ),
    _figure(
        "csp",
        "csp_gated",
        "CSP",
        "0-1: how little the differences between languages where culture is left open say of those where it is named. "
        "Noise reaches about 1: it ranks nobody.",
        "csp",
        SHARE_SCALE,
    ),
    _figure(
        "cd",
        "cd_gated",
        "CD",
        "Cultural difference: how far answers in two languages differ where no culture is named; failing pairs count "
        "0.",
        "cd",
        SHARE_SCALE,
    ),
    _figure(
        "cr",
        "cr_gated",
        "CR",
        "Cultural agreement: how far answers in two languages agree where a culture is named; failing pairs add "
        "nothing.",
        "cr",
        SHARE_SCALE,
    ),
    _figure("culture_raw", "culture", "Culture raw", "Culture before the relevance check.", "culture"),
    _figure("csp_raw", "csp", "CSP raw", "CSP before the relevance check.", "csp"),
    _figure("cd_raw", "cd", "CD raw", "CD before the relevance check.", "cd"),
    _figure("cr_raw", "cr", "CR raw", "CR before the relevance check.", "cr"),
    *_ON_TOPIC,
    *_WHOSE,
    Column(
        "languages",
        "Languages",
        "text",
        lambda row: ", ".join(row.languages),
        "Languages of the run; a rank needs five.",
    ),
    Column(
        "judged",
        "Judged",
        "whole",
        lambda row: row.judged,
        "Base questions with a headline value, of those that are answered.",
        "higher",
    ),
    Column(
        "coverage",
        "Coverage",
        "whole",
        lambda row: row.coverage,
        "Prompts answered, of those that the set has in the languages of the run; the edition's has 4,241 in each.",
        "higher",
        "coverage",
    ),
    Column(
        "judge",
        "Embedding model",
        "text",
        lambda row: row.judge.model,
        "Which model made the vectors all figures rest on; runs under different models are not ranked together.",
    ),
    *_LAST,
)
"""The board of 2026; the figures of the task, CD, CR and CSP, stand beside ours, which rank."""


# --- one run ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LanguageRow:
    """One language of a run."""

    id: str
    answered: Count
    score: MetricValue | None
    """Headline of 2025; None in 2026."""
    pass_share: MetricValue | None
    flags: Mapping[Flag, int]
    remark: str = ""
    tier: int = 0
    style: str = ""


LANGUAGE_COLUMNS: tuple[Column[LanguageRow], ...] = (
    Column("language", "Language", "text", lambda row: row.id, "Language of the answers.", is_name=True),
    Column("answered", "Answered", "whole", lambda row: row.answered, "Answers that are not blank.", "higher"),
    Column(
        "score",
        "Score",
        "interval",
        lambda row: row.score,
        "Mean over questions of the pairs that this language is one of, after the relevance check.",
        "higher",
        "consistency_gated",
        is_left_out_when_empty=True,
    ),
    Column(
        "pass_share",
        "On topic",
        "interval",
        lambda row: row.pass_share,
        "Share of its checked answers that are on topic.",
        "higher",
        "pass_share",
        is_left_out_when_empty=True,
    ),
    Column("flags", "Flags", "text", lambda row: flag_text(row.flags), "Answers marked by automatic checks, by kind."),
    Column("remark", "Note", "text", lambda row: row.remark, "What else one must know."),
)


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One question of a 2025 run."""

    id: str
    languages: str
    score: float | None
    raw: float | None
    worst: float | None
    pairs: Count
    """Pairs that count in full, of all pairs."""
    reason: str
    style: str = ""

    @property
    def tier(self) -> int:
        return 0 if self.raw is not None else 1


QUESTION_COLUMNS: tuple[Column[QuestionRow], ...] = (
    Column("question", "Question", "text", lambda row: row.id, "Number of the question.", is_name=True),
    Column("languages", "Languages", "text", lambda row: row.languages, "Languages it is answered in."),
    Column(
        "score",
        "Score",
        "decimal",
        lambda row: row.score,
        "Mean of its pairs, 0-5, after the relevance check.",
        "higher",
    ),
    Column(
        "raw",
        "Before the relevance check",
        "decimal",
        lambda row: row.raw,
        "The same, whether or not the answers answer the question.",
        "higher",
    ),
    Column("worst", "Worst pair", "decimal", lambda row: row.worst, "Its two languages that agree least.", "higher"),
    Column("pairs", "Pairs in full", "whole", lambda row: row.pairs, "Pairs that count in full, of all.", "higher"),
    Column("reason", "Not judged because", "text", lambda row: row.reason, "Why there is no score."),
)


@dataclass(frozen=True, slots=True)
class BaseQuestionRow:
    """One base question of a 2026 run."""

    id: str
    culture: float | None
    named: float | None
    open: float | None
    cd: float | None
    cr: float | None
    cd_raw: float | None
    cr_raw: float | None
    pairs: Count
    """Pairs of languages that have both distances, of all of them."""
    style: str = ""

    @property
    def tier(self) -> int:
        return 0 if self.pairs.answered else 1


BASE_QUESTION_COLUMNS: tuple[Column[BaseQuestionRow], ...] = (
    Column("question", "Base question", "text", lambda row: row.id, "Number of the base question.", is_name=True),
    Column(
        "culture",
        "Culture",
        "signed",
        lambda row: row.culture,
        "The lesser of Named and Open, mean of its pairs of languages, after the relevance check.",
        "higher",
        "culture",
    ),
    Column(
        "named",
        "Named",
        "signed",
        lambda row: row.named,
        "Cultures told apart, after the relevance check.",
        "higher",
        "named",
    ),
    Column(
        "open",
        "Open",
        "signed",
        lambda row: row.open,
        "Further apart where left open, after the relevance check.",
        "higher",
        "open",
    ),
    Column(
        "cd",
        "CD",
        "decimal",
        lambda row: row.cd,
        "How far answers in two languages differ where no culture is named, after the relevance check.",
        "higher",
        "cd",
    ),
    Column(
        "cr",
        "CR",
        "decimal",
        lambda row: row.cr,
        "How far answers in two languages agree where a culture is named, after the relevance check.",
        "higher",
        "cr",
    ),
    Column("cd_raw", "CD raw", "decimal", lambda row: row.cd_raw, "CD before the relevance check.", "higher"),
    Column("cr_raw", "CR raw", "decimal", lambda row: row.cr_raw, "CR before the relevance check.", "higher"),
    Column(
        "pairs",
        "Pairs",
        "whole",
        lambda row: row.pairs,
        "Pairs of languages that answer it with and without a culture named, of all pairs.",
        "higher",
    ),
)


@dataclass(frozen=True, slots=True)
class PairRow:
    """Two languages of a 2026 run."""

    id: str
    rho: float | None
    cd: float | None
    cr: float | None
    questions: int
    """Base questions with a distance of both kinds."""
    style: str = ""

    @property
    def tier(self) -> int:
        return 0 if self.rho is not None else 1


PAIR_COLUMNS: tuple[Column[PairRow], ...] = (
    Column("pair", "Languages", "text", lambda row: row.id, "Two languages of the run.", is_name=True),
    Column(
        "rho",
        "ρ",
        "signed",
        lambda row: row.rho,
        "Spearman's correlation of U and A over questions, after the relevance check.",
    ),
    Column(
        "cd",
        "CD",
        "decimal",
        lambda row: row.cd,
        "Mean U of these two languages, after the relevance check.",
        "higher",
        "cd",
    ),
    Column(
        "cr",
        "CR",
        "decimal",
        lambda row: row.cr,
        "1 - mean A of these two languages, after the relevance check.",
        "higher",
        "cr",
    ),
    Column(
        "questions",
        "Questions",
        "whole",
        lambda row: row.questions,
        "Base questions the correlation rests on.",
        "higher",
    ),
)
