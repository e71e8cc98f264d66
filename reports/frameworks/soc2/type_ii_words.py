"""What the columns of the Type II report are called, and what its words mean."""

MINIMUM_DAYS, MAXIMUM_DAYS = 90, 365
LABELS = {
    "control_id": "Criterion",
    "state": "State today",
    "window_days": "Allowed (days)",
    "status": "Remediation",
    "due_on": "Remediation due",
    "missed": "Times missed",
    "changed_on": "Day",
}
TODAY = (
    "The result is of the whole period and the state is today's: a criterion that is effective may have exceptions "
    "noted before."
)
DEFINITIONS = {
    "population, tested, deviations": "Items that the control was to work on in the period, how many were looked at, "
    "and in how many it did not work. Machine records are all looked at; people take samples.",
    "exceptions noted": "At least one deviation. Each is to be evaluated for cause and effect; a share of tests that "
    "passed is not a conclusion.",
    "not tested": "Neither a test nor a machine record in the period, or machine records alone that are none of the "
    "evidence that the criterion needs: nothing is known, which is not good.",
    "gap in operation": "The longest time without evidence of operation, the time since the last evidence before the "
    "period included, is longer than the window of the cadence allows. Where there never was any, the time since the "
    "records begin counts. Criteria shown by policies alone have none.",
    "answered": "Every test with deviations has a management response, or the remediation of the criterion has a plan. "
    "To machine records nobody responds, so there the plan is the answer.",
    "operated": "Criteria due at least once a month that have evidence of operation in the month. The last month is "
    "not over yet, and the figures count what applies today.",
    "CUEC": "Complementary user entity control: the part of a control that a vendor leaves with its customer, here us. "
    "What our own customers must do is not on record.",
    "days to re-perform": "Annual and semi-annual 1, quarterly and monthly 2, weekly 5, daily 15, more often 25. No "
    "standard sets sizes; the auditor decides.",
}
