"""What a report may be asked to answer whether a framework will be ready by a day, and what makes it so."""

from engine.model.declarations.ask import Parameter

DEFAULT_TARGET = 100
TARGET = Parameter(
    "target",
    DEFAULT_TARGET,
    "strict readiness that is wanted, in percent: instead of the report whether it will be "
    "there by the day, and the cheapest work that makes it so",
    1,
    100,
)
BY = Parameter("by", None, "the day by which it is wanted; without, the framework's own target date", is_day=True)
FROM = Parameter(
    "from", None, "effective throughout from that day on (Type II), not on the last day alone", is_day=True
)
FRAMEWORK_FACT = ("frameworks", "framework")
"""Where a framework that a parameter names is found: those of the program and those of the organization's own."""
PLANNED_FRAMEWORK = Parameter("framework", None, "the framework that is to be ready", found_in=FRAMEWORK_FACT)
PLAN_PARAMETERS = (TARGET, BY, FROM)
ANY_FRAMEWORK = "*"
"""Of a report that answers for whichever framework is named."""
