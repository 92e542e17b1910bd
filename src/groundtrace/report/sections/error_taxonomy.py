"""Error taxonomy and calibration slices."""

from __future__ import annotations

from collections.abc import Iterable

from groundtrace.documents.summary import LabelSummary
from groundtrace.metrics.catalogue import METRICS
from groundtrace.metrics.error_taxonomy import ABOUT_WRITES
from groundtrace.report import formats
from groundtrace.report.blocks import Name, ReportTable, Section, detailed, headings, make_table
from groundtrace.report.data import ReportData
from groundtrace.report.packed_trials import ACCESS_KINDS
from groundtrace.report.sections.shared import NO_VALUES, Groups, all_and_configs
from groundtrace.report.wording import LABEL_WORDS, left_out


def taxonomy_section(data: ReportData) -> Section:
    """Labels by configuration, slices, and what calls touched."""
    summary = data.summary
    groups = all_and_configs(summary)
    writes = _labels(groups, ABOUT_WRITES, of_errors=False)
    if not summary.overall.computable:
        # Without relevant files nothing can be called wrong.
        return Section(
            "errors",
            "What the calls touched",
            (),
            (_slices(groups), *detailed(_accesses(groups))),
        )
    return Section(
        "errors",
        "What went wrong",
        (
            (
                "Labels count files. One file can have two labels: irrelevant, and beside a "
                "relevant file. For all labels, fewer is better (↓).",
            ),
        ),
        (
            _labels(groups, LABEL_WORDS, of_errors=True),
            *([writes] if writes.rows else []),
            _slices(groups),
            *detailed(
                _meaning(),
                _slice_quality(
                    [
                        *(
                            (f"candidate set: {k}", v)
                            for k, v in summary.by_candidate_set_size.items()
                        ),
                        *((f"evidence: {k}", v) for k, v in summary.by_evidence_type.items()),
                    ]
                ),
                _accesses(groups),
            ),
        ),
    )


def _meaning() -> ReportTable:
    rows = [[Name(label), text] for label, text in LABEL_WORDS.items()]
    return make_table("What each label counts", ("label", "counts"), rows)


def is_error(found: LabelSummary) -> bool:
    """Whether a label counts something wrong: not if it is about writes, and for some trial nobody
    said which files to edit (D193)."""
    return found.edit_targets_unknown == 0


def _labels(groups: Groups, labels: Iterable[str], *, of_errors: bool) -> ReportTable:
    rows = [
        [
            name,
            Name(label),
            "lower",
            f"{formats.count(found.n_with)} of {formats.count(found.n)}",
            formats.count(found.files),
            formats.count(found.edit_targets_unknown),
            formats.count(found.files_edit_targets_unknown),
            formats.average(found.per_task.mean),
            formats.count(found.per_task.n),
            left_out(found.per_task.left_out),
        ]
        for name, group in groups
        for label in labels
        if (found := group.taxonomy.get(label)) is not None  # type: ignore[call-overload]
        if is_error(found) is of_errors
    ]
    return make_table(
        "Labels by configuration" if of_errors else "Writes, where edit targets are unknown",
        headings(
            "config | label | better | >trials with it | >files | "
            ">trials with edit targets unknown | >files in these | >mean files per task | "
            ">n | left out"
        ),
        rows,
        (
            "wrong_evidence_used and unused_correct_retrieval compare writes with the ground "
            "truth. If the task expects no edit, they do not apply: such tasks are left out of n, "
            "and the last column says so. If nobody said which files to edit, they are counts and "
            "no errors, in a table of their own. A 0 means that nothing was wrong.",
        ),
    )


def _slices(groups: Groups) -> ReportTable:
    rows = [
        [
            name,
            *(
                formats.count(group.slices.candidate_set_size.get(s, 0))
                for s in ("small", "medium", "large")
            ),
            *(formats.count(group.slices.evidence_type.get(e, 0)) for e in ("local", "mcp")),
            formats.count(group.slices.none),
        ]
        for name, group in groups
    ]
    return make_table(
        "Trials by calibration slice",
        headings(
            "config | >small (up to 5 files) | >medium (6 to 20) | >large (over 20) | "
            ">local evidence | >mcp evidence | >no slice (no trace)"
        ),
        rows,
    )


def _slice_quality(groups: Groups) -> ReportTable:
    names = METRICS.names_in("slices")
    rows = []
    for title, group in groups:
        cells = [title, formats.count(group.trials)]
        for name in names:
            found = group.value(name) or NO_VALUES
            cells += [formats.short(name, found.mean), formats.count(found.n)]
        rows.append([*cells, left_out((group.value(names[0]) or NO_VALUES).left_out)])
    heads = [part for name in names for part in (f">{formats.heading(name)}", ">n")]
    return make_table(
        "Quality by slice",
        ("slice", ">trials", *heads, f"left out of {names[0]}"),
        rows,
        ("The number of files met is itself a result of searching.",),
    )


def _accesses(groups: Groups) -> ReportTable:
    """Accesses by tool category and kind, with the calls of each category."""
    rows = []
    for name, group in groups:
        for category, calls in sorted(
            group.events_by_category.items(), key=lambda i: (-i[1], i[0])
        ):
            kinds = [group.accesses.get(f"{category}/{kind}", 0) for kind in ACCESS_KINDS]
            rows.append([name, Name(category), formats.count(calls), *map(formats.count, kinds)])
    return make_table(
        "Calls by tool category, and files that they touched by kind",
        ("config", "category", ">calls", *(f">files {kind}" for kind in ACCESS_KINDS)),
        rows,
        (
            (
                "A file counts once for each call that touched it. For these counts, neither "
                "more nor fewer is better."
            ),
        ),
    )
