"""Frames of agents that nobody knows by name: the lines of a file are those of the output (D394)."""

from __future__ import annotations

import json

import pytest

from groundtrace.config import Settings
from groundtrace.model import ToolResult
from groundtrace.shell import shell_refs
from groundtrace.traces.kit.envelopes import unwrapped, without_prompt
from groundtrace.traces.kit.frames import printed

NEST = "def eggs():\n    return 3\n\n\ndef hatch():"
COMMAND = "cat nest.py"

FRAMES = {
    "JSON": json.dumps({"stdout": f"{NEST}\n", "stderr": "", "exit_code": 0}),
    "JSON of a Node server": json.dumps({"stdout": f"{NEST}\n", "stderr": "", "exitCode": 0}),
    "JSON with facts": json.dumps({"returncode": 0, "output": NEST, "exception_info": None}),
    "JSON with two outputs": json.dumps({"stdout": "", "output": f"{NEST}\n", "exit_code": 0}),
    "tags with two outputs": f"<stdout></stdout>\n<output>\n{NEST}\n</output>",
    "tags": f"<stdout>\n{NEST}\n</stdout>\n<stderr>\n</stderr>\n<exit_code>0</exit_code>",
    "tags in one line": f"<stdout>{NEST}\n</stdout><stderr></stderr>",
    "tags, the code first": f"<exit_code>0</exit_code>\n<stdout>\n{NEST}\n</stdout>",
    "one tag": f"<output>\n{NEST}\n</output>",
    "a tag around tags": f"<result>\n<exitcode>0</exitcode>\n<output>\n{NEST}\n</output>\n</result>",
    "a tag of the protocol": f"<tool_response>\n{NEST}\n</tool_response>",
    "results of functions": f"<function_results>\n<result>\n<name>bash</name>\n<stdout>\n{NEST}\n</stdout>\n</result>\n</function_results>",
    "a label": f"Command output:\n{NEST}\n",
    "a label and a fence": f"Command output:\n```\n{NEST}\n```\n",
    "a fence": f"```\n{NEST}\n```",
    "a fence with a language": f"```bash\n{NEST}\n```",
    "labels": f"Exit code: 0\n\nStdout:\n{NEST}\n\nStderr:\n",
    "labels in capitals": f"STDOUT:\n{NEST}\n\nSTDERR:\n",
    "labels in a line": f"stdout: {NEST}\nstderr: \nexit code: 0",
    "labels in brackets": f"[STDOUT]\n\n{NEST}\n\n[STDERR]\n",
    "labels in small letters": f"returncode: 0\noutput:\n{NEST}",
    "an observation": f"OBSERVATION:\n{NEST}\n",
    "a tool's name": f"EXECUTION RESULT of [bash]:\n{NEST}\n[Command finished with exit code 0]",
    "Cline": f"Command executed.\nOutput:\n{NEST}",
    "Roo": f"Command executed in terminal within working directory '/w'. Exit code: 0\nOutput:\n{NEST}",
    "Cursor": f"Exit code: 0\n\nCommand output:\n\n```\n{NEST}\n```\n\nCommand completed in 110 ms.",
    "facts": f"Execution time: 0.02s\nExit code: 0\n\n{NEST}\n",
    "a prompt": f"$ {COMMAND}\n{NEST}\n",
    "prompts": f"me@nest:/w# {COMMAND}\n{NEST}\nme@nest:/w# ",
    "a code below": f"{NEST}\n[exit code: 0]",
    "a process": f"{NEST}\n\n[Process completed with exit code 0]",
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_the_lines_of_a_file_are_those_of_the_output(frame: str) -> None:
    view = shell_refs(COMMAND, printed(ToolResult(frame), COMMAND), "/w", Settings())
    (ref,) = view.refs
    assert (ref.path, ref.line_start, ref.line_end) == ("/w/nest.py", 1, 5)
    assert ref.shown_chars in {len(NEST), len(NEST) + 1}


@pytest.mark.parametrize(
    "text",
    [
        # Files that look like a frame, and outputs that only begin like one.
        "output:\n  folder: nests\n",
        "[output]\nfolder = nests\n",
        "status: ready\ncommand: hatch\n",
        '{"output": "nests"}\n',
        '{"name": "heron", "output": "nests", "eggs": 3}\n',
        '{"name": "heron", "output": "nests"}\n',
        '{"command": "hatch", "cwd": "/w", "output": "nests"}\n',
        "<html>\n<body>\n</body>\n</html>\n",
        "<output>nests</output>\n<eggs>3</eggs>\n",
        "```\nfirst\n```\ntext\n```\nsecond\n```",
        "Outputs of the nest\n",
        "{'stdout': 'x'}",
        '{"stdout": "x"',
        "",
    ],
)
def test_what_is_no_frame_stays_as_it_is(text: str) -> None:
    assert unwrapped(text) is None


def test_standard_error_and_failures_are_told_apart() -> None:
    failed = unwrapped(json.dumps({"stdout": "", "stderr": "no such nest", "exit_code": 1}))
    assert failed is not None
    assert (failed.output, failed.errors, failed.failed) == ("", "no such nest", True)
    tagged = unwrapped("<exit_code>1</exit_code><stdout>\n</stdout><stderr>\nlost\n</stderr>")
    assert tagged is not None
    assert (tagged.output, tagged.errors, tagged.failed) == ("", "lost", True)
    labelled = unwrapped("Exit code: 2\nStdout:\nStderr:\nlost\n")
    assert labelled is not None
    assert (labelled.output.strip(), labelled.errors, labelled.failed) == ("", "lost", True)


def test_a_closing_tag_in_the_output_closes_nothing() -> None:
    found = unwrapped("<stdout>\na</stdout>b\n</stdout>")
    assert found is not None
    assert found.output == "a</stdout>b"


def test_only_a_prompt_may_stand_before_a_repeated_command() -> None:
    assert without_prompt("$ cat a\nx\n", "cat a") == "x\n"
    assert without_prompt("cat a\nx\n", "cat a") == "x\n"
    assert without_prompt("then cat a\nx\n", "cat a") == "then cat a\nx\n"
