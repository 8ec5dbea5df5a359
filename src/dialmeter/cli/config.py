"""Configuration files: ``dialmeter.toml``, or ``[tool.dialmeter]`` of ``pyproject.toml``.

The nearest file is used, up to the root of the repository; files are never merged. A file that is found by itself may set what is
measured, but it never sends data and never runs code. Where work is done (endpoints, clusters) comes from the environment, from the
file in the user's folder, or from a file that the user names with --config.
"""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import Struct

from ..errors import DialmeterError, did_you_mean, one_line

NAME = "dialmeter.toml"
_KEYS = ("measures", "set", "columns", "latex", "chart", "endpoint", "cluster")
_SENDS_OR_RUNS = re.compile(r"\w://|\bcmd\(|^[A-Za-z_][\w.]*:[A-Za-z_]\w*$")
_ENDPOINT = (
    "endpoint",
    "model",
    "key_variable",
    "cache",
    "no_cache",
    "store",
    "concurrency",
    "price",
    "max_cost",
    "threads",
)
_CLUSTER = ("cluster", "cluster_ca", "cluster_cert", "cluster_key", "cluster_resource")
PLACE = frozenset([*_ENDPOINT, *_CLUSTER])
"""Parameters of flows that say where work is done. Each may be set by a variable such as DIALMETER_ENDPOINT."""


class ConfigFile(Struct, frozen=True):
    """The settings of a configuration file.

    Attributes:
        path: the file, for messages; empty if there is none.
        measures: the measures if none is requested.
        settings: as with --set.
        columns: as with --columns.
        latex: as with --latex.
        chart: as with `report --chart`.
        place: parameters that say where work is done.
    """

    path: str = ""
    measures: tuple[str, ...] = ()
    settings: dict[str, str] = {}
    columns: dict[str, str] = {}
    latex: tuple[str, ...] = ()
    chart: dict[str, str] = {}
    place: dict[str, str] = {}


def find_config(start: Path) -> Path | None:
    """Return the nearest configuration file of a folder or its parents, up to the root of the repository; None without one."""
    for folder in (start, *start.parents):
        if (folder / NAME).is_file():
            return folder / NAME
        project = folder / "pyproject.toml"
        if project.is_file() and "dialmeter" in _read(project).get("tool", {}):
            return project
        if (folder / ".git").exists():
            break
    return None


def load_config(named: str | None, *, isolated: bool = False) -> ConfigFile:
    """Return the configuration: the file that the user names, or the nearest one, and the place from the environment.

    Args:
        named: the file of --config.
        isolated: use no file at all.

    Raises:
        DialmeterError: the file cannot be read, has an unknown key, or a file that was found by itself would send data or run code.
    """
    own = Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config").expanduser() / "dialmeter" / NAME
    found = None if isolated else Path(named) if named else find_config(Path.cwd())
    config = ConfigFile() if found is None else _parse(found, is_trusted=bool(named))
    place = _parse(own, is_trusted=True).place if own.is_file() and not isolated else {}
    environment = {
        name: os.environ[key] for name in sorted(PLACE) if os.environ.get(key := f"DIALMETER_{name.upper()}")
    }
    return msgspec.structs.replace(config, place={**place, **config.place, **environment})


def config_of_command() -> ConfigFile:
    """Return the configuration of the command that runs now."""
    root = click.get_current_context().find_root()
    return load_config(root.params.get("config"), isolated=bool(root.params.get("isolated")))


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise DialmeterError(f"{path.name}: {one_line(str(error), 200)}") from None


def _parse(path: Path, *, is_trusted: bool) -> ConfigFile:
    data = _read(path)
    if path.name == "pyproject.toml":
        data = data.get("tool", {}).get("dialmeter", {})
    for key in data:
        if key not in _KEYS:
            raise DialmeterError(f"{path.name}: unknown key {one_line(key)!r}; {did_you_mean(key, _KEYS)}")
    place: dict[str, str] = {}
    for section, names in (("endpoint", _ENDPOINT), ("cluster", _CLUSTER)):
        for key, value in _table(data, section, path).items():
            name = key.replace("-", "_")
            name = section if name == "url" else name if name in names else f"{section}_{name}"
            if name not in names:
                raise DialmeterError(f"{path.name}: unknown key {section}.{one_line(key)}")
            place[name] = value
    if place and not is_trusted:
        raise DialmeterError(
            f"{path.name}: [endpoint] and [cluster] are not read from a file that was found by itself; "
            f"use --config {path.name}, or DIALMETER_{next(iter(place)).upper()}"
        )
    settings, columns = _table(data, "set", path), _table(data, "columns", path)
    latex = _table(data, "latex", path)
    measures = data.get("measures", [])
    if not isinstance(measures, list) or not all(isinstance(each, str) for each in measures):
        raise DialmeterError(f"{path.name}: measures must be a list of names")
    for value in () if is_trusted else (*settings.values(), *columns.values(), *measures):
        if _SENDS_OR_RUNS.search(value):
            raise DialmeterError(
                f"{path.name}: {one_line(value)!r} would send data or run code, which a file that was found by itself must not do; "
                f"use --config {path.name}"
            )
    words = tuple(key if value == "true" else f"{key}={value}" for key, value in latex.items())
    chart = {key: value for key, value in _table(data, "chart", path).items() if value != "false"}
    return ConfigFile(path.name, tuple(measures), settings, columns, words, chart, place)


def _table(data: dict[str, Any], section: str, path: Path) -> dict[str, str]:
    table = data.get(section, {})
    if not isinstance(table, dict):
        raise DialmeterError(f"{path.name}: [{section}] must be a table of keys and values")
    for key, value in table.items():
        if not isinstance(value, str | int | float):
            raise DialmeterError(f"{path.name}: {section}.{one_line(key)} must be one value")
    return {key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in table.items()}
