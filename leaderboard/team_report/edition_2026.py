"""Where a run of 2026 loses, its worst pairs of languages with their answers, and what the gate took."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from evaluator.robustness.edition_results import CULTURAL_HEADLINE, CulturalResult, LanguagePair
from leaderboard.boards.editions.columns import BASE_QUESTION_COLUMNS, LANGUAGE_COLUMNS, PAIR_COLUMNS
from leaderboard.boards.editions.cultural_items import Texts, shown_texts
from leaderboard.boards.editions.screen import base_question_rows, languages_2026, pair_row, worst_first
from leaderboard.boards.robustness.items import flag_words, score_text
from leaderboard.page.registered import BoardTools
from leaderboard.team_report.report import (
    FILE_GONE,
    Section,
    ShownAnswer,
    ShownPair,
    gate_section,
    gating_words,
    table_of,
)
from submissions.formats.eloquent.one_question import answers_2026
from submissions.schema import GATING_FLAGS, Flag, Response
from submissions.store.database import StoreError
from submissions.store.queue import Ticket

WORST_QUESTIONS = 5
"""Base questions of which pairs are shown: the zip is read once for each."""
PAIRS_OF_QUESTION = 2
OLD_HEADLINE = "csp_gated"
"""Of results made before there was the response to culture."""


def parts_2026(tools: BoardTools, ticket: Ticket, result: CulturalResult) -> list[Section]:
    """The sections between the figures and the comparison."""
    languages = sorted(
        languages_2026(result), key=lambda row: worst_first(row.pass_share.value if row.pass_share else None)
    )
    questions = sorted(base_question_rows(result), key=lambda row: worst_first(row.culture))
    pairs = sorted(map(pair_row, result.pairs), key=lambda row: worst_first(row.cd))
    losses = Section(
        "Where it loses",
        ["The lowest stand first: languages by their answers on topic, pairs of languages by CD."],
        tables=[
            table_of("By language", LANGUAGE_COLUMNS, languages),
            table_of("By base question", BASE_QUESTION_COLUMNS, questions),
            table_of("By pair of languages", PAIR_COLUMNS, pairs),
        ],
    )
    headline = CULTURAL_HEADLINE if CULTURAL_HEADLINE in result.figures else OLD_HEADLINE
    raw, gated = result.figures[headline.removesuffix("_gated")], result.figures[headline]  # type: ignore[index]
    gate = gate_section(raw, gated, (result.pass_share, result.control_pass_share), _taken(result))
    return [losses, _worst_pairs(tools, ticket, result), gate]


def _taken(result: CulturalResult) -> list[list[str]]:
    """Every answer the gate took; results of before flagged answers were kept name none."""
    taken = []
    for language, share in result.languages.items():
        flags = _flags_by_answer(share.flagged or {})
        for item, own in sorted(flags.items()):
            if words := gating_words(own):
                taken.append([item, language, words])
    return taken


def _flags_by_answer(flagged: Mapping[Flag, tuple[str, ...]]) -> dict[str, list[Flag]]:
    flags: dict[str, list[Flag]] = {}
    for flag, ids in flagged.items():
        for id_ in ids:
            flags.setdefault(id_, []).append(flag)
    return flags


class _Place(NamedTuple):
    """Two languages on one base question."""

    lead: float
    """U minus A, gated."""
    question: str
    place: int
    pair: LanguagePair


def _worst_pairs(tools: BoardTools, ticket: Ticket, result: CulturalResult) -> Section:
    chosen = _chosen(result)
    texts: dict[str, Texts] = {}
    try:
        data = tools.services.store.payload(ticket.file_sha256) if chosen else b""
        for question in dict.fromkeys(place.question for place in chosen):
            texts[question] = shown_texts(answers_2026(data, question))
    except StoreError:
        texts = {}
    flags = {
        language: _flags_by_answer({flag: ids for flag, ids in (share.flagged or {}).items() if flag in GATING_FLAGS})
        for language, share in result.languages.items()
    }
    lines = [
        f"Of the {WORST_QUESTIONS} worst base questions the {PAIRS_OF_QUESTION} pairs of languages whose answers lie "
        "least further apart where no culture is named (U) than where one is (A). Shown are the answers where none is "
        "named, and those to the first variant that both answer.",
    ]
    if chosen and not texts:
        lines.append(FILE_GONE)
    if not chosen:
        lines = ["No two languages have distances of both kinds."]
    return Section(
        "The worst pairs", lines, pairs=[_shown(place, texts.get(place.question, {}), flags) for place in chosen]
    )


def _chosen(result: CulturalResult) -> list[_Place]:
    values = result.question_values.get(CULTURAL_HEADLINE) or result.question_values["cd_gated"]
    places = {question: place for place, question in enumerate(result.questions)}
    chosen = []
    for question, _ in sorted(values.items(), key=lambda scored: (scored[1], places[scored[0]]))[:WORST_QUESTIONS]:
        place = places[question]
        own = [
            _Place(apart - named, question, place, pair)
            for pair in result.pairs
            if (apart := (pair.unspecific_gated or pair.unspecific)[place]) is not None
            if (named := (pair.specific_gated or pair.specific)[place]) is not None
        ]
        chosen += sorted(own, key=lambda answer: (answer.lead, answer.pair.a, answer.pair.b))[:PAIRS_OF_QUESTION]
    return chosen


def _shown(worst_pair: _Place, texts: Texts, flags: Mapping[str, Mapping[str, list[Flag]]]) -> ShownPair:
    pair, place = worst_pair.pair, worst_pair.place
    gated = (pair.unspecific_gated or pair.unspecific, pair.specific_gated or pair.specific)
    said = [
        f"U {score_text(gated[0][place])}, before the relevance check {score_text(pair.unspecific[place])}; "
        f"A {score_text(gated[1][place])}, before the relevance check {score_text(pair.specific[place])}.",
    ]
    first, second = texts.get(pair.a, {}), texts.get(pair.b, {})
    variants = sorted(_variants(first) & _variants(second))
    ids = [worst_pair.question, *(f"{worst_pair.question}-{number}" for number in variants[:1])]
    answers = [
        ShownAnswer(
            f"{language}, {'no culture named' if id_ == worst_pair.question else f'variant {variants[0]}'}",
            own[id_].prompt or "",
            [{"text": own[id_].response, "mark": ""}],
            flag_words(flags[language].get(id_, ())),
        )
        for id_ in ids
        for language, own in ((pair.a, first), (pair.b, second))
        if id_ in own
    ]
    return ShownPair(f"Base question {worst_pair.question}: {pair.a} and {pair.b}", said, answers)


def _variants(answers: Mapping[str, Response]) -> set[int]:
    return {answer.variant for answer in answers.values() if answer.kind == "specific"}
