"""Requests as a program makes them, which a browser would not."""

from __future__ import annotations

import http.client
from typing import NamedTuple
from urllib.parse import urlsplit


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    text: str


def ask(site: str, path: str, method: str = "GET", **headers: str) -> Answer:
    """Sends the path as it is, without tidying it up."""
    place = urlsplit(site)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=60)
    try:
        connection.request(method, path, headers={name.replace("_", "-"): text for name, text in headers.items()})
        answer = connection.getresponse()
        body = answer.read().decode()
        return Answer(answer.status, {name.lower(): text for name, text in answer.getheaders()}, body)
    finally:
        connection.close()
