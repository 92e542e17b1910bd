"""Edited files compared with the files of the gold patch, and which of both were shown (D94)."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import UNSET

from groundtrace.base.frozen import Frozen
from groundtrace.metrics.edited import (
    Edited,
    by_key,
    edited_files,
    gold_files,
    gold_to_see,
    names_of,
    shown_names,
)
from groundtrace.metrics.evidence import SHOWN, EvidenceView

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
    blind = "older_document" if evidence.basis == "categories" else evidence.trace_reason
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
        why = "older_document" if evidence.basis == "categories" else evidence.trace_reason
        if why is not None:
            undefined.update(dict.fromkeys(("seen_not_edited", "edited_unseen", *ranks), why))
            return
        self._shown = shown_names(evidence)
        if edited.new is None:
            undefined["edited_unseen"] = "new_files_unknown"
        self.not_edited = tuple(
            file for key, file in gold.items() if key in self._shown and key not in edited.files
        )
        to_see = gold_to_see(evidence.document, gold)
        if not to_see:
            undefined.update(dict.fromkeys(ranks, "only_new_files"))
            return
        self.never = next((file for key, file in to_see.items() if key not in self._shown), None)
        if self.never is None:
            first: dict[str, int] = {}
            for rank, touch in enumerate(evidence.first(SHOWN), start=1):
                for name in names_of(touch):
                    first.setdefault(name, rank)
            self.last_rank = max(first[key] for key in to_see)

    def unseen(self, submitted: Mapping[str, str]) -> tuple[str, ...] | None:
        """Edited files that existed before and were never shown."""
        if self._shown is None or self._edited.new is None:
            return None
        return tuple(
            file
            for key, file in submitted.items()
            if key not in self._shown and key not in self._edited.new
        )
