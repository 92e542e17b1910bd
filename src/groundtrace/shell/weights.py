"""How much each piece of evidence counts when output is divided among the parts of a command.

`align` chooses the division with the greatest sum. The summands are here, in one unit: **one point
is a line of a file's contents** (`PLAIN`). Any line can be that, so it says nothing. Everything
else is measured against it.

Four kinds of evidence:

- **A line fits a part** (`Part.score`). Above `PLAIN`: the line has a form that others seldom
  print. Just below: the part could have printed it, but any other part that could have is
  preferred. Below `-UNACCOUNTED`: it is more likely that no part printed it than that this one did.
- **Two lines follow each other** (`Part.pair`, `Part.begin`): an order that breaks, or continues.
- **A part printed nothing, or something** (`Part.cost_of_silence`, `Part.cost_of_speech`). A `cat`
  whose errors would be visible, and that shows none, has printed; with `2>/dev/null` it may have
  failed.
- **A part printed as much as it was asked for** (`Part.fullness`): `head -3` that printed three.

"Case" names a command of the tests that is read wrongly if the weight is changed by one point or
set to zero. Every weight was changed in this way once, over all lists of commands and real calls.
For a weight without a case only its order among the others matters; the reason says why it has that
place.
"""

from __future__ import annotations

# --- a line fits a part -------------------------------------------------------------------------

PLAIN = 1.0
"""A line of a file's contents: any line can be that. Case: `cat a.py; wc -l *.py`. If contents
counted as much as `TELLING`, they would take the lines of wc."""

OPAQUE = 0.9
"""A line of a program that is not followed. Any line can be that too, but a named file is
preferred. Case: `git log --oneline -3 && git show --stat HEAD`, where the log must not take the
names."""

TELLING = 2.0
"""A line in a form that others seldom print: `name:12:text` below what was searched, a line of
`ls -l`, a name below the operands of find, a count of wc, a branch of tree. Case:
`tree lib 2>/dev/null || find lib -type f`, where names with a folder are those of find."""

IMPOSSIBLE = -4.0
"""A line that the part cannot have printed: one without a name if every line has one. It costs more
than a line that no part explains, so the part does not take it."""

UNLIKELY = -3.0
"""A line that the part seldom prints, but could: a sentence among the names of ls. Case:
`git log --oneline | head -5; git status; ls src`, where ls must not take git's sentences."""

NUMBERED_LINE = 1.5
"""A line that begins with its number, if the part numbers its lines (`cat -n`, remote readers).
Less than `TELLING`: contents may begin with a number too. Case: a real call."""

LED = 0.5
"""Added to a line of a part whose lines have a number in front, if the line has one (`… | nl`). So
numbered contents count as much as `NUMBERED_LINE`."""

HEADING = 4.0
"""A heading that only one program prints: `==> name <==` of head and tail, `# repository – path` of
a remote search."""

UNDER_HEADING = 0.9
"""A line below `==> name <==`: any line, as for `OPAQUE`."""

NEAR_HEADING = 1.2
"""The same if the command says how many lines follow each heading (`head -3 *.py`): these lines are
more likely the file's than those of the next program. Case: `head -3 *.py && cat README.md`."""

GLUED = 5.0
"""A line that begins with text printed without a newline: `printf 'first: '; head -1 a`. Only one
line can match."""

MATCHING = 1.6
"""A line that matches the search's own pattern. Less than `TELLING`: contents may match too."""

UNTESTED = 0.8
"""A line of a search that cannot be compared with its pattern, or that is context of a match: any
line, and less than contents."""

CONTEXT_LINE = 0.4
"""`name-12-text` around the found lines: weak, because names hold dashes and digits too."""

CONTEXT_BREAK = 0.6
"""`--` between groups of context."""

STRAY_BREAK = -2.0
"""`--` where no context was asked for: more likely a separator that the command prints."""

GROUP_LINE = 1.8
"""A heading or a numbered line of a search that prints a name once, above its lines. Less than
`TELLING`: the line itself does not name its file."""

GROUP_GAP = 0.6
"""An empty line between such groups."""

NOTICE_GAP = 0.5
"""An empty line of a notice, such as `time` prints above its figures. Less than `PLAIN`: without
the figures it belongs to the contents. Case: `time cat LICENSE`."""

ODD_NAME = 0.5
"""A name with a colon or with an early space: more likely a line that a search found
(`./a.py:14:# build`), a count or a status. Case: `grep -rn build .; find . -type f`, where find must
not take the lines of grep."""

BARE_NAME = 1.2
"""A single word where names are listed and nothing says below which folder: any word fits."""

BESIDE_NAMES = 0.95
"""A line without a name that the same program prints beside names: `3 files changed`. Above
`OPAQUE`, so that it stays with the names."""

LISTED_NAME = 1.3
"""A word that can be a name in a directory, for `ls`. Case:
`ls w/packages 2>/dev/null | head -5; ls w 2>/dev/null`."""

BELOW_PATTERN = 1.0
"""A name that does not match the pattern that ls was given: it would be in a folder that matches,
which is rarely meant. Case: `(cd docs && ls g*); (cd lib && ls); ls L*`."""

LISTED_OPERAND = 1.5
"""A name that ls was given and prints again: `ls src/*.py`."""

LISTING_SECTION = 0.8
"""`folder:` or an empty line, if ls prints several directories."""

PATCH_LINE = 1.5
"""A line that begins like a line of a patch: `+`, `-`, a blank, `@@`. Contents often do so too."""

BESIDE_PATCH = 0.3
"""Another line in a patch: the message of a commit above it."""

BESIDE_PATCHED = -1.0
"""A line of `patch` that names no file; above `-UNACCOUNTED`: patch prints such lines too."""

BESIDE_REMOTE = 0.2
"""A line of a remote search that is neither a heading nor numbered."""

LOOP_HEADING = 3.0
"""The separator that holds the word of a round (`== $f ==`). Case: two loops over two patterns;
each must get its own headings."""

LOOP_BODY = 0.9
"""A line inside a round counts as for the best part of the body, times this: a part outside the
loop that fits equally well is preferred."""

NO_LOOP_LINE = -2.0
"""A line that is not a heading, if the body prints only headings."""

CUT = 0.5
"""The place where a harness cut lines out: no program printed it, and it belongs to the part that
printed the lines around it. Case: `ls -R` with only its head and tail shown."""

# --- two lines follow each other ----------------------------------------------------------------

NUMBERS_FALL = -4.0
"""Line numbers of `cat -n` that do not rise: another file begins."""

FOUND_NUMBERS_FALL = -3.0
"""Line numbers of a search in one file that do not rise: another search begins. Case:
`grep -n TODO src/app.py; grep -n TODO src/util.py`."""

NAMED_BESIDE_BARE = -3.0
"""A line with a file's name beside one without a name: a search names all of its lines or none.
Case: `grep -A1 -n x src/util.py; grep -n y src/*.py`."""

CONTEXT_GOES_ON = 1.5
"""`name-9-text` beside the next line of the same file, one of which is context: only a search prints
that. With `CONTEXT_LINE` it counts nearly as much as `TELLING`. Case:
`wc -l *.py; grep -n -C1 x *.py`."""

ORDER_BREAKS = -2.0
"""Names of ls that are not in order: another listing begins. Case: `ls lib && ls docs`."""

ORDER_GOES_ON = -1.5
"""A listing that begins where the names before it continue in order: it is rarely another listing.
Cases: in the output of `ls w/packages 2>/dev/null | head -5; ls w 2>/dev/null` all names in order
belong to `w` (a smaller weight gives the first five to `w/packages`, which does not exist). In the
output of `ls w/packages | head -4; ls w` the first four do not belong to `w` (a larger weight takes
them away)."""

LOOP_WITHOUT_HEADING = -2.0
"""A loop whose rounds begin with a heading begins with one. Case: as `LOOP_HEADING`."""

# --- text that the command itself prints --------------------------------------------------------

TEXT = 6.0
"""A line that the command spells out (`echo ---`) and that the output holds: the strongest single
piece of evidence. Case: `cat Dockerfile && printf '\\n---\\n' && cat .gitignore`."""

TEXT_WITH_HOLES = 4.5
"""The same with unknown pieces (`echo "== $f"`): other lines may match it."""

EMPTY_TEXT = 1.2
"""An empty line that the command prints: contents hold empty lines too, so it says little."""

FALLBACK_TEXT = 4.0
"""Subtracted for a text that is printed only after a failure (`|| echo none`)."""

# --- a part printed nothing, or something -------------------------------------------------------

TEXT_SILENT = 8.0
"""A text that is always printed is missing from the output. Case: `for f in a nope b; do [ -f $f ]
&& echo "$f" && head -1 $f; done`."""

TEXT_MAYBE_SILENT = 0.2
"""A text that may not have been reached is missing."""

CONTENT_SILENT = 2.0
"""A file was opened, no error was shown, and it gets no line: only an empty file prints nothing.
Case: `cat README.md LICENSE`, where either could have printed all lines."""

RANGE_SILENT = 0.9
"""The same for a range that begins later: `sed -n '900,950p'` of a shorter file prints nothing. Less
than what a telling line loses as contents. Case: `sed -n '900,950p' a.py; grep -n x a.py`."""

CONTENT_MAYBE_SILENT = 0.3
"""The same if errors are discarded or it may not have run. Case:
`(cd lib && cat package.json) && cat Makefile`."""

LISTING_SILENT = 1.6
"""A listing without a line. Less than contents: empty directories are common. Case: `ls -1 | head
-3; ls ../lib`."""

LISTING_MAYBE_SILENT = 0.2
"""The same if errors are discarded or it may not have run. Case: as `ORDER_GOES_ON`."""

FALLBACK_SPEAKS = 2.5
"""A part printed that runs only after a failure. Case:
`cat missing.py 2>/dev/null || cat util.py | head -3`, where a larger weight gives the lines to the
missing file."""

FALLBACK_STRICT = 0.5
"""The same if its lines can be told apart from others: then they are evidence enough."""

QUIET_LISTING_SPEAKS = 0.5
"""A listing printed although its errors are discarded: of two that could have printed, the other is
preferred. Case: as `ORDER_GOES_ON`."""

# --- a part printed as much as it was asked for -------------------------------------------------

FULL = 3.0
"""Exactly the lines asked for (`head -3`, `sed -n 1,5p`). Case: as `FALLBACK_SPEAKS`, where the
three lines are those of `head -3`."""

FULL_LISTING = 1.0
"""The same for names: `ls | head -5` shows five names of any longer directory. Less than for
contents, otherwise it takes five names of another listing; see `ORDER_GOES_ON`."""

# --- lines that nobody printed ------------------------------------------------------------------

UNACCOUNTED = 2.5
"""Subtracted for a line that no part explains, such as a warning. Smaller than `UNLIKELY` and
`IMPOSSIBLE`: such a line is left alone and not given to a part that cannot have printed it."""

# --- bounds -------------------------------------------------------------------------------------

MAX_CELLS = 1_500_000
"""More (part, line) pairs than this are divided greedily: the exact method would take seconds."""

MAX_ROUNDS = 4
"""Divisions tried before a contradiction stays. Case: a real call that needs two."""

MIN_ANCHOR = 3
"""Fewest characters of a separator that can be an anchor. `}` or `--` occur in any file."""

MAX_TESTED_LINE = 2000
"""Longer lines are not compared with a search's pattern: the time may grow with the square of the
line's length."""

BLANKS_CUT = 2
"""Blank lines that harnesses may have cut off both ends of a range."""

BLANKS_CUT_SHORT = 1
"""The same for a short range: two of its lines are too large a share for a guess."""

SHORT_RANGE = 4
"""A range of at most this many lines is short."""
