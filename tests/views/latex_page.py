"""LaTeX that is compiled, and how wide its tables are."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

_TABULAR = re.compile(r"(\\begin\{tabular\}.*?\\end\{tabular\})", re.DOTALL)
_WIDTH = re.compile(r"^WIDTH ([\d.]+)pt", re.MULTILINE)
_FAULT = re.compile(r"^(?:!|Overfull|.*too large|.*undefined).*", re.MULTILINE)
_HEAD = r"""\documentclass[twocolumn]{article}
\setlength{\textheight}{600pt}\setlength{\textwidth}{500pt}\setlength{\columnsep}{20pt}
\usepackage{booktabs}
\begin{document}
"""


class CompiledPage(NamedTuple):
    """What ``pdflatex`` made of a text.

    Attributes:
        widths: of its tables, in points.
        faults: errors, boxes that are too wide, and tables that are too high.
    """

    widths: list[float]
    faults: list[str]


def compiled(text: str, folder: Path) -> CompiledPage:
    """The text in columns of 240 pt on a page of 500 pt; the test is skipped where there is no LaTeX."""
    if not shutil.which("pdflatex") or not shutil.which("kpsewhich"):
        pytest.skip("pdflatex is not installed (Debian: texlive-latex-base, texlive-latex-recommended)")
    if subprocess.run(["kpsewhich", "booktabs.sty"], capture_output=True, check=False).returncode:
        pytest.skip("booktabs.sty is not installed (Debian: texlive-latex-recommended)")
    folder.mkdir(parents=True, exist_ok=True)
    # LaTeX holds few tables for which it has not found a page yet.
    text = text.replace(r"\end{table}", "\\end{table}\n\\clearpage").replace(
        r"\end{table*}", "\\end{table*}\n\\clearpage"
    )
    measured = _TABULAR.sub(lambda found: rf"\sbox0{{{found[1]}}}\typeout{{WIDTH \the\wd0}}\usebox0", text)
    (folder / "page.tex").write_text(f"{_HEAD}{measured}\n\\end{{document}}\n", "utf-8")
    words = ["pdflatex", "-interaction=nonstopmode", "-no-shell-escape", "page.tex"]
    subprocess.run(words, cwd=folder, capture_output=True, check=False, timeout=120)
    log = (folder / "page.log").read_text("utf-8", "replace")
    assert (folder / "page.pdf").exists(), log[-2000:]
    return CompiledPage([float(width) for width in _WIDTH.findall(log)], _FAULT.findall(log))
