"""The words that reports use for codes in documents."""

from __future__ import annotations

from collections.abc import Mapping

from groundtrace.base.visible import plural
from groundtrace.impact.answer_names import short_name
from groundtrace.metrics.catalogue import QUANTITIES

__all__ = ["KIND_WORDS", "LABEL_WORDS", "REASON_WORDS", "left_out", "plural", "reason"]

REASON_WORDS: Mapping[str, str] = {
    "no_ground_truth": "no ground truth",
    "no_trace": "no usable trace",
    "empty_trace": "no tool call could be read",
    "answers_missing": "most results are missing",
    "subagents_unseen": "the work of subagents is not in the trace",
    "never_hit": "never met",
    "nothing_retrieved": "nothing met",
    "nothing_judged_irrelevant": "no file is judged irrelevant",
    "nothing_written": "nothing written",
    "no_time": "no times in the trace",
    "no_tokens": "no token counts in the trace",
    "no_chunk_ground_truth": "no line ranges known",
    "lines_unknown": "too many line numbers are unknown",
    "chars_unknown": "too many sizes are unknown",
    "context_unknown": "what the context still held is unknown",
    "nothing_shown": "nothing shown",
    "nothing_found": "nothing met",
    "no_subagents": "no subagents",
    "older_document": "made from an older document",
    "not_in_document": "not in a document of that version",
    "no_expected_edit_files": "edit targets unknown",
    "no_edit_expected": "no edit expected",
    "no_test_files": "test files unknown",
    "nothing_submitted": "nothing submitted",
    "new_files_unknown": "new files unknown",
    "only_new_files": "the gold patch only creates files",
    "no_final_context": "the agent named no context",
    "no_gold_context": "no annotated lines",
    "no_repository": "no repository given",
    "commit_absent": "the repository lacks the base commit",
    "file_absent": "the repository lacks a file",
    "no_grammar": "a language without a grammar",
    "no_function_changed": "the gold patch changes no function",
    "patch_does_not_fit": "a patch does not fit the base commit",
    "no_submission": "what was submitted is unknown",
    "no_gold_lines": "no gold patch and no lines known",
    "no_symbols": "no symbols known",
    "not_recorded": "not in the trial's records",
    "no_outcome": "no outcome known",
    "outcomes_refused": "outcomes.json could not be read",
    "no_valid_reward": "no valid reward",
    "missing_in_baseline": "missing in the baseline",
    "missing_in_config": "missing in the configuration",
    "missing_on_both_sides": "missing on both sides",
    "missing_side": "not run in both configurations",
    "document_refused": "document could not be read",
    "different_runs": "run by both, in different runs",
    "clock_differs": "times are counted from different moments",
    "clock_unknown": "the start of the time count is unknown",
    "not_computable": "no metrics on a side",
    "some_trials_miss": "met in some trials only",
    "alone_in_suite": "the only task of its suite",
    "fewer_than_4_differ": "fewer than 4 tasks differ",
    "deltas_all_equal": "all tasks differ by the same amount",
    "fewer_than_6_pairs": "fewer than 6 tasks",
    "fewer_than_6_clusters": "fewer than 6 repositories",
    "no_task_differs": "no task differs",
    "no_session_differs": "no session differs",
    "no_repository_in_both": "no repository is in both",
    "fewer_than_6_sessions": "fewer than 6 sessions",
    "no_task_has_both": "no task has it on both sides",
    "changes_cancel": "changes cancel inside repositories",
    "too_few_tasks": "too few tasks",
    "too_few_repositories": "too few repositories",
    "too_few_flips": "too few tasks differ",
    "too_few_solved": "too few tasks are solved",
    "nothing_solved": "no task is solved",
    "one_trial_per_task": "each task has one trial",
    "no_permutation": "no two tasks can be exchanged",
    "same_trial": "the same trial on both sides",
    "model_unknown": "model unknown",
    "model_differs": "different models",
    "harness_version_unknown": "harness version unknown",
    "harness_version_differs": "different harness versions",
    "metric_constant": "the metric has the same value everywhere",
    "outcome_constant": "the outcome has the same value everywhere",
    "resamples_constant": "resamples are constant",
    "resamples_all_equal": "resamples all agree",
}
"""Reason codes in words; any other code is shown with spaces instead of underscores."""

LABEL_WORDS: Mapping[str, str] = {
    "irrelevant_retrieval": "Files met that are not in the ground truth",
    "missed_key_evidence": "Relevant files never met",
    "wrong_evidence_used": "Files written that are not in the ground truth",
    "unused_correct_retrieval": "Relevant files met but never written",
    "ambiguity_near_miss": "Files met in the folder of a relevant file",
}
"""What each label of the error taxonomy counts."""

LABEL_NAMES: Mapping[str, str] = {
    "missed_key_evidence": "Relevant, never met",
    "unused_correct_retrieval": "Relevant, met, not written",
    "wrong_evidence_used": "Written, not relevant",
    "ambiguity_near_miss": "Met beside a relevant file",
    "irrelevant_retrieval": "Met, not relevant",
}
"""Names of the same labels in the page's chart, the most important first."""


def plain_name(name: str) -> str:
    """The one name of a metric or outcome, as a heading; the canonical name is in the tooltip."""
    found = short_name(name)
    if found == name and not QUANTITIES[name].plain:
        return QUANTITIES[name].title
    return f"{found[:1].upper()}{found[1:]}"


KIND_WORDS: Mapping[str, str] = {
    "read": "content shown because the file was opened",
    "matched": "lines shown by a search",
    "surfaced": "only its name returned",
    "written": "written to",
}
"""How a call can touch a file (D7)."""


def reason(code: str | None) -> str:
    """A reason code in words."""
    if code is None:
        return ""
    return REASON_WORDS.get(code) or code.replace("_", " ")


def left_out(counts: Mapping[str, int]) -> str:
    """What a mean leaves out, most frequent reason first; `none` if it leaves out nothing."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{number:,} {reason(code)}" for code, number in ordered if number) or "none"
