r"""Which shell a command is written for: bash, PowerShell or cmd.

Three things say it, in this order: what the harness states (the tool's name, an argument `shell`),
the program that the command calls (`powershell.exe -Command …`, `cmd /c …`), and the command's own
words: `Get-Content a.py` and `$x = …` are no bash. `ls`, `cat` and `type` are in both. They are read
as PowerShell only in a session whose other commands are PowerShell.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from typing import Literal

import msgspec

from groundtrace.base.patterns import regex

Language = Literal["bash", "powershell", "cmd"]


class ShellLanguage(msgspec.Struct, frozen=True):
    """A command without the shell that it calls."""

    language: Language | None
    """None if nothing says which one it is."""
    source: str


_VERBS = (
    "Get|Set|Add|New|Remove|Out|Write|Select|Where|ForEach|Sort|Measure|Format|Test|Resolve|Copy|Move|Rename"
    "|ConvertTo|ConvertFrom|Invoke|Start|Stop|Join|Split|Push|Pop|Compare|Group|Tee|Clear|Import|Export|Expand"
    "|Compress|Push|Read|Convert"
)
_CMDLET = regex(
    rf"(?:^|[|;&({{=\n])[ \t]*+(?:{_VERBS})-(?:Content|ChildItem|Item\w*|String|Object|Path|Location|File\w*|Host|Output|Null"
    r"|Table|List|Wide|Error|Warning|Verbose|Process|Command|Date|Variable|Json|Csv|WebRequest|RestMethod|Expression"
    r"|Sleep|Module|Member|Help|Archive|Service|Job|Hex|Alias|Default|Unique|Acl|PSDrive|ExecutionPolicy|StrictMode"
    r"|Printer|NetTCPConnection|NetConnection|Clixml|Type)(?![\w-])",
    re.IGNORECASE,
)
"""A cmdlet where a command begins."""
_OWN = regex(
    r"\s*+(?:\$(?:env:|\w+:)?\w+\s*+(?:[-+*]?=(?!=)|\[|\.\w|\|)|\[(?:System\.)?(?:IO|Console|Environment|Math|Text|int|string)\b[\w.]*+\]"
    r"|foreach\s*+\(\s*+\$|if\s*+\(\s*+(?:-not\b|!|\$|Test-Path)|for\s*+\(\s*+\$|@['\"]\s*\n|\(\s*+(?:gc|cat|type|gci|ls|dir|sls)\s"
    r"|\d+\.\.\d+\s*+\||try\s*+\{)",
    re.IGNORECASE,
)
"""How a script begins that no other shell can run."""
_PARAMETERS = (
    "Recurse|Filter|TotalCount|First|Last|Skip|Name|File|Directory|Force|Include|Exclude|Raw|Path"
    "|LiteralPath|Pattern|Encoding|ExpandProperty|Depth|ErrorAction|SimpleMatch|Context|AutoSize|Unique"
    "|Line"
)
_LISTED = regex(
    r"(?:^|[|;(\n])[ \t]*+(?:(?:where|foreach|%|\?)\s*+\{\s*+(?:\$|-not\b|!|\"|')|(?:gc|gci|sls|ls|dir|cat|type|select|where|sort|measure|ft|fl|rm|cp|mv|del)\s++"
    rf"(?:[^|;(\n]{{0,300}}?\s)?(?:-(?:Tail\s+\d+|{_PARAMETERS})(?![\w=-])))",
    re.IGNORECASE,
)
"""An alias with a parameter of a cmdlet; the long words with one dash are no options of bash."""
_SHORT = regex(r"(?:^|[|;(\n])[ \t]*+(?:gc|gci|sls|%\s*\{|\?\s*\{|ft|fl)(?=\s|\{)")
_HEREDOC = regex(r"<<-?\s*+(['\"]?)(\w++)\1")
_LONE = regex(r"^[ \t\r\f\v]*(\w+)[ \t\r\f\v]*$", re.MULTILINE)
_QUOTED = regex(r"'[^']*+(?:'|$)|\"(?:[^\"\\`]|[\\`].)*+(?:\"|$)", re.DOTALL)
_BASH = regex(
    r"(?:^|[|;&\n])[ \t]*+(?:sed\s+-[nier]|grep\s+-|awk\s|head\s+-|tail\s+-|find\s+\S+\s+-(?:name|type)|export\s+\w+=|source\s|set\s+-[euxo]"
    r"|fi\b|done\b|then\b|esac\b|nl\s|wc\s+-)|\$\(\(|\[\[\s|2>/dev/null|</?\(|\bdo\s*\n|;\s*do\s|;\s*then\b|^#!"
)
_POWERSHELL = regex(
    r"\s*+(?:&\s*+)?[\"']?(?:[A-Za-z]:[\\/][^\"'\n|;&]*?[\\/]|/[\w./ -]*?/)?(?:powershell|pwsh)(?:\.exe)?[\"']?\s+"
    r"(?P<options>(?:-(?!c(?:ommand)?\b)\w+(?:\s+(?![-'\"])[\w.]+)?\s+)*?)(?:-(?:c|command)\s+)?(?P<script>(?!-)\S.*)$",
    re.DOTALL | re.IGNORECASE,
)
_CMD = regex(
    r"\s*+(?:&\s*+)?[\"']?(?:[A-Za-z]:[\\/][^\"'\n|;&]*?[\\/])?cmd(?:\.exe)?[\"']?\s+(?:/(?![ck]\b)\w+(?::\w+)?\s+)*/[ck]\s*(?P<script>\S.*)$",
    re.DOTALL | re.IGNORECASE,
)
_FILE = regex(r"-(?:f|file)\s", re.IGNORECASE)
_CMD_WORDS = regex(
    r"\s*+(?:(?:type|findstr|more|where|copy|move|del|ren|rd|md)\s[^\n]*(?:\\|/[a-z](?:\s|:|$))|cd\s+/d\s|dir\s+(?:\S+\s+)?/[a-z]|findstr\s+/)",
    re.IGNORECASE,
)
"""Programs of cmd with its options (`/s`)."""
_BEFORE_DASH = tuple(dict.fromkeys(_VERBS.lower().split("|")))
_AFTER_DASH = ("tail", *_PARAMETERS.lower().split("|"))
"""What stands at a dash, in lower case, in every match of `_CMDLET` and, if it has no brace, of
`_LISTED`: nearly no command has it. Without this, both are compiled in every run: 10 of the 700
million instructions of `normalize` of three trials."""
_OWN_BEGINS = ("$", "[", "foreach", "if", "for", "@", "(", "try")
_CMD_BEGINS = (
    *("type", "findstr", "more", "where", "copy", "move"),
    *("del", "ren", "rd", "md", "cd", "dir"),
)
"""How `_OWN` and `_CMD_WORDS` begin, but for numbers: most commands begin otherwise."""


def language_of(command: str, stated: str | None = None) -> ShellLanguage:
    """Which language a command is in, and the script without a call of its shell."""
    inner = unwrapped(command)
    if inner is not None:
        return inner
    language = stated_language(stated)
    if language is not None:
        return ShellLanguage(language, command)
    return ShellLanguage(by_words(command), command)


@lru_cache(maxsize=256)
def stated_language(stated: str | None) -> Language | None:
    """The language of a shell that a harness names (`pwsh`, `C:\\…\\powershell.exe`, `/bin/zsh`)."""
    if not stated:
        return None
    name = stated.strip().lower().replace("\\", "/").rpartition("/")[2].removesuffix(".exe")
    if name in ("powershell", "pwsh") or name.startswith(("powershell", "pwsh")):
        return "powershell"
    if name == "cmd":
        return "cmd"
    return "bash" if name in ("bash", "sh", "zsh", "dash", "ksh", "fish") else None


def unwrapped(command: str) -> ShellLanguage | None:
    """The script that `powershell -Command` or `cmd /c` runs; None for other commands."""
    lower = command.lower()  # the names as plain text: nearly no command has one
    found = _POWERSHELL.match(command) if "powershell" in lower or "pwsh" in lower else None
    if found is not None and not _FILE.search(found["options"]):
        return ShellLanguage("powershell", _unquoted(found["script"]))
    found = _CMD.match(command) if "cmd" in lower else None
    return None if found is None else ShellLanguage("cmd", _unquoted(found["script"]))


def _unquoted(script: str) -> str:
    r"""A script without the quotation marks around it; `\"` inside is one mark."""
    script = script.strip()
    quote = script[:1]
    if quote not in ("'", '"') or len(script) < 2 or script[-1] != quote:
        if script[:2] == "& " and script[2:3] == "{" and script[-1:] == "}":
            return script[3:-1]
        return script
    inner = script[1:-1]
    plain = inner.replace("''", "").replace('\\"', "").replace('""', "").replace('`"', "")
    if quote in plain:
        return script  # `'a' + 'b'`: two texts
    if quote == "'":
        return inner.replace("''", "'")
    return inner.replace('\\"', '"').replace('""', '"').replace("\\$", "$")


def _without_heredocs(text: str) -> str:
    """A text without its here-documents; the first line of a word alone ends one.

    The ends are looked up: one pattern for all of it looked for the end of each of 50,000 `<<E` to
    the end of the text.
    """
    ends: dict[str, list[tuple[int, int]]] = {}
    for line in _LONE.finditer(text):
        ends.setdefault(line[1], []).append(line.span())
    pieces, done, body = [], 0, 0
    for begin in _HEREDOC.finditer(text):
        if begin.start() < body:
            continue  # a line starts one
        body = text.find("\n", begin.end()) + 1
        if not body:
            break
        lines = ends.get(begin[2], [])
        at = bisect_left(lines, (body, 0))
        if begin.start() >= done and at < len(lines):
            pieces.append(text[done : begin.start()])
            done = lines[at][1]
    return "".join((*pieces, text[done:]))


def by_words(command: str) -> Language | None:
    """The language that the command's own words show; None if they are in several."""
    text = command
    if "<<" in text:
        text = _without_heredocs(text)
        if text != command and not _CMDLET.match(text):
            return "bash"
    outside = _QUOTED.sub("''", text)
    begins = outside.lstrip()[:10].lower()
    own = begins.startswith(_OWN_BEGINS) or begins[:1].isdigit()
    pieces = outside.lower().split("-")
    has_verb = any(piece.endswith(_BEFORE_DASH) for piece in pieces[:-1])
    has_cmdlet = has_verb and _CMDLET.search(outside)
    if has_cmdlet or (own and _OWN.match(outside)):
        return "bash" if _BASH.search(outside) and not _CMDLET.match(outside) else "powershell"
    may_list = "{" in outside or any(piece.startswith(_AFTER_DASH) for piece in pieces[1:])
    if (may_list and _LISTED.search(outside)) or _SHORT.search(outside):
        return None if _BASH.search(outside) else "powershell"
    if _BASH.search(outside):
        return "bash"
    if begins.startswith(_CMD_BEGINS) and _CMD_WORDS.match(outside):
        return "cmd"
    return None
