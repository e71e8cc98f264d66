"""What people and machines do in operations: alerts, findings, incidents, services, keys, vendors, retention.

Computations (error budgets, dependencies, attack paths, causes) are pure: plain values or frames in, frozen dataclasses
out. Commands take a ``Revision`` and write; neither knows HTTP or the clock.
"""
