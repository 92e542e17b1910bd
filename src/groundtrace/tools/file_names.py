"""What a name alone says: whether it can be a file's, and whether it is a file's or a folder's (D5).

Two questions look alike and are not:

- *In a listing* every line is a name, and it is a file or a directory: `looks_like_folder`. It may
  go by customs, such as that names in capitals are files (`OWNERS_ALIASES`).
- *In running text* a word may be no name at all: `named_like_file`. It must not go by such customs.
  In a line `TODO: mend this`, as a search prints it, `TODO` is no file, though a file may be called
  so.
"""

from __future__ import annotations

import posixpath
import re

_DOT_FOLDERS = frozenset(
    [
        ".git", ".github", ".gitlab", ".vscode", ".circleci", ".idea", ".cache", ".config",
        ".husky", ".changeset", ".storybook", ".cargo", ".devcontainer", ".yarn", ".mvn", ".hg",
        ".svn", ".venv", ".tox", ".nox", ".pytest_cache", ".mypy_cache", ".ruff_cache",
        ".teamcity", ".azure-pipelines", ".buildkite", ".claude", ".cursor", ".next", ".nuxt",
        ".npm", ".local", ".ssh", ".aws", ".docker", ".kube", ".vs", ".azure", ".semaphore",
        ".ci", ".chloggen", ".codesandbox", ".verifiers", ".openhands", ".prow", ".travis",
        ".meteor", ".settings", ".gradle", ".binder", ".spin", ".reuse", ".run", ".jenkins",
        ".ghjk", ".builders", ".cirrus", ".data", ".build",
    ]
)  # fmt: skip
"""Folders whose name begins with a dot; other such names are files (`.gitignore`)."""
_FILE_NAMES = frozenset(
    [
        "makefile", "dockerfile", "license", "licence", "readme", "notice", "authors",
        "contributors", "changelog", "changes", "copying", "owners", "build", "workspace",
        "gemfile", "rakefile", "procfile", "jenkinsfile", "vagrantfile", "gruntfile",
        "gulpfile", "todo", "version", "kconfig", "kbuild", "codeowners", "maintainers", "news",
        "install", "history", "thanks", "credits", "podfile", "brewfile", "caddyfile",
        "justfile", "tiltfile", "containerfile", "cname", "configure", "gradlew", "mvnw",
        "pipfile", "guardfile", "appfile", "fastfile", "cartfile", "dangerfile", "berksfile",
        "capfile", "thorfile", "earthfile", "snakefile", "sconstruct", "sconscript", "py.typed",
        "gnumakefile", "manifest", "bazel", "security_contacts",
    ]
)  # fmt: skip
"""Customary names of files without an extension, in lower case."""
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


def looks_like_folder(name: str) -> bool:
    """Whether a bare name in a listing is more likely a directory than a file.

    A plain `ls` does not say which is which. Names with an extension are files, and so are the
    customary names without one and names in capitals (LICENSE, OWNERS); other names without an
    extension are directories, as are version numbers, hosts (k8s.io) and well-known dot folders.
    """
    base = name.rstrip("/").rsplit("/", 1)[-1]
    if name.endswith("/") or base in {".", ".."}:
        return True
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


_FILES_IN_TEXT = re.compile(
    "Makefile|Dockerfile|LICENSE|NOTICE|README|CHANGELOG|AUTHORS|CODEOWNERS|Jenkinsfile|Procfile"
    "|Gemfile|Rakefile|Vagrantfile|BUILD|WORKSPACE|OWNERS|Kconfig|gradlew|mvnw|configure"
)
"""Those of the customary names that no text uses as a word: neither `TODO` nor `VERSION`."""


def usable(path: str) -> bool:
    """Whether this can name a file: not empty, not a URL, not a directory, one line."""
    return (
        bool(path)
        and len(path) < 4096
        and "\n" not in path
        and "\0" not in path
        and "://" not in path
        and not path.endswith("/")
        and path not in (".", "..")
    )


def named_like_file(path: str) -> bool:
    """Whether a word in running text ends like a file: an extension, or a name that only files have.

    For places where nothing else tells that it is a name; a file needs neither (D5).
    """
    name = posixpath.basename(path)
    return "." in name.lstrip(".") or _FILES_IN_TEXT.fullmatch(name) is not None
