"""The turns that make an organization worth reporting on, by control.

``bend`` changes what a control was drawn to be; the other chapters read the same tables for the records around it.
"""

from collections.abc import Mapping

from data.demo.history.story import Story
from data.demo.programme.plan import Control

# The control whose test failed last week.
REGRESSION: Mapping[str, tuple[str, str]] = {
    "aurora": ("soc2", "CC6.1"),
    "brightline": ("pci-dss", "8.4.2"),
    "cobalt": ("iso27001", "A.8.13"),
}
# The control that an expired exception is still relied on for.
RELIED_ON: Mapping[str, tuple[str, str]] = {
    "aurora": ("pci-dss", "3.5.1"),
    "brightline": ("pci-dss", "11.3.1.1"),
    "cobalt": ("cmmc-l2", "SC.L2-3.13.11"),
}
# Not applicable with justification, approver and date; and one that only says so.
JUSTIFIED: Mapping[str, dict[tuple[str, str], str]] = {
    "aurora": {
        ("pci-dss", control): "No card is ever present: all payments are taken by a redirect to the processor."
        for control in ("9.5.1", "9.5.1.1", "9.5.1.2", "9.5.1.2.1", "9.5.1.3")
    },
    "brightline": {("iso27001", "A.7.12"): "No cabling of our own: every office is a serviced one."},
    "cobalt": {("soc2", "P6.7"): "No personal information is collected for our own purposes."},
}
UNJUSTIFIED: Mapping[str, tuple[str, str]] = {
    "aurora": ("iso27001", "A.7.6"),
    "brightline": ("pci-dss", "11.2.1"),
    "cobalt": ("cis-v8", "9.7"),
}
# Not applicable with a justification that nobody approved: still applicable.
UNAPPROVED: Mapping[str, tuple[str, str]] = {
    "aurora": ("iso27001", "A.7.4"),
    "brightline": ("soc2", "P5.2"),
    "cobalt": ("soc2", "P8.1"),
}
# Evidence was filed, but of a kind that the control does not ask for.
NOT_GOVERNED: Mapping[str, tuple[str, str]] = {
    "aurora": ("soc2", "CC2.2"),
    "brightline": ("soc2", "CC1.4"),
    "cobalt": ("soc2", "CC1.2"),
}
# Cheap repairs of what much depends on: the only thing missing is the first signature.
QUICK_WINS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "aurora": (("soc2", "A1.2"), ("soc2", "CC1.4"), ("soc2", "CC6.8"), ("soc2", "CC8.1"), ("iso27001", "A.8.15")),
    "brightline": (("soc2", "A1.2"), ("soc2", "CC6.8"), ("soc2", "CC8.1")),
    "cobalt": (("soc2", "A1.2"), ("soc2", "CC6.8"), ("soc2", "CC8.1")),
}
# Aurora's ISO certificate: access reviews stopped and two policies lapsed, so owners no longer sign.
SLIPPED_WEEKS = 10
SLIPPED = (
    "5.2",
    "7.5.3",
    "9.1",
    "A.5.1",
    "A.5.3",
    "A.5.10",
    "A.5.15",
    "A.5.16",
    "A.5.17",
    "A.5.18",
    "A.5.19",
    "A.5.20",
    "A.5.21",
    "A.5.22",
    "A.5.23",
    "A.5.31",
    "A.5.36",
    "A.6.2",
    "A.6.5",
    "A.6.6",
    "A.7.2",
    "A.8.2",
    "A.8.3",
    "A.8.4",
    "A.8.18",
    "A.8.30",
)

# What went wrong and was left unanswered: action, days ago, the word that the log has for its outcome.
UNANSWERED: Mapping[str, tuple[tuple[str, int, str], ...]] = {
    "aurora": (
        ("access.review.overdue", 70, "success"),
        ("access.review.overdue", 21, "success"),
        ("asv.scan.failed", 12, "failure"),
        ("training.overdue", 33, "success"),
        ("log.integrity.failed", 8, "denied"),
    ),
    "brightline": (("dsar.overdue", 6, "success"), ("segmentation.test.failed", 11, "denied")),
    "cobalt": (
        ("access.review.overdue", 30, "success"),
        ("training.overdue", 24, "success"),
        ("log.integrity.failed", 18, "failure"),
        ("vendor.review.overdue", 9, "success"),
        ("dr.test.failed", 41, "failure"),
    ),
}
# Domains whose policy is past its yearly review.
LAPSED_POLICIES: Mapping[str, tuple[str, ...]] = {
    "aurora": ("access", "vendor"),
    "brightline": (),
    "cobalt": ("network", "asset", "continuity", "backup"),
}


def bend(story: Story, control: Control) -> None:
    org, key = story.profile.org, (control.framework, control.control_id)
    if key in JUSTIFIED[org]:
        control.attestation = "not_applicable"
    elif key == UNJUSTIFIED[org]:
        control.attestation, control.test, control.contradicted = "none", "passed", False
    elif key == NOT_GOVERNED[org]:
        control.attestation, control.test, control.policy = "none", "passed", False
    elif key == REGRESSION[org]:
        control.attestation, control.test, control.policy = "signed", "failed", True
    elif key == RELIED_ON[org]:
        control.attestation, control.test, control.contradicted, control.drop_week = "overdue", "passed", True, 1
    elif key in QUICK_WINS[org]:
        control.attestation, control.test, control.policy, control.changed = "first", "passed", True, None
    elif org == "aurora" and control.framework == "iso27001" and control.control_id in SLIPPED:
        position = SLIPPED.index(control.control_id)
        control.attestation = "rejected" if position % 3 == 0 else "overdue"
        control.test, control.drop_week = "passed", SLIPPED_WEEKS - position * SLIPPED_WEEKS // len(SLIPPED)
        control.contradicted |= control.domain in LAPSED_POLICIES[org]
