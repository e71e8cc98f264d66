"""Automations: playbooks as data, rehearsed against the records, held against policies, recorded under guard.

The console does not act on foreign systems. A dry-run computes a plan, an execution is the guarded record that
somebody carries the plan out.
"""
