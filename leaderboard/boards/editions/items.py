"""One question of a 2025 run, down to every answer and every verdict, shown as an item of 2024 is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from evaluator.judges.protocol import Judgment
from evaluator.robustness.edition_results import QuestionResult
from evaluator.robustness.group_results import GroupResult, ResponseResult
from leaderboard.boards.robustness.items import FILE_GONE, flag_words, group_value, item_sentence, relevance_text
from leaderboard.parts.card_values import JudgeCardValue
from leaderboard.parts.item_values import GroupValue, ItemValue, TurnValue, VariantValue
from leaderboard.parts.visible_text import visible
from submissions.schema import Response

LAST_ANSWERS = "Last answers"
FIRST_ANSWERS = "Answers to the first turn"


def question_value(
    question: QuestionResult,
    answers: Mapping[str, Response],
    judge: JudgeCardValue,
    judgments: Mapping[str, Judgment],
    opened: str = "",
) -> ItemValue:
    """Everything the page shows about one question.

    Args:
        answers: language -> what the run says there; languages whose file is no longer at hand are absent.
        judgments: stored verdicts by key (`robustness.items.verdict_keys`).
        opened: the opened pair, "1-2", by place among the question's languages; blank = the worst one.
    """

    def of_group(title: str, group: GroupResult, answers: Mapping[str, Response]) -> GroupValue:
        variants = []
        for response in group.responses:
            language = languages[response.variant]
            variants.append(_variant_value(response, language, answers.get(language)))
        texts = {place: answers[name].response for place, name in languages.items() if name in answers}
        return group_value(group, variants, texts, judge, judgments, opened, title=title, languages=languages)

    languages = dict(enumerate(question.languages, start=1))
    titles = (LAST_ANSWERS, FIRST_ANSWERS)
    of_turns = (answers, {language: _until_first_turn(answer) for language, answer in answers.items()})
    shown = zip(titles, groups_shown(question), of_turns, strict=False)
    return {
        "title": f"Question {question.id}",
        "variation": f"in {', '.join(question.languages)}",
        "sentence": item_sentence([question.final], languages),
        "groups": [of_group(*turn) for turn in shown],
        "comparisons": [],
    }


def groups_shown(question: QuestionResult) -> tuple[GroupResult, ...]:
    """The last answers, and those to the first turn where anything else was found about them."""
    if question.first_turn == question.final:
        return (question.final,)
    return (question.final, question.first_turn)


def pair_ids(question: QuestionResult) -> set[str]:
    """What the pairs of a question are opened by."""
    return {f"{pair.a}-{pair.b}" for pair in question.final.pairs}


def _until_first_turn(answer: Response) -> Response:
    """The conversation as if it had ended after its first turn."""
    return replace(answer, turns=answer.turns[:1], response=answer.turns[0][1])


def _variant_value(result: ResponseResult, language: str, answer: Response | None) -> VariantValue:
    """The answer in one language; a conversation of several turns with all of them."""
    is_conversation = answer is not None and len(answer.turns) > 1
    return {
        "title": language,
        "prompt": visible(answer.prompt or "") if answer else "",
        "answer": visible(answer.response) if answer else "",
        "turns": _turn_values(answer) if answer and is_conversation else [],
        "is_blank": result.blank,
        "absent": "" if answer else FILE_GONE,
        "flags": flag_words(result.flags),
        "relevance": relevance_text(result, others="other questions"),
    }


def _turn_values(answer: Response) -> list[TurnValue]:
    """Every turn; the last answer that is not blank is the one that was judged."""
    judged = max((place for place, (_, said) in enumerate(answer.turns) if said.strip()), default=None)
    return [
        {
            "title": f"{answer.language}, turn {place + 1}",
            "question": visible(asked),
            "answer": visible(said),
            "is_judged": place == judged,
        }
        for place, (asked, said) in enumerate(answer.turns)
    ]
