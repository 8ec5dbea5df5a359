"""Tries attacks on the replies of one dialogue. What comes out depends on the seed, the attack and the dialogue alone."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from ..model import Conversation
from .attacks import Attack, Kit, NoCase, Variant
from .cases import Case, Place
from .corpus_pool import Pool, Snippet, digest, seeded, snippets
from .language import Language
from .language.words import same_but_for_case
from .text_diff import changed_spans

CHANGES_NOTHING = "changes nothing but capitals and blanks"


class Attempt(Struct, frozen=True):
    """One reply on which one variant was tried.

    Attributes:
        rank: which comes first when attempts of several shards are put together: how many cases the dialogue has given
            before, the place that the seed gives the dialogue, its id, and the number of the attempt.
        case: what was made, or None.
        reason: why nothing was made.
    """

    rank: tuple[int, int, str, int]
    case: Case | None
    reason: str = ""


class Setting(Struct, frozen=True):
    """What all attempts of a run share.

    Attributes:
        language: resources.
        pool: what may be borrowed from the corpus.
        seed: of all choices.
        corpus: a name that goes into the cases.
    """

    language: Language
    pool: Pool
    seed: int
    corpus: str = ""


def attempts(attack: Attack, talk: Conversation, setting: Setting) -> Iterator[Attempt]:
    """Tries a variant on the replies of a dialogue, then the next variant, all in the order that the seed gives them.

    So each dialogue has a variant that it is asked for first, and rare variants are not crowded out by easy ones.

    Args:
        attack: with the variants that are to be tried; their needs are met.
        talk: the dialogue.
        setting: what all attempts share.
    """
    seed = setting.seed
    place = digest(seed, talk.id)
    found = sorted(snippets(talk), key=lambda each: digest(seed, attack.name, talk.id, each.turn))
    variants = seeded(seed, attack.name, talk.id).sample(attack.variants, len(attack.variants))
    used: set[int] = set()
    number = 0
    for variant in variants:
        for snippet in found:
            if snippet.turn not in used:
                case, reason = _tried(attack, variant, snippet, setting)
                yield Attempt((len(used), place, talk.id, number), case, reason)
                number += 1
                if case is not None:
                    used.add(snippet.turn)


def _tried(attack: Attack, variant: Variant, snippet: Snippet, setting: Setting) -> tuple[Case | None, str]:
    random = seeded(setting.seed, attack.name, variant.name, snippet.dialogue, snippet.turn)
    try:
        text = variant.make(snippet, Kit(setting.language, setting.pool, random))
    except NoCase as no:
        return None, str(no)
    if not attack.control and (not text.strip() or same_but_for_case(text, snippet.reply.text)):
        return None, CHANGES_NOTHING
    return _case(attack, variant, snippet, text, setting), ""


def _case(attack: Attack, variant: Variant, snippet: Snippet, text: str, setting: Setting) -> Case:
    return Case(
        attack=attack.name,
        variant=variant.name,
        context=snippet.context,
        reply=snippet.reply.text,
        adversarial=text,
        expected=attack.expected,
        facet=attack.facet,
        source=Place(snippet.dialogue, snippet.turn),
        speaker=snippet.reply.speaker,
        spans=changed_spans(snippet.reply.text, text),
        resources=setting.language.names(variant.needs),
        corpus=setting.corpus,
        seed=setting.seed,
    )
