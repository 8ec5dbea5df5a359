"""The commands about trackers in every form that they print: names, command lines, and the files kept beside the output.

The files that command lines name are those of ``town_data``. The cases of one group run one behind the other in one folder,
so that a later one may read what an earlier one has written.
"""

from __future__ import annotations

from .execution import Case

STYLES = ("text", "json", "markdown", "latex", "csv")
RULES = ("dialmeter", "convlab3", "convlab3-t5", "dstc10", "fga-repo", "gca-repo", "mwzeval", "sgd", "trade")
QUICK = "--ci 0 --quiet"

FILES = {
    "native": "native.jsonl",
    "native-gz": "native.jsonl.gz",
    "native-apart": "pred.jsonl --gold gold.jsonl",
    "llm": "llm.jsonl",
    "nested": "nested.json",
    "nested-gz": "nested.json.gz",
    "fga-text": "fga.txt",
    "trade": "trade.json",
    "trade-domains": "trade_domains.json",
    "som-dst": "som.json",
    "trippy": "trippy.json",
    "vectors": "vectors.json",
    "sgd": "sgd/pred --gold sgd/gold",
    "sgd-one-file": "sgd/pred/dialogues_001.json --gold sgd/gold/dialogues_001.json",
    "mwzeval": "mwzeval.json --gold gold.jsonl",
    "mwzeval-gz": "mwzeval.json.gz --gold data.json",
    "convlab3": "convlab3.json",
    "t5-text": "t5.jsonl",
    "dstc10": "dstc10_pred.json --gold dstc10_gold.json",
    "multiwoz": "pred.jsonl --gold data.json",
    "multiwoz-dials": "pred.jsonl --gold test_dials.json",
    "nested-as-gold": "pred.jsonl --gold nested.json",
    "trade-as-pred": "trade.json --gold gold.jsonl",
    "convlab3-both": "convlab3.json --gold test_dials.json",
}
"""One way to name a corpus for each input format, alone and in pairs."""

MEASURES = (
    "JGA", "SA", "SA(slots=30)", "AGA", "IAGA", "RSA", "RSA(empty=skip)", "RSA(empty=one)", "FGA(lam=0)", "FGA(lam=0.25)",
    "FGA(lam=0.5)", "FGA(lam=1)", "FGA(lam=inf)", "FGA(lam=0.5, local=code)", "FGA(lam=0.5, local=vector)", "GCA",
    "GCA(alpha=0.5)", "GCA(deletions=count)", "GCA(deletions=code)", "GCA(credit=fuzzy)", "VP", "VR", "LP", "LR",
    "VP(deletions=count)", "LR(deletions=code)", "SlotF1", "SlotPrecision", "SlotRecall", "JointF1", "FinalJGA",
    "DialogueAccuracy", "LocalAccuracy", "JGA(average=dialogue)", "SA(average=dialogue)", "AGA(average=dialogue)",
    "IAGA(average=dialogue)", "RSA(average=dialogue)", "FGA(lam=0.5, average=dialogue)", "GCA(average=dialogue)",
    "GCA(average=dialogue, unchanged=zero)", "SlotF1(average=dialogue)", "JointF1(average=dialogue)",
)  # fmt: skip
VALUE_MEASURES = ("ValuePrecision", "ValueRecall", "ValueF1", "NonePrecision", "NoneRecall", "NoneF1")
FRAME_MEASURES = (
    "JointGoalAccuracy", "JointCatAccuracy", "JointNoncatAccuracy", "AverageGoalAccuracy", "AverageCatAccuracy",
    "AverageNoncatAccuracy", "IntentAccuracy", "RequestedSlotF1",
)  # fmt: skip


VECTOR_MEASURES = (
    "JGA", "SA", "SA(slots=30)", "FGA(lam=0.25, local=vector)", "FGA(lam=1, local=vector)", "LocalAccuracy", "FinalJGA",
    "DialogueAccuracy",
)  # fmt: skip


def measures_of(rules: str) -> tuple[str, ...]:
    """The general measures that a rule set defines."""
    if rules == "sgd":
        return ("JGA", "AGA")
    if rules in ("gca-repo", "mwzeval"):
        return tuple(measure for measure in MEASURES if "credit" not in measure)
    return MEASURES


def measured(*measures: str) -> str:
    """The options that ask for measures."""
    return " ".join(f'--measure "{measure}"' for measure in measures)


FEW = measured("JGA", "FGA(lam=0.5)", "GCA")


def styled(name: str, words: str, keeps: str = "") -> list[Case]:
    """A command in every style that it prints."""
    return [Case(f"{name}-{style}", f"{words} --as {style}", keeps) for style in STYLES]


def format_cases() -> list[Case]:
    """The same states through every reader."""
    checked = ("native", "native-apart", "llm", "vectors", "sgd", "dstc10")
    return [
        *(Case(f"check-json-{name}", f"tracker check {FILES[name]} --json --quiet") for name in checked),
        *(
            case
            for name, files in FILES.items()
            for case in (
                Case(f"check-{name}", f"tracker check {files}"),
                Case(f"score-{name}", f"tracker score {files} --ci 0"),
                Case(f"score-by-{name}", f"tracker score {files} {QUICK} {FEW} --by domain --signatures"),
                Case(f"score-json-{name}", f"tracker score {files} --json {QUICK} --measure JGA --measure GCA"),
            )
        ),
    ]


def convert_cases() -> list[Case]:
    """Every format as native lines."""
    place = "few_dialogues/"
    found = [
        Case(f"convert-{name}", f"convert {place}{files.replace('--gold ', f'--gold {place}')} -")
        for name, files in FILES.items()
    ]
    alone = {"mwzeval": "mwzeval.json", "sgd": "sgd/pred", "dstc10": "dstc10_pred.json", "multiwoz": "data.json"}
    alone = {name: f"{place}{file}" for name, file in alone.items()}
    for name, file in alone.items():
        found += [Case(f"convert-{name}-as-{role}", f"convert {file} - --role {role}") for role in ("gold", "pred")]
    return [
        *found,
        Case("convert-stdin", "convert - -", stdin="few_dialogues/nested.json"),
        Case("convert-from", "convert few_dialogues/nested.json - --from nested --quiet"),
        Case("convert-from-wrong", "convert nested.json - --from trade"),
        Case("convert-from-unknown", "convert nested.json - --from nestd"),
        Case(
            "convert-gold-from",
            "convert few_dialogues/pred.jsonl - --gold few_dialogues/data.json --gold-from multiwoz",
        ),
        Case("convert-file", "convert small.jsonl made.jsonl", "made.jsonl"),
        Case("convert-there", "convert small.jsonl made.jsonl"),
        Case("convert-force", "convert few_dialogues/som.json made.jsonl --force", "made.jsonl"),
        Case("convert-tracker", "convert agenda.jsonl#keyword made2.jsonl --quiet", "made2.jsonl"),
        Case("convert-gz", "convert small.jsonl made.jsonl.gz --quiet"),
        Case("convert-gz-back", "convert made.jsonl.gz -"),
        Case("convert-zst", "convert small.jsonl made.jsonl.zst --quiet"),
        Case("convert-zst-back", "convert made.jsonl.zst -"),
        Case("convert-nowhere", "convert nowhere.json -"),
        Case("convert-gaps", "convert gaps.jsonl - --gold gold.jsonl"),
        *(Case(f"convert-{file}", f"convert {file}.jsonl -") for file in ("updates", "updates_pred")),
    ]


def score_cases() -> list[Case]:
    """Forms, groups, conditions and ways in of ``tracker score``."""
    groups = ("domain", "slot", "turn", "without-domain")
    by = [
        case
        for group in groups
        for case in (
            Case(f"by-{group}", f"tracker score native.jsonl {QUICK} {FEW} --by {group}"),
            Case(f"by-{group}-all-turns", f"tracker score native.jsonl {QUICK} {FEW} --by {group} --turns all"),
            Case(
                f"by-{group}-json",
                f"tracker score native.jsonl --json --quiet --resamples 100 --measure JGA --by {group}",
            ),
        )
    ]
    sgd = "tracker score sgd/pred --gold sgd/gold --rules sgd --quiet"
    return [
        *styled("score", "tracker score native.jsonl"),
        *styled("score-by", f"tracker score native.jsonl {QUICK} {FEW} --by domain --by turn"),
        *by,
        *styled("score-sgd", f"{sgd} --ci 0 --by service --by seen --train-schema sgd/train/schema.json"),
        Case("sgd-ci", f"{sgd} --resamples 200"),
        Case("sgd-service-json", f"{sgd} --json --resamples 100 --measure JointGoalAccuracy --by service"),
        Case("seen-without-schema", f"{sgd} --by seen"),
        Case("by-service-of-native", "tracker score native.jsonl --by service"),
        Case("signatures", f"tracker score native.jsonl --signatures {FEW} {measured('SA', 'SA(slots=30)')}"),
        Case("signatures-json", f"tracker score native.jsonl --signatures --json {QUICK} {FEW}"),
        Case("show", "tracker score native.jsonl --ci 0 --dialogue TOWN0001.json --dialogue town0004"),
        Case("show-json", f"tracker score native.jsonl --json {QUICK} --measure JGA --dialogue TOWN0001.json"),
        Case("show-fga", f"tracker score native.jsonl {QUICK} {FEW} --rules fga-repo --dialogue TOWN0002.json"),
        Case("show-unknown", "tracker score native.jsonl --dialogue NOWHERE"),
        Case("show-markdown", f"tracker score native.jsonl --as markdown {QUICK} {FEW} --dialogue TOWN0001.json"),
        Case("only", f"tracker score native.jsonl {FEW} --only ids.txt"),
        Case("only-json", f"tracker score native.jsonl --json {QUICK} {FEW} --only ids.txt"),
        Case("only-unknown", "tracker score native.jsonl --only other_ids.txt"),
        Case("only-unknown-skip", f"tracker score native.jsonl {FEW} --only other_ids.txt --missing skip"),
        Case("fail-if-holds", 'tracker score native.jsonl --ci 0 --fail-if "JGA < 0.99"'),
        Case("fail-if-not", 'tracker score native.jsonl --ci 0 --fail-if "JGA < 0.01" --fail-if "FGA(lam=0.5) > 1"'),
        Case("fail-if-json", f'tracker score native.jsonl --json {QUICK} --measure JGA --fail-if "JGA < 0.99"'),
        Case("fail-if-bad", 'tracker score native.jsonl --fail-if "JGA is low"'),
        Case("fail-if-unknown", 'tracker score native.jsonl --fail-if "JGG < 1"'),
        Case("stdin", f"tracker score - --quiet {FEW}", stdin="native.jsonl"),
        Case("stdin-gz", f"tracker score - {QUICK} {FEW}", stdin="nested.json.gz"),
        Case("stdin-gold", f"tracker score pred.jsonl --gold - {QUICK} {FEW}", stdin="gold.jsonl"),
        Case("stdin-both", "tracker score - --gold -", stdin="gold.jsonl"),
        Case("tracker-own", f"tracker score agenda.jsonl --quiet {FEW} --resamples 200"),
        Case("tracker-keyword", f"tracker score agenda.jsonl#keyword --quiet {FEW} --resamples 200"),
        Case("tracker-keyword-json", f"tracker score agenda.jsonl#keyword --json {QUICK} --by domain {FEW}"),
        Case("tracker-unknown", "tracker score agenda.jsonl#keywrd"),
        Case("tracker-of-nested", "tracker score nested.json#one"),
        Case("schema-slots", f"tracker score native.jsonl {QUICK} {measured('SA', 'JGA')} --schema slots.json"),
        Case("schema-ontology", f"tracker score native.jsonl {QUICK} {measured('SA', 'JGA')} --schema ontology.json"),
        Case("schema-sgd", f"tracker score native.jsonl {QUICK} {measured('SA', 'JGA')} --schema sgd/gold/schema.json"),
        Case("schema-few", f"tracker score native.jsonl {QUICK} {measured('SA', 'JGA')} --schema few_slots.json"),
        Case("check-schema-few", "tracker check native.jsonl --schema few_slots.json"),
        Case("check-schema-few-json", "tracker check native.jsonl --schema few_slots.json --json"),
        Case("seed", f"tracker score native.jsonl --quiet {FEW} --seed 1 --resamples 300 --ci 0.9"),
        Case("from", f"tracker score nested.json --from nested {QUICK} {FEW}"),
        Case("from-wrong", "tracker score nested.json --from som-dst"),
        *(
            Case(f"workers-{number}-{name}", f"tracker score {files} --workers {number} --json --quiet --by domain {FEW}")
            for name, files in {"native": "native.jsonl", "apart": "pred.jsonl --gold gold.jsonl"}.items()
            for number in (1, 2)
        ),
    ]  # fmt: skip


def rule_cases() -> list[Case]:
    """All rule sets, single rules, all measures."""
    changes = {
        "missing-empty": "gaps.jsonl --gold gold.jsonl --missing empty",
        "missing-skip": "gaps.jsonl --gold gold.jsonl --missing skip",
        "missing-error": "gaps.jsonl --gold gold.jsonl",
        "missing-gold": "pred.jsonl --gold gaps.jsonl",
        "state-update": "updates.jsonl --state update",
        "state-update-pred": "updates_pred.jsonl --state update-pred",
        "state-cumulative": "updates.jsonl",
        "extra-ignore-slots": "native.jsonl --extra ignore-slots",
        "extra-ignore-domains": "native.jsonl --extra ignore-domains",
        "match-ratio": "native.jsonl --match ratio>=90",
        "match-partial-ratio": "native.jsonl --match partial_ratio>=80",
        "match-unknown": "native.jsonl --match like>=80",
        "dontcare-drop": "native.jsonl --dontcare drop",
        "dontcare-keep": "native.jsonl --dontcare keep",
        "alternatives-literal": "native.jsonl --alternatives literal",
        "alternatives-set": "native.jsonl --alternatives set",
        "values-as-is": "native.jsonl --values as-is",
        "values-steps": "native.jsonl --values trim,no-blanks,lower,digits",
        "values-unknown": "native.jsonl --values upper",
        "none-keep": "native.jsonl --none keep",
        "none-drop": "native.jsonl --none drop",
        "none-words": "native.jsonl --none none,yes",
        "own-rules": "native.jsonl --rules own.toml",
        "unknown-rules": "native.jsonl --rules trad",
    }
    general, values, frames = measured(*MEASURES), measured(*VALUE_MEASURES), measured(*FRAME_MEASURES)
    found = []
    for name, words in changes.items():
        found += [
            Case(f"{name}", f"tracker score {words} --ci 0 {FEW} --measure SlotF1"),
            Case(f"{name}-by", f"tracker score {words} {QUICK} --measure JGA --by domain --by turn"),
            Case(f"{name}-check", f"tracker check {words}"),
        ]
    for rules in RULES:
        found += [
            Case(f"{rules}-default", f"tracker score native.jsonl --rules {rules}"),
            Case(f"{rules}-by-domain", f"tracker score native.jsonl --rules {rules} {QUICK} --by domain --signatures"),
            Case(f"{rules}-by-slot", f"tracker score native.jsonl --rules {rules} --as csv {QUICK} --by slot"),
            Case(
                f"{rules}-measures",
                f"tracker score native.jsonl --rules {rules} {QUICK} {measured(*measures_of(rules))}",
            ),
            Case(f"{rules}-values", f"tracker score native.jsonl --rules {rules} {QUICK} {values}"),
            Case(f"{rules}-frames", f"tracker score sgd/pred --gold sgd/gold --rules {rules} {QUICK} {frames}"),
            Case(f"{rules}-check", f"tracker check native.jsonl --rules {rules}"),
            Case(f"{rules}-dstc10", f"tracker score dstc10_pred.json --gold dstc10_gold.json --rules {rules} {QUICK}"),
            Case(f"{rules}-trade", f"tracker score trade.json --rules {rules} {QUICK}"),
            Case(f"{rules}-convlab3", f"tracker score convlab3.json --rules {rules} {QUICK}"),
            Case(
                f"{rules}-vectors", f"tracker score vectors.json --rules {rules} {QUICK} {measured(*VECTOR_MEASURES)}"
            ),
        ]
    return [
        *found,
        Case("measures-ci", f"tracker score native.jsonl --quiet --resamples 100 {general}"),
        Case("measures-json", f"tracker score native.jsonl --json --quiet --resamples 100 {general}"),
        Case("measures-fga-text", f"tracker score fga.txt {QUICK} {general}"),
        Case("measures-vectors", f"tracker score vectors.json {QUICK} {general}"),
        Case("measures-gca-repo", f"tracker score native.jsonl --rules gca-repo {QUICK} {general}"),
        Case("measures-mwzeval", f"tracker score native.jsonl --rules mwzeval {QUICK} {general}"),
        Case("measures-sgd", f"tracker score native.jsonl --rules sgd {QUICK} {general}"),
        Case("measure-domains", 'tracker score native.jsonl --resamples 100 --measure "FGA(lam={hotel: 0, other: 0.5})" --by domain'),
        Case("measure-domain-lacks", 'tracker score native.jsonl --measure "FGA(lam={nowhere: 0})"'),
        Case("measure-domains-vectors", 'tracker score vectors.json --measure "FGA(lam={other: 1})"'),
        Case("measure-unknown", "tracker score native.jsonl --measure JGAA"),
        Case("measure-lacks-lam", "tracker score native.jsonl --measure FGA"),
        Case("measure-bad-parameter", 'tracker score native.jsonl --measure "FGA(lamda=1)"'),
        Case("measure-bad-value", 'tracker score native.jsonl --measure "GCA(deletions=never)"'),
        Case("measure-user", "tracker score native.jsonl --measure I-GCDF1"),
    ]  # fmt: skip


def rules_cases() -> list[Case]:
    """One file under every rule set."""
    return [
        *styled("rules", "tracker rules native.jsonl"),
        Case("rules-flips", "tracker rules native.jsonl --flips 10"),
        Case("rules-no-flips", "tracker rules native.jsonl --flips 0"),
        Case("rules-base", "tracker rules native.jsonl --rules trade --rules dialmeter --rules mwzeval"),
        Case("rules-own", "tracker rules native.jsonl --rules dialmeter --rules own.toml --json"),
        Case("rules-only", "tracker rules native.jsonl --only ids.txt"),
        Case("rules-gaps", "tracker rules gaps.jsonl --gold gold.jsonl"),
        Case("rules-gaps-empty", "tracker rules gaps.jsonl --gold gold.jsonl --missing empty"),
        Case("rules-gaps-skip", "tracker rules gaps.jsonl --gold gold.jsonl --missing skip --json"),
        Case("rules-unknown", "tracker rules native.jsonl --rules trad"),
        *(Case(f"rules-{name}", f"tracker rules {files} --flips 1") for name, files in FILES.items()),
    ]


def compare_cases() -> list[Case]:
    """Paired comparisons."""
    files = "native.jsonl worse.jsonl worst.jsonl"
    base = f"tracker compare {files} --resamples 500 {FEW}"
    named = "--name good --name worse --name worst"
    board = f"tracker board {files} --resamples 2000 --out board --force --quiet"
    return [
        *styled("board", board),
        Case("board-page", f"{board} {named}", "board/board.md"),
        *styled("compare", base),
        *(Case(f"compare-letters-{style}", f"{base} --quiet --as {style} --marks letters") for style in ("latex", "markdown")),
        Case("compare-names", f"{base} {named} --test bootstrap"),
        Case("compare-default", "tracker compare native.jsonl worse.jsonl --resamples 200"),
        Case("compare-mcnemar", f"{base} {named} --mcnemar"),
        Case("compare-mcnemar-json", f"tracker compare native.jsonl worse.jsonl --resamples 200 --json --mcnemar {FEW}"),
        Case("compare-by", "tracker compare native.jsonl worse.jsonl --resamples 200 --measure JGA --by domain --by slot"),
        Case("compare-by-turn", "tracker compare native.jsonl worse.jsonl --resamples 200 --measure GCA --by turn --turns all"),
        Case("compare-by-json", "tracker compare native.jsonl worse.jsonl --resamples 200 --measure JGA --by without-domain --json"),
        Case("compare-trivial", f"tracker compare native.jsonl --resamples 200 {FEW} --trivial empty --trivial copy-previous --trivial late --trivial one-wrong"),
        Case("compare-disagree-systems", f"{base} {named} --disagree good --disagree worst --limit 2"),
        Case("compare-disagree-measures", f'{base} {named} --disagree JGA --disagree "FGA(lam=0.5)"'),
        Case("compare-disagree-json", f"{base} {named} --disagree JGA --disagree GCA --json --limit 1"),
        *styled("compare-disagree-one", f'tracker compare worse.jsonl --resamples 200 {FEW} --disagree "FGA(lam=0.5)" --disagree GCA --limit 2'),
        Case("compare-disagree-same", f"{base} --disagree JGA --disagree JGA"),
        *styled("compare-power", f"{base} {named} --power"),
        Case("compare-disagree-once", f"{base} --disagree JGA"),
        Case("compare-worse", f"tracker compare native.jsonl worst.jsonl --resamples 500 {FEW} --fail-if-worse"),
        Case("compare-better", f"tracker compare worst.jsonl native.jsonl --resamples 500 {FEW} --fail-if-worse"),
        Case("compare-formats", f"tracker compare som.json trade.json nested.json --resamples 200 {FEW}"),
        Case("compare-gold", f"tracker compare pred.jsonl mwzeval.json --gold gold.jsonl --resamples 200 {FEW}"),
        Case("compare-trackers", f"tracker compare agenda.jsonl agenda.jsonl#keyword --resamples 200 {FEW}"),
        Case("compare-other-dialogues", f"tracker compare native.jsonl small.jsonl --resamples 200 {FEW}"),
        Case("compare-common", f"tracker compare native.jsonl small.jsonl --common --resamples 200 {FEW}"),
        Case("compare-other-gold", f"tracker compare native.jsonl agenda.jsonl --common --resamples 200 {FEW}"),
        Case("compare-rules", f"{base} --rules trade --quiet"),
        Case("compare-no-ci", f"{base} --ci 0 --quiet"),
        Case("compare-one", "tracker compare native.jsonl"),
        Case("compare-names-few", f"{base} --name a --name b"),
        Case("compare-vectors", "tracker compare vectors.json vectors.json --resamples 200 --measure JGA"),
    ]  # fmt: skip
