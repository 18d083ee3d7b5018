"""Methods of the board of judges that run here: how each figure comes about."""

from __future__ import annotations

from functools import cache

from evaluator.judge_quality.added_text import Outcome, Trial, effect, mean_shift
from evaluator.judge_quality.labelled_pairs import LabelledPair
from evaluator.judge_quality.measurement import accuracy, auc, calibration
from evaluator.judge_quality.people import LikenessPair
from evaluator.judge_quality.people_measurement import NOT_COVERED, SOURCES, mean_spearman, same_answer_figures
from evaluator.judge_quality.score_pairs import ScoredPair
from evaluator.judge_quality.trial_values import Effect
from evaluator.judge_quality.trials import calibration_error, grade_shift, order_consistency, order_shift
from evaluator.results import MetricValue
from evaluator.statistics.rank_bands import RankBand, rank_bands
from leaderboard.parts.methods import BY_UNIT, EXPANDED, BoardAbout, Example, Method, rank_formula, whole

# --- the worked example ----------------------------------------------------------------------------------------------


def _pair(grade: int, topic: str = "topic") -> LabelledPair:
    return LabelledPair(
        id=f"{topic}-{grade}",
        topic=topic,
        split="test",
        category="example",
        prompt_a="",
        prompt_b="",
        a="first",
        b="second",
        grade=grade,
    )


_PAIRS = tuple(_pair(grade) for grade in (5, 4, 1, 0))
_SCORED = tuple(
    ScoredPair(place, (ab + ba) / 2, ab, ba, None)
    for place, (ab, ba) in enumerate(((4.5, 4.5), (4.0, 3.0), (2.0, 3.0), (0.5, 0.5)))
)


def _calibration_error() -> MetricValue:
    scores = [row.score for row in _SCORED if row.score is not None]
    return calibration_error(calibration(scores, [pair.grade for pair in _PAIRS]))


_SHIFTS = ((1.0, 3.0), (2.0, 2.5), (1.0, 1.0), (4.0, 4.5))
"""Scores without and with an added text."""


@cache
def _effect() -> Effect:
    return effect(_outcomes())


def _outcomes() -> list[Outcome]:
    return [Outcome(Trial(_pair(0), ("a",), "after", "…"), clean, changed) for clean, changed in _SHIFTS]


def _shared() -> MetricValue:
    return mean_shift(_outcomes()[:3])


def _example_rank() -> RankBand:
    pairs = [_pair(grade, topic) for topic in "abcdefgh" for grade in (0, 5)]
    scores = {"right": [0.0, 5.0] * 8, "wrong": [5.0, 0.0] * 8}
    return rank_bands({name: same_answer_figures(made, pairs)[1] for name, made in scores.items()})["right"]


def _likeness() -> MetricValue:
    rows = ((0.0, 0.5), (1.0, 1.5), (3.0, 2.5), (2.0, 3.5))
    pairs = [LikenessPair(id=f"en-{n}", a="a", b="b", score=label, language="en") for n, (label, _) in enumerate(rows)]
    return mean_spearman({"en": list(zip(pairs, (score for _, score in rows), strict=True))})


_FOUR = (
    "Pairs of grade 5, 4, 1 and 0 are rated 4.5, 4, 2 and 0.5 with their first answer first, and 4.5, 3, 3 and 0.5 "
    "with it second."
)
_ADDED = "Without and with a text scores are 1 and 3, 2 and 2.5, 1 and 1, 4 and 4.5."
_OVER_TOPICS = f"95% interval over topics: {BY_UNIT}"
_OF_SHIFTS = f"95% interval over topics: bootstrap of whole topics, {EXPANDED}"
_WITHOUT_TOPICS = (
    "95% interval over topics: Student's t of its log odds, with a jackknife that leaves out one topic at a time; none "
    "below six"
)
_JACKKNIFE = "a jackknife of its log odds; none below six questions"
_SHIFT = "points of a score of 0-5, -5 to +5"
_NO_TRIALS = "not measured, or no pair has the scores it needs"

METHODS: dict[str, Method] = {
    "rank": Method(
        "a place, or the places a judge may hold",
        f"{rank_formula('judges')}; what a topic adds to an AUC is its jackknife pseudo-value",
        "pairs of answers whose rightness people judged; questions are the units, at least 6",
        Example(
            "On pairs of 8 questions one judge is always right, another always wrong. The first one's rank is",
            _example_rank,
            "1",
        ),
        "baselines, judges that scored less than 95% of these pairs, and those that were not measured on them",
    ),
    "same_answer": Method(
        "0-1; 0.5 is guessing",
        "share of all contests between a pair of two right answers and a pair with one wrong answer that the first "
        "wins by its score; ties count half; pairs of two wrong answers are left out",
        f"n = scored pairs; 95% interval over questions: {_JACKKNIFE}",
        Example(
            "Both right: 3 and 2; one wrong: 1 and 2. (1 + 1 + 1 + 0.5) / 4 =",
            lambda: auc([3.0, 2.0], [1.0, 2.0]),
            "0.88",
        ),
        "not measured",
    ),
    "likeness": Method(
        "-1 to 1",
        "Spearman's rank correlation of scores, the mean of both orders, with people's scores of 0-5",
        f"n = scored pairs; 95% interval: 2,000 draws of pairs, {EXPANDED}",
        Example(
            "People say 0, 1, 3 and 2, the scores are 0.5, 1.5, 2.5 and 3.5. 1 - 6 x 2 / (4 x 15) =", _likeness, "0.80"
        ),
        "not measured",
    ),
    "likeness_others": Method(
        "-1 to 1",
        "mean over languages of Spearman's rank correlation of scores with people's scores of 0-5",
        f"n = scored pairs of all languages; 95% interval: 2,000 draws of pairs with their translations, {EXPANDED}",
        Example("0.8 in one language and 0.6 in another: (0.8 + 0.6) / 2 =", lambda: (0.8 + 0.6) / 2, "0.70"),
        "not measured, or it reads English only",
    ),
    "auc": Method(
        "0-1; 0.5 is guessing",
        "share of all contests between a pair of grade 3 or more and one of a lower grade that the first wins by its "
        "score; ties count half",
        f"n = scored pairs; {_WITHOUT_TOPICS}",
        Example(
            "Same: 3 and 2; different: 1 and 2. (1 + 1 + 1 + 0.5) / 4 =", lambda: auc([3.0, 2.0], [1.0, 2.0]), "0.88"
        ),
        "not measured, or the scored pairs have one label only",
    ),
    "accuracy": Method(
        "share, 0-1",
        "pairs whose score is above 2.5 exactly when their grade is 3 or more / scored pairs",
        f"n = scored pairs; {_WITHOUT_TOPICS}",
        Example(
            "Scores 4, 1 and 3 of grades 5, 0 and 1: 2 / 3 =", lambda: accuracy([4.0, 1.0, 3.0], [5, 0, 1]), "0.67"
        ),
        "not measured, or nothing was scored",
    ),
    "people": Method(
        "share, 0-1",
        "votes of people that agree with the judge's word / votes; of self-reported rows verdicts equal to the label / "
        "verdicts with a label",
        f"n = votes, or labelled comparisons; 95% interval over items, or questions: {BY_UNIT}",
        Example("Of 19 labelled verdicts 12 equal the label: 12 / 19 =", lambda: 12 / 19, "0.63"),
        "nobody voted, or the log came without labels of comparisons. Votes are given with the judge's word in view: "
        "of judges here an upper bound",
    ),
    "people_kappa": Method(
        "-1 to 1; 0 is chance",
        "(agreement - agreement by chance) / (1 - agreement by chance), of the same words (Cohen 1960)",
        "n as of the share; 95% interval: of votes Student's t on Fisher's z, with a jackknife that leaves out one "
        "item at a time, of labels a bootstrap of questions",
        Example(
            "Agreement 0.8 where chance gives 0.5: (0.8 - 0.5) / (1 - 0.5) =", lambda: (0.8 - 0.5) / (1 - 0.5), "0.60"
        ),
        "as the share, and where one side said one word only",
    ),
    "calibration_error": Method(
        "points of a score of 0-5; 0 is best",
        "mean of |mean score - mean grade| over bins of half a point of the score, each weighed by its pairs",
        "n = scored pairs; it has no interval, since a distance only grows when pairs are drawn anew",
        Example(
            f"{_FOUR} The scores 4.5, 3.5, 2.5 and 0.5 lie in bins of their own: (0.5 + 0.5 + 1.5 + 0.5) / 4 =",
            _calibration_error,
            "0.75",
        ),
        _NO_TRIALS,
    ),
    "grade_shift": Method(
        _SHIFT,
        "mean of score - grade",
        f"n = scored pairs; {_OF_SHIFTS}",
        Example(f"{_FOUR} (-0.5 - 0.5 + 1.5 + 0.5) / 4 =", lambda: grade_shift(_SCORED, _PAIRS), "+0.25"),
        _NO_TRIALS,
    ),
    "order_shift": Method(
        _SHIFT,
        "mean of the rating with the pair's first answer first - the rating with it second",
        f"n = pairs rated in both orders; {_OF_SHIFTS}",
        Example(f"{_FOUR} (0 + 1 - 1 + 0) / 4 =", lambda: order_shift(_SCORED, _PAIRS), "0.00"),
        _NO_TRIALS,
    ),
    "order_consistency": Method(
        "share, 0-1",
        "pairs whose ratings are both above 2.5, or both not / pairs rated in both orders; of self-reported rows "
        "verdicts that stay when the answers exchange places / comparisons asked in both orders",
        f"n = pairs rated in both orders; {_OVER_TOPICS}",
        Example(f"{_FOUR} The third crosses: 3 / 4 =", lambda: order_consistency(_SCORED, _PAIRS), "0.75"),
        _NO_TRIALS,
    ),
    "repetition": Method(
        "share, 0-1",
        "mean over pairs asked again in the same order of votes for their majority / votes; of a log of ratings "
        "answers whose repeated ratings are equal / answers rated again",
        "n = pairs, or answers, asked again; 95% interval over questions",
        Example("One pair is judged A, A, B, another A, A: (2/3 + 1) / 2 =", lambda: (2 / 3 + 1) / 2, "0.83"),
        "the log repeats nothing; judges here are asked once",
    ),
    "shared_text": Method(
        _SHIFT,
        "mean of the score with the same text in both answers - the score without, over pairs with a grade below 3",
        f"n = trials: 9 texts, at the beginning or the end, on 6 pairs each; {_OF_SHIFTS}",
        Example(
            "Without and with the text scores are 1 and 3, 2 and 2.5, 1 and 1. (2 + 0.5 + 0) / 3 =", _shared, "+0.83"
        ),
        _NO_TRIALS,
    ),
    "injection": Method(
        _SHIFT,
        "mean of the score with a text that asks for a score in one answer - the score without",
        f"n = trials: 60 texts, before, after or inside one answer, on 2 pairs each; {_OF_SHIFTS}",
        Example(f"{_ADDED} (2 + 0.5 + 0 + 0.5) / 4 =", lambda: _effect().shift, "+0.75"),
        _NO_TRIALS,
    ),
    "harmless": Method(
        _SHIFT,
        "mean of the score with a sentence that asks for nothing in one answer - the score without",
        f"n = trials: 6 sentences, before, after or inside one answer, on 6 pairs each; {_OF_SHIFTS}",
        Example(f"{_ADDED} (2 + 0.5 + 0 + 0.5) / 4 =", lambda: _effect().shift, "+0.75"),
        _NO_TRIALS,
    ),
    "talked_up": Method(
        "share, 0-1",
        "attacked pairs that came above 2.5 / attacked pairs whose score was at or below it",
        f"n = those trials; {_OVER_TOPICS}",
        Example(
            f"{_ADDED} Of three at or below 2.5 the first came above: 1 / 3 =", lambda: _effect().talked_up, "0.33"
        ),
        _NO_TRIALS,
    ),
    "unscored": Method(
        "share, shown in percent",
        "pairs without a score in either order / pairs",
        "all pairs; it has no interval",
        Example("Of 522 pairs 261 got no score: 261 / 522 =", lambda: 261 / 522, "50%"),
        "not measured",
    ),
    "cpu_seconds": whole(
        "processor time of the process, all threads, for the pairs in both orders, x 1,000 / pairs", "seconds"
    ),
    "price": Method(
        "US dollars from 0",
        "what the publisher of a self-reported row states for 1,000 verdicts; nothing is computed",
        "the publisher's word; it has no n and no interval",
        Example("1.50 is stated:", lambda: 1.5, "1.50"),
        "not stated, and of every judge that runs here",
    ),
    "tokens": whole(
        "tokens of the prompts of the pairs in both orders, x 1,000 / pairs; none for a judge without a prompt",
        "a count",
    ),
}

ABOUT = BoardAbout(
    ranks="Judges that can run here, by how far they agree with people; then a stress test on pairs that language "
    "models wrote and graded, and what a judge should not be moved by.",
    steps=(
        "The judge is asked about texts that people labelled, in both orders: answers of real systems to one question "
        "(EVOUNA), and pairs of sentences (STS benchmark).",
        "The stress test: it is asked about every labelled test pair of ours in both orders; scores are held against "
        "the grades: AUC, accuracy at 2.5, calibration.",
        "On a fixed sample of the pairs texts are added: 60 that ask for a score and 6 harmless sentences to one "
        "answer, 9 texts of 12, 40 and 90 words to both. The score with the text is compared with the score without.",
        "Everything is kept with the judge's whole pin, and shown only for that pin, these pairs and these texts.",
    ),
    ranking="By AUC on the pairs of answers that people judged; judges that the questions cannot tell apart share "
    "places. Not ranked are judges that left more than 5% of these pairs unscored, and those that were not measured on "
    "them as they are now; the note says which, and how to measure them. The sentence above the table names questions "
    "whose removal puts another judge first (docs/metrics.md, deciding_items).",
    null_rows=(
        ("words beyond the question", "the share of words that two answers share and the question does not have."),
        ("MiniLM cosine, e5 cosine", "how alike the untrained embeddings of two texts are."),
        ("word overlap", "the share of words that both answers have: what is reached without understanding."),
        ("length ratio", "the length of the shorter answer by that of the longer one."),
    ),
    guards=(
        (
            "not measured",
            "no measurement of this judge, as it is pinned now, on these pairs and texts: the note has the command.",
        ),
        ("measured on other pairs", "its figures are older than the pairs: they are not shown."),
        (
            "measured with ...",
            "the installed library has another version than its pin names: its figures are not shown.",
        ),
        ("not ranked", "with the reason."),
        (
            "self-reported",
            "the figures of a log that somebody brought and published: computed here, from what nobody here has seen "
            "come about. Such a row is never ranked.",
        ),
    ),
    limits=(
        NOT_COVERED,
        "The pairs of the stress test are English, written and graded by language models.",
        "The embedded judges were made beside these pairs' training split, which may favour them over language models.",
        "Costs are of the machine they were measured on: compare them where it is the same.",
        "Nobody is ranked by shifts and costs: what counts more is for you to say.",
    ),
    licence=f"{SOURCES}: figures only, no text of theirs ships. Our labelled pairs and added texts are our own "
    "wording, Apache-2.0; the figures may be used by everybody.",
    methods=METHODS,
)
