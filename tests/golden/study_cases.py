"""The commands that study measures of trackers, in every form that they print."""

from __future__ import annotations

from .execution import Case
from .tracker_cases import FEW, styled


def bias_cases() -> list[Case]:
    """Where mistakes fall."""
    base = f"study bias native.jsonl worse.jsonl --set resamples=100 {FEW}"
    return [
        *styled("bias", base),
        Case("bias-default", "study bias agenda.jsonl#keyword --set resamples=100 --measure JGA --measure GCA"),
        Case("bias-pairs", f"study bias worse.jsonl --set resamples=100 {FEW} --verbose"),
        Case(
            "bias-rows",
            "study bias worse.jsonl --set resamples=100 --measure JGA -f json -v",
        ),
        Case("bias-no-ci", f"study bias worse.jsonl --set ci=0 {FEW}"),
        Case("bias-only", f"{base} --only ids.txt"),
        Case("bias-gold", f"study bias pred.jsonl --gold gold.jsonl --set resamples=100 {FEW}"),
        Case("bias-small", f"study bias small.jsonl --set resamples=100 {FEW}"),
        Case("bias-rules", f"study bias som.json --rules gca-repo --set resamples=100 {FEW}"),
        Case("bias-vectors", "study bias vectors.json --set resamples=100 --measure JGA"),
    ]


def curve_cases() -> list[Case]:
    """Few-shot curves and zero-shot tables."""
    base = f"study curve few --set resamples=100 {FEW}"
    return [
        *styled("curve", base),
        *styled("curve-zero", f"study curve zero --set resamples=100 {FEW}"),
        Case("curve-linear", f"{base} --set trend=linear --set reference=JGA"),
        Case("curve-no-ci", f"{base} --set ci=0"),
        Case("curve-default", "study curve few --set resamples=100 --quiet"),
        Case("curve-manifest", f"study curve manifest.csv --set resamples=100 {FEW}"),
        Case("curve-rules", f"{base} --rules trade --set missing=empty"),
        Case("curve-empty", "study curve sgd"),
        Case("curve-nowhere", "study curve nowhere"),
    ]


def human_cases() -> list[Case]:
    """Measures and people."""
    base = f"study people native.jsonl {FEW}"
    return [
        *styled("human", f"{base} --sheet ratings.csv"),
        Case("human-long", f"{base} --sheet long_ratings.csv"),
        Case("human-no-ci", f"{base} --sheet long_ratings.csv --set ci=0"),
        Case("human-default", "study people native.jsonl --sheet long_ratings.csv --quiet"),
        Case("human-sheet", "study people native.jsonl --make-sheet sheet.csv --limit 2 --set scale=1-3", "sheet.csv"),
        Case("human-sheet-again", "study people native.jsonl --make-sheet sheet.csv --limit 2"),
        Case("human-read", f"{base} --sheet ann.csv --sheet bob.csv"),
        Case("human-out", f"{base} --sheet ann.csv --sheet bob.csv --out runs/people --quiet"),
        Case("human-there", f"{base} --sheet ann.csv --sheet bob.csv --out runs/people"),
        Case("human-nothing", "study people native.jsonl"),
        Case("human-bad-ratings", "study people native.jsonl --sheet ids.txt"),
        Case("human-rules", f"{base} --sheet long_ratings.csv --rules fga-repo --quiet"),
    ]


def sensitivity_cases() -> list[Case]:
    """One tracker under several wordings of the schema; here gold stands for a second one."""
    base = "study sensitivity sgd/pred sgd/gold sgd/pred2 --gold sgd/gold --set resamples=100"
    return [
        *styled("sensitivity", base),
        Case("sensitivity-no-ci", f"{base} --set ci=0 --measure JGA --limit 1"),
        Case(
            "sensitivity-names",
            "study sensitivity v0=sgd/pred v1=sgd/gold v2=sgd/pred2 --gold sgd/gold --set resamples=100 --limit 0",
        ),
        Case("sensitivity-one", "study sensitivity sgd/pred --gold sgd/gold"),
        Case("sensitivity-twice", "study sensitivity sgd/pred sgd/pred sgd/pred2 --gold sgd/gold"),
        Case("sensitivity-states", "study sensitivity native.jsonl worse.jsonl worst.jsonl"),
        Case("sensitivity-measure", f"{base} --measure GCA"),
    ]
