"""Redirections: where a command's input comes from and where its output goes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from groundtrace.shell.programs.call import Shell, text_part, words_as_text
from groundtrace.shell.streams.conditions import joined
from groundtrace.shell.streams.content import Content
from groundtrace.shell.streams.line_algebra import quiet
from groundtrace.shell.streams.part import Parts, Write
from groundtrace.shell.streams.text import Text, text_of
from groundtrace.shell.streams.word import Word
from groundtrace.shell.syntax.statements import flat
from groundtrace.shell.walk.expansion import UNESCAPED, expand, inline

if TYPE_CHECKING:
    from tree_sitter import Node


class Redirects:
    """Where a command's input comes from and where its output goes."""

    __slots__ = ("discard", "quiet", "stdin", "texts", "then", "writes")

    def __init__(self) -> None:
        self.stdin: Parts | None = None
        self.writes: list[Write] = []
        self.texts: list[tuple[str, bool]] = []
        self.discard = False
        self.quiet = False
        self.then: list[Callable[[Parts], Parts]] = []

    def add_file(self, shell: Shell, mark: Node) -> None:
        target = mark.child_by_field_name("destination")
        fd = mark.child_by_field_name("descriptor")
        number = shell.env.tree.text(fd) if fd is not None else ""
        operator = next((c.type for c in mark.children if not c.is_named), ">")
        words = expand(shell, target) if target is not None else []
        if not words:
            return
        word = words[0]
        if operator == "<":
            self.stdin = _opened(shell, word)
            return
        if (operator in {">&", "<&"} and word.text.isdigit()) or operator in {">&-", "<&-"}:
            return  # `2>&1` and similar: what was printed is in the output either way
        if number == "2":
            self.quiet = True
        elif number in {"", "1"} or operator.startswith("&"):
            self.discard = True
        path = shell.path(word.text) if word.known else None
        if path is not None:
            self.writes.append(Write(path=path, rule="redirection"))
            if number != "2":
                self.texts.append((path, operator.endswith(">>")))

    def add_heredoc(self, shell: Shell, mark: Node) -> None:
        """The body is input; what follows `<<EOF` on the same line belongs to the command."""
        body = next((child for child in mark.named_children if child.type == "heredoc_body"), None)
        start = next(
            (child for child in mark.named_children if child.type == "heredoc_start"), None
        )
        text = _heredoc_text(shell, mark, start, body)
        self.stdin = [text_part(shell, text.removesuffix("\n"), rule="heredoc")]
        operator = ""
        for child in mark.children:
            if child.type == "file_redirect":
                self.add_file(shell, child)
            elif child.type in {"&&", "||"}:
                operator = child.type
            elif child.type == "pipeline":
                stages = flat(child)
                self.then.append(lambda parts, stages=stages: shell.flow(["|", *stages], parts))  # type: ignore[misc]
            elif operator and child.is_named and not child.type.startswith("heredoc"):
                self.then.append(
                    lambda parts, child=child, o=operator: joined(parts, o, shell.run(child), True)  # type: ignore[misc]
                )

    def apply(self, shell: Shell, parts: Parts) -> Parts:
        """The parts after the redirections."""
        if self.quiet:
            parts = quiet(parts)
        if self.texts and all(isinstance(part, Text) for part in parts if part.prints):
            text = text_of(parts)
            for path, adds in self.texts:
                shell.write(path, text, adds)
        if self.discard:
            unseen = [
                Write(path=ref.path, rule=ref.rule or "")
                for part in parts
                for ref in part.unseen()
                if ref.kind == "written"
            ]
            parts = [*(part for part in parts if not part.prints), *unseen]
        parts = [*parts, *self.writes]
        for action in self.then:
            parts = action(parts)
        return parts


def redirections(shell: Shell, marks: Sequence[Node]) -> Redirects:
    """The redirections of a command."""
    out = Redirects()
    for mark in marks:
        if mark.type == "file_redirect":
            out.add_file(shell, mark)
        elif mark.type == "herestring_redirect":
            words = [word for child in mark.named_children for word in expand(shell, child)]
            out.stdin = words_as_text(shell, words)
        elif mark.type == "heredoc_redirect":
            out.add_heredoc(shell, mark)
    return out


def _heredoc_text(shell: Shell, mark: Node, start: Node | None, body: Node | None) -> str:
    if body is None:
        return ""
    quoted = start is not None and shell.env.tree.text(start)[:1] in {"'", '"', "\\"}
    text = shell.env.tree.text(body)
    if not quoted:
        text = inline(shell, text, UNESCAPED)
    if mark.children and mark.children[0].type == "<<-":
        text = re.sub(r"^\t+", "", text, flags=re.MULTILINE)
    return text


def _opened(shell: Shell, word: Word) -> Parts:
    """Standard input from a file or from a process substitution."""
    if word.text in shell.streams:
        return list(shell.streams[word.text])
    path = shell.path(word.text) if word.known else None
    return [Content(path=path, rule="redirection")]
