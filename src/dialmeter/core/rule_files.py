"""Load rule sets and profiles: TOML files that are shipped with dialmeter or written by its users."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar, get_args, get_type_hints

import msgspec

from ..errors import DialmeterError, InputError, did_you_mean
from ..readers.source import Source

T = TypeVar("T", bound=msgspec.Struct)
Fields: TypeAlias = dict[str, Any]


class RuleFiles(Generic[T]):
    """The rule files of one kind.

    Args:
        kind: struct with the fields of a file; ``name`` is taken from the file name.
        noun: name of such a file in messages.
        folder: the folder with the shipped files.
        default: the shipped file that is listed first.
        complete: returns the fields of ``kind``, given the fields of a file, its name, and its text (None for a shipped file).
        hint: added to the message about a field that is missing or has an invalid value.
        marks: True to keep backticks around names in that message.

    Example:
        >>> from dialmeter.users import profile
        >>> folder = Path(profile.__file__).parent / "profiles"
        >>> profiles = RuleFiles(profile.Profile, "profile", folder, "multiwoz")
        >>> profiles.names(), profiles.named("sgd").booking
        (('multiwoz', 'sgd', 'town'), '')
    """

    def __init__(
        self,
        kind: type[T],
        noun: str,
        folder: Path,
        default: str,
        *,
        complete: Callable[[Fields, str, str | None], Fields] = lambda stated, name, text: {"name": name, **stated},
        hint: str = "",
        marks: bool = False,
    ) -> None:
        self._kind = kind
        self._noun = noun
        self._folder = folder
        self._default = default
        self._complete = complete
        self._hint = hint
        self._marks = marks
        self._shipped: dict[str, T] = {}

    @cached_property
    def _names(self) -> tuple[str, ...]:
        names = sorted(Path(entry.name).stem for entry in self._folder.iterdir())
        return (self._default, *(name for name in names if name != self._default))

    def names(self) -> tuple[str, ...]:
        """Return the names of the shipped files, the default first."""
        return self._names

    def text_of(self, name_or_file: str) -> str:
        """Return the TOML text of a shipped file, or of a user's file."""
        if name_or_file not in self._names:
            return Source(name_or_file).text
        return (self._folder / f"{name_or_file}.toml").read_text("utf-8")

    def named(self, name: str) -> T:
        """Return a shipped file by name. It is parsed once.

        Raises:
            DialmeterError: there is no such file.
        """
        if name not in self._names:
            hint = did_you_mean(name, self._names)
            raise DialmeterError(f"unknown {self._noun} {name!r}; {hint} (the name of your own file must end in .toml)")
        if name not in self._shipped:
            self._shipped[name] = self._parse(name, f"{name}.toml", self.text_of(name), shipped=True)
        return self._shipped[name]

    def load(self, name_or_file: str) -> T:
        """Load a shipped file by name, or a user's TOML file.

        Raises:
            DialmeterError: the name is unknown, or the file cannot be read or is incomplete.
        """
        if not name_or_file.endswith(".toml"):
            return self.named(name_or_file)
        return self._parse(Path(name_or_file).stem, name_or_file, Source(name_or_file).text, shipped=False)

    def _parse(self, name: str, file: str, text: str, *, shipped: bool) -> T:
        fields = parse_toml(text, file)
        try:
            return msgspec.convert(self._complete(fields, name, None if shipped else text), self._kind)
        except msgspec.ValidationError as error:
            raise DialmeterError(f"{file}: {self._message(error)}{self._hint}") from None
        except DialmeterError as error:
            raise DialmeterError(f"{file}: {error}") from None

    def check(self, whole: Mapping[str, Any], field: str) -> T:
        """Validate all fields after one of them was changed, as on the command line.

        Args:
            whole: all fields as plain data.
            field: the changed field.

        Raises:
            DialmeterError: the field cannot have this value; the message lists the allowed values.
        """
        try:
            return msgspec.convert(whole, self._kind)
        except msgspec.ValidationError as error:
            reason = self._message(error).split(" - at")[0]
            values = _choices(get_type_hints(self._kind).get(field))
            choices = ", ".join(sorted({each for each in values if isinstance(each, str)}))
            raise DialmeterError(f"{field}: {reason}{choices and f'; known: {choices}'}") from None

    def _message(self, error: msgspec.ValidationError) -> str:
        return str(error) if self._marks else str(error).replace("`", "")


def parse_toml(text: str, file: str) -> Fields:
    """Parse a TOML file.

    Args:
        text: content of the file.
        file: name of the file in messages.

    Raises:
        InputError: not TOML.

    Example:
        >>> parse_toml("[repetitions]\\nmax = 4", "own.toml")
        {'repetitions': {'max': 4}}
    """
    try:
        return tomllib.loads(text)
    except ValueError as error:  # a syntax error, or a number with thousands of digits
        raise InputError(f"not valid TOML: {error}", file=file) from None
    except RecursionError:
        raise InputError("TOML nested too deeply", file=file) from None


def _choices(hint: Any) -> list[Any]:
    """Return the values that a type allows, as in ``Literal["a", "b"]``."""
    return [each for part in get_args(hint) for each in (_choices(part) or [part])]
