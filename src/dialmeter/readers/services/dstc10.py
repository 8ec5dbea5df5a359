"""``[{"hotel": {"semi": {"name": ["A", "B"]}, "book": {"day": ["Monday"]}}}]``: DSTC10 track 2, task 1.

The order is the identity: every instance is a dialogue of one turn, named by its place. A list is a set of values that
is to be met whole (rule set ``dstc10``).
"""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import InputError
from ...model import Dialogue
from ..pairs.state_layouts import StateLayout
from ..parts import Role, as_mapping, dialogue, sided
from ..source import Sample, Source

STATES = StateLayout("sections", lists=True)
HOLDS = "state"
CARRIES = "one state per instance, values as sets; no dialogues"

_LOOKED_AT = 20


def detect(sample: Sample) -> bool:
    if sample.kind != "document" or not isinstance(sample.value, list):
        return False
    if not all(isinstance(instance, dict) for instance in sample.value):
        return False
    domains = [domain for instance in sample.value for domain in instance.values()][:_LOOKED_AT]
    return all(isinstance(each, dict) and each.keys() <= {"semi", "book"} for each in domains) and bool(sample.value)


def read(source: Source, role: Role) -> Iterator[Dialogue]:
    for position, instance in enumerate(source.elements()):
        try:
            yield dialogue(str(position), [sided(role, 0, as_mapping(instance, "a state"))])
        except InputError as error:
            raise error.at(dialogue=str(position), turn=0) from None
