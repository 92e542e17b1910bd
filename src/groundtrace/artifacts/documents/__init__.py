"""The documents that groundtrace reads and writes, each defined once.

The types here give the published JSON Schemas, the validation on reading and the encoding on
writing. `KINDS` is the table of documents.
"""

from __future__ import annotations

from groundtrace.artifacts.documents.base import (
    MAJOR,
    SCHEMA_VERSION,
    SCHEMA_VERSIONS,
    Record,
)

__all__ = ["MAJOR", "SCHEMA_VERSION", "SCHEMA_VERSIONS", "Record"]
