from numpy import float64, int64
from numpy.random import BitGenerator
from numpy.typing import NDArray

def count(bit_generator: BitGenerator, bits: int, shares: NDArray[int64], counts: NDArray[float64]) -> None: ...
