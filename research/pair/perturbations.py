"""Small changes to a text that keep or break what it says: program-made training pairs for the pair judge. English.

Each perturbation takes a text and a random generator and returns the changed text, or None where it finds nothing to
change. They teach where to look; how good the judge is, only pairs written one by one can tell (docs/judges.md).
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from evaluator.text.content_checks import OPPOSITES, sentences

Perturbation = Callable[[str, random.Random], str | None]

_AUXILIARY = re.compile(
    r"\b(is|are|was|were|can|could|will|would|should|must|(?-i:may)|might|do|does|did|has|have|had)\b(?! not\b|['’-])",
    re.I,  # but not for May, the month
)
_DENIAL = re.compile(
    r"\b(?:(is|are|was|were|could|would|should|must|do|does|did|has|have|had)(?: not|n['’]t)"
    r"|(can)(?:not| not|['’]t)|(will) not)\b",
    re.I,
)
_IMPERATIVE = re.compile(
    r"^(Add|Apply|Ask|Bring|Buy|Call|Check|Choose|Clean|Close|Cook|Cover|Cut|Drink|Eat|Fill|Follow|Give|Go|Keep|Leave|"
    r"Let|Make|Mix|Move|Open|Pay|Place|Press|Pull|Push|Put|Remove|Run|Save|Send|Start|Stay|Stir|Store|Take|Tell|Try|"
    r"Turn|Use|Wait|Walk|Wash|Wear|Write)\b"
)
_NUMBER = re.compile(r"(?<![\d.,:])\d{1,4}(?![\d:]|[.,]\d|(?:st|nd|rd|th)\b)")
_CLOCK = re.compile(r"\b([01]?\d|2[0-3]):([0-5]\d)\b")
_SPELLED = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve", "fifteen", "twenty")
_SPELLED_NUMBER = re.compile(
    rf"(?<!ty-)\b({'|'.join((*_SPELLED, 'thirty', 'forty', 'fifty'))})\b(?!(?<=ty)-)",
    re.I,  # not half of twenty-five
)
_MONTHS = (
    "January", "February", "March", "April", "June", "July", "August", "September", "October", "November", "December"
)  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_TIME_WORD = re.compile(rf"\b({'|'.join((*_MONTHS, *_DAYS))})\b")
_PARTY = "(?:the|a|an|your|my|his|her|their|our) [a-z]+"
_LINKS = (
    " [a-z]+s ",
    " [a-z]+ed ",
    " [a-z]+s (?:to|for|from|with) ",
    " (?:is|are|was|were) [a-z]+er than ",
    " (?:must|should|can|will|may) [a-z]+ ",
    " before ",
    " after ",
    " instead of ",
    " to ",
)
_BETWEEN = tuple(re.compile(rf"\b(?P<one>{_PARTY})(?P<link>{link})(?P<two>{_PARTY})\b", re.I) for link in _LINKS)
_FROM_TO = re.compile(r"\bfrom (?P<one>\w[\w' -]{0,23}?\w) to (?P<two>\w[\w'-]{0,23}\w)\b", re.I)
_NAMES = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}\b")

_WHOLE_SENTENCE = re.compile(r"[\W\d_]*+[^\W\d_].*(?<=[.!?…])", re.DOTALL)

_CONTRACTIONS = (
    ("do not", "don't"), ("does not", "doesn't"), ("did not", "didn't"), ("is not", "isn't"), ("are not", "aren't"),
    ("cannot", "can't"), ("will not", "won't"), ("would not", "wouldn't"), ("should not", "shouldn't"),
    ("it is", "it's"), ("you are", "you're"), ("they are", "they're"), ("we are", "we're"), ("that is", "that's"),
    ("you will", "you'll"), ("I am", "I'm"), ("I have", "I've"), ("you have", "you've"),
)  # fmt: skip
_REGISTERS = (
    ("buy", "purchase"), ("get", "obtain"), ("help", "assist"), ("start", "begin"), ("end", "finish"),
    ("ask", "enquire"), ("need", "require"), ("show", "demonstrate"), ("keep", "retain"),
    ("enough", "sufficient"), ("also", "in addition"), ("but", "however"), ("big", "large"), ("quickly", "rapidly"),
    ("whole", "entire"), ("often", "frequently"), ("make sure", "ensure"), ("try", "attempt"), ("use", "employ"),
    ("fix", "repair"), ("check", "verify"), ("kids", "children"), ("home", "residence"),
    ("happen", "occur"), ("mostly", "chiefly"), ("maybe", "perhaps"), ("job", "position"),
)  # fmt: skip
_SYNONYMS = (
    ("kid", "child"), ("sofa", "couch"), ("usually", "normally"), ("about", "roughly"), ("begin", "start"),
    ("close", "shut"), ("speak", "talk"), ("street", "road"), ("wish", "want"), ("film", "movie"), ("photo", "picture"),
    ("plenty of", "lots of"), ("a lot of", "many"), ("pupil", "student"), ("physician", "doctor"),
    ("car", "automobile"),
    ("bike", "bicycle"), ("plane", "airplane"), ("present", "gift"), ("reply", "answer"), ("near", "close to"),
    ("people", "persons"), ("mom", "mother"), ("dad", "father"), ("TV", "television"), ("rock", "stone"),
    ("small", "little"), ("fast", "quick"), ("next to", "beside"), ("is able to", "can"), ("prior to", "before"),
    ("as well as", "and"), ("however", "but"), ("the US", "the United States"), ("the UK", "the United Kingdom"),
    ("per cent", "percent"), ("said that", "said"), ("think that", "think"), ("says that", "says"),
    ("in order to", "to"),
    ("all of the", "all the"), ("on top of", "on"), ("switch off", "turn off"), ("switch on", "turn on"),
)  # fmt: skip
_COORDINATED = re.compile(r"\b(?P<one>[a-z]{3,}|[A-Z][a-z]+)(?P<link> (?:and|or) )(?P<two>[a-z]{3,}|[A-Z][a-z]+)\b")
_LAST_PHRASE = re.compile(r"^(?P<said>(?:\S+ ){2,12}?\S+) (?P<phrase>(?:in|on|at|during|after) [\w' ]{3,30})\.$")
_BEGINNINGS = frozenset(
    {"The", "A", "An", "He", "She", "It", "They", "We", "You", "There", "This", "My", "Your", "His"}
)
"""First words that have a small letter inside a sentence."""
_FIGURES = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_FIGURE = re.compile(rf"(?<![\w.,:/-])(?:[2-9]|1[0-2]|{'|'.join(_FIGURES)})(?![\w:/-]|[.,]\d)")
_ARTICLE = re.compile(r"(?<=[a-z] )(?:the|an?) (?=[a-z])")

_FRAMES = (
    "{}", "In short: {}", "{} Hope that helps!", "Well, {}", "Here is what I would say. {}", "Sure! {}",
    "To answer your question: {}",
    "{} That is really all there is to it.", "Good question. {}", "{} Let me know if you would like to hear more.",
)  # fmt: skip


def negated(text: str, random_generator: random.Random) -> str | None:
    """One statement denied, or one denial made a statement.

    >>> negated("The shop is open.", random.Random(0))
    'The shop is not open.'
    """
    choices = [("deny", place) for place in _AUXILIARY.finditer(text)]
    choices += [("affirm", place) for place in _DENIAL.finditer(text)]
    imperatives = [start for start, part in _placed_sentences(text) if _IMPERATIVE.match(part)]
    if not choices and not imperatives:
        return None
    pick = random_generator.randrange(len(choices) + len(imperatives))
    if pick >= len(choices):
        start = imperatives[pick - len(choices)]
        denial = random_generator.choice(("Do not", "Never", "Don't", "Avoid it: do not"))
        return f"{text[:start]}{denial} {text[start].lower()}{text[start + 1 :]}"
    kind, place = choices[pick]
    if kind == "affirm":
        return text[: place.end(place.lastindex or 0)] + text[place.end() :]
    denial = (
        random_generator.choice((" not", " not", " never")) if place[1].lower() not in ("do", "does", "did") else " not"
    )
    return text[: place.end()] + denial + text[place.end() :]


def number_changed(text: str, random_generator: random.Random) -> str | None:
    """One number, in figures or words, replaced by another.

    >>> number_changed("Wait 10 minutes.", random.Random(0)) != "Wait 10 minutes."
    True
    """
    places = [*_NUMBER.finditer(text), *_SPELLED_NUMBER.finditer(text)]
    if not places:
        return None
    place = random_generator.choice(places)
    old = place.group()
    if old.isdigit():
        value = int(old)
        choices = {value * 2, value * 3, value * 10, value + 5, value // 2, value + 1} - {value}
        new = str(random_generator.choice(sorted(choices)))
    else:
        new = random_generator.choice([word for word in _SPELLED if word != old.lower()])
        new = new.capitalize() if old[0].isupper() else new
    return _replaced(text, place, new)


def time_changed(text: str, random_generator: random.Random) -> str | None:
    """A clock time, day of the week or month replaced.

    >>> time_changed("Come on Monday.", random.Random(1)) in {f"Come on {day}." for day in _DAYS[1:]}
    True
    """
    clocks = list(_CLOCK.finditer(text))
    if clocks:
        place = random_generator.choice(clocks)
        hour = (int(place[1]) + random_generator.randint(1, 11)) % 24
        return _replaced(text, place, f"{hour}:{place[2]}")
    places = list(_TIME_WORD.finditer(text))
    if not places:
        return None
    place = random_generator.choice(places)
    same_kind = _DAYS if place.group() in _DAYS else _MONTHS
    return _replaced(text, place, random_generator.choice([word for word in same_kind if word != place.group()]))


def roles_swapped(text: str, random_generator: random.Random) -> str | None:
    """Two parties of one clause, or two names, take each other's places.

    >>> roles_swapped("I think the tenant pays the landlord.", random.Random(0))
    'I think the landlord pays the tenant.'
    """
    places = [place for pattern in (*_BETWEEN, _FROM_TO) for place in pattern.finditer(text)]
    places = [place for place in places if place["one"].lower() != place["two"].lower()]
    if places:
        place = random_generator.choice(places)
        left, right = place["one"], place["two"]
        begins, ends = (right, left) if place.re is _FROM_TO else (_cased_like(right, left), _cased_like(left, right))
        between = text[place.end("one") : place.start("two")]
        return text[: place.start("one")] + begins + between + ends + text[place.end("two") :]
    names = list(dict.fromkeys(place.group() for place in _NAMES.finditer(text)))
    if len(names) < 2:
        return None
    left, right = random_generator.sample(names, 2)
    return re.sub(rf"\b({left}|{right})\b", lambda place: right if place.group() == left else left, text)


def opposed(text: str, random_generator: random.Random) -> str | None:
    """One word replaced by its opposite.

    >>> opposed("Bake it before noon.", random.Random(0))
    'Bake it after noon.'
    """
    swaps = [(word, opposite) for pair in OPPOSITES for word, opposite in (pair, pair[::-1])]
    choices = [
        (place, opposite)
        for word, opposite in swaps
        for place in re.finditer(rf"\b{re.escape(word)}\b", text, flags=re.IGNORECASE)
    ]
    if not choices:
        return None
    place, opposite = random_generator.choice(choices)
    return _replaced(text, place, _cased_like(opposite, place.group()))


def reordered(text: str, random_generator: random.Random) -> str | None:
    """The sentences in another order; None for fewer than three, where order often carries meaning, and for lists.

    >>> sorted(sentences(reordered("One. Two. Three.", random.Random(0)) or ""))
    ['One.', 'Three.', 'Two.']
    """
    parts = sentences(text)
    if len(parts) < 3 or len(set(parts)) == 1 or "\n" in text.strip():
        return None
    if not all(_WHOLE_SENTENCE.fullmatch(part) for part in parts):  # "1." is no sentence, nor is a tail without an end
        return None
    shuffled = parts[:]
    while shuffled == parts:
        random_generator.shuffle(shuffled)
    return " ".join(shuffled)


def contracted(text: str, random_generator: random.Random) -> str | None:
    """Contractions written out, or words contracted.

    >>> contracted("It is late.", random.Random(0))
    "It's late."
    """
    usable = [
        (long, short) for long, short in _CONTRACTIONS if re.search(rf"\b{long}\b|\b{short}\b", text, re.IGNORECASE)
    ]
    if not usable:
        return None
    for long, short in usable:
        text = _swap_words(text, long, short)
    return text


def reworded(text: str, random_generator: random.Random) -> str | None:
    """Plain words made formal, or formal ones plain, and a frame of courtesy that says nothing.

    >>> reworded("Often you need help.", random.Random(3)) != "Often you need help."
    True
    """
    usable = [pair for pair in _REGISTERS if re.search(rf"\b({pair[0]}|{pair[1]})\b", text, re.IGNORECASE)]
    if not usable:
        return None
    for plain, formal in random_generator.sample(usable, max(1, len(usable) // 2)):
        text = _swap_words(text, plain, formal)
    return random_generator.choice(_FRAMES).format(text)


def turned_round(text: str, random_generator: random.Random) -> str | None:
    """Two words joined by "and" or "or" in the other order.

    >>> turned_round("He bought apples and pears.", random.Random(0))
    'He bought pears and apples.'
    """
    places = [place for place in _COORDINATED.finditer(text) if place["one"][0].islower() == place["two"][0].islower()]
    if not places:
        return None
    place = random_generator.choice(places)
    return _replaced(text, place, place["two"] + place["link"] + place["one"])


def phrase_moved(text: str, random_generator: random.Random) -> str | None:
    """The last phrase of time or place of a text of one sentence put first.

    >>> phrase_moved("The lake freezes over in winter.", random.Random(0))
    'In winter, the lake freezes over.'
    """
    place = _LAST_PHRASE.match(text.strip())
    if place is None:
        return None
    said, phrase = place["said"], place["phrase"]
    first = said.split()[0]
    if first in _BEGINNINGS:
        said = said[0].lower() + said[1:]
    return f"{phrase[0].upper()}{phrase[1:]}, {said}."


def number_written(text: str, random_generator: random.Random) -> str | None:
    """One number from 2 to 12 in words instead of figures, or the other way round.

    >>> number_written("Two of them waited 10 minutes.", random.Random(0))
    'Two of them waited ten minutes.'
    """
    places = list(_FIGURE.finditer(text))
    if not places:
        return None
    place = random_generator.choice(places)
    old = place.group()
    return _replaced(text, place, _FIGURES[int(old) - 2] if old.isdigit() else str(_FIGURES.index(old) + 2))


def synonym_put(text: str, random_generator: random.Random) -> str | None:
    """One word, or a few, in other words.

    >>> synonym_put("A kid plays.", random.Random(0))
    'A child plays.'
    """
    usable = [
        pair
        for pair in (*_SYNONYMS, *_REGISTERS)
        if re.search(rf"\b({re.escape(pair[0])}|{re.escape(pair[1])})\b", text, re.IGNORECASE)
    ]
    return _swap_words(text, *random_generator.choice(usable)) if usable else None


def article_dropped(text: str, random_generator: random.Random) -> str | None:
    """One article left out.

    >>> article_dropped("They dance in the rain.", random.Random(0))
    'They dance in rain.'
    """
    places = list(_ARTICLE.finditer(text))
    return _replaced(text, random_generator.choice(places), "") if places else None


def _placed_sentences(text: str) -> list[tuple[int, str]]:
    """Each sentence with where it starts."""
    placed: list[tuple[int, str]] = []
    start = 0
    for part in sentences(text):
        start = text.index(part, start)
        placed.append((start, part))
        start += len(part)
    return placed


def _swap_words(text: str, word: str, other: str) -> str:
    pattern = re.compile(rf"\b(?:({re.escape(word)})|({re.escape(other)}))\b", re.IGNORECASE)
    return pattern.sub(lambda place: _cased_like(other if place[1] else word, place.group()), text)


def _replaced(text: str, place: re.Match[str], new: str) -> str:
    return text[: place.start()] + new + text[place.end() :]


def _cased_like(new: str, old: str) -> str:
    return new[0].upper() + new[1:] if old[0].isupper() else new[0].lower() + new[1:]
