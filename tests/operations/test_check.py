"""What ``hq check`` finds, and what it does not."""

import errno
import json
import os
import shutil
import sqlite3
from collections import namedtuple
from contextlib import closing
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import insert, make_url, text

from engine.cli import hq
from engine.delivery.secret_keys import SecretKeys
from engine.model.errors import Unavailable
from engine.operations import check as checks
from engine.operations import file_checks, store_checks
from engine.operations.check import check_installation
from engine.replica import replica_check
from engine.runtime.heads.installation import sign_installation
from engine.runtime.heads.signed_heads import signed_head
from engine.runtime.keys.session_secret import session_secret
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store import Store
from engine.store.queries.sending.deliveries import Endpoint, replace_secrets
from engine.store.schema.organizations import organization_frameworks
from engine.store.schema.outputs import credential_uses, credentials, delivery_endpoints
from tests.conftest import NOW
from tests.databases import raw_transaction

Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def var(acme_template, tmp_path):
    """A data folder as an installation leaves it."""
    folder = tmp_path / "var"
    folder.mkdir(mode=0o700)
    shutil.copy(acme_template, folder / "hq.db")
    store = Store(f"sqlite:///{folder}/hq.db")
    settings = Settings.of({"SVC_DATA_DIR": str(folder)})
    signed_head(Services(settings, store, None, NOW), "acme", now=NOW)
    store.close()
    for path in folder.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)
    return folder


def check_results(folder, *, now=NOW, **settings):
    given = Settings.of({"SVC_DATA_DIR": str(folder), **settings})
    return [tuple(one) for one in check_installation(given, now=now, progress=lambda *_: None)]


def execute(folder, statement, *values):
    with closing(sqlite3.connect(folder / "hq.db")) as connection, connection:
        connection.execute(statement, values)


def test_a_sound_installation_has_no_findings(var, monkeypatch, capfd):
    assert check_results(var) == []
    monkeypatch.setenv("SVC_DATA_DIR", str(var))
    with pytest.raises(SystemExit) as end:
        hq(["check"])
    assert (end.value.code, capfd.readouterr().out) == (0, "ok: nothing was found\n")


def test_findings_are_printed_and_the_exit_code_is_1(var, monkeypatch, capfd):
    execute(var, "UPDATE audit_log SET actor = 'eve'")
    monkeypatch.setenv("SVC_DATA_DIR", str(var))
    for options in ([], ["--json"]):
        with pytest.raises(SystemExit) as end:
            hq(["check", *options])
        assert end.value.code == 1
    lines = capfd.readouterr().out.split("\n", 1)
    assert lines[0].startswith("organizations: The chain of acme is broken at event 1")
    assert [one["check"] for one in json.loads(lines[1])] == ["organizations"]


def test_a_store_that_is_not_there_is_found_and_not_made(tmp_path):
    assert [name for name, _ in check_results(tmp_path / "var")] == ["database"]
    assert not (tmp_path / "var").exists()


@pytest.mark.postgresql
def test_a_server_is_checked_as_well(postgresql_url, var):
    ((name, sentence),) = check_results(var, SVC_DATABASE_URL=postgresql_url)
    assert (name, "The database is empty" in sentence) == ("database", True)
    ((name, sentence),) = check_results(var.parent / "fresh", SVC_DATABASE_URL=postgresql_url)  # as our servers have it
    assert (name, "synchronous_commit is 'off'" in sentence) == ("database", True)
    away = make_url(postgresql_url).set(port=1).render_as_string(hide_password=False)
    assert [name for name, _ in check_results(var.parent / "fresh", SVC_DATABASE_URL=away)] == ["database"]


def test_a_schema_of_another_version_is_found(var):
    execute(var, "UPDATE alembic_version SET version_num = '0029'")
    ((name, sentence),) = check_results(var)
    assert (name, "at migration 0029" in sentence) == ("database", True)


def test_rows_that_refer_to_none_are_found(var):
    execute(var, "INSERT INTO heads VALUES ('ghost', 0, ?, '2026-11-20T08:30:00.000000Z')", "0" * 64)
    sentences = [sentence for name, sentence in check_results(var) if name == "database"]
    assert len(sentences) == 1
    assert "heads refers to a row of organizations that is not there" in sentences[0]


def test_a_clock_that_is_behind_the_newest_write_is_found(var):
    ((name, sentence),) = check_results(var, now=NOW - timedelta(days=1))
    assert (name, "and the clock says 2026-11-19 08:30:00" in sentence) == ("clock", True)
    assert check_results(var, now=NOW - timedelta(seconds=30)) == []


def test_a_head_that_others_hold_and_the_chain_does_not_bear_out_is_found(var):
    (var / "heads" / "ghost.log").write_text((var / "heads" / "acme.log").read_text())
    (var / "heads" / "ghost.log").chmod(0o600)
    ((name, sentence),) = check_results(var)
    assert (name, "an organization that the store does not have" in sentence) == ("organizations", True)


def test_files_that_others_may_read_are_found(var):
    (var / "hq.db").chmod(0o644)
    (var / "signing.key").chmod(0o640)
    assert check_results(var) == [
        ("permissions", f"Others may read or change {var}/hq.db: chmod -R go= {var}."),
        ("permissions", f"Others may read the key {var}/signing.key: chmod 600 {var}/signing.key."),
    ]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"\n", "is empty"),
        (b"abc\n", "has 3 bytes"),
        (b"s" * 31, "has 31 bytes"),
        (b"\xff" * 64, "is no text of ASCII"),
    ],
)
def test_a_secret_of_sessions_that_is_none_is_found(content, found, var):
    path = var / "session.secret"
    path.write_bytes(content)
    path.chmod(0o600)
    ((name, sentence),) = check_results(var)
    assert (name, sentence.partition(", expected")[0]) == ("session secret", f"session.secret in SVC_DATA_DIR {found}")
    with pytest.raises(Unavailable, match=f"{found}, expected the key"):
        session_secret(Settings.of({"SVC_DATA_DIR": str(var)}))
    assert check_results(var, SVC_SESSION_SECRET="s" * 32) == []
    path.write_text("s" * 64)
    assert check_results(var) == []


def test_an_archive_that_nobody_sealed_is_found(var):
    for org in ("acme", "ghost"):
        (var / "bundles" / org).mkdir(parents=True)
        (var / "bundles" / org / "bnd_1.zip").write_bytes(b"PK")
    os.system(f"chmod -R go= {var}")
    assert [name for name, _ in check_results(var)] == ["organizations", "archives"]


PULLS = """
[source.people]
kind = "files"
paths = ["people.csv"]
[[check]]
id = "leavers"
title = "Leavers"
controls = ["annex:A.1"]
cadence = "weekly"
population = "select login from people"
exceptions = "from population where false"
"""


def test_a_file_of_pulls_that_is_wrong_is_found(var, tmp_path):
    path = tmp_path / "pulls.toml"
    path.write_text(PULLS)
    (sentence,) = check_results(var, SVC_PULLS=f"acme={path}")
    assert "names the control 'annex:A.1', which no catalogue has" in sentence[1]
    columns = "org_id, framework, id, kind, position, title, assessable, revision"
    execute(
        var, f"INSERT INTO framework_controls ({columns}) VALUES ('acme', 'annex', 'A.1', 'control', 1, 'One', 1, 1)"
    )
    assert [one for one in check_results(var, SVC_PULLS=f"acme={path}") if one[0] == "pull files"] == []
    other = tmp_path / "other" / "pulls.toml"
    other.parent.mkdir()
    other.write_text(PULLS)
    (one,) = [one for one in check_results(var, SVC_PULLS=f"acme={path},acme={other}") if one[0] == "pull files"]
    assert one[1].startswith(f"SVC_PULLS names {path} and {other}, which end each other's checks: give one")
    os.mkfifo(tmp_path / "people.csv")
    found = [one[1] for one in check_results(var, SVC_PULLS=f"acme={path},none={path}") if one[0] == "pull files"]
    assert found == [
        f"SVC_PULLS names {path}: pulls.toml: [source.people]: people.csv is a device, a pipe or a socket; expected a "
        "regular file.",
        f"SVC_PULLS names {path} of none, which is no organization; there is acme.",
    ]


def test_a_disk_without_room_is_found(var, monkeypatch):
    monkeypatch.setattr(file_checks.shutil, "disk_usage", lambda folder: Usage(1 << 40, 1 << 40, 1000))
    ((name, sentence),) = check_results(var)
    assert (name, "has 1,000 bytes free" in sentence) == ("space", True)


def test_services_that_do_not_answer_are_found(var):
    results = check_results(
        var, SVC_SMTP_URL="smtp://127.0.0.1:1", SVC_SMTP_FROM="hq@example.com", SVC_RATE_LIMIT_URL="redis://127.0.0.1:1"
    )
    assert [name for name, _ in results] == ["rate limits", "mail"]


def test_keys_that_nobody_uses_are_found(var):
    keys = SecretKeys(var / "webhook.key")
    keys.seal("https://a.example", "x")
    keys.renew()
    old = NOW - timedelta(days=91)
    store = Store(f"sqlite:///{var}/hq.db")
    with store.revision("acme", "ann", now=NOW) as revision:
        revision.insert(
            credentials,
            [
                {
                    "id": name,
                    "kind": "api_key",
                    "label": name,
                    "owner": "ann",
                    "prefix": "key_",
                    "last_four": "1234",
                    "secret_sha256": name,
                    "created_at": made,
                    "expires_at": None,
                    "revoked_at": gone,
                }
                for name, made, gone in (
                    ("idle", old, None),
                    ("used", old, None),
                    ("young", NOW, None),
                    ("revoked", old, NOW),
                )
            ],
        )
        revision.record("credential.created")
    with raw_transaction(store) as connection:
        connection.execute(
            credential_uses.insert(), [{"org_id": "acme", "credential_id": "used", "last_used_at": NOW, "uses": 1}]
        )
    store.close()
    sentences = [sentence for name, sentence in check_results(var) if name == "keys"]
    assert len(sentences) == 2
    assert "opens no webhook's secret" in sentences[0]
    assert sentences[1].startswith("The api key 'idle' (key_…1234) of acme, made on 2026-08-21, was never used")


def test_a_signing_key_that_is_gone_is_found(var):
    (var / "signing.key").unlink()
    ((name, sentence),) = check_results(var)
    assert (name, sentence.partition(",")[0]) == ("keys", f"The key {var / 'signing.key'} is not there")
    execute(var, "DELETE FROM signed_heads")
    assert "keys" not in [name for name, _ in check_results(var)]


def test_findings_before_one_that_ends_a_check_are_kept(var, monkeypatch):
    def raise_damage(connection):
        yield "a page is lost"
        raise Unavailable("The operational store is damaged.")

    monkeypatch.setattr(store_checks, "structure_problems", raise_damage)
    assert [sentence for _, sentence in check_results(var)] == [
        "The database does not hold together: a page is lost. Stop the console and restore a backup.",
        "The operational store is damaged.",
    ]


def test_a_replica_that_cannot_be_copied_is_said_and_the_rest_is_looked_at(var, monkeypatch):
    (var / "analytics.duckdb").write_bytes(b"")
    (var / "analytics.duckdb").chmod(0o600)
    (var / "signing.key").chmod(0o640)

    def full(source, target):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(replica_check.shutil, "copyfile", full)
    (name, sentence), (other, _) = check_results(var)
    assert (name, other) == ("analytics", "permissions")
    assert sentence.endswith("(TMPDIR says where): No space left on device.")


def meanwhile(monkeypatch, name, happen):
    """``happen`` runs once the check called ``name`` begins: its view of the store is older."""
    check = next(check for check in checks.CHECKS if check.name == name)

    def late(*given):
        happen()
        return check.of_store(*given)

    monkeypatch.setattr(checks, "CHECKS", [replace(check, of_store=late)])


@pytest.mark.parametrize("name", ["organizations", "archives"])
def test_an_organization_that_is_new_meanwhile_is_known(var, monkeypatch, name):
    def begin():
        store = Store(f"sqlite:///{var}/hq.db")
        with store.revision("young", "setup", now=NOW, create={"name": "Young"}) as revision:
            revision.record("organization.created")
        signed_head(Services(Settings.of({"SVC_DATA_DIR": str(var)}), store, None, NOW), "young", now=NOW)
        store.close()
        (var / "bundles" / "young").mkdir(parents=True)
        (var / "bundles" / "young" / "bnd_1.zip").write_bytes(b"PK")

    meanwhile(monkeypatch, name, begin)
    assert check_results(var) == []


def test_keys_of_webhooks_that_change_meanwhile_are_none_of_what_is_found(var, monkeypatch):
    """Another key for all secrets: what the check sees is encrypted with the one that is gone."""
    address, keys = "https://a.example", SecretKeys(var / "webhook.key")
    store = Store(f"sqlite:///{var}/hq.db")
    first = [keys.seal(address, "x")]
    with store.revision("acme", "ann", now=NOW) as revision:
        row = {"channel": "webhook", "address": address, "secrets": first, "created_at": NOW}
        revision.insert(delivery_endpoints, [row])
        revision.record("delivery_endpoint.set")

    def change():
        keys.renew()
        with store.revision("acme", "ann", now=NOW) as revision:
            replace_secrets(revision, Endpoint(address, tuple(first)), [keys.seal(address, "x")])
        keys.forget_old()

    meanwhile(monkeypatch, "keys", change)
    assert check_results(var) == []
    store.close()
    monkeypatch.undo()
    (var / "webhook.key").unlink()
    assert [name for name, _ in check_results(var)] == ["keys"]


def test_a_column_that_is_not_there_hides_nothing_that_does_not_read_it(var):
    with closing(Store(f"sqlite:///{var}/hq.db")) as store:
        services = Services(Settings.of({"SVC_DATA_DIR": str(var)}), store, None, NOW)
        sign_installation(services, now=NOW)
    execute(var, "ALTER TABLE vendors DROP COLUMN category")
    execute(var, "UPDATE installation_commitments SET seq = 9")
    results = check_results(var)
    assert [name for name, _ in results if name != "space"][:4] == [
        "schema",
        "organizations",
        "installation",
        "installation",
    ]
    assert results[1][1] == "This was not looked at: it reads what the schema does not have any more."
    assert "The operational store does not answer" not in " ".join(sentence for _, sentence in results)


def test_a_row_that_was_written_beside_the_head_is_named_with_a_way_back(var):
    with closing(Store(f"sqlite:///{var}/hq.db")) as store, raw_transaction(store) as connection:
        connection.execute(
            insert(organization_frameworks).values(org_id="acme", framework="soc2", in_scope=True, moves=0, revision=1)
        )
    (said,) = [sentence for name, sentence in check_results(var) if name == "organizations"]
    assert said.startswith('The rows of acme are not what its log says: organization_frameworks ["soc2"] ')
    assert "(what no revision wrote is taken out), until `hq verify --org acme` holds, or restore a backup." in said
    execute(var, "DELETE FROM organization_frameworks")
    assert [name for name, _ in check_results(var) if name == "organizations"] == []


@pytest.mark.postgresql
def test_a_column_that_is_not_there_on_postgresql_ends_no_check(postgresql_url, tmp_path):
    with closing(Store(postgresql_url)) as store:
        with store.revision("acme", "ann", now=NOW, create={"name": "Acme"}) as revision:
            revision.record("organization.created")
        with raw_transaction(store) as connection:
            connection.execute(text("ALTER TABLE vendors DROP COLUMN category"))
    (tmp_path / "var").mkdir(mode=0o700)
    found = dict(check_results(tmp_path / "var", SVC_DATABASE_URL=postgresql_url))
    assert "the column vendors.category is not there" in found["schema"]
    assert found["organizations"] == "This was not looked at: it reads what the schema does not have any more."
    assert "does not answer" not in found.get("database", "")
