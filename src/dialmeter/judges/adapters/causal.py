"""Causal language models: score several replies to one context in one forward pass.

A simple implementation runs context and reply through the model for every reply, and then the context alone. Here, a row holds the
context once and all replies after it. Each reply attends to the context and to itself, but not to other replies. Its positions count
from the end of the context. The numbers are the same, with a fraction of the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ...errors import DialmeterError
from .network import Network

if TYPE_CHECKING:
    from torch import Tensor


_TOKENS = 1024
"""The largest number of tokens in one batch, including padding."""
_SUFFIXES = 384
"""The largest number of tokens of continuations after one context."""
Item = TypeVar("Item")


class PackedRow(NamedTuple):
    """The tokens of a context, at least one, and the tokens of each continuation."""

    prefix: list[int]
    suffixes: list[list[int]]

    @property
    def length(self) -> int:
        return len(self.prefix) + sum(map(len, self.suffixes))


def shared_rows(network: Network, prefix: str, texts: Sequence[str]) -> PackedRow | None:
    """Split texts with a common prefix after the tokens that all of them share; None if they share no token.

    The split is made between tokens, not between letters, because a token may contain the end of the context and the start of the reply.
    """
    ids = [token_ids(network, text) for text in (prefix, *texts)]
    common = 0
    while all(len(each) > common for each in ids) and len({each[common] for each in ids}) == 1:
        common += 1
    return PackedRow(ids[0][:common], [each[common:] for each in ids]) if common else None


def split_row(row: PackedRow, limit: int) -> list[PackedRow]:
    """Split a row into rows that fit into the model. If the context is too long, each continuation gets its own row with the context's end.

    The score of a reply never depends on the other replies of the row.

    Raises:
        DialmeterError: a continuation alone is too long for the model.
    """
    longest = max(map(len, row.suffixes))
    if len(row.prefix) + longest <= limit:
        # The mask grows with the square of the length.
        return [
            PackedRow(row.prefix, part) for part in _groups(row.suffixes, lambda part: sum(map(len, part)) <= _SUFFIXES)
        ]
    if longest >= limit:
        raise DialmeterError(f"the reply has {longest} tokens, but the model takes {limit}")
    return [PackedRow(row.prefix[-(limit - len(suffix)) :], [suffix]) for suffix in row.suffixes]


def _groups(items: Iterable[Item], has_room: Callable[[list[Item]], bool]) -> list[list[Item]]:
    """Split items into consecutive groups that have room, or have one item."""
    groups: list[list[Item]] = []
    for item in items:
        if groups and has_room([*groups[-1], item]):
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups


def room(model: Any) -> int:
    """The largest number of tokens that a model takes."""
    return int(getattr(model.config, "max_position_embeddings", 0) or 1 << 20)


def hidden_states(model: Any, rows: Sequence[PackedRow]) -> list[list[Tensor]]:
    """For each row and continuation, the last layer at the end of the context and at each token of the continuation."""
    import torch

    owners, parts = [], []
    for number, row in enumerate(rows):
        for part in split_row(row, room(model)):
            owners.append(number)
            parts.append(part)
    states: list[list[Tensor]] = [[] for _ in parts]
    # Rows of similar length need little padding. The last one is the longest.
    order = sorted(range(len(parts)), key=lambda number: parts[number].length)
    for batch in _groups(order, lambda batch: parts[batch[-1]].length * len(batch) <= _TOKENS):
        batch_inputs = _inputs([parts[number] for number in batch], model.dtype)
        inputs = {name: tensor.to(model.device) for name, tensor in batch_inputs.items()}
        with torch.inference_mode():
            layer = model.base_model(**inputs, use_cache=False).last_hidden_state
        for place, number in enumerate(batch):
            prefix, suffixes = parts[number]
            start = len(prefix)
            for suffix in suffixes:
                own = layer[place, start : start + len(suffix)]
                states[number].append(torch.cat([layer[place, len(prefix) - 1 : len(prefix)], own]))
                start += len(suffix)
    by_row: list[list[Tensor]] = [[] for _ in rows]
    for number, state in zip(owners, states, strict=True):
        by_row[number] += state
    return by_row


def _inputs(rows: Sequence[PackedRow], dtype: Any) -> dict[str, Tensor]:
    import torch

    width = max(row.length for row in rows)
    ids = torch.zeros(len(rows), width, dtype=torch.long)
    positions = torch.zeros(len(rows), width, dtype=torch.long)
    part = torch.full((len(rows), width), -1)
    for place, row in enumerate(rows):
        start = len(row.prefix)
        ids[place, : row.length] = torch.tensor([*row.prefix, *(token for suffix in row.suffixes for token in suffix)])
        positions[place, :start] = torch.arange(start)
        part[place, :start] = 0
        for number, suffix in enumerate(row.suffixes, 1):
            end = start + len(suffix)
            positions[place, start:end] = torch.arange(len(row.prefix), len(row.prefix) + len(suffix))
            part[place, start:end] = number
            start = end
    before = torch.ones(width, width, dtype=torch.bool).tril()
    # Padding attends to itself, because a token that attends to nothing results in NaN.
    seen = before & ((part[:, None, :] == 0) | (part[:, None, :] == part[:, :, None]))
    mask = torch.zeros(seen.shape, dtype=dtype).masked_fill(~seen, torch.finfo(dtype).min)
    return {"input_ids": ids, "position_ids": positions, "attention_mask": mask[:, None]}


def token_ids(network: Network, text: str) -> list[int]:
    """The tokens of a text, without special tokens."""
    ids: list[int] = network.tokenizer(text, add_special_tokens=False)["input_ids"]
    return ids


def start_token(network: Network) -> int:
    """The start token of a text."""
    bos: Any = network.tokenizer.bos_token_id
    return int(bos if bos is not None else network.tokenizer.eos_token_id)


def log_probabilities(network: Network, rows: Sequence[PackedRow]) -> list[list[float]]:
    """For each row and continuation, the log-probability of the continuation after the context."""
    import torch

    head = network.model.get_output_embeddings()

    def log_probability(layer: Tensor, suffix: list[int]) -> float:
        if not suffix:
            return 0.0
        # Single precision is enough for a token. The sum is in double precision, because replies may be long.
        logs = head(layer[:-1]).float().log_softmax(dim=-1)
        chosen = logs[torch.arange(len(suffix)), torch.tensor(suffix, device=logs.device)]
        return float(chosen.double().sum())

    with torch.inference_mode():
        return [
            [log_probability(layer, suffix) for layer, suffix in zip(layers, row.suffixes, strict=True)]
            for row, layers in zip(rows, hidden_states(network.model, rows), strict=True)
        ]
