"""Errors that the user can fix. Each is printed as one line, without a traceback."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any


class DialmeterError(Exception):
    """User-facing error, one line (exit code 2)."""


class NotApplicable(DialmeterError):
    """A file or a text does not have what a rule set, a measure or a judge needs."""


class InputError(DialmeterError):
    """An error in an input file, with its place.

    Example:
        >>> str(InputError("expected a string", file="p.json", dialogue="MUL1", turn=2, slot="hotel-area"))
        'p.json: dialogue MUL1, turn 2, slot hotel-area: expected a string'
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        dialogue: str | None = None,
        turn: int | str | None = None,
        slot: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.dialogue = dialogue
        self.turn = turn
        self.slot = slot

    def at(
        self,
        *,
        file: str | None = None,
        line: int | None = None,
        dialogue: str | None = None,
        turn: int | str | None = None,
        slot: str | None = None,
    ) -> InputError:
        """Return the same error with additional places. Places that the error already has are kept."""
        more: dict[str, Any] = {"file": file, "line": line, "dialogue": dialogue, "turn": turn, "slot": slot}
        return InputError(self.message, **{**more, **self._places()})

    def _places(self) -> dict[str, Any]:
        """Return the known places."""
        places = {name: getattr(self, name) for name in ("file", "line", "dialogue", "turn", "slot")}
        return {name: place for name, place in places.items() if place is not None}

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(InputError, **self._places()), (self.message,)

    def __str__(self) -> str:
        places = self._places()
        places.pop("file", None)
        place = ", ".join(f"{word} {one_line(str(value), 80)}" for word, value in places.items())
        return ": ".join(part for part in (self.file, place, one_line(self.message, 2000)) if part)


class MissingExtra(DialmeterError):
    """An optional dependency is not installed: an extra of dialmeter, or a package outside all extras."""

    def __init__(self, feature: str, extra: str = "", *, package: str = "") -> None:
        needed = (
            f"{package}: pip install {package}" if package else f"an optional part: pip install 'dialmeter[{extra}]'"
        )
        super().__init__(f"{feature} needs {needed}")

    def __reduce__(self) -> tuple[Any, ...]:
        # Only the message is sent between processes, not its parts.
        return DialmeterError, (str(self),)


class UnreadableAnswer(DialmeterError):
    """The answer of a judge has no readable score."""


class NoAnswer(DialmeterError):
    """A server gives no answer now. The same request may succeed later."""


class Unfinished(DialmeterError):
    """Part of the work failed. The finished part is saved, and the work can be continued (exit code 3)."""


class ConditionHolds(Exception):
    """A ``--fail-if`` condition is true (exit code 1)."""


class placing(AbstractContextManager[None]):  # noqa: N801  used like a function
    """Add places to input errors that do not have them. A class, because it is entered for every turn of large files.

    Example:
        >>> with placing(file="p.json"):
        ...     raise InputError("expected a string", turn=2)
        Traceback (most recent call last):
        dialmeter.errors.InputError: p.json: turn 2: expected a string
    """

    def __init__(self, **places: Any) -> None:
        self._places = places

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, InputError):
            raise error.at(**self._places) from None


@contextmanager
def reading(path: object) -> Iterator[None]:
    """Turn an OSError into a one-line error that the file or folder cannot be read.

    Raises:
        InputError: the path cannot be read.

    Example:
        >>> with reading("p.json"):
        ...     raise OSError(5, "Input/output error")
        Traceback (most recent call last):
        dialmeter.errors.InputError: p.json: cannot be read: Input/output error
    """
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=str(path)) from None


@contextmanager
def writing(path: object, *, resumable: bool = False) -> Iterator[None]:
    """Turn an OSError into a one-line error that the file or folder cannot be written.

    Args:
        path: the file or folder.
        resumable: a later run can continue from the existing files.

    Raises:
        DialmeterError: the path cannot be written; ``Unfinished`` if a later run can continue.
    """
    try:
        yield
    except OSError as error:
        message = f"{path}: cannot be written: {error.strerror or error}"
        if resumable:
            raise Unfinished(f"{message}; what is done is kept; the same command continues") from None
        raise DialmeterError(message) from None


def one_line(text: str, limit: int = 60) -> str:
    """Make text from a file safe for a one-line message.

    Example:
        >>> one_line("two\\nlines")
        'two lines'
        >>> one_line("x" * 9, 4)
        'xxx…'
    """
    flat = "".join(letter if letter.isprintable() else " " for letter in text)
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def did_you_mean(name: str, known: Iterable[str], most: int | None = None) -> str:
    """Return a hint for an unknown name: the most similar known name, or the list of known names.

    Args:
        name: the unknown name.
        known: the known names.
        most: the largest number of known names to list; default: all.

    Example:
        >>> did_you_mean("JGB", ["JGA", "SA"])
        'did you mean JGA?'
        >>> did_you_mean("nothing", ["wrong", "missed"])  # three letters of each agree
        'known: missed, wrong'
        >>> did_you_mean("??", ["JGA", "SA"])
        'known: JGA, SA'
        >>> did_you_mean("??", ["JGA", "SA"], most=1)
        'known: JGA, …'
    """
    import difflib

    names = sorted(known)
    lower = {each.lower(): each for each in names}
    matches = difflib.get_close_matches(name.lower(), lower, n=1, cutoff=0.5)
    # Between 0.5 and 0.6 only a name with the same letters in a row is meant, such as gca-repo by gca.
    if matches and (name[:3].lower() in matches[0] or difflib.get_close_matches(name.lower(), matches)):
        return f"did you mean {lower[matches[0]]}?"
    return "known: " + ", ".join(names[:most] if most is None or len(names) <= most else [*names[:most], "…"])
