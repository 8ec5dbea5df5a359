"""Pang-C and Pang-F compared with the formula, token by token and one text at a time."""

from __future__ import annotations

from math import exp
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from dialmeter.errors import DialmeterError
from dialmeter.judges.adapters import network
from dialmeter.judges.adapters.published import PangC, PangF, Surprisal
from dialmeter.judges.judge import load_judge
from dialmeter.judges.scorer import score_judge
from dialmeter.model import Move

from ..made import cases
from ..tiny import CONTEXT, ITEMS, gpt2, llama, torch, transformers


@pytest.fixture(scope="module", params=[gpt2, llama], ids=["gpt2", "llama"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = request.param(tmp_path_factory.mktemp("causal"))
    return made


def plain(folder: Path) -> Any:
    """log p of a text as the definition has it: one pass over the whole text, the first token given."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()

    def log_p(text: str) -> tuple[float, int]:
        ids = tokenizer(text)["input_ids"]
        with torch.inference_mode():
            logs = model(torch.tensor([ids])).logits[0].double().log_softmax(-1)
        return float(sum(logs[at - 1, ids[at]] for at in range(1, len(ids)))), len(ids)

    return log_p


def joined(context: tuple[Move, ...]) -> str:
    return " ".join(move.text for move in context)


def test_pang_c_is_the_difference_of_two_log_likelihoods(folder: Path) -> None:
    log_p = plain(folder)
    expected = [log_p(f"{joined(context)} {reply}")[0] - log_p(joined(context))[0] for context, reply in ITEMS]
    assert PangC(str(folder)).score(ITEMS) == pytest.approx(expected, abs=1e-4)


def test_pang_c_per_token(folder: Path) -> None:
    log_p = plain(folder)
    expected = []
    for context, reply in ITEMS:
        (whole, length), (before, start) = log_p(f"{joined(context)} {reply}"), log_p(joined(context))
        expected.append((whole - before) / (length - start))
    assert PangC(str(folder), per_token=True).score(ITEMS) == pytest.approx(expected, abs=1e-4)


def test_pang_f_is_the_mean_over_the_reply_alone(folder: Path) -> None:
    log_p = plain(folder)
    several = [item for item in ITEMS if log_p(item[1])[1] > 1]
    expected = [log_p(reply)[0] / (log_p(reply)[1] - 1) for _, reply in several]
    assert PangF(str(folder)).score(several) == pytest.approx(expected, abs=1e-4)


def test_pang_f_of_one_token_follows_the_start_token(folder: Path) -> None:
    log_p = plain(folder)
    assert log_p("a")[1] == 1
    start = transformers.AutoTokenizer.from_pretrained(folder).bos_token
    assert PangF(str(folder)).score([((), "a")]) == pytest.approx([log_p(f"{start}a")[0]], abs=1e-4)


def test_neither_order_nor_company_changes_a_score(folder: Path) -> None:
    judge = PangC(str(folder))
    alone = [judge.score([item])[0] for item in ITEMS]
    assert judge.score(ITEMS[::-1])[::-1] == pytest.approx(alone, abs=1e-4)


def test_a_context_that_melts_into_the_reply(folder: Path) -> None:
    """A context that ends with a blank: the tokens at the seam are others than those of the context alone."""
    log_p = plain(folder)
    context = (Move("user", "i need "),)
    expected = log_p("i need   a hotel")[0] - log_p("i need ")[0]
    assert PangC(str(folder)).score([(context, " a hotel")]) == pytest.approx([expected], abs=1e-4)


def test_an_empty_context_leaves_the_first_token_out(folder: Path) -> None:
    log_p = plain(folder)
    assert PangC(str(folder)).score([((), "a hotel")]) == pytest.approx([log_p("a hotel")[0]], abs=1e-4)


def test_of_a_long_context_the_end_counts(folder: Path) -> None:
    long = (Move("user", "i need a cheap hotel " * 60),)
    short = (Move("user", "i need a cheap hotel " * 59),)
    judge = PangC(str(folder))
    expected = judge.score([(short, "no")])
    assert judge.score([(long, "no")]) == pytest.approx(expected, abs=1e-4)
    assert judge.score([(long, "no"), (long, "a train, thank you")])[:1] == pytest.approx(expected, abs=1e-4)


def test_surprisal_is_the_difference_of_two_log_likelihoods(folder: Path) -> None:
    log_p = plain(folder)
    pairs = [("no", "thank you, i need free parking"), ("no", "no"), ("goodbye! thank you", "goodbye! thank me")]
    logs = [[log_p(f"{joined(CONTEXT)} {reply}")[0] for reply in pair] for pair in pairs]
    judge = Surprisal(str(folder))
    compared = judge.compare([(CONTEXT, *pair) for pair in pairs])
    assert compared == pytest.approx([(exp(a - b) - 1) / (exp(a - b) + 1) for a, b in logs], abs=1e-4)
    assert (compared[0] > 0.9, compared[1], judge.name) == (True, 0, f"surprisal(model={folder.name})")
    assert judge.compare([(CONTEXT, *pair[::-1]) for pair in pairs]) == pytest.approx(
        [-each for each in compared], abs=1e-4
    )


def test_surprisal_in_the_table_of_judges(folder: Path) -> None:
    result = score_judge(cases(("speaker", "vocabulary"), 3), [Surprisal(str(folder))])
    [described] = [each for each in result.judges if each.name.startswith("surprisal")]
    assert (described.pairwise, described.facets) == (True, None)


def test_a_reply_longer_than_the_model_is_reported_with_its_case(folder: Path) -> None:
    judge = PangC(str(folder))
    with pytest.raises(DialmeterError, match="tokens, but the model takes 256"):
        judge.score([(CONTEXT, "hotel " * 300)])
    made = cases(("speaker",), 3)
    made[1] = replace(made[1], adversarial="hotel " * 300)
    [notice] = [each for each in score_judge(made, [judge]).notices if each.code == "judge-failed"]
    assert notice.count == 1


def test_pieces_are_the_text_and_the_mask_is_the_models_own(folder: Path) -> None:
    judge = PangF(str(folder))
    text = "thank you,  i need free parking"
    assert "".join(judge.pieces(text)) == text
    assert len(judge.pieces(text)) > 6
    assert judge.mask == "<|endoftext|>"


def test_an_empty_reply_has_no_likelihood(folder: Path) -> None:
    with pytest.raises(DialmeterError, match="an empty reply has no likelihood"):
        PangF(str(folder)).score([(CONTEXT, "")])


def test_names_identities_and_bad_models(folder: Path, tmp_path: Path) -> None:
    name, judge = load_judge(f"pang-c(model={folder}, per_token=true)")
    assert name == f"pang-c(model={folder.name}, per_token=True)"
    assert str(folder) not in judge.identity  # type: ignore[attr-defined]
    (tmp_path / "empty").mkdir()
    with pytest.raises(DialmeterError, match="dtype must be float32, float16 or bfloat16"):
        load_judge(f"pang-c(model={folder}, dtype=int8)")
    with pytest.raises(DialmeterError, match=r"the folder holds no model \(config.json is missing\)"):
        load_judge(f"pang-c(model={tmp_path / 'empty'})")
    (tmp_path / "empty" / "config.json").write_text("{}")
    with pytest.warns(UserWarning, match="no safetensors"), pytest.raises(DialmeterError, match="cannot be loaded"):
        load_judge(f"pang-c(model={tmp_path / 'empty'})")


def test_device_and_precision_are_passed_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []
    real = network.load

    def watched(kind: str, model: str, **more: Any) -> Any:
        asked.append(more)
        return real(kind, model, **{**more, "device": "cpu"})

    monkeypatch.setattr("dialmeter.judges.adapters.network.load", watched)
    judge = PangC(str(folder), device="cuda:1", dtype="bfloat16")
    assert not asked, "a judge is named without its weights"
    judge.load_weights()
    assert asked == [{"gguf": "", "device": "cuda:1", "dtype": "bfloat16"}]
    loaded = real("AutoModelForCausalLM", str(folder), dtype="bfloat16", gguf="", device="cpu")
    assert loaded.model.dtype == torch.bfloat16
