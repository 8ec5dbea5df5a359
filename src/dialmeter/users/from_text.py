"""Acts for turns that have none, found in their words: values by the value map, requests by slot words in a question.

What is found is less than what acts say: no act is found that has neither value nor slot word, such as that a booking
failed. Results that rest on it say so.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ..model import USER, Act, Conversation, Move
from ..values.maps import ValueMap
from .events import Remark
from .goals import GoalUnits, constraint, goal_units
from .profile import Profile

Index: TypeAlias = Mapping[str, Mapping[str, str]]
"""Words of a surface form → slot → canonical value."""

_WORD = re.compile(r"[\w&]+(?:[:'’-][\w&]+)*")
_SENTENCE = re.compile(r"[^.?!]+(?:[.?!](?=\w)[^.?!]*)*[.?!]*")
_LONGEST = 8
_WEAK = re.compile(r"\d{1,2}|yes|no|none|any|\w{1,2}")
"""Forms that say nothing without a word for their slot."""


class ReadConversation(Struct, frozen=True):
    """A conversation with acts at every turn, and remarks on the turns that got theirs from text."""

    talk: Conversation
    remarks: tuple[Remark, ...]


class TextReader:
    """Finds acts in words.

    Args:
        profile: how slots and domains are called, and how acts are named.
        value_map: the map; the values of the goal are looked for in any case.

    Example:
        >>> from dialmeter.model import DomainGoal
        >>> from dialmeter.users.profile import named
        >>> goal = {"hotel": DomainGoal(info={"area": "east"})}
        >>> said = Move("user", "I want a hotel in the east. What is the phone number?")
        >>> talk = TextReader(named("multiwoz"), None).read(Conversation("d1", (said,), goal)).talk
        >>> [(act.name, act.service, act.slot, act.values) for act in talk.moves[0].acts]
        [('Inform', 'hotel', 'area', ('east',)), ('Request', 'hotel', 'phone', ('?',))]
    """

    def __init__(self, profile: Profile, value_map: ValueMap | None) -> None:
        self._profile = profile
        self._map = value_map
        self._indices: dict[str, dict[str, dict[str, str]]] = {}
        self._known: dict[tuple[str, ...], frozenset[str]] = {}
        words = profile.words
        self._slot_words = {_joined(_words(word)): slot for slot, listed in words.slots.items() for word in listed}
        self._domain_words = {_joined(_words(word)): name for name, listed in words.domains.items() for word in listed}
        self._asks = [re.compile(rf"\b{re.escape(cue)}\b") for cue in words.asks]

    def read(self, talk: Conversation) -> ReadConversation:
        """A conversation with acts at every turn."""
        wants = goal_units(talk.goal or {})
        moves, remarks = [], []
        current: str | None = None
        listed = any(move.requested is not None for move in talk.moves)
        for number, move in enumerate(talk.moves):
            if move.acts is not None:
                current = next((act.service for act in move.acts if act.service in wants), current)
                moves.append(move)
                continue
            acts = self._acts(move, wants, current)
            current = acts[-1].service if acts else self._mentioned(move.text, current)
            remarks.append(Remark("from-text", number))
            # Where other turns list what is asked for, request acts are not looked at.
            requested = self._requested(acts) if listed and move.requested is None else move.requested
            moves.append(replace(move, acts=tuple(acts), requested=requested))
        return ReadConversation(replace(talk, moves=tuple(moves)), tuple(remarks))

    def _requested(self, acts: Iterable[Act]) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for act in acts:
            if act.name == self._profile.words.request:
                found[act.service] = (*found.get(act.service, ()), act.slot)
        return found

    def _mentioned(self, text: str, current: str | None) -> str | None:
        found = [form for _, form in _matches(_words(text), self._domain_words)]
        return self._domain_words[found[-1]] if found else current

    def _acts(self, move: Move, wants: Mapping[str, GoalUnits], current: str | None) -> list[Act]:
        found: dict[Act, None] = {}
        in_goal = {
            _joined(_words(value)) for each in wants.values() for values in each.values.values() for value in values
        }
        for sentence in _SENTENCE.findall(move.text.lower()):
            words = _words(sentence)
            domains = [(start, self._domain_words[form]) for start, form in _matches(words, self._domain_words)]
            slots = {self._slot_words[form]: start for start, form in _matches(words, self._slot_words)}
            told = set()
            for start, form in _matches(words, self._mapped(wants), in_goal):
                domain = _nearest(domains, start) or current or next(iter(wants), None)
                pair = self._meant(form, domain, wants, slots) if domain else None
                if domain and pair:
                    told.add(pair[0])
                    found[Act(self._profile.words.inform, domain, pair[0], (pair[1],))] = None
            asks = "?" in sentence or any(cue.search(sentence) for cue in self._asks)
            for slot, start in slots.items():
                domain = _nearest(domains, start) or current or next(iter(wants), None)
                if domain and slot not in told:
                    found.update(dict.fromkeys(self._slot_act(move, domain, slot, asks)))
            current = domains[-1][1] if domains else current
        return list(found)

    def _slot_act(self, move: Move, domain: str, slot: str, asks: bool) -> list[Act]:
        """A slot that is named without a known value: asked for, or told by the system."""
        if asks:
            return [Act(self._profile.words.request, domain, slot, ("?",))]
        return [] if move.speaker == USER else [Act(self._profile.words.inform, domain, slot)]

    def _mapped(self, wants: Iterable[str]) -> frozenset[str]:
        """All surface forms that the map has in the domains of the profile and of a goal."""
        domains = tuple(sorted({*wants, *self._profile.words.domains}))
        if domains not in self._known:
            self._known[domains] = frozenset().union(*[self._index(domain) for domain in domains])
        return self._known[domains]

    def _meant(
        self, form: str, domain: str, wants: Mapping[str, GoalUnits], slot_words: Iterable[str]
    ) -> tuple[str, str] | None:
        """The slot and canonical value that a form stands for in a domain, if that is clear."""
        choices = dict(self._index(domain).get(form, {}))
        wanted = wants.get(domain)
        in_goal: dict[str, str] = {}
        if wanted is not None:
            pairs = [(slot, value) for slot, values in wanted.values.items() for value in values]
            in_goal.update((slot, value) for slot, value in pairs if _joined(_words(value)) == form)
            in_goal.update(pair for pair in choices.items() if constraint(*pair) in wanted.constraints)
        choices.update(in_goal)
        if form == domain:
            choices = in_goal
        named = {slot: value for slot, value in choices.items() if slot in slot_words}
        if _WEAK.fullmatch(form):
            choices = named
        for some in (named, in_goal, choices):
            clear = {slot: value for slot, value in some.items() if slot in choices}
            if len(clear) == 1:
                return next(iter(clear.items()))
        return None

    def _index(self, domain: str) -> Index:
        if domain not in self._indices:
            index: dict[str, dict[str, str]] = {}
            for slot in self._map.slots if self._map else ():
                table = self._map.table(domain, slot) if self._map else None
                for form, canonical in (table.by_form if table else {}).items():
                    index.setdefault(_joined(_words(form)), {}).setdefault(slot, canonical)
            index.pop("", None)
            self._indices[domain] = index
        return self._indices[domain]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _joined(words: Sequence[str]) -> str:
    return " ".join(words)


def _matches(words: Sequence[str], *known: Container[str]) -> Iterator[tuple[int, str]]:
    """Known word sequences from left to right with their places, the longest at each place."""
    place = 0
    while place < len(words):
        for length in range(min(_LONGEST, len(words) - place), 0, -1):
            form = _joined(words[place : place + length])
            if any(form in some for some in known):
                yield place, form
                place += length
                break
        else:
            place += 1


def _nearest(domains: Sequence[tuple[int, str]], start: int) -> str | None:
    """The domain that is named last before a place, or else first after it."""
    before = [domain for place, domain in domains if place <= start]
    if before:
        return before[-1]
    return domains[0][1] if domains else None
