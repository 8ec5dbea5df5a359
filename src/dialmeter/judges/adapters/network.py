"""Neural networks of the transformers library, from a local folder or a hub id. They are loaded once, on first use."""

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, redirect_stderr
from functools import cached_property
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from ...errors import DialmeterError, MissingExtra, one_line
from ..judge import JudgeDefaults, name_with_parameters

_CHUNK = 1 << 20
Result = TypeVar("Result")


class Network:
    """A tokenizer and a model."""

    def __init__(self, tokenizer: Any, model: Any) -> None:
        self.tokenizer = tokenizer
        self.model = model

    @property
    def mask(self) -> str:
        """The text that replaces a hidden token: the model's mask token, or the end-of-text token for models without a mask."""
        if self.tokenizer.mask_token:
            return str(self.tokenizer.mask_token)
        end = "<|endoftext|>"
        return end if end in self.tokenizer.get_vocab() else str(self.tokenizer.eos_token)

    def pieces(self, text: str) -> list[str]:
        """Split a text where the model's tokens start. The joined pieces are the text."""
        offsets = self.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
        starts = sorted({start for start, end in offsets if end > start} - {0})
        edges = [0, *starts, len(text)]
        return [text[one:two] for one, two in pairwise(edges) if two > one]


_loaded: WeakValueDictionary[tuple[str, ...], Network] = WeakValueDictionary()


def shared_network(kind: str, model: str, *, gguf: str = "", device: str = "cpu", dtype: str = "float32") -> Network:
    """Load a network like :func:`load`. Judges with the same weights share them, and they are freed when no judge uses them."""
    settings = (kind, model, gguf, device, dtype)
    network = _loaded.get(settings)
    if network is None:
        network = _loaded[settings] = load(kind, model, gguf=gguf, device=device, dtype=dtype)
    return network


def load(kind: str, model: str, *, gguf: str = "", device: str = "cpu", dtype: str = "float32") -> Network:
    """Load a tokenizer and a model.

    Args:
        kind: the class of the transformers library, such as ``AutoModelForCausalLM``.
        model: a folder, or the id of a model on the hub.
        gguf: the name of a GGUF file in the folder.
        device: the device of the model.
        dtype: the number type; ``float16`` and ``bfloat16`` are for devices that support them well.

    Raises:
        MissingExtra: torch or transformers are not installed.
        DialmeterError: there is no such model, device or type.
    """
    check_choice("", "dtype", dtype, ("float32", "float16", "bfloat16"))
    with _loading(model) as transformers:
        import torch

        transformers.utils.logging.disable_progress_bar()
        local = Path(model).is_dir()
        if local and not gguf and not any(Path(model).glob("*.safetensors")):
            warnings.warn(f"{Path(model).name}: no safetensors; other weights are read with care", stacklevel=2)
        more: dict[str, Any] = {"gguf_file": gguf} if gguf else {}
        # No setting disables the progress bar that counts tensors of a GGUF file.
        with redirect_stderr(StringIO()) if gguf else nullcontext():
            tokenizer = transformers.AutoTokenizer.from_pretrained(model, local_files_only=local, **more)
            network = getattr(transformers, kind).from_pretrained(
                model, local_files_only=local, dtype=getattr(torch, dtype), **more
            )
        return Network(tokenizer, network.to(torch.device(device)).eval().requires_grad_(False))


def load_config(model: str) -> Any:
    """Load the configuration of a model. The errors are those of :func:`load`."""
    with _loading(model) as transformers:
        return transformers.AutoConfig.from_pretrained(model, local_files_only=Path(model).is_dir())


@contextmanager
def _loading(model: str) -> Iterator[Any]:
    """Yield the transformers library. Its errors become one line."""
    check_folder(model)  # Before the import of libraries, which takes seconds.
    try:
        import torch  # noqa: F401  transformers can be imported without torch, but not used
        import transformers
    except ImportError:
        raise MissingExtra("a neural judge", "neural") from None
    try:
        yield transformers
    except (OSError, ValueError, RuntimeError) as error:
        is_local = Path(model).is_dir()
        problem = (
            "cannot be loaded" if is_local else "there is no such folder, and no model with that id could be loaded"
        )
        raise DialmeterError(f"model {model}: {problem}: {one_line(str(error), 300)}") from None


def check_choice(judge: str, name: str, value: str, allowed: Sequence[str]) -> None:
    """Check a parameter of a judge that has few possible values.

    Example:
        >>> check_choice("pang-l", "pairs", "first", ("last", "mean"))
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: pang-l: pairs must be last or mean, not 'first'
    """
    if value not in allowed:
        *most, last = filter(None, allowed)
        raise DialmeterError(f"{judge}: {name} must be {', '.join(most)} or {last}, not {value!r}".removeprefix(": "))


_HUB_ID = re.compile(r"[\w-][\w.-]*(?:/[\w-][\w.-]*)?")


def check_folder(model: str) -> None:
    """Check that a text is a folder with a model, or may be the id of a model on the hub.

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


def weights_digest(model: str) -> str:
    """A digest of ten hexadecimal digits for the files of a local model. For a hub id, the id itself."""
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


def model_name(model: str) -> str:
    """The name of a model, without the path of its folder.

    Example:
        >>> model_name("/somewhere/gpt2"), model_name("openai-community/gpt2")
        ('gpt2', 'openai-community/gpt2')
    """
    return Path(model).name if Path(model).is_absolute() or Path(model).is_dir() else model


def padded(sequences: Sequence[Sequence[int]], device: Any) -> tuple[Any, Any]:
    """Pad sequences of tokens. Return them as the rows of a tensor, and the mask: 1 for a token, 0 for padding."""
    import torch
    from torch.nn.utils.rnn import pad_sequence

    rows = [torch.tensor(sequence, dtype=torch.long) for sequence in sequences]
    tokens, mask = (pad_sequence(each, batch_first=True) for each in (rows, list(map(torch.ones_like, rows))))
    return tokens.to(device), mask.to(device)


def in_batches(lengths: Sequence[int], size: int, run: Callable[[list[int]], Iterable[Result]]) -> list[Result]:
    """Run a network on batches of sequences of similar length, which need little padding.

    Args:
        lengths: the length of each sequence.
        size: the number of sequences per batch.
        run: a function from the indices of a batch to one result per sequence; gradients are off.

    Returns:
        The results in the order of the sequences.
    """
    import torch

    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    results: dict[int, Result] = {}
    with torch.inference_mode():
        for start in range(0, len(order), size):
            batch = order[start : start + size]
            results.update(zip(batch, run(batch), strict=True))
    return [results[number] for number in range(len(lengths))]


def sentence_vectors(model: Any, rows: Sequence[Sequence[int]], size: int, pooling: str = "mean") -> Any:
    """The unit vectors of texts, as the rows of a tensor.

    Args:
        model: a model that returns a vector for each token.
        rows: the tokens of each text.
        size: the number of texts per batch.
        pooling: ``mean`` over tokens, or ``cls`` for the first token.
    """
    import torch

    def vectors(batch: list[int]) -> Any:
        tokens, mask = padded([rows[number] for number in batch], model.device)
        layer = model(input_ids=tokens, attention_mask=mask).last_hidden_state.float()
        mean = (layer * mask[:, :, None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)
        return torch.nn.functional.normalize(layer[:, 0] if pooling == "cls" else mean, dim=1).cpu()

    found = in_batches(list(map(len, rows)), size, vectors)
    return torch.stack(found) if found else torch.zeros(0, model.config.hidden_size)


class NetworkJudge(JudgeDefaults):
    """The base class of judges with a neural network, which is loaded on first use.

    A process that only distributes work does not load it. It may not have the device.

    Args:
        kind: the class of the transformers library, such as ``AutoModelForCausalLM``.
        model: a folder, or the id of a model on the hub.
        called: the judge's name in its identity; empty if the subclass sets ``name`` and ``identity``.
        default: the model that the name in tables does not repeat.
        name: its name in tables; default: ``called``.
        device: the device of the model.
        dtype: the number type.
        gguf: the name of a GGUF file in the folder.
        given: the other parameters of the judge, each with its default.
    """

    neural = True
    english = True
    name: str
    identity: str

    def __init__(
        self,
        kind: str,
        model: str,
        called: str = "",
        default: str = "",
        *,
        name: str = "",
        device: str,
        dtype: str,
        gguf: str = "",
        given: Mapping[str, tuple[Any, Any]] | None = None,
    ) -> None:
        self._settings: tuple[str, str, dict[str, str]] = kind, model, {"gguf": gguf, "device": device, "dtype": dtype}
        if called:
            given = given or {}
            self.name = name_with_parameters(name or called, model=(model_name(model), default), **given)
            values = {
                "model": weights_digest(model),
                **{key: value for key, (value, _) in given.items()},
                "dtype": dtype,
            }
            self.identity = f"{called}({', '.join(f'{key}={value}' for key, value in values.items())})"

    @cached_property
    def _network(self) -> Network:
        kind, model, settings = self._settings
        return shared_network(kind, model, **settings)

    def load_weights(self) -> None:
        """Load the network if it is not loaded yet."""
        _ = self._network

    @property
    def mask(self) -> str:
        """The text that replaces a hidden token."""
        return self._network.mask

    def pieces(self, text: str) -> list[str]:
        """Split a text into the network's tokens."""
        return self._network.pieces(text)
