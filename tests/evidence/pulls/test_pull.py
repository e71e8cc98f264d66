"""``hq pull``: what lands, what does not land again, and what stands against a control until its check passes."""

import json
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zipfile import ZipFile

import pytest
from freezegun import freeze_time

from engine.archives.contents import contents
from engine.archives.contents.windows import days
from engine.archives.sealing import bundles
from engine.cli import hq
from engine.cli.common import open_console_services
from engine.store.schema.organizations import organization_frameworks

HOW_TO = Path(__file__).resolve().parents[3] / "docs/how-to/pulls/README.md"

PULLS = """
[source.people]
kind = "files"
paths = ["people.csv"]

[source.directory]
kind = "sqlite"
path = "directory.db"
query = "select login, disabled_at from accounts"

[[check]]
id = "leavers"
title = "Who left has no account after a day"
controls = ["soc2:CC6.2", "iso27001:A.5.18"]
cadence = "weekly"
population = "select login, left_on from people where left_on >= date '{since}'"
exceptions = "select p.login from population p join directory d using (login) where d.disabled_at is null"
"""
DAY = datetime(2026, 11, 24, 9, tzinfo=UTC)


@pytest.fixture
def cli(capfdbinary, monkeypatch, tmp_path, acme_template):
    """The command line over a store with acme, on the morning of 24 November 2026."""
    (tmp_path / "var").mkdir(mode=0o700)
    shutil.copy(acme_template, tmp_path / "var" / "hq.db")
    monkeypatch.setenv("SVC_DATA_DIR", str(tmp_path / "var"))

    def run(*arguments, at=DAY):
        code = 0
        with freeze_time(at):
            try:
                hq([str(part) for part in arguments])
            except SystemExit as end:
                code = end.code or 0
        out = capfdbinary.readouterr()
        return code, out.out.decode(), out.err.decode()

    return run


@pytest.fixture
def pulls(tmp_path):
    """A file of pulls over two people who left, of whom Eve still has an account."""
    (tmp_path / "people.csv").write_text("login,left_on\nann,\nbob,2026-11-20\neve,2026-11-21\n")
    accounts(tmp_path, eve=None)
    path = tmp_path / "pulls.toml"
    path.write_text(PULLS)
    return path


def accounts(folder, **disabled):
    with sqlite3.connect(folder / "directory.db") as database:
        database.execute("DROP TABLE IF EXISTS accounts")
        database.execute("CREATE TABLE accounts (login, disabled_at)")
        database.executemany("INSERT INTO accounts VALUES (?, ?)", [("bob", "2026-11-20"), *disabled.items()])
    database.close()


def tables(tmp_path, table):
    with sqlite3.connect(tmp_path / "var" / "hq.db") as database:
        database.row_factory = sqlite3.Row
        rows = [dict(row) for row in database.execute(f"SELECT * FROM {table} ORDER BY rowid")]
    database.close()
    return rows


@pytest.mark.real
def test_a_run_lands_with_its_rows_once(cli, pulls, tmp_path):
    code, out, _ = cli("pull", pulls)
    assert (code, out) == (
        0,
        "leavers\tfailed\tpopulation 2\texceptions 1\tsoc2:CC6.2, iso27001:A.5.18\tcheck-leavers-r4\n",
    ) or out.startswith("leavers\tfailed\tpopulation 2\texceptions 1\tsoc2:CC6.2, iso27001:A.5.18\tcheck-leavers-r")
    (run,) = tables(tmp_path, "test_runs")
    assert (run["population"], run["tested"], run["deviations"], run["outcome"]) == (2, 2, 1, "failed")
    assert (run["window_open_on"], run["window_close_on"], run["performed_on"]) == (
        "2026-11-24",
        "2026-11-30",
        "2026-11-24",
    )
    controls = [(row["framework"], row["control_id"]) for row in tables(tmp_path, "schedule_controls")]
    assert controls == [("soc2", "CC6.2"), ("iso27001", "A.5.18")]
    items = [(row["part"], row["file"]) for row in tables(tmp_path, "evidence_items")]
    assert items == [
        ("run", "leavers.run.json"),
        ("directory", "leavers.directory.jsonl"),
        ("people", "leavers.people.jsonl"),
        ("exceptions", "leavers.exceptions.jsonl"),
    ]
    assert len(tables(tmp_path, "evidence_links")) == 8
    (tmp_path / "people.csv").write_text("login,left_on\neve,2026-11-21\nbob,2026-11-20\nann,\n")  # another order
    assert cli("pull", pulls)[:2] == (0, out.rpartition("\t")[0] + "\tas before\n")
    assert len(tables(tmp_path, "test_runs")) == 1
    assert cli("pull", pulls, "--fail-on-exceptions")[0] == 1
    assert cli("pull", pulls, at=datetime(2026, 12, 1, 9, tzinfo=UTC))[0] == 0  # the next window writes a run
    assert [row["outcome"] for row in tables(tmp_path, "test_runs")] == ["failed", "not_tested"]
    assert cli("verify", "--org", "acme")[0] == 0


@pytest.mark.real
def test_a_dry_run_writes_nothing_and_shows_the_exceptions(cli, pulls, tmp_path):
    code, out, _ = cli("pull", pulls, "--dry-run")
    assert (code, out.splitlines()[1]) == (0, '  {"login": "eve"}')
    assert (tables(tmp_path, "test_runs"), tables(tmp_path, "testing_schedules")) == ([], [])


@pytest.mark.real
def test_a_run_is_done_again_from_its_rows_alone(cli, pulls, tmp_path):
    cli("pull", pulls)
    (run,) = tables(tmp_path, "test_runs")
    (tmp_path / "people.csv").unlink()
    (tmp_path / "directory.db").unlink()
    code, out, _ = cli("evidence", "rerun", run["id"])
    assert (code, out.splitlines()[1:]) == (0, ['  {"login":"eve"}', "The same as then."])
    assert cli("evidence", "rerun", f"{run['id']}-people")[0] == 0
    held = next(
        path for path in (tmp_path / "var" / "evidence").rglob("*") if path.is_file() and b"ann" in path.read_bytes()
    )
    held.write_bytes(held.read_bytes().replace(b"eve", b"eva"))
    code, _, said = cli("evidence", "rerun", run["id"])
    assert code == 1
    assert "they are no evidence" in said
    assert cli("evidence", "rerun", "nothing")[0] == 2


@pytest.mark.real
def test_a_changed_query_begins_a_series_and_a_check_that_is_gone_ends(cli, pulls, tmp_path):
    cli("pull", pulls)
    pulls.write_text(PULLS.replace("where d.disabled_at is null", "where false"))
    assert "leavers\tpassed\t" in cli("pull", pulls)[1]
    series = tables(tmp_path, "testing_schedules")
    assert [(row["id"], row["superseded_on"]) for row in series] == [
        ("check-leavers", "2026-11-24"),
        ("check-leavers-2", None),
    ]
    pulls.write_text(PULLS.replace('id = "leavers"', 'id = "others"'))
    code, _, said = cli("pull", pulls, "--dry-run")
    assert (code, "The check leavers is not in pulls.toml; its schedule would end." in said) == (0, True)
    assert tables(tmp_path, "testing_schedules")[1]["ends_on"] is None
    code, _, said = cli("pull", pulls)
    assert (code, "The check leavers is no longer in pulls.toml; its schedule ends." in said) == (0, True)
    assert tables(tmp_path, "testing_schedules")[1]["ends_on"] == "2026-11-24"
    assert cli("verify", "--org", "acme")[0] == 0


@pytest.mark.real
def test_a_pass_about_older_days_ends_no_failure_and_the_same_pass_again_ends_what_failed_since(cli, pulls, tmp_path):
    def is_failing(at=DAY):
        with freeze_time(at), open_console_services() as services, services.snapshots.open("acme", now=at) as snapshot:
            frame = snapshot.fact("control_status")
            (failing,) = frame.filter(frame["control_id"] == "CC6.2")["failing_test"]
            return failing is not None

    with (
        freeze_time(DAY),
        open_console_services() as services,
        services.store.revision("acme", "setup", now=DAY) as revision,
    ):
        revision.insert(organization_frameworks, [{"framework": "soc2"}])
        revision.record("scope.changed")
    pulls.write_text(PULLS.replace(">= date '{since}'", "between date '{since}' and date '{until}'"))
    assert cli("pull", pulls)[1].startswith("leavers\tfailed\t")
    assert cli("pull", pulls, "--until", "2026-11-20")[1].startswith("leavers\tpassed\t")
    assert is_failing()
    accounts(tmp_path, eve="2026-11-22")
    assert cli("pull", pulls)[1].startswith("leavers\tpassed\t")
    assert not is_failing()
    assert cli("pull", pulls)[1].endswith("\tas before\n")
    (tmp_path / "people.csv").write_text("login,left_on\nann,\nbob,2026-11-20\neve,2026-11-21\ndan,2026-11-12\n")
    accounts(tmp_path, eve="2026-11-22", dan=None)
    assert cli("pull", pulls, "--until", "2026-11-16")[1].startswith("leavers\tfailed\t")
    assert is_failing()
    assert cli("pull", pulls)[1].startswith("leavers\tpassed\t")
    assert not is_failing()
    # neither does one about fewer days of the same window, the first or the last of them; said again it is no news
    later = DAY + timedelta(days=2)
    (tmp_path / "people.csv").write_text("login,left_on\nann,\nbob,2026-11-20\neve,2026-11-21\ndan,2026-11-25\n")
    assert cli("pull", pulls, at=later)[1].startswith("leavers\tfailed\t")
    (tmp_path / "people.csv").write_text("login,left_on\nbob,2026-11-24\neve,2026-11-26\ndan,2026-11-25\n")
    for fewer in (("--until", "2026-11-24"), ("--since", "2026-11-26")):
        assert cli("pull", pulls, *fewer, at=later)[1].startswith("leavers\tpassed\t")
        assert cli("pull", pulls, *fewer, at=later)[1].endswith("\tas before\n")
        assert is_failing(later)
    accounts(tmp_path, eve="2026-11-22", dan="2026-11-26")
    assert cli("pull", pulls, at=later)[1].startswith("leavers\tpassed\t")
    assert not is_failing(later)
    asked = [(row["since_on"], row["until_on"]) for row in tables(tmp_path, "test_runs")[-4:]]
    last = "2026-11-26"
    assert asked == [(None, last), (None, "2026-11-24"), (last, last), (None, last)]
    assert cli("verify", "--org", "acme")[0] == 0


@pytest.mark.real
def test_two_files_of_one_name_say_what_they_are_called_by(cli, pulls, tmp_path):
    other = tmp_path / "other" / "pulls.toml"
    other.parent.mkdir()
    other.write_text('name = "others"\n' + PULLS.replace('"leavers"', '"others"'))
    for path in (pulls, other, pulls):
        cli("pull", path)
    schedules = {row["check_id"]: (row["pull_file"], row["ends_on"]) for row in tables(tmp_path, "testing_schedules")}
    assert schedules == {"leavers": ("pulls.toml", None), "others": ("others", None)}
    other.write_text(other.read_text().partition("\n")[2])
    assert 'needs a line name = "…" of its own' in cli("pull", other)[2]


def test_a_source_that_cannot_be_read_makes_its_check_stale(cli, pulls, tmp_path):
    cli("pull", pulls)
    (tmp_path / "people.csv").rename(tmp_path / "away.csv")
    code, out, said = cli("pull", pulls)
    reason = "[source.people] finds no file for 'people.csv'."
    assert (code, out) == (1, f"leavers\tnot run\t{reason}\tsoc2:CC6.2, iso27001:A.5.18\n")
    assert reason in said
    assert (tables(tmp_path, "testing_schedules")[0]["unread"], len(tables(tmp_path, "test_runs"))) == (reason, 1)
    assert f"the check leavers is stale since 2026-11-24 09:00 UTC: {reason}" in "".join(cli("check")[1:])
    (tmp_path / "away.csv").rename(tmp_path / "people.csv")
    assert cli("pull", pulls)[0] == 0
    assert tables(tmp_path, "testing_schedules")[0]["unread"] is None
    assert cli("verify", "--org", "acme")[0] == 0


def test_a_run_that_may_not_be_held_makes_its_check_stale(cli, pulls, tmp_path, monkeypatch):
    for name, value, reason in (
        (
            "SVC_EVIDENCE_QUOTA",
            "2000",
            r"4 files, leavers.run.json among them, have [\d,]+ bytes, and of the 2,000 that",
        ),
        ("SVC_EVIDENCE_MAX_BYTES", "100", "leavers.run.json has more than 100 bytes"),
    ):
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            code, out, _ = cli("pull", pulls)
        assert (code, bool(re.search(f"leavers\tnot run\t{reason}", out))) == (1, True)
        (schedule,) = tables(tmp_path, "testing_schedules")
        assert re.match(reason, schedule["unread"])
        assert tables(tmp_path, "test_runs") == []
        assert not any(path.is_file() for path in (tmp_path / "var/evidence/acme").rglob("*"))
    assert cli("pull", pulls)[0] == 0
    assert [row["unread"] for row in tables(tmp_path, "testing_schedules")] == [None]


def test_a_check_without_rows_is_not_proved(cli, pulls, tmp_path):
    (tmp_path / "people.csv").write_text("login,left_on\n")
    with closing(sqlite3.connect(tmp_path / "directory.db")) as directory, directory:
        directory.execute("DELETE FROM accounts")
    cli("pull", pulls)
    _, _, err = cli("pull", "--prove", "leavers")
    assert "leavers cannot be proved: its sources have no rows that could be broken." in err
    assert tables(tmp_path, "check_proofs") == []


@pytest.mark.parametrize("typed", [False, True])
def test_a_column_that_vanished_is_not_tested_and_named(cli, pulls, tmp_path, typed):
    if typed:
        text = pulls.read_text()
        pulls.write_text(text.replace('paths = ["people.csv"]', 'paths = ["people.csv"]\ntypes = { left_on = "date" }'))
        assert pulls.read_text() != text
    (tmp_path / "people.csv").write_text("login,gone_on\nbob,2026-11-20\n")
    code, out, _ = cli("pull", pulls)
    assert (code, out.strip().endswith("the column left_on is not there")) == (1, True)
    (run,) = tables(tmp_path, "test_runs")
    assert (run["outcome"], run["performed_on"], run["reason"]) == (
        "not_tested",
        None,
        "the column left_on is not there",
    )


def test_a_wrong_file_is_found_before_anything_is_read(cli, pulls):
    pulls.write_text(PULLS.replace("from people", "from peple"))
    assert cli("pull", pulls)[0] == 2
    assert cli("pull", pulls.with_name("none.toml"))[0] == 2
    pulls.write_text(PULLS)
    assert cli("pull", pulls, "--only", "none")[0] == 2
    assert cli("pull", pulls, "--until", "2027-01-01")[0] == 2
    pulls.with_name("people.csv").rename(pulls.with_name("elsewhere.csv"))
    pulls.with_name("people.csv").symlink_to("elsewhere.csv")
    code, out, error = cli("pull", pulls)
    assert (code, out) == (2, "")
    assert error == "hq: pulls.toml: [source.people]: people.csv is a symbolic link: name the file that it leads to.\n"


@pytest.mark.real
def test_a_check_is_proved_by_breaking_its_rows(cli, pulls, tmp_path):
    blind = PULLS[PULLS.index("[[check]]") :].replace("leavers", "blind").replace("d.disabled_at is null", "false")
    pulls.write_text(PULLS + blind)
    cli("pull", pulls)
    out = cli("pull", "--prove")[1]
    assert "blind\tblind\t0 of " in out
    assert "never fails" in out
    assert "leavers\tseen\t" in out
    report = json.loads(cli("report", "testing-schedules", "--format", "json")[1])
    assert (report["summary"]["checks_blind"], report["summary"]["checks_not_proved"]) == (1, 0)
    pulls.write_text(PULLS)
    assert "directory.disabled_at" not in cli("pull", pulls, "--prove", "leavers")[1].partition("never noticed")[2]
    (sha256,) = {row["held_sha256"] for row in tables(tmp_path, "evidence_items") if row["file"] == "blind.run.json"}
    (tmp_path / "var/evidence/acme" / sha256[:2] / sha256).unlink()
    code, out, error = cli("pull", "--prove")
    assert (code, out.splitlines()[0].split("\t")[0]) == (1, "leavers")
    assert error.startswith(f"hq: blind cannot be proved: The bytes of {sha256} are not in the evidence store of acme")
    assert cli("verify", "--org", "acme")[0] == 0


@pytest.mark.real
def test_checks_run_again_from_the_bundle_alone(cli, pulls, tmp_path, monkeypatch):
    """By the lines of the how-to, in a process that sees the unpacked bundle and nothing else."""
    monkeypatch.setattr(contents, "FRAMEWORKS", ())
    monkeypatch.setattr(contents, "BUNDLE", (contents.LINEAGE,))
    cli("pull", pulls)
    with freeze_time(DAY), open_console_services() as services:
        bundles.create(services, "acme", "console", days("7d"), now=DAY)
    (bundle,) = (tmp_path / "var" / "bundles" / "acme").glob("*.zip")
    outside = tmp_path / "outside"
    with ZipFile(bundle) as archive:
        archive.extractall(outside / "bundle")
    (code,) = re.findall(r"```python\n(.*?)```", HOW_TO.read_text(), re.DOTALL)
    for table in ("people.csv", "directory.db"):
        (tmp_path / table).unlink()
    done = subprocess.run([sys.executable, "-c", code], cwd=outside, capture_output=True, text=True, check=True)
    assert done.stdout == "leavers 2 1 as then\n"
