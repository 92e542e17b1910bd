"""One generated session, written as every harness writes its own.

session      the calls and their answers
writer       what a writer is
line_logs, more_line_logs, documents, more_documents, research, inspect_log   a writer for each trace reader
"""

from __future__ import annotations

from benchmarks.sessions import (
    documents,
    inspect_log,
    line_logs,
    more_documents,
    more_line_logs,
    research,
)
from benchmarks.sessions.session import Session, made
from benchmarks.sessions.writer import Writer

__all__ = ["WRITERS", "Session", "Writer", "made"]

WRITERS: dict[str, Writer] = {
    **line_logs.WRITERS,
    **more_line_logs.WRITERS,
    **documents.WRITERS,
    **more_documents.WRITERS,
    **research.WRITERS,
    **inspect_log.WRITERS,
}
"""The writer of each reader's format, by the reader's name."""
