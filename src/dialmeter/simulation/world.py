"""A world: its domains and slots, the tables that are searched and booked, and the spellings of values. A world is a folder.

The folder has one table per domain (``hotel.csv``, or ``hotel_db.json`` with a list of objects, perhaps compressed) and may have
``world.toml`` (domains and their slots; otherwise those of MultiWOZ), ``values.json`` (spellings of values, as ``--set map`` reads them)
and ``goals.json``. The demo data is such a folder, the town. A domain without a table grants every request.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from copy import copy
from functools import cache, wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar, cast
from zlib import crc32

import msgspec
from msgspec import Struct, field

from ..errors import DialmeterError, InputError, one_line, placing
from ..model import Goal
from ..readers.csv_files import read_csv
from ..readers.source import Source

DONTCARE = "dontcare"
"""The value of a slot for which any value is fine."""

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

TIMES = ("leaveat", "arriveby")
"""Slots with the times of a journey: it leaves at this time or later, and arrives by this time or earlier."""

ENDS = ("departure", "destination")
"""Slots with the ends of a journey."""

REFERENCE = "ref"
"""The slot with the reference of a booking."""

UNKNOWN = "unknown"
"""The value of an empty cell of a table, and of ``?``, with which MultiWOZ marks one."""

TOWN = "town"
"""The name of the demo data."""

Row: TypeAlias = Mapping[str, str]
"""One place or journey: slot → value, and the values that decide about bookings."""

Forms: TypeAlias = Mapping[str, tuple[str, ...]]
"""Value → its forms; the value itself comes first."""

_DATA = Path(__file__).with_name("data")
_SUFFIXES = (".csv", ".json", ".csv.gz", ".json.gz", ".csv.zst", ".json.zst")
_DECIDE = ("seats", "beds", "full", "closed", "opens", "last")
"""Columns that say which bookings fail."""
_QUARTERS = tuple(f"{minutes // 60:02}:{minutes % 60:02}" for minutes in range(0, 24 * 60, 15))
_COMMON = {
    **dict.fromkeys((*TIMES, "time"), _QUARTERS),
    "day": DAYS,
    "people": tuple("12345678"),
    "stay": tuple("12345"),
}
"""Values of slots that are in no table."""

P = ParamSpec("P")
T = TypeVar("T")


class Domain(Struct, frozen=True, forbid_unknown_fields=True):
    """The slots of one domain.

    Attributes:
        search: slots of a search, and ``book``: those that a booking needs; empty if there are no bookings.
        request: slots that a user can ask for.
        entity: the slot that names a result.
        needed: search slots that a search requires.
        drawn: only for a domain without a table: slot → values, from which the request draws one; a slot without values gets digits.
    """

    search: tuple[str, ...]
    request: tuple[str, ...]
    entity: str
    book: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    drawn: dict[str, tuple[str, ...]] | None = None

    @property
    def informable(self) -> tuple[str, ...]:
        """All slots that a user can give values for."""
        return (*self.search, *self.book)

    @property
    def is_granted(self) -> bool:
        """True if every request is granted, because there is no table."""
        return self.drawn is not None

    @property
    def has_places(self) -> bool:
        """True if results are places, which a user can also search by name."""
        return self.entity in self.search and not self.is_granted and not self.has_times

    @property
    def has_times(self) -> bool:
        """True if results are journeys with times."""
        return not self.is_granted and any(slot in self.search for slot in TIMES)


class WorldFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of ``world.toml``.

    Attributes:
        place: the name of the place in greetings.
        landmarks: the two ends of a ride for which neither goal nor dialogue name one.
        values: slot → values that are in no table, such as the sizes of a booking.
    """

    place: str
    domains: dict[str, Domain]
    landmarks: tuple[str, str] = ("the station", "the town hall")
    values: dict[str, tuple[str, ...]] = field(default_factory=dict)


def remembered(function: Callable[Concatenate[World, P], T]) -> Callable[Concatenate[World, P], T]:
    """Keep what a function returns for a world and hashable arguments, as long as the world exists."""

    @wraps(function)
    def call(world: World, *args: P.args, **kwargs: P.kwargs) -> T:
        key = (function, args)
        if key not in world.memory:
            world.memory[key] = function(world, *args, **kwargs)
        found: T = world.memory[key]
        return found

    return cast("Callable[Concatenate[World, P], T]", call)


class World:
    """Domains with their tables.

    Example:
        >>> rows = town().search("hotel", {"area": "harbour", "stars": "5", "parking": "dontcare"})
        >>> {(row["area"], row["stars"]) for row in rows}
        {('harbour', '5')}
    """

    def __init__(
        self, name: str, description: WorldFile, tables: Mapping[str, tuple[Row, ...]], spellings: Mapping[str, Any]
    ) -> None:
        self.name = name
        self.place, self.landmarks = description.place, description.landmarks
        self.common: dict[str, tuple[str, ...]] = {**_COMMON, **description.values}
        """Slot → values that are in no table."""
        self.domains = description.domains
        self.tables = tables
        self.spellings = spellings
        """The value map, in the published format."""
        content = msgspec.json.encode([description, tables, spellings], order="sorted")
        self.digest = hashlib.sha256(content).hexdigest()[:10]
        self.memory: dict[Any, Any] = {}
        self._goal: Goal = {}

    @property
    def title(self) -> str:
        """The world in messages."""
        return "the demo data" if self.name == TOWN else "the world"

    @property
    def label(self) -> str:
        """The world in signatures."""
        return TOWN if self.name == TOWN else f"{self.short_name}@{self.digest}"

    @property
    def short_name(self) -> str:
        """The name of the folder, for ids and signatures."""
        return TOWN if self.name == TOWN else re.sub(r"[^\w.-]+", "-", Path(self.name).resolve().name)

    def for_goal(self, goal: Goal) -> World:
        """Return this world for one dialogue: the first search and booking of the goal fail, also if tables say nothing about that.

        Example:
            >>> from dialmeter.model import DomainGoal
            >>> goal = {"hotel": DomainGoal(info={"stars": "5"}, fail_info={"stars": "4"})}
            >>> len(town().search("hotel", {"stars": "4"})) > 0, town().for_goal(goal).search("hotel", {"stars": "4"})
            (True, ())
        """
        own = copy(self)
        own._goal = goal
        return own

    def search(self, domain: str, constraints: Mapping[str, str]) -> tuple[Row, ...]:
        """Return the rows that meet all constraints, best first. Constraints that are not columns of the table are ignored.

        Journeys that leave after a time are sorted earliest first; journeys that arrive by a time, latest first.
        """
        goal = self._goal.get(domain)
        is_first = goal and goal.fail_info and goal.fail_info.items() <= constraints.items()
        # A first wish that is a part of the second one, or equal to it, fails only as long as the second is not said.
        if goal and is_first and not goal.info.items() <= constraints.items():
            return ()
        return self._search(domain, frozenset(constraints.items()))

    @remembered
    def _search(self, domain: str, constraints: frozenset[tuple[str, str]]) -> tuple[Row, ...]:
        rows = self.tables[domain]
        equal = {slot: value for slot, value in constraints if slot in rows[0] and value != DONTCARE}
        times = {slot: equal.pop(slot) for slot in TIMES if slot in equal}
        if not times:
            results = [row for row in rows if all(row[slot] == value for slot, value in equal.items())]
            return tuple(sorted(results, key=lambda row: row["leaveat"]) if "leaveat" in rows[0] else results)
        # The search without times is kept, because times differ between searches and the rest rarely does.
        results = [
            row
            for row in self._search(domain, frozenset(equal.items()))
            if row["leaveat"] >= times.get("leaveat", "") and row["arriveby"] <= times.get("arriveby", "24:00")
        ]
        return tuple(results if "leaveat" in times else reversed(results))

    def entity(self, domain: str, name: str, constraints: Mapping[str, str]) -> Row | None:
        """Return the place or journey with a name; if several have it, the first that meets the constraints."""
        rows = self._search(domain, frozenset({(self.domains[domain].entity, name)}))
        meet = self._search(domain, frozenset(constraints.items()))
        return next((row for row in rows if row in meet), rows[0] if rows else None)

    def grant(self, domain: str, details: Mapping[str, str]) -> Row:
        """Return what a domain without a table grants; it is the same for the same request.

        Example:
            >>> ride = {"departure": "saltmere station", "destination": "otter house", "leaveat": "09:15"}
            >>> town().grant("taxi", ride) == town().grant("taxi", dict(reversed(ride.items())))
            True
        """
        number = crc32(_booking_key(domain, "", details))
        rows = self.tables.get(domain)
        if rows:
            rows = self._search(domain, frozenset(details.items())) or rows
            return rows[number % len(rows)]
        drawn = self.domains[domain].drawn or {}
        return {slot: values[number % len(values)] if values else f"{number:011}" for slot, values in drawn.items()}

    def matches(self, domain: str, search: Mapping[str, str], details: Mapping[str, str]) -> int:
        """Count the places that meet constraints and can be booked with details; what is granted is always available.

        Example:
            >>> town().matches("hotel", {"area": "harbour", "stars": "5"}, {}) > 0, town().matches("hotel", {"name": "nowhere"}, {})
            (True, 0)
        """
        if domain not in self.domains or self.domains[domain].is_granted:
            return 1
        return sum(not self.failing_slots(domain, row, details) for row in self.search(domain, search))

    def failing_slots(self, domain: str, row: Row, details: Mapping[str, str]) -> tuple[str, ...]:
        """Return the slots for which a booking fails; empty if it can be made. If the table cannot tell, the goal decides.

        Example:
            >>> kitchen = {"closed": "monday", "opens": "12:00", "last": "20:00"}
            >>> town().failing_slots("restaurant", kitchen, {"day": "monday", "people": "2", "time": "21:15"})
            ('day', 'time')
            >>> town().failing_slots("restaurant", kitchen, {"day": "friday", "people": "2", "time": "19:00"})
            ()
        """
        book, goal = self.domains[domain].book, self._goal.get(domain)
        if any(column in row for column in _DECIDE):
            return tuple(slot for slot in book if not _is_possible(slot, row, details))
        if goal is None or not goal.fail_book.items() <= details.items():
            return ()
        return tuple(slot for slot in book if slot in goal.fail_book and goal.fail_book[slot] != goal.book.get(slot))

    @remembered
    def values(self, domain: str, slot: str) -> tuple[str, ...]:
        """Return the sorted values of a slot in the table."""
        return tuple(sorted({row[slot] for row in self.tables.get(domain, ()) if slot in row} - {UNKNOWN}))

    @remembered
    def forms(self, domain: str, slot: str) -> Forms:
        """Return the values of a slot that a user can say, with their forms.

        Example:
            >>> town().forms("hotel", "area")["harbour"]
            ('harbour', 'harbour district', 'docks', 'waterfront')
            >>> sorted(town().forms("hotel", "type"))
            ['guesthouse', 'hostel', 'hotel']
        """
        # The map has one entry for the types and names of all domains; only those in the table of the domain are used.
        in_table = self.values(domain, slot)
        spelled = {
            value: tuple(each)
            for value, each in self._entry(domain, slot).items()
            if value != "special_keys" and (slot not in ("type", "name") or value in in_table)
        }
        if spelled:
            return spelled
        places = (
            name for key, each in self.domains.items() if each.has_places for name in self.values(key, each.entity)
        )
        ends = (*self.landmarks, *places) if slot in ENDS else ()
        return {value: (value,) for value in in_table or self.common.get(slot) or ends}

    def is_listed(self, domain: str, slot: str) -> bool:
        """True if the table or the spellings list all values that a search can find."""
        return bool(self._entry(domain, slot) or self.values(domain, slot))

    def _entry(self, domain: str, slot: str) -> dict[str, Any]:
        entry: dict[str, Any] = self.spellings.get(slot, {})
        return entry.get(domain, {}) if slot in (*TIMES, *ENDS) else entry

    @remembered
    def canonical_forms(self, domain: str, slot: str) -> dict[str, str]:
        """Return the mapping from forms to values, for one slot of one domain."""
        special = self._entry(domain, slot).get("special_keys", {}).get("not_in_goal", {})
        not_in_goal = {form: value for value, each in special.items() if value != DONTCARE for form in each}
        return not_in_goal | {form: value for value, each in self.forms(domain, slot).items() for form in each}

    def canonical(self, domain: str, slot: str, form: str) -> str:
        """Return the value of a form, or the form itself in lower case if the world does not have it.

        Example:
            >>> [town().canonical("hotel", "area", form) for form in ("Docks", "Moon")], town().canonical("train", "leaveat", "5:15 pm")
            (['harbour', 'moon'], '17:15')
        """
        lower = form.lower()
        return self.canonical_forms(domain, slot).get(lower, lower)

    def goal_values(self, domain: str, slot: str) -> tuple[str, ...]:
        """Return the sorted values that a goal can have for a slot.

        Example:
            >>> town().goal_values("restaurant", "pricerange")
            ('cheap', 'expensive', 'moderate')
        """
        return tuple(sorted(self.forms(domain, slot)))


def _is_possible(slot: str, row: Row, details: Mapping[str, str]) -> bool:
    value = details.get(slot, DONTCARE)
    if value == DONTCARE:
        return True
    if slot == "people":
        most = row.get("seats") or row.get("beds", "")
        return not most.isdecimal() or not value.isdecimal() or int(value) <= int(most)
    if slot == "time":
        return row.get("opens", "") <= value <= (row.get("last") or "24:00")
    if slot == "day":
        nights = _nights(value, details.get("stay", "1"))
        return value not in row.get("closed", "").split() and not nights & set(row.get("full", "").split())
    return True


def _nights(day: str, stay: str) -> set[str]:
    """Return the days of the nights of a stay.

    Example:
        >>> sorted(_nights("sunday", "2"))
        ['monday', 'sunday']
    """
    if day not in DAYS:
        return set()
    first, count = DAYS.index(day), min(int(stay), 7) if stay.isdecimal() else 1
    return {DAYS[(first + night) % 7] for night in range(count)}


def _booking_key(domain: str, name: str, details: Mapping[str, str]) -> bytes:
    return "|".join([domain, name, *(f"{slot}={details[slot]}" for slot in sorted(details))]).encode()


def reference(domain: str, name: str, details: Mapping[str, str]) -> str:
    """Return the reference of a booking. It is a hash of the booking, so no table of bookings is needed.

    Example:
        >>> reference("hotel", "otter house", {"day": "friday", "people": "2", "stay": "3"})
        'pcvp7wsg'
    """
    letters = "abcdefghjkmnpqrstuvwxyz23456789"
    number = crc32(_booking_key(domain, name, details)) << 8 | crc32(name.encode()) & 0xFF
    code = ""
    for _ in range(8):
        number, digit = divmod(number, len(letters))
        code += letters[digit]
    return code


def town() -> World:
    """Load the demo data."""
    return load_world(TOWN)


@cache
def load_world(name: str) -> World:
    """Load a world: ``town``, or a folder.

    Raises:
        DialmeterError: there is no such folder, or it has no table; or a file in it is not what it should be.
    """
    folder = _DATA / TOWN if name == TOWN else Path(name)
    if not folder.is_dir():
        raise DialmeterError(f"world={one_line(name, 200)}: no such folder; give a folder of tables, or {TOWN}")
    files = {path.name: path for path in sorted(folder.iterdir()) if path.is_file()}
    own = files.get("world.toml")
    description = _read_description(own or _DATA / "multiwoz.toml")
    paths = {
        each.partition(".")[0].removesuffix("_db").lower(): path
        for each, path in files.items()
        if each.endswith(_SUFFIXES) and each != "values.json" and not each.startswith(("goals.", "."))
    }
    unknown = next((each for each in paths if each not in description.domains), None)
    if not paths or unknown is not None:
        reason = f"no domain {one_line(unknown, 80)}" if unknown else "no table such as hotel.csv"
        known = f"known domains: {', '.join(description.domains)}"
        raise DialmeterError(f"world={one_line(name, 200)}: {reason}; {known}; describe domains in world.toml")
    domains = {each: domain for each, domain in description.domains.items() if each in paths or domain.drawn}
    tables = {each: _read_table(path, domains[each]) for each, path in paths.items()}
    spellings = _read_json(files["values.json"], dict) if "values.json" in files else {}
    return World(name, msgspec.structs.replace(description, domains=domains), tables, spellings)


def goals_file(name: str) -> Path | None:
    """Return the file of goals in the folder of a world."""
    found = sorted(Path(name).glob("goals.json*")) if name != TOWN else []
    return found[0] if found else None


def _read_description(path: Path) -> WorldFile:
    source = Source(str(path))
    with closing(source), placing(file=source.name):
        try:
            description = msgspec.toml.decode(source.text, type=WorldFile)
        except msgspec.MsgspecError as error:
            raise InputError(str(error).replace("`", "")) from None
        for name, domain in description.domains.items():
            listed = {*_COMMON, *description.values}
            missing = next((slot for slot in domain.book if slot not in listed), None)
            if missing is not None:
                raise InputError(f"domains.{name}: values.{missing} must list the values of the booking slot {missing}")
            if domain.drawn and domain.entity not in domain.drawn:
                raise InputError(f"domains.{name}.drawn: no {one_line(domain.entity, 80)}, the entity of the domain")
        return description


def _read_json(path: Path, kind: type) -> Any:
    source = Source(str(path))
    with closing(source), placing(file=source.name):
        if not isinstance(source.document, kind):
            raise InputError(f"expected {'a list of objects' if kind is list else 'an object'}")
        return source.document


def _read_table(path: Path, domain: Domain) -> tuple[Row, ...]:
    """Return the rows of a table in lower case, with the columns that the domain knows; what a row does not have is unknown."""
    if ".csv" in path.suffixes:
        with closing(Source(str(path))) as source:
            rows: Iterable[Mapping[str, Any]] = [cells for _, cells in read_csv(source).rows]
    else:
        rows = _read_json(path, list)
    needed = () if domain.is_granted else (domain.entity, *domain.needed, *(TIMES if domain.has_times else ()))
    known = {*domain.informable, *domain.request, *_DECIDE, *needed, domain.entity}
    with placing(file=str(path)):
        table = [_row(number, row) for number, row in enumerate(rows, 1)]
        columns = [column for column in dict.fromkeys(column for row in table for column in row) if column in known]
        missing = next((slot for slot in (*needed, domain.entity) if slot not in columns), None)
        if missing is not None:
            raise InputError(f"no column {missing}" if table else "the table has no row")
    return tuple({name: row.get(name, "" if name in _DECIDE else UNKNOWN) for name in columns} for row in table)


def _row(number: int, row: Any) -> Row:
    if not isinstance(row, Mapping):
        raise InputError(f"row {number}: expected an object")
    return {
        name.lower(): (UNKNOWN if value in ("", "?") and name.lower() not in _DECIDE else str(value).lower())
        for name, value in row.items()
        if isinstance(value, str | int | float) and not isinstance(value, bool)
    }
