"""The human check: beside a judge's verdicts people say whether they agree, and the page says how far they do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluator.judge_quality.human_check import ANCHORING, reading_of
from evaluator.results import GroupResult, PairResult, Pin
from evaluator.values import judge_digest
from leaderboard.page.judge_card import NOT_CHECKED, people_text
from leaderboard.page.judge_quality import JudgeQualities
from leaderboard.page.services import Services
from leaderboard.parts.item_values import ItemValue
from leaderboard.parts.vote_values import BallotValue, HumanCheckValue
from submissions.store.queue import Ticket
from submissions.store.quotas import QuotaExceeded
from submissions.store.votes import STANCES, JudgedPair, Reading, VerdictVote, verdict_id

if TYPE_CHECKING:
    import gradio as gr

HOW_TO_VOTE = "Read two answers, then agree or disagree with the judge's verdict. Press again to withdraw a vote."
SIGN_IN_FIRST = "Sign in with Hugging Face at the top of the page to say whether you agree."
NOBODY_SIGNS_IN = "This Space cannot tell people apart (it has no sign-in), so nobody can vote here."
OWN_RUN = "This is a run of yours: your votes on it are kept, and left out of kappa."

_WORDS: dict[Reading, str] = {"same": "the same", "different": "different"}
_SAID: dict[Reading, str] = {"same": "the same", "different": "different things"}


@dataclass(frozen=True, slots=True)
class JudgedItem:
    """The verdicts of one item's page."""

    ticket: Ticket
    judge: Pin
    item: str
    groups: Sequence[GroupResult]
    """In the order the page shows them."""

    def pairs(self) -> dict[str, JudgedPair]:
        """Every verdict that can be voted on, by `JudgedPair.verdict`."""
        judged_pairs = (self.judged(pair) for group in self.groups for pair in group.pairs)
        return {judged.verdict: judged for judged in judged_pairs if judged is not None}

    def judged(self, pair: PairResult) -> JudgedPair | None:
        """The verdict on a pair; None where no judge was asked, or it could not be scored."""
        if pair.score is None or pair.key_ab is None or pair.key_ba is None:
            return None
        return JudgedPair(
            verdict=verdict_id(pair.key_ab, pair.key_ba),
            judge=judge_digest(self.judge),
            judge_name=f"{self.judge.name} {self.judge.model}",
            reading=reading_of(pair.score),
            score=pair.score,
            item=f"{self.ticket.set_id} {self.item}",
            ticket=self.ticket.id,
        )


class HumanChecks:
    """Votes of whoever asks; the server alone says who that is and what the judge said."""

    def __init__(self, services: Services, qualities: JudgeQualities) -> None:
        self._services = services
        self._qualities = qualities

    def with_ballots(
        self, value: ItemValue, judged: JudgedItem, request: gr.Request | None, said: str = ""
    ) -> ItemValue:
        """Adds to an item's page what the judge says of every pair, and whether the visitor agrees.

        Args:
            value: of exactly the groups of `judged`; it is changed, and returned.
            request: whose votes are shown.
            said: why a vote just given was not kept; blank = it was.
        """
        pairs = judged.pairs()
        if not pairs:
            return value
        voter = self._services.identity.voter(request)
        votes = self._services.store.votes_of(voter, pairs) if voter else {}
        for shown, group in zip(value["groups"], judged.groups, strict=True):
            shown["has_ballots"] = bool(group.pairs)
            for line, pair in zip(shown["pairs"], group.pairs, strict=True):
                title = f"{shown['paired'].lower()} {line['title']}"
                line["ballot"] = _ballot(title, judged.judged(pair), votes, can_vote=voter is not None)
        value["checks"] = [self._check_value(judged, voter, said)]
        return value

    def vote(self, judged: JudgedItem, carried: object, request: gr.Request | None) -> str:
        """Keeps the vote an event carries, for whoever makes the request; returns why not, blank where it was kept.

        What names no verdict of the item, or no stance, changes nothing.

        Raises:
            StoreUnavailable: when the database does not answer.
        """
        if not isinstance(carried, Mapping):
            return ""
        verdict, stance = carried.get("verdict"), carried.get("stance")
        pair = judged.pairs().get(verdict) if isinstance(verdict, str) else None
        if pair is None or stance not in STANCES:
            return ""
        identity = self._services.identity
        voter = identity.voter(request)
        if voter is None:
            return self._who_can_vote(voter)
        try:
            self._services.desk.vote(
                voter,
                pair,
                stance,
                is_own=self._is_own(judged, voter),
                per_day=identity.quotas.votes_per_day,
            )
        except QuotaExceeded as error:
            return str(error)
        return ""

    def _check_value(self, judged: JudgedItem, voter: str | None, said: str) -> HumanCheckValue:
        people = self._qualities.checked_by_people(judged.judge)
        line = people_text(people)
        notes = [
            HOW_TO_VOTE if voter is not None else "",
            ANCHORING if people.votes else "",
            _own_text(people.own),
            OWN_RUN if voter is not None and self._is_own(judged, voter) else "",
            self._who_can_vote(voter),
        ]
        return {
            "line": line if people.votes else f"{NOT_CHECKED[0].upper()}{NOT_CHECKED[1:]}",
            "notes": [note for note in notes if note],
            "said": said,
        }

    def _is_own(self, judged: JudgedItem, voter: str) -> bool:
        """Where nobody signs in, everybody is the owner of everything: nothing can be told from that."""
        return self._services.identity.is_public and judged.ticket.owner == voter

    def _who_can_vote(self, voter: str | None) -> str:
        if voter is not None:
            return ""
        return SIGN_IN_FIRST if self._services.identity.signs_in else NOBODY_SIGNS_IN


def _ballot(title: str, pair: JudgedPair | None, votes: Mapping[str, VerdictVote], *, can_vote: bool) -> BallotValue:
    if pair is None:
        return {"says": "n/a", "choices": []}
    says = _WORDS[pair.reading]
    vote = votes.get(pair.verdict)
    # By what the person said of the answers: the judge may have been asked again since, and say something else.
    stances = {"agree": vote is not None and vote.reading == pair.reading, "disagree": False}
    stances["disagree"] = vote is not None and not stances["agree"]
    return {
        "says": says,
        "choices": [
            {
                "verdict": pair.verdict,
                "label": stance.capitalize(),
                "name": f"{stance.capitalize()}: {title} say {_SAID[pair.reading]}",
                "is_chosen": is_chosen,
                "stance": "none" if is_chosen else stance,
            }
            for stance, is_chosen in stances.items()
        ]
        if can_vote
        else [],
    }


def _own_text(own: int) -> str:
    if not own:
        return ""
    return "1 vote on a run of the voter's own is left out." if own == 1 else f"{own} votes on own runs are left out."
