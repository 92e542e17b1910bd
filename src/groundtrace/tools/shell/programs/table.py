"""All programs that are known, by name: rows of data, and handlers for the few that need code.

A name in this table may also speak in error messages (`output.complaints`), so there is no second
list of programs. To add one, see the guide `docs/guides/add-a-tool.md`.
"""

from __future__ import annotations

from groundtrace.tools.shell.programs import (
    fetchers,
    git,
    listers,
    readers,
    remote_readers,
    reporters,
    scripts,
    searchers,
    sed_awk,
    wrappers,
    writers,
)
from groundtrace.tools.shell.programs.call import Entry
from groundtrace.tools.shell.programs.effects import Program, entry

PROGRAMS: dict[str, Program] = {
    # Shown is something made of the files.
    "xxd": Program("shows", "lsocg"), "hexdump": Program("shows", "nse"), "od": Program("shows", "AjNtw"),
    "strings": Program("shows", "nte"), "base64": Program("shows", "w"), "base32": Program("shows", "w"),
    "column": Program("shows", "socNHRTWEO"), "fmt": Program("shows", "w"), "rev": Program("shows"),
    "expand": Program("shows", "t"), "unexpand": Program("shows", "t"), "pr": Program("shows", "hlwoN"),
    "xmllint": Program("shows"), "pandoc": Program("shows", "fto"), "csvlook": Program("shows"),
    "glow": Program("shows", "sw"), "pygmentize": Program("shows", "lf"),
    "tr": Program("filters"), "json_pp": Program("filters"),
    # The same lines in another order, or beside those of other files.
    "tac": Program("reorders"), "sort": Program("reorders", "ktoST"), "shuf": Program("reorders", "n"),
    "uniq": Program("reorders", "fsw", stop=1),
    "comm": Program("together"), "paste": Program("together", "d"), "join": Program("together", "12aejotv"),
    # Names, with something beside them.
    "wc": Program("names", long=frozenset({"--files0-from"}), form="wc"), "cksum": Program("names", form="wc"),
    "file": Program("names", "Fmf", form="describe"), "du": Program("names", "dt", frozenset({"--max-depth"}), "size"),
    "md5sum": Program("names", form="sum"), "sha1sum": Program("names", form="sum"),
    "sha256sum": Program("names", form="sum"), "sha512sum": Program("names", form="sum"), "b2sum": Program("names", form="sum"),
    "realpath": Program("names", form="plain"), "readlink": Program("names", form="plain"),
    # Written, also where that means removed.
    "touch": Program("writes", "drt", frozenset({"--reference", "--date"})),
    "rm": Program("writes", form="removed"), "unlink": Program("writes"),
    "truncate": Program("writes", "sr", frozenset({"--size", "--reference"})), "shred": Program("writes", "ns"),
    # Another command is run.
    "sudo": Program("runs", "ugpCrt"), "doas": Program("runs", "uC"), "env": Program("runs", "uSC"),
    "time": Program("runs", "fo"), "nice": Program("runs", "n"), "ionice": Program("runs", "cn"), "nohup": Program("runs"),
    "stdbuf": Program("runs", "ioe"), "builtin": Program("runs"), "exec": Program("runs", "a"),
    "timeout": Program("runs", "ks", frozenset({"--signal", "--kill-after"}), skip=1), "setsid": Program("runs"),
    "unbuffer": Program("runs"), "chronic": Program("runs"), "caffeinate": Program("runs", "t"), "rtk": Program("runs"),
    # Neither printed nor touched.
    **dict.fromkeys(
        ["mkdir", "rmdir", "chmod", "chown", "chgrp", "true", "false", ":", "exit", "return", "break", "continue",
         "set", "shopt", "unset", "export", "local", "readonly", "declare", "typeset", "trap", "ulimit", "umask",
         "wait", "sleep", "kill", "alias", "unalias", "shift", "hash", "disown", "test", "[", "[[", "let"],
        Program("nothing"),
    ),
    # Printed is what they do; `submit` is the final answer of an agent.
    **dict.fromkeys(
        ["rsync", "pip", "pip3", "npm", "make", "cargo", "apt", "apt-get", "submit"], Program("unknown")
    ),
}  # fmt: skip
"""Programs as data."""

TABLE: dict[str, Entry] = {
    **{name: entry(program) for name, program in PROGRAMS.items()},
    **{
        name: Entry(handler)
        for module in (
            readers,
            sed_awk,
            searchers,
            listers,
            writers,
            git,
            wrappers,
            scripts,
            remote_readers,
            reporters,
            fetchers,
        )
        for name, handler in module.HANDLERS.items()
    },
}
"""Name of the program to its entry."""
