"""Fetching the official sets from the Hugging Face Hub."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from submissions.promptsets.cultural import cultural_file_names
from submissions.promptsets.set_file import OFFICIAL_2024_FILE, DownloadFailed

HUB_DATASET = "Eloquent/Robustness"
_ANSWER_WITHIN_S = 5.0


def download_official_2024(
    target_folder: Path,
    repo_id: str = HUB_DATASET,
    file_name: str = OFFICIAL_2024_FILE,
    revision: str | None = None,
) -> Path:
    """Fetches the test set into a folder, under the name `load_official_2024` reads.

    Args:
        target_folder: Created if need be.
        repo_id: Dataset on the Hub.
        file_name: Name of the file in the dataset.
        revision: Branch, tag or commit; None for the newest.

    Returns:
        Path of the file in `target_folder`.

    Raises:
        DownloadFailed: when the Hub does not answer, the dataset or file is not there, or the disk refuses.
    """
    with _told_as_failed(file_name, repo_id):
        _require_answer()
        _fetch(target_folder, OFFICIAL_2024_FILE, repo_id, file_name, revision)
    return target_folder / OFFICIAL_2024_FILE


def download_official_2026(
    target_folder: Path, repo_id: str = HUB_DATASET, revision: str | None = None
) -> tuple[Path, ...]:
    """Fetches the prompts of 2026 into a folder, under the names `load_official_2026` reads.

    Args:
        target_folder: Created if need be.
        repo_id: Dataset on the Hub; the files may lie in any folder of it.
        revision: Branch, tag or commit; None for the newest.

    Returns:
        Paths of the files in `target_folder`, as many as the dataset has.

    Raises:
        DownloadFailed: when the Hub does not answer, the dataset has no such file, or the disk refuses.
    """
    what = "xx_unspecific.jsonl and xx_specific.jsonl"
    with _told_as_failed(what, repo_id):
        from huggingface_hub import list_repo_files

        _require_answer()
        wanted = cultural_file_names()
        listed = list_repo_files(repo_id, repo_type="dataset", revision=revision)
        paths = {name.rpartition("/")[2]: name for name in sorted(listed) if name.rpartition("/")[2] in wanted}
        for name, path in paths.items():
            _fetch(target_folder, name, repo_id, path, revision)
    if not paths:
        raise DownloadFailed(f"the Hub dataset {repo_id} has no file named like {what}. {_BY_HAND}")
    return tuple(target_folder / name for name in paths)


_BY_HAND = "Set PLUMBLINE_ELOQUENT_DIR to a folder that holds the official files, or try again later."


@contextmanager
def _told_as_failed(what: str, repo_id: str) -> Iterator[None]:
    """Every failure of the network, the Hub or the disk as one sentence."""
    # Here: checking a file must not carry the memory of the network libraries.
    import httpx2
    from huggingface_hub.errors import HFValidationError

    try:
        yield
    # Every failure of the Hub client (offline, timeout, 404, gated) is an OSError, like those of the disk.
    except (OSError, HFValidationError, httpx2.TransportError) as error:
        reason = " ".join(str(error).split())[:300]
        raise DownloadFailed(
            f"{what} could not be fetched from the Hub dataset {repo_id}: {type(error).__name__}: {reason}. {_BY_HAND}"
        ) from error


def _fetch(folder: Path, name: str, repo_id: str, file_name: str, revision: str | None) -> None:
    """One file of the dataset into a folder, under a name of ours."""
    from huggingface_hub import hf_hub_download

    folder.mkdir(parents=True, exist_ok=True)
    fetched = hf_hub_download(
        repo_id,
        file_name,
        repo_type="dataset",
        revision=revision,
        local_dir=folder,
        etag_timeout=_ANSWER_WITHIN_S,
    )
    if Path(fetched) != folder / name:
        Path(fetched).replace(folder / name)


def _require_answer() -> None:
    """Asks the Hub once whether it is there, any answer will do.

    The Hub client tries five times with growing pauses: without a network that would keep the page from opening for
    half a minute.

    Raises:
        httpx2.TransportError: when it does not answer.
    """
    import httpx2
    from huggingface_hub import constants

    if not constants.HF_HUB_OFFLINE:  # offline, the client itself refuses at once
        httpx2.head(constants.ENDPOINT, timeout=_ANSWER_WITHIN_S)
