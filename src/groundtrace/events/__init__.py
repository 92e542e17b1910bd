"""The retrieval-events document of one trial: calls, files and ground truth together.

The stages before this one know nothing of each other: a trace has calls, a view has files as the
call names them, a truth has entries as the task writes them. They are resolved here, because only
here all of them are available:

- which file each reference means, with one spelling per trial, and what it is for the task: a
  relevant file, an edit target, a neighbour of a relevant file, lines of a chunk. What a path means
  depends on all paths of the trial, so one `Resolver` is built from all views before the first
  event is written;
- when time starts (`Clock`): the recorded start of the agent, unless it is too far from the trace
  to be true;
- what is missing (`degraded_reason`), in one sentence that later stages pass on.

Nothing is resolved again after this. The document holds the results on each access, so metrics,
summaries, tables and pages only count (D43). The document is always complete here; a version
without some of its fields is made when it is written (`documents.versions`).

Text is cleaned, masked and shortened first (`events.text`). So a document can always be written,
holds no credentials and does not grow with the longest argument of a trace.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import get_args

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from groundtrace.answers.places import absolute
from groundtrace.base.jsonio import clean_text
from groundtrace.base.mcp import server_in_name
from groundtrace.base.patterns import regex
from groundtrace.base.times import seconds_between
from groundtrace.base.values import model_name
from groundtrace.config import Settings
from groundtrace.documents.base import MAX_INT, SCHEMA_VERSION
from groundtrace.documents.events import (
    Access,
    Chunk,
    Event,
    EventsDocument,
    EventSummary,
    GroundTruthSection,
    Provenance,
    Symbol,
)
from groundtrace.documents.functions import Functions
from groundtrace.events.accesses import Accesses
from groundtrace.events.base_lines import with_base_lines
from groundtrace.events.coverage import Clock, clock_of, coverage_of, iso
from groundtrace.events.stated import (
    context_changes,
    final_context_of,
    ranking_of,
    submission_of,
    submitted,
)
from groundtrace.events.text import salient_arguments, stored_id, stored_text
from groundtrace.model import (
    CallView,
    Category,
    GroundTruth,
    Problem,
    RootSign,
    Task,
    ToolCall,
    Trace,
    Trial,
    TruthChunk,
)
from groundtrace.paths import Resolver
from groundtrace.paths.repos import short_repo
from groundtrace.traces.kit.prompt import first_prompt
from groundtrace.truth.patches import NOTHING

_CATEGORIES: tuple[Category, ...] = get_args(Category)


def build_document(
    trial: Trial,
    trace: Trace,
    views: Sequence[CallView],
    truth: GroundTruth,
    problems: Sequence[Problem],
    settings: Settings,
) -> EventsDocument:
    """The whole document of one trial; the same input gives the same document (D37).

    `problems` are all problems found so far, including those of the views. `views` has one view per
    call, in the same order.
    """
    resolver = Resolver(
        truth=truth,
        task=_task_of(trial),
        refs=[ref for view in views for ref in view.refs],
        # A call that failed may name something that does not exist: `repository not found`.
        repos=[repo for view in views if not view.failed for repo in view.repos],
        cwd=trace.cwd,
        signs=[*_signs(trace, views), *_said_in_prompt(trial, trace.cwd)],
        settings=settings,
    )
    clock = clock_of(trial, trace)
    accesses = Accesses(resolver)
    events = [
        _event(index, call, view, accesses.of(view.refs), clock)
        for index, (call, view) in enumerate(zip(trace.calls, views, strict=True))
    ]
    base = texts = None
    if settings.repos or _names_repository(trial.task):
        # Loaded here: few trials have a repository, and its modules take 2 ms of each start.
        from groundtrace.events.functions import text_of, with_functions
        from groundtrace.functions.repositories import open_tree

        base = open_tree(trial.task, settings.repos)
        texts = text_of(base, resolver.home)
    events = with_base_lines(events, trace.calls, views, accesses, texts)
    section = _ground_truth(truth, resolver)
    patch, source = submitted(trial, trace)
    functions: Functions | UnsetType = UNSET
    if base is not None:
        hunks = None if patch is None else patch.hunks
        found = with_functions(events, base, truth, hunks, resolver.home)
        events, functions = list(found.events), found.functions
        section = replace(section, functions=found.truth)
        problems = (*problems, *found.problems)
    return EventsDocument(
        schema_version=SCHEMA_VERSION,
        provenance=_provenance(trial, trace, resolver),
        coverage=coverage_of(
            trial, trace, views, truth, section, problems, clock, resolver.unmatched_suffixes()
        ),
        ground_truth=section,
        events=events,
        summary=_summary(events, len(section.files)),
        submission=UNSET if patch is None else submission_of(patch, source, resolver),
        final_context=final_context_of(trace, resolver),
        ranking=ranking_of(trial, resolver),
        context_changes=context_changes(trace) or UNSET,
        subagent_inputs=_subagent_inputs(trace) or UNSET,
        functions=functions,
    )


def _names_repository(task: Task | None) -> bool:
    return task is not None and task.row is not None and task.row.repository is not None


def _signs(trace: Trace, views: Sequence[CallView]) -> list[RootSign]:
    """What calls show about folders as repositories, and where the harness worked."""
    found = {sign: None for view in views for sign in view.signs}
    worked = {call.cwd for call in trace.calls} - {None, trace.cwd}
    return [*found, *(RootSign("workdir", folder) for folder in sorted(map(str, worked)))]


_CODE_AT = regex(
    r"[cprsCPRS](?<!\w.)(?i:(?:(?<=r)epo(?:sitory)?|(?<=c)(?:ode(?:base)?|lone|heckout)|(?<=p)roject"
    r"|(?<=s)ource)\b[^.\n]{0,60}?"
    r"\b(?:at|in|under|to|into|inside|from)\s+(?:the\s+)?(?:(?:folder|directory|path)\s+)?"
    r"(?P<quote>[`'\"]?)(?P<path>(?:~?/|\./|[A-Za-z]:[\\/])?[\w@+-][\w.@+-]*(?:[\\/][\w.@+-]+)*)[\\/]?"
    r"(?P=quote))"
)
"""A sentence that says where the code is. A bare word needs quotes: `in the code` names no folder.

First letters come first, and not below `(?i:`: the search steps over all others, in a third of the
time."""
_CODE_WORDS = ("repo", "code", "clone", "checkout", "project", "source")
"""The words that such a sentence begins with."""


def _sentences(prompt: str) -> Iterator[re.Match[str]]:
    """All of these sentences. They are matched only where their words are: a prompt of 8,000
    characters took 0.2 ms, a fiftieth of its trial."""
    # `(?i:` takes these for `s` and `i`, and `lower` does not.
    if "ſ" in prompt or "ı" in prompt or "İ" in prompt:
        yield from _CODE_AT.finditer(prompt)
        return
    lower = prompt.lower()
    starts = {found.start() for word in _CODE_WORDS for found in re.finditer(word, lower)}
    end = 0
    for start in sorted(starts):
        if start >= end and (found := _CODE_AT.match(prompt, start)) is not None:
            yield found
            end = found.end()


def _said_in_prompt(trial: Trial, cwd: str | None) -> Iterator[RootSign]:
    """Folders in which a user's first message says that the code is, of traces without records."""
    if trial.loose is None or trial.loose.sample is not None:
        return
    for found in _sentences(first_prompt(trial.folder, trial.loose.file)):
        path = found["path"]
        if found["quote"] or "/" in path or "\\" in path:
            yield RootSign("prompt", absolute(path.rstrip("."), cwd))


def _event(
    index: int, call: ToolCall, view: CallView, accesses: list[Access], clock: Clock
) -> Event:
    server = call.server or server_in_name(call.name)
    matched = _distinct([a.ground_truth_file for a in accesses if a.ground_truth_file])
    result = call.result
    return Event(
        step_index=index,
        timestamp=iso(call.timestamp),
        tool_name=stored_text(call.name),
        tool_category=view.category,
        is_mcp=view.is_mcp,
        arguments=salient_arguments(call.arguments),
        target_files=_distinct([access.ground_truth_file or access.file for access in accesses]),
        target_symbols=_distinct(map(stored_text, view.symbols)) if view.symbols else [],
        hits_ground_truth=bool(matched),
        matched_ground_truth_files=matched,
        is_subagent=call.is_subagent,
        cumulative_tokens=_count(call.cumulative_tokens),
        elapsed_seconds=clock.elapsed(call.timestamp),
        call_id=None if call.call_id is None else stored_id(call.call_id),
        accesses=accesses,
        failed=None if result is None else view.failed,
        answered=result is not None,
        result_chars=None if result is None else len(result.text),
        seconds=_seconds(call),
        agent=UNSET if call.agent is None else stored_text(call.agent),
        mcp_server=UNSET if server is None else stored_text(server),
    )


def _seconds(call: ToolCall) -> float | UnsetType:
    """How long a call took; clocks that run backwards say nothing."""
    if call.timestamp is None or call.answered_at is None or call.answered_at < call.timestamp:
        return UNSET
    return seconds_between(call.timestamp, call.answered_at)


def _subagent_inputs(trace: Trace) -> dict[str, int]:
    """Only of subagents with calls: others have no events to belong to."""
    if not trace.subagent_inputs:
        return {}
    agents = {call.agent for call in trace.calls if call.is_subagent}
    return {
        stored_text(agent): tokens
        for agent, tokens in sorted(trace.subagent_inputs.items())
        if agent in agents and 0 <= tokens <= MAX_INT
    }


def _count(value: int | None) -> int | None:
    return value if value is not None and 0 <= value <= MAX_INT else None


def _task_of(trial: Trial) -> Task | None:
    """The task with the trial's own repository, if something names one (D100)."""
    if trial.repo is None:
        return trial.task
    task = trial.task or Task(trial.task_name, trial.benchmark or "", None)
    own = short_repo(trial.repo).lower()
    paths = {p: repo for p, repo in task.repo_paths.items() if short_repo(repo).lower() == own}
    return replace(task, repos=(trial.repo,), repo_paths=paths)


def _source_file(trial: Trial, trace: Trace) -> str:
    """The main file of the trace, relative to RUNS; the trial's folder if no file was read."""
    if trial.loose is not None:
        sample = trial.loose.sample
        return trial.path if sample is None else trial.path.removesuffix(f"#{sample}")
    return trial.path if trace.file is None else f"{trial.path}/{trace.file}"


def _provenance(trial: Trial, trace: Trace, resolver: Resolver) -> Provenance:
    model = model_name(trial.model or trace.model)
    return Provenance(
        run_id=clean_text(trial.run_id),
        batch_timestamp=None
        if trial.batch_timestamp is None
        else clean_text(trial.batch_timestamp),
        task_name=clean_text(trial.task_name),
        trial_name=clean_text(trial.trial_name),
        config_name=clean_text(trial.config_name),
        benchmark=clean_text(trial.benchmark or ""),
        model=None if model is None else clean_text(model),
        harness=_cleaned(trial.harness or trace.harness),
        harness_version=_cleaned(trial.harness_version or trace.harness_version),
        repo=_cleaned(resolver.home),
        source_file=clean_text(_source_file(trial, trace)),
        repo_roots=[
            replace(root, path=clean_text(root.path), repo=_cleaned(root.repo))
            for root in resolver.roots
        ]
        or UNSET,
        title=UNSET if trial.title is None else _title(stored_text(trial.title)),
        branch=UNSET if trace.branch is None else stored_text(trace.branch),
        started_at=(trial.loose and iso(trace.first_timestamp)) or UNSET,
        last_call_at=(trial.loose and trace.first_timestamp and iso(_last_call(trace))) or UNSET,
    )


def _last_call(trace: Trace) -> float | None:
    """When the last call was made; agents that run beside each other may be listed in any order."""
    return max((call.timestamp for call in trace.calls if call.timestamp is not None), default=None)


TITLE = 80
"""Characters of a title."""


def _title(masked: str) -> str:
    # Cut after masking: half a token looks like a word.
    return masked if len(masked) <= TITLE else masked[: TITLE - 1].rstrip() + "…"


def _cleaned(text: str | None) -> str | None:
    return None if text is None else clean_text(text)


def _ground_truth(truth: GroundTruth, resolver: Resolver) -> GroundTruthSection:
    edits = truth.expected_edit_files
    source = truth.expected_edit_files_source
    return GroundTruthSection(
        files=[clean_text(entry.spelling) for entry in resolver.files],
        symbols=[
            Symbol(
                file=clean_text(symbol.file),
                symbol=clean_text(symbol.symbol),
                repo=None if symbol.repo is None else clean_text(symbol.repo),
            )
            for symbol in truth.symbols
        ]
        or UNSET,
        chunks=[_chunk(chunk, resolver) for chunk in truth.chunks] or UNSET,
        # An empty list says that no edit is expected; without a list that is not known (D58).
        expected_edit_files=UNSET
        if not edits and source is None
        else _distinct(clean_text(resolver.spelling_of(e.path, e.repo)) for e in edits),
        expected_edit_files_source=UNSET if source is None else clean_text(source),
        expected_edit_files_confidence=truth.expected_edit_files_confidence or UNSET,
        edit_chunks=[_chunk(chunk, resolver) for chunk in truth.edit_chunks] or UNSET,
        test_files=[clean_text(file) for file in truth.test_files] or UNSET,
        old_names=_distinct(
            name if name == NOTHING else clean_text(resolver.spelling_of(name, None))
            for name in truth.old_names
        )
        or UNSET,
    )


def _chunk(chunk: TruthChunk, resolver: Resolver) -> Chunk:
    return Chunk(
        file=clean_text(resolver.spelling_of(chunk.file, chunk.repo)),
        line_start=chunk.line_start,
        line_end=chunk.line_end,
        annotation=None if chunk.annotation is None else clean_text(chunk.annotation),
    )


def _summary(events: Sequence[Event], total: int) -> EventSummary:
    hits = [event.step_index for event in events if event.hits_ground_truth]
    categories = Counter([event.tool_category for event in events])
    mcp = sum([event.is_mcp for event in events])
    return EventSummary(
        total_events=len(events),
        mcp_events=mcp,
        local_events=len(events) - mcp,
        unique_files_accessed=len({file for event in events for file in event.target_files}),
        ground_truth_files_hit=len(
            {file for event in events for file in event.matched_ground_truth_files}
        ),
        ground_truth_files_total=total,
        first_ground_truth_hit_step=hits[0] if hits else None,
        events_by_category={
            category: categories[category] for category in _CATEGORIES if category in categories
        },
    )


def _distinct(items: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(items))
