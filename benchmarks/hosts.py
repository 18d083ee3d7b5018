"""Two hosts on one machine: each has a network, a process table, a host name and a folder `/tmp/ray` of its own.

A host is a process of `unshare`. Nothing of it has a name outside: when the process that made it ends, however it ends,
the kernel ends every process in it and takes its network away.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

ADDRESSES = ("10.91.7.1", "10.91.7.2")
CABLE = "cable"
"""What the network interface is called on either host."""
RAY_FOLDER = Path("/tmp/ray")
START_PATIENCE_S = 20.0
END_PATIENCE_S = 10.0
PROGRAMS = {"unshare": "util-linux", "nsenter": "util-linux", "bash": "bash", "ip": "iproute2", "mount": "mount"}
"""With the package that has them."""

# The first process of a host ends when nobody holds the other end of its standard input any more; bash buries the dead
# of its host meanwhile.
_FIRST = 'hostname "$0" && mount -t tmpfs -o size=512m ray /tmp/ray && ip link set lo up && echo ready && read -r _'


class HostsUnavailable(Exception):
    """Raised where no hosts can be made; says what is missing."""


class Host:
    """One of them, from `two_hosts`.

    Args:
        name: Its host name.
        address: Its IP address.
    """

    def __init__(self, name: str, address: str) -> None:
        self.name = name
        self.address = address
        command = ["unshare", "--net", "--mount", "--pid", "--uts", "--fork", "--kill-child", "--mount-proc"]
        self._process = subprocess.Popen(
            [*command, "bash", "-c", _FIRST, name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self._process.stdout is not None
        said = self._process.stdout.readline().strip()
        if said != "ready":
            self.close()
            raise HostsUnavailable(f"this process may not make namespaces: {said} (root may, outside of containers)")
        (self.first,) = _children(self._process.pid)

    def command(self, *command: str) -> list[str]:
        """What runs a command on this host."""
        return ["nsenter", f"--target={self.first}", "--net", "--mount", "--pid", "--uts", "--", *command]

    def run(self, *command: str, environ: Mapping[str, str] | None = None, timeout_s: float = 120.0) -> str:
        """Runs a command to its end; returns what it said.

        Raises:
            RuntimeError: it failed.
            subprocess.TimeoutExpired: it took too long.
        """
        done = subprocess.run(
            self.command(*command),
            check=False,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout_s,
        )
        if done.returncode != 0:
            raise RuntimeError(f"{self.name}: {' '.join(command)} ended with {done.returncode}: {done.stdout.strip()}")
        return done.stdout

    def processes(self, *marks: str) -> list[int]:
        """Its processes whose command line holds all of the marks; numbers as this process sees them."""
        network = os.readlink(f"/proc/{self.first}/ns/net")
        numbers = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                if os.readlink(folder / "ns/net") == network and all(mark in words for mark in marks):
                    numbers.append(int(folder.name))
            except OSError:
                continue  # it has ended meanwhile
        return sorted(numbers)

    def take_link_down(self) -> None:
        """Nothing reaches this host any more, nor leaves it."""
        self.run("ip", "link", "set", "dev", CABLE, "down")

    def close(self) -> None:
        """Ends every process of this host."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        try:
            self._process.wait(END_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@contextmanager
def two_hosts() -> Iterator[tuple[Host, Host]]:
    """Two hosts joined by a cable.

    Raises:
        HostsUnavailable: where they cannot be made.
    """
    lacking = {package for program, package in PROGRAMS.items() if shutil.which(program) is None}
    if lacking:
        raise HostsUnavailable(
            f"two hosts need programs that are not installed: apt install {' '.join(sorted(lacking))}"
        )
    if os.geteuid() != 0:
        raise HostsUnavailable("the right to make network namespaces is missing: run it as root")
    RAY_FOLDER.mkdir(parents=True, exist_ok=True)
    with ExitStack() as opened:
        hosts: list[Host] = []
        for number, address in enumerate(ADDRESSES, start=1):
            host = Host(f"host{number}", address)
            opened.callback(host.close)
            hosts.append(host)
        first, second = hosts
        _join(first, second)
        yield first, second


def _join(first: Host, second: Host) -> None:
    ends = ["name", CABLE, "netns", str(first.first), "type", "veth", "peer", "name", CABLE, "netns", str(second.first)]
    made = subprocess.run(["ip", "link", "add", *ends], check=False, capture_output=True, text=True)
    if made.returncode != 0:
        raise HostsUnavailable(f"this process may not make network links: {made.stderr.strip()}")
    for host in (first, second):
        host.run("ip", "address", "add", f"{host.address}/24", "dev", CABLE)
        host.run("ip", "link", "set", "dev", CABLE, "up")


def _children(pid: int) -> Sequence[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
