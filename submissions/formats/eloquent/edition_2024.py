"""The format of 2024: a JSON object, a response per variant, in test-set order (docs/submit.md#the-format-of-2024)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from submissions.findings import Findings, ProblemTally
from submissions.formats.eloquent.item_ids import (
    diagnoses,
    id_label,
    id_number,
    looks_like_paper,
    normal_id,
    two_digit_ids,
)
from submissions.formats.eloquent.result import Reading, Slot, slot_of
from submissions.formats.eloquent.stated_slots import comparable_language, comparable_prompt
from submissions.formats.eloquent.wording import MARKS as SHARED
from submissions.formats.eloquent.wording import VALUE_FAULTS, report_empty, report_marks, response_fault
from submissions.formats.names import read_name
from submissions.promptsets import PromptSets
from submissions.promptsets.set_file import LANGUAGE_CORRECTIONS
from submissions.reading.limits import Limits
from submissions.reading.quoting import described, keys_shown, printable, quoted
from submissions.reading.strict_json import ABSENT, JsonPath, Unreadable, ValueFault, is_clean, path_text, value_faults
from submissions.schema import Item, Names, PromptSet, Response, ResponseSet, Submission

MARKS = {
    **SHARED,
    "id_normalised": (
        "ids were read in the test set's form: {mark.detail} ({times})",
        'Write ids as texts of three digits, like "001".',
    ),
    "responses_as_strings": (
        "responses are plain texts, expected objects ({times})",
        'They were read; write {"response": "..."} to be sure.',
    ),
    "language_mismatch": (
        "item {mark.item}: {mark.detail} ({times})",
        "Check the order of the responses: the place in the list decides which prompt a response answers.",
    ),
    "prompt_mismatch": (
        "item {mark.item}: {mark.detail} ({times})",
        "Check the order of the responses, and that the prompts are those of the newest test set.",
    ),
}
"""Code of a warning told once -> message with its `mark` and how many `times` it was met, and hint."""


ROOT_KEY: Final = "eloquent-robustness-results"
TEST_SET_KEY: Final = "eloquent-robustness-test"

FIRST_DEMONSTRATION_ID = 901

_ROOT_KEYS = frozenset({ROOT_KEY})
_RESULT_KEYS = frozenset({"source", "year", "items", "system", "model", "run"})
_ITEM_KEYS = frozenset({"id", "responses"})
_RESPONSE_KEYS = frozenset({"response", "language", "prompt"})
_YEAR = "2024"


def read_2024(
    document: dict[str, object], *, file_sha256: str, names: Names, prompt_sets: PromptSets, limits: Limits = Limits()
) -> Reading:
    """Reads one 2024 submission.

    Args:
        document: The value from `read_json`: an object with the key eloquent-robustness-results.
        file_sha256: Of the bytes as uploaded.
        names: From the form or flags; they fill what the file leaves open.
        prompt_sets: The file is checked against the demonstration set if all its ids are that set's, else against 2024.
        limits: Bounds responses and names.

    Returns:
        The submission with a response in every slot of its set, and everything found.
    """
    return _Reader(document, file_sha256, names, prompt_sets, limits).read()


@dataclass(frozen=True, slots=True)
class _Entry:
    """One member of the list of items that is an object."""

    index: int
    members: dict[str, object]
    item: Item | None
    """The set's item this entry answers; None where the id names none, or another entry has it."""
    label: str | None
    """The id as problems show it."""


@dataclass(slots=True)
class _Reader:
    """State of one reading; the methods follow the file from the outside in."""

    document: dict[str, object]
    file_sha256: str
    names: Names
    prompt_sets: PromptSets
    limits: Limits
    findings: Findings = field(default_factory=Findings)
    tally: ProblemTally = field(default_factory=ProblemTally)
    matched: dict[int, _Entry] = field(default_factory=dict)
    """Index in the list of items -> entry that answers an item of the set. (All others are read and let go: a
    hostile file can have millions of them.)"""
    is_complete: bool = True
    answers: dict[str, list[Response]] = field(default_factory=dict)
    places: dict[Slot, str] = field(default_factory=dict)
    skipped: list[Response] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    """Item id -> number of responses found."""

    # The whole file

    def read(self) -> Reading:
        root = self.document
        self._note_extra_keys(root, _ROOT_KEYS, ())
        results = root[ROOT_KEY]
        if not isinstance(results, dict):
            self._report_results_type(results)
            self._report_value_faults()
            return self._reading(None)
        self._note_extra_keys(results, _RESULT_KEYS, (ROOT_KEY,))
        names = self._names(results)
        self._check_year(results)
        entries = self._entries(results)
        prompt_set = self._prompt_set(entries)
        self._read_entries(entries, prompt_set)
        self._report_value_faults()
        for diagnosis in diagnoses(self.counts, {item.id: item for item in prompt_set.items}):
            self._refuse(diagnosis.code, (ROOT_KEY, "items"), diagnosis.message, diagnosis.hint, item=diagnosis.item)
        if entries:
            self._note_missing_items(prompt_set)
        self._note_order(prompt_set)
        submission = self._submission(prompt_set, names) if entries else None
        self._check_emptiness(submission)
        if not (prompt_set.has_prompts or prompt_set.is_hidden):
            self._note_set_unavailable()
        return self._reading(submission)

    def _reading(self, submission: Submission | None) -> Reading:
        report_marks(self.tally, MARKS, self.findings)
        return Reading(submission, self.findings, self.places, self.is_complete and submission is not None)

    def _refuse(
        self,
        code: str,
        path: JsonPath,
        message: str,
        hint: str,
        *,
        item: str | None = None,
        variant: int | None = None,
        language: str | None = None,
    ) -> None:
        """An error that leaves part of the file unread."""
        self.is_complete = False
        self.findings.add(code, path_text(path), message, hint, item=item, variant=variant, language=language)

    def _is_only_counted(self, code: str) -> bool:
        """Counts an error of which enough are listed; finding words for millions of them would take many seconds."""
        if not self.findings.is_full(code):
            return False
        self.is_complete = False
        self.findings.count(code)
        return True

    def _report_results_type(self, results: object) -> None:
        hint = 'Write {"eloquent-robustness-results": {"source": ..., "year": "2024", "items": [...]}}.'
        if isinstance(results, list) and len(results) > 1:
            hint = f"The list holds {len(results)} result sets: send one file for each, told apart by a key system."
        self._refuse(
            "results_not_object", (ROOT_KEY,), f"the results are {described(results)}; they start with {{...}}", hint
        )

    def _note_extra_keys(self, members: dict[str, object], known: frozenset[str], path: JsonPath) -> None:
        for key in members:
            if key not in known:
                self.tally.note("extra_key", partial(path_text, (*path, key)), group=key, detail=quoted(key))

    # Faults of values, told at the response they lie in

    def _report_value_faults(self) -> None:
        for fault in value_faults(self.document):
            self.is_complete = False
            if not self._is_only_counted(fault.code):
                self._report_value_fault(fault)

    def _report_value_fault(self, fault: ValueFault) -> None:
        message, hint = VALUE_FAULTS[fault.code]
        path, entry = fault.path, self._entry_at(fault.path)
        variant, language = None, None
        if entry and len(path) > 4 and path[3] == "responses" and isinstance(path[4], int):
            variant, language = self._slot(entry, path[4])
            if fault.code != "duplicate_key":
                path = path[:5]
        self.findings.add(
            fault.code,
            path_text(path),
            message.format(found=fault.found),
            hint,
            item=entry.label if entry else None,
            variant=variant,
            language=language,
        )

    def _entry_at(self, path: JsonPath) -> _Entry | None:
        """The entry a path leads into, also one that answers no item of the set."""
        if len(path) < 3 or path[:2] != (ROOT_KEY, "items") or not isinstance(path[2], int):
            return None
        index = path[2]
        if index in self.matched:
            return self.matched[index]
        results = self.document[ROOT_KEY]
        members = results["items"][index] if isinstance(results, dict) and isinstance(results["items"], list) else None
        return _Entry(index, members, None, id_label(members.get("id"))) if isinstance(members, dict) else None

    # Names and year

    def _names(self, results: dict[str, object]) -> Names:
        def name(word: str, key: str, given: str | None) -> str | None:
            return read_name(
                word,
                results.get(key, ABSENT),
                given,
                path_text((ROOT_KEY, key)),
                self.findings,
                self.limits,
                required=key == "source",
            )

        return Names(
            team=name("team", "source", self.names.team),
            system=name("system", "system", self.names.system),
            model=name("model", "model", self.names.model),
            run=name("run", "run", self.names.run),
        )

    def _check_year(self, results: dict[str, object]) -> None:
        year = results.get("year", ABSENT)
        path = path_text((ROOT_KEY, "year"))
        hint = 'Write "year": "2024".'
        if year == _YEAR or isinstance(year, Unreadable):
            return
        if year is ABSENT or year is None:
            self.findings.add("year_normalised", path, "there is no year; 2024 is taken", hint)
        elif _is_2024(year):
            self.findings.add("year_normalised", path, f"the year is {described(year)}; read as the text 2024", hint)
        else:
            self.findings.add(
                "year_mismatch",
                path,
                f'the year is {described(year)}; expected "2024"',
                f"{hint} Answers to another edition's prompts belong to that edition's format.",
            )

    # Items and their ids

    def _entries(self, results: dict[str, object]) -> list[object]:
        items = results.get("items", ABSENT)
        path: JsonPath = (ROOT_KEY, "items")
        if items is ABSENT or items == []:
            self._refuse(
                "items_missing",
                path,
                "there is no list of items" if items is ABSENT else "the list of items is empty",
                self._items_hint(results),
            )
            return []
        if not isinstance(items, list):
            self._refuse(
                "items_type",
                path,
                f"expected a list of items, found {described(items)}",
                'Write "items": [{"id": "001", "responses": [...]}, ...].',
            )
            return []
        return items

    def _items_hint(self, results: dict[str, object]) -> str:
        if "languages" in results:
            return 'This groups by language, as the 2025 test set does: give one list "items" with all languages.'
        return 'Write "items": [{"id": "001", "responses": [...]}, ...]; the template has all 16 items.'

    def _prompt_set(self, entries: list[object]) -> PromptSet:
        """The demonstration set for a file with its ids only (901 and up), else the 2024 set."""
        numbers = [id_number(entry.get("id")) for entry in entries if isinstance(entry, dict)]
        readable = [number for number in numbers if number is not None]
        is_demonstration = bool(readable) and min(readable) >= FIRST_DEMONSTRATION_ID
        return self.prompt_sets.demonstration if is_demonstration else self.prompt_sets.eloquent_2024

    def _read_entries(self, entries: list[object], prompt_set: PromptSet) -> None:
        by_id = {item.id: item for item in prompt_set.items}
        paper_ids = self._paper_ids(entries, prompt_set)
        self._diagnose_test_set(entries)
        for index, members in enumerate(entries):
            if isinstance(members, dict):
                self._read_entry(self._entry(index, members, by_id, paper_ids))
            elif isinstance(members, Unreadable):
                self.is_complete = False
            else:
                self._report_entry_type(index, members)

    def _entry(self, index: int, members: dict[str, object], by_id: dict[str, Item], paper_ids: set[int]) -> _Entry:
        """The entry with the item it answers; a second entry of an item answers none."""
        item = None
        if index in paper_ids:
            self.is_complete = False
        else:
            item = self._item_of(index, members.get("id", ABSENT), by_id)
        if item and any(entry.item is item for entry in self.matched.values()):
            self._report_duplicate(index, item)
            return _Entry(index, members, None, item.id)
        if item is None:
            return _Entry(index, members, None, id_label(members.get("id")))
        self.matched[index] = _Entry(index, members, item, item.id)
        return self.matched[index]

    def _diagnose_test_set(self, entries: list[object]) -> None:
        """The test set under the name of the results: every item has variants, none has responses."""
        if not entries or not all(
            isinstance(entry, dict) and "variants" in entry and "responses" not in entry for entry in entries
        ):
            return
        self._refuse(
            "is_test_set",
            (ROOT_KEY, "items"),
            'every item has "variants" and none "responses": this is the test set under another name',
            'Give each item a list "responses" with one {"response": "..."} per variant; the template has the form.',
        )

    def _paper_ids(self, entries: list[object], prompt_set: PromptSet) -> set[int]:
        """Indices of the entries whose ids are, or may be, the paper's numbers; reported once."""
        ids = [entry.get("id") if isinstance(entry, dict) else None for entry in entries]
        suspects = two_digit_ids(ids)
        reason = "ids of two digits"
        if not suspects and looks_like_paper(entries, ids):
            suspects = set(range(len(ids)))
            reason = "ids 1 to 15 with the paper's numbers of English prompts"
        if not suspects:
            return set()
        shown = ", ".join(printable(str(ids[index]), 10) for index in sorted(suspects)[:4])
        self._refuse(
            "paper_numbering",
            (ROOT_KEY, "items"),
            f"{reason} ({shown}{', …' if len(suspects) > 4 else ''}; {len(suspects)} items): the paper numbers its "
            "items 01 to 15 and leaves out the file's 009, so from 09 on its numbers are one off",
            f'Use the ids of the test file, "{prompt_set.items[0].id}" to "{prompt_set.items[-1].id}", and give each '
            "item all its responses (the paper's 01-08 are 001-008, its 09-15 are 010-016).",
        )
        return suspects

    def _item_of(self, index: int, stated: object, by_id: dict[str, Item]) -> Item | None:
        """The item an id names, exactly or as a number; None after reporting that it names none."""
        path: JsonPath = (ROOT_KEY, "items", index, "id")
        if isinstance(stated, Unreadable):
            self.is_complete = False
            return None
        if stated is ABSENT or stated is None or (isinstance(stated, str) and not stated.strip()):
            self._report_id_missing(path, stated)
            return None
        number = id_number(stated)
        known = by_id.get(normal_id(number)) if number is not None else None
        if known is None:
            self._report_unknown_id(path, stated, by_id)
        elif stated != known.id:
            detail = f"{id_label(stated)} as {known.id}"
            self.tally.note("id_normalised", partial(path_text, path), detail=detail, item=known.id)
        return known

    def _report_entry_type(self, index: int, entry: object) -> None:
        if self._is_only_counted("id_missing"):
            return
        self._refuse(
            "id_missing",
            (ROOT_KEY, "items", index),
            f"expected an object with id and responses, found {described(entry)}",
            'Write {"id": "001", "responses": [...]}.',
        )

    def _report_id_missing(self, path: JsonPath, stated: object) -> None:
        if self._is_only_counted("id_missing"):
            return
        self._refuse(
            "id_missing",
            path,
            "the item has no id" if stated is ABSENT else f"the id is {described(stated)}",
            'Write the id of the test file as a text, like "id": "001".',
        )

    def _report_unknown_id(self, path: JsonPath, stated: object, by_id: dict[str, Item]) -> None:
        if self._is_only_counted("unknown_id"):
            return
        ids = list(by_id)
        self._refuse(
            "unknown_id",
            path,
            f"there is no item {quoted(stated) if isinstance(stated, str) else described(stated)}; the ids are "
            f"{ids[0]} to {ids[-1]}",
            "Use the id of the test file; remove items it does not have.",
            item=id_label(stated),
        )

    def _report_duplicate(self, index: int, item: Item) -> None:
        if self._is_only_counted("duplicate_id"):
            return
        self._refuse(
            "duplicate_id",
            (ROOT_KEY, "items", index, "id"),
            f"item {item.id} stands here a second time; expected each item once",
            "Remove one of the two, or correct its id.",
            item=item.id,
        )

    # Responses

    def _read_entry(self, entry: _Entry) -> None:
        self._note_extra_keys(entry.members, _ITEM_KEYS, (ROOT_KEY, "items", entry.index))
        path: JsonPath = (ROOT_KEY, "items", entry.index, "responses")
        responses = entry.members.get("responses", ABSENT)
        if not isinstance(responses, list):
            self._report_responses_missing(entry, path, responses)
            return
        expected = len(entry.item.variants) if entry.item else len(responses)
        if entry.item:
            self.counts[entry.item.id] = len(responses)
        if entry.item and len(responses) != expected:
            self._report_count(entry, entry.item, path, len(responses))
        texts = [self._text(entry, (*path, index), index, response) for index, response in enumerate(responses)]
        if entry.item and len(responses) == expected:
            self._keep(entry, entry.item, path, responses, texts)

    def _slot(self, entry: _Entry, index: int) -> tuple[int | None, str | None]:
        """Variant and language of a response by its position; unknown where the list is not one per variant."""
        responses = entry.members.get("responses")
        if not entry.item or not isinstance(responses, list) or len(responses) != len(entry.item.variants):
            return None, None
        return index + 1, entry.item.variants[index].language

    def _report_responses_missing(self, entry: _Entry, path: JsonPath, responses: object) -> None:
        if isinstance(responses, Unreadable):
            self.is_complete = False
            return
        if self._is_only_counted("responses_missing"):
            return
        hint = 'Write "responses": [{"response": "..."}, ...], one per variant in test-set order.'
        if "variants" in entry.members:
            hint = 'This item has "variants" like the test set: give a list "responses" instead. ' + hint
        description = "no responses" if responses is ABSENT else described(responses)
        self._refuse(
            "responses_missing", path, f"expected a list of responses, found {description}", hint, item=entry.label
        )

    def _report_count(self, entry: _Entry, item: Item, path: JsonPath, n_responses: int) -> None:
        expected = len(item.variants)
        languages = Counter(variant.language for variant in item.variants)
        breakdown = ", ".join(f"{language} {count}" for language, count in languages.items())
        self._refuse(
            "response_count",
            path,
            f"item {item.id}: expected {expected} responses, found {n_responses} (this item has {expected} variants: "
            f"{breakdown})",
            'Give one response per variant in test-set order; a prompt you skip needs an empty text "".',
            item=entry.label,
        )

    def _text(self, entry: _Entry, path: JsonPath, index: int, response: object) -> str | None:
        """The text of one response; None where there is none, which is or will be reported."""
        variant, language = self._slot(entry, index)
        if isinstance(response, dict):
            if "response" not in response:
                self._report_response_key(entry, path, response, variant, language)
                return None
            self._note_extra_keys(response, _RESPONSE_KEYS, path)
            return self._checked_text(entry, path, (*path, "response"), response["response"], variant, language)
        if isinstance(response, str):
            self.tally.note(
                "responses_as_strings",
                partial(path_text, path),
                item=entry.label,
                variant=variant,
                language=language,
            )
        return self._checked_text(entry, path, path, response, variant, language)

    def _checked_text(
        self,
        entry: _Entry,
        path: JsonPath,
        text_path: JsonPath,
        text: object,
        variant: int | None,
        language: str | None,
    ) -> str | None:
        if isinstance(text, Unreadable) or (isinstance(text, str) and not is_clean(text)):
            # Reported with the faults of values (NaN, half a character, control characters).
            self.is_complete = False
            return None
        fault = response_fault(text, self.limits)
        if fault is None:
            return str(text)
        code, message, hint = fault
        if not self._is_only_counted(code):
            at = text_path if code == "response_type" else path
            self._refuse(code, at, message, hint, item=entry.label, variant=variant, language=language)
        return None

    def _report_response_key(
        self, entry: _Entry, path: JsonPath, response: dict[str, object], variant: int | None, language: str | None
    ) -> None:
        if self._is_only_counted("response_key"):
            return
        keys = keys_shown(list(response)) or "no key"
        hint = 'Write {"response": "..."}.'
        if "answer" in response:
            hint = 'The key "answer" belongs to the formats of 2025 and 2026: in 2024 it is "response".'
        self._refuse(
            "response_key",
            path,
            f'expected the key "response", found {keys}',
            hint,
            item=entry.label,
            variant=variant,
            language=language,
        )

    def _keep(
        self, entry: _Entry, item: Item, path: JsonPath, responses: list[object], texts: list[str | None]
    ) -> None:
        kept = []
        for index, (variant, response, text) in enumerate(zip(item.variants, responses, texts, strict=True)):
            prompt = self._beside(entry, item, index, response)
            kept.append(_response(item, variant.number, variant.language, prompt, text or ""))
            self.places[slot_of(kept[-1])] = path_text((*path, index))
            if text is not None and kept[-1].is_blank:
                self.skipped.append(kept[-1])
        self.answers[item.id] = kept

    # What stands beside a response

    def _beside(self, entry: _Entry, item: Item, index: int, response: object) -> str | None:
        """Compares the language and prompt stated beside a response with those of its slot; gives the prompt."""
        if not isinstance(response, dict):
            return None
        path: JsonPath = (ROOT_KEY, "items", entry.index, "responses", index)
        language = self._stated(response, "language", item, index, path)
        prompt = self._stated(response, "prompt", item, index, path)
        if language is not None:
            self._compare_language(language, item, index, path)
        if prompt is not None:
            self._compare_prompt(prompt, item, index, path)
        return prompt

    def _stated(self, response: dict[str, object], key: str, item: Item, index: int, path: JsonPath) -> str | None:
        value = response.get(key)
        if isinstance(value, str):
            return value if is_clean(value) else None
        if value is None or isinstance(value, Unreadable):
            return None
        self._note_slot("metadata_field", item, index, (*path, key), group=key, detail=f"{key} is {described(value)}")
        return None

    def _compare_language(self, stated: str, item: Item, index: int, path: JsonPath) -> None:
        slot = item.variants[index].language
        language = comparable_language(stated)
        # Whoever copied the tag of the official file did as told.
        if language != stated and stated not in LANGUAGE_CORRECTIONS:
            detail = f"{quoted(stated, 20)} as {quoted(language, 20)}"
            self._note_slot("language_alias", item, index, path, detail=detail)
        if language and language != slot:
            self._note_slot(
                "language_mismatch",
                item,
                index,
                path,
                group=item.id,
                detail=f"response {index + 1} is said to be {quoted(stated, 20)}, its place is {slot}",
            )

    def _compare_prompt(self, stated: str, item: Item, index: int, path: JsonPath) -> None:
        official = item.variants[index].prompt
        if official is None or comparable_prompt(stated) == comparable_prompt(official):
            return
        others = [
            variant.number
            for variant in item.variants
            if variant.prompt is not None and comparable_prompt(variant.prompt) == comparable_prompt(stated)
        ]
        whose = f"is that of variant {others[0]}" if others else "is none of this item's"
        self._note_slot(
            "prompt_mismatch",
            item,
            index,
            path,
            group=item.id,
            detail=f"the prompt beside response {index + 1} {whose}",
        )

    def _note_slot(
        self, code: str, item: Item, index: int, path: JsonPath, *, group: str = "", detail: str = ""
    ) -> None:
        self.tally.note(
            code,
            partial(path_text, path),
            group=group,
            detail=detail,
            item=item.id,
            variant=index + 1,
            language=item.variants[index].language,
        )

    # What the items say together

    def _note_missing_items(self, prompt_set: PromptSet) -> None:
        if self.findings.has("paper_numbering"):
            return
        present = {entry.label for entry in self.matched.values()}
        missing = [item.id for item in prompt_set.items if item.id not in present]
        if missing:
            self.findings.add(
                "missing_items",
                path_text((ROOT_KEY, "items")),
                f"{len(missing)} of {len(prompt_set.items)} items are absent: {', '.join(missing)}",
                "They count as not answered, and a view that needs them does not rank the file; add them if you can.",
            )

    def _note_order(self, prompt_set: PromptSet) -> None:
        order = {item.id: position for position, item in enumerate(prompt_set.items)}
        positions = [order[entry.item.id] for entry in self.matched.values() if entry.item]
        if positions != sorted(positions):
            self.findings.add(
                "item_order",
                path_text((ROOT_KEY, "items")),
                "the items stand in another order than in the test set",
                "Nothing to do: items are matched by id.",
            )

    def _submission(self, prompt_set: PromptSet, names: Names) -> Submission:
        items = []
        for item in prompt_set.items:
            responses = self.answers.get(item.id) or [
                _response(item, variant.number, variant.language, None, "") for variant in item.variants
            ]
            items.append(ResponseSet(item.id, tuple(responses)))
        return Submission(
            edition="2024",
            set_id=prompt_set.set_id,
            names=names,
            date=None,
            notes=None,
            modifications=(),
            file_sha256=self.file_sha256,
            items=tuple(items),
        )

    def _check_emptiness(self, submission: Submission | None) -> None:
        """Skipped prompts are a note; nothing but skipped prompts is an error."""
        read = sum(len(responses) for responses in self.answers.values())
        if submission is None or not self.skipped:
            return
        first, root = self.skipped[0], path_text((ROOT_KEY, "items"))
        place, skipped = self.places[slot_of(first)], len(self.skipped)
        report_empty(first, place, skipped, read, self.findings, noun="responses", root=root, is_whole=self.is_complete)

    def _note_set_unavailable(self) -> None:
        self.findings.add(
            "set_unavailable",
            "$",
            "the official prompts are not installed: prompts in the file were not compared with them",
            "Set PLUMBLINE_ELOQUENT_DIR to a folder with task3.test.json to compare them too.",
        )


def _response(item: Item, variant: int, language: str, prompt: str | None, text: str) -> Response:
    return Response(
        item_id=item.id,
        base_id=item.id,
        kind="variant",
        variant=variant,
        language=language,
        prompt=prompt,
        turns=(("", text),),
        response=text,
    )


def _is_2024(year: object) -> bool:
    return (isinstance(year, str) and year.strip() == _YEAR) or (not isinstance(year, bool) and year == int(_YEAR))
