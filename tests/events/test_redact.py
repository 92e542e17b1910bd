"""Credentials are masked wherever a trace's text is stored or shown (D39)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.redact import MASK, mask

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
