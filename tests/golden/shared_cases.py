"""The same commands on published files, which are not part of the project: only digests of the outputs are kept."""

from __future__ import annotations

import gzip
import json
import os
import re
from pathlib import Path
from typing import Any

from .execution import Case, digest, execute

_BESIDE = Path(__file__).resolve().parents[3] / "shared"
_DATA = re.compile(r"\|data:([0-9a-f]{10})\|")

RULES = ("dialmeter", "convlab3", "convlab3-t5", "dstc10", "fga-repo", "gca-repo", "mwzeval", "sgd", "trade")
QUICK = "--set ci=0 --quiet"

MEASURES = (
    "JGA", "SA", "SA(slots=30)", "AGA", "IAGA", "RSA", "RSA(empty=skip)", "RSA(empty=one)", "FGA(lam=0)", "FGA(lam=0.25)",
    "FGA(lam=0.5)", "FGA(lam=1)", "FGA(lam=inf)", "FGA(lam=0.5, local=code)", "FGA(lam=0.5, local=vector)", "GCA",
    "GCA(alpha=0.5)", "GCA(deletions=count)", "GCA(deletions=code)", "GCA(credit=fuzzy)", "VP", "VR", "LP", "LR",
    "VP(deletions=count)", "LR(deletions=code)", "SlotF1", "SlotPrecision", "SlotRecall", "JointF1", "FinalJGA",
    "DialogueAccuracy", "LocalAccuracy", "JGA(average=dialogue)", "SA(average=dialogue)", "AGA(average=dialogue)",
    "IAGA(average=dialogue)", "RSA(average=dialogue)", "FGA(lam=0.5, average=dialogue)", "GCA(average=dialogue)",
    "GCA(average=dialogue, unchanged=zero)", "SlotF1(average=dialogue)", "JointF1(average=dialogue)",
)  # fmt: skip
VALUE_MEASURES = ("ValuePrecision", "ValueRecall", "ValueF1", "NonePrecision", "NoneRecall", "NoneF1")
FRAME_MEASURES = (
    "JointGoalAccuracy", "JointCatAccuracy", "JointNoncatAccuracy", "AverageGoalAccuracy", "AverageCatAccuracy",
    "AverageNoncatAccuracy", "IntentAccuracy", "RequestedSlotF1",
)  # fmt: skip


VECTOR_MEASURES = (
    "JGA", "SA", "SA(slots=30)", "FGA(lam=0.25, local=vector)", "FGA(lam=1, local=vector)", "LocalAccuracy", "FinalJGA",
    "DialogueAccuracy",
)  # fmt: skip


def measures_of(rules: str) -> tuple[str, ...]:
    """The general measures that a rule set defines."""
    if rules == "sgd":
        return ("JGA", "AGA")
    if rules in ("gca-repo", "mwzeval"):
        return tuple(measure for measure in MEASURES if "credit" not in measure)
    return MEASURES


def measured(*measures: str) -> str:
    """The options that ask for measures."""
    return " ".join(f'--measure "{measure}"' for measure in measures)


NESTED = (
    "T5__T5_result_zeroshot_attraction", "T5__T5_result_zeroshot_rest", "paper_sample_dials__hypothetical_p1",
    "paper_sample_dials__hypothetical_p2", "paper_sample_dials__sample_1", "paper_sample_dials__sample_2", "poc__NU1", "poc__NU2",
    "poc__RS1", "poc__RS2", "poc__paper1", "poc__paper2", "poc__poc_result1", "poc__poc_result2", "poc__poc_result3",
    "poc__poc_result4", "poc__poc_result5", "poc__zero_shot_result1", "poc__zero_shot_result2", "poc__zero_shot_result3",
    "poc__zero_shot_result4",
)  # fmt: skip

GROUPED = ("JGA", "SA", "FGA(lam=0.5)", "GCA", "SlotF1")
"""The measures that are also asked for by domain and by slot."""

COMPAT = "data/compat"
CORPORA: dict[str, dict[str, str]] = {
    "nested": {name: f"data/tracking/nested/{name}.json" for name in NESTED},
    "som-dst": {"som": "data/tracking/som_dst_100.json"},
    "text": {"sheet": "data/tracking/fga_text_MUL0144.txt"},
    "vectors": {
        "trippy": "part/trippy.json",
        "synth11": f"{COMPAT}/fga-repo/synth11.vectors.json",
        "synth12": f"{COMPAT}/fga-repo/synth12.vectors.json",
    },
    "mwzeval": {
        name: f"part/{name}.json --gold part/mw21_{name}.json --set missing=empty"
        for name in ("damd", "labes", "uniconv")
    },
    "synthetic": {
        f"{kind}-{name}": f"{COMPAT}/{words.format(name)}"
        for name in ("synth11", "synth12")
        for kind, words in {
            "mwzeval": f"mwzeval/{{0}}.pred.json --gold {COMPAT}/mwzeval/{{0}}.gold.json",
            "convlab3": "convlab3/{}.json",
            "trade": "trade/{}.json",
            "fga-repo": "fga-repo/{}.json",
            "dstc10": f"dstc10/{{0}}.pred.json --gold {COMPAT}/dstc10/{{0}}.labels.json",
            "sgd": f"sgd/{{0}}/pred --gold {COMPAT}/sgd/{{0}}/gold",
        }.items()
    },
    "unambiguous": {
        f"{kind}-{name}": f"part/{words.format(name)}"
        for name in ("synth11", "synth12")
        for kind, words in {
            "trade": "trade-{}.json",
            "fga-repo": "fga-repo-{}.json",
            "mwzeval": "mwzeval-{0}.pred.json --gold part/mwzeval-{0}.gold.json",
            "dstc10": "dstc10-{0}.pred.json --gold part/dstc10-{0}.labels.json",
        }.items()
    },
    "sgd": {"real": f"{COMPAT}/sgd/real/pred --gold {COMPAT}/sgd/real/gold"},
    "dstc10": {
        f"{name}-part": f"part/{name}.json --gold part/labels_{name}.json"
        for name in ("A00_0", "A01_3", "A04_0", "A01_entry0")
    },
}
"""Prediction files by group, as command lines name them."""

PARTS: dict[str, tuple[str, int, str]] = {
    **{
        name: (f"{place}/dstc10/{name}.json.gz", 120, f"labels_{name} {place}/dstc10/labels.json.gz")
        for name, place in {"A00_0": "compat", "A01_3": "compat", "A04_0": "compat", "A01_entry0": "tracking"}.items()
    },
    **{
        name: (f"compat/mwzeval/{name}.pred.json.gz", 15, f"mw21_{name} compat/mwzeval/mw21.gold.json.gz")
        for name in ("damd", "labes", "uniconv")
    },
    "trippy": ("tracking/trippy_vectors.json.gz", 60, ""),
}
"""Of the largest files only the first dialogues are scored under every rule set: file, how many, name and file of gold."""


def data_folder() -> Path:
    """The folder with the published files; it may be absent."""
    return Path(os.environ.get("DIALMETER_SHARED", _BESIDE)) / "data"


def corpus_cases(name: str, files: str, vectors: bool) -> list[Case]:
    """What is asked of every prediction file."""
    found = [
        Case(f"{name}: check", f"check {files} -f json"),
        Case(f"{name}: check as text", f"check {files}"),
        Case(f"{name}: rules", f"study rules {files.replace(' --set missing=empty', '')} -f json --set missing=empty"),
        Case(f"{name}: default", f"score {files}"),
        Case(f"{name}: by turn", f"score {files} {QUICK} --by turn --by without-domain --set turns=all -f csv"),
        Case(f"{name}: convert", f"convert {files.replace(' --set missing=empty', '')} -"),
    ]
    for rules in RULES:
        more = FRAME_MEASURES if rules == "sgd" else VALUE_MEASURES
        asked = VECTOR_MEASURES if vectors and rules != "sgd" else (*measures_of(rules), *more)
        few = asked if vectors or rules == "sgd" else GROUPED
        words = f"score {files} --rules {rules} -f json --set ci=0"
        found += [
            Case(f"{name}: score {rules}", f"{words} {measured(*asked)}"),
            Case(f"{name}: by {rules}", f"{words} --by domain --by slot {measured(*few[:5])}"),
        ]
    return found


def single_cases() -> list[Case]:
    """Files that hold one state per turn, layouts that may be unknown, and the larger files."""
    alone = {
        "mwzeval_sample": "data/tracking/mwzeval_sample.json",
        "sgd": "data/tracking/sgd",
        "sgd file": "data/tracking/sgd/dialogues_001.json.gz",
        "dstc10 labels": "data/tracking/dstc10/labels.json.gz",
        "mw21": f"{COMPAT}/mwzeval/mw21.gold.json.gz",
        **{f"{kind} {name}": f"{COMPAT}/mwzeval/{name}.{kind}" for kind in ("mwz22", "mwz22dc") for name in ("synth11", "synth12")},
    }  # fmt: skip
    found = []
    for name, file in alone.items():
        found += [
            Case(f"{name}: check", f"check {file} -f json"),
            Case(f"{name}: itself", f"score {file} --gold {file} -f json --set ci=0 --by domain"),
            Case(f"{name}: convert as gold", f"convert {file} - --role gold"),
            Case(f"{name}: convert as pred", f"convert {file} - --role pred"),
        ]
    entry = "data/tracking/dstc10/A01_entry0.json.gz --gold data/tracking/dstc10/labels.json.gz"
    real = f"{COMPAT}/sgd/real/pred --gold {COMPAT}/sgd/real/gold"
    return [
        *found,
        Case("dstc10 entry", f"score {entry} --rules dstc10 -f json --set resamples=100"),
        Case("dstc10 entry, dialmeter", f"score {entry} -f json --set ci=0"),
        *(
            Case(f"{name} whole, {rules}", f"score {COMPAT}/mwzeval/{name}.pred.json.gz --gold {COMPAT}/mwzeval/mw21.gold.json.gz --set missing=empty --rules {rules} -f json --set ci=0 --by domain")
            for name in ("damd", "labes", "uniconv")
            for rules in ("mwzeval",)
        ),
        *(Case(f"dstc10 {name} whole", f"score {COMPAT}/dstc10/{name}.json.gz --gold {COMPAT}/dstc10/labels.json.gz --rules dstc10 -f json --set ci=0") for name in ("A00_0", "A04_0")),
        Case("trippy whole", f"score data/tracking/trippy_vectors.json.gz -f json --set resamples=100 {measured(*VECTOR_MEASURES)}"),
        Case("sgd services", f"score {real} --rules sgd -f json --set ci=0 --by service"),
        Case("sgd seen", f"score {real} --rules sgd -f json --set ci=0 --by seen --set schema.train={COMPAT}/sgd/synth11/gold/schema.json"),
        Case("som: run", "score data/tracking/som_dst_100.json --out run --set resamples=100 --quiet", "run"),
        Case("sgd: run", f"score {real} --rules sgd --out run2 --set resamples=100 --quiet", "run2"),
        Case("som: workers", "score data/tracking/som_dst_100.json --workers 2 -f json --quiet"),
        Case("compare", "compare data/tracking/nested/poc__poc_result1.json data/tracking/nested/poc__poc_result2.json --only common --set resamples=200 --set test=mcnemar"),
        Case("compare mwzeval", f"compare {' '.join(f'{COMPAT}/mwzeval/{name}.pred.json.gz' for name in ('damd', 'labes', 'uniconv'))} --gold {COMPAT}/mwzeval/mw21.gold.json.gz --set missing=empty --set resamples=200 -f json --by domain"),
        Case("bias", "study bias data/tracking/som_dst_100.json --set resamples=100 -f json -v"),
        Case("curve", "study curve data/tracking/nested --set resamples=100"),
    ]  # fmt: skip


LAYOUTS = (
    "fnctod.json", "icdst_running_log.json", "icdst_test_gold.json", "ldst_test_LLM.idx", "ldst_test_LLM.json",
    "ldst_test_LLM_result.txt", "mttod.json", "openai_batch_tool_calls.jsonl", "openai_gold.jsonl", "pptod_dst.json",
    "pptod_e2e.json", "simpletod.json", "ubar_BS.json",
)  # fmt: skip


def talk_cases() -> list[Case]:
    """Users and judges."""
    fixture, satisfaction = "data/users/fixture48_dialogues.json.gz", "data/judges/satisfaction_mwoz.txt.gz"
    values = "--set map=data/users/multiwoz21_canonical_map.json.gz"
    return [
        Case("users: check", f"check {fixture} -f json"),
        Case("users: score", f"score {fixture} {values} -f json --set ci=0"),
        Case("users: repo", f"score {fixture} {values} --rules gcdf1-repo -f json --set ci=0"),
        Case("users: patterns", f"score {fixture} --by pattern -f json --set ci=0"),
        Case("users: query", f"find {fixture} event=unmatched -f json"),
        Case("users: values", f"convert {fixture} - --to map"),
        Case("judges: attack", f"judge attack {satisfaction} --set light --limit 2 --attack repetition --attack identical --out cases.jsonl --quiet", "cases.jsonl"),
        Case("judges: score", "score cases.jsonl --judge overlap -f json --quiet"),
        Case("judges: coffee", "judge attack data/judges/taskmaster_coffee.json.gz --set light --limit 2 --attack repetition --out coffee.jsonl --quiet", "coffee.jsonl"),
    ]  # fmt: skip


GROUPS: dict[str, list[Case]] = {
    **{
        group: [
            case for name, files in corpora.items() for case in corpus_cases(name, files, vectors=group == "vectors")
        ]
        for group, corpora in CORPORA.items()
    },
    "single": single_cases(),
    "layouts": [
        Case(f"{name}: {command.split()[0]} {command.split()[-1]}", command.format(f"data/layouts/{name}"))
        for name in LAYOUTS
        for command in ("check {}", "score {} --set ci=0", "convert {} -", "convert {} - --from llm")
    ],
    "talk": talk_cases(),
}
"""The cases by the test that runs them."""


def make_digests(group: str, folder: Path) -> dict[str, str]:
    """Runs the cases of a group in a new folder: exit code, 32 digits of the SHA-256 of all that was written, data of signatures."""
    folder.mkdir(parents=True)
    (folder / "data").symlink_to(data_folder().resolve(), target_is_directory=True)
    write_parts(folder / "part")
    write_unambiguous(folder / "part")
    found: dict[str, str] = {}
    for case in GROUPS[group]:
        outcome = execute(case, folder)
        whole = "".join(f"{place}\n{text}\n" for place, text in outcome.texts.items())
        gold = sorted(set(_DATA.findall(whole)))
        found[case.name] = " ".join([str(outcome.code), digest(whole)[:32], *(f"data:{each}" for each in gold)])
    return found


def write_parts(folder: Path) -> None:
    """Writes the first dialogues of the largest files, and gold for the same dialogues."""
    folder.mkdir()
    for name, (file, count, gold) in PARTS.items():
        first = _first(_load(file), count)
        (folder / f"{name}.json").write_text(json.dumps(first), "utf-8")
        if gold:
            gold_name, _, gold_file = gold.partition(" ")
            states = _load(gold_file)
            kept = {key: states[key] for key in first if key in states} if isinstance(states, dict) else states[:count]
            (folder / f"{gold_name}.json").write_text(json.dumps(kept), "utf-8")


def write_unambiguous(folder: Path) -> None:
    """Writes those dialogues of the synthetic files in which no slot has two spellings."""
    for name in ("synth11", "synth12"):
        for kind, sides in {
            "trade": (".json",),
            "fga-repo": (".json",),
            "mwzeval": (".pred.json", ".gold.json"),
            "dstc10": (".pred.json", ".labels.json"),
        }.items():
            files = [
                json.loads((data_folder() / "compat" / kind / f"{name}{side}").read_text("utf-8")) for side in sides
            ]
            keys = [key for key in _keys(files[0]) if not any(_doubles(file[key]) for file in files)]
            for side, file in zip(sides, files, strict=True):
                kept = {key: file[key] for key in keys} if isinstance(file, dict) else [file[key] for key in keys]
                (folder / f"{kind}-{name}{side}").write_text(json.dumps(kept), "utf-8")


def _keys(content: Any) -> list[Any]:
    return list(content) if isinstance(content, dict) else list(range(len(content)))


def _doubles(content: Any) -> bool:
    """Is there a slot twice, whatever its spelling?"""
    if isinstance(content, dict):
        halves = [content[half] for half in ("semi", "book") if half in content]
        names = [_plain(key) for each in halves or [content] for key in each]
        return len(set(names)) < len(names) or any(map(_doubles, content.values()))
    if isinstance(content, list):
        names = [
            "-".join(map(_plain, each.split("-")[:2])) for each in content if isinstance(each, str) and "-" in each
        ]
        return len(set(names)) < len(names) or any(map(_doubles, content))
    return False


def _plain(name: str) -> str:
    return re.sub(r"[\s_]+|^book", "", name.lower()).removesuffix("at").removesuffix("by")


def _load(file: str) -> Any:
    return json.loads(gzip.decompress((data_folder() / file).read_bytes()))


def _first(content: Any, count: int) -> Any:
    return dict(list(content.items())[:count]) if isinstance(content, dict) else content[:count]
