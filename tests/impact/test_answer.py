"""The answer: its rows, verdicts, fallbacks, and the reason if there is no answer (D160–D168)."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from msgspec import UNSET
from msgspec.structs import replace

from groundtrace.documents.answer import Answer, AnswerAssociation, AnswerEnough, AnswerRow, LookAt
from groundtrace.impact import ImpactOptions, analyse
from groundtrace.impact.answer import cost_per_solved
from groundtrace.report.answer_text import analysis_text, others, render, shown
from tests.impact.trial_rows import row

BASE, OTHER = "baseline-local", "mcp-remote"
RECALL, READ = "shown.file_recall", "util_read_overlap_with_relevant_files"


def document(rows, **options):
    chosen = ImpactOptions(**{"draws": 200, **options})
    return analyse(rows, chosen, generated_at="now", scope="*")


def answer(rows, **options):
    return document(rows, **options).answer


def by_metric(found):
    return {r.metric: r for r in found.rows}


def kinds(found):
    return {item.kind: item.text for item in found.look_at}


def pairs(rewards, base=None, other=None, **shared):
    """Tasks with a reward of 0.5 in the baseline and 0.5 + d in the other configuration."""
    return [
        made
        for i, d in enumerate(rewards)
        for made in (
            row(f"t{i:02}", BASE, **{"reward": 0.5, **shared, **(base or {})}),
            row(f"t{i:02}", OTHER, **{"reward": 0.5 + d, **shared, **(other or {})}),
        )
    ]


def costs(before, after, **shared):
    return [
        made
        for i, (b, c) in enumerate(zip(before, after, strict=True))
        for made in (
            row(f"t{i:02}", BASE, cost_usd=b, **shared),
            row(f"t{i:02}", OTHER, cost_usd=c, **shared),
        )
    ]


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


# Attempts and lost ones


def attempts(baseline, other, tasks=12):
    return [
        row(f"t{i:02}", config, trial=f"{config}-{i}-{k}", reward=reward)
        for i in range(tasks)
        for config, rewards in ((BASE, baseline), (OTHER, other))
        for k, reward in enumerate(rewards)
    ]


def test_lost_attempts_that_change_the_word_leave_it_open():
    """Baseline 1, 1, 0; other 1, lost, lost: 0.67 → 1.00, but 0.67 → 0.33 with lost ones as 0."""
    whole = document(attempts((1.0, 1.0, 0.0), (1.0, None, None)))
    found = whole.answer
    reward = by_metric(found)["reward"]
    assert (reward.baseline, reward.config) == (pytest.approx(2 / 3), 1.0)
    assert reward.ci_low > 0 and reward.verdict == "open"
    assert (found.trials[BASE].lost, found.trials[OTHER].lost) == (0, 24)
    lost = whole.matched_comparisons[0].lost_as_zero
    assert (lost.mean_baseline, lost.mean_config) == pytest.approx((2 / 3, 1 / 3))
    assert lost.verdict == "lower"
    assert "24 lost attempts decide (0 in the baseline)" in kinds(found)["lost"]
    assert "it hangs on the lost attempts" in found.headline


def test_lost_attempts_that_change_nothing_are_only_counted():
    found = answer(attempts((0.0, 0.0, 0.0, 0.0), (1.0, 1.0, 1.0, None)))
    assert by_metric(found)["reward"].verdict == "higher"
    assert "lost" not in kinds(found)
    assert found.trials[OTHER].lost == 12


def test_a_task_that_lost_every_attempt_of_a_side_counts_as_zero_too():
    rows = [*pairs([0.3 + i / 100 for i in range(8)])]
    rows += [
        made
        for i in range(12)
        for made in (row(f"x{i}", BASE, reward=0.5), row(f"x{i}", OTHER, reward=None))
    ]
    found = answer(rows)
    assert (found.n, by_metric(found)["reward"].verdict) == (8, "open")
    assert "12 lost attempts decide (0 in the baseline)" in kinds(found)["lost"]


def test_the_spread_between_attempts_says_what_would_help():
    noisy = document(attempts((1.0, 0.0), (0.0, 1.0, 1.0)) + pairs([0.5, -0.5])).answer
    assert "more attempts" in kinds(noisy)["attempts"]
    random = np.random.default_rng(1)
    rows = [
        row(f"t{i}", config, trial=f"{config}{i}{k}", reward=value + 0.001 * k)
        for i in range(12)
        for config, value in ((BASE, 0.5), (OTHER, float(random.random())))
        for k in range(2)
    ]
    assert "more tasks, not more attempts" in kinds(answer(rows))["attempts"]
    assert "attempts" not in kinds(answer(pairs([0.1, 0.2, 0.3])))


# Margins


def binary(gained, lost, n, **options):
    rewards = [1.0] * gained + [-1.0] * lost + [0.0] * (n - gained - lost)
    rows = [
        made
        for i, d in enumerate(rewards)
        for made in (
            row(f"t{i:03}", BASE, reward=float(d < 0)),
            row(f"t{i:03}", OTHER, reward=float(d > 0)),
        )
    ]
    return by_metric(answer(rows, **options))["reward"]


def test_six_ties_are_not_equivalent():
    """“Equivalent within 0.001”, p .0156, in a row that refused an interval."""
    found = binary(0, 0, 6, margin=0.001)
    assert (found.verdict, found.within_margin) == ("open", False)


def test_near_ties_of_200_tasks_are_equivalent_within_a_tenth():
    assert binary(2, 2, 200).verdict == "open"
    assert binary(2, 2, 200).within_margin is UNSET
    found = binary(2, 2, 200, margin=0.1)
    assert (found.verdict, found.within_margin) == ("equivalent", True)
    assert binary(10, 4, 200, margin=0.04).verdict == "not_worse"
    assert binary(0, 30, 200, margin=0.1).verdict == "lower"


def test_higher_and_within_the_margin_are_both_said():
    found = binary(15, 0, 400, margin=0.1)
    assert (found.verdict, found.within_margin) == ("higher", True)


def test_graded_rewards_go_by_the_interval_and_claim_nothing_without_one():
    near = [0.0, 0.01, -0.01] * 8
    found = by_metric(answer(pairs(near), margin=0.1))["reward"]
    assert found.verdict == "equivalent" and -0.1 < found.ci_low < found.ci_high < 0.1
    few = by_metric(answer(pairs([0.01, -0.01] + [0.0] * 40), margin=0.1))["reward"]
    assert (few.verdict, few.within_margin, few.ci_low) == ("open", False, None)
    wide = by_metric(answer(pairs([0.5, -0.5] * 6), margin=0.1))["reward"]
    assert (wide.verdict, wide.within_margin) == ("open", False)


# Money


def test_one_dear_task_does_not_read_as_cheaper():
    """39 tasks at half the cost and one of $40 read “cost lower … cheaper”; more was spent."""
    found = answer(costs([1.0] * 40, [40.0] + [0.5] * 39))
    cost = by_metric(found)["cost_usd"]
    assert cost.delta == pytest.approx(0.4875)
    assert cost.verdict == "open"
    assert cost.typical_ratio == pytest.approx(40 ** (1 / 40) * 0.5 ** (39 / 40))
    said = kinds(found)
    assert (
        "a typical task takes less (× 0.56" in said["typical"]
        and "together take more" in said["typical"]
    )
    assert "1 task of 40 makes up more than half" in said["dominated"]
    assert next(i.tasks for i in found.look_at if i.kind == "dominated") == ["t00"]


def test_costs_of_zero_count_in_the_total_and_leave_no_typical_ratio():
    cost = by_metric(answer(costs([1.0, 1.0] * 10, [0.0, 1.19] * 10)))["cost_usd"]
    assert (cost.n, cost.delta) == (20, pytest.approx(-0.405))
    assert cost.typical_ratio is UNSET


def test_the_price_falls_back_to_time():
    rows = [
        row(f"t{i}", c, agent_seconds=10.0 + 5 * k + i / 10)
        for i in range(8)
        for k, c in enumerate((BASE, OTHER))
    ]
    found = answer(rows)
    assert found.rows[-1].metric == "agent_seconds" and found.rows[-1].verdict == "higher"
    assert "took 5.0 s a task longer" in found.headline


def test_the_cost_of_a_solved_task_by_fieller():
    """Equal costs and all solved: exactly the cost. Otherwise the roots of Fieller's equation."""
    same = cost_per_solved(np.full(8, 2.0), np.ones(8), 8)
    assert (same.value, same.ci_low, same.ci_high) == pytest.approx((2.0, 2.0, 2.0))
    random = np.random.default_rng(0)
    cost, solved = 1 + random.random(40), (random.random(40) < 0.6) * 1.0
    found = cost_per_solved(cost, solved, 40)
    assert found.value == pytest.approx(cost.sum() / solved.sum())
    t = 2.0226909  # .975 with 39 degrees of freedom, from a printed table
    for end in (found.ci_low, found.ci_high):
        rest = cost - end * solved
        assert abs(rest.mean()) / (rest.std(ddof=1) / math.sqrt(40)) == pytest.approx(t, rel=1e-6)
    none = cost_per_solved(cost, np.zeros(40), 40)
    assert (none.value, none.reason) == (None, "nothing_solved")
    rare = cost_per_solved(cost, np.array([1.0] + [0.0] * 39), 40)
    assert (rare.ci_low, rare.reason) == (None, "too_few_solved")


def test_costs_that_are_alike_promise_no_reward_for_a_dollar():
    """Costs equal to $0.0001 read “+2e+03 reward for each extra dollar”."""
    rows = [
        row(f"t{i:02}", c, reward=0.5 + 0.2 * k * (i % 2), cost_usd=1.0 + 1e-4 * k * (i % 3 - 1))
        for i in range(12)
        for k, c in enumerate((BASE, OTHER))
    ]
    found = answer(rows)
    assert "dollar" not in analysis_text(document(rows))
    assert "A solved task cost" not in found.headline


# Repositories


def in_repositories(count, tasks=24, effect=lambda i: 0.3):
    return [
        msgspec.structs.replace(made, repo=f"r{i % count}")
        for i in range(tasks)
        for made in (
            row(f"t{i:02}", BASE, reward=0.5),
            row(f"t{i:02}", OTHER, reward=0.5 + effect(i) + i / 1000),
        )
    ]


def test_below_six_repositories_the_verdict_is_about_these():
    found = answer(in_repositories(3))
    assert {r.scope for r in found.rows} == {"these_repositories"}
    assert (
        "The verdicts hold for tasks of these 3 repositories; others may differ." in found.headline
    )


def test_from_six_repositories_on_whole_repositories_flip():
    whole = document(in_repositories(8))
    assert (whole.matched_comparisons[0].flipped, whole.matched_comparisons[0].n_flipped) == (
        "repositories",
        8,
    )
    reward = by_metric(whole.answer)["reward"]
    assert (reward.scope, reward.p, reward.verdict) == (UNSET, 2 / 256, "higher")


def test_changes_that_cancel_inside_repositories_say_so():
    found = answer(
        [
            msgspec.structs.replace(made, repo=f"r{i // 2}")
            for i in range(20)
            for made in (
                row(f"t{i:02}", BASE, reward=0.5),
                row(f"t{i:02}", OTHER, reward=0.5 + (0.3 if i % 2 else -0.3)),
            )
        ]
    )
    assert by_metric(found)["reward"].verdict == "open"
    assert by_metric(found)["reward"].reason == "changes_cancel"
    assert "changes cancel inside each repository" in found.headline


# Enough


def test_enough_is_about_the_margin_or_a_tenth_and_never_the_difference_seen():
    random = np.random.default_rng(0)
    deltas = 0.3 + 0.3 * random.normal(size=12)
    found, other = answer(pairs(deltas)).enough, answer(pairs(deltas), margin=0.2).enough
    assert (found.at, other.at, found.metric, found.n) == (0.1, 0.2, "reward", 12)
    assert found.needed > 12 >= other.needed
    assert found.detectable == other.detectable
    moved = answer(pairs(deltas + 0.4)).enough
    assert (moved.detectable, moved.needed) == pytest.approx((found.detectable, found.needed))


def test_more_rows_and_configurations_need_more_tasks():
    random = np.random.default_rng(1)
    deltas = 0.3 * random.normal(size=20)
    one = answer(pairs(deltas)).enough
    cost = {"cost_usd": 1.0}, {"cost_usd": 1.0}
    rows = pairs(deltas, *cost) + [
        row(
            f"t{i:02}",
            "third",
            reward=0.5 + float(random.normal()),
            cost_usd=float(random.random()),
        )
        for i in range(20)
    ]
    two = next(a for a in document(rows).answers if a.config == OTHER).enough
    assert two.detectable > one.detectable
    assert two.needed > one.needed


# Which configurations


def test_every_configuration_has_its_answer_and_the_first_has_most_tasks():
    """With equal n the first by name hid a gain of +.4 of the last."""
    rows = [
        row(f"t{i:02}", config, reward=value + i / 1000)
        for i in range(10)
        for config, value in (("baseline", 0.3), ("aaa", 0.3), ("zzz", 0.7))
    ]
    whole = document(rows)
    assert [a.config for a in whole.answers] == ["aaa", "zzz"]
    assert whole.answer == whole.answers[0]
    assert by_metric(whole.answers[1])["reward"].verdict == "higher"
    assert "zzz against baseline, 10 tasks: reward higher (+0.40)" in analysis_text(whole)
    more = document([*rows, row("more", "baseline"), row("more", "zzz")])
    assert more.answer.config == "zzz"


def test_two_configurations_without_a_baseline_are_compared_in_the_order_of_names():
    rows = [row(f"t{i}", config) for i in range(4) for config in ("without", "with")]
    found = answer(rows)
    assert (found.baseline, found.config) == ("with", "without")
    assert "--baseline without" in kinds(found)["baseline"]
    swapped = answer(rows, baseline="without")
    assert (swapped.baseline, "baseline" in kinds(swapped)) == ("without", False)


def test_three_configurations_without_a_baseline_name_the_flag():
    rows = [
        row(f"t{i}", config, {RECALL: value}, reward=reward)
        for i in range(4)
        for config, value, reward in (("with", 1.0, 1.0), ("without", 0.25, None), ("x", 0.5, 0.0))
    ]
    whole = document(rows)
    found = whole.answer
    assert (found.rows, found.comparison, whole.answers) == ([], None, [])
    assert "'baseline*'" in found.headline and "--baseline" in found.headline
    text = analysis_text(whole)
    assert "with 100 % (4 tasks), without 25 % (4 tasks)" in text
    assert "reward: with 1.00 (4 tasks), x 0.00 (4 tasks)" in text, "no reward is not 0"


def test_only_the_configurations_with_most_tasks_are_side_by_side():
    """As on the page: four, and the number of the others."""
    rows = [row(f"t{i}", f"c{n}", {RECALL: 0.5}) for n in range(6) for i in range(n + 1)]
    text = analysis_text(document(rows))
    assert "c2 50 % (3 tasks)" in text and "c1 50 %" not in text
    assert "2 more configurations in the report" in text


def test_one_configuration_alone_has_values_no_arrows_and_the_association():
    rows = [
        row(f"t{i}", OTHER, {RECALL: float(i % 2)}, reward=float(i % 4 == 1)) for i in range(12)
    ]
    found = answer(rows)
    by_name = by_metric(found)
    assert (found.baseline, found.config, found.comparison, found.n) == (None, OTHER, None, 12)
    assert (by_name[RECALL].config, by_name[RECALL].baseline, by_name[RECALL].n) == (0.5, None, 12)
    assert by_name["reward"].delta is by_name["reward"].verdict is None
    by = found.association.by_found
    assert (by.shown_all.n, by.shown_all.solved, by.otherwise.solved) == (6, 3, 0)
    text = render(found)
    assert "→" not in text
    assert "3 of 6 trials were solved, otherwise 0 of 6" in " ".join(text.split())


def test_solved_by_functions_shown_is_a_sentence_of_its_own():
    """6 of 12 trials were shown every needed function; half of these were solved, no other."""
    rows = [
        row(
            f"t{i}",
            OTHER,
            {RECALL: float(i % 4 > 0), "function_recall": float(i % 2)},
            reward=float(i % 4 == 1),
        )
        for i in range(12)
    ]
    said = answer(rows).headline
    assert said.startswith(
        "3 of 12 trials were solved. Where every relevant file was shown, 3 of 9"
    )
    assert (
        "Where every needed function was shown, 3 of 6 trials were solved, otherwise 0 of 6" in said
    )
    assert said.count("95 % interval") == 2
    known = [msgspec.structs.replace(r, metrics={RECALL: r.metrics[RECALL]}) for r in rows]
    assert "function" not in answer(known).headline


def test_solved_is_explained_only_beside_partial_rewards():
    """0.5 is not solved; where rewards are 0 and 1 nothing needs to be said."""
    for part, word in (
        (0.5, "6 of 12 trials were solved (reward 1)."),
        (0.0, "6 of 12 trials were solved."),
    ):
        rows = [
            row(f"t{i}", OTHER, {RECALL: 1.0}, reward=1.0 if i % 2 else part) for i in range(12)
        ]
        assert word in answer(rows).headline


# Pairs


def test_two_configurations_in_separate_runs_are_compared_under_another_name():
    """Twelve tasks that both ran were said not to be run in both configurations."""
    rows = [
        made
        for i in range(6)
        for made in (
            row(f"t{i}", BASE, run="run-1", reward=0.0),
            row(f"t{i}", OTHER, run="run-2", reward=float(i)),
        )
    ]
    whole = document(rows)
    assert whole.matched_comparisons[0].dropped == {"different_runs": 6}
    (other,) = whole.other_comparisons
    assert (other.not_met, other.n_matched_tasks) == (["run"], 6)
    assert whole.answer.comparison == "other_comparisons"
    assert "different runs" in kinds(whole.answer)["not_matched"]
    assert answer(rows, pair_across_runs=True).comparison == "matched_comparisons"


@pytest.mark.parametrize(
    ("change", "not_met"),
    [
        ({"model": "claude-y"}, ["model"]),
        ({"model": None}, ["model"]),
        ({"harness_version": "2.2"}, ["harness_version"]),
        ({"harness": "openhands"}, ["harness_version"]),
        ({"reward": None}, ["reward"]),
        ({"reward": None, "model": "claude-y"}, ["model", "reward"]),
    ],
)
def test_pairs_that_fail_a_requirement_are_compared_and_say_which(change, not_met):
    rows = [
        made
        for i in range(6)
        for made in (
            row(f"t{i}", BASE, {RECALL: 0.25}, cost_usd=1.0),
            row(f"t{i}", OTHER, {RECALL: 0.5}, cost_usd=2.0 + i, **change),
        )
    ]
    whole = document(rows)
    (other,) = whole.other_comparisons
    assert other.not_met == not_met
    assert {tuple(task.not_met) for task in other.tasks} == {tuple(not_met)}
    found = {delta.metric: delta for delta in other.deltas}
    assert found[RECALL].mean_delta == 0.25
    assert found["cost_usd"].p == 2 / 2**6
    assert whole.answer.comparison == "other_comparisons"


def test_a_matched_comparison_stays_as_it_is_beside_a_wider_one():
    rows = [*pairs((0.1,) * 4), row("odd", BASE, model="x"), row("odd", OTHER, model="y")]
    whole = document(rows)
    assert whole.matched_comparisons[0].n_matched_tasks == 4
    assert whole.answer.comparison == "matched_comparisons"
    (other,) = whole.other_comparisons
    assert (other.n_matched_tasks, other.not_met) == (5, ["model"])


def test_fewer_than_three_tasks_in_common_are_said_with_the_reason():
    rows = [*pairs((0.1, 0.2)), row("a", BASE), row("b", OTHER), row("c", OTHER)]
    found = answer(rows)
    assert (found.rows, found.comparison, found.n) == ([], None, 2)
    assert "only 2 tasks to compare" in found.headline
    assert f"not run in {OTHER} (1)" in found.headline
    assert "not run in the baseline (2)" in found.headline


def test_what_was_dropped_says_which_side_lost_it():
    rows = [*pairs((0.1,) * 3), row("a", BASE), row("r", BASE, reward=None), row("r", OTHER)]
    whole = document(rows)
    comparison = whole.matched_comparisons[0]
    assert comparison.dropped_sides == {
        "missing_side": {"config": 1},
        "no_valid_reward": {"baseline": 1},
    }
    assert {(d.task_name, d.side) for d in comparison.dropped_tasks} == {
        ("a", "config"),
        ("r", "baseline"),
    }
    left = next(item for item in whole.answer.look_at if item.kind == "left_out")
    assert left.text.startswith("2 tasks left out: ") and left.tasks == ["a", "r"]


def test_rows_that_the_user_names_replace_the_four():
    found = answer(pairs((0.1,) * 3), primaries=("mrr", "output_tokens"))
    assert [(r.question, r.metric) for r in found.rows] == [
        ("found", "mrr"),
        ("price", "output_tokens"),
    ]


def test_other_metrics_are_exploratory_and_have_no_verdict():
    rows = [
        row(f"t{i:02}", c, {"mrr": 0.2 + 0.5 * k + i / 100}, reward=0.5 + 0.1 * k * (i % 3))
        for i in range(10)
        for k, c in enumerate((BASE, OTHER))
    ]
    by_name = {d.metric: d for d in document(rows).matched_comparisons[0].deltas}
    mrr, reward = by_name["mrr"], by_name["reward"]
    assert (mrr.table, mrr.verdict, mrr.p_adjusted) == ("exploratory", None, None)
    assert mrr.ci_low > 0
    assert (reward.table, reward.verdict is None) == ("primary", False)


def test_rewards_on_two_scales_are_asked_about():
    rows = [
        row(f"t{i}", c, reward=value)
        for i in range(6)
        for c, value in ((BASE, i / 6), (OTHER, 100 * i / 6))
    ]
    assert "are they on one scale?" in kinds(answer(rows))["scale"]
    assert "scale" not in kinds(answer(pairs([0.1] * 6)))


# Notes and words


@pytest.mark.parametrize("primary", ["precision@10", "shown.ndcg@10"])
def test_unjudged_files_are_mentioned_only_where_they_change_the_conclusion(primary):
    """Precision falls in every task and bpref rises: unjudged files alone made it fall."""

    def notes(judged, tasks=10):
        rows = [
            row(
                f"t{i:02}",
                config,
                reward=0.5,
                metrics={primary: 0.5 - up * (0.2 + i / 100)}
                | ({} if i >= tasks else {"bpref": 0.5 + up * (judged + i / 100)}),
            )
            for i in range(10)
            for up, config in enumerate((BASE, OTHER))
        ]
        return document(rows, primaries=(primary,)).matched_comparisons[0].notes

    (note,) = notes(0.2)
    assert "higher by bpref" in note and "(10 tasks have it)" in note
    assert note.endswith("lower if they count as irrelevant")
    assert notes(-0.3) == [], "the same conclusion"
    assert notes(0.2, tasks=5) == [], "too few tasks have bpref"


def test_recall_does_not_hang_on_unjudged_files():
    rows = [
        row(f"t{i:02}", config, reward=0.5, metrics={"file_recall": 0.9 - by, "bpref": 0.5 + by})
        for i in range(10)
        for by, config in ((0.0, BASE), (0.2 + i / 100, OTHER))
    ]
    assert document(rows, primaries=("file_recall",)).matched_comparisons[0].notes == []
    assert document(rows, primaries=("map",)).matched_comparisons[0].notes == [], "map is not there"


def test_no_line_is_wider_than_a_hundred_characters_and_the_header_names_both():
    random = np.random.default_rng(3)
    long = ("baseline-with-a-rather-long-name-of-its-own-direct", "mcp-remote-deepsearch-v2-direct")
    rows = [
        row(
            f"a-task-with-a-long-name-{i:02}",
            c,
            {RECALL: random.random(), READ: random.random()},
            reward=float(random.random() < 0.5),
            cost_usd=float(random.lognormal(3)),
        )
        for i in range(14)
        for c in (*long, "third")
    ]
    for width in (100, 60):
        text = analysis_text(document(rows), width)
        assert max(map(len, text.splitlines())) <= width
        assert f"{long[1]} against {long[0]}, 14 tasks that both ran (28 trials)" in " ".join(
            text.split()
        )


def test_a_comparison_reads_the_same_with_and_without_its_document():
    found = document(pairs((0.5, 0.4, 0.3, 0.2, 0.1, 0.0, 0.0, 0.0)))
    assert analysis_text(found) == render(found.answer)


def test_files_that_lie_elsewhere_are_something_to_look_at():
    rows = [
        msgspec.structs.replace(
            made, coverage=msgspec.structs.replace(made.coverage, unmatched_suffixes=i % 2)
        )
        for i, made in enumerate(pairs((0.1, 0.2, 0.3)))
    ]
    item = next(i for i in answer(rows).look_at if i.kind == "elsewhere")
    assert item.text.startswith("3 trials accessed files that end like relevant files")
    assert item.tasks == ["t00", "t01", "t02"]
