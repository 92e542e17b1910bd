"""One answer, six places: the same sentences, rows and lines to look at, whatever is analysed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from html import unescape

import msgspec
import pytest

from groundtrace.cli.answer import answer_data, print_answer
from groundtrace.documents.answer import Answer
from groundtrace.report import ReportData, render_html, render_markdown
from groundtrace.report.answer_text import ShownAnswer, shown
from groundtrace.results import Impact
from groundtrace.view.responses import answer_texts
from tests.metrics.builders import Seen, step, trial
from tests.report.pages import detail, report_data

CONFIGS = ("baseline-local", "mcp-remote")


def analysed(tasks: int, configs: tuple[str, ...] = CONFIGS) -> ReportData:
    """Tasks with two relevant files each; the second configuration also reads the second one. One
    trial of each has no usable trace."""
    details = []
    for number in range(tasks):
        for side, config in enumerate(configs):
            truth = [f"src/{number}.py", f"src/{number}_more.py"]
            read = [step(Seen("read", name, name), tool="Read") for name in truth[: 1 + side]]
            document = trial(
                *read,
                truth=truth,
                task_name=f"task-{number:02}",
                trial_name=f"task-{number:02}__{config}",
                config_name=config,
            )
            reward = float((number + side) % 3 == 0)
            details.append(detail(document, reward=reward, cost_usd=0.1 + 0.05 * side))
    for number in range(5):
        blind = trial(
            source=None, truth=["a"], task_name=f"blind-{number}", config_name=configs[-1]
        )
        details.append(detail(blind, reward=None, cost_usd=None))
    return report_data(details, draws=200)


CASES: Mapping[str, ReportData] = {
    "pair": analysed(12),
    "one configuration": analysed(8, CONFIGS[1:]),
    "untestable": analysed(3),
}


def texts_of(data: ReportData, capsys: pytest.CaptureFixture[str]) -> Iterator[tuple[str, str]]:
    """What each place says, tags and breaks taken out."""
    assert data.impact is not None
    print_answer(data.impact)
    yield "terminal", capsys.readouterr().out
    yield "Markdown", render_markdown(data)
    body = re.sub(r"<(script|style|svg).*?</\1>", "", render_html(data), flags=re.DOTALL)
    yield "page", unescape(re.sub(r"<[^>]*>", "", body))
    yield "viewer", " ".join(leaves(json.loads(json.dumps(answer_texts(data.impact)))))
    yield "repr", repr(Impact(data.impact))
    yield "notebook", unescape(re.sub(r"<[^>]*>", "", Impact(data.impact)._repr_html_()))


def leaves(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        # The script puts the sentences first and each text of a row into its own cell.
        yield from (text for one in value.values() for text in leaves(one))
    elif isinstance(value, list):
        yield from (text for one in value for text in leaves(one))
    elif value is not None:
        yield str(value)


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def parts_of(found: ShownAnswer) -> Iterator[list[str]]:
    """What must be said, each as texts in order."""
    yield [found.sentences]
    for one in found.rows:
        yield [
            one.label,
            *filter(None, [one.baseline]),
            one.config,
            one.word,
            one.change,
            one.interval,
        ]
    for item in found.look_at:
        yield [item.line]


@pytest.mark.parametrize("case", CASES)
def test_all_six_places_say_the_same(case: str, capsys: pytest.CaptureFixture[str]) -> None:
    data = CASES[case]
    assert data.impact is not None
    found = shown(data.impact.answer)
    assert found.rows and found.look_at and found.sentences
    for place, text in texts_of(data, capsys):
        said = squeezed(text)
        for parts in parts_of(found):
            inside = ".{0,90}?".join(re.escape(squeezed(part)) for part in parts)
            assert re.search(inside, said), f"{place}: {parts}"
        if place != "viewer":
            labels = [said.find(squeezed(f"{r.question} {r.label}")) for r in found.rows]
            assert labels == sorted(labels) and -1 not in labels, place
    given = json.loads(msgspec.json.encode(answer_data(data.impact)))
    assert shown(msgspec.convert(given["answer"], Answer)) == found


def test_the_cases_are_three_kinds_of_answer() -> None:
    verdicts = {}
    for name, data in CASES.items():
        assert data.impact is not None
        verdicts[name] = {row.verdict for row in data.impact.answer.rows}
    assert "higher" in verdicts["pair"]
    assert verdicts["one configuration"] == {None}
    assert verdicts["untestable"] == {"untestable"}
