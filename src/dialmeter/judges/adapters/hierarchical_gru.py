"""A hierarchical GRU over a dialogue, and its training on ratings of satisfaction: one GRU over tokens, one GRU over utterances, and attention at both levels.

The published network passes batches to the token GRU with time and batch swapped, so it reads across utterances
and not along them. Its attention over utterances includes padding. Here, each GRU runs along its sequence, packed to its
length.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import msgspec
import torch
from msgspec import Struct
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from ...core.output import new_folder
from ...errors import DialmeterError, InputError
from ...readers.source import Source
from ...readers.strict_json import parse_as
from ..builtin.surface import tokens
from ..train.ratings import Example, Quality, Trained, flat, majority, quality, read_examples
from .satisfaction import CLASSES, rating

UTTERANCES, TOKENS = 10, 64
PADDING, UNKNOWN = 0, 1
_BATCH = 64


class Config(Struct, frozen=True):
    """The sizes of a network, stored with its weights."""

    words: int
    embedding: int = 64
    hidden: int = 64
    dropout: float = 0.3


class Attention(nn.Module):
    """The weighted mean over a sequence; padding has the weight 0."""

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
    """A network from dialogues as tokens (batch × utterances × tokens) to five logits."""

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
        """The logits of dialogues. An utterance has at least one token, and a dialogue has at least one utterance."""
        is_utterance = ids.ne(PADDING).any(dim=-1)
        # An utterance occurs in many contexts of its dialogue. Each distinct utterance is encoded once.
        rows = torch.cat([ids[is_utterance], speakers[is_utterance].unsqueeze(1)], dim=1)
        distinct, where = torch.unique(rows, dim=0, return_inverse=True)
        distinct_ids, distinct_speakers = distinct[:, :-1], distinct[:, -1]
        mask = distinct_ids.ne(PADDING)
        words = self.drop(self.embed(distinct_ids) + self.speaker(distinct_speakers).unsqueeze(1))
        utterances = self.attend_tokens(_run_gru(self.read, words, mask.sum(dim=1)), mask)[where]
        dialogues = utterances.new_zeros(*is_utterance.shape, utterances.shape[-1])
        dialogues[is_utterance] = self.drop(utterances)
        states = _run_gru(self.follow, dialogues, is_utterance.sum(dim=1))
        last = states[torch.arange(len(states)), is_utterance.sum(dim=1) - 1]
        whole = torch.cat([self.attend_utterances(states, is_utterance), last], dim=-1)
        logits: Tensor = self.classify(self.drop(whole))
        return logits


def _run_gru(gru: nn.GRU, sequence: Tensor, lengths: Tensor) -> Tensor:
    """The states of a GRU along each sequence, without its padding."""
    packed = pack_padded_sequence(sequence, lengths.cpu(), batch_first=True, enforce_sorted=False)
    states, _ = pad_packed_sequence(gru(packed)[0], batch_first=True, total_length=sequence.shape[1])
    return states


Said = tuple[str, str]
"""A speaker and a text."""


def encoded(dialogues: Sequence[Sequence[Said]], places: dict[str, int]) -> tuple[Tensor, Tensor]:
    """The last utterances of dialogues as tensors: tokens, and speakers (1 for the last speaker, 2 for others)."""
    recent = [list(dialogue)[-UTTERANCES:] for dialogue in dialogues]
    words = [
        [[places.get(token, UNKNOWN) for token in tokens(text)[:TOKENS]] or [UNKNOWN] for _, text in dialogue]
        for dialogue in recent
    ]
    most = max((len(dialogue) for dialogue in words), default=1)
    longest = max((len(ids) for dialogue in words for ids in dialogue), default=1)
    ids = torch.zeros(len(recent), most, longest, dtype=torch.long)
    speakers = torch.zeros(len(recent), most, dtype=torch.long)
    for row, (dialogue, utterances) in enumerate(zip(recent, words, strict=True)):
        for place, ((speaker, _), utterance) in enumerate(zip(dialogue, utterances, strict=True)):
            ids[row, place, : len(utterance)] = torch.tensor(utterance)
            speakers[row, place] = 1 if speaker == dialogue[-1][0] else 2
    return ids, speakers


def save(folder: Path, network: HierarchicalGru, words: Sequence[str]) -> None:
    """Write weights, sizes and words into a folder.

    Raises:
        DialmeterError: the folder cannot be written.
    """
    from safetensors.torch import save as serialise

    weights = {name: tensor.contiguous() for name, tensor in network.state_dict().items()}
    with new_folder(folder, lambda _: None) as new:
        (new / "model.safetensors").write_bytes(serialise(weights))
        (new / "words.txt").write_text("\n".join(words) + "\n", "utf-8")
        (new / "config.json").write_bytes(msgspec.json.format(msgspec.json.encode(network.config), indent=1) + b"\n")


def load(folder: Path, device: str = "cpu") -> tuple[HierarchicalGru, dict[str, int]]:
    """Load a saved network, and the numbers of its words.

    Raises:
        InputError: the folder does not contain a saved network.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        config = parse_as(Source(folder / "config.json").read_all(), Config, "config.json", what="a configuration")
        words = Source(folder / "words.txt").text.splitlines()
        network = HierarchicalGru(config)
        network.load_state_dict(load_file(folder / "model.safetensors"))
    except (OSError, InputError, RuntimeError, SafetensorError) as error:
        raise InputError(f"not a trained judge of satisfaction ({error})", file=folder.name) from None
    if len(words) + 2 != config.words:
        raise InputError(f"words.txt has {len(words)} words, not {config.words - 2}", file=folder.name)
    return network.to(device).eval(), places_of(words)


def places_of(words: Sequence[str]) -> dict[str, int]:
    """The number of each word. The numbers 0 and 1 are for padding and for unknown words."""
    return {word: number for number, word in enumerate(words, 2)}


def logits_of(network: Any, places: dict[str, int], dialogues: Sequence[Sequence[Said]]) -> list[list[float]]:
    """The logits of dialogues.

    Raises:
        DialmeterError: a dialogue is empty.
    """
    if not all(dialogues):
        raise DialmeterError("a dialogue without an utterance has no rating")
    device = next(network.parameters()).device
    logits: list[list[float]] = []
    with torch.inference_mode():
        # Keep the order: consecutive dialogues share most of their utterances, which are then encoded once.
        for start in range(0, len(dialogues), _BATCH):
            ids, speakers = encoded(dialogues[start : start + _BATCH], places)
            logits += network(ids.to(device), speakers.to(device)).double().tolist()
    return logits


_WATCHED = 0.1
"""The share of training dialogues that is used for validation, to decide when to stop."""


_PATIENCE = 2
"""The number of epochs without progress after which training stops."""
_DIALOGUES = 4
"""The number of dialogues per step. Each distinct utterance of a batch is encoded once."""
_RATE, _DECAY = 2e-3, 1e-2
_BALANCE = 0.7
"""The exponent of the class weights: the weight of a class is (1 / its share) to this power."""
_LEAST = 2
"""The smallest count of a word in the vocabulary; rarer words are unknown."""


def train(
    data: str | Path,
    out: str | Path,
    *,
    seed: int = 1,
    epochs: int = 5,
    held_out: int = 100,
    until: str = "rated",
    progress: Callable[[int, Quality], None] | None = None,
) -> tuple[Trained, Quality]:
    """Train a judge of satisfaction and write it into a folder.

    Args:
        data: a file in the format ``satisfaction``.
        out: the folder.
        seed: the seed of all random choices.
        epochs: the largest number of epochs.
        held_out: the number of dialogues for testing, from the end of the file.
        until: ``rated`` to end a dialogue with the rated turn, or ``before`` it.
        progress: a function that is called after each epoch with its quality on the validation dialogues.

    Returns:
        The result, and the quality of always predicting the most frequent class.
    """
    training, test = read_examples(data, held_out, until)
    draw = random.Random(seed)
    order = list(range(len(training)))
    draw.shuffle(order)
    cut = max(1, round(_WATCHED * len(order)))
    watched = flat(training[number] for number in sorted(order[:cut]))
    dialogues = [training[number] for number in sorted(order[cut:])]
    examples = flat(dialogues)
    texts = {text for example in examples for _, text in example.said}
    counts = Counter(token for text in sorted(texts) for token in tokens(text))
    words = sorted(word for word, count in counts.items() if count >= _LEAST)
    places = places_of(words)
    torch.manual_seed(seed)
    network = HierarchicalGru(Config(len(words) + 2))
    run_epoch = _make_epoch(network, places, dialogues)
    best, best_value, epochs_since_best = deepcopy(network.state_dict()), -1.0, 0
    qualities: list[Quality] = []
    for epoch in range(1, epochs + 1):
        run_epoch(draw)
        validation = measure_quality(network, places, watched)
        qualities.append(validation)
        if progress:
            progress(epoch, validation)
        value = validation.uar + (validation.spearman or 0.0)
        if value > best_value:
            best, best_value, epochs_since_best = deepcopy(network.state_dict()), value, 0
        else:
            epochs_since_best += 1
            if epochs_since_best >= _PATIENCE:
                break
    network.load_state_dict(best)
    save(Path(out), network, words)
    labels = [example.label for example in flat(test)]
    baseline = majority(labels, [example.label for example in examples])
    return Trained(seed, len(qualities), measure_quality(network, places, flat(test)), qualities), baseline


def measure_quality(network: HierarchicalGru, places: dict[str, int], examples: Sequence[Example]) -> Quality:
    """The quality of a network on examples."""
    network.eval()
    logits = logits_of(network, places, [example.said for example in examples])
    classes = [round(rating(each, "argmax")) - 1 for each in logits]
    return quality([example.label for example in examples], classes, [rating(each) for each in logits])


def _make_epoch(
    network: HierarchicalGru,
    places: dict[str, int],
    dialogues: Sequence[Sequence[Example]],
) -> Callable[[random.Random], None]:
    """Return a function that trains a network on all dialogues once."""
    counts = Counter(example.label for example in flat(dialogues))
    # Without the lower limit, a class with very few examples would dominate the loss.
    shares = [max(counts[each] / counts.total(), 0.01) for each in range(CLASSES)]
    weights = torch.tensor([share**-_BALANCE for share in shares])
    loss = nn.CrossEntropyLoss(weight=weights / weights[counts.most_common(1)[0][0]])
    optimiser = torch.optim.AdamW(network.parameters(), lr=_RATE, weight_decay=_DECAY)

    def run(draw: random.Random) -> None:
        network.train()
        numbers = list(range(len(dialogues)))
        draw.shuffle(numbers)
        for start in range(0, len(numbers), _DIALOGUES):
            batch = flat(dialogues[number] for number in numbers[start : start + _DIALOGUES])
            ids, speakers = encoded([example.said for example in batch], places)
            labels = torch.tensor([example.label for example in batch])
            optimiser.zero_grad()
            loss(network(ids, speakers), labels).backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()

    return run
