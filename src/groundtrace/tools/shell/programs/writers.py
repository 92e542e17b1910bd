"""Programs that write files. A removal is a write: it changes the file for good.

Of a copy or a move the target is written; the source of a move is not counted twice.
"""

from __future__ import annotations

import re

from groundtrace.tools.file_names import looks_like_folder
from groundtrace.tools.shell.programs.call import Call, Handler
from groundtrace.tools.shell.streams.file_names import is_file_name, join
from groundtrace.tools.shell.streams.part import Opaque, Parts, Write
from groundtrace.tools.shell.streams.patched import Patched
from groundtrace.tools.shell.streams.text import Text
from groundtrace.tools.shell.streams.word import Word

_NEW_NAME = re.compile(r"^\+\+\+ (?:\"?b/)?([^\t\n]+?)\"?(?:\t.*)?$", re.MULTILINE)
_OLD_NAME = re.compile(r"^--- (?:\"?a/)?([^\t\n]+?)\"?(?:\t.*)?$", re.MULTILINE)


def patch_targets(text: str) -> list[str]:
    """Files that a patch changes, in order; removed files by their old name."""
    out: list[str] = []
    olds = _OLD_NAME.findall(text)
    news = _NEW_NAME.findall(text)
    for index, new in enumerate(news):
        name = olds[index] if new == "/dev/null" and index < len(olds) else new
        if is_file_name(name) and name not in out:
            out.append(name)
    return out


def apply_patch(call: Call, cwd: str | None) -> Parts:
    """A patch from a here-document names its files; else the program's own output does."""
    text = "\n".join(
        line for part in call.stdin or [] if isinstance(part, Text) for line in part.lines
    )
    targets = patch_targets(text)
    if targets:
        written: Parts = [Write(path=join(cwd, name), rule=call.name) for name in targets]
        return [*written, Opaque(rule=call.name, expected=False)]
    return [Patched(cwd=cwd, rule=call.name)]


def _patch(call: Call) -> Parts:
    options = call.options("pidorBDFVYz", frozenset({"--strip", "--input", "--directory"}))
    if options.has("--dry-run"):
        return [Opaque(rule="patch", expected=False)]
    cwd = call.cwd
    folder = options.value("-d", "--directory")
    if folder is not None:
        cwd = join(cwd, folder)
    if options.operands:
        return call.writes(options.operands[:1])
    return apply_patch(call, cwd)


def _copy(takes: str) -> Handler:
    def handle(call: Call) -> Parts:
        options = call.options(
            takes, frozenset({"--target-directory", "--suffix", "--mode", "--owner", "--group"})
        )
        operands = options.operands
        folder = options.value("-t", "--target-directory")
        if call.name == "install" and options.has("-d", "--directory"):
            return []
        if folder is None:
            if len(operands) < 2:
                return []
            target = operands[-1]
            operands = operands[:-1]
            into = (
                len(operands) > 1
                or target.text.endswith(("/", "/.", "/.."))
                or target.text in {".", ".."}
                or _same_kind_of_folder(operands[0].text, target.text)
            )
            if not into:
                recursive = (
                    call.name == "cp"
                    and options.has("-r", "-R", "-a")
                    and looks_like_folder(operands[0].text)
                )
                return [] if recursive else call.writes([target])
            folder = target.text
        names = [word.text.rstrip("/").rsplit("/", 1)[-1] for word in operands if word.known]
        return call.writes(
            [Word(f"{folder.rstrip('/')}/{name}") for name in names if not looks_like_folder(name)]
        )

    return handle


def _same_kind_of_folder(source: str, target: str) -> bool:
    """`cp a.txt dir`: a target without extension is a directory when the source has one."""
    plain = "." not in source.rsplit("/", 1)[-1]  # `cp Makefile Makefile2` copies to a file
    return not plain and looks_like_folder(target) and not looks_like_folder(source)


def _touched(takes: str = "") -> Handler:
    def handle(call: Call) -> Parts:
        options = call.options(takes, frozenset({"--size", "--reference", "--date"}))
        words = options.operands
        if call.name == "rm" and options.has("-r", "-R", "--recursive"):
            words = [word for word in words if not looks_like_folder(word.text)]
        return call.writes(words)

    return handle


def _dd(call: Call) -> Parts:
    return call.writes([Word(w.text[3:]) for w in call.args if w.text.startswith("of=")])


def _silent(_call: Call) -> Parts:
    return []


def _unexpected(call: Call) -> Parts:
    return [Opaque(rule=call.name, expected=False)]


HANDLERS: dict[str, Handler] = {
    "cp": _copy("tS"), "mv": _copy("tS"), "install": _copy("tmogS"), "ln": _copy("tS"), "rsync": _unexpected,
    "touch": _touched("drt"), "rm": _touched(), "unlink": _touched(), "truncate": _touched("sr"), "shred": _touched("ns"),
    "patch": _patch, "dd": _dd,
    **dict.fromkeys(
        ["mkdir", "rmdir", "chmod", "chown", "chgrp", "true", "false", ":", "exit", "return", "break", "continue", "set", "shopt", "unset", "export", "local", "readonly", "declare", "typeset", "trap", "ulimit", "umask", "wait", "sleep", "kill", "alias", "unalias", "shift", "hash", "disown", "test", "[", "[[", "let"],
        _silent,
    ),
    **dict.fromkeys(["pip", "pip3", "npm", "make", "cargo", "apt", "apt-get", "curl", "wget"], _unexpected),
}  # fmt: skip
