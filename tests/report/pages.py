"""Report data from documents written in the test: with any hostile names that a test needs."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from groundtrace.documents.events import EventsDocument
from groundtrace.documents.outcomes import TrialOutcome
from groundtrace.impact import ImpactOptions, analyse
from groundtrace.report.blocks_of_trials import Packed, Packing, made_trial
from groundtrace.report.data import ReportData
from groundtrace.report.task_units import TaskUnits
from groundtrace.rows.make import row_from
from groundtrace.rows.summarise import summarise
from groundtrace.rows.trial_row import Detail, TrialRow
from groundtrace.rows.units import Counted, collect_distinct
from tests.metrics.builders import NOW, Seen, metrics_of, step, trial

HOSTILE = (
    "<script>window.hacked=1</script>",
    "</script><script>window.hacked=1</script>",
    '"><img src=x onerror=window.hacked=1>',
    "' onmouseover='window.hacked=1",
    "javascript:window.hacked=1",
    "<!-- --><![CDATA[ ]]>",
    "a|b`c``d` *bold* _it_ [link](http://example.com) <b>&amp;",
    "# heading\n\n- list\n\n| a | b |\n|---|---|",
    "rtl\u202egnp.exe",
    "zero\u200bwidth\u2028line\u2029end",
    "nul\x00 escape\x1b[31m bell\x07",
    "{{ 7*7 }}{% raw %}${window.hacked=1}",
    "blank\u3164\u2800name",
    "__proto__",
    "constructor",
    "x" * 1_000_000,
)
"""Names that have broken a page somewhere."""

SECRET = "SRC_ACCESS_TOKEN=abcd1234efgh5678"


def outcome_of(document: EventsDocument, **given: Any) -> TrialOutcome:
    """An outcome that fits a document; what is given overrides it."""
    where = document.provenance
    fields: dict[str, Any] = {
        "run_id": where.run_id,
        "config_name": where.config_name,
        "task_name": where.task_name,
        "trial_name": where.trial_name,
        "benchmark": where.benchmark,
        "trial_key": f"{where.run_id}/{where.config_name}/{where.trial_name}",
        "path": where.trial_name,
        "state": "selected",
        "state_reason": None,
        "document": None,
        "has_task": True,
        "model": where.model,
        "harness": "claude-code",
        "harness_version": "2.1.0",
        "reward": 1.0,
        "reward_reason": None,
        "cost_usd": 0.25,
        "cost_source": "result",
        "agent_seconds": 40.0,
        "trial_seconds": 60.0,
        "output_tokens": 1200,
        "output_tokens_source": "result",
        "exception": None,
    }
    return TrialOutcome(**{**fields, **given})


def detail(document: EventsDocument, **outcome: Any) -> Detail:
    """A trial with its metrics, row and outcome."""
    metrics = metrics_of(document)
    where = document.provenance
    path = f"{where.config_name}/{where.trial_name}.retrieval_events.json"
    row = row_from(metrics, document, outcome_of(document, **outcome), path=path)
    return Detail(row, document, metrics)


def report_data(details: Sequence[Detail], scope: str = "*", draws: int = 50) -> ReportData:
    """Everything a report shows of these trials."""
    rows = tuple(found.row for found in details)
    return ReportData(
        scope=scope,
        summary=summarise(rows, scope=scope, generated_at=NOW),
        impact=analyse(rows, ImpactOptions(draws=draws), generated_at=NOW, scope=scope),
        rows=rows,
        details=lambda: iter(details),
    )


MODEL = "a-vendor-of-models/with-a-model-of-a-long-name-and-a-date-2026-05-07"
"""A name that is wider than a phone."""


def sessions_data() -> ReportData:
    """Own sessions: seven with a server and six without, on tasks of their own, and one of which the
    commit is not known."""
    details = []
    for number in range(14):
        config = "with-mcp" if number < 7 else "without-mcp"
        truth = [] if number == 13 else [f"src/{number}.py", f"src/{number % 3}_more.py"]
        read = [step(Seen("read", name, name), seconds=number, tool="Read") for name in truth[:1]]
        name = f"session-{number}"
        named = {"task_name": name, "trial_name": name, "config_name": config, "model": MODEL}
        document = trial(*read, truth=truth, **named)
        made = detail(document, reward=None, cost_usd=None, output_tokens=200 + 10 * number)
        row = replace(
            made.row,
            title=f"Mend the gate of field {number}",
            started_at=f"2026-05-{number + 1:02}T10:00:00Z",
            last_call_at=f"2026-05-{number + 1:02}T10:0{number % 10}:00Z",
        )
        details.append(dataclasses.replace(made, row=row))
    return report_data(details, draws=100)


def packed_in(details: Iterable[Detail], budget: int) -> Packed:
    """What a page within a budget of bytes holds of these trials."""
    packing = Packing(budget)
    for row, one in enumerate(details):
        packing.add(row, made_trial(one, packing.level))
    return packing.packed()


def hostile_data() -> ReportData:
    """Two configurations over tasks named by hostile strings, which are file names too."""
    details = []
    for number, text in enumerate(HOSTILE):
        for config in ("baseline", HOSTILE[0]):
            call = step(Seen("read", text, text), Seen("matched", f"src/{text}"), tool=text)
            call["arguments"] = {"query": text, "command": f"export {SECRET}"}
            document = trial(
                call,
                step(Seen("written", text, text)),
                truth=[text, f"missed/{text}"],
                task_name=text,
                trial_name=f"{number}{text}",
                config_name=config,
                benchmark=text,
            )
            details.append(detail(document, reward=float(number % 2), exception=SECRET))
    return report_data(details, scope=HOSTILE[1])


def many_data(number: int, calls: int = 24) -> ReportData:
    """As many trials as asked for, of two configurations, with calls as real trials have them."""
    details = []
    for index in range(number):
        task, config = divmod(index, 2)
        made = [
            step(
                *(
                    Seen(
                        "matched" if at % 3 else "read",
                        f"service/module_{(task * 7 + at * 3 + n) % 400}/handler_{n}.go",
                    )
                    for n in range(3)
                ),
                seconds=float(at * 3 + task % 11),
                tokens=(at + 1) * 9000 + task,
                tool="Bash" if at % 2 else "Read",
            )
            for at in range(calls)
        ]
        truth = [f"service/module_{task % 400}/truth_{n}.go" for n in range(3)]
        for n, entry in enumerate(truth[: (task + config) % 4]):
            made.insert(
                3 * n + task % 5, step(Seen("read", entry, entry), seconds=float(task % 90))
            )
        for at, call in enumerate(made):
            call["arguments"] = {
                "command": f"grep -rn 'pattern_{task}_{at}' /workspace/service/module_{at} | head -40"
            }
        document = trial(
            *made,
            truth=truth,
            task_name=f"task-{task:04}",
            trial_name=f"task-{task:04}__{config}",
            config_name=("baseline-local-direct", "mcp-remote-direct")[config],
            benchmark=f"suite_{task % 9}",
        )
        details.append(detail(document, reward=(task * 37 % 100) / 100))
    return report_data(details, draws=20)


def task_units(rows: Iterable[TrialRow]) -> TaskUnits:
    """Task units of rows, copies left out, as the page collects them."""

    def collected(counted: Iterator[Counted]) -> TaskUnits:
        found = TaskUnits()
        for row, counted_in in counted:
            found.add(row, is_copy=counted_in is not None)
        return found

    return collect_distinct(rows, collected)
