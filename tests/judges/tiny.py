"""Tiny random models of the published architectures, built, saved and loaded without a network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dialmeter.model import Move

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")

TEXTS = [
    "i need a cheap hotel in the north of the town",
    "which day would you like to arrive? we have rooms on monday and on sunday",
    "the bridge inn is cheap, and it has free parking",
    "no, i do not need a train. thank you, goodbye!",
]
CONTEXT = (
    Move("user", "i need a cheap hotel"),
    Move("system", "which day would you like to arrive?"),
    Move("user", "on sunday, in the north"),
    Move("system", "the bridge inn is cheap"),
)
OTHER = (Move("user", "do you have a train?"), Move("system", "no"), Move("user", "goodbye"))
ITEMS = [
    (CONTEXT, "thank you, i need free parking"),
    (CONTEXT, "no"),
    (OTHER, "goodbye! thank you"),
    (CONTEXT, "the train is in the north of the town, and the inn is free on monday and on sunday"),
]


def byte_tokenizer(folder: Path) -> Any:
    """A tokenizer like GPT-2's."""
    plain = tokenizers.ByteLevelBPETokenizer()
    plain.train_from_iterator(TEXTS, vocab_size=320, special_tokens=["<|endoftext|>"], show_progress=False)
    end = "<|endoftext|>"
    made = transformers.PreTrainedTokenizerFast(
        tokenizer_object=plain._tokenizer, bos_token=end, eos_token=end, unk_token=end
    )
    made.save_pretrained(folder)
    return made


def word_piece_tokenizer(folder: Path) -> Any:
    """A tokenizer like BERT's."""
    plain = tokenizers.BertWordPieceTokenizer()
    plain.train_from_iterator(TEXTS, vocab_size=120, show_progress=False)
    made = transformers.BertTokenizerFast(tokenizer_object=plain._tokenizer)
    made.save_pretrained(folder)
    return made


def gpt2(folder: Path, kind: str = "GPT2LMHeadModel", seed: int = 0, **more: Any) -> Path:
    """A GPT-2 with two small layers."""
    size = len(byte_tokenizer(folder))
    torch.manual_seed(seed)
    config = transformers.GPT2Config(
        vocab_size=size, n_embd=16, n_layer=2, n_head=2, n_positions=256, initializer_range=0.5, pad_token_id=0, **more
    )
    getattr(transformers, kind)(config).save_pretrained(folder)
    return folder


def llama(folder: Path) -> Path:
    """A tiny model with the architecture of SmolLM2."""
    size = len(byte_tokenizer(folder))
    torch.manual_seed(1)
    config = transformers.LlamaConfig(
        vocab_size=size,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=256,
        initializer_range=0.5,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    return folder


def bert(folder: Path, kind: str, **more: Any) -> Path:
    """A BERT with three small layers."""
    size = len(word_piece_tokenizer(folder))
    torch.manual_seed(2)
    config = transformers.BertConfig(
        vocab_size=size,
        hidden_size=16,
        num_hidden_layers=3,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=512,
        initializer_range=0.5,
        **more,
    )
    getattr(transformers, kind)(config).save_pretrained(folder)
    return folder
