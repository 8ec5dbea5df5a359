"""A stored score is found again only by the judge that made it: same source, same files, same parameters."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from dialmeter.judges.ask import ScoreStore
from dialmeter.judges.external_judges import CommandJudge
from dialmeter.judges.judge import Item, Judge, identity_of, load_judge
from dialmeter.judges.scorer import score_judge

from .made import Oracle, cases

CLASS = """
class Mine:
    name, higher_is_better, scale, facets = "mine", True, None, None
    def __init__(self, weight="1"):
        self.weight = float(weight)
    def score(self, items):
        return [{sign} self.weight * len(reply) for _, reply in items]
"""
PROGRAM = "import json, sys\nfor line in sys.stdin:\n    print({sign} len(json.loads(line)['reply']))\n"


def imported(path: Path, sign: str, monkeypatch: pytest.MonkeyPatch) -> Judge:
    path.write_text(CLASS.format(sign=sign), "utf-8")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(path.parent)
    sys.modules.pop(path.stem, None)
    importlib.invalidate_caches()
    return load_judge(f"{path.stem}:Mine")[1]


def program(path: Path, sign: str) -> Judge:
    path.write_text(PROGRAM.format(sign=sign), "utf-8")
    return CommandJudge([sys.executable, str(path)], "mine")


@pytest.mark.parametrize("kind", ["class", "program"])
def test_a_changed_judge_is_asked_again(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = cases(("speaker", "repetition"), 6)
    path = tmp_path / f"mine_{kind}.py"
    before, after, again = (
        score_judge(
            made, [imported(path, sign, monkeypatch) if kind == "class" else program(path, sign)], store=tmp_path
        )
        for sign in ("+", "-", "+")
    )
    cells = [each["mine", "speaker"] for each in (before, after, again)]
    assert [cell.value for cell in cells] == [1.0, 0.0, 1.0]
    assert cells[0].signature != cells[1].signature
    assert cells[0].signature == cells[2].signature


def test_a_judge_that_did_not_change_is_not_asked_again(tmp_path: Path) -> None:
    class Counting(Oracle):
        def __init__(self) -> None:
            self.asked = 0

        def score(self, items: Sequence[Item]) -> Sequence[float]:
            self.asked += len(items)
            return super().score(items)

    first, second = Counting(), Counting()
    for judge in (first, second):
        score_judge(cases(("speaker",), 4), [judge], store=tmp_path)
    assert (first.asked, second.asked) == (8, 0)


def factory(bonus: float) -> Judge:
    class Mine(Oracle):
        def score(self, items: Sequence[Item]) -> Sequence[float]:
            return [each + bonus for each in super().score(items)]

    return Mine()


class Weighted(Oracle):
    def __init__(self, weight: object) -> None:
        self._weight = weight


class OtherScale(Weighted):
    sign = 0.5


@pytest.mark.parametrize(
    ("one", "same", "other"),
    [
        (Weighted(1.0), Weighted(1.0), Weighted(2.0)),
        (Weighted({"a", "b"}), Weighted({"b", "a"}), Weighted({"a"})),
        (Weighted([Weighted(1)]), Weighted([Weighted(1)]), Weighted([Weighted(2)])),
        (Weighted(Oracle().score), Weighted(Oracle().score), Weighted(Oracle)),
        (Weighted(1.0), Weighted(1.0), OtherScale(1.0)),
        (factory(1.0), factory(1.0), factory(2.0)),
    ],
)
def test_parameters_are_part_of_the_identity(one: Judge, same: Judge, other: Judge) -> None:
    assert identity_of(one) == identity_of(same) != identity_of(other)


def test_a_file_among_the_parameters(tmp_path: Path) -> None:
    weights = tmp_path / "weights.txt"
    found = []
    for text in ("1", "2"):
        weights.write_text(text, "utf-8")
        commands = ([sys.executable, "-c", "", str(weights)], [sys.executable, "-c", "", f"--weights={weights}"])
        found.append([identity_of(Weighted(str(weights))), *(CommandJudge(each).identity for each in commands)])
    assert all(before != after for before, after in zip(*found, strict=True))
    assert str(tmp_path) not in "".join(map(str, found))


def test_the_store_keeps_the_scores_of_two_versions_apart(tmp_path: Path) -> None:
    store = ScoreStore(tmp_path)
    store.add(identity_of(Weighted(1)), {"a": 0.8})
    assert store.scores(identity_of(Weighted(1))) == {"a": 0.8}
    assert store.scores(identity_of(Weighted(2))) == {}
