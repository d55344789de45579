"""Marks that would lie on one another are moved apart, each with a thin line to its true place."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

Box = tuple[float, float, float, float]
"""Left, bottom, right and top of a mark and its text."""
_FIRST, _STEP, _FARTHEST = 8.0, 3.5, 60.0
_ANGLES = (90, 60, 120, 30, 150, 0, 180, -30, 210, -60, 240, -90)
"""Directions to move a mark in, in degrees, the best first: mostly there is room above."""


class Spot(NamedTuple):
    """Where a mark should lie, half its width and height, and the width of a text at its right, all in points."""

    x: float
    y: float
    half: float
    text: float = 0.0


class Frame(NamedTuple):
    """The area that marks are moved within, in points."""

    left: float
    bottom: float
    right: float
    top: float


def spread(spots: Sequence[Spot], small: Sequence[Spot], frame: Frame) -> list[tuple[float, float]]:
    """A place for each spot, its own if no spot before it has that; the first spots choose first.

    Otherwise it moves to the nearest place in the frame that is free, also of the ``small`` ones, which do not move.
    Where there is none, it stays.
    """
    others = [_box(spot, spot.x, spot.y) for spot in small]
    taken: list[Box] = []
    places = []
    for spot in spots:
        place = spot.x, spot.y
        box = _box(spot, *place)
        if _meets(box, taken) or (spot.text and not _is_inside(box, frame)):
            place = next((one for one in _around(spot) if _is_free(_box(spot, *one), [*taken, *others], frame)), place)
        places.append(place)
        taken.append(_box(spot, *place))
    return places


def _around(spot: Spot) -> Iterator[tuple[float, float]]:
    for radius in np.arange(_FIRST, _FARTHEST, _STEP):
        for angle in np.radians(_ANGLES):
            yield spot.x + float(radius * np.cos(angle)), spot.y + float(radius * np.sin(angle))


def _box(spot: Spot, x: float, y: float) -> Box:
    return x - spot.half, y - spot.half, x + spot.half + spot.text, y + spot.half


def _is_free(box: Box, taken: Sequence[Box], frame: Frame) -> bool:
    return _is_inside(box, frame) and not _meets(box, taken)


def _is_inside(box: Box, frame: Frame) -> bool:
    return box[0] >= frame.left and box[1] >= frame.bottom and box[2] <= frame.right and box[3] <= frame.top


def _meets(box: Box, taken: Sequence[Box]) -> bool:
    left, bottom, right, top = box
    return any(left < one[2] and one[0] < right and bottom < one[3] and one[1] < top for one in taken)
