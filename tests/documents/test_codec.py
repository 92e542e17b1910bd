"""Documents as they are written: mappings in a fixed order of keys, records in their own order."""

from __future__ import annotations

import msgspec
import pytest

from groundtrace.documents.codec import decode, encode
from groundtrace.documents.summary import Distribution, VerdictSummary
from groundtrace.errors import InputError
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


def test_a_group_that_stands_elsewhere_is_written_as_its_name() -> None:
    """Two configurations with a suite each and one model: every other group is one of theirs."""
    rows = [
        task("t", A, config_name="base", benchmark="one", model="m"),
        task("u", B, config_name="new.er", benchmark="two", model="m"),
    ]
    document = summarise(rows, scope="run", generated_at="now")
    data = encode(document)
    written = msgspec.json.decode(data)
    assert written["by_suite"] == {"one": "by_config.base", "two": "by_config.new.er"}
    assert written["by_model"] == {"m": "overall"}
    assert written["overall"]["trials"] == 2
    assert written["by_config"]["new.er"]["trials"] == 1
    read = decode("run_retrieval_summary", data, "a.json")
    assert read == document
    assert read.by_suite["two"] is read.by_config["new.er"]
    assert encode(read) == data


def test_a_group_of_its_own_and_groups_of_columns_are_written_in_full() -> None:
    rows = [
        task("t", A, config_name="base", benchmark="one"),
        task("u", B, config_name="base", benchmark="two"),
    ]
    document = summarise(rows, scope="run", generated_at="now")
    columns = {"team": {"x": document.by_suite["one"], "y": document.overall}}
    document = msgspec.structs.replace(document, by_group=columns)
    written = msgspec.json.decode(encode(document))
    assert written["by_suite"]["one"]["trials"] == written["by_suite"]["two"]["trials"] == 1
    assert written["by_group"]["team"]["x"] == written["by_suite"]["one"]
    assert written["by_group"]["team"]["y"] == "overall"
    assert decode("run_retrieval_summary", encode(document), "a.json") == document


def test_the_name_of_a_group_is_masked_as_the_configuration_is() -> None:
    key = "ghp_" + "a1B2" * 9
    rows = [
        task("t", A, config_name=f"with {key}", benchmark="one"),
        task("u", B, config_name="other", benchmark="two"),
    ]
    data = encode(summarise(rows, scope="run", generated_at="now"))
    assert key.encode() not in data
    read = decode("run_retrieval_summary", data, "a.json")
    assert [group.trials for group in read.by_suite.values()] == [1, 1]


def test_a_name_of_no_group_is_refused() -> None:
    data = encode(summarise([task("t", A)], scope="run", generated_at="now"))
    wrong = data.replace(b'"overall"\n', b'"by_config.gone"\n', 1)
    assert wrong != data
    with pytest.raises(InputError, match=r"a\.json: .*no group is called 'by_config\.gone'"):
        decode("run_retrieval_summary", wrong, "a.json")


def test_a_summary_without_trials_has_no_groups() -> None:
    nothing = encode(summarise([], scope="run", generated_at="now"))
    assert b'\n "by_config": {},\n' in nothing
