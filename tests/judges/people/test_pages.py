"""Pages of runs of judge human: every item is shown, and text from files is never markup."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from dialmeter.errors import InputError
from dialmeter.views.content import plain_report
from dialmeter.views.html import html_report
from dialmeter.views.pages.opened_run import OpenedRun

from ...cli.invoke import Cli
from .test_people import rated, write

SCRIPT = "<script>document.title='owned'</script>"


@pytest.fixture
def run(tmp_path: Path, cli: Cli) -> OpenedRun:
    items = rated()
    items[0] = msgspec.structs.replace(items[0], reply=SCRIPT, system=SCRIPT)
    file = write(items, tmp_path / "ratings.jsonl")
    cli("judge", "human", file, "--resamples", "100", "--out", tmp_path / "run", "--quiet")
    return OpenedRun(tmp_path / "run")


def test_text_is_escaped(run: OpenedRun) -> None:
    page = html_report([run])
    assert SCRIPT not in page
    assert "&lt;script&gt;document.title" in page


def test_rows_are_sorted_by_the_largest_difference(run: OpenedRun) -> None:
    assert run.ranking == "largest difference"
    assert set(run.columns) == {"good", "bad", "largest difference"}
    row = run.row(0)
    shown = run.kind.page(row, {"judge": "good"})
    assert [judge["name"] for judge in shown["judges"] if judge["marked"]] == ["good"]
    assert shown["ratings"][0][0] == "overall"


def test_headline_and_command(run: OpenedRun) -> None:
    assert run.kind.headline(run.manifest).text.startswith("Spearman 0.")
    assert run.kind.headline(run.manifest).text.endswith("(good)")
    words = run.kind.command_words(run.manifest)
    assert words[:3] == ["judge", "human", "ratings.jsonl"]
    assert "Correlations with the mean rating of people" in plain_report([run], "markdown")
    assert run.kind.headline({}).text == "no judge"


@pytest.mark.parametrize("field", ["scores", "trivial", "inputs", "judges", "averages", "counts", "intervals", "rules"])
def test_a_field_of_another_type_is_refused_when_the_run_is_opened(run: OpenedRun, field: str) -> None:
    path = run.run.path("run.json")
    path.write_bytes(msgspec.json.encode({**run.manifest, field: 1}))
    with pytest.raises(InputError, match=rf"damaged: Expected .* - at \$\.{field}"):
        OpenedRun(run.run.folder)
