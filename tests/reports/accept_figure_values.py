"""Accept the values of figures: ``python -m tests.reports.accept_figure_values``.

Refused where a value moves and its figure has the version that it had: what moves a value is a change of its formula, a
line of ``CHANGES`` (``engine/model/figures/versions.py``) with its name in the changelog. Where there is no file all
values are accepted_values.
"""

from contextlib import closing

from engine.replica.replica import Replica
from tests.facts.conftest import facts_over
from tests.reports.figure_values import VALUES, accepted_values, corpus, moves, values_bytes, values_of


def main() -> None:
    with closing(Replica("sqlite:///nowhere", None, threads=1)) as replica, replica.view() as view:
        now = values_of(facts_over(view, corpus()))
    wrong = moves(now, accepted_values())
    if wrong:
        raise SystemExit(
            "Values moved without a new version of their figures; add a line to CHANGES in "
            "engine/model/figures/versions.py:\n" + "\n".join(wrong)
        )
    VALUES.write_bytes(values_bytes(now))


if __name__ == "__main__":
    main()
