"""Follow a command as the shell does: what the walk knows, and the scripts inside a command.

Nothing is executed. The walk gives the list of parts that the command prints, in order. `flow` and
`loops` say what statements do; this module holds what they share.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from groundtrace.base.patterns import regex
from groundtrace.model import RootSign
from groundtrace.shell.align.loop import Loop
from groundtrace.shell.output import ShellOutput
from groundtrace.shell.programs.call import Call, ProgramEntry, run_command
from groundtrace.shell.programs.environment import Environment
from groundtrace.shell.streams.file_names import path_of
from groundtrace.shell.streams.part import Part, Parts
from groundtrace.shell.streams.text import Text
from groundtrace.shell.streams.word import Word
from groundtrace.shell.syntax.holes import FIRST_HOLE, HOLE, LAST_HOLE
from groundtrace.shell.syntax.parse import Tree, parse
from groundtrace.shell.syntax.statements import Stage
from groundtrace.shell.walk import flow, loops
from groundtrace.shell.walk.redirects import redirections

if TYPE_CHECKING:
    from tree_sitter import Node


MAX_STEPS = 4000
"""How many commands are followed in one call; loops within loops end here."""
MAX_READ = 1_000_000
"""How many characters of scripts inside the command are followed."""
MAX_WRITTEN = 200_000
"""How many characters of a file that the command writes are kept."""
MAX_DEPTH = 40
"""How deep subshells, functions and `bash -c` may be nested."""


class _Inside:
    """A part of the command that runs in its own environment."""

    __slots__ = ("_before", "_env", "_walker")

    def __init__(self, walker: Walker, env: Environment) -> None:
        self._walker, self._env = walker, env

    def __enter__(self) -> None:
        self._before, self._walker.env = self._walker.env, self._env

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._walker.env = self._before


class Walker:
    """One walk over one command."""

    __slots__ = (
        "absent", "depth", "env", "errors_seen", "failed", "holes", "idle", "known", "lines", "missing", "parsed", "read", "repos",
        "signs", "speakers", "start", "steps", "stopped", "streams", "table", "whole",
        "written",
    )  # fmt: skip

    def __init__(
        self,
        tree: Tree,
        cwd: str | None,
        output: ShellOutput,
        table: Mapping[str, ProgramEntry],
        texts: Mapping[str, str] | None = None,
    ) -> None:
        self.env = Environment(tree, cwd)
        self.start = cwd
        self.lines: Sequence[str] = output.lines
        self.missing = output.missing
        self.absent = output.absent
        self.speakers = output.speakers
        self.failed = _alone(output.speakers, tree) if output.speakers else output.speakers
        self.idle = _alone(output.rejected, tree) if output.rejected else output.rejected
        self.stopped: Mapping[str, int] = output.stopped
        self.errors_seen = output.had_errors
        self.table = table
        self.streams: dict[str, tuple[Part, ...]] = {}
        self.parsed: dict[str, Tree] = {}
        self.read = 0
        self.written: dict[str, str] = dict(texts) if texts else {}
        self.known: Mapping[str, str] = texts or {}
        self.whole: set[str] = set()
        self.repos: dict[str, None] = {}
        self.signs: dict[RootSign, None] = {}
        self.steps = 0
        self.depth = 0
        self.holes = FIRST_HOLE

    # --- environments and values ------------------------------------------------------------

    def change(self, env: Environment) -> None:
        """Use another environment from here on, as after `cd`."""
        self.env = env

    def inside(self, env: Environment) -> _Inside:
        """Run a part of the command in `env` and forget what it changes."""
        return _Inside(self, env)

    def hole(self) -> str:
        """A new hole."""
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
        """What `$(...)` gives: text if it is known, else the parts that print it."""
        parts = self.inner_parts(node)
        texts: list[str] = []
        for part in parts:
            if not isinstance(part, Text) or not part.known:
                return tuple(parts)
            texts.extend(part.lines)
        return "\n".join(texts)

    def inner_parts(self, node: Node) -> Parts:
        """Parts of the commands inside a substitution, which is a subshell."""
        lone = [child for child in node.named_children if child.type == "file_redirect"]
        if lone and len(node.named_children) == 1:
            return redirections(self, lone).stdin or []
        with self.inside(self.env):
            return self.run_all(node.named_children)

    def path(self, name: str) -> str | None:
        """The path of a file that a command names; None if it cannot be a file."""
        return None if name in self.missing else path_of(self.env.cwd, name)

    def write(self, path: str, text: str, adds: bool) -> None:
        """Note the text of a file that the command writes, or adds to the end of a file."""
        before = self.written.get(path, "") if adds else ""
        if not adds or path in self.known:
            self.whole.add(path)  # else it is not known what the file held before
        # A text that grows in a loop is data, not a script.
        self.written[path] = (before + text)[:MAX_WRITTEN]

    def texts(self) -> dict[str, str]:
        """The files that the command wrote, and whose whole text is known."""
        return {path: self.written[path] for path in self.whole}

    # --- statements, scripts and commands ---------------------------------------------------

    def run(self, node: Node, stdin: Parts | None = None) -> Parts:
        """Parts that a statement prints."""
        self.steps += 1
        if self.steps > MAX_STEPS or self.depth > MAX_DEPTH:
            return []
        statement = STATEMENTS.get(node.type)
        if statement is None:
            return []
        self.depth += 1
        try:
            return statement(self, node, stdin)
        finally:
            self.depth -= 1

    def run_all(self, nodes: Sequence[Node], stdin: Parts | None = None) -> Parts:
        """Parts that statements print one after another."""
        parts: Parts = []
        for node in nodes:
            parts.extend(self.run(node, stdin))
        return parts

    def run_tree(self, tree: Tree) -> Parts:
        """Parts that a whole script prints."""
        if tree.root is not None:
            return self.run(tree.root)
        parts: Parts = []
        for items in tree.statements:
            parts.extend(flow.stages(self, items, None))
        return parts

    def run_text(self, source: str, positional: Sequence[Word] = ()) -> Parts:
        """Run a script given as text in a subshell, as `bash -c` does."""
        tree = self._parsed(source)
        with self.inside(self.env.reading(tree).given(positional, first=0)):
            return self.run_tree(tree)

    def run_here(self, source: str) -> Parts:
        """Run a script given as text in this shell, as `source` and `eval` do."""
        before, tree = self.env.tree, self._parsed(source)
        self.env = self.env.reading(tree)
        parts = self.run_tree(tree)
        self.env = self.env.reading(before)
        return parts

    def _parsed(self, source: str) -> Tree:
        """The tree of a script; a script that a loop runs is parsed once."""
        tree = self.parsed.get(source)
        if tree is None:
            self.read += len(source)
            source = source if self.read <= MAX_READ else ""
            tree = self.parsed[source] = parse(source)
        return tree

    def flow(self, items: Sequence[Stage | str], stdin: Parts | None) -> Parts:
        """Stages joined by `|`, `&&` and `||`, in order."""
        return flow.stages(self, items, stdin)

    def loop(
        self,
        names_of: Sequence[str],
        source: Parts,
        body: Callable[[], Parts],
        globs: tuple[str, ...] = (),
    ) -> Loop:
        """A loop over words that only the output shows."""
        return loops.unknown_loop(self, names_of, source, body, globs)

    def command(self, words: Sequence[Word], stdin: Parts | None) -> Parts:
        """A simple command after expansion."""
        self.steps += 1
        if not words or self.steps > MAX_STEPS or self.depth > MAX_DEPTH:
            return []
        first, *args = words
        if first.text in self.env.functions:
            return self._call_function(first.text, args, stdin)
        self.depth += 1
        try:
            return run_command(Call(self, first.text, args, stdin))
        finally:
            self.depth -= 1

    def _call_function(self, name: str, args: Sequence[Word], stdin: Parts | None) -> Parts:
        """Call a function of the command, with its arguments as `$1`, `$2`, `$@`."""
        before = self.env
        tree, body = before.functions[name]
        self.env = before.reading(tree).given(args)
        parts = self.run(body, stdin)
        self.env = self.env.reading(before.tree).with_arguments_of(before)
        return parts


def _alone(programs: frozenset[str], tree: Tree) -> frozenset[str]:
    """Programs that occur once in the command. For two calls, nothing says which one failed."""
    text = tree.source.decode("utf-8", "replace") if tree.plain is None else tree.plain
    counts = Counter(_NAME.findall(text))
    return frozenset(name for name in programs if counts[name] == 1)


_NAME = regex(r"(?<![\w.=-])[\w.+-]+")

STATEMENTS: Mapping[str, flow.Statement] = {**flow.STATEMENTS, **loops.STATEMENTS}
"""The function for each kind of statement of the grammar."""
