"""What tokens cost: a user's table of prices, for traces that record tokens only.

    [models."gpt-x"]
    input = 2.5          # dollars per million tokens
    cached = 0.25
    output = 10.0

A model can be named with or without its provider. Without `cached`, cached tokens cost as much as
others. Prices change, so groundtrace contains none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from groundtrace.base import tomlio
from groundtrace.base.given_files import parse_given
from groundtrace.base.values import as_amount, model_name
from groundtrace.errors import InputError

Prices = Mapping[str, tuple[float, float, float]]
"""Model, in lower case, to dollars per million input, cached and output tokens."""

_KEYS = ("input", "cached", "output")
_MILLION = 1_000_000


def load_prices(path: Path) -> dict[str, tuple[float, float, float]]:
    """The prices in a TOML file; raises InputError for a file that cannot be used."""
    try:
        data = parse_given(path, lambda raw: tomlio.loads(raw.decode("utf-8-sig")))
    except ValueError as error:
        raise InputError(f"{path}: not valid TOML: {error}") from error
    models = data.get("models", data)
    if not isinstance(models, dict) or not models:
        raise InputError(f'{path}: no prices in it; write [models."NAME"] with input and output')
    return {name.casefold(): _price(name, entry, path) for name, entry in models.items()}


def _price(name: str, entry: Any, path: Path) -> tuple[float, float, float]:
    where = f"{path}: {name}"
    if not isinstance(entry, dict):
        raise InputError(f"{where}: a table with {', '.join(_KEYS)} is expected")
    for key in entry:
        if key not in _KEYS:
            raise InputError(f"{where}: unknown key {key!r}; there are {', '.join(_KEYS)}")
    for key in ("input", "output"):
        if as_amount(entry.get(key)) is None:
            raise InputError(f"{where}: {key} must be dollars per million tokens")
    if "cached" in entry and as_amount(entry["cached"]) is None:
        raise InputError(f"{where}: cached must be dollars per million tokens")
    cached = entry["cached"] if "cached" in entry else entry["input"]
    return float(entry["input"]), float(cached), float(entry["output"])


def cost_of(
    prices: Prices, model: str | None, tokens: int | None, cached: int | None, output: int | None
) -> float | None:
    """Dollars for these tokens; `tokens` are all of the input. None where anything is unknown."""
    if model is None or tokens is None or output is None:
        return None
    names = (model.casefold(), (model_name(model) or "").casefold())
    price = next((prices[name] for name in names if name in prices), None)
    if price is None:
        price = next(
            (p for name, p in prices.items() if (model_name(name) or "").casefold() == names[1]),
            None,
        )
    if price is None:
        return None
    from_cache = min(cached or 0, tokens)
    per_token = ((tokens - from_cache) * price[0], from_cache * price[1], output * price[2])
    cost = sum(per_token) / _MILLION
    return cost if math.isfinite(cost) else None
