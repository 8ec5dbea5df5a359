"""Every format is detected, gives the same conversations with every compression, and survives unusual texts."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import pytest

from dialmeter.errors import InputError
from dialmeter.readers.conversations import open_conversations
from dialmeter.readers.formats import CONVERSATION_FORMATS
from dialmeter.readers.raw_file import zstd_module

from .samples import LAYOUTS, TALKS, Talks, outcome, read_all, texts_of, write

LABELS = list(LAYOUTS)
TEXT = {"satisfaction", "dailydialog", "reddit", "plain", "plain, labelled"}
# Formats in which one invalid dialogue does not stop the others from being read.
ALONE = {"native", "states", "personachat", *TEXT, *(label for label in LABELS if "lines" in label)}


def test_every_layout_has_a_sample() -> None:
    assert {layout.form for layout in LAYOUTS.values()} == set(CONVERSATION_FORMATS.builtin())


@pytest.mark.parametrize("label", LABELS)
def test_found_by_looking_and_by_name(label: str, tmp_path: Path) -> None:
    path = write(tmp_path, label)
    found = open_conversations(path)
    assert found.format == LAYOUTS[label].form
    talks = list(found)
    assert texts_of(talks) == TALKS
    assert len({talk.id for talk in talks}) == len(TALKS)
    assert all(len({move.speaker for move in talk.moves}) == 2 for talk in talks)
    assert read_all(path, LAYOUTS[label].form) == talks


@pytest.mark.parametrize("label", LABELS)
def test_packed_marked_and_from_elsewhere(label: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, label)
    plain = path.read_bytes()
    expected = read_all(path)
    crlf = plain.replace(b"\n", b"\r\n")
    for content in (gzip.compress(plain), zstd_module().compress(plain), b"\xef\xbb\xbf" + plain, crlf):
        path.write_bytes(content)
        assert read_all(path) == expected
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(plain))))  # type: ignore[arg-type]
    assert read_all("-") == expected


STRANGE: dict[str, Talks] = {
    "one turn": [["Hello?"], ["Nobody there."]],
    "emoji": [["👩‍👩‍👧 and a 🥐, please", "🥐🥐?"]],
    "right to left": [["שלום, יש לחם?", "مرحبا، نعم"]],
    "very long": [["word " * 4000 + "end", "I see."]],
    "line separators of other kinds": [["one\u2028two\x85three", "yes\x0bno"]],
    "markup and braces": [["{0} <b>&amp;</b> %s [link]", "\\n {{}}"]],
}


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("kind", STRANGE)
def test_strange_talk(label: str, kind: str, tmp_path: Path) -> None:
    path = write(tmp_path, label, STRANGE[kind])
    assert texts_of(read_all(path, LAYOUTS[label].form)) == STRANGE[kind]


@pytest.mark.parametrize("label", [label for label in LABELS if LAYOUTS[label].keeps_empty])
def test_an_empty_utterance_is_a_move(label: str, tmp_path: Path) -> None:
    talks = [["Hello?", "", "Is anybody there?", "Yes."]]
    assert texts_of(read_all(write(tmp_path, label, talks), LAYOUTS[label].form)) == talks


def test_states_without_words_say_nothing(tmp_path: Path) -> None:
    assert texts_of(read_all(write(tmp_path, "states", [["Hello?", "", "Yes."]]))) == [["Hello?", "Yes."]]


@pytest.mark.parametrize("label", LABELS)
def test_cut_off_anywhere(label: str, tmp_path: Path) -> None:
    """A truncated file gives one-line errors or complete dialogues, and nothing else."""
    path = write(tmp_path, label)
    whole = path.read_bytes()
    for end in range(1, len(whole), 7):
        path.write_bytes(whole[:end])
        for form in (None, LAYOUTS[label].form):
            talks, errors = outcome(path, form)
            assert len(talks) + len(errors) <= len(TALKS)
            assert all(str(error).startswith(str(path)) and "\n" not in str(error) for error in errors)


@pytest.mark.parametrize("label", LABELS)
def test_bytes_that_are_no_text(label: str, tmp_path: Path) -> None:
    path = write(tmp_path, label)
    path.write_bytes(path.read_bytes().replace(b"how can", b"how \xff\xfe"))
    talks, errors = outcome(path, LAYOUTS[label].form)
    assert len(talks) == (1 if label in ALONE else 0)
    assert len(errors) == 1
    assert "utf-8" in str(errors[0]).lower()


@pytest.mark.parametrize("content", ["[]", "{}", "[1, 2]", '{"a": 1}', '["a"]', "[[]]", '[{"role": 1}]', "[]\n[]"])
def test_json_that_is_no_talk(content: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(content)
    assert len(outcome(path)[1]) == 1
    for form in sorted({layout.form for label, layout in LAYOUTS.items() if label not in TEXT}):
        talks, errors = outcome(path, form)
        assert not talks
        assert all("\n" not in str(error) for error in errors)


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        open_conversations(tmp_path / "nothing")


def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"")
    with pytest.raises(InputError, match="the file is empty"):
        open_conversations(path)


def test_the_same_id_twice(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(LAYOUTS["taskmaster"].write(TALKS).replace("dlg-1", "dlg-0"))
    file = open_conversations(path)
    assert len(list(file)) == 1
    assert [error.message for error in file.refused] == ["duplicate dialogue id"]
