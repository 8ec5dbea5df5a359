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
        Case("run-tracker", "score small.jsonl --out runs/small --set resamples=100", "runs/small"),
        Case("run-there", "score small.jsonl --out runs/small"),
        Case("run-force", f"score small.jsonl --out runs/small --force --set ci=0 --by domain {FEW}", "runs/small"),
        Case("run-apart", f"score pred.jsonl --gold gold.jsonl --out runs/apart --only ids.txt {FEW} --by slot", "runs/apart"),
        Case("run-rules", f"score nested.json --only ids.txt --out runs/nested --rules fga-repo {FEW} -f json", "runs/nested"),
        Case("run-sgd", "score sgd/pred --gold sgd/gold --rules sgd --only ids.txt --out runs/sgd --set resamples=100 --by service", "runs/sgd"),
        Case("run-llm", f"score llm.jsonl --out runs/llm {FEW} --workers 2 --quiet --only ids.txt", "runs/llm"),
        Case("run-vectors", "score vectors.json --out runs/vectors --measure JGA", "runs/vectors"),
        Case("run-bad", "score bad/native-cut.jsonl --out runs/bad", "runs/bad"),
        Case("run-gaps", f"score gaps.jsonl --gold gold.jsonl --set missing=skip --out runs/gaps {FEW}", "runs/gaps/run.json"),
        Case("run-user", "score agenda.jsonl --set profile=town --out runs/agenda --set resamples=100", "runs/agenda/*.json runs/agenda/*.md"),
        Case("run-forgetful", "score forgetful.jsonl --set profile=town --out runs/forgetful --quiet", "runs/forgetful/*.md"),
        Case("report-markdown", "report runs/small runs/apart -f markdown --out -"),
        Case("report-latex", "report runs/small runs/sgd -f latex --out -"),
        Case("report-user-markdown", "report runs/agenda runs/forgetful -f markdown --out -"),
        Case("report-html", "report runs/small --out page.html --title Town", "page.html"),
        Case("report-there", "report runs/small --out page.html"),
        Case("report-default", "report runs/vectors -f markdown --force", "runs/vectors/report.md"),
        Case("report-nowhere", "report nowhere"),
        Case("cite-run", "cite runs/small"),
        Case("cite-user-run", "cite runs/agenda"),
        Case("find-run", "find runs/agenda -n 3"),
    ]  # fmt: skip


def chart_cases() -> list[Case]:
    """The numbers beside charts."""
    return [
        Case("charts-score", f"score native.jsonl --set ci=0 {FEW} --by domain --out runs/score --quiet"),
        Case("charts-score-drawn", "report runs/score --charts charts/score", "charts/score"),
        Case("charts-compare", "compare native.jsonl worse.jsonl --set resamples=100 -m JGA -m GCA --out runs/compare --quiet"),
        Case("charts-compare-drawn", "report runs/compare --charts charts/compare", "charts/compare"),
        Case("charts-bias", "study bias native.jsonl --set resamples=100 -m JGA -m GCA --out runs/bias --quiet"),
        Case("charts-bias-drawn", "report runs/bias --charts charts/bias", "charts/bias"),
        Case("charts-curve", "study curve few --set resamples=100 -m JGA --out runs/curve --quiet"),
        Case("charts-curve-drawn", "report runs/curve --charts charts/curve", "charts/curve"),
        Case("charts-user", "score agenda.jsonl --set profile=town --set ci=0 --out runs/agenda --quiet"),
        Case("charts-user-drawn", "report runs/agenda --charts charts/user", "charts/user"),
        Case("charts-patterns", "score agenda.jsonl --set profile=town --by pattern --set ci=0 --out runs/patterns --quiet"),
        Case("charts-patterns-drawn", "report runs/patterns --charts charts/patterns", "charts/patterns"),
        Case("charts-option", "score native.jsonl --charts charts/old"),
    ]  # fmt: skip


def user_cases() -> list[Case]:
    """Users: check, score, compare, query, patterns, values."""
    town = "--set profile=town"
    return [
        Case("user-check", f"check agenda.jsonl {town}"),
        Case("user-check-json", f"check agenda.jsonl {town} -f json"),
        *styled("user-score", f"score agenda.jsonl {town} --set resamples=100"),
        Case("user-score-verbose", f"score forgetful.jsonl {town} --verbose --set ci=0"),
        Case("user-score-looping", f"score looping.jsonl {town} --set ci=0"),
        Case("user-score-repo", f"score agenda.jsonl {town} --rules gcdf1-repo --set ci=0 -f json"),
        Case("user-score-multiwoz", "score agenda.jsonl --set ci=0"),
        Case("user-score-acts", f"score agenda.jsonl {town} --set acts=rules --set ci=0"),
        Case("user-check-acts", f"check agenda.jsonl {town} --set acts=rules"),
        Case("user-score-set", f"score looping.jsonl {town} --set repetitions.max=1 --set ci=0"),
        Case("user-score-fail", f'score forgetful.jsonl {town} --set ci=0 --quiet --fail-if "I-GCDF1 < 0.99"'),
        Case("user-score-workers", f"score agenda.jsonl {town} --set resamples=100 -f json --workers 2"),
        Case("user-score-states", "score native.jsonl --subject user"),
        Case("user-score-bad", "score bad/native-cut.jsonl --subject user"),
        *styled("user-compare", f"compare agenda.jsonl forgetful.jsonl {town} --set resamples=200"),
        Case("user-compare-domain", f"compare agenda.jsonl looping.jsonl {town} --set resamples=200 -m \"I-GCDF1[hotel]\""),
        Case("user-compare-worse", f"compare agenda.jsonl forgetful.jsonl {town} --set resamples=200 --fail-if worse --quiet"),
        *styled("user-find", f"find looping.jsonl {town} event=unmatched"),
        Case("user-find-domain", f"find looping.jsonl {town} domain=hotel \"I-GCDF1<=0.9\""),
        Case("user-find-show", f"find looping.jsonl {town} \"I-GCDF1<=0.9\" --show -n 1"),
        Case("user-find-dialogue", f"find forgetful.jsonl {town} town-7-0001"),
        Case("user-find-goal", f"find agenda.jsonl {town} goal=fail_book \"R-GCDF1>=0.2\""),
        Case("user-find-unknown", f"find agenda.jsonl {town} event=nothing"),
        *styled("user-patterns", f"score agenda.jsonl {town} --by pattern --set ci=0"),
        Case("user-values", "convert agenda.jsonl - --to map"),
        Case("user-values-out", "convert looping.jsonl map.json --to map --set similarity=0.6", "map.json"),
        Case("user-values-used", f"score looping.jsonl {town} --set map=map.json --set ci=0"),
    ]  # fmt: skip


def play_cases() -> list[Case]:
    """Simulated talk."""
    goals = "--goals 3 --set max-turns=4"
    return [
        Case("play", f"play {goals} --set seed=3 --out played.jsonl", "played.jsonl"),
        Case("play-there", f"play {goals} --set seed=3 --out played.jsonl"),
        *(
            Case(f"play-{style}", f"play {goals} --set seed=3 --quiet -f {style} --out {style}.jsonl")
            for style in STYLES
        ),
        Case("play-workers", f"play {goals} --set seed=3 --quiet --workers 2 --out two.jsonl", "two.jsonl"),
        Case("play-noise", 'play --goals 2 --user "agenda(patience=2)" --system eager --set noise=0.3 --quiet --out noise.jsonl', "noise.jsonl"),
        Case("play-goals", "play --goals played.jsonl --user hasty --system stubborn --quiet --out again.jsonl"),
        Case("play-unknown", "play --user agend --out x.jsonl"),
        *styled("cross", "play --user agenda --user hasty --system rule --system eager --goals 4 --set resamples=100 --quiet"),
    ]  # fmt: skip


def judge_cases() -> list[Case]:
    """Judges under attack."""
    attack = "judge attack agenda.jsonl --set light --limit 2"
    judges = "--judge overlap --judge distinct"
    rated = "--judge distinct --judge mine"
    return [
        Case("attack", f"{attack} --out cases.jsonl", "cases.jsonl"),
        Case("attack-there", f"{attack} --out cases.jsonl"),
        Case("cases-pairs", "convert cases.jsonl pairs.jsonl --to pairs --quiet", "pairs.jsonl"),
        Case("cases-published", "convert cases.jsonl published --to published --quiet", "published/dullness"),
        Case("judge-check", "check cases.jsonl"),
        Case("judge-compare", f"compare cases.jsonl {judges} --quiet"),
        Case("judge-find", "find cases.jsonl attack=repetition"),
        *styled("judge-score", f"score cases.jsonl {judges} --limit 1 --quiet"),
        Case("judge-score-details", f"score cases.jsonl {judges} --verbose --limit 0 --set threshold=sd=0.2"),
        Case("judge-score-fail", 'score cases.jsonl --judge overlap --limit 0 --quiet --fail-if "error[repetition] > 0.3"'),
        Case("judge-score-out", "score cases.jsonl --judge overlap --quiet --limit 0 --set ci=0 --out runs/judges", "runs/judges/run.json runs/judges/report.md"),
        Case("judge-run-check", "check runs/judges cases.jsonl"),
        Case("judge-run-check-json", "check runs/judges cases.jsonl -f json"),
        Case("judge-run-check-bad", "check runs/judges native.jsonl"),
        *(Case(f"judge-explain-{style}", f"judge explain cases.jsonl --judge overlap --attack repetition --limit 1 --quiet -f {style}") for style in ("text", "json", "csv")),
        *(Case(f"judge-human-{style}", f"score ratings.jsonl {rated} --set resamples=100 --quiet -f {style}") for style in ("text", "markdown", "latex")),
        *(Case(f"judge-human-{style}", f"score ratings.jsonl {rated} --set ci=0 --quiet -f {style}") for style in ("json", "csv")),
        Case("judge-human-dialogues", "score rated_dialogues.jsonl --judge distinct --verbose --set resamples=100 --out runs/people", "runs/people/report.md"),
        Case("judge-lacking", "score cases.jsonl"),
        Case("judge-unknown", "score cases.jsonl --judge overlp"),
        Case("judge-no-cases", "score native.jsonl --judge overlap"),
        Case("train-bad", "judge train gru native.jsonl --out model"),
    ]  # fmt: skip


def system_cases() -> list[Case]:
    """Agents on their logs, and what their users say."""
    score = "score logs/tau.json --set resamples=100 --quiet"
    return [
        Case("system-check", "check logs/tau2.json"),
        Case("system-check-json", "check logs/inspect.eval -f json"),
        *styled("system-score", score),
        Case("system-score-by-task", f"{score} --by task --measure Success"),
        Case("system-score-skipped", "score logs/tau2.json --set infrastructure=skipped --set ci=0"),
        Case("system-score-out", f"{score} --out runs/system", "runs/system/run.json runs/system/report.md"),
        Case("system-score-fail", f'{score} --fail-if "Success < 0.9"'),
        Case("system-score-bad", "score native.jsonl --subject system"),
        *styled("system-compare", "compare logs/tau.json logs/tau2.json --set resamples=100 --quiet"),
        Case("system-compare-scorers", "compare logs/tau.json logs/inspect.json --set resamples=100 --quiet"),
        *styled("user-log", "score logs/tau.json --subject user --quiet"),
        Case("user-log-bad", "score logs/chat.jsonl --subject user"),
    ]  # fmt: skip


def more_judge_cases() -> list[Case]:
    """Sheets for readers of cases, and an audit of users."""
    return [
        Case("validity-attack", "judge attack agenda.jsonl --set light --limit 2 --attack repetition --quiet --out cases.jsonl"),
        Case("validity-sheet", "study people cases.jsonl --make-sheet sheet.csv --set blind", "sheet.csv"),
        Case("validity-read", "study people cases.jsonl --sheet sheet.csv"),
        *styled("user-labels", "study audit agenda.jsonl --set profile=town --quiet"),
    ]  # fmt: skip


def error_cases() -> list[Case]:
    """Files that are bad, and files that do not fit each other."""
    single = ("sgd", "mwzeval", "dstc10", "multiwoz", "dials")
    found = []
    for name in BAD:
        gold = " --gold gold.jsonl" if name.startswith(single) else ""
        found += [
            Case(f"score-{name}", f"score bad/{name}{gold} --set ci=0"),
            Case(f"check-{name}", f"check bad/{name}{gold}"),
            Case(f"convert-{name}", f"convert bad/{name} -"),
        ]
    as_gold = [
        name for name in BAD if name.startswith(("native-c", "native-s", "nested-d", "multiwoz", "dials", "empty"))
    ]
    found += [Case(f"as-gold-{name}", f"score pred.jsonl --gold bad/{name} {QUICK} --measure JGA") for name in as_gold]
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
        Case("nowhere", "score nowhere.json"),
        Case("nowhere-gold", "score pred.jsonl --gold nowhere.json"),
        Case("nowhere-schema", "score native.jsonl --set schema=nowhere.json"),
        Case("nowhere-only", "score native.jsonl --only nowhere.json"),
        Case("folder", "score bad"),
        Case("no-gold", "score mwzeval.json"),
        Case("no-gold-check", "check mwzeval.json"),
        Case("no-gold-rules", "study rules sgd/pred"),
        Case("gold-is-pred", "score gold.jsonl --gold pred.jsonl"),
        Case("gaps-check", "check gaps.jsonl --gold gold.jsonl"),
        Case("gaps-check-json", "check gaps.jsonl --gold gold.jsonl -f json"),
        Case("other-dialogues", "score agenda.jsonl --gold gold.jsonl"),
        Case("schema-empty", "score native.jsonl --set schema=bad/empty.json"),
        Case("schema-words", "score native.jsonl --set schema=bad/words.txt"),
        Case("bad-ci", "score native.jsonl --set ci=2"),
        Case("bad-resamples", "score native.jsonl --set resamples=3"),
        Case("bad-workers", "score native.jsonl --workers 0"),
        Case("bad-by", "score native.jsonl --by slots"),
        Case("bad-missing", "score native.jsonl --set missing=ignore"),
        Case("bad-toml", "score native.jsonl --rules ids.txt"),
        *(Case(f"worker-{file}", f"score bad/{file} --workers 2") for file in ("native-cut.jsonl", "native-dialogue-twice.jsonl")),
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
    "validity": more_judge_cases(),
    "system": system_cases(),
}
"""The cases by the file that keeps their outputs."""
