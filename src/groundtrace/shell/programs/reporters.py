"""Checkers that print places in files: linters, compilers, collectors of tests.

They open files and print their names with remarks: `src/app.py:3:1: E303 too many blank lines`. The
names surface, like those of `wc -l` (D52). Tracebacks and reports of test runs are prose.
"""

from __future__ import annotations

from groundtrace.shell.programs.call import Call, Handler
from groundtrace.shell.streams.name_lists import Names
from groundtrace.shell.streams.part import Opaque, Parts

CHECKERS = frozenset(
    [
        "flake8", "mypy", "ruff", "pylint", "pyright", "pycodestyle", "pyflakes", "tsc", "eslint",
        "shellcheck", "vet", "golint", "staticcheck", "black", "isort",
    ]
)  # fmt: skip
_PREFIXES = frozenset(["npx", "pnpm", "yarn", "uvx", "poetry", "exec", "run", "bunx"])


def reports(call: Call, name: str) -> Parts:
    """What a checker with this name prints; nothing for other programs."""
    texts = [word.text for word in call.args]
    if name == "pytest":
        if "--collect-only" in texts or "--co" in texts:
            return [Names(cwd=call.cwd, form="test", only_files=True, anchor=False, rule=name)]
        return []
    if name == "pydoc":
        return [Names(cwd=call.cwd, form="pydoc", only_files=True, anchor=False, rule=name)]
    if name not in CHECKERS:
        return []
    return [
        Names(cwd=call.cwd, form="report", only_files=True, anchor=False, silent=True, rule=name)
    ]


def _checker(call: Call) -> Parts:
    return reports(call, call.name) or [Opaque(rule=call.name, expected=False)]


def _go(call: Call) -> Parts:
    """`go build` and `go vet` name files that do not compile."""
    verb = call.args[0].text if call.args else ""
    if verb in {"build", "vet"}:
        return reports(call, "vet")
    return [Opaque(rule="go", expected=False)]


def _prefixed(call: Call) -> Parts:
    """`npx tsc`, `yarn run eslint`: the program after the runner."""
    words = list(call.args)
    while words and (words[0].text in _PREFIXES or words[0].text.startswith("-")):
        words.pop(0)
    if words and words[0].text in CHECKERS:
        call.args = words[1:]
        return reports(call, words[0].text)
    return [Opaque(rule=call.name, expected=False)]


HANDLERS: dict[str, Handler] = {"checker": _checker, "go": _go, "runner": _prefixed}
