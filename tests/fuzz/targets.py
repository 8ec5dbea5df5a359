"""Every kind of file that a command reads, and command lines that read it."""

from __future__ import annotations

from typing import NamedTuple

from ..readers.talk.samples import LAYOUTS

QUICK = "--set ci=0 --measure JGA --quiet"
PAIR = "--measure JGA --set resamples=100 --set ci=0 --quiet"


class Target(NamedTuple):
    """A file, and command lines that read it; ``{}`` is its place."""

    kind: str
    path: str
    commands: tuple[str, ...]


TRACKER_WAYS = {
    "score": f"score {{}} --subject tracker {QUICK} -f json",
    "score --out": f"score {{}} --subject tracker {QUICK} --out made/run --force",
    "check": "check {} --subject tracker --quiet",
    "rules": "study rules {} --rules dialmeter --rules trade -f json --quiet",
    "compare": f"compare a={{}} b={{}} --subject tracker {PAIR}",
    "convert": "convert {} - --quiet",
}
"""Ways to read a file with gold and predictions."""

TRACKER_FILES = (
    "native.jsonl", "llm.jsonl", "nested.json", "fga.txt", "trade.json", "trade_domains.json", "som.json", "trippy.json",
    "vectors.json", "convlab3.json", "t5.jsonl", "more/rows.jsonl", "more/rows.csv", "more/rows.tsv", "more/running_log.json",
    "more/nocarry.json", "more/mttod.json", "more/e2e.json",
)  # fmt: skip

_ONE_SIDED = {
    "pred.jsonl": "--gold gold.jsonl",
    "mwzeval.json": "--gold gold.jsonl",
    "dstc10_pred.json": "--gold dstc10_gold.json",
    "more/batch.jsonl": "--gold gold.jsonl",
    "more/result.txt": "--gold more/test_LLM.json",
}
TOWN = "--subject user --set profile=town"
_USER = (
    f"check {{}} {TOWN} --quiet",
    f"score {{}} {TOWN} --set ci=0 --quiet -f json",
    f"score {{}} {TOWN} --set ci=0 --quiet --out made/user --force",
    f"score {{}} {TOWN} --by pattern --set ci=0 --quiet",
    f"find {{}} event=missed {TOWN} --show --limit 2 --quiet",
    "convert {} - --to map --quiet",
    f"score {{}} {TOWN} --set ci=0 --quiet --set acts=rules -v",
    "study audit {} --set profile=town --quiet -f csv",
    f"score {{}} --subject tracker {QUICK}",
    f"compare a={{}} b=agenda.jsonl {TOWN} --set resamples=100 --quiet",
    "study distance {} talk.jsonl --quiet",
    "study distance talk.jsonl {} --quiet -f json",
    "convert {} - --to goals --set profile=town --quiet",
    f"check {{}} {TOWN} --set acts=rules --quiet",
    "play --user agenda --user hasty --goals {} --set max-turns=2 --workers 1 --set ci=0 --quiet",
)
_ATTACK = "judge attack {} --set light --limit 1 --quiet --force --out made/cases.jsonl"
_TALK = (
    f"{_ATTACK} --attack repetition --attack identical",
    "check {} --quiet",
    f"{_ATTACK} --attack dullness",
)
_SCORE = f"score native.jsonl {QUICK}"
_USER_SCORE = "score agenda.jsonl --subject user --set ci=0 --quiet"
_JUDGE = "score cases.jsonl --quiet"
_LOG = (
    "check {} --quiet",
    "score {} --set ci=0 --quiet -f json",
    "score {} --set ci=0 --quiet --by task --out made/system --force",
    "compare a={} b={} --set resamples=100 --quiet",
    "compare logs/other.json {} --set resamples=100 --quiet -f json",
    "score {} --subject user --quiet",
    "score {} --subject user --quiet -f json",
    "find {} outcome=failed --show --quiet",
)
_PEOPLE = (
    "score {} --set resamples=100 --quiet -f json",
    "score {} --judge length --set resamples=100 --quiet --out made/people --force",
)
_PATCHED = (
    "check pred.jsonl --gold gold.jsonl --quiet",
    f"score pred.jsonl --gold gold.jsonl {QUICK} -f json",
    f"score pred.jsonl --gold gold.jsonl {QUICK} --out made/run --force",
    f"compare a=pred.jsonl b=pred.jsonl --gold gold.jsonl {PAIR}",
)
_PAIRED = "--measure JGA --set resamples=100 --quiet"
_VARIANTS = "study sensitivity sgd/pred sgd/pred2 sgd/pred3 --gold sgd/gold --set resamples=100 --quiet"
_RUN_FILES = ("run.json", "rows.jsonl", "index.npz", "findings.npz")
_RUNS = {
    "tracker": (("find {} outcome=wrong --quiet",), ()),
    "user": (("find {} event=missed --show --limit 1 --quiet", "find {} event=missed -f json --quiet"), ()),
    "judge": ((), ()),
    "system": (("find {} outcome=failed --show --quiet",), ()),
    "people": ((), ()),
    "items": (("find {} event=missed -f json --quiet",), ()),
    "compared": ((), ("document.json",)),
    "biased": ((), ("document.json",)),
    "curved": ((), ("document.json",)),
    "ruled": ((), ("document.json",)),
    "crossed": ((), ("document.json",)),
}
"""Runs by name: commands that read them and no others, and files that other runs do not have."""
_OF_A_RUN = ("report {} -f markdown --out -", "cite {}", "report {} -f latex --out -")
_PAGES = ("GET /", "GET /rows/{}", "GET /row/0/{}", "GET /row/1/{}", "GET /compare?run={}&run=other")
"""Pages of the viewer, by the name of the run."""
_WITH_CHARTS = ("report runs/{} -f html --out -", "GET /run/{}")
"""They take a second, a hundred times as long as the others."""

_OTHERS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("talk of the town", "agenda.jsonl", (*_USER, *_TALK)),
    ("goals", "goals.json", (f"{_USER_SCORE} --gold {{}}", "check agenda.jsonl --subject user --quiet --gold {}", "convert agenda.jsonl - --to map --quiet --gold {}")),
    ("goals to play", "agenda.jsonl", ("play --goals {} --set max-turns=2 --quiet --force --out made/played.jsonl",)),
    ("map", "map.json", (f"{_USER_SCORE} --set map={{}}", f"{_SCORE} --set map={{}}", "check agenda.jsonl --subject user --quiet --set map={}")),
    ("slots", "slots.json", (f"{_SCORE} --set schema={{}}", "score native.jsonl --by slot --set ci=0 --quiet --set schema={}")),
    ("ontology", "ontology.json", ("convert agenda.jsonl - --to map --quiet --set schema={}", f"{_SCORE} --set schema={{}}")),
    ("schema", "sgd/gold/schema.json", (f"score sgd/pred --gold sgd/gold --set schema={{}} --by service {QUICK}", f"score sgd/pred --gold sgd/gold --set schema.train={{}} --by seen {QUICK}")),
    ("rules", "own.toml", (f"{_SCORE} --rules {{}}", "study rules native.jsonl --quiet --rules {} --rules trade")),
    ("user rules", "user.toml", (f"{_USER_SCORE} --rules {{}}",)),
    ("profile", "profile.toml", (f"{_USER_SCORE} --set profile={{}}", "check agenda.jsonl --subject user --quiet --set profile={}")),
    ("list", "ids.txt", (f"{_SCORE} --only {{}}", "check native.jsonl --quiet --only {}", f"{_SCORE} --only {{}} --out made/run --force", "study rules native.jsonl --quiet --rules trade --rules dialmeter --only {}")),
    ("ratings", "ratings.csv", (f"study people native.jsonl --sheet {{}} {QUICK}",)),
    ("long ratings", "long_ratings.csv", (f"study people native.jsonl --sheet {{}} {QUICK}",)),
    ("manifest", "manifest.csv", (f"study curve {{}} {QUICK}",)),
    ("sheet of ratings", "rated.csv", (f"study people native.jsonl --sheet {{}} {QUICK}",)),
    ("cases", "cases.jsonl", ("score {} --judge length --judge overlap --quiet -f json", "score {} --judge length --set ci=0 --limit 1 --quiet --out made/judge --force", "judge explain {} --judge length --limit 1 --quiet", "score {} --judge length -f csv --verbose --quiet")),
    ("scores", "scores.csv", (f"{_JUDGE} -j x={{}} -f json", f"{_JUDGE} -j x={{}} --judge length")),
    *((f"log {name}", f"logs/{name}", _LOG) for name in ("tau.json", "tau2.json", "inspect.json", "inspect.eval", "chat.jsonl")),
    *((f"rated {name}", f"people/{name}", _PEOPLE) for name in ("own.jsonl", "table.csv")),
    ("certified items", "people/own.jsonl", ("judge certify {} --judge length --set 'pass-if=overall >= 3' --set 'judge-pass-if=length >= 10' --quiet --out made/certificate.json --force",)),
    ("scores of rated items", "people/scores.csv", ("score people/own.jsonl -j x={} --set resamples=100 --quiet -f json",)),
    ("validity sheet", "validity.csv", ("study people cases.jsonl --sheet {} --quiet", "study people cases.jsonl --sheet {} --sheet validity.csv -f json")),
    ("patch of gold", "patch.json", tuple(f"{command} --set patch={{}}" for command in _PATCHED)),
    ("gold to audit", "gold.jsonl", ("study audit {} pred.jsonl --quiet", "study audit {} pred.jsonl --quiet --make-sheet made/audit.html --force")),
    ("predictions for an audit", "pred.jsonl", ("study audit gold.jsonl {} --quiet -f json", "study audit gold.jsonl {} --quiet --text native.jsonl")),
    ("audit sheet", "audited.csv", ("study audit --sheet {} --quiet --out made/patch.json --force", "study audit --sheet {} --sheet audited2.csv --quiet --out made/patch.json --force -f json")),
    ("leaderboard", "board.toml", (f"compare {{}} {_PAIRED}",)),
    ("tracker to compare", "nested.json", (f"compare native.jsonl {{}} {_PAIRED}",)),
    ("variant of a schema", "sgd/pred2/dialogues_001.json", (_VARIANTS, f"{_VARIANTS} -f json")),
    ("accuracy of reading", "accuracy.json", ("score agenda.jsonl --subject user --set profile=town --set ci=0 --quiet --set acts=rules(accuracy={})",)),
    ("states for goals", "native.jsonl", ("convert talk.jsonl - --to goals --set states={} --quiet",)),
    ("sheet of items", "items.csv", ("score logs/tau.json --subject user --gold {} --quiet", "score logs/tau.json --subject user --gold {} --quiet -f json")),
    ("log for a sheet", "logs/tau.json", ("convert {} made/items.csv --to items --quiet --force",)),
    ("ratings to train on", "satisfied.txt", ("judge train gru {} --set held-out=2 --set epochs=1 --quiet --out made/trained --force",)),
    ("cases to train on", "many_cases.jsonl", ("judge train robust {} --quiet --out made/head --force",)),
    ("trained judge", "head/robust.json", (f"{_JUDGE} --judge 'robust(folder=head)'",)),
    *((f"{name} of an endpoint", "template.txt", (f"{_JUDGE} --judge 'llm(endpoint=http://127.0.0.1:9/v1, model=m, retries=0, {name}={{}})' --dry-run",)) for name in ("system_prompt", "rubric")),
    ("template", "template.txt", (f"{_JUDGE} --judge length --judge 'llm(endpoint=http://127.0.0.1:9/v1, model=m, retries=0, template={{}})'",)),
)  # fmt: skip


def targets() -> list[Target]:
    """Every kind of file with what reads it."""
    more = (
        f"score {{}} --rules trade --by slot {QUICK}",
        f"study people {{}} --sheet ratings.csv {QUICK}",
        f"study bias {{}} {QUICK.replace('ci=0', 'resamples=100')}",
        f"score {{}} -f csv {QUICK}",
    )
    found = [Target(f"tracker {name}", name, (*TRACKER_WAYS.values(), *more)) for name in TRACKER_FILES]
    for name, gold in _ONE_SIDED.items():
        ways = (f"score {{}} {gold} {QUICK}", f"score {{}} {gold} --out made/run --force {QUICK}")
        found.append(Target(f"predictions {name}", name, (*ways, f"check {{}} {gold} --quiet", "convert {} - --quiet")))
    ways = (
        f"score sgd/pred --gold sgd/gold --rules sgd {QUICK}",
        "check sgd/pred --gold sgd/gold --quiet",
    )
    found.append(Target("predictions sgd", "sgd/pred/dialogues_001.json", (*ways, "convert sgd/pred - --quiet")))
    for name in ("gold.jsonl", "data.json", "test_dials.json"):
        ways = (f"score pred.jsonl --gold {{}} {QUICK}", "check pred.jsonl --gold {} --quiet")
        found.append(Target(f"gold {name}", name, (*ways, "convert {} - --quiet")))
    found += [Target(f"talk {label}", f"talk/{place}", _TALK) for place, label in enumerate(LAYOUTS)]
    found += [Target(*each) for each in _OTHERS]
    for name, (queries, more_files) in _RUNS.items():
        commands = tuple(each.replace("{}", f"runs/{name}") for each in (*_OF_A_RUN, *queries))
        pages, drawn = (tuple(each.replace("{}", name) for each in some) for some in (_PAGES, _WITH_CHARTS))
        commands = commands * 48 + pages * 6 + drawn  # how often each is drawn
        found += [Target(f"{name} run {file}", f"runs/{name}/{file}", commands) for file in (*_RUN_FILES, *more_files)]
    return found
