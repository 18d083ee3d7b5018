"""A whole 2026 run of our own wording: five languages, every id of the official shape, 21,205 answers.

Question and variant are spelled out in mixed radix (what, on which occasion, when; where, with whom, in which season),
so that no two prompts of a language are the same. An answer takes up what was asked and adds one of five pieces of
advice: language number n of `LANGUAGES` gives advice number n x question (mod 5) where the culture is open, and
n x question + variant where it is named. Two languages therefore give the same advice to the questions that 5 divides,
and to no others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from submissions.promptsets.cultural import CULTURAL_KINDS, CulturalKind, cultural_places
from tests.unit.submissions.formats.eloquent.cultural_files import METADATA, lines, metadata, zipped

Radix = tuple[Sequence[str], Sequence[str], Sequence[str]]
"""Words of three digits; the product of their numbers is the range: 6 x 6 x 3 = 108."""


@dataclass(frozen=True, slots=True)
class Words:
    """What is said in one language."""

    asks: str
    answers: str
    topics: Radix
    """Of base questions."""
    settings: Radix
    """Of variants."""
    advice: Sequence[str]


WORDS = {
    "en": Words(
        "Should I bring {0} to {1} {2}?",
        "I would gladly bring {0} to {1} {2}",
        (
            ("fresh bread", "yellow flowers", "a good book", "dark chocolate", "old photographs", "warm soup"),
            ("the wedding", "a funeral", "our birthday party", "the school meeting", "a long journey", "the interview"),
            ("early in the morning", "around noon", "late at night"),
        ),
        (
            ("in Austria", "in Belgium", "in Poland", "in Italy", "in Norway", "in Portugal"),
            (
                "with my sister",
                "with my grandfather",
                "with the neighbours",
                "with my teacher",
                "alone",
                "with a child",
            ),
            ("when winter begins", "during the summer", "this spring"),
        ),
        (
            "It is best to ask the hosts beforehand.",
            "People will thank you with a smile.",
            "Nobody expects anything expensive there.",
            "Keep it simple and arrive on time.",
            "You could also write a short letter.",
        ),
    ),
    "sv": Words(
        "Ska jag ta med {0} till {1} {2}?",
        "Jag skulle gärna ta med {0} till {1} {2}",
        (
            ("färskt bröd", "gula blommor", "en bra bok", "mörk choklad", "gamla fotografier", "varm soppa"),
            ("bröllopet", "en begravning", "vår födelsedagsfest", "skolans möte", "en lång resa", "intervjun"),
            ("tidigt på morgonen", "vid middagstid", "sent på kvällen"),
        ),
        (
            ("i Österrike", "i Belgien", "i Polen", "i Italien", "i Norge", "i Portugal"),
            ("med min syster", "med min farfar", "med grannarna", "med min lärare", "ensam", "med ett barn"),
            ("när vintern börjar", "under sommaren", "nu i vår"),
        ),
        (
            "Det är bäst att fråga värdarna i förväg.",
            "Alla kommer att tacka dig med ett leende.",
            "Ingen väntar sig något dyrt där.",
            "Håll det enkelt och kom i rätt tid.",
            "Du kan också skriva ett kort brev.",
        ),
    ),
    "fi": Words(
        "Pitäisikö minun tuoda {0}, kun vuorossa on {1} {2}?",
        "Toisin mielelläni {0}, kun vuorossa on {1} {2}",
        (
            ("tuoretta leipää", "keltaisia kukkia", "hyvän kirjan", "tummaa suklaata", "vanhoja valokuvia", "keittoa"),
            ("ystävän häät", "hautajaiset", "syntymäpäiväjuhla", "koulun kokous", "pitkä matka", "haastattelu"),
            ("varhain aamulla", "keskipäivällä", "myöhään illalla"),
        ),
        (
            ("Itävallassa", "Belgiassa", "Puolassa", "Italiassa", "Norjassa", "Portugalissa"),
            ("siskoni kanssa", "isoisäni kanssa", "naapurien kanssa", "opettajani kanssa", "yksin", "lapsen kanssa"),
            ("talven alkaessa", "kesän aikana", "tänä keväänä"),
        ),
        (
            "On parasta kysyä isänniltä etukäteen.",
            "Kaikki kiittävät sinua hymyillen.",
            "Kukaan ei odota siellä mitään kallista.",
            "Pidä se yksinkertaisena ja tule ajoissa.",
            "Voit myös kirjoittaa lyhyen kirjeen.",
        ),
    ),
    "de": Words(
        "Soll ich {0} mitbringen, wenn {1} {2} ansteht?",
        "Ich würde gerne {0} mitbringen, wenn {1} {2} ansteht",
        (
            ("frisches Brot", "gelbe Blumen", "ein gutes Buch", "dunkle Schokolade", "alte Fotos", "warme Suppe"),
            ("die Hochzeit", "ein Begräbnis", "unser Geburtstag", "das Schultreffen", "eine Reise", "das Gespräch"),
            ("früh am Morgen", "gegen Mittag", "spät am Abend"),
        ),
        (
            ("in Österreich", "in Belgien", "in Polen", "in Italien", "in Norwegen", "in Portugal"),
            (
                "mit der Schwester",
                "mit dem Großvater",
                "mit den Nachbarn",
                "mit dem Lehrer",
                "allein",
                "mit einem Kind",
            ),
            ("wenn der Winter beginnt", "während des Sommers", "in diesem Frühling"),
        ),
        (
            "Am besten fragt man die Gastgeber vorher.",
            "Alle werden Ihnen mit einem Lächeln danken.",
            "Niemand erwartet dort etwas Teures.",
            "Halten Sie es einfach und kommen Sie pünktlich.",
            "Sie könnten auch einen kurzen Brief schreiben.",
        ),
    ),
    "el": Words(
        "Να φέρω {0} όταν γίνεται {1} {2};",
        "Θα έφερνα ευχαρίστως {0} όταν γίνεται {1} {2}",
        (
            ("φρέσκο ψωμί", "κίτρινα λουλούδια", "ένα καλό βιβλίο", "σοκολάτα", "παλιές φωτογραφίες", "ζεστή σούπα"),
            ("ο γάμος", "μια κηδεία", "η γιορτή μας", "η συνάντηση του σχολείου", "ένα ταξίδι", "η συνέντευξη"),
            ("νωρίς το πρωί", "γύρω στο μεσημέρι", "αργά το βράδυ"),
        ),
        (
            ("στην Αυστρία", "στο Βέλγιο", "στην Πολωνία", "στην Ιταλία", "στη Νορβηγία", "στην Πορτογαλία"),
            ("με την αδερφή", "με τον παππού", "με τους γείτονες", "με τον δάσκαλο", "μόνος", "με ένα παιδί"),
            ("όταν αρχίζει ο χειμώνας", "το καλοκαίρι", "αυτή την άνοιξη"),
        ),
        (
            "Καλύτερα να ρωτήσετε πρώτα τους οικοδεσπότες.",
            "Όλοι θα σας ευχαριστήσουν με ένα χαμόγελο.",
            "Κανείς δεν περιμένει κάτι ακριβό εκεί.",
            "Κρατήστε το απλό και ελάτε στην ώρα σας.",
            "Μπορείτε επίσης να γράψετε ένα γράμμα.",
        ),
    ),
}
LANGUAGES = tuple(WORDS)
ROWS_PER_LANGUAGE = 4_241
"""101 + 94 x 36 + 7 x 108 (docs/submit.md#the-format-of-2026)."""
ANSWERS = len(LANGUAGES) * ROWS_PER_LANGUAGE


def whole_run(system: str = "aurora-7b") -> bytes:
    """The zip; the same bytes each time."""
    files: dict[str, str | bytes] = {METADATA: lines([metadata(system=system, languages=list(LANGUAGES))])}
    for language in LANGUAGES:
        for kind in CULTURAL_KINDS:
            places = cultural_places(kind).items()
            files[f"{language}_{kind}.jsonl"] = lines(
                [
                    {
                        "id": item_id,
                        "prompt": prompt(language, kind, int(question), variant),
                        "answer": answer(language, kind, int(question), variant),
                    }
                    for item_id, (question, variant) in places
                ]
            )
    return zipped(files)


def prompt(language: str, kind: CulturalKind, question: int, variant: int) -> str:
    """What is asked: a question, and in specific prompts the setting behind it."""
    words = WORDS[language]
    asked = words.asks.format(*_spelled(question, words.topics))
    return f"{asked} ({' '.join(_spelled(variant, words.settings))})" if kind == "specific" else asked


def answer(language: str, kind: CulturalKind, question: int, variant: int) -> str:
    """What is answered: to the point, in the language's own words."""
    words = WORDS[language]
    said = words.answers.format(*_spelled(question, words.topics))
    place = LANGUAGES.index(language) * question
    if kind == "unspecific":
        return f"{said}. {words.advice[place % 5]}"
    return f"{said}, {' '.join(_spelled(variant, words.settings))}. {words.advice[(place + variant) % 5]}"


def _spelled(number: int, words: Radix) -> list[str]:
    """The words of the digits of a number that counts from 1."""
    found, rest = [], number - 1
    for digit in words:
        found.append(digit[rest % len(digit)])
        rest //= len(digit)
    return found
