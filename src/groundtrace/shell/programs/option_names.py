"""Long options that take a value, by program: the word after them is not a file."""

from __future__ import annotations

BAT = frozenset([
    "--line-range", "--language", "--style", "--theme", "--color", "--paging", "--tabs", "--wrap", "--map-syntax",
])  # fmt: skip
COPY = frozenset(["--target-directory", "--suffix", "--mode", "--owner", "--group"])
CURL = frozenset([
    "--output", "--header", "--data", "--request", "--user", "--user-agent", "--url", "--max-time",
])  # fmt: skip
CUT = frozenset(["--delimiter", "--fields", "--characters"])
DIFF = frozenset(["--exclude", "--exclude-from", "--label", "--width"])
FD = frozenset(["--extension", "--type", "--exclude", "--max-depth", "--color", "--base-directory"])
FIND = frozenset([
    "-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex", "-type", "-maxdepth",
    "-mindepth", "-size", "-mtime", "-mmin", "-newer", "-user", "-group", "-perm", "-printf", "-fprintf",
    "-regextype", "-samefile", "-links", "-xtype", "-lname", "-atime", "-ctime", "-amin", "-cmin", "-inum",
    "-fstype", "-used", "-newermt",
])  # fmt: skip
GIT = frozenset([
    "--format", "--pretty", "--since", "--until", "--after", "--before", "--author", "--grep", "--max-count",
    "--skip", "--diff-filter", "--unified", "--source", "--color", "--date", "--abbrev",
])  # fmt: skip
RUN = frozenset([
    "--with", "--with-editable", "--with-requirements", "--python", "-p", "--extra", "--group", "--directory", "--project",
    "--env-file", "--package", "--index-url", "-e", "--environment",
])  # fmt: skip
GREP = frozenset([
    "--regexp", "--file", "--max-count", "--after-context", "--before-context", "--context", "--include",
    "--exclude", "--exclude-dir", "--binary-files", "--label", "--color", "--colour", "--glob", "--type",
    "--type-not", "--max-depth", "--threads", "--sort", "--sortr", "--replace", "--iglob", "--encoding",
    "--engine", "--ignore-file", "--max-columns",
])  # fmt: skip
LS = frozenset(["--ignore", "--sort", "--time", "--color", "--time-style", "--width"])
SGX = frozenset(["--start", "--end", "--query", "--rev", "--count", "--revision"])
