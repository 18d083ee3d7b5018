"""Answers one by one are as private as their texts: predictions, choices, letters, preferences, dialogues."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from evaluator.judges.protocol import Judgment
from evaluator.judges.recorded import judgment_to_json
from leaderboard.boards.behavior_alignment.screen import BehaviorScreen
from leaderboard.boards.behavior_alignment.state import BehaviorState
from leaderboard.boards.personalization.cache import PersonalizationBoards
from leaderboard.boards.personalization.screen import PersonalizationScreen
from leaderboard.boards.personalization.state import PersonalizationState
from leaderboard.boards.personalized_evaluation.screen import EvaluatorsScreen
from leaderboard.boards.personalized_evaluation.state import STATES
from leaderboard.boards.registry import BOARDS
from leaderboard.page.registered import BoardTools
from leaderboard.page.services import Services
from leaderboard.parts.manifests import result_manifest
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.promptsets import PromptSets
from submissions.seasons.season_store import PublicStore
from submissions.settings import Settings
from submissions.store.store import Store
from tests.unit.leaderboard.boards.behavior_alignment import made_behavior_alignment as behavior
from tests.unit.leaderboard.boards.personalization import made_personalization as personalization
from tests.unit.leaderboard.boards.personalized_evaluation import made_personalized_evaluation as evaluators
from tests.unit.submissions.seasons.made_seasons import SetClock, at, made_seasons

SEASON = """
title = "Autumn"
set = "{}"
time_zone = "UTC"
opens = 2026-10-01T00:00:00
closes = 2026-12-01T00:00:00
freezes = 2026-12-02T00:00:00
[public]
answers = 2026-12-20T00:00:00
"""
SETS = ("demonstration", "personalization", "personalized_evaluation", "recommender_behaviour")
BEFORE, AFTER = "2026-12-19T23:59:59+00:00", "2026-12-20T00:00:00+00:00"


@dataclass
class Site:
    """The boards as visitors see them."""

    store: Store
    clock: SetClock
    tools: BoardTools


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    clock = SetClock(at(BEFORE))
    seasons = made_seasons(tmp_path / "seasons", **{name: SEASON.format(name) for name in SETS})
    store = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}")
    desk = Desk(store, Archive(tmp_path / "archive"), PromptSets.load(None), clock, seasons=seasons)
    services = Services(store=PublicStore(store, seasons, clock), desk=desk, settings=Settings.from_env({}))
    tools = BoardTools(services)
    tools.open(BOARDS)
    yield Site(store, clock, tools)
    store.close()


def before_and_after(site: Site, shown: Callable[[], object]) -> tuple[bool, bool]:
    """Whether something is shown before the answers are public, and from then on."""
    site.clock.set(BEFORE)
    before = bool(shown())
    site.clock.set(AFTER)
    return before, bool(shown())


@pytest.mark.parametrize("kind", ["personalized_ratings", "personalized_pairs"])
def test_predictions_and_choices_are_listed_from_their_day_on(site: Site, kind: str) -> None:
    made = evaluators.ratings() if kind == "personalized_ratings" else evaluators.choices()
    ticket = evaluators.put_into(site.store, made)
    screen = EvaluatorsScreen.of(site.tools)
    state = STATES[kind](evaluator=ticket, reading="0")  # type: ignore[index]
    assert screen.row_notice(state) is not None
    for shown in (screen.items_table, screen.reading):
        assert before_and_after(site, lambda shown=shown: shown(state)) == (False, True)  # type: ignore[misc]
    site.clock.set(BEFORE)
    assert "public from 2026-12-20" in repr(screen.row_notice(state))


def test_letters_and_preferences_are_listed_from_their_day_on(site: Site) -> None:
    data = personalization.document(personalization.pairs(personalization.WORKED_EXAMPLE))
    ticket = personalization.put_into(site.store, data)
    screen = PersonalizationScreen.of(site.tools)
    state = PersonalizationState(answers=f"{ticket}/naive", setting="relevant", dataset="ours", example="1")
    assert screen.has_answers(state)
    for shown in (screen.examples_table, screen.example):
        assert before_and_after(site, lambda shown=shown: shown(state)) == (False, True)  # type: ignore[misc]
    boards = PersonalizationBoards.of(site.tools)
    assert before_and_after(site, lambda: boards.board("relevant", "ours").cells) == (False, True)
    preference = personalization.PREFERENCE
    assert before_and_after(site, lambda: preference in repr(screen.charts_value(state))) == (False, True)


def test_dialogues_are_listed_from_their_day_on(site: Site) -> None:
    ticket = behavior.put_into(site.store, behavior.file_of(20))
    screen = BehaviorScreen.of(site.tools)
    state = BehaviorState(recommender=ticket, dialogue=1)
    assert screen.figures(state) is not None  # figures over all dialogues stand with the scores
    for shown in (screen.dialogues_table, screen.charts_value, screen.dialogue):
        assert before_and_after(site, lambda shown=shown: shown(state)) == (False, True)  # type: ignore[misc]


def test_no_key_of_a_verdict_confirms_a_guessed_answer_before_the_day(site: Site) -> None:
    ticket = evaluators.put_into(site.store, evaluators.unanswered(evaluators.ratings()), evaluators.LabelJudge())
    store = site.tools.services.store

    def keys() -> object:
        text = store.result(ticket)
        assert text is not None
        return result_manifest(store.require(ticket), text)["verdict_keys"]

    assert before_and_after(site, keys) == (False, True)


def test_verdicts_are_read_from_the_day_on(site: Site) -> None:
    ticket = evaluators.put_into(site.store, evaluators.ratings())
    site.store.save_verdicts({"key": judgment_to_json(Judgment(5.0, text="it repeats the answer"))})
    services = site.tools.services
    assert before_and_after(site, lambda: services.judgments(services.store.require(ticket), ["key"])) == (False, True)
