"""Who may import what. Data flows one way; each outside library has one home."""

import ast
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOORS = {"api", "scheduler"}
# library: where it may be imported
HOMES = {
    "sqlalchemy": ("engine/store", "data/migrations"),
    "alembic": ("engine/store", "data/migrations"),
    "adbc_driver_sqlite": (),  # a second copy of SQLite in the process would drop our file locks
    "adbc_driver_postgresql": ("engine/store",),
    "duckdb": ("engine/analytics",),
    "bottle": ("engine/web",),
    "waitress": ("engine/web",),
    "jwt": ("engine/web",),
    "apscheduler": ("scheduler.py",),
    "httpx": ("engine/delivery", "engine/copilot/providers.py", "engine/web/proxy.py", "engine/web/connectors.py"),
    "smtplib": ("engine/delivery",),
    "jinja2": ("engine/render",),
    "icalendar": ("engine/render",),
    "click": ("engine/cli",),
    "rich": ("engine/cli",),
    "fastexcel": ("engine/importing",),
}
# places that speak SQLAlchemy's expressions because they write rows or describe tables
ALSO = {"sqlalchemy": ("engine/analytics/replica.py", "engine/importing", "data/demo/frames.py")}
# what a report must never see
FORBIDDEN_IN_REPORTS = {"datetime.now", "date.today", "time.time", "open"}


def sources(*folders):
    for folder in folders:
        path = ROOT / folder
        yield from ([path] if path.is_file() else sorted(path.rglob("*.py")))


@cache
def imports(path):
    """Top-level and nested imports of a file as dotted names."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    plain = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    return (*plain, *(node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module))


def place(path):
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("library", HOMES)
def test_a_library_is_imported_at_its_home_only(library):
    homes = HOMES[library] + ALSO.get(library, ())
    strangers = [
        place(path)
        for path in sources("engine", "reports", "data", "api.py", "scheduler.py")
        if any(name.split(".")[0] == library for name in imports(path))
        and not any(place(path) == home or place(path).startswith(f"{home}/") for home in homes)
    ]
    assert strangers == []


def test_the_engine_knows_neither_reports_nor_doors():
    wrong = [
        (place(path), name)
        for path in sources("engine")
        if not place(path).startswith("engine/cli/")
        for name in imports(path)
        if name.split(".")[0] in DOORS | {"reports"}
    ]
    assert wrong == []


def test_reports_see_no_store_no_file_no_http():
    allowed = {
        *("engine.catalogue", "engine.digest", "engine.document", "engine.formulas", "engine.report"),
        "engine.thresholds",
    }
    wrong = [
        (place(path), name)
        for path in sources("reports")
        for name in imports(path)
        if name.split(".")[0] == "engine" and name not in allowed
    ]
    assert wrong == []


def test_reports_and_facts_have_no_clock():
    wrong = []
    for path in sources("reports", "engine/facts"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in FORBIDDEN_IN_REPORTS:
                wrong.append((place(path), node.lineno))
    assert wrong == []


def test_facts_know_nothing_above_them():
    allowed = {"analytics", "catalogue", "facts", "formulas", "thresholds"}
    wrong = [
        (place(path), name)
        for path in sources("engine/facts")
        for name in imports(path)
        if name.startswith("engine.") and name.split(".")[1] not in allowed
    ]
    assert wrong == []


def test_files_stay_small():
    """A product file beyond 300 lines is a question; these have an answer."""
    tables = {"engine/facts/schemas.py"}  # declares every fact: a table, not logic
    large = {
        place(path)
        for path in sources("engine", "reports", "data", "scheduler.py")
        if len(path.read_text().splitlines()) > 300 and "migrations" not in place(path)
    }
    assert large - tables == set()


def test_no_module_takes_the_place_of_a_name_that_its_package_gives_out():
    """Importing a module later sets its name on the package, over the function of that name."""
    taken = []
    for path in sources("engine"):
        if path.name == "__init__.py":
            package = place(path.parent).replace("/", ".")
            for name in ast.walk(ast.parse(path.read_text())):
                if isinstance(name, ast.alias) and (path.parent / f"{name.asname or name.name}.py").is_file():
                    given = name.asname or name.name
                    if f"{package}.{given}" not in imports(path) and package not in imports(path):
                        taken.append(f"{package}.{given}")
    assert taken == []
