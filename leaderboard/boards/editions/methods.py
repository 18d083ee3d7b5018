"""Methods of the 2025 and 2026 boards: how each figure comes about."""

from __future__ import annotations

import numpy as np

from evaluator.consistency.figures import consistency_summary
from evaluator.cultural.figures import LanguageAnswers, distances, question_means, specificity
from evaluator.cultural.response import QuestionAnswers, ResponsePart, responses_to_culture
from evaluator.results import MetricValue, ResponseResult
from evaluator.robustness.edition_results import ConsistencyFigure, QuestionResult
from evaluator.robustness.figures import PairRating, group_result
from evaluator.robustness.relevance import Relevance, control_pass_share, pass_share
from evaluator.statistics.intervals import FloatArray
from evaluator.statistics.rank_bands import RankBand, rank_bands
from leaderboard.page.ledger import ledger_methods
from leaderboard.parts.methods import BY_UNIT, EXPANDED, BoardAbout, Example, Method, Named, rank_formula
from submissions.schema import Count

# --- the worked examples ---------------------------------------------------------------------------------------------


def _question() -> QuestionResult:
    """Answers in English, Finnish and Swedish to one question, of which the Swedish one only repeats the question."""
    answers = [
        ResponseResult(variant=1, flags=(), blank=False),
        ResponseResult(variant=2, flags=(), blank=False),
        ResponseResult(variant=3, flags=("echo",), blank=False),
    ]
    ratings = {(1, 2): PairRating(3.0, 3.0), (1, 3): PairRating(5.0, 5.0), (2, 3): PairRating(1.0, 1.0)}
    group = group_result("en, fi, sv", answers, ratings)
    return QuestionResult(id="1", languages=("en", "fi", "sv"), final=group, first_turn=group)


def _of_question(figure: ConsistencyFigure) -> MetricValue:
    return consistency_summary([_question()]).figures[figure]


_ASKED = (
    "One question answered in English, Finnish and Swedish; the Swedish answer only repeats the question. The pairs "
    "were rated 3 (English - Finnish), 5 (English - Swedish) and 1 (Finnish - Swedish)."
)


def _rank() -> RankBand:
    scores = {"a": (4.0, 4.0), "b": (5.0, 2.0), "c": (3.0, 3.0)}
    return rank_bands({name: {str(item): pair[item % 2] for item in range(12)} for name, pair in scores.items()})["a"]


_EAST, _NORTH = np.array([1.0, 0.0]), np.array([0.0, 1.0])


def _example_answers() -> dict[str, LanguageAnswers]:
    """Two questions in two languages: the unspecific answers differ wholly and not at all, a specific one by half."""
    return {
        "en": LanguageAnswers({"1": _EAST, "2": _EAST}, {("1", 1): _EAST, ("1", 2): _EAST}),
        "fi": LanguageAnswers({"1": _NORTH, "2": _EAST}, {("1", 1): _EAST, ("1", 2): _NORTH}),
    }


def _example_cd() -> float:
    pair_distances = distances(_example_answers(), ["1", "2"])
    return float(
        np.mean(
            list(
                question_means([figure.unspecific["gated"] for figure in pair_distances.values()], ["1", "2"]).values()
            )
        )
    )


def _example_cr() -> float:
    pair_distances = distances(_example_answers(), ["1", "2"])
    apart = question_means([figure.specific["gated"] for figure in pair_distances.values()], ["1", "2"])
    return 1.0 - float(np.mean(list(apart.values())))


def _example_csp() -> float | None:
    rising = np.arange(10) / 10
    swapped = rising[[1, 0, 3, 2, 5, 4, 7, 6, 9, 8]]
    flat: FloatArray = np.full(10, 0.5)
    return specificity([(rising, swapped), (rising, flat)]).value


_VECTORS = (
    "Two questions in two languages. The unspecific answers to the first are unrelated (d = 1), those to the second "
    "the same (d = 0); the first has two variants, one answered alike (d = 0), one not (d = 1)."
)


def _example_response(part: ResponsePart) -> float:
    """One question about three cultures in two languages, of which the third is mistaken for the first in Swedish."""
    english = QuestionAnswers(_NORTH, {1: _NORTH, 2: _EAST, 3: -_NORTH})
    swedish = QuestionAnswers(-_NORTH, {1: _NORTH, 2: _EAST, 3: _NORTH})
    return responses_to_culture({"en": {"1": english}, "sv": {"1": swedish}}, gated=True)[part]["1"]


_CULTURES = (
    "One question about three cultures in two languages. The English answers point north, east and south, the Swedish "
    "ones north, east and north; the open answers north and south (d = 0 alike, 1 at a right angle, 2 opposite)."
)

_CHECKED = [
    Relevance("1", off_topic=False, control_passes=True),
    Relevance("2", off_topic=False, control_passes=False),
    Relevance("3", off_topic=False, control_passes=True),
    Relevance("4", off_topic=True, control_passes=False),
]

# --- what both boards say --------------------------------------------------------------------------------------------

_DRAWN = f"bootstrap, 2,000 draws with a fixed seed, each question drawn with all it contains; {EXPANDED}"
_OF_CORRELATION = f"{_DRAWN}; that of the mean correlation, squared; it holds the true CSP 94-98 times in 100"
_OVER_QUESTIONS = f"n = judged questions; 95% interval over questions: {BY_UNIT}"
_OVER_BASE = f"n = base questions; 95% interval over base questions: {_DRAWN}"

_GUARDS: tuple[Named, ...] = (
    ("constant", "one text for many questions of a language; fails the relevance check."),
    ("off_topic", "no nearer to its own prompt than to the median other question's; fails the relevance check."),
    ("echo", "the prompt itself; fails the relevance check."),
    ("error_text", "an error message; fails the relevance check."),
    ("verdict_text", "a text that gives a judge its verdict; fails the relevance check."),
    ("no_answer", "asked beside its prompt, it more probably does not answer it; fails the relevance check."),
    ("wrong_language", "another language than the file's: no answer, where a judge is asked what answers."),
    ("control_tokens", "chat-control tokens in the text; shown, changes no score."),
    ("placeholder", "a placeholder instead of an answer; shown, changes no score."),
)
_NULL_ROWS: tuple[Named, ...] = (
    ("Baseline: empty answers", "nothing is compared: silence is no score."),
    ("Baseline: one constant answer", "what perfect agreement without content reaches."),
    ("Baseline: refusal", "what refusing everything reaches."),
    ("Baseline: prompt echo", "what giving the question back reaches."),
    ("Baseline: answer addressed to the judge", "what telling a judge its verdict reaches."),
    ("Baseline: topic words", "the telling words of each prompt, and nothing else."),
    ("Baseline: reworded refusals with the topic", "no two alike, each with the topic in it."),
    ("Baseline: the next prompt", "the prompt of the next question."),
    ("Baseline: yes and no in turn", "to whatever is asked."),
    ("Baseline: advice that fits everything", "around the topic words."),
    ("Baseline: empty shell", "an announcement around the topic words."),
    ("Baseline: courtesy paragraph", "politeness around the topic words."),
    ("Baseline: noise", "words that nobody knows, others for every prompt."),
    ("Baseline: another language", "advice in a language that was not asked for."),
)
_LICENCE = (
    "The official ELOQUENT sets are CC BY-NC-SA 4.0, are fetched from their publisher and never shipped here. What "
    "teams send stays theirs; names, answers, attempts and withdrawals are public."
)
_BESIDE: dict[str, Method] = {
    "pass_share": Method(
        "share, 0-1",
        "answers whose cosine with their own prompt is above the median cosine with the other questions' prompts of "
        "the same language, kind and variant / answers that could be checked",
        f"n = checked answers; 95% interval over questions: {BY_UNIT}",
        Example(
            "Three of four checked answers lie nearer to their own question: 3 / 4 =",
            lambda: pass_share(_CHECKED),
            "0.75",
        ),
        "the prompts are not installed, or the embedding model does not declare the languages",
    ),
    "control_pass_share": Method(
        "share, 0-1; about 0.5 where nothing is told apart",
        "as On topic, of each answer against the next question",
        "as On topic",
        Example(
            "Two of the four also pass against the next question: 2 / 4 =", lambda: control_pass_share(_CHECKED), "0.50"
        ),
        "as On topic",
        neither="it is what On topic is read against",
    ),
    **ledger_methods(
        "runs of this team, system and model; failed and withdrawn ones count. The files of one run in its languages "
        "count once, and every further file of it once more"
    ),
}

# --- 2025 ------------------------------------------------------------------------------------------------------------

CONSISTENCY_ABOUT = BoardAbout(
    ranks="Does a system answer a question the same in every language? A run is one file for each language; the board "
    "ranks systems by how far the answers to one question mean the same across languages. The 2025 edition published "
    "no score: this one is ours.",
    steps=(
        "All files of one account, team, system, model and run belong together; of two in one language the later "
        "counts.",
        "The last answers to a question in every two languages are a pair, which a judge rates from 0 to 5 in both "
        "orders. Identical texts score 5 unasked.",
        "A pair passes the relevance check when no flag fails either answer; one that does not counts 0. "
        "Others count as far as both answers answer the registered question, in its language.",
        "A question's value is the mean of its pairs, the score the mean over questions.",
        "What cannot be judged is unscored, with its reason, and never 0.",
    ),
    ranking="A run is ranked once two languages of at least 20 answered questions each, and 95% of the registered "
    "ones, have come, all of them read by the judge. A run that asks any other question than the registered ones is "
    "listed unranked with these named, and so is one that does not rank above the best baseline. Runs "
    "under another judge or embedding model than the newest run's are listed unranked. Our demonstration questions are "
    "a prompt set of their own: who answers exactly these is ranked there. Systems that common questions cannot tell "
    "apart share places; all ranks hold together. The sentence above the table names the fewest questions "
    "whose removal puts another system first (docs/metrics.md, deciding_items).",
    null_rows=_NULL_ROWS,
    guards=_GUARDS,
    limits=(
        "A high score is not a correct answer: the same mistake in every language is consistent.",
        "The default judge, multilingual_pair, sees many contradictions and not all of them: its card says how many, "
        "language by language.",
        "Some questions have different right answers in different cultures; 2026 asks about those.",
        "Runs in different languages were not asked the same: compare languages within a run.",
    ),
    licence=_LICENCE,
    methods={
        "rank": Method(
            "a place, or the places a system may hold",
            rank_formula("systems"),
            "the common questions of each two systems",
            Example(
                "Three systems on twelve questions, a: 4 on each, b: 5 and 2 in turn, c: 3 on each. Only a and c, 1 "
                "apart on every question, are told apart. Nobody is better than a and one of three is worse, so the "
                "rank of a is",
                _rank,
                "1-2",
            ),
            "baselines, and runs that lack languages, questions or verdicts",
        ),
        "score": Method(
            "0-5",
            "pair score s = mean of the ratings in both orders; checked s (after the relevance check) = s x how far "
            "both answers answer (0-1), and 0 if a flag fails either; question = mean of its checked s; score = mean "
            "over questions",
            _OVER_QUESTIONS,
            Example(f"{_ASKED} (3 + 0 + 0) / 3 =", lambda: _of_question("consistency_gated"), "1.00"),
            "no judged pair, or a question is not installed, so that relevance could not be checked",
        ),
        "raw": Method(
            "0-5",
            "as the score, of s instead of checked s",
            _OVER_QUESTIONS,
            Example(f"{_ASKED} (3 + 5 + 1) / 3 =", lambda: _of_question("consistency"), "3.00"),
            "no judged pair",
        ),
        "worst": Method(
            "0-5",
            "question = its least checked s; then as the score",
            _OVER_QUESTIONS,
            Example(f"{_ASKED} min(3, 0, 0) =", lambda: _of_question("worst_gated"), "0.00"),
            "as the score",
        ),
        "first_turn": Method(
            "0-5",
            "as the score, of the answers to the first turn, which are checked again",
            _OVER_QUESTIONS,
            Example(
                f"{_ASKED} There was one turn: (3 + 0 + 0) / 3 =", lambda: _of_question("first_turn_gated"), "1.00"
            ),
            "as the score",
        ),
        "judged": Method(
            "questions judged / questions answered",
            "questions with a judged pair / questions answered in any language",
            example=Example("18 of 20 questions were answered in two languages:", lambda: Count(20, 18), "18/20"),
        ),
        **_BESIDE,
    },
)

# --- 2026 ------------------------------------------------------------------------------------------------------------

CULTURAL_ABOUT = BoardAbout(
    ranks="Do answers differ between languages where culture is left open, and agree where it is named? Every base "
    "question is asked without a culture and in variants that name one, in five languages or more.",
    steps=(
        "Every answer becomes a vector; d = 1 - cosine of two of them.",
        "For two languages and one base question, U = d of the unspecific answers, A = mean d over the variants "
        "answered in both.",
        "A pair of which a flag fails either answer has U = 0, d of at least 1, and no part in the correlation.",
        "Named: of two languages, is the other's answer about the same culture nearer than its answers about other "
        "cultures? Open: are the answers that leave culture open further apart than those about one? Each is the "
        "share of comparisons won less the share lost; a win counts as far as both answers answer their prompts.",
        "The response to culture is the lesser of the two, mean over language pairs, then over questions.",
        "CD = mean U, CR = 1 - mean A (over language pairs, then over questions), CSP = 1 - (mean Spearman correlation "
        "of U and A)².",
        "Languages that the embedding model does not declare are not judged.",
    ),
    ranking="By the response to culture, with CSP, CD and CR beside it: paired differences over common base questions; "
    "all ranks hold together. A run that does not rank above the best baseline is not ranked. A rank "
    "needs five languages with 95% of both files answered, all of them declared by the embedding model, half of the "
    "answers on topic, a response whose interval lies above 0, and the prompts of 2026 installed: without them answers "
    "are compared with what the file says was asked. Our demonstration prompts are a set of their own, ranked by "
    "itself. Runs under another embedding model than the newest run's are listed unranked. The sentence above the "
    "table names the fewest base questions whose removal puts another system first (docs/metrics.md, deciding_items).",
    null_rows=_NULL_ROWS,
    guards=_GUARDS,
    limits=(
        "CSP says nothing alone: unrelated answers reach about 1. It ranks nobody.",
        "The response to culture asks whether answers follow the culture, not whether they are true of it.",
        "All figures are those of one embedding model: what it does not tell apart, they do not.",
        "Distances between languages hold what the model makes of the languages themselves.",
    ),
    licence=_LICENCE,
    methods={
        "rank": Method(
            "a place, or the places a system may hold",
            rank_formula("systems"),
            "the common base questions of each two systems",
            Example(
                "As on the board of 2025: three systems of which the first is better than the third alone; the rank of "
                "the first is",
                _rank,
                "1-2",
            ),
            "baselines, and runs that lack languages, answers, relevance or vectors of the same model",
        ),
        "culture": Method(
            "-1 to 1; noise and one text everywhere 0",
            "question = Named or Open, whichever is lower over the other questions (level: the mean of both); response "
            "= mean over questions",
            _OVER_BASE,
            Example(
                f"{_CULTURES} There is no other question: (1/3 + 2/3) / 2 =",
                lambda: _example_response("culture"),
                "0.50",
            ),
            "no question has an open answer and two answers about cultures in two languages, or the prompts are not "
            "installed",
        ),
        "named": Method(
            "-1 to 1",
            "of each culture and both languages: +1 where the other language's answer about the same culture is nearer "
            "than one about another culture, -1 where it is further, 0 where they are level; each times how far both "
            "answers answer (0-1); mean over all of them",
            _OVER_BASE,
            Example(
                f"{_CULTURES} The first culture wins 3 and ties 1 of 4 comparisons, the second wins 4, the third loses "
                "3 and ties 1: (3 + 4 - 3) / 12 =",
                lambda: _example_response("named"),
                "0.33",
            ),
            "as Culture",
        ),
        "open": Method(
            "-1 to 1",
            "of each culture: +1 where the two open answers are further apart than the two about it, -1 where they are "
            "nearer, 0 where they are level; each times how far all of them answer; mean over cultures",
            _OVER_BASE,
            Example(
                f"{_CULTURES} The open answers are 2 apart, those about the cultures 0, 0 and 2: (1 + 1 + 0) / 3 =",
                lambda: _example_response("open"),
                "0.67",
            ),
            "as Culture",
        ),
        "culture_raw": Method(
            "-1 to 1",
            "as Culture, of all answers",
            _OVER_BASE,
            Example(
                f"{_CULTURES} There is no other question: (1/3 + 2/3) / 2 =",
                lambda: _example_response("culture"),
                "0.50",
            ),
            "as Culture",
        ),
        "csp": Method(
            "0-1",
            "1 - (mean over language pairs of Spearman's correlation of U and A over questions)², of answers that pass",
            f"n = language pairs with a correlation; 95% interval over base questions: {_OF_CORRELATION}",
            Example(
                "Ten questions; between two languages neighbours in U change places in A, five times: rho = 1 - 6 x "
                "10 / 990 = 0.939; between two others A is the same everywhere, so there is none. 1 - 0.939² =",
                _example_csp,
                "0.12",
            ),
            "no two languages have a correlation (fewer than 10 questions, or distances that do not differ), or the "
            "prompts are not installed",
        ),
        "cd": Method(
            "0-2, in practice below 1",
            "mean over questions of the mean over language pairs of U; 0 for a pair that does not pass",
            _OVER_BASE,
            Example(f"{_VECTORS} (1 + 0) / 2 =", _example_cd, "0.50"),
            "no question is answered in two languages, or the prompts are not installed",
        ),
        "cr": Method(
            "at most 1",
            "1 - mean over questions of the mean over language pairs of A; d at least 1 for a variant that does not "
            "pass",
            _OVER_BASE,
            Example(f"{_VECTORS} 1 - (0 + 1) / 2 =", _example_cr, "0.50"),
            "as CD",
        ),
        "csp_raw": Method(
            "0-1",
            "as CSP, of all answers",
            "as CSP",
            Example("The same ten questions, ungated:", _example_csp, "0.12"),
            "as CSP",
        ),
        "cd_raw": Method(
            "0-2, in practice below 1",
            "as CD, of all answers",
            _OVER_BASE,
            Example(_VECTORS, _example_cd, "0.50"),
            "as CD",
        ),
        "cr_raw": Method(
            "at most 1", "as CR, of all answers", _OVER_BASE, Example(_VECTORS, _example_cr, "0.50"), "as CR"
        ),
        "judged": Method(
            "base questions with a headline value / base questions answered",
            "questions with an open answer and two answers about cultures in two languages / questions answered in any",
            example=Example("All base questions:", lambda: Count(101, 101), "101/101"),
        ),
        "coverage": Method(
            "answers given / prompts",
            "answers that are not blank / prompts of the set in the languages of the run; the edition's set has "
            "4,241 in each",
            example=Example(
                "Five languages of the edition's set, of which one lacks 205 answers:",
                lambda: Count(21_205, 21_000),
                "21000/21205",
            ),
        ),
        **_BESIDE,
    },
)
