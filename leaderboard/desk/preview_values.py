"""What the page shows of a checked file before it is submitted: what would be scored, and what that costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from evaluator.personalized_evaluation.judging import foretelling_questions
from leaderboard.boards.behavior_alignment.coverage_rows import (
    PREVIEW_HEADS,
    preview_facts,
    preview_flags,
    preview_rows,
)
from leaderboard.parts.card_values import FactValue
from leaderboard.parts.visible_text import visible
from submissions.check import CheckReport
from submissions.formats.behavior_alignment.submission import CrsCoverage, CrsSubmission
from submissions.formats.eloquent.cultural_entry import CulturalEntry
from submissions.formats.judge_verdicts.submission import VerdictSubmission
from submissions.formats.personalization.coverage import PersonalizedCoverage
from submissions.formats.personalization.submission import PersonalizedRow
from submissions.formats.personalized_evaluation.submission import (
    AnyPerseSubmission,
    PairItem,
    RatingItem,
    RatingsSubmission,
)
from submissions.formats.preview import (
    FIRST_ROWS,
    expected_judgements,
    expected_ratings,
    first_answers,
    guard_flags,
    normalisations,
)
from submissions.schema import Coverage, Flag, Submission
from submissions.verdicts.items import verdict_items
from submissions.verdicts.swap_outcomes import VERDICTS

SHOWN_CHARACTERS = 160
"""Longer texts are cut in the preview."""

FLAG_WORDS: dict[Flag, str] = {
    "constant": "say the same whatever was asked",
    "echo": "repeat their prompt",
    "error_text": "are error messages",
    "control_tokens": "hold markers of a model's input format",
    "verdict_text": "speak to the judge",
    "wrong_language": "are in another language than their prompt",
    "placeholder": "are the placeholder of the example",
    "off_topic": "do not answer their prompt",
}

_LETTERS = (*VERDICTS, "not run")
"""What the codes of verdicts stand for."""


class PreviewValue(TypedDict):
    """Everything the page says about what would be scored."""

    title: str
    facts: list[FactValue]
    normalisations: list[str]
    flags: list[str]
    caption: str
    heads: list[str]
    rows: list[list[str]]


def preview_value(report: CheckReport) -> PreviewValue | None:
    """The preview of a file that can be scored; None of one that is refused."""
    if report.decision == "refused":
        return None
    if report.cultural_entry is not None and report.coverage is not None:
        return _of_cultural(report, report.cultural_entry, report.coverage)
    if report.submission is not None:
        return _of_answers(report, report.submission)
    if report.verdicts is not None:
        return _of_verdicts(report, report.verdicts)
    if report.personalized_coverage is not None:
        return _of_personalized(report, report.personalized_coverage)
    if report.perse is not None:
        return _of_predictions(report, report.perse)
    if report.crs is not None and report.crs_coverage is not None:
        return _of_recommender(report, report.crs, report.crs_coverage)
    return None


def normalisation_words(report: CheckReport) -> list[str]:
    """What was read otherwise than it is written, one sentence each."""
    return [visible(problem.message) for problem in normalisations(report.problems)]


def _of_answers(report: CheckReport, submission: Submission) -> PreviewValue:
    answered = [response for response in submission.responses() if not response.is_blank]
    languages = list(dict.fromkeys(response.language for response in answered))
    work = expected_judgements(submission)
    facts = {
        "Answers": f"{len(answered):,} of {sum(len(item.responses) for item in submission.items):,}",
        "Items": f"{len({response.item_id for response in answered}):,} of {len(submission.items):,}",
        "Languages": f"{len(languages)}: {', '.join(languages)}",
        "Work": "judgements of every two languages of the run: all of its files are scored together"
        if submission.edition == "2025"
        else f"up to {work:,} judgements of pairs of answers, each pair in both orders"
        if work
        else "no judgements: no two answers differ within a language",
    }
    rows = [
        [one.item_id, str(one.variant), one.language, _cut(one.response), ", ".join(sorted(one.flags)) or "none"]
        for one in first_answers(submission)
    ]
    counts = guard_flags(answered)
    return _preview(
        report,
        facts,
        ["Item", "Variant", "Language", "Answer, as it was read", "Flags"],
        rows,
        [f"{count:,} of {len(answered):,} answers {FLAG_WORDS[flag]} ({flag})" for flag, count in counts.items()],
    )


def _of_cultural(report: CheckReport, entry: CulturalEntry, held: Coverage) -> PreviewValue:
    kinds = "; ".join(f"{kind} {count.answered:,} of {count.expected:,}" for kind, count in held.by_kind.items())
    facts = {
        "Answers": f"{held.total.answered:,} of {held.total.expected:,}",
        "Prompts": kinds,
        "Languages": f"{len(entry.languages)}: {', '.join(entry.languages)}",
        "Work": "no judgements: the figures are computed from embeddings of the answers",
    }
    rows = [
        [one.kind, one.item_id, one.language, _cut(one.response), ", ".join(sorted(one.flags)) or "none"]
        for one in entry.first_answers
    ]
    flags = [
        f"{count:,} of {held.total.answered:,} answers {FLAG_WORDS[flag]} ({flag})"
        for flag, count in entry.flags.items()
    ]
    return _preview(report, facts, ["Kind", "Prompt", "Language", "Answer, as it was read", "Flags"], rows, flags)


def _of_verdicts(report: CheckReport, submission: VerdictSubmission) -> PreviewValue:
    held = report.verdict_coverage
    facts = {
        "Rows": f"{held.n_rows:,}" if held else "",
        "Pairs in both orders": f"{held.n_pairs:,} of {held.n_items:,} items" if held else "",
        "Unusable verdicts": f"{held.n_error_calls:,}" if held else "",
        "Judges": f"{len(held.judges):,}" if held else "",
        "Benchmarks": ", ".join(held.benchmarks) if held else "",
        "Reference model": visible(submission.reference_model or "not stated"),
        "Work": "no judgements: the figures are computed from your verdicts",
    }
    rows: list[list[str]] = []
    for benchmark, table in submission.tables.items():
        items = verdict_items(table)
        for row in range(min(len(items.paired), FIRST_ROWS - len(rows))):
            names = [_cut(column.cell(row)) for column in (items.judge, items.task, items.model, items.query)]
            letters = [_LETTERS[int(codes[row])] for codes in (items.original, items.swapped)]
            rows.append([benchmark, *names, *letters])
    heads = ["Benchmark", "Judge", "Task", "Model", "Query", "Original order", "Swapped order"]
    return _preview(report, facts, heads, rows, [])


def _of_personalized(report: CheckReport, held: PersonalizedCoverage) -> PreviewValue:
    ratings = expected_ratings(held)
    datasets = list(dict.fromkeys(group.dataset for group in held.groups))
    facts = {
        "Rows": f"{held.n_rows:,}",
        "Examples": f"{held.n_examples:,}",
        "Data sets": f"{len(datasets)}: {', '.join(datasets[:8])}{', …' if len(datasets) > 8 else ''}",
        "Methods": f"{len({group.method for group in held.groups if group.setting != 'none'})}",
        "Work": f"up to {ratings:,} ratings of how well a preference is followed, by judges that read language, and "
        "one judgement for each answer whose letter no rule settles",
    }
    rows = [_personalized_row(row) for row in report.personalized_first]
    heads = ["Data set", "Example", "Setting", "Method", "Options", "Gold", "Answer, as it was read"]
    return _preview(report, facts, heads, rows, [])


def _personalized_row(row: PersonalizedRow) -> list[str]:
    return [
        row.dataset,
        _cut(row.example_id),
        row.setting,
        row.method,
        str(len(row.options)) if row.options else "open question",
        row.gold or "none",
        _cut(row.final) or "(blank)",
    ]


def _of_predictions(report: CheckReport, submission: AnyPerseSubmission) -> PreviewValue:
    items: Sequence[RatingItem | PairItem] = submission.items
    answered = sum(item.has_answer for item in items)
    questions = foretelling_questions(submission)
    facts = {
        "Predictions": f"{answered:,} of {len(items):,} items have an answer",
        "Readers": f"{len({item.reviewer for item in items}):,}",
        "Data set": f"{visible(submission.dataset)}, collection {submission.collection}",
        "Reviews shown": f"k = {submission.k}",
        "Scale": f"{submission.scale} for predictions, {submission.gold_scale} for what readers gave"
        if isinstance(submission, RatingsSubmission)
        else "",
        "Work": "no judgements: your predictions are scored as they are; what is missing counts against the headline"
        if answered
        else f"{questions:,} judgements: no item has an answer, so the judge of this site gives them, if it is a "
        "language model; a judge that only compares texts cannot, and the file would fail",
    }
    rows = [_prediction_row(item) for item in items[:FIRST_ROWS]]
    heads = ["Item", "Reader", "Aspect", "New text", "Reader's own", "Prediction, as it stands"]
    return _preview(report, facts, heads, rows, [])


def _prediction_row(item: RatingItem | PairItem) -> list[str]:
    if isinstance(item, PairItem):
        texts, own = f"A: {item.text_a} B: {item.text_b}", str(item.gold)
        aspect, given = str(item.aspect), item.response if item.choice is None else item.choice
    else:
        texts, own, aspect = item.text, f"{item.gold:g}", "rating"
        given = item.response if item.score is None else f"{item.score:g}"
    return [_cut(item.id), _cut(item.reviewer), aspect, _cut(texts), own, _cut(given or "(none)")]


def _of_recommender(report: CheckReport, submission: CrsSubmission, held: CrsCoverage) -> PreviewValue:
    rows = [[_cut(cell) for cell in row] for row in preview_rows(submission, FIRST_ROWS)]
    return _preview(report, preview_facts(submission, held), PREVIEW_HEADS, rows, preview_flags(submission))


def _preview(
    report: CheckReport, facts: dict[str, str], heads: list[str], rows: list[list[str]], flags: Sequence[str]
) -> PreviewValue:
    return {
        "title": "What would be scored",
        "facts": [{"name": name, "text": text} for name, text in facts.items() if text],
        "normalisations": normalisation_words(report),
        "flags": list(flags),
        "caption": "The first row as it was read"
        if len(rows) == 1
        else f"The first {len(rows)} rows as they were read",
        "heads": heads,
        "rows": rows,
    }


def _cut(text: str) -> str:
    cut = text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "…"
    return visible(cut)
