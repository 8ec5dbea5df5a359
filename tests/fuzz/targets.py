"""Every kind of file that a command reads, and command lines that read it."""

from __future__ import annotations

from typing import NamedTuple

from ..readers.talk.samples import LAYOUTS

QUICK = "--ci 0 --measure JGA --quiet"
PAIR = "--measure JGA --resamples 100 --ci 0 --quiet --name a --name b"


class Target(NamedTuple):
    """A file, and command lines that read it; ``{}`` is its place."""

    kind: str
    path: str
    commands: tuple[str, ...]


TRACKER_WAYS = {
    "score": f"tracker score {{}} {QUICK} --json",
    "score --out": f"tracker score {{}} {QUICK} --out made/run --force",
    "check": "tracker check {} --quiet",
    "rules": "tracker rules {} --rules dialmeter --rules trade --json --quiet",
    "compare": f"tracker compare {{}} {{}} {PAIR}",
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
_USER = (
    "user check {} --profile town --quiet",
    "user score {} --profile town --ci 0 --quiet --json",
    "user score {} --profile town --ci 0 --quiet --out made/user --force",
    "user patterns {} --profile town --quiet",
    "user query {} --profile town --show --limit 2 --quiet",
    "user values {} --quiet",
    "user score {} --profile town --ci 0 --quiet --from-text --blame",
    "user labels {} --profile town --quiet --as csv",
    f"tracker score {{}} {QUICK}",
    "user compare {} agenda.jsonl --profile town --resamples 100 --quiet --name a --name b",
    "user compare {} agenda.jsonl --profile town --resamples 100 --quiet --name a --name b --distance",
    "user compare agenda.jsonl {} --profile town --ci 0 --resamples 100 --quiet --name a --name b --json --distance",
    "user goals {} --profile town --quiet",
    "user understand {} --profile town --quiet",
    "user cross --goals {} --max-turns 2 --workers 1 --ci 0 --quiet",
)
_ATTACK = "judge attack {} --light --no-cache --cases 1 --quiet --force --out made/cases.jsonl"
_TALK = (
    f"{_ATTACK} --attack repetition --attack identical",
    "user check {} --quiet",
    f"{_ATTACK} --attack dullness",
    "judge bench make {} --light --cases 1 --attack repetition --quiet --out made/set.jsonl --force",
)
_SCORE = f"tracker score native.jsonl {QUICK}"
_USER_SCORE = "user score agenda.jsonl --ci 0 --quiet"
_JUDGE = "judge score cases.jsonl --quiet"
_LOG = (
    "system check {} --quiet",
    "system score {} --ci 0 --quiet --json",
    "system score {} --ci 0 --quiet --by-task --out made/system --force",
    "system compare {} {} --name a --name b --resamples 100 --quiet",
    "system compare logs/other.json {} --resamples 100 --quiet --json",
    "user items {} --quiet",
    "user items {} --quiet --json",
    "user check {} --quiet",
)
_PEOPLE = (
    "judge human {} --resamples 100 --quiet --json",
    "judge human {} --judge length --resamples 100 --quiet --out made/people --force",
)
_PATCHED = (
    "tracker check pred.jsonl --gold gold.jsonl --quiet",
    f"tracker score pred.jsonl --gold gold.jsonl {QUICK} --json",
    f"tracker score pred.jsonl --gold gold.jsonl {QUICK} --out made/run --force",
    f"tracker compare pred.jsonl pred.jsonl --gold gold.jsonl {PAIR}",
)
_BOARD = "--measure JGA --resamples 100 --quiet --force --out made/trackers"
_VARIANTS = "tracker sensitivity sgd/pred sgd/pred2 --gold sgd/gold --resamples 100 --quiet"
_RUN_FILES = ("run.json", "rows.jsonl", "index.npz", "findings.npz")
_RUNS = {
    "tracker": (("tracker audit {} --quiet", f"tracker board {{}} runs/other {_BOARD}"), ()),
    "user": (("user query {} --show --limit 1 --quiet", "user query {} --json --quiet"), ()),
    "judge": ((), ()),
    "system": ((), ()),
    "people": ((), ()),
    "items": (("user query {} --json --quiet",), ()),
    "compared": ((), ("document.json", "chart-measures.svg")),
    "biased": ((), ("document.json",)),
    "curved": ((), ("document.json",)),
    "ruled": ((), ("document.json",)),
    "crossed": ((), ("document.json",)),
}
"""Runs by name: commands that read them and no others, and files that other runs do not have."""
_OF_A_RUN = ("report {} --as markdown --out -", "cite {}", "report {} --as latex --out -")
_PAGES = ("GET /", "GET /rows/{}", "GET /row/0/{}", "GET /row/1/{}", "GET /compare?run={}&run=other")
"""Pages of the viewer, by the name of the run."""
_WITH_CHARTS = ("report runs/{} --as html --out -", "GET /run/{}")
"""They take a second, a hundred times as long as the others."""

_OTHERS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("talk of the town", "agenda.jsonl", (*_USER, *_TALK)),
    ("goals", "goals.json", (f"{_USER_SCORE} --goals {{}}", "user check agenda.jsonl --quiet --goals {}", "user values agenda.jsonl --quiet --goals {}")),
    ("goals to play", "agenda.jsonl", ("user play --goals {} --max-turns 2 --quiet --force --out made/played.jsonl",)),
    ("map", "map.json", (f"{_USER_SCORE} --map {{}}", f"{_SCORE} --map {{}}", "user check agenda.jsonl --quiet --map {}")),
    ("slots", "slots.json", (f"{_SCORE} --schema {{}}", "tracker score native.jsonl --by slot --ci 0 --quiet --schema {}")),
    ("ontology", "ontology.json", ("user values agenda.jsonl --quiet --ontology {}", f"{_SCORE} --schema {{}}")),
    ("schema", "sgd/gold/schema.json", (f"tracker score sgd/pred --gold sgd/gold --schema {{}} --by service {QUICK}", f"tracker score sgd/pred --gold sgd/gold --train-schema {{}} --by seen {QUICK}")),
    ("rules", "own.toml", (f"{_SCORE} --rules {{}}", "tracker rules native.jsonl --quiet --rules {} --rules trade")),
    ("user rules", "user.toml", (f"{_USER_SCORE} --rules {{}}",)),
    ("profile", "profile.toml", (f"{_USER_SCORE} --profile {{}}", "user check agenda.jsonl --quiet --profile {}")),
    ("list", "ids.txt", (f"{_SCORE} --only {{}}", "tracker check native.jsonl --quiet --only {}", f"{_SCORE} --only {{}} --out made/run --force", "tracker rules native.jsonl --quiet --rules trade --rules dialmeter --only {}")),
    ("ratings", "ratings.csv", (f"tracker human native.jsonl --ratings {{}} {QUICK}",)),
    ("long ratings", "long_ratings.csv", (f"tracker human native.jsonl --ratings {{}} {QUICK}",)),
    ("manifest", "manifest.csv", (f"tracker curve . --manifest {{}} {QUICK}",)),
    ("manifest lines", "manifest.jsonl", (f"tracker curve . --manifest {{}} {QUICK}",)),
    ("sheet", "filled/sheet.txt", (f"tracker human native.jsonl --read-sheets filled {QUICK}",)),
    ("cases", "cases.jsonl", ("judge score {} --judge length --judge overlap --quiet --json", "judge score {} --judge length --ci 0 --failing 1 --quiet --out made/judge --force", "judge explain {} --judge length --cases 1 --quiet", "judge score {} --judge length --as csv --details --quiet")),
    ("scores", "scores.csv", (f"{_JUDGE} --scores x={{}} --json", f"{_JUDGE} --scores x={{}} --judge length")),
    *((f"log {name}", f"logs/{name}", _LOG) for name in ("tau.json", "tau2.json", "inspect.json", "inspect.eval", "chat.jsonl")),
    *((f"rated {name}", f"people/{name}", _PEOPLE) for name in ("own.jsonl", "table.csv")),
    ("scores of rated items", "people/scores.csv", ("judge human people/own.jsonl --scores x={} --resamples 100 --quiet --json",)),
    ("validity sheet", "validity.csv", ("judge validity cases.jsonl --read-sheets {} --quiet", "judge validity cases.jsonl --read-sheets {} --read-sheets validity.csv --json")),
    ("bench set", "bench.jsonl", ("judge bench run {} --judge length --quiet --out made/bench --force", "judge bench verify {} submissions/overlap.json")),
    ("bench submission", "submissions/overlap.json", ("judge bench verify bench.jsonl {}", "judge bench page bench.jsonl {} --quiet --out made/board --force")),
    ("patch of gold", "patch.json", tuple(f"{command} --patch {{}}" for command in _PATCHED)),
    ("gold to audit", "gold.jsonl", ("tracker audit {} pred.jsonl --quiet", "tracker audit {} pred.jsonl --quiet --make-sheets made/audit.html --force")),
    ("predictions for an audit", "pred.jsonl", ("tracker audit gold.jsonl {} --quiet --json", "tracker audit gold.jsonl {} --quiet --talk native.jsonl")),
    ("audit sheet", "audited.csv", ("tracker audit --read-sheets {} --quiet --out made/patch.json --force", "tracker audit --read-sheets {} --read-sheets audited2.csv --quiet --out made/patch.json --force --json")),
    ("board manifest", "board.toml", (f"tracker board {{}} {_BOARD}",)),
    ("tracker on a board", "nested.json", (f"tracker board native.jsonl {{}} {_BOARD}",)),
    ("variant of a schema", "sgd/pred2/dialogues_001.json", (_VARIANTS, f"{_VARIANTS} --original sgd/pred3 --original-gold sgd/gold --json")),
    ("accuracy of reading", "accuracy.json", ("user score agenda.jsonl --profile town --ci 0 --quiet --from-text --accuracy {}",)),
    ("states for goals", "native.jsonl", ("user goals talk.jsonl --states {} --quiet",)),
    ("sheet of items", "items.csv", ("user items logs/tau.json --goals {} --quiet", "user items logs/tau.json --goals {} --quiet --json")),
    ("log for a sheet", "logs/tau.json", ("user goals {} --quiet --make-sheets made/items.csv --force",)),
    ("ratings to train on", "satisfied.txt", ("judge train satisfaction {} --held-out 2 --epochs 1 --threads 1 --quiet --out made/trained --force",)),
    ("cases to train on", "many_cases.jsonl", ("judge train robust {} --quiet --out made/head --force",)),
    ("trained judge", "head/robust.json", (f"{_JUDGE} --judge 'robust(folder=head)'",)),
    ("agreement on a board", "agreement.json", ("judge bench page bench.jsonl submissions/overlap.json --people town={} --quiet --out made/board --force",)),
    *((f"{name} of an endpoint", "template.txt", (f"{_JUDGE} --judge length --endpoint http://127.0.0.1:9/v1 --model m --parameter retries=0 --{name} {{}} --dry-run",)) for name in ("system-prompt", "rubric")),
    ("template", "template.txt", (f"{_JUDGE} --judge length --judge 'llm(endpoint=http://127.0.0.1:9/v1, model=m, retries=0, template={{}})'",)),
)  # fmt: skip


def targets() -> list[Target]:
    """Every kind of file with what reads it."""
    more = (
        f"tracker score {{}} --rules trade --by slot {QUICK}",
        f"tracker human {{}} --ratings ratings.csv {QUICK}",
        f"tracker bias {{}} --trivial none {QUICK.replace('--ci 0', '--resamples 100')}",
        f"tracker score {{}} --as csv {QUICK}",
    )
    found = [Target(f"tracker {name}", name, (*TRACKER_WAYS.values(), *more)) for name in TRACKER_FILES]
    for name, gold in _ONE_SIDED.items():
        ways = (f"tracker score {{}} {gold} {QUICK}", f"tracker score {{}} {gold} --out made/run --force {QUICK}")
        found.append(
            Target(f"predictions {name}", name, (*ways, f"tracker check {{}} {gold} --quiet", "convert {} - --quiet"))
        )
    ways = (
        f"tracker score sgd/pred --gold sgd/gold --rules sgd {QUICK}",
        "tracker check sgd/pred --gold sgd/gold --quiet",
    )
    found.append(Target("predictions sgd", "sgd/pred/dialogues_001.json", (*ways, "convert sgd/pred - --quiet")))
    for name in ("gold.jsonl", "data.json", "test_dials.json"):
        ways = (f"tracker score pred.jsonl --gold {{}} {QUICK}", "tracker check pred.jsonl --gold {} --quiet")
        found.append(Target(f"gold {name}", name, (*ways, "convert {} - --quiet")))
    found += [Target(f"talk {label}", f"talk/{place}", _TALK) for place, label in enumerate(LAYOUTS)]
    found += [Target(*each) for each in _OTHERS]
    for name, (queries, more_files) in _RUNS.items():
        commands = tuple(each.replace("{}", f"runs/{name}") for each in (*_OF_A_RUN, *queries))
        pages, drawn = (tuple(each.replace("{}", name) for each in some) for some in (_PAGES, _WITH_CHARTS))
        commands = commands * 48 + pages * 6 + drawn  # how often each is drawn
        found += [Target(f"{name} run {file}", f"runs/{name}/{file}", commands) for file in (*_RUN_FILES, *more_files)]
    return found
