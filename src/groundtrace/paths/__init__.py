"""When two paths mean the same file: the one place that decides it (D8, D13–D17).

A trial names one file in many ways. An agent prints `/workspace/clients/A.java`, a code search
answers with `github.com/sg-evals/kafka--0753c489` and `clients/A.java`, a patch says
`a/clients/A.java`, and the ground truth lists `kafka::clients/A.java`. Nothing but the trial itself
says that `/workspace` is the clone: in another trial `/workspace` holds several clones, and
`/workspace/kafka/clients/A.java` is the same file. A rule that treats all of them alike either
misses hits or invents them, and both are wrong numbers.

So the question is answered once per trial, in five steps, each in a module of its own:

1. `lexical`: text is cleaned without knowledge of the trial (`./a//b` is `a/b`; a folder, a URL or
   a glob is no file).
2. `repos`: names of repositories are taken apart, and names that mean one repository are joined.
   Only names that the task, the ground truth or the trace hold are known.
3. `layout`, with the folders of `containers` that are clones by convention: from all paths of the trial it is decided which folders are repositories. It is decided
   per folder, not per path, so that all files of a folder are read alike.
4. `truth_index`: the ground truth's entries are indexed by the (repository, path) pairs that they
   can mean.
5. `resolver`: each reference becomes its one spelling in the document, and the entry that it is.

An example. The task names `apache/kafka`. A search names `github.com/sg-evals/kafka--0753c489`:
the owner only holds mirrors and the name carries a revision, so it is the task's kafka. The agent
opens `/workspace/clients/A.java`: `/workspace` is a root, nothing below it bears the name of a
repository, so it is the clone of the task's only repository. All three spellings become
`clients/A.java` (the only repository is left out of spellings), and all are the entry
`kafka::clients/A.java`.
"""

from __future__ import annotations

from groundtrace.paths.lexical import clean_path
from groundtrace.paths.repos import repo_names, short_repo
from groundtrace.paths.resolver import ChunkLines, Resolved, Resolver

__all__ = ["ChunkLines", "Resolved", "Resolver", "clean_path", "repo_names", "short_repo"]
