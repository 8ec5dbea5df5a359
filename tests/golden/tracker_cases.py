"""The commands about trackers in every form that they print: names, command lines, and the files kept beside the output.

The files that command lines name are those of ``town_data``. The cases of one group run one behind the other in one folder,
so that a later one may read what an earlier one has written.
"""

from __future__ import annotations

from .execution import Case

STYLES = ("text", "json", "markdown", "latex", "csv")
RULES = ("dialmeter", "convlab3", "convlab3-t5", "dstc10", "fga-repo", "gca-repo", "mwzeval", "sgd", "trade")
QUICK = "--set ci=0 --quiet"

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
    return [Case(f"{name}-{style}", f"{words} -f {style}", keeps) for style in STYLES]


def format_cases() -> list[Case]:
    """The same states through every reader."""
    checked = ("native", "native-apart", "llm", "vectors", "sgd", "dstc10")
    return [
        *(Case(f"check-json-{name}", f"check {FILES[name]} -f json --quiet") for name in checked),
        *(
            case
            for name, files in FILES.items()
            for case in (
                Case(f"check-{name}", f"check {files}"),
                Case(f"score-{name}", f"score {files} --set ci=0"),
                Case(f"score-by-{name}", f"score {files} {QUICK} {FEW} --by domain --verbose"),
                Case(f"score-json-{name}", f"score {files} -f json {QUICK} --measure JGA --measure GCA"),
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
            "convert few_dialogues/pred.jsonl - --gold few_dialogues/data.json --from gold=multiwoz",
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
    """Forms, groups, conditions and ways in of ``score``."""
    groups = ("domain", "slot", "turn", "without-domain")
    by = [
        case
        for group in groups
        for case in (
            Case(f"by-{group}", f"score native.jsonl {QUICK} {FEW} --by {group}"),
            Case(f"by-{group}-all-turns", f"score native.jsonl {QUICK} {FEW} --by {group} --set turns=all"),
            Case(
                f"by-{group}-json",
                f"score native.jsonl -f json --quiet --set resamples=100 --measure JGA --by {group}",
            ),
        )
    ]
    sgd = "score sgd/pred --gold sgd/gold --rules sgd --quiet"
    return [
        *styled("score", "score native.jsonl"),
        *styled("score-by", f"score native.jsonl {QUICK} {FEW} --by domain --by turn"),
        *by,
        *styled("score-sgd", f"{sgd} --set ci=0 --by service --by seen --set schema.train=sgd/train/schema.json"),
        Case("sgd-ci", f"{sgd} --set resamples=200"),
        Case("sgd-service-json", f"{sgd} -f json --set resamples=100 --measure JointGoalAccuracy --by service"),
        Case("seen-without-schema", f"{sgd} --by seen"),
        Case("by-service-of-native", "score native.jsonl --by service"),
        Case("signatures", f"score native.jsonl --verbose {FEW} {measured('SA', 'SA(slots=30)')}"),
        Case("signatures-json", f"score native.jsonl --verbose -f json {QUICK} {FEW}"),
        Case("show", "find native.jsonl TOWN0001.json --show"),
        Case("show-json", "find native.jsonl town0004 --show -f json"),
        Case("show-fga", "find native.jsonl TOWN0002.json --show --rules fga-repo"),
        Case("show-unknown", "find native.jsonl NOWHERE"),
        Case("only", f"score native.jsonl {FEW} --only ids.txt"),
        Case("only-json", f"score native.jsonl -f json {QUICK} {FEW} --only ids.txt"),
        Case("only-unknown", "score native.jsonl --only other_ids.txt"),
        Case("only-unknown-skip", f"score native.jsonl {FEW} --only other_ids.txt --set missing=skip"),
        Case("fail-if-holds", 'score native.jsonl --set ci=0 --fail-if "JGA < 0.99"'),
        Case("fail-if-not", 'score native.jsonl --set ci=0 --fail-if "JGA < 0.01" --fail-if "FGA(lam=0.5) > 1"'),
        Case("fail-if-json", f'score native.jsonl -f json {QUICK} --measure JGA --fail-if "JGA < 0.99"'),
        Case("fail-if-bad", 'score native.jsonl --fail-if "JGA is low"'),
        Case("fail-if-unknown", 'score native.jsonl --fail-if "JGG < 1"'),
        Case("stdin", f"score - --subject tracker --quiet {FEW}", stdin="native.jsonl"),
        Case("stdin-gz", f"score - --subject tracker {QUICK} {FEW}", stdin="nested.json.gz"),
        Case("stdin-gold", f"score pred.jsonl --gold - {QUICK} {FEW}", stdin="gold.jsonl"),
        Case("stdin-both", "score - --gold -", stdin="gold.jsonl"),
        Case("tracker-own", f"score agenda.jsonl --subject tracker --quiet {FEW} --set resamples=200"),
        Case("tracker-keyword", f"score agenda.jsonl#keyword --quiet {FEW} --set resamples=200"),
        Case("tracker-keyword-json", f"score agenda.jsonl#keyword -f json {QUICK} --by domain {FEW}"),
        Case("tracker-unknown", "score agenda.jsonl#keywrd"),
        Case("tracker-of-nested", "score nested.json#one"),
        Case("schema-slots", f"score native.jsonl {QUICK} {measured('SA', 'JGA')} --set schema=slots.json"),
        Case("schema-ontology", f"score native.jsonl {QUICK} {measured('SA', 'JGA')} --set schema=ontology.json"),
        Case("schema-sgd", f"score native.jsonl {QUICK} {measured('SA', 'JGA')} --set schema=sgd/gold/schema.json"),
        Case("schema-few", f"score native.jsonl {QUICK} {measured('SA', 'JGA')} --set schema=few_slots.json"),
        Case("check-schema-few", "check native.jsonl --set schema=few_slots.json"),
        Case("check-schema-few-json", "check native.jsonl --set schema=few_slots.json -f json"),
        Case("seed", f"score native.jsonl --quiet {FEW} --set seed=1 --set resamples=300 --set ci=0.9"),
        Case("from", f"score nested.json --from nested {QUICK} {FEW}"),
        Case("from-wrong", "score nested.json --from som-dst"),
        *(
            Case(f"workers-{number}-{name}", f"score {files} --workers {number} -f json --quiet --by domain {FEW}")
            for name, files in {"native": "native.jsonl", "apart": "pred.jsonl --gold gold.jsonl"}.items()
            for number in (1, 2)
        ),
    ]  # fmt: skip


def rule_cases() -> list[Case]:
    """All rule sets, single rules, all measures."""
    changes = {
        "missing-empty": "gaps.jsonl --gold gold.jsonl --set missing=empty",
        "missing-skip": "gaps.jsonl --gold gold.jsonl --set missing=skip",
        "missing-error": "gaps.jsonl --gold gold.jsonl",
        "missing-gold": "pred.jsonl --gold gaps.jsonl",
        "state-update": "updates.jsonl --set state=update",
        "state-update-pred": "updates_pred.jsonl --set state=update-pred",
        "state-cumulative": "updates.jsonl",
        "extra-ignore-slots": "native.jsonl --set extra=ignore-slots",
        "extra-ignore-domains": "native.jsonl --set extra=ignore-domains",
        "match-ratio": "native.jsonl --set match=ratio>=90",
        "match-partial-ratio": "native.jsonl --set match=partial_ratio>=80",
        "match-unknown": "native.jsonl --set match=like>=80",
        "dontcare-drop": "native.jsonl --set dontcare=drop",
        "dontcare-keep": "native.jsonl --set dontcare=keep",
        "alternatives-literal": "native.jsonl --set alternatives=literal",
        "alternatives-set": "native.jsonl --set alternatives=set",
        "values-as-is": "native.jsonl --set values=as-is",
        "values-steps": "native.jsonl --set values=trim,no-blanks,lower,digits",
        "values-unknown": "native.jsonl --set values=upper",
        "none-keep": "native.jsonl --set none=keep",
        "none-drop": "native.jsonl --set none=drop",
        "none-words": "native.jsonl --set none=none,yes",
        "own-rules": "native.jsonl --rules own.toml",
        "unknown-rules": "native.jsonl --rules trad",
    }
    general, values, frames = measured(*MEASURES), measured(*VALUE_MEASURES), measured(*FRAME_MEASURES)
    found = []
    for name, words in changes.items():
        found += [
            Case(f"{name}", f"score {words} --set ci=0 {FEW} --measure SlotF1"),
            Case(f"{name}-by", f"score {words} {QUICK} --measure JGA --by domain --by turn"),
            Case(f"{name}-check", f"check {words}"),
        ]
    for rules in RULES:
        found += [
            Case(f"{rules}-default", f"score native.jsonl --rules {rules}"),
            Case(f"{rules}-by-domain", f"score native.jsonl --rules {rules} {QUICK} --by domain --verbose"),
            Case(f"{rules}-by-slot", f"score native.jsonl --rules {rules} -f csv {QUICK} --by slot"),
            Case(
                f"{rules}-measures",
                f"score native.jsonl --rules {rules} {QUICK} {measured(*measures_of(rules))}",
            ),
            Case(f"{rules}-values", f"score native.jsonl --rules {rules} {QUICK} {values}"),
            Case(f"{rules}-frames", f"score sgd/pred --gold sgd/gold --rules {rules} {QUICK} {frames}"),
            Case(f"{rules}-check", f"check native.jsonl --rules {rules}"),
            Case(f"{rules}-dstc10", f"score dstc10_pred.json --gold dstc10_gold.json --rules {rules} {QUICK}"),
            Case(f"{rules}-trade", f"score trade.json --rules {rules} {QUICK}"),
            Case(f"{rules}-convlab3", f"score convlab3.json --rules {rules} {QUICK}"),
            Case(f"{rules}-vectors", f"score vectors.json --rules {rules} {QUICK} {measured(*VECTOR_MEASURES)}"),
        ]
    return [
        *found,
        Case("measures-ci", f"score native.jsonl --quiet --set resamples=100 {general}"),
        Case("measures-json", f"score native.jsonl -f json --quiet --set resamples=100 {general}"),
        Case("measures-fga-text", f"score fga.txt {QUICK} {general}"),
        Case("measures-vectors", f"score vectors.json {QUICK} {general}"),
        Case("measures-gca-repo", f"score native.jsonl --rules gca-repo {QUICK} {general}"),
        Case("measures-mwzeval", f"score native.jsonl --rules mwzeval {QUICK} {general}"),
        Case("measures-sgd", f"score native.jsonl --rules sgd {QUICK} {general}"),
        Case("measure-domains", 'score native.jsonl --set resamples=100 --measure "FGA(lam={hotel: 0, other: 0.5})" --by domain'),
        Case("measure-domain-lacks", 'score native.jsonl --measure "FGA(lam={nowhere: 0})"'),
        Case("measure-domains-vectors", 'score vectors.json --measure "FGA(lam={other: 1})"'),
        Case("measure-unknown", "score native.jsonl --measure JGAA"),
        Case("measure-lacks-lam", "score native.jsonl --measure FGA"),
        Case("measure-bad-parameter", 'score native.jsonl --measure "FGA(lamda=1)"'),
        Case("measure-bad-value", 'score native.jsonl --measure "GCA(deletions=never)"'),
        Case("measure-user", "score native.jsonl --measure I-GCDF1"),
    ]  # fmt: skip


def rules_cases() -> list[Case]:
    """One file under every rule set."""
    return [
        *styled("rules", "study rules native.jsonl"),
        Case("rules-flips", "study rules native.jsonl --limit 10"),
        Case("rules-no-flips", "study rules native.jsonl --limit 0"),
        Case("rules-base", "study rules native.jsonl --rules trade --rules dialmeter --rules mwzeval"),
        Case("rules-own", "study rules native.jsonl --rules dialmeter --rules own.toml -f json"),
        Case("rules-only", "study rules native.jsonl --only ids.txt"),
        Case("rules-gaps", "study rules gaps.jsonl --gold gold.jsonl"),
        Case("rules-gaps-empty", "study rules gaps.jsonl --gold gold.jsonl --set missing=empty"),
        Case("rules-gaps-skip", "study rules gaps.jsonl --gold gold.jsonl --set missing=skip -f json"),
        Case("rules-unknown", "study rules native.jsonl --rules trad"),
        *(Case(f"rules-{name}", f"study rules {files} --limit 1") for name, files in FILES.items()),
    ]


def compare_cases() -> list[Case]:
    """Paired comparisons."""
    files = "native.jsonl worse.jsonl worst.jsonl"
    base = f"compare {files} --set resamples=500 {FEW}"
    named = f"compare good=native.jsonl worse=worse.jsonl worst=worst.jsonl --set resamples=500 {FEW}"
    return [
        *styled("compare", base),
        *(Case(f"compare-letters-{style}", f"{base} --quiet -f {style} --latex marks=letters") for style in ("latex", "markdown")),
        Case("compare-names", f"{named} --set test=bootstrap"),
        Case("compare-default", "compare native.jsonl worse.jsonl --set resamples=200"),
        Case("compare-mcnemar", f"{named} --set test=mcnemar"),
        Case("compare-mcnemar-json", f"compare native.jsonl worse.jsonl --set resamples=200 -f json --set test=mcnemar {FEW}"),
        Case("board", "compare board.toml --set resamples=200 --out runs/board --quiet"),
        Case("board-verbose", "compare board.toml --set resamples=200 -v --quiet"),
        Case("board-markdown", "compare board.toml --set resamples=200 --quiet -f markdown"),
        Case("board-gold", "compare board.toml --gold gold.jsonl"),
        Case("board-page", "report runs/board --out - -f markdown"),
        *styled("find-measures", 'find worse.jsonl --sort "FGA(lam=0.5) - GCA" --limit 2'),
        Case("find-systems", 'find native.jsonl worse.jsonl --sort "A.JGA - B.JGA" --limit 2'),
        Case("find-named", "find good=native.jsonl worse=worse.jsonl good.outcome=right worse.outcome=missed --limit 2 -f json"),
        Case("find-unknown", "find native.jsonl outcome=wrongly"),
        Case("compare-verbose", "compare native.jsonl worse.jsonl --set resamples=200 --measure JGA -v"),
        Case("compare-by", "compare native.jsonl worse.jsonl --set resamples=200 --measure JGA --by domain --by slot"),
        Case("compare-by-turn", "compare native.jsonl worse.jsonl --set resamples=200 --measure GCA --by turn --set turns=all"),
        Case("compare-by-json", "compare native.jsonl worse.jsonl --set resamples=200 --measure JGA --by without-domain -f json"),
        Case("compare-trivial", f"compare native.jsonl --set resamples=200 {FEW} trivial:empty trivial:copy-previous trivial:late trivial:one-wrong"),
        *styled("compare-power", f"{named} --by pair"),
        Case("compare-worse", f"compare native.jsonl worst.jsonl --set resamples=500 {FEW} --fail-if worse"),
        Case("compare-better", f"compare worst.jsonl native.jsonl --set resamples=500 {FEW} --fail-if worse"),
        Case("compare-formats", f"compare som.json trade.json nested.json --set resamples=200 {FEW}"),
        Case("compare-gold", f"compare pred.jsonl mwzeval.json --gold gold.jsonl --set resamples=200 {FEW}"),
        Case("compare-trackers", f"compare agenda.jsonl agenda.jsonl#keyword --set resamples=200 {FEW}"),
        Case("compare-other-dialogues", f"compare native.jsonl small.jsonl --set resamples=200 {FEW}"),
        Case("compare-common", f"compare native.jsonl small.jsonl --only common --set resamples=200 {FEW}"),
        Case("compare-common-all", "compare native.jsonl worse.jsonl --only common --set resamples=200 --measure JGA -f json"),
        Case("compare-other-gold", f"compare native.jsonl agenda.jsonl --subject tracker --only common --set resamples=200 {FEW}"),
        Case("compare-rules", f"{base} --rules trade --quiet"),
        Case("compare-no-ci", f"{base} --set ci=0 --quiet"),
        Case("compare-one", "compare native.jsonl"),
        Case("compare-names-few", "compare a=native.jsonl worse.jsonl"),
        Case("compare-vectors", "compare vectors.json vectors.json --set resamples=200 --measure JGA"),
    ]  # fmt: skip
