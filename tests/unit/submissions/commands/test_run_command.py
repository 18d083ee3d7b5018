"""Each program imports the module of the command that is asked for, and no other."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module

import pytest

from submissions.commands.command_line import OneLineParser

PROGRAMS = ("submissions", "evaluator", "leaderboard", "research")


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_listed_commands_are_those_that_each_module_adds(program: str) -> None:
    commands: Mapping[str, Sequence[str]] = import_module(f"{program}.__main__").COMMANDS
    for module, names in commands.items():
        added = OneLineParser().add_subparsers(parser_class=OneLineParser)
        import_module(module).add_commands(added)
        assert tuple(added.choices) == tuple(names), module


def test_a_command_loads_neither_the_other_commands_nor_a_database() -> None:
    code = (
        "import sys; from evaluator.__main__ import main\n"
        "try: main(['doctor', '--help'])\n"
        "except SystemExit: print(*sorted(sys.modules), sep='\\n')"
    )
    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert [name for name in modules if name.startswith("evaluator.commands.")] == ["evaluator.commands.doctor"]
    assert not {"sqlalchemy", "scipy", "torch", "gradio"} & set(modules)


def test_an_unknown_command_is_named_beside_all_that_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        import_module("evaluator.__main__").main(["nothing"])
    said = capsys.readouterr().err
    assert ended.value.code == 2
    assert said.count("\n") == 1
    assert "'nothing'" in said
    assert all(name in said for name in ("work", "evaluate", "judge-report", "record"))
