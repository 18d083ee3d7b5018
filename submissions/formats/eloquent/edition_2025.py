"""The 2025 format: one JSON object per language, with questions of several turns (docs/submit.md#the-format-of-2025).

A file is checked by itself. Questions that are not the registered ones of the edition are told each at its place; they
refuse no file, but a run that has any is not ranked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from submissions.findings import Findings, ProblemTally
from submissions.formats.eloquent.item_ids import id_label
from submissions.formats.eloquent.result import Reading, Slot, slot_of
from submissions.formats.eloquent.run_header import Field, check_label, read_run_header, read_text
from submissions.formats.eloquent.stated_slots import comparable_language
from submissions.formats.eloquent.wording import MARKS, VALUE_FAULTS, report_marks, response_fault
from submissions.promptsets import DEMONSTRATION_2025, ELOQUENT_2025, PromptSets
from submissions.promptsets.questions import Registered, questions_by_language, strange_question
from submissions.reading.limits import Limits
from submissions.reading.quoting import described, keys_shown, quoted
from submissions.reading.strict_json import ABSENT, JsonPath, Unreadable, ValueFault, is_clean, path_text, value_faults
from submissions.schema import Names, Response, ResponseSet, Submission

LABEL_2025: Final = "eloquent-2025-robustness"

EXAMPLE_QUESTION: Final = "Write the question of this number here, as it was put to your system."
"""Of our template: it shows the form; the questions of 2025 come from its organisers."""

_ROOT_KEYS = frozenset({"team", "system", "submissionid", "language", "date", "label", "questions", "model", "notes"})
_QUESTION_KEYS = frozenset({"questionid", "turns"})
_TURN_KEYS = frozenset({"question", "answer"})
_WANTED: tuple[Field, ...] = ("team", "system", "submissionid", "date")
_LANGUAGE = re.compile(r"[a-z]{2,3}")
_LANGUAGE_WITH_REGION = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z]{2,4})?")
_UNKNOWN_LANGUAGE = "und"
"""ISO 639-2 for a language that is not known: it stands in what serves the report of a refused file only."""

_WORDING = {
    **MARKS,
    "id_normalised": (
        "questionids were read as numbers: {mark.detail} ({times})",
        'Write them as numbers, without quotes: "questionid": 12.',
    ),
    "question_not_registered": (
        "question {mark.item} {mark.detail}",
        "Answer the questions that are registered here: a run with any other question is listed, and not ranked.",
    ),
}


def read_2025(
    document: dict[str, object], *, file_sha256: str, names: Names, prompt_sets: PromptSets, limits: Limits = Limits()
) -> Reading:
    """Reads one 2025 file: the answers of one run in one language.

    Args:
        document: The value from `read_json`: an object with questions, or with the label of 2025.
        file_sha256: Of the bytes as uploaded.
        names: From the form or flags; they fill what the file leaves open.
        prompt_sets: Have the registered questions of 2025, and those of the demonstration set.
        limits: Bounds responses and names.

    Returns:
        The submission with a response for every question that could be read, and everything found.
    """
    set_id = _asked_set(document, prompt_sets)
    registered = questions_by_language(prompt_sets.by_id(set_id))
    return _Reader(document, file_sha256, names, limits, set_id, registered).read()


def _asked_set(document: dict[str, object], prompt_sets: PromptSets) -> str:
    """Whose questions a file answers: those of the demonstration set where all its ids are, and the edition has none of
    them; else the edition's."""
    questions = document.get("questions")
    listed = questions if isinstance(questions, list) else []
    asked = {str(question.get("questionid")).strip() for question in listed if isinstance(question, dict)}
    ours, registered = (
        {item.id for item in prompt_set.items}
        for prompt_set in (prompt_sets.demonstration_2025, prompt_sets.eloquent_2025)
    )
    return DEMONSTRATION_2025 if asked and asked <= ours - registered else ELOQUENT_2025


@dataclass(slots=True)
class _Reader:
    """State of one reading; the methods follow the file from the outside in."""

    document: dict[str, object]
    file_sha256: str
    given: Names
    limits: Limits
    set_id: str
    registered: Registered
    """{} where no questions are."""
    findings: Findings = field(default_factory=Findings)
    tally: ProblemTally = field(default_factory=ProblemTally)
    is_complete: bool = True
    language: str | None = None
    responses: dict[str, Response] = field(default_factory=dict)
    """Question id -> what was answered."""
    places: dict[Slot, str] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    """Question ids met, also of questions that could not be read."""

    def read(self) -> Reading:
        root = self.document
        self._note_extra_keys(root, _ROOT_KEYS, ())
        header = read_run_header(root, path_text, self.given, _WANTED, self.findings, self.limits)
        check_label(root, LABEL_2025, "2025", path_text, self.findings)
        notes = read_text(root, "notes", path_text, self.findings, self.limits)
        self.language = self._language(root.get("language", ABSENT))
        questions = self._questions(root.get("questions", ABSENT))
        for index, question in enumerate(questions):
            self._read_question(index, question)
        self._report_value_faults()
        self._check_emptiness()
        report_marks(self.tally, _WORDING, self.findings)
        submission = Submission(
            edition="2025",
            set_id=self.set_id,
            names=header.names,
            date=header.date,
            notes=notes,
            modifications=(),
            file_sha256=self.file_sha256,
            items=tuple(ResponseSet(item_id, (response,)) for item_id, response in self.responses.items()),
        )
        usable_submission = submission if questions else None
        return Reading(
            usable_submission, self.findings, self.places, self.is_complete and usable_submission is not None
        )

    def _refuse(self, code: str, path: JsonPath, message: str, hint: str, *, item: str | None = None) -> None:
        """An error that leaves part of the file unread; enough of one code are told in words."""
        self.is_complete = False
        if self.findings.is_full(code):
            self.findings.count(code)
            return
        language = self.language if item is not None else None
        self.findings.add(code, path_text(path), message, hint, item=item, language=language)

    def _note_extra_keys(self, members: dict[str, object], known: frozenset[str], path: JsonPath) -> None:
        for key in members:
            if key not in known:
                self.tally.note("extra_key", partial(path_text, (*path, key)), group=key, detail=quoted(key))

    # The language

    def _language(self, stated: object) -> str | None:
        path: JsonPath = ("language",)
        hint = 'Write the two-letter code of ISO 639-1 in small letters, like "language": "en".'
        if isinstance(stated, Unreadable):
            self.is_complete = False
            return None
        text = stated.strip() if isinstance(stated, str) else ""
        code = comparable_language(text) if _LANGUAGE_WITH_REGION.fullmatch(text) else ""
        if not isinstance(stated, str) or not _LANGUAGE.fullmatch(code):
            fault = "there is no language" if stated is ABSENT else f"the language is {described(stated)}"
            self._refuse("language_code", path, f"{fault}; expected a code of two or three small letters", hint)
            return None
        if code != stated:
            detail = f"{quoted(stated, 20)} as {code}"
            self.tally.note("language_alias", partial(path_text, path), detail=detail, language=code)
        return code

    # Questions

    def _questions(self, questions: object) -> list[object]:
        path: JsonPath = ("questions",)
        hint = 'Write "questions": [{"questionid": 12, "turns": [{"question": "...", "answer": "..."}]}].'
        if isinstance(questions, Unreadable):
            self.is_complete = False
            return []
        if questions is ABSENT or questions == []:
            fault = "there is no list of questions" if questions is ABSENT else "the list of questions is empty"
            self._refuse("items_missing", path, fault, hint)
            return []
        if not isinstance(questions, list):
            self._refuse("items_type", path, f"expected a list of questions, found {described(questions)}", hint)
            return []
        return questions

    def _read_question(self, index: int, question: object) -> None:
        path: JsonPath = ("questions", index)
        if isinstance(question, Unreadable):
            self.is_complete = False
            return
        if not isinstance(question, dict):
            self._refuse(
                "id_missing",
                path,
                f"expected an object with questionid and turns, found {described(question)}",
                'Write {"questionid": 12, "turns": [...]}.',
            )
            return
        self._note_extra_keys(question, _QUESTION_KEYS, path)
        item_id = self._id(question, (*path, "questionid"))
        is_second = item_id is not None and item_id in self.seen
        if item_id is not None and is_second:
            self._refuse(
                "duplicate_id",
                (*path, "questionid"),
                f"question {item_id} stands here a second time; expected each question once",
                "Remove one of the two, or correct its questionid.",
                item=item_id,
            )
        label = item_id or id_label(question.get("questionid"))
        turns = self._turns(path, question, label)
        if item_id is None or is_second:
            return
        self.seen.add(item_id)
        if turns is not None:
            self._keep(item_id, path, turns)

    def _id(self, question: dict[str, object], path: JsonPath) -> str | None:
        stated = question.get("questionid", ABSENT)
        if isinstance(stated, Unreadable):
            self.is_complete = False
            return None
        if stated is ABSENT or stated is None or (isinstance(stated, str) and not stated.strip()):
            fault = "the question has no questionid" if stated is ABSENT else f"the questionid is {described(stated)}"
            self._refuse("id_missing", path, fault, 'Write the id of the question as a number: "questionid": 12.')
            return None
        if isinstance(stated, int) and not isinstance(stated, bool) and stated >= 0:
            return str(stated)
        if isinstance(stated, str) and re.fullmatch(r"\s*[0-9]{1,9}\s*", stated):
            number = str(int(stated))
            detail = f"{quoted(stated, 20)} as {number}"
            self.tally.note("id_normalised", partial(path_text, path), detail=detail, item=number)
            return number
        self._refuse(
            "unknown_id",
            path,
            f"the questionid is {described(stated)}; expected a whole number from 0 on",
            'Write the number the test set gives the question: "questionid": 12.',
            item=id_label(stated),
        )
        return None

    # Turns

    def _turns(self, path: JsonPath, question: dict[str, object], item: str | None) -> list[tuple[str, str]] | None:
        """Question and answer of each turn; None where one of them could not be read."""
        turns = question.get("turns", ABSENT)
        if isinstance(turns, Unreadable):
            self.is_complete = False
            return None
        if not isinstance(turns, list) or not turns:
            description = "no turns" if turns is ABSENT else described(turns)
            hint = 'Write "turns": [{"question": "...", "answer": "..."}], a further object for each further turn.'
            if "answer" in question:
                hint = "Question and answer stand beside the questionid: put both into a turn. " + hint
            self._refuse("turns_missing", path, f"expected a list of turns, found {description}", hint, item=item)
            return None
        read = [self._turn((*path, "turns", index), turn, item) for index, turn in enumerate(turns)]
        whole = [turn for turn in read if turn is not None]
        return whole if len(whole) == len(read) else None

    def _turn(self, path: JsonPath, turn: object, item: str | None) -> tuple[str, str] | None:
        if isinstance(turn, Unreadable):
            self.is_complete = False
            return None
        if not isinstance(turn, dict) or "answer" not in turn:
            description = f"the keys {keys_shown(list(turn))}" if isinstance(turn, dict) and turn else described(turn)
            hint = 'Write {"question": "...", "answer": "..."}.'
            if isinstance(turn, dict) and "response" in turn:
                hint = f'The key "response" belongs to the format of 2024: in 2025 it is "answer". {hint}'
            self._refuse(
                "response_key", path, f'expected an object with the key "answer", found {description}', hint, item=item
            )
            return None
        self._note_extra_keys(turn, _TURN_KEYS, path)
        answer = turn["answer"]
        if isinstance(answer, Unreadable) or (isinstance(answer, str) and not is_clean(answer)):
            # Reported with the faults of values.
            self.is_complete = False
            return None
        if fault := response_fault(answer, self.limits):
            code, message, hint = fault
            self._refuse(code, (*path, "answer") if code == "response_type" else path, message, hint, item=item)
            return None
        return self._asked(path, turn), str(answer)

    def _asked(self, path: JsonPath, turn: dict[str, object]) -> str:
        """The question of a turn as it was sent; blank where the file does not say."""
        asked = turn.get("question", "")
        if isinstance(asked, str) and is_clean(asked):
            return asked
        if not isinstance(asked, (str, Unreadable)):
            detail = f"question is {described(asked)}"
            self.tally.note("metadata_field", partial(path_text, (*path, "question")), group="question", detail=detail)
        return ""

    def _keep(self, item_id: str, path: JsonPath, turns: list[tuple[str, str]]) -> None:
        last = next((answer for _, answer in reversed(turns) if answer.strip()), "")
        response = Response(
            item_id=item_id,
            base_id=item_id,
            kind="question",
            variant=1,
            language=self.language or _UNKNOWN_LANGUAGE,
            prompt=turns[0][0] or None,
            turns=tuple(turns),
            response=last,
        )
        if last and " ".join(turns[0][0].split()) == EXAMPLE_QUESTION:
            self._refuse(
                "placeholder_question",
                (*path, "turns", 0, "question"),
                f"question {item_id} is the example of the template, and it is answered",
                "Write the question as your system was asked it, with its number, and its answer; a question that was "
                "not asked has no place in the file.",
                item=item_id,
            )
        self.responses[item_id] = response
        self.places[slot_of(response)] = path_text(path)
        self._compare(response, path)

    def _compare(self, response: Response, path: JsonPath) -> None:
        strange = strange_question(response, self.registered) if self.registered else None
        if strange is None:
            return
        asked = response.item_id
        is_unknown = strange.why == "not registered"
        detail = (
            f"is not registered in {response.language}"
            if is_unknown
            else "says something else than the registered question of its number"
        )
        place = partial(path_text, path)
        self.tally.note(
            "question_not_registered", place, group=asked, detail=detail, item=asked, language=response.language
        )

    # The whole file

    def _report_value_faults(self) -> None:
        for fault in value_faults(self.document):
            message, hint = VALUE_FAULTS[fault.code]
            item = self._item_at(fault.path)
            self._refuse(fault.code, _turn_of(fault), message.format(found=fault.found), hint, item=item)

    def _item_at(self, path: JsonPath) -> str | None:
        """The questionid of the question a path leads into."""
        questions = self.document.get("questions")
        if len(path) < 2 or path[0] != "questions" or not isinstance(questions, list) or not isinstance(path[1], int):
            return None
        question = questions[path[1]]
        return id_label(question.get("questionid")) if isinstance(question, dict) else None

    def _check_emptiness(self) -> None:
        skipped = [response for response in self.responses.values() if response.is_blank]
        if not skipped:
            return
        if len(skipped) == len(self.responses) and self.is_complete:
            self._refuse(
                "all_empty",
                ("questions",),
                f"the answers to all {len(skipped)} questions are empty",
                "Fill in the answers; perhaps the template was sent instead of them.",
            )
            # Everything was read as it stands; there is only nothing in it.
            self.is_complete = True
            return
        first = skipped[0]
        self.findings.add(
            "skipped_responses",
            self.places[slot_of(first)],
            f"{len(skipped)} of {len(self.responses)} questions have no answer: they count as not answered",
            "Nothing to do if they were skipped on purpose.",
            item=first.item_id,
            language=self.language,
        )


def _turn_of(fault: ValueFault) -> JsonPath:
    """Where a fault is told: at its turn, so that it names the response; a repeated key where it stands."""
    path = fault.path
    is_in_turn = len(path) > 4 and path[0] == "questions" and path[2] == "turns"
    return path[:4] if is_in_turn and fault.code != "duplicate_key" else path
