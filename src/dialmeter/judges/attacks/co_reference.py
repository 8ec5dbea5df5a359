"""A reference is spelled out: the reply says the same with a name instead of the pronoun."""

from __future__ import annotations

from ..corpus_pool import Snippet
from ..language import COREFERENCE, ENTITIES
from ..language.coreference import Reference, references
from ..language.edits import capitalised, edited, starts_sentence
from ..language.words import content_words
from . import Attack, Kit, NoCase, Variant


def resolved(snippet: Snippet, kit: Kit) -> list[Reference]:
    """The references of the reply.

    Raises:
        NoCase: none can be resolved.
    """
    texts = [*(move.text for move in snippet.context[-3:]), snippet.reply.text]
    found = references([(text, kit.language.analysis(text)) for text in texts])
    if not found:
        raise NoCase("no reference that can be resolved")
    return found


def spelled_out(text: str, reference: Reference, name: str) -> str:
    """A text with one reference replaced by a name.

    Example:
        >>> spelled_out("Its phone?", Reference(0, 3, "the inn", "", True), "the inn")
        "The inn's phone?"
    """
    if reference.possessive:
        name += "'" if name.endswith("s") else "'s"
    if starts_sentence(text, reference.start) and text[reference.start].isupper():
        name = capitalised(name)
    # “The inn's open” may be misread, “the inn is open” may not.
    end = reference.end + 2 if reference.verb else reference.end
    return edited(text, [(reference.start, end, f"{name} {reference.verb}".rstrip())])


def _antecedent(snippet: Snippet, kit: Kit) -> str:
    text = snippet.reply.text
    said = set(content_words(text))
    fit = [each for each in resolved(snippet, kit) if not said & set(content_words(each.antecedent))]
    if not fit:
        raise NoCase("the reply names the antecedent itself")
    return spelled_out(text, fit[0], fit[0].antecedent)


ATTACK = Attack(
    name="co-reference",
    facet="coherence",
    expected="similar",
    help="Replaces a reference in the reply by what it refers to, which changes nothing of its meaning.",
    variants=(Variant("antecedent", _antecedent, "The first reference that is resolved.", (COREFERENCE, ENTITIES)),),
    cite=("khalid-2022",),
)
