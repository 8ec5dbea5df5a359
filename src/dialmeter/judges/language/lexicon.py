"""The built-in lexicon: everyday words of dialogues with words of the same meaning, for when WordNet is not there."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from .inflection import by_rule
from .wordnet import Synset

_WORD = re.compile(r"([a-z-]+)(?:\(([a-z,-]+)\))?")
_TAGS = {"NOUN": ("NN", "NNS"), "VERB": ("VB", "VBZ", "VBG", "VBN", "VBD"), "ADJ": ("JJ",), "ADV": ("RB",)}


class Lexicon:
    """Senses from lines of words.

    Args:
        lines: part of speech and words of the same meaning, with irregular forms in brackets.

    Example:
        >>> small = Lexicon(["VERB buy(bought,bought) purchase", "NOUN meal repast"])
        >>> small.synsets("purchase", "VERB")
        [Synset(words=('buy', 'purchase'), sense=0)]
        >>> small.form("buy", "VBD"), small.form("purchase", "VBD"), small.forms["repasts"]
        ('bought', 'purchased', ('repast', 'NOUN', 'NNS'))
    """

    name = "dialmeter-lexicon-1"

    def __init__(self, lines: Iterable[str]) -> None:
        self._senses: dict[tuple[str, str], list[Synset]] = {}
        self._irregular: dict[tuple[str, str], str] = {}
        seen: dict[str, tuple[str, str, str]] = {}
        ambiguous: set[str] = set()
        for line in lines:
            pos, *entries = line.split()
            words = tuple(self._entry(pos, entry) for entry in entries)
            for word in words:
                listed = self._senses.setdefault((word, pos), [])
                listed.append(Synset(words, len(listed)))
                for tag in _TAGS[pos]:
                    form = self.form(word, tag)
                    known = seen.setdefault(form, (word, pos, tag))
                    if known[:2] != (word, pos):
                        ambiguous.add(form)
        self.forms = {form: known for form, known in seen.items() if form not in ambiguous}
        """Form → lemma, part of speech and tag, for forms that can be only one."""

    def _entry(self, pos: str, entry: str) -> str:
        found = _WORD.fullmatch(entry)
        if found is None:
            raise ValueError(f"not an entry of the lexicon: {entry}")
        word, forms = found[1], (found[2] or "").split(",")
        if pos == "NOUN" and forms[0]:
            self._irregular[word, "NNS"] = forms[0]
        if pos == "VERB" and forms[0]:
            self._irregular[word, "VBD"], self._irregular[word, "VBN"] = forms
        return word

    def form(self, word: str, tag: str) -> str:
        """A word of the lexicon in the form of a tag."""
        return self._irregular.get((word, tag)) or by_rule(word, tag) or word

    def synsets(self, lemma: str, pos: str) -> list[Synset]:
        """The senses of a word, as WordNet gives them."""
        return self._senses.get((lemma.lower(), pos), [])

    @staticmethod
    @cache
    def builtin() -> Lexicon:
        """The lexicon that comes with dialmeter.

        Example:
            >>> Lexicon.builtin().synsets("restaurant", "NOUN")[0].words
            ('restaurant', 'eatery', 'diner')
        """
        text = files(__package__).joinpath("lexicon.txt").read_text("utf-8")
        return Lexicon(line for line in text.splitlines() if line and not line.startswith("#"))
