"""Negates the verb of a statement: an auxiliary takes *not*, another verb *do not* and its lemma."""

from __future__ import annotations

from ..language.analysis import Analysis, Span, Token
from . import NoCase
from .edits import Edit, edited

_FINITE = ("VBZ", "VBP", "VBD", "MD")
_SUBJECTS = ("nsubj", "nsubjpass", "expl")
_WORDS_OF_NEGATION = frozenset(
    {"not", "n't", "n’t", "no", "never", "nothing", "none", "nobody", "neither", "unable", "without"}
)
_FULL = {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would"}
_POLITE = frozenset({"hope", "think", "guess", "believe", "mean", "wish", "thank", "suppose", "know"})


def negated(text: str, analysis: Analysis) -> list[str]:
    """The text with one statement negated, for every statement in which that can be done, the first one first.

    Raises:
        NoCase: there is none.
    """
    found = []
    for sentence in analysis.sentences or (Span(0, len(text)),):
        edit = _edit(text, analysis, sentence)
        if edit is not None:
            found.append(edited(text, [edit]))
    if not found:
        raise NoCase("no statement that can be negated")
    return found


def _edit(text: str, analysis: Analysis, sentence: Span) -> Edit | None:
    tokens = analysis.within(sentence)
    if "?" in sentence.of(text) or any(token.text.lower() in _WORDS_OF_NEGATION for token in tokens):
        return None
    places = {token.start: place for place, token in enumerate(analysis.tokens)}
    root = next((token for token in tokens if analysis.tokens[places[token.start]].head == places[token.start]), None)
    if root is None or root.pos not in ("VERB", "AUX") or root.lemma in _POLITE:
        return None
    below = [token for token in tokens if token.head == places[root.start] and token is not root]
    subject = next((token for token in below if token.dep in _SUBJECTS), None)
    if subject is None or subject.start > root.start or subject.tag in ("WDT", "WP") or _is_relative(text, subject):
        return None
    helpers = [token for token in below if token.dep in ("aux", "auxpass") and token.start < root.start]
    if any(token.dep == "mark" for token in below):
        return None
    if helpers:
        first = helpers[0]
        return None if first.start < subject.start or first.tag == "TO" else _after(text, first)
    if root.lemma == "be" and root.tag in _FINITE:
        return _after(text, root)
    do = {"VBZ": "does", "VBP": "do", "VBD": "did"}.get(root.tag)
    return (root.start, root.end, f"{do} not {root.lemma}") if do else None


def _is_relative(text: str, subject: Token) -> bool:
    """*That* behind a comma begins a relative clause, whatever a parser makes of it."""
    return subject.text.lower() == "that" and text[: subject.start].rstrip().endswith(",")


def _after(text: str, auxiliary: Token) -> Edit:
    """*Not* behind an auxiliary; a short form that cannot carry it is written out."""
    word = auxiliary.text.replace("’", "'").lower()
    if word == "'s":
        return (auxiliary.start, auxiliary.end, " has not" if auxiliary.lemma == "have" else " is not")
    if word == "'d":
        return (auxiliary.start, auxiliary.end, " had not" if auxiliary.lemma == "have" else " would not")
    if word in _FULL:
        return (auxiliary.start, auxiliary.end, f" {_FULL[word]} not")
    if word == "can":
        return (auxiliary.start, auxiliary.end, auxiliary.text + "not")
    return (auxiliary.end, auxiliary.end, " not")
