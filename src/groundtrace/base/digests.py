"""The digests of `hashlib`, without OpenSSL.

`hashlib` loads OpenSSL first, whatever it is asked for: 11 million instructions of every command,
which digests a few short texts. Python's own code gives the same digests; `random` of the standard
library takes it in the same way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["blake2b", "sha256"]

if TYPE_CHECKING:
    from hashlib import blake2b, sha256
else:
    try:
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b
    try:
        from _sha2 import sha256
    except ImportError:
        try:
            from _sha256 import sha256  # until Python 3.11
        except ImportError:
            from hashlib import sha256
