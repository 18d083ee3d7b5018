"""One program run in a sandbox of bubblewrap, within limits, and its standard output as bytes.

Inside there are the system's libraries and Python, the folders it is given, all read-only, and one folder in memory
that it may write to. There is no network, no setting or secret, no /proc, and no process but its own. What it prints is
data: whoever calls reads it strictly.
"""

from __future__ import annotations

import math
import os
import secrets
import selectors
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from evaluator.sandbox.syscall_filter import is_known_machine, syscall_filter

_MIB = 1024 * 1024
_POLL_S = 0.05
"""How often the use of memory, processes and files is looked at."""
_LEAVES_WITHIN_S = 5.0
_OWN_PROCESSES = 2
"""Of bwrap, outside and inside."""
BOX = "/box"
"""The folder that a program may write to; it is in memory and goes with it."""
_DEVICES = ("null", "zero", "random", "urandom")
_LIBRARIES = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_SETTINGS_OF_LIBRARIES = ("/etc/ld.so.cache", "/etc/alternatives")


class NoIsolation(Exception):
    """Raised when there is no sandbox on this machine: nothing is run then. Says what is missing."""


class ProgramStopped(Exception):
    """Raised when a program did not end well; says why, in words of ours alone.

    Attributes:
        log: The end of what it wrote to standard error. It may quote references: it is for organisers.
    """

    def __init__(self, reason: str, log: str = "") -> None:
        self.log = log
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """How much a program may use."""

    seconds: int = 60
    """By the clock, and of computing in each of its processes."""
    memory_mb: int = 2048
    """Of all of its processes, with the files it writes."""
    processes: int = 64
    """Threads too, where the system counts them."""
    written_mb: int = 64
    """All files it writes."""
    files: int = 1000
    result_bytes: int = 8 * _MIB
    """Of its standard output."""
    log_bytes: int = _MIB
    """Of its standard error."""


def run_isolated(
    command: Sequence[str],
    inputs: Mapping[str, Path],
    limits: SandboxLimits = SandboxLimits(),
    *,
    links: Mapping[str, str] = MappingProxyType({}),
) -> bytes:
    """Runs a program and returns what it wrote to standard output.

    Args:
        command: Program and arguments, as paths inside of the sandbox.
        inputs: Place inside -> file or folder of ours, which it can read.
        limits: It is ended beyond them.
        links: Place inside -> another one that it leads to.

    Raises:
        NoIsolation: there is no sandbox here.
        ProgramStopped: it went beyond a limit, or ended with another code than 0.
    """
    require_isolation()
    return _run(command, inputs, limits, links)


def isolated_python() -> tuple[str, ...]:
    """The Python of this program inside of the sandbox: it reads no variables and writes no caches."""
    return (sys.executable, "-I", "-B")


def isolation() -> str:
    """What keeps programs apart on this machine, in one line; found out by running one.

    Raises:
        NoIsolation: naming what is missing.
    """
    require_isolation()
    return (
        "bubblewrap: namespaces of users, processes, network, files, messages and names; seccomp; limits of time, "
        "memory, processes and files"
    )


def require_isolation() -> None:
    """Tries the sandbox, once in a process.

    Raises:
        NoIsolation: naming what is missing.
    """
    if not _tried:
        _try()
        _tried.append(True)


def refuse_readable(folder: Path) -> None:
    """Refuses a folder of secrets where every program could read it.

    Raises:
        NoIsolation: it lies among the libraries that programs see.
    """
    for place in ("/usr", *_python_folders()):
        if folder.resolve().is_relative_to(place):
            raise NoIsolation(f"{folder} lies in {place}, which every program can read: put PLUMBLINE_DATA elsewhere")


_tried: list[bool] = []
"""Not empty once a sandbox was made; a machine without one is tried again, as it may be mended."""

_PROBE = """
import os, socket, sys
said = []
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])), 2)
    said.append("the network is open")
except OSError:
    pass
try:
    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).close()
    said.append("sockets of every kind can be made")
except OSError:
    pass
if os.path.exists(sys.argv[2]):
    said.append("files of this machine can be read")
if any(name in os.environ for name in sys.argv[3:]):
    said.append("variables are passed on")
for folder in ("/", "/usr", "/dev", os.path.dirname(sys.executable)):
    if os.access(folder, os.W_OK):
        said.append(f"{folder} can be written to")
if os.getppid() > 1 or os.path.exists("/proc/1"):
    said.append("processes of this machine can be seen")
print("; ".join(said) or "closed")
"""


def _try() -> None:
    if sys.platform != "linux" or not is_known_machine():
        raise NoIsolation("programs of others are run on Linux on x86_64 or aarch64 only")
    for tool, package in (("bwrap", "bubblewrap"), ("prlimit", "util-linux"), ("nice", "coreutils")):
        if shutil.which(tool) is None:
            raise NoIsolation(f"{tool} is missing: apt-get install {package}")
    if not Path(f"/proc/self/task/{os.getpid()}/children").exists():
        raise NoIsolation("the system does not list the children of a process (CONFIG_PROC_CHILDREN)")
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server, tempfile.NamedTemporaryFile() as secret:
        arguments = [str(server.getsockname()[1]), secret.name, *os.environ.keys() - _ENVIRONMENT.keys() - {"PWD"}]
        try:
            said = _run([*isolated_python(), "-c", _PROBE, *arguments], {}, SandboxLimits(seconds=20), {})
        except ProgramStopped as stopped:
            why = stopped.log.strip().rpartition("\n")[2] or str(stopped)
            raise NoIsolation(f"bubblewrap cannot make a sandbox here: {why}") from None
    if said.strip() != b"closed":
        raise NoIsolation(f"the sandbox of bubblewrap is not closed here: {said.decode(errors='replace').strip()}")


_ENVIRONMENT = {
    "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
    "HOME": BOX,
    "TMPDIR": f"{BOX}/tmp",
    "LANG": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"),
}
"""Every variable that a program has."""


def _walls(inputs: Mapping[str, Path], limits: SandboxLimits, links: Mapping[str, str], filter_fd: int) -> list[str]:
    """The arguments of bwrap, in the order in which it does them."""
    wall = ["bwrap", "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    wall += ["--unshare-cgroup-try", "--uid", "65534", "--gid", "65534", "--hostname", "sandbox"]
    wall += ["--die-with-parent", "--new-session", "--clearenv", "--seccomp", str(filter_fd)]
    for name, value in _ENVIRONMENT.items():
        wall += ["--setenv", name, value]
    wall += ["--ro-bind", "/usr", "/usr"]
    for library in _LIBRARIES:
        if os.path.islink(f"/{library}"):
            wall += ["--symlink", os.readlink(f"/{library}"), f"/{library}"]
        else:
            wall += ["--ro-bind-try", f"/{library}", f"/{library}"]
    for place in (*_SETTINGS_OF_LIBRARIES, *_python_folders()):
        if not _is_in_tmp(place):
            wall += ["--ro-bind-try", place, place]
    for device in _DEVICES:
        wall += ["--dev-bind", f"/dev/{device}", f"/dev/{device}"]
    for place, path in inputs.items():
        wall += ["--ro-bind", str(path.resolve(strict=True)), place]
    for place, target in links.items():
        wall += ["--symlink", target, place]
    wall += ["--size", str(limits.written_mb * _MIB), "--tmpfs", BOX, "--dir", f"{BOX}/tmp", "--dir", f"{BOX}/output"]
    for place in filter(_is_in_tmp, _python_folders()):
        wall += ["--ro-bind", place, f"{BOX}{place}"]  # /tmp leads there
    return [*wall, "--symlink", f"{BOX}/tmp", "/tmp", "--remount-ro", "/", "--chdir", BOX, "--"]


def _python_folders() -> Iterable[str]:
    """Where Python and its packages are, beside those of the system."""
    folders = dict.fromkeys((sys.prefix, sys.base_prefix))
    return [folder for folder in folders if not Path(folder).is_relative_to("/usr")]


def _is_in_tmp(place: str) -> bool:
    return Path(place).is_relative_to("/tmp")


def _bounds(limits: SandboxLimits) -> list[str]:
    """What the kernel holds each process to; all of them together are watched from outside."""
    memory = limits.memory_mb * _MIB
    return [
        *("nice", "-n", "10", "prlimit", f"--cpu={limits.seconds}", f"--as={memory}", f"--nproc={limits.processes}"),
        *(f"--fsize={limits.written_mb * _MIB}", "--nofile=256", "--core=0", "--memlock=0"),
        *("--sigpending=64", "--"),  # timers and queued signals, which a user's processes share
    ]


def _run(command: Sequence[str], inputs: Mapping[str, Path], limits: SandboxLimits, links: Mapping[str, str]) -> bytes:
    with _filter_file() as filter_fd, _control_group(limits.processes) as group:
        return _watched(
            [*_entering(group), *_walls(inputs, limits, links, filter_fd), *_bounds(limits), *command],
            filter_fd,
            limits,
        )


def _watched(command: Sequence[str], filter_fd: int, limits: SandboxLimits) -> bytes:
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=(filter_fd,),
        env={"PATH": os.environ.get("PATH", os.defpath)},
        start_new_session=True,
    )
    watch = _Watch(process, limits)
    try:
        reason = watch.reason()
    finally:
        # The first process of the sandbox dies with it, and all others with that one.
        process.kill()
        process.wait(_LEAVES_WITHIN_S)
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            stream.close()
    if reason:
        raise ProgramStopped(reason, bytes(watch.log[-4096:]).decode(errors="replace"))
    return bytes(watch.result)


_GROUPS = (Path("/sys/fs/cgroup/pids"), Path("/sys/fs/cgroup"))
"""Where the kernel's control groups count processes: version 1 and 2."""


@contextmanager
def _control_group(processes: int) -> Iterator[Path | None]:
    """A control group of at most so many processes; None where none can be made, as by a user without rights.

    Of root's processes the kernel counts none by user, and a program forks faster than it is looked at.
    """
    group = next(filter(None, (_made_group(parent, processes) for parent in _GROUPS)), None)
    try:
        yield group
    finally:
        ends_at = time.monotonic() + _LEAVES_WITHIN_S
        while group is not None:
            try:
                group.rmdir()
            except OSError:  # the last processes are leaving
                if time.monotonic() < ends_at:
                    time.sleep(_POLL_S)
                    continue
            break


def _made_group(parent: Path, processes: int) -> Path | None:
    group = parent / f"sandbox-{secrets.token_hex(8)}"
    try:
        group.mkdir()
    except OSError:
        return None
    try:
        (group / "pids.max").write_text(str(processes + _OWN_PROCESSES))
    except OSError:
        group.rmdir()
        return None
    return group


def _entering(group: Path | None) -> list[str]:
    """What puts a process into a group before it becomes bwrap."""
    return [] if group is None else ["sh", "-c", 'echo $$ > "$0" && exec "$@"', str(group / "cgroup.procs")]


@contextmanager
def _filter_file() -> Iterator[int]:
    with tempfile.TemporaryFile() as file:
        file.write(syscall_filter())
        file.flush()
        file.seek(0)
        yield file.fileno()


class _Watch:
    """A running program as it is seen from outside."""

    def __init__(self, process: subprocess.Popen[bytes], limits: SandboxLimits) -> None:
        self._process, self._limits = process, limits
        self._ends_at = time.monotonic() + limits.seconds
        self.result, self.log = bytearray(), bytearray()

    def reason(self) -> str:
        """Waits for its end; why it did not end well, blank where it did."""
        limits = self._limits
        with selectors.DefaultSelector() as pipes:
            for stream, into, most, name in (
                (self._process.stdout, self.result, limits.result_bytes, "standard output"),
                (self._process.stderr, self.log, limits.log_bytes, "standard error"),
            ):
                assert stream is not None
                pipes.register(stream, selectors.EVENT_READ, (into, most, name))
            looked_at = -math.inf
            while pipes.get_map():
                for key, _ in pipes.select(_POLL_S):
                    into, most, name = key.data
                    data = os.read(key.fd, 65536)
                    if not data:
                        pipes.unregister(key.fileobj)
                    into += data
                    if len(into) > most:
                        return f"it wrote more than {most:,} bytes to {name}"
                if time.monotonic() > self._ends_at:
                    return f"it ran longer than {limits.seconds} s"
                if time.monotonic() > looked_at + _POLL_S:
                    if beyond := self._beyond():
                        return beyond
                    looked_at = time.monotonic()
        return self._ending()

    def _beyond(self) -> str:
        """The limit that all of it together has passed; blank where none is."""
        limits = self._limits
        sandbox = next(iter(_children(self._process.pid)), None)
        if sandbox is None:
            return ""
        processes, memory = _use(sandbox, limits.processes + 1)
        if processes > limits.processes + 1:  # the first process of the sandbox is bwrap's
            return f"it had more than {limits.processes} processes"
        with suppress(OSError):  # it is not ready yet, or gone
            box = os.statvfs(f"/proc/{sandbox}/root{BOX}")
            memory += (box.f_blocks - box.f_bfree) * box.f_frsize
            if box.f_files - box.f_ffree > limits.files:
                return f"it made more than {limits.files:,} files"
        return f"it took more than {limits.memory_mb:,} MiB of memory" if memory > limits.memory_mb * _MIB else ""

    def _ending(self) -> str:
        code = self._process.wait()  # bwrap holds the pipes to its end
        signals = {137: "it was killed", 152: f"it computed longer than {self._limits.seconds} s"}
        signals[153] = f"it wrote a file of more than {self._limits.written_mb} MiB"
        return "" if code == 0 else signals.get(code, f"it ended with exit code {code}")


def _children(process: int) -> list[int]:
    with suppress(OSError):
        threads = os.listdir(f"/proc/{process}/task")
        texts = [Path(f"/proc/{process}/task/{thread}/children").read_text() for thread in threads]
        return [int(child) for text in texts for child in text.split()]
    return []


def _use(root: int, most: int) -> tuple[int, int]:
    """How many processes there are from a process downwards, and their memory; counted up to one more than `most`."""
    waiting, counted, pages = [root], 0, 0
    while waiting and counted <= most:
        process = waiting.pop()
        with suppress(OSError, IndexError):
            pages += int(Path(f"/proc/{process}/statm").read_text().split()[1])
        counted += 1
        waiting += _children(process)
    return counted, pages * os.sysconf("SC_PAGE_SIZE")
