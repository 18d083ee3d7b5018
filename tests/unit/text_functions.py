"""The functions that read submitted text: answers, replies of judges, names, whole files."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from types import SimpleNamespace

from evaluator import (
    aligner_reply,
    answer_extraction,
    implicit_alignment,
    perse_explanations,
    perse_replies,
    personalization_replies,
    response_texts,
    stub_server,
)
from evaluator.judges import content_checks, http, http_calls, http_replies, parsing, quantities
from evaluator.lab import diff, session_file
from evaluator.models import scripted
from evaluator.models.protocol import Message
from evaluator.strategies import features
from leaderboard import atlas_screen, copies, export, lab_form, lab_links, pair_values, tables, team_names
from leaderboard.visible_text import visible
from submissions import crs_responses, excerpts, guards, languages, perse_import, quotation, verdict_parsing
from submissions.formats import (
    cultural_rows,
    eloquent_2025,
    eloquent_2026,
    item_ids,
    names,
    one_question,
    option_order,
    source_lines,
    stated_slots,
    strict_json,
)
from submissions.formats.crs_responses import may_be_crs_document
from submissions.formats.judge_verdicts import is_verdict_table, may_be_verdict_document
from submissions.formats.limits import Limits
from submissions.formats.perse import stating
from submissions.formats.personalized import may_be_personalized_document
from submissions.normal_forms import normal_form
from submissions.perse import Scale

Reader = Callable[[str], object]


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
    "evaluator.aligner_reply": aligner_reply.read_aligner_reply,
    "evaluator.answer_extraction": _all(
        lambda text: answer_extraction.extract_answer(text, ["a lake", "a river"]),
        lambda text: answer_extraction.extract_answer("a river", [text, "a lake"]),
    ),
    "evaluator.implicit_alignment": lambda text: implicit_alignment.last_sentence(
        crs_responses.Answer(text, None, None, None)
    ),
    "evaluator.judges.content_checks": _all(
        content_checks.sentences,
        content_checks.refuses,
        *(
            _two(check)
            for check in (
                content_checks.negation_conflict,
                content_checks.opposite_words,
                content_checks.name_conflict,
                content_checks.exchanged_words,
                content_checks.word_overlap,
            )
        ),
    ),
    "evaluator.judges.http": http.without_control_tokens,
    "evaluator.judges.http_calls": lambda text: http_calls.one_line(text, "key"),
    "evaluator.judges.http_replies": lambda text: http_replies.unanimous_label(text, ("A", "B", "C")),
    "evaluator.judges.parsing": parsing.parse_similarity_score,
    "evaluator.judges.quantities": _two(quantities.restatement),
    "evaluator.lab.diff": _two(diff.word_diff),
    "evaluator.lab.session_file": _all(session_file._clean, _bytes(session_file.loaded_session)),
    "evaluator.models.scripted": lambda text: scripted.fixed_rules([Message("user", text)]),
    "evaluator.perse_explanations": lambda text: perse_explanations.explanation_quality([(text, text[::-1])]),
    "evaluator.perse_replies": _all(
        perse_replies.parse_choice, lambda text: perse_replies.parse_score(text, Scale(1, 10))
    ),
    "evaluator.personalization_replies": _all(
        lambda text: personalization_replies.parse_letter(text, 4),
        personalization_replies.parse_rating,
        lambda text: personalization_replies.parse_rating(text, "perg"),
    ),
    "evaluator.response_texts": _all(
        _two(lambda one, two: response_texts.bleu(one, two, 4)),
        _two(lambda one, two: response_texts.copied_share([(one, two)])),
        lambda text: response_texts.variety([text]),
    ),
    "evaluator.strategies.features": _all(
        lambda text: list(features.word_terms(text)), lambda text: list(features.character_terms(text))
    ),
    "evaluator.stub_server": stub_server._label_shares,
    "leaderboard.atlas_screen": atlas_screen._natural,
    "leaderboard.copies": _all(copies.markdown_escaped, copies.latex_escaped),
    "leaderboard.export": export._file_name,
    "leaderboard.lab_form": lab_form.options_of,
    "leaderboard.lab_links": lab_links.is_lab_parameter,
    "leaderboard.pair_values": lambda text: pair_values.marked_parts(text, {1: "odd"}),
    "leaderboard.tables": tables.folded,
    "leaderboard.team_names": team_names.skeleton.__wrapped__,
    "leaderboard.visible_text": visible,
    "submissions.crs_responses": _all(
        crs_responses.plain_words,
        crs_responses.turn_label_of,
        crs_responses._same_text,
        _two(crs_responses.holds_words),
    ),
    "submissions.excerpts": _bytes(lambda data: excerpts.excerpt(io.BytesIO(data), 1, len(data) // 2)),
    "submissions.formats.crs_responses": _bytes(may_be_crs_document),
    "submissions.formats.cultural_rows": cultural_rows._PADDED.fullmatch,
    "submissions.formats.eloquent_2025": eloquent_2025._LANGUAGE_WITH_REGION.fullmatch,
    "submissions.formats.eloquent_2026": lambda text: eloquent_2026.cultural_file(SimpleNamespace(name=text)),  # type: ignore[arg-type]
    "submissions.formats.item_ids": item_ids.id_number,
    "submissions.formats.judge_verdicts": _all(
        _bytes(lambda data: is_verdict_table(data, "a.csv")), _bytes(may_be_verdict_document)
    ),
    "submissions.formats.names": _all(names.is_placeholder, names._trimmed),
    "submissions.formats.one_question": _bytes(lambda data: one_question._may_be_of(data, "7")),
    "submissions.formats.option_order": option_order.normalised_option,
    "submissions.formats.perse": _bytes(stating("personalized_pairs")),
    "submissions.formats.personalized": _bytes(may_be_personalized_document),
    "submissions.formats.source_lines": _all(
        _bytes(_faulty_value), _bytes(lambda data: source_lines.row_spots(data, [("a", 1, "b")]))
    ),
    "submissions.formats.stated_slots": stated_slots.comparable_prompt,
    "submissions.formats.strict_json": _all(
        _bytes(lambda data: strict_json.read_json(data, "a.json", Limits())),
        _bytes(lambda data: strict_json.read_json(b'{"id": "' + data, "a.json", Limits(), frozenset({"id"}))),
        strict_json.is_clean,
        strict_json.cleaned,
    ),
    "submissions.guards": _all(guards.comparable, guards.voting_text, guards._CONTROL_TOKENS.search),
    "submissions.languages": languages.sure_language,
    "submissions.normal_forms": lambda text: normal_form("NFKD", text),
    "submissions.perse_import": _all(
        _refused(perse_import._comparisons, perse_import._Faulty), perse_import._stated_choice
    ),
    "submissions.quotation": quotation.quoted,
    "submissions.verdict_parsing": verdict_parsing.parse_verdict,
}
"""Module -> what reads a text there."""

OTHER_TEXT: Mapping[str, str] = {
    "evaluator.lab.setup": "names of data sets, of this installation",
    "evaluator.models.http": "what one_line has cut",
    "evaluator.models.loading": "settings of the installation",
    "evaluator.models.transformers": "tokens of a pinned model",
    "evaluator.pair_training_commands": "arguments of a command",
    "evaluator.personalization_table": "one cell of an organiser's table",
    "evaluator.perturbations": "our own texts, to train on",
    "evaluator.scorer": "settings of the installation",
    "evaluator.transformers_embedder": "settings of the installation",
    "evaluator.verdict_tables": "one cell of a table that a reader of files has taken in",
    "leaderboard.web.headers": "the path of a request, which the server limits, and the page that gradio wrote",
    "leaderboard.web.open_paths": "the path of a request, which the server limits",
    "leaderboard.web.sound_calls": "paths of requests, which the server limits, and names of 100 characters",
    "submissions.archive": "names of files that we wrote",
    "submissions.events": "names of files that we wrote, and the beginning of one",
    "submissions.formats.personalized_envelope": "one short value, looked at from its start",
    "submissions.formats.personalized_rows": "one short value, looked at from its start",
    "submissions.formats.run_header": "one short value, looked at from its start",
    "submissions.formats.verdict_rows": "one value of limited length",
    "submissions.formats.zip_members": "the name of an entry, at most 65,535 bytes",
    "submissions.questionsets.set_file": "files of this installation",
    "submissions.settings": "settings of the installation",
}
"""Modules with expressions whose functions need no look of their own, and why; their expressions are all looked at."""
