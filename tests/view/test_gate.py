"""Who may send requests to the viewer: the rules, one by one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from groundtrace.view.gate import HEADERS, Gate, GateRequest

GATE = Gate(7457)
GOOD = GateRequest("GET", "127.0.0.1:7457", None, "same-origin", "cors", None, None)


@pytest.mark.parametrize("host", ["127.0.0.1:7457", "localhost:7457"])
def test_the_viewers_own_names_are_let_in(host: str) -> None:
    assert GATE.refusal(replace(GOOD, host=host)) is None
    assert GATE.refusal(replace(GOOD, host=host, origin=f"http://{host}")) is None


@pytest.mark.parametrize(
    "host",
    [
        "",
        "127.0.0.1",
        "127.0.0.1:80",
        "evil.example:7457",
        "127.0.0.1.evil.example:7457",
        "LOCALHOST:7457",
        "[::1]:7457",
        "0.0.0.0:7457",
        "127.0.0.1:7457, evil.example",
    ],
)
def test_a_name_that_is_made_to_lead_here_is_refused(host: str) -> None:
    """DNS rebinding: the browser believes that it talks to the other site."""
    refusal = GATE.refusal(replace(GOOD, host=host))
    assert refusal is not None
    assert refusal.status == 421


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:7457", "http://127.0.0.1:8000", ""]
)
def test_another_origin_is_refused(origin: str) -> None:
    refusal = GATE.refusal(replace(GOOD, origin=origin))
    assert refusal is not None
    assert refusal.status == 403


def test_another_site_may_link_here_but_not_fetch() -> None:
    """A link that somebody follows is met by the cookie's own rule; a script's request is not."""
    assert GATE.refusal(replace(GOOD, site="cross-site")) is not None
    assert GATE.refusal(replace(GOOD, site="same-site")) is not None
    assert GATE.refusal(replace(GOOD, site="cross-site", mode="no-cors")) is not None
    assert GATE.refusal(replace(GOOD, site="cross-site", mode="navigate")) is None
    assert GATE.refusal(replace(GOOD, site="none", mode="navigate")) is None


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "get"])
def test_nothing_can_be_changed(method: str) -> None:
    refusal = GATE.refusal(replace(GOOD, method=method))
    assert refusal is not None
    assert refusal.status == 405


def test_only_the_exchanged_cookie_opens_the_gate() -> None:
    """The token in the address is no cookie, and the cookie is no token."""
    cookie = GATE.exchange(GATE.token)
    assert cookie is not None
    assert cookie != GATE.token
    assert GATE.without_cookie(replace(GOOD, cookie=cookie)) is None
    for wrong in (None, "", GATE.token, cookie[:-1], cookie + "x", "\ud800"):
        assert GATE.without_cookie(replace(GOOD, cookie=wrong)) is not None
    for wrong_token in ("", cookie, GATE.token[:-1], "\ud800"):
        assert GATE.exchange(wrong_token) is None


def test_the_token_of_the_opened_browser_is_good_once() -> None:
    """Other users of the machine see the command that opens the browser, with the address."""
    gate = Gate(7457)
    once = gate.token_for_once()
    assert gate.exchange(once) is not None
    assert gate.exchange(once) is None
    assert gate.exchange(gate.token) is not None
    assert gate.exchange(gate.token) is not None


def test_every_viewer_has_secrets_of_its_own() -> None:
    """And a cookie name of its own: one host's cookies go to all of its ports."""
    first, second = Gate(1), Gate(2)
    assert first.token != second.token
    assert first.exchange(first.token) != second.exchange(second.token)
    assert first.cookie_name != second.cookie_name


def test_the_policy_allows_no_inline_code_and_no_other_place() -> None:
    policy = HEADERS["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "http" not in policy
    assert policy.startswith("default-src 'none'")
    for rule in ("frame-ancestors 'none'", "form-action 'none'", "base-uri 'none'"):
        assert rule in policy
