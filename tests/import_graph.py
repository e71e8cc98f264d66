"""Which module imports which, of product and tests, as the syntax has it: nothing is imported to find out."""

import ast
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("engine", "reports", "data", "docs", "tests")


def module_name(place: str) -> str:
    """``engine.store`` for ``engine/store/__init__.py``."""
    return place.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


class ImportGraph:
    """The modules below a folder by name, and who imports each: at the top or inside a function, packages included."""

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        paths = [*root.glob("*.py"), *(path for folder in FOLDERS for path in (root / folder).rglob("*.py"))]
        self.files = {module_name(path.relative_to(root).as_posix()): path for path in sorted(paths)}
        self.importers: dict[str, set[str]] = {name: set() for name in self.files}
        for name in self.files:
            for imported in self.imports(name):
                self.importers[imported].add(name)

    def imports(self, name: str) -> set[str]:
        """The modules that a module needs: those that it names, the packages that they are in, and its conftests."""
        modules = {module for named in self._names(name) for module in _packages(named)}
        if name.startswith("tests."):
            modules |= {f"{package}.conftest" for package in _packages(name.rpartition(".")[0])}
        return (modules & self.files.keys()) - {name}

    def reach(self, changed: Iterable[str], closed: Collection[str] = ()) -> dict[str, int]:
        """The modules that import one of ``changed``, with the steps between; through ``closed`` no step leads on."""
        distances = dict.fromkeys(changed, 0)
        queue = list(distances)
        for name in queue:  # grows while it is walked: breadth first
            if name in closed and distances[name]:
                continue
            for importer in sorted(self.importers.get(name, ())):
                if importer not in distances:
                    distances[importer] = distances[name] + 1
                    queue.append(importer)
        return distances

    def _names(self, name: str) -> Iterator[str]:
        package = name if self.files[name].name == "__init__.py" else name.rpartition(".")[0]
        for node in _statements(ast.parse(self.files[name].read_bytes())):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                above = ".".join(package.split(".")[: len(package.split(".")) - node.level + 1]) if node.level else ""
                base = ".".join(part for part in (above, node.module) if part)
                yield from (base, *(f"{base}.{alias.name}" for alias in node.names))


def _packages(name: str) -> list[str]:
    """The module and the packages around it."""
    parts = name.split(".")
    return [".".join(parts[:length]) for length in range(1, len(parts) + 1)]


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node but those that are for type checkers alone."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        yield child
        yield from _statements(child)
