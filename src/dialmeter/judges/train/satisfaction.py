"""Train a hierarchical GRU on ratings of satisfaction."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from copy import deepcopy
from pathlib import Path

import torch
from msgspec import Struct
from torch import nn

from ..adapters.hierarchical_gru import Config, HierarchicalGru, encoded, logits_of, places_of, save
from ..adapters.satisfaction import CLASSES, rating
from ..builtin.surface import tokens
from .ratings import Example, Quality, Trained, flat, majority, quality, read_examples

_WATCHED = 0.1
"""The share of training dialogues that is used for validation, to decide when to stop."""


class TrainingSettings(Struct, frozen=True):
    """Hyperparameters of training."""

    epochs: int = 5
    patience: int = 2
    batch: int = 4
    """The number of dialogues per step. Each distinct utterance of a batch is encoded once."""
    rate: float = 2e-3
    decay: float = 1e-2
    balance: float = 0.7
    """The exponent of the class weights: the weight of a class is (1 / its share) to this power."""
    least: int = 2
    """The smallest count of a word in the vocabulary; rarer words are unknown."""
    embedding: int = 64
    hidden: int = 64
    dropout: float = 0.3
    held_out: int = 100
    until: str = "rated"


def train(
    data: str | Path,
    out: str | Path,
    *,
    seed: int = 1,
    settings: TrainingSettings | None = None,
    progress: Callable[[int, Quality], None] | None = None,
) -> tuple[Trained, Quality]:
    """Train a judge of satisfaction and write it into a folder.

    Args:
        data: a file in the format ``satisfaction``.
        out: the folder.
        seed: the seed of all random choices.
        settings: the hyperparameters.
        progress: a function that is called after each epoch with its quality on the validation dialogues.

    Returns:
        The result, and the quality of always predicting the most frequent class.
    """
    settings = settings or TrainingSettings()
    training, test = read_examples(data, settings.held_out, settings.until)
    draw = random.Random(seed)
    order = list(range(len(training)))
    draw.shuffle(order)
    cut = max(1, round(_WATCHED * len(order)))
    watched = flat(training[number] for number in sorted(order[:cut]))
    dialogues = [training[number] for number in sorted(order[cut:])]
    examples = flat(dialogues)
    words = _vocabulary(examples, settings.least)
    places = places_of(words)
    torch.manual_seed(seed)
    config = Config(len(words) + 2, settings.embedding, settings.hidden, settings.dropout)
    network = HierarchicalGru(config)
    run_epoch = _make_epoch(network, places, dialogues, settings)
    best, best_value, epochs_since_best = deepcopy(network.state_dict()), -1.0, 0
    qualities: list[Quality] = []
    for epoch in range(1, settings.epochs + 1):
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
            if epochs_since_best >= settings.patience:
                break
    network.load_state_dict(best)
    save(Path(out), network, words)
    labels = [example.label for example in flat(test)]
    baseline = majority(labels, [example.label for example in examples])
    return Trained(seed, len(qualities), measure_quality(network, places, flat(test)), qualities), baseline


def _vocabulary(examples: Sequence[Example], least: int) -> list[str]:
    texts = {text for example in examples for _, text in example.said}
    counts = Counter(token for text in sorted(texts) for token in tokens(text))
    return sorted(word for word, count in counts.items() if count >= least)


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
    settings: TrainingSettings,
) -> Callable[[random.Random], None]:
    """Return a function that trains a network on all dialogues once."""
    counts = Counter(example.label for example in flat(dialogues))
    # Without the lower limit, a class with very few examples would dominate the loss.
    shares = [max(counts[each] / counts.total(), 0.01) for each in range(CLASSES)]
    weights = torch.tensor([share**-settings.balance for share in shares])
    loss = nn.CrossEntropyLoss(weight=weights / weights[counts.most_common(1)[0][0]])
    optimiser = torch.optim.AdamW(network.parameters(), lr=settings.rate, weight_decay=settings.decay)

    def run(draw: random.Random) -> None:
        network.train()
        numbers = list(range(len(dialogues)))
        draw.shuffle(numbers)
        for start in range(0, len(numbers), settings.batch):
            batch = flat(dialogues[number] for number in numbers[start : start + settings.batch])
            ids, speakers = encoded([example.said for example in batch], places)
            labels = torch.tensor([example.label for example in batch])
            optimiser.zero_grad()
            loss(network(ids, speakers), labels).backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()

    return run
