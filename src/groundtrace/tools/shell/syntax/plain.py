"""Commands that need no grammar: plain words joined by `|`, `&&`, `||`, `;` and newlines.

The words may be quoted, and a quoted word may hold a backslash that means itself (`"a\\|b"`). Four
of five commands of agents are of this kind (`cd src && grep -n TODO a.py | head -20`). They are
read directly: building and walking a syntax tree took a third of the time for such a command.
Everything that could mean something else to a shell (`$`, `*`, `(`, `<`, comments, assignments,
keywords) is left to the grammar. Both ways must give the same result, and a test checks that.
"""

from __future__ import annotations

import re

from groundtrace.tools.shell.syntax.statements import Stage

MAX_PLAIN = 2000
"""Longer commands go to the grammar, which has its own limits."""
_ENDS = r"(?=[ \t\n;|&]|$)"
_PIECE = (
    r"[ \t]{0,40}+("
    rf"(?:[\w./:@%+,=^-]++|'[^']*+'|\"(?:[^\"\\$`!]++|\\[^\"\\$`!\s])*+\")++{_ENDS}"
    r"|&&|\|\||\|(?![|&])|;(?!;)|\n"
    rf"|2>(?:[ ]?/dev/null|&1){_ENDS})"
)
"""A word, a joint or a redirection of standard error, after blanks."""
_TOKEN = re.compile(_PIECE, re.ASCII)
_WHOLE = re.compile(rf"(?>{_PIECE})*+[ \t]{{0,40}}+", re.ASCII)
_JOINTS = frozenset(["&&", "||", "|", ";", "\n"])
_QUOTES = re.compile(r"'[^']*'|\"[^\"]*\"")
_GRAMMAR = frozenset(
    [
        "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac", "in",
        "function", "select", "coproc", "time", "export", "declare", "typeset", "local", "readonly", "unset",
        "unsetenv", "let", "test",
    ]
)  # fmt: skip
"""First words that are more than the name of a program."""
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_OPEN = frozenset(["&&", "||", "|"])


def plain_statements(command: str) -> list[list[Stage | str]] | None:
    """The statements of a command as stages and operators; None if a grammar is needed."""
    if len(command) > MAX_PLAIN or "<<" in command or "$(" in command or not command.isascii():
        return None
    if not _WHOLE.fullmatch(command):
        return None
    statements: list[list[Stage | str]] = []
    items: list[Stage | str] = []
    stage: Stage | None = None
    for token in _TOKEN.findall(command):
        if token in _JOINTS:
            if stage is None:
                if token == "\n" and not items:
                    continue
                return None
            stage = None
            if token in _OPEN:
                items.append(token)
            else:
                statements.append(items)
                items = []
        elif token.startswith("2>"):
            if stage is None:
                return None
            if token == "2>&1":
                stage.merged = True
            else:
                stage.quiet = True
        else:
            if stage is None:
                if token in _GRAMMAR or token[0] in "'\"-":
                    return None
                if "=" in token and _ASSIGNMENT.match(token):
                    return None
                stage = Stage(None, words=[])
                items.append(stage)
            elif stage.quiet or stage.merged:
                return None  # words after a redirection are rare, and the grammar handles them
            stage.words.append(_unquoted(token) if "'" in token or '"' in token else token)
    if items:
        if stage is None:
            return None
        statements.append(items)
    return statements


def _unquoted(text: str) -> str:
    """A word without its quotes."""
    if text[0] in "'\"" and text.find(text[0], 1) == len(text) - 1:
        return text[1:-1]  # the usual case: all of it is quoted
    return _QUOTES.sub(_without_ends, text)


def _without_ends(quoted: re.Match[str]) -> str:
    return quoted[0][1:-1]
