"""When two paths mean the same file: only this package decides it (D8, D13–D17).

A trial names one file in many ways. An agent prints `/workspace/clients/A.java`, a code search
answers with `github.com/sg-evals/kafka--0753c489` and `clients/A.java`, a patch says
`a/clients/A.java`, and the ground truth lists `kafka::clients/A.java`. Only the trial itself says
that `/workspace` is the clone: in another trial `/workspace` holds several clones, and
`/workspace/kafka/clients/A.java` is the same file. A fixed rule for all trials either misses hits
or invents them, and both give wrong numbers.

So this is decided once per trial, in five steps, each in its own module:

1. `lexical`: text is cleaned without knowledge of the trial (`./a//b` is `a/b`; a folder, a URL or
   a glob is not a file). `windows` gives one form to the spellings of drives and shares.
2. `repos`: names of repositories are split into parts, and names that mean one repository are
   joined. Only names in the task, the ground truth or the trace are known.
3. `layout`: decides from all paths of the trial which folders are repositories; `containers` has
   the folders that are clones by convention, `root_votes` finds a clone that no name shows,
   `folder_places` says where a file lies after that. The
   decision is per folder, not per path, so all files of a folder are treated alike.
4. `truth_index`: the ground truth's entries are indexed by the (repository, path) pairs that they
   can mean.
5. `resolver`: each reference gets its one spelling in the document, and the entry that it means.

An example. The task names `apache/kafka`. A search names `github.com/sg-evals/kafka--0753c489`: the
owner holds only mirrors and the name has a revision, so it is the task's kafka. The agent opens
`/workspace/clients/A.java`: `/workspace` is a root and no folder below it has the name of a
repository, so it is the clone of the task's only repository. All three spellings become
`clients/A.java` (the only repository is left out of spellings), and all of them mean the entry
`kafka::clients/A.java`.
"""

from __future__ import annotations

from groundtrace.paths.lexical import clean_path
from groundtrace.paths.repos import repo_names, short_repo
from groundtrace.paths.resolver import ChunkLines, FileKey, Resolved, Resolver

__all__ = [
    "ChunkLines",
    "FileKey",
    "Resolved",
    "Resolver",
    "clean_path",
    "repo_names",
    "short_repo",
]
