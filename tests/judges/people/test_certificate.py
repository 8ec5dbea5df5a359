"""Certificates of judges: made twice they are equal, a changed byte breaks the seal, a changed digest expires them; gates."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from dialmeter import DialmeterError
from dialmeter.judges.people.certificate import parse_gate
from dialmeter.judges.people.labels import label_settings
from dialmeter.judges.people.reliability import length_preference, repeats
from dialmeter.judges.people.study import judge_people
from dialmeter.views.tables import STYLES

from ...cli.invoke import Cli, checked, set_place
from ..chat_server import Reply, saying, serve
from .test_people import rated


def labels(n: int = 80, *, seed: int = 3) -> list[dict[str, Any]]:
    """Items of two systems with labels of three people; ``own`` is right in nine of ten, and has three noisy repeats."""
    draw = random.Random(seed)
    found = []
    for number in range(n):
        good = draw.random() < 0.6
        people = {name: "pass" if good != (draw.random() < 0.1) else "fail" for name in ("ann", "bob", "cem")}
        own = int(good != (draw.random() < 0.1))
        scores = {f"own/{each}": int(own != (draw.random() < 0.05)) for each in (1, 2, 3)}
        found.append(
            {
                "id": f"q{number}", "level": "reply", "system": "AB"[number % 2],
                "context": [f"question {number // 2}"], "reply": " ".join(["word"] * (1 + number % 7)),
                **({"ratings": {"solved": people}} if number % 4 else {}),
                "scores": {"own": own, **scores, "p": round(0.8 * own + 0.2 * draw.random(), 3)},
            }
        )  # fmt: skip
    return found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return written(tmp_path / "labels.jsonl", labels())


def written(path: Path, items: list[dict[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(each)}\n" for each in items))
    return path


def made(cli: Cli, file: Path, *more: str, name: str = "c.json") -> Path:
    out = file.parent / name
    cli("judge", "certify", file, "-j", "own", "-o", out, "--force", "-q", *more)
    return out


def test_made_twice_it_is_equal_to_the_byte_and_valid(cli: Cli, file: Path) -> None:
    one = made(cli, file).read_bytes()
    shuffled = labels()
    random.Random(1).shuffle(shuffled)
    (file.parent / "elsewhere").mkdir()
    other = written(file.parent / "elsewhere" / "other.jsonl", shuffled)
    assert made(cli, other).read_bytes() == one == made(cli, file).read_bytes()
    certificate = json.loads(one)
    assert str(file.parent) not in one.decode()
    assert certificate["certificate"] == "dialmeter-judge/1"
    assert certificate["agreement"]
    assert set(certificate["uses"]) == {"decide", "rank", "reward"}
    assert certificate["missing"] == ["attacks", "corrected rates of systems", "position"]
    assert cli("check", file.parent / "c.json", file, "-q").out.startswith("VALID: the judge and the labels")
    assert cli("check", file.parent / "c.json", other, "-j", "own", "-q").out.startswith("VALID")


def test_the_page_and_the_badge(cli: Cli, file: Path) -> None:
    out = made(cli, file, "--set", "labels=random", "--set", "gate=kappa >= 0.1")
    certificate, page = json.loads(out.read_bytes()), out.with_suffix(".md").read_text("utf-8")
    badge = re.search(r"`(judge own · κ \.\d\d \[.*\] · sens \.\d\d · spec \.\d\d · n \d+ · ([0-9a-f]{8}))`", page)
    assert badge is not None
    assert badge[2] == certificate["sha256"][:8]
    assert badge[1] in cli("judge", "certify", file, "-j", "own", "--set", "labels=random", "--set", "gate=kappa >= 0.1", "-v").out  # fmt: skip
    for sentence in (
        "AC1 and accuracy alone mislead",
        "A constant judge can win, too",
        "stated to be random. If that is wrong, these intervals are wrong. Each system has its own error rates",
        "There is no total",
        "not forgery",
        "| kappa \\>= 0.1 | met |",
    ):
        assert sentence in page


@pytest.mark.parametrize("style", STYLES)
def test_the_check_has_every_style_and_a_schema(cli: Cli, file: Path, style: str) -> None:
    out = made(cli, file)
    said = cli("check", out, file, "-f", style, "-q")
    assert said.out
    if style == "json":
        assert checked(said, "check-certificate")["sealed"]


def test_every_changed_byte_breaks_the_seal(cli: Cli, file: Path) -> None:
    out = made(cli, file, "--set", "gate=kappa >= 0.1")
    text = out.read_bytes()
    draw = random.Random(5)
    for place in draw.sample(range(len(text)), 25):
        changed = bytes([text[place] ^ 1])
        out.write_bytes(text[:place] + changed + text[place + 1 :])
        said = cli("check", out, file, "-q", code=2)
        assert said.complaint
        assert "Traceback" not in said.err
    out.write_bytes(text.replace(b"\n", b"\r\n"))  # as some systems check files out
    cli("check", out, file, "-q")


def test_a_changed_label_or_verdict_expires_it(cli: Cli, file: Path) -> None:
    out, items = made(cli, file), labels()
    items[1]["ratings"]["solved"]["ann"] = "fail" if items[1]["ratings"]["solved"]["ann"] == "pass" else "pass"
    changed = written(file.parent / "changed.jsonl", items)
    assert (
        cli("check", out, changed, "-q", code=2).complaint == "EXPIRED: labels of own changed since it was certified."
    )
    items = labels()
    items[0]["scores"]["own"] = 1 - items[0]["scores"]["own"]
    changed = written(file.parent / "changed.jsonl", items)
    assert "EXPIRED: verdicts of own" in cli("check", out, changed, "-q", code=2).complaint
    assert "the certificate is of own, not of own/1" in cli("check", out, file, "-j", "own/1", code=2).complaint
    items = [{**each, "ratings": {"solved": {k: int(v == "pass") for k, v in each["ratings"]["solved"].items()}}}
             if "ratings" in each else each for each in labels()]  # fmt: skip
    cli("check", out, written(changed, items), "-q")  # 1 and pass are the same label


def test_a_changed_prompt_expires_it_before_the_model_is_asked(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    def answer(body: dict[str, Any], _: int) -> Reply:
        return saying(json.dumps({"score": 2 + len(str(body)) % 4}))

    file = written(tmp_path / "labels.jsonl", labels(40))
    template = tmp_path / "prompt.txt"
    template.write_text("How good is {reply} after {context}? {format}")
    words = ["-j", f"mine=llm(template={template})", "-q"]
    with serve(answer) as server:
        set_place(monkeypatch, endpoint=server.url, model="small", cache=tmp_path / "cache")
        out = tmp_path / "c.json"
        cli("judge", "certify", file, *words, "--set", "judge-pass-if=mine >= 3", "-o", out)
        asked = len(server.asked)
        judge = json.loads(out.read_bytes())["judge"]
        assert judge["model"] == "small"
        assert (judge["threshold"], judge["repeats"], judge["parse"]) == (3, 1, "json")
        assert server.url not in out.read_text()
        cli("check", out, file, *words)
        assert len(server.asked) == asked  # the answers are in the cache
        template.write_text("How bad is {reply} after {context}? {format}")
        said = cli("check", out, file, *words, code=2)
        assert said.complaint == "EXPIRED: prompt of mine changed since it was certified."
        assert len(server.asked) == asked
        set_place(monkeypatch, model="large")
        assert "model, prompt of mine" in cli("check", out, file, *words, code=2).complaint


def test_repeats_of_a_model(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path / "labels.jsonl", labels(40))
    with serve(lambda body, number: saying(json.dumps({"score": 1 + number % 3}))) as server:
        set_place(monkeypatch, endpoint=server.url, model="small", concurrency=1)
        words = ["-j", "mine=llm(repeats=3)", "--set", "judge-pass-if=mine >= 2", "-q"]
        cli("judge", "certify", file, *words, "-o", tmp_path / "c.json")
    certificate = json.loads((tmp_path / "c.json").read_bytes())
    assert certificate["reliability"]["not_unanimous"]["value"] == 1
    assert "repeats" in certificate["uses"]["reward"]["present"]
    assert certificate["judge"]["repeats"] == 3


def test_a_model_that_did_not_answer_is_not_certified(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    file = written(tmp_path / "labels.jsonl", labels(20))
    with serve(lambda body, number: saying("no idea")) as server:
        set_place(monkeypatch, endpoint=server.url, model="small")
        said = cli("judge", "certify", file, "-j", "mine=llm", "-o", tmp_path / "c.json", "-q", code=3)
    assert "mine did not score 20 of 20 items" in said.complaint
    assert not (tmp_path / "c.json").exists()


def test_gates(cli: Cli, file: Path) -> None:
    met = made(cli, file, "--set", "gate=kappa > 0.1", "--set", "gate=Gain over constant > 0")
    assert [each["verdict"] for each in json.loads(met.read_bytes())["gates"]] == ["met", "met"]
    cli("check", met, file, "-q")
    failed = made(cli, file, "--set", "gate=specificity >= 0.999", "--set", "gate=kappa > 0.1")
    assert cli("check", failed, file, "-q", code=1).complaint == "NOT MET: specificity >= 0.999."
    assert cli("check", failed, file, "-q", "--set", "allow-unknown", code=1).complaint.startswith("NOT MET")
    value = json.loads(met.read_bytes())["figures"]["kappa"]["value"]
    unclear = made(cli, file, "--set", f"gate=kappa >= {value}")
    assert cli("check", unclear, file, "-q", code=1).complaint == f"CANNOT TELL: kappa >= {value}."
    cli("check", unclear, file, "-q", "--set", "allow-unknown")
    # What was not measured cannot be told.
    assert cli("check", made(cli, file, "--set", "gate=corrected >= 0.5"), file, "-q", code=1).complaint.startswith("CANNOT TELL")  # fmt: skip


def test_without_ratings_it_cannot_tell_whether_it_expired(cli: Cli, file: Path) -> None:
    out = made(cli, file)
    assert cli("check", out, "-q", code=1).complaint == "CANNOT TELL: labels, verdicts not given."
    assert "give one certificate and the ratings" in cli("check", out, file, file, code=2).complaint
    assert cli("check", out, "-q", "--set", "allow-unknown").out.startswith(
        "SEALED: the content is as it was written; not compared: labels, verdicts"
    )


def test_nothing_is_replaced_without_force(cli: Cli, file: Path) -> None:
    page = file.parent / "c.md"
    page.write_text("mine")
    said = cli("judge", "certify", file, "-j", "own", "-o", file.parent / "c.json", "-q", code=2)
    assert said.complaint == f"{page}: already exists; use --force to replace it"
    assert not (file.parent / "c.json").exists()


def test_probabilities_have_their_null(cli: Cli, file: Path) -> None:
    words = ["-j", "p", "--set", "probability=p", "--set", "gate=brier <= 0.5", "--set", "gate=auroc > 0.5"]
    cli("judge", "certify", file, *words, "-o", file.parent / "p.json", "-q")
    certificate = json.loads((file.parent / "p.json").read_bytes())
    assert "a calibrated judge has" in certificate["figures"]["ece"]["reason"]
    assert [each["verdict"] for each in certificate["gates"]] == ["met", "met"]
    assert certificate["figures"]["cross_validated_kappa"]["ci95"]
    cli("check", file.parent / "p.json", file, "-q")


def test_no_certificate_or_one_of_another_version(cli: Cli, file: Path) -> None:
    out = made(cli, file)
    document = json.loads(out.read_bytes())
    for change, says in (
        ({"certificate": "dialmeter-judge/2"}, "a certificate of format 'dialmeter-judge/2'; this version reads dialmeter-judge/1"),
        ({"certificate": "dialmeter-judge/"}, "this version reads dialmeter-judge/1"),
        ({"figures": 3}, "damaged certificate: Expected object, got int"),
        ({"judge": {}}, "BROKEN: the seal of"),
    ):  # fmt: skip
        out.write_text(json.dumps({**document, **change}))
        said = cli("check", out, file, "-q", code=2)
        assert says in said.complaint
        assert str(out.name) in said.complaint
    out.write_text('{"certificate": 5}')
    assert cli("check", out, "-q", code=2).complaint
    assert (
        "for trackers, users, systems, judges, not for certificates" in cli("score", made(cli, file), code=2).complaint
    )


def test_attacks_of_a_run_are_on_the_page_by_facet(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    cli("demo", ".", "--files-only", "-q")
    cli("score", "cases.jsonl", "-j", "overlap", "-o", "run", "-q")
    words = ["ratings.jsonl", "-j", "overlap", "--set", "pass-if=overall >= 4", "--set", "judge-pass-if=overlap >= 0.1"]
    more = ["--set", "attacks=run", "--set", "gate=error[speaker] <= 0.2"]
    cli("judge", "certify", *words, *more, "-o", "c.json", "-q")
    certificate = json.loads(Path("c.json").read_bytes())
    assert certificate["attacks"]["coherence"]["speaker"]["n"] > 0
    assert "attacks" not in certificate["missing"]
    assert "errors under attack: coherence" in Path("c.md").read_text("utf-8")
    assert certificate["gates"][0]["verdict"] == "not met"
    assert "NOT MET: error[speaker]" in cli("check", "c.json", "ratings.jsonl", "-q", code=1).complaint
    cli("judge", "certify", *words, *more[:2], "-o", "c.json", "-q", "--force")
    assert cli("check", "c.json", "ratings.jsonl", "-q", code=1).complaint == "CANNOT TELL: cases not given."
    cli("check", "c.json", "ratings.jsonl", *more[:2], "-q")
    lines = Path("cases.jsonl").read_text().splitlines(keepends=True)
    Path("fewer.jsonl").write_text("".join(lines[:-1]))
    cli("score", "fewer.jsonl", "-j", "overlap", "-j", "own=distinct", "-o", "other", "-q")
    said = cli("check", "c.json", "ratings.jsonl", "--set", "attacks=other", "-q", code=2)
    assert said.complaint == "EXPIRED: cases of overlap changed since it was certified."
    own = ["ratings.jsonl", *words[3:5], "--set", "judge-pass-if=own >= 0.1", "--set", "attacks=other"]
    assert (
        "own was another judge when this run was made"
        in cli("judge", "certify", *own, "-j", "own=overlap", code=2).complaint
    )
    own[4] = "judge-pass-if=distinct >= 0.1"
    assert "the run has no judge 'distinct'" in cli("judge", "certify", *own, "-j", "distinct", code=2).complaint


def test_gates_that_cannot_be_parsed() -> None:
    for text in ("kappa", ">= 0.5", "kappa >= much", "kappa = 0.5", "kappa >= 60"):
        with pytest.raises(DialmeterError, match=r"^gate '"):
            parse_gate(text)


def test_a_judge_that_prefers_length_more_than_people() -> None:
    """``good`` is the number of words, and people's ratings have noise, so the score is nearly the length given the ratings."""
    people = judge_people(rated(), carried=["good"], labels=label_settings({"pass_if": "overall >= 5"}))
    found = length_preference(people, people.labels["good", "overall"], people.column("good"))
    assert found.value is not None
    assert found.value > 0.9


def test_repeats_of_a_judge(tmp_path: Path) -> None:
    people = judge_people(written(tmp_path / "labels.jsonl", labels()), carried=["own"])
    found = repeats(people, people.labels["own", "solved"])
    rows = [[each["scores"][f"own/{number}"] for number in (1, 2, 3)] for each in labels()]
    pairs = [(a != b) for row in rows for a, b in ((row[0], row[1]), (row[0], row[2]), (row[1], row[2]))]
    assert found["flip_rate"].value == pytest.approx(sum(pairs) / len(pairs))
    assert found["not_unanimous"].value == pytest.approx(sum(len(set(row)) > 1 for row in rows) / len(rows))
    assert repeats(people, judge_people(tmp_path / "labels.jsonl", carried=["p"]).labels["p", "solved"]) == {}


def test_items_that_are_only_judged_may_come_first(tmp_path: Path) -> None:
    """Their scores are never read as ratings of people."""
    items = [{key: each[key] for key in each if key not in ("level", "ratings")} for each in labels(10)] + labels()[10:]
    people = judge_people(written(tmp_path / "labels.jsonl", items), carried=["own"])
    assert people.facets == ["solved"]
    assert people.labels["own", "solved"].n == sum("ratings" in each for each in items)


@pytest.mark.parametrize(
    ("label", "verdict", "says"),
    [
        (lambda n: "pass", lambda n: n % 2, "is no better than a judge that always says the same"),
        (lambda n: ("fail", "pass")[n % 2], lambda n: 1, "is no better than a judge that always says the same"),
        (lambda n: ("fail", "pass")[n % 2], lambda n: n / 40, "CANNOT TELL whether own may decide on solved: it gives scores"),
        (lambda n: ("fail", "pass")[n % 2], lambda n: n % 2, "own agrees with people better than a judge that always says the same"),
    ],
    ids=["people always pass", "a constant judge", "scores", "perfect"],
)  # fmt: skip
def test_certificates_of_unusual_judges(cli: Cli, tmp_path: Path, label: Any, verdict: Any, says: str) -> None:
    items = [
        {"id": str(n), "context": [f"q{n}"], "reply": "yes", "ratings": {"solved": {"ann": label(n)}}, "scores": {"own": verdict(n)}}
        for n in range(40)
    ]  # fmt: skip
    file = written(tmp_path / "labels.jsonl", items)
    said = cli("judge", "certify", file, "-j", "own", "-o", tmp_path / "c.json", "-q")
    assert says in " ".join(said.out.split())
    assert cli("check", tmp_path / "c.json", file, "-q").out.startswith("VALID")


def test_a_long_certificate_is_recognised(cli: Cli, tmp_path: Path) -> None:
    items = [{**each, "system": f"system {n // 2}"} for n, each in enumerate(labels(1600))]
    file = written(tmp_path / "labels.jsonl", items)
    out = made(cli, file, "--set", "labels=random")
    assert out.stat().st_size > 1 << 16
    assert cli("check", out, file, "-q").out.startswith("VALID")


@pytest.mark.parametrize("origin", ["random", "by-verdict", "elsewhere"])
def test_labels_of_one_context_give_no_interval(cli: Cli, tmp_path: Path, origin: str) -> None:
    items = [{**each, "context": ["the same"]} for each in labels()]
    file = written(tmp_path / "labels.jsonl", items)
    said = " ".join(cli("score", file, "-j", "own", "-q", "--set", f"labels={origin}").out.split())
    assert "1 labelled contexts are too few" in said
    if origin != "elsewhere":
        assert "no interval: all labels are of one context; label others" in said
    certificate = json.loads(made(cli, file, "--set", f"labels={origin}").read_bytes())
    assert {"agreement", "corrected rates of systems", "gain"} <= set(certificate["missing"])


def test_names_from_files_are_never_markup(cli: Cli, tmp_path: Path) -> None:
    name = "<img src=x>|[a](b)`"
    items = [
        {"id": str(n), "context": [f"q{n}"], "reply": "yes", "ratings": {"a<b>|c": {"<script>": n % 2}}, "scores": {name: n % 2}}
        for n in range(30)
    ]  # fmt: skip
    file = written(tmp_path / "labels.jsonl", items)
    cli("judge", "certify", file, "-j", "carried(<img*)", "-o", tmp_path / "c.json", "-q")
    page = (tmp_path / "c.md").read_text("utf-8")
    assert "<img" not in page.replace("\\<img", "")
    assert "<b>" not in page.replace("\\<b\\>", "")
    assert "no interval: all resamples are equal" in page
    cli("check", tmp_path / "c.json", file, "-q")


def test_the_judge_of_another_file_is_asked_for(cli: Cli, file: Path) -> None:
    scores = file.parent / "scores.csv"
    scores.write_text("id,mine\n" + "".join(f"{each['id']},{each['scores']['own']}\n" for each in labels()))
    cli("judge", "certify", file, "-j", f"mine={scores}", "-o", file.parent / "m.json", "-q")
    assert "give the judge: -j mine, or -j mine=FILE" in cli("check", file.parent / "m.json", file, code=2).complaint
    cli("check", file.parent / "m.json", file, "-j", f"mine={scores}", "-q")


def test_what_misleads_is_said(cli: Cli, tmp_path: Path) -> None:
    """A lenient judge: AC1; a constant judge that wins the alt-test; unequal errors on two systems; the origin of labels."""
    draw = random.Random(4)
    items = []
    for n in range(480):
        good = draw.random() < 0.9
        people = {name: int(good != (draw.random() < 0.12)) for name in ("ann", "bob", "cem")}
        own = int(good or n % 5 > 0) if n % 2 else int(good)
        items.append(
            {"id": str(n), "system": "AB"[n % 2], "context": [f"q{n}"], "reply": "yes", "scores": {"own": own},
             **({"ratings": {"solved": people}} if n < 320 else {})}
        )  # fmt: skip
    file = written(tmp_path / "labels.jsonl", items)
    plain = " ".join(cli("score", file, "-j", "own", "-q").out.split())
    for words in (
        "alone would mislead: it is high if nearly everything passes",
        "a constant judge as 100 %, so winning says nothing here",
        "say where labels come from: --set labels=random, by-verdict or elsewhere; a wrong answer makes every interval wrong",
        "of labels (MCC²)",
    ):
        assert words in plain
    corrected = " ".join(cli("score", file, "-j", "own", "-q", "--set", "labels=random").out.split())
    assert "people would pass" in corrected
    assert "A minus B, each with its own error rates" in corrected
    assert "it errs unequally on what people fail, p <.001: never use common error rates" in corrected
    table = cli("score", file, "-j", "own", "-q", "--set", "labels=random", "-v").out
    assert "errors and pass rates by system on solved" in table
    assert "always the same" in table
