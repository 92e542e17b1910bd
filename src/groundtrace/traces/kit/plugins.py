"""Readers of other packages: an error in one is reported with its name.

Before, an error in an installed reader looked like an error of groundtrace, and nothing said which
package to look at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from inspect import isgenerator
from typing import Any

from groundtrace.errors import GroundtraceError, PluginError


class PluginReader:
    """A reader of another package, with its own members and methods."""

    def __init__(self, reader: object, called: str) -> None:
        self._reader = reader
        self._called = called
        """Its name in messages: its entry point and its package."""

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._reader, name)
        return self._guarded(member) if callable(member) else member

    def _guarded(self, method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def guarded(*arguments: Any) -> Any:
            try:
                made = method(*arguments)
            except (OSError, GroundtraceError):
                raise  # a file that cannot be opened is not the reader's fault
            except Exception as error:
                raise self._error(error) from error
            return self._each(made) if isgenerator(made) else made

        return guarded

    def _each(self, items: Iterator[Any]) -> Iterator[Any]:
        try:
            yield from items
        except (OSError, GroundtraceError):
            raise
        except Exception as error:
            raise self._error(error) from error

    def _error(self, error: Exception) -> PluginError:
        return PluginError(f"{self._called} failed: {type(error).__name__}: {error}")
