"""Attack: a pronoun in the reply is replaced by the name that it refers to. The meaning does not change."""

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
        NoCase: no reference can be resolved.
    """
    texts = [*(move.text for move in snippet.context[-3:]), snippet.reply.text]
    resolved_references = references([(text, kit.language.analysis(text)) for text in texts])
    if not resolved_references:
        raise NoCase("no reference that can be resolved")
    return resolved_references


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


def _antecedent(snippet: Snippet, kit: Kit) -> str:
    text = snippet.reply.text
    words = set(content_words(text))
    unnamed = [each for each in resolved(snippet, kit) if not words & set(content_words(each.antecedent))]
    if not unnamed:
        raise NoCase("the reply already names the antecedent")
    return spelled_out(text, unnamed[0], unnamed[0].antecedent)


ATTACK = Attack(
    name="co-reference",
    facet="coherence",
    expected="similar",
    help="Replaces a reference in the reply by its antecedent, which does not change the meaning; not in the default set.",
    variants=(
        Variant("antecedent", _antecedent, "The first reference that can be resolved.", (COREFERENCE, ENTITIES)),
    ),
    cite=("khalid-2022",),
)
