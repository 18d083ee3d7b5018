"""What visitors may read of the store: every method is guarded, named as harmless, or denied; names tell nothing."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from evaluator.results import JudgesResult
from leaderboard.parts.team_names import TeamNames
from submissions.schema import Names
from submissions.seasons.season_store import CHANGES, DENIED, GUARDED, HARMLESS, NotForVisitors, PublicStore, unlisted
from submissions.store.store import Store
from tests.unit.leaderboard.boards.position_bias.made_position_bias import judges_result, verdicts
from tests.unit.submissions.seasons.made_seasons import SPRING, SetClock, at, made_seasons

PRIVATE = "[public]\nnames = 2026-05-01T00:00:00\n"
SUBJECT = "6512bd43d9caa6e02c990b0a"
KEY = "made by chance, in a test only: 0f"
JUDGES = SPRING.replace('"demonstration"', '"judges"')


@pytest.fixture
def clock() -> SetClock:
    return SetClock(at("2026-03-10T12:00:00+00:00"))


@pytest.fixture
def store(tmp_path: Path, clock: SetClock) -> Iterator[Store]:
    store = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}", clock=clock)
    yield store
    store.close()


@pytest.fixture
def shown(tmp_path: Path, store: Store, clock: SetClock) -> PublicStore:
    seasons = made_seasons(tmp_path / "seasons", spring=SPRING + PRIVATE, judges=JUDGES + PRIVATE)
    return PublicStore(store, seasons, clock)


def take_in(store: Store, ticket: str, owner: str, team: str, *, set_id: str = "demonstration", name: str = "") -> None:
    store.add(
        ticket_id=ticket,
        owner=owner,
        owner_name=name,
        role="entry",
        edition="2024",
        set_id=set_id,
        names=Names(team=team, system="keel", model="m", run="r"),
        file_name=f"{team}.json",
        data=ticket.encode(),
        received_at=(store._clock or time.time)(),
    )


def teams_of(shown: Store, *tickets: str) -> list[str]:
    """What pages call the teams of some tickets."""
    named = TeamNames(shown).shown(shown.tickets())
    return [named[ticket] for ticket in tickets]


def test_every_method_of_the_store_is_guarded_or_harmless_for_a_reason_or_denied(shown: PublicStore) -> None:
    offered = {name for name in dir(Store) if not name.startswith("_")}
    listed = [GUARDED, frozenset(HARMLESS), frozenset(CHANGES), DENIED]
    assert set().union(*listed) == offered
    assert sum(map(len, listed)) == len(offered), "a method stands in two of the lists"
    assert all(reason.strip() for reason in (*HARMLESS.values(), *CHANGES.values()))
    for name in DENIED:
        with pytest.raises(NotForVisitors, match=name):
            getattr(shown, name)()


def test_a_new_method_of_the_store_is_denied_until_it_is_listed() -> None:
    class WiderStore(Store):
        def everything(self) -> str:
            return "all of it"

    assert unlisted(WiderStore) - DENIED == {"everything"}


def test_a_guessed_team_name_looks_the_same_whether_it_is_taken_or_free(
    store: Store, shown: PublicStore, clock: SetClock
) -> None:
    take_in(store, "victim", SUBJECT, "Quokkas", name="vera")
    take_in(store, "right", "eve-subject", "Quokkas", set_id="eloquent-2024", name="eve")
    take_in(store, "wrong", "eve-subject", "Wombats", set_id="eloquent-2024", name="eve")
    assert teams_of(shown, "right", "wrong") == ["Quokkas", "Wombats"]
    assert ("eve-subject", "Quokkas") in shown.teams()
    assert SUBJECT not in dict(shown.teams())
    clock.set("2026-05-01T00:00:00+02:00")
    assert teams_of(shown, "right", "victim") == ["Quokkas (@eve)", "Quokkas (@vera)"]


def test_runs_under_a_pseudonym_bring_out_no_account(store: Store, shown: PublicStore) -> None:
    take_in(store, "victim", SUBJECT, "Quokkas")
    (pseudonym,) = teams_of(shown, "victim")
    for number, forged in enumerate((pseudonym, pseudonym.upper(), pseudonym.replace("e", "е"))):
        for owner in ("eve", "mallory"):
            take_in(store, f"{owner}-{number}", f"{owner}-subject", forged, set_id="eloquent-2024", name=owner)
    named = teams_of(shown, "victim", "eve-0", "mallory-1", "eve-2")
    assert named[0] == pseudonym
    # Whoever is called like a pseudonym stands with their own account: nobody is taken for the victim.
    assert [name.endswith(("(@eve)", "(@mallory)")) for name in named[1:]] == [True, True, True]
    everything = repr((shown.teams(), [ticket.names for ticket in shown.tickets()], named))
    assert not any(SUBJECT[start : start + 4] in everything for start in range(len(SUBJECT) - 3))


def test_an_account_without_a_name_is_never_called_by_its_subject(store: Store, shown: PublicStore) -> None:
    take_in(store, "one", SUBJECT, "Quokkas", set_id="eloquent-2024")
    take_in(store, "two", "another-subject", "Quokkas", set_id="eloquent-2024")
    assert teams_of(shown, "one", "two") == ["Quokkas (account of one)", "Quokkas (account of two)"]


def test_with_a_key_pseudonyms_stay_for_their_season_and_without_one_for_one_start(
    tmp_path: Path, store: Store, clock: SetClock
) -> None:
    take_in(store, "spring", SUBJECT, "Quokkas")
    take_in(store, "table", SUBJECT, "Quokkas", set_id="judges")
    seasons = made_seasons(tmp_path / "seasons", spring=SPRING + PRIVATE, judges=JUDGES + PRIVATE)

    def called(key: str) -> list[str]:
        return teams_of(PublicStore(store, seasons, clock, key=key), "spring", "table")

    spring, table = called(KEY)
    assert called(KEY) == [spring, table]  # as after a restart, and on another server
    assert spring != table  # of the same team in two seasons
    assert not {spring, table} & {*called("another " + KEY), *called(""), "Quokkas"}
    assert called("") != called("")


def test_attempts_and_files_of_a_run_do_not_tie_a_pseudonym_to_a_public_run(
    store: Store, shown: PublicStore, clock: SetClock
) -> None:
    take_in(store, "private", SUBJECT, "Quokkas")
    clock.set("2026-02-01T00:00:00+00:00")
    take_in(store, "before", SUBJECT, "Quokkas")  # before the season opened: its names are public
    clock.set("2026-03-10T12:00:00+00:00")
    assert store.attempts("before") == ["before", "private"]
    assert shown.attempts("before") == ["before"]
    assert shown.attempts("private") == ["private"]
    assert [file.ticket_id for file in shown.run_files("before")] == ["before"]
    (own,) = shown.run_files("private")
    assert "Quokkas" not in repr(own)


def test_reasons_and_logs_call_a_run_by_its_pseudonym(store: Store, shown: PublicStore) -> None:
    take_in(store, "victim", SUBJECT, "Quokkas")
    assert store.claim("worker") is not None
    store.fail("victim", "worker", "Quokkas.json: the answers of Quokkas cannot be read")
    ticket = shown.require("victim")
    assert "Quokkas" not in repr(ticket)
    assert f"the answers of {ticket.names.team} cannot be read" in (ticket.reason or "")


def test_judges_of_a_verdict_table_have_pseudonyms_until_names_are_public(
    store: Store, shown: PublicStore, clock: SetClock
) -> None:
    take_in(store, "table", SUBJECT, "Quokkas", set_id="judges:mtbench:3")
    made = judges_result(verdicts({"quokka-judge": "AB BA AA", "gauge": "BA BA AA"}))
    assert store.claim("worker") is not None
    store.finish("table", "worker", made.model_dump_json())
    for text in (shown.result("table"), {ticket.id: text for ticket, text in shown.results()}["table"]):
        hidden = JudgesResult.model_validate_json(text or "")
        assert "quokka" not in (text or "")
        assert [report.judge[:6] for report in hidden.judges] == ["judge ", "judge "]
        assert {name for way in hidden.agreement.values() for name in way} <= {one.judge for one in hidden.judges}
        assert [one.position_bias for one in hidden.judges] == [one.position_bias for one in made.judges]
    clock.set("2026-05-01T00:00:00+02:00")
    assert json.loads(shown.result("table") or "") == json.loads(made.model_dump_json())


def test_groups_of_a_table_say_nothing_until_its_answers_are_public(
    tmp_path: Path, store: Store, clock: SetClock
) -> None:
    """Large groups too: 20 pairs of a model less 19 of a task leave the pair that they differ in."""
    private = "[public]\nanswers = 2026-05-01T00:00:00\n"
    shown = PublicStore(store, made_seasons(tmp_path / "private", judges=JUDGES + private), clock)
    take_in(store, "table", SUBJECT, "Quokkas", set_id="judges:mtbench:3")
    made = judges_result(verdicts({"gauge": "AB BA AA"}, queries=40, models=2))
    (gauge,) = made.judges
    assert {figures["n_pairs"] for figures in (*gauge.by_task.values(), *gauge.by_model.values())} == {40}
    assert store.claim("worker") is not None
    store.finish("table", "worker", made.model_dump_json())
    for text in (shown.result("table"), {ticket.id: text for ticket, text in shown.results()}["table"]):
        hidden = JudgesResult.model_validate_json(text or "")
        (report,) = hidden.judges
        assert (report.by_task, report.by_model, report.cells, hidden.hardest) == ({}, {}, (), ())
        assert report.position_bias == gauge.position_bias
    clock.set("2026-05-01T00:00:00+02:00")
    assert json.loads(shown.result("table") or "") == json.loads(made.model_dump_json())


def test_a_taken_and_a_free_name_take_the_same_time(store: Store, shown: PublicStore) -> None:
    """200 tries each, one after the other; a difference of the medians would have to exceed the noise of either."""
    take_in(store, "guess", "eve-subject", "somebody", set_id="eloquent-2024")
    guess = next(ticket for ticket in shown.tickets() if ticket.id == "guess")

    def seconds(name: str) -> float:
        asked = replace(guess, names=replace(guess.names, team=name))
        begin = time.perf_counter()
        assert TeamNames(shown).shown([asked]) == {"guess": name}
        return time.perf_counter() - begin

    taken, free = [], []
    for number in range(200):
        name = f"Quokka Syndicate of Rottnest {number}"
        take_in(store, f"victim-{number}", SUBJECT, name)
        taken.append(seconds(name))
        free.append(seconds(f"Wombat Syndicate of Rottnest {number}"))
    noise = statistics.stdev(free) / len(free) ** 0.5 + statistics.stdev(taken) / len(taken) ** 0.5
    assert abs(statistics.fmean(taken) - statistics.fmean(free)) < 4 * noise
