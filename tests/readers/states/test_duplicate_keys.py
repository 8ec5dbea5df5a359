"""Every command rejects a duplicate key in any object and in any spelling, with the same message."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dialmeter.errors import InputError
from dialmeter.readers.corpus import open_corpus
from dialmeter.readers.validation import Role
from dialmeter.tracking.scoring import score_file

from ...cli.invoke import Cli, files_in
from .layouts import LAYOUTS, OF_LINES, OF_ONE_TURN, OF_TEXT, WITHOUT_DELETIONS
from .talks import of_one_turn, talks, without_deletions

EAST = '{"hotel-area":"east"}'
THREE_TURNS = (
    '{"dialogue_id":"d","turns":['
    '{"turn":0,"gold":{"hotel-area":"east"},"pred":{},"pred":{"hotel-area":"east"}},'
    '{"turn":1,"gold":{"hotel-area":"east"},"pred":{},"pred":{"hotel-area":"east"}},'
    '{"turn":2,"gold":{"hotel-area":"east"},"pred":{"hotel-area":"east"}}]}\n'
)


def turn(inside: str) -> str:
    return f'{{"dialogue_id":"d","turns":[{{"turn":0,"gold":{EAST},"pred":{EAST}}},{{"turn":1,{inside}}}]}}\n'


BAD_LINES = {
    "a prediction, twice in two of three turns": (THREE_TURNS, "dialogue d, turn 0: duplicate key 'pred' in a turn"),
    "gold in another spelling": (
        turn(f'"gold":{EAST},"go\\u006cd":{EAST},"pred":{EAST}'),
        "dialogue d, turn 1: duplicate key 'gold' in a turn",
    ),
    "gold in two other spellings": (
        turn(f'"gol\\u0064":{{}},"go\\u006Cd":{EAST},"pred":{EAST}'),
        "dialogue d, turn 1: duplicate key 'gold' in a turn",
    ),
    "a number": (turn(f'"turn":1,"gold":{EAST},"pred":{EAST}'), "dialogue d, turn 1: duplicate key 'turn' in a turn"),
    "an utterance": (
        turn(f'"gold":{EAST},"pred":{EAST},"user":"","user":"a"'),
        "dialogue d, turn 1: duplicate key 'user' in a turn",
    ),
    "a slot": (
        turn(f'"gold":{EAST},"pred":{{"hotel-area":"east","hotel-area":"east"}}'),
        "dialogue d, turn 1: duplicate key 'hotel-area' in a state",
    ),
    "a slot in another spelling": (
        turn(f'"gold":{{"hotel-area":"west","hotel\\u002darea":"east"}},"pred":{EAST}'),
        "dialogue d, turn 1: duplicate key 'hotel-area' in a state",
    ),
    "a slot beside values with backslashes and quotes": (
        turn(r'"gold":{"a-b":"c \\\" \\","a-b":"\"\\\\\""},"pred":{"a-b":"\\"}'),
        "dialogue d, turn 1: duplicate key 'a-b' in a state",
    ),
    "a slot beside quotes that look like another key": (
        turn(r'"gold":{"a-b":"\",\"a-c\":\"","a-b":""},"pred":{}'),
        "dialogue d, turn 1: duplicate key 'a-b' in a state",
    ),
    "the id": (
        f'{{"dialogue_id":"d","dialogue_id":"d","turns":[{{"turn":0,"gold":{EAST},"pred":{EAST}}}]}}\n',
        "duplicate key 'dialogue_id' in a line",
    ),
    "the turns": (
        f'{{"dialogue_id":"d","turns":[{{"turn":0,"gold":{{}},"pred":{EAST}}}],"turns":[{{"turn":0,"gold":{EAST},"pred":{EAST}}}]}}\n',
        "duplicate key 'turns' in a line",
    ),
    "a field that nobody reads": (turn(f'"gold":{EAST},"pred":{EAST},"more":{{"x":1,"x":1}}'), "duplicate key 'x'"),
    "a field inside lists that nobody reads": (
        f'{{"dialogue_id":"d","turns":[{{"turn":0,"gold":{EAST},"pred":{EAST}}}],"more":[[{{"\\u0078":[],"x":{{}}}}]]}}\n',
        "duplicate key 'x'",
    ),
}
GOOD_LINE = f'{{"dialogue_id":"good","turns":[{{"turn":0,"gold":{EAST},"pred":{EAST}}}]}}\n'


@pytest.mark.parametrize("bad", BAD_LINES)
@pytest.mark.parametrize("before", ["", GOOD_LINE])
def test_every_command_refuses_a_line_alike(cli: Cli, tmp_path: Path, bad: str, before: str) -> None:
    line, said = BAD_LINES[bad]
    path = tmp_path / "file.jsonl"
    path.write_text(before + line)
    commands: list[tuple[str | Path, ...]] = [
        ("score", path),
        ("score", path, "--out", tmp_path / "run"),
        ("score", path, "--by", "slot", "--measure", "JGA", "--rules", "gca-repo"),
        ("score", path, "--gold", path),
        ("score", path, "--workers", "2"),
        ("check", path),
        ("study", "rules", path),
        ("compare", f"one={path}", f"other={path}"),
        ("convert", path, tmp_path / "other.jsonl"),
    ]
    number = 2 if before else 1
    complaints = set()
    for words in commands:
        complaint = cli.refused(*words)
        complaints.add(complaint)
    [complaint] = complaints
    assert complaint.startswith(f"{path}: line {number}")
    assert complaint.endswith(said)
    assert list(files_in(tmp_path)) == ["file.jsonl"]


@pytest.mark.parametrize(
    ("gold", "pred", "right"),
    [
        ('{"a-b":"x\\u007cz"}', '{"a-b":"z"}', 1),
        ('{"a-b":"say \\"x\\""}', '{"a-b":"say \\"x\\""}', 1),
        ('{"a-b":"\\\\","c-d":"\\\\\\""}', '{"c-d":"\\\\\\u0022","a-b":"\\u005c"}', 1),
        ('{"\\u0061-b":"x"}', '{"a-b":"x"}', 1),
        ('{"a-book day":"x"}', '{"a-day":"x"}', 1),
        ('{"a-b":["x","z"]}', '{"a-b":"z"}', 1),
        ('{"a-b":4}', '{"a-b":"4"}', 1),
        ('{"a-b":"X "}', '{"a-b":"x"}', 1),
        ('{"a-b":"x","c-d":"none"}', '{"a-b":"x"}', 1),
        ("{ }", "{}", 1),
        ('{"a-b":"x"}', '{"a-b":"y"}', 0),
    ],
)
def test_other_ways_to_write_a_state_are_no_duplicates(gold: str, pred: str, right: int, tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text(f'{{"dialogue_id":"d","turns":[{{"turn":0,"gold":{gold},"pred":{pred}}}]}}\n')
    assert score_file(str(path)).counts["exact_turns"] == right


ALL = {**LAYOUTS, **WITHOUT_DELETIONS, **OF_ONE_TURN}
Place = tuple[Any, ...]


def objects(thing: Any, path: Place = ()) -> Iterator[Place]:
    """Paths of the objects of a document that are not empty."""
    if isinstance(thing, dict) and thing:
        yield path
    for key, inner in thing.items() if isinstance(thing, dict) else enumerate(thing):
        if isinstance(inner, dict | list):
            yield from objects(inner, (*path, key))


def with_duplicate(thing: Any, path: Place, escaped: bool, again: str | None) -> str:
    """Return a document in which the object at a path has its first key twice.

    Args:
        thing: the document.
        path: the object.
        escaped: write the key in another spelling the second time.
        again: what it holds the second time; the same as before without it.
    """
    if isinstance(thing, list):
        inner = (
            with_duplicate(each, path[1:], escaped, again) if path and place == path[0] else json.dumps(each)
            for place, each in enumerate(thing)
        )
        return f"[{','.join(inner)}]"
    members = [
        f"{json.dumps(key)}:{with_duplicate(value, path[1:], escaped, again) if path and key == path[0] else json.dumps(value)}"
        for key, value in thing.items()
    ]
    if not path:
        key, value = next(iter(thing.items()))
        spelled = f'"\\u{ord(key[0]):04x}{key[1:]}"' if escaped else json.dumps(key)
        members.append(f"{spelled}:{json.dumps(value) if again is None else again}")
    return f"{{{','.join(members)}}}"


JSON_LAYOUTS = [name for name in ALL if "." not in name and name not in OF_TEXT]


@pytest.mark.parametrize("layout", JSON_LAYOUTS)
def test_every_object_of_every_layout(layout: str, tmp_path: Path) -> None:
    corpus = without_deletions(talks()) if layout in WITHOUT_DELETIONS else talks()
    corpus = [each for each in corpus if any(turn.gold for turn in each.turns)][:2]
    written = ALL[layout](tmp_path, of_one_turn(corpus) if layout in OF_ONE_TURN else corpus)
    draw = random.Random(layout)
    for path, form, role in (
        (written.path, written.format, Role.PRED if written.gold else Role.BOTH),
        (written.gold, written.gold_format, Role.GOLD),
    ):
        if path is None:
            continue
        file = path / "dialogues_001.json" if path.is_dir() else path
        whole = file.read_text("utf-8")
        of_lines = form in OF_LINES
        lines = [json.loads(line) for line in whole.splitlines()] if of_lines else [json.loads(whole)]
        list(open_corpus(path, role, form))
        places = [(number, place) for number, line in enumerate(lines) for place in objects(line)]
        depths = {len(place) for _, place in places}
        chosen = [draw.choice([each for each in places if len(each[1]) == depth]) for depth in sorted(depths)]
        for at, place in [*chosen, *draw.choices(places, k=12)]:
            for escaped in (False, True):
                again = draw.choice([None, None, "null", "{}", '""', "[]"])
                texts = [
                    with_duplicate(line, place, escaped, again) if number == at else json.dumps(line)
                    for number, line in enumerate(lines)
                ]
                file.write_text("\n".join(texts), "utf-8")
                for named in (form, None):
                    with pytest.raises(InputError) as caught:
                        list(open_corpus(path, role, named))
                    # The error may be about a second value of a wrong type.
                    assert again is not None or "duplicate" in str(caught.value), (place, escaped)
        file.write_text(whole, "utf-8")


DOCUMENTS = {
    "nested, an ignored field": '{"d":{"0":{"gt":{},"pr":{"hotel":{"area":"east"}},"more":{"x":1,"x":1}}}}',
    "nested, the top level": '{"d":{"0":{"gt":{},"pr":{}}},"e":{"0":{"gt":{},"pr":{}}},"\\u0064":{"0":{"gt":{},"pr":{}}}}',
    "nested, a turn": '{"d":{"0":{"gt":{},"pr":{}},"\\u0030":{"gt":{},"pr":{}}}}',
    "som-dst, the top level": '{"d_0":[["a-b-c"],[]],"d_1":[[],[]],"d_\\u0030":[[],[]]}',
    "trade, an ignored field": '{"d":{"0":{"turn_belief":[],"pred_bs_ptr":[],"more":[{"x":{},"x":{}}]}}}',
    "convlab3, an ignored field": '[{"dialogue_id":"d","utt_idx":0,"state":{},"predictions":{"state":{}},"more":{"x":"\\\\","x":"\\""}}]',
    "convlab3, a turn of the system": (
        '[{"dialogue_id":"d","utt_idx":0,"state":{},"predictions":{"state":{}}},'
        '{"dialogue_id":"d","utt_idx":1,"utterance":"a","utterance":"b"}]'
    ),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documents_are_refused_by_every_command_alike(cli: Cli, name: str, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text(DOCUMENTS[name])
    commands: list[tuple[str | Path, ...]] = [
        ("score", path),
        ("score", path, "--out", tmp_path / "run"),
        ("check", path),
        ("study", "rules", path),
        ("convert", path, tmp_path / "other.jsonl"),
    ]
    [complaint] = {cli.refused(*words) for words in commands}
    assert complaint.startswith(f"{path}: ")
    assert "duplicate" in complaint
