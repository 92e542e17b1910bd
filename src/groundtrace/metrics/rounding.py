"""How artifacts round (D20)."""

from __future__ import annotations

from typing import overload

DECIMALS = 4


@overload
def rounded(value: float) -> float: ...
@overload
def rounded(value: None) -> None: ...
@overload
def rounded(value: float | None) -> float | None: ...
def rounded(value: float | None) -> float | None:
    """The value as artifacts hold it; nothing stays nothing."""
    return None if value is None else round(value, DECIMALS)
