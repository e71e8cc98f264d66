"""One request to the desk: who asks, what was filled in, and what the pages need of the store."""

import hmac
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cached_property, partial
from hashlib import sha256
from typing import TypeVar, cast
from urllib.parse import parse_qsl
from wsgiref.types import WSGIEnvironment

from engine.desk.lateness import LATE, LateDays, late_rows
from engine.desk.pages import page
from engine.desk.queries.rows import people
from engine.desk.submissions import Author
from engine.model.days import local_day
from engine.model.errors import Forbidden, TooLarge, Unauthorized
from engine.model.rights import may
from engine.runtime.processes.worker_process import Assignment
from engine.runtime.services import Services
from engine.store.queries.accounts.organizations import name_of, time_zone
from engine.store.schema import IMPORTABLE
from engine.web.admission.gate import Gate
from engine.web.computing import ComputeConsole, WorkerPool, sync_replica, with_services
from engine.web.forms import FormPart, parts
from engine.web.http import Principal, Request

T = TypeVar("T")
TOKEN = "form_token"  # noqa: S105 - the name of a field
MOST_FIELDS = 2_000
MOST_BYTES = 16 * 1024 * 1024
LARGE_FORM = (
    f"A form has at most {MOST_BYTES >> 20} MiB with its files, and this one has more. Nothing was written. Send it "
    "with smaller files; where the console runs, hq evidence add takes larger ones, and hq import files of records."
)


@dataclass(frozen=True)
class Reply:
    """What goes back. A ``to`` makes it a redirect that is fetched with GET."""

    body: bytes = b""
    status: int = 200
    to: str = ""
    headers: Sequence[tuple[str, str]] = ()
    content_type: str = "text/html; charset=utf-8"
    cache: str = "no-store"


@dataclass
class Visit:
    """A request of somebody who may be signed in. ``query`` holds the parameters of the address.

    ``worker`` reads cells and writes; ``reports`` computes what reports say.
    """

    gate: Gate
    request: Request
    environ: WSGIEnvironment
    worker: WorkerPool | None = None
    reports: WorkerPool | None = None
    principal: Principal | None = None
    query: Mapping[str, str] = field(default_factory=dict)

    @property
    def services(self) -> Services:
        """Those of the process."""
        return self.request.services

    @property
    def now(self) -> datetime:
        """When the request came."""
        return self.request.now

    @property
    def caller(self) -> Principal:
        """Who asks; Unauthorized for nobody."""
        if self.principal is None:
            raise Unauthorized("Sign in to use the desk.")
        return self.principal

    @property
    def author(self) -> Author:
        """The same as the author of changes."""
        caller, local = self.caller, not self.services.settings.session_auth
        return Author(caller.org_id, caller.actor, str(caller.role), local)

    @cached_property
    def today(self) -> date:
        """The organization's day."""
        with self.services.store.reader() as connection:
            return local_day(self.now, time_zone(connection, self.caller.org_id))

    @cached_property
    def organization(self) -> str:
        """What the caller's organization is called."""
        with self.services.store.reader() as connection:
            return name_of(connection, self.caller.org_id)

    @cached_property
    def people(self) -> Mapping[str, str]:
        """The organization's people by address."""
        with self.services.store.reader() as connection:
            return people(connection, self.caller.org_id)

    @cached_property
    def parts(self) -> Sequence[FormPart]:
        """The fields of the posted form. TooLarge over the limit."""
        announced = self.environ.get("CONTENT_LENGTH") or "0"
        length = int(announced) if announced.isascii() and announced.isdigit() else 0
        if length > MOST_BYTES:
            raise TooLarge(LARGE_FORM)
        body = self.environ["wsgi.input"].read(length)
        return parts(self.environ.get("CONTENT_TYPE", ""), body, MOST_FIELDS)

    @cached_property
    def form(self) -> Mapping[str, str]:
        """The fields of text; white space around them does not count."""
        texts = ((one.name, one.content) for one in self.parts if one.file is None)
        return {name: content.decode("utf-8", "replace").replace("\r\n", "\n").strip() for name, content in texts}

    @cached_property
    def token(self) -> str:
        """What forms of this session carry."""
        cookie = sha256(self.request.headers.get("cookie", "").encode()).hexdigest()
        return self.gate.sessions.form_token(f"{self.caller.org_id} {self.caller.actor} {cookie}")

    def check_token(self) -> None:
        """Forbidden for a form that is not from a page of this session."""
        if not hmac.compare_digest(self.form.get(TOKEN, "").encode(), self.token.encode()):
            raise Forbidden("This form is not from your session; open the page again.", word="foreign_form")

    def may(self, table: str, act: str, *, own: bool = False) -> bool:
        """Whether the caller may do an act to a table."""
        return may(self.caller.role, table, act, own=own)

    @cached_property
    def importable(self) -> Sequence[str]:
        """The tables into which the caller may import files."""
        return [name for name in IMPORTABLE if self.may(name, "import")]

    def must(self, table: str, act: str, *, own: bool = False) -> None:
        """Forbidden where the caller may not."""
        if not self.may(table, act, own=own):
            raise Forbidden(
                f"Your role, {self.caller.role}, does not allow this to you: {act} in {table}.", word="role_required"
            )

    def compute(self, function: Callable[..., T], *arguments: object) -> T:
        """A function of a module with services and ``arguments``: in a worker where there is one."""
        if self.worker is None:
            return function(self.services, *arguments)
        work: Assignment[ComputeConsole] = Assignment(with_services, (function, arguments))
        process = self.worker.run(work, place=self.caller.org_id, caller=self.caller.actor, gone=self.request.gone)
        return cast(T, process)

    def late_rows(self, tables: Sequence[str]) -> Mapping[str, LateDays]:
        """What reports say is late, by table, of those tables of which one does."""
        known = [table for table in tables if table in LATE]
        if not known:
            return {}
        arguments = (self.caller.org_id, known, self.now)
        if self.reports is None:
            return late_rows(self.services, *arguments)
        prepare = partial(sync_replica, self.caller.org_id)
        work: Assignment[ComputeConsole] = Assignment(with_services, (late_rows, arguments), prepare)
        found = self.reports.run(work, place=self.caller.org_id, caller=self.caller.actor, gone=self.request.gone)
        return cast(Mapping[str, LateDays], found)

    def reply(self, template: str, status: int = 200, **content: object) -> Reply:
        """A page of somebody who is signed in."""
        frame = {"visit": self, "here": self.request.path, "token": self.token}
        return Reply(page(template, **frame, **content), status)


def query_of(raw: str) -> dict[str, str]:
    """The parameters of an address; the last one counts where a name comes twice."""
    return dict(parse_qsl(raw, keep_blank_values=True, max_num_fields=200))
