"""Who may import what. Data flows one way; each outside library has one home."""

import ast
import re
from collections import Counter, defaultdict
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
    "duckdb": ("engine/replica", "engine/evidence"),
    "fsspec": ("engine/reporting/artifacts/bucket.py",),
    "botocore": ("engine/reporting/artifacts/bucket.py",),
    "aiohttp": ("engine/reporting/artifacts/bucket.py",),
    "distributed": ("engine/reporting/batch/cluster.py",),
    "bottle": ("engine/web", "engine/desk"),  # two applications: the interface, and the pages that people work in
    "waitress": ("engine/web",),
    "jwt": ("engine/web",),
    "ldap3": ("engine/evidence/pulls/sources/network.py",),
    "apscheduler": ("scheduler.py",),
    "httpx": (
        "engine/delivery",
        "engine/sales/billing/paypal.py",
        "engine/copilot/providers.py",
        "engine/web/handlers/proxy.py",
        "engine/web/handlers/connectors.py",
    ),
    "smtplib": ("engine/delivery",),
    "jinja2": ("engine/render", "engine/desk"),
    "icalendar": (
        "engine/render",
        "engine/intake/imports/files/calendar_files.py",
        "engine/intake/imports/files/rotas.py",
    ),
    "click": ("engine/cli",),
    "rich": ("engine/cli",),
    "fastexcel": ("engine/intake/imports",),
    "highspy": ("engine/planning/solve.py",),
}
# places that speak SQLAlchemy's expressions because they write rows, describe tables or list any of them
ALSO = {
    "sqlalchemy": (
        "engine/replica/replica_tables.py",
        "engine/replica/sync.py",
        "engine/replica/past.py",
        "engine/intake/imports",
        "engine/desk/queries",
        "engine/operations/schema",
        "data/demo/frames.py",
    )
}
# the rooms of the engine from the ground up: a room imports those before it, never one behind it
ROOMS = (
    "model",
    "store",
    "exposure",
    "catalogue",
    "replica",
    "facts",
    "planning",
    "render",
    "reporting",
    "runtime",
    "evidence",
    "intake",
    "frameworks",
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
    "desk",
    "cli",
)
RECORDS = "engine/model/records/__init__.py"
COPILOT = ROOT / "engine/copilot/__init__.py"
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
    """The modules that a file imports as dotted names, be it at its top, for a type or in a function."""
    for node in ast.walk(syntax(path)):
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


def test_planning_and_render_do_not_import_each_other():
    pairs = (("engine/planning", "engine.render"), ("engine/render", "engine.planning"))
    wrong = [
        (place(path), name)
        for folder, other in pairs
        for path in sources(folder)
        for name in imports(path)
        if name.startswith(other)
    ]
    assert wrong == []


def names_of(path, package):
    """What a file takes of a package: names of its face, and modules inside it."""
    for node in ast.walk(syntax(path)):
        if isinstance(node, ast.ImportFrom) and node.module == package:
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{package}."):
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith(package))


def test_the_copilot_is_known_by_its_face_alone():
    """Three functions, and the types that they return and raise."""
    face = ast.literal_eval(next(node.value for node in syntax(COPILOT).body if isinstance(node, ast.Assign)))
    assert [name for name in face if name.islower()] == ["answer", "conversations", "look_up"]
    wrong = [
        (place(path), name)
        for path in sources("engine", "reports", "data", "api.py", "scheduler.py")
        if not path.is_relative_to(COPILOT.parent)
        for name in names_of(path, "engine.copilot")
        if name not in face
    ]
    assert wrong == []


def test_the_server_knows_no_chapter_of_what_it_serves():
    allowed = ("engine.model", "engine.runtime", "engine.web.app", "engine.web.lanes", "engine.web.serving")
    wrong = [
        (place(path), name)
        for path in sources("engine/web/serving")
        for name in imports(path)
        if name.startswith("engine.") and not name.startswith(allowed)
    ]
    assert wrong == []


def test_a_child_process_is_started_in_one_place():
    """Deaf to Ctrl-C, with a name, and with as many threads of Polars as its parent has."""
    starters = ("get_context", "Process", "SpawnContext", "SpawnProcess", "Popen")
    places = {
        place(path)
        for path in sources("engine", "reports", "api.py", "scheduler.py")
        for node in ast.walk(syntax(path))
        if (isinstance(node, ast.ImportFrom) and any(alias.name in starters for alias in node.names))
        or (
            isinstance(node, ast.Import)
            and any(alias.name in ("multiprocessing", "subprocess") for alias in node.names)
        )
    }
    formatter = "engine/cli/new.py"  # a command of the checkout, which lays out what was written
    program = (
        "engine/evidence/pulls/sources/commands.py"  # what an operator allows a pull to run, in a group of its own
    )
    assert places == {"engine/reporting/batch/child_process.py", formatter, program}


def test_no_folder_has_more_than_twenty_files():
    """A folder beyond that is a drawer: nobody sees any more what lies in it."""
    count = Counter(path.parent for path in sources("engine", "reports", "data/demo"))
    assert {place(folder): files for folder, files in count.items() if files > 20} == {}


def test_the_pages_name_every_room_in_its_place():
    table = (ROOT / "CONTRIBUTING.md").read_text().partition("| room | what is there |")[2].partition("\n\n")[0]
    named = [name for line in table.splitlines() for name in re.findall(r"`(\w+)`", line.split(" | ")[0])]
    text = " ".join((ROOT / "docs/explanation/architecture.md").read_text().split())
    assert (named, f"holds it: {', '.join(ROOMS)}." in text) == (list(ROOMS), True)


def test_no_room_is_larger_than_twelve_thousand_lines():
    lines = {room: sum(len(path.read_text().splitlines()) for path in sources(f"engine/{room}")) for room in ROOMS}
    assert {room: length for room, length in lines.items() if length > 12_000} == {}


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
        *("engine.catalogue", "engine.facts", "engine.model.declarations.ask", "engine.model.figures.aggregates"),
        *(
            "engine.model.declarations.digest",
            "engine.model.documents.document",
            "engine.model.figures.figure",
            "engine.model.figures.formulas",
        ),
        *("engine.model.days", "engine.model.documents.movement", "engine.model.documents.vendor_documents"),
        *(
            "engine.model.declarations.declaration",
            "engine.model.documents.heat",
            "engine.model.documents.pictures",
            "engine.model.documents.story",
        ),
        *(
            "engine.model.figures.thousands",
            "engine.model.documents.tones",
            "engine.model.declarations.plan_parameters",
        ),
        *(
            *("engine.planning.outlook", "engine.planning.plan", "engine.planning.question"),
            *(
                "engine.planning.verdict.bands",
                "engine.planning.verdict.likelihood",
                "engine.planning.verdict.prices",
                "engine.planning.verdict.reasons",
            ),
        ),
        *(
            "engine.model.declarations.report",
            "engine.model.declarations.report_loader",
            "engine.model.poam",
            "engine.model.thresholds",
            "engine.model.vocabulary",
        ),
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
        for node in ast.walk(syntax(path)):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in FORBIDDEN_IN_REPORTS:
                wrong.append((place(path), node.lineno))
    assert wrong == []


def test_facts_know_nothing_above_them():
    allowed = (
        "engine.model",
        "engine.facts",
        "engine.catalogue",
        "engine.replica.view",
        "engine.replica.scans",
        "engine.store.chain.chain",
        "engine.store.types",
    )
    wrong = [
        (place(path), name)
        for path in sources("engine/facts")
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
    """A product file beyond 330 lines is a question; these have an answer: they are literal tables."""
    tables = {
        "engine/facts/schemas.py",  # declares every fact: a table, not logic
        "engine/model/records/__init__.py",  # written from the schema, one type for each table
        "engine/archives/verification/verify.py",  # archives carry it: one script that needs nothing beside it
        "engine/replica/scans/registry.py",  # every scan by name
        "engine/runtime/settings.py",  # every setting, a line each
    }
    folders = ("engine/copilot/entities/",)  # what may be asked about, as data
    large = {
        place(path)
        for path in sources("engine", "reports", "data", "scheduler.py")
        if len(path.read_text().splitlines()) > 330 and "migrations" not in place(path)
    }
    assert {
        file for file in large - tables if not file.endswith("figures.py") and not file.startswith(folders)
    } == set()


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
    classes = defaultdict(list)
    for path in sources("engine", "reports", "data/demo", "api.py", "scheduler.py"):
        for node in syntax(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                classes[node.name].append(place(path))
    return classes


def test_no_two_public_classes_have_one_name():
    assert {name: files for name, files in public_classes().items() if len(files) > 1} == {}


# verbs of saying and participles without a regular form: no part of a name, whatever stands beside them
_SAYING = (
    "found said say says saying tell tells told telling held gone shown asked asking left kept known knows made given"
    " taken seen sent done lost heard went came stays answering began begun"
)
DIALECT = frozenset(_SAYING.split())
# what ends like a participle and is none
NOUNS = frozenset(("need", "seed", "feed", "speed", "embed", "succeed"))
# terms of the field that have such a word, each with its reason
TERMS = {
    "received": "waitress calls a channel so when bytes have come",
    "tell": "io's name for the place in a file",
    "known_since": "a fact, and a column: the day from which records speak",
    "known_since_rows": "rows of that fact",
    "is_known_exploited": "CISA's catalogue of known exploited vulnerabilities",
    "catalogue_seen": "a fact: the catalogue that was last stored for the organization",
    "requirements_seen": "a fact, of the same",
    "edges_seen": "a fact, of the same",
    "SeenEventRow": "a row of the table seen_events",
    "is_held": "a legal hold",
    "fully_held": "a legal hold",
    "_HeldRows": "rows under a legal hold",
    "held_console": "a console under a legal hold",
    "NotFound": "a reason phrase of HTTP",
    "Unauthorized": "a reason phrase of HTTP",
    "ReplicaLost": "an error is named after what is wrong",
    "_replica_lost": "that error",
    "_retry_if_replica_lost": "that error",
    "is_lost": "the state behind that error",
    "_drop_lost": "views in that state",
    "is_done": "the question of a task",
    "compressed": "a size, in the order of the ZIP format",
    "stored": "how the ZIP format calls bytes that are not compressed",
    "required": "a member of an interface that msgspec's bodies fill",
    "unpacked": "archives ship this file: its bytes are kept",
    "signed": "the same file",
}


def words_of(name):
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def is_dialect(name):
    """A verb of saying anywhere, or one participle alone; beside another word a participle may tell two things apart."""
    words = words_of(name)
    return bool(DIALECT.intersection(words)) or (len(words) == 1 and words[0].endswith("ed") and words[0] not in NOUNS)


def test_no_participle_is_a_name():
    """A name says what a thing is or does, not what was done to it: classes, functions and methods, private and nested
    ones and those of the tests included. The name of a test is a sentence, and may have any word."""
    names = {
        (node.name, place(path))
        for path in sources("engine", "reports", "data/demo", "api.py", "scheduler.py", "tests")
        for node in ast.walk(syntax(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and not node.name.lower().startswith("test")
    }
    assert sorted((name, file) for name, file in names if is_dialect(name) and name not in TERMS) == []
