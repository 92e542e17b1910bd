"""Calls of .NET classes that read and write files: `[System.IO.File]::ReadAllText("a.py")`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from groundtrace.shell.powershell.parts import ItemNames, slashed
from groundtrace.shell.powershell.values import Objects, numbers_in
from groundtrace.shell.streams.content import Content
from groundtrace.shell.streams.file_names import join
from groundtrace.shell.streams.part import Write

if TYPE_CHECKING:
    from groundtrace.shell.powershell.state import State

_READS = frozenset(["readalltext", "readalllines", "readlines"])
_WRITES = frozenset(
    ["writealltext", "writealllines", "appendalltext", "appendalllines", "writeallbytes"]
)


def static_call(session: State, kind: str, name: str, arguments: Sequence[Objects]) -> Objects:
    """What a call of a class gives; unknown if the class is not one of these."""
    kind = kind.removeprefix("system.")
    texts = [session.text(argument) for argument in arguments]
    if kind == "io.file" and texts:
        return _file(session, name, texts, arguments)
    if kind == "io.directory" and texts and name in ("getfiles", "enumeratefiles"):
        return [_names(session, texts)]
    if kind == "io.path" and name == "combine" and texts:
        return ["/".join(slashed(text).rstrip("/") for text in texts)]
    if kind == "io.path" and name == "getfullpath" and texts:
        return [join(session.cwd, slashed(texts[0]))]
    if kind == "math" and name in ("min", "max"):
        # `[Math]::Min($lines.Count, 200)`: at most 200.
        known = [n for argument in arguments for n in numbers_in(argument) or ()]
        if known and (name == "min" or len(known) == len(arguments)):
            return [min(known) if name == "min" else max(known)]
    if kind in ("environment", "io.directory") and name in (
        "currentdirectory",
        "getcurrentdirectory",
    ):
        return [session.cwd]
    if kind == "environment" and name == "newline":
        return ["\n"]
    return [None]


def _file(session: State, name: str, texts: Sequence[str], arguments: Sequence[Objects]) -> Objects:
    path = session.path(texts[0])
    if name in _READS:
        return (
            [Content(path=path, rule=name)]
            if path is not None
            else [Content(path=None, spans=None, rule=name)]
        )
    if path is None:
        return [None]
    if name in _WRITES:
        if len(arguments) > 1:
            session.note_text(path, arguments[1], name.startswith("append"))
        return [Write(path=path, rule=name)]
    if name == "delete":
        return [Write(path=path, rule=name)]
    if name in ("copy", "move") and len(texts) > 1:
        target = session.path(texts[1])
        both = [Write(path=target, rule=name)] if target is not None else []
        return [*both, *([Write(path=path, rule=name)] if name == "move" else [])]
    return [None]


def _names(session: State, texts: Sequence[str]) -> ItemNames:
    globs = (texts[1],) if len(texts) > 1 else ()
    return ItemNames(cwd=session.cwd, globs=globs, anchor=False, only_files=True, rule="getfiles")
