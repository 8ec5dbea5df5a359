"""The flow of ``judge certify``, and that of ``check`` for a certificate."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from glob import escape
from itertools import chain
from pathlib import Path
from typing import Any, get_args

import click
from msgspec.structs import replace

from ...core.document import Document
from ...core.output import write_file
from ...errors import ConditionHolds, DialmeterError, Unfinished, did_you_mean, one_line, writing
from ...judges.judge import Judge, identity_of, registry
from ...judges.people.certificate import (
    Certificate,
    Gate,
    GateVerdict,
    changed_digests,
    judge_digests,
    labels_digest,
    make_certificate,
    parse_gate,
    read_certificate,
    text_of,
    verdicts_digest,
)
from ...judges.people.correlate import PeopleSettings
from ...judges.people.labels import LabelAgreement, LabelSettings, label_settings, read_labels
from ...judges.people.reliability import AttackedRun
from ...judges.people.result import PeopleResult
from ...judges.people.study import RatingsStudy, prepare_study
from ...judges.requests import parse_requests
from ...readers.content import content_of
from ...readers.ratings.open_ratings import open_ratings
from ...views.summaries.certificate import badge, certificate_page, certificate_summary, certificate_tables
from ...views.summaries.summary import Summary
from .. import options as shared
from ..frame import document_output
from ..main import EXIT_INPUT
from ..printer import EVERY, Block, Output, message_block, table_blocks
from .human import label_options
from .options import judge_options, place_of_models

_attacks_option = shared.option("--attacks RUN", "Run of the judge on cases, for its errors under attack.")


class JudgeCertifyDocument(Document, kw_only=True):
    """The certificate of a judge.

    Attributes:
        certificate: as it is in the file of --out.
        badge: one line that stands for it.
    """

    command: str = "judge certify"
    certificate: Certificate
    badge: str


class CertificateCheckDocument(Document, kw_only=True):
    """Whether a certificate still holds.

    Attributes:
        verdict: in words.
        sealed: the content is as it was written.
        expired: the digests that changed since.
        unknown: what was not compared, because its input was not given.
        gates: the conditions, with their verdicts.
    """

    kind: str = "certificate"
    command: str = "check"
    verdict: str
    sealed: bool
    expired: list[str]
    unknown: list[str]
    gates: list[Gate]
    badge: str


class Certified:
    """A judge, and the ratings that its certificate is about. No judge is asked before ``agreement``.

    Raises:
        DialmeterError: there is not exactly one judge and one facet with labels.
    """

    def __init__(
        self, file: str, judges: Sequence[str], settings: LabelSettings, options: Mapping[str, Any], name: str = "NAME"
    ) -> None:
        items = open_ratings(file, options["format"])
        if not judges and name in (*items.carried, *registry.names()):
            judges = [f"carried({escape(name)})" if name in items.carried else name]
        if not judges:
            known = f"; the file has scores of {', '.join(map(one_line, items.carried[:5]))}" if items.carried else ""
            raise DialmeterError(f"give the judge: -j {one_line(name)}, or -j {one_line(name)}=FILE{known}")
        facets = [settings.pass_if.name] if settings.pass_if else items.facets
        for facet in facets:
            if facet not in items.facets:
                raise DialmeterError(f"pass-if: there is no {facet!r}; {did_you_mean(facet, items.facets)}")
        labelled = [each for each in facets if read_labels(items, each, settings) is not None]
        if not labelled:
            raise DialmeterError(
                f'{one_line(file, 200)}: no labels pass and fail; make them: --set "pass-if={one_line(facets[0])} >= NUMBER"'
            )
        if len(labelled) > 1:
            raise DialmeterError(
                f"{one_line(file, 200)}: labels of {', '.join(map(one_line, labelled))}; choose one: "
                f'--set "pass-if={one_line(labelled[0])} >= 1"'
            )
        self.facet, self.settings = labelled[0], settings
        requests = parse_requests(judges, items.carried)
        study = prepare_study(
            items, requests, PeopleSettings(labels=settings), offered=place_of_models(dict(options)), facets=labelled
        )
        names = study.check_names(study.references or ())
        if len(names) != 1:
            raise DialmeterError(
                f"a certificate is of one judge, not of {len(names)}: {', '.join(map(one_line, names[:5]))}"
            )
        [self.name] = names
        self.study: RatingsStudy = replace(study, first=self.name)
        self.judge: Judge | None = study.judges.get(self.name)

    def result(self) -> tuple[PeopleResult, LabelAgreement]:
        """Ask the judge, if it is not in a file, and compare it with people."""
        result = self.study.result(baselines=False)
        column = result.column(self.name)
        if column.asked and column.reasons:
            reason = next(iter(column.reasons.values()))[1]
            raise Unfinished(f"{self.name} did not score {len(column.reasons)} of {len(column.scores)} items: {reason}")
        found = result.labels.get((self.name, self.facet))
        if found is None or not found.n:
            raise DialmeterError(f"{self.name}: no item has both a label of {self.facet} and a score")
        return result, found

    def attacked(self, folder: str | None) -> AttackedRun | None:
        """Return what a run on cases says about the judge."""
        return AttackedRun(folder, self.name, identity_of(self.judge) if self.judge else "") if folder else None


@shared.command()
@click.argument("ratings_file", metavar="RATINGS")
@judge_options
@label_options
@shared.option("--gate CONDITION*", 'Condition of your team, such as "kappa >= 0.6".')
@_attacks_option
@shared.from_option("RATINGS")
@shared.option("--out FILE", "Output file for the certificate (.json); its page is written beside it (.md).")
@shared.force_option
def certify(**options: Any) -> Output:
    """Certify a judge: write its evidence against the people of RATINGS into one sealed file."""
    out = Path(options["out"]) if options["out"] else None
    if out is None and options["force"]:
        raise DialmeterError("--force needs --out")
    if out is not None and out.suffix.lower() != ".json":
        raise DialmeterError(f"{one_line(str(out), 200)}: a certificate is a file that ends with .json")
    gates = [parse_gate(each) for each in options["gate"]]
    certified = Certified(options["ratings_file"], options["judges"], label_settings(options), options)
    attacked = certified.attacked(options["attacks"])
    result, agreement = certified.result()
    certificate = make_certificate(result, agreement, certified.judge, gates, attacked)
    next_command = ""
    if out is not None:
        page = out.with_suffix(".md")
        if page.exists() and not options["force"]:
            raise DialmeterError(f"{one_line(str(page), 200)}: already exists; use --force to replace it")
        with writing(one_line(str(out), 200)):
            out.parent.mkdir(parents=True, exist_ok=True)
        write_file(out, text_of(certificate), force=options["force"])
        write_file(page, certificate_page(certificate), force=options["force"])
        given = [("-j", each) for each in options["judges"]]
        given += [("--set", f"attacks={options['attacks']}")] if options["attacks"] else []
        next_command = shlex.join(["dialmeter", "check", str(out), options["ratings_file"], *chain(*given)])
    return document_output(
        JudgeCertifyDocument,
        summary=certificate_summary(certificate, command=next_command),
        parts=_blocks(certificate),
        notices=result.notices,
        certificate=certificate,
        badge=badge(certificate),
    )


def _blocks(certificate: Certificate, *lines: str) -> list[Block]:
    """Return the page as blocks: the badge, and tables."""
    return [
        *(Block(each) for each in (*lines, badge(certificate))),
        *table_blocks(certificate_tables(certificate), EVERY),
    ]


@shared.command("check")
@click.argument("files", metavar="CERTIFICATE [RATINGS]", nargs=-1, required=True)
@judge_options
@_attacks_option
@shared.option("--allow-unknown", "Accept gates that cannot be told, and inputs that are not given.")
@shared.from_option("RATINGS")
def check_certificate(**options: Any) -> Output:
    """Check a certificate: is its seal whole, are the judge and the labels the same, and are its gates met?"""
    certificates = [each for each in options["files"] if content_of(each) == "certificate"]
    ratings = [each for each in options["files"] if each not in certificates]
    if len(certificates) != 1 or len(ratings) > 1:
        raise DialmeterError(
            "give one certificate and the ratings that it is about: dialmeter check CERTIFICATE RATINGS"
        )
    certificate, is_sealed = read_certificate(certificates[0])
    expired: list[str] = []
    unknown: list[str] = [] if ratings else ["labels", "verdicts"]
    if is_sealed and ratings:
        expired = _expired(certificate, ratings[0], options)
    if certificate.data.cases and not options["attacks"]:
        unknown.append("cases")
    gates = {
        verdict: [each.condition for each in certificate.gates if each.verdict == verdict]
        for verdict in get_args(GateVerdict)
    }
    name = certificate.name
    failed = ""
    if not is_sealed:
        verdict = f"BROKEN: the seal of {one_line(certificates[0], 200)} does not fit its content."
    elif expired:
        verdict = f"EXPIRED: {', '.join(expired)} of {name} changed since it was certified."
    elif gates["not met"]:
        verdict = failed = f"NOT MET: {'; '.join(gates['not met'])}."
    elif (gates["cannot tell"] or unknown) and not options["allow_unknown"]:
        given = f"{', '.join(unknown)} not given" if unknown else ""
        verdict = failed = f"CANNOT TELL: {'; '.join(filter(None, [*gates['cannot tell'], given]))}."
    elif unknown:
        verdict = f"SEALED: the content is as it was written; not compared: {', '.join(unknown)} of {name}."
    else:
        verdict = f"VALID: the judge and the labels are those of the certificate of {name}."
    return document_output(
        CertificateCheckDocument,
        summary=certificate_summary(certificate, verdict) if is_sealed else Summary(verdict=verdict),
        parts=_blocks(certificate, verdict) if is_sealed else [message_block(verdict)],
        errors=[] if is_sealed and not expired else [verdict],
        exit_code=EXIT_INPUT if expired or not is_sealed else 0,
        check=lambda: _fail(failed),
        verdict=verdict,
        sealed=is_sealed,
        expired=expired,
        unknown=unknown,
        gates=certificate.gates,
        badge=badge(certificate) if is_sealed else "",
    )


def _expired(certificate: Certificate, ratings: str, options: Mapping[str, Any]) -> list[str]:
    """Return what changed since: parts of the judge, or digests. If the judge is another, it is not asked."""
    given = {key.replace("-", "_"): each for key, each in certificate.settings.items() if each}
    name = str(certificate.judge.get("name", ""))
    settings = label_settings(given)
    certified = Certified(ratings, options["judges"], settings, options, name)
    if certified.name != name:
        raise DialmeterError(f"the certificate is of {one_line(name)}, not of {one_line(certified.name)}")
    changed = changed_digests(certificate.judge, judge_digests(certified.judge, name, settings))
    if not changed and certificate.data.cases:
        attacked = certified.attacked(options["attacks"])
        changed += ["cases"] * bool(attacked and attacked.cases != certificate.data.cases)
    if labels_digest(certified.study.items, certified.facet) != certificate.data.labels:
        changed.append("labels")
    if changed:
        return changed
    _, agreement = certified.result()
    return [] if verdicts_digest(agreement) == certificate.data.verdicts else ["verdicts"]


def _fail(sentence: str) -> None:
    if sentence:
        raise ConditionHolds(sentence)
