"""Follow a PowerShell script: what it prints, as parts, and what it writes.

Nothing is executed. Programs that are no cmdlets (git, rg, python) are followed as in bash, by the
same walker, so they have one reader.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from groundtrace.base.patterns import regex
from groundtrace.shell.powershell import nodes as n
from groundtrace.shell.powershell.call import Call
from groundtrace.shell.powershell.cmdlets import ALIASES, CMDLETS
from groundtrace.shell.powershell.loops import Loops, chosen
from groundtrace.shell.powershell.parts import slashed
from groundtrace.shell.powershell.values import Element, Found, Item, Line, Objects, derived
from groundtrace.shell.streams import line_algebra as algebra
from groundtrace.shell.streams.conditions import joined, perhaps
from groundtrace.shell.streams.part import Opaque, Part, Write
from groundtrace.shell.streams.word import Word
from groundtrace.shell.syntax.holes import has_hole

MAX_STEPS = 4000
"""How many statements and commands are followed in one script."""
_PROGRAM = regex(r"(?:.*[\\/])?(?P<name>[^\\/]+?)(?:\.exe|\.cmd|\.bat|\.ps1)?$", re.IGNORECASE)


class Session(Loops):
    """One walk over one script."""

    # --- statements -----------------------------------------------------------------------------

    def run(self, node: n.Node) -> Objects:
        """What a statement gives."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            self.notes["long loops"] = None
            return []
        if isinstance(node, n.Script):
            out: Objects = []
            for statement in node.statements:
                out.extend(self.run(statement))
            return out
        if isinstance(node, n.Command):
            return self._command(node, None)
        if isinstance(node, n.Pipeline):
            return self._pipeline(node)
        if isinstance(node, n.Assignment):
            return self._assign(node)
        if isinstance(node, n.Chain):
            return self._chain(node)
        if isinstance(node, n.If):
            return self._if(node)
        if isinstance(node, n.ForEach):
            source = self.value(node.source)
            return self.each(source, node.body, node.name)
        if isinstance(node, n.For):
            return self._finished(self._for(node))
        if isinstance(node, n.Unread):
            self.notes[f"{node.what} statements"] = None
            return (
                [*perhaps(self.render(self.run(node.body)))] if node.what in ("while", "do") else []
            )
        if isinstance(node, n.Block):
            return self.run(node.body)
        if isinstance(node, n.Unary) and node.operator in ("++", "--"):
            self.value(node)
            return []
        return self.value(node)

    def _assign(self, node: n.Assignment) -> Objects:
        value = self.run(node.value)
        kept: Objects = [item for item in value if isinstance(item, Part) and not item.prints]
        value = [item for item in value if not (isinstance(item, Part) and not item.prints)]
        target = node.target
        if isinstance(target, n.Variable):
            if node.operator == "+=":
                value = self._added([*self.variables.get(target.name, [])], value)
            elif node.operator != "=":
                value = [None]
            self.variables[target.name] = value
        return kept

    def _chain(self, node: n.Chain) -> Objects:
        parts = self.render(self.run(node.items[0]))
        for operator, item in zip(node.operators, node.items[1:], strict=True):
            following = self.render(self.run(item))
            parts = joined(parts, operator, following, self.walker.errors_seen, False)
        return [*parts]

    def _if(self, node: n.If) -> Objects:
        out: Objects = []
        sure = True
        for condition, body in node.branches:
            tested = [] if condition is None else self.value(condition)
            known = tested[0] if len(tested) == 1 and isinstance(tested[0], bool) else None
            if known is False:
                continue
            inner = self.run(body)
            by_line = any(isinstance(item, (Element, Line)) for item in tested)
            if by_line or any(isinstance(item, (Element, Line)) for item in inner):
                out.extend(map(chosen, inner))
            elif known and sure:
                out.extend(inner)
            else:
                kept = [item for item in inner if isinstance(item, (Found, Item))]
                rest = [item for item in inner if not isinstance(item, (Found, Item))]
                out.extend([*kept, *perhaps(self.render(rest))])
            if known:
                break
            sure = False
        return out

    # --- pipelines and commands -----------------------------------------------------------------

    def _pipeline(self, node: n.Pipeline) -> Objects:
        objects: Objects | None = None
        for stage in node.stages:
            if isinstance(stage, n.Command):
                objects = self._command(stage, objects)
            elif objects is None:
                objects = self.value(stage)
            else:
                self.notes["script blocks"] = None
                objects = derived(objects, "block")
        return self._redirected(objects or [], node.redirects)

    def _command(self, node: n.Command, given: Objects | None) -> Objects:
        self.steps += 1
        if self.steps > MAX_STEPS:
            return []
        spelled = self.text(self.value(node.name))
        name = spelled.lower()
        found = _PROGRAM.match(name)
        is_program = name.endswith((".exe", ".cmd", ".bat")) or "/" in name or "\\" in name
        name = name if is_program else ALIASES.get(name, name)
        cmdlet = None if is_program else CMDLETS.get(name)
        if cmdlet is not None:
            objects = cmdlet.handler(Call(self, name, cmdlet, node.arguments, given))
        elif found is None or has_hole(name):
            objects = [*derived(given or [], "program")]
        elif "-" in name and not is_program and name.partition("-")[0] in _VERBS:
            objects = self._unknown_cmdlet(name, given)
        else:
            objects = self._program(found["name"], node.arguments, given)
        return self._redirected(objects, node.redirects)

    def _unknown_cmdlet(self, name: str, given: Objects | None) -> Objects:
        """A cmdlet that is not in the table: its input still counts as shown if it prints."""
        return derived(given, name) if given else [Opaque(rule=name, expected=False)]

    def _program(
        self, name: str, arguments: Sequence[n.Argument], given: Objects | None
    ) -> Objects:
        """A program that is no cmdlet, as bash runs it."""
        words = [Word(name)]
        for argument in arguments:
            if argument.option:
                words.append(Word(argument.raw))
            elif argument.value is not None:
                words.extend(self._words(argument))
        stdin = None if given is None else self.render(given)
        if name in self.walker.table or stdin is None:
            return [*self.walker.command(words, stdin)]
        return [*algebra.derive(stdin, name)]

    def _words(self, argument: n.Argument) -> list[Word]:
        node = argument.value
        if isinstance(node, n.Array):
            if all(isinstance(item, n.Literal) for item in node.items):
                return [Word(",".join(str(item.value) for item in node.items))]  # type: ignore[attr-defined]
        elif isinstance(node, n.Block):
            return [Word(argument.raw)]
        objects = self.value(node) if node is not None else []
        bare = isinstance(node, n.Literal) and node.bare
        out: list[Word] = []
        for item in objects:
            text = self._as_text(item)
            # Git, rg and the others take slashes; a backslash in a pattern stays.
            spelled = slashed(text) if bare and _is_place(text) else text
            out.append(Word(spelled))
        return out

    def _redirected(self, objects: Objects, redirects: Sequence[n.Redirect]) -> Objects:
        for mark in redirects:
            if mark.target is None:
                continue
            target = self.value(mark.target)
            nothing = isinstance(mark.target, n.Variable) and mark.target.name == "null"
            path = None if nothing else self.path(self.text(target))
            writes: Objects = [] if path is None else [Write(path=path, rule="redirection")]
            if mark.stream == "2":
                objects = [*algebra.quiet(self.render(objects)), *writes]
            elif mark.stream in ("1", "*"):
                if path is not None:
                    self.note_text(path, objects, mark.adds)
                objects = [*self.silent(objects), *writes]
            else:
                objects = [*objects, *writes]
        return objects


_VERBS = frozenset(
    ["get", "set", "add", "remove", "new", "out", "write", "select", "where", "foreach", "sort", "measure", "format",
     "test", "resolve", "convert", "convertto", "convertfrom", "export", "import", "invoke", "start", "stop", "copy",
     "move", "rename", "clear", "join", "split", "push", "pop", "compare", "group", "tee", "read", "update", "expand",
     "compress", "wait", "enable", "disable", "install", "uninstall", "find", "save", "show", "enter", "exit", "use"]
)  # fmt: skip


def _is_place(text: str) -> bool:
    r"""Whether a bare word with backslashes is a path and not a pattern (`\bfoo\b`)."""
    return (
        regex(r"(?:[A-Za-z]:|\.{1,2}|[\w.@-]+)?(?:\\[\w.@() -]+)+\\?").fullmatch(text) is not None
    )
