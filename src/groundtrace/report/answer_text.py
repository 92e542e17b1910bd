"""The answer for people: one structure for terminal, Markdown, page, viewer and notebook.

`shown` gives every text of an answer, safe to print; `render` puts them in lines for a terminal,
`render_html` in a fragment for a notebook. The page and the viewer lay out the same texts.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Container, Iterator, Sequence

from msgspec import UNSET

from groundtrace.base.frozen import Frozen
from groundtrace.base.visible import columns_taken, visible
from groundtrace.documents.answer import MAX_TASKS_NAMED, Answer, AnswerRow, LookAt
from groundtrace.documents.impact import ConfigAggregate, ImpactDocument
from groundtrace.impact.answer_names import capital, listed, short_name
from groundtrace.impact.row_numbers import Style, style_of_means, styles_of
from groundtrace.metrics.catalogue import QUANTITIES
from groundtrace.report import formats
from groundtrace.report.safe_text import shown_name
from groundtrace.report.wording import plural, reason

WIDTH = 100
"""Most characters in a line."""
LABEL = 9
"""Characters of the first column."""
NAME, SHORT_NAME = 14, 10
"""Most characters of a configuration's name above its numbers, also in narrow terminals."""
WORD = 4
"""Fewest characters that are left of a name cut between two words."""
NARROW, NARROWEST = 20, 60
"""If fewer characters are left beside the numbers, the verdict stands below them; in a terminal
narrower than the second, the numbers stand below their label."""
MAX_CONFIGS = 4
"""Most configurations whose means are shown side by side if nothing is compared."""
MAX_OTHERS = 4
"""Most other pairs that are listed below an answer."""
NAMED_TASKS = 3
"""Tasks that a line names; the others are counted."""
SENTENCES = 1_500
"""Most characters of sentences that are shown: names in them can be long."""

QUESTIONS = {"found": "Found", "used": "Used", "result": "Result", "price": "Price"}
"""What the answer calls its questions."""

PRICES = (
    "cost is unknown. Fill in dollars per million tokens, save it as prices.toml, and add "
    "--prices prices.toml:"
)
"""What stands above a file of prices that is to be filled in."""

_COLOURS = {"good": "32", "bad": "31", "open": "33", "title": "1", "label": "1", "soft": "2"}
"""Tone to the number of its terminal colour."""


class ShownRow(Frozen, frozen=True):
    """One row of the answer, as texts."""

    question: str
    label: str
    metric: str
    baseline: str
    """Empty for one configuration alone."""
    config: str
    word: str
    """The verdict; empty for one configuration alone."""
    change: str
    interval: str
    """Both ends in brackets, or why there is none."""
    more: str
    """What else the row says, or nothing."""
    tone: str
    """`good`, `bad` or `open`: whether a clear difference is better."""
    counts: str

    @property
    def verdict(self) -> str:
        """The word with the difference and its interval."""
        return " ".join(part for part in (f"{self.word}: {self.change}", self.interval) if part)


class ShownLimit(Frozen, frozen=True):
    """Something to look at."""

    kind: str
    text: str
    tasks: tuple[str, ...]
    """Tasks that it is about, as they are called: for links."""

    @property
    def line(self) -> str:
        """The text with its first tasks."""
        if not self.tasks:
            return self.text
        names = [shown_name(name, 60) for name in self.tasks[:NAMED_TASKS]]
        left = len(self.tasks) - len(names)
        return f"{self.text}: {', '.join(names)}{more_text(left, whole=self.all_named)}"

    @property
    def all_named(self) -> bool:
        """Whether no task can be missing in the list: a full one said “and 17 more” of 68."""
        return len(self.tasks) < MAX_TASKS_NAMED


def more_text(left: int, *, whole: bool) -> str:
    """What stands behind the first names of a list, which may not be the whole list."""
    return f" and {left:,} more" if whole and left else " and more" if left else ""


class ShownAnswer(Frozen, frozen=True):
    """An answer, as texts that are safe to show."""

    title: str
    """Empty where two configurations could not be compared: the sentences name them."""
    about: str
    """The title behind the names: tasks and trials."""
    baseline: str | None
    config: str | None
    rows: tuple[ShownRow, ...]
    level: str
    """How sure the intervals of the rows are; empty if there is none."""
    partly: str
    """What several rows say alike about tasks that they leave out."""
    sentences: str
    look_at: tuple[ShownLimit, ...]
    prices: str = ""
    """A file of prices to fill in, if cost is unknown."""


def shown(answer: Answer) -> ShownAnswer:
    """Every text of an answer."""
    known = known_rows(answer)
    partly = _partly(known)
    return ShownAnswer(
        title=title(answer) if answer.rows else "",
        about=about(answer),
        baseline=None if answer.baseline is None else shown_name(answer.baseline),
        config=None if answer.config is None else shown_name(answer.config),
        rows=shown_rows(known, said=partly),
        level=_level(answer),
        partly=". ".join(f"{listed(names)} are {text}" for text, names in partly.items()),
        sentences=shown_name(answer.headline, SENTENCES),
        look_at=tuple(map(_limit, answer.look_at)),
        prices="" if answer.prices is UNSET else answer.prices,
    )


def known_rows(answer: Answer) -> Sequence[AnswerRow]:
    """The rows that are shown: those with a number."""
    return [row for row in answer.rows if row.n]


def _partly(rows: Sequence[AnswerRow]) -> dict[str, list[str]]:
    """What two rows or more say alike about tasks that they leave out, with what they are about.
    Three rows of one sample said “known for 26 of 28 tasks” on a line each."""
    names: dict[str, list[str]] = {}
    for row in rows:
        if text := _left_out(row, rows):
            names.setdefault(text, []).append(short_name(row.metric))
    return {text: about for text, about in names.items() if len(about) > 1}


def _left_out(row: AnswerRow, rows: Sequence[AnswerRow]) -> str:
    """For how many tasks of the answer a row is known, if not for all."""
    most = max(one.n for one in rows)
    if row.better is None or not 0 < row.n < most:
        return ""
    return f"known for {row.n:,} of {plural(most, 'task')}"


def _level(answer: Answer) -> str:
    if not any(row.n and row.ci_low is not None for row in answer.rows):
        return ""
    apart = answer.comparison == "unpaired_comparisons"
    return f"95 % intervals, {'each row for itself' if apart else 'all rows together'}"


def _limit(item: LookAt) -> ShownLimit:
    return ShownLimit(item.kind, shown_name(item.text, SENTENCES), tuple(item.tasks))


def title(answer: Answer) -> str:
    """Who is compared with whom, on how many tasks and trials."""
    return ", ".join(filter(None, (_names(answer), about(answer))))


def _names(answer: Answer) -> str:
    names = [shown_name(name) for name in (answer.config, answer.baseline) if name is not None]
    return " against ".join(names)


def about(answer: Answer) -> str:
    """How many tasks and trials an answer is about."""
    counts = answer.trials.values()
    trials = sum(one.trials if one.compared is UNSET else one.compared for one in counts)
    lost = sum(one.lost if one.compared_lost is UNSET else one.compared_lost for one in counts)
    if answer.comparison == "unpaired_comparisons":
        # Sessions of own work have a reward only by chance: none is lost.
        without = f" ({lost:,} without a reward)" if 0 < lost < trials else ""
        return f"{plural(trials, 'session')}{without}, no task in common"
    counted = plural(trials, "trial")
    if 0 < lost < trials:
        counted += f", {lost:,} lost"
    if answer.config is None:
        return f"{plural(len(answer.trials), 'configuration')} ({counted})"
    both = "" if answer.baseline is None else " that both ran"
    return f"{plural(answer.n, 'task')}{both} ({counted})"


def shown_rows(rows: Sequence[AnswerRow], said: Container[str] = ()) -> tuple[ShownRow, ...]:
    """The texts of an answer's rows; what is `said` once for several of them is left out."""
    left_out = (_left_out(row, rows) for row in rows)
    return tuple(
        _shown_row(row, style, "" if text in said else text)
        for row, style, text in zip(rows, styles_of(rows), left_out, strict=True)
    )


def _shown_row(row: AnswerRow, style: Style, left_out: str) -> ShownRow:
    alone = row.verdict is None and row.delta is None
    return ShownRow(
        question=QUESTIONS[row.question],
        label=short_name(row.metric),
        metric=row.metric,
        baseline="" if alone else style.value(row.baseline),
        config=style.value(row.config),
        word="" if alone else _word(row),
        change="" if alone else style.change(row),
        interval="" if alone else _interval(row, style),
        more="" if alone else "; ".join(filter(None, (left_out, *_more(row)))),
        tone=tone(row),
        counts=plural(row.n, "task")
        if alone
        else f"at least {plural(row.n, 'session')} on each side"
        if row.better is None
        else f"{row.better or 0:,} better, {row.same or 0:,} same, {row.worse or 0:,} worse "
        f"of {plural(row.n, 'task')}",
    )


def _word(row: AnswerRow) -> str:
    if row.verdict is None and row.better is None:
        return "unpaired"
    return (row.verdict or "untestable").replace("_", " ")


def _interval(row: AnswerRow, style: Style) -> str:
    if row.ci_low is not None and row.ci_high is not None:
        return f"({style.end(row.ci_low)} to {style.end(row.ci_high)})"
    if row.reason == "fewer_than_6_pairs":
        return f"({plural(row.n, 'task')})"
    differ = (row.better or 0) + (row.worse or 0)
    if row.reason == "fewer_than_4_differ":
        if differ > 3:
            return "(differs in fewer than 4 repositories)"
        return f"({plural(differ, 'task')} {'differs' if differ == 1 else 'differ'})"
    return f"({reason(row.reason) or 'no interval'})"


def _more(row: AnswerRow) -> Iterator[str]:
    ratio = row.typical_ratio
    if ratio is not UNSET and ratio != 1 and (ratio > 1) != ((row.delta or 0.0) > 0):
        yield f"typical task {formats.ratio(ratio)}"
    if row.within_margin is True and row.verdict != "equivalent":
        yield "within the margin"


def tone(row: AnswerRow) -> str:
    """`good`, `bad` or `open`: whether a clear difference is better."""
    if row.verdict not in ("higher", "lower"):
        return "open"
    return "good" if row.verdict == QUANTITIES[row.metric].better else "bad"


# --- lines of text ------------------------------------------------------------------------


def render(answer: Answer, width: int = WIDTH, colour: bool = False) -> str:
    """The answer in lines of at most `width` characters."""
    return "\n".join(_lines(shown(answer), width, _Paint(colour)))


def analysis_text(document: ImpactDocument, width: int = WIDTH, colour: bool = False) -> str:
    """The answer of a document, with its other pairs in a line each."""
    answer = document.answer
    paint = _Paint(colour)
    lines = list(_lines(shown(answer), width, paint))
    if not answer.rows:
        lines += _side_by_side(document.config_aggregates, document.primaries, width)
    for number, text in enumerate(others(document)):
        lines += _wrapped("Also" if number == 0 else "", text, width, paint)
    return "\n".join(lines)


class _Paint(Frozen, frozen=True):
    on: bool

    def __call__(self, text: str, tone: str) -> str:
        return f"\x1b[{_COLOURS[tone]}m{text}\x1b[0m" if self.on and text else text


def _lines(answer: ShownAnswer, width: int, paint: _Paint) -> Iterator[str]:
    if answer.title:
        yield from (paint(part, "title") for part in _fold(answer.title, width))
        yield ""
    if answer.rows:
        yield from _table(answer, width, paint)
        level = f"in brackets: {answer.level}" if answer.level else ""
        for text in filter(None, (level, answer.partly)):
            yield from (f"{'':<{LABEL}}{part}" for part in _fold(text, width - LABEL))
        yield ""
    yield from _fold(answer.sentences, width)
    for number, item in enumerate(answer.look_at):
        yield from _wrapped("Look at" if number == 0 else "", item.line, width, paint)
    if answer.prices:
        yield from _wrapped("Prices", PRICES, width, paint)
        yield from (visible(line) for line in answer.prices.splitlines())


def _fold(text: str, width: int) -> list[str]:
    """Lines; a number and its per cent stay together."""
    kept = text.replace(" %", "\xa0%")
    return [
        line.replace("\xa0", " ") for line in textwrap.wrap(kept, width, break_on_hyphens=False)
    ]


def _wrapped(label: str, text: str, width: int, paint: _Paint) -> list[str]:
    parts = _fold(text, max(20, width - LABEL)) or [""]
    first, rest = paint(label, "label") + " " * (LABEL - len(label)), " " * LABEL
    return [f"{rest if i else first}{part}" for i, part in enumerate(parts)]


def _table(answer: ShownAnswer, width: int, paint: _Paint) -> Iterator[str]:
    if width < NARROWEST:
        yield from _narrow_table(answer, width, paint)
        return
    label = max(len(row.label) for row in answer.rows)
    most = NAME if width >= WIDTH else SHORT_NAME
    alone = answer.baseline is None
    names = ["", ""] if alone else columns(answer.baseline or "", answer.config or "", most)
    wide = [
        max(columns_taken(name), *(len(v) for v in values))
        for name, values in zip(
            names, ([r.baseline for r in answer.rows], [r.config for r in answer.rows]), strict=True
        )
    ]
    if not alone:
        heads = (
            " " * (w - columns_taken(name)) + name for name, w in zip(names, wide, strict=True)
        )
        yield f"{'':<{LABEL + label}}  {'   '.join(heads)}".rstrip()
    for row in answer.rows:
        start = f"{row.label:<{label}}  "
        question = paint(row.question, "label") + " " * (LABEL - len(row.question))
        if alone:
            yield f"{question}{start}{row.config:>{wide[1]}}  ({row.counts})"
            continue
        start += f"{row.baseline:>{wide[0]}} → {row.config:>{wide[1]}}"
        yield from _verdict(row, f"{question}{start}", LABEL + len(start), width, paint)


def _narrow_table(answer: ShownAnswer, width: int, paint: _Paint) -> Iterator[str]:
    for row in answer.rows:
        yield from _wrapped(row.question, row.label, width, paint)
        if answer.baseline is None:
            yield f"{'':<{LABEL}}{row.config} ({row.counts})"
            continue
        yield f"{'':<{LABEL}}{row.baseline} → {row.config}"
        said = f"{row.verdict}{f'; {row.more}' if row.more else ''}"
        yield from _wrapped("", said, width, paint)


def _verdict(row: ShownRow, start: str, taken: int, width: int, paint: _Paint) -> Iterator[str]:
    """The numbers of a row, with the verdict beside them; below them where there is no room."""
    gap = "   " if width >= WIDTH else "  "
    room, indent = width - taken - len(gap), " " * (taken + len(gap))
    if room < NARROW:
        yield start
        room, indent = width - LABEL, " " * LABEL
    parts = [f"{row.word}: {row.change}", row.interval, row.more]
    lines: list[str] = []
    for part in filter(None, parts):
        if lines and len(lines[-1]) + 1 + len(part) <= room:
            lines[-1] += f" {part}"
        else:
            lines += _fold(part, max(room, 10))
    painted = [paint(row.word, row.tone) + lines[0].removeprefix(row.word), *lines[1:]]
    if indent != " " * LABEL:
        yield f"{start}{gap}{painted.pop(0)}"
    yield from (f"{indent}{line}" for line in painted)


_ENDS = re.compile(r"[-_./ ]")


def columns(baseline: str, config: str, most: int = NAME) -> list[str]:
    """Two names above their numbers, without the end that they share, and not too long."""
    shared = 0
    for place, (one, other) in enumerate(zip(baseline[::-1], config[::-1], strict=False), start=1):
        if one != other:
            break
        if _ENDS.match(one) and place < min(len(baseline), len(config)):
            shared = place
    names = [name[: len(name) - shared] for name in (baseline, config)]
    if max(map(len, names)) > most:
        # Of two long names the part in which they differ says more than the start they share.
        ends = [m.end() for m in _ENDS.finditer(names[0], 0, min(map(len, names)) - 1)]
        start = max((end for end in ends if names[1].startswith(names[0][:end])), default=0)
        names = [name[start:] for name in names]
    for cut in ([_cut(name, most) for name in names], [_cut(n, most, end=True) for n in names]):
        if cut[0] != cut[1]:
            return cut
    return ["baseline", "other"]


def _cut(name: str, most: int, *, end: bool = False) -> str:
    """The start or the end of a name, in whole words: “mini-swe-agen…” reads as a slip."""
    if len(name) <= most:
        return name
    if end:
        return f"…{name[1 - most :]}"
    words = [m.start() for m in _ENDS.finditer(name, 1, most)]
    place = words[-1] if words and words[-1] >= WORD else most - 1
    return f"{name[:place]}…"


# --- other pairs, and nothing compared ----------------------------------------------------


def others(document: ImpactDocument) -> list[str]:
    """The other pairs of a document, one line each; pairs without common tasks are counted."""
    left = [one for one in document.answers if one != document.answer]
    compared = [one for one in left if one.rows]
    said = [also_text(one) for one in compared[:MAX_OTHERS]]
    if len(compared) > MAX_OTHERS:
        said.append(f"{plural(len(compared) - MAX_OTHERS, 'more pair')} in the report")
    apart = [_names(one) for one in left if not one.rows]
    if apart:
        have = "has" if len(apart) == 1 else "have"
        named = f": {'; '.join(apart)}" if len(apart) <= MAX_OTHERS else ""
        pairs = plural(len(apart), "other pair")
        said.append(f"{pairs} {have} fewer than 3 tasks to compare{named}")
    return said


def also_text(answer: Answer) -> str:
    """Another pair in one line."""
    if not answer.rows:
        return shown_name(answer.headline, SENTENCES)
    found = shown(answer)
    words = {row.word for row in found.rows}
    said = (
        f"all {words.pop()}"
        if len(words) == 1 and words <= {"open", "untestable"}
        else ", ".join(_also(row) for row in found.rows)
    )
    return f"{_names(answer)}, {plural(answer.n, 'task')}: {said}"


def _also(row: ShownRow) -> str:
    clear = row.word not in ("open", "untestable")
    return f"{row.label} {row.word}{f' ({row.change})' if clear else ''}"


def _side_by_side(
    configs: Sequence[ConfigAggregate], primaries: Sequence[str], width: int
) -> list[str]:
    """Means of the configurations with most tasks, over all tasks of each."""
    # Imported here: it loads numpy, which a run without changes does not need.
    from groundtrace.impact.family import question_of

    means = {(own.config_name, m.metric): m for own in configs for m in own.metrics}

    def order(own: ConfigAggregate) -> tuple[bool, int, str]:
        known = (means.get((own.config_name, name)) for name in primaries)
        return not any(one is not None and one.n for one in known), -own.n_tasks, own.config_name

    # One of which nothing is known would take the place of one that says something.
    kept = sorted(sorted(configs, key=order)[:MAX_CONFIGS], key=lambda one: one.config_name)
    lines: list[str] = []
    for name in primaries:
        found = [(own.config_name, means.get((own.config_name, name))) for own in kept]
        known = [(config, one) for config, one in found if one is not None and one.n]
        style = style_of_means(name, [one.mean for _, one in known if one.mean is not None])
        said = [
            f"{shown_name(config, 60)} {style.value(one.mean)} ({plural(one.n, 'task')})"
            for config, one in known
        ]
        if said:
            text = f"{short_name(name)}: {', '.join(said)}"
            lines += _wrapped(QUESTIONS[question_of(name)], text, width, _Paint(False))
    if lines and len(configs) > len(kept):
        more = plural(len(configs) - len(kept), "more configuration")
        lines += _wrapped("", f"{more} in the report", width, _Paint(False))
    return lines


# --- a fragment of HTML for notebooks -----------------------------------------------------


def render_html(document: ImpactDocument) -> str:
    """The answer of a document as a small table, sentences and what limits them."""
    from html import escape  # it loads a table of 2,000 names

    found = shown(document.answer)
    parts = [f"<p><strong>{escape(found.title)}</strong></p>"] if found.title else []
    if found.rows:
        heads = ["", "", *(() if found.baseline is None else (found.baseline, found.config)), ""]
        parts.append(_html_table(found, heads))
        parts.append(f"<p>In brackets: {found.level}</p>" if found.level else "")
        parts.append(f"<p>{escape(capital(found.partly))}</p>" if found.partly else "")
    parts.append(f"<p>{escape(found.sentences)}</p>")
    if found.prices:
        parts.append(f"<p>{escape(PRICES)}</p><pre>{escape(found.prices)}</pre>")
    limits = [("Look at", item.line) for item in found.look_at]
    limits += [("Also", text) for text in others(document)]
    if limits:
        items = "".join(f"<li>{label}: {escape(text)}</li>" for label, text in limits)
        parts.append(f"<ul>{items}</ul>")
    return f"<div>{''.join(parts)}</div>"


def _html_table(found: ShownAnswer, heads: Sequence[str | None]) -> str:
    from html import escape

    head = "".join(f"<th>{escape(name or '')}</th>" for name in heads)
    body = ""
    for row in found.rows:
        cells = [row.question, row.label]
        cells += [row.config, row.counts] if found.baseline is None else [row.baseline, row.config]
        if found.baseline is not None:
            cells.append(f"{row.verdict}{f'; {row.more}' if row.more else ''}")
        body += "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
    above = "" if found.baseline is None else f"<thead><tr>{head}</tr></thead>"
    return f"<table>{above}<tbody>{body}</tbody></table>"
