"""The cases of the validity study, made anew: twelve attacks, two corpora, twenty cases each, and some held out.

Attacks were mended while the first part was read. Those that had been changed most were then read once more on cases
that nobody had seen, and nothing was mended after that.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from dialmeter.judges.attack_run import attack_corpus
from dialmeter.judges.attacks import PAPER, chosen
from dialmeter.judges.cases import Case
from dialmeter.judges.language import Language
from dialmeter.readers.conversations import open_conversations

CASES = 20
BLIND = ("vocabulary", "entrainment", "co-reference", "contradiction", "injection")
"""Attacks that were changed after this study, and are read in another one."""
BLIND_PARTS = (
    (47, 0, 1, ("co-reference", "contradiction", "injection")),
    (
        61,
        1,
        2,
        ("vocabulary:from-the-snippet", "vocabulary:unrelated", "entrainment:shared-word", "entrainment:unrelated"),
    ),
)
"""Seed, first dialogue, step from dialogue to dialogue, and attacks of the blind readings."""
READ = tuple(name for name in PAPER if name not in BLIND)
CHANGED = ("pronoun", "named-entity", "natural-paraphrase")
PARTS = (("town", 11, READ), ("multiwoz", 11, READ), ("multiwoz", 23, CHANGED))
"""Corpus, seed and attacks."""
RECORD = Path(__file__).parents[3] / "benchmarks" / "validity.csv"
_TOWN = Path(__file__).with_name("town.jsonl.gz")
_MULTIWOZ_DIALOGUES = 200


def study_cases(
    corpus: str, seed: int, attacks: tuple[str, ...], shared: Path | None, language: Language
) -> list[Case]:
    """The cases of one part: dialogues of the town, kept beside this file, or the first of the satisfaction file."""
    if corpus == "town":
        talks = list(open_conversations(_TOWN))
    else:
        assert shared is not None
        talks = list(open_conversations(shared))[:_MULTIWOZ_DIALOGUES]
    return attack_corpus(talks, chosen(attacks), language, cases=CASES, seed=seed, corpus=corpus).cases


def record() -> Iterator[dict[str, str]]:
    """The rows of the study: corpus, seed, case, attack, variant, verdict, reason."""
    with RECORD.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)
