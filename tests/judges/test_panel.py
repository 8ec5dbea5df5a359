"""A panel: standard scores over a fixed reference, weights by facet or from ratings, and the scores of its members."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from dialmeter import DialmeterError
from dialmeter.judges.builtin.panel import JudgePanel, fold_of_items
from dialmeter.judges.judge import Judge, load_judge
from dialmeter.judges.people.study import judge_people
from dialmeter.judges.scorer import score_judge
from dialmeter.model import Move
from dialmeter.readers.ratings.rated_item import RatedItem

from ..cli.invoke import Cli
from .made import cases, write_cases
from .people.test_people import write

TALK = [
    ["i need a room", "for how many people?", "for two people", "which room do you want?"],
    ["a table please", "a table for two?", "yes yes yes", "very very good"],
    ["where is the inn?", "the inn is in mill lane", "thanks", "you are welcome"],
]
ITEMS = [
    ((Move("user", "a room for two"),), text) for text in ("which room?", "two two two", "the inn", "a room for two")
]


def rated(contexts: int = 40, *, informative: bool = True, seed: int = 1) -> list[RatedItem]:
    """Replies that people like for their length and for distinct words, or for nothing."""
    draw = random.Random(seed)
    found = []
    for context in range(contexts):
        for place in range(4):
            reply = " ".join(draw.choice(("one", "two", "three", "four", "five")) for _ in range(draw.randint(2, 9)))
            liked = len(reply.split()) / 3 + 4 * len(set(reply.split())) / len(reply.split())
            value = (liked if informative else 0.0) + draw.gauss(0, 0.2)
            asked = (Move("user", f"question {context}"),)
            found.append(RatedItem(f"{context}.{place}", "reply", asked, reply, ratings={"overall": (value,)}))
    return found


def case_files(folder: Path) -> Path:
    """A file of cases, next to a corpus to learn from."""
    write_cases(folder / "cases.jsonl", cases())
    roles = ("user", "assistant")
    talks = [[{"role": roles[n % 2], "content": text} for n, text in enumerate(texts)] for texts in TALK]
    rows = [{"id": f"t{number}", "messages": messages} for number, messages in enumerate(talks)]
    (folder / "talk.jsonl").write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    return folder / "cases.jsonl"


def panel(text: str) -> Judge:
    return load_judge(text, {"dialogues": TALK})[1]


def test_a_score_does_not_depend_on_its_batch_or_on_the_order_of_the_talk() -> None:
    together = list(panel("panel(judges=overlap+distinct+length)").score(ITEMS))
    alone = [panel("panel(judges=overlap+distinct+length)").score([item])[0] for item in ITEMS]
    other = JudgePanel("overlap+distinct+length", dialogues=TALK[::-1]).score(ITEMS)
    assert together == alone == list(other)


def test_weights_by_facet() -> None:
    judge = panel('panel(judges="overlap+distinct+ngram-coherence")')
    assert isinstance(judge, JudgePanel)
    # coherence: overlap and ngram-coherence; naturalness and interest: overlap and distinct.
    assert judge.weights == pytest.approx({"overlap": 1 / 2, "distinct": 1 / 3, "ngram-coherence": 1 / 6})
    assert judge.facets is None
    narrow = panel("panel(judges=distinct+ngram-fluency+ngram-coherence, facet=naturalness)")
    assert isinstance(narrow, JudgePanel)
    assert narrow.weights == {"distinct": 0.5, "ngram-fluency": 0.5}
    assert narrow.facets == {"naturalness"}


def test_the_scale_and_the_sign_of_a_member_do_not_matter(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "turned_judge.py").write_text(
        "def turned(context, reply):\n    return 50 - 1000 * len(reply.split())\nturned.higher_is_better = False\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    plain = panel("panel(judges=overlap+length)").score(ITEMS)
    turned = panel("panel(judges=overlap+turned_judge:turned)").score([(c, r.replace("?", "")) for c, r in ITEMS])
    assert turned == pytest.approx(plain)


def test_learned_weights_are_cross_validated(tmp_path: Path) -> None:
    items = rated()
    file = write(items, tmp_path / "ratings.jsonl")
    text = f"mine=panel(judges=length+distinct+random, ratings={file})"
    result = judge_people(items, [text], ci=0)
    found = {name: result["Pearson", name, "overall"].value or 0.0 for name in ("mine", "length", "distinct", "random")}
    assert found["mine"] > 0.8
    assert found["mine"] > 0.1 + max(found["length"], found["distinct"])
    none = rated(informative=False, seed=2)
    noise = judge_people(none, [f"mine=panel(judges=length+distinct+random, ratings={write(none, file)})"], ci=0)
    assert (noise["Pearson", "mine", "overall"].value or 0.0) < 0.1


def test_an_item_is_scored_without_the_ratings_of_its_context(tmp_path: Path) -> None:
    items = rated()
    changed = [replace(each, ratings={"overall": (-100.0 * len(each.reply),)}) for each in items[:4]] + items[4:]
    one, other = (
        load_judge(f"panel(judges=length+distinct, ratings={write(each, tmp_path / name)})")[1]
        for name, each in (("a.jsonl", items), ("b.jsonl", changed))
    )
    fold = fold_of_items(items)[0]
    for item, own in zip(items, fold_of_items(items), strict=True):
        same = one.score([(item.moves, item.reply)]) == other.score([(item.moves, item.reply)])
        assert same == (own == fold)
    new = [((Move("user", "something else"),), "one two")]
    assert one.score(new) != other.score(new)


def test_the_order_of_ratings_does_not_matter(tmp_path: Path) -> None:
    items = rated()
    files = write(items, tmp_path / "a.jsonl"), write(items[::-1], tmp_path / "b.jsonl")
    one, other = (load_judge(f"panel(judges=length+distinct, ratings={file})")[1] for file in files)
    asked = [(item.moves, item.reply) for item in items]
    assert one.score(asked) == other.score(asked)
    assert one.identity.partition("@")[2] == other.identity.partition("@")[2]  # type: ignore[attr-defined]


def test_members_of_a_panel_are_scored(tmp_path: Path, cli: Cli) -> None:
    text = 'both=panel(judges="overlap+distinct")'
    found = score_judge(cases(), [text], dialogues=TALK)
    assert [each.name for each in found.judges][:3] == ["both", "overlap", "distinct"]
    words = ["score", case_files(tmp_path), "--judge", f"{text[:-1]}, corpus={tmp_path / 'talk.jsonl'})", "--quiet"]
    document = cli.json(*words)
    assert {"both", "overlap", "distinct"} <= {each["judge"] for each in document["scores"]}
    ratings = write(rated(), tmp_path / "ratings.jsonl")
    both = "panel(judges=length+distinct)"
    words = ["score", ratings, "-j", f"{both[:-1]}, corpus={tmp_path / 'talk.jsonl'})", "--set", "ci=0", "--quiet"]
    assert {both, "distinct", "length"} <= {each["judge"] for each in cli.json(*words)["scores"]}


def test_several_processes_give_the_same(tmp_path: Path, cli: Cli) -> None:
    file = case_files(tmp_path)
    panel = f"panel(judges=overlap+ngram-fluency, corpus={tmp_path / 'talk.jsonl'})"
    words = ["score", file, "--judge", panel, "--quiet"]
    one, two = (cli.json(*words, "--workers", count)["scores"] for count in "12")
    assert one == two


def test_on_rated_dialogues() -> None:
    draw = random.Random(3)
    items = [
        RatedItem(
            str(n), "dialogue", (Move("user", "hi"), Move("system", " ".join(["a", "b", "c"] * draw.randint(1, 9)))),
            ratings={"overall": (draw.random(),)},
        )
        for n in range(12)
    ]  # fmt: skip
    judges = ["panel(judges=length+distinct)", "of=panel(judges='dialogue-length+dialogue-mean(judge=distinct)')"]
    found = judge_people(items, judges, ci=0)
    names = [column.name for column in found.columns][:2]
    assert names == ["dialogue-mean(judge=panel(judges=length+distinct))", "of"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("panel(judges=overlap)", "name at least two judges"),
        ("panel(judges=overlap+overlap)", "two members are called overlap"),
        ("panel(judges=overlap+lenght)", "did you mean length?"),
        ("panel(judges=overlap+dialogue-length)", "all members must judge replies, or all must judge dialogues"),
        ("panel(judges=overlap+constant)", "constant gives all 9 reference replies the same score"),
        ("panel(judges=overlap+length, facet=coherent)", "did you mean coherence?"),
        ("panel(judges=distinct+ngram-fluency, facet=coherence)", "no member judges coherence"),
        ("panel(judges=overlap+length, facet=overall)", "unknown facet 'overall'"),
        ("panel(judges=overlap+length, ratings=nowhere.jsonl)", "nowhere.jsonl"),
        ("panel(judges='overlap+ngram-fluency(corpus=x)')", "give the corpus to the panel"),
    ],
)
def test_refusals(text: str, why: str) -> None:
    with pytest.raises(DialmeterError) as error:
        panel(text)
    assert why in str(error.value)


def test_ratings_that_cannot_be_learned_from(tmp_path: Path) -> None:
    few = write(rated(4), tmp_path / "few.jsonl")
    with pytest.raises(DialmeterError, match="at least 5 contexts"):
        load_judge(f"panel(judges=length+distinct, ratings={few})")
    turned = [replace(each, ratings={"overall": (-float(len(each.reply.split())),)}) for each in rated()]
    with pytest.raises(DialmeterError, match="no member agrees"):
        load_judge(f"panel(judges='length+more=length', ratings={write(turned, tmp_path / 'turned.jsonl')})")
    with pytest.raises(DialmeterError, match="no dialogues to standardise scores with"):
        load_judge("panel(judges=length+distinct)")
