"""Ranked rows as records of Every Eval Ever: what is in them, what is not, and that its own validator takes them."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema  # type: ignore[import-untyped]
import pytest
from httpx2 import Response
from starlette.applications import Starlette
from starlette.testclient import TestClient

from evaluator.judge_logs.registry import read_log
from leaderboard.__main__ import main
from leaderboard.boards import registry
from leaderboard.eval_results.tasks import tasks
from leaderboard.every_eval_ever.files import record_files, write_records
from leaderboard.every_eval_ever.identity import model_id
from leaderboard.every_eval_ever.items import item_scores
from leaderboard.every_eval_ever.records import StoredRun, result_id, row_files
from leaderboard.page.board_row import ticket_of_row
from leaderboard.page.links import link_of
from leaderboard.page.registered import BoardTools
from leaderboard.page.services import Services
from leaderboard.parts.downloads import figure_record, zipped
from leaderboard.site.link_reader import LinkReader
from leaderboard.site.records_route import records_route
from submissions.check import check_submission
from submissions.promptsets import PromptSets
from submissions.settings import Settings
from tests.browser.hostile import NAMEABLE
from tests.unit.leaderboard.boards.editions.test_screen import House, question_file
from tests.unit.leaderboard.every_eval_ever.filled_boards import RATINGS, empty_services, fill_boards, score_run
from tests.unit.submissions.formats.eloquent.cultural_files import run_files
from tests.unit.submissions.formats.eloquent.cultural_files import zipped as zip_of
from tests.validators import run_validator

SCHEMAS = Path(__file__).parents[3] / "data" / "every_eval_ever"


class Filled(NamedTuple):
    services: Services
    folder: Path
    """Where the records lie."""
    ticket: str


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    """Every other board with ranked rows, and their records."""
    folder = tmp_path_factory.mktemp("filled")
    services = empty_services(folder)
    ticket = fill_boards(services)
    write_records(services, folder)
    yield Filled(services, folder, ticket)
    services.checks.close()
    services.store.close()


@pytest.fixture(scope="module")
def editions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    """The boards of 2025 and 2026 with a run each."""
    house = House(tmp_path_factory.mktemp("editions"))
    for language in ("en", "fi"):
        house.submit(question_file("keel", language, 3), f"{language}.json")
    house.submit(zip_of(run_files()), "aurora.zip")
    yield Services(store=house.store, desk=house.desk, settings=Settings.from_env({}))
    house.store.close()


def records(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted((folder / "data").rglob("*.json"))]


def samples_of(folder: Path, record: dict[str, Any]) -> list[dict[str, Any]]:
    data = (folder / record["detailed_evaluation_results"]["file_path"]).read_bytes()
    return [json.loads(line) for line in data.splitlines()]


def results_of(folder: Path, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The only record of a board's choice, and the result of its headline."""
    (record,) = [one for one in records(folder) if one["evaluation_results"][0]["evaluation_name"].startswith(name)]
    return record, record["evaluation_results"][0]


def is_of_the_schema(folder: Path) -> None:
    """What every file has to be, by the schemas of the package."""
    whole, line = (
        json.loads((SCHEMAS / f"{name}.schema.json").read_bytes()) for name in ("eval", "instance_level_eval")
    )
    for record in records(folder):
        jsonschema.validate(record, whole)
        if "detailed_evaluation_results" in record:
            for sample in samples_of(folder, record):
                jsonschema.validate(sample, line)


def check_round_trip(services: Services, folder: Path) -> int:
    """Compare every figure of every ranked row with what stands in the files; return how many were compared."""
    tools = BoardTools(services)
    tools.open(registry.BOARDS)
    found = {
        (one["source_metadata"]["additional_details"]["link"], result["evaluation_result_id"]): result
        for one in records(folder)
        for result in one["evaluation_results"]
    }
    compared = 0
    for task in tasks(tools):
        for row in task.table.rows(task.state):
            if task.rank(row) is None:
                continue
            for column in task.table.columns:
                figure = figure_record(column, row)
                if figure is None or (column.better is None and column.key != task.headline.key):
                    continue
                assert task.table.opened is not None
                link = link_of(task.table.opened(task.state, row.id))
                known = found[link, f"{task.id}#{column.key}"]["score_details"]
                assert known["score"] == pytest.approx(figure["value"], abs=1e-12, rel=0)
                uncertainty = known.get("uncertainty", {})
                interval = uncertainty.get("confidence_interval", {})
                assert uncertainty.get("num_samples") == figure["n"]
                if figure["low"] is not None and figure["high"] is not None:
                    assert interval["lower"] == pytest.approx(figure["low"], abs=1e-12, rel=0)
                    assert interval["upper"] == pytest.approx(figure["high"], abs=1e-12, rel=0)
                    assert interval["confidence_level"] == 0.95
                else:
                    assert interval == {}
                compared += 1
    return compared


def check_items_round_trip(services: Services, folder: Path) -> int:
    """Compare every score of every item with what our own readers read of the files; return how many were compared."""
    tools = BoardTools(services)
    tools.open(registry.BOARDS)
    compared = 0
    for task in tasks(tools):
        for row in task.table.rows(task.state):
            ticket = ticket_of_row(row)
            result = services.store.result(ticket) if ticket else None
            if task.rank(row) is None or (ticket and result is None):
                continue
            out = {(result_id(task, one.figure), one.item): one.score for one in item_scores(task, row, result)}
            assert task.table.opened is not None
            link = link_of(task.table.opened(task.state, row.id))
            (record,) = [
                one
                for one in records(folder)
                if one["source_metadata"]["additional_details"]["link"] == link
                and one["evaluation_results"][0]["evaluation_name"] == task.id
            ]
            figures = {one["evaluation_result_id"] for one in record["evaluation_results"]}
            out = {key: score for key, score in out.items() if key[0] in figures}
            if "detailed_evaluation_results" not in record:
                continue
            path = folder / record["detailed_evaluation_results"]["file_path"]
            reading = read_log(path.read_bytes(), path.name)
            assert reading.log is not None, reading.findings.problems
            assert not reading.log.unread
            back = {(one.judge, one.question): one.rating for one in reading.log.judgements}
            assert back.keys() == out.keys()
            for key, score in out.items():
                assert back[key] == pytest.approx(score, abs=1e-12, rel=0)
            compared += len(out)
            report = check_submission(path.read_bytes(), path.name, prompt_sets=PromptSets.load(None))
            _, read = report.problems
            assert read.message.startswith(f"read {len(out):,} line")
            assert "not read" not in read.message
    return compared


def test_a_run_of_2024_has_its_score_interval_n_rank_judge_and_items(filled: Filled) -> None:
    record, headline = results_of(filled.folder, "robustness/demonstration/english")
    # The mean of 4, 4, 1, 2, 2, 3, 3 is 19 / 7.
    assert headline["score_details"]["score"] == pytest.approx(19 / 7, abs=1e-12)
    assert headline["score_details"]["uncertainty"]["num_samples"] == 7
    interval = headline["score_details"]["uncertainty"]["confidence_interval"]
    assert interval["method"].startswith("docs/metrics.md#")
    assert "statistics version" in interval["method"]
    assert headline["score_details"]["details"]["rank"] == "1"
    metric = headline["metric_config"]
    assert (metric["metric_id"], metric["lower_is_better"]) == ("plumbline.robustness.score", False)
    assert (metric["score_type"], metric["min_score"], metric["max_score"]) == ("continuous", 0, 5)
    (judge,) = metric["llm_scoring"]["judges"]
    assert judge["model_info"]["name"] == "all-MiniLM-L6-v2"
    assert record["source_metadata"]["additional_details"]["ticket"] == filled.ticket
    assert record["source_metadata"]["additional_details"]["system"] == NAMEABLE[0]
    lines = samples_of(filled.folder, record)
    scores = {
        line["sample_id"]: line["evaluation"]["score"]
        for line in lines
        if line["evaluation_result_id"] == headline["evaluation_result_id"]
    }
    assert scores == RATINGS
    detail = record["detailed_evaluation_results"]
    data = (filled.folder / detail["file_path"]).read_bytes()
    assert (detail["total_rows"], detail["checksum"]) == (len(lines), hashlib.sha256(data).hexdigest())
    assert {line["output"]["raw"] for line in lines if line["output"]["raw"]} == set()  # no answer of a team


def test_items_of_the_other_boards_are_what_their_headlines_count(filled: Filled) -> None:

    def scores(name: str) -> tuple[list[float], dict[str, Any]]:
        record, headline = results_of(filled.folder, name)
        lines = samples_of(filled.folder, record)
        ours = [line for line in lines if line["evaluation_result_id"] == headline["evaluation_result_id"]]
        return [line["evaluation"]["score"] for line in ours], headline

    lost, headline = scores("personalization/")
    # Of 60 answers 6 are wrong (every tenth) and 15 break the preference (every fourth), 3 of them (every twentieth)
    # both: 18 of 60.
    assert (sum(lost), len(lost)) == (18, 60)
    assert headline["score_details"]["score"] == pytest.approx(18 / 60, abs=1e-12)
    assert headline["metric_config"]["lower_is_better"] is True
    consistent, headline = scores("judges/")
    # "BB" names the second place twice: a flip in one of four pairs; each of 80 queries has 30 pairs.
    assert len(consistent) == 80
    assert sum(consistent) == pytest.approx(60)
    assert headline["score_details"]["score"] == pytest.approx(0.75, abs=1e-12)
    chosen, _ = scores("personalized_pairs/")
    assert (sum(chosen), len(chosen)) == (28, 30)  # two of thirty are wrong
    rated, _ = scores("personalized_ratings/")
    assert rated
    same, headline = scores("behavior/")
    assert sum(same) / len(same) == pytest.approx(headline["score_details"]["score"], abs=1e-12)


def test_every_figure_of_every_ranked_row_comes_back(filled: Filled) -> None:
    assert check_round_trip(filled.services, filled.folder) > 40
    is_of_the_schema(filled.folder)


def test_judge_report_and_check_read_back_every_item_of_every_board(
    filled: Filled, editions: Services, tmp_path: Path
) -> None:
    write_records(editions, tmp_path)
    # The items of 2024, of judges and of pairs alone are 7, 80 and 30.
    assert check_items_round_trip(filled.services, filled.folder) > 117
    assert check_items_round_trip(editions, tmp_path) > 0


def test_runs_of_2025_and_2026_come_back(editions: Services, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    write_records(editions, folder)
    check_round_trip(editions, folder)
    is_of_the_schema(folder)


def test_judge_report_reads_the_items_of_a_row(filled: Filled) -> None:
    record, headline = results_of(filled.folder, "robustness/demonstration/english")
    path = filled.folder / record["detailed_evaluation_results"]["file_path"]
    reading = read_log(path.read_bytes(), path.name)
    assert reading.log is not None, reading.findings.problems
    ratings = {
        one.question: one.rating for one in reading.log.judgements if one.judge == headline["evaluation_result_id"]
    }
    assert ratings == RATINGS


def test_what_is_hidden_or_not_ranked_is_left_out(tmp_path: Path) -> None:
    services = empty_services(tmp_path)
    ticket = score_run(services, "Keel")
    assert [ticket in path.read_text(encoding="utf-8") for path in written(services, tmp_path / "before", ticket)]
    services.desk.act("hide", ticket, actor="operator", reason="a copy")
    # Published rows and baselines stand on the boards still.
    assert written(services, tmp_path / "after", ticket) == []
    services.checks.close()
    services.store.close()


@pytest.mark.parametrize(
    ("board", "has_items"), [("robustness", True), ("personalized_pairs", False), ("judges", False)]
)
def test_ids_of_a_file_that_is_not_public_are_left_out(filled: Filled, board: str, *, has_items: bool) -> None:
    # Of 2024 the ids are those of the prompt set; elsewhere a team's file brings them.
    store = filled.services.store
    tools = BoardTools(filled.services)
    tools.open(registry.BOARDS)
    task, row = next(
        (task, row)
        for task in tasks(tools)
        for row in task.table.rows(task.state)
        if task.table.board == board and task.rank(row)
    )
    ticket, result = store.ticket(ticket_of_row(row)), store.result(ticket_of_row(row))
    assert ticket is not None
    assert result is not None
    for is_shown in (True, False):
        files = row_files(task, row, StoredRun(ticket, result, is_shown), ticket.status_at)
        (record,) = [json.loads(data) for path, data in files.items() if path.endswith(".json")]
        assert ("detailed_evaluation_results" in record) == (has_items or is_shown)
        assert record["evaluation_results"]


def written(services: Services, folder: Path, ticket: str) -> list[Path]:
    """The files that name a ticket."""
    paths = [folder / path for path in write_records(services, folder)]
    return [path for path in paths if ticket in path.read_text(encoding="utf-8")]


def test_equal_results_give_equal_bytes_and_a_zip_holds_them(filled: Filled) -> None:
    tools = BoardTools(filled.services)
    tools.open(registry.BOARDS)
    first, second = (record_files(tools, tasks(tools)) for _ in range(2))
    assert first == second
    assert zipped(first) == zipped(second)


@pytest.mark.parametrize(
    "stated",
    ["CON/aux", "data/model", "../../etc", "a/b/c", "", ".", "x" * 300, "\u202eevil", "name.", "Ünïcode/模型", "a\\b"],
)
def test_no_name_leads_out_of_the_folder(stated: str) -> None:
    model = model_id(stated, stated)
    assert model.developer == "unstated"
    assert model.model.isascii()
    assert "/" not in model.model
    assert not model.model.startswith(".")
    assert not model.model.endswith(".")
    assert len(model.model) <= 90


def test_a_repository_of_the_hub_stays_as_it_is() -> None:
    assert model_id("Qwen/Qwen3-8B", "keel").id == "Qwen/Qwen3-8B"
    # Two names that look alike once they are portable stay two models.
    assert model_id("a b", "").id != model_id("a/b/", "").id


def test_the_command_writes_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setenv("PLUMBLINE_DATA", str(tmp_path / "data"))
    assert main(["export", str(tmp_path / "out"), "--format", "every-eval-ever"]) == 0
    assert "files written to" in capsys.readouterr().out


def asked(services: Services, query: str) -> Response:
    """What the address of the page's button answers."""
    tools = BoardTools(services)
    links = LinkReader(tools.open(registry.BOARDS))
    return TestClient(Starlette(routes=[records_route(tools, links)])).get(f"/every-eval-ever.zip{query}")


def test_the_page_gives_the_rows_it_shows_as_a_zip(filled: Filled) -> None:
    answer = asked(filled.services, "?tab=robustness&set=demonstration")
    assert answer.status_code == 200
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        paths = archive.namelist()
        assert {path.rpartition(".")[2] for path in paths} == {"json", "jsonl"}
        for path in paths:
            assert archive.read(path) == (filled.folder / path).read_bytes()
    nobody = asked(filled.services, "?tab=robustness&set=demonstration&search=nobody")
    assert zipfile.ZipFile(io.BytesIO(nobody.content)).namelist() == []


@pytest.mark.parametrize("look", ["", "&columns=all", "&direction=ascending&search=a"])
def test_a_row_has_one_record_however_a_visitor_came_to_see_it(
    filled: Filled, editions: Services, tmp_path: Path, look: str
) -> None:
    write_records(editions, tmp_path)
    for services, folder, boards in (
        (filled.services, filled.folder, ("robustness", "judges", "personalization")),
        (editions, tmp_path, ("consistency", "cultural")),
    ):
        compared = 0
        for board in boards:
            answer = asked(services, f"?tab={board}{look}")  # the set that the page shows at first is not named
            with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
                for path in archive.namelist():
                    assert archive.read(path) == (folder / path).read_bytes()
                    compared += 1
        assert compared or look.endswith("search=a")


@pytest.mark.parametrize("query", ["", "?tab=about", "?tab=boat", "?tab=robustness&set=boat", f"?tab={'a' * 3000}"])
def test_an_address_that_opens_no_board_is_refused_in_a_sentence(filled: Filled, query: str) -> None:
    answer = asked(filled.services, query)
    assert answer.status_code == 400
    assert answer.json()["error"].endswith(".")


def test_the_validator_of_every_eval_ever_takes_every_board(filled: Filled, editions: Services, tmp_path: Path) -> None:
    write_records(editions, tmp_path)
    for folder in (filled.folder, tmp_path):
        said = run_validator("every_eval_ever", "validate", "data/*/*/*/*", folder=folder)
        assert said.returncode == 0, said.stdout
