"""Plain text: one utterance per line, a blank line between dialogues.

::

    A: Is the bakery open on Sundays?
    B: Only in the morning.

    Good evening.
    Good evening, how can I help?

A label such as ``A:`` or ``User:`` at the start of every line of a dialogue names the speaker. Without labels, two
speakers, A and B, take turns. The id of a dialogue is its position in the file, counted from 1.
"""

from __future__ import annotations

import re

from ...model import Conversation, Move
from ..entries import Passage, alternate_speakers, make_conversation, passages, speaker
from ..multiwoz import fga_text
from ..source import Sample

CARRIES = "text, one utterance per line, a blank line between dialogues"

_LABELLED = re.compile(r"\s*([^\W\d_][\w.' -]{0,29}?)\s*:(?:\s+(.*)|$)", re.DOTALL)


def detect(sample: Sample) -> bool:
    """Accept any text except the sheets of the format fga-text. Detection tries this format last."""
    return sample.kind == "text" and not fga_text.detect(sample)


items = passages


def conversation(item: Passage) -> Conversation:
    texts = [text for _, text in item.texts()]
    labels = [_LABELLED.fullmatch(text) for text in texts]
    labelled = [Move(speaker(match[1]), (match[2] or "").strip()) for match in labels if match]
    if len(labelled) == len(texts):
        return make_conversation(item.name, labelled)
    return make_conversation(item.name, alternate_speakers(text.strip() for text in texts))
