"""Attacks on the facts of a reply: *named-entity* exchanges its names, *contradiction* makes it contradict an earlier turn."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from ..language import COREFERENCE, ENTITIES, TAGS
from ..language.analysis import Analysis, TextSpan, Token
from ..language.words import Edit, content_words, edited, word_list
from . import Attack, Kit, NoCase, Snippet, require, usable
from .references import resolved, spelled_out

_TYPES = frozenset({"PERSON", "ORG", "GPE", "LOC", "FAC", "PRODUCT", "EVENT", "WORK_OF_ART", "NORP", "DATE", "TIME", "MONEY", "CARDINAL", "LANGUAGE"})  # fmt: skip
# Types that are so similar that a change from one to another may not be wrong.
_ALIKE = [{"PERSON", "ORG", "FAC", "WORK_OF_ART", "PRODUCT", "EVENT", "GPE", "LOC", "NORP", "LANGUAGE"}, {"DATE", "TIME"}, {"CARDINAL", "MONEY", "TIME", "DATE"}]  # fmt: skip
_NO_OTHER = "no other entity of that type in the corpus"

NAMED_ENTITY = Attack(
    "named-entity",
    "coherence",
    "lower",
    "Replaces the names, times and numbers of the reply by others from the corpus.",
)


@NAMED_ENTITY.variant("Others of the same type, for entities that were named before.", ENTITIES)
def _same_type(snippet: Snippet, kit: Kit) -> str:
    """Replace only entities that were named before: otherwise a judge cannot know that the new name is wrong."""

    def is_named(entity: TextSpan) -> bool:
        # Bare numbers are soon forgotten.
        turns = snippet.context[-2:] if entity.label == "CARDINAL" else snippet.context
        return mentioned(entity.of(snippet.text), (move.text for move in turns)) > 0

    named = [each for each in _entities(snippet, kit) if is_named(each)]
    return _swapped(snippet, kit, require(named, "no entity of the reply was named before"))


@NAMED_ENTITY.variant("Others of a type that does not fit.", ENTITIES)
def _other_type(snippet: Snippet, kit: Kit) -> str:
    entities = _entities(snippet, kit)
    labels = {}
    for entity in entities:
        near = set().union(*(group for group in _ALIKE if entity.label in group), {entity.label})
        others = sorted(set(kit.pool.entities) - near)
        labels[entity.label] = require(others, "no other entity of another type in the corpus")
    return _swapped(snippet, kit, entities, labels)


def _entities(snippet: Snippet, kit: Kit) -> list[TextSpan]:
    """The entities of the reply that can be swapped, without the punctuation at their end."""
    text = snippet.text
    trimmed = [
        TextSpan(each.start, each.start + len(each.of(text).rstrip(" .,!?;:")), each.label)
        for each in kit.language.analysis(text).entities
        if each.label in _TYPES
    ]
    return require([each for each in trimmed if usable(each.of(text))], "no entity in the reply")


def mentioned(text: str, others: Iterable[str]) -> int:
    """Number of texts that contain a name as whole words, ignoring case.

    Example:
        >>> mentioned("Ely", ["A train to ely?", "He is lonely.", "Ely."])
        2
    """
    name = word_list(text)
    if name[:1] in (["the"], ["a"]):
        name = name[1:]
    if not name:
        return 0
    texts = (word_list(other) for other in others)
    return sum(any(words[start : start + len(name)] == name for start in range(len(words))) for words in texts)


def _swapped(
    snippet: Snippet, kit: Kit, entities: Iterable[TextSpan], labels: Mapping[str, Sequence[str]] | None = None
) -> str:
    """Replace entities of the reply by others from the pool, of the given types or of the same type.

    The same name always gets the same replacement.
    """
    chosen: dict[str, str | None] = {}
    edits: list[Edit] = []
    for entity in entities:
        old = entity.of(snippet.text)
        key = old.strip().lower()
        if key not in chosen:
            label = kit.random.choice(labels[entity.label] if labels else [entity.label])
            chosen[key] = kit.pool.entity(label, kit.random, [*snippet.texts, *filter(None, chosen.values())])
        new = chosen[key]
        if new is not None:
            edits.append((entity.start, entity.end, _adapt(old, new)))
    return edited(snippet.text, require(edits, _NO_OTHER))


def _adapt(old: str, new: str) -> str:
    """Give a new name the article and the possessive ending of the old name."""
    old_has_article = old.split(maxsplit=1)[0].lower() == "the"
    new_has_article = new.split(maxsplit=1)[0].lower() == "the"
    bare = new.split(maxsplit=1)[1] if new_has_article and len(new.split()) > 1 else new
    ending = next((mark for mark in ("'s", "’s") if old.endswith(mark)), "")
    for mark in ("'s", "’s"):
        bare = bare.removesuffix(mark)
    return (f"{old.split(maxsplit=1)[0]} {bare}" if old_has_article else bare) + ending


CONTRADICTION = Attack("contradiction", "coherence", "lower", "Makes the reply contradict an earlier turn.")
_FINITE = ("VBZ", "VBP", "VBD", "MD")
_SUBJECTS = ("nsubj", "nsubjpass", "expl")
_WORDS_OF_NEGATION = frozenset(
    {"not", "n't", "n’t", "no", "never", "nothing", "none", "nobody", "neither", "unable", "without"}
)
_FULL = {"'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "'d": "would", "'s": "is"}
_FULL_OF_HAVE = {"'s": "has", "'d": "had"}
_SHARED_WORDS = 2
_POLITE = frozenset({"hope", "think", "guess", "believe", "mean", "wish", "thank", "suppose", "know"})


def negated(text: str, analysis: Analysis) -> list[tuple[str, str]]:
    """The text with one statement negated (an auxiliary with *not*, another verb with *do not*), and that statement, for each statement.

    Raises:
        NoCase: no statement can be negated.
    """
    edits = [
        (_negating_edit(text, analysis, sentence), sentence.of(text))
        for sentence in analysis.sentences or (TextSpan(0, len(text)),)
    ]
    negations = [(edited(text, [edit]), statement) for edit, statement in edits if edit]
    return require(negations, "no statement that can be negated")


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
    if subject is None or subject.start > root.start or subject.tag in ("WDT", "WP"):
        return None
    if subject.text.lower() == "that" and text[: subject.start].rstrip().endswith(","):
        return None  # It starts a relative clause, even if the parser has another result.
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


def _add_not(auxiliary: Token) -> Edit:
    """The edit that adds *not* after an auxiliary, and expands a short form if necessary."""
    word = auxiliary.text.replace("’", "'").lower()
    full = _FULL | _FULL_OF_HAVE if auxiliary.lemma == "have" else _FULL
    if word in full:
        return (auxiliary.start, auxiliary.end, f" {full[word]} not")
    if word == "can":
        return (auxiliary.start, auxiliary.end, auxiliary.text + "not")
    return (auxiliary.end, auxiliary.end, " not")


_YES_OR_NO = re.compile(
    r"(?:^|[.!?,;]\s*|\b(?:and|if|but|know|please)\s+)(?:is|are|was|do|does|did|can|could|will|would|has|have|may|should|if)\b[^.!?]*\?",
    re.IGNORECASE,
)
_YES = re.compile(r"\s*(?:yes|yeah|yep|sure|certainly|of course|absolutely|definitely)\b", re.IGNORECASE)


@CONTRADICTION.variant("A statement of the reply, negated.", TAGS)
def _negate_reply(snippet: Snippet, kit: Kit) -> str:
    """Negate a statement of the reply.

    An answer to a yes-or-no question is attacked only if it starts with *yes*: otherwise the negated answer contradicts nothing.
    """
    says_yes = _YES.match(snippet.text)
    last = snippet.context[-1]
    is_asked = last.speaker != snippet.reply.speaker and _YES_OR_NO.search(last.text)
    require(says_yes or not is_asked, "an answer to a yes-or-no question, whose negation contradicts nothing")
    negations = [
        text
        for text, statement in negated(snippet.text, kit.language.analysis(snippet.text))
        if says_yes or _is_asserted(statement, snippet)
    ]
    return kit.random.choice(require(negations, "no earlier turn asserts a statement of the reply"))


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


@CONTRADICTION.variant("An earlier statement of the speaker, negated, as the reply.", TAGS)
def _negate_earlier(snippet: Snippet, kit: Kit) -> str:
    """Repeat an earlier turn of the same speaker, negated, as in the published code and in Table 2 of the paper."""
    negations = []
    for turn in dict.fromkeys(snippet.own_turns):
        with suppress(NoCase):
            negations += [
                text
                for text, statement in negated(turn, kit.language.analysis(turn))
                if len(set(content_words(statement))) >= _SHARED_WORDS
            ]
    return kit.random.choice(require(negations, "no earlier statement of the speaker that can be negated"))


@CONTRADICTION.variant("An entity that was named before becomes another of its type.", ENTITIES)
def _entity(snippet: Snippet, kit: Kit) -> str:
    text = snippet.text
    stated = [
        each
        for each in _entities(snippet, kit)
        if mentioned(each.of(text), _earlier_statements(snippet)) and "?" not in re.split(r"[.!]", text[each.end :])[0]
    ]
    return _swapped(snippet, kit, require(stated, "no entity of the reply was stated before"))


@CONTRADICTION.variant("A reference becomes another entity of its type.", COREFERENCE, ENTITIES)
def _reference(snippet: Snippet, kit: Kit) -> str:
    to_entities = [each for each in resolved(snippet, kit) if each.label]
    reference = require(to_entities, "no reference to an entity")[0]
    other = require(kit.pool.entity(reference.label, kit.random, snippet.texts), _NO_OTHER)
    return spelled_out(snippet.text, reference, other)
