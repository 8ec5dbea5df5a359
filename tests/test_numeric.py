"""numpy is loaded by the first use, not by the import of a module that uses it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import dialmeter

SOURCE = Path(dialmeter.__file__).parent
USERS = sorted(
    ".".join(("dialmeter", *path.relative_to(SOURCE).with_suffix("").parts))
    for path in SOURCE.rglob("*.py")
    if "numeric import" in path.read_text("utf-8") and "adapters" not in path.parts and "integrations" not in path.parts
)


def test_imports_do_not_load_numpy() -> None:
    code = (
        f"import importlib, sys; [importlib.import_module(name) for name in {USERS!r}]; "
        "print([name for name in ('numpy', 'scipy', 'torch') if name in sys.modules]); "
        "from dialmeter.numeric import np; print(hasattr(np, '__wrapped__'), 'numpy' in sys.modules); "
        "print(np.linalg.norm([3, 4]), np.ndarray.__module__, 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]", "False False", "5.0 numpy True"]
    assert len(USERS) > 30
