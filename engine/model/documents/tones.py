"""What a colour says: a tone is a meaning, and each renderer has its colours, shapes and hatchings for it.

A judgement is of one thing. A step is on a scale from calm to alarming, as severities and tiers are. A measure is a
figure that is drawn and not judged.
"""

from typing import Literal, TypeAlias, get_args

Judgement: TypeAlias = Literal["good", "watch", "bad", "stale", "unknown", "neutral"]
Step: TypeAlias = Literal["calm", "mild", "grave", "alarm"]
Measure: TypeAlias = Literal["main", "second", "third"]
Tone: TypeAlias = Judgement | Step | Measure

JUDGEMENTS: tuple[Judgement, ...] = get_args(Judgement)
STEPS: tuple[Step, ...] = get_args(Step)
MEASURES: tuple[Measure, ...] = get_args(Measure)
TONES: tuple[Tone, ...] = (*JUDGEMENTS, *STEPS, *MEASURES)
