"""Freed memory is given back by the C library that can, and asked of no other."""

from __future__ import annotations

import ctypes
import platform
from types import SimpleNamespace

import pytest

from evaluator.memory import give_back_freed_memory


def test_glibc_is_asked_to_give_back_all_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(ctypes, "CDLL", lambda name: SimpleNamespace(malloc_trim=asked.append))
    give_back_freed_memory()
    assert asked == [0]


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda name: SimpleNamespace())
    give_back_freed_memory()


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the C library is not glibc")
def test_the_one_of_this_machine_has_the_function_and_takes_the_call() -> None:
    assert hasattr(ctypes.CDLL(None), "malloc_trim")
    give_back_freed_memory()
