"""The page on the Python API, printed from signatures and docstrings."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from reference_pages import code, field_docs, page, table

import groundtrace

INTRODUCTION = (
    "The names in `groundtrace.__all__` are the API; the rest of the package may change. "
    "Examples: [a notebook](../guides/notebook.md), [use groundtrace from "
    "Python](../guides/python.md). A location is a path or the URL of an object store. Errors "
    "that groundtrace raises on purpose are `GroundtraceError`s: [errors](errors.md)."
)


def api() -> str:
    """Functions, then classes, each in the order of their names."""
    names = [name for name in groundtrace.__all__ if not name.startswith("_")]
    made = {name: getattr(groundtrace, name) for name in names}
    functions = [name for name in names if not isinstance(made[name], type)]
    classes = [name for name in names if isinstance(made[name], type)]
    blocks = [INTRODUCTION, "## Functions"]
    for name in functions:
        blocks += [f"### {name}", _signature(name, made[name]), _doc(made[name])]
    blocks.append("## Classes")
    for name in classes:
        blocks += [f"### {name}", _doc(made[name]), *_members(made[name])]
    return page("Python API", *blocks)


def _doc(thing: object) -> str:
    return inspect.getdoc(thing) or ""


def _signature(name: str, function: Callable[..., Any]) -> str:
    """A signature, one parameter a line where there are many."""
    found = inspect.signature(function)
    parameters = [p.replace(annotation=_Type(p.annotation)) for p in found.parameters.values()]
    shown = found.replace(parameters=parameters, return_annotation=_Type(found.return_annotation))
    text = f"{name}{shown}"
    if len(text) > 90:
        head, _, tail = text.partition("(")
        inner, _, result = tail.rpartition(")")
        parts = re.split(r", (?![^\[]*\])", inner)
        text = f"{head}(\n" + "".join(f"    {part},\n" for part in parts) + f"){result}"
    return f"```text\n{text}\n```"


class _Type:
    """A type as people write it; `inspect` shows options of a table in their long forms."""

    def __init__(self, hint: Any) -> None:
        self.hint = hint

    def __repr__(self) -> str:
        if isinstance(self.hint, str):
            return self.hint
        origin, inner = get_origin(self.hint), [repr(_Type(one)) for one in get_args(self.hint)]
        if origin in {Union, UnionType}:
            return " | ".join(inner).replace("str | PathLike[str]", "Location")
        if origin is Literal:
            return f"Literal[{json.dumps(get_args(self.hint))[1:-1]}]"
        named = origin or self.hint
        name = "None" if named is NoneType else named.__name__
        return f"{name}[{', '.join(inner)}]" if inner else name


def _members(made: type) -> Iterator[str]:
    rows = []
    if is_dataclass(made):
        rows += [[code(name), text] for name, text in field_docs(made).items()]
    for name, member in vars(made).items():
        public = not name.startswith("_")
        if public and isinstance(member, property) and member.fget is not None:
            rows.append([code(name), _doc(member.fget).partition("\n\n")[0]])
        elif public and inspect.isfunction(member):
            rows.append([code(f"{name}()"), _doc(member).partition("\n\n")[0]])
    if rows:
        yield table(["member", "meaning"], ([a, " ".join(b.split())] for a, b in rows))
