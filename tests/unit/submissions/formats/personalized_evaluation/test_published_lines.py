"""Published lines of PerSE become a file of ours without answers. The lines here are our own, in the published form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from submissions.__main__ import main
from submissions.formats.personalized_evaluation.published_lines import ImportRefused, import_perse
from submissions.schema import Names
from tests.unit.submissions.formats.personalized_evaluation.prediction_files import check

NAMES = Names("aurora", "reader", "org/m", "1")


def review(score: int, movie: str, reader: str = "Jo Reader") -> dict[str, Any]:
    return {
        "reviewer_name": reader,
        "movie_id": movie,
        "movie_title": "The Secret Title",
        "summ_plot": f"A story about {movie}.",
        "clean_review": f"I gave it {score}.",
        "score": score,
    }


def rating_line(index: int = 1, reader: str = "Jo Reader", reviews: int = 3) -> dict[str, Any]:
    examples = [review(3 + number, f"film {number}", reader) for number in range(reviews)]
    return {"examples": examples, "idx": index, "review_index": 0, "prompt": ["not read"]}


def plots(a: str, b: str) -> str:
    return f"[The Start of Plot A]\n{a}\n[The End of Plot A]\n\n[The Start of Plot B]\n{b}\n[The End of Plot B]\n"


def pair_line(choice: str = "Plot B", shown: str = "Plot A", reader: str = "W1", texts: str = "new") -> dict[str, Any]:
    prompt = (
        "Here is an example.\n"
        + plots("Old A.", "Old B.")
        + f'```json\n{{\n  "Choice": "{shown}",\n}}\n```\nNow compare:\n'
        + plots(f"{texts} A.", f"{texts} B.")
        + 'Answer in the form "Choice": <"Plot A" or "Plot B">'
    )
    return {"idx": 5, "review_id": reader, "prompt": [prompt], "completion": f'```json\n{{"Choice": "{choice}",}}\n```'}


def lines(*documents: dict[str, Any]) -> str:
    return "".join(json.dumps(document) + "\n" for document in documents)


def test_the_last_review_is_the_one_to_predict() -> None:
    document = import_perse({"data/PerMPST.k2.sample.jsonl": lines(rating_line())}).document
    assert (document["kind"], document["dataset"], document["k"]) == ("personalized_ratings", "PerMPST", 2)
    assert document["items"] == [
        {
            "id": "1-0",
            "reviewer": "reader-0001",
            "profile": [
                {"text": "A story about film 0.", "review": "I gave it 3.", "score": 3, "item_id": "film 0"},
                {"text": "A story about film 1.", "review": "I gave it 4.", "score": 4, "item_id": "film 1"},
            ],
            "text": "A story about film 2.",
            "gold": 5,
            "item_id": "film 2",
            "score": None,
            "response": None,
            "reference_review": "I gave it 5.",
        }
    ]


def test_neither_names_of_readers_nor_titles_are_taken_over() -> None:
    text = lines(rating_line(1, "Jo Reader"), rating_line(2, "Sam Other"), rating_line(3, "Jo Reader"))
    document = import_perse({"PerMPST.jsonl": text}).document
    assert [item["reviewer"] for item in document["items"]] == ["reader-0001", "reader-0002", "reader-0001"]  # type: ignore[attr-defined]
    written = json.dumps(document)
    for hidden in ("Jo Reader", "Sam Other", "The Secret Title"):
        assert hidden not in written


def test_the_last_two_plots_are_the_ones_to_compare() -> None:
    document = import_perse({"PerDOC.I.sample.jsonl": lines(pair_line())}).document
    assert (document["kind"], document["k"]) == ("personalized_pairs", 1)
    items: Any = document["items"]
    (item,) = items
    assert item["profile"] == [{"text_a": "Old A.", "text_b": "Old B.", "choice": "Plot A"}]
    assert (item["aspect"], item["text_a"], item["text_b"], item["gold"]) == (
        "Interestingness",
        "new A.",
        "new B.",
        "B",
    )
    assert item["choice"] is item["response"] is item["choice_swapped"] is item["response_swapped"] is None


def test_files_of_several_aspects_join_in_one_comparison() -> None:
    document = import_perse({f"PerDOC.{letter}.jsonl": lines(pair_line()) for letter in "IASCE"}).document
    items: Any = document["items"]
    assert len({item["aspect"] for item in items}) == 5
    assert len({(item["reviewer"], item["comparison"]) for item in items}) == 1
    assert check({**document, **named()}).problems == []


def test_the_same_question_with_another_profile_stays_an_item_of_its_own() -> None:
    document = import_perse({"PerDOC.E.jsonl": lines(pair_line(shown="Plot A"), pair_line(shown="Plot B"))}).document
    assert len(document["items"]) == 2  # type: ignore[arg-type]
    assert check({**document, **named()}).problems == []


def test_undecided_lines_are_left_out_and_counted() -> None:
    imported = import_perse({"PerDOC.S.jsonl": lines(pair_line("N/A"), pair_line(shown="N/A"), pair_line())})
    assert imported.n_undecided == 2
    assert len(imported.document["items"]) == 1  # type: ignore[arg-type]


def named() -> dict[str, str]:
    return {"team": "aurora", "system": "reader", "model": "org/m", "run": "1"}


def test_every_line_that_cannot_be_read_is_told() -> None:
    broken = {**rating_line(), "examples": [review(3, "a", "Jo"), review(4, "b", "Sam")]}
    texts = {
        "PerMPST.jsonl": "{\n7\n" + lines({"idx": 1}, broken, {**rating_line(), "examples": []}),
        "PerDOC.jsonl": lines(pair_line()),
        "PerDOC.A.jsonl": lines({**pair_line(), "prompt": [plots("a", "b").replace("Plot B", "Plot C")]}),
    }
    with pytest.raises(ImportRefused) as refused:
        import_perse(texts)
    places = [fault.split(": ")[0] for fault in refused.value.faults]
    assert places == [*(f"PerMPST.jsonl:{line}" for line in range(1, 6)), "PerDOC.jsonl:1", "PerDOC.A.jsonl:1"]


def test_profiles_of_different_lengths_make_no_file() -> None:
    with pytest.raises(ImportRefused, match="the same number k"):
        import_perse({"PerMPST.jsonl": lines(rating_line(1), rating_line(2, reviews=2))})


def test_the_command_writes_a_file_that_is_accepted_but_for_the_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    published, output = tmp_path / "PerMPST.k2.jsonl", tmp_path / "out.json"
    published.write_text(lines(rating_line(1), rating_line(2)), encoding="utf-8")
    assert main(["import-perse", str(published), "--output", str(output)]) == 0
    assert capsys.readouterr().out == f"{output}: personalized_ratings, 2 items, k = 2\n"
    assert check(output.read_bytes(), NAMES).problems == []
    published.write_text("no json\n", encoding="utf-8")
    assert main(["import-perse", str(published), "--output", str(output)]) == 2
    assert ":1: not valid JSON" in capsys.readouterr().err
