"""Models reached through Hugging Face Inference Providers, with the visitor's or the installation's token.

Everything goes through `huggingface_hub`, which knows the providers. Not executed against the real service: tested
against a loopback server (docs/generators.md).
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from threading import Event
from typing import Any

from huggingface_hub import AsyncInferenceClient, InferenceTimeoutError
from huggingface_hub import __version__ as hub_version
from huggingface_hub.errors import HfHubHTTPError, TextGenerationError
from huggingface_hub.utils import httpx  # type: ignore[attr-defined]

from evaluator.generators.background import read_in_background
from evaluator.generators.http import Delta, Written, chunks_of
from evaluator.generators.protocol import MAX_NEW_TOKENS, Chunk, GeneratorUnavailable, Message, without_beginning
from evaluator.judges.http.calls import one_line
from evaluator.judges.http.judge import without_control_tokens
from evaluator.values import Pin

TIMEOUT_S = 60.0

_REFUSALS = {
    401: "the token is not valid: sign in again",
    402: "the account has no credits left for Inference Providers",
    403: "the token does not allow Inference Providers",
    404: "no provider serves this model",
    413: "the question with its preferences is longer than the model can read: shorten it",
    422: "the provider does not take this request",
    429: "too many requests: wait a little and try again",
}


class InferenceProvidersGenerator:
    """A chat model served by a provider; light, so that each visitor's run has one of its own.

    Args:
        model: Repository on the Hub.
        token: Whose account is charged. Never logged, never part of the pin.
        provider: Name of one provider; None = the account's order of preference.
        base_url: Another OpenAI-compatible address, in tests.
    """

    def __init__(self, model: str, *, token: str, provider: str | None = None, base_url: str | None = None) -> None:
        self._model = model
        self._token = token
        self._provider = provider
        self._base_url = base_url
        self._pin = Pin(
            name="provider",
            model=model,
            revision="unpinned",
            tokenizer="the provider's",
            prompt="the provider's chat template",
            dtype="the provider's",
            engine=f"Inference Providers ({provider or 'auto'}), huggingface_hub {hub_version}, temperature 0",
            languages=None,
        )

    @property
    def pin(self) -> Pin:
        return self._pin

    def stream(
        self, messages: Sequence[Message], *, stop: Event, max_new_tokens: int = MAX_NEW_TOKENS
    ) -> Iterator[Chunk]:
        """See `TextGenerator`. Control tokens in the texts are broken by a space, for the provider tokenises them."""
        turns = [
            {"role": message.role, "content": without_control_tokens(message.content)}
            for message in without_beginning(messages)
        ]
        deltas = read_in_background(lambda: self._deltas(turns, max_new_tokens), stop)
        yield from chunks_of(deltas, max_new_tokens=max_new_tokens)

    async def _deltas(self, turns: list[dict[str, str]], max_new_tokens: int) -> AsyncIterator[Delta]:
        is_whole = False
        chosen: dict[str, Any] = {"provider": self._provider or "auto", "timeout": TIMEOUT_S, "token": self._token}
        try:
            async with AsyncInferenceClient(base_url=self._base_url, **chosen) as client:
                events = await client.chat_completion(
                    turns, model=self._model, max_tokens=max_new_tokens, temperature=0, stream=True
                )
                async for event in events:
                    delta = _delta(event)
                    is_whole |= bool(delta.finish_reason)
                    yield delta
        except InferenceTimeoutError as error:
            raise GeneratorUnavailable(f"the provider did not answer within {TIMEOUT_S:g} s") from error
        except HfHubHTTPError as error:
            status = error.response.status_code
            raise GeneratorUnavailable(
                f"Inference Providers refused with status {status}"
                + (f": {_REFUSALS[status]}" if status in _REFUSALS else "")
            ) from error
        except TextGenerationError as error:
            said = one_line(str(error), self._token)
            raise GeneratorUnavailable(f"the provider gave up while it was writing. It said: {said!r}") from error
        except (httpx.TransportError, ConnectionError) as error:
            raise GeneratorUnavailable(f"Inference Providers cannot be reached ({type(error).__name__})") from error
        except json.JSONDecodeError as error:
            raise GeneratorUnavailable("the provider sent a line that cannot be read") from error
        except ValueError as error:
            # huggingface_hub's word for a model or provider it cannot serve; its text may hold what was sent.
            raise GeneratorUnavailable("no provider serves this model as a chat model") from error
        if not is_whole:  # huggingface_hub does not tell [DONE] from a connection that was closed
            raise GeneratorUnavailable("the provider's answer ended without a finish_reason, so it may be cut off")


def _delta(event: Any) -> Delta:
    choice = event.choices[0] if event.choices else None
    said = {key: getattr(choice.delta, key, None) for key in Written.model_fields} if choice else {}
    return Written.model_validate(said).delta(
        choice.finish_reason if choice else None,
        event.usage.completion_tokens if getattr(event, "usage", None) else None,
    )
