"""A rule-based resolver. A pronoun refers to the nearest earlier mention that agrees in gender and number; subjects and names come first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from .analysis import Analysis, Token

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
    "lodge house hotel guesthouse restaurant inn college museum park church bar cafe hall garden street".split()  # noqa: SIM905
)
_ANIMALS = frozenset("dog cat puppy kitten horse rabbit bird pet hamster".split())  # noqa: SIM905
_SUBJECTS = ("nsubj", "nsubjpass")
_OBJECTS = ("dobj", "attr", "dative", "oprd", "appos")


class NounMention(Struct, frozen=True):
    """A mention of a thing or a person.

    Attributes:
        text: its text when it is repeated; ``a train`` becomes ``the train``.
        sayable: True if it may replace a pronoun. ``my dog`` may not, because another speaker would not say it.
        start: its first character in the utterance.
        head: the index of its head token.
        label: the type of the entity, or empty.
        plural: True for several things.
        genders: the pronouns that may refer to it: ``he``, ``she``, ``it``.
        role: 3 for a subject, 2 for an object, 1 otherwise.
        governor: the index of the verb that it belongs to; a pronoun of the same verb does not refer to it.
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

    @property
    def weight(self) -> float:
        return self.role + (1.5 if self.label or self.text[:1].isupper() else 0)


def mentions(text: str, analysis: Analysis) -> Iterator[NounMention]:
    """The names and things of an utterance, in order."""
    for chunk in analysis.chunks:
        tokens = list(analysis.within(chunk))
        head = next((token for token in tokens if str(token.start) == chunk.label), None)
        if head is None or head.pos not in ("NOUN", "PROPN") or not head.text[0].isalpha():
            continue
        around = (each.label for each in analysis.entities if each.start < head.end and head.start < each.end)
        label = next(around, "")
        role = 3 if head.dep in _SUBJECTS else 2 if head.dep in _OBJECTS else 1
        if label in _NOT_THINGS or (head.lemma in _VAGUE and role < 2):
            continue
        words, sayable = _repeatable_text(chunk.of(text), tokens, head, label)
        yield NounMention(
            words,
            sayable and head.lemma not in _VAGUE,
            chunk.start,
            analysis.tokens.index(head),
            label if label in _NAMED else "",
            head.tag in ("NNS", "NNPS") and not (head.pos == "PROPN" or label in _NAMED),
            _genders(tokens, label),
            role,
            _governor(analysis, head),
        )


def _repeatable_text(words: str, tokens: list[Token], head: Token, label: str) -> tuple[str, bool]:
    """The text of a chunk when it is repeated, and True if it can be repeated."""
    first = tokens[0]
    is_name = (head.pos == "PROPN" and not head.text.islower()) or label in _NAMED
    if (
        len(tokens) > 6
        or any(token.tag in ("JJR", "JJS") for token in tokens)
        or "\n" in words
        or any(token.text in "\"'()[]/" for token in tokens)
    ):
        return words, False
    if first.tag == "DT":
        article = first.text.lower()
        rest = words[len(first.text) :]
        return ("the" if article in ("a", "an") else article) + rest, article in ("a", "an", "the", "this", "that")
    # A bare noun (“parking”, “trains to Ely”) is a kind, not a thing. “my dog” means another dog if the other speaker says it.
    return words, is_name and first.tag not in ("PRP$", "WP$", "WDT", "WP", "CD", "UH", "VB")


def _governor(analysis: Analysis, head: Token) -> int:
    """The verb that governs a noun; the root if no verb does."""
    heads = _above(analysis, head)
    for place in heads:
        above = analysis.tokens[place]
        if above.pos in ("VERB", "AUX") or above.head == place:
            return place
    return analysis.tokens[heads[-1]].head if heads else head.head


def _genders(tokens: list[Token], label: str) -> frozenset[str]:
    words = {token.lemma for token in tokens}
    for known, genders in ((_MALE, {"he"}), (_FEMALE, {"she"}), (_ANIMALS, {"he", "she", "it"})):
        if words & known:
            return frozenset(genders)
    return frozenset({"he", "she"}) if label == "PERSON" and not words & _PLACES else frozenset({"it"})


_PRONOUNS = {
    "it": "it", "its": "it", "he": "he", "him": "he", "his": "he", "she": "she", "her": "she", "they": "they",
    "them": "they", "their": "they",
}  # fmt: skip
_LOOK_BACK = 2
# “It is possible to …”, “it looks like …”, “that's it”: the pronoun refers to nothing.
_EMPTY_HEADS = frozenset(
    """
    possible ok okay fine good great important hard easy difficult necessary best better nice time true alright
    likely clear sound seem appear happen matter depend say rain snow look pleasure take mean work go do try
    thank appreciate correct right all hope think believe get make sure cost narrow call cut
    feel turn know see hear want like love enjoy hate forget remember guess bet wonder worth understand imagine agree
    wish catch leave handle manage help bear stand over up cool weird funny interesting bad fun awesome amazing sad
    wonderful tough rough crazy strange normal common nothing something everything way thing idea problem pity shame
    """.split()  # noqa: SIM905
)


class Reference(Struct, frozen=True):
    """A pronoun of an utterance and its antecedent.

    Attributes:
        start: the pronoun's first character.
        end: the character after its last.
        antecedent: the text that can replace the pronoun.
        label: the type of that entity, or empty.
        possessive: True for ``its``, ``his``, ``their``.
        verb: the full form of a contracted verb after the pronoun, such as ``is`` in ``it's``, or empty.
    """

    start: int
    end: int
    antecedent: str
    label: str
    possessive: bool
    verb: str = ""


def references(turns: Sequence[tuple[str, Analysis]]) -> list[Reference]:
    """The pronouns of the last turn that refer to an earlier mention.

    Args:
        turns: text and analysis of each turn, oldest first; only the last few are used.
    """
    text, analysis = turns[-1]
    pronouns = [
        (place, token, _PRONOUNS[token.text.lower()])
        for place, token in enumerate(analysis.tokens)
        if token.tag in ("PRP", "PRP$") and token.text.lower() in _PRONOUNS and not _is_expletive(analysis, place)
    ]
    if not pronouns:
        return []
    own = list(mentions(text, analysis))
    before = _earlier_mentions(turns)
    resolved = []
    for place, token, kind in pronouns:
        earlier = [each for each in own if each.start + len(each.text) <= token.start + 4 and each.start < token.start]
        # *It* rarely refers to a thing of two turns before.
        antecedent = _nearest(kind, token, analysis, earlier, before[-1:] if kind == "it" else before)
        if antecedent is not None:
            is_possessive, verb = token.tag == "PRP$", _contracted_verb(analysis, place)
            resolved.append(Reference(token.start, token.end, antecedent.text, antecedent.label, is_possessive, verb))
    return resolved


def _earlier_mentions(turns: Sequence[tuple[str, Analysis]]) -> list[list[NounMention]]:
    """The mentions of the turns before, back to a turn that contains a pronoun."""
    by_turn: list[list[NounMention]] = []
    for text, analysis in reversed(turns[-1 - _LOOK_BACK : -1]):
        by_turn.insert(0, list(mentions(text, analysis)))
        if any(token.text.lower() in _PRONOUNS for token in analysis.tokens):
            break
    return by_turn


def _contracted_verb(analysis: Analysis, place: int) -> str:
    following = analysis.tokens[place + 1] if place + 1 < len(analysis.tokens) else None
    if following is None or following.text.lower() not in ("'s", "’s"):
        return ""
    return "has" if following.lemma == "have" else "is"


def _nearest(
    kind: str, token: Token, analysis: Analysis, own: list[NounMention], before: list[list[NounMention]]
) -> NounMention | None:
    """The best mention of the nearest turn with an agreeing mention; None if it is ambiguous or cannot be repeated."""
    above = _above(analysis, token)
    verb = next((place for place in above if analysis.tokens[place].pos in ("VERB", "AUX")), -1)
    is_possessive = token.tag == "PRP$"
    # The arguments of one verb are different things, but *its* may refer to another argument of the same verb. It would be clumsy
    # to repeat that name, so such a pronoun is not resolved.
    if is_possessive and any(each.head in above for each in own):
        return None
    same_turn = [each for each in own if each.head not in above and (is_possessive or each.governor != verb)]
    for turn in [same_turn, *reversed(before)]:
        agreeing = [
            each for each in turn if (each.plural if kind == "they" else not each.plural and kind in each.genders)
        ]
        if agreeing:
            best = max(agreeing, key=lambda each: (each.weight, each.start))
            # The reference is ambiguous if a second mention agrees.
            rivals = [each for each in agreeing if each.text.lower() != best.text.lower()]
            # *It* rarely refers to a place or thing that is neither subject nor object (“in the park”). After a preposition
            # (“talk about it”), it mostly refers to a whole statement. Pronouns for persons may refer to such a person.
            after_preposition = token.text.lower() == "it" and token.dep not in (*_SUBJECTS, "dobj")
            minor_role = best.role < 2 and "it" in best.genders
            repeats_word = _repeats_word(analysis, above, best)
            same_verb = is_possessive and turn is same_turn and any(each.governor == verb for each in agreeing)
            is_unsure = rivals or minor_role or after_preposition or same_verb or repeats_word or not best.sayable
            return None if is_unsure else best
    return None


def _repeats_word(analysis: Analysis, above: list[int], mention: NounMention) -> bool:
    """True if the name would be next to the same word, as in “the booking is booked” or “the fee's fee”: it is not the antecedent."""
    last = mention.text.split()[-1].lower()
    return any(last.startswith(analysis.tokens[place].lemma[:5]) for place in above[:1])


def _above(analysis: Analysis, token: Token) -> list[int]:
    """The indices of the heads above a token, nearest first."""
    heads: list[int] = []
    place = token.head
    while 0 <= place < len(analysis.tokens) and place not in heads:
        heads.append(place)
        place = analysis.tokens[place].head
    return heads


def _is_expletive(analysis: Analysis, place: int) -> bool:
    """True if ``it`` refers to nothing. Its verb and the dependents of the verb show this."""
    token = analysis.tokens[place]
    if token.text.lower() != "it":
        return False
    if token.dep in ("expl", "attr") or not 0 <= token.head < len(analysis.tokens):
        return True
    verb = analysis.tokens[token.head]
    below = [each for each in analysis.tokens if each.head == token.head and each is not token]
    if verb.lemma in _EMPTY_HEADS or any(each.dep in ("ccomp", "csubj") for each in below):
        return True
    if verb.lemma != "be":
        return False
    if any(each.dep in ("acomp", "attr", "xcomp") and each.lemma in _EMPTY_HEADS for each in below):
        return True
    if not any(each.dep in ("acomp", "attr", "prep", "advmod", "xcomp") for each in below):
        # “Yes it is.”
        return True
    if any(after.tag == "CD" for after in analysis.tokens[token.head + 1 : token.head + 2]):
        return True
    # “It will be …” and “would it be …” mostly refer to an event.
    return any(each.tag == "MD" for each in below)
