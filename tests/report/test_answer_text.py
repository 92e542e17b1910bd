"""The answer as lines and as HTML: one structure, at every width, with and without colours."""

from __future__ import annotations

import dataclasses
import re
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from groundtrace.cli.answer import wants_colour
from groundtrace.documents.answer import MAX_TASKS_NAMED, Answer, AnswerRow, LookAt
from groundtrace.documents.impact import ImpactDocument
from groundtrace.impact import ImpactOptions, analyse
from groundtrace.impact.answer_names import points, signed
from groundtrace.impact.row_numbers import Numbers
from groundtrace.report import formats
from groundtrace.report.answer_text import (
    analysis_text,
    columns,
    render,
    render_html,
    shown,
    shown_rows,
)
from groundtrace.report.answer_view import answer_view
from tests.impact.trial_rows import row
from tests.metrics.builders import trial
from tests.report.pages import detail, report_data

RECALL, READ = "shown.file_recall", "util_read_overlap_with_relevant_files"


def made(config: str = "mcp-remote", tasks: int = 12) -> ImpactDocument:
    rows = [
        row(
            f"task-{i:02}",
            name,
            {RECALL: 0.4 + 0.5 * k + i / 100, READ: 0.3 + 0.1 * k * (-1) ** i},
            reward=float((i + k) % 3 == 0),
            cost_usd=0.10 + 0.04 * k + i / 1000,
        )
        for i in range(tasks)
        for k, name in enumerate(("baseline-local", config))
    ]
    return analyse(rows, ImpactOptions(draws=200), generated_at="now", scope="*")


def a_row(metric: str, *numbers: float, **more: object) -> AnswerRow:
    baseline, config, delta, low, high = numbers
    given = {
        "question": "result", "metric": metric, "baseline": baseline, "config": config,
        "delta": delta, "ci_low": low, "ci_high": high, "verdict": "higher", "p": 0.001,
        "p_adjusted": 0.004, "better": 9, "same": 1, "worse": 0, "n": 10, "reason": None,
    }  # fmt: skip
    return msgspec.convert(given | more, AnswerRow)


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_no_line_is_wider_than_asked_and_a_screen_is_enough(width: int) -> None:
    text = render(made().answer, width)
    lines = text.splitlines()
    assert max(map(len, lines)) <= width
    if width >= 80:
        assert len(lines) <= 24
    assert " ".join(text.split()).startswith(
        "mcp-remote against baseline-local, 12 tasks that both ran (24 trials)"
    )
    for question in ("Found", "Used", "Result", "Price"):
        assert sum(line.startswith(question) for line in lines) == 1


def test_colours_add_nothing_but_colours() -> None:
    found = made().answer
    coloured = render(found, 100, True)
    assert "\x1b[32mhigher\x1b[0m" in coloured, "found more: good"
    assert "\x1b[31mhigher\x1b[0m" in coloured, "cost more: bad"
    assert re.sub(r"\x1b\[\d+m", "", coloured) == render(found, 100)


@pytest.mark.parametrize(
    ("environment", "terminal", "expected"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "0"}, False, False),
        ({"CLICOLOR_FORCE": "1"}, False, True),
        ({"CLICOLOR": "0"}, True, False),
        ({"TERM": "dumb"}, True, False),
    ],
)
def test_colour_goes_by_the_usual_variables(
    environment: dict[str, str], terminal: bool, expected: bool
) -> None:
    assert wants_colour(environment, terminal=terminal) is expected


def test_a_name_can_not_colour_the_screen_or_break_a_line() -> None:
    text = render(made("evil\x1b[31m\nname\u202e").answer)
    assert "\x1b" not in text and "\u202e" not in text
    assert "evil\\x1b[31m\\nname" in text
    html = render_html(made("<script>alert(1)</script>"))
    assert "<script>" not in html and "&lt;script&gt;" in html


def test_numbers_of_a_row_are_written_alike_and_none_is_rounded_away() -> None:
    cost = shown_rows([a_row("cost_usd", 0.099, 0.142, 0.043, 0.023, 0.080)])[0]
    assert (cost.baseline, cost.config) == ("$0.10", "$0.14")
    assert cost.verdict == "higher: +$0.04 (+$0.02 to +$0.08)"
    small = shown_rows([a_row("cost_usd", 0.004, 0.046, 0.042, 0.023, 0.060)])[0]
    assert (small.baseline, small.change) == ("$0.004", "+$0.042")
    near = shown_rows([a_row(RECALL, 0.5, 0.52, 0.02, 0.003, 0.04)])[0]
    assert near.interval == "(+0.3 to +4.0)", "an interval that leaves out 0 does not read as 0"
    minutes = shown_rows([a_row("agent_seconds", 1463.0, 406.0, -1057.0, -1500.0, -600.0)])[0]
    assert (minutes.baseline, minutes.config, minutes.change) == (
        "24.4 min",
        "6.8 min",
        "−17.6 min",
    )


def test_every_place_shows_the_same_texts() -> None:
    document = made()
    found = shown(document.answer)
    text, html = " ".join(analysis_text(document).split()), render_html(document)
    for one in found.rows:
        assert f"{one.label} {one.baseline} → {one.config} {one.verdict}" in text
        assert f"<td>{one.baseline}</td><td>{one.config}</td>" in html
        assert one.verdict in html
    assert found.sentences in text and found.sentences in html


def test_what_to_look_at_names_its_tasks() -> None:
    answer = msgspec.structs.replace(
        made().answer,
        look_at=[
            LookAt(kind="no_trace", text="5 trials without a usable trace", tasks=list("abcde"))
        ],
    )
    assert "Look at  5 trials without a usable trace: a, b, c and 2 more" in render(answer)


def test_a_full_list_of_tasks_does_not_say_how_many_there_are() -> None:
    """The list of a document ends at 20: “109 trials … and 17 more” was said of 71 tasks."""
    tasks = [f"t{i}" for i in range(MAX_TASKS_NAMED)]
    data = report_data([detail(trial(truth=["a"]))])
    for number, said in ((MAX_TASKS_NAMED - 1, "t2 and 16 more"), (MAX_TASKS_NAMED, "t2 and more")):
        look = [LookAt(kind="no_ground_truth", text="many", tasks=tasks[:number])]
        answer = msgspec.structs.replace(made().answer, look_at=look)
        assert f"Look at  many: t0, t1, {said}\n" in f"{render(answer)}\n"
        impact = msgspec.structs.replace(made(), answer=answer, answers=[answer])
        page = answer_view(dataclasses.replace(data, impact=impact), {}).pairs[0].look_at[0]
        assert page.more == said.removeprefix("t2")
        # The names of a full list would find fewer trials than the line counts.
        full = "#at=trials&found=no%20ground%20truth"
        assert (page.address == full) is (number == MAX_TASKS_NAMED)


def test_titles_of_several_sessions_are_not_counted_as_trials() -> None:
    """“8 calls of unknown tools in 4 trials: a, b, c and 6 more”: two tasks were nine sessions."""
    look = [LookAt(kind="unknown_tools", text="8 calls in 2 trials", tasks=["codex", "qwen"])]
    impact = made()
    answer = msgspec.structs.replace(impact.answer, look_at=look)
    impact = msgspec.structs.replace(impact, answer=answer, answers=[answer])
    data = dataclasses.replace(report_data([detail(trial(truth=["a"]))]), impact=impact)
    titles = {"codex": list("abcd"), "qwen": ["e"]}
    item = answer_view(data, {}, titles).pairs[0].look_at[0]
    assert [link.text for link in item.tasks] == ["a", "b", "c"] and item.more == " and more"


def test_configurations_of_which_nothing_is_known_come_last() -> None:
    """A column of dashes stood beside those that say something, because it had most tasks."""
    rows = [
        row(f"task-{i}", name, {RECALL: 0.5} if i < known else {}, reward=None)
        for name, tasks, known in (("a", 9, 0), *((f"b{k}", 3, 3) for k in range(4)))
        for i in range(tasks)
    ]
    impact = analyse(rows, ImpactOptions(draws=200), generated_at="now", scope="*")
    assert "b0 50 % (3 tasks), b1 50 % (3 tasks), b2 50 % (3 tasks), b3" in analysis_text(impact)


def test_a_number_stays_with_its_per_cent() -> None:
    text = "x" * 88 + " (95 % interval"
    answer = msgspec.structs.replace(made().answer, headline=text)
    assert "\n(95 % interval" in render(answer, 93)


def test_groups_without_common_tasks_count_sessions() -> None:
    """“7 tasks” stood beside the means of 7 and of 8 sessions."""
    apart = msgspec.structs.replace(
        a_row(RECALL, 0.8, 0.9, 0.1, -0.1, 0.3), verdict=None, better=None, same=None, worse=None
    )
    assert shown_rows([apart])[0].counts == f"at least {apart.n} sessions on each side"


def test_only_a_whole_share_reads_as_100_per_cent() -> None:
    nearly = shown_rows([a_row(RECALL, 0.998, 1.0, 0.002, -0.1, 0.1)])[0]
    assert (nearly.baseline, nearly.config) == ("99.8 %", "100.0 %")


def test_columns_are_told_apart_however_long_the_names_are() -> None:
    assert columns("baseline-local-direct", "mcp-remote-direct") == ["baseline-local", "mcp-remote"]
    one, other = columns("a-very-long-shared-beginning-1", "a-very-long-shared-beginning-2")
    assert one != other and max(len(one), len(other)) <= 14


def test_a_long_name_is_cut_between_words() -> None:
    agents = ("mini-swe-agent-gemini-3-pro", "mini-swe-agent-claude-4-sonnet")
    assert columns(*agents) == ["gemini-3-pro", "claude-4…"]
    assert columns(agents[0], "vorflux") == ["mini-swe…", "vorflux"]
    assert columns("averyveryverylongname", "b") == ["averyveryvery…", "b"], (
        "no place between words"
    )


@given(st.text("ab-_.", min_size=1, max_size=40), st.text("ab-_.", min_size=1, max_size=40))
def test_cut_names_are_short_and_told_apart(one: str, other: str) -> None:
    if one != other:
        cut = columns(one, other)
        assert cut[0] != cut[1] and all(0 < len(name) <= 14 for name in cut)


def test_tasks_needed_follow_the_scale_of_rewards() -> None:
    """A hundred times the rewards are the same question: as many tasks, a hundred times the size."""

    def enough(scale: float) -> tuple[Any, str]:
        rows = [
            row(f"task-{i:02}", name, {RECALL: 0.5}, reward=scale * ((i * 7 + 3 * k) % 11) / 10)
            for i in range(12)
            for k, name in enumerate(("baseline", "other"))
        ]
        answer = analyse(rows, ImpactOptions(draws=200), generated_at="now", scope="*").answer
        return answer.enough, answer.headline

    small, plain = enough(1.0)
    large, said = enough(100.0)
    assert (small.at, large.at) == (0.10, pytest.approx(10.0))
    assert small.needed == large.needed and small.needed
    assert "(a tenth of the largest)" in said and "a tenth" not in plain


def test_unknown_cost_has_its_reason() -> None:
    rows = [
        row(f"task-{i}", name, {RECALL: 0.5}, reward=1.0, **cost)
        for i in range(6)
        for name, cost in (("baseline", {"cost_usd": 0.1}), ("other", {"cost_usd": None}))
    ]
    answer = analyse(rows, ImpactOptions(draws=200), generated_at="now", scope="*").answer
    said = [item.text for item in answer.look_at if item.kind == "no_cost"]
    assert len(said) == 1 and said[0].startswith("cost of other is unknown: ")


def test_an_answer_is_rendered_from_its_json() -> None:
    """Whoever has only `--json` gets the same lines."""
    found = made().answer
    again = msgspec.json.decode(msgspec.json.encode(found), type=Answer)
    assert render(again) == render(found)


def test_a_difference_follows_from_the_means_beside_it() -> None:
    """61.54 % and 97.44 % would be 62 % and 97 %, which are not +36 points apart."""
    near = shown_rows([a_row(RECALL, 0.6154, 0.9744, 0.3590, 0.22, 0.50)])[0]
    assert (near.baseline, near.config, near.change) == ("61.5 %", "97.4 %", "+35.9 points")
    assert near.interval == "(+22 to +50)"
    noise = shown_rows([a_row(RECALL, 6 / 7, 1.0, 1 / 7, -2.7e-10, 1 / 3)])[0]
    assert (noise.baseline, noise.interval) == ("86 %", "(0 to +33)"), "an end of 0 is no number"


def test_rows_of_one_unit_are_written_alike() -> None:
    """One row needs a decimal so that its difference follows; the one below it gets it too, and
    money beside them does not."""
    found = shown_rows(
        [
            a_row(RECALL, 0.6154, 0.9744, 0.3590, 0.22, 0.50),
            a_row(READ, 0.50, 0.75, 0.25, 0.1, 0.4),
            a_row("reward", 0.58, 0.69, 0.11, -0.23, 0.45),
            a_row("cost_usd", 0.29, 0.39, 0.10, 0.06, 0.14),
        ]
    )
    assert [(one.baseline, one.config, one.change) for one in found] == [
        ("61.5 %", "97.4 %", "+35.9 points"),
        ("50.0 %", "75.0 %", "+25.0 points"),
        ("0.58", "0.69", "+0.11"),
        ("$0.29", "$0.39", "+$0.10"),
    ]


def test_an_interval_does_not_read_as_one_number_and_one_point_is_singular() -> None:
    """Ends of 0.6 and 1.3 points read “+1 to +1”; and a difference read “+1 points”."""
    narrow = shown_rows([a_row(RECALL, 0.5, 0.51, 0.01, 0.006, 0.013)])[0]
    assert (narrow.change, narrow.interval) == ("+1.0 points", "(+0.6 to +1.3)")
    one = shown_rows([a_row(RECALL, 0.5, 0.51, 0.01, -0.05, 0.07)])[0]
    assert one.change == "+1 point"


def test_a_missing_interval_says_how_many_tasks_differ() -> None:
    """50 tasks of which 7 differ, all in 3 repositories, had “(50 tasks)” in place of it."""
    few = {"reason": "fewer_than_4_differ", "n": 50, "ci_low": None, "ci_high": None}
    numbers = (0.80, 0.94, 0.14, 0.0, 0.0)
    rows = [
        a_row("reward", *numbers, **few, better=better, worse=0, same=50 - better)
        for better in (1, 3, 7)
    ]
    assert [one.interval for one in shown_rows(rows)] == [
        "(1 task differs)",
        "(3 tasks differ)",
        "(differs in fewer than 4 repositories)",
    ]


SHARES = st.floats(0, 1).map(lambda share: round(share, 6))
AMOUNTS = st.floats(0, 20_000).map(lambda amount: round(amount, 4))
PAIRS = st.lists(st.tuples(SHARES, SHARES), min_size=1, max_size=3) | st.lists(
    st.tuples(AMOUNTS, AMOUNTS), min_size=1, max_size=3
)


def number_in(text: str) -> Decimal:
    return Decimal(re.sub(r"[^\d.−-]", "", text).replace("−", "-"))


def last_digit(number: Decimal) -> Decimal:
    return Decimal(1).scaleb(int(number.as_tuple().exponent))


@given(PAIRS, st.sampled_from([RECALL, "reward", "cost_usd", "output_tokens", "agent_seconds"]))
def test_a_written_difference_is_that_of_the_written_means(
    pairs: list[tuple[float, float]], metric: str
) -> None:
    """232.5 and 255.0 were “+22” apart. Now a difference is that of the means beside it, with their
    decimals, and less than one unit of its last digit off the exact one."""
    rows = [
        a_row(metric, one, other, other - one, other - one - 0.1, other - one + 0.1)
        for one, other in pairs
    ]
    digits = set()
    for (baseline, config), found in zip(pairs, shown_rows(rows), strict=True):
        one, other, change = map(number_in, (found.baseline, found.config, found.change))
        assert other - one == change
        assert last_digit(one) == last_digit(other) == last_digit(change)
        digits.add(last_digit(one))
        unit = found.baseline[len(found.baseline.rstrip(" hmins%")) :].strip()
        scale = {"%": 100, "min": 1 / 60, "h": 1 / 3600}.get(unit, 1)
        own = float(last_digit(one))
        assert abs(float(one) - baseline * scale) <= 0.51 * own, "rounded truly"
        assert abs(float(other) - config * scale) <= 0.51 * own, "rounded truly"
        assert abs(float(change) - (config - baseline) * scale) <= 1.01 * own
    assert len(digits) == 1, "rows of one unit are written alike"


@given(AMOUNTS, AMOUNTS, st.sampled_from(["reward", "cost_usd", "output_tokens", "ttfr_seconds"]))
@example(0.0, 0.5, "output_tokens")
def test_a_table_s_difference_is_that_of_its_means(one: float, other: float, metric: str) -> None:
    numbers = Numbers(one, other, other - one, other - one - 0.1, other - one + 0.1)
    for texts in (formats.compared(metric, numbers), formats.compared_task(metric, one, other)):
        before, after, change = map(number_in, texts[:3])
        assert after - before == change
        assert last_digit(before) == last_digit(after) == last_digit(change)
        assert not (change == 0 and abs(one - other) > 0.001), "a difference never reads as none"


def known(metric: str, value: float) -> dict[str, Any]:
    return {"cost_usd": None, metric: value}


@pytest.mark.parametrize(
    ("metric", "before", "after", "said", "row_says"),
    [
        ("cost_usd", 0.2898, 0.3949, "cost 10.5 cents a task more", "+$0.105"),
        ("cost_usd", 0.29, 0.39, "cost 10 cents a task more", "+$0.10"),
        ("cost_usd", 0.29, 1.79, "cost $1.50 a task more", "+$1.50"),
        ("agent_seconds", 1463.0, 406.0, "took 17.6 min a task less", "−17.6 min"),
        ("output_tokens", 232.5, 255.0, "wrote 22.5 tokens a task more", "+22.5"),
    ],
)
def test_a_sentence_says_the_difference_of_its_row(
    metric: str, before: float, after: float, said: str, row_says: str
) -> None:
    rows = [
        row(f"task-{i:02}", name, {}, **known(metric, value))
        for i in range(12)
        for name, value in (("baseline", before), ("other", after))
    ]
    answer = analyse(rows, ImpactOptions(draws=200), generated_at="now", scope="*").answer
    shown_row = next(one for one in shown(answer).rows if one.metric == metric)
    assert shown_row.change == row_says
    assert said in answer.headline


def test_an_end_and_a_small_number_have_no_sign_of_nothing() -> None:
    assert points(-0.001) == "0" and points(0.05) == "+5" and points(-0.05) == "−5"
    assert signed(-0.001) == "0.00" and signed(0.05) == "+0.05"


def test_the_header_counts_the_trials_of_the_tasks_compared() -> None:
    """A 13th task that only one side solved validly is left out, with its trials."""
    rows = [
        row(
            f"task-{i:02}", name, {RECALL: 0.5}, reward=None if i == 12 and k else 1.0, cost_usd=0.1
        )
        for i in range(13)
        for k, name in enumerate(("baseline-local", "mcp"))
    ]
    found = analyse(rows, ImpactOptions(draws=200), generated_at="now", scope="*").answer
    assert shown(found).about == "12 tasks that both ran (24 trials)"
    counts = found.trials["mcp"]
    assert (counts.trials, counts.lost, counts.compared, counts.compared_lost) == (13, 1, 12, 0)


def test_the_level_of_the_intervals_is_said_once_everywhere() -> None:
    document = made()
    level = "95 % intervals, all rows together"
    assert shown(document.answer).level == level
    assert analysis_text(document).count(level) == render_html(document).count(level) == 1
    few = made(tasks=2)
    assert not any(one.ci_low is not None for one in few.answer.rows)
    assert "95 %" not in analysis_text(few)
