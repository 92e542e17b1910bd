"""The viewer as a WSGI application: its addresses and their answers."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Any
from urllib.parse import quote

import msgspec
from werkzeug.exceptions import HTTPException
from werkzeug.routing import Map, Rule
from werkzeug.wrappers import Request, Response

from groundtrace.base.jsonio import clean_text
from groundtrace.redact import masking
from groundtrace.report.parts import asset
from groundtrace.view.gate import HEADERS, TOKEN, Gate, GateRequest, Refusal
from groundtrace.view.library import Library
from groundtrace.view.responses import Answers

JAVASCRIPT, CSS = "text/javascript; charset=utf-8", "text/css; charset=utf-8"

_OWN = "groundtrace.view"
ASSETS: Mapping[str, tuple[str, Callable[[], str]]] = {
    "parts.js": (JAVASCRIPT, lambda: asset("parts.js")),
    "page.css": (CSS, lambda: asset("page.css")),
    "view.js": (JAVASCRIPT, lambda: own_asset("view.js")),
    "view.css": (CSS, lambda: own_asset("view.css")),
}
"""Files that the viewer serves. A request can choose one of these names and no other file."""

_ID = "<string(length=20):trial>"
ROUTES = Map(
    [
        Rule("/", endpoint="shell"),
        Rule(f"/trial/{_ID}", endpoint="shell"),
        Rule("/assets/<name>", endpoint="asset"),
        Rule("/api/state", endpoint="state"),
        Rule("/api/trials", endpoint="trials"),
        Rule(f"/api/trial/{_ID}", endpoint="trial"),
        Rule(f"/api/trial/{_ID}/files", endpoint="files"),
        Rule(f"/api/trial/{_ID}/raw/<int(max=9999):file>", endpoint="raw"),
        Rule(f"/api/trial/{_ID}/call/<int(max=999999999):step>", endpoint="call"),
    ],
    strict_slashes=True,
    merge_slashes=False,
)


def own_asset(name: str) -> str:
    """A file of the viewer."""
    text = resources.files(_OWN).joinpath("templates", name).read_text(encoding="utf-8")
    return text.replace("\r\n", "\n")


@cache
def _served(name: str) -> bytes:
    return ASSETS[name][1]().encode()


class App:
    """The application: `gate` decides who gets an answer, `answers` makes it."""

    def __init__(self, library: Library, gate: Gate) -> None:
        self.gate = gate
        self.mask = library.results.settings.mask
        self.answers = Answers(library)
        self._shell = own_asset("view.html").encode()

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        request = Request(environ)
        try:
            with masking(self.mask):
                response = self.respond(request)
        except HTTPException as error:
            response = _page(error.code or 500, error.name)
        except Exception:  # noqa: BLE001 - one odd document must not end the viewer, nor be shown
            response = _page(500, "The viewer could not answer this request.")
        response.headers.update(HEADERS)
        return response(environ, start_response)

    def respond(self, request: Request) -> Response:
        """The answer to a request that the gate has accepted."""
        asked = self._asked(request)
        refusal = self.gate.refusal(asked)
        if refusal is not None:
            return _refused(refusal, request)
        if asked.token is not None:
            return self._exchanged(asked.token, request)
        refusal = self.gate.without_cookie(asked)
        if refusal is not None:
            return _refused(refusal, request)
        endpoint, values = ROUTES.bind_to_environ(request.environ).match()
        if endpoint == "shell":
            return Response(self._shell, content_type="text/html; charset=utf-8")
        if endpoint == "asset":
            return _asset(values["name"])
        found = getattr(self.answers, endpoint)(given=_parameters(request), **values)
        return _json(found) if found is not None else _page(404, "There is no such trial.")

    def _asked(self, request: Request) -> GateRequest:
        headers = request.headers
        return GateRequest(
            method=request.method,
            host=request.environ.get("HTTP_HOST", ""),
            origin=headers.get("Origin"),
            site=headers.get("Sec-Fetch-Site"),
            mode=headers.get("Sec-Fetch-Mode"),
            cookie=request.cookies.get(self.gate.cookie_name),
            token=request.args.get(TOKEN),
        )

    def _exchanged(self, token: str, request: Request) -> Response:
        """A cookie in exchange for the token, and the same address without the token."""
        cookie = self.gate.exchange(token)
        if cookie is None:
            return _page(403, "This token is wrong, or was already used.")
        response = Response(status=303)
        response.headers["Location"] = _address(request, without=TOKEN)
        response.set_cookie(self.gate.cookie_name, cookie, httponly=True, samesite="Strict")
        return response


def _parameters(request: Request) -> dict[str, str]:
    return dict(request.args.items())


def _address(request: Request, without: str = "") -> str:
    """Path and query of a request, always on this host: `//elsewhere` would be another host."""
    path = quote("/" + request.path.lstrip("/\\"))
    query = "&".join(
        f"{quote(name, safe='')}={quote(clean_text(value), safe='')}"
        for name, value in request.args.items(multi=True)
        if name != without
    )
    return f"{path}?{query}" if query else path


def _asset(name: str) -> Response:
    if name not in ASSETS:
        return _page(404, "Not Found")
    return Response(_served(name), content_type=ASSETS[name][0])


def _json(value: Any) -> Response:
    return Response(msgspec.json.encode(value), content_type="application/json")


def _refused(refusal: Refusal, request: Request) -> Response:
    response = _page(
        refusal.status, refusal.reason, again=_address(request) if refusal.invites else None
    )
    if refusal.status == 405:
        response.headers["Allow"] = "GET, HEAD"
    return response


def _page(status: int, reason: str, again: str | None = None) -> Response:
    """A small page with a message. If a link on another site led here, the browser did not send the
    cookie; the same link on this page sends it."""
    link = ""
    if again is not None:
        link = (
            "<p>If the viewer is already open in this browser, <a "
            f'href="{html.escape(again)}">go on</a>.</p>'
        )
    text = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>groundtrace view</title>'
        f"<p>{html.escape(reason)}</p>{link}</html>"
    )
    return Response(text, status=status, content_type="text/html; charset=utf-8")
