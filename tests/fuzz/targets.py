"""The table of targets: what is fuzzed, and what must be true."""

from __future__ import annotations

from tests.fuzz import (
    cases,
    on_calls,
    on_given,
    on_links,
    on_long,
    on_loose,
    on_mappings,
    on_rest,
    on_tasks,
    on_traces,
    on_view,
)
from tests.fuzz.cases import Target

TARGETS: dict[str, Target] = {
    "command": Target(
        on_traces.make_world, on_traces.check_world, "the whole command on damaged runs and tasks"
    ),
    "traces": Target(
        on_traces.make_trial, on_traces.check_trace, "every trace reader, on damaged trials"
    ),
    "cuts": Target(
        on_traces.make_cut, on_traces.check_cut, "one trace file, cut or with a bit flipped"
    ),
    "mappings": Target(
        on_mappings.make_mapping, on_mappings.check_mapping, "mappings of trace formats"
    ),
    "pipeline": Target(
        on_traces.make_pipeline,
        on_traces.check_pipeline,
        "files to metrics of damaged trials and tasks",
    ),
    "loose": Target(
        on_loose.make_loose, on_loose.check_loose, "traces of every form outside of a trial"
    ),
    "rows": Target(on_loose.make_rows, on_loose.check_rows, "data sets of tasks"),
    "links": Target(
        on_links.make_links, on_links.check_links, "meshes of links and odd names on disk"
    ),
    "stopped": Target(
        on_loose.make_stopped, on_loose.check_stopped, "reading that a time limit stops"
    ),
    "tools": Target(
        on_calls.make_call, on_calls.check_call, "calls with arguments and results of any type"
    ),
    "shell": Target(on_calls.make_shell, on_calls.check_shell, "shell commands and outputs"),
    "truth": Target(cases.make_task, on_tasks.check_task, "ground truth of damaged task folders"),
    "registry": Target(
        on_tasks.make_registry, on_tasks.check_registry, "registries of ground truth"
    ),
    "tasks": Target(
        on_tasks.make_tasks_tree, on_tasks.check_tasks_tree, "the task index over odd trees"
    ),
    "records": Target(
        on_tasks.make_runs, on_tasks.check_runs, "discovery where records are damaged"
    ),
    "trees": Target(on_tasks.make_tree, on_tasks.check_tree, "discovery on trees of no shape"),
    "paths": Target(on_rest.make_paths, on_rest.check_paths, "which file a path means"),
    "settings": Target(on_rest.make_settings, on_rest.check_settings, "settings of any shape"),
    "documents": Target(on_rest.make_document, on_rest.check_document, "damaged documents"),
    "long": Target(on_long.make_long, on_long.check_long, "long texts of one piece"),
    "masking": Target(on_calls.make_text, on_calls.check_text, "masking of credentials"),
    "state": Target(on_given.make_state, on_given.check_state, "stored state of a run"),
    "manifests": Target(
        on_given.make_manifest, on_given.check_manifest, "manifests of loose traces"
    ),
    "layouts": Target(on_given.make_layout, on_given.check_layout, "patterns of --layout"),
    "powershell": Target(
        on_given.make_powershell, on_given.check_powershell, "commands of PowerShell and cmd"
    ),
    "repos": Target(
        on_given.make_repository, on_given.check_repository, "damaged repositories of git"
    ),
    "view": Target(on_view.make_request, on_view.check_request, "requests to the viewer"),
}
"""Targets of the mutation fuzzer by name."""
