"""The copy of a run for reviewers: figures and answers of every kind of file, and no name of anybody."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser

import pytest

from leaderboard.__main__ import main
from leaderboard.page.services import Services
from leaderboard.review.answers import AnswerTable, answer_table, named_in
from leaderboard.review.copy import MOST_ROWS, ReviewCopy, review_copy
from leaderboard.team_report.report import Section
from submissions.schema import Names, VerdictChoices
from submissions.seasons.review import NoReview
from submissions.settings import Settings
from tests.browser.hostile import PAYLOADS
from tests.unit.leaderboard.boards.editions.test_screen import House, question_file
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result
from tests.unit.leaderboard.conftest import Submit
from tests.unit.leaderboard.team_report.test_team_report import PAGE_TAGS

SETTINGS = Settings.from_env({"PLUMBLINE_PSEUDONYM_KEY": "made by chance, in a test only: 0f"})
ITEMS = dict.fromkeys([f"90{number}" for number in range(1, 8)], 3.0)


def copy_of(services: Services, ticket: str) -> ReviewCopy:
    return review_copy(services.store, services.desk, SETTINGS, ticket, "2030-06-01")


def test_the_copy_has_the_figures_and_every_answer_and_no_name(services: Services, score: Submit) -> None:
    ticket = score(robustness_result(ITEMS), team="Quokkas", system="quokka-net", owner="account of quokkas")
    score(robustness_result(dict.fromkeys(ITEMS, 1.0)), team="Rivals", system="rival-net")
    copy = copy_of(services, ticket)
    assert copy.sentence.startswith("Score 3.00 [")
    assert copy.sentence.endswith(", from 7 items.")
    html = copy.html("?form=csv")
    # The answers name their team, which is theirs to mend: everything else is without names.
    assert "Answer 0 of Quokkas to item 901." in html
    bare = html.replace("of Quokkas to item", "").lower()
    assert not any(name in bare for name in ("quokka", "rival", "rank 1", ticket.lower()))
    rows = list(csv.reader(io.StringIO(copy.csv())))
    assert rows[0] == ["Item", "Variant", "Language", "Prompt", "Answer"]
    sent = json.loads(services.store.payload(services.store.require(ticket).file_sha256))
    items = sent["eloquent-robustness-results"]["items"]
    assert [row[4] for row in rows[1:]] == [one["response"] for item in items for one in item["responses"]]
    assert named_in(copy.answers, services.store.require(ticket)) == {"Quokkas": len(rows) - 1}


def test_a_run_sent_again_under_its_names_is_another_copy(services: Services, score: Submit) -> None:
    first = score(robustness_result(ITEMS), system="keel")
    sent = services.store.payload(services.store.require(first).file_sha256).replace(b"Answer 0", b"Another 0")
    receipt = services.desk.submit(sent, "Team.json", owner="local", names=Names(system="keel", model="Model"))
    job = services.store.claim("worker")
    assert job is not None
    services.store.finish(job.id, "worker", robustness_result(dict.fromkeys(ITEMS, 1.0)).model_dump_json())
    assert copy_of(services, first).sentence.startswith("Score 3.00")
    assert "Another 0" not in copy_of(services, first).csv()
    assert copy_of(services, receipt.ticket.id).sentence.startswith("Score 1.00")
    assert "Another 0" in copy_of(services, receipt.ticket.id).csv()


def test_a_run_of_several_files_has_the_answers_of_those_that_count(tmp_path_factory: pytest.TempPathFactory) -> None:
    house = House(tmp_path_factory.mktemp("house"))
    files = {language: question_file("any", language, 3) for language in ("en", "fi")}
    house.submit(files["en"].replace(b"topic", b"mistaken topic"), "en.json")
    for language, data in files.items():
        last = house.submit(data, f"{language}.json")
    copy = review_copy(house.store, house.desk, SETTINGS, last)
    assert {row[2] for row in copy.answers.rows} == {"en", "fi"}
    assert len(copy.answers.rows) == 2 * sum(1 for row in copy.answers.rows if row[2] == "fi")
    assert "mistaken" not in copy.csv()
    house.store.close()


def test_a_run_that_left_the_boards_is_no_longer_reviewed(services: Services, score: Submit) -> None:
    ticket = score(robustness_result(ITEMS))
    services.desk.withdraw(ticket, "local")
    for gone in (ticket, "no such run"):
        with pytest.raises(NoReview, match="was withdrawn, hidden or erased"):
            copy_of(services, gone)


def test_what_is_not_listed_is_said(services: Services, score: Submit, monkeypatch: pytest.MonkeyPatch) -> None:
    ticket = score(robustness_result(ITEMS))
    monkeypatch.setattr("leaderboard.review.copy.MOST_BYTES", 1024)
    copy = copy_of(services, ticket)
    assert copy.answers.rows == []
    assert "Not listed: a file of 0 MiB; pages show answers of up to 0 MiB." in copy.html("")
    assert copy.sentence.startswith("Score 3.00")


def test_texts_of_a_run_stay_texts_and_a_long_one_is_cut_on_the_page_alone() -> None:
    rows = [(number, payload) for number in range(-(-MOST_ROWS // len(PAYLOADS)) + 1) for payload in PAYLOADS]
    copy = ReviewCopy(
        PAYLOADS[0], "2030-06-01", PAYLOADS[1], [Section("Figures")], AnswerTable(("Item", "Answer"), rows)
    )
    tags: set[str] = set()

    class Seen(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            tags.add(tag)

    Seen().feed(html := copy.html('?x="><script>1</script>'))
    assert tags <= PAGE_TAGS
    assert f"{len(rows):,} answers; the first {MOST_ROWS:,} are listed" in html
    cells = [row[1] for row in csv.reader(io.StringIO(copy.csv()))][1:]
    assert len(cells) == len(rows)
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)


def test_judges_of_a_table_of_verdicts_are_called_as_in_its_result(services: Services) -> None:
    rows = "quokka,demo,summary,m,1,original,1,A", "quokka,demo,summary,m,1,swapped,1,B"
    table = "\n".join(("judge,benchmark,task,model,query,order,repetition,verdict", *rows, "")).encode()
    choices = VerdictChoices(options=3, reference_model="r", verdict_format="brackets")
    report = services.desk.check(table, "t.csv", names=Names(team="Quokkas"), choices=choices, keep_rows=True)
    answers = answer_table(report, lambda judge: f"[{judge[::-1]}]")
    assert answers is not None, report.problems
    assert {row[1] for row in answers.rows} == {"[akkouq]"}
    assert [row[-2:] for row in answers.rows] == [("A", "B")]


def test_the_command_prints_the_link_and_warns_of_answers_that_tell(
    services: Services, score: Submit, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ticket = score(robustness_result(ITEMS), team="Quokkas")
    data = services.desk.archive.folder.parent
    monkeypatch.setenv("PLUMBLINE_DATA", str(data))
    monkeypatch.delenv("PLUMBLINE_PSEUDONYM_KEY", raising=False)
    with pytest.raises(SystemExit):
        main(["review-link", ticket])
    assert "PLUMBLINE_PSEUDONYM_KEY is not set" in capsys.readouterr().err
    monkeypatch.setenv("PLUMBLINE_PSEUDONYM_KEY", SETTINGS.pseudonym_key)
    assert main(["review-link", ticket, "--until", "2030-06-01"]) == 0
    said = capsys.readouterr().out
    assert re.match("/review[?]run=[0-9a-f]{16}&until=2030-06-01&seal=", said)
    assert "Attention: answers that say Quokkas: " in said
    for until, fault in (("soon", "expected a day like"), ("2020-01-01", "--until 2020-01-01 is past")):
        with pytest.raises(SystemExit):
            main(["review-link", ticket, "--until", until])
        assert fault in capsys.readouterr().err
