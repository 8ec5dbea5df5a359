"""Write dialogue states in every file format, at any size, from published states.

Run with `python benchmarks/formats.py FOLDER` (`--help` for options). A corpus is written dialogue by dialogue until its
files together have the requested size. Corpora whose name ends in "(format written here)" hold the states of
`real_states` in a format that this module writes. Those that end in "(real file)" are published in their format. Documents have
Python's default separators and no indentation; native lines have no blanks, as dialmeter writes them.
"""

import argparse
import json
import random
import shutil
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from real_states import (
    BOOK_SLOTS,
    SEED,
    SHARED,
    Conversation,
    State,
    ValueChange,
    copy_conversations,
    has_shared_data,
    invent_talk,
    load_json,
    read_conversations,
    shorten,
)
from written_formats import (
    ONTOLOGY,
    ConversationStates,
    Encoded,
    dump,
    dump_item,
    encode_completions,
    encode_convlab3,
    encode_dstc10,
    encode_native,
    encode_nested,
    encode_sgd,
    encode_som_dst,
    encode_trade,
    encode_trippy,
    multiwoz_schema,
    spell_native,
)

MEGABYTES = 20
DIALOGUES_PER_FILE = 128


class CorpusFiles(NamedTuple):
    """A corpus on disk."""

    pred: Path
    gold: Path | None
    parsed: list[Path]
    by_line: bool
    turns: int

    @property
    def size(self) -> int:
        """Return the number of bytes of all files."""
        return sum(path.stat().st_size for path in self.parsed)

    @property
    def size_at_once(self) -> int:
        """Return the number of bytes that a reader holds at one time: for each side the file, or the largest file of a folder."""
        largest: dict[Path, int] = {}
        for path in self.parsed:
            side = path.parent if path.parent in (self.pred, self.gold) else path
            largest[side] = max(largest.get(side, 0), path.stat().st_size)
        return sum(largest.values())


class Fragment(NamedTuple):
    """One dialogue in a format: its bytes in the prediction file and, with two files, in the gold file."""

    turns: int
    pred: list[bytes]
    gold: list[bytes]


class FileFormat(NamedTuple):
    """A file format: the name of its corpus, the source of its dialogues, and the structure of its files."""

    name: str
    is_real: bool
    fragments: Callable[[], Iterator[Fragment]]
    kind: str  # object, list, lines, or folder
    two_files: bool = False
    # Gold and predictions of different authors have their dialogues in different orders.
    shuffled_gold: bool = False
    schema: Callable[[], bytes] | None = None

    @property
    def title(self) -> str:
        """Return the name with its origin."""
        states = "" if has_shared_data() else ", generated states"
        return f"{self.name} (real file)" if self.is_real else f"{self.name} (format written here{states})"


def write_format(file_format: FileFormat, folder: Path, megabytes: float, dialogues: int | None = None) -> CorpusFiles:
    """Write a corpus of at least the given size, or of at most so many dialogues, into a folder."""
    preds: list[bytes] = []
    golds: list[bytes] = []
    turns, size = 0, 0
    for fragment in islice(file_format.fragments(), dialogues):
        preds += fragment.pred
        golds += fragment.gold
        turns += fragment.turns
        size += sum(map(len, fragment.pred)) + sum(map(len, fragment.gold))
        if size >= megabytes * 1e6:
            break
    if file_format.shuffled_gold:
        random.Random(SEED).shuffle(golds)
    pred, parsed = _write_side(file_format, folder / "pred", preds)
    if not file_format.two_files:
        return CorpusFiles(pred, None, parsed, file_format.kind == "lines", turns)
    gold, gold_parsed = _write_side(file_format, folder / "gold", golds)
    return CorpusFiles(pred, gold, parsed + gold_parsed, file_format.kind == "lines", turns)


def _write_side(file_format: FileFormat, path: Path, fragments: list[bytes]) -> tuple[Path, list[Path]]:
    path.parent.mkdir(parents=True, exist_ok=True)
    if file_format.kind == "lines":
        path = path.with_suffix(".jsonl")
        path.write_bytes(b"\n".join(fragments) + b"\n")
        return path, [path]
    if file_format.kind == "folder":
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir()
        files = []
        for number, start in enumerate(range(0, len(fragments), DIALOGUES_PER_FILE), 1):
            files.append(path / f"dialogues_{number:03}.json")
            files[-1].write_bytes(b"[" + b", ".join(fragments[start : start + DIALOGUES_PER_FILE]) + b"]")
        if file_format.schema is not None:
            (path / "schema.json").write_bytes(file_format.schema())
        return path, files
    path = path.with_suffix(".json")
    opening, closing = (b"{", b"}") if file_format.kind == "object" else (b"[", b"]")
    path.write_bytes(opening + b", ".join(fragments) + closing)
    return path, [path]


def _written(encode: Callable[[ConversationStates], Encoded]) -> Callable[[], Iterator[Fragment]]:
    """Return the fragments of a format, from a function that encodes one conversation: predictions (or both) and gold."""

    def fragments() -> Iterator[Fragment]:
        for each in copy_conversations(read_conversations()):
            rng = random.Random(f"{SEED}/talk/{each.stem}")
            turns = ConversationStates(
                f"{each.stem.upper()}.json", list(map(shorten, each.gold)), list(map(shorten, each.pred)), rng
            )
            yield Fragment(len(each.gold), *encode(turns))

    return fragments


def _mwzeval_fragments() -> Iterator[Fragment]:
    """Yield gold and predictions with their published spellings."""
    for each in copy_conversations(read_conversations()):
        yield Fragment(len(each.gold), [_mwzeval_pred(each)], [_mwzeval_gold(each)])


def _mwzeval_pred(each: Conversation) -> bytes:
    turns = [{"response": "", "state": state} | extra for state, extra in zip(each.pred, each.extras, strict=True)]
    return dump_item(each.stem.lower(), turns)


def _mwzeval_gold(each: Conversation) -> bytes:
    return dump_item(each.stem.lower(), [{"response": "", "state": state} for state in each.gold])


def _multiwoz_fragments() -> Iterator[Fragment]:
    """Yield gold as in `data.json` of MultiWOZ 2.1, and predictions as published.

    As in the original, `metadata` names every slot, with "" or "not mentioned" if there is no value. Goals, acts and
    spans are empty here, because the published states come without them.
    """
    for each in copy_conversations(read_conversations()):
        rng = random.Random(f"{SEED}/talk/{each.stem}")
        log: list[dict[str, Any]] = []
        for state in map(shorten, each.gold):
            user, system = invent_talk(rng)
            log.append({"text": user, "metadata": {}, "dialog_act": {}, "span_info": []})
            log.append({"text": system, "metadata": _metadata(state), "dialog_act": {}, "span_info": []})
        gold = dump_item(f"{each.stem.upper()}.json", {"goal": {}, "log": log})
        yield Fragment(len(each.gold), [_mwzeval_pred(each)], [gold])


def _metadata(state: State) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for domain, slots in ONTOLOGY.items():
        held = state.get(domain, {})
        absent = "not mentioned" if held else ""
        book: dict[str, Any] = {"booked": []}
        semi: dict[str, Any] = {}
        for slot in slots:
            if (domain, slot) in BOOK_SLOTS:
                book[slot] = held.get(slot, "")
            else:
                semi[spell_native(domain, slot)] = held.get(slot, absent)
        found[domain] = {"book": book, "semi": semi}
    return found


def _t5_fragments() -> Iterator[Fragment]:
    found = []
    for letter, name in (("A", "attraction"), ("B", "rest")):
        for dialogue_id, turns in load_json("tracking", "nested", f"T5__T5_result_zeroshot_{name}.json").items():
            gold = [turn["gt"] for turn in turns.values()]
            found.append(
                Conversation(dialogue_id.removesuffix(".json") + letter, gold, [turn["pr"] for turn in turns.values()])
            )
    random.Random(SEED).shuffle(found)
    for each in copy_conversations(found):
        both = zip(each.gold, each.pred, strict=True)
        turns = {str(number): {"gt": gold, "pr": pred} for number, (gold, pred) in enumerate(both)}
        yield Fragment(len(turns), [dump_item(f"{each.stem}.json", turns)], [])


def _dstc10_fragments() -> Iterator[Fragment]:
    labels = load_json("tracking", "dstc10", "labels.json.gz")
    entry = load_json("tracking", "dstc10", "A01_entry0.json.gz")
    number = 0
    while True:
        for position, sides in enumerate(zip(entry, labels, strict=True)):
            change = ValueChange(number, str(position))
            pred, gold = ([dump(_change_lists(side, change))] for side in sides)
            yield Fragment(1, pred, gold)
        number += 1


def _change_lists(instance: Any, change: ValueChange) -> Any:
    return {
        domain: {
            section: {slot: [change.change_value(slot, value) for value in values] for slot, values in slots.items()}
            for section, slots in sections.items()
        }
        for domain, sections in instance.items()
    }


def _sgd_fragments() -> Iterator[Fragment]:
    """Yield published gold, and a prediction that is gold with a seeded share of its slots missing or wrong."""
    dialogues = load_json("tracking", "sgd", "dialogues_001.json.gz")
    values: dict[str, set[str]] = {}
    for state in _states_of(dialogues):
        for slot, held in state["slot_values"].items():
            values.setdefault(slot, set()).update(held)
    choices = {slot: sorted(held) for slot, held in values.items()}
    number = 0
    while True:
        for dialogue in dialogues:
            stem = dialogue["dialogue_id"]
            change = ValueChange(number, stem)
            gold = {**json.loads(json.dumps(dialogue)), "dialogue_id": f"{stem}{number:02}"}
            for state in _states_of([gold]):
                state["slot_values"] = {
                    slot: [change.change_value(slot, value) for value in held]
                    for slot, held in state["slot_values"].items()
                }
            pred = json.loads(json.dumps(gold))
            _spoil(pred, choices, random.Random(f"{SEED}/sgd/{number}/{stem}"))
            turns = sum(turn["speaker"] == "USER" for turn in gold["turns"])
            yield Fragment(turns, [dump(pred)], [dump(gold)])
        number += 1


def _states_of(dialogues: Iterable[Any]) -> Iterator[Any]:
    for dialogue in dialogues:
        for turn in dialogue["turns"]:
            yield from (frame["state"] for frame in turn["frames"] if "state" in frame)


def _spoil(dialogue: Any, choices: dict[str, list[str]], rng: random.Random) -> None:
    """Make a prediction from gold: a slot is missing or wrong for the rest of a dialogue, an intent for one turn."""
    fates: dict[str, str | None] = {}
    for state in _states_of([dialogue]):
        predicted = {}
        for slot, held in state["slot_values"].items():
            if slot not in fates:
                kind = rng.random()
                fates[slot] = None if kind < 0.06 else rng.choice(choices[slot]) if kind < 0.12 else ""
            fate = fates[slot]
            if fate is not None:
                predicted[slot] = [fate or held[0]]
        state["slot_values"] = predicted
        if rng.random() < 0.03:
            state["active_intent"] = "NONE"


def _sgd_schema() -> bytes:
    return (SHARED / "tracking" / "sgd" / "schema.json").read_bytes()


NATIVE = FileFormat("native lines", False, _written(lambda turns: encode_native(turns, with_talk=False)), "lines")
TALK = FileFormat("native lines with utterances", False, _written(lambda turns: encode_native(turns, True)), "lines")
NESTED = FileFormat("nested", False, _written(encode_nested), "object")
T5 = FileFormat("nested T5", True, _t5_fragments, "object")
TRADE = FileFormat("TRADE", False, _written(encode_trade), "object")
SOM_DST = FileFormat("SOM-DST", False, _written(encode_som_dst), "object")
TRIPPY = FileFormat("TripPy", False, _written(encode_trippy), "list")
MULTIWOZ = FileFormat("MultiWOZ 2.1", False, _multiwoz_fragments, "object", two_files=True, shuffled_gold=True)
MWZEVAL = FileFormat("mwzeval", has_shared_data(), _mwzeval_fragments, "object", two_files=True, shuffled_gold=True)
CONVLAB3 = FileFormat("ConvLab-3", False, _written(encode_convlab3), "list")
SGD = FileFormat("SGD", False, _written(encode_sgd), "folder", two_files=True, schema=multiwoz_schema)
SGD_REAL = FileFormat("SGD gold", True, _sgd_fragments, "folder", two_files=True, schema=_sgd_schema)
DSTC10 = FileFormat("DSTC10", False, _written(encode_dstc10), "list", two_files=True)
DSTC10_REAL = FileFormat("DSTC10 entry A01", True, _dstc10_fragments, "list", two_files=True)
COMPLETIONS = FileFormat("completions", False, _written(encode_completions), "lines")

FORMATS = (
    NATIVE,
    TALK,
    NESTED,
    T5,
    TRADE,
    SOM_DST,
    TRIPPY,
    MULTIWOZ,
    MWZEVAL,
    CONVLAB3,
    SGD,
    SGD_REAL,
    DSTC10,
    DSTC10_REAL,
    COMPLETIONS,
)


def available_formats() -> list[FileFormat]:
    """Return all formats whose states are available: published files need the shared data."""
    return [file_format for file_format in FORMATS if has_shared_data() or not file_format.is_real]


def write_two_systems(folder: Path, megabytes: float) -> tuple[CorpusFiles, Path]:
    """Write the published predictions of two systems for the same dialogues: the files of the first, and the second's file."""
    first, second = ({each.stem: each for each in read_conversations([system])} for system in ("damd", "uniconv"))
    shared = [stem for stem in first if stem in second]
    preds: list[bytes] = []
    others: list[bytes] = []
    golds: list[bytes] = []
    turns, size = 0, 0
    # Values of gold are changed before those of a prediction, so that both systems have the same gold.
    for one, other in zip(
        *(copy_conversations([side[stem] for stem in shared]) for side in (first, second)), strict=True
    ):
        preds.append(_mwzeval_pred(one))
        others.append(_mwzeval_pred(other))
        golds.append(_mwzeval_gold(one))
        turns += len(one.gold)
        size += len(preds[-1]) + len(golds[-1])
        if size >= megabytes * 1e6:
            break
    pred, gold, third = (
        _write_side(MWZEVAL, folder / name, side)[0]
        for name, side in (("pred", preds), ("gold", golds), ("other", others))
    )
    return CorpusFiles(pred, gold, [pred, gold], False, turns), third


def main() -> None:
    """Write every format into a folder."""
    parser = argparse.ArgumentParser(description="Write published states in every format.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--megabytes", type=float, default=MEGABYTES)
    parser.add_argument("--only", action="append", default=[], help="A part of a format's name; may be repeated.")
    options = parser.parse_args()
    for file_format in available_formats():
        if not options.only or any(word.lower() in file_format.title.lower() for word in options.only):
            files = write_format(file_format, options.folder / file_format.name.replace(" ", "_"), options.megabytes)
            print(f"{file_format.title}: {files.size / 1e6:.1f} MB, {files.turns:,} turns")


if __name__ == "__main__":
    main()
