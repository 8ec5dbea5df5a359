"""Share of planted errors of gold that an audit finds, and verdicts on its first candidates on real gold.

Run with `DIALMETER_SHARED=... python benchmarks/audit_study.py` (two and a half minutes of one core). It prints the tables of
benchmarks/audit.md. It reads MultiWOZ 2.1 gold and the published predictions of DAMD, LABES and SOM-DST from the folder that
`DIALMETER_SHARED` names. The verdicts on real candidates are in `audit_verdicts.csv`: ids and verdicts, no text.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from statistics import mean

from msgspec.structs import replace

from dialmeter.studies.audit.audit import find_candidates
from dialmeter.studies.audit.candidates import Candidate
from dialmeter.studies.audit.trackers import TrackerSet, read_trackers
from dialmeter.studies.audit.votes import Mentions, Votes, weigh
from dialmeter.tracking.gold_patch import GoldPatch
from dialmeter.tracking.rule_sets.rules import change, named
from planted_gold import PlantedError, Planter, precision_at, touched_slots

SHARED = Path(os.environ.get("DIALMETER_SHARED", "../shared")) / "data"
FOLDER = SHARED / "compat" / "mwzeval"
GOLD = str(FOLDER / "mw21.gold.json.gz")
DAMD, LABES = (str(FOLDER / f"{name}.pred.json.gz") for name in ("damd", "labes"))
SOM = str(SHARED / "tracking" / "som_dst_100.json")
RULES = change(named("dialmeter"), map="multiwoz")
SHARES = (0.01, 0.03, 0.10)
SEEDS = (11, 12, 13, 14, 15)
VERDICTS = Path(__file__).parent / "audit_verdicts.csv"
READ = 40


def candidates_of(trackers: TrackerSet) -> tuple[list[Candidate], Votes]:
    """Return all candidates of an audit, and the weights of votes."""
    mentions = Mentions([each.reads for each in trackers.voters], trackers.pairs)
    votes = weigh(mentions, len(trackers.pairs.slot_names))
    return find_candidates(trackers, mentions, votes, trackers.utterances())[0], votes


def study(
    title: str,
    files: Mapping[str, str],
    ats: Sequence[int],
    folder: Path,
    only: str | None = None,
    shares: Sequence[float] = SHARES,
) -> None:
    """Print the precision for every share of planted errors.

    Args:
        title: title of the table.
        files: predictions by tracker; only dialogues that all of them have are used.
        ats: numbers of first candidates for the precisions.
        folder: folder for patches.
        only: names of the trackers that vote, joined by "+" (default: all).
        shares: shares of first mentions that get an error.
    """
    voting = {name: path for name, path in files.items() if only is None or name in only.split("+")}
    clean = read_trackers(GOLD, files, RULES, common=True)
    mentions = Mentions([each.reads for each in clean.trackers], clean.pairs)
    dialogues, count = clean.trackers[0].result.dialogues, len(Planter(clean, mentions, 0).first)
    print(f"\n**{title}** {dialogues} dialogues, {count} first mentions.\n")
    print("| planted | errors | candidates | errors found | " + " | ".join(f"P@{at}" for at in ats) + " | ties |")
    print("|---|" + "--:|" * (4 + len(ats)))
    for share in shares:
        rows = []
        for seed in SEEDS:
            planted = Planter(clean, mentions, seed).plant(share)
            rows.append(_measured(planted, voting, ats, clean, folder))
        columns = [*zip(*rows, strict=True)]
        cells = [
            f"{100 * mean(column):.0f} ({100 * min(column):.0f}–{100 * max(column):.0f})" for column in columns[4:]
        ]
        print(
            f"| {100 * share:g} % | {mean(columns[0]):.0f} | {mean(columns[1]):.0f} | {100 * mean(columns[2]):.0f} % | "
            f"{' | '.join(cells)} | ±{50 * max(columns[3]):.0f} |"
        )


def _measured(
    planted: Sequence[PlantedError], files: Mapping[str, str], ats: Sequence[int], clean: TrackerSet, folder: Path
) -> list[float]:
    """Return the number of errors, the number of candidates, the share of errors found, the widest tie, and precisions."""
    trackers = with_errors(planted, files, folder)
    keys = clean.names.keys()
    found = [each for each in candidates_of(trackers)[0] if touched_slots(each).pop()[0] in keys]
    errors = {(error.dialogue, slot) for error in planted for slot in error.slots}
    touched = [touched_slots(each) for each in found]
    every = set().union(*touched)
    hits = [not slots.isdisjoint(errors) for slots in touched]
    precisions = [precision_at(hits, [each.strength for each in found], at) for at in ats]
    reached = sum(any((error.dialogue, slot) in every for slot in error.slots) for error in planted)
    width = max(each.high - each.low for each in precisions)
    return [len(planted), len(found), reached / len(planted), width, *(each.value for each in precisions)]


def simulated(clean: TrackerSet, count: int, folder: Path, copies: int = 0) -> dict[str, str]:
    """Write made-up trackers: gold with random mistakes. Copies share nine tenths of the mistakes of the first."""
    files = {}
    values: dict[str, list[str]] = {}
    states = {
        clean.names[key]: [
            {clean.words.written(pair): str(clean.words.values[pair]) for pair in turns[number]}
            for number in sorted(turns)
        ]
        for key, turns in sorted(clean.gold.items())
    }
    for turns in states.values():
        for state in turns:
            for slot, value in state.items():
                values.setdefault(slot, [])
                if value not in values[slot]:
                    values[slot].append(value)
    for number in range(count):
        path = folder / f"simulated-{number}.jsonl"
        with path.open("w") as file:
            for name, turns in states.items():
                preds = _mistaken(turns, values, f"{0 if number <= copies else number}-{name}", f"{number}-{name}")
                lines = [{"turn": turn, "pred": pred} for turn, pred in enumerate(preds)]
                file.write(json.dumps({"dialogue_id": name, "turns": lines}) + "\n")
        files[f"simulated-{number}"] = str(path)
    return files


def _mistaken(
    turns: Sequence[Mapping[str, str]], values: Mapping[str, list[str]], seed: str, own: str
) -> list[dict[str, str]]:
    """Return states with values that are missed (15 %), wrong (8 %), late by a turn (8 %), or made up."""
    fates: dict[tuple[str, str], tuple[float, str]] = {}
    random = Random(seed)
    own_random = Random(own + "own")
    invented = {slot: random.choice(values[slot]) for slot in sorted(values) if random.random() < 0.01}
    preds = []
    before: Mapping[str, str] = {}
    for state in turns:
        pred = dict(invented)
        for slot, value in sorted(state.items()):
            if (slot, value) not in fates:
                drawn = random.random(), random.choice(values[slot])
                fates[slot, value] = (own_random.random(), drawn[1]) if own_random.random() < 0.1 else drawn
            fate, other = fates[slot, value]
            if fate < 0.15 or (fate < 0.23 and before.get(slot) != value):
                continue
            pred[slot] = other if 0.23 <= fate < 0.31 else value
        preds.append(pred)
        before = state
    return preds


def read_verdicts() -> dict[tuple[str, str, str, str], str]:
    """Return the verdicts by dialogue, slot, turn and kind of a candidate."""
    with VERDICTS.open(newline="") as file:
        return {
            (row["dialogue"], row["slot"], row["turn"], row["kind"]): row["verdict"] for row in csv.DictReader(file)
        }


def key_of(candidate: Candidate) -> tuple[str, str, str, str]:
    """Return the key of a candidate in the file of verdicts."""
    return candidate.dialogue, candidate.slot, str(candidate.turn), candidate.kind


def first_twenty(files: Mapping[str, str], folder: Path) -> None:
    """Print how many of the first twenty candidates are planted errors, and the verdicts on the others."""
    clean = read_trackers(GOLD, files, RULES, common=True)
    mentions = Mentions([each.reads for each in clean.trackers], clean.pairs)
    verdicts = read_verdicts()
    print(f"\n**The first twenty of each seed.** {', '.join(files)}.\n")
    print(
        "| planted | planted error | clear error | inconsistent | false alarm | not read |\n|---|--:|--:|--:|--:|--:|"
    )
    for share in SHARES:
        counts: Counter[str] = Counter()
        for seed in SEEDS:
            planted = Planter(clean, mentions, seed).plant(share)
            errors = {(error.dialogue, slot) for error in planted for slot in error.slots}
            for each in candidates_of(with_errors(planted, files, folder))[0][:20]:
                hit = not touched_slots(each).isdisjoint(errors)
                counts["planted error" if hit else verdicts.get(key_of(each), "not read")] += 1
        words = ("planted error", "clear error", "inconsistent", "false alarm", "not read")
        print(f"| {100 * share:g} % | {' | '.join(str(counts[word]) for word in words)} |")


def with_errors(planted: Sequence[PlantedError], files: Mapping[str, str], folder: Path) -> TrackerSet:
    """Read the trackers with gold that has planted errors."""
    patch = folder / "planted.json"
    patch.write_bytes(GoldPatch([each for error in planted for each in error.corrections]).encoded())
    return read_trackers(GOLD, files, replace(RULES, patch=str(patch)), common=True)


def read_by_hand(files: Mapping[str, str]) -> None:
    """Print the counts of verdicts on the first candidates of untouched gold."""
    trackers = read_trackers(GOLD, files, RULES, common=True)
    found, votes = candidates_of(trackers)
    verdicts = read_verdicts()
    first = found[:READ]
    tied = sum(each.strength == first[-1].strength for each in found)
    keys = [key_of(each) for each in first]
    print(
        f"\n**Untouched gold.** {trackers.trackers[0].result.dialogues} dialogues, {len(found)} candidates; the last of the"
    )
    print(f"first {READ} shares its strength with {tied - 1} others.\n")
    for name, *rates in zip(files, votes.precision, votes.recall, votes.for_alone, strict=True):
        print(f"{name}: precision {rates[0]:.2f}, recall {rates[1]:.2f}, independence {rates[2]:.2f}")
    print("\n| kind | candidates | clear error | inconsistent | false alarm | not read |")
    print("|---|--:|--:|--:|--:|--:|")
    for kind in [*sorted({each.kind for each in first}), ""]:
        counts = Counter(verdicts.get(key, "not read") for key in keys if kind in ("", key[3]))
        cells = [str(counts[word]) for word in ("clear error", "inconsistent", "false alarm", "not read")]
        print(f"| {kind or 'all'} | {counts.total()} | {' | '.join(cells)} |")


def real(folder: Path) -> None:
    """Print the studies of published predictions."""
    two = {"damd": DAMD, "labes": LABES}
    three = {**two, "som-dst": SOM}
    study("DAMD and LABES.", two, (50, 100, 200), folder)
    study("LABES alone.", two, (50, 100, 200), folder, only="labes")
    study("DAMD and LABES on the common dialogues.", three, (10, 20, 50), folder, only="damd+labes")
    study("DAMD, LABES and SOM-DST.", three, (10, 20, 50), folder)
    first_twenty(three, folder)
    read_by_hand(three)


def simulation(folder: Path) -> None:
    """Print the studies of made-up trackers."""
    clean = read_trackers(GOLD, {"damd": DAMD, "labes": LABES}, RULES, common=True)
    for count, copies in ((2, 0), (8, 0), (8, 5), (12, 0)):
        made = simulated(clean, count, folder, copies)
        copied = f", {copies} of them copies of the first" if copies else ""
        study(f"Simulation: {count} made-up trackers{copied}.", made, (50, 100, 200), folder, shares=(0.03,))


PARTS = {"real": real, "simulation": simulation}


def main() -> None:
    """Print all tables, or those of one part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=PARTS, action="append", help="only this part")
    with tempfile.TemporaryDirectory() as place:
        for part in parser.parse_args().part or PARTS:
            PARTS[part](Path(place))


if __name__ == "__main__":
    main()
