"""The orders that rows of the programme reports stand in, and the score of a control's state (F3)."""

from collections.abc import Sequence
from functools import cache, lru_cache

import polars as pl

from engine.model.vocabulary import STATE_SCORES

STATES_WORST_FIRST = ("ineffective", "no_data", "stale", "partial", "effective", "not_applicable")


def rank(column: str, words: Sequence[str]) -> pl.Expr:
    """The position of a word in ``words``; words that are not there come last."""
    return _rank(column, tuple(words))


@lru_cache(maxsize=100)  # lists of words are few, and handing one to Polars takes longer than sorting most tables
def _rank(column: str, words: tuple[str, ...]) -> pl.Expr:
    return pl.col(column).replace_strict(
        list(words), list(range(len(words))), default=len(words), return_dtype=pl.Int64
    )


@cache
def state_score(column: str = "state") -> pl.Expr:
    """1 effective, 0.5 partial, 0.25 stale, else 0 (F3)."""
    return pl.col(column).replace_strict(
        list(STATE_SCORES), list(STATE_SCORES.values()), default=0.0, return_dtype=pl.Float64
    )
