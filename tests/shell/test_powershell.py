"""PowerShell and cmd: the lists of commands, and which shell a command is written for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.config import Settings
from groundtrace.model import ToolCall, ToolResult, Trace
from groundtrace.shell import ShellView
from groundtrace.shell.powershell.language import ShellLanguage, language_of, unwrapped
from groundtrace.shell.powershell.parse import parse
from groundtrace.shell.powershell.parse_values import NotPowerShellError
from groundtrace.tools import view_calls
from tests.shell.scratch_repository import (
    FIXTURES,
    TWO_REPOSITORIES,
    Case,
    one_repository_lists,
    read_cases,
)
from tests.shell.views import shell_refs

LISTS = ("powershell", "cmd")
CASES = [(name, case) for name in LISTS for case in read_cases(f"../windows/{name}.commands")]
ROOT = "C:\\w\\shop"


def short(path: str) -> str:
    """A path below the directory, whichever way the drive is spelled."""
    path = path.replace("\\", "/")
    path = path[1].upper() + path[2:] if path[:1] == "/" and path[2:3] == ":" else path
    return path.removeprefix("C:/w/shop/")


def view(command: str, output: str, shell: str | None = "powershell") -> ShellView:
    return shell_refs(command, ToolResult(text=output), ROOT, Settings(), None, shell)


def found(command: str, output: str, shell: str | None = "powershell") -> list[tuple[object, ...]]:
    refs = view(command, output, shell).refs
    return [(ref.kind, short(ref.path), ref.line_start, ref.line_end) for ref in refs]


@pytest.mark.parametrize(("shell", "case"), CASES, ids=[case.name for _, case in CASES])
def test_a_command_touches_the_files_and_lines_the_list_says(shell: str, case: Case) -> None:
    seen = view(case.command, case.output or "", shell)
    assert {(str(ref.kind), short(ref.path)) for ref in seen.refs} == case.files
    shown = [ref for ref in seen.refs if ref.kind in ("read", "matched")]
    assert {(short(ref.path), (ref.line_start, ref.line_end)) for ref in shown} == case.spans
    assert seen.failed == case.failed
    assert not seen.problems


def test_the_lists_hold_enough() -> None:
    assert len(CASES) >= 194


# --- which shell it is ----------------------------------------------------------------------------

BASH = [
    line
    for line in (FIXTURES / "../windows/bash.commands").read_text().splitlines()
    if line and not line.startswith("# ")
]


@pytest.mark.parametrize("command", BASH)
def test_commands_of_bash_are_not_taken_for_others(command: str) -> None:
    assert language_of(command).language in (None, "bash")


def test_no_command_of_the_bash_lists_is_taken_for_another_shell() -> None:
    lists = [*one_repository_lists(), TWO_REPOSITORIES]
    commands = [case.command for name in lists for case in read_cases(name)]
    assert len(commands) > 1300
    assert [c for c in commands if language_of(c).language in ("powershell", "cmd")] == []


def test_most_commands_of_powershell_are_known_by_their_words() -> None:
    own = [case.command for shell, case in CASES if shell == "powershell"]
    known = [command for command in own if language_of(command).language == "powershell"]
    assert len(known) / len(own) > 0.9


@pytest.mark.parametrize(
    ("command", "language", "source"),
    [
        ("powershell -Command \"Get-Content 'a b.py'\"", "powershell", "Get-Content 'a b.py'"),
        ("pwsh -c 'gc a.py'", "powershell", "gc a.py"),
        ('powershell.exe -NoProfile "gc a.py"', "powershell", "gc a.py"),
        ('powershell -Command "& { gc a.py }"', "powershell", "& { gc a.py }"),
        ("cmd /c type a.py", "cmd", "type a.py"),
        ('cmd.exe /d /s /c "dir /b"', "cmd", "dir /b"),
    ],
)
def test_a_shell_that_a_command_calls(command: str, language: str, source: str) -> None:
    assert unwrapped(command) == ShellLanguage(language, source)


@pytest.mark.parametrize("command", ["powershell -File build.ps1", "cmdline /c x", "pwsh"])
def test_a_script_in_a_file_is_not_in_the_command(command: str) -> None:
    assert unwrapped(command) is None


def session(*commands: tuple[str, str], cwd: str, name: str = "shell_command") -> list[list[str]]:
    calls = tuple(
        ToolCall(name, {"command": command}, result=ToolResult(text=output))
        for command, output in commands
    )
    views = view_calls(Trace(calls=calls, cwd=cwd), Settings())
    return [[f"{ref.kind} {short(ref.path)}" for ref in view.refs] for view in views]


def test_the_other_commands_of_a_session_say_what_cat_is() -> None:
    """`cat -Tail` is no bash; `type a.py` beside it is PowerShell's too."""
    seen = session(("type src\\app.py", "x\n"), ("Get-Content README.md -Tail 1", "y\n"), cwd=ROOT)
    assert seen == [["read src/app.py"], ["read README.md"]]


def test_git_bash_on_windows_stays_bash() -> None:
    """Claude Code runs Git Bash on a drive of Windows: `type` says there what a name means."""
    seen = session(("cat a.py | head -1", "x\n"), ("type cat", "cat is /usr/bin/cat\n"), cwd=ROOT)
    assert seen[1] == []


def test_a_tool_named_for_its_shell_states_it() -> None:
    assert session(("type a.py", "x\n"), cwd=ROOT, name="PowerShell") == [["read a.py"]]


def test_the_table_of_names_tells_the_shell() -> None:
    output = (
        f"\n    Directory: {ROOT}\n\nMode                 LastWriteTime         Length Name\n"
        "----                 -------------         ------ ----\n"
        "-a----         5/14/2026   9:32 AM           1533 package.json\n"
    )
    assert found("ls", output, None) == [("surfaced", "package.json", None, None)]


def test_a_list_of_words_for_powershell_keeps_its_quotes() -> None:
    call = ToolCall(
        "shell",
        {"command": ["powershell.exe", "-Command", "Get-Content 'it''s.py' -TotalCount 1"]},
        result=ToolResult(text="x\n"),
    )
    (seen,) = view_calls(Trace(calls=(call,), cwd=ROOT), Settings())
    assert [short(ref.path) for ref in seen.refs] == ["it's.py"]


# --- what is not followed, and what did not run ---------------------------------------------------


def test_what_is_not_followed_is_said() -> None:
    seen = view("while ($true) { Get-Content $f }", "x\n")
    assert [problem.kind for problem in seen.problems] == ["shell_not_read"]
    assert seen.problems[0].reason == "not read: PowerShell while statements"
    assert not seen.failed


@pytest.mark.parametrize(
    ("command", "block"),
    [
        ("cmd /c for %f in (*.py) do type %f", "for"),
        ("cmd /c cd src & if exist a.py type a.py", "if"),
    ],
)
def test_loops_and_conditions_of_cmd_are_not_followed_and_that_is_said(
    command: str, block: str
) -> None:
    seen = view(command, "x\n")
    assert [problem.reason for problem in seen.problems] == [f"not read: cmd {block}"]


def test_words_of_cmd_that_only_look_like_a_condition_are_nothing_unread() -> None:
    assert view("cmd /c type if.txt & findstr for a.py", "x\n").problems == ()


def test_what_cannot_be_parsed_is_said() -> None:
    seen = view("Get-Content 'a.py", "x\n")
    assert seen.problems[0].reason.startswith("not read: PowerShell that could not be parsed")
    assert seen.refs == ()


def test_nothing_ran_if_powershell_could_not_parse_it() -> None:
    """PowerShell 5.1 knows no `&&`."""
    output = (
        "At line:1 char:8\n+ cd src && 'x' > notes.txt\n+        ~~\n"
        "The token '&&' is not a valid statement separator in this version.\n"
        "    + CategoryInfo          : ParserError: (:) [], ParentContainsErrorRecordException\n"
        "    + FullyQualifiedErrorId : InvalidEndOfLine\n"
    )
    seen = view("cd src && 'x' > notes.txt", output)
    assert seen.refs == ()
    assert seen.failed


def test_a_file_that_could_not_be_written_is_not_written() -> None:
    output = (
        "Set-Content : Could not find a part of the path 'C:\\w\\shop\\no\\a.txt'.\n"
        "At line:1 char:1\n+ Set-Content no\\a.txt x\n+ ~~~~~~~~~~~~~~~~~~~~~~\n"
        "    + CategoryInfo          : ObjectNotFound: (C:\\w\\shop\\no\\a.txt:String) [Set-Content], "
        "DirectoryNotFoundException\n"
        "    + FullyQualifiedErrorId : GetContentWriterDirectoryNotFoundError,Microsoft.PowerShell"
        ".Commands.SetContentCommand\n"
    )
    assert found("Set-Content no\\a.txt x", output) == []


def test_numbers_that_are_off_by_one_are_not_the_file_s() -> None:
    """The loop prints 0 before the first line; the lines are counted, not read off."""
    command = '$l = gc a.py; for ($i = 0; $i -lt 2; $i++) { "{0}: {1}" -f $i, $l[$i] }'
    assert found(command, "0: a\n1: b\n") == [("read", "a.py", 1, 2)]


def test_numbered_lines_around_a_cut_keep_their_numbers() -> None:
    command = '$l = gc a.py; for ($i = 1; $i -le 90; $i++) { "{0}: {1}" -f $i, $l[$i - 1] }'
    output = "1: a\n2: b\n\n... [86 lines truncated] ...\n\n89: y\n90: z\n"
    spans = {line[2:] for line in found(command, output)}
    assert (1, 2) in spans
    assert (89, 90) in spans


@given(st.text(alphabet="Get-Cont $({[|;'\"@`\n,.x1=})]&<>%?", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    """A script is hostile input: it is parsed or said to be none, and following it never fails."""
    try:
        parse(text)
    except NotPowerShellError:
        pass
    view(text, "x\n1: y\n")
    view(text, "a.py:1:x\n", "cmd")
