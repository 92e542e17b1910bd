"""Files in node, ruby and perl scripts, by the usual calls, and whether their text is printed.

These scripts are not parsed. Statements are looked at one by one: a variable that gets a file's
text carries it, and so does everything made from it. A length, a count and a test carry nothing. If
it is not clear whether text is carried, the file is not claimed as read.
"""

from __future__ import annotations

import re

import msgspec

from groundtrace.base.patterns import regex
from groundtrace.shell.programs.python_names import Opened

MAX_SCRIPT = 200_000
MAX_STATEMENTS = 4000
MAX_HANDLES = 40
"""How many open files of one script are followed."""
_CONSTANT = regex(r"[$@]?\b(\w{1,80})\s*=\s*(['\"])([^'\"\n]{1,1000})\2\s*(?:;|\n|$)")
_NAME = r"(?:(?P<quote>['\"])(?P<path>[^'\"\n]{1,1000})(?P=quote)|\$?(?P<variable>\w{1,80}))"
_READ = regex(
    r"(?:readFileSync|readFile|createReadStream|File\.read(?:lines)?|File\.foreach|IO\.read(?:lines)?"
    rf"|File\.open|JSON\.load_file|YAML\.(?:safe_)?load_file)\s?\(?\s?{_NAME}(?!\s?,\s?['\"]w)"
)
_REQUIRE = regex(r"require\s?\(\s?(['\"])(?P<path>[^'\"\n]{1,1000}\.json)\1")
_WRITE = regex(rf"(?:writeFileSync|writeFile|appendFileSync|File\.write|IO\.write)\s?\(?\s?{_NAME}")
_PERL_OPEN = regex(
    r"open\s?\(?\s?(?:my\s)?\$?(?P<handle>\w{1,80})\s?,\s?(['\"])(?:(?P<mode><|>>?)[^'\"\n]{0,80}\2\s?,\s?(['\"])(?P<path>[^'\"\n]{1,1000})\4"
    r"|(?P<both><?)\s?(?P<plain>[^'\"\n<>]{1,1000})\2)"
)
_STATEMENT = regex(r"[;\n{}]")
_ASSIGNED = regex(r"(?:^|[\s(])(?:const |let |var |my )?[$@%]?(\w{1,80})\s*=(?![=~>])")
_EACH = regex(
    r"\.(?:forEach|map|filter|flatMap|each|each_with_index|each_line|select)\b\s?(?:\(\s?(?:function\s?)?\(?|\{\s?\|\s?|do\s\|\s?)(\w{1,80})"
)
_FOR = regex(r"\bfor(?:each)?\s?\(?\s?(?:const |let |var |my )?[$@]?(\w{1,80})\s?(?:of\b|in\b|\()")
_PRINT = regex(
    r"(?:\b(?:console\.(?:log|error|info|dir)|process\.stdout\.write|puts|print|printf|say)\b"
    r"|(?:(?<=[;\n{}])|^) ?pp? )(?P<rest>[^;\n}]*)"
)
_NO_TEXT = regex(
    r"[\w$@.\[\]'()]{0,200}\.(?:length|size|count|includes|include\?|indexOf|test|empty\?|startsWith|endsWith)\b(?:\([^()]{0,200}\))?"
    r"|\bObject\.keys\([^()]{0,200}\)\.length|\bscalar\b\s?\(?\s?[@$]\w{1,80}\)?"
)
_STRING = regex(r"'[^'\n]{0,2000}'|\"[^\"\n$#]{0,2000}\"")


_VARIABLE = regex(r"(?<![\w.])\w{1,80}\b")


class Script(Opened, kw_only=True):
    """What a script opens, and which files it prints from."""

    shown: dict[str, None] = msgspec.field(default_factory=dict)


def other_files(source: str) -> Script:
    """Files in a node, ruby or perl script, by the usual calls."""
    source = source[:MAX_SCRIPT]
    found = Script(shown={})
    constants = {name: text for name, _, text in _CONSTANT.findall(source)}
    handles: dict[str, str] = {}
    for opened in _PERL_OPEN.finditer(source):
        path = (opened["path"] or opened["plain"] or "").strip()
        if (opened["mode"] or "<") == "<":
            found.reads[path] = None
            if len(handles) < MAX_HANDLES:
                handles[opened["handle"]] = path
        else:
            found.writes[path] = 0
    for written in _WRITE.finditer(source):
        name = written["path"] or constants.get(written["variable"] or "")
        if name:
            found.writes[name] = 0
    carried: dict[str, set[str]] = {}
    statements = [piece for piece in _STATEMENT.split(source) if piece.strip()][:MAX_STATEMENTS]
    for _ in range(2):
        for statement in statements:
            files = _text_in(statement, constants, handles, carried)
            found.reads.update(dict.fromkeys(sorted(files)))
            if not files:
                continue
            targets = [*_ASSIGNED.findall(statement), *_EACH.findall(statement)]
            if "<" in statement and any(
                f"<${h}>" in statement or f"<{h}>" in statement for h in handles
            ):
                targets.append("_")
            for name in [*targets, *_FOR.findall(statement)]:
                carried.setdefault(name, set()).update(files)
    for printed in _PRINT.finditer(source):
        rest = printed["rest"]
        files = _text_in(rest, constants, handles, carried)
        if re.fullmatch(r"\s*(?:if\b.*|\$_.*|unless\b.*)?", rest):
            files = files | carried.get("_", set())
        found.shown.update(dict.fromkeys(sorted(files)))
    return found


def _text_in(
    text: str, constants: dict[str, str], handles: dict[str, str], carried: dict[str, set[str]]
) -> set[str]:
    """Files from which an expression holds a part of the text."""
    files: set[str] = set()
    for found in _READ.finditer(text):
        if _counts(text, found.start()):
            continue
        name = found["path"] or constants.get(found["variable"] or "")
        if name:
            files.add(name)
    files.update(found["path"] for found in _REQUIRE.finditer(text))
    for handle, path in handles.items():
        if f"<${handle}>" in text or f"<{handle}>" in text:
            files.add(path)
    if carried:
        bare = _STRING.sub("", _NO_TEXT.sub("", text))
        for name in _VARIABLE.findall(bare):
            files |= carried.get(name, set())
    return files


def _counts(text: str, at: int) -> bool:
    """Whether only a number is left of what is read at `at`."""
    return re.search(r"\)\.(?:length|size|count|includes)\b", text[at : at + 2000]) is not None
