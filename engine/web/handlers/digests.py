"""Digests over HTTP: previews that say what would leave, deliveries by hand, deliveries by cron."""

from dataclasses import dataclass
from typing import Annotated

import msgspec

from engine.delivery import channels_of, endpoints
from engine.digests import CHAIN_NAME, ChainRun, Run, deliver, each, run_chain, wants
from engine.model.declarations.digest import Digest
from engine.model.errors import NotFound
from engine.web.admission.access import Access
from engine.web.admission.limits import SENSITIVE
from engine.web.answers.digests import DigestRun, DigestRuns, StaffingChainRun, StaffingChainRuns
from engine.web.bodies import JsonBody
from engine.web.handlers.reports import report_route
from engine.web.http import Request, Response, answer
from engine.web.lanes import ARCHIVES, REPORTS
from engine.web.routes import Route

CRON = "cron"


class DeliveryBody(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """Body of a delivery by hand; it may be left out."""

    send_empty: bool = False
    period_days: Annotated[int, msgspec.Meta(ge=1, le=730)] | None = None


class ScheduledBody(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """Body of a delivery by cron; without ``orgId`` every organization that wants it."""

    org_id: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None
    period_days: Annotated[int, msgspec.Meta(ge=1, le=730)] | None = None


SCHEDULED = JsonBody(ScheduledBody, required=False)


@dataclass(frozen=True)
class DigestOutlook:
    """Headers of a preview: the hash of what it says and the channels over which it would leave."""

    digest: Digest

    def headers(self, request: Request, content_hash: str) -> dict[str, str]:
        """``X-Content-Hash`` and ``X-Delivery-Channels``."""
        services, org_id = request.services, request.caller.org_id
        with services.store.reader() as connection:
            ways = channels_of(services.settings, endpoints(connection, org_id))
        leaving = [way.name for way in ways.leaving if way.name in self.digest.channels]
        return {"X-Content-Hash": content_hash, "X-Delivery-Channels": ", ".join(leaving) or "none"}


@dataclass(frozen=True)
class DeliveryHandler:
    """POST of a digest: the delivery of the present period, once."""

    digest: Digest

    @property
    def summary(self) -> str:
        """For the description of the interface."""
        return f"Deliver {self.digest.name} for the present {self.digest.period}, once."

    def __call__(self, request: Request, wanted: DeliveryBody) -> Response:
        """What came of it."""
        caller = request.caller
        run = deliver(
            request.services,
            self.digest,
            caller.org_id,
            caller.actor,
            now=request.now,
            query=_query(wanted.period_days),
            send_empty=wanted.send_empty,
        )
        return answer(run.as_dict())


@dataclass(frozen=True)
class ScheduledHandler:
    """POST of a digest by cron: the same delivery, for one organization or for all that want it."""

    digest: Digest

    @property
    def summary(self) -> str:
        """For the description of the interface."""
        return f"Deliver {self.digest.name} by cron, for one organization or for each that wants it."

    def __call__(self, request: Request, wanted: ScheduledBody) -> Response:
        """What came of it, for each."""
        digest, services, query = self.digest, request.services, _query(wanted.period_days)
        digest.report.parse(query)

        def run(org_id: str) -> Run:
            return deliver(services, digest, org_id, CRON, now=request.now, query=query, scheduled=True)

        if wanted.org_id is not None:
            return answer(run(_organization(request, wanted.org_id)).as_dict())

        def wanted_by(org_id: str) -> bool:
            return wants(services, digest, org_id)

        every = [org_id for org_id, _ in services.store.organizations()]
        runs = each(digest.name, every, run, wanted=wanted_by)
        return answer({"digest": digest.name, "runs": [one.as_dict() for one in runs]})


@dataclass(frozen=True)
class ChainHandler:
    """POST of the staffing chain by cron: rollup, SLA digest, escalation."""

    digests: tuple[Digest, ...]
    summary: str = "Run what is left of the day's staffing chain: rollup, SLA digest, escalation."

    def __call__(self, request: Request, wanted: ScheduledBody) -> Response:
        """What came of each step, for each organization."""
        digests, services = self.digests, request.services

        def run(org_id: str) -> ChainRun:
            return run_chain(services, digests, org_id, CRON, now=request.now)

        if wanted.org_id is not None:
            return answer(run(_organization(request, wanted.org_id)).as_dict())

        def wanted_by(org_id: str) -> bool:
            return any(wants(services, digest, org_id) for digest in digests)

        every = [org_id for org_id, _ in services.store.organizations()]
        runs = each(CHAIN_NAME, every, run, wanted=wanted_by)
        return answer({"chain": CHAIN_NAME, "runs": [one.as_dict() for one in runs]})


def preview_route(method: str, path: str, access: Access, digest: Digest) -> Route:
    """The route of a digest's report, with headers that say what would leave."""
    return report_route(method, path, access, digest.report.name, outlook=DigestOutlook(digest))


def delivery_route(method: str, path: str, access: Access, digest: Digest) -> Route:
    """The route that delivers a digest by hand."""
    return Route(
        method,
        path,
        access,
        DeliveryHandler(digest),
        SENSITIVE,
        parameters=None,
        body=JsonBody(DeliveryBody, required=False),
        answer=DigestRun,
        lane=REPORTS,
        in_worker=True,
    )


def scheduled_route(method: str, path: str, access: Access, digest: Digest) -> Route:
    """The route that delivers a digest by cron."""
    return Route(
        method,
        path,
        access,
        ScheduledHandler(digest),
        parameters=None,
        body=SCHEDULED,
        answer=(DigestRun, DigestRuns),
        errors=(404,),
        lane=ARCHIVES,
        in_worker=True,
    )


def chain_route(method: str, path: str, access: Access, digests: tuple[Digest, ...]) -> Route:
    """The route that runs the chain of digests by cron."""
    return Route(
        method,
        path,
        access,
        ChainHandler(digests),
        parameters=None,
        body=SCHEDULED,
        answer=(StaffingChainRun, StaffingChainRuns),
        errors=(404,),
        lane=ARCHIVES,
        in_worker=True,
    )


def _organization(request: Request, org_id: str) -> str:
    if org_id not in {known for known, _ in request.services.store.organizations()}:
        raise NotFound(f"There is no organization {org_id[:80]!r}.", word="unknown_organization")
    return org_id


def _query(period_days: int | None) -> dict[str, str]:
    return {} if period_days is None else {"periodDays": str(period_days)}
