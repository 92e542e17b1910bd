"""The right functions: which were needed, which were shown, which were edited (D216).

A document says which functions each access showed; here they are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from msgspec import UNSET

from groundtrace.base.frozen import Frozen
from groundtrace.documents.base import in_order
from groundtrace.documents.functions import FunctionLevelMetrics, FunctionLines, Functions
from groundtrace.documents.line_map import LineRun, common, joined, size
from groundtrace.metrics.edited import names_of
from groundtrace.metrics.evidence import EvidenceView, ShownLines, lines_unknown, once, shown_lines
from groundtrace.metrics.published_patches import lines_by_file
from groundtrace.metrics.record import Display, MetricDeclaration, MetricSection, SectionField, Spot

FUNC_CUTOFFS = (1, 3, 5)
"""The values of k in `func_acc@k`."""

RECALLED = (
    "function_recall",
    "function_lines_recall",
    *(f"func_acc@{k}" for k in FUNC_CUTOFFS),
)
"""Values that depend on what was shown of relevant files, and on the relevant functions."""
COUNTED = ("functions_shown", "function_precision", "function_f1")
"""Values that depend on everything that was shown."""
EDITED = ("function_edit_recall", "function_edit_precision")


class SeenFunctions(Frozen, frozen=True):
    """Relevant functions, functions shown and functions edited."""

    undefined: Mapping[str, str]
    """Why a value is missing, by its name."""
    relevant: tuple[FunctionLines, ...] | None = None
    """None if they are not known."""
    shown: tuple[FunctionLines, ...] = ()
    """By first sight."""
    edited: frozenset[FunctionLines] | None = None
    gold: frozenset[FunctionLines] = frozenset()
    """What the gold patch changes."""
    lines: int = 0
    """Lines of relevant functions."""
    lines_shown: int = 0
    symbols: int = 0
    symbols_shown: int = 0

    @property
    def right(self) -> int:
        """Relevant functions of which a line was shown."""
        return len({*(self.relevant or ())} & {*self.shown})

    @property
    def right_edits(self) -> int:
        """Functions that both patches change."""
        return len(self.gold & (self.edited or frozenset()))

    def value(self, name: str, part: float, whole: float) -> float | None:
        """A share, unless it is undefined."""
        return None if name in self.undefined or not whole else part / whole


@once
def seen_functions(evidence: EvidenceView) -> SeenFunctions:
    """The functions of a trial."""
    functions = evidence.document.functions
    if functions is UNSET or functions.reason is not None:
        reason = "no_repository" if functions is UNSET else functions.reason or ""
        every = ("functions_relevant", *RECALLED, *COUNTED, *EDITED, "symbol_recall")
        return SeenFunctions(dict.fromkeys(every, reason))
    stated = evidence.document.ground_truth.functions
    relevant = None if stated is UNSET else tuple(dict.fromkeys(stated))
    accesses = shown_lines(evidence)
    undefined = _why(evidence, functions, relevant, accesses)
    runs = _runs_by_name(accesses)
    wanted = lines_by_file(relevant or ())
    symbols = [] if functions.symbols is UNSET else functions.symbols
    if not symbols:
        undefined["symbol_recall"] = "no_symbols"
    listed, edited = functions.listed, functions.edited
    gold = functions.gold_edits
    expected = (relevant or ()) if gold is UNSET else _at(listed, gold)
    return SeenFunctions(
        undefined=undefined,
        relevant=relevant,
        shown=tuple(_in_order(evidence, listed)),
        edited=None if edited is None else frozenset(_at(listed, edited)),
        gold=frozenset(expected),
        lines=sum(size(lines) for lines in wanted.values()),
        lines_shown=sum(size(common(lines, runs.get(f, []))) for f, lines in wanted.items()),
        symbols=len(symbols),
        symbols_shown=sum(
            bool(common([(s.line_start, s.line_end)], runs.get(s.file.lower(), [])))
            for s in symbols
        ),
    )


def _in_order(evidence: EvidenceView, listed: Sequence[FunctionLines]) -> list[FunctionLines]:
    seen: dict[int, None] = {}
    for touch in evidence.touches:
        if touch.access.functions is not UNSET:
            seen.update(dict.fromkeys(touch.access.functions))
    return list(dict.fromkeys(_at(listed, seen)))


def _at(listed: Sequence[FunctionLines], positions: Iterable[int]) -> list[FunctionLines]:
    """The functions at these positions; a document of another program can name any."""
    return [listed[at] for at in positions if at < len(listed)]


def _runs_by_name(accesses: Sequence[ShownLines]) -> dict[str, list[LineRun]]:
    found: dict[str, list[LineRun]] = {}
    for one in accesses:
        for name in names_of(one.touch):
            found.setdefault(name.rpartition("::")[2], []).extend(one.runs or ())
    return {name: joined(runs) for name, runs in found.items()}


# --- why values are missing -------------------------------------------------------------------


def _why(
    evidence: EvidenceView,
    functions: Functions,
    relevant: Sequence[FunctionLines] | None,
    accesses: Sequence[ShownLines],
) -> dict[str, str]:
    """Values that are not known, each with its reason."""
    undefined: dict[str, str] = {}

    def missing(names: Collection[str], reason: str | None) -> None:
        for name in names if reason is not None else ():
            undefined.setdefault(name, reason or "")

    truth = functions.truth_reason if relevant is None else None
    if relevant is not None and not relevant:
        truth = "no_function_changed"
    trace = evidence.trace_reason or evidence.older
    if relevant is None:
        missing(("functions_relevant",), truth)
    missing((*RECALLED, "function_precision", "function_f1", *EDITED), truth)
    missing((*RECALLED, *COUNTED, "symbol_recall"), trace)
    missing(EDITED, functions.edit_reason)
    unknown = {one.file: one.reason for one in functions.files if one.reason is not UNSET}
    missing(COUNTED, next(iter(map(str, unknown.values())), None))
    code = {one.file for one in functions.files}
    of_code = [one for one in accesses if one.touch.file in code]
    wanted = {function.file.lower() for function in relevant or ()}
    of_truth = [one for one in of_code if _files(one) & wanted]
    missing(RECALLED, _too_little(of_truth))
    missing(("function_precision", "function_f1"), undefined.get("function_recall"))
    missing(COUNTED, _too_little(of_code))
    if not _in_order(evidence, functions.listed):
        missing(("function_precision",), "nothing_shown")
    if functions.edited is not None and not _at(functions.listed, functions.edited):
        missing(("function_edit_precision",), "nothing_submitted")
    return undefined


def _files(one: ShownLines) -> set[str]:
    return {name.rpartition("::")[2] for name in names_of(one.touch)}


def _too_little(accesses: Sequence[ShownLines]) -> str | None:
    known = [one for one in accesses if one.runs is not None]
    return "lines_unknown" if lines_unknown(accesses, known) else None


# --- the section and its metrics --------------------------------------------------------------


def make_function_level(view: SeenFunctions) -> FunctionLevelMetrics:
    """The section, with the reason for each value that it does not have."""
    reason = view.undefined.get("function_recall")
    relevant = view.relevant
    missed = [one for one in relevant or () if one not in {*view.shown}]
    return FunctionLevelMetrics(
        computable=reason is None,
        reason=reason,
        undefined=in_order(view.undefined),
        functions_relevant_shown=view.right if reason is None else None,
        functions_edited=None if view.edited is None else len(view.edited),
        relevant_not_shown=[one.function for one in missed] if reason is None else [],
        **FUNCTION_LEVEL.values(view),
    )


_NOT_KNOWN = (
    "no repository of the task was given with `--repos` (`no_repository`), it does not have the base "
    "commit (`commit_absent`) or the text of a file that counts (`file_absent`), no grammar reads "
    "that file (`no_grammar`), "
)
_NO_TRUTH = (
    "the gold patch changes no function (`no_function_changed`) or does not fit the base commit "
    "(`patch_does_not_fit`), or the task has neither a gold patch nor lines (`no_gold_lines`)"
)
_NO_TRACE = (
    ", there is no usable trace (`no_trace`, `empty_trace`, `answers_missing`, `subagents_unseen`, "
    "`older_document`)"
)
_NO_LINES = (
    ", or more than 20 % of the characters that were shown of these files have unknown lines "
    "(`lines_unknown`)"
)
_OURS = "groundtrace, decision D216"
_NESTED = (
    "A line of a function inside another one is a line of both. Lines that were shown without numbers "
    "are not counted."
)


def _declared(
    name: str,
    title: str,
    measures: str,
    formula: str,
    undefined: str,
    problems: str,
    numbers: Callable[[SeenFunctions], tuple[float, float]],
    text: str,
    worked: tuple[str, float],
    order: int,
    *,
    field: str = "",
    plain: str = "",
    shown_in: Mapping[Display, Spot] | None = None,
) -> MetricDeclaration[SeenFunctions]:
    def compute(view: SeenFunctions) -> float | None:
        return view.value(name, *numbers(view))

    def arithmetic(view: SeenFunctions) -> str:
        part, whole = numbers(view)
        return text.format(part=f"{part:g}", whole=f"{whole:g}")

    return MetricDeclaration[SeenFunctions](
        name=name,
        field=field,
        title=title,
        plain={name: plain} if plain else {},
        measures=measures,
        formula=formula,
        undefined=undefined,
        known_problems=problems,
        reference=_OURS,
        compute=compute,
        arithmetic=arithmetic,
        worked={name: worked},
        shown_in={
            name: {
                "functions": Spot(order),
                "comparison": Spot(300 + order),
                "trial_detail": Spot(300 + order),
                **(shown_in or {}),
            }
        },
    )


def _within(k: int) -> Callable[[SeenFunctions], tuple[float, float]]:
    def numbers(view: SeenFunctions) -> tuple[float, float]:
        return float({*(view.relevant or ())} <= {*view.shown[:k]}), 1.0

    return numbers


_SHOWN = MetricDeclaration[SeenFunctions](
    name="functions_shown",
    title="Functions shown",
    plain={"functions_shown": "functions looked at"},
    measures=(
        "Distinct functions of the repository, at the base commit, of which at least one line was "
        "shown, by reading or by a search."
    ),
    formula="|functions with a line shown|",
    undefined=_NOT_KNOWN[:-2] + _NO_TRACE + _NO_LINES,
    known_problems=_NESTED + " Reading a whole file shows every function in it.",
    reference=_OURS,
    compute=lambda view: None if "functions_shown" in view.undefined else len(view.shown),
    arithmetic=lambda view: f"{len(view.shown)} functions",
    worked={"functions_shown": ("App.load, helper, connect, query", 4.0)},
    better="lower",
    upper=None,
    unit="functions",
    shown_in={"functions_shown": {"functions": Spot(5), "trial_detail": Spot(305)}},
)

_RELEVANT = MetricDeclaration[SeenFunctions](
    name="functions_relevant",
    title="Functions needed",
    plain={"functions_relevant": "functions needed"},
    measures="Functions that the gold patch changes, or that the task's lines meet.",
    formula="|relevant functions|",
    undefined=_NOT_KNOWN + "or the gold patch does not fit the base commit (`patch_does_not_fit`)",
    known_problems="It says how large the task is, nothing about the trial.",
    reference=_OURS,
    compute=lambda view: None if view.relevant is None else len(view.relevant),
    arithmetic=lambda view: f"{len(view.relevant or ())} functions",
    worked={"functions_relevant": ("App.load and read", 2.0)},
    better="lower",
    upper=None,
    unit="functions",
    shown_in={"functions_relevant": {"functions": Spot(3)}},
)

_DECLARED = (
    _RELEVANT,
    _SHOWN,
    _declared(
        "function_recall",
        "Function recall",
        "Share of the relevant functions of which at least one line was shown.",
        "|relevant functions with a line shown| / |relevant functions|",
        _NOT_KNOWN + _NO_TRUTH + _NO_TRACE + _NO_LINES,
        "One line is enough: a search that shows one line of a function of 200 lines shows it. "
        + _NESTED,
        lambda view: (view.right, len(view.relevant or ())),
        "{part} of {whole} functions",
        ("App.load of App.load and read: 1 / 2", 0.5),
        10,
        plain="Needed functions shown",
        shown_in={
            "chain": Spot(30),
            "coverage": Spot(75, "functions"),
        },
    ),
    _declared(
        "function_precision",
        "Function precision",
        "Share of the functions shown that are relevant.",
        "|relevant functions with a line shown| / |functions with a line shown|",
        _NOT_KNOWN + _NO_TRUTH + _NO_TRACE + _NO_LINES + ", or none was shown (`nothing_shown`)",
        _NESTED + " Files in languages without a grammar count as files without functions, unless "
        "they are known to have them.",
        lambda view: (view.right, len(view.shown)),
        "{part} of {whole} functions shown",
        ("App.load of App.load, helper, connect and query: 1 / 4", 0.25),
        20,
        plain="Shown functions that were needed",
        shown_in={"chain": Spot(40)},
    ),
    _declared(
        "function_f1",
        "Function F1",
        "Harmonic mean of function recall and function precision.",
        "2 · |relevant and shown| / (|relevant| + |shown|)",
        _NOT_KNOWN + _NO_TRUTH + _NO_TRACE + _NO_LINES,
        _NESTED,
        lambda view: (2 * view.right, len(view.relevant or ()) + len(view.shown)),
        "{part} / {whole}",
        ("2 · 1 / (2 + 4)", 0.3333),
        30,
    ),
    _declared(
        "function_lines_recall",
        "Line recall of functions",
        "Share of the lines of relevant functions that were shown.",
        "|lines of relevant functions ∩ lines shown| / |lines of relevant functions|",
        _NOT_KNOWN + _NO_TRUTH + _NO_TRACE + _NO_LINES,
        "Lines that were shown without numbers are not counted.",
        lambda view: (view.lines_shown, view.lines),
        "{part} of {whole} lines",
        ("lines 8 to 14 of src/app.py, none of src/config.py 1-5: 7 / 12", 0.5833),
        40,
    ),
    _declared(
        "function_edit_recall",
        "Function edit recall",
        "Share of the functions that the gold patch changes that the submitted patch changes too.",
        "|functions of both patches| / |functions of the gold patch|",
        _NOT_KNOWN + _NO_TRUTH + ", or it is unknown what was submitted (`no_submission`)",
        "A fix may be right in another function than the gold patch's.",
        lambda view: (view.right_edits, len(view.gold)),
        "{part} of {whole} functions",
        ("App.load of App.load and read: 1 / 2", 0.5),
        50,
        plain="Needed functions edited",
        shown_in={"chain": Spot(50)},
    ),
    _declared(
        "function_edit_precision",
        "Function edit precision",
        "Share of the functions that the submitted patch changes that the gold patch changes too.",
        "|functions of both patches| / |functions of the submitted patch|",
        _NOT_KNOWN
        + _NO_TRUTH
        + ", it is unknown what was submitted (`no_submission`), or it changes no function "
        "(`nothing_submitted`)",
        "Changed functions of tests count as others do.",
        lambda view: (view.right_edits, len(view.edited or ())),
        "{part} of {whole} functions edited",
        ("App.load of App.load and App.save: 1 / 2", 0.5),
        60,
        plain="Edited functions that were needed",
        shown_in={"chain": Spot(60)},
    ),
    *(
        _declared(
            f"func_acc@{k}",
            f"Function accuracy@{k}",
            f"1 if all relevant functions are among the first {k} functions shown, else 0.",
            f"1 if relevant ⊆ first {k} functions shown, else 0",
            _NOT_KNOWN + _NO_TRUTH + _NO_TRACE + _NO_LINES,
            "Functions that one call shows together are ordered by their lines. It is 0 if there are "
            f"more than {k} relevant functions.",
            _within(k),
            f"{{part}}: all relevant functions among the first {k}?",
            ("read was never shown", 0.0),
            70 + k,
            field=f"func_acc_at_{k}",
        )
        for k in FUNC_CUTOFFS
    ),
    _declared(
        "symbol_recall",
        "Symbol recall",
        "Share of the ground truth's symbols (functions and classes) of which a line was shown.",
        "|symbols with a line shown| / |symbols whose lines are known|",
        _NOT_KNOWN[:-2] + _NO_TRACE + ", or the task names no symbol that is found (`no_symbols`)",
        "Symbols that are neither functions nor classes are left out.",
        lambda view: (view.symbols_shown, view.symbols),
        "{part} of {whole} symbols",
        ("connect of connect and read: 1 / 2", 0.5),
        80,
    ),
)

FUNCTION_LEVEL = MetricSection[SeenFunctions](
    heading="The right functions",
    fields=(SectionField[SeenFunctions](name="function_level_metrics", view=seen_functions),),
    declarations=_DECLARED,
    make=make_function_level,
    why=lambda section, declared: section.undefined.get(declared.name) or declared.missing,
)
