"""A plain resolver: a pronoun means the nearest earlier thing that fits in gender and number, subjects and names first."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from .analysis import Analysis, Token
from .mentions import Mention, mentions

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
    thank appreciate correct right all that hope think believe get make sure cost that
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
    """

    start: int
    end: int
    antecedent: str
    label: str
    possessive: bool


def references(turns: Sequence[tuple[str, Analysis]]) -> list[Reference]:
    """The pronouns of the last turn that stand for something said before.

    Args:
        turns: text and analysis of each turn, oldest first; only the last few are looked at.
    """
    text, analysis = turns[-1]
    own = list(mentions(text, analysis))
    before = [list(mentions(*turn)) for turn in turns[-1 - _LOOK_BACK : -1]]
    found = []
    for place, token in enumerate(analysis.tokens):
        kind = _PRONOUNS.get(token.text.lower())
        if kind is None or token.tag not in ("PRP", "PRP$") or _means_nothing(analysis, place):
            continue
        earlier = [each for each in own if each.start + len(each.text) <= token.start + 4 and each.start < token.start]
        chosen = _nearest(kind, token, analysis, earlier, before)
        if chosen is not None:
            found.append(Reference(token.start, token.end, chosen.text, chosen.label, token.tag == "PRP$"))
    return found


def _nearest(
    kind: str, token: Token, analysis: Analysis, own: list[Mention], before: list[list[Mention]]
) -> Mention | None:
    """The best mention of the nearest turn that has one that fits."""
    governor = _verb_above(analysis, token)
    same_turn = [each for each in own if _fits(kind, each) and each.governor != governor]
    for turn in [same_turn, *([each for each in turn if _fits(kind, each)] for turn in reversed(before))]:
        if turn:
            best = max(turn, key=lambda each: (_weight(each), each.start))
            # Two that weigh the same are two that may be meant.
            rivals = [
                each for each in turn if _weight(each) == _weight(best) and each.text.lower() != best.text.lower()
            ]
            return None if rivals else best
    return None


def _weight(mention: Mention) -> float:
    return mention.role + (1.5 if mention.label or mention.text[:1].isupper() else 0)


def _fits(kind: str, mention: Mention) -> bool:
    if kind == "they":
        return mention.plural
    return not mention.plural and kind in mention.genders


def _verb_above(analysis: Analysis, token: Token) -> int:
    place = token.head
    for _ in range(20):
        if not 0 <= place < len(analysis.tokens):
            break
        above = analysis.tokens[place]
        if above.pos in ("VERB", "AUX") or above.head == place:
            return place
        place = above.head
    return place


def _means_nothing(analysis: Analysis, place: int) -> bool:
    """Is this ``it`` an empty word? Its verb, and what hangs on the verb, tell."""
    token = analysis.tokens[place]
    if token.text.lower() != "it":
        return False
    if token.dep == "expl" or not 0 <= token.head < len(analysis.tokens):
        return True
    verb = analysis.tokens[token.head]
    below = [each for each in analysis.tokens if each.head == token.head and each is not token]
    if verb.lemma in _EMPTY_HEADS or any(each.dep in ("ccomp", "csubj") for each in below):
        return True
    if verb.lemma == "be" and any(
        each.dep in ("acomp", "attr", "xcomp") and each.lemma in _EMPTY_HEADS for each in below
    ):
        return True
    # “It will be …”, “would it be …” mostly speak of an event.
    return verb.lemma == "be" and any(each.tag == "MD" for each in below)
