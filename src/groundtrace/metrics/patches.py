"""The patch: files that the agent edited, compared with those of the gold patch (D94)."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import UNSET

from groundtrace.base.frozen import Frozen
from groundtrace.documents.base import in_order
from groundtrace.documents.patches import PatchMetrics
from groundtrace.metrics.edited import (
    Edited,
    by_key,
    edited_files,
    gold_files,
    gold_to_see,
    ranked_names,
    shown_names,
)
from groundtrace.metrics.evidence import EvidenceView
from groundtrace.metrics.record import MetricDeclaration, MetricSection, SectionField, Spot

ACC_CUTOFFS = (1, 3, 5)
"""The values of k in `acc@k`, as published tables have them."""

ABOUT_EDITS = (
    "patch_recall",
    "patch_precision",
    "patch_f1",
    "seen_not_edited",
    "edited_unseen",
    "test_files_touched",
)
"""Metrics that have no value if it is not known what was edited."""


class PatchFiles(Frozen, frozen=True):
    """Edited files compared with those of the gold patch, and which of both were shown."""

    reason: str | None
    """Why the edited files cannot be compared; then the lists are empty."""
    edited: Edited
    gold: tuple[str, ...] = ()
    submitted: tuple[str, ...] = ()
    """Edited files without the task's test files."""
    right: tuple[str, ...] = ()
    """Gold files that were edited."""
    tests: tuple[str, ...] | None = None
    """Test files of the task that were edited; None if the task names no test files."""
    seen_not_edited: tuple[str, ...] | None = None
    edited_unseen: tuple[str, ...] | None = None
    last_rank: int | None = None
    """Position at which the last gold file was first shown; None if one was never shown."""
    unseen_gold: str | None = None
    """A gold file that was never shown."""
    undefined: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Reason code of each metric that has no value, by name."""

    def value(self, name: str, value: float | None) -> float | None:
        """A value, unless it is undefined."""
        return None if self.reason is not None or name in self.undefined else value


def patch_files(evidence: EvidenceView) -> PatchFiles:
    """The edited files of a trial, compared with those of the gold patch."""
    gold, no_gold = gold_files(evidence.document)
    edited = edited_files(evidence)
    _, blind = ranked_names(evidence)
    if no_gold is not None or (edited.reason is not None and blind is not None):
        return PatchFiles(no_gold or edited.reason, edited)
    stated = evidence.document.ground_truth.test_files
    tests = None if stated is UNSET else by_key(stated).keys() - gold.keys()
    submitted = {key: file for key, file in edited.files.items() if key not in (tests or ())}
    undefined = {} if submitted else {"patch_precision": "nothing_submitted"}
    if tests is None:
        undefined["test_files_touched"] = "no_test_files"
    seen = _Seen(evidence, gold, edited, undefined)
    if edited.reason is not None:
        # What was shown is still known. Leaving these trials out of acc@k would leave out the worst
        # trials.
        undefined.update(dict.fromkeys(ABOUT_EDITS, edited.reason))
    return PatchFiles(
        None,
        edited,
        gold=tuple(gold.values()),
        submitted=tuple(submitted.values()),
        right=tuple(file for key, file in gold.items() if key in edited.files),
        tests=None
        if tests is None
        else tuple(file for key, file in edited.files.items() if key in tests),
        seen_not_edited=seen.not_edited,
        edited_unseen=seen.unseen(submitted),
        last_rank=seen.last_rank,
        unseen_gold=seen.never,
        undefined=undefined,
    )


class _Seen:
    """Which gold files and edited files were shown; records the reason if that is unknown."""

    not_edited: tuple[str, ...] | None = None
    last_rank: int | None = None
    never: str | None = None

    def __init__(
        self,
        evidence: EvidenceView,
        gold: Mapping[str, str],
        edited: Edited,
        undefined: dict[str, str],
    ) -> None:
        ranks = tuple(f"acc@{k}" for k in ACC_CUTOFFS)
        self._edited = edited
        self._shown: set[str] | None = None
        self._see(evidence, gold, undefined)
        ranked, why = ranked_names(evidence)
        to_see = gold_to_see(evidence.document, gold)
        if why is not None or not to_see:
            undefined.update(dict.fromkeys(ranks, why or "only_new_files"))
            return
        first: dict[str, int] = {}
        for rank, names in enumerate(ranked, start=1):
            for name in names:
                first.setdefault(name, rank)
        self.never = next((file for key, file in to_see.items() if key not in first), None)
        if self.never is None:
            self.last_rank = max(first[key] for key in to_see)

    def _see(
        self, evidence: EvidenceView, gold: Mapping[str, str], undefined: dict[str, str]
    ) -> None:
        why = evidence.trace_reason or evidence.older
        if why is not None:
            undefined.update(dict.fromkeys(("seen_not_edited", "edited_unseen"), why))
            return
        shown = self._shown = shown_names(evidence)
        if self._edited.new is None:
            undefined["edited_unseen"] = "new_files_unknown"
        self.not_edited = tuple(
            file for key, file in gold.items() if key in shown and key not in self._edited.files
        )

    def unseen(self, submitted: Mapping[str, str]) -> tuple[str, ...] | None:
        """Edited files that existed before and were never shown."""
        if self._shown is None or self._edited.new is None:
            return None
        return tuple(
            file
            for key, file in submitted.items()
            if key not in self._shown and key not in self._edited.new
        )


# --- the section and its metrics -------------------------------------------------------------


def make_patch(view: PatchFiles) -> PatchMetrics:
    """The section, with the reason for each value that it does not have."""
    known = view.reason is None
    edits_known = known and view.edited.reason is None
    return PatchMetrics(
        source=view.edited.source,
        reason=view.reason,
        undefined=in_order(view.undefined),
        files_gold=len(view.gold) if known else None,
        files_submitted=len(view.submitted) if edits_known else None,
        files_right=len(view.right) if edits_known else None,
        seen_not_edited_files=list(view.seen_not_edited or ()) if edits_known else [],
        edited_unseen_files=list(view.edited_unseen or ()),
        test_files=list(view.tests or ()),
        **PATCH.values(view),
    )


def _why(section: PatchMetrics, declared: MetricDeclaration[PatchFiles]) -> str:
    return section.reason or section.undefined.get(declared.name) or declared.missing


def _share(view: PatchFiles, name: str, part: int, whole: int) -> float | None:
    return view.value(name, part / whole if whole else None)


def _size(files: tuple[str, ...] | None) -> int | None:
    return None if files is None else len(files)


_OURS = "groundtrace, decision D94"
_NO_GOLD = "the task does not say which files to edit (`no_expected_edit_files`) or expects no edit (`no_edit_expected`)"
_NO_PATCH = (
    _NO_GOLD
    + ", or there is no patch and no usable trace (`no_trace`, `empty_trace`, `answers_missing`, `subagents_unseen`, `older_document`) or none that shows a write (`nothing_written`)"
)
_NOT_SEEN = ", or the trace does not say what was shown"
_FROM_WRITES = (
    "If there is no patch in the trace or in a predictions file, the files that calls wrote "
    "are used (`source`: `writes`): then temporary files count, and changes by programs that a "
    "shell started are missing."
)

_RECALL = MetricDeclaration[PatchFiles](
    name="patch_recall",
    field="recall",
    title="Patch recall",
    measures="Share of the gold patch's files that the agent's patch edits.",
    formula="|patch ∩ gold| / |gold|",
    undefined=_NO_PATCH,
    known_problems=_FROM_WRITES + " A correct fix in another file counts as a miss.",
    reference=_OURS,
    compute=lambda view: _share(view, "patch_recall", len(view.right), len(view.gold)),
    arithmetic=lambda view: f"{len(view.right)} of {len(view.gold)} gold files",
    worked={
        "patch_recall": ("src/app.py is in the patch, src/config.py is not: 1 / 2", 0.5),
    },
    shown_in={
        "patch_recall": {
            "coverage": Spot(74, "files of the patch"),
            "patches": Spot(10, "recall"),
            "comparison": Spot(140),
            "trial_detail": Spot(140),
        },
    },
)

_PRECISION = MetricDeclaration[PatchFiles](
    name="patch_precision",
    field="precision",
    title="Patch precision",
    measures=(
        "Share of the files of the agent's patch, without the task's test files, that the gold "
        "patch edits."
    ),
    formula="|patch ∩ gold| / |patch without test files|",
    undefined=_NO_PATCH + ", or the patch has only test files or no files (`nothing_submitted`)",
    known_problems=_FROM_WRITES
    + " Only files of the task's test patch are left out; other tests, notes and scripts count.",
    reference=_OURS,
    compute=lambda view: _share(view, "patch_precision", len(view.right), len(view.submitted)),
    arithmetic=lambda view: f"{len(view.right)} of {len(view.submitted)} files of the patch",
    worked={
        "patch_precision": (
            "of src/app.py, docs/guide.md and src/new.py one is gold; tests/test_app.py is a test "
            "file: 1 / 3",
            0.3333,
        ),
    },
    missing="nothing_submitted",
    shown_in={
        "patch_precision": {
            "patches": Spot(20, "precision"),
            "comparison": Spot(141),
            "trial_detail": Spot(141),
        },
    },
)

_F1 = MetricDeclaration[PatchFiles](
    name="patch_f1",
    field="f1",
    title="Patch F1",
    measures="Harmonic mean of patch recall and patch precision; 0 for a patch without a gold file.",
    formula="2 · |patch ∩ gold| / (|patch without test files| + |gold|)",
    undefined=_NO_PATCH,
    known_problems="The mean of F1 over tasks is not the F1 of mean recall and mean precision.",
    reference=_OURS,
    compute=lambda view: _share(
        view, "patch_f1", 2 * len(view.right), len(view.submitted) + len(view.gold)
    ),
    arithmetic=lambda view: f"2·{len(view.right)} / ({len(view.submitted)} + {len(view.gold)})",
    worked={"patch_f1": ("1 right file, 3 of the patch, 2 of the gold: 2 · 1 / (3 + 2)", 0.4)},
    shown_in={
        "patch_f1": {"patches": Spot(30, "F1"), "comparison": Spot(142), "trial_detail": Spot(142)},
    },
)

_SEEN_NOT_EDITED = MetricDeclaration[PatchFiles](
    name="seen_not_edited",
    title="Gold files seen and not edited",
    measures="Files of the gold patch whose content was shown to the agent and that its patch does not edit.",
    formula="|gold ∩ shown − patch|",
    undefined=_NO_PATCH + _NOT_SEEN,
    known_problems=(
        "It is also 0 for an agent that saw none of them, so also look at patch recall."
    ),
    reference=_OURS,
    compute=lambda view: view.value("seen_not_edited", _size(view.seen_not_edited)),
    arithmetic=lambda view: ", ".join(view.seen_not_edited or ()) or "no file",
    worked={
        "seen_not_edited": ("src/config.py is not edited, but it was never shown either", 0.0),
    },
    better="lower",
    upper=None,
    unit="files",
    shown_in={
        "seen_not_edited": {
            "patches": Spot(40, "gold shown, not edited"),
            "comparison": Spot(143),
            "trial_detail": Spot(143),
        },
    },
)

_EDITED_UNSEEN = MetricDeclaration[PatchFiles](
    name="edited_unseen",
    title="Files edited without being seen",
    measures=(
        "Files of the agent's patch, without test files and new files, whose content was never "
        "shown to the agent."
    ),
    formula="|patch − shown − new files|",
    undefined=_NO_PATCH
    + _NOT_SEEN
    + ", or there is no patch, so new files are unknown (`new_files_unknown`)",
    known_problems=(
        "If a program shows a file without its name, such as a script that the agent wrote, "
        "the file counts as unseen."
    ),
    reference=_OURS,
    compute=lambda view: view.value("edited_unseen", _size(view.edited_unseen)),
    arithmetic=lambda view: ", ".join(view.edited_unseen or ()) or "no file",
    worked={
        "edited_unseen": (
            "docs/guide.md was met only by name; src/new.py is new, so nobody could have seen it",
            1.0,
        ),
    },
    better="lower",
    upper=None,
    unit="files",
    shown_in={
        "edited_unseen": {
            "patches": Spot(50, "edited, never shown"),
            "comparison": Spot(144),
            "trial_detail": Spot(144),
        },
    },
)

_TESTS = MetricDeclaration[PatchFiles](
    name="test_files_touched",
    title="Test files touched",
    measures=(
        "Files of the task's test patch that the agent's patch edits. The evaluation replaces "
        "them with its own."
    ),
    formula="|patch ∩ test patch|",
    undefined=_NO_PATCH + ", or the task names no test files (`no_test_files`)",
    known_problems=(
        "Other test files cannot be recognised as tests. Writing tests is not wrong; this "
        "number only counts them separately."
    ),
    reference=_OURS,
    compute=lambda view: view.value("test_files_touched", _size(view.tests)),
    arithmetic=lambda view: ", ".join(view.tests or ()) or "no file",
    worked={"test_files_touched": ("tests/test_app.py", 1.0)},
    better="lower",
    upper=None,
    unit="files",
    shown_in={"test_files_touched": {"patches": Spot(60, "test files"), "trial_detail": Spot(148)}},
)


def _acc(k: int) -> MetricDeclaration[PatchFiles]:
    name = f"acc@{k}"

    def compute(view: PatchFiles) -> float | None:
        rank = view.last_rank
        return view.value(name, float(rank is not None and rank <= k))

    def arithmetic(view: PatchFiles) -> str:
        if view.last_rank is None:
            return f"{view.unseen_gold} is not in the list"
        return f"the last gold file is at position {view.last_rank}"

    return MetricDeclaration[PatchFiles](
        name=name,
        field=f"acc_at_{k}",
        title=f"Acc@{k}",
        measures=(
            f"1 if all files of the gold patch are among the first {k} files whose content was "
            "shown, or of a ranked list, else 0."
        ),
        formula=f"1 if gold ⊆ first {k} files in the order in which they were first shown or "
        "ranked, else 0",
        undefined=_NO_GOLD
        + ", there is no usable trace (`no_trace`, `empty_trace`, `answers_missing`, `subagents_unseen`, `older_document`)"
        + ", or the gold patch only creates files (`only_new_files`)",
        known_problems=(
            "Published values rank the locations that a method names at its end. Agents name "
            "none, so files of a trace are ranked by when their content was first shown. Files "
            "that the gold patch creates are left out. A gold patch of more than k files cannot "
            f"reach 1; `locagent_file_acc@{k}` is LocAgent's own rule, which cuts the gold list."
        ),
        reference=(
            "Acc@k as the texts of Z. Chen et al.: LocAgent, 2025, and of Z. Jiang et al.: CoSIL, "
            "2025, describe it"
        ),
        compute=compute,
        arithmetic=arithmetic,
        worked={name: ("src/config.py was never shown", 0.0)},
        shown_in={
            name: {
                "patches": Spot(70 + k),
                "comparison": Spot(150 + k),
                "trial_detail": Spot(150 + k),
            },
        },
    )


PATCH = MetricSection[PatchFiles](
    heading="The patch",
    fields=(SectionField[PatchFiles](name="patch_metrics", view=patch_files),),
    declarations=(
        _RECALL,
        _PRECISION,
        _F1,
        _SEEN_NOT_EDITED,
        _EDITED_UNSEEN,
        _TESTS,
        *(_acc(k) for k in ACC_CUTOFFS),
    ),
    make=make_patch,
    why=_why,
)
