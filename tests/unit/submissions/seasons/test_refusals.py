"""What the check refuses during a season is counted by its faults, and nothing of any file is kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.formats.eloquent.template import submission_template
from submissions.problems import SubmissionError
from submissions.promptsets import PromptSets
from submissions.schema import VerdictChoices
from submissions.seasons.season_store import PublicStore
from submissions.store.database import opened_engine
from submissions.store.refusals import Refused
from submissions.store.store import Store, StoreUnavailable
from tests.unit.submissions.seasons.made_seasons import SPRING, SetClock, made_seasons

EDITION_2026 = SPRING.replace('set = "demonstration"', 'set = "eloquent-2026"')
OFFICIAL = SPRING.replace('set = "demonstration"', 'set = "eloquent-2024"')
VERDICTS = SPRING.replace('set = "demonstration"', 'set = "judges"')
NO_TEAM = b"""judge,task,model,query,benchmark,order,verdict
g,t,m,1,mtbench,original,A
g,t,m,1,mtbench,swapped,B
"""


class Counting:
    """A desk in the middle of seasons."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = SetClock(0.0)
        self.clock.set("2026-03-10T23:59:59+00:00")
        self.url = f"sqlite:///{folder / 'plumbline.db'}"
        self.store = Store.open(self.url, clock=self.clock)

    def desk(self, **seasons: str) -> Desk:
        made = made_seasons(self.folder / f"seasons-{'-'.join(seasons)}", **seasons)
        return Desk(self.store, Archive(self.folder / "archive"), PromptSets.load(None), self.clock, seasons=made)

    def rows(self) -> list[tuple[str, str, str, int]]:
        engine = opened_engine(self.url)
        with engine.connect() as connection:
            found = connection.execute(text("SELECT season, day, code, number FROM refusals ORDER BY 1, 2, 3"))
            rows = [(row.season, row.day, row.code, row.number) for row in found]
        engine.dispose()
        return rows


@pytest.fixture
def counting(tmp_path: Path) -> Iterator[Counting]:
    made = Counting(tmp_path)
    yield made
    made.store.close()


def blank(desk: Desk, **changed: object) -> bytes:
    """A template nobody filled, refused for that alone."""
    document = json.loads(submission_template(desk.prompt_sets.demonstration))
    document["eloquent-robustness-results"] |= {"source": "Unmistakable Team", **changed}
    return json.dumps(document).encode()


def test_a_file_counts_once_with_each_of_its_errors_by_day(counting: Counting) -> None:
    desk = counting.desk(spring=SPRING)
    # Checked twice, then submitted: one file. Its note and warnings are no reasons.
    file = blank(desk, items=[], year=2024)
    report = desk.check(file, "secret.json")
    errors = {"items_missing"}
    assert set(report.problems_by_code) > errors
    desk.count_refusal(report)
    desk.count_refusal(desk.check(file, "other name.json"))
    with pytest.raises(SubmissionError):
        desk.submit(file, "secret.json", owner="anna")
    counting.clock.now += 2  # the next day
    desk.count_refusal(desk.check(blank(desk), "secret.json"))
    assert counting.rows() == [
        ("spring", "2026-03-10", "", 1),
        *(("spring", "2026-03-10", code, 1) for code in sorted(errors)),
        ("spring", "2026-03-11", "", 1),
        ("spring", "2026-03-11", "all_empty", 1),
    ]
    assert counting.store.refused("spring").files == 2
    assert counting.store.refused("autumn") == Refused()


def test_what_is_accepted_or_outside_of_the_season_is_not_counted(counting: Counting) -> None:
    desk = counting.desk(spring=SPRING)
    document = json.loads(blank(desk))
    for item in document["eloquent-robustness-results"]["items"]:
        for number, response in enumerate(item["responses"]):
            response["response"] = f"Answer {number} to {item['id']}."
    report = desk.check(json.dumps(document).encode(), "a.json")
    assert report.decision != "refused"
    desk.count_refusal(report)
    for moment in ("2026-02-28T12:00:00+00:00", "2026-03-31T22:00:00+00:00"):  # before, and one second late
        counting.clock.set(moment)
        desk.count_refusal(desk.check(b"{", "a.json"))
    assert counting.rows() == []


def test_what_submitting_alone_finds_is_counted(counting: Counting) -> None:
    desk = counting.desk(judges=VERDICTS)
    with pytest.raises(SubmissionError):
        desk.submit(NO_TEAM, "verdicts.csv", owner="anna", choices=VerdictChoices(3, "r"))
    assert counting.store.refused("judges") == Refused(1, {"source_missing": 1})


def test_a_file_is_counted_for_the_season_it_was_meant_for(counting: Counting) -> None:
    desk = counting.desk(spring=SPRING, culture=EDITION_2026, judges=VERDICTS)
    unread_2026 = b'{"label": "eloquent-2026-cultural", "team": "x"}'
    for file, name in (
        (blank(desk), "a.json"),  # of the demonstration set
        (unread_2026, "b.json"),  # of the edition of one season's set
        (b"judge,benchmark\n", "c.csv"),  # of another kind
        (b"{", "d.json"),  # of whatever: three seasons are open
    ):
        desk.count_refusal(desk.check(file, name))
    assert {season: counting.store.refused(season).files for season in ("spring", "culture", "judges")} == {
        "spring": 1,
        "culture": 1,
        "judges": 1,
    }


def test_where_two_seasons_of_an_edition_are_open_none_is_guessed(counting: Counting) -> None:
    desk = counting.desk(spring=SPRING, official=OFFICIAL)
    desk.count_refusal(desk.check(blank(desk, items=[]), "a.json"))
    assert counting.rows() == []


def test_nothing_of_a_file_is_kept(counting: Counting) -> None:
    desk = counting.desk(spring=SPRING)
    desk.count_refusal(desk.check(blank(desk), "Unmistakable.json"))
    counting.store.close()
    for file in counting.folder.rglob("*"):
        if file.is_file() and file.suffix != ".toml":
            assert b"Unmistakable" not in file.read_bytes(), file


def test_a_check_is_answered_though_the_database_is_gone(counting: Counting, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: object) -> None:
        raise StoreUnavailable("the database does not answer")

    desk = counting.desk(spring=SPRING)
    monkeypatch.setattr(counting.store, "count_refusal", gone)
    desk.count_refusal(desk.check(blank(desk), "a.json"))


def test_counts_are_the_same_for_whoever_reads_through_the_seasons(counting: Counting) -> None:
    desk = counting.desk(spring=SPRING)
    desk.count_refusal(desk.check(blank(desk), "a.json"))
    shown = PublicStore(counting.store, desk.seasons, counting.clock)
    assert shown.refused("spring") == Refused(1, {"all_empty": 1})
