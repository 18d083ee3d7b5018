"""Results of the later ELOQUENT editions: consistency between languages (2025) and cultural figures (2026)."""

from __future__ import annotations

from typing import Literal, get_args

from evaluator.robustness.group_results import GroupResult, SetVersion
from evaluator.values import Frozen, MetricValue, Pin
from submissions.schema import Flag

# --- 2025 ------------------------------------------------------------------------------------------------------------

ConsistencyFigure = Literal[
    "consistency", "consistency_gated", "worst", "worst_gated", "first_turn", "first_turn_gated"
]
CONSISTENCY_FIGURES: tuple[ConsistencyFigure, ...] = (
    "consistency",
    "consistency_gated",
    "worst",
    "worst_gated",
    "first_turn",
    "first_turn_gated",
)
"""Per question: mean of its pairs of languages (C), its worst pair (W), and C of the answers to the first turn alone;
each raw and gated."""

CONSISTENCY_HEADLINE: ConsistencyFigure = "consistency_gated"


class LanguageFile(Frozen):
    """One file of a run: the answers in one language."""

    language: str
    file_sha256: str
    answered: int
    """Questions with an answer."""


class QuestionResult(Frozen):
    """The answers of one run to one question, in several languages."""

    id: str
    languages: tuple[str, ...]
    """In which it is answered; variant n of the groups is the answer in languages[n - 1]."""
    final: GroupResult
    """The last answers."""
    first_turn: GroupResult
    """The answers to the first turn."""


class OtherQuestion(Frozen):
    """A question of a run that is not the registered one of its id and language."""

    language: str
    id: str
    why: Literal["not registered", "in other words"]


class ConsistencyResult(Frozen):
    """One run of the 2025 edition, over all languages it has sent so far, down to every pair."""

    schema_version: int = 1
    board: Literal["consistency"] = "consistency"
    edition: str
    prompt_set: SetVersion
    file_sha256: str
    """Of the file whose arrival led to this result; `files` has all of the run."""
    files: tuple[LanguageFile, ...]
    """By language."""
    judge: Pin
    embedding: Pin
    code_version: str
    statistics_version: int = 1
    """Of `evaluator.statistics.version`; results from before there was one say 1."""
    coverage: dict[str, int | None]
    """`expected` (None where no questions are registered) and `answered`, answers over all languages."""
    questions_total: int
    """Questions answered in any language."""
    figures: dict[ConsistencyFigure, MetricValue]
    """Means over judged questions."""
    question_values: dict[ConsistencyFigure, dict[str, float]]
    """Question id -> value, judged questions only: the units intervals and paired differences resample."""
    by_language: dict[str, dict[ConsistencyFigure, MetricValue]]
    """Language -> mean over questions of the mean over the pairs that it is one of; no worst pairs."""
    questions: tuple[QuestionResult, ...]
    order_gap: MetricValue
    """Mean |rating(a, b) - rating(b, a)| over pairs judged in both orders."""
    flags: dict[Flag, int]
    pass_share: MetricValue
    control_pass_share: MetricValue
    ranked: bool
    reason: str | None
    """Why the run is not ranked."""
    gate: Pin | None = None
    """Who said which answers answer their questions; None by judges that cannot be asked, and in results made before
    there was the question."""
    other_questions: tuple[OtherQuestion, ...] = ()
    """Every one that the run asks, by language and number; the places in the files stand in the report of its check."""


# --- 2026 ------------------------------------------------------------------------------------------------------------

CulturalFigure = Literal[
    "cd",
    "cr",
    "csp",
    "cd_gated",
    "cr_gated",
    "csp_gated",
    "named",
    "open",
    "culture",
    "named_gated",
    "open_gated",
    "culture_gated",
]
CULTURAL_FIGURES: tuple[CulturalFigure, ...] = get_args(CulturalFigure)
"""How far answers differ between languages where no culture is named (CD), how far they agree where one is (CR), how
little the one says of the other (CSP); whether the culture that is named (`named`), or left open (`open`), decides what
is answered, and the lesser of these two. Results made before there were those have the first six only."""

CULTURAL_HEADLINE: CulturalFigure = "culture_gated"
HEADLINE_SINCE = 2
"""Version of the statistics since which it is 0 for noise; earlier results are not ranked beside later ones."""


class LanguagePair(Frozen):
    """Two languages of one run: the distances between their answers, question by question."""

    a: str
    b: str
    rho: float | None
    """Spearman correlation over questions of `unspecific` and `specific`; None where it is not defined."""
    rho_gated: float | None
    """The same without answers that carry a gating flag."""
    unspecific: tuple[float | None, ...]
    """U: 1 - cosine of the unspecific answers, by question; None where one is missing."""
    specific: tuple[float | None, ...]
    """A: mean of 1 - cosine over the variants answered in both."""
    unspecific_gated: tuple[float | None, ...] | None
    """U, 0 where the pair does not pass; None where relevance could not be checked."""
    specific_gated: tuple[float | None, ...] | None
    """A, with at least 1 for a pair that does not pass."""
    unspecific_passing: tuple[float | None, ...] | None
    """U of pairs that pass alone: what `rho_gated` rests on."""
    specific_passing: tuple[float | None, ...] | None


class LanguageShare(Frozen):
    """The answers of one run in one language."""

    expected: int | None
    answered: int
    read: bool
    """Whether the embedding model declares the language."""
    flags: dict[Flag, int]
    pass_share: MetricValue
    control_pass_share: MetricValue
    flagged: dict[Flag, tuple[str, ...]] | None = None
    """Flag -> ids of the answers that carry it; None in results stored before they were kept."""
    unchecked: tuple[str, ...] = ()
    """Ids of the answers whose relevance could not be checked."""


class CulturalResult(Frozen):
    """One run of the 2026 edition."""

    schema_version: int = 1
    board: Literal["cultural"] = "cultural"
    edition: str
    prompt_set: SetVersion
    file_sha256: str
    embedding: Pin
    """Judges everything here; there is no other judge."""
    code_version: str
    statistics_version: int = 1
    """Of `evaluator.statistics.version`; results from before there was one say 1."""
    coverage: dict[str, int | None]
    languages: dict[str, LanguageShare]
    figures: dict[CulturalFigure, MetricValue]
    """CD and CR are means over questions; n of CSP = language pairs with a correlation."""
    question_values: dict[CulturalFigure, dict[str, float]]
    """Base question id -> every figure but CSP, which has no value for a question alone."""
    questions: tuple[str, ...]
    """Base questions, in the order of the columns of `pairs`."""
    pairs: tuple[LanguagePair, ...]
    flags: dict[Flag, int]
    pass_share: MetricValue
    control_pass_share: MetricValue
    ranked: bool
    reason: str | None
    gate: Pin | None = None
    """Who said which answers answer their prompts; None by judges that cannot be asked, and in older results."""
    answers_asked: int = 0
    """Answers that were put to it: every one that names no culture, and of each question and language one that does."""
