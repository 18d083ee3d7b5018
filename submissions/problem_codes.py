"""Every code a problem can carry: its severity and what it means; a check says how to fix it where it found it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from submissions.problems import Severity


@dataclass(frozen=True, slots=True)
class Code:
    """What one problem code means."""

    severity: Severity
    meaning: str
    also: Severity | None = None
    """A second severity the code can have; the meaning says when."""


_FILE = {
    "empty_file": Code("error", "The file holds nothing."),
    "file_too_big": Code("error", "The file is larger, or holds more values, than is read."),
    "binary": Code("error", "The file is an archive, an image or another binary where a text is due."),
    "encoding": Code("error", "The file is not UTF-8."),
    "json_syntax": Code("error", "The text is not valid JSON at this place."),
    "json_multiple_documents": Code("error", "Several JSON documents stand one after the other (JSON Lines)."),
    "duplicate_key": Code("error", "A key stands twice in one object, so one of its values would be lost."),
    "too_deep": Code("error", "Lists and objects are nested too deeply."),
    "huge_number": Code("error", "A number is written with too many characters."),
    "json_nan": Code("error", "NaN, Infinity or a number beyond all bounds stands where JSON knows none."),
    "lone_surrogate": Code("error", "An escape like \\ud83d stands without its other half: half a character."),
    "control_char": Code("error", "A text holds a control character other than tab, line feed and carriage return."),
}

_ROOT = {
    "wrong_root": Code("error", "The file is of no edition and kind this site knows."),
    "is_test_set": Code("error", "This is the test set itself, perhaps filled in, not a submission."),
    "wrong_edition": Code("error", "The file is of another edition than the one asked for or read here."),
    "wrong_kind": Code("error", "The file is of another kind than those read here."),
    "not_zip": Code("error", "A single file of the 2026 edition was sent; that edition is one zip."),
    "label_missing": Code("error", "There is no label, which tells the edition."),
    "results_not_object": Code("error", "The value of eloquent-robustness-results is not an object."),
    "year_mismatch": Code("error", "The year stated is not that of the edition."),
}

_NAMES = {
    "source_missing": Code("error", "There is no team name."),
    "source_type": Code("error", "The team name is not a text."),
    "source_placeholder": Code("error", "An example text of the template was left in as a name."),
    "source_chars": Code("error", "A name looks like a path, holds invisible characters or is too long."),
}

_ITEMS = {
    "items_missing": Code("error", "There is no list of items, or it is empty."),
    "items_type": Code("error", "The items are not a list."),
    "id_missing": Code("error", "An item has no id."),
    "unknown_id": Code("error", "An item has an id the test set does not have."),
    "duplicate_id": Code("error", "An item stands twice; reported at the second place."),
    "paper_numbering": Code("error", "The ids are, or may be, the numbers of the paper instead of the test file's."),
    "old_test_version": Code("error", "The answers belong to the first test set of 26 April 2024."),
    "english_only_lists": Code("error", "Only the English prompts have a place in the lists of responses."),
    "several_samples": Code("error", "The lists hold several answers to each prompt."),
    "responses_missing": Code("error", "An item has no list of responses."),
    "response_count": Code("error", "An item has more or fewer responses than variants."),
    "response_key": Code("error", "A response object has no key response."),
    "response_type": Code("error", "A response is not a text."),
    "response_too_long": Code("error", "A response is longer than is read."),
    "turns_missing": Code("error", "A question has no list of turns."),
    "language_code": Code("error", "A language is not written as a code the edition knows."),
    "all_empty": Code("error", "Every response is empty."),
    "hidden_prompt": Code("error", "The file holds prompts of its season that are hidden; ids name them."),
    "placeholder_question": Code("error", "The example question of the template was answered as if it were one."),
    "placeholder_response": Code(
        "warning", 'Responses are the "..." of the example; an error if all non-empty ones are.', also="error"
    ),
}

_ZIP = {
    "zip_damaged": Code("error", "The zip, or an entry of it, cannot be unpacked."),
    "zip_encrypted": Code("error", "An entry of the zip is encrypted."),
    "zip_path": Code("error", "The path of an entry leads out of the folder the zip is unpacked in."),
    "zip_too_big": Code("error", "An entry, or all of them together, expand to more than is read."),
    "zip_too_many": Code("error", "The zip has more entries than are read."),
    "zip_duplicate_entry": Code("error", "Two entries of the zip are the same file; reported at the second."),
    "metadata_missing": Code(
        "error", "The zip has no submission_metadata.json; a warning if its names came with it.", also="warning"
    ),
    "file_missing": Code("error", "A language is listed, but the zip has no file of it."),
    "not_jsonl": Code("error", "A file is one JSON value over several lines instead of one row per line."),
}

_WARNINGS = {
    "utf8_bom": Code("warning", "The file begins with a byte order mark."),
    "id_normalised": Code("warning", "Ids were written in another form and read as those of the test set."),
    "year_normalised": Code("warning", "The year is a number or absent; it was read as the edition's."),
    "responses_as_strings": Code("warning", "Responses are plain texts instead of objects."),
    "extra_key": Code("warning", "A key the format does not know was ignored."),
    "missing_items": Code("warning", "Items of the test set are absent; they count as not answered."),
    "question_not_registered": Code("warning", "A question is none of the registered ones of its edition."),
    "prompt_mismatch": Code("warning", "A prompt given beside a response is not the one of its place."),
    "language_mismatch": Code("warning", "A language given beside a response is not that of its place."),
    "language_alias": Code("warning", "A language is written in another way than in the test set."),
    "markup_in_source": Code("warning", "A name holds HTML or Markdown; it is shown as plain text."),
    "identity_conflict": Code("warning", "The file and the form state different names; the file's is used."),
    "metadata_field": Code("warning", "A field that describes the run is missing or has the wrong type."),
    "submissionid_chars": Code("warning", "The submissionid holds other signs than letters, digits, _, dot and -."),
    "kind_missing": Code("warning", "A language has only one of its two files."),
    "too_few_languages": Code("warning", "The run has fewer languages than a rank needs."),
    "language_unlisted": Code("warning", "A language is answered, but not listed in the metadata."),
    "file_name": Code("warning", "A file has another name than the format says."),
    "nested_folder": Code("warning", "The files stand in a folder inside of the zip."),
    "junk_file": Code("warning", "The zip holds files of the operating system; they were left aside."),
    "max_new_tokens": Code("warning", "The answers may be longer than the edition allows."),
}

_GUARDS = {
    "constant_response": Code("warning", "One text answers a large part of the prompts of a language."),
    "echoes_prompt": Code("warning", "Responses repeat their prompt."),
    "error_text": Code("warning", "Responses are error messages of a program or service."),
    "control_tokens": Code("warning", "Responses hold markers of a model's input format."),
    "judge_verdict_in_response": Code("warning", "Responses speak to the judge: a verdict, a score or an instruction."),
    "wrong_language": Code("warning", "Responses are in another language than their prompts."),
}

_NOTES = {
    "crlf": Code("note", "Lines end as on Windows."),
    "item_order": Code("note", "The items stand in another order than in the test set."),
    "skipped_responses": Code("note", "Some responses are empty: these prompts count as not answered."),
    "language_sampled": Code("note", "Of very many answers the language of a sample was looked at."),
    "pack_would_mend": Code("note", "The file is refused, but pack makes a submission of the answers in it."),
    "samples_read": Code("note", "What a file of samples holds, and how many of its lines were not read."),
    "set_unavailable": Code(
        "note", "The official prompts are not installed, so nothing was compared with them, and no run is ranked."
    ),
}

_ROWS = {
    "envelope_field": Code("error", "A value that holds for the whole file is absent or not accepted."),
    "no_rows": Code("error", "The file has no rows."),
    "missing_field": Code("error", "A value that every row needs is absent, blank or of the wrong type."),
    "duplicate_row": Code("error", "A row stands twice; reported at the second place."),
    "unknown_field": Code("warning", "A column or key the format does not know is not used."),
}

VERDICT_CODES: Mapping[str, Code] = MappingProxyType(
    {
        **_ROWS,
        "csv_separator": Code("note", "The cells of a CSV are separated by something else than commas."),
        "missing_column": Code("error", "A column is absent from the header of the table."),
        "too_many_columns": Code("error", "The header of the table names more columns than are read."),
        "too_many_rows": Code("error", "The table has more rows than are read."),
        "too_many_names": Code("error", "The table names more judges, benchmarks, tasks or models than are compared."),
        "no_complete_pair": Code("error", "No item has both orders, so no figure can be computed."),
        "row_shape": Code("error", "A row has more or fewer values than the header, or is not an object."),
        "too_long": Code("error", "A value is longer than is read."),
        "bad_benchmark": Code("error", "The name of a benchmark holds other signs than a-z, 0-9, dot, _ and -."),
        "bad_order": Code("error", "The order is neither original nor swapped."),
        "bad_repetition": Code("error", "The repetition is not a whole number from 1 to 100."),
        "bad_verdict": Code("error", "The verdict is none of A, B, C and N, which name the place shown."),
        "candidate_is_reference": Code("error", "A row compares the reference model with itself."),
        "tie_counted_as_error": Code("warning", "Ties of judges that had two options count as unusable."),
        "text_disagrees": Code("warning", "Verdicts differ from what their raw_text states; the verdict is used."),
        "unpaired_items": Code("warning", "A judge has items of which only one order was run."),
        "many_errors": Code("warning", "More than a tenth of a judge's items are unusable or unpaired: not ranked."),
        "few_queries": Code("warning", "A judge has valid pairs on fewer than 30 queries: its figures are unsure."),
        "maybe_candidate_language": Code("warning", "The verdicts may name candidates instead of places."),
    }
)
"""Codes of tables of judge verdicts: their own, and those of any file of rows."""

PERSONALIZED_CODES: Mapping[str, Code] = MappingProxyType(
    {
        **_ROWS,
        "unknown_setting": Code("error", "The setting is none of none, relevant, irrelevant and mixed."),
        "bad_options": Code("error", "The options are not 2 to 26 different texts."),
        "hash_not_of_options": Code("error", "The hash is not that of the row's options in this order."),
        "gold_not_an_option": Code("error", "The gold letter is none of the options' letters."),
        "reserved_dataset": Code("error", "The data set has the name that stands for all of them together."),
        "bad_finish_reason": Code("error", "The finish reason is none of those known."),
        "rating_out_of_range": Code("error", "The team's rating is not a number from 1 to 5."),
        "control_setting": Code("error", "Setting none and method no_preference do not stand together."),
        "control_responses": Code("error", "A control row lacks its response, or has one with preferences."),
        "preferences_do_not_fit_setting": Code("error", "The preferences shown are not those of the row's setting."),
        "repeat_not_control": Code("error", "A row other than a control is said to be a further run."),
        "response_missing": Code("error", "A row has no response with preferences."),
        "draft_missing": Code("error", "A row of pref_aligner has no draft."),
        "control_missing": Code("error", "Nothing says what was answered without preferences."),
        "control_hash_missing": Code("error", "Nothing says in which order the control saw the options."),
        "control_text_differs": Code("error", "A row states another control text than the control row has."),
        "question_changed": Code("error", "A row has another question than its control."),
        "gold_changed": Code("error", "A row has another gold letter than its control, in the same order."),
        "option_order_changed": Code("error", "A row and its control saw the options in different orders."),
        "draft_is_not_control": Code("warning", "Drafts differ from the control's text beyond white space."),
    }
)
"""Codes of personalized answers: their own, and those of any file of rows."""

CRS_CODES: Mapping[str, Code] = MappingProxyType(
    {
        "no_dialogues": Code("error", "The file has no dialogues."),
        "no_turns": Code("error", "A dialogue has no turns."),
        "duplicate_dialogue": Code("error", "A dialogue stands twice; reported at the second place."),
        "empty_text": Code("error", "The human's answer of a turn is blank."),
        "turn_numbering": Code("error", "The turns of a dialogue are not numbered 1, 2, 3 and on."),
        "unknown_role": Code("error", "An utterance of the context is said by nobody known."),
        "unknown_strategy": Code("error", "A strategy is none of the 13, and not no_strategy."),
        "empty_strategy_list": Code("error", "A list of strategies is empty."),
        "strategy_count": Code("error", "There are more or fewer strategies than sentences."),
        "context_differs": Code("warning", "Contexts lack what the human said one turn before."),
    }
)
"""Codes of recommender answers alone."""

PERSE_CODES: Mapping[str, Code] = MappingProxyType(
    {
        "no_items": Code("error", "The file has no items."),
        "duplicate_item": Code("error", "One reviewer's choice in one aspect stands twice."),
        "profile_length": Code("error", "A profile has more or fewer entries than k says."),
        "score_out_of_range": Code("error", "A score lies beyond the ends of its scale."),
        "score_and_response": Code("error", "A predicted rating stands beside the raw text it would be read from."),
        "choice_and_response": Code("error", "A predicted choice stands beside the raw text it would be read from."),
        "shuffle_count": Code("error", "Items have different numbers of shuffled predictions, or fewer than two."),
        "shuffles_need_two_reviews": Code("error", "Shuffled predictions are given, but one order is all there is."),
        "unknown_aspect": Code("error", "The aspect is none of the five that are compared."),
        "bad_choice": Code("error", "A choice is neither of the two texts."),
    }
)
"""Codes of predicted ratings and choices alone."""

BUDGET_CODES: Mapping[str, Code] = MappingProxyType(
    {
        "too_slow_to_check": Code("error", "Reading the file takes more time than the check of one file may."),
        "too_large_to_check": Code("error", "Reading the file takes more memory than the check of one file may."),
        "check_ended": Code("error", "The program that read the file ended before it had read it."),
    }
)
"""Codes of files that no reader came to the end of."""

CODES: Mapping[str, Code] = MappingProxyType(
    {
        **BUDGET_CODES,
        **_FILE,
        **_ROOT,
        **_NAMES,
        **_ITEMS,
        **_ZIP,
        **_WARNINGS,
        **_GUARDS,
        **_NOTES,
        **VERDICT_CODES,
        **PERSONALIZED_CODES,
        **CRS_CODES,
        **PERSE_CODES,
    }
)
"""Code -> severity and meaning, in the order of docs/submit.md."""
