"""numpy and its types. numpy is loaded when it is first used, so ``from .numeric import np`` costs nothing when a command starts.

Names for types of arrays are therefore texts: ``Floats: TypeAlias = "NDArray[np.float64]"``.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any


class _LoadedWhenUsed(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # asked for by tools that look at a module
            raise AttributeError(name)
        module = import_module(self.__name__)
        self.__dict__.update(module.__dict__)
        return getattr(module, name)


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
else:
    np = _LoadedWhenUsed("numpy")
    ArrayLike = NDArray = Any

__all__ = ["ArrayLike", "NDArray", "np"]
