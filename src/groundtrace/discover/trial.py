"""One trial folder as a `Trial`, and what its trace adds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from groundtrace.base.digests import sha256
from groundtrace.base.jsonio import clean_text
from groundtrace.base.values import model_name
from groundtrace.discover.identity import identify, located
from groundtrace.discover.names import with_masked_labels
from groundtrace.discover.outcome import read_outcome
from groundtrace.discover.prices import Prices, cost_of
from groundtrace.discover.records import Records, as_name, kinds_of, read_records, with_run
from groundtrace.documents.base import MAX_INT
from groundtrace.model import Outcome, Problem, Trace, Trial
from groundtrace.storage import Folder, LocalFolder

if TYPE_CHECKING:
    from groundtrace.truth.tasks import TaskIndex


def make_trial(
    folder: Folder,
    records: Records,
    *,
    run_id: str,
    path: str,
    above: Sequence[str],
    parts: Sequence[str],
    tasks: TaskIndex | None,
) -> tuple[Trial, tuple[Problem, ...]]:
    """The trial in a folder; `above` leads to its run, `parts` from the run to the trial."""
    trial, doubts = identify(
        folder, records, run_id=run_id, path=path, above=above, parts=parts, tasks=tasks
    )
    outcome, troubles = read_outcome(records, trial.harness)
    key = trial_key(records, trial.trial_name, f"{run_id}/{path}")
    whole = replace(trial, outcome=outcome, trial_key=key)
    return whole, (*records.problems, *doubts, *troubles)


def trial_at(
    folder: Folder, above: Sequence[str], tasks: TaskIndex | None = None
) -> tuple[Trial | None, tuple[Problem, ...]]:
    """The trial in one folder, to look at it alone; `above` are its parents, top first."""
    around = folder.path.absolute().parents[:2] if isinstance(folder, LocalFolder) else ()
    parents = [LocalFolder(path) for path in reversed(around)]
    records = with_run(read_records(folder, kinds_of(folder)), parents)
    if records.level != "trial":
        return None, records.problems
    parts = [*(clean_text(name) for name in above), clean_text(folder.name)]
    place = located(parts, records)
    run_id = parts[place.run] if place.run >= 0 else parts[0]
    return make_trial(
        folder,
        records,
        run_id=run_id,
        path="/".join(parts[place.run + 1 :]),
        above=parts[: place.run + 1],
        parts=parts[place.run + 1 :],
        tasks=tasks,
    )


def trial_key(records: Records, trial_name: str, place: str) -> str:
    """Equal for copies of one trial, different for any two trials.

    Promotion copies a trial's files and renames the folders above it. So the key is made from what
    the files say: the harness's id of the trial with its name, else name, task and times. If the
    records say too little, the key is the trial's place, and the trial is nobody's copy.
    """
    result = records.result
    parts = [trial_name, as_name(result.get("id")) or ""]
    if not parts[1]:
        times = [as_name(result.get(key)) for key in ("started_at", "finished_at")]
        named = records.text("result", "trial_name") or records.text("config", "trial_name")
        if named is None or not any(times):
            return key_of_place(place)
        parts = [
            trial_name,
            as_name(result.get("task_name")) or "",
            *(time or "" for time in times),
        ]
    return f"trial:{_digest(chr(0).join(parts))}"


def key_of_place(place: str) -> str:
    """The key of a trial that is nobody's copy."""
    return f"place:{_digest(place)}"


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()[:20]


def with_trace(trial: Trial, trace: Trace, prices: Prices | None = None) -> Trial:
    """The trial completed by its trace, with the source of each addition in `evidence`.

    Records win for the trial's identity and its cost. For output tokens the trace wins, because
    result.json counts placeholders (129 where 8,975 were made).
    """
    evidence = dict(trial.evidence)

    def complete(name: str, known: str | None, stated: str | None) -> str | None:
        value = as_name(stated)
        if known is not None or value is None:
            return known
        evidence[name] = "trace"
        return value

    model = complete("model", trial.model, trace.model)
    whole = replace(
        trial,
        model=model_name(model),
        harness=complete("harness", trial.harness, trace.harness),
        harness_version=complete("harness_version", trial.harness_version, trace.harness_version),
        outcome=_priced(_with_usage(trial.outcome, trace), trace, model, prices or {}),
        evidence=evidence,
    )
    return with_masked_labels(whole)


def _priced(outcome: Outcome, trace: Trace, model: str | None, prices: Prices) -> Outcome:
    """A cost from tokens and prices, if nothing states one (D54)."""
    if outcome.cost_usd or not prices:
        return outcome
    usage = trace.usage
    name = trace.model or model
    cost = cost_of(prices, name, usage.input_tokens, usage.cached_tokens, usage.output_tokens)
    if cost is None:
        return outcome
    return replace(outcome, cost_usd=cost, cost_source="tokens of the trace and --prices")


def _with_usage(outcome: Outcome, trace: Trace) -> Outcome:
    usage = trace.usage
    seconds = trace.stated.agent_seconds
    if outcome.agent_seconds is None and seconds is not None:
        found_in = {**outcome.found_in, "agent_seconds": "times in the trace"}
        outcome = replace(outcome, agent_seconds=seconds, found_in=found_in)
    if usage.output_tokens is not None and usage.output_tokens >= 0:
        outcome = replace(
            outcome,
            output_tokens=usage.output_tokens,
            output_tokens_source=usage.output_tokens_source or "trace",
        )
    if usage.model_calls is not None and 0 <= usage.model_calls <= MAX_INT:
        found_in = {**outcome.found_in, "model_calls": "model calls in the trace"}
        outcome = replace(outcome, model_calls=usage.model_calls, found_in=found_in)
    # If the trace states a cost, a zero in the records means that the price was unknown.
    if usage.cost_usd is not None and usage.cost_usd >= 0 and not outcome.cost_usd:
        outcome = replace(
            outcome, cost_usd=usage.cost_usd, cost_source=usage.cost_source or "trace"
        )
    return outcome
