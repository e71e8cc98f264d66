"""Nothing in the product is there for nobody: every setting is read, every public name has a user that is no test."""

import ast
import re
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path

from engine.runtime.settings import Settings, variable

ROOT = Path(__file__).resolve().parents[1]
# what is called from outside of our code: the command `hq` of setup.cfg
ENTRY_POINTS = {("engine.cli", "main")}
# where what is declared is found by other ways than its name: tables by their metadata, words as the rooms take them up
DECLARED = ("engine.store.schema.", "engine.model.vocabulary")
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Module:
    """A file of the product: what it defines, what its names are bound to, and which names it uses where."""

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self.package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        self.tree = ast.parse(path.read_text())
        self.defined = {node.name: node for node in self.tree.body if isinstance(node, DEFINITIONS)}
        for node in self.tree.body:
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            self.defined |= {target.id: node for target in targets if isinstance(target, ast.Name)}
        self.imported: dict[str, tuple[str, str | None]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    self.imported[alias.asname or alias.name] = (alias.name, None)
            elif isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    self.imported[alias.asname or alias.name] = (node.module, alias.name)

    def uses(self) -> Iterator[tuple[str, str]]:
        """(module, name) of whatever is used here, except by its own definition."""
        for top in self.tree.body:
            own = getattr(top, "name", None)
            for node in _with_annotations(top):
                target = self._target(node)
                if target is not None and target != (self.name, own):
                    yield target

    def _target(self, node: ast.AST) -> tuple[str, str] | None:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            return resolve(self.name, node.id)
        if isinstance(node, ast.Attribute):
            path = _dotted_name(node.value)
            module = self._module_of(path) if path else None
            return resolve(module, node.attr) if module else None
        return None

    def _module_of(self, path: str) -> str | None:
        """The module that an expression such as ``queries`` or ``engine.store`` is bound to."""
        if path not in self.imported:
            return None
        module, name = self.imported[path]
        full = f"{module}.{name}" if name else module
        return full if full in modules() else None


def _with_annotations(top: ast.AST) -> Iterator[ast.AST]:
    """Every node, those inside of quoted annotations included."""
    for node in ast.walk(top):
        yield node
        annotation = getattr(node, "annotation", None) or getattr(node, "returns", None)
        for quoted in ast.walk(annotation) if isinstance(annotation, ast.AST) else ():
            if isinstance(quoted, ast.Constant) and isinstance(quoted.value, str):
                yield from (ast.Name(word, ast.Load()) for word in re.findall(r"[A-Za-z_]\w*", quoted.value))


def _dotted_name(node: ast.AST) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        path = _dotted_name(node.value)
        return f"{path}.{node.attr}" if path else None
    return None


@cache
def modules() -> dict[str, Module]:
    paths = [path for folder in ("engine", "reports", "data") for path in sorted((ROOT / folder).rglob("*.py"))]
    paths += [ROOT / "api.py", ROOT / "scheduler.py"]
    names = {path: path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".") for path in paths}
    return {(name := names[path].removesuffix(".__init__")): Module(name, path) for path in paths}


def resolve(module: str, name: str) -> tuple[str, str] | None:
    """Where a name that stands in a module is defined, followed through whoever hands it on."""
    for _ in range(9):
        here = modules().get(module)
        if here is None:
            return None
        if name in here.defined:
            return module, name
        if name not in here.imported or here.imported[name][1] is None:
            return None
        module, name = here.imported[name]
    return None


def is_command(node: ast.AST) -> bool:
    """Whether a decorator hands the function to a group of commands."""
    calls = [one for one in getattr(node, "decorator_list", ()) if isinstance(one, ast.Call)]
    return any(
        isinstance(call.func, ast.Attribute)
        and call.func.attr in ("command", "group")
        and _dotted_name(call.func.value) != "click"
        for call in calls
    )


def test_every_public_name_has_a_user_in_the_product():
    used = {use for module in modules().values() for use in module.uses()}
    public = {
        (module.name, name)
        for module in modules().values()
        if module.name.split(".")[0] in ("engine", "reports") and not module.name.startswith(DECLARED)
        for name, node in module.defined.items()
        if not name.startswith("_") and not is_command(node)
    }
    assert public - used - ENTRY_POINTS == set()


def test_every_setting_is_read():
    """Of ``settings.name`` anywhere, of ``self.name`` in a property that is read, or by its variable's name."""
    read, named, inside = set(), set(), {}
    for module in modules().values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Attribute) and (_dotted_name(node.value) or "").split(".")[-1] == "settings":
                read.add(node.attr)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                named.add(node.value)
    for method in modules()["engine.runtime.settings"].defined["Settings"].body:
        if isinstance(method, ast.FunctionDef):
            attributes = [node for node in ast.walk(method) if isinstance(node, ast.Attribute)]
            inside[method.name] = {node.attr for node in attributes if _dotted_name(node.value) == "self"}
    read |= {name for method in inside if method in read for name in inside[method]}
    unread = {one.name for one in fields(Settings) if one.name not in read and variable(one) not in named}
    assert unread == set()
