"""The fingerprint of answers: the same under other names, and another one when a single answer differs."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from submissions.check import check_submission
from submissions.formats.eloquent.result import FEWEST_ANSWERS, AnswersDigest
from submissions.promptsets import PromptSets, example_submissions, examples_of_2025
from submissions.schema import Names, Response
from tests.unit.submissions.formats.eloquent.cultural_files import METADATA, metadata, run_files, zipped

PROMPT_SETS = PromptSets.load(None)


def fingerprint(data: bytes, name: str) -> str | None:
    report = check_submission(
        data, name, names=Names(team="a team"), prompt_sets=PROMPT_SETS, keep_rows=False
    ).without_rows()
    assert report.decision != "refused"
    assert report.reading is not None
    return report.reading.answers_sha256


def of_2024(team: str, first: str | None = None) -> bytes:
    document = json.loads(dict(example_submissions())["tide.json"])
    root = document["eloquent-robustness-results"]
    root |= {"source": team, "system": f"{team} system", "run": f"of {team}"}
    if first is not None:
        root["items"][0]["responses"][0]["response"] = first
    return json.dumps(document, indent=len(team)).encode()


def of_2025(team: str, first: str | None = None) -> bytes:
    document = json.loads(next(iter(examples_of_2025()))[1])
    document |= {"team": team, "system": f"{team} system", "submissionid": f"of {team}", "notes": team}
    if first is not None:
        document["questions"][0]["turns"][0]["answer"] = first
    return json.dumps(document).encode()


def of_2026(team: str, first: str | None = None) -> bytes:
    files = run_files() | {METADATA: json.dumps(metadata(team=team, submissionid=f"of {team}"))}
    if first is not None:
        files["en_unspecific.jsonl"] = str(files["en_unspecific.jsonl"]).replace("a 1", first, 1)
    return zipped(dict(sorted(files.items(), reverse=len(team) % 2 == 0)))


@pytest.mark.parametrize(
    ("made", "name"), [(of_2024, "a.json"), (of_2025, "a.json"), (of_2026, "a.zip")], ids=["2024", "2025", "2026"]
)
def test_the_same_answers_under_other_names_have_one_fingerprint(made: Callable[..., bytes], name: str) -> None:
    ours = fingerprint(made("aurora"), name)
    assert ours is not None
    assert len(ours) == 64
    assert made("aurora") != made("boreal")
    assert fingerprint(made("boreal"), name) == ours
    assert fingerprint(made("aurora", "Something else is said here."), name) != ours


def answer(number: int, text: str) -> Response:
    return Response(str(number), str(number), "variant", 1, "en", None, (("", text),), text)


def digest(*responses: Response) -> str | None:
    taken = AnswersDigest()
    for response in responses:
        taken.add(response)
    return taken.value()


def test_order_and_white_space_do_not_count_but_places_do() -> None:
    said = [answer(number, f"It is {number}.") for number in range(FEWEST_ANSWERS)]
    spaced = [answer(number, f" It  is\n{number}. ") for number in range(FEWEST_ANSWERS)]
    moved = [answer(number, f"It is {(number + 1) % FEWEST_ANSWERS}.") for number in range(FEWEST_ANSWERS)]
    assert digest(*said) == digest(*reversed(spaced))
    assert digest(*said) != digest(*moved)


def test_fewer_than_ten_answers_may_be_the_same_by_chance_and_blank_ones_are_none() -> None:
    assert FEWEST_ANSWERS == 10
    few = [answer(number, "Yes") for number in range(9)]
    assert digest(*few) is None
    assert digest(*few, answer(9, " ")) is None
    assert digest(*few, answer(9, "Yes")) is not None
