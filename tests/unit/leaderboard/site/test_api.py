"""The public endpoints, called as gradio calls them; tests/service/test_public_api.py asks a running app."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Coroutine
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr
import pytest
from gradio.utils import get_function_description

from evaluator.__main__ import main as evaluate
from evaluator.judge_report.published import read_published
from evaluator.judges.protocol import Judgment
from evaluator.judges.recorded import judgment_to_json
from leaderboard.boards.editions.cache import EditionBoards
from leaderboard.boards.registry import BOARDS
from leaderboard.boards.robustness.screen import RobustnessScreen
from leaderboard.boards.robustness.state import RobustnessState
from leaderboard.page.identity import Identity
from leaderboard.page.registered import BoardTools
from leaderboard.page.services import Services
from leaderboard.page.state import TableState
from leaderboard.site.api import ENDPOINTS, MOST_NAME, PublicApi, uploaded
from leaderboard.site.link_reader import LinkReader
from submissions.__main__ import main
from submissions.desk import Desk
from submissions.store.refusals import Refused
from tests.registered import KINDS
from tests.unit.leaderboard.boards.editions.test_rows import cultural
from tests.unit.leaderboard.boards.personalized_evaluation.made_personalized_evaluation import choices, put_into
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result
from tests.unit.leaderboard.conftest import Submit, in_own_loop
from tests.unit.submissions.formats.eloquent.cultural_files import run_files, zipped
from tests.unit.submissions.seasons.made_seasons import SPRING, made_seasons

REQUEST = gr.Request()
JUDGE_LOGS = Path(__file__).parents[3] / "data" / "judge_logs"
ITEMS = [f"90{number}" for number in range(1, 8)]


def public_api(services: Services) -> PublicApi:
    tools = BoardTools(services)
    links = LinkReader(tools.open(BOARDS))
    return PublicApi(tools, links, tools.shared(RobustnessScreen.of), tools.shared(EditionBoards.of))


@pytest.fixture
def api(services: Services) -> PublicApi:
    return public_api(services)


@pytest.fixture
def upload(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], Any]:
    """Puts a file where gradio keeps uploads, and gives what a client then sends for it."""
    folder = tmp_path / "uploads"
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(folder))

    def put(data: bytes, name: str = "my_team.json") -> Any:
        folder.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
        return {"path": str(folder / name), "meta": {"_type": "gradio.FileData"}}

    return put


def answered(call: Callable[..., Coroutine[Any, Any, str]], *values: Any, **named: Any) -> str:
    """What an endpoint that takes files answers, as gradio awaits it."""
    answer: str = in_own_loop(lambda: call(*values, **named))
    return answer


def refused(call: Callable[[], object]) -> str:
    """The one sentence a call is refused with; its traceback stays out of the log."""
    with pytest.raises(gr.Error) as caught:
        call()
    assert not caught.value.print_exception
    message: str = caught.value.message
    assert "\n" not in message
    return message


# What a tool says of itself


@pytest.mark.parametrize("name", ENDPOINTS)
def test_every_parameter_of_an_endpoint_is_described(api: PublicApi, name: str) -> None:
    # gradio reads one line for each parameter; what goes on in a second line would be lost.
    said, parameters, returns = get_function_description(getattr(api, name))
    parameters.pop("request", None)
    assert said.endswith(".")
    assert len(returns) == 1
    for description in (*parameters.values(), *returns):
        assert description.endswith(".")


def test_the_tool_names_every_board(api: PublicApi) -> None:
    described = get_function_description(api.board)[1]["board"]
    assert re.findall(r"\w+", described.partition(":")[2].replace(" or ", " ")) == list(KINDS)


# check


def test_the_report_is_the_one_the_command_prints(
    api: PublicApi,
    upload: Callable[[bytes], Any],
    demonstration_file: Callable[[str], bytes],
    capsys: pytest.CaptureFixture[str],
) -> None:
    document = json.loads(demonstration_file("Aurora"))
    document["eloquent-robustness-results"]["items"][2]["responses"].pop()
    file = upload(json.dumps(document).encode())
    assert main(["check", file["path"], "--json"]) == 1
    assert answered(api.check, REQUEST, file) == capsys.readouterr().out.rstrip("\n")


def test_checking_stores_nothing(
    api: PublicApi,
    services: Services,
    upload: Callable[[bytes], Any],
    demonstration_file: Callable[[str], bytes],
) -> None:
    assert json.loads(answered(api.check, REQUEST, upload(demonstration_file("Aurora"))))["decision"] != "refused"
    assert services.store.tickets() == []


# judge_report


def test_the_judge_report_is_the_one_the_command_prints(
    api: PublicApi, upload: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    file, labels = (upload((JUDGE_LOGS / name).read_bytes(), name) for name in ("fastchat_pair.jsonl", "table.csv"))
    assert evaluate(["judge-report", file["path"], "--json"]) == 0
    assert answered(api.judge_report, REQUEST, file) == capsys.readouterr().out.rstrip("\n")
    # Labels that cannot be read refuse the report, in the words of the command.
    assert evaluate(["judge-report", file["path"], "--labels", labels["path"], "--json"]) == 1
    assert answered(api.judge_report, REQUEST, file, labels) == capsys.readouterr().out.rstrip("\n")


def test_a_call_says_which_column_of_a_csv_is_which(api: PublicApi, upload: Callable[..., Any]) -> None:
    file = upload((JUDGE_LOGS / "table.csv").read_bytes(), "table.csv")
    columns = "question=prompt_id&first=left&second=right&verdict=winner"
    report = json.loads(answered(api.judge_report, REQUEST, file, columns=columns))
    # Four rows on two questions, each with a column that is no field.
    assert (report["questions"], report["judges"][0]["comparisons"]) == (2, 4)
    assert report["unknown_columns"] == {"comment": 4}


def test_a_judge_report_that_cannot_be_asked_for_is_refused_in_a_sentence(
    api: PublicApi, upload: Callable[..., Any]
) -> None:
    file = upload(b"{}", "log.json")

    def why(*values: Any, **named: Any) -> str:
        return refused(lambda: answered(api.judge_report, REQUEST, *values, **named))

    assert "upload it first" in why(None)
    assert "upload it first" in why(file, "data:text/csv,x")
    assert "log_format is one of auto, fastchat," in why(file, log_format="made up")
    assert "log_format is one of" in why(file, log_format=[])
    assert 'the field "made up"; fields are question,' in why(file, columns="made up=x")
    assert "columns is a text of at most" in why(file, columns=5)


def test_a_program_publishes_the_figures_of_a_judge(
    api: PublicApi, services: Services, upload: Callable[..., Any]
) -> None:
    file = upload((JUDGE_LOGS / "fastchat_pair.jsonl").read_bytes(), "fastchat_pair.jsonl")
    call = partial(answered, api.judge_report, REQUEST, file, publish=True)
    assert refused(call).startswith("Not published: The name of the data set is blank")
    assert services.store.judge_reports() == []
    answer = json.loads(call(data_set="MT-bench", judge_name="gpt-4, pair-v2", languages="en", price="1.50"))
    (kept,) = services.store.judge_reports()
    assert answer.pop("published") == {"id": kept.id, "link": f"?tab=judge_report&report={kept.id}"}
    assert answer == json.loads(answered(api.judge_report, REQUEST, file))
    published = read_published(kept.payload)
    assert published is not None
    assert (published.judge, published.data_set) == ("gpt-4, pair-v2", "MT-bench")
    assert (published.languages, published.price_usd) == (("en",), 1.5)
    assert "m-long" not in kept.payload
    # Sent again, it is the same report.
    again = json.loads(call(data_set="MT-bench", judge_name="gpt-4, pair-v2", languages="en", price="1.50"))
    assert again["published"]["id"] == kept.id


def test_publishing_takes_an_account_one_judge_and_a_log_that_is_read(
    services: Services, upload: Callable[..., Any]
) -> None:
    rows = "".join(f"{n},{judge},x,y,A\n" for n in range(8) for judge in ("j1", "j2"))
    two = upload(f"question,judge,first,second,verdict\n{rows}".encode(), "two.csv")
    call = partial(answered, public_api(services).judge_report, REQUEST, publish=True, data_set="d")
    assert refused(lambda: call(two)) == ('publish is of one judge, and 2 match: name one as judge, of "j1", "j2".')
    assert "and 0 match" in refused(lambda: call(two, judge="j3"))
    assert "problems" in json.loads(call(upload(b"{}", "log.json")))
    assert services.store.judge_reports() == []
    call(two, judge="j2")
    assert [read.judge for one in services.store.judge_reports() if (read := read_published(one.payload))] == ["j2"]
    stranger = public_api(replace(services, identity=Identity(is_public=True, signs_in=True)))
    call = partial(answered, stranger.judge_report, REQUEST, two, judge="j1", data_set="d")
    assert "cannot tell who is calling" in refused(lambda: call(publish=True))
    assert refused(lambda: call(publish="yes")) == "publish is true or false."
    assert len(services.store.judge_reports()) == 1


# uploads


def test_only_uploads_are_read(tmp_path: Path, upload: Callable[[bytes], Any]) -> None:
    file = upload(b"{}")
    assert uploaded(file).read_bytes() == b"{}"
    secret = tmp_path / "secret.json"
    secret.write_text("{}", encoding="utf-8")
    link = Path(file["path"]).with_name("link.json")
    link.symlink_to(secret)
    beside = f"{Path(file['path']).parent}/../secret.json"
    for path in (str(secret), beside, str(link), "/etc/passwd", "", "missing.json", str(Path(file["path"]).parent)):
        assert "was not uploaded to this site" in refused(partial(uploaded, file | {"path": path}))
    no_files: list[Any] = [None, 5, [], "x", {"path": file["path"]}, {"path": 5, "meta": {}}]
    for no_file in no_files:
        assert "upload it first" in refused(partial(uploaded, no_file))


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"team": "x" * (MOST_NAME + 1)}, "team is a text of at most 200 characters."),
        ({"run": ["x"]}, "run is a text of at most 200 characters."),
        ({"edition": "2023"}, "edition is one of auto, 2024, 2025, 2026."),
        ({"options": 4}, "options is 2 (A or B) or 3 (A, B or tie)."),
        ({"verdict_format": "xml"}, "verdict_format is one of brackets, choice."),
        ({"reference_model": None}, "reference_model is a text of at most 200 characters."),
    ],
)
def test_what_is_said_of_a_file_is_bounded(
    api: PublicApi, upload: Callable[[bytes], Any], said: dict[str, Any], words: str
) -> None:
    file = upload(b"{}")
    assert refused(lambda: answered(api.check, REQUEST, file, **said)) == words
    assert refused(lambda: answered(api.submit, REQUEST, file, **said)) == words


# submit and ticket


def test_a_submitted_file_has_a_ticket_and_names_a_field_may_fill(
    api: PublicApi,
    services: Services,
    upload: Callable[[bytes], Any],
    demonstration_file: Callable[[str], bytes],
) -> None:
    file = upload(demonstration_file("Aurora"))
    receipt = json.loads(answered(api.submit, REQUEST, file, team="Ignored", system="Keel", run=" 7 "))
    # The file states its team, and what a file states wins.
    assert receipt["names"] == {"team": "Aurora", "system": "Keel", "model": None, "run": "7"}
    assert (receipt["status"], receipt["position"], receipt["already_known"]) == ("queued", 1, False)
    assert receipt["report"] == json.loads(answered(api.check, REQUEST, file, team="Ignored", system="Keel", run="7"))
    assert list(receipt["report"]["problems_by_code"]) == ["identity_conflict"]
    assert services.store.require(receipt["ticket"]).owner == "local"
    again = json.loads(answered(api.submit, REQUEST, file, system="Keel", run="7"))
    assert (again["ticket"], again["already_known"]) == (receipt["ticket"], True)


def test_a_webhook_comes_with_the_file_and_its_secret_with_the_receipt(
    api: PublicApi, services: Services, upload: Callable[[bytes], Any], demonstration_file: Callable[[str], bytes]
) -> None:
    file, address = upload(demonstration_file("Aurora")), "https://hooks.example.org/T0"
    for wrong, words in (
        ("http://hooks.example.org/T0", "The address of the webhook cannot be used: expected https://NAME/..."),
        (7, "notify is a text of at most 2,000 characters."),
        (address + "x" * 2_000, "notify is a text of at most 2,000 characters."),
    ):
        assert refused(lambda wrong=wrong: answered(api.submit, REQUEST, file, notify=wrong)) == words  # type: ignore[misc]
    receipt = json.loads(answered(api.submit, REQUEST, file, notify=f" {address} "))
    services.store.cancel(receipt["ticket"], "local")
    notice = services.store.take_notice()
    assert notice is not None
    assert (notice.webhook.url, notice.webhook.secret) == (address, receipt["notify_secret"])
    assert address not in api.ticket(receipt["ticket"])
    assert "notify_secret" not in json.loads(api.ticket(receipt["ticket"]))


def test_a_refused_file_is_not_taken(api: PublicApi, services: Services, upload: Callable[[bytes], Any]) -> None:
    words = refused(lambda: answered(api.submit, REQUEST, upload(b"{")))
    assert words.startswith("The file was refused (1 error): my_team.json:1:2: ")
    assert services.store.tickets() == []


def test_terms_are_accepted_with_the_call_that_submits_and_then_no_more(
    services: Services,
    upload: Callable[[bytes], Any],
    demonstration_file: Callable[[str], bytes],
    tmp_path: Path,
) -> None:
    (tmp_path / "seasons").mkdir()
    (tmp_path / "seasons" / "terms.txt").write_text("Be fair.", encoding="utf-8")
    desk = Desk(
        services.store, services.desk.archive, services.desk.prompt_sets, seasons=made_seasons(tmp_path / "seasons")
    )
    api = public_api(replace(services, desk=desk))
    file = upload(demonstration_file("Aurora"))
    assert refused(lambda: answered(api.submit, REQUEST, file)).endswith("or send accept_terms=true with the call.")
    for wrong in ("true", 1, None):
        words = refused(lambda wrong=wrong: answered(api.submit, REQUEST, file, accept_terms=wrong))  # type: ignore[misc]
        assert words == "accept_terms is true or false."
    receipt = json.loads(answered(api.submit, REQUEST, file, accept_terms=True))
    assert receipt["status"] == "queued"
    again = json.loads(answered(api.submit, REQUEST, upload(demonstration_file("Borealis")), run="2"))
    assert again["ticket"] != receipt["ticket"]


def test_what_a_check_refuses_in_a_season_is_counted_by_its_faults(
    services: Services, upload: Callable[[bytes], Any], tmp_path: Path
) -> None:
    always = SPRING.replace("2026-03-01", "2020-01-01").replace("2026-03-31", "2999-12-30")
    seasons = made_seasons(tmp_path / "seasons", always=always.replace("2026-04-10", "2999-12-31"))
    desk = Desk(services.store, services.desk.archive, services.desk.prompt_sets, seasons=seasons)
    api = public_api(replace(services, desk=desk))
    file = upload(b"{")
    for _ in range(2):
        answered(api.check, REQUEST, file)
    refused(lambda: answered(api.submit, REQUEST, file))
    assert services.store.refused("always") == Refused(1, {"json_syntax": 1})


def test_a_caller_chooses_the_run_it_is_ranked_by(api: PublicApi, services: Services, score: Submit) -> None:
    ticket = score(robustness_result(dict.fromkeys(ITEMS, 2.0)))
    said = json.loads(api.choose(REQUEST, ticket))
    assert (said["ticket"], said["is_primary"]) == (ticket, True)
    assert refused(lambda: api.choose(REQUEST, ticket)) == f"submission {ticket} is the primary run already"
    assert not json.loads(api.choose(REQUEST, ticket, undo=True))["is_primary"]
    assert refused(lambda: api.choose(REQUEST, "nosuch")) == "no submission has the ticket 'nosuch'"
    assert refused(lambda: api.choose(REQUEST, ticket, undo="yes")) == "undo is true or false."  # type: ignore[arg-type]
    settings = replace(services.settings, space_id="owner/space")
    on_a_space = replace(services, settings=settings, identity=Identity.of(settings))
    assert "cannot tell who is calling" in refused(lambda: public_api(on_a_space).choose(REQUEST, ticket))
    assert [act.kind for act in services.store.acts()] == ["latest", "primary"]


def test_where_callers_cannot_be_told_apart_nobody_submits(
    services: Services, upload: Callable[[bytes], Any], demonstration_file: Callable[[str], bytes]
) -> None:
    settings = replace(services.settings, space_id="owner/space")
    on_a_space = replace(services, settings=settings, identity=Identity.of(settings))
    file = upload(demonstration_file("Aurora"))
    words = refused(lambda: answered(public_api(on_a_space).submit, REQUEST, file))
    assert "cannot tell who is calling" in words
    assert services.store.tickets() == []
    assert json.loads(answered(public_api(on_a_space).check, REQUEST, file))["decision"] != "refused"
    on_a_space.checks.close()


def test_a_ticket_says_when_it_will_be_over(api: PublicApi, services: Services, score: Submit) -> None:
    ticket = score(robustness_result(dict.fromkeys(ITEMS, 2.0)))
    said = json.loads(api.ticket(ticket))
    assert (said["status"], said["is_over"], said["wait"]) == ("scored", True, None)
    assert said["row_link"] == f"?set=demonstration&system={ticket}"
    assert [line.split(" ", 2)[2] for line in said["log"]][:2] == ["received Team.json", "queued"]
    services.desk.withdraw(ticket, "local")
    said = json.loads(api.ticket(ticket))
    assert (said["status"], said["row_link"]) == ("withdrawn", None)


def test_an_open_ticket_says_why_its_end_is_not_known(
    api: PublicApi, upload: Callable[[bytes], Any], demonstration_file: Callable[[str], bytes]
) -> None:
    receipt = json.loads(answered(api.submit, REQUEST, upload(demonstration_file("Aurora"))))
    said = json.loads(api.ticket(receipt["ticket"]))
    assert said["wait"] == {
        "low_s": None,
        "likely_s": None,
        "high_s": None,
        "reason": "no worker is running",
        "words": "no estimate yet: no worker is running",
    }
    assert not said["is_over"]


def test_an_unknown_ticket_is_said_in_a_sentence(api: PublicApi) -> None:
    assert refused(lambda: api.ticket("a\u202eb")) == 'No submission has the ticket "a\\u202eb".'
    assert refused(lambda: api.ticket({"id": 1})) == "ticket is a text of at most 200 characters."  # type: ignore[arg-type]


# board


def test_a_board_is_the_download_of_the_page_under_the_same_link(api: PublicApi, score: Submit) -> None:
    score(robustness_result(dict.fromkeys(ITEMS, 2.0)), team="Aurora", system="Keel")
    score(robustness_result(dict.fromkeys(ITEMS, 4.0)), team="Nordlicht", system="Tide")
    table = api._links.tables["robustness"]
    state = RobustnessState(
        set="demonstration",
        view="all",
        table=TableState("score", "ascending", search="Keel;Tide", columns=("rank", "system", "score")),
    )
    query = "set=demonstration&view=all&sort=score&direction=ascending&search=Keel%3BTide&columns=rank,system,score"
    assert api.board("robustness", query) == table.json(state)
    assert [row["system"] for row in json.loads(api.board("robustness", "?" + query))["rows"]] == ["Keel", "Tide"]
    files = json.loads(api.board("robustness", "set=demonstration&format=every-eval-ever"))
    scores = [
        json.loads(text)["evaluation_results"][0]["score_details"]["score"]
        for path, text in files.items()
        if path.endswith(".json")
    ]
    assert sorted(scores) == [2.0, 4.0]
    assert refused(lambda: api.board("robustness", "format=xml")) == "format is one of json, every-eval-ever."
    filtered = json.loads(api.board("robustness", "set=demonstration&filter_coverage=100"))
    assert [row["system"] for row in filtered["rows"]] == ["Tide", "Keel"]


@pytest.mark.parametrize("board", KINDS)
def test_every_board_can_be_read_as_at_first(api: PublicApi, board: str) -> None:
    assert json.loads(api.board(board))["board"] == board


def test_the_documentation_names_every_board_that_can_be_read() -> None:
    page = (Path(__file__).parents[4] / "docs" / "api.md").read_text(encoding="utf-8")
    (row,) = [line for line in page.splitlines() if line.startswith("| `board` |")]
    assert [board for board in KINDS if f"`{board}`" not in row] == []


@pytest.mark.parametrize(
    ("board", "query", "words"),
    [
        ("robust", "", f'There is no board "robust"; there are {", ".join(KINDS)}.'),
        ("robustness", "filter_judge=nobody", "The link's filter_judge (nobody) is unknown here."),
        ("robustness", "tab=judges", 'The query is of "judges", not of the board robustness.'),
        ("robustness", "a=1&" * 51, "query has more than 50 parameters."),
        ("robustness", "x" * 2001, "query is a text of at most 2,000 characters."),
        (["robustness"], "", "board is a text of at most 200 characters."),
        ("robustness", {"set": "demonstration"}, "query is a text of at most 2,000 characters."),
    ],
)
def test_what_a_board_does_not_know_is_an_error(api: PublicApi, board: Any, query: Any, words: str) -> None:
    assert refused(lambda: api.board(board, query)) == words


def test_a_query_that_opens_a_run_of_another_board_is_an_error(api: PublicApi, services: Services) -> None:
    ticket = put_into(services.store, choices())
    assert refused(lambda: api.board("personalized_ratings", f"evaluator={ticket}")) == (
        "The query opens a run of the board personalized_pairs, not of personalized_ratings; ask that one for it."
    )
    assert json.loads(api.board("personalized_pairs", f"evaluator={ticket}"))["board"] == "personalized_pairs"


@pytest.mark.parametrize(
    ("query", "begins", "named"),
    [
        ("sot=score", "The link's sot (score) is unknown here; known are ", ("sort", "columns", "set", "filter_judge")),
        ("sort=secret", "The link's sort (secret) is unknown here; known are ", ("score", "system")),
        ("direction=up", "The link's direction (up) is unknown here; known are ", ("ascending", "descending")),
        ("set=eloquent-2026", "The link's set (eloquent-2026) is unknown here; known are ", ("demonstration",)),
        ("columns=salary", "The link's columns (salary) is unknown here; known are ", ("all", "essential", "score")),
    ],
)
def test_where_a_value_is_unknown_the_known_ones_are_listed(
    api: PublicApi, query: str, begins: str, named: tuple[str, ...]
) -> None:
    said = refused(lambda: api.board("robustness", query))
    assert said.startswith(begins)
    assert said.endswith(".")
    assert set(named) <= set(said.removeprefix(begins).removesuffix(".").split(", "))


# item


def test_a_question_of_a_run_of_2026_has_its_answers_and_distances(api: PublicApi, services: Services) -> None:
    receipt = services.desk.submit(zipped(run_files()), "run.zip", owner="local")
    job = services.store.claim("worker")
    assert job is not None
    services.store.finish(job.id, "worker", cultural(follows=True).model_dump_json())
    said = json.loads(api.item(receipt.ticket.id, "3"))
    assert (said["set"], said["item"], said["names"]["team"]) == ("eloquent-2026", "3", "aurora")
    assert sorted(said["languages"]) == ["de", "el", "en", "fi", "sv"]
    assert said["languages"]["sv"] == [
        {"id": "3", "kind": "unspecific", "prompt": "Question 3?", "answer": "a 3"},
        {"id": "3-1", "kind": "specific", "prompt": "Question 3-1?", "answer": "b 3"},
        {"id": "3-2", "kind": "specific", "prompt": "Question 3-2?", "answer": "b 3"},
    ]
    # 5 languages are 10 pairs.
    assert len(said["pairs"]) == 10
    assert refused(lambda: api.item(receipt.ticket.id, "003")).startswith('This run has no question "003"; among them')


def test_an_item_has_its_prompts_answers_and_verdicts(api: PublicApi, services: Services, score: Submit) -> None:
    result = robustness_result({"901": 2.0})
    judged = result.items[0].groups[0].pairs[0].model_copy(update={"key_ab": "k1"})
    english = result.items[0].groups[0].model_copy(update={"pairs": (judged,)})
    item = result.items[0].model_copy(update={"groups": (english, *result.items[0].groups[1:])})
    services.store.save_verdicts({"k1": judgment_to_json(Judgment(rating=2.25, details={"cosine": 0.5}))})
    ticket = score(result.model_copy(update={"items": (item,)}), team="Aurora")
    said = json.loads(api.item(ticket, "901"))
    assert (said["ticket"], said["item"], said["names"]["team"]) == (ticket, "901", "Aurora")
    group = said["groups"][0]
    assert group["language"] == "en"
    assert group["variants"][0]["answer"] == "Answer 0 of Aurora to item 901."
    assert group["variants"][0]["prompt"] == services.sets()["demonstration"].items[0].variants[0].prompt
    # made_results: a pair rated 2.0 has 0.25 more in the first order and 0.25 less in the second.
    assert (group["pairs"][0]["ab"], group["pairs"][0]["ba"], group["pairs"][0]["score"]) == (2.25, 1.75, 2.0)
    assert group["pairs"][0]["verdicts"]["ab"]["details"] == {"cosine": 0.5}
    assert said["groups"][1]["reason"] == "the judge does not read sv"
    assert said["against_reference"] == []


def test_an_item_that_is_not_there_is_said_in_a_sentence(api: PublicApi, services: Services, score: Submit) -> None:
    ticket = score(robustness_result({"901": 2.0, "902": 3.0}))
    assert refused(lambda: api.item(ticket, "1")) == 'This system has no item "1"; among its items are 901, 902.'
    assert refused(lambda: api.item("x", "901")).startswith(
        "No result of the robustness boards stands under the ticket"
    )
    services.desk.withdraw(ticket, "local")
    assert refused(lambda: api.item(ticket, "901")).startswith("No result of the robustness boards stands")
