"""Names of repositories: mirrors, URLs and plain names reduced to what can be compared."""

from __future__ import annotations

import re

_SCHEME = re.compile(r"^(?:[a-z][a-z0-9+.-]*://(?:[^/@]*@)?|[\w.-]+@(?=[\w.-]+:))", re.IGNORECASE)


def short_repo(name: str) -> str:
    """The short name of a repository, however it is written (D14).

    `github.com/sg-evals/kafka--0753c489` and `https://github.com/apache/kafka.git` are `kafka`.
    The revision of a mirror begins at the first `--`. Case is kept; idempotent.
    """
    last = _parts(name)[-1]
    cut = last.find("--")
    return last[:cut] if cut > 0 else last


def _parts(name: str) -> list[str]:
    """Host, owner and name of a repository, as many as the name has; never empty."""
    text = name.strip().removeprefix("^").removesuffix("$").replace("\\", "")
    bare = _SCHEME.sub("", text)
    if bare != text:
        bare = bare.replace(":", "/", 1) if "/" not in bare.partition(":")[0] else bare
    bare = bare.split("?", 1)[0].split("#", 1)[0]
    parts = [part for part in bare.split("/") if part not in ("", ".", "..")]
    if len(parts) > 3 and parts[0].lower() == "github.com":
        parts = parts[:3]  # https://github.com/owner/name/tree/main
    if not parts:
        return [""]
    parts[-1] = _plain(parts[-1])
    return parts


def _plain(name: str) -> str:
    """A last component without `@revision` and `.git`."""
    revision = name.find("@")
    if revision > 0:
        name = name[:revision]
    return name[:-4] if name.lower().endswith(".git") and len(name) > 4 else name
