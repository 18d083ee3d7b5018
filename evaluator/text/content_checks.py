"""What cosine is blind to: negation and opposites (numbers: `quantities`). English only.

Pure functions: each check looks at two texts, gives the same figure in both orders, and never below 0; 0 means that
nothing was found.
"""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+(?:[.,]\d+)*")
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"')\]]*\s+|\n+")
_CLAUSE_END = re.compile(r"(?<![.,;:!?…()\n])[.,;:!?…()\n]+(?=\s|$)| [-–—] ")
"""Tried once in a row of marks: from every mark of it, the time would grow with the square of the row."""


def _listed(text: str) -> list[str]:
    """A word list as it is easiest to read and edit."""
    return text.split()


_NEGATIONS = frozenset(
    _listed("no not never none nobody nothing nowhere neither nor without cannot hardly scarcely avoid refrain")
)
SHARED_WORDING = 0.15
"""Word overlap from which two sentences are taken to make the same point (chosen on the train split)."""

MOST_SENTENCES = 300
"""Sentences of two texts are compared each with each: more than so many of one are read in runs."""

_STOP_WORDS = frozenset(
    _listed(
        "a an the and or but if so as at by for from in into of off on onto out over per than that then there this "
        "these those to up with you your yours he him his she her it its they them their we us our i me my mine is "
        "are was were be been being am do does did done doing have has had having will would can could may might "
        "must shall should what which who whom whose when where why how all any both each few more most other some "
        "such only own same too very just also about around not no nor never n't s t d ll re ve m because while "
        "until though although since well even ever yet still once"
    )
)
OPPOSITES = [
    tuple(pair.split("/"))
    for pair in _listed(
        "more/less more/fewer most/least high/low higher/lower highest/lowest rise/fall rises/falls rising/falling "
        "increase/decrease increases/decreases increased/decreased raise/lower raises/lowers up/down before/after "
        "always/never everyone/nobody everybody/nobody everything/nothing all/none safe/unsafe safe/dangerous "
        "good/bad better/worse best/worst early/late earlier/later fast/slow faster/slower quick/slow open/closed "
        "open/shut opens/closes opened/closed start/stop starts/stops begin/end begins/ends first/last hot/cold "
        "warm/cool warms/cools heat/cool wet/dry big/small large/small larger/smaller long/short longer/shorter "
        "strong/weak stronger/weaker strengthen/weaken true/false right/wrong left/right wise/unwise clean/dirty "
        "allowed/forbidden permitted/forbidden must/needn't above/below over/under with/without for/against "
        "inside/outside indoors/outdoors clockwise/anticlockwise clockwise/counterclockwise buy/sell give/take "
        "push/pull win/lose wins/loses won/lost gain/lose accept/reject accepted/rejected agree/disagree "
        "agrees/disagrees like/dislike possible/impossible legal/illegal healthy/unhealthy healthy/harmful "
        "useful/useless helpful/harmful helps/harms cheap/expensive cheaper/dearer cheaper/costlier easy/hard "
        "easy/difficult easier/harder rich/poor full/empty light/heavy light/dark thick/thin near/far nearer/farther "
        "many/few often/rarely often/seldom usually/rarely frequently/seldom keep/discard save/spend save/waste "
        "fixed/variable include/exclude includes/excludes add/remove adds/removes tighten/loosen lock/unlock "
        "success/failure succeed/fail succeeds/fails love/hate loved/hated day/night morning/evening summer/winter "
        "north/south east/west male/female young/old younger/older new/old maximum/minimum majority/minority "
        "absorb/emit absorbs/emits absorbs/reflects traps/reflects import/export natural/artificial "
        "temporary/permanent public/private guilty/innocent happy/sad calm/angry bitter/sweet advise/discourage "
        "recommend/discourage beautiful/ugly reachable/unreachable necessary/unnecessary effective/ineffective "
        "likely/unlikely common/rare visible/invisible active/passive acute/chronic positive/negative"
    )
]
_OPPOSITES_OF: dict[str, tuple[str, ...]] = {
    word: tuple(pair[1 - pair.index(word)] for pair in OPPOSITES if word in pair) for pair in OPPOSITES for word in pair
}


def sentences(text: str) -> list[str]:
    """The sentences of a text, in order; a text without sentence ends is one sentence, a blank text has none.

    Of a text with more than `MOST_SENTENCES`, as many runs of neighbouring sentences.

    >>> sentences("Go to bed early. No screens!\\nSleep well")
    ['Go to bed early.', 'No screens!', 'Sleep well']
    """
    parts = all_sentences(text)
    run = -(-len(parts) // MOST_SENTENCES)
    return parts if run <= 1 else _runs(text, parts, run)


def all_sentences(text: str) -> list[str]:
    """The sentences of a text, in order, however many there are.

    >>> all_sentences("Rinse it. Boil it.")
    ['Rinse it.', 'Boil it.']
    """
    return [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]


def _runs(text: str, parts: list[str], length: int) -> list[str]:
    """Stretches of the text, each of `length` neighbouring sentences with what stands between them."""
    ends: list[int] = []
    for part in parts:
        ends.append(text.index(part, ends[-1] if ends else 0) + len(part))
    starts = [0, *ends[length - 1 : -1 : length]]
    return [
        text[start:end].strip() for start, end in zip(starts, [*ends[length - 1 : -1 : length], len(text)], strict=True)
    ]


def words(text: str) -> list[str]:
    """Lower-cased words and figures, in order.

    >>> words("Don't wait 2.5 hours!")
    ["don't", 'wait', '2.5', 'hours']
    """
    return [word.replace("’", "'") for word in _WORD.findall(text.casefold())]


def stem(word: str) -> str:
    """A crude stem: enough to match `helps` with `help` and `baking` with `bake`.

    >>> stem("helps"), stem("baking"), stem("bake"), stem("carries")
    ('help', 'bak', 'bak', 'carr')
    """
    for ending in ("ies", "ing", "ed", "es", "ly", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def content_words(text: str) -> list[str]:
    """Stems of the words that carry content, in order.

    >>> content_words("You should not eat the apples")
    ['eat', 'appl']
    """
    return [stem(word) for word in words(text) if word not in _STOP_WORDS and not word.endswith("n't")]


def negation_conflict(first: str, second: str) -> float:
    """Words that one text negates and the other, in a sentence of similar wording, only affirms; 0-1 (1 - 2**-count).

    >>> negation_conflict("You should rinse it.", "You should not rinse it.")
    0.5
    >>> negation_conflict("Never reuse a password.", "Do not reuse passwords.")
    0.0
    """
    clashes: set[str] = set()
    polarity = {sentence: _polarity(sentence) for text in (first, second) for sentence in sentences(text)}
    for left, right in counterparts(first, second):
        (denied, affirmed), (denied_too, affirmed_too) = polarity[left], polarity[right]
        clashes |= (denied & (affirmed_too - denied_too)) | (denied_too & (affirmed - denied))
    return _saturated(len(clashes))


def opposite_words(first: str, second: str) -> float:
    """Words of one text whose opposite stands in a sentence of similar wording in the other, 0-1 (1 - 2**-count).

    >>> opposite_words("Turn it clockwise.", "Turn it anticlockwise.")
    0.5
    >>> opposite_words("First hot, then cold.", "First cold, then hot.")
    0.0
    """
    vocabulary = _sentence_words(first) | _sentence_words(second)
    return _saturated(
        sum(_opposites_between(vocabulary[left], vocabulary[right]) for left, right in counterparts(first, second))
    )


def word_overlap(first: str, second: str) -> float:
    """Jaccard similarity of the two sets of words, 0-1; two texts without words: 0.

    >>> word_overlap("a red ball", "a blue ball")
    0.5
    """
    return _jaccard(set(words(first)), set(words(second)))


def counterparts(first: str, second: str) -> list[tuple[str, str]]:
    """Pairs of a sentence of each text that share at least `SHARED_WORDING` of their words: the same point, perhaps.

    >>> counterparts("Salt helps. Eat well.", "Salt harms.")
    [('Salt helps.', 'Salt harms.')]
    """
    first_sentences, second_sentences = _sentence_words(first), _sentence_words(second)
    return [
        (sentence, other)
        for sentence, vocabulary in first_sentences.items()
        for other, vocabulary_too in second_sentences.items()
        if _jaccard(vocabulary, vocabulary_too) >= SHARED_WORDING
    ]


def _sentence_words(text: str) -> dict[str, set[str]]:
    """Each distinct sentence with its words, taken apart once: long answers have many pairs of sentences."""
    return {sentence: set(words(sentence)) for sentence in sentences(text)}


def _jaccard(first: set[str], second: set[str]) -> float:
    shared = len(first & second)
    return shared / (len(first) + len(second) - shared) if shared else 0.0


def _saturated(count: float) -> float:
    """0, 0.5, 0.75, ...: the first conflict weighs most, however long the texts are."""
    return float(1.0 - 0.5**count)


def _opposites_between(first: set[str], second: set[str]) -> int:
    only_first = (first & _OPPOSITES_OF.keys()) - second
    return sum(opposite in second and opposite not in first for word in only_first for opposite in _OPPOSITES_OF[word])


def _is_negation(word: str) -> bool:
    return word in _NEGATIONS or word.endswith("n't")


def _polarity(text: str) -> tuple[set[str], set[str]]:
    """Stems of content words within a negation's reach (the next three of its clause), and of all others."""
    denied: set[str] = set()
    affirmed: set[str] = set()
    for clause in _CLAUSE_END.split(text):
        reach = 0
        for word in words(clause):
            if _is_negation(word):
                reach = 3
            elif word not in _STOP_WORDS:
                (denied if reach else affirmed).add(stem(word))
                reach = max(0, reach - 1)
    return denied, affirmed
