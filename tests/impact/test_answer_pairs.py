"""The answer: which configurations and pairs it speaks of, and its notes."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from groundtrace.report.answer_text import analysis_text, render
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
