"""What an agent wrote in one call is followed when another call runs it (D141).

The outputs are what the commands print in bash with CPython.
"""

from __future__ import annotations

from typing import Any

import pytest

from groundtrace.config import Settings
from groundtrace.model import ToolCall, ToolResult, Trace
from groundtrace.tools import view_calls

FIX = """\
path = 'pkg/core.py'
with open(path) as f:
    text = f.read()
if 'old' not in text:
    print('nothing to change in', text)
text = text.replace('old', 'new')
with open(path, 'w') as f:
    f.write(text)
print('Successfully changed pkg/core.py')
"""
DONE = "Successfully changed pkg/core.py\n"
PATCH = """\
--- a/pkg/core.py
+++ b/pkg/core.py
@@ -1 +1 @@
-old
+new
"""


def bash(command: str, text: str = "", error: bool = False) -> ToolCall:
    return ToolCall("bash", {"command": command}, result=ToolResult(text, None, error))


def heredoc(name: str, text: str, arrow: str = ">") -> ToolCall:
    return bash(f"cat <<'EOF' {arrow} {name}\n{text}EOF")


def last(*calls: ToolCall, cwd: str | None = "/testbed") -> list[str]:
    view = view_calls(Trace(calls, cwd=cwd), Settings())[-1]
    return [f"{ref.kind} {ref.path}" for ref in view.refs]


WRITTEN = ["written /testbed/pkg/core.py"]


@pytest.mark.parametrize(
    "first",
    [
        heredoc("fix.py", FIX),
        ToolCall(
            "Write",
            {"file_path": "/testbed/fix.py", "content": FIX},
            result=ToolResult("File created successfully at: /testbed/fix.py"),
        ),
        ToolCall(
            "str_replace_editor",
            {"command": "create", "path": "/testbed/fix.py", "file_text": FIX},
            result=ToolResult("File created successfully at: /testbed/fix.py"),
        ),
        ToolCall("write_file", {"path": "fix.py", "content": FIX}, result=ToolResult("Done")),
    ],
    ids=["heredoc", "Write", "editor", "relative"],
)
def test_a_script_of_an_earlier_call_writes_what_it_writes(first: ToolCall) -> None:
    assert last(first, bash("python fix.py", DONE)) == WRITTEN
    assert last(first, bash("ls"), bash("cd /testbed && python3 ./fix.py", DONE)) == WRITTEN


def test_a_call_that_only_writes_has_not_failed() -> None:
    silent = FIX.replace("print('Successfully changed pkg/core.py')\n", "")
    views = view_calls(
        Trace((heredoc("fix.py", silent), bash("python fix.py")), cwd="/testbed"), Settings()
    )
    assert not views[1].failed


def test_a_script_that_prints_a_file_reads_it() -> None:
    show = heredoc("show.py", "print(open('pkg/core.py').read())\n")
    assert last(show, bash("python show.py", "old = 1\n\n")) == ["read /testbed/pkg/core.py"]


def test_shell_scripts_and_patches_are_followed_too() -> None:
    script = heredoc("look.sh", "#!/bin/bash\nhead -2 pkg/core.py\n")
    assert last(script, bash("bash look.sh", "a\nb\n")) == ["read /testbed/pkg/core.py"]
    assert last(script, bash("chmod +x look.sh && ./look.sh", "a\nb\n")) == [
        "read /testbed/pkg/core.py"
    ]
    patch = heredoc("fix.patch", PATCH)
    assert last(patch, bash("git apply fix.patch")) == WRITTEN
    assert last(patch, bash("patch -p1 < fix.patch", "patching file pkg/core.py\n")) == WRITTEN


def test_text_that_is_not_known_any_more_claims_nothing() -> None:
    fix, run = heredoc("fix.py", FIX), bash("python fix.py", "ok\n")
    assert last(fix, bash("sed -i 's/core/other/' fix.py"), run) == []
    changed = bash(f"cat <<'EOF' > fix.py\n{FIX}EOF\nsed -i 's/core/other/' fix.py")
    assert last(changed, run) == []
    edit = {"command": "str_replace", "path": "/testbed/fix.py", "old_str": "core", "new_str": "x"}
    done = ToolResult("The file /testbed/fix.py has been edited.")
    assert last(fix, ToolCall("str_replace_editor", edit, result=done), run) == []
    assert last(fix, bash("rm fix.py"), run) == []
    assert last(fix, bash("git checkout fix.py"), run) == []


def test_a_piece_of_a_file_is_not_its_text() -> None:
    run = bash("python fix.py", DONE)
    assert last(heredoc("fix.py", FIX, ">>"), run) == []
    head, _, tail = FIX.partition("text = text")
    begin = heredoc("fix.py", head)
    assert last(begin, heredoc("fix.py", f"text = text{tail}", ">>"), run) == WRITTEN


def test_what_was_never_written_is_not_followed() -> None:
    run = bash("python fix.py", "ok\n")
    refused = bash(f"cd nowhere && cat <<'EOF' > fix.py\n{FIX}EOF", "bash: cd: nowhere: No such file or directory\n")  # fmt: skip
    assert last(refused, run) == []
    wrong: dict[str, Any] = {"file_path": "/testbed/fix.py", "content": FIX}
    error = ToolResult("File has not been read yet. Read it first before writing to it.", None, True)  # fmt: skip
    assert last(ToolCall("Write", wrong, result=error), run) == []


def test_another_directory_has_another_script() -> None:
    assert last(heredoc("fix.py", FIX), bash("cd /tmp && python fix.py", "ok\n")) == []
    unknown = last(heredoc("fix.py", FIX), bash("python fix.py", DONE), cwd=None)
    assert unknown == []


def test_a_script_that_did_not_run_wrote_nothing() -> None:
    fix = heredoc("fix.py", FIX)
    gone = "python: can't open file '/testbed/fix.py': [Errno 2] No such file or directory\n"
    assert last(fix, bash("python fix.py", gone, error=True)) == []
    stopped = (
        "Traceback (most recent call last):\n"
        '  File "/testbed/fix.py", line 2, in <module>\n'
        "    with open(path) as f:\n"
        "         ^^^^^^^^^^\n"
        "FileNotFoundError: [Errno 2] No such file or directory: 'pkg/core.py'\n"
    )
    assert last(fix, bash("python fix.py", stopped, error=True)) == []
    broken = heredoc("fix.py", FIX + "print('x)\n")
    parse = (
        '  File "/testbed/fix.py", line 10\n'
        "    print('x)\n"
        "          ^\n"
        "SyntaxError: unterminated string literal (detected at line 10)\n"
    )
    assert last(broken, bash("python fix.py", parse, error=True)) == []
    assert last(broken, bash("python fix.py", parse.lstrip(), error=True)) == []


def test_running_a_script_does_not_read_it() -> None:
    quiet = heredoc("try.py", "import pkg\nprint(pkg.value)\n")
    assert last(quiet, bash("python try.py", "3\n")) == []


def test_long_files_are_not_kept() -> None:
    long = FIX + "# " + "x" * 200_000 + "\n"
    write = {"file_path": "/testbed/fix.py", "content": long}
    first = ToolCall("Write", write, result=ToolResult("File created successfully"))
    assert last(first, bash("python fix.py", DONE)) == []
