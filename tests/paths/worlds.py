"""A trial made of a task, its ground truth and the files that it touched, for tests of paths."""

from __future__ import annotations

from collections.abc import Mapping

from groundtrace.config import Settings
from groundtrace.model import FileRef, GroundTruth, RootSign, Task, TruthFile
from groundtrace.paths import Resolver


def entry(text: str) -> TruthFile:
    repo, found, path = text.partition("::")
    return TruthFile(text, path, repo) if found else TruthFile(text, text)


def ref(text: str, *, kind: str = "read", diff: bool = False) -> FileRef:
    """`repo::path` is what a call says that names a repository; else a path alone."""
    repo, found, path = text.partition("::")
    if found:
        return FileRef(path, kind, repo=repo, from_diff=diff)  # type: ignore[arg-type]
    return FileRef(text, kind, from_diff=diff)  # type: ignore[arg-type]


class World:
    """A trial: its task, its ground truth and the files that it touched."""

    def __init__(
        self,
        *touched: str | FileRef,
        truth: tuple[str, ...] = (),
        repos: tuple[str, ...] = (),
        at: Mapping[str, str] | None = None,
        named: tuple[str, ...] = (),
        cwd: str | None = "/workspace",
        signs: tuple[RootSign, ...] = (),
        settings: Settings | None = None,
    ) -> None:
        task = Task("t", "suite", None, repos=repos, repo_paths=at or {})
        self.refs = [ref(item) if isinstance(item, str) else item for item in touched]
        self.resolver = Resolver(
            truth=GroundTruth(files=tuple(map(entry, truth))),
            task=task if repos or at else None,
            refs=self.refs,
            repos=named,
            cwd=cwd,
            signs=signs,
            settings=settings,
        )

    def files(self) -> list[str | None]:
        found = [self.resolver.resolve(item) for item in self.refs]
        return [None if item is None else item.file for item in found]

    def hits(self) -> list[str | None]:
        found = [self.resolver.resolve(item) for item in self.refs]
        return [
            None if item is None or item.truth is None else item.truth.spelling for item in found
        ]
