"""The frame of the commands that check, score and compare a subject: saved runs, names of files, and outputs of the same shape.

A subject gives its documents, its tables, and the functions that check, score and compare its files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from ..core.account import account_fields
from ..core.comparison import Resampling, SystemComparison, worse_than_base
from ..core.document import (
    CheckedDocument,
    ComparedDocument,
    Document,
    ScoredDocument,
    describe_intervals,
    make_document,
)
from ..core.open_runs import PARTS
from ..core.record import RunInput, RunInputs
from ..core.secrets import mask_queries
from ..errors import ConditionHolds, DialmeterError, InputError, one_line
from ..measure import Score
from ..model import Notice
from ..readers.corpus import split_tracker
from ..readers.raw_file import is_stream
from ..views.compare import comparison_rows, result_lines, worse_line
from ..views.ladder import ladder_lines, ladder_table
from ..views.tables import Table, signature_of
from .hints import check_run_folder
from .main import EXIT_INPUT
from .printer import (
    CSV,
    SAVE,
    TEXT,
    WORDS,
    Block,
    Output,
    keep_output,
    refused_lines,
    result_blocks,
    signature_blocks,
    typed_command,
)

if TYPE_CHECKING:
    from ..core.run_writer import RunWriter


class CommandRun:
    """The run that a command saves to the folder of --out. Without --out nothing is written.

    Args:
        options: the options of the command.
        inputs: role → file or files that determine the result, if given. Create the run before the first of them is read.

    Attributes:
        writer: writes the rows; None before ``begin``, and without --out.

    Raises:
        InputError: a file does not exist.
    """

    has_rows = True
    """True if the run has a row for each dialogue or case, so that an unfinished run can be continued."""

    def __init__(self, options: dict[str, Any], inputs: Mapping[str, str | Sequence[str] | None]) -> None:
        self._options = options
        given = ((role, [paths] if isinstance(paths, str) else paths or ()) for role, paths in inputs.items())
        self.listed = [RunInput(role, *split_tracker(path)) for role, paths in given for path in paths if path]
        self._inputs = RunInputs(self.listed if options["out"] else [])
        self._identity: dict[str, Any] = {}
        self.writer: RunWriter | None = None

    def begin(self, identify: Callable[[list[dict[str, str | None]]], dict[str, Any]]) -> None:
        """Lock the folder.

        Args:
            identify: returns the identity of the run from the names and hashes of its inputs. Called only with --out.

        Raises:
            DialmeterError: the folder is in use, or the options contradict each other.
        """
        options = self._options
        if not options["out"]:
            if options["force"]:
                raise DialmeterError("--force needs --out")
            return
        check_run_folder(options["out"], typed_command())
        is_continued = self.has_rows and (Path(options["out"]) / PARTS / "identity.json").exists()
        if is_continued and not options["force"] and any(is_stream(each.path) for each in self.listed):
            raise DialmeterError(
                f"{options['out']}: an unfinished run from standard input or a pipe cannot be continued, because the "
                "input may be different; start again with --force"
            )
        from ..core.run_writer import RunWriter
        from ..views.pages.findings import write_findings

        self._identity = identify(self._inputs.described())
        self.writer = RunWriter(
            options["out"],
            self._identity,
            force=options["force"],
            rows=self.has_rows,
            index=write_findings,
        )
        click.get_current_context().call_on_close(self.writer.close)

    @contextmanager
    def abandoned_on(self, error: type[DialmeterError]) -> Iterator[None]:
        """Abandon the run if such an error is raised."""
        try:
            yield
        except error:
            if self.writer is not None:
                self.writer.abandon()
            raise

    def without_folders(self, line: str, paths: Iterable[str] = ()) -> str:
        """Remove the folders of the inputs, and of other files, from a line. A run must not depend on where its input is."""
        for path in sorted({*paths, *(each.path for each in self.listed)}, key=len, reverse=True):
            line = line.replace(path, Path(path).name)
        return line

    def finish(self, write: Callable[[RunWriter, dict[str, Any]], None]) -> None:
        """Finish the run, if there is one, as soon as the output of the command is there: a run keeps its charts.

        It is abandoned with an error if an input changed in the meantime.

        Args:
            write: writes the last files. Its arguments are the writer and the identity of the run, with the hash of every input.
        """
        writer = self.writer

        def save(output: Output) -> None:
            assert writer is not None
            keep_output(writer, output)
            with self.abandoned_on(InputError):
                inputs = self._inputs.after_reading()
            words = click.get_current_context().meta.get(WORDS, ())
            paths = [each.rpartition("=")[2] for each in words if each.endswith(".toml")]
            from ..core.batch import without_batch

            kept = [without_batch(mask_queries(self.without_folders(each, paths))) for each in words]
            write(writer, {**self._identity, "inputs": inputs, "words": kept})

        if writer is not None:
            click.get_current_context().meta[SAVE] = save


def document_output(kind: type[Document], result: object = None, /, **given: Any) -> Output:
    """Return the output of a command from the arguments of ``Output`` and of ``make_document``.

    Without a result and ``warnings``, the document has the same warnings as the output.
    """
    own = {name: given.pop(name) for name in Output.__struct_fields__ if name in given}
    if result is None:
        given.setdefault("warnings", own.get("notices", ()))
    return Output(document=lambda: make_document(kind, result, **given), **own)


def checked_output(kind: type[CheckedDocument], checked: Any, **given: Any) -> Output:
    """Return the output of a command that validates a file. If it has problems, they are errors, and the exit code is 2."""
    given.setdefault("errors", [one_line(each.message, 1000) for each in checked.problems])
    return document_output(kind, checked, exit_code=0 if checked.valid else EXIT_INPUT, **given)


def scored_output(
    kind: type[ScoredDocument],
    result: Any,
    options: dict[str, Any],
    unread: str,
    fields: Mapping[str, Any],
    **more: Any,
) -> Output:
    """Return the output of a command that scores; ``fields`` are those that only its document has.

    Units that cannot be read are errors, unless --set missing=skip accepts them; ``unread`` says how many there are. Conditions of
    --fail-if are about the scores of the result, unless ``more`` has another check.
    """
    is_accepted = options["missing"] == "skip" or not result.refused
    intervals, refused = describe_intervals(result.resampling), [str(error) for error in result.refused]
    return Output(
        document=lambda: make_document(
            kind, result, **{"intervals": intervals, "unscored_dialogues": refused, **fields}
        ),
        notices=[each for each in result.notices if is_accepted or each.code != "unscored"],
        errors=[]
        if is_accepted
        else [*refused_lines(result.refused), f"{unread} (to score the others: --set missing=skip)"],
        exit_code=0 if is_accepted else EXIT_INPUT,
        **{"check": lambda: fail_if(options, result.to_dicts()), **more},
    )


def compared_output(
    kind: type[ComparedDocument],
    comparison: SystemComparison[Any],
    options: dict[str, Any],
    *,
    resampling: Resampling,
    notices: Sequence[Notice],
    fields: Mapping[str, Any],
    **more: Any,
) -> Output:
    """Return the output of a command that compares; ``fields`` are those that only its document has.

    The command ends with exit code 1 if a verdict of --fail-if holds.
    """

    def document() -> ComparedDocument:
        values: dict[str, Any] = {
            **scores_and_accounts(comparison.results),
            "warnings": notices,
            "versus": comparison.versus,
            "ladder": comparison.ladders,
            "intervals": describe_intervals(resampling),
        }
        return make_document(kind, **values | {**fields})

    def check() -> None:
        # A condition is about any system, or about the one that it names.
        listed = [(name, each) for name, result in comparison.results.items() for each in result.to_dicts()]
        scores = [one for name, each in listed for one in (each, {**each, "system": name})]
        verdicts = ((each.verdict, each.headline) for each in comparison.ladders)
        fail_if(options, scores, verdicts, _worse_lines(comparison, 1 - resampling.confidence))

    return Output(document=document, notices=notices, check=check, **more)


def check_count(files: Sequence[str], what: str) -> None:
    """Check that a command that compares has two files or more."""
    if len(files) < 2:
        raise DialmeterError(f"compare needs two {what} or more, the first as the baseline")


def distinct_notices(results: Iterable[Any]) -> list[Notice]:
    """Return the warnings about several files, each once."""
    return [*{(each.code, each.message): each for result in results for each in result.notices}.values()]


def match_gold_files(files: Sequence[str], golds: Sequence[str]) -> Sequence[str | None]:
    """Return the gold file of each file: --gold is given once for all, once for each, or not at all."""
    if len(golds) not in (0, 1, len(files)):
        raise DialmeterError(f"give --gold once for all files, or once for each of the {len(files)}")
    return [golds[0]] * len(files) if len(golds) == 1 else golds or [None] * len(files)


_ENDINGS = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet", ".txt")


def name_files(files: Sequence[str], given: Sequence[str], what: str, more: Sequence[str] = ()) -> list[str]:
    """Return a name for each file: those of --name, or the shortest parts of the paths that differ.

    Args:
        files: paths; a path may select a tracker of the file, such as ``file.jsonl#name``.
        given: the names of --name; none, or one for each file.
        what: the plural noun for messages, such as ``systems``.
        more: names that are added at the end, such as those of trivial trackers.

    Raises:
        DialmeterError: the number of names differs from the number of files, or a name is a duplicate.

    Example:
        >>> name_files(["runs/a.v1.jsonl.gz", "b.jsonl#own"], [], "systems")
        ['a.v1', 'own']
        >>> name_files(["runs/som/pred.json", "runs/trade/pred.json"], [], "systems")
        ['som', 'trade']
        >>> name_files(["som.pred.json", "trade.pred.json"], [], "systems")
        ['som', 'trade']
        >>> name_files(["a/p.json", "a/q.json", "b/p.json"], [], "systems")
        ['a/p', 'a/q', 'b/p']
    """
    if given and len(given) != len(files):
        raise DialmeterError("give every file a name (NAME=FILE), or none")
    labels = [*(given or _shortest_distinct_ends(files)), *more]
    if len(set(labels)) < len(labels):
        raise DialmeterError(
            f"two {what} are called {Counter(labels).most_common(1)[0][0]!r}; give other names with NAME=FILE"
        )
    return labels


def _shortest_distinct_ends(files: Sequence[str]) -> list[str]:
    """Return the shortest ends of the paths that differ, without the last parts that all paths share."""
    for without_ending in (True, False):
        paths = [_path_parts(file, without_ending) for file in files]
        while len(files) > 1 and all(len(path) > 1 for path in paths) and len({path[-1] for path in paths}) == 1:
            paths = [path[:-1] for path in paths]
        if without_ending:
            paths = _without_shared_ending(paths)
        for count in range(1, max(map(len, paths), default=0) + 1):
            names = [one_line("/".join(path[-count:]), 1000) for path in paths]
            if len(set(names)) == len(names):
                return names
    return [one_line(file, 1000) for file in files]


def _without_shared_ending(paths: list[list[str]]) -> list[list[str]]:
    """Return paths without an ending that all of them share, as in ``a.pred`` and ``b.pred``."""
    stems = [path[-1].rpartition(".") for path in paths]
    if len(paths) < 2 or len({ending for _, _, ending in stems}) > 1 or not all(stem for stem, _, _ in stems):
        return paths
    return [[*path[:-1], stem] for path, (stem, _, _) in zip(paths, stems, strict=True)]


def _path_parts(file: str, without_ending: bool) -> list[str]:
    path, _, tracker = file.partition("#")
    parts = [part for part in Path(path).parts if part != "/"] or [path]
    if without_ending:
        name = parts[-1].removesuffix(".gz").removesuffix(".zst")
        ending = next((each for each in _ENDINGS if name.endswith(each)), "")
        parts[-1] = name.removesuffix(ending) or parts[-1]
    return [*parts, tracker] if tracker else parts


def named_notices(name: str, notices: Iterable[Notice]) -> list[Notice]:
    """Return the warnings about one of several files with the name in front."""
    return [replace(each, message=f"{name}: {each.message}") for each in notices]


def scores_and_accounts(results: Mapping[str, Any], key: str = "system") -> dict[str, Any]:
    """Return the fields of a document for the scores and accounts of results by name; ``key`` is the key of the name in a score."""
    return {
        "scores": [{**each, key: name} for name, result in results.items() for each in result.to_dicts()],
        **account_fields({name: result.account for name, result in results.items()}),
    }


def verdict_blocks(comparison: SystemComparison[Any], unit: str = "dialogues", level: float = 0.05) -> Iterator[Block]:
    """Yield the verdict of each system, with the ladder that it depends on, then the outcome under every measure.

    Results below ``level``, after the Holm correction, are significant.
    """
    for each in comparison.ladders:
        # In a paper, the captions and labels of the command line belong to the tables of scores.
        plain, listed = result_blocks([each.headline]), result_blocks([each.headline, *ladder_lines(each)])
        yield Block(plain[0].content, TEXT)
        if len(each.rungs) > 1:
            yield Block(ladder_table(each, unit), TEXT, gap=())
        yield Block(listed[0].content, ("latex",))
        yield listed[1]
    if len({each.measure for each in comparison.versus}) > 1 or not comparison.ladders:
        yield from result_blocks(result_lines(comparison.versus, level))


def comparison_parts(
    table: Table,
    scores: Mapping[str, Sequence[Score]],
    comparison: SystemComparison[Any],
    note: str,
    *,
    who: str = "system",
    unit: str = "dialogues",
) -> Iterator[Block]:
    """Yield the parts of a comparison: the verdict, what it depends on, the table, the note and the signature."""
    yield from verdict_blocks(comparison, unit)
    yield Block(table)
    yield Block(comparison_rows(scores, comparison.versus, who), CSV)
    yield Block(note, TEXT)
    yield from signature_blocks(
        signature_of(chain.from_iterable(scores.values()), comparison.versus), gap=("markdown",)
    )


def fail_if(
    options: Mapping[str, Any],
    scores: Iterable[Mapping[str, Any]],
    verdicts: Iterable[tuple[str, str]] = (),
    worse: Iterable[str] = (),
) -> None:
    """End the command if a condition or a verdict of --fail-if holds.

    Args:
        options: the options of the command.
        scores: the scores for conditions, as dictionaries with their groups.
        verdicts: the verdicts of the comparison, with their sentences.
        worse: a sentence for each system that is worse under any measure.
    """
    listed, words = list(scores), {"worse": "worse", "unclear": "cannot tell", "depends": "depends"}
    for condition in options["conditions"]:
        condition.check(listed)
    wanted = {words[each] for each in options["fail_if"]}
    found = [sentence for verdict, sentence in verdicts if verdict in wanted]
    for sentence in (*(worse if "worse" in wanted else ()), *found):
        raise ConditionHolds(sentence)


def _worse_lines(comparison: SystemComparison[Any], level: float) -> Iterator[str]:
    """Yield a sentence for each system that is worse than its base under any measure, as written."""
    ladders = {(each.system, each.measure): each for each in comparison.ladders}
    worse = worse_than_base(comparison.versus, level)
    for each in comparison.versus:
        ladder = ladders.get((each.system, each.measure))
        if each not in worse if ladder is None else ladder.rungs[0].verdict != "worse":
            continue
        turned = ladder is not None and ladder.verdict == "depends"
        yield worse_line(each) + (f"; {ladder.sentence}" if ladder is not None and turned else "")
