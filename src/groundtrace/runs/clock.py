"""When documents are made: `SOURCE_DATE_EPOCH` fixes it, for reproducible bytes (D37)."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime


def now() -> str:
    """The current time, or what SOURCE_DATE_EPOCH says, as ISO 8601 in UTC."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = int(fixed) if fixed.isascii() and fixed.isdigit() else int(time.time())
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
