"""Small guarantees that users rely on."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialmeter import DialmeterError, InputError
from dialmeter.measure import parse as parse_measure
from dialmeter.tracking.resolve_measures import resolve
from dialmeter.tracking.rule_sets.rules import load
from dialmeter.tracking.scorer import TrackerScorer

from .scoring import score_tracker

RULES = Path(__file__).parents[1] / "src" / "dialmeter" / "tracking" / "rule_sets" / "rulesets" / "trade.toml"


def test_explicit_default_over_rule_set() -> None:
    [by_rules, by_name], _ = resolve(["FGA(lam=1)", "FGA(lam=1, local=paper)"], load("fga-repo"))
    assert (by_rules.text, by_rules.used.local) == ("FGA(lam=1)", "code")  # type: ignore[attr-defined]
    assert (by_name.text, by_name.used.local) == ("FGA(lam=1, local=paper)", "paper")  # type: ignore[attr-defined]


@pytest.mark.parametrize("text", ["FGA(lam=0.1234567)", "FGA(lam=0.1234568)", "SA(slots=1234567)", "FGA(lam=inf)"])
def test_measure_printed(text: str) -> None:
    assert repr(parse_measure(text)) == text
    assert parse_measure(repr(parse_measure(text))) == parse_measure(text)


def test_unknown_setting(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(RULES.read_text("utf-8").replace("slots = 30", "slot = 30"), "utf-8")
    with pytest.raises(DialmeterError, match=r"rules mine: SA has no parameter 'slot'; did you mean slots\?"):
        TrackerScorer(["JGA"], str(path))


def test_rules_path_and_numeric_ids() -> None:
    assert score_tracker({1: [{"a-b": "x"}]}, {1: [{"a-b": "x"}]}, ["JGA"], RULES).value == 1  # type: ignore[dict-item]


def test_duplicate_dialogue() -> None:
    scorer = TrackerScorer(["JGA"])
    scorer.add("d", [{}], [{}])
    with pytest.raises(InputError, match="duplicate"):
        scorer.add("D.json", [{}], [{}])


def test_confidence_in_percent() -> None:
    with pytest.raises(DialmeterError, match="between 0 and 1"):
        score_tracker({"d": [{}]}, {"d": [{}]}, ci=95)


@pytest.mark.parametrize("key", ["gold", "pred", "turns"])
def test_duplicate_key_in_line(tmp_path: Path, key: str) -> None:
    turn = '{"turn": 0, "gold": {}, "pred": {}}'
    line = f'{{"dialogue_id": "d", "turns": [{turn}]}}'
    doubled = line.replace(f'"{key}": ', f'"{key}": [], "{key}": ' if key == "turns" else f'"{key}": {{}}, "{key}": ')
    path = tmp_path / "doubled.jsonl"
    other = line.replace('"d"', '"c"')
    path.write_text(f"{other}\n{doubled}\n")
    with pytest.raises(InputError, match=f"duplicate key '{key}'"):
        score_tracker(path, measures=["JGA"])


def test_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "marked.jsonl"
    line = b'{"dialogue_id": "%d", "turns": [{"turn": 0, "gold": {"a-b": "x"}, "pred": {"a-b": "x"}}]}\n'
    path.write_bytes(b"\xef\xbb\xbf" + line % 1 + line % 2)
    assert score_tracker(path, measures=["JGA"]).dialogues == 2


def test_quoted_python_path() -> None:
    """The repository may be in a folder whose name has blanks."""
    unquoted = "{sys." + "executable}"
    assert [path for path in sorted(Path(__file__).parent.rglob("*.py")) if unquoted in path.read_text("utf-8")] == []
