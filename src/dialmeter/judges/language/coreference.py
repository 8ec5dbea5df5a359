"""What a speaker may refer back to: names and definite things of an utterance, with what is needed to match a pronoun."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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


_PRONOUNS = {
    "it": "it", "its": "it", "he": "he", "him": "he", "his": "he", "she": "she", "her": "she", "they": "they",
    "them": "they", "their": "they",
}  # fmt: skip
_LOOK_BACK = 2
# “It is possible to …”, “it looks like …”, “that's it”: no thing is meant.
_EMPTY_HEADS = frozenset(
    """
    possible ok okay fine good great important hard easy difficult necessary best better nice time true alright
    likely clear sound seem appear happen matter depend say rain snow look pleasure take mean work go do try
    thank appreciate correct right all hope think believe get make sure cost narrow call cut
    """.split()  # noqa: SIM905
)


class Reference(Struct, frozen=True):
    """A pronoun of an utterance and what it stands for.

    Attributes:
        start: the pronoun's first character.
        end: the character after its last.
        antecedent: what it stands for, as it may stand in its place.
        label: the type of that entity, or nothing.
        possessive: does the pronoun say whose (``its``)?
        verb: what a short form behind the pronoun stands for, as ``is`` in ``it's``, or nothing.
    """

    start: int
    end: int
    antecedent: str
    label: str
    possessive: bool
    verb: str = ""


def references(turns: Sequence[tuple[str, Analysis]]) -> list[Reference]:
    """The pronouns of the last turn that stand for something said before.

    Args:
        turns: text and analysis of each turn, oldest first; only the last few are looked at.
    """
    text, analysis = turns[-1]
    own = list(mentions(text, analysis))
    before = _before(turns)
    found = []
    for place, token in enumerate(analysis.tokens):
        kind = _PRONOUNS.get(token.text.lower())
        if kind is None or token.tag not in ("PRP", "PRP$") or _means_nothing(analysis, place):
            continue
        earlier = [each for each in own if each.start + len(each.text) <= token.start + 4 and each.start < token.start]
        chosen = _nearest(kind, token, analysis, earlier, before)
        if chosen is not None:
            found.append(
                Reference(
                    token.start, token.end, chosen.text, chosen.label, token.tag == "PRP$", _short_verb(analysis, place)
                )
            )
    return found


def _before(turns: Sequence[tuple[str, Analysis]]) -> list[list[Mention]]:
    """The mentions of the turns before; a turn that itself says *it* or *they* is as far as one can look back."""
    found: list[list[Mention]] = []
    for text, analysis in reversed(turns[-1 - _LOOK_BACK : -1]):
        found.insert(0, list(mentions(text, analysis)))
        if any(token.text.lower() in _PRONOUNS for token in analysis.tokens):
            break
    return found


def _short_verb(analysis: Analysis, place: int) -> str:
    following = analysis.tokens[place + 1] if place + 1 < len(analysis.tokens) else None
    if following is None or following.text.lower() not in ("'s", "’s"):
        return ""
    return "has" if following.lemma == "have" else "is"


def _nearest(
    kind: str, token: Token, analysis: Analysis, own: list[Mention], before: list[list[Mention]]
) -> Mention | None:
    """The best mention of the nearest turn that has one that fits; None also where that one cannot be said again."""
    above = _above(analysis, token)
    verb = next((place for place in above if analysis.tokens[place].pos in ("VERB", "AUX")), -1)
    whose = token.tag == "PRP$"
    # A verb has two things beside it that differ; but *its* may well mean the thing beside the same verb. To say that
    # again would be clumsy, so that it is found, and not used.
    if whose and any(each.head in above for each in own):
        return None
    same_turn = [each for each in own if each.head not in above and (whose or each.governor != verb)]
    for turn in [same_turn, *reversed(before)]:
        fit = [each for each in turn if _fits(kind, each)]
        if fit:
            best = max(fit, key=lambda each: (_weight(each), each.start))
            # Two that weigh the same are two that may be meant.
            rivals = [each for each in fit if _weight(each) == _weight(best) and each.text.lower() != best.text.lower()]
            # A place or thing beside the point (“in the park”) is rarely what *it* means; a person may be.
            aside = best.role < 2 and "it" in best.genders
            echoed = _echoes(analysis, token, above, best)
            beside = whose and turn is same_turn and any(each.governor == verb for each in fit)
            return None if rivals or aside or beside or echoed or not best.sayable else best
    return None


def _echoes(analysis: Analysis, token: Token, above: list[int], mention: Mention) -> bool:
    """Would the name stand beside its own word, as in “the booking is booked” or “the fee's fee”? Then it is not meant."""
    last = mention.text.split()[-1].lower()
    return any(last.startswith(analysis.tokens[place].lemma[:5]) for place in above[:1])


def _weight(mention: Mention) -> float:
    return mention.role + (1.5 if mention.label or mention.text[:1].isupper() else 0)


def _fits(kind: str, mention: Mention) -> bool:
    if kind == "they":
        return mention.plural
    return not mention.plural and kind in mention.genders


def _above(analysis: Analysis, token: Token) -> list[int]:
    """The heads above a token, the nearest first."""
    found: list[int] = []
    place = token.head
    while 0 <= place < len(analysis.tokens) and place not in found:
        found.append(place)
        place = analysis.tokens[place].head
    return found


def _means_nothing(analysis: Analysis, place: int) -> bool:
    """Is this ``it`` an empty word? Its verb, and what hangs on the verb, tell."""
    token = analysis.tokens[place]
    if token.text.lower() != "it":
        return False
    if token.dep in ("expl", "attr") or not 0 <= token.head < len(analysis.tokens):
        return True
    verb = analysis.tokens[token.head]
    below = [each for each in analysis.tokens if each.head == token.head and each is not token]
    if verb.lemma in _EMPTY_HEADS or any(each.dep in ("ccomp", "csubj") for each in below):
        return True
    if verb.lemma == "be" and any(
        each.dep in ("acomp", "attr", "xcomp") and each.lemma in _EMPTY_HEADS for each in below
    ):
        return True
    if verb.lemma == "be" and not any(each.dep in ("acomp", "attr", "prep", "advmod", "xcomp") for each in below):
        # “Yes it is.”
        return True
    after = analysis.tokens[token.head + 1] if token.head + 1 < len(analysis.tokens) else None
    if verb.lemma == "be" and after is not None and after.tag == "CD":
        return True
    # “It will be …”, “would it be …” mostly speak of an event.
    return verb.lemma == "be" and any(each.tag == "MD" for each in below)
