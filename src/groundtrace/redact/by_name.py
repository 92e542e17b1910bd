"""Credentials recognised by their names: assignments, keys, headers, flags, URL parameters.

A name is split into its words, in every case and spelling (`dbPassword`, `DB_PASS`, `X-Api-Key`).
Its last words say what it is about: `token_type` is a type and `MAX_TOKENS` is a count. Then the
value decides (`redact.secret_values`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from groundtrace.base.patterns import regex
from groundtrace.redact.by_form import CredentialSpan
from groundtrace.redact.secret_values import (
    LONG_RANDOM,
    NameKind,
    Written,
    is_random,
    is_scrambled,
    is_secret,
)

_ANCHORS = (
    r"passw|passphrase|pass(?![a-z])|pwd|secret|token|key|credential|creds?(?![a-z])|auth"
    r"|psk(?![a-z])|session|sess|sid(?![a-z])|signature|sig(?![a-z])|bearer|pat(?![a-z])|dsn(?![a-z])"
)
_ANCHOR = regex(rf"(?i){_ANCHORS}")
"""Where a name may mean a credential; then the whole name around it is read."""
_LOWER_ANCHOR = regex(_ANCHORS)
"""The same in lower case. It is ten times as fast, because `re` can skip text that begins no
anchor."""

MARKS = (
    *("pass", "pwd", "secret", "token", "key", "cred", "auth", "sess", "sid", "sig", "pat", "psk"),
)
"""A name without any of these, in lower case, never means a credential."""

_NAME_CHARS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")
_MAX_NAME = 80
_MAX_VALUE = 4096

_WORDS = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

_KINDS: Mapping[str, NameKind] = {
    **dict.fromkeys(
        (
            *("password", "passwd", "passphrase", "passwrd", "pwd", "pass", "pw", "secret"),
            *("storepass", "keypass", "dbpass", "userpass", "mypass", "pgpass", "sshpass"),
            *("passcode", "userpassword", "pgpassword", "rootpass", "credential", "credentials"),
            *("pgpassfile", "secrets", "masterpassword", "pswd", "psw", "cred", "creds"),
            *("psk", "passwort"),
        ),
        "password",
    ),
    **dict.fromkeys(
        (
            *("token", "auth", "authorization", "apikey", "authtoken", "accesstoken", "bearer"),
            *("accesskey", "secretkey", "privatekey", "clientsecret", "pat", "apitoken", "jwt"),
            *("apisecret", "authkey", "signingkey", "masterkey", "accountkey", "encryptionkey"),
            *("sessionid", "jsessionid", "phpsessid", "sessid", "signature", "sig", "refreshtoken"),
            *("sharedaccesskey", "sharedsecret", "sid", "session", "idtoken", "userkey", "appkey"),
            *("identitytoken", "registrytoken", "sessiontoken", "securitytoken", "bearertoken"),
            *("csrftoken", "xsrftoken", "cookie"),
        ),
        "token",
    ),
    **dict.fromkeys(("key", "keys"), "key"),
}
"""From the last word of a name to what the name means."""

_KEY_OF = frozenset(
    {
        *("api", "access", "secret", "private", "signing", "encryption", "master", "auth"),
        *("account", "storage", "shared", "service", "license", "deploy", "subscription"),
        *("app", "application"),
        *("admin", "client", "security", "webhook", "server", "session", "hmac", "aes", "jwt"),
        *("consumer", "integration", "write", "ingest", "function", "functions", "host"),
    }
)
"""Words before `key` that make it a credential."""

_TRAILING = frozenset(
    {
        *("id", "value", "base64", "b64", "prod", "production", "dev", "test", "staging", "old"),
        *("new", "current", "primary", "secondary", "default", "raw", "plain", "string", "text"),
        *("live", "main", "admin", "root", "user", "env", "base", "data", "material"),
    }
)
"""Words after the word that counts, which change nothing: `AWS_ACCESS_KEY_ID`, `TOKEN_PROD`."""

_NOT_A_PASSWORD = frozenset(
    {
        *("max", "min", "num", "n", "total", "count", "is", "has", "with", "by", "from", "invalid"),
        *("type", "method", "color", "i18n", "translation", "existing"),
    }
)
"""First words of names that mean a count, a flag or a text about passwords."""

_NOT_A_TOKEN = _NOT_A_PASSWORD | {
    *("next", "prev", "previous", "first", "last", "peek", "start", "end", "eos", "bos", "pad"),
    *("unk", "sep", "cls", "mask", "special", "stop", "eof", "comment", "line", "prompt", "lexer"),
    *("completion", "input", "output", "forward", "backward", "single", "multi", "second", "two"),
    *("one", "row", "sort", "unique", "idempotency", "publishable", "signature"),
}
"""The same for tokens: lexers, models and pages of a list have tokens that are not secret.

`GROUP_TOKEN` and `REGISTRY_TOKEN` are secret, so words that a service can be called by are not here.
"""

_NOT_A_KEY = _NOT_A_TOKEN | {
    *("cache", "primary", "foreign", "partition", "object", "group", "routing", "map", "public"),
    *("hash", "index", "dict", "s3", "render", "lookup", "parent", "child", "composite"),
    *("registry", "config", "data", "hot"),
}
"""The same for keys, which are mostly names in tables and look-ups."""

_TOKEN_OF = frozenset({"access", "refresh", "session", "auth", "bearer", "csrf", "xsrf"})
"""Words before `token` that no lexer, model or page has: `next-auth.session-token`."""

_NOT_FIRST: Mapping[NameKind, frozenset[str]] = {
    "password": _NOT_A_PASSWORD,
    "token": _NOT_A_TOKEN,
    "key": _NOT_A_KEY,
}

_SEPARATOR = regex(
    r"""(?:\\{0,3}["'\]]){0,2}[ \t]{0,16}"""
    r"""(?:,?\s{0,16}(?:\\{0,3}["'])?[Vv]alue(?:\\{0,3}["'])?\s{0,8}(?=[:=]))?"""
    r"""\\{0,2}(?P<sign>=>|:=|::=|==|=(?![=~>])|:(?!:)|\+=)(?P<blank>[ \t]{0,16})"""
)
_TYPED = regex(
    r"(?:(?:\[\]|:[ ]{0,4}[^\n\"'=:;,(){}]{1,60}|[ ]{1,4}(?:string|String|str)\b)[ \t]{0,8}=|[ ]{0,4}<-)[ \t]{0,8}"
    r"(?:[A-Z]\w{1,30}\()?(?=[\"'`])"
)
"""What is between a name and its value in a declaration: `token: str = "…"`, `var token string = "…"`,
R's `token <- "…"`."""
_VALUED = regex(
    r"(?:\\{0,3}[\"']?\s{0,8}:\s{0,8}\{[^{}]{0,200}?\\{0,3}[\"']value\\{0,3}[\"']\s{0,4}:|>\s{0,40}<[Vv]alue>)\s{0,8}(?=[\"'\\\w])"
)
"""A value in an object of its own, as Terraform and Windows write it: `"password": {"value": "…"}`."""
_COLUMN = regex(
    r"(?:[ ]{0,40}[|│][ \t]{0,8}|[ ]{0,40}\t[ \t]{0,8}|[ ]{2,60})"
    r"(?=[^\s|│]{0,40}\d[^\s|│]{0,200}[ \t]{0,60}(?:[|│\n]|\Z))"
)
_BEGINS_LINE = regex(r"(?:\A|\n)[ \t|│]{0,20}\Z")
"""A row of a table: the name begins its line, and one word with a digit follows."""
_ELSE = regex(r"[\])]{0,2}[ ]{1,4}(?:\|\||\?\?|or)[ ]{1,4}(?=[\"'`])")
"""What is between a name and what stands in for it: `process.env.DB_PASSWORD || '…'`."""
_BLOCK = regex(
    r"[|>][+-]?\n[ ]{1,40}|!!?\w{1,20}[ ]{1,4}|&\w{1,40}[ ]{1,4}(?=\S)|\s{1,40}string\(\d{1,4}\)[ ]"
)
"""What may stand before a value: in YAML the begin of a block, a tag or an anchor, in PHP a type."""
_ARGUMENT = regex(r"""["']\s{0,8},\s{0,8}(?=["'])""")
"""What is between a name and its value as arguments of a call: `define('DB_PASSWORD', '…')`."""
_VALUES = regex(r"(?i)\bvalues\s{0,8}\([^()\n]{0,60}[\"']\Z")
"""SQL before a name that is a value itself: `VALUES ('smtp_password', '…')`."""
_IN_QUOTES = regex(r"[ \t]{1,4}(?=[\"'][^\s\"']{6,200}[\"'])")
"""What is between a password and its name in Gradle: `storePassword "…"`."""
_FLAG_SEPARATOR = regex(r"(?P<blank>[ \t]{1,16})(?=[^\s=:-])")
_WORD_SEPARATOR = regex(r"[\"']?[ \t]{1,16}(?=[^\s=:`-])")
_SETS = regex(
    r"(?:\b(?:set|setx|setenv|ENV|put|modify|connect|mysqladmin)|\bconfig\s{1,8}(?:create|--\w{1,10})|defaults\s{1,8}write|-gx|-x)"
    r"\s[^\n|;&\"']{0,79}[\"']?[^\s|;&\"']{0,79}\Z"
)
"""A program before a name that takes the name and its value as two words."""
_ELEMENT = regex(r">(?:<!\[CDATA\[)?(?=[^<\s])")
_QUOTE = regex(r"""\\{0,3}["'`]|[rbuf]["']""")
_UNQUOTED = regex(r"""[^\s"'`,;&|<>]+""")
_SCHEME = regex(
    r"(?i)(?:bearer|basic|digest|apikey|bot|splunk|ssws|negotiate|[\w-]{0,24}(?:key|token))(?:[ \t]|\\{1,8} |%20)+"
)


_SCHEME_BEFORE = regex(r"(?i)(?:bearer|basic|token|apikey|bot|ssws)(?:\s|\\{1,8} |%20){1,4}\Z")

_ARN = regex(r"arn:[\w-]{1,20}:secretsmanager:[\w-]{0,30}:[0-9]{0,12}:\Z")


_ODD_LETTERS = ("ſ", "ı", "İ")
"""Letters that `(?i)` takes for `s` and `i` although `lower` does not write them so; the last one
becomes two. All others keep their place in lower case."""


def by_name(text: str) -> Iterator[CredentialSpan]:
    """Values whose names mean a credential."""
    if "VALUES" in text or "values" in text:
        yield from _inserted(text)
    done = 0
    is_odd = not text.isascii() and any(letter in text for letter in _ODD_LETTERS)
    anchors = _ANCHOR.finditer(text) if is_odd else _LOWER_ANCHOR.finditer(text.lower())
    for anchor in anchors:
        if anchor.start() < done:
            continue
        start, end = _name_at(text, anchor)
        done = end
        name = text[start:end]
        kind = kind_of(name)
        if kind is None:
            continue
        value = _value_after(text, start, end)
        if value is None:
            continue
        (first, last), written, sign = value
        if _SCHEME_BEFORE.search(text, max(end, first - 24), first):
            kind = "password"  # what follows the scheme of a header is the credential
            written = "joined" if not text[first:last].islower() else written
        if (
            sign == ":"
            and written != "quoted"
            and (name == "PASS" or name.upper() in ("KEY", "SESSION", "SIG"))
        ):
            continue  # `PASS: name` of a test
        if name == "secret" and _ARN.search(text, max(0, start - 80), start):
            continue  # Amazon's name of a secret
        if name.upper() in ("PWD", "OLDPWD") and text[first : first + 1] in "/~.":
            continue  # the shell's working directory
        after = text[last : last + 1]
        if is_secret(text[first:last], kind, written, _flat(name), after):
            yield first, last
            done = last


_INSERT = regex(
    r"(?i)\binsert\s{1,8}(?:ignore\s{1,8})?into\s{1,8}[^\s()]{1,200}\s{0,8}\((?P<columns>[^()]{1,2000})\)\s{0,8}values\s{0,8}(?=\()"
)
_ROW = regex(
    r"\s{0,8},?\s{0,8}\((?P<values>(?:[^()'\"]|'[^'\n]{0,4096}'|\"[^\"\n]{0,4096}\"|\([^()\n]{0,200}\)){1,8000}+)\)"
)
_FIELD = regex(
    r"\s{0,40}(?:N?'(?P<value>[^'\n]*)'|\"[^\"\n]*\"|(?:[^,'\"(]|\([^()]*\))*)\s{0,40}(?:,|\Z)"
)


def _inserted(text: str) -> Iterator[CredentialSpan]:
    """Values of SQL whose names are columns: `INSERT INTO users (name, password) VALUES ('a', '…')`."""
    for head in _INSERT.finditer(text):
        columns = [column.strip(' \t\n`"[]') for column in head["columns"].split(",")]
        kinds = [(name, kind_of(name)) for name in columns]
        if not any(kind for _, kind in kinds):
            continue
        at = head.end()
        while (row := _ROW.match(text, at)) is not None:
            at, start = row.end(), row.start("values")
            for name, kind in kinds:
                field = _FIELD.match(text, start, row.end("values"))
                if field is None:
                    break
                start, value = field.end(), field["value"]
                if kind and value and is_secret(value, kind, "quoted", _flat(name), "'"):
                    yield field.span("value")


def kind_of(name: str) -> NameKind | None:
    """What a name means; None if it does not mean a credential."""
    words = [word.lower() for word in _WORDS.findall(name)]
    if words[-2:] == ["secret", "id"]:
        return "key"  # Amazon's is the name of a secret, Vault's is a secret
    while words and (words[-1] in _TRAILING or words[-1].isdigit()):
        words.pop()
    if not words:
        return None
    kind = _KINDS.get(words[-1])
    if kind is None and words[-1].endswith(("password", "passwd", "storepass", "apikey")):
        kind = "password" if "pass" in words[-1] else "token"
    if kind is None:
        return None
    first = words[0] if len(words) > 1 else ""
    if kind == "token" and words[-2:-1] and words[-2] in _TOKEN_OF:
        return None if first in _NOT_A_PASSWORD else kind
    if kind == "key" and len(words) > 1 and words[-2] in _KEY_OF:
        return None if first in _NOT_A_TOKEN or first == "public" else "token"
    if first in _NOT_FIRST[kind]:
        return None
    if words[-1] in ("session", "sid", "pat", "sig", "signature", "bearer", "pw", "cred", "cookie"):
        return "key"  # ordinary words too: only a long random value counts
    if words[-1] in ("secrets", "creds", "credentials", "credential", "keys"):
        return "token"
    return kind


def _flat(name: str) -> str:
    return name.lower().replace("-", "_")


def _name_at(text: str, anchor: re.Match[str]) -> CredentialSpan:
    start, end = anchor.span()
    least, most = max(0, start - _MAX_NAME), min(len(text), end + _MAX_NAME)
    while start > least and text[start - 1] in _NAME_CHARS:
        start -= 1
    while end < most and text[end] in _NAME_CHARS:
        end += 1
    while end > start and text[end - 1] in ".-":
        end -= 1
    return start, end


def _value_after(text: str, start: int, end: int) -> tuple[CredentialSpan, Written, str] | None:
    """The value of a name, how it is written, and the sign between them."""
    typed = _TYPED.match(text, end)
    if typed is not None and not _is_value(typed[0].strip(": \t=")):
        return _value_at(text, typed.end(), "quoted", "=")
    other = _ELSE.match(text, end)
    if other is not None:
        found = _value_at(text, other.end(), "quoted", "=")
        return None if found is None else (found[0], "spaced", "=")  # a mere word is a default
    valued = _VALUED.match(text, end)
    if valued is not None:
        return _value_at(text, valued.end(), "joined", ":")
    sign = _SEPARATOR.match(text, end)
    if sign is not None:
        if sign["sign"] == "==":
            return None
        spaced = bool(sign["blank"]) or sign["sign"] in (":", ":=", "=>")
        block = _BLOCK.match(text, sign.end()) if spaced else None
        at = sign.end() if block is None else block.end()
        return _value_at(text, at, "spaced" if spaced else "joined", sign["sign"])
    if text.startswith("-", start):
        flag = _FLAG_SEPARATOR.match(text, end)
        return None if flag is None else _value_at(text, flag.end(), "joined", " ")
    name = text[start:end]
    argument = _ARGUMENT.match(text, end)
    if argument is not None and (
        name.isupper()
        or "-" in name[1:]
        or name.count(".") > 1
        or _VALUES.search(text, max(0, start - _MAX_NAME), start) is not None
    ):
        return _value_at(text, argument.end(), "quoted", ",")
    quoted = _IN_QUOTES.match(text, end) if name.lower().endswith("password") else None
    if quoted is not None:
        found = _value_at(text, quoted.end(), "quoted", " ")
        return found if found is not None and _stands_alone(text[slice(*found[0])]) else None
    apart = _WORD_SEPARATOR.match(text, end)  # not prose: "modify `a.py` to pass `…`"
    if apart is not None and _SETS.search(text, max(0, start - _MAX_NAME), start):
        found = _value_at(text, apart.end(), "spaced", " ")
        return found if found is not None and _stands_alone(text[slice(*found[0])]) else None
    if start and text[start - 1] == "<":
        element = _ELEMENT.match(text, end)
        return None if element is None else _value_at(text, element.end(), "joined", ">")
    column = _COLUMN.match(text, end)
    if column is not None and _BEGINS_LINE.search(text, max(0, start - 24), start):
        return _value_at(text, column.end(), "spaced", " ")
    return None


def _is_value(text: str) -> bool:
    """Whether it is a value in base64, not a type: `"key: x7Zk…Q="` ends with a sign and a quote."""
    return len(text) >= LONG_RANDOM and is_scrambled(text)


def _stands_alone(value: str) -> bool:
    """Whether a word after a name and a blank is a value: `config set token x1`, not prose."""
    if "/" in value and not is_random(value):
        return False
    return len(value) >= 12 or any(char.isdigit() or char in "!#%^*@+=" for char in value)


def _value_at(
    text: str, at: int, written: Written, sign: str
) -> tuple[CredentialSpan, Written, str] | None:
    quote = _QUOTE.match(text, at)
    mark = ""
    if quote is not None:
        at, mark = quote.end(), quote[0].lstrip("rbuf")
    scheme = _SCHEME.match(text, at)
    if scheme is not None:
        at = scheme.end()
    if mark:
        end = text.find(mark, at, at + _MAX_VALUE)
        closed = end >= 0
        line = text.find("\n", at, at + _MAX_VALUE)
        if not closed or (0 <= line < end):
            # A quote that began before the name ends here: `grep 'TOKEN=' src`.
            found = _UNQUOTED.match(text, at, at + _MAX_VALUE)
            return None if found is None else (found.span(), "quoted", sign)
        if end == at or text[at].isspace():
            return None
        return (at, end), "quoted", sign
    found = _UNQUOTED.match(text, at, at + _MAX_VALUE)
    if found is None:
        return None
    # `login(password=pw)`: the bracket closes the call.
    value = found[0].rstrip(")]}")
    return None if not value else ((at, at + len(value)), written, sign)
