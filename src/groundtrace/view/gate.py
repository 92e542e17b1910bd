"""Who may send requests: only this machine's browser, with the token that the viewer printed.

A page of another site can make a browser send requests to 127.0.0.1, even under the site's own host
name. So the viewer checks the host name (Host), the page that sends the request (Origin and
Sec-Fetch-Site), and a cookie that only the viewer's own pages send. The browser gets the cookie in
exchange for the token when the user opens the printed address.
"""

from __future__ import annotations

import hmac
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

TOKEN = "token"
"""Parameter of the address that the viewer prints."""

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Headers of every answer: only the viewer's own code runs, no text of a trace becomes markup, and
no other site is contacted."""

METHODS = ("GET", "HEAD")
"""Allowed methods: they read and change nothing."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The answer to a request that is not allowed."""

    status: int
    reason: str
    invites: bool = False
    """Whether the request would succeed from a link on a page of the viewer."""


@dataclass(frozen=True, slots=True)
class GateRequest:
    """The parts of a request that the gate checks."""

    method: str
    host: str
    origin: str | None
    site: str | None
    """Sec-Fetch-Site, which browsers add by themselves."""
    mode: str | None
    """Sec-Fetch-Mode."""
    cookie: str | None
    token: str | None


@dataclass(slots=True)
class Gate:
    """The rules for one viewer at one port."""

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    """Token in the printed address; valid as long as the viewer runs."""
    _cookie: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    _once: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def cookie_name(self) -> str:
        """A name with the port in it: all ports of a host share their cookies."""
        return f"groundtrace-view-{self.port}"

    def token_for_once(self) -> str:
        """A token that is valid for one exchange: other users of the machine can see the command
        that opens the browser."""
        token = secrets.token_urlsafe(32)
        with self._lock:
            self._once.add(token)
        return token

    def refusal(self, asked: GateRequest) -> Refusal | None:
        """Why a request is refused, whatever it asks for; None if its token or cookie may be
        checked next."""
        if asked.method not in METHODS:
            return Refusal(405, "The viewer only shows data; it changes nothing.")
        hosts = {f"{name}:{self.port}" for name in ("127.0.0.1", "localhost")}
        if asked.host not in hosts:
            return Refusal(421, "This is not the address of the viewer.")
        if asked.origin is not None and asked.origin != f"http://{asked.host}":
            return Refusal(403, "Another site may not use the viewer.")
        if asked.site not in (None, "same-origin", "none") and asked.mode != "navigate":
            return Refusal(403, "Another site may not use the viewer.")
        return None

    def without_cookie(self, asked: GateRequest) -> Refusal | None:
        """Why a request without the cookie is refused; None if it has the cookie."""
        if asked.cookie is not None and _equal(asked.cookie, self._cookie):
            return None
        return Refusal(403, "Open the address that groundtrace view has printed.", invites=True)

    def exchange(self, token: str) -> str | None:
        """The value of the cookie for a token; None for a wrong token."""
        with self._lock:
            once = next((known for known in self._once if _equal(token, known)), None)
            if once is not None:
                self._once.remove(once)
        return self._cookie if once is not None or _equal(token, self.token) else None


def _equal(given: str, known: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), known.encode())
