"""Searches and listings that print an object for each line or file.

    {"File": "a.py", "LineNumber": 12, "LineContent": "text"}       Antigravity, one a line
    {"files": [{"path": "a.py", "firstMatchLine": 69, "sample": "text"}]}

What such an object says is fixed by the tool. Objects of unknown tools are read in `objects`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groundtrace.answers.found import PathOf
from groundtrace.answers.line import Shown
from groundtrace.base import jsonio
from groundtrace.base.values import as_items, as_mapping, text_or_empty, whole_number


def objects_in(text: str, key: str) -> list[Mapping[str, Any]] | None:
    """The objects of an answer with one on each line, as Antigravity's tools give; those without
    this member are left out. None for any other answer."""
    lines = [line for line in text.split("\n") if line.startswith("{")]
    if not lines or not text.lstrip().startswith("{") or f'"{key}"' not in lines[0]:
        return None
    found = []
    for line in lines:
        try:
            value = as_mapping(jsonio.loads(line.encode("utf-8", errors="surrogatepass")))
        except jsonio.BadJsonError:
            return None
        if isinstance(value.get(key), str):
            found.append(value)
    return found


def found_objects(text: str, place: PathOf) -> list[Shown] | None:
    """Lines that were found, one object for each; files if there are no lines."""
    objects = objects_in(text, "File")
    if objects is None:
        return None
    shown = []
    for one in objects:
        path, line = place(one["File"]) or "", whole_number(one.get("LineNumber"))
        if line is None:
            shown.append(Shown(path, "surfaced"))
        else:
            chars = len(text_or_empty(one.get("LineContent"))) + 1
            shown.append(Shown(path, "matched", line, None, chars))
    return shown


def sampled_files(text: str, place: PathOf) -> list[Shown] | None:
    """Files of an answer that is an object with `files`, each with one line of it; None for any
    other answer."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        value = jsonio.loads(text.encode("utf-8", errors="surrogatepass"))
    except jsonio.BadJsonError:
        return None
    if not isinstance(as_mapping(value).get("files"), list):
        return None
    shown = []
    for entry in as_items(value["files"]):
        members = as_mapping(entry)
        name = entry if isinstance(entry, str) else text_or_empty(members.get("path"))
        sample = text_or_empty(members.get("sample"))
        line = whole_number(members.get("firstMatchLine")) if sample else None
        path = place(name) or "" if name else ""
        if line is None:
            shown.append(Shown(path, "surfaced"))
        else:
            shown.append(Shown(path, "matched", line, None, len(sample) + 1))
    return shown
