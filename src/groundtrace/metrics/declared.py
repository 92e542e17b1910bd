"""What is said of each metric: the words and the worked example, apart from the code.

File-level metrics are declared once and expanded in `table`, by cutoff and for both lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Better = Literal["higher", "lower"]

NO_TRUTH_OR_TRACE = "the task has no ground truth (`no_ground_truth`), there is no usable trace (`no_trace`), or no tool call could be read from it (`empty_trace`)"

_BOOK = "C. D. Manning, P. Raghavan, H. Schütze: Introduction to Information Retrieval, Cambridge University Press 2008, chapter 8"
_SPEC = "Retrieval Evaluation Specification v1"

Worked = tuple[str, float]
"""The calculation in words, and its result to 4 decimals."""


@dataclass(frozen=True, slots=True)
class Declared:
    """One metric, or one family of metrics that differ by cutoff."""

    field: str
    """Field of the section in the metrics document."""
    title: str
    measures: str
    formula: str
    undefined: str
    known_problems: str
    reference: str
    worked: Mapping[str, Worked]
    """The example over retrieved files, by cutoff; without cutoffs the key is empty."""
    worked_shown: Mapping[str, Worked] | None = None
    """The same over files whose content was shown."""
    better: Better = "higher"
    upper: float | None = 1.0
    """Upper end of the range, which begins at 0; None when it has none."""
    unit: str = ""
    missing: str = ""
    """Reason code when the section is computable and this value is not there."""
    needs_hit: bool = False
    """There is no value where no relevant file was met (D21)."""


FILE_LEVEL: Mapping[str, Declared] = {
    "precision": Declared(
        field="precision",
        title="Precision",
        measures="Share of the first K files that are relevant.",
        formula="relevant files among the first K / K",
        undefined=NO_TRUTH_OR_TRACE,
        known_problems="It divides by K also when fewer files were retrieved or are relevant, so with one relevant file precision@10 cannot exceed 0.1.",
        reference=_BOOK,
        worked={
            "1": ("docs/guide.md is not relevant: 0 / 1", 0.0),
            "3": ("src/app.py is relevant: 1 / 3", 0.3333),
            "5": ("src/app.py and src/db.py are relevant: 2 / 5", 0.4),
            "10": ("src/app.py and src/db.py are relevant: 2 / 10", 0.2),
        },
        worked_shown={
            "1": ("src/app.py is relevant: 1 / 1", 1.0),
            "3": ("src/app.py and src/db.py are relevant: 2 / 3", 0.6667),
            "5": ("src/app.py and src/db.py are relevant: 2 / 5", 0.4),
            "10": ("src/app.py and src/db.py are relevant: 2 / 10", 0.2),
        },
    ),
    "recall": Declared(
        field="recall",
        title="Recall",
        measures="Share of the relevant files that are among the first K.",
        formula="relevant files among the first K / relevant files",
        undefined=NO_TRUTH_OR_TRACE,
        known_problems="With more than K relevant files it cannot reach 1. Ground truth is rarely complete: a useful file that it does not name counts for nothing.",
        reference=_BOOK,
        worked={
            "1": ("none of the three relevant files is first: 0 / 3", 0.0),
            "3": ("src/app.py: 1 / 3", 0.3333),
            "5": ("src/app.py and src/db.py: 2 / 3", 0.6667),
            "10": ("src/app.py and src/db.py: 2 / 3", 0.6667),
        },
        worked_shown={
            "1": ("src/app.py: 1 / 3", 0.3333),
            "3": ("src/app.py and src/db.py: 2 / 3", 0.6667),
            "5": ("src/app.py and src/db.py: 2 / 3", 0.6667),
            "10": ("src/app.py and src/db.py: 2 / 3", 0.6667),
        },
    ),
    "f1": Declared(
        field="f1",
        title="F1",
        measures="Precision and recall at K in one number, the harmonic mean of both.",
        formula="2 × precision@K × recall@K / (precision@K + recall@K); 0 when both are 0",
        undefined=NO_TRUTH_OR_TRACE,
        known_problems="It weighs both alike, although a file too many usually costs an agent less than a file missed.",
        reference="C. J. van Rijsbergen: Information Retrieval, 2nd edition, Butterworths 1979, chapter 7",
        worked={
            "1": ("precision and recall are 0", 0.0),
            "3": ("2 × 1/3 × 1/3 / (1/3 + 1/3)", 0.3333),
            "5": ("2 × 2/5 × 2/3 / (2/5 + 2/3)", 0.5),
            "10": ("2 × 2/10 × 2/3 / (2/10 + 2/3)", 0.3077),
        },
        worked_shown={
            "1": ("2 × 1 × 1/3 / (1 + 1/3)", 0.5),
            "3": ("2 × 2/3 × 2/3 / (2/3 + 2/3)", 0.6667),
            "5": ("2 × 2/5 × 2/3 / (2/5 + 2/3)", 0.5),
            "10": ("2 × 2/10 × 2/3 / (2/10 + 2/3)", 0.3077),
        },
    ),
    "ndcg": Declared(
        field="ndcg",
        title="nDCG",
        measures="How near the order of the first K files is to the best one, with all relevant files in front.",
        formula="DCG@K / ideal DCG@K, where DCG@K sums 1 / log2(rank + 1) over relevant files among the first K, and the ideal list comes from the ground truth",
        undefined=NO_TRUTH_OR_TRACE,
        known_problems="Relevance is yes or no: the ground truth does not say which file matters more. An agent's order is partly that of its tools' output.",
        reference="K. Järvelin, J. Kekäläinen: Cumulated gain-based evaluation of IR techniques, ACM TOIS 20(4), 2002",
        worked={
            "1": ("0 / 1", 0.0),
            "3": ("rank 2 gives 0.6309; ideal 1 + 0.6309 + 0.5 = 2.1309", 0.2961),
            "5": ("ranks 2 and 4 give 0.6309 + 0.4307 = 1.0616; ideal 2.1309", 0.4982),
            "10": ("ranks 2 and 4 give 1.0616; ideal 2.1309", 0.4982),
        },
        worked_shown={
            "1": ("1 / 1", 1.0),
            "3": ("ranks 1 and 3 give 1 + 0.5 = 1.5; ideal 2.1309", 0.7039),
            "5": ("ranks 1 and 3 give 1.5; ideal 2.1309", 0.7039),
            "10": ("ranks 1 and 3 give 1.5; ideal 2.1309", 0.7039),
        },
    ),
    "mrr": Declared(
        field="mrr",
        title="Reciprocal rank",
        measures="How early the first relevant file comes. Its mean over tasks is MRR.",
        formula="1 / rank of the first relevant file; 0 without one",
        undefined=NO_TRUTH_OR_TRACE,
        known_problems="Only the first hit counts, however many files the task needs.",
        reference="E. M. Voorhees: The TREC-8 Question Answering Track Report, 1999",
        worked={"": ("src/app.py is second: 1 / 2", 0.5)},
        worked_shown={"": ("src/app.py is first: 1 / 1", 1.0)},
    ),
    "map": Declared(
        field="map_score",
        title="Average precision",
        measures="Precision at every relevant file, averaged over all relevant files. Its mean over tasks is MAP.",
        formula="sum of precision@rank over the ranks of relevant files / relevant files",
        undefined=NO_TRUTH_OR_TRACE,
        known_problems="A relevant file never retrieved adds 0, so it falls with recall as well as with order.",
        reference=_BOOK,
        worked={"": ("(1/2 + 2/4) / 3", 0.3333)},
        worked_shown={"": ("(1/1 + 2/3) / 3", 0.5556)},
    ),
    "file_recall": Declared(
        field="file_recall",
        title="File recall",
        measures="Share of the relevant files found anywhere in the list.",
        formula="relevant files retrieved / relevant files",
        undefined=NO_TRUTH_OR_TRACE,
        known_problems="A listing of the whole repository buys 1 over retrieved files; read it beside the value over shown files.",
        reference=_SPEC,
        worked={"": ("src/app.py and src/db.py of three: 2 / 3", 0.6667)},
        worked_shown={"": ("src/app.py and src/db.py of three: 2 / 3", 0.6667)},
    ),
    "context_efficiency": Declared(
        field="context_efficiency",
        title="Context efficiency",
        measures="Share of the files in the list that are relevant.",
        formula="relevant files retrieved / files retrieved",
        undefined=NO_TRUTH_OR_TRACE + ", or no file was retrieved (`nothing_retrieved`)",
        known_problems="It counts files, not their length, and files that are useful but not in the ground truth lower it.",
        reference=_SPEC,
        worked={"": ("two of four files: 2 / 4", 0.5)},
        worked_shown={"": ("two of three files: 2 / 3", 0.6667)},
        missing="nothing_retrieved",
    ),
    "ttfr_seconds": Declared(
        field="ttfr_seconds",
        title="Time to first relevant file",
        measures="Seconds from the agent's start to the call that first met a relevant file, writes aside.",
        formula="elapsed seconds at the first access that hits and is not a write",
        undefined=NO_TRUTH_OR_TRACE
        + ", no relevant file was met (`never_hit`), or the trace has no times (`no_time`)",
        known_problems="It is censored: agents that never hit have none, so a mean of it means something only beside the hit rate.",
        reference=_SPEC,
        worked={"": ("src/app.py is surfaced at 8 s", 8.0)},
        worked_shown={"": ("src/app.py is read at 12 s", 12.0)},
        better="lower",
        upper=None,
        unit="s",
        missing="no_time",
        needs_hit=True,
    ),
    "ttfr_tokens": Declared(
        field="ttfr_tokens",
        title="Tokens to first relevant file",
        measures="Tokens of all model calls up to the call that first met a relevant file, writes aside.",
        formula="cumulative tokens at the first access that hits and is not a write",
        undefined=NO_TRUTH_OR_TRACE
        + ", no relevant file was met (`never_hit`), or the trace has no token counts (`no_tokens`)",
        known_problems="Censored like the time. Cached input counts in full at every model call.",
        reference=_SPEC,
        worked={"": ("src/app.py is surfaced when 1,800 tokens were used", 1800.0)},
        worked_shown={"": ("src/app.py is read when 2,500 tokens were used", 2500.0)},
        better="lower",
        upper=None,
        unit="tokens",
        missing="no_tokens",
        needs_hit=True,
    ),
}
"""Stage 1, by canonical name without cutoff."""

CHUNK_LEVEL: Mapping[str, Declared] = {
    "chunk_recall": Declared(
        field="chunk_recall",
        title="Chunk recall",
        measures="Share of the ground truth's line ranges whose file was accessed in any way, writes included.",
        formula="chunks whose file was accessed / chunks",
        undefined="the task has no line ranges (`no_chunk_ground_truth`), or there is no usable trace (`no_trace`, `empty_trace`)",
        known_problems="In version 1 the file is enough; whether the lines themselves were seen is not judged.",
        reference=_SPEC,
        worked={"": ("src/app.py was accessed, src/config.py was not: 1 / 2", 0.5)},
    ),
}
"""Stage 2."""

_NO_WRITE = NO_TRUTH_OR_TRACE + ", or nothing was written (`nothing_written`)"

UTILIZATION: Mapping[str, Declared] = {
    "util_read_overlap_with_relevant_files": Declared(
        field="util_read_overlap_with_relevant_files",
        title="Relevant files read",
        measures="Share of the relevant files that the agent opened and was shown.",
        formula="|files read ∩ relevant files| / |relevant files|",
        undefined=NO_TRUTH_OR_TRACE,
        known_problems="Lines of a file shown by a search are no read of it, however many they are.",
        reference=_SPEC,
        worked={"": ("src/app.py and src/db.py were read: 2 / 3", 0.6667)},
    ),
    "util_write_overlap_with_relevant_files_proxy": Declared(
        field="util_write_overlap_with_relevant_files_proxy",
        title="Relevant files written",
        measures="Share of the relevant files that the agent wrote to.",
        formula="|files written ∩ relevant files| / |relevant files|",
        undefined=_NO_WRITE,
        known_problems="Relevant files are evidence, not always edit targets: a proxy for tasks that fix something, of no meaning elsewhere.",
        reference=_SPEC,
        worked={"": ("src/app.py was written: 1 / 3", 0.3333)},
        missing="nothing_written",
    ),
    "util_write_overlap_with_expected_edit_files": Declared(
        field="util_write_overlap_with_expected_edit_files",
        title="Expected edits made",
        measures="Share of the files in which an edit is expected that the agent wrote to.",
        formula="|files written ∩ expected edit files| / |expected edit files|",
        undefined="the task does not tell which files to edit (`no_expected_edit_files`), there is no usable trace (`no_trace`, `empty_trace`), or nothing was written (`nothing_written`)",
        known_problems="That the file was written says nothing of what was written; that is the verifier's part.",
        reference=_SPEC,
        worked={"": ("src/app.py of src/app.py and src/config.py: 1 / 2", 0.5)},
    ),
    "util_read_before_write_ratio": Declared(
        field="util_read_before_write_ratio",
        title="Read before write",
        measures="Share of the written files that the agent had read at an earlier step than its first write to them.",
        formula="written files read before / written files",
        undefined=_NO_WRITE,
        known_problems="New files cannot be read before they exist, so an agent that adds files scores lower.",
        reference=_SPEC,
        worked={"": ("src/app.py was read first, src/new.py was not: 1 / 2", 0.5)},
        missing="nothing_written",
    ),
}
"""Stage 3."""
