"""What each target begins with: payloads of the repository's own tests, as the senders write them."""

import hmac
import io
import json
import tempfile
from collections.abc import Iterable
from datetime import UTC, date, datetime
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlencode

from tests.intake import bodies, documents

Seeds = list[bytes]
RECEIVED = datetime(2026, 11, 20, 8, 30, tzinfo=UTC)
SECRET = "0123456789abcdef0123456789abcdef"
EXAMPLES = json.loads((Path(__file__).parents[3] / "engine/web/openapi/examples.json").read_text())
VENDORS = ("name", "category", "tier", "onboarded_on", "privileged_access")
CLICK = EXAMPLES["bodies"]["POST /api/integrations/slack/approvals"]["payload"]


def _json(values: Iterable[object]) -> Seeds:
    return [json.dumps(value).encode() for value in values]


def alerts() -> Seeds:
    """Every monitor's body."""
    alert = bodies.alertmanager_alert
    return _json(
        [
            bodies.alertmanager(alert(), alert(status="resolved", endsAt="2026-11-20T08:20:00Z")),
            bodies.grafana(bodies.grafana_alert()),
            bodies.grafana_panel(),
            bodies.datadog(),
            bodies.datadog_default(),
            *(bodies.pagerduty(f"incident.{word}") for word in ("triggered", "acknowledged", "resolved", "annotated")),
            bodies.cloudwatch_alarm(),
            bodies.cloudwatch_event(),
            bodies.sns(),
            bodies.sns_subscription(),
            bodies.newrelic(),
            bodies.newrelic_channel(),
            bodies.sentry_issue(),
            bodies.sentry_rule(),
            bodies.sentry_metric(),
            bodies.guardduty(),
            *(bodies.aws_health(word) for word in ("open", "closed")),
            *(bodies.azure_monitor(word) for word in ("Fired", "Resolved")),
            *(bodies.google_monitoring(word) for word in ("open", "closed")),
            *(bodies.opsgenie(word) for word in ("Create", "Acknowledge", "Close")),
            *(bodies.zabbix(value) for value in (1, 0)),
            bodies.normalized_body(dedupe_key="a", started_at="2026-11-20T08:12:00Z", labels={"a": "b"}),
            {"alerts": [bodies.normalized_body(), bodies.normalized_body(status="resolved")]},
        ]
    )


def findings(content_type: str | None) -> Seeds:
    """Scanners' files of a content type."""
    given = EXAMPLES["documents"]["POST /api/integrations/vulnerabilities"]
    if content_type == "application/json":
        detection = bodies.qualys_detection()
        return _json(
            [
                given["application/sarif+json"],
                given["application/vnd.cyclonedx+json"],
                bodies.qualys(),
                bodies.qualys_output(bodies.qualys_host(detection, detection)),
                documents.knowledge_base(documents.KNOWLEDGE),
                bodies.tenable(),
                bodies.security_center(),
                [bodies.finding(), bodies.finding(status="fixed")],
                {"findings": [bodies.finding(cve="CVE-2026-1", cvss=7.5)]},
            ]
        )
    if content_type == "application/xml":
        texts = (documents.NESSUS, documents.SCAN_REPORT, documents.SCAN_RESULT, given["application/xml"])
        return [*(one.encode() for one in texts), documents.qualys_xml(documents.DETECTION, [documents.KNOWLEDGE])]
    return [
        b"Plugin ID,CVE,CVSS,Risk,Host,Protocol,Port,Name,Solution\r\n19506,,,None,192.0.2.8,tcp,0,Scan,n/a\r\n"
        b'156032,CVE-2021-44228,9.3,Critical,192.0.2.8,tcp,8443,"Log4j, remote","a\nb"\r\n',
        b'"Launch Date","11/19/2026"\n\n"IP","DNS","QID","Title","Severity","Port","First Detected","CVE ID"\n'
        b'"10.0.0.5","web1","38170","SSL","4","443","10/01/2026 04:00:00","CVE-2022-1, CVE-2022-2"\n',
        b"----BEGIN_RESPONSE_BODY_CSV\nHost ID;QID;Status;Severity\n6506432;38170;Active;5\n----END_RESPONSE_BODY_CSV\n",
    ]


def imports(suffix: str) -> Seeds:
    """Tables in a format; a line before those of text names the table."""
    from engine.intake.imports.tables import importable
    from engine.store.schema import IMPORTABLE

    if suffix == ".csv":
        heads = [f"{name}\n{','.join(importable(name).fields)}\n" for name in IMPORTABLE if name != "audit_log"]
        rows = "A,saas,high,2026-11-20,yes\nB,cloud,low,20.11.2026,no\nC,,critical,11/20/2026,1\n"
        made = f"vendors\n{','.join(VENDORS)}\n{rows}"
        return [made.encode(), made.replace(",", ";").encode(), *(head.encode() for head in heads)]
    if suffix == ".jsonl":
        line = dict(zip(VENDORS, ("A", "saas", "high", "2026-11-20", True), strict=True))
        incident = {"id": 7, "title": "Down", "severity": "high", "status": "open", "opened_at": "2026-11-20T08:30:00Z"}
        lines = (("vendors", line), ("incidents", incident))
        empty = [(name, dict.fromkeys(importable(name).fields, "x")) for name in IMPORTABLE if name != "audit_log"]
        return [f"{name}\n{json.dumps(one)}\n{json.dumps(one)}\n".encode() for name, one in (*lines, *empty)]
    return [_workbook()] if suffix == ".xlsx" else _parquet()


def _workbook() -> bytes:
    import xlsxwriter

    out = io.BytesIO()
    with xlsxwriter.Workbook(out, {"default_date_format": "dd.mm.yyyy", "in_memory": True}) as book:
        sheet = book.add_worksheet("vendors")
        sheet.write_row(0, 0, VENDORS)
        sheet.write_row(1, 0, ["Acme Cloud", "cloud", "High"])
        sheet.write_datetime(1, 3, datetime(2026, 11, 20, tzinfo=UTC).replace(tzinfo=None))
        sheet.write_boolean(1, 4, True)
        sheet.write_row(2, 0, ["Bolt", 7.5, "low", "2026-01-05", "nein"])
        sheet.write_formula(3, 0, "=1/0", None, "#DIV/0!")
        sheet.write_rich_string(4, 0, "a", book.add_format({"bold": True}), "b")
    return out.getvalue()


def _parquet() -> Seeds:
    import polars as pl

    frames = [
        pl.DataFrame({"name": ["A", "B"], "tier": ["high", None], "onboarded_on": [date(2026, 11, 20), None]}),
        pl.DataFrame({"name": ["A"], "criticality": [3], "category": [1.5], "privileged_access": [True]}),
        pl.DataFrame({"name": [["A", "B"]], "category": [{"a": 1}]}),
    ]
    parquet = []
    for frame in frames:
        out = io.BytesIO()
        frame.write_parquet(out, compression="uncompressed")
        parquet.append(out.getvalue())
    return parquet


def signatures() -> Seeds:
    """Heads, an empty line, and the body that they sign; some right, some of the right form."""
    stamp, body = str(int(RECEIVED.timestamp())), b'{"title": "x"}'

    def sign(before: str) -> str:
        return hmac.new(b"s3cret", before.encode() + body, sha256).hexdigest()

    heads = [
        f"X-Svc-Signature: t={stamp},v1={sign(stamp + '.')}",
        f"X-PagerDuty-Signature: v1={sign('')},v1=ab",
        f"X-Grafana-Alerting-Signature: {sign(stamp + ':')}\nX-Grafana-Alerting-Timestamp: {stamp}",
        f"Sentry-Hook-Signature: {sign('')}",
        f"X-Slack-Signature: v0={sign('v0:' + stamp + ':')}\nX-Slack-Request-Timestamp: {stamp}",
        "PayPal-Transmission-Id: 69cd13f0-d67a-11e5-baa3-778b53f4ae55\nPayPal-Transmission-Time: 2026-11-20T08:30:00Z\n"
        "PayPal-Transmission-Sig: lmI95Jx3Y9nhR5SJWlHVIWpg4AgFk7n9bCHSRxbrd8A=\nPayPal-Auth-Algo: SHA256withRSA\n"
        "PayPal-Cert-Url: https://api.paypal.com/v1/notifications/certs/CERT-360caa42",
    ]
    import certifi

    blocks = Path(certifi.where()).read_bytes().split(b"-----END CERTIFICATE-----\n")[:3]
    certificates = [b"-----BEGIN" + one.partition(b"-----BEGIN")[2] + b"-----END CERTIFICATE-----\n" for one in blocks]
    return [
        *(head.encode() + b"\n\n" + body for head in heads),
        *(heads[-1].encode() + b"\n\n" + one for one in certificates),
    ]


def claims() -> list[dict[str, object]]:
    """What a session may say."""
    now = int(RECEIVED.timestamp())
    plain: dict[str, object] = {"sub": "owner@acme.example", "org": "acme", "exp": now + 3600}
    return [plain, {**plain, "iat": now, "jti": "abc", "nbf": now}, {**plain, "aud": ["hq"], "iss": "idp", "iat": 1.5}]


def form_bodies() -> Seeds:
    """A content type, and the body of it."""
    parts = "".join(
        f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in (("a", "b"), ("c", "é"))
    )
    contact = {name: str(value) for name, value in EXAMPLES["bodies"]["POST /api/contact"].items()}
    return [
        b"application/x-www-form-urlencoded\n" + urlencode(contact).encode(),
        b"application/x-www-form-urlencoded\n" + urlencode({"payload": CLICK}).encode(),
        b'multipart/form-data; boundary="x"\n' + parts.encode() + b"--x--\r\n",
        b"multipart/form-data; boundary=x\n" + parts.encode() + b"--x--\r\n",
    ]


def notes() -> Seeds:
    """Signed heads, one cosigned, and the line of a witness alone."""
    from tests.model.test_checkpoints import NOTE
    from tests.runtime.heads.test_witnesses import ONE

    return [text.encode() for text in (NOTE, NOTE + ONE.line(NOTE), ONE.line(NOTE))]


def receipts(folder: Path) -> Seeds:
    """A receipt of a small history, before and after the key was changed."""
    from engine.archives.verification.receipts import receipt
    from engine.runtime.keys.key_rotations import rotate_key
    from engine.runtime.services import Services
    from engine.runtime.settings import Settings
    from engine.store import Store
    from engine.store.database.migrations import migrate

    url = f"sqlite:///{folder}/hq.db"
    migrate(url)
    store, settings = Store(url), Settings.of({"SVC_DATA_DIR": str(folder)})
    with store.revision("acme", "ann", now=RECEIVED, create={"name": "Acme"}) as revision:
        for _ in range(5):
            revision.record("x")
    services = Services(settings, store, None, RECEIVED)  # type: ignore[arg-type] # no reports are asked for
    made = [receipt(services, "acme", "hq:3", now=RECEIVED)]
    rotate_key(settings.signing_key_path, now=RECEIVED)
    made.append(receipt(services, "acme", "hq:3", now=RECEIVED))
    store.close()
    return [text.encode() for text in made]


def archive(folder: Path) -> bytes:
    """A small sealed bundle."""
    from engine.archives.sealing.archive import seal
    from engine.archives.sealing.spool import ArchiveSpool
    from engine.runtime.keys.signing_keys import signing_key
    from tests.archives.conftest import ABOUT, FILES

    with tempfile.TemporaryDirectory(dir=folder) as scratch, ArchiveSpool(Path(scratch) / "spool") as spool:
        for file, data in FILES.items():
            spool.add(file, f"file {file}", data, data.count(b"\n"))
        seal(spool, ABOUT, signing_key(Path(scratch) / "key"), Path(scratch) / "bundle.zip")
        return (Path(scratch) / "bundle.zip").read_bytes()


def questions() -> Seeds:
    """What people asked in the copilot's tests."""
    from tests.copilot.asked_plain import PLAIN
    from tests.copilot.asked_turned import TURNED

    return [str(question).encode() for question, *_ in (*PLAIN, *TURNED)]


def doors() -> list[tuple[str, bytes]]:
    """``METHOD path`` and a body: the documented example of every operation, and what monitors and scanners send."""
    alert, finding = "POST /api/integrations/alerts", "POST /api/integrations/vulnerabilities"
    scans = [*findings("application/json"), *findings("application/xml"), *findings("text/csv")]
    return [
        *((name, json.dumps(body).encode()) for name, body in EXAMPLES["bodies"].items() if "slack" not in name),
        ("POST /api/integrations/slack/approvals", urlencode({"payload": CLICK}).encode()),
        *((alert, body) for body in alerts()),
        *((finding, body) for body in scans),
    ]


def requests() -> Seeds:
    """Heads and bodies as clients send them, right and nearly so."""
    heads = [
        "GET /api/health HTTP/1.1\r\nHost: localhost",
        "HEAD /api/health HTTP/1.0",
        "GET /api/user/export?x=%C3%B6 HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nAccept: application/json;q=0.5, */*",
        "GET /api/connectors/status HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nSec-Fetch-Site: same-origin",
        "GET /api/connectors/status HTTP/1.1\r\nHost: [::1]:80\r\nCookie: svc_session=a.b.c\r\nX-Request-Id: abcdefgh-1",
        "OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close, upgrade\r\nUpgrade: websocket",
        'GET http://localhost/api/health HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: "x", W/"y"\r\nRange: bytes=0-1',
        "DELETE /api/user/api-keys/%ff%00 HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 1.2.3.4, ::1",
    ]
    body = b'{"title": "Posture"}'
    start = "POST /api/copilot/threads HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return [
        *(head.encode() + b"\r\n\r\n" for head in heads),
        start.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body + b"GET / HTTP/1.1\r\n\r\n",
        start.encode() + b"Transfer-Encoding: chunked\r\n\r\n%x;a=b\r\n%b\r\n0\r\nX: y\r\n\r\n" % (len(body), body),
        start.encode() + b"Expect: 100-continue\r\nContent-Length: 20\r\n\r\n" + body,
    ]
