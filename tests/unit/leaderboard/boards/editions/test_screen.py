"""The boards of 2025 and 2026: rows, ranks, one run, and what visitors choose."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.judge_loading.loading import Scorer
from evaluator.judges.scripted import ScriptedJudge
from evaluator.reproduce.editions import read_edition_manifest
from evaluator.worker.loop import Worker
from leaderboard.boards.editions.cache import EditionBoards
from leaderboard.boards.editions.rows import EditionRow
from leaderboard.boards.editions.screen import EditionsScreen, board_of
from leaderboard.boards.editions.state import ConsistencyState, CulturalState, LaterEditionState
from leaderboard.desk.ticket_values import standing_row
from leaderboard.page.board_table import first_look
from leaderboard.page.links import address_of
from leaderboard.page.services import Services
from leaderboard.page.state import chosen
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.promptsets import PromptSets, examples_of_2025
from submissions.promptsets.questions import registered_questions
from submissions.settings import Settings
from submissions.store.store import Store
from tests.registered import opened
from tests.unit.submissions.formats.eloquent.cultural_files import run_files, zipped

opened_run = chosen("system")

QUESTIONS = 20
CONSISTENCY = ConsistencyState()
CULTURAL = CulturalState()


class House:
    """A store with its desk and the boards' screen."""

    def __init__(self, folder: Path) -> None:
        self.store = Store.open(f"sqlite:///{folder / 'plumbline.db'}")
        self.desk = Desk(self.store, Archive(folder / "archive"), PROMPT_SETS)
        services = Services(store=self.store, desk=self.desk, settings=Settings.from_env({}))
        self.screen = EditionsScreen(services, EditionBoards(self.store))

    def submit(self, data: bytes, file_name: str, *, embedder: ScriptedEmbedder | None = None) -> str:
        ticket = self.desk.submit(data, file_name, owner="local").ticket.id
        worker = Worker(
            name="w",
            store=self.store,
            archive=None,
            prompt_sets=PROMPT_SETS,
            scorer=Scorer(ScriptedJudge(), embedder or ScriptedEmbedder(4096)),
            stop=threading.Event(),
        )
        worker.run(until_empty=True)
        return ticket

    def rows(self, state: LaterEditionState) -> dict[str, EditionRow]:
        board = board_of(state)
        assert board is not None
        return {row.name: row for row in self.screen.tables[board].rows(state)}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path)
    yield made
    made.store.close()


def question_file(system: str, language: str, shared: int) -> bytes:
    """Answers of a topic and four more words, of which `shared` are the same in every language."""

    def answer(number: int) -> str:
        return " ".join(
            [f"topic{number}", *(f"w{place}" if place < shared else f"{language}{place}" for place in range(4))]
        )

    document = {
        "team": "aurora",
        "system": system,
        "submissionid": "1",
        "language": language,
        "date": "2025",
        "label": "eloquent-2025-robustness",
        "questions": [
            {
                "questionid": number,
                "turns": [{"question": f"{language} topic{number} topic{number}?", "answer": answer(number)}],
            }
            for number in range(QUESTIONS)
        ],
    }
    return json.dumps(document).encode()


PROMPT_SETS = replace(
    PromptSets.load(None),
    eloquent_2025=registered_questions(
        (f"{one}_2025.json", question_file("any", one, 3)) for one in ("en", "fi", "sv")
    ),
)


def test_systems_of_2025_are_ranked_by_their_run_over_all_its_files(house: House) -> None:
    for system, shared in (("keel", 3), ("tide", 1)):
        for language in ("en", "fi"):
            house.submit(question_file(system, language, shared), f"{system}_{language}.json")
    house.submit(question_file("early", "en", 4), "early.json")
    rows = house.rows(CONSISTENCY)
    # Shared words of all: keel 4 of 6, tide 2 of 8.
    assert rows["keel"].figures["consistency_gated"].value == pytest.approx(5 * 4 / 6)
    assert rows["tide"].figures["consistency_gated"].value == pytest.approx(5 * 2 / 8)
    assert (rows["keel"].rank, rows["tide"].rank) == ((1, 1), (2, 2))
    assert rows["keel"].languages == ("en", "fi")
    assert rows["keel"].attempts == 1  # two files, one run
    assert rows["early"].rank is None
    assert rows["early"].note.startswith("not ranked: answers in one language (en)")
    assert list(rows) == ["keel", "tide", "early"]


def test_the_board_of_2025_names_the_questions_that_decide_and_links_to_the_leaders_answers(house: House) -> None:
    # At question 0 keel shares 4 of 4 words and tide none, at the 19 others keel none and tide 1: of all words 5/5 and
    # 1/9, then 1/9 and 2/8. tide is 5/36 ahead 19 times and 32/36 behind once: with 6 of the 19 left, 30/36, it is
    # behind, with 7 ahead. So 13 go.
    for system, of_first, of_others in (("keel", 4, 0), ("tide", 0, 1)):
        for language in ("en", "fi"):
            document = json.loads(question_file(system, language, of_others))
            document["questions"][0] = json.loads(question_file(system, language, of_first))["questions"][0]
            house.submit(json.dumps(document).encode(), f"{system}_{language}.json")
    table = house.screen.tables["consistency"]
    rows = house.rows(CONSISTENCY)
    [said] = table.first_place(CONSISTENCY)
    assert said["claim"] == "13 of 20 questions decide who is first"
    assert said["after"] == " and 7 more, keel leads."
    assert said["items"][0]["label"] == "1"
    assert said["items"][0]["href"] == f"consistency?system={rows['tide'].id}&item=1"


def test_the_board_of_2025_says_which_language_hurts_most_in_its_caption_and_in_its_file(house: House) -> None:
    # English and Swedish say the same, Finnish shares two of eight words with either: 5 x 2 / 8 = 1.25.
    # fi (1.25 + 1.25) / 2, en and sv (5 + 1.25) / 2 = 3.125 in every question: 1.25 - 3.125 = -1.875.
    for language, shared in (("en", 4), ("fi", 1), ("sv", 4)):
        house.submit(question_file("keel", language, shared), f"{language}.json")
    table = house.screen.tables["consistency"]
    assert table.caption(CONSISTENCY).endswith(
        "; Finnish hurts most: -1.88 [-1.88, -1.88] against the mean of the other languages (n = 20)"
    )
    record = json.loads(table.json(CONSISTENCY))["languages"]
    assert (record["hurts_most"], record["questions"], record["systems"]) == ("fi", QUESTIONS, 1)
    assert [(line["language"], line["difference"], line["n"]) for line in record["languages"]] == [
        ("fi", pytest.approx(-1.875), QUESTIONS),
        ("en", pytest.approx(3.125 - (3.125 + 1.25) / 2), QUESTIONS),
        ("sv", pytest.approx(3.125 - (3.125 + 1.25) / 2), QUESTIONS),
    ]


def test_a_board_of_two_languages_cannot_say_which_one_hurts(house: House) -> None:
    for language in ("en", "fi"):
        house.submit(question_file("keel", language, 3), f"{language}.json")
    table = house.screen.tables["consistency"]
    assert "language" not in table.caption(CONSISTENCY)
    assert "languages" not in json.loads(table.json(CONSISTENCY))


def test_an_opened_2025_run_shows_its_languages_and_questions(house: House) -> None:
    for language in ("en", "fi"):
        ticket = house.submit(question_file("keel", language, 3), f"{language}.json")
    state = opened_run(CONSISTENCY, ticket)
    languages, questions = house.screen.languages_table(state), house.screen.parts_table(state)
    head = house.screen.run_notice(state)
    assert languages is not None
    assert questions is not None
    assert head is not None
    assert [[cell["text"] for cell in row["cells"]][:4] for row in languages["rows"]] == [
        # 20 questions of 3.33: one more at an end weighs at most 1 - 0.025^(1/20) = 0.168: 3.33 x 0.832 = 2.77 and 3.33
        # + 1.67 x 0.168 = 3.61; all of 20 on topic: 0.025^(1/20) = 0.83.
        [language, "20", "3.33 [2.77, 3.61]", "1.00 [0.83, 1.00]"]
        for language in ("en", "fi")
    ]
    assert len(questions["rows"]) == QUESTIONS
    # What made the figures is folded, and nothing of it stands above.
    assert any(line.startswith("Judged by ") for line in head["folded"])
    assert not any("revision" in line for line in head["lines"])
    assert all(row["cells"][0]["opens"] for row in questions["rows"])
    assert not any(cell["opens"] for row in languages["rows"] for cell in row["cells"])
    assert house.screen.pairs_table(state) is None
    assert head["title"] == "keel · aurora · 1"
    assert head["lines"][0].startswith("keel keeps 3.33 [2.77, 3.61] of 5 points when only the language changes")
    assert head["lines"][1].startswith("Score 3.33 [2.77, 3.61]")
    standing = standing_row(house.store.require(ticket))
    assert standing is not None
    assert address_of(standing) == f"consistency?system={ticket}"
    elsewhere = house.screen.run_notice(opened_run(CULTURAL, ticket))
    assert elsewhere is not None
    assert elsewhere["title"] == "This submission has no result to show."


def test_runs_of_2026_stand_with_their_figures_and_why_they_are_not_ranked(house: House) -> None:
    ticket = house.submit(zipped(run_files()), "aurora.zip")
    (row,) = house.rows(CULTURAL).values()
    assert row.figures["cd"].value == pytest.approx(0.0, abs=1e-12)  # the same answers in every language
    assert row.note.startswith("not ranked: partial: a rank needs 5 languages")
    state = opened_run(CULTURAL, ticket)
    languages, pairs = house.screen.languages_table(state), house.screen.pairs_table(state)
    assert languages is not None
    assert pairs is not None
    assert [column["label"] for column in languages["columns"]][:3] == ["Language", "Answered", "On topic"]
    assert len(pairs["rows"]) == 10
    assert not any(cell["opens"] for row in pairs["rows"] for cell in row["cells"])
    questions = house.screen.parts_table(state)
    assert questions is not None
    # The same answer in every language and to every culture: response 0, CD 0, CR 1, in all ten pairs.
    cells = [[cell["text"] for cell in row["cells"]] for row in questions["rows"]]
    zeros = ("0.00", "0.00", "0.00")
    assert cells == [[number, *zeros, "0.00", "1.00", "0.00", "1.00", "10/10"] for number in ("1", "2", "3")]
    assert all(row["cells"][0]["opens"] for row in questions["rows"])
    assert house.screen.state_notice(CULTURAL) is None  # the sentence above the table says that nobody is ranked


def test_a_link_to_a_question_or_pair_that_the_run_does_not_have_says_so(house: House) -> None:
    for language in ("en", "fi"):
        of_2025 = house.submit(question_file("keel", language, 3), f"{language}.json")
    of_2026 = house.submit(zipped(run_files()), "aurora.zip")
    known = [
        ConsistencyState(system=of_2025, item="7", pair="1-2"),
        CulturalState(system=of_2026, item="2", pair="en-sv"),
        CulturalState(system=of_2026),
        CulturalState(system="nobody", item="2"),  # the page says what became of the run
    ]
    assert [house.screen.understood(state) for state in known] == [(state, []) for state in known]
    state, notes = house.screen.understood(ConsistencyState(system=of_2025, item="77", pair="1-2"))
    assert state == ConsistencyState(system=of_2025)
    assert notes == [
        "The link's item (77) is unknown here and was ignored.",
        "The link's pair (1-2) is unknown here and was ignored.",
    ]
    state, notes = house.screen.understood(CulturalState(system=of_2026, item="2", pair="sv-en"))
    assert (state.item, state.pair, len(notes)) == ("2", "", 1)


def test_an_empty_edition_says_how_to_submit(house: House) -> None:
    for state, words in ((CONSISTENCY, "one JSON file for each language"), (CULTURAL, "one zip")):
        notice = house.screen.state_notice(state)
        assert notice is not None
        assert words in notice["lines"][0]
    assert house.screen.state_notice(CulturalState(system="abc")) is None


def test_reset_closes_what_is_open() -> None:
    assert first_look(CulturalState(system="abc", item="7", pair="en-sv")) == CULTURAL


def test_a_link_names_an_edition_and_a_run() -> None:
    assert opened({"tab": "cultural", "system": "abc", "sort": "cd"}).state == CulturalState(
        system="abc", table=replace(CULTURAL.table, sort="cd")
    )


def test_the_manifest_of_an_opened_run_names_its_files_and_figures(house: House) -> None:
    for language in ("en", "fi"):
        ticket = house.submit(question_file("keel", language, 3), f"{language}.json")
    assert house.screen.manifest(CONSISTENCY) is None
    file = house.screen.manifest(opened_run(CONSISTENCY, ticket))
    assert file is not None
    assert file["name"] == f"plumbline-manifest-{ticket}.json"
    manifest = read_edition_manifest(file["text"].encode())
    assert manifest is not None
    sha256s = {one.file_name: one.file_sha256 for one in house.store.tickets()}
    assert {f"{one.language}.json": one.sha256 for one in manifest.files} == sha256s
    assert manifest.figures["consistency_gated"].value == pytest.approx(5 * 4 / 6)


def test_the_way_back_from_a_run_leads_to_the_prompt_set_it_stands_on(house: House) -> None:
    first = house.submit(question_file("keel", "en", 3), "en.json")
    ours = dict(examples_of_2025())["tide_en.json"]
    second = house.submit(ours, "tide_en.json")
    # The edition's set stands first, as it has a team's run: it needs no word in the link.
    assert house.screen.closed(ConsistencyState(system=first)) == CONSISTENCY
    assert house.screen.closed(ConsistencyState(system=second)) == ConsistencyState(set="demonstration-2025")
    assert set(house.rows(CONSISTENCY)) == {"keel"}
    assert set(house.rows(ConsistencyState(set="demonstration-2025"))) == {"tide"}


def test_a_link_to_a_prompt_set_that_the_edition_does_not_have_says_so(house: House) -> None:
    state, notes = house.screen.understood(CulturalState(set="demonstration-2025"))
    assert (state, notes) == (CULTURAL, ["The link's set (demonstration-2025) is unknown here and was ignored."])
