"""Guards against answers that would agree without saying anything (docs/metrics.md#guards).

A response is looked at once, by itself (`glance`); each guard is then a pure function of the glances: which of them it
flags, and which warnings that amounts to. None of them refuses a file, but for a file of nothing but placeholders.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from submissions.findings import Findings
from submissions.formats.eloquent.languages import sure_language
from submissions.formats.eloquent.result import Slot, slot_of
from submissions.problems import Severity
from submissions.reading.normal_forms import normal_form
from submissions.reading.quoting import quoted
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
LANG_LOOKED_AT = 200
"""Texts in a language of which every one is looked at; beyond, as a detector takes most of the time of a check, one in
`LANG_EVERY`, chosen by the text and not by its place, and all of them once half of `LANG_SHARE` are in another."""
LANG_EVERY = 16

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
_SIGNS_OF_TAGS_AND_LINKS = ("<", "](", "http", "www.", "javascript:")
"""Of which every match of it begins with one."""

_READ_AS = {"apc": "ar", "sco": "en", "ua": "uk"}
"""Slot languages a detector does not know or calls otherwise, and the language it names for them."""

_SHOWN_AS = {"uk": "ua"}
"""The other way round, where no further slot language is read as the same."""

_TAKEN_FOR = {"fo": frozenset({"is", "da", "nb", "nn", "sv"})}
"""Languages no detector here knows, and their kin that it takes them for: such a vote says nothing against them."""

_NO_FLAGS: frozenset[Flag] = frozenset()


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
    prompts = prompts_of(prompt_set)
    watch = Watch(detector)
    for response in submission.responses():
        watch.look(response, prompts.get((response.item_id, response.variant, response.language)))
    return flagged(submission, watch.flags(places, findings))


def prompts_of(prompt_set: PromptSet) -> Mapping[tuple[str, int, str], str | None]:
    """Item id, variant and language -> the set's prompt."""
    return {
        (item.id, variant.number, variant.language): variant.prompt
        for item in prompt_set.items
        for variant in item.variants
    }


@dataclass(frozen=True, slots=True)
class Glance:
    """What the guards keep of one response: enough to compare it with the others, without its text."""

    slot: Slot
    base_id: str
    digest: bytes
    """Of the text as the guards compare it."""
    start: str
    """The text's beginning, for messages."""
    flags: frozenset[Flag]
    """What it shows by itself."""
    vote: str | None
    """The language it is in, where that is sure."""

    @property
    def language(self) -> str:
        return self.slot[3]


class Watch:
    """Looks at the responses of a file one after the other, so that they need not all be in memory."""

    def __init__(self, detector: Detector = sure_language) -> None:
        self._detector = detector
        self._glances: list[Glance] = []
        self._votes: dict[bytes, str | None] = {}
        self._tallies: dict[str, _LanguageTally] = defaultdict(_LanguageTally)

    def look(self, response: Response, official: str | None) -> None:
        """Takes one response in; a blank one says nothing.

        Args:
            response: As read; its own prompt counts where there is no official one.
            official: The prompt of the set, where it is at hand.
        """
        if not response.is_blank:
            self._glances.append(glance(response, official or response.prompt, self._vote(response)))

    def flags(self, places: Mapping[Slot, str], findings: Findings) -> Mapping[Slot, frozenset[Flag]]:
        """The flags of every response that has some, after reporting what they amount to.

        Args:
            places: Where each response stands.
            findings: Takes the warnings.
        """
        glances = self._glances
        finding_of: dict[Flag, Finding] = {
            "constant": constant_responses(glances),
            "echo": prompt_echoes(glances),
            "error_text": error_texts(glances),
            "control_tokens": control_tokens(glances),
            "verdict_text": verdict_texts(glances),
            "placeholder": placeholders(glances),
        }
        silent = finding_of["constant"].flagged | finding_of["echo"].flagged | finding_of["error_text"].flagged
        finding_of["wrong_language"] = wrong_languages(glances, silent)
        self._note_sample(findings)
        flags: dict[Slot, frozenset[Flag]] = {}
        for flag, finding in finding_of.items():
            for alarm in finding.alarms:
                _report(alarm, glances, places, findings)
            for index in finding.flagged:
                slot = glances[index].slot
                flags[slot] = flags.get(slot, _NO_FLAGS) | {flag}
        return flags

    def _vote(self, response: Response) -> str | None:
        """The language of a response; one text is looked at once, and of very many not every one."""
        text = voting_text(response.response)
        if text is None:
            return None
        digest = _digest(text)
        if digest not in self._votes:
            tally = self._tallies[response.language]
            tally.texts += 1
            if not tally.is_to_be_looked_at(digest):
                return None
            vote = self._votes[digest] = self._detector(text)
            tally.add(vote, _own_languages(_READ_AS.get(response.language, response.language)))
        return self._votes[digest]

    def _note_sample(self, findings: Findings) -> None:
        """Says that not every text was looked at."""
        looked_at = sum(tally.looked_at for tally in self._tallies.values())
        texts = sum(tally.texts for tally in self._tallies.values())
        if looked_at < texts:
            findings.add(
                "language_sampled",
                "$",
                f"the language of {looked_at:,} of {texts:,} different answers was looked at: in each language the "
                f"first {LANG_LOOKED_AT} and then one in {LANG_EVERY}, or all where many are in another language",
                "Nothing to do: a sample tells as much, and the check takes seconds.",
            )


@dataclass(slots=True)
class _LanguageTally:
    """What was looked at of the different texts that answer prompts in one language."""

    texts: int = 0
    looked_at: int = 0
    sure: int = 0
    others: int = 0
    """Sure votes for another language."""

    def is_to_be_looked_at(self, digest: bytes) -> bool:
        is_sampled = self.looked_at < LANG_LOOKED_AT or digest[0] % LANG_EVERY == 0
        return is_sampled or self.others >= LANG_SHARE / 2 * self.sure > 0

    def add(self, vote: str | None, own: frozenset[str]) -> None:
        self.looked_at += 1
        self.sure += vote is not None
        self.others += vote is not None and vote not in own


def glance(response: Response, prompt: str | None, vote: str | None) -> Glance:
    """What one response shows by itself.

    Args:
        response: Not blank.
        prompt: What it answers, where that is known.
        vote: The language it is in, where that is sure.
    """
    text = response.response
    compared = comparable(text)
    shows: dict[Flag, bool] = {
        "echo": _is_echo(compared, prompt),
        "error_text": len(text) <= ERROR_MAX_CHARS and _ERROR.match(text.lstrip()) is not None,
        "control_tokens": _CONTROL_TOKENS.search(text) is not None,
        "verdict_text": _VERDICT.search(compared) is not None,
        "placeholder": text.strip() in _PLACEHOLDERS,
    }
    flags = frozenset(flag for flag, is_shown in shows.items() if is_shown)
    return Glance(slot_of(response), response.base_id, _digest(compared), quoted(text, 60), flags or _NO_FLAGS, vote)


def constant_responses(glances: Sequence[Glance]) -> Finding:
    """One text answers a quarter of a language's prompts, in several items; it is flagged wherever it occurs."""
    by_language: dict[str, list[int]] = defaultdict(list)
    for index, seen in enumerate(glances):
        by_language[seen.language].append(index)
    constant: set[bytes] = set()
    alarms = []
    for language, indices in by_language.items():
        common = _common_texts(indices, glances)
        if common:
            constant |= common
            concerned = tuple(index for index in indices if glances[index].digest in common)
            what = "one text" if len(common) == 1 else f"{len(common)} texts over and over"
            alarms.append(
                Alarm(
                    "constant_response",
                    concerned,
                    f"{len(concerned)} of {len(indices)} responses in {language} are {what}: "
                    f"{glances[concerned[0]].start}",
                    "Answers that do not depend on the question agree for free: after the relevance check they count "
                    "as not consistent. Check that each prompt reached the model.",
                    language=language,
                )
            )
    return Finding(frozenset(index for index, seen in enumerate(glances) if seen.digest in constant), tuple(alarms))


def prompt_echoes(glances: Sequence[Glance]) -> Finding:
    """Responses that are their prompt and at most `ECHO_EXTRA_CHARS` more."""
    echoes = _showing(glances, "echo")
    if not echoes or len(echoes) < ECHO_SHARE * len(glances):
        return Finding(frozenset(echoes), ())
    message = f"{len(echoes)} of {len(glances)} responses repeat their prompt"
    hint = "After the relevance check they count as not consistent. Cut the prompt off the model's output."
    return Finding(frozenset(echoes), (Alarm("echoes_prompt", echoes, message, hint),))


def error_texts(glances: Sequence[Glance]) -> Finding:
    """Short responses that start like the error message of a program or service."""
    return _one_alarm(
        glances,
        "error_text",
        "error_text",
        "{count} of {total} responses are error messages, first {first}",
        "After the relevance check they count as not consistent. Ask the model again for these prompts.",
    )


def control_tokens(glances: Sequence[Glance]) -> Finding:
    """Responses with markers of a model's input format or its hidden reasoning."""
    return _one_alarm(
        glances,
        "control_tokens",
        "control_tokens",
        "{count} of {total} responses hold control tokens or turn tags of a model, first {first}",
        "Decode with skip_special_tokens=True, and leave out the reasoning before the answer.",
    )


def verdict_texts(glances: Sequence[Glance]) -> Finding:
    """Responses that speak to the judge."""
    return _one_alarm(
        glances,
        "verdict_text",
        "judge_verdict_in_response",
        "{count} of {total} responses state a verdict or instruct the judge, first {first}",
        "After the relevance check they count as not consistent. Leave out verdicts, scores and instructions to a "
        "judge.",
    )


def placeholders(glances: Sequence[Glance]) -> Finding:
    """Responses that are the "..." of the example; a file of nothing else is refused."""
    dots = _showing(glances, "placeholder")
    if not dots:
        return Finding(frozenset(), ())
    every = len(dots) == len(glances)
    count = f"all {len(dots)}" if every else f"{len(dots)} of {len(glances)}"
    alarm = Alarm(
        "placeholder_response",
        dots,
        f'{count} non-empty responses are "...", the example text of the format',
        'Write the responses, or an empty text "" for prompts you skip.',
        "error" if every else None,
    )
    return Finding(frozenset(dots), (alarm,))


def wrong_languages(glances: Sequence[Glance], silent: frozenset[int]) -> Finding:
    """Languages in which a quarter of the sure votes name another language.

    Args:
        glances: Of one submission.
        silent: Indices that do not vote: constant, echo and error responses.
    """
    votes: dict[str, dict[int, str]] = defaultdict(dict)
    for index, seen in enumerate(glances):
        if seen.vote is not None and index not in silent:
            votes[_READ_AS.get(seen.language, seen.language)][index] = seen.vote
    flagged: set[int] = set()
    alarms = []
    for language, cast in votes.items():
        own = _own_languages(language)
        others = tuple(index for index, vote in cast.items() if vote not in own)
        if others and len(cast) >= LANG_MIN_RESPONSES and len(others) >= LANG_SHARE * len(cast):
            flagged.update(others)
            named = Counter(cast[index] for index in others)
            shown = _SHOWN_AS.get(language, language)
            alarms.append(
                Alarm(
                    "wrong_language",
                    others,
                    f"{len(others)} of {len(cast)} responses to prompts in {shown} are in another language: "
                    + ", ".join(f"{other} {count}" for other, count in named.most_common()),
                    "Check the order of the responses and the language the model was asked to answer in.",
                    language=shown,
                )
            )
    return Finding(frozenset(flagged), tuple(alarms))


def _own_languages(language: str) -> frozenset[str]:
    """What a detector may call an answer in a language."""
    return frozenset({language}) | _TAKEN_FOR.get(language, frozenset())


def comparable(text: str) -> str:
    """A text as the guards compare it: NFC, casefold, blanks collapsed."""
    return " ".join(normal_form("NFC", text).casefold().split())


def voting_text(text: str) -> str | None:
    """What of a response tells its language: without tags and links; None below `LANG_MIN_LETTERS` letters."""
    # Nearly every text has none, and looking for where one might begin takes longer than all else that is done to it.
    bare = _TAGS_AND_LINKS.sub(" ", text) if any(sign in text for sign in _SIGNS_OF_TAGS_AND_LINKS) else text
    words = " ".join(bare.split())
    letters = islice((character for character in words if character.isalpha()), LANG_MIN_LETTERS)
    return words if sum(1 for _ in letters) == LANG_MIN_LETTERS else None


def flagged(submission: Submission, flags: Mapping[Slot, frozenset[Flag]]) -> Submission:
    """The submission with every flag on its response; untouched where there is none."""
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


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _common_texts(indices: list[int], glances: Sequence[Glance]) -> set[bytes]:
    """Texts of one language that make a quarter of its responses and stand in several items."""
    if len(indices) < CONSTANT_MIN_RESPONSES:
        return set()
    occurrences: dict[bytes, list[int]] = defaultdict(list)
    for index in indices:
        occurrences[glances[index].digest].append(index)
    return {
        digest
        for digest, where in occurrences.items()
        if len(where) >= CONSTANT_SHARE * len(indices)
        and len({glances[index].base_id for index in where}) >= CONSTANT_MIN_ITEMS
    }


def _is_echo(said: str, prompt: str | None) -> bool:
    asked = comparable(prompt or "")
    return bool(asked) and asked in said and len(said) - len(asked) <= ECHO_EXTRA_CHARS


def _showing(glances: Sequence[Glance], flag: Flag) -> tuple[int, ...]:
    return tuple(index for index, seen in enumerate(glances) if flag in seen.flags)


def _one_alarm(glances: Sequence[Glance], flag: Flag, code: str, message: str, hint: str) -> Finding:
    """A guard that looks at each response alone and warns from the first one on."""
    concerned = _showing(glances, flag)
    if not concerned:
        return Finding(frozenset(), ())
    text = message.format(count=len(concerned), total=len(glances), first=glances[concerned[0]].start)
    return Finding(frozenset(concerned), (Alarm(code, concerned, text, hint),))


def _report(alarm: Alarm, glances: Sequence[Glance], places: Mapping[Slot, str], findings: Findings) -> None:
    _, item_id, variant, language = glances[alarm.flagged[0]].slot
    findings.add(
        alarm.code,
        places.get(glances[alarm.flagged[0]].slot, "$"),
        alarm.message,
        alarm.hint,
        severity=alarm.severity,
        item=item_id,
        variant=variant,
        language=alarm.language or language,
    )
