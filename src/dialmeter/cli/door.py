"""The commands that are the same for all subjects: each detects the subject of its files and starts the flow of that subject.

A *flow* is a click command that people do not call themselves. Its parameters are typed once, there. A front command has few options:
it hands those that all subjects share to the flow, and every ``--set KEY=VALUE`` to the parameter of the flow with that name.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import click

from ..core.open_runs import SUMMARY
from ..errors import DialmeterError, InputError, did_you_mean, one_line
from ..readers.content import content_of, is_goal_file, only_text_advice
from ..readers.corpus import split_tracker
from ..readers.entries import first_entry
from ..readers.formats import RATING_KEYS, format_with_fields
from ..readers.raw_file import is_stream
from ..readers.remote import local_path
from ..readers.sheets import has_columns
from ..readers.source import Source
from ..readers.unrecognised_input import unknown_format
from ..views.tables import visible
from .config import PLACE, ConfigFile, config_of_command
from .hints import GOLD, HintedCommand, fail_for_two_files, fail_with_line
from .options import Option, option, parameter_of
from .printer import TYPED, WORDS

Flows = Mapping[str, str]
"""Content of a file → ``module:object`` of the flow."""

FLOWS: Mapping[str, Flows] = {
    "check": {
        "tracker": "tracker.score:check",
        "user": "user.score:check",
        "system": "system.score:check",
        "cases": "judge.check:check_cases",
        "ratings": "judge.check:check_ratings",
        "dialogues": "judge.check:check_dialogues",
        "certificate": "judge.certify:check_certificate",
    },
    "score": {
        "tracker": "tracker.score:score",
        "user": "user.score:score",
        "system": "system.score:score",
        "cases": "judge.score:score",
        "ratings": "judge.human:human",
    },
    "compare": {
        "tracker": "tracker.compare:compare_",
        "user": "user.score:compare",
        "system": "system.score:compare",
        "cases": "judge.score:score",
        "ratings": "judge.human:human",
    },
    "find": {
        "tracker": "tracker.find:find",
        "user": "user.find:find",
        "system": "system.score:find",
        "cases": "judge.find:find",
    },
    "play": {"": "play:play"},
    "study rules": {"tracker": "tracker.rules:rules"},
    "study bias": {"tracker": "tracker.bias:bias"},
    "study curve": {"": "tracker.curve:curve_"},
    "study people": {
        "tracker": "tracker.human:human",
        "cases": "judge.validity:judge_validity",
        "table of systems": "user.studies:people",
    },
    "study audit": {
        "tracker": "tracker.audit:audit_",
        "user": "user.studies:labels",
        "system": "system.audit:audit",
        "sheet": "tracker.audit:patch",
        "task sheet": "system.audit:patch",
    },
    "study sensitivity": {"tracker": "tracker.sensitivity:sensitivity"},
    "study distance": {"": "user.studies:distance"},
    "judge attack": {"": "judge.attack:attack"},
    "judge explain": {"": "judge.explain:explain"},
    "judge certify": {"": "judge.certify:certify"},
    "judge train": {"gru": "judge.train:gru", "robust": "judge.train:robust"},
    "convert": {
        "native": "convert:states",
        "csv": "convert:states",
        "rows": "convert:states",
        "nested": "convert:states",
        "parquet": "convert:rows",
        "cases": "judge.convert:convert",
        "pairs": "judge.convert:convert",
        "published": "judge.convert:convert",
        "goals": "user.goals:goals",
        "items": "user.goals:items",
        "map": "user.goals:value_map_file",
        "profile": "user.goals:profile",
    },
}
"""Front command → content of a file → flow. The content "" means that the command reads one kind of file only. For ``convert`` the
key is the format of OUT; its flow has the arguments IN and OUT."""

_CONTENTS = {
    "tracker": ("trackers", "predictions of a tracker"),
    "user": ("users", "dialogues of a user"),
    "system": ("systems", "a log of an agent"),
    "cases": ("judges", "cases of a judge"),
    "ratings": ("judges", "ratings of replies"),
    "sheet": ("filled sheets", "filled sheets"),
    "task sheet": ("filled sheets", "filled sheets of tasks"),
    "dialogues": ("dialogues only", "dialogues without states and goals"),
    "certificate": ("certificates", "a certificate of a judge"),
    "table of systems": ("tables of systems", "numbers of systems"),
}
"""Content of a file → its subject, and what it is, for messages."""
SUBJECTS = {content: subject for content, (subject, _) in _CONTENTS.items()}


OPTIONS: Mapping[str, Option] = {
    "gold": option("--gold FILE*", "File with gold states, or with the goals of users."),
    "from": option("--from FORMAT* formats", "Format of the file, or gold=FORMAT (default: auto-detect)."),
    "columns": option("--columns KEY=NAME*", "Read a key from this column, such as pred=belief."),
    "format": option(
        "--format -f style",
        "Output format.",
        choices=["text", "json", "markdown", "latex", "csv", "value", "ids"],
        optional=True,
    ),
    "verbose": option("--verbose -v", "Print everything, not only the summary."),
    "quiet": option("--quiet -q", "Print no progress and no warnings."),
    "out": option("--out -o PATH", "Save the run here; the same command again continues it."),
    "force": option("--force", "Replace existing output."),
    "subject": option(
        "--subject",
        "What is measured (default: auto-detect).",
        choices=["tracker", "user", "judge", "system"],
        optional=True,
    ),
    "only": option("--only FILE|common", "Only these dialogues: a file of ids, or common."),
    "measure": option("--measure -m M* measures", 'Measure, such as "FGA(lam=0.5)"; or all.'),
    "judge": option("--judge -j JUDGE* judges", "Judge, such as overlap."),
    "rules": option("--rules NAME|FILE.toml* rules", "Rule set."),
    "set": option(
        "--set KEY=VALUE* settings",
        "Change a setting; see `dialmeter list settings`.",
        shell_complete=lambda context, _, text: complete_setting(context, text),
    ),
    "by": option("--by GROUP* groups", "Also print scores by this group."),
    "limit": option("--limit -n N", "Number of examples.", least=0),
    "workers": option("--workers N|tcp://HOST:PORT", "Processes, or a Dask scheduler."),
    "fail-if": option("--fail-if COND* conditions", 'Exit with code 1 if "JGA < 0.5", or if worse, unclear, depends.'),
    "dry-run": option("--dry-run", "Say what would be done and what it costs."),
    "latex": option("--latex WORD*", "LaTeX: bold, columns=1, caption=TEXT, label=NAME."),
    "sort": option("--sort M|M-M sort", "Sort by a measure, or by the difference of two."),
    "show": option("--show", "Print the dialogues turn by turn."),
    "make-sheet": option("--make-sheet FILE", "Write an empty sheet: .html (interactive) or .csv."),
    "sheet": option("--sheet FILE* sheets", "Filled sheet, one per person; or a table of ratings."),
    "text": option("--text FILE", "File with the texts of the dialogues."),
    "attack": option("--attack NAME* attacks", "Attack; see `dialmeter list attacks`."),
    "user": option("--user NAME* users", "Simulated user."),
    "system": option("--system NAME* systems", "Simulated system."),
    "to": option(
        "--to FORMAT",
        f"Format of OUT: {', '.join(FLOWS['convert'])} (default: from its ending, or native).",
        choices=list(FLOWS["convert"]),
        optional=True,
    ),
    "role": option(
        "--role", "Role of the states, if IN has one state per turn.", choices=["gold", "pred"], optional=True
    ),
    "goals": option("--goals N|FILE", "Number of goals to draw, or a file with goals."),
}
"""The options of front commands. A flow that takes one of them has an option of the same name."""
_PARAMETERS = {key: parameter_of(each) for key, each in OPTIONS.items()}
_INPUT = "gold from columns"
_OUTPUT = "out force"
_LOOK = "format verbose quiet"


class Front(NamedTuple):
    """A front command: its arguments (many if they end with a star, and maybe none with a question mark), options and help."""

    argument: str
    options: str
    about: str
    metavar: str = "FILE…"


_STUDY = f"{_INPUT} {_LOOK} {_OUTPUT} only rules set"
FRONTS: Mapping[str, Front] = {
    "check": Front(
        "files*",
        f"{_INPUT} {_LOOK} subject only judge rules set dry-run",
        "Check files before they are scored, or the certificate of a judge with its ratings.",
    ),
    "score": Front(
        "files*",
        f"{_INPUT} {_LOOK} {_OUTPUT} subject only measure judge rules set by limit workers fail-if dry-run latex",
        "Score a tracker, a user, a judge or a system.",
    ),
    "compare": Front(
        "files*",
        f"{_INPUT} {_LOOK} {_OUTPUT} subject only measure judge rules set by limit workers fail-if dry-run latex",
        "Compare two or more files. The first is the baseline.",
    ),
    "find": Front(
        "files*",
        f"{_INPUT} {_LOOK} subject only rules set sort show limit",
        "Find the dialogues that explain a score: FILE… ID, slot=hotel-name, outcome=wrong, or JGA<0.5.",
    ),
    "play": Front(
        "", f"{_OUTPUT} {_LOOK} user system goals set workers dry-run", "Let simulated users and systems talk."
    ),
    "study rules": Front("files*", f"{_STUDY} limit", "Score a file under every rule set: which JGA is it?"),
    "study bias": Front("files*", f"{_STUDY} measure", "Does a measure depend on where in a dialogue mistakes are?"),
    "study curve": Front("files*", f"{_STUDY} measure", "Make few-shot curves and zero-shot tables of a folder."),
    "study people": Front(
        "files*",
        f"{_STUDY} limit measure make-sheet sheet",
        "Compare measures, cases or simulated users with the ratings of people.",
    ),
    "study audit": Front(
        "files?",
        f"{_STUDY.replace('gold ', '')} limit make-sheet sheet text",
        "Find likely errors in gold: GOLD PRED… or RUN… of trackers, dialogues of users; or in tasks: logs of agents. --sheet and -o make a patch.",
    ),
    "study sensitivity": Front(
        "files*",
        f"{_STUDY} limit measure",
        "How much does a tracker depend on the wording of the schema? The first file has the original wording.",
    ),
    "study distance": Front(
        "files*",
        f"gold from {_LOOK} {_OUTPUT} set",
        "How far is a simulated user (second file) from people (first file)?",
    ),
    "judge attack": Front(
        "files*", f"{_OUTPUT} {_LOOK} attack limit set from workers dry-run", "Make adversarial cases from dialogues."
    ),
    "convert": Front(
        "files*",
        f"{_INPUT} to role set dry-run force quiet",
        "Convert IN to another format: states, goals, value maps, cases, rows of a RUN. OUT may be - and end in .gz or .zst.",
        "IN [OUT]",
    ),
    "judge explain": Front(
        "files*",
        f"{_OUTPUT} {_LOOK} judge attack limit set dry-run",
        "Show which words of a reply change a judge's score.",
    ),
    "judge certify": Front(
        "files*",
        f"from columns {_OUTPUT} {_LOOK} judge set",
        "Certify a judge: write its evidence against the people of RATINGS into one sealed file, for `dialmeter check`.",
        "RATINGS",
    ),
    "judge train": Front(
        "kind files*",
        f"{_OUTPUT} {_LOOK} set",
        "Train a judge: gru on ratings of satisfaction, or robust on cases.",
    ),
}


def load_flow(path: str) -> click.Command:
    """Return the flow ``module:object``."""
    module, _, name = path.partition(":")
    flow: click.Command = getattr(import_module(f".{module}", __package__), name)
    return flow


def front_command(name: str) -> click.Command:
    """Return the front command of this name, such as ``score`` or ``study bias``."""
    front = FRONTS[name]
    command = HintedCommand(name.rsplit(maxsplit=1)[-1], callback=lambda **given: _start(name, given), help=front.about)
    *kind, argument = front.argument.split() or [""]
    if kind:
        command.params.append(click.Argument(["kind"], type=click.Choice(list(FLOWS[name]))))
    if argument:
        required = not argument.endswith("?")
        command.params.append(
            click.Argument([argument.rstrip("*?")], nargs=-1, required=required, metavar=front.metavar)
        )
    command.params += [_PARAMETERS[each] for each in front.options.split()]
    return command


def _start(name: str, given: dict[str, Any]) -> Any:
    config = config_of_command()
    files: Sequence[str] = given.get("files") or ()
    conditions: Sequence[str] = ()
    if name == "find":
        from .find import split_conditions

        files, conditions = split_conditions(files)
    names, paths = split_names(files)
    paths = [local_path(each) for each in paths]
    if given.get("gold"):
        given = {**given, "gold": _with_local_paths(given["gold"])}
    if name == "score" and len(paths) == 1 and _content_of_run(paths[0]) not in (None, "tracker"):
        return _print_run(paths[0], given)
    content = _content(name, paths, given)
    flow = load_flow(FLOWS[name][content])
    many = any(isinstance(each, click.Argument) and each.nargs < 0 for each in flow.params)
    if len(paths) > 1 and not many and name != "convert":
        fail_for_two_files(name, paths, content, given)
    given = _with_config(given, config, flow)
    if given.get("dry_run") and "--dry-run" not in options_of(flow):
        return _plan(name, content, paths, given)
    words = flow_words(name, content, flow, given, names) + [word for each in conditions for word in ("--where", each)]
    words += ["--", *paths] if paths else []
    context = click.get_current_context()
    context.meta[TYPED] = shlex.join(["dialmeter", *_typed(context, context.params)])
    context.meta[WORDS] = _typed(context, given)
    try:
        inner = flow.make_context(context.info_name, words, parent=context.parent, default_map=config.place)
    except click.UsageError as error:
        message = error.format_message()
        for key in setting_keys(options_of(flow)):
            message = message.replace(f"'--{key}'", f"'--set {key}'")
        raise click.UsageError(message, context) from None
    try:
        with inner:
            return flow.invoke(inner)
    except InputError as error:
        golds = [path for path in paths if GOLD.search(Path(path).name)]
        # Two files of `score` are refused before.
        is_clear = name == "compare" and len(paths) > 2 and len(golds) == 1 and not given.get("gold")
        if not is_clear or "--gold" not in error.message:
            raise
        line = shlex.join(["dialmeter", name, *(each for each in paths if each not in golds), "--gold", *golds])
        raise DialmeterError(f"{error}; if {one_line(golds[0])} is gold, type: {line}") from None


def _with_local_paths(given: str | tuple[str, ...]) -> str | tuple[str, ...]:
    return local_path(given) if isinstance(given, str) else tuple(map(local_path, given))


def _content_of_run(path: str) -> str | None:
    """Return the content that a saved run is about; None for other files. A run without a subject, such as a study, is ""."""
    if not (Path(path) / "run.json").is_file():
        return None
    from ..core.open_runs import open_run

    kind = str(open_run(path).manifest.get("kind"))
    return {"judge": "cases", "people": "ratings", "items": "user"}.get(kind, kind if kind in SUBJECTS else "")


def _print_run(path: str, given: Mapping[str, Any]) -> None:
    """Print the summary of a saved run again."""
    changed = [key for key, value in given.items() if value and key not in ("files", "quiet", "verbose", "subject")]
    file = Path(path) / SUMMARY
    if changed or not file.is_file():
        raise DialmeterError(
            f"{one_line(path, 200)}: a saved run is printed as it was; score its file again to change something, "
            f"or type: dialmeter report {shlex.quote(path)}"
        )
    click.echo("\n".join(map(visible, file.read_text("utf-8", "replace").splitlines())))
    click.echo(f"next  dialmeter view {shlex.quote(path)}")


def _plan(name: str, content: str, paths: Sequence[str], given: Mapping[str, Any]) -> int:
    """Print what a command would do. The files are read once, to know what they hold."""
    from .dry_run import plan_output
    from .printer import print_output

    for path in given.get("gold") or ():
        content_of(path)
    files = [*(("file", path) for path in paths), *(("gold", path) for path in given.get("gold") or ())]
    plan = plan_output(name, SUBJECTS.get(content, content), files, given.get("out"))
    return print_output(plan, {"quiet": False, **given})


def _with_config(given: dict[str, Any], config: ConfigFile, flow: click.Command) -> dict[str, Any]:
    """Return the options with those of the configuration file, which the command line overrides; say which of them acted."""
    if not config.path:
        return given
    options = options_of(flow)
    keys = setting_keys(options)
    known = {key for _, key, _ in settings_by_command()}
    for key in config.settings:
        if key not in known:
            raise DialmeterError(f"{config.path}: no setting {one_line(key)!r}; {did_you_mean(key, known)}")
    typed = {each.partition("=")[0] for each in given.get("settings", ())}
    acting = {key: value for key, value in config.settings.items() if key in keys and key not in typed}
    more: dict[str, tuple[str, ...]] = {"settings": tuple(f"{key}={value}" for key, value in acting.items())}
    columns = {key: value for key, value in config.columns.items() if "--columns" in options}
    more["columns"] = tuple(f"{key}={value}" for key, value in columns.items())
    if not given.get("measures"):
        more["measures"] = config.measures
    if given.get("style") == "latex" or given.get("latex"):
        more["latex"] = config.latex
    used = {key: values for key, values in more.items() if values and key in given}
    if used and not given.get("quiet"):
        listed = ", ".join([*acting, *(key for key in used if key != "settings")])
        click.echo(f"settings: {listed} from {config.path}", err=True)
    return {**given, **{key: (*values, *given[key]) for key, values in used.items()}}


def split_names(files: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split ``NAME=FILE`` words; a word that is a file has no name.

    Example:
        >>> split_names(["a=x.json", "b=y.json"]), split_names(["x.json"])
        ((['a', 'b'], ['x.json', 'y.json']), ([], ['x.json']))
    """
    names, paths = [], []
    for word in files:
        name, equals, path = word.partition("=")
        if equals and name and "/" not in name and not os.path.exists(word):
            names.append(name)
            paths.append(path)
        else:
            paths.append(word)
    if names and len(names) < len(paths):
        raise DialmeterError("give every file a name (NAME=FILE), or none")
    return names, paths


def _content(name: str, paths: Sequence[str], given: dict[str, Any]) -> str:
    """Return the content of the files of a command, which decides its flow."""
    flows = FLOWS[name]
    if name == "convert":
        return _format_of_target(paths, given)
    if name == "judge explain":
        _check_cases(paths[0], content_of(paths[0]))
    if len(flows) == 1:
        return next(iter(flows))
    if given.get("kind"):
        return str(given["kind"])
    if given.get("sheets") and "sheet" in flows:
        return "task sheet" if "task sheet" in flows and has_columns(given["sheets"][0], "task", "verdict") else "sheet"
    if name == "study audit" and len(paths) > 1 and content_of(paths[-1]) != "system":
        return "tracker"  # gold and predictions; the audit of users takes one file
    if name == "study people" and has_columns(paths[0], "system", "simulated", "people"):
        return "table of systems"
    subject = given.get("subject")
    formats = [each for each in given.get("formats", ()) if "=" not in each.partition("(")[0]]
    format = format_with_fields(formats[0] if formats else None, given.get("columns") or ())
    if subject and subject != "judge":
        return _known(subject, flows, name)
    if any(text.partition("=")[0].strip() in RATING_KEYS for text in given.get("columns") or ()):
        return _known("ratings", flows, name)
    found = {
        path: "tracker"
        if path.endswith(".toml") or ("#" in path and not os.path.exists(path))
        else _content_of_run(path) or content_of(path, format)
        for path in paths
        if not path.startswith("trivial:")
    }
    contents = {each for each in found.values() if each is not None}
    if "certificate" in contents:
        return _known("certificate", flows, name)
    if contents == {"tracker", "user"} and any(split_tracker(path)[1] for path in paths):
        return _known("tracker", flows, name)
    if subject == "judge" or given.get("judges"):
        for path, each in found.items():
            _check_cases(path, each)
        return _known("ratings" if contents == {"ratings"} else "cases", flows, name)
    if given.get("gold") and contents <= {"tracker", "user", "dialogues"}:
        gold = given["gold"][0]
        is_user = is_goal_file(gold) or (contents and "tracker" not in contents and content_of(gold) is None)
        return _known("user" if is_user else "tracker", flows, name)
    if len(contents) > 1:
        listed = "; ".join(f"{one_line(path, 200)}: {SUBJECTS[each]}" for path, each in found.items() if each)
        raise DialmeterError(f"the files are of different subjects ({listed}); give files of one subject, or --subject")
    if not contents:
        # Standard input can be read only once. The reader of trackers says what is wrong with what no reader recognises.
        return _known("tracker", flows, name)
    return _known(contents.pop(), flows, name, paths[0])


def _check_cases(path: str, content: str | None) -> None:
    """Check that a file for judges does not hold dialogues, of which cases can be made, or records that no reader knows."""
    if content in ("dialogues", "user", "system", "tracker"):
        made = f"dialmeter judge attack {shlex.quote(path)} -o attacked.jsonl"
        raise InputError(f"{_CONTENTS[content][1]}, not cases of judges; make cases: {made}", file=path)
    if content is not None or is_stream(path) or not os.path.isfile(path):
        return
    with closing(Source(path)) as source:
        keys = first_entry(source.sample).keys()
        if keys and not keys & {"attack", "adversarial"}:
            message = (
                "neither cases nor ratings; name the fields of ratings: --columns rating=NAME --columns score=NAME"
            )
            raise InputError(unknown_format(source.sample, message, with_closest=False), file=path)


def _format_of_target(paths: Sequence[str], given: dict[str, Any]) -> str:
    """Return the format of OUT: --to, or from its ending. Adversarial cases stay cases."""
    if given["to"] is None:
        endings = Path(paths[1]).suffixes if len(paths) > 1 else []
        own = "cases" if paths and content_of(paths[0]) == "cases" else "native"
        given["to"] = next((key for key in ("csv", "parquet") if f".{key}" in endings), own)
    return str(given["to"])


def _known(content: str, flows: Flows, name: str, path: str = "") -> str:
    if content == "dialogues":
        if content in flows:
            return content
        raise InputError(only_text_advice(path), file=path or None)
    if content == "user" and content not in flows and "tracker" in flows:
        # Dialogues of users may also have states; the reader of trackers says what is wrong if they have none.
        return "tracker"
    if content not in flows:
        if SUBJECTS[content] in (SUBJECTS[each] for each in flows):
            raise DialmeterError(f"`dialmeter {name}` does not read {content}; `dialmeter score` does")
        does = ", ".join(dict.fromkeys(SUBJECTS[each] for each in flows))
        raise DialmeterError(f"`dialmeter {name}` is for {does}, not for {SUBJECTS[content]}")
    return content


def options_of(flow: click.Command) -> dict[str, click.Option]:
    """Return the options of a flow by name."""
    return {opt: each for each in flow.params if isinstance(each, click.Option) for opt in each.opts}


def flow_words(
    name: str, content: str, flow: click.Command, given: Mapping[str, Any], names: Sequence[str]
) -> list[str]:
    """Return the words of the flow's own command line."""
    known = options_of(flow)
    words: list[str] = []
    for key in FRONTS[name].options.split():
        value = given.get(_PARAMETERS[key].name or "")
        if value is None or value is False or value == ():
            continue
        if key == "set":
            words += _setting_words(name, value, known, given)
            continue
        target = "--goals" if key == "gold" and "--gold" not in known else f"--{key}"
        if key == "subject" or (target not in known and key in ("verbose", "quiet", "to")):
            continue
        if target not in known:
            context = click.get_current_context()
            rest = {other: each for other, each in given.items() if other != _PARAMETERS[key].name}
            subject = _CONTENTS[content][1] if content in _CONTENTS else f"`dialmeter {name}`"
            fail_with_line(f"--{key} has no meaning for {subject}", _typed(context, rest))
        for each in value if isinstance(value, tuple) else (value,):
            words += [target] if each is True else [target, str(each)]
    for each in names:
        if "--name" not in known:
            raise DialmeterError("this command takes no names of files")
        words += ["--name", each]
    return words


def _setting_words(
    name: str, values: Sequence[str], known: Mapping[str, click.Option], given: Mapping[str, Any]
) -> list[str]:
    """Return the words of the flow's own options for the values of --set."""
    words: list[str] = []
    keys = setting_keys(known)
    for each in values:
        key, equals, value = each.partition("=")
        key = key.strip().replace("_", "-")
        if key not in keys:
            if "--set" not in known:
                raise DialmeterError(_no_setting(name, key, keys, next(iter(given.get("files") or ()), "")))
            words += ["--set", each]
        elif not keys[key].is_flag:
            if not equals:
                raise DialmeterError(f"--set {key}: write {key}=VALUE")
            words += [f"--{key}", value]
        elif value not in ("", "true", "false"):
            raise DialmeterError(f"--set {key}={one_line(value)}: write true or false")
        elif value != "false":
            words.append(f"--{key}")
    return words


def _no_setting(name: str, key: str, keys: Iterable[str], file: str) -> str:
    """Return the message about a setting that a flow does not have: it may be one of another subject or of another command."""
    subjects = [
        SUBJECTS[content]
        for content, path in FLOWS[name].items()
        if content in SUBJECTS and key in setting_keys(options_of(load_flow(path)))
    ]
    if subjects:
        where = f"{one_line(file, 200)}: " if file else ""
        return f"{where}{key} is a setting for {', '.join(dict.fromkeys(subjects))}; name the subject with --subject"
    commands = dict.fromkeys(f"`{command}`" for command, other, _ in settings_by_command() if other == key)
    if commands:
        return f"{key} is a setting of {', '.join(commands)}, not of `{name}`"
    return f"no setting {one_line(key)!r} here; {did_you_mean(key, keys)} (see `dialmeter list settings`)"


def setting_keys(known: Mapping[str, click.Option]) -> dict[str, click.Option]:
    """Return the settings of a flow by key: its options that are not options of front commands, and do not say where work is done."""
    return {
        opt[2:]: each
        for opt, each in known.items()
        if opt.startswith("--") and opt[2:] not in OPTIONS and each.name not in PLACE and opt not in _INNER
    }


_INNER = ("--name", "--where", "--set")
"""Options of flows that front commands give in another way."""


def settings_by_command() -> Iterator[tuple[str, str, click.Option]]:
    """Yield command, key and option of every setting."""
    for name, flows in FLOWS.items():
        for path in dict.fromkeys(flows.values()):
            for key, each in setting_keys(options_of(load_flow(path))).items():
                yield name, key, each


def complete_setting(context: click.Context, text: str) -> list[str]:
    """Return the settings of a command that begin with a text, or after ``KEY=`` the values of the setting."""
    name = context.command_path.partition(" ")[2]
    settings = [(key, each) for command, key, each in settings_by_command() if command == name]
    key, equals, _ = text.partition("=")
    if not equals:
        return list(dict.fromkeys(f"{each}=" for each, _ in settings if each.startswith(text)))
    values = values_of_settings(each for name, each in settings if name == key)
    return [word for value in values if value.islower() and (word := f"{key}={value}").startswith(text)]


def values_of_settings(settings: Iterable[click.Option]) -> list[str]:
    """Return the values of a setting that several flows have: choices in small letters, kinds of values in capital letters."""
    values: list[str] = []
    for each in settings:
        if isinstance(each.type, click.Choice):
            values += map(str, each.type.choices)
        elif each.is_flag:
            values += ["true", "false"]
        else:
            values += (each.metavar or each.type.name.removesuffix(" range").upper()).split("|")
    return list(dict.fromkeys(values))


def _typed(context: click.Context, given: Mapping[str, Any]) -> list[str]:
    """Return the words of a command that a person can paste again, without options of look and place."""
    words = context.command_path.split()[1:]
    words += [given["kind"]] if "kind" in given else []
    words += [str(each) for each in given.get("files") or ()]
    for each in context.command.params:
        value = given.get(each.name or "")
        if isinstance(each, click.Option) and value and each.name not in _NOT_REPEATED:
            flag = next((opt for opt in each.opts if opt.startswith("--")), each.opts[0])
            for one in value if isinstance(value, tuple) else (value,):
                words += [flag] if one is True else [flag, str(one)]
    return words


_NOT_REPEATED = frozenset(
    ["out", "force", "verbose", "quiet", "style", "latex", "dry_run", "workers", "conditions", "limit"]
)
