"""Error messages among the lines of an output, and the names in them.

A line of a file may look like a message, and must not be lost. So a message needs both: its first
word is a program of the table or a word of the command, and its text holds one of the usual
phrases.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from groundtrace.base.patterns import regex

Speaks = Callable[[str], bool]
"""Whether a program of this name may print messages."""

SPEAKERS = frozenset(["fatal", "warning", "error", "bash", "sh", "zsh", "dash", "fish", "curl"])
"""Who else prints messages: shells about what they cannot run, git under names such as `fatal`."""
_PHRASES = (
    "No such file or directory", "no such file or directory", "Is a directory", "Not a directory",
    "Permission denied", "command not found", ": not found", "cannot open", "an't open",
    "cannot access", "can't read", "can't stat", "cannot stat", "cannot read", "does not exist",
    "not a git repository", "input file is output file", "ambiguous redirect", "syntax error", "Syntax error",
    "unexpected EOF", "Broken pipe", "nknown option", "invalid option", "unrecognized option",
    "write error", "Could not open", "missing operand", "extra operand", "Invalid argument",
    "unknown predicate", "not recognized", "No match", "terminated by signal", "unmatched",
    "exists in", "unknown revision", "pathspec", "unable to", "cannot remove", "cannot move",
    "Could not resolve host", "patch failed", "patch does not apply", "No valid patches",
    "corrupt patch", "open failed", "failed to open", "Traceback (most recent call last)",
    "Cannot find module", "[Errno ", "No such file", "Failed to open", ": -e expression #", ": *** ",
    # a search or a script that cannot be compiled
    "Unmatched ", "Invalid regular expression", "Invalid preceding regular expression", "Invalid back reference",
    "Trailing backslash", "Invalid range end", "Invalid character class", "Invalid content of", "missing } near",
    "unterminated ", "invalid number of", "nvalid line number", "parse error",
    # git
    "invalid object name", "ot a valid object name", "bad revision", "bad object", "ambiguous argument",
    "invalid reference", "no such path", " has only ", "bad source", "Could not access", "is outside repository",
    # files that cannot be written
    "couldn't edit", "couldn't open", "omitting directory", "cannot create", "cannot touch", "cannot overwrite",
    "are the same file", "Read-only file system", "File exists", "No space left on device", "Operation not permitted",
)  # fmt: skip
_MESSAGE = regex(
    r"(?:\[(?=bat error\]))?(?:[\w.~+-]{0,200}/){0,40}(?P<who>[A-Za-z][\w.+-]{0,60})(?: error\])?: (?:line \d{1,9}: |\d{1,9}: )?(?P<what>.+)$"
)
_FIRST_SPEAKS = regex(r"[\w./~+-]++: |\[bat error\]: ")
_LATER_SPEAKS = regex(rf"\n(?:{_FIRST_SPEAKS.pattern})")
"""Whether any line can be a message at all; most outputs have none. A search for a line end skips
the rest of each line; a search for `^` tries every character."""
_OPENING = regex(r"[\w./~+-]+: |\[bat error\]: |rep|file not|Uncaught |Can't open |parse error: ")
"""How every message begins."""
_BINARY = regex(r"(?:grep|rg|ag|ack|zgrep|egrep|fgrep|ggrep): (.+): binary file matches$")
_REJECTED = (
    ": -e expression #", "invalid option", "nknown option", "unrecognized option", "missing operand",
    "unknown predicate", ": Unmatched ", ": Invalid regular", ": Invalid preceding", ": Invalid back",
    ": Invalid range", ": Invalid character", ": Invalid content", ": Trailing backslash",
    "missing } near", ": invalid number of",
)  # fmt: skip
_REJECTED_BY_GIT = tuple(
    f"fatal: {what}"
    for what in (
        *("invalid object name", "invalid reference", "bad revision", "bad source", "bad object"),
        *("ambiguous argument", "Not a valid object name", "not a valid object name"),
    )
)
"""The program rejected its options or its script, and did nothing at all."""
_ADVICE = regex(r"(?:[\w.+-]{1,60}: )?Try '(?P<who>[\w.+-]{1,60}) --help' for more information\.$")
_BUILTIN = regex(r"(cd|pushd|popd|source): ")
_GIT = frozenset(["fatal", "error"])
_NOT_A_FAILURE = regex(r"write error|Broken pipe")
_PYTHON_ERROR = regex(
    r"(?:FileNotFoundError|IsADirectoryError|PermissionError|NotADirectoryError): \[Errno \d+\] [^:]*: '(?P<path>.*)'"
)
_NODE_ERROR = regex(
    r"(?:Uncaught )?Error: (?:ENOENT: no such file or directory, (?:open|stat|scandir) '(?P<path>[^']*)'"
    r"|Cannot find module '(?P<module>[^']*)')"
)
_REMOTE_ERROR = regex(r"repository not found: |repo not found: |file not found: ")
_NOT_PERL = regex(r" at -e line \d{1,6}(?:\.$|, near|, at EOF)")
_PERL_ERROR = regex(
    r"(?:Can't open (?P<path>[^:]{1,4096}): [^:]{1,200}|.{1,900} at -e line \d{1,6}(?:\.|, near .{0,200}|, at EOF))$"
)
"""A file that `perl -p` cannot open, or a script that perl cannot compile."""
_JQ_ERROR = regex(r"parse error: .{1,200} at (?:line \d{1,9}, column \d{1,9}|EOF)")
_SPECIAL = regex(
    r"rep|file not|(?:FileNotFound|IsADirectory|Permission|NotADirectory)?Error: |Uncaught |Can't open |parse error: "
)
"""How messages begin that name no program; one look instead of five at every line."""
_ABSENT = regex(r"(?:: |^)([^\s:]{1,200}): (?:command )?not found$|command not found: (\S{1,200})$")
_QUOTED = regex(r"['\"`‘“]([^'\"`’”]{1,4096})['\"’”]")
_OPENED = regex(r"(?:read|edit|open(?: file)?) ([^:]{1,4096})")
_TRACE = regex(r"Traceback \(most recent call last\):$")
_FRAME = regex(r'  File "(?P<file>[^"]{1,4096})", line (?P<line>\d{1,9})')
_EXCEPTION = regex(r"[A-Za-z_][\w.]{0,200}(?::|$)")
_SCRIPTS = frozenset(["<stdin>", "<string>"])
_PYTHONS = ("python", "python3")
_NOT_PYTHON = regex(r"(?:Syntax|Indentation|Tab)Error: ")
_PLACE = regex(r'\s{0,8}File "(?P<file>[^"]{1,4096})", line \d{1,9}$')


class Complaints(msgspec.Struct):
    """What error messages say."""

    missing: set[str] = msgspec.field(default_factory=set)
    """Names that programs said they could not open."""
    stopped: dict[str, int] = msgspec.field(default_factory=dict)
    """Scripts that ended with an exception, and their last line that ran."""
    absent: set[str] = msgspec.field(default_factory=set)
    """Programs that the shell could not find."""
    speakers: set[str] = msgspec.field(default_factory=set)
    """Programs that said that they failed."""
    rejected: set[str] = msgspec.field(default_factory=set)
    """Programs that rejected their options or their script."""
    unparsed: bool = False
    """The shell could not parse the command."""
    any: bool = False
    """Some program printed a message."""


def may_complain(text: str) -> bool:
    """Whether any line can be a message; in most outputs none can."""
    if ": " in text and (_FIRST_SPEAKS.match(text) or _LATER_SPEAKS.search(text)):
        return True
    # Messages that do not begin with the name of their program.
    return (
        "Traceback (" in text
        or " at -e line " in text
        or "Can't open " in text
        or "parse error:" in text
        or "No files were searched, which means ripgrep" in text
    )


def set_apart(lines: Sequence[str], speaks: Speaks, heard: Complaints) -> list[str]:
    """The lines without messages; what the messages say is added to `heard`."""
    kept: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        said = _said_by_ripgrep(lines, at - 1, heard) if line[:1] in _RIPGREP_BEGINS else 0
        if said:
            at += said - 1
            continue
        if ": " not in line and not line.startswith("Traceback") and " at -e line " not in line:
            kept.append(line)
        elif (
            line.startswith("Trace")
            and type(line) is str
            and _TRACE.match(line)
            and speaks("python")
        ):
            at -= 1
            end = _end_of_trace(lines, at)
            own = _stopped(lines[at:end], heard)
            heard.any = True
            if not own:
                kept.extend(lines[at:end])
            at = end
        elif (
            " at -e line " in line
            and _NOT_PERL.search(line)
            and _PERL_ERROR.match(line)
            and speaks("perl")
        ):
            heard.any = True
            heard.rejected.add("perl")
            heard.speakers.add("perl")
        elif "Error: " in line[:18] and _NOT_PYTHON.match(line) and speaks("python"):
            _never_ran(kept[-4:], heard)
            kept.append(line)
        elif type(line) is str and _complains(line, speaks, heard):
            heard.any = True
            advice = _ADVICE.match(lines[at]) if at < len(lines) else None
            at += advice is not None and speaks(advice["who"])
        else:
            kept.append(line)
    return kept


_RIPGREP = regex(r"(?:rg: )?regex parse error:$|No files were searched, which means ripgrep ")
_RIPGREP_BEGINS = ("r", "N")
_ITS_END = regex(r"error: |Running with --debug ")
_ITS_ADVICE = regex(r"$|Consider enabling PCRE2 |and look-around\.$")


def _said_by_ripgrep(lines: Sequence[str], at: int, heard: Complaints) -> int:
    """How many lines ripgrep needs to say that it refuses a pattern, or searched nothing."""
    if not _RIPGREP.match(lines[at]):
        return 0
    end = at + 1
    while end < len(lines) and lines[end].startswith(" "):
        end += 1
    if end == len(lines) or not _ITS_END.match(lines[end]):
        return 0
    end += 1
    advised = end
    while advised < len(lines) and advised < end + 3 and _ITS_ADVICE.match(lines[advised]):
        advised += 1
    heard.any = True
    heard.speakers.add("rg")
    heard.rejected.add("rg")
    return (advised if advised == end + 3 else end) - at


def listen(lines: Sequence[str], speaks: Speaks, heard: Complaints) -> None:
    """Add what messages on standard error say to `heard`."""
    set_apart(lines, speaks, heard)


def _end_of_trace(lines: Sequence[str], at: int) -> int:
    """The position after the exception that ends a traceback."""
    end = at + 1
    while end < len(lines) and lines[end].startswith("  "):
        end += 1
    return min(len(lines), end + (end < len(lines) and bool(_EXCEPTION.match(lines[end]))))


def _stopped(lines: Sequence[str], heard: Complaints) -> bool:
    """Note where a script of the command stopped; True for a script inside the command."""
    frames = [found for found in map(_FRAME.match, lines) if found]
    for found in frames:
        heard.stopped.setdefault(found["file"].rsplit("/", 1)[-1], int(found["line"]))
    last = _PYTHON_ERROR.match(lines[-1])
    if last:
        heard.missing.add(last["path"])
    own = bool(frames) and frames[0]["file"] in _SCRIPTS
    if own:
        heard.speakers.update(_PYTHONS)
    return own


def _never_ran(before: Sequence[str], heard: Complaints) -> None:
    """Note a script that Python could not parse, so that none of its lines ran."""
    for line in before:
        found = _PLACE.match(line)
        if found:
            heard.any = True
            heard.stopped.setdefault(found["file"].rsplit("/", 1)[-1], 0)


def _complains(line: str, speaks: Speaks, heard: Complaints) -> bool:
    """Whether `line` is a message of a program; the names in it are added to `heard`."""
    if len(line) > 1000 or not _OPENING.match(line):
        return False
    if _SPECIAL.match(line) and _says_it_otherwise(line, speaks, heard):
        return True
    found = _MESSAGE.match(line)
    if found is None or not speaks(found["who"]):
        return False
    if not any(phrase in line for phrase in _PHRASES) or _BINARY.match(line):
        return False
    if line.endswith(": not found") and found["who"] not in SPEAKERS:
        return False
    if "yntax error" in line or "unexpected EOF" in line:
        heard.unparsed = heard.unparsed or found["who"] in SPEAKERS
    if not _NOT_A_FAILURE.search(line):
        _note_speaker(found["who"], found["what"], line, heard)
    absent = _ABSENT.search(line)
    if absent:
        heard.absent.add(absent[1] or absent[2])
    elif not _NOT_A_FAILURE.search(line):
        _note_names(found["what"], heard.missing)
    return True


def _says_it_otherwise(line: str, speaks: Speaks, heard: Complaints) -> bool:
    """Whether `line` is a message that does not begin with the name of a program."""
    if _REMOTE_ERROR.match(line):
        return True
    found = _PYTHON_ERROR.match(line)
    if found and speaks("python"):
        heard.missing.add(found["path"])
        return True
    found = _NODE_ERROR.match(line)
    if found and speaks("node"):
        name = found["path"] or found["module"] or ""
        heard.missing.update((name, name.rsplit("/", 1)[-1]))
        return True
    found = _PERL_ERROR.match(line)
    if found and found["path"] and speaks("perl"):
        heard.missing.add(found["path"])
        return True
    if _JQ_ERROR.match(line) and speaks("jq"):
        heard.speakers.add("jq")
        return True
    return False


def _note_speaker(who: str, what: str, line: str, heard: Complaints) -> None:
    """Note who failed: in a shell's message the builtin that it names, for git's `fatal:` git."""
    builtin = _BUILTIN.match(what)
    who = builtin[1] if builtin else "git" if who in _GIT else who
    heard.speakers.add(who)
    if line.startswith(_REJECTED_BY_GIT) or any(mark in line for mark in _REJECTED):
        heard.rejected.add(who)


def _note_names(what: str, missing: set[str]) -> None:
    """Note every word of a message that may be the missing name."""
    missing.update(_QUOTED.findall(what))
    missing.update(piece.strip() for piece in what.split(": "))
    opened = _OPENED.search(what)
    if opened:
        missing.add(opened[1])
        # python: can't open file '/w/fix.py': the apostrophe before it is no quotation mark.
        missing.add(opened[1].strip("'\""))
        missing.add(opened[1].split(" (")[0])
