"""Hostile scoring programs in the real sandbox: none has an effect outside, each ends within its limits."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.request import urlopen

import pytest

from evaluator.sandbox import program
from evaluator.sandbox.program import NoIsolation, ProgramStopped, SandboxLimits, isolated_python, run_isolated

LIMITS = SandboxLimits(seconds=3, memory_mb=400, processes=20, written_mb=8, files=200, result_bytes=100_000)
SLACK_S = 30.0
"""A busy machine starts and ends a sandbox within that."""

MANY = "more than 20 processes|exit code 1|longer than 3 s"
"""Counted from outside, or refused by the kernel, which counts what other sandboxes of this user run, too."""
"""The kernel itself refuses further processes, but to root."""
STOPPED = {
    "fork bomb": ("while True:\n    os.fork()", MANY),
    "fork bomb that ignores refusals": (
        """
        while True:
            try:
                os.fork()
            except OSError:
                pass
        """,
        MANY,
    ),
    "daemons": (
        """
        for _ in range(50):
            if os.fork() == 0:
                os.setsid()
                if os.fork():
                    os._exit(0)
                time.sleep(60)
        time.sleep(60)
        """,
        MANY,
    ),
    "sleep": ("time.sleep(60)", "longer than 3 s"),
    "busy loop": ("while True:\n    pass", "longer than 3 s"),
    "ignored signals": (
        """
        for number in range(1, 65):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        while True:
            pass
        """,
        "longer than 3 s",
    ),
    "memory": ("held = []\nwhile True:\n    held.append(bytearray(10**7))", "exit code 1"),
    "memory of many": (
        """
        for _ in range(8):
            if os.fork() == 0:
                break
        held = []
        while True:
            held.append(bytearray(10**7))
        """,
        "memory",
    ),
    "endless output": ("while True:\n    print('x' * 1000)", "standard output"),
    "endless errors": ("while True:\n    sys.stderr.write('x' * 1000)", "standard error"),
    "a gigabyte of scores": ("open('/box/output/scores.json', 'wb').write(b'1' * 10**9)", "exit code 1"),
    "a file that grows": (
        "with open('/box/f', 'wb') as file:\n    while True:\n        file.write(b'1' * 10**6)",
        "exit code 1",
    ),
    "files that fill the folder": (
        "for number in range(100):\n    open(f'/box/f{number}', 'wb').write(b'1' * 10**6)",
        "exit code 1",
    ),
    "a million files": (
        "for number in range(10**6):\n    open(f'/box/f{number}', 'wb').close()\ntime.sleep(9)",
        "files",
    ),
    "a deleted file that grows": (
        "file = open('/box/f', 'wb')\nos.unlink('/box/f')\nwhile True:\n    file.write(b'1' * 10**6)",
        "exit code 1",
    ),
    "closed output": ("os.close(1)\nos.close(2)\ntime.sleep(60)", "longer than 3 s"),
    "end of everybody": ("os.kill(-1, signal.SIGKILL)\ntime.sleep(60)", "exit code 1"),
    "an exit code": ("sys.exit(7)", "exit code 7"),
}
"""Name -> program, and what the refusal names."""

REFUSED = {
    "a server of this machine": "socket.create_connection(('127.0.0.1', PORT), 2)",
    "a name looked up": "socket.getaddrinfo('example.org', 80)",
    "a packet": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 9))",
    "a socket without a file": "socket.socket(socket.AF_UNIX).connect('\\0' + 'SECRET')",
    "a socket between virtual machines": "socket.socket(40, socket.SOCK_STREAM).bind((0xffffffff, 44444))",  # AF_VSOCK
    "a socket to the kernel": "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
    "a socket with bits that the kernel drops": "check(libc.syscall(SOCKET, ctypes.c_long(40 | 1 << 32), 1, 0))",
    "a secret variable": "os.environ['PLUMBLINE_TEST_SECRET']",
    "the store": "open('STORE', 'rb').read()",
    "the store, written": "open('STORE', 'wb').write(b'x')",
    "processes of this machine": "open('/proc/1/environ', 'rb').read()",
    "a mounted /proc": "check(libc.mount(b'proc', b'/box/tmp', b'proc', 0, None))",
    "the program folder": "open('/program/attack.py', 'ab').write(b'x')",
    "a new file beside the program": "open('/program/new.py', 'wb').write(b'x')",
    "the libraries": "open('/usr/lib/new', 'wb').write(b'x')",
    "the Python": "open(os.path.join(os.path.dirname(sys.executable), 'new'), 'wb').write(b'x')",
    "the root": "open('/new', 'wb').write(b'x')",
    "a hard link": "os.link('/program/attack.py', '/box/attack.py')",
    "a link to the store": "os.symlink('STORE', '/box/link')\nopen('/box/link').read()",
    "a device": "os.mknod('/box/disk', 0o60666, os.makedev(8, 0))",
    "a remount": "check(libc.mount(None, b'/program', None, 32 | 4096, None))",
    "another process's memory": "check(libc.ptrace(16, os.getppid(), 0, 0))",
    "a namespace": "check(libc.unshare(0x10000000))",
    "another root": "os.chroot('/box')",
    "another user": "os.setuid(0)",
    "shared memory that no limit counts": "check(libc.shmget(0, 10**9, 0o1600))",
    "files in memory that no limit counts": "check(libc.memfd_create(b'x', 0))",
    "keys": "check(libc.syscall(250 if os.uname().machine == 'x86_64' else 219, 0, -3, 0))",
    "asynchronous I/O of the whole machine": "check(libc.syscall(IO_SETUP, 65000, ctypes.byref(ctypes.c_ulong())))",
    "watched files": "check(libc.inotify_init1(0))",
    "TCP memory of the whole machine": "socket.create_server(('127.0.0.1', 0))",
    "TCP memory by the newer protocol": "socket.socket(socket.AF_INET6)",
    "timers": "for _ in range(999):\n    check(libc.timer_create(1, 0, ctypes.byref(ctypes.c_long())))",
    "a higher limit": "resource.setrlimit(resource.RLIMIT_NPROC, (10**6, 10**6))",
    "priority": "os.nice(-20)",
    "the terminal": "open('/dev/tty', 'wb').write(b'x')",
    "a process of ours": "os.kill(PID, 0)",
    "files of ours that stayed open": "os.fstat(3)",
}
"""Name -> what is tried; it raises where it is refused."""

HEAD = """
import ctypes, os, resource, signal, socket, sys, time
libc = ctypes.CDLL(None, use_errno=True)
def check(code):
    if code < 0:
        raise OSError(ctypes.get_errno(), "refused")
"""


@dataclass(frozen=True)
class Outside:
    """What a program must not reach."""

    folder: Path
    store: Path
    port: int
    asked: list[object]
    """Connections that came."""

    def run(self, code: str, limits: SandboxLimits = LIMITS) -> bytes:
        """Runs a program with the places of this machine written into it."""
        places = {"STORE": self.store, "PORT": self.port, "PID": os.getpid()}
        places["SOCKET"] = 41 if os.uname().machine == "x86_64" else 198
        places["IO_SETUP"] = 206 if os.uname().machine == "x86_64" else 0
        for name, value in places.items():
            code = code.replace(name, str(value))
        (self.folder / "attack.py").write_text(HEAD + textwrap.dedent(code))
        before = self._state()
        started = time.monotonic()
        try:
            command = [*isolated_python(), "/program/attack.py", str(self.port)]
            return run_isolated(command, {"/program": self.folder}, limits)
        finally:
            assert time.monotonic() - started < limits.seconds + SLACK_S
            assert self._state() == before
            assert not self._left()

    def _state(self) -> tuple[object, ...]:
        files = {path.name: path.read_bytes() for path in self.folder.iterdir()}
        return files, self.store.read_bytes(), list(self.asked), Path("/usr/lib/new").exists()

    def _left(self) -> list[str]:
        """Processes of the program that are still there a moment later."""
        for _ in range(40):
            listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
            left = [line for line in listed.splitlines() if line.endswith(f"/program/attack.py {self.port}")]
            if not left:
                return []
            time.sleep(0.05)
        return left


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Outside]:
    assert shutil.which("bwrap"), "bubblewrap is needed: apt-get install bubblewrap"
    (tmp_path / "program").mkdir()
    store = tmp_path / "plumbline.db"
    store.write_bytes(b"of everybody")
    monkeypatch.setenv("PLUMBLINE_TEST_SECRET", "hf_secret")
    asked: list[object] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_accept, args=(server, asked), daemon=True).start()
        yield Outside(tmp_path / "program", store, server.getsockname()[1], asked)
        server.shutdown(socket.SHUT_RDWR)


def _accept(server: socket.socket, asked: list[object]) -> None:
    try:
        while True:
            asked.append(server.accept())
    except OSError:
        return


@pytest.mark.parametrize("name", STOPPED)
def test_a_program_that_takes_too_much_is_ended_with_the_reason(outside: Outside, name: str) -> None:
    code, reason = STOPPED[name]
    with pytest.raises(ProgramStopped, match=reason):
        outside.run(code)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_outside_cannot_be_reached(outside: Outside, name: str) -> None:
    attempt = textwrap.indent(REFUSED[name], "    ")
    code = f"try:\n{attempt}\nexcept (OSError, KeyError, ValueError):\n    print('refused')\nelse:\n    print('done')"
    assert outside.run(code) == b"refused\n"


SHARED = {
    "io_setup": (206, 0),
    "io_destroy": (207, 1),
    "io_getevents": (208, 4),
    "io_submit": (209, 2),
    "io_cancel": (210, 3),
    "io_pgetevents": (333, 292),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "inotify_init": (253, 26),  # aarch64 has inotify_init1 alone
    "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    "mq_open": (240, 180),
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "add_key": (248, 217),
    "keyctl": (250, 219),
    "request_key": (249, 218),
    "perf_event_open": (298, 241),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
}
"""Calls that take of what other processes need, with their numbers on x86_64 and aarch64 (asm/unistd.h)."""


def test_calls_that_take_what_all_processes_share_are_refused(outside: Outside) -> None:
    numbers = {name: pair[os.uname().machine != "x86_64"] for name, pair in SHARED.items()}
    code = f"""
        for name, number in {numbers}.items():
            code = libc.syscall(number, 0, 0, 0, 0, 0, 0)
            if code >= 0 or ctypes.get_errno() != 1:  # EPERM is of the filter: the calls would say EINVAL
                print(name, code, ctypes.get_errno())
    """
    assert outside.run(code) == b""


def test_a_daemon_ends_with_the_program_that_started_it(outside: Outside) -> None:
    code = """
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(60)
            os._exit(0)
        print("ended")
    """
    assert outside.run(code) == b"ended\n"


def test_an_honest_program_has_its_libraries_and_a_folder_to_write_to(outside: Outside) -> None:
    code = """
        import asyncio, multiprocessing, tempfile, threading
        import numpy
        near, far = multiprocessing.Pipe()
        near.send(asyncio.run(asyncio.sleep(0, 6)))
        assert far.recv() == 6
        with tempfile.TemporaryFile() as file:
            file.write(b"kept")
        thread = threading.Thread(target=print, args=(numpy.arange(4).sum(),))
        thread.start()
        thread.join()
    """
    # 0 + 1 + 2 + 3
    assert outside.run(code, SandboxLimits(seconds=30)) == b"6\n"


def test_the_kernel_refuses_more_processes_where_it_counts_them(outside: Outside) -> None:
    code = """
    made = 0
    try:
        while True:
            if os.fork() == 0:
                time.sleep(60)
                os._exit(0)
            made += 1
    except BlockingIOError:
        print(made, flush=True)
        os._exit(0)
    """
    with program._control_group(1) as group:
        counts = group is not None
    if counts:
        assert outside.run(code) == b"19\n"  # and itself
    else:
        with pytest.raises(ProgramStopped, match=MANY):
            outside.run(code)


def test_pages_answer_while_a_program_takes_all_it_can(outside: Outside) -> None:
    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    busy = "for _ in range(16):\n    if os.fork() == 0:\n        break\nwhile True:\n    pass"
    answers = 0
    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        stopped = threading.Thread(target=pytest.raises, args=(ProgramStopped, outside.run, busy))
        stopped.start()
        while stopped.is_alive() and answers < 100:
            urlopen(f"http://127.0.0.1:{server.server_port}", timeout=10).close()
            answers += 1
            time.sleep(0.01)
        stopped.join()
        server.shutdown()
    assert answers > 20


def test_a_python_in_the_folder_of_temporary_files_runs_programs_too() -> None:
    inner = "import sys; open('/tmp/new', 'w').write(sys.prefix); print(open('/box/tmp/new').read())"
    code = f"""
        from evaluator.sandbox.program import isolated_python, run_isolated
        print(run_isolated([*isolated_python(), "-c", {inner!r}], {{}}).decode())
    """
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        python = [f"{folder}/bin/python", "-c", textwrap.dedent(code)]
        repository = Path(program.__file__).parents[2]
        ran = subprocess.run(python, cwd=repository, capture_output=True, text=True, check=False)
        assert (ran.stdout.strip(), ran.stderr) == (folder, "")


def test_nothing_is_run_without_a_sandbox(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(program, "_tried", [])
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoIsolation, match="bwrap is missing: apt-get install bubblewrap"):
        run_isolated([sys.executable, "-c", "print(1)"], {})


def test_a_sandbox_that_cannot_be_made_is_told_with_the_words_of_bubblewrap(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    refusing = tmp_path / "bwrap"
    refusing.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    refusing.chmod(0o755)
    monkeypatch.setattr(program, "_tried", [])
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(NoIsolation, match="No permissions to create new namespace"):
        run_isolated([sys.executable, "-c", "print(1)"], {})


def test_walls_that_let_something_through_are_no_sandbox(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    open_walls = tmp_path / "bwrap"
    open_walls.write_text('#!/bin/sh\nwhile [ "$1" != "--" ]; do shift; done\nshift\nexec "$@"\n')
    open_walls.chmod(0o755)
    monkeypatch.setattr(program, "_tried", [])
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(
        NoIsolation, match="the network is open; sockets of every kind can be made; files of this machine can be read"
    ):
        run_isolated([sys.executable, "-c", "print(1)"], {})
