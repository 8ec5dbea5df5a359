"""Build hook that compiles the kernels. If that fails, dialmeter is built without them and is slower."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_SOURCES = (
    Path("src/dialmeter/readers/strict_json.py"),
    Path("src/dialmeter/readers/pairs/layers.py"),
    Path("src/dialmeter/readers/pairs/vocabulary.py"),
    Path("src/dialmeter/readers/pairs/raw_turns.py"),
    Path("src/dialmeter/tracking/walk.py"),
    Path("src/dialmeter/stats/counting.pyx"),
)
_DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "annotation_typing": False,
}


class KernelHook(BuildHookInterface):
    """Adds the compiled kernels to the source folder and to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel":
            return
        try:
            compiled = _compile(Path(self.root), *_SOURCES)
        except Exception as error:  # a missing or broken compiler can raise any type
            self.app.display_warning(f"dialmeter is built without compiled kernels and will be slower: {error}")
            return
        build_data["artifacts"] += [each.as_posix() for each in compiled]
        build_data["pure_python"] = False
        build_data["infer_tag"] = True


def _compile(root: Path, *sources: Path) -> list[Path]:
    """Compile modules, several at a time. Debug symbols would take a quarter of the time."""
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension

    names = {".".join(source.with_suffix("").parts[1:]): source for source in sources}
    options = [] if os.name == "nt" else ["-g0"]
    with tempfile.TemporaryDirectory() as folder:
        modules = cythonize(
            [Extension(name, [str(root / source)], extra_compile_args=options) for name, source in names.items()],
            build_dir=folder,
            include_path=[str(root / "src")],
            quiet=True,
            compiler_directives=_DIRECTIVES,
        )
        distribution = Distribution({"ext_modules": modules})
        command = distribution.get_command_obj("build_ext")
        command.build_lib = command.build_temp = folder
        command.parallel = os.cpu_count()
        command.ensure_finalized()
        command.run()
        return [_install(Path(command.get_ext_fullpath(name)), root, source) for name, source in names.items()]


def _install(made: Path, root: Path, source: Path) -> Path:
    """Copy a compiled module next to its source."""
    target = source.parent / made.name
    new = root / target.with_suffix(".new")
    shutil.copyfile(made, new)
    # A running process may have the old one open.
    new.replace(root / target)
    return target
