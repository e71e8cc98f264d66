"""What recurring tests of a control came to: how many passed, and which of them fails today."""

from datetime import date

import polars as pl

_KEY = ["org_id", "framework", "control_id"]
_TEST = ["org_id", "test"]


def state_of_tests(tests: pl.DataFrame) -> pl.DataFrame:
    """Tests performed, passed, and the newest failing one of those that failed and did not pass since.

    A check is one test whatever its query is by now: what failed is over when the check passes, by the order in which
    its runs were written, over days that are neither older nor fewer. A failed run stands against every control that
    it was about.
    """
    done = (
        tests.filter(pl.col("outcome").is_not_null())
        .with_columns(test=pl.coalesce(pl.format("check {}", "check_id"), "schedule_id"))
        .sort(pl.col("sequence").fill_null(0), "performed_on", "run_id")
        .with_columns(place=pl.int_range(pl.len()))
    )
    failing = (
        _still_failing(done)
        .group_by(*_KEY, "test", maintain_order=True)
        .agg(failing_test=pl.col("run_id").last(), failing_since=pl.col("performed_on").min())
        .group_by(_KEY)
        .agg(pl.col("failing_test").min(), pl.col("failing_since").min())
    )
    return (
        done.group_by(_KEY)
        .agg(
            tests_performed=pl.len(),
            tests_passed=((pl.col("outcome") == "passed") & pl.col("counts")).sum(),
            last_test_on=pl.col("performed_on").max(),
        )
        .join(failing, on=_KEY, how="left")
    )


def _still_failing(done: pl.DataFrame) -> pl.DataFrame:
    """Failed runs that no later pass ends.

    A pass ends what failed up to the last day that it asked about, when it asked about all days of its cadence or, as
    the failed run, about some from a day on. Runs whose days nobody kept stand for their window; a recurring test has
    one state.
    """
    passed = pl.col("outcome") == "passed"
    # how far passes reach, and from where: from the beginning where they asked about all that their cadence asks
    until = (
        pl.when(pl.col("check_id").is_null())
        .then(pl.lit(date.max))
        .otherwise(pl.coalesce("until_on", "window_close_on"))
    )
    done = done.with_columns(
        reach=pl.when(passed).then(until),
        first=pl.coalesce("since_on", pl.lit(date.min)),
        need=pl.coalesce("until_on", "window_open_on"),
    )
    whole = pl.when(pl.col("since_on").is_null()).then("reach").cum_max(reverse=True).over(_TEST)
    failed = done.with_columns(later=whole.backward_fill().over(_TEST)).filter(
        pl.col("outcome") == "failed", pl.col("later").is_null() | (pl.col("later") < pl.col("need"))
    )
    narrow = done.filter(passed, pl.col("since_on").is_not_null()).select(*_TEST, "place", "first", "reach").unique()
    ended = failed.join(narrow, on=_TEST, suffix="_of_pass").filter(
        pl.col("place_of_pass") > pl.col("place"),
        pl.col("first_of_pass") <= pl.col("first"),
        pl.col("reach_of_pass") >= pl.col("need"),
    )
    return failed.join(ended, on="place", how="anti")
