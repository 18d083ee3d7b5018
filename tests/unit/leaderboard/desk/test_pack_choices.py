"""What a team chooses for files that do not say their edition or language."""

from __future__ import annotations

from copy import deepcopy

from leaderboard.desk.pack_choices import ALL_UNTOLD, OpenPack


def asked(*untold: str, is_edition_asked: bool = False) -> OpenPack:
    pack = OpenPack()
    pack.begin(["/tmp/a", "/tmp/b"])
    pack.ask(untold, is_edition_asked)
    return pack


def test_a_language_is_chosen_for_one_file_or_for_all_that_are_asked_for() -> None:
    pack = asked("a.jsonl", "data.jsonl")
    assert pack.file_choices == [("all 2 files", ALL_UNTOLD), ("a.jsonl", "0"), ("data.jsonl", "1")]
    pack.choose("", "1", "fi")
    assert pack.languages == {"data.jsonl": "fi"}
    pack.ask(["a.jsonl"], False)
    assert pack.file_choices == [("a.jsonl", "0")]
    pack.choose("", ALL_UNTOLD, "de")
    assert pack.languages == {"data.jsonl": "fi", "a.jsonl": "de"}


def test_a_name_shows_its_hidden_characters() -> None:
    assert asked("a\u202e.jsonl").file_choices[0][0] == "a[U+202E].jsonl"


def test_what_a_browser_makes_up_changes_nothing() -> None:
    pack = asked("a.jsonl", is_edition_asked=True)
    for edition, file, language in (("2031", "7", "de"), ([], {}, []), (None, "0", "xx"), ("2025; rm", None, "de")):
        pack.choose(edition, file, language)
    assert (pack.edition, pack.languages) == (None, {})


def test_an_edition_is_taken_only_where_it_was_asked_for_and_can_be_taken_back() -> None:
    pack = asked()
    pack.choose("2025", None, None)
    assert pack.edition is None
    pack = asked(is_edition_asked=True)
    pack.choose("2025", None, None)
    assert pack.edition == "2025"
    pack.ask([], False)  # with an edition chosen nothing is a guess
    pack.choose("", None, None)
    assert pack.edition is None


def test_other_files_begin_with_nothing_and_the_same_files_keep_what_was_chosen() -> None:
    pack = asked("a.jsonl", is_edition_asked=True)
    pack.choose("2025", "0", "sv")
    pack.begin(["/tmp/a", "/tmp/b"])
    assert (pack.edition, pack.languages) == ("2025", {"a.jsonl": "sv"})
    pack.begin(["/tmp/c"])
    assert (pack.paths, pack.edition, pack.languages, pack.untold) == (("/tmp/c",), None, {}, ())
    assert not pack.is_edition_asked


def test_the_first_state_of_a_page_is_never_shared() -> None:
    assert deepcopy(asked("a.jsonl")).paths == ()
