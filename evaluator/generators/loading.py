"""Which generators may be used: an allow-list by name, each loaded when it is first asked for, and once.

generators = configured_generators(settings)
generators.labels                                 # what a page offers; () = live generation is off
generators.get("SmolLM2-360M-Instruct")           # loads, or waits for whoever is loading
generators.get("Qwen/Qwen3-8B (Inference Providers)", token=visitors_token)
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from evaluator.generators.http_settings import HttpGeneratorSettings
from evaluator.generators.own_process import OwnProcessGenerator
from evaluator.generators.protocol import GeneratorUnavailable, TextGenerator, UnsuitableGenerator
from evaluator.generators.scripted import ScriptedGenerator
from submissions.settings import Settings

GENERATOR_NAMES = (
    "transformers:REPO@COMMIT",
    "transformers:FOLDER",
    "http:URL#MODEL",
    "provider:REPO",
    "scripted",
)

ONE_LOAD_AT_A_TIME = threading.Lock()
"""transformers 5.23 cannot load two models in two threads: one is left without weights ("Cannot copy out of meta
tensor"). Whoever loads a local model in this process takes it, the lab's judge included."""

_PINNED = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)@(?P<commit>[0-9a-f]{40})")
_PROVIDED = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)(@(?P<provider>[a-z0-9-]+))?")
_DURATION = re.compile(r"\d+(\.\d+)?|")

Kind = Literal["transformers", "http", "provider", "scripted"]


class UnknownGenerator(Exception):
    """Raised when a setting or flag names generators that cannot be; the text names every fault."""


@dataclass(frozen=True, slots=True)
class AllowedGenerator:
    """One entry of the allow-list."""

    name: str
    """As configured. Not for visitors: it may show an address or a folder."""
    label: str
    """What pages call it; different from all others."""
    kind: Kind
    load: Callable[[str | None], TextGenerator]
    """Makes it; the argument is a visitor's own token, which only `provider` takes."""
    has_token: bool = True
    """False where a token is needed and the installation has none: the visitor's own is needed then."""


class Generators:
    """The allow-list of an installation.

    Local models stay in memory once loaded. A generator made with a visitor's token belongs to that call alone and is
    never kept.
    """

    def __init__(self, allowed: tuple[AllowedGenerator, ...]) -> None:
        self.allowed = allowed
        self._by_key = {one.name: one for one in allowed} | {one.label: one for one in allowed}
        self._loaded: dict[str, TextGenerator] = {}
        self._loading = {one.name: threading.Lock() for one in allowed}

    @property
    def labels(self) -> tuple[str, ...]:
        """In the order configured; () = live generation is off."""
        return tuple(one.label for one in self.allowed)

    def needs_token(self, label: str) -> bool:
        """Whether a visitor must bring a token to use this one."""
        return not self._entry(label).has_token

    def is_loaded(self, label: str) -> bool:
        """Whether it can write without being loaded first."""
        entry = self._entry(label)
        return entry.kind == "provider" or entry.name in self._loaded

    def get(self, label: str, token: str | None = None) -> TextGenerator:
        """The generator of that label or configured name.

        Args:
            label: One of `labels`, or a name as configured.
            token: The visitor's own, for Inference Providers; others pass it over.

        Raises:
            UnknownGenerator: when the allow-list has no such entry.
            UnsuitableGenerator: when the model cannot be loaded as it is pinned, or is no chat model.
            GeneratorUnavailable: when it needs a token and there is none.
        """
        entry = self._entry(label)
        if entry.kind == "provider":
            return entry.load(token)
        if entry.name not in self._loaded:
            with self._loading[entry.name]:
                if entry.name not in self._loaded:
                    self._loaded[entry.name] = entry.load(None)
        return self._loaded[entry.name]

    def close(self) -> None:
        """Ends the processes of local models."""
        for one in self._loaded.values():
            if isinstance(one, OwnProcessGenerator):
                one.close()

    def _entry(self, label: str) -> AllowedGenerator:
        try:
            return self._by_key[label]
        except KeyError:
            allowed = ", ".join(self.labels) or "none, live generation is off"
            raise UnknownGenerator(f"no generator is called {label!r}; allowed: {allowed}") from None


def configured_generators(settings: Settings) -> Generators:
    """The allow-list of PLUMBLINE_GENERATORS; nothing is loaded yet. Local models get a process each.

    Raises:
        UnknownGenerator: naming every entry that cannot be used, and why.
    """
    return allowed_generators(
        settings.generator_names,
        api_key=settings.generator_api_key,
        token=settings.inference_token,
        own_processes=True,
    )


def allowed_generators(
    names: tuple[str, ...], *, api_key: str = "", token: str = "", own_processes: bool = False
) -> Generators:
    """An allow-list from names (`GENERATOR_NAMES`; docs/generators.md).

    Args:
        names: In the order pages offer them.
        api_key: Of the servers of `http:` generators; "" = none.
        token: The installation's own for Inference Providers; "" = visitors use theirs.
        own_processes: Local models run in a process each, beside this one; else in this one.

    Raises:
        UnknownGenerator: naming every entry that cannot be used, and why.
    """
    allowed: list[AllowedGenerator] = []
    faults = [f"{name!r} stands {count} times" for name, count in Counter(names).items() if count > 1]
    for name in dict.fromkeys(names):
        try:
            allowed.append(_allowed(name, api_key, token))
        except UnknownGenerator as error:
            faults.append(str(error))
    if faults:
        raise UnknownGenerator("; ".join(faults))
    if own_processes:
        local = sum(one.kind == "transformers" for one in allowed)
        allowed = [_in_own_process(one, local) if one.kind == "transformers" else one for one in allowed]
    return Generators(_told_apart(allowed))


def _allowed(name: str, api_key: str, token: str) -> AllowedGenerator:
    kind, _, option = name.partition(":")
    if kind == "scripted" and _DURATION.fullmatch(option):
        label = f"scripted, {option} s a word" if option else "scripted"
        return AllowedGenerator(
            name, label, "scripted", lambda _: ScriptedGenerator(seconds_per_token=float(option or 0))
        )
    if kind == "transformers" and option:
        return _local(name, option)
    if kind == "http" and option:
        return _behind_server(name, option, api_key)
    if kind == "provider" and option:
        return _provided(name, option, token)
    raise UnknownGenerator(f"no generator is called {name!r}: choose one of {', '.join(GENERATOR_NAMES)}")


def _local(name: str, option: str) -> AllowedGenerator:
    if Path(option).is_dir():
        return AllowedGenerator(
            name, Path(option).resolve().name, "transformers", lambda _: _transformers(option, None)
        )
    pinned = _PINNED.fullmatch(option)
    if pinned is None:
        raise UnknownGenerator(
            f"{name!r} is neither a folder nor a repository at a full commit (transformers:REPO@COMMIT): "
            "a branch or tag may change from one run to the next"
        )
    repository, commit = pinned["repository"], pinned["commit"]
    return AllowedGenerator(name, repository.split("/")[1], "transformers", lambda _: _transformers(repository, commit))


def _transformers(model_id: str, revision: str | None) -> TextGenerator:
    # Imported here: torch and transformers take seconds, and the other generators need neither.
    from evaluator.generators.transformers import load_transformers_generator

    with ONE_LOAD_AT_A_TIME:
        return load_transformers_generator(model_id, revision)


def _in_own_process(entry: AllowedGenerator, sharing: int) -> AllowedGenerator:
    return replace(entry, load=lambda _: OwnProcessGenerator(entry.name, sharing=sharing))


def _behind_server(name: str, option: str, api_key: str) -> AllowedGenerator:
    try:
        settings = HttpGeneratorSettings.from_text(option, api_key=api_key or None)
    except UnsuitableGenerator as error:
        raise UnknownGenerator(f"an http generator: {error}") from None
    return AllowedGenerator(name, f"{settings.model} (server)", "http", lambda _: _http(settings))


def _http(settings: HttpGeneratorSettings) -> TextGenerator:
    from evaluator.generators.http import HttpGenerator

    return HttpGenerator(settings)


def _provided(name: str, option: str, token: str) -> AllowedGenerator:
    named = _PROVIDED.fullmatch(option)
    if named is None:
        raise UnknownGenerator(f"{name!r}: expected provider:OWNER/REPO or provider:OWNER/REPO@PROVIDER")
    repository, provider = named["repository"], named["provider"]

    def load(visitors_token: str | None) -> TextGenerator:
        from evaluator.generators.inference_providers import InferenceProvidersGenerator

        chosen = visitors_token or token
        if not chosen:
            raise GeneratorUnavailable("this model is reached through Inference Providers: sign in to use it")
        return InferenceProvidersGenerator(repository, token=chosen, provider=provider)

    label = f"{repository} (Inference Providers)"
    return AllowedGenerator(name, label, "provider", load, has_token=bool(token))


def _told_apart(allowed: list[AllowedGenerator]) -> tuple[AllowedGenerator, ...]:
    """Entries with a number behind every label that an earlier one already has."""
    seen: Counter[str] = Counter()
    apart = []
    for one in allowed:
        seen[one.label] += 1
        number = seen[one.label]
        label = one.label if number == 1 else f"{one.label} {number}"
        apart.append(AllowedGenerator(one.name, label, one.kind, one.load, one.has_token))
    return tuple(apart)
