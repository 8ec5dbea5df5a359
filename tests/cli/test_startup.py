"""The command starts fast: large packages are imported only on use."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("numpy", "scipy", "rich", "jinja2", "matplotlib", "rapidfuzz", "polars")


@pytest.mark.parametrize(
    "code",
    [
        "import dialmeter; dir(dialmeter)",
        "import dialmeter.cli.main",
        "from dialmeter.cli.main import cli; cli.main(['--help'], standalone_mode=False)",
        "from dialmeter.cli.main import cli; cli.main(['--version'], standalone_mode=False)",
        "from dialmeter.cli.main import cli; cli.main(['score', '--help'], standalone_mode=False)",
        "from dialmeter.cli.main import cli; cli.main(['study', '--help'], standalone_mode=False)",
    ],
)
def test_lazy_heavy_packages(code: str) -> None:
    told = f"\nimport sys; print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code + told], capture_output=True, check=True)
    assert done.stderr.decode().strip() == "[]"
