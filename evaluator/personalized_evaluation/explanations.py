"""How close explanations come to what the reviewers wrote: words they share, and what language models make of both.

Optional columns, never a rank: published systems all lie within half a point of BERTScore. BLEU and ROUGE-1 need no
model; BERTScore and BARTScore are None without one. See docs/personalized_evaluation.md#explanation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from evaluator.personalized_evaluation.reports import ExplanationQuality

if TYPE_CHECKING:
    import torch

TEXTS_PER_PASS = 16

TextPair = tuple[str, str]
"""The judge's explanation, and what the reviewer wrote."""


class ExplanationModelUnusable(Exception):
    """Raised when a folder holds no model that compares explanations."""


@dataclass(frozen=True, slots=True)
class ExplanationModels:
    """Local folders of the models; None = the figure is left out."""

    bertscore: Path | None = None
    """Any encoder that transformers loads."""
    bartscore: Path | None = None
    """Any encoder-decoder that transformers loads, as a BART."""


def explanation_quality(texts: Sequence[TextPair], models: ExplanationModels | None = None) -> ExplanationQuality:
    """All four figures over one pair of texts or more, none of them blank.

    Raises:
        ExplanationModelUnusable: a folder holds no such model.

    >>> explanation_quality([("a b", "a c")])["rouge1"]  # 1 of 2 words shared, both ways
    0.5
    """
    models = models or ExplanationModels()
    bertscore, bartscore = _bertscore(texts, models.bertscore), _bartscore(texts, models.bartscore)
    return ExplanationQuality(
        n=len(texts),
        bleu=_bleu(texts),
        rouge1=_rouge1(texts),
        bertscore=bertscore,
        bertscore_model=None if bertscore is None or models.bertscore is None else models.bertscore.name,
        bartscore=bartscore,
        bartscore_model=None if bartscore is None or models.bartscore is None else models.bartscore.name,
    )


def _bleu(texts: Sequence[TextPair]) -> float:
    from sacrebleu import corpus_bleu

    bleu = corpus_bleu([explanation for explanation, _ in texts], [[reference for _, reference in texts]])
    return float(bleu.score)


def _rouge1(texts: Sequence[TextPair]) -> float:
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rouge1"], use_stemmer=False)
    return fmean(scorer.score(reference, explanation)["rouge1"].fmeasure for explanation, reference in texts)


def _bertscore(texts: Sequence[TextPair], folder: Path | None) -> float | None:
    if folder is None or find_spec("bert_score") is None:
        return None
    with _loading(folder):
        scorer = _bert_scorer(folder)
    scores = scorer.score([explanation for explanation, _ in texts], [reference for _, reference in texts])
    return float(scores[2].mean())


def _bert_scorer(folder: Path) -> Any:
    from bert_score import BERTScorer
    from transformers import AutoConfig

    # The last layer: which one is best is known only for the models that the library lists.
    config = AutoConfig.from_pretrained(folder)
    scorer = BERTScorer(model_type=str(folder), num_layers=config.num_hidden_layers, batch_size=TEXTS_PER_PASS)
    # The library cuts texts where the tokenizer says, and a tokenizer may say nothing.
    longest = config.max_position_embeddings - _SPECIAL_TOKENS
    scorer._tokenizer.model_max_length = min(scorer._tokenizer.model_max_length, longest)
    return scorer


@contextmanager
def _loading(folder: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        raise ExplanationModelUnusable(f"{folder} cannot be loaded: {error}") from error


_SPECIAL_TOKENS = 2
"""Positions that some encoders keep for themselves."""


def _bartscore(texts: Sequence[TextPair], folder: Path | None) -> float | None:
    """Source: Yuan et al., BARTScore (NeurIPS 2021), equation 2 with equal weights."""
    if folder is None or find_spec("torch") is None or find_spec("transformers") is None:
        return None
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    with _loading(folder):
        tokenizer = AutoTokenizer.from_pretrained(folder)
        model = AutoModelForSeq2SeqLM.from_pretrained(folder, use_safetensors=True).eval()
    starts = range(0, len(texts), TEXTS_PER_PASS)
    return fmean(
        value for start in starts for value in _likelihoods(texts[start : start + TEXTS_PER_PASS], tokenizer, model)
    )


def _likelihoods(texts: Sequence[TextPair], tokenizer: Any, model: Any) -> list[float]:
    """Mean log-likelihood per token of each reviewer's text given its explanation."""
    import torch

    longest = model.config.max_position_embeddings

    def tokens(side: int) -> Any:
        return tokenizer(
            [pair[side] for pair in texts], return_tensors="pt", padding=True, truncation=True, max_length=longest
        )

    explanations, references = tokens(0), tokens(1)
    labels, is_token = references["input_ids"], references["attention_mask"].bool()
    with torch.inference_mode():
        logits = model(
            input_ids=explanations["input_ids"],
            attention_mask=explanations["attention_mask"],
            labels=labels.masked_fill(~is_token, _IGNORED),
        ).logits
    return _mean_log_likelihoods(logits, labels, is_token)


_IGNORED = -100
"""What transformers leaves out of labels."""


def _mean_log_likelihoods(logits: torch.Tensor, labels: torch.Tensor, is_token: torch.Tensor) -> list[float]:
    log_probabilities = logits.float().log_softmax(dim=-1).gather(-1, labels[..., None])[..., 0]
    sums = (log_probabilities * is_token).sum(dim=1)
    likelihoods: list[float] = (sums / is_token.sum(dim=1)).tolist()
    return likelihoods
