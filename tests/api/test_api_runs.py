"""Whole runs from Python: the same documents, numbers and errors as the command line gives."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pytest

import groundtrace as package
from groundtrace.cli.main import invoke
from groundtrace.demo import write_sample
from groundtrace.errors import InputError, NothingFoundError, UsageError
from groundtrace.tables.analysis import ANALYSIS_TABLES
from groundtrace.tables.columns import SQL_TYPES
from tests.conftest import Ran
from tests.whole_runs import results

Call = Callable[..., Ran]
DRAWS = 100


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo, evaluated once from Python; nothing below changes it."""
    folder = tmp_path_factory.mktemp("api")
    write_sample(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "1767225600")
        done = package.run(folder / "runs/official", tasks=folder / "benchmarks", draws=DRAWS)
    assert done.failed == () and len(done.reports) == 4
    return folder


def analysis(evaluated: Path) -> dict[str, Any]:
    path = evaluated / "runs/official/retrieval_events_aggregate/impact_analysis.json"
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def test_run_writes_what_the_command_writes(
    evaluated: Path, sample: Path, groundtrace: Call
) -> None:
    command = ("run", sample / "runs/official", "--tasks", sample / "benchmarks", "--jobs", "1")
    ran = groundtrace(*command, "--draws", DRAWS)
    assert ran.code == 0
    assert results(evaluated / "runs") == results(sample / "runs")
    done = package.run(evaluated / "runs/official", tasks=[evaluated / "benchmarks"], draws=DRAWS)
    assert str(done.impact) in ran.out, "the answer is that of the terminal"


def test_run_takes_the_flags_of_the_command(
    sample: Path, groundtrace: Call, tmp_path: Path
) -> None:
    """`margin` and `primary` were flags and keywords of `compare`, but no keywords of `run`."""
    runs, tasks = sample / "runs/official", sample / "benchmarks"
    config = tmp_path / "own.toml"
    config.write_text('[mcp]\nservers = ["*"]\n')
    flags = (
        *("--margin", 0.2, "--primary", "mrr", "--primary", "reward", "--shell", "ignore"),
        *("--schema-version", "1.1", "--format", "md", "--only", "[!r]*", "--draws", DRAWS),
    )
    command = ("run", runs, "--tasks", tasks, "--out", tmp_path / "flags", "--config", config)
    assert groundtrace(*command, *flags, "--jobs", "1").code == 0
    done = package.run(
        runs,
        tasks=tasks,
        out=tmp_path / "keywords",
        config=config,
        margin=0.2,
        primary=["mrr", "reward"],
        shell="ignore",
        schema_version="1.1",
        format="md",
        only="[!r]*",
        draws=DRAWS,
    )
    assert results(tmp_path / "keywords") == results(tmp_path / "flags")
    assert done.impact is not None and done.impact.document.primaries == ["mrr", "reward"]
    answer = done.impact.answer
    assert answer is not None and answer.enough.at == 0.2
    assert [row.metric for row in answer.rows] == ["mrr", "reward"]
    assert {path.rpartition(".")[2] for path in done.reports} == {"md"}


def test_rows_of_a_run_have_reward_cost_and_every_metric(evaluated: Path) -> None:
    runs = evaluated / "runs/official"
    done = package.run(runs, tasks=evaluated / "benchmarks", draws=DRAWS)
    rows = done.rows()
    assert rows == package.load_trials(runs) and len(rows) == 24
    for row in rows:
        stored = json.loads(
            (runs / row["run_id"] / "retrieval_events" / row["document"])
            .with_name(f"{row['task_name']}.retrieval_metrics.json")
            .read_text()
        )
        assert row["mrr"] == stored["file_level_metrics"]["mrr"]
    outcomes = json.loads((runs / "retrieval_events_aggregate/outcomes.json").read_text())
    rewards = {trial["trial_name"]: trial["reward"] for trial in outcomes["trials"]}
    assert {row["trial_name"]: row["reward"] for row in rows}.items() <= rewards.items()
    for long in package.load_metrics(runs):
        assert long["reward"] == rewards[long["trial_name"]] and "cost_usd" in long
    frame = pandas.DataFrame(rows)
    assert frame.groupby("config_name").reward.mean().notna().all()
    assert polars.DataFrame(rows, infer_schema_length=None).height == 24


def test_the_summary_has_mean_reward_and_cost(evaluated: Path) -> None:
    rows = {
        row["config_name"]: row for row in package.load_summary(evaluated / "runs/official").rows()
    }
    aggregates = {own["config_name"]: own for own in analysis(evaluated)["config_aggregates"]}
    for config, row in rows.items():
        metrics = {one["metric"]: one for one in aggregates[config]["metrics"]}
        assert row["reward"] == pytest.approx(metrics["reward"]["mean"])
        assert row["cost_usd"] == pytest.approx(metrics["cost_usd"]["mean"])
        assert row["reward n"] == metrics["reward"]["n"]


def test_compare_gives_the_analysis_without_writing(evaluated: Path) -> None:
    runs = evaluated / "runs/official"
    before = results(evaluated / "runs")
    found = package.compare(runs, draws=DRAWS)
    assert results(evaluated / "runs") == before
    assert found.comparisons() == package.load_impact(runs).comparisons()
    turned = package.compare(runs, baseline="mcp-remote-direct", draws=DRAWS)
    first, back = found.comparisons()[0], turned.comparisons()[0]
    assert back["baseline_config"] == first["config"]
    assert back["mean_delta"] == pytest.approx(-first["mean_delta"])
    alone = package.compare(runs, only="rate-limit*", draws=DRAWS)
    assert alone.document.n_trials == 2


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"baseline": "wihtout"}, "baseline: unknown configuration 'wihtout'"),
        ({"against": "mcp-remote"}, "nearest is 'mcp-remote-direct'"),
        ({"primary": ["rewrad"]}, "unknown metric or outcome 'rewrad'; nearest is 'reward'"),
        ({"primaries": ["rewrad"]}, "unknown metric or outcome 'rewrad'; nearest is 'reward'"),
        ({"margin": 0}, "margin must be a number above 0"),
        ({"seed": "1"}, "seed must be a whole number"),
        ({"pair_across_runs": "yes"}, "pair_across_runs must be true or false"),
    ],
)
def test_slips_are_errors(given: dict[str, Any], said: str, evaluated: Path) -> None:
    with pytest.raises(UsageError, match=said):
        package.compare(evaluated / "runs/official", draws=DRAWS, **given)


def test_what_is_missing_is_an_error(evaluated: Path, sample: Path, tmp_path: Path) -> None:
    runs = evaluated / "runs/official"
    with pytest.raises(NothingFoundError, match="no task fits --only 'nothing'"):
        package.compare(runs, only="nothing")
    with pytest.raises(NothingFoundError):
        package.run(tmp_path)
    with pytest.raises(UsageError, match="formats must be one of md, html, not 'pdf'"):
        package.run(runs, formats=["pdf"])
    with pytest.raises(TypeError, match="unknown keyword 'margn'; nearest is 'margin'"):
        package.run(runs, margn=0.1)  # type: ignore[call-arg]
    with pytest.raises(UsageError, match="settings and config cannot be used together"):
        package.run(runs, settings=package.Settings(), config="groundtrace.toml")
    other = sample / "runs/official"
    assert invoke(["normalize", str(other), "-q", "--jobs", "1"]) == 0
    with pytest.raises(InputError, match="no impact analysis"):
        package.load_impact(other)
    assert list(package.load_table("comparisons", other)) == []


def test_tables_of_the_analysis_hold_what_the_document_holds(evaluated: Path) -> None:
    document = analysis(evaluated)
    rows = list(package.load_table("comparisons", evaluated / "runs/official"))
    lists = {"matched": "matched_comparisons", "other": "other_comparisons"}
    wanted = [
        (kind, comparison["suite"], delta["metric"], delta["mean_delta"], delta["p"], delta["n"])
        for kind, name in lists.items()
        for comparison in document[name]
        for delta in comparison["deltas"]
    ]
    names = ("kind", "suite", "metric", "mean_delta", "p", "n")
    assert [tuple(row[name] for name in names) for row in rows] == wanted and wanted
    rows = list(package.load_table("correlations", evaluated / "runs/official"))
    stored = document["correlation_analysis"]["correlations"]
    assert [(r["retrieval_metric"], r["spearman_r"], r["p_holm"]) for r in rows] == [
        (one["retrieval_metric"], one["spearman_r"], one["p_holm"]) for one in stored
    ]


def test_tables_of_the_analysis_in_sql_csv_and_parquet(
    evaluated: Path, groundtrace: Call, tmp_path: Path
) -> None:
    runs = evaluated / "runs/official"
    for target in ("csv", "parquet"):
        assert groundtrace("export", runs, "--to", target, tmp_path).code == 0
    for table, columns in ANALYSIS_TABLES.items():
        rows = list(package.load_table(table, runs))
        relation = duckdb.read_parquet(str(tmp_path / f"{table}.parquet"))
        assert relation.columns == [column.name for column in columns]
        assert [str(kind) for kind in relation.types] == [SQL_TYPES[c.type] for c in columns]
        assert relation.fetchall() == [tuple(row.values()) for row in rows]
        with (tmp_path / f"{table}.csv").open(newline="") as stream:
            assert len(list(csv.DictReader(stream))) == len(rows)
        ran = groundtrace("sql", runs, f"SELECT count(*) AS n FROM {table}", "--json")
        assert json.loads(ran.out) == [{"n": len(rows)}]
        assert all(column.meaning.endswith(".") for column in columns), table


def test_an_export_without_an_analysis_says_so(
    groundtrace: Call, sample: Path, tmp_path: Path
) -> None:
    runs = sample / "runs/official"
    assert groundtrace("normalize", runs, "--jobs", "1", "-q").code == 0
    assert groundtrace("evaluate", runs, "--jobs", "1", "-q").code == 0
    ran = groundtrace("export", runs, "--to", "csv", tmp_path)
    assert (ran.code, "run 'groundtrace run'" in ran.err) == (0, True)
    assert len((tmp_path / "comparisons.csv").read_text().splitlines()) == 1


def test_results_show_themselves_and_let_no_markup_in(evaluated: Path) -> None:
    runs = evaluated / "runs/official"
    trial = next(runs.glob("*/*/*/*rate-limit*"))
    evaluation = package.evaluate_trial(trial, tasks=evaluated / "benchmarks")
    done = package.run(runs, tasks=evaluated / "benchmarks", draws=DRAWS)
    for shown in (evaluation, done, done.impact, done.summary):
        assert shown is not None
        html = shown._repr_html_()
        assert html.startswith("<") and html.count("<table>") == html.count("</table>") > 0
        assert len(repr(shown)) < 5_000 or shown in (evaluation, done.summary)
    assert repr(done.impact) == str(done.impact)
    assert "file_recall" in evaluation._repr_html_()
    assert "Found" in done._repr_html_()
    hostile = package.RunResult(None, None, failed=("<script>alert(1)</script>",))
    assert "<script>" not in hostile._repr_html_()
    assert str(hostile) == "failed: <script>alert(1)</script>" and hostile.rows() == []
