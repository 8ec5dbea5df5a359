"""The metric gives the numbers of ``tracker score``, however the turns come, and over processes."""

from __future__ import annotations

import math
import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torchmetrics import MetricCollection

from dialmeter import DialmeterError, InputError, read
from dialmeter.integrations.torchmetrics import DialogueStateMetric

from ..scoring import score_tracker
from .examples import run_example

MEASURES = ["JGA", "FGA(lam=0.5)", "GCA", "SA(slots=17)", "AGA", "RSA", "SlotF1", "FinalJGA", "DialogueAccuracy"]
MEASURES += ["JGA(average=dialogue)", "GCA(average=dialogue)"]


def expected(path: Path, **options: Any) -> dict[str, float]:
    scores = score_tracker(str(path), measures=MEASURES, **options).scores
    return {score.measure: score.value for score in scores if score.value is not None}


def numbers(values: dict[str, torch.Tensor]) -> dict[str, float]:
    return {name: value.item() for name, value in values.items()}


def turns(path: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any], str]]:
    """All turns, the dialogues mixed: the first turns of all come first."""
    dialogues = list(read(str(path)))
    for number in range(max(len(each.turns) for each in dialogues)):
        for each in dialogues:
            if number < len(each.turns):
                yield dict(each.turns[number].pred or {}), dict(each.turns[number].gold or {}), each.id


@pytest.mark.parametrize("name", ["base.jsonl", "new.jsonl"])
@pytest.mark.parametrize("rules", ["dialmeter", "trade", "fga-repo"])
def test_turn_by_turn_equals_tracker_score(folder: Path, name: str, rules: str) -> None:
    metric = DialogueStateMetric(MEASURES, rules)
    for pred, gold, dialogue in turns(folder / name):
        metric.update(pred, gold, dialogue)
        pred.clear()  # a tracker may reuse its dictionary without changing what was added
    assert numbers(metric.compute()) == pytest.approx(expected(folder / name, rules=rules), abs=1e-12)


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_batches_of_turns(folder: Path, size: int) -> None:
    metric = DialogueStateMetric(MEASURES)
    listed = list(turns(folder / "new.jsonl"))
    for start in range(0, len(listed), size):
        preds, target, dialogues = zip(*listed[start : start + size], strict=True)
        values = metric(list(preds), list(target), list(dialogues))
        assert 0 <= values["JGA"] <= 1
    assert numbers(metric.compute()) == pytest.approx(expected(folder / "new.jsonl"), abs=1e-12)
    if size == 1000:
        assert numbers(values) == pytest.approx(expected(folder / "new.jsonl"), abs=1e-12)


def whole_dialogues(path: Path) -> tuple[list[Any], list[Any], list[str]]:
    listed = list(read(str(path)))
    preds = [[turn.pred for turn in each.turns] for each in listed]
    return preds, [[turn.gold for turn in each.turns] for each in listed], [each.id for each in listed]


def test_whole_dialogues_and_new_epoch(folder: Path) -> None:
    metric = DialogueStateMetric(MEASURES)
    for name in ("base.jsonl", "new.jsonl"):
        metric.update(*whole_dialogues(folder / name))
        assert numbers(metric.compute()) == pytest.approx(expected(folder / name), abs=1e-12)
        metric.reset()


def test_copy_with_open_dialogues(folder: Path) -> None:
    metric = DialogueStateMetric(MEASURES)
    listed = list(turns(folder / "new.jsonl"))
    for each in listed[:100]:
        metric.update(*each)
    copies = [metric.clone(), pickle.loads(pickle.dumps(metric))]
    for copy in copies:
        for each in listed[100:]:
            copy.update(*each)
        assert numbers(copy.compute()) == pytest.approx(expected(folder / "new.jsonl"), abs=1e-12)


def test_collection_of_metrics(folder: Path) -> None:
    metrics = {name: DialogueStateMetric([name]) for name in ("JGA", "JGA(average=dialogue)", "FinalJGA")}
    collection = MetricCollection(metrics)
    for pred, gold, dialogue in turns(folder / "new.jsonl"):
        collection.update(pred, gold, dialogue)
    known = expected(folder / "new.jsonl")
    assert sorted(numbers(collection.compute()).values()) == pytest.approx(sorted(known[name] for name in metrics))


def _work(rank: int, folder: Path, results: Any) -> None:
    torch.distributed.init_process_group("gloo", f"file://{folder / 'meeting'}", rank=rank, world_size=2)
    metric = DialogueStateMetric(MEASURES)
    preds, target, dialogues = whole_dialogues(folder / "new.jsonl")
    cut = 11
    mine = slice(0, cut) if rank == 0 else slice(cut, None)
    metric.update(preds[mine], target[mine], dialogues[mine])
    results.put((rank, numbers(metric.compute())))
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()


def test_two_processes_equal_one(folder: Path) -> None:
    context = torch.multiprocessing.get_context("spawn")
    results = context.SimpleQueue()
    workers = [context.Process(target=_work, args=(rank, folder, results)) for rank in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
        assert worker.exitcode == 0
    found = dict(results.get() for _ in workers)
    assert found[0] == found[1] == pytest.approx(expected(folder / "new.jsonl"), abs=1e-12)


def test_nothing_to_count() -> None:
    metric = DialogueStateMetric(["GCA"])
    metric.update({}, {}, "d1")
    assert math.isnan(metric.compute()["GCA"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([{}], [{}, {}], ["d1", "d2"]), "preds, target and dialogue_ids must be lists of the same length"),
        (([{}], [{}], "d"), "dialogue_ids must be one id for one turn, and a list of ids for a batch"),
        (({}, {}, ["d"]), "dialogue_ids must be one id for one turn, and a list of ids for a batch"),
        (([{}], [[{}]], ["d1"]), "dialogue d1: one of preds and target is a state, the other a list of states"),
        (([[{}]], [[{}, {}]], ["d1"]), "dialogue d1: 2 gold states, but 1 predicted states"),
        (([["x"]], [[{}]], ["d1"]), "dialogue d1, turn 0: "),
        (([[]], [[]], ["d1"]), "dialogue d1: a dialogue without turns"),
        (([[{}], [{}]], [[{}], [{}]], ["d1", "D1.json"]), "dialogue d1: the dialogue was added before"),
        (([[{}]], [[{}]], ["known"]), "dialogue known: the dialogue was added before"),
        (({}, {}, "whole"), "dialogue whole: the dialogue was added before"),
    ],
)  # fmt: skip
def test_bad_input_changes_nothing(arguments: tuple[Any, ...], message: str) -> None:
    metric = DialogueStateMetric(["JGA"])
    metric.update({"a-b": "1"}, {"a-b": "1"}, "known")
    metric.update([[{}]], [[{"a-b": "1"}]], ["whole"])
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        metric.update(*arguments)
    assert "\n" not in str(caught.value)
    assert numbers(metric.compute()) == {"JGA": 0.5}
    metric.update({}, {"a-b": "1"}, "known")
    assert numbers(metric.compute()) == {"JGA": pytest.approx(1 / 3)}


def test_whole_corpus_measures_refused() -> None:
    with pytest.raises(DialmeterError, match=r"^SA needs the number of slots: write SA\(slots=30\), or give a schema$"):
        DialogueStateMetric(["SA"])
    with pytest.raises(DialmeterError, match=r"^dist_sync_on_step is not supported"):
        DialogueStateMetric(dist_sync_on_step=True)


def test_slot_number_from_schema(tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text('{"hotel": ["area", "stars"], "taxi": ["to", "from"]}')
    metric = DialogueStateMetric(["SA"], schema=schema)
    metric.update({"hotel-area": "west"}, {"hotel-area": "east"}, "d1")
    assert numbers(metric.compute()) == {"SA": 0.75}


def test_example_of_page() -> None:
    values = run_example("torchmetrics")["values"]
    assert isinstance(values, dict)
    assert values["JGA"].item() == pytest.approx(0.8)
