"""Votes on two answers, kept to compare the judge with people: anonymous, texts only with consent."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Protocol

from evaluator.lab.setup import OWN_DATASET, SIDES, LabSetup, Side
from evaluator.lab.state import LabState, SwapResult
from evaluator.lab.tally import HumanVote, VoteAgreement, vote_agreement
from submissions.formats.personalization.submission import Setting
from submissions.store.store import Store


@dataclass(frozen=True, slots=True)
class Vote:
    """One vote, as it is kept."""

    id: str
    """Random; names nobody."""
    voter: str
    """A pseudonym: the same visitor until the page server restarts, and nobody can tell who."""
    vote: HumanVote
    judge: str | None
    """Model and revision; None where no judge was asked."""
    judged: SwapResult | None
    """None where it was not judged, or not yet."""
    a: str
    """"GENERATOR, METHOD" of column A."""
    b: str
    setting: Setting
    dataset: str
    example_id: str | None
    """Of a question that is ours or a published set's; None for a visitor's own."""
    text: str | None
    """JSON with question, options, preferences and both answers; None without consent."""
    first: Side | None = None
    """Which side was shown first; None of votes from before this was kept."""
    seconds: float | None = None
    """From the first word of an answer on the page to the vote; None = not known."""
    words: int | None = None
    """Of both answers, as they stood when it was cast; None = not known."""
    is_twin: bool = False
    """Whether the sides answered two wordings of a question."""


@dataclass(frozen=True, slots=True)
class Cast:
    """How a vote came about."""

    first: Side
    """Which side was shown first."""
    seconds: float | None
    """From the first word of an answer on the page to the vote; None where no word was there."""
    words: int
    """Of both answers, as they stood."""


class VoteBook(Protocol):
    """Where votes are kept."""

    def add(self, vote: Vote) -> None:
        """Keeps a vote; the same id again replaces it, as when the judge's verdict came after the vote."""
        ...

    def votes(self) -> Sequence[Vote]:
        """In the order they were given."""
        ...


class MemoryVoteBook(VoteBook):
    """Votes of one process, for tests and demonstrations."""

    def __init__(self) -> None:
        self._votes: dict[str, Vote] = {}

    def add(self, vote: Vote) -> None:
        self._votes[vote.id] = vote

    def votes(self) -> Sequence[Vote]:
        return list(self._votes.values())


class StoredVoteBook(VoteBook):
    """Votes in the service's database."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(self, vote: Vote) -> None:
        self._store.save_vote(vote.id, json.dumps(asdict(vote), sort_keys=True, ensure_ascii=False))

    def votes(self) -> Sequence[Vote]:
        return [Vote(**json.loads(payload)) for payload in self._store.votes()]


def new_vote_id() -> str:
    """A random id for one vote."""
    return secrets.token_hex(16)


def vote_on(
    state: LabState, vote: HumanVote, *, vote_id: str, voter: str, consent: bool, cast: Cast | None = None
) -> Vote:
    """A visitor's vote on a run, at any moment of it.

    Args:
        state: The run as it stands. Where it goes on, the same vote is added again with its last state.
        vote: For the sides as the run has them; a page that shuffled them turns the vote back.
        vote_id: From `new_vote_id`, one for each run.
        voter: A pseudonym (`LabService.pseudonym`).
        consent: Whether question, preferences and answers may be kept.
        cast: How it came about; None = not known, and no rating counts it.
    """
    setup = state.setup
    return Vote(
        id=vote_id,
        voter=voter,
        vote=vote,
        judge=f"{state.judge.model} @ {state.judge.revision}" if state.judge else None,
        judged=state.pairwise.result,
        a=_writer(setup, "a"),
        b=_writer(setup, "b"),
        setting=setup.setting,
        dataset=setup.dataset,
        example_id=None if setup.dataset == OWN_DATASET else setup.question.example_id,
        text=_texts(state) if consent else None,
        first=cast.first if cast else None,
        seconds=cast.seconds if cast else None,
        words=cast.words if cast else None,
        is_twin=setup.twin is not None,
    )


def words_shown(state: LabState) -> int:
    """Words of both answers, as far as they are written."""
    columns = (state.column(side) for side in SIDES)
    return sum(len((column.final or column.answer.text).split()) for column in columns)


def book_agreement(votes: Sequence[Vote]) -> VoteAgreement:
    """How often the judge agrees with these votes; the votes should be on verdicts of one judge."""
    return vote_agreement((vote.vote, vote.judged) for vote in votes)


def _writer(setup: LabSetup, side: Side) -> str:
    return f"{setup.column(side).generator}, {setup.method_of(side)}"


def _texts(state: LabState) -> str:
    setup = state.setup
    texts = {
        "question": setup.question.text,
        "options": setup.question.options,
        "twin": None if setup.twin is None else setup.twin.text,
        "preferences": setup.preferences,
        "relevant_index": setup.relevant_index,
        **{f"answer_{side}": state.column(side).final for side in SIDES},
    }
    return json.dumps(texts, ensure_ascii=False)
