"""Results of a batch at OpenAI or Anthropic, as answers: what stands under one `custom_id`, and why an answer is none.

Sources of the fields: openai 3.57 (`types/chat/chat_completion.py`, `types/responses/response.py`,
`types/completion.py`; the lines of an output file are described in the guide to the Batch API) and anthropic 2.14
(`types/messages/message_batch_individual_response.py`). Servers that speak OpenAI's protocol write the same lines
(`vllm run-batch`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from submissions.packing.naming import language_word, name_parts
from submissions.packing.stated_prompts import prompt_of
from submissions.reading.quoting import described, quoted

_DIGITS = "0123456789"
_NO_NAMES = frozenset(
    {"request", "requests", "req", "task", "item", "prompt", "id", "q", "question", "custom", "batch", "row", "line"}
)
"""Words that a custom_id may begin with and that say nothing."""
_CUT_OFF = frozenset({"length", "max_tokens", "max_output_tokens", "model_context_window_exceeded"})
_STOPPED = frozenset({"content_filter", "refusal"})
_NAME_CHARACTERS = 200
_ANSWERED = frozenset({"response", "result", "error"})


def is_batch_result(row: Mapping[str, object]) -> bool:
    """Whether an object is one line of the results of a batch.

    >>> is_batch_result({"custom_id": "7-3", "response": {}}), is_batch_result({"id": "7-3", "response": "text"})
    (True, False)
    """
    if not isinstance(row.get("custom_id"), str):
        return False
    return isinstance(row.get("result"), dict) or isinstance(row.get("response"), dict) or _has_error(row)


def _has_error(row: Mapping[str, object]) -> bool:
    return "error" in row and row.get("response", "") is None


@dataclass(slots=True)
class BatchResults:
    """The lines of one file as rows of answers, and what is to be said of those that have none."""

    n_failed: int = 0
    first_failed: str = ""
    n_cut_off: int = 0
    n_stopped: int = 0
    n_refused: int = 0
    faults: list[str] = field(default_factory=list)

    def row(self, line: Mapping[str, object], place: str) -> dict[str, object] | None:
        """Return a line as a row with id, answer, model and language; None where it has no answer.

        >>> body = {"model": "m", "choices": [{"message": {"content": "Tea."}, "finish_reason": "stop"}]}
        >>> BatchResults().row({"custom_id": "de_7-3", "response": {"status_code": 200, "body": body}}, "1")
        {'id': '7-3', 'answer': 'Tea.', 'language': 'de', 'model': 'm'}
        """
        custom_id = str(line["custom_id"])
        named = self._id_of(custom_id, place)
        if named is None:
            return None
        answer, model, why = self._answer(line, place)
        if answer is None:
            self.n_failed += 1
            self.first_failed = self.first_failed or f"{quoted(custom_id)} at {place}: {why}"
            return None
        # A service writes no prompt into its results; a team may have put the request beside them.
        prompt = prompt_of({key: value for key, value in line.items() if key not in _ANSWERED})
        row: dict[str, object] = {"id": named[0], "answer": answer}
        more = (("language", named[1]), ("model", model), ("prompt", prompt))
        return row | {key: value for key, value in more if value}

    def remarks(self) -> Iterator[str]:
        """What is to be said of the file."""
        if self.n_failed:
            yield f"{self.n_failed:,} requests have no answer, first {self.first_failed}: not answered"
        if self.n_cut_off:
            yield f"{self.n_cut_off:,} answers were cut off at the limit of tokens: taken as they stand"
        if self.n_stopped:
            yield f"{self.n_stopped:,} answers were ended by the service's filter: taken as they stand"
        if self.n_refused:
            yield f"{self.n_refused:,} answers are what the service calls a refusal: taken as the answer"

    def _id_of(self, custom_id: str, place: str) -> tuple[str, str | None] | None:
        """The id at the end of a `custom_id`, and the language that stands before it."""
        before, prompt_id = _split_id(custom_id.strip()[:_NAME_CHARACTERS])
        if prompt_id:
            parts = name_parts(before, language_word)
            words = re.findall(r"[^\W_]+", parts.label.casefold())
            if _NO_NAMES.issuperset(words):
                return prompt_id, parts.language
        if not self.faults:
            self.faults.append(
                f"{'line ' if place.isdigit() else ''}{place}: the custom_id is {quoted(custom_id)}; expected the id "
                'of a prompt, "7" or "7-3", with the language before it where a batch has several: "de_7-3"'
            )
        return None

    def _answer(self, line: Mapping[str, object], place: str) -> tuple[str | None, str | None, str]:
        """Text, model, and why there is no text."""
        if isinstance(result := line.get("result"), dict):
            message = result.get("message")
            if result.get("type") != "succeeded" or not isinstance(message, dict):
                return None, None, f"the result is {described(result.get('type'))}{_reason(result)}"
            self._count_end(message.get("stop_reason"))
            return _texts(message.get("content"), "text"), _name(message.get("model")), "it has no text"
        response = line.get("response")
        if response is None:
            return None, None, f"the request failed{_reason(line)}"
        if not isinstance(response, dict) or response.get("status_code", 200) != 200:
            status = response.get("status_code") if isinstance(response, dict) else None
            return None, None, f"the status is {described(status)}{_reason(line)}"
        body = response.get("body")
        if not isinstance(body, dict):
            return None, None, f"the body is {described(body)}"
        return self._of_body(body, place), _name(body.get("model")), "it has no text"

    def _of_body(self, body: Mapping[str, object], place: str) -> str | None:
        """The text of a chat completion, a completion or a response."""
        if isinstance(output := body.get("output"), list):
            details = body.get("incomplete_details")
            self._count_end(details.get("reason") if isinstance(details, dict) else None)
            said = [item for item in output if isinstance(item, dict) and item.get("type") == "message"]
            return "".join(_texts(item.get("content"), "output_text") or "" for item in said) if said else None
        choices = body.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            return None
        if len(choices) > 1 and not self.faults:
            self.faults.append(
                f"{'line ' if place.isdigit() else ''}{place}: {len(choices)} choices stand under one custom_id; "
                "expected one answer to a prompt: ask with n = 1, or keep the choice that is meant"
            )
        self._count_end(choices[0].get("finish_reason"))
        message = choices[0].get("message")
        if not isinstance(message, dict):
            text = choices[0].get("text")
            return text if isinstance(text, str) else None
        content = message.get("content")
        text = content if isinstance(content, str) else _texts(content, "text")
        if text is None and isinstance(refusal := message.get("refusal"), str):
            self.n_refused += 1
            return refusal
        return text

    def _count_end(self, reason: object) -> None:
        self.n_cut_off += reason in _CUT_OFF if isinstance(reason, str) else 0
        self.n_stopped += reason in _STOPPED if isinstance(reason, str) else 0


def _split_id(custom_id: str) -> tuple[str, str]:
    """Return what stands before the id at the end of a text, and the id; blank where there is none.

    >>> _split_id("de_7-3"), _split_id("request-12"), _split_id("7-3"), _split_id("seven")
    (('de_', '7-3'), ('request-', '12'), ('', '7-3'), ('seven', ''))
    """
    before = custom_id.rstrip(_DIGITS)
    first = before.removesuffix("-")
    if before != custom_id and first != before and first.rstrip(_DIGITS) != first:
        before = first.rstrip(_DIGITS)
    return before, custom_id[len(before) :]


def _texts(content: object, kind: str) -> str | None:
    """The texts of the parts of a message, without its thoughts and tool calls; None where it has none."""
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, dict) and part.get("type") == kind]
    said = [text for text in texts if isinstance(text, str)]
    return "".join(said) if said else None


def _reason(line: Mapping[str, object]) -> str:
    """What the service says went wrong."""
    error = line.get("error")
    inner = error.get("error") if isinstance(error, dict) else None
    told = inner if isinstance(inner, dict) else error
    message = (told.get("message") or told.get("code")) if isinstance(told, dict) else None
    return f" ({quoted(message)})" if isinstance(message, str) else ""


def _name(value: object) -> str | None:
    return value.strip()[:_NAME_CHARACTERS] if isinstance(value, str) and value.strip() else None
