"""The functions that read submitted text: answers, replies of judges, names, whole files."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from functools import partial
from types import SimpleNamespace

from evaluator.answering.aligner_writing import BEGINNING, ContinuedReply
from evaluator.behavior_alignment import implicit, response_texts
from evaluator.behavior_alignment.strategies import features
from evaluator.embeddings import e5
from evaluator.generators import scripted
from evaluator.generators.protocol import Chunk, Message
from evaluator.judge_logs import (
    csv_table,
    failed_ratings,
    inspect_log,
    judge_arena,
    judgements,
    opened,
    promptfoo,
    row_identity,
)
from evaluator.judge_report import biases, published
from evaluator.judges import parsing, text_replies
from evaluator.judges.answers import features as answers
from evaluator.judges.http import calls, judge
from evaluator.judges.http import replies as http_replies
from evaluator.judges.written.formats import FORMATS, ReplyFormat
from evaluator.judges.written.parsing import read_reply
from evaluator.lab import session_file
from evaluator.personalization import aligner_reply, answer_extraction
from evaluator.personalized_evaluation import explanations
from evaluator.personalized_evaluation import replies as perse_replies
from evaluator.text import content_checks, quantities, shared_text
from leaderboard.boards.robustness import pair_values
from leaderboard.boards.robustness.atlas import screen
from leaderboard.lab import form, links, visit
from leaderboard.page import copies, latex
from leaderboard.parts import downloads, export_components, tables, text_difference
from leaderboard.parts.visible_text import visible
from submissions import known_files, problems
from submissions.formats import excerpts, file_kind, names
from submissions.formats.behavior_alignment import submission
from submissions.formats.eloquent import (
    cultural_rows,
    edition_2025,
    edition_2026,
    guards,
    item_ids,
    languages,
    one_question,
    stated_slots,
    writing,
)
from submissions.formats.judge_verdicts.reader import is_verdict_table
from submissions.formats.personalized_evaluation import published_lines
from submissions.formats.personalized_evaluation.submission import Scale
from submissions.packing import batch_results, edition, editions, metadata_files, naming, shapes
from submissions.packing import edition_2024 as pack_2024
from submissions.packing import edition_2025 as pack_2025
from submissions.promptsets.hidden import HiddenTexts, unescaped
from submissions.questionsets import option_order
from submissions.reading import csv_cells, glimpse, look_alikes, quoting, source_lines, strict_json
from submissions.reading.limits import Limits
from submissions.reading.normal_forms import normal_form
from submissions.verdicts import parsing as verdict_parsing
from submissions.verdicts import thoughts
from submissions.webhooks import addresses

Reader = Callable[[str], object]


def _written_label(reply_format: ReplyFormat, text: str) -> object:
    return read_reply(reply_format, f"{reply_format.begins}{text}", ("A", "B", "10"), is_cut=True)


def _continued(text: str) -> object:
    reply = ContinuedReply()
    return [reply.is_continued(Chunk(BEGINNING, 0)), reply.add(Chunk(BEGINNING, 0)), reply.add(Chunk(text, 1, "stop"))]


def _two(function: Callable[[str, str], object]) -> Reader:
    """Reads a text beside one that differs from it in every second word."""

    def read(text: str) -> object:
        return function(text, " ".join(f"not {word}" if place % 2 else word for place, word in enumerate(text.split())))

    return read


def _bytes(function: Callable[[bytes], object]) -> Reader:
    return lambda text: function(text.encode("utf-8", "surrogatepass"))


def _all(*functions: Reader) -> Reader:
    return lambda text: [function(text) for function in functions]


def _refused(function: Reader, *refusals: type[Exception]) -> Reader:
    def read(text: str) -> object:
        try:
            return function(text)
        except refusals as refusal:
            return refusal

    return read


def _faulty_value(data: bytes) -> object:
    return source_lines.json_spots(b'{"items": [' + data, ["$.items[0].id", "$.items[7]"])


READERS: Mapping[str, Reader] = {
    "evaluator.answering.aligner_writing": _continued,
    "evaluator.personalization.aligner_reply": aligner_reply.read_aligner_reply,
    "evaluator.personalization.answer_extraction": _all(
        lambda text: answer_extraction.extract_answer(text, ["a lake", "a river"]),
        lambda text: answer_extraction.extract_answer("a river", [text, "a lake"]),
    ),
    "evaluator.judge_logs.opened": lambda text: opened.opened(text.encode("utf-8", "replace"), "log"),
    "evaluator.judge_logs.csv_table": csv_table.disarmed,
    "evaluator.judge_logs.judge_arena": judge_arena.verdict_of,
    "evaluator.judge_report.published": published.strange_codes,
    "evaluator.judge_report.biases": biases.family,
    "leaderboard.parts.export_components": export_components.site_address,
    "evaluator.behavior_alignment.implicit": lambda text: implicit.last_sentence(
        submission.Answer(text, None, None, None)
    ),
    "evaluator.judges.answers.features": _all(
        lambda text: answers.own_words("How do I water a fern?", text),
        lambda text: answers.is_foreign("How do I water a fern?", text),
        lambda text: answers.is_foreign(text, "Water it once a week."),
    ),
    "evaluator.text.content_checks": _all(
        content_checks.sentences,
        *(
            _two(check)
            for check in (
                content_checks.negation_conflict,
                content_checks.opposite_words,
                content_checks.word_overlap,
            )
        ),
    ),
    "evaluator.judges.http.judge": judge.without_control_tokens,
    "evaluator.judges.http.calls": lambda text: calls.one_line(text, "key"),
    "evaluator.judges.http.replies": lambda text: http_replies.unanimous_label(text, ("A", "B", "C")),
    "evaluator.text.shared_text": _two(shared_text.unshared),
    "evaluator.judges.parsing": parsing.parse_score,
    "evaluator.text.quantities": _two(quantities.written_alike),
    "leaderboard.parts.text_difference": _two(text_difference.difference_parts),
    "evaluator.lab.session_file": _all(session_file._clean, _bytes(session_file.loaded_session)),
    "evaluator.generators.scripted": lambda text: scripted.fixed_rules([Message("user", text)]),
    "evaluator.personalized_evaluation.explanations": lambda text: explanations.explanation_quality(
        [(text, text[::-1])]
    ),
    "evaluator.personalized_evaluation.replies": _all(
        perse_replies.parse_choice, lambda text: perse_replies.parse_score(text, Scale(1, 10))
    ),
    "evaluator.judges.text_replies": _all(
        lambda text: text_replies.parse_letter(text, 4),
        text_replies.parse_rating,
        lambda text: text_replies.parse_rating(text, "perg"),
    ),
    "evaluator.behavior_alignment.response_texts": _all(
        _two(lambda one, two: response_texts.bleu(one, two, 4)),
        _two(lambda one, two: response_texts.copied_share([(one, two)])),
        lambda text: response_texts.variety([text]),
    ),
    "evaluator.behavior_alignment.strategies.features": _all(
        lambda text: list(features.word_terms(text)), lambda text: list(features.character_terms(text))
    ),
    "leaderboard.boards.robustness.atlas.screen": screen._natural,
    "leaderboard.page.copies": _all(copies.markdown_escaped),
    "leaderboard.page.latex": _all(latex.latex_escaped, latex.one_line, latex.typeset),
    "leaderboard.parts.downloads": downloads.file_name,
    "leaderboard.lab.form": form.options_of,
    "leaderboard.lab.links": links.is_lab_parameter,
    "leaderboard.lab.visit": lambda text: visit.Visits().of(text),
    "leaderboard.boards.robustness.pair_values": lambda text: pair_values.marked_parts(text, {1: "odd"}),
    "leaderboard.parts.tables": tables.folded,
    "leaderboard.parts.visible_text": visible,
    "submissions.formats.behavior_alignment.submission": _all(
        submission.plain_words,
        submission.turn_label_of,
        submission._same_text,
        _two(submission.holds_words),
    ),
    "submissions.formats.excerpts": _bytes(lambda data: excerpts.excerpt(io.BytesIO(data), 1, len(data) // 2)),
    "submissions.formats.eloquent.cultural_rows": cultural_rows._PADDED.fullmatch,
    "submissions.formats.eloquent.edition_2025": edition_2025._LANGUAGE_WITH_REGION.fullmatch,
    "submissions.formats.eloquent.writing": writing._row_text,
    "submissions.packing.batch_results": lambda text: batch_results.BatchResults().row(
        {"custom_id": text, "result": {}}, "1"
    ),
    "submissions.reading.glimpse": _all(
        lambda text: glimpse.glimpse_of(io.BytesIO(text.encode("utf-8", "replace")), "file"),
        lambda text: glimpse.glimpse_of(io.BytesIO(b"[" + text.encode("utf-8", "replace")), "file"),
    ),
    "submissions.packing.naming": _all(naming.name_parts, naming.model_in),
    "submissions.packing.edition_2024": pack_2024._id_of,
    "submissions.packing.edition_2025": _all(pack_2025._id_of, pack_2025.stated_language),
    "submissions.packing.editions": editions._WORDS.findall,
    "submissions.packing.edition": edition.id_numbers,
    "submissions.packing.metadata_files": metadata_files._label_words,
    "submissions.reading.csv_cells": _all(
        csv_cells.separator_of,
        csv_cells.stated_separator,
        lambda text: list(csv_cells.without_stated(text.splitlines())[1]),
    ),
    "submissions.known_files": _bytes(lambda data: known_files.look_at(b'{"a": [{' + data, "a.json")),
    "submissions.problems": lambda text: problems.grouped(
        [problems.Problem(code="x", severity="error", path="$", message=text, hint="")] * 2
    ),
    "submissions.verdicts.thoughts": thoughts.without_thoughts,
    "evaluator.judge_logs.inspect_log": lambda text: inspect_log._contradicts({"content": text}, "C", {}),
    "evaluator.judge_logs.promptfoo": lambda text: promptfoo._score({"score": 0, "reason": text}, counts_tokens=False),
    "evaluator.judge_logs.judgements": judgements.number,
    "evaluator.judge_logs.failed_ratings": lambda text: failed_ratings._bounds("scale", text),
    "evaluator.judge_logs.row_identity": row_identity._role,
    "submissions.promptsets.hidden": _all(
        HiddenTexts((("1", "en", "not a not a not a"), ("2", "en", "a a a a a a"))).withheld, unescaped
    ),
    "submissions.packing.shapes": _bytes(shapes.may_hold_answers),
    "submissions.formats.eloquent.edition_2026": lambda text: edition_2026.cultural_file(SimpleNamespace(name=text)),  # type: ignore[arg-type]
    "submissions.formats.eloquent.item_ids": item_ids.id_number,
    "evaluator.embeddings.e5": e5._single_blanks,
    "submissions.formats.file_kind": _bytes(lambda data: file_kind.states("personalized_pairs", data)),
    "submissions.formats.judge_verdicts.reader": _bytes(lambda data: is_verdict_table(data, "a.csv")),
    "submissions.formats.names": _all(names.is_placeholder, names._trimmed),
    "submissions.formats.eloquent.one_question": _bytes(lambda data: one_question._may_be_of(data, "7")),
    "submissions.questionsets.option_order": option_order.normalised_option,
    "submissions.reading.source_lines": _all(
        _bytes(_faulty_value), _bytes(lambda data: source_lines.row_spots(data, [("a", 1, "b")]))
    ),
    "submissions.formats.eloquent.stated_slots": stated_slots.comparable_prompt,
    "submissions.reading.strict_json": _all(
        _bytes(lambda data: strict_json.read_json(data, "a.json", Limits())),
        _bytes(lambda data: strict_json.read_json(b'{"id": "' + data, "a.json", Limits(), frozenset({"id"}))),
        strict_json.is_clean,
        strict_json.cleaned,
    ),
    "submissions.formats.eloquent.guards": _all(guards.comparable, guards.voting_text, guards._CONTROL_TOKENS.search),
    "submissions.formats.eloquent.languages": languages.sure_language,
    "submissions.reading.look_alikes": look_alikes.skeleton,
    "submissions.reading.normal_forms": lambda text: normal_form("NFKD", text),
    "submissions.formats.personalized_evaluation.published_lines": _all(
        _refused(published_lines._comparisons, published_lines._Faulty), published_lines._stated_choice
    ),
    "submissions.reading.quoting": quoting.quoted,
    "evaluator.judges.written.parsing": _all(
        *(partial(_written_label, reply_format) for reply_format in FORMATS),
    ),
    "submissions.verdicts.parsing": verdict_parsing.parse_verdict,
    "submissions.webhooks.addresses": _all(addresses.address_fault, addresses._may_be_public),
}
"""Module -> what reads a text there."""

OTHER_TEXT: Mapping[str, str] = {
    "submissions.seasons.season_store": "the names of one ticket, in sentences about it",
    "evaluator.lab.setup": "names of data sets, of this installation",
    "evaluator.generators.http": "what one_line has cut",
    "evaluator.generators.loading": "settings of the installation",
    "evaluator.generators.decoding": "settings of the installation",
    "evaluator.generators.transformers": "tokens of a pinned model",
    "evaluator.personalization.table": "one cell of an organiser's table",
    "evaluator.judge_quality.long_answers": "our own texts, to train on and to measure with",
    "evaluator.seeding.null_rows": "prompts of a set of this installation",
    "evaluator.judge_loading.registry": "settings of the installation",
    "evaluator.embeddings.transformers": "settings of the installation",
    "evaluator.statistics.verdict_tables": "one cell of a table that a reader of files has taken in",
    "leaderboard.web.headers": "the path of a request, which the server limits, and the page that gradio wrote",
    "leaderboard.web.first_page": "the page that gradio wrote",
    "leaderboard.web.addresses": "one header of a trusted proxy",
    "leaderboard.every_eval_ever.identity": "names of models, which are of limited length",
    "leaderboard.web.open_paths": "the path of a request, which the server limits",
    "leaderboard.web.sound_calls": "paths of requests, which the server limits, and names of 100 characters",
    "submissions.archive.record": "names of files that we wrote",
    "submissions.own_tasks.codabench": "the name of an organiser's file",
    "submissions.own_tasks.task_file": "names of columns in an organiser's bundle",
    "submissions.packing.plan": "the label of a run, made of names of limited length",
    "submissions.packing.hub": "an argument of a command",
    "submissions.archive.events": "names of files that we wrote, and the beginning of one",
    "submissions.formats.envelope": "one short value, looked at from its start",
    "submissions.formats.personalization.rows": "one short value, looked at from its start",
    "submissions.formats.eloquent.run_header": "one short value, looked at from its start",
    "submissions.formats.judge_verdicts.rows": "one value of limited length",
    "submissions.reading.zip_members": "the name of an entry, at most 65,535 bytes",
    "submissions.questionsets.set_file": "files of this installation",
    "submissions.settings": "settings of the installation",
}
"""Modules with expressions whose functions need no look of their own, and why; their expressions are all looked at."""
