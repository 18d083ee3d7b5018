"""Any local chat model as a generator: streamed token by token, several streams at once, greedy or with a seed.

Texts of questions and preferences are tokenised as plain characters: no chat-control token can be formed in them.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, cast

import torch
import transformers
from jinja2 import TemplateError
from safetensors import SafetensorError
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    GenerationConfig,
    LogitsProcessor,
    LogitsProcessorList,
    StoppingCriteria,
    StoppingCriteriaList,
)
from transformers.generation.streamers import BaseStreamer

from evaluator.generators.decoding import GREEDY, Decoding
from evaluator.generators.protocol import (
    MAX_NEW_TOKENS,
    Chunk,
    GeneratorUnavailable,
    Message,
    UnsuitableGenerator,
    without_beginning,
)
from evaluator.judges.transformers import best_dtype, weights_sha256
from evaluator.values import Pin

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

_TAG = re.compile(r"[<\[]\S+[>\]]")
"""Added tokens that are not "special", yet mean something to the model: `<think>`, `[INST]`."""
POLL_S = 0.05
"""How often it is looked whether to stop, while no token comes."""
_INCOMPLETE = "\ufffd"
"""What the bytes of an unfinished character are decoded to."""


class TransformersGenerator:
    """A causal language model with a chat template.

    Args:
        model: In evaluation mode, on its device.
        tokenizer: A fast tokenizer with a chat template.
        pin: What the model is.
        decoding: How it chooses the next token.

    Raises:
        UnsuitableGenerator: when there is no chat template, or it does not show what the user says.
    """

    def __init__(self, model: Any, tokenizer: PreTrainedTokenizerBase, pin: Pin, decoding: Decoding = GREEDY) -> None:
        self._model = model
        self._decoding = decoding
        self._prompts = ChatPrompts(tokenizer)
        self._tokenizer = tokenizer
        self._pin = pin
        self._context = _context(model.config)
        # The repository's own defaults (temperature, repetition penalty) are not what is asked for. A sample is the
        # likeliest token after noise was added (`_Drawn`), so that the library always looks for the likeliest.
        stated = model.generation_config
        self._end = stated.eos_token_id if stated.eos_token_id is not None else tokenizer.eos_token_id
        make_config: Any = GenerationConfig
        model.generation_config = make_config(
            do_sample=False,
            bos_token_id=stated.bos_token_id,
            eos_token_id=self._end,
            pad_token_id=_pad(tokenizer, stated, self._end),
        )

    @property
    def pin(self) -> Pin:
        return self._pin

    def stream(
        self, messages: Sequence[Message], *, stop: threading.Event, max_new_tokens: int = MAX_NEW_TOKENS
    ) -> Iterator[Chunk]:
        """See `TextGenerator`. The model writes in a thread of its own, which ends with this iterator."""
        prompt = self._prompts.ids(messages)
        beginning = messages[-1].content if messages[-1].role == "assistant" else ""
        room = self._context - len(prompt)
        if room < 1:
            raise GeneratorUnavailable(
                f"the question with its preferences has {len(prompt):,} tokens and this model reads at most "
                f"{self._context:,}: shorten it"
            )
        limit = min(max_new_tokens, room)
        text = _Detokenizer(self._tokenizer)
        tokens, has_ended = 0, False
        if beginning:
            yield Chunk(beginning, 0)
        with closing(self._written(prompt, limit, stop)) as written:
            for token in written:
                has_ended = self._is_end(token)
                if not has_ended:
                    tokens += 1
                    yield Chunk(text.add(token), tokens)
        if has_ended:
            yield Chunk(text.rest(), tokens, "stop")
        elif tokens >= limit:
            yield Chunk(text.rest(), tokens, "length")
        else:
            yield Chunk(text.rest(), tokens, "cancelled" if stop.is_set() else "unknown")

    def _written(self, prompt: list[int], limit: int, stop: threading.Event) -> Generator[int]:
        """Tokens as they are written, the one that ends the answer included, until the end or until `stop` is set.

        The model writes in a thread of its own. One that is no longer wanted ends after the token under way; it is not
        waited for, since reading a long prompt can take longer than anybody wants to wait.
        """
        arrived: SimpleQueue[int | None] = SimpleQueue()
        halted = threading.Event()
        pool = ThreadPoolExecutor(1, thread_name_prefix="generator-writing")
        try:
            writing = pool.submit(self._write, prompt, limit, arrived, halted)
            writing.add_done_callback(lambda _: arrived.put(None))
            while not stop.is_set():
                try:
                    token = arrived.get(timeout=POLL_S)
                except Empty:
                    continue
                if token is None:
                    break
                yield token
            else:
                return
            writing.result()
        except torch.OutOfMemoryError as error:
            raise GeneratorUnavailable("there is no memory left for this answer: shorten the question") from error
        finally:
            halted.set()
            pool.shutdown(wait=False)

    def _write(self, prompt: list[int], limit: int, arrived: SimpleQueue[int | None], halted: threading.Event) -> None:
        ids = torch.tensor([prompt], device=self._model.device)
        self._model.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            max_new_tokens=limit,
            streamer=_Tokens(arrived),
            logits_processor=self._drawing(prompt),
            stopping_criteria=StoppingCriteriaList([_Halted(halted)]),
        )

    def _drawing(self, prompt: Sequence[int]) -> LogitsProcessorList:
        return LogitsProcessorList([] if self._decoding.is_greedy else [_Drawn(self._decoding, prompt)])

    def _is_end(self, token: int) -> bool:
        return token in self._end if isinstance(self._end, list) else token == self._end


def load_transformers_generator(
    model_id: str,
    revision: str | None,
    *,
    device: str | None = None,
    shown: str | None = None,
    decoding: Decoding = GREEDY,
) -> TransformersGenerator:
    """Loads a chat model: safetensors only, no remote code, a pinned revision.

    Args:
        model_id: Repository on the Hub, or a local folder.
        revision: Commit of the repository; None for a local folder, whose weights are hashed instead.
        device: `cuda` or `cpu`; None = a GPU where there is one. On a GPU it computes in bf16.
        shown: What its pin and faults call the model; None = the repository, or the name of the folder.
        decoding: How it chooses the next token.

    Raises:
        UnsuitableGenerator: when the model cannot be loaded as it is pinned, or has no chat template.
    """
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    dtype = best_dtype(device)
    where: dict[str, Any] = {"revision": revision, "trust_remote_code": False}
    shown = shown or (model_id if revision else Path(model_id).name)
    try:
        tokenizer = AutoTokenizer.from_pretrained(model_id, **where)
        require_chat_template(tokenizer, shown)
        model = AutoModelForCausalLM.from_pretrained(model_id, dtype=dtype, use_safetensors=True, **where)
    except (OSError, ValueError, ImportError, SafetensorError) as error:
        # The text may reach a visitor, and a folder's place is none of a visitor's business.
        why = str(error).replace(model_id, shown)
        raise UnsuitableGenerator(f"{shown} at {revision or 'its folder'} cannot be loaded: {why}") from error
    template = hashlib.sha256(str(tokenizer.chat_template).encode()).hexdigest()
    pin = Pin(
        name="transformers",
        model=shown,
        revision=revision or weights_sha256(Path(model_id)),
        tokenizer=hashlib.sha256(tokenizer.backend_tokenizer.to_str().encode()).hexdigest(),
        prompt=f"chat template {template[:16]}",
        dtype=str(dtype).removeprefix("torch."),
        engine=f"transformers {transformers.__version__}, torch {torch.__version__}, {decoding}",
        languages=None,
    )
    loaded: Any = model
    return TransformersGenerator(loaded.to(device).eval(), tokenizer, pin, decoding)


def require_chat_template(tokenizer: PreTrainedTokenizerBase, shown: str) -> None:
    """Lets only chat models through.

    Raises:
        UnsuitableGenerator: when the tokenizer has no chat template.
    """
    if tokenizer.chat_template is None:
        raise UnsuitableGenerator(
            f"{shown} has no chat template, so it is no chat model: choose its instruction-tuned version"
        )


# --- prompts ---------------------------------------------------------------------------------------------------------


class ChatPrompts:
    """Chats as token ids, in the words of a model's chat template.

    The template is applied to marks that stand for the contents, which then are put in their places. Where the contents
    hold nothing that reads as a control token, the whole text is tokenised as the model knows it; elsewhere the
    contents are tokenised on their own, as plain characters.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase) -> None:
        require_chat_template(tokenizer, "the model")
        self._tokenizer = tokenizer
        # A fast tokenizer keeps `split_special_tokens` in itself: two threads would change it under each other.
        self._lock = threading.Lock()
        controls = {
            index: token.content
            for index, token in tokenizer.added_tokens_decoder.items()
            if token.special or _TAG.fullmatch(token.content)
        }
        self._control_ids = frozenset(controls)
        longest_first = sorted(controls.values(), key=len, reverse=True)
        self._control = re.compile("|".join(re.escape(control) for control in longest_first) or "(?!)")
        try:
            self.ids([Message("user", "-")])
        except GeneratorUnavailable as error:
            raise UnsuitableGenerator(str(error)) from error

    def ids(self, messages: Sequence[Message]) -> list[int]:
        """The chat with the beginning of the assistant's turn, in the words of a last message of the assistant.

        Raises:
            GeneratorUnavailable: when the template does not take such a chat, or leaves part of it out.
        """
        turns = without_beginning(messages)
        with self._lock:
            beginning = self._plain("".join(message.content for message in messages[len(turns) :]))
        return self._ids(turns) + beginning

    def _ids(self, messages: Sequence[Message]) -> list[int]:
        frame = self._frame(messages)
        contents = [message.content for message in messages]
        with self._lock:
            parts = [self._tokenized(part, plain=False) for part in frame]
            expected = self._controls_in([message for part in parts for message in part])
            if not any(self._control.search(content) for content in contents):
                whole = frame[0] + "".join(content + after for content, after in zip(contents, frame[1:], strict=True))
                ids = self._tokenized(whole, plain=False)
                if self._controls_in(ids) == expected:
                    return ids
            ids = list(parts[0])
            for content, after in zip(contents, parts[1:], strict=True):
                ids += self._plain(content) + after
        if self._controls_in(ids) != expected:
            raise GeneratorUnavailable("the text holds something that this model takes for a control token")
        return ids

    def _frame(self, messages: Sequence[Message]) -> list[str]:
        """What stands before, between and after the contents."""
        marks = [f"\u241ePLUMBLINE {number}\u241e" for number in range(len(messages))]
        turns = [{"role": message.role, "content": mark} for message, mark in zip(messages, marks, strict=True)]
        try:
            rest = str(self._tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True))
        except TemplateError as error:
            raise GeneratorUnavailable(f"the model's chat template does not take this chat: {error}") from error
        frame = []
        for mark in marks:
            before, separator, rest = rest.partition(mark)
            if not separator or mark in rest:
                raise GeneratorUnavailable("the model's chat template does not show each message once, in order")
            frame.append(before)
        return [*frame, rest]

    def _plain(self, text: str) -> list[int]:
        """A text as plain characters: whatever reads as a control token is cut after its first character."""
        pieces, start = [], 0
        for match in self._control.finditer(text):
            pieces.append(text[start : match.start() + 1])
            start = match.start() + 1
        return [token for piece in (*pieces, text[start:]) for token in self._tokenized(piece, plain=True)]

    def _tokenized(self, text: str, *, plain: bool) -> list[int]:
        tokens: list[int] = self._tokenizer(text, add_special_tokens=False, split_special_tokens=plain)["input_ids"]
        return tokens

    def _controls_in(self, ids: Sequence[int]) -> list[int]:
        return [token for token in ids if token in self._control_ids]


def _context(config: Any) -> int:
    """How many tokens the model reads, prompt and answer together."""
    return int(getattr(config.get_text_config(), "max_position_embeddings", 0) or 2**31)


def _pad(tokenizer: PreTrainedTokenizerBase, stated: GenerationConfig, end: Any) -> int | None:
    """A padding token: nothing is padded, but the library warns without one."""
    for token in (stated.pad_token_id, tokenizer.pad_token_id, end[0] if isinstance(end, list) else end):
        if token is not None:
            return int(token)
    return None


# --- writing ---------------------------------------------------------------------------------------------------------


class _Tokens(BaseStreamer):
    """Puts each token into a queue; what comes first is the prompt."""

    def __init__(self, arrived: SimpleQueue[int | None]) -> None:
        self._arrived = arrived
        self._prompt_is_past = False

    def put(self, value: torch.Tensor) -> None:
        if self._prompt_is_past:
            for token in value.flatten().tolist():
                self._arrived.put(token)
        self._prompt_is_past = True

    def end(self) -> None:
        pass  # the end of the thread says it, also where a fault ended it


class _Halted(StoppingCriteria):
    """Ends the writing after the token under way."""

    def __init__(self, halted: threading.Event) -> None:
        self._halted = halted

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor, **kwargs: Any) -> torch.Tensor:
        return torch.full((input_ids.shape[0],), self._halted.is_set(), device=input_ids.device, dtype=torch.bool)


class _Drawn(LogitsProcessor):
    """Scores whose largest is a draw from the softmax at a temperature: Gumbel noise added to each (Gumbel-max trick).

    The library's own sampling draws from one stream of numbers per process, which answers written side by side share.

    Args:
        prompt: Its tokens: each prompt draws numbers of its own.
    """

    def __init__(self, decoding: Decoding, prompt: Sequence[int]) -> None:
        said = f"{decoding.seed} {' '.join(map(str, prompt))}"
        self._temperature = decoding.temperature
        self._numbers = torch.Generator().manual_seed(
            int.from_bytes(hashlib.sha256(said.encode()).digest()[:8], signed=True)
        )

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        exponential = torch.empty(scores.shape).exponential_(generator=self._numbers)
        noise = -exponential.clamp_min(torch.finfo(torch.float32).tiny).log()
        return cast("torch.FloatTensor", scores / self._temperature + noise.to(scores.device))


class _Detokenizer:
    """Text piece by piece; a character of several tokens comes with the last of them.

    What a token adds depends on the one before it (blanks, joined characters), so each piece is the difference of two
    decoded stretches that begin at the same earlier token.
    """

    def __init__(self, tokenizer: PreTrainedTokenizerBase) -> None:
        self._tokenizer = tokenizer
        self._tokens: list[int] = []
        self._start = 0
        self._given = 0
        """Tokens whose text was given out."""

    def add(self, token: int) -> str:
        """What became readable with this token; "" within a character."""
        self._tokens.append(token)
        piece = self._beyond()
        if piece.endswith(_INCOMPLETE):
            return ""
        self._start, self._given = self._given, len(self._tokens)
        return piece

    def rest(self) -> str:
        """What is left at the end: the bytes of a character that was never finished, as a replacement character."""
        piece = self._beyond()
        self._start, self._given = self._given, len(self._tokens)
        return piece

    def _beyond(self) -> str:
        before = self._decoded(self._tokens[self._start : self._given])
        return self._decoded(self._tokens[self._start :])[len(before) :]

    def _decoded(self, tokens: list[int]) -> str:
        return str(self._tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False))
