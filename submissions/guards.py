"""Guards against answers that would agree without saying anything (specs: eloquent, section 4).

Each guard is a pure function of the responses: which of them it flags, and which warnings that amounts to. None of them
refuses a file, but for a file of nothing but placeholders.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from submissions.findings import Findings
from submissions.formats.reading import Slot, slot_of
from submissions.languages import sure_language
from submissions.problems import Severity
from submissions.quotation import quoted
from submissions.schema import Flag, PromptSet, Response, ResponseSet, Submission

CONSTANT_MIN_RESPONSES = 20
"""Responses a language needs before one text among them can be called constant."""
CONSTANT_SHARE = 0.25
CONSTANT_MIN_ITEMS = 3
ECHO_EXTRA_CHARS = 20
"""Characters a response may have beyond its prompt and still be an echo."""
ECHO_SHARE = 0.10
ERROR_MAX_CHARS = 500
LANG_MIN_LETTERS = 20
"""Letters, without tags and links, a response needs to vote on its language."""
LANG_SHARE = 0.25
LANG_MIN_RESPONSES = 3

Detector = Callable[[str], str | None]
"""Names the language of a text if it is sure, else None."""

_PLACEHOLDERS = frozenset({"...", "…"})
_ERROR = re.compile(
    r"\W{0,5}(?:(?i:error(?: code)?\s?[:#\d(\[]|http(?:/\d(?:\.\d)?)? (?:error |status )?[45]\d\d\b)"
    r'|[A-Za-z_.]{0,60}(?:Error|Exception):|Traceback\b|"?error"?:)'
)
_CONTROL_TOKENS = re.compile(
    r"</?think(?:ing)?>|<[|｜][^|｜<>\n]{1,40}[|｜]>|\[/?INST\]|<</?SYS>>|</?(?:start|end)_of_turn>|</s>\s*$"
)
_VERDICT = re.compile(
    r"similarity score\W{0,10}\d|\[\[[abc]\]\]"
    r"|ignore (?:all |any )?(?:of )?(?:the |your )?(?:previous|prior|above|earlier) instructions"
)
_TAGS_AND_LINKS = re.compile(r"<[^<>]{0,300}>|\]\([^()\s]{0,300}\)|(?:https?://|www\.|javascript:)\S+")

_READ_AS = {"apc": "ar", "sco": "en"}
"""Slot languages no detector knows, and the language it names for them."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """What one guard found in one language or file."""

    code: str
    flagged: tuple[int, ...]
    """Indices of the responses concerned; the first is the place of the warning."""
    message: str
    hint: str
    severity: Severity | None = None
    """None: the code's own."""
    language: str | None = None
    """Of the responses that were counted together; None: that of the first response."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The responses a guard flags, and its warnings; a flag can stay below the share that warns."""

    flagged: frozenset[int]
    alarms: tuple[Alarm, ...]


def guarded(
    submission: Submission,
    prompt_set: PromptSet,
    places: Mapping[Slot, str],
    findings: Findings,
    detector: Detector = sure_language,
) -> Submission:
    """The submission with the guards' flags on its responses.

    Args:
        submission: As read.
        prompt_set: Its prompts are what an echo is measured by; without them, those stated in the file.
        places: Where each response stands, for the warnings.
        findings: Takes the warnings.
        detector: Names the language of a text.
    """
    responses = tuple(submission.responses())
    found: dict[Flag, Finding] = {
        "constant": constant_responses(responses),
        "echo": prompt_echoes(responses, prompt_set),
        "error_text": error_texts(responses),
        "control_tokens": control_tokens(responses),
        "verdict_text": verdict_texts(responses),
        "placeholder": placeholders(responses),
    }
    silent = found["constant"].flagged | found["echo"].flagged | found["error_text"].flagged
    found["wrong_language"] = wrong_languages(responses, silent, detector)
    for finding in found.values():
        for alarm in finding.alarms:
            _report(alarm, responses, places, findings)
    return _flagged(submission, responses, found)


def constant_responses(responses: Sequence[Response]) -> Finding:
    """One text answers a quarter of a language's prompts, in several items; it is flagged wherever it occurs."""
    texts = {index: comparable(response.response) for index, response in _answered(responses)}
    by_language: dict[str, list[int]] = defaultdict(list)
    for index in texts:
        by_language[responses[index].language].append(index)
    constant: set[str] = set()
    alarms = []
    for language, indices in by_language.items():
        common = _common_texts(indices, texts, responses)
        if common:
            constant |= common
            concerned = tuple(index for index in indices if texts[index] in common)
            what = "one text" if len(common) == 1 else f"{len(common)} texts over and over"
            first = quoted(responses[concerned[0]].response, 60)
            alarms.append(
                Alarm(
                    "constant_response",
                    concerned,
                    f"{len(concerned)} of {len(indices)} responses in {language} are {what}: {first}",
                    "Answers that do not depend on the question agree for free: in the gated score they count as not "
                    "consistent. Check that each prompt reached the model.",
                    language=language,
                )
            )
    return Finding(frozenset(index for index, text in texts.items() if text in constant), tuple(alarms))


def prompt_echoes(responses: Sequence[Response], prompt_set: PromptSet) -> Finding:
    """Responses that are their prompt and at most `ECHO_EXTRA_CHARS` more."""
    prompts = {(item.id, variant.number): variant.prompt for item in prompt_set.items for variant in item.variants}
    answered = list(_answered(responses))
    echoes = [
        index
        for index, response in answered
        if _is_echo(response.response, prompts.get((response.item_id, response.variant)) or response.prompt)
    ]
    if not echoes or len(echoes) < ECHO_SHARE * len(answered):
        return Finding(frozenset(echoes), ())
    message = f"{len(echoes)} of {len(answered)} responses repeat their prompt"
    hint = "In the gated score they count as not consistent. Cut the prompt off the model's output."
    return Finding(frozenset(echoes), (Alarm("echoes_prompt", tuple(echoes), message, hint),))


def error_texts(responses: Sequence[Response]) -> Finding:
    """Short responses that start like the error message of a program or service."""
    return _one_alarm(
        responses,
        lambda text: len(text) <= ERROR_MAX_CHARS and _ERROR.match(text.lstrip()) is not None,
        "error_text",
        "{count} of {total} responses are error messages, first {first}",
        "In the gated score they count as not consistent. Ask the model again for these prompts.",
    )


def control_tokens(responses: Sequence[Response]) -> Finding:
    """Responses with markers of a model's input format or its hidden reasoning."""
    return _one_alarm(
        responses,
        lambda text: _CONTROL_TOKENS.search(text) is not None,
        "control_tokens",
        "{count} of {total} responses hold control tokens or turn tags of a model, first {first}",
        "Decode with skip_special_tokens=True, and leave out the reasoning before the answer.",
    )


def verdict_texts(responses: Sequence[Response]) -> Finding:
    """Responses that speak to the judge."""
    return _one_alarm(
        responses,
        lambda text: _VERDICT.search(comparable(text)) is not None,
        "judge_verdict_in_response",
        "{count} of {total} responses state a verdict or instruct the judge, first {first}",
        "In the gated score they count as not consistent. Leave out verdicts, scores and instructions to a judge.",
    )


def placeholders(responses: Sequence[Response]) -> Finding:
    """Responses that are the "..." of the example; a file of nothing else is refused."""
    answered = list(_answered(responses))
    dots = tuple(index for index, response in answered if response.response.strip() in _PLACEHOLDERS)
    if not dots:
        return Finding(frozenset(), ())
    every = len(dots) == len(answered)
    count = f"all {len(dots)}" if every else f"{len(dots)} of {len(answered)}"
    alarm = Alarm(
        "placeholder_response",
        dots,
        f'{count} non-empty responses are "...", the example text of the format',
        'Write the responses, or an empty text "" for prompts you skip.',
        "error" if every else None,
    )
    return Finding(frozenset(dots), (alarm,))


def wrong_languages(responses: Sequence[Response], silent: frozenset[int], detector: Detector) -> Finding:
    """Languages in which a quarter of the sure votes name another language.

    Args:
        responses: Of one submission.
        silent: Indices that do not vote: constant, echo and error responses.
        detector: Names a language if it is sure.
    """
    votes: dict[str, dict[int, str]] = defaultdict(dict)
    verdicts: dict[str, str | None] = {}
    for index, response in _answered(responses):
        if index in silent:
            continue
        text = voting_text(response.response)
        if text is None:
            continue
        if text not in verdicts:
            verdicts[text] = detector(text)
        if vote := verdicts[text]:
            votes[_READ_AS.get(response.language, response.language)][index] = vote
    flagged: set[int] = set()
    alarms = []
    for language, cast in votes.items():
        others = tuple(index for index, vote in cast.items() if vote != language)
        if others and len(cast) >= LANG_MIN_RESPONSES and len(others) >= LANG_SHARE * len(cast):
            flagged.update(others)
            named = Counter(cast[index] for index in others)
            alarms.append(
                Alarm(
                    "wrong_language",
                    others,
                    f"{len(others)} of {len(cast)} responses to prompts in {language} are in another language: "
                    + ", ".join(f"{other} {count}" for other, count in named.most_common()),
                    "Check the order of the responses and the language the model was asked to answer in.",
                    language=language,
                )
            )
    return Finding(frozenset(flagged), tuple(alarms))


def comparable(text: str) -> str:
    """A text as the guards compare it: NFC, casefold, blanks collapsed."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def voting_text(text: str) -> str | None:
    """What of a response tells its language: without tags and links; None below `LANG_MIN_LETTERS` letters."""
    words = " ".join(_TAGS_AND_LINKS.sub(" ", text).split())
    return words if sum(character.isalpha() for character in words) >= LANG_MIN_LETTERS else None


def _answered(responses: Sequence[Response]) -> Iterable[tuple[int, Response]]:
    return ((index, response) for index, response in enumerate(responses) if not response.is_blank)


def _common_texts(indices: list[int], texts: dict[int, str], responses: Sequence[Response]) -> set[str]:
    """Texts of one language that make a quarter of its responses and stand in several items."""
    if len(indices) < CONSTANT_MIN_RESPONSES:
        return set()
    occurrences: dict[str, list[int]] = defaultdict(list)
    for index in indices:
        occurrences[texts[index]].append(index)
    return {
        text
        for text, where in occurrences.items()
        if len(where) >= CONSTANT_SHARE * len(indices)
        and len({responses[index].base_id for index in where}) >= CONSTANT_MIN_ITEMS
    }


def _is_echo(response: str, prompt: str | None) -> bool:
    asked = comparable(prompt or "")
    said = comparable(response)
    return bool(asked) and asked in said and len(said) - len(asked) <= ECHO_EXTRA_CHARS


def _one_alarm(
    responses: Sequence[Response], is_flagged: Callable[[str], bool], code: str, message: str, hint: str
) -> Finding:
    """A guard that looks at each response alone and warns from the first one on."""
    answered = list(_answered(responses))
    flagged = tuple(index for index, response in answered if is_flagged(response.response))
    if not flagged:
        return Finding(frozenset(), ())
    first = quoted(responses[flagged[0]].response, 60)
    text = message.format(count=len(flagged), total=len(answered), first=first)
    return Finding(frozenset(flagged), (Alarm(code, flagged, text, hint),))


def _report(alarm: Alarm, responses: Sequence[Response], places: Mapping[Slot, str], findings: Findings) -> None:
    first = responses[alarm.flagged[0]]
    findings.add(
        alarm.code,
        places.get(slot_of(first), "$"),
        alarm.message,
        alarm.hint,
        severity=alarm.severity,
        item=first.item_id,
        variant=first.variant,
        language=alarm.language or first.language,
    )


def _flagged(submission: Submission, responses: Sequence[Response], found: Mapping[Flag, Finding]) -> Submission:
    """The submission with every flag on its response; untouched where there is none."""
    flags: dict[Slot, set[Flag]] = defaultdict(set)
    for flag, finding in found.items():
        for index in finding.flagged:
            flags[slot_of(responses[index])].add(flag)
    if not flags:
        return submission
    items = tuple(
        ResponseSet(
            entry.item_id,
            tuple(
                replace(response, flags=response.flags | flags[slot_of(response)])
                if slot_of(response) in flags
                else response
                for response in entry.responses
            ),
        )
        for entry in submission.items
    )
    return replace(submission, items=items)
