from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import pytest

from evaluator.results import MetricValue
from evaluator.statistics.rank_bands import RankBand
from leaderboard.page.copies import latex_text, version_of
from leaderboard.page.latex import PREAMBLE, paper_columns, typeset
from leaderboard.parts.board_kind import Paper
from leaderboard.parts.columns import Column

HOSTILE = 'a|b\n<img src=x> $x$ \\input{/etc/passwd} 100% & _it_ ~ ^ # ` -- "q" [x] * {}'
SCRIPTS = "Žižek Łódź Nguyễn Đỗ ß ø ş ő – … → ≤ 模型 システム نموذج मॉडल модель ελ 한국어 🙂 ə ŋ þ"
LONG = "meta-llama/Llama-4-Maverick-17B-128E-Instruct-Original-FP8-dynamic-quantized-2026-11"


@dataclass(frozen=True, slots=True)
class Entry:
    """A row with everything that makes a table wide."""

    id: str
    team: str = "A team with a rather long name of its own"
    style: str = ""
    tier: int = 0


FIGURE = MetricValue(value=12.34, low=-10.25, high=14.99, n=1234)
ROWS = tuple(Entry(name) for name in (HOSTILE, SCRIPTS, LONG, "W" * 39, "[x] first", "* second", "?`!`,,''"))
COLUMNS: tuple[Column[Entry], ...] = (
    Column("rank", "Rank", "rank", lambda row: RankBand(low=101, high=112), ""),
    Column("system", "System", "text", lambda row: row.id, "", is_name=True, is_searched=True),
    Column("score", "Position consistency", "signed", lambda row: FIGURE, "", "higher"),
    Column("team", "Team", "text", lambda row: row.team, "", is_searched=True),
    Column("raw", "Without the gate", "interval", lambda row: FIGURE, ""),
    Column("flags", "Flags", "whole", lambda row: 7, ""),
    Column("note", "Note", "text", lambda row: "long words about the row", ""),
)


def table(
    rows: tuple[Entry, ...] = ROWS,
    columns: tuple[Column[Entry], ...] = COLUMNS,
    group: Callable[[Entry], str] | None = None,
) -> str:
    version = version_of(
        *(rows, columns, COLUMNS),
        title="Robustness",
        set_=f"2024 & {SCRIPTS}",
        link="?tab=robustness",
        paper=Paper("noah", "Noah", "The Ark", 1, "Genesis"),
        judges=(f"transformers ({LONG}, revision 0123456789ab)",),
        counted="items",
    )
    return latex_text(rows, columns, version, "score", date(2026, 11, 30), group)


def grouped(row: Entry) -> str:
    """Only the first row stands under no heading."""
    return "" if row is ROWS[0] else f"Not comparable with the others: covers 24 of 80 & {SCRIPTS}"


def test_rows_below_another_heading_stand_below_it_in_print_too() -> None:
    lines = table(group=grouped).splitlines()
    [heading] = [place for place, line in enumerate(lines) if "covers 24 of 80" in line]
    assert lines[heading - 1] == r"\midrule"
    assert lines[heading].startswith(r"\multicolumn{")
    assert heading - 2 - lines.index(r"\midrule") == 1  # the first row stands above it
    assert "Not comparable" not in table()


def test_print_takes_rank_name_headline_and_n_and_what_else_fits() -> None:
    # Another interval beside the headline would leave the name no room; notes are never printed.
    chosen = [column.label for column in paper_columns(ROWS, COLUMNS, "score")]
    assert chosen[:4] == ["Rank", "System", "Position consistency", "n"]
    assert "Without the gate" not in chosen
    assert "Note" not in chosen
    assert len(chosen) <= 6
    narrow = paper_columns(ROWS, [*COLUMNS[1:2], *COLUMNS[5:]], "score")  # a view without headline and rank
    assert [column.label for column in narrow] == ["System", "Flags"]
    counted: Column[Entry] = Column("n", "n", "whole", lambda row: 1234, "", "higher")
    assert [column.label for column in paper_columns(ROWS, [*COLUMNS[:3], counted], "score")].count("n") == 1
    queries = replace(counted, key="queries", label="Queries")  # the same count by another name
    assert "Queries" not in [column.label for column in paper_columns(ROWS, [*COLUMNS[:3], queries], "score")]


def test_a_table_is_ascii_but_for_what_only_some_engines_set_and_every_line_has_its_columns() -> None:
    text = table()
    rest = re.sub(r"\\otherscript\{[^}]*\}", "", text)
    assert rest.isascii()
    body = text.partition("\\midrule\n")[2].partition("\\bottomrule")[0].splitlines()
    heads = len(paper_columns(ROWS, COLUMNS, "score"))
    assert {len(re.findall(r"(?<!\\)&", line)) for line in body} == {heads - 1}
    assert len(body) == len(ROWS)
    assert all(line.startswith("{}") and line.endswith(r" \\") for line in body)
    open_: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
        assert kind == "begin" or open_.pop() == name
        if kind == "begin":
            open_.append(name)
    assert open_ == []
    assert text.count("{") == text.count("}")


def test_a_very_long_name_is_shortened_and_stands_in_full_below() -> None:
    name = f"{LONG} {LONG}"
    text = table((Entry(name),))
    assert r"\textsuperscript{1} &" in text
    legend = text.partition(r"\textsuperscript{1}~")[2].partition("\\end{table}")[0]
    assert legend.replace(r"\allowbreak{}", "").strip() == f"{name}."


def test_words_are_never_broken_by_us_and_names_of_a_paper_stand_whole() -> None:
    for word in ("Robustness", "Personalization", "consistency", "Robustheitsmaß"):
        assert r"\allowbreak" not in typeset(word)
    assert typeset("demonstration, english.") == "demonstration, english."  # nor is a word parted from its comma
    assert typeset("SmolLM2-135M-Instruct") == "SmolLM2-135M-Instruct"  # LaTeX breaks behind a hyphen by itself
    assert typeset("x" * 30).count(r"\allowbreak{}") == 3  # no word: after 9, 18 and 27
    name = "SmolLM2-135M-Instruct, temperature 0.7, top-p 0.95, seed 2"
    text = table((Entry(name),))
    assert "textsuperscript" not in text


def test_letters_with_accents_are_set_by_every_engine() -> None:
    assert typeset("é ấ ł") == r"\'{e} \'{\^{a}} \l{}"
    assert (typeset("a--b"), typeset("a---b")) == ("a-{}-b", "a-{}-{}-b")  # no dash of two hyphens or three


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("columns", [COLUMNS, COLUMNS[:3], COLUMNS[1:2]], ids=["all", "essential", "names"])
def test_a_table_compiles_and_is_no_wider_than_a_column_of_two(
    columns: tuple[Column[Entry], ...], tmp_path: Path
) -> None:
    # The warning of a box 0.1 pt too wide is what is looked for; \ref and \cite are not resolved in one run.
    head = f"\\documentclass[twocolumn]{{article}}{PREAMBLE}\\hfuzz=0.1pt"
    paper = f"{head}\\begin{{document}}{{}}\n{table(columns=columns, group=grouped)}x\n\\end{{document}}"
    (tmp_path / "paper.tex").write_text(paper, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60, check=False)
    log = (tmp_path / "paper.log").read_text(encoding="latin-1")
    assert done.returncode == 0, log[-3000:]
    assert re.findall(r"Overfull \\hbox.*\n.*", log) == []
    assert "Missing character" not in log
