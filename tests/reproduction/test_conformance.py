"""Rule sets that carry a scorer's name give its figures: all of expected/compat.json, files and one-rule cases.

The page docs/which-jga.md has the table of what was compared; a test here makes it and holds the page to it.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from dialmeter.measure import parse
from dialmeter.tracking.result import TrackerResult
from dialmeter.tracking.rule_sets.rules import Rules, change, named
from dialmeter.tracking.scoring import score_file

ROOT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("DIALMETER_SHARED", ROOT.parent / "shared"))
EXPECTED_FILE = SHARED / "expected" / "compat.json"
DATA = SHARED / "data" / "compat"
EXPECTED: dict[str, Any] = json.loads(EXPECTED_FILE.read_text()) if EXPECTED_FILE.exists() else {}
FILES: list[dict[str, Any]] = EXPECTED.get("files", [])
CASES: list[dict[str, Any]] = EXPECTED.get("cases", [])

needs_figures = pytest.mark.skipif(
    not EXPECTED, reason=f"figures of the original scorers are not here: {EXPECTED_FILE} (set DIALMETER_SHARED)"
)

Figures = Mapping[str, Any]

SLOTS = {"SlotPrecision": "slot_precision", "SlotRecall": "slot_recall"}
DSTC10 = {
    "ValuePrecision": ("value_prediction", "prec"),
    "ValueRecall": ("value_prediction", "rec"),
    "ValueF1": ("value_prediction", "f1"),
    "NonePrecision": ("none_prediction", "prec"),
    "NoneRecall": ("none_prediction", "rec"),
    "NoneF1": ("none_prediction", "f1"),
}
SGD = {
    "JointGoalAccuracy": "joint_goal_accuracy",
    "JointCatAccuracy": "joint_cat_accuracy",
    "JointNoncatAccuracy": "joint_noncat_accuracy",
    "AverageGoalAccuracy": "average_goal_accuracy",
    "AverageCatAccuracy": "average_cat_accuracy",
    "AverageNoncatAccuracy": "average_noncat_accuracy",
    "IntentAccuracy": "active_intent_accuracy",
    "RequestedSlotF1": "requested_slots_f1",
    "RequestedSlotPrecision": "requested_slots_precision",
    "RequestedSlotRecall": "requested_slots_recall",
}
VARIANTS = {"current": {}, "before 2022-12": {"exact_case": True}, "use_fuzzy_match off": {"fuzzy": False}}
LAYOUTS = {"fga-repo": "nested", "convlab3-t5": "convlab3"}


def wanted(entry: Mapping[str, Any]) -> dict[str, float | None]:
    """The original's figures as fractions, by the measure that corresponds to each."""
    figures = entry["figures"]
    if isinstance(figures, str):  # the original stops
        return {"AGA": None}
    make: dict[str, Callable[[Figures], dict[str, float | None]]] = {
        "mwzeval": lambda f: {
            "JGA": f["joint_accuracy"] / 100,
            "SlotF1": f["slot_f1"] / 100,
            **{name: f[key] for name, key in SLOTS.items()},
        },
        "convlab3": lambda f: {"JGA": f["accuracy"], "SlotF1": f["slot_f1"], **{n: f[key] for n, key in SLOTS.items()}},
        "dstc10": lambda f: {
            "JGA": f["joint_goal_accuracy"],
            "SA": f["slot"]["accuracy"],
            **{name: f["slot"][part][key] for name, (part, key) in DSTC10.items()},
        },
        "trade": lambda f: {"JGA": f["Joint Acc"], f"SA(slots={entry['K']})": f["Turn Acc"], "JointF1": f["Joint F1"]},
        "fga-repo": lambda f: {
            "JGA": f["Joint Acc"] / 100,
            "SA": f["Slot Acc"] / 100,
            **({"AGA": f["Avg. Goal Acc"] / 100} if "Avg. Goal Acc" in f else {}),
            **{f"FGA(lam={lam:g})": f[f"FGA {lam}"] / 100 for lam in (0.25, 0.5, 0.75, 1.0)},
            "LocalAccuracy": f["turn_match"] / f["total"],
        },
    }
    make["convlab3-t5"] = lambda f: {**make["convlab3"](f), "SequenceMatch": f["seq_em"]}
    return make[entry["rules"]](figures)


def check(found: TrackerResult, figures: Mapping[str, float | None]) -> None:
    for measure, figure in figures.items():
        value = found[repr(parse(measure))].value
        assert value == (None if figure is None else pytest.approx(figure, abs=1e-9)), measure


def label(entry: Mapping[str, Any]) -> str:
    name = entry.get("name") or entry.get("file") or f"{entry['gold']} {entry['pred']}"
    return f"{entry['rules']}: {name} {entry.get('options') or ''}{entry.get('K', '')} {entry.get('backend', '')}"


@needs_figures
@pytest.mark.parametrize("entry", [each for each in FILES if each["rules"] != "sgd"], ids=label)
def test_files(entry: dict[str, Any]) -> None:
    figures = wanted(entry)
    golds = [entry[key] for key in ("gold", "gold_as_multiwoz22") if key in entry]
    for gold in golds or [None]:
        path = DATA / entry.get("file", entry.get("pred", ""))
        check(score_file(str(path), gold and str(DATA / gold), measures=list(figures), rules=entry["rules"]), figures)


@needs_figures
@pytest.mark.parametrize("entry", [each for each in CASES if each["rules"] != "sgd"], ids=label)
def test_cases(entry: dict[str, Any], tmp_path: Path) -> None:
    figures = wanted(entry)
    format = LAYOUTS.get(entry["rules"], entry["rules"])
    if "text_rows" in entry:
        pred, gold, format = _lines(tmp_path / "rows.jsonl", entry["text_rows"]), None, "t5-text"
    elif "gold" in entry:
        pred, gold = (_json(tmp_path / f"{side}.json", entry[side]) for side in ("pred", "gold"))
    else:
        pred, gold = _json(tmp_path / "both.json", entry["rows"] if "rows" in entry else entry["file"]), None
    forms = {"format": format, "gold_format": format if gold else None}
    check(score_file(pred, gold, measures=list(figures), rules=entry["rules"], **forms), figures)


def _json(path: Path, content: Any) -> str:
    path.write_text(json.dumps(content), "utf-8")
    return str(path)


def _lines(path: Path, rows: list[Any]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(path)


@needs_figures
@pytest.mark.parametrize("entry", [each for each in FILES if each["rules"] == "sgd"], ids=label)
def test_schema_guided_files_and_their_slices(entry: dict[str, Any], tmp_path: Path) -> None:
    backend = "difflib" if entry["backend"] == "difflib" else "levenshtein"
    rules = change(named("sgd"), backend=backend)
    names = _sgd_measures(entry["options"])
    seen = [{"service_name": service, "slots": []} for service in entry["seen_services"]]
    found = score_file(
        str(DATA / entry["pred"]),
        str(DATA / entry["gold"]),
        measures=list(names),
        rules=rules,
        by=["domain"],
        train_schema=_json(tmp_path / "train.json", seen) if seen else None,
    )
    slices: dict[str, dict[str, float | None]] = {"#ALL_SERVICES": {}}
    for score in found.scores:
        slices["#ALL_SERVICES"][names[score.measure]] = score.value
    for kind in ("service", "domain", "seen"):
        for score in found.by(kind):
            name = str(score.group[kind])
            name = f"#{name.upper()}_SERVICES" if kind == "seen" else name
            slices.setdefault(name, {})[names[score.measure]] = score.value
    for name, figures in entry["figures"].items():
        assert slices[name] == {
            key: pytest.approx(figures[key], abs=1e-9) if key in figures else None for key in SGD.values()
        }, name


@needs_figures
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("entry", [each for each in CASES if each["rules"] == "sgd"], ids=label)
def test_schema_guided_cases(entry: dict[str, Any], variant: str, tmp_path: Path) -> None:
    for side in ("gold", "pred"):
        (tmp_path / side).mkdir()
        _json(tmp_path / side / "dialogues_001.json", entry[side])
        _json(tmp_path / side / "schema.json", entry["schema"])
    names = _sgd_measures(VARIANTS[variant])
    found = score_file(str(tmp_path / "pred"), str(tmp_path / "gold"), measures=list(names), rules="sgd")
    figures = entry["figures"][variant]
    assert {names[score.measure]: score.value for score in found.scores} == {
        key: pytest.approx(figures[key], abs=1e-9) if key in figures else None for key in SGD.values()
    }


def _sgd_measures(options: Mapping[str, bool]) -> dict[str, str]:
    """The measures with parameters for the options of the original, and what the original calls them."""
    found = {}
    for name, key in SGD.items():
        given = {
            "exact=true": options.get("fuzzy") is False and name.startswith(("Joint", "Average")),
            "case=exact": options.get("exact_case") and name.startswith(("Joint", "Average", "Intent")),
            "across_turn=true": options.get("across") and name.startswith("Joint"),
        }
        chosen = ", ".join(text for text, is_given in given.items() if is_given)
        found[repr(parse(f"{name}({chosen})" if chosen else name))] = key
    return found


def table() -> str:
    """What was compared, by rule set."""
    counts: dict[str, Counter[str]] = {}
    for entry in (*FILES, *CASES):
        mine = counts.setdefault(entry["rules"], Counter())
        mine["files" if entry in FILES else "cases"] += 1
        mine["figures"] += _count(entry)
    lines = ["| rule set | original | files | one-rule cases | figures, all equal |", "|---|---|---|---|---|"]
    for name, found in counts.items():
        original = EXPECTED["originals"][name].replace("|", "\\|")
        lines.append(f"| `{name}` | {original} | {found['files']} | {found['cases']} | {found['figures']} |")
    return "\n".join(lines) + "\n"


def _count(entry: Mapping[str, Any]) -> int:
    if entry["rules"] != "sgd":
        return sum(figure is not None for figure in wanted(entry).values())
    return sum(len(figures) for figures in entry["figures"].values())


@needs_figures
def test_page_has_table() -> None:
    page = (ROOT / "docs" / "which-jga.md").read_text("utf-8")
    assert table() in page


@needs_figures
def test_compared_amounts_of_rule_sets() -> None:
    for line in table().splitlines()[2:]:
        name, _, files, cases, figures = (cell.strip(" `") for cell in line.strip("|").split("|"))
        assert f"{figures} figures on {files} files and {cases} cases" in named(name).evidence, name


def test_faults_of_original_named() -> None:
    for name in ("mwzeval", "convlab3", "convlab3-t5", "dstc10", "sgd", "trade", "fga-repo"):
        rules: Rules = named(name)
        assert rules.faults, name
