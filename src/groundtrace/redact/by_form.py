"""Credentials recognised by their form alone: a service's prefix and a body of a known kind.

The prefixes are those that the services describe in public. Each is searched for as plain text, and
only what follows it is matched. Every body is one greedy run of characters, so the time grows only
linearly with the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import chain

import msgspec

from groundtrace.base.patterns import regex
from groundtrace.redact.secret_values import is_scrambled

CredentialSpan = tuple[int, int]
"""Where a credential begins and ends in a text."""

_WORD = r"[A-Za-z0-9]"
_DASHED = r"[A-Za-z0-9_-]"
_DOTTED = r"[A-Za-z0-9_.=-]"
_HEX = r"[0-9a-fA-F]"
_BASE64 = r"[A-Za-z0-9+/=]"
_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

_PREFIXES: Mapping[str, Mapping[str, int]] = {
    _WORD: {
        **dict.fromkeys(("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), 16),
        **dict.fromkeys(("sk_live_", "sk_test_", "rk_live_", "rk_test_", "dckr_pat_"), 16),
        **dict.fromkeys(("hf_", "r8_", "gsk_", "pplx-", "xai-", "lin_api_", "ntn_"), 24),
        **dict.fromkeys(("ATBB", "nfp_"), 24),
        **dict.fromkeys(("rubygems_", "bkua_", "sntryu_", "slk_", "tfp_", "pnu_", "pnb_"), 24),
        **dict.fromkeys(("npm_", "AKID", "sbp_"), 30),
        **dict.fromkeys(("rpa_", "secret_", "AKCp", "cmVmdGtu", "EZAK", "EZTK"), 40),
        **dict.fromkeys(("rzp_live_", "rzp_test_", "FLWSECK-", "FLWSECK_TEST-"), 12),
        **dict.fromkeys(("LTAI", "whsec_", "EAACEdEose0cBA", "sm_aat_", "sm_pat_", "sm_sat_"), 16),
        **dict.fromkeys(("dckr_oat_", "rnd_", "aio_", "fw_", "vcp_", "lin_oauth_"), 24),
        **dict.fromkeys(("csk-", "phx_", "sess-", "p8e-", "jina_", "API-"), 32),
    },
    _DASHED: {
        **dict.fromkeys(("gldt-", "glrt-", "glcbt-", "glptt-", "gloas-", "sq0atp-"), 16),
        **dict.fromkeys(("glagent-", "glsoat-", "glft-", "glimt-", "glffct-", "glrtr-"), 16),
        **dict.fromkeys(("tskey-auth-", "tskey-api-", "tskey-client-", "tvly-", "xwfp-"), 16),
        **dict.fromkeys(("xkeysib-", "xsmtpsib-", "lsv2_pt_", "lsv2_sk_", "vercel_blob_rw_"), 24),
        **dict.fromkeys(("nvapi-", "tgp_v1_", "fo1_", "dnkey-", "napi_", "y0_", "pa-"), 40),
        **dict.fromkeys(("pscale_oauth_", "bce-v3/ALTAK-", "zpka_"), 24),
        **dict.fromkeys(("github_pat_", "sgp_", "GOCSPX-", "NRAK-", "NRII-", "sb_secret_"), 20),
        **dict.fromkeys(("shippo_live_", "duffel_live_", "xapp-", "sq0csp-"), 20),
        **dict.fromkeys(("pypi-Ag", "PMAK-", "CCIPAT_", "glsa_", "pscale_tkn_", "pscale_pw_"), 24),
        **dict.fromkeys(("HRKU-", "hrku-", "fio-u-", "rdme_", "pcsk_"), 24),
        **dict.fromkeys(("AIza", "AQVN"), 30),
        **dict.fromkeys(("figd_", "CFPAT-", "wandb_v1_"), 24),
        **dict.fromkeys(("EAAA",), 56),
        **dict.fromkeys(("ops_eyJ",), 40),
    },
    _DOTTED: {
        **dict.fromkeys(("ya29.", "hvs.", "hvb.", "hvr.", "dp.pt.", "dp.st.", "dt0c01."), 20),
        **dict.fromkeys(("dp.ct.", "dp.sa.", "dp.scim.", "dp.audit.", "dt0s01.", "sha256~"), 20),
        **dict.fromkeys(("sk.eyJ", "glc_eyJ", "sntrys_", "t1.9euel", "ATATT3", "ATCTT3"), 24),
        **dict.fromkeys(("glpat-",), 16),
        **dict.fromkeys(("SG.",), 32),
        **dict.fromkeys(("sl.",), 60),
    },
    _HEX: {
        **dict.fromkeys(("dop_v1_", "doo_v1_", "dor_v1_", "dapi", "pul-", "sqp_", "squ_"), 32),
        **dict.fromkeys(
            ("sqa_", "key-", "SK", "e2b_", "fc-", "dkea", "crsr_", "mlsn.", "ls__"), 32
        ),
        **dict.fromkeys(("sk_",), 40),
        **dict.fromkeys(("shpat_", "shpss_", "shpca_", "shppa_"), 24),
    },
    _BASE64: {**dict.fromkeys(("bedrock-api-key-", "fm2_"), 60)},
}
"""From the characters of a body to the prefixes before it, each with the smallest length of the
body."""

_NUMBERED = frozenset(
    {
        *("secret_", "xai-", "pplx-", "sl.", "slk_", "AKCp", "ATBB", "pcsk_", "xapp-"),
        *("fw_", "tvly-", "rnd_", "aio_", "pa-", "glft-", "API-", "sess-", "csk-", "jina_", "fo1_"),
        *("napi_", "y0_", "nvapi-", "dnkey-"),
    }
)
"""Prefixes that ordinary names begin with too: the body must hold a digit."""


class _Form(msgspec.Struct, frozen=True):
    mark: str
    """Text that every match of the form holds."""
    pattern: re.Pattern[str]
    """Matched at the mark, or searched for if the mark is inside."""
    leads: bool = True
    """The form begins with the mark."""
    numbered: bool = False
    """The match must hold a digit."""


_AMAZON = r"[0-9A-Z]{16}(?![0-9A-Za-z])"
_WHOLE: Mapping[str, tuple[str, bool]] = {
    **{prefix: (prefix + _AMAZON, False) for prefix in ("AKIA", "ASIA", "ABIA", "ACCA")},
    # Short words, then one long run: `sk-button-primary-large-v1` has no such run and is a file.
    "sk-": (r"sk-(?:[a-z0-9]{1,12}-){0,3}[A-Za-z0-9_]{16,}+[A-Za-z0-9_-]*+", True),
    "xox": (r"xox[abcdeoprs]-[A-Za-z0-9-]{10,}", True),
    "eyJ": (r"eyJ[A-Za-z0-9_-]{10,8000}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{6,}", False),
    "1//0": (r"1//0[A-Za-z0-9_-]{30,}", False),  # Google's refresh tokens
    "AGE-SECRET-KEY-1": (r"AGE-SECRET-KEY-1[0-9A-Z]{40,}", False),
}
"""From a prefix to the whole form, and whether it must hold a digit."""


@cache
def _forms_of(mark: str) -> tuple[_Form, ...]:
    """The forms that hold a mark, made when it is met: making all 150 took 2 million instructions of
    every command that masks a text, and compiling them 37."""
    forms = []
    for body, prefixes in _PREFIXES.items():
        if mark in prefixes:
            pattern = regex(rf"{re.escape(mark)}{body}{{{prefixes[mark]},}}")
            forms.append(_Form(mark, pattern, numbered=mark in _NUMBERED))
    if mark in _WHOLE:
        whole, numbered = _WHOLE[mark]
        forms.append(_Form(mark, regex(whole), numbered=numbered))
    if mark in _INSIDE:
        inside = _INSIDE[mark]
        pattern = regex(rf"(?<![A-Za-z0-9]){inside}")
        forms.append(_Form(mark, pattern, leads=inside.startswith(mark)))
    return tuple(forms)


_INSIDE: Mapping[str, str] = {
    "-us": r"[0-9a-f]{32}-us[0-9]{1,2}(?![0-9A-Za-z])",  # Mailchimp
    "pat": r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}",  # Airtable
    "s.": r"s\.(?=[A-Za-z]{0,23}[0-9])[A-Za-z0-9]{24}(?![A-Za-z0-9])",  # Vault, before `hvs.`
    "re_": r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}(?![A-Za-z0-9])",  # Resend
    "sk-lf-": rf"sk-lf-{_UUID}",  # Langfuse
    "waka_": rf"waka_{_UUID}",
    "sdk-": rf"sdk-{_UUID}",  # LaunchDarkly
    "ctx7sk-": rf"ctx7sk-{_UUID}",
    "Fe26.2*": r"Fe26\.2\*[A-Za-z0-9_*.-]{32,}",  # sealed cookies and tokens
    # A private key in PEM as one word, as in a Kubernetes secret: not `BEGIN CERTIFICATE`.
    "LS0tLS1CRUdJTi": r"LS0tLS1CRUdJTi(?:BQUklW|BS|BP|BF|BE)[A-Za-z0-9+/=]{20,}",
    # Hashes of passwords as crypt and its successors write them.
    "$6$": r"\$6\$[A-Za-z0-9./=$]{40,}",
    "$5$": r"\$5\$[A-Za-z0-9./=$]{40,}",
    "$y$": r"\$y\$[A-Za-z0-9./$]{40,}",
    "$1$": r"\$1\$[A-Za-z0-9./]{2,8}\$[A-Za-z0-9./]{22}",
    "$apr1$": r"\$apr1\$[A-Za-z0-9./]{2,8}\$[A-Za-z0-9./]{22}",
    "$2": r"\$2[abxy]\$[0-9]{2}\$[A-Za-z0-9./]{53}",
    "$argon2": r"\$argon2(?:id|i|d)\$[A-Za-z0-9+/=,$]{40,}",
    "pbkdf2_sha": r"pbkdf2_sha(?:1|256|512)\$[0-9]{3,9}\$[A-Za-z0-9+/=$]{40,}",
    "access-": rf"access-(?:production|development|sandbox)-{_UUID}",  # Plaid
    "access_token$": r"access_token\$(?:production|sandbox)\$[a-z0-9]{8,32}\$[0-9a-f]{32}",  # Braintree
    "eyJrIjoi": r"eyJrIjoi[A-Za-z0-9+/]{40,}={0,2}",  # Grafana, before `glsa_`
    "amzn.mws.": rf"amzn\.mws\.{_UUID}",
    "A3-": r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",  # 1Password
    "v1.0-": r"v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}",  # Cloudflare
    "{AQA": r"\{AQA[A-Za-z0-9+/]{20,}={0,2}\}",  # Jenkins
    "oy2": r"(?<![+/=_-])oy2[a-z0-9]{43}(?![A-Za-z0-9])",  # NuGet
    "AC": rf"AC{_HEX}{{32}}[\"']?[:,][ ]?[\"']?{_HEX}{{32}}(?![0-9a-zA-Z])",  # Twilio: account and token
    "EAA": r"(?<![+/=_-])EAA[A-Za-z0-9]{56,}",  # Facebook, Square
    "IG": r"(?<![+/=_-])IG(?:QV|AA)[A-Za-z0-9]{80,}",  # Instagram
    "ABSK": r"(?<![+/=_-])ABSK[A-Za-z0-9+/=]{60,}",  # Bedrock
    "K00": r"(?<![+/=_-])K00[0-9][A-Za-z0-9+/]{27}(?![A-Za-z0-9+/])",  # Backblaze
    "pat-": r"pat-(?:na|eu)[0-9]-[0-9a-f]{8}-[0-9a-f-]{27}",  # HubSpot
    ".atlasv1.": r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{40,}",  # Terraform
    ":AA": r"[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}",  # Telegram
    "Q~": r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}",  # Azure
    "1/1": r"1/[0-9]{16}:[0-9a-f]{32}",  # Asana
    ".": r"[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",  # Discord
}
"""From a text inside a form, not at its beginning, to the form."""


_BODY = regex(r"[_-](?P<body>[A-Za-z0-9]{24,}+)")
"""What a service may have drawn at random and put behind its name: `apify_api_…`, `phx_…`."""
_SERVICE = regex(r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9]{0,15}(?:[_-][A-Za-z0-9]{1,8}){0,3}\Z")
_LEAST = 32
_SAYS_KEY = regex(r"[_-](?:live|prod|sandbox|test|api|pat|sk|key|token|secret|oat|rk)\Z")
"""Words of a service behind which a shorter body, and one of hexadecimal digits, is a credential."""
_NO_SERVICE = regex(
    r"(?i)(?:sha\d{1,3}|md5|h1|integrity|digest|hash|chatcmpl|call|msg|req|resp|run|toolu|file|thread"
    r"|asst|step|item|gen|chunk|cache|diff)(?![a-z])"
)
"""Words before a digest, or before an id of a call or an answer."""


def _of_a_service(text: str) -> Iterator[CredentialSpan]:
    """Tokens of services that no list here has: a name in front, and a long random word."""
    for found in _BODY.finditer(text):
        before = text[max(0, found.start() - 44) : found.start()]
        name = _SERVICE.search(before)
        if name is None or _NO_SERVICE.match(name[0]):
            continue
        body = found["body"]
        told = _SAYS_KEY.search(name[0]) is not None
        if (told or len(body) >= _LEAST) and is_scrambled(body, hexadecimal=told):
            yield found.start() - len(name[0]), found.end()


_SIGNS = "_-./:~"
_CAPITAL = frozenset({"."})
"""Marks without a capital letter whose forms hold one."""


def _sign_in(mark: str) -> str:
    for sign in _SIGNS:
        if sign in mark:
            return sign
    return ""


def _grouped(marks: Iterable[str]) -> tuple[tuple[str, bool, tuple[str, ...]], ...]:
    groups: dict[tuple[str, bool], list[str]] = {}
    for mark in marks:
        cased = mark != mark.lower() or mark in _CAPITAL
        groups.setdefault((_sign_in(mark), cased), []).append(mark)
    return tuple((sign, cased, tuple(group)) for (sign, cased), group in groups.items())


_MARKS = _grouped(
    dict.fromkeys(chain(*_PREFIXES.values(), _WHOLE, _INSIDE))  # some are in two of them
)
"""The marks by a sign that they hold, and whether their forms hold a capital letter. Most texts lack
one or the other, so most marks are not searched for."""
_RUN = regex(r"[A-Za-z0-9_-]{16}")
"""Every form holds this. Most texts do not, so the more than a hundred prefixes are not tried."""


def by_form(text: str) -> Iterator[CredentialSpan]:
    """Credentials with a known form."""
    if _RUN.search(text) is None:
        return
    # No form holds white space, so a mark counts only in a word with such a run: a third of the time.
    words = " ".join([word for word in text.split() if len(word) >= 16 and _RUN.search(word)])
    no_capitals = words.islower()
    for sign, cased, marks in _MARKS:
        if sign not in words or (cased and no_capitals):
            continue
        for mark in marks:
            if mark in words:
                for form in _forms_of(mark):
                    yield from _found(text, form) if form.leads else _searched(text, form)
    if ("_" in words or "-" in words) and _BODY.search(words) is not None:
        yield from _of_a_service(text)


def _found(text: str, form: _Form) -> Iterator[CredentialSpan]:
    at = text.find(form.mark)
    while at >= 0:
        end = at + len(form.mark)
        if at == 0 or not _is_word(text[at - 1]):
            found = form.pattern.match(text, at)
            if found is not None:
                end = found.end()
                if not form.numbered or _has_digit(text, at + len(form.mark), end):
                    yield at, end
        at = text.find(form.mark, end)


def _searched(text: str, form: _Form) -> Iterator[CredentialSpan]:
    for found in form.pattern.finditer(text):
        yield found.span()


def _is_word(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _has_digit(text: str, start: int, end: int) -> bool:
    return any(char.isdigit() for char in text[start:end])
