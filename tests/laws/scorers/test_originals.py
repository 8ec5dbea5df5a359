"""Rule sets named after a scorer give the same figures on random files as the literal scorers."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from dialmeter.measure import parse
from dialmeter.tracking.rule_sets.rules import change, named
from dialmeter.tracking.scoring import score_file
from dialmeter.values.originals import Backend

from ...reproduction.test_conformance import (
    CASES,
    DATA,
    FILES,
    SGD,
    VARIANTS,
    _sgd_measures,
    label,
    needs_figures,
    wanted,
)
from . import original_sgd, originals, random_files

SGD_NAMES = {key: name for name, key in SGD.items()}


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
            found = original_sgd.sgd(entry["schema"], entry["gold"], entry["pred"], **options)
            expected = {SGD_NAMES[key]: figure for key, figure in entry["figures"][name].items()}
            assert found["all", ""] == pytest.approx(expected, abs=1e-9)
        return
    backend = "difflib" if entry["backend"] == "difflib" else "levenshtein"
    schema, gold, pred = read(f"{entry['gold']}/schema.json"), read(entry["gold"]), read(entry["pred"])
    found = original_sgd.sgd(schema, gold, pred, entry["seen_services"], backend=backend, **entry["options"])
    for name, figures in entry["figures"].items():
        kinds = {
            "#ALL_SERVICES": ("all", ""),
            "#SEEN_SERVICES": ("seen", "seen"),
            "#UNSEEN_SERVICES": ("seen", "unseen"),
        }
        part = kinds.get(name) or (("service", name) if ("service", name) in found else ("domain", name))
        expected = {SGD_NAMES[key]: figure for key, figure in figures.items() if key in SGD_NAMES}
        assert found[part] == pytest.approx(expected, abs=1e-9), name


def write(path: Path, thing: Any) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(thing), "utf-8")
    return str(path)


def check(
    figures: originals.Figures, rules: str, path: str, gold: str | None = None, format: str | None = None
) -> None:
    """The figures of the literal scorer, and those found in the file."""
    found = score_file(
        path, gold, measures=list(figures), rules=rules, format=format, gold_format=format if gold else None
    )
    for measure, figure in figures.items():
        value = found[repr(parse(measure))].value
        assert value == (None if figure is None else pytest.approx(figure, abs=1e-9)), measure


def mwzeval(random: Random, folder: Path) -> None:
    gold, pred = random_files.mwzeval(random)
    path = write(folder / "pred.json", pred)
    check(originals.mwzeval(gold, pred), "mwzeval", path, write(folder / "gold.json", gold))
    dialogues = random_files.multiwoz22(random, gold)
    write(folder / "test" / "dialogues_001.json", dialogues)
    check(originals.mwzeval(originals.from_multiwoz22(dialogues), pred), "mwzeval", path, str(folder / "test"))


def convlab3(random: Random, folder: Path) -> None:
    rows = random_files.convlab3(random)
    path = write(folder / "rows.json", rows)
    check(originals.convlab3(rows), "convlab3", path)
    check(originals.convlab3_t5(rows), "convlab3-t5", path)


def t5_text(random: Random, folder: Path) -> None:
    rows = random_files.t5_text(random)
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    check(originals.convlab3_t5_text(rows), "convlab3-t5", str(path))


def dstc10(random: Random, folder: Path) -> None:
    gold, pred = random_files.dstc10(random)
    paths = write(folder / "pred.json", pred), write(folder / "gold.json", gold)
    check(originals.dstc10(gold, pred), "dstc10", *paths, "dstc10")


def trade(random: Random, folder: Path) -> None:
    file = random_files.trade(random)
    path = write(folder / "both.json", file)
    for slots in (30, 12):
        check(originals.trade(file, slots), "trade", path, format="trade")


def fga_repo(random: Random, folder: Path) -> None:
    file, ones = random_files.nested(random), random_files.vectors(random)
    check(originals.fga_repo(file), "fga-repo", write(folder / "nested.json", file), format="nested")
    check(originals.fga_vectors(ones), "fga-repo", write(folder / "vectors.json", ones), format="vectors")


def sgd(random: Random, folder: Path) -> None:
    schema, gold, pred = random_files.sgd(random)
    for side, dialogues in (("gold", gold), ("pred", pred)):
        write(folder / side / "dialogues_001.json", dialogues)
        write(folder / side / "schema.json", schema)
    seen = random.sample([service["service_name"] for service in schema], 3)
    train = write(folder / "train.json", [{"service_name": service, "slots": []} for service in seen])
    options = {name: random.random() < 0.5 for name in ("exact_case", "fuzzy", "across")}
    backend: Backend = random.choice(("levenshtein", "difflib"))
    names = _sgd_measures(options)
    found = score_file(
        str(folder / "pred"),
        str(folder / "gold"),
        measures=list(names),
        rules=change(named("sgd"), backend=backend),
        by=["domain"],
        train_schema=train,
    )
    slices: dict[tuple[str, str], originals.Figures] = {("all", ""): {}}
    for score in found.scores:
        slices["all", ""][SGD_NAMES[names[score.measure]]] = score.value
    for kind in ("service", "domain", "seen"):
        for score in found.by(kind):
            slices.setdefault((kind, str(score.group[kind])), {})[SGD_NAMES[names[score.measure]]] = score.value
    expected = original_sgd.sgd(schema, gold, pred, seen, backend=backend, **options)
    assert slices.keys() == expected.keys()
    for part, figures in expected.items():
        assert slices[part] == {
            name: pytest.approx(figures[name], abs=1e-9) if name in figures else None for name in SGD
        }, part


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("compare", [mwzeval, convlab3, t5_text, dstc10, trade, fga_repo, sgd])
def test_random_files(compare: Callable[[Random, Path], None], seed: int, tmp_path: Path) -> None:
    compare(Random(seed), tmp_path)
