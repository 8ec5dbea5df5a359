"""Special cases of the text formats and of lists of chat messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dialmeter.errors import InputError
from dialmeter.model import Conversation
from dialmeter.readers.conversations import open_conversations
from dialmeter.readers.entries import speaker

from ...shared_data import shared
from .samples import complaints, read_all, texts_of


def moves(found: Conversation) -> list[tuple[str, str]]:
    return [(move.speaker, move.text) for move in found.moves]


def file(folder: Path, content: str) -> Path:
    path = folder / "file"
    path.write_text(content, encoding="utf-8")
    return path


def test_labels_name_speakers_where_every_line_has_one(tmp_path: Path) -> None:
    content = (
        "A: hello\nB: how are you?\nB: still there?\n\n\n"
        "USER: hi\nassistant:\n   \n"
        "Dr. O'Neill: good morning\nAnna-Lena: good morning\n\n"
        "Note: the shop is closed\nwhat a pity: really\nis it 9:30?\n\n"
        "It is 9: too late\n"
    )
    assert [moves(talk) for talk in read_all(file(tmp_path, content), "plain")] == [
        [("A", "hello"), ("B", "how are you?"), ("B", "still there?")],
        [("user", "hi"), ("system", "")],
        [("Dr. O'Neill", "good morning"), ("Anna-Lena", "good morning")],
        [("A", "Note: the shop is closed"), ("B", "what a pity: really"), ("A", "is it 9:30?")],
        [("It is 9", "too late")],
    ]


def test_one_speaker_only(tmp_path: Path) -> None:
    [talk] = read_all(file(tmp_path, "B: hello\nB: anybody?\nB: bye\n"))
    assert {move.speaker for move in talk.moves} == {"B"}


def test_sheets_of_states_are_no_plain_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown dialogue format"):
        open_conversations(file(tmp_path, "Dialogue ID : MUL1.json\nTurn: 0\n"))


def test_dailydialog_keeps_a_last_utterance_without_its_mark(tmp_path: Path) -> None:
    path = file(tmp_path, "Hi . __eou__ Hello . __eou__\nYes __eou__ No\n__eou__\n")
    assert texts_of(read_all(path)) == [["Hi .", "Hello ."], ["Yes", "No"], [""]]


def test_reddit_columns_marks_and_weights(tmp_path: Path) -> None:
    path = file(
        tmp_path, "one EOS two\tthree\none\ttwo\tthree\n0.0 EOSIN is one EOS 1.0 two\t1.0 three\n1.0 one\ttwo\n"
    )
    assert open_conversations(path).format == "reddit"
    assert texts_of(read_all(path)) == [
        ["one", "two", "three"],
        ["one", "two", "three"],
        ["EOSIN is one", "two", "three"],
        ["1.0 one", "two"],
    ]


def test_personachat_lines(tmp_path: Path) -> None:
    path = file(
        tmp_path,
        "1 your persona: i bake.\n2 __SILENCE__\thello\t\tx|y\n3 hi\tand you ?\n"
        "1 partner's persona: i bake.\n2 one\ttwo\n"
        "1 your persona: nobody speaks.\n"
        "1 first\tsecond\nwithout a number\n",
    )
    talks = open_conversations(path)
    assert [moves(talk) for talk in talks] == [
        [("B", "hello"), ("A", "hi"), ("B", "and you ?")],
        [("A", "one"), ("B", "two")],
    ]
    assert complaints(path) == [
        "dialogue 3: a dialogue without utterances",
        "line 8, dialogue 4: a line must begin with a number and a blank",
    ]


def test_personachat_histories(tmp_path: Path) -> None:
    rounds = [{"history": ["a"], "candidates": ["x", "b"]}, {"history": ["a", "b", "c"], "candidates": ["y", "d"]}]
    splits = {"train": [{"utterances": rounds}], "valid": [{"utterances": [{"history": ["e"]}]}, {"utterances": [7]}]}
    path = file(tmp_path, json.dumps(splits))
    found = list(open_conversations(path))
    assert [(talk.id, [move.text for move in talk.moves]) for talk in found] == [
        ("train-1", ["a", "b", "c", "d"]),
        ("valid-1", ["e"]),
    ]
    assert complaints(path) == ["dialogue valid-2: an utterance must be an object, found a number"]


@pytest.mark.parametrize(
    ("thing", "names"),
    [
        ([{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yes"}], ["1"]),
        ({"messages": [{"role": "user", "content": "hi"}], "id": 7}, ["7"]),
        ([{"messages": [{"role": "user", "content": "hi"}], "conversation_id": "c"}], ["c"]),
    ],
)
def test_chats_with_and_without_names(thing: Any, names: list[str], tmp_path: Path) -> None:
    for indent in (None, 2):
        path = file(tmp_path, json.dumps(thing, indent=indent))
        assert open_conversations(path).format == "chat"
        assert [talk.id for talk in read_all(path)] == names


def test_prompts_and_tools_are_not_said(tmp_path: Path) -> None:
    messages = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": [{"type": "text", "text": "what"}, {"type": "image_url"}, {"text": "is this?"}]},
        {"role": "tool", "content": "{}"},
        {"role": "assistant", "content": None},
    ]
    [talk] = read_all(file(tmp_path, json.dumps(messages)))
    assert moves(talk) == [("user", "what is this?")]


def test_the_published_coffee_orders() -> None:
    path = shared("data", "judges", "taskmaster_coffee.json.gz")
    assert open_conversations(path).format == "taskmaster"
    talks = read_all(path)
    said = [move.speaker for talk in talks for move in talk.moves]
    assert (len(talks), said.count("user"), said.count("system")) == (210, 394, 392)


def test_states_with_words_at_one_side(tmp_path: Path) -> None:
    lines = [
        {"dialogue_id": "a", "turns": [{"turn": 0, "gold": {}, "user": "hi"}, {"turn": 1, "system": "x", "user": "y"}]},
        {"dialogue_id": "b", "turns": [{"turn": 0, "gold": {}}]},
        {"dialogue_id": "c", "turns": [{"turn": 0, "user": ["x"]}]},
    ]
    path = file(tmp_path, "\n".join(map(json.dumps, lines)))
    [talk] = open_conversations(path)
    assert moves(talk) == [("user", "hi"), ("system", "x"), ("user", "y")]
    assert complaints(path) == [
        "line 2, dialogue b: a dialogue without utterances",
        "line 3, dialogue c, turn 0: user must be a string, found a list",
    ]


def test_a_speaker_without_a_name() -> None:
    with pytest.raises(InputError, match="a turn without a speaker"):
        speaker(" ")
