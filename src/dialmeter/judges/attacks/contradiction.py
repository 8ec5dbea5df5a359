"""Attack: the reply contradicts an earlier turn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..corpus_pool import Snippet
from ..language import COREFERENCE, ENTITIES, TAGS
from ..language.analysis import Analysis, TextSpan, Token
from ..language.edits import Edit, edited
from ..language.words import content_words
from . import Attack, Kit, NoCase, Variant
from .co_reference import resolved, spelled_out
from .named_entity import in_reply, mentioned, swapped

_FINITE = ("VBZ", "VBP", "VBD", "MD")
_SUBJECTS = ("nsubj", "nsubjpass", "expl")
_WORDS_OF_NEGATION = frozenset(
    {"not", "n't", "n’t", "no", "never", "nothing", "none", "nobody", "neither", "unable", "without"}
)
_FULL = {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would"}
_SHARED_WORDS = 2
_POLITE = frozenset({"hope", "think", "guess", "believe", "mean", "wish", "thank", "suppose", "know"})


class Negation(NamedTuple):
    """A text with one negated statement, and the original statement."""

    text: str
    statement: str


def negated(text: str, analysis: Analysis) -> list[Negation]:
    """Negate each statement of a text (an auxiliary with *not*, another verb with *do not*). Each result has one negated statement.

    Raises:
        NoCase: no statement can be negated.
    """
    negations = []
    for sentence in analysis.sentences or (TextSpan(0, len(text)),):
        edit = _negating_edit(text, analysis, sentence)
        if edit is not None:
            negations.append(Negation(edited(text, [edit]), sentence.of(text)))
    if not negations:
        raise NoCase("no statement that can be negated")
    return negations


def _negating_edit(text: str, analysis: Analysis, sentence: TextSpan) -> Edit | None:
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
    auxiliaries = [token for token in below if token.dep in ("aux", "auxpass") and token.start < root.start]
    if any(token.dep == "mark" for token in below):
        return None
    if auxiliaries:
        first = auxiliaries[0]
        return None if first.start < subject.start or first.tag == "TO" else _add_not(first)
    if subject.text.lower() in ("let", "lets") or root.text.lower() in ("let", "lets"):
        return None
    if root.lemma in ("be", "do") and root.tag in _FINITE:
        return _add_not(root)
    do = {"VBZ": "does", "VBP": "do", "VBD": "did"}.get(root.tag)
    return (root.start, root.end, f"{do} not {root.lemma}") if do else None


def _is_relative(text: str, subject: Token) -> bool:
    """True for *that* after a comma: it starts a relative clause, even if the parser has another result."""
    return subject.text.lower() == "that" and text[: subject.start].rstrip().endswith(",")


def _add_not(auxiliary: Token) -> Edit:
    """The edit that adds *not* after an auxiliary, and expands a short form if necessary."""
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


_YES_OR_NO = re.compile(
    r"(?:^|[.!?,;]\s*|\b(?:and|if|but|know|please)\s+)(?:is|are|was|do|does|did|can|could|will|would|has|have|may|should|if)\b[^.!?]*\?",
    re.IGNORECASE,
)
_SAYS_YES = re.compile(r"\s*(?:yes|yeah|yep|sure|certainly|of course|absolutely|definitely)\b", re.IGNORECASE)


def _negate_reply(snippet: Snippet, kit: Kit) -> str:
    """Negate a statement of the reply.

    An answer to a yes-or-no question is attacked only if it starts with *yes*: otherwise the negated answer contradicts nothing.
    """
    text = snippet.reply.text
    last = snippet.context[-1]
    if last.speaker != snippet.reply.speaker and _YES_OR_NO.search(last.text) and not _SAYS_YES.match(text):
        raise NoCase("an answer to a yes-or-no question, whose negation contradicts nothing")
    negations = [
        each.text
        for each in negated(text, kit.language.analysis(text))
        if _SAYS_YES.match(text) or _is_asserted(each.statement, snippet)
    ]
    if not negations:
        raise NoCase("no earlier turn asserts a statement of the reply")
    return kit.random.choice(negations)


def _is_asserted(statement: str, snippet: Snippet) -> bool:
    """True if an earlier statement has at least half of the content words of a statement, and at least two of them."""
    words = set(content_words(statement))
    earlier = (set(content_words(sentence)) for sentence in _earlier_statements(snippet))
    return any(len(words & each) >= max(_SHARED_WORDS, len(words) / 2) for each in earlier)


def _earlier_statements(snippet: Snippet) -> Iterator[str]:
    """The earlier sentences that are not questions."""
    for move in snippet.context:
        for sentence in re.split(r"(?<=[.!?])\s+", move.text):
            if not sentence.rstrip().endswith("?"):
                yield sentence


def _negate_earlier(snippet: Snippet, kit: Kit) -> str:
    """Repeat an earlier turn of the same speaker, negated, as in the published code and in Table 2 of the paper."""
    own = [move.text for move in snippet.context if move.speaker == snippet.reply.speaker and content_words(move.text)]
    negations = []
    for text in dict.fromkeys(own):
        try:
            negations += [
                each.text
                for each in negated(text, kit.language.analysis(text))
                if len(set(content_words(each.statement))) >= _SHARED_WORDS
            ]
        except NoCase:
            continue
    if not negations:
        raise NoCase("no earlier statement of the speaker that can be negated")
    return kit.random.choice(negations)


def _entity(snippet: Snippet, kit: Kit) -> str:
    text = snippet.reply.text
    stated = [
        each
        for each in in_reply(snippet, kit)
        if mentioned(each.of(text), _earlier_statements(snippet)) and "?" not in re.split(r"[.!]", text[each.end :])[0]
    ]
    if not stated:
        raise NoCase("no entity of the reply was stated before")
    return swapped(snippet, kit, stated, {each.label: [each.label] for each in stated})


def _reference(snippet: Snippet, kit: Kit) -> str:
    to_entities = [each for each in resolved(snippet, kit) if each.label]
    if not to_entities:
        raise NoCase("no reference to an entity")
    reference = to_entities[0]
    near = [snippet.reply.text, *(move.text for move in snippet.context)]
    other = kit.pool.entity(reference.label, kit.random, near)
    if other is None:
        raise NoCase("no other entity of that type in the corpus")
    return spelled_out(snippet.reply.text, reference, other)


ATTACK = Attack(
    name="contradiction",
    facet="coherence",
    expected="lower",
    help="Makes the reply contradict an earlier turn.",
    variants=(
        Variant("negate-reply", _negate_reply, "A statement of the reply, negated.", (TAGS,)),
        Variant(
            "negate-earlier", _negate_earlier, "An earlier statement of the speaker, negated, as the reply.", (TAGS,)
        ),
        Variant("entity", _entity, "An entity that was named before becomes another of its type.", (ENTITIES,)),
        Variant("reference", _reference, "A reference becomes another entity of its type.", (COREFERENCE, ENTITIES)),
    ),
    cite=("khalid-2022",),
)
