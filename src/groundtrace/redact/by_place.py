"""Credentials recognised by their place: in a URL, after a program's flag, in a key file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cache

import msgspec

from groundtrace.base.patterns import regex
from groundtrace.redact.by_command import ASSIGNING_MARKS, VALUE, by_command, command_end
from groundtrace.redact.by_command import MARKS as COMMAND_MARKS
from groundtrace.redact.by_form import CredentialSpan
from groundtrace.redact.secret_values import LONG_RANDOM, NOTHING, is_random

_KEY_BEGIN = "PRIVATE KEY"
_KEY_HEAD = regex(r"-{4,5}[ ]?BEGIN [A-Z0-9 ]{0,60}PRIVATE KEY(?: BLOCK)?[ ]?-{4,5}")
_KEY_END = regex(r"-{4,5}[ ]?END [A-Z0-9 ]{0,60}PRIVATE KEY(?: BLOCK)?[ ]?-{4,5}")

_USER_INFO = regex(r"://(?P<user>[^\s:/@?#\"'<>]{0,200})(?P<pass>:[^\s/@\"'<>]{0,400})?@")

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
    r"(?i)\b(?:bearer(?:[ \t]|\\{1,8} |%20|\\u0020|:){1,4}(?P<value>(?!-)(?=[A-Za-z._~+/=-]{0,200}\d)[A-Za-z0-9._~+/=-]{16,})"
    r"|basic(?:[ \t]|\\{1,8} |%20|\\u0020|:){1,4}(?P<base64>(?=[A-Za-z+/]{0,200}[\d=])[A-Za-z0-9+/]{16,}={0,2}(?![\w.-])))"
)
"""Not `test basic --settings=…` and `basic authentication-middleware-v2`."""
_AZURE = regex(r"(?i)\b(?:AccountKey|SharedAccessKey|SharedSecret)=(?P<value>[A-Za-z0-9+/=%]{16,})")
_SQL = regex(
    r"(?i)(?:\bidentified\s{1,8}(?:with\s{1,8}[\w'\"]{1,60}\s{1,8})?by(?:\s{1,8}password)?"
    r"|\b(?:role|user|login|with|set|encrypted)\b[^;\n(]{0,200}?\bpassword(?:\s{0,8}=)?"
    r"|,\s{0,8}secret|\bpassword\s{0,8}\()\s{0,8}N?\\?(?P<quote>['\"])(?P<value>[^'\"\n]{3,400})(?P=quote)"
)
_ORACLE = regex(
    r"(?i)\b(?:create|alter)\s{1,8}(?:user|role|(?:(?:public|shared)\s{1,8}){0,2}database\s{1,8}link)\b"
    r"[^;\n\"']{1,200}?\bidentified\s{1,8}by\s{1,8}(?!values\b)\"?(?P<value>[^\s\"';$:&<]{3,200})"
)
_NETRC = regex(
    r"\blogin\s{1,8}\S{1,200}\s{1,8}(?:account\s{1,8}\S{1,200}\s{1,8})?password\s{1,8}(?P<value>\S{3,400})"
)
_OPENSSL = regex(r"(?<!\w)-pass(?:in|out)?\s{1,8}[\"']?pass:(?P<value>[^\s\"'$]{3,400})")
_PGPASS = regex(
    r"(?m)(?:^|(?<=[\s\"']))[\w.*-]{1,200}:(?:543[2-4]|6[45]432?|6543|3306|1433|1521|27017|\*):[\w*-]{1,80}:[\w*-]{1,80}:(?P<value>[^\s\"';]{3,400})(?=$|[\s\"';])"
)
_SAID = regex(
    r"(?:echo|printf)\s{1,8}(?:-[en]{1,2}\s{1,8})?(?:[\"']%s\\{0,8}n?[\"']\s{1,8})?[\"']?(?:[\w.-]{1,60}:)?"
    r"(?P<value>(?:(?<=[\"'])[^\"'\n$%][^\"'\n]{2,200}|[^\s\"'|$:]{3,200}))[\"']?\s{0,8}\|\s{0,8}"
    r"(?:sudo\s{1,8}(?:-\w\s{1,8}){0,3}-S\b|(?:sudo\s{1,8})?(?:chpasswd|passwd|cryptsetup|kinit|su|gpg)\b"
    r"|(?:docker|podman|nerdctl|helm|oras|crane|buildah|skopeo|gh|glab|npm|cargo|vault|az|op|bw)\b"
    r"[^\n|;&]{0,60}?\b(?:login|secret|secrets|create)\b|wrangler\s{1,8}secret|gh\s{1,8}secret"
    r"|(?:kubectl|oc)\s{1,8}create\s{1,8}secret|fly(?:ctl)?\s{1,8}secrets|gcloud\s{1,8}secrets|pass\s{1,8}insert|smbpasswd|vercel\s{1,8}env)"
)

_PAIR = regex(
    r"(?i)auth\s{0,8}=\s{0,8}\(\s{0,8}[\"'][^\"'\n]{1,100}[\"']\s{0,8},\s{0,8}[\"'](?P<value>[^\"'\n]{3,200})"
)

_AUTH = regex(
    r"(?i)(?:(?:http(?:basic|digest|ntlm)?|\.|basic_?)auth|with_?credentials|\.login)\("
    r"\s{0,8}[\"'][^\"'\n]{1,100}[\"']\s{0,8},\s{0,8}(?:Some\()?[\"']"
    r"(?P<value>(?=[A-Za-z]{0,60}[^A-Za-z\"'\n])[^\"'\n]{3,200})"
)
"""Not a mere word: `HTTPBasicAuth('user', 'pass')` is an example."""
_SAID_KEY = regex(
    r"(?i)(?:\b(?:secret|api|access|private|auth)(?:[ ]access)?[ ](?:key|token)(?:[ ]id)?(?:[ ]is:?[ ]|[ ]?\[\w{1,20}\]:|[ ]?[:=])"
    r"|\bSecretAccessKey(?=[ \t]))[ \t]{0,8}[\"'`]?(?P<value>(?=[A-Za-z+/_-]{0,30}\d)[A-Za-z0-9+/_=-]{16,})"
)
"""A key as a program prints it for people: `Secret key: …`."""

_SAID_PASSWORD = regex(
    r"(?i)\bpassword[ ](?:is[ ]generated[ ])?for[ ][^\n:]{1,60}?(?:[ ]is)?:[ \t]{1,4}"
    r"(?P<value>(?=[A-Za-z]{0,60}[^A-Za-z\s])\S{6,200})"
)
_IS_PASSWORD = regex(
    r"(?i)\bpassword[ ](?:(?:was|is|has[ ]been)[ ])?(?:now[ ])?(?:(?:re)?set[ ]to|changed[ ]to|is)"
    r"(?::[ \t]{1,4}|:?[ \t]{1,4}[\"'`])(?P<value>(?=[A-Za-z]{0,60}[^A-Za-z\s\"'`])[^\s\"'`]{6,200})"
)
"""Passwords as programs print them for people: `The password for the elastic user is: …`,
`Your temporary password is: …`, `The password has been set to "…"`."""
_BEARER = regex(r"(?i)bearer_?auth\(\s{0,8}[\"'](?P<value>[^\"'\n]{8,400})[\"']")
_BIND = regex(
    r"(?i)(?:bind_?|root)pwd?[\"']?(?:[ \t]{0,8}[:=][ \t]{0,8}|[ \t]{1,8}(?:--\w{1,20}[ \t]{1,8}){0,2}(?!--))[\"']?(?P<value>[^\s\"']{3,200})"
)
_UNSEAL = regex(r"(?i)\bunseal[ ]key[ ]\d{1,2}:[ \t]{1,8}(?P<value>\S{16,})")
_IN_CI = regex(r"(?:::add-mask::|issecret=true\])(?P<value>\S{3,400})")
_WEB_KEY = regex(r"\"(?:d|k|p|q|dp|dq|qi)\"\s{0,4}:\s{0,4}\"(?P<value>[A-Za-z0-9_-]{20,})\"")
"""The secret numbers of a JSON Web Key."""
_PHRASE = regex(
    r"(?i)(?:mnemonic|(?:seed|recovery|secret)[ _-]?phrase)[\"']?\s{0,4}(?:is)?[:=]?\s{0,4}[\"']?"
    r"(?P<value>[a-z]{3,8}(?: [a-z]{3,8}){11}(?:(?: [a-z]{3,8}){3}){0,4}+)(?![ ]?[a-z])"
)
"""The words of a wallet: 12, 15, 18, 21 or 24 of a list whose words have 3 to 8 letters."""

_SIMPLE = (
    (("mnemonic", "phrase"), _PHRASE),
    (("password for", "generated for"), _SAID_PASSWORD),
    (("password is", "set to", "changed to"), _IS_PASSWORD),
    (("unseal key",), _UNSEAL),
    (("::add-mask::", "issecret=true]"), _IN_CI),
    (('"kty"',), _WEB_KEY),
    (("bearer", "basic"), _SCHEME),
    (("accountkey", "sharedaccesskey", "sharedsecret"), _AZURE),
    (("identified", "password", "create secret"), _SQL),
    (("identified",), _ORACLE),
    (("login",), _NETRC),
    (("auth",), _PAIR),
    (("auth(", "credentials(", ".login("), _AUTH),
    (("bearer_auth(", "bearerauth("), _BEARER),
    (("bindpw", "bind_pw", "rootpw"), _BIND),
    (("secret key", "api key", "access key", "private key", "auth key"), _SAID_KEY),
    (("secret token", "api token", "access token", "auth token", "secretaccesskey"), _SAID_KEY),
    (("pass:",), _OPENSSL),
    ((":5432:", ":5433:", ":5434:", ":6432:", ":6543:", ":3306:"), _PGPASS),
    ((":1433:", ":1521:", ":27017:", ":*:"), _PGPASS),
    (("echo", "printf"), _SAID),
    # `hook` alone is a word of much code.
    (("hooks.slack", "hooks.zapier", "webhook", "v2/hook", "make.com/", "ifttt"), _HOOKS),
    (("telegram", "dingtalk"), _HOOKS),
)
"""From text that must be there, in lower case, to a pattern; its group `value` is the secret."""


class _Program(msgspec.Struct, frozen=True):
    """Programs whose flags take a credential."""

    marks: tuple[str, ...]
    """At least one of these must be in the text, in lower case."""
    names: str
    """Pattern of its names."""
    joined: str = ""
    """Letters of flags whose value follows without a blank: `-pPASS`."""
    apart: str = ""
    """Letters of flags whose value follows after a blank."""
    long: str = ""
    """Pattern of longer flags with one dash whose value follows after a blank: `-pw PASS`."""
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
        r"(?:docker|podman|nerdctl|helm|oras|crane|skopeo|buildah)(?:\s+(?:registry|auth))?\s+login"
        r"|(?:oc|cf|expo|eas|ibmcloud|cloudctl)\s+login|conan\s+remote\s+login",
        apart="p",
    ),
    _Program(
        ("az ", "twine", "conan", "snowsql", "hdbsql", "beeline", "hive ", "rabbitmqadmin"),
        r"az|twine|conan|snowsql|hdbsql|beeline|hive|rabbitmqadmin",
        apart="p",
    ),
    _Program(
        ("psexec", "rdesktop", "yt-dlp", "youtube-dl", "steghide", "useradd", "usermod", "gem "),
        r"psexec(?:64)?(?:\.exe)?|rdesktop|yt-dlp|youtube-dl|steghide|useradd|usermod|gem\s+push",
        apart="p",
    ),
    _Program(
        ("winrm", "crackmapexec", "nxc ", "hydra", "smbmap"),
        r"evil-winrm|crackmapexec|nxc|hydra|smbmap",
        apart="p",
    ),
    _Program(
        ("mongo", "cqlsh", "influx", "clickhouse", "ipmitool"),
        r"mongo(?:sh|dump|restore|import|export)?|cqlsh|influx|clickhouse-client|ipmitool",
        apart="pP",
    ),
    _Program(("redis-cli", "valkey-cli"), r"redis-cli|valkey-cli", joined="", apart="a"),
    _Program(
        ("zip ", "sqlcmd", "bcp ", "isql", "tsql"),
        r"unzip|zip|sqlcmd|bcp|isql|tsql",
        joined="P",
        apart="P",
    ),
    _Program(("mosquitto", "p4 ", "knife "), r"mosquitto_\w{2,8}|p4|knife", apart="P"),
    _Program(("ldap",), r"ldap(?:search|add|modify|delete|whoami|passwd)", apart="w"),
    _Program(("ldappasswd",), r"ldappasswd", apart="s"),
    _Program(("vsql ",), r"vsql", apart="w"),
    _Program(("security ",), r"security\s+[a-z-]{3,40}", apart="wp"),
    _Program(("ssh-keygen",), r"ssh-keygen", joined="", apart="NP"),
    _Program(("snmp",), r"snmp(?:walk|get|bulkwalk|set|bulkget)", apart="AX"),
    _Program(("openssl enc", "openssl aes", "openssl des"), r"openssl\s+[a-z0-9-]+", apart="kK"),
    _Program(("doctl", "vercel", "codecov"), r"doctl\s+auth\s+init|vercel|codecov", apart="t"),
    _Program(("nuget push",), r"nuget\s+push", apart="k"),
    _Program(
        ("poetry publish", "nuget add", "ncftp"),
        r"poetry\s+publish|nuget\s+add\s+source|ncftp\w{0,6}",
        apart="p",
    ),
    _Program(
        ("plink", "pscp", "psftp", "klink", "nzsql"),
        r"(?:plink|pscp|psftp|klink|nzsql)(?:\.exe)?",
        long="pw",
    ),
    _Program(("swaks",), r"swaks", long="ap"),
    _Program(("pdf",), r"pdf[a-z]{2,12}", long="upw|opw"),
    _Program(
        ("curl ", "wget ", "lftp ", "svn ", "xh ", "http ", "https ", "etcdctl"),
        r"curl|wget|lftp|svn|xh|https?|etcdctl",
        apart="",
        pairs="uaU",
    ),
    _Program(("smbclient", "rpcclient", "net "), r"smbclient|rpcclient|net\s+rpc", pairs="U"),
)


def _flag_pattern(program: _Program) -> str:
    choices = []
    if program.joined:
        choices.append(rf"-[{program.joined}]{VALUE.replace('value', 'joined')}")
    if program.apart:
        choices.append(rf"-[{program.apart}]\s+{VALUE.replace('value', 'apart')}")
    if program.long:
        choices.append(rf"-(?:{program.long})\s+{VALUE.replace('value', 'apart')}")
    if program.pairs:
        long = "|--(?:user|proxy-user|auth)[= ]"
        choices.append(
            rf"(?:-[{program.pairs}]\s*{long})\s*[\"']?[^\s:%\"'$/]{{1,100}}[:%]"
            rf"{VALUE.replace('value', 'pair')}"
        )
        # A token as the name, without a password: `curl -u TOKEN:`.
        choices.append(
            rf"-[{program.pairs}]\s*[\"']?(?P<alone>(?=\S{{0,20}}\d)[\w-]{{16,}}):(?=[\"'\s])"
        )
    return "|".join(f"(?:{choice})" for choice in choices)


_CALLS = tuple(
    (
        program.marks,
        regex(rf"(?<![\w./-])(?:[\w./-]{{0,100}}/)?(?:{program.names})(?=\s)"),
        regex(rf"(?<!\S)(?:{_flag_pattern(program)})"),
    )
    for program in _PROGRAMS
)
_LETTERS = {letter for p in _PROGRAMS for letter in (*p.joined, *p.apart, *p.pairs)}
_LETTERS |= {flag[0] for p in _PROGRAMS if p.long for flag in p.long.split("|")}
_FLAG = regex(rf"-(?<!\S-)(?:[{''.join(sorted(_LETTERS))}]|-(?:user|proxy-user|auth))")
"""Every call in `_CALLS` has such a flag. Most commands have none, so the names of programs are not
searched for: half of the marks."""
_MARKS = tuple(
    dict.fromkeys(
        (*(mark for marks, _ in _SIMPLE for mark in marks), *COMMAND_MARKS, *ASSIGNING_MARKS)
    )
)
_FLAG_MARKS = tuple(dict.fromkeys((*_MARKS, *(mark for marks, _, _ in _CALLS for mark in marks))))
"""Every mark in lower case; a text without any of them matches none of the patterns."""


@cache
def _piece_of(mark: str) -> str:
    """Kept: most marks are in two or three of the groups below."""
    # Not next(): a generator for each mark took 3 million instructions of every command.
    for piece in _PIECES:
        if piece in mark:
            return piece
    return mark


def _by_piece(marks: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """The marks by a piece that they share. A text without the piece holds none of its marks, so
    that some 60 searches of a text do what 270 would."""
    groups: dict[str, list[str]] = {}
    for mark in marks:
        groups.setdefault(_piece_of(mark), []).append(mark)
    return {piece: tuple(group) for piece, group in groups.items()}


_PIECES = (
    *("pass", "cr", "auth", "ke", "ql", "in", "er", "cl", "tp", "43", "ec", "et ", "sl", "ra"),
    *("dl", "oo", "cp", "sk", "eg", "ia", "go", "ge", "e\t", "dp", "sw", "ctl", "sn", "cur", "try"),
)
"""Letters that many marks have and few texts; the first one counts that a mark has."""
_GROUPS, _FLAG_GROUPS = _by_piece(_MARKS), _by_piece(_FLAG_MARKS)


def by_place(text: str) -> Iterator[CredentialSpan]:
    """Credentials at places where only a credential can be."""
    lower = text.lower()
    if _KEY_BEGIN in text:
        yield from _key_blocks(text)
    if "://" in text and "@" in text:
        yield from _user_infos(text)
    # Search for plain text first, in one loop: nearly every text holds none of these, and every new
    # text of every trial passes here.
    groups = _FLAG_GROUPS if _FLAG.search(text) else _GROUPS
    held = {m for piece in groups if piece in lower for m in groups[piece] if m in lower}
    if not held:
        return
    for marks, pattern in _SIMPLE:
        if not held.isdisjoint(marks) and (pattern is not _SAID or "|" in text):
            for found in pattern.finditer(text):
                kind = "value" if found["value"] is not None else "base64"
                if not _is_variable(found[kind]):
                    yield found.span(kind)
    yield from _flags(text, held)
    for start, end in by_command(text, held):
        if not text.startswith(("$", "%", "<", "[masked", "..", "**"), start):
            yield start, end


def _key_blocks(text: str) -> Iterator[CredentialSpan]:
    at = 0
    while (head := _KEY_HEAD.search(text, at)) is not None:
        end = _KEY_END.search(text, head.end())
        at = len(text) if end is None else end.end()
        yield head.start(), at


def _user_infos(text: str) -> Iterator[CredentialSpan]:
    for found in _USER_INFO.finditer(text):
        if len(found["pass"] or "") > 1:
            start, end = found.start("pass") + 1, found.end("pass")
            if end - start > 1 and not _is_example(text[start:end]):
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
            done = command_end(text, program.end())
            for found in flags.finditer(text, program.end(), done):
                kind = found.lastgroup or ""
                value = found[kind]
                if not _is_example(value) and not (kind == "pair" and value.isdigit()):
                    yield found.span(kind)


def _is_example(value: str) -> bool:
    """Whether a password is a variable, or the word itself: `http://user:pass@host`."""
    return _is_variable(value) or value.lower() in NOTHING


def _is_variable(value: str) -> bool:
    return value[:1] in "$<{" or value.startswith(("%s", "[masked", "...", "***")) or "${" in value
