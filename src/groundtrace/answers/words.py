"""The names that tell what an unknown tool's arguments and answer fields mean.

Names are compared in lower case without `_`, `-` and blanks: `file_path`, `filePath` and
`File-Path` are the same name.
"""

from __future__ import annotations

from functools import lru_cache

FILE_ARGUMENTS = frozenset(
    {
        *("path", "paths", "file", "files", "filepath", "filepaths", "filename", "filenames"),
        *("relativepath", "relativepaths", "absolutepath", "absolutepaths", "targetfile"),
        *("pathinproject", "fileuri", "uri", "uris", "textdocument", "notebookpath", "document"),
        *("relativefilepath", "fullpath", "relpath", "abspath", "source", "destination"),
        *("sourcepath", "destinationpath", "srcpath", "dstpath", "oldpath", "newpath"),
        *("relativeworkspacepath", "inputfile", "outputfile", "outputpath", "targetpath"),
    }
)
"""Arguments that hold the file or the folder that a call is about."""

FOLDER_ARGUMENTS = frozenset(
    {
        *("directory", "dir", "folder", "root", "rootpath", "directorypath", "dirpath", "cwd"),
        *("workspacepath", "projectpath", "repopath", "targetdirectory", "basepath"),
        *("directorytosearch", "searchpath", "workdir", "workingdirectory"),
    }
)
"""Arguments that hold the folder in which relative names of the answer lie."""

REPO_ARGUMENTS = frozenset(
    {"repo", "repos", "repository", "repositories", "reponame", "projectid", "project", "fullname"}
)
"""Arguments that hold a repository; `owner` completes a bare name."""

QUESTION_ARGUMENTS = frozenset(
    {
        *("query", "queries", "q", "question", "pattern", "patterns", "regex", "search"),
        *("searchtext", "searchterm", "searchquery", "substringpattern", "keyword", "keywords"),
        *("term", "terms", "symbol", "symbolname", "position", "character", "column", "topic"),
        *("informationrequest", "namekeyword", "messageterms", "contentterms"),
    }
)
"""Arguments that ask something. What such a call shows was searched for; a file in its other
arguments is the place that was searched."""

WRITING_ARGUMENTS = frozenset(
    {
        *("content", "contents", "data", "body", "filetext", "newcontent", "newbody", "newtext"),
        *("newstring", "newstr", "oldstring", "oldstr", "oldtext", "edits", "edit", "patch"),
        *("diff", "replacement", "inserttext", "insertion", "codeedit", "newcode", "newsource"),
        *("linestoinsert", "textedits", "newname"),
    }
)
"""Arguments that hold what is to be written."""

TRIAL_ARGUMENTS = frozenset({"dryrun", "preview", "previewonly", "checkonly"})
"""Arguments that say, when true, that nothing is written."""

DATA_ARGUMENTS = frozenset({"sql", "statement", "cypher", "graphql"})
"""Arguments of databases: rows may hold names of files, but they are not files."""

FILE_FIELDS = (
    *("path", "filepath", "file", "relativepath", "absolutepath", "fullpath", "newpath", "uri"),
    *("targeturi", "fileuri", "filename", "relativeworkspacepath", "source", "oldpath", "name"),
)
"""Fields of an object in an answer that name its file, the most reliable first. `name` counts only
in trees."""

LIST_FIELDS = frozenset(
    {"files", "filenames", "paths", "filepaths", "results", "matches", "entries", "items", "names"}
)
"""Fields in which a list of texts is a list of names."""

CONTENT_FIELDS = frozenset(
    {
        *("content", "contents", "text", "code", "snippet", "snippets", "body", "data", "preview"),
        *("linetext", "linecontent", "contextline", "fragment", "codechunk", "chunk", "chunks"),
        *("pagecontent", "match", "matches", "excerpt", "contentaroundreference", "blob", "lines"),
        *("sourcecode", "textmatches", "linematches"),
    }
)
"""Fields of an object in an answer that hold content of its file."""

LIFTED_FIELDS = frozenset(
    {"metadata", "payload", "location", "loc", "data", "document", "span", "bodylocation"}
)
"""Fields whose object describes the object around it: file, lines, repository."""

SKIPPED_FIELDS = frozenset(
    {
        *("attachments", "stats", "submatches", "pagination", "meta", "range", "targetrange"),
        *("targetselectionrange", "start", "end", "position"),
    }
)
"""Fields in which no file is searched for: they hold no files of the task, or parts of a range."""

START_FIELDS = (
    *("startline", "linestart", "fromline", "beginline", "firstline", "startlinenumber"),
    *("line", "linenumber", "lineno", "startrow"),
)
END_FIELDS = ("endline", "lineend", "toline", "lastline", "endlinenumber", "endrow")
RANGE_FIELDS = (
    *("range", "lines", "linerange", "viewrange", "targetrange", "loc", "bodylocation", "location"),
)
COUNT_FIELDS = ("limit", "numlines", "linecount", "maxlines")
LOOSE_START_FIELDS = (*START_FIELDS, "from", "start", "offset")
LOOSE_END_FIELDS = (*END_FIELDS, "to", "end")
"""Fields that hold lines. The loose names count only in arguments and inside a range: elsewhere
`start` and `end` are just as often character positions."""


@lru_cache(maxsize=4096)
def plain(name: str) -> str:
    """A name as the tables spell it."""
    return name.replace("_", "").replace("-", "").replace(" ", "").lower()
