"""Lines seen in real trials, against the text that the gold context and the answers hold (D72, D129).

The second way knows no line numbers of commands, no edits and no shifts: a truth line was seen if
its text stands in the answer of a call that showed its file.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import groundtrace
from groundtrace.metrics.evidence import EvidenceView, shown_lines

NEXT = os.environ.get("GROUNDTRACE_CORPUS_NEXT")
ROOT = Path(NEXT or ".") / "contextbench"
pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not NEXT, reason="GROUNDTRACE_CORPUS_NEXT is not set"),
]

DEFINED = 18
"""Trials whose lines are known; of the other six, four agents searched without line numbers, one
changed the file by a script, one looked at other commits alone."""


def gold() -> dict[str, dict[str, dict[int, str]]]:
    """Task to file to the text of each truth line."""
    found: dict[str, dict[str, dict[int, str]]] = {}
    for row in map(json.loads, (ROOT / "gold.jsonl").read_text().splitlines()):
        files = found.setdefault(row["original_inst_id"], {})
        given = row["gold_context"]
        for piece in json.loads(given) if isinstance(given, str) else given:
            lines = files.setdefault(re.sub(r"^/workspace/[^/]+/", "", piece["file"]), {})
            for line in piece["content"].split("\n"):
                numbered = re.match(r"(\d+)\t?(.*)", line, re.DOTALL)
                if numbered and piece["start_line"] <= int(numbered[1]) <= piece["end_line"]:
                    lines[int(numbered[1])] = numbered[2]
    return found


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def answers(trace: Path) -> list[str]:
    """What the environment answered to each message of the model with one command."""
    out: list[str] = []
    pending = False
    for message in json.loads(trace.read_text())["messages"]:
        content = message["content"]
        text = content if isinstance(content, str) else json.dumps(content)
        if message["role"] == "assistant":
            pending = len(re.findall(r"```bash\s*\n(.*?)\n```", text, re.DOTALL)) == 1
        elif pending:
            out.append(squeezed(text))
            pending = False
    return out


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Any:
    out = tmp_path_factory.mktemp("contextbench")
    return groundtrace.run(ROOT, tasks=ROOT / "gold.jsonl", out=out), out


def documents(out: Path) -> Iterator[tuple[str, str, Any, Any]]:
    from msgspec.json import decode

    from groundtrace.documents.events import EventsDocument
    from groundtrace.documents.metrics import MetricsDocument

    for path in sorted(out.rglob("*.retrieval_events.json")):
        events = decode(path.read_bytes(), type=EventsDocument)
        beside = path.with_name(path.name.replace("_events.json", "_metrics.json"))
        metrics = decode(beside.read_bytes(), type=MetricsDocument)
        yield path.parent.name, events.provenance.task_name, events, metrics


def test_every_truth_line_that_counts_as_seen_is_in_an_answer(results: Any) -> None:
    truth, (_, out) = gold(), results
    checked = defined = 0
    for config, task, events, metrics in documents(out):
        section = metrics.line_level_metrics
        if section.reason is not None:
            assert section.line_recall is None and section.line_precision is None
            continue
        defined += 1
        trace = ROOT / "mini-swe-agent" / config / task / f"{task}.traj.json"
        said = answers(trace)
        assert len(said) >= len(events.events) - 1
        everything = "\n".join(said)
        seen: set[tuple[str, int]] = set()
        for one in shown_lines(EvidenceView(events)):
            lines = truth[task].get(one.touch.truth or one.touch.file, {})
            for first, last in one.runs or ():
                seen |= {
                    (one.touch.truth or one.touch.file, n)
                    for n in range(first, last + 1)
                    if n in lines
                }
        assert len(seen) == section.lines_relevant_seen, (config, task)
        for file, number in seen:
            assert squeezed(truth[task][file][number]) in everything, (config, task, file, number)
        checked += len(seen)
    assert defined == DEFINED
    assert checked > 2000
