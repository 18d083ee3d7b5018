"""What two answers say word for word alike: found sentence by sentence, so that a judge can leave it out.

The same paragraph added to two answers says nothing about whether they agree, and neither does the order in which their
sentences stand or the Markdown around them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.text.content_checks import all_sentences

_MARKER = re.compile(
    r"^[ \t]*(?:>[ \t]*|#{1,6}[ \t]+|[-*+•·–][ \t]+|\(?\d{1,2}[.)][ \t]+|\[[ xX]?\][ \t]+)", re.MULTILINE
)
"""What begins a quoted line, a heading, an item of a list."""
_BARE_MARKER = re.compile(r"^[ \t]*(?:#{1,6}[ \t]*)?\(?\d{1,2}[.)][ \t]*$|^[ \t]*(?:[-*_=][ \t]*){3,}$", re.MULTILINE)
"""A line that is a number or a rule and nothing else."""
_EMPHASIS = re.compile(r"\*\*|__|`+|(?<![\w*])\*(?=[^\s*])|(?<=[^\s*])\*(?![\w*])")
_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+(?:[.,:/]\d+)*|[%°€$£<>=?]|[-−+](?=\d)")
_END = re.compile(r"[.!?…:;,][\"')\]’”]*$")
_ARTICLE = re.compile(r"\b(?:the|an?(?! few\b| little\b)|any(?= \w+[^\W\ds]s\b)|please) ")
"""What a sentence may have or lack and say the same; not the article that makes "few" some."""


def _listed(text: str) -> list[str]:
    return text.split()


_CONTRACTED = {
    "can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not", "it's": "it is",
    "that's": "that is", "there's": "there is", "here's": "here is", "what's": "what is", "let's": "let us",
}  # fmt: skip
_CONTRACTED_ENDS = (("n't", " not"), ("'re", " are"), ("'ll", " will"), ("'ve", " have"), ("'m", " am"))
_WOULD = re.compile(
    r"'d (?=(?:(?:also|really|certainly|always|never|not) )?"
    r"(?:like|love|prefer|rather|be|suggest|recommend|advise|appreciate|want|say|go|have to)\b)"
)
"""Before these "'d" is "would"; elsewhere it may be "had"."""
_SPELLINGS = (
    # pairs of spellings fold into one; a word that folds into another one of another meaning must not stand here
    (re.compile(r"(?<=[a-z]{3})is(?=(?:e[drs]?|ers|ing|ations?)$)"), "iz"),
    (re.compile(r"(?<=[a-z]{3})ys(?=(?:e[drs]?|ing)$)"), "yz"),
    (re.compile(r"(?<=[a-z]{2})our(?=(?:s|ed|ing|able|ably|ful|ite|ites|hood|hoods|ly|less)?$)"), "or"),
    (re.compile(r"^(cent|fib|(?:milli|centi|deci)?lit|theat|calib|lust|somb|spect|(?:\w{3,})?met)re(?=s?$)"), r"\1er"),
    (re.compile(r"(?<=[aeiou])ll(?=(?:ed|ing|er|ers|ous)$)"), "l"),
    (re.compile(r"(?<=[a-z]{3}log)ue(?=s?$)"), ""),
    (re.compile(r"(?<=gram)me(?=s?$)"), ""),
    (re.compile(r"(?<=ag)e(?=ing$)|(?<=judg)e(?=ment)|(?<=acknowledg)e(?=ment)"), ""),
)
_SPELLED = dict(
    pair.split("/")
    for pair in _listed(
        "grey/gray greys/grays tyre/tire tyres/tires cheque/check cheques/checks aluminium/aluminum mould/mold "
        "moulds/molds mouldy/moldy plough/plow sceptical/skeptical licence/license practise/practice "
        "practises/practices practised/practiced practising/practicing defence/defense offence/offense "
        "enrol/enroll fulfil/fulfill jewellery/jewelry storey/story storeys/stories kerb/curb pyjamas/pajamas "
        "maths/math mum/mom doughnut/donut yoghurt/yogurt tonne/ton tonnes/tons whisky/whiskey towards/toward "
        "learnt/learned burnt/burned spelt/spelled programme/program programmes/programs cosy/cozy "
        "paediatric/pediatric oestrogen/estrogen anaemia/anemia diarrhoea/diarrhea skilful/skillful "
        "instalment/installment"
    )
)


@dataclass(frozen=True, slots=True)
class Unshared:
    """Two answers without what both say.

    Args:
        first: Sentences of the first answer that the second does not repeat, in their order.
        second: The same of the second answer.
        shared: Sentences that stand in both, as the first writes them, in its order.
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    shared: tuple[str, ...]


def unshared(first: str, second: str) -> Unshared:
    """What each answer says that the other does not say in the same words, and what they share.

    Sentences are the same if they differ in nothing but case, punctuation, contractions, articles, spelling of one
    English or the other, and Markdown. How often an answer says one does not matter.

    Args:
        first: An answer.
        second: Another one.

    >>> unshared("- Eat **well**.\\n- Don't run.", "Do not run! Sleep long.")
    Unshared(first=('Eat well.',), second=('Sleep long.',), shared=("Don't run.",))
    """
    first_parts, second_parts = _keyed(first), _keyed(second)
    common = first_parts.keys() & second_parts.keys()
    return Unshared(
        first=tuple(part for key, part in first_parts.items() if key not in common),
        second=tuple(part for key, part in second_parts.items() if key not in common),
        shared=tuple(part for key, part in first_parts.items() if key in common),
    )


def plain_sentences(text: str) -> list[str]:
    """The sentences of a text without Markdown; what has only marks is left out.

    >>> plain_sentences("## Rice\\n1. Rinse it.\\n2. **Boil** it.")
    ['Rice', 'Rinse it.', 'Boil it.']
    """
    bare = _EMPHASIS.sub("", _MARKER.sub("", _MARKER.sub("", _BARE_MARKER.sub("", text))))
    return [part for part in all_sentences(bare) if folded(part)]


def folded(sentence: str) -> str:
    """A sentence as it is compared: lower-cased words, figures and signs, without punctuation and in one spelling.

    >>> folded("We've organised 2.5 litres of coloured paint!")
    'we have organized 2.5 liters of colored paint'
    >>> folded("I'd like to say that he'd left.")
    "i would like to say that he'd left"
    """
    plain = sentence.casefold().replace("’", "'").replace("per cent", "percent")
    plain = _WOULD.sub(" would ", plain)
    return " ".join(_folded_word(token) for token in _TOKEN.findall(plain))


def joined(parts: Sequence[str]) -> str:
    """Sentences as one text; an item of a list gets the full stop that its line gave it."""
    return " ".join(part if _END.search(part) else f"{part}." for part in parts)


def _keyed(text: str) -> dict[str, str]:
    """Each distinct sentence by what it is compared by, in order, as it is written first."""
    keyed: dict[str, str] = {}
    for part in plain_sentences(text):
        keyed.setdefault(_ARTICLE.sub("", folded(part)), part)
    return keyed


def _folded_word(word: str) -> str:
    if word in _CONTRACTED:
        return _CONTRACTED[word]
    for end, full in _CONTRACTED_ENDS:
        if word.endswith(end):
            return _folded_word(word.removesuffix(end)) + full
    word = _SPELLED.get(word, word)
    for pattern, spelling in _SPELLINGS:
        word = pattern.sub(spelling, word)
    return word
