"""The options of tables that go into papers."""

from __future__ import annotations

import click

from .options import choice_option, stacked

paper_options = stacked(
    choice_option("--columns", ["1", "2"], "In LaTeX: how many columns of a page with two a table may take."),
    click.option("--bold", is_flag=True, help="In LaTeX and Markdown: the best values in bold letters."),
    click.option("--caption", metavar="TEXT", help="In LaTeX: the caption, before the title of a table that has one."),
    click.option("--label", metavar="NAME", help="In LaTeX: the label; tab: and the command where it is not given."),
)
"""Of commands whose tables are published."""
