"""Any split of a file into spans reads every line exactly once."""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialmeter.errors import InputError
from dialmeter.readers.corpus import Corpus
from dialmeter.readers.source import Source, Span, spans
from dialmeter.readers.validation import Role

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
