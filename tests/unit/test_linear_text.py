"""Nothing that reads submitted text takes more than in proportion to its length."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import pytest

import evaluator
import leaderboard
import submissions
from tests.unit import linear_time
from tests.unit.linear_time import HOSTILE, SENTENCES, growth, shapes_of
from tests.unit.text_functions import OTHER_TEXT, READERS

Use = Literal["finditer", "match", "fullmatch"]

_USE_OF_METHOD: dict[str, Use] = {
    "search": "finditer",
    "finditer": "finditer",
    "findall": "finditer",
    "split": "finditer",
    "sub": "finditer",
    "subn": "finditer",
    "match": "match",
    "fullmatch": "fullmatch",
}
"""To find every match is no less work than to find one, to cut at them or to replace them."""

READ_LENGTHS = (500, 5_000)
"""Of what a whole function reads: some take milliseconds for the longer one, and 2 of 100,000 would take seconds."""

EVERY_USE = frozenset(_USE_OF_METHOD.values())
"""Of a pattern that is kept in a tuple or handed on: what is called on it cannot be seen."""

BUILT: dict[str, tuple[str | bytes, ...]] = {
    # Where a function writes a pattern itself: how it comes out.
    "evaluator.personalization.answer_extraction._names": (r"(?<!\w)a\ river(?!\w)",),
    "evaluator.judge_logs.inspect_log._evaluated": (r"a\ model\d*",),
    "submissions.seasons.season_store.__init__": (r"(?<!\w)(?:a\ team|a\ run)(?!\w)",),
    "evaluator.judges.parsing.echo": (r"0[ \t]*(?:[-\u2010-\u2015\u2212]|to|\.\.)[ \t]*5(?![\d.,]*\d)",),
    "evaluator.judges.parsing.mention": (r"(?<![^\W_])similarity[\s*_-]{0,8}scores?(?![^\W_])",),
    "evaluator.judges.http.replies.unanimous_label": (r"(?<![^\W_])A(?![^\W_])",),
    "evaluator.judges.written.parsing._outside_thoughts": ("<think>|</think>",),
    "evaluator.judges.written.parsing._parted": ("</answer>",),
    "evaluator.judges.written.parsing._statements": (r"\[RESULT\]",),
    "evaluator.generators.transformers.__init__": (r"<\|im_end\|>|<s>|</s>",),
    "leaderboard.web.open_paths.__init__": (
        r"/gradio_api/call/(?:check|board)/\w+",
        r"/gradio_api/file=/tmp/gradio/.+",
    ),
    "submissions.formats.file_kind.states": (rb'"kind"[ \t\r\n]*:[ \t\r\n]*"personalized_pairs"',),
    "submissions.formats.personalization.rows._written_as": ("[a-z0-9_]{1,40}",),
    "submissions.reading.normal_forms._endless_marks": (
        "([\u0300-\u036f\u1dc0-\u1dff]{30})[\u0300-\u036f\u1dc0-\u1dff]++",
    ),
    "submissions.reading.strict_json._within_limits": (r'"(?:id|response)"[ \t\n\r]*+:',),
}
"""Module and function -> examples of the patterns that it builds while it runs."""


@dataclass(frozen=True, slots=True)
class Found:
    """A regular expression of the source, and how the source uses it."""

    place: str
    pattern: re.Pattern[Any]
    uses: frozenset[Use]


@lru_cache
def _modules() -> tuple[ModuleType, ...]:
    packages = (submissions, evaluator, leaderboard)
    names = [
        info.name for package in packages for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]
    return tuple(importlib.import_module(name) for name in names if not name.endswith("__main__"))


@lru_cache
def _source(module: ModuleType) -> ast.Module:
    return ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))


@lru_cache
def _uses() -> dict[int, frozenset[Use]]:
    """Pattern (by its identity) -> what is called on the name it has in a module."""
    uses: dict[int, set[Use]] = {}
    for module in _modules():
        for node in ast.walk(_source(module)):
            if isinstance(node, ast.Attribute) and node.attr in _USE_OF_METHOD and isinstance(node.value, ast.Name):
                pattern = vars(module).get(node.value.id)
                if isinstance(pattern, re.Pattern):
                    uses.setdefault(id(pattern), set()).add(_USE_OF_METHOD[node.attr])
    return {pattern: frozenset(some) for pattern, some in uses.items()}


@lru_cache
def _kept_patterns() -> tuple[Found, ...]:
    return tuple(_found_in_modules())


def _found_in_modules() -> Iterator[Found]:
    """Compiled patterns in modules and classes, also inside tuples, lists and dictionaries."""
    for module in _modules():
        classes = [one for one in vars(module).values() if isinstance(one, type) and one.__module__ == module.__name__]
        for owner in (module, *classes):
            for name, value in vars(owner).items():
                for pattern in _patterns_in(value):
                    yield Found(f"{module.__name__}.{name}", pattern, _uses().get(id(pattern), EVERY_USE))


def _patterns_in(value: object, depth: int = 3) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, dict):
        for one in value.values():
            yield from _patterns_in(one, depth - 1)
    elif depth and isinstance(value, tuple | list | set | frozenset):
        for one in value:
            yield from _patterns_in(one, depth - 1)


@lru_cache
def _calls_in_functions() -> tuple[tuple[str, ast.Call, str], ...]:
    return tuple(_calls())


def _calls() -> Iterator[tuple[str, ast.Call, str]]:
    """Where a function calls `re` itself: the place as `module.function`, the call and the method."""
    for module in _modules():
        for function in ast.walk(_source(module)):
            if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                continue
            name = getattr(function, "name", "lambda")
            for node in ast.walk(function):
                match node:
                    case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=method)):
                        if method in _USE_OF_METHOD or method == "compile":
                            yield f"{module.__name__}.{name}", node, method


def _written_patterns() -> Iterator[Found]:
    """Patterns that stand as a literal in a function, and examples of those that are built there."""
    for place, call, method in _calls_in_functions():
        uses = EVERY_USE if method == "compile" else frozenset({_USE_OF_METHOD[method]})
        literal = call.args[0]
        for source in (literal.value,) if isinstance(literal, ast.Constant) else BUILT.get(place, ()):
            yield Found(place, re.compile(source), uses)


@lru_cache
def _patterns() -> tuple[Found, ...]:
    """Every pattern once; one that stands in several places with all its uses."""
    merged: dict[tuple[object, int], Found] = {}
    for found in (*_kept_patterns(), *_written_patterns()):
        key = (found.pattern.pattern, found.pattern.flags)
        known = merged.get(key)
        merged[key] = Found(known.place, known.pattern, known.uses | found.uses) if known else found
    return tuple(sorted(merged.values(), key=lambda found: found.place))


def _run(found: Found, use: Use) -> Callable[[str], object]:
    method = getattr(found.pattern, use)
    encode = str.encode if isinstance(found.pattern.pattern, bytes) else str
    if use == "finditer":
        return lambda text: deque(method(encode(text)), maxlen=0)
    return lambda text: method(encode(text))


@pytest.mark.parametrize("hostile", [r"[.,]+(?=\s|$)", r"\s*\S+$", r"(?:a+)+b", r"<.*>"])
def test_what_grows_faster_than_the_text_is_found_out(hostile: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear_time, "MOST_S", 1.0)  # enough where something is expected to take too long
    pattern = re.compile(hostile)
    found = Found("here", pattern, EVERY_USE)
    assert any(growth(_run(found, "finditer"), shape) for shape in (*HOSTILE, *shapes_of(pattern)))


@pytest.mark.parametrize("linear", [r"(?<![.,])[.,]+(?=\s|$)", r"(?<!\s)\s*+\S+", r"(?<!a)a++b", r"[a-z]+"])
def test_what_grows_as_the_text_does_passes(linear: str) -> None:
    pattern = re.compile(linear)
    found = Found("here", pattern, EVERY_USE)
    assert not any(growth(_run(found, "finditer"), shape) for shape in (*HOSTILE, *shapes_of(pattern)))


def test_no_expression_takes_more_than_in_proportion_to_the_text(subtests: pytest.Subtests) -> None:
    for found in _patterns():
        with subtests.test(found.place):
            shapes = (*HOSTILE, *shapes_of(found.pattern))
            slow = (growth(_run(found, use), shape) for use in sorted(found.uses) for shape in shapes)
            assert next(filter(None, slow), None) is None, found.pattern.pattern


def test_every_pattern_that_a_function_builds_has_an_example_here() -> None:
    built = {place for place, call, _ in _calls_in_functions() if not isinstance(call.args[0], ast.Constant)}
    assert built == set(BUILT)


@pytest.mark.parametrize("module", READERS)
def test_no_reader_of_submitted_text_takes_more_than_in_proportion_to_it(module: str) -> None:
    slow = (growth(READERS[module], shape, READ_LENGTHS) for shape in (*HOSTILE, *SENTENCES))
    assert next(filter(None, slow), None) is None


def test_every_module_that_looks_for_expressions_is_known() -> None:
    with_patterns = {found.place.rpartition(".")[0] for found in (*_kept_patterns(), *_written_patterns())}
    assert with_patterns <= READERS.keys() | OTHER_TEXT.keys()
    assert OTHER_TEXT.keys() <= with_patterns - READERS.keys()
