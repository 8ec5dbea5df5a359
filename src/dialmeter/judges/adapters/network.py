"""Networks of the transformers library: a local folder or a hub id, loaded on first use and only once."""

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import nullcontext, redirect_stderr
from functools import cached_property
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

from ...errors import DialmeterError, MissingExtra, one_line
from ..judge import name_with_parameters

_CHUNK = 1 << 20


class _Loaded:
    """A tokenizer and a model; freed when no judge holds them."""

    def __init__(self, tokenizer: Any, model: Any) -> None:
        self.tokenizer = tokenizer
        self.model = model


_loaded: WeakValueDictionary[tuple[str, ...], _Loaded] = WeakValueDictionary()


class Weights:
    """A tokenizer and a model that are loaded on first use; judges with the same weights share them.

    A process that only hands out work, and perhaps lacks the device, does not load them.

    Args:
        kind: the class of the transformers library, such as ``AutoModelForCausalLM``.
        path: a folder, or the id of a model on the hub.
        gguf: the name of a GGUF file in the folder.
        device: where the model runs.
        dtype: the number type.
    """

    def __init__(self, kind: str, path: str, *, gguf: str = "", device: str = "cpu", dtype: str = "float32") -> None:
        self._how = (kind, path, gguf, device, dtype)

    @cached_property
    def _held(self) -> _Loaded:
        found = _loaded.get(self._how)
        if found is None:
            kind, path, gguf, device, dtype = self._how
            found = _loaded[self._how] = _Loaded(*load(kind, path, gguf=gguf, device=device, dtype=dtype))
        return found

    def load(self) -> None:
        """Loads them now.

        Raises:
            MissingExtra: torch or transformers are not installed.
            DialmeterError: there is no such model, device or type.
        """
        _ = self._held

    @property
    def tokenizer(self) -> Any:
        """The tokenizer."""
        return self._held.tokenizer

    @property
    def model(self) -> Any:
        """The model."""
        return self._held.model

    @property
    def mask(self) -> str:
        """The text that replaces a hidden token: the model's mask, or the end of text for models without one."""
        if self.tokenizer.mask_token:
            return str(self.tokenizer.mask_token)
        end = "<|endoftext|>"
        return end if end in self.tokenizer.get_vocab() else str(self.tokenizer.eos_token)

    def pieces(self, text: str) -> list[str]:
        """The text, split where the model's tokens begin; joined, the pieces are the text."""
        offsets = self.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
        starts = sorted({start for start, end in offsets if end > start} - {0})
        edges = [0, *starts, len(text)]
        return [text[one:two] for one, two in pairwise(edges) if two > one]


def load(kind: str, model: str, *, gguf: str = "", device: str = "cpu", dtype: str = "float32") -> tuple[Any, Any]:
    """A tokenizer and a model, ready for use.

    Args:
        kind: the class of the transformers library, such as ``AutoModelForCausalLM``.
        model: a folder, or the id of a model on the hub.
        gguf: the name of a GGUF file in the folder.
        device: where the model runs.
        dtype: the number type; ``float16`` and ``bfloat16`` are for devices that support them well.

    Raises:
        MissingExtra: torch or transformers are not installed.
        DialmeterError: there is no such model, device or type.
    """
    if dtype not in ("float32", "float16", "bfloat16"):
        raise DialmeterError(f"dtype is float32, float16 or bfloat16, not {dtype!r}")
    check_folder(model)  # before libraries that take seconds to load
    try:
        import torch
        import transformers
    except ImportError:
        raise MissingExtra("a neural judge", "neural") from None
    transformers.utils.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    local = Path(model).is_dir()
    if local and not gguf and not any(Path(model).glob("*.safetensors")):
        warnings.warn(f"{Path(model).name}: no safetensors; other weights are read with care", stacklevel=2)
    more: dict[str, Any] = {"gguf_file": gguf} if gguf else {}
    try:
        # The bar that counts tensors of a GGUF file follows no setting.
        with redirect_stderr(StringIO()) if gguf else nullcontext():
            tokenizer = transformers.AutoTokenizer.from_pretrained(model, local_files_only=local, **more)
            found = getattr(transformers, kind).from_pretrained(
                model, local_files_only=local, dtype=getattr(torch, dtype), **more
            )
        found = found.to(torch.device(device)).eval().requires_grad_(False)
    except (OSError, ValueError, RuntimeError) as error:
        raise _not_loaded(model, error) from None
    return tokenizer, found


def load_config(model: str) -> Any:
    """The configuration of a model.

    Raises:
        MissingExtra: transformers is not installed.
        DialmeterError: there is no such model.
    """
    check_folder(model)
    try:
        import transformers
    except ImportError:
        raise MissingExtra("a neural judge", "neural") from None
    try:
        return transformers.AutoConfig.from_pretrained(model, local_files_only=Path(model).is_dir())
    except (OSError, ValueError, RuntimeError) as error:
        raise _not_loaded(model, error) from None


_HUB_ID = re.compile(r"[\w-][\w.-]*(?:/[\w-][\w.-]*)?")


def check_folder(model: str) -> None:
    """Refuses what is neither a folder nor the id of a model on the hub.

    Raises:
        DialmeterError: there is no such folder, it holds no model, or it is a file.
    """
    if Path(model).is_dir():
        if not (Path(model) / "config.json").exists() and not any(Path(model).glob("*.gguf")):
            raise DialmeterError(f"model {model}: the folder holds no model (config.json is missing)")
        return
    if Path(model).exists():
        raise DialmeterError(f"model {model}: is a file; name the folder that holds config.json and the weights")
    if not _HUB_ID.fullmatch(model):
        raise DialmeterError(f"model {model}: there is no such folder")


def _not_loaded(model: str, error: Exception) -> DialmeterError:
    what = (
        "cannot be loaded"
        if Path(model).is_dir()
        else "there is no such folder, and no model of that id could be loaded"
    )
    return DialmeterError(f"model {model}: {what}: {one_line(str(error), 300)}")


def weights_digest(model: str) -> str:
    """A digest of ten digits of the files of a local model; for a hub id the id itself."""
    folder = Path(model)
    if not folder.is_dir():
        return model
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".safetensors", ".bin", ".gguf", ".json", ".txt", ".model"):
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
            with open(path, "rb") as file:
                while chunk := file.read(_CHUNK):
                    digest.update(chunk)
    return digest.hexdigest()[:10]


def shown(model: str) -> str:
    """A model's name without its folder.

    Example:
        >>> shown("/somewhere/gpt2"), shown("openai-community/gpt2")
        ('gpt2', 'openai-community/gpt2')
    """
    return Path(model).name if Path(model).is_absolute() or Path(model).is_dir() else model


def padded(sequences: Sequence[Sequence[int]], device: Any) -> tuple[Any, Any]:
    """Sequences of tokens as the rows of one tensor, and the mask: 1 for a token, 0 for padding."""
    import torch

    width = max(map(len, sequences))
    tokens = torch.zeros(len(sequences), width, dtype=torch.long)
    mask = torch.zeros(len(sequences), width, dtype=torch.long)
    for row, sequence in enumerate(sequences):
        tokens[row, : len(sequence)] = torch.tensor(sequence)
        mask[row, : len(sequence)] = 1
    return tokens.to(device), mask.to(device)


def batches_by_length(lengths: Sequence[int], size: int) -> Iterator[list[int]]:
    """The indices of sequences in batches of similar length, so that there is little padding.

    Example:
        >>> list(batches_by_length([5, 1, 3], 2))
        [[1, 2], [0]]
    """
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    return (order[start : start + size] for start in range(0, len(order), size))


def sentence_vectors(model: Any, rows: Sequence[Sequence[int]], size: int, pooling: str = "mean") -> Any:
    """The vectors of texts, each of length one, as the rows of a tensor.

    Args:
        model: gives a vector for each token.
        rows: the tokens of each text.
        size: how many texts go into one batch.
        pooling: ``mean`` over tokens, or ``cls`` for the first token.
    """
    import torch

    found = torch.zeros(len(rows), model.config.hidden_size)
    for batch in batches_by_length(list(map(len, rows)), size):
        tokens, mask = padded([rows[number] for number in batch], model.device)
        with torch.inference_mode():
            layer = model(input_ids=tokens, attention_mask=mask).last_hidden_state.float()
        mean = (layer * mask[:, :, None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)
        found[batch] = torch.nn.functional.normalize(layer[:, 0] if pooling == "cls" else mean, dim=1).cpu()
    return found


Held = TypeVar("Held", bound=Weights)


class NetworkJudge(Generic[Held]):
    """The base of judges that hold the weights of a network.

    Args:
        weights: loaded on first use.
    """

    neural = True
    higher_is_better = True
    scale: tuple[float, float] | None = None
    facets: frozenset[str] | None = None
    name: str
    identity: str

    def __init__(self, weights: Held) -> None:
        self._weights = weights

    def _identify(
        self, kind: str, model: str, usual: str, *, name: str = "", dtype: str, **given: tuple[Any, Any]
    ) -> None:
        """Sets name and identity from the model and the parameters, each with its default."""
        self.name = name_with_parameters(name or kind, model=(shown(model), usual), **given)
        values = {"model": weights_digest(model), **{key: value for key, (value, _) in given.items()}, "dtype": dtype}
        self.identity = f"{kind}({', '.join(f'{key}={value}' for key, value in values.items())})"

    def load_weights(self) -> None:
        """Loads the weights if they are not loaded yet."""
        self._weights.load()

    @property
    def mask(self) -> str:
        """The text that replaces a hidden token."""
        return self._weights.mask

    def pieces(self, text: str) -> list[str]:
        """The text, split into the network's tokens."""
        return self._weights.pieces(text)
