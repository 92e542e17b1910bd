"""The view of each call of a trace: what it is, and which files it touched.

Calls without an answer (D47): some formats make observations optional, and a trace may end before an
answer. The arguments of such a call say which files it opened or wrote. What a search, a command or
an unknown tool found is not known, and nothing is made up for it.
"""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Mapping, Set
from typing import Any

from msgspec.structs import replace

from groundtrace.answers.file_names import named_like_file
from groundtrace.answers.line import text_size
from groundtrace.answers.payload import payload_of
from groundtrace.answers.words import plain
from groundtrace.base.jsonio import clean_text
from groundtrace.base.patterns import regex
from groundtrace.base.values import as_texts, distinct, first_text
from groundtrace.config import Settings
from groundtrace.model import (
    AccessKind,
    CallView,
    Category,
    FileRef,
    OutputOf,
    Problem,
    ToolCall,
    ToolResult,
    Trace,
)
from groundtrace.paths.windows import rooted, spelled_beside
from groundtrace.tools.findings import Findings
from groundtrace.tools.generic import generic_findings
from groundtrace.tools.generic.arguments import asked_of, joined
from groundtrace.tools.line_shift import sed_changes, with_changes
from groundtrace.tools.readers import CallReader, call_readers
from groundtrace.tools.session import (
    AgentFiles,
    SessionShell,
    StoredOutputs,
    created_text,
    replayed,
)
from groundtrace.tools.table import Table, ToolEntry, table_for
from groundtrace.traces.kit.frames import printed

_SHELLS = ("shell", "python")
_LOOKERS = (*_SHELLS, "read", "grep", "editor")
"""Readers of the tools that an agent uses to look at a stored output."""


def view_calls(trace: Trace, settings: Settings) -> list[CallView]:
    """One view per call of the trace, in its order."""
    table = table_for(settings)
    wanted = frozenset((table.server_name(name) or "").lower() for name in settings.mcp_servers)

    def command_of(call: ToolCall) -> str:
        entry = table.choose(call.name, call.server, call.arguments)
        return _command(call, entry) if entry is not None and entry.reads == "shell" else ""

    shells = SessionShell(trace.calls, command_of, trace.cwd)
    stored, own_files = StoredOutputs(), AgentFiles(shells.of)
    views = []
    for call in trace.calls:
        entry = table.choose(call.name, call.server, call.arguments)
        cwd = call.cwd or trace.cwd
        if cwd is not None and (cwd[:1] != "/" or cwd[2:3] == ":"):
            cwd = _folder(cwd)
        try:
            findings = _findings(call, entry, cwd, settings, table, stored, own_files)
            if call.result is not None and call.result.persisted_path is not None:
                stored.remember(call)
        except Exception as error:  # noqa: BLE001 - a mistake costs this call, not the trial
            findings = _fault(call, error)
        views.append(_view(call, entry, findings, table, wanted))
    return views


def _folder(cwd: str | None) -> str | None:
    r"""A working directory as paths are joined to it: `C:\\Users\\u` is `/c:/Users/u`."""
    return None if cwd is None else rooted(cwd).rstrip("/") or "/"


def _fault(call: ToolCall, error: Exception) -> Findings:
    """Nothing is known of a call whose arguments or result found a mistake in groundtrace."""
    reason = f"a bug in groundtrace: {type(error).__name__}: {error}; the call's files are unknown"
    problem = Problem(call.name or ".", "internal_error", clean_text(reason), lost_calls=1)
    return Findings(problems=(problem,))


def _view(
    call: ToolCall, entry: ToolEntry | None, findings: Findings, table: Table, wanted: Set[str]
) -> CallView:
    """Put together the view of one call.

    `wanted` are the servers whose calls count as MCP (D3).
    """
    parts = table.take_apart(call.name, call.server)
    server = parts.server or (entry.server if entry is not None else None)
    is_remote = parts.mcp or server is not None
    counts = is_remote and ("*" in wanted or (server is not None and server.lower() in wanted))
    category = findings.category or (entry.category if entry is not None else "other")
    return CallView(
        category=category,
        tool=entry.name if entry is not None else None,
        looks=call.output_of is not None or _looks(entry, category),
        is_mcp=counts,
        refs=_with_details(findings.refs, call, entry),
        symbols=findings.symbols,
        failed=findings.failed and not findings.refs,  # an error may still show files (D4)
        repos=findings.repos,
        signs=findings.signs,
        problems=findings.problems,
    )


_REVISIONS = ("revision", "rev", "ref", "commit", "sha", "tag")
"""Arguments that name a revision of the repository."""
_STATE_REVISIONS = frozenset([*_REVISIONS, "repo"])
"""Arguments that may do so; few calls have one of them."""


def _revision(arguments: Mapping[str, Any]) -> str:
    """The revision that a call names, also as in `repo@revision`."""
    named = first_text(arguments, _REVISIONS)
    repos = () if named else as_texts(arguments.get("repo"))
    return named or next((name.partition("@")[2] for name in repos if "@" in name), "")


def _with_details(
    refs: tuple[FileRef, ...], call: ToolCall, entry: ToolEntry | None
) -> tuple[FileRef, ...]:
    """Add the revision that the call names, and how many characters of a file were shown.

    If the characters of the only file in an answer were not counted, all of the answer shows it. If
    several files, or a file and other output of a command, share an answer, the trace does not say
    how many characters belong to each.
    """
    if not _STATE_REVISIONS.isdisjoint(call.arguments):
        stated = _revision(call.arguments)
        if stated:
            refs = tuple(ref if ref.repo is None else replace(ref, revision=stated) for ref in refs)
    is_shell = call.output_of is not None or (entry is not None and entry.reads in _SHELLS)
    if is_shell or len(refs) != 1 or call.result is None:
        return refs
    only = refs[0]
    if only.kind in ("read", "matched") and only.shown_chars is None:
        text = payload_of(call.result).text
        if text:
            return (replace(only, shown_chars=text_size(text)),)
    return refs


def _looks(entry: ToolEntry | None, category: Category) -> bool:
    """Whether only the answer says what the call found: a search, a command, an unknown tool."""
    if entry is None or entry.reads in _SHELLS:
        return True
    return category not in ("file_read", "file_write", "other")


def _findings(
    call: ToolCall,
    entry: ToolEntry | None,
    cwd: str | None,
    settings: Settings,
    table: Table,
    stored: StoredOutputs,
    own_files: AgentFiles,
) -> Findings:
    """What a call touched.

    A look at a stored output counts as a look at the files in that output.
    """
    if call.output_of is not None:
        return _of_earlier(call, call.output_of, cwd, settings, table, own_files)
    if entry is not None and entry.reads is None:
        return Findings(failed=call.result is not None and call.result.is_error)
    own = _own(call, entry, cwd, settings, own_files)
    if entry is None or entry.reads not in _LOOKERS:
        return own
    kept = stored.others(own.refs)
    if not stored:
        return own if kept is own.refs else replace(own, refs=kept)
    shell = entry.reads in _SHELLS
    place = _command(call, entry) if shell else first_text(call.arguments, entry.path_arguments)
    origin = stored.origin(place)
    first = table.choose(origin.name, origin.server, origin.arguments) if origin else None
    if origin is None or (first is not None and first.reads is None):
        return own if kept is own.refs else replace(own, refs=kept)
    if shell and settings.shell == "ignore":
        return own
    held = _own(replayed(origin, call), first, _folder(origin.cwd) or cwd, settings, AgentFiles())
    name = origin.name if first is None else first.short
    refs = (*kept, *(replace(r, rule=f"stored output of {name}: {r.rule}") for r in held.refs))
    return replace(own, refs=refs, repos=distinct((*own.repos, *held.repos)))


def _of_earlier(
    call: ToolCall,
    earlier: OutputOf,
    cwd: str | None,
    settings: Settings,
    table: Table,
    own_files: AgentFiles,
) -> Findings:
    """What the output of an earlier call shows; what that call wrote counts where it was made."""
    shown = replace(call, name=earlier.name, arguments=earlier.arguments, output_of=None)
    entry = table.choose(earlier.name, call.server, earlier.arguments)
    found = _own(shown, entry, _folder(earlier.cwd) or cwd, settings, own_files)
    refs = tuple(
        replace(ref, rule=f"output of {earlier.name}: {ref.rule}")
        for ref in found.refs
        if ref.kind != "written"
    )
    return replace(found, refs=refs)


def _own(
    call: ToolCall,
    entry: ToolEntry | None,
    cwd: str | None,
    settings: Settings,
    own_files: AgentFiles,
) -> Findings:
    if entry is None:
        return _elsewhere(call, cwd, settings, own_files) or generic_findings(call, cwd)
    if entry.reads in _SHELLS:
        return _shell(call, entry, cwd, settings, own_files)
    reader = call_readers()[entry.reads or ""]
    if call.result is None:
        found = unanswered(call, entry, cwd, reader)
    else:
        found = reader(call, entry, cwd)
    if entry.category == "file_write" or found.category == "file_write":
        text = created_text(call, entry)
        own_files.update(found.refs, {} if text is None else {r.path: text for r in found.refs})
    return found


def _command(call: ToolCall, entry: ToolEntry) -> str:
    """The command of a shell call as one text. Codex gives a list, a notebook gives Python."""
    for name in entry.path_arguments:
        value = call.arguments.get(name)
        if isinstance(value, (list, tuple)):
            from groundtrace.shell.powershell.language import stated_language

            words = as_texts(value)
            if len(words) > 2 and stated_language(words[0]) in ("powershell", "cmd"):
                return " ".join(words)  # quotation marks are part of the script
            if len(words) == 3 and words[1].startswith("-") and words[1].endswith("c"):
                return words[2]
            return shlex.join(words)
        if isinstance(value, str) and value:
            return _cell(value) if entry.reads == "python" else value
    return ""


def _cell(text: str) -> str:
    """The command of a notebook's cell."""
    first = text.lstrip()
    if first.startswith("%%bash"):
        return first.partition("\n")[2]
    if first.startswith("!"):
        return "\n".join(line.lstrip().removeprefix("!") for line in text.split("\n"))
    return f"python3 - <<'END_OF_CELL'\n{text}\nEND_OF_CELL"


_PLACES_IN_ORDER = ("workingDirectory", "workdir", "cwd", "directory", "dir_path", "working_dir")
_PLACES = frozenset(_PLACES_IN_ORDER)
"""Arguments that name the directory of a command."""


def _elsewhere(
    call: ToolCall, cwd: str | None, settings: Settings, own_files: AgentFiles
) -> Findings | None:
    """A command that was given to an unknown tool, such as a shell of a server (D46).

    Not every `command` is one: git's, Redis's and an editor's commands have the names of programs
    too (`diff HEAD~1`, `sort mylist`), and so has prose (`cat the readme`). A tool that explains or
    approves a command does not run it; only its name says so.
    """
    entry = table_for(settings).entries["Bash"]
    command = _command(call, entry)
    if not command or call.result is None or asked_of(call.arguments).files:
        return None
    if _RUNS_NOTHING.search(call.name):
        return None
    from groundtrace.shell.programs.table import TABLE

    first = _FIRST_WORD.match(command)
    if first is None or not (first["name"] in TABLE or _STATEMENT.match(command)):
        return None
    told = {plain(key) for key, value in call.arguments.items() if _says_more(value, command)}
    if not told <= _TOLD or _only_states(call.result):
        return None
    found = _shell(call, replace(entry, server=""), cwd, settings, own_files)
    alone = set(command.split())
    for ref in found.refs:
        name = posixpath.basename(ref.path)
        if ref.kind in ("read", "written") and name in alone and not named_like_file(name):
            return None
    return replace(found, refs=tuple(replace(ref, evidence="generic") for ref in found.refs))


_FIRST_WORD = regex(r"\s*+(?:\w+=\S*+\s++)*+(?:[^\s/]*+/)*+(?P<name>[^\s/;|&]++)")
_STATEMENT = regex(
    r"\s*+(?:for \w++ in [^\n;]*+[\n;]\s*+do|while [^\n;]*+[\n;]\s*+do|if [^\n;]*+[\n;]\s*+then)\b"
)
"""Not those of JavaScript, Python and Lua."""
_RUNS_NOTHING = regex(
    r"(?:^|[_.\-]|(?<=[a-z])(?=[A-Z]))"
    r"(?i:allow|analy[sz]e|approve|ask|check|classify|confirm|describe|explain|lint|parse|review|"
    r"suggest|validate|verify)(?![a-z])"
)
_TOLD = {plain(name) for name in _PLACES} | {
    *("command", "cmd", "script", "commandline", "description", "explanation", "reason", "title"),
    *("shell", "sessionid", "terminalid", "env", "environment"),
}
"""Arguments of a shell that are texts or objects. Others name another machine (`container`, `host`)
or what else is done with the command (`event` of a hook)."""
_STATES = frozenset({"status", "success", "ok", "error", "message", "pid", "exitcode", "code"})


def _says_more(value: Any, command: str) -> bool:
    return bool(value) and value != command and isinstance(value, (str, list, tuple, Mapping))


def _only_states(result: ToolResult) -> bool:
    """Whether the answer is an object that says how the call went, and not what was printed."""
    keys = payload_of(result).mapping.keys()
    return bool(keys) and {plain(key) for key in keys} <= _STATES


def _output_of(result: ToolResult | None) -> ToolResult | None:
    """The output of a command that a server ran: text, or an object that holds streams."""
    payload = payload_of(result)
    names = ("stdout", "output", "stderr")
    texts = [text for name in names if isinstance(text := payload.mapping.get(name), str)]
    if result is None or (payload.value is not None and not texts):
        return result
    return replace(
        result, text="\n".join(filter(None, texts)) if texts else payload.text, data=None
    )


def _shell(
    call: ToolCall, entry: ToolEntry, cwd: str | None, settings: Settings, own_files: AgentFiles
) -> Findings:
    """A shell command (D6); `tools.shell` finds its files."""
    import groundtrace.shell  # not `from`: that takes longer, and runs for each call

    arguments = call.arguments
    place = "" if _PLACES.isdisjoint(arguments) else first_text(arguments, _PLACES_IN_ORDER)
    if place:
        place = spelled_beside(place, cwd or "")
        place = f"{cwd}/{place}" if cwd and not place.startswith("/") else place
    command = _command(call, entry)
    shell = own_files.shell_of(call) if entry.reads == "shell" else None
    result = call.result if entry.server is None else _output_of(call.result)
    view = groundtrace.shell.shell_refs(
        command, printed(result, command), place or cwd, settings, own_files.texts, shell
    )
    written = [ref for ref in view.refs if ref.kind == "written"]
    own_files.update(written, view.texts)
    refs = () if settings.shell == "ignore" else view.refs
    if refs and any(ref.rule == "sed" for ref in written):
        refs = _with_sed(refs, command)
    return Findings(
        refs=refs, failed=view.failed, repos=view.repos, signs=view.signs, problems=view.problems
    )


def _with_sed(refs: tuple[FileRef, ...], command: str) -> tuple[FileRef, ...]:
    """Add to each written file what `sed -i` changed in it."""
    changes = sed_changes(command)

    def changed(ref: FileRef) -> FileRef:
        for file, of_file in changes.items():
            if f"/{ref.path}".endswith(f"/{posixpath.normpath(file).lstrip('/')}"):
                return with_changes(ref, of_file)
        return ref

    return tuple(
        changed(ref) if ref.kind == "written" and ref.rule == "sed" else ref for ref in refs
    )


_BY_ARGUMENTS = frozenset(
    {"read", "write", "patch", "editor", "sg_read_file", "gh_contents", "gh_write"}
)
"""Readers that take the file from the arguments if an answer shows that the call worked."""
_WORKED = ToolResult(text="(no answer)")
"""A placeholder for the answer of a call that worked; it shows no lines."""


def unanswered(call: ToolCall, entry: ToolEntry, cwd: str | None, reader: CallReader) -> Findings:
    """What a call without an answer touched, as far as its arguments say."""
    asked = asked_of(call.arguments)
    if entry.reads in _BY_ARGUMENTS:
        found = reader(replace(call, result=_WORKED), entry, cwd)
        refs = tuple(_marked(ref) for ref in found.refs)
        return replace(found, refs=refs, failed=not refs)
    if entry.category in ("file_read", "file_write") and entry.reads is not None:
        kind: AccessKind = "read" if entry.category == "file_read" else "written"
        refs = tuple(
            FileRef(
                joined(file.path, "", cwd, asked.repo),
                kind,
                repo=asked.repo,
                rule=f"{entry.short}: file named in the arguments, no result in the trace",
            )
            for file in asked.files
        )
        return Findings(refs, failed=not refs, repos=asked.repos)
    if entry.reads == "grep":
        # Only the arguments say whether it searched text or listed files (D2).
        found = reader(call, entry, cwd)
        return Findings(failed=True, repos=asked.repos, category=found.category)
    return Findings(failed=True, repos=asked.repos)


def _marked(ref: FileRef) -> FileRef:
    """The file without what the placeholder would show of it."""
    rule = f"{ref.rule}; no result in the trace"
    return replace(ref, rule=rule, line_start=None, line_end=None, shown_chars=None, printed=None)
