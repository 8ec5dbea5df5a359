"""The commands that study measures of trackers, in every form that they print."""

from __future__ import annotations

from .execution import Case
from .tracker_cases import FEW, styled


def bias_cases() -> list[Case]:
    """Where mistakes fall."""
    base = f"tracker bias native.jsonl worse.jsonl --resamples 100 {FEW} --trivial late"
    return [
        *styled("bias", base),
        Case("bias-default", "tracker bias agenda.jsonl#keyword --resamples 100 --measure JGA --measure GCA"),
        Case("bias-pairs", f"tracker bias worse.jsonl --resamples 100 {FEW} --all-pairs --trivial none"),
        Case(
            "bias-rows", "tracker bias worse.jsonl --resamples 100 --measure JGA --all-dialogues --json --trivial none"
        ),
        Case("bias-no-ci", f"tracker bias worse.jsonl --ci 0 {FEW} --trivial empty --trivial one-wrong"),
        Case("bias-only", f"{base} --only ids.txt"),
        Case("bias-gold", f"tracker bias pred.jsonl --gold gold.jsonl --resamples 100 {FEW}"),
        Case("bias-small", f"tracker bias small.jsonl --resamples 100 {FEW}"),
        Case("bias-rules", f"tracker bias som.json --rules gca-repo --resamples 100 {FEW}"),
        Case("bias-vectors", "tracker bias vectors.json --resamples 100 --measure JGA"),
    ]


def curve_cases() -> list[Case]:
    """Few-shot curves and zero-shot tables."""
    base = f"tracker curve few --resamples 100 {FEW}"
    return [
        *styled("curve", base),
        *styled("curve-zero", f"tracker curve zero --resamples 100 {FEW}"),
        Case("curve-linear", f"{base} --trend linear --reference JGA"),
        Case("curve-no-ci", f"{base} --ci 0"),
        Case("curve-default", "tracker curve few --resamples 100 --quiet"),
        Case("curve-manifest", f"tracker curve . --manifest manifest.csv --resamples 100 {FEW}"),
        Case("curve-rules", f"{base} --rules trade --missing empty"),
        Case("curve-empty", "tracker curve sgd"),
        Case("curve-nowhere", "tracker curve nowhere"),
    ]


def human_cases() -> list[Case]:
    """Measures and people."""
    base = f"tracker human native.jsonl {FEW}"
    return [
        *styled("human", f"{base} --ratings ratings.csv"),
        *styled("human-lambda", f"{base} --ratings ratings.csv --fit-lambda"),
        Case("human-lambda-sheets", "tracker human native.jsonl --make-sheets sheets --fit-lambda"),
        Case("human-long", f"{base} --ratings long_ratings.csv"),
        Case("human-no-ci", f"{base} --ratings long_ratings.csv --ci 0"),
        Case("human-default", "tracker human native.jsonl --ratings long_ratings.csv --quiet"),
        Case("human-sheets", "tracker human native.jsonl --make-sheets sheets --sample 2 --scale 1-3", "sheets"),
        Case("human-sheets-again", "tracker human native.jsonl --make-sheets sheets --sample 2"),
        Case("human-read", f"{base} --read-sheets filled"),
        Case("human-read-out", "tracker human --read-sheets filled --out made.csv", "made.csv"),
        Case("human-read-there", "tracker human --read-sheets filled --out made.csv"),
        Case("human-nothing", "tracker human native.jsonl"),
        Case("human-bad-ratings", "tracker human native.jsonl --ratings ids.txt"),
        Case("human-rules", f"{base} --ratings long_ratings.csv --rules fga-repo --quiet"),
    ]


def sensitivity_cases() -> list[Case]:
    """One tracker under several wordings of the schema; here gold stands for a second one."""
    base = "tracker sensitivity sgd/pred sgd/gold --gold sgd/gold --resamples 100"
    return [
        *styled("sensitivity", base),
        Case("sensitivity-no-ci", f"{base} --ci 0 --measure JGA --limit 1"),
        Case("sensitivity-names", f"{base} --name v1 --name v2 --limit 0"),
        Case("sensitivity-one", "tracker sensitivity sgd/pred --gold sgd/gold"),
        Case("sensitivity-twice", "tracker sensitivity sgd/pred sgd/pred --gold sgd/gold"),
        Case("sensitivity-states", "tracker sensitivity native.jsonl worse.jsonl"),
        Case("sensitivity-measure", f"{base} --measure GCA"),
    ]
