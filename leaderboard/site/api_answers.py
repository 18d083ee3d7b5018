"""Answers of the public endpoints, as JSON objects (docs/api.md)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from evaluator.judges.protocol import Judgment
from evaluator.results import GroupResult, ItemResult, PairResult, RobustnessResult
from evaluator.robustness.edition_results import ConsistencyResult, CulturalResult
from leaderboard.desk.ticket_values import standing_row, state_sentence
from leaderboard.page.links import link_of
from leaderboard.page.state import QueueState
from submissions.desk import Receipt
from submissions.schema import Item, PromptSet, Response, Submission
from submissions.store.eta import WaitEstimate
from submissions.store.queue import Ticket

Answer = dict[str, Any]
"""A JSON object."""


def json_of(answer: Answer) -> str:
    """An answer as JSON, in the script its texts are written in."""
    return json.dumps(answer, ensure_ascii=False)


def receipt_answer(receipt: Receipt, wait: WaitEstimate | None) -> Answer:
    """What a team gets for an accepted file: its ticket, and the report of the check."""
    said = {
        "already_known": receipt.already_known,
        "season_words": list(receipt.season),
        "notify_secret": receipt.notify_secret or None,
        "report": receipt.report.as_json(),
    }
    return ticket_answer(receipt.ticket, wait) | said


def _wait(wait: WaitEstimate) -> Answer:
    figures = asdict(wait)
    del figures["stage"]  # its words and its reason say it
    return figures | {"words": wait.words}


def ticket_answer(ticket: Ticket, wait: WaitEstimate | None) -> Answer:
    """Where a submission stands.

    Args:
        wait: When it will be scored; None once it ended, or where nobody asked.
    """
    return {
        "ticket": ticket.id,
        "status": ticket.status.value,
        "sentence": state_sentence(ticket),
        "is_over": not ticket.status.is_open,
        "reason": ticket.reason,
        "hidden": ticket.hidden,
        "is_primary": ticket.is_primary,
        "season": _season(ticket),
        "position": ticket.position,
        "judged": ticket.judged,
        "to_judge": ticket.to_judge,
        "wait": _wait(wait) if wait else None,
        "set": ticket.set_id,
        "names": asdict(ticket.names),
        "file_sha256": ticket.file_sha256,
        "received_at": ticket.received_at.isoformat(),
        "status_at": ticket.status_at.isoformat(),
        "log": list(ticket.log),
        "link": link_of(QueueState(ticket=ticket.id)),
        "row_link": link_of(row) if (row := standing_row(ticket)) else None,
    }


def _season(ticket: Ticket) -> Answer | None:
    """What the season says of a submission; None where it belongs to none."""
    mark = ticket.season
    if mark is None:
        return None
    reveals = {"names": mark.names_from, "scores": mark.scores_from, "answers": mark.answers_from}
    return {
        "name": mark.name,
        "title": mark.title,
        "is_late": mark.is_late,
        "unranked": mark.unranked,
        "public_from": {what: moment.isoformat() if moment else None for what, moment in reveals.items()},
    }


def item_answer(
    ticket: Ticket,
    result: RobustnessResult,
    item: ItemResult,
    submission: Submission | None,
    prompt_set: PromptSet | None,
    judgments: Mapping[str, Judgment],
) -> Answer:
    """One item of one system: its answers, and every verdict on two of them.

    Args:
        submission: The file as read; None leaves the answers out.
        judgments: Stored verdicts by key.
    """
    answers = _answers(submission, item.id)
    wording = prompt_set.item(item.id) if prompt_set else None
    pairwise = result.pairwise.records if result.pairwise else ()
    return {
        **_head(ticket, item.id),
        "variation": item.variation,
        "judge": result.judge.model_dump(mode="json"),
        "groups": [_group_answer(group, answers, wording, judgments) for group in item.groups],
        "against_reference": [record.model_dump(mode="json") for record in pairwise if record.item == item.id],
    }


def cultural_answer(ticket: Ticket, result: CulturalResult, question: str, answers: Iterable[Response]) -> Answer:
    """One base question of a run of 2026: its answers by language, and how far those of two languages lie apart.

    Args:
        answers: Of the question, in any order.
    """
    by_language: dict[str, list[Answer]] = {}
    for answer in answers:
        said = {"id": answer.item_id, "kind": answer.kind, "prompt": answer.prompt, "answer": answer.response}
        by_language.setdefault(answer.language, []).append(said)
    place = result.questions.index(question)
    return {
        **_head(ticket, question),
        "embedding": result.embedding.model_dump(mode="json"),
        "figures": {figure: values.get(question) for figure, values in result.question_values.items()},
        "languages": by_language,
        "pairs": [
            {"a": pair.a, "b": pair.b, "unspecific": pair.unspecific[place], "specific": pair.specific[place]}
            for pair in result.pairs
        ],
    }


def consistency_answer(ticket: Ticket, result: ConsistencyResult, question: str) -> Answer:
    """One question of a run of 2025: the groups of its answers in all languages, with every judged pair."""
    question_result = next(candidate for candidate in result.questions if candidate.id == question)
    return {
        **_head(ticket, question),
        "judge": result.judge.model_dump(mode="json"),
        "languages": list(question_result.languages),
        "final": question_result.final.model_dump(mode="json"),
        "first_turn": question_result.first_turn.model_dump(mode="json"),
    }


def _head(ticket: Ticket, item: str) -> Answer:
    """What every item says of whose it is."""
    return {"ticket": ticket.id, "set": ticket.set_id, "names": asdict(ticket.names), "item": item}


def _answers(submission: Submission | None, item_id: str) -> dict[int, Response]:
    """The item's answers by variant."""
    sets = (answered for answered in submission.items if answered.item_id == item_id) if submission else ()
    return {response.variant: response for answered in sets for response in answered.responses}


def _group_answer(
    group: GroupResult, answers: Mapping[int, Response], wording: Item | None, judgments: Mapping[str, Judgment]
) -> Answer:
    prompts = {variant.number: variant.prompt for variant in wording.variants} if wording else {}
    variants = []
    for response in group.responses:
        answer = answers.get(response.variant)
        texts = {
            "prompt": (answer.prompt if answer else None) or prompts.get(response.variant),
            "answer": answer.response if answer else None,
        }
        variants.append(response.model_dump(mode="json") | texts)
    shown = group.model_dump(mode="json", exclude={"responses", "pairs"})
    return shown | {"variants": variants, "pairs": [_pair_answer(pair, judgments) for pair in group.pairs]}


def _pair_answer(pair: PairResult, judgments: Mapping[str, Judgment]) -> Answer:
    keys = {"ab": pair.key_ab, "ba": pair.key_ba}
    verdicts = {order: asdict(judgments[key]) for order, key in keys.items() if key and key in judgments}
    return pair.model_dump(mode="json") | {"verdicts": verdicts}
