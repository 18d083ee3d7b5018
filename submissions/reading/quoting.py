"""Text from uploads as it is shown inside messages: short, on one line, nothing invisible."""

from __future__ import annotations

QUOTED_CHARACTERS = 80
"""Values in messages are cut here."""


def printable(text: str, limit: int = QUOTED_CHARACTERS) -> str:
    r"""The text with control, bidi, zero-width and lone surrogate characters written as escapes, and cut.

    >>> printable("a\u202eb\n")
    'a\\u202eb\\u000a'
    """
    shown = text[:limit]
    if not shown.isprintable():
        shown = "".join(character if character.isprintable() else _escape(character) for character in shown)
    return shown + "…" if len(text) > limit else shown


def quoted(text: str, limit: int = QUOTED_CHARACTERS) -> str:
    """The text as `printable` gives it, between double quotes."""
    return f'"{printable(text, limit)}"'


def described(value: object) -> str:
    """What a JSON value is, in the words of JSON, with a short look at it."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return f"the text {quoted(value)}" if value.strip() else "an empty text"
        case int() | float():
            return f"the number {printable(str(value))}"
        case list():
            return f"a list of {len(value)} values" if value else "an empty list"
        case dict():
            return f"an object with {_keys(value)}" if value else "an empty object"
    return "something unreadable"


def keys_shown(keys: list[str], limit: int = 8) -> str:
    """The first keys of an object, quoted, and how many more there are."""
    shown = ", ".join(quoted(key, 40) for key in keys[:limit])
    return shown + (f" and {len(keys) - limit} more" if len(keys) > limit else "")


def _keys(value: dict[str, object]) -> str:
    return ("the key " if len(value) == 1 else "the keys ") + keys_shown(list(value))


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
