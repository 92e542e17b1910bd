"""`groundtrace demo`: the bundled sample through every stage."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypedDict, Unpack

from groundtrace.cli import from_options
from groundtrace.cli.answer import answer_data, print_answer
from groundtrace.cli.terminal import print_json, print_message, print_result, say_failures
from groundtrace.config import Location
from groundtrace.options import Json, Option, Quiet, Tracebacks


class Demo(TypedDict, total=False):
    """Flags of this command."""

    out: Annotated[
        Location,
        Option(
            "output", "Where to write the sample and its results", "DIR", default="groundtrace-demo"
        ),
    ]
    swebench: Annotated[
        bool,
        Option(
            "input", "Use the second sample: two models on made-up SWE-bench tasks, with verdicts"
        ),
    ]
    sessions: Annotated[
        bool,
        Option(
            "input",
            "Use the third sample: a person's own sessions with and without a search server, and "
            "the repository that they worked in",
        ),
    ]
    json: Json
    quiet: Quiet
    verbose: Tracebacks


@from_options.command("demo")
def command(**given: Unpack[Demo]) -> int:
    """Evaluate a small sample and say where its report is.

    \b
    Examples:
      groundtrace demo
      groundtrace demo --swebench
      groundtrace demo --sessions
      groundtrace demo --out /tmp/sample
    """
    from groundtrace.cli.run import closing_words
    from groundtrace.config import Settings
    from groundtrace.demo import write_sample
    from groundtrace.demo.sessions import write_sessions
    from groundtrace.demo.swebench import BASELINE, REPOS, write_swebench
    from groundtrace.impact.options import ImpactOptions
    from groundtrace.runs.engine import make_engine
    from groundtrace.runs.impact import widest_document
    from groundtrace.runs.request import Request
    from groundtrace.runs.whole_run import run_stages

    out, quiet = Path(given["out"]), given["quiet"]
    settings, options_of_impact = Settings(), ImpactOptions()
    if given["swebench"]:
        write_swebench(out)
        runs, location = out / "trajs", str(out / "tasks.jsonl")
        options_of_impact = ImpactOptions(baseline=BASELINE)
        lacking = _lacking()
        if lacking is None:
            settings = Settings(repos=(str(out / REPOS),))
        else:
            print_message(f"functions are left out: {lacking}", quiet=quiet or given["json"])
    elif given["sessions"]:
        write_sessions(out)
        runs, location = out / "sessions", f"git:{out / 'heron'}"
        settings = Settings(config_by="mcp")
    else:
        write_sample(out, whole=True)
        runs, location = out / "runs" / "official", str(out / "benchmarks")
    print_message(f"sample: {runs} (trials), {location} (tasks)", quiet=quiet or given["json"])
    engine = make_engine("local", jobs=1)
    request = Request(runs=str(runs), engine=engine, tasks=(location,), settings=settings)
    done, failed, written, _ = run_stages(request, options_of_impact, None)
    document = widest_document(request)
    if given["json"]:
        data = {"reports": written.written, "trials": done.trials, "failed": failed}
        print_json(data | answer_data(document))
    else:
        print_answer(document)
        print_result(closing_words(written.written))
    return say_failures(failed, quiet=quiet)


def _lacking() -> str | None:
    """What the functions of the second sample would need, if it is not there."""
    from shutil import which

    from groundtrace.functions.languages import grammar_of, language_of

    if which("git") is None:
        return "git is not installed"
    python = language_of("a.py")
    if python is None or grammar_of(python) is None:
        return "no grammar of Python; install groundtrace[functions]"
    return None
