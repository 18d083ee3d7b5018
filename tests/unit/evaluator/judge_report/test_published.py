"""What of a report is published: figures under stated names, and nothing that names a system or says a text."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluator.__main__ import main
from evaluator.judge_report.of_files import LogFile, report_of_files
from evaluator.judge_report.published import (
    JudgeFigures,
    Unpublishable,
    judge_figures,
    published_figures,
    read_published,
)
from evaluator.judge_report.report import LogReport
from evaluator.judge_report.text import published_html
from submissions.archive.record import Archive
from submissions.archive.restoring import restore
from submissions.store.store import Store

DATA = Path(__file__).parents[3] / "data" / "judge_logs"


def log_of(questions: int) -> LogFile:
    """One judge, two systems with names that nobody knows, every question in both orders; the judge says what is so."""
    rows = [
        line
        for number in range(questions)
        for line in (f"q{number},secret-one,secret-two,A,0.2", f"q{number},secret-two,secret-one,B,0.8")
    ]
    return LogFile("secret-file.csv", "\n".join(["question,first,second,verdict,probability", *rows]).encode())


def labels_of(questions: int) -> LogFile:
    """The judge is right on every second question."""
    rows = [f"q{n},secret-one,secret-two,{'A' if n % 2 == 0 else 'B'}" for n in range(questions)]
    return LogFile("labels.csv", "\n".join(["question,first,second,verdict", *rows]).encode())


@pytest.fixture
def report() -> LogReport:
    """With corrected scores: 60 questions have a label, 20 have none."""
    outcome = report_of_files(log_of(80), labels_of(60)).outcome
    assert isinstance(outcome, LogReport)
    assert any("secret-one" in figure.title for figure in outcome.judges[0].figures)
    return outcome


@pytest.fixture
def figures(report: LogReport) -> JudgeFigures:
    return judge_figures(report, report.judges[0])


def test_what_is_published_names_no_system_and_no_file(figures: JudgeFigures) -> None:
    published = published_figures(figures, judge="gpt-4o", data_set="ours")
    assert "secret" not in published.model_dump_json()
    assert "secret" not in published_html(published, "stated")
    # 60 of 80 questions are labelled, in both orders: 120 verdicts, and those of every second question are right.
    accuracy = published.figure("label_accuracy")
    assert accuracy is not None
    assert (accuracy.value, accuracy.n) == (0.5, 120)
    assert (published.questions, published.systems, published.comparisons, published.ratings) == (80, 2, 160, 0)


def test_a_point_of_the_calibration_curve_says_what_was_stated(figures: JudgeFigures) -> None:
    points = [figure for figure in figures.figures if figure.key.startswith("label_calibration_")]
    # 0.2 was stated of one order of every question and 0.8 of the other; the second answer was better in half of each.
    assert [point.stated for point in points] == pytest.approx([0.2, 0.8])
    assert [(point.value, point.n) for point in points] == [(0.5, 60), (0.5, 60)]
    assert all(figure.stated is None for figure in figures.figures if figure not in points)


def test_what_was_published_is_read_as_it_was(figures: JudgeFigures) -> None:
    published = published_figures(figures, judge=" gpt-4o\n mini ", data_set="ours", languages="en, pt-BR", price=" 2 ")
    assert (published.judge, published.languages, published.price_usd) == ("gpt-4o mini", ("en", "pt-BR"), 2.0)
    assert read_published(published.model_dump_json()) == published


@pytest.mark.parametrize("payload", ["", "[]", "{}", '{"version": 2}', '{"version": 1, "judge": ""}'])
def test_what_another_version_wrote_is_not_read(payload: str) -> None:
    assert read_published(payload) is None


def test_everything_that_is_wrong_is_said_at_once(figures: JudgeFigures) -> None:
    with pytest.raises(Unpublishable) as refused:
        published_figures(figures, judge=" ", data_set="x" * 101, languages="en,english!", price="-1")
    assert [problem.split(":")[0] for problem in refused.value.problems] == [
        "The name of the judge is blank",
        "The name of the data set has 101 characters; at most 100 are shown.",
        "'english!' is no code of a language",
        'The price of 1,000 verdicts is "-1"; expected US dollars as 1.50, from 0 to 1,000,000.',
    ]
    with pytest.raises(Unpublishable, match="21 languages are stated; at most 20"):
        published_figures(figures, judge="j", data_set="d", languages=",".join(["en"] * 21))
    for price in ("nan", "inf", "1000000.5", "1,50", "free"):
        with pytest.raises(Unpublishable, match="expected US dollars"):
            published_figures(figures, judge="j", data_set="d", price=price)


def test_a_price_that_is_not_stated_is_not_free(figures: JudgeFigures) -> None:
    prices = [published_figures(figures, judge="j", data_set="d", price=price).price_usd for price in ("", " ", "0")]
    assert prices == [None, None, 0.0]


def test_names_that_no_database_takes_are_mended(figures: JudgeFigures) -> None:
    published = published_figures(figures, judge="a\ud800b", data_set="c\x00d")
    assert (published.judge, published.data_set) == ("a\ufffdb", "c\ufffdd")


def test_texts_of_the_publisher_are_quoted_on_the_printed_page(figures: JudgeFigures) -> None:
    published = published_figures(figures, judge="<script>x</script>", data_set="&amp;")
    page = published_html(published, "<b>by</b>")
    assert "<script" not in page
    assert "<b>by" not in page
    assert "&amp;amp;" in page


# --- the command -----------------------------------------------------------------------------------------------------


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path))
    monkeypatch.delenv("PLUMBLINE_DATABASE_URL", raising=False)
    return tmp_path


def stored(data: Path) -> Store:
    return Store.open(f"sqlite:///{data / 'plumbline.db'}")


def test_the_command_publishes_and_the_archive_brings_it_back(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = str(DATA / "fastchat_pair.jsonl")
    assert main(["judge-report", log, "--publish", "--data-set", "MT-bench", "--price", "1.5"]) == 0
    store = stored(data)
    (report,) = store.judge_reports()
    assert f"judge_report?report={report.id}" in capsys.readouterr().err
    published = read_published(report.payload)
    assert published is not None
    assert (published.judge, published.data_set, published.price_usd) == ("gpt-4 pair-v2", "MT-bench", 1.5)
    fresh = Store.open(f"sqlite:///{data / 'fresh.db'}")
    assert restore(Archive(data / "archive"), fresh).is_complete
    assert fresh.judge_reports() == [report]
    fresh.close()
    store.close()


def test_without_a_data_set_nothing_is_published(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["judge-report", str(DATA / "fastchat_pair.jsonl"), "--publish"])
    assert "The name of the data set is blank" in capsys.readouterr().err
    store = stored(data)
    assert store.judge_reports() == []
    store.close()


def test_of_a_log_of_several_judges_one_has_to_be_named(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "two.csv"
    log.write_text("judge,question,first,second,verdict\nj1,q,a,b,A\nj2,q,a,b,B\n")
    with pytest.raises(SystemExit):
        main(["judge-report", str(log), "--publish", "--data-set", "d"])
    assert "name one with --judge, of 'j1', 'j2'" in capsys.readouterr().err
    assert (
        main(["judge-report", str(log), "--publish", "--data-set", "d", "--judge", "j2", "--judge-name", "mine"]) == 0
    )
    store = stored(data)
    (report,) = store.judge_reports()
    found = read_published(report.payload)
    assert found is not None
    assert found.judge == "mine"
    store.close()
