"""Attacks: small changes of a reply, each with the score that an ideal judge gives it. Attacks of one kind share a file.

An attack gets a snippet (a reply with its context) and a kit, with a sample of the corpus. A package can add attacks with the entry
point group ``dialmeter.attacks``: an :class:`Attack` under its name.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from math import log
from random import Random
from typing import Literal, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ...errors import DialmeterError, did_you_mean
from ...model import Conversation, Move
from ...registry import Registry
from ..language import Language
from ..language.words import word_list


class Snippet(Struct, frozen=True):
    """A reply in its context.

    Attributes:
        dialogue: the id of the dialogue.
        turn: the index of the reply among the moves of the dialogue.
        context: the moves with text before the reply; at least one.
        reply: the move that an attack changes.
        later: the moves with text after the reply.
    """

    dialogue: str
    turn: int
    context: tuple[Move, ...]
    reply: Move
    later: tuple[Move, ...]

    @property
    def text(self) -> str:
        """The text of the reply."""
        return self.reply.text

    @property
    def texts(self) -> list[str]:
        """The text of the reply, and those of its context."""
        return [self.reply.text, *(move.text for move in self.context)]

    @property
    def own_turns(self) -> list[str]:
        """The earlier turns of the speaker of the reply."""
        return [move.text for move in self.context if move.speaker == self.reply.speaker]


def snippets(conversation: Conversation) -> Iterator[Snippet]:
    """The snippets of a conversation: one for each move with text, except the first.

    Moves are reduced to speaker and text, because a judge sees nothing else.

    Example:
        >>> conversation = Conversation("d1", (Move("a", "Hi."), Move("b", " "), Move("b", "Hello."), Move("a", "Bye.")))
        >>> [(each.turn, len(each.context), each.reply.text) for each in snippets(conversation)]
        [(2, 1, 'Hello.'), (3, 2, 'Bye.')]
    """
    spoken = [
        (turn, Move(move.speaker, move.text)) for turn, move in enumerate(conversation.moves) if move.text.strip()
    ]
    moves = tuple(move for _, move in spoken)
    for place, (turn, reply) in enumerate(spoken):
        if place:
            yield Snippet(conversation.id, turn, moves[:place], reply, moves[place + 1 :])


DIALOGUES = 200
"""The number of dialogues in a pool. The seed selects them. It is large enough for variety, and independent of the requested attacks."""

_AROUND = " .,!?;:"
_NUMBERS = frozenset({"DATE", "TIME", "MONEY", "CARDINAL", "ORDINAL", "PERCENT", "QUANTITY"})
_CODE = re.compile(r"\d{4}|\d[A-Z]|[A-Z]\d")
_BARE = frozenset({"one", "first", "a", "an", "the", "second", "zero", "today", "tonight", "tomorrow", "now"})


class Pool(Struct, frozen=True):
    """A sample of a corpus.

    Attributes:
        utterances: the id of the dialogue, and the move.
        entities: type → (text, count), most frequent first.
        words: word → count.
        neighbours: bigram (two words with a space between them) → count.
    """

    utterances: tuple[tuple[str, Move], ...] = ()
    entities: dict[str, tuple[tuple[str, int], ...]] = {}
    words: dict[str, int] = {}
    neighbours: dict[str, int] = {}

    def fit(self, before: str, word: str, after: str) -> float:
        """Score of a word between two others: the mean of two log-probabilities of a bigram model that is smoothed by word counts.

        Example:
            >>> pool = Pool(words={"book": 3, "a": 9, "table": 5}, neighbours={"a table": 5})
            >>> pool.fit("a", "table", "") > pool.fit("a", "book", "")
            True
        """
        size = sum(self.words.values()) or 1
        alone = (self.words.get(word, 0) + 0.1) / size
        left = (self.neighbours.get(f"{before} {word}", 0) + alone) / (self.words.get(before, 0) + 1)
        right = (self.neighbours.get(f"{word} {after}", 0) + (self.words.get(after, 0) + 0.1) / size) / (
            self.words.get(word, 0) + 1
        )
        return (log(left) + log(right)) / 2

    def knows(self, before: str, word: str, after: str) -> bool:
        """True if a word occurs in the corpus after ``before`` or in front of ``after``."""
        return f"{before} {word}" in self.neighbours or f"{word} {after}" in self.neighbours

    def entity(self, label: str, random: Random, unlike: Iterable[str]) -> str | None:
        """A random entity of a type, weighted by frequency, that shares no word with the given texts."""
        avoid = {word for text in unlike for word in word_list(text)}
        candidates = [(text, count) for text, count in self.entities.get(label, ()) if not avoid & set(word_list(text))]
        if not candidates:
            return None
        return random.choices([text for text, _ in candidates], [count for _, count in candidates])[0]


def seeded(*parts: object) -> Random:
    """A random generator for one choice, seeded with words and numbers. It does not depend on hash seeds or on earlier choices.

    Example:
        >>> seeded(7, "pronoun", "d1", 3).randrange(1000) == seeded(7, "pronoun", "d1", 3).randrange(1000)
        True
    """
    return Random(digest(*parts))


def digest(*parts: object) -> int:
    """A number derived from words and numbers."""
    text = "\0".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(text).digest()[:8], "big")


def ordered(conversations: Iterable[Conversation], seed: int) -> list[Conversation]:
    """Dialogues in the order that the seed decides."""
    return sorted(conversations, key=lambda conversation: (digest(seed, conversation.id), conversation.id))


def make_pool(conversations: Iterable[Conversation], language: Language, seed: int) -> Pool:
    """Draw the pool of a corpus. It has entities only if a pipeline is installed."""
    sample = ordered(conversations, seed)[:DIALOGUES]
    utterances = [
        (conversation.id, Move(move.speaker, move.text))
        for conversation in sample
        for move in conversation.moves
        if move.text.strip()
    ]
    counts: dict[str, Counter[str]] = {}
    if not language.is_light:
        language.prepare(move.text for _, move in utterances)
        for _, move in utterances:
            for entity in language.analysis(move.text).entities:
                name = entity.of(move.text).strip(_AROUND)
                if usable(name) and typical(name, entity.label):
                    counts.setdefault(entity.label, Counter())[name] += 1
    entities = {
        label: tuple(sorted(counts[label].items(), key=lambda item: (-item[1], item[0]))) for label in sorted(counts)
    }
    words: Counter[str] = Counter()
    neighbours: Counter[str] = Counter()
    for _, move in utterances:
        spoken = word_list(move.text)
        words.update(spoken)
        neighbours.update(f"{one} {other}" for one, other in pairwise(spoken))
    return Pool(tuple(utterances), entities, dict(sorted(words.items())), dict(sorted(neighbours.items())))


def usable(name: str) -> bool:
    """True if an entity can be swapped: it has at most six words, and is not only number words, articles or punctuation.

    Example:
        >>> usable("Kettle Lane"), usable("one"), usable("?!")
        (True, False, False)
    """
    words = word_list(name)
    return bool(words) and len(words) <= 6 and not set(words) <= _BARE and "\n" not in name


def typical(name: str, label: str) -> bool:
    """True if an entity looks like its type: taggers mistake codes and prices for names.

    Example:
        >>> typical("Kettle Lane", "FAC"), typical("17:45", "ORG"), typical("friday", "DATE"), typical("two", "CARDINAL")
        (True, False, True, False)
    """
    if label == "CARDINAL":
        return name.isdecimal() and len(name) <= 2
    return not _CODE.search(name) if label in _NUMBERS else not any(map(str.isdigit, name))


Relation: TypeAlias = Literal["lower", "similar", "at-most"]
Facet: TypeAlias = Literal["coherence", "naturalness", "interest"]

_PAPER = {
    "entailment": "turns", "pronoun": "references", "named-entity": "facts", "co-reference": "references",
    "speaker": "turns", "contradiction": "facts", "repetition": "words", "vocabulary": "words",
    "unnatural-paraphrase": "paraphrases", "natural-paraphrase": "paraphrases", "entrainment": "words",
    "dullness": "turns",
}  # fmt: skip
"""Attack → the file that declares it."""
PAPER = tuple(_PAPER)
"""The twelve attacks of the paper. The other attacks in the registry are not in the paper."""

DEFAULT = tuple(name for name in PAPER if name != "co-reference")
"""The attacks that run if none is named. Readers found too few cases of *co-reference* valid (benchmarks/attack_validity.md)."""

BEYOND = ("speaker-tag", "ungrammatical", "context-echo", "verbosity", "format", "injection", "identical")

registry = Registry(
    "attack",
    "dialmeter.attacks",
    {
        name: f"{__name__}.{file}:{name.replace('-', '_').upper()}"
        for name, file in (_PAPER | dict.fromkeys(BEYOND, "beyond")).items()
    },
)


class NoCase(Exception):
    """The reason why a reply cannot be attacked with a variant."""


_Value = TypeVar("_Value")


def require(value: _Value | None, reason: str) -> _Value:
    """Return what an attack needs: a condition that is true, or options of which there is at least one.

    Raises:
        NoCase: there is nothing.

    Example:
        >>> require(["hotel"], "no content word")
        ['hotel']
    """
    if not value:
        raise NoCase(reason)
    return value


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
_Make = TypeVar("_Make", bound=Make)


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


class Attack(Struct):
    """An attack. Its variants are given, or added with the decorator :meth:`variant`.

    Attributes:
        name: its name on the command line.
        facet: the facet that it tests: the quality of the reply that it changes.
        expected: the score of the adversarial reply by an ideal judge: ``lower``, ``similar``, or ``at-most`` as high.
        help: a description of one sentence.
        variants: its variants; at least one in the end.
        cite: keys of the publications to cite; that of the paper for its attacks.
        control: True if it may leave the reply unchanged.
    """

    name: str
    facet: Facet
    expected: Relation
    help: str
    variants: tuple[Variant, ...] = ()
    cite: tuple[str, ...] = ()
    control: bool = False

    def __post_init__(self) -> None:
        if self.name in _PAPER:
            self.cite = ("khalid-2022",)

    def variant(
        self,
        description: str,
        *needs: str,
        name: str = "",
        expected: Relation | None = None,
        facet: Facet | None = None,
    ) -> Callable[[_Make], _Make]:
        """Add a variant: decorate the function that makes the reply. The function gives the variant its name.

        Example:
            >>> attack = Attack("loud", "naturalness", "lower", "Writes the reply in capitals.")
            >>> @attack.variant("Every letter.")
            ... def _every_letter(snippet: Snippet, kit: Kit) -> str:
            ...     return snippet.text.upper()
            >>> attack.variants[0].name
            'every-letter'
        """

        def add(make: _Make) -> _Make:
            own_name = name or make.__name__.strip("_").replace("_", "-")
            self.variants = (*self.variants, Variant(own_name, make, description, needs, expected, facet))
            return make

        return add

    @property
    def needs(self) -> tuple[str, ...]:
        """The distinct needs of all its variants."""
        return tuple(dict.fromkeys(need for variant in self.variants for need in variant.needs))


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
            by_name[attack.name] = replace(earlier, variants=tuple(variants.values()))
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
    if not colon:
        return attack
    variants = {each.name: each for each in attack.variants}
    if variant not in variants:
        raise DialmeterError(f"the attack {name} has no variant {variant!r}; {did_you_mean(variant, list(variants))}")
    return replace(attack, variants=(variants[variant],))


def with_resources(attacks: Sequence[Attack], language: Language) -> tuple[list[Attack], dict[str, dict[str, str]]]:
    """Return the attacks with the variants whose resources are installed, and the missing resource of each other variant."""
    usable: list[Attack] = []
    untried: dict[str, dict[str, str]] = {}
    for attack in attacks:
        checked = {variant.name: language.lacks(variant.needs) for variant in attack.variants}
        missing = {name: resource for name, resource in checked.items() if resource is not None}
        if missing:
            untried[attack.name] = missing
        if installed := tuple(variant for variant in attack.variants if variant.name not in missing):
            usable.append(replace(attack, variants=installed))
    return usable, untried
