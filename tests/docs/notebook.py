"""The notebooks of the documentation, run cell by cell in one namespace, as Jupyter does.

``python -m tests.docs.notebook`` runs them and writes what their cells give into them; then run ``tools/make_docs.py``.
"""

from __future__ import annotations

import ast
import io
import json
import sys
import tempfile
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"


def lines(text: str) -> list[str]:
    """A text as notebooks hold it."""
    return text.splitlines(keepends=True)


def run_cell(source: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """What a cell prints, and the value of its last expression as text and HTML."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    value = None
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    found: list[dict[str, Any]] = []
    if printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())})
    if value is not None:
        data = {"text/plain": lines(repr(value))}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = lines(value._repr_html_())
        found.append({"data": data, "execution_count": count, "metadata": {}, "output_type": "execute_result"})
    return found


def executed(notebook: dict[str, Any], folder: Path) -> dict[str, Any]:
    """A notebook with what its cells give when they are run in an empty folder, one after another."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = []
    count = 0
    with chdir(folder):
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                count += 1
                outputs = run_cell("".join(cell["source"]), names, count)
                cells.append({**cell, "execution_count": count, "outputs": outputs})
            else:
                cells.append(cell)
    return {**notebook, "cells": cells}


def main() -> None:
    """Runs all notebooks and writes them."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        with tempfile.TemporaryDirectory() as folder:
            new = executed(json.loads(path.read_text("utf-8")), Path(folder))
        path.write_text(json.dumps(new, indent=1, ensure_ascii=False) + "\n", "utf-8")
        sys.stdout.write(f"written: {path.name}\n")


if __name__ == "__main__":
    main()
