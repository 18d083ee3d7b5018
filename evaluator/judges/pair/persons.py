"""Answers that say the same of two people: "take off your rings" to one who asks, "he should take off his rings".

A set that asks a question for oneself, for a friend and for anybody gets such answers from a system that is consistent.
Word by word they differ in who is meant and in nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence


def _of(spelled: str) -> dict[str, str]:
    """Word -> the person it means, of lines like "he: he him"."""
    parts = (line.split(":") for line in spelled.strip().splitlines())
    return {word: person.strip() for person, words in parts for word in words.split()}


_MEANT = _of("""
    you: you your yours yourself
    he: he him his himself
    she: she her hers herself
""")
_ASKS_FOR = {word: person for word, person in _MEANT.items() if person != "you"} | _of("""
    I: i me my mine myself we us our ours ourselves
""")
"""Of a prompt; "you" is whoever answers it."""
_SUBJECTS = frozenset({"you", "he", "she"})
_OF_A_THIRD = frozenset({"he", "she"})
_REFLEXIVE = frozenset({"yourself", "himself", "herself"})
_FIRST_OR_SECOND = {"is": "are", "has": "have", "does": "do", "was": "were", "goes": "go"}
_LONG_ENDING = re.compile(r"(?:ch|sh|ss|x|z)es$")
_NO_ENDING = re.compile(r"(?:ss|us|is)$")
MOST_MEANT = 1
"""People whom an answer may mean for its words to be compared without them: of two, nobody knows who does what."""


def ask_for_several_people(prompts: Iterable[str]) -> bool:
    """Whether prompts ask for different people: one for oneself, say, and one for a neighbour.

    >>> ask_for_several_people(["How should I start?", "How should she start?"])
    True
    >>> ask_for_several_people(["How should I start?", "Could you tell me how to start?"])
    False
    """
    return len({frozenset(_people(prompt, _ASKS_FOR)) for prompt in prompts}) > 1


def differ_in_person(first: str, second: str) -> bool:
    """Whether each of two answers means one person at most, and not the same one.

    >>> differ_in_person("Take off your ring.", "He should take off his ring.")
    True
    >>> differ_in_person("You should call him.", "He should call you.")  # who calls whom must not get lost
    False
    """
    first_people, second_people = _people(first, _MEANT), _people(second, _MEANT)
    return max(len(first_people), len(second_people)) <= MOST_MEANT and first_people != second_people


def without_person(words: Sequence[str]) -> list[str]:
    """The lower-cased words of a sentence without those that say whom it is about.

    >>> without_person("he should stop when he feels tired".split()), without_person("stop when you feel tired".split())
    (['stop', 'when', 'feel', 'tired'], ['stop', 'when', 'feel', 'tired'])
    """
    kept: list[str] = []
    before = ""
    for word in words:
        if word in _REFLEXIVE:
            kept.append("self")
        elif word not in _MEANT and not (word == "should" and before in _SUBJECTS):
            kept.append(_uninflected(word) if before in _OF_A_THIRD else word)
        before = word
    return kept


def _people(text: str, meant: dict[str, str]) -> set[str]:
    return {meant[word] for word in re.findall(r"[a-z]+", text.casefold()) if word in meant}


def _uninflected(verb: str) -> str:
    """What stands after "you" for what stands after "he"."""
    if verb in _FIRST_OR_SECOND:
        return _FIRST_OR_SECOND[verb]
    if verb.endswith("ies"):
        return f"{verb[:-3]}y"
    if _LONG_ENDING.search(verb):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not _NO_ENDING.search(verb) else verb
