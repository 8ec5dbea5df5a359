"""Which text is English, for attacks and readers that know only English words; and which letters need no blanks between words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from .model import Conversation, Notice

STOP_WORDS = frozenset(
    """
    a about above after again all also although always am among an and another any anybody anyone anything are around as
    at away back be because been before being below between both but by can cannot could did do does doing done down
    during each either else enough even ever every everybody everyone everything few first for from further get gets
    getting go goes going gone got had has have having he hello her here hers herself hey hi him himself his how however
    i if in indeed into is it its itself just last least less let like lot lots many may maybe me might mine more most
    much must my myself near need needs neither never next no nobody none nor not nothing now of off often oh ok okay on
    once one ones only or other others ought our ours ourselves out over own per perhaps please quite rather really
    right s same see several shall she should since so some somebody someone something sometimes soon still such sure t
    than thank thanks that the their theirs them themselves then there these they thing things this those though through
    till to today together too toward under until up upon us very was way we well were what whatever when where
    whether which while who whole whom whose why will with within without would yeah yes yet you your yours yourself
    yourselves d ll m re ve bye goodbye welcome um uh er hmm
    """.split()  # noqa: SIM905
)
"""Common English words. About 60 % of the words of English dialogues are in this list."""

LIMIT = 0.3
"""Text with a smaller share of common English words is not English. Of 2,300 English dialogues, the lowest share was 35 %; samples of German, Dutch,
Spanish, French, Italian, Norwegian and Hindi in Latin letters had 10 to 22 %."""
_FEWEST = 10
"""Text with fewer words counts as English, because a share of so few words says little."""
NOT_ENGLISH = f"the dialogue is not English (fewer than {100 * LIMIT:.0f} % of its words are common English words)"

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Myanmar, Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # Hiragana, Katakana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
"""The letters of scripts without blanks between words, as a class of a regular expression."""
_WORD = re.compile(rf"[{UNSPACED}]|[^\W\d_{UNSPACED}]+")


class KnownWords(NamedTuple):
    """The number of words of a text that are common English words, and the number of all its words.

    In a script without blanks between words, each letter counts as a word.
    """

    known: int
    words: int

    @property
    def is_english(self) -> bool:
        """True unless the share of common English words is below the limit."""
        return self.words < _FEWEST or self.known >= LIMIT * self.words

    def __str__(self) -> str:
        return f"{100 * self.known / max(1, self.words):.0f} % of the words are common English words"


def known_words(texts: Iterable[str]) -> KnownWords:
    """Count the words of texts and the common English words among them.

    Example:
        >>> known_words(["Which area do you need?"]), known_words(["您想住在哪个区？"])
        (KnownWords(known=4, words=5), KnownWords(known=0, words=7))
    """
    words = [word for text in texts for word in _WORD.findall(text.lower())]
    return KnownWords(sum(word in STOP_WORDS for word in words), len(words))


def words_of_dialogue(conversation: Conversation) -> KnownWords:
    """Count the words of a dialogue, see :func:`known_words`."""
    return known_words(move.text for move in conversation.moves)


def english_notices(counts: Mapping[str, KnownWords], consequence: str) -> list[Notice]:
    """A warning if some dialogues are not English; empty otherwise.

    Args:
        counts: the words of each dialogue by its id.
        consequence: what knows only English, and what that means for these dialogues.

    Example:
        >>> english_notices({"d1": KnownWords(2, 20), "d2": KnownWords(30, 50)}, "rules know only English")[0].count
        1
    """
    others = {name: count for name, count in counts.items() if not count.is_english}
    if not others:
        return []
    whole = KnownWords(sum(count.known for count in others.values()), sum(count.words for count in others.values()))
    message = (
        f"{len(others)} of {len(counts)} dialogues are not English ({whole}; in English: about 60 %); {consequence}"
    )
    return [Notice("not-english", len(others), message, tuple(others)[:5])]
