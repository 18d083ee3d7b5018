"""What cosine is blind to: numbers, negation, opposites, names, swapped roles, refusals. English; pure functions.

Each check looks at two texts, gives the same figure in both orders, and never below 0; 0 means that nothing was found.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import pairwise

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+(?:[.,]\d+)*")
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"')\]]*\s+|\n+")
_CLAUSE_END = re.compile(r"[.,;:!?…()\n]+(?=\s|$)| [-–—] ")


def _listed(text: str) -> list[str]:
    """A word list as it is easiest to read and edit."""
    return text.split()


_SMALL = {
    word: value
    for value, word in enumerate(
        _listed(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen"
        )
    )
}
_TENS = {
    word: 10 * value
    for value, word in enumerate(_listed("twenty thirty forty fifty sixty seventy eighty ninety"), start=2)
}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_FRACTIONS = {"half": 0.5, "quarter": 0.25, "quarters": 0.25}

_UNITS: dict[str, tuple[str, float]] = {
    # written form -> (dimension, how many of the dimension's smallest unit)
    **dict.fromkeys(("second", "seconds", "sec", "secs"), ("time", 1.0)),
    **dict.fromkeys(("minute", "minutes", "min", "mins"), ("time", 60.0)),
    **dict.fromkeys(("hour", "hours", "hrs"), ("time", 3600.0)),
    **dict.fromkeys(("day", "days"), ("time", 86400.0)),
    **dict.fromkeys(("week", "weeks"), ("time", 604800.0)),
    **dict.fromkeys(("fortnight",), ("time", 1209600.0)),
    **dict.fromkeys(("month", "months"), ("month", 1.0)),
    **dict.fromkeys(("year", "years"), ("month", 12.0)),
    **dict.fromkeys(("millimetre", "millimetres", "millimeter", "millimeters", "mm"), ("length", 1.0)),
    **dict.fromkeys(("centimetre", "centimetres", "centimeter", "centimeters", "cm"), ("length", 10.0)),
    **dict.fromkeys(("metre", "metres", "meter", "meters"), ("length", 1000.0)),
    **dict.fromkeys(("kilometre", "kilometres", "kilometer", "kilometers", "km"), ("length", 1e6)),
    **dict.fromkeys(("gram", "grams", "gramme", "grammes", "g"), ("weight", 1.0)),
    **dict.fromkeys(("kilo", "kilos", "kilogram", "kilograms", "kg"), ("weight", 1000.0)),
    **dict.fromkeys(("tonne", "tonnes"), ("weight", 1e6)),
    **dict.fromkeys(("millilitre", "millilitres", "milliliter", "milliliters", "ml"), ("volume", 1.0)),
    **dict.fromkeys(("litre", "litres", "liter", "liters"), ("volume", 1000.0)),
}

_NEGATIONS = frozenset(
    _listed("no not never none nobody nothing nowhere neither nor without cannot hardly scarcely avoid refrain")
)
SHARED_WORDING = 0.15
"""Word overlap from which two sentences are taken to make the same point (chosen on the train split)."""

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
_REFUSAL = re.compile(
    r"""\b(?:
      (?:i|we)\s(?:am|are)\s(?:\w+\s){0,3}(?:unable|not\s(?:\w+\s)?(?:able|comfortable|allowed|permitted|in\sa\sposition))
    | i'm\s(?:\w+\s){0,3}(?:unable|not\s(?:\w+\s)?(?:able|comfortable|allowed|permitted|in\sa\sposition))
    | (?:i|we)\s(?:\w+\s){0,2}?(?:can't|cannot|can\snot|won't|will\snot|must\snot|mustn't|could\snot|couldn't|wouldn't)
      \s(?:\w+\s){0,3}?(?:help|assist|provide|advise|answer|discuss|comment|confirm|say|offer|tell|recommend|respond
      |give|share|do|walk|draft|write|explain|continue|fulfil|fulfill|engage|support|be\sable)
    | i\s(?:\w+\s){0,2}(?:decline|refuse)\b | i\s(?:\w+\s){0,2}(?:have|need)\sto\s(?:decline|refuse|say\sno|pass)
    | i\s(?:must|should)\s(?:\w+\s)?(?:decline|refuse|pass)
    | as\san?\s(?:ai|artificial|large\slanguage|language\smodel) | my\s(?:guidelines|policy|policies|rules)\b
    | (?:that|this|it)\s(?:is\snot|isn't)\ssomething\si
    | (?:is|are)\s(?:\w+\s)?(?:not\ssomething\si\s(?:can|am)|something\si\s(?:have|can't|cannot|must))
    | outside\s(?:of\s)?what\si\scan | (?:would|i'd)\srather\snot
    )\b""",
    re.VERBOSE,
)


def sentences(text: str) -> list[str]:
    """The sentences of a text, in order; a text without sentence ends is one sentence, a blank text has none.

    >>> sentences("Go to bed early. No screens!\\nSleep well")
    ['Go to bed early.', 'No screens!', 'Sleep well']
    """
    return [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]


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


Quantity = tuple[str, float]
"""Dimension and value in its smallest unit: `("time", 5400.0)`; a bare number has the dimension `""`."""


def quantities(text: str) -> Counter[Quantity]:
    """The multiset of numbers in a text, written as digits or words, with time, length, weight and volume unified.

    A bare "one", "a" or "half" counts only before a unit, since it is mostly no number.

    >>> quantities("an hour and a half") == quantities("90 minutes")
    True
    >>> sorted(quantities("Eleven players, 1,000 fans and one ball").elements())
    [('', 11.0), ('', 1000.0)]
    """
    found: Counter[Quantity] = Counter()
    tokens = words(text)
    position = 0
    while position < len(tokens):
        value, used, is_bare_article = _number_at(tokens, position)
        if value is None:
            position += 1
            continue
        position += used
        unit, used = _unit_at(tokens, position)
        position += used
        if unit is not None:
            half, used = _half_at(tokens, position)
            position += used
            found[(unit[0], round((value + half) * unit[1], 6))] += 1
        elif not is_bare_article:
            found[("", value)] += 1
    return found


def number_conflict(first: str, second: str) -> float:
    """How strongly the numbers of two texts contradict each other, 0-1.

    Numbers that one text has and the other lacks are paired off; a number without any counterpart is extra detail
    and does not count. 1 - 2**-pairs, so that one changed number among many is still seen.

    >>> number_conflict("It takes 30 minutes.", "It takes half an hour.")
    0.0
    >>> number_conflict("Born in 1564, died in 1642.", "Born in 1473, died in 1642.")
    0.5
    """
    one, two = quantities(first), quantities(second)
    pairs = min((one - two).total(), (two - one).total())
    return _saturated(pairs)


def negation_conflict(first: str, second: str) -> float:
    """Words that one text negates and the other, in a sentence of similar wording, only affirms; 0-1 (1 - 2**-count).

    >>> negation_conflict("You should rinse it.", "You should not rinse it.")
    0.5
    >>> negation_conflict("Never reuse a password.", "Do not reuse passwords.")
    0.0
    """
    clashes: set[str] = set()
    polarity = {sentence: _polarity(sentence) for text in (first, second) for sentence in sentences(text)}
    for one, two in counterparts(first, second):
        (denied, affirmed), (denied_too, affirmed_too) = polarity[one], polarity[two]
        clashes |= (denied & (affirmed_too - denied_too)) | (denied_too & (affirmed - denied))
    return _saturated(len(clashes))


def opposite_words(first: str, second: str) -> float:
    """Words of one text whose opposite stands in a sentence of similar wording in the other, 0-1 (1 - 2**-count).

    >>> opposite_words("Turn it clockwise.", "Turn it anticlockwise.")
    0.5
    >>> opposite_words("First hot, then cold.", "First cold, then hot.")
    0.0
    """
    count = sum(_opposites_between(set(words(one)), set(words(two))) for one, two in counterparts(first, second))
    return _saturated(count)


def names(text: str) -> set[str]:
    """Capitalised words that do not begin a sentence, and acronyms anywhere; "I" is no name.

    >>> sorted(names("Yesterday Anna flew to Rome with NASA."))
    ['anna', 'nasa', 'rome']
    """
    found = set()
    for sentence in sentences(text):
        for position, word in enumerate(_WORD.findall(sentence)):
            bare = re.split("['’]", word)[0]
            is_acronym = len(bare) > 1 and bare.isupper()
            if is_acronym or (position > 0 and len(bare) > 1 and bare.istitle()):
                found.add(bare.casefold())
    return found


def name_conflict(first: str, second: str) -> float:
    """Names that stand in the place of other names in sentences of similar wording, 0-1 (1 - 2**-pairs).

    A name more in one text is extra detail and does not count.

    >>> name_conflict("We met Anna.", "We met Maria.")
    0.5
    >>> name_conflict("We met Anna.", "We met Anna in Rome.")
    0.0
    """
    one, two = set(words(first)), set(words(second))
    missing_in_two, missing_in_one = names(first) - two, names(second) - one
    return _saturated(
        sum(
            min(len(missing_in_two & names(sentence)), len(missing_in_one & names(other)))
            for sentence, other in counterparts(first, second)
        )
    )


def exchanged_words(first: str, second: str) -> float:
    """Pairs of words that have changed places between two texts, 0-1 (1 - 2**-pairs): swapped roles.

    x and y are exchanged when y stands beside a neighbour x had in the other text, and x beside one of y's.
    Clauses that change place as a whole keep their neighbours, because neighbourhoods end at punctuation.

    >>> exchanged_words("Brazil beat Germany", "Germany beat Brazil")
    0.5
    >>> exchanged_words("Mix it, then bake it.", "Then bake it, mix it.")
    0.0
    """
    all_words = _exchanges(_clause_words(first), _clause_words(second))
    content = _exchanges(_clause_contents(first), _clause_contents(second))
    return _saturated(max(all_words, content))


def refuses(text: str) -> bool:
    """Whether a text declines to answer.

    >>> refuses("I'm sorry, but I can't help with that."), refuses("You can't mix these two.")
    (True, False)
    """
    return _REFUSAL.search(" ".join(text.casefold().replace("’", "'").split())) is not None


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
    one, two = _sentence_words(first), _sentence_words(second)
    return [
        (sentence, other)
        for sentence, vocabulary in one.items()
        for other, vocabulary_too in two.items()
        if _jaccard(vocabulary, vocabulary_too) >= SHARED_WORDING
    ]


def _sentence_words(text: str) -> dict[str, set[str]]:
    """Each distinct sentence with its words, taken apart once: long answers have many pairs of sentences."""
    return {sentence: set(words(sentence)) for sentence in sentences(text)}


def _jaccard(one: set[str], two: set[str]) -> float:
    shared = len(one & two)
    return shared / (len(one) + len(two) - shared) if shared else 0.0


def _saturated(count: float) -> float:
    """0, 0.5, 0.75, ...: the first conflict weighs most, however long the texts are."""
    return float(1.0 - 0.5**count)


def _opposites_between(one: set[str], two: set[str]) -> int:
    only_one, only_two = one - two, two - one
    return sum(
        (word in only_one and opposite in only_two) or (word in only_two and opposite in only_one)
        for word, opposite in OPPOSITES
    )


def _number_at(tokens: list[str], start: int) -> tuple[float | None, int, bool]:
    """Value, tokens used, and whether it is only an article or a lone "one" or fraction."""
    word = tokens[start]
    if word[0].isdecimal():
        value = _digits(word)
        scale = _SCALES.get(tokens[start + 1]) if start + 1 < len(tokens) else None
        return (value * scale, 2, False) if scale else (value, 1, False)
    if word in ("a", "an"):
        return _article_number(tokens, start)
    if word in _FRACTIONS:
        return _FRACTIONS[word], _with_article(tokens, start + 1), True
    if word in ("dozen", "dozens"):
        return 12.0, 1, False
    return _spelled_number(tokens, start)


def _digits(word: str) -> float:
    """Commas before three digits group thousands, other commas are decimal; several points are a version or date."""
    plain = re.sub(r",(?=\d{3}(?:\D|$))", "", word).replace(",", ".")
    return float(plain) if plain.count(".") <= 1 else float(plain.replace(".", ""))


def _article_number(tokens: list[str], start: int) -> tuple[float | None, int, bool]:
    """ "a dozen", "a hundred", "a quarter of an hour"; else 1, which counts only before a unit."""
    following = tokens[start + 1] if start + 1 < len(tokens) else ""
    if following in _FRACTIONS or following == "dozen":
        value, used, is_bare = _number_at(tokens, start + 1)
        return value, used + 1, is_bare
    if following in _SCALES:
        return float(_SCALES[following]), 2, False
    return 1.0, 1, True


def _with_article(tokens: list[str], position: int) -> int:
    """Tokens of a fraction up to its unit: "half an", "quarter of an", "half"."""
    used = 1
    for word in tokens[position : position + 2]:
        if word not in ("of", "a", "an"):
            break
        used += 1
    return used


def _spelled_number(tokens: list[str], start: int) -> tuple[float | None, int, bool]:
    total = current = 0.0
    position = start
    while position < len(tokens):
        word = tokens[position]
        if word in _SMALL or word in _TENS:
            current += _SMALL.get(word, _TENS.get(word, 0))
        elif word in _SCALES and position > start:
            current *= _SCALES[word]
            if _SCALES[word] >= 1000:
                total, current = total + current, 0.0
        else:
            break
        position += 1
    used = position - start
    return (total + current, used, used == 1 and tokens[start] == "one") if used else (None, 1, False)


def _unit_at(tokens: list[str], position: int) -> tuple[tuple[str, float] | None, int]:
    unit = _UNITS.get(tokens[position]) if position < len(tokens) else None
    return unit, int(unit is not None)


def _half_at(tokens: list[str], position: int) -> tuple[float, int]:
    return (0.5, 3) if tokens[position : position + 3] == ["and", "a", "half"] else (0.0, 0)


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


def _clause_words(text: str) -> list[list[str]]:
    return [[stem(word) for word in words(clause)] for clause in _CLAUSE_END.split(text)]


def _clause_contents(text: str) -> list[list[str]]:
    return [content_words(clause) for clause in _CLAUSE_END.split(text)]


def _exchanges(one: list[list[str]], two: list[list[str]]) -> int:
    """Unordered pairs of words that took each other's places beside some neighbour."""
    neighbours, neighbours_too = _neighbours(one), _neighbours(two)
    vocabulary = {word for clause in one for word in clause} & {word for clause in two for word in clause}
    replaced = {
        (gone, come)
        for place in neighbours.keys() & neighbours_too.keys()
        for gone in (neighbours[place] - neighbours_too[place]) & vocabulary
        for come in (neighbours_too[place] - neighbours[place]) & vocabulary
    }
    return sum((come, gone) in replaced for gone, come in replaced) // 2


def _neighbours(clauses: list[list[str]]) -> dict[tuple[str, str], set[str]]:
    """For ("before", w) the words right before w, for ("after", w) those right after it."""
    beside: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for clause in clauses:
        for left, right in pairwise(clause):
            beside["before", right].add(left)
            beside["after", left].add(right)
    return dict(beside)
