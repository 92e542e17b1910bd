"""Credentials are masked wherever a trace's text is stored or shown (D39)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.masking import credentials, harmless, kept_credentials, masked_harmless
from groundtrace.config import Settings
from groundtrace.events.accesses import Accesses
from groundtrace.events.text import stored_text
from groundtrace.model import FileRef, GroundTruth
from groundtrace.paths import Resolver
from groundtrace.redact import _CALL_ID, MASK, _masked_once, mask, masking
from groundtrace.redact.by_name import _ANCHOR, _LOWER_ANCHOR, kind_of

# Put together here, so that no scanner takes them for real ones.
_BODY = "0a1B2c3D4e5F6g7H8i9J0k"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"curl -H 'Authorization: Bearer {_BODY}' host", _BODY),
        (f"curl -H 'Authorization: token {_BODY}' host", _BODY),
        (f'{{"authorization": "Basic {_BODY}=="}}', _BODY),
        (f"export SRC_ACCESS_TOKEN={_BODY} && src login", _BODY),
        ("GITHUB_TOKEN='s3cret-word' gh pr list", "s3cret-word"),
        ('{"OPENAI_API_KEY": "abcd1234"}', "abcd1234"),
        ("DB_PASSWORD=hunter2x psql", "hunter2x"),
        (f"sk-ant-api03-{_BODY}", _BODY),
        (f"echo ghp_{_BODY}", _BODY),
        (f"github_pat_{_BODY}_{_BODY}", _BODY),
        (f"sgp_{_BODY}", _BODY),
        (f"git clone https://me:{_BODY}@github.com/a/b", _BODY),
        ("login --password hunter2x", "hunter2x"),
        (f"eyJhbGciOiJIUzI1NiJ9.{_BODY}.{_BODY}", _BODY),
        (f"-----BEGIN RSA PRIVATE KEY-----\n{_BODY}\n-----END RSA PRIVATE KEY-----", _BODY),
    ],
)
def test_credentials_are_masked(text: str, secret: str) -> None:
    masked = mask(text)
    assert secret not in masked
    assert MASK in masked
    assert mask(masked) == masked


@pytest.mark.parametrize(
    "text",
    [
        "grep -rn 'ACCESS_TOKEN=' src/",
        'grep -n "Authorization" server/auth.go',
        'curl -H "Authorization: Bearer $TOKEN" host',
        "max_tokens=100",
        "next_token = lexer.read_token()",
        "src/sk-learn-contrib-packages/main.py",
        "task-management-service-2024-archive",
        "https://github.com/a/b/blob/main/c.go",
        "/workspace/auth/token.go",
        "sed -n '1,20p' pkg/secret/secret_test.go",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert mask(text) == text


@given(st.text(alphabet="TOKEN=_: sk-ghp0123456789abBearer'\"@/", max_size=80))
def test_masking_is_idempotent(text: str) -> None:
    assert mask(mask(text)) == mask(text)


def test_every_credential_of_the_list_is_masked() -> None:
    """The list is drawn in the forms that services describe: by form, by name and by place."""
    assert len(credentials()) >= 120
    assert [case.text for case in kept_credentials()] == []


def test_nearly_no_harmless_text_is_masked() -> None:
    assert len(harmless()) >= 200
    assert len(masked_harmless()) <= 5


@pytest.mark.parametrize("line", [case.text for case in credentials()] + harmless())
def test_masked_text_stays_as_it_is(line: str) -> None:
    assert mask(mask(line)) == mask(line)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("DB_PASS", "password"),
        ("dbPassword", "password"),
        ("X-Api-Key", "token"),
        ("AWS_ACCESS_KEY_ID", "token"),
        ("token_type", None),
        ("MAX_TOKENS", None),
        ("max_token", None),
        ("passwordField", None),
        ("secretName", None),
        ("tokenizer", None),
        ("primary_key", None),
    ],
)
def test_the_last_word_of_a_name_says_what_it_is_of(name: str, kind: str | None) -> None:
    assert kind_of(name) == kind


def test_nothing_is_masked_where_that_was_asked_for() -> None:
    text = "DB_PASSWORD=hunter2x psql"
    with masking(False):
        assert mask(text) == text
        assert stored_text(text) == text
    assert "hunter2x" not in mask(text)
    assert "hunter2x" not in stored_text(text)


@pytest.mark.parametrize("before", range(3900, 4100, 7))
def test_no_cut_shows_half_a_credential(before: int) -> None:
    """Masking shortens a text, so what a first cut left at its end moved up and was shown."""
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{'k' * 3000}\n-----END RSA PRIVATE KEY-----\n"
    token = f"ghp_{_BODY}{_BODY}"
    for cut in (before, before + 4000):
        text = key + "x " * ((cut - len(key)) // 2) + token + " y" * 9000
        shown = stored_text(text)
        assert "ghp_0" not in shown
        assert len(shown) < 2100


def test_files_keep_their_names() -> None:
    """Four buttons became one file `[masked]`: names of files decide what a file is."""
    names = [f"src/ghp_{_BODY}{n}.tsx" for n in range(4)]
    resolver = Resolver(
        truth=GroundTruth(),
        task=None,
        refs=[FileRef(name, "read") for name in names],
        repos=(),
        cwd=None,
        settings=Settings(),
    )
    accesses = Accesses(resolver).of([FileRef(name, "read") for name in names])
    assert [access.file for access in accesses] == names


@given(st.text(st.characters(max_codepoint=127), max_size=200))
def test_names_are_found_alike_in_lower_case(text: str) -> None:
    """The quick way through ASCII text gives the anchors of the pattern that takes both cases."""
    quick = [found.span() for found in _LOWER_ANCHOR.finditer(text.lower())]
    assert quick == [found.span() for found in _ANCHOR.finditer(text)]


@given(st.from_regex(_CALL_ID, fullmatch=True))
def test_an_id_of_a_call_is_no_credential(text: str) -> None:
    """Such ids are not looked at; looked at, they would stay as they are."""
    assert _masked_once(text) == text
