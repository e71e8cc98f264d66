"""Everything that people ask about."""

from engine.copilot.entities.assurance import ASSURANCE
from engine.copilot.entities.duty import DUTY_TIMES
from engine.copilot.entities.entity import Entity
from engine.copilot.entities.exposure import EXPOSURE
from engine.copilot.entities.governance import GOVERNANCE
from engine.copilot.entities.ledger import LEDGER
from engine.copilot.entities.operations import OPERATIONS
from engine.copilot.entities.programme import PROGRAMME
from engine.copilot.entities.services import SERVICES
from engine.copilot.entities.vendors import VENDORS

ENTITIES: tuple[Entity, ...] = (
    *OPERATIONS,
    *SERVICES,
    *PROGRAMME,
    *VENDORS,
    *ASSURANCE,
    *GOVERNANCE,
    *EXPOSURE,
    *LEDGER,
    *DUTY_TIMES,
)
