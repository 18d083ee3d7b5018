"""Files of public repositories at fixed commits: each is named with its checksum in `sources.txt`."""

from __future__ import annotations

import hashlib
import re
import subprocess
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from urllib.parse import quote

ANSWER_WITHIN_S = 60.0
LINE = re.compile(r"(?P<sha256>[0-9a-f]{64})  (?P<repository>\S+)@(?P<commit>[0-9a-f]{40}) (?P<path>.+)")


class SourceFailed(Exception):
    """Raised when a file cannot be had, or is not the one that was named."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file of a repository on GitHub."""

    repository: str
    """owner/name"""
    commit: str
    path: str
    sha256: str


Fetch = Callable[[Source], bytes]


@dataclass(frozen=True, slots=True)
class Upstream:
    """The files of one repository."""

    sources: tuple[Source, ...]
    fetch: Fetch

    def paths(self, pattern: str = "") -> list[str]:
        """The paths that a regular expression is found in, sorted."""
        return sorted(source.path for source in self.sources if re.search(pattern, source.path))

    def read(self, path: str, commit: str = "") -> bytes:
        """The bytes of a file.

        Args:
            path: As in `sources.txt`.
            commit: How its commit begins, where the path stands there twice.

        Raises:
            SourceFailed: when it cannot be had or has another checksum.
        """
        (source,) = (one for one in self.sources if one.path == path and one.commit.startswith(commit))
        data = self.fetch(source)
        found = hashlib.sha256(data).hexdigest()
        if found != source.sha256:
            raise SourceFailed(f"{source.repository} {path}: sha256 {found}, expected {source.sha256}")
        return data


def listed_sources(text: str) -> tuple[Source, ...]:
    """The lines of `sources.txt`: checksum, repository@commit, path."""
    return tuple(Source(**line.groupdict()) for line in map(LINE.fullmatch, text.splitlines()) if line)


def downloaded(source: Source) -> bytes:
    """Fetches a file from GitHub."""
    url = f"https://raw.githubusercontent.com/{source.repository}/{source.commit}/{quote(source.path)}"
    try:
        with urllib.request.urlopen(url, timeout=ANSWER_WITHIN_S) as answer:
            data: bytes = answer.read()
    except (OSError, HTTPException) as error:
        raise SourceFailed(f"{url}: {error}") from error
    return data


def from_clones(folder: Path) -> Fetch:
    """Reads files from clones in a folder, each under the name of its repository."""

    def fetch(source: Source) -> bytes:
        clone = folder / source.repository.partition("/")[2]
        command = ["git", "-C", str(clone), "show", f"{source.commit}:{source.path}"]
        answer = subprocess.run(command, capture_output=True, check=False)
        if answer.returncode:
            raise SourceFailed(f"{clone}: {answer.stderr.decode(errors='replace').strip()}")
        return answer.stdout

    return fetch
