"""Numbers, measures, clock times and dates in English texts: where they stand, what they say, which of two texts agree.

A judge must see that 180 °C is 356 °F and half past six is 18:30, and that 30 minutes are not 40. Pure functions.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*|[^\w\s]")

MOST_COMPARED = 200
"""Quantities that are compared one by one where no exact counterpart stands: bounds the work on hostile texts."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """One quantity of a text.

    Args:
        start: Where it begins in the text.
        end: Where it ends (exclusive).
        kind: What is measured: `time`, `length`, `temperature`, `clock`, `date`, ...; `number` for a bare one.
        value: In the kind's smallest unit (seconds, millimetres, grams, millilitres, °C, minutes of the day, ...).
        unit: How it is written; equal units are compared exactly, different ones as people round them.
        plain: The number as it stands there, without its unit.
        is_weak: A lone "a", "one" or "half": good for a match, no contradiction.
    """

    start: int
    end: int
    kind: str
    value: float
    unit: str
    plain: float
    is_weak: bool = False


def quantities(text: str) -> list[Quantity]:
    """The quantities of a text, in order, none overlapping another.

    >>> [(found.kind, found.value) for found in quantities("Bake it for half an hour at 180 °C, from 6 pm.")]
    [('time', 1800.0), ('temperature', 180.0), ('clock', 1080.0)]
    """
    return list(_Reader(text).read())


def agreeing(first: str, second: str) -> list[tuple[Quantity, Quantity]]:
    """Quantities of both texts that say the same, each used once.

    >>> [(one.plain, two.plain) for one, two in agreeing("5 km in 30 minutes", "3.1 miles in 45 minutes")]
    [(5.0, 3.1)]
    """
    return _matched(quantities(first), quantities(second))[0]


def written_alike(first: str, second: str) -> str:
    """The second text, with the quantities on which both agree written as in the first.

    What reads the two then need not know what a mile is; quantities that differ stay as they are.

    >>> written_alike("Bake it at 180 °C for 90 minutes.", "At 356 °F, an hour and a quarter.")
    'At 180 °C, an hour and a quarter.'
    """
    pieces: list[str] = []
    copied = 0
    for left, right in sorted(agreeing(first, second), key=lambda pair: pair[1].start):
        if left.kind == right.kind:  # a bare 180 would take the unit away
            pieces += [second[copied : right.start], first[left.start : left.end]]
            copied = right.end
    return "".join([*pieces, second[copied:]])


def number_conflict(first: str, second: str) -> float:
    """How strongly the quantities of two texts contradict each other, 0-1.

    Quantities of a kind that one text has and the other lacks are paired off; one without any counterpart is extra
    detail and does not count. 1 - 2**-pairs, so that one changed number among many is still seen.

    >>> number_conflict("It takes 30 minutes.", "It takes half an hour.")
    0.0
    >>> number_conflict("Born in 1564, died in 1642.", "Born in 1473, died in 1642.")
    0.5
    """
    _, rest, rest_too = _matched(*map(quantities, sorted((first, second))))  # one order for both: the same figure
    pairs = sum(min(number, _by_kind(rest_too).get(kind, 0)) for kind, number in _by_kind(rest).items())
    return float(1.0 - 0.5**pairs)


def _by_kind(stated: list[Quantity]) -> dict[str, int]:
    counts: defaultdict[str, int] = defaultdict(int)
    for quantity in stated:
        counts[quantity.kind] += not quantity.is_weak
    return counts


# Which quantities agree


def _matched(
    first: list[Quantity], second: list[Quantity]
) -> tuple[list[tuple[Quantity, Quantity]], list[Quantity], list[Quantity]]:
    """Pairs that agree, the surest first, and what is left of each text."""
    pairs: list[tuple[Quantity, Quantity]] = []
    for key in (_as_written, _as_meant):
        agreed, first, second = _paired_by(key, first, second)
        pairs += agreed
    open_to: defaultdict[str, list[Quantity]] = defaultdict(list)
    for quantity in second:
        open_to[quantity.kind].append(quantity)
    left: list[Quantity] = []
    for place, quantity in enumerate(first):
        if place >= MOST_COMPARED:
            left += first[place:]
            break
        kinds = list(open_to) if quantity.kind == "number" else [quantity.kind, "number"]
        near = [other for kind in kinds for other in open_to.get(kind, [])[:MOST_COMPARED] if _agree(quantity, other)]
        if near:
            pairs.append((quantity, near[0]))
            open_to[near[0].kind].remove(near[0])
        else:
            left.append(quantity)
    return pairs, left, [quantity for some in open_to.values() for quantity in some]


_Key = Callable[[Quantity], tuple[str, str, float]]


def _as_written(quantity: Quantity) -> tuple[str, str, float]:
    return quantity.kind, quantity.unit, quantity.value


def _as_meant(quantity: Quantity) -> tuple[str, str, float]:
    return quantity.kind, "", quantity.value


def _paired_by(
    key: _Key, first: list[Quantity], second: list[Quantity]
) -> tuple[list[tuple[Quantity, Quantity]], list[Quantity], list[Quantity]]:
    waiting: defaultdict[tuple[str, str, float], list[Quantity]] = defaultdict(list)
    for quantity in reversed(second):
        waiting[key(quantity)].append(quantity)
    pairs: list[tuple[Quantity, Quantity]] = []
    left: list[Quantity] = []
    for quantity in first:
        partners = waiting.get(key(quantity))
        if partners:
            pairs.append((quantity, partners.pop()))
        else:
            left.append(quantity)
    used = {id(partner) for _, partner in pairs}
    return pairs, left, [quantity for quantity in second if id(quantity) not in used]


def _agree(first: Quantity, second: Quantity) -> bool:
    if first.kind != second.kind:  # "at 180" may be short for "at 180 °C"
        return (
            "number" in (first.kind, second.kind)
            and first.plain == second.plain
            and not (first.is_weak or second.is_weak)
        )
    if first.kind == "clock":
        return _same_clock(first, second)
    if first.kind == "date":
        return bool(set(_readings(first)) & set(_readings(second)))
    if "'" in (first.unit, second.unit):  # '55 may be 1755
        return min(first.value, second.value) >= 1000 and first.value % 100 == second.value % 100
    if first.unit == second.unit:
        return abs(first.value - second.value) <= 1e-9 * abs(first.value)
    return abs(first.value - second.value) <= _slack(first, second)


_SLACK = {"length": 0.06, "weight": 0.06, "volume": 0.06, "speed": 0.06, "share": 0.04, "rate": 0.2}
_MONTH_S = 2_629_800.0


def _slack(first: Quantity, second: Quantity) -> float:
    """How far two figures in different units may lie apart, as people round them."""
    largest = max(abs(first.value), abs(second.value))
    if first.kind == "temperature":
        return max(0.6, 0.025 * largest)
    if first.kind == "time":  # months are not whole weeks; hours are whole minutes
        return (0.09 if ("month" in first.unit) != ("month" in second.unit) else 0.05) * largest
    return _SLACK.get(first.kind, 1e-9) * largest


_HALF_DAY = 720.0
_SMALL_HOURS = 360.0
"""One at night is 1 am, nine at night is 9 pm."""


def _same_clock(first: Quantity, second: Quantity) -> bool:
    """Equal, or equal on a dial where one does not say which half of the day it means."""
    if first.value == second.value:
        return True
    return "?" in (first.unit, second.unit) and first.value % _HALF_DAY == second.value % _HALF_DAY


def _readings(date: Quantity) -> tuple[float, ...]:
    """Month * 100 + day; 3/4 may be April or March."""
    month, day = divmod(int(date.value), 100)
    return (date.value, day * 100.0 + month) if date.unit == "?" and day <= 12 else (date.value,)


# Words


def _listed(text: str) -> list[str]:
    return text.split()


_SMALL: Mapping[str, int] = {
    word: value
    for value, word in enumerate(
        _listed(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen"
        )
    )
}
_TENS: Mapping[str, int] = {
    word: 10 * value
    for value, word in enumerate(_listed("twenty thirty forty fifty sixty seventy eighty ninety"), start=2)
}
_SCALES: Mapping[str, int] = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_GROUPS: Mapping[str, float] = {"dozen": 12.0, "couple": 2.0}
_FRACTIONS: Mapping[str, float] = {
    "half": 1 / 2, "halves": 1 / 2, "third": 1 / 3, "thirds": 1 / 3, "quarter": 1 / 4, "quarters": 1 / 4,
    "fifth": 1 / 5, "fifths": 1 / 5, "tenth": 1 / 10, "tenths": 1 / 10,
}  # fmt: skip
_VULGAR: Mapping[str, float] = {"½": 1 / 2, "¼": 1 / 4, "¾": 3 / 4, "⅓": 1 / 3, "⅔": 2 / 3, "⅛": 1 / 8}
_ORDINALS: Mapping[str, int] = {
    word: value
    for value, word in enumerate(
        _listed(
            "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
            "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
        ),
        start=1,
    )
} | {"thirtieth": 30}
_ORDINAL_ENDINGS = frozenset({"st", "nd", "rd", "th"})
_MONTHS: Mapping[str, int] = {
    name: number
    for number, names in enumerate(
        _listed(
            "january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sep/sept "
            "october/oct november/nov december/dec"
        ),
        start=1,
    )
    for name in names.split("/")
}
_WEEKDAYS: Mapping[str, int] = {
    form: number
    for number, name in enumerate(_listed("monday tuesday wednesday thursday friday saturday sunday"))
    for form in (name, f"{name}s")
}

_UNITS: dict[str, tuple[str, float]] = {
    # written form -> (kind, how many of the kind's smallest unit)
    **dict.fromkeys(("second", "seconds", "sec", "secs"), ("time", 1.0)),
    **dict.fromkeys(("minute", "minutes", "min", "mins"), ("time", 60.0)),
    **dict.fromkeys(("hour", "hours", "hr", "hrs"), ("time", 3600.0)),
    **dict.fromkeys(("day", "days"), ("time", 86400.0)),
    **dict.fromkeys(("week", "weeks"), ("time", 604800.0)),
    **dict.fromkeys(("fortnight", "fortnights"), ("time", 1209600.0)),
    **dict.fromkeys(("month", "months"), ("time", _MONTH_S)),
    **dict.fromkeys(("year", "years", "yr", "yrs"), ("time", 12 * _MONTH_S)),
    **dict.fromkeys(("decade", "decades"), ("time", 120 * _MONTH_S)),
    **dict.fromkeys(("millimetre", "millimetres", "millimeter", "millimeters", "mm"), ("length", 1.0)),
    **dict.fromkeys(("centimetre", "centimetres", "centimeter", "centimeters", "cm"), ("length", 10.0)),
    **dict.fromkeys(("metre", "metres", "meter", "meters"), ("length", 1000.0)),
    **dict.fromkeys(("kilometre", "kilometres", "kilometer", "kilometers", "km", "kms"), ("length", 1e6)),
    **dict.fromkeys(("inch", "inches"), ("length", 25.4)),
    **dict.fromkeys(("foot", "feet", "ft"), ("length", 304.8)),
    **dict.fromkeys(("yard", "yards", "yd", "yds"), ("length", 914.4)),
    **dict.fromkeys(("mile", "miles"), ("length", 1_609_344.0)),
    **dict.fromkeys(("milligram", "milligrams", "mg"), ("weight", 0.001)),
    **dict.fromkeys(("gram", "grams", "gramme", "grammes"), ("weight", 1.0)),
    **dict.fromkeys(("kilo", "kilos", "kilogram", "kilograms", "kg", "kgs"), ("weight", 1000.0)),
    **dict.fromkeys(("tonne", "tonnes"), ("weight", 1e6)),
    **dict.fromkeys(("ounce", "ounces", "oz"), ("weight", 28.3495)),
    **dict.fromkeys(("pound", "pounds", "lb", "lbs"), ("weight", 453.592)),
    **dict.fromkeys(("stone",), ("weight", 6350.29)),
    **dict.fromkeys(("millilitre", "millilitres", "milliliter", "milliliters", "ml"), ("volume", 1.0)),
    **dict.fromkeys(("centilitre", "centilitres", "centiliter", "centiliters", "cl"), ("volume", 10.0)),
    **dict.fromkeys(("decilitre", "decilitres", "deciliter", "deciliters", "dl"), ("volume", 100.0)),
    **dict.fromkeys(("litre", "litres", "liter", "liters"), ("volume", 1000.0)),
    **dict.fromkeys(("teaspoon", "teaspoons", "tsp"), ("volume", 5.0)),
    **dict.fromkeys(("tablespoon", "tablespoons", "tbsp"), ("volume", 15.0)),
    **dict.fromkeys(("cup", "cups"), ("volume", 240.0)),
    **dict.fromkeys(("pint", "pints"), ("volume", 568.0)),
    **dict.fromkeys(("quart", "quarts"), ("volume", 946.0)),
    **dict.fromkeys(("gallon", "gallons"), ("volume", 3785.0)),
    **dict.fromkeys(("mph",), ("speed", 1.609344)),
    **dict.fromkeys(("kph", "kmh"), ("speed", 1.0)),
    **dict.fromkeys(("knot", "knots"), ("speed", 1.852)),
    **dict.fromkeys(("percent", "percentage"), ("share", 0.01)),
}
_UNITS_AFTER_DIGITS: dict[str, tuple[str, float]] = {
    "g": ("weight", 1.0), "l": ("volume", 1000.0), "m": ("length", 1000.0), "h": ("time", 3600.0),
    "s": ("time", 1.0), "%": ("share", 0.01), '"': ("length", 25.4), "″": ("length", 25.4),
}  # fmt: skip
_PERIODS: Mapping[str, float] = {
    # what "daily" and "a day" say: times a day
    "hour": 24.0, "day": 1.0, "night": 1.0, "morning": 1.0, "evening": 1.0, "week": 1 / 7, "fortnight": 1 / 14,
    "month": 12 / 365.25, "year": 1 / 365.25,
}  # fmt: skip
_ADVERBS: Mapping[str, float] = {
    "hourly": 24.0, "daily": 1.0, "nightly": 1.0, "weekly": 1 / 7, "fortnightly": 1 / 14, "monthly": 12 / 365.25,
    "yearly": 1 / 365.25, "annually": 1 / 365.25,
}  # fmt: skip
_TIMES: Mapping[str, float] = {"once": 1.0, "twice": 2.0, "thrice": 3.0}
_BEFORE_A_CLOCK = frozenset(_listed("at by until till till before after around about from since past just nearly"))
_MORNING, _LATER = frozenset({"morning"}), frozenset({"afternoon", "evening", "night"})
_FIRST_WORDS = frozenset(_listed("a an half quarter every each noon midday midnight minus − - '")) | frozenset().union(
    _SMALL, _TENS, _VULGAR, _ORDINALS, _MONTHS, _WEEKDAYS, _ADVERBS, _TIMES
)
"""Where a quantity may begin, but for digits."""


@dataclass(frozen=True, slots=True)
class _Token:
    word: str
    """Lower-cased."""
    start: int
    end: int
    is_capital: bool


@dataclass(frozen=True, slots=True)
class _Number:
    value: float
    next: int
    """The token after it."""
    is_digits: bool = False
    is_weak: bool = False


@dataclass(frozen=True, slots=True)
class _PerhapsYear:
    """ "nineteen", where another numeral stands behind it."""

    century: float
    next: int
    rest: int
    """The token at which the other one begins."""


class _Reader:
    """Reads a text once from left to right; each `_..._at` looks at a place and says what stands there, or None."""

    def __init__(self, text: str) -> None:
        self._tokens = [
            _Token(match.group().lower().replace("’", "'"), match.start(), match.end(), match.group()[0].isupper())
            for match in _TOKEN.finditer(text)
        ]
        self._after_century: dict[int, _Number | None] = {}
        """What was read behind the first numeral of a year: in a row of them each is read once."""

    def read(self) -> Iterator[Quantity]:
        place = 0
        while place < len(self._tokens):
            stated = self._quantities_at(place) if self._may_begin(place) else ()
            yield from stated
            past = max((quantity.end for quantity in stated), default=0)
            place += 1
            while place < len(self._tokens) and self._tokens[place].start < past:
                place += 1

    def _quantities_at(self, place: int) -> tuple[Quantity, ...]:
        for kind in (self._date_at, self._rate_at, self._clock_at, self._era_at, self._measure_at):
            stated = kind(place)
            if stated:
                return stated
        return ()

    def _may_begin(self, place: int) -> bool:
        """Most words are none that a quantity begins with, and need no further look."""
        word = self._tokens[place].word
        return word in _FIRST_WORDS or word[0].isdecimal()

    def _word(self, place: int) -> str:
        return self._tokens[place].word if 0 <= place < len(self._tokens) else ""

    def _words(self, place: int, count: int) -> tuple[str, ...]:
        return tuple(self._word(place + step) for step in range(count))

    def _touch(self, place: int) -> bool:
        """Whether the token stands right behind the one before it."""
        return 0 < place < len(self._tokens) and self._tokens[place].start == self._tokens[place - 1].end

    def _made(
        self, place: int, after: int, kind: str, value: float, unit: str, plain: float, *, is_weak: bool = False
    ) -> Quantity:
        start, end = self._tokens[place].start, self._tokens[after - 1].end
        return Quantity(start, end, kind, round(value, 6), unit, plain, is_weak)

    # Numbers

    def _number_at(self, place: int) -> _Number | None:
        word = self._word(place)
        if word[:1].isdecimal():
            return self._digits_at(place)
        if word in _VULGAR:
            return _Number(_VULGAR[word], place + 1, is_digits=True)
        if word in ("a", "an"):
            return self._article_at(place)
        if word == "half" and self._word(place + 1) in ("a", "an"):
            group = self._word(place + 2)
            return _Number(_GROUPS[group] / 2, place + 3) if group in _GROUPS else _Number(0.5, place + 2, is_weak=True)
        if word in ("half", "quarter"):
            return _Number(_FRACTIONS[word], self._past_of(place + 1), is_weak=True)
        return self._spelled_at(place)

    def _digits_at(self, place: int) -> _Number:
        value, after = _digits(self._word(place)), place + 1
        if self._word(after) in _VULGAR:
            value, after = value + _VULGAR[self._word(after)], after + 1
        elif self._word(after) == "/" and self._touch(after) and self._word(after + 1) in ("2", "3", "4", "8"):
            value, after = value / float(self._word(after + 1)), after + 2
        elif self._word(after).isdecimal() and self._word(after + 1) == "/" and self._word(after + 2) in ("2", "4"):
            value, after = value + float(self._word(after)) / float(self._word(after + 2)), after + 3
        elif self._word(after) in _SCALES:
            value, after = value * _SCALES[self._word(after)], after + 1
        return self._and_a_half(_Number(value, after, is_digits=True))

    def _article_at(self, place: int) -> _Number:
        following = self._word(place + 1)
        if following in _GROUPS:
            return _Number(_GROUPS[following], self._past_of(place + 2))
        if following in _FRACTIONS:
            return _Number(_FRACTIONS[following], self._past_of(place + 2), is_weak=True)
        if following in _SCALES:
            spelled = self._spelled_at(place + 1, current=1.0)
            if spelled:
                return spelled
        return _Number(1.0, place + 1, is_weak=True)

    def _spelled_at(self, place: int, current: float = 0.0) -> _Number | None:
        """Number words: "two hundred and fifty", "nineteen sixty-six" (a year), "three quarters", "two dozen"."""
        open_years: list[_PerhapsYear] = []
        number = self._numeral_at(place, current)
        while isinstance(number, _PerhapsYear):
            open_years.append(number)
            rest = number.rest
            number = self._after_century[rest] if rest in self._after_century else self._numeral_at(rest)
        for perhaps in reversed(open_years):
            self._after_century[perhaps.rest] = number
            number = _year_or_two_numbers(perhaps, number)
        return number

    def _numeral_at(self, place: int, current: float = 0.0) -> _Number | _PerhapsYear | None:
        """As `_spelled_at`, but that of two numerals which may make a year the second is not read yet."""
        total, after, last = 0.0, place, 0.0
        while True:
            here = after + 1 if after > place and self._word(after) == "-" and self._is_numeral(after + 1) else after
            if after > place and self._word(after) == "and" and last >= 100 and self._is_small(after + 1):
                here = after + 1
            word = self._word(here)
            if word in _SCALES and (current or after > place):
                current, last = current * _SCALES[word], float(_SCALES[word])
                if last >= 1000:
                    total, current = total + current, 0.0
            elif word in _TENS or word in _SMALL:
                value = float(_TENS.get(word, _SMALL.get(word, 0)))
                if after > place and not (last >= 100 or (20 <= last < 100 and value < 10)):
                    return _PerhapsYear(current, after, here) if 10 <= current <= 20 else _Number(current, after)
                current, last = current + value, value
            else:
                break
            after = here + 1
        if after == place:
            return None
        value = total + current
        if self._word(after) == "dozen":
            return _Number(12 * value, after + 1)
        part = after + 1 if self._word(after) == "-" else after
        if self._word(part) in _FRACTIONS and value < 10:
            return _Number(value * _FRACTIONS[self._word(part)], self._past_of(part + 1))
        return self._and_a_half(_Number(value, after, is_weak=after == place + 1 and self._word(place) == "one"))

    def _is_small(self, place: int) -> bool:
        return self._word(place) in _SMALL or self._word(place) in _TENS

    def _is_numeral(self, place: int) -> bool:
        return self._is_small(place) or self._word(place) in _SCALES

    def _and_a_half(self, number: _Number) -> _Number:
        fraction = self._word(number.next + 2) if self._words(number.next, 2) == ("and", "a") else ""
        extra = _FRACTIONS[fraction] if fraction in ("half", "quarter") else 0.0
        return _Number(number.value + extra, number.next + 3, number.is_digits) if extra else number

    def _past_of(self, place: int) -> int:
        """The place of the unit after a fraction: "half an hour", "a quarter of an hour", "a couple of days"."""
        while self._word(place) in ("of", "a", "an"):
            place += 1
        return place

    # Measures

    def _measure_at(self, place: int) -> tuple[Quantity, ...]:
        has_minus = self._word(place) in ("minus", "−") or (self._word(place) == "-" and not self._touch(place))
        number = self._number_at(place + has_minus)
        if number is None:
            return ()
        temperature = self._temperature(place, number, -1.0 if has_minus else 1.0)
        if temperature:
            return (temperature,)
        if has_minus:
            return ()
        unit = self._unit_at(number.next, number.is_digits)
        if unit is None:
            return self._range(place, number) or self._bare(place, number)
        kind, factor, after = unit
        value = number.value * factor
        extra = self._and_a_half(_Number(0.0, after))
        if extra.value:
            value, after = value + extra.value * factor, extra.next
        value, after = self._smaller_units(kind, factor, value, after)
        if kind == "length" and (speed := self._speed_after(after)):
            return (self._made(place, speed, "speed", value / 1e6, f"length/{factor}", number.value),)
        weak = number.is_weak and kind != "time"  # "like a stone"
        return (self._made(place, after, kind, value, _unit_name(kind, factor), number.value, is_weak=weak),)

    def _range(self, place: int, low: _Number) -> tuple[Quantity, ...]:
        """The 16 of "16 to 20 °C": a number that shares the unit of the one after it."""
        if low.is_weak or self._word(low.next) not in ("and", "to", "or", "-", "–"):
            return ()
        high = self._number_at(low.next + 1)
        if high is None or high.value < low.value:
            return ()
        temperature = self._temperature(low.next + 1, high, 1.0)
        if temperature and temperature.kind == "temperature":
            value = (low.value - 32) / 1.8 if temperature.unit == "f" else low.value
            return (self._made(place, low.next, "temperature", value, temperature.unit, low.value),)
        unit = self._unit_at(high.next, high.is_digits)
        if unit is None:
            return ()
        kind, factor, _ = unit
        return (self._made(place, low.next, kind, low.value * factor, _unit_name(kind, factor), low.value),)

    def _bare(self, place: int, number: _Number) -> tuple[Quantity, ...]:
        """A number without a unit; fractions of something are shares; a lone "a" is nothing at all."""
        word = self._word(place)
        if word in ("a", "an") and number.next == place + 1:
            return ()
        after = number.next
        while after > place + 1 and self._word(after - 1) in ("of", "a", "an"):
            after -= 1
        is_share = 0 < number.value < 1
        if self._word(after - 1) == "quarter" and self._word(after) in ("past", "to"):
            return ()
        ordinal = after < len(self._tokens) and self._word(after) in _ORDINAL_ENDINGS and self._touch(after)
        if ordinal:
            return (self._made(place, after + 1, "ordinal", number.value, "", number.value),)
        kind = "share" if is_share else "number"
        weak = number.is_weak or is_share
        return (self._made(place, after, kind, number.value, "part" if is_share else "", number.value, is_weak=weak),)

    def _unit_at(self, place: int, is_after_digits: bool) -> tuple[str, float, int] | None:
        """Kind, factor and the token after the unit: "km", "-km", "square" is none; "per cent", "km/h"."""
        if self._word(place) == "-":
            place += 1
        if self._words(place, 2) == ("per", "cent"):
            return "share", 0.01, place + 2
        if self._words(place, 3) in (("km", "/", "h"), ("kms", "/", "h")):
            return "speed", 1.0, place + 3
        if self._words(place, 3) == ("m", "/", "s"):
            return "speed", 3.6, place + 3
        if self._words(place, 2) == ("fluid", "ounces") or self._words(place, 2) == ("fl", "oz"):
            return "volume", 29.57, place + 2
        word = self._word(place)
        unit = _UNITS.get(word) or (_UNITS_AFTER_DIGITS.get(word) if is_after_digits else None)
        is_ordinal = word == "second" and self._word(place - 1) == "a" and self._word(place - 2) not in ("half", "of")
        return None if unit is None or is_ordinal else (*unit, place + 1)

    def _smaller_units(self, kind: str, factor: float, value: float, after: int) -> tuple[float, int]:
        """ "2 hours 30 minutes", "two hours and ten minutes", "6 feet 2"."""
        here = after + 1 if self._word(after) in ("and", ",") else after
        number = self._number_at(here) if self._word(here) not in ("a", "an", "half") else None
        if number is None:
            return value, after
        unit = self._unit_at(number.next, number.is_digits)
        if unit and unit[0] == kind and unit[1] < factor and number.value * unit[1] < factor:
            return value + number.value * unit[1], unit[2]
        is_height = factor == _UNITS["foot"][1] and here == after and number.value < 12
        return (value + number.value * 25.4, number.next) if is_height and unit is None else (value, after)

    def _speed_after(self, place: int) -> int | None:
        """The token after "per hour" or "an hour"."""
        return place + 2 if self._words(place, 2) in (("per", "hour"), ("an", "hour")) else None

    def _temperature(self, place: int, number: _Number, sign: float) -> Quantity | None:
        after = number.next
        has_sign = self._word(after) in ("°", "º", "degrees", "degree")
        after += has_sign
        word = self._word(after)
        is_short = word in ("c", "f") and (has_sign or (number.is_digits and self._touch(after)))
        value = sign * number.value
        if is_short or word in ("celsius", "centigrade", "fahrenheit"):
            in_celsius = (value - 32) / 1.8 if word[0] == "f" else value
            return self._made(place, after + 1, "temperature", in_celsius, word[0], value)
        return self._made(place, after, "number", value, "", value) if has_sign else None

    # Times of day

    def _clock_at(self, place: int) -> tuple[Quantity, ...]:
        word = self._word(place)
        if word in ("noon", "midday"):
            return (self._made(place, place + 1, "clock", 720.0, word, 12.0),)
        if word == "midnight":
            return (self._made(place, place + 1, "clock", 0.0, word, 0.0),)
        for read in (self._past_the_hour, self._hour_and_minutes, self._hour):
            reading = read(place)
            if reading:
                minutes, after, is_sure = reading
                return (self._clock(place, after, minutes, is_sure),)
        return ()

    def _clock(self, place: int, after: int, minutes: float, is_sure: bool) -> Quantity:
        half, after = self._half_of_day(after)
        if half:
            is_late = half == "pm" or (half == "night" and minutes % _HALF_DAY >= _SMALL_HOURS)
            minutes = minutes % _HALF_DAY + (_HALF_DAY if is_late else 0.0)
        known = bool(half) or is_sure or minutes >= _HALF_DAY + 60
        return self._made(place, after, "clock", minutes, "" if known else "?", minutes)

    def _half_of_day(self, place: int) -> tuple[str, int]:
        """ "am", "pm" or "night" where it is said, and the token after it."""
        word = self._word(place)
        if word in ("am", "pm"):
            return word, place + 1
        if word in ("a", "p") and self._words(place + 1, 2) == (".", "m"):
            return f"{word}m", place + 3 + (self._word(place + 3) == "." and self._touch(place + 3))
        if self._words(place, 2) == ("in", "the") and self._word(place + 2) in _MORNING | _LATER:
            return ("am" if self._word(place + 2) in _MORNING else "pm"), place + 3
        return ("night", place + 2) if self._words(place, 2) == ("at", "night") else ("", place)

    def _hour(self, place: int) -> tuple[float, int, bool] | None:
        """ "7 pm", "seven o'clock", "seven in the morning" """
        number = self._number_at(place)
        if number is None or (number.is_weak and self._word(place) != "one") or not 0 <= number.value <= 24:
            return None
        if number.value % 1:
            return self._with_point(place, number)
        if self._word(number.next) == "o'clock":
            return 60.0 * number.value, number.next + 1, False
        half, _ = self._half_of_day(number.next)
        return (60.0 * number.value, number.next, False) if half and number.value <= 12 else None

    def _with_point(self, place: int, number: _Number) -> tuple[float, int, bool] | None:
        """ "7.30 pm" """
        hour, _, minutes = self._word(place).partition(".")
        half, _ = self._half_of_day(number.next)
        if half and _is_short_number(hour) and len(minutes) == 2 and _is_short_number(minutes) and int(minutes) < 60:
            return 60.0 * int(hour) + int(minutes), number.next, False
        return None

    def _hour_and_minutes(self, place: int) -> tuple[float, int, bool] | None:
        """ "18:45", "7:30" """
        hour, colon, minutes = self._words(place, 3)
        is_clock = _is_short_number(hour) and colon == ":" and _is_short_number(minutes) and len(minutes) == 2
        if not is_clock or not self._touch(place + 1) or int(hour) > 24 or int(minutes) > 59:
            return None
        return 60.0 * int(hour) + int(minutes), place + 3, len(hour) == 2 and hour[0] == "0"

    def _past_the_hour(self, place: int) -> tuple[float, int, bool] | None:
        """ "half past six", "a quarter to nine", "ten past seven"; "to" only where a time is expected."""
        word = self._word(place)
        if word in ("a", "quarter", "half"):
            here = place + (word == "a")
            minutes, after = {"quarter": 15.0, "half": 30.0}.get(self._word(here), 0.0), here + 1
        else:
            number = self._number_at(place)
            if number is None or number.value not in (5.0, 10.0, 20.0, 25.0):
                return None
            minutes, after = number.value, number.next + (self._word(number.next) == "minutes")
        direction = self._word(after)
        is_expected = self._word(place - 1) in _BEFORE_A_CLOCK or "quarter" in self._words(place, 2)
        hour = self._number_at(after + 1) if direction in ("past", "to") else None
        if not minutes or hour is None or not 1 <= hour.value <= 12 or hour.value % 1:
            return None
        if direction == "to" and not is_expected:
            return None
        after = hour.next + (self._word(hour.next) == "o'clock")
        return (60.0 * hour.value + (minutes if direction == "past" else -minutes)) % 1440, after, False

    # Dates

    def _date_at(self, place: int) -> tuple[Quantity, ...]:
        for read in (self._numeric_date, self._day_month, self._month_day, self._day_of_week):
            stated = read(place)
            if stated:
                return stated
        return ()

    def _numeric_date(self, place: int) -> tuple[Quantity, ...]:
        """ "3/4/1999", "1999-04-03", "03.04.1999" (one token)."""
        parts = self._word(place).split(".")
        if len(parts) == 3 and all(map(_is_short_number, parts)):
            return self._day_month_year(place, place + 1, [int(part) for part in parts])
        first, mark, second, mark_too, third = self._words(place, 5)
        if mark in ("/", "-") and mark == mark_too and all(map(_is_short_number, (first, second, third))):
            return self._day_month_year(place, place + 5, [int(first), int(second), int(third)])
        return ()

    def _day_month_year(self, place: int, after: int, parts: list[int]) -> tuple[Quantity, ...]:
        is_iso = parts[0] > 31
        year, month, day = (parts[0], parts[1], parts[2]) if is_iso else (parts[2], parts[1], parts[0])
        if month > 12:
            month, day = day, month
        if not (1 <= month <= 12 and 1 <= day <= 31):
            return ()
        value = 100.0 * month + day
        full = year if year > 99 else (2000 if year < 50 else 1900) + year
        return (self._made(place, after, "date", value, "" if is_iso or max(month, day) > 12 else "?", float(full)),)

    def _day_month(self, place: int) -> tuple[Quantity, ...]:
        """ "3 March", "the third of March", "3rd of March" """
        day, after = self._day(place)
        after += self._word(after) == "day"
        after += self._word(after) == "of"
        if not day or not self._is_month(after):
            return ()
        return (self._made(place, after + 1, "date", 100.0 * _MONTHS[self._word(after)] + day, "", float(day)),)

    def _month_day(self, place: int) -> tuple[Quantity, ...]:
        """ "March 3rd", "March the third", or a month alone."""
        if not self._is_month(place):
            return ()
        month = _MONTHS[self._word(place)]
        here = place + 1 + (self._word(place + 1) == ".")
        day, after = self._day(here + (self._word(here) == "the"))
        if day:
            return (self._made(place, after, "date", 100.0 * month + day, "", float(day)),)
        return (self._made(place, place + 1, "month", float(month), "", float(month)),)

    def _is_month(self, place: int) -> bool:
        return self._word(place) in _MONTHS and self._tokens[place].is_capital and self._word(place) != "mar"

    def _day(self, place: int) -> tuple[int, int]:
        """The day of a month and the token after it; 0 where none stands."""
        word = self._word(place)
        if word.isdecimal() and len(word) <= 2 and 1 <= int(word) <= 31:
            has_ending = self._word(place + 1) in _ORDINAL_ENDINGS and self._touch(place + 1)
            return int(word), place + 1 + has_ending
        if word in _ORDINALS:
            return _ORDINALS[word], place + 1
        if word in ("twenty", "thirty") and self._word(place + 1) == "-" and self._word(place + 2) in _ORDINALS:
            return _TENS[word] + _ORDINALS[self._word(place + 2)], place + 3
        if word in _SMALL or word in ("twenty", "thirty"):
            number = self._spelled_at(place)
            if number and 1 <= number.value <= 31:
                return int(number.value), number.next
        return 0, place

    def _day_of_week(self, place: int) -> tuple[Quantity, ...]:
        day = _WEEKDAYS.get(self._word(place))
        return (self._made(place, place + 1, "weekday", float(day), "", float(day)),) if day is not None else ()

    def _era_at(self, place: int) -> tuple[Quantity, ...]:
        """Decades ("the 1920s", "the nineteen-twenties"), centuries, and years cut short ("'99")."""
        word = self._word(place)
        if word == "'" and re.fullmatch(r"\d\d", self._word(place + 1)) and self._touch(place + 1):
            year = int(self._word(place + 1))
            if self._word(place + 2) == "s" and self._touch(place + 2):
                return (self._made(place, place + 3, "decade", float(year), "?", float(year)),)
            full = (2000 if year < 30 else 1900) + year
            return (self._made(place, place + 2, "number", float(full), "'", float(full)),)
        if re.fullmatch(r"\d{4}|\d0", word) and self._word(place + 1) == "s" and self._touch(place + 1):
            return (self._decade(place, place + 2, int(word)),)
        ordinal, after = self._day(place)
        after += self._word(after) == "-"
        if ordinal and self._word(after) in ("century", "centuries"):
            return (self._made(place, after + 1, "century", float(ordinal), "", float(ordinal)),)
        return ()

    def _decade(self, place: int, after: int, year: int) -> Quantity:
        """1800s is a century, 1920s and 20s are decades (of this or the last century, so only the tens count)."""
        if year >= 1000 and year % 100 == 0:
            return self._made(place, after, "century", year / 100 + 1, "", float(year))
        return self._made(place, after, "decade", float(year % 100), "", float(year % 100))

    # How often

    def _rate_at(self, place: int) -> tuple[Quantity, ...]:
        word = self._word(place)
        if word in _ADVERBS:
            return (self._made(place, place + 1, "rate", _ADVERBS[word], word, 1.0),)
        if word in ("every", "each"):
            return self._every(place)
        if word in _TIMES:
            times, after = _TIMES[word], place + 1
        else:
            number = self._number_at(place)
            if number is None or self._word(number.next) != "times":
                return ()
            times, after = number.value, number.next + 1
        period = (
            _PERIODS.get(self._word(after + 1)) if self._word(after) in ("a", "an", "per", "each", "every") else None
        )
        if period is None:
            return (self._made(place, after, "times", times, "", times),) if word not in _TIMES or times > 1 else ()
        return (self._made(place, after + 2, "rate", times * period, "per", times),)

    def _every(self, place: int) -> tuple[Quantity, ...]:
        """ "every day", "every other week", "every three hours", "every third day" """
        here, step = place + 1, 1.0
        if self._word(here) in ("other", "second"):
            here, step = here + 1, 2.0
        elif self._word(here) in _ORDINALS and self._word(here) != "first":
            here, step = here + 1, float(_ORDINALS[self._word(here)])
        elif (number := self._number_at(here)) and not number.is_weak and number.value > 0:
            here, step = number.next, number.value
        period = _PERIODS.get(self._word(here).removesuffix("s"))
        if period is None:
            return ()
        return (self._made(place, here + 1, "rate", period / step, "every", step),)


def _digits(word: str) -> float:
    """Commas before three digits group thousands, other commas are decimal; several points are a version or date."""
    plain = re.sub(r",(?=\d{3}(?:\D|$))", "", word).replace(",", ".")
    return float(plain) if plain.count(".") <= 1 else float(plain.replace(".", ""))


def _year_or_two_numbers(perhaps: _PerhapsYear, rest: _Number | None) -> _Number:
    """ "nineteen sixty-six"; two numerals that make no year are two numbers, of which this is the first."""
    if rest is None or not 1 <= rest.value <= 99:
        return _Number(perhaps.century, perhaps.next)
    return _Number(100 * perhaps.century + rest.value, rest.next, is_digits=True)


def _unit_name(kind: str, factor: float) -> str:
    return "months" if kind == "time" and factor >= _MONTH_S else f"{kind} {factor}"


def _is_short_number(word: str) -> bool:
    return word.isdecimal() and len(word) <= 4
