"""Sentences of a prompt that say where the code is, and other patterns asked only behind plain text."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from groundtrace.events import _CODE_AT, _sentences
from groundtrace.redact import _ESCAPED
from groundtrace.traces.kit.frames import _NOT_RUN, _REFUSALS, _REFUSED, _REFUSED_BEGINS, _begins

WORDS = ["repo", "Code", "clone", "sources", "project", " is ", " in ", " at the ", "folder "]
PARTS = [*WORDS, "ſ", "İ", "K", "`/app/x`", "src/a", "'lib'", ".", "\n", "é", " ", "re"]


@given(st.lists(st.sampled_from(PARTS), max_size=14).map("".join))
def test_sentences_are_those_of_the_pattern(prompt: str) -> None:
    wanted = [found.span() for found in _CODE_AT.finditer(prompt)]
    assert [found.span() for found in _sentences(prompt)] == wanted


OLD_ESCAPED = re.compile(
    r"(?<!\\)\\++(?:u00[0-9a-fA-F]{2}|[nrtbfv0e\"'/`])"
    r"|%(?:25)*(?:5[cC][nrt]|0[aAdD]|2[0-9a-fA-F]|3[a-fA-F]|40|[57][b-dB-D])"
    r"|`[nrt](?=[A-Z][A-Z0-9_]{2})|&(?:amp;)*(?:quot|apos|amp|lt|gt|#39|#34|#x27);"
)
"""The escapes one after the other, slow to look for."""
ESCAPES = [
    "\\",
    "\\\\",
    "n",
    "%",
    "25",
    "0a",
    "3D",
    "&",
    "amp;",
    "lt;",
    "u0041",
    '"',
    " ",
    "`",
    "5C",
    "DB_",
]


@given(st.lists(st.sampled_from(ESCAPES), max_size=10).map("".join))
def test_escapes_are_found_by_their_first_sign(text: str) -> None:
    wanted = [found.span() for found in OLD_ESCAPED.finditer(text)]
    assert [found.span() for found in _ESCAPED.finditer(text)] == wanted


REFUSALS = [
    *(
        "<tool_use_error>x",
        "ERROR: Cannot execute multiple commands at once",
        "patch rejected by user",
    ),
    *(
        "Permission to use Bash has been denied",
        "Permission denied",
        "Error: Error: x",
        "EISDIR: a",
    ),
    *(
        "This command requires approval",
        "The user doesn't want to proceed",
        "Cancelled: parallel x",
    ),
    *(
        "[Request interrupted by user]",
        "[Operation Cancelled] Reason: x",
        "Sibling tool call errored",
    ),
    *(
        "Claude requested permissions",
        "Error: Permission",
        "failed in sandbox ",
        "No such tool available",
    ),
    *("Repeated read-file actions without valid x", "exec_command failed", "Tool x not found"),
    *(
        "execution error: x (os error 2)",
        "aborted by user after 3s",
        "apply_patch verification failed",
    ),
    *("ERROR: This action appears to print ", "File unchanged since last read", "Cannot read x"),
    *("File does not exist", "Path does not exist", "Directory does not exist", "MCP error x"),
    *("No such file or directory", "File content (1 tokens) exceeds", "File is too large"),
    *(
        "InputValidationError",
        "ENOENT",
        "EACCES",
        "This tool cannot read",
        "Request interrupted by user",
    ),
]


@given(st.sampled_from(REFUSALS), st.sampled_from(["", " ", "\n" * 250, "Error: ", "x"]))
def test_how_refusals_begin_leaves_none_out(said: str, before: str) -> None:
    text = before + said
    assert _begins(text, _REFUSALS) or _NOT_RUN.match(text) is None
    assert _begins(text, _REFUSED_BEGINS) or _REFUSED.match(text) is None
    assert before == "x" or _NOT_RUN.match(text) or _REFUSED.match(text)
