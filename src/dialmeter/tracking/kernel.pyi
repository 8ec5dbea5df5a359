from collections.abc import Callable, Mapping

Learned = tuple[str, str, str | None, str | None]

class Tallied:
    id: str
    rows: bytes
    gold: bytes
    gold_slots: list[str]
    gold_changes: int
    gold_losses: int

class Kernel:
    def __init__(
        self,
        learn: Callable[[bytes], Learned | None],
        encode: Callable[[str], bytes],
        number_of: Mapping[tuple[int, ...], int],
    ) -> None: ...
    def read(self, line: bytes) -> Tallied | None: ...
