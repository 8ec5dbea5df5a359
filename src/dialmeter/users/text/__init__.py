"""Acts of turns that have words only. A maker finds them; what a maker finds is measured, never taken for what was said.

``TextReader(maker, profile).read(conversation)`` fills in the acts of turns that have none, ``measure_reading`` says how well it reads.
"""

from .accuracy import ReadingAccuracy, measure_reading
from .reader import ActMaker, TextReader, TextSchema, TextTurn
from .rules import RuleMaker

__all__ = [
    "ActMaker",
    "ReadingAccuracy",
    "RuleMaker",
    "TextReader",
    "TextSchema",
    "TextTurn",
    "measure_reading",
]
