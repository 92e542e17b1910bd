"""What the names of folders and tasks mean: run, configuration, batch, task (D31).

Real trees put a trial two to six folders below the runs folder:

    <run>/<config>/<timestamp>/<trial>             batches
    <run>/<config>/<job>/<trial>                   job folders
    <run>/<config>/<trial>                         bare trials
    <run>/<config>/<task>_<hex>/<timestamp>/<trial>
    <run>/<config>/<task>/<task>_<n>               attempts
    <run>/<config>/all/<trial>
    <run>/<task>_<mode>                            the configuration at the end of the name
    <run>/<task>/<mode>
    <run>/runs/<task>/<mode>/rep1/attempt1

The configuration is found first, and the rest follows from it. It is the folder that the trial's
own records name; else the innermost folder whose name has the form of a configuration; else what
remains after the folders of a single trial (times, attempts, its task, its job) are removed from
below.

A task's name can have something around it, such as `mcp_<task>_<hash>`. It is removed only when
what remains is a known task. When no tasks are known, it is removed only when its form leaves no
doubt: a task may itself be called `mcp_server_config`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from groundtrace.base.frozen import Frozen
from groundtrace.base.patterns import regex
from groundtrace.model import Trial
from groundtrace.redact import mask_name

_TIMESTAMP = regex(r"\d{4}-\d{2}-\d{2}__\d{2}-\d{2}-\d{2}")
_ATTEMPT = regex(r"(?:rep|attempt|trial|run)[_-]?\d+")
_MODES = "baseline|hybrid|mcp_only|mcp|cli"
_CONFIG = regex(
    rf"{_MODES}|sourcegraph_(?:full|base)"
    r"|[a-z0-9]+(?:-[a-z0-9]+)*-(?:direct|artifact)(?:__\w+)?"
)
_MODE_SUFFIX = regex(rf"(?P<task>.+)_(?P<mode>{_MODES})")
_SUITE = regex(
    r"(?P<suite>(?:csb|ccb)_[a-z][a-z_]*?)"
    r"(?:_(?:haiku|sonnet|opus|gpt|gemini|claude)[a-z0-9.-]*)?(?:_\d{6,8})?(?:_\d{6})?(?:__\w+)?"
)
MAX_FOLDER_NAME = 255
"""Longest name that a folder can have, in characters; a suite's name is not longer."""
_FLAT = regex(r"runs__\w+?__.+")
_BETWEEN = {"all", "trials"}
_ABOVE = {"runs"}


class Located(Frozen, frozen=True):
    """Where the run and the configuration are among the folders above a trial."""

    run: int
    """Index of the run's folder; -1 when the run is the folder that the path starts from."""
    config: str | None
    """The configuration, according to the folders."""
    batch: str | None
    """Batch folder, if there is one."""
    strong: bool
    """Whether a name showed it, and not the position alone."""


def locate(parts: Sequence[str], configs: Sequence[str], tasks: Sequence[str]) -> Located:
    """Interpret the folders from the top down to the trial.

    `configs` are configurations and `tasks` are task names that the trial's records give.
    """
    above = list(parts[:-1])
    batch = next((name for name in reversed(above) if _TIMESTAMP.fullmatch(name)), None)
    index = _innermost(above, {name.casefold() for name in configs}, tasks)
    strong = index is not None
    mode = _own_mode(parts[-1], tasks, alone=index is None) if parts else None
    if mode is not None:
        return Located(_run_above(above, len(above), tasks), mode, batch, True)
    if index is None:
        index = len(above) - 1
        while index >= 0 and _is_inner(above[index], tasks):
            index -= 1
    if index < 0:
        return Located(-1, None, batch, strong)
    return Located(_run_above(above, index, tasks), above[index], batch, strong)


def _own_mode(name: str, tasks: Sequence[str], *, alone: bool) -> str | None:
    """The configuration in the name of the trial's own folder: `<task>_<mode>` or `<mode>`.

    If a folder above also has the form of a configuration, the end of the name counts only when the
    rest is exactly the trial's task.
    """
    suffix = _MODE_SUFFIX.fullmatch(name)
    if suffix is not None and "__" not in name:
        known = suffix["task"].casefold() in {task.casefold() for task in tasks}
        return suffix["mode"] if alone or known else None
    return name if alone and is_config(name) else None


def is_config(name: str) -> bool:
    """Whether the name of a folder has the form of a configuration."""
    return _CONFIG.fullmatch(name) is not None


def _innermost(above: Sequence[str], named: set[str], tasks: Sequence[str]) -> int | None:
    """Index of the folder that the records call the configuration, else of the innermost folder
    with the form of a configuration.

    Innermost, because runs are also grouped in folders called `mcp` or `cli`. A task's own folder
    does not count, whatever its name is.
    """
    inner = [i for i in reversed(range(len(above))) if not is_task_folder(above[i], tasks)]
    by_record = next((i for i in inner if above[i].casefold() in named), None)
    if by_record is not None:
        return by_record
    return next((i for i in inner if is_config(above[i])), None)


def _run_above(above: Sequence[str], index: int, tasks: Sequence[str]) -> int:
    run = index - 1
    while run >= 0 and (above[run] in _ABOVE or is_task_folder(above[run], tasks)):
        run -= 1
    return run


def _is_inner(name: str, tasks: Sequence[str]) -> bool:
    """Whether a folder belongs between configuration and trial."""
    if name in _BETWEEN or _TIMESTAMP.fullmatch(name) or _ATTEMPT.fullmatch(name):
        return True
    return is_task_folder(name, tasks) or is_job_folder(name, tasks)


def is_filler(name: str) -> bool:
    """Whether a folder's name says nothing about the task: an attempt, a time, a configuration."""
    return bool(
        name in _BETWEEN
        or is_config(name)
        or _TIMESTAMP.fullmatch(name)
        or _ATTEMPT.fullmatch(name)
    )


def own_name(parts: Sequence[str]) -> str:
    """A trial's name from its folders: `attempt1` inside `rep1` is `rep1_attempt1`."""
    first = len(parts) - 1
    while first > 0 and _ATTEMPT.fullmatch(parts[first]) and _ATTEMPT.fullmatch(parts[first - 1]):
        first -= 1
    return "_".join(parts[first:])


def without_mode(name: str) -> str:
    """The `<task>` in `<task>_<mode>`."""
    match = _MODE_SUFFIX.fullmatch(name)
    return match["task"] if match is not None and "__" not in name else name


def without_tail(name: str) -> str:
    """The `<task>` in `<task>_<6 hex>`, the name of a task's folder."""
    return re.sub(r"_[0-9a-f]{6}$", "", name)


def is_task_folder(name: str, tasks: Sequence[str]) -> bool:
    """Whether a name is `<task>` or `<task>_<hex>`."""
    low = name.casefold()
    return any(low == task.casefold() or low.startswith(f"{task.casefold()}_") for task in tasks)


def is_job_folder(name: str, tasks: Sequence[str]) -> bool:
    """Whether a name is like `<suite>_<task>_<config>`: the whole task between other words."""
    low = name.casefold()
    return any(
        f"_{task.casefold()}_" in low or low.endswith(f"_{task.casefold()}") for task in tasks
    )


def expand_flat(name: str) -> list[str]:
    """The folders in a name that is a whole path joined with `__`; the trial is last."""
    if not _FLAT.fullmatch(name):
        return [name]
    pieces = re.sub(r"(\d{4}-\d{2}-\d{2})__(\d{2}-\d{2}-\d{2})", "\\1\0\\2", name).split("__")
    pieces = [piece.replace("\0", "__") for piece in pieces]
    return [*pieces[:-2], "__".join(pieces[-2:])]


def suite_in(parts: Sequence[str]) -> str | None:
    """The suite in the name of a folder above the trial, nearest folder first."""
    for name in reversed(parts):
        match = _SUITE.fullmatch(name) if len(name) <= MAX_FOLDER_NAME else None
        if match is not None:
            return match["suite"]
    return None


# --- names of tasks -----------------------------------------------------------------------


CUT_AT = 32
"""Names of trial folders keep this many characters of the task's name."""

_HASH = r"(?:[A-Za-z0-9]{6}|[0-9a-f]{8})"
_HASHED = regex(rf"(?:mcp|bl)_(?P<task>.+)_(?P<hash>{_HASH})")
_PREFIXED = regex(r"(?P<prefix>sgonly|artifact|mcp|bl)_(?P<task>.+)")
_SDLC = regex(rf"sdlc_(?P<rest>[^_]+_.+)_(?P<hash>{_HASH})")
_TAILED = regex(rf"(?P<task>.+)_(?P<hash>{_HASH})")
_NUMBERED = regex(r".*-\d{2,4}")
_TRIAL = regex(r"(?P<stem>.+)__[A-Za-z0-9]{7}")
_NUMBERED_ATTEMPT = regex(r"(?P<task>.+)_\d{1,3}")


def forms(name: str) -> Iterator[str]:
    """The name, then names that it may wrap, most literal first; the caller knows the tasks."""
    yield name
    for pattern in (_HASHED, _PREFIXED, _TAILED):
        match = pattern.fullmatch(name)
        if match is not None:
            yield match["task"]
    prefixed = _PREFIXED.fullmatch(name)
    tailed = None if prefixed is None else _TAILED.fullmatch(prefixed["task"])
    if tailed is not None:
        yield tailed["task"]
    match = _SDLC.fullmatch(name)
    if match is not None:
        rest = match["rest"]
        while "_" in rest:
            rest = rest.partition("_")[2]
            yield rest


def without_prefix(name: str) -> str:
    """The name without the word that a wrapper puts in front."""
    match = _PREFIXED.fullmatch(name)
    return match["task"] if match is not None else name


def unwrapped(name: str) -> str:
    """The name without a wrapper whose form leaves no doubt; used when no tasks are known."""
    match = _HASHED.fullmatch(name)
    if match is not None and _is_random(match["hash"], match["task"]):
        return match["task"]
    match = _SDLC.fullmatch(name)
    if match is not None and _is_random(match["hash"], match["rest"]):
        return match["rest"].partition("_")[2]
    match = _PREFIXED.fullmatch(name)
    if match is not None and (
        match["prefix"] == "sgonly"
        or (match["prefix"] == "artifact" and _NUMBERED.fullmatch(match["task"]))
    ):
        return match["task"]
    return name


def _is_random(tail: str, task: str) -> bool:
    """Whether the end of a name is a hash and not a word or a date: it has digits among letters,
    has capitals, or follows a number."""
    if _NUMBERED.fullmatch(task):
        return True
    letters = any(char.isalpha() for char in tail)
    return letters and (any(char.isdigit() for char in tail) or tail.lower() != tail)


def stem(trial_name: str, parent: str | None = None) -> str | None:
    """The task's name at the start of a trial's name, or None if it may be cut off.

    Names are cut at 32 characters, often inside a hash, so a start of 32 characters proves nothing.
    """
    match = _TRIAL.fullmatch(trial_name)
    if match is not None:
        return match["stem"] if len(match["stem"]) < CUT_AT else None
    match = _NUMBERED_ATTEMPT.fullmatch(trial_name)
    if match is not None and parent is not None and match["task"].casefold() == parent.casefold():
        return match["task"]
    return trial_name


def with_masked_labels(trial: Trial) -> Trial:
    """A trial whose configuration, suite, model and harness show no credential (D226).

    Masked where a trial is made, so that its folder, its documents and every message say the same.
    """
    said = {name: getattr(trial, name) for name in _LABELS}
    shown = {name: mask_name(text) for name, text in said.items() if text is not None}
    changed = {name: text for name, text in shown.items() if text != said[name]}
    return replace(trial, **changed) if changed else trial


_LABELS = ("config_name", "benchmark", "model", "harness", "harness_version")
