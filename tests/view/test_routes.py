"""The viewer's answers over HTTP, without a browser: who gets them, and what they contain."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("duckdb")
werkzeug_test = pytest.importorskip("werkzeug.test")

from groundtrace.impact.options import ImpactOptions  # noqa: E402
from groundtrace.report.answer_text import others, shown  # noqa: E402
from groundtrace.runs.engine.local import LocalEngine  # noqa: E402
from groundtrace.runs.impact import impact, widest_document  # noqa: E402
from groundtrace.runs.request import Request  # noqa: E402
from groundtrace.view.gate import HEADERS, Gate  # noqa: E402
from groundtrace.view.routes import ASSETS, App  # noqa: E402
from groundtrace.view.trace_files import NOT_HERE, OUTSIDE  # noqa: E402
from tests.view.worlds import (  # noqa: E402
    SECRET,
    claude_lines,
    hostile,
    library_of,
    story,
    write_trace,
)

HOST = "127.0.0.1:7457"


class Asking:
    """A client that has the cookie, or has not."""

    def __init__(self, runs: Path, **given: Any) -> None:
        self.library = library_of(runs, **given)
        self.app = App(self.library, Gate(7457))
        self.client = werkzeug_test.Client(self.app)

    def log_in(self) -> Asking:
        answer = self.get(f"/?token={self.app.gate.token}")
        assert answer.status_code == 303
        return self

    def get(self, path: str, method: str = "GET", host: str = HOST, **headers: str) -> Any:
        return self.client.open(
            path, method=method, headers={"Host": host, **headers}, base_url=f"http://{HOST}"
        )

    def data(self, path: str) -> Any:
        answer = self.get(path)
        assert answer.status_code == 200, answer.text
        assert answer.content_type == "application/json"
        return json.loads(answer.data)

    def ids(self) -> dict[str, str]:
        """Trial to id."""
        return {line["trial"]: line["id"] for line in self.data("/api/trials")["trials"]}


@pytest.fixture
def asking(tmp_path: Path) -> Iterator[Asking]:
    story(tmp_path / "runs" / "run")
    made = Asking(tmp_path / "runs").log_in()
    yield made
    made.library.current.index.close()


@pytest.fixture
def stranger(tmp_path: Path) -> Iterator[Asking]:
    story(tmp_path / "runs" / "run")
    made = Asking(tmp_path / "runs")
    yield made
    made.library.current.index.close()


# ---- the gate

EVERYWHERE = ("/", "/api/state", "/api/trials", "/assets/view.js", f"/trial/{'0' * 20}", "/none")


@pytest.mark.parametrize("path", EVERYWHERE)
def test_nothing_is_answered_without_the_cookie(stranger: Asking, path: str) -> None:
    answer = stranger.get(path)
    assert answer.status_code == 403
    assert b"alpha" not in answer.data
    assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("path", EVERYWHERE)
def test_a_wrong_host_is_refused_with_cookie_and_token(asking: Asking, path: str) -> None:
    for token in ("", f"?token={asking.app.gate.token}"):
        answer = asking.get(path + token, host="evil.example:7457")
        assert answer.status_code == 421
        assert "Set-Cookie" not in answer.headers


def test_another_origin_is_refused_with_the_cookie(asking: Asking) -> None:
    assert asking.get("/api/trials", Origin="http://evil.example").status_code == 403
    assert asking.get("/api/trials", **{"Sec-Fetch-Site": "cross-site"}).status_code == 403


def test_the_token_becomes_a_strict_cookie_and_leaves_the_address(stranger: Asking) -> None:
    answer = stranger.get(f"/trial/{'a' * 20}?call=3&token={stranger.app.gate.token}&with=b")
    assert answer.status_code == 303
    assert answer.headers["Location"] == f"/trial/{'a' * 20}?call=3&with=b"
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert stranger.app.gate.token not in cookie


def test_a_wrong_token_gives_no_cookie(stranger: Asking) -> None:
    answer = stranger.get("/?token=wrong")
    assert answer.status_code == 403
    assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("path", ["//evil.example/", "/\\evil.example", "///evil.example/x"])
def test_a_token_leads_to_no_other_site(stranger: Asking, path: str) -> None:
    """`Location: //evil.example` would be another site."""
    environ = {"PATH_INFO": path, "QUERY_STRING": f"token={stranger.app.gate.token}"}
    builder = werkzeug_test.EnvironBuilder(headers={"Host": HOST})
    answer = stranger.client.open({**builder.get_environ(), **environ})
    location = answer.headers.get("Location", "/")
    assert location.startswith("/")
    assert not location.startswith(("//", "/\\"))


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_the_viewer_changes_nothing(asking: Asking, method: str) -> None:
    assert asking.get("/api/trials", method=method).status_code == 405


@pytest.mark.parametrize("path", [*EVERYWHERE, "/?token=wrong"])
def test_every_answer_has_the_policy(asking: Asking, path: str) -> None:
    for answer in (asking.get(path), asking.get(path, host="evil.example")):
        for name, value in HEADERS.items():
            assert answer.headers[name] == value


def test_a_refused_link_is_offered_again_as_text(stranger: Asking) -> None:
    """The page that refuses links to the same address, without making markup of it."""
    answer = stranger.get("/?q=%22%3E%3Cscript%3Ex")
    assert "<script" not in answer.text
    assert 'href="/?q=%22%3E%3Cscript%3Ex"' in answer.text


# ---- what is served

LEAVING = (
    "/assets/../app.py",
    "/assets/..%2fapp.py",
    "/assets/%2e%2e/%2e%2e/etc/passwd",
    "/assets//etc/passwd",
    "/assets/view.js/../../x",
    "/trial/../../etc/passwd",
    "/trial/..%2f..%2f..%2fetc%2fpasswd",
    "/api/trial/../../../../etc/passwd",
    "/api/trial/%2e%2e%2f%2e%2e%2fetc%2fpasswd1/raw/0",
    f"/api/trial/{'0' * 20}/raw/..%2f..%2fetc%2fpasswd",
    f"/api/trial/{'0' * 20}/raw/-1",
    "/%00",
    "/runs/run/baseline/alpha__baseline/agent/claude-code.txt",
    "/api/trial/runs/run/baseline",
)


@pytest.mark.parametrize("path", LEAVING)
def test_no_path_leads_to_a_file(asking: Asking, path: str) -> None:
    answer = asking.get(path)
    assert answer.status_code == 404
    assert b"root:" not in answer.data
    assert b"needle" not in answer.data


def test_a_trace_is_named_by_a_trial_and_a_number(asking: Asking) -> None:
    trial = asking.ids()["alpha__mcp"]
    assert asking.data(f"/api/trial/{trial}/files")["files"][0]["name"] == "agent/claude-code.txt"
    part = asking.data(f"/api/trial/{trial}/raw/0?file=/etc/passwd&path=../../x")
    assert "needle_alpha" in part["text"]
    assert asking.get(f"/api/trial/{trial}/raw/1").status_code == 404
    assert asking.get(f"/api/trial/{trial}/call/99").status_code == 404


def test_the_assets_are_the_pages_own(asking: Asking) -> None:
    from groundtrace.report.parts import asset

    assert asking.get("/assets/parts.js").text == asset("parts.js")
    assert asking.get("/assets/page.css").text == asset("page.css")
    for name, (kind, _) in ASSETS.items():
        assert asking.get(f"/assets/{name}").content_type == kind


def test_a_trial_is_what_the_page_shows_of_it(asking: Asking, tmp_path: Path) -> None:
    from groundtrace.report.packed_trials import trial_data
    from groundtrace.view.responses import LIMITS

    trial = asking.data(f"/api/trial/{asking.ids()['beta__mcp']}")
    found = asking.library.current.trial(trial["id"])
    assert found is not None
    assert found[1] is not None
    assert trial["detail"] == json.loads(json.dumps(trial_data(found[1], LIMITS)))
    assert [other["config"] for other in trial["others"]] == ["baseline"]
    assert (trial["found"], trial["verdict"]) == ("some met", "partly")


def test_calls_come_in_parts(asking: Asking) -> None:
    path = f"/api/trial/{asking.ids()['beta__mcp']}?from=2"
    detail = asking.data(path)["detail"]
    assert [step[0] for step in detail["steps"]] == [2]
    assert detail["cut"] == 0


def test_a_call_has_the_text_of_its_trace(asking: Asking) -> None:
    found = asking.data(f"/api/trial/{asking.ids()['gamma__mcp']}/call/1")
    assert [piece["what"] for piece in found["pieces"]] == ["Call", "Answer"]
    assert found["pieces"][1]["text"] == "def gamma_mcp():\n    pass"
    # The reader joins sources: only the place of the call is known.
    assert [piece["name"] for piece in found["pieces"]] == ["agent/claude-code.txt", ""]
    assert found["looking"] is None
    assert found["note"] == ""


# ---- credentials and hostile text


def test_credentials_stay_masked_everywhere(tmp_path: Path) -> None:
    hostile(tmp_path / "runs" / "run")
    asking = Asking(tmp_path / "runs").log_in()
    for trial in asking.ids().values():
        for path in ("", "/call/0", "/call/0?all=1", "/raw/0", "/raw/0?at=400"):
            answer = asking.get(f"/api/trial/{trial}{path}")
            assert answer.status_code == 200
            assert SECRET not in answer.text
            assert SECRET[8:] not in answer.text
    for path in ("/api/trials?q=ghp_", "/api/state?words=1"):
        assert SECRET not in asking.get(path).text
    asking.library.current.index.close()


def test_no_mask_shows_them_and_says_so(tmp_path: Path) -> None:
    hostile(tmp_path / "runs" / "run")
    asking = Asking(tmp_path / "runs", mask=False).log_in()
    trial = next(iter(asking.ids().values()))
    assert SECRET in asking.get(f"/api/trial/{trial}/call/0").text
    assert "--no-mask" in asking.data("/api/state?words=1")["status"]
    asking.library.current.index.close()


# ---- the answer


def analysed(runs: Path, baseline: str) -> Request:
    """Write the analysis of some results."""
    request = Request(runs=str(runs), engine=LocalEngine(1))
    impact(request, ImpactOptions(baseline=baseline, draws=100))
    return request


def test_the_answer_of_the_analysis_is_shown_first(tmp_path: Path) -> None:
    """As the terminal prints it; none before there is an analysis, the new one after another."""
    story(tmp_path / "runs" / "run")
    asking = Asking(tmp_path / "runs").log_in()
    assert asking.data("/api/state?words=1")["answer"] is None
    for baseline in ("baseline", "mcp"):
        document = widest_document(analysed(tmp_path / "runs", baseline))
        assert document is not None
        texts = asking.data("/api/state?words=1")["answer"]
        own = shown(document.answer)
        assert (texts["title"], texts["sentences"]) == (own.title, own.sentences)
        assert [row["change"] for row in texts["rows"]] == [row.change for row in own.rows]
        assert texts["look_at"] == [item.line for item in own.look_at]
        assert texts["also"] == others(document)
    asking.library.current.index.close()


def test_no_answer_is_shown_for_a_part_of_the_trials(tmp_path: Path) -> None:
    story(tmp_path / "runs" / "run")
    analysed(tmp_path / "runs", "baseline")
    asking = Asking(tmp_path / "runs", only="alpha*").log_in()
    assert asking.data("/api/state?words=1")["answer"] is None
    asking.library.current.index.close()


# ---- traces that lie elsewhere


def outside(tmp_path: Path) -> Path:
    """A trace outside of the runs."""
    answers = [("toolu_alpha_baseline_0", "Bash", {}, "outside text")]
    return write_trace(tmp_path / "elsewhere", "trial", claude_lines(answers))


@pytest.mark.parametrize("link", ["file", "agent", "trial", "config"])
def test_a_trace_behind_a_link_that_leaves_the_runs_is_refused(tmp_path: Path, link: str) -> None:
    import shutil

    run = tmp_path / "runs" / "run"
    story(run)
    file = outside(tmp_path)
    ours = run / "baseline" / "alpha__baseline"
    if link == "file":
        (ours / "agent" / "claude-code.txt").unlink()
        (ours / "agent" / "claude-code.txt").symlink_to(file)
    elif link == "agent":
        shutil.rmtree(ours / "agent")
        (ours / "agent").symlink_to(file.parent)
    elif link == "trial":
        shutil.rmtree(ours)
        ours.symlink_to(file.parent.parent)
    else:
        shutil.rmtree(run / "baseline")
        file.parent.parent.rename(tmp_path / "elsewhere" / "alpha__baseline")
        (run / "baseline").symlink_to(tmp_path / "elsewhere")
    asking = Asking(tmp_path / "runs").log_in()
    trial = asking.ids()["alpha__baseline"]
    found = asking.data(f"/api/trial/{trial}/files")
    assert found["files"] == []
    assert found["note"]
    call = asking.data(f"/api/trial/{trial}/call/0")
    assert call["pieces"] == []
    assert asking.get(f"/api/trial/{trial}/raw/0").status_code == 404
    asking.library.current.index.close()


@pytest.mark.parametrize(
    "path", ["../../elsewhere/trial", "/etc", "baseline/../../../elsewhere/trial", "a\0b", ""]
)
def test_a_record_cannot_name_a_place_outside_of_its_run(tmp_path: Path, path: str) -> None:
    """outcomes.json is a file like any other: anybody can have written it."""
    from groundtrace.storage import LocalFolder
    from groundtrace.view.trace_files import NO_TRACE, trace_files

    run = tmp_path / "runs" / "run"
    story(run)
    outside(tmp_path)
    found = trace_files(LocalFolder(tmp_path / "runs").folder("run"), path)
    assert found.files == ()
    assert found.why_none in (NOT_HERE, OUTSIDE, NO_TRACE)


def test_a_file_that_is_no_trace_is_not_shown(tmp_path: Path) -> None:
    """The record names a file of the run that no reader knows."""
    from groundtrace.storage import LocalFolder
    from groundtrace.view.trace_files import NO_TRACE, trace_files

    (tmp_path / "secrets.txt").write_text("hunter2")
    found = trace_files(LocalFolder(tmp_path), "secrets.txt")
    assert found.files == ()
    assert found.why_none == NO_TRACE


def test_results_apart_from_their_runs(tmp_path: Path) -> None:
    """With --out the traces are found in RUNS; from the results alone they are said to be missing."""
    run = tmp_path / "runs" / "run"
    story(run)
    for config in ("baseline", "mcp"):
        for trial in (run / config).iterdir():
            (trial / "result.json").write_text(json.dumps({"task_name": trial.name}))
    (tmp_path / "out" / "run").mkdir(parents=True)
    (run / "retrieval_events").rename(tmp_path / "out" / "run" / "retrieval_events")
    with_runs = Asking(run, out=tmp_path / "out").log_in()
    trial = with_runs.ids()["alpha__mcp"]
    assert with_runs.data(f"/api/trial/{trial}/call/0")["pieces"]
    alone = Asking(tmp_path / "out").log_in()
    assert alone.ids()["alpha__mcp"] == trial
    assert alone.data(f"/api/trial/{trial}/call/0")["note"] == NOT_HERE
    with_runs.library.current.index.close()
    alone.library.current.index.close()
