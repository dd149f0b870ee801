"""The operators: one file per family, one row per operator.

Most programs call few of them. So the families of CORE are imported with the package, the others
when one of their names is first called or asked for: the index says whose a name is
(docs/decisions/0014-what-waits.md).
"""

import gc as _gc
from collections.abc import Iterator as _Iterator
from contextlib import contextmanager as _contextmanager
from functools import partial as _partial
from importlib import import_module as _import_module
from typing import Any as _Any

from minitorch.aten.index import INDEX as _INDEX
from minitorch.core.declare.expose import await_family as _await_family
from minitorch.core.declare.registry import FUNCTIONS as _FUNCTIONS

CORE = (
    "views",
    "parts",
    "ordering",
    "joining",
    "splitting",
    "strided",
    "copies",
    "factories",
    "sequences",
    "from_data",
    "random",
    "random_in_place",
    "complex_numbers",
    "arithmetic",
    "power",
    "comparison",
    "elementary",
    "rounding",
    "clamping",
    "interpolation",
    "filling",
    "advanced_indexing",
    "gathering",
    "scattering",
    "indexing",
    "matrix",
    "matmul",
    "reduction",
    "extrema",
    "moments",
    "softmax",
    "attributes",
    "rare_attributes",
)
WAITING = (  # each after those that it imports
    "triangles",
    "sorting",
    "norms",
    "storages",
    "in_place_views",
    "masked_indexing",
    "scatter_reduction",
    "index_conversion",
    "segments",
    "lookup",
    "searching",
    "histograms",
    "scan",
    "quantiles",
    "linalg_products",
    "linalg_triangles",
    "linalg_lu",
    "linalg_solving",
    "linalg_ldl",
    "linalg_spectra",
    "linalg_extras",
    "special",
    "convolution",
    "padding",
    "fourier",
    "frames",
    "einsum",
    "activation",
    "rectifiers",
    "loss",
    "likelihood",
    "margin_losses",
    "ctc",
    "distances",
    "pooling",
    "dropout",
    "adaptive_pooling",
    "upsampling",
    "folding",
    "grid_sampling",
    "normalization",
    "batch_norms",
    "attention",
    "view_copies",
    "removed",
    "assertions",
    "nested",
    "packing",
    "quantization",
    "time_convolution",
    "recurrent",
    "other_backends",
)


@_contextmanager
def _uncollected() -> _Iterator[None]:
    """No garbage collections within, and what was made there counts as old after it.

    All that is made here stays. To find that out again and again takes 8 of the 60 ms of
    processor time that this library needs on top of NumPy.
    """
    enabled = _gc.isenabled()
    _gc.disable()
    try:
        yield
    finally:
        if enabled:
            if not _gc.get_freeze_count():  # so nothing is unfrozen that a program froze
                _gc.freeze()
                _gc.unfreeze()
            _gc.enable()


def load(family: str) -> None:
    """Imports a family of operators."""
    _import_module(f"minitorch.aten.{family}")


def function_named(name: str) -> _Any:
    """The function of `torch` of this name, None if there is none."""
    if name in _FAMILY_OF:
        load(_FAMILY_OF[name])
    return _FUNCTIONS.get(name)


def __getattr__(name: str) -> _Any:
    if name in WAITING:
        return _import_module(f"minitorch.aten.{name}")
    raise AttributeError(f"module 'minitorch.aten' has no attribute '{name}'")


with _uncollected():
    for _family, _groups in _INDEX.items():
        _await_family(_partial(load, _family), _groups)
    for _family in CORE:
        load(_family)

# The functions of `torch` in families that wait.
_FAMILY_OF = {
    name: family
    for family, groups in _INDEX.items()
    for places, names in groups.items()
    if "f" in places
    for name in names.split()
}
