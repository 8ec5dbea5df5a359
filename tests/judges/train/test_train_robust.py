"""A head that is trained on attacked replies: its error rates, held-out attacks, and the written judge."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from dialmeter import DialmeterError
from dialmeter.judges.attacks import digest
from dialmeter.judges.cases import Case
from dialmeter.judges.judge import load_judge
from dialmeter.judges.train.robust import BEFORE, HELD_OUT, SEEN, RobustTraining, train_robust

from ...cli.invoke import Cli
from ..made import case, cases, write_cases

ATTACKS = ("contradiction", "speaker", "repetition", "co-reference")


def marked(count: int = 40) -> list[Case]:
    """Each attack leaves a mark that n-grams show; repetition has another one."""
    made = []
    for attack in ATTACKS:
        for number in range(count):
            human = f"for {number} people please" + " thanks" * (number % 3)
            bad = {"repetition": f"{human} people people", "co-reference": human.upper()}.get(
                attack, f"{human} how many"
            )
            made.append(case(attack, number, reply=human, adversarial=bad))
    return made


def test_seen_and_held_out() -> None:
    found = train_robust(marked())
    errors = {(cell.attack, cell.judge): cell.value for cell in found.cells}
    assert errors["speaker", BEFORE] == 1.0
    assert errors["speaker", SEEN] == 0.0
    # contradiction has the mark of speaker, so a head without speaker knows it.
    assert errors["speaker", HELD_OUT] == 0.0
    assert set(found.pairs) == {"contradiction", "speaker", "repetition"}
    assert errors["co-reference", SEEN] == errors["co-reference", HELD_OUT] == 0.0


def differences(found: RobustTraining) -> dict[tuple[str, str], list[float | None]]:
    return {(cell.attack, cell.judge): [each.difference for each in cell.outcomes] for cell in found.cells}


def test_an_attack_that_is_held_out_is_not_seen() -> None:
    """What an attack does in training dialogues does not change the head that it is scored with."""
    plain = marked()
    names = sorted({each.source.dialogue for each in plain}, key=lambda name: (digest(1, name), name))
    test = names[:12]
    other = [
        msgspec.structs.replace(each, adversarial=f"{each.reply} something else")
        if each.attack == "repetition" and each.source.dialogue not in test
        else each
        for each in plain
    ]
    one, two = differences(train_robust(plain)), differences(train_robust(other))
    assert one["repetition", HELD_OUT] == two["repetition", HELD_OUT]
    assert one["repetition", SEEN] != two["repetition", SEEN]
    assert one["speaker", HELD_OUT] != two["speaker", HELD_OUT]


def test_no_test_dialogue_is_trained_on() -> None:
    found = train_robust(marked(), test_share=0.25)
    assert found.pairs == {"contradiction": 30, "speaker": 30, "repetition": 30}
    assert found.tested == 40


def test_the_command_and_the_judge_that_it_writes(tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "cases.jsonl"
    write_cases(file, marked())
    words = ["judge", "train", "robust", file, "--out", tmp_path / "head"]
    document = cli.json(*words)
    assert document["counts"] == {"cases": 160, "pairs": 84, "attacks": 3, "tested": 48}
    assert {each["judge"] for each in document["scores"] if each["attack"] == "co-reference"} == {BEFORE, HELD_OUT}
    assert "is not empty; use --force to replace its content" in cli.refused(*words)
    first = (tmp_path / "head" / "robust.json").read_bytes()
    said = cli(*words, "--force", "-v")
    assert (tmp_path / "head" / "robust.json").read_bytes() == first
    assert "mean: trained attacks" in said.out
    judge = f"robust(folder={tmp_path / 'head'})"
    found = cli.json("score", file, "--judge", f"mine={judge}", "--quiet")
    errors = {each["attack"]: each["value"] for each in found["scores"] if each.get("judge") == "mine"}
    assert errors["speaker"] == 0.0
    asked = [(each.context, each.adversarial) for each in marked(5)]
    _, loaded = load_judge(judge)
    assert list(loaded.score(asked)) == [loaded.score([item])[0] for item in asked]


def test_vectors_of_minilm() -> None:
    pytest.importorskip("torch")
    from dialmeter.embedding import weights_folder

    if weights_folder() is None:
        pytest.skip("the weights of MiniLM are not installed")
    found = train_robust(marked(10), features="minilm")
    errors = {(cell.attack, cell.judge): cell.value for cell in found.cells}
    _, relevance = load_judge("minilm-relevance")
    tested = next(c for c in found.cells if c.judge == BEFORE).outcomes
    names = {each.source.dialogue for each in marked(10)}
    assert len(found.weights.weights) == 1 + 2 * 384
    assert errors["speaker", SEEN] is not None
    differences = {
        round(a - b, 5)
        for each in marked(10)
        if each.attack == "contradiction"
        for a, b in [relevance.score([(each.context, each.reply), (each.context, each.adversarial)])]
    }
    assert {round(each.difference or 0.0, 5) for each in tested} <= differences
    assert len(tested) < len(names)


def test_too_few_attacks() -> None:
    with pytest.raises(DialmeterError, match="pairs of at least 2 attacks"):
        train_robust(cases(("speaker", "co-reference")))
    with pytest.raises(DialmeterError, match="features must be ngram or minilm"):
        train_robust(marked(), features="words")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"layout": 2}, "Invalid enum value 2 - at $.layout"),
        ({"features": "other"}, "Invalid enum value 'other' - at $.features"),
        ({"weights": [1.0]}, "1 weights, expected 2052"),
        ({"weights": "x"}, "weights"),
    ],
)
def test_weights_that_do_not_fit(change: dict[str, object], why: str, tmp_path: Path) -> None:
    good = {"layout": 1, "features": "ngram", "weights": [0.0] * 2052, "attacks": [], "cases": "", "seed": 1}
    (tmp_path / "robust.json").write_text(json.dumps({**good, **change}))
    with pytest.raises(DialmeterError) as error:
        load_judge(f"robust(folder={tmp_path})")
    assert why in str(error.value)


def test_a_folder_without_weights(tmp_path: Path) -> None:
    with pytest.raises(DialmeterError, match="make one with: dialmeter judge train robust"):
        load_judge(f"robust(folder={tmp_path})")
