"""The one gate of comparability: two numbers are compared only if they were made in the same way from the same data."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

_WORDS = {
    "d": "dialogues",
    "t": "turns",
    "n": "scored cases",
    "map": "value map",
    "K": "number of slots",
    "only": "dialogues asked for",
    "scored": "scored of what was asked for",
}
_DATA = {"tracker": "gold", "user": "goals", "judge": "cases", "people": "ratings", "system": "tasks"}
OWN: Mapping[str, frozenset[str]] = {
    "tracker": frozenset(),
    # Users with the same goals talk for as long as they like; what one of them did not finish is its own.
    "user": frozenset({"t", "left_out", "scored"}),
    "judge": frozenset({"judge"}),
    "people": frozenset({"judge"}),
    # Systems may have tried the same tasks more or less often.
    "system": frozenset({"d", "trials", "scored"}),
}
"""By kind of run, the fields of a signature that belong to the system under test and not to how it was measured."""


def not_comparable(kind: str, one: str, other: str, own: Collection[str] = ()) -> str | None:
    """Why two numbers may not be compared: the fields in which their signatures differ, with both values.

    Args:
        kind: tracker, user, judge or people.
        one: the signature of the first number.
        other: the signature of the second one.
        own: further fields that may differ, beside those in ``OWN``.

    Returns:
        One line, or None where they are comparable.

    Example:
        >>> not_comparable("tracker", "JGA|rules:a|d:100|data:3f|v:1", "JGA|rules:a|d:1000|data:77|v:2")
        'dialogues (d): 100 ≠ 1000; gold (data): 3f ≠ 77'
        >>> not_comparable("user", "I-GCDF1|rules:a|t:100|v:1", "I-GCDF1|rules:a|t:90|v:1")
    """
    if not one or not other:
        return "signature: missing"
    words = {**_WORDS, "data": _DATA.get(kind, "data")}
    found = []
    for line in difference(one, other):
        name, _, values = line.partition(": ")
        if name not in own and name not in OWN.get(kind, ()):
            found.append(f"{words[name]} ({name}): {values}" if name in words else line)
    return "; ".join(found) or None


def compare_scores(kind: str, one: Mapping[str, str], other: Mapping[str, str]) -> dict[str, str | None]:
    """For every score that two runs share, why it may not be compared.

    Args:
        kind: of both runs.
        one: the signatures of the first run's scores, by their names.
        other: those of the second run.

    Example:
        >>> compare_scores("tracker", {"JGA": "JGA|rules:a", "SA": "SA|K:1"}, {"JGA": "JGA|rules:b", "GCA": "GCA"})
        {'JGA': 'rules: a ≠ b'}
    """
    return {name: not_comparable(kind, one[name], other[name]) for name in one if name in other}


def in_one_line(found: Mapping[str, str | None]) -> str:
    """The fields of all scores that may not be compared, each once; empty where all may.

    Example:
        >>> in_one_line({"JGA": "rules: a ≠ b", "SA": "rules: a ≠ b; number of slots (K): 30 ≠ 31", "GCA": None})
        'rules: a ≠ b; number of slots (K): 30 ≠ 31'
    """
    return "; ".join(dict.fromkeys(part for line in found.values() if line for part in line.split("; ")))


def difference(one: str, other: str) -> list[str]:
    """The fields in which two signatures differ, the version aside.

    Example:
        >>> difference("JGA|rules:a|d:1|v:1", "JGA|rules:b|d:1|v:2")
        ['rules: a ≠ b']
        >>> difference("SA|rules:a|K:30|v:1", "SA|rules:a|v:1")
        ['K: 30 ≠ (none)']
    """
    left, right = _fields(one), _fields(other)
    names = [*left, *(name for name in right if name not in left)]
    return [
        f"{name}: {left.get(name, '(none)')} ≠ {right.get(name, '(none)')}"
        for name in names
        if name != "v" and left.get(name) != right.get(name)
    ]


def shared_fields(signatures: Sequence[str]) -> list[str]:
    """The fields that all signatures have in common, the measure aside."""
    first, *rest = [signature.split("|")[1:] for signature in signatures]
    return [part for part in first if all(part in other for other in rest)]


def joint_signature(signatures: Sequence[str]) -> str:
    """The signatures of several scores in one line, with all their fields.

    All measures come first. A field that belongs to some measures only names them, and a field that differs between systems or
    files has all its values, or their number where they are many.

    Example:
        >>> joint_signature(["JGA|rules:a|d:9|v:1", "SA|rules:a|K:30|d:9|v:1"])
        'JGA,SA|rules:a|K(SA):30|d:9|v:1'
        >>> joint_signature(["JGA|d:9|data:3f|v:1", "JGA|d:9|data:77|v:1"])
        'JGA|d:9|data:3f,77|v:1'
    """
    found = [_fields(line) for line in signatures]
    measures = list(dict.fromkeys(each["measure"] for each in found))
    parts = [",".join(measures)]
    for name in _in_order([list(each)[1:] for each in found]):
        by_measure = {
            measure: list(dict.fromkeys(each.get(name) for each in found if each["measure"] == measure))
            for measure in measures
        }
        values = list(dict.fromkeys(value for of_one in by_measure.values() for value in of_one))
        if values == [values[0]]:
            parts.append(f"{name}:{values[0]}")
        elif all(len(of_one) == 1 for of_one in by_measure.values()):
            for value in values:
                owners = [measure for measure, of_one in by_measure.items() if of_one == [value]]
                parts += [f"{name}({','.join(owners)}):{value}"] if value is not None else []
        else:
            listed = [value for value in values if value is not None]
            parts.append(f"{name}:{','.join(listed) if len(listed) <= _MOST_VALUES else f'{len(listed)} values'}")
    return "|".join(parts)


_MOST_VALUES = 12


def _in_order(lists: Iterable[Sequence[str]]) -> list[str]:
    """All names, each behind the names that come before it where it is met first."""
    found: list[str] = []
    for names in lists:
        place = 0
        for name in names:
            if name not in found:
                found.insert(place, name)
            place = found.index(name) + 1
    return found


def _fields(line: str) -> dict[str, str]:
    measure, *rest = line.split("|")
    return {"measure": measure, **{part.partition(":")[0]: part.partition(":")[2] for part in rest}}
