from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from evaluator.results import Pin
from leaderboard.boards.robustness.rows import ScoredTicket
from leaderboard.page.registered import Standing
from leaderboard.systems.card import card_value, judge_flag, manifest_text, rebuild_command, runs_of_system
from leaderboard.systems.charts import HISTORY, History
from submissions.schema import Names
from submissions.store.queue import JobStatus
from tests.unit.leaderboard.boards.robustness.made_results import JUDGE, robustness_result, ticket

RESULT = robustness_result({"901": 3.0, "902": 2.0, "903": 2.5, "904": 4.0, "905": 1.0, "906": 2.5})
RUN = ScoredTicket(ticket("now", day=3), RESULT)
EARLIER = replace(
    ticket("before", day=1, status=JobStatus.WITHDRAWN),
    status_at=datetime(2026, 11, 2, tzinfo=UTC),
    reason="withdrawn by its team",
)


def test_runs_of_a_system_are_those_of_its_account_team_and_name_newest_first() -> None:
    mine = [ticket("old", day=1), ticket("new", day=5), ticket("gone", day=3, status=JobStatus.WITHDRAWN)]
    elsewhere = replace(ticket("verdicts", day=2), set_id="verdicts:mtbench")
    others = [ticket("other", system="Other"), ticket("stranger", owner="somebody else")]
    found = runs_of_system([*mine, elsewhere, *others], mine[0])
    assert [one.id for one in found] == ["new", "gone", "verdicts", "old"]


def test_a_run_without_a_name_stands_alone() -> None:
    nameless = [replace(ticket(id_), names=Names()) for id_ in ("one", "two")]
    assert [one.id for one in runs_of_system(nameless, nameless[0])] == ["one"]


def test_the_ledger_keeps_withdrawn_runs_with_their_date_and_no_score() -> None:
    score = RESULT.views["english"].figures["pair_mean_gated"].mean
    card = card_value(RUN, [], [(RUN.ticket, score), (EARLIER, None)], "English", {RUN.ticket.set_id: "Our prompts"})
    assert card["runs_summary"] == "2 attempts, 1 withdrawn; times in UTC"
    assert card["score_label"] == "Score (English)"
    assert card["runs"][0]["system"].startswith("Our prompts")
    assert card["runs"][0]["score"].startswith("2.50 [")  # (3 + 2 + 2.5 + 4 + 1) / 5
    withdrawn = card["runs"][1]
    assert (withdrawn["state"], withdrawn["received"], withdrawn["since"]) == (
        "withdrawn",
        "2026-11-01 00:00",
        "2026-11-02 00:00",
    )
    assert (withdrawn["score"], withdrawn["reason"]) == ("n/a", "withdrawn by its team")
    assert withdrawn["link"] == "queue?ticket=before"


def test_the_card_lists_every_board_it_is_given() -> None:
    standing = Standing("Judges, MT-bench", "gpt", "position consistency 0.80", "1-2", "judges")
    card = card_value(RUN, [standing], [], "English", {})
    assert card["standings"] == [
        {
            "board": "Judges, MT-bench",
            "row": "gpt",
            "headline": "position consistency 0.80",
            "rank": "1-2",
            "link": "judges",
        }
    ]
    assert card["title"] == "System · Team"


def test_the_manifest_holds_what_the_number_rests_on_unrounded() -> None:
    document = json.loads(manifest_text(RUN, "english"))
    mean = RESULT.views["english"].figures["pair_mean_gated"].mean
    assert document["headline"] == {
        "view": "english",
        "figure": "pair_mean_gated",
        "value": 2.5,
        "low": mean.low,
        "high": mean.high,
        "n": 6,
        "unscored": 0,
        "reason": None,
    }
    assert document["judge"] == document["embedding"] == JUDGE.model_dump(mode="json")
    assert document["prompt_set"] == {"set_id": "demonstration", "version": "1", "sha256": "ab" * 32}
    assert document["file"] == {"name": "now.json", "sha256": "cd" * 32}
    assert document["code_version"] == "0.1.0"
    assert document["command"] == "python -m evaluator evaluate FILE --json --judge embedding"
    assert document["figures"]["english"]["pair_mean"]["value"] == 2.5


def test_a_manifest_names_no_team_it_was_not_told() -> None:
    nameless = ScoredTicket(replace(RUN.ticket, names=Names()), RESULT)
    names = json.loads(manifest_text(nameless, "all"))["names"]
    assert names == {"team": None, "system": None, "model": None, "run": None}


@pytest.mark.parametrize(
    ("name", "model", "revision", "flag"),
    [
        ("pair", "pair judge", "ab", "pair"),
        ("embedding", "all-MiniLM-L6-v2", "ab", "embedding"),
        ("transformers", "org/model", "a" * 40, f"transformers:org/model@{'a' * 40}"),
        ("transformers", "model", "a" * 64, "transformers:FOLDER"),  # a folder's weights are pinned by their sha256
        ("http", "org/model", "unknown", "http:URL#org/model"),
    ],
)
def test_the_command_names_the_judge_as_the_flag_does(name: str, model: str, revision: str, flag: str) -> None:
    pin = JUDGE.model_copy(update={"name": name, "model": model, "revision": revision})
    assert isinstance(pin, Pin)
    assert judge_flag(pin) == flag
    assert rebuild_command(pin).endswith(f" --judge {flag}")


def test_a_history_has_a_line_per_system_and_the_table_every_run() -> None:
    later = ScoredTicket(ticket("later", day=5), robustness_result(dict.fromkeys(["901", "902"], 4.0)))
    other = ScoredTicket(ticket("other", day=4, system="<b>Other</b>"), RESULT)
    history = History([RUN, other, later], "english")
    figure, table = HISTORY.values(history, is_dark=True)
    assert [list(trace.y) for trace in figure.data] == [[2.5, 4.0], [2.5]]
    # Two items have no interval: no whisker is drawn, the other's reaches to its end.
    high = RESULT.views["english"].figures["pair_mean_gated"].mean.high
    assert high is not None
    assert list(figure.data[0].error_y.array) == [high - 2.5, 0.0]
    assert [row["cells"][2]["text"].split()[0] for row in table["rows"]] == ["2.50", "2.50", "4.00"]
    assert "<b>Other" not in figure.to_json()


def test_one_run_is_no_history() -> None:
    figure, _ = HISTORY.values(History([RUN], "english"), is_dark=False)
    assert "one run so far" in figure.layout.annotations[0].text
