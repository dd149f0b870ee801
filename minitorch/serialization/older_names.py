"""Names of Python 2 in pickles, which torch writes by protocol 2, by their present names."""

from __future__ import annotations

IMPORT_MAPPING = {
    **dict.fromkeys(("UserDict", "UserList", "UserString"), "collections"),
    **dict.fromkeys(("StringIO", "cStringIO"), "io"),
    "Queue": "queue",
    "__builtin__": "builtins",
    "_abcoll": "collections.abc",
    "copy_reg": "copyreg",
    "repr": "reprlib",
    "whichdb": "dbm",
}
NAME_MAPPING = {
    **{
        ("__builtin__", before): ("builtins", now)
        for before, now in (
            *(("xrange", "range"), ("unichr", "chr")),
            *(("unicode", "str"), ("long", "int"), ("basestring", "str")),
        )
    },
    ("__builtin__", "intern"): ("sys", "intern"),
    ("__builtin__", "reduce"): ("functools", "reduce"),
    **{("itertools", f"i{name}"): ("builtins", name) for name in ("zip", "map", "filter")},
    ("itertools", "ifilterfalse"): ("itertools", "filterfalse"),
    ("itertools", "izip_longest"): ("itertools", "zip_longest"),
    **{(name, name): ("collections", name) for name in ("UserDict", "UserList", "UserString")},
    ("UserDict", "IterableUserDict"): ("collections", "UserDict"),
    ("exceptions", "StandardError"): ("builtins", "Exception"),
}
