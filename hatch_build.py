"""Compiles the kernel when dialmeter is built; where that is not possible, dialmeter is built without it and is slower."""

import shutil
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_SOURCE = Path("src/dialmeter/tracking/kernel.pyx")


class KernelHook(BuildHookInterface):
    """Puts the compiled kernel beside its source, and into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel":
            return
        try:
            compiled = _compile(Path(self.root))
        except Exception as error:  # whatever a missing or a broken compiler may say
            self.app.display_warning(f"dialmeter goes without its compiled kernel and is slower: {error}")
            return
        build_data["artifacts"].append(compiled.as_posix())
        build_data["pure_python"] = False
        build_data["infer_tag"] = True


def _compile(root: Path) -> Path:
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension

    with tempfile.TemporaryDirectory() as folder:
        extension = Extension("kernel", [str(root / _SOURCE)])
        distribution = Distribution({"ext_modules": cythonize([extension], build_dir=folder, quiet=True)})
        command = distribution.get_command_obj("build_ext")
        command.build_lib = command.build_temp = folder
        command.ensure_finalized()
        command.run()
        made = Path(command.get_ext_fullpath("kernel"))
        target = _SOURCE.parent / made.name
        new = root / target.with_suffix(".new")
        shutil.copyfile(made, new)
        # A running process may have the old one open.
        new.replace(root / target)
    return target
