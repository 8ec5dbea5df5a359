"""Training a judge of satisfaction: a small run that learns, and its measures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dialmeter.judges.judge import load_judge
from dialmeter.judges.train.ratings import examples, label_of, majority, quality
from dialmeter.model import Move

from ...cli.invoke import Cli

pytest.importorskip("torch")

GOOD = ["thank you, that is great", "perfect, thanks", "wonderful, thank you so much"]
FINE = ["i need a train", "on monday please", "what is the phone number?", "a cheap hotel"]
POOR = ["no, that is wrong", "you do not understand me", "no, i said north, not south"]


def ratings_file(path: Path, dialogues: int = 60) -> Path:
    """Dialogues in which what users say shows how they feel."""
    lines = []
    for number in range(dialogues):
        lines.append("")
        for turn in range(4):
            kind = (number * 7 + turn * 3 + number // 5) % 10
            texts, score = (GOOD, 4) if kind < 2 else (POOR, 2) if kind < 4 else (FINE, 3)
            lines.append(f"USER\t{texts[(number + turn) % len(texts)]}\t\t{score},{score},3")
            lines.append(f"SYSTEM\tlet me see {turn}\t\t")
        lines.append("USER\tOVERALL\t\t3,3,3")
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ratings_file(tmp_path_factory.mktemp("ratings") / "ratings.txt")


def test_it_learns_and_the_judge_that_it_writes_can_be_asked(data: Path, tmp_path: Path, cli: Cli) -> None:
    out = tmp_path / "judge"
    words = [
        "judge",
        "train",
        "gru",
        data,
        "--out",
        out,
        *["--set", "held-out=12", "--set", "epochs=8"],
    ]
    found = cli.json(*words, "--set", "seed=3", "--quiet")
    cells = {(score["judge"], score["measure"]): score["value"] for score in found["scores"]}
    assert cells["seed 3", "uar"] > 0.9 > cells["majority", "uar"]
    assert cells["seed 3", "spearman"] > 0.8
    assert cells["majority", "spearman"] is None
    assert sorted(path.name for path in out.iterdir()) == [
        "config.json",
        "model.safetensors",
        "training.json",
        "words.txt",
    ]
    _, judge = load_judge(f"satisfaction-gru(model={out})")
    context = (Move("user", "i need a train"), Move("system", "let me see 1"))
    glad, angry = judge.score([(context, GOOD[0]), (context, POOR[0])])
    assert glad > angry
    assert "is not empty; use --force to replace its content" in cli.refused(*words)


def test_a_seed_gives_the_same_bytes(data: Path, tmp_path: Path, cli: Cli) -> None:
    for name in ("one", "two"):
        words = ["--set", "held-out=12", "--set", "epochs=1", "--quiet"]
        cli("judge", "train", "gru", data, "--out", tmp_path / name, *words)
    one, two = (tmp_path / name / "model.safetensors" for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()


def test_several_seeds_and_their_mean(data: Path, tmp_path: Path, cli: Cli) -> None:
    words = [
        "--set",
        "held-out=12",
        "--set",
        "epochs=1",
        "--set",
        "seed=1",
        "--set",
        "seed=2",
        "--set",
        "until=before",
        "-v",
    ]
    said = cli("judge", "train", "gru", data, "--out", tmp_path / "two", *words)
    assert [line.split("  ")[0] for line in said.out.splitlines()[-4:]] == [
        "seed 1",
        "seed 2",
        "mean of 2 seeds",
        "most frequent class",
    ]
    assert "training: seed 2, epoch 1: UAR " in said.err
    document = json.loads((tmp_path / "two" / "seed-2" / "training.json").read_text())
    assert document["settings"]["until"] == "before"


def test_too_few_dialogues(data: Path, tmp_path: Path, cli: Cli) -> None:
    complaint = cli.refused("judge", "train", "gru", data, "--out", tmp_path / "x")
    assert "the file has 60 rated dialogues, too few to hold out 100" in complaint


def test_examples_end_with_the_rated_turn_or_before_it(data: Path) -> None:
    from dialmeter.readers.chat.satisfaction import read_rated

    rated = next(iter(read_rated(data)))
    with_turn, before = examples(rated), examples(rated, "before")
    assert [len(each.said) for each in with_turn] == [1, 3, 5, 7]
    assert [len(each.said) for each in before] == [2, 4, 6]
    assert [each.label for each in with_turn][1:] == [each.label for each in before]


def test_quality_by_hand() -> None:
    found = quality([2, 2, 2, 3], [2, 2, 3, 3], [3.0, 3.1, 3.9, 4.0])
    assert (found.accuracy, found.uar) == (0.75, pytest.approx((2 / 3 + 1) / 2))
    assert found.macro_f1 == pytest.approx((2 * 2 / 5 + 2 * 1 / 3) / 2)
    most = majority([2, 2, 3], [2, 2, 2, 1])
    assert (most.accuracy, most.uar, most.spearman) == (pytest.approx(2 / 3), 0.5, None)
    assert [label_of(each) for each in ([2, 3], [1], [5, 5, 4])] == [2, 0, 4]
