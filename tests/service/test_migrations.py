"""Databases that earlier versions wrote are brought to today's schema, on both databases; newer ones are refused."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, inspect, text

from submissions.schema import Names
from submissions.store.accepted_terms import Acceptance
from submissions.store.content import stored_for
from submissions.store.database import opened_engine
from submissions.store.notices import Webhook
from submissions.store.queue import JobStatus
from submissions.store.refusals import Refused
from submissions.store.store import Store, StoreError
from submissions.store.tables import SCHEMA_VERSION
from submissions.store.votes import JudgedPair

SCHEMAS = {
    version: (Path(__file__).parent / f"schema_version_{version}.sql").read_text(encoding="utf-8")
    for version in range(1, 12)
}
"""The statements a version created its tables with; {BYTES} and {SERIAL} stand for what the databases call these."""

LATER_TABLES = ("votes", "judge_qualities")
"""Version 1 did not always have them."""


def old_database(url: str, *, version: int = 1, without: tuple[str, ...] = ()) -> None:
    """A database of an earlier version with one scored and one queued submission."""
    engine = opened_engine(url)
    with engine.begin() as connection:
        data, serial = ("BLOB", "INTEGER") if engine.dialect.name == "sqlite" else ("BYTEA", "SERIAL")
        for statement in SCHEMAS[version].format(BYTES=data, SERIAL=serial).split(";"):
            if statement.strip() and not any(f"CREATE TABLE {table}" in statement for table in without):
                connection.execute(text(statement))
        connection.execute(text("INSERT INTO schema_info VALUES (:version)"), {"version": version})
        connection.execute(text("INSERT INTO payloads VALUES ('aa', :data)"), {"data": b"{}"})
        for ticket, status in (("t1", "scored"), ("t2", "queued")):
            connection.execute(
                text(
                    "INSERT INTO submissions (id, owner, role, edition, set_id, team, options, file_name, file_sha256, "
                    "received_at, identity) VALUES (:id, 'local', 'entry', '2024', 'demonstration', 'aurora', '{}', "
                    "'a.json', 'aa', 1.0, 'ii')"
                ),
                {"id": ticket},
            )
            connection.execute(
                text(
                    "INSERT INTO jobs (submission_id, status, status_at, priority, queued_at, not_before, claims, "
                    "fruitless, stored_in_claim, judged) VALUES (:id, :status, 2.0, 0, 1.0, 0.0, 0, 0, 0, 0)"
                ),
                {"id": ticket, "status": status},
            )
            connection.execute(
                text("INSERT INTO job_events (id, submission_id, at, status, message) VALUES (:n, :id, 1.0, :s, :m)"),
                {"n": int(ticket[1]), "id": ticket, "s": status, "m": status},
            )
        connection.execute(text("INSERT INTO results VALUES ('t1', '{\"n\": 1}', 2.0)"))
        connection.execute(text("INSERT INTO verdicts (key, payload) VALUES ('k1', 'one')"))
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT setval('job_events_id_seq', 2)"))
    engine.dispose()


def schema(engine: Engine) -> dict[str, Any]:
    """Everything a database says of its tables, without the order of columns, which a migration cannot choose."""
    found = inspect(engine)
    return {
        table: {
            "columns": sorted((c["name"], str(c["type"]), c["nullable"]) for c in found.get_columns(table)),
            "key": found.get_pk_constraint(table)["constrained_columns"],
            "foreign": sorted((k["constrained_columns"], k["referred_table"]) for k in found.get_foreign_keys(table)),
            "indexes": sorted((str(i["name"]), tuple(i["column_names"])) for i in found.get_indexes(table)),
        }
        for table in found.get_table_names()
    }


@pytest.mark.parametrize("without", [(), LATER_TABLES], ids=["with votes and qualities", "without them"])
def test_a_database_of_version_1_keeps_what_it_holds_and_goes_on(database_url: str, without: tuple[str, ...]) -> None:
    old_database(database_url, without=without)
    store = Store.open(database_url)
    assert store.result("t1") == '{"n": 1}'
    assert store.load_verdicts(["k1"]) == {"k1": "one"}
    marker = store.change_marker()
    assert marker == 2  # its two events
    job = store.claim("w")
    assert job is not None
    assert job.id == "t2"
    assert store.change_marker() > marker
    store.save_vote("v1", "{}")
    store.save_judge_quality("ab", "{}")
    store.finish("t2", "w", json.dumps({"n": 2}))
    assert [ticket.status for ticket in store.tickets()] == [JobStatus.SCORED] * 2
    store.close()


def test_a_database_of_version_2_learns_acts_and_quotas(database_url: str) -> None:
    old_database(database_url, version=2)
    store = Store.open(database_url)
    scored = store.require("t1")
    assert (scored.hidden, scored.is_primary, scored.owner_name, store.pause()) == (None, False, "", None)
    store.act("primary", "t1", actor="local", owner="local")
    assert store.require("t1").is_primary
    assert [status for _, status in store.quota_use("local").active] == [JobStatus.QUEUED]
    store.begin_lab_run("r1", "local", per_hour=1)
    store.close()


def test_a_database_of_version_3_learns_votes_on_verdicts(database_url: str) -> None:
    old_database(database_url, version=3)
    store = Store.open(database_url)
    assert store.verdict_votes() == []
    pair = JudgedPair("v1", "j1", "embedding", "same", 4.0, "demonstration 901", "t1")
    assert store.cast_vote("anna", pair, "agree") is not None
    assert [vote.stance for vote in store.votes_of("anna", ["v1"]).values()] == ["agree"]
    store.close()


def test_a_database_of_version_4_learns_whose_turn_it_is(database_url: str) -> None:
    old_database(database_url, version=4)
    store = Store.open(database_url)
    assert store.require("t2").position == 1
    assert store.claim("w") is not None
    store.close()


def test_a_database_of_version_5_learns_what_files_answer(database_url: str) -> None:
    old_database(database_url, version=5)
    store = Store.open(database_url)
    queued = store.require("t2")
    assert (queued.answers, queued.answers_sha256) == (None, None)  # of what came before nobody counted them
    store.add(
        ticket_id="t3",
        owner="local",
        role="entry",
        edition="2024",
        set_id="demonstration",
        names=Names(),
        file_name="b.json",
        data=b"[]",
        received_at=3.0,
        answers=7,
        answers_sha256="ab",
    )
    assert (store.require("t3").answers, store.require("t3").answers_sha256) == (7, "ab")
    store.close()


def test_a_database_of_version_6_forgets_what_workers_shared_and_goes_on(database_url: str) -> None:
    old_database(database_url, version=6)
    engine = opened_engine(database_url)
    with engine.begin() as connection:  # a submission that was being shared when the service was stopped
        columns = "submission_id, call, start, stop, judge, requests"
        connection.execute(text(f"INSERT INTO chunks ({columns}) VALUES ('t2', 'c', 0, 9, 'j', 9)"))
        running = "status = 'running', worker = 'w', lease_until = 3.0, claims = 1, stored_in_claim = 1"
        connection.execute(text(f"UPDATE jobs SET {running} WHERE submission_id = 't2'"))
    store = Store.open(database_url)
    assert not inspect(engine).has_table("chunks")
    engine.dispose()
    job = store.claim("new")  # its lease is over
    assert job is not None
    assert (job.id, job.claims) == ("t2", 2)
    store.finish("t2", "new", "{}")
    assert store.require("t2").status is JobStatus.SCORED
    store.close()


def test_a_database_of_version_7_learns_published_reports(database_url: str) -> None:
    old_database(database_url, version=7)
    store = Store.open(database_url)
    store.publish_judge_report("r1", owner="anna", payload="{}")
    assert [report.id for report in store.judge_reports()] == ["r1"]
    store.close()


def test_a_database_of_version_8_learns_who_accepted_terms(database_url: str) -> None:
    old_database(database_url, version=8)
    store = Store.open(database_url)
    assert store.acceptances() == []
    given = Acceptance("anna", "spring", "Be fair.", datetime(2026, 11, 23, tzinfo=UTC), "Anna")
    assert store.add_acceptance(given) == given
    later = replace(given, at=datetime(2026, 11, 24, tzinfo=UTC))
    assert store.add_acceptance(later) == given  # once is enough
    assert store.acceptances(owner="anna") == [given]
    assert store.acceptances(owner="ben") == []
    store.close()


def test_a_database_of_version_9_learns_for_whom_verdicts_were_stored(database_url: str) -> None:
    old_database(database_url, version=9)
    store = Store.open(database_url)
    with stored_for("t2"):
        assert store.save_verdicts({"k1": "another", "k2": "two"}) == 1  # the first writer wins
        store.save_embeddings({"e": b"vector"})
    assert store.load_verdicts(["k1", "k2"]) == {"k1": "one", "k2": "two"}
    store.cancel("t2", "local")
    store.erase("t2", actor="local", reason="", owner="local")
    # Of the verdict from before nobody knows whose it is, and no result names it.
    assert store.load_verdicts(["k1", "k2"]) == {}
    assert store.load_embeddings(["e"]) == {}
    store.close()


def test_a_database_of_version_10_learns_webhooks_and_refusals(database_url: str) -> None:
    old_database(database_url, version=10)
    store = Store.open(database_url)
    store.set_webhook("t2", Webhook("https://hooks.example.org/x", "secret"))
    store.withdraw("t1", "local")  # nobody is told of it
    store.cancel("t2", "local")
    notice = store.take_notice()
    assert notice is not None
    assert (notice.ticket_id, notice.status) == ("t2", JobStatus.CANCELLED)
    store.notice_sent(notice.id)
    store.count_refusal("spring", ["all_empty"], 0.0)
    assert store.refused("spring") == Refused(1, {"all_empty": 1})
    store.close()


@pytest.mark.parametrize(("version", "without"), [(1, LATER_TABLES), *((version, ()) for version in range(2, 11))])
def test_a_migrated_database_has_the_schema_of_a_new_one(
    database_url: str, version: int, without: tuple[str, ...], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    old_database(database_url, version=version, without=without)
    if database_url.startswith("sqlite"):
        new_url = f"sqlite:///{tmp_path / 'new.db'}"
    else:
        new_url = request.getfixturevalue("postgresql").new_database()
    found = []
    for url in (database_url, new_url):
        Store.open(url).close()
        engine = opened_engine(url)
        found.append(schema(engine))
        engine.dispose()
    assert found[0] == found[1]


@pytest.mark.parametrize("is_new", [False, True], ids=["an old database", "an empty database"])
def test_programs_that_start_at_once_migrate_once(database_url: str, is_new: bool) -> None:
    if not is_new:
        old_database(database_url)
    with ThreadPoolExecutor(6) as threads:
        stores = list(threads.map(lambda _: Store.open(database_url), range(6)))
    engine = opened_engine(database_url)
    with engine.connect() as connection:
        assert list(connection.scalars(text("SELECT version FROM schema_info"))) == [SCHEMA_VERSION]
    engine.dispose()
    for store in stores:
        store.close()


def with_version(url: str, version: int) -> None:
    Store.open(url).close()
    engine = opened_engine(url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE schema_info SET version = :version"), {"version": version})
        # What a program of version 1 leaves behind when it is refused.
        connection.execute(text("INSERT INTO schema_info VALUES (1)"))
    engine.dispose()


def test_a_database_newer_than_the_code_is_refused_with_what_to_do(database_url: str) -> None:
    with_version(database_url, 99)
    with pytest.raises(StoreError, match=r"has schema version 99, this code knows none above .*: update this install"):
        Store.open(database_url)


def test_an_old_program_that_was_refused_does_not_keep_todays_from_starting(database_url: str) -> None:
    with_version(database_url, SCHEMA_VERSION)
    Store.open(database_url).close()


def test_a_database_no_step_leads_from_is_refused_with_the_way_out(database_url: str) -> None:
    Store.open(database_url).close()
    engine = opened_engine(database_url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE schema_info SET version = 0"))
    engine.dispose()
    with pytest.raises(StoreError, match="rebuild"):
        Store.open(database_url)
