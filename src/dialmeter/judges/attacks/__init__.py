"""Attacks: small changes of a reply, each with the expected reaction of an ideal judge. One file per attack.

A package can add attacks with the entry point group ``dialmeter.attacks``: an :class:`Attack` under its name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct

from ...errors import DialmeterError, did_you_mean
from ...model import Move
from ...registry import Registry
from ..corpus_pool import Pool, Snippet
from ..language import Language

Relation: TypeAlias = Literal["lower", "similar", "at-most"]
Facet: TypeAlias = Literal["coherence", "naturalness", "interest"]

PAPER = (
    "entailment", "pronoun", "named-entity", "co-reference", "speaker", "contradiction", "repetition", "vocabulary",
    "unnatural-paraphrase", "natural-paraphrase", "entrainment", "dullness",
)  # fmt: skip
"""The twelve attacks of the paper; the rest of the registry goes beyond it."""

BEYOND = ("speaker-tag", "ungrammatical", "context-echo", "verbosity", "format", "injection", "identical")

registry = Registry(
    "attack",
    "dialmeter.attacks",
    {name: f"{__name__}.{name.replace('-', '_')}:ATTACK" for name in (*PAPER, *BEYOND)},
)


class NoCase(Exception):
    """The reason why a reply cannot be attacked with a variant."""


class Kit(Struct, frozen=True):
    """What an attack may use: language resources, a sample of the corpus, and a random generator for this case."""

    language: Language
    pool: Pool
    random: Random


class AttackedReply(Struct, frozen=True):
    """Both sides of a case, for an attack that changes more than the reply.

    Attributes:
        reply: the reply that is compared with the adversarial one.
        adversarial: the adversarial reply.
        adversarial_context: its context, where it is another one.
    """

    reply: str
    adversarial: str
    adversarial_context: tuple[Move, ...] = ()


Make: TypeAlias = Callable[[Snippet, Kit], str | AttackedReply]


class Variant(Struct, frozen=True):
    """One variant of an attack.

    Attributes:
        name: the name in cases.
        make: gives the adversarial reply, or raises :class:`NoCase`.
        help: a sentence.
        needs: names of resources; see :mod:`dialmeter.judges.language`.
        expected: what an ideal judge does, where that is not what the attack expects.
        facet: the quality that it is about, where that is not the one of the attack.
    """

    name: str
    make: Make
    help: str
    needs: tuple[str, ...] = ()
    expected: Relation | None = None
    facet: Facet | None = None


class Attack(Struct, frozen=True, kw_only=True):
    """An attack.

    Attributes:
        name: by which it is called.
        facet: the quality of a reply that it is about.
        expected: what an ideal judge does with the adversarial reply: score it ``lower``, ``similar`` or ``at-most`` as high.
        help: a sentence.
        variants: at least one.
        cite: keys of what to cite.
        control: True if it may leave the reply unchanged.
    """

    name: str
    facet: Facet
    expected: Relation
    help: str
    variants: tuple[Variant, ...]
    cite: tuple[str, ...] = ()
    control: bool = False

    @property
    def needs(self) -> tuple[str, ...]:
        """The needs of all its variants, each once."""
        return tuple(dict.fromkeys(need for variant in self.variants for need in variant.needs))

    def with_variants(self, variants: Sequence[Variant]) -> Attack:
        """The same attack with some of its variants."""
        return msgspec.structs.replace(self, variants=tuple(variants))

    def only(self, variant: str) -> Attack:
        """The same attack with one of its variants.

        Raises:
            DialmeterError: it has no such variant.
        """
        chosen = [each for each in self.variants if each.name == variant]
        if not chosen:
            hint = did_you_mean(variant, [each.name for each in self.variants])
            raise DialmeterError(f"the attack {self.name} has no variant {variant!r}; {hint}")
        return self.with_variants(chosen)


def chosen(texts: Sequence[str]) -> list[Attack]:
    """Attacks by name, each once: ``paper`` means the twelve of the paper, ``all`` every attack of dialmeter.

    Example:
        >>> len(chosen(["paper"])), [each.name for each in chosen(["dullness:generic", "pronoun", "dullness:own-earlier"])]
        (12, ['dullness', 'pronoun'])

    Raises:
        DialmeterError: no such attack or variant.
    """
    groups = {"paper": PAPER, "all": (*PAPER, *BEYOND)}
    found: dict[str, Attack] = {}
    for attack in map(named, (name for text in texts for name in groups.get(text, (text,)))):
        known = found.get(attack.name)
        if known is None:
            found[attack.name] = attack
        else:
            variants = {each.name: each for each in (*known.variants, *attack.variants)}
            found[attack.name] = known.with_variants(list(variants.values()))
    return list(found.values())


def named(text: str) -> Attack:
    """An attack by name, or one variant of it as ``name:variant``; ``llm(endpoint=..., model=...)`` for what a model writes.

    Example:
        >>> named("repetition").expected, [each.name for each in named("dullness:generic").variants]
        ('lower', ['generic'])
        >>> named("pronouns")
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: unknown attack 'pronouns'; did you mean pronoun?

    Raises:
        DialmeterError: no such attack or variant.
    """
    if text.startswith("llm("):
        from ..adapters.llm_attack import attack_of_text

        return attack_of_text(text)
    name, colon, variant = text.partition(":")
    found = registry.load(name)
    if not isinstance(found, Attack):
        raise DialmeterError(f"the attack {name!r} is not a dialmeter.judges.attacks.Attack")
    return found.only(variant) if colon else found


def with_resources(attacks: Sequence[Attack], language: Language) -> tuple[list[Attack], dict[str, dict[str, str]]]:
    """The attacks with the variants whose resources are installed, and what the other variants need."""
    able: list[Attack] = []
    skipped: dict[str, dict[str, str]] = {}
    for attack in attacks:
        lacks = {variant.name: language.lacks(variant.needs) for variant in attack.variants}
        fit = [variant for variant in attack.variants if lacks[variant.name] is None]
        missing = {name: lack for name, lack in lacks.items() if lack is not None}
        if missing:
            skipped[attack.name] = missing
        if fit:
            able.append(attack.with_variants(fit))
    return able, skipped
