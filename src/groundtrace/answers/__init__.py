"""What answers show: one module for each printed shape, whatever tool or program printed it.

A shape reads lines of text as `Shown` lines (`line`); `fold` makes one `FileRef` for each file of
them, with ranges and characters. Shell parts, Grep, Read, editors, Sourcegraph and the reading of
unknown tools are callers, so one text gives one result, whatever door it came through.
"""
