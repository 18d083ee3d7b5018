"""`make check-hosts`: one large run judged over two hosts, while one thing after the other is killed.

Both hosts are namespaces of this machine (`benchmarks.hosts`). The head of a Ray cluster and our own worker are on the
first one, a second raylet on the other, actors on both. The judge is the scripted one, which notes every question it is
asked and then takes a while (`benchmarks/asked`). The result must be identical to the byte to that of one process, and
nothing that was stored may be asked again.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path

from benchmarks.hosts import Host, HostsUnavailable, two_hosts
from benchmarks.provenance import commit
from evaluator.judge_loading.loading import load_scorer
from evaluator.judge_loading.ray_cluster import BATCHES_PER_ACTOR
from evaluator.judge_quality.e5.pairs import texts
from evaluator.judges.recorded import MemoryVerdicts
from evaluator.worker.scoring import score_stored
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.promptsets import PromptSets
from submissions.store.queue import REQUESTS_PER_BATCH, JobStatus, Ticket
from submissions.store.store import Store

ROOT = Path(__file__).parents[1]
ASKED = Path(__file__).parent / "asked"
RAY = str(Path(sys.executable).with_name("ray"))
PORT = 6379
ACTORS = 4
FASTER = {2: 1.8, 4: 3.5}
"""How many times the throughput of one actor so many have at least, where a question takes 0.05 s."""
LANGUAGES = 8
"""Of the run: 30 questions in each, 28 pairs of languages, each pair asked in both orders: 1,680 judgements."""
CALL = REQUESTS_PER_BATCH * ACTORS
"""Questions of one call of the judge: its verdicts are stored together, and the next call begins after that."""
BATCH = REQUESTS_PER_BATCH // BATCHES_PER_ACTOR
"""Questions an actor is asked at a time, the next ones after its answer."""
LEASE_S = 5.0
PROMPT_SETS = PromptSets.load(None)
POLL_S = 0.05
START_PATIENCE_S = 180.0
WORK_PATIENCE_S = 300.0
"""From a kill to the result. Ray's own patience with a host that says nothing is 65 s, with a head 60 s."""


class Cluster:
    """A Ray cluster over both hosts, with its head on the first one.

    Args:
        hosts: The two.
        environ: Of all its processes.
    """

    def __init__(self, hosts: tuple[Host, Host], environ: Mapping[str, str]) -> None:
        self._hosts = hosts
        self._environ = environ

    def start(self) -> None:
        head, other = self._hosts
        common = ["--num-cpus=2", f"--object-store-memory={100 * 2**20}", "--disable-usage-stats"]
        started = ["--head", f"--port={PORT}", f"--node-ip-address={head.address}", "--include-dashboard=false"]
        head.run(RAY, "start", *started, *common, environ=self._environ)
        joined = [f"--address={head.address}:{PORT}", f"--node-ip-address={other.address}"]
        other.run(RAY, "start", *joined, *common, environ=self._environ)

    def start_anew(self) -> None:
        """As whoever runs a cluster does after its head has died."""
        for host in self._hosts:
            host.run(RAY, "stop", "--force", environ=self._environ)
        self.start()


class Service:
    """A data folder with one large run in its queue, and what a worker on either host needs to find it.

    Args:
        folder: Of the data, on both hosts.
        seconds_per_question: How long the judge takes for one.
        ray_settings: Of Ray, for all of its processes.
    """

    def __init__(self, folder: Path, seconds_per_question: float, ray_settings: Mapping[str, str]) -> None:
        self._folder = folder
        self.store = Store.open(f"sqlite:///{folder / 'plumbline.db'}", lease_s=LEASE_S)
        desk = Desk(self.store, Archive(folder / "archive"), PROMPT_SETS)
        self._files = [desk.submit(data, name, owner="local").ticket.id for name, data in question_files(LANGUAGES)]
        self.ticket_id = self._files[0]
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PLUMBLINE_", "RAY_"))}
        self.environ = {
            **kept,
            "PYTHONPATH": os.pathsep.join((str(ASKED), str(ROOT))),
            "PLUMBLINE_ASKED": str(folder / "asked"),
            "PLUMBLINE_ASKED_S": str(seconds_per_question),
            "PLUMBLINE_DATA": str(folder),
            "PLUMBLINE_EMBEDDING": "scripted",
            "PLUMBLINE_LEASE_S": str(LEASE_S),
            "PLUMBLINE_DEMONSTRATION": "0",
            "PLUMBLINE_RECORDED": "0",
            "PLUMBLINE_FETCH_SETS": "0",
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": secrets.token_hex(32),
            **ray_settings,
        }

    @property
    def ticket(self) -> Ticket:
        return self.store.require(self.ticket_id)

    def asked(self) -> list[tuple[str, str]]:
        """Host and verdict key of every question that was asked, in order."""
        noted = self._folder / "asked"
        lines = noted.read_text().splitlines() if noted.exists() else []
        return [(host, key) for host, _, key in (line.split() for line in lines)]

    def stored(self, keys: set[str]) -> set[str]:
        """Those of the verdicts that are stored."""
        return set(self.store.load_verdicts(sorted(keys)))

    def start_worker(self, host: Host, actors: int) -> subprocess.Popen[bytes]:
        """`python -m evaluator work` on a host; it ends with the host at the latest."""
        judge = f"ray:auto;actors={actors}#scripted"
        with (self._folder / "worker").open("ab") as said:
            return subprocess.Popen(
                host.command(sys.executable, "-m", "evaluator", "work", "--judge", judge),
                cwd=self._folder,
                env=self.environ,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
            )

    def worker_said(self) -> str:
        return (self._folder / "worker").read_text(errors="replace")

    def result_of_one_process(self) -> str:
        """What the scripted judge of this process makes of the run."""
        scorer = load_scorer("scripted")
        ticket = self.ticket
        made = score_stored(ticket, self.store, scorer, (), prompt_sets=PROMPT_SETS, verdicts=MemoryVerdicts())
        return made.model_dump_json()


def question_files(languages: int) -> Iterator[tuple[str, bytes]]:
    """A run of 2025 in so many languages: to each of thirty questions the same is said in other words.

    Names and contents of its files.
    """
    known = [*texts("calibration").values(), *texts("test").values()]
    for language in sorted({text.language for text in known})[:languages]:
        spoken = [text for text in known if text.language == language]
        questions = [
            {"questionid": number, "turns": [{"question": text.said, "answer": text.again}]}
            for number, text in enumerate(spoken)
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
        yield f"{language}.json", json.dumps(document).encode()


@dataclass(frozen=True, slots=True)
class Scene:
    """What a round has at hand."""

    hosts: tuple[Host, Host]
    cluster: Cluster
    service: Service


@dataclass(frozen=True, slots=True)
class Kill:
    """One thing that dies while a run is judged."""

    what: str
    expected: str
    act: Callable[[Scene], None]
    ray_settings: Mapping[str, str]
    actors: Callable[[Scene], int]
    """How many of them die while their call goes on: each takes one batch with it, whose answers nobody has."""
    calls: int
    """How many calls end with the process that made them: what was answered in one is not stored yet."""

    def may_ask_twice(self, scene: Scene) -> int:
        """Questions that may be asked a second time, at most; asked before the kill.

        An actor may die in one call and the process in the next: then both were in vain.
        """
        return BATCH * self.actors(scene) + CALL * self.calls


def _kill_one(host: Host, *marks: str) -> None:
    """SIGKILL to the first process of a host with these marks."""
    processes = host.processes(*marks)
    if not processes:
        raise RuntimeError(f"{host.name} has no process {' '.join(marks)}")
    os.kill(processes[0], signal.SIGKILL)


def _actors_on(number: int) -> Callable[[Scene], int]:
    """Counts the actors on the first host (0) or the second (1)."""
    return lambda scene: len(scene.hosts[number].processes("ray::JudgeActor"))


def _no_actor(_: Scene) -> int:
    """What dies takes no actor with it, or all at once with the process that asks them."""
    return 0


def _one_actor(_: Scene) -> int:
    return 1


def _all_actors_but_the_last(_: Scene) -> int:
    """One after the other: the call ends with the last."""
    return ACTORS - 1


def _kill_actor(scene: Scene) -> None:
    _kill_one(scene.hosts[1], "ray::JudgeActor")


def _kill_raylet(scene: Scene) -> None:
    _kill_one(scene.hosts[1], "/raylet/raylet")


def _cut_off(scene: Scene) -> None:
    scene.hosts[1].take_link_down()


def _kill_head(scene: Scene) -> None:
    _kill_one(scene.hosts[0], "/gcs_server")


def _kill_head_and_start_anew(scene: Scene) -> None:
    _kill_head(scene)
    wait_for(
        lambda: scene.service.ticket.status is JobStatus.QUEUED, WORK_PATIENCE_S, "the run stayed with a dead head"
    )
    scene.cluster.start_anew()


def _kill_own_raylet_and_start_anew(scene: Scene) -> None:
    _kill_one(scene.hosts[0], "/raylet/raylet")
    wait_for(
        lambda: scene.service.ticket.status is JobStatus.QUEUED, WORK_PATIENCE_S, "the run stayed without a raylet"
    )
    scene.cluster.start_anew()


def _kill_judging_process(scene: Scene) -> None:
    _kill_one(scene.hosts[0], "evaluator work --child")


def _kill_worker(scene: Scene) -> None:
    """All of it: another one has to be started."""
    for process in scene.hosts[0].processes("-m evaluator work"):
        os.kill(process, signal.SIGKILL)
    scene.service.start_worker(scene.hosts[0], ACTORS)


SOON = {"RAY_gcs_rpc_server_reconnect_timeout_s": "5"}
"""A cluster waits a minute for its head: here less, so that it falls apart while the run is judged."""

BACK = "back in the queue; goes on once the cluster is started anew"

KILLS = (
    Kill("actor", "Ray starts another, its batch is asked again", _kill_actor, {}, _one_actor, 0),
    Kill("raylet", "its batches go to the other host, where its actors start", _kill_raylet, {}, _actors_on(1), 0),
    Kill("host", "the same, once Ray has given the host up", _cut_off, {}, _actors_on(1), 0),
    Kill("head", "the actors go on: Ray waits a minute for its head", _kill_head, {}, _no_actor, 0),
    Kill("cluster", BACK, _kill_head_and_start_anew, SOON, _all_actors_but_the_last, 1),
    Kill("own raylet", BACK, _kill_own_raylet_and_start_anew, {}, _actors_on(0), 1),
    Kill("judging process", "the watcher starts another one", _kill_judging_process, {}, _no_actor, 1),
    Kill("worker", "another worker takes the run when the lease ends", _kill_worker, {}, _no_actor, 1),
)


@dataclass(frozen=True, slots=True)
class Round:
    """What became of a run while something was killed."""

    killed: str
    seconds: float
    """From the kill to the result."""
    same: bool
    """Is the result that of one process, to the byte?"""
    on_hosts: dict[str, int]
    """How many questions each host was asked."""
    stored: int
    """Verdicts when the kill came."""
    stored_asked_again: int
    asked_twice: tuple[int, ...]
    """Questions that were asked more than once, of each call."""
    may_ask_twice: int
    """In all calls together, at most."""
    told: tuple[str, ...]
    """The run's log since."""

    @property
    def row(self) -> str:
        """What follows in the table's row."""
        same = "identical" if self.same else "DIFFERS"
        calls = ", ".join(
            f"{count} of call {number}" for number, count in enumerate(self.asked_twice, start=1) if count
        )
        twice = f"{sum(self.asked_twice)} asked twice ({calls or 'none'}), at most {self.may_ask_twice}"
        verdicts = f"{self.stored} stored, {self.stored_asked_again} of them asked again; {twice}"
        return f"| {same}, {self.seconds:.1f} s later | {_where(self.on_hosts)} | {verdicts} | {'; '.join(self.told)} |"

    @property
    def is_good(self) -> bool:
        is_once = self.stored_asked_again == 0 and sum(self.asked_twice) <= self.may_ask_twice
        return self.same and is_once and len(self.on_hosts) == 2


@contextmanager
def scene(ray_settings: Mapping[str, str], seconds_per_question: float) -> Iterator[Scene]:
    """Two hosts with a cluster and a run in the queue; all of it is gone at the end."""
    with tempfile.TemporaryDirectory(prefix="plumbline-hosts-") as folder, two_hosts() as hosts:
        service = Service(Path(folder), seconds_per_question, ray_settings)
        cluster = Cluster(hosts, service.environ)
        try:
            cluster.start()
            yield Scene(hosts, cluster, service)
        finally:
            service.store.close()


def round_with(kill: Kill, seconds_per_question: float) -> Round:
    """Kills something while a run is judged, after one call of the judge was stored and the next one has begun.

    Raises:
        TimeoutError: something stands still; with what the worker said.
    """
    with scene(kill.ray_settings, seconds_per_question) as made:
        service = made.service
        expected = service.result_of_one_process()
        service.start_worker(made.hosts[0], ACTORS)
        try:
            wait_for(lambda: service.ticket.judged > 0, START_PATIENCE_S, "nothing was judged")
            judged = service.ticket.judged
            wait_for(lambda: len(service.asked()) > judged + 4 * ACTORS, START_PATIENCE_S, "nothing more was asked")
            told_before = len(service.ticket.log)
            asked_before = service.asked()
            stored = service.stored({key for _, key in asked_before})
            may_ask_twice = kill.may_ask_twice(made)
            began = time.monotonic()
            kill.act(made)
            wait_for(lambda: not service.ticket.status.is_open, WORK_PATIENCE_S, "the run was not judged to its end")
        except TimeoutError as late:
            raise TimeoutError(f"{late}\n{service.ticket}\nThe worker said:\n{service.worker_said()}") from late
        seconds = time.monotonic() - began
        asked = service.asked()
        often = Counter(key for _, key in asked)
        return Round(
            killed=kill.what,
            seconds=seconds,
            same=service.store.result(service.ticket_id) == expected,
            on_hosts=of_hosts(asked),
            stored=len(stored),
            stored_asked_again=sum(often[key] > 1 for key in stored),
            asked_twice=of_calls([count > 1 for count in often.values()]),
            may_ask_twice=may_ask_twice,
            told=service.ticket.log[told_before:],
        )


@dataclass(frozen=True, slots=True)
class Speed:
    """How long so many actors took for the run."""

    def is_enough(self, of_one_s: float) -> bool:
        """Identical, on both hosts where there are actors for both, and as much faster than one as it has to be."""
        is_on_both = len(self.on_hosts) == min(self.actors, 2)
        return self.same and is_on_both and of_one_s / self.seconds >= FASTER.get(self.actors, 0.0)

    actors: int
    seconds: float
    """From the claim to the result."""
    same: bool
    on_hosts: dict[str, int]

    def row(self, of_one_s: float) -> str:
        """What follows in the table's row, against the seconds of one actor."""
        same = "identical" if self.same else "DIFFERS"
        ratio = of_one_s / self.seconds
        return f"| {same}, {self.seconds:.1f} s | {ratio:.2f} times the throughput | {_where(self.on_hosts)} |"


def speed_over(actors: int, seconds_per_question: float) -> Speed:
    """The run judged over so many actors, undisturbed."""
    with scene({}, seconds_per_question) as made:
        service = made.service
        service.start_worker(made.hosts[0], actors)
        wait_for(lambda: service.ticket.status is JobStatus.RUNNING, START_PATIENCE_S, "the run was not claimed")
        began = time.monotonic()
        wait_for(lambda: not service.ticket.status.is_open, WORK_PATIENCE_S, "the run was not judged to its end")
        seconds = time.monotonic() - began
        same = service.store.result(service.ticket_id) == service.result_of_one_process()
        return Speed(actors, seconds, same, of_hosts(service.asked()))


def of_calls(is_twice: Sequence[bool]) -> tuple[int, ...]:
    """How many of each call were asked twice, from all questions in the order in which they were asked first."""
    return tuple(sum(is_twice[start : start + CALL]) for start in range(0, len(is_twice), CALL))


def of_hosts(asked: Sequence[tuple[str, str]]) -> dict[str, int]:
    """How many questions each host was asked."""
    return dict(sorted(Counter(host for host, _ in asked).items()))


def wait_for(condition: Callable[[], bool], patience_s: float, complaint: str) -> None:
    """Raises TimeoutError with the complaint where a condition does not come true in time."""
    deadline = time.monotonic() + patience_s
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{complaint} within {patience_s:.0f} s")
        time.sleep(POLL_S)


def _where(on_hosts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} on {host}" for host, count in on_hosts.items())


def main() -> int:
    """Prints a row for every kill and for every number of actors; exit 1 where one is not as it has to be."""
    parser = argparse.ArgumentParser(prog="make check-hosts")
    parser.add_argument("--kill", nargs="*", choices=[kill.what for kill in KILLS], help="default: each in turn")
    parser.add_argument("--actors", type=int, nargs="*", default=[1, 2, 4], help="for the throughput; none = skip it")
    parser.add_argument("--seconds-per-call", type=float, default=0.05)
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    options = parser.parse_args()
    rounds, speeds, stuck = [], [], 0
    try:
        print("| killed | expected | result | questions | verdicts | the run's log since |\n|---|---|---|---|---|---|")
        for kill in KILLS:
            if options.kill is not None and kill.what not in options.kill:
                continue
            try:
                rounds.append(round_with(kill, options.seconds_per_call))
                print(f"| {kill.what} | {kill.expected} {rounds[-1].row}", flush=True)
            except TimeoutError as late:
                stuck += 1
                print(f"| {kill.what} | {kill.expected} | STUCK: {late}", flush=True)
        for actors in options.actors:
            speeds.append(speed_over(actors, options.seconds_per_call))
            print(f"| {actors} actors {speeds[-1].row(speeds[0].seconds)}", flush=True)
    except HostsUnavailable as missing:
        print(f"no two hosts can be made: {missing}")
        return 1
    is_fast = all(speed.is_enough(speeds[0].seconds) for speed in speeds)
    if options.json:
        about = {"commit": commit(), "date": date.today().isoformat(), "cores": os.cpu_count()}
        report = {"rounds": [asdict(row) for row in rounds], "speeds": [asdict(speed) for speed in speeds]}
        print(json.dumps(about | report))
    return int(bool(stuck) or not all(row.is_good for row in rounds) or not is_fast)


if __name__ == "__main__":
    sys.exit(main())
