"""Every command in every form that it prints, by groups: those about trackers, and here all others.

The cases of one group run one behind the other in one folder, so that a later one may read what an earlier one has written.
"""

from __future__ import annotations

from . import study_cases
from . import tracker_cases as tracker
from .bad_files import BAD
from .execution import Case
from .tracker_cases import FEW, QUICK, STYLES, styled


def run_cases() -> list[Case]:
    """Runs on disk, and reports and citations about them."""
    return [
        Case("run-tracker", "tracker score small.jsonl --out runs/small --resamples 100", "runs/small"),
        Case("run-there", "tracker score small.jsonl --out runs/small"),
        Case("run-force", f"tracker score small.jsonl --out runs/small --force --ci 0 --by domain {FEW}", "runs/small"),
        Case("run-apart", f"tracker score pred.jsonl --gold gold.jsonl --out runs/apart --only ids.txt {FEW} --by slot", "runs/apart"),
        Case("run-rules", f"tracker score nested.json --only ids.txt --out runs/nested --rules fga-repo {FEW} --json", "runs/nested"),
        Case("run-sgd", "tracker score sgd/pred --gold sgd/gold --rules sgd --only ids.txt --out runs/sgd --resamples 100 --by service", "runs/sgd"),
        Case("run-llm", f"tracker score llm.jsonl --out runs/llm {FEW} --workers 2 --quiet --only ids.txt", "runs/llm"),
        Case("run-vectors", "tracker score vectors.json --out runs/vectors --measure JGA", "runs/vectors"),
        Case("run-bad", "tracker score bad/native-cut.jsonl --out runs/bad", "runs/bad"),
        Case("run-gaps", f"tracker score gaps.jsonl --gold gold.jsonl --missing skip --out runs/gaps {FEW}", "runs/gaps/run.json"),
        Case("run-user", "user score agenda.jsonl --profile town --blame --out runs/agenda --resamples 100", "runs/agenda/*.json runs/agenda/*.md"),
        Case("run-forgetful", "user score forgetful.jsonl --profile town --out runs/forgetful --quiet", "runs/forgetful/*.md"),
        Case("report-markdown", "report runs/small runs/apart --as markdown --out -"),
        Case("report-latex", "report runs/small runs/sgd --as latex --out -"),
        Case("report-user-markdown", "report runs/agenda runs/forgetful --as markdown --out -"),
        Case("report-html", "report runs/small --out page.html --title Town", "page.html"),
        Case("report-there", "report runs/small --out page.html"),
        Case("report-default", "report runs/vectors --as markdown --force", "runs/vectors/report.md"),
        Case("report-nowhere", "report nowhere"),
        Case("cite-run", "cite runs/small"),
        Case("cite-user-run", "cite runs/agenda"),
        Case("query-run", "user query runs/agenda --limit 3"),
    ]  # fmt: skip


def chart_cases() -> list[Case]:
    """The numbers beside charts."""
    return [
        Case("charts-score", f"tracker score native.jsonl --ci 0 {FEW} --by domain --charts charts/score", "charts/score"),
        Case("charts-compare", "tracker compare native.jsonl worse.jsonl --resamples 100 --measure JGA --measure GCA --charts charts/compare --quiet", "charts/compare"),
        Case("charts-bias", "tracker bias native.jsonl --resamples 100 --measure JGA --measure GCA --trivial none --charts charts/bias --quiet", "charts/bias"),
        Case("charts-curve", "tracker curve few --resamples 100 --measure JGA --charts charts/curve --quiet", "charts/curve"),
        Case("charts-user", "user score agenda.jsonl --profile town --ci 0 --charts charts/user --quiet", "charts/user"),
        Case("charts-patterns", "user patterns agenda.jsonl --profile town --charts charts/patterns --quiet", "charts/patterns"),
    ]  # fmt: skip


def user_cases() -> list[Case]:
    """Users: check, score, compare, query, patterns, values."""
    town = "--profile town"
    return [
        Case("user-check", f"user check agenda.jsonl {town}"),
        Case("user-check-json", f"user check agenda.jsonl {town} --json"),
        *styled("user-score", f"user score agenda.jsonl {town} --resamples 100"),
        Case("user-score-blame", f"user score forgetful.jsonl {town} --blame --logs --signatures --ci 0"),
        Case("user-score-looping", f"user score looping.jsonl {town} --blame --ci 0"),
        Case("user-score-repo", f"user score agenda.jsonl {town} --rules gcdf1-repo --ci 0 --json"),
        Case("user-score-multiwoz", "user score agenda.jsonl --ci 0"),
        Case("user-score-text", f"user score agenda.jsonl {town} --from-text --ci 0"),
        Case("user-score-set", f"user score looping.jsonl {town} --set repetitions.max=1 --ci 0"),
        Case("user-score-fail", f'user score forgetful.jsonl {town} --ci 0 --quiet --fail-if "I-GCDF1 < 0.99"'),
        Case("user-score-workers", f"user score agenda.jsonl {town} --resamples 100 --as json --workers 2"),
        Case("user-score-states", "user score native.jsonl"),
        Case("user-score-bad", "user score bad/native-cut.jsonl"),
        *styled("user-compare", f"user compare agenda.jsonl forgetful.jsonl {town} --resamples 200"),
        Case("user-compare-domain", f"user compare agenda.jsonl looping.jsonl {town} --resamples 200 --domain hotel"),
        Case("user-compare-worse", f"user compare agenda.jsonl forgetful.jsonl {town} --resamples 200 --fail-if-worse --quiet"),
        *styled("user-query", f"user query looping.jsonl {town} --event unmatched"),
        Case("user-query-slot", f"user query looping.jsonl {town} --domain hotel --max 0.9"),
        Case("user-query-show", f"user query looping.jsonl {town} --max 0.6 --show --limit 1"),
        Case("user-query-dialogue", f"user query forgetful.jsonl {town} --dialogue town-7-0001"),
        Case("user-query-goal", f"user query agenda.jsonl {town} --goal-has fail_book --measure R-GCDF1 --min 0.2"),
        Case("user-query-unknown", f"user query agenda.jsonl {town} --event nothing"),
        *styled("user-patterns", f"user patterns agenda.jsonl {town}"),
        Case("user-values", "user values agenda.jsonl"),
        Case("user-values-out", "user values looping.jsonl --similarity 0.6 --out map.json", "map.json"),
        Case("user-values-used", f"user score looping.jsonl {town} --map map.json --ci 0"),
    ]  # fmt: skip


def play_cases() -> list[Case]:
    """Simulated talk."""
    goals = "--goals 3 --max-turns 4"
    return [
        Case("play", f"user play {goals} --seed 3 --out played.jsonl", "played.jsonl"),
        Case("play-there", f"user play {goals} --seed 3 --out played.jsonl"),
        *(
            Case(f"play-{style}", f"user play {goals} --seed 3 --quiet --as {style} --out {style}.jsonl")
            for style in STYLES
        ),
        Case("play-workers", f"user play {goals} --seed 3 --quiet --workers 2 --out two.jsonl", "two.jsonl"),
        Case("play-noise", 'user play --goals 2 --user "agenda(patience=2)" --system eager --noise 0.3 --quiet --out noise.jsonl', "noise.jsonl"),
        Case("play-goals", "user play --goals played.jsonl --user hasty --system stubborn --quiet --out again.jsonl"),
        Case("play-unknown", "user play --user agend --out x.jsonl"),
        *styled("cross", "user cross --user agenda --user hasty --system rule --system eager --goals 4 --resamples 100 --quiet"),
    ]  # fmt: skip


def judge_cases() -> list[Case]:
    """Judges under attack."""
    attack = "judge attack agenda.jsonl --light --no-cache --cases 1"
    judges = "--judge overlap --judge distinct"
    return [
        Case("attack", f"{attack} --out cases.jsonl", "cases.jsonl"),
        Case("attack-there", f"{attack} --out cases.jsonl"),
        Case("attack-pairs", f"{attack} --attack repetition --attack identical --pairs --quiet --json --out pairs.jsonl", "pairs.jsonl"),
        Case("attack-published", f"{attack} --attack dullness --layout published --quiet --as csv --out published", "published"),
        *styled("judge-score", f"judge score cases.jsonl {judges} --failing 1 --quiet"),
        Case("judge-score-details", f"judge score cases.jsonl {judges} --details --failing 0 --threshold sd=0.2"),
        Case("judge-score-fail", 'judge score cases.jsonl --judge overlap --failing 0 --quiet --fail-if "error[repetition] > 0.3"'),
        Case("judge-score-out", "judge score cases.jsonl --judge overlap --quiet --failing 0 --ci 0 --out runs/judges", "runs/judges/run.json runs/judges/report.md"),
        *(Case(f"judge-explain-{style}", f"judge explain cases.jsonl --judge overlap --attack repetition --cases 1 --quiet --as {style}") for style in ("text", "json", "csv")),
        *(Case(f"judge-human-{style}", f"judge human ratings.jsonl --judge distinct --resamples 100 --quiet --as {style}") for style in ("text", "markdown", "latex")),
        *(Case(f"judge-human-{style}", f"judge human ratings.jsonl --judge distinct --ci 0 --quiet --as {style}") for style in ("json", "csv")),
        Case("judge-human-dialogues", "judge human rated_dialogues.jsonl --judge distinct --details --resamples 100 --out runs/people", "runs/people/report.md"),
        Case("judge-human-bad", "judge human cases.jsonl"),
        Case("judge-unknown", "judge score cases.jsonl --judge overlp"),
        Case("judge-no-cases", "judge score native.jsonl --judge overlap"),
        Case("train-bad", "judge train satisfaction native.jsonl --out model"),
    ]  # fmt: skip


def system_cases() -> list[Case]:
    """Agents on their logs, and what their users say."""
    score = "system score logs/tau.json --resamples 100 --quiet"
    return [
        Case("system-check", "system check logs/tau2.json"),
        Case("system-check-json", "system check logs/inspect.eval --json"),
        *styled("system-score", score),
        Case("system-score-by-task", f"{score} --by-task --measure Success"),
        Case("system-score-skipped", "system score logs/tau2.json --infrastructure skipped --ci 0"),
        Case("system-score-out", f"{score} --out runs/system", "runs/system/run.json runs/system/report.md"),
        Case("system-score-fail", f'{score} --fail-if "Success < 0.9"'),
        Case("system-score-bad", "system score native.jsonl"),
        *styled("system-compare", "system compare logs/tau.json logs/tau2.json --resamples 100 --quiet"),
        Case("system-compare-scorers", "system compare logs/tau.json logs/inspect.json --resamples 100 --quiet"),
        *styled("user-items", "user items logs/tau.json --quiet"),
        Case("user-items-bad", "user items logs/chat.jsonl"),
    ]  # fmt: skip


def more_judge_cases() -> list[Case]:
    """Benches and sheets for readers."""
    bench = "judge bench make agenda.jsonl --light --attack repetition --attack identical --cases 2"
    return [
        Case("bench-make", f"{bench} --out set.jsonl", "set.jsonl"),
        Case("bench-make-there", f"{bench} --out set.jsonl"),
        Case("bench-run", "judge bench run set.jsonl --judge overlap --quiet --as csv --out submissions"),
        Case("bench-verify", "judge bench verify set.jsonl submissions/overlap.json submissions/length.json"),
        Case("bench-verify-json", "judge bench verify set.jsonl submissions/overlap.json --json"),
        Case("bench-verify-bad", "judge bench verify set.jsonl native.jsonl"),
        Case("validity-attack", "judge attack agenda.jsonl --light --no-cache --cases 2 --attack repetition --quiet --out cases.jsonl"),
        Case("validity-sheet", "judge validity cases.jsonl --make-sheets sheet.csv --blind", "sheet.csv"),
        Case("validity-read", "judge validity cases.jsonl --read-sheets sheet.csv"),
        *styled("user-labels", "user labels agenda.jsonl --profile town --quiet"),
    ]  # fmt: skip


def error_cases() -> list[Case]:
    """Files that are bad, and files that do not fit each other."""
    single = ("sgd", "mwzeval", "dstc10", "multiwoz", "dials")
    found = []
    for name in BAD:
        gold = " --gold gold.jsonl" if name.startswith(single) else ""
        found += [
            Case(f"score-{name}", f"tracker score bad/{name}{gold} --ci 0"),
            Case(f"check-{name}", f"tracker check bad/{name}{gold}"),
            Case(f"convert-{name}", f"convert bad/{name} -"),
        ]
    as_gold = [
        name for name in BAD if name.startswith(("native-c", "native-s", "nested-d", "multiwoz", "dials", "empty"))
    ]
    found += [
        Case(f"as-gold-{name}", f"tracker score pred.jsonl --gold bad/{name} {QUICK} --measure JGA") for name in as_gold
    ]
    forced = "native llm nested fga-text trade som-dst trippy vectors sgd mwzeval convlab3 t5-text dstc10 multiwoz"
    files = "small.jsonl nested.json som.json bad/list.json bad/object.json bad/other.json bad/words.txt"
    found += [
        Case(f"forced-{format}-{file}", f"convert {file} - --from {format}")
        for format in forced.split()
        for file in files.split()
        if not file.startswith(format[:3])
    ]
    return [
        *found,
        Case("nowhere", "tracker score nowhere.json"),
        Case("nowhere-gold", "tracker score pred.jsonl --gold nowhere.json"),
        Case("nowhere-schema", "tracker score native.jsonl --schema nowhere.json"),
        Case("nowhere-only", "tracker score native.jsonl --only nowhere.json"),
        Case("folder", "tracker score bad"),
        Case("no-gold", "tracker score mwzeval.json"),
        Case("no-gold-check", "tracker check mwzeval.json"),
        Case("no-gold-rules", "tracker rules sgd/pred"),
        Case("gold-is-pred", "tracker score gold.jsonl --gold pred.jsonl"),
        Case("gaps-check", "tracker check gaps.jsonl --gold gold.jsonl"),
        Case("gaps-check-json", "tracker check gaps.jsonl --gold gold.jsonl --json"),
        Case("other-dialogues", "tracker score agenda.jsonl --gold gold.jsonl"),
        Case("schema-empty", "tracker score native.jsonl --schema bad/empty.json"),
        Case("schema-words", "tracker score native.jsonl --schema bad/words.txt"),
        Case("bad-ci", "tracker score native.jsonl --ci 2"),
        Case("bad-resamples", "tracker score native.jsonl --resamples 3"),
        Case("bad-workers", "tracker score native.jsonl --workers 0"),
        Case("bad-by", "tracker score native.jsonl --by slots"),
        Case("bad-missing", "tracker score native.jsonl --missing ignore"),
        Case("bad-toml", "tracker score native.jsonl --rules ids.txt"),
        *(Case(f"worker-{file}", f"tracker score bad/{file} --workers 2") for file in ("native-cut.jsonl", "native-dialogue-twice.jsonl")),
    ]  # fmt: skip


GROUPS: dict[str, list[Case]] = {
    "formats": tracker.format_cases(),
    "convert": tracker.convert_cases(),
    "score": tracker.score_cases(),
    "rule-sets": tracker.rule_cases(),
    "rules": tracker.rules_cases(),
    "compare": tracker.compare_cases(),
    "bias": study_cases.bias_cases(),
    "curve": study_cases.curve_cases(),
    "human": study_cases.human_cases(),
    "sensitivity": study_cases.sensitivity_cases(),
    "runs": run_cases(),
    "charts": chart_cases(),
    "errors": error_cases(),
    "user": user_cases(),
    "play": play_cases(),
    "judge": judge_cases(),
    "bench": more_judge_cases(),
    "system": system_cases(),
}
"""The cases by the file that keeps their outputs."""
