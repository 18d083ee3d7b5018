"""Fifty runs judged by another judge, killed in the middle: nothing stored is asked twice, and no row is ever gone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks.workers import distinct_files
from evaluator.__main__ import main
from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.evaluate import CannotBeJudged, evaluate_payload
from evaluator.judge_loading.loading import Scorer
from evaluator.judges.http.judge import connect
from evaluator.judges.http.settings import HttpJudgeSettings
from evaluator.judges.proof import QUESTIONS
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge, word_overlap
from evaluator.rejudging.board import Rejudging, Summary
from evaluator.values import Result
from evaluator.worker.loop import Worker
from leaderboard.boards.robustness.cache import Boards
from submissions.archive.record import Archive
from submissions.archive.restoring import restore
from submissions.desk import Desk
from submissions.promptsets import PromptSets
from submissions.schema import Names, VerdictChoices
from submissions.store.queue import REQUESTS_PER_BATCH, JobStatus
from submissions.store.store import Store
from submissions.store.verdict_keys import verdict_keys
from tests.service.handed_in import handed_in, watch
from tests.service.test_worker_killed import wait_for
from tests.stub_judge_server import StubJudgeServer
from tests.unit.submissions.formats.judge_verdicts.test_reader import as_csv, good_rows

ROOT = Path(__file__).parents[2]
RUNS = 50
PROMPT_SETS = PromptSets.load(None)
FORMER = ScriptedJudge(lambda request: 5.0 - word_overlap(request), script_version="former")
PATIENCE_S = 300.0


class House:
    """A data folder with scored runs of as many systems, all judged by the former judge."""

    def __init__(self, folder: Path, runs: int) -> None:
        self.folder = folder
        self.url = f"sqlite:///{folder / 'plumbline.db'}"
        self.store = Store.open(self.url)
        archive = Archive(folder / "archive")
        desk = Desk(self.store, archive, PROMPT_SETS)
        self.tickets = [desk.submit(data, "run.json", owner="anna").ticket.id for data in distinct_files(runs)]
        Worker(
            name="w",
            store=self.store,
            archive=archive,
            prompt_sets=PROMPT_SETS,
            scorer=Scorer(FORMER, ScriptedEmbedder()),
            stop=threading.Event(),
        ).run(until_empty=True)
        self.environ = os.environ | {
            "PLUMBLINE_DATA": str(folder),
            "PLUMBLINE_EMBEDDING": "scripted",
            "PLUMBLINE_FETCH_SETS": "0",
        }

    def judges(self) -> set[str]:
        """Which judges the results that stand are of."""
        found = (json.loads(self.store.result(ticket) or "") for ticket in self.tickets)
        return {f"{result['judge']['name']} {result['judge']['revision']}" for result in found}

    def keys(self) -> set[str]:
        """Of the verdicts all results rest on."""
        return {key for ticket in self.tickets for key in verdict_keys(self.store.result(ticket) or "")}

    def command(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "evaluator", "rejudge-all", *arguments],
            cwd=ROOT,
            env=self.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


@pytest.fixture
def house(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[House]:
    made = House(tmp_path / "data", getattr(request, "param", 2))
    yield made
    made.store.close()


@pytest.mark.parametrize("house", [RUNS], indirect=True)
def test_fifty_runs_killed_in_the_middle_are_finished_and_no_stored_verdict_is_asked_again(house: House) -> None:
    former = house.keys()
    watch(house.folder / "plumbline.db")
    killed = house.command("--judge", "scripted:0.001")
    assert wait_for(lambda: len(handed_in(house.folder / "plumbline.db", "verdicts")) > 2000, PATIENCE_S)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    before = handed_in(house.folder / "plumbline.db", "verdicts")
    assert house.judges() == {"scripted former"}  # every row stands as it stood
    assert house.store.counts()[JobStatus.SCORED] == RUNS

    again = house.command("--judge", "scripted:0.001")
    said, progress = again.communicate()
    assert again.returncode == 0, progress
    after = handed_in(house.folder / "plumbline.db", "verdicts")
    assert set(after.values()) == {1}
    assert after.keys() == house.keys()
    assert not after.keys() & former  # of another judge
    left = len(after) - len(before)
    assert 0 < left < len(after)
    assert said.splitlines() == [f"{RUNS} submissions judged again by scripted, {left:,} verdicts stored now"]
    assert f"{RUNS} of {RUNS} submissions scored" in progress
    assert f"{left:,} of {left:,} questions judged" in progress
    rows = Boards(house.store).rows("demonstration", "all")
    assert {row.judge.revision for row in rows} == {"word-overlap-1"}
    assert len(rows) == RUNS

    third = house.command("--judge", "scripted:0.001")
    assert third.communicate()[0].splitlines()[0] == "0 submissions judged again by scripted, 0 verdicts stored now"


def test_a_judge_behind_a_server_hears_every_question_once_but_the_batch_that_was_under_way(house: House) -> None:
    with StubJudgeServer(answer_s=0.02) as server:
        judge = f"http:{server.base_url}#stub@r1"
        with closing(connect(HttpJudgeSettings(server.base_url, "stub", "r1"))) as asked:
            plain = [
                str(asked.prompt(question.request)) for questions in QUESTIONS.values() for question in questions()
            ]

        def of_runs() -> Counter[str]:
            """How often each question of a submission was asked; a connection's probe and proof come each time."""
            of_connection = ("The capital of France is", *plain)
            arrivals = server.arrivals.copy()
            return Counter({prompt: n for prompt, n in arrivals.items() if not prompt.startswith(of_connection)})

        killed = house.command("--judge", judge)
        assert wait_for(lambda: of_runs().total() > 2 * REQUESTS_PER_BATCH, PATIENCE_S)
        killed.send_signal(signal.SIGKILL)
        killed.communicate()
        before = of_runs()
        again = house.command("--judge", judge)
        said, progress = again.communicate()
        assert again.returncode == 0, progress
        after = of_runs()
        twice = {prompt for prompt, arrivals in after.items() if arrivals > 1}
        assert twice <= before.keys()
        assert len(twice) <= REQUESTS_PER_BATCH
        assert max(after.values()) <= 2
        assert house.judges() == {f"http {asked.pin.revision}"}
    assert said.startswith("2 submissions judged again by http, ")


@pytest.mark.soak
def test_a_ray_data_pipeline_gives_the_same_results_to_the_byte_and_goes_on_after_a_kill(
    house: House, tmp_path: Path
) -> None:
    file = house.folder / "plumbline.db"
    watch(file)
    on_ray = ("--judge", "ray:local;actors=2#scripted:0.05", "--engine", "ray")
    killed = house.command(*on_ray)
    assert wait_for(lambda: bool(handed_in(file, "verdicts")), PATIENCE_S)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    before = handed_in(file, "verdicts")
    again = house.command(*on_ray)
    said, progress = again.communicate()
    assert again.returncode == 0, progress
    after = handed_in(file, "verdicts")
    assert set(after.values()) == {1}
    left = len(after) - len(before)
    assert 0 < left < len(after)
    assert said.splitlines() == [f"2 submissions judged again by scripted, {left:,} verdicts stored now"]
    for ticket, data in zip(house.tickets, distinct_files(2), strict=True):
        assert house.store.result(ticket) == scored(data).model_dump_json()


def scored(data: bytes) -> Result:
    return evaluate_payload(
        data,
        "run.json",
        edition="2024",
        names=Names(),
        prompt_sets=PROMPT_SETS,
        judge=RecordedJudge(ScriptedJudge(), MemoryVerdicts()),
        embedder=ScriptedEmbedder(),
    )


def rejudged(house: House, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """The command in this process."""
    monkeypatch.setenv("PLUMBLINE_EMBEDDING", "scripted")
    return main(["rejudge-all", "--data", str(house.folder), *arguments])


def test_what_was_judged_again_is_in_the_archive_and_its_reason_in_the_tickets_log(
    house: House, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert rejudged(house, monkeypatch, "--judge", "scripted", "--reason", "we trust word overlap") == 0
    ticket = house.store.require(house.tickets[0])
    assert ticket.log[-2].endswith("to be judged again: we trust word overlap")
    (act,) = house.store.acts(about=ticket.id)
    assert (act.actor, act.reason, act.at) == ("operator", "we trust word overlap", ticket.status_at)
    assert Archive(house.folder / "archive").catch_up(house.store) == len(house.tickets)  # their verdicts alone
    rebuilt = Store.open(f"sqlite:///{tmp_path / 'rebuilt.db'}")
    restore(Archive(house.folder / "archive"), rebuilt)
    for one in house.tickets:
        assert rebuilt.result(one) == house.store.result(one)
        assert rebuilt.require(one).status is JobStatus.SCORED
        assert rebuilt.acts(about=one) == house.store.acts(about=one)
    rebuilt.close()


def test_going_back_to_the_former_judge_asks_nothing(
    house: House, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first = {ticket: house.store.result(ticket) for ticket in house.tickets}
    assert rejudged(house, monkeypatch, "--judge", "scripted") == 0
    former = Rejudging(house.store, None, PROMPT_SETS, Scorer(FORMER, ScriptedEmbedder()), reason="back")
    standing = list(former.standing(["robustness"]))
    before = FORMER.calls
    former.score(standing, lambda _: None)
    assert former.summary.judged_anew == len(house.tickets)
    assert FORMER.calls == before
    assert {ticket: house.store.result(ticket) for ticket in house.tickets} == first


def test_a_run_withdrawn_meanwhile_stays_withdrawn_and_one_judged_meanwhile_keeps_that(house: House) -> None:
    rejudging = Rejudging(house.store, None, PROMPT_SETS, Scorer(ScriptedJudge(), ScriptedEmbedder()), reason="new")
    standing = list(rejudging.standing(["robustness"]))
    withdrawn, judged = house.tickets
    house.store.withdraw(withdrawn, "anna")
    by_other = ScriptedJudge(lambda request: 1.0, script_version="other")
    other = Rejudging(house.store, None, PROMPT_SETS, Scorer(by_other, ScriptedEmbedder()), reason="other")
    other.score(list(other.standing(["robustness"])), lambda _: None)
    rejudging.score(standing, lambda _: None)
    assert rejudging.summary == Summary(changed_meanwhile=2)
    assert house.store.require(withdrawn).status is JobStatus.WITHDRAWN
    assert json.loads(house.store.result(judged) or "")["judge"]["revision"] == "other"


def test_other_boards_and_results_no_judge_has_a_part_in_are_left_alone(
    house: House, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert rejudged(house, monkeypatch, "--judge", "scripted", "--board", "personalization") == 0
    assert house.judges() == {"scripted former"}
    table = as_csv(good_rows())
    ticket = house.store.add(
        ticket_id="table",
        owner="anna",
        role="entry",
        edition="",
        set_id="judge-verdicts",
        names=Names(team="a"),
        choices=VerdictChoices(options=3),
        file_name="t.csv",
        data=table,
        received_at=0.0,
    )
    Worker(
        name="w",
        store=house.store,
        archive=None,
        prompt_sets=PROMPT_SETS,
        scorer=Scorer(FORMER, ScriptedEmbedder()),
        stop=threading.Event(),
    ).run(until_empty=True)
    stands = house.store.result(ticket.id)
    assert stands is not None, house.store.require(ticket.id).reason
    capsys.readouterr()
    assert rejudged(house, monkeypatch, "--judge", "scripted") == 0
    assert house.store.result(ticket.id) == stands
    assert "1 stay as they are" in capsys.readouterr().out


def test_a_run_the_judge_can_never_score_keeps_its_result_and_is_named(
    house: House, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuses(*_: object, **__: object) -> Result:
        raise CannotBeJudged("it reads no such thing")

    before = house.judges()
    monkeypatch.setattr("evaluator.rejudging.board.score_stored", refuses)
    assert rejudged(house, monkeypatch, "--judge", "scripted") == 1
    assert f"{house.tickets[0]} keeps its result: it reads no such thing" in capsys.readouterr().out
    assert house.judges() == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--data", "nowhere"], "--data: found no folder nowhere"),
        (["--reason", " "], "--reason is blank"),
        (["--judge", "oracle"], "no judge is called 'oracle'"),
        (["--judge", "ray:moon#pair", "--engine", "ray"], "ray: found the address 'moon'"),
    ],
)
def test_wrong_use_ends_with_one_sentence(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path))
    with pytest.raises(SystemExit) as ended:
        main(["rejudge-all", *arguments])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def test_a_ray_client_address_is_refused_by_the_pipeline(
    house: House, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert rejudged(house, monkeypatch, "--judge", "ray:ray://head:10001#scripted", "--engine", "ray") == 1
    assert "found ray://head:10001, expected local or auto" in capsys.readouterr().err
    assert house.judges() == {"scripted former"}
