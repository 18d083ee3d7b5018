from __future__ import annotations

import io

from submissions.formats.excerpts import ExcerptLine, excerpt


def shown(data: bytes, line: int, offset: int) -> list[tuple[int, str]]:
    return [(one.number, one.before + one.marked + one.after) for one in excerpt(io.BytesIO(data), line, offset)]


def faulty(data: bytes, line: int, offset: int) -> ExcerptLine:
    (found,) = [one for one in excerpt(io.BytesIO(data), line, offset) if one.is_faulty]
    return found


SIX = b'{\r\n"a": 1,\r\n"b": [2,\r\n3],\r\n"c": "x"\r\n}'


def test_two_lines_stand_before_and_after_the_faulty_one() -> None:
    # `{`, `"a": 1,` and `"b": [` before the 2: 3 + 9 + 6 bytes, line ends of two bytes included.
    assert shown(SIX, 3, 18) == [(1, "{"), (2, '"a": 1,'), (3, '"b": [2,'), (4, "3],"), (5, '"c": "x"')]
    assert faulty(SIX, 3, 18) == ExcerptLine(3, '"b": [', "2", ",", is_faulty=True)


def test_at_the_ends_of_a_file_there_are_fewer_lines() -> None:
    assert shown(SIX, 1, 0) == [(1, "{"), (2, '"a": 1,'), (3, '"b": [2,')]
    assert shown(SIX, 6, len(SIX) - 1)[-1] == (6, "}")
    assert shown(b"", 1, 0) == [(1, "")]


def test_a_text_is_marked_with_its_quotes_and_brackets_inside() -> None:
    data = b'{"a": "x \\" ]", "b": 1}'
    assert faulty(data, 1, 6).marked == '"x \\" ]"'


def test_of_a_file_in_one_line_the_stretch_around_the_place_is_shown() -> None:
    data = b'{"a": "' + b"x" * 50_000 + b'", "b": 7, "c": "' + b"y" * 50_000 + b'"}'
    place = data.index(b"7")
    found = faulty(data, 1, place)
    assert found.marked == "7"
    assert found.before.startswith("…")
    assert found.before.endswith('", "b": ')
    assert found.after.endswith("…")
    assert len(found.before + found.marked + found.after) < 170
    assert len(shown(data, 1, place)) == 1


def test_a_long_line_beside_the_faulty_one_is_cut() -> None:
    data = b'{"a": 1,\n"b": "' + b"x" * 9_000 + b'"}'
    assert shown(data, 1, 6)[1] == (2, '"b": "' + "x" * 154 + "…")
    far = data.index(b"}")
    assert [number for number, _ in shown(data, 2, far)] == [2]  # the line above begins too far away


def test_characters_cut_at_the_ends_of_the_stretch_do_no_harm() -> None:
    data = ("\N{EURO SIGN}" * 5_000).encode() + b'\n"z"'
    assert shown(data, 2, len(data) - 3)[-1] == (2, '"z"')
