"""All known programs by name: rows of data, and handlers for the few that need code.

A row says what the program does, which of its options take a value, where names are in its lines
and which other names it uses in error messages. Every name of this table may occur in error
messages (`output.complaints`), so there is no second list of programs. To add a program, see the
page `docs/explanation/shell.md`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groundtrace.base.suggest import unknown_name
from groundtrace.errors import UsageError
from groundtrace.shell.programs import (
    fetchers,
    git,
    listers,
    readers,
    scripts,
    searchers,
    sed_awk,
    wrappers,
    writers,
)
from groundtrace.shell.programs import option_names as long
from groundtrace.shell.programs.call import Call, Handler, Program, ProgramEntry
from groundtrace.shell.programs.effects import EFFECTS
from groundtrace.shell.streams.part import Opaque, Parts

HANDLERS: dict[str, Handler] = {
    name: handler
    for module in (fetchers, git, listers, readers, scripts, searchers, sed_awk, wrappers, writers)
    for name, handler in module.HANDLERS.items()
}
"""What programs with code of their own do, by name."""

PROGRAMS: dict[str, Program] = {
    # Print something made from the files.
    "xxd": Program("shows", "lsocg"), "hexdump": Program("shows", "nse"), "od": Program("shows", "AjNtw"),
    "strings": Program("shows", "nte"), "base64": Program("shows", "w"), "base32": Program("shows", "w"),
    "column": Program("shows", "socNHRTWEO"), "fmt": Program("shows", "w"), "rev": Program("shows"),
    "expand": Program("shows", "t"), "unexpand": Program("shows", "t"), "pr": Program("shows", "hlwoN"),
    "xmllint": Program("shows"), "pandoc": Program("shows", "fto"), "csvlook": Program("shows"),
    "glow": Program("shows", "sw"), "pygmentize": Program("shows", "lf"),
    "tr": Program("filters"), "json_pp": Program("filters"),
    # Print the same lines in another order, or beside lines of other files.
    "tac": Program("reorders"), "sort": Program("reorders", "ktoST"), "shuf": Program("reorders", "n"),
    "uniq": Program("reorders", "fsw", stop=1),
    "comm": Program("together"), "sdiff": Program("together", "w"), "paste": Program("together", "d"), "join": Program("together", "12aejotv"),
    # Print names with something beside them.
    "wc": Program("names", long=frozenset({"--files0-from"}), form="wc"), "cksum": Program("names", form="wc"),
    "file": Program("names", "Fmf", form="describe"), "du": Program("names", "dt", frozenset({"--max-depth"}), "size"),
    "md5sum": Program("names", form="sum"), "sha1sum": Program("names", form="sum"),
    "sha256sum": Program("names", form="sum"), "sha512sum": Program("names", form="sum"), "b2sum": Program("names", form="sum"),
    "realpath": Program("names", form="plain"), "readlink": Program("names", form="plain"),
    # Write files; removing counts as writing.
    "touch": Program("writes", "drt", frozenset({"--reference", "--date"})),
    "rm": Program("writes", form="removed"), "unlink": Program("writes"),
    "truncate": Program("writes", "sr", frozenset({"--size", "--reference"})), "shred": Program("writes", "ns"),
    # Run another command.
    "sudo": Program("runs", "ugpCrt"), "doas": Program("runs", "uC"), "env": Program("runs", "uSC"),
    "nice": Program("runs", "n"), "ionice": Program("runs", "cn"), "nohup": Program("runs"),
    "stdbuf": Program("runs", "ioe"), "builtin": Program("runs"), "exec": Program("runs", "a"),
    "timeout": Program("runs", "ks", frozenset({"--signal", "--kill-after"}), skip=1), "setsid": Program("runs"),
    "unbuffer": Program("runs"), "chronic": Program("runs"), "caffeinate": Program("runs", "t"), "rtk": Program("runs"),
    # Print nothing, touch nothing.
    **dict.fromkeys(
        ["mkdir", "rmdir", "chmod", "chown", "chgrp", "true", "false", ":", "exit", "return", "break", "continue",
         "set", "shopt", "unset", "export", "local", "readonly", "declare", "typeset", "trap", "ulimit", "umask",
         "wait", "sleep", "kill", "alias", "unalias", "shift", "hash", "disown", "test", "[", "[[", "let"],
        Program("nothing"),
    ),
    # Print what they do; `submit` is the final answer of an agent.
    **dict.fromkeys(
        ["pip", "pip3", "npm", "make", "cargo", "apt", "apt-get"], Program("unknown", form="talks")
    ),
    "rsync": Program("unknown"), "submit": Program("unknown"),
    # Usually print nothing; the files that they make are not named, or not text.
    **dict.fromkeys(
        ["pyenv", "module", "gcc", "g++", "cc", "c++", "clang", "clang++", "javac",
         "rustc", "ld", "ar", "clear", "sync", "stty", "tput", "dos2unix"],
        Program("unknown"),
    ),
    # --- programs that need code; their options are still data ------------------------------------
    # Contents of files, whole or in part.
    "cat": Program("cat"), "zcat": Program("cat", speaks=("gzip",)), "less": Program("cat"), "more": Program("more"),
    "view": Program("cat"), "bat": Program("bat", "rlHm", long.BAT), "batcat": Program("bat", "rlHm", long.BAT),
    "nl": Program("nl", "bdfhinlsvw", frozenset({"--body-numbering"})), "head": Program("head", "c", frozenset({"--bytes"})),
    "tail": Program("tail", "cs", frozenset({"--bytes", "--pid"})), "fold": Program("fold", "w", frozenset({"--width"})),
    "cut": Program("cut", "dfcb", long.CUT), "jq": Program("jq"), "yq": Program("jq"),
    **dict.fromkeys(["diff", "cmp", "colordiff", "vimdiff"], Program("diff", "UCWIxXFS", long.DIFF)),
    **dict.fromkeys(["sed", "gsed"], Program("sed", "efl", frozenset({"--expression", "--file"}))),
    **dict.fromkeys(
        ["awk", "gawk", "mawk", "nawk"], Program("awk", "Fvf", frozenset({"--field-separator", "--assign", "--file"}))
    ),
    "sgx": Program("sgx", "qnc", long.SGX),
    # Text of the command itself.
    "echo": Program("echo"), "printf": Program("printf"), "pwd": Program("pwd"), "seq": Program("seq"),
    "basename": Program("pathname"), "dirname": Program("pathname"), "tee": Program("tee"),
    # Searches.
    **dict.fromkeys(["grep", "egrep", "fgrep", "zgrep", "rgrep", "ggrep"], Program("grep", "efmABCdD", long.GREP)),
    "rg": Program("rg", "efmABCgtTdjrEM", long.GREP), "ag": Program("rg", "mABCGp", long.GREP),
    "ack": Program("rg", "mABCGp", long.GREP),
    **dict.fromkeys(["ast-grep", "sg"], Program("ast-grep", "plrABCj", frozenset({"--pattern", "--lang", "--rewrite", "--globs"}))),
    # Names.
    "find": Program("find", long=long.FIND), "gfind": Program("find", long=long.FIND),
    "fd": Program("fd", "etEdcjgS", long.FD), "fdfind": Program("fd", "etEdcjgS", long.FD),
    **dict.fromkeys(["ls", "ll", "dir", "exa", "eza"], Program("ls", "ITw", long.LS)),
    "tree": Program("tree", "LIPHTo", frozenset({"--filelimit", "--charset", "--sort"})),
    "stat": Program("stat", "cft", frozenset({"--format", "--printf"})),
    # Write, fetch, unpack.
    "cp": Program("copy", "tS", long.COPY), "mv": Program("copy", "tS", long.COPY), "ln": Program("copy", "tS", long.COPY),
    "install": Program("copy", "tmogS", long.COPY), "dd": Program("dd"),
    "patch": Program("patch", "pidorBDFVYz", frozenset({"--strip", "--input", "--directory"})),
    "apply_patch": Program("apply_patch"), "applypatch": Program("apply_patch"),
    "curl": Program("curl", "oHdXuAmeFTbcwx", long.CURL),
    "wget": Program("wget", "OPoUtT", frozenset({"--output-document", "--header", "--user-agent"})),
    **dict.fromkeys(["tar", "bsdtar"], Program("tar", "fCTXbHIK", frozenset({"--file", "--directory", "--exclude"}))),
    "unzip": Program("unzip", "dxP"), "ed": Program("ed", "p"),
    # git, verb by verb.
    "git": Program("git"), "git show": Program("git show", "nUSGL", long.GIT),
    "git cat-file": Program("git cat-file", "nUSGL", long.GIT),
    **dict.fromkeys(["git diff", "git diff-tree", "git diff-index"], Program("git diff", "USGlO", long.GIT)),
    **dict.fromkeys(["git log", "git whatchanged"], Program("git log", "nSGL", long.GIT)),
    **dict.fromkeys(["git blame", "git annotate"], Program("git blame", "LSM", frozenset({"--since", "--date"}))),
    "git grep": Program("git grep", "efmABCO", long.GREP | {"--open-files-in-pager"}),
    "git ls-files": Program("git ls-files", "xX", frozenset({"--exclude"})), "git ls-tree": Program("git ls-tree"),
    "git status": Program("git status"), "git checkout": Program("git checkout", "bB"),
    "git restore": Program("git restore", "s", long.GIT), "git rm": Program("git rm"), "git mv": Program("git mv"),
    **dict.fromkeys(
        ["git apply", "git am"], Program("git apply", "pC", frozenset({"--directory", "--exclude", "--include"}))
    ),
    "git stash": Program("git stash"), "git commit": Program("git commit"), "git clean": Program("git clean", "e"),
    "git format-patch": Program("unknown"), "git config": Program("unknown"),
    # Shells and programs that run other commands.
    **dict.fromkeys(["bash", "sh", "zsh", "dash", "ksh"], Program("shell")), "eval": Program("eval"),
    "source": Program("source"), ".": Program("source"), "xargs": Program("xargs"), "parallel": Program("parallel"),
    "command": Program("command"), "which": Program("which"), "type": Program("which"), "read": Program("read"),
    "time": Program("time", "fo"),
    **dict.fromkeys(
        ["docker", "podman", "nerdctl", "docker-compose"],
        Program("container", "euw", frozenset({"--env", "--env-file", "--user", "--workdir", "--index"}), skip=1),
    ),
    "kubectl": Program("container", "cnf", frozenset({"--container", "--namespace", "--filename"})),
    **dict.fromkeys(["cd", "chdir", "pushd", "popd"], Program("cd")),
    # Scripts and checkers.
    **dict.fromkeys(
        ["python", "python2", "python3", "python3.10", "python3.11", "python3.12", "pypy3", "ipython"], Program("python")
    ),
    **dict.fromkeys(["node", "nodejs", "bun", "deno"], Program("node")), "perl": Program("perl"), "ruby": Program("perl"),
    **dict.fromkeys(["pytest", "py.test", *sorted(listers.CHECKERS - {"vet"})], Program("checker")),
    "go": Program("go"), **dict.fromkeys(["npx", "uvx", "yarn", "pnpm", "bunx"], Program("runner")),
    **dict.fromkeys(["uv", "poetry", "pipenv", "pdm", "rye", "hatch", "pixi"], Program("runner", long=long.RUN)),
    **dict.fromkeys(["conda", "mamba", "micromamba"], Program("runner", long=frozenset({"-n", "--name", "-p", "--prefix", "--cwd"}))),
}  # fmt: skip
"""Programs as data."""


def entry(program: Program) -> ProgramEntry:
    """The table entry of a program."""
    return ProgramEntry(program, EFFECTS.get(program.effect) or HANDLERS[program.effect])


TABLE: dict[str, ProgramEntry] = {name: entry(program) for name, program in PROGRAMS.items()}
"""From the name of a program to its entry."""
OTHER_SPEAKERS = frozenset(name for program in PROGRAMS.values() for name in program.speaks)
"""Other names that programs use in error messages."""


# --- programs of users ----------------------------------------------------------------------------

_KEYS = ("like", "kind", "operands", "value_options")
_KINDS = ("read", "matched", "surfaced", "written", "nothing", "prefix")
_PLACES = ("all", "first", "last", "rest")


def added_programs(
    commands: Mapping[str, Mapping[str, Any]], table: Mapping[str, ProgramEntry]
) -> dict[str, ProgramEntry]:
    """Entries for the commands of groundtrace.toml.

    `like` names a command of the table that the new one behaves like. Otherwise these keys describe
    it:

    - `kind`: what happens to the files it names (`prefix`: it runs the command that follows);
    - `operands`: which of its operands are files (all, first, last, rest: all but the first);
    - `value_options`: which of its options take a value.
    """
    return {name: _added(name, spec, table) for name, spec in commands.items()}


def _added(name: str, spec: Mapping[str, Any], table: Mapping[str, ProgramEntry]) -> ProgramEntry:
    where = f"shell.commands.{name}"
    for key in spec:
        if key not in _KEYS:
            raise UsageError(f"{where}: {unknown_name('key', str(key), _KEYS)}")
    like = spec.get("like")
    if like is not None:
        if not isinstance(like, str) or like not in table:
            raise UsageError(
                f"{where}.like: {unknown_name('command', str(like), sorted(table), listed=False)}"
            )
        return table[like]
    kind, place = spec.get("kind"), spec.get("operands", "all")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise UsageError(f"{where}.kind: {unknown_name('kind', str(kind), _KINDS)}")
    if not isinstance(place, str) or place not in _PLACES:
        raise UsageError(f"{where}.operands: {unknown_name('value', str(place), _PLACES)}")
    options = spec.get("value_options", [])
    if not isinstance(options, list) or not all(isinstance(option, str) for option in options):
        raise UsageError(f"{where}.value_options must be a list of strings")
    short = "".join(option[1:] for option in options if len(option) == 2)
    long = frozenset(option for option in options if len(option) > 2)
    return ProgramEntry(Program("added", short, long), _handler(kind, place))


def _handler(kind: str, place: str) -> Handler:
    def handle(call: Call) -> Parts:
        given = call.options().operands
        if kind == "prefix":
            return call.shell.command(given, call.stdin)
        words = {"all": given, "first": given[:1], "last": given[-1:], "rest": given[1:]}[place]
        if kind == "written":
            return call.writes(words)
        if kind == "nothing":
            return [Opaque(rule=call.name, expected=False)]
        if kind == "read":
            return call.opened(words)
        return [Opaque(shows=call.named(words, kind), rule=call.name)]

    return handle
