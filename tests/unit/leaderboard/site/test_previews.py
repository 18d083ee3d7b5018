"""What a shared link shows: made from the figures that everybody reads, and from nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image

from leaderboard.boards import registry
from leaderboard.page.registered import BoardTools, OpenBoard
from leaderboard.page.services import Services
from leaderboard.site.link_reader import LinkReader
from leaderboard.site.page_register import page_of, pages
from leaderboard.site.preview_picture import SIZE, png
from leaderboard.site.previews import MOST_DESCRIPTION, MOST_TITLE, Picture, PictureLine, Previews, general_preview
from leaderboard.web.page_previews import head_of
from tests.unit.leaderboard.boards.personalized_evaluation import made_personalized_evaluation
from tests.unit.leaderboard.boards.robustness.made_results import robustness_result
from tests.unit.leaderboard.conftest import Submit

HOSTILE = '"><script>alert(1)</script>'
BOARD = {"set": "demonstration"}


@pytest.fixture
def tools(services: Services) -> BoardTools:
    return BoardTools(services)


@pytest.fixture
def boards(tools: BoardTools) -> Mapping[str, OpenBoard]:
    return tools.open(registry.BOARDS)


@pytest.fixture
def previews(tools: BoardTools, boards: Mapping[str, OpenBoard]) -> Previews:
    return Previews(LinkReader(boards), boards, tools.reports)


def test_a_board_names_its_first_row_with_its_figure(previews: Previews, score: Submit) -> None:
    score(robustness_result({"901": 3.0, "902": 3.0}), team="B", system="Tide")
    score(robustness_result({"901": 4.0, "902": 4.0}), team="A", system="Keel")
    told = previews.of("robustness", BOARD)
    # Every pair of an item has its rating, so that the score is the mean of 4.0 and 4.0.
    assert "First of 2 systems by Score: Keel, 4.00." in told.description
    assert told.title == "Robustness - Plumbline"
    assert [line.name.partition(" ")[0] for line in told.picture.lines] == ["Keel", "Tide"]
    assert told.picture.lines[0].at == 0.8  # 4 of 5


def test_a_row_is_named_with_its_figure(previews: Previews, score: Submit) -> None:
    score(robustness_result({"901": 4.0}), team="A", system="Keel")
    id_ = score(robustness_result({"901": 3.0}), team="B", system="Tide")
    told = previews.of("robustness", BOARD | {"system": id_})
    assert told.title.startswith("Tide")
    assert told.title.endswith("- Robustness - Plumbline")
    assert told.description.startswith("Tide keeps 3.00 of 5 points when only the style changes")
    assert f"system={id_}" in told.address
    assert f"system={id_}" in told.picture_address
    assert [line.at for line in told.picture.lines] == [0.6]  # 3 of 5


def test_a_row_says_what_its_page_says_first(previews: Previews, boards: Mapping[str, OpenBoard]) -> None:
    table = boards["judges"].table
    gpt_4 = next(row.id for row in table.all_rows(table.state()) if row.name == "gpt-4-0613")
    # Table 2 of arXiv 2406.07791: consistency .82; its interval in percent is 79 to 84.
    assert previews.of("judges", {"judge": gpt_4}).description.startswith(
        "gpt-4-0613 gives the same verdict in both orders for 82% [79, 84] of pairs; it has no clear preference for a "
        "position. "
    )


def test_an_item_of_a_row_is_named_with_its_figures_and_none_of_its_texts(
    previews: Previews, services: Services, score: Submit
) -> None:
    id_ = score(robustness_result({"901": 4.0, "902": 3.0}), team="B", system="Tide")
    told = previews.of("robustness", BOARD | {"system": id_, "item": "902"})
    assert told.title.startswith("Item 902 · Tide")
    assert told.title.endswith(" - Robustness - Plumbline")
    # Both pairs of the item were rated 3.0.
    assert re.match("Item 902 of Tide.*: Score 3.00, ", told.description)
    assert "item=902" in told.address
    assert "item=902" in told.picture_address
    assert ("Score", "3.00") in [(line.name, line.figure) for line in told.picture.lines]
    # What it asks and what was answered (`made_results`: "Answer 0 of B to item 902.") may be hidden by a season.
    shown = f"{told}"
    assert "Answer 0" not in shown
    item = services.desk.prompt_sets.demonstration.item("902")
    assert item is not None
    assert item.variants
    assert not any((variant.prompt or "Answer") in shown for variant in item.variants)


def test_who_stands_behind_an_example_is_not_called_first(previews: Previews, score: Submit) -> None:
    score(robustness_result({"901": 4.0, "902": 4.0}), team="us", system="Keel", role="example")
    score(robustness_result({"901": 3.0, "902": 3.0}), team="B", system="Tide")
    said = previews.of("robustness", BOARD).description
    assert "First of 2 systems by Score: Keel (demonstration), 4.00." in said


def test_a_chart_is_named_with_who_leads_in_its_picture(previews: Previews, score: Submit) -> None:
    score(robustness_result({"901": 3.0}), team="B", system="Tide")
    score(robustness_result({"901": 4.0}), team="A", system="Keel")
    plain, told = previews.of("robustness", BOARD), previews.of("robustness", BOARD | {"chart": "scores"})
    assert told.title == "Scores with intervals - Robustness - Plumbline"
    assert told.description.startswith("First of 2 systems by Score: Keel, 4.00.")
    assert told.picture.title == "Robustness: Scores with intervals"
    assert told.picture.lines == plain.picture.lines
    assert told.address == f"{plain.address}&chart=scores"
    assert told.picture_address == f"{plain.picture_address}&chart=scores"
    assert previews.of("robustness", BOARD | {"chart": "<b>"}) == plain


def test_a_chart_that_only_the_page_of_a_board_has_is_named_too(previews: Previews, score: Submit) -> None:
    outcomes = previews.of("judges", {"chart": "outcomes"})
    assert outcomes.title == "What became of the pairs - Position bias - Plumbline"
    assert outcomes.address.endswith("chart=outcomes")
    ignored = previews.of("personalization", {"chart": "plane"})
    assert ignored.title == "What is lost, and what is ignored - Personalization - Plumbline"
    turns = previews.of("behavior", {"chart": "confusion"})
    assert turns.title.startswith("What it does in place of the human's strategy - ")
    id_ = score(robustness_result({"901": 4.0}), team="B", system="Tide")
    history = previews.of("robustness", BOARD | {"system": id_, "chart": "history"})
    assert history.title.startswith("The team's runs over time · Tide")
    assert history.address.endswith("&chart=history")


def test_an_item_is_called_what_the_page_calls_it(previews: Previews, services: Services) -> None:
    document = made_personalized_evaluation.ratings(system="Reader")
    id_ = made_personalized_evaluation.put_into(services.store, document)
    told = previews.of("personalized_ratings", {"evaluator": id_, "reading": "0"})
    assert told.title.startswith("Item r0t0 · ")  # its place in the file is 0
    assert "reading=0" in told.address


def test_an_item_that_the_row_does_not_have_leads_to_the_row(previews: Previews, score: Submit) -> None:
    id_ = score(robustness_result({"901": 4.0}), team="B", system="Tide")
    told = previews.of("robustness", BOARD | {"system": id_, "item": "<b>999</b>"})
    assert told.title.startswith("Tide")
    assert "999" not in f"{told.title}{told.description}{told.picture}"


def test_an_item_of_a_withdrawn_row_has_no_preview(previews: Previews, services: Services, score: Submit) -> None:
    score(robustness_result({"901": 4.0}), team="A", system="Keel")
    id_ = score(robustness_result({"901": 3.0}), team="B", system="Secret")
    services.desk.withdraw(id_, owner="local")
    told = previews.of("robustness", BOARD | {"system": id_, "item": "901"})
    assert "Secret" not in f"{told}"
    assert told.title == "Robustness - Plumbline"


def test_how_a_table_is_looked_at_changes_neither_who_is_first_nor_the_picture(
    previews: Previews, score: Submit
) -> None:
    score(robustness_result({"901": 3.0}), team="B", system="Tide")
    score(robustness_result({"901": 4.0}), team="A", system="Keel")
    plain = previews.of("robustness", BOARD)
    sorted_ = previews.of("robustness", BOARD | {"sort": "name", "direction": "descending", "search": "Tide"})
    assert sorted_.description == plain.description
    assert sorted_.picture_address == plain.picture_address
    assert "search=Tide" in sorted_.address


def test_a_row_that_was_withdrawn_or_never_was_has_no_preview(
    previews: Previews, services: Services, score: Submit
) -> None:
    score(robustness_result({"901": 4.0}), team="A", system="Keel")
    id_ = score(robustness_result({"901": 3.0}), team="B", system="Secret")
    services.desk.withdraw(id_, owner="local")
    for system in (id_, "made-up"):
        told = previews.of("robustness", BOARD | {"system": system})
        assert "Secret" not in f"{told}"
        assert told.title == "Robustness - Plumbline"


def test_submitted_names_are_text_in_the_head(previews: Previews, score: Submit) -> None:
    id_ = score(robustness_result({"901": 4.0}), team="A", system=HOSTILE)
    for query in (BOARD, BOARD | {"system": id_}, BOARD | {"search": HOSTILE}):
        head = head_of(previews.of("robustness", query), "https://board.example/").decode()
        assert "<script" not in head
        # Every tag of the head is one of ours.
        assert head.count("<") == head.count(">") == len(head.strip().splitlines()) + 1  # </title>


def test_long_names_are_cut(previews: Previews, score: Submit) -> None:
    id_ = score(robustness_result({"901": 4.0}), team="A", system="many words " * 15)
    told = previews.of("robustness", BOARD | {"system": id_})
    assert len(told.title) <= MOST_TITLE + len(" - Plumbline")
    assert len(told.description) <= MOST_DESCRIPTION


def test_every_page_has_one(previews: Previews) -> None:
    told = [previews.of(tab, {}) for tab in pages()]
    assert len({preview.title for preview in told}) == len(told)
    assert all(preview.description for preview in told)
    for tab, preview in zip(pages(), told, strict=True):
        query = dict(part.split("=") for part in preview.picture_address.partition("?")[2].split("&") if part)
        assert page_of(query) == tab  # the picture is of that page
        assert general_preview(tab).title == preview.title


def test_a_baseline_is_never_first(previews: Previews, score: Submit) -> None:
    score(robustness_result({"901": 5.0}), team="Null", system="Constant answer", role="baseline")
    score(robustness_result({"901": 3.0}), team="A", system="Keel")
    told = previews.of("robustness", BOARD)
    assert "One system by Score: Keel" in told.description
    assert "Constant answer" not in told.description


def test_pictures_have_the_size_that_chats_show_whole() -> None:
    line = PictureLine("Keel", "3.73 [3.13, 4.27]", 0.746, 0.626, 0.854)
    picture = Picture("Robustness", "Score 0-5", (line,))
    for drawn in (
        picture,
        replace(picture, lines=(line,) * 5),
        replace(picture, title="日本\U0001f600\x00" * 50, lines=()),
    ):
        image = Image.open(BytesIO(png(drawn)))
        assert image.size == SIZE
        assert image.format == "PNG"
