"""``hq verify --all``: every organization, the tree over all of them, and the schema."""

import sqlite3
from contextlib import closing

import pytest

from engine.runtime.heads.installation import sign_installation
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store import Store
from tests.cli.records import test_heads
from tests.conftest import NOW

cli = test_heads.cli  # its fixture


def sql(tmp_path, *statements):
    with closing(sqlite3.connect(tmp_path / "var" / "hq.db")) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def sign(tmp_path):
    settings = Settings.of({"SVC_DATA_DIR": str(tmp_path / "var")})
    with closing(Store(settings.store_url)) as store:
        sign_installation(Services(settings, store, None, NOW), now=NOW)


@pytest.mark.real
def test_a_sound_installation_holds_before_and_after_its_tree_is_signed(cli, tmp_path):
    code, out, _ = cli("verify", "--all")
    assert (code, out.splitlines()[-2]) == (
        0,
        "ok: the installation, 1 organizations; 0 commitments lie under 0 signed heads",
    )
    sign(tmp_path)
    code, out, _ = cli("verify", "--all")
    assert code == 0
    assert "ok: acme, events 1 to 1 hold" in out
    assert "1 commitments lie under 2 signed heads" in out
    assert "the schema is that of its migration, fingerprint " in out


def test_what_vanished_and_what_came_is_named(cli, tmp_path):
    sign(tmp_path)
    sql(tmp_path, "ALTER TABLE vendors ADD COLUMN note TEXT", "DELETE FROM audit_log", "DELETE FROM heads")
    sql(tmp_path, "DELETE FROM table_heads", "DELETE FROM change_log", "DELETE FROM organizations")
    code, out, _ = cli("verify", "--all")
    assert code == 1
    assert "broken: schema: the column vendors.note was added\n" in out
    assert "broken: installation: the organization acme is not there any more; it had 1 events\n" in out


def test_a_table_that_is_not_there_is_named_and_nothing_is_read_from_it(cli, tmp_path):
    sql(tmp_path, "DROP TABLE audit_log")
    assert cli("verify", "--all")[:2] == (1, "broken: schema: the table audit_log is not there\n")


@pytest.mark.parametrize(
    "arguments", [(), ("--all", "--org", "acme"), ("--all", "no.zip"), ("--all", "--key", "0" * 16)]
)
def test_one_thing_is_checked_at_a_time(cli, arguments):
    assert cli("verify", *arguments)[0] == 2
