"""Dividing the output among the parts that could have printed it, by dynamic programming.

Parts print in order, so a division is a list of cuts: the first lines belong to the first part, the
next to the second, and so on; some parts got none, and some lines belong to nobody. Every division
has a sum: how well each line fits the part that gets it, whether neighbouring lines go together, and
what speaks against parts that stay silent (`weights`). The one with the greatest sum is taken. There
are too many to try, but the best division of the first n lines among the first k parts depends only
on the best divisions among k-1 parts, so they are found part by part (`fit`), in time linear in
parts times lines.

An example: `cat a.py; echo ---; grep -n alpha b.py; ls src 2>/dev/null` and four lines:

    import os        contents of a.py
    ---              the text
    7:alpha = 1      found in b.py
    app.py           a name in src

`---` occurs once in the command and once in the output: an anchor, which splits the task in two. In
front of it only the contents are left. Behind it two lines go to the search and the listing:

    both to the search                2.0 - 4.0 - 0.2 = -2.2    `app.py` has no number in front
    one each                          2.0 + 1.3 - 0.5 =  2.8    a quiet listing that speaks: 0.5
    one to the search, one to nobody  2.0 - 2.5 - 0.2 = -0.7    a quiet listing that is silent: 0.2
    both to the listing              -3.0 + 1.3 - 0.5 = -2.2    `7:alpha = 1` is no name

so b.py was matched at line 7 and src/app.py surfaced.

`divide` is the whole: anchors first, then `fit` between them, then a second look. A division may
contradict the command (`ls f && cat f` with contents but no listing); the parts that cannot have run
are then taken out and the rest is divided again. Last, ends that are guesses are marked: of
`cat a b` nothing says where a ends, so both were read and no lines are claimed.

`loop` is a part that is divided itself: its rounds are found by the separators that it prints.
"""
