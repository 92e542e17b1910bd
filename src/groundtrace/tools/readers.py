"""The functions that read a tool's answers, by the name that the tool table gives in `reads`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from groundtrace.model import ToolCall
from groundtrace.tools.findings import Findings
from groundtrace.tools.generic import generic_reader
from groundtrace.tools.table import ToolEntry

CallReader = Callable[[ToolCall, ToolEntry, str | None], Findings]
"""Takes a call, its tool and the working directory."""


@cache
def call_readers() -> Mapping[str, CallReader]:
    """The functions that the table names in `reads`."""
    from groundtrace.tools import (
        auggie,
        editor,
        github,
        grep,
        local_files,
        serena,
        sourcegraph,
        sourcegraph_evaluator,
        swe_agent,
    )

    return {
        "read": local_files.read,
        "grep": grep.grep,
        "glob": local_files.glob,
        "listing": local_files.listing,
        "write": local_files.write,
        "patch": local_files.patch,
        "editor": editor.editor,
        "several_files": local_files.several_files,
        "retrieval": auggie.retrieval,
        "generic": generic_reader,
        "serena_read": serena.read_file,
        "serena_symbol": serena.symbol,
        "sg_read_file": sourcegraph.read_file,
        "sg_list_files": sourcegraph.list_files,
        "sg_search": sourcegraph.search,
        "sg_symbol": sourcegraph.symbol,
        "sg_commits": sourcegraph.commits,
        "sg_diff_search": sourcegraph.diff_search,
        "sg_compare": sourcegraph.compare,
        "sg_deepsearch": sourcegraph.deepsearch,
        "sg_list_repos": sourcegraph.list_repos,
        "sg_evaluator": sourcegraph_evaluator.evaluator,
        "window": swe_agent.window,
        "found_files": swe_agent.found_files,
        "found_lines": swe_agent.found_lines,
        "gh_contents": github.contents,
        "gh_search_code": github.search_code,
        "gh_tree": github.tree,
        "gh_changes": github.changes,
        "gh_write": github.write,
        "gh_repository": github.repository,
    }
