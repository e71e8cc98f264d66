"""The command line: what it prints, how it exits, and what it says when something is wrong."""

import io
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import closing
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import jwt
import pytest
from sqlalchemy import insert, select

from data.demo.cast.platform import fill_platform
from engine.cli.common import Steps
from engine.runtime.settings import Settings
from engine.store import Store
from engine.store.chain.heads import start_chain
from engine.store.database.epoch import EPOCH
from engine.store.schema.organizations import organizations
from engine.web.admission.sessions import Sessions
from tests.cli.conftest import ATTESTATIONS, run
from tests.databases import raw_transaction


@pytest.mark.real
def test_import_says_what_came_and_the_same_again_changes_nothing(home, cli):
    code, out, _ = cli("import", home / "sheets", "--org", "acme")
    assert code == 0
    assert "memberships: 2 new, 0 changed, 0 as they were" in out
    code, out, _ = cli("import", home / "sheets", "--org", "acme")
    assert code == 0
    assert "nothing was new" in out


@pytest.mark.real
def test_a_report_on_the_command_line_is_the_report_over_http(acme, cli):
    code, out, _ = cli("report", "attestations", "--format", "json")
    assert (code, json.loads(out)["organization"]) == (0, {"id": "acme", "name": "Acme Ltd"})
    code, out, _ = cli("report", "attestations", "--org", "acme", "--format", "csv", "--param", "periodDays=90")
    assert (code, out.count("\r\n") > 1) == (0, True)


@pytest.mark.real
def test_a_report_and_a_site_of_the_past(acme, cli, tmp_path):
    today = datetime.now(UTC).astimezone(ZoneInfo("Europe/Berlin")).date()
    code, out, _ = cli("report", "attestations")
    seq = json.loads(out)["revision"]["seq"]
    with (
        closing(Store(f"sqlite:///{acme / 'var' / 'hq.db'}")) as store,
        store.revision("acme", "ann", now=datetime.now(UTC)) as revision,
    ):
        revision.record("access.granted")
    assert cli("report", "attestations", "--revision", seq, "--as-of", today)[:2] == (code, out)
    assert json.loads(cli("report", "attestations", "--as-of", today)[1])["revision"]["seq"] == seq + 1
    code, out, _ = cli("export", tmp_path / "then", "--as-of", today)
    assert (code, out) == (0, f"{tmp_path / 'then' / 'index.html'}\n")
    code, _, error = cli("export", tmp_path / "never", "--as-of", today - timedelta(days=1))
    assert (code, f"The parameter asOf must be a day from {today} to {today}: the records begin" in error) == (2, True)


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        (("report", "attestations", "--as-of", "2026-10-01", "--param", "asOf=2026-09-01"), "asOf"),
        (("diff", "attestations", "--from", "2026-10-01", "--param", "since=2026-09-01"), "since"),
        (("explain", "program", "gaps_open", "--param", "explain=posture_score"), "explain"),
        (("report", "attestations", "--param", "periodDays=30", "--param", "periodDays=90"), "periodDays"),
    ],
)
def test_what_is_asked_for_twice_is_refused(acme, cli, asked, problem):
    first = {"asOf": "2026-10-01", "since": "2026-10-01", "explain": "gaps_open", "periodDays": "30"}[problem]
    again = asked[-1].partition("=")[2]
    assert cli(*asked) == (
        2,
        "",
        f"hq: {problem} is asked for twice, as {first!r} and as {again!r}: leave one of them out.\n",
    )


def test_a_report_of_an_organization_without_a_record_is_a_sentence(acme, cli):
    with closing(Store(f"sqlite:///{acme / 'var' / 'hq.db'}")) as store, raw_transaction(store) as connection:
        (known,) = connection.execute(select(organizations)).mappings()
        connection.execute(insert(organizations).values({**known, "id": "bare", "revision": 0}))
        start_chain(connection, "bare", datetime.now(UTC))
    for asked in (("report", "attestations"), ("report", "attestations", "--as-of", "2026-10-01")):
        assert cli(*asked, "--org", "bare") == (2, "", "hq: Nothing is recorded of the organization 'bare' yet.\n")


@pytest.mark.real
def test_the_rows_behind_a_figure_give_its_value(acme, cli):
    code, out, _ = cli("report", "program")
    gaps = json.loads(out)["summary"]["gaps_open"]
    code, out, _ = cli("explain", "program", "gaps_open", "--format", "csv")
    header, *rows = out.splitlines()
    assert (code, len(rows), header.split(",")[-2:]) == (0, gaps, ["reason", "flag"])
    code, out, _ = cli("explain", "program", "gaps_open", "--param", "periodDays=7")
    assert len(json.loads(out)["rows"]) == gaps
    code, _, error = cli("explain", "program", "gap")
    assert (code, "The parameter explain must be one of weighted_pct, " in error) == (2, True)


@pytest.mark.real
def test_the_glossary_has_todays_value_of_every_figure(acme, cli):
    code, out, _ = cli("report", "program")
    summary = json.loads(out)["summary"]
    code, out, _ = cli("figures", "--format", "json")
    glossary = json.loads(out)
    values = {entry["figure"]: entry["value"] for entry in glossary["figures"]}
    assert (code, {name: values[name] for name in summary}) == (0, summary)
    assert glossary["organization"] == {"id": "acme", "name": "Acme Ltd"}


@pytest.mark.real
def test_the_glossary_needs_no_organization(home, cli):
    cli("migrate")
    code, out, _ = cli("figures")
    assert code == 0
    assert "gaps_open\n    Open gaps. Applicable controls that are not effective.\n    in program" in out
    figures = json.loads(cli("figures", "--format", "json")[1])["figures"]
    assert {entry["value"] for entry in figures} == {None}
    code, out, _ = cli("figures", "--format", "csv")
    assert out.splitlines()[0] == "figure,title,value,unit,better,version,definition,fact,aggregate,reports"
    assert len(out.splitlines()) == len(figures) + 1


@pytest.mark.real
def test_the_glossary_for_people_has_values(acme, cli):
    gaps = json.loads(cli("report", "program")[1])["summary"]["gaps_open"]
    assert f"gaps_open: {gaps}\n    Open gaps. Applicable controls that are not effective." in cli("figures")[1]


@pytest.mark.real
def test_a_change_by_import_is_in_the_next_report(acme, cli):
    _, before, _ = cli("report", "posture-score")
    (acme / "sheets" / "attestations.csv").write_text(
        ATTESTATIONS.replace(";;\n", ";attested;2026-01-20T08:00:00Z\n").replace("30.11.2026", "30.01.2026")
    )
    assert cli("import", acme / "sheets" / "attestations.csv", "--org", "acme")[0] == 0
    _, after, _ = cli("report", "posture-score")
    assert json.loads(after)["revision"]["seq"] > json.loads(before)["revision"]["seq"]


@pytest.mark.real
def test_build_makes_everything_once(acme, cli):
    code, out, err = cli("build", "--org", "acme", "--jobs", "1")
    assert code == 0, err
    assert out.startswith("acme: ")
    assert "0 were there" in out
    assert "acme: 0 artifacts built" in cli("build", "--all", "--jobs", "1")[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--jobs", "2", "--cluster", "tcp://a:1"), "leave out either --jobs or --cluster"),
        (("--cluster", "nonsense"), "such as tcp://scheduler:8786; got 'nonsense'"),
        (("--cluster", "tcp://a:1"), "A cluster reads the records from PostgreSQL"),
    ],
)
def test_a_cluster_that_could_not_build_is_refused(arguments, said, acme, cli):
    code, out, err = cli("build", "--all", *arguments)
    assert (code, out, said in err) == (2, "", True)


def test_plain_lines_say_how_long_it_may_still_take(capsys, monkeypatch):
    at = iter([0.0, 60.0, 120.0, 150.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(at))
    steps = Steps()
    for done in (0, 200, 400, 1000):
        steps("organizations", done, 1000)
    assert capsys.readouterr().err.splitlines() == [
        "organizations: 0 of 1000",
        "organizations: 200 of 1000, about 4 min left",
        "organizations: 400 of 1000, about 3 min left",
        "organizations: 1000 of 1000",
    ]


@pytest.mark.real
def test_export_writes_a_site_to_browse(acme, cli, tmp_path):
    code, out, _ = cli("export", tmp_path / "site")
    assert code == 0
    assert (tmp_path / "site" / "signed_head.txt").read_text() == cli("heads")[1]
    page = (tmp_path / "site" / "index.html").read_text()
    assert out.strip() == str(tmp_path / "site" / "index.html")
    links = {part.split('"')[0] for part in page.split('href="')[1:] if not part.startswith("data:")}
    assert links
    assert all((tmp_path / "site" / link).exists() for link in links)


def test_session_prints_a_cookie_and_nothing_else(acme, cli):
    code, out, _ = cli("session", "--email", "Ann@acme.example")
    assert (code, out.count("\n"), out.count(".")) == (0, 1, 2)
    code, _, err = cli("session", "--email", "eve@acme.example")
    assert (code, err) == (2, "hq: eve@acme.example is not a member of any organization here.\n")


def ends(email):
    """Identifiers of a person's ended sessions in acme, and whether all until some moment were ended."""
    store = Store(Settings.of_process().store_url)
    _, _, session_ends = store.standing("acme", email)
    store.close()
    return session_ends.ids, session_ends.until is not None


@pytest.mark.real
def test_a_session_is_ended_by_its_cookie_or_its_identifier_and_all_of_a_person_at_once(acme, cli, monkeypatch):
    cookies = [cli("session", "--email", "ann@acme.example")[1].strip() for _ in range(2)]
    first, second = (jwt.decode(one, options={"verify_signature": False})["jti"] for one in cookies)
    code, out, _ = cli("session", "--revoke", cookies[0])
    assert (code, out) == (0, f"ended: session {first}, of ann@acme.example in acme\n")
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{cookies[1]}\n"))
    assert cli("session", "--revoke", "-")[1] == f"ended: session {second}, of ann@acme.example in acme\n"
    assert cli("session", "--revoke", "theirs", "--email", "Ann@acme.example")[0] == 0
    assert ends("ann@acme.example") == ({first, second, "theirs"}, False)
    code, out, _ = cli("session", "--revoke", "--email", "ann@acme.example")
    assert (code, out) == (0, "ended: all sessions that had begun, of ann@acme.example in acme\n")
    assert ends("ann@acme.example") == ({first, second, "theirs"}, True)
    assert ends("bob@acme.example") == (set(), False)
    assert cli("verify", "--org", "acme")[0] == 0


def test_ending_a_session_asks_for_a_session(acme, cli):
    assert cli("session", "--revoke") == (2, "", "hq: Name the member with --email.\n")
    assert cli("session") == (2, "", "hq: Name the member with --email.\n")
    assert cli("session", "--revoke", "a.b.c") == (1, "", "hq: The session cookie is not valid; sign in again.\n")
    code, _, err = cli("session", "--revoke", "--email", "eve@acme.example")
    assert (code, err) == (2, "hq: eve@acme.example is not a member of any organization here.\n")


@pytest.mark.real
def test_a_session_in_the_platforms_organization_says_when_administration_will_refuse_it(acme, cli, monkeypatch):
    store = Store(Settings.of_process().store_url)
    fill_platform(store, Settings.of_process(), datetime(2026, 11, 20, 8, 30, tzinfo=UTC))
    store.close()
    code, out, err = cli("session", "--email", "admin@hq.example", "--org", "platform")
    assert (code, out.count(".")) == (0, 2)
    assert err == "admin@hq.example is not in SVC_PLATFORM_ADMIN_EMAILS: /api/admin will refuse this session.\n"
    assert cli("verify", "--org", "platform")[1].startswith("ok: platform, events 1 to "), "it has a chain, too"
    monkeypatch.setenv("SVC_PLATFORM_ADMIN_EMAILS", "admin@hq.example")
    code, out, err = cli("session", "--email", "admin@hq.example")
    assert (code, out.count("."), err) == (0, 2, "")
    code, _, err = cli("session", "--email", "ann@acme.example", "--org", "platform")
    assert (code, err) == (2, "hq: ann@acme.example is not a member of 'platform'.\n")


@pytest.mark.real
def test_verify_says_ok_or_names_the_first_break(acme, cli):
    code, out, _ = cli("verify", "--org", "acme")
    assert (code, out.startswith("ok: acme, events 1 to ")) == (0, True)
    store = Store(Settings.of_process().store_url)
    with store._writer.begin() as connection:
        connection.exec_driver_sql("UPDATE audit_log SET actor = 'mallory' WHERE seq = 1")
    store.close()
    code, out, _ = cli("verify", "--org", "acme")
    assert (code, out.startswith("broken: acme at event 1: ")) == (1, True)


@pytest.mark.real
def test_routes_config_tables_and_migrate(home, cli):
    assert cli("routes")[1].count("\n") == 172
    assert "SVC_SESSION_SECRET=not set" in cli("config")[1]
    assert "attestations" in cli("tables")[1]
    assert cli("migrate")[1] == f"migrated from nothing to {EPOCH}\n"
    assert cli("migrate")[1] == f"already at {EPOCH}\n"
    listed = cli("scheduler", "--list")[1]
    assert listed.startswith("outbox\tevery minute\tnever ran\n")
    assert "\nnightly-build\tdaily at 02:30 UTC\tnever ran\n" in listed


def test_no_password_of_a_url_is_shown(home, cli, monkeypatch):
    urls = {
        "SVC_RATE_LIMIT_URL": "redis://:hunter2@cache.example/0",
        "SVC_BASE_URL": "https://ann:hunter2@hq.example",
        "SVC_CHAT_API_URL": "https://hunter2@chat.example/api",
        "SVC_PAYPAL_URL": "https://ann:hunter2%40@paypal.example",
        "SVC_TRUSTED_PROXIES": "http://ann:hunter2@a.example, http://:hunter2@b.example",
        "SVC_DATABASE_URL": "postgresql+psycopg://hq:hunter2@db.example/hq",
        "SVC_SMTP_URL": "smtps://ann:hunter2@mail.example",
    }
    for name, value in urls.items():
        monkeypatch.setenv(name, value)
    shown = cli("config")[1]
    lines = dict(line.partition("\t")[0].split("=", 1) for line in shown.splitlines())
    assert {name: lines[name] for name in urls} == {
        "SVC_RATE_LIMIT_URL": "redis://:***@cache.example/0",
        "SVC_BASE_URL": "https://ann:***@hq.example",
        "SVC_CHAT_API_URL": "https://***@chat.example/api",
        "SVC_PAYPAL_URL": "https://ann:***@paypal.example",
        "SVC_TRUSTED_PROXIES": "http://ann:***@a.example, http://:***@b.example",
        "SVC_DATABASE_URL": "set",
        "SVC_SMTP_URL": "set",
    }
    assert "hunter2" not in shown
    monkeypatch.setenv("SVC_RATE_LIMIT_URL", "redis://cache.example/0?password=hunter2&db=1")
    assert "SVC_RATE_LIMIT_URL=redis://cache.example/0?password=***&db=1\t" in cli("config")[1]
    monkeypatch.setenv("SVC_BASE_URL", "https://hq.example")
    assert "SVC_BASE_URL=https://hq.example\t" in cli("config")[1]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SVC_CHAT_API_URL", "ftp://ann:hunter2@chat.example"),
        ("SVC_DATABASE_URL", "hq:hunter2@db.example"),
        ("SVC_RATE_LIMIT_URL", "nosuch://ann:hunter2@cache.example"),
    ],
)
def test_no_password_of_a_url_is_in_the_error_about_it(name, value, home, cli, monkeypatch):
    monkeypatch.setenv(name, value)
    code, _, err = cli("serve", "--port", free_port())
    assert (code, name in err, "hunter2" in err) == (2, True, False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["report", "nonsense"], "There is no report 'nonsense'"),
        (["report", "summary", "--param", "periodDays=0"], "must be an integer from 1 to 730; got '0'"),
        (["report", "summary", "--param", "periodDays"], "--param must be KEY=VALUE; got 'periodDays'"),
        (["report", "summary", "--as-of", "2999-01-01"], "later days are still to come; got '2999-01-01'"),
        (["report", "summary", "--as-of", "today"], "asOf must be a day as YYYY-MM-DD; got 'today'"),
        (["report", "summary", "--revision", "999"], "the head is "),
        (["report", "summary", "--format", "odt"], "comes as json, csv, html, md, xlsx; got 'odt'"),
        (["report", "summary", "--org", "nobody"], "There is no organization 'nobody'; there is acme"),
        (["report", "summary", "--fromat", "csv"], "No such option"),
        (["repotr"], "No such command"),
        (["serve", "--port", "99999"], "99999"),
        (["import", "missing.csv", "--org", "acme"], "missing.csv"),
        (["verify"], "--org"),
    ],
)
def test_wrong_usage_is_one_clear_sentence_and_exit_code_2(acme, cli, arguments, message):
    code, out, err = cli(*arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("SVC_SESSION_SECRET", "short", "SVC_SESSION_SECRET must be at least 32 bytes"),
        ("SVC_THREADS", "many", "SVC_THREADS must be an integer from 1 to 64; got 'many'"),
        ("SVC_DATABASE_URL", "mysql://x", "must begin with sqlite:// or postgresql"),
        ("SVC_SESSION_AUTH", "no", "SVC_SESSION_AUTH must be on or off; got 'no'"),
        (
            "SVC_ANALYTICS_MEMORY",
            "2",
            "SVC_ANALYTICS_MEMORY must be a number of MB, GB, TB, MiB, GiB or TiB, such as 2GB, or a share such as 80%; got '2'",
        ),
        (
            "SVC_TIME_ZONE",
            "Mars/Base",
            "SVC_TIME_ZONE must be an IANA time zone such as Europe/Berlin; got 'Mars/Base'",
        ),
        ("SVC_BUILD_AT", "25:00", "SVC_BUILD_AT must be a time such as 02:30; got '25:00'"),
        ("SVC_DATA_DIR", "/proc/nope", "cannot be made"),
    ],
)
def test_a_bad_setting_is_named(home, cli, monkeypatch, name, value, message):
    monkeypatch.setenv(name, value)
    command = ["migrate"] if name == "SVC_DATA_DIR" else ["verify", "--org", "acme"]
    code, _, err = cli(*command)
    assert (code, message in err, "short" in err) == (2, True, False)


def test_a_postgresql_that_does_not_answer_is_no_damaged_file(home, cli, monkeypatch):
    pytest.importorskip("psycopg")
    monkeypatch.setenv("SVC_DATABASE_URL", f"postgresql+psycopg://nobody@127.0.0.1:{free_port()}/x")
    code, _, err = cli("migrate")
    assert (code, "does not answer" in err, "backup" in err) == (1, True, False)


def test_a_damaged_store_is_left_as_it_is(home, cli):
    (home / "var").mkdir()
    (home / "var" / "hq.db").write_bytes(b"rubbish" * 1000)
    code, _, err = cli("report", "summary")
    assert (code, "restore a backup" in err) == (1, True)
    assert (home / "var" / "hq.db").read_bytes() == b"rubbish" * 1000


@pytest.mark.real
def test_a_bad_sheet_lists_its_cells_and_leaves_the_store(acme, cli):
    (acme / "sheets" / "attestations.csv").write_text(
        "framework;control id;owner;due on\nsoc2;CC99.9;ann@acme.example;31.02.2026\n"
    )
    before = cli("report", "summary")[1]
    code, _, err = cli("import", acme / "sheets", "--org", "acme")
    assert code != 0
    assert "31.02.2026" in err
    assert "CC99.9" in err
    assert cli("report", "summary")[1] == before


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_a_port_in_use_is_one_sentence(acme, cli):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        code, _, err = cli("serve", "--port", taken.getsockname()[1])
    assert (code, "is in use; choose another with --port" in err) == (2, True)


def test_without_sessions_only_loopback_is_served(acme, cli, monkeypatch):
    monkeypatch.setenv("SVC_SESSION_AUTH", "off")
    code, _, err = cli("serve", "--host", "0.0.0.0", "--port", free_port())
    assert (code, "bind to 127.0.0.1 or ::1" in err) == (2, True)


@pytest.mark.real
def test_serve_answers_and_stops_cleanly_on_sigterm(acme):
    port = free_port()
    server = subprocess.Popen(
        [sys.executable, "-m", "api", "--port", str(port)], stderr=subprocess.PIPE, env=os.environ, text=True
    )
    try:
        for _ in range(600):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/health") as answer:
                    assert json.load(answer)["ok"] is True
                break
            except OSError:
                time.sleep(0.1)
        sessions = Sessions(Settings.of_process())
        cookie = sessions.issue("ann@acme.example", "acme", now=datetime.now(UTC))
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}/api/governance/compliance/summary", headers={"Cookie": f"svc_session={cookie}"}
        )
        with urllib.request.urlopen(request) as answer:
            assert json.load(answer)["organization"]["id"] == "acme"
    finally:
        server.send_signal(signal.SIGTERM)
        _, errors = server.communicate(timeout=20)
    assert (server.returncode, "Traceback" in errors) == (0, False)


@pytest.mark.real
def test_weaknesses_of_the_poam_get_numbers(home, capfdbinary):
    sheets = home / "sheets"
    run(capfdbinary, "import", str(sheets), "--org", "acme")
    code, out, _ = run(capfdbinary, "poam")
    assert (code, out) == (0, "There is nothing to number. The FedRAMP POA&M is not in scope, so there is no plan.\n")
    (sheets / "organization_frameworks.csv").write_text("framework\nfedramp-poam\n")
    (sheets / "findings.csv").write_text(
        "id,source,finding_key,title,severity,status,asset,first_seen_at,last_seen_at\n"
        "f1,nessus,k1,Old library,high,open,db1,2026-01-02T00:00:00Z,2026-11-01T00:00:00Z\n"
    )
    run(
        capfdbinary,
        "import",
        str(sheets / "organization_frameworks.csv"),
        str(sheets / "findings.csv"),
        "--org",
        "acme",
    )
    _, out, _ = run(capfdbinary, "poam", "--actor", "ann@acme.example")
    lines = out.splitlines()
    assert lines[0] == "V-1  f1  due 2026-02-01", "what is due first comes first"
    assert [line.split()[0] for line in lines] == [f"V-{place}" for place in range(1, len(lines) + 1)]
    code, again, _ = run(capfdbinary, "poam")
    assert (code, again.startswith("There is nothing to number. ")) == (0, True)
    report = json.loads(run(capfdbinary, "report", "fedramp-poam")[1])
    numbers = [row["poam_id"] for name in ("items", "gaps_without_control") for row in report[name]]
    assert sorted(numbers) == sorted(line.split()[0] for line in lines)
