"""Rule sets and profiles: TOML files, shipped with dialmeter or written by its users. One loader for all kinds of them."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar, get_args, get_type_hints

import msgspec

from ..errors import DialmeterError, InputError, did_you_mean
from ..readers.source import Source

T = TypeVar("T", bound=msgspec.Struct)
Fields: TypeAlias = dict[str, Any]


class RuleFiles(Generic[T]):
    """All files of one kind.

    Args:
        kind: the fields that a file states; ``name`` is taken from the name of the file.
        noun: what a file is called in messages.
        package: where the shipped files are.
        folder: of that package.
        default: the shipped file that is listed first.
        complete: makes the fields of ``kind`` from what a file states, its name, and its text (None for a shipped file).
        hint: added to the message about a field that is missing or has an invalid value.
        marks: does that message have marks around names?

    Example:
        >>> from dialmeter.users.profile import Profile
        >>> profiles = RuleFiles(Profile, "profile", "dialmeter.users", "profiles", "multiwoz")
        >>> profiles.names(), profiles.named("sgd").booking
        (('multiwoz', 'sgd', 'town'), '')
    """

    def __init__(
        self,
        kind: type[T],
        noun: str,
        package: str,
        folder: str,
        default: str,
        *,
        complete: Callable[[Fields, str, str | None], Fields] = lambda stated, name, text: {"name": name, **stated},
        hint: str = "",
        marks: bool = False,
    ) -> None:
        self._kind = kind
        self._noun = noun
        self._package = package
        self._folder = folder
        self._default = default
        self._complete = complete
        self._hint = hint
        self._marks = marks
        self._shipped: dict[str, T] = {}

    @cached_property
    def _names(self) -> tuple[str, ...]:
        found = sorted(Path(entry.name).stem for entry in files(self._package).joinpath(self._folder).iterdir())
        return (self._default, *(name for name in found if name != self._default))

    def names(self) -> tuple[str, ...]:
        """The names of the shipped files, the default first."""
        return self._names

    def named(self, name: str) -> T:
        """A shipped file by name, read once.

        Raises:
            DialmeterError: there is no such file.
        """
        if name not in self._names:
            hint = did_you_mean(name, self._names)
            raise DialmeterError(f"unknown {self._noun} {name!r}; {hint} (a file of your own must end in .toml)")
        if name not in self._shipped:
            text = files(self._package).joinpath(self._folder, f"{name}.toml").read_text("utf-8")
            self._shipped[name] = self._parse(name, f"{name}.toml", text, shipped=True)
        return self._shipped[name]

    def load(self, name_or_file: str) -> T:
        """A shipped file by name, or a TOML file of the user.

        Raises:
            DialmeterError: unknown name, unreadable or incomplete file.
        """
        if not name_or_file.endswith(".toml"):
            return self.named(name_or_file)
        return self._parse(Path(name_or_file).stem, name_or_file, Source(name_or_file).text, shipped=False)

    def _parse(self, name: str, file: str, text: str, *, shipped: bool) -> T:
        stated = parse_toml(text, file)
        try:
            return msgspec.convert(self._complete(stated, name, None if shipped else text), self._kind)
        except msgspec.ValidationError as error:
            raise DialmeterError(f"{file}: {self._message(error)}{self._hint}") from None
        except DialmeterError as error:
            raise DialmeterError(f"{file}: {error}") from None

    def check(self, whole: Mapping[str, Any], field: str) -> T:
        """Checks all fields after one of them was changed, as on the command line.

        Args:
            whole: all fields as plain data.
            field: the one that was changed.

        Raises:
            DialmeterError: the field cannot have this value; says which values it can have.
        """
        try:
            return msgspec.convert(whole, self._kind)
        except msgspec.ValidationError as error:
            reason = self._message(error).split(" - at")[0]
            listed = _choices(get_type_hints(self._kind).get(field))
            known = ", ".join(sorted({each for each in listed if isinstance(each, str)}))
            raise DialmeterError(f"{field}: {reason}{known and f'; known: {known}'}") from None

    def _message(self, error: msgspec.ValidationError) -> str:
        return str(error) if self._marks else str(error).replace("`", "")


def parse_toml(text: str, file: str) -> Fields:
    """What a TOML file states.

    Args:
        text: of the file.
        file: its name, for messages.

    Raises:
        InputError: not TOML.

    Example:
        >>> parse_toml("[repetitions]\\nmax = 4", "own.toml")
        {'repetitions': {'max': 4}}
    """
    try:
        return tomllib.loads(text)
    except ValueError as error:  # of the syntax, or a number with thousands of digits
        raise InputError(f"not valid TOML: {error}", file=file) from None
    except RecursionError:
        raise InputError("TOML nested too deeply", file=file) from None


def _choices(hint: Any) -> list[Any]:
    """The values that a type lists."""
    return [each for part in get_args(hint) for each in (_choices(part) or [part])]
