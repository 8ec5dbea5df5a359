"""Make the boards of published predictions.

Run with `python benchmarks/tracker_boards.py FOLDER [--data DIR]`. DIR is the folder of published files, which is not part of dialmeter
(by default `data` in the folder that `DIALMETER_SHARED` names). The manifests of `benchmarks/boards` are copied into FOLDER, and
`dialmeter tracker board FOLDER/*.toml --common` writes the page and the Markdown into `FOLDER/boards`. The Markdown is also
printed. With `--write FILE` it replaces the part of a page below the mark, as in `benchmarks/tracker_boards.md`.
"""

import argparse
import contextlib
import io
import os
import shutil
from pathlib import Path

from dialmeter.cli.main import cli

MANIFESTS = Path(__file__).parent / "boards"
MARK = "<!-- Below this line: made by benchmarks/tracker_boards.py -->\n"


def make(folder: Path, data: Path, pattern: str = "*") -> str:
    """Make the boards whose names match a pattern in a folder, and return their Markdown without the first heading."""
    folder.mkdir(parents=True, exist_ok=True)
    link = folder / "data"
    if not link.exists():
        link.symlink_to(data.resolve(), target_is_directory=True)
    manifests = [shutil.copy(path, folder) for path in sorted(MANIFESTS.glob(f"{pattern}.toml"))]
    words = ["tracker", "board", *map(str, manifests), "--common", "--out", str(folder / "boards"), "--force"]
    with contextlib.redirect_stdout(io.StringIO()):
        code = cli.main([*words, "--title", "Trackers", "--quiet"], standalone_mode=False)
    if code:
        raise SystemExit(f"dialmeter {' '.join(words)}: exit code {code}")
    return (folder / "boards" / "board.md").read_text("utf-8").partition("\n\n")[2]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--data", type=Path, default=Path(os.environ.get("DIALMETER_SHARED", "../shared")) / "data")
    options.add_argument("--write", type=Path, metavar="FILE")
    chosen = options.parse_args()
    text = make(chosen.folder, chosen.data)
    print(text)
    if chosen.write:
        page = chosen.write.read_text("utf-8")
        chosen.write.write_text(f"{page.partition(MARK)[0]}{MARK}\n{text}", "utf-8")


if __name__ == "__main__":
    main()
