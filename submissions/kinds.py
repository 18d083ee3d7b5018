"""The kinds of file that are read: a room in `submissions.formats`, and one line here; and which one a document is.

A document's kind and edition are told from its content and never from its name.
"""

from __future__ import annotations

from collections.abc import Mapping

from submissions.findings import Findings
from submissions.formats.behavior_alignment.kind import RECOMMENDER_ANSWERS
from submissions.formats.eloquent.cultural_metadata import LABEL_2026
from submissions.formats.eloquent.edition_2024 import ROOT_KEY, TEST_SET_KEY
from submissions.formats.eloquent.kind import ELOQUENT, JSON_EDITIONS, JsonEdition
from submissions.formats.eloquent.kind import KIND as ELOQUENT_KEY
from submissions.formats.file_kind import Detected, FileKind, Template
from submissions.formats.judge_verdicts.kind import JUDGE_VERDICTS
from submissions.formats.own_task.kind import OWN_TASK
from submissions.formats.personalization.kind import PERSONALIZED_ANSWERS
from submissions.formats.personalized_evaluation.kind import PAIRS, RATINGS
from submissions.reading.quoting import described, keys_shown, quoted

KINDS: tuple[FileKind, ...] = (
    OWN_TASK,  # its zip says so, and that of ELOQUENT is any
    ELOQUENT,
    JUDGE_VERDICTS,
    PERSONALIZED_ANSWERS,
    RECOMMENDER_ANSWERS,
    RATINGS,
    PAIRS,
)
"""In the order in which a file is held against their forms, and in which they are named to a team."""


def kind_of(key: str | None) -> FileKind | None:
    """The kind of that key; None for none."""
    return next((kind for kind in KINDS if kind.key == key), None)


def stated_kinds() -> dict[str, FileKind]:
    """What a file may say as its `kind` -> the kind."""
    return {kind.key: kind for kind in KINDS if kind is not ELOQUENT}


def templates() -> dict[str, Template]:
    """Key of a kind whose files hold all that was answered -> what a team starts from."""
    return {kind.key: kind.template for kind in KINDS if kind.template}


def detect(document: object, asked: str, stated: Mapping[str, FileKind], findings: Findings) -> Detected:
    """The kind and edition of a JSON document.

    Args:
        document: The value from `read_json`.
        asked: The edition the file is said to be of, or "auto".
        stated: What a file may say as its `kind`.
        findings: Takes wrong_root, is_test_set, wrong_edition, wrong_kind and not_zip. Without one of these the
            document may be read as what it is.
    """
    if not isinstance(document, dict):
        _report_no_object(document, findings)
        return Detected()
    for known in JSON_EDITIONS:
        if known.recognises(document):
            return _recognised(known, asked, findings)
    if TEST_SET_KEY in document:
        _report_test_set(findings)
        return Detected(ELOQUENT_KEY, "2024")
    if _is_2026_row(document):
        return _single_2026_file(asked, findings)
    if isinstance(document.get("kind"), str):
        return _other_kind(str(document["kind"]), stated, findings)
    for kind in stated.values():
        if kind.bare_row and document.keys() >= kind.bare_row:
            return _bare_row(kind.key, findings)
    _report_wrong_root(document, findings)
    return Detected()


def _recognised(known: JsonEdition, asked: str, findings: Findings) -> Detected:
    if asked not in ("auto", known.edition):
        findings.add(
            "wrong_edition",
            "$",
            f"this is {known.title}, but the edition asked for is {asked}",
            f"Choose the edition {known.edition} or let it be detected, or send a file of {asked}.",
        )
        return Detected(ELOQUENT_KEY, known.edition)
    return Detected(ELOQUENT_KEY, known.edition)


def _is_2026_row(document: dict[str, object]) -> bool:
    return ("id" in document and "answer" in document) or document.get("label") == LABEL_2026


def _single_2026_file(asked: str, findings: Findings) -> Detected:
    if asked in ("auto", "2026"):
        findings.add(
            "not_zip",
            "$",
            "this is a single file of the 2026 edition, which is one zip with submission_metadata.json and all .jsonl "
            "files",
            "Pack the files themselves, without a folder around them, into one zip.",
        )
    else:
        findings.add(
            "wrong_edition",
            "$",
            f"this is a single file of the 2026 edition, but the edition asked for is {asked}",
            f"Send a file of {asked}.",
        )
    return Detected(ELOQUENT_KEY, "2026")


def _other_kind(kind: str, stated: Mapping[str, FileKind], findings: Findings) -> Detected:
    if kind in stated:
        return Detected(kind)
    findings.add(
        "wrong_kind",
        "$.kind",
        f"there is no kind {quoted(kind)}; known are {', '.join(stated)}",
        "Correct the kind; a submission to ELOQUENT states none.",
    )
    return Detected()


def _bare_row(kind: str, findings: Findings) -> Detected:
    findings.add(
        "wrong_root",
        "$",
        f"this is a row of {kind}; the object that says so, with team, system, model and run, is missing",
        f'Write {{"kind": "{kind}", "team": ..., "system": ..., "model": ..., "run": ...}} into a line '
        'before the rows, or put them into its "rows".',
    )
    return Detected(kind)


def _report_test_set(findings: Findings) -> None:
    findings.add(
        "is_test_set",
        f"$.{TEST_SET_KEY}",
        "this is the test set, not a submission; answers written into it are not read",
        f'Send {{"{ROOT_KEY}": {{"source": ..., "year": "2024", "items": [{{"id": "001", "responses": '
        '[{"response": "..."}]}]}}; the template has the form.',
    )


def _report_no_object(document: object, findings: Findings) -> None:
    message = f"your file is {described(document)}; a submission starts with {{...}}"
    hint = "See the template for the form of a submission."
    if isinstance(document, list) and any(_looks_like_item(entry) for entry in document[:20]):
        hint = f'Put it into {{"{ROOT_KEY}": {{"source": "your team", "year": "2024", "items": [...]}}}}.'
    findings.add("wrong_root", "$", message, hint)


def _report_wrong_root(document: dict[str, object], findings: Findings) -> None:
    message = f"no known edition: the file is {described(document)}"
    hint = f'A 2024 submission is {{"{ROOT_KEY}": {{"source": ..., "year": "2024", "items": [...]}}}}.'
    if near := _near_root(document):
        message = f"the key {quoted(near)} is close to {quoted(ROOT_KEY)}, but not the same"
        hint = f"Rename it to {quoted(ROOT_KEY)}."
    elif "items" in document:
        message = f'"items" stands at the outermost level (keys found: {keys_shown(list(document))})'
        hint = f'Put the whole object into {{"{ROOT_KEY}": {{...}}}}.'
    elif _looks_like_item(document):
        message = "your file is one item; a submission starts with {...}, which names the team and holds all items"
    findings.add("wrong_root", "$", message, hint)


def _near_root(document: dict[str, object]) -> str | None:
    """A key that is the root key but for case, signs between the words, or a missing letter at the end."""
    wanted = ROOT_KEY.replace("-", "")
    for key in document:
        letters = "".join(character for character in key[:60].casefold() if character.isalnum())
        if letters and (letters in (wanted, wanted[:-1]) or letters.startswith("eloquentrobustness")):
            return key
    return None


def _looks_like_item(value: object) -> bool:
    return isinstance(value, dict) and "id" in value and "responses" in value
