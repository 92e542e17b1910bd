"""Programs that write files. A removal is a write: it changes the file for good.

For a copy the target is written. A move also removes its source, as `rm` does (D203).
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from groundtrace.answers.changed import patch_sections
from groundtrace.answers.diffs import changes
from groundtrace.answers.file_names import looks_like_folder
from groundtrace.shell.programs.call import Call, Handler
from groundtrace.shell.streams import line_algebra as algebra
from groundtrace.shell.streams.content import Content
from groundtrace.shell.streams.file_names import is_file_name, join
from groundtrace.shell.streams.part import Part, Parts
from groundtrace.shell.streams.patched import Applied, Patched
from groundtrace.shell.streams.text import text_of
from groundtrace.shell.streams.word import Word


def patch_targets(text: str) -> list[str]:
    """Files that a patch changes, in order; removed files have their old name."""
    return [change.name for change in changes(text.split("\n")) if is_file_name(change.name)]


def apply_patch(call: Call, cwd: str | None, checks: bool = False, whole: bool = False) -> Parts:
    """A patch whose text is known names its files; the output says which of them it changed.

    `whole`: git applies all of a patch or nothing.
    """
    text = "".join(_text(call, part) for part in call.stdin or [])
    targets = [name for name in patch_targets(text) if name not in call.shell.missing]
    if whole and len(targets) < len(patch_targets(text)):
        targets = []
    return [
        Patched(
            cwd=cwd,
            targets=tuple(targets),
            checks=checks,
            rejects=not whole and call.name == "git",
            rule=call.name,
        )
    ]


def _text(call: Call, part: Part) -> str:
    """The text of a part: what the command spells out, or the text of a file that the agent wrote."""
    if isinstance(part, Content):
        return call.shell.written.get(part.path or "", "")
    return text_of([part])


def _patch(call: Call) -> Parts:
    options = call.options()
    cwd = call.cwd
    folder = options.value("-d", "--directory")
    if folder is not None:
        cwd = join(cwd, folder)
    source = options.values.get("-i") or options.values.get("--input")
    if source:
        call = replace(call, stdin=call.opened(source))
    checks = options.has("--dry-run", "--check")
    if options.operands and not checks:
        return call.writes(options.operands[:1])
    return apply_patch(call, cwd, checks)


def _begin_patch(call: Call) -> Parts:
    """`apply_patch` of Codex: headings of the patch name the files."""
    text = "".join(_text(call, part) for part in call.stdin or [])
    for word in call.args:
        if "*** Begin Patch" in word.text:
            text = word.text
    names = dict.fromkeys([section.name for section in patch_sections(text)])
    paths = [path for path in map(call.shell.path, names) if path is not None]
    return [Applied(paths=tuple(paths), rule=call.name)]


def copy(call: Call) -> Parts:
    """`cp`, `mv`, `ln` and `install`: what they write, and what a move removes."""
    options = call.options()
    operands = options.operands
    present = [word for word in operands if word.text not in call.shell.missing]
    folder = options.value("-t", "--target-directory")
    if call.name == "install" and options.has("-d", "--directory"):
        return []
    if folder is None:
        if len(operands) < 2:
            return []
        target = operands[-1]
        operands = operands[:-1]
        if not any(word in present for word in operands):
            return []
        into = (
            len(operands) > 1
            or target.text.endswith(("/", "/.", "/.."))
            or target.text in {".", ".."}
            or _same_kind_of_folder(operands[0].text, target.text)
        )
        if not into:
            moved = call.name == "mv" or options.has("-r", "-R", "-a")
            whole = moved and call.name in {"cp", "mv"} and looks_like_folder(operands[0].text)
            if whole and looks_like_folder(target.text):
                return []
            return call.writes([target, *_moved_away(call, operands)])
        folder = target.text
    kept = [word for word in operands if word.known and word in present]
    names = [word.text.rstrip("/").rsplit("/", 1)[-1] for word in kept]
    targets = [
        Word(f"{folder.rstrip('/')}/{name}") for name in names if not looks_like_folder(name)
    ]
    return call.writes([*targets, *_moved_away(call, kept)])


def _moved_away(call: Call, sources: Sequence[Word]) -> list[Word]:
    """The files that a move removes from their old place."""
    if call.name != "mv":
        return []
    return [word for word in sources if not looks_like_folder(word.text)]


def _same_kind_of_folder(source: str, target: str) -> bool:
    """`cp a.txt dir`: a target without an extension is a directory if the source has one."""
    plain = "." not in source.rsplit("/", 1)[-1]  # `cp Makefile Makefile2` copies to a file
    return not plain and looks_like_folder(target) and not looks_like_folder(source)


def _dd(call: Call) -> Parts:
    given = dict(word.text.split("=", 1) for word in call.args if "=" in word.text)
    if "of" in given:
        return call.writes([Word(given["of"])])
    source = call.opened([Word(given["if"])]) if "if" in given else call.stdin or []
    return algebra.derive(source, call.name)


HANDLERS: dict[str, Handler] = {
    "copy": copy,
    "dd": _dd,
    "patch": _patch,
    "apply_patch": _begin_patch,
}
