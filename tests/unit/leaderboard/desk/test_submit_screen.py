from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

import pytest

from leaderboard.desk.checked_file import held_table
from leaderboard.desk.submit_screen import (
    BLANK,
    Fields,
    ReceiptValue,
    decision_notice,
    missing_names,
    names_of_file,
    problem_counts,
    receipt_value,
    refused,
    shown_names,
    stated_names,
    typed_names,
    verdict_choices,
)
from leaderboard.page.services import Services
from submissions.check import CheckReport
from submissions.problems import Problem, SubmissionError
from submissions.schema import Names, VerdictChoices
from submissions.store.eta import WaitEstimate
from tests.unit.submissions.formats.personalization.answer_files import Row, as_json, good_document, good_rows


def fault(severity: str, code: str = "json_syntax") -> Problem:
    return Problem.model_validate(
        {"code": code, "severity": severity, "path": "$", "message": "found x", "hint": "write y"}
    )


def test_problems_are_counted_in_words() -> None:
    assert problem_counts([fault("error"), fault("error"), fault("note")]) == "2 errors, 1 note"
    assert problem_counts([]) == ""


def test_a_refused_file_is_told_so(services: Services) -> None:
    said = decision_notice(services.desk.check(b"{", "broken.json"))
    assert said["kind"] == "bad"
    assert said["title"].startswith("Refused")
    assert "1 error" in " ".join(said["lines"])


@pytest.mark.parametrize(
    ("data", "name", "title", "link"),
    [
        (
            b'{"evalId": "e", "results": {}}',
            "output.json",
            "This is promptfoo output, no submission.",
            "?tab=judge_report",
        ),
        (
            b'{"custom_id": "7-3", "response": {}, "error": null}\n',
            "batch.jsonl",
            "This is batch results of OpenAI, no submission yet.",
            "",
        ),
    ],
)
def test_a_file_of_another_page_is_named_and_sent_there_before_its_faults(
    services: Services, data: bytes, name: str, title: str, link: str
) -> None:
    said = decision_notice(services.desk.check(data, name))
    assert (said["kind"], said["title"], said["link"]) == ("bad", title, link)
    assert said["lines"][0].startswith("Drop it on ")


def test_an_accepted_file_names_what_it_was_read_as(
    services: Services, demonstration_file: Callable[[str], bytes]
) -> None:
    report = services.desk.check(demonstration_file("Team"), "team.json", names=Names(system="System"))
    said = decision_notice(report)
    assert said["kind"] in ("good", "warning")
    assert "demonstration" in said["lines"][0]


@pytest.mark.parametrize(
    ("items", "title"),
    [
        (19, "Accepted, and enough for a rank: the file can be submitted."),
        (5, "Accepted, but not enough for a rank: add answers, or submit it as it is."),
    ],
)
def test_whether_a_file_is_enough_for_a_rank_stands_first(
    services: Services, demonstration_file: Callable[[str], bytes], items: int, title: str
) -> None:
    document = json.loads(demonstration_file("Team"))
    root = document["eloquent-robustness-results"]
    assert len(root["items"]) == 19  # the whole demonstration set
    root["items"] = root["items"][:items]
    report = services.desk.check(json.dumps(document).encode(), "team.json", names=Names(system="System"))
    assert decision_notice(report)["title"] == title


def test_a_file_that_is_enough_in_one_view_says_in_which(
    services: Services, demonstration_file: Callable[[str], bytes]
) -> None:
    document = json.loads(demonstration_file("Team"))
    demonstration = services.desk.prompt_sets.demonstration
    for item in document["eloquent-robustness-results"]["items"]:
        asked = demonstration.item(item["id"])
        assert asked is not None
        for variant, response in zip(asked.variants, item["responses"], strict=True):
            response["response"] = response["response"] if variant.language == "en" else ""
    report = services.desk.check(json.dumps(document).encode(), "team.json", names=Names(system="System"))
    said = decision_notice(report)
    assert said["title"].startswith("Accepted, enough for a rank in the view english alone: ")


def test_of_a_table_whose_rank_depends_on_more_than_the_file_nothing_is_promised(services: Services) -> None:
    said = decision_notice(services.desk.check(VERDICTS, "verdicts.csv", choices=verdict_choices(2, None, None)))
    assert said["title"].startswith("Accepted")
    assert "rank" not in said["title"]


def test_the_receipt_names_ticket_checksum_and_what_was_normalised(
    services: Services, demonstration_file: Callable[[str], bytes]
) -> None:
    data = b"\xef\xbb\xbf" + demonstration_file("Team")

    def receipt() -> ReceiptValue:
        return receipt_value(services.desk.submit(data, "team.json", owner="local", names=Names(system="System")))

    first, second = receipt(), receipt()
    assert first["title"].startswith("Submitted.")
    assert first["link"].startswith("queue?ticket=")
    facts = {fact["name"]: fact["text"] for fact in first["facts"]}
    assert first["link"].endswith(facts["Ticket"])
    assert facts["SHA-256 of the file"] == hashlib.sha256(data).hexdigest()
    assert facts["Names"] == "Team / System"
    assert first["normalisations"] == ["the file begins with a byte order mark"]
    assert "Expected to be scored in" not in facts
    assert second["title"].startswith("You submitted this file before")
    assert second["link"] == first["link"]


def test_the_receipt_says_about_when_it_will_be_scored(
    services: Services, demonstration_file: Callable[[str], bytes]
) -> None:
    receipt = services.desk.submit(demonstration_file("Team"), "team.json", owner="local")
    told = [
        {fact["name"]: fact["text"] for fact in receipt_value(receipt, wait)["facts"]}["Expected to be scored in"]
        for wait in (WaitEstimate(200.0, 313.0, 400.0), WaitEstimate(None, None, None, "no worker is running"))
    ]
    assert told == ["about 5 min (3 min to 7 min)", "no estimate yet: no worker is running"]


def test_names_the_file_lacks_are_asked_for(services: Services, demonstration_file: Callable[[str], bytes]) -> None:
    report = services.desk.check(demonstration_file("Aurora"), "aurora.json")
    optional = missing_names(report, ("Aurora", "", "m", ""))
    assert optional is not None
    assert (optional["kind"], optional["title"]) == ("plain", "Optional: System, Run.")
    assert missing_names(report, ("Aurora", "s", "m", "r")) is None
    needed = missing_names(report, BLANK)
    assert needed is not None
    assert (needed["kind"], needed["title"]) == ("warning", "Please fill in: Team.")
    assert missing_names(services.desk.check(b"{", "broken.json"), BLANK) is None  # nobody knows what it is


def test_a_typed_name_survives_a_check(services: Services, demonstration_file: Callable[[str], bytes]) -> None:
    fields: Fields = ("", "My System", "", "")
    from_file = BLANK
    for _ in range(2):  # check, then submit
        typed = typed_names(fields, from_file)
        report = services.desk.check(demonstration_file("Aurora"), "aurora.json", names=stated_names(typed))
        assert report.submission is not None
        assert report.submission.names == Names(team="Aurora", system="My System")
        from_file = names_of_file(report.names, typed)
        fields = shown_names(typed, from_file)
    assert (fields, from_file) == (("Aurora", "My System", "", ""), ("Aurora", "", "", ""))


def test_names_of_a_refused_file_are_filled_in_too(
    services: Services, demonstration_file: Callable[[str], bytes]
) -> None:
    data = demonstration_file("Aurora").replace(b'"901"', b'"X1"')
    report = services.desk.check(data, "aurora.json", names=stated_names(("", "Typed", "", "")))
    assert report.decision == "refused"
    assert names_of_file(report.names, ("", "Typed", "", "")) == ("Aurora", "", "", "")
    rows = [{**row, "gold": "Z"} for row in good_rows()]
    assert names_of_file(personalized(services, rows).names, BLANK) == (
        "aurora",
        "aurora-chat",
        "org/aurora-7b",
        "greedy",
    )


def test_names_of_one_file_do_not_stick_to_the_next() -> None:
    assert typed_names(("Aurora", "My System", "", ""), ("Aurora", "", "", "")) == ("", "My System", "", "")
    assert names_of_file(Names(), BLANK) == BLANK


VERDICTS = b"judge,benchmark,task,model,query,order,verdict\n" + b"".join(
    f"gpt,own,t,m,{query},{order},{verdict}\n".encode()
    for query in range(3)
    for order, verdict in (("original", "A"), ("swapped", "B"))
)


def test_a_verdict_table_is_told_what_it_holds(services: Services) -> None:
    said = decision_notice(services.desk.check(VERDICTS, "verdicts.csv", choices=verdict_choices(2, " human ", None)))
    assert said["lines"][0].startswith(
        "Read as verdicts of 1 judges on own: 3 pairs in both orders, 0 unpaired, A or B"
    )


def test_what_a_verdict_table_holds_stands_by_judge(services: Services) -> None:
    # A fourth query in one order only, and a fifth without a usable verdict: 5 items, 4 pairs, 3 of them scored.
    more = b"gpt,own,t,m,8,original,A\ngpt,own,t,m,9,original,N\ngpt,own,t,m,9,swapped,A\n"
    table = held_table(services.desk.check(VERDICTS + more, "verdicts.csv", choices=verdict_choices(2, None, None)))
    assert table is not None
    assert [[cell["text"] for cell in row["cells"]] for row in table["rows"]] == [["gpt", "own", "1", "4/5", "3"]]
    assert table["rows"][0]["style"] == "incomplete-row"


def test_a_table_without_a_team_is_refused_only_when_it_is_submitted(services: Services) -> None:
    choices = verdict_choices(2, None, None)
    report = services.desk.check(VERDICTS, "verdicts.csv", choices=choices)
    assert report.decision != "refused"
    with pytest.raises(SubmissionError) as refusal:
        services.desk.submit(VERDICTS, "verdicts.csv", owner="local", choices=choices)
    told = refused(report, refusal.value.problems)
    assert decision_notice(told)["kind"] == "bad"
    assert any("team" in problem.message for problem in told.problems)


def test_the_form_says_how_a_table_is_read() -> None:
    assert verdict_choices(2, " human ", "choice") == VerdictChoices(2, "human", "choice")
    assert verdict_choices(7, "  ", "<b>") == VerdictChoices(None, None, None)
    assert verdict_choices(None, None, None) == VerdictChoices(None, None, None)  # the form was never opened


def personalized(services: Services, rows: list[Row]) -> CheckReport:
    return services.desk.check(as_json(good_document(rows)), "answers.json")


def test_personalized_answers_are_told_what_they_hold(services: Services) -> None:
    report = personalized(services, good_rows())
    said = decision_notice(report)
    assert said["kind"] == "good"
    # Five rows: three with preferences, one control, one further control run.
    assert said["lines"][0].startswith(
        "Read as personalized answers on own: 1 examples, 3 answers with preferences, 1 control rows, 1 of further "
    )
    assert names_of_file(report.names, BLANK) == ("aurora", "aurora-chat", "org/aurora-7b", "greedy")


def test_the_groups_of_personalized_answers_say_what_is_scored(services: Services) -> None:
    table = held_table(personalized(services, good_rows()))
    assert table is not None
    assert [[cell["text"] for cell in row["cells"]] for row in table["rows"]] == [
        ["own", "none", "no_preference", "1", "1", "1", "control: what was right without preferences"],
        ["own", "none", "no_preference, run again", "1", "1", "1", "noise floor: what breaks without any preference"],
        ["own", "relevant", "naive", "1", "1", "1", "breakage, variation, preference followed, robustness, unchanged"],
        ["own", "irrelevant", "naive", "1", "1", "1", "breakage, variation, unchanged"],
        [
            "own",
            "mixed",
            "pref_aligner",
            "1",
            "1",
            "1",
            "breakage, variation, preference followed, robustness, unchanged, fallback",
        ],
    ]


def test_a_group_without_gold_stands_out_and_is_not_scored(services: Services) -> None:
    table = held_table(personalized(services, [{**row, "gold": None} for row in good_rows()[:1]]))
    assert table is not None
    assert table["rows"][0]["style"] == "incomplete-row"
    assert table["rows"][0]["cells"][-1]["text"].startswith("nothing:")


def test_a_refused_file_of_personalized_answers_still_shows_its_groups(services: Services) -> None:
    report = personalized(services, [{**row, "finish_reason": "eos"} for row in good_rows()])
    assert decision_notice(report)["kind"] == "bad"
    table = held_table(report)
    assert table is not None
    assert len(table["rows"]) == 5
