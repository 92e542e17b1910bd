"""Credentials that a command takes as a word: `vault login X`, `gh secret set N --body X`.

Every entry of `_WORDS` is a pattern for one program, tried only if its mark is in the text. Flags of
one letter (`mysql -pX`) are in `redact.by_place`, flags with a telling name in `redact.by_name`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet

from groundtrace.base.patterns import regex
from groundtrace.redact.by_form import CredentialSpan

VALUE = r"[\"']?(?P<value>(?:(?<=[\"'])[^\"'\n$<][^\"'\n]{2,400}|(?![$<-])[^\s\"'|;&<>]{3,400}))"
"""A word that is the credential; in quotes it may hold blanks and signs of the shell."""
_REST = r"[^\n|;&]{0,200}?"
"""Other words of the same command."""
_FLAGS = r"(?:--?[\w-]{1,30}(?:=\S{1,100})?[ \t]{1,8}){0,5}"
_WITH_SLASH = r"[\w.$#-]{1,60}/(?P<value>[^\s\"'@/|;&$]{3,200})"
"""Oracle's `user/password`."""
_QUOTED = r"\\?[\"'](?P<value>(?=[A-Za-z]{0,60}[^A-Za-z\"'\n])[^\"'\n${<%][^\"'\n]{2,200})\\?[\"']"
_NO_WORD = r"(?P<value>(?=[A-Za-z]{0,60}[^A-Za-z\s\"'])[^\s\"'$<]{3,200})"
"""Not a mere word: `set_password('secret')` is an example, `enable secret scanning` is prose."""

_WORDS: Mapping[str, tuple[str, ...]] = {
    "vault": (
        rf"\bvault[ \t]{{1,8}}login[ \t]{{1,8}}{_FLAGS}(?:token=)?(?!\w{{1,30}}=){VALUE}",
        rf"\bvault[ \t]{{1,8}}operator[ \t]{{1,8}}unseal[ \t]{{1,8}}{_FLAGS}(?=\S{{16}}){VALUE}",
    ),
    "secret set": (
        rf"\bgh[ \t]{{1,8}}secret[ \t]{{1,8}}set\b{_REST}\s(?:--body|-b)[=\s]\s{{0,8}}{VALUE}",
    ),
    "--value": (
        r"\b(?:secrets?[ \t:]{1,8}(?:set|create|put|add|update)|(?:set|create|put|add)-secret)\b"
        rf"{_REST}\s--value[=\s]\s{{0,8}}{VALUE}",
    ),
    "setuser": (r"(?i)\bsetuser\b[^\n]{0,100}?\s[\"']?>(?P<value>[^\s\"']{3,200})",),
    "put-parameter": (rf"\bput-parameter\b{_REST}\s--value[=\s]\s{{0,8}}{VALUE}",),
    "--secret-": (r"--secret-(?:string|binary)[=\s]\s{0,8}[\"']?(?P<value>\{[^\n]{3,4000}?\})",),
    "from-literal": (rf"--from-literal[=\s]\s{{0,8}}[\"']?[\w.-]{{1,80}}={VALUE}",),
    "cargo": (rf"\bcargo[ \t]{{1,8}}login[ \t]{{1,8}}{_FLAGS}{VALUE}",),
    "authtoken": (rf"\bauthtoken[ \t]{{1,8}}{VALUE}",),
    "snyk": (rf"\bsnyk[ \t]{{1,8}}auth[ \t]{{1,8}}{VALUE}",),
    "wandb": (rf"\bwandb[ \t]{{1,8}}login[ \t]{{1,8}}{_FLAGS}{VALUE}",),
    "bw ": (
        rf"\bbw[ \t]{{1,8}}unlock[ \t]{{1,8}}{_FLAGS}{VALUE}",
        rf"\bbw[ \t]{{1,8}}login[ \t]{{1,8}}\S{{1,100}}@\S{{1,100}}[ \t]{{1,8}}{VALUE}",
    ),
    "pypi-token": (rf"\bpypi-token\.\S{{1,80}}[ \t]{{1,8}}{VALUE}",),
    "http-basic": (rf"\bhttp-basic\.\S{{1,80}}[ \t]{{1,8}}\S{{1,100}}[ \t]{{1,8}}{VALUE}",),
    "-oauth.": (rf"\b(?:github|gitlab|bitbucket)-oauth\.\S{{1,80}}[ \t]{{1,8}}{VALUE}",),
    "gitlab-token": (rf"\bgitlab-token\.\S{{1,80}}[ \t]{{1,8}}{VALUE}",),
    "bundle": (
        rf"\bbundle[ \t]{{1,8}}config[ \t]{{1,8}}(?:set[ \t]{{1,8}})?{_FLAGS}\S{{1,100}}[ \t]{{1,8}}[^\s:]{{1,80}}:{VALUE}",
    ),
    "user-secrets": (
        rf"\buser-secrets[ \t]{{1,8}}set[ \t]{{1,8}}{_FLAGS}(?:\"[^\"\n]{{1,100}}\"|\S{{1,100}})[ \t]{{1,8}}{VALUE}",
    ),
    "-cli": (
        rf"(?i)\b(?:redis|valkey|keydb)-cli\b{_REST}\sAUTH[ \t]{{1,8}}(?:[\w.-]{{1,40}}[ \t]{{1,8}})?{VALUE}",
        rf"\breset-admin-password[ \t]{{1,8}}{_FLAGS}{VALUE}",
    ),
    "-password": (
        r"\b(?:re)?set(?:-\w{1,12})?-password[ \t]{1,8}(?:--?\w[\w-]{0,30}[ \t]{1,8}){0,3}"
        r"[\"']?(?P<value>(?=[A-Za-z]{0,40}[^A-Za-z\s\"'])[^\s\"'|;&<>$-][^\s\"'|;&<>]{2,200})",
    ),
    "requirepass": (rf"(?i)\brequirepass[ \t]{{1,8}}{VALUE}",),
    "masterauth": (rf"(?i)\bmasterauth[ \t]{{1,8}}{VALUE}",),
    "wpa_passphrase": (rf"\bwpa_passphrase[ \t]{{1,8}}\S{{1,80}}[ \t]{{1,8}}{VALUE}",),
    "<<<": (
        rf"\b(?:login|auth|secret|secrets|chpasswd|passwd|kinit|sudo|su|pass|cryptsetup|gpg|openssl|smbpasswd"
        r"|vercel[ ]env|ssh-add|keyring[ ]set|read[ ]-\w{0,3}s)\b"
        rf"[^\n;&]{{0,200}}?<<<\s{{0,8}}\$?[\"']?(?:[\w.-]{{1,40}}:(?=[^\s:]))?{VALUE}",
    ),
    "encrypt_string": (rf"\bencrypt_string[ \t]{{1,8}}{_FLAGS}{VALUE}",),
    "pulumi": (
        rf"\bpulumi[ \t]{{1,8}}config[ \t]{{1,8}}set\s(?=[^\n|;&]{{0,400}}--secret)\s{{0,8}}{_FLAGS}"
        rf"[\w:.\[\]-]{{1,80}}[ \t]{{1,8}}{VALUE}",
    ),
    "sqlplus": (rf"\bsqlplus[ \t]{{1,8}}(?:-\w{{1,10}}[ \t]{{1,8}}){{0,4}}[\"']?{_WITH_SLASH}",),
    "dp ": (
        rf"\b(?:exp|imp)dp[ \t]{{1,8}}[\"']?{_WITH_SLASH}",
        rf"\b(?:xfree)rdp\b{_REST}\s/p:{VALUE}",
    ),
    "sqlldr": (rf"\bsqlldr[ \t]{{1,8}}[\"']?{_WITH_SLASH}",),
    "jdbc:oracle": (rf"jdbc:oracle:\w{{1,10}}:{_WITH_SLASH}@",),
    "connect to ": (
        rf"(?i)\bconnect[ \t]{{1,8}}to[ \t]{{1,8}}\S{{1,80}}[ \t]{{1,8}}user[ \t]{{1,8}}\S{{1,80}}[ \t]{{1,8}}using[ \t]{{1,8}}{VALUE}",
    ),
    "rabbitmqctl": (
        rf"\b(?:add_user|change_password|authenticate_user)[ \t]{{1,8}}\S{{1,80}}[ \t]{{1,8}}{VALUE}",
    ),
    "lftp": (rf"\s-u\s{{0,8}}[\"']?[\w.@-]{{1,80}},{VALUE}",),
    "smbclient": (rf"\bsmbclient[ \t]{{1,8}}\S{{1,200}}[ \t]{{1,8}}{VALUE}",),
    "net use": (
        rf"(?i)\bnet[ \t]{{1,8}}use[ \t]{{1,8}}(?:\w:|\*)?\s{{0,8}}\\\\\S{{1,200}}[ \t]{{1,8}}(?!/){VALUE}",
        rf"(?i)\bnet[ \t]{{1,8}}use\b{_REST}/user:\S{{1,80}}[ \t]{{1,8}}(?!/){VALUE}",
    ),
    "net user": (rf"(?i)\bnet[ \t]{{1,8}}user[ \t]{{1,8}}[\w.-]{{1,80}}[ \t]{{1,8}}(?!/){VALUE}",),
    "/pass": (rf"(?i)(?<!\S)/pass(?:word)?:{VALUE}",),
    **dict.fromkeys(
        ("signtool", "rdp"), (rf"\b(?:signtool|rdp)\b{_REST}\s/p(?:[ \t]{{1,8}}|:){VALUE}",)
    ),
    "schtasks": (rf"(?i)\bschtasks\b{_REST}\s/rp[ \t]{{1,8}}{VALUE}",),
    "_pw": (rf"\b(?:input|user|owner)_pw[ \t]{{1,8}}{VALUE}",),
    "mc ": (
        r"\bmc[ \t]{1,8}(?:alias[ \t]{1,8}set|config[ \t]{1,8}host[ \t]{1,8}add)[ \t]{1,8}\S{1,80}[ \t]{1,8}\S{1,200}[ \t]{1,8}"
        rf"\S{{1,200}}[ \t]{{1,8}}{VALUE}",
    ),
    "alias set": (
        rf"\balias[ \t]{{1,8}}set[ \t]{{1,8}}\S{{1,80}}[ \t]{{1,8}}https?://\S{{1,200}}[ \t]{{1,8}}{VALUE}",
    ),
    "setapikey": (rf"(?i)\bnuget[ \t]{{1,8}}setapikey[ \t]{{1,8}}{VALUE}",),
    "cf auth": (rf"\bcf[ \t]{{1,8}}auth[ \t]{{1,8}}[\w.@-]{{1,80}}[ \t]{{1,8}}{VALUE}",),
    "--encrypt": (
        rf"\bqpdf\b{_REST}\s--encrypt[ \t]{{1,8}}{VALUE}",
        rf"\bqpdf\b{_REST}\s--encrypt[ \t]{{1,8}}\S{{1,100}}[ \t]{{1,8}}{VALUE}",
    ),
    **dict.fromkeys(
        ("password-command", "password_cmd"),
        (
            rf"--\w{{0,20}}password[-_](?:command|cmd)[=\s]\s{{0,8}}[\"']?(?:echo|printf)[ \t]{{1,8}}{VALUE}",
        ),
    ),
    "(echo": (
        r"(?i)(?:token|passw?o?r?d?|pass-?file|secret|key)[\w-]{0,20}[ =][\"']?[$<]\(\s{0,4}"
        rf"(?:echo|printf)[ \t]{{1,8}}(?:-n[ \t]{{1,8}})?{VALUE}",
    ),
    "setproperty": (
        r"(?i)\bsetProperty\([\"'][\w.-]{0,80}(?:password|secret|token|key)[\"'],\s{0,8}"
        r"[\"'](?P<value>[^\"'\n]{3,400})[\"']",
    ),
    **dict.fromkeys(
        ("<entry", "<setting", "<param", "<property"),
        (
            r"(?i)<(?:entry|setting|param|property)[ ](?:key|name)=[\"'][\w.-]{0,80}"
            r"(?:password|secret|token|api[._-]?key)[\"']>(?P<value>[^<$\s]{3,400})<",
        ),
    ),
    'variable "': (
        r"\bvariable[ ]\"\w{0,80}(?:password|secret|token|_key)\"\s{0,8}\{[^{}]{0,400}?"
        r"\bdefault\s{0,20}=\s{0,8}\"(?P<value>[^\"$\n]{3,400})\"",
    ),
    "private-lines": (
        r"Private-Lines:[ \t]{0,8}\d{1,4}\s{1,4}(?P<value>[A-Za-z0-9+/=]{16,}(?:\s{1,2}[A-Za-z0-9+/=]{16,})*)",
    ),
    "obscure": (rf"\brclone[ \t]{{1,8}}obscure[ \t]{{1,8}}{VALUE}",),
    "chamber": (
        rf"\bchamber[ \t]{{1,8}}write[ \t]{{1,8}}\S{{1,80}}[ \t]{{1,8}}\S{{1,80}}[ \t]{{1,8}}{VALUE}",
    ),
    "securestring": (
        rf"(?i)\bConvertTo-SecureString[ \t]{{1,8}}{_FLAGS}{VALUE}",
        r"(?i)([\"'])(?P<value>[^\"'\n]{3,200})\1\s{0,4}\|\s{0,4}ConvertTo-SecureString",
    ),
    "env:": (
        rf"(?i)\b(?:set|new)-(?:item|content)\b{_REST}\benv:[\\/]{{0,8}}\w{{0,60}}"
        rf"(?:token|secret|passw?o?r?d?|pwd|key|credentials?)[\"']?[ \t]{{1,8}}{_FLAGS}{VALUE}",
    ),
    "getconnection": (
        r"getConnection\([^()\n]{1,200},\s{0,8}[\"'][^\"'\n]{1,80}[\"']\s{0,8},\s{0,8}[\"'](?P<value>[^\"'\n]{3,200})[\"']",
    ),
    "sonar.login": (rf"(?<![a-z])sonar\.login[=\s]\s{{0,8}}{VALUE}",),
    "openssl": (
        rf"\bopenssl[ \t]{{1,8}}passwd[ \t]{{1,8}}(?:-\w{{1,8}}[ \t]{{1,8}}){{0,4}}{VALUE}",
    ),
    "mkpasswd": (rf"\bmkpasswd[ \t]{{1,8}}(?:-\S{{1,20}}[ \t]{{1,8}}){{0,4}}{VALUE}",),
    "creds": (rf"--(?:src-|dest-)?creds[=\s]\s{{0,8}}[\"']?[^\s:\"'$]{{1,100}}:{VALUE}",),
    **dict.fromkeys(
        ("connect ", "rman target"), (rf"(?i)\b(?:connect|target)[ \t]{{1,8}}{_WITH_SLASH}@",)
    ),
    "@//": (rf"(?<![\w/:]){_WITH_SLASH}@//",),
    **dict.fromkeys(
        ("@tcp(", "@unix("), (r"[\w.-]{1,80}:(?P<value>[^\s\"'@]{3,200})@(?:tcp|unix)\(",)
    ),
    ":pserver:": (r":pserver:[\w.-]{1,80}:(?P<value>[^\s\"'@]{3,200})@",),
    **dict.fromkeys(
        ("impacket", "exec.py", "secretsdump"),
        (
            rf"\b(?:impacket-\w{{3,20}}|\w{{2,12}}(?:exec|dump)\.py){_REST}[\s/\"'][\w.-]{{1,60}}:(?P<value>[^\s\"'@]{{3,200}})@",
        ),
    ),
    "db_connect": (r"\bdb_connect[ \t]{1,8}[\w.-]{1,60}:(?P<value>[^\s\"'@]{3,200})@",),
    ".logon": (rf"(?i)\.logon[ \t]{{1,8}}(?:[\w.-]{{1,60}}/)?[\w.-]{{1,60}},{VALUE}",),
    **dict.fromkeys(
        ("authident", "bundle_"),
        (rf"(?:npmAuthIdent[\"']?:[ ]{{0,4}}|\bBUNDLE_\w{{1,80}}=)[\"']?[\w.@-]{{1,80}}:{VALUE}",),
    ),
    **dict.fromkeys(
        ("bearer -a", "bearer --auth"),
        (rf"\s(?:-A|--auth-type)[= ]bearer[ ]{{1,4}}(?:-a|--auth)[= ]{VALUE}",),
    ),
    "cloudflared": (rf"\bcloudflared[ \t]{{1,8}}service[ \t]{{1,8}}install[ \t]{{1,8}}{VALUE}",),
    "set-agent-token": (rf"\bset-agent-token[ \t]{{1,8}}{_FLAGS}\S{{1,40}}[ \t]{{1,8}}{VALUE}",),
    "isql": (rf"\bisql[ \t]{{1,8}}{_FLAGS}(?:(?!-)\S{{1,80}}[ \t]{{1,8}}){{2}}{VALUE}",),
    "drush": (
        rf"\bdrush[ \t]{{1,8}}(?:@\S{{1,60}}[ \t])?(?:upwd|user[:-]password)[ \t]{{1,8}}\S{{1,80}}[ \t]{{1,8}}{VALUE}",
    ),
    "mosquitto_passwd": (
        rf"\bmosquitto_passwd[ \t]{{1,8}}-\w{{0,6}}b\w{{0,6}}[ \t]{{1,8}}\S{{1,200}}[ \t]{{1,8}}\S{{1,100}}[ \t]{{1,8}}{VALUE}",
    ),
    "winrs": (rf"\bwinrs\b{_REST}\s-p(?:assword)?:{VALUE}",),
    " -hp": (rf"\brar\b{_REST}\s-hp{VALUE}",),
    "ftp -": (
        rf"\bl?ftp[ \t]{{1,8}}-\w{{0,6}}n[^\n]{{0,100}}\n(?:[^\n]{{0,200}}\n){{0,3}}?[ \t]{{0,8}}user[ \t]{{1,8}}\S{{1,60}}[ \t]{{1,8}}{VALUE}",
    ),
    **dict.fromkeys(
        ("passwd <<", "kinit <<", "--password-stdin <<"),
        tuple(
            rf"(?:passwd|kinit|--password-stdin)[ \t]<<-?[ \t]?[\"']?(?P<end>[A-Za-z]{{1,20}})[\"']?\n"
            rf"{line}(?!(?P=end)\b)(?:[\w.-]{{1,40}}:)?{VALUE}"
            for line in ("", r"[^\n]{1,200}\n")
        ),
    ),
    "chpasswd:": (
        r"\bchpasswd:\s{1,40}(?:expire:[ ]\w{1,5}\s{1,40})?list:[ ]{0,4}\|?\s{1,40}[\w.-]{1,60}:(?P<value>\S{3,200})",
    ),
    "reg add": (
        rf"(?i)\breg[ \t]{{1,8}}add\b{_REST}\s/v[ \t]{{1,8}}[\"']?\w{{0,40}}(?:password|pwd|secret|token|apikey)\b{_REST}\s/d[ \t]{{1,8}}{VALUE}",
    ),
    "reg_sz": (rf"(?i)(?:password|pwd)[ \t]{{1,20}}REG_SZ[ \t]{{1,20}}{VALUE}",),
    "d-i ": (
        rf"\bd-i[ \t]{{1,8}}\S{{1,40}}/\S{{0,40}}passw\S{{0,40}}[ \t]{{1,8}}(?:password|string)[ \t]{{1,8}}{VALUE}",
    ),
    "username ": (
        rf"(?<![^\s#])username[ \t]{{1,4}}[\w.@-]{{1,60}}[ \t]{{1,4}}(?:privilege[ \t]\d{{1,2}}[ \t]{{1,4}})?(?:password|secret)[ \t]{{1,4}}(?:\d{{1,2}}[ \t]{{1,4}})?{_NO_WORD}",
    ),
    **dict.fromkeys(
        ("enable password", "enable secret", "snmp-server community"),
        (
            rf"\b(?:enable[ \t](?:password|secret)|snmp-server[ \t]community)[ \t]{{1,4}}(?:level[ \t]\d{{1,2}}[ \t])?(?:\d[ \t]{{1,4}})?{_NO_WORD}",
        ),
    ),
    **dict.fromkeys(
        ("set_password(", "setpassword("), (rf"(?i)set_?password\(\s{{0,8}}{_QUOTED}\s{{0,4}}[,)]",)
    ),
    **dict.fromkeys(
        ("create_user(", "create_superuser("),
        (
            rf"\bcreate_(?:super)?user\((?:\s{{0,8}}[\"'][^\"'\n]{{0,100}}[\"']\s{{0,4}},){{2}}\s{{0,8}}{_QUOTED}",
        ),
    ),
    **dict.fromkeys(
        ("changeuserpassword(", "oracle.connect(", "oracledb.connect("),
        (
            rf"(?i)(?:changeUserPassword|oracle(?:db)?\.connect)\(\s{{0,8}}[\"'][^\"'\n]{{1,80}}[\"']\s{{0,4}},\s{{0,8}}{_QUOTED}",
        ),
    ),
    " credentials(": (
        rf"\bCredentials\((?:\s{{0,8}}\"[^\"\n]{{0,100}}\"\s{{0,4}},){{3}}\s{{0,8}}{_QUOTED}",
    ),
    **dict.fromkeys(
        ("sp_addlogin", "sp_password"),
        (
            rf"(?i)\bsp_(?:addlogin|password)\s{{1,8}}(?:@\w{{1,30}}\s{{0,4}}=\s{{0,4}})?(?:NULL|N?'[^'\n]{{0,100}}')\s{{0,4}},\s{{0,8}}(?:@\w{{1,30}}\s{{0,4}}=\s{{0,4}})?N?{_QUOTED}",
        ),
    ),
    "pragma": (
        rf"(?i)\bpragma\s{{1,4}}(?:\w{{1,20}}\.)?(?:hex)?(?:re)?key\s{{0,4}}[=(]\s{{0,4}}{_QUOTED}",
    ),
    **dict.fromkeys(
        ("_encrypt(", "_decrypt("),
        (rf"(?i)\b(?:pgp_sym|aes)_(?:en|de)crypt\([^()\n]{{1,200}},\s{{0,4}}{_QUOTED}",),
    ),
    "gen_salt": (rf"(?i)\bcrypt\(\s{{0,4}}{_QUOTED}\s{{0,4}},\s{{0,4}}gen_salt",),
    **dict.fromkeys(
        ('password, "', 'passwd, "', 'secret, "'),
        (rf"\{{\w{{0,30}}(?:password|passwd|secret),\s{{0,4}}{_QUOTED}\s{{0,4}}\}}",),
    ),
    " on >": (r"\buser[ \t]{1,4}[\w.-]{1,60}[ \t]{1,4}on[ \t]{1,4}>(?P<value>[^\s\"']{3,200})",),
    "hello 3": (rf"(?i)\bhello[ \t]3[ \t]auth[ \t]{{1,4}}\S{{1,60}}[ \t]{{1,4}}{VALUE}",),
    **dict.fromkeys(
        ("auth plain", "auth login", "enticate plain"),
        (
            r"(?i)\bauth(?:enticate)?[ \t](?:plain|login)[ \t](?P<value>(?=[A-Za-z+/]{0,60}[0-9=])[A-Za-z0-9+/]{12,}={0,2})",
        ),
    ),
    **dict.fromkeys(
        # Not `PASS src/a.test.js` and `PASS: test_a` of tests.
        ("\npass ", "quote pass ", "> pass ", "c: pass "),
        (
            r"(?:\bUSER[ \t]\S{1,80}\s{1,4}(?:[^\n]{0,200}\n){0,2}?|(?:\bC:|>)[ ]|\bquote[ \t])(?:>[ ]|C:[ ])?PASS[ \t](?P<value>[^\s/]{3,200}+)(?!/)",
        ),
    ),
    **dict.fromkeys(
        ('type="password"', "type='password'"),
        (
            rf"(?i)<input\b[^<>]{{0,300}}?\btype=[\"']password[\"'][^<>]{{0,300}}?\bvalue={_QUOTED}",
            rf"(?i)<input\b[^<>]{{0,300}}?\bvalue={_QUOTED}[^<>]{{0,300}}?\btype=[\"']password[\"']",
        ),
    ),
    "assword": (
        r"assword[^\n\"']{0,10}[\"'][;\s{}]{1,20}send\s{1,4}(?:--\s{1,4})?\\?[\"'](?P<value>[^\"'\\\n$]{3,200})",
    ),
    **dict.fromkeys(
        ("\ttrue\t", "\tfalse\t"),
        (
            r"\t(?:TRUE|FALSE)\t/[^\t\n]{0,200}\t(?:TRUE|FALSE)\t\d{1,12}\t[^\t\n]{1,100}\t(?P<value>(?=[^\t\n\d]{0,200}\d)[^\t\n]{8,4000})",
        ),
    ),
    **dict.fromkeys(
        ("reset-password/", "password/reset/", "reset_password/", "verify-email/", "magic-link/"),
        (
            r"://[^\s\"'<>]{1,200}/(?:reset[-_]password|password/reset|verify-email|magic-link)/(?P<value>(?=[A-Za-z_-]{0,40}[0-9])(?=[a-z0-9_-]{0,40}[A-Z])[A-Za-z0-9_-]{20,})(?![\w./-])",
        ),
    ),
    "htpasswd": (
        rf"\bhtpasswd[ \t]{{1,8}}-\w{{0,6}}n\w{{0,6}}[ \t]{{1,8}}[\w.@-]{{1,100}}[ \t]{{1,8}}{VALUE}",
        rf"\bhtpasswd[ \t]{{1,8}}-\w{{0,6}}b\w{{0,6}}[ \t]{{1,8}}\S{{1,200}}[ \t]{{1,8}}\S{{1,100}}[ \t]{{1,8}}{VALUE}",
    ),
}
"""From a text in lower case that must be there to patterns; their group `value` is the credential."""

MARKS = tuple(_WORDS)
_PATTERNS = {mark: tuple(regex(one) for one in texts) for mark, texts in _WORDS.items()}

_ASSIGNING: Mapping[str, re.Pattern[str]] = {
    "secrets": regex(
        r"\b(?:fly|flyctl|doppler|supabase|railway|eas)[ \t]{1,8}secrets?[ \t]{1,8}(?:set|import)\b"
    ),
    "vault": regex(r"\bvault[ \t]{1,8}(?:kv[ \t]{1,8}(?:put|patch)|write)\b"),
    "encrypt": regex(r"\btravis[ \t]{1,8}encrypt\b"),
}
"""Programs that store every `NAME=value` after them as a secret."""
_ASSIGNED = regex(rf"(?<!\S)[\"']?[\w.-]{{1,80}}={VALUE}")
_COMMAND = regex(r"(?:\"[^\"\n]{0,400}\"|'[^'\n]{0,400}'|[^\n|;&])*+")
"""The rest of a command; a bar in quotes does not end it."""

_COOKIES = regex(r"(?i)(?:\bcookie2?:|\bcookie[\"']\s{0,8}:|\s--cookie[=\s])[^\n\r]{1,8000}")
_CURL = regex(r"\bcurl(?=\s)")
_COOKIE_FLAG = regex(r"-b(?<=\s-b)[=\s]")
"""Only of `curl`: `git checkout -b fix && pip install pyerfa==2.0.0.3` sends no cookie."""
_COOKIE = regex(r"[\w.-]{1,80}=(?P<value>(?!=)[^\s;,\"'\\]{8,4000})")
ASSIGNING_MARKS = (*_ASSIGNING, "cookie", " -b")


def command_end(text: str, at: int) -> int:
    """Where the command ends that a program begins."""
    found = _COMMAND.match(text, at)
    return len(text) if found is None else found.end()


def by_command(text: str, held: AbstractSet[str]) -> Iterator[CredentialSpan]:
    """Words that a command takes as a credential; `held` are the marks that the text holds."""
    for mark in held & _PATTERNS.keys():
        for pattern in _PATTERNS[mark]:
            for found in pattern.finditer(text):
                yield found.span("value")
    for mark in held & _ASSIGNING.keys():
        for head in _ASSIGNING[mark].finditer(text):
            for found in _ASSIGNED.finditer(text, head.end(), command_end(text, head.end())):
                yield found.span("value")
    for start, end in _cookies(text, held):
        for found in _COOKIE.finditer(text, start, end):
            if any(char.isdigit() for char in found["value"]):
                yield found.span("value")


def _cookies(text: str, held: AbstractSet[str]) -> Iterator[CredentialSpan]:
    """Where cookies are sent."""
    if "cookie" in held:
        for header in _COOKIES.finditer(text):
            yield header.span()
    if " -b" in held:
        done = 0
        for curl in _CURL.finditer(text):
            if curl.start() >= done:
                done = command_end(text, curl.end())
                for flag in _COOKIE_FLAG.finditer(text, curl.end(), done):
                    yield flag.end(), done
