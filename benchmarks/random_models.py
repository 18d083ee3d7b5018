"""Random-weight language models, encoders and small tokenizers, made on the spot: right shapes, no download."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

Family = Literal["llama", "qwen2"]

CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)

_WORDS = "score answer better the same other question A B C D yes no 0 1 2 3 4 5 6 7 8 9 begin end of and to in is"


@dataclass(frozen=True, slots=True)
class Shape:
    """Size of a random model."""

    hidden: int
    layers: int
    heads: int
    key_value_heads: int
    intermediate: int
    vocabulary: int
    """At least the tokenizer's; larger ones make the output layer as heavy as a real model's."""

    def parameters(self) -> int:
        """Weights of the layers and of one embedding table; the number the model-flops are counted from."""
        head = self.hidden // self.heads
        attention = self.hidden * head * (2 * self.heads + 2 * self.key_value_heads)
        return self.layers * (attention + 3 * self.hidden * self.intermediate) + self.vocabulary * self.hidden


TINY = Shape(hidden=64, layers=2, heads=4, key_value_heads=2, intermediate=128, vocabulary=400)
SHAPES = {
    "19M": Shape(hidden=384, layers=8, heads=6, key_value_heads=2, intermediate=1024, vocabulary=16_384),
    "1.7B": Shape(hidden=2048, layers=28, heads=16, key_value_heads=8, intermediate=6144, vocabulary=151_936),
    "8B": Shape(hidden=4096, layers=36, heads=32, key_value_heads=8, intermediate=12_288, vocabulary=151_936),
}


def small_tokenizer() -> Any:
    """A byte-level tokenizer of about 300 tokens with chat-control tokens and a chat template."""
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<|im_start|>", "<|im_end|>", "<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([_WORDS] * 20, trainer)
    make: Any = PreTrainedTokenizerFast
    fast = make(tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    fast.add_special_tokens({"additional_special_tokens": ["<|im_start|>"]})
    fast.add_tokens(["score:", "score of", "is answer"])
    fast.chat_template = CHAT_TEMPLATE
    return fast


def random_model(
    shape: Shape,
    *,
    family: Family = "llama",
    dtype: Any = None,
    device: str = "cpu",
    attention: str = "sdpa",
    seed: int = 0,
) -> Any:
    """A model of that shape with random weights, in evaluation mode."""
    import torch
    from transformers import AutoModelForCausalLM, LlamaConfig, Qwen2Config

    torch.manual_seed(seed)
    kind = {"llama": LlamaConfig, "qwen2": Qwen2Config}[family]
    config = kind(
        vocab_size=shape.vocabulary,
        hidden_size=shape.hidden,
        intermediate_size=shape.intermediate,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.key_value_heads,
        max_position_embeddings=8192,
        # The default 0.02 gives nearly flat outputs; sharper ones make disagreements between methods visible.
        initializer_range=0.06,
        tie_word_embeddings=True,
    )
    make: Any = AutoModelForCausalLM.from_config
    with torch.device(device):
        model = make(config, dtype=dtype or torch.float32, attn_implementation=attention)
    return model.eval()


def tiny_encoder(folder: Path, *, languages: Sequence[str], hidden: int = 32, layers: int = 1) -> None:
    """Writes a random sentence-embedding model with the files such a repository has: weights, tokenizer, card, pooling.

    Its tokens are bytes, so that it reads any script; equal texts get equal vectors, and what else it says is noise.
    """
    import torch
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: index for index, token in enumerate(["[PAD]", "[CLS]", "[SEP]", "[UNK]", *alphabet])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[], unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    make: Any = PreTrainedTokenizerFast
    make(tokenizer_object=tokenizer, pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]").save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=hidden,
        intermediate_size=2 * hidden,
        num_hidden_layers=layers,
        num_attention_heads=2,
        max_position_embeddings=512,
        initializer_range=0.3,
    )
    model: Any = BertModel(config)
    model.eval().save_pretrained(folder)
    (folder / "1_Pooling").mkdir()
    written = {
        "modules.json": [
            {"type": "sentence_transformers.models.Transformer", "path": ""},
            {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"},
        ],
        "1_Pooling/config.json": {"word_embedding_dimension": hidden, "pooling_mode_mean_tokens": True},
        "sentence_bert_config.json": {"max_seq_length": 48},
    }
    for name, content in written.items():
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    card = "".join(f"- {language}\n" for language in languages)
    (folder / "README.md").write_text(f"---\nlanguage:\n{card}---\nA random model.\n", encoding="utf-8")


def answering_model(tokenizer: Any, seed: int = 0) -> Any:
    """A tiny random model that answers with labels, so that it can stand for a judge: what it says is noise.

    As the tails of our rubrics ask: after "score:" or "score of" nearly all of its probability is on 0 to 5, after
    "is answer" on A, B and C.
    Two hidden dimensions pass through the layers untouched, one constant and one that tells the two endings apart; the
    output layer turns them into a bonus for the labels.
    """
    import torch

    model = random_model(TINY, seed=seed)
    vocabulary: dict[str, int] = tokenizer.get_vocab()
    with torch.no_grad():
        embedding = model.model.embed_tokens.weight
        embedding[:, 0] = 1.0
        embedding[:, 1] = 0.0
        for ending, side in (("score:", 1.0), ("score of", 1.0), ("is answer", -1.0)):
            embedding[vocabulary[ending], 1] = side
        for layer in model.model.layers:
            layer.self_attn.o_proj.weight[:2] = 0.0
            layer.mlp.down_proj.weight[:2] = 0.0
        head = torch.zeros_like(model.lm_head.weight)
        for labels, sign in (("012345", 1.0), ("ABC", -1.0)):
            for label in labels:
                noise = torch.Generator().manual_seed(seed + ord(label))
                head[vocabulary[label]] = torch.randn(head.shape[1], generator=noise)
                head[vocabulary[label], 0], head[vocabulary[label], 1] = 10.0, 10.0 * sign
        model.config.tie_word_embeddings = False
        model.lm_head.weight = torch.nn.Parameter(head)
    return model
