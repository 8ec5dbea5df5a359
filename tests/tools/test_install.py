"""``tools/install_for_tests.sh`` waits for a lock of the package manager that somebody else holds."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "tools" / "install_for_tests.sh"
APT = """#!/bin/sh
echo "$@" >> {log}
[ "$(wc -l < {log})" -gt 1 ] && exit 0
echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)" >&2
exit 100
"""


def test_foreign_lock_awaited(tmp_path: Path) -> None:
    # Programs that are not in this folder are not installed for the script.
    log = tmp_path / "log"
    programs = {"apt-get": APT.format(log=log), "id": "#!/bin/sh\necho 0\n", "sleep": "#!/bin/sh\n"}
    for name, text in programs.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    for name in ("dirname", "wc"):
        (tmp_path / name).symlink_to(str(shutil.which(name)))
    done = subprocess.run(["/bin/sh", SCRIPT], env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=True)
    assert "not all of these can be installed" not in done.stdout
    update, again, *installed = log.read_text().splitlines()
    assert update == again == "-o DPkg::Lock::Timeout=300 --quiet=2 update"
    assert [line.split()[3] for line in installed] == ["install", "install"]
    assert "chromium" in installed[0]
