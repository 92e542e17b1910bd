"""The state of a shell: its directory, what its variables hold, which functions it knows.

It never changes. A command that changes the shell (`cd`, an assignment) replaces the environment.
At the end of a subshell the walk goes back to the environment before it, so nothing has to be
copied or restored piece by piece.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from groundtrace.shell.streams.file_names import join
from groundtrace.shell.streams.word import Word
from groundtrace.shell.syntax.holes import has_hole
from groundtrace.shell.syntax.parse import Tree

if TYPE_CHECKING:
    from tree_sitter import Node

Words = tuple[Word, ...]


class Environment(msgspec.Struct, frozen=True):
    """What a shell knows at one point of a command."""

    tree: Tree
    """The command, or the script in it, that is being followed."""
    cwd: str | None
    """The directory; None if it is not known."""
    variables: Mapping[str, Words] = {}
    """What variables hold; `@` and `1`, `2`… are the arguments."""
    functions: Mapping[str, tuple[Tree, Node]] = {}
    """Functions: the script that holds each one, and its body in that script."""
    folders: tuple[str | None, ...] = ()
    """Directories that `pushd` saved."""

    def lookup(self, name: str) -> Words | None:
        """The words that a variable holds; None if it is not known."""
        if name == "PWD":
            return None if self.cwd is None else (Word(self.cwd),)
        if name == "HOME":
            return (Word("~"),)
        return self.variables.get("@" if name == "*" else name)

    def scalar(self, name: str) -> str | None:
        """A variable as text; None if it is not known."""
        words = self.lookup(name)
        if not words or not words[0].known:
            return None
        return words[0].text

    def holding(self, values: Mapping[str, Words]) -> Environment:
        """The same with these variables."""
        return replace(self, variables={**self.variables, **values})

    def given(self, arguments: Sequence[Word], first: int = 1) -> Environment:
        """The same with these arguments. The first is `$1`, or `$0` as after `bash -c`."""
        numbered = {str(index): (word,) for index, word in enumerate(arguments, first)}
        return self.holding({"@": tuple(arguments[1 - first :]), **numbered})

    def with_arguments_of(self, other: Environment) -> Environment:
        """The same with the arguments of another environment, as after a function has returned."""
        kept = {k: v for k, v in self.variables.items() if not _is_argument(k)}
        back = {k: v for k, v in other.variables.items() if _is_argument(k)}
        return replace(self, variables={**kept, **back})

    def defining(self, name: str, body: Node) -> Environment:
        """The same with a function."""
        return replace(self, functions={**self.functions, name: (self.tree, body)})

    def reading(self, tree: Tree) -> Environment:
        """The same, following another script."""
        return replace(self, tree=tree)

    def at(self, cwd: str | None) -> Environment:
        """The same in another directory."""
        return replace(self, cwd=cwd)

    def entered(self, name: str) -> Environment:
        """The same after `cd name`. Below a directory that is not known the rest of the path is: of
        `cd requests && cat api.py` it is `requests/api.py`."""
        if self.cwd is None and name.startswith(".") and not name.startswith("./"):
            return self.at(None if name != "." else self.cwd)
        return self.at(None if has_hole(name) else join(self.cwd, name))

    def pushed(self) -> Environment:
        """The same with this directory saved by `pushd`."""
        return replace(self, folders=(*self.folders, self.cwd))

    def popped(self) -> Environment:
        """The same after `popd`."""
        if not self.folders:
            return self
        return replace(self, cwd=self.folders[-1], folders=self.folders[:-1])


def _is_argument(name: str) -> bool:
    return name == "@" or name.isdigit()
