"""Names, numbers and configurations that once stopped the trials around them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.adversarial.worlds import (
    Call,
    World,
    assert_good_trial_was_evaluated,
    assert_said,
    put,
)


@pytest.mark.parametrize("where", ["", "agent", "agent/sessions"])
def test_a_file_name_that_is_not_utf8_costs_nothing(
    where: str, world: World, groundtrace: Call
) -> None:
    trial = next(world.run.glob("*/trial-*"))
    folder = trial / where
    folder.mkdir(parents=True, exist_ok=True)
    Path(os.fsdecode(os.fsencode(str(folder)) + b"/bad\xff\xfe.jsonl")).write_bytes(b"{}\n")
    Path(os.fsdecode(os.fsencode(str(folder)) + b"/dir\xff")).mkdir()
    (world.tasks / "csb_sdlc_fix" / os.fsdecode(b"task\xff")).mkdir()
    (world.run / os.fsdecode(b"conf\xff")).mkdir()
    ran = world.evaluate(groundtrace)
    assert_said(ran)
    assert ran.code == 0
    assert_good_trial_was_evaluated(world)
    assert "1 unchanged" in world.evaluate(groundtrace).err + world.evaluate(groundtrace).out


@pytest.mark.parametrize(
    "name",
    [
        "outcomes.json",
        "run_retrieval_summary.json",
        "impact_analysis.json",
        "retrieval_report.md",
        "retrieval_report.html",
        "Retrieval_Report.HTML",
        ".state.json",
        ".lock",
    ],
)
def test_any_name_of_a_configuration_is_fine(name: str, world: World, groundtrace: Call) -> None:
    world.trial("good-1", config=name)
    ran = world.evaluate(groundtrace)
    assert_said(ran)
    assert ran.code == 0, ran.err
    assert_good_trial_was_evaluated(world)
    assert f"{name} good-1" in world.documents()
    assert world.evaluate(groundtrace, "--format", "md,html").code == 0


@pytest.mark.parametrize("value", ["1e308", "-1e308", "1.7976931348623157e308", "9" * 400])
@pytest.mark.parametrize("key", ["cost_usd", "reward"])
def test_huge_costs_and_rewards_stop_nothing(
    key: str, value: str, world: World, groundtrace: Call
) -> None:
    for config in ("baseline", "mcp"):
        for task in ("good-2", "good-3", "good-4"):
            world.task(task)
            trial = world.trial(task, config=config)
            text = (trial / "result.json").read_text()
            if key == "reward":
                text = text.replace('"reward": 0.5', f'"reward": {value}')
            else:
                text = text[:-1] + f', "agent_result": {{"cost_usd": {value}}}}}'
            put(trial / "result.json", text)
    ran = world.evaluate(groundtrace)
    assert_said(ran)
    assert ran.code == 0, ran.err
    assert_good_trial_was_evaluated(world)
    assert (world.results / "retrieval_report.md").is_file()


def test_a_number_of_thousands_of_digits_in_settings_is_an_error_in_words(
    world: World, groundtrace: Call, tmp_path: Path
) -> None:
    settings = put(tmp_path / "groundtrace.toml", f"[limits]\ntrial_seconds = {'9' * 5000}\n")
    ran = world.evaluate(groundtrace, "--config", settings)
    assert_said(ran, "groundtrace.toml")
    assert ran.code == 2
