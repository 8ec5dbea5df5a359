"""Judges compared with people: laws of the result, references, judges of dialogues, warnings."""

from __future__ import annotations

import random
import sys
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import msgspec
import pytest
from msgspec.structs import replace

from dialmeter import DialmeterError
from dialmeter.core.open_runs import open_run
from dialmeter.errors import InputError
from dialmeter.judges.judge import load_judge
from dialmeter.judges.people.study import judge_people, rouge_l, with_references
from dialmeter.model import Move
from dialmeter.readers.ratings.rated_item import RatedItem, RatedItems
from dialmeter.views.content import plain_report
from dialmeter.views.html import html_report
from dialmeter.views.pages.opened_run import OpenedRun
from dialmeter.views.pages.scores import command

from ...cli.invoke import Cli


def rated(
    contexts: int = 12, replies: int = 4, *, noise: float = 0.3, seed: int = 1, raters: int = 3
) -> list[RatedItem]:
    """Replies whose length is what people like, with noise."""
    draw = random.Random(seed)
    found = []
    for context in range(contexts):
        asked = (Move("user", f"question {context}"),)
        for place in range(replies):
            words = 1 + draw.randint(0, 8)
            ratings = tuple(words + 8 * noise * draw.gauss(0, 1) for _ in range(raters))
            reply = " ".join(["word"] * words)
            scores = {"good": float(words) + draw.random() / 10, "bad": -float(words)}
            found.append(
                RatedItem(
                    f"{context}.{place}", "reply", asked, reply, f"s{place}", "", {"overall": ratings}, {}, scores
                )
            )
    return found


def item(name: str, context: str, **fields: Any) -> RatedItem:
    """A rated reply to a context of one turn."""
    return RatedItem(name, "reply", (Move("user", context),), "x", **fields)


def test_order_of_items_does_not_matter() -> None:
    items = rated()
    one, other = (judge_people(each, ["distinct"], resamples=100) for each in (items, items[::-1]))
    assert one.items.digest() == other.items.digest()
    for first, second in zip(one.scores, other.scores, strict=True):
        assert first.value == (None if second.value is None else pytest.approx(second.value, abs=1e-12))
        assert first.n == second.n


def test_a_judge_that_is_turned_round() -> None:
    plain = judge_people(rated(), resamples=200)
    turned = judge_people(rated(), lower_is_better=["bad"], resamples=200)
    of = "Spearman", "bad", "overall"
    assert plain[of].value == pytest.approx(-turned[of].value, abs=1e-12)  # type: ignore[operator]
    assert [notice.code for notice in plain.notices] == ["few-contexts", "sign"]
    assert [notice.code for notice in turned.notices] == ["few-contexts"]


def test_levels_and_counts() -> None:
    found = judge_people(rated(), ci=0)
    level = {each.level: each for each in found.scores if (each.judge, each.measure) == ("good", "Spearman")}
    assert {name: (each.n, each.ci) for name, each in level.items()} == {
        "reply": (48, None),
        "system": (4, None),
        "within-context": (12, None),
    }
    assert level["system"].p is None
    assert found.counts == {"items": 48, "contexts": 12, "systems": 4, "facets": 1, "judges": 6}


def test_systems_with_equal_means_have_equal_ranks() -> None:
    """The means were sums in another order, which rounding made different."""
    ratings = {
        "a": [0.9, 1.4, 0.2, 1.3],
        "b": [0.2, 0.9, 1.3, 1.4],
        "c": [0.2, 1.3, 0.9, 1.4],
        "d": [9.0, 9.0, 9.0, 9.0],
    }
    items = [
        item(f"{system}{n}", str(n), system=system, ratings={"o": (rating,)}, scores={"m": float(ord(system))})
        for system, values in ratings.items()
        for n, rating in enumerate(values)
    ]
    scores = judge_people(items, ci=0).scores
    found = {each.measure: each for each in scores if (each.judge, each.level) == ("m", "system")}
    # Ranks 1, 2, 3, 4 and 2, 2, 2, 4; three of six pairs are tied.
    assert found["Spearman"].value == pytest.approx(3 / (5 * 3) ** 0.5)
    assert found["Kendall"].value == pytest.approx(3 / (6 * 3) ** 0.5)


def test_clusters_widen_intervals_if_contexts_differ() -> None:
    draw = random.Random(3)
    items = []
    for context in range(30):
        easy = draw.gauss(0, 1)
        for place in range(5):
            ratings, scores = {"o": (easy + 0.3 * draw.gauss(0, 1),)}, {"m": easy + 0.3 * draw.gauss(0, 1)}
            items.append(item(f"{context}.{place}", str(context), ratings=ratings, scores=scores))
    widths = []
    for resample in ("contexts", "items"):
        low, high = judge_people(items, resample=resample, resamples=400)["Pearson", "m", "o"].ci  # type: ignore[misc, arg-type]
        widths.append(high - low)
    assert widths[0] > 1.3 * widths[1]


def test_judges_with_the_same_scores_do_not_differ() -> None:
    items = [replace(each, system="", scores=dict.fromkeys("ab", each.scores["good"])) for each in rated()]
    found = judge_people(items, resamples=200)
    pair = {(each.judge, each.other, each.measure): each for each in found.differences}
    same = pair["a", "b", "Spearman"]
    assert (same.difference, same.p) == (0.0, None)
    other = pair["a", "length", "Pearson"]
    assert other.zou is not None
    assert other.p_holm is not None
    assert other.p is not None
    assert other.p_holm >= other.p


def test_raters_who_do_not_agree() -> None:
    draw = random.Random(5)
    ratings = [tuple(float(draw.randint(1, 5)) for _ in range(3)) for _ in range(60)]
    items = [
        item(str(n), str(n), ratings={"overall": each}, scores={"m": draw.random()}) for n, each in enumerate(ratings)
    ]
    found = judge_people(items, resamples=100)
    assert found.raters[0].rankable is False
    message = next(notice.message for notice in found.notices if notice.code == "not-rankable")
    assert "no judge can be ranked by it" in message


REFERENCES = ["bleu(reference=s0)", "chrf", "rouge-l"]


def test_references_of_a_system() -> None:
    items = rated()
    found = judge_people(items, ["rouge-l(reference=s0)"], ci=0)
    column = next(each for each in found.columns if each.name == "ROUGE-L")
    unscored = [item.id for item, score in zip(items, column.scores, strict=True) if score is None]
    assert unscored == [item.id for item in items if item.system == "s0"]
    with pytest.raises(DialmeterError, match="no rated item has the system 's9'"):
        judge_people(items, ["rouge-l(reference=s9)"])


def test_sacrebleu_or_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics", None)
    found = judge_people(with_references(RatedItems(tuple(rated())), "s0"), ci=0)
    assert [each.name for each in found.columns if each.name in ("BLEU", "chrF", "ROUGE-L")] == ["ROUGE-L"]
    assert "dialmeter[references]" in found.notices[0].message
    with pytest.raises(DialmeterError, match=r"dialmeter\[references\]"):
        judge_people(rated(), REFERENCES, ci=0)


def test_bleu_and_chrf_are_those_of_sacrebleu() -> None:
    metrics = pytest.importorskip("sacrebleu.metrics", reason="sacrebleu is not installed: pip install sacrebleu")
    items = rated()
    found = {each.name: each for each in judge_people(items, REFERENCES, ci=0).columns}
    reply, reference = items[1].reply, items[0].reply
    assert found["BLEU"].scores[1] == metrics.BLEU(effective_order=True).sentence_score(reply, [reference]).score / 100
    assert found["chrF"].scores[1] == metrics.CHRF().sentence_score(reply, [reference]).score / 100


def test_rouge_l() -> None:
    assert rouge_l("a b c d", ["a c d", "x"]) == pytest.approx(2 * 3 / 7)
    assert rouge_l("a b", ["c"]) == 0
    assert rouge_l("", ["c"]) == 0


TALK = (Move("user", "hi"), Move("system", "a b c"), Move("user", "where?"), Move("system", "there there"))


def dialogues() -> list[RatedItem]:
    draw = random.Random(7)
    found = []
    for n in range(20):
        moves = tuple(Move(move.speaker, " ".join([move.text] * draw.randint(1, 4))) for move in TALK)
        found.append(RatedItem(f"d{n}", "dialogue", moves, ratings={"Overall": (draw.random(), draw.random())}))
    return found


def test_a_judge_of_replies_is_averaged_over_a_dialogue() -> None:
    found = judge_people(dialogues(), ["length", "dialogue-min(judge=length)", "mine=random(seed=3)"], ci=0)
    columns = {each.name: each.scores for each in found.columns}
    lengths = [[len(move.text.split()) for move in item.moves if move.speaker == "system"] for item in dialogues()]
    assert columns["dialogue-mean(judge=length)"] == [sum(each) / 2 for each in lengths]
    assert columns["dialogue-min(judge=length)"] == [min(each) for each in lengths]
    assert columns["length"] == [sum(each) for each in lengths]
    assert "mine" in columns
    assert all(each.level != "within-context" for each in found.scores)


def test_features_of_dialogues() -> None:
    item = (TALK, "")
    assert load_judge("dialogue-length(count=turns)")[1].score([item]) == [2.0]
    assert load_judge("dialogue-length(count=questions)")[1].score([item]) == [0.0]
    assert load_judge("dialogue-distinct")[1].score([item]) == [pytest.approx((4 / 5 + 1) / 2)]


class Failing:
    name, higher_is_better, scale, facets = "failing", True, None, None

    def score(self, items: object) -> list[float]:
        raise ValueError("no idea")


def test_a_judge_that_fails_is_reported() -> None:
    found = judge_people(rated(), {"failing": Failing()}, carried=[], ci=0)  # type: ignore[dict-item]
    assert found.accounts["failing"].scored == 0
    assert found.accounts["failing"].unscored == 48
    assert "judge-failed" in [notice.code for notice in found.notices]


def write(items: list[RatedItem], path: Path) -> Path:
    names = ("id", "system", "reply", "ratings", "scores")
    lines = [
        {"context": [move.text for move in each.moves], **{name: getattr(each, name) for name in names}}
        for each in items
    ]
    path.write_bytes(b"\n".join(map(msgspec.json.encode, lines)))
    return path


def test_command_with_run_and_json(cli: Cli, tmp_path: Path) -> None:
    file = write(rated(), tmp_path / "ratings.jsonl")
    run = tmp_path / "run"
    words = ("score", file, "--judge", "distinct", "--set", "resamples=100", "--quiet")
    document = cli.json(*words, "--out", run)
    keys = {(each["judge"], each["facet"], each["level"], each["measure"]) for each in document["scores"]}
    assert ("distinct", "overall", "reply", "Kendall") in keys
    assert len(keys) == len(document["scores"])
    opened = open_run(run)
    assert opened.manifest["kind"] == "people"
    assert opened.manifest["scores"] == document["scores"]
    again = cli.json(*words)
    assert again["scores"] == document["scores"]
    cli(*words, "--out", run, code=2)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["-m", "Spearman[overal]"], "no ratings of 'overal'; did you mean overall?"),
        (
            ["-m", "BLEU"],
            "'BLEU' is no measure of agreement; write Spearman, Pearson or Kendall, of labels kappa, sensitivity, specificity …, or Spearman[FACET]",
        ),
        (["-j", "carried(goud)"], "the file has no scores 'goud'; did you mean good?"),
        (
            ["-j", "good=length", "-j", "carried(*)"],
            "the file also has scores of good; give the judge another name, as in mine=good",
        ),
        (
            ["--judge", "dialogue-length"],
            "judge dialogue-length takes whole dialogues, but the rated items are of level reply",
        ),
        (["-j", "rouge-l(reference=x)"], "no rated item has the system 'x'; known: s0, s1, s2, s3"),
    ],
)
def test_wrong_options(cli: Cli, tmp_path: Path, options: list[str], says: str) -> None:
    assert cli.refused("score", write(rated(), tmp_path / "r.jsonl"), "--quiet", *options) == says


def test_fail_if(cli: Cli, tmp_path: Path) -> None:
    file = write(rated(), tmp_path / "r.jsonl")
    words = ("score", file, "--quiet", "--set", "ci=0", "--fail-if")
    cli(*words, "Spearman[overall, bad] < 0", code=1)
    cli(*words, "Spearman[overall, good] < 0")


def test_each_item_of_another_system_in_another_context(cli: Cli, tmp_path: Path) -> None:
    """Almost no resample has every system: the correlations over systems have no interval, with the reason."""
    items = [replace(item, system=f"s{number}") for number, item in enumerate(rated(contexts=10, replies=1))]
    found = cli.json("score", write(items, tmp_path / "r.jsonl"), "--quiet")
    over_systems = [each for each in found["scores"] if each["level"] == "system"]
    assert {each["measure"] for each in over_systems if each["judge"] == "good"} == {"Pearson", "Spearman", "Kendall"}
    for each in over_systems:
        assert each["ci"] is None
        assert each["value"] is None or each["ci_reason"] == "the measure has a value in fewer than two resamples"


def archive_of_scores() -> bytes:
    data = BytesIO()
    with ZipFile(data, "w") as archive:
        archive.writestr("scores.csv", "id,mine\n0.0,1\n")
    return data.getvalue()


@pytest.mark.parametrize("content", [b"[\n]\n", archive_of_scores(), b'[{"id": "0.0", "mine": 1}]'])
def test_a_file_that_has_no_scores(cli: Cli, tmp_path: Path, content: bytes) -> None:
    scores = tmp_path / "scores"
    scores.write_bytes(content)
    complaint = cli.refused("score", write(rated(), tmp_path / "r.jsonl"), "--quiet", "-j", str(scores))
    assert complaint.startswith(f"{scores}: not a file of scores; expected JSON lines or CSV")
    scores.write_bytes(b"PAR1")
    complaint = cli.refused("score", tmp_path / "r.jsonl", "--quiet", "-j", str(scores))
    assert complaint.startswith(f"{scores}: invalid Parquet file")


SCRIPT = "<script>document.title='owned'</script>"


@pytest.fixture
def run(tmp_path: Path, cli: Cli) -> OpenedRun:
    items = rated()
    items[0] = msgspec.structs.replace(items[0], reply=SCRIPT, system=SCRIPT)
    file = write(items, tmp_path / "ratings.jsonl")
    cli("score", file, "--set", "resamples=100", "--out", tmp_path / "run", "--quiet")
    return OpenedRun(tmp_path / "run")


def test_text_is_escaped(run: OpenedRun) -> None:
    page = html_report([run])
    assert SCRIPT not in page
    assert "&lt;script&gt;document.title" in page


def test_rows_are_sorted_by_the_largest_difference(run: OpenedRun) -> None:
    assert run.ranking == "largest difference"
    assert set(run.columns) == {"good", "bad", "largest difference"}
    row = run.row(0)
    shown = run.kind.page(row, {"judge": "good"})
    assert [judge["name"] for judge in shown["judges"] if judge["marked"]] == ["good"]
    assert shown["ratings"][0][0] == "overall"


def test_headline_and_command(run: OpenedRun) -> None:
    assert run.kind.headline(run.manifest).text.startswith("Spearman 0.")
    assert run.kind.headline(run.manifest).text.endswith("(good)")
    assert command(run).startswith("dialmeter score ratings.jsonl --set resamples=100")
    assert "Correlations with the mean rating of people" in plain_report([run], "markdown")
    assert run.kind.headline({}).text == "no judge"


@pytest.mark.parametrize("field", ["scores", "trivial", "inputs", "judges", "averages", "counts", "intervals", "rules"])
def test_a_field_of_another_type_is_refused_when_the_run_is_opened(run: OpenedRun, field: str) -> None:
    path = run.run.path("run.json")
    path.write_bytes(msgspec.json.encode({**run.manifest, field: 1}))
    with pytest.raises(InputError, match=rf"damaged: Expected .* - at \$\.{field}"):
        OpenedRun(run.run.folder)
