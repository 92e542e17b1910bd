"""Statements that run once: sequences, pipes, conditions, functions, assignments, commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from groundtrace.shell.programs.call import Shell
from groundtrace.shell.streams.conditions import fallen, joined, perhaps
from groundtrace.shell.streams.line_algebra import quiet
from groundtrace.shell.streams.name_lists import Names
from groundtrace.shell.streams.part import Listed, Parts, Write
from groundtrace.shell.streams.word import Word
from groundtrace.shell.syntax.statements import Stage, flat
from groundtrace.shell.walk.expansion import expand, expand_all, expand_text
from groundtrace.shell.walk.redirects import redirections

if TYPE_CHECKING:
    from tree_sitter import Node


Statement = Callable[[Shell, "Node", Parts | None], Parts]
"""What a statement prints for a given input."""


def _block(shell: Shell, node: Node, stdin: Parts | None) -> Parts:
    return shell.run_all(node.named_children, stdin)


def _subshell(shell: Shell, node: Node, stdin: Parts | None) -> Parts:
    with shell.inside(shell.env):
        return shell.run_all(node.named_children, stdin)


def _flow(shell: Shell, node: Node, stdin: Parts | None) -> Parts:
    return stages(shell, flat(node), stdin)


def stages(shell: Shell, items: Sequence[Stage | str], stdin: Parts | None) -> Parts:
    """Stages joined by `|`, `&&` and `||`, in order; pipes bind more tightly."""
    if len(items) == 1 and isinstance(items[0], Stage):
        return _stage(shell, items[0], stdin, piped=False)
    done: Parts | None = None
    operator = ""
    stream = stdin
    failed = over = fine = False
    for at, item in enumerate(items):
        if isinstance(item, Stage):
            # A stage beside a pipe is a subshell; `ls | head && F=a.py` keeps the variable.
            piped = "|" in items[max(at - 1, 0) : at + 2]
            stream = _stage(shell, item, stream, piped)
            failed = bool(shell.failed) and _said_so(shell, item)
        elif item != "|":
            done = _joined(shell, done, operator, stream, over, fine)
            over = item == "&&" and (failed or over)
            fine = "|" in items[max(at - 2, 0) : at] and _succeeds(shell, items[at - 1])
            operator, stream = item, stdin
    return _joined(shell, done, operator, stream, over, fine)


_FILTERS = frozenset(
    ["head", "tail", "sort", "uniq", "sed", "awk", "cut", "wc", "cat", "nl", "tr", "tee", "column", "less", "more", "tac"]
)  # fmt: skip


def _succeeds(shell: Shell, item: Stage | str) -> bool:
    """Whether the last program of a pipeline succeeds whatever the others do.

    `grep x a.py | head -5 && cat b.py` shows b.py also if grep finds nothing.
    """
    return isinstance(item, Stage) and _program(shell, item) in _FILTERS


def _joined(
    shell: Shell, done: Parts | None, operator: str, stream: Parts | None, over: bool, fine: bool
) -> Parts:
    """Join two streams by an operator.

    `over`: the command before `&&` said that it failed, so nothing after it is written (D118).
    `fine`: the command before the operator is a pipeline that succeeds in any case.
    """
    following = stream or []
    if over:
        following = [part for part in following if not isinstance(part, Write)]
    if done is None:
        return following
    return joined(done, operator, following, shell.errors_seen, fine)


def _said_so(shell: Shell, stage: Stage) -> bool:
    """Whether the program of a stage said that it failed."""
    return _program(shell, stage) in shell.failed


def _program(shell: Shell, stage: Stage) -> str:
    """The name of the program of a stage; empty for a statement."""
    name = None if stage.node is None else stage.node.child_by_field_name("name")
    if name is None and not stage.words:
        return ""
    text = stage.words[0] if name is None else shell.env.tree.text(name)
    return text.rsplit("/", 1)[-1]


def _stage(shell: Shell, stage: Stage, stream: Parts | None, piped: bool) -> Parts:
    if stage.words:
        parts = shell.command([Word(text) for text in stage.words], stream)
        return quiet(parts) if stage.quiet else parts
    node = stage.node
    redirects = redirections(shell, stage.marks) if stage.marks else None
    if redirects is not None and redirects.stdin is not None:
        stream = redirects.stdin
    if node is None:
        parts = []
    elif piped and node.type != "command":
        with shell.inside(shell.env):
            parts = shell.run(node, stream)
    else:
        parts = shell.run(node, stream)
    return parts if redirects is None else redirects.apply(shell, parts)


def _if(shell: Shell, node: Node, stdin: Parts | None) -> Parts:
    parts: Parts = []
    first: int | None = None
    for index, child in enumerate(node.named_children):
        inner = shell.run(child, stdin)
        if child.type in {"else_clause", "elif_clause"}:
            # Only one branch ran: if the first printed, the others did not.
            inner = [fallen(part, first) for part in inner]
        elif index and first is None:
            first = next((part.serial for part in inner if part.prints), None)
        parts += inner if index == 0 else perhaps(inner)
    return parts


def _case(shell: Shell, node: Node, stdin: Parts | None) -> Parts:
    parts: Parts = []
    for item in node.named_children:
        if item.type == "case_item":
            values = set(item.children_by_field_name("value"))
            body = [child for child in item.named_children if child not in values]
            parts += perhaps(shell.run_all(body, stdin))
    return parts


def _function(shell: Shell, node: Node, _stdin: Parts | None) -> Parts:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is not None and body is not None:
        shell.change(shell.env.defining(shell.env.tree.text(name), body))
    return []


def _assign(shell: Shell, node: Node, _stdin: Parts | None) -> Parts:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None:
        return []
    text = shell.env.tree.text
    key = text(name).split("[")[0]
    words: Sequence[Word] = (Word(""),)
    if value is None:
        pass
    elif value.type == "array":
        words = expand_all(shell, value.named_children)
    elif "+=" in text(node)[: len(key) + 2]:
        before = (shell.env.variables.get(key) or words)[0].text
        words = (Word(before + expand_text(shell, value).text),)
    else:
        word = expand_text(shell, value)
        named = _name_in_output(shell, word)
        words = (named or word,)
        path = None if named is None else shell.path(named.text)
        if path is not None:
            shell.change(shell.env.holding({key: tuple(words)}))
            return [Listed(path=path, rule="find")]
    shell.change(shell.env.holding({key: tuple(words)}))
    return []


def _name_in_output(shell: Shell, word: Word) -> Word | None:
    """The one name that a listing captured, if the output shows it too.

    `f=$(find . -name app.py | head -1); echo "$f"; head -5 "$f"` prints the name on a line of its
    own. If two lines could be the name, it is not known.
    """
    captured = word.stream or shell.streams.get(word.text, ())
    stream = [part for part in captured if part.prints]
    listed = stream[0] if len(stream) == 1 else None
    if not isinstance(listed, Names) or listed.limit != 1 or listed.glob is None:
        return None
    lines = [line for line in shell.lines if "/" in line]
    names = {line for line in lines if listed.score(line) > 0}
    if not names:  # `echo "File: $f"`
        ends = (line.split()[-1] for line in lines)
        names = {word for word in ends if "/" in word and listed.score(word) > 0}
    return Word(names.pop()) if len(names) == 1 else None


def _declare(shell: Shell, node: Node, _stdin: Parts | None) -> Parts:
    return shell.run_all([c for c in node.named_children if c.type == "variable_assignment"])


def _command(shell: Shell, node: Node, stdin: Parts | None) -> Parts:
    name: Node | None = None
    args: list[Node] = []
    marks: list[Node] = []
    prefix: list[Node] = []
    for child in node.named_children:
        kind = child.type
        if kind == "command_name":
            name = child
        elif kind.endswith("_redirect"):
            marks.append(child)
        elif kind == "variable_assignment":
            prefix.append(child)
        else:
            args.append(child)
    if name is None:
        return shell.run_all(prefix)
    redirects = redirections(shell, marks) if marks else None
    if redirects is not None and redirects.stdin is not None:
        stdin = redirects.stdin
    words = expand(shell, name) + expand_all(shell, args)
    parts = shell.command(words, stdin)
    return parts if redirects is None else redirects.apply(shell, parts)


STATEMENTS: Mapping[str, Statement] = {
    "program": _block,
    "compound_statement": _block,
    "do_group": _block,
    "ERROR": _block,
    "else_clause": _block,
    "negated_command": _block,
    "variable_assignments": _block,
    "elif_clause": _if,
    "if_statement": _if,
    "case_statement": _case,
    "subshell": _subshell,
    "list": _flow,
    "pipeline": _flow,
    "redirected_statement": _flow,
    "function_definition": _function,
    "variable_assignment": _assign,
    "declaration_command": _declare,
    "command": _command,
}
"""The function for each kind of statement."""
