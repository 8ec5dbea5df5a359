"""The files that the cases read: dialogues that dialmeter's own agents play in the embedded town, with all that trips readers.

``write_town`` makes the folder anew in a second; every choice is drawn from a fixed seed.
"""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

from . import layouts
from .bad_files import write_bad_files
from .execution import call, stand_in
from .layouts import Corpus, State, Turn, Value
from .logs import write_logs

PLAYED = {"agenda": "agenda", "forgetful": "forgetful", "looping": "looping"}
NEVER_MIND = ("dontcare", "do not care", "don't care", "dont care", "doesn't matter")
SEEN_AS = {"centre": "city centre", "cheap": "cheap-ish", "park": "public-park", "hotel": "guest-house"}


def write_town(folder: Path) -> None:
    """Writes every file that a case names."""
    with stand_in(folder):
        for name, user in PLAYED.items():
            command(f"play --user {user} --goals 10 --set noise=0.1 --set seed=7 --quiet --out", f"{name}.jsonl")
        corpus = spice(read_states(Path("agenda.jsonl"), "pred", dialogues=8, turns=6))
        write_layouts(Path(), corpus)
        write_layouts(Path("few_dialogues"), {name: turns[:4] for name, turns in list(corpus.items())[:3]})
        write_variants(corpus)
        write_studies(corpus)
        write_rated_items()
        write_logs()
        write_bad_files(Path("bad"))


def command(words: str, *more: str) -> None:
    """Runs a command that must go well."""
    code, _, err = call([*words.split(), *more])
    if code:
        raise RuntimeError(err)


def write_layouts(folder: Path, corpus: Corpus) -> None:
    """Writes the corpus in every layout."""
    folder.mkdir(exist_ok=True)
    for name, writer in layouts.WRITERS.items():
        writer(folder / name, without_deletions(corpus) if name == "trippy.json" else corpus)
    for side in ("gold", "pred"):
        layouts.write_native(
            folder / f"{side}.jsonl", dict(reversed(corpus.items())) if side == "gold" else corpus, side
        )
        layouts.write_dstc10(folder / f"dstc10_{side}.json", corpus, side)
    for name in ("native.jsonl", "nested.json", "mwzeval.json"):
        (folder / f"{name}.gz").write_bytes(layouts.pack((folder / name).read_bytes()))


def read_states(path: Path, side: str, dialogues: int, turns: int) -> Corpus:
    """Both states and the talk of the first dialogues."""
    corpus: Corpus = {}
    for line in path.read_text("utf-8").splitlines()[:dialogues]:
        entry = json.loads(line)
        said = [move["text"] for move in entry["talk"]]
        name = entry["dialogue_id"].replace("town-7-", "TOWN") + ".json"
        corpus[name] = [
            Turn(turn["gold"], turn[side], said[2 * number], said[2 * number - 1] if number else "")
            for number, turn in enumerate(entry["turns"][:turns])
        ]
    return corpus


def spice(corpus: Corpus) -> Corpus:
    """Adds what readers and rules differ in: alternatives, numbers, spellings, absent values, hyphens, deletions."""
    return {name: _spice_dialogue(turns, random.Random(f"spice {name}")) for name, turns in corpus.items()}


def _spice_dialogue(turns: list[Turn], draw: random.Random) -> list[Turn]:
    gone = draw.choice(sorted(turns[-1].gold)) if turns[-1].gold else ""
    leaves = draw.randint(2, 5)
    tastes: dict[tuple[str, str], tuple[Value, Value]] = {}
    spiced = []
    for number, turn in enumerate(turns):
        gold: State = {}
        for slot, value in turn.gold.items():
            if slot != gone or number < leaves:
                gold[slot] = _taste(slot, str(value), tastes, draw)[0]
        pred: State = {slot: _taste(slot, str(value), tastes, draw)[1] for slot, value in turn.pred.items()}
        if number % 3 == 2:
            pred.setdefault("hotel-internet", draw.choice(["none", "", "not mentioned", "None"]))
        if number == 4:
            pred["bus-day"] = "monday"
        spiced.append(Turn(gold, pred, turn.user, turn.system))
    return spiced


def _taste(
    slot: str, value: str, tastes: dict[tuple[str, str], tuple[Value, Value]], draw: random.Random
) -> tuple[Value, Value]:
    """How gold and the tracker write a value, the same throughout a dialogue."""
    if (slot, value) not in tastes:
        gold: Value = value
        pred: Value = value
        luck = draw.random()
        if value in SEEN_AS and luck < 0.5:
            gold, pred = [value, SEEN_AS[value]], draw.choice([value, SEEN_AS[value].title()])
        elif value == "dontcare" or luck < 0.08:
            gold, pred = "dontcare", draw.choice(NEVER_MIND)
        elif value.isdigit() and luck < 0.7:
            gold = int(value)
        elif luck > 0.85:
            pred = value.upper() if luck > 0.95 else f" {value}  "
        elif luck > 0.78:
            gold = f"{value}-{slot[:3]}"
            pred = gold if luck > 0.8 else value
        tastes[slot, value] = gold, pred
    return tastes[slot, value]


def without_deletions(corpus: Corpus) -> Corpus:
    """The same, where a slot that was filled stays filled."""
    kept: Corpus = {}
    for name, turns in corpus.items():
        gold: State = {}
        pred: State = {}
        kept[name] = []
        for turn in turns:
            gold, pred = {**gold, **turn.gold}, {**pred, **turn.pred}
            kept[name].append(turn._replace(gold=gold, pred=pred))
    return kept


def forget(corpus: Corpus, share: float, seed: object) -> Corpus:
    """A tracker that misses a share of the slots for good."""
    draw = random.Random(f"forget {seed}")
    worse: Corpus = {}
    for name, turns in corpus.items():
        lost = {slot for slot in layouts.slots_of({name: turns}) if draw.random() < share}
        worse[name] = [
            turn._replace(pred={slot: value for slot, value in turn.pred.items() if slot not in lost}) for turn in turns
        ]
    return worse


def updates(corpus: Corpus, *sides: str) -> Corpus:
    """Only what is new at each turn, on these sides."""
    new: Corpus = {}
    for name, turns in without_deletions(corpus).items():
        before = Turn({}, {}, "", "")
        new[name] = []
        for turn in turns:
            news: dict[str, Any] = {
                side: {s: v for s, v in getattr(turn, side).items() if getattr(before, side).get(s) != v}
                for side in sides
            }
            new[name].append(turn._replace(**news))
            before = turn
    return new


def write_variants(corpus: Corpus) -> None:
    """Files with gaps and updates, other trackers, lists of ids and slots, a rule set."""
    small = dict(list(corpus.items())[1:3])
    layouts.write_native(Path("small.jsonl"), {name: turns[:4] for name, turns in small.items()})
    layouts.write_native(Path("updates.jsonl"), updates(corpus, "gold", "pred"))
    layouts.write_native(Path("updates_pred.jsonl"), updates(corpus, "pred"))
    write_gaps(corpus)
    for name, share in (("worse.jsonl", 0.3), ("worst.jsonl", 0.6)):
        layouts.write_native(Path(name), forget(corpus, share, name))
    names = list(corpus)
    Path("ids.txt").write_text(f"{names[3]}\n{names[0].lower().removesuffix('.json')}\n\n{names[5]}\n")
    Path("other_ids.txt").write_text(f"{names[0]}\nNOWHERE\n")
    Path("slots.json").write_text(json.dumps(layouts.slots_of(corpus)))
    Path("few_slots.json").write_text(json.dumps(["hotel-area", "hotel-book day", "train-leaveAt"]))
    Path("ontology.json").write_text(json.dumps({slot: ["a", "b"] for slot in layouts.slots_of(corpus)}))
    Path("own.toml").write_text(
        'about = "Ours."\nvalues = ["lower"]\nnone = []\ndontcare = "keep"\nextra = "ignore-slots"\n'
        'alternatives = "any-of"\nmatch = "exact"\nmissing = "skip"\nstate = "cumulative"\nmeasures = ["JGA", "SlotF1"]\n'
    )


def write_gaps(corpus: Corpus) -> None:
    """Predictions that lack a dialogue and a turn, and hold others that gold lacks."""
    lines = []
    for number, (name, turns) in enumerate(corpus.items()):
        if number == 1:
            continue
        kept = [{"turn": place, "pred": turn.pred} for place, turn in enumerate(turns) if (number, place) != (2, 1)]
        if number == 3:
            kept.append({"turn": 40, "pred": {"hotel-area": "north"}})
        lines.append(json.dumps({"dialogue_id": name, "turns": kept}) + "\n")
    lines.append(json.dumps({"dialogue_id": "EXTRA", "turns": [{"turn": 0, "pred": {}}]}) + "\n")
    Path("gaps.jsonl").write_text("".join(lines))


def write_studies(corpus: Corpus) -> None:
    """Folders for curves, ratings by people, filled sheets."""
    few, zero = Path("few"), Path("zero")
    few.mkdir()
    zero.mkdir()
    for ratio, share in ((0.01, 0.7), (0.1, 0.4), (0.5, 0.1)):
        for seed in (11, 557):
            layouts.write_nested(
                few / f"ratio_{ratio}_seed_{seed}_prediction.json", forget(corpus, share, (ratio, seed))
            )
    for domain in ("hotel", "train", "restaurant"):
        part = {
            name: [turn._replace(gold=_only(turn.gold, domain), pred=_only(turn.pred, domain)) for turn in turns]
            for name, turns in forget(corpus, 0.3, domain).items()
        }
        layouts.write_nested(zero / f"T5_result_zeroshot_{domain}.json", part)
    manifest = ["file,ratio,seed,domain", "worse.jsonl,0.1,1,", "worst.jsonl,0.01,1,", "native.jsonl,1,1,"]
    Path("manifest.csv").write_text("\n".join(manifest) + "\n")
    systems = {"good": "native.jsonl", "worse": "worse.jsonl", "nothing": "trivial:empty"}
    board = [f'[[row]]\nsystem = "{name}"\nfile = "{file}"\n' for name, file in systems.items()]
    Path("board.toml").write_text("\n".join(board))
    draw = random.Random(1)
    rows = [f"{name.removesuffix('.json')},{draw.randint(1, 5)},{draw.choice(['', 1, 4])}" for name in corpus]
    Path("ratings.csv").write_text("\n".join(["dialogue,ann,bob", *rows, "NOWHERE,3,3"]) + "\n")
    long = [f"{name},{rater},{draw.randint(1, 5)}" for name in list(corpus)[1:] for rater in ("ann", "bob", "eve")]
    Path("long_ratings.csv").write_text("\n".join(["dialogue,rater,rating", *long]) + "\n")
    for number, rater in enumerate(("ann", "bob")):
        rows = [f"{name},{(place + number) % 5 + 1},1-5" for place, name in enumerate(list(corpus)[:4])]
        Path(f"{rater}.csv").write_text("\n".join(["dialogue,rating,scale", *rows]) + "\n")
    shutil.copytree("sgd/pred", "sgd/pred2")


def write_rated_items() -> None:
    """Replies and dialogues that people rated, with hand-made texts."""
    draw = random.Random(2)
    answers = ("It is in Mill Lane.", "No idea.", "The inn is in Mill Lane, and it is open all night.", "Yes yes yes.")
    replies, dialogues = [], []
    for place in range(10):
        asked = f"Where is inn number {place}?"
        for system, reply in zip("abcd", answers, strict=True):
            good = len(reply.split()) // 3
            ratings = {name: [good + draw.randint(0, 2) for _ in range(3)] for name in ("overall", "fluent")}
            item = {"id": f"{place}{system}", "system": system, "context": ["Hello", asked], "reply": reply}
            score = round(good + draw.random(), 3)
            replies.append(
                {**item, "ratings": ratings, "scores": {"mine": score} if (place, system) != (3, "b") else {}}
            )
        turns = [("user", asked), ("system", answers[place % 4]), ("user", "Thank you."), ("system", "Goodbye!")]
        talk = [{"speaker": speaker, "text": text} for speaker, text in turns]
        dialogues.append({"id": f"d{place}", "turns": talk, "ratings_mean": {"Overall": place % 4 + draw.random()}})
    for name, items in (("ratings.jsonl", replies), ("rated_dialogues.jsonl", dialogues)):
        Path(name).write_text("".join(json.dumps(item) + "\n" for item in items))


def _only(state: State, domain: str) -> dict[str, Any]:
    return {slot: value for slot, value in state.items() if slot.startswith(f"{domain}-")}
