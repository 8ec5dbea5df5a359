"""``[{"hotel": {"semi": {"name": ["A", "B"]}, "book": {"day": ["Monday"]}}}]``: DSTC10 track 2, task 1.

The file has no dialogue ids: every instance is a dialogue of one turn, and its id is its position, counted from 0. A
list is a set of values, and a prediction must match the whole set (rule set ``dstc10``).
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Raw

from ...errors import placing
from ...model import Dialogue
from ..pairs.raw_states import number_keyless
from ..pairs.state_layouts import StateLayout
from ..pairs.vocabulary import PairDialogue, Vocabulary
from ..parts import Role, as_mapping, dialogue, turn_with_state
from ..source import Sample, Source

STATES = StateLayout("sections", lists=True)
HOLDS = "state"
CARRIES = "one state per instance, values as sets; no dialogue ids"

_SAMPLED_DOMAINS = 20


def detect(sample: Sample) -> bool:
    if sample.kind != "document" or not isinstance(sample.value, list):
        return False
    if not all(isinstance(instance, dict) for instance in sample.value):
        return False
    domains = [domain for instance in sample.value for domain in instance.values()][:_SAMPLED_DOMAINS]
    return all(isinstance(each, dict) and each.keys() <= {"semi", "book"} for each in domains) and bool(sample.value)


def read(source: Source, role: Role) -> Iterator[Dialogue | PairDialogue]:
    words = source.vocabulary or Vocabulary()
    parts = source.parts("a list")
    for place in range(len(parts)):
        raw = parts.raw(place)
        if raw is not None:
            gold, pred = (None, Raw(raw)) if role is Role.PRED else (Raw(raw), None)
            result = number_keyless(raw, str(place), [(0, gold, pred)], (words, STATES, source.name, None))
            if result is not None:
                parts.skip(place)
                yield result
                continue
        instance = parts.parse(place)
        with placing(dialogue=str(place), turn=0):
            state = as_mapping(instance, "a state")
        yield dialogue(str(place), [turn_with_state(role, 0, state)])
    parts.finish()
