"""Attacks on a corpus: dialogues in batches, every distinct utterance analysed once, cases that depend on the seed alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from ..model import Conversation, Notice
from .attacks import Attack, Variant
from .attempts import Attempt, Setting, attempts
from .cases import Case
from .language import Language
from .pool import make_pool, ordered
from .yields import Yield, gather

BATCH = 25

Tell = Callable[[str, int, int], None]
"""Hears of progress: the attack that has most to do, cases made, cases wanted."""


class Attacked(Struct, frozen=True):
    """What attacks made of a corpus.

    Attributes:
        cases: attack by attack, in the order asked for.
        yields: one per attack.
        notices: what could not be done.
    """

    cases: list[Case]
    yields: list[Yield]
    notices: list[Notice]


def attack_corpus(
    talks: Sequence[Conversation],
    attacks: Sequence[Attack],
    language: Language,
    *,
    cases: int = 100,
    seed: int = 7,
    corpus: str = "",
    tell: Tell | None = None,
) -> Attacked:
    """Makes cases of every attack.

    Args:
        talks: the corpus.
        attacks: those to make.
        language: resources.
        cases: how many of each attack; fewer where the corpus does not give more.
        seed: of all choices.
        corpus: a name that goes into the cases.
        tell: hears of progress.

    Example:
        >>> from dialmeter.judges.attacks import named
        >>> from dialmeter.judges.language import open_language
        >>> from dialmeter.model import Move
        >>> talk = Conversation("d1", (Move("a", "Where is the inn?"), Move("b", "The inn is in Mill Lane.")))
        >>> found = attack_corpus([talk], [named("repetition:word")], open_language(light=True), cases=1)
        >>> found.cases[0].reply, found.yields[0].made
        ('The inn is in Mill Lane.', 1)
    """
    able, skipped = _with_resources(attacks, language)
    setting = Setting(language, make_pool(talks, language, seed), seed, corpus)
    tried = attack_shard(talks, able, setting, cases=cases, tell=tell)
    made: list[Case] = []
    yields: list[Yield] = []
    for attack in attacks:
        chosen, told = gather(attack.name, tried.get(attack.name, ()), cases, skipped.get(attack.name))
        made += chosen
        yields.append(told)
    return Attacked(made, yields, [*_lacking(skipped), *_few(yields, cases, skipped)])


def attack_shard(
    talks: Sequence[Conversation],
    attacks: Sequence[Attack],
    setting: Setting,
    *,
    cases: int,
    tell: Tell | None = None,
) -> dict[str, list[Attempt]]:
    """Tries attacks on part of a corpus until this part alone gives enough cases; shards are put together by ``gather``.

    The pool in the setting is that of the whole corpus. A second case of a dialogue is made only when all dialogues have been asked for
    a first one.
    """
    found: dict[str, list[Attempt]] = {attack.name: [] for attack in attacks}
    left = {attack.name: cases for attack in attacks}
    walks: dict[tuple[str, str], Iterator[Attempt]] = {}
    dialogues = ordered(talks, setting.seed)
    while any(left.values()):
        before = sum(map(len, found.values()))
        for first in range(0, len(dialogues), BATCH):
            batch = dialogues[first : first + BATCH]
            active = [attack for attack in attacks if left[attack.name]]
            if not active:
                break
            if any(variant.needs for attack in active for variant in attack.variants):
                setting.language.prepare(move.text for talk in batch for move in talk.moves if move.text.strip())
            for attack in active:
                for talk in batch:
                    if left[attack.name]:
                        key = (attack.name, talk.id)
                        if key not in walks:
                            walks[key] = attempts(attack, talk, setting)
                        left[attack.name] -= _one_more(walks[key], found[attack.name])
            if tell is not None:
                slowest = max(active, key=lambda attack: left[attack.name])
                tell(slowest.name, sum(cases - more for more in left.values()), cases * len(attacks))
        if sum(map(len, found.values())) == before:
            break
    return found


def _one_more(walk: Iterator[Attempt], found: list[Attempt]) -> bool:
    """Goes on with a dialogue until it gives a case, or is used up."""
    for attempt in walk:
        found.append(attempt)
        if attempt.case is not None:
            return True
    return False


def _with_resources(attacks: Sequence[Attack], language: Language) -> tuple[list[Attack], dict[str, dict[str, str]]]:
    """The attacks with those of their variants that can be made here, and what the others lack."""
    able: list[Attack] = []
    skipped: dict[str, dict[str, str]] = {}
    for attack in attacks:
        fit: list[Variant] = []
        for variant in attack.variants:
            lack = language.lacks(variant.needs)
            if lack is None:
                fit.append(variant)
            else:
                skipped.setdefault(attack.name, {})[variant.name] = lack
        if fit:
            able.append(attack.with_variants(fit))
    return able, skipped


def _lacking(skipped: dict[str, dict[str, str]]) -> list[Notice]:
    """One warning per thing to install, with the attacks that wait for it; a paraphraser is asked for only by name."""
    by_lack: dict[str, list[str]] = {}
    for attack, variants in skipped.items():
        for variant, lack in variants.items():
            by_lack.setdefault(lack, []).append(f"{attack}:{variant}")
    return [
        Notice("missing-resource", len(names), f"left out, {lack}", tuple(names))
        for lack, names in by_lack.items()
        if "paraphraser" not in lack
    ]


def _few(yields: Sequence[Yield], cases: int, skipped: dict[str, dict[str, str]]) -> list[Notice]:
    """A warning for attacks that gave fewer cases than asked for, those aside that could not be tried."""
    few = [each for each in yields if each.made < cases and (each.tried or each.attack not in skipped)]
    where = tuple(f"{each.attack} {each.made}" for each in few)
    message = f"the corpus gives fewer than {cases} cases of some attacks"
    return [Notice("few-cases", len(few), message, where)] if few else []
