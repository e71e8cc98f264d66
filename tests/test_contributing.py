"""Each chapter of CONTRIBUTING on adding something, followed in a copy: its steps, its command, the narrowest tests."""

import os
import re
import subprocess
import sys

import pytest

from tests.import_graph import ROOT
from tests.laws import WHOLE
from tests.mutants.trial import copy_of

pytestmark = [pytest.mark.real, pytest.mark.weekly]
CHAPTERS = re.findall(r"^## Add an? ([a-z]+)", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE)


@pytest.fixture(scope="module")
def copy():
    """One copy for all chapters: what one added is there for the next."""
    with copy_of() as folder:
        yield folder


@pytest.fixture
def run(copy):
    def python(*arguments):
        environment = {**os.environ, "PYTHONPATH": str(copy)}
        command = [sys.executable, "-m", *arguments]
        done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return done.stdout

    return python


@pytest.fixture
def change(copy):
    def substitute(place, old, new):
        path = copy / place
        text = path.read_text()
        assert text.count(old) >= 1, (place, old)
        path.write_text(text.replace(old, new, 1))

    return substitute


def test_there_is_a_chapter_for_each_thing_that_is_added():
    wanted = {"report", "figure", "table", "route", "setting", "monitor", "framework", "check"}
    assert wanted - set(CHAPTERS) == set()


def test_a_report(run):
    run("engine.cli", "new", "report", "key-holders", "--chapter", "ownership")
    run("tests.accept", "--only", "index of reports", "--only", "reference")
    run("ruff", "check", "reports", "tests/reports")
    run("ruff", "format", "--check", "reports", "tests/reports")
    run("engine.cli", "report", "--help")
    run("pytest", "tests/reports/ownership/test_key_holders.py", "tests/reports/test_index.py")


def test_a_figure_of_it(run, change):
    change(
        "reports/ownership/figures.py",
        "OWNERSHIP = (\n",
        'OWNERSHIP = (\n    Figure("key_controls", "Controls that somebody holds a key to", "count", "neither",\n'
        '           "Applicable controls.", "control_status", Count(), "applicable"),\n',
    )
    report = "reports/ownership/key_holders.py"
    change(report, "build=build", 'build=build, figures=select("key_controls")')
    change(
        report,
        "from reports.shared import setup\n",
        "from reports.figures import select\nfrom reports.shared import setup\n",
    )
    run("tests.accept", "--only", "index of reports", "--only", "reference")
    run("pytest", "tests/reports/ownership/test_key_holders.py", "tests/reports/test_index.py")


def test_a_monitor(run):
    run("engine.cli", "new", "monitor", "nagios")
    run("ruff", "check", "engine/intake", "tests/intake")
    run("ruff", "format", "--check", "engine/intake", "tests/intake")
    run("mypy", "engine/intake/alerts/nagios.py")
    test = "tests/intake/test_alert_formats.py::test_every_format_recognises_its_body_and_no_other_comes_first"
    run("pytest", "tests/intake/test_nagios.py", test)


def test_a_setting(run, change, copy):
    change(
        "engine/runtime/settings.py",
        "    base_url: str",
        '    motto: str = setting(values.text, "", "a sentence that nobody needs")\n    base_url: str',
    )
    run("tests.accept", "--only", "reference")
    assert "`SVC_MOTTO`" in (copy / "docs/reference/settings.md").read_text()
    assert "SVC_MOTTO" in run("engine.cli", "config")


def test_a_check(run, change, copy):
    with (copy / "engine/operations/file_checks.py").open("a") as file:
        file.write(
            '\n\ndef folder(settings: Settings, now: datetime) -> Iterator[str]:\n    """The folder has a name."""\n'
            '    if not settings.data_dir.name:\n        yield "The folder has no name: set SVC_DATA_DIR."\n'
        )
    line = '    Check("space", of_installation=file_checks.space),\n'
    change("engine/operations/check.py", line, line + '    Check("folder", of_installation=file_checks.folder),\n')
    run("mypy", "engine/operations/check.py")
    run("pytest", "tests/operations/test_check.py", "-k", "sound or well or nothing" if WHOLE else "sound")


def test_a_route(run, change, copy):
    line = '        Route("HEAD", "/api/health", '
    change(
        "api.py",
        line,
        line.replace("HEAD", "GET").replace("health", "alive") + "NONE, health.alive, parameters=None, "
        "answer=Liveness, lane=lanes.HEALTH),\n" + line,
    )
    printed = run("tests.accept", "--only", "routes")
    assert "The contract changed: say why in the commit." in printed
    assert "GET /api/alive none\n" in (copy / "tests/golden/routes.txt").read_text()
    run("pytest", "tests/web/openapi/test_contract.py", "-k", "golden or alive")


def test_a_table(run, change, copy):
    change(
        "engine/store/schema/services.py",
        "slo_profiles: ",
        'service_notes: TypedTable[records.ServiceNoteRow] = tenant_table(\n    "service_notes",\n'
        '    "A note on a service.",\n    key("id", "identifier"),\n    text("note", "the note"),\n)\n\nslo_profiles: ',
    )
    change(
        "engine/store/schema/kinds.py",
        '    "slo_profiles": ',
        '    "service_notes": _columns(scope="id note"),\n    "slo_profiles": ',
    )
    run("tests.accept", "--only", "types of rows")
    assert "class ServiceNoteRow(TypedDict):" in next(copy.glob("engine/model/records/*.py")).read_text()


def test_a_framework_is_held_to_its_counts(run, change):
    change("data/frameworks/frameworks.csv", ",type-ii,61,", ",type-ii,62,")
    with pytest.raises(AssertionError, match="6[12]"):
        run("pytest", "tests/catalogue/test_catalogue.py", "-x")
