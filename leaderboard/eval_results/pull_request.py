"""Opens a pull request with evaluation results on a model repository of the Hub, with the caller's own token."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leaderboard.eval_results.model_card import FILE, TITLE, yaml_of
from submissions.version import VERSION

if TYPE_CHECKING:
    from huggingface_hub import EvalResultEntry

TOKENS = "https://huggingface.co/settings/tokens"
SCOPE = "write-discussions"
"""Of a token that may open pull requests (https://huggingface.co/docs/hub/oauth)."""
GIVE_IT = f"give a token of yours the right to open pull requests ({SCOPE}) at {TOKENS}, then run `hf auth login`"
NO_TOKEN = f"a pull request is opened with your own token, and there is none here: {GIVE_IT}, or set HF_TOKEN"


class NotOpened(Exception):
    """Raised where no pull request could be opened; one sentence says why, and what to do."""


class StillOpen(Exception):
    """Raised where an earlier pull request of the same account waits; carries its address.

    It is left as it is: whether its owner merges it or wants the newer values is theirs to say.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        super().__init__(
            f"still open: {address} (an earlier pull request of yours, so no second one was opened: have it merged; "
            "for the values of now close it there, then run this again)"
        )


def open_pull_request(
    repo_id: str, entries: Sequence[EvalResultEntry], description: str, *, token: str, endpoint: str | None = None
) -> str:
    """Opens it against the newest commit; entries of other tasks that the file already has stay in it.

    Args:
        repo_id: The model repository, OWNER/NAME.
        token: Of whoever opens it; never shown.
        endpoint: Of the Hub; None = the client's own.

    Returns:
        Its address; blank where the repository says the same already.

    Raises:
        NotOpened: with the reason.
        StillOpen: where one that this account opened before is neither merged nor closed.
    """
    from huggingface_hub import CommitOperationAdd, HfApi

    api = HfApi(endpoint=endpoint, token=token, library_name="plumbline", library_version=VERSION)
    with _refusals(repo_id, token):
        commit = api.model_info(repo_id).sha
        present = _present(api, repo_id, commit)
        proposed = yaml_of([*_other_entries(present, entries, repo_id), *entries]).encode()
        if proposed == present:
            return ""
        waiting = _still_open(api, repo_id)
        if waiting:
            raise StillOpen(waiting)
        made = api.create_commit(
            repo_id,
            [CommitOperationAdd(FILE, proposed)],
            commit_message=TITLE,
            commit_description=description,
            parent_commit=commit,
            create_pr=True,
        )
    return made.pr_url or ""


def _still_open(api: Any, repo_id: str) -> str:
    """The address of the newest open pull request of this account with our title; blank where there is none.

    Of this account alone: whoever opens one in our words must not keep others from theirs.
    """
    author = api.whoami()["name"]
    open_ones = api.get_repo_discussions(
        repo_id, author=author, discussion_type="pull_request", discussion_status="open"
    )
    requests = [
        request
        for request in open_ones
        if request.title == TITLE and request.author == author and request.is_pull_request
    ]
    return str(max(requests, key=lambda request: request.num).url) if requests else ""


def _present(api: Any, repo_id: str, commit: str | None) -> bytes | None:
    """The file as it is; None where there is none."""
    from huggingface_hub.errors import RemoteEntryNotFoundError

    with tempfile.TemporaryDirectory(prefix="plumbline-eval-results-") as folder:
        try:
            return Path(api.hf_hub_download(repo_id, FILE, revision=commit, local_dir=folder)).read_bytes()
        except RemoteEntryNotFoundError:
            return None


def _other_entries(data: bytes | None, entries: Sequence[EvalResultEntry], repo_id: str) -> list[EvalResultEntry]:
    """Entries of the file that none of ours stands for."""
    import yaml  # type: ignore[import-untyped]
    from huggingface_hub import parse_eval_result_entries

    ours = {(entry.dataset_id, entry.task_id) for entry in entries}
    try:
        file_entries = parse_eval_result_entries(yaml.safe_load(data) or []) if data else []
    except (yaml.YAMLError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise NotOpened(
            f"{FILE} of {repo_id} is no list of evaluation results ({type(error).__name__}), and nothing in it is "
            "replaced unread: mend or remove it first"
        ) from error
    return [request for request in file_entries if (request.dataset_id, request.task_id) not in ours]


@contextmanager
def _refusals(repo_id: str, token: str) -> Iterator[None]:
    """What the Hub and its client say no with, in one sentence and without the token."""
    from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, HFValidationError, RepositoryNotFoundError
    from huggingface_hub.utils import httpx  # type: ignore[attr-defined]

    try:
        yield
    except GatedRepoError as error:
        raise NotOpened(
            f"{repo_id} is gated and this token may not read it: ask for access on its page, then run the command again"
        ) from error
    except RepositoryNotFoundError as error:
        raise NotOpened(
            f"the Hub has no model repository {repo_id}, or it is private and this token may not read it: check "
            f"--model, or give the token the right to read it (read-repos) at {TOKENS}"
        ) from error
    except HFValidationError as error:
        raise NotOpened(f"--model {repo_id} is no name of a repository: expected OWNER/NAME") from error
    except HfHubHTTPError as error:
        status = getattr(getattr(error, "response", None), "status_code", 0)
        if status == 401:
            raise NotOpened(f"the Hub does not know this token (status 401): {GIVE_IT}") from error
        if status == 403:
            raise NotOpened(
                f"this token may not open a pull request on {repo_id} (status 403), the scope {SCOPE} is missing: "
                f"{GIVE_IT}"
            ) from error
        raise NotOpened(f"the Hub opened no pull request: {_shown(error, token)}") from error
    # OSError: offline, and the download's own.
    except (OSError, httpx.HTTPError) as error:
        raise NotOpened(f"the Hub cannot be reached: {_shown(error, token)}; try again later") from error


def _shown(error: Exception, token: str) -> str:
    return " ".join(f"{type(error).__name__}: {error}".replace(token, "[token]").split())[:300]
