"""Whether pytrec_eval, ir_measures and ranx compute groundtrace's numbers from its TREC files.

    python -m benchmarks.trec_programs RUN TREC

RUN is an evaluated run, TREC the folder that `groundtrace export RUN --to trec TREC` made. The
largest difference of each metric is printed, over all trials. ranx is used if it is installed; it
is no test dependency, because it brings numba (about 700 MB, and seconds for an import).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import ir_measures
import pytrec_eval

from groundtrace.base.safe_names import safe_name
from groundtrace.tables.trec import trec_name

Judged = dict[str, dict[str, Any]]
Scores = Mapping[str, Mapping[str, float]]
"""Query to metric to value."""

SECTIONS = {"retrieved": "file_level_metrics", "shown": "file_level_metrics_shown"}


def read(path: Path, column: int, cast: type) -> Judged:
    """A qrels or run file: query to document to its number."""
    found: Judged = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        cells = line.split()
        found.setdefault(cells[0], {})[cells[2]] = cast(cells[column])
    return found


def ours(run: Path, config: str, kind: str) -> dict[str, dict[str, float]]:
    """The values in the metrics documents, under the names that pytrec_eval uses."""
    found = {}
    for path in run.rglob("*.retrieval_metrics.json"):
        document = json.loads(path.read_text(encoding="utf-8"))
        where, level = document["provenance"], document[SECTIONS[kind]]
        if safe_name(where["config_name"]) != config or not level["computable"]:
            continue
        values = {"map": level["map_score"], "recip_rank": level["mrr"]}
        values |= {f"ndcg_cut_{k}": value for k, value in level["ndcg"].items()}
        values |= {f"recall_{k}": value for k, value in level["recall"].items()}
        values |= {f"P_{k}": value for k, value in level["precision"].items()}
        bpref = document["judged_metrics"]["bpref"]
        if kind == "retrieved" and bpref is not None:
            values["bpref"] = bpref
        found[trec_name(f"{where['run_id']}/{where['task_name']}")] = values
    return found


def by_pytrec_eval(qrels: Judged, run: Judged) -> Scores:
    cut = {f"{family}.1,3,5,10" for family in ("ndcg_cut", "recall", "P")}
    names = {"map", "recip_rank", "bpref", *cut}
    return pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(run)


_OTHER_NAMES = {"map": "AP", "recip_rank": "RR", "bpref": "Bpref"}
_OTHER_FAMILIES = {"ndcg_cut": "nDCG", "recall": "R", "P": "P"}


def by_ir_measures(qrels: Judged, run: Judged) -> Scores:
    names = {ir_measures.parse_measure(name): own for own, name in _OTHER_NAMES.items()}
    for own, family in _OTHER_FAMILIES.items():
        names |= {ir_measures.parse_measure(f"{family}@{k}"): f"{own}_{k}" for k in (1, 3, 5, 10)}
    found: dict[str, dict[str, float]] = {}
    for value in ir_measures.iter_calc(list(names), qrels, run):
        found.setdefault(value.query_id, {})[names[value.measure]] = value.value
    return found


def by_ranx(qrels: Judged, run: Judged) -> Scores:
    from ranx import Qrels, Run, evaluate

    names = {"map": "map", "mrr": "recip_rank", "bpref": "bpref"}
    families = {"ndcg": "ndcg_cut", "recall": "recall", "precision": "P"}
    names |= {f"{own}@{k}": f"{f}_{k}" for own, f in families.items() for k in (1, 3, 5, 10)}
    scored = Run(run)
    evaluate(Qrels(qrels), scored, list(names), make_comparable=True)
    found: dict[str, dict[str, float]] = {}
    for name, values in scored.scores.items():
        for query, value in values.items():
            found.setdefault(query, {})[names[name]] = float(value)
    return found


PROGRAMS = {"pytrec_eval": by_pytrec_eval, "ir_measures": by_ir_measures, "ranx": by_ranx}


def differences(run: Path, folder: Path) -> Iterator[tuple[str, str, str, int, float]]:
    """Configuration and ranking, program, metric with the largest difference, trials, difference."""
    for path in sorted(folder.glob("*.run")):
        config, kind = path.name.removesuffix(".run").rsplit(".", 1)
        qrels = read(folder / f"{config}.qrels", 3, int)
        own = ours(run, config, kind)
        for program, compute in PROGRAMS.items():
            try:
                scores = compute(qrels, read(path, 4, float))
            except ImportError:
                continue
            worst = max(
                (abs(value - scores.get(query, {}).get(name, 0.0)), name)
                for query, values in own.items()
                for name, value in values.items()
            )
            yield f"{config} {kind}", program, worst[1], len(own), worst[0]


if __name__ == "__main__":
    for where, program, metric, trials, worst in differences(Path(sys.argv[1]), Path(sys.argv[2])):
        print(
            f"{where:40} {program:12} {trials:6} trials  largest difference {worst:.1e} ({metric})"
        )
