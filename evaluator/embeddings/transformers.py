"""Any sentence-embedding model of the Hub, or a folder of one: pinned, safetensors only, no code of its own.

What a model needs beside its weights stands in its sentence-transformers files (pooling, longest window) and in the
head of its card (languages); options of the setting win over both. docs/judges.md, "Embedding models".
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

from evaluator.embeddings.language_codes import with_set_codes
from evaluator.embeddings.protocol import EmbeddingCache, UnsuitableEmbedder
from evaluator.embeddings.sentence_embedder import WINDOW_TOKENS, Pooling, SentenceEmbedder, file_sha256
from evaluator.values import Pin

CPU_BATCH_ROWS = 16
GPU_BATCH_ROWS = 128

ANY_LANGUAGE = "multilingual"
"""What a card says that lists no languages of its own."""

_NEEDED = ("*.json", "*.txt", "*.model", "model*.safetensors", "README.md")
"""Files that are fetched: no pickled weights, no code."""

_PINNED = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)@(?P<commit>[0-9a-f]{40})")
_OPTIONS = ("languages", "pooling", "prefix")
_READ_MODULES = ("Transformer", "Pooling", "Normalize")


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """Which model, and what is said about it."""

    model: str
    """Repository, or folder."""
    commit: str | None
    """Of the repository; None for a folder, whose weights are hashed instead."""
    languages: tuple[str, ...] | None = None
    """What it reads, as the operator says; None = as its card says."""
    pooling: Pooling | None = None
    """None = as its files say."""
    prefix: str = ""

    @classmethod
    def from_text(cls, text: str) -> EmbeddingModel:
        """Reads `REPO@COMMIT[;NAME=VALUE]...` or `FOLDER[;NAME=VALUE]...`, the part of a name after `transformers:`.

        Raises:
            UnsuitableEmbedder: listing what cannot be read.

        >>> EmbeddingModel.from_text('org/e5@' + 40 * 'a' + ';languages=en,fi;prefix="query: "').prefix
        'query: '
        """
        named, *options = text.split(";")
        values: dict[str, str] = {}
        faults = []
        for option in options:
            name, _, value = option.partition("=")
            if name.strip() in _OPTIONS and value.strip():
                values[name.strip()] = value.strip()
            else:
                faults.append(f"found the option {option!r}, expected one of {', '.join(_OPTIONS)} = a value")
        pinned = _PINNED.fullmatch(named)
        if pinned is None and not Path(named).is_dir():
            faults.append(
                f"{named!r} is neither a folder nor a repository at a full commit (transformers:REPO@COMMIT): "
                "a branch or tag may change under a board"
            )
        pooling = values.get("pooling")
        if pooling not in (None, *get_args(Pooling)):
            faults.append(f"pooling: found {pooling!r}, expected one of {', '.join(get_args(Pooling))}")
        if faults:
            raise UnsuitableEmbedder("; ".join(faults))
        languages = values.get("languages")
        return cls(
            model=pinned["repository"] if pinned else named,
            commit=pinned["commit"] if pinned else None,
            languages=tuple(part.strip() for part in languages.split(",")) if languages else None,
            pooling="cls" if pooling == "cls" else "mean" if pooling else None,
            prefix=values.get("prefix", "").strip('"'),
        )


class TransformersEmbedder(SentenceEmbedder):
    """An encoder from the Hub or a folder, loaded at once: what is wrong with it is known before anything is scored.

    Args:
        chosen: which model.
        cache: where vectors are kept by content key; None keeps nothing between calls.
        threads: compute threads of torch; None leaves them alone.
        device: `cuda` or `cpu`; None = a GPU where there is one.

    Raises:
        UnsuitableEmbedder: when it cannot be fetched or loaded as pinned, has a layer beyond pooling, or does not say
            which languages it reads.
    """

    def __init__(
        self,
        chosen: EmbeddingModel,
        cache: EmbeddingCache | None = None,
        threads: int | None = None,
        device: str | None = None,
    ) -> None:
        import torch

        self._device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        super().__init__(cache, threads, batch_rows=GPU_BATCH_ROWS if self._device == "cuda" else CPU_BATCH_ROWS)
        self._chosen = chosen
        self._folder = _fetched(chosen)
        self.prefix = chosen.prefix
        self.pooling = chosen.pooling or _pooling(self._folder, chosen.model)
        languages = chosen.languages or _languages_of_card(self._folder, chosen.model)
        self._languages = with_set_codes(languages) if languages else None
        self._set_threads()
        self.window_tokens = _window_tokens(self._folder, self._model.config)

    @cached_property
    def pin(self) -> Pin:
        """The commit, or the weights' SHA-256; how a text becomes a vector stands under `prompt`."""
        import importlib.metadata

        prefix = f", prefix {self.prefix!r}" if self.prefix else ""
        return Pin(
            name="embedding model",
            model=self._chosen.model if self._chosen.commit else Path(self._chosen.model).resolve().name,
            revision=self._chosen.commit or "+".join(map(file_sha256, _weights(self._folder))),
            tokenizer=file_sha256(self._folder / "tokenizer.json"),
            prompt=f"{self.pooling} pooling, {self.window_tokens} tokens{prefix}",
            dtype="float32",
            engine=f"transformers {importlib.metadata.version('transformers')}",
            languages=self._languages,
        )

    @cached_property
    def _tokenizer(self) -> Any:
        from transformers import AutoTokenizer

        return AutoTokenizer.from_pretrained(self._folder, local_files_only=True, trust_remote_code=False)

    @cached_property
    def _model(self) -> Any:
        import torch
        from transformers import AutoModel
        from transformers.utils import logging as transformers_logging

        quiet: Any = transformers_logging.disable_progress_bar
        quiet()
        try:
            model: Any = AutoModel.from_pretrained(
                self._folder,
                local_files_only=True,
                trust_remote_code=False,
                use_safetensors=True,
                dtype=torch.float32,
            )
        except (OSError, ValueError) as error:
            raise UnsuitableEmbedder(f"{self._chosen.model} cannot be loaded: {error}") from error
        return model.to(self._device).eval()


def _fetched(chosen: EmbeddingModel) -> Path:
    """The folder of the model's files; a repository is fetched at its commit, once."""
    if chosen.commit is None:
        folder = Path(chosen.model)
    else:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

        try:
            folder = Path(snapshot_download(chosen.model, revision=chosen.commit, allow_patterns=list(_NEEDED)))
        except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
            raise UnsuitableEmbedder(f"{chosen.model} at {chosen.commit} cannot be fetched: {error}") from error
    missing = [name for name in ("config.json", "tokenizer.json") if not (folder / name).is_file()]
    if not _weights(folder):
        missing.append("model.safetensors")
    if missing:
        raise UnsuitableEmbedder(f"{chosen.model} has no {', '.join(missing)}: only safetensors and fast tokenizers")
    return folder


def _weights(folder: Path) -> list[Path]:
    return sorted(folder.glob("model*.safetensors"))


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def _pooling(folder: Path, model: str) -> Pooling:
    """As the model's sentence-transformers files say; the mean where it has none."""
    modules: list[Mapping[str, str]] = _json(folder / "modules.json") or []
    kinds = [module["type"].rsplit(".", 1)[-1] for module in modules]
    unread = [kind for kind in kinds if kind not in _READ_MODULES]
    if unread:
        raise UnsuitableEmbedder(f"{model} has a layer that is not read here: {', '.join(unread)}")
    places = [module["path"] for module, kind in zip(modules, kinds, strict=True) if kind == "Pooling"]
    said = (_json(folder / places[0] / "config.json") if places else None) or {"pooling_mode_mean_tokens": True}
    modes = [name for name, is_used in said.items() if name.startswith("pooling_mode_") and is_used is True]
    if modes == ["pooling_mode_cls_token"]:
        return "cls"
    if modes == ["pooling_mode_mean_tokens"]:
        return "mean"
    raise UnsuitableEmbedder(f"{model} pools by {', '.join(modes) or 'nothing known'}: expected mean or cls")


def _languages_of_card(folder: Path, model: str) -> tuple[str, ...] | None:
    """The languages in the head of the model's card; None = any, where it says no more than "multilingual"."""
    from huggingface_hub import metadata_load

    card = folder / "README.md"
    head: Mapping[str, Any] = (metadata_load(card) if card.is_file() else None) or {}
    said = head.get("language") or []
    listed = [said] if isinstance(said, str) else [str(language) for language in said]
    codes = tuple(language for language in listed if language != ANY_LANGUAGE)
    if codes:
        return codes
    if ANY_LANGUAGE in listed:
        return None
    raise UnsuitableEmbedder(
        f"{model} does not say which languages it reads: add ;languages=en,fi,... to its name in PLUMBLINE_EMBEDDING"
    )


def _window_tokens(folder: Path, config: Any) -> int:
    """As long as the model was made for, at most `WINDOW_TOKENS`."""
    said: Mapping[str, Any] = _json(folder / "sentence_bert_config.json") or {}
    positions = int(getattr(config, "max_position_embeddings", 0) or WINDOW_TOKENS)
    if config.model_type in _OFFSET_POSITIONS:
        positions -= int(config.pad_token_id or 0) + 1
    return min(WINDOW_TOKENS, positions, int(said.get("max_seq_length") or WINDOW_TOKENS))


_OFFSET_POSITIONS = frozenset({"roberta", "xlm-roberta", "camembert", "xlm-roberta-xl", "mpnet"})
"""Families that number their first token after the padding id, so that they have that many places fewer."""
