"""Attacks: small changes of a reply, each with the score that an ideal judge gives it. Attacks of one kind share a file.

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
"""The twelve attacks of the paper. The other attacks in the registry are not in the paper."""

DEFAULT = tuple(name for name in PAPER if name != "co-reference")
"""The attacks that run if none is named. Readers found too few cases of *co-reference* valid (docs/attacks.md)."""

BEYOND = ("speaker-tag", "ungrammatical", "context-echo", "verbosity", "format", "injection", "identical")

_FILES = {
    "entailment": "turns", "pronoun": "references", "named-entity": "facts", "co-reference": "references",
    "speaker": "turns", "contradiction": "facts", "repetition": "words", "vocabulary": "words",
    "unnatural-paraphrase": "paraphrases", "natural-paraphrase": "paraphrases", "entrainment": "words",
    "dullness": "turns", **dict.fromkeys(BEYOND, "beyond"),
}  # fmt: skip
registry = Registry(
    "attack",
    "dialmeter.attacks",
    {name: f"{__name__}.{_FILES[name]}:{name.replace('-', '_').upper()}" for name in (*PAPER, *BEYOND)},
)


class NoCase(Exception):
    """The reason why a reply cannot be attacked with a variant."""


class Kit(Struct, frozen=True):
    """The tools of an attack: language resources, a sample of the corpus, and a random generator for this case."""

    language: Language
    pool: Pool
    random: Random


class AttackedReply(Struct, frozen=True):
    """Both replies of a case, for an attack that changes more than the reply.

    Attributes:
        reply: the reply that is compared with the adversarial one.
        adversarial: the adversarial reply.
        adversarial_context: the context of the adversarial reply, if it differs.
    """

    reply: str
    adversarial: str
    adversarial_context: tuple[Move, ...] = ()


Make: TypeAlias = Callable[[Snippet, Kit], str | AttackedReply]


class Variant(Struct, frozen=True):
    """One variant of an attack.

    Attributes:
        name: the name in cases.
        make: a function that returns the adversarial reply, or raises :class:`NoCase`.
        help: a description of one sentence.
        needs: names of resources; see :mod:`dialmeter.judges.language`.
        expected: the score by an ideal judge, if it differs from ``expected`` of the attack.
        facet: the facet that it tests, if it differs from the facet of the attack.
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
        name: its name on the command line.
        facet: the facet that it tests: the quality of the reply that it changes.
        expected: the score of the adversarial reply by an ideal judge: ``lower``, ``similar``, or ``at-most`` as high.
        help: a description of one sentence.
        variants: its variants, at least one.
        cite: keys of the publications to cite.
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
        """The distinct needs of all its variants."""
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
    """Distinct attacks by name. Three names mean several: ``default`` the twelve of the paper without co-reference, ``paper`` the
    twelve, ``all`` all attacks of dialmeter.

    Example:
        >>> len(chosen(["default"])), len(chosen(["paper"]))
        (11, 12)
        >>> [each.name for each in chosen(["dullness:generic", "pronoun", "dullness:own-earlier"])]
        ['dullness', 'pronoun']

    Raises:
        DialmeterError: an attack or a variant is unknown.
    """
    groups = {"default": DEFAULT, "paper": PAPER, "all": (*PAPER, *BEYOND)}
    by_name: dict[str, Attack] = {}
    for attack in map(named, (name for text in texts for name in groups.get(text, (text,)))):
        earlier = by_name.get(attack.name)
        if earlier is None:
            by_name[attack.name] = attack
        else:
            variants = {each.name: each for each in (*earlier.variants, *attack.variants)}
            by_name[attack.name] = earlier.with_variants(list(variants.values()))
    return list(by_name.values())


def named(text: str) -> Attack:
    """An attack by name, or one of its variants as ``name:variant``. ``llm(endpoint=..., model=...)`` is an attack by a language model.

    Example:
        >>> named("repetition").expected, [each.name for each in named("dullness:generic").variants]
        ('lower', ['generic'])
        >>> named("pronouns")
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: unknown attack 'pronouns'; did you mean pronoun?

    Raises:
        DialmeterError: the attack or the variant is unknown.
    """
    if text.startswith("llm("):
        from ..adapters.llm_attack import attack_of_text

        return attack_of_text(text)
    name, colon, variant = text.partition(":")
    attack = registry.load(name)
    if not isinstance(attack, Attack):
        raise DialmeterError(f"the attack {name!r} is not a dialmeter.judges.attacks.Attack")
    return attack.only(variant) if colon else attack


def with_resources(attacks: Sequence[Attack], language: Language) -> tuple[list[Attack], dict[str, dict[str, str]]]:
    """Return the attacks with the variants whose resources are installed, and the missing resource of each other variant."""
    usable: list[Attack] = []
    skipped: dict[str, dict[str, str]] = {}
    for attack in attacks:
        checked = {variant.name: language.lacks(variant.needs) for variant in attack.variants}
        missing = {name: resource for name, resource in checked.items() if resource is not None}
        if missing:
            skipped[attack.name] = missing
        if installed := [variant for variant in attack.variants if variant.name not in missing]:
            usable.append(attack.with_variants(installed))
    return usable, skipped
