"""One turn of a conversation: the first provider that begins to answer, else the answer from the reports."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import TypeAlias

from engine.copilot.answers.answers import Citation, OfflineAnswer
from engine.copilot.prompts import NO_FIGURES, figures, messages
from engine.copilot.providers import Completion, Provider, ProviderError, providers_of
from engine.model.vocabulary import Confidence
from engine.runtime.services import Services
from engine.runtime.settings import Settings

log = logging.getLogger("hq.copilot")
OFFLINE = "offline"


@dataclass
class Turn:
    """An answer on its way. ``pieces`` may raise ProviderError where it breaks off; ``close`` lets go of it.

    ``skipped`` says which providers were asked before and why they did not answer. ``citations`` are the figures that
    the answer could use; ``confidence`` is that of an answer from the reports, and None for a model's.
    """

    provider: str
    model: str
    skipped: tuple[dict[str, str], ...]
    citations: tuple[Citation, ...]
    confidence: Confidence | None
    pieces: Iterator[str]
    completion: Completion | None = None

    @property
    def finish(self) -> str:
        """Why the answer ended; known when its pieces are over."""
        return self.completion.finish if self.completion else "stop"

    @property
    def providers_used(self) -> tuple[str, ...]:
        """The providers that were sent figures, or may have been."""
        answered = () if self.completion is None else (self.provider,)
        return (*(skipped["provider"] for skipped in self.skipped), *answered)

    def close(self) -> None:
        """Hang up on the provider."""
        if self.completion is not None:
            self.completion.close()


@dataclass(frozen=True)
class Lookup:
    """What the records say to a question, and the figures that a model is told with it; empty where none is asked."""

    answer: OfflineAnswer
    figures: str


LookUp: TypeAlias = Callable[[str, Sequence[str], bool], Lookup]


def look_up(
    services: Services, org_id: str, asker: str, now: datetime, question: str, before: Sequence[str], for_model: bool
) -> Lookup:
    """What the records of an organization say to a question; ``before`` is what was asked in the conversation so far.

    It takes long: whoever has processes that compute calls it there.
    """
    from engine.copilot.answers import offline
    from engine.copilot.answers.library import Library

    library = Library(services.snapshots, org_id, now=now)
    found = offline.answer(question, library, asker=asker, before=before)
    return Lookup(found, figures(library, found) if for_model else "")


def answer(settings: Settings, conversation: Sequence[dict[str, str]], look: LookUp | None, *, stream: bool) -> Turn:
    """Answer the last message. Without ``look`` nobody is signed in: there is general help alone, and no provider is
    asked unless the settings say so."""
    before = [message["content"] for message in conversation[:-1] if message["role"] == "user"]
    providers = providers_of(settings) if look is not None or settings.copilot_anonymous else ()
    looked = _nobody() if look is None else look(conversation[-1]["content"], before, bool(providers))
    found = looked.answer
    skipped: list[dict[str, str]] = []
    told = messages(conversation, looked.figures) if providers else []
    for provider in providers:
        try:
            completion, pieces = _begin(provider, told, stream)
        except ProviderError as error:
            log.warning("copilot provider %s: %s", provider.name, error.reason)
            skipped.append({"provider": provider.name, "reason": error.reason})
        else:
            return Turn(provider.name, provider.model, tuple(skipped), found.citations, None, pieces, completion)
    lines = iter(found.text.splitlines(keepends=True))
    return Turn(OFFLINE, OFFLINE, tuple(skipped), found.citations, found.confidence, lines)


def _nobody() -> Lookup:
    """What is said to whoever is not signed in."""
    from engine.copilot.answers.offline import general_help

    return Lookup(general_help(), NO_FIGURES)


def _begin(provider: Provider, told: Sequence[dict[str, str]], stream: bool) -> tuple[Completion, Iterator[str]]:
    """An answer whose first piece is there, or all of it where nothing is streamed; ProviderError until then."""
    completion = Completion(provider, told, stream=stream)
    pieces = iter(completion)
    begun = next(pieces, "") if stream else "".join(pieces)
    if not begun or not (stream or begun.strip()):
        completion.close()
        raise ProviderError("empty_answer")
    return completion, chain((begun,), pieces)
