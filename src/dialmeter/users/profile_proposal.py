"""Proposal of a profile from the dialogues of a corpus, for a person to review and edit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

import msgspec

from ..model import USER, Conversation

_KINDS = {
    "no_book": re.compile(r"no_?book|notify_failure|book(?:ing)?_fail", re.IGNORECASE),
    "no_offer": re.compile(r"no_?offer|notify_failure|no_?(?:result|match|entit)|nothing_found", re.IGNORECASE),
    "book": re.compile(r"^(?:.*-)?book$|notify_success|confirm_?booking|^booked$", re.IGNORECASE),
    "recommend": re.compile(r"recommend|suggest|select|^(?:.*-)?offer$", re.IGNORECASE),
    "request": re.compile(r"request(?!_alts)|^(?:.*-)?ask", re.IGNORECASE),
    "inform": re.compile(r"inform(?!_intent|_count)|^(?:.*-)?(?:tell|answer|provide)", re.IGNORECASE),
}
"""Field of a profile → regular expression for its acts. The first match counts."""
_GENERAL = re.compile(r"^(?:general|)$", re.IGNORECASE)
_NAME = re.compile(r"(?:^|[_ .])(?:name|title)$")
_TIME = re.compile(r"\d{1,2}:\d\d(?: ?[ap]m)?", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,3}")
_FLAGS = frozenset(["yes", "no", "true", "false"])
_DONTCARE = frozenset(["dontcare", "dont care", "don't care", "any"])


class CorpusSurvey:
    """Counts of the acts, slots and values of a corpus.

    Example:
        >>> from dialmeter.model import Act, Move
        >>> survey = CorpusSurvey()
        >>> survey.add(Conversation("d1", (Move("user", acts=(Act("tell", "bikes", "model", ("B1",)), Act("ask", "bikes", "price"))),)))
        >>> print(survey.proposal("bikes"))  # doctest: +ELLIPSIS
        # Proposed from 1 dialogues: review it before use.
        about = "bikes, proposed from its dialogues"
        domains = ["bikes"]
        general = ["general"]
        <BLANKLINE>
        [acts]
        inform = "^tell$"
        request = "^ask$"
        ...
    """

    def __init__(self) -> None:
        self.dialogues = 0
        self.acts: Counter[str] = Counter()
        self._user_acts: set[str] = set()
        self._slots: dict[str, dict[str, Counter[str]]] = {}

    def add(self, talk: Conversation) -> None:
        """Add the acts and the goal of a dialogue."""
        self.dialogues += 1
        for move in talk.moves:
            for act in move.acts or ():
                self.acts[act.name] += 1
                if move.speaker == USER:
                    self._user_acts.add(act.name)
                if act.slot and not _GENERAL.match(act.service):
                    values = self._slots.setdefault(act.service, {}).setdefault(act.slot, Counter())
                    values.update(value.lower() for value in act.values)
        for domain, domain_goal in (talk.goal or {}).items():
            slots = self._slots.setdefault(domain, {})
            for part in domain_goal.parts.values():
                for slot, value in part.items():
                    slots.setdefault(slot, Counter())[value.lower()] += 1
            for slot in domain_goal.requests:
                slots.setdefault(slot, Counter())

    def kinds(self) -> dict[str, list[str]]:
        """Return field of a profile → names of acts, with ``other`` for acts that match no field."""
        acts: dict[str, list[str]] = {}
        for name in sorted(self.acts):
            kinds = [kind for kind, pattern in _KINDS.items() if pattern.search(name)]
            # One act may report that a search or a booking failed.
            matches = kinds[:2] if kinds[:2] == ["no_book", "no_offer"] else kinds[:1]
            for kind in matches or ["other"]:
                acts.setdefault(kind, []).append(name)
        return acts

    def proposal(self, name: str) -> str:
        """Return the profile as TOML."""
        return "\n".join(self._lines(name)) + "\n"

    def _lines(self, name: str) -> Iterator[str]:
        services = sorted(self._slots)
        yield f"# Proposed from {self.dialogues} dialogues: review it before use."
        yield f"about = {_toml(f'{name}, proposed from its dialogues')}"
        yield f"domains = {_toml([_escape(each) for each in services])}"
        yield 'general = ["general"]'
        yield ""
        yield "[acts]"
        # A profile needs both fields, but a corpus may have no requests.
        kinds = {"inform": ["inform"], "request": ["request"], **self.kinds()}
        for kind in ("inform", "request", "recommend", "book", "no_book", "no_offer", "other"):
            if kind in kinds:
                yield f"{kind} = {_toml('|'.join(f'^{re.escape(each)}$' for each in kinds[kind]))}"
        yield f"raw = {_toml('|'.join(f'^{re.escape(each)}$' for each in kinds['request']))}"
        entities = {
            domain: [slot for slot in slots if _NAME.search(slot)] for domain, slots in sorted(self._slots.items())
        }
        yield from _table("entity_slots", entities)
        all_values = {value for slots in self._slots.values() for values in slots.values() for value in values}
        dontcare = sorted(all_values & _DONTCARE)
        yield from ("", "[fine]", f"values = {_toml(dontcare or ['dontcare'])}")
        yield from ("", "[words]")
        for kind in ("inform", "request"):
            by_users = [each for each in kinds[kind] if each in self._user_acts]
            if by_users:
                yield f"{kind} = {_toml(by_users[0])}"
        yield f"times = {_toml(self._slots_with(_TIME.fullmatch))}"
        yield f"numbers = {_toml(self._slots_with(_NUMBER.fullmatch))}"
        yield f"flags = {_toml(self._slots_with(_FLAGS.__contains__))}"
        yield from _table("words.domains", {domain: [_spoken_form(domain)] for domain in services})
        spoken = {slot: [_spoken_form(slot)] for slots in self._slots.values() for slot in slots}
        yield from _table("words.slots", {slot.lower(): words for slot, words in sorted(spoken.items())})
        yield from _table(
            "words.of", {domain: sorted(map(str.lower, slots)) for domain, slots in sorted(self._slots.items())}
        )

    def _slots_with(self, matches: Callable[[str], object]) -> list[str]:
        """Return the slots whose values all match, ignoring values such as "dontcare" and "?"."""
        all_values: dict[str, set[str]] = {}
        for slots in self._slots.values():
            for slot, values in slots.items():
                all_values.setdefault(slot.lower(), set()).update(values)
        ignored = {*_DONTCARE, "", "?"}
        return sorted(
            slot
            for slot, values in all_values.items()
            if values - ignored and all(matches(each) for each in values - ignored)
        )


def _spoken_form(name: str) -> str:
    """Return the spoken form of a name: ``Hotels_1`` as "hotel", ``party_size`` as "party size"."""
    words = (
        re.sub(r"(?<=[a-z])(?=[A-Z])", " ", re.sub(r"(?<!\d)_?\d++$", "", name))
        .replace("_", " ")
        .replace(".", " ")
        .lower()
    )
    return words[:-1] if name[:1].isupper() and words.endswith("s") and " " not in words else words


def _escape(name: str) -> str:
    """Escape a name for a list of patterns, in which brackets, stars and question marks have a meaning."""
    return re.sub(r"([*?\[])", r"[\1]", name)


def _table(name: str, rows: dict[str, list[str]]) -> Iterator[str]:
    filled = {key: listed for key, listed in rows.items() if listed}
    if filled:
        yield from ("", f"[{name}]", *(f"{_toml(key)} = {_toml(listed)}" for key, listed in filled.items()))


def _toml(value: str | Iterable[str]) -> str:
    """Return a text or a list as TOML. Basic strings of TOML are the same as strings of JSON."""
    return msgspec.json.encode(value if isinstance(value, str) else list(value)).decode().replace("\x7f", "\\u007f")
