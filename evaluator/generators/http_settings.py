"""Which server a generator stands behind, which model it is, and how it is called."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluator.generators.protocol import UnsuitableGenerator
from evaluator.judges.http.settings import UNPINNED, key_faults, read_address, url_faults


@dataclass(frozen=True, slots=True)
class HttpGeneratorSettings:
    """Which server, which model, and how it is called."""

    base_url: str
    """http or https, with or without `/v1`; no user, password or query."""
    model: str
    """As the server calls it."""
    revision: str = UNPINNED
    """Commit of the weights, as far as the operator knows it."""
    api_key: str | None = field(default=None, repr=False)
    """Never logged, never part of the pin."""
    timeout_s: float = 60.0
    """For connecting, and for each wait for a part of the answer."""
    max_attempts: int = 4
    """Before the first token; once a text has begun, nothing is asked again."""
    first_wait_s: float = 0.5
    """Before the second attempt; doubles with each further one."""

    def __post_init__(self) -> None:
        faults = url_faults(self.base_url)
        if not self.model.strip():
            faults.append("the model is not named: expected URL#MODEL or URL#MODEL@REVISION")
        faults += key_faults(self.api_key)
        if self.max_attempts < 1:
            faults.append("max_attempts: expected 1 or more")
        if not (0 < self.timeout_s < math.inf and 0 <= self.first_wait_s < math.inf):
            faults.append("timeout_s: expected more than 0; first_wait_s: expected 0 or more")
        if faults:
            raise UnsuitableGenerator("; ".join(faults))

    @property
    def root_url(self) -> str:
        """The base URL without `/v1`."""
        return self.base_url.rstrip("/").removesuffix("/v1")

    @classmethod
    def from_text(cls, text: str, api_key: str | None = None) -> HttpGeneratorSettings:
        """Reads `URL#MODEL[@REVISION][;NAME=VALUE]...`, the part of a generator's name after `http:`.

        Raises:
            UnsuitableGenerator: listing what cannot be read.

        >>> settings = HttpGeneratorSettings.from_text("http://gpu:8000/v1#Qwen/Qwen3-8B@9c925d64;timeout_s=20")
        >>> settings.root_url, settings.model, settings.revision, settings.timeout_s
        ('http://gpu:8000', 'Qwen/Qwen3-8B', '9c925d64', 20.0)
        """
        try:
            url, model, revision, values = read_address(text, _OPTIONS)
        except ValueError as fault:
            raise UnsuitableGenerator(str(fault)) from None
        return cls(url, model, revision, api_key or None, **values)


_OPTIONS: Mapping[str, type[int | float]] = {"timeout_s": float, "max_attempts": int, "first_wait_s": float}
