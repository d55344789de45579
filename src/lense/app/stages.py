"""What a job said so far: its stages, how far each is, and how long it will take."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

_LEAST_SHARE, _LEAST_SECONDS = 0.02, 0.5
"""Before that, how fast a stage goes says nothing about how long it will take."""
_MOST_STAGES = 200


@dataclass
class Stage:
    """One stage, within another one if its depth is above 0."""

    name: str
    depth: int
    total: float | None
    expected: float | None
    begun: float
    done: float = 0.0
    note: str = ""
    ended: float | None = None

    def as_dict(self) -> dict[str, Any]:
        now = monotonic() if self.ended is None else self.ended
        seconds = now - self.begun
        share, left = self._share(seconds)
        return {
            "name": self.name,
            "depth": self.depth,
            "note": self.note,
            "seconds": round(seconds, 2),
            "is_done": self.ended is not None,
            "share": None if share is None else round(share, 4),
            "left": None if left is None else round(left, 1),
        }

    def _share(self, seconds: float) -> tuple[float | None, float | None]:
        """How much is done, and the seconds that are left; None where that is not known."""
        if self.ended is not None:
            return 1.0, 0.0
        if self.total:
            share = min(self.done / self.total, 1.0)
            is_clear = share >= _LEAST_SHARE and seconds >= _LEAST_SECONDS
            return share, seconds * (1 - share) / share if is_clear else None
        if self.expected and self.expected >= _LEAST_SECONDS:
            # an estimate that was too short does not end the stage
            return min(seconds / self.expected, 0.95), max(self.expected - seconds, 0.0)
        return None, None


@dataclass
class Stages:
    """The stages of one job, fed with its events."""

    known: dict[int, Stage] = field(default_factory=dict)
    error: str | None = None
    partial: Any = None
    is_done: bool = False

    def take(self, event: Mapping[str, Any]) -> None:
        """Let one event count."""
        if "begin" in event:
            self._begin(event)
        elif "at" in event:
            if stage := self.known.get(event["at"]):
                stage.done, stage.note = event["done"], event["note"]
        elif "end" in event:
            if stage := self.known.get(event["end"]):
                stage.ended = monotonic()
        elif "error" in event:
            self.error = event["error"]
        elif "partial" in event:
            self.partial = event["partial"]
        elif "done" in event:
            self.is_done = True

    def _begin(self, event: Mapping[str, Any]) -> None:
        if len(self.known) >= _MOST_STAGES:  # of small pieces only those that run are worth showing
            ended = next((number for number, one in self.known.items() if one.ended and one.depth), None)
            if ended is not None:
                del self.known[ended]
        self.known[event["begin"]] = Stage(
            event["name"], event["depth"], event["total"], event.get("seconds"), monotonic()
        )

    def as_list(self) -> list[dict[str, Any]]:
        """All outer stages, and of inner ones those that run."""
        return [one.as_dict() for one in self.known.values() if one.depth == 0 or one.ended is None]
