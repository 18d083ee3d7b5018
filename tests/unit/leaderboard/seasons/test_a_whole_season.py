"""A season from its preview to the next one, on a clock that is set: nothing later changes the frozen board."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from evaluator.values import Pin
from leaderboard.page.answer_card import measured_head
from leaderboard.page.registered import BoardTools
from leaderboard.page.services import Services
from leaderboard.seasons.freezing import NotFrozen, freeze
from leaderboard.seasons.report import season_report
from leaderboard.seasons.season_boards import SeasonBoards
from leaderboard.site.export import board_exports
from submissions.archive.record import Archive
from submissions.archive.restoring import restore
from submissions.commands.season import season_lines
from submissions.desk import ChoiceOver, Desk, Receipt
from submissions.formats.eloquent.template import submission_template
from submissions.problems import SubmissionError
from submissions.promptsets import PromptSets
from submissions.schema import Names
from submissions.seasons.calendar import SeasonNotOpen
from submissions.seasons.frozen import frozen_boards
from submissions.seasons.season_store import PublicStore
from submissions.settings import Settings
from submissions.store.queue import Act, ActKind, NotYours
from submissions.store.quotas import QuotaExceeded
from submissions.store.store import Store, StoreError
from tests.pdflatex import compiled
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result
from tests.unit.submissions.seasons.made_seasons import AUTUMN, SPRING, SetClock, at, made_seasons

LIMITED = f"""{SPRING}attempts_per_day = 2
contact = "organisers@example.org"
terms = "Be fair."
[public]
scores = 2026-04-10T12:00:00
"""
ITEMS = [f"9{number:02}" for number in range(1, 13)]


class Task:
    """A shared task with its teams."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = SetClock(at("2026-02-01T00:00:00+00:00"))
        self.store = Store.open(f"sqlite:///{folder / 'plumbline.db'}", clock=self.clock)
        self.seasons = made_seasons(folder / "seasons", spring=LIMITED, autumn=AUTUMN)
        self.archive = Archive(folder / "archive")
        self.desk = Desk(self.store, self.archive, PromptSets.load(None), self.clock, seasons=self.seasons)
        self.settings = Settings.from_env({})
        self.template = json.loads(submission_template(self.desk.prompt_sets.demonstration))

    def sent(self, team: str, run: str = "1", system: str = "") -> Receipt:
        """What a team gets for a run whose every answer is its own."""
        document = json.loads(json.dumps(self.template))
        root = document["eloquent-robustness-results"]
        root["source"] = team
        for item in root["items"]:
            for number, response in enumerate(item["responses"]):
                response["response"] = f"Answer {number} of {team}, run {run}, to item {item['id']}."
        names = Names(system=system or f"{team} & co_1", model="m", run=run)
        file = json.dumps(document).encode()
        return self.desk.submit(file, f"{team}.json", owner=team, names=names, accepts_terms=True)

    def scored(self, rating: float, gate: Pin | None = None) -> None:
        """The next of the queue gets these ratings, and was gated by that head."""
        job = self.store.claim("worker")
        assert job is not None
        # Not all alike: intervals want something to draw from.
        ratings = {item: min(5.0, max(0.5, rating + 0.1 * (place % 3))) for place, item in enumerate(ITEMS)}
        result = robustness_result(ratings).model_copy(update={"gate": gate})
        self.store.finish(job.id, "worker", result.model_dump_json())

    def shown(self) -> dict[str, tuple[bool, str]]:
        """Team -> is its row ranked, and its note: the demonstration board as everybody sees it."""
        public = PublicStore(self.store, self.seasons, self.clock)
        tools = BoardTools(Services(store=public, desk=self.desk, settings=self.settings))
        export = next(
            one
            for one in board_exports(tools)
            if one.about["board"] == "robustness" and "demonstration" in one.about.values()
        )
        rows = sorted(export.table.rows(export.state), key=lambda row: row.rank is not None)
        return {row.team: (row.rank is not None, row.note) for row in rows}  # of several rows of a team the ranked one

    def frozen(self) -> bytes:
        """The bytes that were kept for spring."""
        return self.archive.object(frozen_boards(self.store.acts())["spring"].sha256)


@pytest.fixture
def task(tmp_path: Path) -> Iterator[Task]:
    task = Task(tmp_path)
    yield task
    task.store.close()


def frozen_by(task: Task) -> str:
    """Freezes spring; its checksum."""
    return freeze(task.store, task.desk, task.settings, task.seasons.named("spring"), actor="operator").cell


def test_a_whole_season(task: Task, tmp_path: Path) -> None:
    # Before it opens.
    with pytest.raises(SeasonNotOpen, match="It opens at 2026-03-01 00:00:00 CET"):
        task.sent("team00")
    # Forty teams, each within its quota.
    task.clock.set("2026-03-10T12:00:00+00:00")
    teams = [f"team{number:02}" for number in range(40)]
    for place, team in enumerate(teams):
        task.sent(team)
        task.scored(1.0 + 0.08 * place)
    task.sent("team39", run="2")
    task.scored(4.5)
    # Two files are refused: one at a check, twice, the other one when it is submitted.
    for _ in range(2):
        task.desk.count_refusal(task.desk.check(b"{", "unread.json"))
    with pytest.raises(SubmissionError):
        task.desk.submit(json.dumps(task.template).encode(), "blank.json", owner="team38")
    with pytest.raises(QuotaExceeded, match="has used 2 of 2 attempts"):
        task.sent("team39", run="3")
    assert task.shown() == {}  # scores are private
    # The deadline is 23:59:59 in Berlin (UTC+2 by then): one second later it is 08:00:00 of the next day in Brisbane.
    task.clock.set("2026-04-01T08:00:00+10:00")
    late = task.sent("latecomer")
    assert late.season[0].startswith("Late by 1 s: Spring closed at 2026-03-31 23:59:59 CEST")
    with pytest.raises(NotFrozen, match="freezes at 2026-04-10 12:00:00 CEST"):
        frozen_by(task)
    task.scored(5.0)
    task.clock.set("2026-04-10T10:00:00+00:00")
    before = task.shown()
    assert before["latecomer"] == (False, "not ranked: late for the season Spring by 1 s")
    assert sum(ranked for ranked, _ in before.values()) == 40
    # Frozen: forty-one rows of forty teams, nobody late.
    sha256 = frozen_by(task)
    copy = task.frozen()
    assert hashlib.sha256(copy).hexdigest() == sha256
    body = json.loads(copy)
    assert len(body["manifests"]) == 41
    assert {row["team"] for board in body["boards"] for row in board["rows"]} == set(teams)
    assert all(manifest["judges"] for manifest in body["manifests"])
    with pytest.raises(StoreError, match=f"is frozen since .* {sha256}"):
        frozen_by(task)
    # The report.
    spring = task.seasons.named("spring")
    out = tmp_path / "report"
    boards = SeasonBoards(task.store, task.desk, task.settings, spring)
    season_report(task.store, boards, out, task.clock())
    counted = {line["what"]: line["count"] for line in table(out / "participation.csv")}
    assert counted == {
        # Who came late accepted the terms before its file: 40 teams and one.
        "registered accounts: they accepted the terms": "41",
        **{"accounts": "40", "teams": "40", "systems": "40", "submissions in time": "41"},
        **{"of these scored": "41", "late submissions": "1"},
        "accounts that accepted terms version " + hashlib.sha256(b"Be fair.").hexdigest()[:8]: "41",
        "files that the check refused": "2",
        **{f"of these with the error {code}": "1" for code in ("all_empty", "json_syntax", "source_placeholder")},
    }
    assert len(list((out / "manifests").iterdir())) == 41
    assert len(list((out / "answers").iterdir())) == 41
    index = json.loads((out / "index.json").read_text())
    assert index["frozen_sha256"] == sha256
    assert all(hashlib.sha256((out / path).read_bytes()).hexdigest() == one for path, one in index["sha256"].items())
    lines = table(out / "submissions.csv")
    assert [line["late_by"] for line in lines if line["team"] == "latecomer"] == ["1 s"]
    ranks = table(out / "ranks.csv")
    assert ranks[0]["team"] == "team39"
    figures = sorted(path.name for path in (out / "figures").iterdir())
    assert [name.rpartition("-")[2] for name in figures] == ["ranks.pdf", "scores.pdf"] * (len(figures) // 2)
    assert figures
    for name in figures:
        pdf = (out / "figures" / name).read_bytes()
        assert (pdf[:5], b"/FontFile2" in pdf) == (b"%PDF-", True)  # its fonts are in it
    document = (out / "report.tex").read_text(encoding="utf-8")
    assert "where it was made anew during the season, those from before are missing" in document
    ethics = document.partition("\\section{Ethics and licences}")[2]
    assert "Be fair." in ethics
    assert "Apache" in ethics  # of our own texts
    assert compiled(out)
    # A team keeps its answers: they are in no file of a report made from then on, its scores are.
    kept = [one.id for one in task.store.tickets() if one.names.team == "team39"]
    task.desk.act("keep_answers", kept[0], actor="team39", owner="team39")
    second = tmp_path / "second"
    season_report(task.store, boards, second, task.clock())
    assert not {path.stem for path in (second / "answers").iterdir()} & set(kept)
    assert (len(list((second / "answers").iterdir())), len(kept)) == (39, 2)
    assert table(second / "ranks.csv") == ranks
    assert "1 team keeps its answers out of public exports" in (second / "report.tex").read_text(encoding="utf-8")
    # Everything that may come afterwards.
    gone = next(one.id for one in task.store.tickets() if one.names.team == "team05")
    task.desk.withdraw(gone, "team05")
    task.desk.erase(gone, actor="team05", reason="asked for by its team", owner="team05")
    task.desk.act("hide", next(one.id for one in task.store.tickets() if one.names.team == "team06"), actor="operator")
    task.clock.set("2026-09-01T00:00:00+00:00")
    task.sent("team07", run="2")
    task.scored(4.9)
    now = task.shown()
    assert now["team07"][0]
    assert now["team08"] == (False, "not ranked: of the season Spring, which is over")
    assert task.frozen() == copy
    shown = season_lines(spring, task.store, task.clock())
    assert "sha256 " + sha256 in shown
    assert any(line.endswith("accepted by accounts: 41") for line in shown)
    # And on another machine, from the archive.
    task.archive.catch_up(task.store)
    again = Store.open(f"sqlite:///{tmp_path / 'again.db'}")
    restore(task.archive, again)
    assert frozen_boards(again.acts())["spring"].sha256 == sha256
    again.close()


def test_a_board_is_not_frozen_while_a_run_of_it_waits(task: Task) -> None:
    task.clock.set("2026-03-10T12:00:00+00:00")
    ticket = task.sent("team00").ticket.id
    task.clock.set("2026-04-10T10:00:00+00:00")
    with pytest.raises(NotFrozen, match=f"1 submissions .* {ticket} \\(queued\\)"):
        frozen_by(task)


def test_a_board_is_not_frozen_while_an_earlier_answer_head_gated_a_row_of_it(task: Task) -> None:
    task.clock.set("2026-03-10T12:00:00+00:00")
    now = measured_head().judge
    ticket = task.sent("team00").ticket.id
    task.scored(3.0, now.model_copy(update={"prompt": "answer-calibration 1"}))
    task.clock.set("2026-04-10T10:00:00+00:00")
    with pytest.raises(NotFrozen, match=f"1 rows .* {ticket}. Wait until .* or start python -m evaluator rejudge-all"):
        frozen_by(task)
    assert task.store.requeue(ticket, "judged again")
    task.scored(3.0, now)
    assert frozen_by(task)


def test_organisers_of_a_space_freeze_and_report_too(task: Task, tmp_path: Path) -> None:
    task.clock.set("2026-03-10T12:00:00+00:00")
    task.sent("team00")
    task.scored(3.0)
    task.clock.set("2026-04-10T10:00:00+00:00")
    task.settings = Settings.from_env({"SPACE_ID": "owner/plumbline"})
    sha256 = frozen_by(task)
    assert hashlib.sha256(task.frozen()).hexdigest() == sha256
    boards = SeasonBoards(task.store, task.desk, task.settings, task.seasons.named("spring"))
    assert "report.tex" in season_report(task.store, boards, tmp_path / "report", task.clock())


def test_of_a_team_one_run_is_ranked_where_the_season_says_so(task: Task, tmp_path: Path) -> None:
    one_run = LIMITED.replace("attempts_per_day = 2", "one_primary_run = true").partition("[public]")[0]
    task.seasons = made_seasons(tmp_path / "others", spring=one_run)
    task.desk = Desk(task.store, task.archive, task.desk.prompt_sets, task.clock, seasons=task.seasons)
    task.clock.set("2026-03-10T12:00:00+00:00")
    first = task.sent("team00", run="1").ticket.id
    task.scored(3.0)
    task.clock.set("2026-03-11T12:00:00+00:00")
    second = task.sent("team00", run="2", system="another").ticket.id
    task.scored(4.0)
    task.clock.set("2026-03-12T12:00:00+00:00")
    third = task.sent("team00", run="3").ticket.id

    def ranked(store: Store) -> set[str]:
        public = PublicStore(store, task.seasons, task.clock)
        tools = BoardTools(Services(store=public, desk=task.desk, settings=task.settings))
        exports = [one for one in board_exports(tools) if one.about["board"] == "robustness"]
        return {row.id for one in exports for row in one.table.rows(one.state) if row.rank is not None}

    def choose(ticket: str, kind: ActKind = "primary", owner: str | None = "team00") -> Act:
        return task.desk.act(kind, ticket, actor=owner or "operator", owner=owner)

    assert ranked(task.store) == {second}
    # The run chosen last is the one, whichever was received last and whichever system is whose.
    assert choose(second).words == "chosen as the run its team is ranked by"
    choose(first)
    assert ranked(task.store) == {first}
    # One that waits may be chosen: it is ranked once it is scored.
    choose(third)
    assert ranked(task.store) == {second}
    task.scored(2.0)
    assert ranked(task.store) == {third}
    # Taken back, the latest is the one again, and none of the earlier choices.
    choose(third, "latest")
    assert [one.id for one in task.store.tickets() if one.is_primary] == []
    choose(first)
    task.clock.set("2026-03-31T21:59:59+00:00")  # the deadline's second, in Berlin 23:59:59
    choose(second)
    task.clock.set("2026-03-31T22:00:00+00:00")
    with pytest.raises(ChoiceOver, match=r"Spring closed at 2026-03-31 23:59:59 CEST .* organisers@"):
        choose(first)
    with pytest.raises(NotYours):
        choose(first, owner="team01")
    late = task.sent("team00", run="4").ticket.id
    with pytest.raises(ChoiceOver, match="is late for the season Spring by 1 s: it is not ranked"):
        choose(late, owner=None)
    task.scored(5.0)
    # Organisers may until the board is frozen.
    choose(first, owner=None)
    assert ranked(task.store) == {first}
    task.archive.catch_up(task.store)
    with closing(Store.open(f"sqlite:///{tmp_path / 'again.db'}", clock=task.clock)) as again:
        restore(task.archive, again)
        assert ranked(again) == {first}
    task.clock.set("2026-04-10T10:00:00+00:00")
    frozen_by(task)
    rows = [row for board in json.loads(task.frozen())["boards"] for row in board["rows"]]
    assert {row["run"] for row in rows if row["rank"]} == {"1"}
    with pytest.raises(ChoiceOver, match="the board of the season Spring is frozen since 2026-04-10 10:00:00 UTC"):
        choose(second, owner=None)
    boards = SeasonBoards(task.store, task.desk, task.settings, task.seasons.named("spring"))
    season_report(task.store, boards, tmp_path / "report", task.clock())
    assert [one["ticket"] for one in table(tmp_path / "report" / "submissions.csv") if one["primary"]] == [first]


def table(path: Path) -> list[dict[str, str]]:
    """The lines of a CSV."""
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
