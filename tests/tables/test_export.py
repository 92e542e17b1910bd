"""Tables, TREC and SQL say the same as the documents."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import duckdb
import ir_measures
import pytest
import pytrec_eval
from msgspec import UNSET, structs

from groundtrace.errors import UsageError
from groundtrace.rows.make import row_from
from groundtrace.rows.trial_row import Detail
from groundtrace.runs.evaluated_trials import evaluated_trials
from groundtrace.runs.output_folders import OutputFolders
from groundtrace.tables.columns import SQL_TYPES, TABLES
from groundtrace.tables.export import write_csv
from groundtrace.tables.flat_rows import flat_dicts
from groundtrace.tables.query import run_query
from groundtrace.tables.trec import write_trec
from tests.conftest import Ran
from tests.metrics.builders import Seen, metrics_of, step, trial

Call = Callable[..., Ran]


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory, sample_source: Path) -> Path:
    """The demo, evaluated once, with a file whose name has spaces."""
    from groundtrace.cli.main import invoke
    from groundtrace.demo import write_sample

    folder = tmp_path_factory.mktemp("tables")
    write_sample(folder)
    for path in folder.rglob("*"):
        if path.is_file():
            path.write_text(path.read_text().replace("retry.go", "retry now.go"))
    runs = folder / "runs/official"
    tasks = str(folder / "benchmarks")
    assert invoke(["normalize", str(runs), "--tasks", tasks, "-q", "--jobs", "1"]) == 0
    assert invoke(["evaluate", str(runs), "-q", "--jobs", "1"]) == 0
    return runs


def stored(runs: Path, table: str) -> list[dict[str, Any]]:
    return list(flat_dicts(table, evaluated_trials(OutputFolders(str(runs)))))


def test_each_subagent_has_a_row_with_what_it_found_and_spent(evaluated: Path) -> None:
    documents = [json.loads(p.read_text()) for p in evaluated.rglob("*.retrieval_metrics.json")]
    works = [work for d in documents for work in d["subagent_metrics"]["agents"]]
    assert works, "the demo has a subagent"
    lists = ("relevant_met", "relevant_read", "came_back")
    wanted = [{k: len(v) if k in lists else v for k, v in work.items()} for work in works]
    found = [
        {k: v for k, v in row.items() if k in wanted[0]} for row in stored(evaluated, "subagents")
    ]
    assert sorted(found, key=repr) == sorted(
        ({k: work.get(k) for k in found[0]} for work in wanted), key=repr
    )
    assert sum(row["relevant_met"] for row in found) > 0


def test_tables_hold_what_the_documents_hold(evaluated: Path) -> None:
    documents = [json.loads(p.read_text()) for p in evaluated.rglob("*.retrieval_events.json")]
    assert len(stored(evaluated, "trials")) == len(documents) == 24
    events = [event for document in documents for event in document["events"]]
    assert len(stored(evaluated, "events")) == len(events)
    accesses = [access for event in events for access in event["accesses"]]
    rows = stored(evaluated, "accesses")
    assert len(rows) == len(accesses)
    names = ("file", "kind", "repo", "line_start", "line_end", "ground_truth_file")
    key = str
    assert sorted(([row[n] for n in names] for row in rows), key=key) == sorted(
        ([access.get(n) for n in names] for access in accesses), key=key
    )
    truth = sum(len(document["ground_truth"]["files"]) for document in documents)
    assert sum(row["kind"] == "file" for row in stored(evaluated, "truth")) == truth
    chunks = sum(len(d["ground_truth"].get("chunks", [])) for d in documents)
    assert sum(row["kind"] == "chunk" for row in stored(evaluated, "truth")) == chunks > 0


EVENT_COLUMNS = ("agent", "mcp_server", "failed", "answered", "result_chars")
ACCESS_COLUMNS = ("expected_edit_file", "shown_chars", "line_shift", "evidence", "other_revision")
TRIAL_COLUMNS = ("calls_unanswered", "calls_unknown_tool", "tokens_share")


def test_what_is_known_of_a_call_beside_its_files_is_in_the_tables(evaluated: Path) -> None:
    """Column by column what the documents hold, absent as null, and none of it empty."""
    documents = [json.loads(p.read_text()) for p in evaluated.rglob("*.retrieval_events.json")]
    events = [event for document in documents for event in document["events"]]
    accesses = [access for event in events for access in event["accesses"]]
    coverage = [document["coverage"] for document in documents]
    for table, columns, records in (
        ("events", EVENT_COLUMNS, events),
        ("accesses", ACCESS_COLUMNS, accesses),
        ("trials", TRIAL_COLUMNS, coverage),
    ):
        rows = stored(evaluated, table)
        for column in columns:
            said = sorted(repr(record.get(column)) for record in records)
            assert sorted(repr(row[column]) for row in rows) == said, column
            assert column in {"other_revision", "tokens_share"} or set(said) != {"None"}, column


def test_metrics_table_equals_the_metrics_documents(evaluated: Path) -> None:
    rows = {
        (row["config_name"], row["task_name"], row["metric"]): row
        for row in stored(evaluated, "metrics")
    }
    for path in evaluated.rglob("*.retrieval_metrics.json"):
        document = json.loads(path.read_text())
        where = (document["provenance"]["config_name"], document["provenance"]["task_name"])
        level = document["file_level_metrics"]
        assert rows[*where, "file_recall"]["value"] == level["file_recall"]
        expected = level["recall"]["10"] if level["computable"] else None
        assert rows[*where, "recall@10"]["value"] == expected
        assert rows[*where, "recall@10"]["undefined"] == level["reason"]


def test_every_column_has_a_meaning_and_its_own_name() -> None:
    for table, columns in TABLES.items():
        names = [column.name for column in columns]
        assert len(set(names)) == len(names), table
        assert all(column.meaning.endswith(".") and column.type in SQL_TYPES for column in columns)


def test_parquet_round_trip(evaluated: Path, groundtrace: Call, tmp_path: Path) -> None:
    assert groundtrace("export", evaluated, "--to", "parquet", tmp_path).code == 0
    for table, columns in TABLES.items():
        relation = duckdb.read_parquet(str(tmp_path / f"{table}.parquet"))
        assert relation.columns == [column.name for column in columns]
        assert [str(t) for t in relation.types] == [SQL_TYPES[c.type] for c in columns]
        assert relation.fetchall() == [tuple(row.values()) for row in stored(evaluated, table)]


def test_csv_round_trip(evaluated: Path, groundtrace: Call, tmp_path: Path) -> None:
    assert groundtrace("export", evaluated, "--to", "csv", tmp_path).code == 0
    for table in TABLES:
        with (tmp_path / f"{table}.csv").open(newline="") as stream:
            rows = list(csv.DictReader(stream))
        expected = stored(evaluated, table)
        assert len(rows) == len(expected)
        for row, want in zip(rows, expected, strict=True):
            assert row == {name: as_cell(value) for name, value in want.items()}


def as_cell(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@x", "\tx"])
def test_cells_that_a_spreadsheet_would_run_are_quoted(cell: str) -> None:
    from groundtrace.tables.export import csv_cell

    assert csv_cell(cell) == f"'{cell}"
    assert csv_cell(-1) == -1
    assert csv_cell("a=b") == "a=b"


def read_trec(path: Path, column: int, cast: type) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for line in path.read_text().splitlines():
        cells = line.split()
        found.setdefault(cells[0], {})[cells[2]] = cast(cells[column])
    return found


@pytest.mark.parametrize("kind", ["retrieved", "shown"])
def test_trec_eval_scores_the_files_to_the_numbers_of_the_artifacts(
    kind: str, evaluated: Path, groundtrace: Call, tmp_path: Path
) -> None:
    assert groundtrace("export", evaluated, "--to", "trec", tmp_path).code == 0
    measures = {"map", "recip_rank", "ndcg_cut.1,3,5,10", "recall.1,3,5,10", "P.1,3,5,10"}
    compared = 0
    for qrels_path in tmp_path.glob("*.qrels"):
        config = qrels_path.name.removesuffix(".qrels")
        qrels = read_trec(qrels_path, 3, int)
        run = read_trec(tmp_path / f"{config}.{kind}.run", 4, float)
        scores = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
        section = "file_level_metrics" + ("_shown" if kind == "shown" else "")
        for path in (evaluated / "demo_harbour_20260504/retrieval_events" / config).glob(
            "*metrics.json"
        ):
            document = json.loads(path.read_text())
            query = f"demo_harbour_20260504/{document['provenance']['task_name']}"
            level = document[section]
            if not level["computable"]:
                assert query not in qrels
                continue
            score = scores.get(query, {})
            assert level["map_score"] == pytest.approx(score.get("map", 0), abs=6e-5)
            assert level["mrr"] == pytest.approx(score.get("recip_rank", 0), abs=6e-5)
            for k in ("1", "3", "5", "10"):
                assert level["ndcg"][k] == pytest.approx(score.get(f"ndcg_cut_{k}", 0), abs=6e-5)
                assert level["recall"][k] == pytest.approx(score.get(f"recall_{k}", 0), abs=6e-5)
                assert level["precision"][k] == pytest.approx(score.get(f"P_{k}", 0), abs=6e-5)
            compared += 1
    assert compared == 21


def judged_trial(task: str, *calls: dict[str, Any]) -> Detail:
    """A trial of a task with two relevant files, an edit that is none, and two test files."""
    document = trial(
        *calls, truth=["src/a.py", "src/b.py"], edits=["src/a.py", "src/new.py"], version="1.2"
    )
    document = structs.replace(
        document,
        provenance=structs.replace(document.provenance, task_name=task),
        ground_truth=structs.replace(
            document.ground_truth, test_files=["tests/Test_A.py", "tests/test_b.py"]
        ),
    )
    metrics = metrics_of(document)
    return Detail(row_from(metrics, document), document, metrics)


def test_other_programs_compute_every_number_from_the_files_with_bpref(tmp_path: Path) -> None:
    """Judgements of 0 are in the qrels; a query that retrieved nothing is in the qrels alone."""
    details = [
        judged_trial(
            "one",
            step(Seen("read", "tests/Test_A.py")),
            step(Seen("surfaced", "docs/x.md")),
            step(Seen("read", "src/a.py", "src/a.py")),
            step(Seen("read", "src/new.py")),
            step(Seen("matched", "src/b.py", "src/b.py")),
        ),
        judged_trial("two", step(Seen("read", "src/b.py", "src/b.py"))),
        judged_trial("three", step()),
    ]
    paths = {path.name: path for path in write_trec(details, tmp_path)}
    assert paths["baseline.retrieved.run.empty"].read_text() == "run/three\n"
    qrels = read_trec(paths["baseline.qrels"], 3, int)
    run = read_trec(paths["baseline.retrieved.run"], 4, float)
    assert sorted(qrels["run/one"].items()) == [
        ("src/a.py", 1),
        ("src/b.py", 1),
        ("src/new.py", 0),
        ("tests/Test_A.py", 0),
        ("tests/test_b.py", 0),
    ]
    assert "run/three" in qrels and "run/three" not in run
    measures = {"map": "AP", "recip_rank": "RR", "bpref": "Bpref", "ndcg_cut_10": "nDCG@10"}
    scores = pytrec_eval.RelevanceEvaluator(
        qrels, {"map", "recip_rank", "bpref", "ndcg_cut.10"}
    ).evaluate(run)
    other = [ir_measures.parse_measure(name) for name in measures.values()]
    means = ir_measures.calc_aggregate(other, qrels, run)
    for (name, measure), parsed in zip(measures.items(), other, strict=True):
        ours = [_own(detail, name) for detail in details]
        for detail, value in zip(details, ours, strict=True):
            query = f"run/{detail.events.provenance.task_name}"
            assert scores.get(query, {}).get(name, 0.0) == pytest.approx(value), measure
        # Over all queries of the qrels, as `trec_eval -c` does: the empty one counts as 0.
        assert means[parsed] == pytest.approx(sum(ours) / len(ours)), measure


def _own(detail: Detail, name: str) -> float:
    files, judged = detail.metrics.file_level_metrics, detail.metrics.judged_metrics
    assert judged is not UNSET
    values = {
        "map": files.map_score,
        "recip_rank": files.mrr,
        "bpref": judged.bpref,
        "ndcg_cut_10": (files.ndcg or {})["10"],
    }
    return values[name] or 0.0


def test_file_names_with_spaces_survive_in_trec_files(
    evaluated: Path, groundtrace: Call, tmp_path: Path
) -> None:
    assert groundtrace("export", evaluated, "--to", "trec", tmp_path).code == 0
    qrels = read_trec(tmp_path / "mcp-remote-direct.qrels", 3, int)
    names = {unquote(name) for name in qrels["demo_harbour_20260504/retry-budget-006"]}
    assert "manifest::store/retry now.go" in names


def test_a_file_that_is_only_spelled_like_the_truth_is_not_scored_as_it(tmp_path: Path) -> None:
    """D16: the artifacts say that it is another file; trec_eval sees names alone, and took it for
    a hit at rank 1."""
    document = trial(
        step(Seen("read", "src/a.py")),
        step(Seen("read", "x::src/a.py", "src/a.py")),
        truth=["src/a.py"],
    )
    metrics = metrics_of(document)
    write_trec([Detail(row_from(metrics, document), document, metrics)], tmp_path)
    assert metrics.file_level_metrics.mrr == 0.5
    qrels = read_trec(tmp_path / "baseline.qrels", 3, int)
    run = read_trec(tmp_path / "baseline.retrieved.run", 4, float)
    scores = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(run)
    assert [score["recip_rank"] for score in scores.values()] == [0.5]


def test_an_export_that_fails_leaves_no_half_files(tmp_path: Path) -> None:
    """D37: whole files or none, in TREC's form as in CSV."""
    document = trial(step(Seen("read", "a.py", "a.py")), truth=["a.py"])
    metrics = metrics_of(document)

    def broken() -> Iterator[Detail]:
        yield Detail(row_from(metrics, document), document, metrics)
        raise OSError("the disk is gone")

    for write in (write_trec, write_csv):
        with pytest.raises(OSError, match="gone"):
            write(broken(), tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "COPY trials TO '/tmp/stolen.csv'",
        "ATTACH '/tmp/other.db'",
        "INSTALL httpfs",
        "SET enable_external_access = true",
    ],
)
def test_sql_reaches_nothing_outside(query: str, evaluated: Path, groundtrace: Call) -> None:
    ran = groundtrace("sql", evaluated, query)
    assert ran.code == 2, ran.out
    said, *place = ran.err.strip().splitlines()
    assert said.startswith("groundtrace: ")
    if place:  # where duckdb can tell it
        assert len(place) == 2 and place[0].startswith("LINE 1: ")


def test_sql_output_forms(evaluated: Path, groundtrace: Call) -> None:
    query = (
        "SELECT config_name, count(*) AS n, avg(reward) AS r FROM trials GROUP BY ALL ORDER BY ALL"
    )
    rows = json.loads(groundtrace("sql", evaluated, query, "--json").out)
    assert rows[0]["config_name"] == "baseline-local-direct"
    assert rows[0]["n"] == 12
    lines = groundtrace("sql", evaluated, query, "--csv").out.splitlines()
    assert lines[0] == "config_name,n,r"
    assert groundtrace("sql", evaluated, query).out.splitlines()[0].split() == [
        "config_name",
        "n",
        "r",
    ]


def test_a_wrong_query_is_wrong_usage_with_the_tables(evaluated: Path, groundtrace: Call) -> None:
    ran = groundtrace("sql", evaluated, "SELECT nothing FROM nowhere")
    assert ran.code == 2
    assert "tables: trials, events" in ran.err


def never() -> Iterator[Detail]:
    raise AssertionError("a trial was read")
    yield


@pytest.mark.parametrize("query", ["SELECT 1", "SELECT count(*) FROM comparisons", "SHOW TABLES"])
def test_a_query_without_tables_of_trials_reads_no_trial(query: str) -> None:
    assert run_query(query, never()).rows


@pytest.mark.parametrize(
    "query", ["SELECT misspelt FROM trials", "SELECT * FROM trails", "SELEC 1"]
)
def test_a_query_that_cannot_be_planned_reads_no_trial(query: str) -> None:
    with pytest.raises(UsageError):
        run_query(query, never())


@pytest.mark.parametrize(
    "query",
    [
        'SELECT count(*) FROM "TRIALS"',
        "SELECT count(*) FROM query_table('tri' || 'als')",
        "SELECT count(*) FROM query('SELECT * FROM t' || 'rials')",
        "WITH t AS (FROM trials) SELECT count(*) FROM t",
        "CREATE TABLE mine AS FROM trials; SELECT count(*) FROM mine",
    ],
)
def test_however_a_table_is_named_it_has_its_rows(query: str) -> None:
    detail = judged_trial("one", step(Seen("read", "src/a.py")))
    assert run_query(query, [detail]).rows == ((1,),)


@pytest.mark.parametrize(("missing", "command"), [("duckdb", ["sql"])])
def test_without_the_extra_the_message_names_it(
    missing: str, command: list[str], evaluated: Path
) -> None:
    code = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        "from groundtrace.cli.main import invoke\n"
        f"sys.exit(invoke({[*command, str(evaluated), 'SELECT 1']!r}))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert "pip install 'groundtrace[tables]'" in ran.stderr


def test_nothing_evaluated_is_said(groundtrace: Call, tmp_path: Path) -> None:
    assert groundtrace("export", tmp_path, "--to", "csv", tmp_path / "x").code == 3
