"""The interface as its document describes it, built once for whoever asks: it takes a second."""

from functools import cache

import api
from engine.web.openapi import document
from reports import CATALOGUE


@cache
def interface():
    """The OpenAPI document of the console. Nobody changes it."""
    return document(api.CHAPTERS, CATALOGUE, "http://localhost:8080")
