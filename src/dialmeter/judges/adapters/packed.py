"""Several replies to one context in one forward pass.

The usual way runs context and reply through the model for every reply, and the context alone once more. Here the context
stands once, the replies follow one another, each reply sees the context and itself but no other reply, and its positions
count from the end of the context. The numbers are the same, for a fraction of the work.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import DialmeterError

if TYPE_CHECKING:
    from torch import Tensor

_TOKENS = 1024
"""How many tokens go into one batch, padding included."""
_SUFFIXES = 384
"""How many tokens of continuations go behind one context."""


class Row(NamedTuple):
    """The tokens of a context, at least one, and the tokens of each continuation."""

    prefix: list[int]
    suffixes: list[list[int]]

    @property
    def length(self) -> int:
        return len(self.prefix) + sum(map(len, self.suffixes))


def shared_rows(tokenizer: Any, prefix: str, texts: Sequence[str]) -> Row | None:
    """Texts that begin alike, cut after the tokens that all of them share; None where they share none.

    Words may melt into one token where context and reply meet, so that the cut is made by tokens and not by letters.
    """
    ids = [tokenizer(text, add_special_tokens=False)["input_ids"] for text in (prefix, *texts)]
    common = 0
    while all(len(each) > common for each in ids) and len({each[common] for each in ids}) == 1:
        common += 1
    return Row(ids[0][:common], [each[common:] for each in ids]) if common else None


def fitted(row: Row, limit: int) -> list[Row]:
    """The row where it fits into the model; else a row per continuation, with as much of the context's end as fits.

    So the score of a reply never depends on which others are scored with it.

    Raises:
        DialmeterError: a continuation alone is longer than the model takes.
    """
    longest = max(map(len, row.suffixes))
    if len(row.prefix) + longest <= limit:
        return list(_portions(row))
    if longest >= limit:
        raise DialmeterError(f"the reply has {longest} tokens, and the model takes {limit}")
    return [Row(row.prefix[-(limit - len(suffix)) :], [suffix]) for suffix in row.suffixes]


def _portions(row: Row) -> Iterator[Row]:
    """The row in parts that are not too long, for the mask grows with the square of the length."""
    part: list[list[int]] = []
    for suffix in row.suffixes:
        if part and sum(map(len, part)) + len(suffix) > _SUFFIXES:
            yield Row(row.prefix, part)
            part = []
        part.append(suffix)
    yield Row(row.prefix, part)


def room(model: Any) -> int:
    """How many tokens a model takes."""
    return int(getattr(model.config, "max_position_embeddings", 0) or 1 << 20)


def hidden_states(model: Any, rows: Sequence[Row]) -> list[list[Tensor]]:
    """Per row and continuation, the last layer at the end of the context and at each token of the continuation."""
    import torch

    owners, parts = [], []
    for number, row in enumerate(rows):
        for part in fitted(row, room(model)):
            owners.append(number)
            parts.append(part)
    states: list[list[Tensor]] = [[] for _ in parts]
    for batch in _batches(parts):
        chosen = [parts[number] for number in batch]
        inputs = {name: tensor.to(model.device) for name, tensor in _inputs(chosen, model.dtype).items()}
        with torch.inference_mode():
            layer = model.base_model(**inputs, use_cache=False).last_hidden_state
        for place, number in enumerate(batch):
            prefix, suffixes = parts[number]
            start = len(prefix)
            for suffix in suffixes:
                own = layer[place, start : start + len(suffix)]
                states[number].append(torch.cat([layer[place, len(prefix) - 1 : len(prefix)], own]))
                start += len(suffix)
    found: list[list[Tensor]] = [[] for _ in rows]
    for number, state in zip(owners, states, strict=True):
        found[number] += state
    return found


def _batches(rows: Sequence[Row]) -> Iterator[list[int]]:
    """Rows of like length together, so that little is padded."""
    batch: list[int] = []
    for number in sorted(range(len(rows)), key=lambda each: rows[each].length):
        if batch and rows[number].length * (len(batch) + 1) > _TOKENS:
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch


def _inputs(rows: Sequence[Row], dtype: Any) -> dict[str, Tensor]:
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
    # Padding sees itself, because a token that sees nothing gives numbers that are none.
    seen = before & ((part[:, None, :] == 0) | (part[:, None, :] == part[:, :, None]))
    mask = torch.zeros(seen.shape, dtype=dtype).masked_fill(~seen, torch.finfo(dtype).min)
    return {"input_ids": ids, "position_ids": positions, "attention_mask": mask[:, None]}
