"""Source: detection reads only the head of a file, and a document is read and parsed once."""

from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialmeter.errors import InputError
from dialmeter.readers import source
from dialmeter.readers.corpus import Corpus, open_corpus
from dialmeter.readers.source import Source, Span, spans
from dialmeter.readers.strict_json import JsonParts
from dialmeter.readers.validation import Role
from dialmeter.tracking.scoring import score_file

from .layouts import LAYOUTS, OF_LINES, OF_ONE_TURN, OF_TEXT, WITHOUT_DELETIONS, Written
from .talks import of_one_turn, talks, without_deletions

ALL = {**LAYOUTS, **WITHOUT_DELETIONS, **OF_ONE_TURN}
DOCUMENTS = [
    name
    for name in ALL
    if "." not in name and not name.startswith("native") and name not in (*OF_TEXT, *OF_LINES, "llm, tool calls", "sgd")
]
SIZE = 5_000_000


def document_of(layout: str, folder: Path) -> tuple[Path, str, Role]:
    """The file of a format that is one JSON document."""
    corpus = without_deletions(talks()) if layout in WITHOUT_DELETIONS else talks()
    written: Written = ALL[layout](folder, of_one_turn(corpus) if layout in OF_ONE_TURN else corpus)
    if written.format == "native" and written.gold is not None:
        return written.gold, written.gold_format, Role.GOLD
    return written.path, written.format, Role.PRED if written.gold else Role.BOTH


def enlarged(path: Path, format: str, indent: int | None) -> None:
    """Make a document of at least five megabytes by repeating its dialogues under other ids."""
    thing: Any = json.loads(path.read_text("utf-8"))
    copies = SIZE // len(json.dumps(thing)) + 1
    if isinstance(thing, dict):
        whole: Any = {f"x{copy}{key}": value for copy in range(copies) for key, value in thing.items()}
    else:
        names = {"convlab3": "dialogue_id", "multiwoz": "dialogue_idx", "ic-dst": "ID", "bspn": "dial_id"}
        whole = [renamed(each, names.get(format, ""), copy) for copy in range(copies) for each in thing]
    text = json.dumps(whole)
    path.write_text(text if indent is None else msgspec.json.format(text, indent=indent), "utf-8")
    assert path.stat().st_size >= SIZE


def renamed(entry: dict[str, Any], name: str, copy: int) -> dict[str, Any]:
    if "guid" in entry:
        split, dialogue, turn = entry["guid"]
        return {**entry, "guid": [split, f"x{copy}{dialogue}", turn]}
    return {**entry, name: f"x{copy}{entry[name]}"} if name else entry


@pytest.mark.parametrize("layout", DOCUMENTS)
def test_detection_reads_the_head_of_a_document(layout: str, tmp_path: Path) -> None:
    path, format, role = document_of(layout, tmp_path)
    enlarged(path, format, indent=1)
    corpus = open_corpus(path, role)
    assert corpus.format == format
    assert corpus.share_read is not None
    assert corpus.share_read < 0.1
    corpus.close()


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("layout", DOCUMENTS)
def test_errors_behind_the_head(layout: str, indent: int | None, tmp_path: Path) -> None:
    path, format, role = document_of(layout, tmp_path)
    enlarged(path, format, indent)
    path.write_bytes(path.read_bytes()[:-9])
    corpus = open_corpus(path, role)
    assert corpus.format == format
    with pytest.raises(InputError, match="the file seems to be cut off"):
        list(corpus)


class Watch:
    """Count parsed documents."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.sizes: list[int] = []
        self.places: list[int] = []
        sizes, places, parse_whole = self.sizes, self.places, source.parse_json

        class WatchedParts(JsonParts):
            def __init__(self, data: bytes, *more: Any) -> None:
                sizes.append(len(data))
                super().__init__(data, *more)

            def parse(self, place: int) -> Any:
                places.append(place)
                return super().parse(place)

        def parse_json(data: bytes, *more: Any) -> Any:
            sizes.append(len(data))
            return parse_whole(data, *more)

        def loads(*words: Any, **more: Any) -> Any:
            raise AssertionError("a good document is parsed slowly")

        patch.setattr(source, "JsonParts", WatchedParts)
        patch.setattr(source, "parse_json", parse_json)
        patch.setattr(json, "loads", loads)


@pytest.mark.parametrize("layout", DOCUMENTS)
def test_a_document_is_parsed_once(layout: str, tmp_path: Path) -> None:
    path, format, role = document_of(layout, tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        watch = Watch(patch)
        assert list(open_corpus(path, role))
    assert watch.sizes == [path.stat().st_size]
    assert len(set(watch.places)) == len(watch.places)
    assert format


def test_scoring_parses_each_of_two_documents_once(tmp_path: Path) -> None:
    written = ALL["dstc10"](tmp_path, of_one_turn(talks()))
    with pytest.MonkeyPatch.context() as patch:
        watch = Watch(patch)
        score_file(str(written.path), str(written.gold), by=("domain", "slot"), on_row=lambda read, compared: None)
    assert sorted(watch.sizes) == sorted(path.stat().st_size for path in (written.path, written.gold) if path)


def test_a_document_from_standard_input_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, _, _ = document_of("nested", tmp_path)
    with path.open("rb") as file:

        class Standard:
            buffer = file

        monkeypatch.setattr("sys.stdin", Standard)
        piped = score_file("-")
    assert piped.scores == score_file(str(path)).scores


@pytest.mark.parametrize("size", [1 << 16, (1 << 16) + 1, 3 << 16])
def test_a_first_dialogue_longer_than_the_head(size: int, tmp_path: Path) -> None:
    turn = {"gt": {"hotel": {"area": "east"}}, "pr": {"hotel": {"name": "x" * size}}}
    path = tmp_path / "file.json"
    path.write_text(json.dumps({"d": {"0": turn}, "e": {"0": turn}}))
    corpus = open_corpus(path)
    assert corpus.format == "nested"
    assert [each.id for each in corpus] == ["d", "e"]


@pytest.mark.parametrize(
    "text",
    ["{1:[[],[]]}", '{1:{"0":{"gt":{},"pr":{}}}}', '{null:{"a":{}}}', '{"d" "e"}', '{"d":{},,"e":{}}', "{[]:{}}"],
)
def test_a_document_that_is_damaged_in_its_head(text: str, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text(text)
    with pytest.raises(InputError, match="line 1: not valid JSON"):
        list(open_corpus(path))


LINES = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), max_size=12), max_size=12)


@given(LINES, st.integers(1, 40), st.booleans())
def test_spans_of_any_size_give_every_line_once(texts: list[str], size: int, ends: bool) -> None:
    data = "\n".join(texts).encode() + (b"\n" if ends else b"")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "lines.jsonl")
        path.write_bytes(data)
        whole = [line for _, line in Source(path).lines()]
        found = [
            (span.bounds, number, line)
            for span in spans(str(path), size)
            for number, line in Source(path, span=span.bounds).lines()
        ]
        assert [line for _, _, line in found] == whole
        numbers = [
            number + Source(path, span=bounds).count_lines_before() for bounds, number, _ in found if bounds is not None
        ]
        true_numbers = [number for number, _ in Source(path).lines()]
        assert not numbers or numbers == true_numbers


def test_a_compressed_file_is_one_span(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl.gz"
    path.write_bytes(gzip.compress(bytes(range(256)) * 400))
    assert spans(str(path), 10) == [Span(str(path))]


def test_an_error_in_a_span_names_the_line_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    good = '{"dialogue_id": "d%d", "turns": [{"turn": 0, "gold": {}, "pred": {}}]}\n'
    path.write_text("".join(good % number for number in range(9)) + '{"dialogue_id": "d9", "turns": 3}\n', "utf-8")
    messages = []
    for span in spans(str(path), 200):
        corpus = Corpus(Source(path, span=span.bounds), "native", Role.BOTH)
        try:
            list(corpus)
        except InputError as error:
            messages.append(str(error))
    with pytest.raises(InputError) as whole:
        list(Corpus(Source(path), "native", Role.BOTH))
    assert messages == [str(whole.value)]
    assert "line 10, dialogue d9" in messages[0]
