"""Values that no honest program writes: too deep, too many, too large, NaN, half a character."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.adversarial.worlds import (
    Call,
    World,
    assert_good_trial_was_evaluated,
    assert_said,
    line,
    put,
    read_of,
    stream,
)

DEEP = 10_000
LISTS = b"[" * DEEP + b"]" * DEEP
OBJECTS = b'{"a":' * DEEP + b"1" + b"}" * DEEP


@pytest.mark.parametrize("deep", [LISTS, OBJECTS], ids=["lists", "objects"])
@pytest.mark.parametrize("name", ["result.json", "config.json", "task_metrics.json"])
def test_a_record_of_ten_thousand_levels_is_a_problem_of_its_trial(
    name: str, deep: bytes, world: World, groundtrace: Call
) -> None:
    """The folder still is a trial, told by its trace; what the record said is lost and counted."""
    trial = world.trial("good-1", config="mcp")
    record = b'{"task_name": "good-1", "x": ' + deep + b"}"
    put(trial / name, record)
    ran = world.evaluate(groundtrace)
    assert ran.code == 0, ran.err
    assert_said(ran)
    assert_good_trial_was_evaluated(world)
    assert len(world.outcomes()["trials"]) == 2
    if name == "result.json":
        counted = [d["coverage"].get("problems", {}) for d in world.documents().values()]
        assert any("broken_json" in problems for problems in counted)


def test_a_trajectory_of_ten_thousand_levels(world: World, groundtrace: Call) -> None:
    """Its other steps are read; the deep one is a loss that the document states."""
    good = {
        "step_id": 1,
        "source": "agent",
        "tool_calls": [
            {
                "tool_call_id": "a",
                "function_name": "Read",
                "arguments": {"file_path": "/workspace/src/a.py"},
            }
        ],
        "observation": {"results": [{"source_call_id": "a", "content": "     1\tx"}]},
    }
    text = json.dumps(
        {"schema_version": "ATIF-v1.2", "agent": {"name": "claude-code"}, "steps": [good]}
    )
    deep = text[:-2].encode() + b', {"step_id": 2, "source": "agent", "extra": ' + LISTS + b"}]}"
    trial = world.trial("good-1", config="mcp", trace="")
    (trial / "agent/claude-code.txt").unlink()
    put(trial / "agent/trajectory.json", deep)
    ran = world.evaluate(groundtrace)
    assert ran.code == 0, ran.err
    assert_good_trial_was_evaluated(world)
    document = world.documents()["mcp good-1"]
    assert [event["target_files"] for event in document["events"]] == [["src/a.py"]]
    assert document["coverage"]["degraded_reason"]


def test_one_line_of_ten_thousand_levels_in_a_transcript(world: World, groundtrace: Call) -> None:
    """The lines before and after it are read."""
    bad = b'{"type":"assistant","message":{"content":' + LISTS + b"}}\n"
    trace = (
        stream("/workspace/src/a.py").encode() + bad + read_of("/workspace/src/b.py", 2).encode()
    )
    world.trial("good-1", config="mcp", trace=trace)
    assert world.evaluate(groundtrace).code == 0
    assert_good_trial_was_evaluated(world)
    document = world.documents()["mcp good-1"]
    files = [event["target_files"] for event in document["events"]]
    assert files == [["src/a.py"], ["src/b.py"]]
    assert document["coverage"]["degraded_reason"]


def test_arguments_and_results_of_many_levels(world: World, groundtrace: Call) -> None:
    """Levels that a parser takes (a few hundred) must not break a later stage that walks them."""
    nested: object = "/workspace/src/deep.py"
    for _ in range(450):
        nested = [nested]
    use = {"type": "tool_use", "id": "d", "name": "Read", "input": {"file_path": nested}}
    bash = {
        "type": "tool_use",
        "id": "e",
        "name": "Bash",
        "input": {"command": "cat a", "x": nested},
    }
    answer = {"type": "tool_result", "tool_use_id": "d", "content": nested}
    deep = line(type="assistant", message={"id": "m", "content": [use, bash]}) + line(
        type="user", message={"content": [answer]}, tool_use_result=nested
    )
    world.trial("good-1", config="mcp", trace=stream("/workspace/src/a.py") + deep)
    ran = world.evaluate(groundtrace)
    assert ran.code == 0, ran.err
    assert len(world.documents()["mcp good-1"]["events"]) == 3


@pytest.mark.parametrize("deep", [LISTS, OBJECTS], ids=["lists", "objects"])
def test_a_ground_truth_of_ten_thousand_levels_is_unknown(
    deep: bytes, world: World, groundtrace: Call
) -> None:
    """Unknown is not zero (D19), and the document says which file was skipped (D25)."""
    task = world.task("good-2")
    put(task / "tests/ground_truth.json", b'{"files": ' + deep + b"}")
    world.trial("good-2")
    assert world.evaluate(groundtrace).code == 0
    assert_good_trial_was_evaluated(world)
    metrics = world.documents("retrieval_metrics.json")["baseline good-2"]
    assert metrics["file_level_metrics"]["reason"] == "no_ground_truth"
    assert metrics["coverage"]["problems"]["broken_json"] == 1


@pytest.mark.parametrize("name", ["registry.json", "registry.toml", "groundtrace.toml"])
def test_a_file_of_the_users_own_of_ten_thousand_levels_is_refused(
    name: str, world: World, groundtrace: Call
) -> None:
    """What the user names is an error of usage: one sentence with the file, exit 2."""
    content = LISTS if name.endswith("json") else b"x = " + LISTS
    flag = "--config" if name == "groundtrace.toml" else "--ground-truth"
    ran = world.evaluate(groundtrace, flag, put(world.top / name, content))
    assert ran.code == 2
    assert_said(ran, name)


def test_documents_of_ten_thousand_levels_are_invalid(world: World, groundtrace: Call) -> None:
    path = put(
        world.top / "x.retrieval_events.json", b'{"schema_version":"1.1","events":' + LISTS + b"}"
    )
    ran = groundtrace("validate", path)
    assert ran.code == 1
    assert_said(ran, path.name)


def test_a_task_definition_of_a_million_keys(world: World, groundtrace: Call) -> None:
    """Larger than any definition: not parsed, the task is known by its folder, the rest stands."""
    keys = b"".join(b"k%d=1\n" % number for number in range(1_000_000))
    put(world.task("good-2") / "task.toml", keys)
    world.trial("good-2")
    ran = world.evaluate(groundtrace)
    assert ran.code == 0, ran.err
    metrics = world.documents("retrieval_metrics.json")
    assert metrics["baseline good-2"]["file_level_metrics"]["file_recall"] == 1.0
    assert_good_trial_was_evaluated(world)


NUMBERS = (
    "9" * 25,
    "-" + "9" * 25,
    "1e999",
    "NaN",
    "Infinity",
    "-Infinity",
    "9" * 5000,
    "0.1e-999",
)


@pytest.mark.parametrize("number", NUMBERS, ids=lambda text: text[:10])
def test_numbers_beyond_all_bounds_are_no_numbers(
    number: str, world: World, groundtrace: Call
) -> None:
    """As reward, cost, token count and line: none reaches a document, and no mean is spoilt."""
    trial = world.trial("good-1", config="mcp")
    record = json.dumps(json.loads((trial / "result.json").read_text()))
    record = record.replace('"reward": 0.5', f'"reward": {number}')
    put(trial / "result.json", record[:-1] + f', "agent_result": {{"cost_usd": {number}}}}}')
    usage = f'{{"input_tokens": {number}, "output_tokens": {number}}}'
    use = '{"type":"tool_use","id":"n","name":"Read","input":{"file_path":"/workspace/src/a.py","offset":%s,"limit":%s}}'
    odd = '{"type":"assistant","message":{"id":"n","content":[%s],"usage":%s}}\n'
    trace = stream("/workspace/src/b.py") + odd % (use % (number, number), usage)
    answer = '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"n","content":"1\\tx"}]}}\n'
    put(trial / "agent/claude-code.txt", trace + answer)
    ran = world.evaluate(groundtrace)
    assert ran.code == 0, ran.err
    assert_good_trial_was_evaluated(world)
    for path in world.results.rglob("*.json"):
        json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse)
    outcomes = {o["config_name"]: o for o in world.outcomes()["trials"]}
    reward = outcomes["mcp"]["reward"]
    assert reward is None or abs(reward) < 1e300


def _refuse(word: str) -> None:
    raise AssertionError(f"{word} in a document")


def test_half_characters_and_line_separators_inside_a_trace(
    world: World, groundtrace: Call
) -> None:
    """U+2028 ends no line; half a surrogate pair is replaced; the calls are read."""
    odd = "/workspace/src/a\u2028b.py"
    half = read_of("/workspace/src/a.py", 2).replace('"     1\\tx\\n"', '"\\ud800 \\udfff"')
    raw = json.dumps({"type": "assistant", "message": {"id": "u", "content": [
        {"type": "tool_use", "id": "u", "name": "Bash", "input": {"command": "cat a"}}]}},
        ensure_ascii=False).replace("cat a", "cat \u2028 a")  # fmt: skip
    world.trial("good-1", config="mcp", trace=stream(odd) + half + raw + "\n")
    assert world.evaluate(groundtrace).code == 0
    events = world.documents()["mcp good-1"]["events"]
    assert [event["tool_name"] for event in events] == ["Read", "Read", "Bash"]
    assert events[1]["target_files"] == ["src/a.py"]


SECRETS = {
    "ghp_0123456789abcdefghijABCDEFGHIJ012345": "gh api -H 'Authorization: token {}' /x",
    "sk-ant-api03-0123456789abcdefghijklmnop": "ANTHROPIC_API_KEY={} claude",
    "hunter2hunter2": "export DB_PASSWORD={}",
    "s3cr3tpassw0rd": "git clone https://user:{}@example.org/r.git",
    "AKIA0123456789ABCDEF": "aws configure set key {}",
}


@pytest.mark.parametrize("secret", SECRETS, ids=lambda text: text[:6])
def test_credentials_in_a_command_are_in_no_document(
    secret: str, world: World, groundtrace: Call
) -> None:
    """D39: masked wherever traces' text is stored or shown; the rest of the command stays."""
    command = SECRETS[secret].format(secret) + " && cat /workspace/src/a.py"
    use = {"type": "tool_use", "id": "k", "name": "Bash", "input": {"command": command}}
    answer = {"type": "tool_result", "tool_use_id": "k", "content": f"x {secret}"}
    trace = line(type="assistant", message={"id": "k", "content": [use]})
    trace += line(type="user", message={"content": [answer]})
    trial = world.trial("good-1", config="mcp", trace=stream() + trace)
    assert world.evaluate(groundtrace).code == 0
    for path in world.out.rglob("*"):
        assert not path.is_file() or secret.encode() not in path.read_bytes(), path
    (event,) = world.documents()["mcp good-1"]["events"]
    assert "[masked]" in event["arguments"]["command"]
    assert event["target_files"] == ["src/a.py"]
    shown = groundtrace("explain", trial, "--tasks", world.tasks)
    assert secret not in shown.out + shown.err


def test_a_trace_of_nothing_but_open_brackets_ends(world: World, groundtrace: Call) -> None:
    """Salvage tries every object's start; a text made of starts must not take the square of time."""
    for data in (b"{" * 300_000, b'{"' * 150_000, b'{"a":[' * 50_000, b"[" * 300_000 + b"\n"):
        trial = world.trial(f"odd-{len(data)}-{data[:4]!r}", trace=data)
        put(trial / "agent/trajectory.json", data)
    ran = world.evaluate(groundtrace)
    assert ran.code == 0, ran.err
    assert_good_trial_was_evaluated(world)
    assert len(world.documents()) == 5


def test_a_command_of_a_thousand_lines_does_not_bring_the_process_down(
    world: World, groundtrace: Call
) -> None:
    """The parser's library handed out row numbers it did not own: beyond 256 the process died."""
    lines = "".join(f"<<E\ncat file{number}.py\n" for number in range(1000))
    use = {"type": "tool_use", "id": "l", "name": "Bash", "input": {"command": lines}}
    trace = line(type="assistant", message={"id": "l", "content": [use]})
    world.trial("good-1", config="mcp", trace=stream("/workspace/src/a.py") + trace)
    assert world.evaluate(groundtrace).code == 0
    assert len(world.documents()["mcp good-1"]["events"]) == 2


def test_compressed_noise_under_every_name(world: World, groundtrace: Call) -> None:
    """Random bytes as every file that is looked for."""
    trial = world.trial("good-1", config="mcp")
    task = world.task("good-2")
    world.trial("good-2")
    noise = os.urandom(4000)
    names = (
        "agent/claude-code.txt",
        "agent/trajectory.json",
        "agent/session.jsonl",
        "task_metrics.json",
    )
    for name in names:
        put(trial / name, noise)
    for path in [*task.rglob("*")]:
        if path.is_file():
            put(Path(path), noise)
    ran = world.evaluate(groundtrace)
    assert ran.code == 0, ran.err
    assert_good_trial_was_evaluated(world)
    coverage = world.documents()["mcp good-1"]["coverage"]
    assert coverage["trace_source"] is None and coverage["degraded_reason"]
