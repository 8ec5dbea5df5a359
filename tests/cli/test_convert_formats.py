"""``convert --to``: reading a written file gives the same dialogues, and content that a format cannot store is reported."""

from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path
from typing import Any

import pytest

from dialmeter.model import Dialogue, Frame, Turn
from dialmeter.readers.corpus import open_corpus
from dialmeter.readers.layouts.own import WRITERS, write
from dialmeter.tracking.scoring import score_file

from ..readers.states.layouts import LAYOUTS, OF_ONE_TURN, WITHOUT_DELETIONS
from ..readers.states.talks import talks
from ..shared_data import shared
from .invoke import Cli

FORMAT = {"csv": "rows"}
"""Name of a written format → name of the format that reads it, if they differ."""
ENDING = {"csv": ".csv", "nested": ".json"}


def plain(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    return {
        each.id: [(turn.number, turn.gold, turn.pred, turn.user, turn.system, turn.frames) for turn in each.turns]
        for each in open_corpus(path, asks=False)  # the states of no dialogue follow from each other
    }


def native_file(path: Path, dialogues: list[Dialogue]) -> Path:
    with path.open("wb") as file:
        write(dialogues, file)
    return path


LETTERS = "ab-_ ='\"+@\t\r\n,;{}[]:é漢\u2028\\"


def odd_dialogues() -> list[Dialogue]:
    """Dialogues with texts that a format could misread."""
    draw = random.Random(18)

    def text(most: int = 6) -> str:
        return "".join(draw.choice(LETTERS) for _ in range(draw.randint(1, most)))

    def state() -> dict[str, Any] | None:
        values = (text(), "", (text(), text()), "none", "dontcare")
        return draw.choice([None, {}, {f"{text()}-{text()}": draw.choice(values) for _ in range(3)}])

    found = []
    for place in range(60):
        turns = tuple(
            Turn(number, state(), state(), draw.choice(["", text(20)]), draw.choice(["", text(20)]))
            for number in sorted(draw.sample(range(9), draw.randint(1, 4)))
        )
        found.append(Dialogue(f"{text()}{place}", turns))
    return found


@pytest.mark.parametrize("format", WRITERS)
def test_texts_of_every_kind_come_back(format: str, tmp_path: Path, cli: Cli) -> None:
    source = native_file(tmp_path / "in.jsonl", odd_dialogues())
    target = tmp_path / f"out{ENDING.get(format, '.jsonl')}"
    assert cli("convert", source, target, "--to", format).err == f"60 dialogues from native to {format}\n"
    assert open_corpus(target).format == FORMAT.get(format, format)
    assert plain(target) == plain(source)


@pytest.mark.parametrize("format", WRITERS)
@pytest.mark.parametrize("source", [name for name in {**LAYOUTS, **WITHOUT_DELETIONS} if "." not in name])
def test_every_format_to_every_format(source: str, format: str, tmp_path: Path, cli: Cli) -> None:
    made = {**LAYOUTS, **WITHOUT_DELETIONS}[source](tmp_path, talks()[:5])
    golds = ["--gold", made.gold] if made.gold else []
    target = tmp_path / f"written{ENDING.get(format, '.jsonl')}"
    cli("convert", made.path, target, *golds, "--to", format)
    before = score_file(str(made.path), str(made.gold) if made.gold else None, measures=["JGA", "RSA", "GCA"])
    assert score_file(str(target), measures=["JGA", "RSA", "GCA"]).scores == before.scores


@pytest.mark.parametrize("source", OF_ONE_TURN)
def test_turns_without_dialogues_become_rows(source: str, tmp_path: Path, cli: Cli) -> None:
    made = OF_ONE_TURN[source](tmp_path, talks()[:2])
    golds = ["--gold", made.gold] if made.gold else []
    cli("convert", made.path, tmp_path / "rows.csv.gz", *golds)
    before = score_file(str(made.path), str(made.gold) if made.gold else None, measures=["JGA"])
    assert score_file(str(tmp_path / "rows.csv.gz"), measures=["JGA"]).scores == before.scores


@pytest.mark.parametrize("format", WRITERS)
@pytest.mark.parametrize(
    "name", ["som_dst_100.json", "nested/T5__T5_result_zeroshot_attraction.json", "fga_text_MUL0144.txt"]
)
def test_published_files_come_back(name: str, format: str, tmp_path: Path, cli: Cli) -> None:
    source = shared("data", "tracking", *name.split("/"))
    target = tmp_path / "out"
    cli("convert", source, target, "--to", format, "--quiet")
    assert plain(target) == plain(source)
    assert score_file(str(target)).scores == score_file(str(source)).scores


def test_losses_reported(tmp_path: Path, cli: Cli) -> None:
    frames = {"hotel": Frame("find", None, ("phone",), None)}
    source = native_file(tmp_path / "in.jsonl", [Dialogue("d", (Turn(0, {"a-b": "c"}, {}, frames=frames),))])
    lost = "warning: intents and requested slots of 1 turns are lost: the format {} cannot hold them [d turn 0]\n"
    for format in WRITERS:
        assert (
            cli("convert", source, tmp_path / format, "--to", format).err
            == lost.format(format) * (format != "native") + f"1 dialogues from native to {format}\n"
        )


def test_slot_without_domain(tmp_path: Path, cli: Cli) -> None:
    source = native_file(tmp_path / "in.jsonl", [Dialogue("d", (Turn(3, {"area": "east"}, {}),))])
    result = cli("convert", source, tmp_path / "out.json", "--to", "nested", code=2)
    expected = "dialogue d, turn 3, slot area: the format nested cannot hold a slot without a domain"
    assert result.complaint.startswith(f"{source}: {expected}")
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


def test_ending_chooses_csv(tmp_path: Path, cli: Cli) -> None:
    source = native_file(tmp_path / "in.jsonl", [Dialogue("=1+1", (Turn(0, {}, None, user="-x"),))])
    cli("convert", source, tmp_path / "out.csv")
    cells = list(csv.reader(io.StringIO((tmp_path / "out.csv").read_text("utf-8"))))
    assert cells == [["dialogue_id", "turn", "gold", "pred", "user", "system"], ["'=1+1", "0", "{}", "", "'-x", ""]]
    cli("convert", source, tmp_path / "rows.csv", "--to", "rows")
    assert json.loads((tmp_path / "rows.csv").read_text()) == {
        **{"dialogue_id": "=1+1", "turn": 0, "gold": {}, "pred": None, "user": "-x"}
    }
