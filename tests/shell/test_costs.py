"""Commands and outputs made to take long: eight times the input must not take much more than eight
times the work. Each case hung or raised once, or is similar to one that did.

The work at two sizes is compared, with a generous factor: a cost that grows with the square of the
input would give 64. With faster growth the test would not end.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from groundtrace.config import Settings
from groundtrace.model import ToolResult
from groundtrace.shell import ShellView
from tests.shell.views import shell_refs

SMALL, LARGE = 1000, 8000
FACTOR = 45
"""Between 8, which is linear, and 64."""
FLOOR = 0.02
"""Seconds below which a measurement is noise."""
Case = Callable[[int], tuple[str, str]]

CASES: dict[str, Case] = {
    "bars of tree": lambda n: ("tree lib", "│   " * n + "x"),
    "blanks of tree": lambda n: ("tree lib", "    " * n + "x"),
    "backslashes of sed": lambda n: ("ls | sed 's|" + "\\" * n + "'", "a"),
    "escaped marks of sed": lambda n: ("ls | sed 's|" + "\\\\" * n + "||'", "a"),
    "blanks in a block of sed": lambda n: ("sed -n '{p" + " " * n + "' f", "a"),
    "arrows of --stat": lambda n: ("git diff --stat", " " + "{ => " * n + "| 1"),
    "arrows of status": lambda n: ("git status", "\trenamed: " + " -> " * n),
    "folders of diff -r": lambda n: ("diff -r a b", "Only" + " in /" * n),
    "pairs of diff -q": lambda n: ("diff -rq a b", "Files a" + " and b" * n + " differ"),
    "words of a command": lambda n: ("cat" + " in /" * (n // 4), "x"),
    "blanks of awk": lambda n: ("awk '{" + " " * n + "print" + " " * n + "x' f", "a"),
    "fields of awk": lambda n: ("awk '{print NR " + "$0" * n + "' f", "a"),
    "unknowns of a heading": lambda n: (
        'for f in *.py; do echo "$f $a $b $c $d $e x"; done',
        "a b " * n,
    ),
    "suffixes": lambda n: ("x=" + "ab" * (n // 4) + "; cat " + "${x%*b}" * 50, "a"),
    "stars of a suffix": lambda n: ("x=" + "ab" * n + "; cat ${x%" + "*a" * 50 + "}", "a"),
    "zeros of printf": lambda n: ("printf '%" + "0" * 2 * n + "'", "a"),
    "percents of printf": lambda n: ("printf '" + "%" * 2 * n + "' a", "a"),
    "blanks of perl's open": lambda n: ("perl -e 'open(" + " " * 2 * n + "'", "a"),
    "opens of perl": lambda n: ("perl -e '" + "open(" * n + "'", "a"),
    "handles of perl": lambda n: ("perl -e '" + 'open(F,"<a");' * (n // 10) + "print <F>'", "a"),
    "variables of node": lambda n: (
        "node -e '" + "".join(f'x{i}=readFileSync("a{i}");' for i in range(n // 10)) + "'",
        "a",
    ),
    "strings that double": lambda n: (
        'python3 -c \'a="x"\n' + "a=a+a\n" * (n // 10) + "print(open(a))'",
        "a",
    ),
    "texts that are handed on": lambda n: (
        'python3 -c \'a=open("f").read()\n' + "a=a+a\n" * (n // 10) + "print(a)'",
        "a",
    ),
    "a script that runs itself": lambda n: (
        "echo 'bash x.sh; bash x.sh #" + "a" * n + "' > x.sh; bash x.sh",
        "a",
    ),
    "headings of a patch": lambda n: ("git diff", "diff --git " + "a b/" * n),
    "names of a log": lambda n: ("git log --name-only", "/" * n + ":"),
    "notices of cuts": lambda n: ("cat f", "[..." + "truncated" * n),
    "cuts inside a line": lambda n: ("cat f", "<response clipped>" * n),
    "messages": lambda n: (
        "cat f",
        "".join(f"w{i}: No such file or directory\n" for i in range(n // 4)),
    ),
    "tracebacks": lambda n: ("cat f", "Traceback (most recent call last):\n" * (n // 4)),
    "frames": lambda n: (
        "cat f",
        "<returncode>0</returncode>\n<output>" + "</output> " * n + "x",
    ),
    "fields of a frame": lambda n: ("cat f", "Command: " + "\nDirectory: x" * n),
    "files of a patch": lambda n: (
        "patch -p1 <<'E'\n" + "".join(f"+++ b/f{i}\n" for i in range(n // 4)) + "E",
        "patching file x",
    ),
    "omitted lines": lambda n: ("rg -n x", "a:1:" + "[Omitted long " * n + "]"),
    "binary files": lambda n: ("grep -rn x .", "Binary file " * n + " matches"),
}


def seconds(case: Case, size: int) -> float:
    """The least of three measurements."""
    command, output = case(size)
    taken = []
    for _ in range(3):
        started = time.perf_counter()
        shell_refs(command, ToolResult(text=output), "/w", Settings())
        taken.append(time.perf_counter() - started)
    return min(taken)


@pytest.mark.parametrize("name", CASES)
def test_the_work_grows_with_the_input_and_not_with_its_square(name: str) -> None:
    assert seconds(CASES[name], LARGE) < FACTOR * max(FLOOR, seconds(CASES[name], SMALL))


NUMBER = "9" * 5000
NUMBERS = {
    "braces": f"echo {{1..{NUMBER}}}",
    "slice": f"x=abc; echo ${{x:{NUMBER}}}",
    "counting loop": f"for ((i=0; i<{NUMBER}; i++)); do echo $i; done",
    "bat": f"bat -r {NUMBER}:{NUMBER} f",
    "blame": f"git blame -L {NUMBER},+{NUMBER} f",
    "sed": f"sed -n '1,5p;{NUMBER}q' f",
    "head and tail": f"head -n {NUMBER} f; tail -n +{NUMBER} f g; head -{NUMBER} f",
    "arithmetic": f"echo $(({NUMBER}+1))",
    "log": f"git log -L {NUMBER},+{NUMBER}:f",
}


@pytest.mark.parametrize("command", NUMBERS.values(), ids=NUMBERS)
def test_a_number_that_is_no_line_raises_nothing(command: str) -> None:
    """Python refuses to make numbers of more than 4300 digits."""
    view = shell_refs(command, ToolResult(text=f"{NUMBER}: x\n"), "/w", Settings())
    assert isinstance(view, ShellView)
    assert all((ref.line_start or 0) < 10**9 for ref in view.refs)
