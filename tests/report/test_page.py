"""The page's file: its policy, its data, its size, and what it says about cuts."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest
from msgspec import structs

from groundtrace.report import Detail, html, packed_trials, render_html
from groundtrace.report.blocks_of_trials import unpack
from groundtrace.report.calls import DEEDS
from groundtrace.report.packed_trials import LEVELS
from groundtrace.report.safe_text import plain
from groundtrace.rows.trial_row import TrialRow
from tests.conftest import Ran
from tests.metrics.builders import Seen, step, trial
from tests.report.pages import (
    HOSTILE,
    SECRET,
    detail,
    hostile_data,
    many_data,
    packed_in,
    report_data,
)

SCRIPT = re.compile(r"<script(?P<attributes>[^>]*)>(?P<text>.*?)</script>", re.DOTALL)


def digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@pytest.fixture
def page() -> str:
    return render_html(hostile_data())


def test_the_policy_names_exactly_the_scripts_that_are_there(page: str) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy is not None
    stated = policy[1].replace("&#39;", "'")
    assert stated.startswith("default-src 'none'; ")
    assert "unsafe" not in stated
    run = [match["text"] for match in SCRIPT.finditer(page) if not match["attributes"]]
    assert len(run) == 1
    assert {f"'sha256-{digest(text)}'" for text in run} == set(
        re.search(r"script-src ([^;]+);", stated)[1].split()
    )
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert style is not None
    assert f"style-src 'sha256-{digest(style[1])}'" in stated


class Elements(HTMLParser):
    """Every element of a page as a parser sees it, with its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_no_name_adds_an_element_or_an_address(page: str) -> None:
    """Only elements of the template, no handler, no address but places in the page itself."""
    elements = Elements(page).found
    scripts = [attributes for tag, attributes in elements if tag == "script"]
    assert len(scripts) == len(list(SCRIPT.finditer(page)))
    assert not {tag for tag, _ in elements} & {
        *("img", "link", "iframe", "object", "embed", "base", "video", "audio", "source", "b"),
    }
    for _, attributes in elements:
        assert not any(name.startswith("on") for name in attributes)
        assert "src" not in attributes
        assert "style" not in attributes
        assert (attributes.get("href") or "#").startswith("#")
    assert "@import" not in page


def test_names_and_credentials_in_the_data_are_masked(page: str) -> None:
    secret = SECRET.partition("=")[2]
    assert secret not in page
    blocks = re.findall(r'class="block-data">([^<]*)<', page)
    assert blocks
    for block in blocks:
        assert secret not in json.dumps(unpack(block))


def test_a_trial_keeps_its_calls_in_order_with_hits_writes_and_misses() -> None:
    document = trial(
        step(Seen("surfaced", "z"), Seen("surfaced", "a", "a"), seconds=3.0, tokens=1500),
        step(category="file_read", tool="Read"),
        step(Seen("written", "a", "a")),
        truth=["a", "missed.py"],
    )
    packed = packed_in([detail(document)], 100_000)
    (made,) = unpack(packed.blocks[0])
    assert made["truth"] == [["a", [2, 0], None], ["missed.py", None, None]]
    marks = [step[3] for step in made["steps"]]
    assert marks == [
        packed_trials.FIRST + packed_trials.HIT,
        0,
        packed_trials.HIT + packed_trials.WRITE,
    ]
    assert made["steps"][0][7:9] == ["3.0 s", "1,500"]
    assert [DEEDS[step[9]] for step in made["steps"]] == ["surfaced", "nothing", "written"]
    assert [made["words"][file[0]] for file in made["steps"][0][5]] == ["z", "a"]


def test_a_call_says_how_far_its_files_can_be_trusted() -> None:
    """Read by guess, of another revision, without an answer, by which subagent."""
    document = trial(*(step(Seen("read", "a", "a")) for _ in range(4)), truth=["a"])
    events = [
        structs.replace(
            event,
            accesses=[structs.replace(access, **said) for access in event.accesses],
            **of_call,
        )
        for event, said, of_call in zip(
            document.events,
            ({"evidence": "generic"}, {"other_revision": True}, {}, {}),
            ({}, {}, {"answered": False}, {"is_subagent": True, "agent": "scout"}),
            strict=True,
        )
    ]
    coverage = structs.replace(document.coverage, tokens_share=0.4)
    document = structs.replace(document, events=events, coverage=coverage)
    (made,) = unpack(packed_in([detail(document)], 100_000).blocks[0])
    base = packed_trials.HIT
    assert [step[3] for step in made["steps"]] == [
        packed_trials.FIRST + base + packed_trials.GENERIC,
        base + packed_trials.OTHER_REVISION,
        base + packed_trials.UNANSWERED,
        base + packed_trials.SUBAGENT,
    ]
    assert [made["words"][step[10]] for step in made["steps"] if len(step) > 10] == ["scout"]
    assert ["tokens", "calls add up to 40 % of the total that the trace states"] in made["about"]


def test_a_call_of_other_tools_that_touches_nothing_did_not_fail() -> None:
    """D4: only a retrieval that gave nothing is marked; a note to oneself gives nothing to get."""
    packed = packed_in([detail(trial(step(tool="TodoWrite"), truth=["a"]))], 100_000)
    (made,) = unpack(packed.blocks[0])
    assert DEEDS[made["steps"][0][9]] == "other"


@pytest.mark.parametrize(
    ("tool", "category", "arguments", "failed", "deed"),
    [
        ("Bash", "other", {"command": "make"}, False, "shell"),
        ("Bash", "other", {"command": "make"}, True, "failed"),
        ("mcp__acme__find", "other", {"query": "x"}, False, "unknown"),
        ("TodoWrite", "other", {}, False, "other"),
        ("Grep", "code_search", {"pattern": "x"}, False, "nothing"),
        ("Grep", "code_search", {"pattern": "x"}, None, "nothing"),
    ],
)
def test_calls_without_files_are_told_apart(
    tool: str, category: str, arguments: dict[str, str], failed: bool | None, deed: str
) -> None:
    """A shell command is no unknown tool, and a refusal is not an empty answer."""
    call = step(tool=tool, category=category)
    call |= {"arguments": arguments, "failed": failed}
    one = detail(trial(call, truth=["a"]))
    one = dataclasses.replace(
        one, row=msgspec.structs.replace(one.row, unknown_tools={"mcp__acme__find": 1})
    )
    (made,) = unpack(packed_in([one], 100_000).blocks[0])
    assert DEEDS[made["steps"][0][9]] == deed


def test_a_trial_names_its_folder_and_the_command_that_explains_it() -> None:
    document = trial(step(), truth=["a"], run_id="my run", trial_name="t__1")
    one = detail(document, path="cfg/t__1; rm -rf x")
    (made,) = unpack(packed_in([one], 100_000).blocks[0])
    assert made["folder"] == "my run/cfg/t__1; rm -rf x"
    assert made["explain"] == "groundtrace explain 'my run/cfg/t__1; rm -rf x'"


def test_less_is_kept_where_the_budget_is_small_and_the_page_says_so() -> None:
    made = many_data(60, calls=120)
    details = list(made.details())
    whole = packed_in(details, 10_000_000)
    assert (whole.limits, whole.without) == (LEVELS[0], 0)
    less = packed_in(details, whole.size // 2)
    assert less.limits in LEVELS[1:]
    assert less.without == 0
    assert less.size <= whole.size // 2
    least = packed_in(details, 2_000)
    assert least.limits is LEVELS[-1]
    assert least.size <= 2_000
    assert least.without + len(least.places) == 60


def test_calls_that_were_cut_are_counted() -> None:
    document = trial(*(step(Seen("read", f"f{n}")) for n in range(1_200)), truth=["a"])
    (made,) = unpack(packed_in([detail(document)], 1_000_000).blocks[0])
    assert len(made["steps"]) == 1_000
    assert made["cut"] == 200


def test_a_page_of_a_thousand_trials_stays_under_three_megabytes() -> None:
    """A size, not a time: 24 calls a trial as real ones have."""
    text = render_html(many_data(1_000))
    assert len(text.encode()) < 3_000_000
    assert "The page holds the calls of 1,000 trials" in text


def test_details_that_would_burst_the_page_are_left_out_and_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(html, "PAGE_LIMIT", 410_000)
    text = render_html(many_data(60, calls=60))
    assert re.search(r"trials? without calls here, [1-9]\d* of them because", text)


def test_the_same_data_gives_the_same_page() -> None:
    data = many_data(30)
    assert render_html(data) == render_html(data)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_in_the_table_as_text(name: str) -> None:
    text = render_html(report_data([detail(trial(truth=["a"], task_name=name))]))
    data = json.loads(re.search(r'id="table-data">(.*?)</script>', text)[1])
    assert data["rows"][0][0] == plain(name)


def test_the_page_needs_no_extra(
    groundtrace: Callable[..., Ran], sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plain install writes the page: nothing but its dependencies is imported."""
    for extra in ("vl_convert", "duckdb", "obstore", "distributed"):
        monkeypatch.setitem(sys.modules, extra, None)
    runs = sample / "runs/official"
    ran = groundtrace("run", runs, "--tasks", sample / "benchmarks", "--format", "html")
    assert ran.code == 0, ran.err
    assert (runs / "retrieval_events_aggregate/retrieval_report.html").exists()


def test_tasks_are_counted_by_name_and_not_by_configuration() -> None:
    """“28 trials of 28 tasks” was said of 14 tasks in two configurations."""
    text = render_html(many_data(28, calls=3))
    assert "28 trials of 14 tasks in 2 configurations" in text
    assert "28 tasks" not in text


def test_a_table_without_values_is_left_out() -> None:
    """No task of these has line ranges: a table of dashes about them would say nothing."""
    text = render_html(many_data(8, calls=3))
    assert "Chunk recall: line ranges" not in text
    assert "Use of relevant files" in text


def test_without_ground_truth_no_section_is_empty() -> None:
    """Sections that only said “there is nothing to show”, and of trials with calls: “these trials have
    no traces”."""
    document = trial(step(Seen("read", "a", "a")), truth=[])
    told = "".join(render_html(report_data([detail(document)])).split("<script")[0])
    assert not re.search('<section id="(speed|use)"', told)
    assert "nothing to show" not in told and "have no traces" not in told
    assert "Choose a trial to see its calls in order.</p>" in told
    assert "Means over tasks, with the number" in told, "the reward is a mean"


def test_configurations_have_one_colour_everywhere() -> None:
    text = render_html(many_data(8, calls=3))
    table = json.loads(re.search(r'id="table-data">(.*?)</script>', text)[1])
    assert table["colours"]["baseline-local-direct"] == "k0"
    for name, colour in re.findall(r'class="dot b-(k\d)"></i><code>([^<]*)</code>', text):
        assert table["colours"][colour] == name


def test_trials_beyond_the_limit_are_counted_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A million rows pass once; the page says how many it lists, and charts count all."""
    monkeypatch.setattr(html, "MAX_TRIALS", 10)
    data = many_data(30)
    read = []

    def details() -> Iterator[Detail]:
        for found in data.details():
            read.append(found)
            yield found

    text = render_html(dataclasses.replace(data, rows=OnceAtATime(data.rows), details=details))
    assert "Of 30 trials the first 10 are listed" in text
    table = json.loads(re.search(r'id="table-data">(.*?)</script>', text)[1])
    assert len(table["rows"]) == 10
    assert len(read) == 11, "no more documents are read than the page lists"
    assert "30 trials of 15 tasks" in text


class OnceAtATime:
    """Rows that refuse to be held as a sequence."""

    def __init__(self, rows: Iterable[TrialRow]) -> None:
        self._rows = rows

    def __iter__(self) -> Iterator[TrialRow]:
        return iter(self._rows)
