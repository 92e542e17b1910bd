"""What a git command shows about folders: where a repository is, and which one (D181)."""

from __future__ import annotations

from collections.abc import Sequence

from groundtrace.model import RootSign
from groundtrace.paths.windows import rooted
from groundtrace.shell.programs.call import Call
from groundtrace.shell.streams.file_names import join
from groundtrace.shell.streams.word import Word

_WITH_VALUES = frozenset(
    {"-b", "--branch", "-o", "--origin", "-c", "--config", "-j", "--jobs", "-u", "--upload-pack"}
    | {"--depth", "--reference", "--template", "--filter", "--shallow-since", "-B"}
)
"""Options of `git clone` and `git worktree add` that take the next word."""


def note_folder(call: Call, cwd: str | None, verb: str, args: Sequence[Word]) -> None:
    """Add what `git verb args`, run in `cwd`, shows to the signs of the shell."""
    if cwd is None:
        return
    signs = call.shell.signs
    if verb == "clone":
        operands = _operands(args)
        if operands and all(word.known for word in operands[:2]):
            url = operands[0].text
            folder = operands[1].text if len(operands) > 1 else _own_name(url)
            signs[RootSign("clone", join(cwd, folder), url)] = None
    elif verb == "worktree":
        operands = _operands(args)
        if len(operands) > 1 and operands[0].text == "add" and operands[1].known:
            signs[RootSign("worktree", join(cwd, operands[1].text))] = None
    elif verb == "init":
        operands = _operands(args)
        if all(word.known for word in operands):
            signs[RootSign("top", join(cwd, operands[0].text if operands else "."))] = None
    elif verb == "rev-parse" and any(word.text == "--show-toplevel" for word in args):
        for line in call.shell.lines:
            top = rooted(line.strip())
            if top[:1] == "/" and f"{cwd}/".startswith(f"{top}/"):
                signs[RootSign("top", top)] = None
    else:
        signs[RootSign("git", cwd)] = None


def _operands(args: Sequence[Word]) -> list[Word]:
    found: list[Word] = []
    skips = False
    for word in args:
        if skips:
            skips = False
        elif word.text.startswith("-"):
            skips = word.text in _WITH_VALUES
        else:
            found.append(word)
    return found


def _own_name(url: str) -> str:
    """The folder that `git clone` makes where none is given."""
    return url.rstrip("/").rpartition("/")[2].rpartition(":")[2].removesuffix(".git") or "."
