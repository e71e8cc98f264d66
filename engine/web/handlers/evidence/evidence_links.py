"""Test-to-bundle links: which test shows which control."""

from typing import Annotated

import msgspec

from engine.model.declarations.ask import Parameter
from engine.model.vocabulary import LINK_OUTCOMES
from engine.programme.evidence_links import LinkRequest, link
from engine.web.http import Request, Response, answer

MOST = 500
Identifier = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
SUPPLEMENT = Parameter(
    "supplement", "false", "true: all links may name bundles sealed before the test", choices=("true", "false")
)


class NewLink(msgspec.Struct, forbid_unknown_fields=True):
    """One link; the same test, control and bundle is one link however often it comes."""

    test_id: Identifier
    framework: Identifier
    control_id: Identifier
    bundle_id: Identifier | None = None
    supplement: bool = False


class NewLinks(msgspec.Struct, forbid_unknown_fields=True):
    """Body of POST /api/governance/compliance/testing-evidence-linker."""

    links: Annotated[tuple[NewLink, ...], msgspec.Meta(min_length=1, max_length=MOST)]


def link_tests(request: Request, given: NewLinks) -> Response:
    """POST /api/governance/compliance/testing-evidence-linker: links tests to controls and bundles."""
    every = request.options["supplement"] == "true"
    caller = request.caller
    wanted = [
        LinkRequest(one.test_id, one.framework, one.control_id, one.bundle_id, every or one.supplement)
        for one in given.links
    ]
    results = request.services.store.write(
        caller.org_id, caller.actor, lambda revision: link(revision, wanted), now=request.now
    )
    counts: dict[str, int] = {outcome: sum(row["outcome"] == outcome for row in results) for outcome in LINK_OUTCOMES}
    shown: dict[str, object] = {**counts, "links": results}
    return answer(shown, status=201 if counts["created"] else 200)
