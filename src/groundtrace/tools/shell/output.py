"""What a shell call printed, freed of what harnesses add, with its error messages set apart."""

from __future__ import annotations

import re

import msgspec

from groundtrace.model import ToolResult

MAX_CHARS = 8_000_000
"""More output than this is not looked at: no harness shows so much to a model."""
_ANSI = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_REFUSED = re.compile(
    r"\s*(?:<tool_use_error>|ERROR: Cannot execute multiple commands at once"
    r"|Permission to use \w+ .*(?:denied|not allowed)|This command requires approval"
    r"|The user doesn't want to proceed|\[Request interrupted by user"
    r"|Claude requested permissions|Error: Permission|Sibling tool call errored"
    r"|ERROR: This action appears to print source code content, but EXPLORE_CONTEXT"
    r"|Repeated read-file actions without valid EXPLORE_CONTEXT)"
)
_NOTHING = {
    "(Bash completed with no output)",
    "(no output)",
    "<system>Tool ran without output</system>",
    "Tool ran without output",
    "Command executed successfully with no output",
}
_TRAILER = re.compile(
    r"(?:Shell cwd was reset to \S.*"
    r"|\[The command completed with exit code -?\d+\.?\].*"
    r"|\[Command finished with exit code -?\d+\]"
    r"|\[Current working directory: .*\]"
    r"|\[Python [Ii]nterpreter: .*\]"
    r"|\[Command timed out.*"
    r"|\[The command (?:has no new output|timed out).*"
    r"|Command timed out after .*"
    r"|Command running in background with ID.*)$"
)
_EXIT = re.compile(
    r"(?:Error: )?Exit code -?\d+$|\[Below is the output of the previous command\.\]$"
)
TRUNCATED = re.compile(
    r"\s*(?:<response clipped>.*|\[?\s?\.\.\. ?\[?\d+ (?:lines|characters|chars|bytes) truncated\]?.*"
    r"|\[\.\.\. (?:Observation )?truncated.*|\.\.\. \(\d+ lines omitted\).*|\[\.\.\..*truncated.*\]"
    r"|\[Previous command outputs are truncated\..*)$"
)
_UNPARSED = re.compile(
    r"\s*(?:/(?:usr/)?bin/)?(?:ba|da)?sh: (?:-c: )?(?:line )?"
    r"(?:1: [Ss]yntax error|2: Syntax error: newline unexpected)[^\n]*"
    r"(?:\n[^\n]*sh: (?:-c: )?line 1: `[^\n]*)?\s*"
)
"""All output of a command whose first line no shell can parse: nothing of it ran. A mistake further
down comes after commands that did run. `<EXPLORE_CONTEXT>` as a command "wrote" a file before."""
_HANDED_IN = re.compile(r"COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\s*")
"""All that mini-swe-agent's agent is told of a submission: what follows goes to the harness."""
_ERROR = re.compile(
    r"(?:/(?:usr/)?(?:local/)?bin/)?(?P<who>[a-z][\w.+-]*): (?P<what>.*?(?:No such file or directory|Is a directory|Not a directory"
    r"|Permission denied|command not found|cannot open|[Cc]an't open|cannot access|can't read|can't stat"
    r"|cannot stat|binary file matches|does not exist|not a git repository|input file is output file"
    r"|ambiguous redirect|syntax error|unexpected EOF|Broken pipe|[Uu]nknown option|invalid option"
    r"|unrecognized option|write error|Could not open|missing operand|extra operand|Invalid argument"
    r"|unknown predicate|not recognized|No match|terminated by signal|unmatched|exists in|unknown revision"
    r"|pathspec|unable to).*)$"
)
_PROGRAMS = frozenset(
    [
        "ag",
        "awk",
        "bash",
        "bat",
        "bfs",
        "cat",
        "cd",
        "cmp",
        "comm",
        "cp",
        "cut",
        "diff",
        "dash",
        "egrep",
        "env",
        "fatal",
        "fd",
        "fgrep",
        "file",
        "find",
        "fold",
        "gawk",
        "git",
        "grep",
        "head",
        "install",
        "jq",
        "less",
        "ln",
        "ls",
        "mawk",
        "mkdir",
        "more",
        "mv",
        "nl",
        "node",
        "od",
        "patch",
        "perl",
        "pushd",
        "python",
        "python3",
        "rg",
        "rm",
        "rmdir",
        "ruby",
        "sed",
        "sgx",
        "sh",
        "sort",
        "stat",
        "strings",
        "sudo",
        "tac",
        "tail",
        "tar",
        "tee",
        "time",
        "timeout",
        "touch",
        "tr",
        "tree",
        "uniq",
        "unzip",
        "warning",
        "wc",
        "xargs",
        "xxd",
        "yq",
        "zsh",
        "error",
        "hexdump",
        "column",
        "paste",
        "readlink",
        "realpath",
        "basename",
        "dirname",
        "md5sum",
        "sha1sum",
        "sha256sum",
        "du",
        "chmod",
        "chown",
        "zcat",
        "gzip",
        "bzip2",
        "xz",
    ]
)
"""Who may complain: a line of a file that looks like a message must not be lost."""
_COMPLAINT = re.compile(
    r"^(?:(?:/(?:usr/)?(?:local/)?bin/)?(?:" + "|".join(sorted(_PROGRAMS)) + r"): "
    r"|\w+Error: \[Errno|repository not found|repo not found|file not found)",
    re.MULTILINE,
)
"""Whether any line can be a message at all; most outputs have none."""
_NOT_A_FAILURE = re.compile(r"binary file matches|write error|Broken pipe")
_PYTHON_ERROR = re.compile(
    r"(?:FileNotFoundError|IsADirectoryError|PermissionError|NotADirectoryError): \[Errno \d+\] [^:]*: '(?P<path>.*)'"
)
_REMOTE_ERROR = re.compile(r"repository not found: |repo not found: |file not found: ")
_QUOTED = re.compile(r"['\"`‘“]([^'\"`’”]+)['\"’”]")
_PREVIEW = re.compile(r"Preview \(first [^)]*\):\n")


class Output(msgspec.Struct):
    """The output of one call, ready to be matched with the command's parts."""

    lines: list[str] = msgspec.field(default_factory=list)
    """What programs printed on standard output, line by line, without error messages."""
    refused: bool = False
    """The harness did not run the command, or there is no answer at all."""
    missing: frozenset[str] = frozenset()
    """Names that programs said they could not open."""
    had_errors: bool = False
    """Some program printed an error message."""
    trimmed: bool = False
    """White space at the ends may have been cut off by the harness."""
    handed_in: bool = False
    """The output was handed in as the result of the task and not shown to the agent."""


def read_output(result: ToolResult | None) -> Output:
    """The output in `result`; standard output and error apart where the harness kept them so."""
    if result is None:
        return Output(refused=True)
    text = result.text if isinstance(result.text, str) else ""
    if _REFUSED.match(text) or (result.is_error and _UNPARSED.fullmatch(text)):
        return Output(refused=True)
    if _HANDED_IN.fullmatch(text):
        return Output(handed_in=True)
    data = result.data
    trimmed = not text.endswith("\n")
    errors = ""
    if isinstance(data, dict) and isinstance(data.get("stdout"), str) and "<persisted" not in text:
        stdout = data["stdout"]
        stderr = data.get("stderr")
        errors = stderr if isinstance(stderr, str) else ""
        # A stored result can be emptier than the text that the model saw; the model's view counts.
        if len(stdout) + len(errors) + 200 >= len(text):
            text, trimmed = stdout, not stdout.endswith("\n")
        else:
            errors = ""
    if "<persisted-output>" in text:
        text = _preview(text)
    return _clean(text[:MAX_CHARS], errors[:MAX_CHARS], trimmed)


def _preview(text: str) -> str:
    """The part of a persisted output that the model was shown (D4)."""
    found = _PREVIEW.search(text)
    shown = text[found.end() :] if found else text
    return shown.split("</persisted-output>")[0].removesuffix("\n").removesuffix("\n...")


def _clean(text: str, errors: str, trimmed: bool) -> Output:
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if text.strip() in _NOTHING:
        text = ""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    while lines and _TRAILER.match(lines[-1]):
        lines.pop()
        while lines and not lines[-1]:
            lines.pop()
    if lines and _EXIT.match(lines[0]):
        del lines[0]
    kept: list[str] = []
    missing: set[str] = set()
    had_errors = bool(errors.strip())
    if _COMPLAINT.search(text) is None:
        kept = lines
    else:
        for line in lines:
            if _is_error(line, missing):
                had_errors = True
            else:
                kept.append(line)
    for line in errors.split("\n"):
        _is_error(line, missing)
    return Output(kept, False, frozenset(missing), had_errors, trimmed)


def _is_error(line: str, missing: set[str]) -> bool:
    """Whether a program complains in `line`; the names it complains of go to `missing`."""
    if len(line) > 1000 or ": " not in line:
        return False
    if _REMOTE_ERROR.match(line):
        return True
    found = _PYTHON_ERROR.match(line)
    if found:
        missing.add(found["path"])
        return True
    found = _ERROR.match(line)
    if found is None or found["who"] not in _PROGRAMS:
        return False
    if not _NOT_A_FAILURE.search(line):
        what = found["what"]
        missing.update(_QUOTED.findall(what))
        missing.update(piece.strip() for piece in what.split(": "))
        if "read " in what or "open " in what:
            missing.add(re.split(r"(?:read|open(?: file)?) ", what, maxsplit=1)[-1].split(":")[0])
        opened = re.match(r"cannot open (\S+) \(", what)
        if opened:
            missing.add(opened[1])
    return True
