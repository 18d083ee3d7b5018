"""How a local model chooses the next token: the likeliest one, or one drawn at a temperature under a seed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evaluator.generators.protocol import UnsuitableGenerator

MOST_TEMPERATURE = 2.0

_OPTIONS = re.compile(r"(?P<model>.*?)(;temperature=(?P<temperature>[^;=]*);seed=(?P<seed>[^;=]*))?")
_TEMPERATURE = re.compile(r"\d{1,2}(\.\d{1,3})?")
_SEED = re.compile(r"\d{1,9}")


@dataclass(frozen=True, slots=True)
class Decoding:
    """Greedy where the temperature is 0. Otherwise each prompt draws its own numbers from the seed, so that the same
    prompt gets the same answer, whatever was asked before it or is asked beside it."""

    temperature: float = 0.0
    seed: int = 0

    @property
    def is_greedy(self) -> bool:
        return self.temperature == 0

    def __str__(self) -> str:
        return "greedy" if self.is_greedy else f"temperature {self.temperature:g}, seed {self.seed}"


GREEDY = Decoding()


def decoding_of(name: str) -> tuple[str, Decoding]:
    """The name of a local model without its decoding, and that.

    >>> decoding_of("smollm2;temperature=0.7;seed=1")
    ('smollm2', Decoding(temperature=0.7, seed=1))
    >>> decoding_of("smollm2")
    ('smollm2', Decoding(temperature=0.0, seed=0))

    Raises:
        UnsuitableGenerator: when temperature or seed are none.
    """
    options = _OPTIONS.fullmatch(name)
    assert options is not None  # whatever fits nothing is the model
    temperature, seed = options["temperature"], options["seed"]
    if temperature is None:
        return name, GREEDY
    if not (_TEMPERATURE.fullmatch(temperature) and 0 < float(temperature) <= MOST_TEMPERATURE):
        raise UnsuitableGenerator(
            f"{name!r}: found the temperature {temperature!r}, expected a number above 0 and up to {MOST_TEMPERATURE:g}"
        )
    if not _SEED.fullmatch(seed):
        raise UnsuitableGenerator(f"{name!r}: found the seed {seed!r}, expected a whole number of up to 9 digits")
    return options["model"], Decoding(float(temperature), int(seed))
