"""Divide the output among the parts that could have printed it, by dynamic programming.

Parts print in order, so a division is a list of cuts: the first lines belong to the first part, the
next to the second, and so on. Some parts get no lines, and some lines belong to no part. Every
division has a sum: how well each line fits the part that gets it, whether neighbouring lines go
together, and how unlikely it is that a part printed nothing (`weights`). The division with the
greatest sum is used. There are too many divisions to try all. But the best division of the first n
lines among the first k parts depends only on the best divisions among k-1 parts. So `fit` goes part
by part, in time linear in parts times lines.

An example: `cat a.py; echo ---; grep -n alpha b.py; ls src 2>/dev/null` and four lines:

    import os        contents of a.py
    ---              the text
    7:alpha = 1      found in b.py
    app.py           a name in src

`---` occurs once in the command and once in the output. It is an anchor, which splits the task in
two. Before it only the contents are left. After it the search and the listing share two lines:

    both to the search                2.0 - 4.0 - 0.2 = -2.2    `app.py` begins with no number
    one each                          2.0 + 1.3 - 0.5 =  2.8    a quiet listing that prints: 0.5
    one to the search, one to none    2.0 - 2.5 - 0.2 = -0.7    a quiet listing that is silent: 0.2
    both to the listing              -3.0 + 1.3 - 0.5 = -2.2    `7:alpha = 1` is not a name

So b.py was matched at line 7 and src/app.py surfaced.

`divide` puts it together: first the anchors, then `fit` between them, then a check. A division may
contradict the command (`ls f && cat f` with contents but no listing). Then the parts that cannot
have run are taken out, and the rest is divided again. Last, ends that are guesses are marked: in
the output of `cat a b` nothing says where a ends, so both were read and no lines are claimed.

`loop` is a part whose lines are divided again: the separators that it prints show its rounds.
"""
