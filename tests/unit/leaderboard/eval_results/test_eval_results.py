"""Results for a model card: the Hub's own form, the figures of the board, and a reason for everything left out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from huggingface_hub import DatasetCard, EvalResultEntry, parse_eval_result_entries

from leaderboard.__main__ import main
from leaderboard.boards.registry import BOARDS
from leaderboard.eval_results.model_card import FILE, description, entries, yaml_of
from leaderboard.eval_results.results import NoResults, run_results
from leaderboard.eval_results.screen import SOME_DATASET, ModelCardScreen
from leaderboard.eval_results.tasks import EVAL_YAML, NO_FRAMEWORK
from leaderboard.page import benchmarks
from leaderboard.page.benchmarks import Benchmark
from leaderboard.page.registered import BoardTools
from leaderboard.page.services import Services
from leaderboard.results_dataset.writer import write_dataset
from leaderboard.site.export import board_exports
from submissions.settings import Settings
from tests.browser.hostile import NAMEABLE
from tests.unit.leaderboard.boards.editions.test_screen import House, question_file
from tests.unit.leaderboard.boards.position_bias.made_position_bias import judges_result, put_into, verdicts
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result
from tests.unit.leaderboard.conftest import Submit

ITEMS = [f"90{number}" for number in range(1, 8)]
KEEL = dict(zip(ITEMS, [4.0, 4.0, 1.0, 2.0, 2.0, 3.0, 3.0], strict=True))
DATASET = "harbour/plumbline-results"
SITE = "https://plumbline.example.org/"
# https://huggingface.co/docs/hub/eval-results#evalyaml-specification; those of inspect-ai alone are left out.
BENCHMARK_KEYS = {"name", "description", "evaluation_framework", "tasks"}
TASK_KEYS = {"id", "config", "split"}


def opened(services: Services) -> BoardTools:
    tools = BoardTools(services)
    tools.open(BOARDS)
    return tools


def read_back(text: str) -> list[EvalResultEntry]:
    """The file as the Hub's own client reads it."""
    data = yaml.safe_load(text)
    found = parse_eval_result_entries(data)
    assert len(found) == len(data)
    return found


def exported_values(services: Services, system: str) -> dict[str, Any]:
    """Task -> the headline of a ranked row of that name, read from the board's JSON export."""
    return {
        "/".join(export.about.values()): row[export.table.kind.headline]
        for export in board_exports(BoardTools(services))
        for row in json.loads(export.table.json(export.state))["rows"]
        if row.get("system") == system and row["rank"] is not None
    }


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path)
    yield made
    made.store.close()


def test_every_ranked_row_is_an_entry_with_the_value_of_the_boards_export(services: Services, score: Submit) -> None:
    ticket = score(robustness_result(KEEL), team="Aurora", system="Keel")
    results = run_results(opened(services), ticket)
    found = {one.task_id: one for one in read_back(yaml_of(entries(results, DATASET, SITE)))}
    exported = exported_values(services, "Keel")
    # In all languages together the made result is not ranked. The mean of 4, 4, 1, 2, 2, 3, 3 is 19 / 7.
    assert set(found) == set(exported) == {"robustness/demonstration/english"}
    for task, headline in exported.items():
        assert found[task].value == headline["value"] == pytest.approx(19 / 7)
    assert [line.partition(": ")[0] for line in results.unranked] == ["robustness/demonstration/all"]
    first = found["robustness/demonstration/english"]
    assert first.dataset_id == DATASET
    assert first.source_name == "Plumbline"
    assert first.source_url is not None
    assert first.source_url.startswith(SITE)
    assert f"system={ticket}" in first.source_url
    assert first.date == services.store.require(ticket).status_at.isoformat(timespec="seconds")
    assert first.notes is not None
    for said in ("2.71 [", "n = 7 items", "rank 1", "higher is better", "embedding (all-MiniLM-L6-v2", "system Keel"):
        assert said in first.notes
    assert first.verify_token is None


def test_without_the_address_of_the_site_entries_name_no_source(services: Services, score: Submit) -> None:
    results = run_results(opened(services), score(robustness_result(KEEL)))
    assert {(one.source_url, one.source_name) for one in entries(results, DATASET, "")} == {(None, None)}


def test_what_is_not_ranked_gives_no_entry_and_says_why_as_the_board_does(services: Services, score: Submit) -> None:
    ticket = score(robustness_result(KEEL, rankable=False), system="Keel")
    tools = opened(services)
    results = run_results(tools, ticket)
    assert results.ranked == []
    assert [line.partition(": ")[0] for line in results.unranked] == [
        "robustness/demonstration/english",
        "robustness/demonstration/all",
    ]
    assert all(": not ranked: " in line for line in results.unranked)


def test_a_run_in_one_language_is_not_ranked_and_one_in_two_is(house: House) -> None:
    services = Services(store=house.store, desk=house.desk, settings=Settings.from_env({}))
    one = house.submit(question_file("early", "en", 3), "early.json")
    results = run_results(opened(services), one)
    assert results.ranked == []
    assert results.unranked[0].startswith("consistency/2025: not ranked: answers in one language (en)")
    first = house.submit(question_file("keel", "en", 3), "keel_en.json")
    both = house.submit(question_file("keel", "fi", 3), "keel_fi.json")
    (entry,) = read_back(yaml_of(entries(run_results(opened(services), both), DATASET, SITE)))
    # 4 of 6 words are shared, 5 * 4 / 6.
    assert (entry.task_id, entry.value) == ("consistency/2025", pytest.approx(10 / 3))
    with pytest.raises(NoResults, match="a later one stands in its place"):
        run_results(opened(services), first)


def test_a_ticket_that_is_on_no_board_is_told_so(services: Services, score: Submit) -> None:
    with pytest.raises(NoResults, match="no scored submission on the boards has this ticket"):
        run_results(opened(services), "nobody")
    ticket = score(robustness_result(KEEL))
    services.desk.withdraw(ticket, "local")
    with pytest.raises(NoResults, match="no scored submission"):
        run_results(opened(services), ticket)


def test_of_several_judges_in_one_table_the_one_of_the_model_is_named(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = Benchmark("small", "Small", 3, "reference", n_items=40)
    monkeypatch.setattr(benchmarks, "BENCHMARKS", (small, *benchmarks.BENCHMARKS))
    sent = judges_result(verdicts({"steady": "AB", "half": "AB AA"}), benchmark="small")
    (ticket,) = put_into(services.store, [sent])
    tools = opened(services)
    both = run_results(tools, ticket)
    assert both.ranked == []
    # In the order of the board: "steady" never changes its mind.
    assert both.unranked == ["judges/small-3: 2 rows are ranked here; name the one of this model: steady, half"]
    (one,) = run_results(tools, ticket, "half").ranked
    # Every second pair of "half" is AA: it says the first both times, and half of its verdicts survive.
    assert (one.task, one.record["value"], one.record["n"]) == ("judges/small-3", 0.5, 40)
    assert one.judge is None
    assert "self-reported" in one.note
    with pytest.raises(NoResults, match="none of its rows is called nobody"):
        run_results(tools, ticket, "nobody")


def test_the_datasets_eval_yaml_lists_the_tasks_that_entries_name(
    services: Services, score: Submit, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    write_dataset(services, folder)
    assert not (folder / EVAL_YAML).exists()  # nobody is ranked yet
    ticket = score(robustness_result(KEEL))
    write_dataset(services, folder)
    benchmark = yaml.safe_load((folder / EVAL_YAML).read_text(encoding="utf-8"))
    assert set(benchmark) <= BENCHMARK_KEYS
    assert all(set(task) <= TASK_KEYS for task in benchmark["tasks"])
    assert isinstance(benchmark["name"], str)
    assert len(benchmark["description"].splitlines()) == 1
    ids = [task["id"] for task in benchmark["tasks"]]
    assert len(ids) == len(set(ids))
    named = {one.task_id for one in entries(run_results(opened(services), ticket), DATASET, SITE)}
    assert named
    assert named <= set(ids)
    configs = {one["config_name"]: one for one in DatasetCard.load(folder / "README.md").data.to_dict()["configs"]}
    for task in benchmark["tasks"]:
        assert task["split"] in {file["split"] for file in configs[task["config"]]["data_files"]}
    services.desk.withdraw(ticket, "local")
    write_dataset(services, folder)
    assert not (folder / EVAL_YAML).exists()


@pytest.mark.parametrize("name", NAMEABLE)
def test_names_of_a_team_are_texts_in_the_file_and_not_in_the_pull_request(
    services: Services, score: Submit, name: str
) -> None:
    ticket = score(robustness_result(KEEL), team=name, system=name)
    results = run_results(opened(services), ticket)
    found = read_back(yaml_of(entries(results, DATASET, SITE)))
    assert len(found) == len(results.ranked)
    assert all(one.notes is not None and "\n" not in one.notes for one in found)
    assert name not in description(results, SITE)


def test_the_words_of_the_pull_request_say_what_by_whom_how_sure_and_where(services: Services, score: Submit) -> None:
    results = run_results(opened(services), score(robustness_result(KEEL), system="Keel"))
    said = description(results, SITE)
    assert "**2.714**, 95% interval " in said  # 19 / 7 = 2.714
    assert "n = 7 items, rank 1; higher is better" in said
    assert "all-MiniLM-L6-v2, revision 0123456789ab" in said
    for one in results.ranked:
        assert f"({SITE}{one.link})" in said


# --- the command -----------------------------------------------------------------------------------------------------


@pytest.fixture
def command(
    services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    monkeypatch.setenv("PLUMBLINE_DATABASE_URL", f"sqlite:///{tmp_path / 'plumbline.db'}")
    monkeypatch.setenv("PLUMBLINE_DATA_DIR", str(tmp_path))

    def run(*arguments: str) -> tuple[int, str, str]:
        try:
            code = main(["eval-results", *arguments])
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_the_command_prints_the_file_alone_or_writes_it(
    command: Callable[..., tuple[int, str, str]], score: Submit, tmp_path: Path
) -> None:
    ticket = score(robustness_result(KEEL))
    code, out, err = command(ticket, "--dataset", DATASET, "--address", SITE)
    assert code == 0
    assert [one.task_id for one in read_back(out)] == ["robustness/demonstration/english"]
    assert NO_FRAMEWORK in err
    assert "--pull-request" in err
    code, written, _ = command(ticket, "--dataset", DATASET, "--address", SITE, "--out", str(tmp_path / "card"))
    assert (code, written) == (0, "")
    assert (tmp_path / "card" / FILE).read_text(encoding="utf-8") == out


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), '--dataset: found "", expected OWNER/NAME'),
        (("--dataset", "https://hub/a/b"), "expected OWNER/NAME"),
        (("--dataset", DATASET, "--model", "keel"), '--model: found "keel"'),
        (("--dataset", DATASET, "--address", "javascript:1"), "--address: found"),
        (("--dataset", DATASET, "--pull-request"), "name the repository it is for with --model"),
        (("--dataset", DATASET, "--pull-request", "--model", "a/b"), "say with --address"),
    ],
)
def test_wrong_use_is_told_in_one_line(
    command: Callable[..., tuple[int, str, str]], score: Submit, arguments: tuple[str, ...], why: str
) -> None:
    code, out, err = command(score(robustness_result(KEEL)), *arguments)
    assert (code, out) == (2, "")
    assert why in err


def test_nothing_ranked_ends_with_2_after_the_reasons(
    command: Callable[..., tuple[int, str, str]], score: Submit
) -> None:
    code, out, err = command(score(robustness_result(KEEL, rankable=False)), "--dataset", DATASET)
    assert (code, out) == (2, "")
    assert "no entry for robustness/demonstration/english: not ranked: " in err
    assert err.splitlines()[-1] == "nothing is ranked, so there is nothing for a model card"


# --- the page --------------------------------------------------------------------------------------------------------


def test_the_page_of_a_run_shows_the_file_and_the_command_and_no_token(
    services: Services, score: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    ticket = score(robustness_result(KEEL))
    shown = ModelCardScreen.of(opened(services)).value(ticket, SITE)
    assert {one.dataset_id for one in read_back(shown["yaml"])} == {SOME_DATASET}
    assert "Ask the organisers" in shown["lines"][1]
    assert shown["command"].endswith(f"plumbline.yaml {FILE} --create-pr")
    assert "hf_secret" not in json.dumps(shown)
    named = replace(services, settings=Settings.from_env({"PLUMBLINE_RESULTS_DATASET": DATASET}))
    shown = ModelCardScreen.of(opened(named)).value(ticket, SITE)
    assert {one.dataset_id for one in read_back(shown["yaml"])} == {DATASET}
    assert shown["lines"][1].startswith("No entry: robustness/demonstration/all: not ranked: ")


def test_the_page_of_an_unranked_run_says_why_there_is_nothing(services: Services, score: Submit) -> None:
    screen = ModelCardScreen.of(opened(services))
    shown = screen.value(score(robustness_result(KEEL, rankable=False)), SITE)
    assert (shown["yaml"], shown["command"]) == ("", "")
    assert all(line.startswith("No entry: robustness/") for line in shown["lines"])
    assert screen.value("nobody", SITE)["lines"] == ["nobody: no scored submission on the boards has this ticket"]
