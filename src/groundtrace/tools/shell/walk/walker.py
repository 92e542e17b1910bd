"""Following a command as the shell does: directories, variables, pipes, loops, redirections.

Nothing is executed. The walk gives the list of parts that the command prints, in order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from groundtrace.tools.shell.align.loop import Loop
from groundtrace.tools.shell.output import Output
from groundtrace.tools.shell.programs.call import Call, Entry, run_command
from groundtrace.tools.shell.programs.printed_words import words_as_text
from groundtrace.tools.shell.streams.conditions import joined, perhaps
from groundtrace.tools.shell.streams.file_names import is_file_name, join
from groundtrace.tools.shell.streams.part import Part, Parts
from groundtrace.tools.shell.streams.text import Text
from groundtrace.tools.shell.streams.word import MAX_WORDS, Word
from groundtrace.tools.shell.syntax.holes import FIRST_HOLE, HOLE, HOLES, LAST_HOLE
from groundtrace.tools.shell.syntax.loop_heads import counted, read_names
from groundtrace.tools.shell.syntax.parse import Tree, parse
from groundtrace.tools.shell.syntax.statements import Stage, flat
from groundtrace.tools.shell.walk.expansion import expand, expand_all, expand_text
from groundtrace.tools.shell.walk.redirects import Redirects

if TYPE_CHECKING:
    from tree_sitter import Node


MAX_STEPS = 4000
"""Commands followed in one call; loops within loops end here."""
MAX_READ = 1_000_000
"""Characters of scripts inside the command that are followed."""
MAX_DEPTH = 40
"""Nesting of subshells, functions and `bash -c`."""


class Walker:
    """One walk over one command."""

    def __init__(
        self, tree: Tree, cwd: str | None, output: Output, table: Mapping[str, Entry]
    ) -> None:
        self.tree = tree
        self.cwd = cwd
        self.start = cwd
        self.missing = output.missing
        self.absent = output.absent
        self.speakers = output.speakers
        self.stopped: Mapping[str, int] = output.stopped
        self.errors_seen = output.had_errors
        self.table = table
        self.variables: dict[str, list[Word]] = {}
        self.functions: dict[str, tuple[Tree, Node]] = {}
        self.streams: dict[str, tuple[Part, ...]] = {}
        self.parsed: dict[str, Tree] = {}
        self.read = 0
        self.written: dict[str, str] = {}
        self.repos: dict[str, None] = {}
        self.folders: list[str | None] = []
        self.steps = 0
        self.depth = 0
        self.holes = FIRST_HOLE

    # --- values ---------------------------------------------------------------------------

    def lookup(self, name: str) -> list[Word] | None:
        """Words a variable holds, None when it is not known."""
        if name == "PWD":
            return None if self.cwd is None else [Word(self.cwd)]
        if name == "HOME":
            return [Word("~")]
        if name == "*":
            name = "@"
        return self.variables.get(name)

    def scalar(self, name: str) -> str | None:
        """A variable as text, None when it is not known."""
        words = self.lookup(name)
        if not words or not words[0].known:
            return None
        return words[0].text

    def hole(self) -> str:
        """A hole of its own."""
        if self.holes >= LAST_HOLE:
            return HOLE
        self.holes += 1
        return chr(self.holes)

    def hole_for(self, stream: Sequence[Part]) -> str:
        """A hole that stands for captured output."""
        hole = self.hole()
        if hole != HOLE:
            self.streams[hole] = tuple(stream)
        return hole

    def substitute(self, node: Node) -> str | tuple[Part, ...]:
        """What `$(...)` gives: text where it is known, else the parts that print it."""
        parts = self.inner_parts(node)
        texts: list[str] = []
        for part in parts:
            if not isinstance(part, Text) or any(HOLES.search(line) for line in part.lines):
                return tuple(parts)
            texts.extend(part.lines)
        return "\n".join(texts)

    def inner_parts(self, node: Node) -> Parts:
        """Parts of the commands inside a substitution, which is a subshell."""
        lone = [child for child in node.named_children if child.type == "file_redirect"]
        if lone and len(node.named_children) == 1:
            return self._redirects(lone).stdin or []
        return self.apart(lambda: self.run_all(node.named_children))

    def apart(self, action: Callable[[], Parts]) -> Parts:
        """`action` in a subshell: what it changes is forgotten."""
        saved = (self.cwd, dict(self.variables), list(self.folders))
        try:
            return action()
        finally:
            self.cwd, self.variables, self.folders = saved

    def path(self, name: str) -> str | None:
        """The path of a file that a command names, None when it cannot be one."""
        if not is_file_name(name) or name in self.missing:
            return None
        return join(self.cwd, name)

    def enter(self, name: str) -> None:
        """`cd name`."""
        if name in self.missing:
            return
        if HOLES.search(name) or (self.cwd is None and not name.startswith(("/", "~"))):
            self.cwd = None
        else:
            self.cwd = join(self.cwd, name)

    # --- statements -----------------------------------------------------------------------

    def run_text(self, source: str, positional: Sequence[Word] = ()) -> Parts:
        """A script given as text, as `bash -c` runs it, in a subshell."""
        tree = self.tree

        def action() -> Parts:
            self.tree = self._parsed(source)
            self.variables["@"] = list(positional[1:])
            for index, word in enumerate(positional):
                self.variables[str(index)] = [word]
            return self.run(self.tree.root)

        try:
            return self.apart(action)
        finally:
            self.tree = tree

    def _parsed(self, source: str) -> Tree:
        """The tree of a script; one that a loop runs is parsed once."""
        tree = self.parsed.get(source)
        if tree is None:
            self.read += len(source)
            source = source if self.read <= MAX_READ else ""
            tree = self.parsed[source] = parse(source)
        return tree

    def run_here(self, source: str) -> Parts:
        """A script given as text that changes this shell, as `source` and `eval` do."""
        saved, self.tree = self.tree, self._parsed(source)
        try:
            return self.run(self.tree.root)
        finally:
            self.tree = saved

    def run_all(self, nodes: Sequence[Node], stdin: Parts | None = None) -> Parts:
        parts: Parts = []
        for node in nodes:
            parts.extend(self.run(node, stdin))
        return parts

    def run(self, node: Node, stdin: Parts | None = None) -> Parts:
        """Parts that a statement prints."""
        self.steps += 1
        if self.steps > MAX_STEPS or self.depth > MAX_DEPTH:
            return []
        handler = _STATEMENTS.get(node.type)
        if handler is None:
            return []
        self.depth += 1
        try:
            return handler(self, node, stdin)
        finally:
            self.depth -= 1

    def _block(self, node: Node, stdin: Parts | None) -> Parts:
        return self.run_all(node.named_children, stdin)

    def _subshell(self, node: Node, stdin: Parts | None) -> Parts:
        return self.apart(lambda: self.run_all(node.named_children, stdin))

    def _flow(self, node: Node, stdin: Parts | None) -> Parts:
        return self.flow(flat(node), stdin)

    def flow(self, items: Sequence[Stage | str], stdin: Parts | None) -> Parts:
        """Stages joined by `|`, `&&` and `||`, in order; pipes bind tighter."""
        done: Parts | None = None
        operator = ""
        stream = stdin
        piped = any(item == "|" for item in items)
        for item in items:
            if isinstance(item, Stage):
                stream = self._stage(item, stream, piped)
            elif item != "|":
                done = (
                    self._joined(done, operator, stream or []) if done is not None else stream or []
                )
                operator, stream = item, stdin
        return stream or [] if done is None else self._joined(done, operator, stream or [])

    def _joined(self, parts: Parts, operator: str, following: Parts) -> Parts:
        return joined(parts, operator, following, self.errors_seen)

    def _stage(self, stage: Stage, stream: Parts | None, piped: bool) -> Parts:
        node = stage.node
        redirects = self._redirects(stage.marks) if stage.marks else None
        if redirects is not None and redirects.stdin is not None:
            stream = redirects.stdin
        if node is None:
            parts: Parts = []
        elif piped and node.type != "command":
            parts = self.apart(lambda: self.run(node, stream))
        else:
            parts = self.run(node, stream)
        return parts if redirects is None else redirects.apply(self, parts)

    def _negated(self, node: Node, stdin: Parts | None) -> Parts:
        return self.run_all(node.named_children, stdin)

    def _if(self, node: Node, stdin: Parts | None) -> Parts:
        parts: Parts = []
        told: Part | None = None
        for index, child in enumerate(node.named_children):
            inner = self.run(child, stdin)
            if child.type in {"else_clause", "elif_clause"}:
                # One branch ran: where the first printed, the others did not.
                for part in inner:
                    part.fallback = True
                    part.unless = part.unless or told
            elif index and told is None:
                told = next((part for part in inner if part.prints), None)
            parts += inner if index == 0 else perhaps(inner)
        return parts

    def _case(self, node: Node, stdin: Parts | None) -> Parts:
        parts: Parts = []
        for item in node.named_children:
            if item.type == "case_item":
                values = set(item.children_by_field_name("value"))
                body = [child for child in item.named_children if child not in values]
                parts += perhaps(self.run_all(body, stdin))
        return parts

    def _function(self, node: Node, stdin: Parts | None) -> Parts:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is not None and body is not None:
            self.functions[self.tree.text(name)] = (self.tree, body)
        return []

    def call_function(self, name: str, args: Sequence[Word], stdin: Parts | None) -> Parts:
        """A function of the command, with its arguments as `$1`, `$2`, `$@`."""
        tree, body = self.functions[name]
        saved_tree, saved = self.tree, dict(self.variables)
        self.tree = tree
        self.variables["@"] = list(args)
        for index, word in enumerate(args, 1):
            self.variables[str(index)] = [word]
        try:
            return self.run(body, stdin)
        finally:
            self.tree = saved_tree
            for key in ["@", *map(str, range(1, len(args) + 1))]:
                if key in saved:
                    self.variables[key] = saved[key]
                else:
                    self.variables.pop(key, None)

    # --- loops ----------------------------------------------------------------------------

    def _for(self, node: Node, stdin: Parts | None) -> Parts:
        variable, body = node.child_by_field_name("variable"), node.child_by_field_name("body")
        if variable is None or body is None:
            return []
        values = node.children_by_field_name("value")
        # `for f; do` goes over the arguments.
        words = expand_all(self, values) if values else self.variables.get("@", [])
        return self.each(words, self.tree.text(variable), lambda: self.run(body, stdin))

    def each(self, words: Sequence[Word], name: str, body: Callable[[], Parts]) -> Parts:
        """`body` for every word; words that are not known make a loop of unknown length."""
        parts: Parts = []
        globs = tuple(word.text for word in words if word.glob)
        for word in words[:MAX_WORDS]:
            if word.known or (word.stream is None and not word.glob and word.text != HOLE):
                self.variables[name] = [word]
                parts.extend(body())
            elif not word.glob:
                parts.append(self.loop([name], list(word.stream or ()), body))
            elif word.text == globs[0]:
                # The rounds of several patterns look alike: they are one loop.
                parts.append(self.loop([name], [], body, globs))
        return parts

    def loop(
        self,
        names_of: Sequence[str],
        source: Parts,
        body: Callable[[], Parts],
        globs: tuple[str, ...] = (),
    ) -> Loop:
        """A loop over words that only the output can tell."""
        hole = self.hole()
        tree, cwd, variables, depth = self.tree, self.cwd, dict(self.variables), self.depth

        def bound(value: str) -> Parts:
            saved = (self.tree, self.cwd, self.variables, self.depth)
            self.tree, self.cwd, self.variables, self.depth = tree, cwd, dict(variables), depth
            for name in names_of:
                self.variables[name] = [Word(HOLE)]
            self.variables[names_of[0]] = [Word(value)]
            try:
                return body()
            finally:
                self.tree, self.cwd, self.variables, self.depth = saved

        return Loop(
            hole=hole,
            template=tuple(bound(hole)),
            bind=bound,
            source=tuple(source),
            globs=globs,
            cwd=cwd,
        )

    def _while(self, node: Node, stdin: Parts | None) -> Parts:
        condition, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
        if body is None:
            return []
        names = read_names(self.tree.text(condition)) if condition is not None else None
        if names is None:
            before = self.run(condition, stdin) if condition is not None else []
            return before + perhaps(self.run(body, stdin))
        run_body = lambda: self.run(body)  # noqa: E731
        if stdin and all(isinstance(part, Text) for part in stdin):
            lines = [line for part in stdin if isinstance(part, Text) for line in part.lines]
            if not any(HOLES.search(line) for line in lines):
                return self._each_line(lines, names, run_body)
        loop = self.loop(names, stdin or [], run_body)
        if stdin and len(names) == 1 and loop.repeats_lines:
            return stdin
        return [loop]

    def _each_line(
        self, lines: Sequence[str], names: Sequence[str], body: Callable[[], Parts]
    ) -> Parts:
        parts: Parts = []
        for line in lines[:MAX_WORDS]:
            pieces = line.split(None, len(names) - 1)
            for index, name in enumerate(names):
                self.variables[name] = [Word(pieces[index] if index < len(pieces) else "")]
            parts.extend(body())
        return parts

    def _c_for(self, node: Node, stdin: Parts | None) -> Parts:
        body = node.child_by_field_name("body")
        if body is None:
            return []
        counter = counted(self.tree.text(node))
        if counter is None:
            return perhaps(self.run(body, stdin))
        words = [Word(str(value)) for value in counter.values[:MAX_WORDS]]
        return self.each(words, counter.name, lambda: self.run(body, stdin))

    # --- assignments, redirections, commands ------------------------------------------------

    def _assign(self, node: Node, stdin: Parts | None) -> Parts:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None:
            return []
        key = self.tree.text(name).split("[")[0]
        if value is None:
            self.variables[key] = [Word("")]
        elif value.type == "array":
            self.variables[key] = expand_all(self, value.named_children)
        elif "+=" in self.tree.text(node)[: len(key) + 2]:
            before = self.variables.get(key, [Word("")])[0].text
            self.variables[key] = [Word(before + expand_text(self, value).text)]
        else:
            self.variables[key] = [expand_text(self, value)]
        return []

    def _declare(self, node: Node, stdin: Parts | None) -> Parts:
        return self.run_all([c for c in node.named_children if c.type == "variable_assignment"])

    def _redirects(self, marks: Sequence[Node]) -> Redirects:
        out = Redirects()
        for mark in marks:
            if mark.type == "file_redirect":
                out.add_file(self, mark)
            elif mark.type == "herestring_redirect":
                words = [w for child in mark.named_children for w in expand(self, child)]
                out.stdin = words_as_text(self, words)
            elif mark.type == "heredoc_redirect":
                out.add_heredoc(self, mark)
        return out

    def _command(self, node: Node, stdin: Parts | None) -> Parts:
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
            return self.run_all(prefix)
        redirects = self._redirects(marks) if marks else None
        if redirects is not None and redirects.stdin is not None:
            stdin = redirects.stdin
        words = expand(self, name) + expand_all(self, args)
        parts = self.command(words, stdin)
        return parts if redirects is None else redirects.apply(self, parts)

    def command(self, words: Sequence[Word], stdin: Parts | None) -> Parts:
        """A simple command after expansion."""
        self.steps += 1
        if not words or self.steps > MAX_STEPS or self.depth > MAX_DEPTH:
            return []
        first = words[0]
        if first.text in self.functions:
            return self.call_function(first.text, words[1:], stdin)
        self.depth += 1
        try:
            return run_command(Call(self, first.text, list(words[1:]), stdin))
        finally:
            self.depth -= 1

    def _test(self, node: Node, stdin: Parts | None) -> Parts:
        return []


_STATEMENTS: dict[str, Callable[[Walker, Node, Parts | None], Parts]] = {
    "program": Walker._block,
    "compound_statement": Walker._block,
    "do_group": Walker._block,
    "ERROR": Walker._block,
    "else_clause": Walker._block,
    "elif_clause": Walker._if,
    "if_statement": Walker._if,
    "case_statement": Walker._case,
    "subshell": Walker._subshell,
    "list": Walker._flow,
    "pipeline": Walker._flow,
    "redirected_statement": Walker._flow,
    "negated_command": Walker._negated,
    "function_definition": Walker._function,
    "for_statement": Walker._for,
    "while_statement": Walker._while,
    "c_style_for_statement": Walker._c_for,
    "variable_assignment": Walker._assign,
    "variable_assignments": Walker._block,
    "declaration_command": Walker._declare,
    "command": Walker._command,
    "test_command": Walker._test,
}
