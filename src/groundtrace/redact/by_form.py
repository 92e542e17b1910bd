"""Credentials recognised by their form alone: a service's prefix and a body of a known kind.

The prefixes are those that the services describe in public. Each is searched for as plain text, and
only what follows it is matched. Every body is one greedy run of characters, so the time grows only
linearly with the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from groundtrace.base.patterns import regex

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
        **dict.fromkeys(("hf_", "r8_", "gsk_", "pplx-", "xai-", "lin_api_", "figd_", "ntn_"), 24),
        **dict.fromkeys(("ATATT3", "ATCTT3", "ATBB", "nfp_", "CFPAT-"), 24),
        **dict.fromkeys(("rubygems_", "bkua_", "sntryu_", "slk_", "tfp_", "pnu_", "pnb_"), 24),
        **dict.fromkeys(("npm_", "AQVN", "AKID", "sbp_"), 30),
        **dict.fromkeys(("secret_", "AKCp", "cmVmdGtu", "EZAK", "EZTK"), 40),
        **dict.fromkeys(("rzp_live_", "rzp_test_", "FLWSECK-", "FLWSECK_TEST-"), 12),
        **dict.fromkeys(("LTAI", "whsec_", "EAACEdEose0cBA", "sm_aat_", "sm_pat_", "sm_sat_"), 16),
        **dict.fromkeys(("dckr_oat_", "rnd_", "aio_", "fw_", "vcp_", "zpka_", "lin_oauth_"), 24),
        **dict.fromkeys(("csk-", "phx_", "sess-", "p8e-", "jina_", "API-"), 32),
    },
    _DASHED: {
        **dict.fromkeys(("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "gloas-", "sq0atp-"), 16),
        **dict.fromkeys(("glagent-", "glsoat-", "glft-", "glimt-", "glffct-", "glrtr-"), 16),
        **dict.fromkeys(("tskey-auth-", "tskey-api-", "tskey-client-", "tvly-", "xwfp-"), 16),
        **dict.fromkeys(("xkeysib-", "xsmtpsib-", "lsv2_pt_", "lsv2_sk_", "vercel_blob_rw_"), 24),
        **dict.fromkeys(("nvapi-", "tgp_v1_", "fo1_", "dnkey-", "napi_", "y0_", "pa-"), 40),
        **dict.fromkeys(("pscale_oauth_", "bce-v3/ALTAK-"), 24),
        **dict.fromkeys(("github_pat_", "sgp_", "GOCSPX-", "NRAK-", "NRII-", "sb_secret_"), 20),
        **dict.fromkeys(("shippo_live_", "duffel_live_", "xapp-", "sq0csp-"), 20),
        **dict.fromkeys(("pypi-Ag", "PMAK-", "CCIPAT_", "glsa_", "pscale_tkn_", "pscale_pw_"), 24),
        **dict.fromkeys(("HRKU-", "hrku-", "fio-u-", "rdme_", "pcsk_"), 24),
        **dict.fromkeys(("AIza",), 30),
        **dict.fromkeys(("ops_eyJ",), 40),
    },
    _DOTTED: {
        **dict.fromkeys(("ya29.", "hvs.", "hvb.", "hvr.", "dp.pt.", "dp.st.", "dt0c01."), 20),
        **dict.fromkeys(("dp.ct.", "dp.sa.", "dp.scim.", "dp.audit.", "dt0s01.", "sha256~"), 20),
        **dict.fromkeys(("sk.eyJ", "glc_eyJ", "sntrys_", "fm2_"), 24),
        **dict.fromkeys(("SG.",), 32),
        **dict.fromkeys(("sl.",), 60),
    },
    _HEX: {
        **dict.fromkeys(("dop_v1_", "doo_v1_", "dor_v1_", "dapi", "pul-", "sqp_", "squ_"), 32),
        **dict.fromkeys(("sqa_", "key-", "SK", "e2b_", "fc-", "dkea"), 32),
        **dict.fromkeys(("sk_",), 40),
        **dict.fromkeys(("shpat_", "shpss_", "shpca_", "shppa_"), 24),
    },
    _BASE64: {
        **dict.fromkeys(("bedrock-api-key-",), 60),
    },
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


class _Form(NamedTuple):
    mark: str
    """Text that every match of the form holds."""
    pattern: re.Pattern[str]
    """Matched at the mark, or searched for if the mark is inside."""
    leads: bool = True
    """The form begins with the mark."""
    numbered: bool = False
    """The match must hold a digit."""


def _forms() -> Iterator[_Form]:
    """Every form. Patterns are compiled when their mark is met: compiling all 126 took 37 million
    instructions of every command that masks a text."""
    for body, prefixes in _PREFIXES.items():
        for prefix, least in prefixes.items():
            pattern = regex(rf"{re.escape(prefix)}{body}{{{least},}}")
            yield _Form(prefix, pattern, numbered=prefix in _NUMBERED)
    amazon = r"[0-9A-Z]{16}(?![0-9A-Za-z])"
    for prefix in ("AKIA", "ASIA", "ABIA", "ACCA"):
        yield _Form(prefix, regex(prefix + amazon))
    # Short words, then one long run: `sk-button-primary-large-v1` has no such run and is a file.
    model = r"sk-(?:[a-z0-9]{1,12}-){0,3}[A-Za-z0-9_]{16,}+[A-Za-z0-9_-]*+"
    yield _Form("sk-", regex(model), numbered=True)
    yield _Form("xox", regex(r"xox[abcdeoprs]-[A-Za-z0-9-]{10,}"), numbered=True)
    web = r"eyJ[A-Za-z0-9_-]{10,8000}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{6,}"
    yield _Form("eyJ", regex(web))
    yield _Form("1//0", regex(r"1//0[A-Za-z0-9_-]{30,}"))  # Google's refresh tokens
    yield _Form("AGE-SECRET-KEY-1", regex(r"AGE-SECRET-KEY-1[0-9A-Z]{40,}"))
    for mark, inside in _INSIDE.items():
        leads = inside.startswith(mark)
        yield _Form(mark, regex(rf"(?<![A-Za-z0-9]){inside}"), leads=leads)


_INSIDE: Mapping[str, str] = {
    "-us": r"[0-9a-f]{32}-us[0-9]{1,2}(?![0-9A-Za-z])",  # Mailchimp
    "pat": r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}",  # Airtable
    "s.": r"s\.(?=[A-Za-z]{0,23}[0-9])[A-Za-z0-9]{24}(?![A-Za-z0-9])",  # Vault, before `hvs.`
    "re_": r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}(?![A-Za-z0-9])",  # Resend
    "sk-lf-": rf"sk-lf-{_UUID}",  # Langfuse
    "waka_": rf"waka_{_UUID}",
    "sdk-": rf"sdk-{_UUID}",  # LaunchDarkly
    "access-": rf"access-(?:production|development|sandbox)-{_UUID}",  # Plaid
    "amzn.mws.": rf"amzn\.mws\.{_UUID}",
    "A3-": r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",  # 1Password
    "v1.0-": r"v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}",  # Cloudflare
    "oy2": r"(?<![+/=_-])oy2[a-z0-9]{43}(?![A-Za-z0-9])",  # NuGet
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


def _by_mark(forms: Iterable[_Form]) -> dict[str, list[_Form]]:
    by_mark: dict[str, list[_Form]] = {}
    for form in forms:
        by_mark.setdefault(form.mark, []).append(form)
    return by_mark


_SIGNS = "_-./:~"
_CAPITAL = frozenset({"."})
"""Marks without a capital letter whose forms hold one."""


def _sign_in(mark: str) -> str:
    return next((sign for sign in _SIGNS if sign in mark), "")


def _grouped(marks: Iterable[str]) -> tuple[tuple[str, bool, tuple[str, ...]], ...]:
    groups: dict[tuple[str, bool], list[str]] = {}
    for mark in marks:
        cased = mark != mark.lower() or mark in _CAPITAL
        groups.setdefault((_sign_in(mark), cased), []).append(mark)
    return tuple((sign, cased, tuple(group)) for (sign, cased), group in groups.items())


_FORMS = _by_mark(_forms())
_MARKS = _grouped(_FORMS)
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
                for form in _FORMS[mark]:
                    yield from _found(text, form) if form.leads else _searched(text, form)


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
