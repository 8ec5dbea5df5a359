"""Attacks on a corpus: dialogues in batches, every distinct utterance analysed once, cases that depend on the seed alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from msgspec import Struct

from ..model import Conversation, Notice
from .attack_statistics import Yield, gather
from .attacks import Attack, Variant
from .attempts import Attempt, Setting, attempts
from .cases import Case
from .checkpoint import KeptParts
from .corpus_pool import make_pool, ordered
from .language import Language
from .planning import BATCH, AttackPart, AttackTask, Plan

Tell = Callable[[str, int, int], None]
"""Hears of progress: the attack that has most to do, cases made, cases wanted."""

Working = Callable[[Setting, Sequence[AttackTask]], Iterable[AttackPart]]
"""Has tasks worked, and gives what comes of them in order."""


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
    working: Working | None = None,
    kept: KeptParts | None = None,
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
        working: has the work done elsewhere; in this process where it is None.
        kept: what an interrupted run has done already, to which is added.

    Example:
        >>> from dialmeter.judges.attacks import named
        >>> from dialmeter.judges.language import open_language
        >>> from dialmeter.model import Move
        >>> talk = Conversation("d1", (Move("a", "Where is the inn?"), Move("b", "The inn is in Mill Lane.")))
        >>> found = attack_corpus([talk], [named("repetition:word")], open_language(light=True), cases=1)
        >>> found.cases[0].reply, found.yields[0].made
        ('The inn is in Mill Lane.', 1)
    """
    able, skipped = with_resources(attacks, language)
    setting = Setting(language, make_pool(talks, language, seed), seed, corpus)
    plan = Plan(talks, [attack.name for attack in able], cases, seed, kept.parts if kept is not None else ())
    by_name = {attack.name: attack for attack in able}
    if working is None:
        parts: Iterable[AttackPart] = map(partial(attack_part, attacks=by_name, setting=setting, cases=cases), plan)
    else:
        parts = working(setting, plan)
    if not plan.is_done:
        _carry_out(plan, parts, kept, tell)
    made: list[Case] = []
    yields: list[Yield] = []
    for attack in attacks:
        chosen, told = gather(attack.name, plan.attempts(attack.name), cases, skipped.get(attack.name))
        made += chosen
        yields.append(told)
    return Attacked(made, yields, [*_lacking(skipped), *_few(yields, cases, skipped)])


def _carry_out(plan: Plan, parts: Iterable[AttackPart], kept: KeptParts | None, tell: Tell | None) -> None:
    for part in parts:
        plan.take(part)
        if kept is not None:
            kept.add(part)
        if tell is not None:
            tell(*plan.progress())
        if plan.is_done:
            break


def attack_part(task: AttackTask, attacks: Mapping[str, Attack], setting: Setting, cases: int) -> AttackPart:
    """Does a task.

    Args:
        task: what to attack.
        attacks: by name, those of the task among them.
        setting: what all attempts share.
        cases: how many are wanted of each attack.
    """
    asked = [attacks[name] for name in task.attacks]
    return AttackPart(task.number, attack_shard(task.talks, asked, setting, cases=cases, rounds=task.rounds))


def attack_shard(
    talks: Sequence[Conversation],
    attacks: Sequence[Attack],
    setting: Setting,
    *,
    cases: int,
    rounds: int | None = None,
) -> dict[str, list[Attempt]]:
    """Tries attacks on part of a corpus until this part alone gives enough cases; shards are put together by ``gather``.

    The pool in the setting is that of the whole corpus. A second case of a dialogue is made only when all dialogues have been asked for
    a first one.

    Args:
        talks: the part.
        attacks: those to try.
        setting: what all attempts share.
        cases: how many are wanted of each attack.
        rounds: how many cases a dialogue may give; None for as many as it has.
    """
    found: dict[str, list[Attempt]] = {attack.name: [] for attack in attacks}
    left = {attack.name: cases for attack in attacks}
    walks: dict[tuple[str, str], Iterator[Attempt]] = {}
    dialogues = ordered(talks, setting.seed)
    while any(left.values()) and rounds != 0:
        rounds = None if rounds is None else rounds - 1
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


def with_resources(attacks: Sequence[Attack], language: Language) -> tuple[list[Attack], dict[str, dict[str, str]]]:
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
        Notice("missing-resource", len(names), f"skipped, {lack}", tuple(names))
        for lack, names in by_lack.items()
        if "paraphraser" not in lack
    ]


def _few(yields: Sequence[Yield], cases: int, skipped: dict[str, dict[str, str]]) -> list[Notice]:
    """A warning for attacks that gave fewer cases than asked for, those aside that could not be tried."""
    few = [each for each in yields if each.made < cases and (each.tried or each.attack not in skipped)]
    where = tuple(f"{each.attack} {each.made}" for each in few)
    message = f"the corpus gives fewer than {cases} cases of some attacks"
    return [Notice("few-cases", len(few), message, where)] if few else []
