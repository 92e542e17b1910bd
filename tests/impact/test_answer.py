"""The answer: its rows, its fallbacks, and the reason if there is no answer (D66)."""

from __future__ import annotations

import math

import msgspec
import pytest

from groundtrace.documents.impact import Answer, AnswerEnough, AnswerRow
from groundtrace.impact import ImpactOptions, analyse
from groundtrace.report.answer_text import WIDTH, analysis_text, answer_lines
from tests.impact.trial_rows import row

BASE, OTHER = "baseline-local", "mcp-remote"
RECALL = "shown.file_recall"


def document(rows, **options):
    chosen = ImpactOptions(**{"draws": 200, **options})
    return analyse(rows, chosen, generated_at="now", scope="*")


def answer(rows, **options):
    return document(rows, **options).answer


def answer_text(found):
    """An answer without its document, as the terminal prints it."""
    return "\n".join(f"{label:<{WIDTH}}{text}" for label, text in answer_lines(found))


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


def test_the_names_are_those_of_the_contract():
    fields = set(Answer.__struct_fields__)
    assert {
        "baseline", "config", "comparison", "n", "rows", "enough", "look_at", "statement",
    } <= fields  # fmt: skip
    assert {
        "question", "metric", "baseline", "config", "delta", "ci_low", "ci_high", "ratio",
        "ratio_low", "ratio_high", "p", "p_adjusted", "better", "same", "worse",
    } <= set(AnswerRow.__struct_fields__)  # fmt: skip
    assert {"n", "detectable", "needed"} <= set(AnswerEnough.__struct_fields__)


def test_an_answer_worked_by_hand():
    """Deltas 0.5, 0.4, 0.3, 0.2, 0.1, 0, 0, 0: mean 0.1875, no loss, p 2 of 32."""
    deltas = (0.5, 0.4, 0.3, 0.2, 0.1, 0.0, 0.0, 0.0)
    rows = pairs(deltas, {"cost_usd": 1.0}, {"cost_usd": 2.0})
    found = answer(rows)
    assert (found.baseline, found.config, found.comparison) == (BASE, OTHER, "matched_comparisons")
    assert found.n == 8
    by_name = {r.metric: r for r in found.rows}
    reward, cost = by_name["reward"], by_name["cost_usd"]
    assert (reward.baseline, reward.config) == (0.5, pytest.approx(0.6875))
    assert reward.delta == pytest.approx(0.1875)
    assert (reward.better, reward.same, reward.worse) == (5, 3, 0)
    assert reward.p == 2 / 32
    assert reward.ci_low == 0.0
    assert reward.ci_high > reward.delta
    assert cost.ratio == pytest.approx(2.0)
    assert (cost.ratio_low, cost.reason) == (None, "deltas_all_equal")
    assert [t.task_name for t in cost.tasks] == [f"t{i:02}" for i in range(8)]
    # 1.5 of reward over the 8 tasks for 8 extra dollars.
    assert found.reward_per_dollar == pytest.approx(1.5 / 8)
    mean = sum(deltas) / 8
    sd = math.sqrt(sum((d - mean) ** 2 for d in deltas) / 7)
    # t.975 and t.80 with 7 degrees of freedom, from a printed table.
    assert found.enough.detectable == pytest.approx((2.3646 + 0.8960) * sd / 8**0.5, rel=1e-4)
    assert found.enough.effect < found.enough.detectable
    assert found.enough.needed > 8
    assert found.statement.startswith("On 8 matched tasks: cost higher in mcp-remote")
    assert "reward: no difference beyond chance" in found.statement
    assert "Association only" in found.statement


def test_the_terminal_prints_one_line_for_each_question():
    text = answer_text(answer(pairs((0.5, 0.4, 0.3, 0.2, 0.1, 0.0, 0.0, 0.0))))
    lines = text.splitlines()
    assert [line[:30].strip() for line in lines] == [
        "Did it find the right code?",
        "Did it use it?",
        "Did that matter?",
        "Enough tasks?",
        "In words",
    ]
    assert "reward  0.50 → 0.69  (+0.19, 95 % 0.00 to +0.3" in lines[2]
    assert "5 better, 3 same, 0 worse of 8 matched tasks)" in lines[2]
    assert lines[3][30:].startswith("8 matched; a reward difference below 0.2")


def test_one_configuration_alone_has_values_and_no_arrows():
    found = answer([row(f"t{i}", OTHER, {RECALL: 0.5}, reward=1.0) for i in range(3)])
    by_name = {r.metric: r for r in found.rows}
    assert (found.baseline, found.config, found.comparison, found.n) == (None, OTHER, None, 3)
    assert (by_name[RECALL].config, by_name[RECALL].baseline, by_name[RECALL].n) == (0.5, None, 3)
    assert by_name["reward"].delta is None
    text = answer_text(found)
    assert "→" not in text
    assert "shown recall  0.50  (3 tasks)" in text


def test_without_a_baseline_the_answer_names_the_flag():
    found = answer([row(f"t{i}", config) for i in range(4) for config in ("with", "without")])
    assert (found.rows, found.comparison) == ([], None)
    assert "'baseline*'" in found.statement
    assert "--baseline" in found.hint
    assert "with, without" in answer_text(found)


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
    assert "--pair-across-runs" in whole.answer.hint
    assert "of 6 tasks both ran" in answer_text(whole.answer)
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
    assert "2 of their tasks can be matched" in found.statement
    assert f"1 not run in {OTHER}" in found.statement
    assert f"2 not run in {BASE}" in found.statement


def test_what_was_dropped_says_which_side_lost_it():
    rows = [*pairs((0.1,) * 3), row("a", BASE), row("r", BASE, reward=None), row("r", OTHER)]
    comparison = document(rows).matched_comparisons[0]
    assert comparison.dropped_sides == {
        "missing_side": {"config": 1},
        "no_valid_reward": {"baseline": 1},
    }
    assert {(d.task_name, d.side) for d in comparison.dropped_tasks} == {
        ("a", "config"),
        ("r", "baseline"),
    }


def test_equivalence_needs_a_margin_and_can_say_no_worse_and_cheaper():
    deltas = [0.0, 0.01, -0.01] * 4
    rows = [
        made
        for i, d in enumerate(deltas)
        for made in (
            row(f"t{i:02}", BASE, reward=0.5, cost_usd=2.0),
            row(f"t{i:02}", OTHER, reward=0.5 + d, cost_usd=1.0 + i / 100),
        )
    ]
    assert answer(rows).equivalence is None
    found = answer(rows, margin=0.1)
    assert found.equivalence.p_equivalent < 0.05
    assert "equivalent within 0.1, and it is cheaper" in found.statement
    assert found.reward_per_dollar is None
    wide = answer(pairs([0.5, -0.5] * 6), margin=0.1)
    assert wide.equivalence.p_not_worse > 0.05
    assert "cannot be ruled out" in wide.statement


def test_primaries_of_the_user_get_a_row():
    found = answer(pairs((0.1,) * 3), primaries=("mrr", "output_tokens"))
    asked = {r.metric: r.question for r in found.rows}
    assert asked["mrr"] == "Did it find the right code?"
    assert asked["output_tokens"] == "Did that matter?"


def test_whole_repositories_flip_where_ten_are_known_and_a_changed_conclusion_is_said():
    """Two tasks of each repository that move together are one piece of evidence, not two."""

    def rows(repos):
        return [
            msgspec.structs.replace(made, repo=repos(i))
            for i in range(20)
            for made in pairs_of(f"t{i:02}", 0.3 if i // 2 < 7 else -0.2 - i / 100)
        ]

    def pairs_of(task, delta):
        return row(task, BASE, reward=0.5), row(task, OTHER, reward=0.5 + delta)

    alone = document(rows(lambda _: None)).matched_comparisons[0]
    whole = document(rows(lambda i: f"repo-{i // 2}")).matched_comparisons[0]
    assert (alone.flipped, alone.n_flipped) == ("tasks", 20)
    assert (whole.flipped, whole.n_flipped) == ("repositories", 10)
    p = {c.flipped: next(d.p for d in c.deltas if d.metric == "reward") for c in (alone, whole)}
    assert p["repositories"] > p["tasks"]
    changed = (p["tasks"] < 0.05) != (p["repositories"] < 0.05)
    assert any("whole repositories" in note for note in whole.notes) == changed
    few = document(rows(lambda i: f"repo-{i % 9}")).matched_comparisons[0]
    assert few.flipped == "tasks"


def test_failures_as_zero_are_mentioned_only_where_they_change_the_conclusion():
    same = pairs([0.3, 0.25, 0.2, 0.15, 0.1])
    lost = [
        made
        for i in range(5)
        for made in (row(f"f{i}", BASE, reward=None), row(f"f{i}", OTHER, reward=0.4))
    ]
    assert document(same).matched_comparisons[0].notes == []
    (note,) = document(same + lost).matched_comparisons[0].notes
    assert note.startswith("reward: higher if failed trials count as 0")


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


def test_without_a_comparison_the_terminal_gives_the_means_of_each_configuration():
    """24 trials with ground truth got no number in the terminal; the page had them all."""
    found = document(
        [row(f"t{i}", "with", {RECALL: 1.0}, reward=1.0) for i in range(4)]
        + [row(f"t{i}", "without", {RECALL: 0.25}, reward=None) for i in range(4)]
    )
    lines = analysis_text(found).splitlines()
    assert lines[0].startswith("No comparison")
    assert lines[1] == (
        "Did it find the right code?   shown recall  with 1.00 (4 tasks), without 0.25 (4 tasks)"
    )
    matters = next(line for line in lines if line.startswith("Did that matter?"))
    assert "reward  with 1.00 (4 tasks)" in matters
    assert "reward  with 1.00 (4 tasks), without" not in matters, "no reward is not a reward of 0"


def test_only_the_configurations_with_most_tasks_are_side_by_side():
    """As on the page: four, and the number of the others."""
    rows = [row(f"t{i}", f"c{n}", {RECALL: 0.5}) for n in range(6) for i in range(n + 1)]
    text = analysis_text(document(rows))
    assert "c2 0.50 (3 tasks)" in text and "c1 0.50" not in text
    assert "2 more configurations in the report" in text


def test_a_comparison_reads_the_same_with_and_without_its_document():
    found = document(pairs((0.5, 0.4, 0.3, 0.2, 0.1, 0.0, 0.0, 0.0)))
    assert analysis_text(found) == answer_text(found.answer)


def test_words_always_name_both_configurations():
    """With few tasks they said “too few tasks for a test” and not which two were compared."""
    found = answer(pairs((0.5, 0.4, 0.3, 0.2)))
    assert BASE not in found.statement
    words = next(line for line in answer_text(found).splitlines() if line.startswith("In words"))
    assert f"{OTHER} compared with {BASE}. On 4 matched tasks" in words


def test_a_flag_is_named_once():
    """The line below “use --baseline NAME” said the same again."""
    found = answer([row(f"t{i}", config) for i in range(4) for config in ("with", "without")])
    assert answer_text(found).count("--baseline") == 1


def test_reward_for_each_dollar_is_no_more_certain_than_the_reward():
    """“+4.9 reward for each extra dollar” stood next to “no difference beyond chance”."""
    cost = ({"cost_usd": 1.0}, {"cost_usd": 2.0})
    unsure = answer(pairs((0.5, 0.4, 0.3, 0.2, 0.1, 0.0, 0.0, 0.0), *cost))
    assert "reward: no difference beyond chance" in unsure.statement
    assert "reward for each extra dollar (could be chance)" in answer_text(unsure)
    sure = answer(pairs((0.5,) * 12, *cost))
    assert "reward" in sure.statement.partition(" higher in ")[0]
    assert answer_text(sure).count("for each extra dollar\n") == 1
    few = answer(pairs((0.5, 0.4, 0.3, 0.2), *cost))
    assert "reward for each extra dollar (not tested)" in answer_text(few)
