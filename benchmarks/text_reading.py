"""Precision and recall of the rules that find acts in the words of people.

Run with `python benchmarks/text_reading.py` and DIALMETER_SHARED. Rules were designed on the dialogues with even numbers; the
others are for the report. MultiWOZ (`som_dst_100.json`): an inform is a change of gold. Values that the system named before, and values of the
state that the user repeats, are not counted. The goal is the final state. Schema-guided dialogues: informs and requests are acts, and goals are
derived from them.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from dialmeter.model import SYSTEM, USER, Conversation, DomainGoal, Move
from dialmeter.readers.conversations import open_conversations
from dialmeter.users.canonical import Matcher
from dialmeter.users.goals import derived_goal
from dialmeter.users.profile import Profile, named
from dialmeter.users.text.reader import ReadingAccuracy, ReadUnits, TextReader, measure_reading, short, units_of
from dialmeter.users.text.rules import RuleMaker
from dialmeter.values.maps import ValueMap

SHARED = Path(os.environ.get("DIALMETER_SHARED", Path(__file__).resolve().parents[2] / "shared")) / "data"
HALVES = ("design", "report")

State = dict[tuple[str, str], str]


def multiwoz() -> Iterator[tuple[Conversation, list[State]]]:
    """Yield the words, and the states after the turns of the user."""
    for name, turns in json.loads((SHARED / "tracking" / "som_dst_100.json").read_bytes()).items():
        moves: list[Move] = []
        states: list[State] = []
        for number in sorted(turns, key=int):
            turn = turns[number]
            moves += [Move(SYSTEM, turn["sys"])] if moves else []
            moves.append(Move(USER, turn["usr"]))
            states.append(
                {
                    (domain, slot.removeprefix("book ")): value
                    for domain, slots in turn["gt"].items()
                    for slot, value in slots.items()
                }
            )
        goal: dict[str, dict[str, str]] = {}
        for (domain, slot), value in states[-1].items():
            goal.setdefault(domain, {})[slot] = value
        yield Conversation(name, tuple(moves), {domain: DomainGoal(info=info) for domain, info in goal.items()}), states


def multiwoz_informs(half: int, value_map: ValueMap) -> ReadUnits:
    """Compare informs with changes of gold."""
    profile, matcher = named("multiwoz"), Matcher(value_map)
    reader = TextReader(RuleMaker(profile, value_map), profile)
    right = found = given = 0
    for place, (conversation, states) in enumerate(multiwoz()):
        if place % 2 != half:
            continue
        read = reader.read(conversation)
        before: set[tuple[str, str, str]] = set()
        spoken = ""
        units = list(units_of(read, profile, matcher))
        for number, state in enumerate(states):
            turn = 2 * number
            now = {(domain, slot, matcher(domain, slot, value.lower())) for (domain, slot), value in state.items()}
            spoken += conversation.moves[turn - 1].text.lower() if turn else ""
            changes = now - before
            named_before = {each for each in changes if each[2] in spoken}
            wanted = changes - named_before
            made = {each[2:] for each in units if each[:2] == (turn, "inform")} - named_before - (now - wanted)
            right, found, given = right + len(made & wanted), found + len(made), given + len(wanted)
            before = now
    return ReadUnits.of(("inform", "", ""), right, found, given)


def sgd(half: int, profile: Profile) -> ReadingAccuracy:
    """Compare informs and requests with acts."""
    conversations = open_conversations(SHARED / "tracking" / "sgd" / "dialogues_001.json.gz")
    chosen = [
        replace(conversation, goal=derived_goal(conversation, profile))
        for place, conversation in enumerate(conversations)
        if place % 2 == half
    ]
    return measure_reading(chosen, TextReader(RuleMaker(profile, None), profile), profile, Matcher(None))[0]


def main() -> None:
    values = ValueMap.read(SHARED / "users" / "multiwoz21_canonical_map.json.gz")
    for half, name in enumerate(HALVES):
        lines = {
            "MultiWOZ, informs": multiwoz_informs(half, values),
            "schema-guided, informs": (units := sgd(half, named("sgd")).units)[0],
            "schema-guided, requests": units[1],
        }
        for corpus, tally in lines.items():
            print(
                f"{name:7} {corpus:24} P {short(tally.precision)} R {short(tally.recall)}  {tally.right}/{tally.found}/{tally.given}"
            )


if __name__ == "__main__":
    main()
