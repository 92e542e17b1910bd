"""The one gate for documents: every text of a record is masked, whatever field it is in (D226).

A field is masked unless it is in `PATHS`. So a field that is added later is masked too.
"""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar, cast

import msgspec
import msgspec.inspect as inspect

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
    return cast(R, _of_record(record)) if is_masking() else record


def _of_record(record: msgspec.Struct) -> msgspec.Struct:
    changes = {}
    for name in _texts_of(type(record)):
        value = getattr(record, name)
        shown = _of(value)
        if shown is not value:
            changes[name] = shown
    return msgspec.structs.replace(record, **changes) if changes else record


def _of(value: Any) -> Any:
    if isinstance(value, str):
        return mask_name(value)
    if isinstance(value, msgspec.Struct):
        return _of_record(value)
    if isinstance(value, list | tuple):
        items = [_of(item) for item in value]
        same = all(new is old for new, old in zip(items, value, strict=True))
        return value if same else type(value)(items)
    if isinstance(value, dict):
        pairs = {_of(key): _of(item) for key, item in value.items()}
        keys_same = all(new is old for new, old in zip(pairs, value, strict=False))
        same = keys_same and all(pairs[key] is value.get(key) for key in pairs)
        return value if same else pairs
    return value


@cache
def _texts_of(record: type[msgspec.Struct]) -> tuple[str, ...]:
    """Fields of a record that can hold text to mask."""
    info = inspect.type_info(record)
    if not isinstance(info, inspect.StructType):
        return ()
    return tuple(
        field.name
        for field in info.fields
        if field.name not in PATHS and _may_hold_text(field.type)
    )


def _may_hold_text(found: inspect.Type) -> bool:
    match found:
        case inspect.StrType() | inspect.AnyType():
            return True
        case inspect.Metadata(type=inner):
            return _may_hold_text(inner)
        case inspect.UnionType(types=types):
            return any(map(_may_hold_text, types))
        case inspect.ListType(item_type=inner) | inspect.VarTupleType(item_type=inner):
            return _may_hold_text(inner)
        case inspect.DictType(key_type=key, value_type=inner):
            return _may_hold_text(key) or _may_hold_text(inner)
        case inspect.StructType(cls=cls):
            return bool(_texts_of(cls))
    return False


def masked_data(value: Any, name: str = "") -> Any:
    """The same for plain data: keys of an object are the names of its fields."""
    if not is_masking() or name in PATHS:
        return value
    if isinstance(value, msgspec.Struct):
        return masked(value)
    if isinstance(value, dict):
        return {_of(key): masked_data(item, str(key)) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [masked_data(item, name) for item in value]
    return mask_name(value) if isinstance(value, str) else value
