"""The Python calls whose results are kept: tracker results, ``TrackerScorer``, ``read``, runs, measures, rules."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import dialmeter
from dialmeter.core.comparability import difference as signature_difference
from dialmeter.measure import parse as parse_measure
from dialmeter.tracking.scorer import TrackerScorer

from ..scoring import score_tracker
from .execution import Case, Outcome, normalise, stand_in

FEW = ["JGA", "FGA(lam=0.5)", "GCA", "SlotF1"]
GOLD: dict[str, Any] = {
    "d1": [
        {"hotel-area": "east"},
        {"hotel-area": "east", "taxi-to": ["a-b", "a b"]},
        {"taxi-to": "a-b", "hotel-stars": 4},
    ],
    "d2": [{}, {"train-leaveAt": "dontcare"}],
}
PRED: dict[str, Any] = {
    "d1": [{"hotel-area": "East"}, {"hotel-area": "west", "taxi-to": "a b"}, {"taxi-to": "a-b", "hotel-stars": "4"}],
    "d2": [{"pub-name": "none"}, {"train-leaveat": "do not care"}],
}


def as_json(value: Any) -> str:
    """Anything as text, one item per line."""
    return json.dumps(value, indent=1, ensure_ascii=False, default=repr) + "\n"


def show_scores(scores: Iterable[Any]) -> list[str]:
    """Scores in one line each."""
    return [
        f"{score.measure} {score.value!r} {score.ci!r} n={score.n} unscored={score.unscored} {score.group} {score.signature}"
        for score in scores
    ]


def show_result(result: Any, *groups: str) -> str:
    """All that a result says."""
    return as_json(
        {
            "value": result.value,
            "scores": show_scores(result.scores),
            "signature": result.signature,
            "counts": result.counts,
            "worst": [re.sub(r"^\w+", "", repr(each)) for each in result.worst(3)],
            "dicts": result.to_dicts(),
            **{group: show_scores(result.by(group)) for group in groups},
        }
    )


def show_dialogues(dialogues: Iterable[Any]) -> str:
    """Dialogues turn by turn."""
    return "".join(
        f"{found.id} {turn.number} {dict(turn.gold) if turn.gold is not None else None!r} "
        f"{dict(turn.pred) if turn.pred is not None else None!r} {turn.user!r} {turn.system!r}\n"
        for found in dialogues
        for turn in found.turns
    )


def score_by_turns(**options: Any) -> str:
    """A scorer that is fed dialogue by dialogue."""
    scorer = TrackerScorer(FEW, **options)
    for name, states in GOLD.items():
        scorer.add(name, states, PRED[name])
    return show_result(scorer.result())


def _pair(words: str) -> tuple[str, str | None]:
    pred, _, gold = words.partition(" --gold ")
    return gold or pred, pred if gold else None


FILES = {
    "native": "native.jsonl", "llm": "llm.jsonl", "nested": "nested.json", "fga-text": "fga.txt", "trade": "trade.json",
    "trade-domains": "trade_domains.json", "som-dst": "som.json", "trippy": "trippy.json", "vectors": "vectors.json",
    "sgd": "sgd/pred", "sgd-one-file": "sgd/pred/dialogues_001.json", "mwzeval": "mwzeval.json", "convlab3": "convlab3.json",
    "t5-text": "t5.jsonl", "dstc10": "dstc10_pred.json", "multiwoz": "pred.jsonl", "multiwoz-dials": "pred.jsonl",
}  # fmt: skip
"""Format → a file of it."""

CALLS: dict[str, Callable[[], str]] = {
    "score-mappings": lambda: show_result(score_tracker(GOLD, PRED, measures=FEW)),
    "score-mappings-default": lambda: show_result(score_tracker(GOLD, PRED)),
    "score-mappings-trade": lambda: show_result(score_tracker(GOLD, PRED, measures=["JGA"], rules="trade")),
    "score-mappings-by": lambda: show_result(
        score_tracker(GOLD, PRED, measures=["JGA"], by=["domain", "slot"]), "domain", "slot", "turn"
    ),
    "score-lists": lambda: show_result(
        score_tracker(list(GOLD.values()), list(PRED.values()), measures=FEW)
    ),
    "score-bad-measure": lambda: show_result(score_tracker(GOLD, PRED, measures=["JGAA"])),
    "score-bad-rules": lambda: show_result(score_tracker(GOLD, PRED, rules="trad")),
    "score-files": lambda: show_result(score_tracker("gold.jsonl", "pred.jsonl", measures=FEW)),
    "score-paths": lambda: show_result(score_tracker(Path("data.json"), Path("mwzeval.json"), measures=["JGA"])),
    "score-nowhere": lambda: show_result(score_tracker("gold.jsonl", "nowhere.jsonl")),
    "scorer": score_by_turns,
    "scorer-rules": lambda: score_by_turns(rules="fga-repo"),
    "scorer-empty": lambda: show_result(TrackerScorer(FEW).result()),
    "measure": lambda: as_json([repr(parse_measure(text)) for text in ("JGA", "FGA(lam=1.0)", "GCA( alpha = 0.5 )")]),
    "lam-for": lambda: as_json([dialmeter.lam_for(0.95, turns) for turns in (1, 2, 5)]),
    "signature-difference": lambda: as_json(
        signature_difference("JGA|rules:a|d:1|v:0.1.0", "JGA|rules:b|d:2|v:0.2.0")
    ),
    "api-score": lambda: f"{dialmeter.score('gold.jsonl', 'pred.jsonl')}\n",
    "api-compare": lambda: f"{dialmeter.compare({'a': 'native.jsonl', 'b': 'worse.jsonl'}, measures='JGA')}\n",
    "api-find": lambda: "".join(f"{each}\n" for each in dialmeter.find("native.jsonl", "outcome=wrong")),
    "api-judge": lambda: f"{dialmeter.score('ratings.jsonl', judges=['distinct', 'mine'])}\n",
    "api-system": lambda: f"{dialmeter.score('logs/tau.json')}\n",
    "names": lambda: as_json(sorted(dialmeter.__all__)),
    **{
        f"read-{name}": lambda file=file: show_dialogues(dialmeter.read(f"few_dialogues/{file}"))  # type: ignore[misc]
        for name, file in FILES.items()
    },
    "read-gold": lambda: show_dialogues(dialmeter.read("few_dialogues/data.json")),
    "read-tracker": lambda: show_dialogues(dialmeter.read("agenda.jsonl#keyword"))[:3000],
    "read-cut": lambda: show_dialogues(dialmeter.read("bad/native-cut.jsonl")),
    "read-from": lambda: show_dialogues(dialmeter.read("bad/list.json")),
}  # fmt: skip


def call_all(folder: Path) -> list[tuple[Case, Outcome]]:
    """Makes every call in a folder; an error is kept by its kind and message."""
    found = []
    for name, function in CALLS.items():
        with stand_in(folder):
            try:
                outcome = Outcome(0, {"result": function()})
            except Exception as error:
                outcome = Outcome(2, {"error": f"{type(error).__name__}: {error}\n"})
        texts = {place: normalise(text, folder) for place, text in outcome.texts.items()}
        found.append((Case(name, "python"), Outcome(outcome.code, texts)))
    return found
