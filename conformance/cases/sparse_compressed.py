"""Tensors of the compressed sparse layouts: the programs of the source `sparse` with these."""

from collections.abc import Iterator

from conformance.cases import sparse
from conformance.cases.sparse_makers import COMPRESSED
from conformance.options import Options


def keys(options: Options) -> list[str]:
    """Returns the families of expressions, for each compressed layout."""
    return sparse.families(list(COMPRESSED))


def cases(key: str, options: Options) -> Iterator[sparse.Program]:
    """Yields the programs of one family with one layout."""
    return sparse.cases(key, options)
