"""Check comparability: two numbers may be compared only if they were computed in the same way from the same data."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

_WORDS = {
    "d": "dialogues",
    "t": "turns",
    "n": "scored cases",
    "map": "value map",
    "K": "number of slots",
    "only": "requested dialogues",
    "train": "services of the training data",
    "scored": "scored / requested",
}
_DATA = {"tracker": "gold under the rules", "user": "goals", "judge": "cases", "people": "ratings", "system": "tasks"}
OWN: Mapping[str, frozenset[str]] = {
    "tracker": frozenset(),
    # Users with the same goals may need different numbers of turns, and leave different dialogues unfinished.
    "user": frozenset({"t", "unscored", "scored"}),
    "judge": frozenset({"judge"}),
    "people": frozenset({"judge"}),
    # Systems may have a different number of trials for the same tasks.
    "system": frozenset({"d", "trials", "scored"}),
}
"""The signature fields that describe the system under test and not the measurement, by kind of run."""


INFORMATIVE = frozenset({"v", "gold", "ci", "bs", "seed", "test"})
"""The signature fields that never stop a comparison of two values. Of gold, ``data`` decides: it is what the rules see, and
``gold`` only tells whether two files hold the same corpus. Level, resamples, seed and test belong to the interval and to the
p value, not to the value."""


def not_comparable(kind: str, one: str, other: str, own: Collection[str] = ()) -> str | None:
    """Return why two numbers may not be compared: the fields in which their signatures differ, with both values.

    Args:
        kind: tracker, user, judge, people or system.
        one: the signature of the first number.
        other: the signature of the second number.
        own: fields that may differ, in addition to those in ``OWN``.

    Returns:
        One line, or None if the numbers are comparable.

    Example:
        >>> not_comparable("tracker", "JGA|rules:a|d:100|data:3f|v:1", "JGA|rules:a|d:1000|data:77|v:2")
        'dialogues (d): 100 ≠ 1000; gold under the rules (data): 3f ≠ 77'
        >>> not_comparable("user", "I-GCDF1|rules:a|t:100|v:1", "I-GCDF1|rules:a|t:90|v:1")
    """
    if not one or not other:
        return "signature: missing"
    words = {**_WORDS, "data": _DATA.get(kind, "data")}
    reasons = []
    for line in difference(one, other):
        name, _, values = line.partition(": ")
        if name not in own and name not in OWN.get(kind, ()) and name not in INFORMATIVE:
            reasons.append(f"{words[name]} ({name}): {values}" if name in words else line)
    return "; ".join(reasons) or None


def difference(one: str, other: str) -> list[str]:
    """Return the fields in which two signatures differ, except the version.

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


def add_fields(signature: str, fields: Sequence[str]) -> str:
    """Add fields to a signature, in front of the version. They replace fields with the same names.

    Example:
        >>> add_fields("JGA|d:9|v:1", ["ci:95", "bs:1000"]), add_fields("JGA|ci:95", ["ci:90"]), add_fields("JGA|v:1", [])
        ('JGA|d:9|ci:95|bs:1000|v:1', 'JGA|ci:90', 'JGA|v:1')
    """
    names = [field.partition(":")[0] for field in fields]
    measure, *rest = (part for part in signature.split("|") if part.partition(":")[0] not in names)
    version = [part for part in rest if part.startswith("v:")]
    return "|".join((measure, *(part for part in rest if part not in version), *fields, *version)) if measure else ""


def shared_fields(signatures: Sequence[str]) -> list[str]:
    """Return the fields that a table of scores need not repeat: those of all signatures, digests of data, settings of intervals.

    Example:
        >>> shared_fields(["JGA|rules:a|data:3f|ci:95", "SA|rules:a|K:30|data:77"])
        ['rules:a', 'data:3f', 'ci:95', 'data:77']
    """
    lists = [signature.split("|")[1:] for signature in signatures]
    hidden = INFORMATIVE | {"data", "schema"}
    return [
        part
        for part in dict.fromkeys(chain.from_iterable(lists))
        if part.partition(":")[0] in hidden or all(part in each for each in lists)
    ]


def joint_signature(signatures: Sequence[str]) -> str:
    """Combine the signatures of several scores into one line with all their fields.

    All measures come first. A field that only some measures have lists these measures. A field that differs between systems or
    files has all its values, or their number if there are more than twelve.

    Example:
        >>> joint_signature(["JGA|rules:a|d:9|v:1", "SA|rules:a|K:30|d:9|v:1"])
        'JGA,SA|rules:a|K(SA):30|d:9|v:1'
        >>> joint_signature(["JGA|d:9|data:3f|v:1", "JGA|d:9|data:77|v:1"])
        'JGA|d:9|data:3f,77|v:1'
    """
    parsed = [_fields(line) for line in signatures]
    measures = list(dict.fromkeys(each["measure"] for each in parsed))
    parts = [",".join(measures)]
    for name in _merge_orders([list(each)[1:] for each in parsed]):
        by_measure = {
            measure: list(dict.fromkeys(each.get(name) for each in parsed if each["measure"] == measure))
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


def _merge_orders(lists: Iterable[Sequence[str]]) -> list[str]:
    """Merge lists of names without duplicates. A new name is inserted after the name that precedes it in its list."""
    merged: list[str] = []
    for names in lists:
        position = 0
        for name in names:
            if name not in merged:
                merged.insert(position, name)
            position = merged.index(name) + 1
    return merged


def _fields(line: str) -> dict[str, str]:
    measure, *rest = line.split("|")
    return {"measure": measure, **{part.partition(":")[0]: part.partition(":")[2] for part in rest}}
