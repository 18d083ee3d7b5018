"""Names of records: the model's id, the path in the datastore, the UUID."""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple
from uuid import UUID

from submissions.settings import is_repository

COLLECTION = "plumbline"
"""Of the datastore: the first folder below `data/`."""
UNSTATED = "unstated"
"""Stands as the developer of a model whose repository is not stated."""

_RESERVED = frozenset({"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))})
"""Names that Windows keeps for devices."""
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,149}")
_OTHERS = re.compile(r"[^A-Za-z0-9._-]+")


class ModelId(NamedTuple):
    """A model as the datastore knows it."""

    developer: str
    model: str

    @property
    def id(self) -> str:
        """The id, as on the Hub."""
        return f"{self.developer}/{self.model}"


def model_id(stated: str, name: str) -> ModelId:
    """Return the id of a model.

    Args:
        stated: The model as the row states it; blank = not stated.
        name: What the row is called.

    >>> model_id("Qwen/Qwen3-8B", "keel").id, model_id("GPT 4", "keel").id, model_id("", "aux").id
    ('Qwen/Qwen3-8B', 'unstated/GPT-4-3eb04ffa', 'unstated/aux-321f6814')
    """
    developer, _, model = stated.partition("/")
    if is_repository(stated) and _is_portable(developer) and _is_portable(model):
        return ModelId(developer, model)
    return ModelId(UNSTATED, _portable(stated or name))


def record_id(*parts: str) -> str:
    """Return a UUID that depends on the parts alone: equal results have equal paths.

    >>> record_id("robustness", "a") == record_id("robustness", "a"), record_id("robustness", "a")[14]
    (True, '4')
    """
    digest = hashlib.sha256("\0".join(parts).encode()).digest()
    return str(UUID(bytes=digest[:16], version=4))


def record_path(model: ModelId, uuid: str) -> str:
    """Return where a record lies below the folder, without its ending."""
    return f"data/{COLLECTION}/{model.developer}/{model.model}/{uuid}"


def _portable(text: str) -> str:
    """Return a folder's name, another one for every text."""
    name = _OTHERS.sub("-", text).strip(".-")[:80]
    if name == text and _is_portable(name):
        return name
    return f"{name or 'model'}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _is_portable(name: str) -> bool:
    """Is it a folder's name on every system, and one that the datastore takes?"""
    stem = name.casefold().partition(".")[0]
    return _NAME.fullmatch(name) is not None and not name.endswith(".") and stem not in {*_RESERVED, "data"}
