"""Any local causal language model as a judge: the probabilities of its labels after one forward pass.

Submitted text is tokenised as plain characters between its delimiters, so that no special or chat-control token can be
formed in it. Label masses below one half are unscored. See docs/judges.md#local-language-models.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from evaluator.judges.label_distribution import LabelDistribution, read_labels
from evaluator.judges.label_engine import LabelEngine, PromptParts
from evaluator.judges.label_forms import LabelForms, forms_in_vocabulary, leads_in_vocabulary, token_text
from evaluator.judges.prompt_layout import Piece, prompt_pieces
from evaluator.judges.proof import ProvenJudge
from evaluator.judges.protocol import (
    LANGUAGE_MODEL_KINDS,
    SHORTENED,
    JudgeRequest,
    Judgment,
    RequestKind,
    Rubric,
    UnsuitableJudge,
)
from evaluator.values import Pin

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

TokenIds = tuple[int, ...]
_Reading = tuple[LabelDistribution, bool]
"""What the labels say, and whether a text was cut for it."""

CPU_TOKEN_BUDGET = 512
"""Tokens per forward pass on a CPU, where the mask of a pack is dense: larger packs waste work on masked places
(docs/performance.md)."""
GPU_TOKEN_BUDGET = 8_192

NEAR_TIE = 0.02
"""Labels whose probabilities are closer than this are recomputed alone: in bf16 the neighbours of a prompt in its pass
move its figures a little, and a verdict must not depend on them."""

TIED_DECIMALS = 12
"""Probabilities that agree so far are the same."""

EXPLANATION_TOKENS = 60
WRITTEN_TOKENS = 300
"""Length of a free reply."""

RUBRIC_PIECES = 1
"""Pieces that begin every prompt of a rubric."""
PIECES_OF_A_TEXT = 3
"""Pieces of the last text, which end a prompt: it is between two delimiters."""

_CHAT_MARK = "\u241ePLUMBLINE\u241e"


@dataclass(slots=True)
class JudgeWork:
    """How much a judge has done so far."""

    judgements: int = 0
    """Requests whose label was read."""
    near_ties: int = 0
    """Of these, computed again alone."""


class TransformersJudge(ProvenJudge):
    """A causal language model that reads every kind of request.

    Args:
        model: In evaluation mode, on its device.
        tokenizer: A fast tokenizer; its chat template is used where it has one.
        pin: What the model is; prompt ids and versions are part of each request's key.
        token_budget: Tokens per forward pass; None = by device.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: PreTrainedTokenizerBase,
        pin: Pin,
        *,
        token_budget: int | None = None,
    ) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._pin = pin
        on_gpu = model.device.type == "cuda"
        self.engine = LabelEngine(
            model,
            token_budget=token_budget or (GPU_TOKEN_BUDGET if on_gpu else CPU_TOKEN_BUDGET),
            on_pass=self._get_on,
        )
        self._before, self._after = _chat_frame(tokenizer)
        self._context = int(getattr(model.config, "max_position_embeddings", 0) or 2**31)
        self._forms: dict[tuple[str, ...], LabelForms[int]] = {}
        self.work = JudgeWork()

    @property
    def pin(self) -> Pin:
        return self._pin

    @property
    def kinds(self) -> frozenset[RequestKind]:
        return LANGUAGE_MODEL_KINDS

    def key(self, request: JudgeRequest) -> str:
        """SHA-256 over pin, exact token ids and the token paths of the labels, as hex."""
        paths = self.label_forms(request.rubric).paths
        payload = [self._pin.model_dump(mode="json"), self.prompt_ids(request), paths]
        return hashlib.sha256(json.dumps(payload, separators=(",", ":"), sort_keys=True).encode()).hexdigest()

    def answer(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        """One judgment per request, in order: written replies one by one, labels in packed passes."""
        readings: dict[int, _Reading] = {}
        for labels in dict.fromkeys(request.rubric.labels for request in requests if request.rubric.labels):
            of_labels = [index for index, request in enumerate(requests) if request.rubric.labels == labels]
            label_readings = self._readings([requests[index] for index in of_labels])
            readings.update(zip(of_labels, label_readings, strict=True))
        return [
            _judgment(request.rubric, *readings[index]) if index in readings else self._written(request)
            for index, request in enumerate(requests)
        ]

    def wanted_tokens(self, request: JudgeRequest, n: int) -> tuple[tuple[str, float], ...]:
        prompt = torch.tensor([self.prompt_ids(request)], device=self._model.device)
        with torch.inference_mode():
            logits = self._model(input_ids=prompt, logits_to_keep=1).logits[0, -1].float()
        best = logits.softmax(-1).topk(n)
        ids = best.indices.tolist()
        # A model may have more tokens than its tokenizer knows.
        known = (
            token or f"token {index}"
            for token, index in zip(self._tokenizer.convert_ids_to_tokens(ids), ids, strict=True)
        )
        return tuple(zip(map(token_text, known), best.values.tolist(), strict=True))

    def _get_on(self) -> None:
        """Of what is computed together nobody can say which request it is at."""
        self.on_request(None)

    def _written(self, request: JudgeRequest) -> Judgment:
        return Judgment(None, text=self._continued(list(self.prompt_ids(request)), WRITTEN_TOKENS))

    def explanation(self, request: JudgeRequest, judgment: Judgment) -> str:
        """One sentence in the model's own words on a judgment it gave; generated greedily, never used for scoring."""
        said = judgment.verdict if judgment.rating is None else str(round(judgment.rating))
        words = self._own_ids(f" {said}\nThe reason, in one sentence:", special=False)
        return self._continued([*self.prompt_ids(request), *words], EXPLANATION_TOKENS).split("\n")[0]

    def _continued(self, prompt: list[int], most_tokens: int) -> str:
        """What the model writes after some tokens, greedily."""
        ids = torch.tensor([prompt], device=self._model.device)
        with torch.inference_mode():
            generated = self._model.generate(
                ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=most_tokens,
                do_sample=False,
                pad_token_id=self._tokenizer.pad_token_id or self._tokenizer.eos_token_id,
                streamer=_EachToken(self._get_on),
            )
        return str(self._tokenizer.decode(generated[0, ids.shape[1] :], skip_special_tokens=True)).strip()

    def _readings(self, requests: Sequence[JudgeRequest]) -> list[_Reading]:
        """Readings of requests that share their labels; near ties once more, each alone."""
        rubric = requests[0].rubric
        fitted = []
        for request in requests:
            self._get_on()
            fitted.append(self._fitted(request))
        forms = self.label_forms(rubric)
        is_alone = is_read_alone(self._model)
        if is_alone:
            rows = label_probabilities_alone(self.engine, [prompt.parts for prompt in fitted], forms)
        else:
            rows = label_probabilities(self.engine, [prompt.ids for prompt in fitted], forms)
        readings = [read_labels(row, rubric.labels) for row in rows]
        self.work.judgements += len(fitted)
        if self._model.dtype is not torch.float32 and not is_alone and len(fitted) > 1:
            self._read_near_ties_alone([prompt.ids for prompt in fitted], rubric, readings)
        return [(reading, prompt.is_cut) for reading, prompt in zip(readings, fitted, strict=True)]

    def _read_near_ties_alone(
        self, prompts: Sequence[TokenIds], rubric: Rubric, readings: list[LabelDistribution]
    ) -> None:
        for index, reading in enumerate(readings):
            if _is_near_tie(reading):
                self.work.near_ties += 1
                (row,) = label_probabilities(self.engine, [prompts[index]], self.label_forms(rubric))
                readings[index] = read_labels(row, rubric.labels)

    # --- tokens

    def prompt_ids(self, request: JudgeRequest) -> TokenIds:
        """The exact tokens the model sees; each text is cut to one budget where the context would not hold them."""
        return self._fitted(request).ids

    def _fitted(self, request: JudgeRequest) -> FittedPrompt:
        pieces = prompt_pieces(request)
        ids = [self._piece_ids(piece) for piece in pieces]
        tail = self._own_ids(f"{self._after}{request.rubric.tail}", special=True)
        frame = self._own_ids(self._before, special=True)
        own = (
            len(frame)
            + len(tail)
            + sum(len(tokens) for tokens, piece in zip(ids, pieces, strict=True) if not piece.is_submitted)
        )
        submitted = [len(tokens) for tokens, piece in zip(ids, pieces, strict=True) if piece.is_submitted]
        budget = _text_budget(submitted, self._context - own - 1)
        cut = [tokens[:budget] if piece.is_submitted else tokens for tokens, piece in zip(ids, pieces, strict=True)]
        return FittedPrompt(
            tuple(token for part in (frame, *cut, tail) for token in part),
            len(frame) + sum(map(len, cut[:RUBRIC_PIECES])),
            len(frame) + sum(map(len, cut[: max(RUBRIC_PIECES, len(cut) - PIECES_OF_A_TEXT)])),
            budget < max(submitted, default=0),
        )

    def _piece_ids(self, piece: Piece) -> list[int]:
        if not piece.is_submitted:
            return self._own_ids(piece.text)
        ids: list[int] = self._tokenizer(piece.text, add_special_tokens=False, split_special_tokens=True)["input_ids"]
        return ids

    def _own_ids(self, text: str, *, special: bool = False) -> list[int]:
        ids: list[int] = self._tokenizer(text, add_special_tokens=False, split_special_tokens=not special)["input_ids"]
        return ids

    def label_forms(self, rubric: Rubric) -> LabelForms[int]:
        """Return the token paths of a rubric's labels.

        Raises:
            UnsuitableJudge: when a label has no single token ("10" may have two).
        """
        if rubric.labels not in self._forms:
            self._forms[rubric.labels] = forms_in_vocabulary(_plain_tokens(self._tokenizer), rubric.labels)
        return self._forms[rubric.labels]


def label_probabilities(
    engine: LabelEngine, prompts: Sequence[TokenIds], forms: LabelForms[int]
) -> list[tuple[float, ...]]:
    """Return the probability of each label after each prompt, summed over the label's paths.

    The leads of the paths are computed behind each prompt, on what the prompts share: a token or two for each lead.
    """
    if not prompts:
        return []
    contexts, tokens = forms.contexts, forms.tokens
    longer = [(*prompt, *context) for prompt in prompts for context in contexts]
    values = engine.label_log_probabilities(longer, tokens)
    return _summed(values.reshape(len(prompts), len(contexts), len(tokens)), forms)


def label_probabilities_alone(
    engine: LabelEngine, prompts: Sequence[PromptParts], forms: LabelForms[int]
) -> list[tuple[float, ...]]:
    """Return the same, to the last bit whatever stands beside a prompt."""
    return _summed(engine.log_probabilities_alone(prompts, forms.contexts, forms.tokens), forms)


def _summed(values: torch.Tensor, forms: LabelForms[int]) -> list[tuple[float, ...]]:
    """The probability of each label.

    Args:
        values: Log-probabilities, shape (prompts, contexts, tokens).
    """
    table = values.double().exp()
    of_context = {context: place for place, context in enumerate(forms.contexts)}
    of_token = {token: place for place, token in enumerate(forms.tokens)}
    sums = torch.zeros((len(table), len(forms.labels)), dtype=torch.float64)
    for path, weights in forms.weights.items():
        reached = torch.ones(len(table), dtype=torch.float64)
        for length, token in enumerate(path):
            reached = reached * table[:, of_context[path[:length]], of_token[token]]
        for label, weight in weights:
            sums[:, label] += weight * reached
    # The order of additions must not break a tie of two labels.
    return [tuple(row) for row in sums.round(decimals=TIED_DECIMALS).tolist()]


@dataclass(frozen=True, slots=True)
class FittedPrompt:
    """The tokens of a request."""

    ids: TokenIds
    head: int
    """So many begin every prompt of its rubric."""
    shared: int
    """So many begin every prompt that differs in its last text only."""
    is_cut: bool
    """Was a text cut to fit?"""

    @property
    def parts(self) -> PromptParts:
        return self.ids[: self.head], self.ids[self.head : self.shared], self.ids[self.shared :]


class _EachToken:
    """What `generate` hands its tokens to: as many signs that it gets on."""

    def __init__(self, told: Callable[[], None]) -> None:
        self._told = told

    def put(self, tokens: torch.Tensor) -> None:
        self._told()

    def end(self) -> None:
        self._told()


def load_transformers_judge(
    model_id: str,
    revision: str | None,
    *,
    device: str | None = None,
    token_budget: int | None = None,
    compiles: bool = True,
    is_unproven: bool = False,
) -> TransformersJudge:
    """Loads a causal language model as a judge: safetensors only, no remote code, a pinned revision.

    Args:
        model_id: Repository on the Hub, or a local folder.
        revision: Commit of the repository; None for a local folder, whose weights are hashed instead.
        device: `cuda` or `cpu`; None = a GPU where there is one.
        compiles: May its attention be compiled on a GPU?
        is_unproven: Whether it judges without a proof: the pin then says so.

    Raises:
        UnsuitableJudge: when the weights are not safetensors or the model cannot be loaded as it is pinned.
    """
    import transformers
    from safetensors import SafetensorError
    from transformers import AutoModelForCausalLM, AutoTokenizer

    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    dtype = best_dtype(device)
    name = model_id if revision else Path(model_id).name
    where: dict[str, Any] = {"revision": revision, "trust_remote_code": False}
    try:
        tokenizer = AutoTokenizer.from_pretrained(model_id, **where)
        model = AutoModelForCausalLM.from_pretrained(
            model_id,
            dtype=dtype,
            use_safetensors=True,
            attn_implementation=best_attention(device, dtype, compiles=compiles),
            **where,
        )
    except (OSError, ValueError, SafetensorError) as error:
        raise UnsuitableJudge(f"{name} at {revision or 'its folder'} cannot be loaded: {error}") from error
    pin = Pin(
        name="transformers",
        model=name,
        revision=revision or weights_sha256(Path(model_id)),
        tokenizer=hashlib.sha256(tokenizer.backend_tokenizer.to_str().encode()).hexdigest(),
        prompt=f"per rubric, labels {leads_in_vocabulary(_plain_tokens(tokenizer))}{', unproven' * is_unproven}",
        dtype=str(dtype).removeprefix("torch."),
        engine=f"transformers {transformers.__version__}, torch {torch.__version__}",
        languages=None,
    )
    loaded: Any = model
    return TransformersJudge(loaded.to(device).eval(), tokenizer, pin, token_budget=token_budget)


def is_read_alone(model: Any) -> bool:
    """Whether no prompt moves the figures of another: in bf16 on a processor, where large packs bring little."""
    return model.device.type == "cpu" and model.dtype is not torch.float32


def best_dtype(device: str) -> torch.dtype:
    """bf16 on a GPU and on CPUs that multiply it natively, else fp32."""
    has_bf16 = device == "cuda" or torch.ops.mkldnn._is_mkldnn_bf16_supported()
    return torch.bfloat16 if has_bf16 else torch.float32


def best_attention(device: str, dtype: torch.dtype, *, compiles: bool = True) -> str:
    """The attention implementation that is fastest for packed prompts (measured: docs/performance.md)."""
    if device == "cuda":
        return "flex_attention" if compiles else "sdpa"
    return "eager" if dtype is torch.bfloat16 else "sdpa"


def weights_sha256(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.safetensors")):
        with path.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()


def _plain_tokens(tokenizer: PreTrainedTokenizerBase) -> list[tuple[str, int]]:
    """The tokens of a vocabulary but the special ones, with their ids."""
    special = set(tokenizer.all_special_ids)
    vocabulary: dict[str, int] = tokenizer.get_vocab()
    return [(token, index) for token, index in vocabulary.items() if index not in special]


def _chat_frame(tokenizer: PreTrainedTokenizerBase) -> tuple[str, str]:
    """What stands before and after the user's message: the chat template's words, or a plain frame."""
    if tokenizer.chat_template is None:
        return tokenizer.bos_token or "", "\n"
    framed = tokenizer.apply_chat_template(
        [{"role": "user", "content": _CHAT_MARK}], tokenize=False, add_generation_prompt=True
    )
    before, mark, after = str(framed).partition(_CHAT_MARK)
    if not mark:
        raise UnsuitableJudge("its chat template does not show the user's message")
    return before, after


def _text_budget(lengths: Sequence[int], room: int) -> int:
    """The largest common limit under which texts of these lengths fit into the room.

    >>> _text_budget([10, 20], 100), _text_budget([10, 100, 100], 110)
    (20, 50)
    """
    longest = max(lengths, default=0)
    if sum(lengths) <= room:
        return longest
    left, remaining = room, sorted(lengths)
    for place, length in enumerate(remaining):
        share = left // (len(remaining) - place)
        if length > share:
            return max(share, 0)
        left -= length
    return longest


def _is_near_tie(reading: LabelDistribution) -> bool:
    """Whether a scored reading has two best labels so close that rounding could exchange them."""
    first, second = sorted(reading.probabilities, reverse=True)[:2]
    return reading.reason is None and first - second < NEAR_TIE


def _judgment(rubric: Rubric, reading: LabelDistribution, is_cut: bool) -> Judgment:
    rating = reading.expected if rubric.is_rating else None
    return Judgment(
        rating=rating,
        distribution=reading.probabilities,
        label_mass=reading.mass,
        reason=reading.reason,
        details={SHORTENED: 1.0} if is_cut else {},
        verdict=None if rubric.is_rating else reading.label,
    )
