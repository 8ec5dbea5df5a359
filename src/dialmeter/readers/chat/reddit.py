"""Reddit threads: one thread per line, with the context, a tab, and the reply.

``any good pizza here ? EOS the one at the harbour .<TAB>i second that .``

The turns of the context are separated by `` EOS `` or by tabs. Some files have a weight before every turn (``0.0 ..``,
``1.0 ..``); it is removed. The file does not name the authors, so two speakers, A and B, take turns. The id of a
dialogue is its position in the file, counted from 1.
"""

from __future__ import annotations

import re

from ...model import Conversation
from ..entries import Passage, alternate_speakers, make_conversation, single_lines
from ..source import Sample

CARRIES = "text, one thread per line: context, tab, reply; EOS between turns"

_BETWEEN = re.compile(r"\t|(?:(?<=\s)|^)EOS(?=\s|$)")
_WEIGHT = re.compile(r"[01]\.0(?:\s+|$)")


def detect(sample: Sample) -> bool:
    return sample.kind == "text" and bool(_BETWEEN.search(sample.value.strip()))


items = single_lines


def conversation(item: Passage) -> Conversation:
    line = "".join(text for _, text in item.texts())
    turns = [turn.strip() for turn in _BETWEEN.split(line)]
    if all(_WEIGHT.match(turn) for turn in turns):
        turns = [_WEIGHT.sub("", turn, count=1) for turn in turns]
    return make_conversation(item.name, alternate_speakers(turns))
