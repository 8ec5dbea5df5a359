"""Attacks on what the reply refers to: *pronoun* changes a pronoun, *co-reference* replaces it by the name that it refers to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial

from ..language import COREFERENCE, ENTITIES, TOKENS
from ..language.analysis import Token
from ..language.coreference import Reference, references
from ..language.words import Edit, capitalised, content_words, edited, starts_sentence
from . import Attack, Kit, Snippet, require

FAMILIES: dict[str, tuple[str, str, str, str, str]] = {
    "i": ("I", "me", "my", "mine", "myself"),
    "we": ("we", "us", "our", "ours", "ourselves"),
    "you": ("you", "you", "your", "yours", "yourself"),
    "he": ("he", "him", "his", "his", "himself"),
    "she": ("she", "her", "her", "hers", "herself"),
    "it": ("it", "it", "its", "its", "itself"),
    "they": ("they", "them", "their", "theirs", "themselves"),
    **{name: (name,) * 5 for name in ("this", "these", "that", "those")},
}

# No *they* for *I* and no *we* for *you*: staff says *they* about the house and *we* to guests, and neither is wrong.
PERSON = {"i": ("you", "he", "she"), "we": ("you", "they"), "you": ("i",), "he": ("i", "you"), "she": ("i", "you"), "they": ("i", "you")}  # fmt: skip
GENDER = {"he": ("it", "they"), "she": ("it", "they"), "it": ("he", "she"), "they": ("he", "she")}
NUMBER = {"i": ("we",), "we": ("i",), "it": ("they",), "they": ("it",), "he": ("they",), "she": ("they",), "this": ("these",), "these": ("this",), "that": ("those",), "those": ("that",)}  # fmt: skip

_FORMS: dict[str, list[tuple[str, int]]] = {}
"""Form → the families that it may belong to, each with its role."""
for _name, _family in FAMILIES.items():
    for _role, _form in enumerate(_family):
        _FORMS.setdefault(_form.lower(), []).append((_name, _role))

_THIRD = ("he", "she", "it", "this", "that")
_PLURAL = ("we", "you", "they", "these", "those")


_BASE = {"has": "have", "does": "do", "were": "was", "are": "am", "is": "am"}


def verb_for(family: str, form: str) -> str | None:
    """The form of *be*, *have* or *do* that agrees with a pronoun, with the same tense and length; None for other words.

    Example:
        >>> verb_for("they", "'s"), verb_for("he", "am"), verb_for("i", "were"), verb_for("he", "have"), verb_for("it", "can")
        ("'re", 'is', 'was', 'has', None)
    """
    word = form.lower().replace("’", "'")
    is_third, is_plural = family in _THIRD, family in _PLURAL
    be = "are" if is_plural else "am" if family == "i" else "is"
    if word in ("'m", "'re", "'s"):
        # There is no short form after *these* and *those*.
        return f" {be}" if family in ("these", "those") else form[0] + {"am": "m", "are": "re", "is": "s"}[be]
    agreeing = {
        "have": "has" if is_third else "have",
        "do": "does" if is_third else "do",
        "was": "were" if is_plural else "was",
        "am": be,
    }
    return agreeing.get(_BASE.get(word, word))


_SUBJECT, _OBJECT, _DETERMINER = 0, 1, 2
_AUXILIARY = re.compile(r"(?i)am|are|is|was|were|do|does|did|have|has|had|can|could|will|would|shall|should|may|might|must|['’](?:m|re|s|ll|ve|d)")  # fmt: skip
_CONJUNCTIONS = frozenset({"that", "and", "but", "if", "because", "when", "so", "or", "while"})
_REQUEST = re.compile(r"\b(?:can|could|may|might) you\b", re.IGNORECASE)
_DEMONSTRATIVES = frozenset({"this", "that", "these", "those"})


PRONOUN = Attack(
    "pronoun",
    "coherence",
    "lower",
    "Replaces pronouns of the reply by others in the same role, which refer to another person or thing.",
)


def _change_pronouns(snippet: Snippet, kit: Kit, table: Mapping[str, Sequence[str]], *, agreeing: bool = True) -> str:
    text = snippet.text
    tokens = kit.language.analysis(text).tokens
    targets: dict[str, str] = {}
    edits: list[Edit] = []
    for place, token in enumerate(tokens):
        reading = _reading(tokens, place)
        if reading is None or reading[0] not in table:
            continue
        family, role = reading
        target = targets.setdefault(family, kit.random.choice(table[family]))
        edits.append((token.start, token.end, _cased(text, token, FAMILIES[target][role])))
        if role == _SUBJECT and agreeing:
            edits += _verb_edits(text, tokens, place, target)
    require(edits, "no pronoun of this kind")
    is_request = targets.keys() == {"you"} and _REQUEST.search(text) and len(edits) == 1
    require(not is_request, "a request, which either speaker may make")
    return edited(text, edits)


def _verb_edits(text: str, tokens: Sequence[Token], place: int, target: str) -> list[Edit]:
    """The edit that makes the verb agree with the new subject. The verb is after the subject, or before it in a question."""
    for neighbour in (place + 1, place - 1):
        if 0 <= neighbour < len(tokens) and tokens[neighbour].tag != "POS":
            token = tokens[neighbour]
            verb = verb_for(target, token.text)
            if verb is not None:
                return [] if verb == token.text.lower() else [(token.start, token.end, _cased(text, token, verb))]
    return []


def _cased(text: str, token: Token, form: str) -> str:
    """The new form in the case of the old word. Inside a sentence, only *I* keeps its capital, unless the whole old word is in capitals."""
    if len(token.text) > 1 and token.text.isupper():
        return form.upper()
    if starts_sentence(text, token.start) and token.text[0].isupper():
        return capitalised(form)
    return form


def _reading(tokens: Sequence[Token], place: int) -> tuple[str, int] | None:
    """The family and role of a pronoun. Tags decide if they are known, otherwise the neighbouring words decide."""
    token = tokens[place]
    possible = _FORMS.get(token.text.lower())
    if not possible:
        return None
    family = possible[0][0]
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    if family in _DEMONSTRATIVES:
        return (family, _SUBJECT) if _is_demonstrative(token, following) else None
    if token.text.lower() == "mine" and token.tag.startswith("NN"):
        return None
    roles = {role for _, role in possible}
    if len(roles) == 1:
        return family, roles.pop()
    if token.tag == "PRP$":
        return family, _DETERMINER
    if token.dep:
        is_object = token.dep not in ("nsubj", "nsubjpass", "expl", "csubj")
        return family, (_OBJECT if is_object else _SUBJECT) if token.tag == "PRP" else min(roles)
    if _DETERMINER in roles:
        alone = following is None or not following.text[0].isalpha()
        return family, (roles - {_DETERMINER}).pop() if alone else _DETERMINER
    return family, _SUBJECT if _before_a_verb(tokens, place) else max(roles & {_SUBJECT, _OBJECT}, default=min(roles))


def _before_a_verb(tokens: Sequence[Token], place: int) -> bool:
    """True if a word starts its clause, or is next to an auxiliary. It detects subjects without tags."""
    before = tokens[place - 1].text if place else "."
    after = tokens[place + 1].text if place + 1 < len(tokens) else "."
    return (
        not before[0].isalnum()
        or before.lower() in _CONJUNCTIONS
        or bool(_AUXILIARY.fullmatch(before) or _AUXILIARY.fullmatch(after))
    )


def _is_demonstrative(token: Token, following: Token | None) -> bool:
    """True if a word such as *that* is a pronoun or a determiner here, and not a conjunction."""
    if token.tag:
        return token.tag == "DT" and token.dep in ("nsubj", "nsubjpass", "dobj", "det", "attr")
    if token.text.lower() != "that":
        return True
    return following is not None and bool(_AUXILIARY.fullmatch(following.text))


PRONOUN.variant("First person for second or third, and back.", TOKENS, name="person")(
    partial(_change_pronouns, table=PERSON)
)
PRONOUN.variant("He or she for it or they, and back.", TOKENS, name="gender")(partial(_change_pronouns, table=GENDER))


@PRONOUN.variant(
    "I, it, this for the plural, and back; the verb is unchanged, so the grammar is wrong.",
    TOKENS,
    facet="naturalness",
)
def _number(snippet: Snippet, kit: Kit) -> str:
    """Change the number of pronouns next to a verb or noun of the other number. The verb is not changed.

    A reply without such a verb or noun is not attacked: people say *they* about a shop and *we* about themselves, so the change
    would not be wrong.
    """
    tokens = kit.language.analysis(snippet.text).tokens
    shown = any(_shows_number(tokens, place) for place in range(len(tokens)))
    require(shown, "no verb or noun shows the number of a pronoun")
    return _change_pronouns(snippet, kit, NUMBER, agreeing=False)


def _shows_number(tokens: Sequence[Token], place: int) -> bool:
    reading = _reading(tokens, place)
    if reading is None or reading[0] not in NUMBER:
        return False
    family, role = reading
    neighbours = [tokens[each].text for each in (place + 1, place - 1) if 0 <= each < len(tokens)]
    verbs = [word for word in neighbours if verb_for(family, word) is not None]
    changes = any(verb_for(NUMBER[family][0], word) != word.lower() for word in verbs)
    return (role == _SUBJECT and changes) or (family in ("this", "these") and tokens[place].dep in ("det", ""))


CO_REFERENCE = Attack(
    "co-reference",
    "coherence",
    "similar",
    "Replaces a reference in the reply by its antecedent, which does not change the meaning; not in the default set.",
)


def resolved(snippet: Snippet, kit: Kit) -> list[Reference]:
    """The references of the reply that can be resolved."""
    texts = [*(move.text for move in snippet.context[-3:]), snippet.text]
    turns = [(text, kit.language.analysis(text)) for text in texts]
    return require(references(turns), "no reference that can be resolved")


def spelled_out(text: str, reference: Reference, name: str) -> str:
    """Replace one reference in a text by a name.

    Example:
        >>> spelled_out("Its phone?", Reference(0, 3, "the inn", "", True), "the inn")
        "The inn's phone?"
    """
    if reference.possessive:
        name += "'" if name.endswith("s") else "'s"
    if starts_sentence(text, reference.start) and text[reference.start].isupper():
        name = capitalised(name)
    # “The inn's open” is ambiguous, “the inn is open” is not.
    end = reference.end + 2 if reference.verb else reference.end
    return edited(text, [(reference.start, end, f"{name} {reference.verb}".rstrip())])


@CO_REFERENCE.variant("The first reference that can be resolved.", COREFERENCE, ENTITIES)
def _antecedent(snippet: Snippet, kit: Kit) -> str:
    words = set(content_words(snippet.text))
    unnamed = [each for each in resolved(snippet, kit) if not words & set(content_words(each.antecedent))]
    first = require(unnamed, "the reply already names the antecedent")[0]
    return spelled_out(snippet.text, first, first.antecedent)
