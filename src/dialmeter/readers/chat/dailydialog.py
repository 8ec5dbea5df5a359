"""Text files of DailyDialog: one dialogue per line, with ``__eou__`` after every utterance.

``Is the bakery open ? __eou__ Only in the morning . __eou__``

Two speakers, A and B, take turns. The id of a dialogue is its position in the file, counted from 1.
"""

from __future__ import annotations

from ...model import Conversation
from ..entries import Passage, alternate_speakers, make_conversation, single_lines
from ..source import Sample

CARRIES = "text, one dialogue per line, an end mark after every utterance"

_END = "__eou__"


def detect(sample: Sample) -> bool:
    return sample.kind == "text" and _END in sample.value


items = single_lines


def conversation(item: Passage) -> Conversation:
    line = "".join(text for _, text in item.texts())
    texts = [text.strip() for text in line.split(_END)]
    return make_conversation(item.name, alternate_speakers(texts if texts[-1] else texts[:-1]))
