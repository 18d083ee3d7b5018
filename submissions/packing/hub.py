"""The files of a dataset repository on the Hugging Face Hub, at a commit: `hf://datasets/OWNER/NAME@COMMIT`."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from submissions.packing.sources import CannotPack, Gathering
from submissions.reading.quoting import printable

_ADDRESS = re.compile(
    r"hf://datasets/(?P<repo>[\w.-]{1,96}/[\w.-]{1,96})(?:@(?P<revision>[^/@\s]{1,100}))?(?:/(?P<folder>[^\s].*))?"
)
_COMMIT = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class HubAddress:
    """A dataset repository at a commit, or a folder in it."""

    repo_id: str
    commit: str
    folder: str = ""


def is_hub_address(text: str) -> bool:
    """Whether something named is on the Hub."""
    return text.startswith("hf://")


def hub_address(text: str) -> HubAddress:
    """An address as it is written.

    >>> hub_address("hf://datasets/team/answers@" + "0" * 40 + "/runs").folder
    'runs'

    Raises:
        CannotPack: where it is no such address, or names no commit: a branch may say something else tomorrow.
    """
    match = _ADDRESS.fullmatch(text)
    if match is None:
        raise CannotPack(
            f"{printable(text, 200)}: expected hf://datasets/OWNER/NAME@COMMIT, with a folder after it or none"
        )
    if match["revision"] is None or not _COMMIT.fullmatch(match["revision"]):
        what = "no commit" if match["revision"] is None else f"{match['revision']!r}, a branch or tag that may move"
        raise CannotPack(
            f"{printable(text, 200)} names {what}: write @ and the 40 digits of the commit, as the repository's page "
            "lists them under its history"
        )
    return HubAddress(match["repo"], match["revision"], (match["folder"] or "").strip("/"))


def add_hub_files(
    gathering: Gathering, address: HubAddress, *, endpoint: str | None = None, token: str | None = None
) -> None:
    """Everything in a repository that may hold answers.

    Args:
        gathering: Takes the files; its bounds hold, before anything is downloaded.
        address: Which files.
        endpoint: Of the Hub; None = the client's own.
        token: For a private repository; None = the client's own.

    Raises:
        CannotPack: where the Hub does not give them, or there are more than is read.
    """
    # Here: looking through folders must not carry the memory of the network libraries.
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.hf_api import RepoFile
    from huggingface_hub.utils import httpx  # type: ignore[attr-defined]

    api = HfApi(endpoint=endpoint, token=token, library_name="plumbline")
    where = f"hf://datasets/{address.repo_id}@{address.commit[:8]}"
    try:
        tree = api.list_repo_tree(address.repo_id, recursive=True, revision=address.commit, repo_type="dataset")
        inside = f"{address.folder}/" if address.folder else ""
        files = [
            entry
            for entry in tree
            if isinstance(entry, RepoFile) and entry.path.startswith(inside) and gathering.meet(f"{where}/{entry.path}")
        ]
        with tempfile.TemporaryDirectory(prefix="plumbline-pack-") as folder:
            for entry in sorted(files, key=lambda file: file.path):
                if entry.size > gathering.limits.file_bytes:
                    gathering.leave(f"{where}/{entry.path}", f"not read: {entry.size:,} bytes", has_answers=True)
                    continue
                path = api.hf_hub_download(
                    address.repo_id, entry.path, repo_type="dataset", revision=address.commit, local_dir=folder
                )
                folders = tuple(entry.path.removeprefix(inside).split("/")[:-1])
                gathering.add(f"{where}/{entry.path}", folders, Path(path).read_bytes())
                Path(path).unlink()
    # Every failure of the Hub client (offline, timeout, 404, gated) is an OSError, like those of the disk.
    except (OSError, HFValidationError, httpx.TransportError) as error:
        reason = " ".join(str(error).split())[:300]
        raise CannotPack(f"{where} cannot be read: {type(error).__name__}: {reason}") from error
