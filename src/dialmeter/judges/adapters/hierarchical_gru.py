"""A hierarchical GRU over a dialogue: tokens to utterances, utterances to a dialogue, attention at both levels.

The published network hands its batches to the token GRU with time and batch exchanged, so that it reads across utterances
and not along them, and its attention over utterances counts those that are only padding. Here each GRU runs along its own
sequence, packed to its length.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import torch
from msgspec import Struct
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from ...core.output import new_folder
from ...errors import DialmeterError, InputError
from ...readers.strict_json import parse_as
from ..builtin.surface import tokens
from .satisfaction import CLASSES

UTTERANCES, TOKENS = 10, 64
PADDING, UNKNOWN = 0, 1
_BATCH = 64


class Config(Struct, frozen=True):
    """The sizes of a network, kept beside its weights."""

    words: int
    embedding: int = 64
    hidden: int = 64
    dropout: float = 0.3


class Attention(nn.Module):
    """The mean over a sequence, weighted by how much each place matters; padding weighs nothing."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.project = nn.Linear(size, size)
        self.weigh = nn.Linear(size, 1, bias=False)

    def forward(self, sequence: Tensor, mask: Tensor) -> Tensor:
        weights = self.weigh(torch.tanh(self.project(sequence))).squeeze(-1)
        shares = weights.masked_fill(~mask, torch.finfo(weights.dtype).min).softmax(dim=-1)
        mean: Tensor = (shares.unsqueeze(-1) * sequence).sum(dim=1)
        return mean


class HierarchicalGru(nn.Module):
    """Dialogues as tokens (batch × utterances × tokens) to five logits."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.embed = nn.Embedding(config.words, config.embedding, padding_idx=PADDING)
        self.speaker = nn.Embedding(3, config.embedding, padding_idx=PADDING)
        self.read = nn.GRU(config.embedding, config.hidden, batch_first=True, bidirectional=True)
        self.attend_tokens = Attention(2 * config.hidden)
        self.follow = nn.GRU(2 * config.hidden, config.hidden, batch_first=True, bidirectional=True)
        self.attend_utterances = Attention(2 * config.hidden)
        self.drop = nn.Dropout(config.dropout)
        self.classify = nn.Linear(4 * config.hidden, CLASSES)

    def forward(self, ids: Tensor, speakers: Tensor) -> Tensor:
        """Logits of dialogues; an utterance has at least one token, a dialogue at least one utterance."""
        there = ids.ne(PADDING)
        spoken = there.any(dim=-1)
        # The same utterance stands in many contexts of its dialogue: each is read once.
        rows = torch.cat([ids[spoken], speakers[spoken].unsqueeze(1)], dim=1)
        distinct, where = torch.unique(rows, dim=0, return_inverse=True)
        flat, by = distinct[:, :-1], distinct[:, -1]
        mask = flat.ne(PADDING)
        words = self.drop(self.embed(flat) + self.speaker(by).unsqueeze(1))
        utterances = self.attend_tokens(_along(self.read, words, mask.sum(dim=1)), mask)[where]
        talk = utterances.new_zeros(*spoken.shape, utterances.shape[-1])
        talk[spoken] = self.drop(utterances)
        states = _along(self.follow, talk, spoken.sum(dim=1))
        last = states[torch.arange(len(states)), spoken.sum(dim=1) - 1]
        whole = torch.cat([self.attend_utterances(states, spoken), last], dim=-1)
        logits: Tensor = self.classify(self.drop(whole))
        return logits


def _along(gru: nn.GRU, sequence: Tensor, lengths: Tensor) -> Tensor:
    """The states of a GRU along each sequence, which ends where its padding begins."""
    packed = pack_padded_sequence(sequence, lengths.cpu(), batch_first=True, enforce_sorted=False)
    states, _ = pad_packed_sequence(gru(packed)[0], batch_first=True, total_length=sequence.shape[1])
    return states


Said = tuple[str, str]
"""A speaker and a text."""


def encoded(dialogues: Sequence[Sequence[Said]], places: dict[str, int]) -> tuple[Tensor, Tensor]:
    """The last utterances of dialogues as tensors: tokens, and whether the speaker is the one who spoke last."""
    cut = [list(dialogue)[-UTTERANCES:] for dialogue in dialogues]
    words = [[_ids(text, places) for _, text in dialogue] for dialogue in cut]
    most = max((len(dialogue) for dialogue in words), default=1)
    longest = max((len(ids) for dialogue in words for ids in dialogue), default=1)
    ids = torch.zeros(len(cut), most, longest, dtype=torch.long)
    speakers = torch.zeros(len(cut), most, dtype=torch.long)
    for row, (dialogue, said) in enumerate(zip(cut, words, strict=True)):
        for place, ((speaker, _), tokens_of) in enumerate(zip(dialogue, said, strict=True)):
            ids[row, place, : len(tokens_of)] = torch.tensor(tokens_of)
            speakers[row, place] = 1 if speaker == dialogue[-1][0] else 2
    return ids, speakers


def _ids(text: str, places: dict[str, int]) -> list[int]:
    return [places.get(token, UNKNOWN) for token in tokens(text)[:TOKENS]] or [UNKNOWN]


def save(folder: Path, network: HierarchicalGru, words: Sequence[str]) -> None:
    """Writes weights, sizes and words.

    Raises:
        DialmeterError: the folder cannot be written.
    """
    from safetensors.torch import save as packed

    weights = {name: tensor.contiguous() for name, tensor in network.state_dict().items()}
    with new_folder(folder, lambda _: None) as new:
        (new / "model.safetensors").write_bytes(packed(weights))
        (new / "words.txt").write_text("\n".join(words) + "\n", "utf-8")
        (new / "config.json").write_bytes(msgspec.json.format(msgspec.json.encode(network.config), indent=1) + b"\n")


def load(folder: Path, device: str = "cpu") -> tuple[HierarchicalGru, dict[str, int]]:
    """A network that was saved, and the places of its words.

    Raises:
        InputError: the folder does not hold one.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        config = parse_as((folder / "config.json").read_bytes(), Config, "config.json", what="a configuration")
        words = (folder / "words.txt").read_text("utf-8").splitlines()
        network = HierarchicalGru(config)
        network.load_state_dict(load_file(folder / "model.safetensors"))
    except (OSError, InputError, UnicodeDecodeError, RuntimeError, SafetensorError) as error:
        raise InputError(f"not a trained judge of satisfaction ({error})", file=folder.name) from None
    if len(words) + 2 != config.words:
        raise InputError(f"words.txt has {len(words)} words, not {config.words - 2}", file=folder.name)
    return network.to(device).eval(), places_of(words)


def places_of(words: Sequence[str]) -> dict[str, int]:
    """The number of each word; two numbers are for padding and for unknown words."""
    return {word: number for number, word in enumerate(words, 2)}


def logits_of(network: Any, places: dict[str, int], dialogues: Sequence[Sequence[Said]]) -> list[list[float]]:
    """The logits of dialogues.

    Raises:
        DialmeterError: a dialogue is empty.
    """
    if not all(dialogues):
        raise DialmeterError("a dialogue without an utterance has no rating")
    device = next(network.parameters()).device
    found: list[list[float]] = []
    with torch.inference_mode():
        # In the order given: neighbours share most of their utterances, which are then read once.
        for start in range(0, len(dialogues), _BATCH):
            ids, speakers = encoded(dialogues[start : start + _BATCH], places)
            found += network(ids.to(device), speakers.to(device)).double().tolist()
    return found
