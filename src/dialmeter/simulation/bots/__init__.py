"""Bots: users with a goal, systems with a database, and adapters for custom bots.

On the command line, a bot is written as ``agenda`` or ``agenda(patience=2)``, with dials in brackets.
``module:object`` is a bot of ConvLab, or another bot with the same interface: an object with ``init_session`` and
``response``, or a class or function that returns one without arguments. ``response`` gets the acts of the other side as
``[intent, domain, slot, value]`` lists and returns such lists, or text. If ``init_session`` of a user takes an argument, it gets
the goal in the format of MultiWOZ. If there is ``is_terminated``, it says when the bot has ended the dialogue.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from random import Random
from typing import Annotated, Any, Literal, NamedTuple, Protocol, TypeAlias

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import asdict, fields, replace

from ...errors import DialmeterError, did_you_mean, one_line
from ...model import Act, Goal, Move
from ...readers.pairs.slot_names import slot_in
from ...registry import Registry, object_at
from ..grammar import ASKED, GENERAL, act, intent_of, value_of
from ..world import World

_MODULES = {
    "agenda": ("agenda", "forgetful", "looping", "inventive", "hasty"),
    "rule_system": ("rule", "eager", "stubborn"),
}
QUICK = frozenset(name for names in _MODULES.values() for name in names)
"""Bots that answer without delay."""

registry = Registry(
    "bot",
    "dialmeter.bots",
    {
        **{name: f"{__name__}.{module}:{name.upper()}" for module, names in _MODULES.items() for name in names},
        "endpoint-user": f"{__name__}.endpoint:USER_KIND",
        "endpoint-system": f"{__name__}.endpoint:SYSTEM_KIND",
    },
)

Role: TypeAlias = Literal["user", "system"]
Share = Annotated[float, Meta(ge=0, le=1)]


class Bot(Protocol):
    """A speaker; it has one dialogue at a time."""

    def start(self, goal: Goal | None) -> None:
        """Begin a dialogue: a user gets its goal, a system gets None."""
        ...

    def reply(self, acts: Sequence[Act], text: str) -> Move:
        """Answer the last move of the other side: the acts that were understood, and the text. The first move of a user gets
        no acts and no text.

        If the returned move has no text, the text is generated from its acts. If it has no acts, they are read from its text.
        """
        ...

    def done(self) -> bool:
        """Return True if the bot has ended the dialogue."""
        ...


class Kind(NamedTuple):
    """A kind of bot in the registry.

    Attributes:
        about: one line of help.
        dials: the settings, with their default values.
        make: creates a bot from dials, the town and a random generator.
    """

    role: Role
    about: str
    dials: Struct
    make: Callable[[Any, World, Random], Bot]


class ChosenBot(Struct, frozen=True):
    """A requested bot. It is created again for every dialogue, also in other processes.

    Attributes:
        text: the bot as printed.
        name: the name in the registry, or ``module:object``.
        dials: the given settings, by name.
    """

    text: str
    name: str
    role: Role
    dials: dict[str, Any]


_CALL = re.compile(r"([^()]+)(?:\((.*)\))?")


def choose(text: str, role: Role, more: Mapping[str, Any] | None = None) -> ChosenBot:
    """Parse and validate a bot: a name with dials in brackets, or ``module:object``, and more dials.

    Raises:
        DialmeterError: there is no such bot, it has the other role, or a dial is invalid.

    Example:
        >>> choose("agenda( patience=2 )", "user").text
        'agenda(patience=2)'
        >>> choose("rule", "user")
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: rule is a system and cannot be the user; users: agenda, forgetful, looping, inventive, hasty, endpoint-user
    """
    match = _CALL.fullmatch(text.strip())
    if not match:
        raise DialmeterError(f"{text!r} is not a bot; write it like agenda(patience=2)")
    name = match[1].rstrip()
    name = f"endpoint-{role}" if name == "endpoint" else name
    given: dict[str, Any] = {}
    for part in (match[2] or "").split(","):
        dial, equals, value = (piece.strip() for piece in part.partition("="))
        if part.strip() and not equals:
            raise DialmeterError(f"{text}: write dials like patience=2")
        if equals:
            given[dial] = value
    dials = {**given, **(more or {})}
    kind = kind_of(name, role)
    if kind.role != role:
        others = [each for each in registry.builtin() if registry.load(each).role == role]
        raise DialmeterError(f"{name} is a {kind.role} and cannot be the {role}; {role}s: {', '.join(others)}")
    set_dials(name, kind, dials)
    printed = {**given, **({"model": dials["model"]} if "model" in dials else {})}
    arguments = ", ".join(f"{key}={_format_value(value)}" for key, value in sorted(printed.items()))
    return ChosenBot(f"{name}({arguments})" if arguments else name, name, role, dials)


def kind_of(name: str, role: Role) -> Kind:
    """Return the kind of a bot, from the registry or from ``module:object``.

    Raises:
        DialmeterError: there is no such bot, or the object does not have the two methods.
    """
    if ":" in name:
        bot = _object_at(name)
        about = f"{name}, a bot with init_session and response"
        return Kind(role, about, NoDials(), lambda dials, world, rng: ConvlabBot(name, role, bot))
    kind = registry.load(name)
    if not isinstance(kind, Kind):
        raise DialmeterError(f"bot {name!r} is not a Kind (see dialmeter.simulation.bots)")
    return kind


def set_dials(name: str, kind: Kind, given: Mapping[str, Any]) -> Any:
    """Return the dials of a kind with the given values.

    Raises:
        DialmeterError: there is no such dial, or a value is invalid.
    """
    names = [each.name for each in fields(kind.dials)]
    for each in given:
        if each not in names:
            hint = did_you_mean(each, names) if names else "it has no dials"
            raise DialmeterError(f"{name} has no dial {each!r}; {hint}")
    try:
        return msgspec.convert(asdict(replace(kind.dials, **given)), type(kind.dials), strict=False)
    except msgspec.ValidationError as error:
        raise DialmeterError(f"{name}: {str(error).replace(' - at `$.', ' for `')}") from None


def make_bot(chosen: ChosenBot, world: World, rng: Random) -> Bot:
    """Create the bot with its random generator."""
    make, dials = _load_agent(chosen.name, chosen.role, tuple(sorted(chosen.dials.items())))
    return make(dials, world, rng)


@lru_cache(maxsize=64)
def _load_agent(
    name: str, role: Role, given: tuple[tuple[str, Any], ...]
) -> tuple[Callable[[Any, World, Random], Bot], Any]:
    """Return the factory and the dials of a bot, cached for all dialogues."""
    kind = kind_of(name, role)
    return kind.make, set_dials(name, kind, dict(given))


def _format_value(value: Any) -> str:
    try:
        return f"{float(value):g}"
    except ValueError:
        return str(value)


class NoDials(Struct, frozen=True):
    """External bots have no dials."""


@cache
def _object_at(name: str) -> Any:
    """Load the object once per process, because models are slow to load; ``init_session`` resets it."""
    try:
        target = object_at(name)
        bot: Any = target() if inspect.isclass(target) or inspect.isfunction(target) else target
    except Exception as error:
        raise DialmeterError(
            f"bot {name} cannot be loaded: {type(error).__name__}: {one_line(str(error), 200)}"
        ) from None
    missing = [method for method in ("init_session", "response") if not callable(getattr(bot, method, None))]
    if missing:
        raise DialmeterError(f"bot {name} has no {' and no '.join(missing)}")
    return bot


class ConvlabBot:
    """Adapter from an external bot to the protocol of this package."""

    def __init__(self, name: str, role: Role, bot: Any) -> None:
        self._name = name
        self._role = role
        self._bot = bot
        self._bye = False

    def start(self, goal: Goal | None) -> None:
        self._bye = False
        begin = self._bot.init_session
        takes_goal = goal is not None and bool(inspect.signature(begin).parameters)
        self._call(begin, *([multiwoz_goal(goal)] if takes_goal and goal is not None else []))

    def reply(self, acts: Sequence[Act], text: str) -> Move:
        answer = self._call(self._bot.response, as_lists(acts))
        if isinstance(answer, str):
            self._bye = "bye" in answer.lower().split()
            return Move(self._role, text=answer)
        answer_acts = self._parse(answer)
        self._bye = any(intent_of(each.name) == "bye" for each in answer_acts)
        return Move(self._role, acts=answer_acts)

    def done(self) -> bool:
        is_terminated = getattr(self._bot, "is_terminated", None)
        return bool(self._call(is_terminated)) if callable(is_terminated) else self._bye

    def _parse(self, answer: Any) -> tuple[Act, ...]:
        try:
            return tuple(from_lists(msgspec.convert(answer, list[tuple[str, str, str, str | int | float]])))
        except msgspec.ValidationError:
            raise DialmeterError(
                f"bot {self._name} answered {one_line(repr(answer), 80)}; expected text or a list of [intent, domain, slot, value]"
            ) from None

    def _call(self, method: Any, *arguments: Any) -> Any:
        try:
            return method(*arguments)
        except Exception as error:
            reason = f"{type(error).__name__}: {one_line(str(error), 200)}"
            raise DialmeterError(
                f"bot {self._name} failed in {getattr(method, '__name__', 'a call')}: {reason}"
            ) from None


def as_lists(acts: Iterable[Act]) -> list[list[str]]:
    """Convert acts to the lists of ConvLab-3.

    Example:
        >>> as_lists([act("hotel", "request", "phone"), act("general", "bye")])
        [['request', 'hotel', 'phone', ''], ['bye', 'general', '', '']]
    """
    return [
        [intent_of(each.name), each.service, each.slot, "" if value_of(each) == ASKED else value_of(each)]
        for each in acts
    ]


def from_lists(lists: Iterable[tuple[str, str, str, Any]]) -> Iterable[Act]:
    """Convert lists in the spelling of ConvLab-2 or ConvLab-3 to acts.

    Example:
        >>> [(each.name, each.slot, each.values) for each in from_lists([("Inform", "Train", "Leave", "09:15"), ("bye", "general", "none", "none")])]
        [('Train-Inform', 'leaveat', ('09:15',)), ('general-bye', '', ())]
    """
    for intent, domain, slot, value in lists:
        service = domain.lower() or GENERAL
        name = slot_in(service, slot) if slot.lower() not in ("", "none") else ""
        text = "" if str(value).lower() in ("", "none", "?") else str(value).lower()
        yield act(service, intent.lower(), name, text)


def multiwoz_goal(goal: Goal) -> dict[str, Any]:
    """Convert a goal to the format of MultiWOZ."""
    return {
        domain: {**{name: dict(part) for name, part in each.parts.items()}, "reqt": list(each.requests)}
        for domain, each in goal.items()
    }
