"""The analytics store: a DuckDB replica of the operational store. DuckDB is imported nowhere else."""

from engine.analytics.replica import Replica, View

__all__ = ["Replica", "View"]
