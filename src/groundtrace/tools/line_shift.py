"""Which lines of a file a write changed, and by how many lines the file grew (D72).

A change names the lines that were replaced, as they were numbered before it, and how many lines the
file grew. The changes of one write are in order: each uses the line numbers that the change before
it left. An insertion replaces nothing: its last line is the line before its first. If only the
growth of the file is known, a written reference has a `line_shift` and no changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from groundtrace.answers.numbered import SURE, numbered_lines
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_items, as_mapping, text_or_empty, whole_number
from groundtrace.model import FileRef, ToolCall

"""A line of Read (`     1→text` until 2.1.74, `1<TAB>text` later), of `cat -n`, or of opencode
(`00001| text`)."""


class EditedLines(msgspec.Struct, frozen=True, order=True):
    """The lines replaced, as numbered before the write, and the growth of the file."""

    start: int | None
    """First line replaced. For an insertion: the line that it was put above. None if unknown."""
    end: int | None
    """Last line replaced. For an insertion: the line before `start`."""
    shift: int


def with_changes(ref: FileRef, changes: Sequence[EditedLines]) -> FileRef:
    """The written file with its growth and the places that changed, as far as they are known."""
    if not changes:
        return ref
    placed = tuple(
        (change.start, change.end, change.shift)
        for change in changes
        if change.start is not None and change.end is not None
    )
    return replace(
        ref,
        line_shift=sum(change.shift for change in changes),
        line_changes=placed if len(placed) == len(changes) else (),
    )


def edit_changes(call: ToolCall, text: str) -> list[EditedLines]:
    """What an edit that replaces text (Edit, MultiEdit, str_replace, insert) changed."""
    data = call.result.data if call.result is not None else None
    stated = list(patch_changes(as_items(as_mapping(data).get("structuredPatch"))))
    if stated:
        # From the bottom up, so that no change moves the lines of the next.
        return sorted(stated, reverse=True)
    arguments = call.arguments
    line = whole_number(arguments.get("insert_line"))
    if arguments.get("command") == "insert" and line is not None and line >= 0:
        added = text_or_empty(arguments.get("new_str")) or text_or_empty(arguments.get("text"))
        return [EditedLines(line + 1, line, added.count("\n") + 1)] if added else []
    edits = [as_mapping(edit) for edit in as_items(arguments.get("edits"))] or [arguments]
    changes = [_replaced(edit, text if len(edits) == 1 else "") for edit in edits]
    if None in changes:
        return []
    known = [change for change in changes if change is not None]
    if len(known) == 1:
        return known
    # Each edit uses the line numbers that the edit before it left, so only the sum is certain.
    return [EditedLines(None, None, sum(change.shift for change in known))]


def _replaced(edit: Mapping[str, Any], text: str) -> EditedLines | None:
    old = _first(edit, ("old_string", "old_str", "oldText", "old_text"))
    new = _first(edit, ("new_string", "new_str", "newText", "new_text"))
    if not old or new is None:
        return None
    shift = new.count("\n") - old.count("\n")
    if edit.get("replace_all") is True:
        return EditedLines(None, None, 0) if shift == 0 else None
    whole = old.endswith("\n") and new.endswith("\n")
    start = _placed(text, (new[:-1] if whole else new).split("\n"))
    if start is None:
        return EditedLines(None, None, shift)
    return EditedLines(start, start + old.count("\n") - whole, shift)


def _first(edit: Mapping[str, Any], names: Iterable[str]) -> str | None:
    return next((edit[name] for name in names if isinstance(edit.get(name), str)), None)


def _placed(text: str, new: Sequence[str]) -> int | None:
    """The line where the new text begins.

    It is found in the numbered lines of the answer; None unless the text is there exactly once.
    """
    shown = numbered_lines(text.split("\n"), SURE)
    if not any(line.strip() for line in new):
        return None
    found = [
        shown[at].number
        for at in range(len(shown) - len(new) + 1)
        if _stands(new, [line.text.rstrip("\r") for line in shown[at : at + len(new)]])
    ]
    return found[0] if len(found) == 1 else None


def _stands(new: Sequence[str], lines: Sequence[str]) -> bool:
    """Whether the text is on these lines; it may begin and end in the middle of a line."""
    if len(new) == 1:
        return new[0] in lines[0]
    return (
        lines[0].endswith(new[0])
        and lines[-1].startswith(new[-1])
        and list(lines[1:-1]) == list(new[1:-1])
    )


def patch_changes(hunks: Iterable[Any]) -> Iterator[EditedLines]:
    """One change for each run of changed lines in hunks with `oldStart` and prefixed `lines`."""
    for hunk in hunks:
        hunk = as_mapping(hunk)
        at = whole_number(hunk.get("oldStart"))
        if at is None or at < 1:
            continue
        removed = added = 0
        for line in [*(text_or_empty(line) for line in as_items(hunk.get("lines"))), " "]:
            if line.startswith("-"):
                removed += 1
            elif line.startswith("+"):
                added += 1
            elif not line.startswith("\\"):  # `\ No newline at end of file` is not a line
                if removed or added:
                    yield EditedLines(at, at + removed - 1, added - removed)
                at, removed, added = at + removed + 1, 0, 0


def body_shift(lines: Iterable[str]) -> int:
    """Growth by a patch body without line numbers: added lines minus removed lines."""
    prefixes = [line[:1] for line in lines if not line.startswith(("+++ ", "--- "))]
    return prefixes.count("+") - prefixes.count("-")


# --- sed in place -------------------------------------------------------------------------

_DELETED = regex(r"(\d{1,9})(?:,(\d{1,9}))?\s*d")
_INSERTED = regex(r"(\d{1,9})\s*([ia])\\?\s*(.*)", re.DOTALL)
_CHANGED = regex(r"(\d{1,9})(?:,(\d{1,9}))?\s*c\\?\s*(.*)", re.DOTALL)
_ADDRESS = r"(?:\d{1,9}|\$|/(?:\\.|[^/\\\n])*/)"
_SUBSTITUTED = regex(
    rf"(?:{_ADDRESS}(?:,{_ADDRESS})?)?\s*s([/|#,@!])(?:\\.|(?!\1)[^\\])*\1(?:\\.|(?!\1)[^\\])*\1"
    r"[gpIiMm\d]*"
)
"""One substitution and nothing behind it: `s/a/b/; 5d` removes a line."""
_OTHER_WRITERS = regex(
    r"\b(?:for|while|until|xargs|find|python3?|perl|awk|patch|git|tee|mv|cp|rm|ed)\b|[$`>]"
)
"""Other programs that may write a file, or may write files that the command does not name."""


def sed_changes(command: str) -> dict[str, list[EditedLines]]:
    """What the `sed -i` of a plain command changed, in order, by file as the command names it.

    A file is left out if one of its changes is not understood. If another program in the command
    may write, the result is empty.
    """
    words = _words(_on_one_line(command))
    if words[:2] in (["bash", "-c"], ["sh", "-c"]) and len(words) == 3:
        return sed_changes(words[2])
    found: dict[str, list[EditedLines] | None] = {}
    for part in _commands(words):
        if part[0] == "sed" and any(re.match(r"-[nErsz]*i|--in-place", word) for word in part):
            _add_sed(part[1:], found)
        elif any(map(_OTHER_WRITERS.search, part)):
            return {}
    return {file: changes for file, changes in found.items() if changes}


def _on_one_line(command: str) -> str:
    """The command with lines that end in a backslash joined, as a shell joins them: not in single
    quotes, where `a\\` and the lines below it are the text that sed inserts."""
    return _PIECE.sub(_joined, command) if "\\\n" in command else command


_PIECE = regex(r"'[^']*+'?|\"(?:[^\"\\]|\\.)*+\"?|\\.", re.DOTALL)
"""A text in quotes, or a character after a backslash."""


def _joined(piece: re.Match[str]) -> str:
    text = piece[0]
    if text[0] == '"':
        return _AFTER_BACKSLASH.sub(lambda pair: "" if pair[0] == "\\\n" else pair[0], text)
    return " " if text == "\\\n" else text


_AFTER_BACKSLASH = regex(r"\\(.)", re.DOTALL)
_WORD = regex(
    r"(?:[ \t\r\n]++|#[^\n]*+)*+"
    r"(?P<word>[();<>|&]++|(?:[^ \t\r\n'\"\\();<>|&#]++|'[^']*+'|\"(?:[^\"\\]|\\.)*+\"|\\.)++|\Z)",
    re.DOTALL,
)
_PARTS = regex(r"'([^']*+)'|\"((?:[^\"\\]|\\.)*+)\"|\\(.)", re.DOTALL)
_IN_QUOTES = regex(r"\\([\"\\])")


def _words(command: str) -> list[str]:
    """The words of a command as `shlex` splits it with `punctuation_chars`; none if a quote stays
    open. `shlex` goes from character to character: a hundredth of `normalize` where agents edit with
    sed."""
    words: list[str] = []
    at = 0
    while (found := _WORD.match(command, at)) is not None:
        if at == len(command) or not found["word"]:
            return words
        words.append(_PARTS.sub(_without_quotes, found["word"]))
        at = found.end()
    return []


def _without_quotes(part: re.Match[str]) -> str:
    if part[2] is not None:
        return _IN_QUOTES.sub(r"\1", part[2])
    return part[1] if part[1] is not None else part[3]


def _commands(words: Sequence[str]) -> Iterator[list[str]]:
    part: list[str] = []
    for word in [*words, ";"]:
        if set(word) <= set(";&|()"):
            if part:
                yield part
            part = []
        else:
            part.append(word)


_OTHER_SCRIPT = regex(r"-[iErsz]*[en]|-f|--expression|--file|--quiet|--silent")
"""Options after which the first word is not the script, or lines are not kept by themselves."""


def _add_sed(words: Sequence[str], found: dict[str, list[EditedLines] | None]) -> None:
    options = [word for word in words if word.startswith("-")]
    script, *files = [word for word in words if word and not word.startswith("-")] or [""]
    plain = not any(map(_OTHER_SCRIPT.match, options))
    changes = _sed_change(script.strip()) if plain else []
    for file in files if plain else words:
        known = found.get(file, [])
        found[file] = None if known is None or not changes else [*known, *changes]


def _sed_change(script: str) -> list[EditedLines]:
    deleted = _DELETED.fullmatch(script)
    if deleted is not None:
        start, end = int(deleted[1]), int(deleted[2] or deleted[1])
        return [EditedLines(start, end, start - end - 1)] if 1 <= start <= end else []
    inserted = _INSERTED.fullmatch(script)
    if inserted is not None and inserted[3]:
        above = int(inserted[1]) + (inserted[2] == "a")
        return [EditedLines(above, above - 1, _height(inserted[3]))] if above >= 1 else []
    changed = _CHANGED.fullmatch(script)
    if changed is not None and changed[3]:
        start, end = int(changed[1]), int(changed[2] or changed[1])
        grown = _height(changed[3]) - (end - start + 1)
        return [EditedLines(start, end, grown)] if 1 <= start <= end else []
    if _SUBSTITUTED.fullmatch(script) and "\\n" not in script and "\n" not in script:
        return [EditedLines(None, None, 0)]
    return []


def _height(text: str) -> int:
    """Lines of the text that sed's `a`, `i` and `c` put in."""
    return text.replace("\\\n", "\n").replace("\\n", "\n").count("\n") + 1
