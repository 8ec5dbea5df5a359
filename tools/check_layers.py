"""Check the import contract: packages import only from lower layers. `make lint` runs it. Exits 1 and lists every violation.

    cli -> viewer, integrations -> api -> views -> studies -> tracking | users | judges | systems | simulation -> core, values -> stats, readers -> the modules of the root

Packages of one layer do not import each other. A view, a page and a command of a subject (tracking, users, judges, systems)
import only that subject, also through other views and commands. A folder has at most twenty files. No two public classes have the same name, except that the public face of a class in ``api`` has
the name of the class.
"""

import ast
import sys
from collections import defaultdict
from pathlib import Path

LAYERS = (
    ("cli",),
    ("viewer", "integrations"),
    ("api",),
    ("views",),
    ("studies",),
    ("tracking", "users", "judges", "systems", "simulation"),
    ("core", "values"),
    ("stats", "readers"),
)
_LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
_ROOT = len(LAYERS)
_TOP = frozenset({"__init__", "__main__"})
"""The public API: these modules may import from all packages."""
SUBJECTS = frozenset({"tracking", "users", "judges", "systems"})
JOINING = frozenset({"cli.demo", "cli.listing", "cli.play", "views.pages.items"})
"""Commands and pages that are about several subjects."""
MOST_FILES = 20


def imported(path: Path, source: Path) -> list[tuple[int, str]]:
    """Return line and top-level name of every import of dialmeter's own modules, imports for type checkers included."""
    package = ["dialmeter", *path.relative_to(source).parts[:-1]]
    found = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            target = package[: len(package) - node.level + 1] + (node.module or "").split(".")
            names = [alias.name for alias in node.names] if len(target) == 2 and not target[1] else [target[1]]
            found += [(node.lineno, name) for name in names]
    return found


def imported_modules(path: Path, source: Path) -> set[str]:
    """Return the modules and packages of dialmeter that a module imports, such as ``views.tables``."""
    package = list(path.relative_to(source).parts[:-1])
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            target = package[: len(package) - node.level + 1] + (node.module.split(".") if node.module else [])
            found |= {".".join(target), *(".".join([*target, alias.name]) for alias in node.names)}
    return found


def mixed_subjects(source: Path) -> list[str]:
    """Return every view and command that imports several subjects, itself or through other views and commands."""
    paths = {
        ".".join(path.relative_to(source).with_suffix("").parts): path
        for folder in ("views", "cli")
        for path in sorted((source / folder).rglob("*.py"))
    }
    direct = {name: imported_modules(path, source) for name, path in paths.items()}

    def reached(name: str, seen: set[str]) -> set[str]:
        seen.add(name)
        found = {each.partition(".")[0] for each in direct[name]} & SUBJECTS
        return found.union(*(reached(each, seen) for each in sorted(direct[name] & paths.keys()) if each not in seen))

    subjects = {name: reached(name, set()) for name in paths if name not in JOINING}
    return [
        f"{paths[name]}: imports several subjects: {', '.join(sorted(found))}"
        for name, found in subjects.items()
        if len(found) > 1
    ]


def broken(source: Path) -> list[str]:
    """Return every import of the same or a higher layer, every folder with too many files, and every duplicate class name."""
    found = []
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        if parts[0] in _TOP:
            continue
        level = _LEVEL.get(parts[0], _ROOT)
        for line, name in imported(path, source):
            other = _LEVEL.get(name, _ROOT)
            if name != parts[0] and (other < level or other == level < _ROOT):
                found.append(f"{path}:{line}: {parts[0]} may not import {name}")
    for folder in [source, *(each for each in sorted(source.rglob("*")) if each.is_dir())]:
        count = len([*folder.glob("*.py")])
        if count > MOST_FILES:
            found.append(f"{folder}: {count} files, more than {MOST_FILES}")
    return found + mixed_subjects(source) + repeated_classes(source)


def repeated_classes(source: Path) -> list[str]:
    """Return every name that several public classes have."""
    places: dict[str, list[str]] = defaultdict(list)
    for path in sorted(source.rglob("*.py")):
        if path.relative_to(source).parts[0] == "api":
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(f"{path}:{node.lineno}")
    return [
        f"{', '.join(where)}: several classes are called {name}" for name, where in places.items() if len(where) > 1
    ]


if __name__ == "__main__":
    troubles = broken(Path(__file__).parents[1] / "src" / "dialmeter")
    print("\n".join(troubles) or "The import contract holds.")
    sys.exit(bool(troubles))
