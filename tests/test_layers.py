"""Who may import what. Data flows one way; each outside library has one home."""

import ast
from collections import defaultdict
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
    "duckdb": ("engine/reporting",),
    "fsspec": ("engine/reporting/bucket.py",),
    "botocore": ("engine/reporting/bucket.py",),
    "aiohttp": ("engine/reporting/bucket.py",),
    "distributed": ("engine/reporting/cluster.py",),
    "bottle": ("engine/web",),
    "waitress": ("engine/web",),
    "jwt": ("engine/web",),
    "apscheduler": ("scheduler.py",),
    "httpx": (
        "engine/delivery",
        "engine/sales/billing/paypal.py",
        "engine/copilot/providers.py",
        "engine/web/handlers/proxy.py",
        "engine/web/handlers/connectors.py",
    ),
    "smtplib": ("engine/delivery",),
    "jinja2": ("engine/reporting/render",),
    "icalendar": ("engine/reporting/render",),
    "click": ("engine/cli",),
    "rich": ("engine/cli",),
    "fastexcel": ("engine/intake/imports",),
    "highspy": ("engine/reporting/planning/solver.py",),
}
# places that speak SQLAlchemy's expressions because they write rows or describe tables
ALSO = {
    "sqlalchemy": (
        "engine/reporting/replica_tables.py",
        "engine/reporting/catching_up.py",
        "engine/reporting/past.py",
        "engine/intake/imports",
        "data/demo/frames.py",
    )
}
# the rooms of the engine from the ground up: a room imports those before it, never one behind it
ROOMS = (
    "model",
    "store",
    "exposure",
    "reporting",
    "runtime",
    "intake",
    "delivery",
    "incidents",
    "programme",
    "accounts",
    "archives",
    "automation",
    "copilot",
    "digests",
    "sales",
    "operations",
    "web",
    "cli",
)
# what a report must never see
FORBIDDEN_IN_REPORTS = {"datetime.now", "date.today", "time.time", "open"}


def sources(*folders):
    for folder in folders:
        path = ROOT / folder
        yield from ([path] if path.is_file() else sorted(path.rglob("*.py")))


@cache
def syntax(path):
    """The syntax tree of a file; most of the time of these tests would go into parsing each file six times."""
    return ast.parse(path.read_text())


@pytest.fixture(scope="module", autouse=True)
def _forget():
    """The trees are millions of objects: no test after these is to carry them along."""
    yield
    syntax.cache_clear()


@cache
def imports(path):
    """Top-level and nested imports of a file as dotted names."""
    nodes = list(ast.walk(syntax(path)))
    plain = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    return (*plain, *(node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module))


def imported_modules(path):
    """The modules that a file imports at its top, as dotted names: those are loaded with it."""
    for node in syntax(path).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            known = [name for name in names if (ROOT / f"{name.replace('.', '/')}.py").is_file()]
            yield from known or [node.module]


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


def test_a_room_imports_only_those_below_it():
    there = {path.parent.name for path in (ROOT / "engine").glob("*/__init__.py")}
    assert there == set(ROOMS)
    upward = [
        (place(path), name)
        for path in sources("engine")
        for name in imports(path)
        if name.startswith("engine.")
        and ROOMS.index(name.split(".")[1]) > ROOMS.index(path.relative_to(ROOT / "engine").parts[0])
    ]
    assert upward == []


def test_no_module_is_imported_in_a_circle():
    files = {
        place(path)[:-3].replace("/", ".").removesuffix(".__init__"): path
        for path in sources("engine", "reports", "data", "api.py", "scheduler.py")
    }
    reach = {}

    def visit(name, path):
        assert name not in path, " -> ".join([*path[path.index(name) :], name])
        if name not in reach:
            reach[name] = True
            for other in imported_modules(files[name]):
                if other in files and other != name:
                    visit(other, [*path, name])

    for name in files:
        visit(name, [])


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
        *("engine.reporting.catalogue", "engine.reporting.facts", "engine.model.ask", "engine.model.aggregates"),
        *("engine.model.digest", "engine.model.document", "engine.model.figure", "engine.model.formulas"),
        *("engine.model.days", "engine.model.movement"),
        *("engine.model.declaration", "engine.model.heat", "engine.model.pictures", "engine.model.story"),
        *("engine.model.thousands", "engine.model.tones", "engine.model.plan_parameters"),
        *("engine.reporting.planning.plan", "engine.reporting.planning.question", "engine.reporting.planning.work"),
        *("engine.model.report", "engine.model.poam", "engine.model.thresholds", "engine.model.vocabulary"),
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
    for path in sources("reports", "engine/reporting/facts"):
        for node in ast.walk(syntax(path)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in FORBIDDEN_IN_REPORTS:
                wrong.append((place(path), node.lineno))
    assert wrong == []


def test_facts_know_nothing_above_them():
    allowed = (
        "engine.model",
        "engine.reporting.facts",
        "engine.reporting.catalogue",
        "engine.reporting.view",
        "engine.store.chain",
        "engine.store.types",
    )
    wrong = [
        (place(path), name)
        for path in sources("engine/reporting/facts")
        for name in imports(path)
        if name.startswith("engine.") and not name.startswith(allowed)
    ]
    assert wrong == []


def test_the_day_of_an_organization_is_computed_in_one_place():
    places = [
        (place(path), node.lineno)
        for path in sources("engine", "reports", "api.py", "scheduler.py")
        for node in ast.walk(syntax(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "date"
        and isinstance(node.func.value, ast.Call)
        and isinstance(node.func.value.func, ast.Attribute)
        and node.func.value.func.attr == "astimezone"
    ]
    assert {file for file, _ in places} == {"engine/model/days.py"}, places


def test_files_stay_small():
    """A product file beyond 300 lines is a question; these have an answer."""
    tables = {
        "engine/reporting/facts/schemas.py",  # declares every fact: a table, not logic
        "engine/store/schema/records.py",  # written from the schema, one type for each table
        "engine/archives/verify.py",  # archives carry it: one script that needs nothing beside it
    }
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
            for name in ast.walk(syntax(path)):
                if isinstance(name, ast.alias) and (path.parent / f"{name.asname or name.name}.py").is_file():
                    given = name.asname or name.name
                    if f"{package}.{given}" not in imports(path) and package not in imports(path):
                        taken.append(f"{package}.{given}")
    assert taken == []


def public_classes():
    """Every public class of the product with the files that declare one of that name."""
    found = defaultdict(list)
    for path in sources("engine", "reports", "data/demo", "api.py", "scheduler.py"):
        for node in syntax(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(place(path))
    return found


def test_no_two_public_classes_have_one_name():
    assert {name: files for name, files in public_classes().items() if len(files) > 1} == {}


# the verb, a payload of the interface, what archives ship (its bytes are kept), reason phrases of HTTP
PARTICIPLES = {"read", "normalized", "unpacked", "signed", "unauthorized", "methodnotallowed"}


def participle(name):
    irregular = "held made asked told known kept seen found given said sent shown left lost done taken bound built"
    return name in irregular.split() or (name.endswith("ed") and name not in ("need", "seed", "speed", "feed"))


def test_no_participle_is_a_name():
    """A name says what a thing is or does, not what was done to it; beside another word it may tell two things apart."""
    names = [(name.lower(), files) for name, files in public_classes().items()]
    for path in sources("engine", "reports", "api.py", "scheduler.py"):
        names.append((path.stem, place(path)))
        names += [(node.name, place(path)) for node in syntax(path).body if isinstance(node, ast.FunctionDef)]
    wrong = [(name, file) for name, file in names if "_" not in name and participle(name)]
    assert [pair for pair in wrong if pair[0] not in PARTICIPLES] == []
