"""The tables of the dataset: which columns each has, and where its rows come from. Pure; results in, plain rows out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from evaluator.results import RobustnessResult
from evaluator.robustness.edition_results import ConsistencyResult, CulturalResult, LanguagePair
from evaluator.robustness.group_results import GroupResult
from evaluator.statistics.rank_bands import RankBand
from leaderboard.page.board_table import BoardTable
from leaderboard.page.state import PageState
from leaderboard.parts.downloads import figure_record
from leaderboard.parts.manifests import result_manifest
from leaderboard.parts.tables import is_entry
from submissions.schema import Response
from submissions.store.queue import Ticket

Kind = Literal["string", "int64", "float64", "bool"]
"""What a column holds, as Parquet calls it."""
PlainRow = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class TableOf:
    """One table of the dataset."""

    name: str
    """Of its config and its file."""
    about: str
    """A sentence for the card."""
    columns: dict[str, tuple[Kind, str]]
    """Column -> what it holds, and what it says."""


_TICKET: dict[str, tuple[Kind, str]] = {
    "ticket": ("string", "Ticket of the submission; joins the tables."),
    "board": ("string", "Board it was scored for: robustness (2024), consistency (2025), cultural (2026), ..."),
    "set": ("string", "Prompt set or kind of file."),
}

BOARDS = TableOf(
    "boards",
    "Every board in every choice it has, long: a line for each figure of each row.",
    {
        "board": ("string", "Board."),
        "choice": ("string", "What was chosen on it: prompt set and view, edition, benchmark; JSON."),
        "row": ("string", "Id of the row; of a submission its ticket."),
        "name": ("string", "Name of the row, as stated."),
        "team": ("string", "Team, as stated; empty where the board has none."),
        "model": ("string", "Model, as stated."),
        "is_entry": ("bool", "Somebody entered it; false for baselines and for what others published."),
        "rank_low": ("int64", "Best place the row may hold; empty where it is not ranked."),
        "rank_high": ("int64", "Worst place."),
        "figure": ("string", "Key of the column; docs/metrics.md says what it means."),
        "value": ("float64", "The figure, unrounded."),
        "low": ("float64", "Lower end of the 95 % interval; empty where there is none."),
        "high": ("float64", "Upper end."),
        "n": ("int64", "What it rests on: items, questions, pairs; of a count what is counted of."),
    },
)
ITEMS = TableOf(
    "items",
    "Every figure of every run of 2024, 2025 and 2026 by item: what intervals and paired differences are made of.",
    {
        **_TICKET,
        "view": ("string", "Of 2024: english or all; else empty."),
        "item": ("string", "Item or question."),
        "figure": ("string", "Figure."),
        "value": ("float64", "Its value on the item; items without one are absent."),
    },
)
VERDICTS = TableOf(
    "verdicts",
    "Every pair of answers of every run: ratings in both orders (2024, 2025), distances (2026).",
    {
        **_TICKET,
        "item": ("string", "Item or question."),
        "group": (
            "string",
            "What is paired: one language (2024), last or first answers (2025), (un)specific (2026).",
        ),
        "a": ("string", "First answer: its variant (2024) or language."),
        "b": ("string", "Second answer."),
        "scale": ("string", "rating: 0-5, higher is more alike; distance: 1 - cosine, lower is more alike."),
        "ab": ("float64", "Rating with a shown first; empty for distances."),
        "ba": ("float64", "Rating with b shown first."),
        "score": ("float64", "Mean of both orders, or the distance."),
        "gated": ("float64", "What the pair counts after the relevance check; empty where the gate is not known."),
        "passes": ("bool", "Neither answer carries a flag that takes the pair; empty where it is not known."),
        "reason": ("string", "Why there is no score; else empty."),
        "judge": ("string", "Judge or embedding model: name and model."),
        "revision": ("string", "Its revision."),
        "key_ab": ("string", "Key of the verdict, as the manifests list it; empty where no judge was asked."),
        "key_ba": ("string", "The same for the other order."),
    },
)
MANIFESTS = TableOf(
    "manifests",
    "What makes every result anew: one line for each submission, with the whole manifest as JSON.",
    {
        **_TICKET,
        "team": ("string", "As stated."),
        "system": ("string", "As stated."),
        "model": ("string", "As stated."),
        "run": ("string", "As stated."),
        "received_at": ("string", "ISO 8601, UTC."),
        "scored_at": ("string", "ISO 8601, UTC."),
        "file_sha256": ("string", "Of the submitted file."),
        "result_sha256": ("string", "Of the result as it is stored."),
        "code_version": ("string", "Version of Plumbline that scored it."),
        "manifest": ("string", "JSON; `python -m evaluator reproduce` reads it."),
    },
)
ANSWERS = TableOf(
    "answers",
    "The answers of the runs of 2024, 2025 and 2026, as they were submitted.",
    {
        **_TICKET,
        "item": ("string", "Item or question."),
        "variant": ("int64", "Number of the variant."),
        "language": ("string", "Language code."),
        "prompt": ("string", "Prompt as the file states it; empty where it states none."),
        "answer": ("string", "The answer, unaltered."),
    },
)
TABLES: tuple[TableOf, ...] = (BOARDS, ITEMS, VERDICTS, MANIFESTS)


# --- boards ----------------------------------------------------------------------------------------------------------


def board_lines(table: BoardTable[Any, Any], state: PageState) -> Iterator[PlainRow]:
    """The lines of one board in one choice, in the order it has at first."""
    choice = json.dumps(table.about(state), ensure_ascii=False, sort_keys=True)
    columns = table.columns
    name = next(column for column in columns if column.is_name)
    texts = {column.key: column for column in columns if column.key in ("team", "model")}
    for row in table.rows(state):
        ranks = (column.value(row) for column in columns if column.format == "rank")
        rank = next((value for value in ranks if isinstance(value, RankBand)), None)
        for column in columns:
            figure = figure_record(column, row)
            if figure is None:
                continue
            yield {
                "board": table.board,
                "choice": choice,
                "row": row.id,
                "name": str(name.value(row) or ""),
                **{key: str(texts[key].value(row) or "") if key in texts else "" for key in ("team", "model")},
                "is_entry": is_entry(row),
                "rank_low": rank.low if rank else None,
                "rank_high": rank.high if rank else None,
                "figure": column.key,
                **figure,
            }


# --- runs of 2024, 2025 and 2026 -------------------------------------------------------------------------------------

Scored = RobustnessResult | ConsistencyResult | CulturalResult
RESULTS: dict[str, type[RobustnessResult] | type[ConsistencyResult] | type[CulturalResult]] = {
    "robustness": RobustnessResult,
    "consistency": ConsistencyResult,
    "cultural": CulturalResult,
}


def run_of(text: str) -> Scored | None:
    """A stored result of 2024, 2025 or 2026; None of other boards."""
    kind = RESULTS.get(json.loads(text)["board"])
    return kind.model_validate_json(text) if kind else None


def item_lines(ticket: Ticket, result: Scored) -> Iterator[PlainRow]:
    """Every figure of a run by item, sorted."""
    about = _about(ticket, result)
    if isinstance(result, RobustnessResult):
        views = {view: shown.item_values for view, shown in result.views.items()}
    else:
        views = {"": result.question_values}  # type: ignore[dict-item]
    for view, figures in sorted(views.items()):
        for figure, values in sorted(figures.items()):
            for item, value in sorted(values.items()):
                yield {**about, "view": view, "item": item, "figure": figure, "value": value}


def verdict_lines(ticket: Ticket, result: Scored) -> Iterator[PlainRow]:
    """Every pair of a run, in the order of its prompt set."""
    match result:
        case RobustnessResult():
            judge = {"judge": f"{result.judge.name}: {result.judge.model}", "revision": result.judge.revision}
            for item in result.items:
                for group in item.groups:
                    lines = _rated(group, {response.variant: str(response.variant) for response in group.responses})
                    about = {**_about(ticket, result), "item": item.id, "group": group.language}
                    yield from ({**about, **line, **judge} for line in lines)
        case ConsistencyResult():
            judge = {"judge": f"{result.judge.name}: {result.judge.model}", "revision": result.judge.revision}
            for question in result.questions:
                languages = dict(enumerate(question.languages, start=1))
                turns = {"last answers": question.final, "first answers": question.first_turn}
                for name, group in turns.items():
                    if name == "first answers" and group == question.final:
                        continue  # one turn: the last answer is the first
                    about = {**_about(ticket, result), "item": question.id, "group": name}
                    yield from ({**about, **line, **judge} for line in _rated(group, languages))
        case CulturalResult():
            model = result.embedding
            judge = {"judge": f"{model.name}: {model.model}", "revision": model.revision}
            for pair in result.pairs:
                for line in _distances(pair, result.questions):
                    yield {**_about(ticket, result), **line, **judge}


def manifest_line(ticket: Ticket, text: str) -> PlainRow:
    """The manifest of any scored submission."""
    manifest = result_manifest(ticket, text)
    return {
        "ticket": ticket.id,
        "board": manifest["board"],
        "set": ticket.set_id,
        **{key: manifest["names"][key] or "" for key in ("team", "system", "model", "run")},
        "received_at": manifest["received_at"],
        "scored_at": manifest["scored_at"],
        "file_sha256": manifest["file"]["sha256"],
        "result_sha256": manifest["result_sha256"],
        "code_version": manifest["code_version"],
        "manifest": json.dumps(manifest, ensure_ascii=False, sort_keys=True),
    }


def answer_lines(ticket: Ticket, board: str, responses: Iterable[Response]) -> Iterator[PlainRow]:
    """The answers of one file, in its order; blank ones too."""
    for response in responses:
        yield {
            **{"ticket": ticket.id, "board": board, "set": ticket.set_id},
            "item": response.item_id,
            "variant": response.variant,
            "language": response.language,
            "prompt": response.prompt or "",
            "answer": response.response,
        }


def _about(ticket: Ticket, result: Scored) -> PlainRow:
    return {"ticket": ticket.id, "board": result.board, "set": ticket.set_id}


def _rated(group: GroupResult, names: dict[int, str]) -> Iterator[PlainRow]:
    for pair in group.pairs:
        yield {
            "a": names[pair.a],
            "b": names[pair.b],
            "scale": "rating",
            "ab": pair.ab,
            "ba": pair.ba,
            "score": pair.score,
            "gated": pair.gated,
            "passes": pair.passes,
            "reason": pair.reason or "",
            "key_ab": pair.key_ab or "",
            "key_ba": pair.key_ba or "",
        }


def _distances(pair: LanguagePair, questions: Iterable[str]) -> Iterator[PlainRow]:
    columns = (
        ("unspecific", pair.unspecific, pair.unspecific_gated, pair.unspecific_passing),
        ("specific", pair.specific, pair.specific_gated, pair.specific_passing),
    )
    for place, question in enumerate(questions):
        for group, raw, gated, passing in columns:
            yield {
                "item": question,
                "group": group,
                "a": pair.a,
                "b": pair.b,
                "scale": "distance",
                "ab": None,
                "ba": None,
                "score": raw[place],
                "gated": None if gated is None else gated[place],
                "passes": None if passing is None or raw[place] is None else passing[place] is not None,
                "reason": "" if raw[place] is not None else "an answer is missing",
                "key_ab": "",
                "key_ba": "",
            }
