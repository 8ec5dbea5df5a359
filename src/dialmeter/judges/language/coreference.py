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
