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
GOALS = Parameter("goals", None, "several frameworks in one plan: framework:target:day, separated by commas")
SLACK = Parameter("slack", None, "days before the day by which the work is done", 0, 60)
KEEP = Parameter("keep", None, "agreed work keeps owner and weeks whatever the target asks", choices=("yes",))
WITHOUT = Parameter("without", None, "work that is not to be planned: framework:control, separated by commas")
MORE_HOURS = Parameter("hours", None, "people as a question: 8/week@role or 8/week@person, separated by commas")
PRICES = Parameter("prices", None, "what each day and each target costs, in hours", choices=("yes",))
PLAN_PARAMETERS = (TARGET, BY, FROM)
PLAN_CHOICES = (GOALS, SLACK, KEEP, WITHOUT, MORE_HOURS, PRICES)
"""What a plan may be asked besides; alone they ask for none."""
ANY_FRAMEWORK = "*"
"""Of a report that answers for whichever framework is named."""
