"""The lab as the pages use it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from evaluator.lab import serving
from evaluator.lab.gate import Gate, LabVisitor
from evaluator.lab.serving import LabService
from evaluator.lab.setup import LabSetup, naive_vs_pref_aligner
from evaluator.lab.state import LabState
from submissions.promptsets import PromptSets
from submissions.questionsets import demonstration
from submissions.settings import Settings
from submissions.store.store import Store

SETUP = LabSetup(demonstration().questions[1], "demonstration", ("Be brief.",), 0, *naive_vs_pref_aligner("scripted"))


SPACE = {"SPACE_ID": "team/plumbline", "PLUMBLINE_LAB_RUNS_PER_HOUR": "2"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(f"sqlite:///{tmp_path / 'plumbline.db'}")
    yield opened
    opened.close()


def service(store: Store, generators: str = "scripted", judges: str = "scripted", **more: str) -> LabService:
    settings = Settings.from_env({"PLUMBLINE_GENERATORS": generators, "PLUMBLINE_JUDGES": judges, **more})
    return LabService.from_settings(settings, store, PromptSets.load(None))


async def states_of(lab: LabService, visitor: str = "ann", setup: LabSetup = SETUP) -> list[LabState]:
    return [state async for state in lab.run(setup, LabVisitor(visitor), stop=threading.Event())]


def test_a_configured_lab_runs_and_gives_its_place_back(store: Store) -> None:
    lab = service(store)
    assert (lab.generator_names, lab.live_off_reason) == (("scripted",), None)
    states = asyncio.run(states_of(lab))
    assert states[-1].phase == "done"
    assert states[-1].generators["scripted"].name == "scripted"
    assert store.lab_runs_started("ann") == 0  # nobody counts on a machine of one's own
    assert lab.gate.join(LabVisitor("ann")).position is None


def test_the_judge_is_loaded_by_the_first_run_that_needs_it(store: Store) -> None:
    lab = service(store)
    assert lab.judge_pin is None
    asyncio.run(states_of(lab))
    assert lab.judge_pin is not None
    assert lab.judge_pin.name == "scripted"


def test_a_judge_that_is_not_there_is_told_in_words(store: Store) -> None:
    last = asyncio.run(states_of(service(store, judges="nonsense")))[-1]
    assert last.a.verdict is not None
    assert last.a.verdict.followed_reason == "the judge cannot be used: the configured judge cannot be loaded"


def test_without_generators_live_generation_is_off_and_a_run_says_so(store: Store) -> None:
    lab = service(store, generators="none")
    assert lab.live_off_reason == ("Live generation is off: no generator model is configured here. Replay works.")
    (state,) = asyncio.run(states_of(lab))
    assert (state.phase, state.failure) == ("failed", lab.live_off_reason)
    assert lab.replay.entries() == ()


def test_an_allow_list_that_cannot_be_used_turns_generation_off_without_showing_it(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    lab = service(store, generators="transformers:/secret/folder")
    assert lab.live_off_reason == (
        "Live generation is off: the list of generator models cannot be used here. Replay works."
    )
    assert "/secret/folder" in caplog.text


def test_without_torch_local_models_are_not_offered(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    local = f"transformers:owner/model@{'0' * 40}"
    monkeypatch.setattr(serving, "find_spec", lambda name: None)
    lab = service(store, generators=local)
    assert lab.generator_names == ()
    assert lab.live_off_reason == (
        "Live generation is off: the generator models need torch, which is not installed here. Replay works."
    )
    both = service(store, generators=f"{local},scripted")
    assert (both.generator_names, both.live_off_reason) == (("scripted",), None)


def test_a_setup_with_faults_never_reaches_the_gate(store: Store) -> None:
    lab = service(store)
    (state,) = asyncio.run(states_of(lab, setup=replace(SETUP, relevant_index=4)))
    assert (state.phase, state.failure) == ("failed", "the relevant preference: found number 5, expected 1 to 1")


def test_a_visitor_who_has_a_run_is_refused_in_words(store: Store) -> None:
    lab = service(store)
    turn = lab.gate.join(LabVisitor("ann"))
    (state,) = asyncio.run(states_of(lab))
    assert (state.phase, state.failure) == ("failed", "You already have a run here: wait for it, or cancel it first.")
    turn.leave()


def test_waiting_runs_show_their_position_and_start_when_a_place_is_free(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluator.lab.gate.POLL_S", 0.001)
    lab = service(store)
    lab.gate = Gate(max_running=1)
    first, second = lab.gate.join(LabVisitor("ben")), lab.gate.join(LabVisitor("cat"))

    async def scenario() -> list[LabState]:
        states = []
        async for state in lab.run(SETUP, LabVisitor("ann"), stop=threading.Event()):
            states.append(state)
            if state.queue_position == 2:
                first.leave()
            if state.queue_position == 1:
                second.leave()
        return states

    states = asyncio.run(scenario())
    assert [(state.phase, state.queue_position) for state in states[:3]] == [
        ("queued", 2),
        ("queued", 1),
        ("writing", None),
    ]
    assert states[-1].phase == "done"


def test_on_a_space_the_runs_of_an_hour_are_counted_for_all_page_servers(store: Store) -> None:
    first, second = (service(store, **SPACE) for _ in range(2))
    for lab in (first, second):
        assert asyncio.run(states_of(lab))[-1].phase == "done"
    assert store.lab_runs_started("ann") == 2
    for lab in (first, second):
        (state,) = asyncio.run(states_of(lab))
        assert state.phase == "failed"
        assert "2 runs within an hour, not counting failed and cancelled ones, and the limit is 2" in str(state.failure)
        assert lab.gate.join(LabVisitor("ben")).position is None  # the refused one holds no place
    assert asyncio.run(states_of(second, "cat"))[-1].phase == "done"


def test_on_a_space_a_run_that_is_stopped_or_left_costs_nothing(store: Store) -> None:
    lab = service(store, "scripted:0.2", **SPACE)
    setup = replace(SETUP, a=replace(SETUP.a, generator=lab.generator_names[0]))
    setup = replace(setup, b=replace(SETUP.b, generator=lab.generator_names[0]))
    stop = threading.Event()

    async def stopped() -> str:
        phase = ""
        async for state in lab.run(setup, LabVisitor("ann"), stop=stop):
            phase = state.phase
            stop.set()
        return phase

    async def left() -> None:
        states = lab.run(setup, LabVisitor("ann"), stop=threading.Event())
        await anext(states)
        await states.aclose()

    assert asyncio.run(stopped()) == "cancelled"
    asyncio.run(left())
    assert store.lab_runs_started("ann") == 0


def test_cancelling_in_the_queue_frees_the_place_and_costs_nothing(store: Store) -> None:
    lab = service(store, **SPACE)
    lab.gate = Gate(max_running=1)
    lab.gate.join(LabVisitor("ben"))
    stop = threading.Event()

    async def scenario() -> list[str]:
        phases: list[str] = []
        async for state in lab.run(SETUP, LabVisitor("ann"), stop=stop):
            phases.append(state.phase)
            stop.set()
        return phases

    assert asyncio.run(scenario()) == ["queued", "cancelled"]
    assert store.lab_runs_started("ann") == 0
    assert lab.gate.join(LabVisitor("cat")).position == 1


def test_closing_a_run_frees_the_place(store: Store) -> None:
    lab = service(store, generators="scripted:0.2")
    setup = replace(SETUP, a=replace(SETUP.a, generator=lab.generator_names[0]))
    setup = replace(setup, b=replace(SETUP.b, generator=lab.generator_names[0]))
    lab.gate = Gate(max_running=1)

    async def leave_early() -> None:
        states = lab.run(setup, LabVisitor("ann"), stop=threading.Event())
        assert (await anext(states)).phase == "writing"
        await states.aclose()

    asyncio.run(leave_early())
    assert lab.gate.join(LabVisitor("ben")).position is None


def test_a_pseudonym_is_the_same_for_a_visitor_and_another_one_after_a_restart(store: Store) -> None:
    lab, restarted = service(store), service(store)
    assert lab.pseudonym(LabVisitor("ann")) == lab.pseudonym(LabVisitor("ann"))
    assert lab.pseudonym(LabVisitor("ann")) not in (
        lab.pseudonym(LabVisitor("ben")),
        restarted.pseudonym(LabVisitor("ann")),
    )


def test_the_whole_lab_works_where_torch_and_gradio_are_not_installed(tmp_path: Path) -> None:
    script = """
import asyncio, sys, threading
for name in ("torch", "transformers", "gradio"):
    sys.modules[name] = None
import evaluator.lab.session_file, evaluator.lab.tally
from evaluator.lab.gate import LabVisitor
from evaluator.lab.serving import LabService
from evaluator.lab.setup import LabSetup, naive_vs_pref_aligner
from submissions.promptsets import PromptSets
from submissions.questionsets import demonstration
from submissions.settings import Settings
from submissions.store.store import Store
judges = f"transformers:{sys.argv[1]};unproven"
settings = Settings.from_env({"PLUMBLINE_GENERATORS": "scripted", "PLUMBLINE_JUDGES": judges})
store = Store.open(f"sqlite:///{sys.argv[1]}/plumbline.db")
lab = LabService.from_settings(settings, store, PromptSets.load(None))
setup = LabSetup(demonstration().questions[1], "demonstration", ("Be brief.",), 0, *naive_vs_pref_aligner("scripted"))
async def last():
    async for state in lab.run(setup, LabVisitor("ann"), stop=threading.Event()):
        pass
    return state
state = asyncio.run(last())
print(state.phase, "|", state.a.verdict.followed_reason, "|", len(lab.replay.entries()))
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stderr == ""
    assert done.stdout == "done | the judge cannot be used: it needs torch, which is not installed here | 0\n"
