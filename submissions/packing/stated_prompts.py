"""The prompt that stands beside an answer: a text, or the last message of the user in a chat."""

from __future__ import annotations

import json
from collections.abc import Mapping

PROMPT_KEYS = (
    "prompt",
    "question",
    "user_prompt",
    "input",
    "query",
    "instruction",
    "prompt_text",
    "question_text",
    "input_text",
    "user_message",
    "user_input",
    "messages",
    "conversation",
    "conversations",
    "chat",
    "request",
    "text",
)
"""In any capitals; the first that holds a prompt counts."""
_AROUND = ("body", "params")
"""Of a request of a batch at OpenAI and at Anthropic."""
_USERS = frozenset({"user", "human"})
_TEXT_PARTS = frozenset({"text", "input_text"})
_DEPTH = 3


def prompt_of(row: Mapping[str, object], answer: object = None) -> str | None:
    """Return the prompt that an object states; None where it states none under a known key.

    Args:
        row: The object.
        answer: What is said to be the answer: a key that holds the same text is no prompt.

    >>> prompt_of({"id": 1, "Prompt": "Why?"}), prompt_of({"text": "Tea.", "answer": "Tea."}, "Tea.")
    ('Why?', None)
    >>> prompt_of({"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}]})
    'Why?'
    """
    return _prompt_of(row, answer, _DEPTH)


def _prompt_of(row: Mapping[str, object], answer: object, depth: int) -> str | None:
    own: dict[str, str] = {}
    for key in row:
        own.setdefault(key.strip().casefold(), key)
    blank = None
    for key in (*PROMPT_KEYS, *(_AROUND if depth < _DEPTH else ())):
        if key not in own:
            continue
        prompt = _text_of(row[own[key]], answer, depth)
        if prompt is not None and (prompt != answer or key != "text"):
            if prompt.strip():
                return prompt
            blank = prompt
    return blank


def _text_of(value: object, answer: object, depth: int) -> str | None:
    """The prompt that a value is: a text, a chat, or an object around one."""
    if isinstance(value, str):
        return _text_of(chat, answer, depth) if (chat := _chat_in(value)) else value
    if isinstance(value, dict) and depth:
        return _prompt_of(value, answer, depth - 1) if "role" not in value else _text_of([value], answer, depth)
    if isinstance(value, list):
        if len(value) == 1 and isinstance(value[0], str):
            return value[0]
        asked = [_said_by_user(message) for message in value if isinstance(message, dict)]
        return next((text for text in reversed(asked) if text is not None), None)
    return None


def _chat_in(text: str) -> list[object] | None:
    """A chat that stands in a text as JSON, as in the cell of a table."""
    if not text.lstrip().startswith("[") or '"role"' not in text:
        return None
    try:
        chat = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return chat if isinstance(chat, list) else None


def _said_by_user(message: Mapping[str, object]) -> str | None:
    """The text of a message of the user; None of any other message."""
    role = message.get("role", message.get("from"))
    if not isinstance(role, str) or role.casefold() not in _USERS:
        return None
    content = message.get("content", message.get("value"))
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [
        part if isinstance(part, str) else part.get("text")
        for part in parts
        if isinstance(part, str) or (isinstance(part, dict) and part.get("type", "text") in _TEXT_PARTS)
    ]
    said = [text for text in texts if isinstance(text, str)]
    return "\n".join(said) if said else None
