"""Judges of satisfaction against their formulas."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialmeter.errors import DialmeterError, InputError
from dialmeter.judges.adapters.satisfaction import SatisfactionBert, SatisfactionGru
from dialmeter.model import Move

from ..tiny import CONTEXT, ITEMS, bert, torch, transformers

hierarchical_gru = pytest.importorskip("dialmeter.judges.adapters.hierarchical_gru")
safetensors = pytest.importorskip("safetensors.torch")


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = bert(tmp_path_factory.mktemp("sat"), "BertModel")
    torch.manual_seed(3)
    safetensors.save_file({"weight": torch.randn(5, 64), "bias": torch.randn(5)}, folder / "head.safetensors")
    return folder


def logits(folder: Path, texts: list[str], power: float) -> list[float]:
    """The published features of one dialogue by itself."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder).eval()
    ids = [token for text in texts for token in tokenizer(text)["input_ids"][1:][:64]][-500:]
    with torch.inference_mode():
        found = model(torch.tensor([[tokenizer.cls_token_id, *ids]]), output_hidden_states=True).hidden_states
    last, before = found[-1][0], found[-2][0]
    mean = torch.cat([last, before], dim=-1).sum(0) / (len(ids) + 1) ** power
    head = safetensors.load_file(folder / "head.safetensors")
    features = torch.cat([last[0], before[0], mean])
    result: list[float] = (head["weight"] @ features + head["bias"]).tolist()
    return result


@pytest.mark.parametrize(("pooling", "power"), [("mean", 1.0), ("root", 0.5)])
def test_bert_by_hand(pooling: str, power: float, encoder: Path) -> None:
    expected, likeliest = [], []
    for context, reply in ITEMS:
        found = torch.tensor(logits(encoder, [*(move.text for move in context), reply], power))
        expected.append(float((found.softmax(0) * torch.arange(1, 6)).sum()))
        likeliest.append(float(found.argmax() + 1))
    assert SatisfactionBert(str(encoder), pooling=pooling).score(ITEMS) == pytest.approx(expected, abs=1e-4)
    assert SatisfactionBert(str(encoder), "argmax", pooling).score(ITEMS) == likeliest


def test_of_a_long_dialogue_the_end_counts(encoder: Path) -> None:
    judge = SatisfactionBert(str(encoder))
    tail = tuple(Move("user", "i need a cheap hotel in the north " * 9) for _ in range(9))
    one, other = judge.score([((Move("user", "no"), *tail), "yes"), ((Move("user", "the train"), *tail), "yes")])
    assert one == pytest.approx(other, abs=1e-5)


def test_settings_and_files_that_do_not_fit(encoder: Path, tmp_path: Path) -> None:
    with pytest.raises(DialmeterError, match="reading must be weighted or argmax"):
        SatisfactionBert(str(encoder), "median")
    with pytest.raises(DialmeterError, match="pooling must be mean or root"):
        SatisfactionBert(str(encoder), pooling="max")
    bare = bert(tmp_path / "bare", "BertModel")
    with pytest.raises(DialmeterError, match="has no head"):
        SatisfactionBert(str(bare)).load_weights()
    safetensors.save_file({"weight": torch.zeros(5, 3), "bias": torch.zeros(5)}, bare / "head.safetensors")
    with pytest.raises(DialmeterError, match="must hold weight"):
        SatisfactionBert(str(bare)).load_weights()


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(5)
    words = ["cheap", "hotel", "i", "inn", "need", "no", "the"]
    made = hierarchical_gru.HierarchicalGru(hierarchical_gru.Config(len(words) + 2, 8, 6))
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter, std=0.7)
    folder = tmp_path_factory.mktemp("gru")
    hierarchical_gru.save(folder, made, words)
    return folder


def gru(cells: torch.nn.GRU, sequence: torch.Tensor) -> torch.Tensor:
    """A GRU in both directions by its equations, one step at a time."""
    both = []
    for suffix, steps in (("", range(len(sequence))), ("_reverse", range(len(sequence) - 1, -1, -1))):
        inner, outer = getattr(cells, f"weight_ih_l0{suffix}"), getattr(cells, f"weight_hh_l0{suffix}")
        first, second = getattr(cells, f"bias_ih_l0{suffix}"), getattr(cells, f"bias_hh_l0{suffix}")
        state = torch.zeros(cells.hidden_size)
        states = [state] * len(sequence)
        for step in steps:
            reset, update, new = (inner @ sequence[step] + first).chunk(3)
            old_reset, old_update, old_new = (outer @ state + second).chunk(3)
            gate = torch.sigmoid(update + old_update)
            state = (1 - gate) * torch.tanh(new + torch.sigmoid(reset + old_reset) * old_new) + gate * state
            states[step] = state
        both.append(torch.stack(states))
    return torch.cat(both, dim=1)


def attended(attention: torch.nn.Module, sequence: torch.Tensor) -> torch.Tensor:
    shares = attention.weigh(torch.tanh(attention.project(sequence))).squeeze(-1).softmax(0)
    return (shares[:, None] * sequence).sum(0)


def test_the_hierarchical_gru_by_its_equations(network: Path) -> None:
    """Along tokens, then along utterances; neither padding nor other dialogues of the batch take part."""
    made, places = hierarchical_gru.load(network)
    expected = []
    with torch.inference_mode():
        for context, reply in ITEMS:
            said = [*((move.speaker, move.text) for move in context)]
            replier = next(speaker for speaker, _ in reversed(said) if speaker != said[-1][0])
            vectors = []
            for speaker, text in [*said, (replier, reply)]:
                ids = [places.get(token, 1) for token in hierarchical_gru.tokens(text)]
                words = made.embed.weight[ids] + made.speaker.weight[1 if speaker == replier else 2]
                vectors.append(attended(made.attend_tokens, gru(made.read, words)))
            states = gru(made.follow, torch.stack(vectors))
            logits = made.classify(torch.cat([attended(made.attend_utterances, states), states[-1]]))
            expected.append(float((logits.softmax(0) * torch.arange(1, 6)).sum()))
    assert SatisfactionGru(str(network)).score(ITEMS) == pytest.approx(expected, abs=1e-4)
    assert set(SatisfactionGru(str(network), "argmax").score(ITEMS)) <= {1.0, 2.0, 3.0, 4.0, 5.0}


def test_only_the_last_ten_utterances_count(network: Path) -> None:
    judge = SatisfactionGru(str(network))
    tail = tuple(Move(("user", "system")[number % 2], f"i need the inn {number}") for number in range(9))
    one, other = judge.score([((Move("user", "no"), *tail), "no"), (tail, "no")])
    assert one == pytest.approx(other, abs=1e-6)


def test_a_folder_that_holds_no_judge(network: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a trained judge of satisfaction"):
        SatisfactionGru(str(tmp_path)).load_weights()
    for path in network.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "words.txt").write_text("one\n")
    with pytest.raises(InputError, match=r"words.txt has 1 words, not 7"):
        SatisfactionGru(str(tmp_path)).load_weights()
    (tmp_path / "model.safetensors").write_bytes(b"junk")
    with pytest.raises(InputError, match="not a trained judge of satisfaction"):
        SatisfactionGru(str(tmp_path)).load_weights()


def test_every_item_needs_somebody_who_spoke(network: Path) -> None:
    assert len(SatisfactionGru(str(network)).score([(CONTEXT[:1], "no")])) == 1
