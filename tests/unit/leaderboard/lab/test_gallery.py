"""The gallery on the page: what each line says, and the link that replays it."""

from __future__ import annotations

from urllib.parse import parse_qs

from evaluator.lab.gallery import recorded_gallery
from evaluator.lab.replay import ReplayLibrary
from leaderboard.lab.gallery import SHOWN, following_breakage, gallery_value, wanted_breakage
from leaderboard.lab.replays import ReplayChoice, example_id, replay_view
from leaderboard.page.services import Services
from tests.unit.leaderboard.boards.personalization.made_personalization import large_file, put_into


def test_a_line_names_what_was_lost_and_its_link_replays_exactly_that(services: Services) -> None:
    # Of ten answers the naive method loses the first eight, Pref-Aligner the first three.
    ticket = put_into(services.store, large_file(lost=8, ignored=0, aligner_lost=3, size=10), role="recorded")
    library = ReplayLibrary(services.store, services.desk.prompt_sets)
    gallery = recorded_gallery(library)
    assert gallery is not None
    value = gallery_value(gallery)
    assert "of 10 answers that were right without preferences, 8 are wrong" in value["introduction"]
    assert "Pref-Aligner held 5 of these" in value["introduction"]
    assert (len(value["first"]), len(value["rest"]), value["rest_title"]) == (SHOWN, 8 - SHOWN, "5 more")
    first = value["first"][0]
    assert first["question"] == "Which colour has flag q3?"
    assert first["preference"] == "relevant: I like short answers."
    assert (first["change"], first["aligner"]) == ("A → B", "Pref-Aligner held")
    query = parse_qs(first["href"].removeprefix("?"))
    assert (query["replay_a"], query["replay_b"]) == ([f"{ticket}.naive"], [f"{ticket}.pref_aligner"])
    view = replay_view(library, ReplayChoice(query["replay_a"][0], query["replay_b"][0], query["replay_example"][0]))
    assert view.state is not None
    assert view.state.setup.question.text == first["question"]
    assert (view.state.a.final, view.state.b.final) == ("The answer is B. Style 5.", "The answer is A. Style 5.")
    assert view.notes == ()


def test_the_next_example_goes_through_all_breakages_and_round(services: Services) -> None:
    put_into(services.store, large_file(lost=3, ignored=0, aligner_lost=1, size=4), role="recorded")
    gallery = recorded_gallery(ReplayLibrary(services.store, services.desk.prompt_sets))
    assert gallery is not None
    shown, seen = "", []
    for _ in range(4):
        shown = following_breakage(gallery, shown)
        seen.append(shown)
    assert len(set(seen)) == 3
    assert seen[3] == seen[0]
    second = wanted_breakage(gallery, seen[1])
    assert second is not None
    assert example_id(second.example) == seen[1]
    assert wanted_breakage(gallery, "no/such/example") is None
    assert wanted_breakage(gallery, "") == gallery.breakages[0]
    assert (following_breakage(None, ""), wanted_breakage(None, "")) == ("", None)
