"""Tasks of attacks: together they give the cases of the whole corpus, in any order and after any interruption."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from random import Random

import msgspec
import pytest

from dialmeter.core.output import Checkpoint
from dialmeter.errors import DialmeterError
from dialmeter.judges.attack_run import (
    BATCH,
    Attacked,
    AttackPart,
    AttackSetting,
    AttackTask,
    AttackWork,
    attack_corpus,
    attack_part,
    gather,
    resource_names,
)
from dialmeter.judges.attacks import chosen, make_pool, with_resources
from dialmeter.judges.language import Language, Resources
from dialmeter.model import Conversation

from ...simulation.played import play_to_file

NAMES = ("entailment", "pronoun", "repetition", "vocabulary", "dullness", "entrainment")


@pytest.fixture(scope="module")
def talks(tmp_path_factory: pytest.TempPathFactory) -> list[Conversation]:
    from dialmeter.readers.conversations import open_conversations

    path = tmp_path_factory.mktemp("talk") / "talk.jsonl"
    play_to_file(path, goals=90, seed=4)
    return list(open_conversations(str(path)))


@pytest.fixture(scope="module")
def light() -> Language:
    return Resources(light=True).open()


@pytest.fixture(scope="module")
def undisturbed(talks: list[Conversation], light: Language) -> Callable[[int], Attacked]:
    """What one walk over the corpus makes of it, for a number of cases."""
    return cache(lambda cases: attack_corpus(talks, chosen(NAMES), light, cases=cases))


@pytest.mark.parametrize(("cases", "dialogues"), [(3, 90), (40, 90), (89, 90), (150, 90), (2000, 20)])
def test_tasks_put_together(cases: int, dialogues: int, talks: list[Conversation], light: Language) -> None:
    talks = talks[:dialogues]
    attacks = chosen(NAMES)
    found = attack_corpus(talks, attacks, light, cases=cases)
    able, skipped = with_resources(attacks, light)
    by_name = {attack.name: attack for attack in able}
    task = AttackTask(0, tuple(talks), tuple(by_name), None)
    whole = attack_part(task, by_name, light, AttackSetting(make_pool(talks, light, 7), 7, cases)).found
    gathered = [gather(attack.name, whole[attack.name], cases, skipped.get(attack.name)) for attack in attacks]
    assert found.cases == [case for made, _ in gathered for case in made]
    assert found.yields == [each for _, each in gathered]


def in_haste(ahead: int, tasks_done: list[AttackTask] | None = None):  # type: ignore[no-untyped-def]
    """Work that is done some tasks ahead of what has been taken, as by several workers."""

    def working(setting: AttackSetting, tasks: Sequence[AttackTask]) -> Iterator[AttackPart]:
        work = AttackWork(NAMES, Resources(light=True), resource_names(Resources(light=True).open()), setting)
        there = pickle.loads(pickle.dumps(work))
        waiting: list[AttackPart] = []
        for place in range(len(tasks)):
            task = msgspec.msgpack.decode(msgspec.msgpack.encode(tasks[place]), type=AttackTask)
            waiting.append(there(task))
            if tasks_done is not None:
                tasks_done.append(task)
            if len(waiting) > ahead:
                yield waiting.pop(0)
        yield from waiting

    return working


@pytest.mark.parametrize("ahead", [0, 1, 3, 100])
def test_who_runs_ahead_changes_nothing(
    ahead: int, talks: list[Conversation], light: Language, undisturbed: Callable[[int], Attacked]
) -> None:
    there = attack_corpus(talks, chosen(NAMES), light, cases=40, working=in_haste(ahead))
    assert there == undisturbed(40)


def test_attacks_with_enough_cases_are_not_tried_again(talks: list[Conversation], light: Language) -> None:
    done: list[AttackTask] = []
    attack_corpus(talks, chosen(NAMES), light, cases=40, working=in_haste(0, done))
    assert set(done[0].attacks) == set(NAMES)
    assert len(done[0].conversations) == BATCH
    assert all(not later or set(later) < set(NAMES) for later in (task.attacks for task in done[3:]))


def checkpoint(path: Path, force: bool = False) -> Checkpoint[AttackPart]:
    return Checkpoint(path, AttackPart, "a part", "another corpus or other settings", force=force)


@pytest.mark.parametrize("seed", range(6))
def test_an_interrupted_run_resumes(
    seed: int, tmp_path: Path, talks: list[Conversation], light: Language, undisturbed: Callable[[int], Attacked]
) -> None:
    random = Random(seed)
    attacks = chosen(NAMES)
    kept = checkpoint(tmp_path / "cases.jsonl")
    kept.resume("x")
    after, lost = random.randrange(1, 4), random.randrange(0, 3)

    def breaking(setting: AttackSetting, tasks: Sequence[AttackTask]) -> Iterator[AttackPart]:
        by_name = {attack.name: attack for attack in with_resources(attacks, light)[0]}
        for place in range(after):
            if place != lost:
                yield attack_part(tasks[place], by_name, light, setting)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        attack_corpus(talks, attacks, light, cases=120, working=breaking, save=kept.add)
    kept.close()
    file = tmp_path / "cases.jsonl.parts"
    if file.exists():
        with open(file, "ab") as torn:
            torn.write(b'{"number": 77, "fou')
    again = checkpoint(tmp_path / "cases.jsonl")
    parts = again.resume("x")
    assert len(parts) == len({*range(after)} - {lost})
    assert attack_corpus(talks, attacks, light, cases=120, done=parts, save=again.add) == undisturbed(120)
    again.remove()
    again.close()
    assert not list(tmp_path.iterdir())


def test_parts_of_something_else_are_refused(tmp_path: Path) -> None:
    for damage, message in (
        (b"", "another corpus or other settings; start again with --force"),
        (b"y\n[1]\n", "not a part"),
    ):
        with closing(checkpoint(tmp_path / "c", force=True)) as kept:
            kept.resume("x")
            kept.add(AttackPart(0, {}))
        if damage:
            (tmp_path / "c.parts").write_bytes(damage)
        with closing(checkpoint(tmp_path / "c")) as kept, pytest.raises(DialmeterError, match=message):
            kept.resume("y")
    with closing(checkpoint(tmp_path / "c", force=True)) as anew:
        assert anew.resume("y") == []
    assert not list(tmp_path.iterdir())


def test_a_worker_with_other_resources_is_refused(talks: list[Conversation], light: Language) -> None:
    setting = AttackSetting(make_pool(talks, light, 7), 7, 3)
    other = AttackWork(NAMES, Resources(light=True), ("another-pipeline-1.0",), setting)
    with pytest.raises(
        DialmeterError, match=r"a worker has tokens-by-rule, .* the main process has another-pipeline-1\.0"
    ):
        other(AttackTask(0, tuple(talks[:2]), NAMES, 1))
