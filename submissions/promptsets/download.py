"""Fetching the official 2024 test set from the Hugging Face Hub."""

from __future__ import annotations

from pathlib import Path

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
    # Here: checking a file must not carry the memory of the network libraries.
    import httpx
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import HFValidationError

    target = target_folder / OFFICIAL_2024_FILE
    try:
        _require_answer()
        target_folder.mkdir(parents=True, exist_ok=True)
        fetched = hf_hub_download(
            repo_id,
            file_name,
            repo_type="dataset",
            revision=revision,
            local_dir=target_folder,
            etag_timeout=_ANSWER_WITHIN_S,
        )
        if Path(fetched) != target:
            Path(fetched).replace(target)
    # Every failure of the Hub client (offline, timeout, 404, gated) is an OSError, like those of the disk.
    except (OSError, HFValidationError, httpx.TransportError) as error:
        reason = " ".join(str(error).split())[:300]
        raise DownloadFailed(
            f"{file_name} could not be fetched from the Hub dataset {repo_id}: {type(error).__name__}: {reason}. "
            "Set PLUMBLINE_ELOQUENT_DIR to a folder that holds task3.test.json, or try again later."
        ) from error
    return target


def _require_answer() -> None:
    """Asks the Hub once whether it is there, any answer will do.

    The Hub client tries five times with growing pauses: without a network that would keep the page from opening for
    half a minute.

    Raises:
        httpx.TransportError: when it does not answer.
    """
    import httpx
    from huggingface_hub import constants

    if not constants.HF_HUB_OFFLINE:  # offline, the client itself refuses at once
        httpx.head(constants.ENDPOINT, timeout=_ANSWER_WITHIN_S)
