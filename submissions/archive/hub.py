"""The archive's repository on the Hugging Face Hub, through the Hub's own client.

The client already tries a read several times; what is raised here has outlasted that. A commit it sends once: whether a
commit whose answer never came took place is for the caller to find out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path

from submissions.archive.events import is_archive_path
from submissions.version import VERSION

TIMEOUT_S = 60.0
"""How long one answer of the Hub may take; its client would wait for ever."""

REMOVAL = "files of erased submissions removed"
"""Title of a commit that removes; while the history has one, its earlier commits are still to be removed."""

SHOWN_CHARACTERS = 300
"""Of what the Hub says about a fault."""

_CHUNK = 1024 * 1024
_REFUSED = frozenset({400, 401, 403, 404, 405, 410, 413, 422})


class HubError(Exception):
    """Raised when the Hub did not do what it was asked; it may have done it all the same unless a subclass says no."""


class HubUnavailable(HubError):
    """Raised when it cannot now: too many requests, a fault on its side, no answer, half an answer.

    Attributes:
        retry_after_s: What it asked us to wait; 0 where it did not say.
    """

    def __init__(self, message: str, retry_after_s: float = 0.0) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class HubMoved(HubError):
    """Raised when the repository has a newer commit than the one we built on: nothing was committed."""


class HubRefused(HubError):
    """Raised when it says no: token, rights or name of the repository are wrong."""


@dataclass(frozen=True, slots=True)
class HubFile:
    """One file of the repository, as its tree lists it."""

    size: int
    digest: str
    """SHA-256 of a file in large-file storage, else Git's id of the blob."""

    def is_whole(self, copy: Path) -> bool:
        """Does a copy have its bytes?"""
        if copy.stat().st_size != self.size:
            return False
        with copy.open("rb") as stream:
            if len(self.digest) == hashlib.sha256().digest_size * 2:
                return hashlib.file_digest(stream, "sha256").hexdigest() == self.digest
            blob = hashlib.sha1(b"blob %d\0" % self.size, usedforsecurity=False)
            while chunk := stream.read(_CHUNK):
                blob.update(chunk)
        return blob.hexdigest() == self.digest


@dataclass(frozen=True, slots=True)
class Head:
    """The newest commit of the repository and the archive's files in it."""

    commit: str
    files: Mapping[str, HubFile]


class HubRepository:
    """A dataset repository; made private on first use where it does not exist.

    Args:
        repo_id: OWNER/NAME.
        token: With the right to write there; never logged.
        endpoint: Of the Hub; None = the client's own.
    """

    def __init__(self, repo_id: str, token: str, endpoint: str | None = None) -> None:
        from huggingface_hub import HfApi
        from huggingface_hub.utils import disable_progress_bars  # type: ignore[attr-defined]

        disable_progress_bars()  # of a service, nobody sees them
        self.repo_id = repo_id
        self._token = token
        self._api = HfApi(endpoint=endpoint, token=token, library_name="plumbline", library_version=VERSION)

    def head(self) -> Head:
        """What the repository holds now, page by page.

        Raises:
            HubError: as its subclasses say.
        """
        from huggingface_hub.hf_api import RepoFile

        with self._faults():
            commit = self._commit()
            tree = self._api.list_repo_tree(self.repo_id, recursive=True, revision=commit, repo_type="dataset")
            files = {}
            for entry in tree:
                if isinstance(entry, RepoFile) and is_archive_path(entry.path):
                    files[entry.path] = HubFile(entry.size, entry.lfs.sha256 if entry.lfs else entry.blob_id)
        return Head(commit, files)

    def commit(self, files: Sequence[tuple[str, Path]], *, parent: str, message: str) -> str:
        """Adds files in one commit on top of another; returns its id.

        Files above the Hub's bound for plain Git (10 MB) go to its large-file storage, as its client decides.

        Args:
            files: Path in the repository, file on this machine.

        Raises:
            HubMoved: the parent is not the newest commit any more.
            HubError: as its subclasses say; the commit may have taken place unless it was refused.
        """
        from huggingface_hub import CommitOperationAdd

        additions = [CommitOperationAdd(path, str(file)) for path, file in files]
        with self._faults():
            made = self._api.create_commit(
                self.repo_id, additions, commit_message=message, repo_type="dataset", parent_commit=parent
            )
        return made.oid

    def remove(self, paths: Sequence[str], *, parent: str) -> None:
        """Removes files in one commit on top of another; earlier commits still have them until `forget_history`.

        Raises:
            HubMoved: the parent is not the newest commit any more.
            HubError: as its subclasses say; the commit may have taken place unless it was refused.
        """
        from huggingface_hub import CommitOperationDelete

        with self._faults():
            self._api.create_commit(
                self.repo_id,
                [CommitOperationDelete(path) for path in paths],
                commit_message=REMOVAL,
                repo_type="dataset",
                parent_commit=parent,
            )

    def must_forget(self) -> bool:
        """Has something been removed of which earlier commits still tell?

        Raises:
            HubError: as its subclasses say.
        """
        with self._faults():
            commits = self._api.list_repo_commits(self.repo_id, repo_type="dataset")
            return any(commit.title == REMOVAL for commit in commits)

    def forget_history(self, removed: Set[str]) -> None:
        """Leaves one commit, of the files as they are, and deletes what was removed from large-file storage.

        Args:
            removed: SHA-256 of every file that is to be in that storage no more.

        Raises:
            HubError: as its subclasses say; called again it goes on from there.
        """
        with self._faults():
            large = self._api.list_lfs_files(self.repo_id, repo_type="dataset")
            stale = [file for file in large if removed & {file.oid, file.file_oid}]
            if stale:
                self._api.permanently_delete_lfs_files(self.repo_id, stale, repo_type="dataset")
            # Last: the removal in the history says that this is not done.
            self._api.super_squash_history(
                self.repo_id, repo_type="dataset", commit_message="the history before an erasure was removed"
            )

    def fetch(self, path: str, file: HubFile, commit: str, folder: Path) -> Path:
        """Downloads a file of a commit somewhere into a folder.

        Raises:
            HubUnavailable: also when its bytes are not those the tree lists.
            HubError: as its subclasses say.
        """
        with self._faults():
            fetched = self._api.hf_hub_download(
                self.repo_id, path, revision=commit, repo_type="dataset", local_dir=folder, etag_timeout=TIMEOUT_S
            )
        if not file.is_whole(Path(fetched)):
            Path(fetched).unlink()
            raise HubUnavailable(f"{path} did not arrive whole")
        return Path(fetched)

    def _commit(self) -> str:
        from huggingface_hub.errors import RepositoryNotFoundError

        try:
            commit = self._api.repo_info(self.repo_id, repo_type="dataset", timeout=TIMEOUT_S).sha
        except RepositoryNotFoundError:
            self._api.create_repo(self.repo_id, repo_type="dataset", private=True, exist_ok=True)
            commit = self._api.repo_info(self.repo_id, repo_type="dataset", timeout=TIMEOUT_S).sha
        if commit is None:
            raise HubUnavailable("the repository names no commit")
        return commit

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """Every way the client fails, in our words and without the token."""
        from huggingface_hub import get_session
        from huggingface_hub.errors import HfHubHTTPError

        get_session().timeout = TIMEOUT_S
        try:
            yield
        except HfHubHTTPError as error:
            raise self._of_status(error) from None
        # OSError: the network's and the download's own. RuntimeError: of an upload to large-file storage. The others:
        # answers that are cut off or none of the Hub's.
        except (OSError, RuntimeError, ValueError, KeyError, TypeError, _network_error()) as error:
            answer = error.__cause__
            if isinstance(answer, HfHubHTTPError):  # a download wraps it
                raise self._of_status(answer) from None
            raise HubUnavailable(self._shown(f"{type(error).__name__}: {error}")) from error

    def _of_status(self, error: Exception) -> HubError:
        response = getattr(error, "response", None)
        status: int | None = getattr(response, "status_code", None)
        said = self._shown(f"status {status}: {error}")
        if status == 412:
            return HubMoved(said)
        if status in _REFUSED:
            return HubRefused(said)
        return HubUnavailable(said, asked_pause_s(response.headers, datetime.now(UTC)) if response is not None else 0.0)

    def _shown(self, text: str) -> str:
        line = " ".join(text.split())
        return (line.replace(self._token, "[HF_TOKEN]") if self._token else line)[:SHOWN_CHARACTERS]


def asked_pause_s(headers: Mapping[str, str], now: datetime) -> float:
    """What an answer asks us to wait, by its rate-limit or Retry-After header; 0 where it does not say.

    >>> asked_pause_s({"retry-after": "120"}, datetime.now(UTC))
    120.0
    """
    from huggingface_hub.utils import parse_ratelimit_headers  # type: ignore[attr-defined]

    limit = parse_ratelimit_headers(headers)
    if limit is not None and limit.remaining == 0:
        return float(limit.reset_in_seconds)
    text = headers.get("retry-after", "").strip()
    if text.isdigit():
        return float(text)
    try:
        return max(0.0, (parsedate_to_datetime(text) - now).total_seconds())
    except (TypeError, ValueError):  # no date either, or one without its time zone
        return 0.0


def _network_error() -> type[Exception]:
    # The client brings its own HTTP library; this is its name for it across versions.
    from huggingface_hub.utils import httpx  # type: ignore[attr-defined]

    error: type[Exception] = httpx.HTTPError
    return error
