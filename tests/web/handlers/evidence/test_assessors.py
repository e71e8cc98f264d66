"""What an assessor may take away: tokens, exports, the mark that they carry, and the log of what was asked for."""

import base64
import io
import shutil
import subprocess
import zipfile
from datetime import date, timedelta

import icalendar
import pytest

from engine.frameworks.importing import import_framework
from engine.store.rows import many
from engine.store.schema.audit import access_log
from engine.store.schema.controls import attestations, control_profiles
from engine.store.schema.organizations import organization_frameworks, organization_settings
from engine.store.schema.work import committee_meetings, committees
from engine.web.admission.credentials import new_secret
from engine.web.handlers.evidence.assessors import watermark
from tests.conftest import NOW
from tests.copilot.standin import serve
from tests.web.client import Client

TOKENS = "/api/governance/compliance/assessor-tokens"
INSIDE = "/api/governance/compliance"
EXPORTS = [
    "evidence-export", "workbook", "crosswalk", "obligation-ics", "baseline-comparison", "risk-heatmap",
    "executive-summary", "type-ii", "iso-assessment", "pci-dss", "hipaa", "nist-csf", "cis-v8", "cmmc-l2", "gdpr-art32",
    "fedramp-poam",
]  # fmt: skip
PATHS = [f"{INSIDE}/assessor/{name}" for name in EXPORTS]


@pytest.fixture
def issue(sign_in):
    """A new token: its metadata with the secret."""

    def create_token(**body):
        answer = sign_in("admin@acme.example").post(TOKENS, {"label": "Audit firm", **body})
        assert answer.status == 201, answer.json
        return answer.json

    return create_token


@pytest.fixture
def outsider(console, clock):
    """Whoever holds nothing but a secret."""
    return Client(console)


def fetch(client, secret, name, query="", **headers):
    return client.get(f"{INSIDE}/assessor/{name}{query}", authorization=f"Bearer {secret}", **headers)


def basic(secret, user="calendar"):
    return f"Basic {base64.b64encode(f'{user}:{secret}'.encode()).decode()}"


def logged_calls(console, org="acme"):
    """(what, format, status) of each call, oldest first."""
    with console.services.store.reader() as connection:
        log_rows = many(connection, access_log, org, order=("accessed_at", "id"))
    calls = [row for row in log_rows if row["resource"].startswith(f"{INSIDE}/assessor/")]
    return [(row["resource"].rpartition("/")[2], row["format"], row["status"]) for row in calls]


# -- tokens --------------------------------------------------------------------------------------------------------


def test_a_token_opens_everything_for_ninety_days_unless_said_otherwise(issue, sign_in):
    made = issue(engagement="SOC 2 2026")
    secret = made.pop("secret")
    assert made == {
        "id": made["id"],
        "label": "Audit firm",
        "prefix": "svc_ca_",
        "last_four": secret[-4:],
        "created_at": "2026-11-20T08:30:00Z",
        "expires_at": "2027-02-18T08:30:00Z",
        "revoked_at": None,
        "last_used_at": None,
        "uses": 0,
        "engagement": "SOC 2 2026",
        "created_by": "admin@acme.example",
        "allowed": PATHS,
    }
    listed = sign_in("member@acme.example").get(TOKENS).json
    assert listed == {
        "assessor_tokens": [made],
        "exports": PATHS,
        "access_log": {"window": "30d", "calls": 0, "shown": 0, "newest": []},
    }
    assert secret not in str(listed)


def test_a_token_may_open_a_few_exports_by_name_or_path_for_some_days(issue):
    made = issue(allowed=[PATHS[3], "crosswalk"], expires_in_days=365)
    assert (made["allowed"], made["expires_at"]) == ([PATHS[2], PATHS[3]], "2027-11-20T08:30:00Z")


def test_the_organization_may_set_how_long_tokens_live(issue, with_people):
    with with_people.revision("acme", "setup", now=NOW) as revision:
        revision.insert(organization_settings, [{"name": "assessor_token_days", "value": 14}])
        revision.record("organization.changed")
    assert issue()["expires_at"] == "2026-12-04T08:30:00Z"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"label": ""},
        {"label": "x" * 101},
        {"label": "a\nb"},
        {"label": "  "},
        {"label": "a", "engagement": "\t"},
        {"label": "a", "expires_in_days": 0},
        {"label": "a", "expires_in_days": 366},
        {"label": "a", "expires_in_days": "90"},
        {"label": "a", "allowed": []},
        {"label": "a", "allowed": ["summary"]},
        {"label": "a", "allowed": "crosswalk"},
        {"label": "a", "allowed": ["/api/user/export"]},
        {"label": "a", "expires": 3},
    ],
)
def test_a_malformed_token_is_not_made(body, sign_in):
    client = sign_in()
    answer = client.post(TOKENS, body)
    assert (answer.status, answer.json["error"]) == (400, "invalid_body")
    assert client.get(TOKENS).json["assessor_tokens"] == []


@pytest.mark.parametrize("who", ["operator", "member"])
def test_only_owners_and_admins_administer_tokens(who, sign_in, issue):
    made = issue()
    client = sign_in(f"{who}@acme.example")
    assert client.post(TOKENS, {"label": "a"}).status == 403
    assert client.call("DELETE", f"{TOKENS}/{made['id']}").status == 403


def test_a_revoked_token_is_refused_at_once(issue, sign_in, outsider):
    made = issue()
    assert fetch(outsider, made["secret"], "crosswalk").status == 200
    answer = sign_in().call("DELETE", f"{TOKENS}/{made['id']}")
    assert (answer.status, answer.json["revoked_at"], answer.json["uses"]) == (200, "2026-11-20T08:30:00Z", 1)
    refused = fetch(outsider, made["secret"], "crosswalk")
    assert (refused.status, refused.json["error"]) == (401, "invalid_credential")
    assert sign_in().call("DELETE", f"{TOKENS}/{made['id']}").status == 200


def test_tokens_of_others_do_not_exist(issue, sign_in):
    made = issue()
    neighbour = sign_in("owner@other.example", "other")
    assert neighbour.call("DELETE", f"{TOKENS}/{made['id']}").status == 404
    assert neighbour.get(TOKENS).json["assessor_tokens"] == []


def test_a_token_ends_with_its_time(issue, outsider, clock):
    secret = issue(expires_in_days=1)["secret"]
    clock.tick(timedelta(hours=23, minutes=59))
    assert fetch(outsider, secret, "crosswalk").status == 200
    clock.tick(timedelta(minutes=1))
    assert fetch(outsider, secret, "crosswalk").status == 401


# -- exports -------------------------------------------------------------------------------------------------------


@pytest.mark.real
@pytest.mark.parametrize("name", EXPORTS)
def test_every_export_has_the_bytes_of_inside_a_mark_and_a_tag(name, issue, outsider, sign_in, clock):
    secret = issue(label="Größe & Söhne 100%")["secret"]
    inside = sign_in().get(f"{INSIDE}/{'export' if name == 'evidence-export' else name}")
    answer = fetch(outsider, secret, name)
    assert (answer.status, answer.body == inside.body) == (200, True)
    assert answer.headers["content-type"] == inside.headers["content-type"]
    assert answer.headers["x-svc-watermark"] == "Gr%C3%B6%C3%9Fe & S%C3%B6hne 100%25"
    clock.tick(timedelta(seconds=1))
    again = fetch(outsider, secret, name, if_none_match=answer.headers["etag"])
    assert (again.status, again.body, again.headers["etag"]) == (304, b"", answer.headers["etag"])
    assert [status for what, _, status in logged_calls(outsider.console)] == [200, 304]


def test_the_mark_is_the_label_and_can_be_read_back():
    assert watermark("Audit firm (2026)") == "Audit firm (2026)"
    assert watermark('a%20"b"') == "a%2520%22b%22"


@pytest.mark.real
def test_formats_and_parameters_are_those_of_inside(issue, outsider, sign_in):
    secret = issue()["secret"]
    for name, query in (("crosswalk", "?format=csv&periodDays=90"), ("executive-summary", "?format=html")):
        answer, inside = fetch(outsider, secret, name, query), sign_in().get(f"{INSIDE}/{name}{query}")
        assert (answer.status, answer.body) == (200, inside.body)
        assert answer.headers["content-disposition"] == inside.headers["content-disposition"]
    assert fetch(outsider, secret, "crosswalk", "?periodDays=0").status == 400


@pytest.mark.real
def test_an_export_changes_its_tag_when_the_organization_changes(issue, outsider, with_people):
    secret = issue()["secret"]
    tags = {name: fetch(outsider, secret, name).headers["etag"] for name in ("crosswalk", "evidence-export")}
    with with_people.revision("acme", "ann", now=NOW) as revision:
        revision.record("access.granted")
    for name, tag in tags.items():
        answer = fetch(outsider, secret, name, if_none_match=tag)
        assert (answer.status, answer.headers["etag"] != tag) == (200, True)


@pytest.mark.real
def test_another_catalogue_of_ones_own_is_another_tag(issue, outsider, with_people, tmp_path):
    secret = issue()["secret"]
    names = ("crosswalk", "evidence-export")

    def tags():
        return [fetch(outsider, secret, name).headers["etag"] for name in names]

    seen = [tags()]
    path = tmp_path / "annex.csv"
    for title in ("Doors are locked", "Doors and windows are locked"):
        path.write_text(f"id,parent,kind,title\nA,,group,Site\nA.1,A,,{title}\n")
        import_framework(with_people, path, org_id="acme", actor="ann", now=NOW, name=None, accept=True)
        seen.append(tags())
    assert len({tag for column in zip(*seen, strict=True) for tag in column}) == len(seen) * len(names)
    assert tags() == seen[-1]


def test_unknown_exports_do_not_exist_and_others_are_not_allowed(issue, outsider):
    secret = issue(allowed=["crosswalk"])["secret"]
    unknown = fetch(outsider, secret, "summary")
    assert (unknown.status, unknown.json["error"]) == (404, "unknown_export")
    refused = fetch(outsider, secret, "workbook")
    assert (refused.status, refused.json) == (
        403,
        {"error": "export_not_allowed", "message": "This token does not open workbook; it opens: crosswalk."},
    )


@pytest.mark.real
def test_internal_notes_stay_inside(issue, outsider, with_people):
    frameworks = ("soc2", "iso27001", "pci-dss", "hipaa", "nist-csf", "cis-v8", "cmmc-l2", "gdpr-art32", "fedramp-poam")
    controls = {
        "soc2": "CC6.1",
        "iso27001": "A.5.1",
        "pci-dss": "1.1.1",
        "cis-v8": "1.1",
        "nist-csf": "GV.OC-01",
        "gdpr-art32": "32.1.a",
        "hipaa": "164.308(a)(1)(i)",
    }
    with with_people.revision("acme", "setup", now=NOW) as revision:
        revision.insert(organization_frameworks, [{"framework": name} for name in frameworks if name != "soc2"])
        revision.insert(
            control_profiles,
            [
                {
                    "framework": framework,
                    "control_id": control,
                    "applicable": True,
                    "justification": "law",
                    "note": "INTERNAL-ONLY",
                }
                for framework, control in controls.items()
            ],
        )
        revision.record("organization.prepared")
    secret = issue()["secret"]
    for name in EXPORTS:
        forms = {
            "workbook": ("",),
            "evidence-export": ("?format=csv", "?format=json"),
            "obligation-ics": ("?format=ics", "?format=json"),
        }.get(name, ("?format=json", "?format=csv"))
        for form in forms:
            answer = fetch(outsider, secret, name, form)
            assert answer.status == 200, (name, form, answer.body)
            assert not any(b"INTERNAL-ONLY" in part for part in parts(answer.body)), (name, form)


def parts(body):
    """A body, or the files of an archive."""
    if not body.startswith(b"PK"):
        return [body]
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        return [archive.read(name) for name in archive.namelist()]


# -- who asked for what --------------------------------------------------------------------------------------------


@pytest.mark.real
def test_every_call_is_in_the_log_that_the_client_sees(issue, outsider, sign_in, clock):
    made = issue(allowed=["crosswalk", "obligation-ics"])
    secret = made["secret"]
    wrong = new_secret("assessor")
    calls = [
        (lambda: fetch(outsider, secret, "crosswalk"), "crosswalk", "json", 200),
        (lambda: fetch(outsider, secret, "crosswalk", "?format=csv"), "crosswalk", "csv", 200),
        (lambda: fetch(outsider, secret, "crosswalk", "?format=pdf"), "crosswalk", "pdf", 400),
        (lambda: fetch(outsider, secret, "crosswalk", "?format=csv&format=json"), "crosswalk", "", 400),
        (lambda: fetch(outsider, secret, "obligation-ics"), "obligation-ics", "ics", 200),
        (lambda: fetch(outsider, secret, "workbook"), "workbook", "", 403),
        (lambda: fetch(outsider, secret, "nothing"), "nothing", "", 404),
        (lambda: sign_in().call("DELETE", f"{TOKENS}/{made['id']}"), None, None, 200),
        (lambda: fetch(outsider, secret, "crosswalk"), "crosswalk", "", 401),
        (lambda: fetch(outsider, wrong, "crosswalk"), None, None, 401),  # nobody's: it cannot be told whom it concerns
    ]
    for call, _, _, status in calls:
        assert call().status == status
        clock.tick(timedelta(seconds=1))
    shown = sign_in("member@acme.example").get(TOKENS).json
    expected = [(name, form, status) for _, name, form, status in calls if name]
    log = shown["access_log"]
    assert (log["calls"], log["shown"]) == (8, 8)
    assert log["newest"][0] == {
        "accessed_at": "2026-11-20T08:30:08Z",
        "token_id": made["id"],
        "label": "Audit firm",
        "resource": f"{INSIDE}/assessor/crosswalk",
        "format": "",
        "status": 401,
        "address": "127.0.0.1",
    }
    seen = [(row["resource"].rpartition("/")[2], row["format"], row["status"]) for row in reversed(log["newest"])]
    assert seen == expected
    (token,) = shown["assessor_tokens"]
    assert (token["uses"], token["last_used_at"]) == (7, "2026-11-20T08:30:06Z")
    assert sign_in("owner@other.example", "other").get(TOKENS).json["access_log"]["calls"] == 0


@pytest.mark.real
def test_the_log_has_a_window(issue, outsider, sign_in, clock):
    secret = issue()["secret"]
    fetch(outsider, secret, "crosswalk")
    clock.tick(timedelta(days=8))
    client = sign_in()
    client.cookie = client.console.gate.sessions.issue("owner@acme.example", "acme", now=NOW + timedelta(days=8))
    calls = {window: client.get(f"{TOKENS}?window={window}").json["access_log"]["calls"] for window in ("7d", "all")}
    assert calls == {"7d": 0, "all": 1}
    assert client.get(f"{TOKENS}?window=9d").status == 400


@pytest.mark.real
def test_reading_does_not_move_the_revision(issue, outsider, with_people):
    secret = issue()["secret"]
    head = with_people.head("acme")
    for name in ("crosswalk", "workbook", "evidence-export", "nothing"):
        fetch(outsider, secret, name)
    assert with_people.head("acme") == head


def test_too_many_calls_are_refused_and_logged(issue, outsider):
    secret = issue(allowed=["crosswalk"])["secret"]
    statuses = [fetch(outsider, secret, "hipaa").status for _ in range(62)]
    assert (set(statuses[:60]), set(statuses[60:])) == ({403}, {429})
    assert len(logged_calls(outsider.console)) == 62


def test_a_token_of_another_kind_is_refused_and_logged_where_it_belongs(outsider, sign_in):
    secret = sign_in().post("/api/user/alert-ingest-tokens", {"label": "monitor"}).json["secret"]
    assert fetch(outsider, secret, "crosswalk").status == 401
    assert logged_calls(outsider.console) == [("crosswalk", "", 401)]
    assert outsider.post("/api/integrations/alerts", {}, authorization=f"Bearer {secret}").status == 400


def test_an_assessor_token_opens_no_other_door(issue, outsider):
    secret = issue()["secret"]
    for path in ("/crosswalk", "/workbook", "/export", "/assessor-tokens"):
        assert outsider.get(INSIDE + path, authorization=f"Bearer {secret}").status == 401


# -- calendars -----------------------------------------------------------------------------------------------------


def test_calendars_send_the_token_as_a_password(issue, outsider):
    secret = issue()["secret"]
    answer = outsider.get(PATHS[3], authorization=basic(secret))
    assert (answer.status, answer.headers["content-type"]) == (200, "text/calendar; charset=utf-8")
    assert answer.headers["etag"] == fetch(outsider, secret, "obligation-ics").headers["etag"]
    assert outsider.get(PATHS[3], authorization=basic(secret, "")).status == 200


@pytest.mark.parametrize("header", [None, "Basic", "Basic !!!", "Basic é", basic(""), basic("svc_ca_x"), "Bearer x"])
def test_calendars_are_told_what_to_send(header, outsider):
    answer = outsider.get(PATHS[3], **({"authorization": header} if header else {}))
    assert (answer.status, answer.headers["www-authenticate"]) == (
        401,
        'Bearer, Basic realm="Compliance calendar", charset="UTF-8"',
    )


def test_a_password_opens_the_calendar_alone(issue, outsider):
    secret = issue()["secret"]
    for path in PATHS[:3]:
        answer = outsider.get(path, authorization=basic(secret))
        assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")


def attest(store, moved=None, now=NOW, **values):
    with store.revision("acme", "setup", now=now) as revision:
        if moved is None:
            revision.insert(attestations, [values])
        else:
            revision.update(attestations, {"id": values["id"]}, moved)
        revision.record("attestation.changed")


def entries(body):
    calendar = icalendar.Calendar.from_ical(body)
    return {str(entry["SUMMARY"]): entry for entry in calendar.walk("VEVENT")}


def test_a_moved_duty_keeps_its_entry_and_says_so(issue, outsider, with_people):
    attest(
        with_people, id="a1", framework="soc2", control_id="CC6.1", owner="ann@acme.example", due_on=date(2026, 12, 7)
    )
    secret = issue()["secret"]
    ((title, before),) = entries(fetch(outsider, secret, "obligation-ics").body).items()
    attest(with_people, {"due_on": date(2026, 12, 14)}, id="a1")
    after = entries(fetch(outsider, secret, "obligation-ics").body)[title]
    assert (before["UID"], before["DTSTART"].dt, before["SEQUENCE"]) == (after["UID"], date(2026, 12, 7), 0)
    assert (after["DTSTART"].dt, after["DTEND"].dt, after["SEQUENCE"]) == (date(2026, 12, 14), date(2026, 12, 15), 1)


def test_a_cancelled_duty_stays_a_while_as_cancelled(issue, outsider, with_people):
    meeting = {"id": "m1", "committee_id": "risk", "held_on": date(2026, 12, 3)}
    with with_people.revision("acme", "setup", now=NOW) as revision:
        revision.insert(
            committees,
            [{"id": "risk", "name": "Risk committee", "cadence": "annual", "first_meeting_on": date(2026, 12, 3)}],
        )
        revision.insert(committee_meetings, [meeting])
        revision.record("committee.planned")
    secret = issue()["secret"]
    (before,) = entries(fetch(outsider, secret, "obligation-ics").body).values()
    with with_people.revision("acme", "setup", now=NOW) as revision:
        revision.update(committee_meetings, {"id": "m1"}, {"status": "cancelled"})
        revision.record("committee.meeting.cancelled")
    (after,) = entries(fetch(outsider, secret, "obligation-ics").body).values()
    assert (before["STATUS"], after["STATUS"], after["UID"]) == ("CONFIRMED", "CANCELLED", before["UID"])
    assert (str(after["SUMMARY"]), after.walk("VALARM")) == (f"Cancelled: {before['SUMMARY']}", [])
    assert after["SEQUENCE"] > before["SEQUENCE"]


# -- a calendar program --------------------------------------------------------------------------------------------

PROGRAMS = shutil.which("khal") and shutil.which("vdirsyncer")
VDIRSYNCER = """
[general]
status_path = "{folder}/status"
[pair compliance]
a = "here"
b = "feed"
collections = null
conflict_resolution = "b wins"
[storage here]
type = "filesystem"
path = "{folder}/calendar"
fileext = ".ics"
[storage feed]
type = "http"
url = "{url}/api/governance/compliance/assessor/obligation-ics"
username = "calendar"
password = "{secret}"
"""
KHAL = """
[calendars]
[[compliance]]
path = {folder}/calendar
[locale]
timeformat = %H:%M
dateformat = %Y-%m-%d
longdateformat = %Y-%m-%d
datetimeformat = %Y-%m-%d %H:%M
longdatetimeformat = %Y-%m-%d %H:%M
local_timezone = UTC
default_timezone = UTC
[sqlite]
path = {folder}/khal.db
"""


@pytest.mark.real
@pytest.mark.skipif(not PROGRAMS, reason="khal and vdirsyncer are not installed (apt-get install khal vdirsyncer)")
def test_khal_shows_the_feed_that_vdirsyncer_fetches(issue, with_people, console, tmp_path):
    """End to end with Debian's programs: subscribe with the token as a password, move a duty, cancel another."""
    attest(
        with_people, id="a1", framework="soc2", control_id="CC6.1", owner="ann@acme.example", due_on=date(2026, 12, 7)
    )
    with with_people.revision("acme", "setup", now=NOW) as revision:
        revision.insert(
            committees,
            [
                {
                    "id": "risk",
                    "name": 'Risk; "committee", Ωmega',
                    "cadence": "annual",
                    "first_meeting_on": date(2026, 12, 3),
                }
            ],
        )
        revision.insert(committee_meetings, [{"id": "m1", "committee_id": "risk", "held_on": date(2026, 12, 3)}])
        revision.record("committee.planned")
    (tmp_path / "calendar").mkdir()
    secret = issue(allowed=["obligation-ics"])["secret"]
    with serve(console) as url:
        given = {"folder": tmp_path, "url": url, "secret": secret}
        (tmp_path / "vdirsyncer.conf").write_text(VDIRSYNCER.format(**given))
        (tmp_path / "khal.conf").write_text(KHAL.format(**given))
        run(tmp_path, "vdirsyncer", "discover")
        first = agenda(tmp_path)
        attest(with_people, {"due_on": date(2026, 12, 14)}, id="a1")
        with with_people.revision("acme", "setup", now=NOW) as revision:
            revision.update(committee_meetings, {"id": "m1"}, {"status": "cancelled"})
            revision.record("committee.meeting.cancelled")
        second = agenda(tmp_path)
    meeting = 'Risk; "committee", Ωmega'
    assert [(day, meeting in title) for day, title in first] == [("2026-12-03", True), ("2026-12-07", False)]
    assert [(day, title.startswith("Cancelled: "), meeting in title) for day, title in second] == [
        ("2026-12-03", True, True),
        ("2026-12-14", False, False),
    ]
    assert [title for _, title in second][1] == first[1][1]


def agenda(folder):
    """(day, title) of every entry that khal knows after a synchronization."""
    run(folder, "vdirsyncer", "sync", "--force-delete")
    process = run(folder, "khal", "list", "--format", "{start-date}\t{title}", "--day-format", "", "2026-11-20", "60d")
    return [tuple(line.split("\t")) for line in process.splitlines() if "\t" in line]


def run(folder, program, *arguments):
    config = ["-c", str(folder / f"{program}.conf")]
    done = subprocess.run(
        [program, *config, *arguments],
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
