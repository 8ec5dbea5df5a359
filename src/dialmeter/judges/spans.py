"""Where two texts differ, word by word."""

from __future__ import annotations

from difflib import SequenceMatcher

from .language.words import tokens


def changed_spans(old: str, new: str) -> tuple[tuple[int, int], ...]:
    """The parts of the new text that are not in the old, as (start, end); where only something is gone, an empty span.

    Example:
        >>> changed_spans("it is good.", "it is not good.")
        ((6, 9),)
        >>> changed_spans("Yes, it is.", "Yes, it is")
        ((10, 10),)
        >>> changed_spans("same", "same")
        ()
    """
    before, after = tokens(old), tokens(new)
    matcher = SequenceMatcher(None, [token for _, token in before], [token for _, token in after], autojunk=False)
    found = []
    for what, _, _, first, last in matcher.get_opcodes():
        if what == "equal":
            continue
        if first == last:
            place = after[first - 1][0] + len(after[first - 1][1]) if first else 0
            found.append((place, place))
        else:
            found.append((after[first][0], after[last - 1][0] + len(after[last - 1][1])))
    return tuple(found)
