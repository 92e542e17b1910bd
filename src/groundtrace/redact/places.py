"""Credentials recognised by their place: in a URL, after a program's flag, in a key file."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from groundtrace.base.patterns import regex
from groundtrace.redact.forms import CredentialSpan
from groundtrace.redact.values import LONG_RANDOM, is_random

_KEY_BEGIN = "-----BEGIN "
_KEY_HEAD = regex(r"-----BEGIN [A-Z0-9 ]{0,60}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END = regex(r"-----END [A-Z0-9 ]{0,60}PRIVATE KEY(?: BLOCK)?-----")

_USER_INFO = regex(r"://(?P<user>[^\s:/@?#\"'<>]{0,200})(?P<pass>:[^\s/@\"'<>]{1,400})?@")

_HOOKS = regex(
    r"(?i)(?:hooks\.slack\.com/(?:services|workflows|triggers)/"
    r"|discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{5,25}/"
    r"|outlook\.office(?:365)?\.com/webhook/|\.webhook\.office\.com/webhookb2/"
    r"|hooks\.zapier\.com/hooks/catch/|api\.telegram\.org/bot|hook\.[a-z0-9.]{0,20}make\.com/"
    r"|maker\.ifttt\.com/trigger/[\w-]{1,60}/with/key/|open\.feishu\.cn/open-apis/bot/v2/hook/"
    r"|oapi\.dingtalk\.com/robot/send\?access_token=|qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=)"
    r"(?P<value>[^\s\"'`<>)\\]{8,})"
)

_SCHEME = regex(
    r"(?i)\b(?:bearer|basic)(?:\s|\\ |%20|\\u0020|:){1,4}(?P<value>[A-Za-z0-9._~+/=-]{16,})"
)
_AZURE = regex(r"(?i)\b(?:AccountKey|SharedAccessKey|SharedSecret)=(?P<value>[A-Za-z0-9+/=%]{16,})")
_SQL = regex(
    r"(?i)\b(?:identified\s{1,8}by|(?:with|set)\s{1,8}(?:encrypted\s{1,8})?password(?:\s{0,8}=)?"
    r"|password\s{0,8}\()\s{0,8}\\?'(?P<value>[^'\n]{3,400})'"
)
_NETRC = regex(r"\blogin\s{1,8}\S{1,200}\s{1,8}password\s{1,8}(?P<value>\S{3,400})")
_OPENSSL = regex(r"(?<!\w)-pass(?:in|out)?\s{1,8}[\"']?pass:(?P<value>[^\s\"'$]{3,400})")
_PGPASS = regex(
    r"(?m)^[\w.*-]{1,200}:(?:5432|6432|\*):[\w*-]{1,80}:[\w*-]{1,80}:(?P<value>\S{3,400})$"
)
_SAID = regex(
    r"(?:echo|printf)\s{1,8}(?:-n\s{1,8})?[\"']?(?:[\w.-]{1,60}:)?(?P<value>[^\s\"'|$:]{3,200})[\"']?\s{0,8}\|\s{0,8}"
    r"(?:sudo\s{1,8}(?:-\w\s{1,8}){0,3}-S\b|(?:sudo\s{1,8})?chpasswd|docker\s{1,8}login|passwd\b|(?:sudo\s{1,8})?cryptsetup)"
)

_PAIR = regex(
    r"(?i)auth\s{0,8}=\s{0,8}\(\s{0,8}[\"'][^\"'\n]{1,100}[\"']\s{0,8},\s{0,8}[\"'](?P<value>[^\"'\n]{3,200})"
)

_SIMPLE = (
    (("bearer", "basic"), _SCHEME),
    (("accountkey", "sharedaccesskey", "sharedsecret"), _AZURE),
    (("identified", "password"), _SQL),
    (("login",), _NETRC),
    (("auth",), _PAIR),
    (("pass:",), _OPENSSL),
    ((":5432:", ":6432:", ":*:"), _PGPASS),
    (("echo", "printf"), _SAID),
    (("hook", "telegram", "ifttt", "dingtalk"), _HOOKS),
)
"""From text that must be there, in lower case, to a pattern; its group `value` is the secret."""


class _Program(NamedTuple):
    """Programs whose flags take a credential."""

    marks: tuple[str, ...]
    """At least one of these must be in the text, in lower case."""
    names: str
    """Pattern of its names."""
    joined: str = ""
    """Letters of flags whose value follows without a blank: `-pPASS`."""
    apart: str = ""
    """Letters of flags whose value follows after a blank."""
    pairs: str = ""
    """Letters of flags whose value is `user:pass` or `user%pass`."""


_PROGRAMS = (
    _Program(
        ("mysql", "mariadb", "mycli"),
        r"(?:mysql|mariadb)(?:dump|admin|import|show|check|slap)?|mycli",
        joined="p",
    ),
    _Program(("sshpass", "7z", "rar "), r"sshpass|7za?|7zr|rar|unrar", joined="p", apart="p"),
    _Program(
        (" login",),
        r"(?:docker|podman|nerdctl|helm|oras|crane|skopeo|buildah)(?:\s+registry)?\s+login|az\s+login|oc\s+login|cf\s+login",
        apart="p",
    ),
    _Program(
        ("mongo", "cqlsh", "influx", "clickhouse", "ipmitool"),
        r"mongo(?:sh|dump|restore|import|export)?|cqlsh|influx|clickhouse-client|ipmitool",
        apart="pP",
    ),
    _Program(("redis-cli", "valkey-cli"), r"redis-cli|valkey-cli", joined="", apart="a"),
    _Program(
        ("zip ", "sqlcmd", "bcp ", "isql"), r"unzip|zip|sqlcmd|bcp|isql", joined="P", apart="P"
    ),
    _Program(("ldap",), r"ldap(?:search|add|modify|delete|whoami|passwd)", apart="w"),
    _Program(
        ("curl ", "wget ", "lftp ", "svn ", "xh ", "http ", "https "),
        r"curl|wget|lftp|svn|xh|https?",
        apart="",
        pairs="ua",
    ),
    _Program(("smbclient", "rpcclient", "net "), r"smbclient|rpcclient|net\s+rpc", pairs="U"),
)


def _flag_pattern(program: _Program) -> str:
    value = r"[\"']?(?P<value>(?![$-])[^\s\"'|;&]{3,200})"
    choices = []
    if program.joined:
        choices.append(rf"-[{program.joined}]{value.replace('value', 'joined')}")
    if program.apart:
        choices.append(rf"-[{program.apart}]\s+{value.replace('value', 'apart')}")
    if program.pairs:
        long = "|--(?:user|proxy-user|auth)[= ]"
        choices.append(
            rf"(?:-[{program.pairs}]\s*{long})\s*[\"']?[^\s:%\"'$/]{{1,100}}[:%]"
            rf"{value.replace('value', 'pair')}"
        )
    return "|".join(f"(?:{choice})" for choice in choices)


_HTPASSWD = regex(
    r"\bhtpasswd\s+-\w{0,6}b\w{0,6}\s+\S{1,200}\s+\S{1,100}\s+(?P<value>[^\s\"'$]{3,200})"
)
_CALLS = tuple(
    (
        program.marks,
        regex(rf"(?<![\w./-])(?:[\w./-]{{0,100}}/)?(?:{program.names})(?=\s)"),
        regex(rf"(?<!\S)(?:{_flag_pattern(program)})"),
    )
    for program in _PROGRAMS
    if program.joined or program.apart or program.pairs
)
_COMMAND_END = regex(r"[\n|;&]")
_MARKS = tuple(
    dict.fromkeys(
        (
            *(mark for marks, _ in _SIMPLE for mark in marks),
            *(mark for marks, _, _ in _CALLS for mark in marks),
            "htpasswd",
        )
    )
)
"""Every mark in lower case; a text without any of them matches none of the patterns."""
_SPACED = (_NETRC, _OPENSSL, _SAID)
"""Patterns that match only words with blanks between them, as every call of a program does."""
_WORD_MARKS = tuple(
    dict.fromkeys(mark for marks, pattern in _SIMPLE if pattern not in _SPACED for mark in marks)
)
"""The marks that count in a text of one word, such as a path."""


def by_place(text: str) -> Iterator[CredentialSpan]:
    """Credentials at places where only a credential can be."""
    lower = text.lower()
    if _KEY_BEGIN in text:
        yield from _key_blocks(text)
    if "://" in text and "@" in text:
        yield from _user_infos(text)
    # Search for plain text first, in one loop: nearly every text holds none of these, and every new
    # text of every trial passes here.
    marks_here = _MARKS if len(text.split(None, 1)) > 1 else _WORD_MARKS
    held = {mark for mark in marks_here if mark in lower}
    if not held:
        return
    for marks, pattern in _SIMPLE:
        if not held.isdisjoint(marks):
            for found in pattern.finditer(text):
                if not _is_variable(found["value"]):
                    yield found.span("value")
    yield from _flags(text, held)
    if "htpasswd" in held:
        for found in _HTPASSWD.finditer(text):
            yield found.span("value")


def _key_blocks(text: str) -> Iterator[CredentialSpan]:
    at = 0
    while (head := _KEY_HEAD.search(text, at)) is not None:
        end = _KEY_END.search(text, head.end())
        at = len(text) if end is None else end.end()
        yield head.start(), at


def _user_infos(text: str) -> Iterator[CredentialSpan]:
    for found in _USER_INFO.finditer(text):
        if found["pass"] is not None:
            start, end = found.start("pass") + 1, found.end("pass")
            if not _is_variable(text[start:end]):
                yield start, end
        if len(found["user"]) >= LONG_RANDOM and is_random(found["user"]):
            yield found.span("user")


def _flags(text: str, held: AbstractSet[str]) -> Iterator[CredentialSpan]:
    for marks, names, flags in _CALLS:
        if held.isdisjoint(marks):
            continue
        done = 0
        for program in names.finditer(text):
            if program.start() < done:
                continue
            stop = _COMMAND_END.search(text, program.end())
            done = len(text) if stop is None else stop.start()
            for found in flags.finditer(text, program.end(), done):
                kind = found.lastgroup or ""
                value = found[kind]
                if not _is_variable(value) and not (kind == "pair" and value.isdigit()):
                    yield found.span(kind)


def _is_variable(value: str) -> bool:
    return value[:1] in "$<{" or value.startswith(("%s", "[masked]", "...", "***")) or "${" in value
