"""A small linear head over features of context and reply, trained by ``dialmeter judge train robust``."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache, cached_property
from math import isfinite, log1p
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import msgspec
from msgspec import Struct

from ...errors import DialmeterError, InputError
from ...readers.source import Source
from ...readers.strict_json import parse_as
from ..builtin.surface import ContextOverlap, Distinct, tokens, words
from ..judge import Item, name_with_parameters
from .network import shown

if TYPE_CHECKING:
    import numpy as np

    from .minilm import Relevance

    Array = np.ndarray[Any, np.dtype[np.float64]]

FILE = "robust.json"
LAYOUT = 1
BUCKETS = 2048
BASE = {"ngram": "overlap", "minilm": "minilm-relevance"}
"""By kind of features, the judge that is the first feature: the judge before training."""


class RobustWeights(Struct, frozen=True, kw_only=True):
    """What training writes.

    Attributes:
        layout: of the file.
        features: ``ngram`` or ``minilm``.
        weights: one per feature.
        attacks: those that it was trained on.
        cases: the digest of the cases.
        seed: of the division of dialogues.
    """

    layout: int
    features: str
    weights: list[float]
    attacks: list[str]
    cases: str
    seed: int


def read_weights(folder: str | Path) -> RobustWeights:
    """The weights in a folder, checked.

    Raises:
        InputError: there are none, or they do not fit.
    """
    path = Path(folder) / FILE
    if not path.is_file():
        raise InputError(f"has no {FILE}; make one with: dialmeter judge train robust", file=str(folder))
    source = Source(path)
    found = parse_as(source.read_all(), RobustWeights, source.name, what="the weights of a robust judge")
    if found.layout != LAYOUT or found.features not in BASE:
        raise InputError(f"weights of layout {found.layout} over {found.features!r} are not known", file=source.name)
    if found.features == "ngram" and len(found.weights) != _SURFACE + BUCKETS:
        raise InputError(f"{len(found.weights)} weights, expected {_SURFACE + BUCKETS}", file=source.name)
    if not all(map(isfinite, found.weights)):
        raise InputError("a weight is not finite", file=source.name)
    return found


_SURFACE = 4


def ngram_features(items: Sequence[Item]) -> Array:
    """Overlap with the context, distinct words, length, the share of words of the last turn, and hashed n-grams of the reply.

    Example:
        >>> from dialmeter.model import Move
        >>> ngram_features([((Move("user", "a cheap hotel"),), "which hotel?")])[0, :2].tolist()
        [0.5, 1.0]
    """
    import numpy as np

    found = np.zeros((len(items), _SURFACE + BUCKETS))
    found[:, 0] = ContextOverlap().score(items)
    found[:, 1] = Distinct().score(items)
    for row, (context, reply) in zip(found, items, strict=True):
        said, last = words(reply), set(words(context[-1].text)) if context else set()
        row[2] = log1p(len(said))
        row[3] = sum(word in last for word in said) / len(said) if said else 0.0
        signs = ["<", *tokens(reply), ">"]
        grams = [" ".join(signs[place : place + size]) for size in (1, 2, 3) for place in range(len(signs) - size + 1)]
        for gram in grams:
            row[_SURFACE + crc32(gram.encode("utf-8", "surrogatepass")) % BUCKETS] += 1 / len(grams)
    return found


@cache
def _minilm() -> Relevance:
    from .minilm import Relevance

    return Relevance()


def minilm_features(items: Sequence[Item]) -> Array:
    """The cosine of context and reply under MiniLM, the products of both vectors, and the vector of the reply."""
    import numpy as np

    before, after = (side.numpy().astype(np.float64) for side in _minilm().pair_vectors(items))
    products = before * after
    return np.hstack([products.sum(axis=1, keepdims=True), products, after])


FEATURES = {"ngram": ngram_features, "minilm": minilm_features}


class RobustHead:
    """A linear head that was trained to prefer human replies to attacked ones.

    Args:
        folder: the folder that training wrote.
    """

    higher_is_better = True
    scale: tuple[float, float] | None = None
    facets: frozenset[str] | None = None

    def __init__(self, folder: str) -> None:
        self._trained = read_weights(folder)
        self.neural = self._trained.features == "minilm"
        self.name = name_with_parameters("robust", folder=(shown(folder), ""))
        digest = hashlib.sha256(msgspec.json.encode(self._trained)).hexdigest()[:10]
        self.identity = f"robust({self._trained.features})@{digest}"

    def load_weights(self) -> None:
        if self.neural:
            _minilm().load_weights()

    @cached_property
    def _weights(self) -> Array:
        import numpy as np

        return np.array(self._trained.weights)

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        found = FEATURES[self._trained.features](items)
        if found.shape[1] != len(self._weights):
            raise DialmeterError(f"{self.name}: {len(self._weights)} weights for {found.shape[1]} features")
        # Row by row, because the last digit of a product of matrices may depend on the number of rows.
        return [float(row @ self._weights) for row in found]
