"""The worker: every job is settled one way or the other, and the next one is still judged."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.evaluate import evaluate_payload
from evaluator.judge_loading.loading import Scorer
from evaluator.judges.protocol import JudgeLost, JudgeRequest, Judgment
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.judges.scripted import ScriptedJudge
from evaluator.results import RobustnessResult
from evaluator.robustness.edition_results import ConsistencyResult, CulturalResult
from evaluator.worker.loop import Worker
from submissions.archive.record import Archive
from submissions.archive.restoring import restore
from submissions.desk import Desk
from submissions.promptsets import PromptSets, example_submissions
from submissions.schema import Names
from submissions.store.queue import JobStatus
from submissions.store.store import Store
from tests.unit.submissions.formats.eloquent.cultural_files import run_files, zipped

PROMPT_SETS = PromptSets.load(None)
EXAMPLE = dict(example_submissions())["tide.json"]


class House:
    """A store with its archive and desk, and workers on demand."""

    def __init__(self, folder: Path, lease_s: float = 0.06) -> None:
        self.store = Store.open(f"sqlite:///{folder / 'plumbline.db'}", lease_s=lease_s, max_attempts=3)
        self.archive = Archive(folder / "archive")
        self.desk = Desk(self.store, self.archive, PROMPT_SETS)
        self.prompt_sets = PROMPT_SETS
        self.stop = threading.Event()

    def submit(self, data: bytes = EXAMPLE, **names: str) -> str:
        return self.desk.submit(data, "run.json", owner="local", names=Names(**names)).ticket.id

    def work(self, judge: ScriptedJudge | None = None) -> None:
        """Works until nothing is left, waiting out the pauses between attempts."""
        worker = Worker(
            name="w",
            store=self.store,
            archive=self.archive,
            prompt_sets=self.prompt_sets,
            scorer=Scorer(judge or ScriptedJudge(), ScriptedEmbedder()),
            stop=self.stop,
        )
        for _ in range(20):
            worker.run(until_empty=True)
            if self.stop.is_set() or not any(ticket.status.is_open for ticket in self.store.tickets()):
                return
            threading.Event().wait(0.02)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path)
    yield made
    made.store.close()


def with_answer(text: str, item: int, response: int) -> bytes:
    document = json.loads(EXAMPLE)
    document["eloquent-robustness-results"]["items"][item]["responses"][response]["response"] = text
    return json.dumps(document).encode()


class Failing(ScriptedJudge):
    """Raises on requests whose first answer says so."""

    def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        if any("BOOM" in request.fields["answer_a"] for request in requests):
            raise MemoryError("the judge ran out of memory")
        return super().judge(requests)


class Lost(ScriptedJudge):
    """Its cluster goes away after so many batches."""

    def __init__(self, batches: int) -> None:
        super().__init__()
        self._left = batches

    def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        if not self._left:
            raise JudgeLost("all 2 actors are gone")
        self._left -= 1
        return super().judge(requests)


def test_a_run_whose_judge_is_lost_goes_back_and_no_attempt_is_counted_that_stored_something(house: House) -> None:
    ticket = house.submit()
    for batches in (0, 0, 1, 0, 0):  # the third attempt in a row in which nothing was stored would be the last
        with pytest.raises(JudgeLost):  # ends the process: another one may find the judge again
            house.work(Lost(batches))
        waiting = house.store.ticket(ticket)
        assert waiting is not None
        assert waiting.status is JobStatus.QUEUED
        assert "back in the queue: all 2 actors are gone" in waiting.log[-1]
    house.work()
    scored = house.store.ticket(ticket)
    assert scored is not None
    assert scored.status is JobStatus.SCORED


def test_a_run_that_ends_its_judge_each_time_fails_at_the_limit(house: House) -> None:
    ticket = house.submit()
    for _ in range(3):
        with pytest.raises(JudgeLost):
            house.work(Lost(batches=0))
    failed = house.store.ticket(ticket)
    assert failed is not None
    assert failed.status is JobStatus.FAILED
    assert failed.reason == "gave up after 3 attempts: all 2 actors are gone"


def test_the_stored_result_is_what_evaluating_the_file_gives(house: House) -> None:
    ticket = house.submit()
    house.work()
    expected = evaluate_payload(
        EXAMPLE,
        "run.json",
        edition="auto",
        names=Names(),
        prompt_sets=PROMPT_SETS,
        judge=RecordedJudge(ScriptedJudge(), MemoryVerdicts()),
        embedder=ScriptedEmbedder(),
    )
    assert house.store.result(ticket) == expected.model_dump_json()
    assert house.store.require(ticket).judged == house.store.require(ticket).to_judge


def test_a_job_whose_judging_raises_fails_with_the_reason_and_the_next_is_scored(house: House) -> None:
    bad = house.submit(with_answer("BOOM " + "burn water cool " * 5, 3, 0))
    good = house.submit()
    house.work(Failing())
    assert house.store.require(bad).status is JobStatus.FAILED
    assert house.store.require(bad).reason == "gave up after 3 attempts: MemoryError: the judge ran out of memory"
    assert house.store.require(bad).attempts == 3
    assert house.store.require(good).status is JobStatus.SCORED


def test_a_file_that_can_no_longer_be_read_fails_at_once_with_a_reason_for_its_team(house: House) -> None:
    house.store.add(
        ticket_id="broken",
        owner="local",
        role="entry",
        edition="2024",
        set_id="demonstration",
        names=Names("team"),
        file_name="broken.json",
        data=b'{"eloquent-robustness-results": {"items": []',
        received_at=1.0,
    )
    house.work()
    ticket = house.store.require("broken")
    assert ticket.status is JobStatus.FAILED
    assert ticket.attempts == 1
    assert (ticket.reason or "").startswith("the file cannot be read as a submission: broken.json:1:")


def test_a_stopped_worker_gives_its_job_back_and_keeps_its_verdicts(house: House) -> None:
    class StopsAfterFirstBatch(ScriptedJudge):
        def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
            house.stop.set()
            return super().judge(requests)

    ticket = house.submit()
    first = StopsAfterFirstBatch()
    house.work(first)
    assert house.store.require(ticket).status is JobStatus.QUEUED
    house.stop.clear()
    second = ScriptedJudge()
    house.work(second)
    assert house.store.require(ticket).status is JobStatus.SCORED
    assert first.calls + second.calls == house.store.require(ticket).to_judge


def test_a_running_row_of_our_own_gives_way_to_a_team_and_goes_on_after_it(house: House) -> None:
    sent: list[str] = []
    other = json.loads(EXAMPLE)
    for item in other["eloquent-robustness-results"]["items"]:
        for response in item["responses"]:
            response["response"] += " So it is."

    class SentMeanwhile(ScriptedJudge):
        def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
            if not sent:
                sent.append(house.submit(json.dumps(other).encode()))
            return super().judge(requests)

    ours = house.desk.submit(EXAMPLE, "tide.json", owner="plumbline", role="example").ticket.id
    judge = SentMeanwhile()
    house.work(judge)
    (theirs,) = sent
    first, second = house.store.require(theirs), house.store.require(ours)
    assert (first.status, second.status) == (JobStatus.SCORED, JobStatus.SCORED)
    assert first.status_at < second.status_at
    said = [line[20:] for line in second.log]
    given_back = said.index("back in the queue: a team's submission is judged first")
    assert said[given_back:] == [said[given_back], "attempt 2 by w", "scored"]
    # Nothing is asked twice: both files need as many judgements, and no text of theirs is one of ours.
    assert judge.calls == (first.to_judge or 0) + (second.to_judge or 0)


def test_a_second_submission_of_the_same_answers_asks_the_judge_nothing(house: House) -> None:
    house.submit(run="1")
    house.work()
    document = json.loads(EXAMPLE)
    document["eloquent-robustness-results"]["run"] = "2"
    house.submit(json.dumps(document).encode())
    judge = ScriptedJudge()
    house.work(judge)
    assert judge.calls == 0
    assert house.store.counts()[JobStatus.SCORED] == 2


def test_cancelling_while_it_runs_leaves_no_result(house: House) -> None:
    ticket = house.submit()

    class CancelsMeanwhile(ScriptedJudge):
        def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
            if not self.calls:
                house.desk.cancel(ticket, "local")
            return super().judge(requests)

    house.work(CancelsMeanwhile())
    assert house.store.require(ticket).status is JobStatus.CANCELLED
    assert house.store.result(ticket) is None


def test_results_reach_the_archive_and_come_back_byte_for_byte(house: House, tmp_path: Path) -> None:
    ticket = house.submit()
    house.work()
    rebuilt = Store.open(f"sqlite:///{tmp_path / 'rebuilt.db'}")
    restore(house.archive, rebuilt)
    assert rebuilt.result(ticket) == house.store.result(ticket)
    assert rebuilt.require(ticket).names == house.store.require(ticket).names
    rebuilt.close()


def test_the_worker_shows_while_it_lives_and_is_gone_after(tmp_path: Path) -> None:
    house = House(tmp_path, lease_s=60)  # a worker that only fell silent would show for ten times as long
    seen: list[str] = []

    class Looks(ScriptedJudge):
        def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
            seen.extend(worker.name for worker in house.store.workers())
            return super().judge(requests)

    house.submit()
    house.work(Looks())
    assert set(seen) == {"w"}
    assert house.store.workers() == []
    house.store.close()


def test_several_judges_leave_their_scores_their_mean_and_their_agreement(house: House) -> None:
    ticket = house.submit()
    Worker(
        name="w",
        store=house.store,
        archive=house.archive,
        prompt_sets=PROMPT_SETS,
        scorer=Scorer(ScriptedJudge(), ScriptedEmbedder()),
        stop=house.stop,
        panel=[ScriptedJudge(lambda request: 1.0, script_version="always-one")],
    ).run(until_empty=True)
    result = RobustnessResult.model_validate_json(house.store.result(ticket) or "")
    assert result.panel is not None
    first, second = result.panel.members
    assert first.score == result.views["english"].figures["pair_mean_gated"].mean
    assert (second.judge.revision, second.in_mean) == ("always-one", True)
    assert first.score.value is not None
    assert second.score.value is not None
    assert result.panel.mean.value == pytest.approx((first.score.value + second.score.value) / 2)
    assert result.panel.agreement.value is not None
    assert result.panel.agreement.value < 0.5  # one of them always says the same
    assert house.store.require(ticket).judged == house.store.require(ticket).to_judge


def question_file(language: str, answer: str) -> bytes:
    questions = [
        {
            "questionid": number,
            "turns": [{"question": f"{language} topic{number}?", "answer": f"{answer} topic{number}"}],
        }
        for number in range(20)
    ]
    document = {
        "team": "aurora",
        "system": "aurora",
        "submissionid": "1",
        "language": language,
        "date": "2025",
        "label": "eloquent-2025-robustness",
        "questions": questions,
    }
    return json.dumps(document).encode()


def test_the_files_of_a_2025_run_are_scored_together_as_they_come(house: House, tmp_path: Path) -> None:
    for language in ("en", "fi", "sv"):
        (tmp_path / f"{language}_2025.json").write_bytes(question_file(language, ""))
    house.prompt_sets = PromptSets.load(tmp_path)
    judge = ScriptedJudge()
    results = []
    for language in ("en", "fi", "sv"):
        ticket = house.submit(question_file(language, f"my {language} answer"))
        house.work(judge)
        text = house.store.result(ticket)
        assert text is not None
        results.append(ConsistencyResult.model_validate_json(text))
    assert [[file.language for file in result.files] for result in results] == [
        ["en"],
        ["en", "fi"],
        ["en", "fi", "sv"],
    ]
    # "my en answer topic1" and "my fi answer topic1" share three of five words.
    assert [result.figures["consistency"].value for result in results] == [None, 3.0, 3.0]
    assert [result.ranked for result in results] == [False, True, True]


def test_a_withdrawn_file_is_no_part_of_its_run_any_more_which_is_judged_again(house: House) -> None:
    english, finnish = (house.submit(question_file(language, "my answer")) for language in ("en", "fi"))
    house.work()

    def languages() -> list[str]:
        text = house.store.result(finnish)
        return [file.language for file in ConsistencyResult.model_validate_json(text or "").files]

    assert languages() == ["en", "fi"]
    house.desk.withdraw(english, "local")
    assert house.store.require(finnish).status is JobStatus.QUEUED
    house.work()
    assert languages() == ["fi"]


def test_a_zip_of_2026_is_scored_and_its_progress_counted_in_texts(house: House) -> None:
    ticket = house.submit(zipped(run_files()))
    house.work()
    text = house.store.result(ticket)
    assert text is not None
    result = CulturalResult.model_validate_json(text)
    assert len(result.pairs) == 10
    assert "partial" in (result.reason or "")
    # Answers "a 1" .. "a 3" and "b 1" .. "b 3" are the same in all languages; "Question 1?" .. "Question 3-2?" too.
    known = house.store.require(ticket)
    assert (known.judged, known.to_judge) == (6 + 3 + 6, 6 + 3 + 6)


def test_a_damaged_database_is_said_once_and_waited_out_and_no_job_fails_for_it(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ticket = house.submit()
    waits = 0

    def rename(table: str, name: str) -> None:
        with sqlite3.connect(tmp_path / "plumbline.db") as connection:
            connection.execute(f"ALTER TABLE {table} RENAME TO {name}")
        connection.close()

    def wait(_self: threading.Event, _seconds: float | None = None) -> bool:
        nonlocal waits
        waits += 1
        if waits == 5:  # it was put right
            rename("away", "verdicts")
        return False

    rename("verdicts", "away")
    monkeypatch.setattr("evaluator.worker.loop.UNAVAILABLE_WAIT_S", 0.0)
    worker = Worker(
        name="w",
        store=house.store,
        archive=house.archive,
        prompt_sets=PROMPT_SETS,
        scorer=Scorer(ScriptedJudge(), ScriptedEmbedder()),
        stop=WaitsBy(wait),
    )
    worker.run(until_empty=True)
    assert waits >= 5
    told = [record.getMessage() for record in caplog.records if "is damaged" in record.getMessage()]
    assert len(told) == 1
    assert "no such table: verdicts" in told[0]
    found = house.store.require(ticket)
    assert found.status is JobStatus.SCORED
    assert not any("attempt" in line and "failed" in line for line in found.log)


class WaitsBy(threading.Event):
    """An event whose waits are the test's own."""

    def __init__(self, wait: Callable[[threading.Event, float | None], bool]) -> None:
        super().__init__()
        self._wait = wait

    def wait(self, timeout: float | None = None) -> bool:
        return self._wait(self, timeout)
