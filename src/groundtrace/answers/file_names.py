"""What a name alone says: whether it can be a file, and whether it is a file or a folder (D5).

Two questions look alike but are different:

- *In a listing* every line is the name of a file or of a directory: `looks_like_folder`. It may use
  conventions, such as that names in capitals are files (`OWNERS_ALIASES`).
- *In running text* a word may not be a name at all: `named_like_file`. It must not use such
  conventions. In a line `TODO: mend this`, as a search prints it, `TODO` is not a file, although a
  file can have that name.
"""

from __future__ import annotations

import posixpath
import re
from typing import Any
from urllib.parse import unquote

from groundtrace.base.cut_json import CutText
from groundtrace.base.patterns import regex
from groundtrace.paths.windows import is_drive, is_rooted

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
"""Folders whose name begins with a dot. Other names with a dot are files (`.gitignore`)."""
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
"""Usual names of files without an extension, in lower case."""
_FOLDERS_TOO = frozenset(
    ["build", "workspace", "install", "manifest", "version", "history", "news", "changes", "bazel"]
)
"""Usual names of files that are directories if they are written in lower case."""
_FILE_STEMS = regex(
    r"(?:changelog|licen[cs]e|readme|notice|copying|authors|dockerfile|makefile)[-_.](?!d$)\w[\w.+-]*$"
)
"""Usual names with an addition: ChangeLog-1997, LICENSE-MIT, Dockerfile_dev."""
_FOLDER_EXTENSIONS = (
    "d|git|app|framework|egg-info|dist-info|xcodeproj|xcworkspace|xcassets|imageset|lproj|bundle|wiki"
    "|io|com|org|net"
)
_FOLDER_ENDINGS = regex(
    rf"\.(?:{_FOLDER_EXTENSIONS}|\d+)$"
    r"|--[\w.]+$|-v?\d+(?:\.\d+)+$|^cue\.mod$"
)


_ORDINARY_FILE = regex(
    rf"(?:.*/)?\w[\w.]*\.(?!(?:{_FOLDER_EXTENSIONS}|mod)$)[a-z]{{1,5}}", re.ASCII
)
"""A name with an extension: most names of files, which need no closer look."""


def looks_like_folder(name: str) -> bool:
    """Whether a bare name in a listing is more likely a directory than a file.

    A plain `ls` does not say which is which. These are files: names with an extension, the usual
    file names without one, and names in capitals (LICENSE, OWNERS). Directories are: other names
    without an extension, version numbers, hosts (k8s.io) and well-known dot folders.
    """
    if _ORDINARY_FILE.fullmatch(name):
        return False
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


_FILES_IN_TEXT = regex(
    "Makefile|Dockerfile|LICENSE|NOTICE|README|CHANGELOG|AUTHORS|CODEOWNERS|Jenkinsfile|Procfile"
    "|Gemfile|Rakefile|Vagrantfile|BUILD|WORKSPACE|OWNERS|Kconfig|gradlew|mvnw|configure"
)
"""The usual file names that are never ordinary words in a text: not `TODO`, not `VERSION`."""


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
    """Whether a word in running text looks like a file, by its extension or a name only files have.

    For places where only the word itself shows that it is a name. A file needs neither (D5).
    """
    name = posixpath.basename(path)
    return "." in name.lstrip(".") or _FILES_IN_TEXT.fullmatch(name) is not None


LONGEST_PATH = 4096
"""No path is longer; this is how many characters of a line are searched for one."""
_BAD = frozenset('*?"<>|{}\n\r\t\0')


def path_of(value: Any) -> str:
    """The path in a value: a text, or a decoded `file:` URI; empty if it is neither.

    A string that the harness cut is not a complete name.
    """
    if not isinstance(value, str) or isinstance(value, CutText) or len(value) > LONGEST_PATH:
        return ""
    path = value.strip()
    if path.startswith("file://"):
        path = unquote(path.removeprefix("file://").removeprefix("localhost"))
        path = path[1:] if is_drive(path[1:]) else path
    return path


def may_be_file(path: str) -> bool:
    """Whether a text can be the path of a file at all: not a URL, glob, folder or sentence."""
    inside = path[2:] if is_drive(path) else path[3:] if is_rooted(path) else path
    return usable(path) and ":" not in inside and not _BAD.intersection(inside)


def is_file(path: str, *, sure: bool = False) -> bool:
    """Whether a text is the path of a file.

    `sure`: the answer says that it is a file. Otherwise the name decides (D5).
    """
    name = path.replace("\\", "/")
    if not may_be_file(path) or not any(c.isalnum() for c in posixpath.basename(name)):
        return False
    return sure or not looks_like_folder(name)


_BLANKS = regex(r"[^\s/](?:[^\s]*/)?[^\s/]*(?: [^\s/]+)+")
_GROUP_FOLDER = regex(
    r"(?:^|(?<=/))(?:\([^()/]{1,60}\)){1,3}(?=[\w.-]{0,60}/)|(?<= )\([\w.-]{1,20}\)(?=\.\w{1,10}$)"
)
"""A folder in brackets, as routers of web pages have them, or one that begins with them; the mark of
a copy (`plan (1).md`)."""


def name_in_answer(text: str) -> str:
    """The name on a line of a search or a list: spelled like a file, or a path with blanks in it.

    Blanks are in the file's own name (`docs/release plan.md`): before a second path they are the
    blanks of a sentence.
    """
    name = text.strip()
    plain = _GROUP_FOLDER.sub("x", name) if "(" in name else name
    path = word_path(plain)
    if path and "(" not in path:
        return name
    if " " not in plain or not _BLANKS.fullmatch(plain) or "(" in plain:
        return ""
    has_end = "." in name.rpartition(" ")[2].strip(".")
    return name if "/" in name and has_end and is_file(name) else ""


def word_path(text: str) -> str:
    """A path that is a whole line or word.

    It may contain blanks only if its beginning shows a path.
    """
    path = path_of(text.strip().strip("`'\""))
    path = path.removeprefix("./")
    if not path or (any(c.isspace() for c in path) and not (path[0] == "/" or is_drive(path))):
        return ""
    return path if is_file(path) and not path.startswith("(") else ""
