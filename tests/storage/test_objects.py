"""Object stores, with an S3 server on loopback: the same bytes, clear errors, no secrets."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from groundtrace.api import evaluate_trial
from groundtrace.demo.sessions import write_sessions
from groundtrace.errors import InputError, OutputError
from groundtrace.storage import FolderEntry, TooLargeError, folder_at, objects, open_folder
from groundtrace.storage.objects import ObjectFolder
from tests.conftest import Ran
from tests.whole_runs import DRAWS, RUN, TRIALS, results, run, shrink

pytestmark = pytest.mark.store
Call = Callable[..., Ran]

SECRET = "wJalrXUtnFEMIbPxRfiCYEXAMPLEKEY"
KEY = "AKIAIOSFODNN7EXAMPLE"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """moto's S3 server on a port of loopback."""
    from moto.server import ThreadedMotoServer

    with pytest.MonkeyPatch.context() as patch:
        # moto itself talks to nobody, but botocore looks for credentials when it is imported.
        patch.setenv("AWS_ACCESS_KEY_ID", KEY)
        patch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
        running = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        running.start()
        host, port = running.get_host_and_port()
        yield f"http://{host}:{port}"
        running.stop()


@pytest.fixture
def environment(server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    for name in list(os.environ):
        if name.startswith("AWS_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_ENDPOINT_URL", server)
    monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    objects._store.cache_clear()
    yield server
    objects._store.cache_clear()


def client(server: str) -> Any:
    import boto3

    return boto3.client(
        "s3",
        endpoint_url=server,
        region_name="us-east-1",
        aws_access_key_id=KEY,
        aws_secret_access_key=SECRET,
    )


@pytest.fixture
def bucket(environment: str, request: pytest.FixtureRequest) -> str:
    """An empty bucket of the test's own."""
    name = f"b{abs(hash(request.node.name)) % 10**12}"
    client(environment).create_bucket(Bucket=name)
    return name


def upload(server: str, bucket: str, folder: Path, prefix: str) -> None:
    s3 = client(server)
    for path in folder.rglob("*"):
        if path.is_file():
            s3.upload_file(str(path), bucket, f"{prefix}/{path.relative_to(folder).as_posix()}")


def download(server: str, bucket: str, prefix: str, folder: Path) -> Path:
    s3 = client(server)
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
        for item in page.get("Contents", ()):
            target = folder / item["Key"]
            target.parent.mkdir(parents=True, exist_ok=True)
            s3.download_file(bucket, item["Key"], str(target))
    return folder


def test_a_whole_run_in_a_bucket_has_the_bytes_of_one_on_disk(
    groundtrace: Call, sample: Path, environment: str, bucket: str, tmp_path: Path
) -> None:
    """RUNS, TASKS and --out in the store; then incremental, by ETags, and reports from there."""
    shrink(sample)
    upload(environment, bucket, sample, "bench")
    runs, tasks, out = (
        f"s3://{bucket}/{p}" for p in ("bench/runs/official", "bench/benchmarks", "o")
    )
    flags = ("--tasks", tasks, "--out", out, "--format", "md", *DRAWS)
    ran = groundtrace("run", runs, *flags, "--jobs", 2)
    assert ran.code == 0, ran.err
    assert f"report: {out}/retrieval_events_aggregate/retrieval_report.md" in ran.out
    run(groundtrace, sample, "--out", tmp_path / "local/o")
    there = results(download(environment, bucket, "o", tmp_path / "there"))
    assert there == results(tmp_path / "local")
    names = [str(path) for path in (tmp_path / "there").rglob("*")]
    assert not [name for name in names if name.endswith((".lock", ".tmp"))], "stores have no locks"
    ran = groundtrace("run", runs, *flags, "--jobs", 1)
    assert f"0 documents written, {TRIALS} unchanged" in ran.err
    s3 = client(environment)
    key = next(k for k in keys(s3, bucket) if "mcp_rate" in k and k.endswith("claude-code.txt"))
    text = s3.get_object(Bucket=bucket, Key=key)["Body"].read()
    s3.put_object(Bucket=bucket, Key=key, Body=b"\n".join(text.splitlines()[:6]) + b"\n")
    ran = groundtrace("run", runs, *flags, "--jobs", 1)
    assert f"1 document written, {TRIALS - 1} unchanged" in ran.err
    incremental = results(download(environment, bucket, "o", tmp_path / "incremental"))
    groundtrace("run", runs, *flags, "--jobs", 1, "--force")
    assert results(download(environment, bucket, "o", tmp_path / "forced")) == incremental != there


def test_sessions_in_a_bucket_find_their_commits_as_on_disk(
    groundtrace: Call, environment: str, bucket: str, tmp_path: Path
) -> None:
    """Sessions lie in the store, the repository on disk."""
    write_sessions(tmp_path)
    upload(environment, bucket, tmp_path / "sessions", "sessions")
    given = ("--tasks", f"git:{tmp_path / 'heron'}", "--config-by", "mcp", "--format", "md", *DRAWS)
    outs = [tmp_path / "from_store", tmp_path / "from_disk"]
    for runs, out in zip((f"s3://{bucket}/sessions", tmp_path / "sessions"), outs, strict=True):
        ran = groundtrace("run", runs, *given, "--out", out)
        assert ran.code == 0, ran.err
        assert "with-mcp against without-mcp, 16 sessions, no task in common" in ran.out
    there, here = map(results, outs)
    assert there == here
    assert sum("heron@" in name for name in map(str, there)) >= 15


def test_a_stream_can_be_read_from_any_place(environment: str, bucket: str) -> None:
    """Rows of a data set and members of an archive are read so."""
    data = bytes(range(256)) * 9_000  # more than the store sends at once
    client(environment).put_object(Bucket=bucket, Key="x/big.bin", Body=data)
    with open_folder(f"s3://{bucket}/x").open("big.bin") as stream:
        assert stream.seekable()
        assert stream.read(5) == data[:5]
        for place in (2_000_001, 3, len(data) - 4):
            assert stream.seek(place) == place
            assert stream.read(7) == data[place : place + 7]
        assert stream.seek(-10, 1) == stream.tell()
        assert stream.read() == data[-10:]
        assert stream.seek(-3, 2) == len(data) - 3
        assert stream.read() == data[-3:]


def keys(s3: Any, bucket: str) -> list[str]:
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket)
    return [item["Key"] for page in pages for item in page.get("Contents", ())]


def test_results_may_stay_beside_the_runs(
    groundtrace: Call, sample: Path, environment: str, bucket: str
) -> None:
    shrink(sample)
    upload(environment, bucket, sample / "runs/official" / RUN, f"runs/{RUN}")
    flags = ("--tasks", sample / "benchmarks", "--only", "quay-*", "--jobs", 1)
    url = f"s3://{bucket}/runs/{RUN}"
    assert groundtrace("run", url, *flags, "--format", "md").code == 0
    written = [key for key in keys(client(environment), bucket) if "retrieval_events/" in key]
    assert f"runs/{RUN}/retrieval_events/run_retrieval_summary.json" in written
    trial = next(k for k in keys(client(environment), bucket) if "mcp_quay" in k and "result" in k)
    found = evaluate_trial(f"s3://{bucket}/{trial.rpartition('/')[0]}", tasks=sample / "benchmarks")
    assert found.reading.trial.config_name == "mcp-remote-direct"
    assert found.metrics.file_level_metrics.computable


def test_two_thousand_keys_are_all_listed(environment: str, bucket: str) -> None:
    """More than a page of the store's answers."""
    from moto.s3.models import s3_backends

    # Straight into the server, which lives in this process: 2,000 puts would take a quarter minute.
    (backend,) = [b["aws"] for b in s3_backends.values() if bucket in b["aws"].buckets]
    for number in range(2000):
        backend.put_object(bucket, f"many/file-{number:04}.txt", b"x")
    s3 = client(environment)
    s3.put_object(Bucket=bucket, Key="many/sub/deeper.txt", Body=b"xy")
    s3.put_object(Bucket=bucket, Key="many-more.txt", Body=b"x")
    entries = list(ObjectFolder(f"s3://{bucket}/many").entries())
    assert len(entries) == 2001
    assert entries[0].name == "file-0000.txt"
    assert [entry.name for entry in entries] == sorted(entry.name for entry in entries)
    assert [entry.name for entry in entries if entry.kind == "folder"] == ["sub"]
    assert all(entry.size == 1 and entry.stamp for entry in entries if entry.kind == "file")


def test_objects_are_streamed_and_written_whole(environment: str, bucket: str) -> None:
    folder = folder_at(f"s3://{bucket}/some//where/")
    assert (folder.url, folder.name) == (f"s3://{bucket}/some/where", "where")
    assert not folder.exists()
    data = os.urandom(3 * objects.BLOCK + 17)
    written = folder.write("a/big.bin", data)
    assert (
        folder.stat("a/big.bin")
        == written
        == FolderEntry("a/big.bin", "file", len(data), written.stamp)
    )
    with folder.open("a/big.bin") as stream:
        assert stream.read(10) == data[:10]
        assert b"".join(iter(lambda: stream.read(100_000), b"")) == data[10:]
    assert folder.read("a/big.bin") == data
    with pytest.raises(TooLargeError):
        folder.read("a/big.bin", 1000)
    assert folder.stat("a") == FolderEntry("a", "folder")
    assert not folder.has_file("a")
    assert folder.stat("b") is None
    assert folder.write("a/big.bin", b"other").stamp != written.stamp
    folder.remove("a/big.bin")
    folder.remove("a/big.bin")
    assert not folder.exists()
    with pytest.raises(FileNotFoundError, match=f"s3://{bucket}/some/where/a/big.bin"):
        folder.open("a/big.bin")
    with pytest.raises(OSError, match="leaves its folder"):
        folder.open("../x")
    again = pickle.loads(pickle.dumps(folder))
    assert again.url == folder.url


def test_a_missing_bucket_is_named(groundtrace: Call, environment: str, tmp_path: Path) -> None:
    ran = groundtrace("normalize", "s3://no-such-bucket/runs/official")
    assert ran.code == 2
    assert ran.err == "groundtrace: s3://no-such-bucket/runs/official: no such bucket\n"
    with pytest.raises(OutputError, match=r"no-such-bucket/x/y\.json: no such bucket"):
        folder_at("s3://no-such-bucket/x").write("y.json", b"{}")


def test_a_missing_folder_is_named(groundtrace: Call, environment: str, bucket: str) -> None:
    ran = groundtrace("normalize", f"s3://{bucket}/none")
    assert (ran.code, ran.err) == (2, f"groundtrace: s3://{bucket}/none: no such folder\n")


@pytest.fixture
def refusing(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A server that denies everything, and repeats what it was sent, as careless ones do."""
    import threading
    from http.server import BaseHTTPRequestHandler, HTTPServer

    class Refuse(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            sent = self.headers.get("Authorization", "")
            body = f"<Error><Code>AccessDenied</Code><Message>{sent} {SECRET}</Message></Error>"
            self.send_response(403)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            pass

    for method in ("HEAD", "PUT", "POST", "DELETE"):
        setattr(Refuse, f"do_{method}", Refuse.do_GET)
    server = HTTPServer(("127.0.0.1", 0), Refuse)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
    objects._store.cache_clear()
    yield
    server.shutdown()
    thread.join()
    server.server_close()
    objects._store.cache_clear()


@pytest.mark.usefixtures("environment", "refusing")
def test_denied_access_names_bucket_and_key_and_no_secret(
    groundtrace: Call, sample: Path, tmp_path: Path
) -> None:
    attempts = {
        "s3://closed/runs": ("normalize", "s3://closed/runs"),
        "s3://closed/tasks": ("normalize", sample / "runs", "--tasks", "s3://closed/tasks"),
        "s3://closed/out": ("normalize", sample / "runs", "--out", "s3://closed/out", "--jobs", 1),
    }
    for place, arguments in attempts.items():
        for verbose in ((), ("-v",)):
            ran = groundtrace(*arguments, *verbose)
            assert ran.code == 2
            assert place in ran.err
            assert "access denied" in ran.err
            assert SECRET not in ran.err + ran.out
            assert KEY not in ran.err + ran.out
            assert verbose or len(ran.err.splitlines()) == 1
    folder = folder_at("s3://closed/some")
    for attempt in (folder.open, folder.read, folder.stat, folder.has_file):
        with pytest.raises(InputError, match="s3://closed/some/thing: access denied"):
            attempt("thing")
    with pytest.raises(OutputError, match="s3://closed/some/thing: access denied"):
        folder.write("thing", b"x")


@pytest.mark.parametrize(
    "url", [f"s3://{KEY}:{SECRET}@bucket/runs", f"az://account/runs?sig={SECRET}"]
)
def test_an_address_with_credentials_is_refused_without_showing_them(
    url: str, groundtrace: Call
) -> None:
    ran = groundtrace("normalize", url)
    assert ran.code == 2
    assert "set them in the environment" in ran.err
    assert SECRET not in ran.err


def test_an_address_without_a_bucket_is_refused() -> None:
    with pytest.raises(InputError, match="names no bucket"):
        open_folder("s3:///runs")
