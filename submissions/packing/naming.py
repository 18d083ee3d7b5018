"""What the name of a file says: its language, its kind, the run it is of, and the model that may have written it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from submissions.formats.eloquent.cultural_metadata import cultural_language
from submissions.promptsets.cultural import CulturalKind

_NAME_CHARACTERS = 300
"""More than any file system allows: a longer name is a key in a document."""

_WORDS = re.compile(r"[^_\-.\s()\[\]]+")
_SUFFIX = re.compile(r"\.(?:json|jsonl|ndjson|csv|tsv|zip)\b", re.IGNORECASE)
KIND_WORDS: dict[str, CulturalKind] = {
    "unspecific": "unspecific",
    "nonspecific": "unspecific",
    "diversity": "unspecific",
    "specific": "specific",
    "robustness": "specific",
}
"""Words of file names, also those of before 27 January 2026."""

_LANGUAGE_NAMES = {
    "bengali": "bn", "bangla": "bn", "catalan": "ca", "czech": "cs", "danish": "da", "german": "de", "deutsch": "de",
    "greek": "el", "english": "en", "spanish": "es", "finnish": "fi", "faroese": "fo", "french": "fr", "hebrew": "he",
    "hindi": "hi", "italian": "it", "kannada": "kn", "marathi": "mr", "polish": "pl", "russian": "ru", "slovak": "sk",
    "swedish": "sv", "tamil": "ta", "telugu": "te", "turkish": "tr", "ukrainian": "ua",
    "ben": "bn", "cat": "ca", "ces": "cs", "cze": "cs", "dan": "da", "spa": "es", "fao": "fo", "fra": "fr", "fre": "fr",
    "heb": "he", "hin": "hi", "ita": "it", "kan": "kn", "mar": "mr", "pol": "pl", "rus": "ru", "slk": "sk", "slo": "sk",
    "tam": "ta", "tel": "te", "tur": "tr", "ukr": "ua",
}  # fmt: skip
"""English names and ISO 639-2 codes beyond those that submissions may use."""

_FURTHER_LANGUAGES = {
    "arabic": "ar", "ara": "ar", "arb": "ar", "levantine": "apc", "ajp": "apc", "scots": "sco", "dutch": "nl",
    "nld": "nl", "dut": "nl", "portuguese": "pt", "por": "pt", "hungarian": "hu", "hun": "hu", "norwegian": "no",
    "bokmal": "nb", "nynorsk": "nn", "icelandic": "is", "isl": "is", "bulgarian": "bg", "romanian": "ro",
    "croatian": "hr", "serbian": "sr", "slovenian": "sl", "slovene": "sl", "estonian": "et", "latvian": "lv",
    "lithuanian": "lt", "irish": "ga", "maltese": "mt", "basque": "eu", "galician": "gl", "chinese": "zh",
    "japanese": "ja", "korean": "ko", "urdu": "ur", "persian": "fa", "farsi": "fa",
    **{code: code for code in ("ar", "apc", "sco", "nl", "pt", "hu", "nb", "nn", "bg", "ro", "hr", "sr", "zh", "ko")},
}  # fmt: skip
"""Of editions that ask in any language. Codes that are words of file names as well (`no`, `is`, `et`) are left out."""

_ABOUT_NO_RUN = frozenset(
    {
        "answer", "answers", "response", "responses", "result", "results", "out", "output", "outputs", "prediction",
        "predictions", "generated", "generation", "generations", "completion", "completions", "submission",
        "submissions", "submit", "eloquent", "2024", "2025", "2026", "lang", "language", "languages", "copy", "kopie",
        "jsonl", "json", "zip",
    }
)  # fmt: skip
_PART = re.compile(r"part\d*|chunk\d*|shard\d*")
_MODEL_FAMILIES = frozenset(
    {
        "llama", "gpt", "qwen", "mistral", "mixtral", "ministral", "gemma", "gemini", "phi", "smollm", "smollm2",
        "smollm3", "claude", "deepseek", "olmo", "aya", "eurollm", "command", "falcon", "bloom", "bloomz", "viking",
        "poro", "teuken", "salamandra", "apertus", "granite", "nemotron", "grok", "kimi", "glm", "yi", "solar",
        "occiglot", "llammas", "gemma2", "gemma3", "llama2", "llama3", "qwen2", "qwen3", "phi3", "phi4", "o1", "o3",
        "o4", "ernie", "minitron", "tower", "towerinstruct", "mt5", "flan",
    }
)  # fmt: skip
_VERSION = re.compile(
    r"[vr]?\d+[a-z]{0,3}|\d+x\d+b|oss|r|plus|instruct|chat|it|base|nano|mini|small|medium|large|pro|turbo|flash|lite|"
    r"preview|hf|next|thinking|coder|max|opus|sonnet|haiku|expanse|sw3|\d+o"
)


@dataclass(frozen=True, slots=True)
class NameParts:
    """What the name of a file or folder says."""

    label: str
    """What is left when language, kind and words about no run are taken out: names the run; may be blank."""
    language: str | None
    kind: CulturalKind | None


LanguageWord = Callable[[str], str | None]
"""The language that a word in small letters names, as an edition writes it; None where it names none."""


def cultural_word(word: str) -> str | None:
    """A language of 2026.

    >>> cultural_word("german"), cultural_word("uk"), cultural_word("dutch")
    ('de', 'ua', None)
    """
    return _LANGUAGE_NAMES.get(word) or (cultural_language(word) if len(word) > 1 else None)


def language_word(word: str) -> str | None:
    """Any language that is known here, by its code of ISO 639.

    >>> language_word("german"), language_word("ua"), language_word("dutch")
    ('de', 'uk', 'nl')
    """
    code = _FURTHER_LANGUAGES.get(word) or cultural_word(word)
    return "uk" if code == "ua" else code


def name_parts(name: str, language_of: LanguageWord = cultural_word) -> NameParts:
    """What a name says.

    >>> name_parts("de_specific_cot_cultural_llama-3_3.jsonl")
    NameParts(label='cot_cultural_llama-3_3', language='de', kind='specific')
    >>> name_parts("gemma-2-9b-it_unspecific (1).json")
    NameParts(label='gemma-2-9b-it', language=None, kind='unspecific')
    >>> name_parts("Team_non-specific.zip"), name_parts("swedish.json").language
    (NameParts(label='Team', language=None, kind='unspecific'), 'sv')
    """
    stem = _SUFFIX.sub("", name[:_NAME_CHARACTERS])
    words = list(_WORDS.finditer(stem))
    folded = [match[0].casefold() for match in words]
    spoken = [language_of(word) for word in folded]
    language_at = _language_at(stem, words, folded, spoken)
    kind: CulturalKind | None = None
    kept = ""
    for index, match in enumerate(words):
        word, before = folded[index], stem[words[index - 1].end() if index else 0 : match.start()]
        if word in KIND_WORDS and kind is None:
            kind = KIND_WORDS[word]
            if word == "specific" and index and folded[index - 1] == "non":
                kind, kept = "unspecific", kept[: -len(words[index - 1][0])].rstrip("_-. ")
        elif index == language_at or word in _ABOUT_NO_RUN or _PART.fullmatch(word):
            continue
        elif not (word.isdigit() and before.endswith("(")):  # "answers (1).jsonl": a second download
            kept += (before if kept else "") + match[0]
    language = None if language_at is None else spoken[language_at]
    return NameParts(kept.strip(" _-.()[]"), language, kind)


def model_in(label: str) -> str | None:
    """The model that a run's label names, as written there; None where it names none that is known.

    >>> model_in("cot_cultural_llama-3_3"), model_in("Qwen2-7B-Instruct_greedy"), model_in("baseline")
    ('llama-3_3', 'Qwen2-7B-Instruct', None)
    """
    words = list(_WORDS.finditer(label))
    for index, first in enumerate(words):
        if first[0].casefold() in _MODEL_FAMILIES:
            last = first
            for word in words[index + 1 :]:
                if not _VERSION.fullmatch(word[0].casefold()):
                    break
                last = word
            return label[first.start() : last.end()]
    return None


def _language_at(stem: str, words: list[re.Match[str]], folded: list[str], spoken: list[str | None]) -> int | None:
    """Which word is the language; None where none is, or several may be.

    A word between hyphens may belong to a model's name (`gemma-2-9b-it`): it counts where no other does, and never
    after a size.
    """
    clear, unclear = [], []
    for index, language in enumerate(spoken):
        if language is None:
            continue
        start = words[index].start()
        is_hyphenated = start > 0 and stem[start - 1] == "-"
        if not is_hyphenated:
            clear.append(index)
        elif not re.fullmatch(r"\d+[bm]?|instruct", folded[index - 1]):
            unclear.append(index)
    candidates = clear or unclear
    if len({spoken[index] for index in candidates}) == 1:
        return candidates[0]
    beside_kind = [
        index
        for index in candidates
        if any(0 <= near < len(folded) and folded[near] in KIND_WORDS for near in (index - 1, index + 1))
    ]
    if len(beside_kind) == 1:
        return beside_kind[0]
    return 0 if 0 in candidates else None
