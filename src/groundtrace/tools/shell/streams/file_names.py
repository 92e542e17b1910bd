"""Names in output: joining them to a directory, and telling files from directories (D5)."""

from __future__ import annotations

import posixpath
import re

from groundtrace.tools.shell.syntax.holes import HOLES

_NOT_FILES = re.compile(r"(?:/dev(?:/|$)|/proc/|&\d|-$|[a-z][a-z0-9+.-]*://)")


_DOT_FOLDERS = frozenset(
    [
        ".git",
        ".github",
        ".gitlab",
        ".vscode",
        ".circleci",
        ".idea",
        ".cache",
        ".config",
        ".husky",
        ".changeset",
        ".storybook",
        ".cargo",
        ".devcontainer",
        ".yarn",
        ".mvn",
        ".hg",
        ".svn",
        ".venv",
        ".tox",
        ".nox",
        ".pytest_cache",
        ".mypy_cache",
        ".ruff_cache",
        ".teamcity",
        ".azure-pipelines",
        ".buildkite",
        ".claude",
        ".cursor",
        ".next",
        ".nuxt",
        ".npm",
        ".local",
        ".ssh",
        ".aws",
        ".docker",
        ".kube",
        ".vs",
        ".azure",
        ".semaphore",
        ".ci",
        ".chloggen",
        ".codesandbox",
        ".verifiers",
        ".openhands",
        ".prow",
        ".travis",
        ".meteor",
        ".settings",
        ".gradle",
        ".binder",
        ".spin",
        ".reuse",
        ".run",
        ".jenkins",
        ".ghjk",
        ".builders",
        ".cirrus",
        ".data",
        ".build",
    ]
)


_FILE_NAMES = frozenset(
    [
        "makefile",
        "dockerfile",
        "license",
        "licence",
        "readme",
        "notice",
        "authors",
        "contributors",
        "changelog",
        "changes",
        "copying",
        "owners",
        "build",
        "workspace",
        "gemfile",
        "rakefile",
        "procfile",
        "jenkinsfile",
        "vagrantfile",
        "gruntfile",
        "gulpfile",
        "todo",
        "version",
        "kconfig",
        "kbuild",
        "codeowners",
        "maintainers",
        "news",
        "install",
        "history",
        "thanks",
        "credits",
        "podfile",
        "brewfile",
        "caddyfile",
        "justfile",
        "tiltfile",
        "containerfile",
        "cname",
        "configure",
        "gradlew",
        "mvnw",
        "pipfile",
        "guardfile",
        "appfile",
        "fastfile",
        "cartfile",
        "dangerfile",
        "berksfile",
        "capfile",
        "thorfile",
        "earthfile",
        "snakefile",
        "sconstruct",
        "sconscript",
        "py.typed",
        "gnumakefile",
        "manifest",
        "bazel",
        "security_contacts",
    ]
)


_FOLDERS_TOO = frozenset(
    ["build", "workspace", "install", "manifest", "version", "history", "news", "changes", "bazel"]
)
"""Customary names of files that are directories when they stand in small letters."""


_FILE_STEMS = re.compile(
    r"(?:changelog|licen[cs]e|readme|notice|copying|authors|dockerfile|makefile)[-_.](?!d$)\w[\w.+-]*$"
)
"""Customary names go on: ChangeLog-1997, LICENSE-MIT, Dockerfile_dev."""


_FOLDER_ENDINGS = re.compile(
    r"\.(?:d|git|app|framework|egg-info|dist-info|xcodeproj|xcworkspace|xcassets|imageset|lproj|bundle|wiki|io|com|org|net|\d+)$"
    r"|--[\w.]+$|-v?\d+(?:\.\d+)+$|^cue\.mod$"
)


def join(cwd: str | None, name: str) -> str:
    """`name` as a program in `cwd` means it; relative where the directory is not known."""
    if name.startswith(("/", "~")):
        return posixpath.normpath(name) if name.startswith("/") else name
    return posixpath.normpath(f"{cwd}/{name}" if cwd else name)


def is_file_name(name: str) -> bool:
    """Whether a word can stand for one file: no device, descriptor, URL, pattern or folder."""
    return (
        bool(name)
        and len(name) < 4096
        and not name.endswith(("/", "/.", "/.."))
        and name not in {".", ".."}
        and not _NOT_FILES.match(name)
        and HOLES.search(name) is None
        and "\0" not in name
        and "\n" not in name
    )


def looks_like_folder(name: str) -> bool:
    """Whether a bare name in a listing is more likely a directory than a file.

    A plain `ls` does not say which is which. Names with an extension are files, and so are the
    customary names without one and names in capitals (LICENSE, OWNERS); other names without an
    extension are directories, as are version numbers, hosts (k8s.io) and well-known dot folders.
    """
    base = name.rstrip("/").rsplit("/", 1)[-1]
    low = base.lower()
    if low in _FILE_NAMES or _FILE_STEMS.match(low):
        return base in _FOLDERS_TOO
    if base.startswith("."):
        return low in _DOT_FOLDERS or low.endswith((".d", ".git"))
    if _FOLDER_ENDINGS.search(low):
        return True
    if "." in base[1:-1]:
        return False
    return not (len(base) > 2 and base.upper() == base and any(c.isalpha() for c in base))
