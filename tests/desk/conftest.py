"""The desk over a small store: acme with one member of each role and a few records of theirs, and other beside it."""

import io
import re
import shutil
from dataclasses import dataclass
from html import unescape
from urllib.parse import urlencode, urlsplit

import pytest

from engine.desk.application import Desk
from engine.replica.replica import Replica
from engine.reporting.artifacts.artifacts import Artifacts
from engine.reporting.snapshot.snapshots import Snapshots
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store import Store
from engine.store.schema import metadata
from reports import CATALOGUE
from tests.conftest import NOW
from tests.web.conftest import SECRET, peopled_template  # noqa: F401 - a fixture

GAPS = [
    {
        "id": "g1",
        "framework": "soc2",
        "control_id": "CC6.1",
        "title": "Keys are shared",
        "owner": "member@acme.example",
    },
    {"id": "g2", "framework": "soc2", "control_id": "CC6.2", "title": "No reviews", "owner": None},
]
ROWS = {
    "remediations": [
        {**row, "severity": "high", "opened_on": NOW.date(), "due_on": NOW.date().replace(day=15), "status": "open"}
        for row in GAPS
    ],
    "attestations": [
        {
            **{"id": "a1", "framework": "soc2", "control_id": "CC1.1", "owner": "member@acme.example"},
            **{"due_on": NOW.date(), "statement": "It operated as described."},
        }
    ],
    "vendors": [
        {"id": "v1", "name": "Cloudy", "category": "cloud", "tier": "high", "owner": "member@acme.example"},
        {"id": "v2", "name": "Payo", "category": "payments", "tier": "low"},
    ],
    "exceptions": [
        {
            **{"id": "x1", "kind": "gap", "framework": "soc2", "control_id": "CC7.1", "reason": "later"},
            **{"expires_on": NOW.date().replace(day=30), "status": "in_review"},
        }
    ],
    "incidents": [
        {"id": "i1", "title": "Down", "severity": "high", "status": "open", "opened_at": NOW, "started_at": NOW}
    ],
}


@dataclass
class Page:
    """What the desk answered."""

    status: int
    headers: list
    text: str

    def header(self, name):
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)

    @property
    def words(self):
        """The text of the page as one reads it."""
        return " ".join(unescape(re.sub(r"<[^>]+>", " ", self.text)).split())

    @property
    def fields(self):
        """The fields of its last form as a browser would send them."""
        form = self.text.rpartition("<form")[2]
        found = {}
        for tag in re.findall(r"<select.*?</select>|<input[^>]*>", form, re.DOTALL):
            name = re.search(r'name="([^"]*)"', tag)
            if name is None or 'type="file"' in tag:
                continue
            chosen = re.search(r'<option value="([^"]*)" selected', tag) if tag.startswith("<select") else None
            value = chosen or (None if tag.startswith("<select") else re.search(r'value="([^"]*)"', tag))
            found[unescape(name[1])] = unescape(value[1]) if value else ""
        for name, text in re.findall(r'<textarea[^>]*name="([^"]*)"[^>]*>\n(.*?)</textarea>', form, re.DOTALL):
            found[unescape(name)] = unescape(text)
        return found


class Browser:
    """Somebody at the desk, without a network: keeps the cookie, sends what a browser sends."""

    def __init__(self, desk, cookie=None):
        self.desk, self.cookie = desk, cookie

    def call(self, method, url, body=b"", **headers):
        parts, seen = urlsplit(url), {}
        environ = {
            **{"REQUEST_METHOD": method, "PATH_INFO": parts.path, "QUERY_STRING": parts.query, "SCRIPT_NAME": ""},
            **{"SERVER_NAME": "localhost", "SERVER_PORT": "8090", "HTTP_HOST": "localhost:8090"},
            **{"SERVER_PROTOCOL": "HTTP/1.1", "REMOTE_ADDR": "127.0.0.1", "wsgi.url_scheme": "http"},
            **{"wsgi.input": io.BytesIO(body), "CONTENT_LENGTH": str(len(body))},
            "CONTENT_TYPE": "application/x-www-form-urlencoded",
        }
        if self.cookie:
            environ["HTTP_COOKIE"] = f"svc_session={self.cookie}"
        environ |= {
            name.upper() if name == "content_type" else f"HTTP_{name.upper()}": value for name, value in headers.items()
        }

        def start_response(status, given, exc_info=None):
            seen["status"], seen["headers"] = int(status.split()[0]), given

        text = b"".join(self.desk.wsgi(environ, start_response)).decode()
        return Page(seen["status"], seen["headers"], text)

    def get(self, url, **headers):
        return self.call("GET", url, **headers)

    def post(self, url, fields, **headers):
        return self.call("POST", url, urlencode(fields).encode(), **headers)

    def fill(self, url, **cells):
        """The form of a page, filled in and sent."""
        page = self.get(url)
        fields = page.fields
        return self.post(url.partition("&back")[0], fields | {f"cell.{name}": text for name, text in cells.items()})

    def drop(self, name, content, **fields):
        """A file dropped on the desk."""
        fields = {"form_token": self.get("/import").fields["form_token"], **fields}
        return self.multipart("/import", fields, name, content)

    def multipart(self, url, fields, name, content):
        parts = [
            f'--XX\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'.encode()
            for key, value in fields.items()
        ]
        head = f'--XX\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode()
        body = b"".join([*parts, head, content, b"\r\n--XX--\r\n"])
        return self.call("POST", url, body, content_type="multipart/form-data; boundary=XX")


@pytest.fixture(scope="session")
def desk_template(peopled_template, tmp_path_factory):  # noqa: F811 - the fixture
    """A SQLite store with people and a few records, to copy."""
    path = tmp_path_factory.mktemp("desk") / "hq.db"
    shutil.copy(peopled_template, path)
    opened = Store(f"sqlite:///{path}")
    with opened.revision("acme", "setup", now=NOW) as revision:
        for name, rows in ROWS.items():
            revision.insert(metadata.tables[name], rows)
        revision.record("records.prepared")
    opened.close()
    return path


@pytest.fixture
def store(desk_template, tmp_path):
    path = tmp_path / "hq.db"
    shutil.copy(desk_template, path)
    opened = Store(f"sqlite:///{path}")
    yield opened
    opened.close()


@pytest.fixture
def desk(store, tmp_path):
    settings = Settings.of({"SVC_DATA_DIR": str(tmp_path / "var"), "SVC_SESSION_SECRET": SECRET})
    opened = []

    def replica():
        opened.append(Replica(store.url, None))
        return opened[0]

    snapshots = Snapshots(store, replica, Artifacts(tmp_path / "artifacts"), CATALOGUE)
    yield Desk(Services(settings, store, snapshots, NOW), clock=lambda: NOW)
    snapshots.close()
    for one in opened:
        one.close()


@pytest.fixture
def sign_in(desk):
    """Somebody at the desk: a role of acme, or an address."""

    def browser(who="owner", org="acme"):
        email = who if "@" in who else f"{who}@{org}.example"
        return Browser(desk, desk.gate.sessions.issue(email, org, now=NOW))

    return browser
