"""Requests to the viewer: odd methods, hosts, paths, queries and cookies."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote_from_bytes, unquote_to_bytes, urlencode

from tests.fuzz import mutate
from tests.fuzz.cases import Case, shown_values
from tests.view.worlds import SECRET, hostile, library_of

_HOST = "127.0.0.1:7457"
_PARTS = (
    "", ".", "..", "%2e%2e", "..%2f", "api", "trial", "trials", "assets", "raw", "call", "files",
    "state", "0", "1", "-1", "99999999999999999999", "view.js", "page.css", "etc", "passwd", "\\", "%00",
    "//", "?", "#", "ID",
)  # fmt: skip
_NAMES = ("q", "in", "sort", "page", "config", "suite", "verdict", "found", "label", "tool", "at")
_VALUES = (
    "", "0", "-1", "1e9", "99999999999999999999", "' OR 1=1 --", "%", "_", '"', "files", "commands",
    "-reward", "reward", "<script>", "a" * 3_000, "\0", "\ud800", "ghp_", "٣",
)  # fmt: skip
OUTSIDE = b"outside of the runs"


@cache
def _app() -> tuple[Any, list[str]]:
    from groundtrace.view.gate import Gate
    from groundtrace.view.routes import App

    folder = Path(tempfile.mkdtemp(prefix="groundtrace-fuzz-view-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "passwd").write_bytes(OUTSIDE)
    hostile(folder / "runs" / "run")
    library = library_of(folder / "runs")
    atexit.register(library.current.index.close)
    app = App(library, Gate(7457))
    ids = [made for (made,) in library.current.index.ask("SELECT id FROM trials ORDER BY place")]
    return app, ids


def _answer(
    app: Any, method: str, path: str, query: dict[str, str], host: str, has_cookie: bool
) -> Any:
    """What a server hands over for the bytes of such a request."""
    from werkzeug.test import EnvironBuilder, run_wsgi_app
    from werkzeug.wrappers import Response

    environ = EnvironBuilder(method=method).get_environ()
    environ["PATH_INFO"] = unquote_to_bytes(path).decode("latin-1")
    environ["QUERY_STRING"] = urlencode(
        {name: value.encode("utf-8", "surrogatepass") for name, value in query.items()}
    )
    environ["HTTP_HOST"] = host
    if has_cookie:
        environ["HTTP_COOKIE"] = f"{app.gate.cookie_name}={app.gate.exchange(app.gate.token)}"
    return Response(*run_wsgi_app(app, environ))


def make_request(rng: Random) -> Case:
    if rng.random() < 0.5:
        path = rng.choice(("/", "/api/trials", "/api/state", "/trial/ID", "/api/trial/ID", "/api/trial/ID/raw/0", "/api/trial/ID/call/0", "/api/trial/ID/files"))  # fmt: skip
    else:
        path = "/" + "/".join(rng.choices(_PARTS, k=rng.randrange(1, 7)))
    if rng.random() < 0.2:
        path = "/" + quote_from_bytes(mutate.damage_bytes(path.encode(), rng, 2), safe="/%")
    query = {
        rng.choice((*_NAMES, "words", "all", "from", "with", "token")): rng.choice(_VALUES)
        for _ in range(rng.randrange(4))
    }
    values = (
        rng.choice(("GET",) * 8 + ("HEAD", "POST", "OPTIONS")),
        path,
        query,
        rng.choice(
            (_HOST,) * 8 + ("localhost:7457", "evil.example", "", "127.0.0.1:7457.evil.example")
        ),
        rng.random() < 0.85,
        rng.randrange(16),
    )
    return Case(shown_values(values), values)


def check_request(case: Case) -> None:
    """Every request has an answer, never an error of the server; only the cookie opens anything, no
    answer holds a credential or a file of another place, and all have the policy."""
    from groundtrace.view.gate import HEADERS, METHODS

    app, ids = _app()
    method, path, query, host, has_cookie, number = case.values
    answer = _answer(app, method, path.replace("ID", ids[number]), query, host, has_cookie)
    assert answer.status_code in (200, 303, 308, 403, 404, 405, 421), answer.status_code
    assert SECRET.encode() not in answer.data
    assert OUTSIDE not in answer.data
    for name, value in HEADERS.items():
        assert answer.headers[name] == value
    if answer.status_code == 200:
        assert has_cookie
        assert host in (_HOST, "localhost:7457")
        assert method in METHODS
