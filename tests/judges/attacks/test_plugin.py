"""The attack of docs/plugins.md, installed as a package and run."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from dialmeter.readers.layouts.own import conversation_to_dict

from ...docs.test_plugins import install, run
from .talk import VILLAGE


def test_the_attack_of_the_page(tmp_path: Path) -> None:
    install(tmp_path)
    corpus, out = tmp_path / "village.jsonl", tmp_path / "cases.jsonl"
    corpus.write_bytes(b"\n".join(msgspec.json.encode(conversation_to_dict(talk)) for talk in VILLAGE))
    words = ["--attack", "backwards", "--cases", "4", "--light", "--no-cache"]
    done = run(tmp_path, "judge", "attack", str(corpus), "--out", str(out), *words)
    assert done.returncode == 0, done.stderr
    cases = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert len(cases) == 4
    for case in cases:
        assert (case["attack"], case["variant"], case["expected"]) == ("backwards", "words", "lower")
        assert case["adversarial"].split() == case["reply"].split()[::-1]
