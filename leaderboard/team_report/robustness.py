"""The report of a run of 2024, or of another prompt set of variants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from evaluator.results import HEADLINE, ItemResult, RobustnessResult, View
from leaderboard.boards.robustness.cache import Boards
from leaderboard.boards.robustness.columns import ITEM_COLUMNS, ROBUSTNESS_COLUMNS
from leaderboard.boards.robustness.comparison import system_name
from leaderboard.boards.robustness.items import groups_in_view, item_rows, score_text
from leaderboard.boards.robustness.kind import ROBUSTNESS
from leaderboard.boards.robustness.pair_values import opened_pair_value
from leaderboard.boards.robustness.rows import RobustnessRow, ScoredTicket, board_rows
from leaderboard.boards.robustness.screen import VIEW_LABELS, RobustnessScreen
from leaderboard.boards.robustness.state import RobustnessState
from leaderboard.page.answer_card import answer_card
from leaderboard.page.judge_card import card_of_pin, label_mass
from leaderboard.page.registered import BoardTools
from leaderboard.parts.columns import text_of
from leaderboard.parts.visible_text import visible
from leaderboard.systems.card import rebuild_command
from leaderboard.systems.screen import SystemScreen
from leaderboard.team_report.latex import figures_latex, run_bibtex
from leaderboard.team_report.report import (
    FILE_GONE,
    STOOD_HERE,
    WORST_PAIRS,
    NoReport,
    Section,
    ShownAnswer,
    ShownPair,
    ShownTable,
    TeamReport,
    beginning,
    card_section,
    comparison_section,
    counted_score,
    figures_of,
    figures_table,
    gate_section,
    head_section,
    manifest_section,
    run_words,
    table_of,
    taken_answers,
)
from submissions.schema import Response
from submissions.store.database import StoreError
from submissions.store.queue import Ticket

CANNOT_COMPARE = "the second run has no result to show, is the same, or answered another prompt set"


def robustness_report(tools: BoardTools, state: RobustnessState) -> TeamReport:
    """The report of the opened run, in the view of the page, beside the run it is compared with, if any.

    Raises:
        NoReport: the run has no result to show, or cannot be compared with the other one.
    """
    screen, systems = tools.shared(RobustnessScreen.of), tools.shared(SystemScreen.of)
    opened = screen.opened(state)
    if opened is None:
        raise NoReport(f"{state.system}: this submission has no result to show")
    ticket, result = opened
    state = replace(state, set=ticket.set_id)
    comparison = systems.comparison(state) if state.against else None
    if state.against and comparison is None:
        raise NoReport(f"{state.against}: {CANNOT_COMPARE}")
    row = _row(tools, ticket, result, state.view)
    other = _row(tools, comparison.second.ticket, comparison.second.result, state.view) if comparison else None
    figures = figures_of(ROBUSTNESS_COLUMNS, row, other)
    shown = result.views[state.view]
    manifest = systems.manifest(state)
    sections = [
        head_section(
            row.rank,
            row.note,
            [f"{screen.set_titles()[ticket.set_id]}, {VIEW_LABELS[state.view]}.", *_standing_lines(screen, state)],
            figures_table(figures, is_compared=other is not None),
        ),
        _losses(result, state.view),
        _worst_pairs(tools, ticket, result, state.view),
        gate_section(
            shown.figures["pair_mean"].mean,
            shown.figures[HEADLINE].mean,
            (result.pass_share, result.control_pass_share),
            [
                line
                for item in result.items
                for group in item.groups
                for line in taken_answers(item.id, group.responses, lambda number: f"variant {number}")
            ],
        ),
    ]
    if comparison is not None:
        said = systems.comparison_notice(state)
        sections.append(
            comparison_section(
                comparison.names,
                comparison.difference,
                comparison.items,
                ("item", "items"),
                # The notice begins with the tally, which the section says itself.
                said["lines"][1:] if said else (),
            )
        )
    sections.append(_judge_section(tools, result))
    if result.gate is not None:
        sections.append(card_section(answer_card(result.gate), "Relevance check"))
    sections.append(manifest_section(_facts(ticket, result), rebuild_command(result.judge)))
    title = ROBUSTNESS.title
    return TeamReport(
        ticket.id,
        run_words(ticket),
        sections,
        figures_latex(
            ticket,
            (system_name(ticket), comparison.names[1] if comparison else ""),
            figures,
            title,
            ROBUSTNESS.paper,
            ROBUSTNESS.counted,
        ),
        run_bibtex(ticket, system_name(ticket), title, result.code_version, ROBUSTNESS.paper),
        manifest[1] if manifest else "",
    )


def _row(tools: BoardTools, ticket: Ticket, result: RobustnessResult, view: View) -> RobustnessRow:
    """The run's row; an older run has none on the board any more, and is not ranked."""
    rows = tools.shared(Boards.of).rows(ticket.set_id, view)
    row = next((row for row in rows if row.id == ticket.id), None)
    if row is not None:
        return row
    (alone,) = board_rows([ScoredTicket(ticket, result)], view)
    return replace(alone, rank=None, unranked=STOOD_HERE)


def _standing_lines(screen: RobustnessScreen, state: RobustnessState) -> list[str]:
    said = screen.system_notice(state)
    return [line for line in said["lines"][1:] if line] if said else []


def _losses(result: RobustnessResult, view: View) -> Section:
    shown = result.views[view]
    variations = sorted(
        shown.figures[HEADLINE].by_variation.items(),
        key=lambda variation: (variation[1].value is None, variation[1].value or 0.0),
    )
    languages = sorted(
        ((language, figures[HEADLINE]) for language, figures in result.by_language.items()),
        key=lambda language: (language[1].value is None, language[1].value or 0.0),
    )
    heads = ("Score", "n")
    return Section(
        "Where it loses",
        ["The lowest stand first in every table. Languages are those of all views; n counts items."],
        tables=[
            ShownTable(
                "By variation",
                ("Variation", *heads),
                [[name, text_of(value, "interval"), str(value.n)] for name, value in variations],
            ),
            ShownTable(
                "By language",
                ("Language", *heads, "Not judged because"),
                [[name, text_of(value, "interval"), str(value.n), value.reason or ""] for name, value in languages],
            ),
            table_of("By item", ITEM_COLUMNS, item_rows(result, view)),
        ],
    )


def _worst_pairs(tools: BoardTools, ticket: Ticket, result: RobustnessResult, view: View) -> Section:
    judged_pairs = [
        (item, group.language, pair)
        for item in result.items
        for group in groups_in_view(item, view)
        for pair in group.pairs
        if pair.score is not None
    ]
    judged_pairs.sort(
        key=lambda judged_pair: (
            counted_score(judged_pair[2]),
            judged_pair[2].score or 0.0,
            judged_pair[0].id,
            judged_pair[2].a,
            judged_pair[2].b,
        )
    )
    worst = judged_pairs[:WORST_PAIRS]
    texts = _texts(tools, ticket)
    lines = [] if texts else [FILE_GONE]
    keys = [key for _, _, pair in worst for key in (pair.key_ab, pair.key_ba) if key]
    judgments = tools.services.judgments(ticket, keys)
    pairs = []
    for item, language, pair in worst:
        answers = texts.get(item.id, {})
        value = opened_pair_value(
            pair, {number: beginning(answer.response) for number, answer in answers.items()}, judgments
        )
        prompts = _prompts(tools, ticket, item, answers)
        numbers = [number for number in (pair.a, pair.b) if answers.get(number) and answers[number].response]
        pairs.append(
            ShownPair(
                f"Item {item.id}, {item.variation}, {language}: variants {pair.a} and {pair.b}",
                [
                    f"Score {score_text(counted_score(pair))}, before the relevance check {score_text(pair.score)}.",
                    *value["said"],
                ],
                [
                    ShownAnswer(answer["title"], prompts.get(number, ""), answer["parts"])
                    for number, answer in zip(numbers, value["answers"], strict=True)
                ],
            )
        )
    if not pairs:
        lines = ["No pair of answers was judged in this view."]
    return Section("The worst pairs", lines, pairs=pairs)


def _texts(tools: BoardTools, ticket: Ticket) -> dict[str, dict[int, Response]]:
    """Item -> variant -> answer; empty where the file is no longer at hand."""
    services = tools.services
    try:
        data = services.store.payload(ticket.file_sha256)
    except StoreError:
        return {}
    report = services.desk.check(data, ticket.file_name, edition=ticket.edition, names=ticket.names)
    if report.submission is None:
        return {}
    return {
        item.item_id: {response.variant: response for response in item.responses} for item in report.submission.items
    }


def _prompts(tools: BoardTools, ticket: Ticket, item: ItemResult, answers: Mapping[int, Response]) -> dict[int, str]:
    prompt_set = tools.services.sets().get(ticket.set_id)
    wording = prompt_set.item(item.id) if prompt_set else None
    official = {variant.number: variant.prompt or "" for variant in wording.variants} if wording else {}
    stated = {number: answer.prompt for number, answer in answers.items() if answer.prompt}
    return {number: visible(beginning(prompt)) for number, prompt in (official | stated).items()}


def _judge_section(tools: BoardTools, result: RobustnessResult) -> Section:
    judge = result.judge
    card = card_of_pin(
        judge,
        result.order_gap,
        quality=tools.qualities.of(judge),
        bias=tools.report_of(judge),
        mass=label_mass(result.pairwise),
        people=tools.qualities.checked_by_people(judge),
    )
    return card_section(card, "Judge")


def _facts(ticket: Ticket, result: RobustnessResult) -> list[tuple[str, str]]:
    return [
        ("Ticket", ticket.id),
        ("Received", f"{ticket.received_at:%Y-%m-%d %H:%M} UTC"),
        ("File", ticket.file_name),
        ("SHA-256 of the file", result.file_sha256),
        ("Prompt set", f"{result.prompt_set.set_id}: {result.prompt_set.version}"),
        ("SHA-256 of the prompt set", result.prompt_set.sha256 or ""),
        ("Judge", f"{result.judge.name}: {result.judge.model}, revision {result.judge.revision}"),
        ("Embedding (relevance)", f"{result.embedding.name}: {result.embedding.model}"),
        ("Code version", result.code_version),
    ]
