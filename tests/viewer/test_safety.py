"""Nobody from elsewhere is answered, nothing outside the folder is read, and what is broken does not spread."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from dialmeter.errors import DialmeterError
from dialmeter.viewer.folder import RunFolder

from .asking import ask
from .made import served

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'self'"
)
PAGES = [
    "/", "/run/hostile", "/rows/jury", "/row/0/noisy", "/compare?run=jury&run=jury2", "/nothing", "/assets/viewer.js",
]  # fmt: skip


@pytest.mark.parametrize("path", PAGES)
def test_every_answer_has_policy(site: str, path: str) -> None:
    headers = ask(site, path).headers
    assert headers["content-security-policy"] == POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", ""])
def test_only_own_names_are_answered(site: str, host: str) -> None:
    answer = ask(site, "/", Host=host)
    assert answer.status == 421
    assert "keyword" not in answer.text
    assert all(ask(site, "/", Host=own).status == 200 for own in ("localhost:1", "127.0.0.1", "[::1]:9", "LOCALHOST"))


@pytest.mark.parametrize(
    "path",
    [
        "/run/../../etc",
        "/run/..%2f..%2fetc%2fpasswd",
        "/run/%2e%2e/runs/hostile",
        "/run//etc",
        "/rows/trackers/../hostile",
        "/row/0/trackers",
        "/assets/..%2fbase.html",
        "/assets/base.html",
        "/row/999999/hostile",
        "/row/-1/hostile",
        "/compare?run=hostile",
        "/compare?run=hostile&run=jury",
        "/compare?run=jury&run=jury",
        "/pair/99999?run=jury&run=jury2",
    ],
)
def test_absent_not_found(site: str, path: str) -> None:
    answer = ask(site, path)
    assert answer.status == 404
    assert "Traceback" not in answer.text


def test_nothing_can_be_changed(site: str) -> None:
    assert {ask(site, "/run/hostile", method).status for method in ("POST", "PUT", "DELETE")} == {405}


def test_outside_links_not_followed(runs: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    inside = root / "inside"
    shutil.copytree(runs / "hostile", inside)
    (root / "away").symlink_to(runs / "jury")
    (inside / "rows.jsonl").unlink()
    (inside / "rows.jsonl").symlink_to(runs / "hostile" / "rows.jsonl")
    folder = RunFolder(root)
    assert [(entry.key, entry.state) for entry in folder.entries()] == [("inside", "broken")]
    with pytest.raises(DialmeterError, match="links"):
        folder.open("inside")


def test_broken_and_unfinished_runs(site: str) -> None:
    text = ask(site, "/").text
    assert "unfinished" in text
    assert "not finished; the command that began it continues it" in text
    assert "run.json: damaged" in text
    for key in ("broken", "half"):
        assert ask(site, f"/run/{key}").status == 404


def test_damaged_rows(site: str) -> None:
    answer = ask(site, "/run/torn")
    assert answer.status == 200
    assert "damaged" in answer.text
    assert "Signature, reproduce" in answer.text
    assert "cannot be read" in ask(site, "/rows/torn").text
    assert ask(site, "/row/0/torn").status == 404
    assert ask(site, "/").status == 200


def test_token_is_needed_once(runs: Path) -> None:
    with served(runs, token="secret-token", hosts=None) as site:
        assert ask(site, "/").status == 403
        assert ask(site, "/?token=wrong").status == 403
        assert ask(site, "/", Cookie="dialmeter=wrong").status == 403
        welcome = ask(site, "/?token=secret-token")
        assert welcome.status == 303
        assert welcome.headers["location"] == "/"
        cookie = welcome.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "samesite=strict" in cookie.lower()
        inside = ask(site, "/", Cookie=cookie.partition(";")[0], Host="any.example")
        assert inside.status == 200
        assert "secret-token" not in inside.text


def test_nonsense_in_address(site: str) -> None:
    text = ask(site, "/rows/hostile?page=-5&low=nan&high=1e999&by=%00&order=x&unknown=1&slot=").text
    assert "1 dialogues" in text
    assert ask(site, "/rows/hostile?page=99999999999999999999").status == 200
    assert ask(site, "/compare?run=jury&run=jury2&page=%F0%9F%92%A9&show=x&by=x").status == 200
