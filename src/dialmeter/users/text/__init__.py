"""Acts for turns that have only text. A maker finds them. The accuracy of makers is measured, because they make mistakes.

``TextReader(maker, profile).read(conversation)`` fills in the acts of turns without acts. ``measure_reading`` measures its accuracy.
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
