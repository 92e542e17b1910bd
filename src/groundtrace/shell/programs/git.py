"""git: show, diff, log, blame, grep, ls-files, status, checkout and apply."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from groundtrace.answers.file_names import looks_like_folder
from groundtrace.base.patterns import regex
from groundtrace.model import AccessKind, OldSide, RootSign
from groundtrace.paths.windows import rooted
from groundtrace.shell.programs.call import Call, Handler, Options
from groundtrace.shell.programs.readers import blame_spans
from groundtrace.shell.programs.searchers import git_grep
from groundtrace.shell.programs.writers import apply_patch, copy
from groundtrace.shell.streams import line_algebra as algebra
from groundtrace.shell.streams.content import Content
from groundtrace.shell.streams.diffs import Diff, Differences
from groundtrace.shell.streams.file_names import join, place
from groundtrace.shell.streams.name_lists import Names
from groundtrace.shell.streams.part import Opaque, Parts
from groundtrace.shell.streams.patched import Announced
from groundtrace.shell.streams.text import Text
from groundtrace.shell.streams.word import Word
from groundtrace.shell.syntax.holes import has_hole

_GLOBAL_VALUES = {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"}
_OBJECT = regex(r"[^:\s]*:(?!/)(.+)$")


def _git(call: Call) -> Parts:
    args = list(call.args)
    cwd = call.cwd
    while args and args[0].text.startswith("-"):
        word = args.pop(0)
        if word.text in _GLOBAL_VALUES and args:
            value = args.pop(0).text
            if word.text in {"-C", "--work-tree"}:
                cwd = None if has_hole(value) else join(cwd, value)
    if not args:
        return [Opaque(rule="git")]
    verb = args.pop(0).text
    note_folder(call, cwd, verb, args)
    entry = call.shell.table.get(f"git {verb}")
    if entry is None:
        prints = verb in _PRINTING
        return [Opaque(rule=f"git {verb}", expected=prints, talks=verb in _TALKING)]
    with call.shell.inside(call.shell.env.at(cwd)):
        return entry.run(replace(call, name="git", args=args))


_NAMES = (
    ("--name-only", "plain"),
    ("--name-status", "letters"),
    ("--numstat", "numstat"),
    ("--raw", "raw"),
    ("--stat", "diffstat"),
)
"""Options that make show, diff and log print names instead of patches, and in which form."""


def _listing(call: Call, options: Options) -> Parts | None:
    """What is printed with an option that asks for names, or for less; else None."""
    patches = options.has("-p", "--patch", "-u")
    for option, form in _NAMES:
        if options.has(option) and not (option == "--stat" and patches):
            if form == "plain" and options.has("--log"):
                form = "logname"
            top = _from_top(options)
            return [
                Names(
                    cwd=call.cwd,
                    start=call.shell.start,
                    form=form,
                    only_files=True,
                    top=top,
                    rule="git",
                )
            ]
    if options.has("--shortstat", "--quiet", "-s", "--no-patch", "--summary", "--check"):
        return [Opaque(rule="git")]
    return None


def _patch(call: Call, options: Options, rule: str) -> Diff:
    return Diff(
        cwd=call.cwd,
        start=call.shell.start,
        summary=options.has("--stat"),
        top=_from_top(options),
        words=any(word.text.startswith(("--word-diff", "--color-words")) for word in call.args),
        rule=rule,
    )


def _from_top(options: Options) -> bool:
    """Whether names are relative to the top of the repository, not to the directory of git."""
    return not options.has("--relative")


def _show(call: Call) -> Parts:
    options = call.options()
    parts: Parts = []
    for word in options.operands:
        found = _OBJECT.match(word.text) if word.known else None
        if found:
            # If git misses the file, its message names it from the top, without the revision.
            name = found[1].rstrip("/")
            known = call.shell.path(name) is not None
            path = place(call.cwd, name, call.shell.start) if known else None
            # `git show HEAD:src` lists a folder below such a heading; folders end with a slash.
            heading = f"tree {word.text}"
            if heading in call.shell.lines:
                parts.append(Text(lines=(heading, "")))
                parts.append(Names(cwd=path, only_files=False, rule="git show"))
                continue
            parts.append(Content(path=path, rule="git show"))
    if parts:
        return parts
    options.flags.add("--log")
    patch = _patch(call, options, "git show")
    # The last commit's own patch: its new side is what was checked out.
    own = {word.text for word in options.operands[:1]} <= {"HEAD"}
    return _listing(call, options) or [replace(patch, side=None) if own else patch]


def _diff(call: Call) -> Parts:
    options = call.options()
    listing = _listing(call, options)
    files = not any(looks_like_folder(word.text) for word in options.operands)
    if not listing and options.has("--no-index") and len(options.operands) == 2 and files:
        left, right = (algebra.shown_files(call.opened([word])) for word in options.operands)
        return [Differences(left=left, right=right, rule="git diff")]
    return listing or [replace(_patch(call, options, "git diff"), side=_old_side(options))]


def _old_side(options: Options) -> OldSide:
    """What a diff of the working tree or the index compares with, where no other revision can be
    meant: `git diff FILE`, `git diff --cached`, `git diff HEAD`."""
    names = [word.text for word in options.operands]
    head = names[:1] == ["HEAD"]
    # A word without a dot or a slash may be a branch.
    files = all(re.search(r"[./]", name) and ".." not in name for name in names[head:])
    if not files or options.has("--no-index", "-R", "--merge-base"):
        return "revision"
    return "head" if head or options.has("--cached", "--staged") else "index"


def _log(call: Call) -> Parts:
    options = call.options()
    options.flags.add("--log")
    if options.has("-L"):
        found = re.match(r"(\d+),(\+?\d+):(.+)", options.value("-L") or "")
        path = call.shell.path(found[3]) if found else None
        return [Content(path=path, spans=None, rule="git log")]
    if options.has("-p", "--patch", "-u"):
        return [_patch(call, options, "git log")]
    return _listing(call, options) or [Opaque(rule="git log")]


def _blame(call: Call) -> Parts:
    options = call.options()
    files = [word for word in options.operands if word.known]
    if not files:
        return [Opaque(rule="git blame")]
    path = call.shell.path(files[-1].text)
    spans = blame_spans(options.value("-L") or "")
    given = options.value("-L") is not None
    numbers = "blame" if given and spans is None else ""
    content = Content(
        path=path, rule="git blame", spans=spans if given else ((1, None),), numbers=numbers
    )
    return [] if path is None else [content]


def _ls_files(call: Call) -> Parts:
    options = call.options()
    top = options.has("--full-name")
    bare = [replace(word, text=word.text.removeprefix("./")) for word in options.operands]
    given = [word for word in bare if word.text not in ("", ".")]
    # Git's own patterns match across slashes, so they do not limit which names are printed.
    plain = not top and not any(_PATTERN.search(word.text) for word in given)
    return [
        Names(
            cwd=call.cwd,
            start=call.shell.start,
            roots=tuple(given) if plain and len(given) == len(options.operands) else (),
            form="staged" if options.has("-s", "--stage") else "plain",
            only_files=True,
            top=top,
            rule="git ls-files",
        )
    ]


_PATTERN = regex(r"^:|[*?\[]")


def _ls_tree(call: Call) -> Parts:
    options = call.options()
    form = "plain" if options.has("--name-only", "--name-status") else "treehash"
    return [
        Names(
            cwd=call.cwd,
            only_files=options.has("-r") or form == "treehash",
            form=form,
            top=options.has("--full-name", "--full-tree"),
            rule="git ls-tree",
        )
    ]


def _status(call: Call) -> Parts:
    """Names are relative to the directory, except with `--porcelain`: then to the top."""
    top = any(word.text.startswith("--porcelain") for word in call.args)
    return [_status_rows(call, top)]


def _status_rows(call: Call, top: bool = False) -> Names:
    return Names(
        cwd=call.cwd,
        start=call.shell.start,
        form="status",
        anchor=False,
        top=top,
        rule="git status",
    )


def _announced(call: Call, form: str, kind: AccessKind = "written", top: bool = True) -> Parts:
    """What git says about the files that it changed."""
    return [
        Announced(
            cwd=call.cwd, start=call.shell.start, form=form, kind=kind, top=top, rule=f"git {form}"
        )
    ]


_COMMITTED = regex(
    r"\[[^\]\n]{1,200} [0-9a-f]{7,40}\] | \d+ files? changed| (?:create|delete) mode | rename |On branch |Your branch "
    r"|nothing to commit|nothing added to commit|Untracked files:|Changes not staged|  \(use \"git|no changes added"
)
_STASHED = regex(r"Saved working directory |No local changes to save|stash@\{\d+\}: |Dropped ")
"""What git prints when it commits and when it puts changes away: no line of a file shown beside it."""


def _commit(_call: Call) -> Parts:
    """A commit changes no file (D203): what it names was written before."""
    return [Opaque(rule="git commit", expected=False, form=_COMMITTED)]


def _clean(call: Call) -> Parts:
    options = call.options()
    if options.has("-n", "--dry-run"):
        return _announced(call, "would clean", "surfaced", top=False)
    return _announced(call, "clean", top=False)


_PUT_BACK = regex(r"Updated (?P<count>\d+) paths? from ")
_SWITCHED = regex(
    r"Switched to |Already on |HEAD is now at |Note: (?:switching|checking) |Previous HEAD "
)


_CHECKED_OUT = regex(
    _SWITCHED.pattern
    + r"|$|You are in 'detached|changes and commit them|state without impacting|If you want to create"
    r"|do so \(now or later\)|  git (?:switch|checkout) |Or undo this operation|Turn off this advice|Your branch "
    r"|  \(use \"git|[MDA]\t|Updated \d|branch '"
)


def _checkout(call: Call) -> Parts:
    texts = [word.text for word in call.args]
    said = next((found for found in map(_PUT_BACK.match, call.shell.lines) if found), None)
    if said is not None and said["count"] == "0":
        return [Opaque(rule="git checkout", expected=False)]
    if "--" in texts:
        at = texts.index("--")
        return call.writes(call.args[at + 1 :], restored=set(texts[:at]) <= _OWN_REVISION)
    operands = call.options().operands
    if any(map(_SWITCHED.match, call.shell.lines)):
        operands = []
    # Without `--` only a word that cannot be a branch is a file, unless git counts the files.
    files = [word for word in operands if _file_like(word.text)]
    if said is not None and int(said["count"]) in (len(operands), len(operands) - 1):
        files = operands[len(operands) - int(said["count"]) :]
    before = {word.text for word in operands if word not in files}
    return [
        *call.writes(files, before <= _OWN_REVISION),
        Opaque(rule="git checkout", expected=False, form=_CHECKED_OUT),
    ]


def _file_like(name: str) -> bool:
    return "." in name.rsplit("/", 1)[-1] and not _branch_like(name) and name not in (".", "..")


_OWN_REVISION = frozenset(["HEAD", "-f", "--force", "-q", "--quiet"])
"""What may stand in front of files that are put back as the last commit or the index has them."""


def _branch_like(name: str) -> bool:
    return re.search(r"(?:^|/)v?\d+(?:\.\d+)*(?:\.x)?$|^HEAD|^origin/|~\d+$", name) is not None


def _restore(call: Call) -> Parts:
    options = call.options()
    if options.has("--staged", "-S") and not options.has("--worktree", "-W"):
        return []
    source = options.value("--source") or options.value("-s")
    return call.writes(options.operands, restored=source in (None, "HEAD"))


def _remove(call: Call) -> Parts:
    options = call.options()
    if options.has("--cached"):
        return _announced(call, "git rm", "surfaced")
    return [*call.writes(options.operands), *_announced(call, "git rm")]


def _move(call: Call) -> Parts:
    return copy(replace(call, name="mv"))


def _apply(call: Call) -> Parts:
    options = call.options()
    if options.has("--stat", "--numstat"):
        return _listing(call, options) or []
    if options.has("--check", "--summary"):
        return [Opaque(rule="git apply", expected=False)]
    files = [word for word in options.operands if word.text != "-"]
    fed = replace(call, stdin=call.opened(files)) if files else call
    return apply_patch(fed, call.cwd, whole=not options.has("--reject"))


def _cat_file(call: Call) -> Parts:
    options = call.options()
    return _show(replace(call, args=options.operands[-1:]))


def _stash(call: Call) -> Parts:
    first = call.args[0].text if call.args else ""
    if first == "show" and any(word.text in {"-p", "--patch"} for word in call.args):
        return [Diff(cwd=call.cwd, start=call.shell.start, rule="git stash")]
    if first in {"pop", "apply"}:
        return [_status_rows(call)]
    return [Opaque(rule="git stash", expected=False, form=_STASHED)]


_TALKING = {"pull", "clone", "merge", "rebase", "cherry-pick", "revert", "reset", "switch"}
_PRINTING = {
    *("branch", "tag", "describe", "rev-parse", "rev-list", "remote", "config", "shortlog"),
    *("reflog", "show-ref"),
}
HANDLERS: dict[str, Handler] = {
    "git": _git, "git show": _show, "git diff": _diff, "git log": _log, "git blame": _blame, "git grep": git_grep,
    "git ls-files": _ls_files, "git ls-tree": _ls_tree, "git status": _status, "git checkout": _checkout,
    "git restore": _restore, "git rm": _remove, "git mv": _move, "git apply": _apply, "git cat-file": _cat_file,
    "git stash": _stash, "git commit": _commit, "git clean": _clean,
}  # fmt: skip


_WITH_VALUES = frozenset(
    {"-b", "--branch", "-o", "--origin", "-c", "--config", "-j", "--jobs", "-u", "--upload-pack"}
    | {"--depth", "--reference", "--template", "--filter", "--shallow-since", "-B"}
)
"""Options of `git clone` and `git worktree add` that take the next word."""


def note_folder(call: Call, cwd: str | None, verb: str, args: Sequence[Word]) -> None:
    """Add where a repository is, and which one, to the signs of the shell: what `git verb args`, run in
    `cwd`, shows of it (D181)."""
    if cwd is None:
        return
    signs = call.shell.signs
    if verb == "clone":
        operands = _operands(args)
        if operands and all(word.known for word in operands[:2]):
            url = operands[0].text
            folder = operands[1].text if len(operands) > 1 else _own_name(url)
            signs[RootSign("clone", join(cwd, folder), url)] = None
    elif verb == "worktree":
        operands = _operands(args)
        if len(operands) > 1 and operands[0].text == "add" and operands[1].known:
            signs[RootSign("worktree", join(cwd, operands[1].text))] = None
    elif verb == "init":
        operands = _operands(args)
        if all(word.known for word in operands):
            signs[RootSign("top", join(cwd, operands[0].text if operands else "."))] = None
    elif verb == "rev-parse" and any(word.text == "--show-toplevel" for word in args):
        for line in call.shell.lines:
            top = rooted(line.strip())
            if top[:1] == "/" and f"{cwd}/".startswith(f"{top}/"):
                signs[RootSign("top", top)] = None
    else:
        signs[RootSign("git", cwd)] = None


def _operands(args: Sequence[Word]) -> list[Word]:
    found: list[Word] = []
    skips = False
    for word in args:
        if skips:
            skips = False
        elif word.text.startswith("-"):
            skips = word.text in _WITH_VALUES
        else:
            found.append(word)
    return found


def _own_name(url: str) -> str:
    """The folder that `git clone` makes where none is given."""
    return url.rstrip("/").rpartition("/")[2].rpartition(":")[2].removesuffix(".git") or "."
