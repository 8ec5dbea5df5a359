"""DailyDialog's text files: one dialogue per line, ``__eou__`` after every utterance.

``Is the bakery open ? __eou__ Only in the morning . __eou__``

Two speakers, A and B, take turns. A dialogue's id is its place in the file, counted from 1.
"""

from __future__ import annotations

from ...model import Conversation
from ..entries import taking_turns, talk
from ..source import Sample
from .passages import Passage, single_lines

CARRIES = "text, one dialogue per line, a mark after every utterance"

_END = "__eou__"


def detect(sample: Sample) -> bool:
    return sample.kind == "text" and _END in sample.value


items = single_lines


def conversation(item: Passage) -> Conversation:
    line = "".join(text for _, text in item.texts())
    texts = [text.strip() for text in line.split(_END)]
    return talk(item.name, taking_turns(texts if texts[-1] else texts[:-1]))
