"""Tries attacks on the replies of one dialogue. What comes out depends on the seed, the attack and the dialogue alone."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from ..model import Conversation
from .attacks import Attack, Kit, NoCase, Variant
from .cases import Case, Place
from .language import Language
from .language.words import same_but_for_case
from .pool import Pool, digest, seeded
from .snippets import Snippet, snippets
from .spans import changed_spans

CHANGES_NOTHING = "changes nothing but capitals and blanks"


class Attempt(Struct, frozen=True):
    """One reply that was tried.

    Attributes:
        rank: which comes first when attempts of several shards are put together: how many cases the dialogue has given
            before, the place that the seed gives the dialogue, its id, and the number of the attempt.
        case: what was made, or None.
        reasons: why nothing was made, one per variant.
    """

    rank: tuple[int, int, str, int]
    case: Case | None
    reasons: tuple[str, ...] = ()


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
    """Tries the replies of a dialogue in the order that the seed gives them, and on each the variants likewise.

    Args:
        attack: with the variants that are to be tried; their needs are met.
        talk: the dialogue.
        setting: what all attempts share.
    """
    seed = setting.seed
    place = digest(seed, talk.id)
    found = sorted(snippets(talk), key=lambda each: digest(seed, attack.name, talk.id, each.turn))
    made = 0
    for number, snippet in enumerate(found):
        case, reasons = _tried(attack, snippet, setting)
        yield Attempt((made, place, talk.id, number), case, reasons)
        made += case is not None


def _tried(attack: Attack, snippet: Snippet, setting: Setting) -> tuple[Case | None, tuple[str, ...]]:
    random = seeded(setting.seed, attack.name, snippet.dialogue, snippet.turn)
    reasons = []
    for variant in random.sample(attack.variants, len(attack.variants)):
        try:
            text = variant.make(snippet, Kit(setting.language, setting.pool, random))
        except NoCase as no:
            reasons.append(str(no))
            continue
        if not attack.control and (not text.strip() or same_but_for_case(text, snippet.reply.text)):
            reasons.append(CHANGES_NOTHING)
            continue
        return _case(attack, variant, snippet, text, setting), ()
    return None, tuple(dict.fromkeys(reasons))


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
