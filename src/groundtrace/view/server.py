"""The viewer's server: it runs only on this machine's own address, until it is stopped."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable
from typing import Any

from groundtrace.errors import MissingExtraError, UsageError
from groundtrace.view.gate import TOKEN, Gate
from groundtrace.view.library import Library, Results

HOST = "127.0.0.1"
PORT = 7457
"""Always the same port, so that links keep working; another one only if the user asks for it."""
THREADS = 8


class Viewer:
    """A running viewer; leaving the block ends it."""

    def __init__(self, results: Results, port: int = PORT) -> None:
        """`port` 0 means any free port. Raises UsageError if the port is in use."""
        waitress = _waitress()
        from groundtrace.view.routes import App

        self.library = Library(results)
        self._app: Callable[..., Any] | None = None
        self._thread: threading.Thread | None = None
        try:
            self._server = waitress.create_server(
                self._respond,
                host=HOST,
                port=port,
                threads=THREADS,
                ident=None,
                max_request_header_size=65_536,
                max_request_body_size=65_536,
                clear_untrusted_proxy_headers=True,
            )
        except OSError as error:
            raise UsageError(
                f"port {port} is already in use ({error.strerror}); choose another with --port"
            ) from error
        self.port = int(self._server.effective_port)
        self.gate = Gate(self.port)
        self._app = App(self.library, self.gate)

    def _respond(self, environ: dict[str, Any], start_response: Any) -> Any:
        assert self._app is not None
        return self._app(environ, start_response)

    @property
    def url(self) -> str:
        """The address of the list, for browsers that have the cookie."""
        return f"http://{HOST}:{self.port}/"

    def url_with(self, token: str) -> str:
        """The address that exchanges a token for the cookie."""
        return f"{self.url}?{TOKEN}={token}"

    def run(self) -> None:
        """Serve until the process is stopped."""
        self.library.start()
        self._server.run()

    def __enter__(self) -> Viewer:
        """Serve in the background, for tests and notebooks."""
        self._thread = threading.Thread(target=self.run, name="groundtrace-server", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop serving: first the connections, in the thread that serves them."""
        if self._thread is not None and self._thread.is_alive():
            wasyncore: Any = importlib.import_module("waitress.wasyncore")
            sockets = self._server._map
            self._server.trigger.pull_trigger(lambda: wasyncore.close_all(sockets, ignore_all=True))
            self._thread.join()
        else:
            self._server.close()
        self._server.task_dispatcher.shutdown()
        self.library.end()


def _waitress() -> Any:
    try:
        importlib.import_module("werkzeug")
        return importlib.import_module("waitress")
    except ImportError as error:
        raise MissingExtraError("The viewer", "view") from error
