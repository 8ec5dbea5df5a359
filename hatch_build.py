"""Build hook that compiles the kernels. If that fails, dialmeter is built without them and is slower."""

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
            compiled = [_compile(Path(self.root), source) for source in _SOURCES]
        except Exception as error:  # a missing or broken compiler can raise any type
            self.app.display_warning(f"dialmeter is built without compiled kernels and will be slower: {error}")
            return
        build_data["artifacts"] += [each.as_posix() for each in compiled]
        build_data["pure_python"] = False
        build_data["infer_tag"] = True


def _compile(root: Path, source: Path) -> Path:
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension

    with tempfile.TemporaryDirectory() as folder:
        name = ".".join(source.with_suffix("").parts[1:])
        extension = Extension(name, [str(root / source)])
        modules = cythonize(
            [extension],
            build_dir=folder,
            include_path=[str(root / "src")],
            quiet=True,
            compiler_directives=_DIRECTIVES,
        )
        distribution = Distribution({"ext_modules": modules})
        command = distribution.get_command_obj("build_ext")
        command.build_lib = command.build_temp = folder
        command.ensure_finalized()
        command.run()
        made = Path(command.get_ext_fullpath(name))
        target = source.parent / made.name
        new = root / target.with_suffix(".new")
        shutil.copyfile(made, new)
        # A running process may have the old one open.
        new.replace(root / target)
    return target
