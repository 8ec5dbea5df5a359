"""Requests in a file that somebody else sends, and files with their answers: the batch format of OpenAI, which vLLM takes too."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Raw, Struct

from ..errors import InputError, Unfinished, one_line, reading, writing
from ..model import Notice
from ..readers.source import Source
from ..readers.strict_json import REFUSALS
from .output import write_file

_REQUESTS = re.compile(r"requests(?:-\d+)?\.jsonl")
_GIVEN = re.compile(r", *batch=[^,)]*|\(batch=[^,)]*\)|(?<=\()batch=[^,)]*, *")
_OK = 200


class Waiting(Unfinished):
    """A request waits for its answer, in a file that somebody else sends."""


class _Response(Struct):
    status_code: int = 0
    body: Raw = Raw(b"null")


class _Line(Struct):
    """A line of requests or of answers."""

    custom_id: str
    response: _Response | None = None
    error: Any = None


class _Body(Struct):
    choices: Raw


class _Answer(Struct, frozen=True):
    status: int
    content: bytes
    place: str


_LINE = msgspec.json.Decoder(_Line)


class Batch:
    """A folder with files of requests: ``requests.jsonl``, ``requests-2.jsonl`` and so on. All its other files have answers.

    ``custom_id`` is the digest of a request. Answers are found by it, so neither the order nor the names of files matter.

    Args:
        folder: the folder; it is created with its first file of requests.
        final: the status codes of errors that the same request always gets. With other errors, it is sent again.

    Raises:
        InputError: the folder is a file.

    Example:
        >>> import tempfile
        >>> batch = Batch(tempfile.mkdtemp())
        >>> try:
        ...     batch.post({"model": "small", "messages": []})
        ... except Waiting as error:
        ...     print(error)
        the request waits for its answer
        >>> batch.send()[:5], [path.name for path in Path(batch.folder).iterdir()]
        ('send ', ['requests.jsonl'])
    """

    def __init__(self, folder: str, final: Container[int] = ()) -> None:
        if Path(folder).exists() and not Path(folder).is_dir():
            raise InputError("batch= names a folder, and this is a file", file=folder)
        self.folder, self._final = folder, final
        self._waiting: dict[str, bytes] = {}
        self._asked: set[str] = set()
        self._damaged: list[str] = []
        self._twice: list[str] = []

    def post(self, body: Mapping[str, Any]) -> tuple[int, bytes]:
        """Return the status and the content of the answer to a request.

        Raises:
            Waiting: there is no answer. The request is in the next file of requests.
            InputError: two answers to a request differ, or a file cannot be read.
        """
        text = msgspec.json.encode(body)
        key = hashlib.sha256(text).hexdigest()
        self._asked.add(key)
        found = self._answers.get(key)
        if found is not None and self._is_final(found):
            return found.status, found.content
        self._waiting[key] = text
        raise Waiting("the request waits for its answer")

    def send(self) -> str:
        """Write the requests that wait, if any, to a new file, and return what to do with it."""
        if not self._waiting:
            return ""
        content = b"".join(
            b'{"custom_id":"%b","method":"POST","url":"/v1/chat/completions","body":%b}\n' % (key.encode(), text)
            for key, text in self._waiting.items()
        )
        files = self._files(requests=True)
        path = next((each for each in files if each.read_bytes() == content), None)
        if path is None:
            path = Path(self.folder, f"requests-{len(files) + 1}.jsonl" if files else "requests.jsonl")
            with writing(path):
                path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, content)
        answered = len(self._asked) - len(self._waiting)
        problems = "".join(f"; {each.message}" for each in self.notices)
        count = f"{len(self._waiting)} requests wait, {answered} are answered{problems}"
        return f"send {path} as a batch, and put its answers into {self.folder} ({count})"

    @property
    def notices(self) -> list[Notice]:
        """Warnings about answers that are not used."""
        # A command may have the scores of requests of an earlier time, and not ask again.
        known = self._asked if self._waiting else self._asked.union(*map(_ids_in, self._files(requests=True)))
        errors = [each for key in self._waiting if (each := self._answers.get(key))]
        found = {
            "errors": [f"{each.place}: {one_line(each.content.decode('utf-8', 'replace'), 200)}" for each in errors],
            "lines that are not answers": self._damaged,
            "second answers to a request": self._twice,
            "answers to other requests": [each.place for key, each in self._answers.items() if key not in known],
        }
        return [
            Notice("batch", len(places), f"{what} in {self.folder}: {len(places)}, such as {places[0]}")
            for what, places in found.items()
            if places
        ]

    def _is_final(self, answer: _Answer) -> bool:
        return answer.status == _OK or answer.status in self._final

    @cached_property
    def _answers(self) -> dict[str, _Answer]:
        """The answers by the digest of their request. An answer replaces an error."""
        answers: dict[str, _Answer] = {}
        for path in self._files(requests=False):
            for number, line in Source(path).lines():
                place = f"{path.name}, line {number}"
                try:
                    read = _LINE.decode(line)
                except REFUSALS as error:
                    self._damaged.append(f"{place}: {one_line(str(error), 100)}")
                    continue
                response = read.response or _Response()
                content = bytes(response.body) if read.error is None else msgspec.json.encode(read.error)
                if content == b"null":
                    self._damaged.append(f"{place}: neither a response nor an error")
                    continue
                answer = _Answer(response.status_code, content, place)
                other = answers.get(read.custom_id)
                if other is None or not self._is_final(other):
                    answers[read.custom_id] = answer
                elif self._is_final(answer):
                    self._add_second(other, answer)
        return answers

    def _add_second(self, first: _Answer, second: _Answer) -> None:
        if _choices(first.content) != _choices(second.content):
            raise InputError(
                f"{first.place} and {second.place} are different answers to the same request; remove one of them",
                file=self.folder,
            )
        self._twice.append(second.place)

    def _files(self, *, requests: bool) -> list[Path]:
        """The files of requests in their order, or the files of answers."""
        with reading(self.folder):
            paths = [each for each in Path(self.folder).glob("[!.]*") if each.is_file()]
        chosen = [each for each in paths if bool(_REQUESTS.fullmatch(each.name)) == requests]
        return sorted(chosen, key=lambda each: (len(each.name), each.name))


def without_batch(text: str) -> str:
    """Remove the folders of batches from the text of a judge. A run must not depend on how its requests were sent.

    Example:
        >>> [without_batch(f"llm({given})") for given in ("rubric=coherence, batch=b", "batch=b,model=m", "batch=b")]
        ['llm(rubric=coherence)', 'llm(model=m)', 'llm']
    """
    return _GIVEN.sub("", text)


def _ids_in(path: Path) -> Iterator[str]:
    """Yield the ids of a file of requests."""
    for _, line in Source(path).lines():
        with suppress(*REFUSALS):
            yield _LINE.decode(line).custom_id


def _choices(content: bytes) -> bytes:
    """Return what an answer says, without its own id and time."""
    try:
        return bytes(msgspec.json.decode(content, type=_Body).choices)
    except REFUSALS:
        return content
