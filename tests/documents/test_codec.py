"""Documents as they are written: mappings in a fixed order of keys, records in their own order."""

from __future__ import annotations

import msgspec

from groundtrace.documents.codec import decode, encode
from groundtrace.documents.summary import Distribution, VerdictSummary
from groundtrace.redact import masking
from groundtrace.rows.summarise import summarise
from tests.rows.builders import A, B, task


def test_cutoffs_come_by_number_other_names_by_letter_and_records_keep_their_order() -> None:
    one = Distribution(n=0, left_out={"b": 1, "a": 2})
    names = ["recall@10", "recall@3", "mrr", "recall@1", "precision@5", "precision@10"]
    found = VerdictSummary(trials=1, tasks=1, metrics=dict.fromkeys(names, one))
    document = msgspec.structs.replace(
        summarise([], scope="run", generated_at="now"),
        by_verdict={"resolved": found, "partly": found},
    )
    written = msgspec.json.decode(encode(document))
    assert list(written["by_verdict"]) == ["partly", "resolved"]
    for verdict in written["by_verdict"].values():
        assert list(verdict) == ["trials", "tasks", "metrics"]
        ordered = ["mrr", "precision@5", "precision@10", "recall@1", "recall@3", "recall@10"]
        assert list(verdict["metrics"]) == ordered
        for metric in verdict["metrics"].values():
            assert list(metric)[-4:] == ["q1", "q3", "minimum", "maximum"]
            assert list(metric["left_out"]) == ["a", "b"]


def test_keys_are_masked_and_ordered_in_one_walk_and_names_of_files_only_ordered() -> None:
    """A tool's name can hold a credential; keys come in the order of the names as they are written.

    `runs` leads to folders: it is never masked, whatever it looks like.
    """
    key = "ghp_" + "a1B2" * 9
    unsorted = {f"zz {key}": 2, "m@10": 1, "m@3": 1}
    document = msgspec.structs.replace(
        summarise([], scope=key, generated_at="now"), unknown_tools=unsorted, runs=[key]
    )
    data = encode(document)
    written = msgspec.json.decode(data)
    first, second, third = written["unknown_tools"]
    assert (first, second) == ("m@3", "m@10")
    assert third.startswith("zz [masked-")
    assert written["runs"] == [key] == [written["scope"]]
    assert data.count(key.encode()) == 2
    with masking(False):
        assert list(msgspec.json.decode(encode(document))["unknown_tools"])[2] == f"zz {key}"
    assert list(msgspec.json.decode(encode(document, is_masked=True))["unknown_tools"])[1] == "m@10"


def test_a_summary_is_laid_out_as_any_other_json() -> None:
    """Groups that are one record are put into lines once, and pasted under each of their names."""
    rows = [
        task("t", A, config_name='a\n "by_suite": {}'),
        task("u", B, config_name="b", benchmark="s"),
    ]
    document = summarise(rows, scope="run", generated_at="now")
    data = encode(document)
    assert (
        data
        == msgspec.json.format(msgspec.json.encode(msgspec.json.decode(data)), indent=1) + b"\n"
    )
    assert decode("run_retrieval_summary", data, "a.json") == document
    nothing = encode(summarise([], scope="run", generated_at="now"))
    assert b'\n "by_config": {},\n' in nothing
