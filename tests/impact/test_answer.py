"""The answer: its rows, its words, and the reason if there is no answer (D160–D168)."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from groundtrace.documents.answer import Answer, AnswerAssociation, AnswerEnough, AnswerRow, LookAt
from groundtrace.report.answer_text import others, render, shown
from tests.impact.answers import (
    BASE,
    OTHER,
    READ,
    RECALL,
    answer,
    by_metric,
    document,
    kinds,
    pairs,
)
from tests.impact.trial_rows import row


def test_the_names_are_those_of_the_contract():
    assert {
        "headline", "baseline", "config", "n", "trials", "rows", "association", "enough",
        "look_at", "comparison", "statement",
    } <= set(Answer.__struct_fields__)  # fmt: skip
    assert {
        "question", "metric", "baseline", "config", "delta", "ci_low", "ci_high", "verdict",
        "scope", "within_margin", "n", "better", "same", "worse", "typical_ratio", "p",
        "p_adjusted",
    } <= set(AnswerRow.__struct_fields__)  # fmt: skip
    assert {"n", "detectable", "needed", "at"} <= set(AnswerEnough.__struct_fields__)
    assert {"across", "within", "by_found"} <= set(AnswerAssociation.__struct_fields__)
    assert LookAt.__struct_fields__ == ("kind", "text", "tasks")


def test_an_answer_worked_by_hand():
    """Rewards: 8 differences upwards, p 2 / 256. Costs all 1 → 2, p 2 / 256. Two rows are tested."""
    deltas = (0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)
    found = answer(pairs(deltas, {"cost_usd": 1.0}, {"cost_usd": 2.0}))
    assert (found.baseline, found.config, found.comparison) == (BASE, OTHER, "matched_comparisons")
    assert (found.n, found.trials[OTHER].trials, found.trials[OTHER].lost) == (8, 8, 0)
    assert [r.question for r in found.rows] == ["found", "used", "result", "price"]
    reward, cost = by_metric(found)["reward"], by_metric(found)["cost_usd"]
    assert (reward.baseline, reward.config) == (0.5, pytest.approx(0.95))
    assert (reward.delta, reward.better, reward.same, reward.worse) == (
        pytest.approx(0.45), 8, 0, 0,
    )  # fmt: skip
    assert (reward.p, reward.p_adjusted) == (2 / 256, 4 / 256)
    # At 2.5 %, 4 of 128 flips must be as extreme: none, and those with the three lowest roots.
    assert (reward.ci_low, reward.ci_high) == pytest.approx((0.2, 0.7))
    assert reward.verdict == cost.verdict == "higher"
    share = (0.025 / 2) ** (1 / 8)
    assert (cost.ci_low, cost.ci_high) == pytest.approx((share, 2 - share))
    assert cost.typical_ratio == pytest.approx(2.0)
    assert by_metric(found)[RECALL].verdict == "untestable"
    assert found.headline.startswith("It got a higher reward and cost $1.00 a task more.")
    assert "Association only" in found.statement


def test_an_interval_excludes_zero_exactly_where_the_word_says_so():
    random = np.random.default_rng(0)
    seen = set()
    for _ in range(25):
        up = random.choice([0.0, 0.1, 0.3])
        rows = [
            row(
                f"t{i:02}",
                config,
                {RECALL: random.random() + k * up, READ: round(random.random(), 1)},
                reward=float(random.random() < 0.4 + k * up),
                cost_usd=float(random.lognormal(k * up)),
            )
            for i in range(16)
            for k, config in enumerate((BASE, OTHER, "third"))
        ]
        for one in document(rows).answers:
            for r in one.rows:
                seen.add(r.verdict)
                excludes = r.ci_low is not None and (r.ci_low > 0 or r.ci_high < 0)
                assert (r.verdict in ("higher", "lower")) == excludes
                assert excludes == (r.p_adjusted < 0.05)
                assert r.verdict != "untestable"
    assert {"higher", "open"} <= seen


def test_six_tasks_cannot_be_tested_in_four_rows():
    """6 of 6 better with +.93 read “no difference beyond chance”."""
    rows = [
        row(f"t{i}", c, {RECALL: 0.05 + k * 0.9, READ: 0.1 + k * 0.8 + i / 100}, reward=float(k), cost_usd=1.0 + k)
        for i in range(6)
        for k, c in enumerate((BASE, OTHER))
    ]  # fmt: skip
    found = answer(rows)
    assert {r.verdict for r in found.rows} == {"untestable"}
    assert all(r.ci_low is None for r in found.rows)
    assert "Nothing can be concluded from 6 tasks" in found.headline
    assert by_metric(answer(rows, primaries=("reward",)))["reward"].verdict == "higher"


def test_ties_say_that_no_task_differs():
    """40 ties read “too few to say (all tasks differ by the same amount)”."""
    found = answer(pairs([0.0] * 40))
    reward = by_metric(found)["reward"]
    assert (reward.verdict, reward.ci_low, reward.reason) == ("open", None, "no_task_differs")
    assert "No task differs in reward" in found.headline
    assert "is open" not in found.headline.partition("No task differs in reward")[2]


def test_without_any_reward_the_answer_says_so():
    """All rewards were lost: the row was gone, and nothing said why."""
    rows = [
        row(f"t{i:02}", config, {RECALL: 0.4 + 0.4 * k}, reward=None)
        for i in range(12)
        for k, config in enumerate((BASE, OTHER))
    ]
    assert "No task has a reward on both sides" in answer(rows).headline


def test_too_few_tasks_are_said_once():
    rows = [row("t", config, {RECALL: 0.5}, reward=1.0) for config in (BASE, OTHER)]
    assert answer(rows).headline.endswith("only 1 task to compare, and at least 3 are needed.")


def test_one_trial_alone_is_spoken_of_as_one():
    said = answer([row("t", OTHER, {RECALL: 1.0}, reward=1.0)]).headline
    assert said == "The only trial was solved. Every relevant file was shown."
    said = answer([row("t", OTHER, {RECALL: 0.0}, reward=0.0)]).headline
    assert said == "The only trial was not solved. Not every relevant file was shown."


@pytest.mark.parametrize(
    ("reward", "said"),
    [(1.0, "All 12 trials were solved."), (0.0, "None of 12 trials was solved.")],
)
def test_where_all_or_none_are_solved_nothing_is_said_about_finding(reward, said):
    """“4 of 4 were solved, otherwise 8 of 8: 0 points (−49 to +32), so whether the two go together
    is open” was said."""
    alone = [row(f"t{i}", OTHER, {RECALL: (i % 3) / 2}, reward=reward) for i in range(12)]
    found = "Every relevant file was shown in 4 of 12 trials."
    assert answer(alone).headline == f"{said} {found}"
    both = [
        row(f"t{i}", config, {RECALL: float(i % 2)}, reward=reward)
        for i in range(6)
        for config in (BASE, OTHER)
    ]
    assert answer(both).headline.endswith(f" {said}")


def test_all_or_none_is_said_of_every_trial_not_of_those_whose_files_are_known():
    """“None of 11 trials was solved” was said of 16 of which one was: its files were not known."""

    def said(unknown):
        """Six tasks whose files are known and of which none is solved, and one of which they are
        not."""
        known = [
            row(f"t{i}", config, {RECALL: float(i % 2)}, reward=0.0)
            for i in range(6)
            for config in (BASE, OTHER)
        ]
        more = [
            row("t9", config, reward=unknown, computable=False, reason="no_ground_truth")
            for config in (BASE, OTHER)
        ]
        return answer([*known, *more]).headline

    assert said(0.0).endswith(" None of 14 trials was solved.")
    assert "12 trials" not in said(1.0) and "solved" not in said(1.0)
    assert said(None).endswith(" none of 12 trials with a reward was solved.")


def test_trials_whose_shown_files_are_not_known_are_counted_beside_those_that_are():
    """“Over all trials of both, … 22 of 34, otherwise 8 of 22” left three out without a word."""
    rows = [
        row(f"t{i}", OTHER, {RECALL: float(i % 2)} if i < 6 else {}, reward=float(i % 3 == 0))
        for i in range(9)
    ]
    assert "otherwise 1 of 3 (unknown for 3): 0 points" in answer(rows).headline
    assert "unknown" not in answer(rows[:6]).headline


def some(n: int, recall=(1.0,), reward=(1.0,), why=None):
    """Trials of one configuration; recalls and rewards go round."""
    return [
        row(
            f"t{i}",
            OTHER,
            {} if why else {RECALL: recall[i % len(recall)]},
            reward=reward[i % len(reward)],
            computable=why is None,
            reason=why,
        )
        for i in range(n)
    ]


NEITHER = "so neither finding nor solving can be judged."


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (some(3, why="no_ground_truth", reward=(None,)), f"Nothing says which files were relevant or whether a trial was solved, {NEITHER}"),
        (some(3, why="no_trace", reward=(None,)), f"No trial has a reward, and of none is it known which relevant files were shown, {NEITHER}"),
        (some(5, why="no_trace", reward=(0.0, 1.0)), "2 of 5 trials were solved. Of no trial is it known which relevant files were shown."),
        (some(5, why="no_ground_truth"), "All 5 trials were solved. Relevant files are not known."),
        (some(5, recall=(1.0, 0.5), reward=(None,)), "No trial has a reward, so nothing says what was solved. Every relevant file was shown in 3 of 5 trials."),
        (some(6, reward=(None, 1.0)), "All 3 trials with a reward were solved. Every relevant file was shown in all 6 trials."),
        (some(6, recall=(0.5,), reward=(None, 1.0, 0.0)), "2 of 4 trials with a reward were solved. In none of 6 trials was every relevant file shown."),
        (some(4, reward=(0.4,)), "None of 4 trials was solved (that takes reward 1). Every relevant file was shown in all 4 trials."),
        (some(1, reward=(0.4,)), "The only trial was not solved (that takes reward 1). Every relevant file was shown."),
        ([*some(4, recall=(0.5,), reward=(0.0,)), *some(6, why="no_trace")[4:]], "2 of 6 trials were solved. In none of 4 trials of which that is known was every relevant file shown."),
        ([], "There is no trial, so nothing can be said."),
    ],
)  # fmt: skip
def test_one_configuration_says_what_is_known_of_it(rows, said):
    """Trials without a reward were not among “all 6 trials”, and without rewards nothing was said
    about finding."""
    found = answer(rows)
    assert found.headline == said
    text = render(found)
    assert "–" not in text, "a row without a number says nothing"
    assert text.startswith(OTHER) == bool(rows)


def test_two_that_do_not_differ_in_anything_are_said_so():
    """“Any difference could be chance” was said where there was none."""
    rows = [
        row(f"t{i}", config, {RECALL: 0.5}, reward=1.0)
        for i in range(5)
        for config in (BASE, OTHER)
    ]
    assert answer(rows).headline == (
        "No task differs in relevant files shown or reward, but nothing can be concluded from "
        "5 tasks."
    )


def test_a_pair_without_any_number_has_no_rows_of_dashes():
    rows = [
        row(f"t{i:02}", config, reward=None, computable=False, reason="no_trace")
        for i in range(12)
        for config in (BASE, OTHER)
    ]
    lines = render(answer(rows)).splitlines()
    assert lines[0].startswith(f"{OTHER} against {BASE}, 12 tasks")
    assert lines[2].startswith("No number is known on both sides of a task")
    assert not any(line.startswith("Found") for line in lines)


def test_a_row_without_values_is_not_called_open():
    """“Relevant files shown: lower if trials without a usable trace count as 0, open without them”
    was said where no task had the number on both sides."""
    rows = [
        row(
            f"t{i:02}",
            config,
            {} if k else {RECALL: 0.5},
            reward=1.0 - k,
            computable=not k,
            reason="no_trace" if k else None,
        )
        for i in range(12)
        for k, config in enumerate((BASE, OTHER))
    ]
    assert set(kinds(answer(rows))) == {"no_trace", "no_cost"}


def sessions(config, n, recall=0.5, **outcome):
    made = [row(f"{config}{i}", config, {RECALL: recall}, **outcome) for i in range(n)]
    return [replace(one, title="do it", repo="heron/heron") for one in made]


def test_groups_of_sessions_are_counted_as_sessions():
    """“17 trials, 9 lost”: nobody rewards sessions, so none is lost."""
    apart = [*sessions("without-mcp", 8, reward=None), *sessions("with-mcp", 9, reward=None)]
    found = answer(apart)
    assert shown(found).title == "with-mcp against without-mcp, 17 sessions, no task in common"
    (only,) = [r for r in found.rows if r.n]
    assert (only.delta, only.ci_low, only.ci_high) == (0.0, None, None)
    assert "unpaired: 0 points (no session differs)" in render(found)
    some_rewards = [*sessions("without-mcp", 8, reward=None), *sessions("with-mcp", 9)]
    assert "17 sessions (8 without a reward), no task" in shown(answer(some_rewards)).title


def test_groups_of_sessions_without_any_number_have_no_rows():
    nothing = [
        replace(one, metrics={}, reason="no_ground_truth", computable=False)
        for config in ("without-mcp", "with-mcp")
        for one in sessions(config, 2, reward=None)
    ]
    text = render(answer(nothing))
    assert "No number is known of both groups." in text and "→" not in text
    assert kinds(answer(nothing))["no_ground_truth"].startswith("no session has ground truth")


def test_pairs_with_too_few_tasks_are_named():
    rows = [*pairs([0.1 * i for i in range(8)]), row("else", "third", {RECALL: 0.5})]
    assert others(document(rows)) == [
        f"1 other pair has fewer than 3 tasks to compare: third against {BASE}"
    ]


def test_rewards_of_another_scale_do_not_say_what_is_solved():
    """Of rewards up to 100 nearly all reach 1: “10 of 10 trials were solved (reward 1)”."""
    rows = [
        row(f"t{i}", config, {RECALL: float(i % 2)}, reward=7.0 * i + k, cost_usd=0.1 + i)
        for i in range(12)
        for k, config in enumerate((BASE, OTHER))
    ]
    for found in (answer(rows), answer(rows[::2])):
        assert "so nothing says which trials were solved." in found.headline
        assert "were solved," not in found.headline and "(reward 1)" not in found.headline
        by = found.association.by_found
        assert (by.shown_all.n, by.otherwise.n, by.difference) == (0, 0, None)
        assert found.association.across.r is not None, "finding and reward are still compared"
        assert found.cost_per_solved == {}


def test_a_tie_is_no_excuse_for_too_few_tasks():
    """“No task differs in reward, but 20 tasks are too few” is nobody's sentence."""
    rows = [
        row(f"t{i:02}", config, {RECALL: 0.5}, reward=float(i % 2), cost_usd=0.1)
        for i in range(20)
        for config in (BASE, OTHER)
    ]
    said = answer(rows).headline
    assert said.startswith("No task differs in relevant files shown, reward or cost. To see a ")
    assert "too few" not in said


def test_a_row_of_fewer_tasks_says_of_how_many():
    """Cost was known for 13 of 20 tasks, and the row said nothing."""
    rows = [
        row(
            f"t{i:02}",
            config,
            {RECALL: 0.5 + 0.1 * k},
            reward=float(i % 2),
            cost_usd=0.1 + 0.01 * i + 0.1 * k if i % 3 else None,
        )
        for i in range(20)
        for k, config in enumerate((BASE, OTHER))
    ]
    text = " ".join(render(answer(rows)).split())
    assert text.count("known for") == 1 and "known for 13 of 20 tasks" in text


def test_rows_of_the_same_fewer_tasks_say_it_once():
    """Three rows said “known for 26 of 28 tasks” on a line each."""
    rows = [
        row(
            f"t{i:02}",
            config,
            {RECALL: 0.5 + 0.1 * k} if i % 3 else {},
            reward=float(i % 2),
            cost_usd=0.1 + 0.01 * i + 0.1 * k if i % 3 else None,
        )
        for i in range(20)
        for k, config in enumerate((BASE, OTHER))
    ]
    text = " ".join(render(answer(rows)).split())
    assert text.count("known for") == 1
    assert "relevant files shown and cost a task are known for 13 of 20 tasks" in text
    assert all("known for" not in one.more for one in shown(answer(rows)).rows)


def test_without_ground_truth_a_pair_says_that_finding_is_unknown():
    rows = [
        row(f"t{i:02}", config, {}, reward=float((i + k) % 3 > 0), reason="no_ground_truth")
        for i in range(12)
        for k, config in enumerate((BASE, OTHER))
    ]
    assert "so nothing says which finds more." in answer(rows).headline


def test_what_is_compared_in_spite_of_a_difference_is_said_in_words():
    """“10 tasks not matched in everything: the model differs or is unknown”."""

    def said(**of: tuple[object, object, object]):
        """Each name with its value in the baseline, in the other, and in the other's last task."""
        rows = [
            row(f"t{i:02}", name, {RECALL: 0.5}, **{k: v[at] for k, v in of.items()})
            for i in range(12)
            for name, at in ((BASE, 0), (OTHER, 1 + i // 11))
        ]
        return kinds(answer(rows))["not_matched"].removeprefix("12 tasks compared although ")

    assert said(model=("a", "b", "b")) == "the model differs"
    assert said(model=("a", None, None)) == "the model is unknown"
    assert said(model=("a", "b", None)) == "the model differs or is unknown"
    assert said(harness=("a", "b", "b")) == "the harness differs"
    assert said(reward=(1.0, None, None)) == "a reward is missing"
    assert said(reward=(None, None, None)) == "no reward is known"


def test_unknown_cost_of_both_sides_is_one_line():
    rows = [row(f"t{i:02}", config, {RECALL: 0.5}) for i in range(6) for config in (BASE, OTHER)]
    lines = [item.text for item in answer(rows).look_at if item.kind == "no_cost"]
    assert lines == [
        "cost of baseline-local and mcp-remote is unknown: neither cost nor tokens are recorded"
    ]
