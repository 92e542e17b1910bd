"""Readers who see fewer colours can tell configurations apart: by colour, and by shape."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pytest

from groundtrace.report.parts import asset
from groundtrace.report.svg import SHAPES, mark

SIGHT = {
    "all colours": np.eye(3),
    # Machado, Oliveira and Fernandes 2009, at full severity.
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
}
XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
FAR = 10.0


def linear(colour: str) -> np.ndarray:
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(light: np.ndarray) -> np.ndarray:
    scaled = XYZ @ np.clip(light, 0, 1) / np.array([0.95047, 1, 1.08883])
    x, y, z = np.where(scaled > 0.008856, np.cbrt(scaled), 7.787 * scaled + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def distance(one: np.ndarray, other: np.ndarray) -> float:
    """CIE 1976: the plain distance."""
    return float(np.linalg.norm(one - other))


def palettes() -> list[tuple[str, ...]]:
    found = re.findall(
        r"--k0: (#\w+);" + "".join(rf" --k{n}: (#\w+);" for n in range(1, 8)), asset("page.css")
    )
    return list(dict.fromkeys(found))


def test_there_is_a_palette_for_each_theme() -> None:
    assert len(palettes()) == 2


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("palette", palettes())
def test_every_two_colours_are_far_apart(palette: tuple[str, ...], sight: str) -> None:
    seen = [lab(SIGHT[sight] @ linear(colour)) for colour in palette]
    near = [
        (palette[i], palette[j])
        for i, j in combinations(range(len(seen)), 2)
        if distance(seen[i], seen[j]) < FAR
    ]
    assert near == []


def test_every_colour_has_a_shape_of_its_own() -> None:
    assert len(set(SHAPES.values())) == len(SHAPES) == 8
    drawn = {re.sub(r"f-k\d", "", str(mark(50, 50, 5, colour))) for colour in SHAPES}
    assert len(drawn) == 8
