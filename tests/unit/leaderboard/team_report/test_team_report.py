"""The report of one run: figures, losses, worst pairs, comparison, files; texts of teams stay texts."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from itertools import cycle
from pathlib import Path

import pytest

from evaluator.values import MetricValue
from leaderboard.__main__ import main
from leaderboard.boards.registry import BOARDS
from leaderboard.boards.robustness.state import RobustnessState
from leaderboard.page.latex import PREAMBLE
from leaderboard.page.registered import BoardTools
from leaderboard.page.services import Services
from leaderboard.systems.screen import SystemScreen
from leaderboard.team_report.html import report_html
from leaderboard.team_report.report import (
    FILE_GONE,
    STOOD_HERE,
    NoReport,
    ReportFigure,
    Section,
    TeamReport,
    figures_table,
)
from leaderboard.team_report.writer import report_files, run_meant, team_report
from submissions.schema import Names
from submissions.settings import Settings
from submissions.store.database import StoreError
from tests.browser.hostile import NAMEABLE, PAYLOADS
from tests.unit.leaderboard.boards.editions.test_screen import House, question_file
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result
from tests.unit.leaderboard.conftest import Submit
from tests.unit.submissions.formats.eloquent.cultural_files import run_files, zipped

ITEMS = [f"90{number}" for number in range(1, 8)]
KEEL = dict(zip(ITEMS, [4.0, 4.0, 1.0, 2.0, 2.0, 3.0, 3.0], strict=True))
TIDE = dict.fromkeys(ITEMS, 3.0)
PAGE_TAGS = {
    *("html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "h3", "p", "pre", "a", "ul", "li", "dl"),
    *("dt", "dd", "table", "caption", "thead", "tbody", "tr", "th", "td", "section", "strong", "div", "mark"),
}


def opened(services: Services) -> BoardTools:
    tools = BoardTools(services)
    tools.open(BOARDS)
    return tools


def section(report: TeamReport, title: str) -> Section:
    return next(one for one in report.sections if one.title.startswith(title))


@pytest.fixture
def house(tmp_path: Path) -> Iterator[tuple[House, BoardTools]]:
    made = House(tmp_path)
    services = Services(store=made.store, desk=made.desk, settings=Settings.from_env({}))
    yield made, opened(services)
    services.checks.close()
    made.store.close()


class Page(HTMLParser):
    """Which elements and attributes a browser would make of a page, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.words: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return "".join(self.words)


# --- 2024 ------------------------------------------------------------------------------------------------------------


def test_a_report_of_2024_says_the_score_where_it_loses_and_shows_the_worst_answers(
    services: Services, score: Submit
) -> None:
    ticket = score(robustness_result(KEEL, variations={"903": "formality"}), team="Aurora", system="Keel")
    report = team_report(opened(services), ticket)
    page = Page(report_html(report))
    assert report.title == "Keel · Aurora · Model"
    # The mean of 4, 4, 1, 2, 2, 3, 3 is 19 / 7 = 2.71.
    (figures,) = section(report, "Result").tables
    assert figures.rows[0][0] == "Score"
    assert figures.rows[0][1].startswith("2.71 [")
    assert figures.rows[0][2] == "7"
    variations, languages, items = section(report, "Where it loses").tables
    # Formality is item 903 alone; dialect the other six, 18 / 6 = 3.00.
    assert [line[0] for line in variations.rows] == ["formality", "dialect"]
    assert [line[1].partition(" ")[0] for line in variations.rows] == ["1.00", "3.00"]
    assert [(line[0], line[1].partition(" ")[0]) for line in languages.rows] == [("en", "2.71"), ("sv", "n/a")]
    assert [line[0] for line in items.rows] == ["903", "904", "905", "906", "907", "901", "902"]
    pairs = section(report, "The worst pairs").pairs
    assert len(pairs) == 10
    assert pairs[0].title == "Item 903, formality, en: variants 1 and 2"
    assert [part["text"] for answer in pairs[0].answers for part in answer.parts] == [
        "Answer 0 of Aurora to item 903.",
        "Answer 1 of Aurora to item 903.",
    ]
    assert "Answer 0 of Aurora to item 903." in page.text
    assert page.tags <= PAGE_TAGS


def test_the_gate_section_names_every_answer_it_took(services: Services, score: Submit) -> None:
    ticket = score(robustness_result(KEEL, flags=("off_topic",)))
    gate = section(team_report(opened(services), ticket), "What the relevance check took")
    # Variant 1 of every item is off topic: of its 3 pairs one passes, so a third of 19 / 7 is left.
    assert gate.lines[0].startswith("Before the relevance check 2.71 [")
    assert "after it 0.90 [" in gate.lines[0]
    assert [list(line) for line in gate.tables[0].rows] == [[item, "variant 1", "off topic"] for item in ITEMS]


def test_the_comparison_is_that_of_the_page(services: Services, score: Submit) -> None:
    keel = score(robustness_result(KEEL), team="Aurora", system="Keel")
    tide = score(robustness_result(TIDE), team="Polaris", system="Tide")
    tools = opened(services)
    said = tools.shared(SystemScreen.of).comparison_notice(
        RobustnessState(set="demonstration", system=keel, against=tide)
    )
    report = team_report(tools, keel, tide)
    shown = section(report, "Beside Tide")
    assert said is not None
    assert [shown.lines[0], *shown.lines[1:]] == [said["title"], *said["lines"]]
    # Keel minus Tide: 1, 1, -2, -1, -1, 0, 0.
    assert [line[3] for line in shown.tables[0].rows] == ["+1.00", "+1.00", "0.00", "0.00", "-1.00", "-1.00", "-2.00"]
    (figures,) = section(report, "Result").tables
    assert figures.rows[0][3].startswith("3.00 [")
    assert "Other" in report.latex
    with pytest.raises(NoReport, match="is the same"):
        team_report(tools, keel, keel)


def test_an_older_submission_of_a_run_has_its_report_without_a_rank(
    services: Services, score: Submit, demonstration_file: Callable[[str], bytes]
) -> None:
    older = score(robustness_result(KEEL))
    mended = demonstration_file("Team").replace(b"Answer 0 of", b"Answer nought of")
    newer = services.desk.submit(mended, "2.json", owner="local", names=Names(system="System", model="Model")).ticket.id
    job = services.store.claim("worker")
    assert job is not None
    services.store.finish(job.id, "worker", robustness_result(TIDE).model_dump_json())
    tools = opened(services)
    assert section(team_report(tools, newer), "Result").lines[0] == "Rank 1 on the board."
    lines = section(team_report(tools, older), "Result").lines
    assert lines[0] == f"Not ranked: {STOOD_HERE}."
    assert run_meant(tools, "System") == newer  # the row of that name shows the newer one
    services.desk.withdraw(newer, "local")
    with pytest.raises(NoReport, match="no scored submission"):
        team_report(tools, newer)
    assert run_meant(tools, "System") == older


def test_answers_that_left_the_store_are_said_to_be_missing(
    services: Services, score: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticket = score(robustness_result(KEEL))

    def gone(sha256: str) -> bytes:
        raise StoreError(sha256)

    monkeypatch.setattr(services.store, "payload", gone)
    worst = section(team_report(opened(services), ticket), "The worst pairs")
    assert worst.lines == [FILE_GONE]
    assert worst.pairs[0].answers == []


# --- 2025 and 2026 ---------------------------------------------------------------------------------------------------


def test_a_report_of_2025_shows_questions_languages_and_both_texts_of_the_worst_pairs(
    house: tuple[House, BoardTools],
) -> None:
    made, tools = house
    tickets = {}
    for system, shared in (("keel", 3), ("tide", 1)):
        for language in ("en", "fi"):
            tickets[system] = made.submit(question_file(system, language, shared), f"{system}_{language}.json")
    report = team_report(tools, tickets["keel"], tickets["tide"])
    (figures,) = section(report, "Result").tables
    # Word overlap: 4 of 6 words are shared, 5 * 4 / 6 = 3.33; tide 5 * 2 / 8 = 1.25; every question differs by 2.08.
    assert [cell.partition(" ")[0] for cell in figures.rows[0][:4]] == ["Score", "3.33", "20", "1.25"]
    assert section(report, "Beside tide").lines[0] == "keel is ahead of tide by 2.08 [2.08, 2.08] on 20 questions."
    assert section(report, "Beside tide").lines[1] == ("Question by question: keel is ahead on 20, tide on 0; 0 level.")
    assert section(report, "Beside tide").lines[2] == (
        "6 questions would tell them apart again with a power of 80%, if others differ by as much and scatter as "
        "these 20 do."
    )
    first = section(report, "The worst pairs").pairs[0]
    assert first.title == "Question 0: en and fi"
    assert [part["text"] for answer in first.answers for part in answer.parts] == [
        "topic0 w0 w1 w2 en3",
        "topic0 w0 w1 w2 fi3",
    ]
    assert [answer.prompt for answer in first.answers] == ["en topic0 topic0?", "fi topic0 topic0?"]
    assert [one.caption for one in section(report, "Where it loses").tables] == ["By language", "By question"]
    assert json.loads(report.manifest)["ticket"] == tickets["keel"]
    with pytest.raises(NoReport, match="another prompt set"):
        team_report(tools, tickets["keel"], "nobody")


def test_a_report_of_2026_shows_distances_and_the_answers_of_two_languages(house: tuple[House, BoardTools]) -> None:
    made, tools = house
    ticket = made.submit(zipped(run_files()), "aurora.zip")
    report = team_report(tools, ticket)
    pairs = section(report, "The worst pairs").pairs
    assert len(pairs) == 3 * 2  # of three base questions two pairs each
    assert {answer.title.partition(", ")[2] for answer in pairs[0].answers} == {"no culture named", "variant 1"}
    assert all(answer.parts[0]["text"] for pair in pairs for answer in pair.answers)
    assert [one.caption for one in section(report, "Where it loses").tables] == [
        *("By language", "By base question", "By pair of languages")
    ]
    assert "python -m evaluator reproduce manifest.json FILE" in section(report, "Make it anew").code
    assert Page(report_html(report)).tags <= PAGE_TAGS


# --- files -----------------------------------------------------------------------------------------------------------


def test_the_page_holds_the_files_and_the_same_run_gives_the_same_bytes(services: Services, score: Submit) -> None:
    ticket = score(robustness_result(KEEL), system="Keel")
    files = report_files(team_report(opened(services), ticket))
    assert files == report_files(team_report(opened(services), ticket))
    links = [value for name, value in Page(files["report.html"].decode()).attributes if name == "href"]
    held = [base64.b64decode(link.partition("base64,")[2]) for link in links]
    assert held == [files["table.tex"], files["references.bib"], files["manifest.json"]]
    assert json.loads(files["manifest.json"])["ticket"] == ticket


def test_hostile_names_and_answers_stay_texts(services: Services, house: tuple[House, BoardTools]) -> None:
    made, tools = house
    said = cycle(PAYLOADS)
    for language in ("en", "fi"):
        document = json.loads(question_file(NAMEABLE[0], language, 3))
        document["team"] = NAMEABLE[1]
        for question in document["questions"]:
            for turn in question["turns"]:
                turn["answer"] = f"{next(said)} {turn['answer']}"
        ticket = made.submit(json.dumps(document).encode(), f"{language}.json")
    html = report_html(team_report(tools, ticket))
    page = Page(html)
    assert page.tags <= PAGE_TAGS
    assert {name for name, _ in page.attributes} <= {
        *("lang", "charset", "name", "content", "scope", "class", "dir", "data-head", "download", "href", "title")
    }
    assert all(value.startswith("data:") for name, value in page.attributes if name == "href")
    assert NAMEABLE[0] in page.text  # as a text
    assert sum(payload in page.text for payload in PAYLOADS) >= 10


def test_hostile_answers_of_2026_stay_texts(house: tuple[House, BoardTools]) -> None:
    made, tools = house
    files = run_files()
    for name, content in files.items():
        if name.endswith(".jsonl"):
            rows = [json.loads(line) for line in str(content).splitlines()]
            for place, one in enumerate(rows):
                one["answer"] = f"{PAYLOADS[place % len(PAYLOADS)]} {one['answer']}"
            files[name] = "\n".join(json.dumps(one) for one in rows)
    ticket = made.submit(zipped(files), "hostile.zip")
    page = Page(report_html(team_report(tools, ticket)))
    assert page.tags <= PAGE_TAGS
    assert PAYLOADS[0] in page.text


@pytest.mark.parametrize("name", ["Keel", "模型 \\input{x} 100% $_# ~^{}", NAMEABLE[0], "ß–Žižek & co" * 9])
def test_the_table_compiles_and_is_no_wider_than_a_column_of_two(
    services: Services, score: Submit, name: str, tmp_path: Path
) -> None:
    assert shutil.which("pdflatex"), "pdflatex is needed: apt-get install texlive-latex-base"
    ticket = score(robustness_result(KEEL), team="Aurora", system=name.replace("\\", "/"))
    other = score(robustness_result(TIDE), team="Polaris", system="Tide of " + name.replace("\\", "/")[:20])
    tools = opened(services)
    for against in ("", other):
        report = team_report(tools, ticket, against)
        head = f"\\documentclass[twocolumn]{{article}}{PREAMBLE}\\hfuzz=0.1pt"
        bibliography = "\\bibliographystyle{plain}\\bibliography{references}"
        paper = f"{head}\\begin{{document}}{{}}\n{report.latex}\\nocite{{*}}x\n{bibliography}\\end{{document}}"
        (tmp_path / "paper.tex").write_text(paper, encoding="utf-8")
        (tmp_path / "references.bib").write_text(report.bibtex, encoding="utf-8")
        for command in (
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"],
            ["bibtex", "paper"],
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"],
        ):
            done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60, check=False)
            assert done.returncode == 0, done.stdout[-2000:]
        log = (tmp_path / "paper.log").read_text(encoding="latin-1")
        table = log.partition("references")[0]
        assert "Missing character" not in log
        assert re.findall(r"Overfull \\hbox.*\n.*", table) == []


# --- the command -----------------------------------------------------------------------------------------------------


@pytest.fixture
def settings_of(services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command reads what `services` holds."""
    monkeypatch.setenv("PLUMBLINE_DATABASE_URL", f"sqlite:///{tmp_path / 'plumbline.db'}")
    monkeypatch.setenv("PLUMBLINE_DATA_DIR", str(tmp_path))


@pytest.mark.usefixtures("settings_of")
def test_the_command_writes_the_report_of_a_ticket_or_of_a_row(
    score: Submit, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ticket = score(robustness_result(KEEL), system="Keel")
    score(robustness_result(TIDE), system="Tide")
    for named in (ticket, "Keel"):
        folder = tmp_path / "reports" / named
        assert main(["team-report", named, "--against", "Tide", "--out", str(folder)]) == 0
        assert sorted(one.name for one in folder.iterdir()) == [
            *("manifest.json", "references.bib", "report.html", "table.tex")
        ]
        assert "Beside Tide" in (folder / "report.html").read_text(encoding="utf-8")
    assert capsys.readouterr().out.endswith(f"written to {folder}\n")
    assert main(["team-report", "Keel", "--pdf", "--out", str(tmp_path / "paper")]) == 0
    assert (tmp_path / "paper" / "report.pdf").read_bytes().startswith(b"%PDF-")


@pytest.mark.usefixtures("settings_of")
def test_the_command_says_what_it_cannot_find_and_which_rows_a_name_fits(
    score: Submit, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tickets = [score(robustness_result(KEEL), system="Keel", team=team) for team in ("Aurora", "Polaris")]
    for named, said in (("Nobody", "Nobody: no scored submission and no row"), ("Keel", "Keel: 2 rows are called so")):
        with pytest.raises(SystemExit) as ended:
            main(["team-report", named, "--out", str(tmp_path / "never")])
        assert ended.value.code == 2
        errors = capsys.readouterr().err
        assert errors.startswith(said)
    assert all(ticket in errors for ticket in tickets)
    assert not (tmp_path / "never").exists()


def test_figures_without_an_interval_promise_none() -> None:
    with_interval, without = (
        ReportFigure("Score", MetricValue(value=2, low=low, high=3, n=9), None, "") for low in (1, None)
    )
    assert figures_table([with_interval, without], is_compared=False).caption == "Figures with 95 % intervals"
    assert figures_table([without], is_compared=False).caption == "Figures"
