"""Labels read with three real tokenizers, made on the spot, against every way of writing them scored by hand.

The hand is a plain forward pass of the model for each beginning, and the tokenizer's own text of each token.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import pytest
import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from benchmarks.random_models import CHAT_TEMPLATE, TINY, random_model
from evaluator.judges.profile_prompts import rating_rubric
from evaluator.judges.prompts import PREFERENCE_PAIR, SIMILARITY_PAIR
from evaluator.judges.proof import QUESTIONS
from evaluator.judges.protocol import Rubric
from evaluator.judges.transformers import TransformersJudge, label_probabilities
from evaluator.values import Pin

FORMS = ("", " ", "\n", "\n\n", "**", " **")
"""What may stand before a label, as docs/judges.md lists it."""
SPECIAL = ["<|im_start|>", "<|im_end|>", "<|endoftext|>"]
PIN = Pin(name="t", model="-", revision="1", tokenizer="-", prompt="-", dtype="-", engine="-", languages=None)


def fast(tokenizer: Tokenizer, **special: str) -> Any:
    make: Any = PreTrainedTokenizerFast
    made = make(tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>", **special)
    made.add_special_tokens({"additional_special_tokens": ["<|im_start|>"]})
    made.chat_template = CHAT_TEMPLATE
    return made


def byte_level(*before: Any) -> Any:
    """A byte-level BPE trained on digits and letters behind spaces, line breaks and bold marks."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*before, pre_tokenizers.ByteLevel(add_prefix_space=False)])
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=TINY.vocabulary,
        special_tokens=SPECIAL,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    digits = " ".join(map(str, range(11)))
    tokenizer.train_from_iterator([f" {digits} A B C ** **\n\n1\n"] * 500, trainer)
    return fast(tokenizer)


def joined() -> Any:
    """Has tokens for a space and a digit together, as GPT-2 has."""
    return byte_level()


def apart() -> Any:
    """Keeps each digit apart from the space before it, as Qwen and Llama 3 do."""
    return byte_level(pre_tokenizers.Digits(individual_digits=True))


def neither() -> Any:
    """Has one token for each character it knows, and none for a space, a line break or a star."""
    known = string.ascii_letters + string.digits + ".,:;?!()[]<>/|_-'\"="
    vocabulary = {token: index for index, token in enumerate([*known, *SPECIAL, "<unk>"])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    return fast(tokenizer, unk_token="<unk>")


def texts_of(tokenizer: Any) -> dict[int, str]:
    """What each token but the special ones writes."""
    special = set(tokenizer.all_special_ids)
    return {index: tokenizer.decode([index]) for index in tokenizer.get_vocab().values() if index not in special}


def spellings(text: str, texts: dict[int, str], most: int) -> Iterator[tuple[int, ...]]:
    """Every way to write a text in so many tokens at most."""
    if not text:
        yield ()
    elif most:
        for index, piece in texts.items():
            if piece and text.startswith(piece):
                for rest in spellings(text.removeprefix(piece), texts, most - 1):
                    yield (index, *rest)


def written_forms(label: str, texts: dict[int, str]) -> set[tuple[int, ...]]:
    """Every reply of at most three tokens that is a form of a label, the lead in as few tokens as it can be.

    Nobody's tokenizer writes a lead in two pieces where it has one token for it.
    """
    whole = set(texts.values())
    found = set()
    for lead in FORMS:
        for reply in spellings(lead + label, texts, 3):
            pieces = [texts[index] for index in reply]
            before = next(place for place in range(len(pieces)) if len("".join(pieces[: place + 1])) > len(lead))
            if not (before > 1 and "".join(pieces[:before]) in whole):
                found.add(reply)
    return found


@pytest.mark.parametrize("make", [joined, apart, neither], ids=lambda make: make.__name__)
@pytest.mark.parametrize(
    "rubric", [SIMILARITY_PAIR, PREFERENCE_PAIR, rating_rubric(has_profile=True)], ids=lambda rubric: rubric.id
)
def test_labels_have_the_probability_of_every_reply_that_writes_them(make: Callable[[], Any], rubric: Rubric) -> None:
    tokenizer, model = make(), random_model(TINY)
    judge = TransformersJudge(model, tokenizer, PIN)
    request = QUESTIONS[rubric.kind]()[0].request
    prompt = tuple(judge.prompt_ids(request))
    texts = texts_of(tokenizer)

    @cache
    def after(written: tuple[int, ...]) -> Sequence[float]:
        with torch.inference_mode():
            logits = model(input_ids=torch.tensor([[*prompt, *written]])).logits[0, -1]
        probabilities: list[float] = torch.softmax(logits.double(), -1).tolist()
        return probabilities

    def probability(reply: tuple[int, ...]) -> float:
        reached = 1.0
        for place, token in enumerate(reply):
            reached *= after(reply[:place])[token]
        return reached

    forms = {label: written_forms(label, texts) for label in rubric.labels}
    expected = []
    for label in rubric.labels:
        # A reply that goes on to a longer label ("1" to "10") is that one.
        longer = {other for name, others in forms.items() if name != label for other in others}
        goes_on = [other for other in longer if any(other[: len(form)] == form for form in forms[label])]
        expected.append(sum(map(probability, forms[label])) - sum(map(probability, goes_on)))

    (judgment,) = judge.answer([request])
    assert judgment.distribution == pytest.approx(expected, rel=1e-4, abs=1e-9)
    (packed,) = label_probabilities(judge.engine, [prompt], judge.label_forms(rubric))
    assert packed == pytest.approx(expected, rel=1e-4, abs=1e-9)
    assert judgment.label_mass == pytest.approx(sum(expected), rel=1e-4, abs=1e-9)


def test_the_three_tokenizers_are_what_they_are_called() -> None:
    pieces = {make.__name__: set(texts_of(make()).values()) for make in (joined, apart, neither)}
    assert {" 4", "4", " "} <= pieces["joined"]
    assert {"4", " ", "\n", "**", " **"} <= pieces["apart"]
    assert not {" 4", "\n4", "10"} & pieces["apart"]
    assert "4" in pieces["neither"]
    assert not {" ", "\n", "*", "**", " 4"} & pieces["neither"]
    assert [apart().tokenize(" 4"), joined().tokenize(" 4")] == [["\u0120", "4"], ["\u01204"]]
