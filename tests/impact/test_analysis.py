"""The impact document as a whole: the same bytes every time, its words, hostile values."""

from __future__ import annotations

import random
import subprocess
import sys

import msgspec
import pytest

from groundtrace.documents.impact import ImpactDocument
from groundtrace.errors import UsageError
from groundtrace.impact import ImpactOptions, analyse
from tests.impact.trial_rows import row


def sample(n=9):
    draw = random.Random(1)
    return [
        row(
            f"task-{i}",
            config,
            {
                "mrr": draw.random(),
                "file_recall": draw.random(),
                "shown.file_recall": draw.random(),
            },
            run=f"run-{i % 2}",
            reward=draw.choice([0.0, 0.5, 1.0]),
            cost_usd=draw.random(),
            benchmark=f"suite-{i % 3}",
        )
        for i in range(n)
        for config in ("baseline", "mcp", "mcp-2")
    ]


def encoded(rows, **options):
    chosen = ImpactOptions(**{"draws": 150, **options})
    return msgspec.json.encode(analyse(rows, chosen, generated_at="now", scope="*"))


def test_the_same_seed_gives_the_same_bytes_whatever_the_order():
    rows = sample()
    mixed = rows[:]
    random.Random(5).shuffle(mixed)
    assert encoded(rows) == encoded(mixed)
    assert encoded(rows) != encoded(rows, seed=1)


def test_rows_may_be_an_iterator():
    assert encoded(iter(sample())) == encoded(sample())


def test_a_result_does_not_depend_on_what_stands_beside_it():
    """Leaving a configuration out changes nothing about the others' comparison, except that the rows
    of the answer share their level with all configurations that are compared (D160)."""
    rows = sample()
    less = [r for r in rows if r.config_name != "mcp-2"]
    every = msgspec.json.decode(encoded(rows))["matched_comparisons"]
    fewer = msgspec.json.decode(encoded(less))["matched_comparisons"]
    alone = [c for c in every if c["config"] == "mcp"]
    shared = ("p_adjusted", "ci_low", "ci_high", "verdict", "inference_reason")
    for few, many in zip(fewer, alone, strict=True):
        for side in (few, many):
            del side["family"], side["family_rows"], side["notes"]
        for one, other in zip(few["deltas"], many["deltas"], strict=True):
            if one["table"] == "primary":
                if one["p_adjusted"] is not None:
                    assert one["p_adjusted"] <= other["p_adjusted"]
                for name in shared:
                    del one[name], other[name]
    assert fewer == alone


def test_the_document_decodes_as_its_own_type():
    document = msgspec.json.decode(encoded(sample()), type=ImpactDocument)
    assert (document.seed, document.draws, document.scope) == (0, 150, "*")


def test_the_words_are_of_association():
    document = analyse(sample(), ImpactOptions(draws=50), generated_at="now", scope="*")
    said = " ".join([document.statement, *msgspec.structs.astuple(document.method)]).lower()
    assert "association only" in said
    assert "ranks_once" in document.method.ranks
    assert all(word not in said for word in ("improve", "because of", "leads to", "winner"))


@pytest.mark.parametrize("rows", [[], [row("t", "baseline")]])
def test_next_to_nothing_is_refused_in_words(rows):
    document = analyse(rows, ImpactOptions(), generated_at="now", scope="*")
    assert not document.correlation_analysis.computable
    assert document.correlation_analysis.reason
    assert document.matched_reason
    msgspec.json.decode(msgspec.json.encode(document), type=ImpactDocument)


def test_rows_without_outcomes_have_no_pairs_and_no_zeros():
    rows = [msgspec.structs.replace(r, outcome=None) for r in sample()]
    document = analyse(rows, ImpactOptions(draws=50), generated_at="now", scope="*")
    assert {tuple(c.dropped) for c in document.matched_comparisons} <= {
        ("harness_version_unknown",)
    }
    assert all(not c.computable for c in document.correlation_analysis.correlations)
    reward = document.config_aggregates[0].metrics[0]
    assert (reward.mean, reward.n, reward.left_out) == (None, 0, {"no_valid_reward": 9})


def test_hostile_values_leave_a_valid_document():
    nan, inf = float("nan"), float("inf")
    rows = [
        row(f"t\x00{i}\ud800".encode("utf-8", "replace").decode(), config, metrics, **outcome)
        for i in range(8)
        for config in ("baseline", "m[c]p*")
        for metrics, outcome in [
            (
                {"mrr": (nan, inf, -inf, 1e308, 5e-324, -0.0, 0.5, 1)[i], "unheard_of": 3.0},
                {
                    "reward": (0, 1, nan, 1e308, -1e308, 5e-324, 2, 3)[i],
                    "cost_usd": (1e308, -1e308)[i % 2],
                    "output_tokens": 2**62 + i,
                    "model": ("claude-x", "a/b/claude-x")[i % 2],
                },
            )
        ]
    ]
    document = msgspec.json.decode(encoded(rows), type=ImpactDocument)
    assert document.matched_comparisons[0].n_matched_tasks == 7


def test_at_least_one_draw():
    with pytest.raises(UsageError, match="draws"):
        analyse([], ImpactOptions(draws=0), generated_at="now", scope="*")


def test_importing_impact_does_not_import_numpy():
    code = "import sys, groundtrace.impact; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
