"""Real task directories: the numbers were counted by hand in the files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from groundtrace.model import Task
from groundtrace.storage import LocalFolder
from groundtrace.truth import load_ground_truth

RECORD = "tests/ground_truth.json"

COUNTED: dict[str, tuple[int, int, str, str]] = {
    # files, symbols, source, first file
    "ccb_mcp_crossorg/ccx-crossorg-066": (1, 0, "tests/task_spec.json", "etcd::client/v3/go.mod"),
    # Of the rubric's patterns only three are whole literal paths: types.go, state.go, sync.go.
    "ccb_understand/argocd-arch-orient-001": (3, 0, RECORD, "pkg/apis/application/v1alpha1/types.go"),
    "csb_org_compliance/ccx-compliance-052": (62, 33, RECORD, "envoy::source/common/access_log/access_log_impl.h"),
    "csb_org_crossorg/ccx-crossorg-288": (
        19,
        13,
        RECORD,
        "beam::sdks/java/core/src/main/java/org/apache/beam/sdk/util/construction/PipelineTranslation.java",
    ),
    "csb_org_crossrepo_tracing/ccx-config-trace-010": (1, 1, RECORD, "client-go::rest/config.go"),
    "csb_org_crossrepo_tracing/ccx-dep-trace-001": (9, 0, RECORD, "kubernetes-client-go::dynamic/scheme.go"),
    "csb_org_onboarding/ccx-onboard-search-208": (
        1,
        1,
        "tests/oracle_answer.json",
        "netwerk/protocol/http/nsHttpChannel.cpp",
    ),
    "csb_org_security/ccx-vuln-remed-126": (7, 9, RECORD, "gcc::gcc/config/i386/i386.cc"),
    "csb_sdlc_debug/linux-nfs-inode-revalidate-fault-001": (1, 1, RECORD, "net/sunrpc/xprtsock.c"),
    "csb_sdlc_test/aspnetcore-code-review-001": (2, 0, RECORD, "src/Components/Web/src/Forms/DisplayName.cs"),
    "eb_dependency_management/dep-graph-tri-tokio-hyper-tonic-001": (5, 0, RECORD, "tonic::tonic/tonic/Cargo.toml"),
    "eb_dependency_management/dep-traversal-001": (5, 0, RECORD, "lodash::package.json"),
    "eb_dependency_management/dep-traversal-002": (5, 0, RECORD, "axios::package.json"),
    "eb_incident_response/incident-inv-watch-delete-002": (
        4,
        0,
        RECORD,
        "staging/src/k8s.io/apiserver/pkg/storage/cacher.go",
    ),
    "eb_platform_engineering/cal-drift-flask-config-001": (3, 0, RECORD, "src/flask/config.py"),
}  # fmt: skip


@pytest.fixture(scope="module")
def benchmarks() -> Path:
    corpus = os.environ.get("GROUNDTRACE_CORPUS")
    if not corpus:
        pytest.skip("GROUNDTRACE_CORPUS is not set")
    return Path(corpus) / "benchmarks"


@pytest.mark.corpus
def test_every_task_was_counted(benchmarks: Path) -> None:
    assert {f"{path.parent.name}/{path.name}" for path in benchmarks.glob("*/*")} == set(COUNTED)


@pytest.mark.corpus
@pytest.mark.parametrize("name", sorted(COUNTED))
def test_a_real_task_gives_what_was_counted(benchmarks: Path, name: str) -> None:
    suite, task = name.split("/")
    folder = LocalFolder(benchmarks / name)
    truth, _ = load_ground_truth(Task(task, suite, folder), None, ("all",))
    found = (len(truth.files), len(truth.symbols), truth.source, truth.files[0].spelling)
    assert found == COUNTED[name]
    # All chunks in these tasks are the converters' lines 1–50, and their edit lists copies (D28).
    assert truth.chunks == ()
    assert truth.expected_edit_files == ()


@pytest.mark.corpus
def test_the_oracle_and_the_record_of_one_task_agree(benchmarks: Path) -> None:
    """Objects with a mirror's name and `repo::path` texts are the same files, spelled alike."""
    folder = benchmarks / "csb_org_crossorg/ccx-crossorg-288"
    record, _ = load_ground_truth(Task("x", "y", LocalFolder(folder)))
    only = _Only(folder, "tests/oracle_answer.json")
    oracle, _ = load_ground_truth(Task("x", "y", only), None, ("all",))
    assert [file.spelling for file in record.files] == [file.spelling for file in oracle.files]


class _Only(LocalFolder):
    """A task directory of which one file is seen."""

    def __init__(self, path: Path, only: str) -> None:
        super().__init__(path)
        self.only = only

    def has_file(self, relative: str) -> bool:
        return relative == self.only and super().has_file(relative)
