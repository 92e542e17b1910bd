"""Whether the value of a password, token or key is a secret, or code, a placeholder or a count."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Literal

from groundtrace.base.patterns import regex

NameKind = Literal["password", "token", "key"]
"""What a name means: something that people choose, something random, or any key."""

Written = Literal["quoted", "joined", "spaced"]
"""How a value follows its name: in quotes, without a blank between, or after blanks."""

_PLACEHOLDER = regex(
    r"(?i)(?:your|my(?!\S*[0-9])|the|some|an?|insert|enter|replace)[ _.-]"
    r"|[\[<{(].{0,200}[\]>})]\Z|(?:example|placeholder|redacted|masked|hidden|dummy|todo|sample)"
    r"|[x*.#_-]++\Z|.{0,200}%s\Z"
)
NOTHING = frozenset(
    {
        *("none", "null", "nil", "true", "false", "undefined", "empty", "yes", "no", "required"),
        *("str", "string", "int", "bool", "bytes", "any", "object", "text", "varchar", "optional"),
        *("secretstr", "char", "self", "this", "void", "const", "let", "var", "number", "unknown"),
        *("env", "environ", "input", "getpass", "stdin", "prompt", "file", "return", "await"),
        *("value", "secret", "password", "passwd", "token", "key", "apikey", "api_key", "pass"),
        *("test", "foo", "bar", "changeme", "new"),
    }
)
"""Words that are never the value of a credential, in lower case."""

_MESSAGE = frozenset(
    {
        *("your", "please", "must", "enter", "invalid", "is", "the", "a", "new", "for", "of", "to"),
        *("password", "passwords", "token", "tokens", "secret", "key", "forgot", "confirm", "not"),
    }
)
"""Words of messages about credentials."""

_VARIABLE = regex(r"\$[\w{(@*#]|%[a-zA-Z(]|\{\{|<%|@\{|!\w+\s|`|&\w|\*\w|\\\(")
_CHAIN = regex(r"[A-Za-z_]\w{0,80}(?:(?:\.|->|::|\?\.)[A-Za-z_]\w{0,80})+\Z")
_CALL = regex(r"[\w.:>-]{0,120}[(\[]")
_IDENTIFIER = regex(r"[A-Za-z_][A-Za-z_]*[0-9]{0,2}\Z")
_LETTERS = regex(r"[A-Za-z_]+\Z")
_NAME_OF = regex(r"(?:[a-z]{1,20}_){1,4}(?:password|secret|token|credentials?)\Z")
_PATH = regex(r"(?:~|\.{1,2})?/|[A-Za-z]:\\|file:|\w+://")
_BASE64 = regex(r"/(?=[A-Za-z/+]{0,30}[0-9])[A-Za-z0-9+/]{27,}={0,2}\Z")
_SMALL = regex(r"[a-z]++")
_PARTS = regex(r"(?:id|src|source|type|env|target)=")

LONG_RANDOM = 16
"""Smallest length of a random value whose name alone is not enough."""


def is_secret(value: str, kind: NameKind, written: Written, name: str, after: str) -> bool:
    """Whether the value of such a name is a credential.

    `name` is in lower case; `after` is the character that follows the value.
    """
    bare = value.strip().strip("\\")
    if len(bare) < 3 or _VARIABLE.match(bare) or _PLACEHOLDER.match(bare) or bare.isspace():
        return False
    if bare.lower().rstrip("!?") in NOTHING or _PARTS.match(bare):
        return False
    if written != "quoted" and _is_code(bare, name, after):
        return False
    if kind == "password":
        return _is_password(bare, written, name)
    if _is_chain(bare):
        return False
    if kind == "token":
        return _is_token(bare)
    return len(bare) >= LONG_RANDOM and is_random(bare) and not _is_path(bare)


def is_random(text: str) -> bool:
    """Whether a text looks random: letters and digits mixed without blanks."""
    if any(char.isspace() for char in text):
        return False
    digits = sum(char.isdigit() for char in text)
    letters = sum(char.isalpha() for char in text)
    if digits == 0:
        return _mixed_case(text) and len(text) >= 20 and letters == len(text)
    if letters == 0:
        return False
    # `feature-branch-2024` and `us-east-1a` have words between their separators.
    longest = max(re.split(r"[-_./:, ]", text), key=len)
    return len(longest) >= 8 and any(char.isdigit() for char in longest)


def is_scrambled(text: str, *, hexadecimal: bool = False) -> bool:
    """Whether small letters, capitals and digits change places as in a word drawn at random.

    Small letters stand alone or in pairs there, in CamelCase three and more together: names of
    tests are as long and may hold digits. With `hexadecimal`, letters of one case are enough.
    """
    digits = sum(char.isdigit() for char in text)
    if text.islower() or text.isupper():
        turns = sum(a.isdigit() != b.isdigit() for a, b in pairwise(text))
        return hexadecimal and 4 <= digits < len(text) and turns >= 0.3 * len(text)
    runs = _SMALL.findall(text)
    return digits >= 3 and len("".join(runs)) < 2.6 * len(runs)


def _mixed_case(text: str) -> bool:
    turns = sum(a.islower() != b.islower() for a, b in pairwise(text))
    return turns >= len(text) // 4 and turns >= 5


def _is_code(value: str, name: str, after: str) -> bool:
    if _CALL.match(value) or value[0] in "([{<|&;)=":
        return True
    if _is_chain(value):
        return True
    if _IDENTIFIER.match(value):
        # `connect(user=u, password=pw)`; `password = password2`
        return after in (",", ")") or value.lower().rstrip("0123456789") in name
    return False


def _is_chain(value: str) -> bool:
    """Whether a value is names with dots: `s.1X3NSGlUcraRWev1RGMz0ac6` is a token,
    `settings.database.password` is code."""
    return _CHAIN.match(value) is not None and not any(
        len(part) >= 20 and is_random(part) for part in value.split(".")
    )


def _is_path(value: str) -> bool:
    """Whether a value is a path or an address. One of 64 keys in base64 begins with `/` too."""
    if _PATH.match(value) is None:
        return False
    longest = max(value.split("/"), key=len)
    return _BASE64.match(value) is None or not (len(longest) >= 10 and is_scrambled(longest))


def _is_password(value: str, written: Written, name: str) -> bool:
    if written == "quoted":
        return not _is_prose(value) and not _is_reference(value, name)
    if _is_path(value):
        return False
    if written == "spaced" and _LETTERS.match(value):
        # `password: string` and `secret = compute` are code; a passphrase in a settings file is
        # not.
        return len(value) >= 12 and value.islower() and "_" not in value
    return not _is_reference(value, name)


def _is_prose(value: str) -> bool:
    """Whether a quoted value is a message: `"password": "Enter your password"`."""
    words = value.lower().split()
    return len(words) > 8 or (len(words) > 1 and not _MESSAGE.isdisjoint(words))


def _is_reference(value: str, name: str) -> bool:
    """Whether a value is a name: `"password": "user_password"`, `--secret=db-password`."""
    plain = value.lower().replace("-", "_")
    if _NAME_OF.match(plain):
        return True
    return _LETTERS.match(value) is not None and (
        plain in name or plain.endswith((name, "_" + name))
    )


def _is_token(value: str) -> bool:
    if len(value) < 6 or value.isdigit() or _is_path(value) or value.count(" ") > 1:
        return False
    return any(char.isdigit() for char in value) or is_random(value)
