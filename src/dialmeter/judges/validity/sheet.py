"""The sheet on which readers enter their verdicts on cases."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from html import escape
from random import Random

import msgspec
from msgspec import Struct

from ...model import Move
from ...readers.csv_files import csv_text
from ..cases import Case

VERDICTS = ("valid", "weak", "invalid")
COLUMNS = ("number", "case", "context", "reply", "changed_context", "changed", "claim", "verdict", "sense", "reason")
NAMES = ("attack", "variant")
CLAIMS = {
    "lower": "the changed version is worse",
    "similar": "the changed version is as good and means the same",
    "at-most": "the changed version is not better",
}
INSTRUCTIONS = (
    "Each row has a conversation (context), a reply, and a changed version of it. The column claim says what is claimed of "
    "the changed version.",
    "verdict: valid if the claim is clearly true; weak if it is true, but for another reason, or only just; invalid if it is false.",
    "sense: where one word was replaced by another that shall mean the same, write right or wrong (the new word has another "
    "sense here); else leave it empty.",
    "reason: a few words, without quoting the texts.",
)


def reader_key(case: Case) -> str:
    """A digest of a case with sixteen hexadecimal digits. It does not reveal the text of the case."""
    source = [case.source.dialogue, case.source.turn]
    context = [[move.speaker, move.text] for move in case.context]
    content = [case.attack, case.variant, source, context, case.reply, case.adversarial]
    if case.adversarial_context:
        content.append([[move.speaker, move.text] for move in case.adversarial_context])
    return hashlib.sha256(msgspec.json.encode(content)).hexdigest()[:16]


class SheetRow(Struct, frozen=True):
    """The texts of a case that a reader sees."""

    number: str
    case: str
    attack: str
    variant: str
    context: str
    reply: str
    changed_context: str
    changed: str
    claim: str


def sheet_rows(cases: Sequence[Case], seed: int, turns: int) -> list[SheetRow]:
    """The cases in random order, with the last turns of their contexts."""

    def last_turns(context: Sequence[Move]) -> str:
        return "\n".join(f"{move.speaker}: {move.text}" for move in context[-turns:])

    shuffled = Random(seed).sample(list(cases), len(cases))
    return [
        SheetRow(
            str(number),
            reader_key(case),
            case.attack,
            case.variant,
            last_turns(case.context),
            case.reply,
            last_turns(case.adversarial_context),
            case.adversarial,
            CLAIMS[case.expected],
        )
        for number, case in enumerate(shuffled, 1)
    ]


def columns(blind: bool) -> tuple[str, ...]:
    """The columns of a sheet. A blind sheet does not show the names of attacks."""
    return COLUMNS if blind else (*COLUMNS[:2], *NAMES, *COLUMNS[2:])


def csv_sheet(rows: Sequence[SheetRow], *, blind: bool) -> str:
    """A sheet as CSV for a spreadsheet program. No cell is a formula."""
    names = columns(blind)
    return csv_text(names, ([str(getattr(row, name, "")) for name in names] for row in rows))


_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Validity of cases</title>
<style>body{{font:16px/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}}article{{border-top:1px solid #999;padding:1rem 0}}
pre{{white-space:pre-wrap;font:inherit;margin:.3rem 0}}.changed{{background:#fff3c4}}label{{margin-right:1rem}}</style>
<h1>Validity of cases</h1>{intro}<main>{articles}</main><button id="save">Save as CSV</button>
<script>
const columns = {columns};
document.getElementById("save").onclick = () => {{
  const cell = text => '"' + text.replaceAll('"', '""') + '"';
  const lines = [columns.map(cell).join(",")];
  for (const one of document.querySelectorAll("article")) {{
    const form = new FormData(one.querySelector("form"));
    const known = {{...one.dataset, verdict: form.get("verdict") || "", sense: form.get("sense") || "", reason: form.get("reason")}};
    lines.push(columns.map(name => cell(known[name] || "")).join(","));
  }}
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([lines.join("\\n") + "\\n"], {{type: "text/csv"}}));
  link.download = "verdicts.csv";
  link.click();
}};
</script></html>
"""
_SAVED_COLUMNS = ("number", "case", "verdict", "sense", "reason")


def html_sheet(rows: Sequence[SheetRow], *, blind: bool) -> str:
    """A sheet as an HTML page with buttons for verdicts. Its last button saves the verdicts as CSV."""
    return _PAGE.format(
        intro="".join(f"<p>{escape(line)}</p>" for line in INSTRUCTIONS),
        articles="".join(_article(row, blind) for row in rows),
        columns=msgspec.json.encode(_SAVED_COLUMNS).decode(),
    )


def _article(row: SheetRow, blind: bool) -> str:
    def choice(name: str, values: Sequence[str]) -> str:
        return "".join(f'<label><input type="radio" name="{name}" value="{value}"> {value}</label>' for value in values)

    name = "" if blind else f" <small>{escape(row.attack)}: {escape(row.variant)}</small>"
    changed = f'<pre class="changed">{escape(row.changed_context)}</pre>' if row.changed_context else ""
    return (
        f'<article data-number="{row.number}" data-case="{row.case}"><h2>{row.number}{name}</h2>'
        f"<pre>{escape(row.context)}</pre><p>Reply</p><pre><b>{escape(row.reply)}</b></pre><p>Changed version</p>{changed}"
        f'<pre class="changed"><b>{escape(row.changed)}</b></pre><p>Claim: {escape(row.claim)}.</p>'
        f"<form><p>{choice('verdict', VERDICTS)}</p><p>Sense of a new word: {choice('sense', ('right', 'wrong'))}</p>"
        '<p><label>Reason <input name="reason" size="60"></label></p></form></article>'
    )
