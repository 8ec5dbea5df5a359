"""What a speaker may refer back to: names and definite things of an utterance, with what is needed to match a pronoun."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from .analysis import Analysis, Span, Token

_NAMED = frozenset({"PERSON", "ORG", "GPE", "FAC", "LOC", "PRODUCT", "WORK_OF_ART", "EVENT"})
_NOT_THINGS = frozenset({"DATE", "TIME", "CARDINAL", "ORDINAL", "MONEY", "PERCENT", "QUANTITY", "LANGUAGE", "NORP"})
_VAGUE = frozenset(
    """
    area part side north south east west centre center range price kind type sort time day week night moment
    way lot bit number phone address postcode code reference order fact case help need problem question
    information info detail thing anything something everything nothing everyone anyone someone thanks thank trouble
    people person luck pleasure star minute hour preference criterion option choice result name yes no
    one other another none all town rating id fee cost charge check checkin parking space history conversation ride travel datum data review
    """.split()  # noqa: SIM905
)
_MALE = frozenset("man boy father dad brother son husband uncle grandfather king guy mr sir boyfriend nephew".split())  # noqa: SIM905
_FEMALE = frozenset(
    "woman girl mother mom mum sister daughter wife aunt grandmother queen lady mrs ms miss girlfriend niece".split()  # noqa: SIM905
)
_PLACES = frozenset(
    [
        "lodge",
        "house",
        "hotel",
        "guesthouse",
        "restaurant",
        "inn",
        "college",
        "museum",
        "park",
        "church",
        "bar",
        "cafe",
        "hall",
        "garden",
        "street",
    ]
)
_ANIMALS = frozenset("dog cat puppy kitten horse rabbit bird pet hamster".split())  # noqa: SIM905
_SUBJECTS = ("nsubj", "nsubjpass")
_OBJECTS = ("dobj", "attr", "dative", "oprd", "appos")


class Mention(Struct, frozen=True):
    """One thing that is spoken of.

    Attributes:
        text: without a determiner that would not fit elsewhere; ``a train`` is ``the train``.
        sayable: may it stand in place of a pronoun? ``my dog`` may not, once the other speaks of it.
        start: its first character in the utterance.
        head: the index of its head token.
        label: the type of the entity, or nothing.
        plural: is it several?
        genders: which of ``he``, ``she``, ``it`` may stand for it.
        role: 3 for a subject, 2 for an object, 1 otherwise.
        governor: the verb that it belongs to, by index; a pronoun beside the same verb is not this thing.
    """

    text: str
    sayable: bool
    start: int
    head: int
    label: str
    plural: bool
    genders: frozenset[str]
    role: int
    governor: int


def mentions(text: str, analysis: Analysis) -> Iterator[Mention]:
    """The names and things of an utterance, in order."""
    labels = {(entity.start, entity.end): entity.label for entity in analysis.entities}
    for chunk in analysis.chunks:
        found = _mention(text, analysis, chunk, labels)
        if found is not None:
            yield found


def _mention(text: str, analysis: Analysis, chunk: Span, labels: dict[tuple[int, int], str]) -> Mention | None:
    tokens = list(analysis.within(chunk))
    head = next((token for token in tokens if str(token.start) == chunk.label), None)
    if head is None or head.pos not in ("NOUN", "PROPN") or not head.text[0].isalpha():
        return None
    label = next((label for (start, end), label in labels.items() if start < head.end and head.start < end), "")
    governor, role = _governor(analysis, head)
    if label in _NOT_THINGS or (head.lemma in _VAGUE and role < 3):
        return None
    words, sayable = _sayable(text[chunk.start : chunk.end], tokens, head, label)
    return Mention(
        words,
        sayable and head.lemma not in _VAGUE,
        chunk.start,
        analysis.tokens.index(head),
        label if label in _NAMED else "",
        head.tag in ("NNS", "NNPS") and not (head.pos == "PROPN" or label in _NAMED),
        _genders(head, tokens, label),
        role,
        governor,
    )


def _sayable(words: str, tokens: list[Token], head: Token, label: str) -> tuple[str, bool]:
    """A chunk as it can be said again, and whether it can be at all."""
    first = tokens[0]
    named = (head.pos == "PROPN" and not head.text.islower()) or label in _NAMED
    if len(tokens) > 6 or "\n" in words or any(token.text in "\"'()[]/" for token in tokens):
        return words, False
    if first.tag == "DT":
        article = first.text.lower()
        rest = words[len(first.text) :]
        return ("the" if article in ("a", "an") else article) + rest, article in ("a", "an", "the", "this", "that")
    # A bare noun (“parking”, “trains to Ely”) is a kind, not a thing; “my dog” is another's in the other's mouth.
    return words, named and first.tag not in ("PRP$", "WP$", "WDT", "WP", "CD", "UH", "VB")


def _governor(analysis: Analysis, head: Token) -> tuple[int, int]:
    """The verb above a noun, and how near the noun is to it."""
    role = 3 if head.dep in _SUBJECTS else 2 if head.dep in _OBJECTS else 1
    place, seen = head.head, 0
    while 0 <= place < len(analysis.tokens) and seen < 20:
        above = analysis.tokens[place]
        if above.pos in ("VERB", "AUX") or above.head == place:
            return place, role
        place, seen = above.head, seen + 1
    return place, role


def _genders(head: Token, tokens: list[Token], label: str) -> frozenset[str]:
    words = {token.lemma for token in tokens}
    if words & _MALE:
        return frozenset({"he"})
    if words & _FEMALE:
        return frozenset({"she"})
    if words & _ANIMALS:
        return frozenset({"he", "she", "it"})
    return frozenset({"he", "she"}) if label == "PERSON" and not words & _PLACES else frozenset({"it"})
