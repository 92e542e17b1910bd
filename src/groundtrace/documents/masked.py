"""The one gate for documents: every text of a record is masked, whatever field it is in (D226).

A field is masked unless it is in `PATHS`. So a field that is added later is masked too.
"""

from __future__ import annotations

from functools import lru_cache
from operator import is_
from typing import Any, TypeVar, cast

import msgspec

from groundtrace.documents.fields import NUMBERS, fields_with
from groundtrace.redact import is_masking, mask_name

PATHS = frozenset(
    {
        # files and folders, and what is called like one: runs, tasks, trials, batches
        *("file", "files", "path", "source_file", "document", "trial_key", "counted_in"),
        *("run_id", "runs", "scope", "run_scope", "task_name", "tasks", "trial_name"),
        *("batch", "batch_timestamp", "target_files", "matched_ground_truth_files", "test_files"),
        *(
            "ground_truth_file",
            "expected_edit_file",
            "expected_edit_files",
            "new_files",
            "old_names",
        ),
        *("seen_not_edited_files", "edited_unseen_files", "relevant_met", "relevant_read"),
        *("came_back", "repo", "function", "functions", "relevant_not_shown"),
        # what groundtrace itself says
        *("schema_version", "generated_at", "timestamp", "method"),
        # masked before it is cut (`events.text`)
        "arguments",
    }
)
"""Fields that hold names of files, repositories, tasks, trials and runs: these lead to files."""

R = TypeVar("R", bound=msgspec.Struct)


def masked(record: R) -> R:
    """A record without credentials; the same record if it has none."""
    return cast(R, _of(record, {})) if is_masking() else record


def _of(value: Any, known: dict[int, Any]) -> Any:
    """The same for any value. `known` holds what was made of each record, by id: groups of a
    summary that have the same trials are one record, and so are values that are alike."""
    if isinstance(value, str):
        return mask_name(value)
    if isinstance(value, msgspec.Struct):
        found = known.get(id(value))
        if found is None:
            found = known[id(value)] = _of_record(value, known)
        return found
    if isinstance(value, (list, tuple)):
        items = [_of(item, known) for item in value]
        return value if all(map(is_, items, value)) else type(value)(items)
    if isinstance(value, dict):
        shown = _masked_keys(tuple(value))
        if NUMBERS.issuperset(map(type, value.values())):
            return value if shown is None else dict(zip(shown, value.values(), strict=True))
        items = [_of(item, known) for item in value.values()]
        if shown is None:
            return (
                value
                if all(map(is_, items, value.values()))
                else dict(zip(value, items, strict=True))
            )
        return dict(zip(shown, items, strict=True))
    return value


@lru_cache(maxsize=4096)
def _masked_keys(keys: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Keys of a mapping, None if they stay; hundreds of mappings of a summary have the same ones."""
    shown = tuple(mask_name(key) if isinstance(key, str) else key for key in keys)
    return None if shown == keys else shown


def _of_record(record: msgspec.Struct, known: dict[int, Any]) -> msgspec.Struct:
    changes = {}
    for name in fields_with(type(record), str, PATHS):
        value = getattr(record, name)
        if value:
            shown = mask_name(value) if type(value) is str else _of(value, known)
            if shown is not value:
                changes[name] = shown
    return msgspec.structs.replace(record, **changes) if changes else record


def masked_data(value: Any, name: str = "") -> Any:
    """The same for plain data: keys of an object are the names of its fields."""
    if not is_masking() or name in PATHS:
        return value
    if isinstance(value, msgspec.Struct):
        return masked(value)
    if isinstance(value, dict):
        return {_of(key, {}): masked_data(item, str(key)) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [masked_data(item, name) for item in value]
    return mask_name(value) if isinstance(value, str) else value
