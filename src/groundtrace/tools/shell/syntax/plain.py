"""Commands that need no grammar: plain words joined by `|`, `&&`, `||`, `;` and newlines.

The words may be quoted. Two of three commands of agents are of this kind
(`cd src && grep -n TODO a.py | head -20`). They are read directly: building and walking a syntax
tree took a third of the time for such a command. Everything that could mean something else to a
shell (`$`, `*`, `(`, `<`, comments, assignments, keywords) is left to the grammar. Both ways must
give the same result, and a test checks that.
"""

from __future__ import annotations

import re

from groundtrace.patterns import regex
from groundtrace.tools.shell.syntax.statements import Stage

MAX_PLAIN = 2000
"""Longer commands go to the grammar, which has its own limits."""
_TOKEN = regex(
    r"[ \t]{0,40}+(?:"
    r"(?P<word>(?:[\w./:@%+,=^-]++|'[^']*+'|\"[^\"\\$`!]*+\")++)(?=[ \t\n;|&]|$)"
    r"|(?P<joint>&&|\|\||\|(?![|&])|;(?!;)|\n)"
    r"|(?P<quiet>2>[ ]?/dev/null(?=[ \t\n;|&]|$))|(?P<merged>2>&1(?=[ \t\n;|&]|$))|(?P<end>$))",
    re.ASCII,
)
_WORD, _JOINT, _QUIET = (_TOKEN.groupindex[name] for name in ("word", "joint", "quiet"))
_END = _TOKEN.groupindex["end"]
_QUOTES = regex(r"'([^']*)'|\"([^\"]*)\"")
_GRAMMAR = frozenset(
    [
        "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac", "in",
        "function", "select", "coproc", "time", "export", "declare", "typeset", "local", "readonly", "unset",
        "unsetenv", "let", "test",
    ]
)  # fmt: skip
"""First words that are more than the name of a program."""
_ASSIGNMENT = regex(r"[A-Za-z_]\w*\+?=")
_OPEN = frozenset(["&&", "||", "|"])


def plain_statements(command: str) -> list[list[Stage | str]] | None:
    """The statements of a command as stages and operators; None if a grammar is needed."""
    if len(command) > MAX_PLAIN or "<<" in command or "$(" in command or not command.isascii():
        return None
    statements: list[list[Stage | str]] = []
    items: list[Stage | str] = []
    stage: Stage | None = None
    next_token, at = _TOKEN.match, 0
    while True:
        token = next_token(command, at)
        if token is None:
            return None
        at = token.end()
        kind = token.lastindex
        if kind == _WORD:
            text = token[_WORD]
            if stage is None:
                if text in _GRAMMAR or text[0] in "'\"-" or _ASSIGNMENT.match(text):
                    return None
                stage = Stage(None, words=[])
                items.append(stage)
            elif stage.quiet or stage.merged:
                return None  # words after a redirection are rare, and the grammar handles them
            stage.words.append(_QUOTES.sub(r"\1\2", text) if "'" in text or '"' in text else text)
        elif kind == _END:
            break
        elif stage is None:
            if token[_JOINT] == "\n" and not items:
                continue
            return None
        elif kind == _JOINT:
            stage = None
            if token[_JOINT] in _OPEN:
                items.append(token[_JOINT])
            else:
                statements.append(items)
                items = []
        elif kind == _QUIET:
            stage.quiet = True
        else:
            stage.merged = True
    if items:
        if stage is None:
            return None
        statements.append(items)
    return statements
