"""The desk: what is taken in, what is not, and that nothing is taken twice."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from submissions.archive.record import Archive
from submissions.archive.restoring import restore
from submissions.desk import Desk
from submissions.formats.behavior_alignment.template import crs_responses_template
from submissions.formats.eloquent.template import submission_template
from submissions.formats.personalized_evaluation.template import pairs_template, ratings_template
from submissions.problems import SubmissionError
from submissions.promptsets import PromptSets, example_submissions, examples_of_2025
from submissions.schema import Names, VerdictChoices
from submissions.settings import Durability
from submissions.store.queue import JobStatus, LeaseLost
from submissions.store.store import Store
from tests.unit.submissions.formats.personalization.answer_files import Document, as_json, as_lines, good_document

EXAMPLE = dict(example_submissions())["keel.json"]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    store = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}")
    yield Desk(store, Archive(tmp_path / "archive"), PromptSets.load(None))
    store.close()


def events(folder: Path) -> list[str]:
    return sorted(json.loads(path.read_text())["kind"] for path in (folder / "archive" / "log").rglob("*.json"))


def test_an_accepted_file_is_archived_and_queued(desk: Desk, tmp_path: Path) -> None:
    receipt = desk.submit(EXAMPLE, "keel.json", owner="local")
    assert receipt.ticket.status is JobStatus.QUEUED
    assert receipt.ticket.names == Names("Plumbline examples", "keel", "example text", "1")
    assert receipt.ticket.set_id == "demonstration"
    assert events(tmp_path) == ["submission"]


def test_a_refused_file_reaches_neither_queue_nor_archive(desk: Desk, tmp_path: Path) -> None:
    with pytest.raises(SubmissionError) as refused:
        desk.submit(EXAMPLE[:-40], "cut.json", owner="local")
    assert {problem.code for problem in refused.value.problems} == {"json_syntax"}
    assert not (tmp_path / "archive" / "log").exists()
    assert "cut.json:" in str(refused.value)


def test_the_same_file_again_gives_the_earlier_ticket(desk: Desk, tmp_path: Path) -> None:
    first = desk.submit(EXAMPLE, "keel.json", owner="local")
    again = desk.submit(EXAMPLE, "renamed.json", owner="local")
    assert again.already_known
    assert again.ticket.id == first.ticket.id
    assert events(tmp_path) == ["submission"]
    somebody_else = desk.submit(EXAMPLE, "keel.json", owner="anna")
    assert somebody_else.ticket.id != first.ticket.id


def test_a_withdrawn_file_may_be_submitted_anew(desk: Desk, tmp_path: Path) -> None:
    first = desk.submit(EXAMPLE, "keel.json", owner="local")
    desk.withdraw(first.ticket.id, "local")
    assert desk.submit(EXAMPLE, "keel.json", owner="local").ticket.id != first.ticket.id
    assert events(tmp_path) == ["submission", "submission", "withdrawal"]


def _withdrawn(desk: Desk, ticket_id: str) -> None:
    desk.withdraw(ticket_id, "local")


def _cancelled(desk: Desk, ticket_id: str) -> None:
    desk.cancel(ticket_id, "local")


def _erased(desk: Desk, ticket_id: str) -> None:
    desk.act("hide", ticket_id, actor="olga", reason="it names a person")
    desk.erase(ticket_id, actor="olga", reason="asked for by that person")


@pytest.mark.parametrize("gone", [_withdrawn, _cancelled, _erased])
def test_the_rest_of_a_run_is_judged_without_a_file_that_is_gone(desk: Desk, gone: Callable[[Desk, str], None]) -> None:
    scored, at_work, taken_back = (
        desk.submit(data, name, owner="local").ticket.id for name, data in list(examples_of_2025())[:3]
    )
    store = desk._store
    assert [job.id for job in (store.claim("first"), store.claim("second")) if job] == [scored, at_work]
    store.finish(scored, "first", "{}")
    gone(desk, taken_back)
    for ticket_id in (scored, at_work):
        assert store.require(ticket_id).status is JobStatus.QUEUED
        assert store.require(ticket_id).log[-1].endswith(f"judged again: a file of its run was {gone.__name__[1:]}")
    with pytest.raises(LeaseLost):  # what it has read is gone
        store.finish(at_work, "second", "{}")


def test_the_rest_of_a_run_is_judged_without_a_file_that_was_erased_while_it_was_judged_again(desk: Desk) -> None:
    other, erased = (desk.submit(data, name, owner="local").ticket.id for name, data in list(examples_of_2025())[:2])
    store = desk._store
    for ticket_id in (other, erased):
        store.claim("w")
        store.finish(ticket_id, "w", "{}")
    assert store.requeue(erased, "judged again")
    _erased(desk, erased)
    assert store.require(other).status is JobStatus.QUEUED


def test_form_fields_fill_what_the_file_leaves_open(desk: Desk) -> None:
    document = json.loads(EXAMPLE)
    del document["eloquent-robustness-results"]["system"]
    receipt = desk.submit(
        json.dumps(document).encode(), "keel.json", owner="local", names=Names(team="ignored", system="keel two")
    )
    assert receipt.ticket.names == Names("Plumbline examples", "keel two", "example text", "1")


def test_empty_answers_are_refused_from_a_team_and_taken_as_our_null_row(desk: Desk) -> None:
    template = submission_template(desk.prompt_sets.demonstration).encode()
    names = Names("Plumbline", "Null: empty answers")
    with pytest.raises(SubmissionError):
        desk.submit(template, "empty.json", owner="local", names=names)
    document = json.loads(template)
    document["eloquent-robustness-results"]["source"] = "Plumbline"
    receipt = desk.submit(json.dumps(document).encode(), "empty.json", owner="plumbline", role="baseline")
    assert receipt.ticket.role == "baseline"


VERDICTS = b"""judge,benchmark,task,model,query,order,verdict
gauge,demo,writing,aurora,q1,original,B
gauge,demo,writing,aurora,q1,swapped,A
"""
THREE = VerdictChoices(options=3, reference_model="reference")


def test_a_table_of_verdicts_is_taken_in_with_how_it_is_to_be_read(desk: Desk, tmp_path: Path) -> None:
    ticket = desk.submit(VERDICTS, "v.csv", owner="local", names=Names("aurora"), choices=THREE).ticket
    assert (ticket.set_id, ticket.edition, ticket.names) == ("judges:demo", "", Names("aurora"))
    assert ticket.choices == VerdictChoices(3, "reference", "brackets")
    rebuilt = Store.open(f"sqlite:///{tmp_path / 'rebuilt.db'}")
    assert restore(Archive(tmp_path / "archive"), rebuilt).added == 1
    job = rebuilt.claim("w")
    assert job is not None
    assert job.choices == ticket.choices
    rebuilt.close()


def test_a_table_of_verdicts_needs_a_team_to_be_submitted_but_not_to_be_checked(desk: Desk, tmp_path: Path) -> None:
    assert desk.check(VERDICTS, "v.csv", choices=THREE).decision == "accepted_with_warnings"
    with pytest.raises(SubmissionError) as refused:
        desk.submit(VERDICTS, "v.csv", owner="local", choices=THREE)
    assert [problem.code for problem in refused.value.problems if problem.severity == "error"] == ["source_missing"]
    assert not (tmp_path / "archive" / "log").exists()


def filled(template: str) -> bytes:
    """A template with names in it."""
    return json.dumps(
        json.loads(template) | {"team": "Aurora", "system": "Borealis", "model": "m", "run": "1"}
    ).encode()


@pytest.mark.parametrize("template", [ratings_template, pairs_template])
def test_predicted_ratings_and_choices_are_taken_in_once(desk: Desk, template: Callable[[], str]) -> None:
    ticket = desk.submit(filled(template()), "file.json", owner="local").ticket
    assert (ticket.set_id, ticket.names.system) == ("personalized_evaluation", "Borealis")
    assert desk.submit(filled(template()), "renamed.json", owner="local").ticket.id == ticket.id


def test_recommender_answers_are_taken_in_once_withdrawn_and_replayed(desk: Desk, tmp_path: Path) -> None:
    data = filled(crs_responses_template())
    ticket = desk.submit(io.BytesIO(data), "answers.json", owner="local").ticket
    assert (ticket.status, ticket.set_id) == (JobStatus.QUEUED, "recommender_behaviour")
    assert desk.submit(data, "renamed.json", owner="local").ticket.id == ticket.id
    desk.withdraw(ticket.id, "local")
    other = Store.open(f"sqlite:///{tmp_path / 'other.db'}")
    assert restore(Archive(tmp_path / "archive"), other).added == 1
    replayed = other.require(ticket.id)
    assert (replayed.status, replayed.names.system) == (JobStatus.WITHDRAWN, "Borealis")
    other.close()


def test_a_table_read_another_way_is_another_submission_and_a_needless_choice_is_none(desk: Desk) -> None:
    def submitted(choices: VerdictChoices, data: bytes = VERDICTS) -> str:
        return desk.submit(data, "v.csv", owner="local", names=Names("aurora"), choices=choices).ticket.id

    assert submitted(THREE) == submitted(VerdictChoices(3, " reference ", "brackets"))
    assert submitted(THREE) != submitted(VerdictChoices(2))
    of_eloquent = [submitted(choices, EXAMPLE) for choices in (THREE, VerdictChoices())]
    assert of_eloquent[0] == of_eloquent[1]


@pytest.mark.parametrize("form", [as_json, as_lines])
def test_personalized_answers_are_taken_in_withdrawn_and_replayed(
    desk: Desk, tmp_path: Path, form: Callable[[Document], bytes]
) -> None:
    data = form(good_document())
    receipt = desk.submit(io.BytesIO(data), "answers.jsonl", owner="local")
    assert receipt.ticket.status is JobStatus.QUEUED
    assert receipt.ticket.set_id == "personalization"
    assert receipt.ticket.names == Names("aurora", "aurora-chat", "org/aurora-7b", "greedy")
    assert desk.submit(data, "renamed.jsonl", owner="local").ticket.id == receipt.ticket.id
    desk.withdraw(receipt.ticket.id, "local")
    other = Store.open(f"sqlite:///{tmp_path / 'other.db'}")
    assert restore(Archive(tmp_path / "archive"), other).added == 1
    replayed = other.require(receipt.ticket.id)
    assert (replayed.status, replayed.set_id) == (JobStatus.WITHDRAWN, "personalization")
    assert replayed.file_sha256 == hashlib.sha256(data).hexdigest()
    other.close()


@pytest.mark.parametrize(
    ("durability", "status", "said"),
    [
        ("disk", JobStatus.QUEUED, "received keel.json"),
        ("hub", JobStatus.RECEIVED, "received keel.json: stored on this machine, not yet in the archive"),
        (
            "nowhere",
            JobStatus.QUEUED,
            "received keel.json: stored on this machine only, which forgets it when it restarts: it has no archive",
        ),
    ],
)
def test_a_submission_is_queued_once_it_is_where_it_survives_and_its_log_says_where_it_is(
    tmp_path: Path, durability: Durability, status: JobStatus, said: str
) -> None:
    store = Store.open(f"sqlite:///{tmp_path / 'own.db'}")
    desk = Desk(store, Archive(tmp_path / "own"), PromptSets.load(None), durability=durability)
    receipt = desk.submit(EXAMPLE, "keel.json", owner="local")
    assert receipt.ticket.status is status
    assert receipt.ticket.log[0].endswith(said)
    again = desk.submit(EXAMPLE, "keel.json", owner="local")
    assert (again.already_known, again.ticket.id) == (True, receipt.ticket.id)
    store.close()
