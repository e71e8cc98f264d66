"""Digests over HTTP: previews that say what would leave, deliveries by hand, deliveries by cron."""

from typing import Annotated, Any, TypeVar

import msgspec

from engine.delivery import channels_of, endpoints
from engine.digests import (
    CHAIN_NAME,
    ChainRun,
    Run,
    deliver,
    each,
    hash_of,
    run_chain,
    wants,
)
from engine.model.digest import Digest
from engine.model.errors import NotFound
from engine.web.handlers.reports import Outlook
from engine.web.http import (
    Handler,
    Request,
    Response,
    answer,
)

CRON = "cron"
T = TypeVar("T")


class DeliveryBody(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """Body of a delivery by hand; it may be left out."""

    send_empty: bool = False
    period_days: Annotated[int, msgspec.Meta(ge=1, le=730)] | None = None


class ScheduledBody(msgspec.Struct, forbid_unknown_fields=True, rename="camel"):
    """Body of a delivery by cron; without ``orgId`` every organization that wants it."""

    org_id: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None
    period_days: Annotated[int, msgspec.Meta(ge=1, le=730)] | None = None


def outlook(digest: Digest) -> Outlook:
    """Headers of a preview: the hash of what it says and the channels over which it would leave.

    They are headers because the report's own bytes depend on nothing but the records.
    """

    def headers(request: Request, body: Any) -> dict[str, str]:
        services, org_id = request.services, request.caller.org_id
        with services.store.reader() as connection:
            ways = channels_of(services.settings, endpoints(connection, org_id))
        leaving = [way.name for way in ways.leaving if way.name in digest.channels]
        return {
            "X-Content-Hash": hash_of(msgspec.json.decode(body)),
            "X-Delivery-Channels": ", ".join(leaving) or "none",
        }

    return headers


def send(digest: Digest) -> Handler:
    """POST of a digest: the delivery of the present period, once."""

    def handler(request: Request) -> Response:
        wanted, caller = _body(request, DeliveryBody), request.caller
        run = deliver(
            request.services, digest, caller.org_id, caller.actor, now=request.now,
            query=_query(wanted.period_days), send_empty=wanted.send_empty,
        )  # fmt: skip
        return answer(run.shown())

    return handler


def scheduled(digest: Digest) -> Handler:
    """POST of a digest by cron: the same delivery, for one organization or for all that want it."""

    def handler(request: Request) -> Response:
        wanted = _body(request, ScheduledBody)
        services, query = request.services, _query(wanted.period_days)
        digest.report.parse(query)

        def run(org_id: str) -> Run:
            return deliver(services, digest, org_id, CRON, now=request.now, query=query)

        if wanted.org_id is not None:
            return answer(run(_known(request, wanted.org_id)).shown())

        def wanted_by(org_id: str) -> bool:
            return wants(services, digest, org_id)

        every = [org_id for org_id, _ in services.store.organizations()]
        runs = each(digest.name, every, run, wanted=wanted_by)
        return answer({"digest": digest.name, "runs": [one.shown() for one in runs]})

    return handler


def chain(digests: tuple[Digest, ...]) -> Handler:
    """POST of the staffing chain by cron: rollup, SLA digest, escalation."""

    def handler(request: Request) -> Response:
        wanted = _body(request, ScheduledBody)
        services = request.services

        def run(org_id: str) -> ChainRun:
            return run_chain(services, digests, org_id, CRON, now=request.now)

        if wanted.org_id is not None:
            return answer(run(_known(request, wanted.org_id)).shown())

        def wanted_by(org_id: str) -> bool:
            return any(wants(services, digest, org_id) for digest in digests)

        every = [org_id for org_id, _ in services.store.organizations()]
        runs = each(CHAIN_NAME, every, run, wanted=wanted_by)
        return answer({"chain": CHAIN_NAME, "runs": [one.shown() for one in runs]})

    return handler


def _known(request: Request, org_id: str) -> str:
    if org_id not in {known for known, _ in request.services.store.organizations()}:
        raise NotFound(f"There is no organization {org_id[:80]!r}.", word="unknown_organization")
    return org_id


def _body(request: Request, kind: type[T]) -> T:
    return request.parsed(kind) if request.body else kind()


def _query(period_days: int | None) -> dict[str, str]:
    return {} if period_days is None else {"periodDays": str(period_days)}
