"""What the checks of a credential need of a console: services, sessions, limits."""

from dataclasses import dataclass

from engine.model.errors import NotFound
from engine.runtime.services import Services
from engine.web.admission.linked_limits import RateLimits
from engine.web.admission.sessions import Sessions


@dataclass(frozen=True)
class Gate:
    """Where a caller is let in or refused."""

    services: Services
    sessions: Sessions
    limiter: RateLimits

    def local_organization(self) -> str:
        """The organization of session-mode: the one that is set, else the first."""
        chosen: str = self.services.settings.local_org
        known = [org_id for org_id, _ in self.services.store.organizations()]
        if chosen and chosen not in known:
            raise NotFound(f"SVC_LOCAL_ORG names {chosen!r}, which does not exist.", word="unknown_organization")
        if not known:
            raise NotFound("There is no organization yet; `hq import` or `hq demo` makes one.", word="no_organization")
        return chosen or known[0]
