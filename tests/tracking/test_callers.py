"""All ways to score give the same result: groups, single dialogues, several rule sets, two files, and Python calls."""

from __future__ import annotations

import gc
import json
import re
import weakref
from pathlib import Path
from typing import Any

import pytest

from dialmeter.core.run_writer import ShardTask
from dialmeter.errors import NotApplicable
from dialmeter.model import Dialogue
from dialmeter.readers.pairs.vocabulary import Vocabulary
from dialmeter.readers.source import Span
from dialmeter.tracking.align import open_pair, read_pair
from dialmeter.tracking.result import TrackerResult
from dialmeter.tracking.rule_sets.explain_rules import explain
from dialmeter.tracking.rule_sets.rules import change, load, names
from dialmeter.tracking.scorer import TrackerScorer
from dialmeter.tracking.scoring import TrackerSettings, score_file, score_shard

from ..readers.states.layouts import write_native, write_native_apart, write_nested
from ..readers.states.talks import talks
from ..scoring import score_tracker

ASKED = ["JGA", "FGA(lam=0.5)", "GCA"]
MORE = [*ASKED, "FGA(lam=0.5, local=code)", "FGA(lam=0.5, local=vector)", "GCA(deletions=count)", "SlotF1", "JointF1"]


def account(result: TrackerResult) -> Any:
    scores = [(score.measure, score.value, score.n, score.signature) for score in result.scores[: len(ASKED)]]
    return scores, result.counts, result.notices, result.mistakes.turns, result.mistakes.new


def states(dialogues: list[Dialogue], side: str) -> dict[str, list[Any]]:
    return {each.id: [getattr(turn, side) for turn in each.turns] for each in dialogues}


@pytest.mark.parametrize("name", ["dialmeter", "gca-repo", "fga-repo", "mwzeval"])
def test_all_callers_get_same(name: str, tmp_path: Path) -> None:
    # The formats spell slots and alternatives differently.
    alternatives = "any-of" if name == "mwzeval" else None
    rules = change(load(name), names="multiwoz", alternatives=alternatives)
    both, apart = write_native(tmp_path, talks()), write_native_apart(tmp_path, talks())
    nested = write_nested(tmp_path, talks())
    path, pred, gold = str(both.path), str(apart.path), str(apart.gold)
    measures, more = ASKED, MORE
    plain = score_file(path, measures=measures, rules=rules)
    seen: list[str] = []
    others = [
        score_file(path, measures=measures, rules=rules, by=("domain", "slot", "without-domain")),
        score_file(path, measures=measures, rules=rules, on_row=lambda read, compared: seen.append(compared.id)),
        score_file(path, measures=more, rules=rules),
        score_file(pred, gold, measures=measures, rules=rules),
        score_file(pred, gold, measures=more, rules=rules, by=("slot",), on_row=lambda read, compared: None),
        score_file(str(nested.path), measures=measures, rules=rules),
        score_file(path, measures=measures, rules=rules, change=lambda each: each),
        score_tracker(states(talks(), "gold"), states(talks(), "pred"), measures=measures, rules=rules, ci=0),
    ]
    for other in others:
        assert account(other)[0][: len(measures)] == account(plain)[0]
        assert account(other)[1:] == account(plain)[1:]
    assert seen == [each.id for each in talks()]


def test_groups_with_on_row_and_measures(tmp_path: Path) -> None:
    path = str(write_native(tmp_path, talks()).path)
    plain = score_file(path, measures=ASKED, by=("domain", "slot"))
    other = score_file(path, measures=MORE, by=("slot", "without-domain", "domain"), on_row=lambda read, compared: None)
    for group in ("domain", "slot"):
        wanted = [score for score in other.by(group) if score.measure in ASKED]
        assert plain.by(group) == wanted


def test_on_row_sees_counted(tmp_path: Path) -> None:
    seen: list[Any] = []
    path = str(write_native(tmp_path, talks()).path)
    result = score_file(
        path, on_row=lambda read, compared: seen.append((read, compared.id, [*compared.tracked(read).turns]))
    )
    turns = [turn for _, _, compared in seen for turn in compared]
    assert sum(turn.exact for turn in turns) == result.counts["exact_turns"]
    assert len(turns) == result.counts["turns"]
    assert [read.id for read, *_ in seen] == [name for _, name, _ in seen] == [each.id for each in talks()]
    assert [turn.user for read, *_ in seen for turn in read.turns] == [
        turn.user for each in talks() for turn in each.turns
    ]


def test_rule_sets_side_by_side(tmp_path: Path) -> None:
    path = str(write_native(tmp_path, talks()).path)
    words = Vocabulary()
    found = explain(read_pair(*open_pair(path, None, None), words), words)
    assert [each.rules for each in found] == list(names())
    assert {each.rules for each in found if each.reason} == {"convlab3", "dstc10", "sgd"}
    for each in found:
        if each.reason:
            with pytest.raises(NotApplicable, match=re.escape(each.reason)):
                score_file(path, measures=[load(each.rules).headline], rules=each.rules)
            continue
        alone = score_file(path, measures=[load(each.rules).headline], rules=each.rules)
        assert (each.value, each.signature) == (alone.value, alone.signature)


def test_shared_vocabulary() -> None:
    words = Vocabulary()
    scorers = [TrackerScorer(rules=rules, vocabulary=words) for rules in ("dialmeter", "trade", "dialmeter")]
    for each in talks():
        for scorer in scorers:
            scorer.add("x" + each.id, *([getattr(turn, side) for turn in each.turns] for side in ("gold", "pred")))
    first, other, third = (scorer.result() for scorer in scorers)
    assert account(first) == account(third)
    assert first.signature != other.signature


def test_tallies_of_span(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    turn = {"turn": 0, "gold": {"a-b": "x", "c-d": "y"}, "pred": {"a-b": "x"}}
    path.write_text("".join(json.dumps({"dialogue_id": f"d{n}", "turns": [turn]}) + "\n" for n in range(50)))
    gc.collect()
    gc.disable()
    try:
        part = score_shard(ShardTask(Span(str(path)), 0, TrackerSettings(load("dialmeter"))))
        book = weakref.ref(part.measure_columns.main)
        assert len(part.measure_columns.main.dialogues) == 50
        del part
        assert book() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("fails", [False, True])
def test_garbage_collector_restored(fails: bool, tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text(
        '{"dialogue_id":"d","turns":[{"turn":0,"gold":{"a-b":"c"},"pred":' + ("7" if fails else "{}") + "}]}\n"
    )
    for enabled in (True, False):
        (gc.enable if enabled else gc.disable)()
        try:
            if fails:
                with pytest.raises(Exception, match="a state must be an object"):
                    score_file(str(path))
            else:
                score_file(str(path))
            assert gc.isenabled() is enabled
        finally:
            gc.enable()
