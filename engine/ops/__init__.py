"""Operations as pure functions: error budgets, dependencies, attack paths, causes and times of incidents.

Plain values or frames in, frozen dataclasses out. Nothing here knows a store, HTTP or the clock.
"""
