"""Rule sets that carry a scorer's name give its figures on random files, as the literal scorers compute them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ..reproduction.test_conformance import CASES, DATA, FILES, SGD, VARIANTS, label, needs_figures, wanted
from . import originals


def read(name: str) -> Any:
    path = DATA / name
    if path.is_dir():
        return [dialogue for part in sorted(path.glob("dialogues_*.json")) for dialogue in json.loads(part.read_text())]
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()] if path.suffix == ".jsonl" else json.loads(text)


def literal(entry: Mapping[str, Any]) -> originals.Figures:
    """The literal scorer on an entry of expected/compat.json."""
    sides = [entry[side] for side in ("gold", "pred") if side in entry]
    sides = sides or [entry[key] for key in ("text_rows", "rows", "file") if key in entry]
    data = [read(side) if isinstance(side, str) else side for side in sides]
    match entry["rules"]:
        case "mwzeval":
            gold, pred = data
            return originals.mwzeval(originals.from_multiwoz22(gold) if isinstance(gold, list) else gold, pred)
        case "dstc10":
            return originals.dstc10(*data)
        case "convlab3":
            return originals.convlab3(*data)
        case "convlab3-t5" if "state_seq" in data[0][0]:
            return originals.convlab3_t5_text(*data)
        case "convlab3-t5":
            return originals.convlab3_t5(*data)
        case "trade":
            return originals.trade(*data, entry["K"])
    is_nested = all(isinstance(turn, dict) for turns in data[0].values() for turn in turns.values())
    return originals.fga_repo(*data) if is_nested else originals.fga_vectors(*data)


@needs_figures
@pytest.mark.parametrize("entry", [each for each in (*FILES, *CASES) if each["rules"] != "sgd"], ids=label)
def test_literal_scorers_give_the_published_figures(entry: dict[str, Any]) -> None:
    found = literal(entry)
    for measure, figure in wanted(entry).items():
        assert found[measure] == (None if figure is None else pytest.approx(figure, abs=1e-9)), measure


@needs_figures
@pytest.mark.parametrize("entry", [each for each in (*FILES, *CASES) if each["rules"] == "sgd"], ids=label)
def test_the_literal_schema_guided_scorer_gives_the_published_figures(entry: dict[str, Any]) -> None:
    if "schema" in entry:
        for name, options in VARIANTS.items():
            found = originals.sgd(entry["schema"], entry["gold"], entry["pred"], **options)
            expected = {SGD_NAMES[key]: figure for key, figure in entry["figures"][name].items()}
            assert found["all", ""] == pytest.approx(expected, abs=1e-9)
        return
    backend = "difflib" if entry["backend"] == "difflib" else "levenshtein"
    schema, gold, pred = read(f"{entry['gold']}/schema.json"), read(entry["gold"]), read(entry["pred"])
    found = originals.sgd(schema, gold, pred, entry["seen_services"], backend=backend, **entry["options"])
    for name, figures in entry["figures"].items():
        kinds = {
            "#ALL_SERVICES": ("all", ""),
            "#SEEN_SERVICES": ("seen", "seen"),
            "#UNSEEN_SERVICES": ("seen", "unseen"),
        }
        part = kinds.get(name) or (("service", name) if ("service", name) in found else ("domain", name))
        expected = {SGD_NAMES[key]: figure for key, figure in figures.items() if key in SGD_NAMES}
        assert found[part] == pytest.approx(expected, abs=1e-9), name


SGD_NAMES = {key: name for name, key in SGD.items()}
