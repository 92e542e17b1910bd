"""Hypothesis strategies for documents, made from their types."""

from __future__ import annotations

import re
from typing import Any

import msgspec.inspect as inspect
from hypothesis import strategies as st

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 2**65),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    TEXT,
    st.lists(st.integers(), max_size=2),
    st.dictionaries(TEXT, st.integers(), max_size=2),
)


def values(wanted: inspect.Type) -> st.SearchStrategy[Any]:
    """JSON values that a type allows."""
    match wanted:
        case inspect.Metadata(type=inner):
            return values(inner)
        case inspect.UnionType(types=types):
            options = [values(t) for t in types]
            return st.one_of(options)
        case inspect.LiteralType(values=allowed):
            return st.sampled_from(list(allowed))
        case inspect.AnyType():
            return ANYTHING
        case inspect.NoneType():
            return st.none()
        case inspect.BoolType():
            return st.booleans()
        case inspect.IntType(ge=low, le=high):
            return st.integers(low if low is not None else -9, min(high or 99, 2**63 - 1))
        case inspect.FloatType(ge=low, le=high):
            return st.floats(low, high, allow_nan=False, allow_infinity=False)
        case inspect.StrType(pattern=None):
            return TEXT
        case inspect.StrType(pattern=pattern):
            return st.just("1.1") if re.search(pattern, "1.1") else st.from_regex(pattern)
        case inspect.ListType(item_type=inner):
            return st.lists(values(inner), max_size=2)
        case inspect.DictType(key_type=key, value_type=inner):
            return st.dictionaries(values(key), values(inner), max_size=2)
        case inspect.StructType(fields=known):
            return st.fixed_dictionaries(
                {f.encode_name: values(f.type) for f in known if f.required},
                optional={f.encode_name: values(f.type) for f in known if not f.required},
            )
    raise TypeError(f"no strategy for {wanted}")


@st.composite
def spoiled(draw: st.DrawFn, document: st.SearchStrategy[Any]) -> Any:
    """A valid document with one place changed, so that most are invalid and some are not."""
    whole = draw(document)
    places = list(_places(whole))
    holder, key = draw(st.sampled_from(places))
    change = draw(st.sampled_from(["replace", "remove", "add"]))
    if change == "replace":
        holder[key] = draw(ANYTHING)
    elif change == "remove":
        del holder[key]
    elif isinstance(holder, dict):
        holder["unheard_of"] = draw(ANYTHING)
    else:
        holder.append(draw(ANYTHING))
    return whole


def _places(value: Any) -> Any:
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(pairs):
        yield value, key
        if isinstance(inner, dict | list):
            yield from _places(inner)


def with_known_names(document: Any) -> Any:
    """A summary whose names of groups all name one: a schema cannot ask for that, a reader does."""
    if not isinstance(document, dict):
        return document
    configs = document.get("by_config")
    known = {f"by_config.{name}" for name in configs} if isinstance(configs, dict) else set()

    def mend(groups: Any) -> None:
        for name, group in groups.items() if isinstance(groups, dict) else ():
            if isinstance(group, str) and group.startswith("by_config.") and group not in known:
                groups[name] = "overall"

    for field in ("by_suite", "by_model", "by_candidate_set_size", "by_evidence_type"):
        mend(document.get(field))
    columns = document.get("by_group")
    for groups in columns.values() if isinstance(columns, dict) else ():
        mend(groups)
    return document
