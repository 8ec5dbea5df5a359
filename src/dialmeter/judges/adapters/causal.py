"""Several replies to one context in one forward pass.

The usual way runs context and reply through the model for every reply, and the context alone once more. Here the context
stands once, the replies follow one another, each reply sees the context and itself but no other reply, and its positions
count from the end of the context. The numbers are the same, for a fraction of the work.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import DialmeterError
from .network import Weights

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


class Causal(Weights):
    """A causal language model that says how likely continuations are.

    Args:
        model: a folder, or the id of a model on the hub.
        gguf: the name of a GGUF file in the folder.
        device: where it runs.
        dtype: the numbers that it runs with.
    """

    def __init__(self, model: str, *, gguf: str = "", device: str = "cpu", dtype: str = "float32") -> None:
        super().__init__("AutoModelForCausalLM", model, gguf=gguf, device=device, dtype=dtype)

    def ids(self, text: str) -> list[int]:
        """The tokens of a text, nothing added."""
        found: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        return found

    @property
    def start(self) -> int:
        """The token that stands before a text."""
        bos: Any = self.tokenizer.bos_token_id
        return int(bos if bos is not None else self.tokenizer.eos_token_id)

    def log_probabilities(self, rows: Sequence[Row]) -> list[list[float]]:
        """Per row and continuation, the log-probability of the continuation after the context."""
        import torch

        head = self.model.get_output_embeddings()
        found = []
        with torch.inference_mode():
            for row, layers in zip(rows, hidden_states(self.model, rows), strict=True):
                found.append([_sum(head, layer, suffix) for layer, suffix in zip(layers, row.suffixes, strict=True)])
        return found


def _sum(head: Any, layer: Any, suffix: list[int]) -> float:
    import torch

    if not suffix:
        return 0.0
    # Single precision suffices for a token; the sum is made in double, so that long replies lose nothing.
    logs = head(layer[:-1]).float().log_softmax(dim=-1)
    chosen = logs[torch.arange(len(suffix)), torch.tensor(suffix, device=logs.device)]
    return float(chosen.double().sum())
