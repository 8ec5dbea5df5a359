"""The certificate of a judge: its evidence against people in one file, with digests of judge, labels and verdicts, and a seal.

The seal is a digest of the content. It detects accidents, not forgery. A certificate expires if a digest changes, not by its date; so
it holds no date, path, host or key, and the same inputs give the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct

from ...conditions import SIGNS, Condition, parse_condition
from ...errors import DialmeterError, InputError, did_you_mean, one_line
from ...readers.ratings.rated_item import RatedItems
from ...readers.source import Source
from ...readers.strict_json import parse_unique
from ...stats.agreement import krippendorff_alpha
from ...stats.corrected import CorrectedRate
from ...stats.labels import PROPORTIONS, Figure
from ..judge import Judge, identity_of
from .labels import FEWEST_CLUSTERS, FIGURES, LabelAgreement, LabelRecord, LabelSettings, LeftOutRater, PassCondition
from .reliability import AttackedRun, CertifiedFigure, length_preference, repeats
from .result import PeopleResult

FORMAT = "dialmeter-judge/1"
GateVerdict: TypeAlias = Literal["met", "not met", "cannot tell"]
USES: Mapping[str, Sequence[str]] = {
    "decide": ("agreement", "gain"),
    "rank": ("corrected rates of systems", "position"),
    "reward": ("attacks", "length", "repeats"),
}
"""What a judge is used for → the evidence that this needs."""
RELIABILITY = ("flip_rate", "not_unanimous", "repeats_alpha", "length")


class Gate(Struct, frozen=True):
    """A condition that a team sets for its judge, such as ``kappa >= 0.6``.

    It is met if the whole interval satisfies it, and not met if no part of it does.
    """

    condition: str
    verdict: GateVerdict


class Uses(Struct, frozen=True):
    """The evidence for one use of a judge that is there, and that is missing."""

    present: list[str]
    missing: list[str]


class CertifiedData(Struct, kw_only=True):
    """What the figures are about: the counts of items, the table of people and judge, and the digests of labels, verdicts and cases.

    Attributes:
        facet: the facet with the labels.
        about: what a pass means; empty if people were asked for pass or fail.
    """

    facet: str = ""
    about: str = ""
    items: int = 0
    labelled: int = 0
    ties: int = 0
    n: int = 0
    contexts: int = 0
    table: tuple[int, int, int, int] | None = None
    labels: str
    verdicts: str
    cases: str | None = None


class CertifiedRaters(Struct):
    """The agreement of people, and the judge in the place of a rater: by epsilon, the share of raters whom it and a constant judge replace."""

    alpha: float | None = None
    left_out: LeftOutRater | None = None
    alt_tests: dict[str, float | None] = {}
    constant: dict[str, float | None] = {}


Figures: TypeAlias = dict[str, CertifiedFigure]


class Certificate(Struct, kw_only=True):
    """A certificate, as in its file.

    Attributes:
        judge: what the judge is: name, and of language models the model, digests of prompts, parameters, form of the answer, repeats.
        settings: how ratings and scores became labels and verdicts, and where the labels come from.
        agreement: the verdict of the comparison with people; null for scores without verdicts.
        corrected: system → corrected pass rate; the empty name is all items.
        reliability: repeats, order and length.
        attacks: facet → attack → error rate.
        missing: the evidence that some use needs.
    """

    certificate: str
    judge: dict[str, Any]
    settings: dict[str, str | list[str]] = {}
    data: CertifiedData
    agreement: str | None = None
    figures: Figures
    corrected: Figures = {}
    raters: CertifiedRaters = msgspec.field(default_factory=CertifiedRaters)
    reliability: Figures = {}
    attacks: dict[str, Figures] = {}
    gates: list[Gate] = []
    uses: dict[str, Uses] = {}
    missing: list[str] = []
    sha256: str

    @property
    def name(self) -> str:
        """The name of the judge."""
        return one_line(str(self.judge.get("name", "")))


def _plain(value: Any) -> Any:
    """Return data as in canonical JSON: floats rounded to six places, whole ones as integers, null for those that are no number."""
    if isinstance(value, float):
        rounded = round(value, 6) if isfinite(value) else None
        return int(rounded) if rounded is not None and rounded.is_integer() else rounded
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def canonical(value: Any) -> str:
    """Return the one way to write data, of which digests are made.

    Example:
        >>> canonical({"b": 1.0, "a": [0.12345678, float("nan")]})
        '{"a":[0.123457,null],"b":1}'
    """
    return json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def seal_of(document: Mapping[str, Any]) -> str:
    """Return the digest of a certificate without its seal.

    Example:
        >>> seal_of({"a": 1, "sha256": "old"}) == seal_of({"a": 1.0})
        True
    """
    return _sha256(canonical({key: each for key, each in document.items() if key != "sha256"}))


def text_of(document: Any) -> str:
    """Return the text of a certificate's file. Its format comes first, so that a long file is recognised."""
    ordered: dict[str, Any] = json.loads(canonical(msgspec.to_builtins(document)))
    first = {"certificate": ordered["certificate"]}
    return json.dumps(first | ordered, indent=1, ensure_ascii=False) + "\n"


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _content_digest(rows: Iterable[Sequence[Any]]) -> str:
    return _sha256("".join(f"{line}\n" for line in sorted(map(canonical, rows))))


def labels_digest(items: RatedItems, facet: str) -> str:
    """Return the digest of all ratings of a facet. Pass and fail are words, however the file writes them."""
    rows: list[list[Any]] = []
    words = {1.0: "pass", 0.0: "fail"}
    single = [value for item in items.items for value in item.ratings.get(facet, ())]
    is_binary = bool(single) and set(single) <= words.keys()
    for item in items.items:
        given, names = item.ratings.get(facet, ()), item.raters.get(facet, ())
        values = [words[each] if is_binary else each for each in given]
        if values:
            rows.append([item.id, dict(zip(names, values, strict=True)) if len(set(names)) == len(values) else values])
        elif facet in item.means:
            rows.append([item.id, item.means[facet]])
    return _content_digest(rows)


def verdicts_digest(agreement: LabelAgreement) -> str:
    """Return the digest of the verdicts, or scores, on all items."""
    return _content_digest(agreement.verdicts.items())


def judge_digests(judge: Judge | None, name: str, settings: LabelSettings) -> dict[str, Any]:
    """Return what a judge is. Scores in a file are known by name only."""
    found: dict[str, Any] = {"name": name}
    for each in settings.judge_pass_if:
        found |= {"threshold": each.least} if each.name == name else {}
    if judge is None:
        return found
    described: dict[str, Any] = getattr(judge, "described", None) or {"identity": _sha256(identity_of(judge))}
    return found | described


def _figure(figure: Figure | CorrectedRate, n: int | None = None, method: str = "bootstrap") -> CertifiedFigure:
    own = figure.n if isinstance(figure, Figure) and figure.n is not None else n
    return CertifiedFigure(figure.value, figure.ci, own, method if figure.ci else "", figure.reason)


def _figures(agreement: LabelAgreement) -> Figures:
    honest = agreement.threshold.honest if agreement.threshold else {}
    figures = {**agreement.figures, **{f"cross_validated_{name}": each for name, each in honest.items()}}
    methods = dict.fromkeys(PROPORTIONS, "wilson")
    found = {name: _figure(each, agreement.n, methods.get(name, "bootstrap")) for name, each in figures.items()}
    if agreement.threshold:
        found |= {
            "threshold": CertifiedFigure(agreement.threshold.value, agreement.threshold.ci, agreement.n, "bootstrap")
        }
    if calibrated := agreement.calibration:
        mean, high = calibrated.ece_null
        null = f"a calibrated judge has {mean:.3f} here, and above {high:.3f} in 5 % of samples"
        found |= {"brier": _figure(calibrated.brier, agreement.n)}
        found |= {"ece": CertifiedFigure(calibrated.ece, n=agreement.n, reason=null)}
    return found


def _raters(agreement: LabelAgreement, record: LabelRecord) -> CertifiedRaters:
    raters = agreement.source.raters
    names = sorted({name for each in raters for name in each})
    alpha = krippendorff_alpha([[each.get(name) for each in raters] for name in names]) if names else None
    won, constant = (
        {f"{each.epsilon:g}": each.winning_rate for each in tests}
        for tests in (record.alt_tests, record.constant_alt_tests)
    )
    return CertifiedRaters(alpha.value if alpha else None, record.left_out, won, constant)


def _uses(certificate: Certificate) -> dict[str, Uses]:
    figures, reliability = certificate.figures, certificate.reliability
    corrected = [system for system, rate in certificate.corrected.items() if system and rate.ci95]
    is_enough = "kappa" in figures and certificate.data.contexts >= FEWEST_CLUSTERS
    known = {
        "agreement": is_enough and figures["accuracy"].ci95,
        "gain": is_enough and figures["gain_over_constant"].ci95,
        "corrected rates of systems": len(corrected) > 1,
        "position": any(name.startswith("position") for name in reliability),
        "attacks": certificate.attacks,
        "length": reliability["length"].ci95,
        "repeats": "not_unanimous" in reliability,
    }
    return {
        use: Uses([each for each in needs if known[each]], [each for each in needs if not known[each]])
        for use, needs in USES.items()
    }


def parse_gate(text: str) -> Condition:
    """Parse a gate.

    Raises:
        DialmeterError: the text is no condition.

    Example:
        >>> parse_gate("Kappa >= 0.6").measure
        'kappa'
    """
    try:
        parsed = parse_condition(text)
    except DialmeterError as error:
        why = str(error).rpartition(": ")[2]
        form = 'write it like "kappa >= 0.6" or "error[speaker] <= 0.2"'
        raise DialmeterError(f"gate {text!r}: {form if why.startswith('write it like') else why}") from None
    return msgspec.structs.replace(parsed, measure=parsed.measure.lower().replace(" ", "_").replace("-", "_"))


def _judged_gate(gate: Condition, certificate: Certificate) -> Gate:
    figures: dict[str, CertifiedFigure | None] = {
        **dict.fromkeys((*FIGURES, *RELIABILITY)),
        **certificate.figures,
        **certificate.reliability,
    }
    figures |= {f"error[{attack}]": each for own in certificate.attacks.values() for attack, each in own.items()}
    figures["corrected"] = certificate.corrected.get("")
    name = f"{gate.measure}[{gate.group}]" if gate.group else gate.measure
    if name not in figures:
        raise DialmeterError(f"gate {gate.text!r}: there is no figure {name!r}; {did_you_mean(name, figures)}")
    figure = figures[name]
    ends = {SIGNS[gate.sign](each, gate.limit) for each in figure.ci95} if figure and figure.ci95 else {True, False}
    return Gate(gate.text, "cannot tell" if len(ends) > 1 else "met" if True in ends else "not met")


def _conditions(given: Sequence[PassCondition]) -> list[str]:
    return [f"{each.name} >= {each.least:.12g}" for each in given]


def make_certificate(
    result: PeopleResult,
    agreement: LabelAgreement,
    judge: Judge | None,
    gates: Sequence[Condition] = (),
    attacked: AttackedRun | None = None,
) -> Certificate:
    """Return the certificate of a judge, with its seal.

    Args:
        result: the judge and the people.
        agreement: the judge against the labels of the facet.
        judge: the judge if it was asked; None for scores of a file.
        gates: the conditions of the team.
        attacked: what a run of cases says about the judge.

    Raises:
        DialmeterError: a gate names a figure that does not exist.
    """
    settings, source, record = result.settings.labels, agreement.source, agreement.record()
    reliability = {
        name: _figure(each, None, "wilson" if name == "not_unanimous" else "bootstrap")
        for name, each in repeats(result, agreement, judge).items()
    }
    reliability["length"] = _figure(length_preference(result, agreement, result.column(agreement.judge)))
    certificate = Certificate(
        certificate=FORMAT,
        judge=judge_digests(judge, agreement.judge, settings),
        settings={
            "label-kind": settings.kind,
            "labels": settings.origin,
            "pass-if": "".join(_conditions([settings.pass_if] if settings.pass_if else [])),
            "judge-pass-if": _conditions(settings.judge_pass_if),
            "probability": list(settings.probability),
        },
        data=CertifiedData(
            facet=source.facet,
            about=source.about,
            items=len(result.items.items),
            labelled=sum(map(bool, source.raters)) or agreement.n,
            ties=agreement.ties,
            n=agreement.n,
            contexts=agreement.clusters.count,
            table=agreement.table,
            labels=labels_digest(result.items, source.facet),
            verdicts=verdicts_digest(agreement),
            cases=attacked.cases if attacked else None,
        ),
        agreement=record.agreement,
        figures=_figures(agreement),
        corrected={system: _figure(rate, None, settings.origin) for system, rate in record.corrected.items()},
        raters=_raters(agreement, record),
        reliability=reliability | (attacked.position if attacked else {}),
        attacks=attacked.errors if attacked else {},
        sha256="",
    )
    # Gates are judged by the figures as they are written.
    written = msgspec.convert(_plain(msgspec.to_builtins(certificate)), Certificate)
    written.gates = [_judged_gate(each, written) for each in gates]
    written.uses = _uses(written)
    written.missing = sorted({each for use in written.uses.values() for each in use.missing})
    written.sha256 = seal_of(msgspec.to_builtins(written))
    return written


def read_certificate(path: str) -> tuple[Certificate, bool]:
    """Return the certificate in a file, and whether its seal holds: every byte is as it was written.

    Raises:
        InputError: the file is no certificate, or one of another version of the format.
    """
    source = Source(path)
    data = source.read_all()
    document = parse_unique(data, source.name)
    if not isinstance(document, dict) or not isinstance(document.get("certificate"), str):
        raise InputError(
            "no certificate of a judge; make one with `dialmeter judge certify RATINGS -j NAME -o FILE`",
            file=source.name,
        )
    if document["certificate"] != FORMAT:
        raise InputError(
            f"a certificate of format {document['certificate'][:40]!r}; this version reads {FORMAT}; make it again with `dialmeter judge certify`",
            file=source.name,
        )
    try:
        content = msgspec.convert(document, Certificate)
    except msgspec.ValidationError as error:
        raise InputError(f"damaged certificate: {str(error).replace('`', '')}", file=source.name) from None
    written = data.decode("utf-8", "replace").replace("\r\n", "\n")
    return content, document.get("sha256") == seal_of(document) and written == text_of(document)


def changed_digests(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Return the names of the digests, or parts of a judge, that differ between a certificate and the present inputs.

    Example:
        >>> changed_digests({"name": "a", "prompt": "1"}, {"name": "a", "prompt": "2"})
        ['prompt']
    """
    old, new = _plain(old), _plain(new)
    return [key for key in sorted({**old, **new}) if old.get(key) != new.get(key)]
