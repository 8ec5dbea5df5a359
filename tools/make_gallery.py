"""Make the charts of docs/publish.md: run the commands of the page in an empty folder, and copy the charts that it shows.

Run ``python tools/make_gallery.py`` (or ``make gallery``). The image ``FOLDER-CHART.svg`` is ``charts/FOLDER/CHART.svg``.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images" / "gallery"


def images() -> list[tuple[str, Path]]:
    """Return the images of the page, and the files that its commands write."""
    names = re.findall(r"\(images/gallery/([^)]+)\)", (ROOT / "docs" / "publish.md").read_text("utf-8"))
    return [(name, Path("charts", *name.split("-", 1))) for name in names]


def main() -> None:
    sys.path.insert(0, str(ROOT))
    from tests.docs.pages import follow

    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve()
        follow(ROOT / "docs" / "publish.md", folder)
        IMAGES.mkdir(exist_ok=True)
        for old in IMAGES.iterdir():
            old.unlink()
        for name, source in images():
            (IMAGES / name).write_bytes((folder / source).read_bytes())
            print(f"written: {name}")


if __name__ == "__main__":
    main()
