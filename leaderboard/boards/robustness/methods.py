"""Methods of the Robustness board: how each figure comes about."""

from __future__ import annotations

from evaluator.results import FigureSummary, GroupResult, ItemResult, PairwiseRecord, ResponseResult
from evaluator.robustness.figures import PairRating, group_result, summarise
from evaluator.robustness.pairwise import bradley_terry, conservative_win_rate, win_rate
from evaluator.robustness.panel import panel_mean
from evaluator.statistics.agreement import krippendorff_alpha_interval
from evaluator.statistics.rank_bands import RankBand, rank_bands
from leaderboard.page.ledger import ledger_methods
from leaderboard.parts.methods import BY_UNIT, OVER_ITEMS, BoardAbout, Example, Method, rank_formula
from submissions.schema import Count

# --- the worked examples ---------------------------------------------------------------------------------------------


def _example_group() -> GroupResult:
    """Answers 1, 2 and 3 to one item, of which answer 3 only repeats the prompt."""
    answers = [
        ResponseResult(variant=1, flags=(), blank=False),
        ResponseResult(variant=2, flags=(), blank=False),
        ResponseResult(variant=3, flags=("echo",), blank=False),
    ]
    ratings = {(1, 2): PairRating(4.0, 3.0), (1, 3): PairRating(2.0, 2.0), (2, 3): PairRating(0.5, None)}
    return group_result("en", answers, ratings)


_GROUP = (
    "Three answers to one item; answer 3 only repeats the prompt. The pairs were rated, in both orders, 1-2: 4 and 3, "
    "1-3: 2 and 2, 2-3: 0.5 and unusable, so their scores are 3.5, 2 and 0.5; only pair 1-2 passes the relevance check."
)


def _example_items() -> FigureSummary:
    """Three judged items with the values 1, 2 and 3, and one that nobody judged."""
    answers = [ResponseResult(variant=number, flags=(), blank=False) for number in (1, 2)]
    ratings = {"1": 1.0, "2": 2.0, "3": 3.0, "4": None}
    items = [
        ItemResult(
            id=item,
            variation="formality",
            groups=(group_result("en", answers, {(1, 2): PairRating(rating, rating)}),),
        )
        for item, rating in ratings.items()
    ]
    views, _ = summarise(items, rankable={"english": True, "all": True})
    return views["english"].figures["pair_mean_gated"]


def _judged_items() -> Count:
    summary = _example_items()
    return Count(summary.eligible, summary.mean.n)


def _example_rank() -> RankBand:
    scores = {"a": (4.0, 4.0), "b": (5.0, 2.0), "c": (3.0, 3.0)}
    items = {name: {str(item): pair[item % 2] for item in range(12)} for name, pair in scores.items()}
    return rank_bands(items)["a"]


def _record(variant: int, original: str, swapped: str, outcome: str) -> PairwiseRecord:
    return PairwiseRecord(
        item="1", variation="formality", variant=variant, original=original, swapped=swapped, outcome=outcome
    )


_WIN = _record(1, "B", "A", "consistent_win_second_candidate")
_FLIP = _record(2, "A", "A", "primacy_flip")
_TIE = _record(3, "C", "C", "consistent_tie")
_LOSS = _record(4, "A", "B", "consistent_win_first_candidate")
_FOUR = (_WIN, _FLIP, _TIE, _LOSS)
_COMPARED = (
    "Four answers beside the reference's: one is preferred from both places, one flips with the order, one ties, "
)
_OVER_COMPARISONS = f"n = comparisons with two usable verdicts; 95% interval over items: {BY_UNIT}"

METHODS: dict[str, Method] = {
    "rank": Method(
        "a place, or the places a system may hold",
        rank_formula("systems"),
        "the common items of each two systems",
        Example(
            "Three systems on twelve items, a: 4 on each, b: 5 and 2 in turn, c: 3 on each. Only a and c, 1 apart on "
            "every item, are told apart. Nobody is better than a and one of three is worse, so the rank of a is",
            _example_rank,
            "1-2",
        ),
        "baselines, and rows that lack answers or verdicts",
    ),
    "score": Method(
        "0-5",
        "pair score s = mean of the ratings in both orders; checked s (after the relevance check) = s x how far both "
        "answers answer (0-1), and 0 if a flag fails either; group = mean of its checked s; item = its English group "
        "(view English), or mean over its groups (all languages); score = mean over items",
        OVER_ITEMS,
        Example(f"{_GROUP} (3.5 + 0 + 0) / 3 =", lambda: _example_group().figures["pair_mean_gated"], "1.17"),
        "no judged pair, or the prompts are not installed, so that relevance could not be checked",
    ),
    "raw": Method(
        "0-5",
        "as the score, of s instead of checked s",
        OVER_ITEMS,
        Example(f"{_GROUP} (3.5 + 2 + 0.5) / 3 =", lambda: _example_group().figures["pair_mean"], "2.00"),
        "no judged pair",
    ),
    "worst": Method(
        "0-5",
        "group = its least checked s; then as the score",
        OVER_ITEMS,
        Example(f"{_GROUP} min(3.5, 0, 0) =", lambda: _example_group().figures["pair_worst_gated"], "0.00"),
        "as the score",
    ),
    "sum": Method(
        "0 to five times the number of items",
        "sum of the item values; = score x judged items",
        "judged items; it has no interval: read it beside Judged",
        Example(
            "Items worth 1, 2 and 3, and a fourth that nobody judged: 1 + 2 + 3 =",
            lambda: _example_items().total,
            "6.00",
        ),
        "no judged item",
    ),
    "judged": Method(
        "items judged / items of the view",
        "items with at least one judged group / items with at least one group of two variants",
        example=Example("Items worth 1, 2 and 3, and a fourth that nobody judged:", _judged_items, "3/4"),
    ),
    "coverage": Method(
        "answers given / prompts of the set",
        "answers that are not blank / prompts; a view is ranked from 95% of its prompts on, with two answers in "
        "every group",
        example=Example("98 answers to the 103 prompts of 2024:", lambda: Count(103, 98), "98/103"),
    ),
    "win_rate": Method(
        "share, 0-1; 0.5 = level",
        "(pairs won from both places + half of ties and flips) / pairs with two usable verdicts",
        _OVER_COMPARISONS,
        Example(f"{_COMPARED}one loses. (1 + 0.5 + 0.5 + 0) / 4 =", lambda: win_rate(_FOUR), "0.50"),
        "the judge states no preferences, or no pair has two usable verdicts",
    ),
    "won_from_both_places": Method(
        "share, 0-1",
        "pairs won from both places / pairs with two usable verdicts",
        _OVER_COMPARISONS,
        Example(f"{_COMPARED}one loses. 1 / 4 =", lambda: conservative_win_rate(_FOUR), "0.25"),
        "as the win rate",
    ),
    "strength": Method(
        "log odds; 0 = level, +2.2 = preferred nine times in ten",
        "P(preferred) = logistic(strength + position x place), place +1 where the system is shown second, -1 where it "
        "is first; ties count half; one position term for all systems of a judge; fitted with a ridge of 0.01",
        "all single verdicts of the system; it has no interval: read it beside the win rate",
        Example(
            "One answer won and one lost, each from both places: as many verdicts for as against, so",
            lambda: round(bradley_terry({"level": (_WIN, _LOSS)}).strengths["level"], 6) + 0.0,
            "0.00",
        ),
        "as the win rate",
    ),
    "panel": Method(
        "0-5",
        "per item the mean of the judges' headline values, then the mean over the items that all of them scored; a "
        "judge of the system's own model family is left out",
        OVER_ITEMS,
        Example(
            "Two judges give item 1 the values 4 and 3, item 2 the values 2 and 1; item 3 has one judge only. "
            "(3.5 + 1.5) / 2 =",
            lambda: panel_mean([{"1": 4.0, "2": 2.0}, {"1": 3.0, "2": 1.0, "3": 5.0}]),
            "2.50",
        ),
        "one judge is configured, or no item was scored by all",
    ),
    "panel_agreement": Method(
        "alpha, at most 1; 0 = chance",
        "1 - observed / expected squared difference of the judges' ratings of a pair (Krippendorff, interval scale), "
        "before the relevance check",
        "n = pairs that two or more judges rated; 95% interval: bootstrap over items, each drawn with all its pairs",
        Example(
            "Two judges rate three pairs 1 and 1, 2 and 3, 5 and 5: 1 - 5 x 2 / 202 =",
            lambda: krippendorff_alpha_interval([[1.0, 1.0], [2.0, 3.0], [5.0, 5.0]]),
            "0.95",
        ),
        "one judge, or all ratings are equal",
    ),
    **ledger_methods("submissions of this team, system and model to this prompt set; failed and withdrawn ones count"),
}

ABOUT = BoardAbout(
    ranks="Same meaning in, same meaning out. A prompt set asks every question several times: politely and bluntly, in "
    "other words, in a dialect, in another language. The board ranks systems by how far their answers then mean the "
    "same. This is the Robustness task of the ELOQUENT lab.",
    steps=(
        "Answers to one item in one language form a group.",
        "A judge rates every pair of a group from 0 (nothing in common) to 5 (same meaning), once in each order; the "
        "pair's score is the mean of the two. Identical answers score 5 unasked.",
        "A pair passes the relevance check when no flag fails either answer; one that does not counts 0. "
        "Saying “It depends.” to everything is consistent, and worthless.",
        "A judge is asked of every answer whether it answers its prompt, in the prompt's language. A pair counts as "
        "far as both do: in full where the judge is at least 70% sure of both, not at all below 50%.",
        "A group's value is the mean of its pairs, an item's that of its groups, the score the mean over items.",
        "What cannot be judged is unscored, with its reason, and never 0.",
    ),
    ranking="Tied systems share ranks: the result is the band, such as “2-5”, and the order within it means nothing. "
    "Ranks are corrected for the number of pairs: of 100 boards of equal systems, about five separate any two, however "
    "many systems there are. The more systems, the larger a difference must be. Systems are compared item by item, "
    "which removes how hard an item is for all of them, so two systems can differ although their own intervals "
    "overlap. Rows without all answers or verdicts follow the ranked ones, whichever way the table is sorted. The view "
    "“How stable is each rank?” shows how far a rank depends on judge, view and items: the range of every system's "
    "rank when one of them changes. The sentence above the table names the fewest items whose removal puts another "
    "system first (docs/metrics.md, deciding_items).",
    null_rows=(
        ("Baseline: empty answers", "nothing is judged: it shows that silence is no score."),
        (
            "Baseline: one constant answer",
            "what perfect consistency without content reaches: 5 before the relevance check, 0 after it.",
        ),
        ("Baseline: refusal", "what refusing everything reaches."),
        ("Baseline: prompt echo", "what giving the question back reaches."),
        ("Baseline: answer addressed to the judge", "what telling the judge its verdict reaches."),
        ("Baseline: topic words", "what the telling words of each prompt reach."),
        ("Baseline: reworded refusals with the topic", "what refusing in seven wordings reaches."),
        ("Baseline: the next prompt", "what answering with another wording of the question reaches."),
        ("Baseline: yes and no in turn", "what two short words reach."),
        ("Baseline: advice that fits everything", "what advice for any question reaches under the topic."),
        ("Baseline: empty shell", "what announcing an answer reaches."),
        ("Baseline: courtesy paragraph", "what ninety polite words reach."),
    ),
    guards=(
        ("constant", "one text for many questions; fails the relevance check."),
        ("off_topic", "no nearer to its own prompts than to the median other item's; fails the relevance check."),
        (
            "no_answer",
            "more probably no answer to its prompt than one, or in another language; fails the relevance check.",
        ),
        ("echo", "the prompt itself; fails the relevance check."),
        ("error_text", "an error message; fails the relevance check."),
        ("verdict_text", "a text that gives the judge its verdict; fails the relevance check."),
        ("wrong_language", "another language than the prompt's; no answer, where a judge is asked what answers."),
        ("control_tokens", "chat-control tokens in the text; shown, changes no score."),
        ("placeholder", "a placeholder instead of an answer; shown, changes no score."),
        (
            "not separable from baseline",
            "the system does not rank above the best baseline on common items: its score may be nobody's "
            "merit, and where a judge was asked what answers, it is not ranked.",
        ),
    ),
    limits=(
        "A high score is not a correct answer: a system that is always wrong in the same way is robust.",
        "Two rows under different judges are not comparable, nor is any row with the paper's Table 2.",
        "A difference between languages or variations is a difference between items too.",
        "Fifteen items describe a model on fifteen questions, with an interval.",
    ),
    licence="The demonstration set and the four example systems are our own wording, Apache-2.0; what SmolLM2 "
    "answered was recorded by us. The official ELOQUENT sets are CC BY-NC-SA 4.0, are fetched from their publisher and "
    "never shipped here. What teams send stays theirs; names, answers, attempts and withdrawals are public.",
    methods=METHODS,
)
