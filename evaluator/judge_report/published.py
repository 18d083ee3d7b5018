"""The figures of one judge's report that may be published: no prompt, no answer, no row, no name of a system.

They are computed here, from a log that its publisher brought: what the log is of, which languages it is in and what it
cost is what the publisher states.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from evaluator.judge_report import systems
from evaluator.judge_report.confusion import Confusion
from evaluator.judge_report.figure import Figure
from evaluator.judge_report.report import JudgeLogReport, LogReport
from submissions.reading.quoting import quoted
from submissions.store.storable import storable

MOST_NAME = 100
"""Characters of the name of a judge and of a data set."""
MOST_LANGUAGES = 20
MOST_PRICE = 1_000_000.0
"""US dollars for 1,000 verdicts."""
_NAMES_SYSTEMS = ("corrected ", "rogan_gladen ", *systems.KEYS)
"""How the keys of figures begin that stand for one system or two, and name them."""
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8})?", re.IGNORECASE | re.ASCII)

_Name = Annotated[str, StringConstraints(min_length=1, max_length=MOST_NAME)]
_Language = Annotated[str, StringConstraints(min_length=2, max_length=12)]


class Unpublishable(ValueError):
    """Raised where what is stated of a report cannot be published.

    Attributes:
        problems: Every one of them, for the publisher.
    """

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class JudgeFigures:
    """What was computed of one judge of a log, without what names anything in it but the judge."""

    judge: str
    """As the log calls it; the publisher may call it otherwise."""
    format: str
    """Title of the format of the log."""
    questions: int
    systems: int
    comparisons: int
    ratings: int
    figures: tuple[Figure, ...]
    missing: tuple[str, ...]
    confusions: tuple[Confusion, ...] = ()


class PublishedFigures(BaseModel):
    """One published report, as it is kept."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")

    version: Literal[1] = 1
    judge: _Name
    data_set: _Name
    languages: tuple[_Language, ...] = Field(default=(), max_length=MOST_LANGUAGES)
    """Of the log, as the publisher states them; () = not stated."""
    price_usd: float | None = Field(default=None, ge=0, le=MOST_PRICE, allow_inf_nan=False)
    """US dollars for 1,000 verdicts, as the publisher states it."""
    format: str
    questions: int = Field(ge=0)
    systems: int = Field(ge=0)
    comparisons: int = Field(ge=0)
    ratings: int = Field(ge=0)
    figures: tuple[Figure, ...]
    missing: tuple[str, ...]
    confusions: tuple[Confusion, ...] = ()
    """() of what was published before there were any, too."""

    def figure(self, key: str) -> Figure | None:
        """The figure of that key; None where the log did not allow it."""
        return next((figure for figure in self.figures if figure.key == key), None)

    @property
    def report(self) -> JudgeLogReport:
        """As the report on a log shows a judge."""
        return JudgeLogReport(self.judge, self.comparisons, self.ratings, self.figures, self.missing, self.confusions)


def judge_figures(report: LogReport, judge: JudgeLogReport) -> JudgeFigures:
    """What of a report on one judge may be published."""
    return JudgeFigures(
        judge=judge.judge,
        format=report.title,
        questions=report.questions,
        systems=len(report.systems),
        comparisons=judge.comparisons,
        ratings=judge.ratings,
        figures=tuple(figure for figure in judge.figures if not figure.key.startswith(_NAMES_SYSTEMS)),
        missing=judge.missing,
        confusions=tuple(replace(confusion, shown_first="") for confusion in judge.confusions),
    )


def published_figures(
    figures: JudgeFigures, *, judge: str, data_set: str, languages: str = "", price: str = ""
) -> PublishedFigures:
    """Figures with what their publisher states of them.

    Args:
        judge: The name under which it is shown; so is `data_set`.
        languages: Codes of the log's languages, separated by commas; blank = not stated.
        price: US dollars for 1,000 verdicts, as it was typed; blank = not stated, not zero.

    Raises:
        Unpublishable: with everything that is wrong.
    """
    names = {"judge": " ".join(storable(judge).split()), "data set": " ".join(storable(data_set).split())}
    codes = language_codes(languages)
    problems = [*_name_faults(names), *_language_faults(languages), *_price_faults(price)]
    if problems:
        raise Unpublishable(problems)
    return PublishedFigures(
        judge=names["judge"],
        data_set=names["data set"],
        languages=codes,
        price_usd=_price_of(price) if price.strip() else None,
        format=figures.format,
        questions=figures.questions,
        systems=figures.systems,
        comparisons=figures.comparisons,
        ratings=figures.ratings,
        figures=figures.figures,
        missing=figures.missing,
        confusions=figures.confusions,
    )


def read_published(payload: str) -> PublishedFigures | None:
    """What was published; None of what another version of this program wrote."""
    try:
        return PublishedFigures.model_validate_json(payload)
    except ValidationError:
        return None


def language_codes(languages: str) -> tuple[str, ...]:
    """What stands between the commas of a list, whether it is a code or not."""
    return tuple(code for part in languages.split(",") if (code := part.strip()))


def strange_codes(languages: str) -> list[str]:
    """What of such a list is no code of a language.

    >>> strange_codes("en, pt-BR, english!")
    ['english!']
    """
    return [code for code in language_codes(languages) if not _LANGUAGE.fullmatch(code)]


def _name_faults(names: dict[str, str]) -> Iterator[str]:
    for what, name in names.items():
        if not name:
            yield f"The name of the {what} is blank: say which one the figures are of."
        elif len(name) > MOST_NAME:
            yield f"The name of the {what} has {len(name):,} characters; at most {MOST_NAME} are shown."


def _language_faults(languages: str) -> Iterator[str]:
    strange, stated = strange_codes(languages), len(language_codes(languages))
    if strange:
        yield f"{strange[0][:40]!r} is no code of a language: write en, de, pt-br, separated by commas."
    if stated > MOST_LANGUAGES:
        yield f"{stated:,} languages are stated; at most {MOST_LANGUAGES} are shown."


def _price_faults(price: str) -> Iterator[str]:
    stated = _price_of(price) if price.strip() else 0.0
    if stated is None or not 0 <= stated <= MOST_PRICE:
        typed = quoted(price.strip())
        yield f"The price of 1,000 verdicts is {typed}; expected US dollars as 1.50, from 0 to {MOST_PRICE:,.0f}."


def _price_of(text: str) -> float | None:
    """The number that was typed; None for what is none.

    >>> _price_of(" 1.50 "), _price_of("nan"), _price_of("1,5")
    (1.5, None, None)
    """
    try:
        price = float(text)
    except ValueError:
        return None
    return price if math.isfinite(price) else None
