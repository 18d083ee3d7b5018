"""Database deleted, or disk lost: the boards are rebuilt from the archive, byte for byte."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import huggingface_hub
import pytest
from huggingface_hub import close_session
from huggingface_hub.utils import _http

from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.judge_loading.loading import Scorer
from evaluator.judge_quality.shipped import shipped_qualities
from evaluator.seeding.null_rows import null_submissions
from evaluator.worker.loop import Worker
from leaderboard.__main__ import main as leaderboard
from submissions.__main__ import main as submissions
from submissions.archive.hub import HubRepository
from submissions.archive.keeper import ArchiveKeeper
from submissions.archive.mirror import Mirror
from submissions.archive.record import Archive
from submissions.desk import HOUSE_OWNER, Desk
from submissions.promptsets import PromptSets, example_submissions
from submissions.schema import Names, VerdictChoices
from submissions.store.queue import QUEUE, JobStatus
from submissions.store.store import Store, sha256_hex
from submissions.store.verdict_keys import verdict_keys
from submissions.store.votes import JudgedPair, Stance, VerdictVote
from tests.service.fake_hub import TOKEN, FakeHub
from tests.unit.leaderboard.boards.behavior_alignment.made_behavior_alignment import file_of
from tests.unit.leaderboard.boards.personalization.made_personalization import document, pairs, rating_judge
from tests.unit.leaderboard.boards.personalized_evaluation.made_personalized_evaluation import (
    choices,
    encoded,
    ratings,
    unanswered,
)
from tests.unit.leaderboard.page.made_quality import measured_quality

REPO = "team/plumbline-archive"
VOTES: tuple[tuple[str, Stance], ...] = (
    ("anna", "agree"),
    ("anna", "disagree"),
    ("ben", "agree"),
    ("ben", "none"),
    ("owner", "agree"),
)
EXAMPLES = dict(example_submissions())
VERDICTS = (
    "judge,benchmark,task,model,query,order,verdict\n"
    + "".join(f"gauge,demo,t,m,{query},original,A\ngauge,demo,t,m,{query},swapped,B\n" for query in range(8))
    + "".join(f"level,demo,t,m,{query},original,A\nlevel,demo,t,m,{query},swapped,A\n" for query in range(8))
).encode()


@pytest.fixture
def environ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Sets the data folder the commands work on, and what else is given."""
    monkeypatch.delenv("PLUMBLINE_ELOQUENT_DIR", raising=False)

    def use(name: str, **more: str) -> Path:
        for variable, value in {"PLUMBLINE_DATA": str(tmp_path / name), **more}.items():
            monkeypatch.setenv(variable, value)
        return tmp_path / name

    return use


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    with FakeHub(page=25) as fake:
        monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
        monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_DISABLE_XET", True)
        monkeypatch.setattr(_http, "time", SimpleNamespace(sleep=lambda seconds: None))
        template = fake.endpoint + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr(huggingface_hub.constants, "ENDPOINT", fake.endpoint)
        monkeypatch.setattr(huggingface_hub.constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        yield fake
    close_session()


def filled_service(data: Path) -> Store:
    """Every board with rows, and submissions in every end: scored, failed, cancelled, withdrawn, and one waiting."""
    store = Store.open(f"sqlite:///{data / 'plumbline.db'}", max_attempts=1)
    archive, prompt_sets = Archive(data / "archive"), PromptSets.load(None)
    desk = Desk(store, archive, prompt_sets)
    for null in null_submissions(prompt_sets.demonstration):
        desk.submit(null.data, null.file_name, owner=HOUSE_OWNER, names=null.names, role="baseline")
    tickets = [desk.submit(content, name, owner="local").ticket.id for name, content in EXAMPLES.items()]
    desk.submit(VERDICTS, "v.csv", owner="local", names=Names("aurora"), choices=VerdictChoices(options=3))
    answers = document(pairs([(True, True, 4), (True, False, 2), (False, True, 5), (True, True, 1)] * 4))
    desk.submit(answers, "answers.json", owner="local")
    desk.submit(file_of(18), "recommender.json", owner="local")
    for predictions in (ratings(), unanswered(choices())):
        desk.submit(encoded(predictions), "predictions.json", owner="local")
    Worker(
        name="w",
        store=store,
        archive=archive,
        prompt_sets=prompt_sets,
        scorer=Scorer(rating_judge(profile_choice=lambda request: "A"), ScriptedEmbedder()),
        stop=threading.Event(),
    ).run(until_empty=True)
    desk.withdraw(tickets[0], "local")
    desk.act("hide", tickets[1], actor="organiser", reason="it quotes the answers of another team")
    desk.act("primary", tickets[2], actor="local", owner="local")
    changed = EXAMPLES["tide.json"].replace(b"water", b"the water")
    assert changed != EXAMPLES["tide.json"]
    failed, cancelled, _waiting = [
        desk.submit(changed + b" " * number, f"{number}.json", owner="local").ticket.id for number in range(3)
    ]
    job = store.claim("other")
    assert job is not None
    assert job.id == failed
    store.fail(job.id, "other", "the judge ran out of memory")
    desk.cancel(cancelled, "local")
    desk.act("pause", QUEUE, actor="organiser", actor_name="Olga", reason="the judge is being replaced")
    quality = measured_quality(rating_judge().pin, measured_on=shipped_qualities()[0].measured_on)
    verdict = JudgedPair("v1", "ab" * 32, "embedding", "same", 4.2, "demonstration 901", tickets[2])
    for person, stance in VOTES:
        desk.vote(person, verdict, stance, is_own=person == "owner")
    store.cast_vote("crashed", verdict, "agree")  # the page process died before the archive had it
    store.save_judge_quality(sha256_hex(quality.judge.model_dump_json().encode()), quality.model_dump_json())
    return store


def board_files(folder: Path) -> dict[str, bytes]:
    assert leaderboard(["export", str(folder)]) == 0
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def standing(data: Path) -> list[tuple[object, ...]]:
    """Every ticket with its state, when and why; and the measurements of judges."""
    store = Store.open(f"sqlite:///{data / 'plumbline.db'}")
    found: list[tuple[object, ...]] = [
        (one.id, one.owner, one.role, one.names, one.received_at, one.status, one.reason, store.result(one.id))
        + (one.hidden, one.is_primary)
        + ((one.status_at,) if not one.status.is_open else ())
        for one in store.tickets()
    ]
    found += [(act,) for act in store.acts()]
    found += [(vote,) for vote in store.verdict_votes()]
    found += [(judge, payload) for judge, payload, _ in store.judge_quality_records()]
    found += [(one.id, store.load_verdicts(verdict_keys(result))) for one, result in store.results()]
    store.close()
    return found


def test_with_the_database_deleted_rebuild_gives_identical_board_files(
    tmp_path: Path, environ: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    data = environ("data")
    store = filled_service(data)
    Archive(data / "archive").catch_up(store)  # what the page process does
    store.close()
    before, stood = board_files(tmp_path / "before"), standing(data)
    exported = {path.split("/")[1] for path in before if path.startswith("boards/")}
    assert exported >= {"robustness", "judges", "personalization", "behavior"}
    votes = {row[0].person: row[0].stance for row in stood if isinstance(row[0], VerdictVote)}
    assert votes == {"anna": "disagree", "ben": "none", "owner": "agree", "crashed": "agree"}
    (judge,) = json.loads(before["human_check/judges.json"])
    assert (judge["votes"], judge["agreed"], judge["people"], judge["own_votes_left_out"]) == (2, 1, 2, 1)
    assert b"anna" not in before["human_check/abababababababab.csv"]
    assert {path.rpartition(".")[2] for path in before} == {"csv", "json", "parquet"}
    assert {row[5] for row in stood if len(row) > 5} == {
        JobStatus.SCORED,
        JobStatus.FAILED,
        JobStatus.CANCELLED,
        JobStatus.WITHDRAWN,
        JobStatus.QUEUED,
    }
    for path in data.glob("plumbline.db*"):
        path.unlink()
    assert submissions(["rebuild"]) == 0
    tickets = sum(len(row) > 5 for row in stood)
    assert f"{tickets} submissions restored" in capsys.readouterr().out
    assert standing(data) == stood
    assert board_files(tmp_path / "after") == before


def test_with_the_disk_lost_rebuild_gives_identical_board_files_from_the_repository(
    tmp_path: Path, environ: Callable[..., Path], hub: FakeHub, capsys: pytest.CaptureFixture[str]
) -> None:
    data = environ("data")
    store = filled_service(data)
    archive = Archive(data / "archive")
    keeper = ArchiveKeeper(
        store, archive, Mirror(archive, HubRepository(REPO, TOKEN)), accepts_by_mirror=False, interval_s=0.0
    )
    keeper.step()
    store.close()
    before, stood = board_files(tmp_path / "before"), standing(data)

    fresh = environ("fresh", PLUMBLINE_ARCHIVE_REPO=REPO, HF_TOKEN=TOKEN)
    assert submissions(["rebuild"]) == 0
    assert f"files fetched from {REPO}" in capsys.readouterr().out
    assert standing(fresh) == stood
    assert board_files(tmp_path / "after") == before


def test_a_rebuild_from_a_repository_that_does_not_answer_says_so(
    tmp_path: Path, environ: Callable[..., Path], hub: FakeHub, capsys: pytest.CaptureFixture[str]
) -> None:
    environ("fresh", PLUMBLINE_ARCHIVE_REPO=REPO, HF_TOKEN="hf_wrongTokenOfATest")
    assert submissions(["rebuild"]) == 1
    said = capsys.readouterr().err
    assert "Invalid credentials" in said
    assert "hf_wrong" not in said
    environ("fresh", HF_TOKEN="")
    with pytest.raises(SystemExit):
        submissions(["rebuild"])
    assert "HF_TOKEN is not" in capsys.readouterr().err
