"""A control in scope as the demo plans it."""

from dataclasses import dataclass

from data.demo.programme.practice import WINDOWS


@dataclass
class Control:
    """A control in scope: from the catalogue, what it rests on, who answers for it.

    Ages are in days, None where there is nothing. ``changed`` is how long ago its text or system changed, ``begun``
    whether somebody had signed it before the history begins.
    """

    framework: str
    control_id: str
    title: str
    group_id: str
    weight: int
    cadence: str
    kinds: tuple[str, ...]
    domain: str
    owner: str
    practice_age: int | None = None
    documented: bool = False
    attestation: str = "signed"
    policy: bool = True
    policy_lapsed: bool = False
    contradicted: bool = False
    changed: int | None = None
    test: str = "passed"
    begun: bool = False
    drop_week: int | None = None

    @property
    def key(self) -> str:
        return f"{self.framework}:{self.control_id}"

    @property
    def window(self) -> int:
        return WINDOWS[self.cadence]

    @property
    def in_order(self) -> bool:
        """Whether the plan has nothing against it: signed, and neither a failed test nor a failure in the log."""
        return self.attestation == "signed" and self.test == "passed" and not self.contradicted
