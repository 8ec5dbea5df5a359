"""Every command rejects the same invalid files with the same message, in every role of a file."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dialmeter.errors import DialmeterError, InputError
from dialmeter.judges.adapters.answer_forms import objects_in
from dialmeter.judges.case_files import read_cases
from dialmeter.readers.completions import state_in
from dialmeter.readers.conversations import open_conversations
from dialmeter.readers.corpus import read
from dialmeter.readers.layouts.goals import GoalFile
from dialmeter.readers.source import first_items
from dialmeter.readers.strict_json import parse_unique
from dialmeter.simulation.goals import read_goals
from dialmeter.simulation.world import town
from dialmeter.tracking.rule_sets.rules import load as load_rules
from dialmeter.users.profile import load as load_profile
from dialmeter.users.value_map_builder import read_ontology
from dialmeter.values.maps import ValueMap

from ..cli.invoke import Cli
from .test_budget import CASE


def not_utf8(byte: int) -> str:
    """Return the message for text in another encoding."""
    return f"not UTF-8 text (byte {byte}); save it as UTF-8, such as with iconv -f LATIN1 -t UTF-8"


STATE = '{"hotel-area":"east"}'
TALK = '"talk":[{"speaker":"user","text":"x"}],"goal":{"hotel":{"info":{"area":"east"}}}'


def line(talk: str) -> str:
    return f'{{"dialogue_id":"d","turns":[{{"turn":0,"gold":{STATE},"pred":{STATE}}}],{talk}}}\n'


BAD_TALK = {
    "a text": ('"talk":"x"', "dialogue d: talk must be a list, found a string"),
    "nothing": ('"talk":null', "dialogue d: talk must be a list, found null"),
    "a move that is a number": ('"talk":[1]', "dialogue d, turn 0: talk[0] must be an object, found a number"),
    "no speaker": ('"talk":[{"text":"x"}]', "dialogue d, turn 0: talk[0] has no speaker"),
    "a text that is a number": (
        '"talk":[{"speaker":"user","text":3}]',
        "dialogue d, turn 0: talk[0].text must be a string, found a number",
    ),
    "an act that is a number": (
        '"talk":[{"speaker":"user","acts":[3]}]',
        "dialogue d, turn 0: talk[0].acts[0] must be an object, found a number",
    ),
    "a goal that is a number": (
        '"talk":[{"speaker":"user"}],"goal":3',
        "dialogue d: goal must be an object, found a number",
    ),
    "a text twice": ('"talk":[{"speaker":"user","text":"x","te\\u0078t":"y"}]', "dialogue d: duplicate key 'text'"),
    "a slot of a goal twice": (
        '"talk":[{"speaker":"user"}],"goal":{"hotel":{"info":{"area":"east","area":"west"}}}',
        "dialogue d: duplicate key 'area'",
    ),
    "talk twice": ('"talk":[],"talk":[{"speaker":"user"}]', "duplicate key 'talk' in a line"),
    "bytes that are no text": ('"talk":[{"speaker":"user","text":"\udcff"}]', not_utf8(132)),
    "a raw half character": ('"talk":[{"speaker":"user","text":"\ud800"}]', not_utf8(132)),
    "half a character": (
        '"talk":[{"speaker":"user","text":"\\ud800"}]',
        "\\ud800 is half of a character, without the other half",
    ),
    "too large a number": ('"talk":[],"x":1e400', "1e400 is too large a number"),
    "too deep": ('"talk":[],"x":' + "[" * 3000 + "]" * 3000, "JSON nested too deeply"),
}


def ways(file: Path) -> list[tuple[str | Path, ...]]:
    """Commands that read every dialogue of a file."""
    tracker = ("--subject", "tracker", "-q")
    return [
        ("score", file, *tracker),
        ("score", file, *tracker, "--out", file.with_name("run")),
        ("find", file, "e", *tracker),
        ("check", file, *tracker),
        ("study", "rules", file),
        ("compare", f"a={file}", f"b={file}", *tracker),
        ("convert", file, file.with_name("out.jsonl")),
    ]


@pytest.mark.parametrize("kind", BAD_TALK)
def test_every_command_refuses_the_same_talk(kind: str, cli: Cli, tmp_path: Path) -> None:
    talk, message = BAD_TALK[kind]
    file = tmp_path / "file.jsonl"
    errors = "surrogateescape" if "bytes" in kind else "surrogatepass"
    file.write_bytes((line(TALK).replace('"d"', '"e"') + line(talk)).encode("utf-8", errors))
    expected = f"{file}: line 2" + (", " if message.startswith("dialogue") else ": ") + message
    for words in (*ways(file), ("check", file, "--subject", "user", "-q")):
        assert cli.refused(*words) == expected
    with pytest.raises(InputError) as caught:
        list(read(file))
    assert str(caught.value) == expected
    talks = open_conversations(file)
    assert [each.id for each in talks] == ["e"]
    assert [str(each) for each in talks.refused] == [expected]
    assert f"dialmeter: {expected}\n" in cli("score", file, "-q", "--set", "profile=town", code=2).err


BAD_TURNS = {
    "a prediction twice": (f'"pred":{STATE}', "duplicate key 'pred' in a turn"),
    "gold twice, once with an escape": (f'"go\\u006cd":{STATE}', "duplicate key 'gold' in a turn"),
    "the turns twice": ('"user":"x"}],"turns":[{"turn":0', "duplicate key 'turns' in a line"),
    "an utterance twice": ('"user":"x","user":"y"', "duplicate key 'user' in a turn"),
    "an utterance that is a number": ('"user":3', "user must be a string, found a number"),
    "an utterance that is a list": ('"user":[]', "user must be a string, found a list"),
    "a system that is an object": ('"system":{}', "system must be a string, found an object"),
    "a system that is true": ('"system":true', "system must be a string, found true"),
    "frames that are a number": ('"frames":3', "frames must be an object, found a number"),
    "frames that are a list": ('"frames":[3]', "frames must be an object, found a list"),
    "bytes in an utterance that are no text": ('"user":"\udcff"', not_utf8(104)),
    "bytes in another field that are no text": ('"x":"\udcff"', not_utf8(101)),
    "a raw half character": ('"user":"\ud800"', not_utf8(104)),
    "an id twice": ('"user":"x"}],"dialogue_id":"f","x":[{', "duplicate key 'dialogue_id' in a line"),
    "a key of another field twice": ('"x":{"a":1,"a":2}', "duplicate key 'a'"),
    "too large a number": ('"x":1e400', "1e400 is too large a number"),
}


@pytest.mark.parametrize("kind", BAD_TURNS)
def test_every_command_refuses_the_same_turns(kind: str, cli: Cli, tmp_path: Path) -> None:
    """Regression: scoring gave a number for such files, but writing a run, checking and converting failed."""
    more, message = BAD_TURNS[kind]
    text = f'{{"dialogue_id":"%s","turns":[{{"turn":0,"gold":{STATE},"pred":{STATE}%s}}]}}\n'
    errors = "surrogatepass" if "half" in kind else "surrogateescape"
    file = written(tmp_path / "file.jsonl", (text % ("e", "") + text % ("d", f",{more}")).encode("utf-8", errors))
    [complaint] = {cli.refused(*words) for words in ways(file)}
    assert complaint.startswith(f"{file}: line 2")
    assert message in complaint


def written(path: Path, data: bytes | str) -> Path:
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


READERS = {
    "goals": (GoalFile, '{"d": {"hotel": {"info": {"area": "X"}}}}'),
    "goals to play": (partial(read_goals, world=town()), '{"d": {"hotel": {"info": {"area": "X"}}}}'),
    "a value map": (ValueMap.read, '{"area": {"east": ["X"]}}'),
    "an ontology": (read_ontology, '{"hotel-semi-area": ["X"]}'),
    "a case": (read_cases, json.dumps({**CASE, "reply": "X"})),
}
BAD_BYTES = {
    "a raw half character": (b"X", b"\xed\xa0\x80", "not UTF-8 text"),
    "a half character": (b"X", rb"\udc00", r"\udc00 is half of a character"),
    "a duplicate key": (b"}", b', "y": 0, "\\u0079": 1}', "duplicate key 'y'"),
    "too large a number": (b'"X"', b"1e400", "1e400 is too large a number"),
    "too deep": (b'"X"', b"[" * 3000 + b"]" * 3000, "JSON nested too deeply"),
    "no number": (b'"X"', b"NaN", "NaN is not a JSON value"),
}


@pytest.mark.parametrize("kind", BAD_BYTES)
@pytest.mark.parametrize("role", READERS)
def test_json_is_strict_in_every_role(role: str, kind: str, tmp_path: Path) -> None:
    reader, good = READERS[role]
    old, new, message = BAD_BYTES[kind]
    file = written(tmp_path / "file.json", new.join(good.encode().rsplit(old, 1)))
    with pytest.raises(InputError) as caught:
        reader(file)
    assert str(caught.value).startswith(f"{file}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize("load", [load_rules, load_profile])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'about = "\xed\xa0\x80"', not_utf8(9)),
        (b"x = " + b"[" * 3000 + b"]" * 3000, "nested too deeply"),
        (b"x = 1\nx = 2", "not valid TOML: Cannot overwrite a value"),
    ],
)
def test_toml_is_strict(load: object, content: bytes, message: str, tmp_path: Path) -> None:
    file = written(tmp_path / "mine.toml", content)
    with pytest.raises(DialmeterError) as caught:
        load(str(file))  # type: ignore[operator]
    assert str(caught.value).startswith(f"{file}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("field", "message"),
    [('"reply": "other"', "duplicate key 'reply'"), (f'"x": {"[" * 3000}{"]" * 3000}', "JSON nested too deeply")],
    ids=["a reply twice", "brackets that nobody reads"],
)
def test_a_field_more_in_a_case(field: str, message: str, cli: Cli, tmp_path: Path) -> None:
    text = json.dumps(CASE)
    file = written(tmp_path / "cases.jsonl", f"{text}\n{text[:-1]}, {field}}}\n")
    assert cli.refused("score", file, "--judge", "length") == f"{file}: line 2: {message}"


def test_a_heading_twice_in_scores(cli: Cli, tmp_path: Path) -> None:
    cases = written(tmp_path / "cases.jsonl", json.dumps(CASE))
    scores = written(tmp_path / "scores.csv", "case,human,adversarial,human\n1,2,3,4\n")
    assert (
        cli.refused("score", cases, "-j", f"mine={scores}")
        == f"{scores}: line 1: duplicate column 'human'; give each column its own name, or remove line 1 if line 2 has the names"
    )


OPENINGS = ("[", '{"a":', '[{"a":"x","a":')


class Unfinished:
    """An object in a reference cycle whose finalisation takes many calls."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self, calls: int = 60) -> None:
        if calls:
            self.__del__(calls - 1)


@pytest.fixture
def unraised() -> Iterator[list[str]]:
    """Errors that Python would have written to standard error."""
    found: list[str] = []
    hook, thresholds = sys.unraisablehook, gc.get_threshold()
    sys.unraisablehook = lambda trouble: found.append("Exception ignored")
    yield found
    sys.unraisablehook = hook
    gc.set_threshold(*thresholds)


def refused(text: str) -> None:
    with pytest.raises(InputError, match=r"^deep\.json: JSON nested too deeply$"):
        parse_unique(text.encode(), "deep.json")


def a_sample(text: str) -> None:
    first_items("[" + text)


def a_judgement(text: str) -> None:
    assert list(objects_in(text)) == []


def a_completion(text: str) -> None:
    assert state_in(text) is None


@pytest.mark.parametrize("read", [refused, a_sample, a_judgement, a_completion])
def test_garbage_is_not_collected_at_the_limit_of_recursion(read: Callable[[str], Any], unraised: list[str]) -> None:
    for opening in OPENINGS:
        # Collection begins after this number of new objects, which is reached at a different depth each time.
        for new in range(700, 1100, 40):
            gc.collect(0)
            gc.disable()
            gc.set_threshold(new, 1000, 1000)
            for _ in range(3):
                Unfinished()
            gc.enable()
            read(opening * 1010)
    assert unraised == []
