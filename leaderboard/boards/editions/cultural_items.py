"""One base question of a 2026 run: how far every two languages lie apart, and the answers these distances are of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict

from evaluator.robustness.edition_results import CulturalFigure, CulturalResult, LanguagePair, LanguageShare
from leaderboard.boards.editions.sentences import distance_sentence
from leaderboard.boards.robustness.items import FILE_GONE, flag_words, score_text
from leaderboard.parts.item_values import VariantValue
from leaderboard.parts.visible_text import visible
from submissions.schema import GATING_FLAGS, Flag, Response

FIRST_VARIANTS = 6
"""Specific prompts whose answers are shown at once; those to the others unfold."""
MOST_CHARACTERS = 2_000
"""Of one text. The task asks for 200 tokens; 24 languages times 109 texts of the greatest length would be no page."""
UNKNOWN_FLAGS = (
    "This run was scored before flags were stored for each answer; figures after the relevance check still count them."
)

Texts = Mapping[str, Mapping[str, Response]]
"""Language -> item id ("7", "7-3") -> answer."""


def shown_texts(responses: Iterable[Response]) -> dict[str, dict[str, Response]]:
    """The answers that are not blank, of every text as much as is shown, cut as soon as it comes."""
    texts: dict[str, dict[str, Response]] = {}
    for response in responses:
        if not response.is_blank:
            cut = replace(response, prompt=_cut(response.prompt or ""), turns=(), response=_cut(response.response))
            texts.setdefault(response.language, {})[response.item_id] = cut
    return texts


def _cut(text: str) -> str:
    """The beginning of a text, fit to be shown.

    >>> _cut("short"), _cut("long" * 600)[-51:]
    ('short', 'g [… the first 2,000 of 2,400 characters are shown]')
    """
    if len(text) <= MOST_CHARACTERS:
        return visible(text)
    return f"{visible(text[:MOST_CHARACTERS])} [… the first {MOST_CHARACTERS:,} of {len(text):,} characters are shown]"


# --- ready for the page ----------------------------------------------------------------------------------------------


class CulturalPairValue(TypedDict):
    """Two languages on one base question."""

    id: str
    title: str
    unspecific: str
    """U, raw and gated."""
    unspecific_gated: str
    specific: str
    """A, the mean over variants, raw and gated."""
    specific_gated: str
    variants: str
    """How many are answered in both languages, and how many of them pass."""
    is_opened: bool


class AnswersValue(TypedDict):
    """Answers that stand together: those in one language, or those in two, side by side."""

    title: str
    summary: str
    is_paired: bool
    """Two by two, the first language first."""
    shown: list[VariantValue]
    rest: list[VariantValue]
    rest_title: str


class CulturalItemValue(TypedDict):
    """One base question of a run, ready for the page."""

    title: str
    sentence: str
    """What came of it; above everything else."""
    context: str
    notes: list[str]
    pairs: list[CulturalPairValue]
    is_pair_opened: bool
    sections: list[AnswersValue]


def cultural_item_value(
    result: CulturalResult, question: str, texts: Texts | None, opened: str = ""
) -> CulturalItemValue:
    """Everything the page shows about one base question.

    Args:
        question: One of `result.questions`.
        texts: Its answers (`shown_texts`); None where the zip is no longer at hand.
        opened: The opened pair of languages, "en-sv": its answers stand side by side, variant by variant. Blank =
            the answers of each language by themselves.
    """
    place = result.questions.index(question)
    languages = {
        language: _Language(language, share, question, (texts or {}).get(language, {}), _flagged(share, question))
        for language, share in result.languages.items()
    }
    opened_pair = next((pair for pair in result.pairs if pair_id(pair) == opened), None)
    sections = []
    if texts is not None and opened_pair is not None:
        sections = [_side_by_side(languages[opened_pair.a], languages[opened_pair.b])]
    elif texts is not None:
        sections = [_by_itself(language) for language in languages.values()]
    notes = [FILE_GONE] if texts is None else []
    notes += [UNKNOWN_FLAGS] if any(share.flagged is None for share in result.languages.values()) else []
    return {
        "title": f"Base question {question}",
        "sentence": distance_sentence(
            *(result.question_values[figure].get(question) for figure in ("cd", "cr", "cd_gated", "cr_gated"))
        ),
        "context": _figures_text(result, question),
        "notes": notes,
        "pairs": [
            _pair_value(pair, place, languages[pair.a], languages[pair.b], is_opened=pair is opened_pair)
            for pair in result.pairs
        ],
        "is_pair_opened": opened_pair is not None,
        "sections": sections,
    }


def pair_id(pair: LanguagePair) -> str:
    """What a pair of languages is opened by."""
    return f"{pair.a}-{pair.b}"


def _figures_text(result: CulturalResult, question: str) -> str:
    cd, cd_raw, cr, cr_raw = (
        score_text(result.question_values[figure].get(question)) for figure in _FIGURES_OF_QUESTIONS
    )
    return (
        f"Difference where no culture is named (CD) {cd} ({cd_raw} before the relevance check), "
        f"agreement where one is (CR) {cr} ({cr_raw} before it)"
    )


_FIGURES_OF_QUESTIONS: tuple[CulturalFigure, ...] = ("cd_gated", "cd", "cr_gated", "cr")


@dataclass(frozen=True, slots=True)
class _Language:
    """One language of a run, on one base question."""

    name: str
    share: LanguageShare
    question: str
    answers: Mapping[str, Response]
    """By item id; those that are not blank."""
    flagged: Mapping[Flag, frozenset[str]]
    """Ids of the question's answers by flag, as far as they are known."""

    @property
    def variants(self) -> dict[int, Response]:
        """The specific answers, in the order of their variants."""
        specific = (answer for answer in self.answers.values() if answer.kind == "specific")
        return {answer.variant: answer for answer in sorted(specific, key=lambda answer: answer.variant)}

    def flags(self, item_id: str) -> list[Flag]:
        """What an answer is flagged as."""
        return [flag for flag, ids in self.flagged.items() if item_id in ids]

    def passes(self, item_id: str) -> bool:
        """Does an answer carry no flag that fails a pair?"""
        return GATING_FLAGS.isdisjoint(self.flags(item_id))

    def answer_value(self, title: str, item_id: str) -> VariantValue:
        """The answer to one prompt."""
        answer, flags = self.answers.get(item_id), self.flags(item_id)
        is_unchecked = answer is not None and self.share.flagged is not None and item_id in self.share.unchecked
        return {
            "title": title,
            "prompt": answer.prompt or "" if answer else "",
            "answer": answer.response if answer else "",
            "turns": [],
            "is_blank": answer is None,
            "absent": "",
            "flags": flag_words(flags),
            "relevance": "relevance not checked" if is_unchecked else "",
        }

    def unspecific_value(self, title: str) -> VariantValue:
        """The answer where no culture is named."""
        return self.answer_value(title, self.question)

    def variant_value(self, title: str, variant: int) -> VariantValue:
        """The answer to one of the prompts that name a culture."""
        return self.answer_value(title, f"{self.question}-{variant}")


def _flagged(share: LanguageShare, question: str) -> dict[Flag, frozenset[str]]:
    """What a result says of the question's answers: it lists those of all questions."""
    return {
        flag: frozenset(item_id for item_id in ids if item_id.partition("-")[0] == question)
        for flag, ids in (share.flagged or {}).items()
    }


def _pair_value(
    pair: LanguagePair, place: int, first: _Language, second: _Language, *, is_opened: bool
) -> CulturalPairValue:
    gated = (pair.unspecific_gated, pair.specific_gated)
    unspecific_gated, specific_gated = (None if column is None else column[place] for column in gated)
    return {
        "id": pair_id(pair),
        "title": f"{pair.a} and {pair.b}",
        "unspecific": score_text(pair.unspecific[place]),
        "unspecific_gated": score_text(unspecific_gated),
        "specific": score_text(pair.specific[place]),
        "specific_gated": score_text(specific_gated),
        "variants": _common_text(first, second),
        "is_opened": is_opened,
    }


def _common_text(first: _Language, second: _Language) -> str:
    """How many variants are answered in both, and how many of these pairs pass."""
    common = sorted(first.variants.keys() & second.variants.keys())
    if first.share.flagged is None or second.share.flagged is None:
        return str(len(common))
    ids = (f"{first.question}-{variant}" for variant in common)
    passing = sum(first.passes(item_id) and second.passes(item_id) for item_id in ids)
    return f"{len(common)}, {passing} pass"


def _by_itself(language: _Language) -> AnswersValue:
    variants = list(language.variants)
    values = [language.variant_value(f"Variant {variant}", variant) for variant in variants]
    summary = f"{_variants_text(len(variants))} answered"
    if not language.share.read:
        summary += "; not judged: the embedding model does not declare the language"
    return _answers_value(
        language.name, summary, [language.unspecific_value("Unspecific"), *values], 1 + FIRST_VARIANTS
    )


def _side_by_side(first: _Language, second: _Language) -> AnswersValue:
    """Everything that was answered in either language, in both: what is missing in one stands out."""
    variants = sorted(first.variants.keys() | second.variants.keys())
    values = [answer.unspecific_value(f"{answer.name}, unspecific") for answer in (first, second)]
    for variant in variants:
        values += [answer.variant_value(f"{answer.name}, variant {variant}", variant) for answer in (first, second)]
    title, summary = f"{first.name} and {second.name}", f"{_variants_text(len(variants))} answered in either"
    return {**_answers_value(title, summary, values, 2 + 2 * FIRST_VARIANTS), "is_paired": True}


def _answers_value(title: str, summary: str, values: Sequence[VariantValue], shown: int) -> AnswersValue:
    rest = list(values[shown:])
    return {
        "title": title,
        "summary": summary,
        "is_paired": False,
        "shown": list(values[:shown]),
        "rest": rest,
        "rest_title": f"{len(rest)} more answers, {title}" if rest else "",
    }


def _variants_text(count: int) -> str:
    return "1 variant" if count == 1 else f"{count} variants"
