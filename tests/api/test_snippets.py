"""What one types without having read anything: every snippet works, or one line says what to write instead."""

from __future__ import annotations

import ast
import json
import pickle
import re
from typing import Any

import pytest

import dialmeter
from dialmeter import DialmeterError

from ..shared_data import shared

# Some snippets leave files open.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
FLAT = 0.6
WORKS: dict[int, Any] = {
    0: lambda r: (r.jga, r.slot_f1) == (0.6, pytest.approx(0.823529, abs=1e-6)) and "JGA 60.00" in repr(r),
    1: lambda r: r == FLAT,
    3: lambda r: r == FLAT,
    5: lambda r: r == FLAT,
    6: lambda r: r.jga == FLAT,
    7: lambda r: r == 1,
    9: lambda r: r.jga == pytest.approx(2 / 3),
    10: lambda r: r.to_dict() == {"a": pytest.approx(2 / 3), "b": 0.5},
    11: lambda r: r.jga == pytest.approx(2 / 3),
    12: lambda r: r == 0.75,
    13: lambda r: r.jga == pytest.approx(2 / 3),
    14: lambda r: list(r.values()) == [1, 0.5, 1],
    17: lambda r: r == pytest.approx(0.678694, abs=1e-6),
    21: lambda r: r[0] <= FLAT <= r[1],
    22: lambda r: r is True,
    24: lambda r: (
        [(*each,) for each in r[["dialogue", "turn", "slot", "outcome"]].to_numpy()]
        == [("a", 1, "hotel-stars", "missed"), ("b", 1, "taxi-destination", "wrong")]
    ),
    27: lambda r: type(r).__name__ == "Figure",
    28: lambda r: r.set_index("measure").loc["JGA", "value"] == FLAT,
    30: lambda r: json.loads(r)["JGA"] == FLAT,
    32: lambda r: r == {"jga": 0.75} and type(r["jga"]) is float,
}
"""Position of a snippet → check of its result. Snippet 29 prints a table."""
HINTS = {
    4: "dialmeter has no 'load'; use dm.score(gold, pred, measures='JGA')",
    8: "there are no turns",
    15: "no_such_file.json: no such file",
    16: "score() has no metrics=; use measures=['JGA', 'SlotF1']",
    18: "score() has no metric=; use measures='JGA'",
    19: "average is 'turn' (every turn counts the same) or 'dialogue'",
    20: "compare() has no metrics=; use measures=['JGA', 'SlotF1']",
    23: "a result has no 'by_domain'; use .by('domain')",
    25: "dialmeter has no 'report'; use print(dm.score(gold, pred))",
    26: "a result has no 'per_turn'; use .rows()",
    31: "for batches use dm.Scorer('tracker', measures='JGA')",
    33: "dialmeter has no 'judge'; use dm.score(",
    34: "dialmeter has no 'agreement'; use dm.score(RATINGS",
    35: "dialmeter has no 'judge'; use dm.score(",
    36: "dialmeter has no 'agent'; use dm.score(df, subject='system', measures=['Success', 'Pass(k=2)'])",
    37: "dialmeter has no 'success_rate'; use dm.score(df, subject='system').by('task')",
    38: "dialmeter has no 'user'; use dm.score(",
    39: "dialmeter has no 'list_metrics'; use `dialmeter list measures`",
}
"""Position of a snippet → part of its one line of advice."""


def snippets() -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = json.loads(shared("expected", "natural_snippets.json").read_text("utf-8"))
    return loaded


def outcome(position: int) -> Any:
    """Run a snippet and return the value of its last line."""
    snippet = snippets()[position]
    names: dict[str, Any] = {}
    exec(snippet["given"], names)
    tree = ast.parse(snippet["snippet"])
    last = tree.body[-1]
    if isinstance(last, ast.Expr):
        tree.body[-1] = ast.Assign([ast.Name("outcome", ast.Store())], last.value)
        ast.fix_missing_locations(tree)
    exec(compile(tree, "snippet", "exec"), names)
    return names.get("outcome")


@pytest.mark.parametrize("position", WORKS)
def test_works(position: int) -> None:
    assert WORKS[position](outcome(position))


def test_latex_with_the_best_value_in_bold(capsys: pytest.CaptureFixture[str]) -> None:
    outcome(29)
    printed = capsys.readouterr().out
    assert r"\begin{tabular}" in printed
    assert r"\textbf{80.00}" in printed


@pytest.mark.parametrize("position", HINTS)
def test_one_line_of_advice(position: int) -> None:
    with pytest.raises((DialmeterError, AttributeError), match=f"^[^\\n]*{re.escape(HINTS[position])}[^\\n]*$"):
        outcome(position)


def test_import_of_another_library() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'dialmeter\.metrics'"):
        outcome(2)


def test_table_is_complete() -> None:
    assert sorted([*WORKS, *HINTS, 2, 29]) == list(range(len(snippets())))
    assert len(WORKS) + len(HINTS) >= 32


STATES = {"d1": [{"hotel-area": "north"}, {"hotel-area": "north", "hotel-stars": "4"}]}
LESS = {"d1": [{"hotel-area": "north"}, {"hotel-area": "north"}]}
TURNS = [{"gold": gold, "pred": pred} for gold, pred in zip(STATES["d1"], LESS["d1"], strict=True)]
ADVICE = {
    "dm.score(a, b)['jga'].interval": "a score has no 'interval'; use .ci",
    "dm.score(a, b).summary()": "a result has no 'summary'; use .to_dicts(), or print(result)",
    "dm.score(a, b).by('dialogue')": "scores of dialogues are in .worst(n)",
    "dm.score(a, b) < dm.score(a, a)": "compare one score: a['JGA'] < b",
    "dm.score('hotel-area=north', 'hotel-area=south')": "a text is given, 'hotel-area=south'; give a list",
    "dm.score([1.0, 0.0])": "numbers are given, not states; rewards of agents: dm.score([{'task': 'a', 'reward': 1}",
    "dm.score([{'human': 4, 'gpt': 5}])": "for ratings name them: columns={'rating': 'human', 'score': 'gpt'}",
    "dm.score(preds=b, golds=a)": "score() has no preds=; use pred=",
    "dm.compare({'x': a, 'y': b}, gold=a)['JGA']": "there is no system 'JGA'; write comparison['y']['JGA']",
    "dm.find(dm.score(a, b), 'JGA<0.5')": "if each.value < 0.5]",
    "dm.score(a, b, measures='JGA[hotel]')": "'JGA[hotel]' is not a measure; write JGA and .by('domain')",
    "dm.score(a, b, ['jga', 'slot_f1'])": "give measures by name: dm.score(gold, pred, measures=['jga', 'slot_f1'])",
    "dm.Scorer('user').add([{'role': 'user', 'content': 'hi'}])": "add one conversation of dm.read",
    "dm.score([{'role': 'user', 'content': 'hi'}])": "a conversation has no states",
    "dm.score(a, b, measures='pass@2', subject='system')": "write 'pass@2' as 'AnyPass(k=2)'",
}
"""What people write → part of the one line of advice."""


@pytest.mark.parametrize("code", ADVICE)
def test_advice(code: str) -> None:
    with pytest.raises((DialmeterError, AttributeError, TypeError), match=re.escape(ADVICE[code])):
        eval(code, {"dm": dialmeter, "a": STATES, "b": LESS})


WORKING = {
    "dm.score({'gold': a, 'pred': b}).jga": 0.5,
    "dm.score(a, b).scores['jga']": 0.5,
    "max(dm.score(a, b, measures=dm.jga).values())": 0.5,
    "pickle.loads(pickle.dumps(dm.score(a, b))).jga": 0.5,
    "dm.compare({'x': b, 'y': a}, a)['y'].jga": 1,
    "len({row['dialogue'] for row in dm.score([{'id': 'x', 'turns': turns}]).rows()})": 1,
    "len(dm.find(dm.score(a, b), slot='hotel-stars', outcome='missed'))": 1,
    "dm.score([{'task': 'a', 'is_correct': 1}, {'task': 'a', 'is_correct': 0}])['Success']": 0.5,
}


@pytest.mark.parametrize("code", WORKING)
def test_guessed(code: str) -> None:
    assert eval(code, {"dm": dialmeter, "a": STATES, "b": LESS, "turns": TURNS, "pickle": pickle}) == WORKING[code]
