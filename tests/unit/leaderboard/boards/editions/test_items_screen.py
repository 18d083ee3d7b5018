"""An opened question of a run that was really scored: which texts the page finds for it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from leaderboard.boards.editions.items_screen import EditionItemsScreen
from leaderboard.boards.editions.state import ConsistencyState, CulturalState
from leaderboard.boards.position_bias.cache import JudgeBoards
from leaderboard.boards.robustness.cache import Boards
from leaderboard.boards.robustness.items import FILE_GONE
from leaderboard.page.judge_quality import JudgeQualities
from leaderboard.page.services import Services
from leaderboard.parts.item_values import ItemValue
from submissions.settings import Settings
from submissions.store.database import StoreError
from tests.unit.leaderboard.boards.editions.test_screen import House, question_file
from tests.unit.submissions.formats.eloquent.cultural_files import run_files, zipped


class Reader:
    """A house whose runs are opened."""

    def __init__(self, folder: Path) -> None:
        self.house = House(folder)
        services = Services(store=self.house.store, desk=self.house.desk, settings=Settings.from_env({}))
        judge_boards = JudgeBoards(self.house.store, Boards(self.house.store))
        self.items = EditionItemsScreen(
            services, self.house.screen, judge_boards.report_of, JudgeQualities(self.house.store)
        )

    def question(self, ticket: str, item: str, pair: str = "") -> ItemValue | None:
        return self.items.question(ConsistencyState(system=ticket, item=item, pair=pair))


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    made = Reader(tmp_path)
    yield made
    made.house.store.close()


def conversation(language: str) -> bytes:
    """The file of a run in which question 7 takes two turns."""
    document = json.loads(question_file("keel", language, 3))
    document["questions"][7]["turns"].append({"question": f"{language} more?", "answer": f"topic7 at last {language}"})
    return json.dumps(document).encode()


def test_a_question_of_2025_shows_the_answers_of_all_files_of_its_run(reader: Reader) -> None:
    for language in ("en", "fi"):
        ticket = reader.house.submit(conversation(language), f"{language}.json")
    shown = reader.question(ticket, "7")
    assert shown is not None
    last, first = shown["groups"]
    assert [one["title"] for one in last["variants"]] == ["en", "fi"]
    assert [turn["answer"] for turn in last["variants"][1]["turns"]] == ["topic7 w0 w1 w2 fi3", "topic7 at last fi"]
    # Word overlap: both last answers share 3 of 5 words, those to the first turn 4 of 6.
    assert [group["pairs"][0]["score"] for group in (last, first)] == ["3.00", "3.33"]
    assert [card["title"] for card in last["cards"]] == ["scripted"]
    one_turn = reader.question(ticket, "8", "1-2")
    assert one_turn is not None
    (group,) = one_turn["groups"]
    assert group["variants"][0]["answer"] == "topic8 w0 w1 w2 en3"
    assert group["opened"][0]["title"] == "en and fi"


def test_what_is_not_opened_unknown_or_of_the_other_edition_shows_nothing(reader: Reader) -> None:
    ticket = reader.house.submit(question_file("keel", "en", 3), "en.json")
    assert reader.question(ticket, "") is None
    assert reader.question(ticket, "77") is None
    assert reader.question("nobody", "7") is None
    for page in (ConsistencyState, CulturalState):
        assert reader.items.base_question(page(system=ticket, item="7")) is None


def test_a_file_that_left_the_run_takes_its_answers_along(reader: Reader) -> None:
    tickets = [reader.house.submit(question_file("keel", one, 3), f"{one}.json") for one in ("en", "fi")]
    assert reader.question(tickets[1], "7") is not None  # read, and kept
    reader.house.store.withdraw(tickets[0], "local")
    shown = reader.question(tickets[1], "7")
    assert shown is not None
    assert [one["absent"] for one in shown["groups"][0]["variants"]] == [FILE_GONE, ""]


def test_a_base_question_of_2026_shows_its_distances_and_answers(reader: Reader) -> None:
    ticket = reader.house.submit(zipped(run_files()), "aurora.zip")
    state = CulturalState(system=ticket, item="2")
    shown = reader.items.base_question(state)
    assert shown is not None
    assert len(shown["pairs"]) == 10
    assert [section["title"] for section in shown["sections"]] == ["de", "el", "en", "fi", "sv"]
    assert [one["answer"] for one in shown["sections"][0]["shown"]] == ["a 2", "b 2", "b 2"]
    # Three questions: too few others to check relevance against.
    assert {one["relevance"] for one in shown["sections"][0]["shown"]} == {"relevance not checked"}
    assert reader.question(ticket, "2") is None


def test_files_are_read_once_for_a_question_and_one_that_was_gone_is_asked_for_again(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticket = reader.house.submit(zipped(run_files()), "aurora.zip")
    state, payload, read = CulturalState(system=ticket, item="2"), reader.house.store.payload, []

    def gone(sha256: str) -> bytes:
        raise StoreError(sha256)

    def counted(sha256: str) -> bytes:
        read.append(sha256)
        return payload(sha256)

    monkeypatch.setattr(reader.house.store, "payload", gone)
    shown = reader.items.base_question(state)
    assert shown is not None
    assert shown["notes"] == [FILE_GONE]
    monkeypatch.setattr(reader.house.store, "payload", counted)
    for _ in range(3):
        shown = reader.items.base_question(state)
        assert shown is not None
        assert shown["notes"] == []
    assert len(read) == 1


def test_people_vote_on_the_verdicts_of_2025_too(reader: Reader) -> None:
    for language in ("en", "fi"):
        ticket = reader.house.submit(conversation(language), f"{language}.json")
    state = ConsistencyState(system=ticket, item="7")
    shown = reader.items.question(state)
    assert shown is not None
    ballots = [group["pairs"][0]["ballot"]["choices"] for group in shown["groups"]]
    agree = ballots[0][0]
    assert agree["name"] == "Agree: languages en and fi say the same"  # 3.00 of 5
    assert agree["verdict"] != ballots[1][0]["verdict"]  # the answers to the first turn are another pair
    voted = reader.items.voted(state, {"verdict": agree["verdict"], "stance": agree["stance"]}, None)
    assert voted is not None
    chosen = [[one["is_chosen"] for one in group["pairs"][0]["ballot"]["choices"]] for group in voted["groups"]]
    assert chosen == [[True, False], [False, False]]
    (vote,) = reader.house.store.verdict_votes()
    assert (vote.pair.item, vote.pair.ticket, vote.stance) == ("eloquent-2025 7", ticket, "agree")
    assert reader.items.voted(ConsistencyState(system=ticket, item="77"), {}, None) is None
