"""Ratings in files of any layout: the natural files with their figures, and what other tools and people write."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import pytest

import dialmeter as dm
from dialmeter.errors import InputError
from dialmeter.readers.content import content_of
from dialmeter.readers.ratings.open_ratings import open_ratings
from dialmeter.readers.ratings.rated_item import RatedItem, RatedItems

from ..cli.invoke import Cli
from ..shared_data import shared

TEXTS = {"i1": ("how are you?", "fine, you?"), "i2": ("weather?", "potato"), "i3": ("a table", "for how many?")}
GIVEN = [("i1", "ann", 4), ("i1", "bob", 5), ("i2", "ann", 2), ("i2", "bob", 1), ("i3", "ann", 3), ("i3", "bob", 4)]
MEAN = fmean(number for _, _, number in GIVEN)
WORDS = {1: "Strongly disagree", 2: "Disagree", 3: "Neutral", 4: "Agree", 5: "Strongly agree"}


def table(*rows: Sequence[Any], delimiter: str = ",") -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows(rows)
    return text.getvalue()


def lines(*rows: Any) -> str:
    return "\n".join(map(json.dumps, rows))


def of(item: str) -> list[tuple[str, int]]:
    return [(rater, number) for each, rater, number in GIVEN if each == item]


LAYOUTS = {
    "long.csv": table(("item_id", "context", "response", "annotator", "rating"), *((i, *TEXTS[i], r, n) for i, r, n in GIVEN)),
    "likert.tsv": table(("id", "prompt", "reply", "worker", "quality"), *((i, *TEXTS[i], r, WORDS[n]) for i, r, n in GIVEN), delimiter="\t"),
    "wide.csv": table(("id", "context", "reply", "rater_1", "rater_2"), *((i, *TEXTS[i], *(n for _, n in of(i))) for i in TEXTS)),
    "meaning.csv": table(("id", "rater", "rating"), *((i, r, f"{n} ({WORDS[n]})") for i, r, n in GIVEN)),
    "named.jsonl": lines(*({"id": i, "context": TEXTS[i][0], "response": TEXTS[i][1], "ratings": dict(of(i))} for i in TEXTS)),
    "list.jsonl": lines(*({"prompt": TEXTS[i][0], "completion": TEXTS[i][1], "scores": [n for _, n in of(i)]} for i in TEXTS)),
    "nested.json": json.dumps(
        {"items": [{"id": i, "messages": [{"role": "user", "content": TEXTS[i][0]}, {"role": "assistant", "content": TEXTS[i][1]}],
                    "annotations": [{"annotator": r, "overall": n} for r, n in of(i)]} for i in TEXTS]}
    ),
    "by-id.json": json.dumps({i: {"response": TEXTS[i][1], "rating": [n for _, n in of(i)]} for i in TEXTS}),
    "form.csv": table(
        ("Timestamp", "Email Address", *(f"{i} [helpful]" for i in TEXTS)),
        *(("1/2/2026", r, *(WORDS[n] for _, who, n in GIVEN if who == r)) for r in ("ann", "bob")),
    ),
    "people.csv": table(("conv_id", "score_Ann", "score_Bob"), *((i, *(n for _, n in of(i))) for i in TEXTS)),
    "letters.csv": table(("id", "R1", "R2", "remarks"), *((i, *(n for _, n in of(i)), "") for i in TEXTS)),
    "statement.csv": table(("reply_id", "participant", "statement", "answer"), *((i, r, "It helps", WORDS[n]) for i, r, n in GIVEN)),
    "questions.csv": table(
        ("Timestamp", "Email", *(f"Chat {at}: overall quality (1-5)" for at in range(1, 4))),
        *(("1/2/2026", r, *(n for _, who, n in GIVEN if who == r)) for r in ("ann", "bob")),
    ),
    "label-studio-min.json": json.dumps(
        [{"id": i, "dialogue": [], "annotator": r, "annotation_id": at, "quality": n, "lead_time": 3.5} for at, (i, r, n) in enumerate(GIVEN)]
    ),
    "label-studio.json": json.dumps(
        [{"id": i, "data": {"context": TEXTS[i][0], "response": TEXTS[i][1]},
          "annotations": [{"completed_by": r, "result": [{"from_name": "quality", "value": {"rating": n}}]} for r, n in of(i)]} for i in TEXTS]
    ),
    "argilla.json": json.dumps(
        [{"id": i, "fields": {"prompt": TEXTS[i][0], "response": TEXTS[i][1]},
          "responses": {"quality": [{"value": n, "user_id": r} for r, n in of(i)]}} for i in TEXTS]
    ),
}  # fmt: skip
"""The same ratings as people and tools write them."""
WITHOUT_TEXTS = ("form.csv", "meaning.csv", "nested.json", "people.csv", "letters.csv", "statement.csv", "questions.csv", "label-studio-min.json")  # fmt: skip


def read(tmp_path: Path, name: str, text: str, format: str | None = None) -> RatedItems:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    if format is None:
        assert content_of(str(path)) == "ratings"
    return open_ratings(path, format)


def numbers(items: Sequence[RatedItem], facet: str) -> list[float]:
    return [number for item in items for number in item.ratings.get(facet, ())]


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts(name: str, tmp_path: Path) -> None:
    found = read(tmp_path, name, LAYOUTS[name])
    assert len(found.items) == len(TEXTS)
    assert fmean(numbers(found.items, found.facets[0])) == pytest.approx(MEAN)
    if name not in ("list.jsonl", "by-id.json"):
        assert len(found.raters) == 2
    if name not in WITHOUT_TEXTS:
        assert [item.reply for item in found.items] == [reply for _, reply in TEXTS.values()]


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in LAYOUTS
        if name not in ("label-studio.json", "argilla.json", "form.csv", "questions.csv", "label-studio-min.json")
    ],
)
def test_said_reading_reads_the_same(name: str, tmp_path: Path) -> None:
    found = read(tmp_path, name, LAYOUTS[name])
    (said,) = (each.message for each in found.notices if each.code == "read-as")
    columns = said.split('"')[1].replace(" ", ", ")
    assert read(tmp_path, name, LAYOUTS[name], f"rated-records({columns})").items == found.items


def natural() -> list[dict[str, Any]]:
    try:
        listed = json.loads(shared("expected", "natural.json").read_text("utf-8"))
    except pytest.skip.Exception:
        return []
    return [each for each in listed if each["task"] == "ratings"]


@pytest.mark.parametrize("each", natural(), ids=lambda each: each["file"])
def test_natural_files(each: dict[str, Any]) -> None:
    path = shared("data", "natural", "logs", each["file"])
    if path.suffix == ".xlsx":
        pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    figures = each["expected"]
    assert content_of(str(path)) == "ratings"
    found = open_ratings(path)
    by_context = {item.group or item.id: item for item in reversed(found.items)}
    assert (len(by_context), len(found.raters)) == (figures["items"], figures["raters"])
    if "win_rate" in figures:
        for system, rate in figures["win_rate"].items():
            won = numbers([item for item in found.items if item.system == system], "preference")
            assert fmean(won) == pytest.approx(rate, abs=1e-4)
    assert fmean(numbers([*by_context.values()], found.facets[0])) == pytest.approx(figures["mean"], abs=1e-4)


def test_preferences(tmp_path: Path) -> None:
    rows = [{"prompt": f"q{at}", "chosen": f"good {at}", "rejected": "bad"} for at in range(2)]
    found = read(tmp_path, "dpo.jsonl", lines(*rows)).items
    assert [(item.group, item.reply, item.ratings["preference"]) for item in found] == [
        ("0", "good 0", (1,)), ("0", "bad", (0,)), ("1", "good 1", (1,)), ("1", "bad", (0,)),
    ]  # fmt: skip
    rows = [{"id": at, "response_a": "x", "response_b": "y", "winner": won} for at, won in enumerate(["a", "tie"])]
    found = read(tmp_path, "arena.jsonl", lines(*rows)).items
    assert [item.ratings["preference"] for item in found] == [(1,), (0,), (0.5,), (0.5,)]


def test_preferences_for_systems_by_name(tmp_path: Path) -> None:
    rows = [("q1", "x", "y", "y", "ann"), ("q1", "x", "y", "tie", "bob"), ("q2", "x", "y", "x", "ann")]
    found = read(tmp_path, "arena.csv", table(("question_id", "left", "right", "winner", "judge"), *rows))
    assert [(item.group, item.system, item.ratings["preference"]) for item in found.items] == [
        ("q1", "x", (0, 0.5)), ("q1", "y", (1, 0.5)), ("q2", "x", (1,)), ("q2", "y", (0,)),
    ]  # fmt: skip


def test_verdicts_by_person_beside_judges(tmp_path: Path) -> None:
    rows = [{"id": f"c{at}", "labels": {"ana": "PASS", "luis": word}} for at, word in enumerate(("PASS", "FAIL"))]
    found = read(tmp_path, "labels.jsonl", lines(*rows))
    assert [item.ratings["overall"] for item in found.items] == [(1, 1), (1, 0)]
    rows = [
        {"run_id": f"r{at}", "human_label": "pass", "judges": {"gpt-x": word}}
        for at, word in enumerate(("pass", "fail"))
    ]
    found = read(tmp_path, "judges.json", json.dumps(rows))
    assert [(item.ratings["overall"], item.scores["judges.gpt-x"]) for item in found.items] == [((1,), 1), ((1,), 0)]


def test_thumbs(tmp_path: Path) -> None:
    rows = [{"message_id": f"m{at}", "question": "Same?", "answer": "Yes.", "feedback": word} for at, word in enumerate(("thumbs_up", "thumbs_down"))]  # fmt: skip
    assert [item.ratings["feedback"] for item in read(tmp_path, "thumbs.jsonl", lines(*rows)).items] == [(1,), (0,)]


def test_equal_marks_are_no_ratings(tmp_path: Path) -> None:
    talk = [{"author": {"type": "end-user"}, "body": "Help!"}, {"author": {"type": "agent"}, "body": "Sure."}]
    tickets = [{"id": at, "comments": talk, "satisfaction": {"score": "good"}} for at in range(3)]
    path = tmp_path / "tickets.json"
    path.write_text(json.dumps({"tickets": tickets}))
    assert content_of(str(path)) == "dialogues"


def test_logs_with_scores_are_no_ratings(tmp_path: Path) -> None:
    """A log says whether tasks were reached; marks of several people make it a file of ratings."""
    talk = [{"role": "user", "content": "Help!"}, {"role": "assistant", "content": "Sure."}]
    path = tmp_path / "runs.jsonl"
    for fields, content in (
        ({"task": "t", "success": True, "judge_score": 0.5}, "system"),
        ({"id": "a", "resolved": True, "rating": 4}, "system"),
        ({"scenario": "s", "scores": {"helpfulness": 3, "tone": 2}, "task_completed": "yes"}, "system"),
        ({"id": "a", "passed": True, "annotator": "ann"}, "ratings"),
    ):
        rows = [{**fields, "messages": talk, "annotator" if "annotator" in fields else "seed": at} for at in range(3)]
        path.write_text(lines(*rows))
        assert content_of(str(path)) == content


def test_object_of_qualities_is_counted_once(tmp_path: Path) -> None:
    rows = [{"item": f"i{at}", "scores": {"helpfulness": at, "tone": 2}, "reply": "Yes."} for at in range(1, 4)]
    found = read(tmp_path, "scores.jsonl", lines(*rows))
    assert [item.ratings for item in found.items] == [{"helpfulness": (at,), "tone": (2,)} for at in range(1, 4)]


def test_second_sheet_of_a_workbook(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    book = openpyxl.Workbook()
    book.active.append(["Guideline"])
    book.active.append(["1 is bad"])
    sheet = book.create_sheet("Scores")
    for row in csv.reader(io.StringIO(LAYOUTS["long.csv"])):
        sheet.append([int(cell) if cell.isdecimal() else cell for cell in row])
    path = tmp_path / "ratings.xlsx"
    book.save(path)
    assert content_of(str(path)) == "ratings"
    assert open_ratings(path).items == read(tmp_path, "long.csv", LAYOUTS["long.csv"]).items


def test_people_and_judge(tmp_path: Path) -> None:
    rows = ("i1", *TEXTS["i1"], "pass", "fail"), ("i2", *TEXTS["i2"], "fail", "fail")
    text = table(("id", "context", "response", "human_label", "llm_label"), *rows)
    found = read(tmp_path, "labels.csv", text)
    assert [(item.ratings, item.scores) for item in found.items] == [
        ({"overall": (1.0,)}, {"llm_label": 0.0}),
        ({"overall": (0.0,)}, {"llm_label": 0.0}),
    ]


def test_people_by_name_in_own_lines(tmp_path: Path) -> None:
    row = {"id": "1", "context": ["Hello"], "reply": "Hi!", "ratings": {"solved": {"r1": "fail", "r2": "pass"}}}
    (item,) = read(tmp_path, "own.jsonl", lines(row)).items
    assert (item.ratings, item.raters) == ({"solved": (0.0, 1.0)}, {"solved": ("r1", "r2")})


REFUSED = {
    "unknown.csv": (
        table(("id", "context", "reply", "ann", "bob"), ("i1", "hi", "hello", 4, 5)),
        "which field is the rating of people? Name it with --columns rating=NAME; ann, bob hold numbers",
    ),
    "mixed.csv": (
        table(("id", "rater", "rating"), ("i1", "ann", 4), ("i2", "ann", "Agree"), ("i3", "ann", 5)),
        "line 3, dialogue i2: rating: expected ratings of one scale, found 'Agree'",
    ),
    "texts.csv": (
        table(("id", "reply", "rater", "rating"), ("i1", "x", "ann", 4), ("i1", "y", "bob", 4)),
        "line 3, dialogue i1: rows with this id have different texts or systems",
    ),
    "names.csv": (
        table(("id", "score_ann", "score_bob"), ("i1", 4, 5), ("i2", 3, 3)),
        'are score_ann, score_bob people or qualities? Answer with --columns "rater=score_ann,score_bob" or '
        '--columns "rating=score_ann,score_bob"',
    ),
    "no_item.csv": (
        table(("text", "rater", "rating"), ("x", "ann", 4), ("y", "ann", 3), ("x", "bob", 4)),
        "which field names what was rated? Name it with --columns item=NAME, one of text",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, tmp_path: Path) -> None:
    text, message = REFUSED[name]
    with pytest.raises(InputError) as caught:
        read(tmp_path, name, text)
    assert str(caught.value).endswith(message)


def test_command_answers_the_question(tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "unknown.csv"
    path.write_text(
        table(("id", "context", "reply", "ann", "bob"), *((i, *TEXTS[i], *(n for _, n in of(i))) for i in TEXTS))
    )
    assert "which field is the rating of people?" in cli.refused("check", path)
    found = cli.json("check", path, "--columns", "rater=ann,bob", "-q")
    assert (found["counts"]["raters"], found["counts"]["ratings"]) == (2, 6)


def test_few_items_and_no_judge(tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "long.csv"
    path.write_text(LAYOUTS["long.csv"])
    out = cli("score", path).out
    assert out.startswith("People's agreement on overall is alpha 0.769: a judge can reach about 0.945")
    assert "No judge was given." in " ".join(out.split())
    assert f"next  dialmeter score {path.name} -j overlap" in out.replace(str(tmp_path) + "/", "").replace(
        " \\\n     ", ""
    )
    out = " ".join(cli("score", path, "-j", "length").out.split())
    assert out.startswith("CANNOT TELL whether length agrees with people on overall: with 3 contexts")


def test_no_texts(tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "form.csv"
    path.write_text(LAYOUTS["form.csv"])
    assert "the file has none, so only scores in a file can be judged" in cli("check", path).out.replace(
        "\n          ", " "
    )
    assert "the items have no texts that a judge could read" in cli.refused("score", path, "-j", "overlap")


def test_rows_in_memory(tmp_path: Path) -> None:
    import pandas as pd

    rows = [{"id": i, "context": TEXTS[i][0], "reply": TEXTS[i][1], "rater": r, "rating": n} for i, r, n in GIVEN]
    (tmp_path / "rows.jsonl").write_text(lines(*rows))
    judges = {"mine": lambda context, reply: float(len(reply))}
    for given in (rows, pd.DataFrame(rows), tmp_path / "rows.jsonl"):
        found = dm.score(given, judges=judges)
        assert (found.subject, found["Spearman", "mine", "overall"]) == ("judge", pytest.approx(0.5))
    renamed = pd.DataFrame(rows).rename(columns={"rating": "x"})
    found = dm.score(renamed, subject="judge", judges=judges, columns={"rating": "x"})
    assert found["Spearman", "mine", "x"] == pytest.approx(0.5)


NAMES = {
    "item": ("id", "item_id", "dialogue_id", "conversationId", "question_id", "sample"),
    "rater": ("annotator", "rater_id", "workerId", "judge", "participant", "labeler"),
    "rating": ("rating", "score", "overall", "quality", "overall_score", "Likert"),
    "context": ("context", "prompt", "question", "history"),
    "reply": ("response", "reply", "output", "completion"),
}


def random_layout(random: Random) -> tuple[str, str, float, int]:
    """Return the name and the text of a file of a random layout, the mean of its ratings and the number of raters."""
    names = {role: random.choice(choices) for role, choices in NAMES.items()}
    people = [f"{random.choice('abcxyz')}{number}" for number in range(random.randint(1, 4))]
    scale = random.choice([range(1, 6), range(1, 8), range(11), (0, 1)])
    show = (
        random.choice([lambda n: n, str])
        if scale != range(1, 6)
        else random.choice([lambda n: n, WORDS.get, lambda n: f"{n} - {WORDS[n]}"])
    )
    given = [
        (f"t{item}", who, random.choice([*scale]))
        for item in range(random.randint(2, 8))
        for who in random.sample(people, random.randint(1, len(people)))
    ]
    mean, raters = fmean(number for _, _, number in given), len({who for _, who, _ in given})
    items = list(dict.fromkeys(item for item, _, _ in given))
    texts = {item: {names["context"]: f"what about {item}?", names["reply"]: f"this is {item}."} for item in items}
    texts = texts if random.random() < 0.7 else {item: {} for item in items}
    rows = [
        {names["item"]: i, **texts[i], names["rater"]: who, names["rating"]: show(number)} for i, who, number in given
    ]
    nested = [
        {
            names["item"]: i,
            **texts[i],
            "annotations": [{names["rater"]: w, names["rating"]: show(n)} for each, w, n in given if each == i],
        }
        for i in items
    ]
    named = [
        {names["item"]: i, **texts[i], "ratings": {w: show(n) for each, w, n in given if each == i}} for i in items
    ]
    random.shuffle(rows)
    kind = random.choice(["lines", "list", "wrapped", "csv", "nested", "named", "columns"])
    if kind == "csv":
        return (
            "x.csv",
            table(list(rows[0]), *(row.values() for row in rows), delimiter=random.choice(",;\t")),
            mean,
            raters,
        )
    if kind == "lines":
        return "x.jsonl", lines(*rows), mean, raters
    if kind == "columns":
        written: Any = {name: {str(at): row[name] for at, row in enumerate(rows)} for name in rows[0]}
    else:
        written = {"list": rows, "wrapped": {"run": "x", "items": rows}, "nested": nested, "named": {"data": named}}[
            kind
        ]
    return "x.json", json.dumps(written), mean, raters


@pytest.mark.parametrize("seed", range(300))
def test_random_layouts(seed: int, tmp_path: Path) -> None:
    name, text, mean, raters = random_layout(Random(seed))
    found = read(tmp_path, name, text)
    assert len(found.facets) == 1
    assert (fmean(numbers(found.items, found.facets[0])), len(found.raters)) == (pytest.approx(mean), raters)


def test_questions_about_qualities_and_people(tmp_path: Path, cli: Cli) -> None:
    rows = [
        ("c1", who, quality, number) for who in ("r1", "r2") for quality, number in (("fluency", 4), ("empathy", 1))
    ]
    path = tmp_path / "long.csv"
    path.write_text(table(("conv", "rater", "q", "value"), *rows))
    asked = "2 rows repeat an item and its rater; does q name the qualities? Answer with --columns criterion=q"
    assert asked in cli.refused("score", path)
    assert open_ratings(path, "rated-records(criterion=q)").facets == ["fluency", "empathy"]
    path.write_text(
        table(
            ("id", "question", "answer", "priya", "tom"),
            ("t1", "a", "b", "PASS", "FAIL"),
            ("t2", "a", "c", "PASS", "PASS"),
        )
    )
    answer = "rater=priya,tom"
    assert f'are priya, tom people or qualities? Answer with --columns "{answer}"' in cli.refused("score", path)
    assert open_ratings(path, f"rated-records({answer})").raters == ["priya", "tom"]
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps([{"instruction": "q", "output_1": "a", "output_2": "b", "preference": 1.0}] * 2))
    assert "preference is a number: write a, b or tie" in cli.refused("score", path)
    path.write_text(json.dumps([{"id": 1, "g1_winner": "model_1", "g2_winner": "tie"}] * 2))
    assert "g1_winner or g2_winner? Answer with --columns winner=g1_winner" in cli.refused("score", path)
    found = open_ratings(path, "rated-records(winner=g2_winner)").items
    assert [item.ratings["preference"] for item in found] == [(0.5, 0.5)] * 2
