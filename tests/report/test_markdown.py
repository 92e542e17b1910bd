"""The Markdown report: complete, says what is missing, and no name in it can break it."""

from __future__ import annotations

import dataclasses
import re

import pytest
from markdown_it import MarkdownIt
from msgspec import structs

from groundtrace.documents.summary import Distribution, NamedTrial
from groundtrace.metrics.ranking import CUTOFFS
from groundtrace.report import ReportData, render_markdown
from groundtrace.report.blocks import Name
from groundtrace.report.markdown import code
from groundtrace.report.sections import sections
from groundtrace.report.sections.shared import known_of
from tests.metrics.builders import Seen, step, trial
from tests.report.pages import HOSTILE, SECRET, detail, hostile_data, report_data


@pytest.fixture(scope="module")
def small() -> ReportData:
    found = detail(trial(step(Seen("read", "a.py", "a.py")), truth=["a.py", "b.py"], version="1.3"))
    blind = detail(
        trial(source=None, truth=["a.py"], task_name="blind", trial_name="blind__1"), reward=None
    )
    unknown = detail(
        trial(step(Seen("read", "z.py")), task_name="unknown", trial_name="unknown__1")
    )
    return report_data([found, blind, unknown])


def test_the_sections_stand_in_order_the_answer_first(small: ReportData) -> None:
    headings = re.findall(r"^## (.+)$", render_markdown(small), re.MULTILINE)
    assert headings == [
        "The answer",
        "Coverage",
        "Finding the relevant files",
        "How soon",
        "Using what was found",
        "Met, shown, edited, solved",
        "What went wrong",
        "By configuration, suite and model",
        "Comparisons and correlations",
        "Method and caveats",
    ]


def test_superseded_trials_that_count_are_said_to_count() -> None:
    """Two of two trials evaluated, one of them superseded: with `--trials all` it counts too."""
    first = detail(trial(step(Seen("read", "a.py", "a.py")), truth=["a.py"], trial_name="t__1"))
    second = detail(trial(step(Seen("read", "a.py", "a.py")), truth=["a.py"], trial_name="t__2"))
    data = report_data([first, second])
    where = first.row
    old = NamedTrial(
        run_id=where.run_id,
        config_name=where.config_name,
        task_name=where.task_name,
        trial_name="t__1",
        reason="t__2 is used",
    )

    def said(found: int) -> str:
        summary = structs.replace(data.summary, superseded=[old], trials_found=found)
        return render_markdown(dataclasses.replace(data, summary=summary))

    assert (
        "of 2 that were found: 1 superseded by another trial of the same task and counted too"
        in (said(2))
    )
    assert "of 3 that were found: 1 superseded by another trial of the same task.\n" in said(3)


def rows_of(data: ReportData, name: str) -> list[tuple[str, ...]]:
    """The rows of all tables, those that only the page shows too, that begin with a name."""
    tables = [table for section in sections(data) for table in section.tables]
    return [row for table in tables for row in table.rows if row[0] == name]


def test_the_status_stands_above_everything(small: ReportData) -> None:
    top = render_markdown(small).split("## ")[0]
    assert "standalone, non-ranking; association, not causation" in top


def test_every_cutoff_of_every_family_is_there_for_both_lists(small: ReportData) -> None:
    for family in ("precision", "recall", "f1", "ndcg"):
        for k in CUTOFFS:
            rows = rows_of(small, f"{family}@{k}")
            assert len(rows[0]) == 11, "both lists with mean, sd, median and n"


def test_the_markdown_is_what_a_person_reads(small: ReportData) -> None:
    """Tables of every metric are on the page; the Markdown says where."""
    text = render_markdown(small)
    assert "`precision@5`" not in text
    assert "retrieval_report.html" in text
    kept = [table for section in sections(small) for table in section.tables if not table.detail]
    assert text.count("\n### ") == len(kept)


def test_the_answer_opens_the_report(small: ReportData) -> None:
    text = render_markdown(small)
    assert text.index("## The answer") < 400


def test_what_cannot_be_computed_is_counted_by_reason_and_is_no_zero(small: ReportData) -> None:
    """D19: of three trials one has metrics; a mean over three would be 0.1667."""
    text = render_markdown(small)
    assert "could be computed for 1 of 3 trials" in text
    assert "1 no ground truth, 1 no usable trace" in text
    cells = rows_of(small, "file_recall")[0]
    assert cells[2:6] == ("0.500", "–", "0.500", "1")
    assert cells[-1] == "1 no ground truth, 1 no usable trace"


def test_every_table_with_a_mean_has_n_and_what_was_left_out(small: ReportData) -> None:
    """The answer names its tasks; what it leaves out is under “Look at”."""
    seen = 0
    for section in sections(small):
        for table in section.tables:
            if any("mean" in heading for heading in table.headings):
                seen += 1
                assert "n" in table.headings or "tasks" in table.headings
                assert "left out" in table.headings or section.id == "answer"
    assert seen > 4


def test_values_that_no_group_has_are_counted_over_all_groups(small: ReportData) -> None:
    """“agent_seconds (84 not in the trial's records)” stood below a table of 1,000 trials."""
    group = small.summary.overall
    found = Distribution(n=0, left_out={"no_time": 3})
    without = structs.replace(group, metrics={**group.metrics, "agent_seconds": found})
    several = [(Name("a"), without), (Name("b"), without)]
    known, absent = known_of(several, ["agent_seconds"])
    assert known == [] and absent.startswith("Without any value: agent_seconds (6 ")
    _, absent = known_of([("all", without), *several], ["agent_seconds"])
    assert absent.startswith("Without any value: agent_seconds (3 ")


def test_an_analysis_that_cannot_be_read_is_not_said_to_be_missing(small: ReportData) -> None:
    broken = ReportData(
        small.scope, small.summary, None, small.rows, small.details, "$.seed: expected int"
    )
    assert "The analysis could not be read: `$.seed: expected int`" in render_markdown(broken)


def tokens(text: str) -> list[str]:
    """Kinds of everything that a code host would make of the text."""
    found = []
    for block in MarkdownIt("commonmark").enable("table").parse(text):
        found.append(block.type)
        found += [child.type for child in block.children or []]
    return found


def test_names_cannot_become_markup() -> None:
    text = render_markdown(hostile_data())
    seen = list(tokens(text))
    assert not set(seen) & {"html_block", "html_inline", "link_open", "em_open", "image"}
    assert seen.count("fence") == 1, "the answer"
    assert len(text) < 2_000_000, "a name of a megabyte is cut"


def tables_in(text: str) -> list[list[list[str]]]:
    """The tables that a code host makes of a text: rows of cells, code spans as their content."""
    found: list[list[list[str]]] = []
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type == "table_open":
            found.append([])
        elif token.type == "tr_open":
            found[-1].append([])
        elif token.type in {"th_open", "td_open"}:
            found[-1][-1].append("")
        elif token.type == "inline" and found and token.level >= 4:
            found[-1][-1][-1] = "".join(child.content for child in token.children or [])
    return found


def test_no_name_breaks_a_table() -> None:
    """Every cell comes back with its text. Counting the cells of each row would prove nothing:
    the parser drops cells too many and fills up a row with too few."""
    data = hostile_data()
    expected = [
        [list(table.headings), *map(list, table.rows)]
        for section in sections(data)
        for table in section.tables
        if not table.detail
    ]
    made = tables_in(render_markdown(data))
    assert len(made) == len(expected)
    for table, wanted in zip(made, expected, strict=True):
        assert [[cell.strip() for cell in row] for row in table] == [
            [str(cell).strip() for cell in row] for row in wanted
        ]


def test_bars_of_every_row_agree_with_its_heading() -> None:
    """A parser drops cells too many: count the bars that are not escaped."""
    lines = render_markdown(hostile_data()).splitlines()
    before = 0
    for line in lines:
        bars = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("| ") else 0
        assert not (before and bars and bars != before), line[:200]
        before = bars


def test_credentials_are_masked() -> None:
    assert SECRET.partition("=")[2] not in render_markdown(hostile_data())


@pytest.mark.parametrize("text", [*HOSTILE[:-1], "`", "``x`", " a ", "\\"])
def test_a_code_span_gives_back_its_text(text: str) -> None:
    name = Name(text)
    inline = MarkdownIt("commonmark").parseInline(f"x {code(name)} y")[0]
    spans = [child for child in inline.children or [] if child.type == "code_inline"]
    assert [span.content for span in spans] == [str(name)]


def test_a_configuration_may_be_called_all() -> None:
    """The row of all trials is no configuration's."""
    one = detail(trial(step(Seen("read", "a", "a")), truth=["a"], config_name="all"))
    two = detail(trial(step(Seen("read", "b")), truth=["a"], config_name="b", trial_name="t2"))
    text = render_markdown(report_data([one, two]))
    rows = re.findall(r"^\| (`?all`?) +\| `?met`? +\| +(\d+) ", text, re.MULTILINE)
    assert rows == [("all", "2"), ("`all`", "1")]
