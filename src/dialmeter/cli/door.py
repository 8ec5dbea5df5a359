"""The commands that are the same for all subjects: each detects the subject of its files and starts the flow of that subject.

A *flow* is a click command that people do not call themselves. Its parameters are typed once, there. A front command has few options:
it hands those that all subjects share to the flow, and every ``--set KEY=VALUE`` to the parameter of the flow with that name.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import click

from ..errors import DialmeterError, did_you_mean, one_line
from ..readers.content import content_of
from .config import ConfigFile, load_config
from .find import split_conditions
from .options import Option, option
from .printer import TYPED, VERBOSE

Flows = Mapping[str, str]
"""Content of a file → ``module:object`` of the flow."""

FLOWS: Mapping[str, Flows] = {
    "check": {"tracker": "tracker.score:check", "user": "user.score:check", "system": "system:check"},
    "score": {
        "tracker": "tracker.score:score",
        "user": "user.score:score",
        "system": "system:score",
        "cases": "judge.score:score",
        "ratings": "judge.human:human",
    },
    "compare": {"tracker": "tracker.compare:compare_", "user": "user.compare:compare", "system": "system:compare"},
    "find": {"tracker": "tracker.find:find"},
    "play": {"": "user.play:play"},
    "study rules": {"tracker": "tracker.rules:rules"},
    "study bias": {"tracker": "tracker.bias:bias"},
    "study curve": {"": "tracker.curve:curve_"},
    "study people": {"tracker": "tracker.human:human", "cases": "judge.validity:judge_validity"},
    "study audit": {"tracker": "tracker.audit:audit_", "user": "user.text:labels"},
    "study sensitivity": {"tracker": "tracker.sensitivity:sensitivity"},
    "judge attack": {"": "judge.attack:attack"},
    "judge explain": {"": "judge.explain:explain"},
}
"""Front command → content of a file → flow. The content "" means that the command reads one kind of file only."""

SUBJECTS = {"tracker": "trackers", "user": "users", "system": "systems", "cases": "judges", "ratings": "judges"}
"""Content of a file → its subject, for messages."""


class FrontOption(NamedTuple):
    """An option of front commands.

    Attributes:
        make: the option.
        targets: the options of flows that take its value; a flow has at most one of them.
    """

    make: Option
    targets: tuple[str, ...] = ()


OPTIONS: Mapping[str, FrontOption] = {
    "gold": FrontOption(
        option("--gold FILE*", "File with gold states, or with the goals of users."), ("--gold", "--goals")
    ),
    "from": FrontOption(option("--from FORMAT* formats", "Format of the file, or gold=FORMAT (default: auto-detect).")),
    "columns": FrontOption(
        option("--columns KEY=NAME*", "Read a key from this column, such as pred=belief."), ("--fields",)
    ),
    "format": FrontOption(
        option(
            "--format -f style",
            "Output format.",
            choices=["text", "json", "markdown", "latex", "csv", "value", "ids"],
            optional=True,
        )
    ),
    "verbose": FrontOption(
        option("--verbose -v", "Print everything, not only the summary."),
        ("--signatures", "--details", "--logs", "--verbose", "--all-pairs"),
    ),
    "quiet": FrontOption(option("--quiet -q", "Print no progress and no warnings."), ("--quiet",)),
    "out": FrontOption(option("--out -o DIR", "Save the run here; the same command again continues it."), ("--out",)),
    "force": FrontOption(option("--force", "Replace existing output."), ("--force",)),
    "subject": FrontOption(
        option(
            "--subject",
            "What is measured (default: auto-detect).",
            choices=["tracker", "user", "judge", "system"],
            optional=True,
        )
    ),
    "only": FrontOption(option("--only FILE|common", "Only these dialogues: a file of ids, or common."), ("--only",)),
    "measure": FrontOption(option("--measure -m M* measures", 'Measure, such as "FGA(lam=0.5)".'), ("--measure",)),
    "judge": FrontOption(option("--judge -j JUDGE* judges", "Judge, such as overlap."), ("--judge",)),
    "rules": FrontOption(option("--rules NAME|FILE.toml* rules", "Rule set."), ("--rules",)),
    "set": FrontOption(option("--set KEY=VALUE* settings", "Change a setting; see `dialmeter list settings`.")),
    "by": FrontOption(option("--by GROUP* groups", "Also print scores by this group."), ("--by",)),
    "limit": FrontOption(
        option("--limit -n N", "Number of examples.", least=0),
        ("--limit", "--cases", "--failing", "--differing", "--flips", "--examples", "--sample"),
    ),
    "workers": FrontOption(option("--workers N|tcp://HOST:PORT", "Processes, or a Dask scheduler."), ("--workers",)),
    "fail-if": FrontOption(
        option("--fail-if COND* conditions", 'Exit with code 1 if "JGA < 0.5", or if worse, unclear, depends.'),
        ("--fail-if",),
    ),
    "dry-run": FrontOption(option("--dry-run", "Say what would be done and what it costs."), ("--dry-run",)),
    "latex": FrontOption(option("--latex WORD*", "LaTeX: bold, columns=1, caption=TEXT, label=NAME.")),
    "sort": FrontOption(option("--sort M|M-M sort", "Sort by a measure, or by the difference of two."), ("--sort",)),
    "show": FrontOption(option("--show", "Print the dialogues turn by turn."), ("--show",)),
    "make-sheet": FrontOption(
        option("--make-sheet FILE", "Write an empty sheet: .html (interactive) or .csv."), ("--make-sheets",)
    ),
    "sheet": FrontOption(
        option("--sheet FILE* sheets", "Filled sheet, one per person."), ("--read-sheets", "--ratings")
    ),
    "text": FrontOption(option("--text FILE", "File with the texts of the dialogues."), ("--talk",)),
    "attack": FrontOption(option("--attack NAME* attacks", "Attack; see `dialmeter list attacks`."), ("--attack",)),
    "user": FrontOption(option("--user NAME* users", "Simulated user."), ("--user",)),
    "system": FrontOption(option("--system NAME* systems", "Simulated system."), ("--system",)),
    "goals": FrontOption(option("--goals N", "Number of goals.", least=1), ("--goals",)),
}
_INPUT = "gold from columns"
_OUTPUT = "out force"
_LOOK = "format verbose quiet"


class Front(NamedTuple):
    """A front command: its arguments, its options, and its help."""

    argument: str
    options: str
    about: str


_STUDY = f"{_INPUT} {_LOOK} {_OUTPUT} only rules set"
FRONTS: Mapping[str, Front] = {
    "check": Front("files*", f"{_INPUT} {_LOOK} subject only rules set dry-run", "Check files before they are scored."),
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
        "files*", f"{_STUDY} limit measure make-sheet sheet", "Compare measures or cases with the ratings of people."
    ),
    "study audit": Front(
        "files*", f"{_STUDY.replace('gold ', '')} limit make-sheet sheet text", "Find likely errors in gold."
    ),
    "study sensitivity": Front(
        "files*", f"{_STUDY} limit measure", "How much does a tracker depend on the wording of the schema?"
    ),
    "judge attack": Front(
        "files*", f"{_OUTPUT} {_LOOK} attack limit set from workers dry-run", "Make adversarial cases from dialogues."
    ),
    "judge explain": Front(
        "files*",
        f"{_OUTPUT} {_LOOK} judge attack limit set workers dry-run",
        "Show which words of a reply change a judge's score.",
    ),
}


def load_flow(path: str) -> click.Command:
    """Return the flow ``module:object``."""
    module, _, name = path.partition(":")
    flow: click.Command = getattr(import_module(f".{module}", __package__), name)
    return flow


class FrontCommand(click.Command):
    """A command that starts the flow of the subject of its files."""


def front_command(name: str) -> click.Command:
    """Return the front command of this name, such as ``score`` or ``study bias``."""
    front = FRONTS[name]

    def start(**given: Any) -> Any:
        return _start(name, given)

    command = click.command(name.rsplit(maxsplit=1)[-1], help=front.about)(start)
    if front.argument:
        many = front.argument.endswith("*")
        click.argument(front.argument.rstrip("*"), nargs=-1 if many else 1, required=True, metavar="FILE…")(command)
    for each in front.options.split():
        OPTIONS[each].make(command)
    return command


def _start(name: str, given: dict[str, Any]) -> Any:
    root = click.get_current_context().find_root()
    config = load_config(root.params.get("config"), isolated=bool(root.params.get("isolated")))
    files: Sequence[str] = given.get("files") or ()
    conditions: Sequence[str] = ()
    if name == "find":
        files, conditions = split_conditions(files)
    names, paths = split_names(files)
    flow = load_flow(FLOWS[name][_content(name, paths, given)])
    given = _with_config(given, config, flow)
    words = flow_words(name, flow, given, names) + [word for each in conditions for word in ("--where", each)]
    words += ["--", *paths] if paths else []
    context = click.get_current_context()
    context.meta[VERBOSE] = bool(given.get("verbose"))
    context.meta[TYPED] = _typed(context)
    try:
        inner = flow.make_context(context.info_name, words, parent=context.parent, default_map=config.place)
    except click.UsageError as error:
        raise click.UsageError(_in_front_words(error.format_message(), flow), context) from None
    with inner:
        return flow.invoke(inner)


def _with_config(given: dict[str, Any], config: ConfigFile, flow: click.Command) -> dict[str, Any]:
    """Return the options with those of the configuration file, which the command line overrides; say which of them acted."""
    if not config.path:
        return given
    keys = setting_keys({opt: each for each in flow.params if isinstance(each, click.Option) for opt in each.opts})
    known = {key for _, key, _ in settings_by_command()}
    for key in config.settings:
        if key not in known:
            raise DialmeterError(f"{config.path}: no setting {one_line(key)!r}; {did_you_mean(key, known)}")
    typed = {each.partition("=")[0] for each in given.get("settings", ())}
    acting = {key: value for key, value in config.settings.items() if key in keys and key not in typed}
    more: dict[str, tuple[str, ...]] = {"settings": tuple(f"{key}={value}" for key, value in acting.items())}
    columns = {key: value for key, value in config.columns.items() if "--fields" in _opts(flow)}
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


def _opts(flow: click.Command) -> set[str]:
    return {opt for each in flow.params for opt in each.opts}


def split_names(files: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split ``NAME=FILE`` words; a word that is a file has no name.

    Example:
        >>> split_names(["a=x.json", "b=y.json"]), split_names(["x.json"])
        ((['a', 'b'], ['x.json', 'y.json']), ([], ['x.json']))
    """
    names, paths = [], []
    for word in files:
        name, equals, path = word.partition("=")
        if equals and name and "/" not in name and not Path(word).exists():
            names.append(name)
            paths.append(path)
        else:
            paths.append(word)
    if names and len(names) < len(paths):
        raise DialmeterError("give every file a name (NAME=FILE), or none")
    return names, paths


def _content(name: str, paths: Sequence[str], given: Mapping[str, Any]) -> str:
    """Return the content of the files of a command, which decides its flow."""
    flows = FLOWS[name]
    if len(flows) == 1:
        return next(iter(flows))
    subject, formats = (
        given.get("subject"),
        [each for each in given.get("formats", ()) if "=" not in each.partition("(")[0]],
    )
    if subject and subject != "judge":
        return _known(subject, flows, name)
    found = {
        path: content_of(path, formats[0] if formats else None) for path in paths if not path.startswith("trivial:")
    }
    contents = {each for each in found.values() if each is not None}
    if subject == "judge" or given.get("judges"):
        return _known("ratings" if contents == {"ratings"} else "cases", flows, name)
    if given.get("gold") and contents <= {"tracker", "user"}:
        return _known(
            "user" if contents == {"user"} and content_of(given["gold"][0]) is None else "tracker", flows, name
        )
    if len(contents) > 1:
        listed = "; ".join(f"{one_line(path, 200)}: {SUBJECTS[each]}" for path, each in found.items() if each)
        raise DialmeterError(f"the files are of different subjects ({listed}); give files of one subject, or --subject")
    if not contents:
        return _unknown(name, paths, given, formats)
    return _known(contents.pop(), flows, name)


def _known(content: str, flows: Flows, name: str) -> str:
    if content not in flows:
        does = ", ".join(dict.fromkeys(SUBJECTS[each] for each in flows))
        raise DialmeterError(f"`dialmeter {name}` is for {does}, not for {SUBJECTS[content]}")
    return content


def _unknown(name: str, paths: Sequence[str], given: Mapping[str, Any], formats: Sequence[str]) -> str:
    if formats and "tracker" in FLOWS[name]:
        return "tracker"
    if any(path == "-" for path in paths):
        raise DialmeterError("standard input: give --subject tracker, user, judge or system")
    # The reader of trackers says what is wrong with a file that no reader recognises.
    return _known("tracker", FLOWS[name], name)


def flow_words(name: str, flow: click.Command, given: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """Return the words of the flow's own command line."""
    known = {opt: each for each in flow.params if isinstance(each, click.Option) for opt in each.opts}
    words: list[str] = []
    for key in FRONTS[name].options.split():
        parameter = next(each for each in _parameters(key))
        value = given.get(parameter)
        if value is None or value is False or value == ():
            continue
        translate = _TRANSLATED.get(key)
        if translate is not None:
            words += translate(value, known, given)
            continue
        target = next((each for each in OPTIONS[key].targets if each in known), None)
        if target is None:
            if key in ("verbose", "quiet"):
                continue
            raise DialmeterError(f"--{key} has no meaning here; see `dialmeter {name} --help`")
        for each in value if isinstance(value, tuple) else (value,):
            words += [target] if each is True else [target, str(each)]
    for each in names:
        if "--name" not in known:
            raise DialmeterError("this command takes no names of files")
        words += ["--name", each]
    return words + _resumed(given, known)


def _parameters(key: str) -> Iterator[str]:
    command = click.command("x")(OPTIONS[key].make(lambda: None))
    yield from (each.name or "" for each in command.params)


def _resumed(given: Mapping[str, Any], known: Mapping[str, Any]) -> list[str]:
    """Return the word that continues an unfinished run."""
    folder = given.get("out")
    if not folder or given.get("force") or "--resume" not in known:
        return []
    return ["--resume"] if (Path(folder) / "parts").exists() and not (Path(folder) / "run.json").exists() else []


Words = Callable[[Any, Mapping[str, click.Option], Mapping[str, Any]], list[str]]


def _format_words(value: str, known: Mapping[str, click.Option], _: object) -> list[str]:
    if value == "value":
        if "--bare" not in known:
            raise DialmeterError("-f value needs a command that gives one number, such as `score FILE -m JGA`")
        return ["--bare"]
    if value == "ids":
        if "--ids" not in known:
            raise DialmeterError("-f ids is for `dialmeter find`")
        return ["--ids"]
    if "--as" not in known:
        raise DialmeterError(f"-f {value} is not available here")
    return ["--as", value]


def _from_words(values: Sequence[str], known: Mapping[str, click.Option], _: object) -> list[str]:
    words = []
    for each in values:
        if each.startswith("gold="):
            words += ["--gold-from", each.removeprefix("gold=")]
        else:
            words += ["--from", each]
    for word in words[::2]:
        if word not in known:
            raise DialmeterError(f"--from {values[0]} has no meaning here")
    return words


def _only_words(value: str, known: Mapping[str, click.Option], _: object) -> list[str]:
    if value == "common" and "--common" in known:
        return ["--common"]
    if "--only" not in known:
        raise DialmeterError("--only has no meaning here")
    return ["--only", value]


def _worker_words(value: str, known: Mapping[str, click.Option], _: object) -> list[str]:
    target = "--cluster" if "://" in value else "--workers"
    if target not in known:
        raise DialmeterError("--workers has no meaning here: this command works in one process")
    return [target, value]


def _condition_words(values: Sequence[str], known: Mapping[str, click.Option], _: object) -> list[str]:
    words = []
    for each in values:
        if each in ("worse", "unclear", "depends"):
            if "--fail-if-worse" not in known:
                raise DialmeterError(f"--fail-if {each} is for `dialmeter compare`")
            words += ["--fail-if-worse"]
        else:
            words += ["--fail-if", each]
    return words


def _latex_words(values: Sequence[str], known: Mapping[str, click.Option], given: Mapping[str, Any]) -> list[str]:
    words = [] if given.get("style") else ["--as", "latex"]
    for each in values:
        key, equals, value = each.partition("=")
        if f"--{key}" not in known or key not in ("bold", "columns", "caption", "label", "marks"):
            raise DialmeterError(f"--latex {one_line(each)}: write bold, columns=1, caption=TEXT or label=NAME")
        words += [f"--{key}", value] if equals else [f"--{key}"]
    return words


def _setting_words(values: Sequence[str], known: Mapping[str, click.Option], _: object) -> list[str]:
    words = []
    keys = setting_keys(known)
    for each in values:
        key, equals, value = each.partition("=")
        key = key.strip().replace("_", "-")
        if key in keys:
            words += _set_option(keys[key], value, bool(equals))
        elif "--set" in known:
            words += ["--set", each]
        else:
            raise DialmeterError(
                f"no setting {one_line(key)!r} here; {did_you_mean(key, keys)} (see `dialmeter list settings`)"
            )
    return words


def _set_option(setting: click.Option, value: str, has_value: bool) -> list[str]:
    flag = next(each for each in setting.opts if each.startswith("--"))
    if not setting.is_flag:
        if not has_value:
            raise DialmeterError(f"--set {flag[2:]}: write {flag[2:]}=VALUE")
        return [flag, value]
    if value not in ("", "true", "false"):
        raise DialmeterError(f"--set {flag[2:]}={one_line(value)}: write true or false")
    return [] if value == "false" else [flag]


_TRANSLATED: Mapping[str, Words] = {
    "format": _format_words,
    "from": _from_words,
    "only": _only_words,
    "workers": _worker_words,
    "fail-if": _condition_words,
    "latex": _latex_words,
    "set": _setting_words,
    "subject": lambda *_: [],
}

_SHARED = frozenset(
    [
        "--json",
        "--as",
        "--max-bytes",
        "--charts",
        "--chart-format",
        "--width",
        "--dpi",
        "--font-size",
        "--no-title",
        "--resume",
        "--rows",
        "--name",
        "--gold-from",
        "--from",
        "--common",
        "--cluster",
        "--cluster-ca",
        "--cluster-cert",
        "--cluster-key",
        "--cluster-resource",
        "--fail-if-worse",
        "--bare",
        "--ids",
        "--where",
        "--columns",
        "--bold",
        "--caption",
        "--label",
        "--marks",
        "--endpoint",
        "--model",
        "--key-variable",
        "--cache",
        "--no-cache",
        "--store",
        "--concurrency",
        "--price",
        "--max-cost",
        "--threads",
        "--set",
        "--workers",
        "--only",
        "--fail-if",
        "--help",
    ]
)
"""Options of flows that are not settings: they say how output looks, or where work is done."""


def setting_keys(known: Mapping[str, click.Option]) -> dict[str, click.Option]:
    """Return the settings of a flow by key."""
    shared = _SHARED | {target for each in OPTIONS.values() for target in each.targets}
    return {opt[2:]: each for opt, each in known.items() if opt.startswith("--") and opt not in shared}


def _in_front_words(message: str, flow: click.Command) -> str:
    """Return the message of a flow in the words of the front command: ``--set missing=…`` instead of ``--missing``."""
    known = {opt: each for each in flow.params if isinstance(each, click.Option) for opt in each.opts}
    for key in sorted(setting_keys(known), key=len, reverse=True):
        message = message.replace(f"'--{key}'", f"'--set {key}'")
    for key, each in OPTIONS.items():
        for target in each.targets:
            message = message.replace(f"'{target}'", f"'--{key}'")
    return message


def settings_by_command() -> Iterator[tuple[str, str, click.Option]]:
    """Yield command, key and option of every setting."""
    for name, flows in FLOWS.items():
        for path in dict.fromkeys(flows.values()):
            flow = load_flow(path)
            known = {opt: each for each in flow.params if isinstance(each, click.Option) for opt in each.opts}
            for key, each in setting_keys(known).items():
                yield name, key, each


def _typed(context: click.Context) -> str:
    """Return the command line that a person can paste again, without options of look and place."""
    words = ["dialmeter", *context.command_path.split()[1:]]
    words += [str(each) for each in context.params.get("files") or ()]
    for each in context.command.params:
        value = context.params.get(each.name or "")
        if isinstance(each, click.Option) and value and each.name not in _NOT_REPEATED:
            flag = next((opt for opt in each.opts if opt.startswith("--")), each.opts[0])
            for one in value if isinstance(value, tuple) else (value,):
                words += [flag] if one is True else [flag, str(one)]
    return shlex.join(words)


_NOT_REPEATED = frozenset(
    ["out", "force", "verbose", "quiet", "style", "latex", "dry_run", "workers", "conditions", "limit"]
)
