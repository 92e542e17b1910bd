"""Cmdlets: what each takes and what it gives. Programs that are no cmdlets are those of bash.

A cmdlet is one row of `CMDLETS`: its handler, the parameters that take a value, and the parameters
that a value without a name belongs to, in order.
"""

from __future__ import annotations

from groundtrace.shell.powershell.call import Cmdlet
from groundtrace.shell.powershell.files import (
    copy_item,
    get_child_item,
    get_content,
    get_file_hash,
    get_location,
    join_path,
    new_item,
    on_shows,
    on_tee,
    remove_item,
    rename_item,
    resolve_path,
    select_string,
    set_content,
    set_location,
    split_path,
    test_path,
)
from groundtrace.shell.powershell.streams import (
    compare_object,
    for_each_object,
    group_object,
    measure_object,
    on_derive,
    on_format,
    on_hidden,
    on_nothing,
    on_opaque,
    on_same,
    select_object,
    sort_object,
    where_object,
    write_output,
)


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ITEM = _set("path literalpath filter include exclude depth attributes encoding stream credential")
_TO_FILE = _set(
    "path literalpath value encoding filter include exclude stream delimiter filepath width inputobject"
)
_ITEM_ALSO = {
    "lp": "literalpath",
    "pspath": "literalpath",
    "s": "recurse",
    "r": "recurse",
    "ad": "directory",
    "af": "file",
}

CMDLETS: dict[str, Cmdlet] = {
    "get-content": Cmdlet(
        get_content, _ITEM | _set("totalcount tail readcount delimiter"), rest=True,
        switches=_set("raw wait force"),
        also={"first": "totalcount", "head": "totalcount", "last": "tail", "lp": "literalpath", "pspath": "literalpath"},
    ),
    "set-content": Cmdlet(set_content, _TO_FILE, ("path", "value"), _set("nonewline force passthru")),
    "add-content": Cmdlet(set_content, _TO_FILE, ("path", "value"), _set("nonewline force passthru")),
    "out-file": Cmdlet(set_content, _TO_FILE, ("filepath", "encoding"), _set("append nonewline force noclobber")),
    "clear-content": Cmdlet(remove_item, _ITEM),
    "export-csv": Cmdlet(set_content, _TO_FILE, switches=_set("notypeinformation append")),
    "export-clixml": Cmdlet(set_content, _TO_FILE),
    "tee-object": Cmdlet(on_tee, _set("filepath literalpath variable inputobject encoding"), ("filepath",), _set("append")),
    "new-item": Cmdlet(
        new_item, _set("path name itemtype value literalpath"), switches=_set("force"), also={"type": "itemtype"}
    ),
    "mkdir": Cmdlet(on_opaque, _set("path name"), rest=True),
    "remove-item": Cmdlet(remove_item, _ITEM, switches=_set("recurse force confirm"), also=_ITEM_ALSO, rest=True),
    "copy-item": Cmdlet(copy_item, _ITEM | {"destination"}, ("path", "destination"), _set("recurse force passthru")),
    "move-item": Cmdlet(copy_item, _ITEM | {"destination"}, ("path", "destination"), _set("force passthru")),
    "rename-item": Cmdlet(rename_item, _ITEM | {"newname"}, ("path", "newname"), _set("force passthru")),
    "get-childitem": Cmdlet(
        get_child_item, _ITEM, ("path", "filter"),
        _set("recurse name file directory force hidden readonly system followsymlink"), _ITEM_ALSO,
    ),
    "get-item": Cmdlet(get_child_item, _ITEM, switches=_set("force"), also=_ITEM_ALSO),
    "resolve-path": Cmdlet(resolve_path, _set("path literalpath"), switches=_set("relative")),
    "convert-path": Cmdlet(resolve_path, _set("path literalpath")),
    "test-path": Cmdlet(test_path, _ITEM | {"pathtype"}, switches=_set("isvalid")),
    "get-location": Cmdlet(get_location),
    "set-location": Cmdlet(set_location, _set("path literalpath stackname"), also={"lp": "literalpath"}),
    "push-location": Cmdlet(set_location, _set("path literalpath stackname")),
    "pop-location": Cmdlet(set_location, _set("stackname"), ()),
    "join-path": Cmdlet(join_path, _set("path childpath additionalchildpath"), ("path", "childpath"), rest=True),
    "split-path": Cmdlet(split_path, _set("path literalpath"), switches=_set("leaf parent leafbase extension")),
    "select-string": Cmdlet(
        select_string, _set("pattern path literalpath context include exclude encoding culture inputobject"),
        ("pattern", "path"), _set("simplematch casesensitive list allmatches quiet notmatch raw noemphasis"),
        {"lp": "literalpath"}, rest=True,
    ),
    "select-object": Cmdlet(
        select_object, _set("first last skip skiplast index property expandproperty excludeproperty inputobject"),
        ("property",), _set("unique wait"), {"expand": "expandproperty"}, rest=True,
    ),
    "where-object": Cmdlet(
        where_object, _set("filterscript property value inputobject match like notmatch notlike eq ne gt lt ge le"),
        ("filterscript", "value"),
    ),
    "foreach-object": Cmdlet(
        for_each_object, _set("process begin end membername inputobject parallel argumentlist throttlelimit"),
        ("process",), also={"parallel": "process"}, rest=True,
    ),
    "sort-object": Cmdlet(sort_object, _set("property culture inputobject top bottom"), ("property",), _set("unique descending"), rest=True),
    "get-unique": Cmdlet(sort_object, places=()),
    "group-object": Cmdlet(group_object, _set("property inputobject"), ("property",), _set("noelement")),
    "measure-object": Cmdlet(
        measure_object, _set("property inputobject"), ("property",), _set("line word character sum average maximum minimum")
    ),
    "out-string": Cmdlet(on_same, _set("width inputobject"), (), _set("stream")),
    "out-host": Cmdlet(on_same, places=(), switches=_set("paging")),
    "out-default": Cmdlet(on_same, places=()),
    "more": Cmdlet(get_content, _ITEM, rest=True),
    "format-table": Cmdlet(
        on_format, _set("property groupby view expand"), ("property",), _set("autosize wrap hidetableheaders force"), rest=True
    ),
    "format-list": Cmdlet(on_format, _set("property groupby view expand"), ("property",), _set("force"), rest=True),
    "format-wide": Cmdlet(on_opaque, _set("property column"), ("property",), _set("autosize")),
    "write-output": Cmdlet(write_output, _set("inputobject"), ("inputobject",), _set("noenumerate"), rest=True),
    "write-host": Cmdlet(
        write_output, _set("inputobject object separator foregroundcolor backgroundcolor"), ("inputobject",),
        _set("nonewline"), {"object": "inputobject", "fore": "foregroundcolor", "f": "foregroundcolor"}, rest=True,
    ),
    "write-error": Cmdlet(on_hidden, _set("message"), ("message",)),
    "write-warning": Cmdlet(on_opaque, _set("message"), ("message",)),
    "write-verbose": Cmdlet(on_hidden, _set("message"), ("message",)),
    "out-null": Cmdlet(on_nothing, places=()),
    "start-sleep": Cmdlet(on_hidden, _set("seconds milliseconds"), ("seconds",)),
    "set-strictmode": Cmdlet(on_hidden), "set-executionpolicy": Cmdlet(on_hidden), "set-variable": Cmdlet(on_hidden),
    "remove-variable": Cmdlet(on_hidden), "set-alias": Cmdlet(on_hidden), "import-module": Cmdlet(on_hidden),
    "chcp": Cmdlet(on_opaque),
    "convertfrom-json": Cmdlet(on_derive, _set("depth inputobject"), ("inputobject",)),
    "convertto-json": Cmdlet(on_derive, _set("depth inputobject"), ("inputobject",), _set("compress")),
    "convertfrom-csv": Cmdlet(on_derive, _set("delimiter header"), ()),
    "import-csv": Cmdlet(on_shows, _ITEM | {"delimiter", "header"}),
    "format-hex": Cmdlet(on_shows, _ITEM | {"count", "offset"}),
    "import-powershelldatafile": Cmdlet(on_shows, _ITEM),
    "compare-object": Cmdlet(
        compare_object, _set("referenceobject differenceobject property syncwindow"), ("referenceobject", "differenceobject")
    ),
    "get-filehash": Cmdlet(get_file_hash, _ITEM | {"algorithm"}),
    **dict.fromkeys(
        ["get-command", "get-help", "get-process", "get-date", "get-variable", "get-alias", "get-member", "get-host",
         "get-itemproperty", "invoke-webrequest", "invoke-restmethod", "test-netconnection", "get-service", "start-process",
         "stop-process", "get-nettcpconnection", "invoke-expression", "new-object", "get-psdrive", "get-acl",
         "expand-archive", "compress-archive", "wait-process", "start-job", "receive-job", "get-job", "clear-host"],
        Cmdlet(on_opaque),
    ),
}  # fmt: skip
"""Cmdlets by name."""

ALIASES: dict[str, str] = {
    "gc": "get-content", "cat": "get-content", "type": "get-content", "sc": "set-content", "ac": "add-content",
    "gci": "get-childitem", "ls": "get-childitem", "dir": "get-childitem", "gi": "get-item", "sls": "select-string",
    "select": "select-object", "where": "where-object", "?": "where-object", "%": "foreach-object",
    "foreach": "foreach-object", "sort": "sort-object", "measure": "measure-object", "group": "group-object",
    "ft": "format-table", "fl": "format-list", "fw": "format-wide", "echo": "write-output", "write": "write-output",
    "cd": "set-location", "chdir": "set-location", "sl": "set-location", "pushd": "push-location", "popd": "pop-location",
    "pwd": "get-location", "gl": "get-location", "cp": "copy-item", "copy": "copy-item", "cpi": "copy-item",
    "mv": "move-item", "move": "move-item", "mi": "move-item", "rm": "remove-item", "del": "remove-item",
    "erase": "remove-item", "rd": "remove-item", "rmdir": "remove-item", "ri": "remove-item", "ren": "rename-item",
    "rni": "rename-item", "ni": "new-item", "md": "mkdir", "rvpa": "resolve-path", "tee": "tee-object",
    "oh": "out-host", "gu": "get-unique", "diff": "compare-object", "compare": "compare-object", "clc": "clear-content",
    "gm": "get-member", "gps": "get-process", "ps": "get-process", "iwr": "invoke-webrequest", "curl": "invoke-webrequest",
    "wget": "invoke-webrequest", "irm": "invoke-restmethod", "gcm": "get-command", "sleep": "start-sleep",
    "cls": "clear-host", "clear": "clear-host", "iex": "invoke-expression", "ipcsv": "import-csv", "epcsv": "export-csv",
    "ogv": "out-null", "gp": "get-itemproperty", "saps": "start-process", "start": "start-process",
    "kill": "stop-process", "man": "get-help", "help": "get-help", "history": "get-command", "set": "set-variable",
}  # fmt: skip
"""Other names of cmdlets."""
